"""What is said of seats that are voted absent, in words; without a full stop."""

from kemps_p2p.wording.people import People


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
    return f"somebody else holds the seat of {who} for now: the next deal is shuffled anew"


def back_text(seat: int, people: People) -> str:
    """That a seat is there again."""
    return f"{people.seat(seat)} is back at the table"
