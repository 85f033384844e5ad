"""What waits behind a call, what is together with one, and how a called seat answers."""

from dataclasses import replace

import pytest
from msgspec import structs
from session_helpers import Table, opened
from session_records import entries, forged, happened, known, ordered, refold, refused, rules_of

from kemps_p2p.errors import Fault, Illegal, IllegalAction
from kemps_p2p.game.actions import Action, Admit, Call, Counter, Deny, Partner, Pass, Swap
from kemps_p2p.game.cards import Card, is_quartet, rank
from kemps_p2p.game.events import Answered, Called, Shown
from kemps_p2p.game.events import Settled as GameSettled
from kemps_p2p.game.record import Phase, Waiting
from kemps_p2p.game.rules import override
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.entry import Contest, Drawn, Result, Ruled
from kemps_p2p.ledger.tape import claim_of, open_item
from kemps_p2p.session.answers import CHOICE_MS, Answering
from kemps_p2p.session.fold import Proofs
from kemps_p2p.session.match import action_of
from kemps_p2p.session.messages import Batch, read_message
from kemps_p2p.session.replay import step

# Behind a call


def has_claim(data: bytes, table: Table, seat: int) -> bool:
    """True for a message with a claim of this seat."""
    message = read_message(data)
    play = table.play(seat)
    return isinstance(message, Batch) and any(
        item.seat == seat and claim_of(item.item) is not None
        for signed in message.items
        for item in [open_item(signed, play.founding.match, play.founding.signers)]
    )


@pytest.mark.parametrize("goes_on", [True, False])
def test_a_claim_behind_a_call_is_judged_once_the_call_is(goes_on: bool) -> None:
    """The called seat's answer is late, and another seat has not heard of the call when it swaps."""
    wrong = "continue" if goes_on else "ends-deal"
    table = opened(rules_of("chaulcer", exchange="swap", idle_seconds=60, wrong_call=wrong))
    duty = int(table.play().final.on_duty)
    called = (duty + 2) % 4
    caller, swapper = (seat for seat in range(4) if seat % 2 != duty % 2)
    table.drops = lambda sender, receiver, data: (
        receiver == swapper or (sender == called and has_claim(data, table, called))
    )
    table.submit(caller, Call(calls=(Counter(target=called),))).settle()
    assert table.play(duty).final.game.pending is not None
    game = table.play(swapper).final.game
    swap = Swap(take=(game.pool[0],), give=(game.hands[swapper][0],))
    table.submit(swapper, swap)
    table.drops = lambda sender, receiver, data: sender == called and has_claim(data, table, called)
    table.settle().wait(1000)
    assert known(table, swapper)[-1] == "WAITING"
    assert table.play(duty).final.game.waiting == (Waiting(0, Seat(swapper), swap),)
    assert swap.take[0] in table.play(duty).final.game.pool
    table.drops = lambda sender, receiver, data: False
    table.wait(1000)
    after = table.play(duty).final.game
    (told,) = (event for event in happened(table) if isinstance(event, GameSettled))
    assert (told.seat, told.result) == (swapper, "ok" if goes_on else "refused")
    assert (swap.take[0] in after.hands[swapper]) is goes_on
    assert after.waiting == ()
    assert all(table.faults(seat) == [] for seat in range(4))


def test_nobody_claims_what_has_to_wait_for_a_call_that_is_known() -> None:
    table = opened(rules_of("kems", start="last-card"))
    duty = int(table.play().final.on_duty)
    caller = (duty + 1) % 4
    table.submit(caller, Call(calls=(Partner(),))).settle()
    game = table.play().final.game
    assert game.pending is not None
    with pytest.raises(IllegalAction) as illegal:
        table.submit(duty, Pass(pool=game.pool))
    assert illegal.value.reason is Illegal.CALL_PENDING


# Claims that are together


def together(table: Table, one: tuple[int, Action], other: tuple[int, Action], ahead: int) -> Table:
    """Two claims of which the witnesses see now the one, now the other first; `ahead` sees the one first."""
    (a, _), (b, _) = one, other
    (late,) = (seat for seat in range(4) if seat not in (a, b, ahead))
    table.drops = lambda sender, receiver, data: (sender, receiver) in ((a, late), (b, ahead))
    for seat, action in (one, other):
        table.submit(seat, action)
    table.settle()
    table.drops = lambda sender, receiver, data: False
    return table.settle().wait(1500)


