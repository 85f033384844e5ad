"""What is signed and not in the log yet: deeds, and the proofs of what others have done.

What an entry logs is dropped, and comes back if the entry gives way. Knows no clock and no deck.
Section "Ordering" of protocol.md.
"""

from collections.abc import Iterable, Mapping

from kemps_p2p.codec import Digest
from kemps_p2p.ledger.entry import Blamed, Carried, Entry
from kemps_p2p.ledger.tape import TapeItem
from kemps_p2p.session.deeds import Offered, offered
from kemps_p2p.session.exhibits import Exhibits


class Unlogged:
    """`deeds`: by the digest of the item that contains them."""

    def __init__(self, exhibits: Exhibits) -> None:
        self.deeds: dict[Digest, tuple[Offered, ...]] = {}
        self._exhibits = exhibits

    def follow(self, entry: Entry) -> bool:
        """Drop what an entry has logged; true if the deck has moved by it."""
        has_moved = False
        for event in entry.events:
            match event:
                case Carried(item=name):
                    self.deeds.pop(name, None)
                case Blamed(items=names):
                    if len(names) == 1:
                        # A deed that does not hold is done with; of two items that contradict each other
                        # either may have the turn that the table waits for.
                        self.deeds.pop(names[0], None)
                    self._exhibits.drop(names)
                case _:
                    continue
            has_moved = True
        return has_moved

    def close(self, dropped: Iterable[TapeItem]) -> None:
        """Of an incarnation that has ended: what it offered behind its end."""
        for item in dropped:
            self.deeds.pop(item.digest, None)

    def take_back(self, entry: Entry, items: Mapping[Digest, TapeItem]) -> None:
        """An entry has given way: what it logged is to be logged again."""
        for event in entry.events:
            match event:
                case Carried(item=name):
                    self.deeds[name] = offered(items[name])
                case Blamed(items=names):
                    if len(names) == 1 and (deeds := offered(items[names[0]])):
                        self.deeds[names[0]] = deeds
                    else:
                        self._exhibits.take_again(tuple(items[name] for name in names))
                case _:
                    continue
