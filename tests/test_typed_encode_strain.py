"""The typed encoder under strain: hostile code, no memory, many calls, many threads.

Hooks, conversions and properties do everything to every container on the path that can
be done; each allocation is made to fail; calls are repeated thousands of times and by
threads that share one encoder. The result may be JSON of what was once there or a Python
error, but never a crash, a leak or freed memory.
"""

from __future__ import annotations

import collections
import dataclasses
import datetime as dt
import decimal
import enum
import functools
import gc
import itertools
import uuid
import weakref
from typing import TYPE_CHECKING, Any

import pytest

import ledger
import subjects
from isolated import in_child, needs_module
from snooze import _snooze
from test_hostile_default import (
    CONTAINERS,
    DEBUG,
    Opaque,
    Plain,
    Slots,
    deeds_for,
    heap_text,
    whole,
)
from test_oom import each_failure
from test_refs import repeat_call
from test_threads import THREADS, outcome, together
from test_typed_encode_ir import ANY, COLORS, INT, STR, Color, encoder, node

if TYPE_CHECKING:
    from collections.abc import Callable

FIELDS = ("first", "middle", "last")


def record(cls: type, value: int = 1, omit: Any = None) -> Any:
    """Return a record of three fields of any type."""
    fields = tuple((name, name, value, omit) for name in FIELDS)
    return (cls, "attributes", fields, b"", None, False)


def of_any(hook: Any, *, indent: int | None = None, sort: bool = False) -> Any:
    """Return an encoder of anything that knows the two dataclasses."""
    nodes = [node("object", ("record", 0)), ANY]
    made = {
        cls: encoder(nodes, [record(cls)], hook=hook, sort=sort)
        for cls in (Plain, Slots)
    }
    return encoder([ANY], resolve=made.get, hook=hook, indent=indent, sort=sort)


def attempt(call: Callable[[], bytes]) -> str:
    """Encode, and name the outcome."""
    try:
        whole(call())
    except _snooze.JSONEncodeError:
        return "refused"
    except RuntimeError as exc:
        assert "changed size" in str(exc) or "mutated" in str(exc), exc
        return "changed"
    except AttributeError:
        return "attribute"
    return "written"


def meddle(outer_name: str) -> str:
    """In a child: the hook does everything to the inner and the outer container."""
    outcomes: collections.Counter[str] = collections.Counter()
    target: list[Any] = []
    answers = (lambda: None, lambda: [heap_text("answer")], Opaque)

    def hook(_: Any) -> Any:
        if target:
            container, deed = target.pop()
            deed(container)
            del container
            gc.collect()
            return answer()
        return "done"

    for options in ({}, {"indent": 2}, {"sort": True}):
        enc = of_any(hook, **options)
        for inner_name in CONTAINERS:
            samples = [CONTAINERS[inner_name](0), CONTAINERS[outer_name](0)]
            for level, sample in enumerate(samples):
                for deed, answer in itertools.product(deeds_for(sample), answers):  # noqa: B007 - the hook's
                    inner = CONTAINERS[inner_name](Opaque())
                    value = CONTAINERS[outer_name](inner)
                    target[:] = [((inner, value)[level], deed)]
                    del inner
                    outcomes[attempt(functools.partial(enc.encode, value))] += 1
    return repr(dict(outcomes))


@pytest.mark.parametrize("name", CONTAINERS)
def test_hooks_that_change_what_is_written(name: str) -> None:
    """Nothing but an error or what was once there."""
    assert "written" in in_child(meddle, name, **DEBUG)


