"""What a player may ask for, what seats owe, and what is written: a table played by hand."""

from functools import partial

import pytest
from msgspec import structs
from session_helpers import RULES, STUB, Table, formed, next_entry, next_of, opened, setup

from kemps_p2p.codec import Digest, encode
from kemps_p2p.deck.deal import is_shuffled
from kemps_p2p.errors import Fault, Illegal, IllegalAction, PeerFault
from kemps_p2p.game.actions import Action, Call, Counter, Gesture, Next, Partner, Pass, Say, Swap
from kemps_p2p.game.record import Phase
from kemps_p2p.game.rules import override
from kemps_p2p.game.state import lose_deal
from kemps_p2p.ids import Position, Seat, Team
from kemps_p2p.ledger.entry import LogRecord, Result, Settled
from kemps_p2p.ledger.tape import Append, Claim, Deed, Receipt, Statement, TapeItem
from kemps_p2p.session import effects as fx
from kemps_p2p.session.dealing import Job
from kemps_p2p.session.deeds import offered
from kemps_p2p.session.duties import OweKey, OweSeed, OweShares, OweTurn, duties
from kemps_p2p.session.fold import NotVerified, Proofs, open_record
from kemps_p2p.session.logfile import Annex, Header, header_of, read_object
from kemps_p2p.session.match import begin, past_at
from kemps_p2p.session.messages import (
    Batch,
    KeyDeed,
    Status,
    TurnDeed,
    pack,
    read_message,
)
from kemps_p2p.session.ordering import entry_after
from kemps_p2p.session.provers import Share, SharedProofs
from kemps_p2p.session.proving import Jobs, Proving
from kemps_p2p.session.replay import step
from kemps_p2p.session.session import STATUS_MS, Session
from kemps_p2p.session.waiting import What, waiting

NOTHING = Digest(bytes(32))


# Duties


def test_each_seat_owes_what_the_state_asks_of_it() -> None:
    table = Table()
    table.start()
    final = table.play().founding
    start = begin(final)
    for seat in range(4):
        assert duties(start, Seat(seat)) == (OweKey(0),)
    table.wait(100)
    shuffled = table.play().final
    assert is_shuffled(shuffled.decks[0, 0])
    assert all(duties(shuffled, Seat(seat)) == () for seat in range(4))


def test_the_order_of_turns_and_shares_is_owed() -> None:
    """Watched from entry to entry: turns one seat at a time, then shares of others' cards and the pool."""
    table = formed()
    owed: list[set[str]] = []
    table.submit(table.play().final.game.dealer, Next()).settle().wait(300)
    match = begin(table.play().founding)
    proofs = Proofs(is_eager=True)
    for effect in table.appended[0]:
        record = read_object(effect.data) if effect.file is fx.File.LOG else None
        if isinstance(record, LogRecord):
            match, _ = step(match, open_record(record, match.founding.match, match.founding.signers), proofs)
            turns = [
                seat for seat in range(4) for duty in duties(match, Seat(seat)) if isinstance(duty, OweTurn)
            ]
            assert len(turns) <= 1
            shares = {
                seat: duty
                for seat in range(4)
                for duty in duties(match, Seat(seat))
                if isinstance(duty, OweShares)
            }
            for seat, duty in shares.items():
                assert not set(duty.positions) & set(match.game.hands[seat])
            owed.append({type(duty).__name__ for seat in range(4) for duty in duties(match, Seat(seat))})
    order = [name for names in owed for name in sorted(names)]
    assert order.index("OweTurn") < order.index("OweShares")
    assert owed[-1] <= {"OweKey", "OweTurn"}


