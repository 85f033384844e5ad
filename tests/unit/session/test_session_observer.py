"""A table with an observer, played by hand: what it says and sees, and how it is struck."""

import pytest
from msgspec import structs
from session_helpers import WALL_MS, Table, by, identity, next_of, setup

from kemps_p2p.codec import decode, encode
from kemps_p2p.errors import Fault, Illegal, IllegalAction, PeerFault
from kemps_p2p.game.actions import Gesture, Next
from kemps_p2p.game.record import Phase
from kemps_p2p.game.views import SeatView
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.entry import Struck
from kemps_p2p.ledger.tape import NO_DIGEST, Ack, Receipt, Unheard
from kemps_p2p.ledger.tapebook import TapeBook
from kemps_p2p.session import effects as fx
from kemps_p2p.session.genesis import ObservedGenesis, SignedGenesis, found
from kemps_p2p.session.journal import read_journal, setup_from
from kemps_p2p.session.lobby import Lobby
from kemps_p2p.session.logfile import read_object
from kemps_p2p.session.messages import Batch, Want, Whisper, pack
from kemps_p2p.session.pacing import Pacing
from kemps_p2p.session.session import STATUS_MS, Session
from kemps_p2p.session.silence import STRIKE_MS, Silence

OBSERVER = 4
WINK = Gesture(name="wink")


@pytest.fixture
def table() -> Table:
    return Table(observers=1).start().wait(100)


@pytest.fixture(scope="module")
def untouched() -> Table:
    """A table that no test changes."""
    return Table(observers=1).start().wait(100)


def silenced(table: Table) -> Table:
    """From now on nothing comes from the observer; it hears all."""
    table.drops = lambda sender, receiver, data: sender == OBSERVER
    return table


def struck(table: Table, seat: int = 0) -> list[bool]:
    return [sight.is_proven for sight in table.sights[seat] if isinstance(sight, fx.ObserverStruck)]


# What it is


def test_the_genesis_names_the_observer_and_everybody_signs_it(untouched: Table) -> None:
    signed = read_object(untouched.appended[0][0].data)
    assert isinstance(signed, SignedGenesis)
    genesis = decode(signed.raw, ObservedGenesis)
    assert genesis.observer.key == identity(OBSERVER).public
    assert len(signed.signatures) == 5
    for session in untouched.sessions:
        assert session.names == tuple(f"Seat {seat}" for seat in range(4))
        assert session.observer_name == "Seat 4"
        assert session.play.founding.observer == OBSERVER
    formed = next(sight for sight in untouched.sights[2] if isinstance(sight, fx.TableFormed))
    assert formed.observer == "Seat 4"


def test_an_observer_with_coins_is_refused(untouched: Table) -> None:
    genesis = untouched.play().founding.genesis
    assert isinstance(genesis, ObservedGenesis)
    lie = structs.replace(genesis, observer=structs.replace(genesis.observer, coin=bytes([1]) * 32))
    with pytest.raises(PeerFault, match="an observer has no coins") as caught:
        found(encode(lie))
    assert caught.value.code is Fault.BAD_GENESIS


def test_the_nonce_of_the_observer_is_in_the_joint_value(untouched: Table) -> None:
    founding = untouched.play().founding
    genesis = founding.genesis
    assert isinstance(genesis, ObservedGenesis)
    other = structs.replace(genesis, observer=structs.replace(genesis.observer, nonce=bytes(32)))
    assert found(encode(other)).joint_random != founding.joint_random


def test_a_lobby_with_an_observer_is_another_table_than_one_without() -> None:
    with_one, without = Lobby(setup(0, observers=1)), Lobby(setup(0))
    assert with_one.start() != without.start()
    assert with_one.missing() == {1, 2, 3, 4}


def test_it_gives_receipts_and_says_nothing_else(table: Table) -> None:
    dealer = table.play().final.game.dealer
    table.submit(dealer, Next()).wait(800).submit(0, WINK).wait(400)
    said = [item for item in table.play().tapes.by_digest.values() if item.seat == OBSERVER]
    assert said
    assert {type(statement) for item in said for statement in item.item.body} == {Receipt}
    assert table.play(OBSERVER).final.head == table.play().final.head


def test_it_sees_what_everybody_sees_and_can_do_nothing(table: Table) -> None:
    dealer = table.play().final.game.dealer
    table.submit(dealer, Next()).wait(800)
    observer = table.sessions[OBSERVER]
    view = observer.public_view()
    assert view.phase is Phase.OPEN
    assert view == table.sessions[1].public_view()
    assert not isinstance(view, SeatView)
    assert all(lying.card is None for hand in view.hands for lying in hand)
    with pytest.raises(IllegalAction) as caught:
        observer.submit(WINK, table.now_ms)
    assert caught.value.reason is Illegal.NO_SUCH_SEAT
    with pytest.raises(IllegalAction):
        observer.whisper("look out")
    assert observer.want(Want.PAUSE) == []
    assert observer.wants == (Want.PLAY_ON,) * 4


