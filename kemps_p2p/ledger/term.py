"""Whose duty ordering is. Hand-over after a failure will live here too.

The duty rotates with the deals: no seat orders a whole match. Section "Terms" of protocol.md.
"""

from kemps_p2p.ids import Seat


def on_duty(seats: int, first_dealer: Seat, deal: int) -> Seat:
    """The sequencer of a deal (from 0): seat (first dealer + deal) mod n."""
    return Seat((first_dealer + deal) % seats)
