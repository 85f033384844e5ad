"""Logs with one lie in them, signed by the authors themselves: the audit names entry, rule and culprit.

Each lie is told by whoever could tell it; everything after it is consistent with it, so that there is one
finding and no other.
"""

from collections.abc import Callable

import pytest
from audit_forger import Forger, replace
from audit_helpers import races_of

from kemps_p2p.codec import Digest, Record, encode
from kemps_p2p.deck.deal import make_shares
from kemps_p2p.errors import Fault
from kemps_p2p.game.actions import Swap
from kemps_p2p.ids import Position, Seat
from kemps_p2p.ledger.entry import Blamed, Carried, Contest, Drawn, Note, Result, Settled
from kemps_p2p.ledger.tape import STAMP_LEAD_MAX, Claim, CoinReveal, Deed, Receipt, claim_of
from kemps_p2p.session.audit import Verdict
from kemps_p2p.session.dealing import deal_seed
from kemps_p2p.session.findings import Finding
from kemps_p2p.session.match import action_of, is_ready, owed_public
from kemps_p2p.session.messages import (
    Checkpoint,
    Closed,
    KeyDeed,
    NoteBody,
    PlayStarted,
    SeedDeed,
    ShareDeed,
    TurnDeed,
    read_deed,
    read_note,
)

pytest_plugins = ("audit_fixtures",)

Expected = tuple[int, Fault, Seat | None]
Lie = Callable[[Forger], Expected]
LIES: list[Lie] = []
ELSEWHERE = Digest(b"\x07" * 32)


def lie(told: Lie) -> Lie:
    LIES.append(told)
    return told


@pytest.mark.parametrize("told", LIES, ids=lambda told: told.__name__)
def test_the_lie_is_found(forger: Forger, told: Lie) -> None:
    index, code, culprit = told(forger)
    found = forger.audit()
    assert found.verdict is Verdict.VIOLATED
    assert [key(finding) for finding in found.findings] == [(index, code, culprit)], found.findings


def key(finding: Finding) -> tuple[int, object, Seat | None]:
    return finding.index, finding.code, finding.culprit


def test_signed_anew_without_a_lie_the_log_is_the_same(forger: Forger) -> None:
    assert forger.log() == forger.played.logs[0]


def test_there_are_lies_of_every_kind() -> None:
    assert len(LIES) >= 30


# Looking for places to lie at


def settled(forger: Forger, *, result: Result = Result.OK, is_swap: bool = False) -> tuple[int, int, Settled]:
    """The first claim with this result that is ordered without a rival."""
    for index, place, event in forger.events(Settled):
        item = forger.honest.steps[index - 1].record.items[event.claim]
        claim = claim_of(item.item)
        assert claim is not None
        is_wanted = not is_swap or isinstance(action_of(item, claim), Swap)
        if is_wanted and event.result is result and len(event.evidence) == 2:
            return index, place, event
    raise AssertionError("no such claim in this log")


def note(forger: Forger, kind: type[NoteBody], skip: int = 0) -> tuple[int, int, NoteBody]:
    for index, place, event in forger.events(Note):
        body = read_note(event.payload)
        if isinstance(body, kind):
            if not skip:
                return index, place, body
            skip -= 1
    raise AssertionError("no such note")


def deed(forger: Forger, kind: type[Record], skip: int = 0) -> tuple[int, int, Digest, Record]:
    """Index, place, item and deed of a carried deed of a kind; of items with one of that kind."""
    for index, place, event in forger.events(Carried):
        payloads = [word.payload for word in forger.draft(event.item).body if isinstance(word, Deed)]
        bodies = [body for body in map(read_deed, payloads) if isinstance(body, kind)]
        if len(bodies) == 1:
            if not skip:
                return index, place, event.item, bodies[0]
            skip -= 1
    raise AssertionError("no such deed")


def the_claim(forger: Forger, name: Digest) -> Claim:
    return next(word for word in forger.draft(name).body if isinstance(word, Claim))


def with_claim(forger: Forger, name: Digest, **lies: object) -> None:
    claim = the_claim(forger, name)
    forger.change_statement(name, claim, replace(claim, **lies))


def as_note(body: NoteBody) -> Note:
    return Note(payload=encode(body))


