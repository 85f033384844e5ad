"""Coming to a table: from an address and a code to a seat, and to keys and addresses of all others.

Knows nothing of screens: what happens is told, and whether another key is accepted is asked. Invariants:

1. Nothing that identifies this peer is sent before the host has proven that it knows the code.
2. A guest that a host names is believed only with its own signature.

Section "Joining" of protocol.md.
"""

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TypeAlias

from kemps_p2p.errors import HasLeft, NotSeated, Unreachable, Unwelcome
from kemps_p2p.game.rules import RuleError, RuleSet, canonical_text, first_difference, read_rules
from kemps_p2p.runtime.addresses import Place, reachable
from kemps_p2p.runtime.again import curve_keys, read_again
from kemps_p2p.runtime.gathering import (
    SILENCE_S,
    STEP_S,
    Came,
    Draw,
    Drawing,
    Entropy,
    Gathered,
    Newcomer,
    Waiting,
    Welcomed,
    Went,
    check_known,
    open_mesh,
    read_other,
)
from kemps_p2p.runtime.guests import (
    LOT_BYTES,
    TABLE_CHARACTERS_MAX,
    Again,
    Bound,
    Gather,
    Guest,
    Guests,
    Here,
    Lot,
    Piece,
    Present,
    Rules,
    SealedWords,
    Show,
    SignedGuest,
    bind,
    check_bound,
    check_seats_differ,
)
from kemps_p2p.runtime.handshake import Answer, Ask, Confirm, JoinerSide, Keys, Notice
from kemps_p2p.runtime.meeting import Table
from kemps_p2p.runtime.transport import Mesh
from kemps_p2p.runtime.wire import Wire, connect, signs_of_life
from kemps_p2p.wording.plain import plain
from kemps_p2p.wording.words import Code

News: TypeAlias = Welcomed | Came | Went | Waiting | Drawing
"""What happens while one waits at a table."""
Tell = Callable[[News], None]


async def asked(place: Place, limit_s: float) -> Notice:
    """Ask what table is at a place. Raises `Unreachable` and `NotSeated`."""
    wire = await connect(place, limit_s)
    try:
        async with asyncio.timeout(limit_s):
            wire.say_clear(Ask())
            notice = await wire.hear_clear()
    except TimeoutError:
        raise Unreachable(f"{place} takes connections and says nothing") from None
    finally:
        await wire.close()
    if not isinstance(notice, Notice):
        raise NotSeated(Unwelcome.BAD_WORDS, "no answer to what was asked")
    return notice


async def proved(place: Place, code: Code, entropy: Entropy = secrets.token_bytes) -> None:
    """Find out whether a code lets in at `place`, and go. Raises `NotSeated` and `Unreachable`."""
    wire = await connect(place)
    try:
        async with _step(place):
            await _agree(wire, code, entropy)
    finally:
        await wire.leave()


See = Callable[[bytes, Mapping[bytes, str]], bool]
"""Takes the next bytes of the host's log, with the names at the table by identity key; True at its end."""


async def join(
    place: Place,
    code: Code,
    me: Newcomer,
    tell: Tell,
    *,
    expects: RuleSet | None = None,
    entropy: Entropy = secrets.token_bytes,
) -> Gathered:
    """Join the table at `place` and wait there until it is complete. `expects`: the only rule set to play by.

    Raises `NotSeated` and `Unreachable`. Whoever gets a `Gathered` closes its mesh.
    """
    gathered = await _visited(place, code, me, tell, None, expects=expects, entropy=entropy)
    assert gathered is not None, "a log was shown to somebody who came to play"
    return gathered


async def watch(
    place: Place, code: Code, me: Newcomer, tell: Tell, see: See, *, entropy: Entropy = secrets.token_bytes
) -> Gathered | None:
    """Come to the table at `place` to watch. The first who does is its observer, and gets what `join` gives.

    Whoever else does is shown the log of the match, piece by piece, until it ends or the host goes: then this
    returns None.
    """
    return await _visited(place, code, me, tell, see, expects=None, entropy=entropy)


