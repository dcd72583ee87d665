"""`Converter` and `convert` as objects: options, repr, pickles, caches, late names."""

from __future__ import annotations

import copy
import pickle
from dataclasses import dataclass
from typing import Any

import pytest

import snooze
from snooze import Converter, ValidationError, convert


@dataclass
class Point:
    """A class that pickles find."""

    x: int


@dataclass
class Late:
    """A class with a type that is defined later."""

    other: Other  # type: ignore[name-defined]  # noqa: F821


def test_repr_and_pickle() -> None:
    """A Converter is its type and options."""
    converter = Converter(list[Point], strict=False, from_attributes=True)
    text = "Converter(list[test_converter.Point], strict=False, from_attributes=True)"
    assert repr(converter).replace(f"{__name__}.", "test_converter.") == text
    for again in (pickle.loads(pickle.dumps(converter)), copy.copy(converter)):
        assert repr(again) == repr(converter)
        assert again.convert([{"x": "1"}]) == [Point(1)]
    assert converter.type == list[Point]
    assert repr(Converter()) == "Converter(Any)"
    assert repr(Converter(int, strict=True, errors="first")) == "Converter(int)"


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"strict": 1}, TypeError, "strict"),
        ({"from_attributes": None}, TypeError, "from_attributes"),
        ({"gc": 0}, TypeError, "gc"),
        (
            {"errors": "some"},
            ValueError,
            "errors: expected 'first' or 'all', found 'some'",
        ),
        ({"unknown": "keep"}, ValueError, "unknown"),
        ({"rename": "shout"}, ValueError, "rename"),
        ({"dec_hook": 5}, TypeError, "dec_hook needs a callable"),
        ({"at": "/a"}, TypeError, "unexpected keyword argument 'at'"),
        ({"skip": "fast"}, TypeError, "unexpected keyword argument 'skip'"),
    ],
)
def test_wrong_options(options: dict[str, Any], error: Any, message: str) -> None:
    """Refused when the Converter is made, and by `convert`."""
    for call in (
        lambda: Converter(int, **options),
        lambda: convert(1, int, **options),
    ):
        with pytest.raises(error, match=message):
            call()


def test_unknown_option_names_the_function() -> None:
    """And lists the options."""
    with pytest.raises(
        TypeError, match=r"^convert\(\) got .*errors, max_errors, unknown"
    ):
        convert(1, int, lax=True)  # type: ignore[call-overload]


def test_convert_compiles_once() -> None:
    """A new lambda at each call compiles nothing."""
    from snooze._typed import converter as module

    class Odd:
        pass

    module._converter.cache_clear()
    for _ in range(5):
        convert("x", Odd, dec_hook=lambda tp, _: tp())
    assert module._converter.cache_info().misses == 1
    assert module._converter.cache_info().hits == 4


def test_unhashable_options() -> None:
    """Compiled at each call."""
    assert convert({"X": 1}, Point, rename={"x": "X"}) == Point(1)


def test_options_of_results() -> None:
    """`gc` and `unknown` act as for a Decoder."""
    import gc

    assert not gc.is_tracked(convert({"x": 1}, Point, gc=False))
    with pytest.raises(ValidationError, match="no member"):
        convert({"x": 1, "y": 2}, Point, unknown="forbid")


def test_late_names() -> None:
    """A name that is not defined yet is looked up at the first call."""
    converter: Converter[Any] = Converter(Late)
    with pytest.raises(TypeError, match="the name 'Other' is not defined"):
        converter.convert({"other": 1})
    globals()["Other"] = int
    assert converter.convert({"other": 1}).other == 1


def test_wrong_calls() -> None:
    """One positional argument."""
    converter = Converter(int)
    with pytest.raises(TypeError):
        converter.convert()  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        converter.convert(1, 2)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        converter.convert(obj=1)  # type: ignore[call-arg]
    bare = Converter.__new__(Converter)
    with pytest.raises((AttributeError, TypeError, RuntimeError)):
        bare.convert(1)
    assert not hasattr(converter, "decode")


def test_subclasses() -> None:
    """Of `Converter` keep its methods."""

    class Own(Converter[Any]):
        def convert(self, obj: Any, /) -> Any:
            return ("own", super().convert(obj))

    assert Own(int).convert(1) == ("own", 1)
    assert snooze.Converter[int] is not None
