"""What the attacks of the lab do, and what each of them is for: told by the table that is left.

Knows cheats and stages; which of them make an attack is said in `attacks`.
"""

import random

from msgspec import structs

from kemps_p2p.codec import Digest, encode
from kemps_p2p.deck.group import STUB
from kemps_p2p.game.actions import Swap
from kemps_p2p.game.record import Phase
from kemps_p2p.ids import Seat
from kemps_p2p.lab.cheats import Cheat
from kemps_p2p.lab.heats import Turned, turned
from kemps_p2p.lab.networks import Fork, Withheld, at_number, is_claim
from kemps_p2p.lab.staging import SEED, Stage, duty_at, in_match, in_races, rivals
from kemps_p2p.lab.timing import (
    Witness,
    liar,
    swap_of,
)
from kemps_p2p.lab.track import Heat, Race, Track
from kemps_p2p.ledger.coins import Coin
from kemps_p2p.ledger.entry import CutOff, Drawn, Entry, Result, Settled, TapeEnd, entry_of
from kemps_p2p.ledger.tape import Claim, CoinReveal, Head, Receipt, claim_of
from kemps_p2p.session.genesis import Founding
from kemps_p2p.session.messages import DeedBody, ShareDeed
from kemps_p2p.session.play import Play

GAIN_MIN = 0.4
"""An attack on who was first has succeeded if its side wins more of the races that it should lose."""


# What an attack was for


def has_logged_a_lie(stage: Stage) -> bool:
    """True if a false entry is final at an honest seat."""
    return stage.has_logged_a_lie()


def has_won(stage: Stage) -> bool:
    """True if the cheat's side wins much more than it should."""
    return stage.wins > GAIN_MIN


def has_won_when_on_duty(stage: Stage) -> bool:
    """True if the cheat wins as often as it is on duty, which is in one deal of four."""
    return stage.wins >= 1 / 4


def has_an_old_key(stage: Stage) -> bool:
    """True if the key of a cheat in the second deal is that of the first."""
    (cheat,) = stage.cheats
    decks = stage.sim.peers[stage.honest[0]].session.play.final.decks
    keys = [decks[place].keys[cheat] for place in ((0, 0), (1, 0)) if place in decks]
    return len(keys) == 2 and None not in keys and keys[0] == keys[1]


def went_on_unblamed(stage: Stage) -> bool:
    """True if the match goes to its end and nobody is blamed."""
    return not stage.is_still and not stage.is_blamed()


def stood_still(stage: Stage) -> bool:
    """True if the table does not go on."""
    return stage.is_still


# 20: the seat on duty


def against_dealer(track: Track, rng: random.Random) -> Heat:
    """Another seat wants something, and the one on duty is a cheat."""
    return Heat(rivals(track, rng, track.dealer)[0], track.dealer, None)


def between_others(track: Track, rng: random.Random) -> Heat:
    """A dead heat of two seats that are not on duty."""
    first, second, *_ = rivals(track, rng, track.dealer)
    return Heat(first, second)


def other_order(_play: Play, event: object) -> object | None:
    """A draw the other way round."""
    return structs.replace(event, order=event.order[::-1]) if isinstance(event, Drawn) else None


def cut_of_one(play: Play, event: object) -> object | None:
    """A cut in the place of a claim that nobody contests."""
    if not isinstance(event, Settled):
        return None
    claim = claim_of(play.tapes.by_digest[event.claim].item)
    if claim is None or swap_of(claim) is None:
        return None
    ends = tuple(TapeEnd(length=length, last=last) for length, last in play._book.ends())
    return CutOff(claims=(event.claim,), tapes=ends)


def reordered(_play: Play, true: Entry) -> Entry | None:
    """Of two settled claims the one that missed is said to be first."""
    settled = [(place, event) for place, event in enumerate(true.events) if isinstance(event, Settled)]
    for one, first in settled:
        for other, second in settled:
            if one < other and (first.result, second.result) == (Result.OK, Result.MISSED):
                evidence = tuple(first.claim if name == second.claim else name for name in first.evidence)
                events = list(true.events)
                events[one] = Settled(claim=second.claim, result=Result.OK, evidence=evidence)
                events[other] = Settled(claim=first.claim, result=Result.MISSED, evidence=evidence)
                return structs.replace(true, events=tuple(events))
    return None


