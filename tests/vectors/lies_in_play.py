"""Lies about what happened: claims and their order, the deck, deals and their end."""

from collections.abc import Callable
from typing import Any

from kemps_p2p.deck.deal import Seed, make_shares
from kemps_p2p.errors import Fault
from kemps_p2p.game import actions as act
from kemps_p2p.ids import Position, Seat
from kemps_p2p.ledger.entry import Carried, Contest, Drawn, Result
from kemps_p2p.ledger.tape import (
    Claim,
    CoinReveal,
    Head,
    Receipt,
)
from kemps_p2p.session.dealing import deal_seed
from kemps_p2p.session.messages import (
    Checkpoint,
    Closed,
    KeyDeed,
    PlayStarted,
    SeedDeed,
    ShareDeed,
    TurnDeed,
)
from vectors.form import ELSEWHERE, changed
from vectors.lie_stages import (
    by_duty,
    called,
    given,
    keyed,
    playing,
    seated,
    shuffled,
    spoilt,
    told_at,
    wink,
)
from vectors.log_scribe import Scribe, secret
from vectors.make_logs import Finding, doubled, race, split, swap

# Claims, results and order


@told_at(seated)
def lawful_claim_as_missed(s: Scribe) -> Finding:
    claim, words = wink(s)
    s.put(s.settled(claim, words, Result.MISSED))
    return by_duty(s, Fault.BAD_VERDICT)


@told_at(seated)
def deal_that_starts_before_the_shuffle(s: Scribe) -> Finding:
    claim = s.claim(s.on_duty, act.Next())
    s.put(s.settled(claim, s.see(claim, *s.witnesses(s.on_duty))))
    return by_duty(s, Fault.BAD_VERDICT)


@told_at(seated)
def claim_with_a_receipt_too_few(s: Scribe) -> Finding:
    claim, words = wink(s)
    s.put(s.settled(claim, words[:1]))
    return by_duty(s, Fault.BAD_ORDER)


@told_at(seated)
def claimant_as_its_own_witness(s: Scribe) -> Finding:
    claim, words = wink(s)
    own = s.say(0, Receipt(claim=claim.digest, rivals=()))
    s.put(s.settled(claim, [words[0], own]))
    return by_duty(s, Fault.BAD_ORDER)


@told_at(seated)
def receipt_in_the_place_of_a_claim(s: Scribe) -> Finding:
    claim, words = wink(s)
    s.put(s.settled(words[0], [words[1], claim]))
    return by_duty(s, Fault.BAD_EVIDENCE)


@told_at(seated)
def claim_logged_twice(s: Scribe) -> Finding:
    claim, words = wink(s)
    s.order(s.settled(claim, words))
    s.put(s.settled(claim, words))
    return by_duty(s, Fault.BAD_ORDER)


@told_at(seated)
def contest_of_one_claim(s: Scribe) -> Finding:
    claim, words = wink(s)
    s.put(Contest(claims=(claim.digest,), evidence=tuple(item.digest for item in words)))
    return by_duty(s, Fault.BAD_ORDER)


@told_at(seated)
def receipt_stamped_like_its_claim(s: Scribe) -> Finding:
    s.pens[0].lamport = 40
    claim = s.claim(0, act.Gesture(name="wink"))
    s.pens[1].lamport = 40
    words = s.see(claim, 1, 2)
    s.put(s.settled(claim, words))
    return s.index, Fault.BAD_STAMP, 1


@told_at(seated)
def rival_that_a_witness_names_left_out(s: Scribe) -> Finding:
    claim, words = wink(s)
    named = s.say(3, Receipt(claim=claim.digest, rivals=(ELSEWHERE,)))
    s.put(s.settled(claim, [words[0], named]))
    return by_duty(s, Fault.BAD_EVIDENCE)


@told_at(seated)
def claim_against_another_chain(s: Scribe) -> Finding:
    claim = s.claim(0, act.Gesture(name="wink"), head=Head(index=0, digest=ELSEWHERE))
    s.put(s.settled(claim, s.see(claim, 1, 2)))
    return s.index, Fault.BAD_CLAIM, 0


