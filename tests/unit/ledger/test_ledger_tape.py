"""Items: what an honest seat signs, and whose fault anything else is."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ledger_helpers import HEAD, IDENTITIES, KEYS, MATCH, SIGNERS, claim, code_of, item, receipt, tape, writer
from msgspec import structs

from kemps_p2p.codec import DIGEST_BYTES, Digest, encode, tagged_hash
from kemps_p2p.errors import Fault, PeerFault
from kemps_p2p.ledger.tape import (
    ITEM_BYTES_MAX,
    ITEM_LABEL,
    NO_DIGEST,
    Ack,
    Append,
    CoinReveal,
    Deed,
    Head,
    Signed,
    Signer,
    Statement,
    TapeItem,
    claim_of,
    open_item,
    shown,
)

SOME = Digest(bytes(range(32)))


def test_an_honest_tape_opens_link_by_link() -> None:
    items = tape(2, 5)
    for before, after in pairwise(items):
        assert after.item.prev == before.digest
        assert after.item.lamport > before.item.lamport
    for made in items:
        assert open_item(made.signed, MATCH, SIGNERS) == made


def test_a_writer_stamps_beyond_what_it_saw() -> None:
    pen = writer(0)
    pen.see(41)
    pen.see(7)
    assert pen.write((claim(),)).item.lamport == 42


def test_the_digest_covers_the_signature() -> None:
    made = item()
    other = Signed(raw=made.signed.raw, signature=bytes(64))
    assert tagged_hash(ITEM_LABEL, other.raw, other.signature) != made.digest


def refused(signed: Signed, code: Fault, culprit: int | None) -> None:
    with pytest.raises(PeerFault) as fault:
        open_item(signed, MATCH, SIGNERS)
    assert code_of(fault) == (code, culprit)


def test_a_strangers_bytes_blame_nobody() -> None:
    made = item(seat=1)
    refused(structs.replace(made.signed, signature=bytes(64)), Fault.BAD_SIGNATURE, None)
    refused(
        structs.replace(made.signed, signature=IDENTITIES[2].sign(ITEM_LABEL, made.signed.raw)),
        Fault.BAD_SIGNATURE,
        None,
    )
    refused(Signed(raw=b"\x00", signature=bytes(64)), Fault.MALFORMED, None)
    refused(Signed(raw=bytes(ITEM_BYTES_MAX + 1), signature=bytes(64)), Fault.TOO_LARGE, None)
    refused(item(match=Digest(bytes(32))).signed, Fault.WRONG_MATCH, None)
    for seat in (-1, len(KEYS), 1 << 40):
        raw = encode(structs.replace(item().item, seat=seat))
        refused(Signed(raw=raw, signature=IDENTITIES[0].sign(ITEM_LABEL, raw)), Fault.WRONG_SEAT, None)


def ack(index: int, digest: bytes = MATCH, epoch: int = 0, term: int = 0) -> Ack:
    return Ack(epoch=epoch, term=term, head=Head(index=index, digest=Digest(digest)))


@pytest.mark.parametrize(
    ("made", "code"),
    [
        (item(number=-1, prev=SOME, lamport=5), Fault.BAD_LINK),
        (item(number=1), Fault.BAD_LINK),
        (item(number=0, prev=SOME), Fault.BAD_LINK),
        (item(number=1, prev=Digest(b"short"), lamport=9), Fault.BAD_LINK),
        (item(lamport=0), Fault.BAD_STAMP),
        (item(lamport=-3), Fault.BAD_STAMP),
        (item(number=7, prev=SOME, lamport=7), Fault.BAD_STAMP),
        (item(lamport=1 << 62), Fault.BAD_STAMP),
        (item(body=()), Fault.MALFORMED),
        (item(body=(claim(), Append(entry=b""))), Fault.MALFORMED),
        (item(body=(Append(entry=b""), Append(entry=b""))), Fault.MALFORMED),
        (item(body=(claim(b"a"), receipt(SOME), claim(b"b"))), Fault.MALFORMED),
        (item(body=(claim(head=Head(index=-1, digest=MATCH)),)), Fault.MALFORMED),
        (item(body=(claim(head=Head(index=0, digest=Digest(b""))),)), Fault.MALFORMED),
        (item(body=(claim(rivals=[Digest(bytes(31))]),)), Fault.MALFORMED),
        (item(body=(receipt(Digest(bytes(33))),)), Fault.MALFORMED),
        (item(body=(receipt(SOME, [Digest(b"")]),)), Fault.MALFORMED),
        (item(body=(ack(-1),)), Fault.MALFORMED),
        (item(body=(ack(-(1 << 60)),)), Fault.MALFORMED),
        (item(body=(ack(0, b"short"),)), Fault.MALFORMED),
        (item(body=(ack(0, epoch=-1),)), Fault.MALFORMED),
        (item(body=(ack(0, term=-1),)), Fault.MALFORMED),
        (item(body=(CoinReveal(index=-1, coin=bytes(32)),)), Fault.MALFORMED),
    ],
)  # fmt: skip
def test_what_a_seat_signed_is_its_own_fault(made: TapeItem, code: Fault) -> None:
    refused(made.signed, code, 0)


@pytest.mark.parametrize(
    "body",
    [
        (receipt(SOME), claim(rivals=[SOME])),
        (ack(0), ack(1 << 40)),
        (CoinReveal(index=3, coin=b"any"),),
        (Deed(payload=b""), Deed(payload=b"x")),
        (Append(entry=b"anything"),),
    ],
)
def test_what_an_honest_program_may_say(body: tuple[Statement, ...]) -> None:
    made = item(body=body)
    assert open_item(made.signed, MATCH, SIGNERS).item.body == body


def test_the_claim_of_an_item() -> None:
    assert claim_of(item(body=(receipt(SOME), claim(b"x"))).item) == claim(b"x")
    assert claim_of(item(body=(receipt(SOME),)).item) is None


def test_an_item_shows_rivals_before_what_names_them() -> None:
    a, b, c = (Digest(bytes([n]) * DIGEST_BYTES) for n in range(3))
    made = item(body=(receipt(b, [a]), Deed(payload=b""), claim(rivals=[c])))
    places = dict(shown(made))
    assert sorted(places, key=places.__getitem__) == list(places) == [a, b, c, made.digest]


def test_places_grow_along_a_tape_however_much_an_item_names() -> None:
    pen = writer(0)
    full = pen.write(tuple(receipt(SOME, [SOME] * 100) for _ in range(70)))
    assert len(full.signed.raw) < ITEM_BYTES_MAX
    after = pen.write((receipt(SOME),))
    assert max(place for _, place in shown(full)) < min(place for _, place in shown(after))


@given(st.binary(max_size=200))
def test_only_peer_faults_escape(raw: bytes) -> None:
    with pytest.raises(PeerFault) as fault:
        open_item(Signed(raw=raw, signature=bytes(64)), MATCH, SIGNERS)
    assert fault.value.culprit is None


@given(place=st.integers(0, 10**6), value=st.integers(0, 255))
def test_any_changed_byte_is_found(place: int, value: int) -> None:
    made = item(seat=1, body=(receipt(SOME, [SOME]), claim(b"abc")))
    raw = bytearray(made.signed.raw)
    place %= len(raw)
    if raw[place] == value:
        return
    raw[place] = value
    with pytest.raises(PeerFault) as fault:
        open_item(Signed(raw=bytes(raw), signature=made.signed.signature), MATCH, SIGNERS)
    assert fault.value.culprit is None


def test_heads_and_links_have_32_bytes() -> None:
    assert len(NO_DIGEST) == len(HEAD.digest) == DIGEST_BYTES


def test_each_incarnation_has_its_stretch_of_the_tape_and_its_key() -> None:
    """Nobody is to blame for what stands outside: its author may not know that its time is over."""
    signers = ((Signer(0, KEYS[0]), Signer(3, KEYS[1]), Signer(5, KEYS[0])), *SIGNERS[1:])
    there = {(0, 1): 0, (0, 2): 0, (1, 3): 1, (1, 4): 1, (2, 5): 0, (2, 90): 0}
    for incarnation in range(-1, 4):
        for number in (1, 2, 3, 4, 5, 90):
            made = item(number=number, prev=SOME, lamport=99, incarnation=incarnation).item
            for key, signs in enumerate(IDENTITIES[:2]):
                raw = encode(made)
                signed = Signed(raw=raw, signature=signs.sign(ITEM_LABEL, raw))
                author = there.get((incarnation, number))
                if author == key:
                    assert open_item(signed, MATCH, signers).item == made
                else:
                    fault = Fault.OTHER_INCARNATION if author is None else Fault.BAD_SIGNATURE
                    with pytest.raises(PeerFault) as caught:
                        open_item(signed, MATCH, signers)
                    assert code_of(caught) == (fault, None)
