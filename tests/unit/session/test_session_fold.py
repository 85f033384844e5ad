"""What an entry may not do: each check of the fold where no other would find the same."""

from dataclasses import replace

import pytest
from msgspec import structs
from session_helpers import Table, formed, identity, opened, setup
from session_scribe import Scribe, note

from kemps_p2p.codec import Digest, encode
from kemps_p2p.deck.deal import Seed, Shares
from kemps_p2p.errors import Fault, Illegal, PeerFault
from kemps_p2p.game.actions import Gesture, Kind, Next, Swap
from kemps_p2p.game.record import Phase
from kemps_p2p.game.record import replace as game_replace
from kemps_p2p.game.rules import override
from kemps_p2p.ids import Position, Seat
from kemps_p2p.ledger.coins import coin_chain
from kemps_p2p.ledger.entry import Blamed, Contest, CutOff, Drawn, Event, Result, Ruled, Settled, TapeEnd
from kemps_p2p.ledger.tape import NO_DIGEST, Claim, CoinReveal, Deed, Head, Signer, Statement, TapeItem
from kemps_p2p.session.claims import draw
from kemps_p2p.session.deeds import is_owed, offered
from kemps_p2p.session.duties import OweKey, OweSeed, OweShares, OweTurn, duties
from kemps_p2p.session.fold import Fold, Proofs
from kemps_p2p.session.match import Logged, Match, is_ready, refusal
from kemps_p2p.session.messages import Closed, DeedBody, KeyDeed, SeedDeed, ShareDeed, TurnDeed
from kemps_p2p.session.replay import checkpoint_of, winners

WINK = Gesture("wink")
ELSEWHERE = Digest(b"\x07" * 32)


@pytest.fixture(scope="module")
def seated() -> Table:
    """Before the first deal, its deck shuffled."""
    return formed()


@pytest.fixture(scope="module")
def playing() -> Table:
    """In the first deal, nothing claimed yet."""
    return opened()


@pytest.fixture
def before(seated: Table) -> Scribe:
    return Scribe.at(seated)


@pytest.fixture
def scribe(playing: Table) -> Scribe:
    return Scribe.at(playing)


def in_phase(match: Match, phase: Phase) -> dict[str, object]:
    return {"game": game_replace(match.game, phase=phase)}


# The close, and the start of a deal


def test_nothing_is_ordered_or_owed_after_the_close(scribe: Scribe) -> None:
    closed = scribe.copy(is_closed=True)
    closed.refuses(Fault.BAD_ENTRY, closed.settled(0, WINK))
    over = scribe.copy(**in_phase(scribe.match, Phase.MATCH_OVER))
    assert all(duties(over.match, Seat(seat)) for seat in range(4))
    assert not any(duties(over.copy(is_closed=True).match, Seat(seat)) for seat in range(4))


def test_the_close_is_the_last_event_of_its_entry(scribe: Scribe) -> None:
    seeds = {0: {Seat(seat): None for seat in range(4)}}
    over = scribe.copy(seeds=seeds, **in_phase(scribe.match, Phase.MATCH_OVER))
    over.refuses(Fault.BAD_ENTRY, note(Closed()), note(Closed()))
    after = over.order(note(Closed()))
    assert (after.is_closed, after.closing) == (True, after.head)


def test_a_checkpoint_follows_the_start_of_a_deal_at_once_and_ends_the_entry(before: Scribe) -> None:
    dealer = before.match.game.dealer
    start, wink = before.settled(dealer, Next()), before.settled(1, WINK)
    after = before.copy().order(start, note(checkpoint_of(dealt(before, start))))
    checkpoint = note(checkpoint_of(after))
    before.refuses(Fault.BAD_CHECKPOINT, start, wink, checkpoint)
    before.refuses(Fault.BAD_CHECKPOINT, start, checkpoint, wink)
    before.refuses(Fault.BAD_CHECKPOINT, start)
    before.refuses(Fault.BAD_CHECKPOINT, checkpoint)
    assert before.order(wink, start, checkpoint).game.deal == 0


