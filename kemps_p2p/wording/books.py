"""What there is to say of the own signal book. In words that begin in the middle of a sentence."""

from collections.abc import Sequence

from kemps_p2p.wording.people import listed
from kemps_p2p.wording.plain import plain


def sealed_text(signals: tuple[str, ...]) -> str:
    """A book has just been sealed."""
    names = listed([plain(name) for name in signals])
    return f"your book is sealed: {names}; it is opened when the match is over"


def lost_text(deals: Sequence[int]) -> str:
    """Own books cannot be opened. `deals`: those from which they are in force, from 0."""
    which = listed([str(deal + 1) for deal in deals])
    return f"your book from deal {which} stays sealed: what sealed it was lost with its files"


def no_sign_text(partner: str) -> str:
    """Nobody has said what the partner's gestures are to mean."""
    return f"no sign is agreed with {partner}"


def sign_text(agreed: str | None, offered: str | None, proposed: str | None, partner: str) -> str:
    """What is agreed on with the partner; `offered` by them and `proposed` by this seat, it is not yet."""
    told = [] if agreed is None else [f"agreed with {partner}: {agreed}"]
    if offered is not None:
        told.append(f"{partner} proposes {offered}: `signal {offered}` agrees, another name proposes that")
    if proposed is not None:
        told.append(f"you have proposed {proposed}; {partner} has not agreed yet")
    return "; ".join(told) if told else f"{no_sign_text(partner)} yet: `signal wink` proposes one"


def unsealable_text(signal: str | None) -> str:
    """Why no book can be sealed now. `signal`: what is agreed on with the partner."""
    if signal is None:
        return "agree on a sign with your partner first; then it can be sealed"
    return "your book for the next deal is sealed already"
