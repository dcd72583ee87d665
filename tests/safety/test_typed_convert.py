"""Conversion with hostile objects, without memory, in threads: no crash, nothing left.

Allocation failure as in test_allocation_failure: for every n the n-th allocation of a
call is made to fail, alone and with all later ones; the outcome is MemoryError or the
outcome with enough memory.
"""

from __future__ import annotations

import collections
import datetime
import gc
import sys
import threading
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

import snooze
from helpers import ledger, typed_subjects
from helpers.isolated import DEBUG_MALLOC, in_child, needs_module
from helpers.starvation import each_failure, is_lost, outcome_of
from snooze import Converter, ValidationError
from snooze._typed import instances, lower_decode
from snooze._typed.introspect import build
from snooze._typed.options import Options

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PARTS = 4
REPEATS = 12
TIMES = 400


def subjects() -> dict[str, tuple[Any, Any]]:
    """Return the description of a plan and the objects of each document that is JSON."""
    found = {}
    for name, (tp, document, options) in typed_subjects.PLANS.items():
        try:
            value = snooze.loads(document)
        except snooze.JSONDecodeError:
            continue
        plan = (
            options.get("strict", True),
            10_000 if options.get("errors") == "all" else None,
            False,
            None,
        )
        readable = instances.readable(from_attributes=True)
        lowered = lower_decode.lower(
            build(tp, Options()), plan, options.get("dec_hook"), readable=readable
        )
        # Problems go to a function in C: Python functions leak without memory.
        found[name] = (((*lowered, int), readable), value)
    rows = [collections.OrderedDict(a=1), collections.UserDict({"a": 2}), Attributes()]
    found["rows"] = _of(list[typed_subjects.Plain], rows)
    many = {"1": Decimal("1.5"), 2: 7, 3: 10**30}
    found["numbers"] = _of(dict[int, float], many)
    return found


class Attributes:
    """An object with an attribute."""

    a = 3


def _of(tp: Any, value: Any) -> tuple[Any, Any]:
    readable = instances.readable(from_attributes=True)
    plan = (True, None, False, None)
    lowered = lower_decode.lower(build(tp, Options()), plan, readable=readable)
    return ((*lowered, int), readable), value


def starve(part: int) -> str:
    """In a child: every failure of some plans, then what was left behind."""
    lines = []
    for name, (description, value) in sorted(subjects().items())[part::PARTS]:
        converter: Any = Converter.__new__(Converter)
        converter._compile(description)

        def call(converter: Any = converter, value: Any = value) -> Any:
            return converter.convert(value)

        for _ in range(50):
            outcome_of(call)
        try:
            count = each_failure(lambda call=call: call, 1, tolerated=is_lost)
            left = ledger.grown(
                lambda times, call=call: each_failure(
                    lambda: call, times, tolerated=is_lost
                ),
                REPEATS,
            )
            assert name == "lax times" or not left, f"left behind: {left}"
        except AssertionError as error:
            raise AssertionError(f"{name}: {error}") from None
        lines.append(f"{name}: {count}")
    return "\n".join(lines)


@pytest.mark.slow
@needs_module("_testcapi")
@pytest.mark.parametrize("part", range(PARTS))
def test_failing_allocations(part: int) -> None:
    """MemoryError each time, nothing leaked, the next call is right."""
    try:
        printed = in_child(starve, part)
    except pytest.fail.Exception as failed:
        if "left behind" not in str(failed):
            raise
        printed = in_child(starve, part)  # see test_allocation_failure
    counts = [int(line.rpartition(" ")[2]) for line in printed.splitlines()]
    assert sum(counts) > len(counts)


