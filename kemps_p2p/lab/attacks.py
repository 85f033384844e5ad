"""The attacks that one whole seat can play, each tried at a table of honest others: `kemps lab attack`.

An attack is detected by every honest seat, with a fault that names the cheat and a log that an audit
confirms, or it brings nothing. Which check stops which attack is shown by tests that take the check out. The
numbers are those of the registry of attacks among the tests.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeAlias

from kemps_p2p.codec import Digest
from kemps_p2p.deck.group import STUB
from kemps_p2p.errors import Fault
from kemps_p2p.ids import Seat
from kemps_p2p.lab.cheats import Casting, Cheat
from kemps_p2p.lab.lies_deck import KEYS, REPLAYS, SHARES, TURNS, false_key, false_share, false_turn, replayed
from kemps_p2p.lab.lies_words import CLAIMS, ENTRIES, changed_event, leaping_stamp, once_playing
from kemps_p2p.lab.plots import (
    PHANTOM,
    against_dealer,
    against_first_dealer,
    before_the_start,
    beside_a_liar,
    between_others,
    blind_to_the_next,
    cut_of_one,
    dead_heat_with_cheat,
    forked,
    has_an_old_key,
    has_leapt,
    has_logged_a_lie,
    has_ordered_without,
    has_seen_more,
    has_won,
    has_won_when_on_duty,
    keeps_faces,
    kept_from_half,
    late_accomplice,
    late_partner,
    other_order,
    phantom_counts,
    reordered,
    stood_still,
    took_before_the_start,
    took_twice,
    turned_a_loss,
    went_on_unblamed,
    with_a_later_coin,
    won_a_draw,
)
from kemps_p2p.lab.staging import Stage, beside_a_silenced_seat, beside_duty, in_match, in_races, on_duty
from kemps_p2p.lab.timing import (
    call_on_hearing,
    front_runner,
    late_witness,
    silent_witness,
    stale_claimant,
)
from kemps_p2p.lab.track import Heat, Race, Track
from kemps_p2p.ledger.tape import Receipt
from kemps_p2p.runtime.simnet import PERFECT
from kemps_p2p.session.audit import JointAudit
from kemps_p2p.session.findings import Verdict

Gained: TypeAlias = Callable[[Stage], bool]
Heats: TypeAlias = Callable[[Track, random.Random], Heat]


class Ending(Enum):
    """How an attack ends."""

    DETECTED = "detected"
    NO_GAIN = "without gain"
    SUCCEEDED = "succeeded"


@dataclass(frozen=True, slots=True)
class Attack:
    """An attack: how it is staged, with a deck of which group, and whether it brought what it was for."""

    number: int
    name: str
    says: str
    stage: Callable[[str], Stage]
    has_gained: Callable[[Stage], bool]


@dataclass(frozen=True, slots=True)
class Report:
    """What came of an attack. `entry`: the entry that blames the cheat, or is the lie that nobody acks.

    `evidence`: the items that prove it. `log`: one with them. `audited`: its audit, `is_confirmed` if so.
    """

    attack: Attack
    ending: Ending
    fault: Fault | None
    culprits: tuple[Seat, ...]
    detected_by: tuple[Seat, ...]
    honest: int
    entry: int | None
    evidence: tuple[Digest, ...]
    log: bytes | None
    audited: JointAudit | None
    is_confirmed: bool

    @property
    def is_withstood(self) -> bool:
        """True if it brought nothing, and whoever is accused is accused with proof."""
        return self.ending is not Ending.SUCCEEDED and (self.is_confirmed or self.fault is None)


def try_attack(attack: Attack, group: str = STUB.name) -> Report:
    """Stage an attack and look at what is left. A deck of the stub group is quick and hides nothing."""
    stage = attack.stage(group)
    fault, seats = stage.detected_by()
    entry, items, log = stage.evidence()
    audited = stage.audited()
    ending = Ending.NO_GAIN if fault is None else Ending.DETECTED
    return Report(
        attack=attack,
        ending=Ending.SUCCEEDED if attack.has_gained(stage) else ending,
        fault=fault,
        culprits=tuple(sorted(stage.cheats)),
        detected_by=seats,
        honest=len(stage.honest),
        entry=entry,
        evidence=items,
        log=log,
        audited=audited,
        is_confirmed=_is_confirmed(stage, audited, entry),
    )


def _is_confirmed(stage: Stage, audited: JointAudit | None, entry: int | None) -> bool:
    """True if the audit names a cheat for this entry, or has folded the entry that blames it."""
    if audited is None or entry is None:
        return False
    (one,) = audited.audits
    if audited.verdict is Verdict.VIOLATED:
        return any(each.index == entry and each.culprit in stage.cheats for each in one.findings)
    return stage.is_blamed() and len(one.steps) >= entry


def _in_match(number: int, name: str, says: str, casting: Casting, gained: Gained, **facts: Any) -> Attack:
    return Attack(number, name, says, lambda group: in_match(casting, group=group, **facts), gained)


def _in_races(
    number: int, name: str, says: str, casting: Casting, heat: Heats, **facts: Any
) -> Callable[[Gained], Attack]:
    def stage(group: str) -> Stage:
        return in_races(casting, heat, group=group, **facts)

    return lambda gained: Attack(number, name, says, stage, gained)


def _false_entry(name: str, says: str) -> Attack:
    casting = on_duty(lambda: ENTRIES[name][0])
    return _in_match(20, name.replace(" ", "-"), says, casting, has_logged_a_lie)


def _deck_lie(number: int, name: str, says: str, how: Callable[[], Cheat], **facts: Any) -> Attack:
    return _in_match(number, name, says, beside_duty(how), went_on_unblamed, **facts)


ATTACKS = (
    _deck_lie(
        1, "duplicate-card", "a card twice in one turn", lambda: false_turn(TURNS["duplicate card"][0])
    ),
    _deck_lie(
        2, "replaced-card", "a card replaced by no card", lambda: false_turn(TURNS["replaced card"][0])
    ),
    _deck_lie(
        3,
        "tagged-card",
        "one card blinded otherwise, to know it",
        lambda: false_turn(TURNS["tagged card"][0]),
    ),
    _deck_lie(10, "copied-key", "another seat's key as the own", lambda: false_key(KEYS["copied key"][0])),
    _deck_lie(
        15,
        "false-share",
        "a share that opens another card",
        lambda: false_share(SHARES["another point for a share"][0], 0),
    ),
    _in_races(
        20,
        "front-run",
        "the seat on duty claims what it hears another claim, before its receipt",
        on_duty(front_runner),
        against_dealer,
    )(has_won),
    Attack(
        20,
        "pass-over",
        "the seat on duty never orders a claim of the next seat",
        lambda group: beside_a_silenced_seat(blind_to_the_next, group),
        has_ordered_without,
    ),
    _false_entry("another result", "an exchange that was carried out is said to have missed"),
    _false_entry("no evidence", "a claim ordered without a word of a witness"),
    _false_entry("other scores", "a checkpoint with other scores"),
    _false_entry("another dealer", "a checkpoint with another dealer"),
    _false_entry("a close before the end", "the match closed before it is over"),
    _false_entry("time that runs backwards", "an entry before the one before it"),
    _in_races(
        20,
        "false-lottery",
        "a draw in another order than the coins give",
        on_duty(lambda: changed_event(other_order)),
        between_others,
        until=Stage.lies,
    )(has_logged_a_lie),
    _in_races(
        20,
        "reorder",
        "of two claims the later is logged first",
        on_duty(lambda: Cheat(entry=reordered)),
        between_others,
        until=Stage.lies,
    )(has_logged_a_lie),
    _in_match(
        20,
        "false-cut",
        "the tapes are closed for a claim that nobody contests",
        on_duty(lambda: changed_event(cut_of_one)),
        has_logged_a_lie,
    ),
    _in_races(
        21,
        "stale",
        "claims against old heads, with low stamps",
        beside_duty(stale_claimant),
        late_accomplice,
    )(has_won),
    _in_match(21, "leap", "a stamp a million ahead", beside_duty(leaping_stamp), has_leapt, net=PERFECT),
    Attack(22, "liar", "a witness that says its partner was first", beside_a_liar, turned_a_loss),
    _in_races(
        22,
        "late",
        "a witness that gives its receipts as late as it dares",
        beside_duty(lambda: late_witness().cheat),
        late_partner,
    )(has_won),
    _in_races(
        22,
        "silent",
        "a witness that gives no receipt",
        beside_duty(silent_witness),
        late_partner,
    )(stood_still),
    Attack(23, "fork", "a tape that says two things at one number", forked, went_on_unblamed),
    _in_match(
        24,
        "replay",
        "a key of the deal before, said again",
        beside_duty(lambda: replayed(REPLAYS["key of the deal before"][0])),
        has_an_old_key,
        word="KE",
    ),
    Attack(25, "half", "claims sent to half of the table", kept_from_half, stood_still),
    _in_match(
        25,
        "phantom",
        "a receipt of a claim that nobody made",
        beside_duty(lambda: once_playing(Receipt(claim=PHANTOM, rivals=()))),
        phantom_counts,
        net=PERFECT,
    ),
    _in_match(26, "spray", "many claims at once", beside_duty(lambda: CLAIMS["sprayed claims"]), took_twice),
    _in_races(
        27,
        "no-coin",
        "the coin of a draw is kept back",
        beside_duty(lambda: Cheat(keeps_coins=True)),
        dead_heat_with_cheat,
        races=10,
    )(won_a_draw),
    _in_races(
        27,
        "false-coin",
        "another coin than the one that was committed to",
        beside_duty(lambda: Cheat(coin=with_a_later_coin)),
        dead_heat_with_cheat,
        races=10,
    )(won_a_draw),
    _in_match(
        28,
        "early",
        "a claim before play starts",
        beside_duty(lambda: Cheat(nuisance=before_the_start)),
        took_before_the_start,
        look_ms=400,
    ),
    _in_match(
        28,
        "held-share",
        "the last share of a card in the middle is kept back",
        beside_duty(lambda: Cheat(wait=keeps_faces)),
        has_seen_more,
    ),
    _in_races(
        29,
        "call-on-hearing",
        "a call on hearing another, with the receipt held back",
        on_duty(call_on_hearing),
        against_first_dealer,
        race=Race.CALL,
        races=12,
    )(has_won_when_on_duty),
)


def attack_named(name: str) -> Attack | None:
    """The attack of a name; None if there is none."""
    return next((attack for attack in ATTACKS if attack.name == name), None)
