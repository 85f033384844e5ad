"""What a rule set says about calls and how they are counted: the part of its page with most cases.

Invariant:

1. Calls go by the names that the rule set gives them, made harmless for a terminal.
"""

from collections.abc import Collection, Iterable
from typing import assert_never

from kemps_p2p.game.actions import CallKind
from kemps_p2p.game.rules import (
    CounterTarget,
    Exchange,
    Mode,
    PollTie,
    Reveal,
    RuleSet,
    Scoring,
    SimultaneousCalls,
    Sweep,
    WrongCall,
)
from kemps_p2p.wording.numbers import either, some
from kemps_p2p.wording.people import listed
from kemps_p2p.wording.plain import plain

_ON_OWN_TEAM = (CallKind.PARTNER, CallKind.DOUBLE)
_OF_TWO = (CallKind.DOUBLE, CallKind.DOUBLE_COUNTER)


def call_name(rules: RuleSet, kind: CallKind) -> str:
    """What a sort of call is named at this table."""
    word = rules.words.of(kind)
    return f"“{plain(word)}”" if word else f"“{kind.value}”"


def _names(rules: RuleSet, kinds: Iterable[CallKind]) -> list[str]:
    return [call_name(rules, kind) for kind in kinds]


def _counters(rules: RuleSet) -> list[CallKind]:
    return [kind for kind in rules.calls if kind not in _ON_OWN_TEAM]


def calls_points(rules: RuleSet) -> Iterable[str]:
    """What may be called, and when."""
    for kind in rules.calls:
        yield f"{call_name(rules, kind)}{_meaning(rules, kind)}"
    if CallKind.PARTNER in rules.calls:
        yield "A quartet of your own you cannot call: your partner has to."
    if rules.mode is Mode.TURNS:
        yield "You can call only on your turn, whether or not you have seen a sign."
    else:
        when = (
            "while play is open, but not during a halt" if rules.sweep is Sweep.IDLE else "while play is open"
        )
        yield f"Anybody can call at any time {when}, whether or not they have seen a sign."
    if rules.combine_calls:
        yield (
            "Several calls can be made at once, as long as no hand is named twice. Each is counted by "
            "itself; if one of them is not allowed, none is made."
        )
    else:
        yield "One call at a time."


def _meaning(rules: RuleSet, kind: CallKind) -> str:
    match kind:
        case CallKind.PARTNER:
            return ": your partner has a quartet."
        case CallKind.DOUBLE:
            return ": you and your partner have a quartet each."
        case CallKind.DOUBLE_COUNTER:
            return ", naming another team: both of them have a quartet."
        case CallKind.COUNTER:
            if rules.counter_target is CounterTarget.TEAM:
                return ", naming another team: one of them, or each, has a quartet."
            return ", naming a player of another team: that player has a quartet."
        case _:
            assert_never(kind)


def shown_points(rules: RuleSet) -> Iterable[str]:
    """What a call shows, and whether the deal goes on."""
    match rules.reveal:
        case Reveal.HAND:
            yield "Every hand that a call names is shown, whether the call is right or wrong."
        case Reveal.TWO_CARDS:
            three = (
                " A hand of three cards needs no proof." if rules.exchange is Exchange.DISCARD_FIRST else ""
            )
            yield (
                "A quartet that was called is shown. If a call is not right, every named player without a "
                f"quartet proves that by showing two cards of different rank.{three}"
            )
        case Reveal.CLAIM:
            yield (
                "A quartet that was called is shown. A named player without one says so and shows nothing; "
                "whether that was true is checked when the deal is over."
            )
        case _:
            assert_never(rules.reveal)
    yield _ending(rules)
    if any(kind in rules.calls for kind in _OF_TWO):
        yield "If only one of two called quartets is there, the call counts as wrong, and it ends the deal."
    if rules.bar_after_wrong_counter and _counters(rules):
        names = either(_names(rules, _counters(rules)))
        yield f"Whoever is wrong with {names} may not call that again in this deal; the partner may."


def _ending(rules: RuleSet) -> str:
    counters = either(_names(rules, _counters(rules))) if _counters(rules) else ""
    match rules.wrong_call:
        case WrongCall.ENDS_DEAL:
            return "A call ends the deal, right or wrong. What is exchanged after it does not count."
        case WrongCall.CONTINUE:
            return "A right call ends the deal. After a wrong one play goes on."
        case WrongCall.COUNTER_CONTINUES if not counters:
            return "A call ends the deal, right or wrong."
        case WrongCall.COUNTER_CONTINUES:
            return f"A call ends the deal, right or wrong; only after a wrong {counters} play goes on."
        case _:
            assert_never(rules.wrong_call)


