"""Why a table may not be found or reached: looks at this machine, and from here at an address.

Knows causes, not sentences. Invariant: on a set-up on which tables are found and joined it finds nothing.
"""

import asyncio
import contextlib
import errno
import secrets
import socket
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import ip_address, ip_interface
from pathlib import Path

from kemps_p2p.errors import KempsError, NotSeated, Unreachable, Unwelcome
from kemps_p2p.runtime.addresses import Interface, Place, interfaces, is_loopback
from kemps_p2p.runtime.discovery import look_for
from kemps_p2p.runtime.handshake import Notice
from kemps_p2p.runtime.joining import asked
from kemps_p2p.wording.ailments import Ailment

_GROUP, _MDNS_PORT = "224.0.0.251", 5353
_ECHO_S = 1.0
_ASK_S = 5.0
_LOOK_S = 5.0
_FLAG_POINT_TO_POINT, _FLAG_MULTICAST = 0x10, 0x1000
_DISCARD_PORT = 9


@dataclass(frozen=True, slots=True)
class Complaint:
    """One thing that is the matter, and with what: an interface, a port, an address, a version."""

    ailment: Ailment
    detail: str


@dataclass(frozen=True, slots=True)
class Examined:
    """What was looked at and what was found: the interfaces to other machines, by name, and a table.

    `port`: the own join port, with what answers there; `table`: what answers at the place that was asked for.
    None if no table does.
    """

    complaints: tuple[Complaint, ...]
    interfaces: tuple[str, ...]
    port: tuple[int, Notice | None]
    table: Notice | None


async def examine(place: Place | None, port: int, only: str | None) -> Examined:
    """Look at this machine, and from here at `place`. `port`: the own join port. `only`: one interface."""
    here = interfaces(only)
    outward = [each for each in here if not each.is_loopback and not each.is_local_link]
    of_port, own = await _examine_port(port)
    of_place, other = ([], None) if place is None else await _examine_place(place, here)
    complaints = (*await _examine_interfaces(outward), *of_port, *of_place)
    names = tuple(dict.fromkeys(each.name for each in outward))
    return Examined(complaints, names, (port, own), other)


async def _examine_interfaces(outward: Sequence[Interface]) -> list[Complaint]:
    if not outward:
        return [Complaint(Ailment.NO_INTERFACE, "")]
    four = [each for each in outward if ":" not in each.ip and not _flags(each) & _FLAG_POINT_TO_POINT]
    off = [each for each in four if not _flags(each) & _FLAG_MULTICAST]
    checked = [each for each in four if each not in off]
    echoes = await asyncio.gather(*(_hears_itself(each.ip) for each in checked))
    silent = [each for each, is_heard in zip(checked, echoes, strict=True) if not is_heard]
    return [
        *(Complaint(Ailment.MULTICAST_OFF, each.name) for each in off),
        *(Complaint(Ailment.MULTICAST_BLOCKED, each.name) for each in silent),
    ]


def _flags(interface: Interface) -> int:
    """The interface's flags, where the system tells; else those of one that can do everything."""
    try:
        return int(Path(f"/sys/class/net/{interface.name}/flags").read_text(encoding="ascii"), 16)
    except (OSError, ValueError):
        return _FLAG_MULTICAST


async def _hears_itself(ip: str) -> bool:
    """Whether a question sent by multicast from this address comes back to it, as mDNS needs."""
    # A DNS question for a name that nobody has, so that our own is told from all others.
    label = b"kemps-" + secrets.token_hex(8).encode()
    name = bytes([len(label)]) + label + b"\x05local\x00"
    question = struct.pack(">6H", 0, 0, 1, 0, 0, 0) + name + struct.pack(">2H", 1, 1)
    loop = asyncio.get_running_loop()
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as ear:
            ear.setblocking(False)
            ear.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if hasattr(socket, "SO_REUSEPORT"):
                ear.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            ear.bind(("", _MDNS_PORT))
            membership = socket.inet_aton(_GROUP) + socket.inet_aton(ip)
            ear.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, membership)
            ear.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(ip))
            ear.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_LOOP, 1)
            ear.sendto(question, (_GROUP, _MDNS_PORT))
            async with asyncio.timeout(_ECHO_S):
                while label not in await loop.sock_recv(ear, 9000):
                    pass
    except (OSError, TimeoutError):
        return False
    return True


async def _examine_port(port: int) -> tuple[list[Complaint], Notice | None]:
    """Whether a table could listen here. A table that does already is none to complain about."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind(("0.0.0.0", port))
    except OSError:
        with contextlib.suppress(KempsError):
            return [], await asked(Place("127.0.0.1", port), _ASK_S)
        return [Complaint(Ailment.PORT_TAKEN, str(port))], None
    return [], None


async def _examine_place(place: Place, here: Sequence[Interface]) -> tuple[list[Complaint], Notice | None]:
    try:
        notice = await asked(place, _ASK_S)
    except NotSeated as why:
        if why.reason is Unwelcome.OTHER_VERSION:
            return [Complaint(Ailment.OTHER_VERSION, why.detail)], None
        return [Complaint(Ailment.NOT_KEMPS, str(place))], None
    except Unreachable as fault:
        return [Complaint(await _why_unreachable(place, fault.__cause__, here), str(place))], None
    if is_loopback(place.host) or not (notice.is_open and notice.is_announced):
        return [], notice
    return await _examine_announcement(place, notice), notice


async def _why_unreachable(place: Place, cause: BaseException | None, here: Sequence[Interface]) -> Ailment:
    match cause:
        case socket.gaierror():
            return Ailment.NO_SUCH_HOST
        case OSError(errno=errno.ECONNREFUSED):
            return Ailment.NOT_RUNNING
        case OSError():
            return Ailment.NO_ROUTE
        case _:
            # Nothing came back at all. If a machine of the own network were not there, that would have shown:
            # nobody would have answered for its address.
            is_near = any(_is_in(place.host, each) for each in here)
            return Ailment.PORT_BLOCKED if is_near or await _is_there(place.host) else Ailment.SILENT


def _is_in(host: str, interface: Interface) -> bool:
    try:
        return ip_address(host) in ip_interface(f"{interface.ip}/{interface.prefix}").network
    except ValueError:
        return False


async def _is_there(host: str) -> bool:
    """Whether a machine answers for another port, be it by refusing."""
    try:
        async with asyncio.timeout(_ECHO_S):
            _, writer = await asyncio.open_connection(host, _DISCARD_PORT)
    except ConnectionRefusedError:
        return True
    except (OSError, TimeoutError):
        return False
    writer.close()
    return True


async def _examine_announcement(place: Place, notice: Notice) -> list[Complaint]:
    """Whether a table that we reach, and that is announced, is also found."""
    key = notice.host, notice.number
    try:
        found = await look_for(lambda found: found.key == key, _LOOK_S)
    except KempsError:
        found = ()
    return [] if found else [Complaint(Ailment.NOT_HEARD, str(place))]
