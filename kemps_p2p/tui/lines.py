"""The lines that every screen of a running match has: the title, the story, and what is waited for."""

from kemps_p2p.game.actions import call_kind
from kemps_p2p.game.cards import QUARTET_CARDS
from kemps_p2p.game.record import BETWEEN_DEALS, Phase
from kemps_p2p.game.rules import Exchange, Mode, Reveal
from kemps_p2p.ids import Seat
from kemps_p2p.session.messages import Want
from kemps_p2p.session.presence import unready
from kemps_p2p.session.waiting import What
from kemps_p2p.tui import keys
from kemps_p2p.tui.buttons import call_name
from kemps_p2p.tui.glance import Glance
from kemps_p2p.tui.paint import Area, Ink, Sheet, cells, wrapped
from kemps_p2p.tui.recent import Tone
from kemps_p2p.tui.scores import scores_line
from kemps_p2p.wording.people import counted, listed
from kemps_p2p.wording.presence import away_texts, gone_text, rematch_text
from kemps_p2p.wording.waiting import ready_text, unready_text, waiting_text

WAITING_ROWS_MAX = 2
LESSON_LINE_MS = 2500
TONES = {Tone.QUIET: Ink.DIM, Tone.PLAIN: Ink.TEXT, Tone.LOUD: Ink.ALARM}


def draw_title(sheet: Sheet, glance: Glance, heading: str) -> None:
    """The first row: where the match stands, the scores, and the keys that work everywhere."""
    flash = glance.recent.flash
    is_flashing = glance.switches.has_flash and flash is not None and flash.is_on(glance.now_ms)
    ink = Ink.FLASH if is_flashing else Ink.TITLE
    sheet.fill(0, 0, sheet.width, 1, ink)
    right = sheet.width
    for key, label in ((keys.CANCEL, "menu"), (keys.HELP, "help")):
        text = f" {keys.shown(key)} {label} "
        right -= len(text)
        sheet.put(right, 0, text, ink, key)
    room = right - 2
    scores = scores_line(glance, room - cells(heading) - 3)
    sheet.clip(1, 0, room, f"{heading}   {scores}", ink)


def draw_story(sheet: Sheet, glance: Glance, area: Area) -> None:
    """The last lines of what happened, the newest at the bottom, below what is explained if that fits."""
    x, y, columns, height = area
    lessons = lesson_lines(glance, columns)
    lessons = lessons if len(lessons) < height else []
    for row, text in enumerate(lessons):
        sheet.put(x, y + row, text, Ink.GOOD)
    y, height = y + len(lessons), height - len(lessons)
    lines = list(glance.recent.story)[-height:] if height > 0 else []
    top = y + height - len(lines)
    for row, line in enumerate(lines):
        sheet.clip(x, top + row, columns, line.text, TONES[line.tone])


def lesson_lines(glance: Glance, columns: int) -> list[str]:
    """What was explained last, in lines of so many columns."""
    return [text for lesson in glance.recent.lessons for text in wrapped(lesson, columns)]


def draw_waiting(sheet: Sheet, glance: Glance, *, asked: str | None = None) -> int:
    """What the table waits for, and for whom, in the last rows, of which it gives the first.

    `asked`: what a key does on this page, in place of what it does at the table.
    """
    asked = asked or asked_text(glance)
    ink = Ink.ASKED if asked else Ink.ALARM if glance.away else Ink.LABEL
    rows = list(wrapped(asked or state_text(glance), sheet.width - 2))
    # More than two is said of tables of many; what to do comes first.
    rows = rows if len(rows) <= WAITING_ROWS_MAX else [rows[0], " ".join(rows[1:])]
    top = sheet.height - len(rows)
    sheet.fill(0, top, sheet.width, len(rows), ink)
    for y, text in enumerate(rows, top):
        sheet.clip(1, y, sheet.width - 2, text, ink)
    return top


