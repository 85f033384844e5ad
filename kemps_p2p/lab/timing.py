"""Cheats about who was first: seats that gain by when they speak, if anything lets them.

Each is a `Cheat` for one seat. What a lying witness has really heard is kept, so that an experiment can tell
what its honest word would have been.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from enum import Enum

from msgspec import structs

from kemps_p2p.codec import Digest, decode, encode
from kemps_p2p.errors import IllegalAction
from kemps_p2p.game.actions import Action, Call, Counter, Kind, Swap, kind
from kemps_p2p.game.state import State, check
from kemps_p2p.ids import Seat
from kemps_p2p.lab.cheats import Cheat, Words
from kemps_p2p.ledger.claimbook import HeldClaim
from kemps_p2p.ledger.tape import Claim
from kemps_p2p.session.holding import asked
from kemps_p2p.session.match import first_citable
from kemps_p2p.session.play import Play

HOLD_MS = 100
"""How long a liar waits for its accomplice, and a late witness for nothing: within the table's patience."""


class Trick(Enum):
    """What a cheat of an experiment does. A liar lies for an accomplice, who wants what another wants."""

    FRONT_RUN = "front-run"
    LIAR = "liar"
    TWO_LIARS = "two-liars"
    LATE = "late"
    SILENT = "silent"
    STALE = "stale"


def front_runner() -> Cheat:
    """On duty: claims whatever card another seat claims, before it gives the receipt."""
    return Cheat(front_run=_snatch)


def _snatch(play: Play, held: HeldClaim) -> Action | None:
    _, action = asked(held)
    if play.tip.on_duty != play.seat or not isinstance(action, Swap):
        return None
    return Swap(take=action.take, give=play.final.game.hands[play.seat][: len(action.take)])


class Witness:
    """A witness that chooses when to give its receipts. `heard`: every claim, in the order of hearing."""

    def __init__(self, choose: Callable[["Witness", Words, int], Words]) -> None:
        self._choose = choose
        self._since_ms: dict[Digest, int] = {}
        self._kept: Sequence[Digest] = ()
        self.heard: list[Digest] = []
        self.cheat = Cheat(witness=self._give, wake_ms=self._wake_ms)

    def _give(self, _play: Play, owed: Words, now_ms: int) -> Words:
        for held in owed:
            if held.id not in self._since_ms:
                self._since_ms[held.id] = now_ms
                self.heard.append(held.id)
        given = self._choose(self, owed, now_ms)
        self._kept = [held.id for held in owed if held not in given]
        return given

    def _wake_ms(self, _play: Play) -> int | None:
        return min((self._since_ms[name] + HOLD_MS for name in self._kept), default=None)

    def is_old(self, held: HeldClaim, now_ms: int) -> bool:
        """True if the claim has been kept back for as long as this witness dares."""
        return now_ms - self._since_ms[held.id] >= HOLD_MS


def liar(accomplice: Seat) -> Witness:
    """Says of its accomplice's claim that it was first: keeps every rival's receipt back until it comes."""

    def choose(self: Witness, owed: Words, now_ms: int) -> Words:
        its = [held for held in owed if held.seat == accomplice]
        others = [held for held in owed if held.seat != accomplice]
        given = [held for held in others if its or not _is_wish(held) or self.is_old(held, now_ms)]
        return [*its, *given]

    return Witness(choose)


def late_witness() -> Witness:
    """Says the truth, as late as it dares."""
    return Witness(lambda self, owed, now_ms: [held for held in owed if self.is_old(held, now_ms)])


def silent_witness() -> Cheat:
    """Gives no receipt for anything that can be raced for."""
    return Cheat(witness=lambda _play, owed, _now_ms: [held for held in owed if not _is_wish(held)])


def _is_wish(held: HeldClaim) -> bool:
    _, action = asked(held)
    return isinstance(action, Call) or kind(action) is Kind.EXCHANGE


def stale_claimant() -> Cheat:
    """Claims against the oldest head that the rules allow, stamped as if it had heard of nothing since.

    What it has heard it gives no receipts for until it has claimed, since its own stamps would show that.
    """
    keeping = Witness(
        lambda self, owed, now_ms: [held for held in owed if not _is_wish(held) or self.is_old(held, now_ms)]
    )
    return replace(keeping.cheat, claim=against_an_old_head, low_stamps=True)


def against_an_old_head(play: Play, claim: Claim) -> Claim | None:
    """The same exchange against the oldest head of the deal at which the rules allow it."""
    swap, match = swap_of(claim), play.final
    if swap is None:
        return None
    last = match.logged.get((play.seat, Kind.EXCHANGE))
    oldest = max(first_citable(match), 0 if last is None else last.index)
    for past in match.past:
        if past.head.index >= oldest and is_lawful(past.game, play.seat, swap):
            return structs.replace(claim, head=past.head)
    return None


def late_exchange(play: Play) -> tuple[Claim] | None:
    """An exchange that was lawful at some head of the deal, claimed against that head."""
    for past in play.final.past[first_citable(play.final) - play.final.past[0].head.index :]:
        if past.game.hands and past.game.pool:
            swap = Swap(take=past.game.pool[:1], give=past.game.hands[play.seat][:1])
            if is_lawful(past.game, play.seat, swap):
                return (Claim(head=past.head, action=encode(swap), rivals=()),)
    return None


def swap_of(claim: Claim) -> Swap | None:
    """The exchange that a claim asks for, if it asks for one."""
    action: Action = decode(claim.action, Action)  # type: ignore[arg-type]  # a union is no type object
    return action if isinstance(action, Swap) else None


def is_lawful(state: State, seat: Seat, action: Action) -> bool:
    """True if the rules allow the action in this state."""
    try:
        check(state, seat, action)
    except IllegalAction:
        return False
    return True


def call_on_hearing() -> Cheat:
    """Hears a call of the other team and calls against it, before it gives the receipt."""
    return Cheat(front_run=_call_against)


def _call_against(play: Play, held: HeldClaim) -> Action | None:
    seat, action = asked(held)
    teams = play.founding.seats // 2
    if not isinstance(action, Call) or seat % teams == play.seat % teams:
        return None
    return Call(calls=(Counter(target=play.final.team_of(seat)),))
