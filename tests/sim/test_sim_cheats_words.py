"""A seat that lies in its words: named by every honest peer, or without gain; and the match goes on."""

import random
from collections.abc import Callable
from typing import TypeVar

import pytest
from msgspec import structs
from sim_cheats import (
    DUTY,
    OTHERS,
    SEED,
    cheated,
    first_on_duty,
    harmless,
    named,
)
from sim_helpers import honest_faults, journaled, play_match, short_rules

from kemps_p2p.codec import decode, encode
from kemps_p2p.errors import Fault, PeerFault
from kemps_p2p.game.record import Phase
from kemps_p2p.ids import Seat
from kemps_p2p.lab.cheats import Cheat, Said, seated
from kemps_p2p.lab.lies_words import (
    CLAIMS,
    EARLY_SEED,
    NO_ITEMS,
    NOTHING,
    OF_NO_DEAL,
    SAID,
    WORDS,
    leaping_stamp,
    once_playing,
)
from kemps_p2p.lab.networks import (
    Fork,
    TwoTurns,
    Withheld,
    at_number,
    is_claim,
    is_share,
    sim_identity,
    turn_in,
    with_turn,
)
from kemps_p2p.lab.referee import blames_in, check_whole_match, records_of
from kemps_p2p.lab.timing import swap_of
from kemps_p2p.ledger.entry import Contest, Drawn, Result, Settled
from kemps_p2p.ledger.tape import (
    ITEM_LABEL,
    CoinReveal,
    Deed,
    Head,
    Item,
    Receipt,
    Signed,
    Statement,
    claim_of,
)
from kemps_p2p.runtime.sim import Sim
from kemps_p2p.runtime.simnet import PERFECT
from kemps_p2p.session.deeds import blamed
from kemps_p2p.session.fold import Fold, OpenRecord, Proofs, open_record
from kemps_p2p.session.match import begin
from kemps_p2p.session.messages import Batch, TurnDeed, pack, read_message
from kemps_p2p.session.play import Play
from kemps_p2p.session.replay import step

T = TypeVar("T")


def opened_records(sim: Sim) -> list[OpenRecord]:
    founding = sim.peers[0].session.play.founding
    return [open_record(record, founding.match, founding.signers) for record in records_of(sim.peers[0].log)]


# A forked tape


@pytest.mark.parametrize(
    ("number", "half"),
    [(0, 1), (9, 2), *(pytest.param(*other, marks=pytest.mark.soak) for other in ((0, 2), (9, 1)))],
)
def test_two_items_at_one_number_for_two_halves_of_the_table(number: int, half: int) -> None:
    cheat = OTHERS[half]
    receivers = frozenset(
        [seat for seat in OTHERS if seat != cheat][:half]
        if half == 1
        else [seat for seat in range(4) if seat != cheat][:half]
    )
    fork = Fork(SEED, cheat, at_number(number), receivers)
    liars = frozenset({cheat})
    sim = play_match(SEED, rules=short_rules("KE"), tamper=fork, liars=liars, limit_ms=60_000)
    assert fork.has_forked
    named(sim, cheat, Fault.EQUIVOCATION)
    match = check_whole_match(sim, liars=frozenset({cheat}))
    (blame,) = blames_in(sim, 0)
    assert (blame.culprit, len(blame.items)) == (cheat, 2)
    assert match.game.scores[cheat % 2] >= 1


def turns_signed(sim: Sim, seat: int, deal: int) -> list[TurnDeed]:
    """Every turn that a seat has signed in the first round of a deal."""
    told = [turn_in(item.item, deal) for item in journaled(sim, seat) if item.seat == seat]
    return [turn for turn in told if turn is not None]


@pytest.mark.parametrize("deal", [pytest.param(0, marks=pytest.mark.soak), 1])
def test_a_turn_forked_for_the_next_seat_alone(deal: int) -> None:
    """The next seat takes its turn by the item that it was shown, and once more if the other one is logged.

    The list is the same in both, so the same permutation meets the same list again: the turns are one. The
    items prove a fault and hold a turn all the same: the table goes on with it.
    """
    cheat = 1
    liars = frozenset({cheat})
    fork = Fork(SEED, cheat, with_turn(deal), frozenset({cheat + 1}))
    sim = play_match(SEED, rules=short_rules("KE"), tamper=fork, liars=liars, limit_ms=90_000)
    assert fork.has_forked
    named(sim, cheat, Fault.EQUIVOCATION)
    check_whole_match(sim, liars=liars)
    (blame,) = blames_in(sim, 0)
    assert blame.culprit == cheat
    told = turns_signed(sim, cheat + 1, deal)
    assert told
    assert len({turn.on for turn in told}) == len(told)
    assert len({encode(turn.turn) for turn in told}) == 1