def strange_classes() -> str:
    """In a child: properties and `__getattr__` that do things while fields are read."""
    outcomes: collections.Counter[str] = collections.Counter()

    def clear(self: Any) -> Any:
        self.holder.clear()
        gc.collect()
        return [heap_text("gone")]

    def delete(self: Any) -> Any:
        for name in FIELDS:
            vars(self).pop(name, None)
        return heap_text("x")

    def change_class(self: Any) -> Any:
        type(self).last = property(lambda self: heap_text("new"))
        self.__class__ = Other
        return 1

    class Other:
        first = 1

    for act in (clear, delete, change_class, lambda self: 1 / 0, lambda self: self):
        for place in FIELDS:

            class Strange:
                def __init__(self, holder: Any) -> None:
                    vars(self).update(dict.fromkeys(FIELDS, 0))
                    for name in FIELDS:
                        vars(self)[name] = heap_text(name)
                    self.holder = holder

            setattr(Strange, place, property(act))
            nodes = [node("object", ("record", 0)), ANY, node("array", ("list", 0))]
            enc = encoder(nodes, [record(Strange)], root=2)
            for _ in range(3):
                holder: list[Any] = []
                holder += [Strange(holder), Strange(holder)]
                try:
                    outcomes[attempt(functools.partial(enc.encode, holder))] += 1
                except ZeroDivisionError:
                    outcomes["raised"] += 1
    return repr(dict(outcomes))


def test_properties_that_change_what_is_written() -> None:
    """Whatever a property does."""
    printed = in_child(strange_classes, **DEBUG)
    assert "written" in printed
    assert "raised" in printed


class Text(str):
    """A key with a finaliser."""

    __slots__ = ("ended",)

    def __del__(self) -> None:
        """Empty what it was a key of."""
        self.ended.clear()


def finalisers() -> str:
    """In a child: keys and values whose end takes apart what is being written."""
    enc = encoder(
        [
            node("object", ("dict", 1, 2)),
            STR,
            node("any", ("via", Opaque, lambda it: it.act(), 1), ("str",), ("list", 2)),
        ]
    )
    outcomes: collections.Counter[str] = collections.Counter()
    for count in range(1, 6):
        for place in range(count):
            document: dict[Any, Any] = {}
            inner = [heap_text("inner") for _ in range(3)]
            for index in range(count):
                key = Text(f"key {index}")
                key.ended = inner
                document[key] = heap_text("v")
            odd = Opaque()

            def act(document: Any = document) -> str:
                for key in list(document):
                    document[str(key) + "!"] = document.pop(key)
                return heap_text("acted")

            odd.act = act
            document[list(document)[place]] = inner
            inner[1] = odd
            del key, inner, odd
            outcomes[attempt(functools.partial(enc.encode, document))] += 1
    return repr(dict(outcomes))


def test_keys_with_finalisers() -> None:
    """The last reference to a key may be the walk's."""
    assert in_child(finalisers, **DEBUG)


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
    return encoder(
        nodes, [(Full, "attributes", fields, b'"t":1', None, False)], **options
    )


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
#: Without a frame of Python around the call: CPython 3.11 loses exceptions there.
CASES: dict[str, Callable[[], Any]] = {
    "plain": functools.partial(PLAIN.encode, VALUE),
    "str": functools.partial(PLAIN.encode_str, VALUE),
    "sorted": functools.partial(SORTED.encode, VALUE),
    "lines": functools.partial(LINES.encode, VALUE),
    "any": functools.partial(OF_ANY.encode, MIXED),
    "error": functools.partial(PLAIN.encode, WRONG),
    "error key": functools.partial(PLAIN.encode, Full(keyed={"x": 1})),
    "error any": functools.partial(PLAIN.encode, Full(items=[1, {"a": 1j}])),
    "into": functools.partial(PLAIN.encode_into, VALUE, bytearray(5000), 1),
    "into error": functools.partial(PLAIN.encode_into, VALUE, bytearray(5), 7),
}


def compiled(description: Any) -> bytes:
    """The JSON by a plan that is new."""
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
                ("fixed", (0,)),
            ),
            node("y", ("dict", 0, 0), ("via", Opaque, str, 0), ("iterable", set, 0)),
        ),
        (
            (
                Full,
                "attributes",
                (("text", "t\n", 0, ("equal", 5)),),
                b'"a":1',
                ("inner", 0),
                False,
            ),
        ),
        0,
        (None, None, "null", "str", False),
    ),
)


def starve(name: str) -> str:
    """In a child: every failing allocation, and what is left behind."""
    call = (CASES | {"compile": COMPILED})[name]

    def case() -> Callable[[], Any]:
        return call

    count = each_failure(case, 1)
    left = ledger.grown(lambda times: each_failure(case, times), 4)
    assert not left, f"left behind by each round of failures: {left}"
    return str(count)


