"""The duty of ordering: what the sequencer's next entry holds.

It proposes nothing that it could not defend: every event is tried on the fold that all others will use.
Section "Ordering" of protocol.md.
"""

from collections.abc import Callable, Iterator
from functools import partial

from msgspec.structs import replace

from kemps_p2p.codec import Digest, encode
from kemps_p2p.errors import Missing, PeerFault
from kemps_p2p.game.actions import Admit, Deny, Next
from kemps_p2p.game.state import advance, may_auto_pass, start_play
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.claimbook import ClaimBook
from kemps_p2p.ledger.entry import (
    EVENTS_MAX,
    Blamed,
    Carried,
    Contest,
    CutOff,
    Drawn,
    Entry,
    Event,
    Note,
    Readmitted,
    Result,
    Ruled,
    Seated,
    Settled,
    TapeEnd,
)
from kemps_p2p.ledger.poll import DecidedSet
from kemps_p2p.ledger.tape import NO_DIGEST, TapeItem
from kemps_p2p.session.absence import readmitted
from kemps_p2p.session.citing import evidences_for
from kemps_p2p.session.claims import (
    check_decided,
    contest,
    cut_off,
    draw,
    is_coin_of,
    is_overtaken,
    rule,
    settle,
)
from kemps_p2p.session.deeds import blamed, carried, has_place, is_due, meets_its_list
from kemps_p2p.session.fold import Fold
from kemps_p2p.session.holding import asked, has_calls
from kemps_p2p.session.incarnation import seated
from kemps_p2p.session.match import Match, OpenContest, is_over
from kemps_p2p.session.materials import Materials
from kemps_p2p.session.messages import (
    AutoPassed,
    BookOpenedDeed,
    Closed,
    KeyDeed,
    NoteBody,
    Overdue,
    PlayStarted,
    SeedDeed,
)
from kemps_p2p.session.observing import struck
from kemps_p2p.session.overdue import give_up, is_overdue
from kemps_p2p.session.pacing import affected, has_swept
from kemps_p2p.session.patience import PATIENCE_MS
from kemps_p2p.session.replay import auto_pass, checkpoint_of, follow_up, has_all_seeds
from kemps_p2p.session.rulings import arbiter

ENTRY_ITEMS_BYTES = 400 * 1024


def compose(tip: Match, seat: Seat, at_hand: Materials, elapsed_ms: int) -> tuple[Event, ...]:
    """The events of the next entry; empty if there is nothing to order yet."""
    if tip.is_closed:
        return ()
    work = _at(tip, seat, at_hand, elapsed_ms)
    events: list[Event] = []
    for source in _SOURCES:
        for event in source(work, at_hand):
            events.append(event)
            follow_up(work)
            if work.has_started_deal or len(events) >= EVENTS_MAX - 1:
                break
        if work.has_started_deal or len(events) >= EVENTS_MAX - 1:
            break
    if work.has_started_deal:
        events.append(_note(checkpoint_of(work.match)))
    return tuple(events)


def entry_after(tip: Match, term: int, events: tuple[Event, ...], elapsed_ms: int, wall_ms: int) -> Entry:
    """The next entry of the chain, with these events."""
    head = tip.head
    return Entry(
        index=head.index + 1,
        prev=head.digest,
        epoch=tip.epoch,
        term=term,
        elapsed_ms=elapsed_ms,
        wall_ms=wall_ms,
        events=events,
    )


def foreseen(tip: Match, item: TapeItem, at_hand: Materials, elapsed_ms: int) -> Result:
    """What comes of a claim that the poll has found first, should it be logged next."""
    return settle(_at(tip, item.seat, at_hand, elapsed_ms), item)


def _at(tip: Match, seat: Seat, at_hand: Materials, elapsed_ms: int) -> Fold:
    match = replace(tip, elapsed_ms=elapsed_ms, game=advance(tip.game, elapsed_ms))
    return Fold(match, seat, at_hand.items, at_hand.proofs)


def _note(body: NoteBody) -> Note:
    return Note(payload=encode(body))


def _deeds(work: Fold, at_hand: Materials) -> Iterator[Event]:
    budget = ENTRY_ITEMS_BYTES
    for name, deeds in at_hand.deeds.items():
        if not all(has_place(work.match, deed) and meets_its_list(work.match, deed.body) for deed in deeds):
            continue
        if not all(is_due(at_hand.final, deed) for deed in deeds):
            continue
        item = at_hand.items[name]
        budget -= len(item.signed.raw)
        if budget < 0:
            return
        if _try(work, partial(carried, work, item)):
            yield Carried(item=name)