# Results


@lie
def a_card_that_is_not_held_is_given_and_logged_as_ok(forger: Forger) -> Expected:
    index, _, event = settled(forger, is_swap=True)
    hands = forger.before(index).game.hands
    seat = forger.draft(event.claim).seat
    pool = forger.before(index).game.pool
    action = Swap(take=(pool[0],), give=(hands[(seat + 1) % 4][0],))
    with_claim(forger, event.claim, action=encode(action))
    return index, Fault.BAD_VERDICT, forger.author(index)


@lie
def a_swap_of_two_for_one_is_logged_as_ok(forger: Forger) -> Expected:
    index, _, event = settled(forger, is_swap=True)
    game = forger.before(index).game
    seat = forger.draft(event.claim).seat
    action = Swap(take=game.pool[:2], give=game.hands[seat][:1])
    with_claim(forger, event.claim, action=encode(action))
    return index, Fault.BAD_VERDICT, forger.author(index)


@lie
def a_claim_that_was_in_time_is_logged_as_missed(forger: Forger) -> Expected:
    index, place, event = settled(forger, is_swap=True)
    forger.change_event(index, place, replace(event, result=Result.MISSED))
    return index, Fault.BAD_VERDICT, forger.author(index)


@lie
def a_lawful_claim_is_logged_as_refused(forger: Forger) -> Expected:
    index, place, event = settled(forger)
    forger.change_event(index, place, replace(event, result=Result.REFUSED))
    return index, Fault.BAD_VERDICT, forger.author(index)


@lie
def a_missed_claim_is_logged_as_ok(forger: Forger) -> Expected:
    for index, place, event in forger.events(Settled):
        if event.result is Result.MISSED:
            forger.change_event(index, place, replace(event, result=Result.OK))
            return index, Fault.BAD_VERDICT, forger.author(index)
    raise AssertionError("no missed claim")


# Order


@lie
def the_second_of_a_race_is_logged_first(forger: Forger) -> Expected:
    index, place, event, rival = next(races_of(forger.honest))
    others = tuple(name for name in event.evidence if name != rival)
    forger.change_event(index, place, Settled(claim=rival, result=Result.OK, evidence=(event.claim, *others)))
    return index, Fault.BAD_ORDER, forger.author(index)


@lie
def a_race_that_was_won_is_called_together(forger: Forger) -> Expected:
    index, place, event, rival = next(races_of(forger.honest))
    claims = tuple(sorted((event.claim, rival)))
    others = tuple(name for name in event.evidence if name != rival)
    forger.change_event(index, place, Contest(claims=claims, evidence=others))
    return index, Fault.BAD_ORDER, forger.author(index)


@lie
def claims_that_are_together_are_called_a_race_that_was_won(forger: Forger) -> Expected:
    index, place, event = next(forger.events(Contest))
    first, *others = event.claims
    forger.change_event(
        index, place, Settled(claim=first, result=Result.OK, evidence=(*others, *event.evidence))
    )
    return index, Fault.BAD_ORDER, forger.author(index)


@lie
def a_contest_of_one_claim(forger: Forger) -> Expected:
    index, place, event = settled(forger)
    forger.change_event(index, place, Contest(claims=(event.claim,), evidence=event.evidence))
    return index, Fault.BAD_ORDER, forger.author(index)


@lie
def a_claim_is_logged_twice(forger: Forger) -> Expected:
    index, _, event = settled(forger, is_swap=True)
    forger.change_entry(index + 1, events=(event, *forger.entry(index + 1).events))
    return index + 1, Fault.BAD_ORDER, forger.author(index + 1)


@lie
def a_claim_of_an_item_that_makes_none(forger: Forger) -> Expected:
    index, place, event = settled(forger)
    forger.change_event(index, place, replace(event, claim=event.evidence[0], evidence=event.evidence[1:]))
    return index, Fault.BAD_EVIDENCE, forger.author(index)


@lie
def a_receipt_is_missing_from_the_evidence(forger: Forger) -> Expected:
    index, place, event = settled(forger)
    forger.change_event(index, place, replace(event, evidence=event.evidence[:1]))
    return index, Fault.BAD_ORDER, forger.author(index)


