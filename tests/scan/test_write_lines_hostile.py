"""`snooze.write_lines` and producers that follow the letter of the specification, to harm.

Separate from test_write_lines_producers.py, whose producers break it: here a few bytes
mean endless text, counts lie where a reader need not believe them, and structs are
used and released on other threads.
"""

from __future__ import annotations

import errno
import io
import json
import threading
from typing import Any, TypedDict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import snooze
from helpers.arrow_made import Node, Producer, bits, table, texts, words, written
from helpers.isolated import FREE_THREADED, IS_64_BIT
from snooze._scan.writing import lines_of

WIDE_ROWS = pytest.mark.skipif(not IS_64_BIT, reason="so many rows are refused")
ONE = Node("l", 1, [None, words("q", 1)])
NULLS = Node("n", 2**40)
ENDLESS = {
    "a fixed-size list of null": Node("+w:2147483647", 1, [None], [NULLS]),
    "a list of null": Node("+l", 1, [None, words("i", 0, 2**31 - 1)], [NULLS]),
    "a large list of null": Node("+L", 1, [None, words("q", 0, 2**40)], [NULLS]),
    "a view of a list of null": Node(
        "+vL", 1, [None, words("q", 0), words("q", 2**40)], [NULLS]
    ),
    "a list of objects without members": Node(
        "+L", 1, [None, words("q", 0, 2**40)], [Node("+s", 2**40, [None])]
    ),
    "a list of empty lists": Node(
        "+w:2147483647", 1, [None], [Node("+w:0", 2**40, [None], [NULLS])]
    ),
    "a map of null": Node(
        "+m",
        1,
        [None, words("i", 0, 2**31 - 1)],
        [Node("+s", 2**40, [None], [NULLS, Node("n", 2**40, name="y")])],
    ),
}


@WIDE_ROWS
@pytest.mark.parametrize("case", ENDLESS)
def test_values_that_need_no_memory_are_no_endless_line(case: str) -> None:
    producer = Producer(table(ENDLESS[case]))
    with pytest.raises(ValueError, match=r"column x.* has more text for one line than"):
        written(producer)
    assert producer.is_released()


@WIDE_ROWS
def test_absurd_sizes_of_nothing() -> None:
    empty = Node("+w:2147483647", 2, [bits(False, False)], [Node("n", 2**33)])
    assert written(Producer(table(empty))) == b'{"x":null}\n' * 2
    none = Node("+w:2147483647", 0, [None], [Node("n", 0)])
    assert written(Producer(table(none))) == b""
    assert written(Producer(table(Node("+w:0", 2, [None], [NULLS])))) == (
        b'{"x":[]}\n' * 2
    )


@WIDE_ROWS
def test_endless_rows_can_be_stopped() -> None:
    class FullError(Exception):
        """No room for more."""

    class File:
        def __init__(self) -> None:
            self.size = 0

        def write(self, text: bytes) -> None:
            self.size += len(text)
            if self.size > 5_000_000:
                raise FullError

    for column in (Node("n", 2**50), Node("+s", 2**50, [None])):
        producer, file = Producer(table(column, length=2**50)), File()
        with pytest.raises(FullError):
            snooze.write_lines(producer, file)  # type: ignore[arg-type]
        assert file.size < 7_000_000
        assert producer.is_released()


class Row(TypedDict):
    """A record with one column."""

    a: int


@pytest.mark.parametrize("reads", [False, True])
def test_other_streams_of_a_scan_do_not_change_its_problem(reads: bool) -> None:
    """The destination begins another one, which has no problem yet."""
    text = b'{"a":1}\n' * 100_000 + b'{"a":"x"}\n'
    scan = snooze.scan(text, Row, batch_bytes=1000, threads=1)

    def begin_another(*_: object) -> None:
        if reads:
            assert len(next(iter(scan))) > 0
        else:
            scan.__arrow_c_stream__()

    class File:
        write = staticmethod(begin_another)

    found = []
    for read in (
        lambda: snooze.write_lines(scan, File()),  # type: ignore[arg-type]
        lambda: list(scan.batches(begin_another)),
    ):
        with pytest.raises(snooze.ScanError, match="100001") as caught:
            read()
        found.append(caught.value.problem)
    assert [one and one.line for one in found] == [100_001] * 2


@pytest.mark.parametrize("null_count", [-7, -1, 2**60])
def test_a_count_of_nulls_that_lies_changes_nothing(null_count: int) -> None:
    node = Node(
        "l", 3, [bits(True, False, True), words("q", 1, 2, 3)], null_count=null_count
    )
    assert written(Producer(table(node))) == b'{"x":1}\n{"x":null}\n{"x":3}\n'


