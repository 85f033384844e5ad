"""The command `kemps`, with a record of what its node hears, says and writes.

Run as `recorded_node.py RECORD node …`. Traffic is noted at the mesh, where it has been decrypted, and on the
way to it, where anybody can record it; files and secrets are noted at the session. Moments are of the
machine's monotonic clock, which all processes share.
"""

import os
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path
from threading import Thread

from secrecy_record import How, Piece, RecordedSession

from kemps_p2p.cli.main import main
from kemps_p2p.codec import encode
from kemps_p2p.runtime import chair, node
from kemps_p2p.runtime.transport import Arrival, Mesh, PublicKey
from kemps_p2p.session.lobby import Setup
from kemps_p2p.session.session import Session

AT_THE_MESH = frozenset({How.HEARD, How.SAID})


class Recorder:
    """Writes pieces as they come; the seat is known once the session is made."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        self.seat = 0

    def note(self, how: How, data: bytes) -> None:
        piece = Piece(at=time.monotonic_ns(), seat=self.seat, how=how, data=data)
        os.write(self._file, encode(piece))


class Tap:
    """A cable that somebody listens at: what comes to it is passed on to an address, both ways, and noted."""

    def __init__(self, address: str, note: Callable[[How, bytes], None]) -> None:
        host, _, port = address.removeprefix("tcp://").rpartition(":")
        self._to = host, int(port)
        self._note = note
        self._door = socket.create_server(("127.0.0.1", 0))
        self.address = f"tcp://127.0.0.1:{self._door.getsockname()[1]}"
        Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            near, _ = self._door.accept()
            far = socket.create_connection(self._to)
            for one, other in ((near, far), (far, near)):
                Thread(target=self._pass_on, args=(one, other), daemon=True).start()

    def _pass_on(self, one: socket.socket, other: socket.socket) -> None:
        try:
            while data := one.recv(1 << 16):
                self._note(How.WIRE, data)
                other.sendall(data)
            other.shutdown(socket.SHUT_WR)
        except OSError:
            # One end was closed in the midst of it: then so is the other.
            one.close()
            other.close()


def recording(recorder: Recorder) -> tuple[type[Mesh], Callable[[Setup], Session]]:
    """A mesh and a session that note what they do."""

    class RecordingMesh(Mesh):
        _tap: Tap | None = None

        @property
        def address(self) -> str:
            """That of a tap, so that all others come by it."""
            if self._tap is None:
                self._tap = Tap(super().address, recorder.note)
            return self._tap.address

        def send(self, peer: PublicKey, data: bytes) -> bool:
            recorder.note(How.SAID, data)
            return super().send(peer, data)

        def arrived(self) -> list[Arrival]:
            return self._noted(super().arrived())

        def deliver(self, handler: Callable[[list[Arrival]], None] | None) -> None:
            super().deliver(None if handler is None else lambda arrivals: handler(self._noted(arrivals)))

        @staticmethod
        def _noted(arrivals: list[Arrival]) -> list[Arrival]:
            for arrival in arrivals:
                recorder.note(How.HEARD, arrival.data)
            return arrivals

    def session(setup: Setup) -> Session:
        recorder.seat = setup.seat

        def note(_: int, how: How, data: bytes) -> None:
            if how not in AT_THE_MESH:
                recorder.note(how, data)

        return RecordedSession(setup, note)

    return RecordingMesh, session


if __name__ == "__main__":
    _, record, *arguments = sys.argv
    mesh_kind, session_maker = recording(Recorder(Path(record)))
    vars(node).update(Mesh=mesh_kind)
    vars(chair).update(Session=session_maker)
    sys.argv = ["kemps", *arguments]
    main()
