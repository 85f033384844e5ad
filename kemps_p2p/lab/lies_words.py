"""What a seat may lie about in its words: claims, stamps, coins and entries, by name.

Each table says what honest peers must make of its lies, where that is a fault.
"""

from collections.abc import Callable

from msgspec import structs

from kemps_p2p.codec import Digest, encode
from kemps_p2p.deck.deal import Seed
from kemps_p2p.errors import Fault
from kemps_p2p.game.actions import Swap
from kemps_p2p.game.record import Phase
from kemps_p2p.ids import Seat
from kemps_p2p.lab.cheats import Cheat, deeds_said
from kemps_p2p.lab.lies_deck import POINT
from kemps_p2p.lab.networks import turn_in
from kemps_p2p.lab.timing import against_an_old_head, swap_of
from kemps_p2p.ledger.entry import Blamed, Carried, Entry, Note, Result, Settled
from kemps_p2p.ledger.tape import (
    Ack,
    Append,
    Claim,
    CoinReveal,
    Deed,
    Head,
    Receipt,
    Statement,
)
from kemps_p2p.session.messages import (
    Checkpoint,
    Closed,
    DeedBody,
    KeyDeed,
    SeedDeed,
    ShareDeed,
    TurnDeed,
    read_note,
)
from kemps_p2p.session.play import Play

# Claims


def at_every_card(play: Play, claim: Claim) -> tuple[Claim, ...]:
    """Behind an exchange others for the other cards of the pool, for other cards of the hand, at one head."""
    swap, game = swap_of(claim), play.final.game
    if swap is None:
        return ()
    cards = [card for card in game.pool if card not in swap.take]
    hand = [card for card in game.hands[play.seat] if card not in swap.give]
    return tuple(
        structs.replace(claim, action=encode(Swap(take=(card,), give=(given,))), rivals=())
        for card, given in zip(cards, hand, strict=False)
    )


NOTHING = Digest(bytes(32))

CLAIMS: dict[str, Cheat] = {
    "claims against old heads": Cheat(claim=against_an_old_head),
    "sprayed claims": Cheat(spray=at_every_card),
}


# Whatever else a seat may say


def once_playing(*body: Statement) -> Cheat:
    """Says something once, when the match is under way."""
    return Cheat(nuisance=lambda play: body if play.final.head.index >= 8 else None)


def leaping_stamp() -> Cheat:
    """An item whose stamp leads all that its author has seen by a million."""

    def nuisance(play: Play) -> tuple[Statement, ...] | None:
        if play.final.game.phase is not Phase.OPEN:
            return None
        play._writer.see(1_000_000)
        return (CoinReveal(index=5, coin=b""),)

    return Cheat(nuisance=nuisance)


def entry(index: int, *, events: tuple[Note, ...] = (Note(payload=b""),)) -> Append:
    """An entry of somebody who has no business to order."""
    return Append(
        entry=encode(
            Entry(index=index, prev=NOTHING, epoch=0, term=0, elapsed_ms=0, wall_ms=0, events=events)
        )
    )


SAID: dict[str, tuple[Statement, ...]] = {
    "a deed that is none": (Deed(payload=b"\xc1"),),
    "a deed that is deep": (Deed(payload=b"\x91" * 4000),),
    "a claim that is none": (Claim(head=Head(index=0, digest=NOTHING), action=b"\xc1", rivals=()),),
    "a claim against another chain": (
        Claim(head=Head(index=3, digest=NOTHING), action=encode(("x",)), rivals=()),
    ),
    "an entry that is none": (Append(entry=b"\xc1"),),
    "an entry of a seat not on duty": (entry(9),),
    "an entry of a seat not on duty, far ahead": (entry(40),),
    "an ack of the future": (Ack(epoch=0, term=0, head=Head(index=10**9, digest=NOTHING)),),
    "a coin that nobody owes": (CoinReveal(index=5, coin=b""),),
    "a large coin": (CoinReveal(index=5, coin=bytes(200_000)),),
}


def other(kind: type[DeedBody], **fields: object) -> Callable[[DeedBody], DeedBody | None]:
    """Another deed of one kind."""

    def change(deed: DeedBody) -> DeedBody | None:
        return structs.replace(deed, **fields) if isinstance(deed, kind) else None

    return change


def of_no_position(deed: DeedBody) -> DeedBody | None:
    """Shares of positions that no deck has."""
    if not isinstance(deed, ShareDeed):
        return None
    shares = structs.replace(deed.shares, positions=(-1, 2**60), parts=(POINT, POINT))
    return structs.replace(deed, shares=shares)


OF_NO_DEAL: dict[str, Callable[[DeedBody], DeedBody | None]] = {
    "a key of deal -1": other(KeyDeed, deal=-1),
    "a key of a far deal": other(KeyDeed, deal=2**63),
    "a key of another attempt": other(KeyDeed, attempt=1),
    "a turn of round -5": other(TurnDeed, round=-5),
    "shares of a far deal": other(ShareDeed, deal=9),
    "shares of a far round": other(ShareDeed, round=9),
    "shares of no position": of_no_position,
}


def of_no_deal(name: str, after: int = 12) -> Cheat:
    """What the seat said already, said again of something else, behind so many entries."""

    def nuisance(play: Play) -> tuple[Statement, ...] | None:
        if play.final.head.index < after:
            return None
        for deed in deeds_said(play, play.seat):
            changed = OF_NO_DEAL[name](deed)
            if changed is not None:
                return (Deed(payload=encode(changed)),)
        return None

    return Cheat(nuisance=nuisance)