def test_nothing_is_owed_for_a_deal_that_is_lost() -> None:
    running = opened().play().final
    lost = structs.replace(running, game=lose_deal(running.game, Team(0)).state)
    assert lost.game.phase is Phase.DEAL_OVER
    owed = [duty for seat in range(4) for duty in duties(lost, Seat(seat))]
    assert not any(isinstance(duty, OweShares | OweSeed) for duty in owed)
    for match, seats in ((running, [(1, 2, 3)]), (lost, [])):
        passed = structs.replace(match, game=structs.replace(match.game, passes=frozenset({Seat(0)})))
        assert [wait.seats for wait in waiting(passed) if wait.what is What.PASSES] == seats


# Submitting


def test_nothing_can_be_asked_for_in_the_lobby() -> None:
    session = Session(setup(0))
    with pytest.raises(IllegalAction) as illegal:
        session.submit(Next(), 0)
    assert illegal.value.reason is Illegal.DEAL_OVER
    assert session.away(0) == ()


def refused(table: Table, seat: int, action: Action, reason: Illegal) -> None:
    """The action is refused, nothing is sent, and nothing has changed."""
    play = table.play(seat)
    before = play._writer.number, play.tip, play.tapes.lengths()
    with pytest.raises(IllegalAction) as illegal:
        table.sessions[seat].submit(action, table.now_ms)
    assert illegal.value.reason is reason
    assert (play._writer.number, play.tip, play.tapes.lengths()) == before


def test_a_deal_cannot_start_before_its_deck_is_shuffled() -> None:
    table = Table()
    table.drops = lambda sender, receiver, data: isinstance(read_message(data), Batch)
    table.start()
    refused(table, int(table.play().final.game.dealer), Next(), Illegal.NOT_READY)


def test_one_claim_of_a_kind_at_a_time() -> None:
    table = opened()
    table.drops = lambda sender, receiver, data: True
    game = table.play().final.game
    swap = Swap(take=(game.pool[0],), give=(game.hands[0][0],))
    table.submit(0, swap)
    refused(table, 0, Swap(take=(game.pool[1],), give=(game.hands[0][0],)), Illegal.TOO_SOON)
    refused(table, 0, swap, Illegal.TOO_SOON)
    # Of another kind it may be, and what is free has no order at all.
    table.submit(0, Pass(pool=game.pool))
    refused(table, 0, Pass(pool=game.pool), Illegal.TOO_SOON)
    table.submit(0, Gesture(name="wink"))
    table.submit(0, Gesture(name="wink"))


def test_the_next_claim_waits_until_the_last_is_final() -> None:
    table = opened()
    game = table.play().final.game
    table.submit(0, Swap(take=(game.pool[0],), give=(game.hands[0][0],))).settle()
    after = table.play().final.game
    assert game.pool[0] in after.hands[0]
    table.submit(0, Swap(take=(after.pool[0],), give=(after.hands[0][0],))).settle()
    assert after.pool[0] in table.play().final.game.hands[0]


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        (Next(), Illegal.DEAL_RUNS),
        (Say(text="hello"), Illegal.NO_SPEECH),
        (Swap(take=(Position(40),), give=(Position(41),)), Illegal.NOT_IN_HAND),
        (Call(calls=()), Illegal.NO_CALL),
        (Call(calls=(Counter(target=7),)), Illegal.NO_SUCH_TARGET),
    ],
)
def test_the_rules_are_asked_before_anything_is_sent(action: Action, reason: Illegal) -> None:
    refused(opened(), 0, action, reason)


def results(table: Table, seat: int) -> list[Result]:
    return [sight.result for sight in table.sights[seat] if isinstance(sight, fx.Known)]


def test_a_card_that_is_gone_is_missed_and_both_seats_are_told() -> None:
    """Two seats reach for one card; both claims are made against the same head."""
    table = opened()
    game = table.play().final.game
    card = game.pool[0]
    table.submit(0, Swap(take=(card,), give=(game.hands[0][0],)))
    table.submit(1, Swap(take=(card,), give=(game.hands[1][0],)))
    table.settle().wait(500)
    owners = [seat for seat, hand in enumerate(table.play().final.game.hands) if card in hand]
    assert len(owners) == 1
    told = {
        seat: [sight.result.name for sight in table.sights[seat] if isinstance(sight, fx.Known)]
        for seat in (0, 1)
    }
    assert told[owners[0]] == ["OK"]
    assert told[1 - owners[0]] == ["MISSED"]


