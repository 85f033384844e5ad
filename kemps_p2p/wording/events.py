"""What happened at the table, one sentence an event."""

from typing import assert_never

from kemps_p2p.game.actions import Admit
from kemps_p2p.game.events import (
    Answered,
    AnswerVoid,
    Barred,
    Called,
    DealEnd,
    DealEnded,
    DealLost,
    Dealt,
    Discarded,
    Event,
    FalseDenial,
    Gestured,
    Halted,
    MatchEnded,
    Missed,
    MulliganAsked,
    Mulliganed,
    MulliganFailed,
    Passed,
    PlayoffAhead,
    PlayStarted,
    PoolDealt,
    PoolShown,
    ProofsOwed,
    Recycled,
    Said,
    Scored,
    Settled,
    Shown,
    Signalled,
    Swapped,
    Swept,
    Took,
    TurnedUp,
    TurnMoved,
    Unopened,
    Verdicts,
)
from kemps_p2p.game.gestures import Intent
from kemps_p2p.game.record import Result
from kemps_p2p.game.scoring import Verdict
from kemps_p2p.wording.actions import action_text
from kemps_p2p.wording.people import counted, listed
from kemps_p2p.wording.plain import plain
from kemps_p2p.wording.refusals import refusal_text
from kemps_p2p.wording.scene import Scene
from kemps_p2p.wording.scores import changes_text, standing, winners_text

VERDICTS: dict[Verdict, str] = {
    Verdict.RIGHT: "right",
    Verdict.WRONG: "wrong",
    Verdict.HALF: "half right, which counts as wrong",
}

ENDS: dict[DealEnd, str] = {
    DealEnd.CALL: "it was called",
    DealEnd.GOAL: "a wrong call ended the match",
    DealEnd.EXHAUSTED: "the stock is used up and nobody wants the cards in the middle",
    DealEnd.FAULT: "a team lost it by its fault",
    DealEnd.VOID: "it does not count",
}

INTENTS: dict[Intent, str] = {
    Intent.MEANT: "and meant it",
    Intent.DECOY: "as a decoy",
}
"""What a gesture was made for, behind the sentence that tells it."""


SETTLED: dict[Result, str] = {
    Result.OK: "counts",
    Result.MISSED: "came too late",
    Result.REFUSED: "was refused",
}


def event_text(event: Event, scene: Scene) -> str:
    """One event as a sentence without a full stop."""
    match event:
        case Called() | Answered() | AnswerVoid() | Unopened() | Shown() | Verdicts() | FalseDenial():
            return _call_text(event, scene)
        case Scored() | Barred() | ProofsOwed() | DealLost() | DealEnded() | PlayoffAhead() | MatchEnded():
            return _score_text(event, scene)
        case Dealt() | PoolDealt() | TurnedUp() | PoolShown() | PlayStarted() | Swept() | Recycled():
            return _table_text(event, scene)
        case _:
            return _seat_text(event, scene)


_TableEvent = Dealt | PoolDealt | TurnedUp | PoolShown | PlayStarted | Swept | Recycled
_CallEvent = Called | Answered | AnswerVoid | Unopened | Shown | Verdicts | FalseDenial
_ScoreEvent = Scored | Barred | ProofsOwed | DealLost | DealEnded | PlayoffAhead | MatchEnded
_SeatEvent = (
    Swapped
    | Discarded
    | Took
    | Missed
    | Passed
    | Halted
    | MulliganAsked
    | Mulliganed
    | MulliganFailed
    | TurnMoved
    | Gestured
    | Said
    | Signalled
    | Settled
)


def _table_text(event: _TableEvent, scene: Scene) -> str:
    match event:
        case Dealt(deal=deal, dealer=dealer):
            return f"deal {deal + 1} starts; {scene.people.seat(dealer)} is the dealer"
        case PoolDealt(cards=cards):
            return f"{counted(len(cards), 'card lies', 'cards lie')} face down in the middle"
        case TurnedUp(cards=cards):
            return f"turned up: {scene.cards(cards)}"
        case PoolShown():
            return "every card in the middle lies face up"
        case PlayStarted():
            return "play is open"
        case Swept(cards=cards):
            return f"swept away: {scene.cards(cards)}"
        case Recycled(count=count):
            return f"{counted(count, 'swept card lies', 'swept cards lie')} shuffled beneath the stock"
        case _:
            assert_never(event)


