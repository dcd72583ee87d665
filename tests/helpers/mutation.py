"""Containers under change: one of each kind, and everything user code can do to it.

Separate because `default` of untyped dumps and the hooks of typed encoding do the same
damage. Every object is fresh, so that the container holds the only reference. Invariant:
`whole` refuses output with a byte of freed memory (PYTHONMALLOC=debug fills it with
0xdd). Used by tests/safety.
"""

from __future__ import annotations

import collections
import dataclasses
import json
from typing import TYPE_CHECKING, Any

import snooze

if TYPE_CHECKING:
    from collections.abc import Callable


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
    """Return a new string, referred to by the caller alone."""
    return "".join(["text ", tag, " " * 30])


#: name -> function that puts a value into a container of new objects.
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


#: kind -> functions that change such a container.
CHANGES: dict[type, list[Callable[[Any], Any]]] = {
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


def changes_for(container: Any) -> list[Callable[[Any], Any]]:
    """Return the functions that change this container."""
    return next(CHANGES[kind] for kind in type(container).__mro__ if kind in CHANGES)


def whole(output: bytes) -> None:
    """Assert that the output is JSON and has no byte of freed memory."""
    assert b"\xdd" not in output
    json.loads(output)


def attempt(write: Callable[[], bytes]) -> str:
    """Call a function that writes JSON, and name the outcome."""
    try:
        whole(write())
    except snooze.JSONEncodeError:
        return "refused"
    except RuntimeError as exc:
        assert "changed size" in str(exc) or "mutated" in str(exc), exc
        return "changed"
    except AttributeError:
        return "attribute"
    return "written"
