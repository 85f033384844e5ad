"""What holds for every rule set, number of players and course of play, legal or not."""

import random

import pytest
from game_helpers import PRESETS, TABLES, Script, begin_next, finish, scripted, scripts, shuffled
from hypothesis import given, settings
from hypothesis import strategies as st

from kemps_p2p.errors import Illegal, IllegalAction
from kemps_p2p.game.actions import Call, Counter, Deny, Double, DoubleCounter, Go, Mulligan, Next, Partner
from kemps_p2p.game.cards import Card, rank
from kemps_p2p.game.events import Called, DealEnded
from kemps_p2p.game.rules import deal_cards, load_rules
from kemps_p2p.game.state import Phase, Result, apply, check
from kemps_p2p.game.table import Outcome, Table
from kemps_p2p.ids import Seat

RIGHT = {
    "kemps/peanut-butter": (1, 0, 1, 0),
    "chaulcer": (1, 3, 1, 4),
    "cash": (1, 0, 1, 0),
    "kems": (1, 2, 1, 0),
}
"""Points of a right partner, double, counter and double counter, by rule book; none is a letter game."""
WRONG = {"kemps/peanut-butter": (0, 1), "chaulcer": (-1, 0), "cash": (0, 1), "kems": (-1, 1)}
"""Points of a wrong call, for the caller's team and for the other."""


def cards_lie_once(table: Table) -> None:
    state = table.state
    piles = [*state.hands, state.pool, state.stock, state.swept]
    lying = [position for pile in piles for position in pile]
    assert len(set(lying)) == len(lying)
    cards = sorted(table.faces[position] for position in lying)
    assert cards == list(deal_cards(state.rules, state.players))
    assert all(table.faces[position] == card for position, card in state.faces.items())


def hands_are_whole(table: Table) -> None:
    allowed = {3, 4} if table.state.rules.exchange == "discard-first" else {4}
    assert {len(hand) for hand in table.state.hands} <= allowed


def points_book(name: str) -> str | None:
    return next((book for book in (name, name.split("/", maxsplit=1)[0]) if book in RIGHT), None)


def quartet(table: Table, seat: int) -> bool:
    ranks = [rank(table.faces[card]) for card in table.state.hands[seat]]
    return len(ranks) == 4 and len(set(ranks)) == 1


def recount(name: str, table: Table, scores: list[int], call: Called) -> None:
    """Score a declaration from the cards on the table and the rule book, and nothing else."""
    players = table.state.players
    teams = players // 2
    own = call.seat % teams
    book = points_book(name)
    for item in call.calls:
        match item:
            case Partner():
                sort, accused, held = 0, None, [quartet(table, (call.seat + teams) % players)]
            case Double():
                sort, accused = 1, None
                held = [quartet(table, call.seat), quartet(table, (call.seat + teams) % players)]
            case Counter(target):
                sort, accused = 2, target % teams
                is_player = name.startswith(("chaulcer", "cash"))
                held = [quartet(table, target)]
                if not is_player:
                    held = [quartet(table, target) or quartet(table, target + teams)]
            case DoubleCounter(team):
                sort, accused = 3, team
                held = [quartet(table, team), quartet(table, team + teams)]
        others = [team for team in range(teams) if team != own] if accused is None else [accused]
        if book is None:
            for team in others if all(held) else [own]:
                scores[team] += 1
        elif all(held):
            scores[own] += RIGHT[book][sort]
        else:
            scores[own] += WRONG[book][0]
            for team in others:
                scores[team] += WRONG[book][1]


def reason_of(table: Table, seat: Seat, action: object) -> Illegal | None:
    own = table.hand(seat) if isinstance(action, Mulligan | Deny) else {}
    try:
        check(table.state, seat, action, own)  # type: ignore[arg-type]
    except IllegalAction as error:
        return error.reason
    return None


def step(table: Table, seat: Seat, action: object) -> Outcome:
    """Act, and hold result, reason and state against what `check` said before."""
    before, reason = table.state, reason_of(table, seat, action)
    outcome = table.act(seat, action)  # type: ignore[arg-type]
    assert outcome.reason == reason
    if reason is None:
        assert outcome.result is Result.OK
    else:
        is_gone = reason is Illegal.NOT_IN_POOL
        assert outcome.result is (Result.MISSED if is_gone else Result.REFUSED)
        assert table.state == before
    return outcome


