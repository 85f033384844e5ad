"""The fold of claims: that an entry's evidence decides what it orders, and what comes of it by the rules.

Section "Who was first" of protocol.md.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from kemps_p2p.codec import Digest
from kemps_p2p.errors import Fault, PeerFault
from kemps_p2p.game.actions import Action, Gesture, Kind, Next, kind
from kemps_p2p.game.conflicts import precedes_when_together
from kemps_p2p.game.events import Dealt
from kemps_p2p.game.state import Applied, apply, apply_together, lose_deal, waits_for_call
from kemps_p2p.game.state import Result as GameResult
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.coins import check_coin
from kemps_p2p.ledger.entry import Contest, CutOff, Drawn, Result, Ruled, Settled
from kemps_p2p.ledger.poll import (
    Contender,
    Cut,
    DecidedSet,
    Precedes,
    closed_at,
    order_by,
    order_together,
    places_in,
)
from kemps_p2p.ledger.tape import NO_DIGEST, Claim, CoinReveal, Receipt, TapeItem, claim_of
from kemps_p2p.session.fold import Fold
from kemps_p2p.session.match import (
    Logged,
    Match,
    OpenContest,
    OpenCut,
    action_of,
    do_conflict,
    is_ready,
    is_stale,
    refusal,
)
from kemps_p2p.session.rulings import ruling
from kemps_p2p.session.seals import with_gesture

RESULTS = {
    GameResult.OK: Result.OK,
    GameResult.MISSED: Result.MISSED,
    GameResult.REFUSED: Result.REFUSED,
}


@dataclass(frozen=True, slots=True)
class _Ask:
    """An undecided claim of the evidence."""

    item: TapeItem
    claim: Claim
    action: Action
    is_refused: bool


def settled(fold: Fold, event: Settled) -> None:
    """Fold a claim that is first of all that conflict with it."""
    check_decided(fold, (event.claim,), (event.claim, *event.evidence))
    result = settle(fold, fold.items[event.claim])
    if result is not event.result:
        raise fold.fault(Fault.BAD_VERDICT, f"the result is {result.name}, not {event.result.name}")


def contest(fold: Fold, event: Contest) -> None:
    """Fold the naming of claims that are together; their authors now owe coins."""
    if len(event.claims) < 2:
        raise fold.fault(Fault.BAD_ORDER, "a contest of fewer than two claims")
    decided = check_decided(fold, event.claims, (*event.claims, *event.evidence))
    claims = {name: fold.items[name] for name in decided.claims}
    if ruling(fold.match, claims, (fold.items[name] for name in event.evidence)) is not None:
        raise fold.fault(Fault.BAD_ORDER, "the dealer's tape orders these claims")
    opened = OpenContest(fold.index, decided, claims)
    fold.match = replace(fold.match, contests=(*fold.match.contests, opened))


def cut_off(fold: Fold, event: CutOff) -> None:
    """Fold the closing of the tapes for a contest that has waited too long.

    A cut that cannot become final, since others hold longer tapes, gives way to one that closes them later.
    """
    lengths = tuple(end.length for end in event.tapes)
    asks = _asks(fold, event.claims)
    if len(lengths) != fold.match.founding.tapes or min(lengths) < 0:
        raise fold.fault(Fault.BAD_ORDER, "a cut of another table")
    if fold.match.cut is not None and not _goes_beyond(event.claims, lengths, fold.match.cut):
        raise fold.fault(Fault.BAD_ORDER, "a second cut does not go beyond the first")
    if len(event.claims) < 2 or event.claims != tuple(sorted(asks)):
        raise fold.fault(Fault.BAD_ORDER, "a cut names fewer than two claims, or one that is logged or none")
    if any(ask.is_refused or ask.item.item.number >= lengths[ask.item.seat] for ask in asks.values()):
        raise fold.fault(Fault.BAD_ORDER, "a cut names a claim that is refused or beyond it")
    if not _is_one_contest(_contenders(fold.match, asks)):
        raise fold.fault(Fault.BAD_ORDER, "a cut names claims of two contests")
    _check_not_contested(fold, asks, event.claims)
    claims = {name: fold.items[name] for name in event.claims}
    fold.match = replace(fold.match, cut=OpenCut(fold.index, claims, event.tapes))


def _goes_beyond(claims: Collection[Digest], lengths: tuple[int, ...], before: OpenCut) -> bool:
    is_longer = all(length >= other for length, other in zip(lengths, before.lengths, strict=True))
    return is_longer and lengths != before.lengths and before.claims.keys() <= set(claims)


def _is_one_contest(contenders: Sequence[Contender]) -> bool:
    rivals = {contender.id: contender.rivals for contender in contenders}
    reached = {contenders[0].id}
    todo = [contenders[0].id]
    while todo:
        for rival in rivals[todo.pop()] - reached:
            reached.add(rival)
            todo.append(rival)
    return len(reached) == len(rivals)


def heal(fold: Fold) -> None:
    """A cut is over once each of its claims is logged or in a contest that is drawn."""
    cut = fold.match.cut
    if cut is None:
        return
    contested = {name for opened in fold.match.contests for name in opened.claims}
    if all(name in contested or is_overtaken(fold.match, item) for name, item in cut.claims.items()):
        fold.match = replace(fold.match, cut=None)


def ruled(fold: Fold, event: Ruled) -> None:
    """Fold claims that are together and that the dealer's tape orders."""
    order, results = rule(fold, event.claims, event.evidence)
    if event.order != order:
        raise fold.fault(Fault.BAD_ORDER, "the dealer's tape gives another order")
    if event.results != results:
        raise fold.fault(Fault.BAD_VERDICT, "the results of a ruling are others")


