"""The lobby: commit, reveal, seal; whoever lies is named, and a stranger's words blame nobody."""

import random

import pytest
from msgspec import structs
from session_helpers import RULES, Table, formed, identity, setup

from kemps_p2p.codec import Digest, Record, encode
from kemps_p2p.errors import Fault, PeerFault
from kemps_p2p.game.rules import override
from kemps_p2p.ids import Seat
from kemps_p2p.session import effects as fx
from kemps_p2p.session.genesis import (
    NO_MATCH,
    Founding,
    Genesis,
    SeatRecord,
    check_signatures,
    found,
    match_id,
    name_commitment,
    nonce_commitment,
)
from kemps_p2p.session.lobby import LOBBY_LABEL, RESEND_MS, Lobby, check_name
from kemps_p2p.session.messages import LobbyBody, LobbyWords, Reveal, Seal, Sit, read_lobby, read_message


def lobbies() -> list[Lobby]:
    return [Lobby(setup(seat)) for seat in range(4)]


def words(message: bytes) -> LobbyWords:
    said = read_message(message)
    assert isinstance(said, LobbyWords)
    return said


def body_of(message: bytes) -> LobbyBody:
    return read_lobby(words(message).raw)


def said_by(seat: int, body: Record, table: Digest) -> LobbyWords:
    """What a seat says, truly signed."""
    raw = encode(body)
    return LobbyWords(
        seat=seat, table=table, raw=raw, signature=identity(seat).sign(LOBBY_LABEL, table + raw)
    )


def run(at: list[Lobby], messages: list[tuple[int, bytes]]) -> None:
    """Deliver everything to everybody, and whatever that brings about."""
    while messages:
        sender, message = messages.pop(0)
        for seat, lobby in enumerate(at):
            if seat != sender:
                messages += [(seat, out) for out in lobby.receive(words(message), 0)]


def begun(at: list[Lobby]) -> list[tuple[int, bytes]]:
    return [(seat, message) for seat, lobby in enumerate(at) for message in lobby.start()]


def refused(lobby: Lobby, said: LobbyWords, code: Fault, culprit: int | None) -> PeerFault:
    with pytest.raises(PeerFault) as fault:
        lobby.receive(said, 0)
    assert (fault.value.code, fault.value.culprit) == (code, culprit)
    return fault.value


def test_all_sign_one_genesis() -> None:
    at = lobbies()
    run(at, begun(at))
    signed = {lobby.signed for lobby in at}
    assert len(signed) == 1
    (genesis,) = signed
    assert genesis is not None
    founding = found(genesis.raw)
    check_signatures(founding, genesis.signatures)
    assert at[0].names == ("Seat 0", "Seat 1", "Seat 2", "Seat 3")
    for lobby in at:
        assert lobby.missing() == frozenset()
        for (name, salt), record in zip(lobby.name_openings, founding.genesis.seats, strict=True):
            assert name_commitment(salt, name) == record.name
    for record in founding.genesis.seats:
        assert nonce_commitment(record.nonce_salt, record.nonce)


@pytest.mark.parametrize("seed", range(20))
def test_lost_repeated_and_reordered_words_come_to_the_same_genesis(seed: int) -> None:
    rng = random.Random(seed)
    at = lobbies()
    sent = begun(at)
    now_ms = 0
    while any(lobby.signed is None for lobby in at):
        now_ms += RESEND_MS
        assert now_ms < 60_000
        for seat, lobby in enumerate(at):
            sent += [(seat, message) for message in lobby.tick(now_ms)]
        rng.shuffle(sent)
        arriving, sent = sent, []
        for sender, message in arriving:
            for seat, lobby in enumerate(at):
                if seat != sender and rng.random() < 0.6:
                    for _ in range(rng.choice((1, 1, 2))):
                        sent += [(seat, out) for out in lobby.receive(words(message), now_ms)]
    straight = lobbies()
    run(straight, begun(straight))
    assert {lobby.signed for lobby in at} == {straight[0].signed}


def test_no_nonce_is_shown_before_all_have_sat_down() -> None:
    at = lobbies()
    sits = begun(at)
    for _, message in sits[1:3]:
        assert at[0].receive(words(message), 0) == []
    assert at[0].missing() == {3}
    out = at[0].receive(words(sits[3][1]), 0)
    assert [type(body_of(message)) for message in out] == [Reveal]


