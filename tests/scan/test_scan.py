"""`snooze.scan`: schemas, options, errors, sources, parts."""

from __future__ import annotations

import dataclasses
import datetime as dt
import decimal
import enum
import gzip
import io
import mmap
import os
import pathlib
import pickle
import random
import threading
import time
import tracemalloc
import uuid
from typing import Annotated, Any, Literal, NotRequired, TypedDict

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import snooze
from helpers.arrow_made import Node, Producer, table
from helpers.arrow_rows import Json, StreamError, batches, rows


class Color(enum.Enum):
    """An enum of strings."""

    RED = "red"


class Tag(TypedDict):
    """A member that may be missing."""

    name: str
    weight: NotRequired[float]


@attrs.define
class Owner:
    """An attrs class."""

    login: str
    id: int


@dataclasses.dataclass
class Event:
    """A field of each kind."""

    id: uuid.UUID
    at: dt.datetime
    local: Annotated[dt.datetime, snooze.Naive]
    day: dt.date
    amount: decimal.Decimal
    count: int
    ratio: float
    ok: bool
    text: str
    data: bytes
    color: Color
    level: Literal["low", "high"]
    tags: list[Tag]
    scores: dict[str, int]
    owner: Owner
    note: str | None = None
    either: int | str | None = None
    raw: snooze.Raw | None = None
    other: Any = None
    renamed: Annotated[int | None, snooze.Field(name="re-named")] = None


EVENT = snooze.dumps(
    {
        "id": "12345678-1234-5678-1234-567812345678",
        "at": "2026-11-23T12:00:00.25+01:00",
        "local": "2026-11-23T12:00:00",
        "day": "2026-11-23",
        "amount": 12.5,
        "count": 7,
        "ratio": 1,
        "ok": True,
        "text": "é\n",
        "data": "AP8=",
        "color": "red",
        "level": "low",
        "tags": [{"name": "a"}, {"name": "b", "weight": 2.5}],
        "scores": {"x": 1, "y": 2},
        "owner": {"login": "me", "id": 5, "unknown": [1]},
        "either": "text",
        "raw": {"a": [1, 2]},
        "other": [None],
        "re-named": 3,
    }
)
EXPECTED = {
    "id": uuid.UUID("12345678-1234-5678-1234-567812345678"),
    "at": dt.datetime(2026, 11, 23, 11, 0, 0, 250000, tzinfo=dt.UTC),
    "local": dt.datetime(2026, 11, 23, 12),
    "day": dt.date(2026, 11, 23),
    "amount": decimal.Decimal("12.500000000"),
    "count": 7,
    "ratio": 1.0,
    "ok": True,
    "text": "é\n",
    "data": b"\x00\xff",
    "color": "red",
    "level": "low",
    "tags": [{"name": "a", "weight": None}, {"name": "b", "weight": 2.5}],
    "scores": {"x": 1, "y": 2},
    "owner": {"login": "me", "id": 5},
    "note": None,
    "either": Json("text"),
    "raw": Json({"a": [1, 2]}),
    "other": Json([None]),
    "re-named": 3,
}


def test_a_class_is_a_schema() -> None:
    scan = snooze.scan(EVENT, Event)
    assert rows(scan) == [EXPECTED]
    assert scan.columns["at"] == "timestamp[us, UTC]"
    assert scan.columns["tags"] == "list<struct<name: utf8, weight: float64>>"
    assert scan.columns["scores"] == "map<utf8, int64>"
    assert scan.columns["id"] == "arrow.uuid"


def test_a_missing_member_is_an_error_unless_it_may_be_missing() -> None:
    with pytest.raises(snooze.ScanError, match='expected member "id"') as caught:
        list(snooze.scan(b'{"login":"x"}', Owner))
    assert caught.value.problem is not None
    assert caught.value.problem.found == "no such member"
    assert rows(snooze.scan(b'{"name":"x"}', Tag)) == [{"name": "x", "weight": None}]


class Tree(TypedDict):
    """A recursive class."""

    value: int
    children: list[Tree]


def test_a_recursive_class_ends_in_json_text() -> None:
    scan = snooze.scan(b'{"value":1,"children":[{"value":2,"children":[]}]}', Tree)
    inner = Json({"value": 2, "children": []})
    assert rows(scan) == [{"value": 1, "children": [inner]}]


@pytest.mark.parametrize(
    ("annotation", "text"),
    [(dt.timedelta, "Bad.x: JSON is not read into columns"), (object(), "Bad.x")],
)
def test_a_type_without_a_column_is_named(annotation, text) -> None:
    bad = dataclasses.make_dataclass("Bad", [("x", annotation)])
    with pytest.raises(TypeError, match=text):
        snooze.scan(b"", bad)


