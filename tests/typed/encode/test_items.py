"""One JSON array in pieces: `Encoder.iter_items`, `dump_items`; and `iter_lines`."""

from __future__ import annotations

import dataclasses
import gzip
import io
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import snooze

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

VALUES = st.lists(
    st.integers(-5, 5) | st.text(max_size=5) | st.lists(st.booleans(), max_size=3)
)


@dataclasses.dataclass
class Point:
    """A record."""

    x: int
    y: int = 0


@given(
    options=st.sampled_from(
        [
            {},
            {"separators": (", ", ": ")},
            {"newline": True},
            {"ensure_ascii": True},
            {"indent": 3},
            {"indent": 0, "newline": True, "separators": (" ,", ": ")},
        ]
    ),
    values=VALUES,
    size=st.integers(1, 60),
)
def test_the_pieces_are_the_text_of_the_list(
    options: Any, values: list[Any], size: int
) -> None:
    """Of any sizes; those of lines are the lines."""
    encoder = snooze.Encoder(**options)
    assert b"".join(encoder.iter_items(iter(values), size=size)) == encoder.encode(
        values
    )
    if "indent" not in options:
        lines = list(encoder.iter_lines(iter(values), size=size))
        assert b"".join(lines) == encoder.encode_lines(values)
        assert all(lines)


def test_a_piece_ends_with_the_value_that_fills_it() -> None:
    """So a slow source is passed on at once with a size of 1."""
    made = []

    def values() -> Iterator[Point]:
        for x in range(3):
            made.append(x)
            yield Point(x)

    encoder = snooze.Encoder(Point, omit_defaults=True)
    pieces = encoder.iter_items(values(), size=1)
    assert (next(pieces), made) == (b'[{"x":0}', [0])
    assert list(pieces) == [b',{"x":1}', b',{"x":2}', b"]"]
    made.clear()
    lines = encoder.iter_lines(values(), size=1)
    assert (next(lines), made) == (b'{"x":0}\n', [0])
    # Nine numbers of two digits and their commas have 27 bytes.
    numbers = list(snooze.Encoder(int).iter_items(range(10, 100), size=27))
    assert len(numbers) == 11


def test_files(tmp_path: Path) -> None:
    """A path, a compressed one, an open file; the count is returned."""
    encoder = snooze.Encoder(Point)
    path = tmp_path / "a.json"
    assert encoder.dump_items((Point(x) for x in range(20_000)), path) == 20_000
    assert list(snooze.Decoder(Point).iter_items(path)) == [
        Point(x) for x in range(20_000)
    ]
    packed = tmp_path / "a.json.gz"
    assert encoder.dump_items([], packed) == 0
    assert gzip.decompress(packed.read_bytes()) == b"[]"
    text = io.StringIO()
    assert encoder.dump_items([Point(1)], text) == 1
    assert text.getvalue() == '[{"x":1,"y":0}]'


def test_an_error_names_the_value_and_leaves_the_file(tmp_path: Path) -> None:
    """The values before it come first; the file of a path is unchanged."""
    encoder = snooze.Encoder()
    pieces = encoder.iter_items([1, 2, object(), 4])
    assert next(pieces) == b"[1,2"
    with pytest.raises(snooze.JSONEncodeError, match="not JSON serializable") as caught:
        next(pieces)
    assert caught.value.__notes__ == ["in $[2]"]
    path = tmp_path / "a.json"
    path.write_text("old")
    with pytest.raises(snooze.JSONEncodeError):
        encoder.dump_items([1, object()], path)
    assert path.read_text() == "old"

    def failing() -> Iterator[int]:
        yield 1
        raise KeyError("source")

    with pytest.raises(KeyError, match="source") as raised:
        encoder.dump_items(failing(), path)
    assert not hasattr(raised.value, "__notes__")
    assert path.read_text() == "old"


def test_a_text_file_without_a_character(tmp_path: Path) -> None:
    """The error names the file, as that of `dump` does."""
    path = tmp_path / "a.json"
    for method in (snooze.Encoder().dump_items, snooze.Encoder().dump_lines):
        with path.open("w", encoding="ascii") as file:
            with pytest.raises(UnicodeEncodeError) as caught:
                method([1, "é"], file)
            assert caught.value.__notes__ == [f"for the file {path}"]


def test_copied_json_keeps_its_place() -> None:
    """Line feeds in it become spaces, so that no value is cut at one."""
    fragment = snooze.Fragment(b'{"a":\n 1}')
    assert list(snooze.Encoder().iter_items([fragment, 2])) == [b'[{"a":  1},2', b"]"]


def test_wrong_arguments() -> None:
    """Each is refused at the call."""
    encoder = snooze.Encoder()
    for method in (encoder.iter_items, encoder.iter_lines):
        with pytest.raises(ValueError, match="size needs at least 1"):
            method([], size=0)
        with pytest.raises(TypeError, match="size needs an int"):
            method([], size=True)
        with pytest.raises(TypeError, match="not iterable"):
            method(1)  # type: ignore[arg-type]
    assert list(encoder.iter_items([1], size=2**70)) == [b"[1", b"]"]
    with pytest.raises(ValueError, match="iter_lines: expected an Encoder without"):
        snooze.Encoder(indent=2).iter_lines([])
    with pytest.raises(TypeError):
        encoder.dump_items([], 1)  # type: ignore[arg-type]
