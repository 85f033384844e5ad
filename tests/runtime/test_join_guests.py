"""What guests say of themselves, where they sit, what is announced, who is known, how addresses are read."""

import asyncio
import stat
from collections.abc import Sequence
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from join_helpers import newcomer

from kemps_p2p.codec import encode
from kemps_p2p.errors import Fault, NotSeated, PeerFault, RuntimeFault, Unreachable, Unwelcome
from kemps_p2p.ledger.identity import Identity
from kemps_p2p.runtime import discovery
from kemps_p2p.runtime.addresses import (
    PORT,
    Interface,
    Place,
    interfaces,
    is_like_place,
    nearest_first,
    reachable,
    read_place,
    shared_addresses,
)
from kemps_p2p.runtime.discovery import PLAYERS_MAX, as_text, read_text
from kemps_p2p.runtime.gathering import Draw, check_known
from kemps_p2p.runtime.guests import (
    PERSON,
    Guest,
    SignedGuest,
    check_seats_differ,
    folded,
    lot_commitment,
    read_guest,
    seat_guests,
    sign_guest,
)
from kemps_p2p.runtime.handshake import Notice
from kemps_p2p.runtime.known import KnownPlayers, Standing
from kemps_p2p.runtime.meeting import Contact
from kemps_p2p.session.messages import PROTOCOL_VERSION
from kemps_p2p.wording.ailments import AILMENTS, Ailment, ailment_text
from kemps_p2p.wording.joins import COMING, HOSTING, coming_text, hosting_text


def guest(name: str, *, wish: int = -1, partner: str = "", key: str = "") -> Guest:
    identity = Identity.derived(b"guest", key or name)
    contact = Contact(
        version=PROTOCOL_VERSION,
        identity=identity.public,
        curve=encode(name).ljust(32, b"\0"),
        address="tcp://127.0.0.1:1",
        players=4,
        wish=wish,
    )
    return Guest(contact=contact, name=name, partner=partner, player=PERSON)


def signed(one: Guest, key: str = "") -> SignedGuest:
    return sign_guest(Identity.derived(b"guest", key or one.name), one)


def seated(guests: Sequence[Guest], seed: int = 0) -> tuple[str, ...]:
    lots = [bytes([seed, index]) * 16 for index in range(len(guests))]
    return seat_guests(guests, [lot_commitment(lot) for lot in lots], lots)[1]


def fault_of(one: SignedGuest) -> Fault:
    with pytest.raises(PeerFault) as fault:
        read_guest(one)
    return fault.value.code


# Guests


def test_a_guest_is_read_as_it_was_signed() -> None:
    assert read_guest(signed(guest("Ben", wish=2, partner="Anna"))) == guest("Ben", wish=2, partner="Anna")


def test_a_guest_that_somebody_else_signed_or_changed_is_refused() -> None:
    one = signed(guest("Ben"))
    assert fault_of(signed(guest("Ben"), key="Eve")) is Fault.BAD_SIGNATURE
    changed = one.raw.replace(b"Ben", b"Eve")
    assert fault_of(SignedGuest(raw=changed, signature=one.signature)) is Fault.BAD_SIGNATURE


@pytest.mark.parametrize("name", ["", " Ben", "B\x1b[31m", "B\u202een", "x" * 25, "B\nen"])
def test_a_guest_with_a_name_that_nobody_may_have_is_refused(name: str) -> None:
    assert fault_of(signed(guest(name))) is Fault.MALFORMED


def test_what_no_guest_can_be_is_refused() -> None:
    one = guest("Ben")
    wrong = {
        Fault.MALFORMED: [
            Guest(contact=one.contact, name="Ben", partner="x" * 25, player=PERSON),
            Guest(contact=one.contact, name="Ben", partner="", player=2),
        ],
        Fault.NEWER_VERSION: [with_contact(one, version=2)],
        Fault.BAD_KEY: [with_contact(one, curve=b"short")],
        Fault.TOO_LARGE: [with_contact(one, address="x" * 5000)],
    }
    for fault, guests in wrong.items():
        assert [fault_of(signed(each)) for each in guests] == [fault] * len(guests)


def with_contact(one: Guest, **changes: object) -> Guest:
    fields = {name: getattr(one.contact, name) for name in Contact.__struct_fields__}
    contact = Contact(**{**fields, **changes})
    return Guest(contact=contact, name=one.name, partner=one.partner, player=one.player)


