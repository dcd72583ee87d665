"""Typed decoding into classes that mean harm: nothing crashes, nothing is half made.

Each group runs in a child with CPython's debug allocator, so that memory that is used
after it was given back is a failing test.
"""

# ruff: noqa: B023, F821, N806, PLR0912, RUF009 - callbacks are called at once; odd signatures are the subject
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
from isolated import in_child
from snooze import Decoder, Field, ValidationError, Via

DEBUG = {"PYTHONMALLOC": "debug"}
Boom = type("Boom", (Exception,), {})


def attempt(decoder: Any, document: Any) -> str:
    """Decode and say what came of it."""
    try:
        decoder.decode(document)
    except ValidationError:
        return "refused"
    except BaseException as error:
        return type(error).__name__
    return "made"


def many(cls: Any, **options: Any) -> list[Any]:
    """Decoders of a class in several places."""
    types = [cls, list[cls], dict[str, cls], cls | None, tuple[cls, ...]]
    return [
        Decoder(tp, errors=errors, **options)
        for tp in types
        for errors in ("first", "all")
    ]


DOCUMENTS = [
    '{"a":1}',
    '[{"a":1},{"a":2},{"a":[]},{}]',
    '{"x":{"a":1}}',
    "[]",
    "null",
    '{"a":"x"}',
]


def metaclasses() -> None:
    """In a child: metaclasses that raise, lie, or re-enter."""

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
                said = attempt(decoder, document)
                assert said in {"made", "refused", "Boom", "JSONDecodeError"}, said
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

    # A dataclass takes the property of its base for a default.
    assert attempt(Decoder(WithProperty), '{"a":1}') in {"refused", "made"}

    @dataclass
    class Slotted:
        __slots__ = ("__dict__", "a")
        a: int
        b: list[int]

    value = Decoder(Slotted).decode('{"b":[1],"a":5}')
    assert (value.a, value.b, value.__dict__) == (5, [1], {"b": [1]})


def changing_classes() -> None:
    """In a child: the class is changed after the plan was made."""
    for deed in range(9):

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
                if deed == 0:
                    del cls.a
                elif deed == 1:
                    cls.a = property(lambda self: 1 / 0)
                elif deed == 2:
                    cls.__init__ = lambda self, **kwargs: 1 / 0
                elif deed == 3:
                    cls.__new__ = lambda cls, **kwargs: 5
                elif deed == 4:
                    cls.__setattr__ = lambda self, name, value: 1 / 0
                elif deed == 5:
                    cls.__post_init__ = lambda self: 1 / 0
                elif deed == 6:
                    del cls.__dataclass_fields__
                elif deed == 7:
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
            if deed == 7:
                del cls.__del__
        del Slots, Plain, cls, decoders, decoder
        gc.collect()


def instances_that_change_class() -> None:
    """In a child: __post_init__ does all it can to the instance."""

    @dataclass
    class Victim:
        a: Any
        b: Any = field(default_factory=list)
        act: Any = dataclasses.field(default=None, init=False)

        def __post_init__(self) -> None:
            deed = self.a
            if deed == 1:
                self.__class__ = Other
            elif deed == 2:
                self.__dict__ = {"a": []}
            elif deed == 3:
                self.__dict__.clear()
            elif deed == 4:
                KEPT.append(self)
                raise ValueError
            elif deed == 5:
                decoder.decode(b'[{"a":0},{"a":1},{"a":7}]')
            elif deed == 6:
                raise KeyboardInterrupt
            elif deed == 7:
                gc.collect()
                for one in gc.get_objects():
                    if type(one) is list and len(one) < 5 and one is not KEPT:
                        len(one)
            elif deed == 8:
                raise StopIteration
            elif deed == 9:
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
    for deed in range(10):
        for one in (decoder, everything):
            said = attempt(one, f'[{{"a":0}},{{"a":{deed}}},{{"a":0}}]')
            assert said == expected.get(deed, "made"), (deed, said)
        KEPT.clear()


KEPT: list[Any] = []


class Custom:
    """Known to hooks only."""


def hashes() -> None:
    """In a child: items and keys whose hash and equality raise, change and re-enter."""

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
                said = attempt(decoder, document)
                allowed = {
                    "made",
                    "refused",
                    "Boom",
                    "JSONDecodeError",
                    "SystemError",
                    "RuntimeError",
                }
                assert said in allowed, said
    Item.act = None


def hooks() -> None:
    """In a child: functions that return odd things, raise, and look for what is half made."""
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
    assert found  # those before it, complete
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

    for error, said in (
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
                == said
            )
            via = Annotated[Any, Via(int, decode=raising(error))]
            assert attempt(Decoder(list[via], errors=errors), "[1,2]") == said
            assert (
                attempt(
                    Decoder(
                        dict[Annotated[Any, Via(str, decode=raising(error))], int],
                        errors=errors,
                    ),
                    '{"a":1}',
                )
                == said
            )

    # A hook that decodes with the decoder that calls it, as deep as it gets.
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
    """In a child: default factories and excluded fields that raise or re-enter."""
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
    """In a child: making a Decoder makes no instance that anybody sees."""
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
    """In a child: instances that are dropped on the way raise and re-enter from __del__."""
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


def hooks_on_threads() -> None:
    """In a child: hooks that give way to other threads in the middle of a document."""
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
        *(
            metaclasses,
            attributes,
            changing_classes,
            instances_that_change_class,
            hashes,
            hooks,
        ),
        *(
            factories,
            samples,
            finalisers,
            subclass_hooks,
            documents_that_change,
            hooks_on_threads,
        ),
    ],
)
def test_hostile(group: Any) -> None:
    """In a child, with the debug allocator."""
    in_child(group, timeout=60, **DEBUG)