def _blames(work: Fold, at_hand: Materials) -> Iterator[Event]:
    for name, deeds in at_hand.deeds.items():
        # A key whose proof holds may still be another's, or its opposite, and what is opened may be something
        # else than was committed to: the fold finds that.
        is_asked = any(isinstance(deed.body, KeyDeed | SeedDeed | BookOpenedDeed) for deed in deeds)
        bad = is_asked or any(deed.proof in at_hand.proofs.bad for deed in deeds)
        event = Blamed(culprit=deeds[0].seat, items=(name,))
        if bad and _can_blame(work, event):
            yield event
    for proof in at_hand.exhibits:
        event = Blamed(culprit=proof[0].seat, items=tuple(item.digest for item in proof))
        if _can_blame(work, event):
            yield event


def _can_blame(work: Fold, event: Blamed) -> bool:
    return _try(work, lambda: blamed(work, event))


def _try(work: Fold, change: Callable[[], object]) -> bool:
    """Make a change; take it back if the fold refuses it or cannot verify it yet."""
    before = work.match, list(work.events)
    try:
        change()
    except (PeerFault, Missing):
        work.match, work.events = before
        return False
    return True


def _draws(work: Fold, at_hand: Materials) -> Iterator[Event]:
    for opened in work.match.contests:
        coins: dict[Seat, TapeItem] = {}
        for item in at_hand.coins:
            if item.seat in opened.claimants() and is_coin_of(work.match, item, opened.index):
                coins.setdefault(item.seat, item)
        if len(coins) == len(opened.claimants()) or opened.index in at_hand.late_contests:
            items = tuple(coins.get(seat) for seat in opened.claimants())
            drawn: list[Drawn] = []
            if _try(work, partial(_draw_into, drawn, work, opened, items)):
                yield from drawn


def _draw_into(
    found: list[Drawn], work: Fold, opened: OpenContest, items: tuple[TapeItem | None, ...]
) -> None:
    order, results = draw(work, opened, items)
    names = tuple(NO_DIGEST if item is None else item.digest for item in items)
    found.append(Drawn(index=opened.index, coins=names, order=order, results=results))


def _claims(work: Fold, at_hand: Materials) -> Iterator[Event]:
    """Log every decided set, again and again, since what waits behind one may be decided by it.

    A set that the evidence does not decide as well, which only a tape that was forked can bring about, waits.
    """
    book, logged = at_hand.book, set[Digest]()
    while True:
        decided = book.decided(logged)
        for tie in at_hand.ties.keys() - {found.digest for found in decided}:
            del at_hand.ties[tie]
        has_logged = False
        for found in sorted(decided, key=partial(_place, book)):
            if has_logged and _starts_deal(book, found):
                # What is decided would be stale behind it: nobody acks an entry that passes over that.
                break
            tries = (
                _settled_or_contest(work, at_hand, found, evidence)
                for evidence in evidences_for(work.match, at_hand, found, logged)
            )
            event = next((event for event in tries if event is not None), None)
            if event is None:
                continue
            logged.update(found.claims)
            has_logged = True
            yield event
            # Whatever is behind a contest waits for its draw.
            if isinstance(event, Contest) or work.has_started_deal:
                return
        if not has_logged:
            return


def _place(book: ClaimBook, found: DecidedSet) -> tuple[bool, int]:
    """By the first claim's stamp, but what starts a deal last."""
    return _starts_deal(book, found), book.undecided[found.claims[0]].item.item.lamport


def _starts_deal(book: ClaimBook, found: DecidedSet) -> bool:
    return any(isinstance(asked(book.undecided[name])[1], Next) for name in found.claims)


def _cuts(work: Fold, at_hand: Materials) -> Iterator[Event]:
    """Close the tapes for a contest that has waited too long."""
    ends = at_hand.book.ends()
    if not at_hand.overdue or not at_hand.book.may_cut(at_hand.overdue, ends):
        return
    tapes = tuple(TapeEnd(length=length, last=last) for length, last in ends)
    event = CutOff(claims=at_hand.overdue, tapes=tapes)
    if _try(work, lambda: cut_off(work, event)):
        yield event