def test_a_claim_against_a_head_that_is_too_old_is_refused() -> None:
    final = opened().play().final
    assert past_at(final, 0) is not None
    assert past_at(final, -1) is None
    assert past_at(final, final.head.index + 1) is None
    # The window moves with the head, and what is behind it cannot be cited any more.
    moved = structs.replace(final, past=final.past[5:])
    assert past_at(moved, 4) is None
    assert past_at(moved, 5) is not None


# A whole match by hand


def test_a_call_ends_the_match_and_the_log_is_closed() -> None:
    rules = override(RULES, {"word": "K"})
    table = opened(rules)
    table.submit(0, Call(calls=(Partner(),))).settle().wait(2000)
    final = table.play().final
    assert final.game.phase is Phase.MATCH_OVER
    assert final.is_closed
    for seat in range(4):
        objects = [read_object(effect.data) for effect in table.appended[seat] if effect.file is fx.File.LOG]
        header, *_, annex = objects
        assert isinstance(header, Header)
        assert header == header_of(final.founding)
        assert isinstance(annex, Annex)
        assert annex.seat == seat
        assert [opening[0] for opening in annex.names] == [f"Seat {other}" for other in range(4)]
        assert table.sessions[seat].is_done
        closed = [sight for sight in table.sights[seat] if isinstance(sight, fx.MatchClosed)]
        assert closed == [fx.MatchClosed(final.head.digest)]
        assert table.faults(seat) == []
        # Nobody doubts a sequencer any more that has nothing left to order.
        handing = table.play(seat)._handing
        handing.distrust(final.term)
        assert not list(handing.says(table.play(seat).tip, final, table.now_ms, lambda: True))
        # What is owed at last is on the disk when the close is told.
        logged = [effect for effect in table.appended[seat] if effect.file is fx.File.LOG]
        assert logged[-1].durability is fx.Durability.NOW


def test_what_is_sent_has_been_appended() -> None:
    """Every own item is in the journal before it leaves."""
    table = formed()
    dealer = int(table.play().final.game.dealer)
    effects = table.sessions[dealer].submit(Next(), table.now_ms)
    places = {type(effect): place for place, effect in reversed(list(enumerate(effects)))}
    assert places[fx.Append] < places[fx.Send]
    written = {effect.data for effect in effects if isinstance(effect, fx.Append)}
    for effect in effects:
        if isinstance(effect, fx.Send) and isinstance(message := read_message(effect.data), Batch):
            assert {encode(item) for item in message.items} <= written


def test_a_machine_says_how_far_it_is_every_while() -> None:
    table = formed()
    assert table.sessions[0].wake_at_ms <= table.now_ms + STATUS_MS
    table.now_ms += STATUS_MS
    sent = [e for e in table.sessions[0].tick(table.now_ms) if isinstance(e, fx.Send)]
    (status,) = [message for e in sent if isinstance(message := read_message(e.data), Status)]
    assert status.lengths == table.play().tapes.lengths()
    assert status.final == table.play().final.head.index


def receipts_by(table: Table, seat: int, claim: Digest) -> int:
    """How often a seat's tape says that it holds a claim."""
    return sum(
        isinstance(word, Receipt) and word.claim == claim
        for item in table.play(seat).tapes.by_digest.values()
        if item.seat == seat
        for word in item.item.body
    )


