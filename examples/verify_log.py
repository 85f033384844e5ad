"""Verify finished logs of Kemps without this program: from protocol.md alone.

Run it: python examples/verify_log.py [--allow-simulated] LOG...

It imports nothing of the package. All it knows stands in protocol.md, whose sections are named in brackets,
and in the rule books. It follows a match from its genesis to its close, as every peer did: signatures,
stamps, the order of claims, shuffles, shares, calls, letters and seeds. It tells who won each call and
why, and then `verified`, or the first index at which something fails.

Exit codes: 0 verified; 2 usage; 6 a later version, or rules that this file does not play; 7 no log;
10 something does not hold; 11 all that is there holds, but it is not complete; 12 logs of one match differ.

1. Nothing is believed: what a log states is worked out again, and compared.
2. A fault names a culprit only if a verified signature does.
3. The parts stand in the order of protocol.md; each rests on those above it alone.
"""

import argparse
import copy
import hashlib
import json
import sys
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, make_dataclass, replace
from enum import Enum, IntEnum
from functools import cache, reduce
from itertools import combinations, pairwise, permutations
from pathlib import Path
from typing import Any

import msgpack  # type: ignore[import-untyped]
import rbcl
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

# --- Faults --------------------------------------------------------------------------------------- [Faults]

NOBODY = None
AUTHOR = -1
"""Stands for the author of the entry that is being folded."""


class Fault(Exception):
    """Something breaks a rule of protocol.md; `code` is that of its table."""

    def __init__(self, code: str, why: str, culprit: int | None = AUTHOR) -> None:
        super().__init__(f"{code}: {why}")
        self.code, self.why, self.culprit = code, why, culprit
        self.index: int | None = None
        """Of the entry, if it is not the one behind all that hold."""


class OtherRules(Exception):
    """The log may well hold, but it is of a game that this file does not know."""


def need(holds: bool, code: str, why: str, culprit: int | None = AUTHOR) -> None:
    if not holds:
        raise Fault(code, why, culprit)


# --- Records ------------------------------------------------------------------------ [Encodings and hashes]

WIRE = """
SeatRecord: key bytes, name bytes, coin bytes, nonce bytes, nonce_salt bytes
Genesis: version int, group text, rules text, seats SeatRecord..., previous bytes, matches int
ObservedGenesis: version int, group text, rules text, seats SeatRecord..., previous bytes, matches int, \
    observer SeatRecord
SignedGenesis 1: raw bytes, signatures bytes...

Item: match bytes, seat int, incarnation int, number int, prev bytes, lamport int, body Statement...
Signed: raw bytes, signature bytes
Head: index int, digest bytes
Claim 1: head Head, action bytes, rivals bytes...
Receipt 2: claim bytes, rivals bytes...
Ack 3: epoch int, term int, head Head
CoinReveal 4: index int, coin bytes
Deed 5: payload bytes
Append 6: entry bytes
Suspect 7: term int
Join 8: term int
HandOver 9: term int, normal int, head Head
Unheard 10: seat int, length int, last bytes
Back 11: index int
Agreed 12: seat int, sitting bytes, length int, last bytes
Statement = Claim Receipt Ack CoinReveal Deed Append Suspect Join HandOver Unheard Back Agreed

Entry: index int, prev bytes, epoch int, term int, elapsed_ms int, wall_ms int, events Event...
Settled 1: claim bytes, result int, evidence bytes...
Contest 2: claims bytes..., evidence bytes...
Drawn 3: index int, coins bytes..., order bytes..., results int...
Carried 4: item bytes
Note 5: payload bytes
Blamed 6: culprit int, items bytes...
CutOff 7: claims bytes..., tapes TapeEnd...
TapeEnd: length int, last bytes
Struck 8: seat int, words bytes...
Ruled 9: claims bytes..., evidence bytes..., order bytes..., results int...
TakeOver 10: items bytes...
Readmitted 11: seat int, item bytes
Seated 12: raw bytes, signature bytes, end TapeEnd, words bytes...
Event = Settled Contest Drawn Carried Note Blamed CutOff Struck Ruled TakeOver Readmitted Seated
Sitting: match bytes, seat int, incarnation int, key bytes, coin bytes

PlayStarted 1:
Checkpoint 2: deal int, dealer int, scores int...
Closed 3:
AutoPassed 4: seat int
Overdue 5: seat int
AnyNote = PlayStarted Checkpoint Closed AutoPassed Overdue

Proof: challenge bytes, response bytes
DealKey: commitment bytes, key bytes, proof Proof
Shares: positions int..., parts bytes..., proof Proof
Turn: input bytes, a bytes..., c bytes..., proof ShuffleProof
ShuffleProof: p bytes..., q bytes..., challenge bytes, s1 bytes, s2 bytes, s3 bytes, s4 bytes, \
    s_hat bytes..., s_prime bytes...
Seed: seed bytes
KeyDeed 1: deal int, attempt int, key DealKey
TurnDeed 2: deal int, attempt int, round int, on bytes, turn Turn
ShareDeed 3: deal int, attempt int, round int, shares Shares
SeedDeed 4: deal int, attempt int, seed Seed
BookDeed 5: deal int, commitment bytes
BookOpenedDeed 6: deal int, salt bytes, signals text...
AnyDeed = KeyDeed TurnDeed ShareDeed SeedDeed BookDeed BookOpenedDeed

Swap 0: take int..., give int...
Discard 1: give int...
Take 2: take int...
Pass 3: pool int...
Signal 4:
Gesture 5: name text, seal bytes
Say 6: text text
Call 7: calls AnyCall...
Mulligan 8:
Go 9:
Halt 10:
Resume 11:
Next 12:
Admit 13:
Deny 14: show int...
Action = Swap Discard Take Pass Signal Gesture Say Call Mulligan Go Halt Resume Next Admit Deny
Partner 0:
Double 1:
Counter 2: target int
DoubleCounter 3: team int
AnyCall = Partner Double Counter DoubleCounter

Header 0: magic text, version int, match bytes, seats int, group text
LogRecord 2: entry Signed, items Signed...
Annex 3: seat int, certificate Signed..., names Name..., signature bytes
Name: name text, salt bytes
LogObject = Header SignedGenesis LogRecord Annex
"""
"""All records: name, tag if it has one, fields with their types. Unions: their members. Digests are checked
where they are used, since a fault of theirs has the culprit of that place."""

Record = Any
"""A frozen object with the fields above, and `kind`: its name."""
VALUES: Mapping[str, type] = {"int": int, "bytes": bytes, "text": str}


@dataclass(frozen=True)
class Shape:
    """How a record lies in an array."""

    tag: int | None
    types: tuple[str, ...]
    make: Callable[..., Record]


def read_wire() -> tuple[dict[str, Shape], dict[str, dict[int, Shape]]]:
    shapes: dict[str, Shape] = {}
    unions: dict[str, dict[int, Shape]] = {}
    for line in filter(None, WIRE.splitlines()):
        if " = " in line:
            union, members = line.split(" = ")
            unions[union] = {shape.tag or 0: shape for shape in map(shapes.__getitem__, members.split())}
            continue
        head, _, told = line.partition(":")
        name, *tag = head.split()
        pairs = [pair.split() for pair in told.split(",") if pair]
        names, kinds = [name for name, _ in pairs], tuple(kind for _, kind in pairs)
        make = make_dataclass(name, names, frozen=True, namespace={"kind": name})
        shapes[name] = Shape(int(tag[0]) if tag else None, kinds, make)
    return shapes, unions


SHAPES, UNIONS = read_wire()


def read_value(value: object, kind: str) -> Any:
    """Make a value of MessagePack what a field of this type holds."""
    if kind in VALUES:
        need(type(value) is VALUES[kind], "malformed", f"{type(value).__name__} instead of {kind}", NOBODY)
        return value
    if not isinstance(value, list):
        raise Fault("malformed", f"{type(value).__name__} instead of an array", NOBODY)
    if kind.endswith("..."):
        return tuple(read_value(one, kind[:-3]) for one in value)
    shape = SHAPES.get(kind)
    if shape is None or shape.tag is not None:
        tag, *value = value or [None]
        shapes = UNIONS[kind] if shape is None else {shape.tag: shape}
        need(type(tag) is int and tag in shapes, "malformed", "an unknown tag", NOBODY)
        shape = shapes[tag]
    need(len(value) == len(shape.types), "malformed", "another count of fields", NOBODY)
    return shape.make(*map(read_value, value, shape.types))


def decode(raw: bytes, kind: str) -> Record:
    """Read a record, or a member of a union; the bytes must be what an encoder makes of it."""
    try:
        value = msgpack.unpackb(raw)
        again = msgpack.packb(value)
    except (ValueError, TypeError, RecursionError, msgpack.UnpackException) as error:
        raise Fault("malformed", f"no MessagePack: {error}", NOBODY) from None
    record = read_value(value, kind)
    need(again == raw, "not-canonical", "another encoding of the same value", NOBODY)
    return record


def new(kind: str, *values: object) -> Record:
    return SHAPES[kind].make(*values)


def encode(value: object) -> bytes:
    packed: bytes = msgpack.packb(plain(value))
    return packed


def plain(value: Any) -> object:
    """Undo `read_value`."""
    if hasattr(value, "kind"):
        tag, inner = SHAPES[value.kind].tag, [plain(one) for one in vars(value).values()]
        return inner if tag is None else [tag, *inner]
    return [plain(one) for one in value] if isinstance(value, tuple) else value


ACTION_LIMITS = {"take": 16, "give": 16, "show": 16, "pool": 128, "calls": 24}
ACTION_LIMITS |= {"name": 40, "seal": 32, "text": 200}


def decode_action(raw: bytes) -> Record:
    """Read an action, within the limits of the section "Actions"."""
    action = decode(raw, "Action")
    told = vars(action)
    fits = all(len(value) <= ACTION_LIMITS[name] for name, value in told.items())
    need(fits and told.get("name") != "" and told.get("text") != "", "malformed", "too long or empty", NOBODY)
    ends = [end for call in told.get("calls", ()) for end in vars(call).values()]
    need(all(0 <= end <= 65535 for end in ends), "malformed", "a target out of range", NOBODY)
    return action


def decode_deed(raw: bytes) -> Record:
    """Read a deed, within the limits of the section "Deeds"."""
    deed = decode(raw, "AnyDeed")
    if deed.kind == "BookDeed":
        need(len(deed.commitment) == 32, "malformed", "a commitment of another length", NOBODY)
    if deed.kind == "BookOpenedDeed":
        fits = len(deed.signals) <= 16 and all(1 <= len(signal) <= 40 for signal in deed.signals)
        need(fits and len(deed.salt) == 32, "malformed", "a signal book that is none", NOBODY)
    return deed


KINDS = dict.fromkeys(("Swap", "Discard", "Take"), "exchange")
KINDS |= {"Pass": "pass", "Halt": "pass", "Call": "call"}


def kind_of(action: Record) -> str:
    """What numbers and `too-soon` go by; [Actions], the column "kind"."""
    return KINDS.get(action.kind, "free")


# --- Hashes and signatures ---------------------------------------------------------- [Hashes], [Signatures]

ZEROS = bytes(32)


def number(i: int) -> bytes:
    return i.to_bytes(8, "big")


def frame(label: str, parts: Iterable[bytes]) -> bytes:
    name = label.encode("ascii")
    return bytes([len(name)]) + name + b"".join(number(len(part)) + part for part in parts)


def tagged_hash(label: str, *parts: bytes) -> bytes:
    return hashlib.sha256(frame(label, parts)).digest()


def derive(label: str, *parts: bytes) -> bytes:
    return hashlib.sha512(frame(label, parts)).digest()


FIELD = 2**255 - 19
ORDER_8 = (
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
)
SMALL_ORDER = {0, 1, FIELD - 1, *(int.from_bytes(bytes.fromhex(y), "little") for y in ORDER_8)}
"""The y coordinates of points of small order."""
ORDER = 2**252 + 27742317777372353535851937790883648493
"""ℓ, of the group of the keys and of ristretto255 alike."""


def low_order(point: bytes) -> bool:
    return (int.from_bytes(point, "little") & (2**255 - 1)) in SMALL_ORDER


def check_key(key: bytes) -> None:
    y = int.from_bytes(key, "little") & (2**255 - 1)
    need(len(key) == 32 and y < FIELD and not low_order(key), "bad-key", "no key to sign with", NOBODY)


def check_signature(key: bytes, label: str, message: bytes, signature: bytes) -> None:
    check_key(key)
    signed = bytes([len(label)]) + label.encode("ascii") + message
    good = len(signature) == 64 and not low_order(signature[:32])
    good = good and int.from_bytes(signature[32:], "little") < ORDER
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, signed)
    except (InvalidSignature, ValueError):
        good = False
    need(good, "bad-signature", "a signature does not verify", NOBODY)


# --- Transcript ------------------------------------------------------------------------------- [Transcript]


