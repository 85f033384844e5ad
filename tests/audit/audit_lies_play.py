"""Lies about what became of claims, about their order, and about when deals and play begin."""

from audit_forger import Forger, replace
from audit_helpers import races_of
from audit_lies import ELSEWHERE, Expected, as_note, lie, note, settled, the_claim, with_claim

from kemps_p2p.codec import encode
from kemps_p2p.errors import Fault
from kemps_p2p.game.actions import Swap
from kemps_p2p.ledger.entry import Contest, Drawn, Result, Settled
from kemps_p2p.ledger.tape import CoinReveal, Receipt
from kemps_p2p.session.match import is_ready
from kemps_p2p.session.messages import Checkpoint, PlayStarted

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
