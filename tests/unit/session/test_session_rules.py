"""Rule sets that differ between seats, and rematches."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

import pytest
from msgspec import structs
from session_helpers import RULES, formed, setup
from session_records import rules_of

from kemps_p2p.codec import Digest, encode
from kemps_p2p.errors import Fault, PeerFault
from kemps_p2p.game.rules import KEYS, canonical_text, override
from kemps_p2p.session.genesis import NO_MATCH, Genesis, found
from kemps_p2p.session.lobby import Lobby
from kemps_p2p.session.match import Match, begin
from kemps_p2p.session.messages import LobbyWords, read_message

OTHERS: Mapping[str, object] = {
    "players": [4],
    "two_decks_above": 4,
    "pool_size": 5,
    "mode": "turns",
    "exchange": "discard-first",
    "exchange_limit": 1,
    "start": "go",
    "mulligan": 3,
    "sweep": "idle",
    "idle_seconds": 4,
    "stock_out": "recycle",
    "calls": ["partner"],
    "combine_calls": True,
    "counter_target": "player",
    "reveal": "claim",
    "wrong_call": "continue",
    "bar_after_wrong_counter": True,
    "scoring": "points",
    "word": "KENT",
    "points_right": {"partner": 1, "counter": 2},
    "points_wrong_caller": -1,
    "points_wrong_other": 1,
    "goal": 7,
    "deal_limit": {"4": 12},
    "tie": "playoff",
    "rotation": "clockwise",
    "first_dealer": "rotates",
    "simultaneous_calls": "both",
    "poll_tie": "dealer",
    "look_ms": 801,
    "auto_pass_s": 0,
    "signals": "once",
    "speech": True,
    "words": {"partner": "Cut!", "counter": "Stop!"},
}


@cache
def seated_lobby() -> Lobby:
    """It refuses whatever comes, so that one is enough."""
    lobby = Lobby(setup(0))
    lobby.start()
    return lobby


@pytest.mark.parametrize("key", KEYS)
def test_a_rule_set_that_differs_in_any_key_is_told_by_that_key(key: str) -> None:
    lobby, other = seated_lobby(), Lobby(setup(2, rules=override(RULES, {key: OTHERS[key]})))
    (message, *_) = other.start()
    words = read_message(message)
    assert isinstance(words, LobbyWords)
    with pytest.raises(PeerFault) as fault:
        lobby.receive(words, 0)
    assert (fault.value.code, fault.value.culprit) == (Fault.OTHER_RULES, 2)
    assert fault.value.text == f"the key {key} differs"


@cache
def first_genesis() -> Genesis:
    return formed().play().founding.genesis


def rematch(matches: int, how: str) -> Match:
    """The start of a match at a table that has finished some."""
    rules = canonical_text(rules_of("kemps", first_dealer=how))
    genesis = structs.replace(first_genesis(), rules=rules)
    previous = Digest(bytes([7]) * 32) if matches else NO_MATCH
    return begin(found(encode(structs.replace(genesis, matches=matches, previous=previous))))


@pytest.mark.parametrize(("how", "dealers"), [("rotates", [0, 1, 2, 3, 0]), ("seat-0", [0] * 5)])
def test_the_first_dealer_of_each_match_of_a_table(how: str, dealers: list[int]) -> None:
    matches = [rematch(number, how) for number in range(5)]
    assert [match.game.dealer for match in matches] == dealers
    assert [match.on_duty for match in matches] == dealers
    assert [match.game.matches for match in matches] == list(range(5))


def test_a_drawn_dealer_follows_from_all_nonces_alone() -> None:
    matches = [rematch(number, "drawn") for number in range(5)]
    assert {match.game.dealer for match in matches} == {matches[0].founding.drawn_dealer}


@pytest.mark.parametrize(("matches", "previous"), [(1, 0), (0, 7), (-1, 7)])
def test_a_rematch_names_the_match_before(matches: int, previous: int) -> None:
    forged_genesis = structs.replace(
        first_genesis(), matches=matches, previous=Digest(bytes([previous]) * 32)
    )
    with pytest.raises(PeerFault) as fault:
        found(encode(forged_genesis))
    assert fault.value.code is Fault.BAD_GENESIS


def test_who_comes_from_another_match_sits_at_another_table() -> None:
    one, other = Lobby(setup(0)), Lobby(replace(setup(2), matches=1, previous=Digest(bytes([7]) * 32)))
    one.start()
    (message, *_) = other.start()
    words = read_message(message)
    assert isinstance(words, LobbyWords)
    with pytest.raises(PeerFault) as fault:
        one.receive(words, 0)
    assert (fault.value.code, fault.value.culprit) == (Fault.BAD_GENESIS, None)
