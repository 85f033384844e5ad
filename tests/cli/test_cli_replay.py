"""`kemps replay`: whose eyes, where it begins, pages, and a real terminal."""

import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from kemps_p2p.cli.errors import CommandError, Exit
from kemps_p2p.cli.main import main

pytest_plugins = ("cli_fixtures",)


def kemps(*args: str | Path) -> int:
    """The command in this process; its exit code."""
    code: Any = main.main(list(map(str, args)), standalone_mode=False)
    return int(code or 0)


def test_it_is_told_with_the_eyes_of_a_seat_from_a_race_on(
    logs: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert kemps("replay", logs[0], "--seat", "bot 1", "--race", "1") == 0
    told = capsys.readouterr().out
    lines = told.splitlines()
    assert "Race 1: " in lines[0]
    assert "hidden card" in told
    assert kemps("replay", "--text", logs[0]) == 0
    whole = capsys.readouterr().out.splitlines()
    assert len(whole) > len(lines)
    assert [line[:10] for line in whole[-len(lines) :]] == [line[:10] for line in lines]


def test_json_of_what_the_table_saw_has_no_card_before_it_was_shown(
    logs: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert kemps("replay", "--json", "--seat", "table", logs[0]) == 0
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    hands = [line["cards"] for line in told if line["event"] == "hand"]
    assert hands
    assert all(card is None for hand in hands for card in hand)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--seat", "Nobody"), "nobody here is Nobody"),
        (("--call", "99"), "there is no call 99: this log has "),
        (("--call", "1", "--race", "1"), "not at both"),
    ],
)
def test_what_is_not_there_is_said(logs: list[Path], options: tuple[str, ...], said: str) -> None:
    with pytest.raises(CommandError, match=said) as refused:
        kemps("replay", logs[0], *options)
    assert refused.value.code is Exit.USAGE


def test_replay_and_audit_write_a_page(
    logs: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, other = tmp_path / "one.html", tmp_path / "other.html"
    assert kemps("replay", logs[0], "--html", one, "--call", "1", "--seat", "2") == 0
    assert capsys.readouterr().out == f"The page is {one}.\n"
    assert '"eyes":2' in one.read_text(encoding="utf-8")
    assert kemps("audit", "--allow-simulated", logs[0], logs[1], "--html", other) == 0
    assert capsys.readouterr().out.endswith(f"\nThe page is {other}.\n")
    assert kemps("audit", "--allow-simulated", logs[0], logs[1], "--html", other, "--json") == 0
    assert "The page" not in capsys.readouterr().out
    page = other.read_text(encoding="utf-8")
    assert "clean: everything in these 2 logs holds, and they agree on every entry." in page
    assert "kemps audit --allow-simulated seat0.kemps seat1.kemps" in page


def test_a_page_does_not_overwrite_its_log(logs: list[Path]) -> None:
    before = logs[0].read_bytes()
    with pytest.raises(CommandError, match="would overwrite it") as refused:
        kemps("replay", logs[0], "--html", logs[0])
    assert refused.value.code is Exit.USAGE
    assert logs[0].read_bytes() == before
    with pytest.raises(CommandError, match="cannot be written") as refused:
        kemps("replay", logs[0], "--html", logs[0].parent / "no" / "page.html")
    assert refused.value.code is Exit.MACHINE


def test_on_a_terminal_it_is_a_screen_until_q(logs: list[Path]) -> None:
    pty = pytest.importorskip("pty", reason="terminals of this system are of another kind")
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "kemps_p2p", "replay", str(logs[0])],
        stdin=theirs, stdout=theirs, stderr=theirs, env={**os.environ, "TERM": "xterm-256color"},
        start_new_session=True,
    ) as process:  # fmt: skip
        os.close(theirs)
        seen = b""
        while b"shown: all hands" not in seen:
            seen += os.read(ours, 65536)
        os.write(ours, b"q")
        # The other end of a terminal that is gone reads as an error.
        with contextlib.suppress(OSError):
            while os.read(ours, 65536):
                pass
        assert process.wait(timeout=60) == 0
    os.close(ours)
