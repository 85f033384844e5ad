"""How a seat may stand to the ordering duty, and by what it passes from one standing to another.

The diagram in section "Terms" of protocol.md is drawn from this table: `python tests/sim/standing.py`.
"""

import sys
from enum import StrEnum

from kemps_p2p.session.play import Play


class Standing(StrEnum):
    """What a seat does about terms."""

    NORMAL = "normal"
    """It acks, and orders if it is on duty."""
    DOUBTING = "doubting"
    """The same, while its `Suspect` stands."""
    JOINED = "joined"
    """It has left its term: it acks nothing and orders nothing."""
    HANDED_OVER = "handed over"
    """The same; it has said what it stands for."""
    RECOVERING = "recovering"
    """It has come back with its files, and says nothing yet."""


S = Standing
TRANSITIONS: dict[tuple[Standing, Standing], str] = {
    (S.NORMAL, S.DOUBTING): "Suspect(t)",
    (S.DOUBTING, S.NORMAL): "an entry of t or later, acked",
    (S.NORMAL, S.JOINED): "n − q + 1 want a later term: Join",
    (S.DOUBTING, S.JOINED): "n − q + 1 want a later term: Join",
    (S.JOINED, S.HANDED_OVER): "q have joined: HandOver",
    (S.JOINED, S.NORMAL): "an entry of that term or later",
    (S.HANDED_OVER, S.NORMAL): "TakeOver, accepted or made",
    (S.HANDED_OVER, S.JOINED): "n − q + 1 want a later term: Join",
    **{(each, S.RECOVERING): "restart" for each in S if each is not S.RECOVERING},
    **{
        (S.RECOVERING, each): "as its tape says, which q others know"
        for each in S
        if each is not S.RECOVERING
    },
}


def standing(play: Play) -> Standing:
    """How the seat of a machine stands now."""
    if play.is_recovering:
        return S.RECOVERING
    handing, tip = play._handing, play.tip
    seat, joined = play.seat, handing.joined
    if not handing.is_normal(tip):
        return S.HANDED_OVER if seat in handing.terms.hand_overs(joined) else S.JOINED
    return S.DOUBTING if handing.terms.has_doubts(seat, max(tip.term, joined)) else S.NORMAL


def diagram() -> str:
    """The table as a Mermaid state diagram."""
    names = {each: each.replace(" ", "_") for each in S}
    lines = ["stateDiagram-v2", f"    [*] --> {names[S.NORMAL]}: the genesis is complete"]
    lines += [f"    {names[a]} --> {names[b]}: {by}" for (a, b), by in TRANSITIONS.items()]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.stdout.write(diagram() + "\n")
