"""The journal as a peer reads it again: what the table agreed on, and every item of every tape.

Knows no match: what the items come to is folded elsewhere. Invariants:

1. The first object is the signed genesis, the second what the peer needs of its lobby; all others are items.
2. Nothing in it is secret: that lies in a file of its own.

Section "Journal and log" of protocol.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from kemps_p2p.codec import Record, decode
from kemps_p2p.errors import PeerFault, RuntimeFault
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.identity import Identity
from kemps_p2p.ledger.tape import Signed, TapeItem, open_item
from kemps_p2p.session.genesis import Founding, SignedGenesis, check_signatures, found, name_commitment
from kemps_p2p.session.lobby import Setup

_HEADING = 2
"""The objects before the first item."""


class Remembered(Record, frozen=True, tag=2):
    """What the genesis does not say of a table, and its peers need again.

    `meeting`: see `Setup`. `wall_ms`: when the match began by the own clock. `names`: with salts, by tape.
    """

    meeting: bytes
    wall_ms: int
    names: tuple[tuple[str, bytes], ...]


@dataclass(frozen=True, slots=True)
class Journal:
    """What a journal holds, checked: signatures, and names against the genesis."""

    signed: SignedGenesis
    founding: Founding
    remembered: Remembered
    items: tuple[TapeItem, ...]


def has_begun(objects: Sequence[bytes]) -> bool:
    """True if a journal goes as far as the beginning of its match; before that, nothing was said in one."""
    return len(objects) >= _HEADING


def read_journal(objects: Sequence[bytes]) -> Journal:
    """Read the objects of a journal. Raises `RuntimeFault` with the place of the first that is wrong."""
    if not has_begun(objects):
        raise RuntimeFault("the journal ends before its match began")
    place = 0
    try:
        signed = decode(objects[0], SignedGenesis)
        founding = found(signed.raw)
        check_signatures(founding, signed.signatures)
        place = 1
        remembered = decode(objects[1], Remembered)
        records = founding.genesis.people
        names = [name_commitment(salt, name) for name, salt in remembered.names]
        if names != [record.name for record in records]:
            raise RuntimeFault("object 1 of the journal: names that are not those of the genesis")
        items = []
        for place in range(_HEADING, len(objects)):
            items.append(open_item(decode(objects[place], Signed), founding.match, founding.keys))
    except PeerFault as fault:
        raise RuntimeFault(f"object {place} of the journal: {fault}") from None
    return Journal(signed, founding, remembered, tuple(items))


def setup_from(journal: Journal, identity: Identity, secret: bytes) -> Setup:
    """What this peer brought to the table. Raises `RuntimeFault` for an identity that took no part."""
    founding = journal.founding
    if identity.public not in founding.keys:
        raise RuntimeFault("the journal is of a match that another identity played")
    seat = Seat(founding.keys.index(identity.public))
    return Setup(
        identity=identity,
        seat=seat,
        roster=founding.keys[: founding.seats],
        meeting=journal.remembered.meeting,
        name=journal.remembered.names[seat][0],
        rules=founding.rules,
        group=founding.genesis.group,
        secret=secret,
        previous=founding.genesis.previous,
        matches=founding.genesis.matches,
        observer=None if founding.observer is None else founding.keys[founding.observer],
    )