def test_a_reveal_that_comes_early_is_heard_in_time() -> None:
    at = lobbies()
    sits = begun(at)
    for _, message in sits[:3]:
        reveals = at[3].receive(words(message), 0) if message is not sits[3][1] else []
    (reveal,) = reveals
    assert at[0].receive(words(reveal), 0) == []
    for _, message in sits[1:]:
        at[0].receive(words(message), 0)
    assert at[0].missing() == {1, 2}


def test_another_rule_set_is_told_by_the_key_that_differs() -> None:
    lobby = Lobby(setup(0))
    lobby.start()
    other = Lobby(setup(2, rules=override(RULES, {"look_ms": 50})))
    (sit, *_) = other.start()
    fault = refused(lobby, words(sit), Fault.OTHER_RULES, 2)
    assert "look_ms" in str(fault)
    assert lobby.missing() == {1, 2, 3}


def sit_of(seat: int) -> Sit:
    (message, *_) = Lobby(setup(seat)).start()
    body = body_of(message)
    assert isinstance(body, Sit)
    return body


def table_of(lobby: Lobby) -> Digest:
    return lobby._table


@pytest.mark.parametrize("rules", ["", "word = 3", "base = 'no-such-book'", "[[", "\x00"])
def test_rules_that_cannot_be_read_are_their_seats_fault(rules: str) -> None:
    lobby = Lobby(setup(0))
    lobby.start()
    sit = structs.replace(sit_of(1), rules=rules)
    refused(lobby, said_by(1, sit, table_of(lobby)), Fault.BAD_GENESIS, 1)


def test_sitting_down_twice_is_the_same_or_a_fault() -> None:
    lobby = Lobby(setup(0))
    lobby.start()
    table = table_of(lobby)
    sit = sit_of(1)
    assert lobby.receive(said_by(1, sit, table), 0) == []
    assert lobby.receive(said_by(1, sit, table), 0) == []
    other = structs.replace(sit, coin=bytes(32))
    refused(lobby, said_by(1, other, table), Fault.EQUIVOCATION, 1)


def test_a_strangers_words_blame_nobody() -> None:
    lobby = Lobby(setup(0))
    lobby.start()
    table = table_of(lobby)
    true = said_by(1, sit_of(1), table)
    refused(lobby, structs.replace(true, signature=bytes(64)), Fault.BAD_SIGNATURE, None)
    refused(lobby, structs.replace(true, seat=2), Fault.BAD_SIGNATURE, None)
    refused(lobby, structs.replace(true, raw=true.raw + b"\x00"), Fault.BAD_SIGNATURE, None)
    refused(lobby, structs.replace(true, seat=4), Fault.WRONG_SEAT, None)
    refused(lobby, structs.replace(true, seat=-1), Fault.WRONG_SEAT, None)
    refused(lobby, said_by(1, sit_of(1), Digest(bytes(32))), Fault.BAD_GENESIS, None)
    assert lobby.receive(true, 0) == []


def test_what_a_seat_signed_and_nobody_can_read_is_its_fault() -> None:
    lobby = Lobby(setup(0))
    table = table_of(lobby)
    for raw in (b"", b"\xc1", b"\x93\x01", encode((9, 1)), encode(sit_of(1)) + b"\x00"):
        said = LobbyWords(seat=1, table=table, raw=raw, signature=identity(1).sign(LOBBY_LABEL, table + raw))
        refused(lobby, said, Fault.MALFORMED, 1)


