"""The report on one disputed race or call, as lines for people.

Everything that comes from a log is made harmless by `wording`. The lines depend on the chain and the names
alone, so that every seat's log of a match gives the same report.
"""

from collections.abc import Iterable, Iterator

from kemps_p2p.errors import Illegal
from kemps_p2p.game.cards import is_quartet
from kemps_p2p.game.events import (
    Answered,
    AnswerVoid,
    Barred,
    DealEnded,
    DealLost,
    Event,
    FalseDenial,
    Gestured,
    MatchEnded,
    PlayoffAhead,
    ProofsOwed,
    Scored,
    Shown,
    Unopened,
    Verdicts,
)
from kemps_p2p.game.ruleset import Scoring
from kemps_p2p.game.scoring import Verdict as CallVerdict
from kemps_p2p.game.seating import partner_of
from kemps_p2p.ids import Seat
from kemps_p2p.report.contests import NumberedRace, Place
from kemps_p2p.report.dispute import CallFacts, RaceFacts, Sight, TapeView, Told, Wish
from kemps_p2p.report.knowledge import shown_deals
from kemps_p2p.session.audit import Audit
from kemps_p2p.session.draws import Why
from kemps_p2p.session.findings import Verdict
from kemps_p2p.session.match import Match
from kemps_p2p.session.races import Race
from kemps_p2p.wording.actions import action_text
from kemps_p2p.wording.audits import NO_NAMES, doubt_text, people_of, place_text, verdict_meaning
from kemps_p2p.wording.cards import day_text
from kemps_p2p.wording.disputes import (
    CALL_NEVER_KNOWN,
    CIRCLE,
    HOW_TO_READ,
    NEVER_KNOWN,
    RESULTS,
    SET_NEVER_KNOWN,
    coins_texts,
    cut_text,
    entry_text,
    liars_text,
    order_summary,
    owners,
    race_summary,
    rule_text,
    split_text,
    why_texts,
    wish_text,
)
from kemps_p2p.wording.events import INTENTS, event_text, late_text
from kemps_p2p.wording.numbers import either
from kemps_p2p.wording.people import People
from kemps_p2p.wording.races import race_text, together_text
from kemps_p2p.wording.refusals import refusal_text
from kemps_p2p.wording.scene import Scene
from kemps_p2p.wording.scores import changes_text, letters_text

Section = tuple[str, Iterable[str]]


def race_lines(audit: Audit, facts: RaceFacts, *, is_ascii: bool = False) -> Iterator[str]:
    """The report on a race."""
    people = people_of(audit)
    at = facts.race.at
    scene = scene_of(audit, at.before, is_ascii=is_ascii)
    yield from _doubt(audit, at)
    yield f"Race {at.number}: {race_summary_of(facts, people)}."
    yield f"{'; '.join(_results(facts, scene))}."
    yield from _where(at, people)
    yield from _sections(
        ("what they wanted", _wishes(facts.wishes, scene)),
        ("what each seat has signed, in the order of its own tape", _tapes(facts, people)),
        ("what decided", _decision(facts, people)),
        ("what came of it", _outcomes(facts, scene)),
        ("what nobody can know from this", race_unknown(facts, people)),
        ("how to read this", HOW_TO_READ),
    )
    yield from _standing(audit)


def race_summary_of(facts: RaceFacts, people: People) -> str:
    """A race in one sentence."""
    contested = facts.race.contested
    if contested.is_together:
        return order_summary(None if facts.ordered is None else facts.ordered.how, people)
    return race_summary(contested.races[0], people, _sayers(facts, contested.races[0]))


def race_text_of(race: NumberedRace, scene: Scene) -> str:
    """Who wanted what in a race, and how they stood to each other."""
    contested = race.contested
    if contested.is_together:
        return together_text(contested.claims, contested.races, scene)
    return race_text(contested.races[0], scene)


def call_lines(audit: Audit, facts: CallFacts, *, is_ascii: bool = False) -> Iterator[str]:
    """The report on a call."""
    people = people_of(audit)
    at = facts.call.at
    scene = scene_of(audit, at.before, is_ascii=is_ascii)
    yield from _doubt(audit, at)
    yield f"Call {at.number}: {call_summary(facts, scene)}."
    yield from call_reasons(facts, scene)
    yield from _where(at, people)
    yield from _sections(
        ("who wanted what, and who was first", _called(facts, scene)),
        (
            "gestures before the call, and exchanges of the hands that it names "
            "(a gesture is seen before the entry that has it is written)",
            _before(facts, scene),
        ),
        ("how it was checked", _checked(facts, scene)),
        ("what came of it", _came(facts, scene)),
        ("what nobody can know from this", call_unknown()),
        ("how to read this", HOW_TO_READ),
    )
    yield from _standing(audit)


