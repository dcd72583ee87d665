"""dumps with `default`: when it is called, what it may return, how it fails."""

from __future__ import annotations

import collections
import decimal
import functools
from typing import Any

import pytest

import snooze
from helpers.support import nested

TOO_DEEP = "default serializer exceeds recursion limit"


class Custom:
    """A type without native support."""

    def __init__(self, left: int = 0) -> None:
        self.left = left


def unsupported(name: str = "Custom") -> str:
    """Return the text of the error about an unsupported type."""
    return f"Type is not JSON serializable: {name}"


def failing(exception: BaseException) -> Any:
    """Return a default that raises `error`."""

    def default(_: Any) -> Any:
        raise exception

    return default


@pytest.mark.parametrize(
    ("returned", "expected"),
    [
        ("text", b'"text"'),
        (1, b"1"),
        (None, b"null"),
        ([1, {"a": 2}], b'[1,{"a":2}]'),
        ((), b"[]"),
        ({}, b"{}"),
        (1.5, b"1.5"),
    ],
    ids=repr,
)
def test_result_is_serialized(returned: Any, expected: bytes) -> None:
    """Any supported result is written in place of the object."""
    assert snooze.dumps(Custom(), lambda _: returned) == expected
    written = snooze.dumps({"a": [Custom(), 1]}, default=lambda _: returned)
    assert written == b'{"a":[' + expected + b",1]}"


class Callable:
    """A callable instance."""

    def __call__(self, obj: Any) -> str:
        return type(obj).__name__

    def method(self, obj: Any) -> str:
        """Do the same as __call__."""
        return self(obj)


@pytest.mark.parametrize(
    "default",
    [
        lambda obj: type(obj).__name__,
        Callable(),
        Callable().method,
        functools.partial(lambda prefix, obj: prefix + type(obj).__name__[1:], "C"),
    ],
    ids=["lambda", "instance", "method", "partial"],
)
def test_kinds_of_callable(default: Any) -> None:
    """Functions, instances with __call__, methods and partials work."""
    assert snooze.dumps(Custom(), default) == b'"Custom"'
    assert snooze.dumps([Custom()], default=default) == b'["Custom"]'


def test_called_once_for_each_unsupported_object_in_order() -> None:
    """default gets only unsupported objects, in document order."""
    objects = [Custom(n) for n in range(3)]
    seen: list[Any] = []

    def default(obj: Any) -> Any:
        seen.append(obj)
        return obj.left

    value = {"a": objects[0], "b": [1, objects[1], "x"], "c": (objects[2],)}
    assert snooze.dumps(value, default=default) == b'{"a":0,"b":[1,1,"x"],"c":[2]}'
    assert seen == objects


@pytest.mark.parametrize(
    "exception",
    [TypeError("no"), KeyError("x"), ValueError(), RecursionError("deep"), Exception()],
    ids=repr,
)
@pytest.mark.parametrize(
    "wrap", [lambda v: v, lambda v: {"k": [v]}], ids=["root", "deep"]
)
def test_exception_becomes_the_cause(exception: Exception, wrap: Any) -> None:
    """An Exception in default is chained to the error about the object."""
    with pytest.raises(snooze.JSONEncodeError) as caught:
        snooze.dumps(wrap(Custom()), default=failing(exception))
    assert str(caught.value) == unsupported()
    assert caught.value.__cause__ is exception


def test_exception_from_a_nested_call() -> None:
    """A default that itself calls dumps fails with the inner error as the cause."""
    with pytest.raises(snooze.JSONEncodeError) as caught:
        snooze.dumps(Custom(), default=lambda obj: snooze.dumps([obj]))
    assert str(caught.value) == unsupported()
    assert str(caught.value.__cause__) == unsupported()


