"""A cheating seat of each kind: every honest peer names it, its team loses the deal, the match goes on."""

import random
from collections.abc import Callable
from dataclasses import replace

import pytest
from msgspec import structs
from sim_cheats import (
    Cheat,
    Fork,
    Scene,
    at_number,
    duplicate_card,
    first_on_duty,
    list_of_its_own,
    list_of_its_own_under_the_right_name,
    replaced_card,
    scene,
    seated,
    tagged_card,
    with_turn,
)
from sim_helpers import (
    blames_in,
    check_whole_match,
    deeds_in,
    honest_faults,
    journaled,
    play_match,
    records_of,
    short_rules,
)

from kemps_p2p.codec import Digest, Record, encode
from kemps_p2p.deck.deal import Deck, Seed, Shares, Turn, make_shares
from kemps_p2p.deck.group import IDENTITY, scalar_bytes
from kemps_p2p.deck.group import STUB as STUB_GROUP
from kemps_p2p.errors import Fault, PeerFault
from kemps_p2p.game.record import Phase
from kemps_p2p.ids import Position, Seat
from kemps_p2p.ledger.entry import Blamed, Carried, Entry, Note, Result, Settled
from kemps_p2p.ledger.tape import Ack, Append, Claim, CoinReveal, Deed, Head, Receipt, Statement
from kemps_p2p.runtime.sim import PERFECT, ROUGH, Net, Sim, Stop
from kemps_p2p.session.dealing import deal_seed
from kemps_p2p.session.deeds import blamed
from kemps_p2p.session.fold import Fold, Proofs, open_record
from kemps_p2p.session.match import Match, begin
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
from kemps_p2p.session.replay import step, winners

SEED = 3
NOTHING = Digest(bytes(32))
DUTY = first_on_duty(SEED)
OTHERS = [seat for seat in range(4) if seat != DUTY]


def named(sim: Sim, cheat: int, code: Fault) -> None:
    """Every honest peer found this fault of this seat, and none of another's."""
    for faults in honest_faults(sim, frozenset({cheat})):
        assert (code, cheat) in faults
        assert {culprit for _, culprit in faults} == {cheat}


def refused(sim: Sim, cheat: int, code: Fault, *, deal: int = 0) -> Match:
    """The fault is in the log, the deal is lost for the culprit's team and not a card of it was shown."""
    named(sim, cheat, code)
    match = check_whole_match(sim, liars=frozenset({cheat}))
    for seat in range(4):
        assert [event.culprit for event in blames_in(sim, seat)] == [cheat]
    assert match.spoilt == {deal: cheat % 2}
    assert match.game.phase is Phase.MATCH_OVER
    assert match.game.scores[cheat % 2] >= 1
    assert not shares_of_deal(sim, deal)
    return match


def shares_of_deal(sim: Sim, deal: int) -> list[ShareDeed]:
    return [
        deed
        for seat in range(4)
        for item in journaled(sim, seat)
        for deed in deeds_in(item)
        if isinstance(deed, ShareDeed) and deed.deal == deal
    ]


def cheated(
    cheat: int,
    how: Cheat,
    *,
    word: str = "K",
    net: Net = ROUGH,
    stop: Stop = Stop.DONE,
    limit_ms: int = 60_000,
) -> Sim:
    return play_match(
        SEED,
        net=net,
        rules=short_rules(word),
        machine=seated(cheat, how),
        liars=frozenset({cheat}),
        limit_ms=limit_ms,
        stop=stop,
    )


# Turns


def false_turn(make: Callable[[Scene], Turn], deal: int = 0) -> Cheat:
    def turn(deck: Deck, seat: Seat, seed: bytes) -> Turn | None:
        return make(scene(deck, seat, seed)) if deck.table.deal == deal else None

    return Cheat(turn=turn)


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


