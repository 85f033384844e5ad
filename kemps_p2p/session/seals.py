"""What seals a gesture: whether its player meant it, or the seat's program made it to mean nothing.

The seal is a hash with the deal seed in it, so nobody sees which of the two it is before the seeds are open,
and everybody does after that. Knows no gesture by name. Invariants:

1. A seal fits one item of one seat in one deal: no other can show it as its own, and two of one seat differ.
2. A seed opens each of its seat's seals to one intent, or it is as false as one that makes another turn.

Section "Seals of gestures" of protocol.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from msgspec.structs import replace

from kemps_p2p.codec import Digest, tagged_hash
from kemps_p2p.deck.context import number
from kemps_p2p.errors import Fault, PeerFault
from kemps_p2p.game.actions import Gesture
from kemps_p2p.game.gestures import Intent
from kemps_p2p.ids import Seat
from kemps_p2p.session.match import ATTEMPT, Match, SealedGesture, attempt_of, is_over

SEAL_LABEL = "kemps/v1/gesture"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a gesture is made: the deal of the head it cites (0 before the first), and its item."""

    match: Digest
    deal: int
    seat: Seat
    number: int

    def seal(self, seed: bytes, intent: Intent) -> Digest:
        """The seal of a gesture made here. `seed`: of the seat in this deal."""
        parts = self.match, number(self.deal), number(self.seat), number(self.number)
        return tagged_hash(SEAL_LABEL, *parts, seed, intent.value.encode())

    def intent(self, seed: bytes, seal: bytes) -> Intent | None:
        """What a seal made here says; None if the seed does not open it."""
        return next((intent for intent in Intent if self.seal(seed, intent) == seal), None)


def deal_of_gestures(match: Match) -> int:
    """The deal whose seeds seal the gestures of now: the running one, or the first before it has started."""
    return max(match.game.deal, 0)


def with_gesture(match: Match, seat: Seat, item_number: int, gesture: Gesture) -> Match:
    """Note a lawful gesture of an entry. After the match is over none counts: seeds may be open already.

    Nor does one before the first deal at a table where a seat was given to a new incarnation before it: that
    deal is shuffled anew then, with other seeds. Nor one of a new incarnation behind a deal that another had
    a part in, whose seeds it does not know.
    """
    place = deal_of_gestures(match), seat
    is_others = attempt_of(match, place[0]) < match.seated.get(seat, ATTEMPT)
    if is_over(match) or is_others or (match.game.deal < 0 and match.attempt > 0):
        return match
    noted = (*match.gestures.get(place, ()), SealedGesture(item_number, gesture.seal))
    return replace(match, gestures={**match.gestures, place: noted})


Seals: TypeAlias = tuple[tuple[Place, bytes], ...]
"""Where gestures were made, and their seals."""


def seals_of(match: Match, deal: int, seat: Seat) -> Seals:
    """All seals of a seat in a deal."""
    gestures = match.gestures.get((deal, seat), ())
    return tuple((Place(match.founding.match, deal, seat, each.number), each.seal) for each in gestures)


def check_seals(seals: Seals, seat: Seat, seed: bytes) -> None:
    """Raise `PeerFault` BAD_SEAL, the seat's own fault, if its seed does not open all its seals of a deal."""
    for place, seal in seals:
        if place.intent(seed, seal) is None:
            raise PeerFault(Fault.BAD_SEAL, "the seed opens a seal to nothing", culprit=seat)


def opened_intents(match: Match) -> Mapping[tuple[Seat, int], Intent]:
    """By seat and number of the item: what each gesture was made for, as far as seeds are open."""
    found: dict[tuple[Seat, int], Intent] = {}
    for (deal, seat), gestures in match.gestures.items():
        seed = match.seeds.get(deal, {}).get(seat)
        if not seed:
            continue
        for sealed in gestures:
            intent = Place(match.founding.match, deal, seat, sealed.number).intent(seed, sealed.seal)
            assert intent is not None, "the fold takes no seed that does not open every seal"
            found[seat, sealed.number] = intent
    return found