def rule(
    fold: Fold, claims: tuple[Digest, ...], evidence: tuple[Digest, ...]
) -> tuple[tuple[Digest, ...], tuple[Result, ...]]:
    """Order claims that are together by the dealer's tape, and apply them."""
    decided = check_decided(fold, claims, (*claims, *evidence))
    items = {name: fold.items[name] for name in decided.claims}
    places = ruling(fold.match, items, (fold.items[name] for name in evidence))
    if len(claims) < 2 or places is None:
        raise fold.fault(Fault.BAD_ORDER, "the dealer's tape does not order these claims")
    order = order_by(decided, precedence(fold.match, items), lambda name: (places[name], name))
    return order, settle_together(fold, [items[name] for name in order])


def drawn(fold: Fold, event: Drawn) -> None:
    """Fold the draw of a contest: the coins fit the chains, the order is theirs, the results follow."""
    opened = next((contest for contest in fold.match.contests if contest.index == event.index), None)
    if opened is None:
        raise fold.fault(Fault.BAD_ORDER, "a draw without a contest")
    items = tuple(None if name == NO_DIGEST else fold.items[name] for name in event.coins)
    order, results = draw(fold, opened, items)
    if event.order != order:
        raise fold.fault(Fault.BAD_ORDER, "the coins draw another order")
    if event.results != results:
        raise fold.fault(Fault.BAD_VERDICT, "the results of a draw are others")


def draw(
    fold: Fold, opened: OpenContest, coins: tuple[TapeItem | None, ...]
) -> tuple[tuple[Digest, ...], tuple[Result, ...]]:
    """Order a contest by its claimants' coins and apply its claims. `coins`: one item each, by seat.

    Whoever withholds a coin, which is None then, goes last together with its partner.
    """
    taken = _take_coins(fold, opened, coins)
    withheld = {seat for seat, item in zip(opened.claimants(), coins, strict=True) if item is None}
    teams = {fold.match.team_of(seat) for seat in withheld}
    last = {name for name, item in opened.claims.items() if fold.match.team_of(item.seat) in teams}
    order = order_together(opened.decided, precedence(fold.match, opened.claims), taken, last)
    contests = tuple(contest for contest in fold.match.contests if contest is not opened)
    fold.match = replace(fold.match, contests=contests)
    items_in_order = [opened.claims[name] for name in order]
    return order, settle_together(fold, items_in_order)


def is_overtaken(match: Match, item: TapeItem) -> bool:
    """True if this claim, or a later one of its seat and kind, is logged."""
    claim = claim_of(item.item)
    assert claim is not None, "only claims are asked about"
    last = match.logged.get((item.seat, kind(action_of(item, claim))))
    return last is not None and item.item.number <= last.number


def _take_coins(fold: Fold, opened: OpenContest, items: tuple[TapeItem | None, ...]) -> tuple[bytes, ...]:
    """Check every claimant's coin and use it up; where one is withheld, an empty one stands for it."""
    claimants = opened.claimants()
    if len(items) != len(claimants) or any(
        item is not None and item.seat != seat for item, seat in zip(items, claimants, strict=True)
    ):
        raise fold.fault(Fault.BAD_EVIDENCE, "the draw does not carry one coin of each claimant")
    chain = list(fold.match.coins)
    taken = []
    for item in items:
        if item is None:
            taken.append(b"")
            continue
        coin = coin_in(item, opened.index)
        if coin is None:
            raise fold.fault(Fault.BAD_EVIDENCE, "an item without the coin it is named for")
        check_coin(chain[item.seat], coin, item.seat)
        chain[item.seat] = coin
        taken.append(coin)
    fold.match = replace(fold.match, coins=tuple(chain))
    return tuple(taken)


