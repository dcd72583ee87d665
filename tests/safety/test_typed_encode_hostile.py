"""Typed encoding with hostile code: hooks, properties, finalisers, threads.

Hooks, conversions and properties apply every possible change to each container on the
path. The result may be JSON of some earlier state or a Python error, but never a crash
and never freed memory.
"""

from __future__ import annotations

import collections
import functools
import gc
import itertools
from typing import Any

import pytest

from helpers import subjects
from helpers.descriptions import ANY, STR, encoder, node
from helpers.isolated import DEBUG_MALLOC, in_child
from helpers.mutation import (
    CONTAINERS,
    Opaque,
    Plain,
    Slots,
    attempt,
    changes_for,
    heap_text,
)
from helpers.threads import together

FIELDS = ("first", "middle", "last")


def record(cls: type, value: int = 1, omit: Any = None) -> Any:
    """Return a record of three fields of any type."""
    fields = tuple((name, name, value, omit) for name in FIELDS)
    return (cls, "attributes", fields, b"", None)


def of_any(hook: Any, *, indent: int | None = None, sort: bool = False) -> Any:
    """Return an encoder of anything, with records for the two dataclasses."""
    nodes = [node("object", ("record", 0)), ANY]
    made = {
        cls: encoder(nodes, [record(cls)], hook=hook, sort=sort)
        for cls in (Plain, Slots)
    }
    return encoder([ANY], resolve=made.get, hook=hook, indent=indent, sort=sort)


def change_during_hook(outer_name: str) -> str:
    """In a child: the hook applies every change to the inner and the outer container."""
    outcomes: collections.Counter[str] = collections.Counter()
    target: list[Any] = []
    answers = (lambda: None, lambda: [heap_text("answer")], Opaque)

    def hook(_: Any) -> Any:
        if target:
            container, change = target.pop()
            change(container)
            del container
            gc.collect()
            return answer()
        return "done"

    for options in ({}, {"indent": 2}, {"sort": True}):
        enc = of_any(hook, **options)
        for inner_name in CONTAINERS:
            samples = [CONTAINERS[inner_name](0), CONTAINERS[outer_name](0)]
            for level, sample in enumerate(samples):
                for change, answer in itertools.product(changes_for(sample), answers):  # noqa: B007 - the hook reads it
                    inner = CONTAINERS[inner_name](Opaque())
                    value = CONTAINERS[outer_name](inner)
                    target[:] = [((inner, value)[level], change)]
                    del inner
                    outcomes[attempt(functools.partial(enc.encode, value))] += 1
    return repr(dict(outcomes))


@pytest.mark.slow
@pytest.mark.parametrize("name", CONTAINERS)
def test_hooks_that_change_open_containers(name: str) -> None:
    """The outcome is an error or JSON of some earlier state."""
    assert "written" in in_child(change_during_hook, name, **DEBUG_MALLOC)


def strange_classes() -> str:
    """In a child: properties that change objects while fields are read."""
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


def test_properties_that_change_open_containers() -> None:
    """Properties that empty, delete, replace the class, and raise."""
    printed = in_child(strange_classes, **DEBUG_MALLOC)
    assert "written" in printed
    assert "raised" in printed


class Text(str):
    """A key with a finaliser."""

    __slots__ = ("ended",)

    def __del__(self) -> None:
        """Empty the container that the key belonged to."""
        self.ended.clear()


def finalisers() -> str:
    """In a child: finalisers of keys and values change the object being written."""
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
    """The walk may hold the last reference to a key."""
    assert in_child(finalisers, **DEBUG_MALLOC)


def changing() -> None:
    """In a child: threads write an object that other threads change."""
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


@pytest.mark.slow
def test_threads_that_change_the_object() -> None:
    """The outcome is JSON of some state, or an error."""
    in_child(changing)


def reentrant_hook() -> None:
    """In a child: the hook encodes with the same encoder, recursively."""

    def hook(value: Any) -> Any:
        return enc.encode(value.held).decode()

    enc = encoder([ANY], hook=hook)
    value: Any = [1]
    for _ in range(16):
        value = subjects.Opaque(*[value])
        value.held = [value.held[0]]
    assert enc.encode(value)


def test_an_encoder_calls_itself() -> None:
    """Through its hook, recursively."""
    in_child(reentrant_hook)
