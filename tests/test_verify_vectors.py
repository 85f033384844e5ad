"""The verifier that knows protocol.md alone, held to the vectors of each part: other programs can be, too."""

from collections.abc import Callable
from typing import Any

from vectors.form import read
from verifier import VERIFIER

DERIVED: dict[str, Any] = read("deck/derivations.json")
MESSAGES: dict[str, Any] = read("deck/messages.json")
SETTING: dict[str, Any] = read("ledger/vectors.json")
Vector = dict[str, Any]
Outcome = tuple[str | None, int | None]


def outcome(check: Callable[[], object], author: int | None = None) -> Outcome:
    """Code and culprit of the fault that is found; `author`: of the entry that is looked at."""
    try:
        check()
    except VERIFIER.Fault as fault:
        return fault.code, author if fault.culprit == VERIFIER.AUTHOR else fault.culprit
    return None, None


def differing(vectors: list[Vector], found: Callable[[Vector], Outcome]) -> list[Any]:
    """The vectors of which something else is found than they say."""
    told = ((vector, found(vector), (vector["fault"], vector.get("culprit"))) for vector in vectors)
    return [(vector["name"], is_so, expected) for vector, is_so, expected in told if is_so != expected]


# Encodings and hashes

UNIONS = {"statement": "Statement", "action": "Action"}
SAME_IN_EFFECT = {"a default that is left out"}
"""An array that ends before its last fields: wrong for one reason or another, by nobody's fault."""


def test_statements_and_actions() -> None:
    kinds = {"statement": lambda data: VERIFIER.decode(data, "Statement"), "action": VERIFIER.decode_action}
    vectors = [one for one in read("codec/vectors.json")["vectors"] if one["kind"] in kinds]
    assert len(vectors) > 10
    wrong = differing(vectors, lambda one: outcome(lambda: kinds[one["kind"]](bytes.fromhex(one["bytes"]))))
    assert {name for name, _, _ in wrong} <= SAME_IN_EFFECT


def value_of(told: Any) -> Any:
    match told:
        case {"hex": data}:
            return bytes.fromhex(data)
        case {"record": name, **fields}:
            return VERIFIER.new(name, *map(value_of, fields.values()))
        case list():
            return tuple(map(value_of, told))
        case _:
            return told


def test_records() -> None:
    """All records that lie in logs; those of lobby and messages are none of the verifier's business."""
    seen = set()
    for vector in read("codec/records.json")["vectors"]:
        name = vector["value"]["record"]
        if name in VERIFIER.SHAPES:
            seen.add(name)
            assert VERIFIER.encode(value_of(vector["value"])).hex() == vector["bytes"]
    assert seen >= VERIFIER.SHAPES.keys() - {"Name"}


def test_hashes() -> None:
    for vector in read("codec/hashes.json")["vectors"]:
        parts = [bytes.fromhex(part) for part in vector["parts"]]
        assert VERIFIER.tagged_hash(vector["label"], *parts).hex() == vector["tagged_hash"]
        assert VERIFIER.derive(vector["label"], *parts).hex() == vector["derive"]


# Ledger


def test_signatures() -> None:
    def found(one: Vector) -> Outcome:
        key, message, signature = (bytes.fromhex(one[name]) for name in ("key", "message", "signature"))
        return outcome(lambda: VERIFIER.check_signature(key, one["label"], message, signature))

    assert differing(read("ledger/signatures.json")["vectors"], found) == []


def test_keys_and_items() -> None:
    genesis = bytes.fromhex(SETTING["genesis"])
    match = VERIFIER.tagged_hash("kemps/v1/genesis", genesis)
    signers = [[(0, bytes.fromhex(key))] for key in SETTING["keys"]]

    def found(one: Vector) -> Outcome:
        data = bytes.fromhex(one["bytes"])
        if one["kind"] == "key":
            return outcome(lambda: VERIFIER.check_key(data))
        return outcome(lambda: VERIFIER.read_item(VERIFIER.decode(data, "Signed"), match, signers))

    assert differing(SETTING["vectors"], found) == []