async def _visited(
    place: Place,
    code: Code,
    me: Newcomer,
    tell: Tell,
    see: See | None,
    *,
    expects: RuleSet | None,
    entropy: Entropy,
) -> Gathered | None:
    wire = await connect(place)
    mesh: Mesh | None = None
    try:
        async with _step(place):
            keys = await _agree(wire, code, entropy)
            welcomed = _welcomed(await wire.hear(), expects)
        tell(welcomed)
        mesh = await open_mesh(me, wire.own_host, curve_keys(me.identity, code))
        visit = _Visit(wire, me, welcomed, tell=tell, entropy=entropy, see=see)
        async with signs_of_life(wire):
            await visit.introduce(keys, mesh)
            drawn = await visit.gathered()
    except BaseException as error:
        if mesh is not None:
            await mesh.close()
        if isinstance(error, NotSeated) and error.reason in _TELLS:
            await wire.refuse(error)
        else:
            await wire.leave()
        raise
    await wire.close()
    if drawn is None:
        await mesh.close()
        return None
    if isinstance(drawn, Again):
        try:
            journal, table = read_again(drawn, me.identity, mesh.public_key)
        except NotSeated:
            await mesh.close()
            raise
        names = tuple(name for name, _ in journal.remembered.names)
        return Gathered(visit.seen_from_here(table), names, journal.founding.rules, mesh, (), again=journal)
    table, names, people = drawn
    return Gathered(table, names, welcomed.rules, mesh, people)


_TELLS = frozenset({Unwelcome.OTHER_RULES, Unwelcome.KNOWN_NAME_NEW_KEY, Unwelcome.CHANGED_ON_THE_WAY})
"""What the host is told when this peer goes; the rest it has said itself, or need not know."""


async def _agree(wire: Wire, code: Code, entropy: Entropy) -> Keys:
    """Prove that we know the code, have the host prove the same, and seal the connection."""
    side = JoinerSide(code, entropy)
    wire.say_clear(side.knock())
    answer = await wire.hear_clear()
    if not isinstance(answer, Answer):
        raise NotSeated(Unwelcome.BAD_WORDS, "no answer to a knock")
    wire.say_clear(side.answered(answer))
    confirm = await wire.hear_clear()
    if not isinstance(confirm, Confirm):
        raise NotSeated(Unwelcome.BAD_WORDS, "no proof of the code")
    keys = side.confirmed(confirm)
    wire.seal(sends=keys.joiner, receives=keys.host)
    return keys


def _welcomed(words: SealedWords, expects: RuleSet | None) -> Welcomed:
    """What is played at the table. Raises `NotSeated` OTHER_RULES with the first key that differs."""
    if not isinstance(words, Rules) or len(words.table) > TABLE_CHARACTERS_MAX:
        raise NotSeated(Unwelcome.BAD_WORDS, "no rules")
    try:
        rules = read_rules(words.rules)
    except RuleError as error:
        raise NotSeated(Unwelcome.BAD_WORDS, f"rules that cannot be read: {error}") from None
    if words.players not in rules.players or canonical_text(rules) != words.rules:
        raise NotSeated(Unwelcome.BAD_WORDS, "rules for another table")
    if expects is not None and (key := first_difference(expects, rules)) is not None:
        raise NotSeated(Unwelcome.OTHER_RULES, key)
    return Welcomed(words.table, words.players, rules)