@lie
def a_rival_that_a_witness_names_is_left_out(forger: Forger) -> Expected:
    index, place, event, rival = next(races_of(forger.honest))
    others = tuple(name for name in event.evidence if name != rival)
    forger.change_event(index, place, replace(event, evidence=others))
    return index, Fault.BAD_EVIDENCE, forger.author(index)


@lie
def a_draw_with_another_order(forger: Forger) -> Expected:
    index, place, event = next(forger.events(Drawn))
    forger.change_event(index, place, replace(event, order=event.order[::-1]))
    return index, Fault.BAD_ORDER, forger.author(index)


@lie
def a_draw_with_another_result(forger: Forger) -> Expected:
    index, place, event = next(forger.events(Drawn))
    other = Result.REFUSED if event.results[-1] is not Result.REFUSED else Result.OK
    forger.change_event(index, place, replace(event, results=(*event.results[:-1], other)))
    return index, Fault.BAD_VERDICT, forger.author(index)


@lie
def a_draw_without_a_contest(forger: Forger) -> Expected:
    index, place, event = next(forger.events(Drawn))
    forger.change_event(index, place, replace(event, index=1))
    return index, Fault.BAD_ORDER, forger.author(index)


@lie
def a_draw_that_lacks_a_coin(forger: Forger) -> Expected:
    index, place, event = next(forger.events(Drawn))
    forger.change_event(index, place, replace(event, coins=event.coins[:-1]))
    return index, Fault.BAD_EVIDENCE, forger.author(index)


@lie
def a_coin_that_is_not_the_next_of_its_chain(forger: Forger) -> Expected:
    index, _, event = next(forger.events(Drawn))
    draft = forger.draft(event.coins[0])
    coin = next(word for word in draft.body if isinstance(word, CoinReveal))
    forger.change_statement(draft.name, coin, replace(coin, coin=b"\x01" * 32))
    return index, Fault.BAD_COIN, draft.seat


@lie
def a_deal_starts_before_its_deck_is_shuffled(forger: Forger) -> Expected:
    index = note(forger, Checkpoint)[0]
    event = next(event for event in forger.entry(index).events if isinstance(event, Settled))
    early = next(at for at in range(1, index) if not is_ready(forger.before(at + 1)))
    with_claim(
        forger,
        event.claim,
        head=replace(the_claim(forger, event.claim).head, index=early, digest=forger.was[early]),
    )
    return index, Fault.BAD_VERDICT, forger.author(index)


# Claims and receipts


@lie
def a_claim_against_an_entry_of_another_chain(forger: Forger) -> Expected:
    index, _, event = settled(forger, is_swap=True)
    with_claim(forger, event.claim, head=replace(the_claim(forger, event.claim).head, digest=ELSEWHERE))
    return index, Fault.BAD_CLAIM, forger.draft(event.claim).seat


@lie
def a_claim_that_asks_for_nothing_readable(forger: Forger) -> Expected:
    index, _, event = settled(forger, is_swap=True)
    with_claim(forger, event.claim, action=b"\x91\x63")
    return index, Fault.BAD_CLAIM, forger.draft(event.claim).seat


@lie
def a_receipt_that_is_stamped_before_its_claim(forger: Forger) -> Expected:
    for index, _, event in forger.events(Settled):
        for name in event.evidence:
            draft = forger.draft(name)
            tape = forger.tapes[draft.seat]
            floor = tape[tape.index(draft) - 1].lamport + 1
            only = [word for word in draft.body if not isinstance(word, Receipt)]
            if not only and floor <= forger.draft(event.claim).lamport:
                draft.lamport = floor
                return index, Fault.BAD_STAMP, draft.seat
    raise AssertionError("no receipt could be stamped earlier")


# Deals


@lie
def a_deal_starts_from_other_scores(forger: Forger) -> Expected:
    index, place, said = note(forger, Checkpoint)
    assert isinstance(said, Checkpoint)
    forger.change_event(index, place, as_note(replace(said, scores=(1, 0))))
    return index, Fault.BAD_CHECKPOINT, forger.author(index)


