"""Messages that no honest program sends: random, cut short, changed, too deep; and signed nonsense."""

from collections import deque
from collections.abc import Callable
from random import Random

from kemps_p2p.codec import Digest, Record, encode
from kemps_p2p.errors import PeerFault
from kemps_p2p.game.actions import Call, Counter, Gesture, Next, Pass, Say, Swap
from kemps_p2p.ids import Position, Seat
from kemps_p2p.ledger.entry import Entry, Event, Note, Settled, TakeOver
from kemps_p2p.ledger.entry import Result as EntryResult
from kemps_p2p.ledger.identity import Identity
from kemps_p2p.ledger.tape import (
    ITEM_LABEL,
    NO_DIGEST,
    Ack,
    Append,
    Back,
    Claim,
    CoinReveal,
    Deed,
    HandOver,
    Head,
    Item,
    Join,
    Receipt,
    Signed,
    Statement,
    Suspect,
    TapeItem,
    Unheard,
    item_digest,
    tape_writer,
)
from kemps_p2p.session.messages import (
    Batch,
    LobbyWords,
    Moved,
    Status,
    Want,
    Whisper,
    Wish,
    pack,
    read_message,
)

_WANTS = (Want.PLAY_ON, Want.AS_OTHERS, Want.GONE)
"""Not those that bots go along with."""
KEPT = 400
"""Messages of others that are kept to be changed."""


def is_granted(data: bytes) -> bool:
    """True if bots do what this says: a seat may well end a match among bots."""
    try:
        said = read_message(data)
    except PeerFault:
        return False
    return isinstance(said, Wish) and said.want not in _WANTS


