"""The fold of deeds: keys, turns, shares and seeds take effect; what they reveal goes to the rules.

A deed that is not owed at its place is the sequencer's fault, a proof that does not hold is its author's.
Section "Deeds" of protocol.md.
"""

from collections.abc import Callable, Iterable
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from kemps_p2p.deck.deal import (
    Deck,
    add_key,
    add_shares,
    add_turn,
    check_key,
    check_seed,
    check_shares,
    check_turn,
    face,
    is_shuffled,
    next_round,
)
from kemps_p2p.errors import Fault, PeerFault
from kemps_p2p.game.actions import Action
from kemps_p2p.game.cards import Card
from kemps_p2p.game.state import (
    lose_deal,
    next_position,
    owed_recycle,
    recycled,
    turn_up,
)
from kemps_p2p.ids import Position, Seat
from kemps_p2p.ledger.entry import Blamed, Entry, entry_of
from kemps_p2p.ledger.evidence import contradiction
from kemps_p2p.ledger.tape import NO_DIGEST, Deed, TapeItem, claim_of
from kemps_p2p.session.books import may_seal, with_book, with_opened, with_opening
from kemps_p2p.session.duties import Duty, OweBook, OweKey, OweSeed, OweShares, OweTurn, is_dealt, owed
from kemps_p2p.session.fold import Fold, ProofId
from kemps_p2p.session.match import (
    Match,
    action_of,
    attempt_of,
    deck_of,
    fresh_deck,
    is_over,
    owed_public,
    rounds,
)
from kemps_p2p.session.messages import (
    BookDeed,
    BookOpenedDeed,
    DeedBody,
    KeyDeed,
    SeedDeed,
    ShareDeed,
    TurnDeed,
    read_deed,
)
from kemps_p2p.session.observing import blamed_observer
from kemps_p2p.session.seals import Seals, check_seals, seals_of


class Offered(Struct, frozen=True, gc=False):
    """A deed in an item, with the name under which its proof is remembered."""

    seat: Seat
    proof: ProofId
    body: DeedBody


def offered(item: TapeItem) -> tuple[Offered, ...]:
    """The deeds of an item. Raises `PeerFault` with the author as culprit if one cannot be read."""
    found = []
    for slot, statement in enumerate(item.item.body):
        if isinstance(statement, Deed):
            try:
                body = read_deed(statement.payload)
            except PeerFault as fault:
                raise PeerFault(fault.code, fault.text, culprit=item.seat) from None
            found.append(Offered(item.seat, (item.digest, slot), body))
    return tuple(found)


class ReadItem(Struct, frozen=True, gc=False):
    """What an item carries for the session, decoded."""

    action: Action | None
    deeds: tuple[Offered, ...]
    entry: Entry | None


def read_item(item: TapeItem) -> ReadItem:
    """Decode everything in an item before any of it takes effect.

    Raises `PeerFault` with the author as culprit; the item then keeps its place on the tape and says nothing.
    """
    claim = claim_of(item.item)
    action = None if claim is None else action_of(item, claim)
    return ReadItem(action, offered(item), entry_of(item))


def is_owed(by: Iterable[Duty], deed: DeedBody) -> bool:
    """True if the deed fulfils one of the duties, or part of one."""
    match deed:
        case KeyDeed(deal=deal, attempt=attempt):
            return OweKey(deal, attempt) in by
        case TurnDeed(deal=deal, attempt=attempt, round=round_):
            return OweTurn(deal, round_, attempt) in by
        case ShareDeed(deal=deal, attempt=attempt, round=round_, shares=shares):
            return any(
                isinstance(duty, OweShares)
                and (duty.deal, duty.round, duty.attempt) == (deal, round_, attempt)
                and set(shares.positions) <= set(duty.positions)
                for duty in by
            )
        case SeedDeed(deal=deal, attempt=attempt):
            return OweSeed(deal, attempt) in by
        case BookOpenedDeed(deal=deal):
            return OweBook(deal) in by
        case BookDeed():
            return False


def has_place(match: Match, deed: Offered) -> bool:
    """True if a deed may take effect here: its seat owes it, or it is a book for the coming deal."""
    if isinstance(deed.body, BookDeed):
        return may_seal(match, deed.seat, deed.body.deal)
    return is_owed(owed(match, deed.seat), deed.body)


def is_due(final: Match, deed: Offered) -> bool:
    """False for a share that rests on an entry which is not final yet: it waits, as its sender had to."""
    return not isinstance(deed.body, ShareDeed) or is_owed(owed(final, deed.seat), deed.body)


