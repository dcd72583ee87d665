"""Via over types that are not one class, and bare dict classes."""

from __future__ import annotations

import datetime
import typing
from collections import Counter, OrderedDict, defaultdict
from typing import Annotated, Any, Literal, Protocol, TypedDict, Union

import pytest

import snooze
from snooze import Ge, Via


class Movie(TypedDict):
    """A dict."""

    name: str


class Shape(Protocol):
    """Not checkable at run time."""

    def area(self) -> float:
        """Return the area."""


def value_of(text: str) -> Any:
    """Return the value of an expression."""
    return eval(text, {"datetime": datetime})


def by_text(tp: Any) -> Any:
    """Return the type with the JSON form of its repr."""
    return Annotated[tp, Via(str, decode=value_of, encode=repr)]


@pytest.mark.parametrize(
    ("tp", "value"),
    [
        (datetime.date | str, datetime.date(2020, 1, 2)),
        (datetime.date | str, "x"),
        (Union[int, None], None),  # noqa: UP007
        (int | None, 3),
        (Any, 3.5),
        (object, [1]),
        (Movie, {"name": "x"}),
        (Shape, 3),
        (list[int], [1]),
        (Annotated[int, Ge(0)] | str, 3),
        (typing.NewType("Count", int) | None, 3),
        (Literal["a", 1], "a"),
        (int, 3),
    ],
)
def test_via_of_any_type(tp: Any, value: Any) -> None:
    """The functions of a Via see the values of the type that it wraps."""
    document = snooze.encode([value], list[by_text(tp)])
    assert document == snooze.dumps([repr(value)])
    assert snooze.decode(document, list[by_text(tp)]) == [value]


@pytest.mark.parametrize(
    ("tp", "value"), [(datetime.date | str, 3), (Movie, []), (int | None, "x")]
)
def test_via_of_another_type(tp: Any, value: Any) -> None:
    """Other values never reach the function."""
    with pytest.raises(snooze.JSONEncodeError, match=r"^expected .* at \$\[0\]$"):
        snooze.encode([value], list[by_text(tp)])


def test_via_in_a_union() -> None:
    """One that takes every value comes last."""
    tp = Annotated[Any, Via(list[str], decode=str, encode=lambda one: [repr(one)])]
    encoder = snooze.Encoder(list[tp | int])
    assert encoder.encode([1, 2.5, None]) == b'[1,["2.5"],["None"]]'


@pytest.mark.parametrize("cls", [dict, OrderedDict, defaultdict, Counter])
def test_keys_of_bare_dict_classes(cls: Any) -> None:
    """A class without arguments has keys of any type, as `dict` has."""
    value = cls()
    value[1], value["b"] = 2, 3
    for tp in (Any, cls):
        assert snooze.encode(value, tp) == b'{"1":2,"b":3}'
        assert snooze.decode(b'{"1":2}', tp) == {"1": 2}


class Refusing:
    """A class whose function for encoding raises."""

    def __init__(self, error: Exception) -> None:
        """Keep the exception."""
        self.error = error

    @classmethod
    def __snooze__(cls) -> Via:
        """Raise it."""

        def encode(value: Refusing) -> str:
            raise value.error

        return Via(str, encode=encode)


def test_refused_values_have_a_path() -> None:
    """A TypeError becomes the cause of one with the path, and stays as it is."""
    shared = TypeError("worth it at $5")
    for place in ("a", "b"):
        with pytest.raises(snooze.JSONEncodeError) as caught:
            snooze.encode({place: [Refusing(shared)]})
        assert str(caught.value) == f"worth it at $5 at $.{place}[0]"
        assert caught.value.__cause__ is shared
        assert shared.args == ("worth it at $5",)
    with pytest.raises(snooze.JSONEncodeError) as caught:
        snooze.encode({"k": {Refusing(shared): 1}}, dict[str, dict[Refusing, int]])
    assert str(caught.value).startswith("worth it at $5 at $.k")
    # Other exceptions stay as they are.
    for error in (UnicodeError("no"), KeyError("no")):
        with pytest.raises(type(error)) as raised:
            snooze.encode([Refusing(error)])
        assert raised.value is error
