"""The dealer's word on claims that the table's poll finds together, where the rules give it one.

It is not asked for: it is the order in which the dealer's tape gives receipts for them, as it stands in the
evidence. So it is as old as the receipts, and no later word changes it. Invariant:

1. Nobody orders a set in which its own team has a claim.

Section "Who was first" of protocol.md.
"""

from collections.abc import Iterable, Mapping

from kemps_p2p.codec import Digest
from kemps_p2p.game.rules import PollTie
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.poll import Places, places_in
from kemps_p2p.ledger.tape import Receipt, TapeItem
from kemps_p2p.session.match import Match


def arbiter(match: Match, claimants: Iterable[Seat]) -> Seat | None:
    """The seat whose tape orders claims of these seats that are together; None if they are drawn."""
    dealer = match.game.dealer
    teams = {match.team_of(seat) for seat in claimants}
    is_dealers = match.founding.rules.poll_tie is PollTie.DEALER
    return dealer if is_dealers and match.team_of(dealer) not in teams else None


def ruling(match: Match, claims: Mapping[Digest, TapeItem], evidence: Iterable[TapeItem]) -> Places | None:
    """Where the arbiter's tape has the claims, if it has given a receipt for each; None otherwise."""
    seat = arbiter(match, (item.seat for item in claims.values()))
    words = [item for item in evidence if item.seat == seat]
    receipted = {said.claim for item in words for said in item.item.body if isinstance(said, Receipt)}
    if seat is None or not receipted.issuperset(claims):
        return None
    return places_in(words, claims.keys())[seat]
