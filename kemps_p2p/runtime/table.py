"""From an offer or an invitation to the end of a match: one seat of a table, whoever plays it.

Knows nothing of screens: whoever plays the seat is handed a chair. Invariants:

1. A peer whose keys are not in the list that was gathered is let in by nobody.
2. The match begins only among those who came to the table, under the names under which they came.
3. Whatever happens, sockets are closed, the home is free again, and bots of this table are ended.

Section "Joining" of protocol.md.
"""

import asyncio
import random
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from kemps_p2p.bots.player import Player
from kemps_p2p.errors import NotSeated, PortTaken, Unreachable, Unwelcome
from kemps_p2p.game.rules import RuleSet
from kemps_p2p.ledger.identity import Identity
from kemps_p2p.runtime.addresses import PEER_PORTS, PORT, Place, interfaces, shared_addresses
from kemps_p2p.runtime.aftermath import say_farewell
from kemps_p2p.runtime.again import begun_again, shown_to_who_comes_again
from kemps_p2p.runtime.bot_nodes import BotNodes
from kemps_p2p.runtime.chair import FIRST, Before, Chair, Plays, Watch, after
from kemps_p2p.runtime.discovery import Announcer, table_announcement
from kemps_p2p.runtime.gathering import Gathered, Newcomer, Trusts, Waiting, open_mesh
from kemps_p2p.runtime.guests import PERSON, Again
from kemps_p2p.runtime.hosting import Host, HostNews, Plan
from kemps_p2p.runtime.joining import News, join
from kemps_p2p.runtime.known import KnownPlayers
from kemps_p2p.runtime.meeting import seat_of
from kemps_p2p.runtime.process import play_through
from kemps_p2p.runtime.profile import home_held, own_identity
from kemps_p2p.runtime.rejoining import Returned
from kemps_p2p.runtime.roaming import Roaming
from kemps_p2p.runtime.runner import Outcome, Runner
from kemps_p2p.runtime.sitting import Screen, Sitting, attended
from kemps_p2p.runtime.standing import StandIns
from kemps_p2p.runtime.transport import LinkState, PublicKey, TurnedAway
from kemps_p2p.runtime.wayback import WayBack
from kemps_p2p.session import effects as fx
from kemps_p2p.session.session import Session
from kemps_p2p.wording.words import Code