def test_guests_differ_in_name_and_keys() -> None:
    check_seats_differ([guest("Ben"), guest("Anna")])
    for other, reason in (
        (guest("ben", key="Eve"), Unwelcome.NAME_TAKEN),
        (guest("Eve", key="Ben"), Unwelcome.SEATED_ALREADY),
        (with_contact(guest("Eve"), curve=guest("Ben").contact.curve), Unwelcome.SEATED_ALREADY),
    ):
        with pytest.raises(NotSeated, match=f"^{reason.value}"):
            check_seats_differ([guest("Ben"), other])
    assert folded("  Anna   LISA ") == folded("anna lisa")


# Seats


FOUR = [guest("Anna"), guest("Ben"), guest("Carla"), guest("Dan")]


def test_everybody_seats_the_table_alike_in_whatever_order_guests_are_named() -> None:
    lots = {each.name: encode(each.name).ljust(32, b"\1") for each in FOUR}
    for order in permutations(FOUR):
        mine = [lots[each.name] for each in order]
        assert (
            seat_guests(order, [lot_commitment(lot) for lot in mine], mine)[1]
            == seat_guests(
                FOUR, [lot_commitment(lots[each.name]) for each in FOUR], [lots[each.name] for each in FOUR]
            )[1]
        )


def test_lots_seat_everybody_everywhere() -> None:
    drawn = [seated(FOUR, seed) for seed in range(200)]
    for name in ("Anna", "Ben", "Carla", "Dan"):
        counts = [sum(names[seat] == name for names in drawn) for seat in range(4)]
        # 50 each; fewer than 25 or more than 80 come once in many thousand runs, and the lots are fixed.
        assert all(25 < count < 80 for count in counts)


def test_a_seat_goes_to_one_of_those_who_wish_it() -> None:
    guests = [guest("Anna", wish=1), guest("Ben", wish=1), guest("Carla", wish=0), guest("Dan", wish=9)]
    drawn = {seated(guests, seed) for seed in range(60)}
    assert {names[0] for names in drawn} == {"Carla"}
    assert {names[1] for names in drawn} == {"Anna", "Ben"}


def test_partners_sit_opposite() -> None:
    free = [guest("Anna", partner="dan"), *FOUR[1:]]
    bound = [guest("Anna", partner="Dan"), *FOUR[1:3], guest("Dan", wish=1)]
    for seed in range(40):
        for guests in (free, bound):
            names = seated(guests, seed)
            assert abs(names.index("Anna") - names.index("Dan")) == 2
        assert seated(bound, seed).index("Dan") == 1


def test_a_partner_that_is_not_there_or_not_free_changes_nothing() -> None:
    absent = [guest("Anna", partner="Zoe"), guest("Ben", partner="Ben"), *FOUR[2:]]
    assert sorted(seated(absent)) == ["Anna", "Ben", "Carla", "Dan"]
    taken = [guest("Anna", wish=0, partner="Dan"), guest("Ben", wish=2), guest("Dan", wish=1), FOUR[2]]
    assert seated(taken)[:3] == ("Anna", "Dan", "Ben")


@settings(max_examples=60)
@given(
    wishes=st.lists(st.tuples(st.integers(-1, 8), st.integers(-1, 7)), min_size=8, max_size=8),
    seed=st.integers(0, 255),
)
def test_whatever_is_wished_everybody_gets_one_seat(wishes: list[tuple[int, int]], seed: int) -> None:
    guests = [
        guest(f"P{index}", wish=wish, partner=f"P{partner}") for index, (wish, partner) in enumerate(wishes)
    ]
    names = seated(guests, seed)
    assert sorted(names) == sorted(each.name for each in guests)
    wished = {wish for wish, _ in wishes if 0 <= wish < 8}
    assert all(wishes[int(names[seat][1:])][0] == seat for seat in wished)


def test_a_lot_that_was_not_committed_to_is_refused() -> None:
    lots = [bytes([index]) * 32 for index in range(4)]
    commitments = [lot_commitment(lot) for lot in lots]
    for wrong in ([*lots[:3], bytes(32)], lots[:3], [*lots[:3], b"short"]):
        with pytest.raises(PeerFault):
            seat_guests(FOUR, commitments, wrong)


def test_the_own_lot_is_not_shown_before_its_commitment_is_among_the_others() -> None:
    draw = Draw(1, FOUR, 2, bytes(32))
    other = lot_commitment(b"\1" * 32)
    for wrong in ((other,) * 4, (draw.commitment,) * 3, (draw.commitment, other, other, other)):
        with pytest.raises(NotSeated):
            draw.commit(wrong)
        assert not draw.is_committed
    draw.commit((other, other, draw.commitment, other))
    assert draw.is_committed
    with pytest.raises(NotSeated):
        draw.seat((bytes(32),) * 4)


# Announcements

NOTICE = Notice(
    table="Friday",
    number=7,
    players=4,
    taken=2,
    rules="kemps",
    rules_digest="0123456789abcdef",
    host="a1ef-3767-b932-5dee",
    is_open=1,
    is_announced=1,
)
PLACES = [Place("10.0.0.7", PORT)]


