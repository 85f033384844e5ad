"""Who watches a whole simulated table, and knows what must never happen at it.

It knows every machine and every file, and no faults: whatever the weather, the same must hold. Invariants:

1. All logs are prefixes of one chain at any moment, and none is ever cut back.
2. What a seat says is written before it is sent, at a number of its own, and no share before it is due.
3. What a machine holds final at an entry is the same for all, whatever it has been restored from.
4. The chain, folded again from its bytes, gives the match that was played; no secret meets two inputs.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass, field

from kemps_p2p.codec import Digest, encode
from kemps_p2p.deck.deal import is_shuffled, open_all
from kemps_p2p.errors import PeerFault
from kemps_p2p.game.record import BETWEEN_DEALS, State
from kemps_p2p.game.rules import deal_cards
from kemps_p2p.ids import Seat
from kemps_p2p.lab.cheats import deeds_in
from kemps_p2p.ledger.entry import Blamed, Entry, LogRecord, entry_of
from kemps_p2p.ledger.tape import item_digest, open_item
from kemps_p2p.runtime.jobs import Jobs
from kemps_p2p.runtime.sim import Sim
from kemps_p2p.session import effects as fx
from kemps_p2p.session.fold import ProofId, Proofs, open_record
from kemps_p2p.session.logfile import ANNEX_LEAD, read_object
from kemps_p2p.session.match import MISSING_SEED, Match, begin, owed_public, rounds
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


class Violation(Exception):
    """What must never happen, whatever fails."""


def demand(holds: bool, text: str) -> None:
    """Raise `Violation` unless it holds."""
    if not holds:
        raise Violation(text)


class Referee:
    """Watches every effect of every machine. Raises `Violation` at once.

    `liars`: seats whose items and shares are theirs to answer for. `sim` is to be set before the start.
    """

    def __init__(self, liars: Set[int] = frozenset()) -> None:
        self.liars = liars
        self.chain: list[bytes] = []
        self.items: dict[tuple[int, int, int], Digest] = {}
        self.states: dict[int, State] = {}
        self._logged: Counter[Seat] = Counter()
        self._journaled: set[tuple[Seat, bytes]] = set()
        self._sent: set[Digest] = set()
        self.sim: Sim | None = None

    def __call__(self, seat: Seat, effect: fx.Effect, _now_ms: int) -> None:
        """See an effect that is about to be carried out."""
        match effect:
            case fx.Append(file=fx.File.LOG, data=data):
                self._check_log(seat, data)
            case fx.Append(data=data):
                self._journaled.add((seat, data))
            case fx.Send(data=data) if seat not in self.liars:
                self._check_sent(seat, data)
            case _:
                pass

    def _machine(self, seat: Seat) -> Session:
        assert self.sim is not None, "a referee without a table"
        return self.sim.peers[seat].session

    def _check_log(self, seat: Seat, data: bytes) -> None:
        if data.startswith(ANNEX_LEAD):
            return
        if self.chain and data == self.chain[0]:
            # Its log is lost, and begins anew.
            self._logged[seat] = 0
        place = self._logged[seat]
        if place == len(self.chain):
            self.chain.append(data)
        demand(self.chain[place] == data, f"seat {seat} has another object {place} in its log")
        self._logged[seat] += 1
        if self._machine(seat).has_begun:
            self.check_state(seat)

    def check_state(self, seat: Seat) -> None:
        """What a machine holds final is what every other one holds, or has held, at that entry."""
        final = self._machine(seat).play.final
        known = self.states.get(final.head.index)
        if known is None:
            self.states[final.head.index] = final.game
            check_cards(final)
        else:
            demand(known == final.game, f"seat {seat} is elsewhere than others at entry {final.head.index}")

    def robbed(self, seat: Seat) -> None:
        """A seat is back without the end of its journal: what nobody has heard of it has not been said."""
        assert self.sim is not None, "a referee without a table"
        begun = [peer.session.play for peer in self.sim.peers if peer.session.has_begun]
        held = {name for play in begun for name in play.tapes.by_digest}
        unheard = [place for place, name in self.items.items() if place[0] == seat and name not in held]
        for place in unheard:
            del self.items[place]

    def _check_sent(self, seat: Seat, data: bytes) -> None:
        message, machine = read_message(data), self._machine(seat)
        if not isinstance(message, Batch):
            return
        # Who stands in is a machine of its own, at the seat of another.
        play, writer, seat = machine.play, seat, machine.seat
        for signed in message.items:
            digest = item_digest(signed)
            item = play.tapes.by_digest.get(digest)
            if digest in self._sent or item is None or item.seat != seat:
                # What is not on a tape is an exhibit of somebody else's fault.
                continue
            self._sent.add(digest)
            demand((writer, encode(signed)) in self._journaled, f"seat {seat} sends before it writes")
            place = item.seat, item.item.incarnation, item.item.number
            demand(self.items.setdefault(place, digest) == digest, f"{place} is used twice")
            for deed in deeds_in(item):
                if isinstance(deed, ShareDeed):
                    check_share_is_due(play.final, seat, deed)


def check_share_is_due(final: Match, seat: Seat, deed: ShareDeed) -> None:
    """A share leaves a seat only for what the final state gives away, of a deck whose turns are all final."""
    game = final.game
    demand(deed.deal <= game.deal, f"seat {seat} gives a share of a deal that has not started")
    deck = final.decks[deed.deal, deed.round]
    demand(is_shuffled(deck), f"seat {seat} gives a share of a deck that is not shuffled")
    if deed.deal < game.deal or game.phase in BETWEEN_DEALS:
        # Sent while the deal ran, and resent: it was checked then.
        return
    public = owed_public(game) | game.faces.keys()
    others = {position for owner, hand in enumerate(game.hands) if owner != seat for position in hand}
    hidden = set(deed.shares.positions) - public - others
    demand(not hidden, f"seat {seat} gives away what nobody, or only it, may see: {sorted(hidden)}")


def check_cards(final: Match) -> None:
    """Conservation: every position is in one place, all cards are there, and no face shows twice."""
    game = final.game
    if not game.hands:
        return
    lying = [*game.pool, *game.stock, *game.swept, *(card for hand in game.hands for card in hand)]
    demand(len(set(lying)) == len(lying), "a card lies in two places")
    total = len(deal_cards(final.founding.rules, final.seats))
    demand(len(lying) == total, f"{len(lying)} of {total} cards are on the table")
    faces = [game.faces[position] for position in lying if position in game.faces]
    demand(len(set(faces)) == len(faces), "a card has two faces up")


def records_of(log: Sequence[bytes]) -> list[LogRecord]:
    """The records in the objects of a log."""
    return [found for found in map(read_object, log) if isinstance(found, LogRecord)]


def entries_of(sim: Sim, seat: int = 0) -> list[Entry]:
    """The entries of a peer's log."""
    founding = sim.peers[seat].session.play.founding
    items = (
        open_item(record.entry, founding.match, sim.peers[seat].session.play.final.signers)
        for record in records_of(sim.peers[seat].log)
    )
    return [entry for item in items if (entry := entry_of(item)) is not None]


