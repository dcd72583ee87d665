"""Hooks that call the library again without end, on threads with small C stacks.

Separate from test_depth.py, whose documents are deep: here each level is a call of its
own. Runs in a child, because a stack overflow ends the process. Each must end in an
exception, and the next call must work.
"""

from __future__ import annotations

import dataclasses
import enum
import sys
import threading
import time
from typing import TYPE_CHECKING, Annotated, Any

import pytest

import snooze
import snooze.json
from helpers.isolated import in_child, is_instrumented
from helpers.threads import on_small_stack

if TYPE_CHECKING:
    from collections.abc import Callable

#: More levels than any stack holds here, so that the stack ends before CPython's count.
LEVELS = 1_000_000
#: What Python code needs that is not nested: from 3.14 on, CPython keeps a margin of the
#: C stack for itself and refuses deep calls of its `dataclasses` on 64 KiB.
SMALLEST_STACK = (64 if sys.version_info < (3, 14) else 160) * 1024


def _through_default(option: int | None = None) -> Callable[[], Any]:
    def default(_: Any) -> Any:
        return snooze.dumps({"b": object(), "a": [1]}, default=default, option=option)

    return lambda: default(None)


def _through_a_property() -> Callable[[], Any]:
    class Endless:
        @property
        def text(self) -> bytes:
            return snooze.dumps(self, default=read)

    def read(one: Endless) -> bytes:
        return one.text

    return lambda: Endless().text


def _through_an_enum() -> Callable[[], Any]:
    class Letter(enum.Enum):
        A = 1

        def __getattribute__(self, name: str) -> Any:
            if name == "value":
                return snooze.dumps(self)
            return super().__getattribute__(name)

    def default(one: Any) -> Any:
        return one.value

    return lambda: snooze.dumps([Letter.A, Letter.A.value], default=default)


def _through_json() -> Callable[[], Any]:
    def default(_: Any) -> Any:
        return snooze.json.dumps([object()], default=default)

    return lambda: default(None)


def _through_via(*, decode: bool) -> Callable[[], Any]:
    class Money:
        pass

    def read(_: str) -> Any:
        return decoder.decode(b'["1"]')

    def write(_: Money) -> Any:
        return encoder.encode([Money()])

    kind = list[Annotated[Money, snooze.Via(str, decode=read, encode=write)]]
    decoder, encoder = snooze.Decoder(kind), snooze.Encoder(kind)
    return (lambda: read("1")) if decode else (lambda: write(Money()))


def _through_post_init() -> Callable[[], Any]:
    @dataclasses.dataclass
    class Node:
        size: int

        def __post_init__(self) -> None:
            decoder.decode(b'{"size": 1}')

    decoder = snooze.Decoder(Node)
    return lambda: decoder.decode(b'{"size": 1}')


def _through_convert() -> Callable[[], Any]:
    @dataclasses.dataclass
    class Node:
        size: int

        def __post_init__(self) -> None:
            converter.convert({"size": 1})

    converter = snooze.Converter(Node)
    return lambda: converter.convert({"size": 1})


def _through_new_codecs() -> Callable[[], Any]:
    @dataclasses.dataclass
    class Node:
        size: int

        def __post_init__(self) -> None:
            snooze.Decoder(Node).decode(b'{"size": 1}')

    return lambda: snooze.Decoder(Node).decode(b'{"size": 1}')


def _through_used_encoders() -> Callable[[], Any]:
    """Each has scratch memory of its own, which its first call leaves for the next."""

    class Money:
        pass

    encoders: list[snooze.Encoder[Any]] = []
    is_ready = False

    def maker(index: int) -> Callable[[Any], Any]:
        def write(_: Any) -> Any:
            if not is_ready:
                return 0
            return encoders[index + 1].encode([Money()])

        return write

    for index in range(3000):
        encoder = snooze.Encoder(list[Any], hooks={Money: maker(index)})
        encoder.encode([Money()])
        encoders.append(encoder)
    is_ready = True
    return lambda: encoders[0].encode([Money()])


def _through_an_iterator(method: str) -> Callable[[], Any]:
    encoder = snooze.Encoder()

    def values() -> Any:
        yield b"".join(getattr(encoder, method)(values()))

    return lambda: next(values())


