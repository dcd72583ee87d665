"""Code in `default`, keys and finalisers that changes the object being written.

`change_during_default` runs where user code can run, at every level of the object being
written, and applies every possible change to each container on the path. The result may
be any JSON text or a Python error, but never a crash and never freed memory: children run
with PYTHONMALLOC=debug, which fills freed memory with 0xdd.
"""

from __future__ import annotations

import collections
import dataclasses
import functools
import gc
import itertools
import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

import snooze
from helpers.isolated import DEBUG_MALLOC, FREE_THREADED, in_child
from helpers.mutation import (
    CONTAINERS,
    Opaque,
    Plain,
    Table,
    attempt,
    changes_for,
    heap_text,
)

if TYPE_CHECKING:
    from collections.abc import Callable

CHANGED = "dictionary changed size during iteration"


OPTIONS = [
    0,
    snooze.OPT_INDENT_2,
    snooze.OPT_SORT_KEYS,
    snooze.OPT_NON_STR_KEYS,
    snooze.OPT_SORT_KEYS | snooze.OPT_NON_STR_KEYS | snooze.OPT_INDENT_2,
]


def attempt_dumps(value: Any, default: Any, option: int) -> str:
    """Dump, and name the outcome."""
    return attempt(functools.partial(snooze.dumps, value, default, option))


def change_during_default(outer_name: str) -> str:
    """In a child: `default` applies every change to the inner and the outer container."""
    outcomes: collections.Counter[str] = collections.Counter()
    for inner_name, option in itertools.product(CONTAINERS, OPTIONS):
        samples = [CONTAINERS[inner_name](0), CONTAINERS[outer_name](0)]
        for level, sample in enumerate(samples):
            for change, answers in itertools.product(
                changes_for(sample),
                (lambda: None, lambda: [heap_text("answer")], Opaque),
            ):
                path: list[Any] = []
                done: list[bool] = []

                def default(
                    obj, path=path, level=level, change=change, done=done, a=answers
                ):
                    if not done:
                        done.append(True)
                        try:
                            change(path[level])
                        except (KeyError, IndexError, StopIteration, TypeError):
                            pass
                        gc.collect(0)
                        return a()
                    return None

                path.append(CONTAINERS[inner_name](Opaque()))
                path.append(CONTAINERS[outer_name](path[0]))
                outcomes[attempt_dumps(path[1], default, option)] += 1
    assert outcomes["written"], outcomes
    return " ".join(outcomes)


@pytest.mark.parametrize("outer", CONTAINERS)
def test_default_changes_open_containers(outer: str) -> None:
    """At two levels, every change, every option."""
    outcomes = in_child(change_during_default, outer, **DEBUG_MALLOC).split()
    assert "written" in outcomes


@pytest.mark.parametrize("option", OPTIONS[:2])
@pytest.mark.skipif(
    FREE_THREADED, reason="dicts are copied first: no change is visible"
)
def test_dict_that_changes_its_size(option: int) -> None:
    """A RuntimeError with CPython's text, wherever the dict is walked in place."""
    for make in (dict, Table):
        for change in (
            lambda it: it.update(new=1),
            lambda it: it.pop("z"),
            lambda it: it.clear(),
        ):
            table = make({"a": Opaque(), "z": 1})
            with pytest.raises(RuntimeError) as caught:
                snooze.dumps([table], lambda _, t=table, d=change: d(t), option)
            assert str(caught.value) == CHANGED
    plain = Plain(1, Opaque(), 2)
    with pytest.raises(RuntimeError, match=CHANGED):
        snooze.dumps(plain, lambda _: setattr(plain, "more", 1), option)


def test_sorted_dicts_are_copied_first() -> None:
    """Their members are collected before the first is written: changes come too late."""
    table = {"b": 1, "a": Opaque(), "c": [2]}
    result = snooze.dumps(table, lambda _: table.clear(), snooze.OPT_SORT_KEYS)
    assert result == b'{"a":null,"b":1,"c":[2]}'


