"""The machine between genesis and close: what it takes in, what it lets a player do, and what it writes."""

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import structs
from session_helpers import Table, by, formed, identity, opened

from kemps_p2p.codec import Digest, encode
from kemps_p2p.errors import Fault, IllegalAction, PeerFault
from kemps_p2p.game.actions import Next
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.tape import (
    ITEM_LABEL,
    NO_DIGEST,
    Ack,
    Claim,
    CoinReveal,
    Deed,
    Head,
    Item,
    Signed,
    Statement,
    tape_writer,
)
from kemps_p2p.session import effects as fx
from kemps_p2p.session.logfile import read_object
from kemps_p2p.session.messages import (
    MESSAGE_BYTES_MAX,
    WHISPER_CHARACTERS_MAX,
    Batch,
    KeyDeed,
    Status,
    Whisper,
    batches,
    pack,
    read_deed,
    read_message,
    read_note,
)
from kemps_p2p.session.session import EARLY_BYTES_MAX

DEEP = b"\x91" * 4000
GARBAGE = (
    b"", b"\x00", b"\xc1", b"\x90", b"\x91\x09", b"\x92\x02\xc0", DEEP, DEEP + b"\x01", b"\x81\xa1a\x01",
    b"\xdd\xff\xff\xff\xff", b"\xc6\xff\xff\xff\xff", b"\xdf\xff\xff\xff\xff", b"\xd9\x02\xff\xff",
    bytes(range(256)), b"\xff" * 1000, encode((2, (), 0)), encode((1, "0", b"", b"", b"")),
)  # fmt: skip


# Messages


@pytest.mark.parametrize("data", GARBAGE, ids=range(len(GARBAGE)))
@pytest.mark.parametrize("read", [read_message, read_deed, read_note, read_object], ids=lambda f: f.__name__)
def test_what_is_no_message_is_malformed(read: "object", data: bytes) -> None:
    assert callable(read)
    with pytest.raises(PeerFault) as fault:
        read(data)
    assert fault.value.code in (Fault.MALFORMED, Fault.NOT_CANONICAL)
    assert fault.value.culprit is None


def test_a_message_has_a_limit() -> None:
    whole = pack(Whisper(text="x" * (MESSAGE_BYTES_MAX - 7)))
    assert len(whole) == MESSAGE_BYTES_MAX
    read_message(whole)
    with pytest.raises(PeerFault) as fault:
        read_message(whole + b"x")
    assert fault.value.code is Fault.TOO_LARGE


@pytest.mark.parametrize(
    "data",
    [
        b"\x92\xcc\x04\xa1x",
        b"\x92\x04\xd9\x01x",
        b"\xdc\x00\x02\x04\xa1x",
        b"\x94\x03\x91\xd0\x00\x91\xc4\x00\x00",
    ],
)
def test_one_value_has_one_encoding(data: bytes) -> None:
    with pytest.raises(PeerFault) as fault:
        read_message(data)
    assert fault.value.code is Fault.NOT_CANONICAL


def test_batches_keep_to_their_size_and_lose_nothing() -> None:
    items = [Signed(raw=bytes(size), signature=bytes(64)) for size in (1, 150_000, 150_000, 250_000, 5, 5)]
    cut = list(batches(items))
    assert [item for batch in cut for item in batch] == items
    assert len(cut) == 4
    assert all(len(pack(Batch(items=batch))) < MESSAGE_BYTES_MAX for batch in cut)
    assert list(batches([])) == []


# What comes in


@pytest.fixture(scope="module")
def playing() -> Table:
    return opened()


def heard(table: Table, seat: int, sender: int, data: bytes) -> list[PeerFault]:
    """Deliver one message to a machine; whatever it is, the machine raises nothing."""
    effects = table.sessions[seat].receive(Seat(sender), data, table.now_ms, table.now_ms)
    return [
        effect.sight.fault
        for effect in effects
        if isinstance(effect, fx.Show) and isinstance(effect.sight, fx.FaultFound)
    ]


