"""Vectors of the codec: encodings of every record, what is no encoding, hashes and transcripts.

The hashes are made here with nothing but SHA-2, as the section "Encodings and hashes" of protocol.md says, so
that the codec is held against another reading of it.
"""

import hashlib
import random
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import msgpack

from kemps_p2p.codec import encode
from kemps_p2p.errors import Fault
from kemps_p2p.game import actions as act
from kemps_p2p.ledger.tape import NO_DIGEST, Receipt
from kemps_p2p.session.messages import Status, Want, Whisper, Wish
from vectors.form import ELSEWHERE, Vector, as_text, plain, vector
from vectors.shapes import record_types, some

SAMPLES = 2
"""Of each record."""


def files(setting: dict[str, Any]) -> dict[str, str]:
    """The files by name."""
    return {
        "codec/vectors.json": as_text({**setting, "vectors": list(refused_encodings())}),
        "codec/records.json": as_text({"vectors": list(records())}),
        "codec/hashes.json": as_text({"vectors": list(hashes())}),
        "codec/transcripts.json": as_text({"vectors": list(transcripts())}),
        "codec/sizes.json": as_text({"vectors": list(sizes())}),
    }


def refused_encodings() -> Iterator[Vector]:
    """Encodings of some messages, statements and actions, and what is no encoding of any."""
    status = encode(Status(lengths=(1, 0), sums=(ELSEWHERE, NO_DIGEST), final=0))
    yield vector("message", "a status", status)
    yield vector("message", "a whisper", encode(Whisper(text="Hi")))
    yield vector("message", "a wish for a pause", encode(Wish(want=Want.PAUSE)))
    yield vector("statement", "a receipt", encode(Receipt(claim=ELSEWHERE, rivals=())))
    yield vector("action", "a call", encode(act.Call(calls=(act.Counter(target=1),))))
    yield vector("action", "a denial that shows nothing", encode(act.Deny()))
    for name, data in (
        ("nothing", b""),
        ("a byte that begins no value", b"\xc1"),
        ("cut short", status[:-1]),
        ("something behind it", status + b"\x00"),
        ("nil", b"\xc0"),
        ("a map", b"\x81\x00\x00"),
        ("an unknown tag", msgpack.encode([10, "Hi"])),
        ("a tag of text", msgpack.encode(["4", "Hi"])),
        ("no tag", b"\x90"),
        ("a field too few", msgpack.encode([4])),
        ("a field too many", msgpack.encode([4, "Hi", "Hi"])),
        ("bytes for text", msgpack.encode([4, b"Hi"])),
        ("a number for text", msgpack.encode([4, 1])),
        ("text that is not UTF-8", b"\x92\x04\xa2\xff\xfe"),
        ("a float for a number", msgpack.encode([3, [], [], 0.0])),
        ("a truth value for a number", msgpack.encode([3, [], [], False])),
        ("a number beyond 64 bits", b"\x94\x03\x90\x90\xc7\x09\x00" + bytes(9)),
        ("nested too deep", b"\x91" * 10_000 + b"\x90"),
    ):
        yield vector("message", name, data, Fault.MALFORMED)
    for name, data in (
        ("a tag in two bytes", b"\x92\xcc\x04\xa2Hi"),
        ("an array head of three bytes", b"\xdc\x00\x02\x04\xa2Hi"),
        ("a text head of two bytes", b"\x92\x04\xd9\x02Hi"),
        ("a number in nine bytes", b"\x94\x03\x90\x90\xcf" + bytes(8)),
        ("a signed number that needs no sign", b"\x94\x03\x90\x90\xd0\x00"),
    ):
        yield vector("message", name, data, Fault.NOT_CANONICAL)
    long_head = b"\x93\x02\xc5\x00\x20" + ELSEWHERE + b"\x90"
    yield vector("statement", "a digest head of three bytes", long_head, Fault.NOT_CANONICAL)
    yield vector("action", "a default that is left out", msgpack.encode([14]), Fault.NOT_CANONICAL)
    for name, data in (
        ("no such action", msgpack.encode([15])),
        ("too many cards", msgpack.encode([2, list(range(17))])),
        ("too many calls", msgpack.encode([7, [[0]] * 25])),
        ("no such call", msgpack.encode([7, [[4]]])),
        ("a target below 0", msgpack.encode([7, [[2, -1]]])),
        ("a gesture without a name", msgpack.encode([5, ""])),
        ("a gesture with a long name", msgpack.encode([5, "x" * 41])),
        ("a long speech", msgpack.encode([6, "x" * 201])),
    ):
        yield vector("action", name, data, Fault.MALFORMED)


def sizes() -> Iterator[Vector]:
    """What is refused for its size alone, before anything in it is looked at; too long to be written out."""
    for kind, most in (("message", 1 << 20), ("item", 1 << 18)):
        for zeros, fault in ((most, Fault.MALFORMED), (most + 1, Fault.TOO_LARGE)):
            yield {"kind": kind, "name": f"{zeros} zeros", "zeros": zeros, "fault": fault.value}


