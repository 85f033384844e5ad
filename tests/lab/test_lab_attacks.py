"""Attacks by whole seats: each is withstood, and each succeeds once what stops it is taken out."""

import inspect
import json
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType

import pytest
from click.testing import CliRunner

from kemps_p2p.cli.errors import CommandError, Exit
from kemps_p2p.cli.lab import lab
from kemps_p2p.deck import shares
from kemps_p2p.deck.group import STUB
from kemps_p2p.game import flow, legal
from kemps_p2p.lab import staging
from kemps_p2p.lab.attacks import ATTACKS, Attack, Ending, attack_named, try_attack
from kemps_p2p.lab.policies import arrival, lamport
from kemps_p2p.ledger import coins, evidence, poll
from kemps_p2p.ledger.claimbook import ClaimBook
from kemps_p2p.ledger.tapebook import TapeBook
from kemps_p2p.session import claims, match, replay
from kemps_p2p.session.audit import Verdict, audit_all
from kemps_p2p.session.chain import Chain
from kemps_p2p.session.handover import HandingOver
from kemps_p2p.session.holding import Holding
from kemps_p2p.session.patience import Patience
from kemps_p2p.session.session import Session

QUICK = {
    "duplicate-card", "copied-key", "time-that-runs-backwards", "a-close-before-the-end", "pass-over",
    "held-share",
}  # fmt: skip
"""Tried in every run; the others when they are asked for."""

LIES_ON_DUTY = {
    "another-result", "no-evidence", "other-scores", "another-dealer", "a-close-before-the-end",
    "time-that-runs-backwards", "false-lottery",
}  # fmt: skip
NOT_ACKED = {"reorder", "false-cut"}
"""False entries that honest seats wait before, by their own tapes; an audit says what they are."""
BLAMED = {"duplicate-card", "replaced-card", "tagged-card", "copied-key", "false-share", "fork", "replay"}


def names(*, are_quick: bool) -> list[str]:
    return [each.name for each in ATTACKS if (each.name in QUICK) is are_quick]


def named(name: str) -> Attack:
    found = attack_named(name)
    assert found is not None
    return found


def test_every_attack_has_a_name_of_its_own() -> None:
    assert len({each.name for each in ATTACKS}) == len(ATTACKS)
    assert {each.number for each in ATTACKS} >= set(range(20, 30))


def withstands(name: str) -> None:
    report = try_attack(named(name))
    assert report.ending is not Ending.SUCCEEDED
    assert report.is_withstood
    if name in LIES_ON_DUTY | BLAMED:
        assert report.ending is Ending.DETECTED
        # Whoever has joined the next term before it has looked need not look any more.
        assert len(report.detected_by) >= (2 if name in LIES_ON_DUTY else report.honest)
    if name in LIES_ON_DUTY | BLAMED | NOT_ACKED:
        assert report.is_confirmed
        assert report.evidence
        assert report.audited is not None
        assert report.audited.verdict is (Verdict.CLEAN if name in BLAMED else Verdict.VIOLATED)
    else:
        assert report.ending is Ending.NO_GAIN
        assert report.audited is None


@pytest.mark.parametrize("name", names(are_quick=True))
def test_the_table_withstands(name: str) -> None:
    withstands(name)


@pytest.mark.soak
@pytest.mark.parametrize("name", names(are_quick=False))
def test_the_table_withstands_the_others(name: str) -> None:
    withstands(name)


# Without what stops them


@dataclass(frozen=True)
class Without:
    """A check taken out of a function: some of its text, and what stands there instead."""

    function: Callable[..., object]
    check: str
    instead: str = ""


@dataclass(frozen=True)
class OrderedBy:
    """Another policy in the place of the poll, since the poll itself is what stops the attack."""

    policy: Callable[..., object]


UNPROVEN = Without(
    claims.check_decided,
    'raise fold.fault(Fault.BAD_ORDER, "the evidence does not decide this order")',
    "return DecidedSet(tuple(sorted(wanted)), frozenset())",
)
UNHEARD = Without(
    Chain._agrees,
    "if all(found.claims != tuple(sorted(claims)) for found in self._book.decided(logged)):",
    "if False:",
)

