"""Hosts and joiners on loopback: who gets in, who does not and why, and who sits where."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from join_helpers import (
    LOOPBACK,
    Hosted,
    anybody,
    came,
    drawn,
    hosted,
    in_the_middle,
    newcomer,
    plan,
    run,
    seated,
)

from kemps_p2p.codec import Digest
from kemps_p2p.errors import NotSeated, Unreachable, Unwelcome
from kemps_p2p.game.rules import canonical_text, load_rules
from kemps_p2p.game.seating import partner_of
from kemps_p2p.ids import Seat
from kemps_p2p.runtime import hosting, joining
from kemps_p2p.runtime import wire as wire_module
from kemps_p2p.runtime.addresses import Place
from kemps_p2p.runtime.gathering import Came, Drawing, Newcomer, Went, open_mesh
from kemps_p2p.runtime.guesses import GUESSES_MAX
from kemps_p2p.runtime.guests import BOT, Gather, Guests, Here, Leave, Lot, Present, Rules, Show, bind
from kemps_p2p.runtime.handshake import HostSide, JoinerSide, Keys, Knock, Refusal, header, read_clear
from kemps_p2p.runtime.hosting import CodeDrawn
from kemps_p2p.runtime.joining import asked, join
from kemps_p2p.runtime.known import KnownPlayers, Standing
from kemps_p2p.runtime.wire import Wire, connect
from kemps_p2p.wording.words import Code


@pytest.fixture(autouse=True)
def short_farewells(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some of those who talk here never hang up by themselves."""
    monkeypatch.setattr(wire_module, "_PARTING_S", 0.1)


async def refused(
    at: Hosted, guest: Newcomer, code: Code | None = None, place: Place | None = None
) -> NotSeated:
    with pytest.raises(NotSeated) as why:
        await join(place or at.host.place, code or at.host.code, guest, lambda _: None)
    return why.value


# Who sits where


def test_four_come_by_the_code_and_agree_on_everything(tmp_path: Path) -> None:
    async def main() -> None:
        anna, *guests = (newcomer(name, tmp_path / name) for name in ("Anna", "Ben", "Carla", "Dan"))
        async with hosted(anna, plan()) as at:
            tables = await seated(at, *guests)
            assert len({each.table.digest for each in tables}) == 1
            assert len({each.names for each in tables}) == 1
            assert sorted(tables[0].names) == ["Anna", "Ben", "Carla", "Dan"]
            keys = {
                name: key for each in tables for name, key in zip(each.names, each.table.roster, strict=True)
            }
            assert keys == {guest.name: guest.identity.public for guest in (anna, *guests)}
            told = [type(each) for each in at.news]
            assert told == [CodeDrawn, Came, Came, Came, Drawing]
            assert at.host.notice.is_open == 0

    run(main())


def test_wishes_for_seats_and_partners_are_granted(tmp_path: Path) -> None:
    async def main() -> None:
        anna = newcomer("Anna", tmp_path / "a", wish=2)
        ben = newcomer("Ben", tmp_path / "b", partner=" CARLA")
        carla = newcomer("Carla", tmp_path / "c", partner="Ben")
        async with hosted(anna, plan()) as at:
            tables = await seated(at, ben, carla, newcomer("Dan", tmp_path / "d", partner="nobody here"))
        names = tables[0].names
        assert names[2] == "Anna"
        assert partner_of(Seat(names.index("Ben")), 4) == names.index("Carla")

    run(main())


def test_who_leaves_gives_its_seat_back_and_the_rest_go_on(tmp_path: Path) -> None:
    async def main() -> None:
        async with hosted(newcomer("Anna", tmp_path / "a"), plan()) as at:
            gathering = asyncio.create_task(at.host.gathered())
            code, place = at.host.code, at.host.place
            news: list[object] = []
            first = asyncio.create_task(join(place, code, newcomer("Ben", tmp_path / "b"), news.append))
            eve = asyncio.create_task(join(place, code, newcomer("Eve", tmp_path / "e"), lambda _: None))
            await came(at, 3)
            eve.cancel()
            await came(at, 2)
            late = [
                asyncio.create_task(join(place, code, newcomer(name, tmp_path / name), lambda _: None))
                for name in ("Carla", "Dan")
            ]
            table = await gathering
            for task in (first, *late):
                await (await task).mesh.close()
        assert sorted(table.names) == ["Anna", "Ben", "Carla", "Dan"]
        assert Went("Eve", 2, 4) in at.news
        assert Went("Eve", 2, 4) in news

    run(main())


