"""What a runner needs of whatever carries bytes between peers: the mesh of sockets, or a room in one process.

Knows no match and no seat; peers are known by their 32-byte keys. A carrier keeps three promises:

1. What one peer sends to another arrives in order, or not at all.
2. `send` never blocks.
3. After `deliver(handler)` every arrival goes to the handler, or to whoever asks `arrived` first.
"""

from collections.abc import Callable
from typing import Protocol

from kemps_p2p.runtime.transport import Arrival, PublicKey


class Carrier(Protocol):
    """Carries messages of one peer. `Mesh` and `LocalMesh` are carriers."""

    @property
    def public_key(self) -> PublicKey:
        """By what the others know this peer."""

    def deliver(self, handler: Callable[[list[Arrival]], None] | None) -> None:
        """Hand arrivals to `handler` from now on; None: keep them."""

    def arrived(self) -> list[Arrival]:
        """What has arrived and was not handed over yet."""

    def send(self, peer: PublicKey, data: bytes) -> bool:
        """Send to a peer; False if it cannot be taken."""