def poll_of(vector: Vector, left: list[int]) -> Any:
    def named(claims: Any) -> list[bytes]:
        return [bytes([claim]) for claim in claims if claim in left]

    refused = {claim for claim in left if vector["claims"][claim]["refused"]}
    pairs = (pair for pair in vector["conflicts"] if set(pair) <= set(left) - refused)
    cut = vector["cut"]
    return VERIFIER.Poll(
        {bytes([claim]): vector["claims"][claim]["seat"] for claim in left},
        {frozenset(named(pair)) for pair in pairs},
        [named(tape) for tape in vector["tapes"]],
        None
        if cut is None
        else VERIFIER.Cut(frozenset(named(cut["claims"])), [named(one) for one in cut["tapes"]]),
    )


def test_decisions() -> None:
    for vector in read("ledger/decisions.json")["vectors"]:
        left, rounds, causal = list(range(len(vector["claims"]))), [], []
        while decided := (poll := poll_of(vector, left)).decide():
            rounds.append(sorted(sorted(claim[0] for claim in chosen) for chosen in decided))
            for pair in (pair for pair in poll.conflicts if any(pair <= chosen for chosen in decided)):
                a, b = pair
                causal += [[x[0], y[0]] for x, y in ((a, b), (b, a)) if poll.causes(x, y)]
            left = [claim for claim in left if not any(claim in chosen for chosen in rounds[-1])]
        assert rounds == [sorted(decided) for decided in vector["rounds"]], vector["name"]
        assert sorted(causal) == sorted(vector["causal"]), vector["name"]


def test_draws() -> None:
    for vector in read("ledger/coins.json")["draws"]:
        claims = [bytes.fromhex(claim) for claim in vector["claims"]]
        coins = [bytes.fromhex(coin) for coin in vector["coins"]]
        whole = VERIFIER.tagged_hash("kemps/v1/set", *claims)
        priority = {claim: VERIFIER.tagged_hash("kemps/v1/draw", whole, *coins, claim) for claim in claims}
        causes: dict[bytes, set[bytes]] = {claim: set() for claim in claims}
        for a, b in vector["causal"]:
            causes[claims[a]].add(claims[b])
        before = {(claims[a], claims[b]) for a, b in vector["precedes"]}
        order = VERIFIER.drawn_order(priority, causes, before, set())
        assert [claims.index(claim) for claim in order] == vector["order"], vector["name"]


# Deck


def deck_of(keys: int, turns: int, shared: tuple[int, ...] = ()) -> Any:
    at = DERIVED["table"]
    group = VERIFIER.GROUPS[at["group"]]
    deck = VERIFIER.Deck(
        group, bytes.fromhex(at["match"]), at["deal"], at["seats"], DERIVED["cards"], attempt=at["attempt"]
    )
    for seat, data in enumerate(MESSAGES["keys"][:keys]):
        deck.add_key(seat, VERIFIER.decode(bytes.fromhex(data), "DealKey"))
    deck.turns += [VERIFIER.decode(bytes.fromhex(data), "Turn") for data in MESSAGES["turns"][:turns]]
    deck.shares |= {seat: dict.fromkeys((0, 1), b"") for seat in shared}
    return deck


def check_deck(vector: Vector, deck: Any, data: bytes) -> None:
    """As a deed would come: first whether there is a place for it, which the fold asks, then the proof."""
    seat, kind = vector["seat"], vector["kind"].removeprefix("add-")
    message = VERIFIER.decode(
        data, {"key": "DealKey", "turn": "Turn", "shares": "Shares", "seed": "Seed"}[kind]
    )
    match vector["kind"]:
        case "key":
            deck.check_key(seat, message)
        case "add-key":
            deck.add_key(seat, message)
        case "turn" | "add-turn":
            deck.check_turn(seat, message)
        case "shares":
            deck.check_shares(seat, message)
        case _:
            deck.check_seed(seat, message.seed)


