"""Why the rules forbid an action, in words that follow "you cannot do that:" or "refused:"."""

from kemps_p2p.errors import Illegal

REFUSALS: dict[Illegal, str] = {
    Illegal.NO_SUCH_SEAT: "there is no such seat",
    Illegal.NO_SUCH_TARGET: "nobody sits there",
    Illegal.NOT_IN_RULES: "these rules do not know that",
    Illegal.NOT_OPEN: "play has not opened yet",
    Illegal.HALTED: "the dealer has halted the table",
    Illegal.DEAL_OVER: "the deal is over, or has not begun",
    Illegal.DEAL_RUNS: "the deal is still on",
    Illegal.NOT_YOUR_TURN: "it is somebody else's turn",
    Illegal.NOT_DEALER: "only the dealer may do that",
    Illegal.NOT_IN_HAND: "that card is not in the hand",
    Illegal.NOT_IN_POOL: "that card is not in the middle any more",
    Illegal.FACE_DOWN: "that card still lies face down",
    Illegal.UNEVEN: "the numbers of cards do not match",
    Illegal.NAMED_TWICE: "something is named twice",
    Illegal.TOO_MANY_CARDS: "that is more cards than the rules allow",
    Illegal.NO_CARD: "no card is named",
    Illegal.HALF_EXCHANGE: "a card has been put down and none taken yet",
    Illegal.NO_HALF_EXCHANGE: "no card has been put down yet",
    Illegal.ALREADY_PASSED: "that player has passed already",
    Illegal.ALREADY_SIGNALLED: "that player has signalled already",
    Illegal.OTHER_POOL: "other cards lie in the middle now",
    Illegal.NO_CALL: "nothing is called",
    Illegal.COMBINED_CALLS: "these rules allow one call at a time",
    Illegal.OWN_TEAM: "nobody can counter their own team",
    Illegal.BARRED: "after a wrong counter there is no other in this deal",
    Illegal.NOT_IDLE: "the table has not been idle for long enough",
    Illegal.NO_MULLIGAN: "there are too few alike for a mulligan",
    Illegal.NOT_HALTED: "the table is not halted",
    Illegal.NO_SPEECH: "these rules do not allow words now",
    Illegal.TEXT_TOO_LONG: "the text is too long",
    Illegal.NOT_ASKED: "nobody has asked",
    Illegal.STALE: "that was meant for a table of long ago",
    Illegal.TOO_SOON: "an earlier action of the same kind was not settled yet",
    Illegal.NOT_READY: "the deck of the next deal is not shuffled yet",
    Illegal.FALSE_DENIAL: "that denial is not true",
    Illegal.ALREADY_OPEN: "play is open already",
    Illegal.CALL_PENDING: "a call is being checked",
    Illegal.NOT_OWED: "that is not due",
    Illegal.NO_TEXT: "there is nothing to say",
    Illegal.NOT_PRINTABLE: "the text has characters that cannot be shown",
    Illegal.PAUSED: "the table is taking a break",
    Illegal.NO_WALK_OVER: "that is for when nothing has been heard of all your opponents for a minute",
    Illegal.COMING_BACK: "this seat has only just come back and is catching up",
    Illegal.NOT_ABSENT: "a bot is offered for a seat that the table has voted absent, once by each",
    Illegal.STOOD_IN: "a bot plays for you until this deal is over",
    Illegal.NO_OFFER: "nobody offers a bot there that you have not agreed to",
    Illegal.NOT_SILENT: "only who has been silent for 10 seconds can be voted absent, once by each",
}


def refusal_text(reason: Illegal) -> str:
    """Why the rules forbid it."""
    return REFUSALS[reason]