TAKEN_OUT: dict[str, tuple[Without | OrderedBy, ...]] = {
    "front-run": (OrderedBy(arrival),),
    "pass-over": (
        Without(Patience.passes_over, "return not waiting.isdisjoint(late - logged)", "return False"),
        Without(HandingOver._is_doubtful, "return self._undone_since_ms is not None and", "return False and"),
    ),
    "another-result": (Without(claims.settled, "if result is not event.result:", "if False:"),),
    "no-evidence": (UNPROVEN,),
    "other-scores": (Without(replay._checkpoint, "if said.scores != game.scores:", "if False:"),),
    "another-dealer": (Without(replay._checkpoint, "if said.dealer != game.dealer:", "if False:"),),
    "a-close-before-the-end": (
        Without(
            replay._close, "if not is_over(match) or not has_all_seeds(match) or not is_last:", "if False:"
        ),
    ),
    "time-that-runs-backwards": (
        Without(replay.step_by_event, "not match.elapsed_ms <= entry.elapsed_ms <= ELAPSED_MS_MAX or "),
    ),
    "false-lottery": (Without(claims.drawn, "if event.order != order:", "if False:"),),
    "reorder": (UNPROVEN, UNHEARD),
    "false-cut": (
        Without(
            claims.cut_off, "if len(event.claims) < 2 or event.claims != tuple(sorted(asks)):", "if False:"
        ),
        Without(Chain._may_cut, "return self._book.may_cut(", "return True or ("),
    ),
    "stale": (OrderedBy(lamport),),
    "leap": (
        Without(
            TapeBook._leads,
            "return item.item.lamport + by > len(self.by_digest) + 1 + STAMP_LEAD_MAX",
            "return False",
        ),
    ),
    "liar": (Without(poll.needed_words, "return witnesses // 2 + 1", "return 1"),),
    "silent": (Without(Patience.overdue, "now_ms - self._held_at_ms[oldest] >= PATIENCE_MS", "False"),),
    "replay": (
        Without(
            shares.check_key,
            "if _challenge(_key_transcript(table, seat, key.commitment, point), announced) != challenge:",
            "if False:",
        ),
    ),
    "held-share": (Without(flow.is_pool_ready, "and not face_down(state)"),),
    "early": (Without(legal.against, "if reason is not None:", "if False:"),),
    "fork": (Without(evidence.equivocation, "if", "return None\n    if"),),
    "half": (Without(Session._lacking, "return [fx.Send(", "lacking = []\n    return [fx.Send("),),
    "phantom": (Without(ClaimBook._count_item, "if not names <= self._known:", "if False:"),),
    "spray": (
        Without(Holding._hold, "is_refused = reason is not None or (", "is_refused = False and ("),
        Without(claims._asks, "is_refused = is_behind or", "is_refused = False and"),
        Without(match.refusal, "if last is not None and last.index > claim.head.index:", "if False:"),
    ),
    "no-coin": (
        Without(
            claims.draw,
            "last = {name for name, item in opened.claims.items() if fold.match.team_of(item.seat) in teams}",
            "last = set()",
        ),
    ),
    "false-coin": (
        Without(
            coins.check_coin, "len(coin) != _COIN_BYTES or _next(coin) != last", "len(coin) != _COIN_BYTES"
        ),
    ),
    "call-on-hearing": (OrderedBy(arrival),),
}
"""What has to go for an attack of numbers 20 to 29 to succeed."""

NOTHING_TO_TAKE_OUT = {
    "late": "its words are counted when they come: it can only make others wait",
}


def body_of(change: Without) -> tuple[str, str]:
    """The source of a function, and the part of it that is no docstring and has the check."""
    source = textwrap.dedent(inspect.getsource(change.function))
    body = source.rsplit('"""', 1)[-1]
    assert change.check in body, f"{change.function} has no {change.check!r}"
    return source, body