@lie
def a_deal_starts_with_another_dealer(forger: Forger) -> Expected:
    index, place, said = note(forger, Checkpoint)
    assert isinstance(said, Checkpoint)
    forger.change_event(index, place, as_note(replace(said, dealer=(said.dealer + 1) % 4)))
    return index, Fault.BAD_CHECKPOINT, forger.author(index)


@lie
def a_deal_starts_with_another_number(forger: Forger) -> Expected:
    index, place, said = note(forger, Checkpoint)
    assert isinstance(said, Checkpoint)
    forger.change_event(index, place, as_note(replace(said, deal=said.deal + 1)))
    return index, Fault.BAD_CHECKPOINT, forger.author(index)


@lie
def a_deal_starts_without_a_checkpoint(forger: Forger) -> Expected:
    index, place, _ = note(forger, Checkpoint)
    forger.change_event(index, place)
    return index, Fault.BAD_CHECKPOINT, forger.author(index)


@lie
def a_checkpoint_in_the_middle_of_a_deal(forger: Forger) -> Expected:
    _, _, said = note(forger, Checkpoint)
    index, _, _ = note(forger, PlayStarted)
    forger.change_entry(index, events=(*forger.entry(index).events, as_note(said)))
    return index, Fault.BAD_CHECKPOINT, forger.author(index)


@lie
def play_starts_before_the_look_is_over(forger: Forger) -> Expected:
    index, _, _ = note(forger, PlayStarted)
    forger.change_entry(index, elapsed_ms=forger.before(index).elapsed_ms + 199)
    return index, Fault.BAD_TIME, forger.author(index)


@lie
def play_starts_while_it_is_on(forger: Forger) -> Expected:
    index, _, _ = settled(forger, is_swap=True)
    forger.change_entry(index, events=(as_note(PlayStarted()), *forger.entry(index).events))
    return index, Fault.BAD_ENTRY, forger.author(index)


@lie
def time_runs_backwards(forger: Forger) -> Expected:
    index, _, _ = settled(forger, is_swap=True)
    forger.change_entry(index, elapsed_ms=forger.before(index).elapsed_ms - 1)
    return index, Fault.BAD_TIME, forger.author(index)


# The deck


@lie
def a_shuffle_turn_is_skipped(forger: Forger) -> Expected:
    index, place, _, _ = deed(forger, TurnDeed)
    following = deed(forger, TurnDeed, skip=1)[2]
    forger.change_event(index, place)
    for at, _, event in forger.events(Carried):
        if event.item == following:
            return at, Fault.NOT_OWED, forger.author(at)
    raise AssertionError("nobody shuffles after that")


@lie
def a_turn_with_a_card_twice(forger: Forger) -> Expected:
    index, _, name, _ = deed(forger, TurnDeed)

    def doubled(told: Record) -> Record:
        assert isinstance(told, TurnDeed)
        turn = told.turn
        return replace(told, turn=replace(turn, a=(turn.a[1], *turn.a[1:]), c=(turn.c[1], *turn.c[1:])))

    forger.change_deed(name, doubled)
    return index, Fault.BAD_SHUFFLE_PROOF, forger.draft(name).seat


@lie
def a_turn_on_another_list(forger: Forger) -> Expected:
    index, _, name, _ = deed(forger, TurnDeed, skip=1)

    def moved(told: Record) -> Record:
        assert isinstance(told, TurnDeed)
        return replace(told, turn=replace(told.turn, input=ELSEWHERE))

    forger.change_deed(name, moved)
    return index, Fault.BAD_TURN, forger.draft(name).seat


@lie
def a_turn_that_goes_by_another_item_is_logged(forger: Forger) -> Expected:
    index, _, name, _ = deed(forger, TurnDeed, skip=1)

    def misled(told: Record) -> Record:
        assert isinstance(told, TurnDeed)
        return replace(told, on=ELSEWHERE, turn=replace(told.turn, input=ELSEWHERE))

    forger.change_deed(name, misled)
    # The seat before may have shown its successor another turn: who logs this one is to blame.
    return index, Fault.NOT_OWED, forger.author(index)