def test_two_true_turns_for_two_parts_of_the_table_tell_the_cheat_nothing() -> None:
    """The next seat works on both lists: with another permutation, other factors and other nonces."""
    cheat, victim = 1, 2
    liars = frozenset({cheat})
    lie = TwoTurns(0)
    fork = Fork(SEED, cheat, with_turn(0), frozenset({victim}), lie.change)
    sim = play_match(
        SEED,
        rules=short_rules("KE"),
        tamper=fork,
        machine=seated({cheat: lie.cheat}),
        liars=liars,
        limit_ms=90_000,
    )
    assert fork.has_forked
    named(sim, cheat, Fault.EQUIVOCATION)
    check_whole_match(sim, liars=liars)
    assert [blame.culprit for blame in blames_in(sim, 0)] == [cheat]
    told = turns_signed(sim, victim, 0)
    assert len(told) == 2
    assert len({turn.turn.input for turn in told}) == len({turn.on for turn in told}) == len(told)
    points = [point for turn in told for point in (*turn.turn.a, *turn.turn.proof.p, *turn.turn.proof.q)]
    assert len(set(points)) == len(points)


def test_a_fault_is_punished_once_however_often_it_is_shown() -> None:
    cheat = OTHERS[0]
    liars = frozenset({cheat})
    fork = Fork(SEED, cheat, at_number(9), frozenset({OTHERS[1]}))
    sim = play_match(SEED, rules=short_rules("KE"), tamper=fork, liars=liars, limit_ms=60_000)
    (blame,) = blames_in(sim, 0)
    founding = sim.peers[0].session.play.founding
    match, proofs = begin(founding), Proofs(is_eager=True)
    for record in records_of(sim.peers[0].log):
        opened = open_record(record, founding.match, founding.signers)
        match, _ = step(match, opened, proofs)
        if blame in opened.entry.events:
            break
    assert match.game.phase is not Phase.MATCH_OVER
    with pytest.raises(PeerFault) as fault:
        blamed(Fold(match, DUTY, opened.items, proofs), blame)
    assert (fault.value.code, fault.value.culprit) == (Fault.BAD_BLAME, DUTY)
    assert "used" in str(fault.value)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(200))
def test_any_item_forked_for_anybody(seed: int) -> None:
    rng = random.Random(seed)
    duty = first_on_duty(seed)
    cheat = rng.choice([seat for seat in range(4) if seat != duty])
    half = rng.sample([seat for seat in range(4) if seat != cheat], rng.choice([1, 2]))
    fork = Fork(seed, cheat, at_number(rng.randrange(45)), frozenset(half))
    liars = frozenset({cheat})
    sim = play_match(seed, rules=short_rules(), tamper=fork, liars=liars, limit_ms=90_000)
    check_whole_match(sim, liars=liars)
    if fork.has_forked:
        named(sim, cheat, Fault.EQUIVOCATION)
        assert [event.culprit for event in blames_in(sim, 0)] == [cheat]


# What is said to some and not to others


@pytest.mark.parametrize("wants", [is_claim, is_share], ids=["claims", "shares"])
def test_what_is_kept_from_half_of_the_table_reaches_it_by_the_others(
    wants: Callable[[Statement], bool],
) -> None:
    cheat = OTHERS[1]
    half = frozenset([seat for seat in range(4) if seat != cheat][:2])
    network = Withheld(cheat, half, wants)
    sim = play_match(SEED, rules=short_rules("K"), tamper=network, liars=frozenset({cheat}), limit_ms=60_000)
    assert network.count > 0
    check_whole_match(sim)
    assert honest_faults(sim) == [[]] * 4


# Claims


