"""The items of one array of a large document: `iter_items` and `aiter_items`."""

from __future__ import annotations

import asyncio
import copy
import dataclasses
import decimal
import gc
import gzip
import io
import json
import pickle
import tracemalloc
import weakref
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import snooze

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

PLAIN = snooze.Decoder()
#: A Decoder for each way to read a document.
READERS = {
    "any": PLAIN,
    "policies": snooze.Decoder(numbers="decimal"),
    "function": snooze.Decoder(max_size=1000),
    "type": snooze.Decoder(dict[str, Any] | list[Any] | str | int | None),
    "duplicates": snooze.Decoder(duplicates="error"),
}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=3), inner, max_size=4)
    ),
    max_leaves=20,
)


@dataclasses.dataclass
class User:
    """A record."""

    id: int
    name: str = ""


USERS = snooze.Decoder(User)
DOCUMENT = b"""{
  "count": 3,
  "users": [
    {"id": 1, "name": "a"},
    {"id": "2"},
    {"name": "\xc3\xa9", "id": null}, {"id": 4}
  ],
  "more": {"users": [5]}
}"""


def cut(data: bytes, size: int) -> list[bytes]:
    """The chunks of a text."""
    return [data[at : at + size] for at in range(0, len(data), size)]


async def stream(chunks: list[bytes]) -> AsyncIterator[bytes]:
    """The chunks as they come."""
    for chunk in chunks:
        yield chunk


async def gathered(decoder: Any, chunks: list[bytes], *arguments: Any) -> list[Any]:
    """The items of an asynchronous stream."""
    items = decoder.aiter_items(stream(chunks), *arguments)
    return [item async for item in items]


@given(
    name=st.sampled_from(list(READERS)),
    items=st.lists(JSON, max_size=5),
    before=JSON,
    steps=st.lists(st.text(max_size=3), max_size=3),
    size=st.integers(1, 40),
    indent=st.sampled_from([None, 1]),
)
def test_items_are_those_of_the_document(
    name: str, items: list[Any], before: Any, steps: list[str], size: int, indent: Any
) -> None:
    """However the document is cut, and wherever the array is in it."""
    document: Any = items
    for step in reversed(steps):
        document = {step + "x": before, step: document, step + "y": before}
    data = json.dumps(document, indent=indent, ensure_ascii=size % 2 == 0).encode()
    at = "".join(f"/{step.replace('~', '~0').replace('/', '~1')}" for step in steps)
    decoder = READERS[name]
    expected = [item for item in items if name != "type" or type(item) is not bool]
    wrong: list[Any] = []
    chunks = cut(data, size)
    assert list(decoder.iter_items(chunks, at, on_error=wrong.append)) == expected
    assert len(wrong) == len(items) - len(expected)
    if not wrong:
        assert asyncio.run(gathered(decoder, chunks, at)) == expected


@pytest.mark.parametrize("form", [bytes, bytearray, memoryview, io.BytesIO])
def test_sources_in_memory(form: Any) -> None:
    """Data, and an open file."""
    assert list(PLAIN.iter_items(form(b"[1, 2]"))) == [1, 2]


def test_files(tmp_path: Path) -> None:
    """A path, a compressed one, and a text file; errors name the file."""
    plain, packed = tmp_path / "a.json", tmp_path / "a.json.gz"
    data = b'{"a/b": [%s]}' % b",".join(b'{"id":%d}' % i for i in range(50_000))
    plain.write_bytes(data)
    packed.write_bytes(gzip.compress(data))
    numbers = [{"id": number} for number in range(50_000)]
    for source in (plain, str(packed)):
        assert list(PLAIN.iter_items(source, "/a~1b")) == numbers
    with plain.open(encoding="utf-8") as file:
        assert list(PLAIN.iter_items(file, at="/a~1b")) == numbers
    plain.write_bytes(data[:-1])
    with pytest.raises(snooze.JSONDecodeError, match="unexpected end") as caught:
        list(PLAIN.iter_items(plain, "/a~1b"))
    assert caught.value.__notes__ == [f"in the file {plain}"]
    with pytest.raises(FileNotFoundError):
        next(PLAIN.iter_items(tmp_path / "missing"))
    with pytest.raises(OSError, match=r"\[1\]") as failed:
        next(PLAIN.iter_items("[1]"))
    assert "iter_items expects a path" in failed.value.__notes__[0]


