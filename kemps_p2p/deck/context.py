"""Which deal, round, seat and stage a proof or a secret belongs to.

Knows no message and no list of cards. Invariants:

1. Every transcript starts with the whole context, so that no proof passes for another match, deal, attempt,
   round, seat, stage or group.
2. Every secret is a hash of a seed, a label, and a binding that depends on the whole context and on all that
   the secret will meet: no secret meets a second input.

Section "Blind deck" of protocol.md.
"""

from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from hashlib import sha512

from kemps_p2p.codec import Digest, Transcript, lead, tagged_hash
from kemps_p2p.deck.group import Group, wide_scalar
from kemps_p2p.errors import Fault, PeerFault
from kemps_p2p.ids import Seat

VERSION = 1
NUMBER_BYTES = 8
SEED_BYTES = 32


class Stage(Enum):
    """What in the course of a deal a seat proves."""

    KEY = "key"
    TURN = "turn"
    SHARES = "shares"


def number(value: int) -> bytes:
    """Return the form in which hashes and transcripts take a small number."""
    return value.to_bytes(NUMBER_BYTES, "big")


@dataclass(frozen=True, slots=True)
class Table:
    """One deal of one match: what all its seats agree on before the first key."""

    group: Group
    match: bytes
    deal: int
    attempt: int
    seats: int

    def parts(self) -> tuple[bytes, ...]:
        """What hashes and transcripts take of it."""
        return (
            number(VERSION),
            self.group.name.encode(),
            self.match,
            number(self.deal),
            number(self.attempt),
            number(self.seats),
        )


def check_seat(table: Table, seat: Seat) -> None:
    """Refuse a seat that the table does not have. Raises `PeerFault` WRONG_SEAT, without a culprit."""
    if not 0 <= seat < table.seats:
        raise PeerFault(Fault.WRONG_SEAT, f"no seat {seat} at this table")


@dataclass(frozen=True, slots=True)
class Context:
    """A seat's stage in one round of a deal."""

    table: Table
    round: int
    seat: Seat
    stage: Stage

    def parts(self) -> tuple[bytes, ...]:
        """What hashes and transcripts take of it."""
        stage = self.stage.value.encode()
        return (*self.table.parts(), number(self.round), number(self.seat), stage)

    def transcript(self) -> Transcript:
        """Start a transcript that every proof of this stage continues."""
        transcript = Transcript(f"kemps/v1/deck/{self.stage.value}")
        transcript.append("context", *self.parts())
        return transcript

    def digest(self, label: str, *parts: bytes) -> Digest:
        """Hash parts of the stage together with the whole context."""
        return tagged_hash(f"kemps/v1/deck/{self.stage.value}/{label}", *self.parts(), *parts)


@lru_cache(maxsize=8)
def _secret_lead(label: str, seed: bytes, binding: bytes) -> bytes:
    """What `derive` hashes for the secrets of one label and binding, up to their number."""
    return lead(f"kemps/v1/deck/secret/{label}", seed, binding, last_bytes=NUMBER_BYTES)


@dataclass(frozen=True, slots=True, repr=False)
class Secrets:
    """What a seat derives from its deal seed for one binding: a digest or challenge of all that it meets."""

    seed: bytes
    binding: bytes

    def block(self, label: str, index: int) -> bytes:
        """64 bytes that only the holder of the seed can tell from noise."""
        return sha512(_secret_lead(label, self.seed, self.binding) + number(index)).digest()

    def scalar(self, label: str, index: int = 0) -> int:
        """One secret scalar, not zero."""
        return wide_scalar(self.block(label, index))

    def scalars(self, label: str, count: int) -> tuple[int, ...]:
        """`count` independent secret scalars."""
        return tuple(self.scalar(label, index) for index in range(count))


def nonces(seed: bytes, transcript: Transcript) -> Secrets:
    """Secrets for a proof: bound to all that its transcript has absorbed so far, which does not change."""
    return Secrets(seed, transcript.fork().challenge("nonces"))
