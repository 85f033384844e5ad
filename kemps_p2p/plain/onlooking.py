"""What whoever watches a table is told in lines: all that everybody may see, and no more.

Pure; knows no streams and no seat of its own.
"""

from collections.abc import Iterator

from kemps_p2p.codec import Digest
from kemps_p2p.errors import Fault, PeerFault
from kemps_p2p.game.events import Event
from kemps_p2p.game.record import State
from kemps_p2p.game.rules import RuleSet
from kemps_p2p.game.views import public_view
from kemps_p2p.ids import Seat
from kemps_p2p.plain.voice import is_told, sentence
from kemps_p2p.wording.absence import absent_text, back_text, held_text
from kemps_p2p.wording.cards import card_text
from kemps_p2p.wording.events import event_text
from kemps_p2p.wording.faults import FAULTS
from kemps_p2p.wording.observing import struck_text
from kemps_p2p.wording.people import People, listed
from kemps_p2p.wording.plain import plain
from kemps_p2p.wording.scene import Scene
from kemps_p2p.wording.words import words_of


class PublicVoice:
    """Lines about one match."""

    def __init__(self, *, is_ascii: bool) -> None:
        self._is_ascii = is_ascii
        self._people = People(0)
        self._pool = ""
        self._faults: set[tuple[Fault, int | None]] = set()

    def formed(
        self, match: Digest, rules: RuleSet, names: tuple[str, ...], observer: str | None
    ) -> Iterator[str]:
        """Who plays. `names` are not known of a match that nobody has introduced."""
        known = names if all(names) else ()
        people = self._people = People(len(names), known, observer or None)
        yield sentence(f"at the table: {people.all(map(Seat, range(len(names))))}")
        teams = [people.team(team) for team in range(len(names) // 2)]
        yield sentence(f"partners: {'; '.join(teams)}")
        if observer is not None:
            yield sentence(f"{people.seat(len(names))} is a witness of who is first")
        yield sentence(f"this match is called {words_of(match)}; all see the same three words")

    def moved(self, events: tuple[Event, ...], game: State) -> Iterator[str]:
        """What has happened, and the middle if that has changed."""
        scene = Scene(self._people, game.rules, game.faces, self._is_ascii)
        for event in events:
            if is_told(event):
                yield sentence(event_text(event, scene))
        cards = [lying.card for lying in public_view(game).pool]
        if cards and None not in cards:
            pool = ", ".join(card_text(card, is_ascii=self._is_ascii) for card in cards)
            if pool != self._pool:
                yield f"Middle: {pool}."
            self._pool = pool

    def gesture(self, seat: int, name: str) -> Iterator[str]:
        """A movement of a face."""
        yield sentence(f"{self._people.seat(seat)} makes a gesture: {plain(name)}")

    @staticmethod
    def struck(*, is_proven: bool) -> Iterator[str]:
        """The observer's word counts no more."""
        yield sentence(struck_text(is_proven=is_proven))

    def absent(self, seat: int) -> Iterator[str]:
        """A seat is not waited for any more in this deal."""
        yield sentence(absent_text(seat, self._people))

    def back(self, seat: int) -> Iterator[str]:
        """The next deal can start."""
        yield sentence(back_text(seat, self._people))

    def held(self, seat: int) -> Iterator[str]:
        """A bot plays for a seat whose player is away."""
        yield sentence(held_text(seat, None, self._people))

    def fault(self, fault: PeerFault) -> Iterator[str]:
        """A fault, once."""
        if (fault.code, fault.culprit) not in self._faults:
            self._faults.add((fault.code, fault.culprit))
            who = "somebody" if fault.culprit is None else self._people.seat(fault.culprit)
            yield sentence(f"fault of {listed([who])}: {FAULTS[fault.code]}")

    @staticmethod
    def ended() -> Iterator[str]:
        """All is said."""
        yield "The match is over, and its log is complete."