POINT = STUB_GROUP.base_mul(4711)
SCALAR = scalar_bytes(4711)
TURNS: dict[str, tuple[Callable[[Scene], Turn], Fault]] = {
    "duplicate card": (duplicate_card, Fault.BAD_SHUFFLE_PROOF),
    "replaced card": (replaced_card, Fault.BAD_SHUFFLE_PROOF),
    "tagged card": (tagged_card, Fault.BAD_SHUFFLE_PROOF),
    "list of its own": (list_of_its_own, Fault.BAD_TURN),
    "list under the right name": (list_of_its_own_under_the_right_name, Fault.BAD_SHUFFLE_PROOF),
    "no point": (mutated("a", 3, value=b"\xff" * 32), Fault.BAD_POINT),
    "the identity": (mutated("c", 0, value=IDENTITY), Fault.BAD_POINT),
    "a short list": (mutated("a", value=(POINT,)), Fault.MALFORMED),
    "an empty proof": (mutated("proof", "s_hat", value=()), Fault.MALFORMED),
    "an unreduced scalar": (mutated("proof", "s1", value=b"\xff" * 32), Fault.BAD_SCALAR),
    "p": (mutated("proof", "p", 5, value=POINT), Fault.BAD_SHUFFLE_PROOF),
    "q": (mutated("proof", "q", 51, value=POINT), Fault.BAD_SHUFFLE_PROOF),
    "challenge": (mutated("proof", "challenge", value=SCALAR), Fault.BAD_SHUFFLE_PROOF),
    "s1": (mutated("proof", "s1", value=SCALAR), Fault.BAD_SHUFFLE_PROOF),
    "s4": (mutated("proof", "s4", value=SCALAR), Fault.BAD_SHUFFLE_PROOF),
    "s_hat": (mutated("proof", "s_hat", 0, value=SCALAR), Fault.BAD_SHUFFLE_PROOF),
    "s_prime": (mutated("proof", "s_prime", 51, value=SCALAR), Fault.BAD_SHUFFLE_PROOF),
}


@pytest.mark.parametrize("name", TURNS)
def test_a_false_turn(name: str) -> None:
    make, code = TURNS[name]
    cheat = OTHERS[len(name) % 3]
    match = refused(cheated(cheat, false_turn(make)), cheat, code)
    assert winners(match) == (1 - cheat % 2,)


def test_a_false_turn_later_in_the_match() -> None:
    """In the second deal: the first is played as ever, and after the lost one comes another."""
    cheat = next(seat for seat in OTHERS if seat != (DUTY + 1) % 4)
    sim = cheated(cheat, false_turn(duplicate_card, deal=1), word="KEM")
    match = refused(sim, cheat, Fault.BAD_SHUFFLE_PROOF, deal=1)
    assert match.game.deal >= 2
    assert sum(match.game.scores) >= 3
    assert shares_of_deal(sim, 0)
    assert shares_of_deal(sim, match.game.deal)


def test_a_false_turn_on_real_points() -> None:
    cheat = OTHERS[0]
    sim = play_match(
        SEED,
        rules=short_rules("K"),
        group="ristretto255",
        machine=seated(cheat, false_turn(duplicate_card)),
        liars=frozenset({cheat}),
    )
    refused(sim, cheat, Fault.BAD_SHUFFLE_PROOF)


def test_a_false_turn_of_the_seat_on_duty_that_blames_itself() -> None:
    refused(cheated(DUTY, false_turn(duplicate_card)), DUTY, Fault.BAD_SHUFFLE_PROOF)


def test_a_false_turn_of_the_seat_on_duty_stalls_the_table_and_shows_nothing() -> None:
    how = replace(false_turn(duplicate_card), hides=True)
    sim = cheated(DUTY, how, stop=Stop.TIME, limit_ms=20_000)
    named(sim, DUTY, Fault.BAD_SHUFFLE_PROOF)
    assert not shares_of_deal(sim, 0)
    assert all(not peer.session.play.final.game.hands for peer in sim.peers)