def check_of(match: Match, deed: Offered) -> Callable[[], object]:
    """The pure, perhaps slow function that verifies a deed's proof in the match as it stands."""
    body, seat = deed.body, deed.seat
    match body:
        case KeyDeed(deal=deal, key=key):
            return partial(check_key, _deck(match, deal, 0).table, seat, key)
        case TurnDeed(deal=deal, round=round_, turn=turn):
            return partial(check_turn, _deck(match, deal, round_), seat, turn)
        case ShareDeed(deal=deal, round=round_, shares=shares):
            return partial(check_shares, _deck(match, deal, round_), seat, shares)
        case SeedDeed(deal=deal, seed=seed):
            decks, seals = tuple(rounds(match, deal)), seals_of(match, deal, seat)
            return partial(check_opening, decks, seals, seat, seed.seed)
        case BookDeed():
            return _nothing_to_prove
        case BookOpenedDeed() as opening:
            return partial(with_opened, match, seat, opening)


def _nothing_to_prove() -> None:
    """A commitment is one by its form."""


def check_opening(decks: tuple[Deck, ...], seals: Seals, seat: Seat, seed: bytes) -> None:
    """A seed makes the key and the turns of its seat anew, and opens its seals."""
    check_seed(decks, seat, seed)
    check_seals(seals, seat, seed)


def can_check(match: Match, deed: Offered) -> bool:
    """True if what the deed's proof rests on is in the log; a turn is checked on the draft instead."""
    match deed.body:
        case KeyDeed(deal=deal, attempt=attempt):
            return deal == match.coming_deal and attempt == attempt_of(match, deal)
        case TurnDeed():
            return False
        case ShareDeed(deal=deal, attempt=attempt, round=round_):
            deck = match.decks.get((deal, round_))
            return deck is not None and deck.table.attempt == attempt and is_shuffled(deck)
        case SeedDeed(deal=deal, attempt=attempt):
            return is_over(match) and 0 <= deal <= match.game.deal and attempt == attempt_of(match, deal)
        case BookDeed():
            return True
        case BookOpenedDeed(deal=deal):
            return deal in match.books.get(deed.seat, {})


def _deck(match: Match, deal: int, round_: int) -> Deck:
    return match.decks.get((deal, round_)) or fresh_deck(match, deal)


def carried(fold: Fold, item: TapeItem) -> None:
    """Fold every deed of an item."""
    deeds = offered(item)
    if not deeds:
        raise fold.fault(Fault.BAD_EVIDENCE, "an item carried for its deeds has none")
    for deed in deeds:
        if not has_place(fold.match, deed):
            raise fold.fault(Fault.NOT_OWED, f"seat {deed.seat} does not owe this deed here")
        if not meets_its_list(fold.match, deed.body):
            # Its seat may have been shown another list, so it is not to blame for its proof.
            raise fold.fault(Fault.NOT_OWED, "a turn that goes by another item than the one before it")
        fold.proofs.require(deed.proof, check_of(fold.match, deed))
        _add(fold, deed)
        turn_up_ready(fold)


def _add(fold: Fold, deed: Offered) -> None:
    match, seat = fold.match, deed.seat
    decks = dict(match.decks)
    match deed.body:
        case KeyDeed(deal=deal, key=key):
            decks[deal, 0] = add_key(_deck(match, deal, 0), seat, key)
        case TurnDeed(deal=deal, round=round_, turn=turn):
            decks[deal, round_] = add_turn(decks[deal, round_], seat, turn)
            turned = {**match.turned, (deal, round_): deed.proof[0]}
            match = replace(match, turned=turned)
        case ShareDeed(deal=deal, round=round_, shares=shares):
            decks[deal, round_] = add_shares(decks[deal, round_], seat, shares)
        case SeedDeed(deal=deal, seed=seed):
            # Again, since seals are a matter of the chain as it is here, and a proof is remembered.
            check_seals(seals_of(match, deal, seat), seat, seed.seed)
            opened = {**match.seeds.get(deal, {}), seat: seed.seed}
            fold.match = replace(match, seeds={**match.seeds, deal: opened})
            return
        case BookDeed() as book:
            fold.match = with_book(match, seat, book)
            return
        case BookOpenedDeed() as opening:
            fold.match = with_opened(match, seat, opening)
            return
    fold.match = replace(match, decks=decks)


