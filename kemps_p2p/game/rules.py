"""A rule set: the typed record of every key, and how presets, variants and house rules become one.

A preset is data in `presets/`; nothing here or elsewhere asks which one runs. Knows no state of a match.
Invariants:

1. A `RuleSet` that exists is complete and holds together: all its player counts can be dealt.
2. Two rule sets play alike iff their canonical texts are equal; the name they were loaded by is no part.
3. Whatever is wrong with a text is a `RuleError` of one line that names the key.
"""

import re
import tomllib
from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from importlib import resources
from typing import Annotated, Any

import msgspec

from kemps_p2p.errors import KempsError
from kemps_p2p.game.actions import CallKind
from kemps_p2p.game.cards import PACK_CARDS, QUARTET_CARDS, Card, pack


class RuleError(KempsError):
    """A rule set that cannot be played; `key` is the one at fault, empty if the whole text is."""

    def __init__(self, key: str, text: str) -> None:
        super().__init__(f"{key}: {text}" if key else text)
        self.key = key
        self.text = text


class Mode(StrEnum):
    """Who may act when."""

    SIMULTANEOUS = "simultaneous"
    TURNS = "turns"


class Exchange(StrEnum):
    """How cards change places."""

    SWAP = "swap"
    DISCARD_FIRST = "discard-first"


class Start(StrEnum):
    """What opens play."""

    LAST_CARD = "last-card"
    GO = "go"


class Sweep(StrEnum):
    """What clears the pool."""

    PASS = "pass"
    IDLE = "idle"


class StockOut(StrEnum):
    """What happens when the stock is short."""

    VOID = "void"
    RECYCLE = "recycle"


class CounterTarget(StrEnum):
    """What a counter names."""

    PLAYER = "player"
    TEAM = "team"


class Reveal(StrEnum):
    """What a call shows."""

    HAND = "hand"
    TWO_CARDS = "two-cards"
    CLAIM = "claim"


class WrongCall(StrEnum):
    """Whether a wrong call ends the deal."""

    ENDS_DEAL = "ends-deal"
    CONTINUE = "continue"
    COUNTER_CONTINUES = "counter-continues"


class Scoring(StrEnum):
    """Whether one collects letters, and loses, or points, and wins."""

    LETTERS = "letters"
    POINTS = "points"


class Tie(StrEnum):
    """What a shared lead at the end of a match leads to."""

    PLAYOFF = "playoff"
    NONE = "none"


class Rotation(StrEnum):
    """Who deals the next deal."""

    CLOCKWISE = "clockwise"
    FIXED = "fixed"


class FirstDealer(StrEnum):
    """Who deals the first deal of a match."""

    DRAWN = "drawn"
    SEAT_0 = "seat-0"
    ROTATES = "rotates"


class SimultaneousCalls(StrEnum):
    """What becomes of two calls that are settled as simultaneous."""

    FIRST = "first"
    BOTH = "both"
    COUNTER_FIRST = "counter-first"


class PollTie(StrEnum):
    """Who orders the claims that the table's poll finds together."""

    LOTTERY = "lottery"
    DEALER = "dealer"


class Signals(StrEnum):
    """Free gestures, or one public signal a hand."""

    GESTURES = "gestures"
    ONCE = "once"


Word = Annotated[str, msgspec.Meta(min_length=1, max_length=40)]


class Points(
    msgspec.Struct, frozen=True, kw_only=True, rename="kebab", omit_defaults=True, forbid_unknown_fields=True
):
    """Points for each sort of call that may be made."""

    partner: int | None = None
    counter: int | None = None
    double: int | None = None
    double_counter: int | None = None

    def of(self, kind: CallKind) -> int | None:
        """The points of one sort, None if it has none."""
        return {
            CallKind.PARTNER: self.partner,
            CallKind.COUNTER: self.counter,
            CallKind.DOUBLE: self.double,
            CallKind.DOUBLE_COUNTER: self.double_counter,
        }[kind]


class Words(
    msgspec.Struct, frozen=True, kw_only=True, rename="kebab", omit_defaults=True, forbid_unknown_fields=True
):
    """What each sort of call is named on screen."""

    partner: Word | None = None
    counter: Word | None = None
    double: Word | None = None
    double_counter: Word | None = None

    def of(self, kind: CallKind) -> str | None:
        """The name of one sort, None if it has none."""
        return {
            CallKind.PARTNER: self.partner,
            CallKind.COUNTER: self.counter,
            CallKind.DOUBLE: self.double,
            CallKind.DOUBLE_COUNTER: self.double_counter,
        }[kind]


