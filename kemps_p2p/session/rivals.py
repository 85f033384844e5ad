"""Whom a seat has met at the cards: told as soon as an entry settles it, with the words of the witnesses.

An entry that settles a lost claim need not carry the words on it and on its rival together; a seat holds the
tapes, so it finds them there. It decides nothing: what it tells has been settled. Section "Who was first" of
protocol.md.
"""

from collections import deque
from collections.abc import Iterator, Mapping
from itertools import islice

from kemps_p2p.codec import Digest
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.entry import Contest, Drawn, Result, Ruled, Settled
from kemps_p2p.ledger.poll import places_in
from kemps_p2p.ledger.tape import TapeItem
from kemps_p2p.session.fold import OpenRecord
from kemps_p2p.session.match import Match, do_conflict
from kemps_p2p.session.races import Asked, Race, asked_by, race_between, races

_SETTLED_MAX = 32
"""So many claims of others are remembered: who took a card before oneself did so not long ago."""
_ITEMS_MAX = 512
"""In so many of the last items the words on two claims of late are."""


class Rivals:
    """What others' claims have come to lately, as one seat needs it."""

    def __init__(self, seat: Seat) -> None:
        self._seat = seat
        self._done: deque[Asked] = deque(maxlen=_SETTLED_MAX)

    def follow(self, match: Match, record: OpenRecord, items: Mapping[Digest, TapeItem]) -> Iterator[Race]:
        """The races of the own seat in an entry. `match`: as it was before; `items`: all, oldest first."""
        for event in record.entry.events:
            match event:
                case Settled(claim=claim, result=result):
                    yield from self._settled(match, items, record.items[claim], result)
                case Contest(claims=claims, evidence=evidence):
                    for race in races(match, record.items, claims, evidence):
                        if race.first.id in claims and race.second.id in claims and self._is_in(race):
                            yield race
                case Drawn(order=order, results=results) | Ruled(order=order, results=results):
                    for name, result in zip(order, results, strict=True):
                        self._note(items[name], result)
                case _:
                    continue

    def _settled(
        self, match: Match, items: Mapping[Digest, TapeItem], item: TapeItem, result: Result
    ) -> Iterator[Race]:
        self._note(item, result)
        if item.seat != self._seat or result is not Result.MISSED:
            return
        mine = asked_by(item)
        for rival in reversed(self._done):
            if do_conflict(match, (rival.seat, rival.action), (mine.seat, mine.action)):
                last = islice(items.values(), max(0, len(items) - _ITEMS_MAX), None)
                race = race_between(match, rival, mine, places_in(last, (rival.id, mine.id)))
                if race.first is rival and not race.is_together:
                    yield race
                return

    def _note(self, item: TapeItem, result: Result) -> None:
        if item.seat != self._seat and result is Result.OK:
            self._done.append(asked_by(item))

    def _is_in(self, race: Race) -> bool:
        return race.first.seat != race.second.seat and self._seat in (race.first.seat, race.second.seat)
