"""What a seat may lie about in the deck, by name, each with the best proof that the seat can make."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from msgspec import structs

from kemps_p2p.codec import Digest, Record, encode
from kemps_p2p.deck import shares as shares_module
from kemps_p2p.deck.context import Secrets, Stage
from kemps_p2p.deck.deal import DealKey, Deck, Shares, Turn, list_digest, make_shares
from kemps_p2p.deck.group import IDENTITY, STUB, Group, Point, scalar_bytes
from kemps_p2p.deck.shares import secret_key
from kemps_p2p.deck.shuffle import Blinded, Reblinding, Statement, prove, reblind, reblinding
from kemps_p2p.deck.state import list_before
from kemps_p2p.errors import Fault
from kemps_p2p.game.actions import Gesture
from kemps_p2p.game.record import Phase
from kemps_p2p.ids import Position, Seat
from kemps_p2p.lab.cheats import Cheat, deeds_said
from kemps_p2p.ledger.tape import Claim
from kemps_p2p.session.dealing import deal_seed
from kemps_p2p.session.match import fresh_deck
from kemps_p2p.session.messages import DeedBody, KeyDeed, SeedDeed, ShareDeed, TurnDeed
from kemps_p2p.session.play import Play

POINT = STUB.base_mul(4711)
SCALAR = scalar_bytes(4711)
NO_POINT = b"\xff" * 32


@dataclass(frozen=True)
class Scene:
    """Where a cheat stands when it is its turn: the list, and what an honest seat would make of it."""

    deck: Deck
    seat: Seat
    seed: bytes
    inputs: Blinded
    secret: Reblinding
    outputs: Blinded

    @property
    def group(self) -> Group:
        """The group of the deck."""
        return self.deck.table.group

    @property
    def key(self) -> Point:
        """The joint key."""
        assert self.deck.joint_key is not None
        return self.deck.joint_key

    def proven(self, outputs: Blinded) -> Turn:
        """The turn with these outputs, and the proof that the equations give for them."""
        return self.turn(self.inputs, outputs, list_digest(self.deck))

    def turn(self, inputs: Blinded, outputs: Blinded, named: Digest) -> Turn:
        """A turn of these lists, with the proof that the equations give for them."""
        context = self.deck.context(self.seat, Stage.TURN)
        proof = prove(Statement(context, self.key, inputs, outputs), self.secret, self.seed)
        return Turn(input=named, a=outputs.a, c=outputs.c, proof=proof)


def scene(deck: Deck, seat: Seat, seed: bytes) -> Scene:
    """Where a seat stands that is to take its turn."""
    assert deck.joint_key is not None
    inputs = list_before(deck, seat)
    secret = reblinding(Secrets(seed, list_digest(deck)), len(deck.cards))
    return Scene(deck, seat, seed, inputs, secret, reblind(deck.table.group, deck.joint_key, inputs, secret))


def put(points: tuple[Point, ...], index: int, point: Point) -> tuple[Point, ...]:
    """The points with one of them replaced."""
    return (*points[:index], point, *points[index + 1 :])


def duplicate_card(at: Scene) -> Turn:
    """Output 0 is another encryption of the card in output 1."""
    source, group = at.secret.order[1], at.group
    a = group.add(at.inputs.a[source], group.base_mul(99))
    c = group.add(at.inputs.c[source], group.mul(99, at.key))
    return at.proven(Blinded(put(at.outputs.a, 0, a), put(at.outputs.c, 0, c)))


def replaced_card(at: Scene) -> Turn:
    """Output 0 is a point that is no card."""
    return at.proven(Blinded(at.outputs.a, put(at.outputs.c, 0, at.group.base_mul(12345))))


def tagged_card(at: Scene) -> Turn:
    """The two halves of output 2 are re-encrypted with different factors."""
    source, factor = at.secret.order[2], at.secret.factors[2]
    a = at.group.add(at.inputs.a[source], at.group.base_mul(factor + 1))
    return at.proven(Blinded(put(at.outputs.a, 2, a), at.outputs.c))


def list_of_its_own(at: Scene) -> Turn:
    """A true shuffle, truly proven, of a list that the seat before did not leave."""
    secret = replace(at.secret, factors=tuple(factor + 1 for factor in at.secret.factors))
    made_up = reblind(at.group, at.key, at.inputs, secret)
    return at.turn(made_up, reblind(at.group, at.key, made_up, at.secret), Digest(bytes(32)))


def list_of_its_own_under_the_right_name(at: Scene) -> Turn:
    """The same, named as the list that the seat before left."""
    made_up = reblind(at.group, at.key, at.inputs, at.secret)
    return at.turn(made_up, reblind(at.group, at.key, made_up, at.secret), list_digest(at.deck))


def turn_of_another_seat(at: Scene) -> Turn | None:
    """What the seat before has said, said again; None for the first, which has nobody before."""
    return at.deck.turns[-1] if at.deck.turns else None


def mutated(*path: str | int, value: bytes | tuple[bytes, ...]) -> Callable[[Scene], Turn]:
    """The honest turn with one value of it, or of its proof, replaced."""

    def change(record: Record, name: str, index: int | None) -> Record:
        old = getattr(record, name)
        new = value if index is None else (*old[:index], value, *old[index + 1 :])
        assert new != old
        return structs.replace(record, **{name: new})

    def make(at: Scene) -> Turn:
        honest = at.proven(at.outputs)
        names = [part for part in path if isinstance(part, str)]
        index = next((part for part in path if isinstance(part, int)), None)
        if names[0] == "proof":
            return structs.replace(honest, proof=change(honest.proof, names[1], index))
        made = change(honest, names[0], index)
        assert isinstance(made, Turn)
        return made

    return make


TURNS: dict[str, tuple[Callable[[Scene], Turn | None], Fault]] = {
    "duplicate card": (duplicate_card, Fault.BAD_SHUFFLE_PROOF),
    "replaced card": (replaced_card, Fault.BAD_SHUFFLE_PROOF),
    "tagged card": (tagged_card, Fault.BAD_SHUFFLE_PROOF),
    "list of its own": (list_of_its_own, Fault.BAD_TURN),
    "list under the right name": (list_of_its_own_under_the_right_name, Fault.BAD_SHUFFLE_PROOF),
    "turn of another seat": (turn_of_another_seat, Fault.BAD_TURN),
    "no point": (mutated("a", 3, value=NO_POINT), Fault.BAD_POINT),
    "the identity": (mutated("c", 0, value=IDENTITY), Fault.BAD_POINT),
    "a point cut short": (mutated("proof", "q", 7, value=POINT[:31]), Fault.BAD_POINT),
    "a short list": (mutated("a", value=(POINT,)), Fault.MALFORMED),
    "a huge list": (mutated("c", value=(POINT,) * 5000), Fault.MALFORMED),
    "a vector too long": (mutated("proof", "p", value=(POINT,) * 53), Fault.MALFORMED),
    "an empty proof": (mutated("proof", "s_hat", value=()), Fault.MALFORMED),
    "an unreduced scalar": (mutated("proof", "s1", value=b"\xff" * 32), Fault.BAD_SCALAR),
    "another p": (mutated("proof", "p", 5, value=POINT), Fault.BAD_SHUFFLE_PROOF),
    "another q": (mutated("proof", "q", 51, value=POINT), Fault.BAD_SHUFFLE_PROOF),
    "another challenge": (mutated("proof", "challenge", value=SCALAR), Fault.BAD_SHUFFLE_PROOF),
    "another s1": (mutated("proof", "s1", value=SCALAR), Fault.BAD_SHUFFLE_PROOF),
    "another s4": (mutated("proof", "s4", value=SCALAR), Fault.BAD_SHUFFLE_PROOF),
    "another s_hat": (mutated("proof", "s_hat", 0, value=SCALAR), Fault.BAD_SHUFFLE_PROOF),
    "another s_prime": (mutated("proof", "s_prime", 51, value=SCALAR), Fault.BAD_SHUFFLE_PROOF),
}


def false_turn(make: Callable[[Scene], Turn | None], deal: int = 0) -> Cheat:
    """A seat whose turn in a deal is another."""

    def turn(deck: Deck, seat: Seat, seed: bytes) -> Turn | None:
        """A turn of these lists, with the proof that the equations give for them."""
        return make(scene(deck, seat, seed)) if deck.table.deal == deal else None

    return Cheat(turn=turn)


# Keys


def others_key(play: Play, deal: int, attempt: int, seat: int | None = None) -> KeyDeed | None:
    """The first key of another seat, or of a certain one, that has come for this attempt at a deal."""
    for item in play.tapes.by_digest.values():
        if item.seat != play.seat and seat in (None, item.seat):
            for deed in deeds_said(play, item.seat):
                if isinstance(deed, KeyDeed) and (deed.deal, deed.attempt) == (deal, attempt):
                    return deed
    return None


def proven_key(play: Play, committed: bytes, secret: int) -> DealKey:
    """The key of a secret of the seat's own choice, truly proven, beside any commitment."""
    table = fresh_deck(play.tip, play.final.coming_deal).table
    key = table.group.base_mul(secret)
    transcript = shares_module._key_transcript(table, play.seat, committed, key)
    challenge = shares_module._challenge(transcript, table.group.base_mul(77))
    return DealKey(commitment=committed, key=key, proof=shares_module._proof(challenge, 77, secret))