@pytest.mark.parametrize("schema", [int, 5, list[int], "x"])
def test_no_schema(schema) -> None:
    with pytest.raises(TypeError, match="schema: expected a"):
        snooze.scan(b"", schema)


class Borrowed:
    """An object whose schema is that of a scan."""

    def __init__(self, scan: snooze.Scan) -> None:
        self.scan = scan

    def __arrow_c_schema__(self) -> Any:
        return self.scan.__arrow_c_schema__()


def test_an_arrow_schema_is_a_schema() -> None:
    first = snooze.scan(EVENT, Event)
    second = snooze.scan(EVENT, Borrowed(first))
    assert second.columns == first.columns
    assert rows(second) == [EXPECTED]
    with pytest.raises(TypeError, match="PyCapsule"):
        snooze.scan(b"", type("Bad", (), {"__arrow_c_schema__": lambda self: 5})())


@pytest.mark.parametrize("form", ["u", "U"])
def test_json_in_an_arrow_schema_is_json_text(form) -> None:
    column = Node(form, 0, name="a", extension="arrow.json")
    items = Node("+l", 0, [], [Node(form, 0, extension="arrow.json")], name="b")
    made = Producer(table(column, items), as_array=True)

    class Given:
        def __arrow_c_schema__(self) -> Any:
            return made.__arrow_c_array__()[0]

    scan = snooze.scan(b'{"a": {"x" : 1.50}, "b": [1, "x"]}', Given())
    assert scan.columns == {"a": "arrow.json", "b": "list<arrow.json>"}
    assert rows(scan) == [{"a": Json({"x": 1.5}), "b": [Json(1), Json("x")]}]
    file = io.BytesIO()
    snooze.write_lines(scan, file)
    assert file.getvalue() == b'{"a":{"x" : 1.50},"b":[1,"x"]}\n'


def test_columns_are_chosen_and_ordered() -> None:
    text = b'{"a":1,"b":{"c":2,"d":3},"e":4}\n{"e":5,"new":6}'
    for options in ({}, {"drift": "error"}, {"check": "read"}):
        scan = snooze.scan(text, columns=["e", "a"], **options)
        assert list(scan.columns) == ["e", "a"]
        assert rows(scan) == [{"e": 4, "a": 1}, {"e": 5, "a": None}]
    scan = snooze.scan(text, columns=["e"], drift="rest")
    assert rows(scan) == [{"e": 4, "_rest": None}, {"e": 5, "_rest": None}]
    for schema in (None, Owner):
        with pytest.raises(ValueError, match="columns: no .* has 'x'"):
            snooze.scan(text, schema, columns=["x"]).columns  # noqa: B018
    assert snooze.scan(b"", columns=["x"]).columns == {"x": "null"}


def test_drift_with_a_schema() -> None:
    text = b'{"login":"x","id":1,"more":2}'
    assert rows(snooze.scan(text, Owner)) == [{"login": "x", "id": 1}]
    with pytest.raises(snooze.ScanError, match='found member "more" at /more'):
        list(snooze.scan(text, Owner, drift="error"))
    expected = {"login": "x", "id": 1, "_rest": Json({"/more": 2})}
    assert rows(snooze.scan(text, Owner, drift="rest")) == [expected]
    closed = snooze.configure(unknown="forbid")(type("Closed", (), {}))
    closed.__annotations__ = {"id": int}
    closed = dataclasses.dataclass(closed)
    with pytest.raises(snooze.ScanError, match="only members of the schema"):
        list(snooze.scan(b'{"id":1,"more":2}', closed))


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"errors": "ignore"}, "errors: expected 'raise', 'skip', 'null'"),
        ({"drift": "x"}, "drift: expected None, 'widen'"),
        ({"check": "none"}, "check: expected 'all' or 'read'"),
        ({"drift": "ignore"}, "needs a schema"),
        ({"schema": Owner, "drift": "widen"}, "is for inferred schemas"),
        ({"threads": 0}, "threads: expected 1 to 1024, found 0"),
        ({"batch_bytes": 0}, "batch_bytes: expected 1 to"),
        ({"batch_bytes": 1 << 31}, "batch_bytes: expected 1 to"),
    ],
)
def test_wrong_options(options, text) -> None:
    with pytest.raises(ValueError, match=text):
        snooze.scan(b"", options.pop("schema", None), **options)
    with pytest.raises(TypeError, match="columns: expected several names"):
        snooze.scan(b"", columns="abc")
    with pytest.raises(TypeError, match="columns: expected str, found int"):
        snooze.scan(b"", columns=[1])


