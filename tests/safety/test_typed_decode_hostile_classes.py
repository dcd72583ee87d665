"""Typed decoding into hostile classes: no crash, no half-built instance.

Each group runs in a child with CPython's debug allocator, which makes a use of freed
memory a failing test.
"""

# ruff: noqa: B023, F821, PLR0912, RUF009 - callbacks run before names change; odd signatures are the subject
from __future__ import annotations

import contextlib
import dataclasses
import gc
from dataclasses import dataclass, field
from typing import Any

import pytest

from helpers.hostile_decode import DOCUMENTS, Boom, attempt, many
from helpers.isolated import DEBUG_MALLOC, in_child
from snooze import Decoder


def metaclasses() -> None:
    """In a child: metaclasses that raise, lie, or decode again."""

    class Meta(type):
        act: Any = None
        strict = False

        def __call__(cls, *args: Any, **kwargs: Any) -> Any:
            if Meta.act:
                Meta.act()
            return super().__call__(*args, **kwargs)

        def __instancecheck__(cls, other: Any) -> bool:
            raise Boom

        def __eq__(cls, other: object) -> bool:
            if Meta.strict:
                raise Boom
            return cls is other

        def __hash__(cls) -> int:
            return 5

    @dataclass
    class Odd(metaclass=Meta):
        a: int

    decoders = many(Odd)
    Meta.strict = True

    def reenter() -> None:
        Meta.act = None
        for decoder in decoders:
            for document in DOCUMENTS:
                attempt(decoder, document)
        gc.collect()
        Meta.act = reenter

    def fail() -> None:
        raise Boom

    def refuse() -> None:
        raise ValueError("no")

    for act in (None, reenter, fail, refuse, gc.collect):
        Meta.act = act
        for decoder in decoders:
            for document in DOCUMENTS:
                result = attempt(decoder, document)
                assert result in {"made", "refused", "Boom", "JSONDecodeError"}, result
    Meta.act = None
    assert Decoder(Odd).decode(b'{"a":1}').a == 1


def attributes() -> None:
    """In a child: __setattr__, __getattribute__, descriptors, slots and properties."""
    seen: list[Any] = []

    @dataclass
    class Setting:
        a: int
        b: int = 0

        def __setattr__(self, name: str, value: Any) -> None:
            if name == "b" and value == 5:
                raise ValueError("five")
            if name == "b" and value == 6:
                raise Boom
            seen.append(vars(self))
            object.__setattr__(self, name, value)

    assert attempt(Decoder(Setting), '{"a":1,"b":5}') == "refused"
    assert attempt(Decoder(Setting), '{"a":1,"b":6}') == "Boom"
    assert (
        attempt(Decoder(list[Setting], errors="all"), '[{"a":1,"b":5},{"a":1}]')
        == "refused"
    )

    @dataclass
    class Getting:
        a: int

        def __getattribute__(self, name: str) -> Any:
            raise Boom

    decoder = Decoder(Getting)
    assert attempt(decoder, '{"a":1}') == "made"
    assert object.__getattribute__(decoder.decode('{"a":1}'), "__dict__") == {"a": 1}

    class Descriptor:
        def __get__(self, instance: Any, owner: Any) -> Any:
            if instance is None:
                return 7
            return instance.__dict__.get("kept", 7)

        def __set__(self, instance: Any, value: Any) -> None:
            if value == 5:
                raise ValueError("five")
            instance.__dict__["kept"] = value

    @dataclass
    class Described:
        a: int
        b: Any = Descriptor()

    assert Decoder(Described).decode('{"a":1}').b == 7
    assert Decoder(Described).decode('{"a":1,"b":3}').__dict__ == {"a": 1, "kept": 3}
    assert attempt(Decoder(Described), '{"a":1,"b":5}') == "refused"

    class Base:
        @property
        def a(self) -> int:
            raise Boom

        @a.setter
        def a(self, value: int) -> None:
            raise ValueError("setter")

    @dataclass
    class WithProperty(Base):
        a: int  # type: ignore[assignment]

        def __repr__(self) -> str:
            raise Boom

    # A dataclass takes the property of its base as a default.
    assert attempt(Decoder(WithProperty), '{"a":1}') in {"refused", "made"}

    @dataclass
    class Slotted:
        __slots__ = ("__dict__", "a")
        a: int
        b: list[int]

    value = Decoder(Slotted).decode('{"b":[1],"a":5}')
    assert (value.a, value.b, value.__dict__) == (5, [1], {"b": [1]})