@needs_module("_testcapi")
@pytest.mark.parametrize("name", [*CASES, "compile"])
def test_every_failing_allocation_is_a_memory_error(name: str) -> None:
    """Of the interpreter's allocators."""
    assert int(in_child(starve, name)) > 0


def balance(name: str) -> None:
    """In a child: thousands of calls leave nothing behind."""
    left = ledger.grown(lambda times: repeat_call(CASES[name], times), 200)
    assert not left, left


@pytest.mark.parametrize("name", CASES)
def test_calls_leave_nothing_behind(name: str) -> None:
    """Every success and every error."""
    in_child(balance, name)


def test_encoders_are_collected() -> None:
    """Cycles through resolve, hooks and what a plan has learned."""

    class Encoder(_snooze.EncoderBase):
        pass

    def options(it: Any) -> Any:
        return (
            lambda cls: it if cls is not Custom else None,
            lambda value: [it][:0],
            "null",
            "str",
            False,
        )

    one, two = Encoder(), Encoder()
    one._compile((1, (ANY,), (), 0, options(two)))
    two._compile((1, (ANY,), (), 0, options(one)))
    assert one.encode([Custom()]) == two.encode([Custom()]) == b"[[]]"
    for it in (one, two):
        with pytest.raises(TypeError):
            # Each leads to the other one, which does not know it either.
            it.encode([1j, Color.RED, 5j]) and it.encode([{1}])
            raise TypeError
    gone = [weakref.ref(one), weakref.ref(two)]
    del one, two, it
    gc.collect()
    assert [ref() for ref in gone] == [None, None]


def test_types_are_not_kept_alive_by_the_cache() -> None:
    """What is known of a type does not keep it, and is bounded."""
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
    right = {name: repr(outcome(call)) for name, call in CASES.items()}

    def body() -> None:
        for name, call in CASES.items():
            assert repr(outcome(call)) == right[name]

    together(*[body] * THREADS)


def test_threads_share_an_encoder() -> None:
    """Each call has its scratch for itself."""
    in_child(shared)


def changing() -> None:
    """In a child: threads write what others change."""
    value: dict[str, Any] = {
        "list": [1, 2, 3],
        "dict": {"a": 1},
        "slots": Slots(1, [2], "x"),
        "plain": Plain(1, [2], "x"),
    }
    enc = of_any(lambda it: None)

    def write() -> None:
        assert attempt(lambda: enc.encode(value)) in {"written", "changed", "attribute"}

    def change() -> None:
        value["list"].append(heap_text("x"))
        del value["list"][:-5]
        value["dict"][heap_text("k")] = [1]
        if len(value["dict"]) > 9:
            value["dict"].clear()
        value["slots"].middle = [heap_text("m")]
        value["plain"].last = {heap_text("m"): 1}
        value["plain"] = Plain(heap_text("n"), 2, 3)

    together(write, write, change, change)


def test_threads_change_what_is_written() -> None:
    """What some moment held, or an error."""
    in_child(changing)


def reentrant_hook() -> None:
    """In a child: the hook encodes with the same encoder, and so on."""

    def hook(value: Any) -> Any:
        return enc.encode(value.held).decode()

    enc = encoder([ANY], hook=hook)
    value: Any = [1]
    for _ in range(30):
        value = subjects.Opaque(*[value])
        value.held = [value.held[0]]
    assert enc.encode(value)


def test_an_encoder_calls_itself() -> None:
    """Through its hook."""
    in_child(reentrant_hook)


def test_enum_members_of_other_classes() -> None:
    """A member that is not in the table is refused."""
    other = enum.Enum("Color", {"RED": "red"})
    enc = encoder([node("'red' or 'blue'", ("members", Color, {Color.RED: b'"red"'}))])
    assert enc.encode(Color.RED) == b'"red"'
    for value in (other.RED, Color.LONG, "red"):
        with pytest.raises(TypeError, match="^expected 'red' or 'blue', found"):
            enc.encode(value)
