"""Vectors of keys, items and signatures: their form, and the one equation by which signatures hold."""

from collections.abc import Iterator
from typing import Any

from msgspec import structs

from kemps_p2p.codec import encode
from kemps_p2p.errors import Fault
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.tape import (
    ITEM_LABEL,
    NO_DIGEST,
    Ack,
    Append,
    CoinReveal,
    Head,
    Item,
    Receipt,
    Signed,
)
from protocol_table import identity, wink
from vectors.form import ELSEWHERE, FIELD, ORDER, Vector, as_text, vector

MIXED_KEY = bytes.fromhex("5dbb72b26db1038152f633c11d0fad19ce607a8bf2082865b6b60e22de49fcbf")
"""A key of full order with a part of order 8 in it: good by the rules, and where verifiers differ."""
MIXED_BUT_FITS = bytes.fromhex(
    "51b1e2caf2c7f7e65a5413ca7b71297b9b25ad996920e3a848feda62ca1e34ba"
    "36f31ebce11f9e74accaa7ed19dfb25bb75d5b3ce1d2bf747d5e8cab68c67200"
)
"""Under it and the item label, over "message": the challenge is a multiple of 8, so both equations hold."""
MIXED_COFACTORED = bytes.fromhex(
    "3ba59263e2bcdf812380861bef72d6ea60767ffce6455af2dc6106570ec3b6b9"
    "8780bdf64fe7ebd261dec934418b3d4c5fc64afc5e808dd573d3af788cef3e0a"
)
"""Here the challenge is none, so only the equation multiplied by 8 holds."""
PLAIN_KEY = bytes.fromhex("5dc715cfd886adb0a2fa987170202c20a79968c86c6b45cdd664147ef39ee0e8")
TORSION_IN_R = bytes.fromhex(
    "40a4cf5c611d737a2f1c6fcca84d9cabfed80987f186a5a6c57e629bff1af27f"
    "56569783c3a54b129e8e140be63d4a1d6fef827c550addf28e744bd0b46e8506"
)
"""Under that key and the item label, over "message": R has a part of order 8."""


def files(setting: dict[str, Any]) -> dict[str, str]:
    """The files by name."""
    made = [*key_vectors(), *item_vectors()]
    return {
        "ledger/vectors.json": as_text({**setting, "vectors": made}),
        "ledger/signatures.json": as_text({"vectors": list(signatures())}),
    }


def signed_by(seat: Seat, item: Item, label: str = ITEM_LABEL) -> Signed:
    """An item, signed whatever it says."""
    raw = encode(item)
    return Signed(raw=raw, signature=identity(seat).sign(label, raw))


def key_vectors() -> Iterator[Vector]:
    """Public keys."""
    yield vector("key", "seat 0", identity(Seat(0)).public)
    order_8 = int("7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7", 16)
    for name, y in (
        ("y = 0", 0),
        ("y = 1", 1),
        ("y = -1", FIELD - 1),
        ("order 8", order_8),
        ("order 8, y < 0", FIELD - order_8),
    ):
        yield vector("key", f"of small order, {name}", y.to_bytes(32, "little"), Fault.BAD_KEY)
        with_sign = (y | 1 << 255).to_bytes(32, "little")
        yield vector("key", f"of small order, {name}, sign set", with_sign, Fault.BAD_KEY)
    for name, y in (("p", FIELD), ("p + 1", FIELD + 1), ("2^255 - 1", 2**255 - 1)):
        yield vector("key", f"not canonical, {name}", y.to_bytes(32, "little"), Fault.BAD_KEY)
    yield vector("key", "one byte short", bytes(31), Fault.BAD_KEY)
    yield vector("key", "one byte long", bytes(33), Fault.BAD_KEY)


def item_vectors() -> Iterator[Vector]:
    """Signed items: their form and their signatures."""
    claim = wink().claim
    seat, good = claim.seat, claim.item
    ack = wink().ack
    yield vector("item", "a claim", encode(claim.signed), culprit=None)
    yield vector("item", "an ack", encode(ack.signed), culprit=None)

    def changed(name: str, fault: Fault, *, base: Item = good, blames: bool = True, **fields: Any) -> Vector:
        signed = signed_by(seat, structs.replace(base, **fields))
        return vector("item", name, encode(signed), fault, culprit=seat if blames else None)

    receipt = Receipt(claim=ELSEWHERE, rivals=())
    yield changed("of another match", Fault.WRONG_MATCH, blames=False, match=ELSEWHERE)
    yield changed("of a seat that is not there", Fault.WRONG_SEAT, blames=False, seat=4)
    yield changed("of a seat below 0", Fault.WRONG_SEAT, blames=False, seat=-1)
    yield changed("of another seat", Fault.BAD_SIGNATURE, blames=False, seat=(seat + 1) % 4)
    yield changed("of another incarnation", Fault.OTHER_INCARNATION, blames=False, incarnation=1)
    yield changed("a number below 0", Fault.BAD_LINK, number=-1)
    yield changed("the first item with a predecessor", Fault.BAD_LINK, prev=ELSEWHERE)
    yield changed("a later item without a predecessor", Fault.BAD_LINK, base=ack.item, prev=NO_DIGEST)
    yield changed("a link of 31 bytes", Fault.BAD_LINK, base=ack.item, prev=ELSEWHERE[:31])
    yield changed("a stamp of 0", Fault.BAD_STAMP, lamport=0)
    yield changed("a stamp that is its number", Fault.BAD_STAMP, base=ack.item, lamport=1)
    yield changed("a stamp of 2^62", Fault.BAD_STAMP, lamport=2**62)
    yield changed("an empty body", Fault.MALFORMED, body=())
    yield changed("two claims", Fault.MALFORMED, body=good.body * 2)
    yield changed("an entry and more", Fault.MALFORMED, body=(Append(entry=b""), receipt))
    head = Head(index=-1, digest=ELSEWHERE)
    yield changed("a head below 0", Fault.MALFORMED, body=(Ack(epoch=0, term=0, head=head),))
    yield changed("a term below 0", Fault.MALFORMED, body=(structs.replace(ack.item.body[0], term=-1),))
    yield changed("a coin for an entry below 0", Fault.MALFORMED, body=(CoinReveal(index=-1, coin=b""),))
    yield changed("a receipt of 31 bytes", Fault.MALFORMED, body=(structs.replace(receipt, claim=bytes(31)),))
    yield from signature_vectors(claim.signed, seat)