def balance() -> str:
    """In a child: no outcome leaves anything behind."""
    calls: dict[str, Callable[[], Any]] = {}
    for name, (tp, document, options) in typed_subjects.PLANS.items():
        try:
            value = snooze.loads(document)
        except snooze.JSONDecodeError:
            continue
        known = {"strict", "errors", "unknown", "rename", "dec_hook", "gc"}
        given = {key: value for key, value in options.items() if key in known}
        converter: Any = Converter(tp, **given)
        calls[name] = lambda converter=converter, value=value: converter.convert(value)
    rows: Any = Converter(list[typed_subjects.Plain], from_attributes=True)
    sources = [{"a": 1}, collections.UserDict(a=2), Attributes(), {"b": 5}]
    calls["rows"] = lambda: rows.convert(sources[:3])
    calls["bad row"] = lambda: rows.convert(sources)
    wrong = {}
    for name, call in calls.items():
        left = ledger.grown(
            lambda times, call=call: ledger.repeat_call(call, times), TIMES
        )
        if left:
            wrong[name] = left
    assert not wrong, f"left behind by each call: {wrong}"
    return str(len(calls))


def test_calls_leave_nothing_behind() -> None:
    """Every success and error path of the subjects."""
    assert int(in_child(balance)) > 20


def hostile() -> None:
    """In a child: objects whose code changes, raises, converts again or collects."""
    converters: list[Any] = [
        Converter(tp, errors=errors, from_attributes=True)
        for tp in (
            list[typed_subjects.Plain],
            dict[str, typed_subjects.Plain],
            list[dict[int, list[int]] | int],
            list[datetime.datetime | int],
        )
        for errors in ("first", "all")
    ]
    acts: list[Callable[[], Any]] = [
        gc.collect,
        lambda: [value.clear() for value in victims],
        lambda: converters[0].convert([{"a": 1}]),
        lambda: 1 / 0,
    ]
    victims: list[Any] = []
    current: list[Callable[[], Any]] = [gc.collect]

    class Map(collections.abc.Mapping[Any, Any]):
        def __getitem__(self, name: Any) -> Any:
            current[0]()
            return 1

        def __iter__(self) -> Iterator[Any]:
            current[0]()
            return iter(["a", 5, "b"])

        def __len__(self) -> int:
            current[0]()
            return 3

    class Row:
        def __getattribute__(self, name: str) -> Any:
            current[0]()
            return object.__getattribute__(self, name)

        a = 1

    class Liar:
        @property
        def __class__(self) -> Any:
            current[0]()
            return datetime.datetime

        @__class__.setter
        def __class__(self, value: Any) -> None: ...

    class Key(str):
        __slots__ = ()

        def __hash__(self) -> int:
            return 1

        def __eq__(self, other: object) -> bool:
            current[0]()
            return NotImplemented

    class Keys:
        def keys(self) -> Any:
            current[0]()
            return ["a"]

        def __getitem__(self, name: str) -> Any:
            current[0]()
            return 1

    for act in acts:
        for converter in converters:
            for _ in range(20):
                current[0] = int
                inner: list[Any] = [Map(), Row(), Liar(), Keys(), 1, {"a": 2}]
                outer = {Key("a"): inner[1], "b": inner, 3: inner[0], Key("c"): 1}
                victims[:] = [inner, outer]
                current[0] = act
                for value in (inner, outer, [outer], {"x": inner}, inner[0]):
                    try:
                        converter.convert(value)
                    except (ValidationError, ZeroDivisionError, TypeError):
                        pass


def test_hostile_objects() -> None:
    """No crash, with CPython's debug allocator."""
    in_child(hostile, **DEBUG_MALLOC)


def test_threads_that_change_containers() -> None:
    """A snapshot each time: every result is one that the source has been."""
    shared: dict[str, Any] = {"rows": [{"a": 1}] * 50}
    converter: Any = Converter(dict[str, list[dict[str, int]]])
    stop = threading.Event()

    def change() -> None:
        while not stop.is_set():
            shared["rows"] = [{"a": 2}] * 30
            shared["rows"].append({"a": 3})
            shared["rows"].pop()
            shared["more"] = []
            shared.pop("more", None)

    thread = threading.Thread(target=change)
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    thread.start()
    try:
        for _ in range(300):
            made = converter.convert(shared)
            assert set(made) <= {"rows", "more"}
            assert len(made["rows"]) in {30, 31, 50}
    finally:
        stop.set()
        thread.join()
        sys.setswitchinterval(before)
