"""The tapes as one peer holds them, and the claims it holds.

Knows what claims ask for only through the functions it is given. Invariants:

1. An item counts only with its whole tape before it; two items at one number are evidence, not a choice.
2. A claim is held only with its author's tape up to it, every claim named there, and its head final here.
3. A tape counts for the poll, item by item, up to its first mention of a claim that is not held.

Section "Tape" of protocol.md.
"""

from collections import deque
from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass, field

from kemps_p2p.codec import Digest, encode
from kemps_p2p.errors import Fault, PeerFault
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.evidence import Equivocation, contradiction
from kemps_p2p.ledger.poll import Contender
from kemps_p2p.ledger.tape import Claim, Receipt, TapeItem

EARLY_ITEMS_MAX = 4096


@dataclass(slots=True)
class _Tape:
    items: list[TapeItem] = field(default_factory=list)
    held_at_ms: list[int] = field(default_factory=list)
    early: dict[int, TapeItem] = field(default_factory=dict)


class TapeBook:
    """Every tape, item by item, without gaps; items that came early wait for their predecessors."""

    def __init__(self, seats: int) -> None:
        self._tapes = [_Tape() for _ in range(seats)]
        self.by_digest: dict[Digest, TapeItem] = {}

    def lengths(self) -> tuple[int, ...]:
        """How many items of each tape are held without a gap."""
        return tuple(len(tape.items) for tape in self._tapes)

    def has_gap(self, seat: Seat) -> bool:
        """True if later items of this tape wait for a missing one."""
        return bool(self._tapes[seat].early)

    def is_known(self, seat: Seat, number: int, digest: Digest) -> bool:
        """True if this very item is already here."""
        tape = self._tapes[seat]
        if number < len(tape.items):
            return tape.items[number].digest == digest
        return number in tape.early and tape.early[number].digest == digest

    def add(self, item: TapeItem, now_ms: int) -> list[TapeItem]:
        """Take an item in; return those that now follow without a gap, in order.

        Raises `PeerFault` with the author as culprit: EQUIVOCATION (with evidence), BAD_LINK, BAD_STAMP.
        """
        tape = self._tapes[item.seat]
        number = item.item.number
        other = tape.items[number] if number < len(tape.items) else tape.early.get(number)
        if other is not None:
            why = contradiction(other, item)
            if why is None:
                return []
            evidence = encode(Equivocation(first=other.signed, second=item.signed))
            raise PeerFault(Fault.EQUIVOCATION, why, culprit=item.seat, evidence=evidence)
        if len(tape.early) >= EARLY_ITEMS_MAX:
            return []
        tape.early[number] = item
        released: list[TapeItem] = []
        while (following := tape.early.pop(len(tape.items), None)) is not None:
            if tape.items:
                self._check_follows(tape.items[-1], following)
            tape.items.append(following)
            tape.held_at_ms.append(now_ms)
            self.by_digest[following.digest] = following
            released.append(following)
        return released

    @staticmethod
    def _check_follows(last: TapeItem, item: TapeItem) -> None:
        if item.item.prev != last.digest:
            raise PeerFault(Fault.BAD_LINK, "an item does not link to its predecessor", culprit=item.seat)
        if item.item.lamport <= last.item.lamport:
            raise PeerFault(Fault.BAD_STAMP, "a stamp does not grow along its tape", culprit=item.seat)

    def since(self, lengths: tuple[int, ...], before_ms: int, limit_bytes: int) -> Iterator[TapeItem]:
        """Items beyond the given lengths that are held since before `before_ms`, as far as they fit."""
        for tape, start in zip(self._tapes, lengths, strict=True):
            for item, held_at_ms in zip(tape.items[start:], tape.held_at_ms[start:], strict=True):
                limit_bytes -= len(item.signed.raw)
                if limit_bytes < 0 or held_at_ms > before_ms:
                    break
                yield item


@dataclass(slots=True)
class HeldClaim:
    """A held claim. `kind` and `is_refused` are what the rules say at the head it cites."""

    item: TapeItem
    claim: Claim
    kind: object
    is_refused: bool
    rivals: set[Digest] = field(default_factory=set)

    @property
    def id(self) -> Digest:
        """The digest of the item that makes the claim."""
        return self.item.digest

    @property
    def seat(self) -> Seat:
        """The claimant."""
        return self.item.seat


def mentioned(item: TapeItem) -> list[Digest]:
    """The claims that an item makes or receipts, in order."""
    return [
        item.digest if isinstance(statement, Claim) else statement.claim
        for statement in item.item.body
        if isinstance(statement, Claim | Receipt)
    ]


