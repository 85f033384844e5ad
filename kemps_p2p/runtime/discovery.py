"""Finding tables on the local network: mDNS, `_kemps._tcp`, on all addresses of all interfaces.

What is found is somebody's word; only a join proves anything. Everything here runs in the background: it may
take seconds, or fail where there is no network, and a table works without it. Invariants:

1. A table is found once, however many interfaces, addresses and names lead to it.
2. Nothing that was announced reaches a screen before it was made harmless and cut to length.
3. What strangers announce is bounded in number and size.

Section "Joining" of protocol.md.
"""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass

from zeroconf import Error as ZeroconfError
from zeroconf import IPVersion, ServiceStateChange, Zeroconf
from zeroconf.asyncio import AsyncServiceBrowser, AsyncServiceInfo, AsyncZeroconf

from kemps_p2p.errors import KempsError, RuntimeFault, Unreachable
from kemps_p2p.runtime.addresses import Interface, Place, interfaces, nearest_first, shared_addresses
from kemps_p2p.runtime.guests import TABLE_CHARACTERS_MAX
from kemps_p2p.runtime.handshake import Notice
from kemps_p2p.runtime.joining import asked
from kemps_p2p.session.messages import PROTOCOL_VERSION
from kemps_p2p.wording.plain import plain

SERVICE = "_kemps._tcp.local."
LOOK_S = 2.5
RETRY_S = 5.0
ANSWER_S = 2.0
STAGGER_S = 0.25
TABLES_MAX = 64
PLAYERS_MAX = 16
WORD_CHARACTERS_MAX = 40

# It would write to the terminal that it meets a strange packet or an interface that comes and goes.
logging.getLogger("zeroconf").addHandler(logging.NullHandler())
logging.getLogger("zeroconf").propagate = False


@dataclass(frozen=True, slots=True)
class Found:
    """A table as it announces itself: unproven, made harmless. `version`: that of its protocol."""

    version: int
    notice: Notice
    places: tuple[Place, ...]

    @property
    def key(self) -> tuple[str, int]:
        """What makes two announcements one table."""
        return self.notice.host, self.notice.number


@dataclass(frozen=True, slots=True)
class Announcement:
    """What is announced: a service, a label that is unique there, and its TXT record."""

    service: str
    label: str
    text: Mapping[str, str]


def table_announcement(notice: Notice) -> Announcement:
    """How a table is announced."""
    return Announcement(SERVICE, f"kemps-{notice.number}-{notice.host}", as_text(notice))


def as_text(notice: Notice) -> dict[str, str]:
    """The TXT record of a table."""
    return {
        "v": str(PROTOCOL_VERSION),
        "t": notice.table,
        "n": str(notice.number),
        "s": str(notice.taken),
        "p": str(notice.players),
        "r": notice.rules,
        "d": notice.rules_digest,
        "k": notice.host,
    }


def read_text(text: Mapping[bytes, bytes | None], places: Sequence[Place]) -> Found | None:
    """What a TXT record says, made harmless; None if it is not one of a table."""
    said = {
        key: (text.get(key.encode()) or b"")[:256].decode("utf-8", errors="replace")
        for key in ("v", "t", "n", "s", "p", "r", "d", "k")
    }
    numbers = [said[key] for key in ("v", "n", "s", "p")]
    if not all(number.isascii() and number.isdigit() and len(number) <= 4 for number in numbers):
        return None
    version, number, taken, players = map(int, numbers)
    if not said["k"] or not 0 < players <= PLAYERS_MAX or taken > players or not places:
        return None
    notice = Notice(
        table=plain(said["t"], TABLE_CHARACTERS_MAX),
        number=number,
        players=players,
        taken=taken,
        rules=plain(said["r"], WORD_CHARACTERS_MAX),
        rules_digest=plain(said["d"], WORD_CHARACTERS_MAX),
        host=plain(said["k"], WORD_CHARACTERS_MAX),
        is_open=1,
        is_announced=1,
    )
    return Found(version, notice, tuple(places))


