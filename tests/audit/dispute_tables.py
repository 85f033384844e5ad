"""Tables at which a race is decided in each way that there is, written by hand; the log of each."""

from collections.abc import Callable, Mapping, Sequence

from kemps_p2p.game import actions as act
from kemps_p2p.game.rules import override
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.entry import Contest, CutOff, Drawn, Result, Ruled, TapeEnd
from kemps_p2p.ledger.tape import NO_DIGEST, TapeItem
from kemps_p2p.session.claims import draw, rule
from kemps_p2p.session.fold import Fold, Proofs
from vectors.log_scribe import Scribe
from vectors.make_logs import STUB, race, short, split, swap


def playing(rules: Mapping[str, object]) -> Scribe:
    """A table of four in play, by the short rule book with some changes."""
    scribe = Scribe.seated(override(short(), rules), 4, STUB)
    scribe.deal()
    return scribe


def fold_of(scribe: Scribe) -> Fold:
    return Fold(scribe.match, scribe.on_duty, scribe.items, Proofs(is_eager=True))


def by_poll(scribe: Scribe) -> None:
    """Both witnesses have seen seat 0 before seat 1."""
    won, lost, words = race(scribe)
    scribe.order(scribe.settled(won, [lost, *words]))
    scribe.order(scribe.settled(lost, [won, *words[2:]], Result.MISSED))


def by_cause(scribe: Scribe) -> None:
    """Seat 1 has given a receipt for the claim of seat 0 before it makes its own."""
    head = scribe.match.head
    first = swap(scribe, 0, 1, 0, head)
    seen = scribe.see(first, 1)
    game = scribe.match.game
    wish = act.Swap(take=(game.pool[1],), give=(game.hands[1][0],))
    second = scribe.claim(1, wish, first, head=head)
    # The witnesses say the opposite, and are not asked.
    words = [*scribe.see(second, 2, 3), *scribe.see(first, 2, 3, after=[second])]
    scribe.order(scribe.settled(first, [second, *seen, *words]))
    scribe.order(scribe.settled(second, [first, *words[:2]], Result.MISSED))


def split_words(scribe: Scribe, first: TapeItem, second: TapeItem) -> list[TapeItem]:
    """Receipts of the two others, who have seen another order each."""
    others = [seat for seat in range(4) if seat not in (first.seat, second.seat)]
    return [
        *scribe.see(first, others[0]),
        *scribe.see(second, others[1]),
        *scribe.see(second, others[0], after=[first]),
        *scribe.see(first, others[1], after=[second]),
    ]


def by_coins(scribe: Scribe) -> None:
    first, second, words = split(scribe)
    scribe.contest((first, second), words)


def by_own_exchange(scribe: Scribe) -> None:
    """Seat 0 calls its partner, who exchanges a card: the table is split."""
    head = scribe.match.head
    call = scribe.claim(0, act.Call(calls=(act.Partner(),)), head=head)
    exchange = swap(scribe, 2, 0, 0, head)
    scribe.contest((call, exchange), split_words(scribe, call, exchange))


def by_counter_first(scribe: Scribe) -> None:
    """Seat 0 calls its partner, seat 1 calls against them."""
    head = scribe.match.head
    call = scribe.claim(0, act.Call(calls=(act.Partner(),)), head=head)
    counter = scribe.claim(1, act.Call(calls=(act.Counter(target=0),)), head=head)
    scribe.contest((call, counter), split_words(scribe, call, counter))


def by_withheld_coin(scribe: Scribe) -> None:
    """Seat 0 does not show its coin."""
    first, second, words = split(scribe)
    names = tuple(sorted((first.digest, second.digest)))
    scribe.order(Contest(claims=names, evidence=tuple(item.digest for item in words)))
    (opened,) = scribe.match.contests
    coins = tuple(None if item.seat == 0 else item for item in scribe.coins())
    order, results = draw(fold_of(scribe), opened, coins)
    shown = tuple(NO_DIGEST if item is None else item.digest for item in coins)
    scribe.order(Drawn(index=opened.index, coins=shown, order=order, results=results))


def by_dealer(scribe: Scribe) -> None:
    """Two seats that are not of the dealer's team want one card, and the dealer's tape orders them."""
    dealer = scribe.match.game.dealer
    one, other = Seat((dealer + 1) % 4), Seat((dealer + 3) % 4)
    head = scribe.match.head
    first, second = swap(scribe, one, 0, 0, head), swap(scribe, other, 0, 0, head)
    words = split_words(scribe, first, second)
    names = tuple(sorted((first.digest, second.digest)))
    evidence = tuple(item.digest for item in words)
    order, results = rule(fold_of(scribe), names, evidence)
    scribe.order(Ruled(claims=names, evidence=evidence, order=order, results=results))


def cut(scribe: Scribe, claims: Sequence[TapeItem]) -> None:
    """Close every tape as it is now."""
    ends = tuple(TapeEnd(length=pen.number, last=pen.prev) for pen in scribe.pens)
    scribe.order(CutOff(claims=tuple(sorted(item.digest for item in claims)), tapes=ends))


def by_cut(scribe: Scribe) -> None:
    """Both witnesses have seen seat 0, one of them has not seen seat 1; a cut makes that enough."""
    head = scribe.match.head
    first, second = swap(scribe, 0, 1, 0, head), swap(scribe, 1, 1, 0, head)
    words = [*scribe.see(first, 2, 3), *scribe.see(second, 2, after=[first])]
    cut(scribe, (first, second))
    # Beyond the cut, what seat 3 says of the two does not count any more.
    scribe.order(scribe.settled(first, [second, *words]))
    scribe.order(scribe.settled(second, [first, words[2]], Result.MISSED))


def by_half_a_cut(scribe: Scribe) -> None:
    """A cut names the claims of seats 0 and 1; that of seat 2 comes after it."""
    head = scribe.match.head
    first, second = swap(scribe, 0, 1, 0, head), swap(scribe, 1, 1, 0, head)
    words = [*scribe.see(first, 2, 3), *scribe.see(second, 2, 3, after=[first])]
    cut(scribe, (first, second))
    late = swap(scribe, 3, 1, 0, head)
    more = [*scribe.see(late, 0, 1)]
    scribe.order(scribe.settled(first, [second, late, *words, *more]))


def late_call(scribe: Scribe) -> None:
    """Seat 1 calls when both witnesses have seen the call of seat 0; no entry has the words on both."""
    head = scribe.match.head
    call = scribe.claim(0, act.Call(calls=(act.Partner(),)), head=head)
    counter = scribe.claim(1, act.Call(calls=(act.Counter(target=0),)), head=head)
    scribe.order(scribe.settled(call, scribe.see(call, 2, 3)))
    words = scribe.see(counter, 2, 3, after=[call])
    scribe.order(scribe.settled(counter, [call, *words], Result.WAITING))


Way = Callable[[Scribe], None]
WAYS: dict[str, tuple[Way, Mapping[str, object]]] = {
    "poll": (by_poll, {}),
    "cause": (by_cause, {}),
    "coins": (by_coins, {}),
    "own-exchange": (by_own_exchange, {}),
    "counter-first": (by_counter_first, {"simultaneous_calls": "counter-first"}),
    "withheld": (by_withheld_coin, {}),
    "dealer": (by_dealer, {"poll_tie": "dealer"}),
    "cut": (by_cut, {}),
}
"""By the rule that decides: what is done, and the changes to the rule book that it needs."""


def log_of(way: Way, rules: Mapping[str, object]) -> bytes:
    """The log of a table up to the race."""
    scribe = playing(rules)
    way(scribe)
    return scribe.log