def test_changed_list_is_walked_to_its_new_end() -> None:
    """As in CPython's own iteration."""
    items = [1, Opaque(), 2]
    assert snooze.dumps(items, lambda _: items.append(3)) in (
        b"[1,null,2,3]",
        b"[1,null,2]",  # without a GIL the list is copied first
    )
    items = [1, Opaque(), 2]
    assert snooze.dumps(items, lambda _: items.clear()) in (b"[1,null]", b"[1,null,2]")


def freed_by_default() -> None:
    """In a child: the callback drops every other reference to the open containers."""
    for name in CONTAINERS:
        for option in OPTIONS:
            holder = [CONTAINERS[name](Opaque())]

            def default(_: Any, holder: list[Any] = holder) -> Any:
                holder.clear()
                gc.collect()
                return [heap_text("answer")] * 50

            attempt_dumps(holder, default, option)
            holder[:] = [CONTAINERS[name]([CONTAINERS[name](Opaque())])]
            attempt_dumps({"k": holder, "l": 1}, default, option)


def test_default_frees_open_containers() -> None:
    """The walk holds its own references."""
    in_child(freed_by_default, **DEBUG_MALLOC)


def finalisers() -> str:
    """In a child: dropping a value runs code that changes the open containers."""
    ran = 0

    class Finaliser:
        def __init__(self, act: Callable[[], Any]) -> None:
            self.act = act

        def __del__(self) -> None:
            nonlocal ran
            ran += 1
            self.act()

    @dataclasses.dataclass
    class Lazy:
        first: Any
        second: Any = 2

        def __getattribute__(self, name: str) -> Any:
            if name == "__dict__":
                return {"first": [Finaliser(act)], "second": 2}
            return object.__getattribute__(self, name)

    @dataclasses.dataclass
    class Fields:
        __slots__ = ("first", "last")
        first: Any
        last: Any

    fields = Fields(1, 2)
    Fields.first = property(lambda _: [heap_text("made"), Finaliser(act)])

    for make in (CONTAINERS["list"], CONTAINERS["dict"], CONTAINERS["OrderedDict"]):
        for option in OPTIONS:
            for change in changes_for(make(0)):
                left = [
                    3
                ]  # limited: a change in every step would make the walk endless

                def act(left: list[int] = left) -> None:
                    left[0] -= 1
                    if left[0] < 0:
                        return
                    try:
                        change(outer)  # noqa: B023
                        snooze.dumps(snooze.loads(b'[{"a":[1,2]}]'))
                    except (KeyError, IndexError, StopIteration):
                        pass

                for inner in (
                    Lazy(1),
                    fields,
                    Opaque(),
                ):
                    left[0] = 3
                    outer = make(inner)
                    attempt_dumps(outer, lambda _: Finaliser(act), option)
                    left[0] = 3
                    outer = make(inner)
                    answers = iter([[Finaliser(act), heap_text("x")]])
                    attempt_dumps(outer, lambda _: next(answers, 1), option)  # noqa: B023
    return str(ran)


def test_finalisers_change_open_containers() -> None:
    """Objects that only the walk owns die in the middle of it."""
    assert int(in_child(finalisers, **DEBUG_MALLOC)) > 200


@pytest.mark.parametrize(
    "error", [KeyboardInterrupt, SystemExit, MemoryError, GeneratorExit]
)
def test_errors_that_must_reach_the_caller(error: type[BaseException]) -> None:
    """MemoryError and exceptions that are not an Exception reach the caller unchanged."""
    reason = error("mine")

    def default(_: Any) -> Any:
        raise reason

    with pytest.raises(error) as caught:
        snooze.dumps([{"a": (Opaque(),)}], default)
    assert caught.value is reason
    assert caught.value.__cause__ is None