def call_summary(facts: CallFacts, scene: Scene) -> str:
    """A call in one sentence: who called what, and the verdict."""
    return event_text(facts.call.called if facts.judged is None else facts.judged, scene)


def call_reasons(facts: CallFacts, scene: Scene) -> Iterator[str]:
    """What the verdict rests on and what it gave, a sentence each; nothing of a call that was not judged."""
    if facts.judged is not None:
        for reason in filter(None, (_reason(told.event, scene) for told in facts.since)):
            yield f"{reason[0].upper()}{reason[1:]}."
        team = scene.people.team(facts.call.at.before.team_of(facts.judged.seat))
        if CallVerdict.RIGHT not in facts.judged.verdicts:
            yield f"So {team} lose this call."
        elif set(facts.judged.verdicts) == {CallVerdict.RIGHT}:
            yield f"So {team} win this call."


def _reason(event: Event, scene: Scene) -> str | None:
    match event:
        case Shown(seat=seat, cards=cards):
            found = "a quartet" if is_quartet(scene.faces[card] for card in cards) else "no quartet"
            return f"{scene.people.seat(seat)} had {scene.cards(cards)}, {found}"
        case Unopened():
            return event_text(event, scene)
        case Scored(changes=changes):
            told = changes_text(scene.rules, changes, scene.people)
            return f"{told}; {letters_text(scene.rules)}" if scene.rules.scoring is Scoring.LETTERS else told
        case _:
            return None


def _sections(*sections: Section) -> Iterator[str]:
    for title, lines in sections:
        told = tuple(lines)
        if told:
            yield ""
            yield f"{title}:"
            yield from (f"  {line}" for line in told)


def _doubt(audit: Audit, at: Place) -> Iterator[str]:
    """What the whole log is worth, since no part of it is worth more: before all else where that is less."""
    if audit.verdict is not Verdict.CLEAN:
        yield f"This log is {audit.verdict.value}: {verdict_meaning(audit.verdict)}{place_text(audit)}."
        yield doubt_text(audit, at.step.record.entry.index)
        if not audit.names:
            yield f"{NO_NAMES[0].upper()}{NO_NAMES[1:]}."
        yield ""


def _standing(audit: Audit) -> Iterator[str]:
    if audit.verdict is Verdict.CLEAN:
        yield ""
        yield "The whole log was checked for this. It is clean: everything in it holds."
        yield "Every player's log of this match gives this same report."


def scene_of(audit: Audit, match: Match, *, is_ascii: bool = False) -> Scene:
    """The table with the faces that became known in the deal, at whatever time."""
    deals = shown_deals(audit)
    faces = deals.get(match.game.deal, match.game.faces)
    return Scene(people_of(audit), match.founding.rules, faces, is_ascii)


def _where(at: Place, people: People) -> Iterator[str]:
    entry = at.step.record.entry
    duty = people.seat(at.step.record.item.seat)
    deal = f"Deal {at.before.game.deal + 1}" if at.before.game.deal >= 0 else "Before the first deal"
    when = entry_text(entry.index, entry.elapsed_ms)
    yield f"{deal}, {when}, {day_text(entry.wall_ms)} by the clock of {duty}, who was on duty."


# Races


def _wishes(wishes: Iterable[Wish], scene: Scene) -> Iterator[str]:
    for wish in wishes:
        yield _wish_line(wish, scene)


def _wish_line(wish: Wish, scene: Scene) -> str:
    return wish_text(wish.asked, wish.item.item.lamport, wish.head, wish.head_ms, scene)


def _tapes(facts: RaceFacts, people: People) -> Iterator[str]:
    named = owners([wish.asked for wish in facts.wishes], people)
    claimants = {wish.asked.seat for wish in facts.wishes}
    for tape in facts.tapes:
        yield f"{people.seat(tape.seat)}, {_role(tape, facts, claimants, people)}: {_sights(tape, named)}"


