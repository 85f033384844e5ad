"""Addresses of this machine and of tables: reading them, choosing them, and what others can reach.

Nothing is sent anywhere to find out the own address: the interfaces are asked.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import ip_address, ip_interface
from pathlib import Path

import ifaddr

from kemps_p2p.errors import RuntimeFault

PORT = 5367
"""K-E-M-P on the keys of a telephone. A peer's own port at the table is one of the next, where it is free."""
PEER_PORTS = range(PORT + 1, PORT + 17)
_WITH_PORT = re.compile(r":\d+$")
_PLACE = re.compile(
    r"(?:\[(?P<six>[0-9A-Fa-f:.]+(?:%\w+)?)\]|(?P<host>[A-Za-z0-9._-]+))(?::(?P<port>\d{1,5}))?"
)


@dataclass(frozen=True, slots=True)
class Place:
    """Where something listens: a host name or an IP address, and a port."""

    host: str
    port: int

    def __str__(self) -> str:
        """As people and ZeroMQ write it."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def endpoint(self) -> str:
        """For ZeroMQ."""
        return f"tcp://{self}"


@dataclass(frozen=True, slots=True)
class Interface:
    """One address of one interface of this machine."""

    name: str
    ip: str
    prefix: int

    @property
    def is_loopback(self) -> bool:
        """True if only this machine is reached by it."""
        return ip_address(self.ip).is_loopback

    @property
    def is_local_link(self) -> bool:
        """True for an address that means something only together with its interface."""
        return ":" in self.ip and ip_address(self.ip).is_link_local


def read_place(text: str, port: int = PORT) -> Place | None:
    """`HOST`, `HOST:PORT`, `[IPV6]`, `[IPV6]:PORT` or a bare IPv6 address; None if it is no address."""
    try:
        return Place(str(ip_address(text)), port)
    except ValueError:
        pass
    found = _PLACE.fullmatch(text)
    if found is None or not 0 < int(found["port"] or port) < 65536:
        return None
    return Place(found["six"] or found["host"], int(found["port"] or port))


def is_like_place(text: str) -> bool:
    """Whether a text is meant as an address, right or wrong, and not as the name of a table."""
    return text.startswith("[") or _is_ip(text) or text == "localhost" or _WITH_PORT.search(text) is not None


def _is_ip(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def is_loopback(host: str) -> bool:
    """True for an address at which only this machine is reached."""
    return _is_ip(host) and ip_address(host).is_loopback


def everywhere(host: str) -> str:
    """The address that stands for all of this machine's of the same kind."""
    return "::" if ip_address(host).version == 6 else "0.0.0.0"


def interfaces(only: str | None = None) -> tuple[Interface, ...]:
    """All addresses of all interfaces that are up, or of the one that is named. Raises `RuntimeFault`."""
    found = []
    for adapter in filter(_is_up, ifaddr.get_adapters()):
        for ip in adapter.ips:
            text = ip.ip if isinstance(ip.ip, str) else ip.ip[0]
            if only is None or only in (adapter.name, adapter.nice_name, text):
                found.append(Interface(adapter.nice_name, text, int(ip.network_prefix)))
    if only is not None and not found:
        raise RuntimeFault(f"there is no interface {only!r} with an address")
    return tuple(found)


def _is_up(adapter: ifaddr.Adapter) -> bool:
    """Whether the system would send anything there. An interface keeps its addresses while it is down."""
    try:
        state = Path(f"/sys/class/net/{adapter.nice_name}/operstate").read_text(encoding="ascii")
    except (OSError, ValueError):
        # Other systems list only what is up.
        return True
    return state.strip() not in {"down", "lowerlayerdown", "notpresent"}


def shared_addresses(bind: str, known: Iterable[Interface]) -> tuple[str, ...]:
    """Where others reach what listens on `bind`: real addresses, or loopback where there are none."""
    mine = [each for each in known if not each.is_local_link]
    if not ip_address(bind).is_unspecified:
        return (bind,)
    if ":" not in bind:
        mine = [each for each in mine if ":" not in each.ip]
    real = [each.ip for each in mine if not each.is_loopback]
    return tuple(real or [each.ip for each in mine])


def nearest_first(addresses: Iterable[str], known: Iterable[Interface]) -> list[str]:
    """Addresses of another machine in the order to try them: those of a network that we are on come first."""
    networks = [ip_interface(f"{each.ip}/{each.prefix}").network for each in known if not each.is_local_link]

    def distance(text: str) -> tuple[bool, bool]:
        address = ip_address(text)
        return not any(address in network for network in networks), address.version == 6

    return sorted(addresses, key=distance)


def reachable(endpoint: str, host: str) -> str:
    """A peer's endpoint as the host gave it, seen from here; `host`: the address at which we reach the host.

    A peer on the host's own machine may know only a loopback address; for us it is where the host is.
    """
    head, _, rest = endpoint.partition("://")
    place = read_place(rest)
    if place is None or not _is_ip(place.host) or not _is_ip(host):
        return endpoint
    is_there = ip_address(place.host).is_loopback or ip_address(place.host).is_unspecified
    if not is_there or ip_address(host).is_loopback:
        return endpoint
    return f"{head}://{Place(host, place.port)}"
