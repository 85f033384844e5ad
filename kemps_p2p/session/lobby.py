"""The lobby as a machine: commit, reveal, seal, until all have signed one genesis.

Knows no clock but the one it is given, and resends until everybody is done, since messages get lost.
Invariants:

1. No nonce is shown before every seat has committed to its own, so that nobody can choose the joint value.
2. Nobody signs a genesis before every opening has been checked.

Section "Lobby" of protocol.md.
"""

from dataclasses import dataclass

from msgspec import structs

from kemps_p2p.codec import Digest, derive, encode, tagged_hash
from kemps_p2p.errors import Fault, PeerFault
from kemps_p2p.game.rules import RuleError, RuleSet, canonical_text, first_difference, read_rules
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.coins import coin_chain
from kemps_p2p.ledger.identity import Identity, verify
from kemps_p2p.session.genesis import (
    GENESIS_LABEL,
    NO_COIN,
    NO_MATCH,
    Founding,
    Genesis,
    ObservedGenesis,
    SeatRecord,
    SignedGenesis,
    found,
    name_commitment,
    nonce_commitment,
)
from kemps_p2p.session.messages import (
    NAME_CHARACTERS_MAX,
    PROTOCOL_VERSION,
    LobbyBody,
    LobbyWords,
    Reveal,
    Seal,
    Sit,
    pack,
    read_lobby,
)

LOBBY_LABEL = "kemps/v1/lobby"
RESEND_MS = 200


@dataclass(frozen=True, slots=True)
class Setup:
    """What a peer brings to the table. `roster`: identity keys by seat. `meeting`: 32 bytes that all peers
    derive from how they met, fresh for each meeting, so that no word of another lobby counts. `secret`: 32
    bytes, drawn for this match alone and on disk before anything is sent; later secrets are derived from it.
    `observer`: the identity key of a witness without a seat; its own `seat` is the one after the last.
    `previous`, `matches`: of a rematch, the closing head of the match before and how many there were.
    `has_sat`: an earlier run has sat here with the same secret, and may have begun the match.
    """

    identity: Identity
    seat: Seat
    roster: tuple[bytes, ...]
    meeting: bytes
    name: str
    rules: RuleSet
    group: str
    secret: bytes
    previous: Digest = NO_MATCH
    matches: int = 0
    observer: bytes | None = None
    has_sat: bool = False

    @property
    def keys(self) -> tuple[bytes, ...]:
        """Identity keys by tape: of the seats, and of the observer."""
        return self.roster if self.observer is None else (*self.roster, self.observer)


def check_name(name: str) -> None:
    """Raise `PeerFault` MALFORMED for a name that is empty, too long or not plainly printable."""
    if not 0 < len(name) <= NAME_CHARACTERS_MAX or not name.isprintable() or name != name.strip():
        raise PeerFault(Fault.MALFORMED, f"a name has 1 to {NAME_CHARACTERS_MAX} printable characters")


