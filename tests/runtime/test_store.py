"""What an append-only file holds, and what is found in it again."""

import stat
from pathlib import Path

import msgpack  # type: ignore[import-untyped]
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from store_helpers import OBJECTS

from kemps_p2p.codec import encode
from kemps_p2p.errors import RuntimeFault
from kemps_p2p.runtime.store import AppendFile, Found, split_objects

HEADER = encode([1, "kemps", b"header"])

values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(), inner, max_size=5),
    max_leaves=20,
)
containers = st.binary() | st.lists(values, max_size=5) | st.dictionaries(st.text(), values, max_size=5)


def write(path: Path, *objects: bytes) -> None:
    file = AppendFile.open(path, header=HEADER)
    for each in objects:
        file.append(each)
    file.close()


def reopen(path: Path) -> Found:
    file = AppendFile.open(path, header=HEADER)
    file.close()
    return file.found


@settings(max_examples=60)
@given(st.lists(containers, max_size=5), st.data())
def test_any_objects_are_found_again_and_any_cut_tears_only_the_last(
    contents: list[object], data: st.DataObject
) -> None:
    encoded = [encode(each) for each in contents]
    whole = b"".join(encoded)
    assert split_objects(whole) == Found(tuple(encoded), b"")
    cut = data.draw(st.integers(0, len(whole)))
    found = split_objects(whole[:cut])
    assert b"".join(found.objects) + found.torn == whole[:cut]
    assert list(found.objects) == encoded[: len(found.objects)]
    assert len(found.torn) < len(encoded[len(found.objects)]) if found.torn else True


def test_what_is_appended_is_there_before_any_sync(tmp_path: Path) -> None:
    file = AppendFile.open(tmp_path / "journal", header=HEADER)
    for each in OBJECTS:
        file.append(each)
        assert (tmp_path / "journal").read_bytes().endswith(each)
    assert file.size == len(HEADER) + sum(map(len, OBJECTS))
    file.close()
    assert reopen(tmp_path / "journal") == Found((HEADER, *OBJECTS), b"")


def test_a_new_file_is_private_and_begins_with_its_header(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    write(path)
    assert path.read_bytes() == HEADER
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    AppendFile.open(tmp_path / "log", mode=0o640).close()
    assert (tmp_path / "log").read_bytes() == b""


@pytest.mark.parametrize("last", [OBJECTS[2], OBJECTS[5]])
def test_a_tail_torn_at_any_byte_is_cut_off_and_reported(tmp_path: Path, last: bytes) -> None:
    path = tmp_path / "journal"
    whole = HEADER + OBJECTS[1]
    for length in range(1, len(last)):
        path.write_bytes(whole + last[:length])
        file = AppendFile.open(path, header=HEADER)
        assert file.found == Found((HEADER, OBJECTS[1]), last[:length])
        file.append(OBJECTS[3])
        file.close()
        assert path.read_bytes() == whole + OBJECTS[3]


def test_a_torn_header_is_written_again(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    for length in range(len(HEADER)):
        path.write_bytes(HEADER[:length])
        assert reopen(path) == Found((), HEADER[:length])
        assert path.read_bytes() == HEADER


@pytest.mark.parametrize(
    ("tail", "reason"),
    [
        (b"\xc1", "not the start of an object"),
        (b"\x00" * 4096, "not the start of an object"),
        (b"hello", "not the start of an object"),
        (b"\xc0", "not the start of an object"),
        (b"\xa1x", "not the start of an object"),
        (b"\xd4\x01x", "not the start of an object"),
        (b"\x92\x01\xc1", "not an object"),
        (b"\xc6\xff\xff\xff\xff" + bytes(100), "longer than 65536"),
        (b"\xc6\x00\x00\xff\xfc", "longer than 65536"),
        (b"\xdd\xff\xff\xff\xff" + bytes(100), "longer than 65536"),
        (b"\xdf\x00\x00\x80\x00" + bytes(100), "longer than 65536"),
        (b"\x93\x01\xdb\x80\x00\x00\x00", "longer than 65536"),
        (b"\x91\xc9\x00\x01\x00\x00", "longer than 65536"),
        (b"\x91\xc6\x00\x01\x86\xa0" + bytes(100_000), "longer than 65536"),
        (b"\xdc\xff\xfe" + bytes(65534) + b"\x01" * 10, "longer than 65536"),
        (b"\x92" + b"\xc5\x80\x00" + bytes(32768) + b"\xc5\x80\x00" + bytes(32768), "longer than 65536"),
    ],
)
def test_anything_else_wrong_names_its_offset_and_changes_nothing(
    tmp_path: Path, tail: bytes, reason: str
) -> None:
    path = tmp_path / "journal"
    path.write_bytes(HEADER + OBJECTS[1] + tail)
    before = path.read_bytes()
    offset = len(HEADER) + len(OBJECTS[1])
    with pytest.raises(RuntimeFault) as caught:
        AppendFile.open(path, header=HEADER, object_bytes_max=65536)
    text = str(caught.value)
    assert text.startswith(f"{path}: byte {offset}: ")
    assert "\n" not in text
    assert path.read_bytes() == before
    assert reason in text


@pytest.mark.parametrize("content", [encode([2, "other"]), b"\x93\x02\xa1", OBJECTS[3] + HEADER])
def test_a_file_with_another_header_is_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "journal"
    path.write_bytes(content)
    with pytest.raises(RuntimeFault, match="another header"):
        AppendFile.open(path, header=HEADER)
    assert path.read_bytes() == content


def test_the_size_limit_of_objects_is_exact() -> None:
    data = encode([b"x" * 1000])
    assert split_objects(data, object_bytes_max=len(data)).objects == (data,)
    with pytest.raises(RuntimeFault, match=f"longer than {len(data) - 1}"):
        split_objects(data, object_bytes_max=len(data) - 1)


def test_every_kind_of_value_is_measured_as_an_independent_reader_does() -> None:
    bodies = [bytes([lead]) + bytes(40) for lead in range(256) if lead != 0xC1]
    for body in bodies:
        # The reader stops after one value; what it took of the body is the length to find.
        unpacker = msgpack.Unpacker(raw=True, strict_map_key=False, object_pairs_hook=list)
        unpacker.feed(b"\x91" + body)
        unpacker.skip()
        whole = (b"\x91" + body)[: unpacker.tell()]
        assert split_objects(whole) == Found((whole,), b"")
        assert split_objects(whole[:-1]) == Found((), whole[:-1])
