"""One peer of a simulated table: its machine, its bot, its two files, and what a crash leaves of these."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from kemps_p2p.bots.player import Player
from kemps_p2p.errors import PeerFault
from kemps_p2p.runtime.store import split_objects
from kemps_p2p.session.session import Session

FORGETS = 1 << 40
"""As `lost` of a crash: all files are lost, the secret too; another who has begun tells how the match began.

Where no other has, nothing is lost: a table in the lobby has no use for a peer that sits down twice.
"""
NO_JOURNAL = FORGETS - 1
"""As `lost` of a crash: the whole journal is lost, and nothing else.

Of a seat that was taken anew that is to lose all, since its secret is in no genesis.
"""
_HEADING = 2
"""Objects of a journal without which no match is known: a peer that has fewer begins its lobby anew."""


@dataclass(slots=True)
class SimPeer:
    """One machine with its bot and its two files, in memory.

    `life`: how often it was restored; `losses`: how often it has lost all its files. `due_ms`: when its
    machine has something to do by itself. `is_down`: it has crashed, and hears nothing. `stopped_until_us`:
    so long it does nothing, and all that comes waits for it.
    """

    session: Session
    bot: Player
    journal: list[bytes] = field(default_factory=list)
    log: list[bytes] = field(default_factory=list)
    faults: list[PeerFault] = field(default_factory=list)
    woken_at_us: int = -1
    due_ms: int = 0
    has_news: bool = False
    life: int = 0
    losses: int = 0
    is_down: bool = False
    stopped_until_us: int = 0

    @property
    def log_bytes(self) -> bytes:
        """The log file."""
        return b"".join(self.log)

    @property
    def has_heading(self) -> bool:
        """True if the journal tells which match it is of."""
        return len(self.journal) >= _HEADING

    def lose(self, lost: int, others: Iterable["SimPeer"]) -> bool:
        """Lose what a crash takes of the files; true if that is all of them, the secret too."""
        if lost == FORGETS or (lost == NO_JOURNAL and self.losses):
            told = next((other.journal[:_HEADING] for other in others if other.has_heading), None)
            if told is not None:
                self.losses += 1
                self.journal[:] = told
                self.log.clear()
            return told is not None
        del self.journal[0 if lost == NO_JOURNAL else max(_HEADING, len(self.journal) - lost) :]
        return False

    def cut_torn(self) -> None:
        """Cut off what of the files was not written to its end, as opening them does."""
        self.journal[:] = split_objects(b"".join(self.journal)).objects
        self.log[:] = split_objects(b"".join(self.log)).objects
        if not self.has_heading:
            self.journal.clear()
