"""Code of `default`, keys and finalisers that changes what is being written.

`meddle` is called from every place where user code can run, at every level of the object
being written, and does everything that can be done to each container on the path. The
result may be any JSON text or a Python error, but never a crash and never freed memory:
children run with PYTHONMALLOC=debug, which fills freed memory with 0xdd.
"""

from __future__ import annotations

import collections
import dataclasses
import gc
import itertools
import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

import snooze
from isolated import FREE_THREADED, in_child

if TYPE_CHECKING:
    from collections.abc import Callable

DEBUG = {"PYTHONMALLOC": "debug"}
CHANGED = "dictionary changed size during iteration"


class Opaque:
    """Only `default` can write it."""


class Sequence(list):
    """A subclass of list."""


class Table(dict):
    """A subclass of dict."""


@dataclasses.dataclass
class Plain:
    """Written from its `__dict__`."""

    first: Any
    middle: Any
    last: Any


@dataclasses.dataclass(slots=True)
class Slots:
    """Written by attribute."""

    first: Any
    middle: Any
    last: Any


def heap_text(tag: str) -> str:
    """A string that nobody else refers to."""
    return "".join(["text ", tag, " " * 30])


#: name -> a container of three values, made of fresh objects.
CONTAINERS: dict[str, Callable[[Any], Any]] = {
    "list": lambda it: [heap_text("a"), it, heap_text("b"), [heap_text("c")]],
    "list subclass": lambda it: Sequence([heap_text("a"), it, heap_text("b")]),
    "tuple": lambda it: (heap_text("a"), it, heap_text("b")),
    "dict": lambda it: {
        heap_text("k"): heap_text("a"),
        heap_text("l"): it,
        heap_text("m"): [heap_text("b")],
    },
    "dict subclass": lambda it: Table({heap_text("k"): it, heap_text("l"): [1]}),
    "OrderedDict": lambda it: collections.OrderedDict(
        {heap_text("k"): it, heap_text("l"): heap_text("b")}
    ),
    "dataclass": lambda it: Plain(heap_text("a"), it, heap_text("b")),
    "dataclass slots": lambda it: Slots(heap_text("a"), it, heap_text("b")),
}


def _grow_list(it: list[Any]) -> None:
    it.extend([heap_text("new")] * 2000)
    del it[-1500:]


def _replace_same_size(it: list[Any]) -> None:
    it[:] = [heap_text("other") for _ in it]


def _replace_values(it: dict[Any, Any]) -> None:
    for key in list(it):
        it[key] = [heap_text("other")]


def _replace_keys(it: dict[Any, Any]) -> None:
    count = len(it)
    it.clear()
    it.update({heap_text(str(index)): index for index in range(count)})


def _rebuild(it: dict[Any, Any]) -> None:
    count = len(it)
    it.update({str(index): index for index in range(5000)})
    for key in list(it)[count:]:
        del it[key]


def _mixed_keys(it: dict[Any, Any]) -> None:
    key = next(iter(it))
    it[(1, heap_text("k"))] = it.pop(key)


#: What can be done to a list, a dict, an instance.
DEEDS: dict[type, list[Callable[[Any], Any]]] = {
    list: [
        lambda it: it.clear(),
        lambda it: it.append(heap_text("new")),
        lambda it: it.pop(0),
        lambda it: it.__delitem__(slice(1, None)),
        lambda it: it.insert(0, heap_text("new")),
        lambda it: it.reverse(),
        _grow_list,
        _replace_same_size,
        lambda it: it.__init__(),
    ],
    dict: [
        lambda it: it.clear(),
        lambda it: it.update({heap_text("new"): 1}),
        lambda it: it.popitem(),
        lambda it: it.pop(next(iter(it))),
        _replace_values,
        _replace_keys,
        _rebuild,
        _mixed_keys,
    ],
    Plain: [
        lambda it: it.__dict__.clear(),
        lambda it: it.__dict__.update(more=heap_text("new")),
        lambda it: setattr(it, "__dict__", {}),
        lambda it: setattr(it, "__dict__", {"first": 1, "x": heap_text("new")}),
        lambda it: delattr(it, "last"),
        lambda it: setattr(it, "last", heap_text("new")),
        lambda it: setattr(it, "__class__", Opaque),
        lambda it: _replace_keys(it.__dict__),
        lambda it: _rebuild(it.__dict__),
    ],
    Slots: [
        lambda it: delattr(it, "last"),
        lambda it: setattr(it, "middle", heap_text("new")),
        lambda it: setattr(it, "last", heap_text("new")),
    ],
    tuple: [lambda it: None],
}
OPTIONS = [
    0,
    snooze.OPT_INDENT_2,
    snooze.OPT_SORT_KEYS,
    snooze.OPT_NON_STR_KEYS,
    snooze.OPT_SORT_KEYS | snooze.OPT_NON_STR_KEYS | snooze.OPT_INDENT_2,
]


