"""What to call a rule set: by the rule book that it is, or that it is with a few keys changed."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kemps_p2p.game.rules import RuleSet, canonical_text, load_rules, rule_names
from kemps_p2p.wording.people import listed
from kemps_p2p.wording.plain import plain
from kemps_p2p.wording.rules_page import rules_page

CHANGED_MAX = 3
"""So many changed keys of a rule book are told; with more it is a book of its own."""


@dataclass(frozen=True, slots=True)
class NearestBook:
    """The rule book or variant that a rule set is most like.

    `changed`: lines of the set that the book has not. `distance`: these, and those that the set has not.
    """

    name: str
    changed: Sequence[str]
    distance: int


def nearest_book(text: str) -> NearestBook:
    """That of a rule set in its canonical text."""
    lines = text.splitlines()
    books = {name: set(canonical_text(load_rules(name)).splitlines()) for name in rule_names()}
    found = [
        NearestBook(name, [line for line in lines if line not in book], len(book.symmetric_difference(lines)))
        for name, book in books.items()
    ]
    return min(found, key=lambda book: book.distance)


def book_text(text: str) -> str:
    """What to call a rule set in its canonical text, for people."""
    book = nearest_book(text)
    if book.distance > 2 * CHANGED_MAX:
        return "house rules"
    return f"rules “{book.name}”" + (
        f", changed in {listed(list(map(plain, book.changed)))}" if book.changed else ""
    )


def changes_lines(rules: RuleSet) -> Sequence[str]:
    """What it means that a few keys of a rule book are changed: the sentences of its page that are others."""
    book = nearest_book(canonical_text(rules))
    if not book.distance or book.distance > 2 * CHANGED_MAX:
        return ()
    own, others = _sentences(rules), _sentences(load_rules(book.name))
    said = [sentence for sentence in own if sentence not in others]
    unsaid = [sentence for sentence in others if sentence not in own]
    told = (("that means", said), ("instead of" if said else "that takes away", unsaid))
    return tuple(f"{what}: {' '.join(sentences)}" for what, sentences in told if sentences)


def _sentences(rules: RuleSet) -> Sequence[str]:
    points = [point for section in rules_page(rules) for point in section.points]
    return [sentence for point in points for sentence in re.split(r"(?<=\.) ", point)]
