"""The page of commands, as far as the rules of the table have them."""

from collections.abc import Iterator

from kemps_p2p.game.actions import CallKind
from kemps_p2p.game.rules import CounterTarget, Exchange, Mode, Reveal, RuleSet, Signals, Start, Sweep


def help_lines(rules: RuleSet) -> Iterator[str]:
    """Every command that can be of use at this table, one a line."""
    if rules.exchange is Exchange.SWAP:
        several = ", `take 1 2 give 3 4` for several" if rules.exchange_limit > 1 else ""
        yield f"`take 2 give 3`: swap with the middle by number{several}; `take 9S give KH` by name."
    else:
        yield "`put 3`: put a card down. `take 2`: then pick one up."
    if rules.sweep is Sweep.PASS:
        yield "`pass`, or `p`: you want none of these cards."
    else:
        yield "`halt`, as the dealer: stop an idle table. `resume`, or `r`: deal new cards."
    yield from _calls(rules)
    if rules.signals is Signals.GESTURES:
        yield "`signal wink`: tell your partner alone what is to mean four of a kind; to name theirs agrees."
        yield "`seal`, between deals: commit to that sign. Opened at the end, it shows how honest it was."
        yield "`wink`, `ear tug` …: make a gesture, for whoever watches you; `gestures` lists them."
        yield "`look ben`: watch another face. You see the gestures of one player at a time."
    else:
        yield "`signal`: the one public sign of a hand that you are ready."
    if rules.start is Start.GO:
        yield "`go`, as the dealer: open play."
    if rules.mulligan:
        yield f"`mulligan`, before play: show {rules.mulligan} of a kind or more and draw anew."
    if rules.mode is Mode.TURNS:
        yield "Cards are taken, calls made and passes said on your own turn."
    if rules.reveal is Reveal.TWO_CARDS:
        yield "`deny 1 2`: choose the two cards that show that you have no four of a kind."
    yield "`next`, or `n`, as the dealer: start the next deal."
    yield "`ready`: you are ready for the next deal. At a terminal, bots that deal wait for that."
    yield f"`say TEXT`: to all{'' if rules.speech else ', between deals'}."
    yield "`whisper TEXT`, or `w TEXT`: to your partner alone."
    yield "`table`, `hand`, `scores`, `waiting`: how things stand."
    yield "`pause`, `play on`, `abandon`: done once all players want it."
    yield "`vote ben`: Ben is gone. Once enough say so, the deal is over and the next one waits for them."
    yield "`hold ben`: offer a bot to play for Ben, who was voted absent, or agree to one that is offered."
    yield "`walk over`: your opponents are silent for a minute, and both of you sign that."
    yield "`wait 2`: read the next line after so many seconds; `wait`: once you are asked something."
    yield "`rematch`, after the match. `quit`: leave. `help`: this page."


def _calls(rules: RuleSet) -> Iterator[str]:
    whom = "their hand" if rules.counter_target is CounterTarget.PLAYER else "one of their team's"
    texts = {
        CallKind.PARTNER: "`kemps`: your partner has four of a kind.",
        CallKind.COUNTER: f"`stop ben`: {whom} is four of a kind.",
        CallKind.DOUBLE: "`double`: your partner and you have four of a kind each.",
        CallKind.DOUBLE_COUNTER: "`double stop ben`: both of that team have four of a kind.",
    }
    for sort in CallKind:
        if sort in rules.calls:
            yield texts[sort]
    if rules.combine_calls:
        yield "`kemps and stop ben`: several calls in one."