def test_a_turn_out_of_turn_is_left_alone() -> None:
    """Said too early or once more it is not owed: it is never logged, and nobody is hurt by it."""

    def again(play: Play) -> tuple[Statement, ...] | None:
        mine = [item for item in play.tapes.by_digest.values() if item.seat == play.seat]
        for item in mine:
            for deed in deeds_in(item):
                if isinstance(deed, TurnDeed):
                    return (Deed(payload=encode(deed)), Deed(payload=encode(structs.replace(deed, round=1))))
        return None

    cheat = OTHERS[1]
    sim = cheated(cheat, Cheat(nuisance=again))
    check_whole_match(sim, liars=frozenset({cheat}))
    assert blames_in(sim, 0) == []


# Keys


def first_key(change: Callable[[Play, KeyDeed], KeyDeed]) -> Callable[[Play, DeedBody], DeedBody | None]:
    return lambda play, deed: change(play, deed) if isinstance(deed, KeyDeed) and deed.deal == 0 else None


def others_key(play: Play, deal: int = 0) -> KeyDeed | None:
    for item in play.tapes.by_digest.values():
        for deed in deeds_in(item):
            if item.seat != play.seat and isinstance(deed, KeyDeed) and deed.deal == deal:
                return deed
    return None


def copied_key(play: Play, _own: KeyDeed) -> KeyDeed:
    found = others_key(play)
    assert found is not None
    return found


def copied_point(play: Play, own: KeyDeed) -> KeyDeed:
    found = others_key(play)
    assert found is not None
    return structs.replace(own, key=structs.replace(own.key, key=found.key.key))


def unproven_key(_play: Play, own: KeyDeed) -> KeyDeed:
    return structs.replace(
        own, key=structs.replace(own.key, proof=structs.replace(own.key.proof, response=SCALAR))
    )


def empty_key(_play: Play, own: KeyDeed) -> KeyDeed:
    return structs.replace(own, key=structs.replace(own.key, key=IDENTITY))


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (copied_key, Fault.BAD_KEY_PROOF),
        (copied_point, Fault.BAD_KEY_PROOF),
        (unproven_key, Fault.BAD_KEY_PROOF),
        (empty_key, Fault.BAD_POINT),
    ],
)
def test_a_false_key(change: Callable[[Play, KeyDeed], KeyDeed], code: Fault) -> None:
    cheat = OTHERS[0]

    def wait(play: Play, deed: DeedBody) -> bool:
        return isinstance(deed, KeyDeed) and deed.deal == 0 and others_key(play) is None

    refused(cheated(cheat, Cheat(deed=first_key(change), wait=wait)), cheat, code)


# Shares


def other_part(_play: Play, shares: Shares) -> Shares:
    return structs.replace(shares, parts=(POINT, *shares.parts[1:]))


def other_positions(play: Play, shares: Shares) -> Shares:
    """True shares, truly proven, of other cards, named as those that are owed."""
    deck = play.final.decks[0, 0]
    wanted = [Position(len(deck.cards) - 1 - place) for place in range(len(shares.positions))]
    secret = play._dealing._secret
    made = make_shares(deck, play.seat, deal_seed(secret, 0), wanted)
    return structs.replace(made, positions=shares.positions)


def other_deals_key(play: Play, shares: Shares) -> Shares:
    deck = play.final.decks[0, 0]
    seed = deal_seed(play._dealing._secret, 77)
    return make_shares(deck, play.seat, seed, list(map(Position, shares.positions)))


def other_proof(_play: Play, shares: Shares) -> Shares:
    return structs.replace(shares, proof=structs.replace(shares.proof, challenge=SCALAR))


@pytest.mark.parametrize("which", [0, 1], ids=["of hands", "of the pool"])
@pytest.mark.parametrize("change", [other_part, other_positions, other_deals_key, other_proof])
def test_a_false_share(change: Callable[[Play, Shares], Shares], which: int) -> None:
    """The first shares are those of the other hands; those of the pool come next."""
    cheat = OTHERS[which]
    said: list[DeedBody] = []

    def deed(play: Play, body: DeedBody) -> DeedBody | None:
        if not isinstance(body, ShareDeed):
            return None
        said.append(body)
        if len(said) != which + 1:
            return None
        return structs.replace(body, shares=change(play, body.shares))

    sim = cheated(cheat, Cheat(deed=deed))
    named(sim, cheat, Fault.BAD_SHARE_PROOF)
    match = check_whole_match(sim, liars=frozenset({cheat}))
    assert [event.culprit for event in blames_in(sim, DUTY)] == [cheat]
    assert match.spoilt == {}
    assert match.game.scores[cheat % 2] == 1
    assert winners(match) == (1 - cheat % 2,)


