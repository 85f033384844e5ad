"""Seats that cheat: honest machines that say one thing otherwise, with the best proof that they can make."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache, partial

from msgspec import structs
from sim_helpers import STUB, short_rules

from kemps_p2p.codec import Digest, decode, derive, encode
from kemps_p2p.deck.context import Secrets, Stage
from kemps_p2p.deck.deal import Deck, Turn, list_digest
from kemps_p2p.deck.group import Group, Point
from kemps_p2p.deck.shuffle import Blinded, Reblinding, Statement, prove, reblind, reblinding
from kemps_p2p.deck.state import list_before
from kemps_p2p.errors import PeerFault
from kemps_p2p.ids import Seat
from kemps_p2p.ledger import tape
from kemps_p2p.ledger.entry import Entry
from kemps_p2p.ledger.identity import Identity
from kemps_p2p.ledger.tape import ITEM_LABEL, Append, CoinReveal, Deed, Item, Signed, TapeItem, check_form
from kemps_p2p.runtime.sim import PERFECT, Machine, Sim
from kemps_p2p.session import dealing
from kemps_p2p.session.dealing import Job
from kemps_p2p.session.deeds import ReadItem
from kemps_p2p.session.genesis import Founding
from kemps_p2p.session.lobby import Setup
from kemps_p2p.session.messages import Batch, DeedBody, TurnDeed, pack, read_deed, read_message
from kemps_p2p.session.play import Play
from kemps_p2p.session.session import Session

Said = tape.Statement


@dataclass(frozen=True)
class Cheat:
    """How one seat cheats. Each function returns None where it leaves things as they are.

    `deed`: another deed. `turn`: another turn, from the deck before it and the seat's seed. `entry`: another
    entry. `nuisance`: what the seat says once, in an item of its own. `wait`: whether a deed is kept back.
    `hides`: on duty, the seat orders nothing once there is something to blame it for.
    """

    deed: Callable[[Play, DeedBody], DeedBody | None] = lambda play, body: None
    turn: Callable[[Deck, Seat, bytes], Turn | None] = lambda deck, seat, seed: None
    entry: Callable[[Play, Entry], Entry | None] = lambda play, entry: None
    nuisance: Callable[[Play], tuple[Said, ...] | None] = lambda play: None
    wait: Callable[[Play, DeedBody], bool] = lambda play, body: False
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
            self._has_annoyed = True
            self._annoy(nuisance, now_ms)
        super()._write(tuple(self._forged(said) for said in body), now_ms)

    def _annoy(self, body: tuple[Said, ...], now_ms: int) -> None:
        """Say it; an item that is none goes to the others alone, since this machine would not survive it."""
        item = self._writer.write(body)
        try:
            check_form(item.item)
        except PeerFault:
            pass
        else:
            self._take(item, now_ms)
        self._to_send.append(item.signed)

    def _is_kept(self, said: Said) -> bool:
        return isinstance(said, Deed) and self.cheat.wait(self, read_deed(said.payload))

    def _forged(self, said: Said) -> Said:
        match said:
            case Deed(payload=payload):
                deed = self.cheat.deed(self, read_deed(payload))
                return said if deed is None else Deed(payload=encode(deed))
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
                self._unverified.append(deed)


class CheatingSession(Session):
    """A session whose match is played by a `CheatingPlay`."""

    def __init__(self, setup: Setup, cheat: Cheat) -> None:
        super().__init__(setup)
        self._cheat = cheat

    def _make_play(self, founding: Founding, now_ms: int, wall_ms: int) -> Play:
        play = CheatingPlay(self._setup, founding, self._lobby.coins, now_ms, wall_ms)
        play.cheat = self._cheat
        return play


def seated(seat: int, cheat: Cheat) -> Machine:
    """Machines for a table at which one seat cheats."""
    return lambda setup: CheatingSession(setup, cheat) if setup.seat == seat else Session(setup)


@lru_cache(maxsize=64)
def first_on_duty(seed: int) -> Seat:
    """Who orders deal 0 at a table of four: drawn in the lobby, so the same whatever happens later."""
    sim = Sim(rules=short_rules(), players=4, seed=seed, group=STUB, net=PERFECT)
    sim.run(200)
    return sim.peers[0].session.play.tip.on_duty


# A forked tape


class Fork:
    """A network that shows two halves of the table two different items at one number of a seat's tape.

    `wants` picks the item: the first of the seat's tape for which it is true.
    """

    def __init__(self, seed: int, cheat: int, wants: Callable[[Item], bool], half: frozenset[int]) -> None:
        root = derive("kemps/v1/sim", seed.to_bytes(16, "big", signed=True))
        self._key = Identity.derived(root, f"seat {cheat}")
        self._cheat, self._wants, self._half = cheat, wants, half
        self._other: dict[bytes, Signed] = {}

    def __call__(self, sender: Seat, receiver: Seat, data: bytes) -> bytes:
        message = read_message(data)
        if sender != self._cheat or receiver not in self._half or not isinstance(message, Batch):
            return data
        return pack(Batch(items=tuple(map(self._shown, message.items))))

    def _shown(self, signed: Signed) -> Signed:
        if signed.raw in self._other:
            return self._other[signed.raw]
        item = decode(signed.raw, Item)
        is_entry = isinstance(item.body[0], Append)
        if self._other or item.seat != self._cheat or is_entry or not self._wants(item):
            return signed
        other = structs.replace(item, body=(*item.body, CoinReveal(index=0, coin=b"other")))
        raw = encode(other)
        self._other[signed.raw] = Signed(raw=raw, signature=self._key.sign(ITEM_LABEL, raw))
        return self._other[signed.raw]

    @property
    def has_forked(self) -> bool:
        """True once the halves have been shown different items."""
        return bool(self._other)


def at_number(number: int) -> Callable[[Item], bool]:
    return lambda item: item.number == number


def with_turn(deal: int) -> Callable[[Item], bool]:
    """The item with the seat's turn in the first round of a deal."""

    def wants(item: Item) -> bool:
        deeds = [read_deed(said.payload) for said in item.body if isinstance(said, Deed)]
        return any(isinstance(deed, TurnDeed) and (deed.deal, deed.round) == (deal, 0) for deed in deeds)

    return wants


