"""One message or line too many in an innocent match: a share, key, seed or nonce, however it is spelled."""

import base64
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from secrecy_check import Checked
from secrecy_record import How
from secrecy_runs import snooped_match
from snoop import Finding, Kind

from kemps_p2p.codec import Digest, encode
from kemps_p2p.deck.context import Secrets
from kemps_p2p.deck.deal import Deck
from kemps_p2p.deck.group import ORDER, Group, Point, scalar_bytes
from kemps_p2p.deck.shares import secret_key
from kemps_p2p.deck.shuffle import reblinding
from kemps_p2p.deck.state import list_before
from kemps_p2p.ids import Position, Seat
from kemps_p2p.ledger.tape import NO_DIGEST, CoinReveal, Item, Signed
from kemps_p2p.session.dealing import deal_seed
from kemps_p2p.session.messages import Batch, LobbyWords, Reveal, Whisper, pack
from kemps_p2p.session.opening import opened_deals

pytestmark = pytest.mark.soak

HONEST = Seat(1)
"""A seat whose hand is not shown in this match."""
DEAL = 0
LAST = Seat(4)
"""After all turns."""


@dataclass(frozen=True)
class Scene:
    """An innocent match, and what its honest seat must not say. `at`: just before the seeds are due."""

    done: Checked
    deck: Deck
    coming: Deck
    secret: bytes
    at: int
    hand: Position
    stock: Position
    truth: dict[Position, int]

    @property
    def group(self) -> Group:
        return self.deck.table.group

    @property
    def seed(self) -> bytes:
        return deal_seed(self.secret, DEAL)

    @property
    def key(self) -> int:
        return secret_key(self.deck.table, HONEST, self.seed)

    def blinded(self, position: Position, list_of: Seat = LAST) -> tuple[Point, Point]:
        cards = list_before(self.deck, list_of)
        return cards.a[position], cards.c[position]

    def share(self, position: Position) -> Point:
        return self.group.mul(self.key, self.blinded(position)[0])

    def nonce(self) -> int:
        """Of the first proof of shares that the honest seat made."""
        shares = [each for each in self.done.snoops.decks.reading.shares if each.seat == HONEST]
        proof = shares[0].proof
        return (proof.response - proof.challenge * self.key) % ORDER

    def leaks(self, how: How, data: bytes, at: int | None = None) -> list[Finding]:
        """What is known too early once another peer, or the seat's own file, holds `data` too."""
        moment = self.at if at is None else at
        trace = self.done.trace.added(moment, int(HONEST) if how in (How.LOG, How.JOURNAL) else 0, how, data)
        piece = trace.pieces[-1]
        return self.done.early(HONEST, self.done.snoops.with_more([(piece.at, piece.data)]))


@pytest.fixture(scope="module")
def scene() -> Scene:
    sim, done = snooped_match()
    final = sim.peers[0].session.play.final
    told = done.dues[HONEST]
    due = told.against(HONEST)
    assert told.over_at is not None
    hidden = [place for place, at in due.items() if at == told.over_at]
    hand = [place[1] for place in hidden if HONEST in told.hand_of.get(place, {})]
    stock = [place[1] for place in hidden if place not in told.hand_of]
    return Scene(
        done=done,
        deck=final.decks[DEAL, 0],
        coming=final.decks[DEAL + 1, 0],
        secret=done.trace.secret(HONEST),
        at=told.over_at - 1,
        hand=Position(hand[0]),
        stock=Position(stock[0]),
        truth={position: int(card) for position, card in opened_deals(final)[DEAL].items()},
    )


# How a secret can be said


def in_an_item(secret: bytes) -> tuple[How, bytes]:
    item = Item(
        match=Digest(b"m" * 32), seat=HONEST, incarnation=0, number=1, prev=NO_DIGEST, lamport=2,
        body=(CoinReveal(index=0, coin=secret),),
    )  # fmt: skip
    signed = Signed(raw=encode(item), signature=bytes(64))
    return How.HEARD, pack(Batch(items=(signed,)))


