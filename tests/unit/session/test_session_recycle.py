"""Swept cards that come back: the table shuffles them once more, and deals from that."""

from session_helpers import Table, opened
from session_records import rules_of

from kemps_p2p.deck.deal import is_shuffled, open_all
from kemps_p2p.game.actions import Call, Partner, Pass
from kemps_p2p.ids import Position
from kemps_p2p.session import effects as fx
from kemps_p2p.session.audit import Verdict, audit


def swept(table: Table) -> Table:
    """Everybody passes, and the pool is swept."""
    pool = table.play().final.game.pool
    for seat in range(4):
        table.submit(seat, Pass(pool=pool))
    return table.settle().wait(100)


def test_swept_cards_are_shuffled_and_dealt_again() -> None:
    table = opened(rules_of("kemps", stock_out="recycle", word="K"))
    gone = []
    while table.play().final.game.pool[-1] < 51:
        gone += [table.play().final.game.faces[card] for card in table.play().final.game.pool]
        swept(table)
    gone += [table.play().final.game.faces[card] for card in table.play().final.game.pool]
    assert (0, 1) not in table.play().final.decks
    swept(table)
    final = table.play().final
    deck = final.decks[0, 1]
    assert is_shuffled(deck)
    assert sorted(deck.cards) == sorted(gone)
    assert final.game.pool == tuple(map(Position, range(52, 56)))
    table.submit(0, Call(calls=(Partner(),))).settle().wait(2000)
    final = table.play().final
    assert final.is_closed
    seeds = {seat: seed for seat, seed in final.seeds[0].items() if seed is not None}
    dealt = open_all(final.decks[0, 1], seeds)
    assert sorted(dealt) == sorted(gone)
    assert [final.game.faces[card] for card in final.game.pool] == list(dealt[:4])
    assert [table.faults(seat) for seat in range(4)] == [[]] * 4
    log = b"".join(effect.data for effect in table.appended[0] if effect.file is fx.File.LOG)
    assert audit(log, allow_stub=True).verdict is Verdict.CLEAN