# Coins


def test_a_false_coin_does_not_keep_the_true_one_out() -> None:
    """The seat owes a coin and says another first; the contest is drawn with the one that fits."""
    cheat = 1
    said: list[int] = []

    def nuisance(play: Play) -> tuple[Statement, ...] | None:
        for contest in play.final.contests:
            if cheat in contest.claimants():
                said.append(contest.index)
                return (CoinReveal(index=contest.index, coin=bytes(32)),)
        return None

    sim = cheated(cheat, Cheat(nuisance=nuisance))
    assert len(said) == 1
    match = check_whole_match(sim, liars=frozenset({cheat}))
    assert match.contests == ()


# Seeds


def test_a_false_seed_loses_the_match() -> None:
    cheat = OTHERS[2]

    def deed(_play: Play, body: DeedBody) -> DeedBody | None:
        if isinstance(body, SeedDeed):
            return structs.replace(body, seed=structs.replace(body.seed, seed=bytes(32)))
        return None

    sim = cheated(cheat, Cheat(deed=deed))
    named(sim, cheat, Fault.BAD_SEED)
    match = check_whole_match(sim, liars=frozenset({cheat}))
    assert match.forfeits == {cheat % 2}
    assert winners(match) == (1 - cheat % 2,)


def test_a_false_seed_said_before_its_time_counts_when_it_is_owed() -> None:
    cheat = OTHERS[2]
    early = SeedDeed(deal=0, attempt=0, seed=Seed(seed=bytes(32)))
    sim = cheated(cheat, once_playing(Deed(payload=encode(early))))
    named(sim, cheat, Fault.BAD_SEED)
    match = check_whole_match(sim, liars=frozenset({cheat}))
    assert match.forfeits == {cheat % 2}


# A forked tape


@pytest.mark.parametrize("half", [1, 2])
@pytest.mark.parametrize("number", [0, 2, 9, 14])
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


@pytest.mark.parametrize("deal", [0, 1])
def test_a_turn_forked_for_the_next_seat_alone(deal: int) -> None:
    """The next seat takes its turn on a list that is not logged, and then once more on the one that is."""
    cheat = 1
    liars = frozenset({cheat})
    fork = Fork(SEED, cheat, with_turn(deal), frozenset({cheat + 1}))
    sim = play_match(SEED, rules=short_rules("KEM"), tamper=fork, liars=liars, limit_ms=90_000)
    assert fork.has_forked
    named(sim, cheat, Fault.EQUIVOCATION)
    check_whole_match(sim, liars=liars)
    (blame,) = blames_in(sim, 0)
    assert blame.culprit == cheat


def test_a_fault_is_punished_once_however_often_it_is_shown() -> None:
    cheat = OTHERS[0]
    liars = frozenset({cheat})
    fork = Fork(SEED, cheat, at_number(9), frozenset({OTHERS[1]}))
    sim = play_match(SEED, rules=short_rules("KE"), tamper=fork, liars=liars, limit_ms=60_000)
    (blame,) = blames_in(sim, 0)
    founding = sim.peers[0].session.play.founding
    match, proofs = begin(founding), Proofs(is_eager=True)
    for record in records_of(sim.peers[0].log):
        opened = open_record(record, founding.match, founding.keys)
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


# Whatever else a seat may say


def once_playing(*body: Statement) -> Cheat:
    return Cheat(nuisance=lambda play: body if play.final.head.index >= 8 else None)


def entry(index: int, *, events: tuple[Note, ...] = (Note(payload=b""),)) -> Append:
    return Append(
        entry=encode(
            Entry(index=index, prev=NOTHING, epoch=0, term=0, elapsed_ms=0, wall_ms=0, events=events)
        )
    )