def deeds_for(container: Any) -> list[Callable[[Any], Any]]:
    """What can be done to this container."""
    return next(DEEDS[kind] for kind in type(container).__mro__ if kind in DEEDS)


def whole(output: bytes) -> None:
    """The output is JSON of what was once there: no byte of freed memory."""
    assert b"\xdd" not in output
    json.loads(output)


def attempt(value: Any, default: Any, option: int) -> str:
    """Dump, and name the outcome."""
    try:
        whole(snooze.dumps(value, default, option))
    except snooze.JSONEncodeError:
        return "refused"
    except RuntimeError as exc:
        assert "changed size" in str(exc) or "mutated" in str(exc), exc
        return "changed"
    except AttributeError:
        return "attribute"
    return "written"


def meddle(outer_name: str) -> str:
    """In a child: `default` does everything to the inner and the outer container."""
    outcomes: collections.Counter[str] = collections.Counter()
    for inner_name, option in itertools.product(CONTAINERS, OPTIONS):
        samples = [CONTAINERS[inner_name](0), CONTAINERS[outer_name](0)]
        for level, sample in enumerate(samples):
            for deed, answers in itertools.product(
                deeds_for(sample), (lambda: None, lambda: [heap_text("answer")], Opaque)
            ):
                path: list[Any] = []
                done: list[bool] = []

                def default(
                    obj, path=path, level=level, deed=deed, done=done, a=answers
                ):
                    if not done:
                        done.append(True)
                        try:
                            deed(path[level])
                        except (KeyError, IndexError, StopIteration, TypeError):
                            pass
                        gc.collect(0)
                        return a()
                    return None

                path.append(CONTAINERS[inner_name](Opaque()))
                path.append(CONTAINERS[outer_name](path[0]))
                outcomes[attempt(path[1], default, option)] += 1
    assert outcomes["written"], outcomes
    return " ".join(outcomes)


@pytest.mark.parametrize("outer", CONTAINERS)
def test_default_changes_what_is_open(outer: str) -> None:
    """At two levels, every deed, every option."""
    outcomes = in_child(meddle, outer, **DEBUG).split()
    assert "written" in outcomes


@pytest.mark.parametrize("option", OPTIONS[:2])
@pytest.mark.skipif(FREE_THREADED, reason="dicts are copied before: nothing to find")
def test_a_dict_that_changes_its_size(option: int) -> None:
    """Is a RuntimeError with CPython's text, wherever the dict is walked in place."""
    for make in (dict, Table):
        for deed in (
            lambda it: it.update(new=1),
            lambda it: it.pop("z"),
            lambda it: it.clear(),
        ):
            table = make({"a": Opaque(), "z": 1})
            with pytest.raises(RuntimeError) as caught:
                snooze.dumps([table], lambda _, t=table, d=deed: d(t), option)
            assert str(caught.value) == CHANGED
    plain = Plain(1, Opaque(), 2)
    with pytest.raises(RuntimeError, match=CHANGED):
        snooze.dumps(plain, lambda _: setattr(plain, "more", 1), option)


