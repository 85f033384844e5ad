"""The pure part of a join: the code, the keys, the sealed channel, and how often one may guess."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from join_helpers import drawn

from kemps_p2p.errors import NotSeated, Unwelcome
from kemps_p2p.runtime.guesses import (
    ADDRESS_GUESSES_MAX,
    ADDRESS_WINDOW_MS,
    ADDRESSES_MAX,
    GUESSES_MAX,
    PAUSE_MS,
    PAUSE_MS_MAX,
    Guesses,
    neighbourhood,
)
from kemps_p2p.runtime.guests import Here, Leave, SealedWords, read_sealed
from kemps_p2p.runtime.handshake import (
    HEADER_BYTES,
    PAKE_BYTES,
    Answer,
    ClearWords,
    Confirm,
    HostSide,
    JoinerSide,
    Keys,
    Knock,
    Refusal,
    Sealed,
    header,
    length_of,
    read_clear,
    unwelcome_of,
)
from kemps_p2p.wording.words import Code

CODE = Code(3, "cobalt", "otter")
OTHER = Code(3, "cobalt", "acorn")


def talk(joiner_code: Code, host_code: Code) -> tuple[Keys, Keys]:
    joiner, host = JoinerSide(joiner_code, drawn("j")), HostSide(host_code, drawn("h"))
    confirm = joiner.answered(host.knocked(joiner.knock()))
    proof, at_host = host.confirmed(confirm)
    return joiner.confirmed(proof), at_host


def raised(reason: Unwelcome) -> "pytest.RaisesExc[NotSeated]":
    return pytest.raises(NotSeated, match=f"^{reason.value}")


def words_or_reason(read: Callable[[], object]) -> object:
    try:
        return read()
    except NotSeated as why:
        return why.reason


def test_who_knows_the_code_gets_the_same_keys() -> None:
    mine, yours = talk(CODE, CODE)
    assert mine == yours
    assert len({mine.session, mine.joiner, mine.host}) == 3
    assert "joiner" not in repr(mine)


def test_keys_are_fresh_for_each_join() -> None:
    joiner, host = JoinerSide(CODE, drawn("other")), HostSide(CODE, drawn("h"))
    proof, keys = host.confirmed(joiner.answered(host.knocked(joiner.knock())))
    assert joiner.confirmed(proof) == keys
    assert keys.session != talk(CODE, CODE)[0].session


def test_the_host_finds_a_wrong_code_before_it_proves_anything() -> None:
    joiner, host = JoinerSide(OTHER, drawn("j")), HostSide(CODE, drawn("h"))
    confirm = joiner.answered(host.knocked(joiner.knock()))
    with raised(Unwelcome.WRONG_CODE):
        host.confirmed(confirm)


def test_a_joiner_finds_a_host_that_does_not_know_the_code() -> None:
    joiner, liar = JoinerSide(CODE, drawn("j")), HostSide(OTHER, drawn("h"))
    joiner.answered(liar.knocked(joiner.knock()))
    with raised(Unwelcome.WRONG_CODE):
        joiner.confirmed(Confirm(proof=bytes(32)))


def test_a_proof_sent_back_to_its_author_proves_nothing() -> None:
    joiner, host = JoinerSide(CODE, drawn("j")), HostSide(CODE, drawn("h"))
    own = joiner.answered(host.knocked(joiner.knock()))
    with raised(Unwelcome.WRONG_CODE):
        joiner.confirmed(own)


def test_a_proof_of_another_join_proves_nothing() -> None:
    first, host = JoinerSide(CODE, drawn("j")), HostSide(CODE, drawn("h"))
    heard = first.answered(host.knocked(first.knock()))
    again = HostSide(CODE, drawn("later"))
    again.knocked(JoinerSide(CODE, drawn("j")).knock())
    with raised(Unwelcome.WRONG_CODE):
        again.confirmed(heard)


@pytest.mark.parametrize(
    "pake",
    [
        b"",
        b"B",
        bytes(PAKE_BYTES),
        b"A" + bytes(32),
        b"B" + bytes(31),
        b"B" + b"\xff" * 32,
        b"B" + (1).to_bytes(32, "little"),
        b"B" + (2).to_bytes(32, "little"),
        b"B" + bytes(33),
        b"B" * 1000,
    ],
    ids=lambda pake: f"{pake[:3].hex()}-{len(pake)}",
)
def test_what_is_no_key_exchange_is_refused(pake: bytes) -> None:
    joiner = JoinerSide(CODE, drawn("j"))
    joiner.knock()
    with raised(Unwelcome.BAD_WORDS):
        joiner.answered(Answer(pake=pake))
    with raised(Unwelcome.BAD_WORDS):
        HostSide(CODE, drawn("h")).knocked(
            Knock(pake=pake.replace(b"B", b"A", 1) if pake[:1] == b"B" else pake)
        )


def test_a_key_exchange_with_something_behind_it_is_refused() -> None:
    joiner, host = JoinerSide(CODE, drawn("j")), HostSide(CODE, drawn("h"))
    answer = host.knocked(joiner.knock())
    with raised(Unwelcome.BAD_WORDS):
        joiner.answered(Answer(pake=answer.pake + b"\0"))


def test_an_own_message_sent_back_is_refused() -> None:
    joiner = JoinerSide(CODE, drawn("j"))
    with raised(Unwelcome.BAD_WORDS):
        joiner.answered(Answer(pake=b"B" + joiner.knock().pake[1:]))


@settings(max_examples=60)
@given(data=st.binary(max_size=80))
def test_any_bytes_in_the_clear_are_words_or_refused(data: bytes) -> None:
    read = words_or_reason(lambda: read_clear(data))
    assert read is Unwelcome.BAD_WORDS or isinstance(read, ClearWords)


@settings(max_examples=60)
@given(data=st.binary(max_size=80))
def test_any_sealed_bytes_are_words_or_refused(data: bytes) -> None:
    read = words_or_reason(lambda: read_sealed(data))
    assert read is Unwelcome.BAD_WORDS or isinstance(read, SealedWords)


def test_a_header_tells_what_speaks_and_how_long() -> None:
    assert length_of(header(77), 100) == 77
    assert len(header(1)) == HEADER_BYTES
    with raised(Unwelcome.BAD_WORDS):
        length_of(header(101), 100)
    with raised(Unwelcome.NOT_KEMPS):
        length_of(b"GET / HTTP", 100)
    with raised(Unwelcome.NOT_KEMPS):
        length_of(b"\xff" + bytes(8) + b"\x7f", 100)
    with pytest.raises(NotSeated) as why:
        length_of(b"kemps\x02" + bytes(4), 100)
    assert (why.value.reason, why.value.detail) == (Unwelcome.OTHER_VERSION, "2")


def test_a_refusal_keeps_its_reason_and_an_unknown_one_says_little() -> None:
    assert unwelcome_of(Refusal(reason="table-full", detail="")).reason is Unwelcome.TABLE_FULL
    assert unwelcome_of(Refusal(reason="\x1b[2J", detail="x")).detail == "a reason of its own"


def sealed_pair() -> tuple[Sealed, Sealed]:
    return Sealed(sends=b"a" * 32, receives=b"b" * 32), Sealed(sends=b"b" * 32, receives=b"a" * 32)


def test_what_is_sealed_is_opened_in_order() -> None:
    one, other = sealed_pair()
    sent = [one.seal(Here()), one.seal(Leave(reason="", detail="")), other.seal(Here())]
    assert [read_sealed(other.open(data)) for data in sent[:2]] == [Here(), Leave(reason="", detail="")]
    assert read_sealed(one.open(sent[2])) == Here()


@pytest.mark.parametrize("harm", ["changed", "dropped", "again", "back", "short"])
def test_what_was_changed_on_the_way_is_not_opened(harm: str) -> None:
    one, other = sealed_pair()
    first, second = one.seal(Here()), one.seal(Here())
    assert first != second
    with raised(Unwelcome.CHANGED_ON_THE_WAY):
        match harm:
            case "changed":
                other.open(bytes([first[0] ^ 1]) + first[1:])
            case "dropped":
                other.open(second)
            case "again":
                other.open(first)
                other.open(first)
            case "back":
                one.open(first)
            case _:
                other.open(first[:5])


# Guesses


def wrong_times(guesses: Guesses, count: int, host: str = "10.0.0.7", now_ms: int = 0) -> list[bool]:
    used_up = []
    for _ in range(count):
        guesses.check(host, now_ms)
        used_up.append(guesses.wrong(host, now_ms))
    return used_up


def test_the_tenth_wrong_guess_uses_the_code_up_and_the_eleventh_is_refused() -> None:
    guesses = Guesses()
    assert wrong_times(guesses, GUESSES_MAX) == [False] * 9 + [True]
    with pytest.raises(NotSeated) as why:
        guesses.check("10.0.0.99", 1)
    assert (why.value.reason, why.value.detail) == (Unwelcome.TOO_MANY_GUESSES, "30")
    guesses.check("10.0.0.99", PAUSE_MS)


def test_an_address_is_limited_after_the_pause_too() -> None:
    guesses = Guesses()
    wrong_times(guesses, ADDRESS_GUESSES_MAX)
    with pytest.raises(NotSeated) as why:
        guesses.check("10.0.0.7", PAUSE_MS)
    assert why.value.reason is Unwelcome.GUESSES_TOO_OFTEN
    assert why.value.detail == str((ADDRESS_WINDOW_MS - PAUSE_MS) // 1000)
    guesses.check("10.0.0.7", ADDRESS_WINDOW_MS)


def test_pauses_double_up_to_an_hour() -> None:
    guesses, now, pauses = Guesses(), 0, []
    for batch in range(10):
        wrong_times(guesses, GUESSES_MAX, f"10.0.1.{batch}", now)
        with pytest.raises(NotSeated) as why:
            guesses.check("10.0.0.1", now)
        pauses.append(int(why.value.detail) * 1000)
        now += pauses[-1]
    assert pauses[:3] == [PAUSE_MS, 2 * PAUSE_MS, 4 * PAUSE_MS]
    assert pauses[-1] == PAUSE_MS_MAX
    hour = [pause for index, pause in enumerate(pauses) if sum(pauses[:index]) < 3_600_000]
    assert GUESSES_MAX * len(hour) < 100


def test_one_machine_is_one_address_however_many_it_has() -> None:
    assert neighbourhood("fe80::1%eth0") == neighbourhood("fe80::2%eth0")
    assert neighbourhood("2001:db8::1") != neighbourhood("2001:db8:0:1::1")
    assert neighbourhood("::ffff:10.0.0.7") == neighbourhood("10.0.0.7")
    assert neighbourhood("10.0.0.7") != neighbourhood("10.0.0.8")


def test_what_is_remembered_of_addresses_is_bounded() -> None:
    guesses = Guesses()
    for index in range(2 * ADDRESSES_MAX):
        guesses.wrong(f"10.{index // 256}.0.{index % 256}", index)
    assert len(guesses._by_address) == ADDRESSES_MAX