def is_coin_of(match: Match, item: TapeItem, index: int) -> bool:
    """True if an item reveals its seat's next coin for the contest at `index`."""
    coin = coin_in(item, index)
    try:
        check_coin(match.coins[item.seat], coin or b"", item.seat)
    except PeerFault:
        return False
    return True


def coin_in(item: TapeItem, index: int) -> bytes | None:
    """The coin that an item reveals for the contest at `index`."""
    for statement in item.item.body:
        if isinstance(statement, CoinReveal) and statement.index == index:
            return statement.coin
    return None


def precedence(match: Match, claims: Mapping[Digest, TapeItem]) -> Precedes:
    """What the rules put first among claims that are together."""
    asks = {name: _asked(item) for name, item in claims.items()}

    def precedes(a: Digest, b: Digest) -> bool:
        return precedes_when_together(match.founding.rules, match.seats, asks[a], asks[b])

    return precedes


def _asked(item: TapeItem) -> tuple[Seat, Action]:
    claim = claim_of(item.item)
    assert claim is not None, "only claims are in contests"
    return item.seat, action_of(item, claim)


def settle(fold: Fold, item: TapeItem) -> Result:
    """Apply a claim whose turn has come, and say what became of it."""
    claim = claim_of(item.item)
    assert claim is not None, "only claims are decided"
    if not _log(fold, item, claim):
        return Result.REFUSED
    action = action_of(item, claim)
    if waits_for_call(fold.match.game, action):
        return _apply_together(fold, ((item.seat, action),))[0]
    applied = apply(fold.match.game, item.seat, action)
    _take(fold, applied)
    return RESULTS[applied.result]


def settle_together(fold: Fold, items: Sequence[TapeItem]) -> tuple[Result, ...]:
    """Apply the claims of a set, in their order, as simultaneous, and say what became of each.

    Of two claims at one number of a forked tape, the second is refused.
    """
    results = [Result.REFUSED] * len(items)
    acts: dict[int, tuple[Seat, Action]] = {}
    for place, item in enumerate(items):
        claim = claim_of(item.item)
        assert claim is not None, "only claims are in sets"
        if not is_overtaken(fold.match, item) and _log(fold, item, claim):
            acts[place] = item.seat, action_of(item, claim)
    for place, result in zip(acts, _apply_together(fold, tuple(acts.values())), strict=True):
        results[place] = result
    return tuple(results)


def _log(fold: Fold, item: TapeItem, claim: Claim) -> bool:
    """Note that a claim is logged; false if it is refused at the head it cites."""
    match = fold.match
    action = action_of(item, claim)
    # A deal starts on a shuffled deck, however ready another one was at the head that the claim cites.
    is_early = isinstance(action, Next) and not is_ready(match)
    is_refused = is_early or refusal(match, item, claim) is not None
    logged = Logged(item.item.number, fold.index)
    fold.match = replace(match, logged={**match.logged, (item.seat, kind(action)): logged})
    if isinstance(action, Gesture) and not is_refused:
        fold.match = with_gesture(fold.match, item.seat, item.item.number, action)
    return not is_refused


def _apply_together(fold: Fold, acts: tuple[tuple[Seat, Action], ...]) -> tuple[Result, ...]:
    applied = apply_together(fold.match.game, acts)
    _take(fold, applied)
    return tuple(Result.WAITING if result is None else RESULTS[result] for result in applied.results)


def _take(fold: Fold, applied: Applied) -> None:
    fold.take(applied)
    if any(isinstance(event, Dealt) for event in applied.events):
        _start_deal(fold)


def _start_deal(fold: Fold) -> None:
    """A deal that was spoilt while it was shuffled is lost as it starts."""
    fold.has_started_deal = True
    match = fold.match
    culprit = match.spoilt.get(match.game.deal)
    if culprit is not None:
        fold.take(lose_deal(match.game, culprit))