def changing_classes() -> None:
    """In a child: the class changes after the plan was made."""
    for action in range(9):

        @dataclass(slots=True)
        class Slots:
            a: int
            b: Any = None
            c: Any = field(default_factory=list)

        @dataclass
        class Plain:
            a: int
            b: Any = None
            c: Any = field(default_factory=list)

        for cls in (Slots, Plain):
            decoders = many(cls)
            for decoder in decoders:
                for document in DOCUMENTS:
                    attempt(decoder, document)
            with contextlib.suppress(AttributeError, TypeError):
                if action == 0:
                    del cls.a
                elif action == 1:
                    cls.a = property(lambda self: 1 / 0)
                elif action == 2:
                    cls.__init__ = lambda self, **kwargs: 1 / 0
                elif action == 3:
                    cls.__new__ = lambda cls, **kwargs: 5
                elif action == 4:
                    cls.__setattr__ = lambda self, name, value: 1 / 0
                elif action == 5:
                    cls.__post_init__ = lambda self: 1 / 0
                elif action == 6:
                    del cls.__dataclass_fields__
                elif action == 7:
                    dying: list[Any] = []

                    def die(self: Any) -> None:
                        if len(dying) < 50:
                            dying.append(1)
                            decoders[0].decode(b'{"a":1}')

                    cls.__del__ = die
                else:
                    other = dataclasses.make_dataclass(
                        "Other", ["x", "y", "z", "w"], slots=True
                    )
                    cls.__bases__ = (other,)
            for decoder in decoders:
                for document in DOCUMENTS:
                    attempt(decoder, document)
            gc.collect()
            if action == 7:
                del cls.__del__
        del Slots, Plain, cls, decoders, decoder
        gc.collect()


def instances_that_change_class() -> None:
    """In a child: __post_init__ changes the instance in every way that it can."""

    @dataclass
    class Victim:
        a: Any
        b: Any = field(default_factory=list)
        act: Any = dataclasses.field(default=None, init=False)

        def __post_init__(self) -> None:
            action = self.a
            if action == 1:
                self.__class__ = Other
            elif action == 2:
                self.__dict__ = {"a": []}
            elif action == 3:
                self.__dict__.clear()
            elif action == 4:
                KEPT.append(self)
                raise ValueError
            elif action == 5:
                decoder.decode(b'[{"a":0},{"a":1},{"a":7}]')
            elif action == 6:
                raise KeyboardInterrupt
            elif action == 7:
                gc.collect()
                for one in gc.get_objects():
                    if type(one) is list and len(one) < 5 and one is not KEPT:
                        len(one)
            elif action == 8:
                raise StopIteration
            elif action == 9:
                raise MemoryError

    class Other:
        pass

    decoder = Decoder(list[Victim])
    everything = Decoder(list[Victim], errors="all")
    expected = {
        4: "refused",
        6: "KeyboardInterrupt",
        8: "StopIteration",
        9: "MemoryError",
    }
    for action in range(10):
        for one in (decoder, everything):
            result = attempt(one, f'[{{"a":0}},{{"a":{action}}},{{"a":0}}]')
            assert result == expected.get(action, "made"), (action, result)
        KEPT.clear()


KEPT: list[Any] = []


@pytest.mark.parametrize(
    "group",
    [metaclasses, attributes, changing_classes, instances_that_change_class],
)
def test_hostile_classes(group: Any) -> None:
    """Each group, in a child with the debug allocator."""
    in_child(group, timeout=60, **DEBUG_MALLOC)
