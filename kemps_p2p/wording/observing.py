"""What is said of the observer, in words."""


def struck_text(*, is_proven: bool) -> str:
    """That the observer's word does not count any more, and why; without a full stop."""
    if is_proven:
        return "the observer is proven to have lied: from now on only the players say who was first"
    return "the observer has fallen silent: from now on only the players say who was first"
