"""What a seat does not open in time: a called hand, and its seeds."""

import pytest
from session_helpers import Table, opened

from kemps_p2p.codec import decode
from kemps_p2p.errors import Fault, PeerFault
from kemps_p2p.game.actions import Call, Counter, Partner
from kemps_p2p.game.rules import load_rules, override
from kemps_p2p.game.scoring import Verdict
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.tape import Deed, Item, Signed
from kemps_p2p.session.fold import Fold, Proofs
from kemps_p2p.session.match import MISSING_SEED
from kemps_p2p.session.messages import Batch, SeedDeed, read_deed, read_message
from kemps_p2p.session.overdue import OVERDUE_MS, give_up, owing

ONE_LETTER = override(load_rules("kemps"), {"look_ms": 0, "word": "K"})


def silence(table: Table, seat: int) -> None:
    """Nothing that a seat says arrives any more, nor does it hear anything."""
    table.drops = lambda sender, receiver, _data: seat in {sender, receiver}


def opens_seed(signed: Signed) -> bool:
    said = decode(signed.raw, Item).body
    return any(isinstance(read_deed(deed.payload), SeedDeed) for deed in said if isinstance(deed, Deed))


def called(table: Table, caller: int, call: Partner | Counter, gone: int) -> None:
    table.submit(caller, Call(calls=(call,)))
    silence(table, gone)
    table.settle()


def test_a_called_hand_that_is_not_opened_counts_as_a_quartet_for_an_opponents_call() -> None:
    table = opened(ONE_LETTER)
    caller, gone = 0, 1
    called(table, caller, Counter(target=gone % 2), gone)
    others = [seat for seat in range(4) if seat != gone]
    table.wait(OVERDUE_MS - 1000, 200)
    assert all(set(table.play(seat).final.owing) == {gone} for seat in others)
    assert all(table.play(seat).final.game.pending is not None for seat in others)
    table.wait(4000, 200)
    for seat in others:
        game = table.play(seat).final.game
        assert game.pending is None
        assert game.verdicts == (Verdict.RIGHT,)
        assert game.scores[gone % 2] == 1
    assert len({table.play(seat).final.head for seat in others}) == 1


def test_a_called_hand_that_is_not_opened_is_none_for_its_own_teams_call() -> None:
    table = opened(ONE_LETTER)
    caller, gone = 0, 2
    called(table, caller, Partner(), gone)
    table.wait(OVERDUE_MS + 4000, 200)
    for seat in (0, 1, 3):
        game = table.play(seat).final.game
        assert game.verdicts == (Verdict.WRONG,)
        assert game.scores[gone % 2] == 1


def test_who_comes_back_in_time_opens_its_hand() -> None:
    table = opened(ONE_LETTER)
    called(table, 0, Counter(target=1), 1)
    table.wait(OVERDUE_MS // 2, 200)
    table.drops = lambda _sender, _receiver, _data: False
    table.wait(OVERDUE_MS, 200)
    assert len({table.play(seat).final.head for seat in range(4)}) == 1
    assert len(table.play().final.game.judged[0].quartets) == 0
    assert all(table.faults(seat) == [] for seat in range(4))


def test_seeds_that_are_not_opened_are_recorded_as_missing_and_the_log_is_closed() -> None:
    table = opened(ONE_LETTER)
    gone = 3

    def keeps_its_seeds(sender: int, _receiver: int, data: bytes) -> bool:
        message = read_message(data)
        return sender == gone and isinstance(message, Batch) and any(map(opens_seed, message.items))

    table.drops = keeps_its_seeds
    table.submit(0, Call(calls=(Partner(),))).settle()
    table.wait(OVERDUE_MS + 4000, 200)
    for seat in range(3):
        final = table.play(seat).final
        assert final.is_closed
        assert final.seeds[0][Seat(gone)] == MISSING_SEED
        assert table.sessions[seat].is_done


def test_nobody_is_given_up_before_its_time_nor_without_reason() -> None:
    table = opened(ONE_LETTER)
    final = table.play().final
    work = Fold(final, final.on_duty, {}, Proofs(is_eager=True))
    with pytest.raises(PeerFault) as fault:
        give_up(work, 1)
    assert (fault.value.code, fault.value.culprit) == (Fault.BAD_ENTRY, final.on_duty)
    called(table, 0, Counter(target=1), 1)
    final = table.play().final
    assert 1 in owing(final)
    work = Fold(final, final.on_duty, {}, Proofs(is_eager=True))
    with pytest.raises(PeerFault) as fault:
        give_up(work, 1)
    assert (fault.value.code, fault.value.culprit) == (Fault.BAD_TIME, final.on_duty)