def check_decided(fold: Fold, wanted: tuple[Digest, ...], names: tuple[Digest, ...]) -> DecidedSet:
    """Re-decide from the evidence; raise with the entry's author as culprit if it does not say the same."""
    if any(claim_of(fold.items[name].item) is None for name in wanted):
        raise fold.fault(Fault.BAD_EVIDENCE, "an item named as a claim makes none")
    asks = _asks(fold, names)
    if any(name not in asks for name in wanted):
        raise fold.fault(Fault.BAD_ORDER, "a claim that is logged or in a contest already")
    items = [fold.items[name] for name in names]
    _check_complete(fold, asks, items, frozenset(names))
    _check_not_contested(fold, asks, wanted)
    tapes = fold.match.asked(places_in(items, asks.keys()))
    opened = fold.match.cut
    cut = None if opened is None else Cut(frozenset(opened.claims), closed_at(tapes, opened.lengths))
    decide = fold.match.founding.decide
    asked = fold.match.seats, fold.match.observer
    for decided in decide(_contenders(fold.match, asks), *asked, tapes, cut):
        if decided.claims == tuple(sorted(wanted)):
            return decided
    raise fold.fault(Fault.BAD_ORDER, "the evidence does not decide this order")


def _asks(fold: Fold, names: Iterable[Digest]) -> dict[Digest, _Ask]:
    """The undecided claims among the named items; those logged earlier are rivals no more.

    A claim behind another of its seat and kind is refused, as it was when the witnesses held it.
    """
    contested = {name for opened in fold.match.contests for name in opened.claims}
    asks: dict[Digest, _Ask] = {}
    found = sorted((fold.items[name] for name in names), key=lambda item: item.item.number)
    numbers: dict[tuple[Seat, Kind], int] = {}
    for item in found:
        claim = claim_of(item.item)
        if claim is None or is_overtaken(fold.match, item):
            continue
        action = action_of(item, claim)
        place = item.seat, kind(action)
        number = item.item.number
        is_behind = numbers.setdefault(place, number) < number and kind(action) is not Kind.FREE
        if item.digest not in contested:
            is_refused = is_behind or refusal(fold.match, item, claim) is not None
            asks[item.digest] = _Ask(item, claim, action, is_refused)
    return asks


def _check_complete(
    fold: Fold, asks: Mapping[Digest, _Ask], items: Iterable[TapeItem], names: frozenset[Digest]
) -> None:
    """Every rival that a counted mention names is carried, so that none can be left out; stamps fit."""
    for item in items:
        for statement in item.item.body:
            match statement:
                case Claim(rivals=rivals) if item.digest in asks:
                    pass
                case Receipt(claim=claim, rivals=rivals) if claim in asks:
                    if item.item.lamport <= asks[claim].item.item.lamport:
                        raise PeerFault(
                            Fault.BAD_STAMP, "a receipt is stamped before its claim", culprit=item.seat
                        )
                case _:
                    continue
            if any(rival not in names for rival in rivals):
                raise fold.fault(Fault.BAD_EVIDENCE, "the evidence leaves out a claim that it names")


def _check_not_contested(fold: Fold, asks: Mapping[Digest, _Ask], wanted: tuple[Digest, ...]) -> None:
    """What a contest or a cut names goes before what conflicts with it: that may not be logged meanwhile."""
    groups = [opened.claims for opened in fold.match.contests]
    cut = fold.match.cut
    if cut is not None and cut.claims.keys().isdisjoint(wanted):
        groups.append(_unlogged(fold.match, cut.claims))
    for named in groups:
        for item in named.values():
            claim = claim_of(item.item)
            if claim is None or is_stale(fold.match, claim):
                continue
            rival = _asked(item)
            for name in wanted:
                ask = asks[name]
                if not ask.is_refused and do_conflict(fold.match, rival, (ask.item.seat, ask.action)):
                    raise fold.fault(Fault.BAD_ORDER, "a claim overtakes a contest that it conflicts with")


def _unlogged(match: Match, claims: Mapping[Digest, TapeItem]) -> Mapping[Digest, TapeItem]:
    return {name: item for name, item in claims.items() if not is_overtaken(match, item)}


def _contenders(match: Match, asks: Mapping[Digest, _Ask]) -> list[Contender]:
    rivals: dict[Digest, set[Digest]] = {name: set() for name in asks}
    lawful = [(name, ask) for name, ask in asks.items() if not ask.is_refused]
    for place, (name, ask) in enumerate(lawful):
        for other, against in lawful[place + 1 :]:
            if do_conflict(match, (ask.item.seat, ask.action), (against.item.seat, against.action)):
                rivals[name].add(other)
                rivals[other].add(name)
    return [Contender(name, ask.item.seat, frozenset(rivals[name])) for name, ask in asks.items()]
