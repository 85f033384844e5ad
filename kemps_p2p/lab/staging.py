"""A table on which an attack is tried: a whole match with bots, or races, with the others honest.

Says what can be seen afterwards: who found what, which entry names or is the fault, and a log that shows it
to a stranger.
"""

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from kemps_p2p.codec import Digest, encode
from kemps_p2p.deck.group import STUB
from kemps_p2p.errors import Fault
from kemps_p2p.game.rules import load_rules, override
from kemps_p2p.ids import Seat
from kemps_p2p.lab.cheats import Casting, Cheat, CheatingPlay, cast
from kemps_p2p.lab.nets import net_named
from kemps_p2p.lab.policies import poll
from kemps_p2p.lab.timing import Witness
from kemps_p2p.lab.track import Heat, Outcome, Race, Standstill, Track
from kemps_p2p.ledger.entry import Blamed, LogRecord, entry_of, named_items
from kemps_p2p.ledger.tape import TapeItem, open_item
from kemps_p2p.runtime.sim import Sim, Tamper
from kemps_p2p.runtime.simnet import ROUGH, Net
from kemps_p2p.session.audit import JointAudit, audit_all
from kemps_p2p.session.logfile import read_object

SEED = 3
POLICY = poll
"""What the table orders by. An experiment that takes the poll away puts another policy here."""

MATCH_MS = 40_000
LIE_MS = 800
"""How long a table is watched after a false entry: long enough for every seat to have its say."""

RACES = 24


@dataclass(slots=True)
class Stage:
    """A table after an attack. `is_still`: it did not go on any more. `outcomes`: of its races.

    `liars`: what lying witnesses have really heard.
    """

    sim: Sim
    cheats: frozenset[Seat]
    is_still: bool = False
    outcomes: list[Outcome] = field(default_factory=list)
    liars: dict[Seat, Witness] = field(default_factory=dict)

    @property
    def honest(self) -> list[Seat]:
        """The seats that keep to the rules."""
        seats = self.sim.peers[0].session.play.founding.seats
        return [Seat(seat) for seat in range(seats) if seat not in self.cheats]

    @property
    def wins(self) -> float:
        """The share of its races that the second, a cheat or its accomplice, has won."""
        won = sum(outcome.heat.second in outcome.winners for outcome in self.outcomes)
        return won / max(1, len(self.outcomes))

    def found(self) -> dict[Seat, set[tuple[Fault, int | None]]]:
        """What each honest seat has found."""
        return {
            seat: {(fault.code, fault.culprit) for fault in self.sim.peers[seat].faults}
            for seat in self.honest
        }

    def detected_by(self) -> tuple[Fault | None, tuple[Seat, ...]]:
        """The fault of a cheat that most honest seats have found, and who they are."""
        counted = Counter(
            code for faults in self.found().values() for code, who in faults if who in self.cheats
        )
        if not counted:
            return None, ()
        code = max(counted, key=lambda code: (counted[code], code.value))
        seats = [
            seat
            for seat, faults in self.found().items()
            if any(each is code and who in self.cheats for each, who in faults)
        ]
        return code, tuple(seats)

    def lies(self) -> set[Digest]:
        """The false entries that cheats on duty have said."""
        plays = [self.sim.peers[seat].session.play for seat in self.cheats]
        return {lie for play in plays if isinstance(play, CheatingPlay) for lie in play.lies}

    def has_logged_a_lie(self) -> bool:
        """True if a false entry is final at an honest seat."""
        return any(item.digest in self.lies() for seat in self.honest for item, _ in self.entries(seat))

    def is_blamed(self) -> bool:
        """True if an entry blames a cheat."""
        return self._blame(self.honest[0]) is not None

    def evidence(self) -> tuple[int | None, tuple[Digest, ...], bytes | None]:
        """The entry that blames a cheat, or is a lie itself; the items that prove it; a log that shows it.

        A refused entry is in no log, so it is put at the end of what was final before it.
        """
        seat = self.honest[0]
        blame = self._blame(seat)
        if blame is not None:
            return blame[0], blame[1], self.sim.peers[seat].log_bytes
        refused = self._refused(seat)
        if refused is None:
            return None, (), None
        item, before = refused
        entry = entry_of(item)
        assert entry is not None, "a refused entry is one"
        tapes = self.sim.peers[seat].session.play.tapes.by_digest
        record = LogRecord(entry=item.signed, items=tuple(tapes[name].signed for name in named_items(entry)))
        return entry.index, (item.digest,), before + encode(record)

    def audited(self) -> JointAudit | None:
        """The audit of the log that shows the fault."""
        _, _, log = self.evidence()
        return None if log is None else audit_all([log], allow_stub=True)

    def entries(self, seat: Seat) -> list[tuple[TapeItem, bytes]]:
        """The entries in a seat's log, each with its record."""
        founding = self.sim.peers[seat].session.play.founding
        found = []
        for data in self.sim.peers[seat].log:
            record = read_object(data)
            if isinstance(record, LogRecord):
                found.append((open_item(record.entry, founding.match, founding.signers), data))
        return found

    def _blame(self, seat: Seat) -> tuple[int, tuple[Digest, ...]] | None:
        for item, _ in self.entries(seat):
            entry = entry_of(item)
            assert entry is not None, "a record holds an entry"
            for event in entry.events:
                if isinstance(event, Blamed) and event.culprit in self.cheats:
                    return entry.index, event.items
        return None

    def _refused(self, seat: Seat) -> tuple[TapeItem, bytes] | None:
        """The first false entry that a seat holds and has not logged, and its log up to there."""
        tapes = self.sim.peers[seat].session.play.tapes.by_digest
        logged = {item.digest for item, _ in self.entries(seat)}
        for lie in self.lies() - logged:
            item = tapes.get(lie)
            entry = None if item is None else entry_of(item)
            if item is not None and entry is not None and all(name in tapes for name in named_items(entry)):
                # Before it lie the header, the genesis, and the entries from 1 on.
                return item, b"".join(self.sim.peers[seat].log[: 1 + entry.index])
        return None