def deal_secret(play: Play) -> int:
    """The secret behind the seat's own key of the coming deal."""
    table = fresh_deck(play.tip, play.final.coming_deal).table
    return secret_key(table, play.seat, deal_seed(play._dealing._secret, table.deal, table.attempt))


def copied_key(_play: Play, _own: DealKey, other: DealKey) -> DealKey:
    """Another seat's key, commitment and proof."""
    return other


def copied_point(_play: Play, own: DealKey, other: DealKey) -> DealKey:
    """Another seat's key under the own commitment and proof."""
    return structs.replace(own, key=other.key)


def copied_proof(_play: Play, own: DealKey, other: DealKey) -> DealKey:
    """Another seat's proof for the own key."""
    return structs.replace(own, proof=other.proof)


def copied_commitment(play: Play, _own: DealKey, other: DealKey) -> DealKey:
    """Another seat's commitment, with a key of its own that is proven for it."""
    return proven_key(play, other.commitment, deal_secret(play))


def unproven_key(_play: Play, own: DealKey, _other: DealKey) -> DealKey:
    """A key whose proof is one of another key."""
    return structs.replace(own, proof=structs.replace(own.proof, response=SCALAR))


def empty_key(_play: Play, own: DealKey, _other: DealKey) -> DealKey:
    """The identity as a key."""
    return structs.replace(own, key=IDENTITY)


