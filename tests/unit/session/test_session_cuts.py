"""Contests that wait: for words of a witness that is silent, and for coins that are held back."""

import pytest
from msgspec.structs import replace
from session_helpers import Table, is_acked, opened

from kemps_p2p.codec import Digest, decode
from kemps_p2p.game.actions import Swap
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.entry import Contest, CutOff, Drawn, Event, Result, Settled, TapeEnd
from kemps_p2p.ledger.tape import NO_DIGEST, CoinReveal, Item
from kemps_p2p.session.chain import Accepted, Chain
from kemps_p2p.session.claims import is_coin_of
from kemps_p2p.session.match import OpenCut
from kemps_p2p.session.messages import Batch, read_message
from kemps_p2p.session.patience import COIN_PATIENCE_MS, CUT_FINAL_MS, PATIENCE_MS


class _Recorder:
    """The events of every entry that a chain accepts."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.events: dict[int, list[Event]] = {}
        advance = Chain._advance

        def recorded(chain: Chain, accepted: Accepted, now_ms: int) -> None:
            self.events.setdefault(id(chain), []).extend(accepted.record.entry.events)
            advance(chain, accepted, now_ms)

        monkeypatch.setattr(Chain, "_advance", recorded)

    def of(self, table: Table, seat: int) -> list[Event]:
        return self.events[id(table.play(seat)._chain)]


def _grab(table: Table, seats: tuple[int, int]) -> None:
    """Two seats claim one face-up card before either has heard of the other."""
    target = next(card.position for card in table.sessions[seats[0]].view().pool if card.card is not None)
    for seat in seats:
        give = table.sessions[seat].view().hand[0].position
        table.submit(seat, Swap(take=(target,), give=(give,)))


def _race(silent: str) -> tuple[Table, tuple[int, int], int]:
    """A table, two claimants, and the witness that is silenced: neither on duty nor a claimant."""
    table = opened()
    on_duty = int(table.play().tip.on_duty)
    others = [seat for seat in range(4) if seat != on_duty]
    claimants, witness = (others[0], others[1]), others[2]
    if silent == "witness":
        table.drops = lambda sender, receiver, data: witness in (sender, receiver)
    return table, claimants, witness


def test_a_contest_does_not_wait_for_a_silent_witness_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = _Recorder(monkeypatch)
    table, claimants, witness = _race("witness")
    _grab(table, claimants)
    table.settle()
    assert not recorder.of(table, claimants[0])[-1:] or not isinstance(
        recorder.of(table, claimants[0])[-1], Settled | Contest
    ), "one word of two decides nothing"

    table.wait(2 * PATIENCE_MS + COIN_PATIENCE_MS)
    events = recorder.of(table, claimants[0])
    cuts = [event for event in events if isinstance(event, CutOff)]
    draws = [event for event in events if isinstance(event, Drawn)]
    assert len(cuts) == 1
    assert len(cuts[0].claims) == 2
    assert [sorted(result.name for result in draw.results) for draw in draws] == [["MISSED", "OK"]]
    assert not any(table.faults(seat) for seat in claimants)

    # Healed, the silent seat folds the same chain, and everybody goes on.
    table.drops = lambda sender, receiver, data: False
    table.wait(1500)
    heads = {table.play(seat).final.head for seat in range(4)}
    assert len(heads) == 1
    assert [event for event in recorder.of(table, witness) if isinstance(event, CutOff)] == cuts
    assert table.play().final.cut is None


def test_two_words_of_two_need_no_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = _Recorder(monkeypatch)
    table, claimants, _ = _race("nobody")
    _grab(table, claimants)
    table.settle().wait(2 * PATIENCE_MS)
    assert not [event for event in recorder.of(table, 0) if isinstance(event, CutOff)]


def _has_coin(data: bytes) -> bool:
    message = read_message(data)
    items = message.items if isinstance(message, Batch) else ()
    bodies = [decode(signed.raw, Item).body for signed in items]
    return any(isinstance(statement, CoinReveal) for body in bodies for statement in body)


def test_a_coin_that_is_held_back_puts_its_team_last(monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = _Recorder(monkeypatch)
    table, claimants, witness = _race("witness")
    mute = claimants[0]
    _grab(table, claimants)
    table.settle().wait(PATIENCE_MS - 50)
    table.drops = lambda sender, receiver, data: (
        (witness in (sender, receiver) and table.now_ms < PATIENCE_MS * 4)
        or (sender == mute and _has_coin(data))
    )
    table.wait(2 * PATIENCE_MS + COIN_PATIENCE_MS + 500)
    draws = [event for event in recorder.of(table, claimants[1]) if isinstance(event, Drawn)]
    assert len(draws) == 1
    assert draws[0].coins.index(NO_DIGEST) == sorted(claimants).index(mute)
    assert table.play(claimants[1])._items[draws[0].order[-1]].seat == Seat(mute)
    assert draws[0].results == (Result.OK, Result.MISSED)


def test_a_coin_counts_as_held_back_only_where_it_was_waited_for_and_has_not_come() -> None:
    table, claimants, witness = _race("witness")
    mute = claimants[0]
    _grab(table, claimants)
    table.settle()
    table.drops = lambda sender, receiver, data: (
        witness in (sender, receiver) or (sender == mute and _has_coin(data))
    )
    table.wait(PATIENCE_MS + 50)
    has_come, waits = table.play(mute), table.play(claimants[1])
    opened_contest = waits.tip.contests[0]
    coins = tuple(
        NO_DIGEST if seat == mute else Digest(bytes(32)[1:] + b"x") for seat in opened_contest.claimants()
    )
    drawn = Drawn(index=opened_contest.index, coins=coins, order=(), results=())
    assert not any(is_coin_of(waits.tip, claim, drawn.index) for claim in opened_contest.claims.values())
    later_ms = table.now_ms + COIN_PATIENCE_MS
    assert not waits._patience.is_withheld(waits.tip, drawn, table.now_ms), "waited too little"
    assert not is_acked(table, claimants[1], drawn)
    assert is_acked(table, claimants[1], drawn, later_ms=COIN_PATIENCE_MS)
    assert waits._patience.is_withheld(waits.tip, drawn, later_ms)
    assert not has_come._patience.is_withheld(has_come.tip, drawn, later_ms), "the coin is there"


def test_a_cut_is_acked_of_a_whole_contest_and_not_for_long_beside_one_that_stands() -> None:
    table, claimants, _ = _race("witness")
    _grab(table, claimants)
    seat = claimants[0]
    play = table.settle().play(seat)
    claims = play._book.contest_of(next(iter(play._book.undecided)))
    ends = tuple(TapeEnd(length=length, last=last) for length, last in play._book.ends())
    cut = CutOff(claims=claims, tapes=ends)
    assert is_acked(table, seat, cut)
    assert not is_acked(table, seat, CutOff(claims=claims[:1], tapes=ends))
    play._chain.tip = replace(play.tip, cut=OpenCut(play.final.head.index, {}, ends))
    play._patience.note_final(play.tip, table.now_ms)
    assert is_acked(table, seat, cut, later_ms=CUT_FINAL_MS), "its author may not know yet"
    assert not is_acked(table, seat, cut, later_ms=CUT_FINAL_MS + 1)