def in_the_journal(secret: bytes) -> tuple[How, bytes]:
    return How.JOURNAL, encode((3, "debug", secret))


def in_the_log(secret: bytes) -> tuple[How, bytes]:
    return How.LOG, encode((9, b"note: " + secret + b"."))


def in_a_whisper(secret: bytes) -> tuple[How, bytes]:
    return How.HEARD, pack(Whisper(text=f"signal: wink {secret.hex()}"))


def in_a_name(secret: bytes) -> tuple[How, bytes]:
    body = Reveal(nonce=bytes(32), nonce_salt=bytes(32), name=secret.hex().upper(), name_salt=bytes(32))
    words = LobbyWords(seat=HONEST, table=Digest(bytes(32)), raw=encode(body), signature=bytes(64))
    return How.HEARD, pack(words)


def as_the_salt_of_a_name(secret: bytes) -> tuple[How, bytes]:
    body = Reveal(nonce=bytes(32), nonce_salt=bytes(32), name="Ben", name_salt=secret)
    words = LobbyWords(seat=HONEST, table=Digest(bytes(32)), raw=encode(body), signature=bytes(64))
    return How.HEARD, pack(words)


def printed_in_python(secret: bytes) -> tuple[How, bytes]:
    return How.PRINTED, f"DEBUG seed={secret!r} seat=2\n".encode()


def printed_as_numbers(secret: bytes) -> tuple[How, bytes]:
    return How.PRINTED, f"seed {list(secret)}\n".encode()


def printed_in_base64(secret: bytes) -> tuple[How, bytes]:
    return How.PRINTED, b"seed " + base64.b64encode(secret) + b"\n"


def printed_for_an_address(secret: bytes) -> tuple[How, bytes]:
    return How.PRINTED, b"seed=" + base64.urlsafe_b64encode(secret).rstrip(b"=") + b"&seat=2\n"


def as_a_row_of_numbers(secret: bytes) -> tuple[How, bytes]:
    return How.HEARD, encode((4, tuple(secret), "row"))


def reversed_as_a_number(secret: bytes) -> tuple[How, bytes]:
    return How.HEARD, encode(("x", secret[::-1]))


def printed_in_decimal(secret: bytes) -> tuple[How, bytes]:
    return How.PRINTED, f"x = {int.from_bytes(secret, 'little')}\n".encode()


Spelling = Callable[[bytes], tuple[How, bytes]]
SPELLINGS: tuple[Spelling, ...] = (
    in_an_item,
    in_the_journal,
    in_the_log,
    in_a_whisper,
    in_a_name,
    as_the_salt_of_a_name,
    printed_in_python,
    printed_as_numbers,
    printed_in_base64,
    printed_for_an_address,
    as_a_row_of_numbers,
)
SCALARS: tuple[Spelling, ...] = (*SPELLINGS, reversed_as_a_number, printed_in_decimal)


def all_hidden(scene: Scene, leaks: list[Finding], kind: Kind, deal: int = DEAL) -> None:
    """Every card that was not due is read, and rightly."""
    assert {leak.kind for leak in leaks} == {kind}
    if deal == DEAL:
        hidden = {p for p in scene.truth if scene.done.dues[HONEST].against(HONEST)[deal, p] > scene.at}
        assert {leak.position: leak.card for leak in leaks} == {p: scene.truth[p] for p in hidden}
    else:
        assert {leak.deal for leak in leaks} == {deal}
        assert {leak.position for leak in leaks} == {leak.card for leak in leaks} == set(range(52))


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_deal_seed(scene: Scene, spelling: Spelling) -> None:
    all_hidden(scene, scene.leaks(*spelling(scene.seed)), Kind.SEED)


@pytest.mark.parametrize("spelling", SCALARS)
def test_a_key(scene: Scene, spelling: Spelling) -> None:
    all_hidden(scene, scene.leaks(*spelling(scalar_bytes(scene.key))), Kind.KEY)


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("what", ["hand", "stock"])
def test_a_share(scene: Scene, spelling: Spelling, what: str) -> None:
    """Of an own hand card, to everybody; and of a card that nobody was dealt."""
    position = scene.hand if what == "hand" else scene.stock
    (leak,) = scene.leaks(*spelling(scene.share(position)))
    assert (leak.kind, leak.position, leak.card) == (Kind.SHARE, position, scene.truth[position])


