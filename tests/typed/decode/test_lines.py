"""JSON Lines into Python objects: `decode_lines`, `iter_lines` and `aiter_lines`."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import gc
import gzip
import io
import json
import os
import pickle
import tracemalloc
import weakref
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import snooze

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

#: More than two blocks of a file.
MANY = b"".join(b'{"id":%d,"text":"%s"}\n' % (i, b"x" * (i % 90)) for i in range(9000))


@dataclasses.dataclass
class Event:
    """A record."""

    id: int
    text: str = ""


EVENTS = snooze.Decoder(Event)
PLAIN = snooze.Decoder()
#: A Decoder for each way to read a document.
READERS = {
    "any": PLAIN,
    "policies": snooze.Decoder(numbers="decimal"),
    "function": snooze.Decoder(max_size=1000),
    "threads": snooze.Decoder(threads=2),
    "type": snooze.Decoder(dict[str, Any]),
}


def by_hand(data: bytes, decoder: Any = PLAIN) -> list[Any]:
    """What the lines are one by one."""
    lines = data.split(b"\n")
    return [decoder.decode(line) for line in lines if line.strip(b" \t\r")]


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize(
    "data",
    [b"", b"\n", b" \t\r\n\n", b'{"a":1}', b'{"a":1}\n', b'\r\n{"a":1}\r\n\r\n{}\r\n'],
)
@pytest.mark.parametrize(
    "form", [bytes, bytearray, memoryview, lambda data: data.decode(), snooze.Raw]
)
def test_each_line_is_a_document(name: str, data: bytes, form: Any) -> None:
    """Blank lines are none; every way to read gives the same as line by line."""
    decoder = READERS[name]
    assert decoder.decode_lines(form(data)) == by_hand(data, decoder)


@given(
    st.lists(
        st.sampled_from(
            [b"", b" ", b"\r", b"1", b'"\xc3\xa9\xe2\x80\xa8"', b'{"a":[1,2]}', b"tru"]
        )
    ),
    st.integers(1, 7),
)
def test_every_way_agrees(lines: list[bytes], size: int) -> None:
    """Whole, from a file, in chunks of any size: equal values and equal problems."""
    data = b"\n".join(lines)
    chunks = [data[at : at + size] for at in range(0, len(data), size)]

    async def gathered(found: list[Any]) -> list[Any]:
        async def source() -> Any:
            for chunk in chunks:
                yield chunk

        async_lines = PLAIN.aiter_lines(source(), on_error=found.append)
        return [value async for value in async_lines]

    results = []
    for read in (
        lambda found: PLAIN.decode_lines(data, on_error=found.append),
        lambda found: list(PLAIN.iter_lines(data, on_error=found.append)),
        lambda found: list(PLAIN.iter_lines(iter(chunks), on_error=found.append)),
        lambda found: list(PLAIN.iter_lines(io.BytesIO(data), on_error=found.append)),
        lambda found: asyncio.run(gathered(found)),
    ):
        found: list[snooze.LineProblem] = []
        results.append((read(found), [(one[:3], str(one.error)) for one in found]))
    values, problems = results[0]
    assert all(other == results[0] for other in results)
    good = [line for line in lines if line not in {b"tru", b"", b" ", b"\r"}]
    assert values == [json.loads(line) for line in good]
    starts = [sum(len(one) + 1 for one in lines[:at]) for at in range(len(lines))]
    bad = [at for at, line in enumerate(lines) if line == b"tru"]
    assert [one[0] for one in problems] == [
        (at + 1, starts[at], lines[at]) for at in bad
    ]


def test_line_separators_of_unicode_end_no_line() -> None:
    """Only a line feed does: `str.splitlines` would also split elsewhere."""
    text = '"a\u2028b\u0085c"\n"\u2029"\n'
    assert PLAIN.decode_lines(text) == ["a\u2028b\u0085c", "\u2029"]
    with pytest.raises(snooze.JSONDecodeError):
        PLAIN.decode_lines("1\x0b\n")
    with pytest.raises(snooze.JSONDecodeError):
        PLAIN.decode_lines("\x0c\n")  # not white space of JSON: not blank


def test_a_syntax_error_names_its_line() -> None:
    """`lineno` is of the text, and `doc` and `pos` of the line, as in `decode`."""
    with pytest.raises(snooze.JSONDecodeError) as caught:
        PLAIN.decode_lines(b'{"a":1}\n\n{"a":tru}\n{')
    error = caught.value
    assert (error.lineno, error.colno, error.pos, error.doc) == (3, 6, 5, '{"a":tru}')
    assert error.pointer == "/a"
    assert str(error).endswith(": line 3 column 6 (char 5)")
    assert error.__notes__[0].startswith("at $.a\n")
    copied = pickle.loads(pickle.dumps(error))
    assert str(copied) == str(error)
    assert (copied.lineno, copied.doc) == (3, error.doc)
    assert pickle.dumps(copied) == pickle.dumps(error)


def test_problems_name_their_line() -> None:
    """All problems of the line, in their messages too; user's texts are kept."""
    decoder = snooze.Decoder(Event, errors="all")
    with pytest.raises(snooze.ValidationError) as caught:
        decoder.decode_lines(b'{"id":1}\n{"id":"(line 1 column 2)","text":2}')
    error = caught.value
    assert [problem.line for problem in error.errors] == [2, 2]
    assert error.lineno == 2
    assert str(error) == (
        "expected int, found str at $.id (line 2 column 7) (and 1 more)"
    )
    assert error.errors[1].message.endswith("at $.text (line 2 column 34)")
    copied = pickle.loads(pickle.dumps(error))
    assert (str(copied), copied.errors, copied.lineno) == (
        str(error),
        error.errors,
        2,
    )


