"""Typed codecs and the cyclic collector: cycles through a codec are freed.

Each codec reports every object that it holds, so that the collector can break cycles
through hooks, classes, defaults and `Via`.
"""

from __future__ import annotations

import enum
import gc
import weakref
from dataclasses import dataclass, field
from typing import Annotated, Any

import pytest

import snooze
from helpers import typed_subjects
from helpers.isolated import DEBUG_MALLOC, in_child
from snooze import Decoder, Via
from snooze._snooze import DecoderBase


def test_cycles_are_collected() -> None:
    """Cycles through hooks, classes, defaults, Via and attributes of subclasses."""

    def cycle(kind: str) -> Any:
        @dataclass(slots=kind != "plain")
        class Local:
            a: int = 0
            b: Any = None

        class Custom:
            pass

        if kind == "hook":

            def hook(tp: Any, value: Any) -> Any:
                return decoder

            decoder = Decoder(list[Custom], dec_hook=hook)
        elif kind == "via":
            decoder = Decoder(Annotated[Any, Via(int, decode=lambda value: decoder)])
        elif kind == "factory":

            @dataclass
            class Made:
                a: Any = field(default_factory=lambda: decoder)

            decoder = Decoder(Made)
            decoder.decode(b"{}")
        else:
            decoder = Decoder(list[Local])
            Local.decoder = decoder
            decoder.decode(b'[{"a":1},{}]')
        return weakref.ref(Custom if kind == "hook" else Local), weakref.ref(
            decoder.__class__
        )

    class Watched(Decoder):
        """Has weak references."""

    for kind in ("hook", "via", "factory", "plain", "slots"):
        first, _ = cycle(kind)
        gc.collect()
        assert first() is None, kind

    def watch() -> Any:
        custom = type(
            "Custom", (), {}
        )  # typing caches the last types that it was given
        watched = Watched(list[custom], dec_hook=lambda _, value: watched)
        return weakref.ref(watched)

    reference = watch()
    gc.collect()
    assert reference() is None


def traversal() -> None:
    """In a child: the collector sees every object that a plan holds."""
    for name in typed_subjects.PLANS:
        tp, _, options = typed_subjects.PLANS[name]
        decoder = Decoder(tp, **options)
        seen = gc.get_referents(decoder)
        assert type(decoder) in seen
        assert gc.is_tracked(decoder)
        assert all(isinstance(one, object) for one in seen)


def test_traversal() -> None:
    """Every plan, with the debug allocator."""
    in_child(traversal, **DEBUG_MALLOC)


@pytest.mark.parametrize("slots", [False, True])
def test_a_decoder_in_its_class_is_collected(slots) -> None:
    """A class that holds its own decoder is freed."""

    @dataclass(slots=slots)
    class Own:
        x: int

    Own.decoder = Decoder(Own)
    assert Own.decoder.decode('{"x": 1}') == Own(1)
    alive = weakref.ref(Own)
    del Own
    gc.collect()
    assert alive() is None


def test_a_cycle_that_only_the_decoder_can_break() -> None:
    """The collector cannot clear a tuple or a bound method."""

    class Hook:
        __slots__ = ("__weakref__", "decoder")

        def __call__(self, tp: Any, value: Any) -> Any:
            return self.decoder

    class Custom:
        pass

    hook = Hook()
    hook.decoder = Decoder(Custom, dec_hook=hook)
    alive = weakref.ref(hook)
    del hook
    gc.collect()
    assert alive() is None

    @dataclass
    class Box:
        x: Any

    holder: list[Any] = []
    default = (holder,)
    base = DecoderBase()
    made = ("attributes", Box, None)
    record = (
        "Box",
        made,
        (("x", ("x",), 0, "default", default),),
        "ignore",
        None,
        (0,),
        False,
    )
    nodes = (("any", (("any",),)), ("Box", (("record", 0),)))
    base._compile((1, nodes, (record,), 1, (True, None, False, None), print))
    assert base.decode("{}").x is default
    holder.append(base)
    alive = weakref.ref(Box)
    del holder, default, base, record, nodes, Box, made
    gc.collect()
    assert alive() is None


def test_no_instance_is_created_with_the_plan() -> None:
    """Neither `__del__` nor the collector sees an instance while a plan is made."""
    seen = []

    @dataclass
    class Closed:
        handle: int

        def __del__(self) -> None:
            seen.append(self.handle)

    decoder = Decoder(Closed)
    gc.collect()
    assert seen == []
    decoder.decode('{"handle": 5}')
    gc.collect()
    assert seen == [5]


@dataclass
class Kept:
    """A dataclass for the encoder and decoder below."""

    number: int = 1


def test_codecs_called_while_they_are_cleared() -> None:
    """A finaliser calls them while the collector clears their cycle: they still work."""
    for _ in range(20):
        seen: list[Any] = []
        encoder, decoder = snooze.Encoder(), snooze.Decoder(list[Kept])
        assert encoder.encode([Kept()]) == b'[{"number":1}]'

        class Last:
            """Not tracked by the collector, so it dies in the middle of the clearing."""

            __slots__ = ()

            def __del__(
                self,
                encode: Any = encoder.encode,
                decode: Any = decoder.decode,
                seen: list[Any] = seen,
            ) -> None:
                seen.append((encode([Kept()]), decode(b'[{"number":2}]')))

        holder: dict[str, Any] = {"last": Last(), "class": Last}
        holder["itself"] = holder
        del Last, holder, encoder, decoder
        gc.collect()
        assert seen == [(b'[{"number":1}]', [Kept(2)])]


@pytest.mark.parametrize("kind", ["dict", "set", "nested"])
def test_kept_objects_are_collected(kind: str) -> None:
    """A dict that `to_builtins` makes is tracked if it has a kept object."""

    class Node:
        def __init__(self) -> None:
            self.made: Any = None

    node = Node()
    alive = weakref.ref(node)
    value: Any = {"dict": {"n": node}, "set": {"n": (node, 1)}, "nested": [{"n": node}]}
    made = snooze.to_builtins(value[kind], keep=(Node,))
    inner = made[0] if kind == "nested" else made
    assert gc.is_tracked(inner)
    node.made = made
    del node, made, inner, value
    gc.collect()
    assert alive() is None


def test_the_collector_runs_while_keys_are_hashed() -> None:
    """The hash of an enum's member and of a kept object may be Python code."""
    seen = []

    class Code(enum.Enum):
        A = "a"

        def __hash__(self) -> int:
            seen.append(gc.isenabled())
            return 1

    class Key:
        def __hash__(self) -> int:
            seen.append(gc.isenabled())
            return 1

    decoder = Decoder(dict[Code, int])
    key = {Key(): 1}
    seen.clear()
    assert decoder.decode(b'{"a":1}') == {Code.A: 1}
    snooze.to_builtins(key, keep=(Key,))
    assert seen
    assert all(seen)


def test_unhashable_keys_are_found_by_validation_too() -> None:
    """`validate_only` raises what `decode` does."""

    class Code(enum.Enum):
        A = "a"

        def __hash__(self) -> int:
            if is_made:
                raise TypeError("no hash")
            return 1

    is_made = False
    decoder = Decoder(dict[Code, int])
    is_made = True
    for read in (decoder.decode, decoder.validate_only):
        with pytest.raises(snooze.ValidationError):
            read(b'{"a":1}')
