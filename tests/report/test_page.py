"""The page of a match: its data against what seats could see, and a file that nothing gets out of or into."""

import json
import re
from base64 import b64decode, b64encode
from dataclasses import replace
from hashlib import sha256
from html.parser import HTMLParser
from importlib import resources
from typing import Any

import pytest
from report_helpers import CARD, Memory, Seen, short_rules, shown_to, watched_match

from kemps_p2p.codec import frame
from kemps_p2p.game.record import Phase
from kemps_p2p.ids import Seat
from kemps_p2p.report.dispute import call_facts
from kemps_p2p.report.dispute_text import call_lines
from kemps_p2p.report.html_report import Source, html_report
from kemps_p2p.report.page_data import MARKS, PHASES, page_data
from kemps_p2p.report.timeline import Timeline
from kemps_p2p.session.audit import audit_all
from kemps_p2p.wording.eyes import Wide

pytest_plugins = ("report_fixtures",)


class Parts(HTMLParser):
    """A page taken apart: its elements, its texts outside of scripts, and what its scripts hold."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.scripts: dict[str, str] = {}
        self.styles: list[str] = []
        self._inside = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._inside = tag if tag in ("script", "style") else ""

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside == "script":
            name = self.elements[-1][1].get("id") or "code"
            self.scripts[name] = self.scripts.get(name, "") + data
        elif self._inside == "style":
            self.styles.append(data)
        else:
            self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())

    @property
    def data(self) -> Any:
        return json.loads(self.scripts["data"])


def page_of(seen: Seen, **options: Any) -> Parts:
    return Parts(html_report(seen.joint, [Source("/somewhere/friday.kemps", seen.log)], **options))


@pytest.fixture(scope="module")
def page(seen: Seen) -> Parts:
    return page_of(seen)


# What is shown to whom


def seen_in(data: Any, moment: Any, eyes: int | None) -> dict[int, str]:
    """What the script of the page shows: by position, the cards on the table and in hands."""
    state = data["states"][moment["state"]]
    lying = [*state["pool"], *(card for hand in state["hands"] for card in hand)]
    known = {*state["seen"], *([] if eyes is None else state["own"][eyes])}
    return {card: data["cards"][state["deal"]][str(card)] for card in lying if card in known}


def check_against_views(timeline: Timeline) -> None:
    data = json.loads(json.dumps(page_data(timeline, 0)))
    assert len(data["moments"]) == len(timeline.moments)
    shown = 0
    for moment in timeline.moments:
        told = data["moments"][moment.index]
        for seat in range(timeline.seats):
            view = timeline.perspective(Seat(seat), moment.index)
            assert seen_in(data, told, seat) == shown_to(view)
            assert [list(hand) for hand in view.state.hands] == data["states"][told["state"]]["hands"]
            shown += len(shown_to(view))
    assert shown > 8 * len(timeline.moments)


def test_a_seat_is_shown_what_its_view_shows(timeline: Timeline) -> None:
    check_against_views(timeline)


@pytest.mark.soak
@pytest.mark.parametrize(
    ("book", "players"),
    # Four teams of kems can share every lead, and then play off for hours.
    [
        ("kemps", 4),
        ("kemps", 6),
        ("kemps", 8),
        ("chaulcer", 4),
        ("chaulcer", 6),
        ("chaulcer", 8),
        ("kems", 4),
        ("kems", 6),
    ],
)
def test_whole_matches_are_shown_as_they_were_seen(book: str, players: int) -> None:
    ends: dict[str, object] = {"word": "KEMPS"} if book == "kemps" else {"goal": 6}
    check_against_views(Timeline(watched_match(short_rules(book, **ends), 9, players).audit))


def test_texts_of_the_page_name_no_card_that_was_not_seen(timeline: Timeline) -> None:
    data = page_data(timeline, 0)
    everybody: list[Seat | Wide] = [Wide.TABLE, *map(Seat, range(timeline.seats))]
    for place, whose in enumerate(everybody, start=1):
        memory = Memory(timeline, whose)
        for moment in timeline.moments:
            text = data["moments"][moment.index]["text"]
            told = data["texts"][text if isinstance(text, int) else text[place]]
            assert told == timeline.text(moment.index, whose)
            assert set(CARD.findall(told)) <= memory.names(moment.index)


def test_calls_and_races_know_where_they_end_and_what_decides_them(timeline: Timeline) -> None:
    data = page_data(timeline, 0)
    for call in data["calls"]:
        assert data["moments"][call["end"]]["kind"] == "verdicts"
        assert data["moments"][call["end"]]["call"] == call["number"]
        assert call["rules"][-1] == "A wrong call gives a letter to the caller's team."
    kinds = set()
    for race in data["races"]:
        kind = data["moments"][race["at"]]["kind"]
        kinds.add(kind)
        assert (race["end"] is not None) == (kind == "together")
        assert race["rules"]
        assert race["words"]
        assert race["words"] == list(timeline.words(race["at"]))
    assert kinds == {"race", "together"}


def test_every_mark_and_phase_has_words(page: Parts, timeline: Timeline) -> None:
    assert PHASES.keys() == set(Phase)
    letters = {letter for letter, _ in MARKS.values()}
    assert len(letters) == len(set(MARKS.values())), "one letter, one meaning"
    for letter, word in MARKS.values():
        assert f"{letter} {word}" in page.text
    seats = {moment.line.event for moment in timeline.moments if "seat" in moment.line.facts}
    silent = {"shuffled", "hand", "settled", "match-ended"}
    assert seats - silent <= MARKS.keys()


# The file


def test_the_log_lies_in_the_page_whole(page: Parts, seen: Seen) -> None:
    assert b64decode(page.scripts["log"]) == seen.log
    claims = json.loads(page.scripts["claims"])
    assert claims["sum"] == sha256(seen.log).hexdigest()
    assert claims["file"] == "friday.kemps"
    assert seen.audit.head is not None
    assert (claims["head"], claims["entries"]) == (seen.audit.head.digest.hex(), seen.audit.head.index)


def test_nothing_is_fetched_and_only_the_own_script_may_run(page: Parts) -> None:
    attributes = {name for _, attrs in page.elements for name in attrs}
    assert not attributes & {
        "src",
        "srcset",
        "data",
        "action",
        "formaction",
        "poster",
        "background",
        "ping",
        "style",
    }
    assert not [name for name in attributes if name.startswith("on")]
    assert {attrs["href"] for _, attrs in page.elements if "href" in attrs} == {"#table-title"}
    assert not {tag for tag, _ in page.elements} & {
        "link",
        "img",
        "iframe",
        "object",
        "embed",
        "form",
        "base",
    }
    (policy,) = [
        attrs["content"] or ""
        for _, attrs in page.elements
        if attrs.get("http-equiv") == "Content-Security-Policy"
    ]
    assert policy.startswith("default-src 'none'; ")
    for kind, text in (("script", page.scripts["code"]), ("style", page.styles[0])):
        digest = b64encode(sha256(text.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy.split("; ")
    assert "unsafe" not in policy
    for text in (*page.styles, page.scripts["code"]):
        assert not re.search(
            r"https?://(?!www\.w3\.org/2000/svg)|@import|url\(|\beval\b|innerHTML|insertAdjacent", text
        )


def test_the_strip_says_verdict_call_and_rule(page: Parts, timeline: Timeline) -> None:
    assert "clean: everything in this log holds." in page.text
    verdict = next(moment for moment in timeline.moments if moment.line.event == "verdicts")
    assert verdict.line.text in page.text
    assert "Rule applied: “" in page.text
    assert "kemps audit --allow-simulated friday.kemps" in page.text
    assert "Simulation." in page.text


def test_it_opens_where_it_is_asked_to(seen: Seen, timeline: Timeline) -> None:
    race = next(mark for mark in timeline.races if timeline.moments[mark.index].line.event == "together")
    page = page_of(seen, race=race.number, whose=Seat(2))
    assert page.data["focus"] == race.index
    assert page.data["eyes"] == 2
    assert "the draw of coins puts" in page.text
    assert "When the table cannot tell who was first, at a card or with a call, lots decide." in page.text
    assert f"Race {race.number}: the whole report As kemps audit --race {race.number} tells it" in page.text
    assert page_of(seen).data["focus"] == timeline.calls[-1].index
    assert page_of(seen, call=1).data["focus"] == timeline.calls[0].index
    with pytest.raises(ValueError, match="no such call or race"):
        page_of(seen, call=99)


def test_the_report_on_the_call_is_that_of_the_audit(page: Parts, seen: Seen, timeline: Timeline) -> None:
    facts = call_facts(seen.audit, len(timeline.calls))
    assert facts is not None
    lines = list(call_lines(seen.audit, facts))
    assert len(lines) > 20
    told = "".join(page.texts)
    assert "\n".join(lines[1:]) in told
    # The verdict stands at the top alone; what the script shows of it goes with the moment.
    assert page.text.count(lines[0].rstrip(".")) == 1
    assert f"Call {len(timeline.calls)}: the whole report" in page.text


def test_an_observer_has_a_name_and_a_place_among_the_witnesses(observed: Seen) -> None:
    page = page_of(observed)
    assert "the observer" in page.text
    assert [word for race in page.data["races"] for word in race["words"] if word.startswith("the observer")]


def test_a_violated_log_is_said_to_be_one(seen: Seen) -> None:
    objects = frame(seen.log).objects
    changed = bytearray(seen.log)
    # The last byte of a record belongs to the signature of the last item in it.
    changed[sum(map(len, objects[: len(objects) // 2])) - 1] ^= 1
    joint = audit_all([bytes(changed)], allow_stub=True)
    page = Parts(html_report(joint, [Source("x.kemps", bytes(changed))]))
    assert "violated: this log does not hold." in page.text
    assert "a signature does not hold" in page.text
    assert "Proven as far as the entries hold:" in page.text
    assert "✗" in page.text


def test_of_several_logs_the_longest_is_shown(seen: Seen) -> None:
    logs = [seen.log[: len(seen.log) // 2], seen.log]
    joint = audit_all(logs, allow_stub=True)
    page = Parts(html_report(joint, [Source("a b.kemps", logs[0]), Source("c.kemps", logs[1])]))
    assert b64decode(page.scripts["log"]) == seen.log
    assert "kemps audit --allow-simulated 'a b.kemps' c.kemps" in page.text
    assert "undecidable" in page.text


def test_what_is_no_log_has_no_page() -> None:
    with pytest.raises(ValueError, match="no"):
        html_report(audit_all([b"hello"]), [Source("x", b"hello")])


MARKUP = "</script><script>document.title='taken'</script>"


def test_a_name_of_markup_is_text(seen: Seen) -> None:
    # A name has 24 characters at most in play; a log of somebody else's program is shown no less safely.
    names = (MARKUP[:40], "<img src=x onerror=1>", "&lt;b&gt;", "'\"--><b>")
    one = replace(seen.audit, names=names)
    joint = replace(seen.joint, audits=(one,))
    text = html_report(joint, [Source(f"{MARKUP}.kemps", seen.log)])
    page = Parts(text)
    honest = page_of(seen)
    assert [tag for tag, _ in page.elements] == [tag for tag, _ in honest.elements]
    assert [attrs.keys() for _, attrs in page.elements] == [attrs.keys() for _, attrs in honest.elements]
    assert "<img src=x onerror=1> (seat 1)" in page.text
    assert page.data["seats"][1]["name"] == "<img src=x onerror=1>"
    assert "<" not in page.scripts["data"] + page.scripts["claims"]


def test_the_page_is_in_the_package() -> None:
    folder = resources.files("kemps_p2p.report") / "page"
    assert {each.name for each in folder.iterdir()} == {"page.html", "page.css", "page.js", "verify.js"}