def dealt(scribe: Scribe, start: Settled) -> Match:
    """The match as it is once the deal has started."""
    game = game_replace(scribe.match.game, deal=0)
    assert start.claim in scribe.items
    return structs.replace(scribe.match, game=game)


def test_the_next_deal_is_not_prepared_before_this_one_is_in_play(before: Scribe) -> None:
    dealer = before.match.game.dealer
    start = before.settled(dealer, Next())
    match = before.order(start, note(checkpoint_of(dealt(before, start))))
    assert not match.game.started
    assert OweKey(1) not in duties(match, Seat(0))
    started = structs.replace(match, game=game_replace(match.game, started=True))
    assert OweKey(1) in duties(started, Seat(0))


def test_a_match_that_is_over_has_no_coming_deal(before: Scribe) -> None:
    assert is_ready(before.match)
    assert not is_ready(before.copy(**in_phase(before.match, Phase.MATCH_OVER)).match)


def test_nobody_has_won_a_match_that_is_on(scribe: Scribe) -> None:
    assert winners(scribe.match) == ()


# Claims at the head that they cite


def cited(scribe: Scribe, claim: TapeItem) -> Illegal | None:
    (said,) = claim.item.body
    assert isinstance(said, Claim)
    return refusal(scribe.match, claim, said)


def swap(match: Match, seat: int) -> Swap:
    return Swap(take=match.game.pool[:1], give=match.game.hands[seat][:1])


def test_why_a_claim_is_refused_at_its_head(scribe: Scribe) -> None:
    match = scribe.match
    lawful = swap(match, 1)
    assert cited(scribe, scribe.claim(1, lawful)) is None
    assert cited(scribe, scribe.claim(2, lawful)) is Illegal.NOT_IN_HAND
    # A card that is gone is missed when the claim is applied, which is no offence.
    gone = Swap(take=match.game.hands[0][:1], give=lawful.give)
    assert cited(scribe, scribe.claim(1, gone)) is None
    later = {(Seat(1), Kind.EXCHANGE): Logged(number=0, index=match.head.index + 1)}
    assert cited(scribe.copy(logged=later), scribe.claim(1, lawful)) is Illegal.TOO_SOON
    assert cited(scribe.copy(past=match.past[-1:]), old_claim(scribe, 1)) is Illegal.STALE
    assert cited(scribe, old_claim(scribe, 1)) is Illegal.STALE


def old_claim(scribe: Scribe, index: int) -> TapeItem:
    """A claim against a head of the time before the first deal."""
    past = scribe.match.past[index]
    assert past.game.deal < scribe.match.game.deal
    return scribe.say(1, Claim(head=past.head, action=encode(WINK), rivals=()))


def test_what_a_claim_cites_is_older_than_the_claim(scribe: Scribe) -> None:
    scribe.pens[1].lamport = 0
    pen = scribe.pens[1]
    claim = Claim(head=scribe.match.head, action=encode(WINK), rivals=())
    item = pen.write((claim,))
    with pytest.raises(PeerFault) as fault:
        refusal(scribe.match, item, claim)
    assert (fault.value.code, fault.value.culprit) == (Fault.BAD_STAMP, 1)
    future = Claim(head=Head(index=10**6, digest=ELSEWHERE), action=encode(WINK), rivals=())
    with pytest.raises(PeerFault) as fault:
        refusal(scribe.match, scribe.say(1, future), future)
    assert (fault.value.code, fault.value.culprit) == (Fault.BAD_CLAIM, 1)


# Contests


def contested(scribe: Scribe) -> tuple[Contest, tuple[TapeItem, TapeItem]]:
    """Two seats want one card, and each has one of the two witnesses."""
    claims = tuple(scribe.claim(seat, swap(scribe.match, seat)) for seat in (0, 1))
    words = (*scribe.words(claims, (2,)), *scribe.words(claims[::-1], (3,)))
    names = tuple(sorted(item.digest for item in claims))
    return Contest(claims=names, evidence=words), (claims[0], claims[1])


