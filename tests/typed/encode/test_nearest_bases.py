"""Classes that are written as one of their bases, where nothing says their type."""

from __future__ import annotations

import collections
import dataclasses
from typing import Any

import pytest

import snooze

UserString = collections.UserString


class Name(UserString):
    """A subclass."""


class Point(complex):
    """Another."""


@dataclasses.dataclass
class Row:
    """A field of a class that is a string."""

    name: UserString
    more: Any = None


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (UserString("é\n"), '"é\\n"'),
        ([Name("a"), {"b": UserString("")}], '["a",{"b":""}]'),
        ({UserString("a"): 1}, '{"a":1}'),
        (Row(Name("a"), UserString("b")), '{"name":"a","more":"b"}'),
    ],
)
def test_a_user_string_is_a_string(value: Any, text: str) -> None:
    """And not the sequence of strings that it is, too."""
    for options in ({}, {"iterables": True}, {"sort_keys": True}, {"indent": 2}):
        found = snooze.encode(value, **options)
        assert snooze.loads(found) == snooze.loads(text)
    assert snooze.encode(value).decode() == text
    assert snooze.to_builtins(value) == snooze.loads(text)


def test_a_user_string_as_a_type() -> None:
    rows = snooze.decode('[{"name":"a"}]', list[Row])
    assert rows == [Row(UserString("a"))]
    assert type(rows[0].name) is UserString
    assert snooze.encode({UserString("a"): 1}, dict[UserString, int]) == b'{"a":1}'
    assert snooze.encode(Name("x"), UserString | None) == b'"x"'
    assert snooze.schema(UserString)["type"] == "string"
    assert snooze.encode(Name("x"), hooks={UserString: lambda one: [one.data]}) == (
        b'["x"]'
    )
    with pytest.raises(snooze.ValidationError, match="expected UserString, found int"):
        snooze.decode("1", UserString)


@pytest.mark.parametrize("library", ["", "numpy"])
def test_complex_numbers_of_other_classes(library: str) -> None:
    """As `complex`: hooks come first."""
    made = pytest.importorskip(library).complex128 if library else Point
    value: Any = made(1 + 2j)
    assert snooze.encode([value]) == b'["1+2j"]'
    assert snooze.encode({value: value}) == b'{"1+2j":"1+2j"}'
    assert snooze.encode(value, complex) == snooze.encode(value, type(value))
    assert snooze.to_builtins(value) == "1+2j"
    assert snooze.encode([value], enc_hook=lambda one: [one.real]) == b"[[1.0]]"
    assert snooze.encode([value], hooks={complex: abs}) == b"[2.23606797749979]"
    assert snooze.encode(value, hooks={type(value): lambda one: one}) == b'"1+2j"'


def test_arrays_of_complex_numbers() -> None:
    np = pytest.importorskip("numpy")
    for shape, text in (((), '"1j"'), ((1,), '["1j"]'), ((1, 1), '[["1j"]]')):
        assert snooze.encode(np.full(shape, 1j)) == text.encode()
    assert snooze.encode(np.full((1, 1), 1j, "complex64")) == b'[["1j"]]'
