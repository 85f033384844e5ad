"""How a seat changes hands: who asks for it, who offers a program for it, who opens what was made there.

Others agree by their words, and an entry gives the seat: neither is of this module. Invariant:

1. What a secret has made is opened by who sits there at the end, whoever that is, once the match is over.

Sections "New incarnations" and "Stand-ins" of protocol.md.
"""

from abc import abstractmethod
from collections.abc import Iterator

from kemps_p2p.errors import Illegal, IllegalAction
from kemps_p2p.ids import Seat
from kemps_p2p.session import effects as fx
from kemps_p2p.session.hearing import Hearing
from kemps_p2p.session.match import is_over
from kemps_p2p.session.messages import BookOpenedDeed, Offer, Openings, Plea, SeedDeed, pack, read_deed
from kemps_p2p.session.offers import OPENINGS_MAX, is_relieved, openings_of
from kemps_p2p.session.seating import Pen
from kemps_p2p.session.standin import is_held


class Changing(Hearing):
    """One seat, as far as it and others change hands."""

    @abstractmethod
    def flush(self, now_ms: int) -> list[fx.Effect]:
        """What follows from what has come in, up to the next thing to say."""

    def hear_plea(self, plea: Plea, sender: Seat, now_ms: int) -> list[fx.Effect]:
        """Hear a player ask for a seat, and pass it on. Raises `PeerFault` for what no program asks."""
        is_news = self._seating.hear_plea(plea, sender, self.final, now_ms)
        held = self._seating.asks_anew(plea, self.final)
        if not is_news:
            # Who stands in hears its player by way of others alone.
            return [fx.Send(pack(plea), held)] if held == sender else []
        self._order_is_new = True
        told = [] if held is None else [fx.Show(fx.PlayerAsks(held))]
        return [fx.Send(pack(plea)), *told, *self.flush(now_ms)]

    def plea(self) -> Plea | None:
        """Ask for the own seat, if this player's secrets are not those of who sat there last; else None."""
        final, recovery = self.final, self._recovery
        # While another plays there the tape goes on, and is never whole here.
        is_known = recovery.is_whole or is_held(final, self.seat)
        is_lost = self.is_recovering and not recovery.is_seated and is_known
        if not is_lost or final.is_closed or self.is_stand_in:
            return None
        return self._pen.plea(len(final.signers[self.seat]))

    def can_offer(self, seat: Seat) -> bool:
        """True if the own player may offer a program for a seat: it is absent, and no own offer stands."""
        final = self.final
        is_there = self.is_seated and not self.is_recovering and self.seat not in final.absent
        is_free = seat in final.absent and not is_over(final) and not self.is_stand_in
        return is_there and is_free and self.offers.own(seat, final) is None

    def offer(self, pen: Pen, seat: Seat, curve: bytes, now_ms: int) -> list[fx.Effect]:
        """Offer a program for an absent seat. Raises `IllegalAction` where there is none to be had."""
        if not self.can_offer(seat):
            raise IllegalAction(Illegal.NOT_ABSENT)
        made = self.offers.make(pen, seat, curve, self.final)
        return [fx.Send(pack(made.offer)), fx.Show(fx.StandInOffered(seat, self.seat)), *self.flush(now_ms)]

    def hear_offer(self, offer: Offer, now_ms: int) -> list[fx.Effect]:
        """Hear whom a seat offers for another, and pass it on. Raises `PeerFault` for what is no offer."""
        made = self.offers.hear(offer, self.final)
        if made is None:
            return []
        is_open = made in self.offers.standing(self.final)
        told = [fx.Show(fx.StandInOffered(made.seat, made.by))] if is_open else []
        return [fx.Send(pack(offer)), *told, *self.flush(now_ms)]

    def agree(self, seat: Seat, by: Seat, now_ms: int) -> list[fx.Effect]:
        """Agree to what a seat offers for another. Raises `IllegalAction` if it offers nothing."""
        found = [each for each in self.offers.to_agree_to(self.final) if (each.seat, each.by) == (seat, by)]
        if not found or not self.is_seated or self.is_recovering:
            raise IllegalAction(Illegal.NO_OFFER)
        self._seating.agree(found[0].name)
        return self.flush(now_ms)

    def openings(self) -> Iterator[fx.Send]:
        """What this program can open, and who sits where it was made has to sign: once the match is over."""
        # Before that no seat owes any of it.
        final = self.final
        looks_on = self.is_recovering and not self._recovery.is_seated
        if looks_on and (own := openings_of(self._dealing, final)) is not None:
            yield fx.Send(pack(own))
        for seat, lent in self.offers.openings(final):
            yield fx.Send(pack(lent), seat, is_private=True)

    def hear_openings(self, said: Openings) -> None:
        """Take in what opens deals and books of the own seat. Raises `PeerFault` if it cannot be read."""
        for data in said.deeds[:OPENINGS_MAX]:
            deed = read_deed(data)
            if isinstance(deed, SeedDeed | BookOpenedDeed):
                self._final_is_new |= is_over(self.final) and self._dealing.hear(self.final, deed)

    @property
    def is_stand_in(self) -> bool:
        """True if this program is not that of the player of its seat."""
        return self.is_seated and self._pen.key != self.founding.keys[self.seat]

    @property
    def is_relieved(self) -> bool:
        """True once somebody else sits where this program has stood in."""
        return self.is_stand_in and is_relieved(self.final, self.seat, self._pen.key)
