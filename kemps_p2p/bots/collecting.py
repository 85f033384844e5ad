"""What to do with the cards: which rank to collect, what to take, what to put down.

Pure: a reading in, a wish out. Knows nothing of time, gestures or calls. Invariants:

1. A grab leaves more cards of one rank that can still be completed than any such rank had before; so
   without a sweep no two bots hand the same cards back and forth.
2. A quartet in hand is never broken.
"""

from collections.abc import Iterator

import msgspec

from kemps_p2p.bots.reading import Counts, Reading
from kemps_p2p.game.cards import QUARTET_CARDS, RANKS
from kemps_p2p.game.seating import team_of
from kemps_p2p.ids import Position, Seat

PUBLIC_COLLECTION = 2
"""So many cards of a rank taken in public show what a seat collects."""


class Trade(msgspec.Struct, frozen=True):
    """Cards to take and as many to give, in pairs."""

    take: tuple[Position, ...]
    give: tuple[Position, ...]


class Mind(msgspec.Struct, frozen=True, kw_only=True):
    """Who decides, and what it likes when all else is equal."""

    seat: Seat
    players: int
    limit: int
    """Most cards in one exchange."""
    tastes: Counts
    """A number for each rank, all different."""
    denies: bool = True
    """Whether it keeps from opponents what they collect."""


def _others(mind: Mind) -> Iterator[tuple[Seat, bool]]:
    """The other seats, and whether each is the partner."""
    own_team = team_of(mind.seat, mind.players)
    for index in range(mind.players):
        seat = Seat(index)
        if seat != mind.seat:
            yield seat, team_of(seat, mind.players) == own_team


def _can_complete(mind: Mind, reading: Reading, which: int) -> bool:
    """True if four of a rank can still come together here. What another seat collects it will not give."""
    within_reach = reading.own[which] + reading.pool[which] + reading.unseen[which]
    if within_reach >= QUARTET_CARDS:
        return True
    loose = sum(
        reading.seen[seat][which]
        for seat, _ in _others(mind)
        if reading.seen[seat][which] < PUBLIC_COLLECTION
    )
    return within_reach + loose >= QUARTET_CARDS


def target(mind: Mind, reading: Reading) -> int | None:
    """The rank that the hand collects now; None if no rank in it can be completed."""
    best: tuple[int, int, int] | None = None
    for which in range(len(RANKS)):
        count = reading.own[which]
        if count and _can_complete(mind, reading, which):
            best = max(best or (0, 0, 0), (count, reading.unseen[which], mind.tastes[which]))
    return None if best is None else mind.tastes.index(best[2])


def grab(mind: Mind, reading: Reading) -> Trade | None:
    """The exchange that brings the hand nearest to a quartet; None if none brings it nearer."""
    if reading.is_quartet:
        return None
    kept = target(mind, reading)
    most = 0 if kept is None else reading.own[kept]
    best: tuple[int, int, int] | None = None
    for which in range(len(RANKS)):
        if not reading.pool[which]:
            continue
        count = reading.own[which] + min(_room(mind, reading, which), reading.pool[which])
        if count > most and _can_complete(mind, reading, which):
            best = max(best or (0, 0, 0), (count, reading.unseen[which], mind.tastes[which]))
    if best is None:
        return None
    wanted = mind.tastes.index(best[2])
    room = _room(mind, reading, wanted)
    take = [card for card, which in reading.pool_faces if which == wanted][:room]
    give = useless(mind, reading, wanted)[: len(take)]
    return Trade(tuple(take), tuple(give))


def _room(mind: Mind, reading: Reading, which: int) -> int:
    return min(mind.limit, QUARTET_CARDS - reading.own[which])


