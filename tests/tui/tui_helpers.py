"""Tables to draw, and a person's terminal at a real table of one process, without slow cryptography."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from random import Random

from textual.pilot import Pilot

from kemps_p2p.bots.bot import Bot, Pace
from kemps_p2p.bots.player import Player
from kemps_p2p.game.actions import Action, Admit, Deny, Go, Next, Pass
from kemps_p2p.game.record import Phase
from kemps_p2p.game.rules import RuleSet, deal_cards, load_rules, override
from kemps_p2p.game.seating import partner_of
from kemps_p2p.game.table import Table, layout_of
from kemps_p2p.game.views import SeatView, options, seat_view
from kemps_p2p.ids import Seat
from kemps_p2p.runtime.local import SoloPlan, chairs, play_on, play_with
from kemps_p2p.runtime.runner import Outcome
from kemps_p2p.runtime.sitting import Sitting
from kemps_p2p.runtime.transport import new_event_loop
from kemps_p2p.session.messages import Want
from kemps_p2p.tui.app import TableApp
from kemps_p2p.tui.desk import Page, Request
from kemps_p2p.tui.glance import Glance, Switches
from kemps_p2p.tui.paint import Sheet
from kemps_p2p.tui.recent import Recent
from kemps_p2p.wording.look import Look
from kemps_p2p.wording.people import People
from kemps_p2p.wording.scene import Scene

STUB = "stub-insecure"
SHORT = override(load_rules("kemps"), {"look_ms": 0, "word": "K", "first_dealer": "seat-0"})
"""One wrong call ends a match."""
LIMIT_S = 50
WAIT_S = 20
"""So long may an evening take on a machine that has much else to do; else it hangs."""
SIZES = ((60, 20), (80, 24), (200, 60))
NAMES = ("Anna", "Ben", "Carla", "Dan", "Eva", "Finn", "Greta", "Hugo",
         "Ines", "Jon", "Kira", "Leo", "Mila", "Nils", "Olga", "Paul")  # fmt: skip


# Tables to draw


def table_of(rules: RuleSet, players: int) -> Table:
    """A table whose first deal lies, open for play."""
    order = Random(7)

    def lay(_state: object) -> object:
        cards = list(deal_cards(rules, players))
        order.shuffle(cards)
        return layout_of(cards, players, rules.pool_size)

    table = Table.seated(rules, players, Seat(0), lay)  # type: ignore[arg-type]
    table.act(Seat(0), Next())
    if table.state.phase is Phase.DEALT:
        table.act(Seat(0), Go())
    return table


def view_of(table: Table, seat: int) -> SeatView:
    """What a seat sees."""
    return seat_view(table.state, Seat(seat), table.hand(Seat(seat)))


def glance_of(view: SeatView, *, is_ascii: bool = False) -> Glance:
    """A look at a table at which nothing has happened lately."""
    own = {held.position: held.card for held in view.hand}
    people = People(view.players, NAMES[: view.players])
    partner = partner_of(view.seat, view.players)
    return Glance(
        seat=view.seat,
        partner=partner,
        people=people,
        owners=people,
        words="cobalt otter vivid",
        view=view,
        pool=view.state.pool,
        hand=view.state.hands[view.seat],
        scene=Scene(people, view.rules, {**view.state.faces, **own}, is_ascii),
        waits=(),
        wants=(Want.PLAY_ON,) * view.players,
        silent_teams=(),
        away=(),
        can_vote_absent=(),
        can_offer=(),
        is_looking_on=False,
        offers=(),
        is_paused=False,
        is_held=False,
        signal=None,
        agreed=None,
        offered=None,
        proposed=None,
        has_returned=False,
        book=None,
        lost_books=(),
        can_seal=False,
        has_bots=False,
        rematch=(),
        gone=(),
        is_closed=False,
        log=None,
        take=(),
        give=(),
        draft=None,
        targets=(),
        watched=partner,
        can=frozenset(),
        recent=Recent(),
        switches=Switches(),
        now_ms=1000,
    )


# A person at a terminal


class Dealing(Player):
    """Deals, answers and passes where it must, and takes nothing: the rest is the person's."""

    def __init__(self, seat: Seat) -> None:
        self._seat = seat
        self._wake_at_ms: int | None = None

    def greet(self) -> str | None:
        return "signal: yawn"

    def whispered(self, text: str) -> str | None:
        return None if text.startswith("agreed") else f"agreed{text.removeprefix('signal')}"

    @property
    def wake_at_ms(self) -> int | None:
        return self._wake_at_ms

    def decide(self, view: SeatView, now_ms: int) -> Action | None:
        action = self._due(view)
        if action is None:
            self._wake_at_ms = None
            return None
        is_due = self._wake_at_ms is not None and self._wake_at_ms <= now_ms
        if is_due or self._wake_at_ms is None:
            self._wake_at_ms = now_ms + (200 if isinstance(action, Next) else 20)
        return action if is_due else None

    @staticmethod
    def _due(view: SeatView) -> Action | None:
        if view.phase in (Phase.SEATED, Phase.DEAL_OVER):
            return Next() if view.next_dealer == view.seat else None
        if view.call is not None and view.seat in view.call.owes_answer:
            return next(action for action in options(view) if isinstance(action, Admit | Deny))
        is_turn = view.phase is Phase.OPEN and view.turn == view.seat
        return Pass(pool=view.state.pool) if is_turn and view.seat not in view.passes else None