class Transcript:
    """Everything said so far, turned into challenges."""

    def __init__(self, name: str, context: Sequence[bytes]) -> None:
        self._hash = hashlib.sha512()
        self.append("transcript", name.encode("ascii"))
        self.append("context", *context)

    def append(self, label: str, *values: bytes) -> None:
        name = label.encode("ascii")
        self._hash.update(bytes([len(name)]) + name + len(values).to_bytes(4, "big"))
        for value in values:
            self._hash.update(len(value).to_bytes(4, "big") + value)

    def challenge(self, label: str) -> bytes:
        name = label.encode("ascii")
        fork = self._hash.copy()
        fork.update(b"\xff" + bytes([len(name)]) + name)
        self.append(label, fork.digest())
        return fork.digest()

    def scalar(self, label: str) -> int:
        return int.from_bytes(self.challenge(label), "little") % ORDER

    def weights(self, label: str, count: int) -> list[int]:
        """`challenges` of 16 bytes, little-endian."""
        s = self.challenge(label)
        blocks = (hashlib.sha512(s + i.to_bytes(4, "big")).digest() for i in range(count))
        return [int.from_bytes(block[:16], "little") for block in blocks]

    def nonces(self) -> bytes:
        """Of a copy: the binding of secrets that depend on everything so far; [Secrets]."""
        fork = copy.copy(self)
        fork._hash = self._hash.copy()
        return fork.challenge("nonces")


# --- Groups --------------------------------------------------------- [Groups], [Generators and card points]


class Group:
    """ristretto255, RFC 9496, by libsodium. Points are 32 bytes, zeros the identity; scalars are numbers."""

    name = "ristretto255"
    base = bytes(rbcl.crypto_scalarmult_ristretto255_base((1).to_bytes(32, "little")))

    def add(self, p: bytes, q: bytes) -> bytes:
        return bytes(rbcl.crypto_core_ristretto255_add(p, q))

    def mul(self, k: int, p: bytes) -> bytes:
        scalar = (k % ORDER).to_bytes(32, "little")
        if p == self.base:
            return bytes(rbcl.crypto_scalarmult_ristretto255_base_allow_scalar_zero(scalar))
        return bytes(rbcl.crypto_scalarmult_ristretto255_allow_scalar_zero(scalar, p))

    def hash(self, data: bytes) -> bytes:
        return bytes(rbcl.crypto_core_ristretto255_from_hash(data))

    def is_point(self, p: bytes) -> bool:
        good = len(p) == 32 and p[31] < 128 and p != ZEROS
        return good and bool(rbcl.crypto_core_ristretto255_is_valid_point(p))

    def total(self, points: Iterable[bytes]) -> bytes:
        return reduce(self.add, points, ZEROS)

    def combine(self, scalars: Iterable[int], points: Iterable[bytes]) -> bytes:
        """Σ k·P"""
        return self.total(self.mul(k, p) for k, p in zip(scalars, points, strict=True))


class Stub(Group):
    """`stub-insecure`: the integers modulo ℓ, where everybody can divide."""

    name = "stub-insecure"
    base = (1).to_bytes(32, "little")

    def _point(self, value: int) -> bytes:
        return (value % ORDER).to_bytes(32, "little")

    def add(self, p: bytes, q: bytes) -> bytes:
        return self._point(int.from_bytes(p, "little") + int.from_bytes(q, "little"))

    def mul(self, k: int, p: bytes) -> bytes:
        return self._point(k * int.from_bytes(p, "little"))

    def hash(self, data: bytes) -> bytes:
        return self._point(int.from_bytes(data, "little"))

    def is_point(self, p: bytes) -> bool:
        return len(p) == 32 and 0 < int.from_bytes(p, "little") < ORDER


GROUPS = {group.name: group for group in (Group(), Stub())}


@cache
def point(group: str, label: str, i: int) -> bytes:
    return GROUPS[group].hash(derive(label, i.to_bytes(4, "big")))


# --- The blind deck --------------------------------------------------------------------------- [Blind deck]


class Deck:
    """One deal: keys, turns and shares as they come to count. Positions, not cards."""

    def __init__(
        self, group: Group, match: bytes, deal: int, seats: int, cards: Sequence[int], *, attempt: int = 0
    ) -> None:
        self.group, self.match, self.deal, self.seats = group, match, deal, seats
        self.attempt, self.cards, self.count = attempt, cards, len(cards)
        self.keys: dict[int, Record] = {}
        self.turns: list[Record] = []
        self.last_item = ZEROS
        self.shares: dict[int, dict[int, bytes]] = {seat: {} for seat in range(seats)}
        self.seeds: dict[int, bytes] = {}
        self.faces = {point(group.name, "kemps/v1/card", card): card for card in cards}

    @property
    def shuffled(self) -> bool:
        return len(self.turns) == self.seats

    def _context(self, seat: int, stage: str) -> tuple[bytes, ...]:  # [Context]
        numbers = (self.deal, self.attempt, self.seats, 0, seat)
        head = (number(1), self.group.name.encode("ascii"), self.match)
        return (*head, *map(number, numbers), stage.encode("ascii"))

    def _transcript(self, seat: int, stage: str) -> Transcript:
        return Transcript(f"kemps/v1/deck/{stage}", self._context(seat, stage))

    def _digest(self, seat: int, stage: str, name: str, *parts: bytes) -> bytes:
        return tagged_hash(f"kemps/v1/deck/{stage}/{name}", *self._context(seat, stage), *parts)

    def _point(self, p: bytes, seat: int) -> bytes:
        need(self.group.is_point(p), "bad-point", "a point that is refused", seat)
        return p

    def _scalar(self, s: bytes, seat: int) -> int:
        value = int.from_bytes(s, "little")
        need(len(s) == 32 and 0 < value < ORDER, "bad-scalar", "a scalar that is refused", seat)
        return value

    # [Keys and shares]
    def _begin_key(self, seat: int, commitment: bytes, key: bytes) -> Transcript:
        said = self._transcript(seat, "key")
        said.append("commitment", commitment)
        said.append("key", key)
        return said

    def check_key(self, seat: int, key: Record) -> None:
        need(len(key.commitment) == 32, "malformed", "a commitment of another length", seat)
        self._point(key.key, seat)
        c, s = self._scalar(key.proof.challenge, seat), self._scalar(key.proof.response, seat)
        said = self._begin_key(seat, key.commitment, key.key)
        said.append("t", self.group.combine((s, -c), (self.group.base, key.key)))
        need(said.scalar("c") == c, "bad-key-proof", "the seat does not know its secret", seat)

    def add_key(self, seat: int, key: Record) -> None:
        pair = [self.group.add(key.key, other.key) for other in self.keys.values()]
        same = any(key.key == other.key for other in self.keys.values())
        full = len(self.keys) == self.seats - 1
        cancels = full and self.group.add(self.joint, key.key) == ZEROS
        bad = seat in self.keys or same or ZEROS in pair or cancels
        need(not bad, "bad-key", "a key given twice, copied, opposed or cancelling", seat)
        self.keys[seat] = key

    @property
    def joint(self) -> bytes:
        return self.group.total(key.key for key in self.keys.values())

    def check_shares(self, seat: int, shares: Record) -> None:
        wanted, parts = shares.positions, shares.parts
        ascending = all(one < two for one, two in pairwise(wanted))
        need(0 < len(wanted) == len(parts) and ascending, "malformed", "positions out of order", seat)
        masks = [self.turns[-1].a[position] for position in wanted]
        key = self.keys[seat].key
        for part in parts:
            self._point(part, seat)
        c, s = self._scalar(shares.proof.challenge, seat), self._scalar(shares.proof.response, seat)
        said = self._transcript(seat, "shares")
        said.append("key", key)
        said.append("positions", *map(number, wanted))
        said.append("masks", *masks)
        said.append("parts", *parts)
        omega = said.weights("omega", len(wanted))
        a, d = self.group.combine(omega, masks), self.group.combine(omega, parts)
        said.append("t", *(self.group.combine((s, -c), pair) for pair in ((self.group.base, key), (a, d))))
        need(said.scalar("c") == c, "bad-share-proof", "a share of another key", seat)

    def face(self, position: int) -> int | None:
        """The card at a position once every seat's share of it is in."""
        parts = [mine[position] for mine in self.shares.values() if position in mine]
        if len(parts) < self.seats:
            return None
        return self.faces[self.group.combine((1, -1), (self.turns[-1].c[position], self.group.total(parts)))]

    # [Turns]
    def _list(self, turn: int) -> tuple[tuple[bytes, ...], tuple[bytes, ...]]:
        """What this turn works on."""
        if turn == 0:
            return (ZEROS,) * self.count, tuple(self.faces)
        return self.turns[turn - 1].a, self.turns[turn - 1].c

    def _input(self, seat: int) -> bytes:
        a, c = self._list(seat)
        return self._digest(seat, "turn", "input", self.joint, number(self.count), *a, *c)

    def _begin_turn(self, seat: int, out_a: Sequence[bytes], out_c: Sequence[bytes]) -> Transcript:
        a, c = self._list(seat)
        said = self._transcript(seat, "turn")
        said.append("count", number(self.count))
        said.append("key", self.joint)
        said.append("inputs a", *a)
        said.append("inputs c", *c)
        said.append("outputs a", *out_a)
        said.append("outputs c", *out_c)
        return said

    # [Proof of shuffle]
    def _generators(self) -> tuple[bytes, list[bytes]]:
        h = point(self.group.name, "kemps/v1/deck/generator/chain", 0)
        label = "kemps/v1/deck/generator/commitment"
        return h, [point(self.group.name, label, i) for i in range(self.count)]

    def check_turn(self, seat: int, turn: Record) -> None:
        proof, n, group = turn.proof, self.count, self.group
        vectors = (turn.a, turn.c, proof.p, proof.q, proof.s_hat, proof.s_prime)
        fits = len(turn.input) == 32 and all(len(each) == n for each in vectors)
        need(fits, "malformed", "a digest or a vector of another length", seat)
        need(seat == len(self.turns), "bad-turn", "out of turn", seat)
        need(turn.input == self._input(seat), "bad-turn", "made on another list", seat)
        for each in (*turn.a, *turn.c, *proof.p, *proof.q):
            self._point(each, seat)
        c = self._scalar(proof.challenge, seat)
        s1, s2, s3, s4 = (self._scalar(s, seat) for s in (proof.s1, proof.s2, proof.s3, proof.s4))
        s_hat = [self._scalar(s, seat) for s in proof.s_hat]
        s_prime = [self._scalar(s, seat) for s in proof.s_prime]
        (in_a, in_c), base, combine = self._list(seat), group.base, group.combine
        h, hs = self._generators()
        said = self._begin_turn(seat, turn.a, turn.c)
        said.append("p", *proof.p)
        u = said.weights("u", n)
        product = reduce(lambda one, two: one * two % ORDER, u)
        minus, known = [-c * each for each in u], in_a if in_a[0] != ZEROS else ()
        t1 = combine((s1, -c, c), (base, group.total(proof.p), group.total(hs)))
        t2 = combine((s2, -c, c * product), (base, proof.q[-1], h))
        t3 = combine((s3, *s_prime, *minus), (base, *hs, *proof.p))
        t41 = combine((-s4, *s_prime, *minus[: len(known)]), (base, *turn.a, *known))
        t42 = combine((-s4, *s_prime, *minus), (self.joint, *turn.c, *in_c))
        steps = zip(s_hat, s_prime, (h, *proof.q), proof.q, strict=False)
        t_hat = [combine((hat, prime, -c), (base, before, q)) for hat, prime, before, q in steps]
        said.append("q", *proof.q)
        said.append("t", t1, t2, t3, t41, t42)
        said.append("t hat", *t_hat)
        need(said.scalar("c") == c, "bad-shuffle-proof", "the equations of the turn do not hold", seat)

    # [Seeds], [Secrets]
    def check_seed(self, seat: int, seed: bytes) -> None:
        """Make anew from its seed what the seat has given to this deal.

        But for challenges: those here are of proofs that hold, so they follow from all the rest.
        """
        need(len(seed) == 32, "malformed", "a seed of another length", seat)
        x = secret(seed, "key", self._digest(seat, "key", "secret"))
        need(self._key_of(seat, seed, x) == self.keys[seat], "bad-seed", "the seed makes another key", seat)
        turn = self.turns[seat]
        need(self._turn_of(seat, seed) == turn, "bad-seed", "the seed makes another turn", seat)
        a = self.turns[-1].a
        true = all(self.group.mul(x, a[position]) == part for position, part in self.shares[seat].items())
        need(true, "bad-seed", "the seed makes another share", seat)

    def _key_of(self, seat: int, seed: bytes, x: int) -> Record:
        commitment, key = self._digest(seat, "key", "commitment", seed), self.group.mul(x, self.group.base)
        w = secret(seed, "w", self._begin_key(seat, commitment, key).nonces())
        challenge = self.keys[seat].proof.challenge
        return new("DealKey", commitment, key, new("Proof", challenge, answer(w, challenge, x)))

    def _turn_of(self, seat: int, seed: bytes) -> Record:
        group, base, n, c = self.group, self.group.base, self.count, self.turns[seat].proof.challenge
        (in_a, in_c), on = self._list(seat), self._input(seat)
        h, hs = self._generators()
        order, r = permutation(seed, on, n), secrets(seed, "factor", on, n)
        out_a = [group.add(in_a[j], group.mul(k, base)) for j, k in zip(order, r, strict=True)]
        out_c = [group.add(in_c[j], group.mul(k, self.joint)) for j, k in zip(order, r, strict=True)]
        said = self._begin_turn(seat, out_a, out_c)
        rho = secrets(seed, "rho", said.nonces(), n)
        p = [ZEROS] * n
        for i, j in enumerate(order):
            p[j] = group.add(group.mul(rho[j], base), hs[i])
        said.append("p", *p)
        u = said.weights("u", n)
        primed, nonces = [u[j] for j in order], said.nonces()
        sigma, w = secrets(seed, "sigma", nonces, n), secrets(seed, "w", nonces, 4)
        hat, prime = secrets(seed, "w hat", nonces, n), secrets(seed, "w prime", nonces, n)
        q = [h]
        for i in range(n):
            q.append(group.combine((sigma[i], primed[i]), (base, q[-1])))
        v = [1] * n
        for i in range(n - 2, -1, -1):
            v[i] = v[i + 1] * primed[i + 1] % ORDER
        known = (sum(rho), dot(sigma, v), dot(rho, u), dot(r, primed))
        answers = [answer(one, c, two) for one, two in zip(w, known, strict=True)]
        s_hat, s_prime = (
            tuple(map(answer, some, [c] * n, others)) for some, others in ((hat, sigma), (prime, primed))
        )
        proof = new("ShuffleProof", tuple(p), tuple(q[1:]), c, *answers, s_hat, s_prime)
        return new("Turn", on, tuple(out_a), tuple(out_c), proof)