@told_at(seated)
def claim_against_an_entry_to_come(s: Scribe) -> Finding:
    claim = s.claim(0, act.Gesture(name="wink"), head=Head(index=9, digest=ELSEWHERE))
    s.put(s.settled(claim, s.see(claim, 1, 2)))
    return s.index, Fault.BAD_CLAIM, 0


@told_at(seated)
def claim_of_no_action(s: Scribe) -> Finding:
    claim = s.say(0, Claim(head=s.match.head, action=b"\x91\x63", rivals=()))
    s.put(s.settled(claim, s.see(claim, 1, 2)))
    return s.index, Fault.BAD_CLAIM, 0


@told_at(playing)
def swap_of_two_for_one_as_ok(s: Scribe) -> Finding:
    game = s.match.game
    claim = s.claim(1, act.Swap(take=game.pool[:2], give=game.hands[1][:1]))
    s.put(s.settled(claim, s.see(claim, 2, 3)))
    return by_duty(s, Fault.BAD_VERDICT)


@told_at(playing)
def swap_of_another_hand_as_ok(s: Scribe) -> Finding:
    game = s.match.game
    claim = s.claim(1, act.Swap(take=game.pool[:1], give=game.hands[2][:1]))
    s.put(s.settled(claim, s.see(claim, 2, 3)))
    return by_duty(s, Fault.BAD_VERDICT)


@told_at(playing)
def second_of_a_race_first(s: Scribe) -> Finding:
    first, second, words = race(s)
    s.put(s.settled(second, [first, *words]))
    return by_duty(s, Fault.BAD_ORDER)


@told_at(playing)
def race_that_was_won_as_together(s: Scribe) -> Finding:
    first, second, words = race(s)
    claims = tuple(sorted((first.digest, second.digest)))
    s.put(Contest(claims=claims, evidence=tuple(item.digest for item in words)))
    return by_duty(s, Fault.BAD_ORDER)


@told_at(playing)
def claims_that_are_together_as_a_race(s: Scribe) -> Finding:
    first, second, words = split(s)
    s.put(s.settled(first, [second, *words]))
    return by_duty(s, Fault.BAD_ORDER)


@told_at(playing)
def missed_claim_as_ok(s: Scribe) -> Finding:
    first, second, words = race(s)
    s.order(s.settled(first, [second, *words]))
    s.put(s.settled(second, [first, *words[2:]]))
    return by_duty(s, Fault.BAD_VERDICT)


@told_at(playing)
def claim_that_overtakes_a_contest(s: Scribe) -> Finding:
    head = s.match.head
    contested(s)
    late = swap(s, 3, 2, 0, head)
    s.put(s.settled(late, s.see(late, 2, 0)))
    return by_duty(s, Fault.BAD_ORDER)


def contested(s: Scribe) -> None:
    """An honest entry that names a contest of seats 0 and 1."""
    first, second, words = split(s)
    claims = tuple(sorted((first.digest, second.digest)))
    s.order(Contest(claims=claims, evidence=tuple(item.digest for item in words)))


def lying_draw(s: Scribe, **lies: Callable[[Any], object]) -> None:
    """A contest, and a draw with a lie made from each of some true fields."""
    contested(s)
    drawn = s.drawn()
    s.put(changed(drawn, **{field: lie(getattr(drawn, field)) for field, lie in lies.items()}))


@told_at(playing)
def draw_in_another_order(s: Scribe) -> Finding:
    lying_draw(s, order=lambda order: order[::-1])
    return by_duty(s, Fault.BAD_ORDER)


@told_at(playing)
def draw_with_other_results(s: Scribe) -> Finding:
    lying_draw(s, results=lambda _: (Result.OK, Result.OK))
    return by_duty(s, Fault.BAD_VERDICT)


@told_at(seated)
def draw_without_a_contest(s: Scribe) -> Finding:
    s.put(Drawn(index=1, coins=(), order=(), results=()))
    return by_duty(s, Fault.BAD_ORDER)


@told_at(playing)
def draw_that_lacks_a_coin(s: Scribe) -> Finding:
    lying_draw(s, coins=lambda coins: coins[:1])
    return by_duty(s, Fault.BAD_EVIDENCE)


