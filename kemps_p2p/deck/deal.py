"""The machine of one deal: keys, turns, shares, openings.

A `Deck` is a value: `make_*` computes a seat's own message, `check_*` verifies the proof of a message, and
`add_*` folds a message into a new deck. It knows positions and card indices, not suits, rules, or who may see
what; which shares are owed, and that a turn was verified before a share is sent, is the caller's to hold.
Invariants:

1. `add_*` is cheap, and but for keys it verifies no proof; `check_*` changes nothing: a caller may verify
   elsewhere, before or after it folds. Both refuse what is malformed before any heavy work.
2. Seats take turns in the order of their numbers, each once a round, on the list that the one before left:
   `Turn.input` is the digest of that list with the joint key and the whole context.
3. What a seat makes is a function of its seed and what it meets: made again, it is the same bytes; made on
   anything else, every secret in it is another one.
4. Whatever a peer sends, only `PeerFault` escapes; `ValueError` is a mistake of the caller.

Section "Blind deck" of protocol.md.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise

from kemps_p2p.codec import Digest
from kemps_p2p.deck.context import SEED_BYTES, Secrets, Stage, Table, check_seat
from kemps_p2p.deck.group import IDENTITY, Group, Point, card_point, check_length, check_points
from kemps_p2p.deck.shares import (
    DIGEST_BYTES,
    DealKey,
    Shares,
    ShareStatement,
    check_key,
    check_parts,
    commitment,
    make_key,
    prove_shares,
    secret_key,
    verify_shares,
)
from kemps_p2p.deck.shuffle import (
    Blinded,
    Statement,
    check_proof_lengths,
    prove,
    reblind,
    reblinding,
    verify,
)
from kemps_p2p.deck.state import (
    Deck,
    Seed,
    Turn,
    index_of,
    input_digest,
    is_shuffled,
    joint_key_of,
    list_before,
    new_deck,
    next_round,
)
from kemps_p2p.errors import Fault, Missing, PeerFault
from kemps_p2p.ids import Position, Seat

__all__ = [
    "DealKey",
    "Deck",
    "Seed",
    "Shares",
    "Table",
    "Turn",
    "add_key",
    "add_shares",
    "add_turn",
    "check_key",
    "check_seed",
    "check_shares",
    "check_turn",
    "commitment",
    "face",
    "is_shuffled",
    "list_digest",
    "make_key",
    "make_shares",
    "make_turn",
    "missing",
    "new_deck",
    "next_round",
    "next_turn",
    "open_all",
    "own_face",
]


# Keys


def add_key(deck: Deck, seat: Seat, key: DealKey) -> Deck:
    """Fold a seat's key, once, with its proof verified: that costs little, and blame for a copy hangs on it.

    Raises `PeerFault`: all that `check_key` raises; BAD_KEY for a second key, or one that equals, opposes, or
    cancels those already in (proven keys do so only if their seats conspire). A commitment may be another
    seat's too: it names its seat, so who copied cannot open it, and `check_seed` says so.
    """
    table, group = deck.table, deck.table.group
    check_key(table, seat, key)
    point = Point(key.key)
    if deck.keys[seat] is not None:
        raise PeerFault(Fault.BAD_KEY, "a second key", culprit=seat)
    others = [other for other in deck.keys if other is not None]
    opposite = group.sub(IDENTITY, point)
    if any(other.key in (point, opposite) for other in others):
        raise PeerFault(Fault.BAD_KEY, "another seat's key, or its opposite", culprit=seat)
    joint_key = group.add(group.total(Point(other.key) for other in others), point)
    if joint_key == IDENTITY:
        raise PeerFault(Fault.BAD_KEY, "the keys cancel", culprit=seat)
    keys = (*deck.keys[:seat], key, *deck.keys[seat + 1 :])
    return replace(deck, keys=keys, joint_key=joint_key if len(others) + 1 == table.seats else None)


# Turns


def next_turn(deck: Deck) -> Seat | None:
    """Return the seat whose turn it is; None before all keys are in, and after the last turn."""
    if deck.joint_key is None or is_shuffled(deck):
        return None
    return Seat(len(deck.turns))


def list_digest(deck: Deck) -> Digest:
    """Identify the current list with its context; a turn on it names this digest. All keys must be in."""
    seat = Seat(len(deck.turns))
    return input_digest(deck, seat, list_before(deck, seat))


def _turn(deck: Deck, seat: Seat, seed: bytes) -> Turn:
    """Compute the turn of a seat on the list before it."""
    group = deck.table.group
    inputs = list_before(deck, seat)
    digest = input_digest(deck, seat, inputs)
    secret = reblinding(Secrets(seed, digest), len(deck.cards))
    key = joint_key_of(deck)
    outputs = reblind(group, key, inputs, secret)
    statement = Statement(deck.context(seat, Stage.TURN), key, inputs, outputs)
    return Turn(input=digest, a=outputs.a, c=outputs.c, proof=prove(statement, secret, seed))


def make_turn(deck: Deck, seat: Seat, seed: bytes) -> Turn:
    """Compute the turn of the seat whose turn it is. Heavy. Once written it is resent, never made anew."""
    if next_turn(deck) != seat:
        raise ValueError("not the turn of this seat")
    return _turn(deck, seat, seed)


def _check_turn_lengths(deck: Deck, seat: Seat, turn: object) -> None:
    """Refuse a turn of another shape before anything in it is looked at."""
    if not isinstance(turn, Turn):
        raise PeerFault(Fault.MALFORMED, "not a turn", culprit=seat)
    named: object = turn.input
    if not isinstance(named, bytes) or len(named) != DIGEST_BYTES:
        raise PeerFault(Fault.MALFORMED, "a digest has 32 bytes", culprit=seat)
    count = len(deck.cards)
    check_length(turn.a, count, "a", seat)
    check_length(turn.c, count, "c", seat)
    check_proof_lengths(turn.proof, count, seat)


def _inputs(deck: Deck, seat: Seat, turn: Turn) -> Blinded:
    """Return the list on which a seat must have taken its turn, if that is the one it names."""
    inputs = list_before(deck, seat)
    if turn.input != input_digest(deck, seat, inputs):
        raise PeerFault(Fault.BAD_TURN, "on another list", culprit=seat)
    return inputs


def _outputs(deck: Deck, seat: Seat, turn: Turn) -> Blinded:
    """Return the list that a turn leaves, once every point in it is checked."""
    group, count = deck.table.group, len(deck.cards)
    a = check_points(group, turn.a, count, "a", seat)
    return Blinded(a, check_points(group, turn.c, count, "c", seat))


def check_turn(deck: Deck, seat: Seat, turn: Turn) -> None:
    """Verify a seat's turn against the list that the seat before it left. Heavy.

    The deck may already hold this turn and later ones. Raises `PeerFault` MALFORMED, BAD_POINT, BAD_SCALAR,
    BAD_TURN (another list, or not yet its turn) or BAD_SHUFFLE_PROOF, all the seat's own fault.
    """
    check_seat(deck.table, seat)
    if deck.joint_key is None or len(deck.turns) < seat:
        raise PeerFault(Fault.BAD_TURN, "out of turn", culprit=seat)
    _check_turn_lengths(deck, seat, turn)
    inputs = _inputs(deck, seat, turn)
    outputs = _outputs(deck, seat, turn)
    verify(Statement(deck.context(seat, Stage.TURN), deck.joint_key, inputs, outputs), turn.proof)


def add_turn(deck: Deck, seat: Seat, turn: Turn) -> Deck:
    """Fold the turn of the seat whose turn it is.

    Raises `PeerFault` MALFORMED, BAD_POINT, or BAD_TURN (out of turn, taken twice, on another list).
    """
    check_seat(deck.table, seat)
    if next_turn(deck) != seat:
        raise PeerFault(Fault.BAD_TURN, "out of turn", culprit=seat)
    _check_turn_lengths(deck, seat, turn)
    _inputs(deck, seat, turn)
    _outputs(deck, seat, turn)
    return replace(deck, turns=(*deck.turns, turn))


# Shares


def _share_statement(
    deck: Deck, seat: Seat, positions: tuple[Position, ...], parts: tuple[Point, ...]
) -> ShareStatement:
    key = _present(deck.keys[seat])
    last = list_before(deck, Seat(deck.table.seats))
    masks = tuple(last.a[index_of(deck, position)] for position in positions)
    return ShareStatement(deck.context(seat, Stage.SHARES), Point(key.key), positions, masks, parts)


def make_shares(deck: Deck, seat: Seat, seed: bytes, positions: Sequence[Position]) -> Shares:
    """Compute a seat's shares of some positions, in ascending order.

    Nothing but the last list has shares: those of an earlier one would let others read cards early.
    """
    wanted = tuple(sorted(set(positions)))
    if not is_shuffled(deck) or not wanted:
        raise ValueError("shares are for positions of a shuffled deck")
    group = deck.table.group
    masks = _share_statement(deck, seat, wanted, ()).masks
    secret = secret_key(deck.table, seat, seed)
    parts = tuple(group.mul(secret, mask) for mask in masks)
    proof = prove_shares(_share_statement(deck, seat, wanted, parts), secret, seed)
    return Shares(positions=wanted, parts=parts, proof=proof)


def _shares_form(deck: Deck, seat: Seat, shares: object) -> tuple[tuple[Position, ...], tuple[Point, ...]]:
    """Return positions and points of shares whose form is right, lengths first."""
    check_seat(deck.table, seat)
    if not isinstance(shares, Shares):
        raise PeerFault(Fault.MALFORMED, "not shares", culprit=seat)
    if not is_shuffled(deck):
        raise PeerFault(Fault.NOT_OWED, "the deck is not shuffled", culprit=seat)
    named: object = shares.positions
    if not isinstance(named, tuple) or not 0 < len(named) <= len(deck.cards):
        raise PeerFault(Fault.MALFORMED, "positions: none, or more than there are", culprit=seat)
    if any(type(position) is not int for position in named):
        raise PeerFault(Fault.MALFORMED, "a position is a number", culprit=seat)
    if any(position not in deck.positions for position in named):
        raise PeerFault(Fault.NOT_OWED, "a position of another round", culprit=seat)
    if any(left >= right for left, right in pairwise(named)):
        raise PeerFault(Fault.MALFORMED, "positions do not ascend", culprit=seat)
    return tuple(map(Position, named)), check_parts(deck.table.group, shares, seat)


def check_shares(deck: Deck, seat: Seat, shares: Shares) -> None:
    """Verify that shares are of this seat's key and these positions.

    Raises `PeerFault` MALFORMED, BAD_POINT, BAD_SCALAR, NOT_OWED (deck not shuffled, or no such position) or
    BAD_SHARE_PROOF, all the seat's own fault.
    """
    positions, parts = _shares_form(deck, seat, shares)
    verify_shares(_share_statement(deck, seat, positions, parts), shares.proof)


def add_shares(deck: Deck, seat: Seat, shares: Shares) -> Deck:
    """Fold a seat's shares.

    Raises `PeerFault` MALFORMED, BAD_POINT or NOT_OWED (deck not shuffled, no such position, or a second
    share).
    """
    positions, parts = _shares_form(deck, seat, shares)
    book = list(deck.shares)
    for position, part in zip(positions, parts, strict=True):
        index = index_of(deck, position)
        row = book[index]
        if row[seat] is not None:
            raise PeerFault(Fault.NOT_OWED, f"a second share of position {position}", culprit=seat)
        book[index] = (*row[:seat], part, *row[seat + 1 :])
    return replace(deck, shares=tuple(book))


def missing(deck: Deck, position: Position) -> frozenset[Seat]:
    """Return the seats whose share of a position is not in."""
    row = deck.shares[index_of(deck, position)]
    return frozenset(Seat(seat) for seat, part in enumerate(row) if part is None)


def owed_of(deck: Deck, seat: Seat, wanted: Iterable[Position]) -> list[Position]:
    """Which of the wanted positions are of this round and lack the share of one seat; ascending."""
    first, count, shares = deck.first, len(deck.cards), deck.shares
    inside = (position for position in wanted if 0 <= position - first < count)
    return sorted(position for position in inside if shares[position - first][seat] is None)


# Openings


@lru_cache(maxsize=64)
def _faces(group: Group, cards: tuple[int, ...]) -> dict[Point, int]:
    return {card_point(group, card): card for card in cards}


def _card(deck: Deck, position: Position, shares: Point, fault: Fault) -> int:
    """Take the sum of all shares off a position and name the card."""
    group = deck.table.group
    blinded = list_before(deck, Seat(deck.table.seats)).c[index_of(deck, position)]
    card = _faces(group, deck.cards).get(group.sub(blinded, shares))
    if card is None:
        raise PeerFault(fault, f"position {position} holds no card of this deck")
    return card


def face(deck: Deck, position: Position) -> int | None:
    """Return the card index at a position; None while a share is not in.

    Raises `PeerFault` BAD_SHARE_PROOF, without a culprit, if no card comes out: then a turn or a share was
    folded that would not have verified.
    """
    parts = [part for part in deck.shares[index_of(deck, position)] if part is not None]
    if len(parts) < deck.table.seats:
        return None
    return _card(deck, position, deck.table.group.total(parts), Fault.BAD_SHARE_PROOF)


def own_face(deck: Deck, position: Position, seat: Seat, seed: bytes) -> int | None:
    """Return what the owner of a card sees: all other shares from the book, its own computed in private."""
    row = deck.shares[index_of(deck, position)]
    others = [part for other, part in enumerate(row) if part is not None and other != seat]
    if len(others) < len(row) - 1:
        return None
    group = deck.table.group
    mask = list_before(deck, Seat(deck.table.seats)).a[index_of(deck, position)]
    own = group.mul(secret_key(deck.table, seat, seed), mask)
    return _card(deck, position, group.total((*others, own)), Fault.BAD_SHARE_PROOF)


def check_seed(decks: Sequence[Deck], seat: Seat, seed: bytes) -> None:
    """Verify an opened seed against all rounds of its deal: commitment, key and turns, byte for byte. Heavy.

    Raises `PeerFault` MALFORMED or BAD_SEED, the seat's own fault.
    """
    opened: object = seed
    if not isinstance(opened, bytes) or len(opened) != SEED_BYTES:
        raise PeerFault(Fault.MALFORMED, "a deal seed has 32 bytes", culprit=seat)
    for deck in decks:
        check_seat(deck.table, seat)
        if deck.keys[seat] != make_key(deck.table, seat, seed):
            raise PeerFault(Fault.BAD_SEED, "not the seed of this key", culprit=seat)
        if len(deck.turns) > seat and deck.turns[seat] != _turn(deck, seat, seed):
            raise PeerFault(Fault.BAD_SEED, f"not the seed of the turn in round {deck.round}", culprit=seat)


def open_all(deck: Deck, seeds: Mapping[Seat, bytes]) -> tuple[int, ...]:
    """Return the card index of every position, in order, from the seeds of all seats.

    Raises `Missing` while a turn or a seed is not in, and `PeerFault` BAD_SEED with the seat whose seed is
    not of its key, or BAD_TURN, without a culprit, if no card comes out: then a turn was folded unverified.
    """
    group = deck.table.group
    if not is_shuffled(deck):
        raise Missing("a deck that is not shuffled has no faces")
    joint_secret = 0
    for seat, key in enumerate(map(_present, deck.keys)):
        seed = seeds.get(Seat(seat))
        if seed is None:
            raise Missing(f"the seed of seat {seat}")
        secret = secret_key(deck.table, Seat(seat), seed)
        if group.base_mul(secret) != key.key:
            raise PeerFault(Fault.BAD_SEED, "not the seed of this key", culprit=seat)
        joint_secret += secret
    masks = list_before(deck, Seat(deck.table.seats)).a
    return tuple(
        _card(deck, Position(position), group.mul(joint_secret, mask), Fault.BAD_TURN)
        for position, mask in zip(deck.positions, masks, strict=True)
    )


def _present(key: DealKey | None) -> DealKey:
    if key is None:
        raise ValueError("a shuffled deck has all keys")
    return key