def test_a_claim_of_a_contest_waits_for_the_draw(scribe: Scribe) -> None:
    named, claims = contested(scribe)
    scribe.order(named)
    for claim in claims:
        alone = Settled(claim=claim.digest, result=Result.OK, evidence=named.evidence)
        scribe.refuses(Fault.BAD_ORDER, alone)
    scribe.refuses(Fault.BAD_ORDER, named)


def test_a_contest_of_an_earlier_deal_holds_nothing_up(scribe: Scribe) -> None:
    named, _ = contested(scribe)
    match = scribe.order(named)
    rival = swap(match, 2)
    scribe.refuses(Fault.BAD_ORDER, scribe.settled(2, rival))
    game = game_replace(match.game, deal=match.game.deal + 1)
    later = scribe.copy(game=game, past=(replace(match.past[-1], game=game),))
    assert later.order(later.settled(2, rival)).contests == match.contests


def test_the_dealer_rules_on_claims_that_are_together_only(scribe: Scribe) -> None:
    rules = override(scribe.match.founding.rules, {"poll_tie": "dealer"})
    hand = scribe.copy(founding=replace(scribe.match.founding, rules=rules))
    dealer = hand.match.game.dealer
    seats = ((dealer + 1) % 4, (dealer + 3) % 4)
    claims = tuple(hand.claim(seat, swap(hand.match, seat)) for seat in seats)
    words = (*hand.words(claims, (dealer,)), *hand.words(claims[::-1], ((dealer + 2) % 4,)))
    names = tuple(sorted(item.digest for item in claims))
    order = tuple(item.digest for item in claims)
    wink = hand.claim(seats[0], WINK)
    seen = hand.words((wink,), (dealer, (dealer + 2) % 4))
    alone = Ruled(claims=(wink.digest,), evidence=seen, order=(wink.digest,), results=(Result.OK,))
    hand.refuses(Fault.BAD_ORDER, alone)
    both = Ruled(claims=names, evidence=words, order=order, results=(Result.OK, Result.MISSED))
    assert hand.order(both).contests == ()


def coins_of(scribe: Scribe, index: int) -> tuple[TapeItem, ...]:
    return tuple(
        scribe.say(seat, CoinReveal(index=index, coin=coin_chain(setup(seat).secret)[1])) for seat in (0, 1)
    )


def test_a_draw_takes_the_coin_of_each_claimant_for_this_contest(scribe: Scribe) -> None:
    named, _ = contested(scribe)
    match = scribe.order(named)
    coins = coins_of(scribe, match.head.index)
    fold = Fold(match, match.on_duty, scribe.items, Proofs(is_eager=True))
    order, results = draw(fold, match.contests[0], coins)

    def drawn(*items: TapeItem) -> Drawn:
        names = tuple(item.digest for item in items)
        return Drawn(index=match.head.index, coins=names, order=order, results=results)

    for_another = scribe.say(0, CoinReveal(index=match.head.index + 1, coin=b"\x01" * 32))
    scribe.refuses(Fault.BAD_EVIDENCE, drawn(for_another, coins[1]))
    scribe.refuses(Fault.BAD_EVIDENCE, drawn(scribe.claim(0, WINK), coins[1]))
    scribe.refuses(Fault.BAD_EVIDENCE, drawn(*coins[::-1]))
    scribe.refuses(Fault.BAD_EVIDENCE, drawn(coins[1], coins[1]))
    scribe.refuses(Fault.BAD_EVIDENCE, drawn(coins[0]))
    false = scribe.say(1, CoinReveal(index=match.head.index, coin=b"\x01" * 32))
    scribe.refuses(Fault.BAD_COIN, drawn(coins[0], false), culprit=1)
    assert scribe.order(drawn(*coins)).contests == ()


def cut(scribe: Scribe, *claims: TapeItem, **lies: object) -> CutOff:
    """The tapes are closed where they end."""
    ends = tuple(TapeEnd(length=pen.number, last=pen.prev) for pen in scribe.pens)
    found = CutOff(claims=tuple(sorted(claim.digest for claim in claims)), tapes=ends)
    return structs.replace(found, **lies)


