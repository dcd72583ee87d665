"""`snooze.write_lines`: destinations, options, types, wrong producers.

The producers are made by hand (`helpers.arrow_made`), or are scans. tests/engines has
the same with pyarrow, against `to_pylist` and `json`.
"""

from __future__ import annotations

import errno
import gzip
import io
import json
import struct
import sys
import threading
from typing import TYPE_CHECKING, Any, TypedDict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import snooze
from helpers.arrow_made import (
    LONG,
    Node,
    Producer,
    bits,
    lines,
    table,
    texts,
    view,
    words,
    written,
)
from snooze._scan.writing import lines_of

if TYPE_CHECKING:
    import pathlib

TEXT = b'{"a":1,"b":{"c":["x",null,"\xc3\xa9\\n"],"d":null}}\n{"a":null,"b":null}\n'


def column(node: Node, **options: Any) -> bytes:
    """The lines of one column; all that the producer gave away was released once."""
    found = []
    for as_array in (False, True):
        producer = Producer(table(node), as_array=as_array)
        found.append(written(producer, **options))
        assert producer.is_released()
    assert found[0] == found[1]
    return found[0]


def values(node: Node, **options: Any) -> list[str]:
    """The texts of the values of one column."""
    return [line[5:-1] for line in column(node, **options).decode().splitlines()]


def test_what_was_scanned_is_written() -> None:
    assert written(snooze.scan(TEXT)) == TEXT
    omitted = b'{"a":1,"b":{"c":["x",null,"\xc3\xa9\\n"]}}\n{}\n'
    assert written(snooze.scan(TEXT), nulls="omit") == omitted


def test_one_batch_is_a_source() -> None:
    batch = next(iter(snooze.scan(b'{"a":1}')))
    assert written(batch) == b'{"a":1}\n'
    with pytest.raises(ValueError, match="was taken before"):
        written(batch)


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_paths(tmp_path: pathlib.Path, suffix: str) -> None:
    path = tmp_path / f"out.ndjson{suffix}"
    assert snooze.write_lines(snooze.scan(TEXT), path) == 2
    assert snooze.write_lines(snooze.scan(TEXT), str(path)) == 2
    found = path.read_bytes()
    assert (gzip.decompress(found) if suffix else found) == TEXT
    assert written(snooze.scan(path)) == TEXT
    assert list(tmp_path.iterdir()) == [path]


