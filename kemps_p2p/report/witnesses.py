"""What each witness of a race has signed: the order in which its tape shows the claims.

Only what the evidence in the log holds: a witness may have said more. What lies beyond a cut does not count.
Section "Who was first" of protocol.md.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kemps_p2p.game.actions import kind
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.poll import places_in
from kemps_p2p.ledger.tape import TapeItem
from kemps_p2p.report.contests import Contested
from kemps_p2p.session.match import Match
from kemps_p2p.session.races import Asked


@dataclass(frozen=True, slots=True)
class Word:
    """The word of one witness. `saw`: claims by their place among those asked for, the earliest first."""

    witness: Seat
    saw: tuple[int, ...]


def words_on(claims: Sequence[Asked], items: Iterable[TapeItem], asked: Iterable[Seat]) -> tuple[Word, ...]:
    """The word of everybody who may speak: of two claimants neither, of more each on the others' claims."""
    tapes = places_in(items, {claim.id for claim in claims})
    claimants = {claim.seat for claim in claims}
    words = []
    for witness in asked:
        if len(claimants - {witness}) < 2:
            continue
        places = tapes.get(witness, {})
        seen = [index for index, claim in enumerate(claims) if claim.id in places and claim.seat != witness]
        words.append(Word(witness, tuple(sorted(seen, key=lambda index: places[claims[index].id]))))
    return tuple(words)


def words_json(match: Match, found: Contested) -> dict[str, object]:
    """The claims of a race and the words on them, as data. `match`: as it was before the race was decided."""
    asked = [*map(Seat, range(match.seats)), *([] if match.observer is None else [match.observer])]
    cut = match.cut if any(race.by_cut for race in found.races) else None
    counted = (item for item in found.shown if cut is None or item.item.number < cut.lengths[item.seat])
    return {
        "claims": [{"seat": claim.seat, "kind": kind(claim.action).value} for claim in found.claims],
        "orders": [
            {"witness": word.witness, "saw": list(word.saw)}
            for word in words_on(found.claims, counted, asked)
        ],
    }
