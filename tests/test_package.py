"""What people install: a wheel with everything in it, and a command that starts at once."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from kemps_p2p import __version__
from kemps_p2p.game.rules import rule_names

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this tree, built and unpacked somewhere else."""
    out = tmp_path_factory.mktemp("wheel")
    built = subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), str(ROOT)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert built.returncode == 0, built.stdout + built.stderr
    (wheel,) = out.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(out / "unpacked")
    return out / "unpacked"


def _python(unpacked: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    # An empty working directory and no user site: nothing of the source tree is in reach.
    environment = {**os.environ, "PYTHONPATH": str(unpacked)}
    return subprocess.run(
        [sys.executable, "-P", *arguments],
        cwd=unpacked.parent, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_the_wheel_runs_and_says_its_version(unpacked: Path) -> None:
    done = _python(unpacked, "-m", "kemps_p2p", "--version")
    assert done.returncode == 0, done.stderr
    assert __version__ in done.stdout


def test_the_wheel_holds_every_rule_set(unpacked: Path) -> None:
    program = (
        "import kemps_p2p, kemps_p2p.game.rules as rules\n"
        "print(kemps_p2p.__file__)\n"
        "for name in rules.rule_names(): rules.load_rules(name); print(name)"
    )
    done = _python(unpacked, "-c", program)
    assert done.returncode == 0, done.stderr
    where, *names = done.stdout.split()
    assert Path(where).is_relative_to(unpacked)
    assert tuple(names) == rule_names()


def test_the_wheel_is_typed_and_licensed(unpacked: Path) -> None:
    assert (unpacked / "kemps_p2p" / "py.typed").exists()
    assert list(unpacked.glob("*.dist-info/licenses/LICENSE"))


@pytest.mark.parametrize(
    ("arguments", "absent"),
    [
        (
            ["--version"],
            {"zmq", "textual", "rich", "msgspec", "nacl", "rbcl", "asyncio", "kemps_p2p.session"},
        ),
        (["audit", "--help"], {"zmq", "textual", "kemps_p2p.runtime"}),
        (["audit", "no-such-file"], {"zmq", "textual", "kemps_p2p.runtime"}),
    ],
)
def test_a_command_imports_only_what_it_needs(arguments: list[str], absent: set[str]) -> None:
    program = (
        "import sys\n"
        "from kemps_p2p.cli.main import main\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit: pass\n"
        "print('\\n'.join(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=False
    )
    assert not absent & set(done.stdout.split())