def exchanges_of(sim: Sim, seat: int) -> dict[Head, list[Result]]:
    """What became of a seat's exchanges, by the head that they cite."""
    results: dict[Head, list[Result]] = {}
    for record in opened_records(sim):
        for event in record.entry.events:
            if isinstance(event, Settled) and record.items[event.claim].seat == seat:
                claim = claim_of(record.items[event.claim].item)
                if claim is not None and swap_of(claim):
                    results.setdefault(claim.head, []).append(event.result)
    return results


def shown_in(how: Callable[[], Cheat], shows: Callable[[Sim], T | None]) -> tuple[Sim, T]:
    """The first match of some in which what seat 0 cheats with comes to pass; bots go their own ways."""
    for seed in range(12):
        sim = cheated(0, how(), seed=seed, stop=None, limit_ms=60_000)
        found = shows(sim)
        if found is not None:
            return sim, found
    raise AssertionError("no seed brings it about")


@pytest.mark.parametrize("name", CLAIMS)
def test_a_claim_that_wants_more_than_its_due(name: str) -> None:
    """Old heads and many claims at once are lawful to say and bring nothing: one exchange a head counts."""

    def exchanged(sim: Sim) -> list[list[Result]] | None:
        results = list(exchanges_of(sim, 0).values())
        is_shown = sim.peers[0].session.is_done and any(Result.OK in said for said in results)
        return results if is_shown else None

    sim, results = shown_in(lambda: CLAIMS[name], exchanged)
    harmless(sim, 0)
    assert honest_faults(sim) == [[]] * 4
    assert all(said.count(Result.OK) <= 1 for said in results)
    assert any(Result.REFUSED in said for said in results) is (name == "sprayed claims")


def test_a_stamp_that_leaps_silences_its_seat_alone() -> None:
    cheat = OTHERS[1]
    sim = cheated(cheat, leaping_stamp(), net=PERFECT, stop=None, limit_ms=15_000)
    honest = [peer.session.play for seat, peer in enumerate(sim.peers) if seat != cheat]
    assert honest_faults(sim, frozenset({cheat})) == [[]] * 3
    for play in honest:
        assert play.final.game.hands
        assert max(item.item.lamport for item in play.tapes.by_digest.values()) < 10_000


# Coins


def contest_of_the_cheat(sim: Sim) -> tuple[OpenRecord, Contest] | None:
    """The first entry that names a contest which seat 0 is in."""
    for record in opened_records(sim):
        for event in record.entry.events:
            if isinstance(event, Contest) and 0 in {record.items[name].seat for name in event.claims}:
                return record, event
    return None


def says_false_coin() -> Cheat:
    def nuisance(play: Play) -> tuple[Said, ...] | None:
        for contest in play.final.contests:
            if play.seat in contest.claimants():
                return (CoinReveal(index=contest.index, coin=bytes(32)),)
        return None

    return Cheat(nuisance=nuisance)


def test_a_false_coin_does_not_keep_the_true_one_out() -> None:
    """The seat owes a coin and says another first; the contest is drawn with the one that fits."""
    sim, (record, _) = shown_in(says_false_coin, contest_of_the_cheat)
    match = harmless(sim, 0)
    assert match.contests == ()
    drawn = [
        event for later in opened_records(sim) for event in later.entry.events if isinstance(event, Drawn)
    ]
    assert record.entry.index in [event.index for event in drawn]


def test_a_seat_that_refuses_its_coin_wins_no_contest() -> None:
    """Its contest waits, or is drawn without its coin: then its team's claims go behind all others."""
    sim, (record, contest) = shown_in(lambda: Cheat(keeps_coins=True), contest_of_the_cheat)
    events = [event for later in opened_records(sim) for event in later.entry.events]
    for drawn in (event for event in events if isinstance(event, Drawn)):
        if drawn.index == record.entry.index:
            is_team = [record.items[name].seat % 2 == 0 for name in drawn.order]
            assert is_team == sorted(is_team)
    settled = {event.claim for event in events if isinstance(event, Settled)}
    assert not settled & set(contest.claims)
    assert honest_faults(sim, frozenset({0})) == [[]] * 3


# Seeds


def test_a_false_seed_said_before_its_time_counts_when_it_is_owed() -> None:
    cheat = OTHERS[2]
    sim = cheated(cheat, once_playing(Deed(payload=encode(EARLY_SEED))))
    named(sim, cheat, Fault.BAD_SEED)
    match = check_whole_match(sim, liars=frozenset({cheat}))
    assert match.forfeits == {cheat % 2}