def records() -> Iterator[Vector]:
    """Every record type of the package, with values that its fields may have; they need not make sense."""
    for kind in record_types():
        seen = set()
        for sample in range(SAMPLES):
            value = some(kind, random.Random(f"{kind.__name__} {sample}"))
            data = encode(value)
            if data not in seen:
                seen.add(data)
                yield {"value": plain(value), "bytes": data.hex()}


# Hashes, from SHA-2 alone


def framed(label: str, parts: Sequence[bytes]) -> bytes:
    """What a hash of this label is fed."""
    sized = b"".join(len(part).to_bytes(8, "big") + part for part in parts)
    return bytes([len(label)]) + label.encode("ascii") + sized


LABELS = (
    "genesis", "item", "seek", "table", "meeting", "fingerprint", "rules", "join", "join/key", "join/bound",
    "lot", "luck", "place", "nonce", "name", "joint", "coin", "set", "draw", "gesture", "book", "sitting",
    "card", "deck/generator/chain", "deck/generator/commitment", "deck/key/commitment", "deck/key/secret",
    "deck/turn/input", "deck/secret/order", "deck/secret/factor", "deck/secret/key", "deck/secret/rho",
    "deck/secret/sigma", "deck/secret/w", "deck/secret/w hat", "deck/secret/w prime",
)  # fmt: skip
"""Of all hashes and derivations of the protocol that more than one program has to make."""


def hashes() -> Iterator[Vector]:
    """Parts under labels. That pairs of them differ only in where a part ends is the point."""
    for label, parts in (
        ("", ()),
        ("example", ()),
        ("example", (b"",)),
        ("example", (b"", b"")),
        ("example", (b"\x01\x02",)),
        ("example", (b"\x01", b"\x02")),
        ("example", (b"\x01\x02", b"")),
        ("exampl", (b"e\x01\x02",)),
        ("kemps/v1/item", (bytes(range(200)), bytes(64))),
        ("kemps/v1/joint", tuple(bytes([seat]) * 32 for seat in range(4))),
        ("x" * 255, (b"a" * 300,)),
        *((f"kemps/v1/{label}", (b"\x01" * 32, b"\x02" * 32)) for label in LABELS),
    ):
        fed = framed(label, parts)
        yield {
            "label": label,
            "parts": [part.hex() for part in parts],
            "tagged_hash": hashlib.sha256(fed).hexdigest(),
            "derive": hashlib.sha512(fed).hexdigest(),
        }


class Absorbed:
    """A transcript read from the document: all bytes that were fed, hashed from the start each time."""

    def __init__(self, name: str) -> None:
        self.fed = b""
        self.append("transcript", (name.encode("ascii"),))

    def append(self, label: str, values: Sequence[bytes]) -> None:
        self.fed += bytes([len(label)]) + label.encode("ascii") + len(values).to_bytes(4, "big")
        for value in values:
            self.fed += len(value).to_bytes(4, "big") + value

    def challenge(self, label: str) -> bytes:
        drawn = hashlib.sha512(self.fed + b"\xff" + bytes([len(label)]) + label.encode("ascii")).digest()
        self.append(label, (drawn,))
        return drawn

    def challenges(self, label: str, count: int, size: int) -> list[bytes]:
        root = self.challenge(label)
        return [hashlib.sha512(root + index.to_bytes(4, "big")).digest()[:size] for index in range(count)]


Step = tuple[str, str, Any]
"""What is done, under which label, with what: the values to append; count and size of challenges."""

TRANSCRIPTS: dict[str, tuple[Step, ...]] = {
    "example": (("append", "x", (b"\x01\x02", b"")), ("challenge", "c", None)),
    "empty": (("challenge", "c", None),),
    "twice": (("challenge", "c", None), ("challenge", "c", None)),
    "a label is not a value": (("append", "xy", (b"",)), ("challenge", "c", None)),
    "nor is its end": (("append", "x", (b"y",)), ("challenge", "c", None)),
    "two values": (("append", "x", (b"a", b"b")), ("challenge", "c", None)),
    "two appends": (("append", "x", (b"a",)), ("append", "x", (b"b",)), ("challenge", "c", None)),
    "no values": (("append", "x", ()), ("challenge", "c", None)),
    "many": (("append", "x", (bytes(32),)), ("challenges", "u", (3, 16)), ("challenge", "c", None)),
    "wide": (("challenges", "u", (2, 64)), ("append", "y", (b"z" * 700,)), ("challenge", "c", None)),
    **{
        f"kemps/v1/deck/{stage}": (
            ("append", "context", (bytes(8), stage.encode())),
            ("challenge", "c", None),
        )
        for stage in ("key", "turn", "shares")
    },
}


def transcripts() -> Iterator[Vector]:
    """Transcripts, step by step."""
    for name, steps in TRANSCRIPTS.items():
        absorbed = Absorbed(name)
        told: list[Vector] = []
        for do, label, what in steps:
            match do:
                case "append":
                    absorbed.append(label, what)
                    told.append({"do": do, "label": label, "values": [value.hex() for value in what]})
                case "challenge":
                    told.append({"do": do, "label": label, "gives": absorbed.challenge(label).hex()})
                case _:
                    gives = [drawn.hex() for drawn in absorbed.challenges(label, *what)]
                    told.append({"do": do, "label": label, "count": what[0], "size": what[1], "gives": gives})
        yield {"name": name, "steps": told}