def on_duty(cheat: Callable[[], Cheat]) -> Casting:
    """The seat that orders the first deal cheats."""
    return lambda seat, founding: cheat() if seat == founding.first_dealer else None


def beside_duty(cheat: Callable[[], Cheat], places: int = 1) -> Casting:
    """The seat so many places after the one on duty cheats."""
    return lambda seat, founding: (
        cheat() if seat == (founding.first_dealer + places) % founding.seats else None
    )


def in_match(
    casting: Casting,
    *,
    word: str = "K",
    look_ms: int = 0,
    net: Net = ROUGH,
    tamper: Tamper | None = None,
    cheat: int | None = None,
    group: str = STUB.name,
) -> Stage:
    """A whole match with bots. `cheat`: the seat for which `tamper`, a network, cheats."""
    sim = Sim(
        rules=override(load_rules("kemps"), {"look_ms": look_ms, "word": word}),
        players=4,
        seed=SEED,
        group=group,
        net=net,
        tamper=tamper,
        machine=cast(casting, POLICY),
    )
    sim.start()
    while not all(peer.session.has_begun for peer in sim.peers):
        sim.step()
    beside = frozenset() if cheat is None else frozenset({Seat(cheat)})
    stage = Stage(sim, _cheats(sim, casting) | beside)
    until_ms = MATCH_MS
    while not all(peer.session.is_done for peer in sim.peers):
        sim.step()
        if until_ms == MATCH_MS and stage.lies():
            until_ms = sim.now_ms + LIE_MS
        if sim.now_ms > until_ms:
            stage.is_still = True
            break
    return stage


def in_races(
    casting: Casting,
    heat: Callable[[Track, random.Random], Heat],
    *,
    race: Race = Race.EXCHANGE,
    races: int = RACES,
    net: str = "lan",
    until: Callable[[Stage], bool] = lambda stage: False,
    group: str = STUB.name,
) -> Stage:
    """Races, one after the other, `until` there is nothing more to see."""
    rng = random.Random(f"kemps attack {SEED}")
    track = Track(
        players=4, seed=SEED, net=net_named(net), race=race, policy=POLICY, casting=casting, group=group
    )
    stage = Stage(track.sim, _cheats(track.sim, casting))
    for _ in range(races):
        if track.is_over or until(stage) or not _has_run(track, heat(track, rng), stage):
            break
    return stage


def _has_run(track: Track, heat: Heat, stage: Stage) -> bool:
    try:
        stage.outcomes += track.run(heat)
    except Standstill:
        stage.is_still = True
    return not stage.is_still


def beside_a_silenced_seat(cheat: Callable[[], Cheat], group: str = STUB.name) -> Stage:
    """The seat on duty cheats. The one after it wants a card, and once that waits the next wants another."""
    casting = on_duty(cheat)
    track = Track(players=4, seed=SEED, net=net_named("lan"), policy=POLICY, casting=casting, group=group)
    stage = Stage(track.sim, _cheats(track.sim, casting))
    for places in (1, 2):
        _has_run(track, Heat(Seat((track.dealer + places) % 4), None), stage)
    return stage


def _cheats(sim: Sim, casting: Casting) -> frozenset[Seat]:
    founding = sim.peers[0].session.play.founding
    return frozenset(
        Seat(seat) for seat in range(founding.seats) if casting(Seat(seat), founding) is not None
    )


def duty_at(seed: int = SEED) -> Seat:
    """Who orders the first deal: drawn in the lobby, so the same whatever happens later."""
    rules = override(load_rules("kemps"), {"look_ms": 0, "word": "K"})
    sim = Sim(rules=rules, players=4, seed=seed, group=STUB.name)
    sim.start()
    while not sim.peers[0].session.has_begun:
        sim.step()
    return sim.peers[0].session.play.tip.on_duty


def rivals(track: Track, rng: random.Random, *apart: Seat) -> Sequence[Seat]:
    """The seats of a table of four in some order, without some of them."""
    seats = [Seat(seat) for seat in range(4) if seat not in apart]
    rng.shuffle(seats)
    return seats
