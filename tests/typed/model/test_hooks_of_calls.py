"""Hooks of `decode` and `encode`: a new lambda compiles nothing and is not kept alive."""

from __future__ import annotations

import gc
import threading
import weakref
from typing import Any, Generic, Protocol, TypeVar

import pytest

import snooze
from snooze._typed import calls

T = TypeVar("T")


class Money:
    """A class that snooze does not know."""

    def __init__(self, amount: int, source: object = None) -> None:
        self.amount = amount
        self.source = source


def test_a_new_hook_at_each_call() -> None:
    """Each call uses its own hook, and one compiled plan serves all."""
    calls._decoder.cache_clear()
    calls._encoder.cache_clear()
    for number in range(20):
        found = snooze.decode(
            b"[5]", list[Money], dec_hook=lambda _, v, n=number: Money(v, n)
        )
        assert (found[0].amount, found[0].source) == (5, number)
        assert snooze.encode(
            found, enc_hook=lambda money, n=number: [money.amount, n]
        ) == (b"[[5,%d]]" % number)
    assert calls._decoder.cache_info().misses == 1
    assert calls._encoder.cache_info().misses == 1


def test_hooks_are_not_kept_alive() -> None:
    """Neither the hook nor what it refers to, also after an error."""

    def run(call: Any) -> weakref.ref[Any]:
        def hook(*_: object) -> Any:
            raise ValueError(1)

        with pytest.raises((snooze.ValidationError, ValueError)):
            call(hook)
        return weakref.ref(hook)

    dead = [
        run(lambda hook: snooze.decode(b"1", Money, dec_hook=hook)),
        run(lambda hook: snooze.encode(Money(1), enc_hook=hook)),
    ]
    gc.collect()
    assert [reference() for reference in dead] == [None, None]


def test_hooks_that_call_again() -> None:
    """The inner call has its own hook, and the outer one continues with the outer."""

    def inner(_: object, value: int) -> Money:
        return Money(value, "inner")

    def outer(_: object, value: Any) -> Money:
        if isinstance(value, str):
            return snooze.decode(value, Money, dec_hook=inner)
        return Money(value, "outer")

    found = snooze.decode(b'[1,"2",3]', list[Money], dec_hook=outer)
    assert [(one.amount, one.source) for one in found] == [
        (1, "outer"),
        (2, "inner"),
        (3, "outer"),
    ]


def test_hooks_in_threads() -> None:
    """Threads that call at the same time keep their hooks apart."""
    barrier = threading.Barrier(4)
    wrong: list[Any] = []

    def body(name: int) -> None:
        barrier.wait()
        for _ in range(300):
            found = snooze.decode(
                b"[1,2]", list[Money], dec_hook=lambda _, v: Money(v, name)
            )
            if {one.source for one in found} != {name}:
                wrong.append(found)

    threads = [threading.Thread(target=body, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize("hook", [3, "x", []])
def test_hooks_that_are_not_callable(hook: Any) -> None:
    """Refused by the name of the option."""
    with pytest.raises(TypeError, match=r"^dec_hook needs a callable"):
        snooze.decode(b"1", int, dec_hook=hook)
    with pytest.raises(TypeError, match=r"^enc_hook needs a callable"):
        snooze.encode(1, int, enc_hook=hook)


def test_unknown_options_name_the_function() -> None:
    """Not the class behind it."""
    with pytest.raises(TypeError, match=r"^encode\(\) got an unexpected .*'depth'"):
        snooze.encode(1, depth=2)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match=r"^decode\(\) got an unexpected .*'depth'"):
        snooze.decode(b"1", depth=2)  # type: ignore[call-overload]


def test_results_for_generic_classes() -> None:
    """The result must be an instance of the class; its arguments cannot be checked."""

    class Box(Generic[T]):
        pass

    class Shape(Protocol):
        def area(self) -> float: ...

    box: Any = Box()
    for tp in (Box, Box[int]):
        assert snooze.decode(b"1", tp, dec_hook=lambda *_: box) is box
        with pytest.raises(snooze.ValidationError, match="dec_hook returned str, not"):
            snooze.decode(b"1", tp, dec_hook=lambda *_: "box")
    assert snooze.decode(b"1", Shape, dec_hook=lambda *_: "box") == "box"
