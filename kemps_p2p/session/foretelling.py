"""What one seat is told of its own claims: what the poll lets it foresee, then what an entry makes of it.

A player learns within milliseconds what comes of a click, long before that is final. It decides nothing.
Section "Session" of protocol.md.
"""

from collections.abc import Iterator, Mapping

from kemps_p2p.codec import Digest
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.entry import Drawn, Entry, Result, Ruled, Settled
from kemps_p2p.ledger.tape import TapeItem, claim_of
from kemps_p2p.session.effects import Known
from kemps_p2p.session.match import action_of


class Foretold:
    """The own claims whose result has been told already."""

    def __init__(self, seat: Seat) -> None:
        self._seat = seat
        self._results: dict[Digest, Result] = {}

    def is_told(self, claim: Digest) -> bool:
        """True if this claim's result has been told, and no entry has settled it yet."""
        return claim in self._results

    def foretell(self, item: TapeItem, result: Result) -> Known:
        """The poll has found an own claim first; nobody can come before it any more."""
        self._results[item.digest] = result
        return _known(item, result)

    def settled(self, entry: Entry, items: Mapping[Digest, TapeItem]) -> Iterator[Known]:
        """What an entry makes of own claims, unless that has been told before."""
        for name, result in _results_in(entry):
            item = items[name]
            if item.seat == self._seat and self._results.pop(name, None) is not result:
                yield _known(item, result)


def _known(item: TapeItem, result: Result) -> Known:
    claim = claim_of(item.item)
    assert claim is not None, "only claims come to anything"
    return Known(action_of(item, claim), result)


def _results_in(entry: Entry) -> Iterator[tuple[Digest, Result]]:
    for event in entry.events:
        match event:
            case Settled(claim=claim, result=result):
                yield claim, result
            case Drawn(order=order, results=results) | Ruled(order=order, results=results):
                yield from zip(order, results, strict=True)
            case _:
                continue