# Whatever else a seat may say


def check_words(*names: str) -> None:
    """A seat says all these, one after the other, and the match goes on as ever."""
    cheat = OTHERS[1]
    left = list(names)

    def nuisance(play: Play) -> tuple[Said, ...] | None:
        body = WORDS[left[0]].nuisance(play) if left else None
        if body is not None:
            left.pop(0)
        return body

    sim = cheated(cheat, Cheat(nuisance=nuisance, repeats=True), limit_ms=120_000)
    assert left == []
    harmless(sim, cheat)


@pytest.mark.parametrize("words", [SAID, OF_NO_DEAL], ids=["said", "of no deal"])
def test_what_nobody_may_say_stops_nobody(words: dict[str, object]) -> None:
    check_words(*words)


@pytest.mark.soak
@pytest.mark.parametrize("name", WORDS)
def test_each_thing_that_nobody_may_say_stops_nobody(name: str) -> None:
    check_words(name)


def test_a_witness_that_names_a_claim_nobody_made_says_nothing_more_and_makes_nobody_first() -> None:
    """Its tape counts no further, as if it were silent."""
    cheat = OTHERS[1]
    sim = cheated(
        cheat, once_playing(Receipt(claim=NOTHING, rivals=())), net=PERFECT, stop=None, limit_ms=15_000
    )
    chains = [peer.log for seat, peer in enumerate(sim.peers) if seat != cheat]
    shortest = min(map(len, chains))
    assert all(chain[:shortest] == chains[0][:shortest] for chain in chains)
    assert honest_faults(sim, frozenset({cheat})) == [[]] * len(chains)


@pytest.mark.parametrize("name", NO_ITEMS)
def test_an_item_that_is_none_silences_its_seat_and_breaks_nobody(name: str) -> None:
    """A tape has no gaps: who signs what is no item has said its last word, and everybody knows who."""
    cheat = OTHERS[1]
    sim = cheated(cheat, once_playing(*NO_ITEMS[name]), net=PERFECT, stop=None, limit_ms=15_000)
    for faults in honest_faults(sim, frozenset({cheat})):
        assert (Fault.MALFORMED, cheat) in faults


# Strangers


class Stranger:
    """A network with somebody on it who knows every message, and no key: some arrive as it likes."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._key = sim_identity(seed, "stranger")
        self.counts = [0, 0, 0, 0]

    def __call__(self, _sender: Seat, _receiver: Seat, data: bytes) -> bytes:
        message = read_message(data)
        if self._random.random() > 0.1:
            return data
        how = self._random.randrange(4)
        self.counts[how] += 1
        match how, message:
            case 0, Batch(items=items) if items:
                return pack(Batch(items=tuple(map(self._signed_anew, items))))
            case 1, Batch(items=items) if items:
                return pack(Batch(items=tuple(map(self._of_another_match, items))))
            case 2, _:
                place = self._random.randrange(len(data))
                return (
                    data[:place] + bytes([data[place] ^ 1 << self._random.randrange(8)]) + data[place + 1 :]
                )
            case _:
                return self._random.randbytes(len(data))

    def _signed_anew(self, signed: Signed) -> Signed:
        """What a seat has never said, under its name and the stranger's own key."""
        item = decode(signed.raw, Item)
        raw = encode(structs.replace(item, number=item.number + 1))
        return Signed(raw=raw, signature=self._key.sign(ITEM_LABEL, raw))

    @staticmethod
    def _of_another_match(signed: Signed) -> Signed:
        item = decode(signed.raw, Item)
        return Signed(raw=encode(structs.replace(item, match=NOTHING)), signature=signed.signature)


def test_whatever_a_stranger_puts_on_the_wire_nobody_is_blamed_for_it() -> None:
    stranger = Stranger(SEED)
    sim = play_match(SEED, rules=short_rules("K"), tamper=stranger, limit_ms=120_000)
    assert min(stranger.counts) > 10
    check_whole_match(sim)
    assert blames_in(sim, 0) == []
    found = {fault for faults in honest_faults(sim) for fault in faults}
    assert {culprit for _, culprit in found} == {None}
    assert {Fault.BAD_SIGNATURE, Fault.WRONG_MATCH, Fault.MALFORMED} <= {code for code, _ in found}
