"""Simulated matches with what each seat's own program saw of them, entry by entry."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from kemps_p2p.game.cards import format_card
from kemps_p2p.game.rules import RuleSet, load_rules, override
from kemps_p2p.game.views import SeatView
from kemps_p2p.ids import Position, Seat
from kemps_p2p.report.timeline import Timeline
from kemps_p2p.runtime.sim import Sim, Stop
from kemps_p2p.session import effects as fx
from kemps_p2p.session.audit import Audit, JointAudit, audit_all
from kemps_p2p.wording.cards import card_text
from kemps_p2p.wording.eyes import Wide

CARD = re.compile(r"(?:10|[2-9JQKA])[♣♦♥♠]'?|\\b[2-9TJQKA][CDHS]\\b'?")
"""A card, in any text or data that a report shows."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A finished match: its log, and what each seat saw once an entry was final, by (seat, entry)."""

    log: bytes
    joint: JointAudit
    views: Mapping[tuple[Seat, int], SeatView]

    @property
    def audit(self) -> Audit:
        return self.joint.audits[0]


def short_rules(book: str = "kemps", **others: object) -> RuleSet:
    """A rule book with a short word, or few deals, and hardly a look."""
    rules = load_rules(book)
    changes: dict[str, object] = {"look_ms": 200, **others}
    if "word" not in changes and rules.word:
        changes["word"] = "K"
    return override(rules, changes)


def watched_match(
    rules: RuleSet, seed: int, players: int = 4, *, group: str = "stub-insecure", observers: int = 0
) -> Seen:
    """Play it, and look over every seat's shoulder."""
    views: dict[tuple[Seat, int], SeatView] = {}

    def watch(seat: Seat, effect: fx.Effect, _now_ms: int) -> None:
        if seat < players and isinstance(effect, fx.Show) and isinstance(effect.sight, fx.Happened):
            play = sim.peers[seat].session.play
            views[seat, play.final.head.index] = play.view()

    sim = Sim(rules=rules, players=players, seed=seed, group=group, observers=observers, watch=watch)
    assert sim.run() is Stop.DONE
    log = sim.peers[0].log_bytes
    return Seen(log, audit_all([log], allow_stub=True), views)


def shown_to(view: SeatView) -> dict[Position, str]:
    """Every face that a view shows, by position, in words."""
    lying = [*view.pool, *(card for hand in view.hands for card in hand)]
    faces = {card.position: card_text(card.card) for card in lying if card.card is not None}
    return {**faces, **{held.position: card_text(held.card) for held in view.hand}}


class Memory:
    """What can have been seen of a deal so far: asked moment by moment, in their order."""

    def __init__(self, timeline: Timeline, whose: Seat | Wide) -> None:
        self._timeline = timeline
        self._whose = whose
        self._deal = -1
        self._names: set[str] = set()

    def names(self, index: int) -> set[str]:
        """The names of all cards seen up to a moment, by the views alone."""
        table = self._timeline.table(index)
        if table.deal != self._deal:
            self._deal, self._names = table.deal, set()
        seen = set(table.state.faces.values())
        if not isinstance(self._whose, Wide):
            seen |= {held.card for held in self._timeline.perspective(self._whose, index).hand}
        self._names |= {*map(card_text, seen), *map(format_card, seen)}
        return self._names
