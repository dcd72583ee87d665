"""Arguments of dumps and loads: positions, keywords, and every way to get them wrong."""

from __future__ import annotations

import enum
from typing import Any

import pytest

import snooze


class Flags(enum.IntFlag):
    """An int subclass: not accepted as an option."""

    INDENT = 1


class Number(int):
    """An int subclass: not accepted as an option."""


@pytest.mark.parametrize(
    ("args", "kwargs"),
    [
        (([1],), {}),
        (([1], None), {}),
        (([1], None, None), {}),
        (([1], None, 0), {}),
        (([1], str, 0), {}),
        (([1],), {"default": None}),
        (([1],), {"option": None}),
        (([1],), {"default": None, "option": None}),
        (([1],), {"option": None, "default": None}),
        (([1], None), {"option": 0}),
        (([1],), {"default": str, "option": 0}),
    ],
    ids=str,
)
def test_accepted_calls(args: Any, kwargs: Any) -> None:
    """`default` and `option` can be given by position or by keyword."""
    assert snooze.dumps(*args, **kwargs) == b"[1]"


def test_arguments_reach_their_place() -> None:
    """The second argument is default, the third is option."""
    assert snooze.dumps({1}, list) == b"[1]"
    assert snooze.dumps([1], None, snooze.OPT_INDENT_2) == b"[\n  1\n]"
    assert snooze.dumps({1}, option=snooze.OPT_INDENT_2, default=list) == b"[\n  1\n]"


@pytest.mark.parametrize(
    ("args", "kwargs", "text"),
    [
        ((), {}, "dumps() missing 1 required positional argument: 'obj'"),
        ((), {"obj": 1}, "dumps() missing 1 required positional argument: 'obj'"),
        (
            (),
            {"default": None},
            "dumps() missing 1 required positional argument: 'obj'",
        ),
        (
            (1, None),
            {"default": None},
            "dumps() got multiple values for argument: 'default'",
        ),
        (
            (1, None, None),
            {"option": None},
            "dumps() got multiple values for argument: 'option'",
        ),
    ],
    ids=["nothing", "obj by name", "default only", "default twice", "option twice"],
)
def test_missing_and_doubled(args: Any, kwargs: Any, text: str) -> None:
    """The first argument is required and positional; no argument may be given twice."""
    with pytest.raises(TypeError) as caught:
        snooze.dumps(*args, **kwargs)
    assert str(caught.value) == text


@pytest.mark.parametrize("count", [4, 5, 6, 7, 20])
def test_surplus_positional(count: int) -> None:
    """More than three positional arguments are an error that states their number."""
    with pytest.raises(TypeError) as caught:
        snooze.dumps(*[None] * count)
    assert str(caught.value) == (
        f"dumps() takes at most 3 positional arguments ({count} given)"
    )


@pytest.mark.parametrize(
    "name", ["foo", "obj", "indent", "sort_keys", "é", "Option", ""]
)
def test_unknown_keyword(name: str) -> None:
    """An unknown keyword is an error that names it."""
    with pytest.raises(TypeError) as caught:
        snooze.dumps(1, **{name: 1})
    assert str(caught.value) == f"dumps() got an unexpected keyword argument '{name}'"
    [note] = caught.value.__notes__
    assert "snooze.encode and snooze.json.dumps take indent, sort_keys" in note


def test_keywords_compare_by_value() -> None:
    """A keyword made at run time, not interned, is recognised."""
    option = "an option"[3:]
    default = snooze.loads(b'{"default":1}').popitem()[0]
    assert snooze.dumps([1], **{option: snooze.OPT_INDENT_2}) == b"[\n  1\n]"
    assert snooze.dumps({1}, **{default: list}) == b"[1]"


@pytest.mark.parametrize(
    "option",
    [
        True,
        False,
        1.0,
        "1",
        b"1",
        [],
        (),
        Flags.INDENT,
        Number(1),
        object(),
        1j,
        -1,
        -(2**31),
        -(2**64),
        4096,
        4097,
        8192,
        2**15,
        2**16,
        2**29,
        2**30,
        2**30 + 1,
        2**31,
        2**32,
        2**60,
        2**60 + 1,
        2**63,
        2**64,
        2**64 + 1,
        10**100,
    ],
    ids=repr,
)
@pytest.mark.parametrize("obj", [1, object()], ids=["good", "bad"])
def test_invalid_option(option: Any, obj: Any) -> None:
    """Only an exact int within the mask is an option; it is checked first."""
    with pytest.raises(snooze.JSONEncodeError, match="^Invalid opts") as caught:
        snooze.dumps(obj, option=option)
    assert caught.value.__cause__ is None
    with pytest.raises(snooze.JSONEncodeError, match="^Invalid opts"):
        snooze.dumps(obj, None, option)


@pytest.mark.parametrize("args", [(), ("1", "2"), ("1", "2", "3")], ids=len)
def test_loads_arity(args: Any) -> None:
    """loads takes one argument."""
    with pytest.raises(TypeError) as caught:
        snooze.loads(*args)
    text = f"snooze.loads() takes exactly one argument ({len(args)} given)"
    assert str(caught.value) == text


@pytest.mark.parametrize(
    ("args", "name"), [((), "obj"), (("1",), "x")], ids=["only", "extra"]
)
def test_loads_takes_no_keywords(args: Any, name: str) -> None:
    """loads accepts no keywords."""
    with pytest.raises(TypeError) as caught:
        snooze.loads(*args, **{name: "1"})
    assert str(caught.value) == "snooze.loads() takes no keyword arguments"