def overtaken(play: Play, true: Entry) -> Entry | None:
    """In the place of a claim another of the same card, which has come later and is not decided."""
    for place, event in enumerate(true.events):
        if not isinstance(event, Settled) or event.result is not Result.OK:
            continue
        wanted = _cards_of(play, event.claim)
        for name in play._book.undecided:
            if name != event.claim and not wanted.isdisjoint(_cards_of(play, name)):
                evidence = (*(each for each in event.evidence if each != name), event.claim)
                told = Settled(claim=name, result=Result.OK, evidence=evidence)
                return structs.replace(true, events=(*true.events[:place], told))
    return None


def _cards_of(play: Play, name: Digest) -> frozenset[int]:
    """What the exchange of a claim takes."""
    claim = claim_of(play.tapes.by_digest[name].item)
    swap = None if claim is None else swap_of(claim)
    return frozenset() if swap is None else frozenset(swap.take)


def blind_to_the_next() -> Cheat:
    """Orders nothing that the next seat wants."""
    return Cheat(blind=lambda play, held: held.seat == (play.seat + 1) % play.founding.seats)


def has_ordered_without(stage: Stage) -> bool:
    """True if others have got what they wanted long after the next seat, and that seat has not."""
    (cheat,) = stage.cheats
    return settlers(stage) == {(cheat + 2) % 4}


def settlers(stage: Stage) -> set[int]:
    """The seats whose claims of cards were carried out, as an honest seat has it in its log."""
    seat = stage.honest[0]
    tapes = stage.sim.peers[seat].session.play.tapes.by_digest
    found = set()
    for item, _ in stage.entries(seat):
        entry = entry_of(item)
        for event in entry.events if entry is not None else ():
            if isinstance(event, Settled) and event.result is Result.OK:
                claim = claim_of(tapes[event.claim].item)
                if claim is not None and swap_of(claim):
                    found.add(tapes[event.claim].item.seat)
    return found


# 21, 22, 26, 29: when things are said


def late_accomplice(track: Track, rng: random.Random) -> Heat:
    """The seat after the one on duty acts a little later than another."""
    cheat = Seat((track.dealer + 1) % 4)
    return Heat(rivals(track, rng, cheat, Seat((cheat + 2) % 4))[0], cheat, rng.randrange(8_000))


def late_partner(track: Track, rng: random.Random) -> Heat:
    """The partner of the seat after the one on duty acts a little later than another."""
    cheat = Seat((track.dealer + 1) % 4)
    partner = Seat((cheat + 2) % 4)
    return Heat(rivals(track, rng, cheat, partner)[0], partner, rng.randrange(8_000))


def beside_a_liar(group: str = STUB.name) -> Stage:
    """The seat after the one on duty lies for its partner."""
    liars: dict[Seat, Witness] = {}

    def casting(seat: Seat, founding: Founding) -> Cheat | None:
        if seat != (founding.first_dealer + 1) % 4:
            return None
        return liars.setdefault(seat, liar(Seat((seat + 2) % 4))).cheat

    stage = in_races(casting, late_partner, group=group)
    stage.liars.update(liars)
    return stage


def turned_a_loss(stage: Stage) -> bool:
    """True if a lie made a certain win of what honest words had lost."""
    return any(turned(outcome, stage.liars, Race.EXCHANGE, 4) is Turned.TO_WIN for outcome in stage.outcomes)


def has_leapt(stage: Stage) -> bool:
    """True if the clock of an honest seat has followed the leap."""
    return any(
        item.item.lamport > 1_000_000
        for seat in stage.honest
        for item in stage.sim.peers[seat].session.play.tapes.by_digest.values()
        if item.seat in stage.honest
    )


def took_twice(stage: Stage) -> bool:
    """True if two exchanges of a cheat against one head were carried out."""
    play = stage.sim.peers[stage.honest[0]].session.play
    tapes = play.tapes.by_digest
    taken: list[Head] = []
    for item, _ in stage.entries(stage.honest[0]):
        entry = entry_of(item)
        for event in entry.events if entry is not None else ():
            if isinstance(event, Settled) and event.result is Result.OK:
                claimed = tapes[event.claim]
                claim = claim_of(claimed.item)
                if claimed.seat in stage.cheats and claim is not None and swap_of(claim):
                    taken.append(claim.head)
    return len(set(taken)) < len(taken)


