"""What a line asks for: a closed union of commands, and the one function that reads a line.

Pure: the board says what the words point at, and whether it can be done is asked elsewhere. Invariants:

1. Whatever the line, `read_command` returns a command or raises `NotUnderstood`.
2. An action names the cards that the board has, so that a late one cannot touch others.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from kemps_p2p.game.actions import (
    Action,
    Admit,
    Call,
    CallItem,
    CallKind,
    Counter,
    Deny,
    Discard,
    Double,
    DoubleCounter,
    Gesture,
    Go,
    Halt,
    Mulligan,
    Next,
    Partner,
    Pass,
    Resume,
    Say,
    Signal,
    Swap,
    Take,
)
from kemps_p2p.game.gestures import FIDGETS, GESTURES
from kemps_p2p.game.rules import CounterTarget, Exchange, RuleSet, Signals
from kemps_p2p.game.seating import team_of, teams
from kemps_p2p.ids import Seat
from kemps_p2p.plain.board import Board, NotUnderstood
from kemps_p2p.session.messages import Want
from kemps_p2p.wording.plain import plain


class Page(Enum):
    """What can be told on request."""

    TABLE = "table"
    HAND = "hand"
    SCORES = "scores"
    WAITING = "waiting"
    GESTURES = "gestures"
    HELP = "help"


@dataclass(frozen=True, slots=True)
class Do:
    """Act at the table."""

    action: Action


@dataclass(frozen=True, slots=True)
class Whispering:
    """Say something to the partner alone."""

    text: str


@dataclass(frozen=True, slots=True)
class LookAt:
    """Watch somebody's face; None: say whose is watched."""

    seat: Seat | None


@dataclass(frozen=True, slots=True)
class Tell:
    """Tell how things stand."""

    page: Page


@dataclass(frozen=True, slots=True)
class Wish:
    """Want something of the table beside the game."""

    want: Want


