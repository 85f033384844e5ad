"""Lies about keys, turns, shares and seeds, and about whose fault something is."""

from audit_forger import Forger, replace
from audit_lies import ELSEWHERE, Expected, as_note, deed, lie, note, settled

from kemps_p2p.codec import Record
from kemps_p2p.deck.deal import make_shares
from kemps_p2p.errors import Fault
from kemps_p2p.ids import Position, Seat
from kemps_p2p.ledger.entry import Blamed, Carried
from kemps_p2p.session.dealing import deal_seed
from kemps_p2p.session.match import owed_public
from kemps_p2p.session.messages import Closed, KeyDeed, SeedDeed, ShareDeed, TurnDeed


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
