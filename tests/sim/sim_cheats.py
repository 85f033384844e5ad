"""Seats that cheat: honest machines that say one thing otherwise, and what honest peers must make of them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial

from msgspec import structs
from sim_helpers import (
    STUB,
    blames_in,
    check_whole_match,
    deeds_in,
    honest_faults,
    journaled,
    play_match,
    short_rules,
)

from kemps_p2p.codec import Digest, decode, encode
from kemps_p2p.deck.deal import Deck, Turn
from kemps_p2p.errors import Fault, PeerFault
from kemps_p2p.game.record import Phase
from kemps_p2p.ids import Seat
from kemps_p2p.ledger import tape
from kemps_p2p.ledger.entry import Entry
from kemps_p2p.ledger.tape import Append, Claim, CoinReveal, Deed, TapeItem, check_form
from kemps_p2p.runtime.sim import PERFECT, ROUGH, Machine, Net, Sim, Stop
from kemps_p2p.session import dealing
from kemps_p2p.session import effects as fx
from kemps_p2p.session.dealing import Job
from kemps_p2p.session.deeds import ReadItem
from kemps_p2p.session.genesis import Founding
from kemps_p2p.session.lobby import Setup
from kemps_p2p.session.match import Match
from kemps_p2p.session.messages import Batch, DeedBody, ShareDeed, TurnDeed, pack, read_deed
from kemps_p2p.session.play import Play
from kemps_p2p.session.session import Session

Said = tape.Statement


@dataclass(frozen=True)
class Cheat:
    """How one seat cheats. Each function returns None where it leaves things as they are.

    `deed`: another deed. `turn`: another turn, from the deck before it and the seat's seed. `claim`: another
    claim. `spray`: claims that follow a claim, each in an item of its own. `entry`: another entry.
    `nuisance`: what the seat says once, in an item of its own; `repeats`: as often as it is asked for
    something to say. `wait`: whether a deed is kept back.
    `keeps_coins`: no coin is revealed. `hides`: on duty, the seat orders nothing once it is to be blamed.
    """

    deed: Callable[[Play, DeedBody], DeedBody | None] = lambda play, body: None
    turn: Callable[[Deck, Seat, bytes], Turn | None] = lambda deck, seat, seed: None
    claim: Callable[[Play, Claim], Claim | None] = lambda play, claim: None
    spray: Callable[[Play, Claim], tuple[Claim, ...]] = lambda play, claim: ()
    entry: Callable[[Play, Entry], Entry | None] = lambda play, entry: None
    nuisance: Callable[[Play], tuple[Said, ...] | None] = lambda play: None
    repeats: bool = False
    wait: Callable[[Play, DeedBody], bool] = lambda play, body: False
    keeps_coins: bool = False
    hides: bool = False


class CheatingPlay(Play):
    """Says what its cheat makes of it, and then looks at that as any other seat would."""

    cheat = Cheat()
    _has_annoyed = False
    _has_lied = False

    def _begin(self, job: Job) -> None:
        if isinstance(job.work, partial) and job.work.func is dealing._made_turn:
            job = Job(None, partial(self._made_turn, *job.work.args))
        super()._begin(job)

    def _made_turn(self, deck: Deck, seat: Seat, seed: bytes, on: Digest) -> TurnDeed:
        honest = dealing._made_turn(deck, seat, seed, on)
        turn = self.cheat.turn(deck, seat, seed)
        return honest if turn is None else structs.replace(honest, turn=turn)

    def _write(self, body: tuple[Said, ...], now_ms: int) -> None:
        nuisance = None if self._has_annoyed else self.cheat.nuisance(self)
        if nuisance is not None:
            self._has_annoyed = not self.cheat.repeats
            self._annoy(nuisance, now_ms)
        super()._write(tuple(self._forged(said) for said in body), now_ms)
        for claim in (said for said in body if isinstance(said, Claim)):
            for more in self.cheat.spray(self, claim):
                super()._write((more,), now_ms)

    def _annoy(self, body: tuple[Said, ...], now_ms: int) -> None:
        """Say it; an item that is none goes to the others alone, since this machine would not survive it."""
        item = self._writer.write(body)
        try:
            check_form(item.item)
        except PeerFault:
            pass
        else:
            self._take(item, now_ms)
        self._effects.append(fx.Send(pack(Batch(items=(item.signed,)))))

    def _is_kept(self, said: Said) -> bool:
        match said:
            case Deed(payload=payload):
                return self.cheat.wait(self, read_deed(payload))
            case CoinReveal():
                return self.cheat.keeps_coins
            case _:
                return False

    def _forged(self, said: Said) -> Said:
        match said:
            case Deed(payload=payload):
                deed = self.cheat.deed(self, read_deed(payload))
                return said if deed is None else Deed(payload=encode(deed))
            case Claim():
                return self.cheat.claim(self, said) or said
            case Append(entry=data):
                entry = self.cheat.entry(self, decode(data, Entry))
                self._has_lied |= entry is not None
                return said if entry is None else Append(entry=encode(entry))
            case _:
                return said

    def _speak(self, now_ms: int) -> bool:
        kept = [said for said in self._to_say if self._is_kept(said)]
        self._to_say = [said for said in self._to_say if said not in kept]
        has_spoken = super()._speak(now_ms)
        self._to_say += kept
        return has_spoken

    def _order(self, now_ms: int) -> bool:
        # Its own false entry does not fold here either.
        is_hiding = self.cheat.hides and bool(self._proofs.bad)
        return not self._has_lied and not is_hiding and super()._order(now_ms)

    def _route(self, item: TapeItem, read: ReadItem) -> None:
        super()._route(item, read)
        if item.seat == self.seat:
            # No seat checks its own deeds; this one would go on believing what everybody refuses.
            for deed in read.deeds:
                self._proofs.good.discard(deed.proof)
                self._proving.offer(deed, is_own=False)


class CheatingSession(Session):
    """A session whose match is played by a `CheatingPlay`."""

    def __init__(self, setup: Setup, cheat: Cheat) -> None:
        super().__init__(setup)
        self._cheat = cheat

    def _make_play(self, founding: Founding, now_ms: int, wall_ms: int) -> Play:
        play = CheatingPlay(self._setup, founding, self._lobby.coins, now_ms, wall_ms)
        play.cheat = self._cheat
        return play


def seated(cheats: Mapping[int, Cheat]) -> Machine:
    """Machines for a table at which some seats cheat."""

    def machine(setup: Setup) -> Session:
        how = cheats.get(setup.seat)
        return Session(setup) if how is None else CheatingSession(setup, how)

    return machine


@lru_cache(maxsize=64)
def first_on_duty(seed: int) -> Seat:
    """Who orders deal 0 at a table of four: drawn in the lobby, so the same whatever happens later."""
    sim = Sim(rules=short_rules(), players=4, seed=seed, group=STUB, net=PERFECT)
    sim.run(200)
    return sim.peers[0].session.play.tip.on_duty


SEED = 3
DUTY = first_on_duty(SEED)
OTHERS = [seat for seat in range(4) if seat != DUTY]
NOTHING = Digest(bytes(32))


def cheated(
    cheat: int,
    how: Cheat,
    *,
    seed: int = SEED,
    word: str = "K",
    net: Net = ROUGH,
    stop: Stop | None = Stop.DONE,
    limit_ms: int = 60_000,
) -> Sim:
    """A match at whose table one seat cheats."""
    return play_match(
        seed,
        net=net,
        rules=short_rules(word),
        machine=seated({cheat: how}),
        liars=frozenset({cheat}),
        limit_ms=limit_ms,
        stop=stop,
    )


def named(sim: Sim, cheat: int, code: Fault) -> None:
    """Every honest peer found this fault of this seat, and none of another's."""
    for faults in honest_faults(sim, frozenset({cheat})):
        assert (code, cheat) in faults
        assert {culprit for _, culprit in faults} == {cheat}


