"""Typed encoding without memory, thousands of times, and on several threads.

Every case encodes a record with a field of each kind. Each allocation of a call is made
to fail, calls are repeated, and threads share one encoder: the outcome is MemoryError or
the right one, and nothing is left behind.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import decimal
import functools
import gc
import uuid
import weakref
from typing import TYPE_CHECKING, Annotated, Any

import pytest

import snooze
from helpers import ledger, subjects
from helpers.descriptions import ANY, COLORS, INT, STR, Color, encoder, node
from helpers.isolated import in_child, needs_module
from helpers.starvation import STARVED, each_failure, starved
from helpers.threads import THREADS, result_or_error, together
from snooze import _snooze

if TYPE_CHECKING:
    from collections.abc import Callable


NUMBERED = uuid.UUID(int=7)


@dataclasses.dataclass(slots=True)
class Full:
    """A field of every kind."""

    text: str = "\u00e9t\u00e9 \u8a9e"
    number: Any = 2**80
    real: Any = 1.5
    when: Any = dt.datetime(2024, 5, 6, 7, 8, 9, 10, dt.UTC)
    day: Any = dt.date(2024, 5, 6)
    zone: Any = subjects.BERLIN
    lasted: Any = dt.timedelta(days=1, seconds=5)
    id: Any = NUMBERED
    amount: Any = decimal.Decimal("1.25")
    data: Any = b"\x00\xff"
    items: Any = dataclasses.field(
        default_factory=lambda: [1, [2, (3,)], {"a": {"b": None}}]
    )
    unique: Any = frozenset({1})
    keyed: Any = dataclasses.field(
        default_factory=lambda: {dt.date(2024, 5, 6): 1, 5: 2}
    )
    color: Any = Color.RED
    pair: Any = (1, "x")
    inner: Any = None


def full(**options: Any) -> Any:
    """Return an encoder of `Full`."""
    nodes = [
        node("object or null", ("record", 0), ("none",)),
        ANY,
        STR,
        INT,
        node("real", ("float",)),
        node("datetime", ("datetime",)),
        node("date", ("date",)),
        node("timedelta", ("timedelta",)),
        node("uuid", ("uuid", uuid.UUID)),
        node("decimal", ("decimal", decimal.Decimal)),
        node("bytes", ("bytes",)),
        node("array", ("iterable", frozenset, 3)),
        node("object", ("dict", 13, 3)),
        node("date or int", ("date",), ("int",)),
        node("color", ("members", Color, COLORS)),
        node("array", ("fixed", (3, 2))),
        node("text", ("via", str, str.upper, 2)),
    ]
    order = [16, 3, 4, 5, 6, 5, 7, 8, 9, 10, 1, 11, 12, 14, 15, 0]
    names = [one.name for one in dataclasses.fields(Full)]
    fields = tuple(
        (name, name, at, None) for name, at in zip(names, order, strict=True)
    )
    return encoder(nodes, [(Full, "attributes", fields, b'"t":1', None)], **options)


class Custom:
    """Only a hook can write it."""


PLAIN = full()


SORTED = full(sort=True)


LINES = full(indent=2)


OF_ANY = encoder(
    [ANY],
    resolve={
        Full: PLAIN,
        Color: encoder([node("color", ("members", Color, COLORS))]),
    }.get,
    hook=lambda value: ["custom"],
)


VALUE = Full(inner=Full())


WRONG = Full(inner=Full(items=[{"a": [1, {"b": object()}]}]))


MIXED = [VALUE, Color.RED, {"a": Custom(), "b": [Custom(), VALUE]}]


DEEP = functools.reduce(lambda inner, _: Full(inner=inner), range(40), None)


@dataclasses.dataclass(slots=True)
class Change:
    """A field that may be unset, and a tuple of any length."""

    name: str | snooze.UnsetType = snooze.UNSET
    row: tuple[int, *tuple[str, ...]] = (1,)


CHANGES = snooze.Encoder(Change)
#: `len` of an int raises TypeError, without a Python frame.
REFUSING = snooze.Encoder(list[Annotated[int, snooze.Via(int, encode=len)]])


#: Calls without a Python frame around them: CPython 3.11 loses exceptions there.
CASES: dict[str, Callable[[], Any]] = {
    "plain": functools.partial(PLAIN.encode, VALUE),
    "str": functools.partial(PLAIN.encode_str, VALUE),
    "sorted": functools.partial(SORTED.encode, VALUE),
    "lines": functools.partial(LINES.encode, VALUE),
    "any": functools.partial(OF_ANY.encode, MIXED),
    "error": functools.partial(PLAIN.encode, WRONG),
    "error key": functools.partial(PLAIN.encode, Full(keyed={"x": 1})),
    "error any": functools.partial(PLAIN.encode, Full(items=[1, {"a": 1j}])),
    "unset": functools.partial(CHANGES.encode, Change(snooze.UNSET, (1, "x", "y"))),
    "refused": functools.partial(REFUSING.encode, [1]),
    "into": functools.partial(PLAIN.encode_into, VALUE, bytearray(5000), 1),
    "into error": functools.partial(PLAIN.encode_into, VALUE, bytearray(5), 7),
}


def compiled(description: Any) -> bytes:
    """Compile a description and encode with it."""
    made = _snooze.EncoderBase()
    made._compile(description)
    return bytes(made.encode(5))


COMPILED = functools.partial(
    compiled,
    (
        1,
        (
            node(
                "x",
                ("int",),
                ("record", 0),
                ("members", Color, COLORS),
                ("fixed", (0,), 0),
            ),
            node("y", ("dict", 0, 0), ("via", Custom, str, 0), ("iterable", set, 0)),
        ),
        (
            (
                Full,
                "attributes",
                (("text", "t\n", 0, ("unset", snooze.UNSET, ("equal", 5))),),
                b'"a":1',
                ("inner", 0, 0, ("a",), False),
            ),
        ),
        0,
        (None, None, "null", "str", False, None, None),
    ),
)


def starve(name: str) -> str:
    """In a child: every failing allocation, then what was left behind."""
    call = (CASES | {"compile": COMPILED})[name]

    def case() -> Callable[[], Any]:
        return call

    count = each_failure(case, 1)
    left = ledger.grown(lambda times: each_failure(case, times), 4)
    assert not left, f"left behind by each round of failures: {left}"
    return str(count)


@pytest.mark.slow
@needs_module("_testcapi")
@pytest.mark.parametrize("name", [*CASES, "compile"])
def test_failing_allocations(name: str) -> None:
    """MemoryError each time, nothing leaked."""
    assert int(in_child(starve, name)) > 0


def changed_buffers() -> None:
    """In a child: each failing allocation of `encode_into` leaves the buffer as it was."""
    offset = 1000  # the returned int is then no cached one
    failures = 0
    for number in range(1, 30):
        buffer = bytearray(b"-" * 2000)
        outcome = starved(
            functools.partial(PLAIN.encode_into, VALUE, buffer, offset),
            number,
            number + 1,
        )
        if outcome is STARVED:
            failures += 1
            assert buffer == b"-" * 2000, number
    assert failures


@needs_module("_testcapi")
def test_encode_into_changes_all_or_nothing() -> None:
    """Also if the returned int cannot be made."""
    in_child(changed_buffers)


def balance(name: str) -> None:
    """In a child: thousands of calls leave nothing behind."""
    left = ledger.grown(lambda times: ledger.repeat_call(CASES[name], times), 200)
    assert not left, left


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_calls_leave_nothing_behind(name: str) -> None:
    """Calls that succeed and calls that fail."""
    in_child(balance, name)


def test_encoders_are_collected() -> None:
    """Cycles through resolve, hooks and the type cache."""

    class Encoder(_snooze.EncoderBase):
        pass

    def options(it: Any) -> Any:
        return (
            lambda cls: it if cls is not Custom else None,
            lambda value: [it][:0],
            "null",
            "str",
            False,
            None,
            None,
        )

    one, two = Encoder(), Encoder()
    one._compile((1, (ANY,), (), 0, options(two)))
    two._compile((1, (ANY,), (), 0, options(one)))
    assert one.encode([Custom()]) == two.encode([Custom()]) == b"[[]]"
    for it in (one, two):
        with pytest.raises(TypeError):
            # Each refers to the other one, which does not know the type either.
            it.encode([1j, Color.RED, 5j]) and it.encode([{1}])
            raise TypeError
    gone = [weakref.ref(one), weakref.ref(two)]
    del one, two, it
    gc.collect()
    assert [ref() for ref in gone] == [None, None]


def test_the_type_cache_keeps_no_type_alive() -> None:
    """The cache holds no reference to a type and is bounded."""
    enc = encoder([ANY], resolve=lambda cls: None, hook=lambda value: 1)
    for _ in range(2000):
        cls = type("T", (), {})
        assert enc.encode(cls()) == b"1"
    ref = weakref.ref(cls)
    del cls
    gc.collect()
    assert ref() is None


def shared() -> None:
    """In a child: threads that share the encoders."""
    right = {name: repr(result_or_error(call)) for name, call in CASES.items()}

    def body() -> None:
        for name, call in CASES.items():
            assert repr(result_or_error(call)) == right[name]

    together(*[body] * THREADS)


@pytest.mark.slow
def test_threads_share_an_encoder() -> None:
    """Each call has its own scratch memory."""
    in_child(shared)