def draw_notice(sheet: Sheet, glance: Glance, area: Area, *, has_lesson: bool) -> None:
    """The one thing to be told most, in a row in the middle of an area.

    With nothing to tell, what is explained and has no room elsewhere, a line after the other.
    """
    told = notice(glance)
    lines = lesson_lines(glance, area.width - 2) if has_lesson else []
    if told is None and lines:
        told = lines[glance.now_ms // LESSON_LINE_MS % len(lines)], Ink.GOOD
    if told is not None:
        text, ink = told
        sheet.centre(area.y, f" {text} ", ink, x=area.x, columns=area.width)


def notice(glance: Glance) -> tuple[str, Ink] | None:
    """The one thing to be told most: a call that needs another press, or what has just happened."""
    draft = glance.draft
    if draft is not None:
        return _draft_text(glance, max(draft.until_ms - glance.now_ms, 0) / 1000), Ink.ARMED
    recent = glance.recent.notice
    if recent is not None and recent.is_on(glance.now_ms):
        return recent.text, Ink.ALARM
    return None


def _draft_text(glance: Glance, seconds: float) -> str:
    draft = glance.draft
    assert draft is not None, "asked for a call that nobody has begun"
    left = f"({seconds:.1f} s)"
    if draft.choosing is not None:
        name = call_name(glance.rules, draft.choosing)
        return f"On whom? {left} {name} Press the key of a name, or click it"
    told = listed([glance.scene.call(glance.seat, item) for item in draft.items])
    if draft.is_several:
        return f"+ again calls all {left}: {told or 'choose several calls first'}"
    return f"{keys.CALL_KEYS[call_kind(draft.items[0])]} again calls it {left}: {told}"


def asked_text(glance: Glance) -> str | None:
    """What the table waits for at this seat, with the key that does it; None if it waits for others."""
    view = glance.view
    if glance.is_paused or glance.is_looking_on:
        return None
    if view.phase in BETWEEN_DEALS:
        return _asked_between(glance)
    exchange = "2, then a" if view.rules.exchange is Exchange.SWAP else "a, then 2"
    if glance.is_asked(What.ANSWER):
        shows = " and shows two cards" if view.rules.reveal is Reveal.TWO_CARDS else ""
        return f"You are called: y admits a quartet, n denies it{shows}"
    if glance.is_asked(What.GO):
        return "You are the dealer: Enter opens play"
    if glance.is_asked(What.RESUME):
        return "You are the dealer: Enter deals new cards"
    hand = view.hands[glance.seat] if view.hands else ()
    if view.phase is Phase.OPEN and view.call is None and 0 < len(hand) < QUARTET_CARDS:
        return "You have put a card down: take one with its number, or your own back"
    if glance.is_asked(What.TURN) and view.phase is Phase.OPEN:
        return f"It is your turn: take a card ({exchange}), Space passes, or call"
    if any(wait.what is What.PASSES and wait.seats == (glance.seat,) for wait in glance.waits):
        return f"All others have passed: take a card ({exchange}), or Space passes"
    return None


def _asked_between(glance: Glance) -> str | None:
    """The same between deals. Where somebody is away, that comes first."""
    others = {seat: want for seat, want in enumerate(glance.wants) if seat != glance.seat}
    if glance.away:
        return None
    if glance.is_asked(What.NEXT):
        missing = [seat for seat in unready(glance.wants) if seat != glance.seat]
        how = f"Enter twice deals ({unready_text(missing, glance.people)})" if missing else "Enter deals"
        return f"You are the dealer: {how}"
    if glance.is_held:
        ready = [Seat(seat) for seat, want in others.items() if want is Want.PLAY_ON]
        told = f" ({ready_text(ready, glance.people)})" if ready else ""
        return f"A break, for as long as you like: Enter goes on{told}"
    return None


def state_text(glance: Glance) -> str:
    """How things stand while the table waits for others, or for nobody; what there is to do comes first."""
    if glance.is_paused:
        return "The table takes a break: p plays on"
    if glance.is_looking_on:
        return "A bot plays for you: you play again from the next deal on"
    wishes = [
        f"you want {OWN_WANTS[want]}"
        if seat == glance.seat
        else f"{glance.people.seat(seat)} wants {WANTS[want]}"
        for seat, want in enumerate(glance.wants)
        if want in WANTS
    ]
    away = away_texts(glance.away, glance.people)
    # What is wanted by somebody has its hint already.
    hint = "" if wishes or not away else "Esc, then x, ends the match once all agree: "
    if hint and glance.can_vote_absent:
        hint = "Esc, then v, votes for a deal without them: "
    if hint and glance.offers:
        hint = "Esc, then h, agrees to the bot that is offered: "
    elif hint and glance.can_offer:
        hint = "Esc, then h, offers a bot for them: "
    if glance.silent_teams and glance.wants[glance.seat] is not Want.WALK_OVER:
        hint = "Esc, then o, signs a walk-over: "
    gone = {each.seat for each in glance.away}
    waits = [
        waiting_text(wait, glance.people)
        for wait in glance.waits
        if not gone.issuperset(wait.seats) and not (gone and wait.what is What.NEXT)
    ]
    missing = [seat for seat in unready(glance.wants) if seat not in (glance.seat, *gone)]
    if missing and glance.view.phase in BETWEEN_DEALS:
        dealer = glance.view.next_dealer
        is_bot = dealer is not None and glance.wants[dealer] is Want.AS_OTHERS
        told = unready_text(missing, glance.people, bot=dealer if is_bot else None)
        # A bot that deals waits for them as well.
        waits = [told] if is_bot else [told, *waits]
    # After all who are away: who is missing must not be pushed out of the row by it.
    back = ["they may come back (kemps rejoin)"] if any(each.has_left for each in glance.away) else []
    told = hint + "; ".join([*wishes, *away, *back, *waits])
    if told:
        return told[:1].upper() + told[1:]
    return _nobody(glance)


OWN_WANTS = {
    Want.PAUSE: "a break (p takes that back)",
    Want.ABANDON: "to abandon the match",
    Want.WALK_OVER: "a walk-over, and have signed it",
}
WANTS = {
    Want.PAUSE: "a break (p joins)",
    Want.ABANDON: "to abandon the match (Esc, then x joins)",
    Want.WALK_OVER: "a walk-over, and has signed it",
}


def _nobody(glance: Glance) -> str:
    view = glance.view
    match view.phase:
        case Phase.DEALT:
            return (
                "Look at the cards: play opens in a moment" if view.looking else "The cards are being dealt"
            )
        case Phase.OPEN if view.call is not None:
            return "A call is being checked"
        case Phase.OPEN if view.rules.mode is Mode.SIMULTANEOUS:
            return "Play is open for everybody; the table waits for nobody"
        case Phase.PROVING:
            return "What was denied is being proven"
        case Phase.MATCH_OVER if not glance.is_closed:
            return "The match is over; the log is being completed"
        case Phase.MATCH_OVER:
            told = [rematch_text(glance.rematch, glance.people)] if glance.rematch else []
            told += [gone_text(glance.gone, glance.people)] if glance.gone else []
            return "; ".join(told) or "The match is over, and its log complete"
        case _:
            return "The table waits for nobody"


def heading(glance: Glance) -> str:
    """Which deal it is, and what is left of the cards."""
    view = glance.view
    playoff = ", a playoff" if view.playoff else ""
    limit = view.rules.deals(view.players)
    of = f" of {limit}" if limit and not view.playoff else ""
    return f"Deal {view.deal + 1}{of}{playoff}"


def stock_texts(glance: Glance) -> tuple[tuple[str, ...], ...]:
    """The cards that nobody holds, in rows: first as one says it, then in ever fewer columns."""
    view = glance.view
    left, swept = f"{counted(view.stock_count, 'card')} left", f"{view.swept_count} swept"
    if not view.swept_count:
        return ((left,), (f"{view.stock_count} left",))
    few = f"{view.stock_count} left"
    return ((f"{left}, {swept}",), (f"{few}, {swept}",), (few, swept))
