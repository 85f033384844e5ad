"""What a seat's player whispers by itself, and what of the talk with the partner outlives the process.

Invariants:

1. A player speaks by itself only between deals; in a deal it answers nothing but what it is told.
2. What is kept is on disk before an answer is given, for the own user alone, and in no log.
"""

from collections.abc import Iterator

from kemps_p2p.bots.player import Player
from kemps_p2p.runtime.files import SecretFile


class Talk:
    """One player's talk with its partner. `file`: where it is kept; None to keep nothing."""

    def __init__(self, player: Player, file: SecretFile | None) -> None:
        self._player = player
        self._file = file
        self._kept = ""
        self._is_met = False

    def begin(self) -> None:
        """Go on with what an earlier process of the seat has left. Raises `RuntimeFault`."""
        data = None if self._file is None else self._file.read()
        if data is not None:
            self._kept = data.decode(errors="replace")
            self._player.recall(self._kept)

    def due(self) -> Iterator[str]:
        """What the player says now, between deals."""
        if not self._is_met:
            self._is_met = True
            words = self._player.greet()
            if words is not None:
                yield words
        words = self._player.regret()
        if words is not None:
            yield words
        self.keep()

    def heard(self, text: str) -> str | None:
        """Take in the partner's words; what to answer."""
        answer = self._player.whispered(text)
        self.keep()
        return answer

    def said(self, text: str) -> None:
        """Take in what the person at this seat has whispered."""
        self._player.said(text)
        self.keep()

    def keep(self) -> None:
        """Write down what has changed. Raises `RuntimeFault`."""
        kept = self._player.kept()
        if self._file is not None and kept != self._kept:
            self._file.replace(kept.encode())
            self._kept = kept