def _through_an_iterator_in_default() -> Callable[[], Any]:
    def values() -> Any:
        yield snooze.Encoder().encode_lines(values())

    return lambda: snooze.dumps(object(), default=lambda _: next(values()))


def _through_two_threads() -> Callable[[], Any]:
    """A call of the other thread may leave its scratch memory to a nested call."""
    is_over = threading.Event()

    def default(_: Any) -> Any:
        time.sleep(1e-4)
        return snooze.dumps([object()], default=default)

    def call_often() -> None:
        while not is_over.is_set():
            snooze.dumps([1j], default=str)

    def call() -> None:
        other = threading.Thread(target=call_often)
        other.start()
        try:
            default(None)
        finally:
            is_over.set()
            other.join()

    return call


WAYS: dict[str, Callable[[], Callable[[], Any]]] = {
    "default": _through_default,
    "default, sorted": lambda: _through_default(snooze.OPT_SORT_KEYS),
    "default, indented": lambda: _through_default(snooze.OPT_INDENT_2),
    "property": _through_a_property,
    "enum": _through_an_enum,
    "snooze.json": _through_json,
    "Via, encode": lambda: _through_via(decode=False),
    "Via, decode": lambda: _through_via(decode=True),
    "__post_init__": _through_post_init,
    "convert": _through_convert,
    "new codecs": _through_new_codecs,
    "used encoders": _through_used_encoders,
    "two threads": _through_two_threads,
    "iter_lines": lambda: _through_an_iterator("iter_lines"),
    "iter_items": lambda: _through_an_iterator("iter_items"),
    "iterator in default": _through_an_iterator_in_default,
}


def _call_without_end(way: str) -> None:
    call = WAYS[way]()
    if way != "snooze.json":  # the standard library's own code, which only counts
        sys.setrecursionlimit(LEVELS)

    def body() -> None:
        try:
            call()
        except (TypeError, ValueError, RecursionError):
            pass
        except MemoryError as error:
            # The annotations are compiled, for which a debug build has no stack left.
            assert "Parser stack overflowed" in str(error)
        else:
            raise AssertionError("endless calls came to an end")
        assert snooze.loads(snooze.dumps({"a": [1]})) == {"a": [1]}

    on_small_stack(body)


@pytest.mark.parametrize("way", WAYS)
def test_calls_without_end(way: str) -> None:
    in_child(_call_without_end, way)


def _reason_and_levels() -> None:
    levels = 0

    def default(_: Any) -> Any:
        nonlocal levels
        levels += 1
        return snooze.dumps(object(), default=default)

    def body() -> None:
        try:
            default(None)
        except TypeError as found:
            reason: BaseException | None = found
            while reason is not None and reason.__cause__ is not None:
                reason = reason.__cause__
            assert isinstance(reason, RecursionError), repr(reason)
            # From 3.14 on CPython looks at the stack, too, earlier in a debug build.
            texts = ("threading.stack_size", "Stack overflow")
            assert any(text in str(reason) for text in texts) or levels > 900, reason

    on_small_stack(body)
    # A hook may call the library a few times over, on a small stack too. Each call needs
    # more of it in a debug build and under AddressSanitizer.
    assert levels >= (5 if is_instrumented() else 20), levels


def test_the_reason_is_named() -> None:
    in_child(_reason_and_levels)


def _first_calls() -> None:
    # Modules are imported on first use; an import needs more stack than any call here.
    snooze.Encoder(dict[str, int]), snooze.Decoder(list[int])
    threading.stack_size(SMALLEST_STACK)
    results: list[Any] = []

    def body() -> None:
        results.append(snooze.Encoder(dict[str, int]).encode({"a": 1}))
        results.append(snooze.Decoder(list[int]).decode(b"[1]"))
        results.append(snooze.dumps(1 + 2j, default=str))

    thread = threading.Thread(target=body)
    thread.start()
    thread.join()
    assert results == [b'{"a":1}', [1], b'"(1+2j)"']


def test_first_calls_on_the_smallest_stack() -> None:
    """What is not nested works on any stack that Python itself can use."""
    in_child(_first_calls)
