"""Telling what happens at a table before the match, beside what is told of the match itself."""

from typing import assert_never

from kemps_p2p.cli.telling import Reporter
from kemps_p2p.errors import NotSeated
from kemps_p2p.game.rules import RuleSet, canonical_text
from kemps_p2p.runtime.addresses import PORT
from kemps_p2p.runtime.gathering import Came, Drawing, Waiting, Welcomed, Went
from kemps_p2p.runtime.guests import BOT
from kemps_p2p.runtime.hosting import CodeDrawn, SentAway
from kemps_p2p.runtime.table import KeptOut, NotAnnounced, Opened, TableNews
from kemps_p2p.wording.joins import hosting_text
from kemps_p2p.wording.people import counted, listed
from kemps_p2p.wording.plain import plain
from kemps_p2p.wording.rule_books import nearest_book
from kemps_p2p.wording.words import fingerprint


class TableReporter(Reporter):
    """A reporter that knows of tables too.

    `has_screen`: what is told during the match waits for its end; `bots`: so many come by themselves.
    """

    def __init__(self, *, as_events: bool, has_screen: bool = False, bots: int = 0) -> None:
        super().__init__(as_events=as_events)
        self._has_screen = has_screen
        self._bots = bots
        self._bots_here: set[str] = set()
        self._is_host = False
        self._held: list[TableNews] | None = None
        self._sent_away: set[tuple[str, str]] = set()

    def news(self, news: TableNews) -> None:
        """Tell what happens at the table, unless a screen is there that it would spoil."""
        if isinstance(news, Went):
            self.release()
        if self._held is not None:
            self._held.append(news)
            return
        self._tell(news)
        if self._has_screen and isinstance(news, Drawing):
            self._held = []

    def release(self) -> None:
        """The screen is gone: tell what was held back."""
        held, self._held = self._held or [], None
        for news in held:
            self._tell(news)

    def _tell(self, news: TableNews) -> None:
        match news:
            case Opened(places=places, is_other=is_other):
                self._is_host = True
                shown = [str(place) for place in places]
                why = f"; port {PORT} is in use" if is_other else ""
                self.say("opened", f"others reach this table at {listed(shown)}{why}", places=shown)
            case CodeDrawn(code=code, is_new=is_new):
                text = "too many wrong guesses: the code is now" if is_new else "code:"
                self.say("code", f"{text} {code}", code=str(code), is_new=is_new)
            case NotAnnounced(why=why):
                text = f"not announced on the network ({why}); others can come by address and code"
                self.say("not-announced", text, why=why)
            case Welcomed(table=table, players=players, rules=rules):
                name = rules_label(rules)
                text = f"table: {plain(table)}; {players} players, rules: {name}"
                self.say("welcomed", text, table=table, players=players, rules=name)
            case Came(guest=guest, here=here, players=players):
                key = fingerprint(guest.contact.identity)
                who = f"{plain(guest.name)} (a bot)" if guest.player == BOT else plain(guest.name)
                if guest.player == BOT:
                    self._bots_here.add(guest.name)
                doing = "watches" if guest.is_watching else f"is here, {here} of {players}"
                facts = {"is_bot": guest.player == BOT, "is_watching": guest.is_watching}
                self.say("came", f"{who} {doing}; key {key}", name=guest.name, key=key, here=here, **facts)
            case Went(name=name, here=here, players=players):
                self._bots_here.discard(name)
                self.say("went", f"{plain(name)} has left, {here} of {players}", name=name, here=here)
            case Waiting(players=players):
                end = "closes the table" if self._is_host else "leaves"
                self.say("waiting", f"waiting for {self._missing(players)}; Ctrl-C {end}", players=players)
            case Drawing():
                self.say("drawing", "all are here; seats are drawn")
            case SentAway(host=host, why=why, guesses=guesses):
                self._say_sent_away(host, why, guesses)
            case KeptOut(strangers=strangers, without_keys=others):
                text = f"kept out of the match: {counted(strangers + others, 'connection')} without its keys"
                self.say("kept-out", text, strangers=strangers, without_keys=others)
            case _:
                assert_never(news)

    def _missing(self, players: int) -> str:
        """Who is still to come, the own bots by themselves."""
        bots = min(max(self._bots - len(self._bots_here), 0), players)
        if not bots:
            return f"{players} more"
        others = f"{players - bots} more, and for " if players > bots else ""
        return f"{others}{counted(bots, 'bot')} of this table"

    def _say_sent_away(self, host: str, why: NotSeated, guesses: int) -> None:
        # Guesses are few by their own limit. Whatever else knocks again and again is told once.
        if not guesses and (host, why.reason.value) in self._sent_away:
            return
        self._sent_away.add((host, why.reason.value))
        text = hosting_text(host, why, guesses)
        self.say("sent-away", text, host=host, reason=why.reason.value, guesses=guesses)


def rules_label(rules: RuleSet) -> str:
    """What to call a rule set: its name among the presets, or house rules."""
    book = nearest_book(canonical_text(rules))
    return "house rules" if book.distance else book.name