HARMLESS: dict[str, tuple[Statement, ...]] = {
    "a deed that is none": (Deed(payload=b"\xc1"),),
    "a claim that is none": (Claim(head=Head(index=0, digest=NOTHING), action=b"\xc1", rivals=()),),
    "a claim against another chain": (
        Claim(head=Head(index=3, digest=NOTHING), action=encode(("x",)), rivals=()),
    ),
    "an entry that is none": (Append(entry=b"\xc1"),),
    "an entry of a seat not on duty": (entry(9),),
    "an entry of a seat not on duty, far ahead": (entry(40),),
    "an ack of the future": (Ack(epoch=0, term=0, head=Head(index=10**9, digest=NOTHING)),),
    "a coin that nobody owes": (CoinReveal(index=5, coin=b""),),
}


def other(kind: type[DeedBody], **fields: object) -> Callable[[DeedBody], DeedBody | None]:
    """Another deed of one kind."""

    def change(deed: DeedBody) -> DeedBody | None:
        return structs.replace(deed, **fields) if isinstance(deed, kind) else None

    return change


def of_no_position(deed: DeedBody) -> DeedBody | None:
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


def of_no_deal(name: str) -> Cheat:
    """What the seat said already, said again of something else."""

    def nuisance(play: Play) -> tuple[Statement, ...] | None:
        if play.final.head.index < 12:
            return None
        own = [item for item in play.tapes.by_digest.values() if item.seat == play.seat]
        for deed in (deed for item in own for deed in deeds_in(item)):
            changed = OF_NO_DEAL[name](deed)
            if changed is not None:
                return (Deed(payload=encode(changed)),)
        return None

    return Cheat(nuisance=nuisance)


NUISANCES = {
    **{name: once_playing(*body) for name, body in HARMLESS.items()},
    **{name: of_no_deal(name) for name in OF_NO_DEAL},
}


@pytest.mark.parametrize("name", NUISANCES)
def test_what_nobody_may_say_stops_nobody(name: str) -> None:
    cheat = OTHERS[1]
    said: list[tuple[Statement, ...]] = []

    def nuisance(play: Play) -> tuple[Statement, ...] | None:
        body = NUISANCES[name].nuisance(play)
        said.extend([body] if body is not None else [])
        return body

    sim = cheated(cheat, Cheat(nuisance=nuisance))
    assert len(said) == 1
    check_whole_match(sim, liars=frozenset({cheat}))
    assert blames_in(sim, 0) == []
    for faults in honest_faults(sim, frozenset({cheat})):
        assert {culprit for _, culprit in faults} <= {cheat}


def test_a_witness_that_names_a_claim_nobody_made_says_nothing_more_and_makes_nobody_first() -> None:
    """Its tape counts no further, as if it were silent: a contest that needs its word waits, for a cut."""
    cheat = OTHERS[1]
    sim = cheated(
        cheat, once_playing(Receipt(claim=NOTHING, rivals=())), net=PERFECT, stop=Stop.TIME, limit_ms=15_000
    )
    chains = [peer.log for seat, peer in enumerate(sim.peers) if seat != cheat]
    shortest = min(map(len, chains))
    assert all(chain[:shortest] == chains[0][:shortest] for chain in chains)
    assert honest_faults(sim, frozenset({cheat})) == [[]] * len(chains)


@pytest.mark.parametrize(
    "body",
    [
        (),
        (Ack(epoch=0, term=0, head=Head(index=-(10**6), digest=NOTHING)),),
        (Receipt(claim=Digest(b"short"), rivals=()),),
        (Claim(head=Head(index=-1, digest=NOTHING), action=b"", rivals=()),),
        (Deed(payload=b""), Append(entry=b"")),
    ],
)
def test_an_item_that_is_none_silences_its_seat_and_breaks_nobody(body: tuple[Statement, ...]) -> None:
    """A tape has no gaps: who signs what is no item has said its last word, and everybody knows who."""
    cheat = OTHERS[1]
    sim = cheated(cheat, once_playing(*body), net=PERFECT, stop=Stop.TIME, limit_ms=15_000)
    for faults in honest_faults(sim, frozenset({cheat})):
        assert (Fault.MALFORMED, cheat) in faults


