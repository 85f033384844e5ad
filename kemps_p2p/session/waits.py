"""What makes one peer wait before it acks or orders, in one place. Section "Ordering" of protocol.md."""

from dataclasses import dataclass

from kemps_p2p.session.pacing import Pacing
from kemps_p2p.session.patience import Patience
from kemps_p2p.session.seating import Seating
from kemps_p2p.session.silence import Silence


@dataclass(frozen=True, slots=True)
class Waits:
    """What makes a peer wait before it acks: its clock, its patience, who is silent, who is to be seated."""

    pacing: Pacing
    patience: Patience
    silence: Silence
    seating: Seating