class _Visit:
    """A joiner's time at the table before the match."""

    def __init__(
        self, wire: Wire, me: Newcomer, at: Welcomed, *, tell: Tell, entropy: Entropy, see: See | None
    ) -> None:
        self._wire, self._me, self._at, self._tell, self._entropy = wire, me, at, tell, entropy
        self._see = see
        self._has_seen = False
        self._pair: tuple[SignedGuest, SignedGuest] | None = None
        self._host = "the host"
        self._here: dict[bytes, Guest] = {}
        self._checked: set[bytes] = {me.identity.public}

    async def introduce(self, keys: Keys, mesh: Mesh) -> None:
        """Say who we are, hear who the host is, and both sign this very connection."""
        own = self._me.guest(mesh, self._wire.own_host, self._at.players)
        self._wire.say(Present(guest=own))
        present = await self._heard()
        if not isinstance(present, Present):
            raise NotSeated(Unwelcome.BAD_WORDS, "no introduction")
        host = present.guest
        who = read_other(host)
        self._wire.say(bind(self._me.identity, keys, own, host))
        bound = await self._heard()
        if not isinstance(bound, Bound):
            raise NotSeated(Unwelcome.BAD_WORDS, "no signature under this join")
        check_bound(bound, who, keys, own, host)
        self._pair, self._host = (host, own), plain(who.name)

    async def gathered(self) -> tuple[Table, tuple[str, ...], tuple[Guest, ...]] | Again | None:
        """Wait until the table is complete and its seats are drawn.

        None: a log was shown instead, and has ended. `Again`: the match is on, and we sit in it.
        """
        draw: Draw | None = None
        while True:
            try:
                words = await self._heard()
            except Unreachable:
                if self._has_seen:
                    return None
                raise
            match words:
                case Piece(data=data) if self._see is not None:
                    self._has_seen = True
                    if self._see(data, {key: guest.name for key, guest in self._here.items()}):
                        return None
                case Again() if self._see is None:
                    return words
                case Guests(guests=guests):
                    draw = None
                    await self._meet(self._read(guests))
                case Gather(round=number, guests=guests):
                    draw = await self._begin(number, guests)
                    self._wire.say(Lot(round=draw.round, commitments=(draw.commitment,)))
                case Lot(commitments=commitments) if draw is not None and not draw.is_committed:
                    draw.commit(commitments)
                    self._wire.say(Show(round=draw.round, lots=(draw.lot,)))
                case Show(lots=lots) if draw is not None and draw.is_committed:
                    table, names = draw.seat(lots)
                    return self.seen_from_here(table), names, draw.people
                case _:
                    raise NotSeated(Unwelcome.BAD_WORDS, "words out of turn")

    async def _begin(self, number: int, guests: Sequence[SignedGuest]) -> Draw:
        people = self._read(guests)
        watching = sum(guest.is_watching for guest in people)
        if len(people) - watching != self._at.players or watching > 1:
            raise NotSeated(Unwelcome.BAD_WORDS, "a table that is not complete")
        await self._meet(people)
        self._tell(Drawing())
        mine = [guest.contact.identity for guest in people].index(self._me.identity.public)
        return Draw(number, people, mine, self._entropy(LOT_BYTES))

    async def _heard(self) -> SealedWords:
        """What the host says next, besides that it is still there."""
        while True:
            try:
                async with asyncio.timeout(SILENCE_S):
                    words = await self._wire.hear()
            except TimeoutError:
                raise Unreachable(f"{self._host} has fallen silent") from None
            except HasLeft:
                raise HasLeft(f"{self._host} has closed the table") from None
            except Unreachable as fault:
                raise Unreachable(f"{self._host} is gone: {fault}") from None
            if not isinstance(words, Here):
                return words

    def _read(self, signed: Sequence[SignedGuest]) -> list[Guest]:
        """The guests that a host names: each signed by itself, all different, the host first, and we too."""
        assert self._pair is not None, "a table before the introduction"
        host, own = self._pair
        if tuple(signed[:1]) != (host,) or own not in signed:
            raise NotSeated(Unwelcome.BAD_WORDS, "a table without its host, or without us")
        guests = [read_other(each) for each in signed]
        check_seats_differ(guests)
        return guests

    async def _meet(self, guests: Sequence[Guest]) -> None:
        """Tell who came and went, and ask about everybody whose name was known with another key."""
        players = self._at.players
        now = {guest.contact.identity: guest for guest in guests}
        gone, new = self._here.keys() - now.keys(), now.keys() - self._here.keys()
        for key in gone:
            name = self._here.pop(key).name
            self._tell(Went(name, self._seated, players))
        for key, guest in now.items():
            if key in new:
                self._here[key] = guest
                self._tell(Came(guest, self._seated, players))
        if (gone or new) and self._seated < players:
            self._tell(Waiting(players - self._seated))
        for key, guest in now.items():
            if key not in self._checked:
                await check_known(self._me, guest)
                self._checked.add(key)

    @property
    def _seated(self) -> int:
        """How many of the players are here, as far as has been told."""
        return sum(not guest.is_watching for guest in self._here.values())

    def seen_from_here(self, table: Table) -> Table:
        """The same table, with addresses that lead from this machine to the host's."""
        host = self._wire.other_host
        addresses = {curve: reachable(address, host) for curve, address in table.addresses.items()}
        return replace(table, addresses=addresses)


@asynccontextmanager
async def _step(place: Place) -> AsyncIterator[None]:
    """Bound what the host must answer at once."""
    try:
        async with asyncio.timeout(STEP_S):
            yield
    except TimeoutError:
        raise Unreachable(f"{place} takes connections and says nothing") from None
