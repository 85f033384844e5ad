"""A seat that cheats at a table under faults: one of each kind, and whether it was found out or had its way.

A cheat that has struck is *detected* if an honest seat has found a fault that names it, which takes items
that it has signed, or if an entry of the chain blames it. Else it must have been *without effect* of the kind
that it aims at:

- nothing that it said falsely is carried, settled as done, drawn by, or an entry of the chain;
- of its exchanges against one head one counts at most;
- where it kept its coin back, its team's claims are behind all others in the draw;
- of two items that it showed to two parts of the table, no two honest seats hold different ones;
- and, whatever it kept back, the match has ended.

All else is *undetected*. Who gains by the time at which it speaks is not seen in one match: `lab fairness`
and `lab attack` measure it.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto

from kemps_p2p.codec import Digest, encode
from kemps_p2p.ids import Seat
from kemps_p2p.lab.cheats import Cheat, CheatingPlay
from kemps_p2p.lab.lies_deck import (
    KEYS,
    SHARES,
    TURNS,
    copied_commitment,
    false_key,
    false_seed,
    false_share,
    false_turn,
    gesture_sealed_with_noise,
    replayed,
)
from kemps_p2p.lab.lies_words import (
    CLAIMS,
    EARLY_SEED,
    ENTRIES,
    FRAMES,
    OF_NO_DEAL,
    SAID,
    changed_event,
    of_no_deal,
    once_playing,
)
from kemps_p2p.lab.networks import Fork, Withheld, is_claim, is_share
from kemps_p2p.lab.occasions import Occasion
from kemps_p2p.lab.plots import (
    before_the_start,
    blind_to_the_next,
    cut_of_one,
    keeps_faces,
    other_order,
    overtaken,
    reordered,
    with_a_later_coin,
)
from kemps_p2p.lab.storms import Phase
from kemps_p2p.lab.timing import late_exchange, silent_witness, swap_of
from kemps_p2p.ledger.entry import Blamed, Carried, Drawn, Result, Ruled, Settled
from kemps_p2p.ledger.tape import NO_DIGEST, Deed, Head, TapeItem, claim_of, shown
from kemps_p2p.runtime.sim import Sim
from kemps_p2p.runtime.simpeer import SimPeer
from kemps_p2p.session.fold import OpenRecord
from kemps_p2p.session.genesis import Founding
from kemps_p2p.session.messages import DeedBody, KeyDeed, ShareDeed, TurnDeed
from kemps_p2p.session.play import Play


class Ending(Enum):
    """What came of a seat that was to cheat."""

    UNSTRUCK = auto()
    """It did not come to it."""
    DETECTED = auto()
    HARMLESS = auto()
    UNDETECTED = auto()


RACES = 2
"""In how many races a deal two seats want the same card, in most seeds."""


@dataclass(frozen=True, slots=True)
class _How:
    """How a kind of cheat is made, by a machine or by a network, and in which phases it can be done.

    `is_on_duty`: by a seat that orders. `may_count`: what it says is lawful, and only too much of it would be
    a gain. `keeps`: it strikes by what it does not say. `is_claimant`: it needs claims of its own that
    others contest. `races`: how many a deal it takes. `look_ms`: the time to look that it needs. `winks`:
    it takes others that wink outside play, when there is little else to claim.
    """

    phases: tuple[Phase, ...]
    cheat: Callable[[Occasion], Cheat] | None = None
    tamper: Callable[[int, Seat, frozenset[int], Occasion], Fork | Withheld] | None = None
    is_on_duty: bool = False
    may_count: bool = False
    keeps: bool = False
    is_claimant: bool = False
    races: int = RACES
    look_ms: int = 0
    winks: bool = False


PLAYED = (Phase.PLAY, Phase.CALL, Phase.BETWEEN)
"""From the start of a deal to that of the next."""
BEGUN = (Phase.SHUFFLE, *PLAYED)
"""While decks are shuffled: the next one, while the cards of one lie."""
ALL = (*BEGUN, Phase.END)
"""Before it, in the lobby, there is no match, and no seat has said anything in one."""


def _entry(change: Callable[..., object]) -> _How:
    return _How((Phase.PLAY,), lambda _at: changed_event(change), is_on_duty=True, races=6)


_OF_DEEDS = ["blame of the honest", "a close before the end", "a note that is none"]
_ENTRIES = {
    Phase.SHUFFLE: [*_OF_DEEDS, "a skipped turn", "other scores", "another dealer"],
    Phase.PLAY: [*_OF_DEEDS, "another result", "no evidence"],
    Phase.CALL: [*_OF_DEEDS, "no evidence"],
    Phase.BETWEEN: ["other scores", "another dealer", "no evidence"],
    Phase.END: _OF_DEEDS,
}
"""Which lies about what an entry orders a phase gives occasion to."""


def _false_entry(at: Occasion) -> Cheat:
    """What an entry orders is false, or the entry itself is."""
    name = at.rng.choice([*_ENTRIES[at.phase], *FRAMES])
    if name in FRAMES:
        change, _ = FRAMES[name]
        return at.timed(Cheat(entry=lambda _play, true: change(true)))
    return at.timed(ENTRIES[name][0])


def _false_share(at: Occasion) -> Cheat:
    change, _ = at.one_of(SHARES)
    return at.timed(false_share(change, 0 if at.phase is Phase.CALL else at.rng.randrange(2)))


def _old_heads(at: Occasion) -> Cheat:
    """In play its own claims; later, when an honest seat claims nothing, one that play would have allowed."""
    if at.phase is Phase.PLAY:
        return CLAIMS["claims against old heads"]
    return at.timed(Cheat(nuisance=late_exchange))


def _held_share(at: Occasion) -> Cheat:
    """In play of cards in the middle, in a call of those that it turns up."""

    def wait(play: Play, deed: DeedBody) -> bool:
        is_wanted = isinstance(deed, ShareDeed) if at.phase is Phase.CALL else keeps_faces(play, deed)
        return is_wanted and not at.has_let_go

    return at.timed(Cheat(wait=wait))


def _passed_over(at: Occasion) -> Cheat:
    """What the next seat wants. Whoever passes it over in play is on duty no longer when the deal ends."""
    return blind_to_the_next() if at.phase is Phase.PLAY else at.timed(blind_to_the_next())


def _silent_witness(at: Occasion) -> Cheat:
    """In play of what can be raced for, later of whatever is claimed."""
    if at.phase is Phase.PLAY:
        return silent_witness()
    return at.timed(Cheat(witness=lambda _play, _owed, _now_ms: ()))


KINDS: dict[str, _How] = {
    "false-turn": _How(BEGUN, lambda at: at.put_off(false_turn(at.one_of(TURNS)[0], at.deal), TurnDeed)),
    "hidden-false-turn": _How(
        BEGUN,
        lambda at: at.put_off(replace(false_turn(at.one_of(TURNS)[0], at.deal), hides=True), TurnDeed),
        is_on_duty=True,
    ),
    "false-key": _How(BEGUN, lambda at: at.put_off(false_key(at.one_of(KEYS)[0], at.deal), KeyDeed)),
    "copied-commitment": _How(BEGUN, lambda at: at.put_off(false_key(copied_commitment, at.deal), KeyDeed)),
    "false-share": _How((Phase.PLAY, Phase.CALL), _false_share),
    "replayed-key": _How(PLAYED, lambda at: at.put_off(replayed(KeyDeed), KeyDeed)),
    "replayed-turn": _How(PLAYED, lambda at: at.put_off(replayed(TurnDeed), TurnDeed)),
    "false-seed": _How((Phase.END,), lambda _at: false_seed()),
    "early-seed": _How(BEGUN, lambda at: at.timed(once_playing(Deed(payload=encode(EARLY_SEED))))),
    "false-seal": _How(BEGUN, lambda at: at.timed(Cheat(nuisance=gesture_sealed_with_noise)), may_count=True),
    "old-heads": _How((*PLAYED, Phase.END), _old_heads, may_count=True),
    "sprayed-claims": _How((Phase.PLAY,), lambda _at: CLAIMS["sprayed claims"], may_count=True),
    "early-claim": _How((Phase.PLAY,), lambda _at: Cheat(nuisance=before_the_start), look_ms=100),
    "nonsense": _How(ALL, lambda at: at.timed(once_playing(*at.one_of(SAID)))),
    "deed-of-no-deal": _How(ALL, lambda at: at.timed(of_no_deal(at.rng.choice(list(OF_NO_DEAL)), after=0))),
    "false-entry": _How(ALL, _false_entry, is_on_duty=True),
    "false-draw": _entry(other_order),
    "false-cut": _entry(cut_of_one),
    "false-order": _How(
        (Phase.PLAY,),
        lambda _at: Cheat(entry=lambda play, true: reordered(play, true) or overtaken(play, true)),
        is_on_duty=True,
        races=16,
    ),
    "pass-over": _How(PLAYED, _passed_over, is_on_duty=True, keeps=True, winks=True),
    "no-coin": _How(
        (Phase.PLAY,), lambda _at: Cheat(keeps_coins=True), keeps=True, is_claimant=True, races=6
    ),
    "false-coin": _How((Phase.PLAY,), lambda _at: Cheat(coin=with_a_later_coin), is_claimant=True, races=6),
    "silent-witness": _How(PLAYED, _silent_witness, keeps=True),
    "held-share": _How((Phase.PLAY, Phase.CALL), _held_share, keeps=True),
    "forked-tape": _How(ALL, tamper=lambda seed, seat, half, at: Fork(seed, seat, at.is_at_table, half)),
    "kept-claims": _How(
        ALL, tamper=lambda _seed, seat, half, _at: Withheld(seat, half, is_claim), winks=True
    ),
    "kept-shares": _How(
        (Phase.PLAY, Phase.CALL), tamper=lambda _seed, seat, half, _at: Withheld(seat, half, is_share)
    ),
}
"""Seats that end their own tape are not among them: what no item is, a stamp that leaps, a receipt of a claim
that nobody made. Whoever does that falls silent, which is a vanished seat and no gain.
"""


class Crook:
    """The cheat of one seed: which kind, which seat, in which phase. For the rest see `_How`."""

    def __init__(self, kind: str, phase: Phase, seed: int, players: int) -> None:
        self.kind = kind
        self._how = how = KINDS[kind]
        self.look_ms, self.races, self.is_claimant = how.look_ms, how.races, how.is_claimant
        self.winks_in = phase if how.winks and phase is not Phase.PLAY else None
        rng = random.Random(f"kemps crook {seed}")
        self._place = rng.randrange(players)
        self._seats = players
        self.occasion = Occasion(phase, rng)
        self._dealer = {Phase.SHUFFLE: 0, Phase.BETWEEN: 0, Phase.END: 1}.get(phase, rng.randrange(2))
        self.network: Fork | Withheld | None = None
        others = [seat for seat in range(players) if seat != self._place]
        half = frozenset(rng.sample(others, rng.randint(1, players // 2)))
        if self._how.tamper is not None:
            self.network = self._how.tamper(seed, Seat(self._place), half, self.occasion)
        make = self._how.cheat
        self._cheat = None if make is None else make(self.occasion)

    def casting(self, seat: Seat, founding: Founding) -> Cheat | None:
        """How a seat cheats, for the machines of the table."""
        return self._cheat if seat == self.seat(founding) else None

    def seat(self, founding: Founding) -> Seat:
        """Who cheats; who orders in the phase, if that is what it takes."""
        if self._how.is_on_duty:
            return Seat((founding.first_dealer + self._dealer) % self._seats)
        return Seat(self._place)

    def strikes(self, play: Play) -> int:
        """How often it has struck; `play`: that of its seat."""
        if isinstance(self.network, Fork):
            return int(self.network.has_forked)
        if self.network is not None:
            return self.network.count
        if not isinstance(play, CheatingPlay):
            return 0
        return len(play.kept_back if self._how.keeps else play.forged)

    def say_again(self, sim: Sim) -> None:
        """What it still owes, though it has said it beside a lie, it says once more."""
        for peer in sim.peers:
            if peer.session.has_begun and isinstance(peer.session.play, CheatingPlay):
                peer.session.play.say_again()

    def ending(self, sim: Sim, records: Sequence[OpenRecord]) -> Ending:
        """What came of it, by what the honest seats hold at the end; `records`: the chain."""
        founding = sim.peers[0].session.play.founding
        seat = self.seat(founding)
        play = sim.peers[seat].session.play
        if not self.strikes(play):
            return Ending.UNSTRUCK
        honest = [peer for other, peer in enumerate(sim.peers) if other != seat]
        if any(fault.culprit == seat for peer in honest for fault in peer.faults):
            return Ending.DETECTED
        items = honest[0].session.play.tapes.by_digest
        events = [(record, event) for record in records for event in record.entry.events]
        if any(isinstance(event, Blamed) and event.culprit == seat for _, event in events):
            return Ending.DETECTED
        forged = set(play.forged) if isinstance(play, CheatingPlay) else set()
        players = self._seats
        gains = (
            not self._how.may_count and any(record.item.digest in forged for record in records),
            not self._how.may_count and any(not forged.isdisjoint(self._taken(event)) for _, event in events),
            took_twice(seat, events),
            self._how.is_claimant and any(won_a_draw(players, seat, event, items) for _, event in events),
            isinstance(self.network, Fork) and _is_forked(seat, honest),
        )
        return Ending.UNDETECTED if any(gains) else Ending.HARMLESS

    def _taken(self, event: object) -> Iterator[Digest]:
        """The items that an event takes at their word; a false coin does nothing to the deeds beside it."""
        if not (self._how.is_claimant and isinstance(event, Carried)):
            yield from _taken(event)


def crook_of(seed: int, players: int) -> Crook | None:
    """Who cheats in a seed: in four of five somebody, each kind in its turn, each time in its next phase."""
    place = seed % 5 - 1
    if place < 0:
        return None
    times, which = divmod(seed // 5 * 4 + place, len(KINDS))
    kind = list(KINDS)[which]
    phases = KINDS[kind].phases
    return Crook(kind, phases[times % len(phases)], seed, players)


def _taken(event: object) -> Iterator[Digest]:
    """The items that an event takes at their word."""
    match event:
        case Carried(item=item):
            yield item
        case Settled(claim=claim, result=Result.OK | Result.WAITING):
            yield claim
        case Drawn(order=order, coins=coins, results=results):
            yield from coins
            yield from (claim for claim, result in zip(order, results, strict=True) if result is Result.OK)
        case Ruled(order=order, results=results):
            yield from (claim for claim, result in zip(order, results, strict=True) if result is Result.OK)
        case _:
            return


def took_twice(seat: Seat, events: Sequence[tuple[OpenRecord, object]]) -> bool:
    """True if two of its exchanges against one head were carried out."""
    heads: Counter[Head] = Counter()
    for record, event in events:
        for name in () if isinstance(event, Carried) else _taken(event):
            item = record.items.get(name)
            claim = None if item is None or item.seat != seat else claim_of(item.item)
            if claim is not None and swap_of(claim) is not None:
                heads[claim.head] += 1
    return max(heads.values(), default=0) > 1


def won_a_draw(players: int, seat: Seat, drawn: object, items: Mapping[Digest, TapeItem]) -> bool:
    """True if a claim of the team of a seat that alone keeps its coin back goes before another's.

    But for what is behind it by causality: whoever claims after it has seen it is second.
    """
    if not isinstance(drawn, Drawn) or drawn.coins.count(NO_DIGEST) != 1:
        return False
    seats = [items[name].seat for name in drawn.order]
    if sorted(set(seats))[drawn.coins.index(NO_DIGEST)] != seat:
        return False
    is_own = [(each - seat) % (players // 2) == 0 for each in seats]
    return any(
        ahead not in _behind(drawn.order[place], drawn.order, items)
        for place, own in enumerate(is_own)
        if not own
        for ahead, is_ahead_own in zip(drawn.order[:place], is_own[:place], strict=True)
        if is_ahead_own
    )


def _behind(claim: Digest, drawn: Sequence[Digest], items: Mapping[Digest, TapeItem]) -> set[Digest]:
    """The claims of a draw that causality puts before one: on its author's tape, or before one that is."""
    found: set[Digest] = set()
    todo = [claim]
    while todo:
        own = items[todo.pop()]
        place = dict(shown(own))[own.digest]
        tape = (item for item in items.values() if item.seat == own.seat)
        seen = {name for item in tape for name, at in shown(item) if at < place}
        fresh = seen.intersection(drawn) - found
        found |= fresh
        todo += fresh
    return found


def _is_forked(seat: Seat, honest: Sequence[SimPeer]) -> bool:
    """True if honest seats hold different items at one number of its tape."""
    held: dict[int, Digest] = {}
    for peer in honest:
        for item in peer.session.play.tapes.of(seat):
            if held.setdefault(item.item.number, item.digest) != item.digest:
                return True
    return False
