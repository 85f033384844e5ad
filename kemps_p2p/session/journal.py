"""The journal as a peer reads it again: what the table agreed on, and every item of every tape.

Knows no match: what the items come to is folded elsewhere. Invariants:

1. The first object is the signed genesis, the second what the peer needs of its lobby; all others are items.
2. Nothing in it is secret: that lies in a file of its own.

Section "Journal and log" of protocol.md.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from kemps_p2p.codec import Record, decode
from kemps_p2p.errors import Fault, PeerFault, RuntimeFault
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.entry import Seated
from kemps_p2p.ledger.identity import Identity
from kemps_p2p.ledger.sitting import read_sitting
from kemps_p2p.ledger.tape import Item, Signed, Signer, TapeItem, open_item
from kemps_p2p.session.genesis import Founding, SignedGenesis, check_signatures, found, name_commitment
from kemps_p2p.session.lobby import Setup
from kemps_p2p.session.tapecheck import readable_entry

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
        keys = _Keys(founding)
        for place in range(_HEADING, len(objects)):
            items.append(keys.opened(decode(objects[place], Signed)))
    except PeerFault as fault:
        raise RuntimeFault(f"object {place} of the journal: {fault}") from None
    return Journal(signed, founding, remembered, tuple(items))


class _Keys:
    """By which keys the items of a journal are signed: as its entries name them, whatever comes of those.

    The journal is the own one: each item in it was opened with the right key before it was written.
    """

    def __init__(self, founding: Founding) -> None:
        self._founding = founding
        self._named: dict[tuple[int, int], list[bytes]] = {}

    def opened(self, signed: Signed) -> TapeItem:
        """Open an item of any incarnation. Raises `PeerFault`."""
        match, signers = self._founding.match, self._founding.signers
        try:
            item = open_item(signed, match, signers)
        except PeerFault as fault:
            if fault.code is not Fault.OTHER_INCARNATION:
                raise
            item = self._of_later(signed, fault)
        entry = readable_entry(item)
        for event in () if entry is None else entry.events:
            if isinstance(event, Seated):
                with suppress(PeerFault):
                    sitting = read_sitting(event.raw, event.signature, match)
                    self._named.setdefault((sitting.seat, sitting.incarnation), []).append(sitting.key)
        return item

    def _of_later(self, signed: Signed, fault: PeerFault) -> TapeItem:
        said = decode(signed.raw, Item)
        for key in self._named.get((said.seat, said.incarnation), ()):
            known = (Signer(0, key),) * (said.incarnation + 1)
            with suppress(PeerFault):
                return open_item(signed, self._founding.match, (known,) * (said.seat + 1))
        raise fault


def setup_from(journal: Journal, identity: Identity, secret: bytes, stands_in: Seat | None = None) -> Setup:
    """What this peer brought to the table; `stands_in`: for whom, if it did not come with the others.

    Raises `RuntimeFault` for an identity that took no part.
    """
    founding = journal.founding
    if stands_in is None and identity.public not in founding.keys:
        raise RuntimeFault("the journal is of a match that another identity played")
    seat = Seat(founding.keys.index(identity.public)) if stands_in is None else stands_in
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
