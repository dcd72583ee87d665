"""Python objects into JSON Lines: `encode_lines` and `dump_lines`."""

from __future__ import annotations

import dataclasses
import gzip
import io
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import snooze

if TYPE_CHECKING:
    from collections.abc import Iterator

PLAIN = snooze.Encoder()
SCALARS = st.none() | st.text(max_size=9) | st.integers()


@dataclasses.dataclass
class Event:
    """A record."""

    id: int
    text: str | None = None


EVENTS = snooze.Encoder(Event, omit_none=True)


@pytest.mark.parametrize("make", [list, tuple, iter, lambda some: (x for x in some)])
def test_each_value_is_a_line(make: Any) -> None:
    """Whatever the iterable."""
    assert PLAIN.encode_lines(make([])) == b""
    assert PLAIN.encode_lines(make([1, [], "a\nb"])) == b'1\n[]\n"a\\nb"\n'
    values = [Event(1), Event(2, "x")]
    assert EVENTS.encode_lines(make(values)) == b'{"id":1}\n{"id":2,"text":"x"}\n'


@given(st.lists(SCALARS | st.lists(SCALARS, max_size=4)))
def test_lines_come_back(values: list[Any]) -> None:
    """What is written is what `decode_lines` and `json` read, line by line."""
    text = PLAIN.encode_lines(values)
    assert snooze.Decoder().decode_lines(text) == values
    assert [json.loads(line) for line in text.split(b"\n") if line] == values
    file = io.BytesIO()
    assert PLAIN.dump_lines(iter(values), file) == len(values)
    assert file.getvalue() == text


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"newline": True},
        {"separators": (" ,\n", "\n:")},
        {"ensure_ascii": True},
        {"ensure_ascii": True, "newline": True},
        {"sort_keys": True},
        {"separators": (", ", ": "), "newline": True},
    ],
)
@pytest.mark.parametrize("size", [1, 400, 3000])
def test_copied_json_stays_on_its_line(options: dict[str, Any], size: int) -> None:
    """Its line feeds become spaces; each layout gives one line for each value."""
    raw = snooze.Raw(b'{\n"a" : [1,\r\n' + b"2,\n" * size + b"3]\n}\n")
    fragment = snooze.Fragment(b"[\n]")
    values = [raw, {"\u00e9": raw}, [fragment], "x" * size, 7]
    text = snooze.Encoder(**options).encode_lines(values)
    assert text.endswith(b"7\n")
    lines = text.split(b"\n")
    assert len(lines) == len(values) + 1
    assert [json.loads(line) for line in lines[:-1]] == [
        json.loads(raw),
        {"\u00e9": json.loads(raw)},
        [[]],
        "x" * size,
        7,
    ]


def test_an_indent_is_refused() -> None:
    """Its values would be many lines."""
    for call in (
        lambda encoder: encoder.encode_lines([]),
        lambda encoder: encoder.dump_lines([], io.BytesIO()),
    ):
        with pytest.raises(ValueError, match="without indent"):
            call(snooze.Encoder(indent=2))
    assert snooze.Encoder(indent=None).encode_lines([1]) == b"1\n"


def test_errors_name_their_line(tmp_path: Path) -> None:
    """A file of a path is unchanged; an open file has the lines before."""
    values = [Event(1), Event(2), Event("3"), Event(4)]  # type: ignore[arg-type]
    with pytest.raises(TypeError) as caught:
        EVENTS.encode_lines(values)
    assert str(caught.value) == "expected int, found str at $.id"
    assert caught.value.__notes__ == ["in line 3"]
    file = io.BytesIO()
    with pytest.raises(TypeError) as caught:
        EVENTS.dump_lines(values, file)
    assert caught.value.__notes__ == ["in line 3"]
    assert file.getvalue() == b'{"id":1}\n{"id":2}\n'
    path = tmp_path / "events.ndjson"
    path.write_bytes(b"old")
    with pytest.raises(TypeError):
        EVENTS.dump_lines(values, path)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]
    first = snooze.Encoder(int)
    with pytest.raises(TypeError) as caught:
        first.encode_lines(["1"])  # type: ignore[list-item]
    assert caught.value.__notes__ == ["in line 1"]


