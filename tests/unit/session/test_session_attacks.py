"""What a seat may try between genesis and close with words that its own machine would never say."""

from functools import partial

import pytest
from msgspec import structs
from session_helpers import Puppet, Table, formed, next_entry, next_of, opened, setup

from kemps_p2p.codec import Digest, decode, encode
from kemps_p2p.deck.deal import check_turn, make_shares
from kemps_p2p.game.actions import Action, Call, Gesture, Next, Partner, Swap
from kemps_p2p.game.record import Phase
from kemps_p2p.game.state import next_dealer
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.entry import Carried, LogRecord, Result, Settled
from kemps_p2p.ledger.tape import (
    Ack,
    Append,
    Claim,
    Deed,
    Head,
    Item,
    Signed,
    TapeItem,
    TapeWriter,
)
from kemps_p2p.session import effects as fx
from kemps_p2p.session.dealing import deal_seed
from kemps_p2p.session.duties import OweShares, duties
from kemps_p2p.session.fold import open_record
from kemps_p2p.session.genesis import found
from kemps_p2p.session.logfile import read_object
from kemps_p2p.session.messages import Batch, ShareDeed, Status, TurnDeed, pack, read_deed, read_message


def claim(action: Action, head: Head) -> Claim:
    return Claim(head=head, action=encode(action), rivals=())


def results_of(table: Table, items: list[TapeItem], seat: int = 0) -> list[Result]:
    """What the log of a seat says became of some claims, in the order of the claims."""
    founding = table.play(seat).founding
    found = {}
    for effect in table.appended[seat]:
        record = read_object(effect.data) if effect.file is fx.File.LOG else None
        if isinstance(record, LogRecord):
            for event in open_record(record, founding.match, founding.signers).entry.events:
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


# Shares


def has_ack_from(message: bytes, index: int) -> bool:
    """True for items that ack an entry at this index or a later one."""
    read = read_message(message)
    return isinstance(read, Batch) and any(
        isinstance(word, Ack) and word.head.index >= index
        for signed in read.items
        for word in decode(signed.raw, Item).body
    )


def started_and_not_final() -> Table:
    """A deal has started at all seats, and no seat hears of anybody's ack of that."""
    table = formed()
    start = table.play().final.head.index + 1
    table.drops = lambda sender, receiver, data: has_ack_from(data, start)
    table.submit(int(table.play().tip.on_duty), Next()).settle()
    for seat in range(4):
        assert table.play(seat).tip.game.hands
        assert not table.play(seat).final.game.hands
    return table


def early_shares(table: Table, seat: int) -> Deed:
    """True shares of the others' hands, on an entry that is not final."""
    tip = table.play(seat).tip
    (owed,) = (duty for duty in duties(tip, Seat(seat)) if isinstance(duty, OweShares) and duty.round == 0)
    seed = deal_seed(setup(seat).secret, owed.deal)
    shares = make_shares(tip.decks[owed.deal, 0], Seat(seat), seed, owed.positions)
    return Deed(payload=encode(ShareDeed(deal=owed.deal, attempt=0, round=0, shares=shares)))


def pen_as_heard(table: Table, seat: int, listener: int) -> TapeWriter:
    """A pen that goes on with a seat's tape as far as a listener has it."""
    pen = next_of(seat, table)
    tape = [item for item in table.play(listener).tapes.by_digest.values() if item.seat == seat]
    pen.number, pen.prev = len(tape), tape[-1].digest
    return pen


def shares_said(table: Table, seat: int) -> int:
    """How many items with shares a seat has written."""
    return sum(
        isinstance(word, Deed) and isinstance(read_deed(word.payload), ShareDeed)
        for item in table.play(seat).tapes.by_digest.values()
        if item.seat == seat
        for word in item.item.body
    )


def test_a_share_on_an_entry_that_is_not_final_is_neither_sent_nor_ordered() -> None:
    table = started_and_not_final()
    duty = int(table.play().tip.on_duty)
    cheat = (duty + 1) % 4
    assert [shares_said(table, seat) for seat in range(4)] == [0] * 4
    tip = table.play(duty).tip
    said = pen_as_heard(table, cheat, duty).write((early_shares(table, cheat),))
    table.hear(duty, cheat, pack(Batch(items=(said.signed,))))
    table.settle()
    assert said.digest in table.play(duty).tapes.by_digest
    assert table.play(duty).tip is tip
    assert table.faults(duty) == []


def test_an_entry_with_a_share_on_what_is_not_final_is_not_acked_until_it_is() -> None:
    table = started_and_not_final()
    duty = int(table.play().tip.on_duty)
    me, cheat, other = ((duty + step) % 4 for step in (1, 2, 3))
    table.drops = lambda sender, receiver, data: True
    tip = table.play(me).tip
    said = pen_as_heard(table, cheat, me).write((early_shares(table, cheat),))
    entry = next_entry(tip, Carried(item=said.digest))
    pen = next_of(duty, table)
    pen.see(said.item.lamport)
    ordered = pen.write((Append(entry=encode(entry)),))
    table.hear(me, duty, pack(Batch(items=(said.signed, ordered.signed))))
    table.settle()
    assert table.play(me).tip.head == tip.head
    # A third ack makes the start of the deal final, and the share may be there.
    acks = [item.signed for item in table.play(other).tapes.by_digest.values() if item.seat == other]
    table.hear(me, other, pack(Batch(items=tuple(acks))))
    table.settle()
    assert table.play(me).final.head == tip.head
    assert table.play(me).tip.head == Head(index=entry.index, digest=ordered.digest)
    assert table.faults(me) == []


