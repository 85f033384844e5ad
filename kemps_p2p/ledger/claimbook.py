"""The claims as one peer holds them, and how far the tapes count for the table's poll.

Knows what claims ask for only through the functions it is given. Invariants:

1. A claim is held only with its author's tape up to it, every claim named there, and its head final here.
2. A tape counts for the poll, item by item, up to its first mention of a claim that is not held.

Section "Tape" of protocol.md.
"""

from collections.abc import Callable, Collection, Iterable, Sequence, Set
from dataclasses import dataclass, field
from enum import Enum, auto

from kemps_p2p.codec import Digest
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.poll import Contender, Cut, Decide, DecidedSet, closed_at, decide
from kemps_p2p.ledger.tape import NO_DIGEST, Claim, Receipt, TapeItem, first_place, shown


class Hold(Enum):
    """Why a claim is not held: not yet, or never, since no honest seat can have made it."""

    LATER = auto()
    NEVER = auto()


@dataclass(slots=True)
class HeldClaim:
    """A held claim. `kind` and `is_refused` are what the rules say at the head it cites."""

    item: TapeItem
    claim: Claim
    kind: object
    is_refused: bool
    rivals: set[Digest] = field(default_factory=set)
    id: Digest = field(init=False)
    """The digest of the item that makes the claim."""
    seat: Seat = field(init=False)
    """The claimant."""

    def __post_init__(self) -> None:
        self.id, self.seat = self.item.digest, self.item.seat