def waiting_for_reveals() -> tuple[Lobby, Reveal]:
    """Seat 0 when all sit, and the true opening of seat 1."""
    at = lobbies()
    sits = begun(at)
    reveal = None
    for _, message in sits:
        for lobby in at[:2]:
            for out in lobby.receive(words(message), 0) if words(message).seat != lobby._setup.seat else []:
                if words(out).seat == 1:
                    reveal = body_of(out)
    assert isinstance(reveal, Reveal)
    return at[0], reveal


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"nonce": bytes(32)}, Fault.BAD_COMMITMENT),
        ({"nonce_salt": bytes(32)}, Fault.BAD_COMMITMENT),
        ({"nonce": bytes(31)}, Fault.MALFORMED),
        ({"nonce_salt": b""}, Fault.MALFORMED),
        ({"name_salt": bytes(33)}, Fault.MALFORMED),
        ({"name": "Somebody"}, Fault.BAD_COMMITMENT),
        ({"name_salt": bytes(32)}, Fault.BAD_COMMITMENT),
        ({"name": ""}, Fault.MALFORMED),
        ({"name": "x" * 25}, Fault.MALFORMED),
        ({"name": "a\x1b[31m"}, Fault.MALFORMED),
        ({"name": "a\u202eb"}, Fault.MALFORMED),
        ({"name": " a"}, Fault.MALFORMED),
    ],
)
def test_a_false_opening_is_its_seats_fault(change: dict[str, object], code: Fault) -> None:
    lobby, reveal = waiting_for_reveals()
    refused(lobby, said_by(1, structs.replace(reveal, **change), table_of(lobby)), code, 1)
    # The true one is still heard.
    lobby.receive(said_by(1, reveal, table_of(lobby)), 0)
    assert lobby.missing() == {2, 3}


@pytest.mark.parametrize("field", ["coin", "nonce", "name"])
@pytest.mark.parametrize("length", [0, 31, 33])
def test_a_commitment_of_another_length_is_its_own_seats_fault(field: str, length: int) -> None:
    lobby = Lobby(setup(0))
    lobby.start()
    sit = structs.replace(sit_of(1), **{field: bytes(length)})
    refused(lobby, said_by(1, sit, table_of(lobby)), Fault.MALFORMED, 1)


def test_an_observer_that_brings_coins_is_its_own_fault() -> None:
    lobby = Lobby(setup(0, observers=1))
    lobby.start()
    sit = body_of(Lobby(setup(4, observers=1)).start()[0])
    assert isinstance(sit, Sit)
    refused(
        lobby, said_by(4, structs.replace(sit, coin=bytes([1]) * 32), table_of(lobby)), Fault.MALFORMED, 4
    )
    lobby.receive(said_by(4, sit, table_of(lobby)), 0)
    assert 4 not in lobby.missing()


def test_a_false_seal_is_its_seats_fault() -> None:
    at = lobbies()
    messages = begun(at)
    seals: list[bytes] = []
    while messages:
        sender, message = messages.pop(0)
        if isinstance(body_of(message), Seal):
            seals.append(message)
            continue
        for seat, lobby in enumerate(at):
            if seat != sender:
                messages += [(seat, out) for out in lobby.receive(words(message), 0)]
    assert len(seals) == 4
    table = table_of(at[0])
    refused(at[0], said_by(1, Seal(signature=bytes(64)), table), Fault.BAD_SIGNATURE, 1)
    assert at[0].signed is None
    for message in seals:
        if words(message).seat != 0:
            at[0].receive(words(message), 0)
    assert at[0].signed is not None


@pytest.mark.parametrize("name", ["a", "x" * 24, "Ana María", "李", "O'Neill"])
def test_plain_names_are_accepted(name: str) -> None:
    check_name(name)


def test_everything_is_said_again_until_all_have_signed() -> None:
    lobby = Lobby(setup(0))
    (sit,) = lobby.start()
    assert lobby.tick(0) == [sit]
    assert lobby.tick(RESEND_MS - 1) == []
    assert lobby.wake_at_ms == RESEND_MS
    assert lobby.tick(RESEND_MS) == [sit]


def test_a_seat_that_is_done_still_helps_who_is_not() -> None:
    """The last seal is lost: who has all seals answers whoever still speaks."""
    table = Table()
    lost: list[bytes] = []

    def lose_seals_to_0(_sender: int, receiver: int, data: bytes) -> bool:
        message = read_message(data)
        is_seal = isinstance(message, LobbyWords) and isinstance(read_lobby(message.raw), Seal)
        if receiver == 0 and is_seal and table.now_ms < 500:
            lost.append(data)
            return True
        return False

    table.drops = lose_seals_to_0
    table.start()
    assert [session.has_begun for session in table.sessions] == [False, True, True, True]
    table.wait(1000)
    assert len(lost) > 3
    assert all(session.has_begun for session in table.sessions)
    assert len({session.play.founding.match for session in table.sessions}) == 1


# Genesis


def founding() -> Founding:
    return formed().play().founding