class SlowTable(Table):
    """A table at which one seat's checks of turns take as long as the test wants."""

    slow = -1

    def __init__(self) -> None:
        super().__init__()
        self.waiting: list[fx.Effect] = []

    def carry_out(self, seat: int, effects: list[fx.Effect]) -> None:
        if seat == self.slow:
            self.waiting += [effect for effect in effects if is_check_of_turn(effect)]
            effects = [effect for effect in effects if not is_check_of_turn(effect)]
        super().carry_out(seat, effects)


def is_check_of_turn(effect: fx.Effect) -> bool:
    return (
        isinstance(effect, fx.Compute) and isinstance(effect.work, partial) and effect.work.func is check_turn
    )


def test_no_share_leaves_a_seat_before_it_has_verified_every_turn_itself() -> None:
    """The others are content, start the deal and give their shares; this seat has not checked a turn yet."""
    table = SlowTable()
    table.slow = 2
    table.start().wait(100)
    duty = int(table.play(0).final.on_duty)
    assert duty != table.slow
    table.submit(duty, Next()).settle().wait(300)
    honest = [seat for seat in range(4) if seat != table.slow]
    assert [bool(table.play(seat).final.game.hands) for seat in honest] == [True] * 3
    assert [shares_said(table, seat) > 0 for seat in range(4)] == [seat != table.slow for seat in range(4)]
    assert table.waiting
    waiting, table.slow = table.waiting, -1
    table.carry_out(2, waiting)
    table.settle().wait(300)
    assert shares_said(table, 2) > 0
    assert table.play(2).final.game.phase is Phase.OPEN


# Acks


@pytest.mark.parametrize("change", [{"epoch": 1}, {"term": 1}, {}], ids=["epoch", "term", "true"])
def test_an_ack_of_another_term_or_epoch_makes_nothing_final(change: dict[str, int]) -> None:
    table = started_and_not_final()
    duty = int(table.play().tip.on_duty)
    me, other = (duty + 1) % 4, (duty + 3) % 4
    table.drops = lambda sender, receiver, data: True
    tip, before = table.play(me).tip, table.play(me).final.head
    ack = Ack(epoch=tip.epoch, term=tip.term, head=tip.head)
    said = pen_as_heard(table, other, me).write((structs.replace(ack, **change),))
    table.hear(me, other, pack(Batch(items=(said.signed,))))
    assert table.play(me).final.head == (before if change else tip.head)
    assert table.faults(me) == []


# What is joint, and what is said once


def test_a_seat_that_copies_the_commitment_of_another_cancels_nothing() -> None:
    """It can open it only with the same nonce, and two that are equal still change the joint value."""
    genesis = formed().play().founding.genesis
    values, dealers = set(), set()
    for number in range(32):
        same = {"nonce": bytes([number]) * 32, "nonce_salt": bytes(32)}
        seats = (*(structs.replace(record, **same) for record in genesis.seats[:2]), *genesis.seats[2:])
        made = found(encode(structs.replace(genesis, seats=seats)))
        values.add(made.joint_random)
        dealers.add(made.drawn_dealer)
    assert len(values) == 32
    assert dealers == {0, 1, 2, 3}


def signed_turns(items: list[Signed], seat: int) -> list[Signed]:
    return [signed for signed in items if (item := decode(signed.raw, Item)).seat == seat and has_turn(item)]


def has_turn(item: Item) -> bool:
    deeds = [read_deed(word.payload) for word in item.body if isinstance(word, Deed)]
    return any(isinstance(deed, TurnDeed) for deed in deeds)


def test_a_turn_once_written_is_resent_as_it_was_and_never_made_anew() -> None:
    table = formed().wait(1000)
    written = [decode(effect.data, Signed) for effect in table.appended[0][2:] if is_item(effect)]
    (turn,) = signed_turns(written, 0)
    nothing = Status(lengths=(0,) * 4, sums=(Digest(bytes(32)),) * 4, final=0)
    for _ in range(2):
        effects = table.sessions[0].receive(Seat(1), pack(nothing), table.now_ms, 0)
        assert not [effect for effect in effects if isinstance(effect, fx.Compute | fx.Append)]
        read = [read_message(effect.data) for effect in effects if isinstance(effect, fx.Send)]
        resent = [signed for batch in read if isinstance(batch, Batch) for signed in batch.items]
        assert signed_turns(resent, 0) == [turn]
        table.wait(500)


def is_item(effect: fx.Append) -> bool:
    return effect.file is fx.File.JOURNAL
