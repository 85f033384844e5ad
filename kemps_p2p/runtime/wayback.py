"""What a peer keeps of a running match to take its seat again: where it sat, and by which keys it is known.

Knows files, no sockets. Invariants:

1. All of it is on disk before anything is sent, in a file for its owner only, since a CURVE key is in it.
2. It is gone once the match has ended, so that what is left belongs to a match that has not.

Section "Journal and log" of protocol.md.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

from msgspec.structs import replace

from kemps_p2p.codec import Digest, Record, decode, encode, frame
from kemps_p2p.errors import PeerFault, Refused, RuntimeFault
from kemps_p2p.game.rules import canonical_text, read_rules
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.identity import Identity
from kemps_p2p.runtime.files import file_fault
from kemps_p2p.runtime.meeting import Table, meeting_digest
from kemps_p2p.runtime.profile import MatchFiles, kept_match_files, own_identity
from kemps_p2p.runtime.store import AppendFile, SecretFile
from kemps_p2p.runtime.zap import CurveKeys, PublicKey
from kemps_p2p.session.genesis import SignedGenesis, found
from kemps_p2p.session.journal import Journal, has_begun, read_journal, setup_from
from kemps_p2p.session.lobby import Lobby, Setup
from kemps_p2p.session.logfile import ANNEX_LEAD
from kemps_p2p.session.messages import Moved

SEAT_VERSION = 2
_HEADING_BYTES = 64 * 1024
"""What a journal begins with is well within this."""


class Came(IntEnum):
    """How a peer has come to its seat."""

    FROM_THE_LOBBY = 0
    ANEW = 1
    """It asked for the seat without its files, so that its secret is in no genesis."""
    STANDING_IN = 2
    """It stands in for the player of the seat, as another at the table has offered."""


class KeptSeat(Record, frozen=True):
    """`bind`: where this peer listened. `curves`, `addresses`: of all peers, by tape. `logs`: a directory.

    `moved`: what peers have told since about where they listen. The rest is what this peer brings to
    the lobby, see `Setup`; `observer` is empty if there is none.
    """

    version: int
    public: bytes
    secret: bytes
    bind: str
    curves: tuple[bytes, ...]
    addresses: tuple[str, ...]
    logs: str
    roster: tuple[bytes, ...]
    observer: bytes
    name: str
    rules: str
    group: str
    previous: bytes
    matches: int
    moved: tuple[Moved, ...] = ()
    came: Came = Came.FROM_THE_LOBBY


@dataclass(slots=True)
class WayBack:
    """How the others reach this process, as its sockets have it. `address`: where it listens.

    `kept`: what is on disk for the match that is on, and where.
    """

    keys: CurveKeys
    address: str
    kept: tuple[SecretFile, KeptSeat] | None = None

    def keep(
        self, files: MatchFiles, setup: Setup, table: Table, logs: Path, came: Came = Came.FROM_THE_LOBBY
    ) -> None:
        """Write it down for a match that is about to begin, or for a seat anew. Raises `RuntimeFault`."""
        kept = KeptSeat(
            version=SEAT_VERSION,
            public=self.keys.public,
            secret=self.keys.secret,
            bind=self.address,
            curves=table.curves,
            addresses=tuple(table.addresses[curve] for curve in table.curves),
            logs=str(logs.absolute()),
            moved=() if self.kept is None else self.kept[1].moved,
            roster=setup.roster,
            observer=setup.observer or b"",
            name=setup.name,
            rules=canonical_text(setup.rules),
            group=setup.group,
            previous=setup.previous,
            matches=setup.matches,
            came=came,
        )
        self.kept = SecretFile(files.seat), kept
        self.kept[0].write(encode(kept))

    @property
    def journal(self) -> Path:
        """Where the journal of the match lies that is kept."""
        assert self.kept is not None, "asked before there was a match"
        return MatchFiles(self.kept[0].path.parent, b"").journal

    def come_back(self, found: "Unfinished") -> None:
        """Go on with what was kept before a crash. Raises `RuntimeFault`."""
        self.kept = SecretFile(found.files.seat), replace(found.kept, bind=self.address)
        self.kept[0].replace(encode(self.kept[1]))

    def moved(self, moved: tuple[Moved, ...]) -> None:
        """Keep what is known of who has moved, as long as there is a match to come back to.

        Raises `RuntimeFault`.
        """
        if self.kept is None:
            return
        file, kept = self.kept
        self.kept = file, replace(kept, moved=moved)
        if file.path.exists():
            file.replace(encode(self.kept[1]))


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A match that an earlier run has not finished. `logged`: what is in its log.

    `journal`: None if the match had not begun, or its journal is gone: the lobby is to be gone through once
    more. If the others have begun, they tell there how, and then what this seat had said.
    `torn_bytes`: so much of an unfinished last object was cut off the journal and the log.
    """

    files: MatchFiles
    kept: KeptSeat
    setup: Setup
    journal: Journal | None
    logged: tuple[bytes, ...]
    torn_bytes: int

    @property
    def keys(self) -> CurveKeys:
        """The keys by which the others know this peer."""
        return CurveKeys(PublicKey(self.kept.public), self.kept.secret)

    @property
    def names(self) -> tuple[str, ...]:
        """Who plays, by seat; nobody is known by name before the match has begun."""
        return () if self.journal is None else _names(self.journal, self.setup)

    @property
    def logs(self) -> Path:
        """Where the log lies."""
        return Path(self.kept.logs)

    def table(self) -> Table:
        """Who sits where, and how to reach each."""
        curves = tuple(map(PublicKey, self.kept.curves))
        # A rematch has no observer, though its peers may have met with one.
        addresses = dict(zip(curves, self.kept.addresses, strict=True))
        seat, roster = self.setup.seat, self.setup.roster
        if seat < len(roster):
            # Who stands in signs with another key than the player.
            roster = (*roster[:seat], self.setup.identity.public, *roster[seat + 1 :])
        return Table(roster, curves, addresses, self.setup.observer)


