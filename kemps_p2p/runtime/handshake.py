"""The first words of a join: both sides prove that they know the code, and get keys for all that follows.

Pure: bytes and entropy in, records out. Knows no socket, no table and no person. Invariants:

1. A passer-by who hears everything learns nothing of the code, and a liar at one end only whether the one
   guess that it made was right: SPAKE2, with the code as the password.
2. The joiner proves first, so that a guess shows at the host before it is answered.
3. Keys are fresh for each join, and depend on the code, on both messages and on the protocol version.
4. What is sealed is opened once, in order, or not at all.

Section "Joining" of protocol.md.
"""

import hmac
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TypeAlias

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from spake2 import SPAKE2_A, SPAKE2_B, SPAKEError
from spake2.ed25519_basic import NotOnCurve

from kemps_p2p.codec import Digest, Record, decode, derive, encode, tagged_hash
from kemps_p2p.errors import NotSeated, PeerFault, Unwelcome
from kemps_p2p.session.messages import PROTOCOL_VERSION
from kemps_p2p.wording.words import Code

MAGIC = b"kemps"
HEADER_BYTES = len(MAGIC) + 1 + 4
CLEAR_BYTES_MAX = 1024
SEALED_BYTES_MAX = 128 * 1024
PAKE_BYTES = 33
_JOINER, _HOST = b"kemps/v1/join joiner", b"kemps/v1/join host"

Entropy = Callable[[int], bytes]
"""As many random bytes as asked for."""


class Ask(Record, frozen=True, tag=1):
    """What table is this? Anybody may ask."""


class Notice(Record, frozen=True, tag=2):
    """What anybody may know of a table, and nobody needs to believe.

    `number`: that of its code. `rules`: what the host calls the rule set; `rules_digest` names it. `host`:
    the fingerprint of the host's identity key. `is_open`: 1 while seats are given away. `is_announced`: 1
    if it should be found without knowing its address.
    """

    table: str
    number: int
    players: int
    taken: int
    rules: str
    rules_digest: str
    host: str
    is_open: int
    is_announced: int


class Knock(Record, frozen=True, tag=3):
    """A joiner's SPAKE2 message: the beginning of a guess."""

    pake: bytes


class Answer(Record, frozen=True, tag=4):
    """The host's SPAKE2 message."""

    pake: bytes


class Confirm(Record, frozen=True, tag=5):
    """The proof that a side has found the same key, and so knows the same code."""

    proof: bytes


class Refusal(Record, frozen=True, tag=6):
    """Why this ends here: the value of an `Unwelcome`, and what it speaks of."""

    reason: str
    detail: str


ClearWords: TypeAlias = Ask | Notice | Knock | Answer | Confirm | Refusal


def header(length: int) -> bytes:
    """What goes before every frame: it says at once who speaks here and in which version."""
    return MAGIC + bytes([PROTOCOL_VERSION]) + length.to_bytes(4, "big")


def length_of(head: bytes, bytes_max: int) -> int:
    """How many bytes follow a header.

    Raises `NotSeated`: NOT_KEMPS, OTHER_VERSION (its number is the detail), BAD_WORDS for one too long.
    """
    if len(head) != HEADER_BYTES or head[: len(MAGIC)] != MAGIC:
        raise NotSeated(Unwelcome.NOT_KEMPS)
    version = head[len(MAGIC)]
    if version != PROTOCOL_VERSION:
        raise NotSeated(Unwelcome.OTHER_VERSION, str(version))
    length = int.from_bytes(head[len(MAGIC) + 1 :], "big")
    if length > bytes_max:
        raise NotSeated(Unwelcome.BAD_WORDS, "too long")
    return length


def read_clear(data: bytes) -> ClearWords:
    """Decode what is said before there are keys. Raises `NotSeated` BAD_WORDS."""
    try:
        return decode(data, ClearWords)  # type: ignore[arg-type]  # a union is no type object
    except PeerFault as fault:
        raise NotSeated(Unwelcome.BAD_WORDS, fault.code.value) from None


def unwelcome_of(refusal: Refusal) -> NotSeated:
    """What the other side says when it ends a join; a reason that this program does not know says little."""
    try:
        reason = Unwelcome(refusal.reason)
    except ValueError:
        return NotSeated(Unwelcome.BAD_WORDS, "a reason of its own", is_theirs=True)
    return NotSeated(reason, refusal.detail, is_theirs=True)


@dataclass(frozen=True, slots=True)
class Keys:
    """What a join has agreed on. `session` names it: the same at both ends only if nobody is between."""

    session: Digest
    joiner: bytes = field(repr=False)
    host: bytes = field(repr=False)


