"""Simulated tables at which somebody stands in for a player: one machine more, at the seat of another."""

from collections.abc import Callable, Mapping

from sim_helpers import STUB, short_rules

from kemps_p2p.bots.pace import Pace
from kemps_p2p.codec import derive
from kemps_p2p.ids import Seat
from kemps_p2p.lab.referee import Referee
from kemps_p2p.ledger.identity import Identity
from kemps_p2p.runtime.sim import WALL_MS, Sim
from kemps_p2p.runtime.simnet import PERFECT, Net
from kemps_p2p.runtime.simpeer import SimPeer
from kemps_p2p.session import effects as fx
from kemps_p2p.session.journal import read_journal, setup_from
from kemps_p2p.session.messages import Plea, Want, read_message
from kemps_p2p.session.session import Session

Forge = Callable[[Seat, bytes], bytes]
ROOT = b"stand-ins"


class StandInSim(Sim):
    """A table of bots, of which `persons` decide for themselves: what they do is planned by the test."""

    def __init__(self, seed: int, *, persons: frozenset[int], net: Net = PERFECT, word: str = "KEM") -> None:
        self.referee = Referee()
        super().__init__(
            rules=short_rules(word),
            players=4,
            seed=seed,
            group=STUB,
            net=net,
            pace=Pace.NORMAL,
            watch=self.referee,
        )
        self.referee.sim = self
        self._persons = persons
        self._programs: dict[bytes, tuple[Identity, bytes, Seat]] = {}
        self.stands_in: dict[int, Seat] = {}
        """The seats of the machines beyond those of the table."""
        self.offers_made = 0
        self.seen: list[fx.Sight] = []
        """What seat 0 is shown."""
        self.deaf_to_pleas: set[int] = set()
        """Machines that do not hear who asks for their seats."""
        self._started: set[bytes] = set()

    # What persons do

    def offer(self, after_ms: float, by: int, seat: int) -> None:
        """A person offers a bot for an absent seat, as soon as it can from then on."""

        def act() -> None:
            session = self.peers[by].session
            if Seat(seat) not in session.can_offer():
                self.offer(100, by, seat)
                return
            self.offers_made += 1
            what = f"{by} {seat} {self.offers_made}"
            program = Identity.derived(ROOT, what), derive("test/stand-in", what.encode())[:32]
            self._programs[program[0].public] = (*program, Seat(seat))
            curve = derive("test/curve", what.encode())[:32]
            self._carry_out(Seat(by), session.offer_stand_in(Seat(seat), program, curve, self.now_ms))

        self._at(after_ms, by, act)

    def vote(self, after_ms: float, who: int, seat: int) -> None:
        """A person votes a seat absent, as soon as it can from then on; bots go along."""

        def act() -> None:
            if Seat(seat) in self.peers[who].session.can_vote_absent(self.now_ms):
                self._carry_out(Seat(who), self.peers[who].session.vote_absent(Seat(seat), self.now_ms))
            else:
                self.vote(500, who, seat)

        self._at(after_ms, who, act)

    def agree(self, after_ms: float, who: int, by: int, seat: int) -> None:
        """A person agrees to an offer, as soon as it has heard of it from then on."""

        def act() -> None:
            session = self.peers[who].session
            if any((each.seat, each.by) == (seat, by) for each in session.offers()):
                done = session.agree_to_stand_in(Seat(seat), Seat(by), self.now_ms)
                self._carry_out(Seat(who), done)
            else:
                self.agree(100, who, by, seat)

        self._at(after_ms, who, act)

    def _at(self, after_ms: float, who: int, act: Callable[[], None]) -> None:
        def choose(_view: object) -> None:
            act()

        self.plan(int(after_ms * 1000), Seat(who), choose)

    # Two machines at one seat

    def seat_at(self, place: int) -> Seat:
        """The seat of a machine."""
        return self.stands_in.get(place, Seat(place))

    def key_at(self, place: int) -> bytes:
        """What a machine signs with."""
        return self._setups[place].identity.public

    def _is_let_in(self, place: int, by: int) -> bool:
        """True if one machine lets another in: those of the table always."""
        if place not in self.stands_in:
            return True
        return any(each.key == self.key_at(place) for each in self.peers[by].session.let_in())

    def _send_out(self, seat: Seat, effect: fx.Send) -> None:
        session = self.peers[seat].session
        for place in range(len(self.peers)):
            other = self.seat_at(place)
            if other == self.seat_at(seat) or effect.to not in (None, other):
                continue
            sits = session.is_sitting(other, self.key_at(place)) or not effect.is_private
            if sits and self._is_let_in(place, seat) and self._is_let_in(seat, place):
                self._send(seat, Seat(place), effect.data)

    def _receive(self, session: Session, messages: list[tuple[Seat, bytes]]) -> list[fx.Effect]:
        effects: list[fx.Effect] = []
        is_deaf = any(
            self.peers[place].session is session for place in self.deaf_to_pleas & {*self.stands_in}
        )
        for place, data in messages:
            seat = self.seat_at(place)
            if is_deaf and isinstance(read_message(data), Plea):
                continue
            if session.is_sitting(seat, self.key_at(place)):
                effects += session.receive_all([(seat, data)], self.now_ms, WALL_MS + self.now_ms)
            else:
                effects += session.receive_aside(seat, data, self.now_ms)
        return effects

    def _show(self, seat: Seat, peer: SimPeer, sight: fx.Sight) -> None:
        super()._show(seat, peer, sight)
        if seat == 0:
            self.seen.append(sight)
        if isinstance(sight, fx.TableFormed) and seat not in self._persons:
            self._carry_out_all(seat, peer.session.want(Want.AS_OTHERS))
        if seat in self.stands_in and peer.session.is_relieved and not peer.is_down:
            # Its process has nothing left to do.
            self.die(1, seat)
        if isinstance(sight, fx.SeatHeld) and sight.by == seat and seat not in self.stands_in:
            key = peer.session.play.final.signers[sight.seat][-1].key
            if key not in self._started:
                # Its owner starts it once it has the seat.
                self._started.add(key)
                self._at(300, seat, lambda: self._start(seat, sight.seat, key))

    def _start(self, by: Seat, seat: Seat, key: bytes) -> None:
        identity, secret, _ = self._programs[key]
        heading = read_journal(self.peers[by].journal[:2])
        setup = setup_from(heading, identity, secret, seat)
        session = Session.restored(setup, heading, [], self.now_ms, WALL_MS + self.now_ms)
        place = len(self.peers)
        self._setups.append(setup)
        self.peers.append(SimPeer(session, self._new_bot(seat, place), self.peers[by].journal[:2]))
        self.stands_in[place] = seat
        self._carry_out(Seat(place), session.start(self.now_ms))
        self._sleep(Seat(place), self.peers[place])

    def waited_for(self) -> list[SimPeer]:
        """The machines that sit at the end."""
        return self._waited_for()

    def die(self, after_ms: float, place: int) -> None:
        """A machine stops for good."""

        def act() -> None:
            self.peers[place].is_down = True

        self._at(after_ms, 0, act)

    def _waited_for(self) -> list[SimPeer]:
        return [
            peer
            for place, peer in enumerate(self.peers)
            if self.peers[0].session.is_sitting(self.seat_at(place), self.key_at(place))
        ]


def signers_of(sim: Sim, seat: int) -> tuple[int, ...]:
    """Of which keys the incarnations of a seat are: 0 its player's, else as they came."""
    final = sim.peers[0].session.play.final
    keys = [signer.key for signer in final.signers[seat]]
    known: Mapping[bytes, int] = {key: place for place, key in enumerate(dict.fromkeys(keys))}
    return tuple(known[key] for key in keys)