def together_points(rules: RuleSet) -> Iterable[str]:
    """What becomes of calls at the same moment."""
    if rules.mode is Mode.TURNS:
        return
    match rules.simultaneous_calls:
        case SimultaneousCalls.FIRST:
            yield "Of two calls at once the first one counts."
        case SimultaneousCalls.BOTH:
            yield "Calls at the same moment count all, each as if it stood alone."
        case SimultaneousCalls.COUNTER_FIRST if _counters(rules):
            names = either(_names(rules, _counters(rules)))
            yield f"Of two calls at the same moment {names} goes first, right or wrong."
        case SimultaneousCalls.COUNTER_FIRST:
            yield "Of two calls at once the first one counts."
        case _:
            assert_never(rules.simultaneous_calls)
    yield from split_points(rules)


def split_points(rules: RuleSet) -> Iterable[str]:
    """What becomes of claims of which the table cannot tell who was first."""
    if rules.mode is Mode.TURNS:
        return
    match rules.poll_tie:
        case PollTie.LOTTERY:
            yield "When the table cannot tell who was first, at a card or with a call, lots decide."
        case PollTie.DEALER:
            yield (
                "When the table cannot tell who was first, at a card or with a call, the dealer decides, or "
                "lots if the dealer's own team is concerned."
            )
        case _:
            assert_never(rules.poll_tie)


def counting_points(rules: RuleSet) -> Iterable[str]:
    """What calls are worth."""
    match rules.scoring:
        case Scoring.LETTERS:
            yield from _letters(rules)
        case Scoring.POINTS:
            yield from _points(rules)
        case _:
            assert_never(rules.scoring)


def applied_points(rules: RuleSet, kinds: Collection[CallKind]) -> Iterable[str]:
    """What the rule set says of calls of these kinds: what they claim, and what they are worth."""
    for kind in rules.calls:
        if kind in kinds:
            yield f"{call_name(rules, kind)}{_meaning(rules, kind)}"
    match rules.scoring:
        case Scoring.LETTERS:
            yield from _lettered(rules, [kind for kind in rules.calls if kind in kinds])
        case Scoring.POINTS:
            yield from _points(rules)
        case _:
            assert_never(rules.scoring)


def _letters(rules: RuleSet) -> Iterable[str]:
    spelt = "-".join(plain(rules.word))
    yield f"Teams collect the letters of {spelt}, and want none of them."
    yield from _lettered(rules, rules.calls)


def _lettered(rules: RuleSet, kinds: Iterable[CallKind]) -> Iterable[str]:
    """Who gets a letter by calls of these kinds."""
    own = [kind for kind in kinds if kind in _ON_OWN_TEAM]
    counters = [kind for kind in kinds if kind not in _ON_OWN_TEAM]
    others = "the other team" if rules.players == (4,) else "every other team"
    if own:
        yield f"A right {either(_names(rules, own))} gives a letter to {others}."
    if counters:
        yield f"A right {either(_names(rules, counters))} gives a letter to the team that was named."
    yield "A wrong call gives a letter to the caller's team."


def _points(rules: RuleSet) -> Iterable[str]:
    worth: dict[int, list[CallKind]] = {}
    for kind in rules.calls:
        worth.setdefault(rules.points_right.of(kind) or 0, []).append(kind)
    told = [f"{either(_names(rules, kinds))} {_signed(points)}" for points, kinds in sorted(worth.items())]
    yield f"For the caller's team, if the call is right: {listed(told)}."
    changes = []
    if rules.points_wrong_caller:
        changes.append(f"the caller's team {_change(rules.points_wrong_caller)}")
    if rules.points_wrong_other:
        changes.append(f"{_others(rules)} {_change(rules.points_wrong_other)}")
    yield f"If a call is wrong, {listed(changes) or 'no score changes'}."


def _others(rules: RuleSet) -> str:
    """Whom a wrong call is counted for besides the caller's team."""
    own = [kind for kind in rules.calls if kind in _ON_OWN_TEAM]
    if rules.players == (4,):
        return "the other team"
    if not own:
        return "the team that was named"
    if not _counters(rules):
        return "each other team"
    return f"the team that was named, or for {either(_names(rules, own))} each other team,"


def _signed(points: int) -> str:
    return some(points, "point") if points >= 0 else f"minus {some(-points, 'point')}"


def _change(points: int) -> str:
    """What a team gets or loses."""
    return f"gets {some(points, 'point')}" if points > 0 else f"loses {some(-points, 'point')}"