@told_at(playing)
def coin_that_does_not_fit(s: Scribe) -> Finding:
    bad = CoinReveal(index=s.index, coin=ELSEWHERE)
    lying_draw(s, coins=lambda coins: (coins[0], s.say(1, bad).digest))
    return s.index, Fault.BAD_COIN, 1


# The deck


@told_at(seated)
def key_that_is_not_proven(s: Scribe) -> Finding:
    own, other = (s.owed(Seat(seat), prepares=True) for seat in (0, 1))
    assert isinstance(own, KeyDeed)
    assert isinstance(other, KeyDeed)
    lie = KeyDeed(deal=0, attempt=0, key=changed(own.key, key=other.key.key))
    s.put(Carried(item=s.deed(0, lie).digest))
    return s.index, Fault.BAD_KEY_PROOF, 0


@told_at(seated)
def key_that_is_no_point(s: Scribe) -> Finding:
    own = s.owed(Seat(0), prepares=True)
    assert isinstance(own, KeyDeed)
    lie = changed(own, key=changed(own.key, key=b"\xff" * 32))
    s.put(Carried(item=s.deed(0, lie).digest))
    return s.index, Fault.BAD_POINT, 0


@told_at(seated)
def key_proof_out_of_range(s: Scribe) -> Finding:
    own = s.owed(Seat(0), prepares=True)
    assert isinstance(own, KeyDeed)
    lie = changed(own, key=changed(own.key, proof=changed(own.key.proof, response=b"\xff" * 32)))
    s.put(Carried(item=s.deed(0, lie).digest))
    return s.index, Fault.BAD_SCALAR, 0


@told_at(keyed)
def turn_by_another_item(s: Scribe) -> Finding:
    owed = s.owed(Seat(0), prepares=True)
    assert isinstance(owed, TurnDeed)
    lie = changed(owed, on=ELSEWHERE)
    # The seat before may have shown it another turn: who logs this one is to blame.
    s.put(Carried(item=s.deed(0, lie).digest))
    return by_duty(s, Fault.NOT_OWED)


@told_at(seated)
def deed_carried_twice(s: Scribe) -> Finding:
    item = given(s, 0)
    s.put(Carried(item=item.digest), Carried(item=item.digest))
    return by_duty(s, Fault.NOT_OWED)


@told_at(seated)
def item_without_a_deed_as_carried(s: Scribe) -> Finding:
    claim, _ = wink(s)
    s.put(Carried(item=claim.digest))
    return by_duty(s, Fault.BAD_EVIDENCE)


@told_at(keyed)
def turn_with_a_card_twice(s: Scribe) -> Finding:
    s.put(Carried(item=s.deed(0, doubled(s)).digest))
    return s.index, Fault.BAD_SHUFFLE_PROOF, 0


@told_at(keyed)
def turn_on_another_list(s: Scribe) -> Finding:
    owed = s.owed(Seat(0), prepares=True)
    assert isinstance(owed, TurnDeed)
    lie = changed(owed, turn=changed(owed.turn, input=ELSEWHERE))
    s.put(Carried(item=s.deed(0, lie).digest))
    return s.index, Fault.BAD_TURN, 0


@told_at(keyed)
def turn_that_is_skipped(s: Scribe) -> Finding:
    ahead = s.copy()
    ahead.fulfil(prepares=True)
    second = ahead.owed(Seat(1), prepares=True)
    assert second is not None
    s.put(Carried(item=s.deed(1, second).digest))
    return by_duty(s, Fault.NOT_OWED)


@told_at(playing)
def share_of_another_position(s: Scribe) -> Finding:
    down = played_card(s)
    seed = deal_seed(secret(1), 0)
    shares = make_shares(s.match.decks[0, 0], Seat(1), seed, (s.match.game.stock[0],))
    lie = ShareDeed(deal=0, attempt=0, round=0, shares=changed(shares, positions=(down,)))
    s.put(Carried(item=s.deed(1, lie).digest))
    return s.index, Fault.BAD_SHARE_PROOF, 1


@told_at(playing)
def share_under_another_key(s: Scribe) -> Finding:
    down = played_card(s)
    shares = make_shares(s.match.decks[0, 0], Seat(1), deal_seed(secret(0), 0), (down,))
    s.put(Carried(item=s.deed(1, ShareDeed(deal=0, attempt=0, round=0, shares=shares)).digest))
    return s.index, Fault.BAD_SHARE_PROOF, 1