def refused(sim: Sim, cheat: int, code: Fault, *, deal: int = 0) -> Match:
    """The fault is in the log, the deal is lost for the culprit's team and not a card of it was shown."""
    named(sim, cheat, code)
    return lost(sim, cheat, deal=deal)


def lost(sim: Sim, cheat: int, *, deal: int = 0, liars: frozenset[int] = frozenset()) -> Match:
    """All logs name the culprit, whose team loses the deal before a card of it is shown; the match ends."""
    match = check_whole_match(sim, liars=liars | {cheat})
    for seat in range(4):
        assert [event.culprit for event in blames_in(sim, seat)] == [cheat]
    assert match.spoilt == {deal: cheat % 2}
    assert match.game.phase is Phase.MATCH_OVER
    assert match.game.scores[cheat % 2] >= 1
    assert not shares_of_deal(sim, deal)
    return match


def harmless(sim: Sim, cheat: int) -> Match:
    """The match ends as ever; nobody loses by it, and whoever found a fault names the cheat."""
    match = check_whole_match(sim, liars=frozenset({cheat}))
    assert match.game.phase is Phase.MATCH_OVER
    assert blames_in(sim, 0) == []
    for faults in honest_faults(sim, frozenset({cheat})):
        assert {culprit for _, culprit in faults} <= {cheat}
    return match


def shares_of_deal(sim: Sim, deal: int) -> list[ShareDeed]:
    """Every message with shares of a deal, as the peers have written them down."""
    return [
        deed
        for seat in range(4)
        for item in journaled(sim, seat)
        for deed in deeds_in(item)
        if isinstance(deed, ShareDeed) and deed.deal == deal
    ]


def deeds_said(play: Play, seat: int) -> list[DeedBody]:
    """What a seat has published so far, as a machine holds it."""
    tape = [item for item in play.tapes.by_digest.values() if item.seat == seat]
    return [deed for item in sorted(tape, key=lambda item: item.item.number) for deed in deeds_in(item)]