def test_a_host_that_closes_says_so(tmp_path: Path) -> None:
    async def main() -> None:
        async with hosted(newcomer("Anna", tmp_path / "a"), plan()) as at:
            joining_ben = asyncio.create_task(
                join(at.host.place, at.host.code, newcomer("Ben", tmp_path / "b"), lambda _: None)
            )
            await came(at, 2)
        with pytest.raises(Unreachable, match="has left"):
            await joining_ben

    run(main())


def test_a_host_or_guest_that_falls_silent_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(joining, "SILENCE_S", 0.3)
    monkeypatch.setattr(hosting, "SILENCE_S", 0.3)
    monkeypatch.setattr(hosting, "HERE_S", 0.05)

    async def main() -> None:
        async with hosted(newcomer("Anna", tmp_path / "a"), plan()) as at:
            # Guests speak every two seconds only, which is too seldom for this host.
            ben = asyncio.create_task(
                join(at.host.place, at.host.code, newcomer("Ben", tmp_path / "b"), lambda _: None)
            )
            await came(at, 2)
            await came(at, 1)
            with pytest.raises(Unreachable):
                await ben

    run(main())


# Who does not get in


def test_a_wrong_code_is_refused_on_both_sides(tmp_path: Path) -> None:
    async def main() -> None:
        async with hosted(newcomer("Anna", tmp_path / "a"), plan()) as at:
            why = await refused(at, newcomer("Eve", tmp_path / "e"), at.wrong)
            assert why.reason is Unwelcome.WRONG_CODE
            (told,) = at.sent_away
            assert (told.host, told.why.reason, told.guesses) == (LOOPBACK, Unwelcome.WRONG_CODE, 1)
            assert at.host.notice.taken == 1

    run(main())


def test_the_eleventh_guess_is_refused_even_if_it_is_right(tmp_path: Path) -> None:
    async def main() -> None:
        async with hosted(newcomer("Anna", tmp_path / "a"), plan()) as at:
            eve, before = newcomer("Eve", tmp_path / "e"), at.host.code
            reasons = [(await refused(at, eve, at.wrong)).reason for _ in range(GUESSES_MAX)]
            assert reasons == [Unwelcome.WRONG_CODE] * GUESSES_MAX
            assert at.host.code != before
            assert at.host.code.number == before.number
            assert at.news[-2:-1] == [CodeDrawn(at.host.code, is_new=True)]
            why = await refused(at, eve, at.host.code)
            assert (why.reason, why.detail) == (Unwelcome.TOO_MANY_GUESSES, "30")

    run(main())


def test_many_guesses_at_once_are_no_more_than_ten(tmp_path: Path) -> None:
    async def main() -> None:
        async with hosted(newcomer("Anna", tmp_path / "a"), plan()) as at:
            wrong = at.wrong
            guests = [newcomer(f"Eve {index}", tmp_path / str(index)) for index in range(20)]
            reasons = [
                why.reason for why in await asyncio.gather(*(refused(at, guest, wrong) for guest in guests))
            ]
            assert reasons.count(Unwelcome.WRONG_CODE) == GUESSES_MAX
            assert reasons.count(Unwelcome.TOO_MANY_GUESSES) == 10

    run(main())


def test_who_asks_and_hangs_up_before_the_proof_learns_nothing_and_costs_nothing(tmp_path: Path) -> None:
    async def main() -> None:
        async with hosted(newcomer("Anna", tmp_path / "a"), plan()) as at:
            for _ in range(GUESSES_MAX + 2):
                wire = await connect(at.host.place)
                wire.say_clear(JoinerSide(at.wrong, drawn("e")).knock())
                assert type(await wire.hear_clear()).__name__ == "Answer"
                await wire.close()
            await seated(at, *(newcomer(name, tmp_path / name) for name in ("Ben", "Carla", "Dan")))
            assert at.sent_away == []

    run(main())