def zeroconf_on(addresses: Sequence[str]) -> AsyncZeroconf:
    """Speak mDNS on these addresses of this machine. Raises `RuntimeFault` where that cannot be."""
    four = [address for address in addresses if ":" not in address]
    if not four:
        raise RuntimeFault("no network interface is up")
    try:
        # One family is enough to find a table, whatever addresses it then names.
        return AsyncZeroconf(interfaces=four, ip_version=IPVersion.V4Only)
    except (OSError, ZeroconfError) as error:
        raise RuntimeFault(f"multicast cannot be used: {error}") from None


def local_interfaces(only: str | None) -> tuple[Interface, ...]:
    """The addresses on which one can speak mDNS, of one interface or of all. Raises `RuntimeFault`."""
    return tuple(each for each in interfaces(only) if not each.is_local_link)


class Announcer:
    """Keeps a place announced, in the background. `say` hears why if it cannot."""

    def __init__(
        self, said: Callable[[], Announcement], place: Place, only: str | None, say: Callable[[str], None]
    ) -> None:
        self._said, self._place, self._only, self._say = said, place, only, say
        self._changed = asyncio.Event()
        self._running: asyncio.Task[None] | None = None
        self.is_announced = False

    def start(self) -> None:
        """Begin; this returns at once."""
        self._running = asyncio.create_task(self._run())

    def update(self) -> None:
        """There is something else to announce."""
        self._changed.set()

    async def close(self) -> None:
        """Take the announcement back."""
        if self._running is None:
            return
        self._running.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._running

    async def _run(self) -> None:
        told = ""
        while True:
            try:
                await self._announce(shared_addresses(self._place.host, local_interfaces(self._only)))
            except (KempsError, OSError, ZeroconfError) as error:
                self.is_announced = False
                if str(error) != told:
                    told = str(error)
                    self._say(told)
                await asyncio.sleep(RETRY_S)

    async def _announce(self, addresses: tuple[str, ...]) -> None:
        """Announce at these addresses, until they are others."""
        mdns = zeroconf_on(addresses)
        try:
            said = self._said()
            info = self._info(said, addresses)
            await (await mdns.async_register_service(info))
            self.is_announced = True
            while shared_addresses(self._place.host, local_interfaces(self._only)) == addresses:
                self._changed.clear()
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(RETRY_S):
                        await self._changed.wait()
                if self._said() != said:
                    said = self._said()
                    await (await mdns.async_update_service(self._info(said, addresses)))
        finally:
            self.is_announced = False
            with contextlib.suppress(OSError, ZeroconfError):
                await mdns.async_unregister_all_services()
            await mdns.async_close()

    def _info(self, said: Announcement, addresses: Sequence[str]) -> AsyncServiceInfo:
        return AsyncServiceInfo(
            said.service,
            f"{said.label}.{said.service}",
            port=self._place.port,
            properties=dict(said.text),
            # A name of its own, so that this machine's other names are left alone.
            server=f"{said.label}.local.",
            parsed_addresses=list(addresses),
        )


