"""Typed decoding that calls hostile code: hooks, hashes, factories, finalisers.

Each group runs in a child with CPython's debug allocator, which makes a use of freed
memory a failing test.
"""

# ruff: noqa: N806 - local names are types
from __future__ import annotations

import contextlib
import dataclasses
import gc
import sys
import threading
from dataclasses import dataclass, field
from typing import Annotated, Any

import pytest

import snooze
from helpers import typed_subjects
from helpers.hostile_decode import DOCUMENTS, Boom, attempt, many
from helpers.isolated import DEBUG_MALLOC, FREE_THREADED, in_child
from snooze import Decoder, Field, ValidationError, Via


class Custom:
    """Only hooks can create it."""


def hashes() -> None:
    """In a child: items and keys whose hash and equality raise, change and decode again."""

    class Item:
        act: Any = None

        def __init__(self, value: Any) -> None:
            self.value = value

        def __hash__(self) -> int:
            if Item.act:
                Item.act(self)
            return hash(str(self.value)) % 3

        def __eq__(self, other: object) -> bool:
            if Item.act:
                Item.act(self)
            return isinstance(other, Item) and self.value == other.value

    item = Annotated[Any, Via(int, decode=Item)]
    text = Annotated[Any, Via(str, decode=Item)]
    decoders = [
        Decoder(tp, errors=errors)
        for tp in (set[item], frozenset[item], dict[text, int], dict[str, set[item]])
        for errors in ("first", "all")
    ]
    documents = ["[1,2,3,4,1,2,3,4,5,6]", '{"a":1,"b":2,"c":3,"a":4}', '{"x":[1,2,1]}']

    def reenter(self: Any) -> None:
        Item.act = None
        for decoder in decoders:
            for document in documents:
                attempt(decoder, document)
        Item.act = reenter

    def clear(self: Any) -> None:
        Item.act = None
        for one in gc.get_objects():
            if (type(one) is set and any(type(x) is Item for x in list(one))) or (
                type(one) is dict and any(type(x) is Item for x in list(one))
            ):
                one.clear()
        Item.act = clear

    def fail(self: Any) -> None:
        raise Boom

    def refuse(self: Any) -> None:
        raise ValueError

    for act in (None, reenter, clear, fail, refuse):
        Item.act = act
        for decoder in decoders:
            for document in documents:
                result = attempt(decoder, document)
                allowed = {
                    "made",
                    "refused",
                    "Boom",
                    "JSONDecodeError",
                    "SystemError",
                    "RuntimeError",
                }
                assert result in allowed, result
    Item.act = None


def hooks() -> None:
    """In a child: hooks that return odd things, raise, and look for half-built objects."""
    found: list[Any] = []
    fields = [("a", int), ("b", Custom), ("c", Any, None)]
    Slots = dataclasses.make_dataclass("Slots", fields, slots=True)
    Plain = dataclasses.make_dataclass("Plain", fields)

    def spy(tp: Any, value: Any) -> Any:
        for one in gc.get_objects():
            if type(one) is Slots or type(one) is Plain:
                found.append((one.a, one.b, one.c))
            elif type(one) in (list, dict, tuple):
                repr(len(one))
        return Custom()

    for cls in (Slots, Plain):
        decoder = Decoder(list[cls], dec_hook=spy)
        decoder.decode(
            b'[{"a":1,"b":2},{"b":[3],"a":2,"c":[1,{"x":5}]},{"c":1,"b":null,"a":0}]'
        )
    assert found  # the ones before it, complete
    assert all(type(b) is Custom for _, b, _ in found)

    def odd(result: Any) -> Any:
        return lambda tp, value: result

    for result in (None, 5, Custom, [], NotImplemented):
        decoder = Decoder(Custom, dec_hook=odd(result))
        assert attempt(decoder, "[1]") == "refused"
    assert attempt(Decoder(Custom, dec_hook=odd(Custom())), "[1]") == "made"

    def raising(error: BaseException) -> Any:
        def hook(*_: Any) -> Any:
            raise error

        return hook

    for error, result in (
        (ValueError("x"), "refused"),
        (TypeError(), "refused"),
        (AssertionError(), "refused"),
        (UnicodeDecodeError("utf-8", b"", 0, 1, "x"), "refused"),
        (snooze.JSONDecodeError("x", "y", 0), "refused"),
        (KeyError("x"), "KeyError"),
        (SystemExit(3), "SystemExit"),
        (GeneratorExit(), "GeneratorExit"),
        (RecursionError(), "RecursionError"),
        (MemoryError(), "MemoryError"),
    ):
        for errors in ("first", "all"):
            assert (
                attempt(
                    Decoder(list[Custom], dec_hook=raising(error), errors=errors),
                    "[1,2]",
                )
                == result
            )
            via = Annotated[Any, Via(int, decode=raising(error))]
            assert attempt(Decoder(list[via], errors=errors), "[1,2]") == result
            assert (
                attempt(
                    Decoder(
                        dict[Annotated[Any, Via(str, decode=raising(error))], int],
                        errors=errors,
                    ),
                    '{"a":1}',
                )
                == result
            )

    # A hook that decodes with the decoder that calls it, as deep as possible.
    depth = 0

    def deeper(value: Any) -> Any:
        nonlocal depth
        depth += 1
        if depth > 50:
            raise ValueError("deep enough")
        return again.decode(b"[1]")

    again = Decoder(list[Annotated[Any, Via(int, decode=deeper)]])
    assert attempt(again, "[1,2]") == "refused"

    def endless(value: Any) -> Any:
        return forever.decode(b"[1]")

    forever = Decoder(list[Annotated[Any, Via(int, decode=endless)]])
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(300)
    try:
        assert attempt(forever, "[1]") == "RecursionError"
    finally:
        sys.setrecursionlimit(limit)