class ClaimBook:
    """Held, undecided claims, and where each tape mentions them.

    `hold(item, claim)` returns the held claim, or None while its head is not final here; it may raise
    `PeerFault` for a claim that cites another chain. `conflicts(a, b)` says whether two do not commute.
    """

    def __init__(
        self,
        seats: int,
        hold: Callable[[TapeItem, Claim], HeldClaim | None],
        conflicts: Callable[[HeldClaim, HeldClaim], bool],
    ) -> None:
        self._hold = hold
        self._conflicts = conflicts
        self._queues: list[deque[TapeItem]] = [deque() for _ in range(seats)]
        self._places: list[dict[Digest, int]] = [{} for _ in range(seats)]
        self._mentions: dict[Digest, dict[Seat, TapeItem]] = {}
        self._known: set[Digest] = set()
        self._count = 0
        self.undecided: dict[Digest, HeldClaim] = {}
        self.contested: set[Digest] = set()

    def mention(self, item: TapeItem) -> None:
        """Queue an item with mentions that follows its tape without a gap."""
        self._queues[item.seat].append(item)

    def advance(self) -> list[HeldClaim]:
        """Hold what can be held now and count the tapes as far as they count; return the newly held."""
        held: list[HeldClaim] = []
        moved = True
        while moved:
            moved = False
            for queue in self._queues:
                while queue and self._count_item(queue[0], held):
                    queue.popleft()
                    moved = True
        return held

    def _count_item(self, item: TapeItem, held: list[HeldClaim]) -> bool:
        """Count every mention of an item, or none: evidence carries whole items."""
        names: set[Digest] = set()
        own: Claim | None = None
        for statement in item.item.body:
            match statement:
                case Claim(rivals=rivals):
                    own = statement
                case Receipt(claim=claim, rivals=rivals):
                    names.add(claim)
                case _:
                    continue
            names.update(rivals)
        if not names <= self._known:
            return False
        if own is not None and item.digest not in self._known:
            new = self._hold(item, own)
            if new is None:
                return False
            self._admit(new)
            held.append(new)
        for claim in mentioned(item):
            if claim in self.undecided:
                self._count += 1
                self._places[item.seat].setdefault(claim, self._count)
                self._mentions[claim].setdefault(item.seat, item)
        return True

    def _admit(self, new: HeldClaim) -> None:
        self._known.add(new.id)
        if not new.is_refused:
            for other in self.undecided.values():
                if not other.is_refused and self._conflicts(new, other):
                    new.rivals.add(other.id)
                    other.rivals.add(new.id)
        self.undecided[new.id] = new
        self._mentions[new.id] = {}

    def rivals_on(self, seat: Seat, claim: Digest, also: Set[Digest]) -> tuple[Digest, ...]:
        """The undecided claims that conflict with `claim` and are already on this tape, or in `also`."""
        held = self.undecided.get(claim)
        if held is None:
            return ()
        return tuple(sorted(rival for rival in held.rivals if rival in self._places[seat] or rival in also))

    def rivals_of(self, seat: Seat, conflicts: Callable[[HeldClaim], bool]) -> tuple[Digest, ...]:
        """The undecided claims on this tape that a claim not made yet would conflict with."""
        return tuple(
            sorted(
                held.id
                for held in self.undecided.values()
                if not held.is_refused and held.id in self._places[seat] and conflicts(held)
            )
        )

    def contenders(self, logged: Set[Digest]) -> list[Contender]:
        """The undecided claims as `decide` takes them, without those logged meanwhile or in a contest."""
        return [
            Contender(held.id, held.seat, frozenset(held.rivals))
            for held in self.undecided.values()
            if held.id not in logged and held.id not in self.contested
        ]

    def is_blocked(self, claim: Digest) -> bool:
        """True if the claim conflicts with one in a named contest: it waits for the draw."""
        return not self.undecided[claim].rivals.isdisjoint(self.contested)

    def is_behind(self, claim: Digest, logged: Set[Digest]) -> bool:
        """True if an earlier claim of its seat and kind is undecided: those are logged in their order."""
        held = self.undecided[claim]
        return self.earlier_of_kind(held.seat, held.kind, held.item.item.number, logged)

    def earlier_of_kind(
        self, seat: Seat, kind: object, number: int, logged: Set[Digest] = frozenset()
    ) -> bool:
        """True if an earlier claim of this seat and kind is undecided and not among those logged meanwhile."""
        return any(
            held.seat == seat
            and held.kind is kind
            and held.item.item.number < number
            and held.id not in logged
            for held in self.undecided.values()
        )

    def places(self) -> dict[Seat, dict[Digest, int]]:
        """What each tape shows, as `decide` takes it."""
        return {Seat(seat): places for seat, places in enumerate(self._places)}

    def mentions(self, claim: Digest) -> dict[Seat, TapeItem]:
        """The item of each tape that mentions the claim, the author's own included."""
        return self._mentions[claim]

    def is_on(self, seat: Seat, claim: Digest) -> bool:
        """True if this tape mentions the claim already."""
        return claim in self._places[seat]

    def settle(self, claim: Digest) -> None:
        """The claim is logged: it is no rival any more."""
        held = self.undecided.pop(claim, None)
        self._known.add(claim)
        if held is None:
            return
        for rival in held.rivals:
            if rival in self.undecided:
                self.undecided[rival].rivals.discard(claim)
        for places in self._places:
            places.pop(claim, None)
        del self._mentions[claim]
        self.contested.discard(claim)