Count = Annotated[int, msgspec.Meta(ge=0, le=1_000_000)]
Seconds = Annotated[int, msgspec.Meta(ge=0, le=86_400)] | Annotated[float, msgspec.Meta(ge=0, le=86_400)]


class RuleSet(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Every key of a rule set. Units are in the names; what a key means is in the rule pages."""

    players: Annotated[tuple[Annotated[int, msgspec.Meta(ge=4, le=16)], ...], msgspec.Meta(min_length=1)]
    two_decks_above: Annotated[int, msgspec.Meta(ge=0, le=16)]
    pool_size: Annotated[int, msgspec.Meta(ge=1, le=48)]
    mode: Mode
    exchange: Exchange
    exchange_limit: Annotated[int, msgspec.Meta(ge=1, le=QUARTET_CARDS)]
    start: Start
    mulligan: Annotated[int, msgspec.Meta(ge=0, le=QUARTET_CARDS)]
    sweep: Sweep
    idle_seconds: Seconds
    stock_out: StockOut
    calls: Annotated[tuple[CallKind, ...], msgspec.Meta(min_length=1)]
    combine_calls: bool
    counter_target: CounterTarget
    reveal: Reveal
    wrong_call: WrongCall
    bar_after_wrong_counter: bool
    scoring: Scoring
    word: Annotated[str, msgspec.Meta(max_length=16)]
    points_right: Points
    points_wrong_caller: int
    points_wrong_other: int
    goal: Count
    deal_limit: Count | tuple[tuple[int, Count], ...]
    tie: Tie
    rotation: Rotation
    first_dealer: FirstDealer
    simultaneous_calls: SimultaneousCalls
    poll_tie: PollTie
    look_ms: Annotated[int, msgspec.Meta(ge=0, le=600_000)]
    auto_pass_s: Seconds
    signals: Signals
    speech: bool
    words: Words

    def packs(self, players: int) -> int:
        """How many packs so many players use."""
        return 2 if self.two_decks_above and players > self.two_decks_above else 1

    def deals(self, players: int) -> int:
        """How many deals a match of so many players has at most, 0 for no limit.

        A table by player count sets no limit for a count that it leaves out.
        """
        if isinstance(self.deal_limit, int):
            return self.deal_limit
        return dict(self.deal_limit).get(players, 0)


KEYS = tuple(sorted(RuleSet.__struct_fields__))
BASE_KEY = "base"


def deal_cards(rules: RuleSet, players: int) -> tuple[Card, ...]:
    """The pack or packs of so many players, in pack order."""
    return pack(rules.packs(players))


_PATH = re.compile(r" - at `\$\.?(.*)`$")
_FIELD = re.compile(r"^Object (?:contains unknown|missing required) field `([^`]*)`$")


def _rule_error(error: msgspec.ValidationError) -> RuleError:
    text = str(error)
    path = _PATH.search(text)
    where = path.group(1) if path else ""
    text = _PATH.sub("", text)
    field = _FIELD.match(text)
    if field is None:
        return RuleError(where, text[:1].lower() + text[1:])
    key = f"{where}.{field.group(1)}" if where else field.group(1)
    return RuleError(key, "no such key" if "unknown" in text else "missing")


def _deal_limit(value: object) -> object:
    """Turn a table by player count into pairs, so that the record stays a tuple."""
    if not isinstance(value, Mapping):
        return value
    pairs = []
    for players, limit in value.items():
        if not re.fullmatch(r"[1-9][0-9]?", str(players)):
            raise RuleError("deal_limit", f"not a number of players: {players!r}")
        pairs.append((int(players), limit))
    return sorted(pairs)


def _from_values(values: Mapping[str, Any]) -> RuleSet:
    raw = dict(values)
    if "deal_limit" in raw:
        raw["deal_limit"] = _deal_limit(raw["deal_limit"])
    try:
        rules = msgspec.convert(raw, RuleSet)
    except msgspec.ValidationError as error:
        raise _rule_error(error) from None
    rules = msgspec.structs.replace(
        rules,
        players=tuple(sorted(rules.players)),
        calls=tuple(kind for kind in CallKind if kind in rules.calls),
    )
    _refuse_contradictions(rules, raw)
    return rules


def _refuse_contradictions(rules: RuleSet, raw: Mapping[str, Any]) -> None:
    for key in ("players", "calls"):
        if len(set(raw[key])) != len(raw[key]):
            raise RuleError(key, "the same entry twice")
    for players in rules.players:
        if players % 2:
            raise RuleError("players", f"{players} players cannot form teams of two")
        if players * QUARTET_CARDS + rules.pool_size > rules.packs(players) * PACK_CARDS:
            raise RuleError("players", f"too few cards for {players} players")
    if rules.mulligan == 1:
        raise RuleError("mulligan", "one card is always alike; use 0 or 2 to 4")
    if rules.scoring is Scoring.LETTERS and not (rules.word.isalpha() and rules.word.isprintable()):
        raise RuleError("word", "a letter game needs a word of letters")
    for kind in rules.calls:
        if rules.scoring is Scoring.POINTS and rules.points_right.of(kind) is None:
            raise RuleError("points_right", f"no points for the call {kind.value!r}")
        word = rules.words.of(kind)
        if word is None or not word.isprintable():
            raise RuleError("words", f"no printable words for the call {kind.value!r}")


def _values(rules: RuleSet) -> dict[str, Any]:
    values: dict[str, Any] = msgspec.to_builtins(rules)
    if not isinstance(rules.deal_limit, int):
        values["deal_limit"] = {str(players): limit for players, limit in rules.deal_limit}
    return values


def override(rules: RuleSet, values: Mapping[str, Any]) -> RuleSet:
    """The rule set with some keys replaced; a list or table replaces the old one whole."""
    for key in values:
        if key not in KEYS:
            raise RuleError(str(key), "no such key")
    return _from_values({**_values(rules), **values})


def read_rules(text: str) -> RuleSet:
    """Read a TOML text: a full rule set, or one that names a preset in `base` and overrides keys."""
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RuleError("", f"not TOML: {error}") from None
    if BASE_KEY not in values:
        return _from_values(values)
    base = values.pop(BASE_KEY)
    if not isinstance(base, str):
        raise RuleError(BASE_KEY, "not the name of a rule set")
    return override(load_rules(base, key=BASE_KEY), values)


_FOLDER = resources.files("kemps_p2p.game") / "presets"
_SUFFIX = ".toml"


@cache
def rule_names() -> tuple[str, ...]:
    """All presets and named variants, each variant as `preset/variant`."""
    names = []
    for entry in _FOLDER.iterdir():
        if entry.name.endswith(_SUFFIX):
            names.append(entry.name.removesuffix(_SUFFIX))
        elif entry.is_dir():
            names += [
                f"{entry.name}/{variant.name.removesuffix(_SUFFIX)}"
                for variant in entry.iterdir()
                if variant.name.endswith(_SUFFIX)
            ]
    return tuple(sorted(names))


def load_text(name: str, key: str = "rules") -> str:
    """The text of a preset or named variant, with its comments; `key` is blamed if there is none."""
    if name not in rule_names():
        raise RuleError(key, f"no such rule set: {name!r}")
    return _FOLDER.joinpath(*(name + _SUFFIX).split("/")).read_text(encoding="utf-8")


@cache
def load_rules(name: str, key: str = "rules") -> RuleSet:
    """The rule set of a preset or named variant."""
    return read_rules(load_text(name, key))


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return msgspec.json.encode(value).decode()
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {_toml(value[key])}" for key in sorted(value)) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_toml(item) for item in value) + "]"
    return repr(value)


def _canonical(rules: RuleSet) -> dict[str, str]:
    values = _values(rules)
    return {key: _toml(values[key]) for key in KEYS}


def canonical_text(rules: RuleSet) -> str:
    """The full rule set as TOML, one line a key, keys sorted; `read_rules` gives the same set back."""
    return "".join(f"{key} = {text}\n" for key, text in _canonical(rules).items())


def first_difference(ours: RuleSet, theirs: RuleSet) -> str | None:
    """The first key, in alphabetical order, in which two rule sets differ."""
    other = _canonical(theirs)
    return next((key for key, text in _canonical(ours).items() if other[key] != text), None)


__all__ = [
    "KEYS",
    "CallKind",
    "CounterTarget",
    "Exchange",
    "FirstDealer",
    "Mode",
    "Points",
    "PollTie",
    "Reveal",
    "Rotation",
    "RuleError",
    "RuleSet",
    "Scoring",
    "Signals",
    "SimultaneousCalls",
    "Start",
    "StockOut",
    "Sweep",
    "Tie",
    "Words",
    "WrongCall",
    "canonical_text",
    "deal_cards",
    "first_difference",
    "load_rules",
    "load_text",
    "override",
    "read_rules",
    "rule_names",
]