def dealing(seat: Seat, _chances: Random) -> Player:
    """Bots that leave everything to the person."""
    return Dealing(seat)


def quick(players: int) -> Callable[[Seat, Random], Player]:
    """Bots that play at once."""
    return lambda seat, chances: Bot(seat, players, chances, Pace.FAST)


class Person:
    """Fingers and eyes at a terminal."""

    def __init__(self, app: TableApp, pilot: Pilot[Request], *, has_mouse: bool) -> None:
        self.app = app
        self.pilot = pilot
        self.has_mouse = has_mouse

    @property
    def sitting(self) -> Sitting:
        return self.app.desk.sitting

    @property
    def sheet(self) -> Sheet:
        sheet = self.app.stage.sheet
        assert sheet is not None
        return sheet

    @property
    def screen(self) -> str:
        """What is on the screen, as text."""
        return self.sheet.text()

    async def until(self, holds: Callable[[], object]) -> None:
        """Wait until something holds; the table gets on meanwhile."""
        deadline = time.monotonic() + WAIT_S
        while not holds():
            assert time.monotonic() < deadline, f"waited in vain:\n{self.screen}"
            await asyncio.sleep(0.005)
        await self.pilot.pause()

    async def until_page(self, page: Page) -> None:
        await self.until(lambda: self.app.desk.page() is page)
        self.app.paint()

    async def do(self, key: str) -> None:
        """Press a key, or click where that key can be clicked."""
        if not self.has_mouse:
            await self.pilot.press(key)
            return
        zone = next((zone for zone in reversed(self.sheet.zones) if zone.key == key), None)
        assert zone is not None, f"{key} cannot be clicked:\n{self.screen}"
        at = (zone.x + zone.width // 2, zone.y + zone.height // 2)
        assert self.sheet.key_at(*at) == key, f"{key} lies below something"
        await self.pilot.mouse_down(offset=at)
        await self.pilot.mouse_up(offset=at)


def evening(
    home: Path,
    script: Callable[[Person], Awaitable[None]],
    *,
    rules: RuleSet = SHORT,
    players: int = 4,
    seated: Callable[[Seat, Random], Player] = dealing,
    size: tuple[int, int] = (80, 24),
    look: Look | None = None,
    has_colour: bool = True,
    has_mouse: bool = False,
    limit_s: float = LIMIT_S,
) -> Outcome:
    """One person's evening at a terminal, from sitting down to leaving."""
    look = look or Look(is_plain=False, is_ascii=False, colours=4, has_tutorial=False)

    async def screen(sitting: Sitting) -> None:
        app = TableApp(sitting, look, has_colour=has_colour)
        async with app.run_test(size=size) as pilot:
            await script(Person(app, pilot, has_mouse=has_mouse))

    async def run() -> Outcome:
        plan = SoloPlan(name="Mia", players=players, rules=rules, home=home, seed=1)
        own, others = chairs(plan)
        bots = [play_on(replace(chair, group=STUB), seated, Random(int(chair.seat))) for chair in others]
        return await asyncio.wait_for(play_with(replace(own, group=STUB), bots, screen), limit_s)

    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        return runner.run(run())