def test_wrong_arity_and_not_callable() -> None:
    """A default that cannot be called with one argument fails only when it is needed."""
    assert snooze.dumps(1, default=5) == b"1"
    with pytest.raises(snooze.JSONEncodeError) as caught:
        snooze.dumps(Custom(), default=5)
    assert str(caught.value) == unsupported()
    assert str(caught.value.__cause__) == "'int' object is not callable"
    with pytest.raises(snooze.JSONEncodeError) as caught:
        snooze.dumps(Custom(), default=lambda: 1)
    assert str(caught.value) == unsupported()
    assert isinstance(caught.value.__cause__, TypeError)


@pytest.mark.parametrize(
    ("returned", "text"),
    [
        (2**64, "Integer exceeds 64-bit range"),
        ("\ud800", "str is not valid UTF-8: surrogates not allowed"),
        ({1: 2}, "Dict key must be str"),
    ],
    ids=["int", "str", "key"],
)
def test_errors_in_results(returned: Any, text: str) -> None:
    """Errors in what default returned are reported as anywhere else."""
    with pytest.raises(snooze.JSONEncodeError) as caught:
        snooze.dumps(Custom(), default=lambda _: returned)
    assert str(caught.value) == text
    assert caught.value.__cause__ is None


def test_chain_of_255_results() -> None:
    """default may return another unsupported object 254 times; once more is an error."""

    def default(obj: Custom) -> Any:
        return Custom(obj.left - 1) if obj.left else "end"

    assert snooze.dumps(Custom(254), default=default) == b'"end"'
    with pytest.raises(snooze.JSONEncodeError) as caught:
        snooze.dumps(Custom(255), default=default)
    assert str(caught.value) == TOO_DEEP
    assert caught.value.__cause__ is None


def test_endless_default() -> None:
    """A default that always returns an unsupported object is called 255 times."""
    calls = collections.Counter()

    def default(obj: Any) -> Any:
        calls["n"] += 1
        return obj

    with pytest.raises(snooze.JSONEncodeError, match=f"^{TOO_DEEP}$"):
        snooze.dumps(Custom(), default=default)
    assert calls["n"] == 255


def test_chain_is_counted_per_object() -> None:
    """Sibling objects do not share the count."""

    def default(obj: Custom) -> Any:
        return Custom(obj.left - 1) if obj.left else 0

    value = [Custom(200) for _ in range(5)]
    assert snooze.dumps(value, default=default) == b"[0,0,0,0,0]"


def test_results_inside_deep_containers() -> None:
    """254 containers around a value from default are written."""
    value = nested(254, lambda core: [core], Custom())
    assert snooze.dumps(value, default=lambda _: 1) == b"[" * 254 + b"1" + b"]" * 254
    with pytest.raises(snooze.JSONEncodeError, match="(?m)^Recursion limit reached$"):
        snooze.dumps(value, default=lambda _: [])


def test_result_that_contains_the_object() -> None:
    """A default that wraps its own argument ends in the depth error."""
    with pytest.raises(snooze.JSONEncodeError, match="(?m)^Recursion limit reached$"):
        snooze.dumps(Custom(), default=lambda obj: [obj])


def test_supported_types_are_never_passed() -> None:
    """Native types do not reach default without a PASSTHROUGH option."""
    value = [1, "a", 1.5, None, True, {}, (), collections.OrderedDict()]
    assert (
        snooze.dumps(value, default=failing(AssertionError()))
        == b'[1,"a",1.5,null,true,{},[],{}]'
    )


def test_decimal_through_default() -> None:
    """The most common use of default: Decimal as str."""
    value = decimal.Decimal("0.0842389659712649442845")
    assert snooze.dumps(value, default=str) == b'"0.0842389659712649442845"'


def test_error_inside_an_except_block_has_context() -> None:
    """An exception that is being handled becomes the context, as in Python."""
    outer = ValueError("outer")
    with pytest.raises(snooze.JSONEncodeError) as caught:
        try:
            raise outer
        except ValueError:
            snooze.dumps(2**64)
    assert caught.value.__context__ is outer
    assert caught.value.__cause__ is None