def signature_vectors(good: Signed, seat: Seat) -> Iterator[Vector]:
    """One item under signatures that do not hold."""
    r, s = good.signature[:32], int.from_bytes(good.signature[32:], "little")
    neutral = (1).to_bytes(32, "little")
    for name, signature in (
        ("s + order", r + (s + ORDER).to_bytes(32, "little")),
        ("another s", r + (s ^ 1).to_bytes(32, "little")),
        ("another R", bytes([r[0] ^ 1]) + r[1:] + good.signature[32:]),
        ("R is the identity", neutral + bytes(32)),
        ("one byte short", good.signature[:63]),
        ("empty", b""),
        ("under another label", identity(seat).sign("kemps/v1/genesis", good.raw)),
    ):
        changed = structs.replace(good, signature=signature)
        yield vector("item", f"signature: {name}", encode(changed), Fault.BAD_SIGNATURE, culprit=None)


def signatures() -> Iterator[Vector]:
    """Signatures over a label and a message."""
    pen = identity(Seat(0))

    def signed(
        name: str,
        fault: Fault | None = None,
        *,
        key: bytes = pen.public,
        label: str = ITEM_LABEL,
        message: bytes = b"message",
        signature: bytes | None = None,
    ) -> Vector:
        return {
            "name": name,
            "key": key.hex(),
            "label": label,
            "message": message.hex(),
            "signature": (pen.sign(label, message) if signature is None else signature).hex(),
            "fault": None if fault is None else fault.value,
        }

    good = pen.sign(ITEM_LABEL, b"message")
    r, s = good[:32], int.from_bytes(good[32:], "little")
    yield signed("good")
    yield signed("over nothing", message=b"")
    yield signed("over 1000 bytes", message=bytes(1000))
    for name in (
        "lobby",
        "genesis",
        "annex",
        "contact",
        "moved",
        "walk-over",
        "sitting",
        "offer",
        "guest",
        "join/bound",
    ):
        yield signed(f"under kemps/v1/{name}", label=f"kemps/v1/{name}")
    yield signed("by a key of mixed order, and fits", key=MIXED_KEY, signature=MIXED_BUT_FITS)
    for name, lie in (
        ("of another message", pen.sign(ITEM_LABEL, b"massage")),
        ("of another label", pen.sign("kemps/v1/lobby", b"message")),
        ("without the length of the label", pen.sign("", ITEM_LABEL.encode() + b"message")),
        ("of another key", identity(Seat(1)).sign(ITEM_LABEL, b"message")),
        ("s is beyond the order", r + (s + ORDER).to_bytes(32, "little")),
        ("s is another", r + (s ^ 1).to_bytes(32, "little")),
        ("s is 0", r + bytes(32)),
        ("R is another", bytes([r[0] ^ 1]) + good[1:]),
        ("R is the identity", (1).to_bytes(32, "little") + good[32:]),
        ("R is of order 2", (FIELD - 1).to_bytes(32, "little") + good[32:]),
        ("R is not canonical", (FIELD + 1).to_bytes(32, "little") + good[32:]),
        ("63 bytes", good[:63]),
        ("65 bytes", good + b"\x00"),
        ("no bytes", b""),
    ):
        yield signed(name, Fault.BAD_SIGNATURE, signature=lie)
    cofactored = "holds only with the cofactor: "
    yield signed(f"{cofactored}the key", Fault.BAD_SIGNATURE, key=MIXED_KEY, signature=MIXED_COFACTORED)
    yield signed(f"{cofactored}R", Fault.BAD_SIGNATURE, key=PLAIN_KEY, signature=TORSION_IN_R)
    # With the identity as key and as R, and s = 0, the equation holds for every message.
    neutral = (1).to_bytes(32, "little")
    yield signed("by a key of small order", Fault.BAD_KEY, key=neutral, signature=neutral + bytes(32))
    yield signed("by a key of 31 bytes", Fault.BAD_KEY, key=pen.public[:31])
