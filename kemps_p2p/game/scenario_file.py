"""Reading a scenario file: TOML text in, typed records out, or one clear line about what is wrong with it.

Knows the rules only to see which cards, players and rule sets there are; it plays nothing.
"""

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

import msgspec

from kemps_p2p.errors import KempsError
from kemps_p2p.game.actions import CallItem, CallKind, Counter, Double, DoubleCounter, Partner
from kemps_p2p.game.cards import QUARTET_CARDS, Card, CardError, format_card, parse_cards
from kemps_p2p.game.record import Phase, Result
from kemps_p2p.game.rules import Mode, RuleError, RuleSet, deal_cards, load_rules, override
from kemps_p2p.game.scoring import Verdict
from kemps_p2p.game.table import Layout
from kemps_p2p.ids import Seat


class ScenarioError(KempsError):
    """A text that is not a scenario."""


class Act(msgspec.Struct, frozen=True, kw_only=True):
    """One action of a step, with cards by name."""

    seat: Seat
    do: str
    take: tuple[Card, ...] = ()
    give: tuple[Card, ...] = ()
    calls: tuple[CallItem, ...] = ()
    name: str = ""
    text: str = ""


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """Acts, or time, and what holds after them. Cards that are expected in any order are sorted."""

    do: str
    acts: tuple[Act, ...] = ()
    wait_ms: int = 0
    expect: Mapping[str, Any] = {}


class Start(msgspec.Struct, frozen=True, kw_only=True):
    """The table as it is set up."""

    layout: Layout
    dealer: Seat
    scores: tuple[int, ...]
    deals: int
    matches: int
    playoff: bool
    turn: Seat | None
    phase: Phase


class Scenario(msgspec.Struct, frozen=True, kw_only=True):
    """A whole file."""

    title: str
    rules: RuleSet
    players: int
    start: Start
    deals: tuple[Layout, ...]
    steps: tuple[Step, ...]


Reader = Callable[[Any, str], Any]


def _fail(where: str, text: str) -> NoReturn:
    raise ScenarioError(f"{where}: {text}")


def _kind(kind: type, noun: str) -> Reader:
    def read(value: Any, where: str) -> Any:
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            _fail(where, f"not {noun}")
        return value

    return read


_text = _kind(str, "a text")
_flag = _kind(bool, "true or false")
_whole = _kind(int, "a whole number")
_table = _kind(dict, "a table")
_list = _kind(list, "a list")


def _count(value: Any, where: str) -> int:
    number: int = _whole(value, where)
    if number < 0:
        _fail(where, "less than 0")
    return number


def _one_of(words: Sequence[str]) -> Reader:
    def read(value: Any, where: str) -> Any:
        if _text(value, where) not in words:
            _fail(where, f"not one of {', '.join(words)}: {value!r}")
        return value

    return read


def _list_of(item: Reader) -> Reader:
    def read(value: Any, where: str) -> Any:
        return tuple(item(each, where) for each in _list(value, where))

    return read


def _fields(value: Any, where: str, known: Mapping[str, Reader], needed: Sequence[str]) -> dict[str, Any]:
    """Read a table: no key but the known ones, and all that are needed."""
    values = _table(value, where)
    for key in values:
        if key not in known:
            _fail(where, f"unknown key {key!r}")
    for key in needed:
        if key not in values:
            _fail(where, f"{key!r} is missing")
    return {key: known[key](values[key], f"{where}.{key}") for key in values}