def answer(nonce: int, challenge: bytes, known: int) -> bytes:
    """The response of who knows it."""
    return scalar_bytes(nonce + int.from_bytes(challenge, "little") * known)


def scalar_bytes(value: int) -> bytes:
    return (value % ORDER).to_bytes(32, "little")


def dot(left: Iterable[int], right: Iterable[int]) -> int:
    return sum(one * two for one, two in zip(left, right, strict=True))


def block(seed: bytes, name: str, binding: bytes, i: int) -> bytes:
    return derive(f"kemps/v1/deck/secret/{name}", seed, binding, number(i))


def secret(seed: bytes, name: str, binding: bytes, i: int = 0) -> int:
    return 1 + int.from_bytes(block(seed, name, binding, i), "little") % (ORDER - 1)


def secrets(seed: bytes, name: str, binding: bytes, count: int) -> list[int]:
    return [secret(seed, name, binding, i) for i in range(count)]


def permutation(seed: bytes, binding: bytes, count: int) -> list[int]:
    def draws() -> Iterator[int]:
        i = 0
        while True:
            data = block(seed, "order", binding, i)
            yield from (int.from_bytes(data[k : k + 8], "big") for k in range(0, 64, 8))
            i += 1

    stream, order = draws(), list(range(count))
    for k in range(count - 1, 0, -1):
        top = 2**64 - 2**64 % (k + 1)
        j = next(draw for draw in stream if draw < top) % (k + 1)
        order[k], order[j] = order[j], order[k]
    return order


# --- The rules ---------------------------------------------- [Genesis], [Rules on the wire], the rule books

PLAYED: Mapping[str, tuple[object, ...]] = {
    "mode": ("simultaneous",),
    "exchange": ("swap",),
    "start": ("last-card",),
    "mulligan": (0,),
    "sweep": ("pass",),
    "stock_out": ("void",),
    "calls": (["partner", "counter"],),
    "combine_calls": (False,),
    "counter_target": ("team",),
    "reveal": ("hand",),
    "wrong_call": ("ends-deal",),
    "bar_after_wrong_counter": (False,),
    "scoring": ("letters",),
    "deal_limit": (0,),
    "tie": ("none",),
    "simultaneous_calls": ("first", "counter-first"),
    "poll_tie": ("lottery",),
    "signals": ("gestures",),
}
"""What this file plays: `kemps`, with other words, times, counts of cards and dealers, and `kent`."""


def toml_value(value: object) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {toml_value(value[key])}" for key in sorted(value)) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml_value, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def read_rules(text: str) -> dict[str, Any]:
    """Read a rule set in its canonical text."""
    try:
        told = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise Fault("bad-genesis", f"the rules cannot be read: {error}", NOBODY) from None
    again = "".join(f"{key} = {toml_value(told[key])}\n" for key in sorted(told))
    need(again == text and PLAYED.keys() <= told.keys(), "bad-genesis", "no canonical rules", NOBODY)
    for key, values in PLAYED.items():
        if told[key] not in values:
            raise OtherRules(f"this file does not play by {key} = {toml_value(told[key])}")
    return told


class Result(IntEnum):
    """What comes of a claim, as entries state it."""

    OK = 0
    MISSED = 1
    REFUSED = 2
    WAITS = 3


class Phase(Enum):
    """Where the rules stand."""

    BETWEEN = "no deal is under way"
    LOOK = "the pool is shown, and nobody may act yet"
    OPEN = "everybody may act"
    CALLED = "a call waits for faces"
    OVER = "the match is over"


@dataclass(frozen=True)
class Game:
    """The rules' own state: positions in places, faces that are public, letters."""

    players: int
    dealer: int
    scores: tuple[int, ...]
    deal: int = -1
    phase: Phase = Phase.BETWEEN
    opened: bool = False
    hands: tuple[frozenset[int], ...] = ()
    pool: tuple[int, ...] = ()
    stock: tuple[int, ...] = ()
    faces: Mapping[int, int] = field(default_factory=dict)
    passed: frozenset[int] = frozenset()
    caller: int = 0
    call: Record = None
    unopened: frozenset[int] = frozenset()

    @property
    def is_dealt(self) -> bool:
        return self.phase in (Phase.LOOK, Phase.OPEN, Phase.CALLED)

    @property
    def teams(self) -> int:
        return self.players // 2

    @property
    def named(self) -> tuple[int, ...]:
        """The seats whose hands the call names."""
        return () if self.call is None else named_by(self.players, self.caller, self.call)

    @property
    def called(self) -> set[int]:
        """The positions that the call demands to be shown."""
        return {p for seat in self.named if seat not in self.unopened for p in self.hands[seat]}


def named_by(players: int, seat: int, call: Record) -> tuple[int, ...]:
    """The seats whose hands a call names; a target that is not at the table names none."""
    half = players // 2
    if call.kind == "Partner":
        return ((seat + half) % players,)
    return (call.target, call.target + half) if call.target < half else ()


def rank(card: int) -> int:
    return card % 13