def log_name(match: str, seat: Seat, players: int) -> str:
    """What the log of a match is called, by the match id in hexadecimal digits."""
    keeper = f"seat{seat}" if seat < players else "observer"
    return f"{match[:16]}-{keeper}.kemps"


@dataclass(frozen=True, slots=True)
class Left:
    """A match that has not ended, as one tells it from others. `at_s`: when it was last written to.

    `match`: None for one that had not begun; then the names are not known either. `torn_bytes`: see
    `Unfinished`.
    """

    files: MatchFiles
    kept: KeptSeat
    match: str | None
    names: tuple[str, ...]
    seat: Seat
    at_s: float
    torn_bytes: int = 0

    @property
    def log(self) -> Path | None:
        """Where its log lies, if it had begun."""
        if self.match is None:
            return None
        return Path(self.kept.logs) / log_name(self.match, self.seat, len(self.names))


@dataclass(frozen=True, slots=True)
class Begun:
    """A match that was begun with a home: who plays, by seat, and whether there is a way back to it."""

    names: tuple[str, ...]
    has_way_back: bool


Choose = Callable[[tuple[Left, ...]], Left]
"""Asks which of several matches is meant, the last one first."""


def last_left(left: tuple[Left, ...]) -> Left:
    """The one that was played last."""
    return left[0]


def unfinished(
    home: Path, identity: Identity, which: str | None = None, choose: Choose = last_left
) -> Unfinished:
    """The match of this home that has not ended; of several the one whose id or log is told, or is chosen.

    Raises `Refused` if there is none or the one that was told has ended, `RuntimeFault` if its files do not
    hold.
    """
    wanted = None if which is None else _match_told(which)
    if which is not None and wanted is None:
        raise Refused(f"{which} is no match id of 8 hexadecimal digits or more, and no log by its name")
    left, has_ended, torn_off = _left(home, identity, wanted)
    if not left and wanted is not None:
        raise Refused(f"the match {which} has ended" if has_ended else f"{home} has no match {which}")
    if not left and torn_off is not None:
        raise RuntimeFault(f"{torn_off.journal} is gone; come back by the code of the table, with kemps join")
    if not left:
        why = "all its matches have ended" if has_ended else "no match was begun with it"
        raise Refused(f"there is nothing to come back to in {home}: {why}")
    return _opened(left[0] if len(left) == 1 else choose(tuple(left)), identity)