class Lobby:
    """One seat's lobby: its verbs return messages to send to all; `signed` is set when all is done."""

    def __init__(self, setup: Setup) -> None:
        check_name(setup.name)
        self._setup = setup
        self._peers = len(setup.keys)
        self._rules = canonical_text(setup.rules)
        before = setup.previous, setup.matches.to_bytes(8, "big")
        self._table = tagged_hash("kemps/v1/table", setup.group.encode(), setup.meeting, *before, *setup.keys)
        self._nonce, self._nonce_salt, self._name_salt = (
            derive("kemps/v1/lobby-secret", setup.secret, what)[:32] for what in (b"nonce", b"salt", b"name")
        )
        self.coins = coin_chain(setup.secret)
        self._sits: dict[Seat, Sit] = {}
        self._reveals: dict[Seat, Reveal] = {}
        self._seals: dict[Seat, bytes] = {}
        self._early: list[tuple[Seat, LobbyBody]] = []
        self._said: list[bytes] = []
        self._resend_at_ms = 0
        self.founding: Founding | None = None
        self.signed: SignedGenesis | None = None
        self._raw = b""

    @classmethod
    def ended(cls, setup: Setup, signed: SignedGenesis, names: tuple[tuple[str, bytes], ...]) -> "Lobby":
        """The lobby of a match that has begun, as its genesis shows it; `names`: with their salts, by tape.

        Who has not heard the last word of it still gets it.
        """
        lobby = cls(setup)
        lobby.founding, lobby.signed, lobby._raw = found(signed.raw), signed, signed.raw
        for index, record in enumerate(lobby.founding.genesis.people):
            seat, (name, salt) = Seat(index), names[index]
            commit = nonce_commitment(record.nonce_salt, record.nonce)
            lobby._sits[seat] = Sit(rules=lobby._rules, coin=record.coin, nonce=commit, name=record.name)
            lobby._reveals[seat] = Reveal(
                nonce=record.nonce, nonce_salt=record.nonce_salt, name=name, name_salt=salt
            )
            lobby._seals[seat] = signed.signatures[index]
        own = setup.seat
        said = lobby._sits[own], lobby._reveals[own], Seal(signature=lobby._seals[own])
        lobby._said = [lobby._message(body) for body in said]
        return lobby

    def is_at(self, table: bytes) -> bool:
        """True if words of this table are for this lobby."""
        return table == self._table

    def has_led_to(self, founding: Founding) -> bool:
        """True if the own words of this lobby are in a genesis: nobody else knows the nonce before."""
        people = founding.genesis.people
        return self._setup.seat < len(people) and people[self._setup.seat].nonce == self._nonce

    @property
    def names(self) -> tuple[str, ...]:
        """Names by tape, once revealed."""
        return tuple(self._reveals[Seat(seat)].name for seat in range(self._peers))

    @property
    def name_openings(self) -> tuple[tuple[str, bytes], ...]:
        """Name and salt by tape, for the annex."""
        return tuple(
            (self._reveals[Seat(seat)].name, self._reveals[Seat(seat)].name_salt)
            for seat in range(self._peers)
        )

    def start(self) -> list[bytes]:
        """Sit down: the first message."""
        commit = nonce_commitment(self._nonce_salt, self._nonce)
        name = name_commitment(self._name_salt, self._setup.name)
        coin = NO_COIN if self._is_observer(self._setup.seat) else self.coins[0]
        return self._say(Sit(rules=self._rules, coin=coin, nonce=commit, name=name))

    def _is_observer(self, seat: Seat) -> bool:
        return seat >= len(self._setup.roster)

    def missing(self) -> frozenset[Seat]:
        """The seats that are waited for."""
        for said in (self._sits.keys(), self._reveals.keys(), self._seals.keys()):
            if len(said) < self._peers:
                return frozenset(map(Seat, range(self._peers))) - said
        return frozenset()

    def receive(self, words: LobbyWords, now_ms: int) -> list[bytes]:
        """Take in what a seat says. Raises `PeerFault`; the culprit is set once the signature verified."""
        if not self.is_at(words.table):
            raise PeerFault(Fault.BAD_GENESIS, "the other side sits at another table")
        if not 0 <= words.seat < self._peers:
            raise PeerFault(Fault.WRONG_SEAT, "a lobby message of a seat that is not at the table")
        seat = Seat(words.seat)
        verify(self._setup.keys[seat], LOBBY_LABEL, words.table + words.raw, words.signature)
        try:
            out = self._hear(seat, read_lobby(words.raw))
        except PeerFault as fault:
            raise PeerFault(fault.code, fault.text, culprit=seat) from None
        if self.signed is not None and now_ms >= self._resend_at_ms:
            # Somebody still speaks, so it may lack something that this seat has said.
            out += self.tick(now_ms)
        return out

    def tick(self, now_ms: int) -> list[bytes]:
        """Everything said so far, again, if it is time; the machine is idle in between."""
        if now_ms < self._resend_at_ms:
            return []
        self._resend_at_ms = now_ms + RESEND_MS
        return list(self._said)

    @property
    def wake_at_ms(self) -> int:
        """When `tick` has something to do."""
        return self._resend_at_ms

    def _message(self, body: LobbyBody) -> bytes:
        raw = encode(body)
        signature = self._setup.identity.sign(LOBBY_LABEL, self._table + raw)
        return pack(LobbyWords(seat=self._setup.seat, table=self._table, raw=raw, signature=signature))

    def _say(self, body: LobbyBody) -> list[bytes]:
        message = self._message(body)
        self._said.append(message)
        return [message, *self._hear(self._setup.seat, body)]

    def _hear(self, seat: Seat, body: LobbyBody) -> list[bytes]:
        match body:
            case Sit():
                return self._hear_sit(seat, body)
            case Reveal():
                return self._hear_reveal(seat, body)
            case Seal(signature=signature):
                if self.founding is None:
                    return self._keep(seat, body)
                self._hear_seal(seat, signature, self.founding)
                return []

    def _hear_sit(self, seat: Seat, sit: Sit) -> list[bytes]:
        known = self._sits.get(seat)
        if known is not None:
            if known != sit:
                raise PeerFault(Fault.EQUIVOCATION, "a seat sits down twice with different commitments")
            return []
        if {len(sit.coin), len(sit.nonce), len(sit.name)} != {32}:
            raise PeerFault(Fault.MALFORMED, "a commitment has 32 bytes")
        if self._is_observer(seat) and sit.coin != NO_COIN:
            raise PeerFault(Fault.MALFORMED, "an observer has no coins")
        if sit.rules != self._rules:
            try:
                key = first_difference(self._setup.rules, read_rules(sit.rules))
            except RuleError as error:
                raise PeerFault(Fault.BAD_GENESIS, f"a rule set that cannot be read: {error}") from None
            raise PeerFault(Fault.OTHER_RULES, f"the key {key} differs")
        self._sits[seat] = sit
        if len(self._sits) < self._peers:
            return []
        mine = Reveal(
            nonce=self._nonce, nonce_salt=self._nonce_salt, name=self._setup.name, name_salt=self._name_salt
        )
        return self._say(mine) + self._hear_early()

    def _hear_early(self) -> list[bytes]:
        """Hear what came before its stage: a faster seat may reveal before the last one sits down here."""
        early, self._early = self._early, []
        return [message for seat, body in early for message in self._hear(seat, body)]

    def _hear_reveal(self, seat: Seat, reveal: Reveal) -> list[bytes]:
        if len(self._sits) < self._peers:
            return self._keep(seat, reveal)
        if seat in self._reveals:
            return []
        sit = self._sits[seat]
        check_name(reveal.name)
        if {len(reveal.nonce), len(reveal.nonce_salt), len(reveal.name_salt)} != {32}:
            raise PeerFault(Fault.MALFORMED, "a nonce and a salt have 32 bytes")
        if nonce_commitment(reveal.nonce_salt, reveal.nonce) != sit.nonce:
            raise PeerFault(Fault.BAD_COMMITMENT, "a nonce does not fit its commitment")
        if name_commitment(reveal.name_salt, reveal.name) != sit.name:
            raise PeerFault(Fault.BAD_COMMITMENT, "a name does not fit its commitment")
        self._reveals[seat] = reveal
        if len(self._reveals) < self._peers:
            return []
        self._raw = encode(self._genesis())
        self.founding = found(self._raw)
        mine = Seal(signature=self._setup.identity.sign(GENESIS_LABEL, self.founding.match))
        return self._say(mine) + self._hear_early()

    def _genesis(self) -> Genesis:
        records = [
            SeatRecord(
                key=key,
                name=self._sits[Seat(seat)].name,
                coin=self._sits[Seat(seat)].coin,
                nonce=self._reveals[Seat(seat)].nonce,
                nonce_salt=self._reveals[Seat(seat)].nonce_salt,
            )
            for seat, key in enumerate(self._setup.keys)
        ]
        genesis = Genesis(
            version=PROTOCOL_VERSION,
            group=self._setup.group,
            rules=self._rules,
            seats=tuple(records[: len(self._setup.roster)]),
            previous=self._setup.previous,
            matches=self._setup.matches,
        )
        if self._setup.observer is None:
            return genesis
        return ObservedGenesis(**structs.asdict(genesis), observer=records[-1])

    def _hear_seal(self, seat: Seat, signature: bytes, founding: Founding) -> None:
        verify(self._setup.keys[seat], GENESIS_LABEL, founding.match, signature)
        self._seals[seat] = signature
        if len(self._seals) == self._peers:
            signatures = tuple(self._seals[Seat(seat)] for seat in range(self._peers))
            self.signed = SignedGenesis(raw=self._raw, signatures=signatures)

    def _keep(self, seat: Seat, body: LobbyBody) -> list[bytes]:
        if all((seat, type(body)) != (other, type(kept)) for other, kept in self._early):
            self._early.append((seat, body))
        return []
