"""Races on a real table: one simulated match after another, in which two seats want the same at once.

Every seat is the real session on `runtime.sim`; only who claims what, and when, is the experiment's. A race
begins when all is final everywhere, and is over when both claims are settled and final at every seat.
"""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from enum import Enum
from itertools import islice

from kemps_p2p.bots.player import Player
from kemps_p2p.codec import Digest
from kemps_p2p.deck.group import STUB
from kemps_p2p.errors import KempsError
from kemps_p2p.game.actions import Action, Call, Counter, Next, Partner, Swap
from kemps_p2p.game.events import Called, Swapped, Verdicts
from kemps_p2p.game.events import Event as GameEvent
from kemps_p2p.game.record import BETWEEN_DEALS, Phase
from kemps_p2p.game.rules import RuleSet, load_rules, override
from kemps_p2p.game.views import SeatView
from kemps_p2p.ids import Position, Seat
from kemps_p2p.lab.cheats import Casting, cast
from kemps_p2p.lab.nets import Lines
from kemps_p2p.lab.policies import Policy, poll
from kemps_p2p.ledger.entry import Contest, LogRecord, Result, Ruled, Settled, entry_of
from kemps_p2p.ledger.entry import Event as LedgerEvent
from kemps_p2p.ledger.tape import TapeItem, open_item
from kemps_p2p.runtime.sim import Sim
from kemps_p2p.session import effects as fx
from kemps_p2p.session.logfile import read_object
from kemps_p2p.session.match import Match

RACE_LIMIT_MS = 20_000
DEAL_LIMIT_MS = 60_000
DEAL_AGAIN_US = 20_000
PAUSE_US = 5_000
"""A race begins so long after the one before it, or up to twice as long."""


class Race(Enum):
    """What is raced for: a card, or who calls first, by what the rules say of calls that are together."""

    EXCHANGE = "exchange"
    CALL = "call"
    COUNTER_FIRST = "counter-first"
    BOTH = "both"


class Standstill(KempsError):
    """A race that came to no end: a simulated table that does not go on."""


