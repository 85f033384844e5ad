"""What a snoop reads out of bytes: deck messages by their form alone, and all that may be 32 secret bytes.

Knows no message type of the program; `codec` gives the framing. Nothing here decides whether a value matters.
"""

import ast
import base64
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from snoop_formulas import Answer, Cards, TurnProof, scalar

from kemps_p2p.codec import decode, frame
from kemps_p2p.deck.group import Point
from kemps_p2p.errors import PeerFault

SECRET_BYTES = 32
_DEED, _KEY, _TURN, _SHARES = 5, 1, 2, 3
_HEX = re.compile(rb"[0-9a-fA-F]{64,}")
_BASE64 = re.compile(rb"[A-Za-z0-9+/_-]{43,}")
_DECIMAL = re.compile(rb"[0-9]{60,90}")
_LITERAL = re.compile(rb"b'(?:[^'\\]|\\.){16,256}'|b\"(?:[^\"\\]|\\.){16,256}\"")
_LIST = re.compile(rb"[0-9]{1,3}(?:,\s?[0-9]{1,3}){31,}")


@dataclass(frozen=True)
class SeenKey:
    """A seat's key of a deal."""

    at: int
    commitment: bytes
    key: Point
    proof: Answer


@dataclass(frozen=True)
class SeenTurn:
    """A shuffle turn; a seat that was shown two lists may have taken two."""

    at: int
    deal: int
    round: int
    seat: int
    input: bytes
    outputs: Cards
    proof: TurnProof


@dataclass(frozen=True)
class SeenShares:
    """The proof of a message of shares; the shares themselves are found as any 32 bytes are."""

    at: int
    deal: int
    seat: int
    proof: Answer


@dataclass
class Reading:
    """Everything about decks that some bytes say. A deed said twice counts from the first time."""

    match: bytes = b""
    keys: dict[tuple[int, int], SeenKey] = field(default_factory=dict)
    turns: list[SeenTurn] = field(default_factory=list)
    shares: list[SeenShares] = field(default_factory=list)
    _items: set[bytes] = field(default_factory=set)

    def read(self, at: int, data: bytes) -> None:
        """Take in what `data` says, at a moment."""
        for value in values_in(data):
            self._walk(at, value)

    def _walk(self, at: int, value: object) -> None:
        if isinstance(value, bytes):
            inner = _decoded(value)
            if isinstance(inner, list) and value not in self._items:
                if _is_item(inner):
                    self._items.add(value)
                    self._read_item(at, inner)
                self._walk(at, inner)
        elif isinstance(value, list):
            for part in value:
                self._walk(at, part)

    def _read_item(self, at: int, item: list[object]) -> None:
        match, seat, *_, body = item
        assert isinstance(match, bytes)
        assert isinstance(seat, int)
        assert isinstance(body, list)
        self.match = match
        for said in body:
            if isinstance(said, list) and len(said) == 2 and said[0] == _DEED and isinstance(said[1], bytes):
                deed = _decoded(said[1])
                if isinstance(deed, list) and deed:
                    self._read_deed(at, seat, deed)

    def _read_deed(self, at: int, seat: int, deed: list[object]) -> None:
        match deed:
            case [int(kind), int(deal), _, [bytes(commitment), bytes(key), proof]] if kind == _KEY:
                self.keys.setdefault((deal, seat), SeenKey(at, commitment, Point(key), _answer(proof)))
            case [int(kind), int(deal), _, int(round_), _, [bytes(named), list(a), list(c), list(proof)]] if (
                kind == _TURN
            ):
                outputs = Cards(_points(a), _points(c))
                turn = SeenTurn(at, deal, round_, seat, named, outputs, _turn_proof(proof))
                if all(turn.outputs != other.outputs for other in self.turns):
                    self.turns.append(turn)
            case [int(kind), int(deal), _, _, [_, _, proof]] if kind == _SHARES:
                self.shares.append(SeenShares(at, deal, seat, _answer(proof)))
            case _:
                pass