def test_an_item_comes_as_soon_as_it_has_ended() -> None:
    """The chunk with the comma behind it, or the bracket, is the last that is read."""
    taken = []

    def chunks() -> Iterator[bytes]:
        for chunk in (b"[1,", b"2", b", [3", b"]]"):
            taken.append(chunk)
            yield chunk

    items = PLAIN.iter_items(chunks())
    assert next(items) == 1
    assert len(taken) == 1
    assert next(items) == 2
    assert len(taken) == 3
    assert list(items) == [[3]]


def test_a_problem_is_placed_in_the_document() -> None:
    """Path, offset, line, column and message are those of the whole document."""
    whole = snooze.Decoder(list[User], at="/users", errors="all")
    with pytest.raises(snooze.ValidationError) as caught:
        whole.decode(DOCUMENT)
    for size in (1, 7, 1000):
        errors: list[Any] = []
        decoder = snooze.Decoder(User, errors="all")
        chunks = cut(DOCUMENT, size)
        items = list(decoder.iter_items(chunks, "/users", on_error=errors.append))
        assert items == [User(1, "a"), User(4)]
        assert [one for error in errors for one in error.errors] == caught.value.errors
    second, third = errors
    assert (second.doc, second.pos, second.lineno, second.colno) == (
        '{"id": "2"}',
        7,
        5,
        12,
    )
    assert str(second) == "expected int, found str at $.users[1].id (line 5 column 12)"
    assert third.pointer == "/users/2/id"
    assert third.snippet.endswith("^")
    chunks = cut(b'[0, {"a": [{"id": []}]}, 0, 0]', len(DOCUMENT))
    with pytest.raises(snooze.ValidationError, match=r"\$\[1\]\.a\[0\]\.id \(line"):
        list(USERS.iter_items(chunks, "/1/a"))
    spaced = b'[1,        "x"]'
    with pytest.raises(snooze.ValidationError) as wrong:
        list(snooze.Decoder(int).iter_items(spaced))
    for again in (copy.copy(wrong.value), pickle.loads(pickle.dumps(wrong.value))):
        assert (again.pos, again.colno, again.snippet) == (0, 12, '"x"\n^')
    copied = pickle.loads(pickle.dumps(third))
    assert (str(copied), copied.errors) == (str(third), third.errors)
    assert (copied.lineno, copied.colno, copied.pointer) == (6, 25, "/users/2/id")


def test_without_on_error_the_first_problem_ends_the_items() -> None:
    """The items before it come first."""
    items = USERS.iter_items(DOCUMENT, "/users")
    assert next(items) == User(1, "a")
    with pytest.raises(snooze.ValidationError, match=r"\$\.users\[1\]\.id"):
        next(items)
    assert list(items) == []


def test_an_item_over_several_lines() -> None:
    """Lines are counted from the start of the document."""
    with pytest.raises(snooze.ValidationError) as caught:
        list(USERS.iter_items(b'[\n{"id":1},\n {\n\n  "id":true}]'))
    error = caught.value
    assert str(error) == "expected int, found bool at $[1].id (line 5 column 8)"
    assert error.errors[0].offset == 23


