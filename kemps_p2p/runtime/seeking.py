"""Looking for peers that nobody can tell about any more: multicast on the local network, `_kemps-seat._tcp`.

Only while a peer is missing does this one announce itself and look for others. What is found is a hint: only
the peer with the right CURVE key is spoken to there. Multicast is no necessity, so its failures are no news.

Section "Transport" of protocol.md.
"""

import asyncio
import contextlib
import importlib
from collections.abc import Callable, Sequence

from kemps_p2p.errors import RuntimeFault
from kemps_p2p.runtime.addresses import Place
from kemps_p2p.runtime.whereabouts import PLACES_MAX, seek_name
from kemps_p2p.runtime.zap import PublicKey
from kemps_p2p.session.messages import PROTOCOL_VERSION

SERVICE = "_kemps-seat._tcp.local."
LOOK_AGAIN_S = 1.0
"""Between two looks; each sees the interfaces that there are then."""


class Seeker:
    """Looks for missing peers. `place`: where this one listens; `found` is told where another seems to be."""

    def __init__(
        self, own: PublicKey, place: Place, found: Callable[[PublicKey, tuple[str, ...]], None]
    ) -> None:
        self._own, self._place, self._found = own, place, found
        self._missing: dict[str, PublicKey] = {}
        self._seeking: asyncio.Task[None] | None = None

    def look_for(self, peers: Sequence[PublicKey]) -> None:
        """Look for these and no others from now on; this returns at once."""
        self._missing = {seek_name(peer): peer for peer in peers}
        if self._missing and (self._seeking is None or self._seeking.done()):
            self._seeking = asyncio.create_task(self._seek())

    async def close(self) -> None:
        """Stop."""
        if self._seeking is not None:
            self._seeking.cancel()
            await asyncio.gather(self._seeking, return_exceptions=True)

    async def _seek(self) -> None:
        # Loading it takes longer than a turn of play may stand still.
        discovery = await asyncio.to_thread(importlib.import_module, "kemps_p2p.runtime.discovery")
        own = discovery.Announcement(SERVICE, seek_name(self._own), {"v": str(PROTOCOL_VERSION)})
        announcer = discovery.Announcer(lambda: own, self._place, None, lambda why: None)
        announcer.start()
        try:
            while names := tuple(self._missing):
                with contextlib.suppress(RuntimeFault):  # There may be no network just now.
                    for name, places in (await discovery.places_of(SERVICE, names)).items():
                        if name in self._missing:
                            endpoints = tuple(place.endpoint for place in places[:PLACES_MAX])
                            self._found(self._missing[name], endpoints)
                await asyncio.sleep(LOOK_AGAIN_S)
        finally:
            await announcer.close()
