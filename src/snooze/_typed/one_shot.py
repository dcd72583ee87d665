"""Iterators in a value that a `FirstMatch` union writes.

Separate from `first_match`, because an attempt sees a value as a whole: here are the
rules that meet what is in it. Invariants: what an iterator gives, or a function makes
of it, is kept for the later attempts until the outermost union ends, so that no attempt
reads an exhausted one; within one attempt, a second visit is a second read. What
cannot be kept is refused: the text of a union that Rust writes once more, in its place,
is not made by an attempt. Called by `first_match` and `lower_encode`; Rust calls the
functions.
"""

from __future__ import annotations

import functools
import threading
from collections import abc
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable

    from snooze._snooze import EncoderBase

    Function = Callable[[Any], Any]
    #: The ids of a function and of its argument.
    Visit = tuple[int, int]

#: In place of a result that there is not, and of an item.
_NOTHING = object()
#: The modules whose iterators a function can do nothing with but read them.
_LAZY = {"builtins", "itertools"}
#: Why an iterator is refused where Rust writes a value once more.
_TWICE = (
    "it gives its items only once, and FirstMatch writes a value twice with indent, "
    "separators, newline or ensure_ascii, and in to_builtins"
)


class FinalError(TypeError):
    """The value cannot be written: no further alternative is tried."""


class _Reads(threading.local):
    """What functions have made of iterators in the attempts of a thread."""

    def __init__(self) -> None:
        #: The function and the iterator, and the result of each visit in an attempt.
        self.results: dict[Visit, tuple[Function, Any, list[Any]]] = {}
        #: How often the current attempt has been there.
        self.visits: dict[Visit, int] = {}
        #: The error that is raised for an iterator which would be read twice, and why.
        self.refusal: TypeError | None = None
        self.reason = ""

    def result(self, function: Function, value: Any) -> Any:
        """Return the result of an earlier attempt, or of a call."""
        key = id(function), id(value)
        results = self.results.setdefault(key, (function, value, []))[2]
        visit = self.visits.get(key, 0)
        self.visits[key] = visit + 1
        if visit == len(results):
            results.append(_NOTHING)
        if results[visit] is _NOTHING:
            results[visit] = function(value)
        return results[visit]

    def is_ahead(self, function: Function, value: Any) -> bool:
        """Return whether an earlier attempt has called a function, but this not yet."""
        key = id(function), id(value)
        if key not in self.results:
            return False
        later = self.results[key][2][self.visits.get(key, 0) :]
        return any(one is not _NOTHING for one in later)

    def refuse(self, value: Any, reason: str) -> NoReturn:
        """Raise an error, to which the encoder of the attempt adds the place."""
        self.reason = reason
        self.refusal = TypeError(f"expected a list, found {type(value).__name__}")
        raise self.refusal

    def has_refused(self, error: TypeError) -> bool:
        """Return whether it is that error, perhaps with a place."""
        found = self.refusal
        return found is not None and (error is found or error.__cause__ is found)

    def forget(self) -> None:
        """Keep nothing: the outermost union has ended."""
        if self.results or self.refusal:
            self.results, self.visits, self.refusal = {}, {}, None


reads = _Reads()


def writes_twice(options: tuple[Any, ...]) -> bool:
    """Return whether Rust writes the value of a union once more, after an attempt.

    With a layout, which depends on the place, and with tokens (`to_builtins`).
    """
    return options[5] is not None or len(options) > 7


def reading_once(plan: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the plan of an encoder for attempts, which reads each iterator once."""
    version, nodes, records, root, options = plan
    twice = writes_twice(options)
    found = list(nodes)
    for index, (text, rules) in enumerate(nodes):
        changed: list[Any] = []
        for rule in rules:
            match rule:
                case ("iterable", cls, item) if not hasattr(cls, "__len__"):
                    found.append((text, (("list", item),)))
                    at = len(found) - 1
                    changed += [("via", _without_length(cls), _reader(twice), at), rule]
                case ("via", cls, function, inner) if _may_be_iterator(cls):
                    changed.append(("via", cls, _caller(function, twice), inner))
                case _:
                    changed.append(rule)
        found[index] = (text, tuple(changed))
    resolve, hook, *others = options
    if resolve is not None:
        encoder, *rest = resolve.args
        resolve = functools.partial(resolve.func, _copy_of(encoder), *rest)
    if hook is not None:
        hook = _caller(hook, twice)
    return version, tuple(found), records, root, (resolve, hook, *others)


@functools.cache
def _copy_of(cls: type[EncoderBase]) -> type[EncoderBase]:
    """Return a class of encoders that read each iterator once."""

    class ReadingOnce(cls):  # type: ignore[misc, valid-type]
        __slots__ = ()

        def _compile(self, plan: tuple[Any, ...]) -> None:
            super()._compile(reading_once(plan))

    return ReadingOnce


class _WithoutLength(type):
    """The class of the classes of iterables without a length."""

    base: Any

    def __instancecheck__(cls, value: object) -> bool:
        """Return whether the items may be there only once."""
        found = type(value)
        return (
            isinstance(value, cls.base)
            and not hasattr(found, "__len__")
            and hasattr(found, "__iter__")
        )


def _without_length(cls: type) -> type:
    return _WithoutLength(cls.__name__, (), {"base": cls})


def _may_be_iterator(cls: type) -> bool:
    return issubclass(cls, abc.Iterator) or issubclass(abc.Iterator, cls)


@functools.cache
def _reader(twice: bool) -> Function:  # noqa: FBT001 - the key of a cache
    """Return a function that returns the items of an iterable without a length."""

    def read(value: Any) -> list[Any]:
        items: list[Any] = reads.result(_items, value)
        if twice and items and next(iter(value), _NOTHING) is _NOTHING:
            reads.refuse(value, _TWICE)
        return items

    return read


def _items(value: Any) -> list[Any]:
    iterator = iter(value)
    try:
        return list(iterator)
    except TypeError as error:
        name = type(value).__name__
        raise FinalError(f"FirstMatch: {name} has raised {error!r}") from error


def _caller(function: Function, twice: bool) -> Function:  # noqa: FBT001 - as above
    """Return a function that calls a function of the user once for an iterator."""

    def call(value: Any) -> Any:
        if not isinstance(value, abc.Iterator):
            return function(value)
        if reads.is_ahead(_items, value):
            reads.refuse(
                value, "one alternative read it, another has a function for it"
            )
        # Another iterator, such as a file, may be more than its items.
        if twice and type(value).__module__ in _LAZY:
            reads.refuse(value, _TWICE)
        return reads.result(function, value)

    return call
