"""Who says something else than is due in a join: each side hears it and sends the other away."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest
from join_helpers import LOOPBACK, hosted, newcomer, plan, refused, run
from msgspec import structs

from kemps_p2p.errors import NotSeated, Unreachable, Unwelcome
from kemps_p2p.game.rules import canonical_text
from kemps_p2p.runtime import hosting, joining
from kemps_p2p.runtime import wire as wires
from kemps_p2p.runtime.addresses import Place
from kemps_p2p.runtime.gathering import read_other
from kemps_p2p.runtime.guests import Bound, Here, Present, Rules, SealedWords, Show, sign_guest
from kemps_p2p.runtime.handshake import ClearWords, Confirm, Knock
from kemps_p2p.runtime.hosting import SentAway
from kemps_p2p.runtime.joining import asked, join
from kemps_p2p.runtime.wire import Wire
from kemps_p2p.wording.words import Code

pytest_plugins = ("join_fixtures",)
pytestmark = pytest.mark.usefixtures("short_farewells")

Words = ClearWords | SealedWords
KNOCK, CONFIRM, SHOW = Knock(pake=bytes(33)), Confirm(proof=bytes(32)), Show(round=1, lots=())
CODE = Code(3, "cobalt", "otter")
TEXT = canonical_text(plan().rules)


def liar(turn: int, lie: Words | Callable[[Words], Words]) -> type[Wire]:
    """A wire that says something else where its owner says the word of this number."""

    class Liar(Wire):
        said = 0

        def say_clear(self, words: ClearWords) -> None:
            super().say_clear(self._meant(words))  # type: ignore[arg-type]

        def say(self, words: SealedWords) -> None:
            super().say(self._meant(words))  # type: ignore[arg-type]

        def _meant(self, words: Words) -> Words:
            self.said += 1
            if self.said != turn + 1:
                return words
            return lie(words) if callable(lie) else lie

    return Liar


def at_another_table(words: Words) -> Words:
    """An introduction that is signed for a table of six."""
    assert isinstance(words, Present)
    guest = read_other(words.guest)
    other = structs.replace(guest, contact=structs.replace(guest.contact, players=6))
    return Present(guest=sign_guest(newcomer("Ben", Path("none")).identity, other))


def parted(place: Path) -> tuple[NotSeated, list[SentAway], int]:
    """A join that fails: what the guest is told, what the host tells, and how many the host has taken."""
    ended: list[tuple[NotSeated, list[SentAway], int]] = []

    async def main() -> None:
        async with hosted(newcomer("Anna", place / "a"), plan()) as at:
            why = await refused(at, newcomer("Ben", place / "b"))
            ended.append((why, at.sent_away, at.host.notice.taken))

    run(main())
    return ended[0]


def reason_of(detail: str) -> Unwelcome:
    """Words without a detail are well formed, and do not fit what was said before."""
    return Unwelcome.BAD_WORDS if detail else Unwelcome.CHANGED_ON_THE_WAY


@pytest.mark.parametrize(
    ("turn", "lie", "detail"),
    [
        (0, CONFIRM, "neither a question nor a knock"),
        (1, KNOCK, "no proof of the code"),
        (2, Here(), "no introduction"),
        (2, at_another_table, "a guest for another table"),
        (3, SHOW, "no signature under this join"),
        (3, Bound(signature=bytes(64)), ""),
    ],
)
def test_a_guest_that_says_something_else_than_is_due_is_sent_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, turn: int, lie: Words, detail: str
) -> None:
    monkeypatch.setattr(wires, "Wire", liar(turn, lie))
    why, sent_away, taken = parted(tmp_path)
    assert why.reason is reason_of(detail)
    (told,) = sent_away
    assert (told.why.reason, told.why.detail) == (reason_of(detail), detail)
    assert taken == 1


@pytest.mark.parametrize(
    ("turn", "lie", "detail"),
    [
        (0, CONFIRM, "no answer to a knock"),
        (1, KNOCK, "no proof of the code"),
        (2, Here(), "no rules"),
        (2, Rules(table="T" * 500, players=4, rules=TEXT), "no rules"),
        (2, Rules(table="T", players=4, rules="?"), "rules that cannot be read"),
        (2, Rules(table="T", players=5, rules=TEXT), "rules for another table"),
        (2, Rules(table="T", players=4, rules=TEXT + "\n"), "rules for another table"),
        (3, SHOW, "no introduction"),
        (4, SHOW, "no signature under this join"),
        (4, Bound(signature=bytes(64)), ""),
    ],
)
def test_a_host_that_says_something_else_than_is_due_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, turn: int, lie: Words, detail: str
) -> None:
    monkeypatch.setattr(hosting, "Wire", liar(turn, lie))
    why, _, _ = parted(tmp_path)
    assert why.reason is reason_of(detail)
    assert why.detail.startswith(detail)


def test_what_is_no_answer_to_a_question_is_not_taken_for_a_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hosting, "Wire", liar(0, CONFIRM))

    async def main() -> None:
        async with hosted(newcomer("Anna", tmp_path / "a"), plan()) as at:
            with pytest.raises(NotSeated, match=Unwelcome.BAD_WORDS.value):
                await asked(at.host.place, 5)

    run(main())


@asynccontextmanager
async def listening(said: bytes | None) -> AsyncIterator[Place]:
    """Somebody who takes connections, and says this to whoever speaks, and hangs up; None: says nothing."""
    writers: list[asyncio.StreamWriter] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers.append(writer)
        if said is not None:
            await reader.read(1)
            writer.write(said)
            writer.close()

    server = await asyncio.start_server(serve, LOOPBACK, 0)
    try:
        yield Place(LOOPBACK, server.sockets[0].getsockname()[1])
    finally:
        server.close()
        for writer in writers:
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()


def test_a_place_that_takes_connections_and_says_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(joining, "STEP_S", 0.1)

    async def main() -> None:
        async with listening(None) as place:
            with pytest.raises(Unreachable, match="says nothing"):
                await asked(place, 0.1)
            with pytest.raises(Unreachable, match="says nothing"):
                await join(place, CODE, newcomer("Ben", tmp_path), lambda _: None)

    run(main())


@pytest.mark.parametrize(("said", "error"), [(b"SSH-2", NotSeated), (b"kemp", Unreachable)])
def test_what_breaks_off_is_told_apart_by_how_it_begins(said: bytes, error: type[Exception]) -> None:
    async def main() -> None:
        async with listening(said) as place:
            with pytest.raises(error):
                await asked(place, 5)

    run(main())


def test_who_reads_nothing_is_cut_off_before_its_backlog_fills_the_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(wires, "BACKLOG_BYTES_MAX", 1 << 16)

    async def main() -> None:
        async with listening(None) as place:
            wire = await wires.connect(place)
            transport, most = wire._writer.transport, 0
            while not transport.is_closing():
                wire.say_clear(Knock(pake=bytes(1 << 15)))
                most = max(most, transport.get_write_buffer_size())
                assert most < 1 << 17
            await wire.close()

    run(main())


def test_a_host_that_falls_silent_after_the_introduction_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(joining, "SILENCE_S", 0.2)

    async def main() -> None:
        async with hosted(newcomer("Anna", tmp_path / "a"), plan()) as at:
            with pytest.raises(Unreachable, match="Anna has fallen silent"):
                await join(at.host.place, at.host.code, newcomer("Ben", tmp_path / "b"), lambda _: None)

    run(main())