def test_errors_of_the_iterable_are_its_own(tmp_path: Path) -> None:
    """Nothing is added to them, and the lines before are written."""

    def failing() -> Iterator[int]:
        yield 1
        yield 2
        raise OSError("input failed")

    file = io.StringIO()
    with pytest.raises(OSError, match="^input failed$") as caught:
        PLAIN.dump_lines(failing(), file)
    assert not hasattr(caught.value, "__notes__")
    assert caught.value.filename is None
    assert file.getvalue() == "1\n2\n"
    with pytest.raises(OSError, match="^input failed$") as caught:
        PLAIN.dump_lines(failing(), tmp_path / "out")
    assert caught.value.filename is None
    assert not list(tmp_path.iterdir())
    for wrong in (3, None):
        with pytest.raises(TypeError, match="not iterable"):
            PLAIN.encode_lines(wrong)  # type: ignore[arg-type]


def test_files(tmp_path: Path) -> None:
    """Paths, compressed ones, text files; a generator needs no list."""
    count = 30_000
    expected = b"".join(b'{"id":%d}\n' % number for number in range(count))

    def events() -> Iterator[Event]:
        return map(Event, range(count))

    for name in ("lines.ndjson", "lines.ndjson.gz"):
        path = tmp_path / name
        assert EVENTS.dump_lines(events(), path) == count
        assert list(snooze.Decoder(Event).iter_lines(path)) == list(events())
    assert (tmp_path / "lines.ndjson").read_bytes() == expected
    assert gzip.decompress((tmp_path / "lines.ndjson.gz").read_bytes()) == expected
    with (tmp_path / "lines.txt").open("w", encoding="utf-8", newline="") as text:
        assert EVENTS.dump_lines(events(), text) == count
    assert (tmp_path / "lines.txt").read_bytes() == expected
    with pytest.raises(TypeError, match="found int"):
        EVENTS.dump_lines(events(), 3)  # type: ignore[arg-type]
    with pytest.raises(OSError, match="Is a directory"):
        EVENTS.dump_lines([], tmp_path)
    assert PLAIN.dump_lines([], tmp_path / "empty") == 0
    assert (tmp_path / "empty").read_bytes() == b""


def test_blocks_are_written_as_they_come() -> None:
    """An open file has the first block before the iterable ends."""
    file = io.BytesIO()
    sizes = []

    def watched() -> Iterator[str]:
        for _ in range(3000):
            sizes.append(len(file.getvalue()))
            yield "x" * 1000

    PLAIN.dump_lines(watched(), file)
    assert 0 < sizes[1000] < sizes[2999] < len(file.getvalue())


def test_interrupts_are_not_kept() -> None:
    """They are raised at once, from the iterable and from hooks."""

    def interrupt(value: Any) -> Any:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        snooze.Encoder(enc_hook=interrupt).encode_lines([1, object()])
    with pytest.raises(KeyboardInterrupt):
        PLAIN.encode_lines(map(interrupt, [1]))


def test_the_list_changes_meanwhile() -> None:
    """Python's rules for iterators hold; the encoder may be used inside itself."""
    values: list[Any] = [object()]

    def hook(value: Any) -> Any:
        if len(values) < 5:
            values.append(object())
        return encoder.encode_lines([len(values)]).decode()

    encoder = snooze.Encoder(enc_hook=hook)
    assert encoder.encode_lines(values) == b'"2\\n"\n"3\\n"\n"4\\n"\n"5\\n"\n"5\\n"\n'


def test_the_method_of_the_extension_checks_its_arguments() -> None:
    """It is private, and still never crashes."""
    write = PLAIN._encode_lines
    assert write(iter([1, 2]), 0) == (b"", 0, None, False)
    assert write(iter([1, 2]), 1) == (b"1\n", 1, None, False)
    for wrong in [(), (iter([]),), (iter([]), "1"), (iter([]), 2**70)]:
        with pytest.raises(TypeError):
            write(*wrong)
    text, count, error, is_of_values = write([1], 9)
    assert (text, count, type(error), is_of_values) == (b"", 0, TypeError, True)


def test_a_hook_that_raises_stop_iteration_ends_nothing() -> None:
    """It would look like the end of the values."""

    def hook(value: Any) -> Any:
        raise StopIteration("empty")

    encoder = snooze.Encoder(enc_hook=hook)
    file = io.BytesIO()
    for call in (encoder.encode_lines, lambda values: encoder.dump_lines(values, file)):
        with pytest.raises(RuntimeError, match="StopIteration") as caught:
            call([1, object(), 2])
        assert caught.value.__notes__ == ["in line 2"]
    assert file.getvalue() == b"1\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is full")
def test_a_full_disk_has_a_name() -> None:
    """Also where the last block is written when the file is closed."""
    with pytest.raises(OSError, match="space") as caught:
        PLAIN.dump_lines([1, 2], "/dev/full")
    assert caught.value.filename == "/dev/full"