def test_a_refusal_in_user_code_keeps_its_text() -> None:
    """A text that looks like a place is not changed, and the cause is there."""

    def refuse(tp: Any, value: Any) -> Any:
        raise ValueError("(line 1 column 9)")

    decoder = snooze.Decoder(io.BytesIO, dec_hook=refuse)
    with pytest.raises(snooze.ValidationError) as caught:
        decoder.decode_lines(b"\n1")
    assert str(caught.value) == (
        "expected BytesIO, found 1 at $ (line 2 column 1): (line 1 column 9)"
    )
    assert isinstance(caught.value.__cause__, ValueError)


def test_other_exceptions_of_user_code_are_raised() -> None:
    """They are no problem of the line, but a note says which it was."""

    def fail(tp: Any, value: Any) -> Any:
        raise LookupError("no")

    decoder = snooze.Decoder(io.BytesIO, dec_hook=fail)
    found: list[Any] = []
    with pytest.raises(LookupError) as caught:
        decoder.decode_lines(b"\n1", on_error=found.append)
    assert caught.value.__notes__ == ["in line 2"]
    assert not found

    def interrupt(tp: Any, value: Any) -> Any:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        snooze.Decoder(io.BytesIO, dec_hook=interrupt).decode_lines(b"1")


def test_lines_that_are_not_utf8() -> None:
    """Only those lines are wrong."""
    found: list[snooze.LineProblem] = []
    data = b'"a"\n"\xff"\n\xff\xfe\n"b"'
    assert EVENTS.decode_lines(b"", on_error=found.append) == []
    assert PLAIN.decode_lines(data, on_error=found.append) == ["a", "b"]
    assert [(one.line, one.text) for one in found] == [
        (2, b'"\xff"'),
        (3, b"\xff\xfe"),
    ]
    assert all("UTF-8" in str(one.error) for one in found)
    found.clear()
    text = '1\n2\n"\ud800"\n3'
    assert PLAIN.decode_lines(text, on_error=found.append) == [1, 2, 3]
    assert [(one.line, one.text) for one in found] == [(3, b'"\xed\xa0\x80"')]
    with pytest.raises(snooze.JSONDecodeError, match="surrogates") as caught:
        PLAIN.decode_lines(text)
    assert caught.value.lineno == 3


def test_an_exception_of_on_error_ends_the_call() -> None:
    """So a program can stop after too many wrong lines."""
    found: list[snooze.LineProblem] = []

    def few(problem: snooze.LineProblem) -> None:
        found.append(problem)
        if len(found) == 3:
            raise OverflowError("too many")

    with pytest.raises(OverflowError):
        PLAIN.decode_lines(b"x\n" * 9, on_error=few)
    assert [problem.line for problem in found] == [1, 2, 3]
    with pytest.raises(TypeError, match="on_error needs a callable, not 3"):
        PLAIN.decode_lines(b"", on_error=3)  # type: ignore[arg-type]


@pytest.mark.parametrize("data", [None, 3, [b"1"], object()])
def test_what_is_no_text_is_refused(data: Any) -> None:
    """With the name of its type."""
    name = type(data).__name__
    with pytest.raises(TypeError, match=f"str, found {name}"):
        PLAIN.decode_lines(data)


def test_views_with_steps_are_copied() -> None:
    """Their bytes are those that indexing gives."""
    assert PLAIN.decode_lines(memoryview(b"1 \n 2 ")[::2]) == [1, 2]