@pytest.mark.parametrize(
    ("data", "at", "message"),
    [
        (b'{"a":{"b":1}}', "/a/c", 'no "c" at $.a (line 1 column 6)'),
        (b'{\n"a":{"b":1}}', "/a/b", "number at $.a.b (line 2 column 10)"),
        (b'{"a":{"b":1}}', "/a/b/c", 'no "c" at $.a.b (line 1 column 11)'),
        (b'{"a":"x"}', "/a", "str at $.a (line 1 column 6)"),
        (b"[[1], true]", "/1", "bool at $[1] (line 1 column 7)"),
        (b"[[1], true]", "/2", 'no "2" at $ (line 1 column 1)'),
        (b" {}", "", "object at $ (line 1 column 2)"),
        (b"null", "", "null at $ (line 1 column 1)"),
    ],
)
def test_there_is_no_array_at_the_place(data: bytes, at: str, message: str) -> None:
    """The error says how far the way goes, and what is there."""
    for chunks in ([data], cut(data, 1)):
        with pytest.raises(snooze.ValidationError) as caught:
            list(PLAIN.iter_items(chunks, at))
        error = caught.value
        assert str(error) == f"expected array, found {message}"
        assert error.errors[0].offset == data.index(message_value(data, error.colno))
    for cut_off in (data[:-1] + b"x", data + b"}"):
        with pytest.raises(snooze.JSONDecodeError) as other:
            list(PLAIN.iter_items(cut_off, at))
        assert not isinstance(other.value, snooze.ValidationError)


def message_value(data: bytes, column: int) -> bytes:
    """What is at a column of the last line."""
    return data.splitlines()[-1][column - 1 :]


@pytest.mark.parametrize(
    ("data", "items", "message"),
    [
        (
            b"",
            [],
            "Input is a zero-length, empty document: line 1 column 1 (char 0)",
        ),
        (b" ", [], "input data is empty: line 1 column 1 (byte 0)"),
        (b"[1, 2", [1], "unexpected end of data: line 1 column 6 (byte 5)"),
        (b"[1,\n]", [1], "trailing comma is not allowed: line 1 column 3 (byte 2)"),
        (b"[1] 2", [1], "unexpected content after document: line 1 column 5 (byte 4)"),
        (
            b'[1, {"a":1}, "\n"]',
            [1, {"a": 1}],
            "unexpected control character in string: line 1 column 15 (byte 14)",
        ),
        (
            b"\xef\xbb\xbf[]",
            [],
            "UTF-8 byte order mark (BOM) is not supported: line 1 column 1 (byte 0)",
        ),
        (
            b'[1, "\xff", 3]',
            [1],
            "str is not valid UTF-8: surrogates not allowed: line 1 column 6 (byte 5)",
        ),
        (
            b'[1], "\xff"',
            [1],
            "unexpected content after document: line 1 column 4 (byte 3)",
        ),
        (
            b"[1e999, 2]",
            [],
            "number is infinity when parsed as double: line 1 column 2",
        ),
    ],
)
def test_a_fault_comes_after_the_items_before_it(
    data: bytes, items: list[Any], message: str
) -> None:
    """However the document is cut; `on_error` cannot leave it out, unless in an item."""
    for chunks in ([data], cut(data, 1), cut(data, 2)):
        found, error = until_error(chunks)
        assert str(error) == message
        assert not isinstance(error, snooze.ValidationError)
        assert found == items
        copied = pickle.loads(pickle.dumps(error))
        assert (str(copied), copied.colno) == (message, error.colno)


def until_error(chunks: list[bytes], at: str = "") -> tuple[list[Any], Any]:
    """The items before an error, and the error."""
    found: list[Any] = []
    items = PLAIN.iter_items(chunks, at)
    try:
        while True:
            found += [next(items)]
    except snooze.JSONDecodeError as error:
        return found, error


def test_a_member_on_the_way_occurs_twice() -> None:
    """Which of the two is meant cannot be known when the first one is read."""
    data = b'{"a":[1],"b":0,"a":[2]}'
    items = PLAIN.iter_items(data, "/a")
    assert next(items) == 1
    with pytest.raises(snooze.JSONDecodeError, match="occurs twice") as caught:
        next(items)
    assert caught.value.colno == 16
    for text in (b'{"a":1,"a":[2]}', b'{"a":{"x":[1]},"a":{"b":[3]}}'):
        for pieces in ([text], cut(text, 1)):
            assert until_error(pieces, "/a")[0] == []
            assert until_error(pieces, "/a/b")[0] == []