def turn_up_ready(fold: Fold) -> None:
    """Hand every owed face whose shares are all in to the rules; deal recycled cards once shuffled."""
    match = fold.match
    faces: dict[Position, Card] = {}
    for position in owed_public(match.game):
        deck = deck_of(match, position)
        card = face(deck, position) if deck is not None and is_shuffled(deck) else None
        if card is not None:
            faces[position] = Card(card)
    if faces:
        fold.take(turn_up(match.game, faces))


def recycle(fold: Fold) -> None:
    """Start the shuffle of swept cards where the rules ask for it, and deal them once it is done."""
    match = fold.match
    cards = owed_recycle(match.game)
    if cards is None:
        return
    last = rounds(match, match.game.deal)[-1]
    if last.round > 0 and tuple(last.cards) == tuple(cards) and last.first == next_position(match.game):
        if is_shuffled(last):
            fold.take(recycled(match.game, tuple(map(Position, last.positions))))
        return
    deck = next_round(last, cards, next_position(match.game))
    fold.match = replace(match, decks={**match.decks, (match.game.deal, deck.round): deck})


def blamed(fold: Fold, event: Blamed) -> None:
    """Fold a proven fault: its team loses the deal that it concerns, once."""
    items = tuple(fold.items[name] for name in event.items)
    if any(item.seat != event.culprit for item in items):
        raise fold.fault(Fault.BAD_BLAME, "the evidence is not the culprit's")
    if not fold.match.blamed.isdisjoint(event.items):
        raise fold.fault(Fault.BAD_BLAME, "the evidence has been used")
    fold.match = replace(fold.match, blamed=fold.match.blamed | set(event.items))
    if event.culprit == fold.match.founding.observer:
        blamed_observer(fold, items)
        return
    if len(items) == 2:
        if contradiction(*items) is None:
            raise fold.fault(Fault.BAD_BLAME, "the two items do not contradict each other")
        running = is_dealt(fold.match)
        _lose(fold, Seat(event.culprit), fold.match.game.deal if running else fold.match.coming_deal)
        return
    deed = _bad_deed(fold, items)
    culprit = Seat(event.culprit)
    match deed:
        case SeedDeed(deal=deal):
            opened = {**fold.match.seeds.get(deal, {}), culprit: None}
            _forfeit(fold, culprit, replace(fold.match, seeds={**fold.match.seeds, deal: opened}))
        case BookOpenedDeed(deal=deal):
            _forfeit(fold, culprit, with_opening(fold.match, culprit, deal, None))
        case _:
            _lose(fold, culprit, deed.deal)


def _forfeit(fold: Fold, culprit: Seat, match: Match) -> None:
    """Who opens something else than was committed to has lost the match with its team."""
    fold.match = replace(match, forfeits=match.forfeits | {match.team_of(culprit)})


def _bad_deed(fold: Fold, items: tuple[TapeItem, ...]) -> DeedBody:
    """The deed of the item that is owed here and does not hold."""
    if len(items) == 1:
        for deed in offered(items[0]):
            if _is_proven_bad(fold, deed):
                return deed.body
    raise fold.fault(Fault.BAD_BLAME, "the evidence proves no fault")


def _is_proven_bad(fold: Fold, deed: Offered) -> bool:
    if not has_place(fold.match, deed) or not meets_its_list(fold.match, deed.body):
        return False
    try:
        fold.proofs.require(deed.proof, check_of(fold.match, deed))
        _add(Fold(fold.match, fold.author, fold.items, fold.proofs), deed)
    except PeerFault as fault:
        return fault.culprit == deed.seat
    return False


def meets_its_list(match: Match, deed: DeedBody) -> bool:
    """False for a turn that goes by another item than the logged one: who signed that item is to blame."""
    return not isinstance(deed, TurnDeed) or deed.on == match.turned.get((deed.deal, deed.round), NO_DIGEST)


def _lose(fold: Fold, culprit: Seat, deal: int) -> None:
    """The running deal is lost at once, a coming one as it starts. A deal is lost once."""
    match = fold.match
    team = match.team_of(culprit)
    if deal == match.game.deal and is_dealt(match):
        fold.take(lose_deal(match.game, team))
    elif deal == match.coming_deal and deal not in match.spoilt and not is_over(match):
        fold.match = replace(match, spoilt={**match.spoilt, deal: team})
    else:
        raise fold.fault(Fault.BAD_BLAME, "a fault in a deal that is over, or lost already")
