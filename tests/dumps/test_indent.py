"""dumps with OPT_INDENT_2: equal to the stdlib's indent=2, with one exception."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest
from hypothesis import given

import snooze
from helpers.strategies import json_values
from helpers.support import nested

INDENT = snooze.OPT_INDENT_2


def stdlib(value: Any) -> bytes:
    """Return what the stdlib writes with indent=2."""
    return json.dumps(value, indent=2, ensure_ascii=False).encode()


@pytest.mark.parametrize(
    "value",
    [
        1,
        "a",
        None,
        [],
        {},
        [[]],
        [{}],
        {"a": []},
        {"a": {}},
        [1],
        [1, 2],
        {"a": 1},
        {"a": 1, "b": 2},
        [[1], [2, [3]], {}],
        {"a": [1, {"b": [{}, []]}], "c": {"d": {"e": None}}},
        {"a": "b", "c": {"d": True}, "e": [1, 2]},
        ["\n", {"\n": "\n"}],
    ],
    ids=repr,
)
def test_equals_stdlib(value: Any) -> None:
    """Line breaks and spaces are where the stdlib puts them."""
    assert snooze.dumps(value, option=INDENT) == stdlib(value)


def test_tuple_is_an_array() -> None:
    """Tuples are laid out like lists."""
    assert snooze.dumps(((), (1,)), option=INDENT) == stdlib([[], [1]])


@pytest.mark.parametrize("depth", [1, 2, 31, 32, 33, 63, 64, 65, 127, 128, 200, 254])
def test_deep_indentation(depth: int) -> None:
    """Up to the depth limit, where a line starts with 508 spaces."""
    for value in (
        nested(depth, lambda v: [v]),
        nested(depth, lambda v: {"a": v, "b": 1}),
    ):
        assert snooze.dumps(value, option=INDENT) == stdlib(value)


def test_dataclass() -> None:
    """A dataclass is laid out like an object; one without fields is `{}`."""

    @dataclasses.dataclass
    class Point:
        x: int
        y: Any

    @dataclasses.dataclass
    class Empty:
        pass

    assert snooze.dumps(Point(1, [2]), option=INDENT) == stdlib({"x": 1, "y": [2]})
    assert snooze.dumps([Empty(), {"a": Empty()}], option=INDENT) == stdlib(
        [{}, {"a": {}}]
    )


@dataclasses.dataclass
class Private:
    """Only private fields."""

    _a: int = 1


@dataclasses.dataclass(slots=True)
class PrivateSlots:
    """Only private fields, without a `__dict__`."""

    _a: int = 1


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Private(), b"{\n  \n}"),
        ([Private()], b"[\n  {\n    \n  }\n]"),
        ({"a": Private()}, b'{\n  "a": {\n    \n  }\n}'),
        (PrivateSlots(), b"{\n  \n}"),
        ([PrivateSlots(), 1], b"[\n  {\n    \n  },\n  1\n]"),
    ],
    ids=["root", "list", "dict", "slots", "slots in a list"],
)
def test_dataclass_with_only_private_fields(value: Any, expected: bytes) -> None:
    """The exception: here an empty object takes two lines."""
    assert snooze.dumps(value, option=INDENT) == expected
    assert snooze.loads(expected) is not None


def test_fragment_keeps_its_layout() -> None:
    """A fragment is copied verbatim at its place in the indentation."""
    value = {"a": snooze.Fragment(b'{"x":1}'), "b": [snooze.Fragment("[\n1]")]}
    expected = b'{\n  "a": {"x":1},\n  "b": [\n    [\n1]\n  ]\n}'
    assert snooze.dumps(value, option=INDENT) == expected


def test_with_default_and_newline() -> None:
    """The result of default is indented at its place; the newline comes last."""
    option = INDENT | snooze.OPT_APPEND_NEWLINE
    written = snooze.dumps([{1}], default=lambda s: {"set": list(s)}, option=option)
    assert written == stdlib([{"set": [1]}]) + b"\n"


def test_non_str_keys() -> None:
    """Converted keys are laid out like str keys."""
    option = INDENT | snooze.OPT_NON_STR_KEYS
    assert snooze.dumps({1: {}, None: [1]}, option=option) == stdlib(
        {"1": {}, "null": [1]}
    )


@given(json_values(floats=False))
def test_any_value_equals_stdlib(value: Any) -> None:
    """Any tree is laid out as the stdlib lays it out."""
    assert snooze.dumps(value, option=INDENT) == stdlib(value)