def test_options_apply_to_each_line() -> None:
    """`at`, limits, comments; a mark at the start of a line."""
    at = snooze.Decoder(int, at="/a/0")
    assert at.decode_lines(b'{"a":[1]}\n{"a":[2]}') == [1, 2]
    small = snooze.Decoder(max_size=3)
    with pytest.raises(snooze.JSONDecodeError, match=r"max_size is 3: line 2 column 1"):
        small.decode_lines(b"123\n1234\n")
    comments = snooze.Decoder(syntax="jsonc")
    assert comments.decode_lines(b"[1,] // one\n/* two */ 2") == [[1], 2]
    typed = snooze.Decoder(list[int], syntax="jsonc")
    with pytest.raises(snooze.ValidationError) as caught:
        typed.decode_lines(b'[1]\n/* x */ ["2"]')
    assert str(caught.value) == "expected int, found str at $[0] (line 2 column 10)"
    assert caught.value.errors[0].line == 2
    marked = snooze.Decoder(encoding="utf-8-sig")
    assert marked.decode_lines(b"\xef\xbb\xbf1\n2") == [1, 2]


@given(
    st.lists(
        st.sampled_from([b"1", b"[2]", b"", b" ", b"12345", b"      ", b"       [3]"])
    ),
    st.integers(1, 9),
)
def test_lines_that_are_too_long(lines: list[bytes], size: int) -> None:
    """Each is one problem, before its end has come, and the next ones keep their places."""
    data = b"\n".join(lines)
    chunks = [data[at : at + size] for at in range(0, len(data), size)]
    small = snooze.Decoder(max_size=4)
    found: list[snooze.LineProblem] = []
    values = list(small.iter_lines(iter(chunks), on_error=found.append))
    assert values == [json.loads(line) for line in lines if line in {b"1", b"[2]"}] or (
        # Blanks at the start of a line may have been left out.
        b"       [3]" in lines
    )
    starts = [sum(len(one) + 1 for one in lines[:at]) for at in range(len(lines))]
    problems = {at + 1 for at, line in enumerate(lines) if line == b"12345"}
    assert problems <= {one.line for one in found}
    for one in found:
        line = lines[one.line - 1]
        assert line in {b"12345", b"       [3]"}
        assert len(one.text) <= 4 + size
        assert one.text.strip() in line
        if line == b"12345":
            assert one.offset == starts[one.line - 1]
        assert "max_size is 4" in str(one.error)


def test_a_line_without_an_end_is_not_kept() -> None:
    """The limit is one of memory, too."""

    def endless() -> Iterator[bytes]:
        yield b"1\n"
        yield b"[" + b"2," * 500
        for _ in range(2000):
            yield b"3" * 100_000
        yield b"]\n4\n"
        for _ in range(2000):
            yield b" " * 100_000
        yield b"5"

    small = snooze.Decoder(max_size=1000)
    found: list[snooze.LineProblem] = []
    tracemalloc.start()
    try:
        assert list(small.iter_lines(endless(), on_error=found.append)) == [1, 4, 5]
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert [(one.line, one.offset, len(one.text)) for one in found] == [(2, 2, 1001)]
    assert peak < 10_000_000
    with pytest.raises(
        snooze.JSONDecodeError, match="max_size is 1000: line 2 column 1"
    ):
        list(small.iter_lines(endless()))


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"]
)
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_encodings_of_whole_texts(encoding: str, size: int) -> None:
    """The start of the text shows it, however the text is cut."""
    decoder = snooze.Decoder(encoding="detect")
    data = '"\u010a"\n{"\U0001f600":1}\n'.encode(encoding)  # 0x0a inside a unit
    expected = ["\u010a", {"\U0001f600": 1}]
    assert decoder.decode_lines(data) == expected
    chunks = [data[at : at + size] for at in range(0, len(data), size)]
    assert list(decoder.iter_lines(chunks)) == expected
    with pytest.raises(snooze.JSONDecodeError, match="not valid UTF-16"):
        decoder.decode_lines('"abc"'.encode("utf-16") + b"x")


