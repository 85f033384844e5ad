"""Where a peer listens once it has moved: what it signs about that, and what others make of it.

Pure. Invariants:

1. A whereabouts is believed only with the signature of the identity whose CURVE key it names.
2. Of two by one peer the one with the greater number counts; it names no more than `PLACES_MAX` addresses.

Section "Transport" of protocol.md.
"""

from collections.abc import Iterable, Mapping, Sequence
from ipaddress import ip_address, ip_network

from kemps_p2p.codec import Record, decode, encode, tagged_hash
from kemps_p2p.errors import Fault, PeerFault
from kemps_p2p.ledger.identity import Identity, verify
from kemps_p2p.runtime.addresses import Interface, Place, nearest_first, read_place
from kemps_p2p.runtime.links import is_address
from kemps_p2p.runtime.zap import PublicKey
from kemps_p2p.session.messages import Moved

MOVED_LABEL = "kemps/v1/moved"
PLACES_MAX = 16
WORD_BYTES_MAX = 4096


class Whereabouts(Record, frozen=True):
    """Where the peer with this CURVE key listens from now on. `number`: of two, the greater counts."""

    curve: bytes
    addresses: tuple[str, ...]
    number: int


def sign_whereabouts(identity: Identity, whereabouts: Whereabouts) -> Moved:
    """As it is told to the others."""
    raw = encode(whereabouts)
    return Moved(raw=raw, signature=identity.sign(MOVED_LABEL, raw))


def read_whereabouts(moved: Moved, identities: Mapping[PublicKey, bytes]) -> Whereabouts:
    """What a peer of the table has signed; `identities`: their keys by CURVE key. Raises `PeerFault`."""
    if len(moved.raw) > WORD_BYTES_MAX:
        raise PeerFault(Fault.TOO_LARGE, "whereabouts that are too large")
    whereabouts = decode(moved.raw, Whereabouts)
    identity = identities.get(PublicKey(whereabouts.curve))
    if identity is None:
        raise PeerFault(Fault.WRONG_SEAT, "whereabouts of a peer that is not of this table")
    verify(identity, MOVED_LABEL, moved.raw, moved.signature)
    if len(whereabouts.addresses) > PLACES_MAX or not all(map(is_address, whereabouts.addresses)):
        raise PeerFault(Fault.MALFORMED, "whereabouts that nobody can go to")
    return whereabouts


def seek_name(curve: PublicKey) -> str:
    """What a peer that is looked for is called on the network; it tells nothing to who lacks the key."""
    return tagged_hash("kemps/v1/seek", curve).hex()[:32]


def in_order(addresses: Sequence[str], before: str, known: Iterable[Interface]) -> list[str]:
    """Addresses of a peer in the order to try them: first those beside where it was, then the nearest."""
    hosts = {address: place.host for address in addresses if (place := _numeric(address)) is not None}
    near = nearest_first(dict.fromkeys(hosts.values()), known)
    was = _numeric(before)
    if was is not None:
        # What its prefix is, the other side does not say; most networks of homes and clubs are so large.
        size = 64 if ":" in was.host else 24
        network = ip_network(f"{was.host.partition('%')[0]}/{size}", strict=False)
        near.sort(key=lambda host: ip_address(host) not in network)
    return sorted(addresses, key=lambda each: near.index(hosts[each]) if each in hosts else len(near))


def _numeric(address: str) -> Place | None:
    """The place of an address of numbers; None for a name."""
    place = read_place(address.removeprefix("tcp://"))
    if place is None:
        return None
    try:
        ip_address(place.host)
    except ValueError:
        return None
    return place
