"""What a stream holds after its end, a failure, or the last wanted row.

Separate because here the consumer keeps the stream: threads, files and memory must be
released all the same. Threads are counted by the system, because those of a scan are none
of Python's.
"""

from __future__ import annotations

import functools
import gzip
import time
from pathlib import Path
from typing import Any, TypedDict

import pytest

import snooze
from helpers.arrow_made import Node, Producer, table
from helpers.arrow_rows import Array, stream_of

TASKS, FILES = Path("/proc/self/task"), Path("/proc/self/fd")
needs_proc = pytest.mark.skipif(
    not TASKS.exists(), reason="threads and files are counted in /proc"
)


class Row(TypedDict):
    """The column of the files here."""

    a: int


def threads() -> int:
    """The threads of this process, also those that Python does not know."""
    return len(list(TASKS.iterdir()))


def is_open(path: Path) -> bool:
    """Whether this process has the file open."""
    links = [str(one.readlink()) for one in FILES.iterdir() if one.is_symlink()]
    return str(path) in links


def wait_for(condition: Any) -> bool:
    """Whether a condition comes true; the system may count a thread a little longer."""
    for _ in range(200):
        if condition():
            return True
        time.sleep(0.01)
    return False


@needs_proc
def test_a_failure_ends_the_threads_and_closes_the_file(tmp_path) -> None:
    path = tmp_path / "a.ndjson"
    path.write_bytes(b'{"a":1}\n' * 5000 + b'{"a":"x"}\n' + b'{"a":1}\n' * 50_000)
    before = threads()
    reader = iter(snooze.scan(path, Row, batch_bytes=999, threads=4))
    next(reader)
    assert threads() > before
    with pytest.raises(snooze.ScanError) as raised:
        list(reader)
    # The traceback keeps the frames, and with them the stream.
    assert raised.tb is not None
    assert wait_for(lambda: threads() == before)
    assert not is_open(path)


@needs_proc
def test_a_dropped_stream_ends_its_threads(tmp_path) -> None:
    path = tmp_path / "a.ndjson.gz"
    path.write_bytes(gzip.compress(b'{"a":1}\n' * 100_000))
    before = threads()
    for count in (1, 2, 4):
        for taken in range(4):
            reader = iter(snooze.scan(path, Row, batch_bytes=999, threads=count))
            for _ in range(taken):
                next(reader)
            del reader
    assert wait_for(lambda: threads() == before)


@needs_proc
@pytest.mark.parametrize("name", ["a.ndjson", "a.ndjson.gz"])
def test_the_last_wanted_row_closes_the_file(tmp_path, name) -> None:
    path = tmp_path / name
    text = b'{"a":1}\n' * 100_000
    path.write_bytes(gzip.compress(text) if name.endswith("gz") else text)
    capsule = snooze.scan(path, Row, batch_bytes=9999).head(1).__arrow_c_stream__()
    stream, lengths = stream_of(capsule), []
    while True:
        array = Array()
        assert stream.contents.get_next(stream, array) == 0
        if not array.release:
            break
        lengths.append(array.length)
        array.release(array)
        assert not is_open(path)
    assert lengths == [1]


class _Shared(Node):
    """A column whose structs are made once, for all that refer to it."""

    @functools.cached_property
    def made(self) -> Any:
        return super().schema(), super().array()

    def schema(self) -> Any:
        return self.made[0]

    def array(self) -> Any:
        return self.made[1]


def given(*columns: Node) -> object:
    """An object with the schema of a table."""
    made = Producer(table(*columns, length=0), as_array=True)

    class Given:
        def __arrow_c_schema__(self) -> Any:
            return made.__arrow_c_array__()[0]

    return Given()


def test_children_that_are_shared_are_counted() -> None:
    """60 levels with two pointers to one child are 2^60 columns."""
    node = _Shared("l", 0)
    for _ in range(60):
        node = _Shared("+s", 0, [None], [node, node])
    with pytest.raises((TypeError, ValueError), match="more than 1048576 columns"):
        snooze.scan(b"{}", given(node))


@pytest.mark.parametrize("count", [-1, 1 << 40])
def test_an_impossible_number_of_children(count) -> None:
    node = Node("+s", 0, [None], [Node("l", 0)], schema_children=count)
    with pytest.raises((TypeError, ValueError), match="number of children"):
        snooze.scan(b"{}", given(node))


def test_names_that_are_not_utf_8_keep_apart() -> None:
    scan = snooze.scan(
        b"{}", given(Node("l", 0, name="a"), Node("l", 0, name=b"a\xff"))
    )
    assert [name for name, _ in scan.columns.items()] == ["a", "a\ufffd"]