@lie
def a_key_that_is_not_proven(forger: Forger) -> Expected:
    index, _, name, _ = deed(forger, KeyDeed)
    other = deed(forger, KeyDeed, skip=1)[3]

    def taken(told: Record) -> Record:
        assert isinstance(told, KeyDeed)
        assert isinstance(other, KeyDeed)
        return replace(told, key=replace(told.key, key=other.key.key))

    forger.change_deed(name, taken)
    return index, Fault.BAD_KEY_PROOF, forger.draft(name).seat


@lie
def a_share_of_another_position(forger: Forger) -> Expected:
    index, _, name, _ = deed(forger, ShareDeed)

    def mixed(told: Record) -> Record:
        assert isinstance(told, ShareDeed)
        first, second, *others = told.shares.parts
        return replace(told, shares=replace(told.shares, parts=(second, first, *others)))

    forger.change_deed(name, mixed)
    return index, Fault.BAD_SHARE_PROOF, forger.draft(name).seat


@lie
def a_share_under_another_key(forger: Forger) -> Expected:
    index, _, name, _ = deed(forger, ShareDeed)
    seat = forger.draft(name).seat
    deck = forger.before(index).decks[0, 0]

    def other_key(told: Record) -> Record:
        assert isinstance(told, ShareDeed)
        seed = deal_seed(forger.played.secret(Seat((seat + 1) % 4)), 0)
        positions = tuple(map(Position, told.shares.positions))
        return replace(told, shares=make_shares(deck, seat, seed, positions))

    forger.change_deed(name, other_key)
    return index, Fault.BAD_SHARE_PROOF, seat


@lie
def a_share_that_is_not_owed(forger: Forger) -> Expected:
    index, _, name, _ = deed(forger, ShareDeed)
    seat = forger.draft(name).seat
    match = forger.before(index)
    deck = match.decks[0, 0]
    top = match.game.stock[0]
    assert top not in owed_public(match.game)

    def early(told: Record) -> Record:
        assert isinstance(told, ShareDeed)
        return replace(told, shares=make_shares(deck, seat, deal_seed(forger.played.secret(seat), 0), (top,)))

    forger.change_deed(name, early)
    return index, Fault.NOT_OWED, forger.author(index)


@lie
def another_seed_is_opened(forger: Forger) -> Expected:
    index, _, name, _ = deed(forger, SeedDeed)

    def other(told: Record) -> Record:
        assert isinstance(told, SeedDeed)
        return replace(told, seed=replace(told.seed, seed=b"\x05" * 32))

    forger.change_deed(name, other, SeedDeed)
    return index, Fault.BAD_SEED, forger.draft(name).seat


@lie
def a_deed_is_carried_twice(forger: Forger) -> Expected:
    index, place, name, _ = deed(forger, KeyDeed)
    forger.change_event(index, place, Carried(item=name), Carried(item=name))
    return index, Fault.NOT_OWED, forger.author(index)


@lie
def an_item_without_a_deed_is_carried_for_one(forger: Forger) -> Expected:
    index, _, event = settled(forger)
    forger.change_entry(index, events=(Carried(item=event.evidence[0]), *forger.entry(index).events))
    return index, Fault.BAD_EVIDENCE, forger.author(index)


@lie
def the_match_is_closed_without_all_seeds(forger: Forger) -> Expected:
    index, place, _, _ = deed(forger, SeedDeed, skip=1)
    forger.change_event(index, place)
    at = note(forger, Closed)[0]
    return at, Fault.BAD_ENTRY, forger.author(at)


@lie
def the_match_is_closed_while_it_is_on(forger: Forger) -> Expected:
    index, _, _ = settled(forger, is_swap=True)
    forger.change_entry(index, events=(*forger.entry(index).events, as_note(Closed())))
    return index, Fault.BAD_ENTRY, forger.author(index)


# Blame


@lie
def an_honest_deed_is_blamed(forger: Forger) -> Expected:
    index, place, name, _ = deed(forger, KeyDeed)
    forger.change_event(index, place, Blamed(culprit=forger.draft(name).seat, items=(name,)))
    return index, Fault.BAD_BLAME, forger.author(index)


@lie
def two_items_that_agree_are_blamed(forger: Forger) -> Expected:
    index, _, event = settled(forger, is_swap=True)
    seat = forger.draft(event.claim).seat
    items = tuple(draft.name for draft in forger.tapes[seat][:2])
    blame = Blamed(culprit=seat, items=items)
    forger.change_entry(index, events=(*forger.entry(index).events, blame))
    return index, Fault.BAD_BLAME, forger.author(index)


