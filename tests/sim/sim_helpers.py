"""Runs of whole tables in one process, with a referee that stops what must never happen."""

from collections import Counter
from collections.abc import Iterator

from kemps_p2p.codec import Digest, decode
from kemps_p2p.deck.deal import is_shuffled, open_all
from kemps_p2p.errors import Fault, PeerFault
from kemps_p2p.game.record import BETWEEN_DEALS
from kemps_p2p.game.rules import RuleSet, deal_cards, load_rules, override
from kemps_p2p.ids import Seat
from kemps_p2p.lab.cheats import deeds_in
from kemps_p2p.ledger.entry import Blamed, Entry, LogRecord, entry_of
from kemps_p2p.ledger.tape import Signed, TapeItem, item_digest, open_item
from kemps_p2p.runtime.sim import ROUGH, Machine, Net, Sim, Stop, Tamper
from kemps_p2p.session import effects as fx
from kemps_p2p.session.fold import Proofs, open_record
from kemps_p2p.session.genesis import Founding
from kemps_p2p.session.logfile import Annex, read_object
from kemps_p2p.session.match import Match, begin, owed_public, rounds
from kemps_p2p.session.messages import (
    Batch,
    BookDeed,
    BookOpenedDeed,
    KeyDeed,
    SeedDeed,
    ShareDeed,
    TurnDeed,
    read_message,
)
from kemps_p2p.session.replay import step
from kemps_p2p.session.session import Session

STUB = "stub-insecure"
LIMIT_MS = 3_600_000


def short_rules(word: str = "KE") -> RuleSet:
    """Kemps without the time to look, and with a short word."""
    return override(load_rules("kemps"), {"look_ms": 0, "word": word})


class Referee:
    """Watches every effect of every machine.

    `liars`: seats whose items and shares are theirs to answer for.
    """

    def __init__(self, liars: frozenset[int] = frozenset()) -> None:
        self.liars = liars
        self.chain: list[bytes] = []
        self.items: dict[tuple[int, int], Digest] = {}
        self._logged: Counter[Seat] = Counter()
        self._journaled: set[tuple[Seat, Digest]] = set()
        self._founding: Founding | None = None
        self.sim: Sim | None = None

    def __call__(self, seat: Seat, effect: fx.Effect, _now_ms: int) -> None:
        match effect:
            case fx.Append(file=fx.File.LOG, data=data):
                self._check_log(seat, data)
            case fx.Append(data=data):
                self._note_journal(seat, data)
            case fx.Send(data=data) if seat not in self.liars:
                self._check_sent(seat, data)
            case _:
                pass

    def _machine(self, seat: Seat) -> Session:
        assert self.sim is not None
        return self.sim.peers[seat].session

    def _check_log(self, seat: Seat, data: bytes) -> None:
        """All logs are prefixes of one chain, whatever moment they are compared at; none is cut back."""
        if isinstance(read_object(data), Annex):
            return
        place = self._logged[seat]
        if place == len(self.chain):
            self.chain.append(data)
        assert self.chain[place] == data, f"seat {seat} has another object {place} in its log"
        self._logged[seat] += 1
        if self._machine(seat).has_begun:
            check_cards(self._machine(seat).play.final)

    def _note_journal(self, seat: Seat, data: bytes) -> None:
        try:
            signed = decode(data, Signed)
        except PeerFault:
            # The genesis, first of all.
            return
        self._journaled.add((seat, item_digest(signed)))

    def _check_sent(self, seat: Seat, data: bytes) -> None:
        message = read_message(data)
        if not isinstance(message, Batch):
            return
        play = self._machine(seat).play
        for signed in message.items:
            item = open_item(signed, play.founding.match, play.founding.keys)
            if item.seat != seat:
                continue
            assert (seat, item.digest) in self._journaled, f"seat {seat} sends before it writes"
            place = item.seat, item.item.number
            assert self.items.setdefault(place, item.digest) == item.digest, f"{place} is used twice"
            for deed in deeds_in(item):
                if isinstance(deed, ShareDeed):
                    check_share_is_due(play.final, seat, deed)


def check_share_is_due(final: Match, seat: Seat, deed: ShareDeed) -> None:
    """A share leaves a seat only for what the final state gives away, of a deck whose turns are all final."""
    game = final.game
    assert deed.deal <= game.deal, "a share of a deal that has not started"
    deck = final.decks[deed.deal, deed.round]
    assert is_shuffled(deck), "a share of a deck that is not shuffled"
    if deed.deal < game.deal or game.phase in BETWEEN_DEALS:
        # Sent while the deal ran, and resent: it was checked then.
        return
    public = owed_public(game) | game.faces.keys()
    others = {position for owner, hand in enumerate(game.hands) if owner != seat for position in hand}
    hidden = set(deed.shares.positions) - public - others
    assert not hidden, f"seat {seat} gives away what nobody, or only it, may see: {hidden}"


def check_cards(final: Match) -> None:
    """Conservation: every position is in one place, all cards are there, and no face shows twice."""
    game = final.game
    if not game.hands:
        return
    lying = Counter([*game.pool, *game.stock, *game.swept, *(p for hand in game.hands for p in hand)])
    assert max(lying.values()) == 1, "a card lies in two places"
    total = len(deal_cards(final.founding.rules, final.seats))
    assert len(lying) == total, f"{len(lying)} of {total} cards are on the table"
    faces = [game.faces[position] for position in lying if position in game.faces]
    assert len(set(faces)) == len(faces), "a card has two faces up"