class ClaimBook:
    """Held, undecided claims, and where each tape mentions them.

    `hold(item, claim)` returns the held claim, or why it is not held. `conflicts(a, b)` says whether two do
    not commute. `decide` orders those that do not. `tapes`: of the seats, and one more where there is an
    observer; `observer()` is that tape for as long as it is asked.
    """

    def __init__(
        self,
        seats: int,
        hold: Callable[[TapeItem, Claim], HeldClaim | Hold],
        conflicts: Callable[[HeldClaim, HeldClaim], bool],
        decide: Decide = decide,
        *,
        tapes: int | None = None,
        observer: Callable[[], Seat | None] = lambda: None,
    ) -> None:
        tapes = seats if tapes is None else tapes
        self._seats = seats
        self._observer = observer
        self._decide = decide
        self._hold = hold
        self._conflicts = conflicts
        self._tapes = tapes
        self._silent: set[Digest] = set()
        self.held_count = 0
        """How many claims have been held here so far."""
        self.restart(())

    def restart(self, items: Iterable[TapeItem]) -> None:
        """Begin again with all items of all tapes: what was logged may be undecided once more."""
        tapes = self._tapes
        # What comes next on a tape, once per branch of it, and what comes behind each item.
        self._next: list[list[TapeItem]] = [[] for _ in range(tapes)]
        self._behind: dict[Digest, list[TapeItem]] = {}
        self._counted: set[Digest] = set()
        self._places: list[dict[Digest, int]] = [{} for _ in range(tapes)]
        self._mentions: dict[Digest, dict[Seat, TapeItem]] = {}
        self._known: set[Digest] = set()
        self.undecided: dict[Digest, HeldClaim] = {}
        self.contested: set[Digest] = set()
        self._ends: list[TapeItem | None] = [None] * tapes
        self._cut: tuple[frozenset[Digest], tuple[int, ...]] | None = None
        self._is_cut_final = False
        self._first: tuple[object, tuple[DecidedSet, ...]] | None = None
        for item in items:
            self.follow(item)

    def follow(self, item: TapeItem) -> None:
        """Take an item that follows its tape without a gap; it counts when all before it does."""
        if item.item.number == 0 or item.item.prev in self._counted:
            self._next[item.seat].append(item)
        else:
            self._behind.setdefault(item.item.prev, []).append(item)

    def pass_over(self, item: TapeItem) -> None:
        """Take an item that cannot be read: it keeps its place and says nothing."""
        self._silent.add(item.digest)
        self.follow(item)

    def advance(self) -> list[HeldClaim]:
        """Hold what can be held now and count the tapes as far as they count; return the newly held."""
        held: list[HeldClaim] = []
        moved = True
        while moved:
            moved = False
            for seat, coming in enumerate(self._next):
                if not coming:
                    continue
                blocked: list[TapeItem] = []
                while coming:
                    item = coming.pop()
                    if item.digest in self._silent or self._count_item(item, held):
                        self._counted.add(item.digest)
                        end = self._ends[seat]
                        if end is None or item.item.number > end.item.number:
                            self._ends[seat] = item
                        coming.extend(self._behind.pop(item.digest, ()))
                        moved = True
                    else:
                        blocked.append(item)
                self._next[seat] = blocked
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
            match new:
                case Hold.LATER:
                    return False
                case Hold.NEVER:
                    self._known.add(item.digest)
                case HeldClaim():
                    self._admit(new)
                    held.append(new)
        places = self._places[item.seat]
        for claim, place in shown(item):
            if claim in self.undecided and place < places.get(claim, place + 1):
                places[claim] = place
                self._mentions[claim][item.seat] = item
                self._first = None
        return True

    def _admit(self, new: HeldClaim) -> None:
        self._known.add(new.id)
        self.held_count += 1
        if not new.is_refused:
            for other in self.undecided.values():
                if not other.is_refused and self._conflicts(new, other):
                    new.rivals.add(other.id)
                    other.rivals.add(new.id)
        self._first = None
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

    def decided(self, logged: Set[Digest] = frozenset()) -> tuple[DecidedSet, ...]:
        """The sets that may be logged now, by the tapes as they are counted here and without those logged
        meanwhile. What a cut names waits until the cut is final.
        """
        if logged:
            return self._polled(logged)
        # Asked far more often than anything changes: any change here forgets the answer.
        asked = self._observer(), frozenset(self.contested)
        if self._first is None or self._first[0] != asked:
            self._first = asked, self._polled(logged)
        return self._first[1]

    def _polled(self, logged: Set[Digest]) -> tuple[DecidedSet, ...]:
        contenders = self.contenders(logged)
        if not contenders:
            return ()
        cut = None if self._cut is None else Cut(self._cut[0], closed_at(self.places(), self._cut[1]))
        waiting = frozenset[Digest]() if cut is None or self._is_cut_final else cut.claims
        asked = self._seats, self._observer()
        return tuple(
            found
            for found in self._decide(contenders, *asked, self.places(), cut)
            if waiting.isdisjoint(found.claims)
            # What is together with what it is behind waits for nothing but the draw.
            and not any(
                self.is_blocked(name) or self.is_behind(name, logged | set(found.claims))
                for name in found.claims
            )
        )

    def is_first(self, claim: Digest) -> bool:
        """True if the poll says by now that nothing undecided goes before the claim."""
        return any(found.claims == (claim,) for found in self.decided())

    def contest_of(self, claim: Digest) -> tuple[Digest, ...]:
        """The claim and all that conflict with it, directly or through others; sorted."""
        reached = {claim}
        todo = [claim]
        while todo:
            for rival in self.undecided[todo.pop()].rivals - reached:
                reached.add(rival)
                todo.append(rival)
        return tuple(sorted(reached))

    def ends(self) -> tuple[tuple[int, Digest], ...]:
        """Of each tape how many items count here, and the digest of the last one."""
        return tuple(
            (0, NO_DIGEST) if end is None else (end.item.number + 1, end.digest) for end in self._ends
        )

    def may_cut(
        self,
        claims: Collection[Digest],
        ends: Sequence[tuple[int, Digest]],
        logged: Set[Digest] = frozenset(),
    ) -> bool:
        """True if a contest may be closed at these ends by what is held here, once some claims are logged.

        Nothing beyond them speaks of the named claims, and nothing undecided that is not named conflicts with
        them: else a verdict that somebody has read from longer tapes could change.
        """
        asked = self._asked()
        if len(ends) != len(self._ends):
            return False
        if any(ends[seat][0] > 0 and ends[seat][1] not in self._counted for seat in asked):
            return False
        for name in claims:
            held = self.undecided.get(name)
            if held is None or held.is_refused or name in self.contested:
                return False
            if not held.rivals - logged <= set(claims):
                return False
        return all(
            self._places[seat].get(name, 0) < first_place(ends[seat][0])
            for seat in asked
            for name in claims
            if name in self._places[seat]
        )

    def cut(self, claims: Iterable[Digest], lengths: Iterable[int], *, is_final: bool) -> None:
        """A contest is closed, at first provisionally."""
        self._cut = frozenset(claims), tuple(lengths)
        self._is_cut_final = is_final
        self._first = None

    def heal(self) -> None:
        """The claims of the cut are logged."""
        self._cut = None
        self._first = None

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
        """True if an earlier claim of this seat and kind is undecided and not logged meanwhile."""
        return any(
            held.seat == seat
            and held.kind == kind
            and held.item.item.number < number
            and held.id not in logged
            for held in self.undecided.values()
        )

    def before_of_kind(self, claim: Digest) -> tuple[Digest, ...]:
        """Where a claim is refused: the earlier ones of its seat and kind, which may be why."""
        held = self.undecided[claim]
        if not held.is_refused:
            return ()
        return tuple(
            other.id
            for other in self.undecided.values()
            if (other.seat, other.kind) == (held.seat, held.kind)
            and other.item.item.number < held.item.item.number
        )

    def refuse_before(self, index: int) -> None:
        """Claims against a head before `index` are too old: refused from now on, and nobody's rivals."""
        for held in self.undecided.values():
            if held.claim.head.index < index and not held.is_refused:
                held.is_refused = True
                self._first = None
                for rival in held.rivals:
                    self.undecided[rival].rivals.discard(held.id)
                held.rivals.clear()

    def _asked(self) -> list[Seat]:
        """The tapes that have a word: of the seats, and of an observer that is not struck."""
        observer = self._observer()
        return [Seat(seat) for seat in range(self._seats)] + ([] if observer is None else [observer])

    def places(self) -> dict[Seat, dict[Digest, int]]:
        """What each tape shows, as `decide` takes it."""
        return {seat: self._places[seat] for seat in self._asked()}

    def mentions(self, claim: Digest) -> dict[Seat, TapeItem]:
        """The item of each tape that mentions the claim, the author's own included."""
        asked = self._asked()
        return {seat: item for seat, item in self._mentions[claim].items() if seat in asked}

    def is_on(self, seat: Seat, claim: Digest) -> bool:
        """True if this tape mentions the claim already."""
        return claim in self._places[seat]

    def settle(self, claim: Digest) -> None:
        """The claim is logged: it is no rival any more, nor is any that a forked tape has beside it."""
        self._known.add(claim)
        held = self.undecided.get(claim)
        if held is None:
            return
        for other in list(self.undecided.values()):
            if (other.seat, other.kind) == (held.seat, held.kind) and (
                other.item.item.number <= held.item.item.number
            ):
                self._drop(other)

    def _drop(self, held: HeldClaim) -> None:
        self._first = None
        del self.undecided[held.id]
        for rival in held.rivals:
            if rival in self.undecided:
                self.undecided[rival].rivals.discard(held.id)
        for places in self._places:
            places.pop(held.id, None)
        del self._mentions[held.id]
        self.contested.discard(held.id)
