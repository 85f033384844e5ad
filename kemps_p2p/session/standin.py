"""A stand-in: a program that somebody at the table offers to run for an absent seat until its player is back.

Pure. Knows nothing of whether the table agrees. Invariant:

1. An offer has two signatures, of the player that makes it and of the program that is offered.

Section "Stand-ins" of protocol.md.
"""

from dataclasses import dataclass

from kemps_p2p.codec import Digest, Record, decode, encode
from kemps_p2p.errors import Fault, PeerFault
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.identity import Identity, verify
from kemps_p2p.ledger.sitting import Sitting, read_sitting, sitting_digest, sitting_in
from kemps_p2p.session.match import Match
from kemps_p2p.session.messages import Offer, Plea

OFFER_LABEL = "kemps/v1/offer"
OFFER_BYTES_MAX = 1024
"""More than any offer has."""
CURVE_BYTES = 32


class StandIn(Record, frozen=True):
    """Who offers it, the CURVE key of its process, and its sitting with the signature under that."""

    by: int
    curve: bytes
    raw: bytes
    signature: bytes


@dataclass(frozen=True, slots=True)
class ReadOffer:
    """An offer that has been read: `seat` is to be held by a program of `by`, as this incarnation.

    `name`: what the table agrees to. `plea`, `offer`: as they are sent.
    """

    seat: Seat
    by: Seat
    incarnation: int
    key: bytes
    curve: bytes
    name: Digest
    plea: Plea
    offer: Offer


def sign_offer(owner: Identity, program: Identity, said: StandIn) -> Offer:
    """Offer a program; it signs as well, so that nobody can offer it with another CURVE key."""
    raw = encode(said)
    own = program.sign(OFFER_LABEL, raw)
    return Offer(raw=raw, signature=owner.sign(OFFER_LABEL, raw), own=own)


def offered_sitting(offer: Offer) -> Sitting:
    """What an offer says of whom it is for, unverified. Raises `PeerFault` without a culprit."""
    return sitting_in(_said(offer).raw)


def _said(offer: Offer) -> StandIn:
    if len(offer.raw) > OFFER_BYTES_MAX:
        raise PeerFault(Fault.TOO_LARGE, "an offer is too large")
    return decode(offer.raw, StandIn)


def read_offer(offer: Offer, match: Match) -> ReadOffer:
    """What a seat has offered. Raises `PeerFault` without a culprit, since anybody may pass it on."""
    said = _said(offer)
    if len(said.curve) != CURVE_BYTES:
        raise PeerFault(Fault.MALFORMED, "an offer whose CURVE key is none")
    sitting = read_sitting(said.raw, said.signature, match.founding.match)
    if not (0 <= sitting.seat < match.seats and 0 <= said.by < match.seats and said.by != sitting.seat):
        raise PeerFault(Fault.WRONG_SEAT, "an offer of a seat, or for one, that is not there")
    verify(sitting.key, OFFER_LABEL, offer.raw, offer.own)
    # That of its player, who may have left since: a program that has stood in there speaks for nobody.
    verify(match.founding.keys[said.by], OFFER_LABEL, offer.raw, offer.signature)
    return ReadOffer(
        seat=Seat(sitting.seat),
        by=Seat(said.by),
        incarnation=sitting.incarnation,
        key=sitting.key,
        curve=said.curve,
        name=sitting_digest(said.raw),
        plea=Plea(raw=said.raw, signature=said.signature),
        offer=offer,
    )


def is_held(match: Match, seat: int) -> bool:
    """True while another key than that of its player sits at a seat."""
    return match.signers[seat][-1].key != match.founding.keys[seat]


def annex_keys(match: Match, tape: int) -> tuple[bytes, ...]:
    """The keys under which a log of this tape may be closed: who sits at the end, and whose seat it is.

    What makes the log complete is signed by others, so a player who looks on has it as well as who sits.
    """
    return match.founding.keys[tape], match.signers[tape][-1].key