def test_names_that_no_column_can_have() -> None:
    with pytest.raises(ValueError, match=r"U\+0000"):
        list(snooze.scan(b'{"\\u0000":1}'))
    with pytest.raises(ValueError, match="_rest"):
        list(snooze.scan(b'{"_rest":1}', drift="rest"))


WRONG = b'{"a":1}\n{"a":"x","b":[1,null,"y"]}\n{"a":3,"b":[2]\n\n{"a":4,"b":[]}\n'


class Loose(TypedDict):
    """Members that may be null."""

    a: int | None
    b: list[int | None] | None


def test_policies_for_wrong_records() -> None:
    schema = Loose
    for threads in (1, 2):
        options = {"threads": threads, "batch_bytes": 20}
        skip = snooze.scan(WRONG, schema, errors="skip", **options)
        assert rows(skip) == [{"a": 1, "b": None}, {"a": 4, "b": []}]
        assert skip.problem_count == 2
        assert [one.line for one in skip.problems] == [2, 3]
        assert skip.problems[0][:6] == (
            "<bytes>",
            2,
            13,
            "/a",
            "int64",
            'string "x"',
        )
        null = snooze.scan(WRONG, schema, errors="null", **options)
        second = {"a": None, "b": [1, None, None]}
        assert rows(null) == [{"a": 1, "b": None}, second, {"a": 4, "b": []}]
        assert null.problem_count == 2
        with pytest.raises(
            snooze.ScanError, match="<bytes>, line 2, byte 13: "
        ) as caught:
            list(snooze.scan(WRONG, schema, **options))
        again = pickle.loads(pickle.dumps(caught.value))
        assert (str(again), again.problem) == (str(caught.value), caught.value.problem)


def test_a_wrong_record_adds_no_column() -> None:
    text = b'{"a":1}\n{"broken":2,\n{"a":2}'
    assert rows(snooze.scan(text, errors="skip")) == [{"a": 1}, {"a": 2}]


def test_many_problems_are_counted_and_some_described() -> None:
    scan = snooze.scan(b"{}\n" + b"[]\n" * 5000, errors="skip", batch_bytes=600)
    assert len(rows(scan)) == 1
    assert scan.problem_count == 5000
    assert len(scan.problems) == 1000
    assert scan.problems[-1].line == 1001


def test_files_patterns_and_compression(tmp_path) -> None:
    (tmp_path / "b.ndjson").write_bytes(b'{"a":2}\n')
    (tmp_path / "a.ndjson").write_bytes(b'{"a":1}')
    with gzip.open(tmp_path / "c.ndjson.gz", "wb") as file:
        file.write(b'{"a":3}\n')
    with gzip.open(tmp_path / "c.ndjson.gz", "ab") as file:
        file.write(b'{"a":4}\n')
    both = [{"a": 1}, {"a": 2}]
    assert rows(snooze.scan(tmp_path / "*.ndjson")) == both
    assert rows(snooze.scan(str(tmp_path / "[ab].ndjson"))) == both
    assert rows(snooze.scan([tmp_path / "a.ndjson", tmp_path / "b.ndjson"])) == both
    scan = snooze.scan(tmp_path / "*")
    assert rows(scan) == [*both, {"a": 3}, {"a": 4}]
    assert rows(scan) == [*both, {"a": 3}, {"a": 4}]
    (tmp_path / "a.ndjson").write_bytes(b"[")
    with pytest.raises(snooze.ScanError, match=r"a\.ndjson, line 1, byte "):
        list(snooze.scan(tmp_path / "*"))


def test_patterns_mean_no_folders(tmp_path) -> None:
    """As in all commands; a pipe is no folder."""
    inner = tmp_path / "sub.ndjson"
    inner.mkdir()
    for pattern in ("*", "**", "*.ndjson"):
        with pytest.raises(FileNotFoundError, match="no file matches"):
            snooze.scan(tmp_path / pattern)
    (tmp_path / "a.ndjson").write_bytes(b'{"a":1}')
    (inner / "b.ndjson").write_bytes(b'{"a":2}')
    one, both = [{"a": 1}], [{"a": 1}, {"a": 2}]
    assert rows(snooze.scan(tmp_path / "*.ndjson")) == one
    assert rows(snooze.scan(tmp_path / "**")) == both
    assert rows(snooze.scan([tmp_path / "a*", tmp_path / "*" / "*"])) == both
    with pytest.raises(IsADirectoryError, match="is a folder"):
        list(snooze.scan([tmp_path / "*", inner]))
    os.mkfifo(tmp_path / "c.ndjson")
    writer = threading.Thread(
        target=(tmp_path / "c.ndjson").write_bytes, args=(b'{"a":3}',)
    )
    writer.start()
    assert rows(snooze.scan(tmp_path / "*.ndjson", drift="error")) == [*one, {"a": 3}]
    writer.join()


