"""Depth limits and cycles, on a thread with a stack of 256 KiB.

Every kind of container counts against one limit, so that no mix of them can overflow the
C stack; a cycle through any of them ends in the same error. Runs in a child, because a
stack overflow ends the process.
"""

from __future__ import annotations

import collections
import dataclasses
import enum
import itertools
import sys
from typing import TYPE_CHECKING, Any

import pytest

import snooze
from helpers.isolated import in_child
from helpers.threads import on_small_stack

if TYPE_CHECKING:
    from collections.abc import Callable

#: Nested containers that `dumps` writes, as orjson does.
DUMPS_LIMIT = 254
#: Nested containers that `loads` reads.
LOADS_LIMIT = 1024
#: Nested results of `default`.
DEFAULT_LIMIT = 255
TOO_DEEP = "Recursion limit reached"
LOADS_TOO_DEEP = "depth limit exceeded"


class Sequence(list):
    """A subclass of list."""


class Table(dict):
    """A subclass of dict."""


@dataclasses.dataclass
class Plain:
    """Written from its `__dict__`."""

    inner: Any


@dataclasses.dataclass
class Partial:
    """Written by attribute, then from its `__dict__`."""

    inner: Any
    missing: None = dataclasses.field(init=False, default=None)


@dataclasses.dataclass(slots=True)
class Slots:
    """Written by attribute."""

    inner: Any


