"""Liars at a host, as guests, as the host, and in the middle."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from join_helpers import LOOPBACK, came, drawn, hosted, in_the_middle, newcomer, plan, refused, run, seated

from kemps_p2p.codec import Digest
from kemps_p2p.errors import NotSeated, Unreachable, Unwelcome
from kemps_p2p.game.rules import canonical_text
from kemps_p2p.runtime import joining
from kemps_p2p.runtime.addresses import Place
from kemps_p2p.runtime.gathering import Newcomer, open_mesh
from kemps_p2p.runtime.guests import Gather, Guests, Here, Leave, Lot, Present, Rules, Show, bind
from kemps_p2p.runtime.handshake import HostSide, Keys, Knock
from kemps_p2p.runtime.joining import join
from kemps_p2p.runtime.wire import Wire, connect
from kemps_p2p.wording.words import Code

pytest_plugins = ("join_fixtures",)
pytestmark = pytest.mark.usefixtures("short_farewells")


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
