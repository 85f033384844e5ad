"""Whole matches with an observer: honest, on bad networks, gone, silent, and lying."""

from collections.abc import Callable

import pytest
from sim_helpers import STUB, honest_faults, play_match, short_rules

from kemps_p2p.errors import Fault
from kemps_p2p.ids import Seat
from kemps_p2p.lab.referee import blames_in, check_whole_match, records_of
from kemps_p2p.ledger.entry import Struck, entry_of
from kemps_p2p.ledger.tape import Ack, Receipt, Statement, open_item
from kemps_p2p.runtime.sim import Sim
from kemps_p2p.runtime.simnet import ROUGH, Net
from kemps_p2p.session.audit import Verdict, audit_all
from kemps_p2p.session.genesis import Founding
from kemps_p2p.session.lobby import Setup
from kemps_p2p.session.logfile import Annex, read_object
from kemps_p2p.session.play import Play
from kemps_p2p.session.session import Session

OBSERVER = Seat(4)
STORM = Net(delay_ms=(1.0, 400.0), loss=0.25, duplication=0.25)
LIES_AT = 5
"""The item of its tape with which a lying observer begins."""


class Lying(Session):
    """An observer whose items are changed on their way to its tape."""

    def _make_play(self, founding: Founding, now_ms: int, wall_ms: int) -> Play:
        play = super()._make_play(founding, now_ms, wall_ms)
        write = play._write

        def lying(body: tuple[Statement, ...], now_ms: int) -> None:
            self.lie(play, body)
            write(self.instead(play, body), now_ms)

        play._write = lying  # type: ignore[method-assign]
        return play

    def lie(self, play: Play, body: tuple[Statement, ...]) -> None:
        """Something beside the item, if this is the place for it."""

    def instead(self, play: Play, body: tuple[Statement, ...]) -> tuple[Statement, ...]:
        """What the item says instead."""
        return body


class Acking(Lying):
    """It acks, as if it had a seat."""

    def instead(self, play: Play, body: tuple[Statement, ...]) -> tuple[Statement, ...]:
        ack = Ack(epoch=play.tip.epoch, term=play.tip.term, head=play.tip.head)
        return (*body, ack) if play._writer.number == LIES_AT else body


class Forking(Lying):
    """It says two things at one place of its tape."""

    def lie(self, play: Play, body: tuple[Statement, ...]) -> None:
        pen = play._writer
        if pen.number == LIES_AT:
            before = pen.number, pen.prev, pen.lamport
            twin = pen.write((*body, body[-1]))
            pen.number, pen.prev, pen.lamport = before
            play._to_send.append(twin.signed)


class Mute(Session):
    """It is there and gives no receipts."""

    def _make_play(self, founding: Founding, now_ms: int, wall_ms: int) -> Play:
        play = super()._make_play(founding, now_ms, wall_ms)
        play._holding.receipts = lambda: iter(())  # type: ignore[method-assign]
        return play


def observed(
    seed: int,
    kind: Callable[[Setup], Session] = Session,
    *,
    net: Net = ROUGH,
    word: str = "K",
    players: int = 4,
) -> Sim:
    """A match among honest seats and an observer of some kind."""

    def machine(setup: Setup) -> Session:
        return kind(setup) if setup.seat == players else Session(setup)

    liars = frozenset[int]() if kind is Session else frozenset({players})
    return play_match(
        seed,
        players=players,
        rules=short_rules(word),
        net=net,
        machine=machine,
        liars=liars,
        observers=1,
    )


def parted(seed: int, word: str, is_parted: Callable[[Sim], bool]) -> Sim:
    """A match whose observer is cut off from everybody while `is_parted` says so."""
    sims: list[Sim] = []

    def part(sender: Seat, receiver: Seat, data: bytes) -> bytes | None:
        return None if OBSERVER in (sender, receiver) and is_parted(sims[0]) else data

    rules = short_rules(word)
    sim = Sim(rules=rules, players=4, seed=seed, group=STUB, net=ROUGH, tamper=part, observers=1)
    sims.append(sim)
    sim.run()
    return sim


def check_match(sim: Sim) -> None:
    """As for any match. Nobody waits for a struck observer, so its log is compared as far as it goes."""
    play = sim.peers[0].session.play
    if play.final.observer is None:
        log = sim.peers.pop().log
        chain = log[:-1] if isinstance(read_object(log[-1]), Annex) else log
        assert chain == sim.peers[0].log[: len(chain)]
    check_whole_match(sim, liars=frozenset({play.founding.seats}))


def check_logs(sim: Sim) -> None:
    """All logs are clean, each by itself and against the others."""
    count = len(sim.peers)
    joint = audit_all([peer.log_bytes for peer in sim.peers], allow_stub=True)
    assert joint.verdict is Verdict.CLEAN, [one.findings for one in joint.audits]
    assert [one.annexed_by for one in joint.audits] == list(range(count))
    assert joint.audits[0].observer_name == "Bot 4"