WORDS: dict[str, Cheat] = {
    **{name: once_playing(*body) for name, body in SAID.items()},
    **{name: of_no_deal(name) for name in OF_NO_DEAL},
}

EARLY_SEED = SeedDeed(deal=0, attempt=0, seed=Seed(seed=bytes(32)))

NO_ITEMS: dict[str, tuple[Statement, ...]] = {
    "an item that says nothing": (),
    "an ack below genesis": (Ack(epoch=0, term=0, head=Head(index=-(10**6), digest=NOTHING)),),
    "a receipt of a short name": (Receipt(claim=type(NOTHING)(b"short"), rivals=()),),
    "a claim below genesis": (Claim(head=Head(index=-1, digest=NOTHING), action=b"", rivals=()),),
    "an entry beside a deed": (Deed(payload=b""), Append(entry=b"")),
}


# A seat on duty that lies


def changed_event(change: Callable[[Play, object], object | None]) -> Cheat:
    """Change the first event of a true entry that can be changed."""

    def lie(play: Play, true: Entry) -> Entry | None:
        for place, event in enumerate(true.events):
            told = change(play, event)
            if told is not None:
                events = (*true.events[:place], told, *true.events[place + 1 :])
                return structs.replace(true, events=events)
        return None

    return Cheat(entry=lie)


def other_result(_play: Play, event: object) -> object | None:
    """Of an exchange that was carried out: missed."""
    if isinstance(event, Settled) and event.result is Result.OK:
        return structs.replace(event, result=Result.MISSED)
    return None


def no_evidence(_play: Play, event: object) -> object | None:
    """A claim ordered without a word of a witness."""
    return structs.replace(event, evidence=()) if isinstance(event, Settled) else None


def other_checkpoint(change: Callable[[Checkpoint], Checkpoint]) -> Callable[[Play, object], object | None]:
    """A checkpoint with something changed."""

    def lie(_play: Play, event: object) -> object | None:
        note = read_note(event.payload) if isinstance(event, Note) else None
        return Note(payload=encode(change(note))) if isinstance(note, Checkpoint) else None

    return lie


def blame_of_the_honest(play: Play, event: object) -> object | None:
    """A deed that holds is said to be false."""
    if isinstance(event, Carried):
        return Blamed(culprit=Seat((play.seat + 1) % play.founding.seats), items=(event.item,))
    return None


def instead_of_a_deed(payload: bytes) -> Callable[[Play, object], object | None]:
    """A note where a deed was due."""
    return lambda _play, event: Note(payload=payload) if isinstance(event, Carried) else None


def turn_before_its_time(play: Play, event: object) -> object | None:
    """A turn that is on a tape is ordered before the one that it rests on."""
    for item in play.tapes.by_digest.values():
        told = turn_in(item.item, 0)
        if told is not None and told.on != NOTHING and told.on not in play.tip.turned.values():
            return Carried(item=item.digest) if isinstance(event, Carried) else None
    return None


FRAMES: dict[str, tuple[Callable[[Entry], Entry], Fault]] = {
    "time that runs backwards": (lambda true: structs.replace(true, elapsed_ms=-1), Fault.BAD_TIME),
    "another term": (lambda true: structs.replace(true, term=true.term + 1), Fault.WRONG_TERM),
    "another chain": (lambda true: structs.replace(true, prev=NOTHING), Fault.BAD_LINK),
}
"""What is false about an entry whatever it orders."""


def at_entry(index: int, change: Callable[[Entry], Entry]) -> Cheat:
    """One entry is another."""
    return Cheat(entry=lambda play, true: change(true) if true.index == index else None)


ENTRIES: dict[str, tuple[Cheat, Fault]] = {
    "another result": (changed_event(other_result), Fault.BAD_VERDICT),
    "no evidence": (changed_event(no_evidence), Fault.BAD_ORDER),
    "other scores": (
        changed_event(other_checkpoint(lambda note: structs.replace(note, scores=(9, 0)))),
        Fault.BAD_CHECKPOINT,
    ),
    "another dealer": (
        changed_event(other_checkpoint(lambda note: structs.replace(note, dealer=(note.dealer + 1) % 4))),
        Fault.BAD_CHECKPOINT,
    ),
    "blame of the honest": (changed_event(blame_of_the_honest), Fault.BAD_BLAME),
    "a close before the end": (changed_event(instead_of_a_deed(encode(Closed()))), Fault.BAD_ENTRY),
    "a note that is none": (changed_event(instead_of_a_deed(b"\xc1")), Fault.MALFORMED),
    "a skipped turn": (changed_event(turn_before_its_time), Fault.NOT_OWED),
    **{name: (at_entry(6, change), code) for name, (change, code) in FRAMES.items()},
}

ALONE: tuple[str, ...] = (
    "forked tape",
    "turn forked for the next seat",
    "two true turns",
    "claims kept from half of the table",
    "shares kept from half of the table",
    "stamp that leaps",
    "false coin",
    "no coin",
    "false seed before its time",
    "receipt of a claim that nobody made",
)
"""Lies that are found, or come to nothing, in a way of their own."""
WORD_LIES = (*CLAIMS, *WORDS, *NO_ITEMS, *ENTRIES, *ALONE)
