"""Records of a match: everything that each peer receives, says and writes, as bytes and in order.

A record is what colluding seats could put together; it is made by listening, and changes nothing.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path

from kemps_p2p.codec import Record, decode, encode, frame
from kemps_p2p.game.actions import Action
from kemps_p2p.game.gestures import Intent
from kemps_p2p.ids import Seat
from kemps_p2p.session import effects as fx
from kemps_p2p.session.genesis import Founding
from kemps_p2p.session.lobby import Setup
from kemps_p2p.session.play import Play
from kemps_p2p.session.session import Session


class How(IntEnum):
    """How a peer came to hold a piece."""

    SECRET = 0
    """In the file of its own secrets."""
    HEARD = 1
    SAID = 2
    JOURNAL = 3
    LOG = 4
    PRINTED = 5
    WIRE = 6
    """Bytes on the network between this peer and another, as anybody there can record them."""


class Piece(Record, frozen=True):
    """Some bytes at one seat. `at`: the moment, in any unit that grows, the same for the whole table."""

    at: int
    seat: int
    how: How
    data: bytes


@dataclass
class Trace:
    """The pieces of a match."""

    pieces: list[Piece] = field(default_factory=list)

    def note(self, seat: int, how: How, data: bytes) -> None:
        """Add what just happened."""
        self.pieces.append(Piece(at=len(self.pieces), seat=seat, how=how, data=data))

    def added(self, at: int, seat: int, how: How, data: bytes) -> "Trace":
        """A trace with one more piece at a moment, as if it had happened."""
        return Trace([*self.pieces, Piece(at=at, seat=seat, how=how, data=data)])

    def of(self, seat: int, how: How) -> list[Piece]:
        """The pieces of a kind at a seat."""
        return [piece for piece in self.ordered() if (piece.seat, piece.how) == (seat, how)]

    def ordered(self) -> list[Piece]:
        """All pieces, earliest first; what happened at one moment stays in its order."""
        return sorted(self.pieces, key=lambda piece: piece.at)

    def secret(self, seat: int) -> bytes:
        """What is in a seat's file of secrets."""
        (piece,) = self.of(seat, How.SECRET)
        return piece.data

    def save(self, path: Path) -> None:
        path.write_bytes(b"".join(map(encode, self.pieces)))


def load(paths: Iterable[Path]) -> Trace:
    """Put records of several peers together; their moments are of one clock."""
    objects = [data for path in paths for data in frame(path.read_bytes()).objects]
    return Trace([decode(data, Piece) for data in objects])


Note = Callable[[int, How, bytes], None]


class RecordedSession(Session):
    """A session that notes what it hears and what it wants to be written and sent, before that is done."""

    def __init__(self, setup: Setup, note: Note, play: type[Play] = Play) -> None:
        super().__init__(setup)
        self._note = note
        self._play_kind = play
        note(setup.seat, How.SECRET, setup.secret)

    def _make_play(self, founding: Founding, now_ms: int, wall_ms: int) -> Play:
        return self._play_kind(self._setup, founding, self._lobby.coins, now_ms, wall_ms)

    def _noted(self, effects: list[fx.Effect]) -> list[fx.Effect]:
        for effect in effects:
            match effect:
                case fx.Append(file=fx.File.LOG, data=data):
                    self._note(self.seat, How.LOG, data)
                case fx.Append(data=data):
                    self._note(self.seat, How.JOURNAL, data)
                case fx.Send(data=data):
                    self._note(self.seat, How.SAID, data)
                case fx.Compute() | fx.Show():
                    pass
        return effects

    def start(self, now_ms: int) -> list[fx.Effect]:
        return self._noted(super().start(now_ms))

    def submit(self, action: Action, now_ms: int, intent: Intent = Intent.MEANT) -> list[fx.Effect]:
        return self._noted(super().submit(action, now_ms, intent))

    def whisper(self, text: str) -> list[fx.Effect]:
        return self._noted(super().whisper(text))

    def seal_book(self, signals: tuple[str, ...], now_ms: int) -> list[fx.Effect]:
        return self._noted(super().seal_book(signals, now_ms))

    def receive_all(
        self, arrived: Sequence[tuple[Seat, bytes]], now_ms: int, wall_ms: int
    ) -> list[fx.Effect]:
        for _, data in arrived:
            self._note(self.seat, How.HEARD, data)
        return self._noted(super().receive_all(arrived, now_ms, wall_ms))

    def computed(self, job_id: int, outcome: object, now_ms: int) -> list[fx.Effect]:
        return self._noted(super().computed(job_id, outcome, now_ms))

    def tick(self, now_ms: int) -> list[fx.Effect]:
        return self._noted(super().tick(now_ms))


def recorded(trace: Trace, leaky: dict[int, type[Play]] | None = None) -> Callable[[Setup], Session]:
    """Machines for a table whose every seat is recorded; `leaky` seats play by another kind of `Play`."""
    return lambda setup: RecordedSession(setup, trace.note, (leaky or {}).get(setup.seat, Play))


def log_objects(trace: Trace, seat: int) -> Iterator[tuple[int, bytes]]:
    """The objects of a seat's log, each with the moment it was written."""
    for piece in trace.of(seat, How.LOG):
        for data in frame(piece.data).objects:
            yield piece.at, data