@lie
def the_evidence_is_of_another_seat_than_the_blamed(forger: Forger) -> Expected:
    index, place, name, _ = deed(forger, KeyDeed)
    forger.change_event(index, place, Blamed(culprit=(forger.draft(name).seat + 1) % 4, items=(name,)))
    return index, Fault.BAD_BLAME, forger.author(index)


# The chain


@lie
def an_entry_of_a_seat_that_is_not_on_duty(forger: Forger) -> Expected:
    index, _, _ = settled(forger)
    draft = forger.chain[index - 1]
    usurper = Seat((draft.seat + 1) % 4)
    forger.tapes[draft.seat].remove(draft)
    draft.seat = usurper
    tape = forger.tapes[usurper]
    tape.append(draft)
    tape.sort(key=lambda known: known.order)
    before, after = tape[tape.index(draft) - 1], tape[tape.index(draft) + 1]
    assert before.lamport < draft.lamport < after.lamport
    return index, Fault.WRONG_TERM, usurper


@lie
def an_entry_of_a_later_term(forger: Forger) -> Expected:
    index, _, _ = settled(forger)
    forger.change_entry(index, term=1)
    return index, Fault.WRONG_TERM, forger.author(index)


@lie
def an_entry_of_another_epoch(forger: Forger) -> Expected:
    index, _, _ = settled(forger)
    forger.change_entry(index, epoch=1)
    return index, Fault.WRONG_TERM, forger.author(index)


@lie
def an_entry_that_links_elsewhere(forger: Forger) -> Expected:
    index, _, _ = settled(forger)
    forger.change_entry(index, prev=ELSEWHERE)
    return index, Fault.BAD_LINK, forger.author(index)


@lie
def an_entry_after_the_close(forger: Forger) -> Expected:
    seat = forger.author(forger.last)
    forger.add_entry(seat, as_note(PlayStarted()))
    return forger.last, Fault.BAD_ENTRY, seat


@lie
def an_entry_that_is_stamped_before_what_it_carries(forger: Forger) -> Expected:
    for index in range(2, forger.last + 1):
        draft = forger.chain[index - 1]
        tape = forger.tapes[draft.seat]
        floor = tape[tape.index(draft) - 1].lamport + 1
        items = forger.honest.steps[index - 1].record.items.values()
        if items and floor <= max(item.item.lamport for item in items) and floor > tape.index(draft):
            draft.lamport = floor
            return index, Fault.BAD_STAMP, draft.seat
    raise AssertionError("no entry could be stamped earlier")


@lie
def an_entry_with_a_note_that_says_nothing(forger: Forger) -> Expected:
    index, place, _ = note(forger, PlayStarted)
    forger.change_event(index, place, Note(payload=b"\x91\x2a"))
    return index, Fault.MALFORMED, forger.author(index)


@lie
def an_item_lies_beside_an_entry_that_does_not_name_it(forger: Forger) -> Expected:
    index, _, _ = settled(forger)
    forger.beside[index] = lambda names: (*names, forger.tapes[0][0].name)
    return index, Fault.BAD_EVIDENCE, None


@lie
def an_item_that_an_entry_names_is_not_there(forger: Forger) -> Expected:
    index, _, _ = settled(forger)
    forger.beside[index] = lambda names: names[:-1]
    return index, Fault.BAD_EVIDENCE, None


@lie
def an_item_lies_beside_its_entry_twice(forger: Forger) -> Expected:
    index, _, _ = settled(forger)
    forger.beside[index] = lambda names: (*names, names[-1])
    return index, Fault.BAD_EVIDENCE, None


# Tapes


@lie
def an_item_of_another_match(forger: Forger) -> Expected:
    index, _, event = settled(forger)
    forger.draft(event.evidence[0]).match = ELSEWHERE
    # A signature under another match proves nothing about this one.
    return index, Fault.WRONG_MATCH, None