def left_since(home: Path, since_s: float) -> Left | None:
    """The match of this home that has begun, has not ended, and was last written to, not before `since_s`.

    For a home that nobody plays with now. Raises `RuntimeFault`.
    """
    left, *_ = _left(home, own_identity(home), None)
    return next((each for each in left if each.match is not None and each.at_s >= since_s), None)


def begun_matches(home: Path) -> dict[str, Begun]:
    """The matches that were begun with a home, by their ids in hexadecimal digits; nothing is written to it.

    Whose journal does not hold is passed over. Raises `RuntimeFault` if a file cannot be read.
    """
    found: dict[str, Begun] = {}
    for files in _begun(home):
        try:
            heading = read_journal(start_of(files.journal))
        except RuntimeFault:
            continue
        names = tuple(name for name, _ in heading.remembered.names[: heading.founding.seats])
        found[heading.founding.match.hex()] = Begun(names, files.seat.exists())
    return found


def _left(home: Path, identity: Identity, wanted: str | None) -> tuple[list[Left], bool, MatchFiles | None]:
    """The matches that have not ended, the last one first, and whether one has.

    `wanted`: what their ids begin with. Last: the files of one that lacks the journal of a seat taken anew.
    """
    left: list[Left] = []
    has_ended, torn_off = False, None
    for files in _begun(home):
        opened, torn_bytes = _objects(files.journal)
        if not has_begun(opened):
            kept = _kept(files)
            if kept is None:
                continue
            if kept.came is not Came.FROM_THE_LOBBY:
                torn_off = torn_off or files
                continue
            setup = _setup_kept(files, kept, identity)
            match, logged = _logged_before(kept, setup)
            # A lobby that was left before another match is not missed by anybody.
            if not match.startswith(wanted or "") or (left and not match):
                continue
            if _is_complete(logged):
                has_ended = True
            else:
                left.append(Left(files, kept, None, (), setup.seat, _at_s(files)))
            continue
        # The genesis is enough to know the match; the rest may be long.
        heading = read_journal(opened[:2])
        match = heading.founding.match.hex()
        if wanted is not None and not match.startswith(wanted):
            continue
        kept = _kept(files)
        if kept is None:
            has_ended = True
            continue
        setup = _setup_begun(heading, kept, identity, files.secret)
        names = _names(heading, setup)
        logged, torn_log_bytes = _objects(Path(kept.logs) / log_name(match, setup.seat, len(names)))
        if _is_complete(logged):
            has_ended = True
            continue
        torn_bytes += torn_log_bytes
        left.append(Left(files, kept, match, names, setup.seat, _at_s(files), torn_bytes))
    return left, has_ended, torn_off


def _opened(left: Left, identity: Identity) -> Unfinished:
    if left.match is None:
        # What of its beginning was written has to be written once more.
        left.files.journal.unlink(missing_ok=True)
        setup = _setup_kept(left.files, left.kept, identity)
        _, logged = _logged_before(left.kept, setup)
        return Unfinished(left.files, left.kept, setup, None, logged, 0)
    opened, _ = _objects(left.files.journal)
    journal = read_journal(opened)
    setup = _setup_begun(journal, left.kept, identity, left.files.secret)
    logged = logged_of(Path(left.kept.logs), left.match, setup)
    return Unfinished(left.files, left.kept, setup, journal, logged, left.torn_bytes)


def logged_of(logs: Path, match: str, setup: Setup) -> tuple[bytes, ...]:
    """What lies in the log of a match already, in `logs`. Raises `RuntimeFault`."""
    logged, _ = _objects(logs / log_name(match, setup.seat, len(setup.roster)))
    return logged