def blames_in(sim: Sim, seat: int) -> list[Blamed]:
    """The faults that a peer's log has proven."""
    return [event for entry in entries_of(sim, seat) for event in entry.events if isinstance(event, Blamed)]


@dataclass(slots=True)
class _SimProofs(Proofs):
    """Proofs that the table has verified already, or that are verified now."""

    jobs: Jobs = field(default_factory=Jobs)

    def run(self, proof: ProofId, check: Callable[[], object]) -> None:
        """Ask what verifying comes to, and remember it."""
        outcome = self.jobs.outcome(check)
        if isinstance(outcome, PeerFault):
            self.bad[proof] = outcome
        else:
            self.good.add(proof)


def check_whole_match(sim: Sim, *, liars: Set[int] = frozenset()) -> Match:
    """After a run: one chain, folded again from its bytes, gives the same match; no secret met two inputs.

    Raises `Violation`.
    """
    # Some may have begun one more term to make the close final that others had already.
    first = max(sim.peers, key=lambda peer: len(peer.log))
    whole = first.log[:-1]
    demand(all(peer.log[:-1] == whole[: len(peer.log) - 1] for peer in sim.peers), "the logs differ")
    founding = first.session.play.founding
    match, proofs = begin(founding), _SimProofs(is_eager=True, jobs=sim.jobs)
    secrets: Counter[object] = Counter()
    counted: set[Digest] = set()
    for place, record in enumerate(records_of(first.log)):
        opened = open_record(record, founding.match, match.signers)
        demand(opened.entry.index == place + 1, f"entry {opened.entry.index} at place {place + 1}")
        match, _ = step(match, opened, proofs)
        check_cards(match)
        for item in opened.items.values():
            if item.seat not in liars and item.digest not in counted:
                counted.add(item.digest)
                for deed in deeds_in(item):
                    secrets.update(_secrets_in(item.seat, deed))
    demand(max(secrets.values(), default=1) == 1, "a secret met two inputs")
    demand(match.head == first.session.play.final.head, "the log ends elsewhere than the match")
    demand(match.game == first.session.play.final.game, "the log folds to another match")
    check_openings(match)
    return match