def card_text(card: int) -> str:
    return "23456789TJQKA"[rank(card)] + "♣♦♥♠"[card % 52 // 13]


class Rules:
    """What the rule set says; it keeps no state.

    An action that these rules do not have is refused wherever it is made, so it conflicts with nothing and
    needs no more than its name here.
    """

    def __init__(self, told: Mapping[str, Any]) -> None:
        self.told = told

    def cards(self, players: int) -> list[int]:
        above = self.told["two_decks_above"]
        return list(range(104 if 0 < above < players else 52))

    def first_dealer(self, players: int, joint: bytes, matches: int) -> int:
        by = {"drawn": int.from_bytes(joint, "big"), "rotates": matches, "seat-0": 0}
        return int(by[self.told["first_dealer"]] % players)

    def next_dealer(self, game: Game) -> int:
        moves = self.told["rotation"] == "clockwise" and game.deal >= 0
        return (game.dealer + moves) % game.players

    def judge(self, game: Game, seat: int, action: Record) -> Result:
        """What becomes of an action in this state; nothing is changed."""
        if not self._is_lawful(game, seat, action):
            return Result.REFUSED
        gone = action.kind == "Swap" and not set(action.take) <= set(game.pool)
        return Result.MISSED if gone else Result.OK

    def _is_lawful(self, game: Game, seat: int, action: Record) -> bool:
        is_open = game.phase is Phase.OPEN
        match action.kind:
            case "Swap":
                take, give = set(action.take), set(action.give)
                counts = {len(action.take), len(action.give), len(take), len(give)}
                fits = len(counts) == 1 and 1 <= len(take) <= self.told["exchange_limit"]
                hidden = take & set(game.pool) - game.faces.keys()
                return is_open and fits and give <= game.hands[seat] and not take & give and not hidden
            case "Pass":
                same = sorted(action.pool) == sorted(game.pool) and game.faces.keys() >= set(game.pool)
                return is_open and seat not in game.passed and same
            case "Call":
                return is_open and len(action.calls) == 1 and self._may_call(game, seat, action.calls[0])
            case "Next":
                return game.phase is Phase.BETWEEN and seat == self.next_dealer(game)
            case "Say":
                return action.text.isprintable() and (self.told["speech"] or not game.is_dealt)
            case "Gesture":
                return bool(action.name.isprintable())
            case _:
                return False

    def _may_call(self, game: Game, seat: int, call: Record) -> bool:
        if call.kind == "Counter":
            return bool(call.target < game.teams and call.target != seat % game.teams)
        return bool(call.kind == "Partner")

    def apply(self, game: Game, seat: int, action: Record) -> Game:
        """What an action does that is ok."""
        match action.kind:
            case "Swap":
                put = dict(zip(action.take, action.give, strict=True))
                hand = game.hands[seat] - set(action.give) | set(action.take)
                hands = (*game.hands[:seat], hand, *game.hands[seat + 1 :])
                pool = tuple(put.get(position, position) for position in game.pool)
                return replace(game, hands=hands, pool=pool, passed=frozenset())
            case "Pass":
                return self._pass(replace(game, passed=game.passed | {seat}))
            case "Call":
                return replace(game, phase=Phase.CALLED, caller=seat, call=action.calls[0])
            case "Next":
                return self._start(game)
            case _:
                return game

    def _pass(self, game: Game) -> Game:
        if len(game.passed) < game.players:
            return game
        if not game.stock:
            return self.over(game)
        size = self.told["pool_size"]
        pool, stock = game.stock[:size], game.stock[size:]
        return replace(game, phase=Phase.LOOK, pool=pool, stock=stock, passed=frozenset())

    def _start(self, game: Game) -> Game:
        count, size = game.players * 4, self.told["pool_size"]
        rest = tuple(range(count, len(self.cards(game.players))))
        return Game(
            players=game.players,
            dealer=self.next_dealer(game),
            scores=game.scores,
            deal=game.deal + 1,
            phase=Phase.LOOK,
            hands=tuple(frozenset(range(4 * seat, 4 * seat + 4)) for seat in range(game.players)),
            pool=rest[:size],
            stock=rest[size:],
        )

    def over(self, game: Game, letters: Iterable[int] = ()) -> Game:
        """The deal ends, with a letter for these teams."""
        got = set(letters)
        scores = tuple(score + (team in got) for team, score in enumerate(game.scores))
        lost = any(score >= len(self.told["word"]) for score in scores)
        phase = Phase.OVER if lost else Phase.BETWEEN
        return replace(game, phase=phase, scores=scores, call=None, unopened=frozenset())

    def verdict(self, game: Game) -> tuple[bool, set[int]]:
        """Whether the call is right, and the teams that get a letter; what it demands is public."""
        mine = game.caller % game.teams
        shown = [seat for seat in game.named if seat not in game.unopened]
        quartets = [len({rank(game.faces[p]) for p in game.hands[seat]}) == 1 for seat in shown]
        # A hand that is not opened in time counts against its own team.
        if not any(quartets) and all(seat % game.teams == mine for seat in game.unopened):
            return False, {mine}
        if game.call.kind == "Counter":
            return True, {game.call.target}
        return True, set(range(game.teams)) - {mine}

    def winners(self, game: Game) -> list[int]:
        return [team for team, score in enumerate(game.scores) if score < len(self.told["word"])]

    def conflict(self, players: int, one: tuple[int, Record], two: tuple[int, Record]) -> bool:
        """Whether two claims, each by its seat and action, conflict; [Conflicts]."""
        return self._hits(players, one, two) or self._hits(players, two, one)

    def _hits(self, players: int, one: tuple[int, Record], two: tuple[int, Record]) -> bool:
        (seat, a), (other, b) = one, two
        if "Gesture" in (a.kind, b.kind) or "Say" in (a.kind, b.kind):
            return (a.kind, b.kind) == ("Say", "Next") and not self.told["speech"]
        match a.kind:
            case "Next":
                return True
            case "Call":
                hands = {hand for call in a.calls for hand in named_by(players, seat, call)}
                return b.kind in ("Call", "Pass") or (b.kind == "Swap" and other in hands)
            case "Pass":
                return b.kind == "Swap" or (b.kind == "Pass" and seat == other)
            case _:
                both = {*a.take, *a.give} & {*b.take, *b.give} if b.kind == "Swap" else set()
                return b.kind == "Swap" and (seat == other or bool(both))

    def precedes(self, players: int, one: tuple[int, Record], two: tuple[int, Record]) -> bool:
        """Whether the rules put the first before the second in a draw; [Coins]."""
        (seat, a), (other, b) = one, two
        if (a.kind, b.kind) == ("Call", "Call"):
            counters = [action.calls[0].kind == "Counter" for action in (a, b)]
            return self.told["simultaneous_calls"] == "counter-first" and counters == [True, False]
        half = players // 2
        return (a.kind, b.kind) == ("Swap", "Call") and seat % half == other % half


# --- Who was first ------------------------------------------------------------------ [Poll], [Sets], [Cuts]

NOWHERE = 2**64
Tape = Sequence[bytes]
"""The claims that a tape shows, in their order."""


class Word(Enum):
    """Which of two claims was first."""

    FIRST = "the first"
    SECOND = "the second"
    TOGETHER = "neither"
    OPEN = "not known yet"


@dataclass(frozen=True)
class Cut:
    """What an open cut names, and the tapes up to where it closes them."""

    claims: frozenset[bytes]
    tapes: Sequence[Tape]


def places(tapes: Sequence[Tape]) -> list[dict[bytes, int]]:
    """Where each tape shows each claim first."""
    return [{claim: i for i, claim in reversed(list(enumerate(tape)))} for tape in tapes]


class Poll:
    """What the tapes say of some claims: of each pair who was first, and which sets are decided."""

    def __init__(
        self,
        authors: Mapping[bytes, int],
        conflicts: set[frozenset[bytes]],
        tapes: Sequence[Tape],
        cut: Cut | None = None,
    ) -> None:
        self.authors, self.conflicts = authors, conflicts
        self.need = (len(tapes) - 2) // 2 + 1
        self.named = frozenset() if cut is None else cut.claims
        self._places = places(tapes)
        self._closed = places(tapes if cut is None else cut.tapes)

    def _shown(self, a: bytes, b: bytes) -> list[dict[bytes, int]]:
        return self._closed if {a, b} <= self.named else self._places

    def causes(self, a: bytes, b: bytes) -> bool:
        """Whether b's author had seen a when it made b."""
        shown = self._shown(a, b)[self.authors[b]]
        return a in shown and b in shown and shown[a] < shown[b]

    def words(self, a: bytes, b: bytes) -> tuple[list[int], list[int], list[int]]:
        """The witnesses that had a first, that had b first, and that say nothing yet."""
        said: tuple[list[int], list[int], list[int]] = ([], [], [])
        for witness, shown in enumerate(self._shown(a, b)):
            if witness not in (self.authors[a], self.authors[b]):
                at, bt = shown.get(a, NOWHERE), shown.get(b, NOWHERE)
                said[0 if at < bt else 1 if bt < at else 2].append(witness)
        return said

    def first(self, a: bytes, b: bytes) -> Word:
        if (a in self.named) is not (b in self.named):
            return Word.FIRST if a in self.named else Word.SECOND
        if self.causes(a, b) or self.causes(b, a):
            return Word.FIRST if self.causes(a, b) else Word.SECOND
        for_a, for_b, out = map(len, self.words(a, b))
        if max(for_a, for_b) >= self.need:
            return Word.FIRST if for_a >= self.need else Word.SECOND
        may_come = 0 if a in self.named else out
        return Word.OPEN if max(for_a, for_b) + may_come >= self.need else Word.TOGETHER

    def decide(self) -> list[frozenset[bytes]]:
        """The decided sets."""
        ahead: dict[bytes, set[bytes]] = {claim: {claim} for claim in self.authors}
        is_open: set[frozenset[bytes]] = set()
        for pair in self.conflicts:
            a, b = pair
            word = self.first(a, b)
            if word is not Word.SECOND:
                ahead[b].add(a)
            if word is not Word.FIRST:
                ahead[a].add(b)
            if word is Word.OPEN:
                is_open.add(pair)
        closure = {claim: closed_over(claim, ahead) for claim in self.authors}
        sets = {inner for inner in closure.values() if all(closure[each] == inner for each in inner)}
        return [one for one in sets if self._is_decided(one, is_open)]

    def _is_decided(self, one: frozenset[bytes], is_open: set[frozenset[bytes]]) -> bool:
        if any(pair <= one for pair in is_open):
            return False
        return all(claim in self.named or self._count(claim) >= self.need for claim in one)

    def _count(self, claim: bytes) -> int:
        """How many tapes show a claim, without its author's."""
        return sum(claim in shown for seat, shown in enumerate(self._places) if seat != self.authors[claim])


def closed_over(start: bytes, near: Mapping[bytes, Iterable[bytes]]) -> frozenset[bytes]:
    """All that is reached from one claim, with itself."""
    found, todo = {start}, [start]
    while todo:
        more = set(near[todo.pop()]) - found
        found |= more
        todo += more
    return frozenset(found)


def drawn_order(
    priority: Mapping[bytes, bytes],
    causes: Mapping[bytes, set[bytes]],
    before: set[tuple[bytes, bytes]],
    late: set[bytes],
) -> list[bytes]:
    """The order of a draw; [Coins]. What is late comes behind all that causality does not put behind it."""
    left, order = set(priority), []
    while left:
        free = {claim for claim in left if not any(claim in causes[other] for other in left)}
        awaited = {claim for claim in free if closed_over(claim, causes) & (left - late)}
        free = (free - late) or awaited or free
        preferred = {claim for claim in free if not any((other, claim) in before for other in free)}
        order.append(min(preferred or free, key=priority.__getitem__))
        left.remove(order[-1])
    return order


# --- Items ------------------------------------------------------------------------------------------ [Tape]


class Said:
    """An item whose form holds, with what it says; one in which something cannot be read says nothing."""

    def __init__(self, item: Record, digest: bytes, is_observer: bool) -> None:
        self.item, self.digest = item, digest
        self.seat, self.number, self.lamport = item.seat, item.number, item.lamport
        self.claim: Record = None
        self.action: Record = None
        self.entry: Record = None
        self.deeds: list[Record] = []
        self.fault = next(filter(None, map(self._read, item.body)), None)
        if is_observer and any(one.kind != "Receipt" for one in item.body):
            self.fault = Fault("wrong-seat", "an observer that says more than receipts", item.seat)
        self.body = item.body if self.fault is None else ()

    def _read(self, statement: Record) -> Fault | None:
        """Decode what is within a statement; what is wrong with it is the author's fault."""
        try:
            match statement.kind:
                case "Claim":
                    self.claim = statement
                    self.action = decode_action(statement.action)
                case "Deed":
                    self.deeds.append(decode_deed(statement.payload))
                case "Append":
                    self.entry = decode(statement.entry, "Entry")
                case _:
                    pass
        except Fault as fault:
            code = "bad-claim" if statement.kind == "Claim" else fault.code
            return Fault(code, fault.why, self.seat)
        return None

    @property
    def move(self) -> tuple[int, Record]:
        return self.seat, self.action

    @property
    def kind(self) -> tuple[int, str]:
        """Seat and kind of its claim; numbers grow within these."""
        return self.seat, kind_of(self.action)

    def is_behind(self, other: "Said") -> bool:
        """Whether the other is an earlier claim of the same seat and kind, that this one has to wait for."""
        same = self.kind == other.kind and self.kind[1] != "free"
        return same and other.number < self.number


Signers = list[list[tuple[int, bytes]]]
"""By tape and incarnation: the number of its first item, and the key that signs them."""


def signer_of(item: Record, signers: Signers) -> bytes | None:
    """The key of an incarnation at a place of its tape; None if it has no such place; [New incarnations]."""
    known = signers[item.seat]
    if not 0 <= item.incarnation < len(known):
        return None
    (first, key), *later = known[item.incarnation :]
    is_before = item.incarnation > 0 and item.number < first  # Else its signature proves a fault.
    return None if is_before or (later and item.number >= later[0][0]) else key


def read_item(signed: Record, match: bytes, signers: Signers) -> Said:
    """Check an item by itself; [Form of an item]. The tape of an observer is the last of an odd number."""
    need(len(signed.raw) <= 262144, "too-large", "an item over its limit", NOBODY)
    item = decode(signed.raw, "Item")
    seat, kinds = item.seat, [one.kind for one in item.body]
    need(item.match == match, "wrong-match", "an item of another match", NOBODY)
    need(0 <= seat < len(signers), "wrong-seat", "a seat that the table does not have", NOBODY)
    key = signer_of(item, signers)
    need(key is not None, "other-incarnation", "a place that is another incarnation's", NOBODY)
    check_signature(key or b"", "kemps/v1/item", signed.raw, signed.signature)
    first = item.number >= 0 and (item.number == 0) == (item.prev == ZEROS)
    need(first and len(item.prev) == 32, "bad-link", "number and link", seat)
    need(item.number < item.lamport < 2**62, "bad-stamp", "a stamp out of range", seat)
    fits = bool(kinds) and kinds.count("Claim") <= 1 and ("Append" not in kinds or len(kinds) == 1)
    need(fits, "malformed", "a body that no item has", seat)
    for one in item.body:
        told = vars(one) | (vars(one.head) if "head" in vars(one) else {})
        numbers = [
            told[name] for name in ("index", "epoch", "term", "seat", "length", "normal") if name in told
        ]
        need(min(numbers, default=0) >= 0, "malformed", "a number below 0", seat)
        digests = [told[name] for name in ("claim", "digest", "last", "sitting") if name in told]
        digests += told.get("rivals", ())
        need(all(len(each) == 32 for each in digests), "malformed", "a digest of another length", seat)
    is_observer = len(signers) % 2 == 1 and seat == len(signers) - 1
    return Said(item, tagged_hash("kemps/v1/item", signed.raw, signed.signature), is_observer)


def mentions(item: Said) -> Iterator[tuple[bytes, Record]]:
    """The claims that an item makes or receipts, each with the statement."""
    for one in item.body:
        if one.kind in ("Claim", "Receipt"):
            yield (item.digest if one.kind == "Claim" else one.claim), one


def shown_by(item: Said) -> Iterator[bytes]:
    """The claims that an item shows, in their order; [Poll]."""
    for claim, one in mentions(item):
        yield from one.rivals
        yield claim


NAMED = {"Settled": "claim evidence", "Drawn": "coins", "CutOff": "claims"}
NAMED |= dict.fromkeys(("Contest", "Ruled"), "claims evidence")
NAMED |= dict.fromkeys(("Carried", "Readmitted"), "item")
NAMED |= dict.fromkeys(("Blamed", "TakeOver"), "items") | dict.fromkeys(("Struck", "Seated"), "words")
"""In which fields an event names items."""


def named_in(events: Iterable[Record]) -> list[bytes]:
    """The items that events name, each once; [Entries]. A coin that is withheld is none."""
    out: list[bytes] = []
    for event in events:
        for name in NAMED.get(event.kind, "").split():
            value = getattr(event, name)
            many = value if isinstance(value, tuple) else (value,)
            out += [one for one in many if name != "coins" or one != ZEROS]
    return list(dict.fromkeys(out))


def stands(said: Said) -> Iterator[tuple[tuple[str, int, int, int], bytes]]:
    """What an item says there is at an epoch, a term and an index: as author of an entry, or by an ack."""
    if said.entry is not None:
        yield ("entry", said.entry.epoch, said.entry.term, said.entry.index), said.digest
    for one in said.body:
        if one.kind == "Ack":
            yield ("ack", one.epoch, one.term, one.head.index), one.head.digest


def contradict(one: Said, two: Said) -> bool:
    """Whether no honest key can have made both items of one seat; [Evidence]."""
    if one.digest == two.digest:
        return False
    first, second = sorted((one, two), key=lambda said: said.number)
    forked = first.number == second.number and first.item.prev == second.item.prev
    broken = second.number == first.number + 1 and second.item.prev != first.digest
    said = dict(stands(first))
    differs = any(said.get(place, digest) != digest for place, digest in stands(second))
    return forked or broken or differs or (first.number < second.number and takes_back(first, second))


def takes_back(before: Said, after: Said) -> bool:
    """Whether a later item goes back on what an earlier one of its seat said of terms."""
    joined = max((one.term for one in before.body if one.kind == "Join"), default=0)
    if any(term < joined for (_, _, term, _), _ in stands(after)):
        return True
    stood = [((term, index), digest) for (_, _, term, index), digest in stands(before)]
    for one in after.body:
        if one.kind == "HandOver":
            place = (one.normal, one.head.index)
            if any(at > place or (at == place and digest != one.head.digest) for at, digest in stood):
                return True
    return False


# --- The fold ------------------------------------------------------------------------------ [Fold], [State]


@dataclass(frozen=True)
class Past:
    """What is kept of the match behind an entry, for claims that cite it."""

    digest: bytes
    stamp: int
    game: Game
    is_ready: bool


@dataclass(frozen=True)
class OpenContest:
    """Claims that wait for coins, and which of them the author of another had seen."""

    claims: Mapping[bytes, Said]
    causes: Mapping[bytes, set[bytes]]


@dataclass(frozen=True)
class OpenCut:
    """Claims that a cut names, and the lengths at which it closes the tapes."""

    claims: Mapping[bytes, Said]
    ends: list[int]


class Match:
    """The state of a match, and `step`, the only way to its next."""

    def __init__(self, genesis: Record, match_id: bytes, names: Sequence[str] = ()) -> None:
        self.id, self.genesis = match_id, genesis
        self.seats, peers = len(genesis.seats), peers_of(genesis)
        self.signers: Signers = [[(0, peer.key)] for peer in peers]
        self.observer: int | None = self.seats if len(peers) > self.seats else None
        self.is_striking = False
        self.names = names or [*(f"seat {seat}" for seat in range(self.seats)), "the observer"]
        self.rules = Rules(read_rules(genesis.rules))
        joint = tagged_hash("kemps/v1/joint", *(peer.nonce for peer in peers))
        dealer = self.rules.first_dealer(self.seats, joint, genesis.matches)
        self.game = Game(players=self.seats, dealer=dealer, scores=(0,) * (self.seats // 2))
        self.index, self.head, self.stamp = 0, match_id, 0
        self.epoch, self.head_term, self.term, self.first_on_duty = 0, 0, 0, dealer
        self.elapsed_ms, self.complete_ms, self.moved_ms = 0, -1, 0
        self.past: dict[int, Past] = {}
        self.logged: dict[tuple[int, str], tuple[int, int]] = {}
        self.contests: dict[int, OpenContest] = {}
        self.cut: OpenCut | None = None
        self.coins = [seat.coin for seat in genesis.seats]
        self.decks: dict[int, Deck] = {}
        self.seals: dict[tuple[int, int], list[tuple[int, bytes]]] = defaultdict(list)
        self.spoilt: dict[int, int] = {}
        self.books: dict[tuple[int, int], bytes] = {}
        self.opened_books: set[tuple[int, int]] = set()
        self.false_seeds: set[tuple[int, int]] = set()
        self.false_books: set[tuple[int, int]] = set()
        self.missed_seeds: set[tuple[int, int]] = set()
        self.waited_ms: dict[int, int] = {}
        self.absent: dict[int, int] = {}
        self.seated: dict[int, int] = defaultdict(int)
        self.given: dict[int, int] = defaultdict(lambda: -1)
        self.voided: set[int] = set()
        self.blamed: set[bytes] = set()
        self.forked: dict[int, int] = {}
        self.is_closed = False
        self.story: list[str] = []
        self._remember()

    # What follows from the state.

    def deck(self, deal: int) -> Deck:
        if deal not in self.decks:
            cards, group = self.rules.cards(self.seats), GROUPS[self.genesis.group]
            self.decks[deal] = Deck(group, self.id, deal, self.seats, cards, attempt=self.attempt)
        return self.decks[deal]

    @property
    def attempt(self) -> int:
        """Of a deck that begins now: how many incarnations were let in; [New incarnations]."""
        return sum(len(known) - 1 for known in self.signers)

    @property
    def on_duty(self) -> int:
        """The sequencer of the term; [Terms]."""
        return (self.first_on_duty + self.term) % self.seats

    @property
    def coming(self) -> int:
        return self.game.deal + 1

    @property
    def is_over(self) -> bool:
        return self.game.phase is Phase.OVER

    @property
    def may_prepare(self) -> bool:
        """Whether the coming deal may be shuffled by now; [Duties]."""
        begun = self.game.opened or not self.game.is_dealt
        return begun and not self.is_over and self.coming not in self.spoilt

    @property
    def is_ready(self) -> bool:
        return (
            not self.is_over
            and not self.absent
            and (self.coming in self.spoilt or self.deck(self.coming).shuffled)
        )

    @property
    def missing_seeds(self) -> set[tuple[int, int]]:
        """(deal, seat) of the seeds that are owed when the match is over."""
        deals = [deal for deal in range(self.coming) if deal not in self.spoilt and self.is_over]
        owed = {
            (deal, seat) for deal in deals for seat in range(self.seats) if seat not in self.deck(deal).seeds
        }
        return owed - self.false_seeds - self.missed_seeds

    def owed_shares(self, seat: int) -> set[int]:
        game = self.game
        if not game.is_dealt:
            return set()
        others = {p for other, hand in enumerate(game.hands) if other != seat for p in hand}
        owed = others | set(game.pool) | game.called
        return owed - game.faces.keys() - self.deck(game.deal).shares[seat].keys()

    @property
    def winners(self) -> list[int]:
        """Those that the rules name, without the teams that opened something false; [State]."""
        liars = {seat % self.game.teams for _, seat in self.false_seeds | self.false_books}
        honest = [team for team in range(self.game.teams) if team not in liars]
        return [team for team in self.rules.winners(self.game) if team in honest] or honest

    @property
    def contested(self) -> dict[bytes, Said]:
        """The claims that wait for a draw."""
        return {digest: said for contest in self.contests.values() for digest, said in contest.claims.items()}

    def is_logged(self, said: Said) -> bool:
        return said.action is not None and said.number <= self.logged.get(said.kind, (-1, 0))[0]

    def conflict(self, one: Said, two: Said) -> bool:
        return self.rules.conflict(self.seats, one.move, two.move)

    def _remember(self) -> None:
        self.past[self.index] = Past(self.head, self.stamp, self.game, self.is_ready)
        self.past.pop(self.index - 256, None)

    # One record.

    def step(self, said: Said, items: Mapping[bytes, Said]) -> None:
        try:
            self._step(said, items)
        except Fault as fault:
            fault.culprit = said.seat if fault.culprit == AUTHOR else fault.culprit
            raise

    def _step(self, said: Said, items: Mapping[bytes, Said]) -> None:
        need(said.item.body[0].kind == "Append", "bad-entry", "no entry")
        need(said.seat < self.seats, "wrong-term", "an entry of an observer")
        if said.fault is not None:
            raise said.fault
        entry = said.entry
        need(1 <= len(entry.events) <= 256, "bad-entry", "no events, or too many")
        stands_alone = [event.kind for event in entry.events] == ["TakeOver"]
        need(not self.is_closed or stands_alone, "bad-entry", "an entry after the close")
        takes_over = stands_alone and entry.term > self.head_term
        self.term = entry.term if takes_over else self.term
        duty = (self.on_duty, self.term, self.epoch)
        need((said.seat, entry.term, entry.epoch) == duty, "wrong-term", "a seat that is not on duty")
        need((entry.index, entry.prev) == (self.index + 1, self.head), "bad-link", "it follows another entry")
        need(list(items) == named_in(entry.events), "bad-evidence", "other items than it names", NOBODY)
        here = all(signer_of(each.item, self.signers) for each in (said, *items.values()))
        need(here, "other-incarnation", "an item of an incarnation that has ended", NOBODY)
        last = max((self.stamp, *(item.lamport for item in items.values())))
        need(said.lamport > last, "bad-stamp", "a stamp that is not larger than what it rests on")
        need(self.elapsed_ms <= entry.elapsed_ms < 2**40, "bad-time", "time runs backwards, or out of range")
        need(0 <= entry.wall_ms < 2**53, "bad-time", "a clock out of range")
        self.elapsed_ms = entry.elapsed_ms
        deal, note = self.game.deal, None
        for left, event in zip(range(len(entry.events) - 1, -1, -1), entry.events, strict=True):
            fits = self.game.deal == deal or event.kind == "Note"
            need(fits, "bad-checkpoint", "a deal has started, and more is ordered")
            note = self._event(entry, event, items, is_last=left == 0)
            self._what_follows()
        has_checkpoint = note is not None and note.kind == "Checkpoint"
        need(has_checkpoint == (self.game.deal > deal), "bad-checkpoint", "no checkpoint, or no deal for it")
        self.index, self.head, self.stamp = entry.index, said.digest, said.lamport
        self.head_term = entry.term
        self.observer, self.is_striking = None if self.is_striking else self.observer, False
        self._remember()

    def _event(
        self, entry: Record, event: Record, items: Mapping[bytes, Said], is_last: bool
    ) -> Record | None:
        if event.kind != "Blamed":
            said = [items[digest] for digest in named_in((event,))]
            heard = all(one.seat < self.seats or one.fault is None for one in said)
            need(heard, "bad-evidence", "words that no observer may say")
        need(event.kind != "Ruled", "bad-order", "in these rules the dealer has no word")
        alone = event.kind != "TakeOver" or len(entry.events) == 1
        need(alone, "bad-take-over", "a take-over beside something else")
        acts = {
            "Settled": self._settle, "Contest": self._contest, "Drawn": self._draw, "CutOff": self._cut_off,
            "Carried": self._carry, "Blamed": self._blame, "TakeOver": self._take_over,
            "Struck": self._strike, "Readmitted": self._readmit, "Seated": self._seat,
        }  # fmt: skip
        if event.kind not in acts:
            return self._happens(event, is_last)
        acts[event.kind](event, items)
        return None

    def _what_follows(self) -> None:
        """What each event brings about by itself."""
        self._end_cut()
        self._turn_up()
        waited = {seat for _, seat in self.missing_seeds}
        waited |= {
            seat
            for seat in self.game.named
            if self.game.called & self.game.hands[seat] - self.game.faces.keys()
        }
        self.waited_ms = {seat: self.waited_ms.get(seat, self.elapsed_ms) for seat in waited}

    def _turn_up(self) -> None:
        """A spoilt deal is lost, faces turn up, the pool is complete, a call is judged."""
        if self.game.is_dealt and self.game.deal in self.spoilt:
            team = self.spoilt[self.game.deal]
            self.game = self.rules.over(self.game, {team})
            self.tell(f"deal {self.game.deal} was spoilt: a letter for {self.team(team)}")
        if not self.game.is_dealt:
            return
        faces, pool = dict(self.game.faces), set(self.game.pool)
        for position in (pool | self.game.called) - faces.keys():
            face = self.deck(self.game.deal).face(position)
            if face is not None:
                faces[position] = face
        self.game = replace(self.game, faces=faces)
        if self.game.phase is not Phase.LOOK:
            self.complete_ms = -1
        elif self.complete_ms < 0 and pool <= faces.keys():
            self.complete_ms = self.elapsed_ms
        self._judge_open_call()

    def _judge_open_call(self) -> None:
        """A call is judged once all cards that it names are known."""
        if self.game.phase is Phase.CALLED and self.game.called <= self.game.faces.keys():
            self._judge_call()

    def _judge_call(self) -> None:
        game = self.game
        right, letters = self.rules.verdict(game)
        self.game = self.rules.over(game, letters)
        hands = [f"{self.names[seat]} {self.hand(game, seat)}" for seat in game.named]
        got = ", ".join(self.team(team) for team in sorted(letters))
        call = f"{self.names[game.caller]}’s {self.call_text(game.call)}"
        self.tell(f"    {call} is {'right' if right else 'wrong'}: {' and '.join(hands)}; a letter for {got}")
        self.tell(f"    letters: {self.letters()}")

    # Claims: [Conflict], [Evidence of an entry], [What comes of a claim].

    def refusal(self, said: Said) -> str | None:
        """Why a claim is refused at the head it cites, if it is."""
        if said.fault is not None:
            raise said.fault
        head, (seat, kind) = said.claim.head, said.kind
        need(head.index <= self.index, "bad-claim", "it cites an entry to come", seat)
        past = self.past.get(head.index)
        if past is None:
            return "stale"
        need(past.digest == head.digest, "bad-claim", "it cites another chain", seat)
        need(said.lamport > past.stamp, "bad-stamp", "a claim stamped before what it cites", seat)
        if past.game.deal != self.game.deal:
            return "stale"
        if kind != "free" and self.logged.get(said.kind, (-1, 0))[1] > head.index:
            return "too-soon"
        if said.action.kind == "Next" and not past.is_ready:
            return "not-ready"
        return "rules" if self.rules.judge(past.game, seat, said.action) is Result.REFUSED else None

    def _is_fresh(self, said: Said) -> bool:
        return not self.is_logged(said) and said.digest not in self.contested

    def _weigh(self, claims: Sequence[bytes], evidence: Sequence[bytes], items: Mapping[bytes, Said]) -> Poll:
        """Ask the evidence about the claims of an event: they must be a decided set."""
        named = {digest: items[digest] for digest in (*claims, *evidence)}
        for digest in claims:
            need(named[digest].claim is not None, "bad-evidence", "an item that makes no claim")
            need(self._is_fresh(named[digest]), "bad-order", "a claim that is ordered already")
        waiting = [said for said in named.values() if said.claim is not None and not self.is_logged(said)]
        rivals = {said.digest: said for said in waiting if self._is_fresh(said)}
        lawful = [
            said
            for said in rivals.values()
            if self.refusal(said) is None and not any(said.is_behind(other) for other in waiting)
        ]
        self._check_mentions(named, rivals)
        for said in lawful:
            if said.digest in claims:
                self._check_held_up(said)
        conflicts = {
            frozenset((one.digest, two.digest))
            for one, two in combinations(lawful, 2)
            if self.conflict(one, two)
        }
        poll = self._poll(rivals, conflicts, named.values())
        need(frozenset(claims) in poll.decide(), "bad-order", "the evidence does not decide it so")
        return poll

    def _check_mentions(self, named: Mapping[bytes, Said], rivals: Mapping[bytes, Said]) -> None:
        """Who speaks of a rival names all that it had seen; and no receipt is stamped before its claim."""
        for said in named.values():
            for claim, statement in mentions(said):
                if claim in rivals:
                    whole = named.keys() >= set(statement.rivals)
                    need(whole, "bad-evidence", "a rival that is named is left out")
                    later = claim == said.digest or said.lamport > rivals[claim].lamport
                    need(later, "bad-stamp", "a receipt stamped before its claim", said.seat)

    def _check_held_up(self, said: Said) -> None:
        """No claim is ordered past an open contest, nor past an open cut that does not name it."""
        cut = {} if self.cut is None or said.digest in self.cut.claims else self.cut.claims
        ahead = [other for other in cut.values() if not self.is_logged(other)]
        for other in (*self.contested.values(), *ahead):
            held_up = self.refusal(other) != "stale" and self.conflict(said, other)
            need(not held_up, "bad-order", "it conflicts with a contest or a cut that is open")

    def _poll(
        self, rivals: Mapping[bytes, Said], conflicts: set[frozenset[bytes]], named: Iterable[Said]
    ) -> Poll:
        count = self.seats + (self.observer is not None)
        tapes: list[list[bytes]] = [[] for _ in range(count)]
        closed: list[list[bytes]] = [[] for _ in range(count)]
        for said in sorted((said for said in named if said.seat < count), key=lambda said: said.number):
            shown = [claim for claim in shown_by(said) if claim in rivals]
            tapes[said.seat] += shown
            if self.cut is not None and said.number < self.cut.ends[said.seat]:
                closed[said.seat] += shown
        cut = None if self.cut is None else Cut(frozenset(self.cut.claims), closed)
        return Poll({digest: said.seat for digest, said in rivals.items()}, conflicts, tapes, cut)

    def _settle(self, event: Record, items: Mapping[bytes, Said]) -> None:
        poll, said = self._weigh((event.claim,), event.evidence, items), items[event.claim]
        result = self._apply(said)
        if said.action.kind == "Call":
            fate = {Result.OK: "", Result.WAITS: "; it waits behind the call before"}.get(result, "; refused")
            self.tell(f"{self.told(said)}; {self.reasons(poll, said, items)}{fate}")
        need(result == event.result, "bad-verdict", "another result")

    def _apply(self, said: Said, is_drawn: bool = False) -> Result:
        """Let one claim come true, or not."""
        if is_drawn and self.is_logged(said):
            return Result.REFUSED
        need(not self.is_logged(said), "bad-order", "a later claim of its seat and kind is logged")
        is_refused = self.refusal(said) is not None
        self.logged[said.kind] = (said.number, self.index + 1)
        if is_refused:
            return Result.REFUSED
        if self.game.phase is Phase.CALLED and said.kind[1] != "free":
            return Result.WAITS
        seat, action = said.move
        result = self.rules.judge(self.game, seat, action)
        if action.kind == "Next" and not self.is_ready:
            result = Result.REFUSED
        if result is Result.OK:
            self.game = self.rules.apply(self.game, seat, action)
            self._done(said)
        return result

    def _done(self, said: Said) -> None:
        """What the fold notes of an action beside the game."""
        match said.action.kind:
            case "Swap":
                self.moved_ms = self.elapsed_ms
            case "Gesture" if not self.is_over and self._has_part(said.seat):
                self.seals[max(0, self.game.deal), said.seat].append((said.number, said.action.seal))
            case "Next":
                self.tell(f"deal {self.game.deal}, dealt by {self.names[self.game.dealer]}")
            case _:
                pass

    def _has_part(self, seat: int) -> bool:
        """Whether who sits at a seat knows its seed of the deal that is on or over; [Seals of gestures]."""
        if self.game.deal < 0:
            return not self.attempt
        deck = self.decks.get(self.game.deal)
        return (self.attempt if deck is None else deck.attempt) >= self.seated[seat]

    def _contest(self, event: Record, items: Mapping[bytes, Said]) -> None:
        need(len(set(event.claims)) >= 2, "bad-order", "no contest")
        poll = self._weigh(event.claims, event.evidence, items)
        causes = {
            a: {b for b in event.claims if frozenset((a, b)) in poll.conflicts and poll.causes(a, b)}
            for a in event.claims
        }
        self.contests[self.index + 1] = OpenContest(
            {digest: items[digest] for digest in event.claims}, causes
        )

    # [Coins]

    def _draw(self, event: Record, items: Mapping[bytes, Said]) -> None:
        need(event.index in self.contests, "bad-order", "no such contest is open")
        contest = self.contests[event.index]
        claimants = sorted({said.seat for said in contest.claims.values()})
        need(len(event.coins) == len(claimants), "bad-evidence", "other coins than those of the claimants")
        coins: list[bytes] = []
        withheld: set[int] = set()
        for seat, digest in zip(claimants, event.coins, strict=True):
            if digest == ZEROS:
                withheld |= {seat, (seat + self.game.teams) % self.seats}
                coins.append(b"")
            else:
                coins.append(self._coin(seat, items[digest], event.index))
        order = self._order_of(contest, coins, withheld)
        need(list(event.order) == order, "bad-order", "the coins give another order")
        del self.contests[event.index]
        drawn = [contest.claims[digest] for digest in order]
        self.tell(f"the table cannot tell; by coins: {', then '.join(map(self.told, drawn))}")
        results = []
        for said in drawn:
            results.append(self._apply(said, is_drawn=True))
            # Where everybody knows the called cards already, nothing behind the call waits for them.
            self._judge_open_call()
        need(list(event.results) == results, "bad-verdict", "other results")

    def _coin(self, seat: int, said: Said, index: int) -> bytes:
        """The coin that an item reveals for the contest of this index."""
        coins = [one.coin for one in said.body if one.kind == "CoinReveal" and one.index == index]
        need(said.seat == seat and bool(coins), "bad-evidence", "no coin for this contest")
        fits = len(coins[0]) == 32 and tagged_hash("kemps/v1/coin", coins[0]) == self.coins[seat]
        need(fits, "bad-coin", "a coin that does not fit the chain", seat)
        self.coins[seat] = coins[0]
        return bytes(coins[0])

    def _order_of(self, contest: OpenContest, coins: Sequence[bytes], withheld: set[int]) -> list[bytes]:
        digest = tagged_hash("kemps/v1/set", *sorted(contest.claims))
        priority = {claim: tagged_hash("kemps/v1/draw", digest, *coins, claim) for claim in contest.claims}
        late = {claim for claim, said in contest.claims.items() if said.seat in withheld}
        pairs = permutations(contest.claims.values(), 2)
        before = {(a.digest, b.digest) for a, b in pairs if self.rules.precedes(self.seats, a.move, b.move)}
        return drawn_order(priority, contest.causes, before, late)

    # [Cuts]

    def _cut_off(self, event: Record, items: Mapping[bytes, Said]) -> None:
        ends, claims = [end.length for end in event.tapes], {digest: items[digest] for digest in event.claims}
        need(
            len(ends) == len(self.signers) and min(ends) >= 0,
            "bad-order",
            "other ends than one for each tape",
        )
        ascending = sorted(set(event.claims)) == [*event.claims]
        need(len(claims) >= 2 and ascending, "bad-order", "not the claims of a contest")
        if self.cut is not None:
            beyond = self.cut.claims.keys() <= claims.keys() and ends != self.cut.ends
            beyond = beyond and all(now >= then for now, then in zip(ends, self.cut.ends, strict=True))
            need(beyond, "bad-order", "it does not go beyond the open cut")
        for said in claims.values():
            need(said.claim is not None, "bad-evidence", "an item that makes no claim")
            lawful = self._is_fresh(said) and self.refusal(said) is None and said.number < ends[said.seat]
            need(lawful, "bad-order", "a claim that no cut can name")
            clear = not any(self.conflict(said, other) for other in self.contested.values())
            need(clear, "bad-order", "a claim that conflicts with an open contest")
        near = {
            a: {b for b, two in claims.items() if a != b and self.conflict(one, two)}
            for a, one in claims.items()
        }
        need(
            closed_over(event.claims[0], near) == claims.keys(), "bad-order", "the claims are no one contest"
        )
        self.cut = OpenCut(claims, ends)

    # [Terms]

    def _take_over(self, event: Record, items: Mapping[bytes, Said]) -> None:
        said = [items[digest] for digest in event.items]
        seats = [one.seat for one in said]
        handed = [
            [one for one in each.body if one.kind == "HandOver" and one.term == self.term] for each in said
        ]
        votes = [ones[0] for ones in handed if ones]
        enough = sorted(set(seats)) == seats and len(seats) >= quorum(self.seats)
        need(enough and len(votes) == len(said), "bad-take-over", "no quorum has handed the duty over")
        need(self.term > self.head_term, "wrong-term", "a take-over of a term that has begun")
        _, place = sorted((vote.normal, vote.head.index) for vote in votes)[-2:][::-1]
        heads = [vote.head.digest for vote in votes if (vote.normal, vote.head.index) == place]
        best = min(heads, key=lambda digest: (-heads.count(digest), digest))
        here = (self.head_term, self.index) == place and self.head == best
        need(here, "bad-take-over", "it goes on from another entry than it was handed")
        self.tell(f"{self.names[self.on_duty]} takes the ordering over: term {self.term}")

    # [Observer], [Absent seats]

    def _strike(self, event: Record, items: Mapping[bytes, Said]) -> None:
        is_seat = 0 <= event.seat < self.seats
        is_there = event.seat not in self.absent and not self.is_over
        fits = is_there if is_seat else event.seat == self.observer and not self.is_striking
        need(fits, "bad-entry", "nobody who can be struck")
        is_judged = not (is_seat and (self.contests or self.waited_ms))
        need(
            self.cut is None and is_judged, "bad-order", "a cut or a contest is open, or a seat is waited for"
        )
        said = self._said_by_all(event, event.seat, items)
        missed = any(one.kind == "Unheard" and one.seat == event.seat for one in said)
        need(missed, "bad-evidence", "no quorum of others has missed the same words")
        since = self.given[event.seat]
        is_meant = all(items[digest].lamport > since for digest in event.words)
        need(is_meant, "bad-evidence", "words on the incarnation before")
        if is_seat:
            self._send_away(event.seat)
            return
        self.is_striking = True
        self.tell("the observer is struck: a quorum has not heard of it")

    def _said_by_all(self, event: Record, seat: int, items: Mapping[bytes, Said]) -> list[Record]:
        """What the words of an event say alike: those of a quorum, by seat, without the one it is about."""
        words = [items[digest] for digest in event.words]
        seats = [said.seat for said in words]
        enough = sorted(set(seats)) == seats and len(seats) >= quorum(self.seats)
        need(enough and max(seats) < self.seats, "bad-evidence", "not a quorum's words, one of each seat")
        need(seat not in seats, "bad-evidence", "a seat that speaks of itself")
        return [one for one in words[0].body if all(one in said.body for said in words)]

    def _send_away(self, seat: int) -> None:
        """A seat is absent: the deal is void, or lost for its team."""
        name, team = self.names[seat], seat % self.game.teams
        self.absent[seat] = self.index + 1
        if not self.game.is_dealt:
            self.tell(f"{name} is absent")
        elif team in self.voided or self.owed_shares(seat):
            self.tell(f"{name} is absent: deal {self.game.deal} is lost for {self.team(team)}")
            self.game = self.rules.over(self.game, {team})
        else:
            self.tell(f"{name} is absent: deal {self.game.deal} is void")
            self.voided.add(team)
            self.game = self.rules.over(self.game)

    def _readmit(self, event: Record, items: Mapping[bytes, Said]) -> None:
        said = items[event.item]
        need(event.seat in self.absent, "bad-entry", "a seat that is not absent")
        here = [one.index for one in said.body if one.kind == "Back"]
        fits = said.seat == event.seat and self.absent[event.seat] in here
        need(fits, "bad-evidence", "it does not say that it is back")
        del self.absent[event.seat]
        self.tell(f"{self.names[event.seat]} is back")

    def _seat(self, event: Record, items: Mapping[bytes, Said]) -> None:
        """An absent seat is given to a new incarnation; [New incarnations]."""
        try:
            need(len(event.raw) <= 256, "too-large", "a sitting over its limit")
            sitting = decode(event.raw, "Sitting")
            need(sitting.match == self.id, "wrong-match", "a sitting in another match")
            need(len(sitting.coin) == 32, "malformed", "no coin")
            check_key(sitting.key)
            check_signature(sitting.key, "kemps/v1/sitting", event.raw, event.signature)
        except Fault as fault:
            raise Fault("bad-evidence", f"no sitting: {fault.why}") from None
        seat, end = sitting.seat, event.end
        may = seat in self.absent and not self.is_over
        may = may and sitting.incarnation == len(self.signers[seat])
        others = {key for tape, known in enumerate(self.signers) if tape != seat for _, key in known}
        need(may and sitting.key not in others, "bad-entry", "a seat that this incarnation cannot have")
        links = len(end.last) == 32 and (end.length == 0) == (end.last == ZEROS)
        need(links and end.length >= self.signers[seat][-1][0], "bad-evidence", "a tape cannot end there")
        agreed = new("Agreed", seat, tagged_hash("kemps/v1/sitting", event.raw), end.length, end.last)
        need(agreed in self._said_by_all(event, seat, items), "bad-evidence", "no quorum agrees to it")
        self.signers[seat].append((end.length, sitting.key))
        self.coins[seat] = sitting.coin
        del self.absent[seat]
        self.seated[seat] = self.attempt
        self.given[seat] = max(items[digest].lamport for digest in event.words)
        self.decks.pop(self.coming, None)
        if self.game.deal < 0:
            self.seals.clear()
        self.tell(f"{self.names[seat]} is back without what was lost, as incarnation {sitting.incarnation}")

    def _end_cut(self) -> None:
        """A cut is over once each of its claims is logged or in a contest."""
        if self.cut is not None and not any(map(self._is_fresh, self.cut.claims.values())):
            self.cut = None

    # Deeds: [Deeds], [Duties], [Seals of gestures].

    def _carry(self, event: Record, items: Mapping[bytes, Said]) -> None:
        said = items[event.item]
        if said.fault is not None:
            raise said.fault
        need(bool(said.deeds), "bad-evidence", "an item without a deed")
        for deed in said.deeds:
            need(self._is_owed(deed, said.seat), "not-owed", "a deed that the state does not ask for")
            self._do(deed, said)

    def _is_owed(self, deed: Record, seat: int) -> bool:
        place, coming = (deed.deal, seat), deed.deal == self.coming
        first = getattr(deed, "round", 0) == 0  # There are no others here.
        attempt = self.decks[deed.deal].attempt if deed.deal in self.decks else self.attempt
        first = first and getattr(deed, "attempt", attempt) == attempt
        prepares = first and coming and self.may_prepare
        match deed.kind:
            case "KeyDeed":
                return prepares and seat not in self.deck(deed.deal).keys
            case "TurnDeed" if prepares:
                deck = self.deck(deed.deal)
                has_turn = len(deck.keys) == self.seats and len(deck.turns) == seat
                return has_turn and bool(deed.on == deck.last_item)
            case "ShareDeed":
                here = first and deed.deal == self.game.deal
                return here and set(deed.shares.positions) <= self.owed_shares(seat)
            case "SeedDeed":
                return first and place in self.missing_seeds
            case "BookDeed":
                return coming and not self.is_over and place not in self.books
            case "BookOpenedDeed":
                return self.is_over and place in self.books.keys() - self.opened_books - self.false_books
            case _:
                return False

    def _do(self, deed: Record, said: Said) -> None:
        """Let a deed take effect that is owed; what is wrong with it is its author's fault."""
        deck, seat = self.deck(deed.deal), said.seat
        match deed.kind:
            case "BookDeed":
                self.books[deed.deal, seat] = deed.commitment
            case "BookOpenedDeed":
                signals = [signal.encode() for signal in deed.signals]
                book = tagged_hash(
                    "kemps/v1/book", self.id, number(deed.deal), number(seat), deed.salt, *signals
                )
                need(book == self.books[deed.deal, seat], "bad-commitment", "another signal book", seat)
                self.opened_books.add((deed.deal, seat))
            case "KeyDeed":
                deck.check_key(seat, deed.key)
                deck.add_key(seat, deed.key)
            case "TurnDeed":
                deck.check_turn(seat, deed.turn)
                deck.turns.append(deed.turn)
                deck.last_item = said.digest
            case "ShareDeed":
                deck.check_shares(seat, deed.shares)
                deck.shares[seat] |= dict(zip(deed.shares.positions, deed.shares.parts, strict=True))
            case _:
                deck.check_seed(seat, deed.seed.seed)
                self._check_seals(deed, seat)
                deck.seeds[seat] = deed.seed.seed

    def _check_seals(self, deed: Record, seat: int) -> None:
        for place, seal in self.seals[deed.deal, seat]:
            about = (self.id, number(deed.deal), number(seat), number(place), deed.seed.seed)
            true = [tagged_hash("kemps/v1/gesture", *about, intent) for intent in (b"meant", b"decoy")]
            need(seal in true, "bad-seal", "the seed does not open the seal of a gesture", seat)

    # Blame: [Evidence], [Losing a deal].

    def _blame(self, event: Record, items: Mapping[bytes, Said]) -> None:
        accused, seat = [items[digest] for digest in event.items], event.culprit
        fresh = not self.blamed & items.keys() & set(event.items) and 1 <= len(accused) <= 2
        fresh = fresh and all(said.seat == seat for said in accused)
        need(fresh, "bad-blame", "items that blame nobody")
        self.blamed |= set(event.items)
        if len(accused) == 2:
            self.forked[seat] = min(*(said.number for said in accused), self.forked.get(seat, NOWHERE))
        if seat == self.seats:
            self._blame_observer(accused)
            return
        if len(accused) == 2:
            need(
                contradict(*accused) and not self.is_over, "bad-blame", "one honest key could have made both"
            )
            self._lose(self.game.deal if self.game.is_dealt else self.coming, seat, "contradicted itself")
            return
        deed = self._broken_deed(accused[0])
        if deed.kind in ("SeedDeed", "BookOpenedDeed"):
            (self.false_seeds if deed.kind == "SeedDeed" else self.false_books).add((deed.deal, seat))
            self.tell(f"{self.names[seat]} opened what is false: {self.team(seat)} have lost the match")
        else:
            self._lose(deed.deal, seat, "gave the deck what does not hold")

    def _blame_observer(self, accused: Sequence[Said]) -> None:
        lied = contradict(*accused) if len(accused) == 2 else accused[0].fault is not None
        need(lied and self.observer is not None, "bad-blame", "an observer that has done nothing")
        need(not self.is_striking, "bad-entry", "an observer is struck once")
        self.is_striking = True
        self.tell("the observer is struck: it said what no observer may")

    def _broken_deed(self, said: Said) -> Record:
        """The deed of an item that was owed and cannot take effect."""
        kept = copy.deepcopy(self.decks)
        try:
            for deed in said.deeds if said.fault is None else ():
                if not self._is_owed(deed, said.seat):
                    break
                try:
                    self._do(deed, said)
                except Fault:
                    return deed
        finally:
            self.decks = kept
        raise Fault("bad-blame", "blame for nothing that is wrong")

    def _lose(self, deal: int, seat: int, why: str) -> None:
        need(deal not in self.spoilt, "bad-blame", "that deal is spoilt already")
        team = seat % self.game.teams
        self.tell(f"{self.names[seat]} {why}: deal {deal} is lost for {self.team(team)}")
        if deal == self.game.deal:
            self.game = self.rules.over(self.game, {team})
        else:
            self.spoilt[deal] = team

    # Notes, and what time they need: [Fold], [Time].

    def _happens(self, event: Record, is_last: bool) -> Record:
        try:
            note = decode(event.payload, "AnyNote")
        except Fault as fault:
            raise Fault(fault.code, fault.why) from None
        match note.kind:
            case "PlayStarted":
                may = self.game.phase is Phase.LOOK and self.complete_ms >= 0
                need(may, "bad-entry", "there is nothing to be opened")
                look_ms = self.elapsed_ms - self.complete_ms
                need(look_ms >= self.rules.told["look_ms"], "bad-time", "play starts before the look is over")
                self.game = replace(self.game, phase=Phase.OPEN, opened=True)
                self.moved_ms = self.elapsed_ms
            case "AutoPassed":
                wait, passing = self.rules.told["auto_pass_s"], new("Pass", self.game.pool)
                may = 0 <= note.seat < self.seats and wait > 0
                may = may and self.rules.judge(self.game, note.seat, passing) is Result.OK
                need(may, "bad-entry", "the seat could not pass")
                need(self.elapsed_ms - self.moved_ms >= wait * 1000, "bad-time", "a pass too early")
                self.game = self.rules.apply(self.game, note.seat, passing)
            case "Overdue":
                need(note.seat in self.waited_ms, "bad-entry", "nobody waits for this seat")
                waited_ms = self.elapsed_ms - self.waited_ms[note.seat]
                need(waited_ms >= 20_000, "bad-time", "the seat still has time")
                self.missed_seeds |= {place for place in self.missing_seeds if place[1] == note.seat}
                self.game = replace(self.game, unopened=self.game.unopened | {note.seat})
            case "Checkpoint":
                true = (self.game.deal, self.game.dealer, self.game.scores)
                fits = is_last and (note.deal, note.dealer, note.scores) == true
                need(fits, "bad-checkpoint", "another deal, dealer or score")
                if self.game.deal > 0:  # [Terms]
                    self.term += 1
            case _:
                done = is_last and self.is_over and not self.missing_seeds
                need(done, "bad-entry", "there is more to come before the close")
                self.is_closed = True
        return note

    # What is told of it.

    def team(self, seat: int) -> str:
        team = seat % self.game.teams
        return f"{self.names[team]} and {self.names[team + self.game.teams]}"

    def hand(self, game: Game, seat: int) -> str:
        if seat in game.unopened:
            return "did not open in time"
        return "held " + " ".join(card_text(game.faces[p]) for p in sorted(game.hands[seat]))

    def letters(self) -> str:
        word = self.rules.told["word"]
        scores = enumerate(self.game.scores)
        return "; ".join(f"{self.team(team)} {'-'.join(word[:score]) or 'none'}" for team, score in scores)

    def tell(self, line: str) -> None:
        self.story.append(f"{self.index + 1:6}  {line}")

    def told(self, said: Said) -> str:
        name, action = self.names[said.seat], said.action
        what = {"Swap": "exchange"}.get(action.kind, action.kind.lower())
        if action.kind == "Call" and [call.kind for call in action.calls] in (["Partner"], ["Counter"]):
            what = self.call_text(action.calls[0])
        return f"{name}’s {what}"

    def call_text(self, call: Record) -> str:
        words = self.rules.told["words"]
        at = call.kind == "Counter" and call.target < self.game.teams
        return f"“{words[call.kind.lower()]}”" + (f" at {self.team(call.target)}" if at else "")

    def reasons(self, poll: Poll, said: Said, items: Mapping[bytes, Said]) -> str:
        """Why a claim is first of each claim that it conflicts with."""
        out = []
        for pair in poll.conflicts:
            for other in pair - {said.digest} if said.digest in pair else ():
                what = f"before {self.told(items[other])}"
                if (said.digest in poll.named) is not (other in poll.named):
                    out.append(f"{what}, which came after the cut")
                elif poll.causes(said.digest, other):
                    out.append(f"{what}, which was made in its knowledge")
                else:
                    voices = [self.names[seat] for seat in poll.words(said.digest, other)[0]]
                    out.append(f"{what}, as {' and '.join(voices)} say")
        return "; ".join(out) or "no rival"


# --- The log ----------------------------------------------------------------------------------------- [Log]


class Verdict(Enum):
    """What is to be said of a log as a whole; the values are exit codes."""

    VERIFIED = 0
    LATER = 6
    UNREADABLE = 7
    VIOLATED = 10
    INCOMPLETE = 11
    CONTRADICT = 12


MISSING = {"torn", "no-genesis", "not-closed", "no-certificate"}
"""Codes of what is not there; all others are of what is wrong."""


@dataclass(frozen=True)
class Finding:
    """What does not hold, at the index of an entry; 0 stands for all before the first."""

    index: int
    code: str
    why: str
    culprit: int | None


OBJECT_BYTES_MAX = 8388608
LENGTHS = {0xC4: (1, 0), 0xC5: (2, 0), 0xC6: (4, 0), 0xC7: (1, 1), 0xC8: (2, 1), 0xC9: (4, 1)}
LENGTHS |= {0xD9: (1, 0), 0xDA: (2, 0), 0xDB: (4, 0), 0xDC: (2, 0), 0xDD: (4, 0), 0xDE: (2, 0), 0xDF: (4, 0)}
"""By the first byte of a value of MessagePack: how wide its length is, and how many bytes follow beside."""
SIZES = dict(zip(range(0xCA, 0xD9), (4, 8, 1, 2, 4, 8, 1, 2, 4, 8, 2, 3, 5, 9, 17), strict=True))
"""How many bytes follow the first one, where that is all there is to say."""


def end_of(data: bytes, start: int) -> int | None:
    """Where the object at `start` ends; None if the data ends before."""
    at, missing = start, 1
    while missing:
        if at >= len(data):
            return None
        lead, at, missing = data[at], at + 1, missing - 1
        need(lead != 0xC1, "malformed", "no MessagePack", NOBODY)
        if lead in LENGTHS:
            width, more = LENGTHS[lead]
            if at + width > len(data):
                return None
            length, at = int.from_bytes(data[at : at + width], "big"), at + width
            if lead >= 0xDC:
                missing += length * (1 if lead < 0xDE else 2)
            else:
                at += length + more
        elif 0x80 <= lead < 0xA0:
            missing += (lead & 15) * (1 if lead >= 0x90 else 2)
        else:
            at += lead & 31 if 0xA0 <= lead < 0xC0 else SIZES.get(lead, 0)
        need(at + missing - start <= OBJECT_BYTES_MAX, "malformed", "an object over its limit", NOBODY)
    return at if at <= len(data) else None


def objects(data: bytes) -> Iterator[bytes]:
    """The objects of a file, one after the other."""
    start = 0
    while start < len(data):
        need(data.count(b"\0", start) < len(data) - start, "torn", "zeros at the end", NOBODY)
        end = end_of(data, start)
        if end is None:
            raise Fault("torn", "the last object is not whole", NOBODY)
        yield data[start:end]
        start = end


def check_header(raw: bytes) -> None:
    """Check what every version begins with."""
    try:
        magic, version = msgpack.unpackb(raw, unicode_errors="replace")[1:3]
    except (ValueError, TypeError, msgpack.UnpackException) as error:
        raise Fault("not-a-log", f"it does not begin with a header: {error}", NOBODY) from None
    need((magic, type(version)) == ("kemps-log", int), "not-a-log", "it does not begin with a header", NOBODY)
    need(version <= 1, "newer-version", f"a log of version {version}", NOBODY)


def read_genesis(raw: bytes) -> tuple[Record, bytes]:
    """Check a genesis with its signatures."""
    signed = decode(raw, "LogObject")
    need(signed.kind == "SignedGenesis", "bad-genesis", "no genesis follows the header", NOBODY)
    try:
        genesis, match_id = open_genesis(signed.raw)
    except OtherRules:  # Whoever changes the rules of a log does not make it another game.
        check_signatures(signed, genesis_in(signed.raw))
        raise
    check_signatures(signed, genesis)
    return genesis, match_id


def check_signatures(signed: Record, genesis: Record) -> None:
    peers, match_id = peers_of(genesis), tagged_hash("kemps/v1/genesis", signed.raw)
    need(len(signed.signatures) == len(peers), "bad-genesis", "not one signature of every peer", NOBODY)
    for peer, signature in zip(peers, signed.signatures, strict=True):
        check_signature(peer.key, "kemps/v1/genesis", match_id, signature)


def genesis_in(raw: bytes) -> Record:
    return decode(raw, "ObservedGenesis" if raw[:1] == b"\x97" else "Genesis")


def open_genesis(raw: bytes) -> tuple[Record, bytes]:
    """Check a genesis, in the order of the section."""
    genesis = genesis_in(raw)
    seats, peers = genesis.seats, peers_of(genesis)
    need(genesis.version == 1, "bad-genesis", "another version", NOBODY)
    rules = read_rules(genesis.rules)
    need(genesis.group in GROUPS, "bad-genesis", "an unknown group", NOBODY)
    need(len(seats) in rules["players"], "bad-genesis", "so many seats cannot play", NOBODY)
    lengths = {len(value) for peer in peers for value in vars(peer).values()}
    need(lengths == {32}, "bad-genesis", "a field of another length", NOBODY)
    for peer in peers:
        check_key(peer.key)
    need(len({peer.key for peer in peers}) == len(peers), "bad-genesis", "two peers with one key", NOBODY)
    need(all(peer.coin == ZEROS for peer in peers[len(seats) :]), "bad-genesis", "an observer's coin", NOBODY)
    fits = len(genesis.previous) == 32 and genesis.matches >= 0
    fits = fits and (genesis.matches == 0) == (genesis.previous == ZEROS)
    need(fits, "bad-genesis", "the match before does not fit", NOBODY)
    return genesis, tagged_hash("kemps/v1/genesis", raw)


def peers_of(genesis: Record) -> list[Record]:
    """The seats, and the observer if there is one."""
    return [*genesis.seats, *([genesis.observer] if genesis.kind == "ObservedGenesis" else [])]


class Reader:
    """Reads one log, to its end or to what makes the rest meaningless."""

    def __init__(self, data: bytes, allow_stub: bool = False) -> None:
        self.findings: list[Finding] = []
        self.match: Match | None = None
        self.entries: list[Said] = []
        self.items: dict[bytes, tuple[Said, int]] = {}
        self.has_certificate = False
        try:
            self._read(data, allow_stub)
        except Fault as fault:
            self._find(fault.index or self._behind, fault)
        if self.match is not None:
            self._look_back(self.match)

    @property
    def first(self) -> Finding | None:
        """The first finding; at one index what is wrong before what is missing."""
        return min(self.findings, key=lambda one: (one.index, one.code in MISSING), default=None)

    @property
    def verdict(self) -> Verdict:
        codes = {one.code for one in self.findings}
        for code, verdict in (("not-a-log", Verdict.UNREADABLE), ("newer-version", Verdict.LATER)):
            if code in codes:
                return verdict
        return Verdict.VIOLATED if codes - MISSING else Verdict.INCOMPLETE if codes else Verdict.VERIFIED

    @property
    def _behind(self) -> int:
        return 0 if self.match is None else self.match.index + 1

    def _find(self, index: int, fault: Fault) -> None:
        self.findings.append(Finding(index, fault.code, fault.why, fault.culprit))

    def _read(self, data: bytes, allow_stub: bool) -> None:
        whole = objects(data)
        try:
            header = next(whole, b"")
        except Fault as fault:
            raise Fault("not-a-log", fault.why, NOBODY) from None
        check_header(header)
        missing = Fault("no-genesis", "it ends after the header", NOBODY)
        try:
            second = next(whole, None)
        except Fault:
            self._find(0, missing)
            raise
        if second is None:
            raise missing
        genesis, match_id = read_genesis(second)
        true = new("Header", "kemps-log", 1, match_id, len(genesis.seats), genesis.group)
        need(header == encode(true), "bad-header", "it differs from the genesis", NOBODY)
        need(allow_stub or genesis.group != Stub.name, "insecure-group", "a simulation", NOBODY)
        self.match = match = Match(genesis, match_id, names_at_the_end(data, len(peers_of(genesis))))
        has_annex = False
        for raw in whole:
            need(0x90 <= raw[0] < 0xA0 or raw[0] in (0xDC, 0xDD), "malformed", "no array", NOBODY)
            need(not has_annex, "after-annex", "something follows the annex", NOBODY)
            told = decode(raw, "LogObject")
            need(told.kind in ("LogRecord", "Annex"), "malformed", "an object out of place", NOBODY)
            has_annex = told.kind == "Annex"
            if has_annex:
                self._annex(match, told)
            else:
                self._record(match, told)

    def _record(self, match: Match, record: Record) -> None:
        said = read_item(record.entry, match.id, match.signers)
        need(said.item.body[0].kind == "Append", "bad-entry", "a record of an item that is no entry", NOBODY)
        if said.entry is not None:
            need(said.entry.index <= self._behind, "missing-entry", "an index is left out", NOBODY)
            if said.entry.index < self._behind:
                fault = Fault("out-of-place", "an index comes again", NOBODY)
                fault.index = said.entry.index
                raise fault
        items = [read_item(each, match.id, match.signers) for each in record.items]
        by_digest = {item.digest: item for item in items}
        need(len(by_digest) == len(items), "bad-evidence", "an item comes twice", NOBODY)
        match.step(said, by_digest)
        self.entries.append(said)
        for each in (said, *items):
            self.items.setdefault(each.digest, (each, match.index))

    def _annex(self, match: Match, annex: Record) -> None:
        whose = annex.seat
        need(bool(self.entries), "bad-annex", "an annex to no entry", NOBODY)
        need(0 <= whose < len(match.signers), "bad-annex", "an annex of a seat that is not there", NOBODY)
        signed = encode((match.id, match.head, whose, annex.certificate))
        # Of whom the seat is, or of who sits there at the end.
        key = peers_of(match.genesis)[whose].key
        try:
            check_signature(key, "kemps/v1/annex", signed, annex.signature)
        except Fault:
            check_signature(match.signers[whose][-1][1], "kemps/v1/annex", signed, annex.signature)
        ack = new("Ack", match.epoch, match.head_term, new("Head", match.index, match.head))
        seats = {self.entries[-1].seat}
        for signature in annex.certificate:
            said = read_item(signature, match.id, match.signers)
            need(ack in said.body, "bad-annex", "an item that does not ack the last entry", whose)
            need(said.seat not in seats, "bad-annex", "a seat that has acked already", whose)
            seats.add(said.seat)
            self.items.setdefault(said.digest, (said, self._behind))
        self.has_certificate = len(seats) >= quorum(match.seats)
        need(len(annex.names) in (0, len(match.signers)), "bad-annex", "not one name of each peer", NOBODY)
        for told, peer in zip(annex.names, peers_of(match.genesis), strict=False):
            fits = tagged_hash("kemps/v1/name", told.salt, told.name.encode()) == peer.name
            need(fits, "bad-annex", "another name than the one committed to", NOBODY)

    def _look_back(self, match: Match) -> None:
        """What clashes between items of all entries, and what is missing at the end."""
        self.findings += clashes(match, [*self.items.values()], self.entries)
        if self.verdict is Verdict.VIOLATED:
            return
        if not match.is_closed:
            self._find(self._behind, Fault("not-closed", "the match is not closed", NOBODY))
        elif not self.has_certificate:
            self._find(self._behind, Fault("no-certificate", "no quorum has acked the last entry", NOBODY))


def quorum(seats: int) -> int:
    """[Acks and finality]"""
    return -(-(seats + 2) // 2)


def names_at_the_end(data: bytes, peers: int) -> list[str]:
    """What an annex calls the peers, to tell the story by; whether it is right is checked in its turn."""
    try:
        *_, last = objects(data)
        names = [str(told.name) for told in decode(last, "LogObject").names]
    except (Fault, AttributeError):
        return []
    return names if len(names) == peers else []


def clashes(match: Match, seen: Sequence[tuple[Said, int]], entries: Sequence[Said]) -> Iterator[Finding]:
    """Whether the items of each seat can stand on one tape; [Log]."""
    most: dict[int, int] = defaultdict(int)
    for said, _ in seen:
        most[said.seat] = max(most[said.seat], said.number + 1)
    for said, index in seen:
        if said.lamport > sum(most.values()) + 1025:
            yield Finding(index, "bad-stamp", "a stamp that leads all others", said.seat)
        for one in said.body:
            about = entries_of(one, entries)
            if any(said.lamport <= entry.lamport for entry in about):
                yield Finding(index, "bad-stamp", "an item stamped before what it is about", said.seat)
    for seat in range(len(match.signers)):
        yield from clashes_of(match, sorted((one for one in seen if one[0].seat == seat), key=by_number))


def entries_of(statement: Record, entries: Sequence[Said]) -> Sequence[Said]:
    """The entry that a statement is about, if this log has it."""
    match statement.kind:
        case "Ack":
            return [entry for entry in entries if entry.digest == statement.head.digest]
        case "CoinReveal":
            return entries[max(0, statement.index - 1) : statement.index]
        case _:
            return []


def by_number(one: tuple[Said, int]) -> tuple[int, int]:
    return one[0].number, one[1]


def clashes_of(match: Match, tape: Sequence[tuple[Said, int]]) -> Iterator[Finding]:
    """What clashes on one tape, up to where an entry blames it: whatever follows there follows from that."""
    tape = [one for one in tape if one[0].number < match.forked.get(one[0].seat, NOWHERE)]
    for (one, early), (two, late) in pairwise(tape):
        index = max(early, late)
        if one.number == two.number and one.item.incarnation == two.item.incarnation:
            yield Finding(index, "equivocation", "two items at one number", one.seat)
        elif one.number + 1 == two.number and two.item.prev != one.digest:
            yield Finding(index, "bad-link", "an item that does not follow the one before", one.seat)
        elif one.lamport >= two.lamport:
            yield Finding(index, "bad-stamp", "stamps that do not grow", one.seat)
    stood: dict[object, bytes] = {}
    for said, index in tape:
        for place, digest in stands(said):
            if stood.setdefault(place, digest) != digest:
                yield Finding(index, "equivocation", "two words about one index", said.seat)


def differences(logs: Mapping[str, Reader]) -> Iterator[str]:
    """Where logs of one match differ, and who signed both stories."""
    for (name, one), (other, two) in combinations(logs.items(), 2):
        if one.match is None or two.match is None or one.match.id != two.match.id:
            continue
        for a, b in zip(one.entries, two.entries, strict=False):
            if a.digest != b.digest:
                heads = f"{a.digest.hex()[:16]} and {b.digest.hex()[:16]}"
                who = f"; {one.match.names[a.seat]} signed both" if a.seat == b.seat else ""
                yield f"fork: {name} and {other} differ at index {a.entry.index}: {heads}{who}"
                break


# --- What is printed ----------------------------------------------------------------------------------------


def show(name: str, log: Reader) -> None:
    match, first = log.match, log.first
    print(f"{name}:")
    if match is not None:
        print("\n".join(match.story))
        if match.is_closed:
            print(f"{match.index:6}  closed: {' and '.join(map(match.team, match.winners))} won")
    if first is None:
        print("verified")
    else:
        whose = "" if first.culprit is None or match is None else f", by {match.names[first.culprit]}"
        print(f"index {first.index}: {first.code}{whose}: {first.why}")


def main(arguments: Sequence[str] | None = None) -> int:
    about = "Verify logs of Kemps from protocol.md alone, and say who won each call and why."
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument(
        "--allow-simulated", action="store_true", help="accept logs whose cards are not hidden"
    )
    parser.add_argument("logs", nargs="+", metavar="LOG")
    asked = parser.parse_args(arguments)
    logs: dict[str, Reader] = {}
    for log in asked.logs:
        try:
            logs[log] = Reader(Path(log).read_bytes(), asked.allow_simulated)
            show(log, logs[log])
        except (OSError, OtherRules) as error:
            print(f"{log}: {error}", file=sys.stderr)
            return Verdict.LATER.value if isinstance(error, OtherRules) else Verdict.UNREADABLE.value
    codes = {log.verdict.value for log in logs.values()}
    for difference in differences(logs):
        print(difference)
        codes.add(Verdict.CONTRADICT.value)
    return next(code for code in (12, 10, 7, 6, 11, 0) if code in codes)


if __name__ == "__main__":
    sys.exit(main())