# 27: coins


def with_a_later_coin(play: Play, said: CoinReveal) -> CoinReveal:
    """Not the coin whose turn it is, but the one after it: who may choose could grind."""
    return structs.replace(said, coin=play._dealing._coins[Coin(said.coin)])


def dead_heat_with_cheat(track: Track, rng: random.Random) -> Heat:
    """A dead heat of the seat after the one on duty with one of the other team."""
    cheat = Seat((track.dealer + 1) % 4)
    return Heat(rivals(track, rng, cheat, Seat((cheat + 2) % 4))[0], cheat)


def won_a_draw(stage: Stage) -> bool:
    """True if a cheat won where a draw was to decide."""
    return any(outcome.is_together and outcome.heat.second in outcome.winners for outcome in stage.outcomes)


# 23 to 25, 28: what is shown to whom


def forked(group: str = STUB.name) -> Stage:
    """A network that shows two seats of the table another item than the others."""
    cheat = Seat((duty_at() + 1) % 4)
    half = frozenset(seat for seat in range(4) if seat != cheat and seat % 2 == cheat % 2)
    return in_match(nobody, tamper=Fork(SEED, cheat, at_number(9), half), cheat=cheat, word="KE", group=group)


def kept_from_half(group: str = STUB.name) -> Stage:
    """A network that keeps the claims of a seat from half of the table."""
    cheat = Seat((duty_at() + 1) % 4)
    half = frozenset([seat for seat in range(4) if seat != cheat][:2])
    return in_match(nobody, tamper=Withheld(cheat, half, is_claim), cheat=cheat, group=group)


def against_first_dealer(track: Track, rng: random.Random) -> Heat:
    """Another seat calls, and the cheat hears it."""
    cheat = track.sim.peers[0].session.play.founding.first_dealer
    return Heat(rivals(track, rng, cheat, Seat((cheat + 2) % 4))[0], cheat, None)


def nobody(_seat: Seat, _founding: Founding) -> Cheat | None:
    """No machine cheats; a network does."""
    return None


def keeps_faces(play: Play, deed: DeedBody) -> bool:
    """Shares of cards that lie in the middle are kept back."""
    pool = play.final.game.pool
    return isinstance(deed, ShareDeed) and not set(pool).isdisjoint(deed.shares.positions)


def has_seen_more(stage: Stage) -> bool:
    """True if play went on though a card in the middle was not shown."""
    return stage.sim.peers[stage.honest[0]].session.play.final.game.phase is Phase.OPEN


def before_the_start(play: Play) -> tuple[Claim, ...] | None:
    """A claim for a card as soon as one lies open."""
    game = play.final.game
    open_cards = sorted(game.faces.keys() & set(game.pool))
    if game.phase is not Phase.DEALT or not open_cards or not game.hands:
        return None
    swap = Swap(take=(open_cards[0],), give=game.hands[play.seat][:1])
    return (Claim(head=play.final.head, action=encode(swap), rivals=()),)


def took_before_the_start(stage: Stage) -> bool:
    """True if a cheat's first claim of an exchange was carried out."""
    play = stage.sim.peers[stage.honest[0]].session.play
    for item, _ in stage.entries(stage.honest[0]):
        entry = entry_of(item)
        for event in entry.events if entry is not None else ():
            if isinstance(event, Settled) and play.tapes.by_digest[event.claim].seat in stage.cheats:
                return event.result is Result.OK
    return False


PHANTOM = Digest(b"\x07" * 32)
"""The name of a claim that nobody made."""


def phantom_counts(stage: Stage) -> bool:
    """True if an honest seat counts the words of a tape that rest on a claim that nobody made."""
    plays = [stage.sim.peers[seat].session.play for seat in stage.honest]
    return any(
        item.item.number < play._book.ends()[item.seat][0]
        for play in plays
        for item in play.tapes.by_digest.values()
        if any(isinstance(said, Receipt) and said.claim == PHANTOM for said in item.item.body)
    )
