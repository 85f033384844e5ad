"""Which cards a hand takes and gives, seen through the view of its seat."""

import pytest
from bots_helpers import laid, names, swap, view_of

from kemps_p2p.bots.collecting import Mind, Trade, feed, grab, idle_trade, pick, target
from kemps_p2p.bots.reading import Reading, read
from kemps_p2p.game.actions import Pass
from kemps_p2p.game.cards import RANKS, parse_cards, rank
from kemps_p2p.game.record import replace
from kemps_p2p.game.table import Table
from kemps_p2p.ids import Seat

REST = "2C 3C 4C 5C;2D 3D 4D 5D;2H 3H 4H 5H"
TASTES = tuple(range(len(RANKS)))


def mind(seat: int = 0, *, players: int = 4, limit: int = 4) -> Mind:
    return Mind(seat=Seat(seat), players=players, limit=limit, tastes=TASTES)


def reading(table: Table, seat: int = 0) -> Reading:
    return read(view_of(table, seat))


def wanted(table: Table, seat: int = 0, limit: int = 4) -> tuple[str, str] | None:
    trade = grab(mind(seat, limit=limit), reading(table, seat))
    return None if trade is None else (names(table, trade.take), names(table, trade.give))


def fed(table: Table, seat: int = 0) -> tuple[str, str] | None:
    trade = feed(mind(seat), reading(table, seat))
    return None if trade is None else (names(table, trade.take), names(table, trade.give))


def sweep(table: Table) -> None:
    for seat in range(4):
        table.act(Seat(seat), Pass(pool=table.state.pool))


@pytest.mark.parametrize(
    ("hand", "pool", "limit", "take", "give"),
    [
        ("8C 8D 8H QC", "8S 9C TC JC", 4, "8S", "QC"),
        ("8C 8D QC KC", "8H 8S TC JC", 4, "8H 8S", "QC KC"),
        ("8C 8D QC KC", "8H 8S TC JC", 1, "8H", "QC"),
        ("8C 8D QC KC", "TC TD TH JC", 4, "TC TD TH", "8C QC KC"),
        ("8C 9D QC KC", "TC TD JC JD", 4, "JC JD", "8C 9D"),
    ],
)
def test_takes_what_brings_a_quartet_nearest(hand: str, pool: str, limit: int, take: str, give: str) -> None:
    found = wanted(laid(f"{hand};{REST}", pool), limit=limit)
    assert found is not None
    assert found[0] == take
    assert len(found[1].split()) == len(give.split())
    kept = take[0]
    assert all(card[0] != kept for card in found[1].split())


@pytest.mark.parametrize(
    ("hand", "pool"),
    [
        ("8C 8D QC KC", "9C TC JC AC"),
        ("8C 8D QC KC", "9C 9D JC AC"),
        ("8C 8D 8H 8S", "QC QD QH QS"),
        ("8C 8D 8H KC", "KD KH JC AC"),
    ],
)
def test_takes_nothing_that_does_not_help(hand: str, pool: str) -> None:
    assert wanted(laid(f"{hand};{REST}", pool)) is None


def test_a_rank_with_a_card_swept_is_dead() -> None:
    table = laid(f"8C 8D QC KC;{REST}", "8H 9C TC JC")
    assert RANKS[target(mind(), reading(table)) or 0] == "8"
    sweep(table)
    assert target(mind(), reading(table)) != RANKS.index("8")
    for card, which in reading(table).pool_faces:
        trade = grab(mind(), reading(table))
        assert trade is None or which != RANKS.index("8") or card not in trade.take


def test_swept_cards_that_come_back_are_alive() -> None:
    table = laid(f"8C 8D QC KC;{REST}", "8H 9C TC JC", preset="kems")
    assert reading(table).unseen[RANKS.index("8")] == 1
    table.state = replace(table.state, pool=table.state.pool[1:], swept=table.state.pool[:1])
    assert reading(table).unseen[RANKS.index("8")] == 2


def test_an_opponents_public_pair_is_out_of_reach() -> None:
    table = laid(f"8C 8D QC KC;6C 6D 6H 7C;{REST.partition(';')[2]}", "8H 8S TC JC")
    swap(table, 1, "8H 8S", "6C 7C")
    assert target(mind(), reading(table)) != RANKS.index("8")
    assert reading(table).seen[1][RANKS.index("8")] == 2
    assert reading(table).hidden[1] == 2


def test_the_pool_card_that_was_overlooked_is_not_wanted() -> None:
    table = laid(f"8C 8D 8H QC;{REST}", "8S 9C TC JC")
    overlooked = frozenset(table.state.pool[:1])
    seen = read(view_of(table, 0), overlooked)
    assert grab(mind(), seen) is None
    assert (seen.pool[RANKS.index("8")], seen.unseen[RANKS.index("8")]) == (0, 1)


