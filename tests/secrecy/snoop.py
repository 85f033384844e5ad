"""A snoop: all seats but one put together what they hold and try to read cards that they should not know yet.

It imports no rules of the program: only group arithmetic, and the framing of bytes. What it takes for
granted is public (`Public`), or in the colluders' own files. It tries, for each honest seat in turn:

1. every 32 bytes in a row, spelled in whatever way, as a share, a share of an earlier list, a card with the
   share taken off, the point of a factor; as a scalar: the key, a factor, a nonce; as a deal seed or the
   secret of the match;
2. what turns and proofs give away by themselves (`snoop_turns`);
3. whether the order of one turn is that of another, or none, as far as cards that may be known tell.

What it reads of cards comes with the moment; whether that was too early is for `early` to say, which is given
the moments when cards became due.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass
from enum import Enum
from hashlib import sha256, sha512

from snoop_formulas import framed, number, part, scalar, seed_of_deal
from snoop_formulas import key_of as key_from_seed
from snoop_reading import Reading, windows
from snoop_table import Chain, Colluders, Decks, LinkedTurn, Public
from snoop_turns import (
    Slot,
    Weakness,
    echoes,
    mask_points,
    proof_slots,
    repeated_numbers,
    response_nonces,
    turn_slots,
    weaknesses,
)

from kemps_p2p.deck.group import ORDER, Point, card_point

ALIKE_MIN = 5
TOP_BYTE_MAX = 0x10


class Kind(Enum):
    """How something was found out."""

    SHARE = "a share"
    UNMASKED = "a card with the share taken off"
    KEY = "the key"
    SEED = "the deal seed"
    SECRET = "the secret of the match"
    LINK = "an output linked to its input"
    WEAK = "a turn or proof that gives something away"
    ORDER = "the order of another turn"


@dataclass(frozen=True)
class Finding:
    """Something that all others know of the honest seat at a moment: a card, or, without one, a weakness."""

    honest: int
    at: int
    kind: Kind
    deal: int
    position: int | None = None
    card: int | None = None
    text: str = ""


@dataclass(frozen=True)
class _Hidden:
    """A point that gives a card away: the share of a position, or what is left without it."""

    kind: Kind
    chain: Chain
    position: int
    card: int


def early(findings: Iterable[Finding], due: Mapping[tuple[int, int], int]) -> list[Finding]:
    """The findings that nobody should have made yet; a weakness always is one."""
    return [
        each
        for each in findings
        if each.position is None or each.at < due.get((each.deal, each.position), each.at + 1)
    ]


class Snoop:
    """The colluders against one honest seat."""

    def __init__(self, decks: Decks, honest: int, secrets: Mapping[int, bytes]) -> None:
        self.honest = honest
        self._decks = decks
        self._group = decks.public.group
        self._colluders = Colluders(decks, honest, secrets)
        self._found: dict[tuple[object, ...], Finding] = {}
        self.points: dict[bytes, _Hidden | Slot] = {}
        self.logarithms: dict[bytes, Slot | int] = {}
        self.numbers: dict[int, Slot] = {}
        self._cards = {card_point(self._group, card): card for card in range(256)}
        for chain in decks.chains:
            self._hide(chain)
        own = [linked for linked in decks.linked if linked.turn.seat == honest]
        self._slots = [*proof_slots(decks, honest)]
        for linked in own:
            self._slots += turn_slots(self._group, linked)
            self.points.update(mask_points(self._group, linked))
        for point, slot in self._slots:
            self.logarithms[point] = slot
            if slot.source is not None:
                self.points.setdefault(point, slot)
        for (deal, seat), key in decks.reading.keys.items():
            if seat == honest:
                self.logarithms[key.key] = deal
        numbers = [pair for linked in own for pair in response_nonces(linked)]
        self.numbers.update(numbers)
        self._look_at(own, numbers)

    @property
    def findings(self) -> list[Finding]:
        """All that was found, each thing as of the first time."""
        return list(self._found.values())

    def fork(self) -> "Snoop":
        """The same knowledge, that goes its own way from here."""
        other = copy(self)
        other._found = dict(self._found)
        return other

    # Tables of what to look for

    def _hide(self, chain: Chain) -> None:
        """Note what would give the cards of a round away, in the last list or since the honest turn."""
        places = list(range(len(chain.cards)))
        for linked in reversed(chain.turns[self.honest :]):
            outputs = linked.turn.outputs
            rests = self._colluders.without_own(chain.deal, outputs)
            for spot, place in enumerate(places):
                position = chain.first + place
                for card in chain.cards:
                    share = self._group.sub(rests[spot], card_point(self._group, card))
                    self.points[share] = _Hidden(Kind.SHARE, chain, position, card)
                    if outputs is chain.last:
                        unmasked = self._group.sub(outputs.c[spot], share)
                        self.points[unmasked] = _Hidden(Kind.UNMASKED, chain, position, card)
            if linked.turn.seat != self.honest:
                order = self._colluders.own_order(linked)
                before = [0] * len(places)
                for output, source in enumerate(order):
                    before[source] = places[output]
                places = before

    def _look_at(self, own: list[LinkedTurn], numbers: list[tuple[int, Slot]]) -> None:
        weak: list[Weakness] = [*weaknesses(self._group, self._slots)]
        weak += [*repeated_numbers(numbers), *echoes(own)]
        for each in weak:
            self._add(Finding(self.honest, each.at, Kind.WEAK, each.deal, text=each.text))
            if each.x is not None:
                self.has_key(each.at, each.deal, each.x, Kind.KEY)

    # Hits

    def _add(self, finding: Finding) -> None:
        name = (finding.kind, finding.deal, finding.position, finding.card, finding.text)
        before = self._found.setdefault(name, finding)
        if finding.at < before.at:
            self._found[name] = finding

    def hit_point(self, at: int, window: bytes) -> None:
        """A point of the tables was said."""
        match self.points[window]:
            case _Hidden(kind=kind, chain=chain, position=position, card=card):
                at = max(at, chain.at)
                self._add(Finding(self.honest, at, kind, chain.deal, position, card))
            case Slot() as slot:
                self._link(at, slot)

    def hit_scalar(self, at: int, value: int, point: Point) -> None:
        """The logarithm of a point of the tables was said."""
        met = self.logarithms[point]
        if isinstance(met, int):
            self.has_key(at, met, value, Kind.KEY)
        elif met.answer is not None:
            x = (met.answer.response - value) * pow(met.answer.challenge, -1, ORDER) % ORDER
            self.has_key(max(at, met.at), met.deal, x, Kind.KEY)
        else:
            self._link(at, met, value)

    def hit_number(self, at: int, value: int) -> None:
        """A nonce of a response was said."""
        self._link(at, self.numbers[value])

    def has_key(self, at: int, deal: int, x: int, kind: Kind) -> None:
        """The honest seat's key of a deal is known: read everything."""
        assert self._group.base_mul(x) == self._decks.reading.keys[deal, self.honest].key, "not the key"
        for chain in self._decks.chains:
            if chain.deal != deal:
                continue
            rests = self._colluders.without_own(deal, chain.last)
            for index, (mask, rest) in enumerate(zip(chain.last.a, rests, strict=True)):
                card = self._cards.get(self._group.sub(rest, self._group.mul(x, mask)))
                assert card is not None, "a key that opens no card"
                position = chain.first + index
                self._add(Finding(self.honest, max(at, chain.at), kind, deal, position, card))
        if all(chain.deal != deal for chain in self._decks.chains):
            self._add(Finding(self.honest, at, kind, deal, text="before the deck is shuffled"))

    def has_seed(self, at: int, deal: int, seed: bytes, kind: Kind) -> None:
        """The honest seat's seed of a deal is known."""
        self.has_key(at, deal, key_from_seed(self._decks.place(deal, self.honest, "key"), seed), kind)

    def _link(self, at: int, slot: Slot, factor: int | None = None) -> None:
        """A secret of a turn is known, so an output is linked to its input."""
        linked = slot.linked
        assert linked is not None, "a secret of a turn"
        at = max(at, slot.at)
        output, source = slot.index, slot.source
        if slot.kind == "rho" and source is not None:
            output, source = source, slot.index
        if slot.kind == "factor" and source is None and factor is not None:
            bare = self._group.sub(linked.turn.outputs.c[output], self._group.mul(factor, linked.key))
            source = linked.inputs.c.index(bare)
        chains = [chain for chain in self._decks.chains if linked in chain.turns]
        if source is None or not chains:
            self._add(Finding(self.honest, at, Kind.LINK, slot.deal, text=f"{slot} is known"))
            return
        for chain in chains:
            card = self._colluders.inputs_of(chain)[source]
            place = self._colluders.outputs_of(chain).index(output)
            at = max(at, chain.at)
            self._add(Finding(self.honest, at, Kind.LINK, chain.deal, chain.first + place, card))

    # Orders

    def compare_orders(self) -> None:
        """Compare what cards that have been read tell of the honest seat's permutations."""
        known = [(chain, self._known_order(chain)) for chain in self._decks.chains]
        for number_, (chain, order) in enumerate(known):
            itself = {i: (i, at) for i, (_, at) in order.items()}
            others = [(other.deal, found) for other, found in known[:number_] if _is_as_long(other, chain)]
            for deal, other_order in (*others, (None, itself)):
                common = order.keys() & other_order.keys()
                alike = [i for i in common if order[i][0] == other_order[i][0]]
                if len(alike) >= ALIKE_MIN and 2 * len(alike) >= len(common):
                    at = max(max(order[i][1], other_order[i][1]) for i in alike)
                    what = "no order at all" if deal is None else f"the order of deal {deal}"
                    text = f"{len(alike)} of {len(common)} cards lie in {what}"
                    self._add(Finding(self.honest, at, Kind.ORDER, chain.deal, text=text))

    def _known_order(self, chain: Chain) -> dict[int, tuple[int, int]]:
        """By output of the honest turn, the input it came from and since when that is known."""
        inputs = {card: j for j, card in enumerate(self._colluders.inputs_of(chain))}
        outputs = self._colluders.outputs_of(chain)
        found: dict[int, tuple[int, int]] = {}
        for each in self.findings:
            if each.position is None or each.card is None or each.deal != chain.deal:
                continue
            place = each.position - chain.first
            if 0 <= place < len(outputs):
                found.setdefault(outputs[place], (inputs[each.card], each.at))
        return found


