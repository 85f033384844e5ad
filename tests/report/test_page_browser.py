"""The page in a real browser (marker browser): opened from a file, without any network.

What is shown to whom is read back from what the browser draws, moment by moment.
"""

import json
import re
from base64 import b64decode, b64encode
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from chromium import Page, chromium, find_chromium
from report_helpers import CARD, Memory, Seen, short_rules, shown_to, watched_match

from kemps_p2p.codec import frame
from kemps_p2p.ids import Seat
from kemps_p2p.report.html_report import Source, html_report
from kemps_p2p.report.timeline import Timeline
from kemps_p2p.session.audit import audit_all
from kemps_p2p.wording.eyes import Wide

pytest_plugins = ("report_fixtures",)
pytestmark = pytest.mark.browser

PHONE, DESKTOP = (390, 844), (1280, 900)
MARKUP = (
    "</script><script>document.title='taken'</script>",
    "<img src=x onerror=1>",
    "&lt;b&gt;",
    "'\"--><b>",
)
OUTCOME = "document.getElementById('outcome').textContent"


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    program = find_chromium()
    assert program is not None, "tests marked browser need Chromium"
    with chromium(program, tmp_path_factory.mktemp("profile")) as page:
        yield page


@pytest.fixture(scope="module")
def path(seen: Seen, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(html_report(seen.joint, [Source("friday.kemps", seen.log)]), encoding="utf-8")
    return path


@pytest.fixture
def opened(tab: Page, path: Path) -> Iterator[Page]:
    """The page, newly opened; whatever happens to it, it fetches nothing and complains of nothing."""
    tab.resize(*DESKTOP)
    tab.prefer("light")
    tab.open(path)
    yield tab
    # What is saved from the page is a request to the page itself.
    assert [url for url in tab.requests if not url.startswith("blob:null/")] == [path.as_uri()]
    assert tab.complaints == []


SHOWN = """(eyes => {
    const select = document.getElementById("eyes"), scrub = document.getElementById("scrub");
    select.value = eyes;
    select.dispatchEvent(new Event("change"));
    const told = [];
    for (let at = 0; at <= Number(scrub.max); at += 1) {
        scrub.value = at;
        scrub.dispatchEvent(new Event("input"));
        const cards = {};
        for (const face of document.querySelectorAll("main .face:not(.back)"))
            cards[face.dataset.position] = face.textContent;
        const titles = Array.from(document.querySelectorAll(".mark:not(.ahead) title"), it => it.textContent);
        told.push({
            cards,
            hidden: document.querySelectorAll("main .face.back").length,
            text: document.querySelector("main").innerText + titles.join(" ") + scrub.ariaValueText,
        });
    }
    return told;
})"""


def test_a_seat_is_shown_what_its_view_shows_and_no_more(opened: Page, timeline: Timeline) -> None:
    for seat in map(Seat, range(timeline.seats)):
        memory = Memory(timeline, seat)
        told = opened.eval(f"{SHOWN}('{seat}')")
        assert len(told) == len(timeline.moments)
        for moment, shown in zip(timeline.moments, told, strict=True):
            view = timeline.perspective(seat, moment.index)
            assert {int(place): card for place, card in shown["cards"].items()} == shown_to(view)
            lying = len(view.pool) + sum(map(len, view.hands))
            assert shown["hidden"] == lying - len(shown_to(view))
            assert set(CARD.findall(shown["text"])) <= memory.names(moment.index)


def test_what_the_table_saw_and_all_hands(opened: Page, timeline: Timeline) -> None:
    memory = Memory(timeline, Wide.TABLE)
    for moment, shown in zip(timeline.moments, opened.eval(f"{SHOWN}('table')"), strict=True):
        assert set(CARD.findall(shown["text"])) <= memory.names(moment.index)
    for moment, shown in zip(timeline.moments, opened.eval(f"{SHOWN}('all')"), strict=True):
        game = moment.game
        assert len(shown["cards"]) == len(game.pool) + sum(map(len, game.hands))
        assert shown["hidden"] == 0


# Verify again


def verified(tab: Page) -> str:
    tab.eval("document.getElementById('check').click()")
    tab.until(f"{OUTCOME} && !document.getElementById('check').disabled")
    told = tab.eval("document.getElementById('verify').innerText")
    assert isinstance(told, str)
    return told


def test_verify_again_says_verified(opened: Page, seen: Seen) -> None:
    told = verified(opened)
    assert "✓ Verified: all " in told
    assert "✗" not in told
    entries = len(seen.audit.entries)
    assert f"{entries} entries are signed by the seat on duty, and each links to the one before." in told
    assert "The founding is signed by all 4 seats." in told
    assert "seats stand for the last entry, 3 are needed; Bot 0 signed the end." in told
    assert "Only kemps audit checks the rest" in told


def test_verify_again_knows_the_observer(tab: Page, observed: Seen, tmp_path: Path) -> None:
    path = tmp_path / "observed.html"
    path.write_text(html_report(observed.joint, [Source("x.kemps", observed.log)]), encoding="utf-8")
    tab.open(path)
    told = verified(tab)
    assert "✓ Verified" in told
    assert "The founding is signed by all 4 seats and the observer." in told
    tab.press("Home")
    tab.press("ArrowRight", shift=True)
    assert "the observer" in tab.eval("document.getElementById('words').textContent")


def verified_with(tab: Page, path: Path, seen: Seen, data: bytes | str) -> str:
    """What the check says if this is the log in the page."""
    page = path.read_text(encoding="utf-8")
    embedded = b64encode(seen.log).decode()
    assert page.count(embedded) == 1
    other = path.with_name("other.html")
    text = data if isinstance(data, str) else b64encode(data).decode()
    other.write_text(page.replace(embedded, text), encoding="utf-8")
    tab.open(other)
    told = verified(tab)
    assert tab.complaints == []
    return told


def test_verify_again_names_what_a_changed_byte_breaks(tab: Page, path: Path, seen: Seen) -> None:
    objects = frame(seen.log).objects
    starts = [sum(map(len, objects[:place])) for place in range(len(objects))]
    entry = len(objects) // 2
    places = {
        starts[1] + 200: r"first thing that does not hold: the founding: the signature of Bot \d does not",
        starts[entry] + 60: rf"first thing that does not hold: entry {entry - 1}: ",
        starts[entry] + len(objects[entry]) - 10: rf"entry {entry - 1}: the signature of .* does not hold",
        len(seen.log) - 5: r"the end of the log: the signature of Bot 0 does not hold",
    }
    for place, what in places.items():
        changed = bytearray(seen.log)
        changed[place] ^= 1
        told = verified_with(tab, path, seen, bytes(changed))
        assert "✗ Not verified." in told
        assert "✓" not in told
        assert re.search(what, told), told
        assert "its SHA-256 is not the one that this page names" in told


def test_verify_again_finds_what_is_left_out_moved_or_cut(tab: Page, path: Path, seen: Seen) -> None:
    objects = list(frame(seen.log).objects)
    half = len(objects) // 2
    left_out = b"".join(objects[:half] + objects[half + 1 :])
    assert f"entry {half - 1}: it says that it is entry {half}." in verified_with(tab, path, seen, left_out)
    moved = b"".join([*objects[:half], objects[half + 1], objects[half], *objects[half + 2 :]])
    told = verified_with(tab, path, seen, moved)
    assert f"entry {half - 1}: it does not link to the entry before it." in told
    told = verified_with(tab, path, seen, seen.log[: len(seen.log) // 2])
    assert "the page: it tells more entries than its log has." in told
    assert "the founding: it is not there: this is no log." in verified_with(tab, path, seen, b"hello")
    assert "is damaged and cannot be read at all" in verified_with(tab, path, seen, "ä")


def test_a_log_of_another_match_is_not_the_one_that_is_told(tab: Page, path: Path, seen: Seen) -> None:
    other = watched_match(short_rules(), 3)
    told = verified_with(tab, path, seen, other.log)
    assert "the page: it tells another match than its log." in told
    assert "signature" not in told.split("✗ Not verified.")[1].split("Only kemps audit")[0]


VECTORS = Path(__file__).parent.parent / "vectors" / "logs"
BREAKS = {
    "one-bit-of-a-signature.kemps",
    "one-bit-of-the-annex.kemps",
    "genesis-with-a-false-signature.kemps",
    "genesis-without-a-signature.kemps",
    "header-of-six-seats.kemps",
    "entries-exchanged.kemps",
    "entry-left-out.kemps",
    "entry-twice.kemps",
    "entry-that-links-elsewhere.kemps",
    "item-of-another-match.kemps",
    "item-signed-by-another-seat.kemps",
    "item-too-many-in-the-record.kemps",
    "item-twice-in-the-record.kemps",
    "item-that-does-not-link-to-the-one-before.kemps",
    "name-of-somebody-else.kemps",
    "annex-twice.kemps",
    "garbage-behind.kemps",
}
"""What a browser can see for itself, without the rules and the proofs."""


def test_every_vector_is_verified_just_if_the_audit_finds_it_clean(tab: Page, tmp_path: Path) -> None:
    vectors = json.loads((VECTORS / "index.json").read_text(encoding="utf-8"))["vectors"]
    path = tmp_path / "vector.html"
    told = {}
    for vector in vectors:
        log = (VECTORS / vector["file"]).read_bytes()
        joint = audit_all([log], allow_stub=vector["allow_stub"])
        assert joint.verdict.value == vector["verdict"]
        if joint.audits[0].founding is None:
            continue
        path.write_text(html_report(joint, [Source(vector["file"], log)]), encoding="utf-8")
        tab.open(path)
        verified(tab)
        told[vector["file"]] = tab.eval(OUTCOME)
        is_clean = vector["verdict"] == "clean"
        assert told[vector["file"]].startswith("✓ Verified: ") == is_clean, vector["file"]
        assert tab.complaints == [], vector["file"]
    assert told.keys() >= BREAKS
    assert [file for file in BREAKS if not told[file].startswith("✗ Not verified.")] == []


def test_a_browser_without_ed25519_says_so(tab: Page, path: Path, tmp_path: Path) -> None:
    # The policy allows no second script, so the browser itself is told to forget the algorithm.
    script = """{
        const real = SubtleCrypto.prototype.importKey;
        SubtleCrypto.prototype.importKey = function (format, key, algorithm, ...rest) {
            if (algorithm.name === "Ed25519")
                return Promise.reject(new DOMException("none", "NotSupportedError"));
            return real.call(this, format, key, algorithm, ...rest);
        };
    }"""
    added = tab.call("Page.addScriptToEvaluateOnNewDocument", source=script)["identifier"]
    try:
        tab.open(path)
        told = verified(tab)
    finally:
        tab.call("Page.removeScriptToEvaluateOnNewDocument", identifier=added)
    assert "◐ Half verified: every link holds. This browser cannot check Ed25519 signatures" in told
    assert "✓" not in told


# Keys, sizes, names


def test_keys_step_jump_and_change_eyes(opened: Page, timeline: Timeline) -> None:
    def at() -> int:
        return int(opened.eval("Number(document.getElementById('scrub').value)"))

    stops = sorted(mark.index for mark in (*timeline.calls, *timeline.races))
    opened.press("Home")
    assert at() == 0
    opened.press("ArrowRight")
    opened.press("ArrowRight")
    assert at() == 2
    opened.press("ArrowLeft")
    assert at() == 1
    opened.press("ArrowRight", shift=True)
    assert at() == stops[0]
    opened.press("ArrowRight", shift=True)
    assert at() == stops[1]
    opened.press("ArrowLeft", shift=True)
    assert at() == stops[0]
    opened.press("End")
    assert at() == len(timeline.moments) - 1
    for key, value in (("3", "2"), ("t", "table"), ("0", "all")):
        opened.press(key)
        assert opened.eval("document.getElementById('eyes').value") == value
    opened.press("Home")
    opened.press(" ")
    opened.until("Number(document.getElementById('scrub').value) >= 1")
    opened.press(" ")
    assert opened.eval("document.getElementById('play').textContent") == "Play"


def test_no_time_on_the_lanes_lies_over_another_or_over_the_edge(opened: Page, timeline: Timeline) -> None:
    for deal in timeline.deals:
        opened.eval(f"document.getElementById('scrub').value = {deal.index}")
        opened.eval("document.getElementById('scrub').dispatchEvent(new Event('input'))")
        told = opened.eval("""Array.from(document.querySelectorAll("svg .tick"), each => {
            const box = each.getBBox();
            return [each.textContent, box.x, box.x + box.width];
        })""")
        width = opened.eval("document.querySelector('#scroll svg').width.baseVal.value")
        edges = [0, *(edge for _, *box in told for edge in box), width]
        assert len(told) > 1
        assert edges == sorted(edges)
        assert len({clock for clock, *_ in told}) == len(told)


def test_everything_can_be_reached_by_tab_and_has_a_name(opened: Page) -> None:
    nameless = opened.eval("""Array.from(document.querySelectorAll("button, select, input"))
        .filter(each => !(each.ariaLabel || each.textContent.trim() || each.labels?.length)).length""")
    assert nameless == 0
    unreachable = opened.eval(
        """document.querySelectorAll("main [tabindex='-1']:not(h2), main [disabled]").length"""
    )
    assert unreachable == 0


@pytest.mark.parametrize("size", [PHONE, DESKTOP, (320, 700)], ids=["phone", "desktop", "narrow"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_sticks_out_and_every_text_can_be_read(
    opened: Page, size: tuple[int, int], scheme: str
) -> None:
    opened.resize(*size, is_phone=size != DESKTOP)
    opened.prefer(scheme)
    assert opened.eval("document.documentElement.scrollWidth") <= size[0]
    faint = opened.eval(CONTRASTS)
    assert faint == []


CONTRASTS = """(() => {
    // Texts whose contrast against what lies behind them is below 4.5 to 1; those yet to happen may be dim.
    const rgba = text => (text.match(/[0-9.]+/g) ?? []).map(Number);
    const light = ([r, g, b]) => [r, g, b].map(c => c / 255)
        .map(c => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
        .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
    const behind = element => {
        for (let each = element; each; each = each.parentElement) {
            const colour = rgba(getComputedStyle(each).backgroundColor);
            if (colour.length === 3 || colour[3] === 1) return colour;
        }
        return [255, 255, 255];
    };
    const faint = [];
    for (const element of document.querySelectorAll("body *:not(script):not(style):not(svg *)")) {
        const own = Array.from(element.childNodes).some(it => it.nodeType === 3 && it.textContent.trim());
        if (!own || !element.checkVisibility()) continue;
        if (element.closest(".later, .face.back, noscript, .skip")) continue;
        const [a, b] = [light(rgba(getComputedStyle(element).color)), light(behind(element))];
        const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        if (contrast < 4.5) faint.push([element.tagName, element.className, contrast]);
    }
    return faint;
})()"""


def test_a_name_of_markup_is_shown_as_text(tab: Page, seen: Seen, tmp_path: Path) -> None:
    joint = replace(seen.joint, audits=(replace(seen.audit, names=MARKUP),))
    path = tmp_path / "markup.html"
    path.write_text(html_report(joint, [Source("x.kemps", seen.log)]), encoding="utf-8")
    tab.open(path)
    names = tab.eval("Array.from(document.querySelectorAll('.seat .name'), each => each.textContent)")
    assert names[1:] == list(MARKUP[1:])
    assert names[0].startswith("</script><script>document.title=")
    assert tab.eval("document.title").startswith("Kemps: clean")
    assert tab.eval("document.querySelectorAll('img, b:not(b)').length") == 0
    assert tab.requests == [path.as_uri()]
    assert tab.complaints == []


def test_the_policy_stops_whatever_would_be_put_in(tab: Page, path: Path, tmp_path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    harmed = tmp_path / "harmed.html"
    harmed.write_text(
        text.replace(
            "<main", "<img src='http://127.0.0.1:9/x.png'><script>document.title='taken'</script><main"
        ),
        encoding="utf-8",
    )
    tab.open(harmed)
    assert tab.eval("document.title").startswith("Kemps: clean")
    assert not [url for url in tab.requests if url.startswith("http")]
    blocked: Any = tab.eval("fetch('http://127.0.0.1:9/').then(() => 'out', () => 'blocked')")
    assert blocked == "blocked"
    assert any("Content Security Policy" in each for each in tab.complaints)


def test_the_log_can_be_saved_from_the_page(opened: Page, seen: Seen, tmp_path: Path) -> None:
    opened.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    opened.eval("document.getElementById('save').click()")
    opened.until("true")
    saved = tmp_path / "friday.kemps"
    for _ in range(1000):
        if saved.exists() and saved.read_bytes() == seen.log:
            break
        opened.until("true")
    assert saved.read_bytes() == seen.log


def test_the_embedded_log_is_the_one_that_was_audited(opened: Page, seen: Seen) -> None:
    assert b64decode(opened.eval("document.getElementById('log').textContent")) == seen.log
