"""Back at a running match without any file of it: the host shows how it began, and where the others are.

Whoever comes again with the same identity and the same code has the same CURVE keys, so that all peers of the
table let it in. Its seat it gets as a new incarnation. Invariants:

1. The host proves nothing of its own: the genesis has the signatures of all, the own one among them.
2. Only to who is of the table by both its keys anything is shown.

Section "Joining" of protocol.md.
"""

from collections.abc import Sequence
from pathlib import Path

from kemps_p2p.codec import derive, encode
from kemps_p2p.errors import NotSeated, RuntimeFault, Unwelcome
from kemps_p2p.ledger.identity import Identity
from kemps_p2p.runtime.guests import Again, Guest
from kemps_p2p.runtime.links import is_address
from kemps_p2p.runtime.meeting import Table, meeting_digest
from kemps_p2p.runtime.profile import new_match_files
from kemps_p2p.runtime.store import AppendFile, split_objects
from kemps_p2p.runtime.wayback import Came, Unfinished, WayBack, logged_of
from kemps_p2p.runtime.zap import KEY_BYTES, CurveKeys, PublicKey
from kemps_p2p.session.journal import Journal, has_begun, read_journal, setup_from
from kemps_p2p.wording.words import Code

CURVE_LABEL = "kemps/v1/curve"


def curve_keys(identity: Identity, code: Code) -> CurveKeys:
    """The CURVE keys of an identity at the table with this code: known to nobody else, and found again."""
    secret = derive(CURVE_LABEL, identity.sign(CURVE_LABEL, code.password))
    return CurveKeys.derived(secret[:KEY_BYTES])


# The host's side


def shown_to_who_comes_again(journal: Path, table: Table) -> Again | None:
    """What a host shows of a match whose journal it has begun; None before that."""
    objects = split_objects(journal.read_bytes()).objects
    if not has_begun(objects):
        return None
    addresses = tuple(table.addresses[curve] for curve in table.curves)
    return Again(genesis=objects[0], remembered=objects[1], curves=table.curves, addresses=addresses)


def is_of_table(guest: Guest, again: Again) -> bool:
    """True if a guest sits at the table already, by its identity and its CURVE key."""
    founding = read_journal((again.genesis, again.remembered)).founding
    seats = zip(founding.keys[: founding.seats], again.curves, strict=False)
    return (guest.contact.identity, guest.contact.curve) in seats


# The side that comes


def read_again(again: Again, identity: Identity, own: PublicKey) -> tuple[Journal, Table]:
    """What a host has shown, checked. Raises `NotSeated` BAD_WORDS if it is no match of ours."""
    try:
        journal = read_journal((again.genesis, again.remembered))
    except RuntimeFault as fault:
        raise NotSeated(Unwelcome.BAD_WORDS, f"a match that cannot be read: {fault}") from None
    founding, curves = journal.founding, tuple(map(PublicKey, again.curves))
    # A rematch has no observer, though its peers may have met with one.
    fits = len(curves) == len(set(curves)) == len(again.addresses) and 0 <= len(curves) - founding.tapes <= 1
    fits = fits and all(len(curve) == KEY_BYTES for curve in curves) and all(map(is_address, again.addresses))
    fits = fits and meeting_digest(curves) == journal.remembered.meeting
    if not fits or (identity.public, own) not in zip(founding.keys[: founding.seats], curves, strict=False):
        raise NotSeated(Unwelcome.BAD_WORDS, "a match of others")
    observer = None if founding.observer is None else founding.keys[founding.observer]
    addresses = dict(zip(curves, again.addresses, strict=True))
    return journal, Table(founding.keys[: founding.seats], curves, addresses, observer)


def begun_again(
    home: Path, logs: Path, identity: Identity, came: tuple[Journal, Table], way_back: WayBack
) -> Unfinished:
    """Make the files of the match anew, with a fresh secret. Raises `RuntimeFault`."""
    journal, table = came
    files = new_match_files(home)
    setup = setup_from(journal, identity, files.secret)
    way_back.keep(files, setup, table, logs, Came.ANEW)
    assert way_back.kept is not None, "just kept"
    _write(files.journal, (encode(journal.signed), encode(journal.remembered)))
    logged = logged_of(logs, journal.founding.match.hex(), setup)
    return Unfinished(files, way_back.kept[1], setup, journal, logged, 0)


def _write(path: Path, objects: Sequence[bytes]) -> None:
    file = AppendFile.open(path)
    try:
        file.append(b"".join(objects))
    finally:
        file.close()