class _Cards:
    """The cards of one rule set and number of players, and how they are read."""

    def __init__(self, rules: RuleSet, players: int) -> None:
        self.pack = deal_cards(rules, players)
        self._known = frozenset(self.pack)
        self.players = players

    def read(self, value: Any, where: str) -> tuple[Card, ...]:
        """Cards in the order given."""
        try:
            cards = parse_cards(_text(value, where))
        except CardError as error:
            _fail(where, str(error))
        for card in cards:
            if card not in self._known:
                _fail(where, f"{format_card(card)} is not in the pack")
        return cards

    def any_order(self, value: Any, where: str) -> tuple[Card, ...]:
        """Cards whose order does not count."""
        return tuple(sorted(self.read(value, where)))

    def hands(self, value: Any, where: str) -> tuple[tuple[Card, ...], ...]:
        """One hand of four for each player."""
        hands = tuple(self.read(hand, where) for hand in _list(value, where))
        if len(hands) != self.players:
            _fail(where, f"{len(hands)} hands for {self.players} players")
        for seat, hand in enumerate(hands):
            if len(hand) != QUARTET_CARDS:
                _fail(where, f"the hand of seat {seat} has {len(hand)} cards")
        return hands

    def seen_hands(self, value: Any, where: str) -> dict[str, tuple[Card, ...]]:
        """Expected hands, by seat."""
        seats = [str(seat) for seat in range(self.players)]
        for seat in _table(value, where):
            if seat not in seats:
                _fail(where, f"no seat {seat!r}")
        return {seat: self.any_order(hand, f"{where}.{seat}") for seat, hand in value.items()}

    def layout(self, given: Mapping[str, Any], where: str) -> Layout:
        """The whole deal: what is not named lies in the stock or, if that is given, among the discards."""
        named = [card for hand in given["hands"] for card in hand]
        for key in ("pool", "stock", "discards"):
            named += given.get(key, ())
        seen: set[Card] = set()
        for card in named:
            if card in seen:
                _fail(where, f"{format_card(card)} is named twice")
            seen.add(card)
        rest = tuple(card for card in self.pack if card not in seen)
        stock = given.get("stock", rest)
        swept = given.get("discards", rest if "stock" in given else ())
        if "stock" in given and "discards" in given and rest:
            _fail(where, f"{format_card(rest[0])} lies nowhere")
        return Layout(hands=given["hands"], pool=given["pool"], stock=stock, swept=swept)


_CALL = re.compile(r"(partner|double|counter|double-counter)(?: (-?[0-9]{1,9}))?")


def _call(value: Any, where: str) -> CallItem:
    found = _CALL.fullmatch(_text(value, where))
    if found is None:
        _fail(where, f"no such call: {value!r}")
    kind, number = CallKind(found[1]), found[2]
    if (number is not None) != (kind in {CallKind.COUNTER, CallKind.DOUBLE_COUNTER}):
        _fail(where, f"no such call: {value!r}")
    match kind:
        case CallKind.PARTNER:
            return Partner()
        case CallKind.DOUBLE:
            return Double()
        case CallKind.COUNTER:
            return Counter(int(number))
        case CallKind.DOUBLE_COUNTER:
            return DoubleCounter(int(number))


_PARTS: Mapping[str, tuple[str, ...]] = {
    "swap": ("take", "give"),
    "discard": ("give",),
    "take": ("take",),
    "pass": (),
    "signal": (),
    "gesture": ("name",),
    "say": ("text",),
    "call": ("calls",),
    "mulligan": (),
    "go": (),
    "halt": (),
    "resume": (),
    "next": (),
}
"""What each action is given with."""


def _do(value: Any, where: str, more: tuple[str, ...] = ()) -> str:
    if "do" not in _table(value, where):
        _fail(where, "'do' is missing")
    do: str = _text(value["do"], f"{where}.do")
    if do not in _PARTS and do not in more:
        _fail(where, f"no such action: {do!r}")
    return do


def _act(value: Mapping[str, Any], where: str, cards: _Cards) -> Act:
    do = _do(value, where)
    parts: dict[str, Reader] = {
        "take": cards.read,
        "give": cards.read,
        "name": _text,
        "text": _text,
        "calls": _list_of(_call),
    }
    known = {"seat": _whole, "do": _text, **{part: parts[part] for part in _PARTS[do]}}
    return Act(**_fields(value, where, known, ("seat", "do", *_PARTS[do])))


