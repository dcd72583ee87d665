"""Failing allocations of CPython while options of an Encoder act, and while a place is found.

Separate from `test_typed_encode_memory`, whose encoders have none of these options. The
outcome is MemoryError or the right one, and nothing is left behind. Each case runs in a
child.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import functools
from typing import TYPE_CHECKING, Any

import pytest

import snooze
from helpers import ledger
from helpers.cpython_faults import in_child_unless_faulty
from helpers.isolated import in_child, needs_module
from helpers.starvation import each_failure
from snooze import Encoder
from snooze import json as module

if TYPE_CHECKING:
    from collections.abc import Callable


class Unknown:
    """Nothing can write it."""


@dataclasses.dataclass(slots=True)
class Slots:
    """It is written without Python code."""

    a: Any


def name(_: Any) -> str:
    """Return a text: a hook."""
    return "hooked"


UNKNOWN = Unknown()
TIME = dt.datetime(2026, 1, 2, 3, 4, 5, 67, dt.UTC)
OPTIONS: dict[str, tuple[dict[str, Any], Any]] = {
    "hooks": ({"hooks": {Unknown: name, bytes: name}}, [UNKNOWN, b"x", {"a": UNKNOWN}]),
    "built-in": ({"hooks": {str: len}}, ["abc", {"key": "abc"}]),
    "keys": ({"key_hook": name}, [{(1, 2): 1, "é\ud800"[:1]: 2}]),
    "nan": ({"nan": "literal"}, [float("nan"), {"a": float("-inf")}]),
    "text": ({"nan": "string"}, [float("nan")]),
    "escape": ({"surrogates": "escape"}, ["é\ud800", {"€\udfff": 1}]),
    "replace": ({"surrogates": "replace", "indent": 1}, ["é\ud800", {"€\udfff": 1}]),
    "refuse": ({}, [{"a": "é\ud800"}]),
    "times": ({"timespec": "milliseconds"}, [TIME, TIME.time(), {TIME: 1}]),
    "none": ({"omit_none": "all"}, [{"a": None, "b": {"c": None}}]),
    "iterables": ({"iterables": True}, [range(3), {"a": 1}.keys()]),
    "depth": ({"max_depth": 3}, [[[[1]]]]),
}
DUMPS: dict[str, tuple[Any, int]] = {
    "value": ({"a": [1, {"b/c": UNKNOWN}]}, 0),
    "integer": ({"a": [1, {"é": (2**70,)}]}, 0),
    "slots": ([Slots(1), Slots({"x": Slots(2**70)})], 0),
    "sorted": ({"b": 1, "a": [{"d": 2**70, "c": 1}]}, snooze.OPT_SORT_KEYS),
    "keys": ([{"a": 1, 2: 3}], 0),
    "other keys": ([{1: {2: "\ud800"}}], snooze.OPT_NON_STR_KEYS),
}


def placed(value: Any, option: int) -> Any:
    """Return where `dumps` fails."""
    try:
        return snooze.dumps(value, option=option)
    except TypeError as error:
        return str(error), error.path, error.pointer  # type: ignore[attr-defined]


def default(one: Any) -> Any:
    """Write one class, for `snooze.json`."""
    if isinstance(one, Unknown):
        return ["made", {"of": None}]
    raise ValueError("no")


CASES: dict[str, Callable[[], Any]] = {
    f"encode {title}": functools.partial(Encoder(**options).encode, value)
    for title, (options, value) in OPTIONS.items()
}
CASES |= {
    f"dumps {title}": functools.partial(placed, *arguments)
    for title, arguments in DUMPS.items()
}
CASES["json"] = lambda: module.dumps([UNKNOWN, {"a": UNKNOWN}], default=default)
CASES["json again"] = lambda: module.dumps([UNKNOWN, {1: 2}], default=default)
CASES["json raises"] = lambda: module.dumps([UNKNOWN, {1}], default=default)


def starve(title: str) -> str:
    """In a child: every failing allocation, then what was left behind."""
    call = CASES[title]
    count = each_failure(lambda: call, 1)
    left = ledger.grown(lambda times: each_failure(lambda: call, times), 4)
    assert not left, f"left behind by each round of failures: {left}"
    return str(count)


# CPython 3.11 itself crashes, or loses the exception, where a raise statement of Python
# code gets no memory.
@pytest.mark.slow
@needs_module("_testcapi")
@pytest.mark.parametrize("title", [one for one in CASES if one != "json raises"])
def test_failing_allocations(title: str) -> None:
    """MemoryError each time, nothing leaked."""
    assert int(in_child_unless_faulty(starve, title)) > 0


def balance(title: str) -> None:
    """In a child: hundreds of calls leave nothing behind."""

    def call() -> None:
        try:
            CASES[title]()
        except (TypeError, ValueError):
            pass

    left = ledger.grown(lambda times: ledger.repeat_call(call, times), 200)
    assert not left, left


@pytest.mark.slow
@pytest.mark.parametrize("title", CASES)
def test_calls_leave_nothing_behind(title: str) -> None:
    """Calls that succeed and calls that fail."""
    in_child(balance, title)