def check_losses(sim: Sim, match: Match, befallen: Set[int]) -> None:
    """A seat is given anew to who has lost its files alone, and seeds are missing where something befell.

    `befallen`: the seats that may have lost secrets, or been away when those were due. Raises `Violation`.
    """
    for seat, peer in enumerate(sim.peers):
        given = len(match.signers[seat]) - 1
        demand(given <= peer.losses, f"seat {seat} is given anew {given} times, {peer.losses} times lost")
    for deal, seeds in match.seeds.items():
        missing = {seat for seat, seed in seeds.items() if seed == MISSING_SEED}
        demand(missing <= befallen, f"seeds of deal {deal} are missing of {sorted(missing - befallen)}")


def _secrets_in(seat: int, deed: object) -> Iterator[object]:
    match deed:
        case TurnDeed(turn=turn):
            yield seat, turn.input
        case KeyDeed(key=key):
            yield key.key
            yield key.commitment
        case SeedDeed(seed=seed):
            yield seed.seed
        case ShareDeed() | BookDeed() | BookOpenedDeed() | _:
            return


def check_openings(match: Match) -> None:
    """The opened seeds make every deck the pack that it was, each card once. Raises `Violation`."""
    for deal, seeds in match.seeds.items():
        known = {seat: seed for seat, seed in seeds.items() if seed is not None and seed != MISSING_SEED}
        if len(known) < match.seats:
            continue
        for deck in rounds(match, deal):
            if is_shuffled(deck):
                opened = sorted(open_all(deck, known))
                demand(opened == sorted(deck.cards), f"the seeds of deal {deal} open another pack")


def describe(sim: Sim, seed: int) -> str:
    """What to look at when a run is stuck."""
    lines = [f"seed {seed} at {sim.now_ms} ms"]
    for seat, peer in enumerate(sim.peers):
        if not peer.session.has_begun:
            lines.append(f"  seat {seat}: in the lobby, waits for {sorted(peer.session.missing())}")
            continue
        play = peer.session.play
        tip, final = play.tip, play.final
        state = "down" if peer.is_down else "recovering" if play.is_recovering else "up"
        lines.append(
            f"  seat {seat}: {state}, tip {tip.head.index}, final {final.head.index}, {final.game.phase} in "
            f"deal {final.game.deal}, scores {final.game.scores}, term {tip.term}, on duty {final.on_duty}, "
            f"closed {final.is_closed}, tapes {play.tapes.lengths()}, contests {len(tip.contests)}, "
            f"faults {[(fault.code.value, fault.culprit) for fault in peer.faults[:5]]}"
        )
    return "\n".join(lines)