class Browser:
    """Watches which tables are announced. Use `browsing`."""

    def __init__(self, mdns: AsyncZeroconf) -> None:
        self._mdns = mdns
        self._found: dict[str, Found] = {}
        self._asking: dict[str, asyncio.Task[None]] = {}
        self.changed = asyncio.Event()
        self._browser = AsyncServiceBrowser(mdns.zeroconf, SERVICE, handlers=[self._on_change])

    @property
    def tables(self) -> tuple[Found, ...]:
        """The tables there are now, each once, by name."""
        unique: dict[tuple[str, int], Found] = {}
        for found in self._found.values():
            known = unique.get(found.key)
            places = found.places if known is None else (*known.places, *found.places)
            unique[found.key] = Found(found.version, found.notice, tuple(dict.fromkeys(places)))
        return tuple(sorted(unique.values(), key=lambda found: (found.notice.table, found.key)))

    async def close(self) -> None:
        """Stop."""
        for task in self._asking.values():
            task.cancel()
        await self._browser.async_cancel()

    def _on_change(
        self, zeroconf: Zeroconf, service_type: str, name: str, state_change: ServiceStateChange
    ) -> None:
        del zeroconf, service_type
        asking = self._asking.pop(name, None)
        if asking is not None:
            asking.cancel()
        if state_change is ServiceStateChange.Removed:
            if self._found.pop(name, None) is not None:
                self.changed.set()
        elif len(self._asking) + len(self._found) < TABLES_MAX or name in self._found:
            self._asking[name] = asyncio.create_task(self._ask(name))

    async def _ask(self, name: str) -> None:
        info = AsyncServiceInfo(SERVICE, name)
        if await info.async_request(self._mdns.zeroconf, ANSWER_S * 1000) and info.port:
            addresses = info.parsed_scoped_addresses()[:16]
            found = read_text(info.properties, [Place(address, info.port) for address in addresses])
            if found is not None:
                self._found[name] = found
                self.changed.set()
        self._asking.pop(name, None)


@contextlib.asynccontextmanager
async def browsing(only: str | None = None) -> AsyncIterator[Browser]:
    """Look for tables for as long as this holds. Raises `RuntimeFault` where there is no network."""
    mdns = zeroconf_on([each.ip for each in local_interfaces(only)])
    try:
        browser = Browser(mdns)
        try:
            yield browser
        finally:
            await browser.close()
    finally:
        await mdns.async_close()


async def look(limit_s: float = LOOK_S, only: str | None = None) -> tuple[Found, ...]:
    """The tables that are announced within `limit_s`."""
    async with browsing(only) as browser:
        await asyncio.sleep(limit_s)
        return browser.tables


async def look_for(
    fits: Callable[[Found], bool], limit_s: float, only: str | None = None
) -> tuple[Found, ...]:
    """The tables that fit, as soon as there is one and a moment has passed for a second one to show up."""
    async with browsing(only) as browser:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(limit_s):
                while not any(map(fits, browser.tables)):
                    browser.changed.clear()
                    await browser.changed.wait()
                await asyncio.sleep(STAGGER_S)
        return tuple(filter(fits, browser.tables))


async def place_of(found: Found) -> Place:
    """The address at which this very table answers, the nearest first. Raises `Unreachable`."""
    by_host = {place.host: place for place in found.places}
    order = [by_host[host] for host in nearest_first(by_host, local_interfaces(None))]

    async def answer(place: Place, after_s: float) -> Place | None:
        await asyncio.sleep(after_s)
        try:
            notice = await asked(place, ANSWER_S)
        except KempsError:
            return None
        return place if (notice.host, notice.number) == found.key else None

    asking = [asyncio.create_task(answer(place, index * STAGGER_S)) for index, place in enumerate(order)]
    try:
        for first in asyncio.as_completed(asking):
            place = await first
            if place is not None:
                return place
    finally:
        for task in asking:
            task.cancel()
        await asyncio.gather(*asking, return_exceptions=True)
    tried = ", ".join(map(str, order))
    raise Unreachable(f"the table {found.notice.table} is announced, and does not answer at {tried}")


async def places_of(service: str, labels: Sequence[str]) -> dict[str, tuple[Place, ...]]:
    """Where those listen that are announced under these labels, as far as they answer in time.

    Raises `RuntimeFault` where there is no network.
    """
    mdns = zeroconf_on([each.ip for each in local_interfaces(None)])
    try:
        infos = {label: AsyncServiceInfo(service, f"{label}.{service}") for label in labels}
        asking = (info.async_request(mdns.zeroconf, ANSWER_S * 1000) for info in infos.values())
        answered = await asyncio.gather(*asking)
        return {
            label: tuple(Place(address, info.port) for address in info.parsed_scoped_addresses())
            for (label, info), is_there in zip(infos.items(), answered, strict=True)
            if is_there and info.port
        }
    finally:
        await mdns.async_close()
