"""The five rule books as data, house rules on top of them, and what is wrong with a text."""

import tomllib

import msgspec
import pytest

from kemps_p2p.game.allowed import ALLOWED
from kemps_p2p.game.rules import (
    KEYS,
    RuleError,
    RuleSet,
    canonical_text,
    first_difference,
    load_rules,
    load_text,
    override,
    read_rules,
    rule_names,
)

VARIANTS = {
    "chaulcer/five-up": {"pool_size"},
    "chaulcer/verbal": {"speech"},
    "chaulcer/incorrect-ends": {"wrong_call", "reveal"},
    "kemps/go": {"start"},
    "kemps/one-at-a-time": {"exchange_limit"},
    "kemps/cut": {"words"},
    "kemps/stop": {"words"},
    "kemps/peanut-butter": {
        "deal_limit",
        "points_wrong_other",
        "scoring",
        "speech",
        "tie",
        "words",
    },
    "kems/15": {"goal"},
    "kems/20": {"goal"},
}
BOOKS = {
    "kemps": {
        "players": (4, 6, 8, 10, 12, 14, 16),
        "two_decks_above": 8,
        "exchange_limit": 4,
        "reveal": "hand",
        "scoring": "letters",
        "word": "KEMPS",
        "rotation": "fixed",
        "look_ms": 800,
    },
    "chaulcer": {
        "sweep": "idle",
        "idle_seconds": 3,
        "combine_calls": True,
        "counter_target": "player",
        "reveal": "claim",
        "wrong_call": "continue",
        "points_wrong_caller": -1,
        "points_wrong_other": 0,
        "goal": 10,
        "tie": "playoff",
        "simultaneous_calls": "both",
        "poll_tie": "dealer",
        "look_ms": 1500,
        "auto_pass_s": 0,
    },
    "cash": {
        "players": (4,),
        "mode": "turns",
        "stock_out": "recycle",
        "goal": 5,
        "first_dealer": "rotates",
        "signals": "once",
        "look_ms": 0,
        "tie": "none",
    },
    "kems": {
        "players": (4, 6),
        "exchange": "discard-first",
        "start": "go",
        "mulligan": 3,
        "calls": ("partner", "counter", "double"),
        "reveal": "two-cards",
        "wrong_call": "counter-continues",
        "bar_after_wrong_counter": True,
        "points_wrong_caller": -1,
        "points_wrong_other": 1,
    },
    "kent": {
        "players": (4, 6, 8),
        "exchange_limit": 1,
        "stock_out": "void",
        "scoring": "letters",
        "rotation": "clockwise",
        "simultaneous_calls": "counter-first",
    },
}


def test_all_books_and_variants_are_there() -> None:
    assert set(rule_names()) == set(BOOKS) | set(VARIANTS)


@pytest.mark.parametrize("name", BOOKS)
def test_book(name: str) -> None:
    rules = load_rules(name)
    assert {key: getattr(rules, key) for key in BOOKS[name]} == BOOKS[name]
    assert set(tomllib.loads(load_text(name))) == set(KEYS)


@pytest.mark.parametrize("name", VARIANTS)
def test_variant_changes_only_what_it_is_about(name: str) -> None:
    base, variant = load_rules(name.split("/", maxsplit=1)[0]), load_rules(name)
    assert {key for key in KEYS if getattr(base, key) != getattr(variant, key)} == VARIANTS[name]


def test_deals_by_player_count() -> None:
    rules = load_rules("chaulcer")
    assert [rules.deals(players) for players in (4, 6, 8)] == [12, 12, 16]
    assert [override(rules, {"deal_limit": 3}).deals(players) for players in (4, 8)] == [3, 3]
    assert override(rules, {"deal_limit": {"8": 3}}).deals(4) == 0


@pytest.mark.parametrize("name", rule_names())
def test_canonical_text_round_trip(name: str) -> None:
    rules = load_rules(name)
    text = canonical_text(rules)
    assert read_rules(text) == rules
    assert canonical_text(read_rules(text)) == text
    assert [line.split(" = ")[0] for line in text.splitlines()] == list(KEYS)


def test_the_order_of_lists_and_tables_makes_no_difference() -> None:
    one = read_rules('base = "chaulcer"\ncalls = ["counter", "partner"]\ndeal_limit = { 8 = 3, 4 = 2 }')
    other = read_rules('base = "chaulcer"\ncalls = ["partner", "counter"]\ndeal_limit = { 4 = 2, 8 = 3 }')
    assert canonical_text(one) == canonical_text(other)
    assert first_difference(one, other) is None


def test_first_difference_names_a_key() -> None:
    kemps = load_rules("kemps")
    assert first_difference(kemps, kemps) is None
    assert first_difference(kemps, override(kemps, {"word": "KENT", "look_ms": 1})) == "look_ms"