@lie
def an_item_signed_by_another_seat(forger: Forger) -> Expected:
    index, _, event = settled(forger)
    draft = forger.draft(event.claim)
    draft.signer = Seat((draft.seat + 1) % 4)
    return index, Fault.BAD_SIGNATURE, None


@lie
def two_items_at_one_number(forger: Forger) -> Expected:
    for index, _, event in forger.events(Settled):
        for name in event.evidence:
            draft = forger.draft(name)
            tape = forger.tapes[draft.seat]
            at = tape.index(draft)
            earlier = [
                known
                for place, known in enumerate(tape[1:at])
                if (shown_at(forger, known.name) or index) < index
                and shown_at(forger, tape[place].name) is None
            ]
            around = tape[at - 1 : at + 2 : 2]
            is_alone = all(shown_at(forger, other.name) is None for other in around)
            if is_after_draws(forger, index) and shown_at(forger, name) == index and is_alone and earlier:
                draft.number = tape.index(earlier[0])
                draft.prev = ELSEWHERE
                return index, Fault.EQUIVOCATION, draft.seat
    raise AssertionError("no item could be another's twin")


def is_after_draws(forger: Forger, index: int) -> bool:
    """True if no draw follows: its order is another one once the digests of its claims are."""
    return index > max(at for at, _, _ in forger.events(Drawn))


def shown_at(forger: Forger, name: Digest) -> int | None:
    """The first entry whose record shows an item."""
    for index, draft in enumerate(forger.chain, start=1):
        if name == draft.name or name in forger.honest.steps[index - 1].record.items:
            return index
    return None


def neighbours(forger: Forger) -> tuple[int, Digest]:
    """A carried item whose predecessor on its tape the log shows as well, and the entry that shows it."""
    for index, _, event in forger.events(Carried):
        draft = forger.draft(event.item)
        tape = forger.tapes[draft.seat]
        at = tape.index(draft)
        is_new = shown_at(forger, draft.name) == index and is_after_draws(forger, index)
        if at and is_new and shown_at(forger, tape[at - 1].name) is not None:
            return index, draft.name
    raise AssertionError("no neighbours in this log")


@lie
def an_item_that_does_not_link_to_its_predecessor(forger: Forger) -> Expected:
    index, name = neighbours(forger)
    forger.draft(name).prev = ELSEWHERE
    return index, Fault.BAD_LINK, forger.draft(name).seat


@lie
def an_item_that_is_stamped_before_its_predecessor(forger: Forger) -> Expected:
    index, name = neighbours(forger)
    draft = forger.draft(name)
    tape = forger.tapes[draft.seat]
    draft.lamport = tape[tape.index(draft) - 1].lamport
    return index, Fault.BAD_STAMP, draft.seat


# The annex


@lie
def a_name_that_is_not_that_of_the_genesis(forger: Forger) -> Expected:
    forger.names = lambda names: (("Mallory", names[0][1]), *names[1:])
    return forger.last + 1, Fault.BAD_ANNEX, None


@lie
def a_name_is_left_out(forger: Forger) -> Expected:
    forger.names = lambda names: names[1:]
    return forger.last + 1, Fault.BAD_ANNEX, None


@lie
def a_certificate_with_an_ack_of_another_entry(forger: Forger) -> Expected:
    forger.certificate = lambda acks: [*acks, forger.tapes[0][0].name]
    return forger.last + 1, Fault.BAD_ANNEX, Seat(forger.annex.seat)


@lie
def a_certificate_with_one_ack_twice(forger: Forger) -> Expected:
    forger.certificate = lambda acks: [*acks, acks[0]]
    return forger.last + 1, Fault.BAD_ANNEX, Seat(forger.annex.seat)


def test_a_stamp_that_leaps_is_found_where_it_leaps(forger: Forger) -> None:
    """Whatever rests on it must leap as well, so that this is not the only finding."""
    draft = forger.chain[-1]
    for tape in forger.tapes:
        for later in tape:
            if later.order >= draft.order:
                later.lamport += 20 * STAMP_LEAD_MAX
    found = forger.audit()
    assert found.verdict is Verdict.VIOLATED
    assert key(found.findings[0]) == (forger.last, Fault.BAD_STAMP, draft.seat)
    assert {finding.code for finding in found.findings} == {Fault.BAD_STAMP}