def test_a_receipt_waits_for_the_head_that_the_claim_cites() -> None:
    """A witness says that it holds a claim only once the entry it is made against is final for it too."""
    table = opened()
    late = next(seat for seat in range(4) if seat != table.play().final.on_duty)
    author = next(seat for seat in range(4) if seat not in (late, table.play().final.on_duty))
    table.drops = lambda sender, receiver, data: receiver == late
    table.submit(author, Gesture(name="wink")).settle()
    before = len(table.play(author).tapes.by_digest)
    table.submit(author, Gesture(name="nod")).settle()
    tape = [item for item in table.play(author).tapes.by_digest.values() if item.seat == author]
    (said,) = (
        item
        for item in list(table.play(author).tapes.by_digest.values())[before:]
        if item.seat == author and any(isinstance(word, Claim) for word in item.item.body)
    )
    table.drops = lambda sender, receiver, data: False
    assert table.play(late).final.head.index < table.play(author).final.head.index
    # All of the author's tape, the claim included, but not the entry that the claim cites.
    table.hear(late, author, pack(Batch(items=tuple(item.signed for item in tape))))
    assert table.play(late).tapes.by_digest[said.digest] == said
    assert receipts_by(table, late, said.digest) == 0
    table.settle().wait(1000)
    # The others have settled it meanwhile: what is final is caught up with, and needs no word any more.
    assert table.play(late).final.head == table.play(author).final.head
    assert table.faults(late) == []


@pytest.mark.parametrize("is_contested", [True, False])
def test_an_entry_that_the_own_tapes_decide_otherwise_is_not_acked(is_contested: bool) -> None:
    """Two witnesses hide a rival from the evidence; whoever holds it on one of their tapes sees that."""
    table = opened()
    table.drops = lambda sender, receiver, data: True
    duty = int(table.play().final.on_duty)
    me, rival, witness = (seat for seat in range(4) if seat != duty)
    final = table.play(me).final
    card = final.game.pool[0]
    table.submit(me, Swap(take=(card,), give=(final.game.hands[me][0],)))
    mine = max(table.play(me).tapes.by_digest.values(), key=lambda item: item.item.lamport)
    pens = {seat: next_of(seat, table) for seat in (duty, rival, witness)}

    def write(seat: int, *body: Statement) -> TapeItem:
        made = pens[seat].write(body)
        for pen in pens.values():
            pen.see(made.item.lamport)
        return made

    for pen in pens.values():
        pen.see(mine.item.lamport)
    wish = Swap(take=(card,), give=(final.game.hands[rival][0],))
    theirs = write(rival, Claim(head=final.head, action=encode(wish), rivals=()))
    said = [theirs]
    if is_contested:
        said.append(write(witness, Receipt(claim=mine.digest, rivals=())))
    words = [write(seat, Receipt(claim=theirs.digest, rivals=())) for seat in (witness, duty)]
    event = Settled(claim=theirs.digest, result=Result.OK, evidence=tuple(word.digest for word in words))
    entry = next_entry(final, event)
    said += [*words, write(duty, Append(entry=encode(entry)))]
    table.hear(me, duty, pack(Batch(items=tuple(item.signed for item in said))))
    has_acked = table.play(me).tip.head.index == entry.index
    assert has_acked is not is_contested
    assert table.faults(me) == []


def test_blame_for_a_missing_branch_is_stamped_beyond_it() -> None:
    """The seat on duty holds one branch of a fork, and of the other only a later item with a high stamp."""
    table = opened()
    table.drops = lambda sender, receiver, data: True
    duty = int(table.play().final.on_duty)
    cheat = next(seat for seat in range(4) if seat % 2 != duty % 2)
    one, other = next_of(cheat, table), next_of(cheat, table)
    here = one.write((Deed(payload=b"here"),))
    other.write((Deed(payload=b"there"),))
    other.see(other.lamport + 500)
    beyond = other.write((Deed(payload=b"beyond"),))
    before = table.play(duty).tip.game.scores
    table.hear(duty, cheat, pack(Batch(items=(here.signed, beyond.signed))))
    assert (Fault.EQUIVOCATION, cheat) in table.faults(duty)
    after = table.play(duty).tip.game.scores
    assert after[cheat % 2] == before[cheat % 2] + 1