def _is_as_long(one: Chain, two: Chain) -> bool:
    return len(one.cards) == len(two.cards)


class _Seeds:
    """Tells 32 bytes that are an honest seat's deal seed, or its secret of the match."""

    def __init__(self, decks: Decks, honest: Collection[int]) -> None:
        self._nonces = {nonce: seat for nonce, seat in decks.public.nonces.items() if seat in honest}
        self._deals = sorted({deal for deal, _ in decks.reading.keys})
        self._starts = []
        for (deal, seat), key in decks.reading.keys.items():
            if seat not in honest:
                continue
            prefix = decks.place(deal, seat, "key").prefix("commitment")
            start = sha256(prefix + part(bytes(32))[:8])
            self._starts.append((start, key.commitment, deal, seat))
        self._lobby = sha512(framed("kemps/v1/lobby-secret") + number(32))

    def seats(self, window: bytes) -> Iterator[tuple[int, int, bytes, Kind]]:
        """Who it is of: seat, deal, seed."""
        for start, commitment, deal, seat in self._starts:
            state = start.copy()
            state.update(window)
            if state.digest() == commitment:
                yield seat, deal, window, Kind.SEED
        lobby = self._lobby.copy()
        lobby.update(window + part(b"nonce"))
        found = self._nonces.get(lobby.digest()[:32])
        if found is not None:
            for deal in self._deals:
                yield found, deal, seed_of_deal(window, deal), Kind.SECRET


