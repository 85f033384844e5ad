"""One guest at a host's table, from when it was let in. Section "Joining" of protocol.md."""

import asyncio

from kemps_p2p.errors import Unreachable
from kemps_p2p.runtime.guests import Guest, Lot, Show, SignedGuest
from kemps_p2p.runtime.transport import now_ms
from kemps_p2p.runtime.wire import Wire


class Visit:
    """One guest that is let in. `heard_at_ms`: when it last said anything."""

    def __init__(self, wire: Wire, guest: Guest, signed: SignedGuest, host: SignedGuest) -> None:
        self.wire, self.guest, self.signed, self.host = wire, guest, signed, host
        self.heard_at_ms = now_ms()
        self.is_shown = False
        self.said: asyncio.Queue[Lot | Show | None] = asyncio.Queue()

    async def drawn(self, number: int) -> Lot | Show:
        """What the guest says next in this round; words of a round before are late. Raises `Unreachable`."""
        while (words := await self.said.get()) is not None:
            if words.round == number:
                return words
        raise Unreachable(f"{self.guest.name} has left")

    def cut_off(self) -> Unreachable:
        """End this visit, whose guest draws as no honest program does."""
        self.wire.abort()
        return Unreachable(f"{self.guest.name} is cut off")
