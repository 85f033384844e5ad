"""Cards, their order and notation; who sits where."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kemps_p2p.game.cards import (
    Card,
    CardError,
    alike,
    format_card,
    format_cards,
    is_quartet,
    pack,
    parse_card,
    parse_cards,
    rank,
    suit,
)
from kemps_p2p.game.seating import left_of, members, partner_of, seats, team_of, teams
from kemps_p2p.ids import Seat, Team


def test_the_pack_order() -> None:
    names = format_cards(pack(1)).split()
    assert names[:14] == ["2C", "3C", "4C", "5C", "6C", "7C", "8C", "9C", "TC", "JC", "QC", "KC", "AC", "2D"]
    assert names[-1] == "AS"
    assert len(names) == len(set(names)) == 52
    assert format_card(Card(52)) == "2C'"
    assert len(pack(2)) == 104


@given(st.integers(0, 103).map(Card))
def test_notation_round_trip(card: Card) -> None:
    assert parse_card(format_card(card)) == card
    assert format_card(card)[0] == "23456789TJQKA"[rank(card)]
    assert format_card(card)[1] == "CDHS"[suit(card)]


@pytest.mark.parametrize("text", ["", "9", "9c", "10C", "1C", "9X", "9C''", "C9", "9C ", "’9C"])
def test_no_card(text: str) -> None:
    with pytest.raises(CardError):
        parse_card(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("9C 9D 9H 9S", True),
        ("9C 9C' 9D 9S'", True),
        ("9C 9D 9H 8S", False),
        ("9C 9D 9H", False),
        ("9C 9D 9H 9S 9C'", False),
        ("", False),
    ],
)
def test_quartet(text: str, expected: bool) -> None:
    assert is_quartet(parse_cards(text)) is expected


def test_alike() -> None:
    assert [alike(parse_cards(text)) for text in ("", "9C", "9C 8D 9H 8S", "9C 9D 2H 9S")] == [0, 1, 2, 3]


@given(st.sampled_from([4, 6, 8, 10, 12, 14, 16]), st.integers(0, 15))
def test_partners_sit_opposite(players: int, number: int) -> None:
    seat = Seat(number % players)
    partner = partner_of(seat, players)
    assert partner_of(partner, players) == seat
    assert abs(partner - seat) == players // 2
    assert team_of(seat, players) == team_of(partner, players)
    assert seat in members(team_of(seat, players), players)
    assert [team_of(Seat(each), players) for each in range(players // 2)] == list(teams(players))
    assert left_of(Seat(players - 1), players) == 0
    assert len(seats(players)) == players
    assert members(Team(1), players) == (1, 1 + players // 2)