def factories() -> None:
    """In a child: default factories and excluded fields that raise or decode again."""
    acts: list[Any] = [None]

    def factory() -> Any:
        if acts[0] is not None:
            return acts[0]()
        return 5

    @dataclass(slots=True)
    class Made:
        a: int = 0
        b: Any = field(default_factory=factory)
        c: Any = field(default_factory=factory, init=False)
        d: Annotated[Any, Field(exclude=True)] = field(default_factory=factory)

    decoders = many(Made)

    def reenter() -> Any:
        acts[0] = None
        made = [
            attempt(decoder, document) for decoder in decoders for document in DOCUMENTS
        ]
        acts[0] = reenter
        return made

    def fail() -> Any:
        raise Boom

    def refuse() -> Any:
        raise ValueError("no default today")

    for act in (None, reenter, fail, refuse, gc.collect, object):
        acts[0] = act
        for decoder in decoders:
            for document in DOCUMENTS:
                attempt(decoder, document)
    acts[0] = refuse
    with pytest.raises(ValidationError, match="no default today"):
        Decoder(Made).decode(b"{}")
    acts[0] = None
    assert Decoder(Made).decode(b"{}") == Made()


def samples() -> None:
    """In a child: creating a Decoder creates no instance that user code can see."""
    seen: list[Any] = []

    @dataclass
    class Shy:
        a: int
        b: list[int]

        def __del__(self) -> None:
            seen.append((self.a, self.b))

        def __getattribute__(self, name: str) -> Any:
            seen.append(name)
            return object.__getattribute__(self, name)

    decoder = Decoder(list[Shy])
    gc.collect()
    assert seen == []
    made = decoder.decode(b'[{"a":1,"b":[2]}]')
    assert seen == []
    del made
    assert seen[-1] == (1, [2])


def finalisers() -> None:
    """In a child: instances dropped during decoding raise and decode again in __del__."""
    import warnings

    warnings.simplefilter("ignore")
    sys.unraisablehook = lambda _: None
    ran = 0

    @dataclass
    class Dying:
        a: int
        b: Any = None

        def __del__(self) -> None:
            nonlocal ran
            ran += 1
            if ran % 3 == 0:
                raise Boom
            if ran % 3 == 1 and ran < 3000:
                attempt(decoder, '[{"a":1},{"a":"x"}]')

    decoder = Decoder(list[Dying])
    everything = Decoder(dict[str, Dying] | list[Dying], errors="all")
    for _ in range(20):
        for document in (
            '[{"a":1},{"a":2},{"b":{}}]',
            '[{"a":1},5',
            '[{"a":1,"a":"x"}]',
            '{"x":{"a":1},"x":{"a":2},"y":0}',
        ):
            attempt(decoder, document)
            attempt(everything, document)
    overwritten = Decoder(dict[str, Dying])
    for _ in range(20):
        attempt(overwritten, '{"x":{"a":1},"x":{"a":2},"x":{"a":3}}')
    holder = dataclasses.make_dataclass("Holder", [("d", Dying)], slots=True)
    for _ in range(20):
        attempt(
            Decoder(list[holder]),
            '[{"d":{"a":1},"d":{"a":2},"d":{"a":3}},{"d":{"a":1},"d":0}]',
        )
    gc.collect()
    assert ran > 100


def subclass_hooks() -> None:
    """In a child: __init_subclass__, __class_getitem__ and annotations that raise."""

    class Base:
        def __init_subclass__(cls, **kwargs: Any) -> None:
            cls.extra = kwargs

        def __class_getitem__(cls, item: Any) -> Any:
            raise Boom

    @dataclass
    class Derived(Base, tag="x"):  # type: ignore[call-arg]
        a: int

    assert Decoder(Derived).decode(b'{"a":1}') == Derived(1)

    @dataclass
    class Broken:
        a: 1 / 0  # type: ignore[valid-type]

    with pytest.raises(TypeError, match="cannot be evaluated: ZeroDivisionError"):
        Decoder(Broken)

    class Lying:
        __dataclass_fields__ = {"a": 5}
        __annotations__ = {"a": int}

    with contextlib.suppress(Exception):
        Decoder(Lying).decode(b'{"a":1}')

    class Claiming:
        __class__ = property(lambda _: dict)  # type: ignore[assignment]
        _fields = ("a",)
        __attrs_attrs__ = ()

    with contextlib.suppress(Exception):
        Decoder(Claiming).decode(b'{"a":1}')