class Opaque:
    """Only `default` can write it."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner


def unwrap(value: Any) -> Any:
    """A `default` for Opaque."""
    return value.inner


def member(value: Any) -> enum.Enum:
    """Return an enum member whose value is the container."""
    made = enum.Enum("Single", {"ONLY": 0}).ONLY
    made._value_ = value
    return made


#: name -> function that puts an object into a container.
KINDS: dict[str, Callable[[Any], Any]] = {
    "list": lambda inner: [inner],
    "tuple": lambda inner: (inner,),
    "dict": lambda inner: {"k": inner},
    "list subclass": lambda inner: Sequence([inner]),
    "dict subclass": lambda inner: Table(k=inner),
    "OrderedDict": lambda inner: collections.OrderedDict(k=inner),
    "dataclass": Plain,
    "dataclass partial": Partial,
    "dataclass slots": Slots,
}
if sys.version_info >= (3, 15):
    KINDS["frozendict"] = lambda inner: frozendict(k=inner)  # noqa: F821
#: name -> function that wraps an object without adding brackets.
WRAPPERS: dict[str, Callable[[Any], Any]] = {"enum": member, "default": Opaque}
OPTIONS = (0, snooze.OPT_SORT_KEYS, snooze.OPT_NON_STR_KEYS, snooze.OPT_INDENT_2)


def refused(value: Any, option: int) -> None:
    """Assert that the object is too deep, and that nothing else happens."""
    try:
        snooze.dumps(value, unwrap, option)
    except snooze.JSONEncodeError as exc:
        expected = (TOO_DEEP, "default serializer exceeds recursion limit")
        assert str(exc) in expected, str(exc)
    else:
        raise AssertionError("no error")


def nested(kinds: list[Callable[[Any], Any]], depth: int, core: Any) -> Any:
    """Put `core` into `depth` containers, with the kinds in turn."""
    for wrap in itertools.islice(itertools.cycle(kinds), depth):
        core = wrap(core)
    return core


def limits_of_containers() -> None:
    """In a child: the limit is the same for every pair of kinds and every option."""

    def body() -> None:
        for first, second in itertools.product(KINDS, KINDS):
            kinds = [KINDS[first], KINDS[second]]
            for option in OPTIONS:
                fits = nested(kinds, DUMPS_LIMIT - 1, [1])
                assert snooze.dumps(fits, unwrap, option), (first, second, option)
                for core in (1, [], {}):
                    refused(nested(kinds, DUMPS_LIMIT + 1, core), option)

    on_small_stack(body)


def limits_with_wrappers() -> None:
    """In a child: enums and `default` between containers and without containers."""

    def body() -> None:
        for (wrap_name, wrap), (wrapper_name, lead) in itertools.product(
            KINDS.items(), WRAPPERS.items()
        ):
            names = (wrap_name, wrapper_name)
            fits = nested([wrap, lead], 2 * DUMPS_LIMIT - 2, [1])
            assert snooze.dumps(fits, unwrap), names
            refused(nested([wrap, lead], 2 * DUMPS_LIMIT + 2, 1), 0)
            refused(nested([lead, wrap], 2000, 1), 0)
        assert snooze.dumps(nested([Opaque], DEFAULT_LIMIT - 1, 1), unwrap) == b"1"
        refused(nested([Opaque], DEFAULT_LIMIT + 1, 1), 0)
        for lead in ([member], [member, Opaque], [Opaque, member, member]):
            refused(nested(lead, 4000, 1), 0)

    on_small_stack(body)


def cycles() -> int:
    """In a child: a cycle through every mix of three kinds ends in the same error."""
    seen = 0

    def body() -> None:
        nonlocal seen
        every = KINDS | WRAPPERS
        for names in itertools.product(every, repeat=3):
            if set(names) <= WRAPPERS.keys():
                continue
            for start in ([], {}):
                chain = nested([every[name] for name in names], len(names), start)
                if isinstance(start, list):
                    start.append(chain)
                else:
                    start["k"] = chain
                for option in OPTIONS:
                    refused(chain, option)
                    seen += 1
                start.clear()

    on_small_stack(body)
    return seen


def cycles_of_wrappers() -> None:
    """In a child: an enum or a `default` that leads back to itself."""

    def body() -> None:
        loop = member(0)
        loop._value_ = loop
        refused(loop, 0)
        opaque = Opaque(None)
        opaque.inner = opaque
        refused(opaque, 0)
        opaque.inner = member(opaque)
        refused(opaque, 0)
        try:
            snooze.dumps({loop: 1}, option=snooze.OPT_NON_STR_KEYS)
        except snooze.JSONEncodeError:
            pass
        else:
            raise AssertionError("no error")

    on_small_stack(body)


def loads_limit() -> None:
    """In a child: documents at the limit and far beyond it."""

    def body() -> None:
        for left, right, filling in (
            (b"[", b"]", b""),
            (b'{"k":', b"}", b"1"),
            (b'[{"k":', b"}]", b"1"),
            (b" [ \n", b"\t] ", b'""'),
        ):
            levels = left.count(b"[") + left.count(b"{")
            count = LOADS_LIMIT // levels
            document = left * count + filling + right * count
            value = snooze.loads(document)
            assert value
            try:
                snooze.dumps(value)
            except snooze.JSONEncodeError as exc:
                assert str(exc) == TOO_DEEP
            del value
            for beyond in (count + 1, 100_000):
                for end in (right * beyond, b""):
                    try:
                        snooze.loads(left * beyond + filling + end)
                    except snooze.JSONDecodeError as exc:
                        assert exc.msg == LOADS_TOO_DEEP, exc.msg
                    else:
                        raise AssertionError("no error")

    on_small_stack(body)


def numpy_dimensions() -> None:
    """In a child: the dimensions of an array count as levels."""
    import numpy as np

    array = np.zeros((1,) * 60)

    def body() -> None:
        for depth, fits in ((DUMPS_LIMIT - 60, True), (DUMPS_LIMIT - 59, False)):
            value = nested([lambda inner: [inner]], depth, array)
            if fits:
                assert snooze.dumps(value, option=snooze.OPT_SERIALIZE_NUMPY)
            else:
                refused(value, snooze.OPT_SERIALIZE_NUMPY)

    on_small_stack(body)


@pytest.mark.slow
@pytest.mark.parametrize(
    "part",
    [limits_of_containers, limits_with_wrappers, cycles_of_wrappers, loads_limit],
)
def test_limits(part: Any) -> None:
    """Objects that are too deep are refused, on a small stack."""
    in_child(part)


@pytest.mark.slow
def test_cycles() -> None:
    """Cycles through every mix of three kinds."""
    assert int(in_child(cycles)) > 5000


def test_dimensions_of_arrays() -> None:
    """The dimensions of numpy arrays count as levels."""
    pytest.importorskip("numpy", reason="no numpy here: NOT tested")
    in_child(numpy_dimensions)
