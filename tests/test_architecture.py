"""The house: who imports whom, what is pure, how large a module may be. A rule no test holds is a wish."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "kemps_p2p"
MODULES = sorted(PACKAGE.rglob("*.py"))
LINES_MAX = 450
PURE = ("codec", "errors", "ids", "game", "deck", "ledger", "session", "bots", "wording", "report")
"""What reads no clock, draws nothing and does no IO."""
CORE = [module for module in MODULES if module.relative_to(PACKAGE).parts[0].removesuffix(".py") in PURE]
FORBIDDEN = {
    "time",
    "secrets",
    "socket",
    "asyncio",
    "subprocess",
    "threading",
    "zmq",
    "os",
    "tempfile",
}


def _name(module: Path) -> str:
    return ".".join(module.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def _imports(module: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield node.module


def test_import_contracts() -> None:
    done = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--config", ROOT / "pyproject.toml", "--no-cache"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 broken" in done.stdout


@pytest.mark.parametrize("module", MODULES, ids=_name)
def test_every_module_says_what_it_is_and_stays_small(module: Path) -> None:
    text = module.read_text(encoding="utf-8")
    assert ast.get_docstring(ast.parse(text)), "a module without a docstring"
    assert text.count("\n") <= LINES_MAX, "a module that grows this large is two things"


@pytest.mark.parametrize("module", CORE, ids=_name)
def test_the_core_reads_no_clock_and_draws_nothing(module: Path) -> None:
    roots = {name.split(".")[0] for name in _imports(module)}
    assert not roots & FORBIDDEN
    tree = ast.parse(module.read_text(encoding="utf-8"))
    attributes = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    assert not attributes & {"now", "utcnow", "today"}, "a time of day comes in as a number"
    if "random" in roots:
        # Bots are given their source of chances; nobody draws from a global one.
        drawn = [
            node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module == "random"
        ]
        assert {alias.name for node in drawn for alias in node.names} == {"Random"}
        assert _name(module).startswith("kemps_p2p.bots")


def test_package_files_import_nothing_heavy() -> None:
    for module in MODULES:
        if module.name == "__init__.py":
            assert not list(_imports(module)), _name(module)


PROBE = """
import sys
from kemps_p2p.game.rules import load_rules, override
from kemps_p2p.runtime.sim import Sim
from kemps_p2p.session.audit import audit
rules = override(load_rules("kemps"), {"word": "K", "look_ms": 0})
sim = Sim(rules=rules, players=4, seed=3, group="stub-insecure")
import kemps_p2p.deck, kemps_p2p.ledger
sim.run()
log = sim.peers[0].log_bytes
audit(log, allow_stub=True)
touched = []
def watch(event, args):
    if event in ("open", "os.open", "socket.__new__", "subprocess.Popen", "os.urandom", "time.sleep"):
        touched.append((event, args))
sys.addaudithook(watch)
assert audit(log, allow_stub=True).verdict.value == "clean"
again = Sim(rules=rules, players=4, seed=4, group="stub-insecure")
again.run()
print(touched)
"""


def test_play_and_audit_touch_nothing_outside() -> None:
    done = subprocess.run([sys.executable, "-c", PROBE], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]"


def test_no_machine_or_registry_is_named() -> None:
    named = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if named.returncode != 0:
        files = [
            path for path in ROOT.rglob("*") if path.is_file() and path.suffix in {".py", ".md", ".toml"}
        ]
    else:
        files = [ROOT / line for line in named.stdout.splitlines()]
    hosts = ("pypi" + ".org", "files.pythonhosted" + ".org", "/ro" + "ot/", "/wo" + "rk/")
    for file in files:
        if file.is_file() and file.suffix in {".py", ".md", ".toml", ".json", ""}:
            text = file.read_text(encoding="utf-8", errors="replace")
            assert not [host for host in hosts if host in text], file
