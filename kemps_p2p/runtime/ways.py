"""Whom a peer speaks to at a table: the CURVE keys of its seats, and who stands in at one of them.

Knows no sockets. Invariants:

1. A key of the table is never anybody else's.
2. What is for whoever sits at a seat goes to nobody else, and nobody else has a word there.

Section "Transport" of protocol.md.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from kemps_p2p.ids import Seat
from kemps_p2p.runtime.transport import Arrival, PublicKey
from kemps_p2p.session import effects as fx
from kemps_p2p.session.session import Session
from kemps_p2p.session.standin import ReadOffer

LetIn: TypeAlias = Callable[[Mapping[PublicKey, bytes]], None]
"""Lets in exactly these beside those of the table: by their CURVE keys, with what they sign with."""


def nobody_else(_guests: Mapping[PublicKey, bytes]) -> None:
    """Of a table in one process: nobody can come there."""


class Ways:
    """The ways from one peer to the others."""

    def __init__(self, session: Session, curves: Sequence[PublicKey], let_in: LetIn) -> None:
        self._session, self._let_in = session, let_in
        self._curves = curves[: session.peers]
        self._seats = {curve: Seat(seat) for seat, curve in enumerate(self._curves)}
        self._order = [seat for seat in self._seats.values() if seat != session.seat]
        self._followed: tuple[ReadOffer, ...] | None = None
        self._guests: dict[PublicKey, ReadOffer] = {}

    def follow(self) -> None:
        """Let in whoever stands in now, and nobody who does no more."""
        offered = self._session.let_in()
        if offered != self._followed:
            self._followed = offered
            # Where two have the same CURVE key, whoever was let in with it first keeps it.
            known = sorted(offered, key=lambda each: each not in self._guests.values())
            self._guests = {}
            for each in known:
                if PublicKey(each.curve) not in self._seats:
                    self._guests.setdefault(PublicKey(each.curve), each)
            self._let_in({curve: each.key for curve, each in self._guests.items()})

    def heard(self, arrivals: Sequence[Arrival]) -> tuple[list[tuple[Seat, bytes]], list[tuple[Seat, bytes]]]:
        """What has come of who sits at the table, and what of others: whoever asks for a seat back, say.

        Whoever watched the match before may still be there and speak: that is passed over.
        """
        sitting: list[tuple[Seat, bytes]] = []
        aside: list[tuple[Seat, bytes]] = []
        for arrival in arrivals:
            seat = self._seat_of(arrival.peer)
            if seat is not None:
                (sitting if self._sits(seat, arrival.peer) else aside).append((seat, arrival.data))
        # Who spoke first waits for an answer: it is served first.
        if sitting and self._order[0] != sitting[0][0]:
            asker = sitting[0][0]
            self._order.remove(asker)
            self._order.insert(0, asker)
        return sitting, aside

    def to(self, effect: fx.Send) -> Iterator[PublicKey]:
        """Where a message goes."""
        for seat in self._order if effect.to is None else (effect.to,):
            guests = (curve for curve, each in self._guests.items() if each.seat == seat)
            for curve in (self._curves[seat], *guests):
                if not effect.is_private or self._sits(seat, curve):
                    yield curve

    def _seat_of(self, curve: PublicKey) -> Seat | None:
        guest = self._guests.get(curve)
        return self._seats.get(curve) if guest is None else guest.seat

    def _sits(self, seat: Seat, curve: PublicKey) -> bool:
        guest = self._guests.get(curve)
        key = self._session.keys[seat] if guest is None else guest.key
        return self._session.is_sitting(seat, key)
