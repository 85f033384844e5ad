"""What there is to show a person at a seat: what its machine shows, and what its own program alone knows."""

from dataclasses import dataclass
from typing import TypeAlias

from kemps_p2p.errors import Illegal
from kemps_p2p.game.actions import Action
from kemps_p2p.ids import Seat
from kemps_p2p.session import effects as fx


@dataclass(frozen=True, slots=True)
class Refused:
    """An action that had to wait for an earlier one cannot be done any more; nothing was sent."""

    action: Action
    reason: Illegal


@dataclass(frozen=True, slots=True)
class StandInFailed:
    """The bot that this person runs for an absent player has not started, or has ended; `text` says why."""

    seat: Seat
    text: str


Sight: TypeAlias = fx.Sight | Refused | StandInFailed