def as_properties(notice: Notice, **changes: str) -> dict[bytes, bytes | None]:
    return {key.encode(): value.encode() for key, value in {**as_text(notice), **changes}.items()}


def test_what_is_announced_is_what_is_found() -> None:
    found = read_text(as_properties(NOTICE), PLACES)
    assert found is not None
    assert (found.notice, found.version, found.places) == (NOTICE, PROTOCOL_VERSION, tuple(PLACES))
    assert found.key == (NOTICE.host, 7)


@pytest.mark.parametrize(
    "changes",
    [
        {"p": "0"},
        {"p": str(PLAYERS_MAX + 1)},
        {"s": "5"},
        {"n": "x"},
        {"v": ""},
        {"n": "²"},
        {"n": "99999"},
        {"k": ""},
    ],
)
def test_what_announces_no_table_is_passed_over(changes: dict[str, str]) -> None:
    assert read_text(as_properties(NOTICE, **changes), PLACES) is None


def test_a_table_without_an_address_is_passed_over() -> None:
    assert read_text(as_properties(NOTICE), []) is None
    assert read_text({}, PLACES) is None
    assert read_text({b"t": None}, PLACES) is None


@settings(max_examples=80)
@given(texts=st.lists(st.binary(max_size=300), min_size=3, max_size=3))
def test_whatever_is_announced_is_shown_harmlessly(texts: list[bytes]) -> None:
    properties = {**as_properties(NOTICE), **dict(zip((b"t", b"r", b"k"), texts, strict=True))}
    found = read_text(properties, PLACES)
    if found is not None:
        shown = [found.notice.table, found.notice.rules, found.notice.host]
        assert all(text.isprintable() and len(text) < 500 for text in shown)


def test_marks_that_turn_text_around_and_escapes_are_written_out() -> None:
    found = read_text(as_properties(NOTICE, t="Fri\x1b[2J\u202eday"), PLACES)
    assert found is not None
    assert found.notice.table == "Fri\\x1b[2J\\u202eday"


def test_where_nothing_can_be_announced_or_answers_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(RuntimeFault, match="no network interface is up"):
        discovery.zeroconf_on(["fe80::1"])
    found = read_text(as_properties(NOTICE), [Place("127.0.0.1", 1)])
    assert found is not None
    with pytest.raises(Unreachable, match="Friday is announced, and does not answer at "):
        asyncio.run(discovery.place_of(found))

    def refuse(**_: object) -> None:
        raise OSError("no multicast here")

    monkeypatch.setattr(discovery, "AsyncZeroconf", refuse)
    with pytest.raises(RuntimeFault, match="multicast cannot be used: no multicast here"):
        discovery.zeroconf_on(["127.0.0.1"])


# Known players


def test_known_players_are_kept_and_another_key_shows(tmp_path: Path) -> None:
    known = KnownPlayers(tmp_path / "home")
    assert known.standing("Ben", b"b" * 32) is Standing.NEW
    known.remember("Ben", b"b" * 32)
    again = KnownPlayers(tmp_path / "home")
    assert again.standing(" BEN", b"b" * 32) is Standing.KNOWN
    assert again.standing("Ben", b"c" * 32) is Standing.OTHER_KEY
    assert again.key_of("ben") == b"b" * 32
    again.remember("Ben", b"c" * 32)
    assert KnownPlayers(tmp_path / "home").standing("Ben", b"c" * 32) is Standing.KNOWN
    assert stat.S_IMODE(again.path.stat().st_mode) == 0o600
    assert again.forget("BEN")
    assert not again.forget("BEN")
    assert KnownPlayers(tmp_path / "home").players == ()


@pytest.mark.parametrize(
    "data", [b"{", b"[1]", b'[{"name":"Ben","key":"zz"}]', b'[{"name":"Ben"}]', b"\xff\xfe"]
)
def test_a_file_that_holds_no_players_is_an_error_and_stays(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "known-players.json"
    path.write_bytes(data)
    with pytest.raises(RuntimeFault, match="move it away"):
        KnownPlayers(tmp_path)
    assert path.read_bytes() == data


def test_only_another_key_under_a_known_name_is_asked_about(tmp_path: Path) -> None:
    asked: list[tuple[str, bytes, bytes]] = []

    async def trusts(name: str, was: bytes, now: bytes) -> bool:
        asked.append((name, was, now))
        return True

    me = newcomer("Anna", tmp_path, trusts=trusts)
    ben = guest("Ben")
    asyncio.run(check_known(me, ben))
    me.known.remember("Ben", ben.contact.identity)
    asyncio.run(check_known(me, ben))
    assert asked == []
    asyncio.run(check_known(me, guest("ben", key="Eve")))
    assert asked == [("ben", ben.contact.identity, guest("Eve").contact.identity)]
    assert me.known.key_of("Ben") == guest("Eve").contact.identity


# Addresses


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("10.0.0.7", Place("10.0.0.7", PORT)),
        ("10.0.0.7:99", Place("10.0.0.7", 99)),
        ("localhost:99", Place("localhost", 99)),
        ("[::1]:99", Place("::1", 99)),
        ("[fe80::1%eth0]:99", Place("fe80::1%eth0", 99)),
        ("::1", Place("::1", PORT)),
        ("10.0.0.7:0", None),
        ("10.0.0.7:65536", None),
        ("a b", None),
        ("tcp://10.0.0.7:99", None),
        ("", None),
    ],
)
def test_addresses_are_read(text: str, place: Place | None) -> None:
    assert read_place(text) == place
    if place is not None:
        assert read_place(str(place)) == place