# False turns


@dataclass(frozen=True)
class Scene:
    """Where a cheat stands when it is its turn: the list, and what an honest seat would make of it."""

    deck: Deck
    seat: Seat
    seed: bytes
    inputs: Blinded
    secret: Reblinding
    outputs: Blinded

    @property
    def group(self) -> Group:
        return self.deck.table.group

    @property
    def key(self) -> Point:
        assert self.deck.joint_key is not None
        return self.deck.joint_key

    def proven(self, outputs: Blinded) -> Turn:
        """The turn with these outputs, and the proof that the equations give for them."""
        return self.turn(self.inputs, outputs, list_digest(self.deck))

    def turn(self, inputs: Blinded, outputs: Blinded, named: Digest) -> Turn:
        context = self.deck.context(self.seat, Stage.TURN)
        proof = prove(Statement(context, self.key, inputs, outputs), self.secret, self.seed)
        return Turn(input=named, a=outputs.a, c=outputs.c, proof=proof)


def scene(deck: Deck, seat: Seat, seed: bytes) -> Scene:
    assert deck.joint_key is not None
    inputs = list_before(deck, seat)
    secret = reblinding(Secrets(seed, list_digest(deck)), len(deck.cards))
    return Scene(deck, seat, seed, inputs, secret, reblind(deck.table.group, deck.joint_key, inputs, secret))


def put(points: tuple[Point, ...], index: int, point: Point) -> tuple[Point, ...]:
    return (*points[:index], point, *points[index + 1 :])


def duplicate_card(at: Scene) -> Turn:
    """Output 0 is another encryption of the card in output 1."""
    source, group = at.secret.order[1], at.group
    a = group.add(at.inputs.a[source], group.base_mul(99))
    c = group.add(at.inputs.c[source], group.mul(99, at.key))
    return at.proven(Blinded(put(at.outputs.a, 0, a), put(at.outputs.c, 0, c)))


def replaced_card(at: Scene) -> Turn:
    """Output 0 is a point that is no card."""
    return at.proven(Blinded(at.outputs.a, put(at.outputs.c, 0, at.group.base_mul(12345))))


def tagged_card(at: Scene) -> Turn:
    """The two halves of output 2 are re-encrypted with different factors."""
    source, factor = at.secret.order[2], at.secret.factors[2]
    a = at.group.add(at.inputs.a[source], at.group.base_mul(factor + 1))
    return at.proven(Blinded(put(at.outputs.a, 2, a), at.outputs.c))


def list_of_its_own(at: Scene) -> Turn:
    """A true shuffle, truly proven, of a list that the seat before did not leave."""
    secret = replace(at.secret, factors=tuple(factor + 1 for factor in at.secret.factors))
    made_up = reblind(at.group, at.key, at.inputs, secret)
    return at.turn(made_up, reblind(at.group, at.key, made_up, at.secret), Digest(bytes(32)))


def list_of_its_own_under_the_right_name(at: Scene) -> Turn:
    made_up = reblind(at.group, at.key, at.inputs, at.secret)
    return at.turn(made_up, reblind(at.group, at.key, made_up, at.secret), list_digest(at.deck))
