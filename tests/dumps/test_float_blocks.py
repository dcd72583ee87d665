"""Lists of floats and rows of floats: written in blocks, with the text of single floats.

Separate from `test_scalars`, which has the text of each number. The reference writes each
number by itself, so that no block is involved.
"""

from __future__ import annotations

import gc
import math
import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import snooze

#: Floats of every kind: short, long, with exponents, special, and integers among them.
NUMBERS = [0.5, 1 / 3, -0.0, 1e300, 5e-324, 123.45, 1e16, 0.1 + 0.2, -7.25, 3.0]
SPECIAL = [math.nan, math.inf, -math.inf]


def reference(value: Any) -> bytes:
    """Return the document, in which each number was written by its own call."""
    if isinstance(value, (list, tuple)):
        return b"[" + b",".join(map(reference, value)) + b"]"
    return snooze.dumps(value)


def floats(count: int) -> list[float]:
    """Return as many floats of every kind."""
    return [NUMBERS[index % len(NUMBERS)] * (1 + index) for index in range(count)]


@pytest.mark.parametrize("count", range(70))
def test_every_length(count: int) -> None:
    value = floats(count)
    assert snooze.dumps(value) == reference(value)
    assert snooze.dumps(tuple(value)) == reference(value)
    prices = [index / 100 for index in range(count)]
    assert snooze.dumps(prices) == reference(prices)
    assert snooze.Encoder(list[float]).encode(value) == reference(value)


@pytest.mark.parametrize(
    "other",
    [
        None,
        True,
        "text",
        "\u00e9t\u00e9",
        "\u4e2d" * 40,
        5,
        -(2**63),
        2**64 - 1,
        [],
        {},
        [1.5],
        [1.5] * 20,
        {"a": 0.5},
    ],
)
@pytest.mark.parametrize("at", [0, 1, 7, 8, 15, 16, 17, 31, 39])
def test_another_value_at_every_place(other: object, at: int) -> None:
    value: list[object] = [*floats(40)]
    value[at] = other
    assert snooze.dumps(value) == reference(value)
    assert snooze.Encoder(list[Any]).encode(value) == reference(value)
    rows: list[object] = [[0.5, 1 / 3] for _ in range(40)]
    rows[at] = other
    assert snooze.dumps(rows) == reference(rows)


@pytest.mark.parametrize("special", SPECIAL)
@pytest.mark.parametrize("at", [0, 7, 8, 15, 16, 19])
def test_special_floats(special: float, at: int) -> None:
    value = floats(20)
    value[at] = special
    assert snooze.dumps(value) == reference(value)
    assert snooze.loads(snooze.dumps(value))[at] is None
    with pytest.raises(snooze.JSONEncodeError, match=rf"at \$\[{at}\]"):
        snooze.Encoder(list[float], nan="error").encode(value)


@pytest.mark.parametrize("width", range(7))
@pytest.mark.parametrize("count", [1, 3, 4, 5, 8, 9, 17, 40])
def test_rows(width: int, count: int) -> None:
    rows = [floats(width) for _ in range(count)]
    assert snooze.dumps(rows) == reference(rows)
    assert snooze.dumps([tuple(row) for row in rows]) == reference(rows)
    assert (
        snooze.dumps({"coordinates": [rows]})
        == b'{"coordinates":[' + reference(rows) + b"]}"
    )


@pytest.mark.parametrize(
    "row",
    [
        (),
        (1, 2),
        (0.5,),
        (0.5, 1),
        (0.5, None),
        (0.5, "a"),
        (0.5, (0.5, 1.5)),
        (0.5,) * 9,
    ],
)
@pytest.mark.parametrize("at", [0, 1, 7, 8, 15, 16, 29])
def test_another_row_at_every_place(row: tuple[Any, ...], at: int) -> None:
    rows: list[Any] = [[index + 0.25, index / 3] for index in range(30)]
    rows[at] = row
    assert snooze.dumps(rows) == reference(rows)
    rows[at] = list(row)
    assert snooze.dumps(rows) == reference(rows)