def closed_before(scribe: Scribe, event: CutOff, seat: int, number: int) -> CutOff:
    """The same cut with one tape closed before an item."""
    ends = list(event.tapes)
    ends[seat] = TapeEnd(length=number, last=NO_DIGEST)
    return structs.replace(event, tapes=tuple(ends))


def test_what_a_cut_may_close(scribe: Scribe) -> None:
    first, second = (scribe.claim(seat, swap(scribe.match, seat)) for seat in (0, 1))
    apart = scribe.claim(2, Swap(take=scribe.match.game.pool[1:2], give=scribe.match.game.hands[2][:1]))
    unlawful = scribe.claim(3, swap(scribe.match, 0))
    both = cut(scribe, first, second)
    scribe.refuses(Fault.BAD_ORDER, cut(scribe, first))
    scribe.refuses(Fault.BAD_ORDER, cut(scribe, first, second, apart))
    scribe.refuses(Fault.BAD_ORDER, cut(scribe, first, second, unlawful))
    scribe.refuses(Fault.BAD_ORDER, structs.replace(both, claims=both.claims[::-1]))
    scribe.refuses(Fault.BAD_ORDER, structs.replace(both, tapes=both.tapes[:3]))
    scribe.refuses(Fault.BAD_ORDER, structs.replace(both, tapes=(*both.tapes, both.tapes[0])))
    scribe.refuses(Fault.BAD_ORDER, closed_before(scribe, both, 1, second.item.number))
    scribe.refuses(Fault.BAD_ORDER, closed_before(scribe, both, 3, -1))
    match = scribe.order(both)
    assert match.cut is not None
    assert match.cut.claims.keys() == {first.digest, second.digest}
    # A second one goes further, and further only.
    scribe.refuses(Fault.BAD_ORDER, both)
    scribe.refuses(Fault.BAD_ORDER, closed_before(scribe, cut(scribe, first, second), 3, 0))
    assert scribe.order(cut(scribe, first, second)).cut != match.cut


def test_a_cut_leaves_alone_what_waits_for_a_draw(scribe: Scribe) -> None:
    named, _ = contested(scribe)
    scribe.order(named)
    late = tuple(scribe.claim(seat, swap(scribe.match, seat)) for seat in (2, 3))
    scribe.refuses(Fault.BAD_ORDER, cut(scribe, *late))


# Blame


def fork(scribe: Scribe, seat: int) -> tuple[Digest, Digest]:
    """Two items of a seat at one place of its tape."""
    pen = scribe.pens[seat]
    number, prev = pen.number, pen.prev
    one = scribe.claim(seat, WINK)
    pen.number, pen.prev = number, prev
    return one.digest, scribe.claim(seat, Gesture("nod")).digest


def test_evidence_is_used_once(scribe: Scribe) -> None:
    items = fork(scribe, 1)
    blame = Blamed(culprit=1, items=items)
    scribe.refuses(Fault.BAD_BLAME, blame, blame)
    scribe.refuses(Fault.BAD_BLAME, blame, structs.replace(blame, items=items[::-1]))
    assert scribe.order(blame).game.phase is Phase.DEAL_OVER
    scribe.refuses(Fault.BAD_BLAME, blame)


def test_evidence_is_against_who_signed_it(before: Scribe) -> None:
    items = fork(before, 1)
    before.refuses(Fault.BAD_BLAME, Blamed(culprit=2, items=items))
    assert before.order(Blamed(culprit=1, items=items)).spoilt == {0: 1}


def test_a_deal_that_is_lost_or_over_is_not_lost_again(before: Scribe) -> None:
    first, second = (Blamed(culprit=seat, items=fork(before, seat)) for seat in (1, 2))
    before.refuses(Fault.BAD_BLAME, first, second)
    over = before.copy(**in_phase(before.match, Phase.MATCH_OVER))
    over.refuses(Fault.BAD_BLAME, first)


def at_turn(scribe: Scribe, seat: int) -> Scribe:
    """The same table when it was a seat's turn to shuffle, on a list that `ELSEWHERE` left."""
    deck = scribe.match.decks[0, 0]
    decks = {**scribe.match.decks, (0, 0): replace(deck, turns=deck.turns[:seat])}
    return scribe.copy(decks=decks, turned={(0, 0): ELSEWHERE})


