"""Seats that cheat: honest machines that say one thing otherwise, and what they know besides.

One seat of each kind, for experiments and tests alike. A cheat is data: functions that change what an honest
`Play` is about to say. Nothing here tells whether a cheat is found out; the others at the table do.
"""

from collections.abc import Callable, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TypeAlias
from typing import cast as as_type

from msgspec import structs

from kemps_p2p.codec import Digest, decode, encode
from kemps_p2p.deck.deal import Deck, Turn
from kemps_p2p.errors import IllegalAction, PeerFault
from kemps_p2p.game.actions import Action
from kemps_p2p.ids import Seat
from kemps_p2p.lab.policies import Policy, Table, poll
from kemps_p2p.ledger import tape
from kemps_p2p.ledger.claimbook import ClaimBook, HeldClaim
from kemps_p2p.ledger.entry import Entry, Event
from kemps_p2p.ledger.poll import DecidedSet
from kemps_p2p.ledger.tape import Append, Claim, CoinReveal, Deed, TapeItem, check_form
from kemps_p2p.runtime.sim import Machine
from kemps_p2p.session import dealing
from kemps_p2p.session import effects as fx
from kemps_p2p.session.dealing import Job
from kemps_p2p.session.deeds import ReadItem
from kemps_p2p.session.genesis import Founding
from kemps_p2p.session.lobby import Setup
from kemps_p2p.session.match import past_at
from kemps_p2p.session.messages import Batch, DeedBody, ShareDeed, TurnDeed, pack, read_deed
from kemps_p2p.session.ordering import compose
from kemps_p2p.session.play import Play
from kemps_p2p.session.session import Session

Said: TypeAlias = tape.Statement
Words: TypeAlias = Sequence[HeldClaim]


@dataclass(frozen=True)
class Cheat:
    """How one seat cheats. Each function returns None where it leaves things as they are.

    `deed`: another deed. `turn`: another turn, from the deck before it and the seat's seed. `claim`: another
    claim. `spray`: claims that follow a claim, each in an item of its own. `entry`: another entry.
    `nuisance`: what the seat says once, in an item of its own; `repeats`: as often as it is asked for
    something to say. `wait`: whether a deed is kept back.
    `witness`: of the claims that the seat owes receipts for, those that it gives now, in its own order; the
    others it keeps back. `front_run`: what the seat claims itself as soon as it hears of a claim, before it
    gives the receipt. `wake_ms`: when it thinks again though nothing happens.
    `blind`: on duty, the seat never orders a claim for which this is true. `coin`: another coin.
    `keeps_coins`: no coin is revealed. `hides`: on duty, the seat orders nothing once it is to be blamed.
    `low_stamps`: its claims are stamped as if it had heard of nothing.
    """

    deed: Callable[[Play, DeedBody], DeedBody | None] = lambda play, body: None
    turn: Callable[[Deck, Seat, bytes], Turn | None] = lambda deck, seat, seed: None
    claim: Callable[[Play, Claim], Claim | None] = lambda play, claim: None
    spray: Callable[[Play, Claim], tuple[Claim, ...]] = lambda play, claim: ()
    entry: Callable[[Play, Entry], Entry | None] = lambda play, entry: None
    nuisance: Callable[[Play], tuple[Said, ...] | None] = lambda play: None
    repeats: bool = False
    wait: Callable[[Play, DeedBody], bool] = lambda play, body: False
    witness: Callable[[Play, Words, int], Words | None] = lambda play, owed, now_ms: None
    front_run: Callable[[Play, HeldClaim], Action | None] = lambda play, held: None
    wake_ms: Callable[[Play], int | None] = lambda play: None
    blind: Callable[[Play, HeldClaim], bool] = lambda play, held: False
    coin: Callable[[Play, CoinReveal], CoinReveal | None] = lambda play, said: None
    keeps_coins: bool = False
    hides: bool = False
    low_stamps: bool = False


class _BlindBook:
    """A claim book in which some claims are never decided."""

    def __init__(self, book: ClaimBook, is_blind: Callable[[HeldClaim], bool]) -> None:
        self._book = book
        self._is_blind = is_blind

    def __getattr__(self, name: str) -> object:
        return getattr(self._book, name)

    def decided(self, logged: Set[Digest] = frozenset()) -> tuple[DecidedSet, ...]:
        """The decided sets without those that are not to be seen."""
        seen = self._book.undecided
        found = self._book.decided(logged)
        return tuple(each for each in found if not any(self._is_blind(seen[name]) for name in each.claims))