@pytest.mark.parametrize("first", [0, 1])
def test_the_dealers_tape_orders_what_is_together(first: int) -> None:
    table = opened(rules_of("kemps", poll_tie="dealer"))
    game = table.play().final.game
    seats = [seat for seat in range(4) if seat % 2 != game.dealer % 2]
    acts = [(seat, Swap(take=(game.pool[0],), give=(game.hands[seat][0],))) for seat in seats]
    together(table, acts[first], acts[1 - first], ahead=game.dealer)
    (ruled,) = ordered(table, Ruled)
    assert ruled.results == (Result.OK, Result.MISSED)
    assert game.pool[0] in table.play().final.game.hands[seats[first]]
    assert ordered(table, Contest) == []
    assert all(table.faults(seat) == [] for seat in range(4))


def test_the_dealer_orders_nothing_of_its_own_team() -> None:
    table = opened(rules_of("kemps", poll_tie="dealer"))
    game = table.play().final.game
    seats = [int(game.dealer + 1) % 4, int(game.dealer + 2) % 4]
    acts = [(seat, Swap(take=(game.pool[0],), give=(game.hands[seat][0],))) for seat in seats]
    together(table, acts[0], acts[1], ahead=game.dealer)
    assert ordered(table, Ruled) == []
    assert len(ordered(table, Contest)) == len(ordered(table, Drawn)) == 1


@pytest.mark.parametrize(("how", "results", "scores"), [
    ("first", {Result.OK, Result.WAITING}, {(-1, 0), (0, -1)}),
    ("both", {Result.OK, Result.WAITING}, {(-1, -1)}),
])  # fmt: skip
def test_two_calls_at_once_both_score_where_the_rules_say_so(
    how: str, results: set[Result], scores: set[tuple[int, int]]
) -> None:
    """Both are wrong and end the deal; the second is scored only where both are."""
    table = opened(rules_of("chaulcer", simultaneous_calls=how, poll_tie="lottery", wrong_call="ends-deal"))
    call = Call(calls=(Partner(),))
    together(table, (0, call), (1, call), ahead=2)
    (drawn,) = ordered(table, Drawn)
    assert set(drawn.results) == results
    after = table.play().final.game
    assert after.phase is Phase.DEAL_OVER
    assert after.scores in scores


@pytest.mark.parametrize("first", [0, 1])
def test_a_counter_goes_before_a_partner_call_that_is_together_with_it(first: int) -> None:
    table = opened(rules_of("kent"))
    acts: list[tuple[int, Action]] = [(0, Call(calls=(Partner(),))), (1, Call(calls=(Counter(target=0),)))]
    together(table, acts[first], acts[1 - first], ahead=2)
    assert len(ordered(table, Drawn)) == 1
    called = [event for event in happened(table) if isinstance(event, Called)]
    assert [event.seat for event in called] == [1]


def test_a_false_ruling_is_refused() -> None:
    table = opened(rules_of("kemps", poll_tie="dealer"))
    game = table.play().final.game
    seats = [seat for seat in range(4) if seat % 2 != game.dealer % 2]
    acts = [(seat, Swap(take=(game.pool[0],), give=(game.hands[seat][0],))) for seat in seats]
    together(table, acts[0], acts[1], ahead=game.dealer)
    index = next(
        entry.index for entry in entries(table) if any(isinstance(event, Ruled) for event in entry.events)
    )
    match, record = refold(table, index)
    (event,) = record.entry.events
    assert isinstance(event, Ruled)
    step(match, forged(match, record), Proofs(is_eager=True))
    drawn_instead = Contest(claims=event.claims, evidence=event.evidence)
    refused(match, forged(match, record, events=(drawn_instead,)), Fault.BAD_ORDER)
    turned = structs.replace(event, order=event.order[::-1])
    refused(match, forged(match, record, events=(turned,)), Fault.BAD_ORDER)
    praised = structs.replace(event, results=event.results[::-1])
    refused(match, forged(match, record, events=(praised,)), Fault.BAD_VERDICT)
    words = tuple(name for name in event.evidence if record.items[name].seat != game.dealer)
    silenced = structs.replace(event, evidence=words)
    refused(match, forged(match, record, events=(silenced,)), Fault.BAD_ORDER)
    lottery = override(match.founding.rules, {"poll_tie": "lottery"})
    other = structs.replace(match, founding=replace(match.founding, rules=lottery))
    refused(other, forged(match, record), Fault.BAD_ORDER)