def test_deck() -> None:
    """The other vectors ask whether a deed is owed, which here only a whole match says."""
    vectors = [
        one for one in MESSAGES["vectors"] if one["kind"] != "add-shares" and one["fault"] != "not-owed"
    ]

    def found(one: Vector) -> Outcome:
        deck = deck_of(one.get("keys", 4), one["turns"], tuple(one.get("shared", ())))
        return outcome(lambda: check_deck(one, deck, bytes.fromhex(one["message"])))

    vectors = [one | {"culprit": one["seat"] if one["fault"] else None} for one in vectors]
    assert len(vectors) > 200
    assert differing(vectors, found) == []


def test_derivations() -> None:
    deck = deck_of(4, 4)
    match = deck.group.name
    points = [VERIFIER.point(match, "kemps/v1/card", int(card)).hex() for card in DERIVED["card_points"]]
    assert points == list(DERIVED["card_points"].values())
    assert deck.joint.hex() == DERIVED["joint_key"]
    assert VERIFIER.point(match, "kemps/v1/deck/generator/chain", 0).hex() == DERIVED["chain_generator"]
    for seat, seed in enumerate(map(bytes.fromhex, DERIVED["seeds"])):
        deck.check_seed(seat, seed)
        on = deck.turns[seat].input
        assert on.hex() == DERIVED["list_digests"][seat]
        assert VERIFIER.permutation(seed, on, deck.count) == DERIVED["orders"][seat]
        factors = [VERIFIER.scalar_bytes(r).hex() for r in VERIFIER.secrets(seed, "factor", on, deck.count)]
        assert factors == DERIVED["factors"][seat]
        x = VERIFIER.secret(seed, "key", deck._digest(seat, "key", "secret"))
        deck.shares[seat] = {place: deck.group.mul(x, mask) for place, mask in enumerate(deck.turns[-1].a)}
    assert [deck.face(place) for place in range(deck.count)] == DERIVED["faces"]


# Session


def test_genesis_bodies_and_first_records() -> None:
    told = read("session/vectors.json")

    def check_record(data: bytes, match: Any) -> None:
        record = VERIFIER.decode(data, "LogRecord")
        items = [VERIFIER.read_item(one, match.id, match.signers) for one in (record.entry, *record.items)]
        by_digest = {item.digest: item for item in items[1:]}
        VERIFIER.need(len(by_digest) == len(items) - 1, "bad-evidence", "an item comes twice", None)
        match.step(items[0], by_digest)

    def found(one: Vector) -> Outcome:
        data = bytes.fromhex(one["bytes"])
        if one["kind"] == "genesis":
            return outcome(lambda: VERIFIER.open_genesis(data))
        return outcome(
            lambda: check_record(data, VERIFIER.Match(*VERIFIER.open_genesis(bytes.fromhex(told["genesis"]))))
        )

    assert differing(told["vectors"], found) == []


def test_conflicts_of_what_the_rules_have() -> None:
    kinds = {"Swap", "Pass", "Call", "Next", "Gesture", "Say"}
    seen = 0
    for vector in read("session/conflicts.json")["vectors"]:
        moves = [
            (vector[which]["seat"], VERIFIER.decode_action(bytes.fromhex(vector[which]["action"])))
            for which in ("first", "second")
        ]
        calls = {call.kind for _, action in moves for call in getattr(action, "calls", ())}
        if (
            vector["rules"] == "kemps"
            and {action.kind for _, action in moves} <= kinds
            and calls <= {"Partner", "Counter"}
        ):
            seen += 1
            rules = VERIFIER.Rules({"speech": False})
            assert rules.conflict(vector["players"], *moves) is vector["conflict"], vector["name"]
    assert seen >= 10