def keeps_the_books(name: str, players: int, seed: int, script: Script) -> None:
    table = shuffled(load_rules(name), players, seed)
    scores = [0] * (players // 2)
    assert step(table, Seat(0), Next()).result is Result.OK
    for number, sort, a, b in script:
        table.wait(700)
        seat = Seat(number)
        action = scripted(table, seat, sort, a, b)
        was_over = table.state.phase is Phase.MATCH_OVER
        outcome = step(table, seat, action)
        if was_over and isinstance(action, Next) and outcome.result is Result.OK:
            scores = [0] * (players // 2)
        for event in outcome.events:
            if isinstance(event, Called):
                recount(name, table, scores, event)
        cards_lie_once(table)
        hands_are_whole(table)
        assert list(table.state.scores) == scores
    if table.state.phase in {Phase.DEAL_OVER, Phase.MATCH_OVER}:
        begin_next(table)
    deals = table.state.deals
    finish(table)
    assert table.state.deals == deals + 1


@pytest.mark.parametrize(("name", "players"), TABLES)
@settings(max_examples=3)
@given(seed=st.integers(0, 2**32), script=scripts)
def test_any_course_of_play(name: str, players: int, seed: int, script: Script) -> None:
    keeps_the_books(name, players, seed, script)


@pytest.mark.soak
@pytest.mark.parametrize(("name", "players"), TABLES)
@settings(max_examples=300)
@given(seed=st.integers(0, 2**32), script=scripts)
def test_any_course_of_play_at_length(name: str, players: int, seed: int, script: Script) -> None:
    keeps_the_books(name, players, seed, script)


@pytest.mark.parametrize("name", ["kemps", "chaulcer", "cash", "kems", "kent", "kemps/peanut-butter"])
def test_a_match_ends(name: str) -> None:
    """Seats that call at random bring every match to its end, with a winner and a loser."""
    table = shuffled(load_rules(name), 4, seed=11)
    draw = random.Random(5)
    for _ in range(200):
        begin_next(table)
        if table.state.phase is Phase.DEALT:
            table.act(table.state.dealer, Go())
        caller = draw.randrange(4) if table.state.turn is None else table.state.turn
        table.act(Seat(caller), Call((Counter(1 - caller % 2),)))
        finish(table)
        if table.state.phase is Phase.MATCH_OVER:
            break
    state = table.state
    assert state.phase is Phase.MATCH_OVER
    assert len(state.winners) == 1
    assert state.scores[state.winners[0]] != state.scores[1 - state.winners[0]]


@given(seed=st.integers(0, 2**32), script=scripts)
@settings(max_examples=30)
def test_a_deal_ends_once(seed: int, script: Script) -> None:
    table = shuffled(load_rules("kemps"), 4, seed)
    begin_next(table)
    ends = 0
    for number, sort, a, b in script:
        outcome = table.act(Seat(number), scripted(table, Seat(number), sort, a, b))
        ends += sum(isinstance(event, DealEnded) for event in outcome.events)
        assert ends == table.state.deals


@pytest.mark.parametrize("name", PRESETS)
@given(seed=st.integers(0, 2**32), script=scripts)
@settings(max_examples=20)
def test_apply_is_a_function(name: str, seed: int, script: Script) -> None:
    """The same input on the same state gives the same state, and leaves the old one as it was."""
    table = shuffled(load_rules(name), 4, seed)
    begin_next(table)
    for number, sort, a, b in script:
        seat, before = Seat(number), table.state
        faces = dict(before.faces)
        action = scripted(table, seat, sort, a, b)
        first, second = apply(before, seat, action), apply(before, seat, action)
        assert first == second
        assert dict(before.faces) == faces
        table.act(seat, action)


def test_two_packs_above_eight() -> None:
    rules = load_rules("kemps")
    assert [len(deal_cards(rules, players)) for players in (4, 8, 10, 16)] == [52, 52, 104, 104]
    table = shuffled(rules, 16, seed=3)
    begin_next(table)
    assert len(table.state.stock) == 104 - 64 - 4
    assert Card(52) in table.faces.values()
