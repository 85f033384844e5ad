"""When a cheat strikes: each waits for a phase of the match, so that every kind is tried wherever it can be.

Knows phases and cheats; which of them go together is said in `crooks`.
"""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from kemps_p2p.lab.cheats import Cheat
from kemps_p2p.lab.storms import Phase, phase_of
from kemps_p2p.ledger.tape import Item
from kemps_p2p.session.messages import DeedBody, KeyDeed, TurnDeed
from kemps_p2p.session.play import Play

T = TypeVar("T")

PREPARED = {Phase.SHUFFLE: 0, Phase.PLAY: 1, Phase.CALL: 1, Phase.BETWEEN: 1}
"""Which deal is shuffled in a phase when that comes for the first time."""


@dataclass(slots=True)
class Occasion:
    """What a seat waits for: a phase. `table`: where the table is by now, for networks, which see no match.

    `has_let_go`: all has healed, and what it kept back for as long as it could, it says now.
    """

    phase: Phase
    rng: random.Random
    table: Phase = Phase.LOBBY
    has_let_go: bool = False
    _has_come: bool = False

    @property
    def deal(self) -> int:
        """The deal that is shuffled in this phase."""
        return PREPARED[self.phase]

    def one_of(self, table: Mapping[str, T]) -> T:
        """Something drawn from a table."""
        return self.rng.choice(list(table.values()))

    def is_now(self, play: Play) -> bool:
        """True while the match is in the phase, as its seat accepts it."""
        self._has_come |= phase_of(play.tip) is self.phase
        return phase_of(play.tip) is self.phase

    def is_at_table(self, _item: Item) -> bool:
        """True while the table is in the phase."""
        return self.table is self.phase

    def timed(self, cheat: Cheat) -> Cheat:
        """The same cheat, at no other time."""

        def then(function: Callable[..., Any], otherwise: object) -> Callable[..., Any]:
            return lambda play, *more: function(play, *more) if self.is_now(play) else otherwise

        return replace(
            cheat,
            deed=then(cheat.deed, None),
            entry=then(cheat.entry, None),
            nuisance=then(cheat.nuisance, None),
            witness=then(cheat.witness, None),
            wait=then(cheat.wait, False),
            blind=then(cheat.blind, False),
        )

    def put_off(self, cheat: Cheat, kind: type[KeyDeed | TurnDeed]) -> Cheat:
        """The same cheat, with the deeds of a kind that prepare a deal kept back until the phase.

        Before play they are due in their phase, and in play at its beginning.
        """
        if self.phase in {Phase.SHUFFLE, Phase.PLAY}:
            return cheat

        def wait(play: Play, deed: DeedBody) -> bool:
            is_early = not (self.is_now(play) or self._has_come or self.has_let_go)
            is_put_off = is_early and isinstance(deed, kind) and deed.deal == self.deal
            return is_put_off or cheat.wait(play, deed)

        return replace(cheat, wait=wait)