def test_other_errors_of_default_are_the_cause() -> None:
    """The caller gets a JSONEncodeError with the exception as its cause."""
    reason = ValueError("mine")

    def default(_: Any) -> Any:
        raise reason

    with pytest.raises(snooze.JSONEncodeError) as caught:
        snooze.dumps([Opaque()], default)
    assert caught.value.__cause__ is reason


def test_nested_calls() -> None:
    """`default` calls dumps and loads of the same module, deeply and with errors."""
    depth = 0

    def default(_: Any) -> Any:
        nonlocal depth
        depth += 1
        if depth < 60:
            inner = snooze.dumps({"k": [Opaque(), "\u00e9"]}, default)
            with pytest.raises(snooze.JSONDecodeError):
                snooze.loads(inner + b"}")
            return snooze.loads(inner)
        return snooze.Fragment(b"0")

    value = snooze.loads(snooze.dumps(Opaque(), default))
    for _ in range(59):
        assert value["k"][1] == "\u00e9"
        value = value["k"][0]
    assert value == 0


def endless_calls() -> None:
    """In a child: recursion through Python code ends as a Python error."""

    def default(obj: Any) -> Any:
        return snooze.loads(snooze.dumps([obj], default))

    try:
        snooze.dumps(Opaque(), default)
    except (RecursionError, snooze.JSONEncodeError):
        pass
    else:
        raise AssertionError("no error")
    assert snooze.dumps([1]) == b"[1]"


def test_endless_recursion_through_default() -> None:
    """The interpreter's own limit applies: snooze's stack frames are small enough."""
    in_child(endless_calls)


def collector_callbacks() -> str:
    """In a child: callbacks of the collector run code during dumps and loads."""
    document = json.dumps([{"k": [index, {"a": []}]} for index in range(3000)]).encode()
    ran = 0
    busy = False

    def callback(phase: str, info: dict[str, int]) -> None:
        nonlocal ran, busy
        ran += 1
        if not busy:
            busy = True
            snooze.loads(b'[{"k":[1,{"a":[]}]}]')
            snooze.dumps([{"k": Opaque()}], lambda _: [[]])
            seen = gc.get_objects()
            del seen
            busy = False

    gc.callbacks.append(callback)
    gc.set_threshold(10, 2, 2)
    for _ in range(3):
        value = snooze.loads(document)
        assert len(value) == 3000
        assert json.loads(snooze.dumps(value, lambda _: [])) == value
        # Without a GIL the thresholds alone start no collection.
        assert snooze.dumps([Opaque()], lambda _: [gc.collect()][:0]) == b"[[]]"
        assert gc.isenabled()
        try:
            snooze.loads(document[:-1])
        except snooze.JSONDecodeError:
            pass
        assert gc.isenabled()
    gc.disable()
    snooze.loads(document)
    assert not gc.isenabled()
    return str(ran)


def test_collector_callbacks_during_calls() -> None:
    """The callbacks call dumps and loads; the collector's state is restored."""
    assert int(in_child(collector_callbacks, **DEBUG_MALLOC)) > 0


def collector_removes_a_bad_key() -> str:
    """In a child: the collector's callback removes the key that the error is about.

    On CPython 3.11 an exception that is made in an `except` block has a context at
    once, and making that starts the collector.
    """
    fill: list[set[int]] = []
    left = 0
    document: dict[str, int] = {}

    def callback(phase: str, info: dict[str, int]) -> None:
        nonlocal left
        if phase == "stop":  # the next object starts the collector again
            fill.extend(set() for _ in range(14))
            return
        left -= 1
        if left == 0:
            document.clear()

    found = 0
    for number in range(1, 20):
        document = {"good": 1, f"bad\ud800{number}": 2}
        try:
            raise KeyError
        except KeyError:
            fill.extend(set() for _ in range(30))
            left = number
            gc.set_threshold(10, 10**6, 10**6)
            gc.callbacks.append(callback)
            try:
                snooze.dumps([document])
            except TypeError:
                found += 1
            finally:
                gc.callbacks.clear()
                gc.set_threshold(700, 10, 10)
    return str(found)