def words_of(sim: Sim) -> int:
    """How many entries of the first log carry a receipt of the observer."""
    play = sim.peers[0].session.play
    found = 0
    for record in records_of(sim.peers[0].log):
        items = [open_item(signed, play.founding.match, play.founding.signers) for signed in record.items]
        own = [item for item in items if item.seat == play.founding.observer]
        assert all(isinstance(said, Receipt) for item in own for said in item.item.body)
        found += bool(own)
    return found


def strikes_in(sim: Sim) -> list[Struck]:
    play = sim.peers[0].session.play
    entries = [
        entry_of(open_item(record.entry, play.founding.match, play.founding.signers))
        for record in records_of(sim.peers[0].log)
    ]
    return [event for entry in entries if entry for event in entry.events if isinstance(event, Struck)]


def test_an_observer_follows_the_match_and_keeps_the_same_log() -> None:
    sim = observed(1)
    check_match(sim)
    assert honest_faults(sim) == [[]] * 5
    check_logs(sim)
    assert words_of(sim) > 0
    assert sim.peers[0].session.play.final.observer == OBSERVER


def test_an_observer_that_withholds_its_receipts_is_struck() -> None:
    sim = observed(2, Mute, word="KE")
    check_match(sim)
    assert honest_faults(sim) == [[]] * 4
    assert len(strikes_in(sim)) == 1
    assert [peer.session.play.final.observer for peer in sim.peers] == [None] * 4
    check_logs(sim)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(20))
def test_an_observer_that_contradicts_itself_is_struck_and_nobody_loses_a_deal(seed: int) -> None:
    sim = observed(seed, Forking, word="KE")
    check_match(sim)
    (blame,) = blames_in(sim, 0)
    assert blame.culprit == OBSERVER
    assert sim.peers[0].session.play.final.observer is None
    for found in honest_faults(sim, frozenset({4})):
        assert set(found) == {(Fault.EQUIVOCATION, 4)}
    check_logs(sim)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(20))
def test_an_observer_that_acks_is_struck(seed: int) -> None:
    sim = observed(seed, Acking, word="KE")
    check_match(sim)
    (blame,) = blames_in(sim, 0)
    assert (blame.culprit, len(blame.items)) == (OBSERVER, 1)
    for found in honest_faults(sim, frozenset({4})):
        assert set(found) == {(Fault.WRONG_SEAT, 4)}
    check_logs(sim)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("players", [4, 6])
def test_honest_observers(seed: int, players: int) -> None:
    sim = observed(100 + seed, word="KEM", players=players)
    check_match(sim)
    assert honest_faults(sim) == [[]] * (players + 1)
    assert sim.peers[0].session.play.final.observer == players


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("kind", [Mute, Forking, Session])
def test_in_a_storm(seed: int, kind: Callable[[Setup], Session]) -> None:
    sim = observed(seed, kind, word="KE", net=STORM)
    check_match(sim)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(30))
def test_an_observer_that_dies_is_struck_and_the_match_goes_on(seed: int) -> None:
    dies_ms = 200 * seed
    sims: list[Sim] = []

    def cut_off(sender: Seat, receiver: Seat, data: bytes) -> bytes | None:
        (sim,) = sims
        is_dead = sim.now_ms >= dies_ms and sim.peers[0].session.has_begun
        return None if is_dead and OBSERVER in (sender, receiver) else data

    sim = Sim(
        rules=short_rules("KEM"), players=4, seed=seed, group=STUB, net=ROUGH, tamper=cut_off, observers=1
    )
    sims.append(sim)
    sim.run()
    assert all(peer.session.is_done for peer in sim.peers[:4])
    assert sim.peers[0].session.play.final.observer is None
    check_match(sim)
    assert len(strikes_in(sim)) == 1
    assert honest_faults(sim) == [[]] * 4
    check_logs(sim)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(10))
def test_an_observer_that_comes_back_is_asked_again_or_struck_for_good(seed: int) -> None:
    """It is away for about as long as it may be: whichever comes of it, all say the same."""
    from_ms, until_ms = 2000, 6000 + 300 * seed
    sims: list[Sim] = []

    def away(sender: Seat, receiver: Seat, data: bytes) -> bytes | None:
        (sim,) = sims
        is_away = from_ms <= sim.now_ms < until_ms and OBSERVER in (sender, receiver)
        return None if is_away else data

    sim = Sim(
        rules=short_rules("KEMP"), players=4, seed=seed, group=STUB, net=ROUGH, tamper=away, observers=1
    )
    sims.append(sim)
    sim.run()
    check_match(sim)
    check_logs(sim)
    assert honest_faults(sim) == [[]] * len(sim.peers)