def test_the_match_id_binds_every_field() -> None:
    genesis = founding().genesis
    first = genesis.seats[0]
    ids = {match_id(encode(genesis))}
    for field, value in (
        ("key", genesis.seats[1].key), ("name", bytes(32)), ("coin", bytes(32)), ("nonce", bytes(32)),
        ("nonce_salt", bytes(32)),
    ):  # fmt: skip
        seats = (structs.replace(first, **{field: value}), *genesis.seats[1:])
        ids.add(match_id(encode(structs.replace(genesis, seats=seats))))
    ids.add(match_id(encode(structs.replace(genesis, previous=Digest(bytes([1]) * 32)))))
    ids.add(match_id(encode(structs.replace(genesis, group="ristretto255"))))
    ids.add(match_id(encode(structs.replace(genesis, version=2))))
    assert len(ids) == 9


def change_seat(genesis: Genesis, **changes: object) -> Genesis:
    return structs.replace(genesis, seats=(structs.replace(genesis.seats[0], **changes), *genesis.seats[1:]))


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda g: structs.replace(g, version=2), Fault.BAD_GENESIS),
        (lambda g: structs.replace(g, group="secp256k1"), Fault.BAD_GENESIS),
        (lambda g: structs.replace(g, rules="word = 3"), Fault.BAD_GENESIS),
        (lambda g: structs.replace(g, seats=g.seats[:3]), Fault.BAD_GENESIS),
        (lambda g: structs.replace(g, seats=()), Fault.BAD_GENESIS),
        (lambda g: structs.replace(g, previous=Digest(b"")), Fault.BAD_GENESIS),
        (lambda g: structs.replace(g, seats=(g.seats[0],) * 4), Fault.BAD_GENESIS),
        (lambda g: change_seat(g, key=bytes(32)), Fault.BAD_KEY),
        (lambda g: change_seat(g, key=b"short"), Fault.BAD_GENESIS),
        (lambda g: change_seat(g, coin=b""), Fault.BAD_GENESIS),
        (lambda g: change_seat(g, nonce=bytes(33)), Fault.BAD_GENESIS),
    ],
)
def test_a_genesis_that_nobody_may_sign(change: "object", code: Fault) -> None:
    assert callable(change)
    with pytest.raises(PeerFault) as fault:
        found(encode(change(founding().genesis)))
    assert (fault.value.code, fault.value.culprit) == (code, None)


def test_every_seat_must_have_signed() -> None:
    at = lobbies()
    run(at, begun(at))
    signed = at[0].signed
    assert signed is not None
    made = found(signed.raw)
    check_signatures(made, signed.signatures)
    for signatures, code in (
        (signed.signatures[:3], Fault.BAD_GENESIS),
        ((*signed.signatures, signed.signatures[0]), Fault.BAD_GENESIS),
        (signed.signatures[::-1], Fault.BAD_SIGNATURE),
        ((bytes(64), *signed.signatures[1:]), Fault.BAD_SIGNATURE),
    ):
        with pytest.raises(PeerFault) as fault:
            check_signatures(made, signatures)
        assert fault.value.code is code


def test_the_joint_value_depends_on_every_nonce_and_draws_every_dealer() -> None:
    genesis = founding().genesis
    drawn = set()
    values = set()
    for number in range(64):
        for seat in range(4):
            nonce = bytes([number]) * 32
            records = list(genesis.seats)
            records[seat] = structs.replace(records[seat], nonce=nonce)
            made = found(encode(structs.replace(genesis, seats=tuple(records))))
            values.add(made.joint_random)
            drawn.add(made.drawn_dealer)
    assert drawn == {0, 1, 2, 3}
    assert len(values) == 256


def test_the_table_is_told_when_it_is_formed() -> None:
    table = formed()
    for seat in range(4):
        told = [sight for sight in table.sights[seat] if isinstance(sight, fx.TableFormed)]
        assert told == [fx.TableFormed(table.play().founding.match, table.sessions[0].names)]
        # Secrets rest on the genesis: it is on the disk before anything is said.
        assert table.appended[seat][0].durability is fx.Durability.NOW
    assert table.play().founding.genesis.previous == NO_MATCH
    assert isinstance(table.play().founding.genesis.seats[0], SeatRecord)
    assert table.sessions[1].seat == Seat(1)
