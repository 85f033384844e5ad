"""Who else hears what partners whisper: the words of a huddle, however spelled, where they may not be.

They may be in what the two say to each other, and nowhere else: not in what a third seat holds, not in a
journal, a log or a line that is printed, and not on the wire.
"""

import base64
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from secrecy_record import How, Trace

from kemps_p2p.errors import PeerFault
from kemps_p2p.session.messages import Whisper, read_message

BEGINNING_BYTES = 48
WORDS_MIN = 6
"""What is shorter says nothing, and lies in bytes by accident."""


@dataclass(frozen=True)
class Words:
    """Something that one seat whispered to its partner."""

    seat: int
    text: str


@dataclass(frozen=True)
class Overheard:
    """Words of a huddle in a place where they may not be."""

    words: Words
    at: int
    seat: int
    how: How


def whispered(trace: Trace) -> list[Words]:
    """What was whispered at a table, each text of a seat once."""
    found: dict[Words, None] = {}
    for piece in trace.ordered():
        if piece.how is How.SAID and (text := _whisper_in(piece.data)) is not None:
            found[Words(piece.seat, text)] = None
    return list(found)


def _whisper_in(data: bytes) -> str | None:
    try:
        message = read_message(data)
    except PeerFault:
        return None
    return message.text if isinstance(message, Whisper) else None


def overheard(trace: Trace, words: Iterable[Words], seats: int) -> Iterator[Overheard]:
    """Every piece that holds words which it may not hold.

    Two teams may agree on the same gesture in the same words: each of them then holds words of its own.
    """
    words = list(words)
    for each in words:
        assert len(each.text) >= WORDS_MIN, f"{each.text!r} is too short to be looked for"
        forms = spelled(each.text)
        speakers = {other.seat for other in words if other.text == each.text}
        between = speakers | {(seat + seats // 2) % seats for seat in speakers}
        for piece in trace.ordered():
            is_theirs = piece.seat in between and piece.how in (How.HEARD, How.SAID)
            if not is_theirs and any(form in piece.data.lower() for form in forms):
                yield Overheard(each, piece.at, piece.seat, piece.how)


def in_the_clear(trace: Trace) -> list[bytes]:
    """The beginnings of messages that lie on the wire as they were said, of the first and every tenth."""
    wire = b"".join(piece.data for piece in trace.ordered() if piece.how is How.WIRE)
    said = [piece.data[:BEGINNING_BYTES] for piece in trace.ordered() if piece.how is How.SAID]
    looked_for = dict.fromkeys(each for each in said[::10] if len(each) == BEGINNING_BYTES)
    return [each for each in looked_for if each in wire]


def spelled(text: str) -> set[bytes]:
    """The ways in which bytes may hold a text, in lower case; every base64 of it, wherever it begins."""
    plain = text.encode()
    forms = {plain, plain[::-1], plain.hex().encode(), text.encode("utf-16-le"), text.encode("utf-16-be")}
    for before in range(3):
        coded = base64.b64encode(bytes(before) + plain)
        # What shares a letter with its neighbours is cut off.
        forms.add(coded[4 if before else 0 : len(coded) - 4])
    forms.add(repr(plain)[2:-1].encode())
    return {form.lower() for form in forms}
