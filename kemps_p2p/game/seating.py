"""Who sits where: partners sit opposite, team t is seats t and t + players/2."""

from kemps_p2p.ids import Seat, Team


def seats(players: int) -> tuple[Seat, ...]:
    """All seats, clockwise from 0."""
    return tuple(Seat(index) for index in range(players))


def teams(players: int) -> tuple[Team, ...]:
    """All teams, in the order of their first seats."""
    return tuple(Team(index) for index in range(players // 2))


def team_of(seat: Seat, players: int) -> Team:
    """The team of a seat."""
    return Team(seat % (players // 2))


def partner_of(seat: Seat, players: int) -> Seat:
    """The seat opposite."""
    return Seat((seat + players // 2) % players)


def members(team: Team, players: int) -> tuple[Seat, Seat]:
    """The two seats of a team, the lower one first."""
    return Seat(team), Seat(team + players // 2)


def left_of(seat: Seat, players: int) -> Seat:
    """The next seat clockwise."""
    return Seat((seat + 1) % players)