def _is_item(value: list[object]) -> bool:
    has_its_types = len(value) == 7 and isinstance(value[0], bytes) and isinstance(value[6], list)
    return has_its_types and isinstance(value[1], int)


def _points(values: list[object]) -> tuple[Point, ...]:
    return tuple(Point(value) for value in values if isinstance(value, bytes))


def _scalars(values: object) -> tuple[int, ...]:
    assert isinstance(values, list)
    return tuple(scalar(value) for value in values)


def _answer(proof: object) -> Answer:
    return Answer(*_scalars(proof))


def _turn_proof(proof: list[object]) -> TurnProof:
    p, q, *numbers, s_hat, s_prime = proof
    assert isinstance(p, list)
    assert isinstance(q, list)
    c, s1, s2, s3, s4 = _scalars(numbers)
    return TurnProof(_points(p), _points(q), c, s1, s2, s3, s4, _scalars(s_hat), _scalars(s_prime))


def _decoded(data: bytes) -> object:
    try:
        return decode(data, object)
    except PeerFault:
        return None


def values_in(data: bytes) -> Iterator[object]:
    """The MessagePack objects that lie back to back in `data`; what is none comes as bytes."""
    framed = frame(data)
    for piece in framed.objects:
        value = _decoded(piece)
        yield piece if value is None else value
    if framed.rest:
        yield framed.rest


# Everything that may be 32 secret bytes


def leaves(value: object) -> Iterator[bytes]:
    """Every byte string in a value, texts and rows of small numbers too; no part of one."""
    if isinstance(value, bytes):
        yield value
    elif isinstance(value, str):
        yield value.encode()
    elif isinstance(value, list):
        row = bytearray()
        for part in (*value, None):
            if isinstance(part, int) and 0 <= part < 256:
                row.append(part)
                continue
            if len(row) >= SECRET_BYTES:
                yield bytes(row)
            row.clear()
            yield from leaves(part)


def said_otherwise(leaf: bytes) -> Iterator[bytes]:
    """What a leaf spells: hexadecimal, base 64, decimal numbers, Python literals of bytes and lists."""
    for found in _HEX.findall(leaf):
        for start in (0, 1):
            digits = found[start:]
            yield bytes.fromhex(digits[: len(digits) // 2 * 2].decode())
    for found in _BASE64.findall(leaf):
        text = found.replace(b"-", b"+").replace(b"_", b"/")
        for start in range(4):
            digits = text[start:]
            digits = digits[:-1] if len(digits) % 4 == 1 else digits
            yield base64.b64decode(digits + b"=" * (-len(digits) % 4))
    for found in _DECIMAL.findall(leaf):
        value = int(found)
        if value < 1 << 256:
            yield value.to_bytes(SECRET_BYTES, "little")
            yield value.to_bytes(SECRET_BYTES, "big")
    for found in _LITERAL.findall(leaf):
        try:
            literal = ast.literal_eval(found.decode("latin-1"))
        except (SyntaxError, ValueError):
            continue
        yield literal
    for found in _LIST.findall(leaf):
        numbers = [int(digits) for digits in found.split(b",")]
        if max(numbers) < 256:
            yield bytes(numbers)


def windows(pieces: Iterable[tuple[int, bytes]]) -> Iterator[tuple[int, bytes]]:
    """Every 32 bytes in a row, wherever they begin, with the moment they were first held."""
    seen: set[bytes] = set()
    for at, data in pieces:
        for value in values_in(data):
            for leaf in leaves(value):
                if len(leaf) < SECRET_BYTES or leaf in seen:
                    continue
                seen.add(leaf)
                for text in (leaf, *said_otherwise(leaf)):
                    for start in range(len(text) - SECRET_BYTES + 1):
                        yield at, text[start : start + SECRET_BYTES]