def test_faults_outside_of_the_array_count() -> None:
    """The rest of the document is checked, as by `Decoder(list[T], at=…)`."""
    for data in (b'{"a":[1],"b":[1,]}', b'{"a":[1],"b":"\xff"}', b'{"a":[1]}}'):
        found, _ = until_error(cut(data, 1), "/a")
        assert found == [1]


def test_options_of_the_decoder() -> None:
    """They hold for each item."""
    numbers = snooze.Decoder(numbers="decimal")
    assert list(numbers.iter_items(b"[1.10]")) == [decimal.Decimal("1.10")]
    shallow = snooze.Decoder(max_depth=1)
    assert list(shallow.iter_items(b"[[1], [2]]")) == [[1], [2]]
    with pytest.raises(snooze.JSONDecodeError, match="depth limit") as caught:
        list(shallow.iter_items(b"[[1], [[2]]]"))
    assert "in $[1]" in caught.value.__notes__
    for encoding in ("utf-16", "utf-8-sig", "utf-32-le"):
        data = '[1, "é"]'.encode(encoding)
        detecting = snooze.Decoder(encoding="detect")
        assert list(detecting.iter_items(cut(data, 3))) == [1, "é"]
    small = snooze.Decoder(max_size=9)
    assert list(small.iter_items(b"[" + b"1234567, " * 9 + b"1]")) == [1234567] * 9 + [
        1
    ]
    for chunks in ([b'[1,\n "123456789', b'", 2]'], cut(b'[1,\n "1234567890", 2]', 1)):
        items = small.iter_items(chunks, on_error=print)
        assert next(items) == 1
        with pytest.raises(snooze.JSONDecodeError, match="max_size is 9") as caught:
            next(items)
        assert caught.value.pointer == "/1"
        assert (caught.value.lineno, caught.value.colno) == (2, 2)
    pairs = snooze.Decoder(object_pairs_hook=tuple)
    assert list(pairs.iter_items(b'[{"a":1,"a":2}]')) == [(("a", 1), ("a", 2))]


@pytest.mark.parametrize(
    "options",
    [
        {"at": "/a"},
        {"syntax": "jsonc"},
        {"syntax": "json5"},
        {"nan": "accept"},
        {"surrogates": "replace"},
        {"surrogates": "keep"},
        {"max_depth": 1025},
    ],
)
def test_options_that_it_does_not_read_by(options: Any) -> None:
    """They are refused, not ignored."""
    decoder = snooze.Decoder(**options)
    (name,) = options
    with pytest.raises(ValueError, match=f"iter_items.*{name}"):
        decoder.iter_items(b"[]")


def test_wrong_arguments() -> None:
    """Each is refused at the call, before anything is read."""
    with pytest.raises(TypeError, match="found int"):
        PLAIN.iter_items(1)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="on_error needs a callable"):
        PLAIN.iter_items(b"[]", on_error=1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="not a JSON Pointer"):
        PLAIN.iter_items(b"[]", "a")
    with pytest.raises(TypeError, match="JSON Pointer"):
        PLAIN.iter_items(b"[]", 1)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="expected bytes"):
        list(PLAIN.iter_items([1]))  # type: ignore[list-item]
    with pytest.raises(TypeError, match="asynchronous"):
        asyncio.run(gathered_from(b"[]"))


async def gathered_from(source: Any) -> list[Any]:
    """The items of something else."""
    return [item async for item in PLAIN.aiter_items(source)]


def test_exceptions_of_user_code_name_the_item() -> None:
    """A hook that fails with another exception ends the items with it."""

    def hook(found: dict[str, Any]) -> Any:
        return 1 // found["a"]

    items = snooze.Decoder(object_hook=hook).iter_items(b'[{"a":1},{"a":0}]')
    assert next(items) == 1
    with pytest.raises(ZeroDivisionError) as caught:
        next(items)
    assert caught.value.__notes__ == ["in $[1]"]

    def refuse(_error: Exception) -> None:
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        list(USERS.iter_items(b"[1]", on_error=refuse))


