"""Disputed races and calls in words: what decided, what came of it, and what nobody can know."""

from collections.abc import Sequence

from kemps_p2p.game.actions import Kind, kind
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.entry import Result
from kemps_p2p.session.draws import InOrder, Why
from kemps_p2p.session.races import Asked, Race
from kemps_p2p.wording.actions import action_text
from kemps_p2p.wording.cards import clock_text
from kemps_p2p.wording.people import People, listed
from kemps_p2p.wording.races import met_text
from kemps_p2p.wording.scene import Scene

KINDS: dict[Kind, str] = {
    Kind.EXCHANGE: "exchange",
    Kind.PASS: "pass",
    Kind.CALL: "call",
    Kind.FREE: "action",
}

RESULTS: dict[Result, str] = {
    Result.OK: "counts",
    Result.MISSED: "came too late",
    Result.REFUSED: "was refused",
    Result.WAITING: "waited for the verdict on the call that came first",
}

WHYS: dict[Why, str] = {
    Why.CAUSE: "{second} had seen what {first} wanted before, so no draw can put {second} first.",
    Why.WITHHELD: "{second} or its partner did not show the coin it owed in time, so {second} goes last.",
    Why.OWN_EXCHANGE: "Where the table is split, a team's exchange goes before a call of the same team: "
    "{first} before {second}.",
    Why.COUNTER_FIRST: "Where the table is split, these rules put a call against a team before other calls "
    "(simultaneous_calls): {first} before {second}.",
    Why.COINS: "The coins put {first} before {second}.",
    Why.DEALER: "On the dealer's tape {first} comes before {second}.",
}

HOW_TO_READ = (
    "An entry is a page of the log; the seat on duty writes it, whoever deals.",
    "It counts once a majority has signed it. Its time is the word of its writer.",
    "Who writes it decides nothing: whose wish was first is on the tapes of others.",
    "A tape is all that one seat has signed, in order: it cannot be sorted anew.",
    "A stamp is higher than every stamp that its seat had seen when it signed.",
    "So whoever signed a lower stamp had not seen what has a higher one.",
    "Stamps count what was seen, not seconds.",
    "What a seat has seen is what its program had received.",
    "An item is what a seat signs in one go; what it names first came first.",
    "The stamp behind what a tape has seen is that of the item that says so.",
    "Whoever gestures seals if it is meant as a sign; the seal opens at the end.",
    "`--signals` has the signs that a team had agreed on, if it sealed them.",
    "A race is witnessed by all but the two in it, and by an observer, if any.",
    "The evidence is what an entry needed to decide; a tape may hold more.",
)
"""Each fits on a terminal of 80 columns, indented: none is broken."""

NEVER_KNOWN = (
    "Who moved first by a clock: none is trusted, and a slow machine or line counts against its owner.",
    "What was said, shown or nodded in the room, and who worked together outside of the game.",
)

SET_NEVER_KNOWN = "Whether all of them signed what they saw. One false word can turn a lost race into a draw."
CALL_NEVER_KNOWN = (
    "Why it was called: whether a gesture, a word in the room, good counting or luck was behind it.",
    "What anybody looked at: gestures are in the log, eyes are not.",
)


def owners(claims: Sequence[Asked], people: People) -> list[str]:
    """What to call each of some claims: by whose it is, and by its kind where a seat has several."""
    named = []
    for claim in claims:
        alike = sum(other.seat == claim.seat for other in claims)
        who = people.seat(claim.seat)
        named.append(f"{who}'s" if alike == 1 else f"{who}'s {KINDS[kind(claim.action)]}")
    return named


def entry_text(index: int, elapsed_ms: int) -> str:
    """Where and when something is in a log."""
    return f"entry {index} ({clock_text(elapsed_ms)})"


def wish_text(claim: Asked, stamp: int, head: int, head_ms: int, scene: Scene) -> str:
    """What somebody wanted, and what the table looked like to them."""
    at = "before the first entry" if head == 0 else f"when its table was at {entry_text(head, head_ms)}"
    who = scene.people.seat(claim.seat)
    return f"{who} wanted to {action_text(claim.seat, claim.action, scene)} [stamp {stamp}], {at}"


def race_summary(race: Race, people: People, sayers: Sequence[Seat]) -> str:
    """Who was first of two, in one sentence; `sayers`: the witnesses who say so."""
    if race.first.seat == race.second.seat:
        return f"both are wishes of {people.seat(race.first.seat)}, in the order in which they were made"
    if race.by_cut:
        return f"{people.seat(race.first.seat)} was first, by the tapes as a cut closed them"
    return met_text(race, people, sayers)