KEYS: dict[str, tuple[Callable[[Play, DealKey, DealKey], DealKey], Fault]] = {
    "copied key": (copied_key, Fault.BAD_KEY_PROOF),
    "copied point of a key": (copied_point, Fault.BAD_KEY_PROOF),
    "copied proof of a key": (copied_proof, Fault.BAD_KEY_PROOF),
    "unproven key": (unproven_key, Fault.BAD_KEY_PROOF),
    "key that is the identity": (empty_key, Fault.BAD_POINT),
}


def false_key(change: Callable[[Play, DealKey, DealKey], DealKey], deal: int = 0) -> Cheat:
    """A seat that waits for another's key of a deal before it says its own."""

    def deed(play: Play, own: DeedBody) -> DeedBody | None:
        if not isinstance(own, KeyDeed) or own.deal != deal:
            return None
        other = others_key(play, deal, own.attempt)
        assert other is not None
        return structs.replace(own, key=change(play, own.key, other.key))

    def wait(play: Play, own: DeedBody) -> bool:
        if not isinstance(own, KeyDeed) or own.deal != deal:
            return False
        return others_key(play, deal, own.attempt) is None

    return Cheat(deed=deed, wait=wait)


def cancelling_keys(first: int, second: int) -> dict[int, Cheat]:
    """Two seats that conspire: the second proves a key that is the opposite of the first's."""
    told: list[int] = []

    def tell(play: Play, own: DeedBody) -> DeedBody | None:
        if isinstance(own, KeyDeed) and own.deal == 0:
            told.append(deal_secret(play))
        return None

    def oppose(play: Play, own: DeedBody) -> DeedBody | None:
        if not isinstance(own, KeyDeed) or own.deal != 0:
            return None
        return structs.replace(own, key=proven_key(play, own.key.commitment, -told[0]))

    def wait(play: Play, own: DeedBody) -> bool:
        if not isinstance(own, KeyDeed) or own.deal != 0:
            return False
        return others_key(play, 0, own.attempt, seat=first) is None

    return {first: Cheat(deed=tell), second: Cheat(deed=oppose, wait=wait)}


# Shares


def other_part(_play: Play, shares: Shares) -> Shares:
    """One part is that of another secret."""
    return structs.replace(shares, parts=(POINT, *shares.parts[1:]))