@dataclass(frozen=True, slots=True)
class VoteAbsent:
    """End the deal without somebody of whom nothing is heard any more."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Hold:
    """Offer a bot for somebody who is absent, or agree to one that is offered; `by`: to whose, if several."""

    seat: Seat
    by: Seat | None


@dataclass(frozen=True, slots=True)
class Wait:
    """Read the next line later: after so many seconds, or once there is something to do."""

    seconds: float | None


class Leave(Enum):
    """What becomes of the person: `REMATCH` only once a match is over."""

    QUIT = "quit"
    REMATCH = "rematch"


@dataclass(frozen=True, slots=True)
class SealBook:
    """Commit to the signal that is agreed on."""


@dataclass(frozen=True, slots=True)
class Ready:
    """Be ready for the next deal."""


@dataclass(frozen=True, slots=True)
class WalkOver:
    """Sign that the opponents have fallen silent."""


Command: TypeAlias = (
    Do | Whispering | LookAt | Tell | Wish | Ready | VoteAbsent | Hold | WalkOver | Wait | SealBook | Leave
)

_PLAIN: Mapping[str, Command] = {
    "signal": Do(Signal()),
    "mulligan": Do(Mulligan()),
    "go": Do(Go()),
    "halt": Do(Halt()),
    "resume": Do(Resume()),
    "next": Do(Next()),
    "admit": Do(Admit()),
    "look": LookAt(None),
    "table": Tell(Page.TABLE),
    "hand": Tell(Page.HAND),
    "scores": Tell(Page.SCORES),
    "waiting": Tell(Page.WAITING),
    "gestures": Tell(Page.GESTURES),
    "help": Tell(Page.HELP),
    "seal": SealBook(),
    "ready": Ready(),
    "pause": Wish(Want.PAUSE),
    "play on": Wish(Want.PLAY_ON),
    "abandon": Wish(Want.ABANDON),
    "walk over": WalkOver(),
    "wait": Wait(None),
    "quit": Leave.QUIT,
    "rematch": Leave.REMATCH,
    **{kind.name: Do(Gesture(name=kind.name)) for kind in (*GESTURES, *FIDGETS)},
}
_SHORT = {"p": "pass", "n": "next", "h": "hand", "t": "table", "?": "help", "l": "look", "r": "resume"}
WAIT_SECONDS_MAX = 3600.0


def read_command(line: str, board: Board) -> Command:
    """What a line asks for. Raises `NotUnderstood`."""
    text = " ".join(line.split())
    words = text.casefold().split(" ")
    folded = " ".join([_SHORT.get(words[0], words[0]), *words[1:]])
    if folded == "signal" and board.view.rules.signals is Signals.GESTURES:
        raise NotUnderstood("say which gesture is to be your sign, such as `signal wink`")
    if folded in _PLAIN:
        return _PLAIN[folded]
    if folded == "pass":
        return Do(Pass(pool=board.view.state.pool))
    head, _, rest = folded.partition(" ")
    reader = _READERS.get(head)
    if reader is not None:
        return reader(text.partition(" ")[2], rest, board)
    calls = _calls(folded, board)
    if calls:
        return Do(Call(calls=calls))
    raise NotUnderstood(f"I do not know “{plain(text)}”; `help` lists what there is")


def _take(_said: str, rest: str, board: Board) -> Command:
    taken, is_given, given = rest.partition("give")
    take = tuple(board.in_pool(word) for word in taken.split())
    give = tuple(board.in_hand(word) for word in given.split())
    if not take:
        raise NotUnderstood("say which card to take, such as `take 2 give 3`")
    if board.view.rules.exchange is Exchange.DISCARD_FIRST:
        if is_given:
            raise NotUnderstood("here a card is put down first: `put 3`, then `take 2`")
        return Do(Take(take=take))
    if not give:
        raise NotUnderstood("say what you give for it, such as `take 2 give 3`")
    return Do(Swap(take=take, give=give))


def _put(_said: str, rest: str, board: Board) -> Command:
    if not rest:
        raise NotUnderstood("say which card to put down, such as `put 3`")
    return Do(Discard(give=tuple(board.in_hand(word) for word in rest.split())))


def _deny(_said: str, rest: str, board: Board) -> Command:
    return Do(Deny(show=tuple(board.in_hand(word) for word in rest.split())))


def _say(said: str, _rest: str, _board: Board) -> Command:
    if not said:
        raise NotUnderstood("say what, such as `say hello`")
    return Do(Say(text=said))


def _whisper(said: str, _rest: str, _board: Board) -> Command:
    if not said:
        raise NotUnderstood("whisper what, such as `whisper signal: wink`")
    return Whispering(said)


def _signal(_said: str, rest: str, _board: Board) -> Command:
    if rest not in (kind.name for kind in GESTURES):
        raise NotUnderstood(f"{plain(rest)} is no gesture; `gestures` lists them")
    return Whispering(f"signal: {rest}")


def _look(said: str, _rest: str, board: Board) -> Command:
    return LookAt(board.seat(said.removeprefix("at ")))


def _vote(said: str, _rest: str, board: Board) -> Command:
    if not said:
        raise NotUnderstood("say whom you vote absent, such as `vote ben`")
    return VoteAbsent(board.seat(said))


def _hold(said: str, _rest: str, board: Board) -> Command:
    whom, _, whose = said.partition(" by ")
    if not whom:
        raise NotUnderstood("say for whom a bot is to play, such as `hold ben`")
    return Hold(board.seat(whom), board.seat(whose) if whose else None)


def _wait(_said: str, rest: str, _board: Board) -> Command:
    try:
        seconds = float(rest)
    except ValueError:
        raise NotUnderstood("say how many seconds, such as `wait 2`") from None
    if not 0 <= seconds <= WAIT_SECONDS_MAX:
        raise NotUnderstood(f"wait from 0 to {WAIT_SECONDS_MAX:.0f} seconds")
    return Wait(seconds)


_READERS: Mapping[str, Callable[[str, str, Board], Command]] = {
    "take": _take,
    "put": _put,
    "deny": _deny,
    "say": _say,
    "whisper": _whisper,
    "w": _whisper,
    "signal": _signal,
    "look": _look,
    "vote": _vote,
    "hold": _hold,
    "wait": _wait,
}


# Calls: by the words of the rule set, and by words that do in every one.

_KINDS: Mapping[CallKind, tuple[str, ...]] = {
    CallKind.PARTNER: ("kemps", "call", "partner"),
    CallKind.COUNTER: ("stop", "counter"),
    CallKind.DOUBLE: ("double",),
    CallKind.DOUBLE_COUNTER: ("double stop", "double counter"),
}


def _calls(folded: str, board: Board) -> tuple[CallItem, ...]:
    """The calls that a line makes; none if it makes none."""
    parts = [part.strip() for part in re.split(r"\s\+\s|\+|\sand\s|,", folded)]
    items: list[CallItem] = []
    for part in parts:
        item = _call(part, board)
        if item is None:
            if not items:
                return ()
            raise NotUnderstood(f"“{plain(part)}” is no call")
        items.append(item)
    return tuple(items)


def _call(part: str, board: Board) -> CallItem | None:
    words = _bare(part)
    # The longest name first: one begins with another.
    for name, sort in sorted(call_names(board.view.rules).items(), key=lambda pair: -len(pair[0])):
        if words == name or words.startswith(f"{name} "):
            return _item(sort, words[len(name) :].strip(), board)
    return None


def call_names(rules: RuleSet) -> dict[str, CallKind]:
    """What each sort of call can be named in a line."""
    names = {name: sort for sort, names in _KINDS.items() for name in names}
    for sort in CallKind:
        word = rules.words.of(sort)
        if word is not None:
            names[_bare(word)] = sort
    return names


def _bare(text: str) -> str:
    """A text without marks, so that Counter-Chaulcer! is the same as counter chaulcer."""
    kept = "".join(each if each.isalnum() else "" if each in "'’!" else " " for each in text.casefold())
    return " ".join(kept.split())


def _item(sort: CallKind, whom: str, board: Board) -> CallItem:
    view = board.view
    match sort:
        case CallKind.PARTNER | CallKind.DOUBLE:
            if whom:
                raise NotUnderstood(f"this call names nobody, so leave out “{plain(whom)}”")
            return Partner() if sort is CallKind.PARTNER else Double()
        case CallKind.COUNTER if view.rules.counter_target is CounterTarget.PLAYER:
            return Counter(target=_called(whom, board))
        case CallKind.COUNTER:
            return Counter(target=_team(whom, board))
        case CallKind.DOUBLE_COUNTER:
            return DoubleCounter(team=_team(whom, board))


def _called(whom: str, board: Board) -> Seat:
    if not whom:
        raise NotUnderstood("say on whom you call, such as `stop ben`")
    return board.seat(whom)


def _team(whom: str, board: Board) -> int:
    """The team of a player that is named; with two teams there is only one other."""
    players = board.view.players
    if whom:
        return team_of(board.seat(whom), players)
    others = [team for team in teams(players) if team != team_of(board.view.seat, players)]
    if len(others) > 1:
        raise NotUnderstood("say on whose team you call, such as `stop ben`")
    return others[0]