@dataclass(frozen=True, slots=True)
class Heat:
    """A race to be run. `lead_us`: how much earlier `first` acts than `second`; 0 for a dead heat.

    `lead_us` None: `second` is a cheat, which acts by itself. `second` None: nobody else wants anything.
    """

    first: Seat
    second: Seat | None
    lead_us: int | None = 0

    @property
    def seats(self) -> frozenset[Seat]:
        """Who may win."""
        return frozenset((self.first,) if self.second is None else (self.first, self.second))


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a race. `winners`: whose claims were carried out; of two calls it may be both, or nobody.

    `claims`: by seat, those that were made; a seat that sees itself that it is late makes none. `known_ms`
    and `final_ms`: of a winner, from its own click. `items`: what seat 0's tapes have of the race.
    """

    heat: Heat
    winners: tuple[Seat, ...]
    is_together: bool
    claims: Mapping[Seat, TapeItem]
    known_ms: float | None
    final_ms: float | None
    items: tuple[TapeItem, ...]


class _Idle(Player):
    """Does nothing by itself."""

    def decide(self, view: SeatView, now_ms: int) -> Action | None:
        """Nothing."""
        del view, now_ms
        return None


def race_rules(race: Race) -> RuleSet:
    """Kemps without the times that nobody races in, and with as long a match as there can be."""
    calls = "first" if race in (Race.EXCHANGE, Race.CALL) else race.value
    changes = {"look_ms": 0, "auto_pass_s": 0, "word": "KEMPSKEMPSKEMPSK", "simultaneous_calls": calls}
    return override(load_rules("kemps"), changes)


class Track:
    """One match in which races are run, as many as it lasts."""

    def __init__(
        self,
        *,
        players: int,
        seed: int,
        net: Lines,
        race: Race = Race.EXCHANGE,
        policy: Policy = poll,
        casting: Casting = lambda seat, founding: None,
        is_observed: bool = False,
        group: str = STUB.name,
    ) -> None:
        self._rng = random.Random(f"kemps races {seed}")
        self._net = net
        self._race = race
        self._records: list[bytes] = []
        self._winners: list[Seat] = []
        self._known_us: dict[Seat, int] = {}
        self._final_us: dict[Seat, int] = {}
        self._acted_us: dict[Seat, int] = {}
        self.sim = Sim(
            rules=race_rules(race),
            players=players,
            seed=seed,
            group=group,
            net=net,
            machine=cast(casting, policy),
            players_at={Seat(seat): _Idle() for seat in range(players)},
            watch=self._watch,
            observers=int(is_observed),
        )
        self._plans = 0
        net.deal_lines(len(self.sim.peers), self._rng)
        self.sim.start()
        while not all(peer.session.has_begun for peer in self.sim.peers):
            self.sim.step()
        self._deal()

    # What is known

    @property
    def dealer(self) -> Seat:
        """Who orders."""
        return self._final.on_duty

    @property
    def is_over(self) -> bool:
        """True once no further race can be run in this match."""
        return self._final.game.phase is Phase.MATCH_OVER

    @property
    def _final(self) -> Match:
        return self.sim.peers[0].session.play.final

    # Races

    def run(self, *heats: Heat) -> list[Outcome]:
        """Run some races side by side, each of other seats and for another card. Raises `Standstill`."""
        self._net.deal_lines(len(self.sim.peers), self._rng)
        self._records.clear()
        self._winners.clear()
        for times in (self._acted_us, self._known_us, self._final_us):
            times.clear()
        items_before = len(self.sim.peers[0].session.play.tapes.by_digest)
        cards = self._rng.sample(self._final.game.pool, len(heats))
        pause_us = self._rng.randrange(PAUSE_US, 2 * PAUSE_US)
        for heat, card in zip(heats, cards, strict=True):
            self._act(heat.first, pause_us, self._wish(heat.first, heat, card))
            if heat.second is not None and heat.lead_us is not None:
                self._act(heat.second, pause_us + heat.lead_us, self._wish(heat.second, heat, card))
        self._run_until(self._is_run, RACE_LIMIT_MS)
        items = tuple(islice(self.sim.peers[0].session.play.tapes.by_digest.values(), items_before, None))
        claims, together = self._settled()
        outcomes = [self._outcome(heat, claims, together, items) for heat in heats]
        if self._race is not Race.EXCHANGE and not self.is_over:
            self._deal()
        return outcomes

    def _wish(self, seat: Seat, heat: Heat, card: Position) -> Action:
        if self._race is Race.EXCHANGE:
            return Swap(take=(card,), give=(self._rng.choice(self._final.game.hands[seat]),))
        if seat == heat.second:
            return Call(calls=(Counter(target=self._final.team_of(heat.first)),))
        return Call(calls=(Partner(),))

    def _act(self, seat: Seat, after_us: int, action: Action) -> None:
        def choose(_view: SeatView) -> Action:
            self._plans -= 1
            self._acted_us[seat] = self.sim.now_us
            return action

        self._plans += 1
        self.sim.plan(after_us, seat, choose)

    def _deal(self) -> None:
        """Start the next deal, as soon as its deck is shuffled, and wait until all is open."""

        def deal(view: SeatView) -> Action | None:
            if view.phase not in BETWEEN_DEALS:
                return None
            self.sim.plan(DEAL_AGAIN_US, dealer, deal)
            return Next()

        dealer = self._final.game.dealer
        self.sim.plan(DEAL_AGAIN_US, dealer, deal)
        self._run_until(lambda: self._final.game.phase is Phase.OPEN and self._is_quiet(), DEAL_LIMIT_MS)

    def _run_until(self, is_done: Callable[[], bool], limit_ms: int) -> None:
        """Go on until it is done, which is asked whenever something has become final or was claimed."""
        sim = self.sim
        limit_us = sim.now_us + limit_ms * 1000
        known: dict[Seat, tuple[int, int]] = {}
        while True:
            seat = sim.step()
            news = self._plans, sim.peers[seat].session.play.final.head.index
            if known.get(seat) != news:
                known[seat] = news
                if is_done():
                    return
            if sim.now_us > limit_us:
                raise Standstill(f"a table of {len(sim.peers)} stands still after {limit_ms} ms")

    def _is_run(self) -> bool:
        """True if all have acted and everything is settled; a race of calls ends a deal."""
        ends_deal = self._race is not Race.EXCHANGE
        is_ended = all(
            (peer.session.play.final.game.phase in BETWEEN_DEALS) is ends_deal for peer in self.sim.peers
        )
        return self._plans == 0 and is_ended and self._is_quiet()

    def _is_quiet(self) -> bool:
        """True if all is final everywhere, and every card that lies open is known."""
        plays = [peer.session.play for peer in self.sim.peers]
        index = plays[0].tip.head.index
        return all(
            play.tip.head.index == play.final.head.index == index
            and not play._book.undecided
            and not play.final.contests
            and play.final.game.faces.keys() >= set(play.final.game.pool)
            for play in plays
        )

    def _settled(self) -> tuple[dict[Seat, TapeItem], set[Seat]]:
        """The claims that were settled, by seat, and the seats whose claims were together."""
        tapes = self.sim.peers[0].session.play.tapes.by_digest
        claims: dict[Seat, TapeItem] = {}
        together: set[Seat] = set()
        for event in self._events():
            match event:
                case Settled(claim=claim):
                    names: tuple[Digest, ...] = (claim,)
                case Contest(claims=names) | Ruled(order=names):
                    together.update(tapes[name].seat for name in names)
                case _:
                    continue
            for name in names:
                claims.setdefault(tapes[name].seat, tapes[name])
        return claims, together

    def _outcome(
        self, heat: Heat, claims: Mapping[Seat, TapeItem], together: Set[Seat], items: tuple[TapeItem, ...]
    ) -> Outcome:
        winners = tuple(seat for seat in self._winners if seat in heat.seats)
        return Outcome(
            heat=heat,
            winners=winners,
            is_together=not together.isdisjoint(heat.seats),
            claims={seat: item for seat, item in claims.items() if seat in heat.seats},
            known_ms=self._since_click(winners, self._known_us),
            final_ms=self._since_click(winners, self._final_us),
            items=items,
        )

    def _events(self) -> Iterator[LedgerEvent]:
        founding = self._final.founding
        for data in self._records:
            record = read_object(data)
            if isinstance(record, LogRecord):
                entry = entry_of(open_item(record.entry, founding.match, founding.signers))
                assert entry is not None, "a record holds an entry"
                yield from entry.events

    def _since_click(self, winners: Sequence[Seat], times_us: Mapping[Seat, int]) -> float | None:
        """From the click of the first winner; None if that is a cheat, who was not told when to click."""
        winner = next(iter(winners), None)
        if winner is None or winner not in times_us or winner not in self._acted_us:
            return None
        return (times_us[winner] - self._acted_us[winner]) / 1000

    # Watching

    def _watch(self, seat: Seat, effect: fx.Effect, _now_ms: int) -> None:
        match effect:
            case fx.Append(file=fx.File.LOG, data=data) if seat == 0:
                self._records.append(data)
            case fx.Show(sight=fx.Known(action=Swap() | Call(), result=Result.OK | Result.WAITING)):
                self._known_us.setdefault(seat, self.sim.now_us)
            case fx.Show(sight=fx.Happened(events=events)):
                for event in events:
                    self._note(seat, event)
            case _:
                pass

    def _note(self, seat: Seat, event: GameEvent) -> None:
        """A card was taken, a call was made, or it has been judged; as it became final at a seat."""
        match event:
            case Swapped(seat=actor) | Called(seat=actor) if actor == seat:
                self._final_us.setdefault(seat, self.sim.now_us)
            case _:
                pass
        match event:
            case Swapped(seat=actor) | Verdicts(seat=actor) if seat == 0:
                self._winners.append(actor)
            case _:
                pass