def test_collector_removes_a_bad_key() -> None:
    """The place of the error owns the key it names."""
    assert in_child(collector_removes_a_bad_key).strip() == "19"


def fake_modules() -> None:
    """In a child: other objects in place of uuid, numpy and dataclasses."""
    import types

    real = sys.modules["dataclasses"]

    class Fake:
        int = "not an int"

        def __init__(self) -> None:
            self.dtype = self

        @property
        def __array_struct__(self) -> Any:
            return "no capsule"

    fake = types.ModuleType("fake")
    for name in (
        *("UUID", "ndarray", "float64", "int64", "bool_", "datetime64", "float16"),
        *("float32", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8"),
    ):
        setattr(fake, name, Fake)

    class Raising(types.ModuleType):
        def __getattribute__(self, name: str) -> Any:
            raise OSError(name)

    class Small:
        __slots__ = ()

    for candidate in (
        None,
        1,
        "text",
        Raising("raising"),
        types.ModuleType("empty"),
        fake,
    ):
        sys.modules["dataclasses"] = real
        cls = real.make_dataclass("Cls", [("a", int)])
        for name in ("uuid", "numpy", "dataclasses"):
            sys.modules[name] = candidate
        for value in (cls(1), Fake(), Opaque(), Small(), 2**70):
            for default in (None, lambda _: 1):
                for option in (0, snooze.OPT_SERIALIZE_NUMPY, snooze.OPT_NON_STR_KEYS):
                    try:
                        snooze.dumps(
                            [value, {value: 1}] if option == 4 else value,
                            default,
                            option,
                        )
                    except (TypeError, OSError, AttributeError):
                        pass
    fake.float64 = Small
    assert snooze.dumps([1, "a"]) == b'[1,"a"]'


def test_replaced_modules() -> None:
    """Whatever `sys.modules` holds, no memory outside an object is read."""
    in_child(fake_modules, **DEBUG_MALLOC)


@pytest.mark.parametrize("indent", [0, snooze.OPT_INDENT_2])
def test_a_class_that_changes_between_calls_of_default(indent: int) -> None:
    """Each object is written as its class is at that time."""

    class Point:
        __slots__ = ("__dict__", "x")
        x: int

        def __init__(self, x: int) -> None:
            self.x = x

    calls = []

    def default(one: Any) -> Any:
        calls.append(one.x)
        if one.x == 3:
            # From here on its instances are written without `default`.
            Point.__dataclass_fields__ = Fields.__dataclass_fields__  # type: ignore[attr-defined]
        return [one.x] if one.x == 2 else one.x

    @dataclasses.dataclass
    class Fields:
        x: int

    points = [Point(at) for at in range(6)]
    written = json.loads(snooze.dumps(points, default, indent))
    assert written == [0, 1, [2], 3, {"x": 4}, {"x": 5}]
    assert calls == [0, 1, 2, 3]


def test_types_take_turns_for_default() -> None:
    """The type before decides nothing about the next one."""

    class Left:
        pass

    class Right:
        pass

    values = [Left(), Left(), 1, Right(), Left(), [Right(), Right()], 2.5, Left()]
    found = snooze.dumps(values, lambda one: type(one).__name__)
    assert json.loads(found) == [
        "Left",
        "Left",
        1,
        "Right",
        "Left",
        ["Right", "Right"],
        2.5,
        "Left",
    ]


def test_arrays_that_numpy_options_leave_to_default() -> None:
    numpy = pytest.importorskip("numpy")
    written, left = numpy.array([1, 2]), numpy.array(["x"])
    found = snooze.dumps(
        [left, written, left, left, written],
        lambda one: one.tolist(),
        snooze.OPT_SERIALIZE_NUMPY,
    )
    assert json.loads(found) == [["x"], [1, 2], ["x"], ["x"], [1, 2]]