def test_gives_first_what_the_partner_collects() -> None:
    table = laid("8C 8D TC 9C;6C 6D 7C 7D;9D 9H QC KC;2C 3C 4C 5C", "9S TD TH 8H")
    assert wanted(table, limit=1) == ("8H", "TC")
    swap(table, 2, "9S", "QC")
    assert wanted(table, limit=1) == ("8H", "9C")


def test_gives_last_what_an_opponent_collects() -> None:
    table = laid("8C 8D TC QC;6C 6D 7C TS;2C 3C 4C 5C;2D 3D 4D 5D", "TD TH 8H AC")
    assert wanted(table, limit=1) == ("8H", "TC")
    swap(table, 1, "TD TH", "6C 7C")
    assert wanted(table, limit=1) == ("8H", "QC")


def test_feeds_the_partner() -> None:
    table = laid("8C 8D 9C TC;6C 6D 7C 7D;9D 9H QC KC;2C 3C 4C 5C", "9S JC JD AC")
    assert fed(table) is None
    swap(table, 2, "9S", "QC")
    found = fed(table)
    assert found is not None
    assert found[1] == "9C"
    assert "9" not in found[0]


def test_does_not_feed_what_it_collects_itself_nor_a_dead_rank() -> None:
    table = laid("9C 9H 8C TC;6C 6D 7C 7D;9D QD QC KC;2C 3C 4C 5C", "9S JC JD AC")
    swap(table, 2, "9S", "QC")
    assert fed(table) is None
    dead = laid("8C 8D 9C TC;6C 6D 7C 7D;JD 9H QC KC;2C 3C 4C 5C", "9S 9D JC AC")
    swap(dead, 2, "9S", "QC")
    sweep(dead)
    assert fed(dead) is None


def test_an_idle_swap_keeps_what_is_collected() -> None:
    table = laid(f"8C 8D QC KC;{REST}", "9C TC JC AC")
    takes = set()
    for step in range(8):
        trade = idle_trade(mind(), reading(table), step / 8)
        assert isinstance(trade, Trade)
        assert "8" not in names(table, trade.give)
        takes.add(trade.take)
    assert takes == {(card,) for card in table.state.pool}
    quartet = laid(f"8C 8D 8H 8S;{REST}", "9C TC JC AC")
    assert idle_trade(mind(), reading(quartet), 0.0) is None


def test_cards_count_once() -> None:
    table = laid(f"8C 8D QC KC;6C 6D 6H 7C;{REST.partition(';')[2]}", "8H 8S TC JC")
    swap(table, 1, "8H", "6C")
    seen = reading(table)
    for which in range(len(RANKS)):
        counts = seen.own[which] + seen.pool[which] + seen.unseen[which]
        assert counts + sum(hand[which] for hand in seen.seen) == 4
    assert seen.unseen[RANKS.index("6")] == 3


@pytest.mark.parametrize("players", [4, 16])
def test_two_packs_have_eight_of_a_rank(players: int) -> None:
    cards = [
        f"{RANKS[index % 13]}{'CDHS'[index // 13 % 4]}{chr(39) * (index // 52)}"
        for index in range(4 * players + 4)
    ]
    hands = ";".join(" ".join(cards[4 * seat : 4 * seat + 4]) for seat in range(players))
    seen = reading(laid(hands, " ".join(cards[4 * players :])))
    for which in range(len(RANKS)):
        total = seen.own[which] + seen.pool[which] + seen.unseen[which]
        assert total == (4 if players == 4 else 8)


def test_every_rank_of_a_hand_is_read() -> None:
    seen = reading(laid(f"8C 8D QC KC;{REST}", "9C TC JC AC"))
    assert [RANKS[which] for _, which in seen.hand_ranks] == ["8", "8", "Q", "K"]
    assert [rank(card) for card in parse_cards("9C TC JC AC")] == [which for _, which in seen.pool_faces]


def test_what_is_fed_is_paid_for_with_what_an_opponent_wants() -> None:
    table = laid("8C 8D 9C TC;7C AD 6C 6D;9D 9H QC KC;2C 3C 4C 5C", "9S 7D 7S 7H")
    swap(table, 2, "9S", "QC")
    swap(table, 1, "7S 7H", "6C 6D")
    assert fed(table) == ("7D", "9C")


def test_a_half_exchange_takes_the_card_it_was_begun_for() -> None:
    table = laid(f"8C 8D QC KC;{REST}", "8H KD JC AC", preset="chaulcer")
    king = table.positions()[parse_cards("KD")[0]]
    assert pick(mind(limit=1), reading(table), king) == Trade((king,), ())
    best = pick(mind(limit=1), reading(table), None)
    assert best is not None
    assert names(table, best.take) == "8H"


def test_a_half_exchange_does_not_take_back_what_the_partner_collects() -> None:
    table = laid("8C 8D 9C;6C 6D 7C 7D;9D 9H QC KC;2C 3C 4C 5C", "9S AD JC KH", preset="kemps")
    swap(table, 2, "9S", "QC")
    swap(table, 0, "AD", "9C")
    found = pick(mind(), reading(table), None)
    assert found is not None
    assert names(table, found.take)[0] != "9"
