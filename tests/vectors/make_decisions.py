"""Vectors of `decide`: claims and tapes, and the sets that follow, written by hand and not by the program.

A case is a line of letters. Claims are A, B, C, D with their authors, "A0 B1". Conflicts are pairs. Tapes
come by seat, the observer's last if there is one; "BA" shows B and then A, "-" shows nothing. What follows
comes in rounds: the sets decided first, then, "|", those decided once these are logged. The rest waits.
"""

from collections.abc import Iterator
from typing import Any

from vectors.form import Vector, as_text

Case = tuple[str, str, str, str, str]
"""Name, claims, conflicts, tapes, rounds."""

FOUR: tuple[Case, ...] = (
    # One claim, or claims that commute.
    ("no claim", "", "", "- - - -", ""),
    ("one claim that all have seen", "A0", "", "A A A A", "A"),
    ("one claim on two other tapes", "A0", "", "A A A -", "A"),
    ("one claim on two other tapes, the partner's among them", "A0", "", "A - A A", "A"),
    ("one claim on one other tape", "A0", "", "A - A -", ""),
    ("one claim on its own tape alone", "A0", "", "A - - -", ""),
    ("two that commute", "A0 B1", "", "AB BA AB AB", "A B"),
    ("two that commute, seen in both orders", "A0 B1", "", "AB BA AB BA", "A B"),
    ("two that commute, one hardly seen", "A0 B1", "", "A B A A", "A"),
    ("two of one seat that commute", "A0 B0", "", "AB AB AB -", "A B"),
    # Causality.
    ("the later claimant had seen the other", "A0 B1", "AB", "A AB AB AB", "A | B"),
    ("the other way round", "A0 B1", "AB", "BA B BA BA", "B | A"),
    ("causality stands against both words", "A0 B1", "AB", "A AB BA BA", "A | B"),
    ("causality needs no words", "A0 B1", "AB", "A AB A -", "A"),
    ("causality does not replace being seen", "A0 B1", "AB", "A AB - -", ""),
    ("two of one seat", "A0 B0", "AB", "AB AB AB AB", "A | B"),
    ("two of one seat, told otherwise by all", "A0 B0", "AB", "AB BA BA BA", "A | B"),
    # The poll.
    ("both words for one", "A0 B1", "AB", "A B AB AB", "A | B"),
    ("both words for the other", "A0 B1", "AB", "A B BA BA", "B | A"),
    ("receipts of the claimants have no say", "A0 B1", "AB", "AB BA AB AB", "A | B"),
    ("partners against each other", "A0 B2", "AB", "A AB B AB", "A | B"),
    ("who shows one and not the other says it is first", "A0 B1", "AB", "AB B A AB", "A | B"),
    ("and so do two, but the second is hardly seen", "A0 B1", "AB", "A B A A", "A"),
    ("one word is out", "A0 B1", "AB", "AB BA AB -", ""),
    ("both words are out", "A0 B1", "AB", "AB BA - -", ""),
    ("a split", "A0 B1", "AB", "A B AB BA", "AB"),
    ("a split of partners", "A0 B2", "AB", "A AB B BA", "AB"),
    ("a split by what is not shown", "A0 B1", "AB", "AB BA A B", "AB"),
    ("a split of claims that are hardly seen", "A0 B1", "AB", "A B A B", ""),
    # Three claims.
    ("three in a row", "A0 B1 C2", "AB BC AC", "ABC BAC CAB ABC", "A | B | C"),
    ("two together behind one", "A0 B1 C2", "AB BC AC", "ACB BAC CAB ABC", "A | BC"),
    ("two together ahead of one", "A0 B1 C2", "AB BC AC", "ABC BAC CBA ABC", "AB | C"),
    ("two that commute behind one", "A0 B1 C2", "AB AC", "ABC BAC CAB ABC", "A | B C"),
    ("one behind two that commute", "A0 B1 C2", "AB BC", "ACB BAC CAB ACB", "A C | B"),
    ("together through one between", "A0 B1 C2", "AB BC", "ACB BAC CBA ABC", "ABC"),
    ("three together, each with each", "A0 B1 C2", "AB BC AC", "ACB BCA CBA ABC", "ABC"),
    ("an open pair behind one", "A0 B1 C2", "AB BC AC", "A BA CAB AB", "A"),
    ("an open pair ahead of one", "A0 B1 C2", "AB BC AC", "ABC BAC CAB -", ""),
    ("an open pair beside one that commutes", "A0 B1 C2", "AB", "ABC BAC C ABC", "C"),
    ("one of two by a seat lies between", "A0 B1 C0", "AB BC AC", "AC BAC ABC ABC", "A | B | C"),
    ("two of a seat ahead by causality", "A0 B1 C0", "AB BC AC", "AC ACB ABC ABC", "A | C | B"),
    ("a draw among three in which one had seen another", "A0 B1 C2", "AB BC AC", "ACB BCA ACB BAC", "ABC"),
)
FOUR_REFUSED: tuple[tuple[str, Case], ...] = (
    ("A", ("a refused claim conflicts with nothing", "A0 B1", "AB", "A AB AB AB", "A B")),
    ("A", ("a refused claim that is hardly seen holds nothing up", "A0 B1", "AB", "A B B B", "B")),
    ("B", ("a split with a refused claim is none", "A0 B1", "AB", "AB BA AB BA", "A B")),
    (
        "B",
        (
            "without the refused one between, two are not together",
            "A0 B1 C2",
            "AB BC",
            "ACB BAC CBA ABC",
            "A B C",
        ),
    ),
)
SIX: tuple[Case, ...] = (
    ("one claim on three other tapes", "A0", "", "A - A A A -", "A"),
    ("one claim on two other tapes", "A0", "", "A - A A - -", ""),
    ("four words to none", "A0 B1", "AB", "A B AB AB AB AB", "A | B"),
    ("three words to one", "A0 B1", "AB", "A B AB AB AB BA", "A | B"),
    ("one word to three", "A0 B1", "AB", "A B BA AB BA BA", "B | A"),
    ("three words to none, one out", "A0 B1", "AB", "A B AB AB AB -", "A | B"),
    ("two words to one, one out", "A0 B1", "AB", "A B AB AB BA -", ""),
    ("two words to none, two out", "A0 B1", "AB", "AB BA AB AB - -", ""),
    ("two words to two", "A0 B1", "AB", "A B AB AB BA BA", "AB"),
    ("two words to two, by what is not shown", "A0 B1", "AB", "AB BA AB AB B B", "AB"),
    ("causality stands against four words", "A0 B1", "AB", "A AB BA BA BA BA", "A | B"),
    ("a cycle of three", "A0 B1 C2", "AB BC AC", "ABC BCA CAB ABC BCA CAB", "ABC"),
    ("three together", "A0 B1 C2", "AB BC AC", "ACB BAC CBA ABC BCA CAB", "ABC"),
    (
        "a cycle of three ahead of one",
        "A0 B1 C2 D3",
        "AB BC AC AD BD CD",
        "ABCD BCAD CABD ABCD BCAD CABD",
        "ABC | D",
    ),
    (
        "a cycle of three behind one",
        "A0 B1 C2 D3",
        "AB BC AC AD BD CD",
        "DABC DBCA DCAB DABC DBCA DCAB",
        "D | ABC",
    ),
    ("a ring of four", "A0 B1 C2 D3", "AB BC CD AD", "ABCD BCDA CDAB DABC ABCD DABC", "ABCD"),
    ("two contests side by side", "A0 B1 C2 D3", "AB CD", "ACDB BDCA CABD DBAC ABCD BADC", "AB CD"),
    ("a contest beside an open pair", "A0 B1 C2 D3", "AB CD", "AB BA CABD DBAC AB BA", "AB"),
)
EIGHT: tuple[Case, ...] = (
    ("one claim on four other tapes", "A0", "", "A - A A A A - -", "A"),
    ("one claim on three other tapes", "A0", "", "A - A A A - - -", ""),
    ("four words to two", "A0 B1", "AB", "A B AB AB AB AB BA BA", "A | B"),
    ("three words to three", "A0 B1", "AB", "A B AB AB AB BA BA BA", "AB"),
    ("three words to two, one out", "A0 B1", "AB", "A B AB AB AB BA BA -", ""),
    ("four words to none, two out", "A0 B1", "AB", "A B AB AB AB AB - -", "A | B"),
    ("causality stands against six words", "A0 B7", "AB", "A BA BA BA BA BA BA AB", "A | B"),
    ("a cycle of three", "A0 B1 C2", "AB BC AC", "ABC BCA CAB ABC BCA CAB ABC BCA", "ABC"),
)
FOUR_OBSERVED: tuple[Case, ...] = (
    ("the observer is one of two that have seen a claim", "A0", "", "A - A - A", "A"),
    ("one other tape is not enough", "A0", "", "A - - - A", ""),
    ("the observer ends a split", "A0 B1", "AB", "A B AB BA AB", "A | B"),
    ("the observer ends a split for the other", "A0 B1", "AB", "A B AB BA BA", "B | A"),
    ("a split waits for the observer", "A0 B1", "AB", "AB BA AB BA -", ""),
    ("the observer against both", "A0 B1", "AB", "A B AB AB BA", "A | B"),
    ("a witness is out, the observer is there", "A0 B1", "AB", "AB BA AB - AB", "A | B"),
    ("causality stands against the observer", "A0 B1", "AB", "A AB BA BA BA", "A | B"),
    ("a cycle of three", "A0 B1 C2", "AB BC AC", "ABC BCA CAB ABC BCA", "ABC"),
)
SIX_OBSERVED: tuple[Case, ...] = (
    ("the observer ends a split", "A0 B1", "AB", "A B AB AB BA BA BA", "B | A"),
    ("a split waits for the observer", "A0 B1", "AB", "AB BA AB AB BA BA -", ""),
)
EIGHT_OBSERVED: tuple[Case, ...] = (
    ("the observer ends a split", "A0 B1", "AB", "A B AB AB AB BA BA BA AB", "A | B"),
    ("a split waits for the observer", "A0 B1", "AB", "AB BA AB AB AB BA BA BA -", ""),
)
FOUR_CUT: tuple[tuple[str, str, Case], ...] = (
    ("AB", "AB BA AB -", ("one witness is silent", "A0 B1", "AB", "AB BA AB -", "AB")),
    ("AB", "AB BA - -", ("both witnesses are silent", "A0 B1", "AB", "AB BA - -", "AB")),
    ("AB", "A B - -", ("claims that nobody else has seen", "A0 B1", "AB", "A B - -", "AB")),
    ("AB", "A B AB AB", ("both have spoken in time", "A0 B1", "AB", "A B AB AB", "A | B")),
    ("AB", "AB BA AB -", ("a word that comes too late", "A0 B1", "AB", "AB BA AB AB", "AB")),
    ("AB", "A B - BA", ("two words that come too late", "A0 B1", "AB", "A B AB BA", "AB")),
    ("AB", "A AB - -", ("causality is closed in as well", "A0 B1", "AB", "A AB - -", "A | B")),
    (
        "ABC",
        "ABC BAC CAB -",
        ("three, and one witness is silent", "A0 B1 C2", "AB BC AC", "ABC BAC CAB -", "ABC"),
    ),
    (
        "ABC",
        "ABC BAC CAB AB",
        ("three, of which one shows two", "A0 B1 C2", "AB BC AC", "ABC BAC CAB ABC", "A | B | C"),
    ),
    ("AB", "A B - AB", ("one that is not named is behind", "A0 B1 C2", "AB BC AC", "CA CB C CAB", "AB | C")),
    ("AB", "A B - -", ("one that commutes is not held up", "A0 B1 C2", "AB", "AC BC C C", "AB C")),
)
"""With the claims that a cut names, and the tapes as it closes them."""
CAUSAL = {"a draw among three in which one had seen another": ["AC"]}
"""Pairs, earlier first, that causality orders inside a set of several."""