def _role(tape: TapeView, facts: RaceFacts, claimants: set[Seat], people: People) -> str:
    if tape.seat in claimants:
        also = "" if not tape.has_word else ", and is a witness for the others"
        partner = partner_of(tape.seat, facts.race.at.before.seats)
        with_whom = f", partner of {people.seat(partner)}" if partner in claimants else ""
        return f"who wanted it{with_whom}{also}"
    if tape.seat == facts.race.at.before.observer:
        return "witness of no team"
    team = facts.race.at.before.team_of
    partners = [seat for seat in sorted(claimants) if team(seat) == team(tape.seat)]
    return "witness" + (f" and partner of {people.all(partners)}" if partners else "")


def _sights(tape: TapeView, named: list[str]) -> str:
    if not tape.sights:
        return "not in the evidence: its word was not needed"
    seen = [_sight(sight, named) for sight in tape.sights]
    missing = [
        owner for index, owner in enumerate(named) if all(sight.wish != index for sight in tape.sights)
    ]
    told = seen[0] if len(seen) == 1 else f"first {', then '.join(seen)}"
    return f"{told}, before anything of {either(missing)}" if missing else told


def _sight(sight: Sight, named: list[str]) -> str:
    owner = "its own wish" if sight.is_own else named[sight.wish]
    return f"{owner} [stamp {sight.item.item.lamport}]"


def _decision(facts: RaceFacts, people: People) -> Iterator[str]:
    races = facts.race.contested.races
    if facts.cut_by is not None:
        yield cut_text(facts.cut_by)
    if not facts.race.contested.is_together:
        yield from rule_text(races[0], facts.need, people, is_half_named=_is_half_named(facts))
        return
    yield from (split_text(race, facts.need, people) for race in races)
    if len(facts.wishes) > 2 and not any(race.is_together for race in races):
        yield CIRCLE
    if facts.ordered is None:
        yield "The log ends before they were put in order."
        return
    how = facts.ordered.how
    if Why.COINS in how.whys:
        yield from coins_texts(how, people)
    yield from why_texts(how, people)


def _settled(facts: RaceFacts, people: People) -> list[tuple[str, Wish]]:
    """The wishes and what to call them, in the order in which they were settled."""
    named = owners([wish.asked for wish in facts.wishes], people)
    order = [wish.asked.id for wish in facts.wishes]
    if facts.ordered is not None:
        order = [claim.id for claim in facts.ordered.how.claims]
    both = zip(named, facts.wishes, strict=True)
    return sorted(both, key=lambda pair: order.index(pair[1].asked.id))


def _results(facts: RaceFacts, scene: Scene) -> Iterator[str]:
    """What came of each wish, told to whoever reads no further."""
    for _, wish in _settled(facts, scene.people):
        who = scene.people.seat(wish.asked.seat)
        yield f"{who}'s wish to {action_text(wish.asked.seat, wish.asked.action, scene)} {_result(wish)}"


def _result(wish: Wish) -> str:
    if wish.outcome is None:
        return "is not settled where the log ends"
    came, refused = RESULTS[wish.outcome.result], wish.outcome.refused
    if (late := wish.outcome.late) is not None:
        came, refused = f"{came}, and then {late_text(late)}", late.reason
        if refused is Illegal.DEAL_OVER:
            return f"{came}, since that one ended the deal"
    return came + ("" if refused is None else f", since {refusal_text(refused)}")


def _outcomes(facts: RaceFacts, scene: Scene) -> Iterator[str]:
    """What came of each wish, and where; and what other races had to do with it."""
    for owner, wish in _settled(facts, scene.people):
        at = ""
        if wish.outcome is not None:
            entry = wish.outcome.step.record.entry
            at = f", {entry_text(entry.index, entry.elapsed_ms)}"
        yield f"{owner} wish {_result(wish)}{at}"
    yield from (_other_race(race, scene) for race in facts.others)


def _other_race(race: NumberedRace, scene: Scene) -> str:
    return f"{_by_number(race)}: {race_text_of(race, scene)}."


def _by_number(race: NumberedRace) -> str:
    return f"Race {race.at.number} (--race {race.at.number})"


def race_unknown(facts: RaceFacts, people: People) -> Iterator[str]:
    """What the log cannot say of a race."""
    races = facts.race.contested.races
    if len(races) > 1:
        yield SET_NEVER_KNOWN
    for race in races if len(races) == 1 and not _is_half_named(facts) else ():
        said = liars_text(race, _sayers(facts, race), people)
        if said is not None:
            yield said
    yield from NEVER_KNOWN