def _strikes(work: Fold, at_hand: Materials) -> Iterator[Event]:
    """Strike whoever is silent; a seat not while a call is undecided, which would never be judged then."""
    for event in at_hand.strikes:
        is_held_up = event.seat != work.match.observer and has_calls(at_hand.book)
        if not is_held_up and _try(work, partial(struck, work, event)):
            yield event


def _returns(work: Fold, at_hand: Materials) -> Iterator[Event]:
    for event in at_hand.returns:
        match event:
            case Readmitted():
                change = partial(readmitted, work, event)
            case Seated():
                change = partial(seated, work, event)
        if _try(work, change):
            yield event


def _settled_or_contest(
    work: Fold, at_hand: Materials, found: DecidedSet, evidence: tuple[Digest, ...]
) -> Event | None:
    """The event that logs a decided set, once it is folded; None if the fold does not agree."""
    if len(found.claims) > 1:
        return _together(work, at_hand, found, evidence)
    results: list[Result] = []

    def settle_it() -> None:
        count = len(work.events)
        check_decided(work, found.claims, (*found.claims, *evidence))
        results.append(settle(work, work.items[found.claims[0]]))
        if not at_hand.is_all_there and has_swept(work.events[count:]):
            raise Missing("a seat is silent that a new pool would wait for")

    if not _try(work, settle_it):
        return None
    return Settled(claim=found.claims[0], result=results[0], evidence=evidence)


def _together(
    work: Fold, at_hand: Materials, found: DecidedSet, evidence: tuple[Digest, ...]
) -> Event | None:
    """The dealer's tape orders the set if the rules say so and it has the words; else it is to be drawn.

    The words may be on their way, and are waited for; but not for long.
    """
    done: list[Ruled] = []

    def rule_it() -> None:
        order, results = rule(work, found.claims, evidence)
        done.append(Ruled(claims=found.claims, evidence=evidence, order=order, results=results))

    if _try(work, rule_it):
        return done[0]
    if arbiter(work.match, (at_hand.items[name].seat for name in found.claims)) is not None:
        since_ms = at_hand.ties.setdefault(found.digest, work.match.elapsed_ms)
        if work.match.elapsed_ms - since_ms < PATIENCE_MS:
            return None
    at_hand.ties.pop(found.digest, None)
    named = Contest(claims=found.claims, evidence=evidence)
    return named if _try(work, lambda: contest(work, named)) else None


def _overdue(work: Fold, at_hand: Materials) -> Iterator[Event]:
    """Go on without what has been waited for long enough, unless an answer is on its way into the log."""
    answering = {
        held.seat for held in at_hand.book.undecided.values() if isinstance(asked(held)[1], Admit | Deny)
    }
    for seat in tuple(work.match.owing):
        if is_overdue(work.match, seat) and seat not in answering:
            give_up(work, seat)
            yield _note(Overdue(seat=seat))


def _play(work: Fold, at_hand: Materials) -> Iterator[Event]:
    match = work.match
    if match.shown_ms is None:
        return
    is_over_look = match.elapsed_ms - match.shown_ms >= match.founding.rules.look_ms
    if is_over_look and not _is_awaited(match, at_hand, PlayStarted()):
        work.take(start_play(match.game))
        yield _note(PlayStarted())


def _auto_passes(work: Fold, at_hand: Materials) -> Iterator[Event]:
    """Pass for whoever does nothing, as long as all are there."""
    for seat in range(work.match.seats) if at_hand.is_all_there else ():
        note = AutoPassed(seat=seat)
        if may_auto_pass(work.match.game, Seat(seat)) and not _is_awaited(work.match, at_hand, note):
            auto_pass(work, seat)
            yield _note(note)


def _is_awaited(match: Match, at_hand: Materials, note: NoteBody) -> bool:
    """True while a claim is undecided that a note would affect."""
    return any(not is_overtaken(match, held.item) for held in affected(match, note, at_hand.book))


def _close(work: Fold, _at_hand: Materials) -> Iterator[Event]:
    if is_over(work.match) and has_all_seeds(work.match):
        work.match = replace(work.match, is_closed=True)
        yield _note(Closed())


_SOURCES = (
    _blames,
    _deeds,
    _draws,
    _returns,
    _claims,
    _cuts,
    _strikes,
    _overdue,
    _play,
    _auto_passes,
    _close,
)
"""What an entry is made of, in this order."""
