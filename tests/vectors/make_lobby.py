"""Vectors of the lobby: what a seat hears there, with one thing wrong at most.

They are of the lobby in the examples of protocol.md, as seat 0 hears it. The liar signs what it says.
"""

from collections.abc import Iterator
from typing import Any

from msgspec import structs

from kemps_p2p.codec import encode
from kemps_p2p.errors import Fault
from kemps_p2p.game.rules import canonical_text, load_rules, override
from kemps_p2p.ids import Seat
from kemps_p2p.session.messages import LobbyBody, LobbyWords, Reveal, Seal, Sit, pack, read_lobby
from protocol_table import SEATS, identity, words_of
from vectors.form import ELSEWHERE, Vector, as_text

LISTENER = Seat(0)
LIAR = Seat(1)
LABEL = "kemps/v1/lobby"
OTHERS = tuple(seat for seat in SEATS if seat != LISTENER)


def files(setting: dict[str, Any]) -> dict[str, str]:
    """The files by name."""
    return {"session/lobby.json": as_text({**setting, "vectors": list(vectors())})}


def honest(kind: type[Any], *seats: Seat) -> list[bytes]:
    """What seats say of one kind in the examples."""
    return [words_of(seat, kind)[0] for seat in seats]


def body_of(kind: type[Any]) -> Any:
    """What the liar would honestly say."""
    return read_lobby(words_of(LIAR, kind)[1].raw)


def said(body: LobbyBody | bytes, *, seat: int = LIAR, table: bytes | None = None) -> bytes:
    """Words of the liar, signed by its key; `seat`: whom it says they are of."""
    raw = body if isinstance(body, bytes) else encode(body)
    at = words_of(LIAR, Sit)[1].table if table is None else table
    signature = identity(LIAR).sign(LABEL, at + raw)
    return pack(LobbyWords(seat=seat, table=at, raw=raw, signature=signature))  # type: ignore[arg-type]


def vectors() -> Iterator[Vector]:
    """What is heard in order, and then the message that is looked at."""
    sits, reveals = honest(Sit, *OTHERS), honest(Reveal, *OTHERS)
    sit, reveal, seal = body_of(Sit), body_of(Reveal), body_of(Seal)
    rules = canonical_text(override(load_rules("kemps"), {"look_ms": 900}))

    def told(
        name: str, heard: list[bytes], message: bytes, fault: Fault | None = None, culprit: int | None = None
    ) -> Vector:
        return {
            "name": name,
            "heard": [each.hex() for each in heard],
            "message": message.hex(),
            "fault": None if fault is None else fault.value,
            "culprit": culprit,
        }

    def lie(name: str, heard: list[bytes], body: LobbyBody | bytes, fault: Fault) -> Vector:
        return told(name, heard, said(body), fault, LIAR)

    yield told("a sit", [], sits[0])
    yield told("a sit that comes again", sits[:1], sits[0])
    yield told("a reveal", sits, reveals[0])
    yield told("a reveal before all sit", sits[:1], reveals[0])
    yield told("a seal", [*sits, *reveals], honest(Seal, LIAR)[0])
    yield told("words of another table", [], said(sit, table=ELSEWHERE), Fault.BAD_GENESIS)
    yield told("words of a seat that is not there", [], said(sit, seat=4), Fault.WRONG_SEAT)
    yield told("words signed by another seat", [], said(sit, seat=2), Fault.BAD_SIGNATURE)
    yield lie("a sit with another rule set", [], structs.replace(sit, rules=rules), Fault.OTHER_RULES)
    yield lie("a sit without a rule set", [], structs.replace(sit, rules="?"), Fault.BAD_GENESIS)
    yield lie("a second sit", sits, structs.replace(sit, nonce=ELSEWHERE), Fault.EQUIVOCATION)
    yield lie("a coin of 31 bytes", [], structs.replace(sit, coin=bytes(31)), Fault.MALFORMED)
    for field in ("nonce", "nonce_salt", "name_salt"):
        other = structs.replace(reveal, **{field: ELSEWHERE})
        yield lie(f"a reveal with another {field}", sits, other, Fault.BAD_COMMITMENT)
        short = structs.replace(reveal, **{field: bytes(31)})
        yield lie(f"a reveal with a {field} of 31 bytes", sits, short, Fault.MALFORMED)
    yield lie("a reveal with another name", sits, structs.replace(reveal, name="Bert"), Fault.BAD_COMMITMENT)
    for name in ("", " Ben", "Ben ", "B\ten", "B" * 25):
        yield lie(f"a reveal of {name!r}", sits, structs.replace(reveal, name=name), Fault.MALFORMED)
    false = structs.replace(seal, signature=bytes(64))
    yield lie("a seal that does not verify", [*sits, *reveals], false, Fault.BAD_SIGNATURE)
    yield lie("no body", [], b"\x91\x09", Fault.MALFORMED)