class Junk:
    """One source of it. `seen`: what really goes over the wire, to be changed."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self.seen: deque[bytes] = deque(maxlen=KEPT)

    def digest(self) -> Digest:
        return Digest(self._random.randbytes(32))

    def number(self) -> int:
        random = self._random
        return random.choice((0, 1, 2, 3, random.randrange(300), random.randrange(1 << 62), -1))

    def unsigned(self) -> bytes:
        """A message without a signature that holds, and no wish that bots would go along with."""
        while is_granted(data := self._unsigned()):
            pass
        return data

    def _unsigned(self) -> bytes:
        random = self._random
        match random.randrange(9):
            case 0:
                return random.randbytes(random.randrange(200))
            case 1:
                return bytes([0x91]) * random.choice((40, 5000)) + b"\xc0"
            case 2 | 3:
                return self._changed()
            case 4:
                data = self._seen()
                return data[: random.randrange(len(data) + 1)]
            case 5:
                sizes = random.choice((4, 4, 4, 0, 5, 4000))
                sums = tuple(self.digest() for _ in range(sizes))
                return pack(
                    Status(lengths=tuple(self.number() for _ in range(sizes)), sums=sums, final=self.number())
                )
            case 6:
                raw, signature = random.randbytes(60), random.randbytes(64)
                lobby = LobbyWords(seat=self.number(), table=self.digest(), raw=raw, signature=signature)
                return pack(random.choice((lobby, Moved(raw=raw, signature=signature))))
            case 7:
                text = "".join(chr(random.randrange(0x20, 0xD7FF)) for _ in range(random.choice((3, 600))))
                return pack(random.choice((Whisper(text=text), Wish(want=random.choice(_WANTS)))))
            case _:
                signed = Signed(raw=random.randbytes(random.randrange(300)), signature=random.randbytes(64))
                return pack(Batch(items=(signed,) * random.choice((1, 1, 50))))

    def _seen(self) -> bytes:
        return self._random.choice(self.seen) if self.seen else b"\x92\x01\x02"

    def _changed(self) -> bytes:
        """What somebody has really said, with a few bytes changed."""
        random, data = self._random, bytearray(self._seen())
        for _ in range(random.randrange(1, 4)):
            place = random.randrange(len(data)) if data else 0
            match random.randrange(3):
                case 0 if data:
                    data[place] ^= 1 << random.randrange(8)
                case 1:
                    data[place:place] = random.randbytes(random.randrange(1, 9))
                case _:
                    del data[place : place + random.randrange(1, 9)]
        return bytes(data)


class SignedJunk(Junk):
    """Junk that a seat signs: items that fit nowhere, that contradict others, or that follow each other."""

    def __init__(self, random: Random, identity: Identity, match: Digest, seat: int) -> None:
        super().__init__(random)
        self._identity, self._match, self._seat = identity, match, seat
        self._writer = tape_writer(match, Seat(seat), identity)
        self.known: deque[Digest] = deque([self.digest()], maxlen=KEPT)

    def statement(self) -> Statement:
        """Something that a seat could say, about anything."""
        random, number = self._random, self.number
        makers: tuple[Callable[[], Statement], ...] = (
            lambda: Claim(head=self.head(), action=self.action(), rivals=self.digests()),
            lambda: Claim(head=self.head(), action=random.randbytes(random.randrange(60)), rivals=()),
            lambda: Receipt(claim=self.name(), rivals=self.digests()),
            lambda: Ack(epoch=random.choice((0, number())), term=number(), head=self.head()),
            lambda: CoinReveal(index=number(), coin=random.randbytes(random.choice((0, 32, 32, 99)))),
            lambda: Deed(payload=random.randbytes(random.randrange(80))),
            lambda: Suspect(term=number()),
            lambda: Join(term=number()),
            lambda: HandOver(term=number(), normal=number(), head=self.head()),
            lambda: Unheard(seat=random.choice((0, 1, 2, 3, number())), length=number(), last=self.name()),
            lambda: Back(index=number()),
        )
        return random.choice(makers)()

    def signed(self) -> bytes:
        """A batch of one item that is signed well."""
        random = self._random
        body = tuple(self.statement() for _ in range(random.choice((1, 1, 2, 30))))
        match random.randrange(12):
            case 0:
                raw = random.randbytes(random.randrange(200))
                return self._batch(raw)
            case 1:
                return self._batch(encode(self._item(body)) + b"\xc0")
            case 2:
                return self._batch(encode(self._item((Append(entry=self.entry()),))))
            case 3:
                return self._batch(encode(self._item(body, match=self.digest())))
            case 4:
                first = self._item(body, number=0, prev=NO_DIGEST)
                return self._batch(encode(first))
            case 5 | 6:
                return self._batch(encode(self._item(body, prev=self.name())))
            case _:
                return self._batch(encode(self._item(body)))

    def following(self) -> bytes:
        """A batch of one item that is signed well and follows the one before it, so that it counts."""
        random = self._random
        appended = random.randrange(20) == 0
        body = (Append(entry=self.entry()),) if appended else self._one_claim()
        item = self._writer.write(body)
        self.known.append(item.digest)
        return pack(Batch(items=(item.signed,)))

    def _one_claim(self) -> tuple[Statement, ...]:
        body: list[Statement] = []
        for _ in range(self._random.choice((1, 1, 2, 30))):
            said = self.statement()
            if not (isinstance(said, Claim) and any(isinstance(other, Claim) for other in body)):
                body.append(said)
        return tuple(body)

    def meet(self, item: TapeItem) -> None:
        """Something that can be named, and a stamp that has to be exceeded."""
        self.known.append(item.digest)
        self._writer.see(item.item.lamport)

    def head(self) -> Head:
        return Head(index=self.number(), digest=self.name())

    def name(self) -> Digest:
        return self._random.choice((self._random.choice(self.known), self.digest()))

    def digests(self) -> tuple[Digest, ...]:
        return tuple(self.name() for _ in range(self._random.choice((0, 0, 1, 200))))

    def action(self) -> bytes:
        random = self._random
        spots = tuple(Position(random.randrange(60)) for _ in range(random.choice((1, 2, 16))))
        actions: tuple[Record, ...] = (
            Swap(take=spots, give=spots),
            Pass(pool=spots[:4]),
            Next(),
            Gesture(name="wink", seal=random.randbytes(32)),
            Say(text="\x1b[2J"),
            Call(calls=(Counter(target=random.randrange(-1, 9)),)),
        )
        return encode(random.choice(actions))

    def entry(self) -> bytes:
        random = self._random
        events: tuple[Event, ...] = (
            Settled(claim=self.name(), result=EntryResult.OK, evidence=self.digests()),
            Note(payload=random.randbytes(8)),
            TakeOver(items=self.digests()),
        )
        entry = Entry(
            epoch=0, term=self.number(), index=self.number(), prev=self.name(), elapsed_ms=self.number(),
            wall_ms=self.number(), events=tuple(random.choices(events, k=random.choice((0, 1, 3)))),
        )  # fmt: skip
        return random.choice((encode(entry), random.randbytes(50)))

    def _item(
        self,
        body: tuple[Statement, ...],
        *,
        match: Digest | None = None,
        number: int | None = None,
        prev: Digest | None = None,
    ) -> Item:
        return Item(
            match=match or self._match,
            seat=self._seat,
            incarnation=0,
            number=self.number() if number is None else number,
            prev=prev or self.digest(),
            lamport=self._random.choice((self.number(), self._random.randrange(1, 5000))),
            body=body,
        )

    def _batch(self, raw: bytes) -> bytes:
        signed = Signed(raw=raw, signature=self._identity.sign(ITEM_LABEL, raw))
        self.known.append(item_digest(signed))
        return pack(Batch(items=(signed,)))