def test_a_full_a_playing_and_a_kept_seat(tmp_path: Path) -> None:
    async def main() -> None:
        async with hosted(newcomer("Anna", tmp_path / "a"), plan(bots=2)) as at:
            code, place = at.host.code, at.host.place
            ben = asyncio.create_task(join(place, code, newcomer("Ben", tmp_path / "b"), lambda _: None))
            await came(at, 2)
            eve = newcomer("Eve", tmp_path / "e")
            assert (await refused(at, eve)).reason is Unwelcome.TABLE_FULL
            bots = [
                asyncio.create_task(
                    join(
                        place,
                        code,
                        newcomer(name, tmp_path / name, player=BOT),
                        lambda _: None,
                    )
                )
                for name in ("Bot 1", "Bot 2")
            ]
            await came(at, 4)
            assert (await refused(at, eve)).reason is Unwelcome.TABLE_FULL
            await at.host.gathered()
            assert (await refused(at, eve)).reason is Unwelcome.TABLE_PLAYING
            # A code that is wrong is not even looked at any more.
            assert (await refused(at, eve, at.wrong)).reason is Unwelcome.TABLE_PLAYING
            for task in (ben, *bots):
                await (await task).mesh.close()

    run(main())


def test_a_name_or_key_that_sits_there_already(tmp_path: Path) -> None:
    async def main() -> None:
        async with hosted(newcomer("Anna", tmp_path / "a"), plan()) as at:
            why = await refused(at, newcomer("  ANNA".strip(), tmp_path / "e", key="Eve"))
            assert (why.reason, why.detail) == (Unwelcome.NAME_TAKEN, "ANNA")
            why = await refused(at, newcomer("Eve", tmp_path / "e", key="Anna"))
            assert why.reason is Unwelcome.SEATED_ALREADY

    run(main())


def test_a_joiner_that_wants_other_rules_leaves_and_names_the_key(tmp_path: Path) -> None:
    async def main() -> None:
        async with hosted(newcomer("Anna", tmp_path / "a"), plan()) as at:
            with pytest.raises(NotSeated) as why:
                await join(
                    at.host.place,
                    at.host.code,
                    newcomer("Ben", tmp_path / "b"),
                    lambda _: None,
                    expects=load_rules("kemps/go"),
                )
            assert (why.value.reason, why.value.detail) == (Unwelcome.OTHER_RULES, "start")
            while not at.sent_away:
                await asyncio.sleep(0.01)
            assert at.sent_away[0].why.reason is Unwelcome.OTHER_RULES

    run(main())


# Known players


def test_a_known_name_with_another_key_is_an_alarm_at_the_host(tmp_path: Path) -> None:
    async def main() -> None:
        anna = newcomer("Anna", tmp_path / "a")
        anna.known.remember("Ben", newcomer("Ben", tmp_path / "x").identity.public)
        async with hosted(anna, plan()) as at:
            why = await refused(at, newcomer("ben", tmp_path / "e", key="Eve"))
            assert (why.reason, why.detail) == (Unwelcome.KNOWN_NAME_NEW_KEY, "ben")
            assert at.host.notice.taken == 1

    run(main())


def test_a_known_name_with_another_key_is_an_alarm_at_a_guest(tmp_path: Path) -> None:
    async def main() -> None:
        ben = newcomer("Ben", tmp_path / "b")
        ben.known.remember("Anna", newcomer("Eve", tmp_path / "x").identity.public)
        async with hosted(newcomer("Anna", tmp_path / "a"), plan()) as at:
            why = await refused(at, ben)
            assert (why.reason, why.detail) == (Unwelcome.KNOWN_NAME_NEW_KEY, "Anna")

    run(main())


def test_another_key_that_the_person_accepts_is_the_known_one_from_then_on(tmp_path: Path) -> None:
    async def main() -> None:
        anna = newcomer("Anna", tmp_path / "a", trusts=anybody)
        anna.known.remember("Ben", newcomer("Eve", tmp_path / "x").identity.public)
        guests = [newcomer(name, tmp_path / name) for name in ("Ben", "Carla", "Dan")]
        async with hosted(anna, plan()) as at:
            (table, *_) = await seated(at, *guests)
        table.remember(anna)
        again = KnownPlayers(tmp_path / "a")
        assert [again.standing(guest.name, guest.identity.public) for guest in guests] == [Standing.KNOWN] * 3
        assert again.standing("Anna", anna.identity.public) is Standing.NEW

    run(main())


def test_bots_are_not_remembered_but_may_not_take_a_known_name(tmp_path: Path) -> None:
    async def main() -> None:
        anna = newcomer("Anna", tmp_path / "a")
        async with hosted(anna, plan()) as at:
            guests = [newcomer(name, tmp_path / name, player=BOT) for name in ("Ben", "Carla", "Dan")]
            (table, *_) = await seated(at, *guests)
            table.remember(anna)
        assert KnownPlayers(tmp_path / "a").players == ()
        anna.known.remember("Ben", anna.identity.public)
        async with hosted(anna, plan()) as at:
            why = await refused(at, newcomer("Ben", tmp_path / "f", player=BOT, key="Eve"))
            assert why.reason is Unwelcome.KNOWN_NAME_NEW_KEY

    run(main())


