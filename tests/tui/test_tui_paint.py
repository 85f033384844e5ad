from hypothesis import given
from hypothesis import strategies as st

from kemps_p2p.tui.paint import Ink, Sheet, cells, clipped, plain_ascii

texts = st.text(st.characters(exclude_categories=["C", "Z", "M"]), max_size=30)


@given(st.integers(-10, 40), st.integers(-2, 6), texts, st.booleans())
def test_whatever_is_put_where_rows_keep_their_width(x: int, y: int, text: str, is_ascii: bool) -> None:
    sheet = Sheet(20, 4, is_ascii=is_ascii)
    sheet.put(3, 1, "中文字", Ink.TEXT)
    sheet.put(x, y, text, Ink.STRONG)
    sheet.put(12, 1, "中文", Ink.TEXT)
    for row in range(4):
        assert sum(cells(run) for run, _ in sheet.row(row)) == 20


@given(texts, st.integers(0, 12))
def test_a_clipped_text_fits(text: str, columns: int) -> None:
    assert cells(clipped(text, columns)) <= columns
    if cells(text) <= columns:
        assert clipped(text, columns) == text


@given(texts)
def test_ascii_is_ascii_and_as_wide(text: str) -> None:
    assert plain_ascii(text).isascii()
    assert cells(plain_ascii(text)) == cells(text)


def test_a_wide_character_is_never_cut_in_half() -> None:
    sheet = Sheet(5, 1, is_ascii=False)
    sheet.put(4, 0, "文")
    assert sheet.text() == ""
    sheet.put(0, 0, "文文")
    sheet.put(1, 0, "x")
    assert sum(cells(run) for run, _ in sheet.row(0)) == 5


def test_a_click_finds_what_was_drawn_last() -> None:
    sheet = Sheet(10, 2, is_ascii=False)
    sheet.zone(0, 0, 10, 2, "a")
    sheet.zone(2, 1, 3, 1, "b")
    assert sheet.key_at(2, 1) == "b"
    assert sheet.key_at(5, 1) == "a"
    assert sheet.key_at(2, 0) == "a"
    sheet.close_zones()
    assert sheet.key_at(2, 1) is None
