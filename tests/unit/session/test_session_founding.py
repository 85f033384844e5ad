"""What a genesis and a lobby refuse for one reason alone, and claims of a kind that nobody counts."""

import pytest
from msgspec import structs
from session_helpers import Table, formed, setup

from kemps_p2p.codec import Digest, encode
from kemps_p2p.errors import Fault, PeerFault
from kemps_p2p.game.actions import Mulligan, Next
from kemps_p2p.game.record import Phase
from kemps_p2p.game.rules import load_rules, override
from kemps_p2p.ledger.entry import Result
from kemps_p2p.session import effects as fx
from kemps_p2p.session.genesis import Genesis, found
from kemps_p2p.session.lobby import Lobby
from kemps_p2p.session.messages import LobbyWords, Reveal, Seal, read_lobby, read_message

BEFORE = Digest(b"\x07" * 32)


@pytest.fixture(scope="module")
def genesis() -> Genesis:
    return formed().play().founding.genesis


@pytest.mark.parametrize(
    ("lies", "why"),
    [
        ({"rules": 'base = "kemps"\n'}, "in full"),
        ({"matches": 1, "previous": Digest(b"\x07" * 31)}, "wrong length"),
        ({"matches": 1, "previous": Digest(b"\x07" * 33)}, "wrong length"),
        ({"matches": -1, "previous": BEFORE}, "follows"),
        ({"matches": 0, "previous": BEFORE}, "follows"),
    ],
)
def test_a_genesis_is_refused_for_each_reason(genesis: Genesis, lies: dict[str, object], why: str) -> None:
    with pytest.raises(PeerFault, match=why) as fault:
        found(encode(structs.replace(genesis, **lies)))
    assert (fault.value.code, fault.value.culprit) == (Fault.BAD_GENESIS, None)


def test_a_genesis_of_a_rematch_is_accepted(genesis: Genesis) -> None:
    again = structs.replace(genesis, matches=1, previous=BEFORE)
    assert found(encode(again)).genesis == again


@pytest.mark.parametrize("name", ["", " Ann", "x" * 25, "a\u202eb"])
def test_nobody_sits_down_under_a_name_that_others_would_refuse(name: str) -> None:
    with pytest.raises(PeerFault) as fault:
        Lobby(setup(0, name=name))
    assert fault.value.code is Fault.MALFORMED


def test_whoever_reveals_again_is_not_answered_again() -> None:
    """Else each repetition of a reveal would add another seal to what is said over and over."""
    at = [Lobby(setup(seat)) for seat in range(4)]
    queue = [(seat, message) for seat, lobby in enumerate(at) for message in lobby.start()]
    reveals: list[LobbyWords] = []
    while queue:
        sender, message = queue.pop(0)
        words = read_message(message)
        assert isinstance(words, LobbyWords)
        if isinstance(read_lobby(words.raw), Reveal):
            reveals.append(words)
        if isinstance(read_lobby(words.raw), Seal):
            continue
        for seat, lobby in enumerate(at):
            if seat != sender:
                queue += [(seat, out) for out in lobby.receive(words, 0)]
    assert {words.seat for words in reveals} == set(range(4))
    assert at[0].founding is not None
    said = at[0].tick(10_000)
    for words in reveals[1:]:
        assert at[0].receive(words, 0) == []
    assert at[0].tick(20_000) == said


def test_two_claims_of_no_kind_that_conflict_are_logged_one_after_the_other() -> None:
    """The second names the first, which counts no more once it is logged."""
    rules = override(load_rules("kems"), {"start": "go", "look_ms": 0})
    table = Table(rules).start().wait(100)
    dealer = table.play().final.game.dealer
    table.submit(dealer, Next()).settle().wait(500)
    assert table.play().final.game.phase is Phase.DEALT
    first, second = ((dealer + offset) % 4 for offset in (1, 2))
    for seat in (first, second):
        table.submit(seat, Mulligan())
    table.settle().wait(500)
    told = [
        sight.result
        for seat in (first, second)
        for sight in table.sights[seat]
        if isinstance(sight, fx.Known) and isinstance(sight.action, Mulligan)
    ]
    assert told == [Result.OK, Result.OK]
    assert not any(table.faults(seat) for seat in range(4))