class CheatingPlay(Play):
    """Says what its cheat makes of it, and then looks at that as any other seat would."""

    cheat = Cheat()
    _has_annoyed = False
    _has_lied = False
    _own_stamp = 0

    @property
    def due_ms(self) -> int | None:
        """When time alone changes something here, or the cheat has something in mind."""
        dues = (super().due_ms, self.cheat.wake_ms(self))
        return min((due for due in dues if due is not None), default=None)

    def _begin(self, job: Job) -> None:
        if isinstance(job.work, partial) and job.work.func is dealing._made_turn:
            job = Job(None, partial(self._made_turn, *job.work.args))
        super()._begin(job)

    def _made_turn(self, deck: Deck, seat: Seat, seed: bytes, on: Digest) -> TurnDeed:
        honest = dealing._made_turn(deck, seat, seed, on)
        turn = self.cheat.turn(deck, seat, seed)
        if turn is None:
            return honest
        false = structs.replace(honest, turn=turn)
        self._false_turns.append(encode(false))
        return false

    def _be_a_nuisance(self, now_ms: int) -> None:
        nuisance = None if self._has_annoyed else self.cheat.nuisance(self)
        if nuisance is not None:
            self._has_annoyed = not self.cheat.repeats
            self._annoy(nuisance, now_ms)

    def _write(self, body: tuple[Said, ...], now_ms: int) -> None:
        self._be_a_nuisance(now_ms)
        forged = tuple(self._forged(said) for said in body)
        self._write_stamped(forged, now_ms)
        if forged != body or any(
            isinstance(said, Deed) and said.payload in self._false_turns for said in forged
        ):
            self.forged.append(self._writer.prev)
        if isinstance(body[0], Append) and forged != body:
            self.lies.append(self._writer.prev)
        for claim in (said for said in body if isinstance(said, Claim)):
            for more in self.cheat.spray(self, claim):
                self._write_stamped((more,), now_ms)
                self.forged.append(self._writer.prev)

    @cached_property
    def lies(self) -> list[Digest]:
        """The items of the false entries that it has said."""
        return []

    @cached_property
    def forged(self) -> list[Digest]:
        """All items that say what an honest machine would not have said there."""
        return []

    def say_again(self) -> None:
        """Owe the shares once more that stood beside a lie: if that item counts for nothing, nor do they."""
        for name in self.forged:
            item = self.tapes.by_digest.get(name)
            for said in () if item is None else item.item.body:
                # Nonsense is no share.
                with suppress(PeerFault):
                    deed = read_deed(said.payload) if isinstance(said, Deed) else None
                    if isinstance(deed, ShareDeed):
                        done = {("share", deed.deal, position) for position in deed.shares.positions}
                        self._dealing._done.difference_update(done)
        self._final_is_new = True

    @cached_property
    def kept_back(self) -> set[object]:
        """What an honest machine would have said or ordered, and this one has not, if only for a while."""
        return set()

    def _is_false_turn(self, said: Said) -> bool:
        return isinstance(said, Deed) and said.payload in self._false_turns

    @cached_property
    def _false_turns(self) -> list[bytes]:
        return []

    def _events(self, now_ms: int) -> tuple[Event, ...]:
        book = _BlindBook(self._book, partial(self.cheat.blind, self))
        self.kept_back.update(
            held.id for held in self._book.undecided.values() if self.cheat.blind(self, held)
        )
        seen = replace(self._sequencing.materials(now_ms), book=as_type(ClaimBook, book))
        return compose(self.tip, self.seat, seen, self._elapsed_ms(now_ms))

    def _write_stamped(self, body: tuple[Said, ...], now_ms: int) -> None:
        seen = self._writer.lamport
        claim = next((said for said in body if isinstance(said, Claim)), None)
        if self.cheat.low_stamps and claim is not None:
            cited = past_at(self.final, claim.head.index)
            self._writer.lamport = max(self._own_stamp, 0 if cited is None else cited.lamport)
        super()._write(body, now_ms)
        self._own_stamp = self._writer.lamport
        self._writer.see(seen)

    def _annoy(self, body: tuple[Said, ...], now_ms: int) -> None:
        """Say it; an item that is none goes to the others alone, since this machine would not survive it."""
        item = self._writer.write(body)
        try:
            check_form(item.item)
        except PeerFault:
            pass
        else:
            self._take(item, now_ms)
        self.forged.append(item.digest)
        self._effects.append(fx.Send(pack(Batch(items=(item.signed,)))))

    def _hold_claims(self, now_ms: int) -> None:
        super()._hold_claims(now_ms)
        for held in tuple(self._holding.owed):
            action = self.cheat.front_run(self, held)
            if action is not None and self._may_claim(action, now_ms):
                claim = Claim(head=self.final.head, action=encode(action), rivals=())
                self._write((claim,), now_ms)
                super()._hold_claims(now_ms)

    def _may_claim(self, action: Action, now_ms: int) -> bool:
        try:
            self.check(action, now_ms)
        except IllegalAction:
            return False
        return True

    def _keep_receipts(self, now_ms: int) -> Words:
        """Take away the receipts that the cheat does not give now."""
        owed = tuple(self._holding.owed)
        given = self.cheat.witness(self, owed, now_ms) if owed else None
        if given is None:
            return ()
        self._holding.owed[:] = given
        kept = tuple(held for held in owed if held not in given)
        self.kept_back.update(held.id for held in kept)
        return kept

    def _claim(self, action: Action, now_ms: int) -> None:
        kept = self._keep_receipts(now_ms)
        super()._claim(action, now_ms)
        self._holding.owed[:0] = kept

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
            case CoinReveal():
                return self.cheat.coin(self, said) or said
            case Append(entry=data):
                entry = self.cheat.entry(self, decode(data, Entry))
                self._has_lied |= entry is not None
                return said if entry is None else Append(entry=encode(entry))
            case _:
                return said

    def _speak(self, now_ms: int) -> bool:
        if not self.cheat.repeats:
            # Though it has nothing else to say. Whoever goes on saying it would never have done.
            self._be_a_nuisance(now_ms)
        kept = [said for said in self._to_say if self._is_kept(said)]
        self.kept_back.update(kept)
        self._to_say = [said for said in self._to_say if said not in kept]
        unsaid = self._keep_receipts(now_ms)
        has_spoken = super()._speak(now_ms)
        self._to_say += kept
        self._holding.owed[:0] = unsaid
        return has_spoken

    def _order(self, now_ms: int) -> bool:
        # Its own false entry does not fold here either.
        is_hiding = self.cheat.hides and bool(self._proofs.bad)
        self._has_lied |= self.tip.head.index < self._proposed_index
        return not self._has_lied and not is_hiding and super()._order(now_ms)

    def _route(self, item: TapeItem, read: ReadItem) -> None:
        super()._route(item, read)
        if item.seat == self.seat:
            # No seat checks its own deeds; this one would go on believing what everybody refuses.
            for deed in read.deeds:
                self._proofs.good.discard(deed.proof)
                self._proving.offer(deed, is_own=False)
            # At once, since it may be on duty and order the deed before there is anything new to see.
            self._proving.verify_offers(self.tip)


