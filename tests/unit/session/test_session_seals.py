"""What a gesture was made for: sealed on the wire, and opened by the seed of its seat alone."""

import pytest
from msgspec import structs
from session_helpers import Table, opened, setup
from session_scribe import Scribe

from kemps_p2p.codec import Digest, tagged_hash
from kemps_p2p.deck.deal import Seed
from kemps_p2p.errors import Fault, PeerFault
from kemps_p2p.game.actions import Gesture
from kemps_p2p.game.gestures import Intent
from kemps_p2p.game.record import Phase
from kemps_p2p.game.record import replace as game_replace
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.entry import Blamed, Carried, Result
from kemps_p2p.ledger.tape import Deed, Signer
from kemps_p2p.session import effects as fx
from kemps_p2p.session.dealing import Dealing, as_statement, deal_seed
from kemps_p2p.session.deeds import offered
from kemps_p2p.session.fold import Proofs
from kemps_p2p.session.match import Match, SealedGesture
from kemps_p2p.session.messages import BookOpenedDeed, SeedDeed
from kemps_p2p.session.replay import step, winners
from kemps_p2p.session.seals import Place, check_seals, opened_intents, seals_of, with_gesture

MATCH = Digest(b"\x01" * 32)
SEED = b"\x02" * 32


@pytest.fixture(scope="module")
def table() -> Table:
    """A table in play at which seat 1 has made three gestures: two that it meant and a decoy."""
    table = opened()
    for intent in (Intent.MEANT, Intent.DECOY, Intent.MEANT):
        session = table.sessions[1]
        table.carry_out(1, session.submit(Gesture(name="wink"), table.now_ms, intent))
        table.settle()
    return table


@pytest.fixture
def scribe(table: Table) -> Scribe:
    return Scribe.at(table)


def seed_of(seat: int, deal: int = 0) -> bytes:
    return deal_seed(setup(seat).secret, deal)


def over(match: Match) -> dict[str, object]:
    return {"game": game_replace(match.game, phase=Phase.MATCH_OVER, winners=(1,))}


def test_a_seal_is_the_hash_that_the_protocol_says() -> None:
    numbers = (value.to_bytes(8, "big") for value in (3, 2, 7))
    said = tagged_hash("kemps/v1/gesture", MATCH, *numbers, SEED, b"decoy")
    assert Place(MATCH, 3, Seat(2), 7).seal(SEED, Intent.DECOY) == said


def test_a_seal_fits_one_place_one_seed_and_one_intent() -> None:
    here = Place(MATCH, 0, Seat(1), 5)
    others = (
        Place(Digest(b"\x03" * 32), 0, Seat(1), 5),
        Place(MATCH, 1, Seat(1), 5),
        Place(MATCH, 0, Seat(2), 5),
        Place(MATCH, 0, Seat(1), 6),
    )
    for intent in Intent:
        seal = here.seal(SEED, intent)
        assert here.intent(SEED, seal) is intent
        assert here.intent(b"\x04" * 32, seal) is None
        assert [other.intent(SEED, seal) for other in others] == [None] * 4


def test_what_a_gesture_was_made_for_is_seen_once_the_seed_is_open(table: Table) -> None:
    match = table.play(3).final
    assert opened_intents(match) == {}
    noted = match.gestures[0, Seat(1)]
    assert len({sealed.seal for sealed in noted}) == 3
    seeded = structs.replace(match, seeds={0: {Seat(1): seed_of(1), Seat(2): seed_of(2)}})
    intents = opened_intents(seeded)
    assert [intents[Seat(1), sealed.number] for sealed in noted] == [
        Intent.MEANT,
        Intent.DECOY,
        Intent.MEANT,
    ]
    assert opened_intents(structs.replace(match, seeds={0: {Seat(1): None}})) == {}


def test_nobody_is_told_before_that_what_a_gesture_was_made_for(table: Table) -> None:
    """A peer is shown the name alone; seals of one kind and the other are hashes like all others."""
    seen = [sight for sight in table.sights[3] if isinstance(sight, fx.GestureSeen)]
    assert seen == [fx.GestureSeen(Seat(1), "wink")] * 3
    for sealed in table.play(3).final.gestures[0, Seat(1)]:
        place = Place(table.play().founding.match, 0, Seat(1), sealed.number)
        assert [place.intent(seed_of(seat), sealed.seal) for seat in (0, 2, 3)] == [None] * 3


def test_gestures_before_the_first_deal_are_sealed_for_it(scribe: Scribe) -> None:
    start = structs.replace(scribe.match, game=game_replace(scribe.match.game, deal=-1), gestures={})
    noted = with_gesture(start, Seat(2), 4, Gesture("wink", b"\x05" * 32))
    assert noted.gestures == {(0, Seat(2)): (SealedGesture(4, b"\x05" * 32),)}


