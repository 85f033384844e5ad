"""The attacks that the program withstands, as plain data."""

from attack import FALSE_ENTRY, FALSE_WORD, Attack
from deck_attacks import DECK_ATTACKS
from table_attacks import TABLE_ATTACKS

from kemps_p2p.errors import Fault

ATTACKS = (*DECK_ATTACKS, *TABLE_ATTACKS)

BESIDE = Attack(
    0,
    "what the seat on duty may lie about, or one that would be",
    (
        Fault.WRONG_TERM,
        Fault.BAD_LINK,
    ),
    (FALSE_ENTRY, FALSE_WORD),
    (
        "another term",
        "another chain",
        "an entry of a seat not on duty",
        "an entry of a seat not on duty, far ahead",
        "an ack of the future",
    ),
)
"""Cheating seats that are in the simulator already, of attacks that are not listed above yet."""
