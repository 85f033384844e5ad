"""Who was first, in words, with the evidence."""

from collections.abc import Sequence

from kemps_p2p.ids import Seat
from kemps_p2p.session.races import Asked, Race
from kemps_p2p.wording.actions import action_text
from kemps_p2p.wording.people import People
from kemps_p2p.wording.scene import Scene

WHO_IS_FIRST = (
    "Whoever had seen the other's claim before making its own is second.",
    "Else the claim is first that more than half of the witnesses signed first.",
)
"""How the table finds out who was first, as long as it can tell."""


def race_text(race: Race, scene: Scene) -> str:
    """Why one claim went before another."""
    people = scene.people
    first = people.seat(race.first.seat)
    both = f"{_wish(race.first, scene)}; {_wish(race.second, scene)}"
    if race.first.seat == race.second.seat:
        return f"{both}. In the order in which {first} made them"
    if race.is_together and not race.by_cause:
        return f"{both}. Not decided alone: others go before both"
    by = ", by the tapes as a cut closed them" if race.by_cut else ""
    return f"{both}. {met_text(race, people)}{by}"


def together_text(claims: Sequence[Asked], races: Sequence[Race], scene: Scene) -> str:
    """Claims between which the table is split."""
    wishes = "; ".join(_wish(claim, scene) for claim in claims)
    if len(races) == 1 and len(claims) == 2:
        race = races[0]
        ahead, behind, asked = race.words
        first, second = scene.people.seat(race.first.seat), scene.people.seat(race.second.seat)
        split = f"of {asked} witnesses {ahead} saw {first} first and {behind} saw {second} first"
    else:
        split = "the witnesses are split"
    return f"{wishes}. Together: {split}"


def drawn_text(claims: Sequence[Asked], scene: Scene) -> str:
    """The order that the coins gave."""
    return f"the draw of coins puts {_in_order(claims, scene)}"


def ruled_text(claims: Sequence[Asked], dealer: Seat, scene: Scene) -> str:
    """The order that the dealer's tape gave."""
    return f"{scene.people.seat(dealer)}, who deals, saw {_in_order(claims, scene)}"


def _in_order(claims: Sequence[Asked], scene: Scene) -> str:
    first, *others = [scene.people.seat(claim.seat) for claim in claims]
    return f"{first} first, then {', then '.join(others)}"


def _wish(claim: Asked, scene: Scene) -> str:
    return f"{scene.people.seat(claim.seat)} wants to {action_text(claim.seat, claim.action, scene)}"


def met_text(race: Race, people: People, sayers: Sequence[Seat] = ()) -> str:
    """How two claims met, for whoever made one of them: who was first, and who saw it: `sayers`, if known."""
    first, second = people.seat(race.first.seat), people.seat(race.second.seat)
    ahead, behind, asked = race.words
    if race.is_together:
        split = f"{ahead} of {asked} witnesses saw {first} first, {behind} saw {second} first"
        return f"{first} and {second} at once: {split}; a draw decides"
    if race.by_cause:
        return (
            f"{first} was first: {second} had already seen what {first} wanted, as {second}'s own tape shows"
        )
    by = f" ({people.all(sayers)})" if sayers else ""
    return f"{first} was first: {ahead} of {asked} witnesses{by} saw {first} before {second}"


def words_text(witness: Seat, saw: Sequence[tuple[Seat, str]], people: People) -> str:
    """The word of one witness: whose claims, of which kind, its tape shows in which order."""
    who = people.seat(witness)
    if not saw:
        return f"{who}'s word is not in the evidence, since it was not needed"
    return f"{who} saw {', then '.join(f'the {what} of {people.seat(seat)}' for seat, what in saw)}"
