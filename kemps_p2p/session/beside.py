"""What a seat does at a table beside the game: wants, whispers, votes on who is absent, who is to stand in.

Of each it is told in the log what has to be, and the rest is the word of one link. It decides nothing.
Section "Session" of protocol.md.
"""

from abc import ABC, abstractmethod

from kemps_p2p.errors import Illegal, IllegalAction
from kemps_p2p.game.seating import partner_of, seats
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.identity import Identity
from kemps_p2p.session import effects as fx
from kemps_p2p.session.lobby import Setup
from kemps_p2p.session.messages import (
    WHISPER_CHARACTERS_MAX,
    WalkOver,
    Want,
    Whisper,
    Wish,
    pack,
)
from kemps_p2p.session.play import Play
from kemps_p2p.session.presence import AWAY_MS, Away, agreed
from kemps_p2p.session.seating import Pen
from kemps_p2p.session.standin import ReadOffer, is_held
from kemps_p2p.session.walkover import WalkOvers, silent_teams


class Beside(ABC):
    """One peer at a table, as far as that is no game."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._seats = len(setup.roster)
        self._others = tuple(seat for seat in seats(self._seats) if seat != setup.seat)
        self._peers = len(setup.keys)
        self._play: Play | None = None
        self._wants = [Want.PLAY_ON] * self._seats
        self._has_wished = False
        self._walk_overs = WalkOvers(setup.identity, setup.seat)

    @abstractmethod
    def _after(self, effects: list[fx.Effect]) -> list[fx.Effect]:
        """Complete what a verb of the match has come to."""

    @property
    def seat(self) -> Seat:
        """The seat that this peer plays; an observer's is the one after the last."""
        return self._setup.seat

    @property
    def keys(self) -> tuple[bytes, ...]:
        """The identity keys of those who came to the table, by tape."""
        return self._setup.keys

    @property
    def peers(self) -> int:
        """How many take part: the seats, and the observer if there is one."""
        return self._peers

    @property
    def is_seated(self) -> bool:
        """False for an observer, which plays no seat."""
        return self.seat < self._seats

    @property
    def play(self) -> Play:
        """The running match. Only after `TableFormed` was shown."""
        assert self._play is not None, "asked before the table was formed"
        return self._play

    @property
    def has_begun(self) -> bool:
        """True once genesis is signed by all."""
        return self._play is not None

    @property
    def wants(self) -> tuple[Want, ...]:
        """What each seat wants of the table beside the game, as far as it is known here."""
        return tuple(self._wants)

    def _forget_wants(self, effects: list[fx.Effect]) -> None:
        """Whoever sits down says for itself what it wants; of the one before nothing is wanted any more."""
        for effect in effects:
            match effect:
                case fx.Show(sight=fx.SeatBack(seat=seat) | fx.SeatHeld(seat=seat)) if seat != self.seat:
                    self._wants[seat] = Want.PLAY_ON
                case _:
                    continue

    def agreed(self, now_ms: int) -> Want:
        """What all seats want of the table. It is for the runner to do."""
        return agreed(self._wants, {away.seat for away in self.away(now_ms)})

    def away(self, now_ms: int) -> tuple[Away, ...]:
        """Who has left the running match, or has not been heard of for long."""
        if self._play is None or self._play.final.is_closed:
            return ()
        silent_ms = {seat: self._play.pacing.silent_ms(seat, now_ms) for seat in seats(self._seats)}
        return tuple(
            Away(seat, span_ms, has_left=self._wants[seat] is Want.GONE)
            for seat, span_ms in silent_ms.items()
            if seat != self.seat and (self._wants[seat] is Want.GONE or span_ms >= AWAY_MS)
        )

    def can_vote_absent(self, now_ms: int) -> tuple[Seat, ...]:
        """The seats that this one may vote absent: they have been silent for long, and it has not yet."""
        others = self._others if self._play is not None else ()
        return tuple(seat for seat in others if self.play.can_vote_absent(seat, now_ms))

    def vote_absent(self, seat: Seat, now_ms: int) -> list[fx.Effect]:
        """Vote a seat absent: once enough have, its deal is over. Raises `IllegalAction` if it is there."""
        if self._play is None or seat not in self._others:
            raise IllegalAction(Illegal.NO_SUCH_SEAT)
        return self._after(self._play.vote_absent(seat, now_ms))

    def go_along(self, now_ms: int) -> list[fx.Effect]:
        """Do as the others do, for a player that goes along: vote absent whom they vote absent, and who has
        been away for very long; and agree to a stand-in that all agree to who decide for themselves.
        """
        play, effects = self._play, list[fx.Effect]()
        if play is None or play.is_recovering or not play.is_seated:
            # It has no word at the table, or none yet.
            return effects
        for seat in self._others:
            if play.is_voted_along(seat, now_ms):
                effects += self.vote_absent(seat, now_ms)
        # One after the other: what follows from one may settle the next.
        while (each := self._to_go_along_with(play, now_ms)) is not None:
            effects += self.agree_to_stand_in(each.seat, each.by, now_ms)
        return effects

    def _to_go_along_with(self, play: Play, now_ms: int) -> ReadOffer | None:
        """An offer that all agree to who decide for themselves, and this seat has not yet."""
        offered = play.offers.to_agree_to(play.final) if play.final.absent else ()
        return next(
            (
                each
                for each in offered
                if play.offers.is_agreed_by_all(each, self._players(now_ms) - {each.seat} | {each.by})
            ),
            None,
        )

    def _players(self, now_ms: int) -> frozenset[Seat]:
        """The other seats that are there, and decide for themselves."""
        away = {each.seat for each in self.away(now_ms)}
        here = (seat for seat in self._others if seat not in away and seat not in self.play.final.absent)
        return frozenset(seat for seat in here if self._wants[seat] is not Want.AS_OTHERS)

    # Stand-ins

    def can_offer(self) -> tuple[Seat, ...]:
        """The absent seats for which the own player may offer a program."""
        return tuple(seat for seat in self._others if self.play.can_offer(seat)) if self._play else ()

    def offers(self) -> tuple[ReadOffer, ...]:
        """What others offer for absent seats, and the own player has not agreed to."""
        return self._play.offers.to_agree_to(self._play.final) if self._play and self.is_seated else ()

    def offer_stand_in(
        self, seat: Seat, program: tuple[Identity, bytes], curve: bytes, now_ms: int
    ) -> list[fx.Effect]:
        """Offer a program for an absent seat: by the identity and the secret that it plays with, drawn for
        that alone, and the CURVE key of its process. Raises `IllegalAction`.
        """
        pen = Pen(*program, self.play.founding.match, seat)
        return self._after(self.play.offer(pen, seat, curve, now_ms))

    def agree_to_stand_in(self, seat: Seat, by: Seat, now_ms: int) -> list[fx.Effect]:
        """Agree to what a seat offers for another. Raises `IllegalAction` if it offers nothing."""
        return self._after(self.play.agree(seat, by, now_ms))

    def let_in(self) -> tuple[ReadOffer, ...]:
        """The stand-ins whose processes are let in beside those of the table."""
        return self._play.offers.let_in(self._play.final) if self._play is not None else ()

    def held(self) -> frozenset[Seat]:
        """The seats at which somebody stands in for the player."""
        final = None if self._play is None else self._play.final
        return frozenset(seat for seat in seats(self._seats) if final is not None and is_held(final, seat))

    def is_sitting(self, seat: Seat, key: bytes) -> bool:
        """True if who signs with this key sits at a seat now."""
        return self._play is None or self._play.final.signers[seat][-1].key == key

    @property
    def is_relieved(self) -> bool:
        """True once this program has stood in for a player, and does so no more: it is done."""
        return self._play is not None and self._play.is_relieved

    def whisper(self, text: str) -> list[fx.Effect]:
        """Say something to the partner alone, in the private huddle. It is in no log."""
        if not self.is_seated:
            raise IllegalAction(Illegal.NO_SUCH_SEAT)
        if len(text) > WHISPER_CHARACTERS_MAX:
            raise IllegalAction(Illegal.TEXT_TOO_LONG)
        return [fx.Send(pack(Whisper(text=text)), partner_of(self.seat, self._seats), is_private=True)]

    def want(self, want: Want) -> list[fx.Effect]:
        """Say what this seat wants of the table; from then on it is said again with every status.

        An observer goes along with whatever the seats want, and says nothing.
        """
        if not self.is_seated:
            return []
        self._has_wished = True
        said = fx.Send(pack(Wish(want=want)))
        return [said, *self._note_want(self.seat, want)]

    def walk_over(self, now_ms: int, wall_ms: int) -> list[fx.Effect]:
        """Sign that all of the other teams have fallen silent, and want to end the match for that.

        Raises `IllegalAction`; then nothing was sent.
        """
        play = self.play
        said = self._walk_overs.sign(play.founding, play.final.head, self.away(now_ms), wall_ms)
        if not self.is_seated or play.is_stand_in or said is None:
            raise IllegalAction(Illegal.NO_WALK_OVER)
        return [*self._hear_walk_over(said), fx.Send(pack(said)), *self.want(Want.WALK_OVER)]

    def silent_teams(self, now_ms: int) -> tuple[Seat, ...]:
        """Against whom this seat could sign a walk-over now."""
        signs = self.is_seated and not self.play.is_stand_in
        return silent_teams(self.seat, self._seats, self.away(now_ms)) if signs else ()

    @property
    def is_walked_over(self) -> bool:
        """True once the own team has signed a walk-over, all of it."""
        return self.is_seated and self._walk_overs.is_joint(self.play.founding)

    def _hear_walk_over(self, said: WalkOver) -> list[fx.Effect]:
        if self._play is None or not self._walk_overs.is_news(said, self._play.founding):
            return []
        return [fx.Append(fx.File.WALK_OVERS, pack(said), fx.Durability.NOW)]

    def _welcome_back(self, sender: Seat) -> list[fx.Effect]:
        """Whoever has left and tells again how far it is has come back."""
        has_left = sender < self._seats and self._wants[sender] is Want.GONE
        return self._note_want(sender, Want.PLAY_ON) if has_left else []

    def _note_want(self, seat: Seat, want: Want) -> list[fx.Effect]:
        if seat >= self._seats or self._wants[seat] is want:
            return []
        did, self._wants[seat] = self._wants[seat], want
        return [fx.Show(fx.Wanted(seat, want, did))]
