"""A rule set as a page that a player can read, sentence by sentence from its keys.

Knows no names of rule sets: two sets with the same keys have the same page. Invariants:

1. Every key that changes how a match is played changes the page.
2. What a rule set does not have is not spoken of: no goal, no bar, no second pack.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import assert_never

from kemps_p2p.game.cards import PACK_CARDS, QUARTET_CARDS
from kemps_p2p.game.rules import (
    Exchange,
    FirstDealer,
    Mode,
    Rotation,
    RuleSet,
    Scoring,
    Signals,
    Start,
    StockOut,
    Sweep,
    Tie,
    WrongCall,
)
from kemps_p2p.wording.numbers import either, in_seconds, in_words, some
from kemps_p2p.wording.rules_calls import calls_points, counting_points, shown_points, together_points


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what is said under it, a point at a time."""

    heading: str
    points: tuple[str, ...]


def rules_page(rules: RuleSet) -> tuple[Section, ...]:
    """The whole page."""
    parts: tuple[tuple[str, Iterable[str]], ...] = (
        ("The table", _table(rules)),
        ("The deal", _deal(rules)),
        ("Exchanges", _exchanges(rules)),
        ("New cards in the middle", _new_cards(rules)),
        ("Signs between partners", _signs(rules)),
        ("Calls", (*calls_points(rules), *shown_points(rules), *together_points(rules))),
        ("Counting", counting_points(rules)),
        ("The end of the match", _end(rules)),
    )
    return tuple(Section(heading, tuple(points)) for heading, points in parts)


def _table(rules: RuleSet) -> Iterable[str]:
    counts = either([str(players) for players in rules.players])
    yield f"{counts} players, in teams of two. Partners sit opposite each other."
    yield _packs(rules)
    yield "The aim is a quartet in one hand: four cards of one rank."
    match rules.first_dealer:
        case FirstDealer.DRAWN:
            first = "The dealer of the first deal is drawn by lot"
        case FirstDealer.SEAT_0:
            first = "Seat 0 deals the first deal of every match"
        case FirstDealer.ROTATES:
            first = (
                "Seat 0 deals the first deal of the first match, and each further match starts a seat further"
            )
        case _:
            assert_never(rules.first_dealer)
    match rules.rotation:
        case Rotation.CLOCKWISE:
            yield f"{first}. After each deal the next seat clockwise is the dealer."
        case Rotation.FIXED:
            yield f"{first}. Whoever deals the first deal of a match deals all of it."
        case _:
            assert_never(rules.rotation)
    yield "Before the first deal and between deals any pair may agree in private what its signs mean."


def _packs(rules: RuleSet) -> str:
    double = [players for players in rules.players if rules.packs(players) == 2]
    if not double:
        return f"One pack of {PACK_CARDS} cards, without jokers."
    alike = "A quartet may mix the packs."
    if len(double) == len(rules.players):
        return f"Two packs of {PACK_CARDS} cards, without jokers. {alike}"
    return (
        f"One pack of {PACK_CARDS} cards, without jokers; with more than {rules.two_decks_above} players, "
        f"two packs. {alike}"
    )


def _deal(rules: RuleSet) -> Iterable[str]:
    lies = "lies" if rules.pool_size == 1 else "lie"
    yield f"Each player gets {some(QUARTET_CARDS, 'card')}, which nobody else sees."
    yield (
        f"{some(rules.pool_size, 'card').capitalize()} {lies} face up in the middle. The rest is the stock, "
        "face down."
    )
    if rules.mulligan:
        alike = (
            "a quartet" if rules.mulligan == QUARTET_CARDS else f"{in_words(rules.mulligan)} or more cards"
        )
        yield (
            f"Before play first opens in a deal, a player with {alike} of one rank may show the hand, put it "
            "away and draw a new one, and that again. Nobody has to."
        )
    match rules.start:
        case Start.LAST_CARD:
            after = f"{in_seconds(rules.look_ms / 1000)} after" if rules.look_ms else "as soon as"
            yield f"Play opens {after} the last card in the middle shows."
        case Start.GO:
            yield "Play opens when the dealer says so, for every new middle again."
        case _:
            assert_never(rules.start)
    yield "Before that nobody may exchange cards, pass or call."


def _exchanges(rules: RuleSet) -> Iterable[str]:
    match rules.mode:
        case Mode.SIMULTANEOUS:
            yield "There are no turns: everybody plays at once, as often as they like."
            yield "If two players want one card, whoever was first has it; the other has missed it."
        case Mode.TURNS:
            yield "Players take turns, clockwise. The player at the dealer's left begins."
            pays = "An exchange, a pass or a call" if rules.sweep is Sweep.PASS else "An exchange or a call"
            yield f"{pays} ends the turn. Whoever wants a card that is not there keeps the turn."
        case _:
            assert_never(rules.mode)
    match rules.exchange:
        case Exchange.SWAP:
            yield _swap(rules.exchange_limit)
            yield f"A hand always has exactly {in_words(QUARTET_CARDS)} cards."
        case Exchange.DISCARD_FIRST:
            yield (
                "First put one card of your hand face up in the middle, then take any one card from there. "
                "In between others may take the card that you have put down, and you may take it back."
            )
            yield (
                "With three cards you cannot put down another"
                f"{' or pass' if rules.sweep is Sweep.PASS else ''}; you may call, and you have no quartet."
            )
        case _:
            assert_never(rules.exchange)