def test_a_failure_leaves_the_file_as_it_was(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "out.ndjson"
    path.write_bytes(b"before")
    scan = snooze.scan(b'{"a": 1}\n' * 30_000 + b"wrong", snooze.scan(b'{"a": 1}'))
    with pytest.raises(snooze.ScanError, match="line 30001") as caught:
        snooze.write_lines(scan, path)
    assert caught.value.problem is not None
    assert path.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [path]
    producer = Producer(table(Node("l", 1, [None, words("q", 1)])))
    with pytest.raises(FileNotFoundError):
        snooze.write_lines(producer, tmp_path / "no" / "file")
    assert producer.is_released()


def test_handles(tmp_path: pathlib.Path) -> None:
    text = io.StringIO()
    assert snooze.write_lines(snooze.scan(TEXT), text) == 2
    assert text.getvalue().encode() == TEXT
    with (tmp_path / "raw").open("wb", buffering=0) as file:
        snooze.write_lines(snooze.scan(TEXT), file)
    assert (tmp_path / "raw").read_bytes() == TEXT

    class Slow(io.RawIOBase):
        """Takes three bytes at a time."""

        taken = b""

        def write(self, text: Any) -> int:
            self.taken += bytes(text[:3])
            return len(text[:3])

    slow = Slow()
    assert snooze.write_lines(snooze.scan(TEXT), slow) == 2  # type: ignore[arg-type]
    assert slow.taken == TEXT


def test_a_handle_that_fails_releases_the_producer() -> None:
    class Full:
        def write(self, _: bytes) -> None:
            raise OSError(errno.ENOSPC, "full")

    producer = Producer(table(Node("l", 1, [None, words("q", 1)])))
    with pytest.raises(OSError, match="full"):
        snooze.write_lines(producer, Full())  # type: ignore[arg-type]
    assert producer.is_released()
    assert producer.given["array"] == 1


def test_wrong_arguments(tmp_path: pathlib.Path) -> None:
    scan = snooze.scan(TEXT)
    with pytest.raises(TypeError, match="__arrow_c_stream__ or .*found list"):
        written([{"a": 1}])
    with pytest.raises(TypeError, match="found a class"):
        written(snooze.Scan)
    with pytest.raises(TypeError, match=r"path .* or an open file"):
        snooze.write_lines(scan, 1)  # type: ignore[arg-type]
    for option in ("nulls", "nan", "decimal"):
        with pytest.raises(ValueError, match=f"{option}: expected .* found 'no'"):
            written(scan, **{option: "no"})
    with pytest.raises(TypeError, match="expected a table"):
        written(Producer(Node("l", 1, [None, words("q", 1)])))
    with pytest.raises(TypeError, match="PyCapsule"):
        written(type("Wrong", (), {"__arrow_c_stream__": lambda _: 1})())


def test_nothing_is_written_as_nothing() -> None:
    assert written(snooze.scan(b"")) == b""
    assert written(Producer(table(length=0))) == b""
    assert written(Producer(table(length=3))) == b"{}\n{}\n{}\n"
    empty = table(Node("u", 0, [None, None, None]))
    some = table(Node("u", 1, [None, *texts("y")]))
    assert written(Producer(empty, some, empty)) == b'{"x":"y"}\n'


def test_rows_that_are_null_are_null() -> None:
    inner = Node("l", 2, [None, words("q", 1, 2)])
    rows = Node("+s", 2, [bits(False, True)], [inner], name="")
    assert written(Producer(rows)) == b'null\n{"x":2}\n'


NUMBERS = [
    ("c", "b", [-128, 127]),
    ("s", "h", [-(2**15), 1]),
    ("i", "i", [-(2**31), 2**31 - 1]),
    ("l", "q", [-(2**63), 2**63 - 1]),
    ("C", "B", [0, 255]),
    ("S", "H", [0, 2**16 - 1]),
    ("I", "I", [0, 2**32 - 1]),
    ("L", "Q", [0, 2**64 - 1]),
    ("e", "e", [0.5, -2.0]),
    ("f", "f", [0.5, 1e20]),
    ("g", "d", [0.1, -1e300]),
]


@pytest.mark.parametrize(("form", "code", "numbers"), NUMBERS)
def test_numbers(form: str, code: str, numbers: list[Any]) -> None:
    node = Node(form, 2, [None, words(code, *numbers)])
    assert [json.loads(one) for one in values(node)] == numbers
    shifted = Node(form, 1, [bits(True, False), words(code, *numbers)], offset=1)
    assert values(shifted) == ["null"]


def test_floats_that_json_does_not_have() -> None:
    for form, code in (("e", "e"), ("f", "f"), ("g", "d")):
        for value in (float("nan"), float("inf"), -float("inf")):
            node = Node(form, 1, [None, words(code, value)])
            assert values(node) == ["null"]
            with pytest.raises(ValueError, match="column x has NaN or an infinity"):
                values(node, nan="error")


def test_nulls_with_a_buffer() -> None:
    """Polars gives a column of nulls one, and nothing reads it."""
    for buffers in ([], [None], [b"x"]):
        assert values(Node("n", 2, buffers)) == ["null", "null"]


def test_bools_and_nulls() -> None:
    flags = bits(*[False] * 9, True, False, True)
    node = Node("b", 3, [bits(*[True] * 11, False), flags], offset=9)
    assert values(node) == ["true", "false", "null"]
    assert values(Node("n", 2)) == ["null", "null"]
    assert column(Node("n", 2), nulls="omit") == b"{}\n{}\n"


@pytest.mark.parametrize("is_binary", [False, True])
def test_texts_and_bytes(is_binary: bool) -> None:
    all_texts = ["", "é\n", LONG]
    views = b"".join(view(text) for text in all_texts)
    raw = LONG.encode()
    nodes = [
        Node("z" if is_binary else "u", 3, [None, *texts(*all_texts)]),
        Node("Z" if is_binary else "U", 3, [None, *texts(*all_texts, code="q")]),
        Node("vz" if is_binary else "vu", 3, [None, views, raw, words("q", len(raw))]),
    ]
    for node in nodes:
        found = [json.loads(one) for one in values(node)]
        if is_binary:
            assert found == ["", "w6kK", snooze.loads(snooze.encode(raw))]
        else:
            assert found == all_texts


def test_fixed_bytes_and_uuids() -> None:
    assert values(Node("w:2", 1, [None, b"abcd"], offset=1)) == ['"Y2Q="']
    assert values(Node("w:0", 1, [None, b""])) == ['""']
    uuid = bytes(range(16))
    node = Node("w:16", 1, [None, uuid], extension="arrow.uuid")
    assert values(node) == ['"00010203-0405-0607-0809-0a0b0c0d0e0f"']
    assert values(Node("w:16", 1, [None, uuid])) == ['"AAECAwQFBgcICQoLDA0ODw=="']


def test_json_is_checked_and_stays_on_its_line() -> None:
    def json_of(text: str | bytes) -> list[str]:
        return values(Node("u", 1, [None, *texts(text)], extension="arrow.json"))

    assert json_of('{"a": [1.50, 2]}') == ['{"a": [1.50, 2]}']
    assert json_of(' [1,\r\n {"a\\n": "é"}] ') == ['[1,{"a\\n":"é"}]']
    for wrong in ("", "[1,]", "NaN", "1 2", b'"\xff"', "[" * 2000 + "]" * 2000):
        with pytest.raises(ValueError, match="column x has a text that is not JSON"):
            json_of(wrong)


def test_an_extension_is_of_the_values_of_dictionaries_and_runs() -> None:
    text = Node("u", 2, [None, *texts('{"a": 1}', "[2]")])
    ends = Node("i", 2, [None, words("i", 1, 3)], name="run_ends")
    uuid = Node("w:16", 1, [None, bytes(16)])
    json_type, uuid_type = "arrow.json", "arrow.uuid"
    index = Node("c", 2, [None, b"\1\0"], dictionary=text, extension=json_type)
    assert values(index) == ["[2]", '{"a": 1}']
    runs = Node("+r", 3, [], [ends, text], extension=json_type)
    assert values(runs) == ['{"a": 1}', "[2]", "[2]"]
    runs = Node("+r", 3, [], [ends, index])
    assert values(runs) == ["[2]", '{"a": 1}', '{"a": 1}']
    index = Node("c", 1, [None, b"\0"], dictionary=uuid, extension=uuid_type)
    assert values(index) == ['"00000000-0000-0000-0000-000000000000"']
    # The items of a list have types of their own.
    items = Node("+l", 1, [None, words("i", 0, 2)], [text], extension=json_type)
    assert values(items) == [r'["{\"a\": 1}","[2]"]']


TIMES = [
    ("tdD", "i", 20_000, "2024-10-04"),
    ("tdm", "q", 20_000 * 86_400_000, "2024-10-04"),
    ("tts", "i", 3661, "01:01:01"),
    ("ttm", "i", 3_661_001, "01:01:01.001000"),
    ("ttu", "q", 1, "00:00:00.000001"),
    ("ttn", "q", 1, "00:00:00.000000001"),
    ("tss:", "q", -1, "1969-12-31T23:59:59"),
    ("tsm:UTC", "q", 1, "1970-01-01T00:00:00.001000+00:00"),
    ("tsu:+01:30", "q", 0, "1970-01-01T01:30:00+01:30"),
    ("tsu:-0100", "q", 0, "1969-12-31T23:00:00-01:00"),
    ("tsn:Europe/Paris", "q", 1, "1970-01-01T00:00:00.000000001+00:00"),
    ("tDs", "q", 90_061, "P1DT1H1M1S"),
    ("tDm", "q", -1500, "-PT1.5S"),
    ("tDu", "q", 0, "PT0S"),
    ("tDn", "q", 1, "PT0.000000001S"),
]


@pytest.mark.parametrize(("form", "code", "value", "expected"), TIMES)
def test_times(form: str, code: str, value: int, expected: str) -> None:
    assert values(Node(form, 1, [None, words(code, value)])) == [f'"{expected}"']


@pytest.mark.parametrize(
    ("form", "code", "value", "reason"),
    [
        ("tdD", "i", 2**31 - 1, "year is not 0 to 9999"),
        ("tdm", "q", 1, "not the start of a day"),
        ("tts", "i", 86_400, "not within a day"),
        ("ttn", "q", -1, "not within a day"),
        ("tss:", "q", 2**62, "year is not 0 to 9999"),
    ],
)
def test_times_that_have_no_text(form: str, code: str, value: int, reason: str) -> None:
    with pytest.raises(ValueError, match=f"column x has .*{reason}"):
        values(Node(form, 1, [None, words(code, value)]))


def test_decimals() -> None:
    for form, size in (
        ("d:9,2,32", 4),
        ("d:18,2,64", 8),
        ("d:38,2", 16),
        ("d:76,2,256", 32),
    ):
        raw = b"".join(
            one.to_bytes(size, sys.byteorder, signed=True) for one in (-1, 12345, 0)
        )
        node = Node(form, 3, [None, raw])
        assert values(node) == ["-0.01", "123.45", "0.00"]
        assert values(node, decimal="str") == ['"-0.01"', '"123.45"', '"0.00"']
    node = Node("d:5,-2", 1, [None, (7).to_bytes(16, sys.byteorder)])
    assert values(node) == ["700"]


NUMBER = Node("l", 5, [bits(True, True, False, True, True), words("q", 1, 2, 3, 4, 5)])


def test_lists() -> None:
    nodes = [
        Node("+l", 3, [None, words("i", 0, 1, 1, 5)], [NUMBER]),
        Node("+L", 3, [None, words("q", 0, 1, 1, 5)], [NUMBER]),
        Node("+vl", 3, [None, words("i", 0, 9, 1), words("i", 1, 0, 4)], [NUMBER]),
        Node("+vL", 3, [None, words("q", 0, 9, 1), words("q", 1, 0, 4)], [NUMBER]),
    ]
    nodes[2].buffers = [None, words("i", 0, 0, 1), words("i", 1, 0, 4)]
    nodes[3].buffers = [None, words("q", 0, 0, 1), words("q", 1, 0, 4)]
    for node in nodes:
        assert values(node) == ["[1]", "[]", "[2,null,4,5]"]
    assert values(
        Node("+l", 1, [None, words("i", 0, 1, 1, 5)], [NUMBER], offset=2)
    ) == ["[2,null,4,5]"]
    assert values(Node("+w:2", 1, [None], [NUMBER], offset=1)) == ["[null,4]"]
    assert values(Node("+w:0", 2, [None], [NUMBER])) == ["[]", "[]"]


def test_maps() -> None:
    keys = Node("u", 2, [None, *texts("a", 'b"')], name="key")
    inner = Node("l", 2, [bits(True, False), words("q", 1, 2)], name="value")
    entries = Node("+s", 2, [None], [keys, inner], name="entries")
    node = Node("+m", 2, [None, words("i", 0, 2, 2)], [entries])
    assert values(node, nulls="omit") == ['{"a":1,"b\\"":null}', "{}"]
    numbers = Node("l", 2, [None, words("q", 7, 8)], name="key")
    entries = Node("+s", 2, [None], [numbers, inner], name="entries")
    node = Node("+m", 2, [None, words("i", 0, 2, 2)], [entries])
    assert values(node) == ["[[7,1],[8,null]]", "[]"]
    keys = Node("u", 1, [bits(False), *texts("a")], name="key")
    entries = Node("+s", 1, [None], [keys, inner], name="entries")
    with pytest.raises(ValueError, match="a map with a key that is null"):
        values(Node("+m", 1, [None, words("i", 0, 1)], [entries]))


def test_dictionaries_runs_and_unions() -> None:
    names = Node("u", 2, [bits(True, False), *texts("a", "b")])
    for form, code in (("c", "b"), ("S", "H"), ("l", "q"), ("L", "Q")):
        node = Node(
            form, 3, [bits(True, True, False), words(code, 1, 0, 0)], dictionary=names
        )
        assert values(node) == ["null", '"a"', "null"]
    ends = Node("i", 2, [None, words("i", 2, 5)], name="run_ends")
    node = Node("+r", 3, [], [ends, names], offset=1)
    assert values(node) == ['"a"', "null", "null"]
    number = Node("l", 2, [None, words("q", 7, 8)])
    dense = Node(
        "+ud:0,5", 3, [words("b", 5, 0, 5), words("i", 1, 0, 0)], [names, number]
    )
    assert values(dense) == ["8", '"a"', "7"]
    sparse = Node("+us:0,5", 1, [words("b", 0, 5)], [names, number], offset=1)
    assert values(sparse) == ["8"]
    assert (
        column(Node("c", 1, [None, b"\1"], dictionary=names), nulls="omit") == b"{}\n"
    )


def nested(depth: int) -> Node:
    """A list of lists of … integers."""
    node = Node("l", 1, [None, words("q", 1)])
    for _ in range(depth):
        node = Node("+l", 1, [None, words("i", 0, 1)], [node])
    return node


def test_depth_is_limited() -> None:
    assert values(nested(60)) == ["[" * 60 + "1" + "]" * 60]
    with pytest.raises(TypeError, match="deeper than 64"):
        values(nested(70))


@pytest.mark.parametrize(
    "form", ["tiM", "tiD", "tin", "d:9", "d:9,200", "+x", "", "w:-1", "+us:0,0"]
)
def test_an_unsupported_type_names_its_column(form: str) -> None:
    inner = Node(form, 1, [None, b"12345678"], name="inner")
    outer = Node("+s", 1, [None], [inner], name="outer")
    producer = Producer(table(outer))
    with pytest.raises(TypeError, match=r"the column outer\.inner has the Arrow type"):
        written(producer)
    assert producer.is_released()


def test_two_columns_of_one_name_are_refused() -> None:
    one = Node("l", 1, [None, words("q", 1)])
    with pytest.raises(ValueError, match="two columns have the name x"):
        written(Producer(table(one, one)))


def test_a_large_batch_is_cut() -> None:
    count = 200_000
    numbers = struct.pack(f"={count}q", *range(count))
    producer = Producer(table(Node("l", count, [None, numbers])))
    sizes = []

    class File:
        text = b""

        def write(self, text: bytes) -> None:
            sizes.append(len(text))
            self.text += text

    file = File()
    assert snooze.write_lines(producer, file) == count  # type: ignore[arg-type]
    assert file.text == lines(b'{"x":%d}' % one for one in range(count))
    assert max(sizes) < 600_000
    assert len(sizes) < 60


def test_other_threads_run_meanwhile() -> None:
    source = snooze.scan(TEXT * 50_000, snooze.scan(TEXT), threads=1)
    found = []
    threads = [
        threading.Thread(target=lambda: found.append(len(written(source))))
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [len(TEXT) * 50_000] * 3


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.text(
                st.characters(exclude_categories=["Cs"], exclude_characters="\0"),
                max_size=5,
            ),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)
members = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=4
)


@settings(deadline=None)
@given(st.lists(st.dictionaries(members, json_values, max_size=4), max_size=8))
def test_scan_write_scan(records: list[dict[str, Any]]) -> None:
    text = lines(json.dumps(record).encode() for record in records)
    scan = snooze.scan(text)
    again = written(scan)
    assert written(snooze.scan(again, scan)) == again
    omitted = written(scan, nulls="omit")
    assert written(snooze.scan(omitted, scan)) == again


def test_a_scan_without_rows_can_be_interrupted() -> None:
    """Lines come in parts also where no record passes: Python code runs between them."""
    text = b'{"i":1}\n' * 100_000
    for schema in (None, TypedDict("Row", {"i": int})):
        scan = snooze.scan(text, schema, where="i < 0", batch_bytes=1 << 16)
        parts = list(lines_of(scan))
        assert len(parts) > 5
        assert set(parts) == {(b"", 0)}
    assert written(scan) == b""