def test_missing_files_are_errors_of_the_call(tmp_path) -> None:
    with pytest.raises(FileNotFoundError):
        snooze.scan(tmp_path / "none.ndjson")
    with pytest.raises(FileNotFoundError, match="no file matches"):
        snooze.scan(tmp_path / "*.ndjson")
    with pytest.raises(IsADirectoryError, match="pattern"):
        list(snooze.scan(tmp_path))
    path = tmp_path / "a.ndjson"
    path.write_bytes(b"{}")
    scan = snooze.scan(path, Tag)
    stream = iter(scan)
    path.unlink()
    with pytest.raises(OSError, match=r"a\.ndjson"):
        next(stream)


def test_buffers_files_and_iterables() -> None:
    text = b'{"a":1}\n{"a":2}'
    expected = [{"a": 1}, {"a": 2}]
    anonymous = mmap.mmap(-1, len(text))
    anonymous.write(text)
    for source in (
        text,
        bytearray(text),
        memoryview(text),
        anonymous,
        io.BytesIO(text),
        io.StringIO(text.decode()),
        [text[:10], bytearray(text[10:])],
        (text[at : at + 1] for at in range(len(text))),
    ):
        scan = snooze.scan(source)
        # A source that is read once is copied, so that a scan can be read twice.
        assert rows(scan) == rows(scan) == expected
    assert rows(snooze.scan([])) == []
    held = bytearray(text)
    scan = snooze.scan(held)
    stream = iter(scan)
    next(stream)
    with pytest.raises(BufferError):
        held.append(0)
    del stream
    snooze.scan(b"{}").columns  # noqa: B018 - releases what dropped streams held
    held.append(0)


def test_a_large_copy_is_on_the_disk() -> None:
    line = b'{"a":"' + b"x" * (1 << 20) + b'"}\n'
    scan = snooze.scan(line for _ in range(70))
    assert sum(len(batch) for batch in scan) == 70
    assert scan._once.copied is not None
    [(_, _, copy)] = scan._once.copied.native()
    assert isinstance(copy.obj, mmap.mmap)


def test_a_small_copy_is_made_once() -> None:
    line = b'{"a":"' + b"x" * (1 << 20) + b'"}\n'
    tracemalloc.start()
    try:
        scan = snooze.scan((line for _ in range(30)), snooze.scan(b'{"a":""}'))
        assert sum(len(batch) for batch in scan) == 30
        assert tracemalloc.get_traced_memory()[1] < 45 << 20
    finally:
        tracemalloc.stop()


class Failing:
    """A file whose reading fails."""

    def __init__(self, result: Any) -> None:
        self.result = result

    def read(self, size: int) -> Any:
        if isinstance(self.result, BaseException):
            raise self.result
        return self.result


def test_hostile_sources() -> None:
    with pytest.raises(KeyError, match="mine"):
        list(snooze.scan(Failing(KeyError("mine"))))
    with pytest.raises(ValueError, match="non-blocking"):
        list(snooze.scan(Failing(None)))
    with pytest.raises(TypeError, match="expected chunks of bytes"):
        list(snooze.scan([b"{}", 5]))
    for source in (5, None, object()):
        with pytest.raises(TypeError, match="source: expected a path"):
            snooze.scan(source)
    with pytest.raises(TypeError, match="contiguous"):
        list(snooze.scan(memoryview(b"{}{}")[::2]))


def test_a_fifo_is_read_once(tmp_path) -> None:
    path = tmp_path / "fifo"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(b'{"a":1}\n',))
    writer.start()
    scan = snooze.scan(path)
    assert rows(scan) == rows(scan) == [{"a": 1}]
    writer.join()


records = st.lists(
    st.dictionaries(
        st.sampled_from(["a", "b", "ü"]),
        st.none() | st.integers(-(2**63), 2**63 - 1),
        max_size=3,
    ),
    max_size=20,
)