def _swap(limit: int) -> str:
    if limit == 1:
        return "Take one card from the middle and in the same step put one of your hand there."
    return (
        f"Take up to {in_words(limit)} cards from the middle and in the same step put as many of your hand "
        "there. It is all or nothing: if one of the cards is gone, you get none of them."
    )


def _new_cards(rules: RuleSet) -> Iterable[str]:
    match rules.sweep:
        case Sweep.PASS:
            yield (
                "Pass if you want none of the cards in the middle. A pass lapses when those cards change. "
                f"When {'all have passed in a row' if rules.mode is Mode.TURNS else 'everybody has passed'}, "
                "they are swept away and new ones are dealt."
            )
            if rules.auto_pass_ms:
                yield (f"Whoever neither passes nor acts for {in_seconds(rules.auto_pass_s)} is passed for.")
        case Sweep.IDLE:
            waits = in_seconds(rules.idle_seconds)
            middle = (
                ", but not while a player has three cards" if rules.exchange is Exchange.DISCARD_FIRST else ""
            )
            yield (
                f"Nobody passes. When no card has moved for {waits} since play opened or the last exchange, "
                f"the dealer may halt the table{middle}. Then nobody may exchange cards or call until the "
                "dealer has swept the middle, dealt a new one, and play is open again."
            )
        case _:
            assert_never(rules.sweep)
    match rules.stock_out:
        case StockOut.VOID:
            wants = "everybody passes" if rules.sweep is Sweep.PASS else "the dealer halts the table"
            yield (
                "Swept cards stay out of the deal. If the stock is short, what is left of it is dealt. When "
                f"it is empty and {wants}, the deal ends without a winner."
            )
        case StockOut.RECYCLE:
            yield (
                "If the stock is short, all the swept cards are shuffled and laid beneath what is left of it."
            )
        case _:
            assert_never(rules.stock_out)


def _signs(rules: RuleSet) -> Iterable[str]:
    match rules.signals:
        case Signals.GESTURES:
            yield (
                "Tell your partner by gestures that you have a quartet, whenever you like; everybody who "
                "looks sees them. A gesture may mean nothing at all, but nothing other than a quartet."
            )
        case Signals.ONCE:
            turn = " on your turn, which it does not end" if rules.mode is Mode.TURNS else ""
            yield f"Once a deal you may signal{turn}. It says that you are ready to be called, or is a bluff."
            yield "Everybody sees the signal. There are no other gestures."
        case _:
            assert_never(rules.signals)
    yield "Words are allowed, too, at any time." if rules.speech else "No words until the deal is over."


def _end(rules: RuleSet) -> Iterable[str]:
    yield from _win(rules)
    yield from _limit(rules)
    limits = _limits(rules)
    if rules.scoring is Scoring.POINTS and not (rules.goal or limits):
        yield "These rules name no end: play until you agree that it is enough."
    elif rules.scoring is Scoring.POINTS or limits:
        yield _tie(rules)


def _win(rules: RuleSet) -> Iterable[str]:
    at_once = ""
    if rules.wrong_call is not WrongCall.ENDS_DEAL:
        at_once = " That counts at once, even if the deal would go on."
    match rules.scoring:
        case Scoring.LETTERS:
            others = {True: "The other team wins.", False: "The others share the win."}
            share = others[rules.players == (4,)]
            if min(rules.players) == 4 < max(rules.players):
                share = "With two teams the other wins, with more the others share the win."
            letters = some(len(rules.word), "letter")
            yield f"The first team to complete the word, with {letters}, loses. {share}{at_once}"
        case Scoring.POINTS:
            if rules.goal:
                points = "point" if rules.goal == 1 else "points"
                yield (
                    f"The first team with {rules.goal} {points} wins; if several get there at once, the one "
                    f"with most.{at_once}"
                )
        case _:
            assert_never(rules.scoring)


def _limits(rules: RuleSet) -> dict[int, int]:
    """The deal limit by number of players, where there is one."""
    limits = {players: rules.deals(players) for players in rules.players}
    return {players: limit for players, limit in limits.items() if limit}


def _limit(rules: RuleSet) -> Iterable[str]:
    limits = _limits(rules)
    if not limits:
        return
    best = "fewest letters" if rules.scoring is Scoring.LETTERS else "most points"
    each: list[str] = []
    for limit in sorted(set(limits.values())):
        deals = "one deal" if limit == 1 else f"{limit} deals"
        who = [str(players) for players in limits if limits[players] == limit]
        each.append(deals if len(who) == len(rules.players) else f"{deals} with {either(who)} players")
    has = "has" if rules.scoring is Scoring.POINTS and not rules.goal else "has at most"
    yield f"A match {has} {'; '.join(each)}. After the last the team with {best} wins."


def _tie(rules: RuleSet) -> str:
    match rules.tie:
        case Tie.PLAYOFF:
            return (
                "If the lead is shared at the end, all teams play one more deal, and again, until one of "
                "them leads when a deal is over. It wins, whatever its score and whether or not it led."
            )
        case Tie.NONE:
            return "If the lead is shared at the end, the leaders share the win."
        case _:
            assert_never(rules.tie)


def page_lines(sections: Sequence[Section]) -> Iterable[str]:
    """The page as plain lines, one a point, a blank one before each heading."""
    for section in sections:
        yield ""
        yield section.heading
        yield from (f"- {point}" for point in section.points)