def test_whispers_of_an_observer_and_to_one_are_refused(table: Table) -> None:
    whisper = pack(Whisper(text="Ben has four kings"))
    for receiver, sender in ((0, OBSERVER), (OBSERVER, 0)):
        table.hear(receiver, sender, whisper)
        assert table.faults(receiver) == [(Fault.MALFORMED, None)]
        assert not any(isinstance(sight, fx.Whispered) for sight in table.sights[receiver])


def test_a_pause_needs_no_word_of_the_observer(table: Table) -> None:
    for seat in range(4):
        table.carry_out(seat, table.sessions[seat].want(Want.PAUSE))
    table.settle()
    assert [session.agreed(table.now_ms) for session in table.sessions] == [Want.PAUSE] * 5


# Struck for silence


def test_a_silent_observer_is_struck_by_the_words_of_all(table: Table) -> None:
    silenced(table).submit(0, WINK).wait(STRIKE_MS - 300)
    assert table.play().final.observer == OBSERVER
    table.wait(1000)
    assert [table.play(seat).final.observer for seat in range(5)] == [None] * 5
    assert [struck(table, seat) for seat in range(4)] == [[False]] * 4
    assert [table.faults(seat) for seat in range(5)] == [[]] * 5
    assert all(peer.play.founding.observer == OBSERVER for peer in table.sessions)


def test_nobody_is_struck_at_a_table_where_nothing_is_claimed(table: Table) -> None:
    silenced(table).wait(4 * STRIKE_MS, STATUS_MS)
    assert table.play().final.observer == OBSERVER
    assert not any(table.play().tapes.lengths()[OBSERVER:])


def test_an_observer_that_answers_late_is_not_struck(table: Table) -> None:
    silenced(table).submit(0, WINK).wait(STRIKE_MS - 1000)
    table.drops = lambda sender, receiver, data: False
    table.wait(3 * STRIKE_MS, STATUS_MS)
    assert table.play().final.observer == OBSERVER


def test_one_seat_that_does_not_hear_it_strikes_nobody(table: Table) -> None:
    """The others pass on what they hear, so only an observer that nobody hears is silent."""
    table.drops = lambda sender, receiver, data: (sender, receiver) == (OBSERVER, 0)
    table.submit(0, WINK).wait(2 * STRIKE_MS, STATUS_MS)
    assert table.play(0).final.observer == OBSERVER


def test_a_struck_observer_still_follows_the_match_and_is_heard_no_more(table: Table) -> None:
    silenced(table).submit(0, WINK).wait(STRIKE_MS + 700)
    table.drops = lambda sender, receiver, data: False
    table.wait(500).submit(1, WINK).wait(500)
    assert table.play(0).tapes.lengths()[OBSERVER] > 0
    assert table.play(OBSERVER).final.head == table.play(0).final.head
    assert struck(table) == [False]


def test_a_seat_says_once_that_it_is_unheard(table: Table) -> None:
    silenced(table).submit(0, WINK).wait(STRIKE_MS + 2000)
    words = [
        (item.seat, statement)
        for item in table.play().tapes.by_digest.values()
        for statement in item.item.body
        if isinstance(statement, Unheard)
    ]
    assert sorted(seat for seat, _ in words) == [0, 1, 2, 3]
    assert {statement for _, statement in words} == {Unheard(seat=OBSERVER, length=0, last=NO_DIGEST)}


# Struck for a fault


def test_an_observer_that_acks_is_struck_and_nobody_loses(table: Table) -> None:
    ack = Ack(epoch=0, term=0, head=table.play().final.head)
    scores = table.play().final.game.scores
    spoken = by(OBSERVER, (ack,), table)
    for seat in range(4):
        table.hear(seat, OBSERVER, spoken)
    table.settle().wait(500)
    assert table.play().final.observer is None
    assert struck(table) == [True]
    assert table.faults(1) == [(Fault.WRONG_SEAT, OBSERVER)]
    assert table.play().final.game.scores == scores
    assert not table.play().final.spoilt


def test_an_observer_that_says_two_things_is_struck_and_nobody_loses(table: Table) -> None:
    claim = NO_DIGEST
    said = [
        next_of(OBSERVER, table).write((Receipt(claim=claim, rivals=rivals),)) for rivals in ((), (claim,))
    ]
    for seat, item in enumerate((*said, *said)):
        table.hear(seat, OBSERVER, pack(Batch(items=(item.signed,))))
    table.settle().wait(1000)
    assert table.play().final.observer is None
    assert struck(table) == [True]
    assert (Fault.EQUIVOCATION, OBSERVER) in table.faults(1)
    assert not table.play().final.spoilt


# How long it has been silent


def silence_of(seat: int, table: Table, tapes: TapeBook) -> Silence:
    """A seat's own idea of who is silent, from time 0."""
    return Silence(Seat(seat), table.play().founding, tapes, Pacing(0, Seat(seat), 5))