Casting: TypeAlias = Callable[[Seat, Founding], Cheat | None]
"""How a seat cheats at a table, once it is known who deals; None: not at all."""


class LabSession(Session):
    """A session of an experiment: by another policy, or with a `CheatingPlay`. Else it is the real one."""

    def __init__(self, setup: Setup, casting: Casting, policy: Policy = poll) -> None:
        super().__init__(setup)
        self._casting = casting
        self._policy = policy

    def _make_play(self, founding: Founding, now_ms: int, wall_ms: int) -> Play:
        if self._policy is not poll:
            table = Table(dealer=lambda: self.play.tip.on_duty, stamp=self._stamp)
            founding = replace(founding, decide=self._policy(table))
        cheat = self._casting(self.seat, founding)
        if cheat is None:
            return Play(self._setup, founding, self._lobby.coins, now_ms, wall_ms)
        play = CheatingPlay(self._setup, founding, self._lobby.coins, now_ms, wall_ms)
        play.cheat = cheat
        return play

    def _stamp(self, claim: Digest) -> int:
        return self.play.tapes.by_digest[claim].item.lamport


def seated(cheats: Mapping[int, Cheat]) -> Machine:
    """Machines for a table at which some seats cheat."""

    def machine(setup: Setup) -> Session:
        how = cheats.get(setup.seat)
        return Session(setup) if how is None else LabSession(setup, lambda _seat, _founding: how)

    return machine


def cast(casting: Casting, policy: Policy = poll) -> Machine:
    """Machines for a table whose cheats depend on who deals, or that orders by another policy."""
    return lambda setup: LabSession(setup, casting, policy)


def deeds_in(item: TapeItem) -> list[DeedBody]:
    """The deeds that an item says."""
    return [read_deed(said.payload) for said in item.item.body if isinstance(said, Deed)]


def deeds_said(play: Play, seat: int) -> list[DeedBody]:
    """What a seat has published so far, as a machine holds it."""
    own = [item for item in play.tapes.by_digest.values() if item.seat == seat]
    return [deed for item in sorted(own, key=lambda item: item.item.number) for deed in deeds_in(item)]
