"""Between a match and the next one at the same table: who sits down again, and who has left. It is in no log.

Invariants:

1. What is taken from the carrier here is said again by whoever still means it, or kept for the next match.
"""

from kemps_p2p.errors import PeerFault
from kemps_p2p.ids import Seat
from kemps_p2p.runtime.chair import Chair
from kemps_p2p.session.messages import LobbyWords, Want, Wish, pack, read_message


def say_farewell(chair: Chair) -> None:
    """Tell the others that nobody comes from this chair any more."""
    for curve in chair.table.curves[: chair.players]:
        if curve != chair.carrier.public_key:
            chair.carrier.send(curve, pack(Wish(want=Want.GONE)))


class Aftermath:
    """What the others do. `gone`: who has left already."""

    def __init__(self, chair: Chair, gone: frozenset[Seat]) -> None:
        self._chair = chair
        self.gone = gone
        self.seated: frozenset[Seat] = frozenset()

    def look(self) -> None:
        """Take in what has come since the match was over here; only while no machine listens."""
        curves = self._chair.table.curves[: self._chair.players]
        for arrival in self._chair.carrier.arrived():
            if arrival.peer not in curves:
                continue
            seat = Seat(curves.index(arrival.peer))
            try:
                message = read_message(arrival.data)
            except PeerFault:
                # Nothing is at stake any more; the next match blames whoever goes on like that.
                continue
            if isinstance(message, LobbyWords):
                self.seated |= {seat}
                self.gone -= {seat}
            elif message == Wish(want=Want.GONE):
                self.gone |= {seat}
                self.seated -= {seat}