def test_a_count_of_no_nulls_is_believed() -> None:
    node = Node("l", 2, [bits(True, False), words("q", 1, 2)], null_count=0)
    assert written(Producer(table(node))) == b'{"x":1}\n{"x":2}\n'


def test_indices_that_are_null_lead_nowhere() -> None:
    names = Node("u", 2, [None, *texts("a", "b")])
    index = Node("i", 3, [bits(True, False, True), words("i", 1, -9, 0)])
    index.dictionary = names
    assert written(Producer(table(index))) == b'{"x":"b"}\n{"x":null}\n{"x":"a"}\n'


def test_dictionaries_of_runs_of_dictionaries() -> None:
    names = Node("u", 2, [None, *texts("a", "b")])
    inner = Node("C", 2, [None, bytes([1, 0])], dictionary=names)
    runs = Node("+r", 4, [], [Node("s", 2, [None, words("h", 1, 4)]), inner])
    outer = Node("S", 3, [None, words("H", 0, 3, 1)], dictionary=runs)
    assert written(Producer(table(outer))) == b'{"x":"b"}\n{"x":"a"}\n{"x":"a"}\n'
    cut = Node("S", 1, [None, words("H", 0, 3, 1)], dictionary=runs, offset=2)
    assert written(Producer(table(cut))) == b'{"x":"a"}\n'
    beyond = Node("S", 1, [None, words("H", 4)], dictionary=runs)
    with pytest.raises(ValueError, match="outside"):
        written(Producer(table(beyond)))


@pytest.mark.parametrize(
    "metadata",
    [
        words("i", -1),
        words("i", 0),
        words("i", 1) + words("i", -5),
        words("i", 1) + words("i", 3) + b"key" + words("i", -1),
    ],
)
def test_metadata_with_impossible_counts_says_nothing(metadata: bytes) -> None:
    node = Node("l", 1, [None, words("q", 1)])
    make = node.schema

    def schema() -> object:
        made = make()
        made.metadata = node._address(metadata)
        return made

    node.schema = schema  # type: ignore[method-assign, assignment]
    assert written(Producer(table(node))) == b'{"x":1}\n'


def test_a_schema_that_was_released_is_an_error() -> None:
    producer = Producer(table(ONE))
    root = producer.schema_node = table(ONE)
    make = root.schema

    def schema() -> object:
        made = make()
        made.release = type(made.release)()
        return made

    root.schema = schema  # type: ignore[method-assign, assignment]
    producer._counted = lambda made, kind: (  # type: ignore[method-assign]
        made if kind == "schema" else Producer._counted(producer, made, kind)
    )
    with pytest.raises(ValueError, match="a schema that was released"):
        written(producer)
    assert producer.released == {"schema": 0, "array": 0, "stream": 1}


def test_batches_need_not_look_alike() -> None:
    """A batch that does not fit the schema of the stream is found."""
    for other in (table(ONE, ONE), table(Node("+s", 1, [None], [ONE]))):
        producer = Producer(table(ONE), other)
        with pytest.raises(ValueError, match="number of"):
            written(producer)
        assert producer.is_released()


def test_nothing_is_asked_for_after_the_end_or_a_failure() -> None:
    producer = Producer(table(ONE))
    lines = lines_of(producer)
    assert list(lines) == [(b'{"x":1}\n', 1)]
    assert list(lines) == []
    assert producer.calls == 2
    assert producer.is_released()
    producer = Producer(table(ONE), error=(errno.EIO, b"gone"))
    lines = lines_of(producer)
    assert next(lines) == (b'{"x":1}\n', 1)
    with pytest.raises(OSError, match="gone"):
        next(lines)
    assert list(lines) == []
    assert producer.calls == 2
    assert producer.is_released()


def on_a_thread(work: object) -> None:
    """Call it on another thread, and wait."""
    failures: list[BaseException] = []

    def run() -> None:
        try:
            work()  # type: ignore[operator]
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(60)
    assert not thread.is_alive()
    assert not failures


def test_streams_go_from_thread_to_thread() -> None:
    where: list[str] = []
    producer = Producer(
        *[table(ONE)] * 3,
        on_release=lambda _: where.append(threading.current_thread().name),
    )
    held = [lines_of(producer)]
    assert next(held[0])[1] == 1
    on_a_thread(lambda: next(held[0]))
    # The last reference goes, half read, on another thread.
    on_a_thread(held.clear)
    assert producer.is_released()
    # Without a GIL the thread that made an object may free it for another one.
    assert len(set(where)) == 3 or FREE_THREADED