@pytest.mark.parametrize("data", GARBAGE, ids=range(len(GARBAGE)))
def test_garbage_is_told_and_blames_nobody(playing: Table, data: bytes) -> None:
    before = playing.play().tip
    for table in (playing, Table()):
        assert {fault.culprit for fault in heard(table, 0, 1, data)} <= {None}
    assert playing.play().tip is before


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=400))
def test_random_bytes_never_escape(playing: Table, data: bytes) -> None:
    assert all(fault.culprit is None for fault in heard(playing, 0, 1, data))


def real_messages() -> list[tuple[int, bytes]]:
    """Everything that one machine was sent in the course of a lobby, a shuffle and a deal."""
    table = Table()
    seen: list[tuple[int, bytes]] = []

    def record(sender: int, receiver: int, data: bytes) -> bool:
        if receiver == 0:
            seen.append((sender, data))
        return False

    table.drops = record
    table.start().wait(100)
    table.submit(table.play().final.game.dealer, Next()).settle().wait(300)
    assert len(seen) > 30
    return seen


def test_true_messages_with_changed_bytes_never_escape_and_blame_nobody(playing: Table) -> None:
    rng = random.Random(5)
    lobby = Table()
    for sender, data in real_messages():
        for _ in range(6):
            changed = bytearray(data)
            for _ in range(rng.choice((1, 1, 1, 4))):
                changed[rng.randrange(len(changed))] = rng.randrange(256)
            if bytes(changed) != data:
                for table in (playing, lobby):
                    assert {fault.culprit for fault in heard(table, 0, sender, bytes(changed))} <= {None}
        for cut in (0, 1, len(data) // 2, len(data) - 1):
            assert {fault.culprit for fault in heard(playing, 0, sender, data[:cut])} <= {None}


NOTHING = Digest(bytes(32))
BAD_ITEMS: list[tuple[tuple[Statement, ...], Fault]] = [
    ((Ack(epoch=0, term=0, head=Head(index=-(1 << 40), digest=NOTHING)),), Fault.MALFORMED),
    ((Deed(payload=b"\xc1"),), Fault.MALFORMED),
    ((Deed(payload=DEEP),), Fault.MALFORMED),
    ((Claim(head=Head(index=0, digest=NOTHING), action=b"\xc1", rivals=()),), Fault.BAD_CLAIM),
    ((Claim(head=Head(index=1, digest=NOTHING), action=encode(Next()), rivals=()),), Fault.BAD_CLAIM),
    ((CoinReveal(index=-1, coin=b""),), Fault.MALFORMED),
]


@pytest.mark.parametrize(("body", "code"), BAD_ITEMS)
def test_what_a_seat_signed_is_its_fault_and_nobody_elses(body: tuple[Statement, ...], code: Fault) -> None:
    table = opened()
    faults = heard(table, 0, 2, by(1, body, table))
    assert [(fault.code, fault.culprit) for fault in faults] == [(code, 1)]
    # The machine lives on.
    assert heard(table, 0, 2, pack(Whisper(text="hello"))) == []


def test_a_key_of_a_deal_that_nobody_can_name_waits_and_breaks_nothing() -> None:
    table = opened()
    key = next(
        deed
        for item in table.play(1).tapes.by_digest.values()
        for said in item.item.body
        if isinstance(said, Deed) and isinstance(deed := read_deed(said.payload), KeyDeed)
    )
    for deal in (-1, 5, 1 << 62):
        payload = encode(structs.replace(key, deal=deal))
        assert heard(opened(), 0, 1, by(1, (Deed(payload=payload),), table)) == []


def test_an_item_of_another_match_or_seat_blames_nobody(playing: Table) -> None:
    pen = tape_writer(NOTHING, Seat(1), identity(1))
    faults = heard(playing, 0, 1, pack(Batch(items=(pen.write((Deed(payload=b""),)).signed,))))
    assert [(fault.code, fault.culprit) for fault in faults] == [(Fault.WRONG_MATCH, None)]
    match = playing.play().founding.match
    pen = tape_writer(match, Seat(1), identity(2))
    faults = heard(playing, 0, 1, pack(Batch(items=(pen.write((Deed(payload=b""),)).signed,))))
    assert [(fault.code, fault.culprit) for fault in faults] == [(Fault.BAD_SIGNATURE, None)]


def test_two_items_at_one_number_are_told_kept_and_passed_on() -> None:
    table = opened()
    match = table.play().founding.match
    raws = [
        encode(
            Item(
                match=match,
                seat=1,
                incarnation=0,
                number=0,
                prev=NO_DIGEST,
                lamport=1,
                body=(Deed(payload=what),),
            )
        )
        for what in (b"a",)
    ]
    signed = Signed(raw=raws[0], signature=identity(1).sign(ITEM_LABEL, raws[0]))
    effects = table.sessions[0].receive(Seat(2), pack(Batch(items=(signed,))), table.now_ms, 0)
    faults = [e.sight.fault for e in effects if isinstance(e, fx.Show) and isinstance(e.sight, fx.FaultFound)]
    assert (Fault.EQUIVOCATION, 1) in [(fault.code, fault.culprit) for fault in faults]
    passed_on = [
        item
        for effect in effects
        if isinstance(effect, fx.Send) and isinstance(message := read_message(effect.data), Batch)
        for item in message.items
    ]
    assert signed in passed_on
    assert len([item for item in passed_on if item.raw != signed.raw]) >= 1


def test_early_batches_are_kept_for_the_match_within_bounds() -> None:
    table = Table()
    large = pack(Batch(items=(Signed(raw=bytes(800_000), signature=b""),)))
    empty = pack(Batch(items=()))
    assert [heard(table, 0, 1, data) for data in (large, empty) * 30] == [[]] * 60
    kept = table.sessions[0]._early
    assert EARLY_BYTES_MAX - len(large) < len(kept) * len(large) <= EARLY_BYTES_MAX


def test_a_status_is_answered_with_what_is_lacking_and_nothing_new() -> None:
    table = opened()
    empty = pack(Status(lengths=(0,) * 4, sums=(NOTHING,) * 4, final=0))

    def answer() -> list[Signed]:
        effects = table.sessions[0].receive(Seat(1), empty, table.now_ms, 0)
        sent = [effect for effect in effects if isinstance(effect, fx.Send)]
        assert all(effect.to == 1 for effect in sent)
        return [
            item
            for effect in sent
            if isinstance(message := read_message(effect.data), Batch)
            for item in message.items
        ]

    table.wait(1000)
    first = answer()
    assert len(first) > 4
    assert len(set(first)) == len(first)


@pytest.mark.parametrize(
    "status",
    [
        Status(lengths=(), sums=(), final=0),
        Status(lengths=(0,) * 3, sums=(NOTHING,) * 4, final=0),
        Status(lengths=(0,) * 4, sums=(NOTHING,) * 5, final=0),
        Status(lengths=(0, 0, 0, -1), sums=(NOTHING,) * 4, final=0),
    ],
)
def test_a_status_of_another_table_is_refused(playing: Table, status: Status) -> None:
    (fault,) = heard(playing, 0, 1, pack(status))
    assert (fault.code, fault.culprit) == (Fault.MALFORMED, None)


def test_a_status_of_the_future_asks_for_nothing(playing: Table) -> None:
    far = Status(lengths=(1 << 40,) * 4, sums=(Digest(b""),) * 4, final=1 << 40)
    assert heard(playing, 0, 1, pack(far)) == []


def test_only_the_partner_whispers() -> None:
    table = formed()
    assert heard(table, 0, 2, pack(Whisper(text="pssst"))) == []
    (fault,) = heard(table, 0, 1, pack(Whisper(text="pssst")))
    assert fault.code is Fault.MALFORMED
    (fault,) = heard(table, 0, 2, pack(Whisper(text="x" * (WHISPER_CHARACTERS_MAX + 1))))
    assert fault.code is Fault.MALFORMED
    (send,) = table.sessions[0].whisper("to you alone")
    assert isinstance(send, fx.Send)
    assert send.to == 2
    with pytest.raises(IllegalAction):
        table.sessions[0].whisper("x" * (WHISPER_CHARACTERS_MAX + 1))