def test_the_seed_of_the_coming_deal(scene: Scene) -> None:
    all_hidden(scene, scene.leaks(*in_an_item(deal_seed(scene.secret, DEAL + 1))), Kind.SEED, DEAL + 1)


def test_the_secret_of_the_match_opens_every_deal(scene: Scene) -> None:
    leaks = scene.leaks(*as_the_salt_of_a_name(scene.secret))
    all_hidden(scene, [leak for leak in leaks if leak.deal == DEAL], Kind.SECRET)
    all_hidden(scene, [leak for leak in leaks if leak.deal > DEAL], Kind.SECRET, DEAL + 1)


def test_a_nonce_gives_the_key(scene: Scene) -> None:
    all_hidden(scene, scene.leaks(*in_the_journal(scalar_bytes(scene.nonce()))), Kind.KEY)


def test_a_card_with_the_share_taken_off(scene: Scene) -> None:
    point = scene.group.sub(scene.blinded(scene.stock)[1], scene.share(scene.stock))
    (leak,) = scene.leaks(*in_an_item(point))
    assert (leak.kind, leak.position, leak.card) == (Kind.UNMASKED, scene.stock, scene.truth[scene.stock])


def test_a_share_of_the_list_that_the_own_turn_left(scene: Scene) -> None:
    """Shares of it say as much: what came after were the turns of those who snoop."""
    mask, _ = scene.blinded(Position(0), Seat(HONEST + 1))
    leaks = scene.leaks(*in_an_item(scene.group.mul(scene.key, mask)), at=0)
    (leak,) = leaks
    assert leak.kind is Kind.SHARE
    assert leak.card == scene.truth[Position(leak.position or 0)]


def test_a_factor_tracks_its_card(scene: Scene) -> None:
    binding = Secrets(scene.seed, scene.deck.turns[HONEST].input)
    leaks = [
        leak
        for factor in reblinding(binding, len(scene.deck.cards)).factors
        for leak in scene.leaks(*in_an_item(scalar_bytes(factor)))
    ]
    all_hidden(scene, leaks, Kind.LINK)


@pytest.mark.parametrize("start", range(7))
def test_a_share_that_begins_anywhere(scene: Scene, start: int) -> None:
    data = encode((b"\xc4" * start + scene.share(scene.stock) + b"\x00" * 5,))
    (leak,) = scene.leaks(How.SAID, data)
    assert leak.position == scene.stock


def test_what_is_no_message_is_looked_through_too(scene: Scene) -> None:
    (leak,) = scene.leaks(How.HEARD, b"\xc1\xc1" + scene.share(scene.stock) + b"\xff")
    assert leak.position == scene.stock


def test_the_same_after_it_is_due_is_no_leak(scene: Scene) -> None:
    late = scene.at + 1
    for secret in (scene.seed, scalar_bytes(scene.key), scene.share(scene.hand), scene.share(scene.stock)):
        assert scene.leaks(*in_the_journal(secret), at=late) == []


def test_other_bytes_are_no_leak(scene: Scene) -> None:
    """Neither another seat's secrets, nor a secret with one bit changed."""
    other = deal_seed(scene.done.trace.secret(0), DEAL)
    near = bytes([scene.seed[0] ^ 1]) + scene.seed[1:]
    for data in (other, near, scalar_bytes(scene.key + 1), scalar_bytes(scene.nonce() + 1)):
        assert scene.leaks(*in_the_journal(data)) == []


def test_a_share_cut_in_two_is_the_limit(scene: Scene) -> None:
    """What is not 32 bytes in a row is not found: no snoop can try every way to write a secret."""
    share = scene.share(scene.stock)
    assert scene.leaks(How.HEARD, encode((share[:16], share[16:]))) == []
