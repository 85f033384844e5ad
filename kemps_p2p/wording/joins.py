"""Why a peer does not get to a table, in words: for who comes, and for the host who sees it."""

from kemps_p2p.errors import NotSeated, Unwelcome
from kemps_p2p.wording.people import counted
from kemps_p2p.wording.plain import plain

DETAIL_CHARACTERS_MAX = 80

COMING: dict[Unwelcome, tuple[str, str]] = {
    Unwelcome.WRONG_CODE: (
        "the code is wrong",
        "Ask the host for the code that is on its screen now, and type both words.",
    ),
    Unwelcome.TOO_MANY_GUESSES: (
        "too many wrong codes were tried at this table, so its code was changed",
        "Ask the host for the new code, and try again in {detail} seconds.",
    ),
    Unwelcome.GUESSES_TOO_OFTEN: (
        "too many wrong codes came from this machine's address",
        "Try again in {detail} seconds.",
    ),
    Unwelcome.TABLE_FULL: ("the table is full", "`kemps find` lists tables with free seats."),
    Unwelcome.TABLE_PLAYING: (
        "the table is playing already, and only those who sat down at its start are let in",
        "`kemps find` lists tables with free seats.",
    ),
    Unwelcome.NAME_TAKEN: (
        "somebody called {detail} sits at this table already",
        "Come with another --name.",
    ),
    Unwelcome.SEATED_ALREADY: (
        "somebody with the same key sits at this table already",
        "One identity has one seat: give each peer a --home of its own.",
    ),
    Unwelcome.NOT_KEMPS: (
        "what listens there is not a table of kemps",
        "Is this the address that the host shows, with its port?",
    ),
    Unwelcome.OTHER_VERSION: (
        "the other side speaks version {detail} of the protocol, which this program does not",
        "Install the same version of kemps on both machines.",
    ),
    Unwelcome.OTHER_RULES: (
        "the table plays by another rule set: the key {detail} differs",
        "Leave --rules away to play by the rules of the table.",
    ),
    Unwelcome.BAD_WORDS: ("the other side says what no table of kemps says ({detail})", ""),
    Unwelcome.CHANGED_ON_THE_WAY: (
        "somebody between this machine and the table changes what is said",
        "Do not play on this network until you know who.",
    ),
    Unwelcome.OTHER_SERVER_KEY: (
        "at the address of {detail} another key answers than was agreed on: somebody is in between",
        "Do not play on this network until you know who.",
    ),
    Unwelcome.KNOWN_NAME_NEW_KEY: (
        "{detail} was known with another key: this may be somebody else",
        "Ask {detail}. If the key was changed on purpose, come again with --accept-key {detail}.",
    ),
    Unwelcome.OTHER_NAME: (
        "who came to the table as {detail} calls itself otherwise now",
        "Do not play with somebody who changes names.",
    ),
}
"""For who comes: what is the matter, and a hint."""

COMING_TOLD: dict[Unwelcome, tuple[str, str]] = {
    Unwelcome.KNOWN_NAME_NEW_KEY: (
        "the host knows {detail} with another key, and has not accepted this one",
        "If your key is new, tell the host before you come again.",
    ),
}
"""The same where the host has said so, and that is another matter than if it was found here."""

HOSTING: dict[Unwelcome, str] = {
    Unwelcome.WRONG_CODE: "tried a wrong code",
    Unwelcome.TOO_MANY_GUESSES: "tried a code after it was used up by wrong ones",
    Unwelcome.GUESSES_TOO_OFTEN: "has tried too many wrong codes",
    Unwelcome.TABLE_FULL: "came to a full table",
    Unwelcome.TABLE_PLAYING: "came while the table plays, and was not let in",
    Unwelcome.NAME_TAKEN: "came with the name of {detail}, who sits here already",
    Unwelcome.SEATED_ALREADY: "came with a key that sits here already",
    Unwelcome.NOT_KEMPS: "knocked with something that is not kemps",
    Unwelcome.OTHER_VERSION: "speaks version {detail} of the protocol",
    Unwelcome.OTHER_RULES: "wants other rules: the key {detail} differs",
    Unwelcome.BAD_WORDS: "said what no program of kemps says ({detail})",
    Unwelcome.CHANGED_ON_THE_WAY: "is not who it says, or somebody in between changes what is said",
    Unwelcome.OTHER_SERVER_KEY: "saw another key than was agreed on at the address of {detail}",
    Unwelcome.KNOWN_NAME_NEW_KEY: "was not accepted: {detail} was known with another key",
    Unwelcome.OTHER_NAME: "calls itself otherwise than it came, as {detail}",
}
"""For the host: what somebody at an address did."""

HOSTING_TOLD: dict[Unwelcome, str] = {
    Unwelcome.KNOWN_NAME_NEW_KEY: "has gone again: it knows {detail} with another key",
    Unwelcome.CHANGED_ON_THE_WAY: "has gone again: it found that somebody in between changes what is said",
}
"""The same where the other side has said so, and that is another matter than if it was found here."""


def coming_text(why: NotSeated) -> tuple[str, str]:
    """For who comes: one line, and a hint."""
    text, hint = (COMING | COMING_TOLD if why.is_theirs else COMING)[why.reason]
    detail = plain(why.detail, DETAIL_CHARACTERS_MAX)
    return text.format(detail=detail), hint.format(detail=detail)


def hosting_text(host: str, why: NotSeated, guesses: int) -> str:
    """For the host: who was sent away, and why."""
    texts = HOSTING | HOSTING_TOLD if why.is_theirs else HOSTING
    text = texts[why.reason].format(detail=plain(why.detail, DETAIL_CHARACTERS_MAX))
    count = f" ({counted(guesses, 'wrong guess', 'wrong guesses')} by now)" if guesses else ""
    counts = why.reason is Unwelcome.WRONG_CODE
    return f"somebody at {plain(host, DETAIL_CHARACTERS_MAX)} {text}{count if counts else ''}"
