"""What is said of seats that are voted absent, and of who stands in there, in words; without a full stop."""

from collections.abc import Collection
from dataclasses import replace
from typing import assert_never

from kemps_p2p.game.seating import partner_of
from kemps_p2p.ids import Seat
from kemps_p2p.session import effects as fx
from kemps_p2p.wording.people import People

READS_HANDS = "whoever runs a bot could read its hand"


def absence_text(sight: fx.AbsenceSight, people: People) -> str:
    """What becomes of a seat whose player is away."""
    match sight:
        case fx.VotedAbsent(voter=voter, seat=seat):
            return voted_text(voter, seat, people)
        case fx.SeatStruck(seat=seat, is_stand_in=True):
            who = people.seat(seat)
            return f"nobody stands in for {who} any more: the next deal waits for {who}"
        case fx.SeatStruck(seat=seat):
            return absent_text(seat, people)
        case fx.SeatBack(seat=seat):
            return back_text(seat, people)
        case fx.StandInOffered(seat=seat, by=by):
            return f"{offered_text(seat, by, people)}: {READS_HANDS}"
        case fx.StandInAgreed(voter=voter, seat=seat, by=by):
            agreed = f"a bot of {people.seat(by)} plays for {people.seat(seat)}"
            return f"{people.seat(voter)} agrees that {agreed}"
        case fx.SeatHeld(seat=seat, by=by):
            return held_text(seat, by, people)
        case fx.PlayerAsks(seat=seat):
            return f"{people.seat(seat)} is back, and plays from the next deal on"
        case _:
            assert_never(sight)


def with_stand_ins(people: People, held: Collection[Seat]) -> People:
    """The same, with those who stand in named as such."""
    names = (f"bot for {name}" if seat in held else name for seat, name in enumerate(people.names))
    return replace(people, names=tuple(names)) if held else people


def held_text(seat: int, by: int | None, people: People) -> str:
    """That a bot plays for a seat, and who runs it, if that is known."""
    whose = "a bot" if by is None else f"a bot of {people.seat(by)}"
    return f"{whose} plays for {people.seat(seat)} from now on, until {people.seat(seat)} is back"


def failed_text(seat: int, text: str, people: People) -> str:
    """That a bot of the own player does not play for an absent one any more; `text`: why."""
    return f"your bot for {people.seat(seat)} has ended: {text}"


def hold_text(seat: int, people: People) -> str:
    """How a person at a table in lines gets a bot for an absent seat."""
    who = people.seat(seat)
    return f"`hold {who.casefold()}` offers a bot to play for {who} until {who} is back; all have to agree"


def offered_text(seat: Seat, by: Seat, people: People) -> str:
    """That a seat offers a bot for another, and on which side it plays."""
    side = "partner" if partner_of(seat, people.seats) == by else "opponent"
    return f"{people.seat(by)}, {side} of {people.seat(seat)}, offers a bot to play for {people.seat(seat)}"


def voted_text(voter: int, seat: int, people: People) -> str:
    """That a seat wants the deal to end without another."""
    return f"{people.seat(voter)} votes {people.seat(seat)} absent"


def absent_text(seat: int, people: People) -> str:
    """That the table has enough of waiting."""
    who = people.seat(seat)
    return f"the table has voted {who} absent: this deal is over, and the next one waits for {who}"


def given_text(seat: int, people: People, *, is_player: bool) -> str:
    """That a seat is a new incarnation's: of its own player, or of who holds it."""
    who = people.seat(seat)
    if is_player:
        return f"{who} is back at the table without the files of before: the next deal is shuffled anew"
    return f"a program with a key of no player sits in for {who} for now: the next deal is shuffled anew"


def sat_in_text(seat: int, since: int, until: int | None, people: People) -> str:
    """That a seat was held, and by which entries; None: to the end."""
    end = "to the end" if until is None else f"to entry {until}"
    return f"from entry {since} {end} a program with a key of no player sat in for {people.seat(seat)}"


def back_text(seat: int, people: People) -> str:
    """That a seat is there again."""
    return f"{people.seat(seat)} is back at the table"
