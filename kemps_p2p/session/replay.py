"""The fold: the only way a match changes, live, after a restart, in replay and in an audit.

`step` takes a match and a record and returns the next match, or raises with the culprit. It trusts nobody:
links, stamps, proofs, the order of claims, results, scores and time are all re-derived. Signatures have been
verified when a record is opened; what costs much to verify is remembered in `Proofs`.

Section "Fold" of protocol.md.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain

from msgspec.structs import replace

from kemps_p2p.errors import Fault, PeerFault
from kemps_p2p.game.actions import Pass
from kemps_p2p.game.events import Event as GameEvent
from kemps_p2p.game.state import Phase, advance, apply, may_auto_pass, may_start_play, start_play
from kemps_p2p.ids import Seat
from kemps_p2p.ledger import entry as ledger
from kemps_p2p.ledger.tape import Head, signer_of
from kemps_p2p.ledger.term import on_duty
from kemps_p2p.session.absence import readmitted
from kemps_p2p.session.claims import contest, cut_off, drawn, heal, ruled, settled
from kemps_p2p.session.deeds import blamed, carried, recycle, turn_up_ready
from kemps_p2p.session.fold import Fold, OpenRecord, Proofs
from kemps_p2p.session.genesis import Founding
from kemps_p2p.session.incarnation import seated
from kemps_p2p.session.match import PAST_ENTRIES, Match, Past, begin, is_over, is_ready
from kemps_p2p.session.messages import AutoPassed, Checkpoint, Closed, Overdue, PlayStarted, read_note
from kemps_p2p.session.observing import check_named, struck
from kemps_p2p.session.overdue import give_up, note_owing
from kemps_p2p.session.takeover import may_begin, take_over_in, taken_over

ELAPSED_MS_MAX = (1 << 40) - 1


def fold(founding: Founding, records: Iterable[OpenRecord], proofs: Proofs) -> Match:
    """The match after some records."""
    match = begin(founding)
    for record in records:
        match, _ = step(match, record, proofs)
    return match


def step(match: Match, record: OpenRecord, proofs: Proofs) -> tuple[Match, tuple[GameEvent, ...]]:
    """Fold one record. Raises `PeerFault` with the culprit, or `NotVerified`; the match is unchanged then."""
    after, parts = step_by_event(match, record, proofs)
    return after, tuple(chain.from_iterable(part.events for part in parts))


@dataclass(frozen=True, slots=True)
class Part:
    """One event of an entry, folded: the match after it, and what happened by the rules."""

    match: Match
    events: tuple[GameEvent, ...]


def step_by_event(match: Match, record: OpenRecord, proofs: Proofs) -> tuple[Match, tuple[Part, ...]]:
    """`step`, with what each event of the entry has done apart."""
    entry, item = record.entry, record.item
    work = Fold(match, item.seat, record.items, proofs)
    if match.is_closed and take_over_in(entry) is None:
        # A term that begins may be what makes the close final.
        raise work.fault(Fault.BAD_ENTRY, "an entry after the close")
    term, duty = may_begin(match, entry)
    ledger.check_extends(entry, match.head, item.seat, epoch=match.epoch, term=term, on_duty=duty)
    if tuple(record.items) != ledger.named_items(entry):
        # Nobody signs what lies beside an entry in a file, so nobody is to blame.
        raise PeerFault(Fault.BAD_EVIDENCE, "the record does not carry what its entry names")
    _check_incarnations(match, record)
    rests_on = (match.lamport, *(named.item.lamport for named in record.items.values()))
    if item.item.lamport <= max(rests_on):
        raise work.fault(Fault.BAD_STAMP, "an entry is stamped before what it rests on")
    if not match.elapsed_ms <= entry.elapsed_ms <= ELAPSED_MS_MAX or not 0 <= entry.wall_ms < 1 << 53:
        raise work.fault(Fault.BAD_TIME, "time runs backwards or is out of range")
    work.match = replace(match, elapsed_ms=entry.elapsed_ms, game=advance(match.game, entry.elapsed_ms))
    check_named(work, entry)
    parts: list[Part] = []
    for place, event in enumerate(entry.events):
        count = len(work.events)
        is_last = place == len(entry.events) - 1
        if work.has_started_deal and not isinstance(event, ledger.Note):
            raise work.fault(Fault.BAD_CHECKPOINT, "a deal starts without a checkpoint")
        _apply_event(work, event, entry, is_last=is_last)
        follow_up(work)
        parts.append(Part(work.match, tuple(work.events[count:])))
    if work.has_started_deal:
        raise work.fault(Fault.BAD_CHECKPOINT, "a deal starts without a checkpoint")
    after = replace(work.match, observer=None) if work.strikes else work.match
    past = Past(Head(index=entry.index, digest=item.digest), item.item.lamport, after.game, is_ready(after))
    return (
        replace(
            after,
            head=past.head,
            head_term=entry.term,
            lamport=past.lamport,
            past=(*after.past[-PAST_ENTRIES + 1 :], past),
            closing=past.head if after.is_closed and match.closing is None else match.closing,
        ),
        tuple(parts),
    )


def _check_incarnations(match: Match, record: OpenRecord) -> None:
    """Raise for an item behind the end of its incarnation, opened before that was closed: nobody's fault."""
    if not match.seated:
        return
    for item in (record.item, *record.items.values()):
        if signer_of(item.item, match.signers) is None:
            raise PeerFault(Fault.OTHER_INCARNATION, "an entry by, or with, an item of an ended incarnation")