def other_positions(play: Play, shares: Shares) -> Shares:
    """True shares, truly proven, of other cards, named as those that are owed."""
    deck = play.final.decks[0, 0]
    wanted = [Position(len(deck.cards) - 1 - place) for place in range(len(shares.positions))]
    made = make_shares(deck, play.seat, play._dealing._seed_of(deck), wanted)
    return structs.replace(made, positions=shares.positions)


def other_deals_key(play: Play, shares: Shares) -> Shares:
    """Shares by the key of another deal, proven."""
    deck = play.final.decks[0, 0]
    seed = deal_seed(play._dealing._secret, 77)
    return make_shares(deck, play.seat, seed, list(map(Position, shares.positions)))


def other_proof(_play: Play, shares: Shares) -> Shares:
    """A proof with one value changed."""
    return structs.replace(shares, proof=structs.replace(shares.proof, challenge=SCALAR))


def no_point(_play: Play, shares: Shares) -> Shares:
    """A part that is no point."""
    return structs.replace(shares, parts=(*shares.parts[1:], IDENTITY))


def part_short(_play: Play, shares: Shares) -> Shares:
    """One part fewer than positions."""
    return structs.replace(shares, parts=shares.parts[1:])


SHARES: dict[str, tuple[Callable[[Play, Shares], Shares], Fault]] = {
    "another point for a share": (other_part, Fault.BAD_SHARE_PROOF),
    "shares of other positions": (other_positions, Fault.BAD_SHARE_PROOF),
    "shares under another key": (other_deals_key, Fault.BAD_SHARE_PROOF),
    "shares with another proof": (other_proof, Fault.BAD_SHARE_PROOF),
    "a share that is the identity": (no_point, Fault.BAD_POINT),
    "one share too few": (part_short, Fault.MALFORMED),
}


def false_share(change: Callable[[Play, Shares], Shares], which: int) -> Cheat:
    """The first shares that a seat says are those of the other hands; those of the pool come next."""
    said: list[DeedBody] = []

    def deed(play: Play, body: DeedBody) -> DeedBody | None:
        if not isinstance(body, ShareDeed):
            return None
        said.append(body)
        return None if len(said) != which + 1 else structs.replace(body, shares=change(play, body.shares))

    return Cheat(deed=deed)


# What was true in another deal


def of_the_deal_before(play: Play, deed: DeedBody) -> DeedBody | None:
    """What the seat said in its place in deal 0."""
    for old in deeds_said(play, play.seat):
        match old, deed:
            case (KeyDeed(deal=0), KeyDeed()):
                return structs.replace(deed, key=old.key)
            case (TurnDeed(deal=0), TurnDeed()):
                return structs.replace(deed, turn=old.turn)
            case _:
                continue
    return None


REPLAYS: dict[str, tuple[type[DeedBody], Fault]] = {
    "key of the deal before": (KeyDeed, Fault.BAD_KEY_PROOF),
    "turn of the deal before": (TurnDeed, Fault.BAD_TURN),
}


def replayed(kind: type[DeedBody]) -> Cheat:
    """In deal 1 the seat says again what it said in deal 0."""

    def deed(play: Play, body: DeedBody) -> DeedBody | None:
        return of_the_deal_before(play, body) if isinstance(body, kind) and body.deal == 1 else None

    return Cheat(deed=deed)


# Seeds


def false_seed() -> Cheat:
    """At the end of the match: another seed than the one committed to."""

    def deed(_play: Play, body: DeedBody) -> DeedBody | None:
        if isinstance(body, SeedDeed):
            return structs.replace(body, seed=structs.replace(body.seed, seed=bytes(32)))
        return None

    return Cheat(deed=deed)


def gesture_sealed_with_noise(play: Play) -> tuple[Claim]:
    """A gesture whose seal no seed opens."""
    wink = Gesture(name="wink", seal=b"\x06" * 32)
    return (Claim(head=play.final.head, action=encode(wink), rivals=()),)


def false_seal() -> Cheat:
    """In play, the seat makes a gesture that is sealed with noise."""
    return Cheat(
        nuisance=lambda play: gesture_sealed_with_noise(play) if play.final.game.phase is Phase.OPEN else None
    )


ALONE: tuple[str, ...] = ("copied commitment", "keys that cancel", "another seed", "another seal")
"""Lies that are found in a way of their own."""
DECK_LIES = (*TURNS, *KEYS, *SHARES, *REPLAYS, *ALONE)
