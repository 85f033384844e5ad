"""What a home holds that is a player's own: identity, match secrets. Directories are 0700, files 0600."""

import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from kemps_p2p.errors import Refused, RuntimeFault
from kemps_p2p.ledger.identity import Identity
from kemps_p2p.runtime.files import lock
from kemps_p2p.runtime.store import SecretFile, make_directory

SECRET_BYTES = 32


@contextmanager
def home_held(home: Path) -> Iterator[None]:
    """Keep a home for this process alone: one identity plays at one seat. Raises `Refused`."""
    make_directory(home)
    path = home / "in-use"
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise RuntimeFault(f"cannot write into {home}: {error.strerror}") from None
    try:
        try:
            lock(descriptor)
        except OSError:
            raise Refused(f"{home} is in use by another peer; give each its own --home") from None
        yield
    finally:
        os.close(descriptor)


def own_identity(home: Path) -> Identity:
    """The identity key kept in `home`, made on first use."""
    make_directory(home)
    file = SecretFile(home / "identity")
    secret = file.read()
    if secret is None:
        file.write(secrets.token_bytes(SECRET_BYTES))
        secret = file.read()
    if secret is None or len(secret) != SECRET_BYTES:
        raise RuntimeFault(f"{file.path} does not hold an identity key; move it away to get a new one")
    return Identity(secret)


@dataclass(frozen=True, slots=True)
class MatchFiles:
    """The directory of one match: its secret, on disk before anything is sent, and its journal."""

    directory: Path
    secret: bytes

    @property
    def journal(self) -> Path:
        """Everything that arrives, as it arrives."""
        return self.directory / "journal"

    @property
    def sign(self) -> SecretFile:
        """What a person and their partner have agreed on."""
        return SecretFile(self.directory / "sign")

    @property
    def seat(self) -> Path:
        """What the way back to the table is; gone once the match has ended."""
        return self.directory / "seat"


@dataclass(frozen=True, slots=True)
class Paths:
    """Where the two files of a match go; the log is named after the match, so `log_for` makes its path.

    `sign`: what partners have agreed on.
    """

    journal: Path
    log_for: Callable[[str], Path]
    sign: SecretFile | None = None
    forget: Callable[[], None] = lambda: None
    """Called once there is nothing to come back to: the match is over or abandoned, or never began."""


def new_match_files(home: Path, secret: bytes | None = None) -> MatchFiles:
    """Make the directory of a match that is about to begin, and draw its secret if there is none yet."""
    directory = home / "matches" / secrets.token_hex(8)
    make_directory(directory)
    secret = secrets.token_bytes(SECRET_BYTES) if secret is None else secret
    SecretFile(directory / "secret").write(secret)
    return MatchFiles(directory, secret)


def kept_match_files(directory: Path) -> MatchFiles | None:
    """The directory of a match that was begun before; None if its secret is not there."""
    secret = SecretFile(directory / "secret").read()
    return None if secret is None else MatchFiles(directory, secret)