# A seat on duty that lies


def changed_event(change: Callable[[Play, object], object | None]) -> Cheat:
    """Change the first event of a true entry that can be changed."""

    def lie(play: Play, true: Entry) -> Entry | None:
        for place, event in enumerate(true.events):
            other = change(play, event)
            if other is not None:
                events = (*true.events[:place], other, *true.events[place + 1 :])
                return structs.replace(true, events=events)
        return None

    return Cheat(entry=lie)


def other_result(_play: Play, event: object) -> object | None:
    if isinstance(event, Settled) and event.result is Result.OK:
        return structs.replace(event, result=Result.MISSED)
    return None


def no_evidence(_play: Play, event: object) -> object | None:
    return structs.replace(event, evidence=()) if isinstance(event, Settled) else None


def other_scores(_play: Play, event: object) -> object | None:
    if isinstance(event, Note):
        note = read_note(event.payload)
        if isinstance(note, Checkpoint):
            return Note(payload=encode(structs.replace(note, scores=(9, 0))))
    return None


def other_dealer(_play: Play, event: object) -> object | None:
    if isinstance(event, Note):
        note = read_note(event.payload)
        if isinstance(note, Checkpoint):
            return Note(payload=encode(structs.replace(note, dealer=(note.dealer + 1) % 4)))
    return None


def blame_of_the_honest(_play: Play, event: object) -> object | None:
    if isinstance(event, Carried):
        return Blamed(culprit=OTHERS[0], items=(event.item,))
    return None


def close_at_once(_play: Play, event: object) -> object | None:
    return Note(payload=encode(Closed())) if isinstance(event, Carried) else None


def a_note_that_is_none(_play: Play, event: object) -> object | None:
    return Note(payload=b"\xc1") if isinstance(event, Carried) else None


LIES: dict[str, tuple[Cheat, set[Fault]]] = {
    "another result": (changed_event(other_result), {Fault.BAD_VERDICT}),
    "no evidence": (changed_event(no_evidence), {Fault.BAD_ORDER}),
    "other scores": (changed_event(other_scores), {Fault.BAD_CHECKPOINT}),
    "another dealer": (changed_event(other_dealer), {Fault.BAD_CHECKPOINT}),
    "blame of the honest": (changed_event(blame_of_the_honest), {Fault.BAD_BLAME}),
    "a close before the end": (changed_event(close_at_once), {Fault.BAD_ENTRY}),
    "a note that is none": (changed_event(a_note_that_is_none), {Fault.MALFORMED}),
    "time that runs backwards": (
        Cheat(entry=lambda play, true: structs.replace(true, elapsed_ms=-1) if true.index == 6 else None),
        {Fault.BAD_TIME},
    ),
    "another term": (
        Cheat(entry=lambda play, true: structs.replace(true, term=1) if true.index == 6 else None),
        {Fault.WRONG_TERM},
    ),
    "another chain": (
        Cheat(entry=lambda play, true: structs.replace(true, prev=NOTHING) if true.index == 6 else None),
        {Fault.BAD_LINK},
    ),
}


@pytest.mark.parametrize("name", LIES)
def test_a_false_entry_is_acked_by_nobody(name: str) -> None:
    """The table stalls, since no other seat takes the duty over yet; but nothing false becomes final."""
    how, codes = LIES[name]
    sim = cheated(DUTY, how, stop=Stop.TIME, limit_ms=20_000)
    heads = {peer.session.play.final.head for seat, peer in enumerate(sim.peers) if seat != DUTY}
    assert len(heads) == 1
    for faults in honest_faults(sim, frozenset({DUTY})):
        assert {(code, DUTY) for code in codes} <= set(faults)
        assert {culprit for _, culprit in faults} == {DUTY}