def _seat_text(event: _SeatEvent, scene: Scene) -> str:
    if isinstance(event, Halted):
        return "the dealer halts the idle table"
    who = scene.people.seat(event.seat)
    match event:
        case Swapped(took=took, gave=gave):
            return f"{who} took {scene.cards(took)}, gave {scene.cards(gave)}"
        case Discarded(gave=gave):
            return f"{who} put down {scene.card(gave)}"
        case Took(took=took):
            return f"{who} picked up {scene.card(took)}"
        case Missed(action=action):
            return f"{who} was too late to {action_text(event.seat, action, scene)}"
        case Passed():
            return f"{who} passed"
        case MulliganAsked():
            return f"{who} shows the hand to redraw it"
        case Mulliganed(drew=drew):
            return f"{who} drew a new hand: {scene.cards(drew)}"
        case MulliganFailed():
            return f"{who} keeps the hand: too few cards are alike"
        case TurnMoved():
            return f"it is the turn of {who}"
        case Gestured(name=name):
            return f"{who} made a gesture: {plain(name)}"
        case Said(text=text):
            return f"{who} said: {plain(text)}"
        case Signalled():
            return f"{who} signalled"
        case Settled(action=action, reason=reason):
            why = "" if reason is None else f": {refusal_text(reason)}"
            wanted = f"{who} wanted to {action_text(event.seat, action, scene)}"
            return f"{wanted}, which {late_text(event)}{why}"
        case _:
            assert_never(event)


def late_text(event: Settled) -> str:
    """What came of an action that had to wait for others before it."""
    return SETTLED[Result(event.result)]


def _call_text(event: _CallEvent, scene: Scene) -> str:
    who = scene.people.seat(event.seat)
    match event:
        case Called(calls=calls):
            return f"{who} calls {scene.calls(event.seat, calls)}"
        case Answered(answer=answer):
            if isinstance(answer, Admit):
                return f"{who} admits a quartet"
            shown = f", with {scene.cards(answer.show)}" if answer.show else ""
            return f"{who} denies a quartet{shown}"
        case AnswerVoid():
            return f"{who} showed two cards of one rank, which denies nothing, and must answer again"
        case Unopened():
            return f"{who} did not show in time what was due"
        case Shown(cards=cards):
            return f"{who} shows {scene.cards(cards)}"
        case Verdicts(calls=calls, verdicts=verdicts):
            told = [
                f"{scene.call(event.seat, item)} is {VERDICTS[one]}"
                for item, one in zip(calls, verdicts, strict=True)
            ]
            return f"{listed(told)} (called by {who})"
        case FalseDenial(caller=caller):
            return f"{who} denied falsely when {scene.people.seat(caller)} called"
        case _:
            assert_never(event)


def _score_text(event: _ScoreEvent, scene: Scene) -> str:
    people = scene.people
    match event:
        case Scored(changes=changes, scores=scores):
            told = changes_text(scene.rules, changes, people)
            return f"{told}; now {standing(scene.rules, scores, people)}"
        case Barred(seat=seat):
            return f"{people.seat(seat)} may not counter again in this deal"
        case ProofsOwed(seats=seats):
            return f"to be proven now: what {people.all(seats)} denied"
        case DealLost(team=team):
            return f"{people.team(team)} lose the deal by their fault"
        case DealEnded(end=end, scores=scores):
            return f"the deal is over: {ENDS[end]}; {standing(scene.rules, scores, people)}"
        case PlayoffAhead():
            return "the lead is shared: one more deal decides"
        case MatchEnded(winners=winners, scores=scores):
            return f"{winners_text(winners, people)}; {standing(scene.rules, scores, people)}"
        case _:
            assert_never(event)
