"""What the state of a match requires each seat to publish next.

The runner, bots, screens ("waiting for Ben") and blame all read this; nothing else decides who must speak.
Section "Duties" of protocol.md.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from kemps_p2p.deck.deal import is_shuffled, next_turn, owed_of
from kemps_p2p.game.record import BETWEEN_DEALS
from kemps_p2p.game.state import Phase, owed_answers
from kemps_p2p.ids import Position, Seat
from kemps_p2p.session.match import ATTEMPT, Match, attempt_of, is_over, owed_public, rounds


@dataclass(frozen=True, slots=True)
class OweKey:
    """Commitment and key for a deal."""

    deal: int
    attempt: int = ATTEMPT


@dataclass(frozen=True, slots=True)
class OweTurn:
    """The shuffle turn in a round of a deal."""

    deal: int
    round: int
    attempt: int = ATTEMPT


@dataclass(frozen=True, slots=True)
class OweShares:
    """Shares of positions, ascending, of one round of the running deal."""

    deal: int
    round: int
    positions: tuple[Position, ...]
    attempt: int = ATTEMPT


@dataclass(frozen=True, slots=True)
class OweSeed:
    """The seed of a deal, once the match is over."""

    deal: int
    attempt: int = ATTEMPT


@dataclass(frozen=True, slots=True)
class OweCoin:
    """The next coin, for the contest named at `index`."""

    index: int


@dataclass(frozen=True, slots=True)
class OweAnswer:
    """An answer to a call: admit, or deny."""


@dataclass(frozen=True, slots=True)
class OweBook:
    """The opening of the signal book that was sealed for a deal, once the match is over."""

    deal: int


Duty: TypeAlias = OweKey | OweTurn | OweShares | OweSeed | OweCoin | OweAnswer | OweBook


def duties(match: Match, seat: Seat) -> tuple[Duty, ...]:
    """What `seat` owes at this head."""
    return tuple(owed(match, seat))


def owed(match: Match, seat: Seat) -> Iterator[Duty]:
    """`duties`, one after the other: whoever looks for one need not make up all."""
    if match.is_closed:
        return
    for contest in match.contests:
        if seat in contest.claimants():
            yield OweCoin(contest.index)
    if is_over(match):
        # Before the seeds, so that whoever opens both in one item has done so before the close.
        opened = match.opened_books.get(seat, {})
        yield from (OweBook(deal) for deal in match.books.get(seat, {}) if deal not in opened)
        for deal in range(match.game.deal + 1):
            if deal not in match.spoilt and seat not in match.seeds.get(deal, {}):
                yield OweSeed(deal, attempt_of(match, deal))
        return
    yield from _shuffle_duties(match, seat)
    if is_dealt(match):
        yield from owed_shares(match, seat)
    if seat in owed_answers(match.game):
        yield OweAnswer()


def _shuffle_duties(match: Match, seat: Seat) -> Iterator[Duty]:
    for deck in rounds(match, match.game.deal)[1:] if is_dealt(match) else ():
        if next_turn(deck) == seat:
            yield OweTurn(match.game.deal, deck.round, deck.table.attempt)
    deal = match.coming_deal
    if deal in match.spoilt or not prepares_next(match):
        return
    deck_now = match.decks.get((deal, 0))
    if deck_now is None or deck_now.keys[seat] is None:
        yield OweKey(deal, attempt_of(match, deal))
    elif next_turn(deck_now) == seat:
        yield OweTurn(deal, 0, deck_now.table.attempt)


def is_dealt(match: Match) -> bool:
    """True while the cards of a deal are needed: from its start until it is won, void or lost."""
    return match.game.phase not in BETWEEN_DEALS


def is_wanted(match: Match, deal: int) -> bool:
    """True while a deck of this deal is of use: the running one's, or the coming one's if it is not lost."""
    return is_dealt(match) if deal == match.game.deal else deal not in match.spoilt


def prepares_next(match: Match) -> bool:
    """True once the coming deal may be shuffled: before the first, and as soon as this one is in play."""
    if match.game.deal < 0:
        return True
    return match.game.phase is Phase.DEAL_OVER or match.game.started


def owed_shares(match: Match, seat: Seat) -> Iterator[OweShares]:
    """The shares that a seat owes: of others' hands, and of what is turned up for everybody."""
    game = match.game
    wanted = {
        position
        for owner, hand in enumerate(game.hands)
        if owner != seat
        for position in hand
        if position not in game.faces
    }
    wanted |= owed_public(game)
    for deck in rounds(match, game.deal):
        positions = owed_of(deck, seat, wanted) if is_shuffled(deck) else ()
        if positions:
            yield OweShares(game.deal, deck.round, tuple(positions), attempt_of(match, game.deal))