def _logged_before(kept: KeptSeat, setup: Setup) -> tuple[str, tuple[bytes, ...]]:
    """The match that a lobby has led to, by the log in its place, and what is in it; else nothing.

    The journal is written first: that it ends before is no sign that the match has not begun.
    """
    lobby = Lobby(setup)
    for log in Path(kept.logs).glob(log_name("*", setup.seat, len(setup.roster))):
        try:
            _, genesis = start_of(log)
            founding = found(decode(genesis, SignedGenesis).raw)
        except (ValueError, PeerFault):
            continue
        if lobby.has_led_to(founding):
            return founding.match.hex(), _objects(log)[0]
    return "", ()


def _is_complete(logged: Sequence[bytes]) -> bool:
    return bool(logged) and logged[-1].startswith(ANNEX_LEAD)


def _names(journal: Journal, setup: Setup) -> tuple[str, ...]:
    return tuple(name for name, _ in journal.remembered.names[: len(setup.roster)])


def _setup_begun(journal: Journal, kept: KeptSeat, identity: Identity, secret: bytes) -> Setup:
    """What this peer plays with; who stands in sits where its own CURVE key is."""
    is_stand_in = kept.came is Came.STANDING_IN
    return setup_from(
        journal, identity, secret, Seat(kept.curves.index(kept.public)) if is_stand_in else None
    )


def _setup_kept(files: MatchFiles, kept: KeptSeat, identity: Identity) -> Setup:
    """What this peer brings to the lobby once more: the secret is the same, so the same is said."""
    curves = tuple(map(PublicKey, kept.curves))
    keys = kept.roster if not kept.observer else (*kept.roster, kept.observer)
    if identity.public not in keys:
        raise RuntimeFault(f"{files.seat} is of another identity")
    return Setup(
        identity=identity,
        seat=Seat(keys.index(identity.public)),
        roster=kept.roster,
        meeting=meeting_digest(curves),
        name=kept.name,
        rules=read_rules(kept.rules),
        group=kept.group,
        secret=files.secret,
        previous=Digest(kept.previous),
        matches=kept.matches,
        observer=kept.observer or None,
        has_sat=True,
    )


def _match_told(which: str) -> str | None:
    """The beginning of a match id, as told or as the name of a log has it."""
    told = Path(which).name.partition("-")[0].lower()
    return told if len(told) >= 8 and all(digit in "0123456789abcdef" for digit in told) else None


def _begun(home: Path) -> Iterator[MatchFiles]:
    """The matches that have a journal or a way back, the one that was written to last first."""
    places = {path.parent for name in ("journal", "seat") for path in (home / "matches").glob(f"*/{name}")}
    kept = [files for files in map(kept_match_files, places) if files is not None]
    yield from sorted(kept, key=lambda files: (_at_s(files), files.directory), reverse=True)


def _at_s(files: MatchFiles) -> float:
    """When a match was last written to."""
    return max(map(_written_at, (files.journal, files.seat))) / 1e9


def _written_at(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except FileNotFoundError:
        return 0


def _objects(path: Path) -> tuple[tuple[bytes, ...], int]:
    """The objects of a file, if there is one, and how many bytes of an unfinished one were cut off it."""
    if not path.exists():
        return (), 0
    file = AppendFile.open(path)
    file.close()
    return file.found.objects, len(file.found.torn)


def start_of(path: Path) -> tuple[bytes, ...]:
    """The first two objects of a file, as far as they are there. Raises `RuntimeFault`."""
    try:
        with path.open("rb") as file:
            return frame(file.read(_HEADING_BYTES)).objects[:2]
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise file_fault(path, "read", error) from None


def _kept(files: MatchFiles) -> KeptSeat | None:
    data = SecretFile(files.seat).read()
    if data is None:
        return None
    try:
        kept = decode(data, KeptSeat)
    except PeerFault as fault:
        raise RuntimeFault(f"{files.seat} cannot be read: {fault}") from None
    if kept.version != SEAT_VERSION:
        raise RuntimeFault(f"{files.seat} is of another version of this program")
    return kept