@told_at(playing)
def share_of_a_hidden_card(s: Scribe) -> Finding:
    position = s.match.game.stock[0]
    shares = make_shares(s.match.decks[0, 0], Seat(0), deal_seed(secret(0), 0), (position,))
    s.put(Carried(item=s.deed(0, ShareDeed(deal=0, attempt=0, round=0, shares=shares)).digest))
    return by_duty(s, Fault.NOT_OWED)


def played_card(s: Scribe) -> Position:
    """An honest swap of seat 1; the card that it put down, of which it now owes its own share."""
    down = s.match.game.hands[1][0]
    claim = swap(s, 1, 0, 0)
    s.order(s.settled(claim, s.see(claim, 2, 3)))
    return down


@told_at(called)
def another_seed(s: Scribe) -> Finding:
    lie = SeedDeed(deal=0, attempt=0, seed=Seed(seed=b"\x05" * 32))
    s.put(Carried(item=s.deed(0, lie).digest))
    return s.index, Fault.BAD_SEED, 0


# Deals and the end


@told_at(shuffled)
def deal_without_a_checkpoint(s: Scribe) -> Finding:
    claim = s.claim(s.on_duty, act.Next())
    s.put(s.settled(claim, s.see(claim, *s.witnesses(s.on_duty))))
    return by_duty(s, Fault.BAD_CHECKPOINT)


@told_at(shuffled)
def checkpoint_with_other_scores(s: Scribe) -> Finding:
    claim = s.claim(s.on_duty, act.Next())
    settled = s.settled(claim, s.see(claim, *s.witnesses(s.on_duty)))
    s.put(settled, s.note(Checkpoint(deal=0, dealer=s.match.game.dealer, scores=(1, 0))))
    return by_duty(s, Fault.BAD_CHECKPOINT)


@told_at(shuffled)
def checkpoint_with_another_dealer(s: Scribe) -> Finding:
    return lying_checkpoint(s, dealer=(s.match.game.dealer + 1) % 4)


@told_at(shuffled)
def checkpoint_of_another_deal(s: Scribe) -> Finding:
    return lying_checkpoint(s, deal=1)


def lying_checkpoint(s: Scribe, **lies: object) -> Finding:
    """The first deal starts, with a checkpoint that lies about it."""
    claim = s.claim(s.on_duty, act.Next())
    settled = s.settled(claim, s.see(claim, *s.witnesses(s.on_duty)))
    true = Checkpoint(deal=0, dealer=s.match.game.dealer, scores=(0, 0))
    s.put(settled, s.note(changed(true, **lies)))
    return by_duty(s, Fault.BAD_CHECKPOINT)


@told_at(seated)
def checkpoint_without_a_deal(s: Scribe) -> Finding:
    s.put(s.note(Checkpoint(deal=0, dealer=s.match.game.dealer, scores=(0, 0))))
    return by_duty(s, Fault.BAD_CHECKPOINT)


@told_at(shuffled)
def play_before_the_look_is_over(s: Scribe) -> Finding:
    s.start()
    s.fulfil()
    s.put(s.note(PlayStarted()), elapsed_ms=s.match.elapsed_ms + s.match.founding.rules.look_ms - 1)
    return by_duty(s, Fault.BAD_TIME)


@told_at(seated)
def play_before_a_deal(s: Scribe) -> Finding:
    s.put(s.note(PlayStarted()))
    return by_duty(s, Fault.BAD_ENTRY)


@told_at(seated)
def close_of_a_match_that_is_on(s: Scribe) -> Finding:
    s.put(s.note(Closed()))
    return by_duty(s, Fault.BAD_ENTRY)


@told_at(called)
def close_without_the_seeds(s: Scribe) -> Finding:
    s.put(s.note(Closed()))
    return by_duty(s, Fault.BAD_ENTRY)


@told_at(spoilt)
def entry_after_the_close(s: Scribe) -> Finding:
    s.put(s.note(PlayStarted()))
    return by_duty(s, Fault.BAD_ENTRY)