# Somebody in the middle


def test_who_only_listens_in_the_middle_learns_no_name_and_no_key(tmp_path: Path) -> None:
    async def main() -> None:
        heard: list[bytes] = []

        def change(_who: str, _number: int, body: bytes) -> bytes:
            heard.append(body)
            return body

        guests = [newcomer(name, tmp_path / name) for name in ("Benedict", "Carla", "Dan")]
        async with hosted(newcomer("Anna", tmp_path / "a"), plan()) as at:
            async with in_the_middle(at.host.place, change) as place:
                await seated(at, *guests, place=place)
            said = b"".join(heard)
            assert len(heard) > 20
            secret = [b"Benedict", b"Anna", at.host.code.password, at.host.code.first.encode(), b"look_ms"]
            secret += [guest.identity.public for guest in guests]
            assert [each for each in secret if each in said] == []

    run(main())


@pytest.mark.parametrize(
    ("who", "number", "reason"),
    [
        ("joiner", 0, Unwelcome.BAD_WORDS),
        ("host", 0, Unwelcome.BAD_WORDS),
        ("joiner", 1, Unwelcome.WRONG_CODE),
        ("host", 1, Unwelcome.WRONG_CODE),
        ("joiner", 2, Unwelcome.CHANGED_ON_THE_WAY),
        ("host", 2, Unwelcome.CHANGED_ON_THE_WAY),
        ("joiner", 3, Unwelcome.CHANGED_ON_THE_WAY),
        ("host", 3, Unwelcome.CHANGED_ON_THE_WAY),
        ("host", 4, Unwelcome.CHANGED_ON_THE_WAY),
        ("host", 5, Unwelcome.CHANGED_ON_THE_WAY),
    ],
)
def test_a_byte_changed_in_the_middle_ends_the_join(
    tmp_path: Path, who: str, number: int, reason: Unwelcome
) -> None:
    async def main() -> None:
        def change(speaker: str, index: int, body: bytes) -> bytes:
            return body[:-1] + bytes([body[-1] ^ 1]) if (speaker, index) == (who, number) else body

        async with hosted(newcomer("Anna", tmp_path / "a"), plan()) as at:
            async with in_the_middle(at.host.place, change) as place:
                why = await refused(at, newcomer("Ben", tmp_path / "b"), place=place)
            # A changed key exchange may still be a point of the group: then the code only seems wrong.
            assert why.reason in ({reason, Unwelcome.WRONG_CODE} if number == 0 else {reason})
            assert at.host.notice.taken == 1

    run(main())


def test_who_knows_the_code_cannot_pass_on_the_word_of_another(tmp_path: Path) -> None:
    """Two joins, spliced: Ben's introduction and signature in a join of Eve's, who knows the code."""

    async def main() -> None:
        async with hosted(newcomer("Anna", tmp_path / "a"), plan()) as at:
            ben, eve = newcomer("Ben", tmp_path / "b"), newcomer("Eve", tmp_path / "e")
            mesh = await open_mesh(ben, LOOPBACK)
            own = ben.guest(mesh, LOOPBACK, 4)
            wire = await connect(at.host.place)
            keys = await joining._agree(wire, at.host.code, drawn("e"))
            await wire.hear()
            wire.say(Present(guest=own))
            present = await wire.hear()
            assert isinstance(present, Present)
            # What Ben signed in a join of his own was for other keys.
            other = Keys(Digest(bytes(32)), keys.joiner, keys.host)
            wire.say(bind(ben.identity, other, own, present.guest))
            with pytest.raises(NotSeated, match=Unwelcome.CHANGED_ON_THE_WAY.value):
                await wire.hear()
            await wire.close()
            await mesh.close()
            assert at.host.notice.taken == 1
            assert eve.identity.public != ben.identity.public

    run(main())


# Whatever else knocks


