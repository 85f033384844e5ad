"""The players that this one has played with: names and the keys they had, so that another key shows.

One small file in the home. Invariants:

1. A name that is known has one key; another key under it is found out, whoever claims to be a bot.
2. The file is replaced whole or not at all.
"""

import os
from enum import Enum, auto
from pathlib import Path
from typing import Annotated

import msgspec

from kemps_p2p.errors import RuntimeFault
from kemps_p2p.runtime.files import file_fault, make_directory
from kemps_p2p.runtime.guests import folded

FILE_BYTES_MAX = 4 * 1024 * 1024


class Standing(Enum):
    """What is known of a name with a key."""

    NEW = auto()
    KNOWN = auto()
    OTHER_KEY = auto()


class KnownPlayer(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """A player as remembered: `key` in hexadecimal digits."""

    name: str
    key: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]


class KnownPlayers:
    """The players known to the owner of a home. Raises `RuntimeFault` for a file that does not hold any."""

    def __init__(self, home: Path) -> None:
        self.path = home / "known-players.json"
        self._players: dict[str, KnownPlayer] = {}
        try:
            data = self.path.read_bytes()
        except FileNotFoundError:
            return
        except OSError as error:
            raise file_fault(self.path, "read", error) from None
        try:
            if len(data) > FILE_BYTES_MAX:
                raise msgspec.ValidationError("far too large")
            found = msgspec.json.decode(data, type=tuple[KnownPlayer, ...])
            self._players = {folded(player.name): player for player in found}
        except msgspec.DecodeError as error:
            raise RuntimeFault(f"{self.path} does not hold players: {error}; move it away") from None

    @property
    def players(self) -> tuple[KnownPlayer, ...]:
        """All of them, by name."""
        return tuple(self._players[name] for name in sorted(self._players))

    def key_of(self, name: str) -> bytes | None:
        """The key that was remembered for a name."""
        known = self._players.get(folded(name))
        return None if known is None else bytes.fromhex(known.key)

    def standing(self, name: str, key: bytes) -> Standing:
        """What is known of this name with this key."""
        known = self.key_of(name)
        if known is None:
            return Standing.NEW
        return Standing.KNOWN if known == key else Standing.OTHER_KEY

    def remember(self, name: str, key: bytes) -> None:
        """Keep a player; one of this name that was known with another key is forgotten."""
        if self.standing(name, key) is not Standing.KNOWN:
            self._players[folded(name)] = KnownPlayer(name, key.hex())
            self._write()

    def forget(self, name: str) -> bool:
        """Forget a player. False if there was none of this name."""
        if self._players.pop(folded(name), None) is None:
            return False
        self._write()
        return True

    def _write(self) -> None:
        make_directory(self.path.parent)
        draft = self.path.with_name(f"{self.path.name}.{os.getpid()}.draft")
        try:
            draft.write_bytes(msgspec.json.format(msgspec.json.encode(self.players)))
            draft.chmod(0o600)
            draft.replace(self.path)
        except OSError as error:
            raise file_fault(self.path, "write", error) from None