SUMMARIES: dict[Why, str] = {
    Why.CAUSE: "the table was split; {first} goes first, since {second} had already seen what {first} wanted",
    Why.WITHHELD: "the table was split; {first} goes first, since a coin of {second}'s team is missing",
    Why.OWN_EXCHANGE: "the table was split; a rule puts {first}'s exchange before {second}'s call",
    Why.COUNTER_FIRST: "the table was split; a rule puts {first}'s call before {second}'s",
    Why.COINS: "the table was split; a draw of coins put {first} first",
    Why.DEALER: "the table was split; the dealer's tape put {first} first",
}


def order_summary(ordered: InOrder | None, people: People) -> str:
    """Who goes first of those that were together, in one sentence."""
    if ordered is None:
        return "the table was split, and the log ends before it was decided"
    first, second = (people.seat(claim.seat) for claim in ordered.claims[:2])
    return SUMMARIES[ordered.whys[0]].format(first=first, second=second)


def rule_text(race: Race, need: int, people: People, *, is_half_named: bool) -> list[str]:
    """Which rule put one claim before another. `is_half_named`: a cut names the first claim alone."""
    first, second = people.seat(race.first.seat), people.seat(race.second.seat)
    if race.first.seat == race.second.seat:
        return [f"Both are {first}'s: they count in the order in which {first} made them."]
    if race.by_cause:
        return [
            f"{met_text(race, people)}: {first}'s wish comes before {second}'s own there. "
            "Then no witness is asked.",
        ]
    if is_half_named:
        return [f"{first}'s wish is named by the cut and {second}'s is not: what a cut names goes first."]
    ahead, behind, asked = race.words
    told = [
        "Neither had seen the other's wish before, so the witnesses were asked: whoever is first on "
        f"{need} of {asked} tapes is first.",
        f"{met_text(race, people)}.",
    ]
    if behind:
        told.append(f"{behind} saw {second} before {first}.")
    if ahead + behind < asked:
        told.append(f"{asked - ahead - behind} of their words is not in the evidence, and was not needed.")
    return told


def split_text(race: Race, need: int, people: People) -> str:
    """How the witnesses are split between two claims, or what else is between the two."""
    first, second = people.seat(race.first.seat), people.seat(race.second.seat)
    ahead, behind, asked = race.words
    if race.first.seat == race.second.seat:
        return f"Both are {first}'s: they stay in the order in which {first} made them."
    if race.by_cause:
        return f"{second} had seen what {first} wanted: {first} before {second}."
    if race.is_together:
        return (
            f"{first} and {second}: {ahead} of {asked} witnesses saw {first} first and {behind} saw {second} "
            f"first; {need} would decide."
        )
    return f"{first} before {second}: {ahead} of {asked} witnesses saw it so; {need} decide."


def cut_text(index: int) -> str:
    """That the tapes were closed."""
    return (
        f"The witnesses took too long, so entry {index} cut the tapes off: what they held by then counts, "
        "and missing words do not."
    )


CIRCLE = "Taken together that gives no order that all pairs keep."


def coins_texts(ordered: InOrder, people: People) -> list[str]:
    """How a draw works, and what it gave."""
    shown = [people.seat(seat) for seat, item in ordered.coins.items() if item is not None]
    withheld = [people.seat(seat) for seat, item in ordered.coins.items() if item is None]
    numbers = [
        f"{owner} {ordered.numbers[claim.id].hex()[:8]}"
        for owner, claim in zip(owners(ordered.claims, people), ordered.claims, strict=True)
    ]
    told = []
    if shown:
        who = listed(shown)
        told.append(f"So lots were drawn: {who} showed coins that were fixed before the match, unseen.")
    if withheld:
        told.append(f"{listed(withheld)} did not show the coin in time.")
    lowest = (
        "the lowest goes first" if set(ordered.whys) == {Why.COINS} else "the lowest goes first where it may"
    )
    told.append(f"The coins give each wish a number, and {lowest}: {', '.join(numbers)}.")
    return told


def why_texts(ordered: InOrder, people: People) -> list[str]:
    """What put each claim of a set before the next one."""
    names = [people.seat(claim.seat) for claim in ordered.claims]
    return [
        WHYS[why].format(first=names[place], second=names[place + 1])
        for place, why in enumerate(ordered.whys)
    ]


def liars_text(race: Race, sayers: Sequence[Seat], people: People) -> str | None:
    """Who would have to have lied for the race to have been another; None if nobody was asked."""
    if race.by_cause or race.first.seat == race.second.seat:
        return None
    who = people.all(sayers)
    if not sayers:
        return None
    if race.is_together:
        return f"Whether {who} signed what they saw. One false word can turn a lost race into a draw."
    second = people.seat(race.second.seat)
    if len(sayers) == 1:
        return f"Whether {who} signed what that seat saw. If {second} was first there, it lied."
    return f"Whether {who} signed what they saw. If {second} was first at each of them, all of them lied."
