"""Every hand of a finished match, opened with the seeds that its seats published.

Knows nothing that is not in the log. Section "Log" of protocol.md.
"""

from collections.abc import Mapping

from kemps_p2p.deck.deal import open_all
from kemps_p2p.errors import Missing
from kemps_p2p.game.cards import Card
from kemps_p2p.ids import Position
from kemps_p2p.session.match import Match, rounds

Faces = Mapping[Position, Card]


def opened_deals(match: Match) -> dict[int, dict[Position, Card]]:
    """By deal: the face of every position. A deal whose seeds or turns are not all there is left out."""
    found: dict[int, dict[Position, Card]] = {}
    for deal in range(match.game.deal + 1):
        seeds = {seat: seed for seat, seed in match.seeds.get(deal, {}).items() if seed}
        faces: dict[Position, Card] = {}
        try:
            for deck in rounds(match, deal):
                cards = open_all(deck, seeds)
                faces.update(zip(map(Position, deck.positions), map(Card, cards), strict=True))
        except Missing:
            continue
        found[deal] = faces
    return found