def pick(mind: Mind, reading: Reading, wanted: Position | None) -> Trade | None:
    """What to pick up in the middle of a half exchange: the card it was begun for.

    If that is gone, one of the rank with the most cards then, but not what was put down for the partner
    if there is anything else.
    """
    begun_for = tuple([card for card, _ in reading.pool_faces if card == wanted])
    if begun_for:
        return Trade(begun_for, ())
    helps = partner_rank(mind, reading)
    if helps == target(mind, reading):
        helps = None
    choices = [
        (
            which != helps,
            reading.own[which] + 1 if _can_complete(mind, reading, which) else 0,
            mind.tastes[which],
            card,
        )
        for card, which in reading.pool_faces
    ]
    return Trade((max(choices)[-1],), ()) if choices else None


def partner_rank(mind: Mind, reading: Reading) -> int | None:
    """The rank that the partner collects as far as the whole table can see, if it can still be completed."""
    seen = next(reading.seen[seat] for seat, is_partner in _others(mind) if is_partner)
    most = max(seen)
    which = seen.index(most)
    within_reach = most + reading.own[which] + reading.pool[which] + reading.unseen[which]
    return which if most and within_reach >= QUARTET_CARDS else None


def useless(mind: Mind, reading: Reading, kept: int | None) -> list[Position]:
    """The own cards that are not of the rank kept, the one to part with first at the front.

    First what the partner collects, then dead and single cards; last what an opponent collects, if it cares.
    """
    helps = partner_rank(mind, reading)

    def worth(which: int) -> tuple[bool, bool, int]:
        return (
            mind.denies and _opponents_count(mind, reading, which) >= PUBLIC_COLLECTION,
            which != helps,
            reading.own[which] if _can_complete(mind, reading, which) else 0,
        )

    cards = [(worth(which), card) for card, which in reading.hand_ranks if which != kept]
    return [card for _, card in sorted(cards)]


def _opponents_count(mind: Mind, reading: Reading, which: int) -> int:
    """The most cards of a rank that one opponent took in public."""
    return max(reading.seen[seat][which] for seat, is_partner in _others(mind) if not is_partner)


def feed(mind: Mind, reading: Reading) -> Trade | None:
    """Put down a card that the partner collects, for one that it does not.

    The card taken is rather one that an opponent wants.
    """
    helps = partner_rank(mind, reading)
    if helps is None or reading.is_quartet or helps == target(mind, reading) or not reading.own[helps]:
        return None
    give = next(card for card, which in reading.hand_ranks if which == helps)
    choices = [
        (-_opponents_count(mind, reading, which), card)
        for card, which in reading.pool_faces
        if which != helps
    ]
    return Trade((min(choices)[1],), (give,)) if choices else None


def steal(mind: Mind, reading: Reading) -> Trade | None:
    """Take a card of no use but to an opponent, who collects its rank in public; nothing useful is given."""
    kept = target(mind, reading)
    helps = partner_rank(mind, reading)
    prey = [
        (_opponents_count(mind, reading, which), card)
        for card, which in reading.pool_faces
        if which not in (kept, helps) and _opponents_count(mind, reading, which) >= PUBLIC_COLLECTION
    ]
    ranks = dict(reading.hand_ranks)
    spare = [
        card
        for card in useless(mind, reading, kept)
        if _opponents_count(mind, reading, ranks[card]) < PUBLIC_COLLECTION
    ]
    if reading.is_quartet or not prey or not spare:
        return None
    return Trade((max(prey)[1],), (spare[0],))


def can_become_quartet(mind: Mind, reading: Reading) -> bool:
    """True if the rank the hand has most of can still be completed."""
    kept = target(mind, reading)
    return kept is not None and reading.own[kept] == max(reading.own)


def idle_trade(mind: Mind, reading: Reading, roll: float) -> Trade | None:
    """A swap that only confuses: some card for one that is of no use. `roll` is between 0 and 1."""
    kept = target(mind, reading)
    spare = useless(mind, reading, kept)
    if reading.is_quartet or not spare or not reading.pool_faces:
        return None
    take = reading.pool_faces[int(roll * len(reading.pool_faces))][0]
    return Trade((take,), (spare[0],))