def follow_up(work: Fold) -> None:
    """What an event brings about by itself: cuts are over, faces turn up, cards come back, a look begins."""
    heal(work)
    turn_up_ready(work)
    recycle(work)
    _note_shown(work)
    note_owing(work)


def _apply_event(work: Fold, event: ledger.Event, entry: ledger.Entry, *, is_last: bool) -> None:
    match event:
        case ledger.Settled():
            settled(work, event)
        case ledger.Contest():
            contest(work, event)
        case ledger.Drawn():
            drawn(work, event)
        case ledger.CutOff():
            cut_off(work, event)
        case ledger.Ruled():
            ruled(work, event)
        case ledger.Struck():
            struck(work, event)
        case ledger.Readmitted():
            readmitted(work, event)
        case ledger.Seated():
            seated(work, event)
        case ledger.Carried(item=named):
            carried(work, work.items[named])
        case ledger.Blamed():
            blamed(work, event)
        case ledger.TakeOver():
            taken_over(work, event, entry)
        case ledger.Note(payload=payload):
            _noted(work, payload, is_last=is_last)


def _noted(work: Fold, payload: bytes, *, is_last: bool) -> None:
    try:
        note = read_note(payload)
    except PeerFault as fault:
        raise work.fault(fault.code, fault.text) from None
    match note:
        case PlayStarted():
            _start_play(work)
        case AutoPassed(seat=seat):
            auto_pass(work, seat)
        case Overdue(seat=seat):
            give_up(work, seat)
        case Checkpoint() as checkpoint:
            _checkpoint(work, checkpoint, is_last=is_last)
        case Closed():
            _close(work, is_last=is_last)


def _start_play(work: Fold) -> None:
    match = work.match
    if match.shown_ms is None:
        raise work.fault(Fault.BAD_ENTRY, "play cannot start here")
    if match.elapsed_ms - match.shown_ms < match.founding.rules.look_ms:
        raise work.fault(Fault.BAD_TIME, "play starts before the look is over")
    work.take(start_play(match.game))


def auto_pass(work: Fold, seat: int) -> None:
    """Pass for a seat that has done nothing for long enough."""
    game = work.match.game
    if not may_auto_pass(game, Seat(seat)):
        # Whether it is only too soon shows at the end of all time.
        is_early = may_auto_pass(advance(game, ELAPSED_MS_MAX), Seat(seat))
        code = Fault.BAD_TIME if is_early else Fault.BAD_ENTRY
        raise work.fault(code, "a seat that nobody has to pass for")
    work.take(apply(game, Seat(seat), Pass(pool=game.pool)))


def checkpoint_of(match: Match) -> Checkpoint:
    """What the entry that starts a deal says of it."""
    return Checkpoint(deal=match.game.deal, dealer=match.game.dealer, scores=match.game.scores)


def _checkpoint(work: Fold, said: Checkpoint, *, is_last: bool) -> None:
    match = work.match
    game = match.game
    if not work.has_started_deal or not is_last:
        raise work.fault(Fault.BAD_CHECKPOINT, "a checkpoint out of place")
    work.has_started_deal = False
    if said.deal != game.deal:
        raise work.fault(Fault.BAD_CHECKPOINT, f"deal {game.deal} starts, not {said.deal}")
    if said.dealer != game.dealer:
        raise work.fault(Fault.BAD_CHECKPOINT, f"seat {game.dealer} deals, not seat {said.dealer}")
    if said.scores != game.scores:
        raise work.fault(Fault.BAD_CHECKPOINT, f"the scores are {game.scores}, not {said.scores}")
    if game.deal > 0:
        duty = on_duty(match.seats, match.founding.first_dealer, match.term + 1)
        work.match = replace(match, term=match.term + 1, on_duty=duty)


def _close(work: Fold, *, is_last: bool) -> None:
    match = work.match
    if not is_over(match) or not has_all_seeds(match) or not is_last:
        raise work.fault(Fault.BAD_ENTRY, "the match cannot be closed here")
    work.match = replace(match, is_closed=True)


def has_all_seeds(match: Match) -> bool:
    """True once every seed of every deal that was dealt is open, or proven false."""
    return all(
        deal in match.spoilt or len(match.seeds.get(deal, {})) == match.seats
        for deal in range(match.game.deal + 1)
    )


def _note_shown(work: Fold) -> None:
    """Remember when the pool was complete: the look runs from there, and for as long as play may start."""
    match = work.match
    if not may_start_play(match.game):
        if match.shown_ms is not None:
            work.match = replace(match, shown_ms=None)
    elif match.shown_ms is None:
        work.match = replace(match, shown_ms=match.elapsed_ms)


def winners(match: Match) -> tuple[int, ...]:
    """The teams that win: by score, without those that lost the match by a false seed."""
    if match.game.phase is not Phase.MATCH_OVER:
        return ()
    by_score = tuple(team for team in match.game.winners if team not in match.forfeits)
    if by_score:
        return by_score
    return tuple(team for team in range(match.seats // 2) if team not in match.forfeits)
