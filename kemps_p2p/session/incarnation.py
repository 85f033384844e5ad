"""An absent seat that is given to a new incarnation of its player, or to another one: for the fold.

Whoever lost its files, or never had them, cannot go on where the seat stood: it begins with other secrets.
Invariants:

1. A seat is given only while it is absent, by the words of a quorum of others who all hold the same of its
   tape: that is where the old incarnation ends, and what it says behind that counts nowhere.
2. No deck outlives it that the old incarnation has a secret part in: the coming deal is shuffled anew, with
   other secrets of everybody.

Section "New incarnations" of protocol.md.
"""

from msgspec.structs import replace

from kemps_p2p.codec import DIGEST_BYTES
from kemps_p2p.errors import Fault, PeerFault
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.entry import Seated, TapeEnd
from kemps_p2p.ledger.sitting import Sitting, read_sitting, sitting_digest
from kemps_p2p.ledger.tape import NO_DIGEST, Agreed, Signer
from kemps_p2p.session.absence import common_words
from kemps_p2p.session.fold import Fold
from kemps_p2p.session.match import Match, is_over


def may_sit(match: Match, sitting: Sitting) -> bool:
    """True if the seat is to be had by this incarnation, with a key that nobody else at the table has."""
    seat = Seat(sitting.seat)
    if seat not in match.absent or is_over(match):
        return False
    others = (signer.key for tape, known in enumerate(match.signers) if tape != seat for signer in known)
    return sitting.incarnation == len(match.signers[seat]) and sitting.key not in others


def seated(fold: Fold, event: Seated) -> None:
    """Fold a seat that is given to a new incarnation."""
    match = fold.match
    try:
        sitting = read_sitting(event.raw, event.signature, match.founding.match)
    except PeerFault as fault:
        raise fold.fault(Fault.BAD_EVIDENCE, f"no sitting: {fault.text}") from None
    if not may_sit(match, sitting):
        raise fold.fault(Fault.BAD_ENTRY, f"seat {sitting.seat} cannot be given to this incarnation")
    seat, end = Seat(sitting.seat), event.end
    if not _is_end(match, seat, end):
        raise fold.fault(Fault.BAD_EVIDENCE, "a tape is closed where it cannot end")
    agreed = Agreed(seat=seat, sitting=sitting_digest(event.raw), length=end.length, last=end.last)
    if agreed not in common_words(fold, seat, event.words):
        raise fold.fault(Fault.BAD_EVIDENCE, "a seat is given by words that do not agree to it")
    _give(fold, seat, Signer(end.length, sitting.key), sitting.coin)
    stamp = max(fold.items[name].item.lamport for name in event.words)
    fold.match = replace(fold.match, given={**fold.match.given, seat: stamp})


def _is_end(match: Match, seat: Seat, end: TapeEnd) -> bool:
    is_link = len(end.last) == DIGEST_BYTES and (end.length == 0) == (end.last == NO_DIGEST)
    return is_link and end.length >= match.signers[seat][-1].first


def _give(fold: Fold, seat: Seat, signer: Signer, coin: bytes) -> None:
    match = fold.match
    signers = (*match.signers[:seat], (*match.signers[seat], signer), *match.signers[seat + 1 :])
    match = replace(
        match,
        signers=signers,
        coins=(*match.coins[:seat], coin, *match.coins[seat + 1 :]),
        absent={other: index for other, index in match.absent.items() if other != seat},
        decks={place: deck for place, deck in match.decks.items() if place[0] != match.coming_deal},
        turned={place: name for place, name in match.turned.items() if place[0] != match.coming_deal},
        # Before the first deal they are sealed with the seeds of its first attempt, which nobody opens now.
        gestures=match.gestures if match.game.deal >= 0 else {},
    )
    fold.match = replace(match, seated={**match.seated, seat: match.attempt})
