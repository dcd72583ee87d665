"""Deliberate differences from orjson: fields of dataclasses, arrays with `None`.

orjson 3.13.0 omits fields that are not in the `__dict__` of an instance that has one,
writes empty braces of some on two lines, and takes `default=None` for a function that fails. All other differences are in
test_differences.
"""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

import pytest

import snooze


class Kept:
    """A data descriptor, which keeps the values of a field elsewhere."""

    def __get__(self, instance: Any, _: Any) -> Any:
        return 7 if instance is None else vars(instance)["_kept"]

    def __set__(self, instance: Any, value: Any) -> None:
        vars(instance)["_kept"] = value


def test_fields_behind_descriptors_are_written() -> None:
    """Whatever the instance keeps in their place."""

    @dataclasses.dataclass
    class Hidden:
        x: int

        @property
        def x(self) -> int:
            return self._x

        @x.setter
        def x(self, value: int) -> None:
            self._x = value

    @dataclasses.dataclass
    class Beside:
        x: int
        y: int = Kept()  # type: ignore[assignment]

    assert vars(Hidden(5)) == {"_x": 5}
    assert snooze.dumps(Hidden(5)) == b'{"x":5}'
    assert vars(Beside(1, 2)) == {"x": 1, "_kept": 2}
    assert snooze.dumps([Beside(1, 2), Beside(3)]) == b'[{"x":1,"y":2},{"x":3,"y":7}]'


def test_dataclass_with_slots_without_fields() -> None:
    """It is indented as an empty dict is."""

    @dataclasses.dataclass(slots=True)
    class Empty:
        shared: ClassVar[int] = 1
        given: dataclasses.InitVar[int] = 2

    assert snooze.dumps(Empty(), option=snooze.OPT_INDENT_2) == b"{}"
    assert snooze.dumps(Empty()) == b"{}"


def test_none_is_no_default_for_arrays() -> None:
    """The error says what is wrong with the array."""
    np = pytest.importorskip("numpy", reason="numpy is not installed: NOT tested")
    for array, reason in (
        (np.array([1 + 2j]), "unsupported datatype in numpy array"),
        (np.array(1), "unsupported datatype in numpy array"),
        (np.zeros((2, 2)).T[:1].T, "numpy array is not C contiguous; use "),
    ):
        for arguments in ({}, {"default": None}):
            with pytest.raises(snooze.JSONEncodeError) as caught:
                snooze.dumps(array, option=snooze.OPT_SERIALIZE_NUMPY, **arguments)
            assert str(caught.value).startswith(reason)
            assert caught.value.__cause__ is None
