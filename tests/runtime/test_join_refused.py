"""Who does not get in at a host on loopback, and what is said to it; whatever else knocks there."""

import asyncio
from contextlib import suppress
from pathlib import Path

import pytest
from join_helpers import LOOPBACK, came, drawn, hosted, newcomer, plan, refused, run, seated

from kemps_p2p.errors import NotSeated, Unreachable, Unwelcome
from kemps_p2p.game.rules import load_rules
from kemps_p2p.runtime import hosting
from kemps_p2p.runtime.addresses import Place
from kemps_p2p.runtime.guesses import GUESSES_MAX
from kemps_p2p.runtime.guests import BOT
from kemps_p2p.runtime.handshake import JoinerSide, Refusal, header, read_clear
from kemps_p2p.runtime.hosting import CodeDrawn, SentAway
from kemps_p2p.runtime.joining import asked, join, watch
from kemps_p2p.runtime.meeting import WATCH
from kemps_p2p.runtime.wire import connect
from kemps_p2p.wording.words import Code

pytest_plugins = ("join_fixtures",)
pytestmark = pytest.mark.usefixtures("short_farewells")


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
            # It is not even answered: an answer costs the host a key exchange.
            wire = await connect(at.host.place)
            wire.say_clear(JoinerSide(at.host.code, drawn("e")).knock())
            with pytest.raises(NotSeated, match=Unwelcome.TOO_MANY_GUESSES.value):
                await wire.hear_clear()
            await wire.close()

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
            eve = newcomer("Anna", tmp_path / "e", key="Eve", wish=WATCH)
            with pytest.raises(NotSeated, match=Unwelcome.NAME_TAKEN.value):
                await watch(at.host.place, at.host.code, eve, lambda _: None, lambda _data, _names: False)
            # The host has found it, and has not let them in first.
            assert [type(each) for each in at.news] == [CodeDrawn, SentAway, SentAway, SentAway]

    run(main())


def test_the_last_seat_may_go_while_the_host_is_asked_about_a_guest(tmp_path: Path) -> None:
    async def main() -> None:
        asked_about: list[str] = []

        async def trusts(name: str, _was: bytes, _now: bytes) -> bool:
            asked_about.append(name)
            await came(at, 4)
            return True

        anna = newcomer("Anna", tmp_path / "a", trusts=trusts)
        anna.known.remember("Eve", newcomer("Ben", tmp_path / "x").identity.public)
        async with hosted(anna, plan()) as at:
            late = asyncio.create_task(refused(at, newcomer("Eve", tmp_path / "e")))
            while not asked_about:
                await asyncio.sleep(0.01)
            guests = [newcomer(name, tmp_path / name) for name in ("Ben", "Carla", "Dan")]
            joins = [
                asyncio.create_task(join(at.host.place, at.host.code, guest, lambda _: None))
                for guest in guests
            ]
            assert (await late).reason is Unwelcome.TABLE_FULL
            assert at.host.notice.taken == 4
            # Where there is no seat the host is not asked about anybody.
            again = await refused(at, newcomer("Eve", tmp_path / "e", key="another"))
            assert (again.reason, asked_about) == (Unwelcome.TABLE_FULL, ["Eve"])
            await at.host.gathered()
            for task in joins:
                await (await task).mesh.close()

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