def _seconds(value: Any, where: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e9:
        _fail(where, "not a number of seconds")
    return round(value * 1000)


_RESULTS = tuple(result.value for result in Result)
_PHASES = tuple(phase.value for phase in (Phase.OPEN, Phase.DEALT, Phase.HALTED))
_END_PHASES = (*_PHASES, Phase.DEAL_OVER.value, Phase.MATCH_OVER.value)


def _numbers(value: Any, where: str) -> tuple[int, ...]:
    return tuple(sorted(_list_of(_whole)(value, where)))


def _expectations(cards: _Cards, do: str) -> dict[str, Reader]:
    known: dict[str, Reader] = {
        "verdicts": _list_of(_one_of(tuple(Verdict))),
        "scores": _list_of(_whole),
        "hands": cards.seen_hands,
        "pool": cards.any_order,
        "stock_left": _whole,
        "turn": _whole,
        "dealer": _whole,
        "phase": _one_of(_END_PHASES),
        "deal_over": _flag,
        "match_over": _flag,
        "winners": _numbers,
        "losers": _numbers,
        "playoff": _flag,
        "barred": _numbers,
    }
    if do == "together":
        known["results"] = _list_of(_one_of(_RESULTS))
    elif do != "wait":
        known["result"] = _one_of(_RESULTS)
    if do != "next":
        known["shown"] = cards.any_order
    return known


def _step(value: Any, where: str, cards: _Cards) -> Step:
    do = _do(value, where, ("wait", "together"))
    rest = {key: part for key, part in value.items() if key != "expect"}
    expect = _fields(value.get("expect", {}), f"{where}.expect", _expectations(cards, do), ())
    if do == "wait":
        fields = _fields(rest, where, {"do": _text, "seconds": _seconds}, ("seconds",))
        return Step(do=do, wait_ms=fields["seconds"], expect=expect)
    if do == "together":
        fields = _fields(rest, where, {"do": _text, "acts": _list}, ("acts",))
        acts = tuple(_act(act, f"{where}.acts[{index}]", cards) for index, act in enumerate(fields["acts"]))
        return Step(do=do, acts=acts, expect=expect)
    return Step(do=do, acts=(_act(rest, where, cards),), expect=expect)


def _start(value: Any, rules: RuleSet, players: int, cards: _Cards) -> Start:
    def seat(value: Any, where: str) -> int:
        number = _count(value, where)
        if number >= players:
            _fail(where, f"no seat {number}")
        return number

    known: dict[str, Reader] = {
        "dealer": seat,
        "hands": cards.hands,
        "pool": cards.read,
        "stock": cards.read,
        "discards": cards.read,
        "scores": _list_of(_whole),
        "deals": _count,
        "matches": _count,
        "playoff": _flag,
        "turn": seat,
        "phase": _one_of(_PHASES),
    }
    given = _fields(value, "table", known, ("hands", "pool"))
    scores = given.get("scores", (0,) * (players // 2))
    if len(scores) != players // 2:
        _fail("table.scores", f"{len(scores)} scores for {players // 2} teams")
    if "turn" in given and rules.mode is not Mode.TURNS:
        _fail("table.turn", "nobody has a turn in these rules")
    return Start(
        layout=cards.layout(given, "table"),
        dealer=given.get("dealer", Seat(0)),
        scores=scores,
        deals=given.get("deals", 0),
        matches=given.get("matches", 0),
        playoff=given.get("playoff", False),
        turn=given.get("turn"),
        phase=Phase(given.get("phase", Phase.OPEN.value)),
    )


def _deal(value: Any, where: str, cards: _Cards) -> Layout:
    known: dict[str, Reader] = {"hands": cards.hands, "pool": cards.read, "stock": cards.read}
    return cards.layout(_fields(value, where, known, ("hands", "pool")), where)


_SCENARIO: Mapping[str, Reader] = {
    "title": _text,
    "source": _text,
    "rules": _text,
    "players": _whole,
    "overrides": _table,
    "table": _table,
    "deal": _list,
    "step": _list,
}
SCENARIO_KEYS = frozenset(_SCENARIO)
"""What a scenario has at its top level."""


def _rules(name: str, players: int, overrides: Mapping[str, Any]) -> RuleSet:
    """The rule set for so many players. Other counts need not be possible under the overrides."""
    try:
        base = load_rules(name)
        if "players" not in overrides and players in base.players:
            return override(base, {**overrides, "players": [players]})
        rules = override(base, overrides)
    except RuleError as error:
        raise ScenarioError(str(error)) from None
    if players not in rules.players:
        _fail("players", f"the rules do not allow {players} players")
    return rules


def parse_scenario(text: str) -> Scenario:
    """Read a scenario; `ScenarioError` with one line if the text is none."""
    try:
        values = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise ScenarioError(f"not TOML: {error}") from None
    given = _fields(values, "scenario", _SCENARIO, ("title", "rules", "players", "table"))
    players = given["players"]
    rules = _rules(given["rules"], players, given.get("overrides", {}))
    cards = _Cards(rules, players)
    return Scenario(
        title=given["title"],
        rules=rules,
        players=players,
        start=_start(given["table"], rules, players, cards),
        deals=tuple(_deal(deal, f"deal {n}", cards) for n, deal in enumerate(given.get("deal", ()), 1)),
        steps=tuple(_step(step, f"step {n}", cards) for n, step in enumerate(given.get("step", ()), 1)),
    )