def test_a_gesture_after_the_end_or_a_refused_one_does_not_count(scribe: Scribe) -> None:
    ended = structs.replace(scribe.match, **over(scribe.match))
    assert with_gesture(ended, Seat(2), 4, Gesture("wink")) is ended
    before = scribe.match.gestures
    assert scribe.order(scribe.settled(2, Gesture("\x1b[2J"), Result.REFUSED)).gestures == before
    assert scribe.order(scribe.settled(2, Gesture("ear"))).gestures.keys() > before.keys()


def test_a_gesture_of_who_had_no_part_in_the_deal_does_not_count(scribe: Scribe) -> None:
    given = structs.replace(scribe.match, seated={Seat(2): 1})
    assert with_gesture(given, Seat(2), 4, Gesture("wink")) is given
    assert with_gesture(given, Seat(1), 4, Gesture("wink")) is not given


def test_what_opens_the_deal_of_another_is_signed_where_it_fits(scribe: Scribe) -> None:
    """By who sits there now, once the match is over; anything else is passed over, and stays no fault."""
    seat, key = Seat(1), scribe.match.founding.keys[1]
    signers = scribe.match.signers
    held = (*signers[:1], (*signers[1], Signer(9, key)), *signers[2:])
    ended = structs.replace(scribe.match, signers=held, **over(scribe.match))
    sits = Dealing(seat, b"another secret" * 2, ())
    true = SeedDeed(deal=0, attempt=0, seed=Seed(seed=seed_of(1)))
    assert list(sits.fulfil(ended)) == []
    assert list(sits.openings(ended)) == []
    assert not sits.hear(scribe.match, true)
    for other in (
        SeedDeed(deal=0, attempt=1, seed=Seed(seed=seed_of(1))),
        SeedDeed(deal=7, attempt=0, seed=Seed(seed=seed_of(1))),
        BookOpenedDeed(deal=0, salt=b"", signals=("wink",)),
    ):
        assert not sits.hear(ended, other)
    plain = structs.replace(ended, gestures={})
    assert not sits.hear(plain, SeedDeed(deal=0, attempt=0, seed=Seed(seed=seed_of(2))))
    sealed = {(0, seat): (SealedGesture(3, b"\x06" * 32),)}
    assert not sits.hear(structs.replace(ended, gestures=sealed), true)
    assert sits.hear(ended, true)
    assert list(sits.fulfil(ended)) == [as_statement(true)]
    assert not sits.hear(ended, true)
    assert list(sits.fulfil(ended)) == []


@pytest.mark.parametrize("seal", [b"", b"\x06", b"\x06" * 32])
def test_a_seal_that_the_seed_does_not_open_loses_the_match(scribe: Scribe, seal: bytes) -> None:
    scribe.order(scribe.settled(1, Gesture("ear", seal)))
    hand = scribe.copy(**over(scribe.match))
    true = as_statement(SeedDeed(deal=0, attempt=0, seed=Seed(seed=seed_of(1))))
    said = hand.say(1, true).digest
    hand.refuses(Fault.BAD_SEAL, Carried(item=said), culprit=1)
    # So it is where the proof is known to hold, as it would on another chain.
    known = Proofs(is_eager=True, good={(said, 0)})
    with pytest.raises(PeerFault) as fault:
        step(hand.match, hand.record(Carried(item=said)), known)
    assert (fault.value.code, fault.value.culprit) == (Fault.BAD_SEAL, 1)
    lost = hand.order(Blamed(culprit=1, items=(said,)))
    assert lost.forfeits == {1}
    assert lost.seeds == {0: {1: None}}
    assert winners(lost) == (0,)
    assert (0, Seat(1)) in lost.gestures
    assert opened_intents(lost) == {}


def test_a_seed_that_opens_every_seal_is_no_fault(scribe: Scribe) -> None:
    hand = scribe.copy(**over(scribe.match))
    deed = as_statement(SeedDeed(deal=0, attempt=0, seed=Seed(seed=seed_of(1))))
    said = hand.say(1, deed).digest
    hand.refuses(Fault.BAD_BLAME, Blamed(culprit=1, items=(said,)))
    assert len(opened_intents(hand.order(Carried(item=said)))) == 3
    assert isinstance(deed, Deed)
    assert offered(hand.items[said])[0].seat == 1


def test_only_the_seals_of_that_seat_and_deal_are_asked_of_a_seed(scribe: Scribe) -> None:
    false = SealedGesture(9, b"\x06" * 32)
    gestures = {**scribe.match.gestures, (0, Seat(2)): (false,), (1, Seat(1)): (false,)}
    match = structs.replace(scribe.match, gestures=gestures)
    check_seals(seals_of(match, 0, Seat(1)), Seat(1), seed_of(1))
    for deal, seat in ((0, 2), (1, 1)):
        with pytest.raises(PeerFault) as fault:
            check_seals(seals_of(match, deal, Seat(seat)), Seat(seat), seed_of(seat, deal))
        assert (fault.value.code, fault.value.culprit) == (Fault.BAD_SEAL, seat)
