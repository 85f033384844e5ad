"""The report on one disputed race or call, as one JSON object: the facts, and what is told of them.

Seats are numbers, teams too; wishes go by their place in `wishes`; a stamp is a Lamport stamp.
"""

from collections.abc import Mapping

from kemps_p2p.codec import Digest
from kemps_p2p.game.actions import kind
from kemps_p2p.game.cards import Card, format_card
from kemps_p2p.ids import Position
from kemps_p2p.report.contests import Place
from kemps_p2p.report.dispute import CallFacts, Ordered, RaceFacts, Told, Wish
from kemps_p2p.report.dispute_text import (
    call_reasons,
    call_summary,
    call_unknown,
    race_summary_of,
    race_text_of,
    race_unknown,
    scene_of,
    told_text,
)
from kemps_p2p.report.knowledge import shown_deals
from kemps_p2p.session.audit import Audit
from kemps_p2p.session.races import Race
from kemps_p2p.wording.actions import action_text
from kemps_p2p.wording.audits import people_of
from kemps_p2p.wording.scene import Scene


def race_json(audit: Audit, facts: RaceFacts) -> dict[str, object]:
    """The facts of a race."""
    at, contested = facts.race.at, facts.race.contested
    people, scene = people_of(audit), scene_of(audit, at.before)
    places = {wish.asked.id: place for place, wish in enumerate(facts.wishes)}
    team = at.before.team_of
    return {
        **_place(audit, at, "race"),
        "summary": race_summary_of(facts, people),
        "rule": _rule(facts),
        "wishes": [_wish(wish, scene) for wish in facts.wishes],
        "tapes": [
            {
                "seat": tape.seat,
                "team": team(tape.seat) if tape.seat < at.before.seats else None,
                "is_claimant": any(wish.asked.seat == tape.seat for wish in facts.wishes),
                "is_witness": tape.has_word or all(wish.asked.seat != tape.seat for wish in facts.wishes),
                "shows": [
                    {
                        "wish": sight.wish,
                        "item": sight.item.item.number,
                        "digest": sight.item.digest.hex(),
                        "stamp": sight.item.item.lamport,
                    }
                    for sight in tape.sights
                ],
            }
            for tape in facts.tapes
        ],
        "need": facts.need,
        "pairs": [_pair(race, places) for race in contested.races],
        "cut_by": facts.cut_by,
        "order": None if facts.ordered is None else _order(facts.ordered, places),
        "unknown": list(race_unknown(facts, people)),
    }


def _rule(facts: RaceFacts) -> str:
    """The rule that decided; of a set, what put the first before the second."""
    contested = facts.race.contested
    if contested.is_together:
        return "undecided" if facts.ordered is None else facts.ordered.how.whys[0].value
    race = contested.races[0]
    if race.first.seat == race.second.seat:
        return "own-order"
    return "cause" if race.by_cause else "cut" if race.by_cut else "poll"


def _place(audit: Audit, at: Place, name: str) -> dict[str, object]:
    entry = at.step.record.entry
    return {
        "match": at.before.founding.match.hex(),
        "verdict": audit.verdict.value,
        name: at.number,
        "deal": at.before.game.deal + 1,
        "entry": entry.index,
        "at_ms": entry.elapsed_ms,
        "wall_ms": entry.wall_ms,
        "on_duty": at.step.record.item.seat,
        "names": list(audit.names),
    }


def _wish(wish: Wish, scene: Scene) -> dict[str, object]:
    outcome = wish.outcome
    return {
        "seat": wish.asked.seat,
        "kind": kind(wish.asked.action).value,
        "text": action_text(wish.asked.seat, wish.asked.action, scene),
        "item": wish.item.item.number,
        "digest": wish.asked.id.hex(),
        "stamp": wish.item.item.lamport,
        "head": wish.head,
        "head_at_ms": wish.head_ms,
        "result": None if outcome is None else outcome.result.name.lower(),
        "refused": None if outcome is None or outcome.refused is None else outcome.refused.value,
        "settled_by": None if outcome is None else outcome.step.record.entry.index,
    }


def _pair(race: Race, places: Mapping[Digest, int]) -> dict[str, object]:
    ahead, behind, asked = race.words
    return {
        "first": places[race.first.id],
        "second": places[race.second.id],
        "together": race.is_together,
        "by_cause": race.by_cause,
        "by_cut": race.by_cut,
        "words_first": ahead,
        "words_second": behind,
        "witnesses": asked,
    }


def _order(ordered: Ordered, places: Mapping[Digest, int]) -> dict[str, object]:
    how = ordered.how
    return {
        "entry": ordered.step.record.entry.index,
        "wishes": [places[claim.id] for claim in how.claims],
        "whys": [why.value for why in how.whys],
        "numbers": [how.numbers[claim.id].hex() for claim in how.claims if claim.id in how.numbers],
        "coins": [{"seat": seat, "shown": item is not None} for seat, item in how.coins.items()],
    }


def call_json(audit: Audit, facts: CallFacts) -> dict[str, object]:
    """The facts of a call."""
    at = facts.call.at
    scene = scene_of(audit, at.before)
    faces = shown_deals(audit).get(at.before.game.deal, at.before.game.faces)
    return {
        **_place(audit, at, "call"),
        "summary": call_summary(facts, scene),
        "why": list(call_reasons(facts, scene)),
        "seat": facts.call.called.seat,
        "wish": _wish(facts.wish, scene),
        "in_races": [met.race.at.number for met in facts.races],
        "met": [race_text_of(met.race, scene) for met in facts.races],
        "hands": [
            {"seat": seat, "cards": _names(hand, faces), "opened_by": facts.shares.get(seat)}
            for seat, hand in facts.hands.items()
        ],
        "before": [_told(told, scene) for told in facts.before],
        "since": [_told(told, scene) for told in facts.since],
        "verdicts": None if facts.judged is None else [one.value for one in facts.judged.verdicts],
        "unknown": list(call_unknown()),
    }


def _told(told: Told, scene: Scene) -> dict[str, object]:
    entry = told.step.record.entry
    return {"entry": entry.index, "at_ms": entry.elapsed_ms, "text": told_text(told, scene)}


def _names(hand: tuple[Position, ...], faces: Mapping[Position, Card]) -> list[str | None]:
    return [format_card(faces[position]) if position in faces else None for position in hand]