def test_whoever_is_on_its_way_to_another_chain_orders_nothing() -> None:
    """The others have gone on in a later term, and what leads there is not all here yet."""
    table = opened()
    play = table.play()
    duty = int(play.tip.on_duty)
    play, tip = table.play(duty), play.tip
    later = entry_after(tip, tip.term + 1, (Settled(claim=NOTHING, result=Result.OK, evidence=()),), 0, 0)
    item = next_of((duty + 1) % 4, table).write((Append(entry=encode(later)),))
    play._chain._path.append((item, later))
    length = play.tapes.lengths()[duty]
    table.submit(duty, Gesture("wink")).settle()
    said = [word for item in play.tapes.of(Seat(duty))[length:] for word in item.item.body]
    assert said
    assert not any(isinstance(word, Append) for word in said)


def test_the_group_for_tests_is_named_in_the_genesis() -> None:
    assert formed().play().founding.genesis.group == STUB


def test_a_proof_that_is_not_verified_yet_is_asked_for_and_not_verified_on_the_spot() -> None:
    """Else the machine would stand still for the time that a shuffle proof takes."""
    proofs, done = Proofs(is_eager=False), list[int]()
    proof = Digest(bytes(32)), 0
    with pytest.raises(NotVerified) as need:
        proofs.require(proof, lambda: done.append(1))
    assert (need.value.proof, done) == (proof, [])
    proofs.run(proof, need.value.check)
    proofs.require(proof, lambda: done.append(2))
    assert done == [1]


def test_what_a_proof_comes_to_is_remembered_and_a_false_one_is_told() -> None:
    """A light proof is verified on the spot, a heavy one by one job, whoever asks for it."""
    table = formed()
    final = table.play().final
    found: list[PeerFault] = []
    begun: list[Job] = []
    jobs = Jobs()

    def begin_once(job: Job) -> None:
        if jobs.begin(job) is not None:
            begun.append(job)

    proving = Proving(begin_once, found.append)
    items = list(table.play().tapes.by_digest.values())
    deeds = [(deed, item) for item in items for deed in offered(item)]
    keys = [(deed, item) for deed, item in deeds if isinstance(deed.body, KeyDeed)]
    heavy = next((deed, item) for deed, item in deeds if isinstance(deed.body, TurnDeed))
    wrong = PeerFault(Fault.BAD_KEY_PROOF, "as told", culprit=1)

    def fails() -> None:
        raise wrong

    (good, good_item), (bad, bad_item), (own, _), (unheard, _) = keys
    assert proving.verify_for(NotVerified(good.proof, lambda: None), good_item)
    assert proving.verify_for(NotVerified(bad.proof, fails), bad_item)
    assert found == [wrong]
    for _ in range(2):
        assert not proving.verify_for(NotVerified(heavy[0].proof, fails), heavy[1])
    assert [job.proof for job in begun] == [heavy[0].proof], "nobody verifies it twice"
    proving.came_to(heavy[0].proof, wrong)
    proving.came_to(unheard.proof, None)
    proving.offer(own, is_own=True)
    assert found == [wrong, wrong]
    assert proving.proofs.good == {good.proof, own.proof, unheard.proof}
    assert proving.proofs.bad == {bad.proof: wrong, heavy[0].proof: wrong}
    # What is known by now is not verified once more when it is offered.
    for deed in (good, bad):
        proving.offer(deed, is_own=False)
    proving.verify_offers(final)
    assert found == [wrong, wrong]


def test_of_proofs_that_several_share_each_is_verified_by_one() -> None:
    done: list[int] = []
    shares = [SharedProofs(share=Share(index, 2)) for index in range(2)]
    asked = [(Digest(bytes([number]) * 32), 0) for number in range(6)]
    for proof in (*asked, *asked):
        for index, proofs in enumerate(shares):
            proofs.require(proof, partial(done.append, index))
    assert sorted(done) == [0, 0, 0, 1, 1, 1]
    good = [proofs.proven().good for proofs in shares]
    assert good[0] | good[1] == set(asked)