@pytest.mark.parametrize(
    "said",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        # The greeting of a ZeroMQ client without keys.
        b"\xff" + bytes(8) + b"\x7f\x03\x00NULL" + bytes(48),
        b"kemps\x01" + (1 << 30).to_bytes(4, "big"),
        header(3) + b"\xc1\xc1\xc1",
        header(1) + b"\x91",
        b"kemps\x02" + bytes(4),
        header(2) + b"\x91\x63",
        header(1024) + b"\x91" * 1024,
    ],
    ids=["http", "plaintext-zeromq", "huge", "garbage", "torn", "newer", "unknown-tag", "nested"],
)
def test_what_is_no_join_is_refused_and_the_table_goes_on(tmp_path: Path, said: bytes) -> None:
    async def main() -> None:
        async with hosted(newcomer("Anna", tmp_path / "a"), plan()) as at:
            reader, writer = await asyncio.open_connection(at.host.place.host, at.host.place.port)
            writer.write(said)
            writer.write_eof()
            answer = await reader.read()
            writer.close()
            told = [each.why.reason for each in at.sent_away]
            assert told in ([], [Unwelcome.BAD_WORDS], [Unwelcome.NOT_KEMPS], [Unwelcome.OTHER_VERSION])
            if told:
                refusal = read_clear(answer[10:])
                assert isinstance(refusal, Refusal)
                assert refusal.reason == told[0].value
            assert (await asked(at.host.place, 5)).taken == 1

    run(main())


@pytest.mark.parametrize("bound", ["CONNECTIONS_MAX", "ADDRESS_CONNECTIONS_MAX"])
def test_silent_connections_are_bounded_and_do_not_keep_others_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bound: str
) -> None:
    monkeypatch.setattr(hosting, bound, 4)
    monkeypatch.setattr(hosting, "STEP_S", 0.2)

    async def main() -> None:
        async with hosted(newcomer("Anna", tmp_path / "a"), plan()) as at:
            place = at.host.place
            silent = [await asyncio.open_connection(place.host, place.port) for _ in range(6)]
            assert len(at.host._serving) <= 4
            for reader, _ in silent:
                with suppress(ConnectionResetError):
                    await reader.read()
            for _, writer in silent:
                writer.close()
            while at.host._serving:
                await asyncio.sleep(0.01)
            assert (await asked(place, 5)).taken == 1

    run(main())


def test_another_version_is_said_by_both_sides(tmp_path: Path) -> None:
    async def main() -> None:
        async def newer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readexactly(10)
            writer.write(b"kemps\x07" + bytes(4))
            writer.close()

        server = await asyncio.start_server(newer, LOOPBACK, 0)
        place = Place(LOOPBACK, server.sockets[0].getsockname()[1])
        with pytest.raises(NotSeated) as why:
            await join(place, Code(3, "cobalt", "otter"), newcomer("Ben", tmp_path / "b"), lambda _: None)
        assert (why.value.reason, why.value.detail) == (Unwelcome.OTHER_VERSION, "7")
        with pytest.raises(NotSeated) as why:
            await asked(place, 5)
        assert why.value.reason is Unwelcome.OTHER_VERSION
        server.close()

    run(main())


def test_nobody_home(tmp_path: Path) -> None:
    async def main() -> None:
        with pytest.raises(Unreachable, match="cannot be reached"):
            await join(
                Place(LOOPBACK, 1), Code(3, "cobalt", "otter"), newcomer("Ben", tmp_path), lambda _: None
            )

    run(main())


# Liars at the table