def test_paths_and_compression(tmp_path: Path) -> None:
    """As for `load`; a note names the file of an error."""
    plain = tmp_path / "lines.ndjson"
    plain.write_bytes(MANY)
    packed = tmp_path / "lines.ndjson.gz"
    packed.write_bytes(gzip.compress(MANY))
    expected = [Event(**json.loads(line)) for line in MANY.splitlines()]
    assert list(EVENTS.iter_lines(plain)) == expected
    assert list(EVENTS.iter_lines(str(packed))) == expected
    assert EVENTS.decode_lines(MANY) == expected
    with plain.open(encoding="utf-8") as file:
        assert list(EVENTS.iter_lines(file)) == expected
    with plain.open("rb", buffering=0) as file:
        assert list(EVENTS.iter_lines(file)) == expected
    plain.write_bytes(MANY + b'{"id":"9"}')
    values = EVENTS.iter_lines(plain)
    assert [next(values) for _ in expected] == expected
    with pytest.raises(snooze.ValidationError) as caught:
        next(values)
    assert caught.value.lineno == 9001
    assert caught.value.__notes__ == [f"in the file {plain}"]
    packed.write_bytes(packed.read_bytes()[:-9])
    with pytest.raises(OSError, match="ends too early"):
        list(EVENTS.iter_lines(packed))


def test_sources_that_are_none(tmp_path: Path) -> None:
    """A clear error, at once where the kind is wrong."""
    with pytest.raises(FileNotFoundError):
        list(PLAIN.iter_lines(tmp_path / "missing"))
    with pytest.raises(FileNotFoundError) as caught:
        list(PLAIN.iter_lines('{"a": 1}'))
    assert "pass bytes" in caught.value.__notes__[0]
    with pytest.raises(TypeError, match="found int"):
        PLAIN.iter_lines(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="found int"):
        list(PLAIN.iter_lines([1]))  # type: ignore[list-item]

    async def wrong() -> None:
        async for _ in PLAIN.aiter_lines([b"1"]):
            pass

    with pytest.raises(TypeError, match="asynchronous iterable"):
        asyncio.run(wrong())

    class Waiting(io.RawIOBase):
        def read(self, size: int = -1) -> None:
            return None

    with pytest.raises(ValueError, match="non-blocking"):
        list(PLAIN.iter_lines(Waiting()))


def test_values_come_before_the_end_of_the_source() -> None:
    """One chunk is enough for the lines that end in it; a long line is joined once."""

    def endless() -> Iterator[bytes]:
        while True:
            yield b"1\n2"

    values = PLAIN.iter_lines(endless())
    assert [next(values) for _ in range(3)] == [1, 21, 21]

    long = ("1" * 1000 for _ in range(2000))
    decoder = snooze.Decoder(numbers="raw")
    assert list(decoder.iter_lines(long)) == [b"1" * 2_000_000]


def test_values_are_freed_with_their_list() -> None:
    """No reference stays in the decoder, also after an error."""

    class Node:
        def __init__(self, id: int) -> None:  # noqa: A002
            self.id = id

    decoder = snooze.Decoder(Node, dec_hook=lambda tp, value: tp(value))
    values = decoder.decode_lines(b"1\n2\n")
    watched = [weakref.ref(value) for value in values]
    del values
    gc.collect()
    assert [one() for one in watched] == [None, None]


def test_a_decoder_may_be_used_inside_itself() -> None:
    """From its own hook, and from `on_error`."""
    inner: list[Any] = []

    def hook(tp: Any, value: Any) -> Any:
        if value == 2:
            inner.extend(decoder.decode_lines(b"7\n8"))
        return io.BytesIO(b"%d" % value)

    decoder = snooze.Decoder(io.BytesIO, dec_hook=hook)
    values = decoder.decode_lines(b"1\n2\n3")
    assert [value.getvalue() for value in values] == [b"1", b"2", b"3"]
    assert [value.getvalue() for value in inner] == [b"7", b"8"]

    def again(problem: snooze.LineProblem) -> None:
        inner.append(PLAIN.decode_lines(b"5", on_error=again))

    assert PLAIN.decode_lines(b"1\nx\n2", on_error=again) == [1, 2]
    assert inner[-1] == [5]


def test_the_methods_of_the_extension_check_their_arguments() -> None:
    """They are private, and still never crash."""
    read = PLAIN._decode_lines
    assert read(b"1\n2", 99, 7) == ([], 3, 7, None)
    for wrong in [(), (b"",), ("", 0, 1), (b"", -1, 1), (b"", 0, 1.0), (b"", 2**70, 1)]:
        with pytest.raises(TypeError):
            read(*wrong)


def test_a_late_type_compiles_at_the_first_call() -> None:
    """As for `decode`."""
    space: dict[str, Any] = {"__name__": __name__, "dataclasses": dataclasses}
    exec(
        "@dataclasses.dataclass\nclass Node:\n    next: 'Later | None' = None\n", space
    )
    decoder = snooze.Decoder(space["Node"])
    with pytest.raises(TypeError, match="Later"):
        decoder.decode_lines(b"{}")


