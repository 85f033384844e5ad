"""Entry 0: who plays what with whom, signed by all; its digest is the match id.

Section "Genesis" of protocol.md.
"""

from dataclasses import dataclass, field
from functools import cached_property

from kemps_p2p.codec import Digest, Record, decode, tagged_hash
from kemps_p2p.deck.group import Group, group_named
from kemps_p2p.errors import Fault, PeerFault
from kemps_p2p.game.rules import RuleError, RuleSet, canonical_text, read_rules
from kemps_p2p.game.state import dealer_of_first_deal
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.identity import check_key, verify
from kemps_p2p.ledger.poll import Decide, decide
from kemps_p2p.ledger.tape import Signer, Signers
from kemps_p2p.session.messages import PROTOCOL_VERSION

GENESIS_LABEL = "kemps/v1/genesis"
NO_MATCH = Digest(bytes(32))
NO_COIN = bytes(32)
"""What stands for the coin chain of an observer."""
_OBSERVED_LEAD = bytes([0x97])
"""The first byte of a genesis with an observer: seven fields."""


class SeatRecord(Record, frozen=True):
    """One seat: key, salted name commitment, end of the coin chain, nonce and the salt of its commitment."""

    key: bytes
    name: Digest
    coin: bytes
    nonce: bytes
    nonce_salt: bytes


class Genesis(Record, frozen=True):
    """The body that all sign. `previous` is the closing head of the match this one is a rematch of, or zeros;
    `matches` counts those that the same table has finished before.
    """

    version: int
    group: str
    rules: str
    seats: tuple[SeatRecord, ...]
    previous: Digest
    matches: int

    @property
    def people(self) -> tuple[SeatRecord, ...]:
        """All who sign, by tape: the seats, and the observer if there is one."""
        return self.seats


class ObservedGenesis(Genesis, frozen=True):
    """The body where there is an observer: a witness without a seat. It has no coins: `coin` is zeros."""

    observer: SeatRecord

    @property
    def people(self) -> tuple[SeatRecord, ...]:
        """All who sign, by tape."""
        return (*self.seats, self.observer)


class SignedGenesis(Record, frozen=True, tag=1):
    """As it is logged: the encoded body and the signatures of all its people, by tape."""

    raw: bytes
    signatures: tuple[bytes, ...]


def nonce_commitment(salt: bytes, nonce: bytes) -> Digest:
    """Binds a seat to its nonce before it sees the others'."""
    return tagged_hash("kemps/v1/nonce", salt, nonce)


def name_commitment(salt: bytes, name: str) -> Digest:
    """Binds a seat to its name, so that a log can be shown without names."""
    return tagged_hash("kemps/v1/name", salt, name.encode())


def match_id(raw: bytes) -> Digest:
    """The digest that is bound into every later signature."""
    return tagged_hash(GENESIS_LABEL, raw)


@dataclass(frozen=True)
class Founding:
    """A checked genesis with what follows from it. `keys`: by tape.

    `decide` is the table's poll. No genesis can say otherwise: only an experiment puts a policy in its place.
    """

    match: Digest
    genesis: Genesis
    rules: RuleSet
    group: Group
    keys: tuple[bytes, ...]
    decide: Decide = field(default=decide, compare=False)

    @cached_property
    def seats(self) -> int:
        """How many play."""
        return len(self.genesis.seats)

    @cached_property
    def signers(self) -> Signers:
        """Who signs each tape, before any seat is given to a new incarnation."""
        return tuple((Signer(0, key),) for key in self.keys)

    @cached_property
    def tapes(self) -> int:
        """How many tapes there are: one for each seat, and one for the observer."""
        return len(self.keys)

    @cached_property
    def observer(self) -> Seat | None:
        """The tape of the observer, which comes after those of the seats; None if there is no observer."""
        return Seat(self.seats) if self.tapes > self.seats else None

    @property
    def joint_random(self) -> Digest:
        """A value that nobody could choose: every nonce was committed before any was shown."""
        return tagged_hash("kemps/v1/joint", *(record.nonce for record in self.genesis.people))

    @property
    def drawn_dealer(self) -> Seat:
        """The first dealer where the rule set draws one."""
        return Seat(int.from_bytes(self.joint_random, "big") % self.seats)

    @cached_property
    def first_dealer(self) -> Seat:
        """Who deals first: drawn, seat 0, or the next seat with every match of the table."""
        return dealer_of_first_deal(self.rules, self.seats, self.genesis.matches, self.drawn_dealer)


def read_genesis(raw: bytes) -> Genesis:
    """Decode a genesis body, of a table with an observer or without. Raises `PeerFault` without a culprit."""
    return decode(raw, ObservedGenesis if raw.startswith(_OBSERVED_LEAD) else Genesis)


def found(raw: bytes) -> Founding:
    """Check a genesis body. Raises `PeerFault` BAD_GENESIS or BAD_KEY."""
    genesis = read_genesis(raw)
    if genesis.version != PROTOCOL_VERSION:
        raise PeerFault(Fault.BAD_GENESIS, f"protocol version {genesis.version} is not {PROTOCOL_VERSION}")
    try:
        rules = read_rules(genesis.rules)
    except RuleError as error:
        raise PeerFault(Fault.BAD_GENESIS, str(error)) from None
    if canonical_text(rules) != genesis.rules:
        # A text that leans on a rule book of this program would mean something else to a later one.
        raise PeerFault(Fault.BAD_GENESIS, "the rule set is not written out in full")
    try:
        group = group_named(genesis.group)
    except KeyError:
        raise PeerFault(Fault.BAD_GENESIS, "a group that this program does not know") from None
    if len(genesis.seats) not in rules.players:
        raise PeerFault(Fault.BAD_GENESIS, f"the rule set does not allow {len(genesis.seats)} players")
    for seat, record in enumerate(genesis.people):
        sizes = (
            len(record.key),
            len(record.name),
            len(record.coin),
            len(record.nonce),
            len(record.nonce_salt),
        )
        if sizes != (32,) * 5:
            raise PeerFault(Fault.BAD_GENESIS, f"a field of seat {seat} has the wrong length")
        check_key(record.key)
    keys = tuple(record.key for record in genesis.people)
    if len(set(keys)) != len(keys):
        raise PeerFault(Fault.BAD_GENESIS, "two seats share a key")
    if any(record.coin != NO_COIN for record in genesis.people[len(genesis.seats) :]):
        raise PeerFault(Fault.BAD_GENESIS, "an observer has no coins")
    if len(genesis.previous) != 32:
        raise PeerFault(Fault.BAD_GENESIS, "the previous head has the wrong length")
    if genesis.matches < 0 or (genesis.matches == 0) != (genesis.previous == NO_MATCH):
        raise PeerFault(Fault.BAD_GENESIS, "a first match follows none, a rematch the one before it")
    return Founding(match_id(raw), genesis, rules, group, keys)


def check_signatures(founding: Founding, signatures: tuple[bytes, ...]) -> None:
    """Raise `PeerFault` unless every seat, and the observer, has signed the genesis."""
    if len(signatures) != founding.tapes:
        raise PeerFault(Fault.BAD_GENESIS, "a signature under the genesis is missing")
    for key, signature in zip(founding.keys, signatures, strict=True):
        verify(key, GENESIS_LABEL, founding.match, signature)