# Answers


def called(table: Table, caller: int) -> tuple[int, bool]:
    """Call on the partner: who is called, and whether that is right."""
    seat = (caller + 2) % 4
    hand = [held.card for held in table.sessions[seat].view().hand]
    table.submit(caller, Call(calls=(Partner(),))).settle()
    return seat, is_quartet(hand)


def answers(table: Table) -> list[Answered]:
    return [event for event in happened(table) if isinstance(event, Answered)]


def test_a_stated_denial_needs_no_player() -> None:
    table = opened(rules_of("chaulcer"))
    seat, is_right = called(table, 0)
    assert not is_right
    assert answers(table) == [Answered(Seat(seat), Deny())]
    table.wait(300)
    assert table.play().final.game.pending is None


def test_which_two_cards_to_show_is_the_players_choice_for_a_while() -> None:
    table = opened(rules_of("kems", start="last-card"))
    seat, is_right = called(table, 0)
    assert not is_right
    table.wait(CHOICE_MS - 200)
    assert answers(table) == []
    assert table.play().final.game.pending is not None
    table.wait(400)
    (answer,) = answers(table)
    assert isinstance(answer.answer, Deny)
    table.wait(300)
    (shown,) = (event for event in happened(table) if isinstance(event, Shown))
    assert shown == Shown(Seat(seat), answer.answer.show)
    faces = table.play().final.game.faces
    assert len({rank(faces[card]) for card in shown.cards}) == 2
    assert len([card for card in table.play().final.game.hands[seat] if card in faces]) == 2


def test_a_player_may_choose_and_nothing_else_is_said_for_it() -> None:
    table = opened(rules_of("kems", start="last-card"))
    seat, _ = called(table, 0)
    hand = table.sessions[seat].view().hand
    first = hand[-1]
    other = next(held for held in reversed(hand) if rank(held.card) != rank(first.card))
    choice = Deny(show=(first.position, other.position))
    table.submit(seat, choice).settle().wait(2 * CHOICE_MS)
    assert [event.answer for event in answers(table)] == [choice]
    claims = [
        item
        for item in table.play(seat).tapes.by_digest.values()
        if item.seat == seat and (claim := claim_of(item.item)) is not None
        and isinstance(action_of(item, claim), Deny | Admit)
    ]  # fmt: skip
    assert len(claims) == 1


def test_an_answer_under_way_is_not_given_twice() -> None:
    table = opened(rules_of("chaulcer"))
    table.drops = lambda sender, receiver, data: sender == 2 and has_claim(data, table, 2)
    called(table, 0)
    for again in (Admit(), Deny()):
        with pytest.raises(IllegalAction) as illegal:
            table.submit(2, again)
        assert illegal.value.reason is Illegal.TOO_SOON


def test_a_called_seat_that_cannot_see_its_own_hand_yet_gives_no_answer() -> None:
    table = opened(rules_of("chaulcer", exchange="swap", idle_seconds=60))
    duty = int(table.play().final.on_duty)
    called = (duty + 2) % 4
    table.drops = lambda sender, receiver, data: sender == called and has_claim(data, table, called)
    table.submit((duty + 1) % 4, Call(calls=(Counter(target=called),))).settle()
    tip = table.play(duty).tip
    answering, faces = Answering(Seat(called)), {position: Card(0) for position in tip.game.hands[called]}
    assert answering.is_asked(tip)
    assert answering.due(tip, {}, 10_000) is None
    assert answering.due(tip, dict(list(faces.items())[1:]), 10_000) is None
    assert answering.due(tip, faces, 10_000) is not None