def documents_that_change() -> None:
    """In a child: hooks change the bytearray that is being read."""
    data = bytearray(b"[1,2,3,4,5,6,7,8]")

    def change(value: Any) -> Any:
        data[:] = b"[" * 3
        data.extend(b"x" * 100_000)
        data.clear()
        data.extend(b"[1,2,3,4,5,6,7,8]")
        return value

    decoder = Decoder(list[Annotated[Any, Via(int, decode=change)]])
    assert decoder.decode(data) == [1, 2, 3, 4, 5, 6, 7, 8]
    assert decoder.decode(memoryview(bytes(data))) == [1, 2, 3, 4, 5, 6, 7, 8]


def collections_everywhere() -> None:
    """In a child: the collector runs at nearly every allocation, and its callbacks decode."""
    calls = [(typed_subjects.case(name), name) for name in typed_subjects.PLANS]
    right = {name: outcome(call) for call, name in calls}
    busy = False
    ran = 0
    wrong: list[str] = []

    def callback(phase: str, info: Any) -> None:
        # The interpreter only prints what a callback raises, so mistakes are collected.
        nonlocal busy, ran
        if busy:
            return
        busy = True
        call, name = calls[ran % len(calls)]
        ran += 1
        if outcome(call) != right[name]:
            wrong.append(name)
        for one in gc.get_objects()[-50:]:
            if dataclasses.is_dataclass(one) and not isinstance(one, type):
                # A class that is called has instances before its `__init__` has run.
                with contextlib.suppress(AttributeError):
                    repr(one)
        busy = False

    gc.callbacks.append(callback)
    thresholds = gc.get_threshold()
    gc.set_threshold(1, 1, 1)
    try:
        for _ in range(5):
            for call, name in calls:
                assert outcome(call) == right[name], name
    finally:
        gc.callbacks.clear()
        gc.set_threshold(*thresholds)
    assert wrong == []
    # Without the GIL, allocations count in portions of 512, less what is released.
    assert FREE_THREADED or ran > 50


def outcome(call: Any) -> Any:
    """Return the value, or the error's type and text."""
    try:
        return repr(call())
    except (TypeError, ValueError) as error:
        return type(error).__name__, str(error)


def hooks_on_threads() -> None:
    """In a child: hooks that let other threads run in the middle of a document."""
    import time

    def slow(value: Any) -> Any:
        time.sleep(0)
        return value

    decoder = Decoder(list[Annotated[Any, Via(int, decode=slow)] | dict[str, set[str]]])
    document = b'[1,{"a":["x","y"]},2,3,{"b":[]},4]'
    expected = [1, {"a": {"x", "y"}}, 2, 3, {"b": set()}, 4]
    wrong: list[Any] = []

    def body() -> None:
        for _ in range(200):
            if decoder.decode(document) != expected:
                wrong.append(1)

    threads = [threading.Thread(target=body) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize(
    "group",
    [
        *(hashes, hooks, factories, samples, finalisers, subclass_hooks),
        *(documents_that_change, hooks_on_threads, collections_everywhere),
    ],
)
def test_hostile_callbacks(group: Any) -> None:
    """Each group, in a child with the debug allocator."""
    in_child(group, timeout=60, **DEBUG_MALLOC)


def test_hooks_that_decode_with_their_own_decoder() -> None:
    """A hook that decodes with the decoder that called it, nested and with errors."""

    class Custom:
        def __init__(self, value: Any) -> None:
            self.value = value

    depth = 0

    def hook(tp: Any, value: Any) -> Any:
        nonlocal depth
        depth += 1
        if depth < 20:
            inner = decoder.decode(snooze.dumps([value, [value]]))
            assert len(inner) == 2
            with pytest.raises(snooze.JSONDecodeError):
                decoder.decode("[1,")
        gc.collect()
        depth -= 1
        if value == "bad":
            raise ValueError("no")
        return Custom(value)

    decoder = Decoder(list[Custom], dec_hook=hook, errors="all")
    depth = 18
    values = decoder.decode('["a", "b", {"c": [1]}]')
    assert [one.value for one in values] == ["a", "b", {"c": [1]}]
    depth = 30
    with pytest.raises(ValidationError) as caught:
        decoder.decode('["bad", 1, "bad"]')
    assert [one.pointer for one in caught.value.errors] == ["/0", "/2"]