class Watch:
    """One seat's watch over the tape of an observer."""

    def __init__(self, table: Table) -> None:
        self.match = table.play().final
        self.tapes = TapeBook(5)
        self.silence = silence_of(0, table, self.tapes)
        self.pen = next_of(OBSERVER, table)

    def words(self, now_ms: int) -> list[Unheard]:
        return list(self.silence.words(self.match, now_ms))

    def hears(self, now_ms: int) -> None:
        self.tapes.add(self.pen.write((Receipt(claim=NO_DIGEST, rivals=()),)), now_ms)


@pytest.fixture
def watch(untouched: Table) -> Watch:
    return Watch(untouched)


def test_the_watch_begins_with_the_first_claim_behind_the_last_item(watch: Watch) -> None:
    watch.silence.follow(0, 100)
    watch.silence.follow(2, 1000)
    watch.silence.follow(3, 4000)
    assert watch.words(1000 + STRIKE_MS - 1) == []
    assert watch.words(1000 + STRIKE_MS) == [Unheard(seat=OBSERVER, length=0, last=NO_DIGEST)]
    assert watch.words(2000 + STRIKE_MS) == []


def test_any_item_begins_it_anew(watch: Watch) -> None:
    watch.silence.follow(1, 0)
    watch.hears(4000)
    watch.silence.follow(2, 4000)
    assert watch.words(4000 + STRIKE_MS) == []
    watch.silence.follow(3, 5000)
    (word,) = watch.words(5000 + STRIKE_MS)
    assert (word.length, word.last) == watch.tapes.end(Seat(OBSERVER))


def test_an_observer_has_no_word_on_itself(watch: Watch, untouched: Table) -> None:
    silence = silence_of(OBSERVER, untouched, watch.tapes)
    silence.follow(1, 0)
    assert list(silence.words(watch.match, STRIKE_MS)) == []


def test_a_strike_is_not_acked_once_the_observer_is_back_for_long(watch: Watch, untouched: Table) -> None:
    word = next_of(1, untouched).write((Unheard(seat=OBSERVER, length=1, last=NO_DIGEST),))
    event = Struck(seat=OBSERVER, words=(word.digest,))
    items = {word.digest: word}
    watch.hears(0)
    assert not watch.silence.is_lapsed(event, items, 10 * STRIKE_MS), "nothing beyond what the word names"
    watch.hears(20 * STRIKE_MS)
    assert not watch.silence.is_lapsed(event, items, 21 * STRIKE_MS)
    assert watch.silence.is_lapsed(event, items, 21 * STRIKE_MS + 1)


def test_no_strike_is_proposed_while_the_own_copy_is_longer(watch: Watch, untouched: Table) -> None:
    for seat in range(3):
        word = Unheard(seat=OBSERVER, length=0, last=NO_DIGEST)
        watch.silence.hear(next_of(seat, untouched).write((word,)), word)
    (strike,) = watch.silence.strikes(watch.match, watch.match)
    assert len(strike.words) == 3
    watch.hears(0)
    assert list(watch.silence.strikes(watch.match, watch.match)) == []


def test_two_words_strike_nobody(watch: Watch, untouched: Table) -> None:
    for seat in (0, 1, 1):
        word = Unheard(seat=OBSERVER, length=0, last=NO_DIGEST)
        watch.silence.hear(next_of(seat, untouched).write((word,)), word)
    assert list(watch.silence.strikes(watch.match, watch.match)) == []


def test_of_each_seat_the_last_word_counts(watch: Watch, untouched: Table) -> None:
    """However many words a seat says, one is kept."""
    for seat in range(3):
        for length in (0, 1) if seat == 1 else (0,):
            word = Unheard(seat=OBSERVER, length=length, last=NO_DIGEST)
            watch.silence.hear(next_of(seat, untouched).write((word,)), word)
    assert watch.silence.voters(watch.match, Seat(OBSERVER)).keys() == {0, 2}
    nobody = Unheard(seat=7, length=0, last=NO_DIGEST)
    assert not watch.silence.hear(next_of(0, untouched).write((nobody,)), nobody)
    assert not watch.silence.voters(watch.match, Seat(OBSERVER)).keys() - {0, 2}
    assert watch.silence._words.keys() == {OBSERVER}, "what is said of no tape is not kept"


def test_whoever_is_missed_says_that_it_is_back_but_for_the_observer(watch: Watch, untouched: Table) -> None:
    """It would be struck for that word."""
    for seat, count in ((0, 1), (OBSERVER, 0)):
        silence = silence_of(seat, untouched, watch.tapes)
        word = Unheard(seat=seat, length=0, last=NO_DIGEST)
        silence.hear(next_of(1, untouched).write((word,)), word)
        assert len(list(silence.back(watch.match))) == count


def test_an_observer_that_comes_back_stands_where_it_stood(untouched: Table) -> None:
    journal, log = (
        [effect.data for effect in untouched.appended[OBSERVER] if effect.file is file]
        for file in (fx.File.JOURNAL, fx.File.LOG)
    )
    read = read_journal(journal)
    mine = setup_from(read, identity(OBSERVER), setup(OBSERVER, observers=1).secret)
    session = Session.restored(mine, read, log, untouched.now_ms, WALL_MS + untouched.now_ms)
    assert session.play.final.head == untouched.play(OBSERVER).final.head
