"""What a seat may try between genesis and close with words that its own machine would never say."""

import pytest
from session_helpers import Table, next_of, opened

from kemps_p2p.codec import encode
from kemps_p2p.game.actions import Action, Call, Gesture, Next, Partner, Swap
from kemps_p2p.game.record import Phase
from kemps_p2p.game.state import next_dealer
from kemps_p2p.ledger.entry import LogRecord, Result, Settled
from kemps_p2p.ledger.tape import Claim, Head, Statement, TapeItem
from kemps_p2p.session import effects as fx
from kemps_p2p.session.fold import open_record
from kemps_p2p.session.logfile import read_object
from kemps_p2p.session.messages import Batch, pack


class Puppet:
    """A seat whose own machine nobody hears any more: the test speaks for it."""

    def __init__(self, table: Table, seat: int) -> None:
        self._table, self._seat = table, seat
        self._said: set[bytes] = set()
        self.pen = next_of(seat, table)
        table.drops = lambda sender, receiver, data: sender == seat and data not in self._said

    def say(self, *body: Statement) -> TapeItem:
        """The next item of the seat, on its way to everybody, behind all that is under way."""
        item = self.pen.write(body)
        data = pack(Batch(items=(item.signed,)))
        self._said.add(data)
        self._table._queue.extend((self._seat, other, data) for other in range(4) if other != self._seat)
        return item


def claim(action: Action, head: Head) -> Claim:
    return Claim(head=head, action=encode(action), rivals=())


def results_of(table: Table, items: list[TapeItem], seat: int = 0) -> list[Result]:
    """What the log of a seat says became of some claims, in the order of the claims."""
    founding = table.play(seat).founding
    found = {}
    for effect in table.appended[seat]:
        record = read_object(effect.data) if effect.file is fx.File.LOG else None
        if isinstance(record, LogRecord):
            for event in open_record(record, founding.match, founding.keys).entry.events:
                if isinstance(event, Settled):
                    found[event.claim] = event.result
    return [found[item.digest] for item in items]


# Claims


def test_a_claim_made_in_an_earlier_deal_takes_nothing_in_the_next() -> None:
    """The positions are the same, and whoever cites an old head need not wait for the new one to be final."""
    table = opened()
    old = table.play().final.head
    table.submit(0, Call(calls=(Partner(),))).settle().wait(500)
    assert table.play().final.game.phase is Phase.DEAL_OVER
    over = table.play().final
    dealer = next_dealer(over.game, over.founding.drawn_dealer)
    table.submit(dealer, Next()).settle().wait(500)
    final = table.play().final
    assert (final.game.phase, final.game.deal) == (Phase.OPEN, 1)
    cheat = next(seat for seat in range(4) if seat != final.on_duty)
    swap = Swap(take=final.game.pool[:1], give=final.game.hands[cheat][:1])
    item = Puppet(table, cheat).say(claim(swap, old))
    table.settle().wait(500)
    assert results_of(table, [item], int(final.on_duty)) == [Result.REFUSED]
    honest = [seat for seat in range(4) if seat != cheat]
    assert [table.play(seat).final.game.hands for seat in honest] == [final.game.hands] * 3
    assert [table.faults(seat) for seat in honest] == [[]] * 3


def test_of_claims_sprayed_at_one_head_the_first_alone_counts() -> None:
    table = opened()
    final = table.play().final
    cheat = next(seat for seat in range(4) if seat != final.on_duty)
    puppet = Puppet(table, cheat)
    hand = final.game.hands[cheat]
    sprayed = [Swap(take=(card,), give=hand[:1]) for card in final.game.pool]
    again = Swap(take=final.game.pool[:1], give=hand[1:2])
    items = [puppet.say(claim(swap, final.head)) for swap in (*sprayed, again)]
    table.settle().wait(500)
    results = results_of(table, items, int(final.on_duty))
    assert results == [Result.OK, *[Result.REFUSED] * 4]
    after = table.play(int(final.on_duty)).final.game
    assert after.hands[cheat] == (final.game.pool[0], *hand[1:])


@pytest.mark.parametrize("stamp", ["honest", "low"])
def test_a_claim_against_an_old_head_is_no_earlier_for_it(stamp: str) -> None:
    """The honest claim is on every tape first; the other cites the oldest head that shows the card."""
    table = opened()
    old = table.play().final.head
    final = table.play().final
    honest, cheat = (seat for seat in range(4) if seat % 2 != final.on_duty % 2)
    table.submit(int(final.on_duty), Gesture(name="wink")).settle().wait(200)
    table.submit(int(final.on_duty), Gesture(name="nod")).settle().wait(200)
    final = table.play().final
    assert final.head.index > old.index
    card = final.game.pool[:1]
    puppet = Puppet(table, cheat)
    wish = claim(Swap(take=card, give=final.game.hands[cheat][:1]), old)
    table.submit(honest, Swap(take=card, give=final.game.hands[honest][:1]))
    if stamp == "honest":
        puppet.pen.see(table.play(honest).tapes.by_digest[table.play(honest)._writer.prev].item.lamport)
    # It comes to each seat right behind the honest one, and before anybody has given a word on either.
    item = puppet.say(wish)
    table.settle().wait(500)
    assert results_of(table, [item], honest) == [Result.MISSED]
    assert card[0] in table.play(honest).final.game.hands[honest]


def test_a_claim_on_a_card_that_has_just_moved_is_missed() -> None:
    table = opened()
    before = table.play().final
    honest, cheat = (seat for seat in range(4) if seat % 2 != before.on_duty % 2)
    card = before.game.pool[:1]
    table.submit(honest, Swap(take=card, give=before.game.hands[honest][:1])).settle().wait(200)
    wish = claim(Swap(take=card, give=before.game.hands[cheat][:1]), before.head)
    item = Puppet(table, cheat).say(wish)
    table.settle().wait(500)
    assert results_of(table, [item], honest) == [Result.MISSED]
    assert table.play(honest).final.game.hands[cheat] == before.game.hands[cheat]