def files(_setting: object) -> dict[str, str]:
    """The files by name."""
    return {"ledger/decisions.json": as_text({"vectors": list(decisions())})}


def decisions() -> Iterator[Vector]:
    """Every case as a vector."""
    for seats, has_observer, cases in (
        (4, False, FOUR),
        (6, False, SIX),
        (8, False, EIGHT),
        (4, True, FOUR_OBSERVED),
        (6, True, SIX_OBSERVED),
        (8, True, EIGHT_OBSERVED),
    ):
        for case in cases:
            yield decision(case, seats, has_observer=has_observer)
    for named, closed, case in FOUR_CUT:
        yield decision(case, 4, cut=(named, closed))
    for refused, case in FOUR_REFUSED:
        yield decision(case, 4, refused=refused)


def numbers(letters: str) -> list[int]:
    """The numbers of claims named by letters."""
    return ["ABCD".index(letter) for letter in letters]


def tapes_of(letters: str) -> list[list[int]]:
    """Tapes by seat."""
    return [[] if tape == "-" else numbers(tape) for tape in letters.split()]


def decision(
    case: Case,
    seats: int,
    *,
    has_observer: bool = False,
    refused: str = "",
    cut: tuple[str, str] | None = None,
) -> Vector:
    """A case written out."""
    name, claims, conflicts, tapes, rounds = case
    shown = tapes_of(tapes)
    assert len(shown) == seats + has_observer, name
    authors: list[dict[str, Any]] = []
    for place, claim in enumerate(claims.split()):
        assert claim[0] == "ABCD"[place]
        authors.append({"seat": int(claim[1]), "refused": claim[0] in refused})
    return {
        "name": f"{seats} seats{' and an observer' if has_observer else ' and a cut' if cut else ''}: {name}",
        "seats": seats,
        "observer": has_observer,
        "claims": authors,
        "conflicts": [numbers(pair) for pair in conflicts.split()],
        "tapes": shown,
        "cut": None if cut is None else {"claims": numbers(cut[0]), "tapes": tapes_of(cut[1])},
        "rounds": [
            [numbers(chosen) for chosen in part.split()] for part in rounds.split("|") if part.strip()
        ],
        "causal": [numbers(pair) for pair in CAUSAL.get(name, ())],
    }
