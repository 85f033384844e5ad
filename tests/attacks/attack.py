"""One attack that the program withstands: where it is refused, and the tests that prove it.

A test is named by its module and function; a cheat by its name in the simulator's tables of lies.
"""

from dataclasses import dataclass
from enum import Enum, auto

from kemps_p2p.errors import Fault
from kemps_p2p.session.findings import Flaw


class Outcome(Enum):
    """What becomes of an attack for which nobody can be blamed."""

    NO_GAIN = auto()
    """Silence, or a lie about when something was heard: lawful to say, and of no use to the liar."""
    TURNED_AWAY = auto()
    """A stranger's: counted or dropped at the door, and nobody at the table is blamed."""


@dataclass(frozen=True)
class Attack:
    """One attack. `refused`: what its tests expect. `tests`: module and function. `cheats`: whole seats."""

    number: int
    name: str
    refused: tuple[Fault | Flaw | Outcome, ...]
    tests: tuple[tuple[str, str], ...]
    cheats: tuple[str, ...] = ()


REPLAY = ("test_sim_cheats_deck", "test_what_was_true_in_another_deal")
FALSE_WORD = ("test_sim_cheats_words", "test_what_nobody_may_say_stops_nobody")
FALSE_ENTRY = ("test_sim_cheats_duty", "test_a_false_entry_is_acked_by_nobody")
SIGNED_LIE = ("test_audit_forged", "test_the_lie_is_found")