FORM_S = 20.0
"""How long the peers of a table that has gathered may take to reach each other."""
_LOOK_AGAIN_S = 0.2
_MIDDLE_S = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatPlan:
    """Who comes to a table, what it would like, and where it keeps its own. See `Newcomer`.

    `pace`: of a bot that it runs for an absent player.
    """

    name: str
    wish: int
    partner: str
    player: int
    trusts: Trusts
    bind: str | None
    port: int | None
    home: Path
    logs: Path
    give_up_s: float
    pace: str = "normal"

    def newcomer(self, identity: Identity) -> Newcomer:
        """The peer itself, as it comes to a table."""
        return Newcomer(
            identity=identity,
            name=self.name,
            wish=self.wish,
            partner=self.partner,
            player=self.player,
            known=KnownPlayers(self.home),
            trusts=self.trusts,
            bind=self.bind,
            port=self.port,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class TablePlan:
    """What a host offers and where. `only`: the one interface to announce it on; `pace`: that of its bots.

    `port`: None for the usual one, or the next that is free.
    """

    plan: Plan
    bind: str
    port: int | None
    announces: bool
    only: str | None
    pace: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Invitation:
    """Where a table is, its code, and the only rule set to play by, if it matters."""

    place: Place
    code: Code
    expects: RuleSet | None


@dataclass(frozen=True, slots=True)
class Opened:
    """The join port is open: where others reach it. `is_other`: not at the usual one, which is in use."""

    places: tuple[Place, ...]
    is_other: bool


@dataclass(frozen=True, slots=True)
class NotAnnounced:
    """The table is not announced, and why; whoever knows its address can come all the same."""

    why: str


@dataclass(frozen=True, slots=True)
class KeptOut:
    """How often somebody came to this seat's port without the keys for it, once the match had begun."""

    strangers: int
    """With a key of its own that is not in the list."""
    without_keys: int
    """With another program: plaintext ZeroMQ first of all, or with a hello for another server key."""


TableNews: TypeAlias = HostNews | News | Opened | NotAnnounced | KeptOut
Tell = Callable[[TableNews], None]


def host_table(offer: TablePlan, seat: SeatPlan, plays: Plays, tell: Tell) -> Outcome:
    """Host a table and play a seat of it to the end, in this process. Raises `KempsError`."""
    return play_through(_hosted(offer, seat, plays, tell))


def join_table(invitation: Invitation, seat: SeatPlan, plays: Plays, tell: Tell) -> Outcome:
    """Join a table and play a seat of it to the end, in this process. Raises `KempsError`."""
    return play_through(_joined(invitation, seat, plays, tell))


def played_by(player: Callable[[Chair, random.Random], Player], watch: Watch) -> Plays:
    """A seat that a bot plays, with chances of its own; `watch` is told all that happens there."""

    async def play(chair: Chair) -> Outcome:
        session, runner = chair.sit(player(chair, random.Random(secrets.randbits(128))), watch)
        outcome = await runner.run()
        # Whoever has stood in to the end leaves the seat to its player, who may want a rematch.
        if outcome.is_closed and not session.play.is_stand_in:
            say_farewell(chair)
        return outcome

    return play


def kept_by(player: Callable[[Chair, random.Random], Player], watch: Watch) -> Plays:
    """The same, for a bot that stays for rematches: it ends only when it is ended, or given up."""

    async def play(chair: Chair) -> Outcome:
        before, chances = FIRST, random.Random(secrets.randbits(128))
        while True:
            session, runner = chair.sit(player(chair, chances), watch, before)
            outcome = await runner.run()
            if not outcome.is_closed or session.play.is_stand_in:
                return outcome
            before = after(session)

    return play


def shown_on(screen: Screen) -> Plays:
    """A seat that a person plays, on that screen, with rematches if all want them."""

    async def play(chair: Chair) -> Outcome:
        return await attended(Sitting(chair, random.Random(secrets.randbits(128))).start(), screen)

    return play


async def _hosted(offer: TablePlan, seat: SeatPlan, plays: Plays, tell: Tell) -> Outcome:
    with home_held(seat.home):
        me = seat.newcomer(own_identity(seat.home))
        mesh = await open_mesh(me, offer.bind)
        announcer: Announcer | None = None

        def heard(news: HostNews) -> None:
            tell(news)
            if announcer is not None:
                announcer.update()

        host = Host(offer.plan, me, mesh, heard)
        bots = BotNodes(offer.plan.bots, seat.home / "bots", offer.pace, stay=seat.player == PERSON)
        try:
            await _opened(host, offer)
            is_other = offer.port is None and host.place.port != PORT
            tell(Opened(_places(host.place, offer.only), is_other=is_other))
            tell(Waiting(offer.plan.players - host.notice.taken))
            if offer.announces:
                host.is_announced = True
                announcer = Announcer(
                    lambda: table_announcement(host.notice),
                    host.place,
                    offer.only,
                    lambda why: tell(NotAnnounced(why)),
                )
                announcer.start()
            await bots.start(host.place, host.code)
            gathered = await bots.unless_one_fails(host.gathered())
            if announcer is not None:
                await announcer.close()
            outcome = await seat_played(gathered, me, seat, plays, tell, bots=bots, show=host.show)
            await bots.ended()
            return outcome
        finally:
            await host.close()
            await bots.end()
            if announcer is not None:
                await announcer.close()
            await mesh.close()


async def _opened(host: Host, offer: TablePlan) -> None:
    """Let a host listen at the port that is told, or at the first free one. Raises `Unreachable`."""
    ports = (offer.port,) if offer.port is not None else (PORT, *PEER_PORTS)
    for port in ports:
        try:
            await host.open(offer.bind, port)
        except PortTaken:
            if port == ports[-1]:
                raise
        else:
            return


def _places(place: Place, only: str | None) -> tuple[Place, ...]:
    return tuple(Place(host, place.port) for host in shared_addresses(place.host, interfaces(only)))


async def _joined(invitation: Invitation, seat: SeatPlan, plays: Plays, tell: Tell) -> Outcome:
    with home_held(seat.home):
        me = seat.newcomer(own_identity(seat.home))
        gathered = await join(invitation.place, invitation.code, me, tell, expects=invitation.expects)
        bots = BotNodes(0, seat.home / "bots", seat.pace, stay=False)
        try:
            if gathered.again is None:
                return await seat_played(gathered, me, seat, plays, tell, bots=bots)
            return await _played_again(gathered, me, seat, plays, bots)
        finally:
            await bots.end()
            await gathered.mesh.close()


async def _played_again(
    gathered: Gathered, me: Newcomer, seat: SeatPlan, plays: Plays, bots: BotNodes
) -> Outcome:
    """Play on in a running match of which this peer has lost its files. Raises `KempsError`."""
    mesh, journal = gathered.mesh, gathered.again
    assert journal is not None, "shown by the host"
    way_back = WayBack(mesh.keys, mesh.address)
    found = begun_again(seat.home, seat.logs, me.identity, (journal, gathered.table), way_back)
    returned = Returned(me.identity, found, mesh, way_back, seat.home, bots)
    return await returned.play_on(plays, give_up_s=seat.give_up_s, reach_s=FORM_S)


async def seat_played(
    gathered: Gathered,
    me: Newcomer,
    seat: SeatPlan,
    plays: Plays,
    tell: Tell,
    *,
    bots: BotNodes | None = None,
    show: Callable[[Path, Again | None], None] = lambda log, again: None,
) -> Outcome:
    """Play the own seat of a table that has gathered, to the end. `show` is told of each match's log;
    `bots`: its own, which end with this; None for who runs none.

    Raises `NotSeated` if another server key answers for a peer or one changes its name, and `Unreachable` if
    the peers do not reach each other.
    """
    table, mesh = gathered.table, gathered.mesh
    way_back = WayBack(mesh.keys, mesh.address)
    roaming = Roaming(mesh, me.identity, table, way_back)
    guard = _Guard(gathered)

    def formed(_session: Session, sight: fx.Sight) -> None:
        if isinstance(sight, fx.TableFormed):
            guard.begin(sight.names if sight.observer is None else (*sight.names, sight.observer))
            gathered.remember(me)
            show(chair.log_path(sight.match.hex()), shown_to_who_comes_again(way_back.journal, table))

    chair = _TableChair(
        identity=me.identity,
        seat=seat_of(table, me.identity),
        table=table,
        carrier=roaming,
        name=me.name,
        rules=gathered.rules,
        home=seat.home,
        logs=seat.logs,
        give_up_ms=int(seat.give_up_s * 1000),
        way_back=way_back,
        came=gathered.names[: len(table.roster)],
        has_bots=bots is not None and bots.are_there,
        let_in=roaming.let_in,
        stand_ins=None if bots is None else StandIns(bots, seat.home / "bots", table, way_back),
        formed=formed,
    )
    try:
        return await roaming.along(plays(chair), guard.reached())
    finally:
        kept_out = guard.kept_out()
        if kept_out is not None:
            tell(kept_out)


@dataclass(frozen=True, slots=True, kw_only=True)
class _TableChair(Chair):
    """A chair at a table that has gathered: `formed` is told what happens before whoever sits there."""

    formed: Watch

    def sit(self, player: Player, watch: Watch, before: Before = FIRST) -> tuple[Session, Runner]:
        """As at any chair."""

        def told(session: Session, sight: fx.Sight) -> None:
            self.formed(session, sight)
            watch(session, sight)

        return Chair.sit(self, player, told, before)


class _Guard:
    """Watches who is reached, and who comes in vain."""

    def __init__(self, gathered: Gathered) -> None:
        self._gathered, self._mesh = gathered, gathered.mesh
        self._names = dict(zip(gathered.table.curves, gathered.names, strict=True))
        self._begun = asyncio.Event()
        self._before: TurnedAway | None = None

    def begin(self, names: tuple[str, ...]) -> None:
        """The match begins. Raises `NotSeated` OTHER_NAME if somebody calls itself otherwise than it came."""
        # A rematch has no observer, whose name comes last.
        for came, now in zip(self._gathered.names[: len(names)], names, strict=True):
            if came != now:
                raise NotSeated(Unwelcome.OTHER_NAME, came)
        # Peers of the table may have come before they were let in; whoever comes from now on is a stranger.
        self._before = self._before or self._mesh.turned_away
        self._begun.set()

    def kept_out(self) -> KeptOut | None:
        """Who came in vain since the match began."""
        if self._before is None:
            return None
        now, before = self._mesh.turned_away, self._before
        other = now.not_curve - before.not_curve + now.wrong_server_key - before.wrong_server_key
        counts = KeptOut(now.strangers - before.strangers, other)
        return counts if counts.strangers or counts.without_keys else None

    async def reached(self) -> None:
        """Wait until the match has begun. Raises `NotSeated` and `Unreachable` if it cannot."""
        waited_s = 0.0
        mistaken_s: dict[PublicKey, float] = {}
        while not self._begun.is_set():
            await asyncio.sleep(_LOOK_AGAIN_S)
            waited_s += _LOOK_AGAIN_S
            links = self._mesh.links()
            for peer, state in links.items():
                # A port that was just given up by another program may answer once with its key.
                mistaken_s[peer] = mistaken_s.get(peer, 0.0) + _LOOK_AGAIN_S if state in _MISTAKEN else 0.0
                if mistaken_s[peer] > _MIDDLE_S:
                    raise NotSeated(Unwelcome.OTHER_SERVER_KEY, self._names[peer])
            missing = [peer for peer, state in links.items() if state is not LinkState.UP]
            if waited_s > FORM_S and missing:
                where = f"{self._names[missing[0]]} cannot be reached at {self._address(missing[0])}"
                why = links[missing[0]].value
                raise Unreachable(f"{where} ({why}); a firewall may block the port")

    def _address(self, peer: PublicKey) -> str:
        return self._gathered.table.addresses[peer]


_MISTAKEN = frozenset({LinkState.WRONG_SERVER_KEY, LinkState.NOT_CURVE})