class Snoops:
    """The colluders against each of some honest seats.

    `pieces`: what any peer held, with the moment, in order. `secrets` are the files of all seats; those who
    snoop on a seat use all but its own.
    """

    def __init__(
        self,
        public: Public,
        pieces: Iterable[tuple[int, bytes]],
        secrets: Mapping[int, bytes],
        honest: Iterable[int],
    ) -> None:
        held = list(pieces)
        reading = Reading()
        for at, data in held:
            reading.read(at, data)
        self.decks = Decks(public, reading)
        self._snoops = {seat: Snoop(self.decks, seat, secrets) for seat in honest}
        self._seeds = _Seeds(self.decks, self._snoops.keys())
        self._points = frozenset(point for each in self._snoops.values() for point in each.points)
        self._logarithms = frozenset(point for each in self._snoops.values() for point in each.logarithms)
        self._numbers = frozenset(value for each in self._snoops.values() for value in each.numbers)
        for owner, secret in secrets.items():
            # Two seats that drew the same.
            for deal in {deal for deal, _ in reading.keys}:
                self._try_seed(0, seed_of_deal(secret, deal), not_of=owner)
        self.hear(held)
        for each in self._snoops.values():
            each.compare_orders()

    def of(self, seat: int) -> list[Finding]:
        """What was found of an honest seat."""
        return self._snoops[seat].findings

    def with_more(self, pieces: Iterable[tuple[int, bytes]]) -> "Snoops":
        """What they would know if they had held these pieces too, which carry no deed that counts."""
        other = copy(self)
        other._snoops = {seat: each.fork() for seat, each in self._snoops.items()}
        other.hear(pieces)
        return other

    def hear(self, pieces: Iterable[tuple[int, bytes]]) -> None:
        """Try every 32 bytes of these pieces."""
        for at, window in windows(pieces):
            if window in self._points:
                for each in self._snoops.values():
                    if window in each.points:
                        each.hit_point(at, window)
            self._try_seed(at, window)
            # A scalar is below the order: it ends, or spelled the other way round begins, with a small byte.
            if window[31] <= TOP_BYTE_MAX:
                self._try_scalar(at, scalar(window))
            if window[0] <= TOP_BYTE_MAX:
                self._try_scalar(at, scalar(window[::-1]))

    def _try_seed(self, at: int, window: bytes, not_of: int | None = None) -> None:
        for seat, deal, seed, kind in self._seeds.seats(window):
            if seat != not_of:
                self._snoops[seat].has_seed(at, deal, seed, kind)

    def _try_scalar(self, at: int, value: int) -> None:
        if value in self._numbers:
            for each in self._snoops.values():
                if value in each.numbers:
                    each.hit_number(at, value)
        point = self.decks.public.group.base_mul(value)
        if point in self._logarithms:
            for each in self._snoops.values():
                if point in each.logarithms:
                    each.hit_scalar(at, value, point)