def test_errors_of_another_text_keep_their_place() -> None:
    """A hook may decode another one; the note says in which item."""

    def hook(_: dict[str, Any]) -> Any:
        return snooze.loads(b"[1,]")

    items = snooze.Decoder(object_hook=hook).iter_items(b'[1,\n {"a":1}]')
    assert next(items) == 1
    with pytest.raises(snooze.JSONDecodeError, match="line 1 column 3") as caught:
        next(items)
    assert caught.value.__notes__[-1] == "in $[1]"


def test_errors_that_are_kept_hold_no_text() -> None:
    """Nor the values beside them."""
    errors: list[Any] = []
    watched: list[Any] = []
    gc.disable()
    try:
        data = b'[{"id":1},{"id":"x"},{"id":2}]'
        for item in USERS.iter_items(data, on_error=errors.append):
            watched.append(weakref.ref(item))
        del item
        assert len(errors) == 1
        assert [one() for one in watched] == [None, None]
        one = weakref.ref(errors.pop())
        assert one() is None
    finally:
        gc.enable()


def test_a_text_of_your_own_has_the_place_of_the_item() -> None:
    """A hook may raise a ValidationError with a text."""

    def hook(_type: Any, value: Any) -> Any:
        raise snooze.ValidationError(f"no such user: {value}")

    class Other:
        pass

    decoder = snooze.Decoder(Other, dec_hook=hook)
    with pytest.raises(snooze.ValidationError) as caught:
        list(decoder.iter_items(b'{"a": [7]}', "/a"))
    assert caught.value.pointer == "/a/0"
    assert "no such user: 7" in str(caught.value)
    assert "$.a[0]" in str(caught.value)


def test_memory_is_that_of_a_block() -> None:
    """Not that of the document, before, in or after the array."""
    record = b'{"id":%d,"text":"%s"}'
    part = b",".join(record % (i, b"x" * 200) for i in range(200))

    def chunks() -> Iterator[bytes]:
        yield b'{"before":[' + part
        for _ in range(300):
            yield b"," + part
        yield b'],"items":[' + part
        for _ in range(300):
            yield b"," + part
        yield b'],"after":["' + b"y" * 10_000_000 + b'"]}'

    tracemalloc.start()
    try:
        for large in (
            [b"[" + b"1," * 2_000_000 + b"1]"],
            b"[" + b"1," * 2_000_000 + b"1]",
        ):
            tracemalloc.reset_peak()
            before, _ = tracemalloc.get_traced_memory()
            assert next(PLAIN.iter_items(large)) == 1
            assert tracemalloc.get_traced_memory()[1] < before + 15_000_000
        tracemalloc.reset_peak()
        count = sum(1 for _ in PLAIN.iter_items(chunks(), "/items"))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert count == 301 * 200
    # The largest chunk itself has 10 MB.
    assert peak < 25_000_000


def test_a_large_item_in_small_chunks_takes_no_quadratic_time() -> None:
    """Its text is kept once, and looked at once."""
    text = "x" * 3_000_000
    data = f'[["{text}", [{"1," * 500_000}1]]]'.encode()
    (item,) = PLAIN.iter_items(cut(data, 64))
    assert item == [text, [1] * 500_001]


def test_iterators_close_their_file(tmp_path: Path) -> None:
    """Also when they are dropped before the end."""
    opened = Path("/proc/self/fd")
    if not opened.is_dir():
        pytest.skip("the open files of a process are not known here")
    path = tmp_path / "a.json"
    path.write_bytes(b"[" + b"1," * 1_000_000 + b"1]")
    before = len(list(opened.iterdir()))
    items = PLAIN.iter_items(path)
    assert next(items) == 1
    assert len(list(opened.iterdir())) == before + 1
    items.close()  # type: ignore[attr-defined]
    assert len(list(opened.iterdir())) == before
