"""Every exception, by whose fault it is.

An exception carries a reason as an enum; the sentences that people read are made in `wording`. `code`
values are stable: audit findings, vectors and exit codes use them.
"""

from enum import Enum


class Illegal(Enum):
    """Why the rules forbid an action: the fault is the actor's, and nothing was sent."""

    NO_SUCH_SEAT = "no-such-seat"
    NO_SUCH_TARGET = "no-such-target"
    NOT_IN_RULES = "not-in-rules"
    NOT_OPEN = "not-open"
    HALTED = "halted"
    DEAL_OVER = "deal-over"
    DEAL_RUNS = "deal-runs"
    NOT_YOUR_TURN = "not-your-turn"
    NOT_DEALER = "not-dealer"
    NOT_IN_HAND = "not-in-hand"
    NOT_IN_POOL = "not-in-pool"
    FACE_DOWN = "face-down"
    UNEVEN = "uneven"
    NAMED_TWICE = "named-twice"
    TOO_MANY_CARDS = "too-many-cards"
    NO_CARD = "no-card"
    HALF_EXCHANGE = "half-exchange"
    NO_HALF_EXCHANGE = "no-half-exchange"
    ALREADY_PASSED = "already-passed"
    ALREADY_SIGNALLED = "already-signalled"
    OTHER_POOL = "other-pool"
    NO_CALL = "no-call"
    COMBINED_CALLS = "combined-calls"
    OWN_TEAM = "own-team"
    BARRED = "barred"
    NOT_IDLE = "not-idle"
    NO_MULLIGAN = "no-mulligan"
    NOT_HALTED = "not-halted"
    NO_SPEECH = "no-speech"
    TEXT_TOO_LONG = "text-too-long"
    NOT_ASKED = "not-asked"
    STALE = "stale"
    TOO_SOON = "too-soon"
    NOT_READY = "not-ready"
    FALSE_DENIAL = "false-denial"
    ALREADY_OPEN = "already-open"
    CALL_PENDING = "call-pending"
    NOT_OWED = "not-owed"
    NO_TEXT = "no-text"
    NOT_PRINTABLE = "not-printable"
    PAUSED = "paused"
    COMING_BACK = "coming-back"
    NOT_SILENT = "not-silent"
    NO_WALK_OVER = "no-walk-over"
    NOT_ABSENT = "not-absent"
    NO_OFFER = "no-offer"
    STOOD_IN = "stood-in"


class Fault(Enum):
    """What a peer did that an honest program never does."""

    MALFORMED = "malformed"
    NEWER_VERSION = "newer-version"
    NOT_CANONICAL = "not-canonical"
    TOO_LARGE = "too-large"
    BAD_SIGNATURE = "bad-signature"
    BAD_KEY = "bad-key"
    BAD_LINK = "bad-link"
    BAD_STAMP = "bad-stamp"
    WRONG_MATCH = "wrong-match"
    WRONG_SEAT = "wrong-seat"
    WRONG_TERM = "wrong-term"
    OTHER_INCARNATION = "other-incarnation"
    EQUIVOCATION = "equivocation"
    BAD_GENESIS = "bad-genesis"
    OTHER_RULES = "other-rules"
    BAD_COMMITMENT = "bad-commitment"
    BAD_POINT = "bad-point"
    BAD_SCALAR = "bad-scalar"
    BAD_KEY_PROOF = "bad-key-proof"
    BAD_TURN = "bad-turn"
    BAD_SHUFFLE_PROOF = "bad-shuffle-proof"
    BAD_SHARE_PROOF = "bad-share-proof"
    NOT_OWED = "not-owed"
    BAD_SEED = "bad-seed"
    BAD_SEAL = "bad-seal"
    BAD_COIN = "bad-coin"
    BAD_CLAIM = "bad-claim"
    BAD_ENTRY = "bad-entry"
    BAD_EVIDENCE = "bad-evidence"
    BAD_VERDICT = "bad-verdict"
    BAD_ORDER = "bad-order"
    BAD_CHECKPOINT = "bad-checkpoint"
    BAD_TIME = "bad-time"
    BAD_BLAME = "bad-blame"
    BAD_TAKE_OVER = "bad-take-over"
    BAD_ANNEX = "bad-annex"


class Unwelcome(Enum):
    """Why a peer does not get to a table, or leaves it before the match."""

    WRONG_CODE = "wrong-code"
    TOO_MANY_GUESSES = "too-many-guesses"
    GUESSES_TOO_OFTEN = "guesses-too-often"
    TABLE_FULL = "table-full"
    TABLE_PLAYING = "table-playing"
    NAME_TAKEN = "name-taken"
    SEATED_ALREADY = "seated-already"
    NOT_KEMPS = "not-kemps"
    OTHER_VERSION = "other-version"
    OTHER_RULES = "other-rules"
    BAD_WORDS = "bad-words"
    CHANGED_ON_THE_WAY = "changed-on-the-way"
    OTHER_SERVER_KEY = "other-server-key"
    KNOWN_NAME_NEW_KEY = "known-name-new-key"
    OTHER_NAME = "other-name"


class KempsError(Exception):
    """The root of every error that this package raises on purpose."""


class IllegalAction(KempsError):
    """The rules forbid the action here; the actor's own program finds it before anything is sent."""

    def __init__(self, reason: Illegal) -> None:
        super().__init__(reason.value)
        self.reason = reason


class PeerFault(KempsError):
    """A peer said something that no honest program says.

    `culprit` is a seat, or None while no verified signature names one. `evidence` holds the bytes that
    prove it, empty where the message itself is the proof.
    """

    def __init__(
        self, code: Fault, text: str = "", *, culprit: int | None = None, evidence: bytes = b""
    ) -> None:
        super().__init__(f"{code.value}: {text}" if text else code.value)
        self.code = code
        self.text = text
        self.culprit = culprit
        self.evidence = evidence


class Missing(KempsError):
    """Something has not arrived: a gap or silence, nobody's proven fault."""


class RuntimeFault(KempsError):
    """The machine we run on failed: disk, socket, permission."""


class Refused(KempsError):
    """A table or a home does not take this peer: it is full, taken, or of another kind."""


class NotSeated(KempsError):
    """A table does not take this peer, or this peer does not take the table.

    `detail`: what `reason` speaks of: a name, a key of the rule set, a version, seconds. `is_theirs`: the
    other side has said so, and not this one found it.
    """

    def __init__(self, reason: Unwelcome, detail: str = "", *, is_theirs: bool = False) -> None:
        super().__init__(f"{reason.value}: {detail}" if detail else reason.value)
        self.reason = reason
        self.detail = detail
        self.is_theirs = is_theirs


class Unreachable(RuntimeFault):
    """A peer, a table or an address cannot be reached or taken."""


class HasLeft(Unreachable):
    """The other side has said that it goes."""


class PortTaken(Unreachable):
    """Another program listens where this one should."""


class AuditFailure(KempsError):
    """A log does not hold at `index`; `cause` says what and whose it is."""

    def __init__(self, index: int, cause: KempsError) -> None:
        super().__init__(f"entry {index}: {cause}")
        self.index = index
        self.cause = cause