def take_out(monkeypatch: pytest.MonkeyPatch, change: Without | OrderedBy) -> None:
    """Put a function without its check in the place of the function, wherever it has been imported."""
    if isinstance(change, OrderedBy):
        monkeypatch.setattr(staging, "POLICY", change.policy)
        return
    function = change.function
    assert isinstance(function, FunctionType)
    source, body = body_of(change)
    changed = source[: len(source) - len(body)] + body.replace(change.check, change.instead, 1)
    scope: dict[str, FunctionType] = {}
    exec(compile(changed, f"{function.__name__} without a check", "exec"), function.__globals__, scope)
    monkeypatch.setattr(function, "__code__", scope[function.__name__].__code__)


def test_what_stops_each_attack_is_known() -> None:
    ordering = {each.name for each in ATTACKS if each.number >= 20}
    assert TAKEN_OUT.keys() | NOTHING_TO_TAKE_OUT.keys() == ordering
    assert TAKEN_OUT.keys().isdisjoint(NOTHING_TO_TAKE_OUT)
    for change in (each for changes in TAKEN_OUT.values() for each in changes if isinstance(each, Without)):
        body_of(change)


def succeeds(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    for change in TAKEN_OUT[name]:
        take_out(monkeypatch, change)
    attack = named(name)
    assert attack.has_gained(attack.stage(STUB.name))


QUICK_WITHOUT = ("no-evidence", "a-close-before-the-end", "time-that-runs-backwards")


@pytest.mark.parametrize("name", QUICK_WITHOUT)
def test_without_its_check_the_attack_succeeds(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    succeeds(monkeypatch, name)


@pytest.mark.soak
@pytest.mark.parametrize("name", [name for name in TAKEN_OUT if name not in QUICK_WITHOUT])
def test_without_their_checks_the_others_succeed(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    succeeds(monkeypatch, name)


# The command


def test_the_command_names_the_attacks() -> None:
    done = CliRunner().invoke(lab, ["attack", "--list", "--json"])
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert [each["name"] for each in told] == [each.name for each in ATTACKS]


def test_the_command_tells_who_found_what_and_what_an_audit_says() -> None:
    done = CliRunner().invoke(lab, ["attack", "time-that-runs-backwards", "--json"])
    assert done.exit_code == 0
    told = json.loads(done.stdout)
    assert (told["ending"], told["fault"], told["entry"]) == ("detected", "bad-time", 6)
    assert (told["audit"], told["audit_exit"], told["confirmed"]) == ("violated", 10, True)
    assert 2 <= len(told["detected_by"]) <= told["honest"] == 3
    assert told["cheats"][0] not in told["detected_by"]


def test_an_attack_that_succeeds_is_not_withstood(monkeypatch: pytest.MonkeyPatch) -> None:
    for change in TAKEN_OUT["time-that-runs-backwards"]:
        take_out(monkeypatch, change)
    failed = CliRunner().invoke(lab, ["attack", "time-that-runs-backwards"])
    assert "succeeded" in failed.stdout
    assert isinstance(failed.exception, CommandError)
    assert failed.exception.code is Exit.DIFFERS


@pytest.mark.soak
@pytest.mark.parametrize(("name", "code"), [("other-scores", Exit.VIOLATED), ("fork", Exit.DONE)])
def test_what_the_command_writes_is_for_any_audit(tmp_path: Path, name: str, code: Exit) -> None:
    done = CliRunner().invoke(lab, ["attack", name, "--out", str(tmp_path), "--json"])
    told = json.loads(done.stdout)
    assert told["audit_exit"] == code
    assert told["log"] == str(tmp_path / f"{name}.kemps")
    assert audit_all([Path(told["log"]).read_bytes()]).verdict.value == told["audit"]


def test_an_attack_that_nobody_knows() -> None:
    failed = CliRunner().invoke(lab, ["attack", "bribery"]).exception
    assert isinstance(failed, CommandError)
    assert failed.code is Exit.USAGE