def test_a_house_rule_replaces_a_table_whole() -> None:
    rules = read_rules('base = "chaulcer"\ncalls = ["partner"]\npoints_right = { partner = 5 }')
    assert msgspec.to_builtins(rules.points_right) == {"partner": 5}


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("=", ""),
        ('base = "cams"', "base"),
        ('base = "../kemps"', "base"),
        ("base = 4", "base"),
        ("pool_size = 4", "players"),
        ('base = "kemps"\nspeed = 3', "speed"),
        ('base = "kemps"\nmode = "random"', "mode"),
        ('base = "kemps"\npool_size = "4"', "pool_size"),
        ('base = "kemps"\npool_size = true', "pool_size"),
        ('base = "kemps"\npool_size = 4.0', "pool_size"),
        ('base = "kemps"\npool_size = 0', "pool_size"),
        ('base = "kemps"\nexchange_limit = 5', "exchange_limit"),
        ('base = "kemps"\nmulligan = 1', "mulligan"),
        ('base = "kemps"\nspeech = 1', "speech"),
        ('base = "kemps"\nplayers = []', "players"),
        ('base = "kemps"\nplayers = [4, 4]', "players"),
        ('base = "kemps"\nplayers = [5]', "players"),
        ('base = "kemps"\nplayers = [18]', "players[0]"),
        ('base = "kemps"\ntwo_decks_above = 0', "players"),
        ('base = "kent"\npool_size = 21', "players"),
        ('base = "kemps"\ncalls = []', "calls"),
        ('base = "kemps"\ncalls = ["partner", "partner"]', "calls"),
        ('base = "kemps"\ncalls = ["triple"]', "calls[0]"),
        ('base = "kemps"\nword = ""', "word"),
        ('base = "kemps"\nword = "K3MPS"', "word"),
        ('base = "kemps"\nwords = { partner = "Kemps!" }', "words"),
        ('base = "kemps"\nwords = { partner = "a", counter = "b\\n" }', "words"),
        ('base = "kemps"\nwords = { partner = "a", counter = "b", triple = "c" }', "words.triple"),
        ('base = "chaulcer"\npoints_right = { partner = 1 }', "points_right"),
        ('base = "chaulcer"\ndeal_limit = { four = 1 }', "deal_limit.four"),
        ('base = "chaulcer"\ndeal_limit = { 4 = "one" }', "deal_limit.4"),
        ('base = "chaulcer"\ndeal_limit = { 4 = true }', "deal_limit.4"),
        ('base = "chaulcer"\ndeal_limit = { 4 = -1 }', "deal_limit.4"),
        ('base = "chaulcer"\ndeal_limit = -1', "deal_limit"),
        ('base = "chaulcer"\nidle_seconds = 1979-05-27', "idle_seconds"),
        ('base = "chaulcer"\nidle_seconds = "3"', "idle_seconds"),
        ('base = "chaulcer"\nidle_seconds = -1', "idle_seconds"),
        ('base = "chaulcer"\nidle_seconds = nan', "idle_seconds"),
        ('base = "chaulcer"\nidle_seconds = inf', "idle_seconds"),
        ('base = "chaulcer"\npoints_wrong_caller = 1001', "points_wrong_caller"),
        ('base = "chaulcer"\ngoal = ' + "9" * 30, "goal"),
        ('base = "chaulcer"\ngoal = ' + "9" * 5000, ""),
        ("a = " + "[" * 5000, ""),
    ],
)
def test_what_is_wrong_is_named(text: str, key: str) -> None:
    with pytest.raises(RuleError) as caught:
        read_rules(text)
    assert caught.value.key == key
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("key", KEYS)
def test_what_is_allowed_is_said(key: str) -> None:
    """A value of a kind that no key takes, for every key."""
    with pytest.raises(RuleError) as caught:
        read_rules(f'base = "kemps"\n{key} = 1979-05-27T07:32:00Z')
    assert str(caught.value) == f'{key}: "1979-05-27T07:32:00Z" is not {ALLOWED[key]}'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('mode = "turn"', 'mode: "turn" is not "simultaneous" or "turns"'),
        ("pool_size = 99", "pool_size: 99 is not a whole number from 1 to 48"),
        ("players = [4, 3]", "players[1]: 3 is not a whole number from 4 to 16"),
        ("points_right.partner = 2.5", "points_right.partner: 2.5 is not a whole number from -1000 to 1000"),
        ("deal_limit.4 = -1", "deal_limit.4: -1 is not a whole number from 0 to 1000000"),
        ("exchange_limits = 2", 'exchange_limits: no such key; did you mean "exchange_limit"?'),
        ("zzz = 2", f"zzz: no such key; there are {', '.join(KEYS)}"),
        ('words.dubble = "D"', 'words.dubble: no such key; did you mean "double"?'),
        (f'word = "{"K" * 99}"', f'word: "{"K" * 38}… is not a text of at most 16 characters'),
    ],
)
def test_the_line_about_a_wrong_key(text: str, said: str) -> None:
    with pytest.raises(RuleError) as caught:
        read_rules(f'base = "kemps"\n{text}')
    assert str(caught.value) == said


def test_idle_seconds_may_be_a_fraction() -> None:
    rules = read_rules('base = "chaulcer"\nidle_seconds = 2.5')
    assert rules.idle_seconds == 2.5
    assert read_rules(canonical_text(rules)) == rules


def test_a_rule_set_is_immutable() -> None:
    rules: RuleSet = load_rules("kemps")
    with pytest.raises(AttributeError):
        rules.goal = 3  # type: ignore[misc]
