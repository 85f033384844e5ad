"""How often the code of a table may be guessed: counted for the table, and for each address.

Pure: addresses and the monotonic clock come in. Invariants:

1. After `GUESSES_MAX` wrong guesses the code is used up: nothing is tried until the pause is over, and then
   only a new code counts. Pauses double, so that an hour allows fewer than a hundred guesses from anywhere.
2. What is remembered is bounded, whoever knocks.
"""

from ipaddress import IPv6Address, ip_address

from kemps_p2p.errors import NotSeated, Unwelcome

GUESSES_MAX = 10
PAUSE_MS = 30_000
PAUSE_MS_MAX = 3_600_000
ADDRESS_GUESSES_MAX = 10
ADDRESS_WINDOW_MS = 600_000
ADDRESSES_MAX = 256


def neighbourhood(host: str) -> str:
    """What counts as one address: with IPv6 a whole /64, since any machine has that many addresses."""
    try:
        address = ip_address(host)
    except ValueError:
        return host
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        return address.packed[:8].hex()
    return str(address)


class Guesses:
    """The wrong guesses at one table."""

    def __init__(self) -> None:
        self._wrong_count = 0
        self._pause_ms = PAUSE_MS
        self._paused_until_ms: int | None = None
        self._by_address: dict[str, list[int]] = {}

    @property
    def wrong_count(self) -> int:
        """Wrong guesses at the present code."""
        return self._wrong_count

    def check(self, host: str, now_ms: int) -> None:
        """Raise `NotSeated` if no guess may be made now; its detail is the number of seconds to wait."""
        if self._paused_until_ms is not None and now_ms < self._paused_until_ms:
            raise NotSeated(Unwelcome.TOO_MANY_GUESSES, _seconds(self._paused_until_ms - now_ms))
        recent = self._recent(neighbourhood(host), now_ms)
        if len(recent) >= ADDRESS_GUESSES_MAX:
            raise NotSeated(Unwelcome.GUESSES_TOO_OFTEN, _seconds(recent[0] + ADDRESS_WINDOW_MS - now_ms))

    def wrong(self, host: str, now_ms: int) -> bool:
        """Count a wrong guess. True if it used the code up, and a new one is to be drawn."""
        place = neighbourhood(host)
        recent = self._recent(place, now_ms)
        recent.append(now_ms)
        self._by_address[place] = recent
        if len(self._by_address) > ADDRESSES_MAX:
            # Whoever is forgotten here is bounded by the table's own count all the same.
            del self._by_address[min(self._by_address, key=lambda known: self._by_address[known][-1])]
        self._wrong_count += 1
        if self._wrong_count < GUESSES_MAX:
            return False
        self._wrong_count = 0
        self._paused_until_ms = now_ms + self._pause_ms
        self._pause_ms = min(2 * self._pause_ms, PAUSE_MS_MAX)
        return True

    def _recent(self, place: str, now_ms: int) -> list[int]:
        return [at for at in self._by_address.get(place, []) if now_ms - at < ADDRESS_WINDOW_MS]


def _seconds(ms: int) -> str:
    return str(-(-ms // 1000))