def test_a_false_turn_is_blamed_where_it_is_owed(before: Scribe) -> None:
    turns = before.match.decks[0, 0].turns

    def false_turn(hand: Scribe, seat: int, on: Digest = ELSEWHERE) -> Blamed:
        """Blame for a turn of the coming deal whose proof does not hold."""
        proof = structs.replace(turns[seat].proof, s1=b"\x01" + bytes(31))
        turn = structs.replace(turns[seat], proof=proof)
        deed = TurnDeed(deal=0, attempt=0, round=0, on=on, turn=turn)
        return Blamed(culprit=seat, items=(hand.say(seat, Deed(payload=encode(deed))).digest,))

    hand, later = at_turn(before, 1), at_turn(before, 3)
    # Who went by another item may have been shown another list; who is not asked says nothing.
    hand.refuses(Fault.BAD_BLAME, false_turn(hand, 1, on=Digest(b"\x08" * 32)))
    hand.refuses(Fault.BAD_BLAME, false_turn(hand, 2))
    later.refuses(Fault.BAD_BLAME, false_turn(later, 1))
    assert OweTurn(0, 0) in duties(hand.match, Seat(1))
    lost = hand.order(false_turn(hand, 1))
    assert lost.spoilt == {0: 1}
    assert not any(duties(lost, Seat(seat)) for seat in range(4))


def test_a_deed_of_an_attempt_that_nobody_makes_is_not_owed(before: Scribe) -> None:
    deck = before.match.decks[0, 0]
    key, turn = deck.keys[1], deck.turns[1]
    assert key is not None
    shares = Shares(positions=(3,), parts=(), proof=key.proof)
    owed = (OweKey(0), OweTurn(0, 0), OweShares(0, 0, (Position(3),)), OweSeed(0))
    deeds: tuple[DeedBody, ...] = (
        KeyDeed(deal=0, attempt=0, key=key),
        TurnDeed(deal=0, attempt=0, round=0, on=ELSEWHERE, turn=turn),
        ShareDeed(deal=0, attempt=0, round=0, shares=shares),
        SeedDeed(deal=0, attempt=0, seed=Seed(seed=bytes(32))),
    )
    for deed in deeds:
        assert is_owed(owed, deed)
        for attempt in (-1, 1):
            assert not is_owed(owed, structs.replace(deed, attempt=attempt))
        assert not is_owed(owed, structs.replace(deed, deal=1))


def test_a_deed_that_cannot_be_read_is_its_authors(scribe: Scribe) -> None:
    body: tuple[Statement, ...] = (Deed(payload=b"\x91\x2a"),)
    with pytest.raises(PeerFault) as fault:
        offered(scribe.say(2, *body))
    assert (fault.value.code, fault.value.culprit) == (Fault.MALFORMED, 2)


def test_the_hand_can_tell_the_truth(scribe: Scribe) -> None:
    """What the refusals above are measured against."""
    events: tuple[Event, ...] = (scribe.settled(0, WINK), scribe.settled(1, swap(scribe.match, 1)))
    assert scribe.order(*events).logged.keys() >= {(Seat(0), Kind.FREE), (Seat(1), Kind.EXCHANGE)}


def test_no_entry_rests_on_an_item_behind_the_end_of_its_incarnation(scribe: Scribe) -> None:
    """It may have been opened before that incarnation had ended, so it is nobody's fault."""
    event = scribe.settled(1, WINK)
    number = scribe.items[event.claim].item.number
    for first, is_behind in ((number + 1, False), (number, True)):
        signers = list(scribe.match.signers)
        signers[1] = (*signers[1], Signer(first, identity(1).public))
        hand = scribe.copy(signers=tuple(signers), seated={Seat(1): 0})
        if not is_behind:
            hand.order(event)
            continue
        with pytest.raises(PeerFault) as fault:
            hand.order(event)
        assert (fault.value.code, fault.value.culprit) == (Fault.OTHER_INCARNATION, None)