def _sayers(facts: RaceFacts, race: Race) -> list[Seat]:
    """The witnesses whose tapes say what a race came to."""
    claimants = (race.first.seat, race.second.seat)
    return [
        tape.seat for tape in facts.tapes if tape.seat not in claimants and _says(tape, race, facts.wishes)
    ]


def _is_half_named(facts: RaceFacts) -> bool:
    """True if a cut names the first of two claims and not the second: then nobody is asked."""
    race, cut = facts.race.contested.races[0], facts.race.at.before.cut
    return race.by_cut and cut is not None and race.second.id not in cut.claims


def _says(tape: TapeView, race: Race, wishes: tuple[Wish, ...]) -> bool:
    """True if a tape says what the race came to: any order of the two if they are together."""
    pair = (race.first.id, race.second.id)
    seen = [wishes[sight.wish].asked.id for sight in tape.sights]
    order = [name for name in seen if name in pair]
    return bool(order) and (race.is_together or order[0] == race.first.id)


# Calls

_CHECKS = (Answered, AnswerVoid, Unopened, Shown, ProofsOwed, FalseDenial, Verdicts)
_RESULTS = (Scored, Barred, DealLost, DealEnded, PlayoffAhead, MatchEnded)


def _called(facts: CallFacts, scene: Scene) -> Iterator[str]:
    yield from _wishes((facts.wish, *facts.rivals), scene)
    for met, told in zip(facts.races, met_texts(facts, scene.people), strict=True):
        yield f"{_by_number(met.race)}: {told}."
    yield from rivals_texts(facts, scene)
    if not facts.races:
        yield "Nobody else had signed a wish that conflicts with this call: it was in no race."


def rivals_texts(facts: CallFacts, scene: Scene) -> Iterator[str]:
    """What came of the wishes that a call met, a sentence each."""
    for rival in facts.rivals:
        wanted = action_text(rival.asked.seat, rival.asked.action, scene)
        yield f"{scene.people.seat(rival.asked.seat)}'s wish to {wanted} {_result(rival)}."


def met_texts(facts: CallFacts, people: People) -> Iterator[str]:
    """How a call stood to what it met, a sentence a race."""
    yield from (race_summary_of(met, people) for met in facts.races)


def told_text(told: Told, scene: Scene) -> str:
    """Something that happened, with the cards as that state knew them or the log shows them."""
    return event_text(told.event, scene)


def _told_line(told: Told, scene: Scene) -> str:
    entry = told.step.record.entry
    why = "" if told.intent is None else f", {INTENTS[told.intent]}"
    return f"{told_text(told, scene)}{why}, {entry_text(entry.index, entry.elapsed_ms)}"


def _before(facts: CallFacts, scene: Scene) -> Iterator[str]:
    """What was done before a call, with the stamps that say whether the call can be an answer to it."""
    for told in facts.before:
        stamp = "" if told.stamp is None else f" [stamp {told.stamp}]"
        yield f"{_told_line(told, scene)}{stamp}"
    if any(isinstance(told.event, Gestured) and told.intent is None for told in facts.before):
        yield "Which gestures were meant is opened at the end of a match; this log does not show it."


def _checked(facts: CallFacts, scene: Scene) -> Iterator[str]:
    """Answers, openings and the verdict, in the order of the log."""
    who = scene.people.seat
    how = "opened these cards (the last shares of their key), with the proof that they are the ones dealt"
    told = [(index, f"{who(seat)} {how}, entry {index}") for seat, index in facts.shares.items()]
    told += [
        (each.step.record.entry.index, _told_line(each, scene))
        for each in facts.since
        if isinstance(each.event, _CHECKS)
    ]
    yield from (line for _, line in sorted(told, key=lambda at: at[0]))
    if facts.judged is None:
        yield "It was not judged as far as the log goes."


def _came(facts: CallFacts, scene: Scene) -> Iterator[str]:
    yield from (_told_line(told, scene) for told in facts.since if isinstance(told.event, _RESULTS))


def call_unknown() -> tuple[str, ...]:
    """What the log cannot say of a call."""
    return (*CALL_NEVER_KNOWN, *NEVER_KNOWN[1:])