def test_sorted_dicts_are_taken_as_they_were() -> None:
    """Their members are collected before the first is written: changes come too late."""
    table = {"b": 1, "a": Opaque(), "c": [2]}
    result = snooze.dumps(table, lambda _: table.clear(), snooze.OPT_SORT_KEYS)
    assert result == b'{"a":null,"b":1,"c":[2]}'


def test_a_list_that_changes_is_walked_to_its_new_end() -> None:
    """As CPython's own iteration."""
    items = [1, Opaque(), 2]
    assert snooze.dumps(items, lambda _: items.append(3)) in (
        b"[1,null,2,3]",
        b"[1,null,2]",  # without a GIL the list is copied first
    )
    items = [1, Opaque(), 2]
    assert snooze.dumps(items, lambda _: items.clear()) in (b"[1,null]", b"[1,null,2]")


def freed_by_default() -> None:
    """In a child: the callback drops every other reference to what is open."""
    for name in CONTAINERS:
        for option in OPTIONS:
            holder = [CONTAINERS[name](Opaque())]

            def default(_: Any, holder: list[Any] = holder) -> Any:
                holder.clear()
                gc.collect()
                return [heap_text("answer")] * 50

            attempt(holder, default, option)
            holder[:] = [CONTAINERS[name]([CONTAINERS[name](Opaque())])]
            attempt({"k": holder, "l": 1}, default, option)


def test_default_frees_what_is_open() -> None:
    """Containers are kept by the walk itself."""
    in_child(freed_by_default, **DEBUG)


def finalisers() -> str:
    """In a child: dropping a value runs code that changes what is open."""
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
            for deed in deeds_for(make(0)):
                left = [3]  # an endless supply of changes would be an endless walk

                def act(left: list[int] = left) -> None:
                    left[0] -= 1
                    if left[0] < 0:
                        return
                    try:
                        deed(outer)  # noqa: B023
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
                    attempt(outer, lambda _: Finaliser(act), option)
                    left[0] = 3
                    outer = make(inner)
                    answers = iter([[Finaliser(act), heap_text("x")]])
                    attempt(outer, lambda _: next(answers, 1), option)  # noqa: B023
    return str(ran)


def test_finalisers_change_what_is_open() -> None:
    """Objects that the walk owns die in its middle."""
    assert int(in_child(finalisers, **DEBUG)) > 200


@pytest.mark.parametrize(
    "error", [KeyboardInterrupt, SystemExit, MemoryError, GeneratorExit]
)
def test_errors_that_must_reach_the_caller(error: type[BaseException]) -> None:
    """What is no Exception, and MemoryError, come out unchanged from default."""
    reason = error("mine")

    def default(_: Any) -> Any:
        raise reason

    with pytest.raises(error) as caught:
        snooze.dumps([{"a": (Opaque(),)}], default)
    assert caught.value is reason
    assert caught.value.__cause__ is None


def test_other_errors_of_default_are_the_cause() -> None:
    """The caller sees JSONEncodeError and what led to it."""
    reason = ValueError("mine")

    def default(_: Any) -> Any:
        raise reason

    with pytest.raises(snooze.JSONEncodeError) as caught:
        snooze.dumps([Opaque()], default)
    assert caught.value.__cause__ is reason


def test_calls_inside_calls() -> None:
    """`default` calls dumps and loads of the same module, deep and with errors."""
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
    """The interpreter's own limit holds: our frames are small enough for it."""
    in_child(endless_calls)


def collector_callbacks() -> str:
    """In a child: the collector runs code of its callbacks during both functions."""
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


def test_the_collector_runs_code_during_calls() -> None:
    """Its callbacks call in again; its state afterwards is what it was before."""
    assert int(in_child(collector_callbacks, **DEBUG)) > 0


def fake_modules() -> None:
    """In a child: other objects in the places of uuid, numpy and dataclasses."""
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


def test_modules_that_are_not_what_they_are_called() -> None:
    """Whatever `sys.modules` holds, nothing is read outside an object."""
    in_child(fake_modules, **DEBUG)