class JoinerSide:
    """The side that comes: `knock`, then `answered`, then `confirmed`."""

    def __init__(self, code: Code, entropy: Entropy) -> None:
        self._pake = SPAKE2_A(code.password, idA=_JOINER, idB=_HOST, entropy_f=entropy)
        self._secrets: _Secrets | None = None
        self._said = b""

    def knock(self) -> Knock:
        """The first message."""
        self._said = self._pake.start()
        return Knock(pake=self._said)

    def answered(self, answer: Answer) -> Confirm:
        """Take the host's message; the proof to send. Raises `NotSeated` BAD_WORDS."""
        self._secrets = _Secrets.found(_finish(self._pake, answer.pake), self._said, answer.pake)
        return Confirm(proof=self._secrets.joiner_proof)

    def confirmed(self, confirm: Confirm) -> Keys:
        """Check the host's proof. Raises `NotSeated` WRONG_CODE: the host does not know this code."""
        assert self._secrets is not None, "asked for keys before the answer came"
        if not hmac.compare_digest(confirm.proof, self._secrets.host_proof):
            raise NotSeated(Unwelcome.WRONG_CODE)
        return self._secrets.keys


class HostSide:
    """The side that is joined: `knocked`, then `confirmed`. One for each guess."""

    def __init__(self, code: Code, entropy: Entropy) -> None:
        self._pake = SPAKE2_B(code.password, idA=_JOINER, idB=_HOST, entropy_f=entropy)
        self._secrets: _Secrets | None = None

    def knocked(self, knock: Knock) -> Answer:
        """Take the joiner's message; the answer to send. Raises `NotSeated` BAD_WORDS."""
        said = self._pake.start()
        self._secrets = _Secrets.found(_finish(self._pake, knock.pake), knock.pake, said)
        return Answer(pake=said)

    def confirmed(self, confirm: Confirm) -> tuple[Confirm, Keys]:
        """Check the joiner's proof; the own one to send. Raises `NotSeated` WRONG_CODE: this was a guess."""
        assert self._secrets is not None, "asked for keys before the knock came"
        if not hmac.compare_digest(confirm.proof, self._secrets.joiner_proof):
            raise NotSeated(Unwelcome.WRONG_CODE)
        return Confirm(proof=self._secrets.host_proof), self._secrets.keys


@dataclass(frozen=True, slots=True)
class _Secrets:
    """What follows from the key of SPAKE2 and all that was said until then."""

    joiner_proof: bytes
    host_proof: bytes
    keys: Keys

    @classmethod
    def found(cls, key: bytes, knock: bytes, answer: bytes) -> "_Secrets":
        said = tagged_hash("kemps/v1/join", bytes([PROTOCOL_VERSION]), knock, answer)
        drawn = {what: derive("kemps/v1/join/key", key, said, what)[:32] for what in _PURPOSES}
        return cls(
            joiner_proof=hmac.digest(drawn[b"joiner confirms"], said, sha256),
            host_proof=hmac.digest(drawn[b"host confirms"], said, sha256),
            keys=Keys(Digest(drawn[b"session"]), drawn[b"joiner seals"], drawn[b"host seals"]),
        )


_PURPOSES = (b"joiner confirms", b"host confirms", b"joiner seals", b"host seals", b"session")


def _finish(pake: "SPAKE2_A | SPAKE2_B", message: bytes) -> bytes:
    if len(message) != PAKE_BYTES:
        raise NotSeated(Unwelcome.BAD_WORDS, "a key exchange of another length")
    try:
        return bytes(pake.finish(message))
    except (SPAKEError, NotOnCurve, ValueError):
        raise NotSeated(Unwelcome.BAD_WORDS, "no key exchange") from None


class Sealed:
    """One end of a channel: numbered, encrypted and authenticated in both directions."""

    def __init__(self, *, sends: bytes, receives: bytes) -> None:
        self._sends, self._receives = ChaCha20Poly1305(sends), ChaCha20Poly1305(receives)
        self._sent_count = self._received_count = 0

    def seal(self, record: Record) -> bytes:
        """The next bytes to send."""
        sealed = self._sends.encrypt(_nonce(self._sent_count), encode(record), None)
        self._sent_count += 1
        return sealed

    def open(self, data: bytes) -> bytes:
        """What the next bytes hold. Raises `NotSeated` CHANGED_ON_THE_WAY."""
        try:
            opened = self._receives.decrypt(_nonce(self._received_count), data, None)
        except InvalidTag:
            raise NotSeated(Unwelcome.CHANGED_ON_THE_WAY) from None
        self._received_count += 1
        return opened


def _nonce(number: int) -> bytes:
    # A key seals one direction of one join, so a count never repeats under it.
    return number.to_bytes(12, "big")