def test_integers_of_blocks_obey_the_options() -> None:
    value = [*floats(20), 2**53, *floats(20)]
    assert snooze.dumps(value) == reference(value)
    rows = [[0.5, 2**53]] * 20
    assert snooze.dumps(rows) == reference(rows)
    rows[0] = [0.5, 1.5]
    for refused in (value, rows):
        with pytest.raises(snooze.JSONEncodeError, match="53-bit"):
            snooze.dumps(refused, option=snooze.OPT_STRICT_INTEGER)
    with pytest.raises(snooze.JSONEncodeError, match="64-bit"):
        snooze.dumps([*floats(20), 2**64])
    with pytest.raises(snooze.JSONEncodeError, match=r"at \$\[20\]"):
        snooze.Encoder(list[float]).encode([*floats(20), "text"])


def test_an_encoder_refuses_what_its_type_does_not_allow() -> None:
    value: list[Any] = [
        None if index % 9 == 5 else 0.5 / (index + 1) for index in range(50)
    ]
    assert snooze.Encoder(list[float | None]).encode(value) == reference(value)
    for refused in (None, "text", [0.5]):
        value = [*floats(37), refused, *floats(40)]
        with pytest.raises(snooze.JSONEncodeError, match=r"at \$\[37\]"):
            snooze.Encoder(list[float]).encode(value)


def test_a_tuple_that_is_not_finished() -> None:
    """Its last items are null, and it is found by the collector's list of referrers."""
    texts: list[bytes] = []
    marker = 0.125

    class Items:
        def __init__(self) -> None:
            self.count = 0

        def __iter__(self) -> Items:
            return self

        def __length_hint__(self) -> int:
            return 64

        def __next__(self) -> float:
            self.count += 1
            if self.count == 1:
                return marker
            if self.count == 5:
                for found in gc.get_referrers(marker):
                    if type(found) is tuple and len(found) == 64:
                        texts.append(snooze.dumps(found))
            if self.count > 70:
                raise StopIteration
            return float(self.count)

    made = tuple(Items())
    assert snooze.dumps(made) == reference(made)
    # Where the interpreter builds a tuple otherwise, none is found.
    assert set(texts) <= {b"[0.125,2.0,3.0,4.0]"}


def test_white_space() -> None:
    value = {"rows": [[0.5, 1 / 3]] * 9, "floats": floats(20)}
    indented = snooze.dumps(value, option=snooze.OPT_INDENT_2)
    assert b"".join(indented.split()) == snooze.dumps(value)
    assert snooze.loads(indented) == snooze.loads(snooze.dumps(value))


def test_nesting_is_limited() -> None:
    rows: list[Any] = [[0.5, 1.5]] * 8
    for _ in range(252):
        rows = [rows]
    assert snooze.dumps(rows).count(b"[") == 252 + 1 + 8
    with pytest.raises(snooze.JSONEncodeError, match="Recursion limit"):
        snooze.dumps([rows])


def test_instances_of_subclasses_and_default() -> None:
    class Celsius(float):
        pass

    value = [*floats(20), Celsius(0.5), *floats(20)]
    with pytest.raises(snooze.JSONEncodeError, match="Celsius"):
        snooze.dumps(value)
    expected = reference([*floats(20), "warm", *floats(20)])
    assert snooze.dumps(value, default=lambda _: "warm") == expected
    rows = [[0.5, 1.5]] * 10 + [[0.5, Celsius(1.5)]] + [[0.5, 1.5]] * 10
    expected = reference([[0.5, 1.5]] * 10 + [[0.5, "warm"]] + [[0.5, 1.5]] * 10)
    assert snooze.dumps(rows, default=lambda _: "warm") == expected


any_float = st.floats() | st.integers(0, 10**9).map(lambda count: count / 1000)


@given(st.lists(any_float, max_size=50))
def test_any_floats(value: list[float]) -> None:
    text = snooze.dumps(value)
    assert text == reference(value)
    for item, read in zip(value, snooze.loads(text), strict=True):
        if math.isfinite(item):
            assert struct.pack("d", item) == struct.pack("d", read)


@given(st.lists(st.lists(any_float | st.integers(0, 9), max_size=4), max_size=30))
def test_any_rows(value: list[list[float]]) -> None:
    assert snooze.dumps(value) == reference(value)