@settings(max_examples=60)
@given(records, st.integers(1, 40), st.integers(1, 3), st.integers(1, 60))
def test_pieces_threads_and_parts_do_not_change_the_rows(
    tmp_path_factory, found, batch_bytes, threads, size
) -> None:
    path = tmp_path_factory.mktemp("parts") / "x.ndjson"
    path.write_bytes(b"\n".join(map(snooze.dumps, found)))
    options = {"batch_bytes": batch_bytes, "threads": threads}
    scan = snooze.scan(path, **options)
    names = list(scan.columns)
    expected = [{name: record.get(name) for name in names} for record in found]
    assert rows(scan) == expected
    parts = pickle.loads(pickle.dumps(scan.splits(size)))
    assert [row for part in parts for row in rows(part)] == expected
    assert all(part.columns == scan.columns for part in parts)


def test_splits_of_parts_and_of_other_sources(tmp_path) -> None:
    path = tmp_path / "x.ndjson"
    path.write_bytes(b'{"a":1}\n{"a":2}\n{"a":3}\n')
    scan = snooze.scan(path)
    [first, second] = scan.splits(12)
    assert [rows(part) for part in first.splits(5)] == [[{"a": 1}], [{"a": 2}], []]
    assert rows(second) == [{"a": 3}]
    path.write_bytes(b'{"a":1}\n{"a":2}\n{"b":3}\n')
    with pytest.raises(snooze.ScanError, match="byte 17: ") as caught:
        list(second)
    assert caught.value.problem is not None
    assert caught.value.problem.line is None
    for wrong in (
        lambda: snooze.scan(b"{}").splits(),
        lambda: pickle.dumps(snooze.scan(b"")),
    ):
        with pytest.raises(TypeError):
            wrong()
    with pytest.raises(ValueError, match="size"):
        scan.splits(0)


def big(count: int = 40_000) -> bytes:
    """Some megabytes of records."""
    rng = random.Random(5)
    line = b'{"number":%d,"text":"some words","list":[%d,2]}\n'
    return b"".join(line % (number, rng.randrange(9)) for number in range(count))


def test_order_is_kept_on_several_threads() -> None:
    scan = snooze.scan(big(), threads=4, batch_bytes=20_000)
    found = [row["number"] for row in rows(scan)]
    assert found == list(range(40_000))


def test_a_stream_that_is_dropped_ends_its_threads() -> None:
    text = big()
    before = threading.active_count()
    for threads in (1, 4):
        stream = iter(snooze.scan(text, threads=threads, batch_bytes=50_000))
        assert len(next(stream)) > 0
        del stream
    assert threading.active_count() == before
    tasks = pathlib.Path("/proc/self/task")
    end = time.monotonic() + 10  # a thread that ends is listed a moment longer
    while tasks.exists() and len(list(tasks.iterdir())) > before + 1:
        assert time.monotonic() < end
        time.sleep(0.01)


def test_a_batch_is_taken_once() -> None:
    [batch] = snooze.scan(b'{"a":1}')
    assert len(batch.__arrow_c_array__()) == 2
    with pytest.raises(ValueError, match="taken before"):
        batch.__arrow_c_array__()


def test_a_stream_that_was_moved_says_so() -> None:
    capsule = snooze.scan(b"{}").__arrow_c_stream__()
    with pytest.raises(TypeError):
        snooze._snooze.scan_next(5)
    assert snooze._snooze.scan_next(capsule) is not None
    assert snooze._snooze.scan_next(capsule) is None
    assert snooze._snooze.scan_next(capsule) is None


def test_an_error_ends_the_stream_for_good() -> None:
    capsule = snooze.scan(b"[]", Tag).__arrow_c_stream__()
    first = snooze._snooze.scan_next(capsule)
    assert first is not None
    assert first[0] == 22
    again = snooze._snooze.scan_next(capsule)
    assert again is not None
    assert again[0] == 22


def test_batches_follow_the_text() -> None:
    found = batches(snooze.scan(big(100), batch_bytes=1000))
    assert [len(batch) for batch in found[:2]] == [22, 21]
    assert batches(snooze.scan(b"\n\n")) == []


def test_errors_of_a_stream_are_text_for_other_libraries() -> None:
    with pytest.raises(StreamError, match="expected object, found array") as caught:
        rows(snooze.scan(b"[1]", Tag))
    assert caught.value.args[0] == 22


def test_text_that_is_not_utf_8() -> None:
    """It is no str with surrogates, as the message of `loads` says."""
    for options in ({}, {"columns": ["b"]}):
        scan = snooze.scan(b'{"b":1,"a":"caf\xe9"}\n', **options)
        with pytest.raises(snooze.ScanError, match="found text that is not UTF-8"):
            list(scan)