@pytest.mark.parametrize("lie", ["other-lot", "no-lot", "two-lots", "wrong-words"])
def test_a_guest_that_lies_in_the_draw_is_cut_off_and_the_rest_draw_anew(
    tmp_path: Path, lie: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = Wire.say

    def say(wire: Wire, words: object) -> None:
        match words:
            case Show(round=number) if lie == "other-lot" and is_liar(wire):
                words = Show(round=number, lots=(bytes(32),))
            case Lot(round=number, commitments=(one,)) if lie == "two-lots" and is_liar(wire):
                words = Lot(round=number, commitments=(one, one))
            case Lot(round=number, commitments=(_,)) if lie == "no-lot" and is_liar(wire):
                words = Show(round=number, lots=(bytes(32),))
            case Lot(commitments=(_,)) if lie == "wrong-words" and is_liar(wire):
                words = Guests(guests=())
        said(wire, words)  # type: ignore[arg-type]

    liars: list[Wire] = []

    def is_liar(wire: Wire) -> bool:
        return wire in liars

    monkeypatch.setattr(Wire, "say", say)

    async def main() -> None:
        async with hosted(newcomer("Anna", tmp_path / "a"), plan()) as at:
            gathering = asyncio.create_task(at.host.gathered())
            code, place = at.host.code, at.host.place
            agree = joining._agree

            async def noted(wire: Wire, *more: object) -> object:
                liars.append(wire)
                return await agree(wire, *more)  # type: ignore[arg-type]

            with monkeypatch.context() as patch:
                patch.setattr(joining, "_agree", noted)
                eve = asyncio.create_task(join(place, code, newcomer("Eve", tmp_path / "e"), lambda _: None))
                await came(at, 2)
            honest = [
                asyncio.create_task(join(place, code, newcomer(name, tmp_path / name), lambda _: None))
                for name in ("Ben", "Carla")
            ]
            with pytest.raises((NotSeated, Unreachable)):
                await eve
            honest.append(
                asyncio.create_task(join(place, code, newcomer("Dan", tmp_path / "d"), lambda _: None))
            )
            table = await gathering
            assert sorted(table.names) == ["Anna", "Ben", "Carla", "Dan"]
            for task in honest:
                await (await task).mesh.close()

    run(main())


async def lying_host(
    tmp_path: Path, script: Callable[[Wire, Present, Present], object], guest: Newcomer
) -> NotSeated:
    """A host that knows the code and says, once a guest is introduced, what the script says."""
    code = Code(3, "cobalt", "otter")
    anna = newcomer("Anna", tmp_path / "a")
    mesh = await open_mesh(anna, LOOPBACK)
    stopped = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        wire = Wire(reader, writer)
        side = HostSide(code, drawn("h"))
        knock = await wire.hear_clear()
        assert isinstance(knock, Knock)
        wire.say_clear(side.knocked(knock))
        confirm, keys = side.confirmed(await wire.hear_clear())  # type: ignore[arg-type]
        wire.say_clear(confirm)
        wire.seal(sends=keys.host, receives=keys.joiner)
        offered = plan()
        wire.say(Rules(table="T", players=4, rules=canonical_text(offered.rules)))
        present = await wire.hear()
        assert isinstance(present, Present)
        own = Present(guest=anna.guest(mesh, LOOPBACK, 4))
        wire.say(own)
        await wire.hear()
        wire.say(bind(anna.identity, keys, present.guest, own.guest))
        script(wire, own, present)
        await stopped.wait()
        await wire.close()

    server = await asyncio.start_server(serve, LOOPBACK, 0)
    place = Place(LOOPBACK, server.sockets[0].getsockname()[1])
    try:
        with pytest.raises(NotSeated) as why:
            await join(place, code, guest, lambda _: None)
        return why.value
    finally:
        stopped.set()
        server.close()
        await mesh.close()


def forged(own: Present) -> Present:
    """The host's word for a guest who never signed it."""
    raw = own.guest.raw.replace(b"Anna", b"Carl")
    return Present(guest=type(own.guest)(raw=raw, signature=own.guest.signature))


SCRIPTS: dict[str, Callable[[Wire, Present, Present], object]] = {
    "a guest that never signed": lambda wire, own, guest: wire.say(
        Guests(guests=(own.guest, guest.guest, forged(own).guest))
    ),
    "a table without us": lambda wire, own, guest: wire.say(Guests(guests=(own.guest,))),
    "a table without its host": lambda wire, own, guest: wire.say(Guests(guests=(guest.guest,))),
    "somebody twice": lambda wire, own, guest: wire.say(Guests(guests=(own.guest, guest.guest, guest.guest))),
    "lots before commitments": lambda wire, own, guest: wire.say(Show(round=1, lots=(bytes(32),) * 4)),
    "a draw that was not begun": lambda wire, own, guest: wire.say(Lot(round=1, commitments=())),
    "a table that is not full": lambda wire, own, guest: wire.say(
        Gather(round=1, guests=(own.guest, guest.guest))
    ),
    "rules again": lambda wire, own, guest: wire.say(Rules(table="T", players=4, rules="")),
}


@pytest.mark.parametrize("script", SCRIPTS.values(), ids=SCRIPTS.keys())
def test_a_host_that_lies_is_left(tmp_path: Path, script: Callable[[Wire, Present, Present], object]) -> None:
    async def main() -> None:
        why = await lying_host(tmp_path, script, newcomer("Ben", tmp_path / "b"))
        assert why.reason in {Unwelcome.BAD_WORDS, Unwelcome.SEATED_ALREADY}

    run(main())


def test_a_host_may_say_why_it_sends_a_guest_away(tmp_path: Path) -> None:
    async def main() -> None:
        def script(wire: Wire, _own: Present, _guest: Present) -> None:
            wire.say(Here())
            wire.say(Leave(reason="table-full", detail=""))

        why = await lying_host(tmp_path, script, newcomer("Ben", tmp_path / "b"))
        assert why.reason is Unwelcome.TABLE_FULL

    run(main())
