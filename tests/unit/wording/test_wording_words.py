"""Codes and words: what is shown can be typed, what is no code is found out, words follow from the id."""

import itertools
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kemps_p2p.wording.wordlist import WORDS
from kemps_p2p.wording.words import (
    CODE_ENTROPY_BYTES,
    NUMBER_MAX,
    Code,
    CodeError,
    code_of,
    fingerprint,
    is_like_code,
    read_code,
    table_number,
    words_of,
)

ENTROPY = st.binary(min_size=CODE_ENTROPY_BYTES, max_size=CODE_ENTROPY_BYTES)


def test_the_list_can_be_said_and_heard() -> None:
    assert len(WORDS) == 512
    assert list(WORDS) == sorted(WORDS)
    assert len({word[:4] for word in WORDS}) == 512
    assert all(word.isascii() and word.islower() and word.isalpha() and 4 <= len(word) <= 8 for word in WORDS)


def test_no_two_words_differ_in_one_letter() -> None:
    def gaps(word: str) -> set[str]:
        return {word[:at] + "_" + word[at + 1 :] for at in range(len(word))}

    # Two words of one length that differ in one letter share a gap; so do, with an inserted one, others.
    assert not [pair for pair in itertools.combinations(WORDS, 2) if gaps(pair[0]) & gaps(pair[1])]


@given(number=st.integers(1, NUMBER_MAX), entropy=ENTROPY)
def test_a_code_that_is_shown_can_be_typed(number: int, entropy: bytes) -> None:
    code = code_of(number, entropy)
    assert is_like_code(str(code))
    assert read_code(str(code)) == code
    assert read_code(f" {str(code).upper().replace('-', ' ')} ") == code


@given(entropy=st.binary(min_size=1, max_size=8))
def test_a_number_of_a_table_fits_a_code(entropy: bytes) -> None:
    assert 1 <= table_number(entropy) <= NUMBER_MAX


def test_every_bit_of_the_entropy_that_counts_changes_the_code() -> None:
    codes = {code_of(3, (bit << 14).to_bytes(4, "big")) for bit in (1 << at for at in range(18))}
    assert len(codes) == 18


def test_a_code_of_too_little_entropy_is_a_bug() -> None:
    with pytest.raises(ValueError, match="4 bytes"):
        code_of(3, b"abc")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("3-cobalt", "a number and two words"),
        ("cobalt-otter", "a number and two words"),
        ("0-cobalt-otter", "from 1 to 99"),
        ("3-cobalt-ottr", "did you hear 'otter'?"),
        ("3-cobalt-zzzzzz", "not one of the words"),
        ("", "a number and two words"),
    ],
)
def test_what_is_no_code_is_said(text: str, said: str) -> None:
    with pytest.raises(CodeError) as error:
        read_code(text)
    assert said in str(error.value)


def test_what_is_no_code_is_shown_harmlessly() -> None:
    with pytest.raises(CodeError) as error:
        read_code("\x1b[31m" + "x" * 1000)
    assert "\x1b" not in str(error.value)
    assert len(str(error.value)) < 200


def test_the_words_of_a_match_are_its_first_bits() -> None:
    assert words_of(bytes(32)) == f"{WORDS[0]} {WORDS[0]} {WORDS[0]}"
    assert words_of(b"\xff" * 32) == f"{WORDS[511]} {WORDS[511]} {WORDS[511]}"
    digest = (1 << (256 - 9) | 2 << (256 - 18) | 3 << (256 - 27)).to_bytes(32, "big")
    assert words_of(digest) == f"{WORDS[1]} {WORDS[2]} {WORDS[3]}"


def test_fingerprints_tell_keys_apart() -> None:
    assert fingerprint(b"a" * 32) != fingerprint(b"b" * 32)
    assert len(fingerprint(b"a" * 32)) == 19


def test_a_password_is_the_whole_code() -> None:
    assert Code(3, "cobalt", "otter").password == b"3-cobalt-otter"


def test_the_list_is_the_one_that_the_protocol_names() -> None:
    document = Path(__file__).parents[3] / "protocol.md"
    assert f"`{sha256(' '.join(WORDS).encode()).hexdigest()}`" in document.read_text(encoding="utf-8")