def test_a_release_may_wait_for_other_threads() -> None:
    """They need the interpreter, which the call that releases does not hold."""
    waited: list[str] = []

    def wait(kind: str) -> None:
        thread = threading.Thread(target=waited.append, args=(kind,))
        thread.start()
        thread.join(60)
        assert not thread.is_alive()

    producer = Producer(*[table(ONE)] * 2, on_release=wait)
    file = io.BytesIO()
    assert snooze.write_lines(producer, file) == 2
    assert waited == ["schema", "array", "array", "stream"]
    waited.clear()
    producer = Producer(*[table(ONE)] * 2, on_release=wait)
    lines = lines_of(producer)
    next(lines)
    del lines
    assert waited == ["schema", "array", "stream"]
    assert producer.is_released()


def test_two_threads_cannot_write_one_stream() -> None:
    is_inside, may_end = threading.Event(), threading.Event()

    def wait(kind: str) -> None:
        if kind == "array":
            is_inside.set()
            assert may_end.wait(60)

    producer = Producer(*[table(ONE)] * 2, on_release=wait)
    lines = lines_of(producer)
    next(lines)
    thread = threading.Thread(target=lambda: next(lines))
    thread.start()
    try:
        assert is_inside.wait(60)
        with pytest.raises(RuntimeError, match="another thread writes these lines"):
            next(lines)
    finally:
        may_end.set()
        thread.join(60)
    assert next(lines, None) is None
    assert producer.is_released()


#: Any bytes where a reader can see what leads outside: words that mean places.
numbers = st.integers(-3, 9) | st.integers(-(2**31), 2**31 - 1)


def any_words(draw: Any, code: str, count: int) -> bytes:
    """Numbers that fit a width; most are near what is right."""
    size = 8 * len(words(code, 0))
    low, high = (0, 2**size - 1) if code.isupper() else (-(2 ** (size - 1)), 0)
    high = high or 2 ** (size - 1) - 1
    values = [min(max(draw(numbers), low), high) for _ in range(count)]
    return words(code, *values)


@st.composite
def nodes(draw: Any, rows: int, depth: int = 0) -> Node:
    """A column whose views, indices, places, codes and sizes are anything."""
    small = draw(st.integers(0, 4))
    kinds = ["texts", "numbers", "views"]
    if depth < 3:
        kinds += ["dictionary", "runs", "lists", "union", "dense", "struct"]
    kind = draw(st.sampled_from(kinds))
    validity = draw(st.none() | st.just(bits(*[draw(st.booleans())] * rows)))
    if kind == "texts":
        return Node("u", rows, [validity, *texts(*["aé"] * rows)])
    if kind == "views":
        data = draw(st.binary(max_size=20))
        views = any_words(draw, "i", 4 * rows)
        return Node("vu", rows, [validity, views, data, words("q", len(data))])
    if kind == "dictionary":
        form, code = draw(st.sampled_from(["cb", "CB", "ii", "lq", "LQ"]))
        values = draw(nodes(small, depth + 1))
        index = any_words(draw, code, rows)
        return Node(form, rows, [validity, index], dictionary=values)
    if kind == "runs":
        form, code = draw(st.sampled_from(["sh", "ii", "lq"]))
        ends = Node(form, small, [None, any_words(draw, code, small)])
        return Node("+r", rows, [], [ends, draw(nodes(small, depth + 1))])
    if kind == "lists":
        places = [any_words(draw, "i", rows) for _ in range(2)]
        inner = draw(nodes(small, depth + 1))
        return Node("+vl", rows, [validity, *places], [inner])
    if kind == "union":
        codes = any_words(draw, "b", rows)
        return Node("+us:0,1", rows, [codes], [draw(nodes(rows, 3)) for _ in "ab"])
    if kind == "dense":
        codes, places = any_words(draw, "b", rows), any_words(draw, "i", rows)
        return Node(
            "+ud:1,5", rows, [codes, places], [draw(nodes(small, 3)) for _ in "ab"]
        )
    if kind == "struct":
        inner = draw(nodes(rows, depth + 1))
        return Node("+s", rows, [validity], [inner])
    return Node("l", rows, [validity, any_words(draw, "q", rows)])


@settings(max_examples=600, deadline=None)
@given(st.data(), st.integers(0, 5))
def test_places_that_lie_are_errors_or_lines(data: Any, rows: int) -> None:
    """Whatever views, indices and places say: an error, or lines of JSON."""
    producer = Producer(table(data.draw(nodes(rows))))
    try:
        found = written(producer)
    except ValueError as error:
        assert "the column x" in str(error)
    else:
        assert len(found.splitlines()) == rows
        for line in found.splitlines():
            assert list(json.loads(line)) == ["x"]
    assert producer.is_released()