def test_an_error_ends_the_source_and_keeps_no_text() -> None:
    """The exception and its traceback are no cycle, which would keep text and values."""
    ended: list[str] = []

    class Chunks:
        """What is read, and whether that has ended."""

        def __iter__(self) -> Iterator[bytes]:
            try:
                yield from (b"1\nx\n", b"2\n")
            finally:
                ended.append("yes")

    def fails(call: Any) -> None:
        with contextlib.suppress(snooze.JSONDecodeError, LookupError):
            call()

    class Node:
        """A value that can be watched."""

    made: list[Any] = []

    def hook(tp: Any, value: Any) -> Any:
        if value == 2:
            raise LookupError
        node = Node()
        made.append(weakref.ref(node))
        return node

    decoder = snooze.Decoder(Node, dec_hook=hook)
    calls = (
        lambda: list(PLAIN.iter_lines(Chunks())),
        lambda: PLAIN.decode_lines(b"1\nx\n2"),
        lambda: decoder.decode_lines(b"1\n2"),
    )
    for call in calls:
        fails(call)  # what the first error loads
    gc.collect()
    gc.disable()
    try:
        ended.clear()
        made.clear()
        for call in calls:
            fails(call)
            assert gc.collect() == 0
        assert ended == ["yes"]
        assert [one() for one in made] == [None]
    finally:
        gc.enable()


def test_a_decoder_with_an_encoding_compiles_once() -> None:
    """Lines have a Decoder without it, which is kept, and not pickled."""
    decoder = snooze.Decoder(Event, encoding="utf-8-sig")
    assert decoder.decode_lines(b'\xef\xbb\xbf{"id":1}') == [Event(1)]
    kept = decoder._without_encoding
    assert decoder.decode_lines(b'{"id":2}') == [Event(2)]
    assert decoder._without_encoding is kept
    copied = pickle.loads(pickle.dumps(decoder))
    assert not hasattr(copied, "_without_encoding")
    assert copied.decode_lines(b'\xef\xbb\xbf{"id":3}') == [Event(3)]


def test_errors_of_other_texts_keep_their_places() -> None:
    """A hook may read another text; a note says in which line."""

    def hook(found: Any) -> Any:
        return snooze.loads("{\n\n tru")

    decoder = snooze.Decoder(object_hook=hook)
    with pytest.raises(snooze.JSONDecodeError) as caught:
        decoder.decode_lines(b"1\n{}")
    assert (caught.value.lineno, caught.value.doc) == (3, "{\n\n tru")
    assert "in line 2" in caught.value.__notes__


def test_the_start_of_the_text_shows_its_encoding() -> None:
    """And not that of each line; only one mark is passed over."""
    detect, signed = (
        snooze.Decoder(encoding="detect"),
        snooze.Decoder(encoding="utf-8-sig"),
    )
    for decoder in (detect, signed):
        assert decoder.decode_lines(b"\xef\xbb\xbf\n1\n") == [1]
        assert decoder.decode_lines("\ufeff1\n2") == [1, 2]
        assert list(decoder.iter_lines([b"\xef", b"\xbb\xbf", b"1", b"\n2"])) == [1, 2]
        found: list[snooze.LineProblem] = []
        data = b'\xef\xbb\xbf"abc"\n1\x00\n\xff\xfe1\x00\n\xef\xbb\xbf2\n3'
        assert decoder.decode_lines(data, on_error=found.append) == ["abc", 3]
        places = [(one.line, one.offset) for one in found]
        assert places == [(2, 9), (3, 12), (4, 17)]
        assert [data[at : at + 2] for _, at in places] == [
            b"1\x00",
            b"\xff\xfe",
            b"\xef\xbb",
        ]


def test_lines_of_a_pipe_come_at_once() -> None:
    """A reader does not wait for a whole block."""
    source, target = os.pipe()
    with os.fdopen(source, "rb") as reader, os.fdopen(target, "wb", 0) as writer:
        values = PLAIN.iter_lines(reader)
        for number in range(3):
            writer.write(b"%d\n" % number)
            assert next(values) == number
        writer.write(b"3")
        writer.close()
        assert list(values) == [3]


@pytest.mark.skipif(not hasattr(os, "set_blocking"), reason="needs POSIX")
def test_a_pipe_that_does_not_wait_is_not_at_its_end() -> None:
    """No lines are lost: it is an error."""
    source, target = os.pipe()
    os.set_blocking(source, False)
    with os.fdopen(source, "rb") as reader, os.fdopen(target, "wb", 0) as writer:
        writer.write(b"1\n2")
        values = PLAIN.iter_lines(reader)
        assert next(values) == 1
        with pytest.raises(ValueError, match="non-blocking"):
            next(values)
