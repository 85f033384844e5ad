"""A rule set: the typed record of every key, and how presets, variants and house rules become one.

A preset is data in `presets/`; nothing here or elsewhere asks which one runs. Knows no state of a match.
Invariants:

1. A `RuleSet` that exists is complete and holds together: all its player counts can be dealt.
2. Two rule sets play alike iff their canonical texts are equal; the name they were loaded by is no part.
3. Whatever is wrong with a text is a `RuleError` of one line: the key, what is wrong, what is allowed.
"""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

import msgspec

from kemps_p2p.errors import KempsError
from kemps_p2p.game.actions import CallKind
from kemps_p2p.game.allowed import fault_of, no_such_key, shown
from kemps_p2p.game.cards import PACK_CARDS, QUARTET_CARDS, Card, pack
from kemps_p2p.game.ruleset import (
    COUNT_MAX,
    KEYS,
    CounterTarget,
    Exchange,
    FirstDealer,
    Mode,
    Points,
    PollTie,
    Reveal,
    Rotation,
    RuleSet,
    Scoring,
    Signals,
    SimultaneousCalls,
    Start,
    StockOut,
    Sweep,
    Tie,
    Words,
    WrongCall,
)


class RuleError(KempsError):
    """A rule set that cannot be played; `key` is the one at fault, empty if the whole text is."""

    def __init__(self, key: str, text: str) -> None:
        super().__init__(f"{key}: {text}" if key else text)
        self.key = key
        self.text = text


BASE_KEY = "base"


def deal_cards(rules: RuleSet, players: int) -> tuple[Card, ...]:
    """The pack or packs of so many players, in pack order."""
    return pack(rules.packs(players))


def _deal_limit(value: object) -> object:
    """Turn a table by player count into pairs, so that the record stays a tuple."""
    if isinstance(value, list):
        # Pairs are how the record holds the table, and no way to write it.
        raise RuleError("deal_limit", f"{shown(value)} is not a number, nor a table by number of players")
    if not isinstance(value, Mapping):
        return value
    pairs = []
    for players, limit in value.items():
        if not re.fullmatch(r"[1-9][0-9]?", players):
            raise RuleError(f"deal_limit.{players}", "not a number of players")
        if isinstance(limit, bool) or not isinstance(limit, int) or not 0 <= limit <= COUNT_MAX:
            raise RuleError(
                f"deal_limit.{players}", f"{shown(limit)} is not a whole number from 0 to {COUNT_MAX}"
            )
        pairs.append((int(players), limit))
    return sorted(pairs)


def _from_values(values: Mapping[str, Any]) -> RuleSet:
    raw = dict(values)
    if "deal_limit" in raw:
        raw["deal_limit"] = _deal_limit(raw["deal_limit"])
    try:
        rules = msgspec.convert(raw, RuleSet)
    except msgspec.ValidationError as error:
        raise RuleError(*fault_of(error, raw)) from None
    rules = msgspec.structs.replace(
        rules,
        players=tuple(sorted(rules.players)),
        calls=tuple(kind for kind in CallKind if kind in rules.calls),
    )
    _refuse_contradictions(rules, raw)
    return rules


def _refuse_contradictions(rules: RuleSet, raw: Mapping[str, Any]) -> None:
    for key in ("players", "calls"):
        twice = next((entry for entry in raw[key] if raw[key].count(entry) > 1), None)
        if twice is not None:
            raise RuleError(key, f"{shown(twice)} is there twice")
    for players in rules.players:
        if players % 2:
            raise RuleError("players", f"{players} players cannot form teams of two; even numbers can")
        needed, cards = players * QUARTET_CARDS + rules.pool_size, rules.packs(players) * PACK_CARDS
        if needed > cards:
            text = f"{players} players and the pool need {needed} cards, of {cards}"
            raise RuleError("players", f"{text}; see two_decks_above and pool_size")
    if rules.mulligan == 1:
        raise RuleError("mulligan", "one card is always alike; use 0, or 2 to 4")
    if rules.scoring is Scoring.LETTERS and not (rules.word.isalpha() and rules.word.isprintable()):
        raise RuleError("word", "a letter game needs a word of letters")
    for kind in rules.calls:
        if rules.scoring is Scoring.POINTS and rules.points_right.of(kind) is None:
            raise RuleError("points_right", f'no points for "{kind.value}", which is in calls')
        word = rules.words.of(kind)
        if word is None or not word.isprintable():
            raise RuleError("words", f'no printable words for "{kind.value}", which is in calls')


def values_of(rules: RuleSet) -> dict[str, Any]:
    """All keys with plain values, as TOML and JSON have them."""
    values: dict[str, Any] = msgspec.to_builtins(rules)
    if not isinstance(rules.deal_limit, int):
        values["deal_limit"] = {str(players): limit for players, limit in rules.deal_limit}
    return values


def override(rules: RuleSet, values: Mapping[str, Any]) -> RuleSet:
    """The rule set with some keys replaced; a list or table replaces the old one whole."""
    for key in values:
        if key not in KEYS:
            raise RuleError(key, no_such_key(key, KEYS))
    return _from_values({**values_of(rules), **values})


def read_rules(text: str) -> RuleSet:
    """Read a TOML text: a full rule set, or one that names a preset in `base` and overrides keys."""
    try:
        values = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise RuleError("", f"not TOML: {error}") from None
    if BASE_KEY not in values:
        return _from_values(values)
    base = values.pop(BASE_KEY)
    if not isinstance(base, str):
        raise RuleError(BASE_KEY, f"{shown(base)} is not the name of a rule set")
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
        raise RuleError(key, f"no such rule set: {shown(name)}; there are {', '.join(rule_names())}")
    return _FOLDER.joinpath(*(name + _SUFFIX).split("/")).read_text(encoding="utf-8")


def load_summary(name: str) -> str:
    """What a preset or named variant is, in a line: the first paragraph of its comment."""
    lines: list[str] = []
    for line in load_text(name).splitlines():
        said = line.removeprefix("#").strip()
        if not line.startswith("#") or not said:
            break
        lines.append(said)
    return " ".join(lines)


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
    values = values_of(rules)
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
    "load_summary",
    "load_text",
    "override",
    "read_rules",
    "rule_names",
    "values_of",
]