def test_names_of_tables_are_no_addresses() -> None:
    assert [is_like_place(text) for text in ("Friday", "Anna's table", "10.0.0.7", "box:99", "[::1]")] == [
        False,
        False,
        True,
        True,
        True,
    ]


ETH, LO, DECOY = (
    Interface("eth0", "10.0.0.7", 24),
    Interface("lo", "127.0.0.1", 8),
    Interface("d0", "10.9.9.9", 24),
)
SIX, LINK = Interface("eth0", "2001:db8::7", 64), Interface("eth0", "fe80::7%eth0", 64)


def test_all_own_addresses_are_told_and_loopback_only_where_there_is_nothing_else() -> None:
    assert shared_addresses("0.0.0.0", [LO, ETH, DECOY, SIX, LINK]) == ("10.0.0.7", "10.9.9.9")
    assert shared_addresses("::", [LO, ETH, SIX, LINK]) == ("10.0.0.7", "2001:db8::7")
    assert shared_addresses("0.0.0.0", [LO]) == ("127.0.0.1",)
    assert shared_addresses("10.0.0.7", [LO, ETH, DECOY]) == ("10.0.0.7",)


def test_addresses_of_own_networks_are_tried_first() -> None:
    assert nearest_first(["2001:db8:1::1", "10.9.9.1", "10.0.0.1"], [LO, ETH]) == [
        "10.0.0.1",
        "10.9.9.1",
        "2001:db8:1::1",
    ]


def test_loopback_of_the_host_is_where_the_host_is() -> None:
    assert reachable("tcp://127.0.0.1:7", "10.0.0.7") == "tcp://10.0.0.7:7"
    assert reachable("tcp://0.0.0.0:7", "10.0.0.7") == "tcp://10.0.0.7:7"
    assert reachable("tcp://127.0.0.1:7", "127.0.0.1") == "tcp://127.0.0.1:7"
    assert reachable("tcp://10.0.0.8:7", "10.0.0.7") == "tcp://10.0.0.8:7"
    assert reachable("tcp://[::1]:7", "2001:db8::7") == "tcp://[2001:db8::7]:7"
    assert reachable("nonsense", "10.0.0.7") == "nonsense"


def test_the_own_interfaces_are_there() -> None:
    found = interfaces()
    assert any(each.is_loopback for each in found)
    with pytest.raises(RuntimeFault, match="no interface"):
        interfaces("no-such-interface")


# Words


@pytest.mark.parametrize("reason", Unwelcome, ids=lambda reason: reason.value)
def test_every_reason_has_its_own_sentence_on_both_sides(reason: Unwelcome) -> None:
    text, hint = coming_text(NotSeated(reason, "\x1b[2JBen"))
    host = hosting_text("10.0.0.7", NotSeated(reason, "\x1b[2JBen"), 0)
    assert (text + hint + host).isprintable()
    assert "{" not in text + hint + host
    assert sum(COMING[other][0] == COMING[reason][0] for other in Unwelcome) == 1
    assert sum(HOSTING[other] == HOSTING[reason] for other in Unwelcome) == 1


def test_wrong_guesses_are_counted_for_the_host() -> None:
    text = hosting_text("10.0.0.7", NotSeated(Unwelcome.WRONG_CODE), 3)
    assert text == "somebody at 10.0.0.7 tried a wrong code (3 wrong guesses by now)"


@pytest.mark.parametrize("ailment", Ailment, ids=lambda ailment: ailment.value)
def test_every_ailment_has_its_own_sentence_and_a_hint(ailment: Ailment) -> None:
    text, hint = ailment_text(ailment, "eth0")
    assert hint
    assert "{" not in text
    assert sum(AILMENTS[other][0] == AILMENTS[ailment][0] for other in Ailment) == 1
