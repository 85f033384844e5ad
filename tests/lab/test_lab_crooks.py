"""Whether a cheat had its way: what a chain would show that no honest table makes."""

from collections import Counter

import pytest

from kemps_p2p.codec import Digest, encode
from kemps_p2p.game.actions import Gesture, Swap
from kemps_p2p.ids import Position, Seat
from kemps_p2p.lab.crooks import KINDS, crook_of, took_twice, won_a_draw
from kemps_p2p.ledger.entry import Drawn, Entry, Result, Settled
from kemps_p2p.ledger.identity import Identity
from kemps_p2p.ledger.tape import NO_DIGEST, Append, Claim, Head, Receipt, TapeItem, tape_writer
from kemps_p2p.session.fold import OpenRecord

MATCH = Digest(bytes(32))
COIN = Digest(b"\x01" * 32)


def swaps(seat: int, *indices: int) -> list[TapeItem]:
    """Exchanges of a seat, each against the head with that index."""
    pen = tape_writer(MATCH, Seat(seat), Identity.derived(b"crooks", str(seat)))
    action = encode(Swap(take=(Position(20),), give=(Position(0),)))
    heads = (Head(index=index, digest=MATCH) for index in indices)
    return [pen.write((Claim(head=head, action=action, rivals=()),)) for head in heads]


def settled(*claims: TapeItem, result: Result = Result.OK) -> list[tuple[OpenRecord, object]]:
    """An entry with these claims, and its events."""
    events = tuple(Settled(claim=claim.digest, result=result, evidence=()) for claim in claims)
    entry = Entry(index=9, prev=MATCH, epoch=0, term=0, elapsed_ms=0, wall_ms=0, events=events)
    pen = tape_writer(MATCH, Seat(3), Identity.derived(b"crooks", "3"))
    record = OpenRecord(
        pen.write((Append(entry=encode(entry)),)), entry, {item.digest: item for item in claims}
    )
    return [(record, event) for event in events]


def test_two_exchanges_against_one_head_are_one_too_many() -> None:
    assert took_twice(Seat(1), settled(*swaps(1, 4, 4)))
    assert not took_twice(Seat(1), settled(*swaps(1, 4, 5)))
    assert not took_twice(Seat(2), settled(*swaps(1, 4, 4)))
    assert not took_twice(Seat(1), settled(*swaps(1, 4, 4), result=Result.MISSED))


@pytest.mark.parametrize(
    ("order", "has_won"),
    [((1, 0), True), ((0, 1), False), ((3, 0, 1), True), ((0, 3, 1), False)],
)
def test_whose_coin_is_kept_back_goes_last_with_its_partner(order: tuple[int, ...], has_won: bool) -> None:
    claims = {seat: swaps(seat, 4)[0] for seat in order}
    coins = tuple(NO_DIGEST if seat == 1 else COIN for seat in sorted(order))
    results = (Result.OK,) * len(order)
    drawn = Drawn(index=5, coins=coins, order=tuple(claims[seat].digest for seat in order), results=results)
    assert won_a_draw(4, Seat(1), drawn, {item.digest: item for item in claims.values()}) is has_won


def test_who_had_seen_the_claim_of_a_seat_that_keeps_its_coin_goes_behind_it() -> None:
    """It gains nothing by that: six seats, the first had seen the claim, the second had seen the first's."""
    claim, other = swaps(1, 4)[0], swaps(0, 4)[0]
    pens = {seat: tape_writer(MATCH, Seat(seat), Identity.derived(b"crooks", str(seat))) for seat in (2, 3)}
    asked = Claim(head=Head(index=4, digest=MATCH), action=encode(Gesture("wink")), rivals=())
    behind: list[list[TapeItem]] = []
    for seat, seen in ((2, claim), (3, None)):
        receipt = Receipt(claim=(seen or behind[-1][-1]).digest, rivals=())
        behind.append([pens[seat].write((said,)) for said in (receipt, asked)])
    second, third = (tape[-1] for tape in behind)
    items = {item.digest: item for item in (claim, other, *behind[0], *behind[1])}
    for order, has_won in (
        ((claim, second, third), False),
        ((other, claim, second, third), False),
        ((claim, other, second), True),
    ):
        coins = tuple(NO_DIGEST if seat == 1 else COIN for seat in sorted({item.seat for item in order}))
        names = tuple(item.digest for item in order)
        drawn = Drawn(index=5, coins=coins, order=names, results=(Result.OK,) * len(order))
        assert won_a_draw(6, Seat(1), drawn, items) is has_won


def test_each_kind_of_cheat_has_its_turn_in_each_phase_where_it_can_be_done() -> None:
    crooks = [crook_of(seed, 4) for seed in range(25 * len(KINDS))]
    drawn = Counter((crook.kind, crook.occasion.phase) for crook in crooks if crook is not None)
    for kind, how in KINDS.items():
        counts = [drawn[kind, phase] for phase in how.phases]
        assert sum(counts) == 20
        assert max(counts) - min(counts) <= 1
