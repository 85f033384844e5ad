"""What there is to say of the own signal book. In words that begin in the middle of a sentence."""

from kemps_p2p.wording.people import listed
from kemps_p2p.wording.plain import plain


def sealed_text(signals: tuple[str, ...]) -> str:
    """A book has just been sealed."""
    names = listed([plain(name) for name in signals])
    return f"your book is sealed: {names}; it is opened when the match is over"


def no_sign_text(partner: str) -> str:
    """Nobody has said what the partner's gestures are to mean."""
    return f"no sign is agreed with {partner}"


def unsealable_text(signal: str | None) -> str:
    """Why no book can be sealed now. `signal`: what is agreed on with the partner."""
    if signal is None:
        return "agree on a sign with your partner first; then it can be sealed"
    return "your book for the next deal is sealed already"