def records_of(log: list[bytes]) -> list[LogRecord]:
    return [found for found in map(read_object, log) if isinstance(found, LogRecord)]


def entries_of(sim: Sim, seat: int = 0) -> list[Entry]:
    """The entries of a peer's log."""
    founding = sim.peers[seat].session.play.founding
    items = (
        open_item(record.entry, founding.match, founding.keys) for record in records_of(sim.peers[seat].log)
    )
    return [entry for item in items if (entry := entry_of(item)) is not None]


def journaled(sim: Sim, seat: int) -> Iterator[TapeItem]:
    """Every item in a peer's journal."""
    play = sim.peers[seat].session.play
    for data in sim.peers[seat].journal[2:]:
        yield open_item(decode(data, Signed), play.founding.match, play.founding.keys)


def blames_in(sim: Sim, seat: int) -> list[Blamed]:
    """The faults that a peer's log has proven."""
    play = sim.peers[seat].session.play
    found = []
    for record in records_of(sim.peers[seat].log):
        entry = entry_of(open_item(record.entry, play.founding.match, play.founding.keys))
        assert entry is not None
        found += [event for event in entry.events if isinstance(event, Blamed)]
    return found


def check_whole_match(sim: Sim, *, liars: frozenset[int] = frozenset()) -> Match:
    """After a run: one chain, folded again from its bytes, gives the same match; no secret met two inputs."""
    first = sim.peers[0]
    chains = {tuple(peer.log[:-1]) for peer in sim.peers}
    assert len(chains) == 1, "the logs differ"
    founding = first.session.play.founding
    match, proofs = begin(founding), Proofs(is_eager=True)
    inputs: Counter[tuple[int, bytes]] = Counter()
    keys: Counter[bytes] = Counter()
    seeds: Counter[bytes] = Counter()
    counted: set[Digest] = set()
    for place, record in enumerate(records_of(first.log)):
        opened = open_record(record, founding.match, founding.keys)
        assert opened.entry.index == place + 1
        match, _ = step(match, opened, proofs)
        check_cards(match)
        for item in opened.items.values():
            if item.seat in liars or item.digest in counted:
                continue
            counted.add(item.digest)
            for deed in deeds_in(item):
                match deed:
                    case TurnDeed(turn=turn):
                        inputs[item.seat, turn.input] += 1
                    case KeyDeed(key=key):
                        keys.update((key.key, key.commitment))
                    case SeedDeed(seed=seed):
                        seeds[seed.seed] += 1
                    case ShareDeed() | BookDeed() | BookOpenedDeed():
                        pass
    for reused in (inputs, keys, seeds):
        assert not reused or max(reused.values()) == 1, "a secret met two inputs"
    assert match.head == first.session.play.final.head
    assert match.game == first.session.play.final.game
    check_openings(match)
    return match


def check_openings(match: Match) -> None:
    """The opened seeds make every deck the pack that it was, each card once."""
    for deal, seeds in match.seeds.items():
        known = {seat: seed for seat, seed in seeds.items() if seed is not None}
        if len(known) < match.seats:
            continue
        for deck in rounds(match, deal):
            if is_shuffled(deck):
                assert sorted(open_all(deck, known)) == sorted(deck.cards)


def describe(sim: Sim, seed: int) -> str:
    """What to look at when a run is stuck."""
    lines = [f"seed {seed} at {sim.now_ms} ms"]
    for seat, peer in enumerate(sim.peers):
        if not peer.session.has_begun:
            lines.append(f"  seat {seat}: in the lobby, waits for {sorted(peer.session.missing())}")
            continue
        play = peer.session.play
        tip, final = play.tip, play.final
        lines.append(
            f"  seat {seat}: tip {tip.head.index}, final {final.head.index}, {final.game.phase} in deal "
            f"{final.game.deal}, scores {final.game.scores}, on duty {final.on_duty}, closed "
            f"{final.is_closed}, tapes {play.tapes.lengths()}, contests {len(tip.contests)}, "
            f"faults {[(fault.code.value, fault.culprit) for fault in peer.faults[:5]]}"
        )
    return "\n".join(lines)


def play_match(
    seed: int,
    *,
    players: int = 4,
    rules: RuleSet | None = None,
    group: str = STUB,
    net: Net = ROUGH,
    tamper: Tamper | None = None,
    machine: Machine = Session,
    liars: frozenset[int] = frozenset(),
    limit_ms: int = LIMIT_MS,
    stop: Stop | None = Stop.DONE,
    observers: int = 0,
) -> Sim:
    """Run a table under a referee until it stops as it should; None: at its end or at the limit.

    A failure tells the seed and where every peer stands.
    """
    referee = Referee(liars)
    sim = Sim(
        rules=rules or short_rules(),
        players=players,
        seed=seed,
        group=group,
        net=net,
        tamper=tamper,
        machine=machine,
        watch=referee,
        observers=observers,
    )
    referee.sim = sim
    try:
        stopped = sim.run(limit_ms)
    except Exception as error:
        error.add_note(describe(sim, seed))
        raise
    assert stop in (None, stopped), describe(sim, seed)
    return sim


def honest_faults(sim: Sim, liars: frozenset[int] = frozenset()) -> list[list[tuple[Fault, int | None]]]:
    """What each honest peer found, by seat."""
    return [
        [(fault.code, fault.culprit) for fault in peer.faults]
        for seat, peer in enumerate(sim.peers)
        if seat not in liars
    ]
