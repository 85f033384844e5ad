"""Words to say aloud: the code of a table, the three words of a match, the fingerprint of a key.

Draws nothing: bytes from a good source come in. Invariants:

1. Two different codes have different texts, and `read_code` of a text that `str` made gives the same code.
2. What is not a code is found out here, so that a slip of the tongue never costs a guess at a table.

Section "Words of a match" of protocol.md.
"""

import difflib
import re
from dataclasses import dataclass

from kemps_p2p.codec import tagged_hash
from kemps_p2p.errors import KempsError
from kemps_p2p.wording.plain import plain
from kemps_p2p.wording.wordlist import WORDS

WORD_BITS = 9
MATCH_WORDS = 3
NUMBER_MAX = 99
CODE_ENTROPY_BYTES = 4
"""What `secret_words` needs: two words of 9 bits. Ten guesses at a table find them once in 26,214 times."""
_CODE = re.compile(r"\s*(\d{1,2})[\s\-_.]+([a-z]+)[\s\-_.]+([a-z]+)\s*", re.IGNORECASE)


class CodeError(KempsError):
    """A text is no code of a table: one line that says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Code:
    """What a host tells those it invites: a number, which everybody may see, and two words, which are secret.

    The number picks the table out of several, the words let in.
    """

    number: int
    first: str
    second: str

    def __str__(self) -> str:
        """As it is shown and said."""
        return f"{self.number}-{self.first}-{self.second}"

    @property
    def password(self) -> bytes:
        """What the two sides of a join prove to each other that they know."""
        return str(self).encode("ascii")


def table_number(entropy: bytes) -> int:
    """A number of a table, from 1 to 99; not a secret."""
    return 1 + int.from_bytes(entropy, "big") % NUMBER_MAX


def code_of(number: int, entropy: bytes) -> Code:
    """The code with this number that `CODE_ENTROPY_BYTES` random bytes choose."""
    if len(entropy) != CODE_ENTROPY_BYTES:
        raise ValueError(f"a code takes {CODE_ENTROPY_BYTES} bytes of entropy")
    first, second = _words(entropy, 2)
    return Code(number, first, second)


def is_like_code(text: str) -> bool:
    """Whether a text is meant as a code: a number and two words."""
    return _CODE.fullmatch(text) is not None


def read_code(text: str) -> Code:
    """A code as somebody types it: in any case, with blanks or dashes. Raises `CodeError`."""
    found = _CODE.fullmatch(text)
    if found is None:
        raise CodeError(f"{plain(text, 40)!r} is no code: it is a number and two words, like 3-cobalt-otter")
    number = int(found[1])
    if not 1 <= number <= NUMBER_MAX:
        raise CodeError(f"a code begins with a number from 1 to {NUMBER_MAX}, not with {number}")
    first, second = (_known_word(word.lower()) for word in found.groups()[1:])
    return Code(number, first, second)


def words_of(digest: bytes) -> str:
    """Three words for a match id: whoever sees other words is at another table, or somebody is in between."""
    return " ".join(_words(digest, MATCH_WORDS))


def fingerprint(key: bytes) -> str:
    """An identity key in short, for people to compare: 16 hexadecimal digits in groups of four."""
    digits = tagged_hash("kemps/v1/fingerprint", key).hex()[:16]
    return "-".join(digits[at : at + 4] for at in range(0, 16, 4))


def _words(data: bytes, count: int) -> tuple[str, ...]:
    """The first `count` groups of 9 bits, each as its word."""
    bits = int.from_bytes(data, "big")
    shift = 8 * len(data)
    return tuple(
        WORDS[bits >> (shift - WORD_BITS * (index + 1)) & (len(WORDS) - 1)] for index in range(count)
    )


def _known_word(word: str) -> str:
    if word in WORDS:
        return word
    near = difflib.get_close_matches(word, WORDS, n=1)
    hint = f"; did you hear {near[0]!r}?" if near else ""
    raise CodeError(f"{plain(word, 40)!r} is not one of the words that codes are made of{hint}")
