"""Hostile classes: a clear error or the class's own exception, never a wrong plan."""

from __future__ import annotations

import dataclasses
import enum
import sys
import typing
from dataclasses import dataclass
from typing import Annotated, Any, Generic, TypeVar

import pytest

import snooze
from helpers.typed_plans import read_record, reads
from snooze import Via

T = TypeVar("T")


def meta(**namespace: Any) -> Any:
    """Return a metaclass with these methods."""
    return type("Meta", (type,), namespace)


def explode(*_: Any) -> Any:
    """Raise an exception that no library handles."""
    raise LookupError("hostile")


METAS = [
    meta(__getattribute__=explode),
    meta(__getattr__=lambda cls, name: 5),
    meta(__hash__=explode, __eq__=type.__eq__),
    meta(__eq__=explode, __hash__=type.__hash__),
    meta(__instancecheck__=explode, __subclasscheck__=explode),
    meta(__mro__=property(explode)),
    meta(__dict__=property(explode)),
    meta(__module__=property(explode)),
    meta(mro=lambda cls: [cls, object]),
]


def hostile() -> list[Any]:
    """Return a class of each metaclass, and the dataclass of it where that works."""
    found = []
    for kind in METAS:
        namespace = {"__annotations__": {"x": int}, "__module__": __name__}
        cls = kind("Hostile", (), namespace)
        found.append(cls)
        try:
            found.append(dataclass(kind("Hostile", (), dict(namespace))))
        except (LookupError, AttributeError, TypeError):
            pass  # dataclasses fails on it too
    assert len(found) > len(METAS)
    return found


@pytest.mark.parametrize("number", range(len(hostile())))
def test_metaclasses(number: int) -> None:
    """A plain plan, a TypeError, or the metaclass's exception."""
    cls = hostile()[number]
    try:
        made = snooze.decode(b'{"x": 1}', cls)
    except (LookupError, TypeError):
        return
    except AttributeError as error:
        # dataclasses took the 5 for a __post_init__; so does the constructor.
        assert "__post_init__" in str(error)
        return
    assert type(made) is cls
    assert made.x == 1


class Descriptor:
    """Raises when it is read."""

    def __get__(self, instance: Any, owner: Any) -> Any:
        raise LookupError("descriptor")


def test_wrong_snooze_methods() -> None:
    """`__snooze__` that is not a class method, not callable, or raises."""

    class Plain:
        def __snooze__(self) -> Via:
            return Via(int, decode=int)

    class Number:
        __snooze__ = 5

    class Raises:
        __snooze__ = Descriptor()

    text = "has to be a class method that returns snooze.Via(wire_type, decode=…, encode=…)"
    for cls in (Plain, Number):
        with pytest.raises(TypeError) as caught:
            snooze.Decoder(cls)
        name = cls.__qualname__.replace("<locals>.", "")
        assert str(caught.value) == f"the type: {name}.__snooze__ {text}"
    with pytest.raises(LookupError, match="descriptor"):
        snooze.Decoder(Raises)


def made(name: str, bases: tuple[type, ...] = (), **namespace: Any) -> Any:
    """Return a class with these attributes."""
    return type(name, bases, namespace)


FALSE = [
    made("A", __attrs_attrs__=(1, 2)),
    made("B", __dataclass_fields__={"x": 1}),
    made("C", __dataclass_fields__=5),
    made("D", (tuple,), _fields=("a", "b")),
    made("E", (tuple,), _fields=(1, 2), _field_defaults={}),
    type("_TypedDictMeta", (type,), {})("F", (dict,), {}),
]


@pytest.mark.parametrize("cls", FALSE, ids=lambda cls: cls.__name__)
def test_imitated_records(cls: Any) -> None:
    """Attributes alone do not make a dataclass, an attrs class or a named tuple."""
    if issubclass(cls, dict):  # a subclass of a built-in class, and no TypedDict
        assert type(snooze.decode(b'{"a":1}', cls)) is cls
        return
    with pytest.raises(TypeError) as caught:
        snooze.Decoder(cls)
    assert str(caught.value).startswith(
        f"the type: {cls.__name__} is not a type that snooze knows; give dec_hook=…"
    )


def test_foreign_options_attribute() -> None:
    """An attribute with the name of the options but another type is ignored."""

    @dataclass
    class A:
        x: int
        __snooze_options__: typing.ClassVar[Any] = "mine"

    assert read_record(A)["unknown"] == "ignore"


def test_changed_fields() -> None:
    """A class whose annotations changed after the decorator ran."""

    @dataclass
    class A:
        x: int

    A.__annotations__ = {"x": "in valid"}
    with pytest.raises(
        TypeError, match="A.x: the annotation 'in valid' cannot be eval"
    ):
        reads(A)
    A.__annotations__ = {}
    A.__dataclass_fields__["x"].type = str
    assert read_record(A)["fields"]["x"][1] == ("str", None)

    @dataclass
    class B:
        x: int

    del B.__init__
    assert read_record(B)["make"] == ("call", B)


def test_properties_that_raise() -> None:
    """Reading a class does not read its instances or its other attributes."""

    @dataclass
    class A:
        x: int

        def __getattribute__(self, name: str) -> Any:
            raise LookupError(name)

    assert type(snooze.decode(b'{"x": 1}', A)) is A
    assert read_record(A)["make"] == ("call", A)

    @dataclass
    class B:
        x: int
        other = Descriptor()

    assert snooze.decode(b'{"x": 1}', B) == B(1)


def test_enums() -> None:
    """Members that raise, and an enum without members."""

    class Raises(enum.Enum):
        A = 1

        @property
        def value(self) -> Any:
            raise LookupError("value")

    class Meta(enum.EnumMeta):
        def __iter__(cls) -> Any:
            return iter([1, 2])

    class Odd(enum.Enum, metaclass=Meta):
        A = 1

    with pytest.raises(LookupError, match="value"):
        snooze.Decoder(Raises)
    with pytest.raises(TypeError, match="Odd contains 1, which is not a member of it"):
        snooze.Decoder(Odd)


def test_foreign_metadata() -> None:
    """Annotated may hold any object."""

    class Rude:
        __hash__ = None

        def __eq__(self, other: object) -> bool:
            raise LookupError("eq")

        def __getattr__(self, name: str) -> Any:
            raise LookupError(name)

    assert snooze.decode(b"1", Annotated[int, Rude(), int, slice(1, 2), ...]) == 1

    class Group:
        __is_annotated_types_grouped_metadata__ = True

        def __iter__(self) -> Any:
            raise LookupError("iter")

    with pytest.raises(LookupError, match="iter"):
        snooze.Decoder(Annotated[int, Group()])


class Fake:
    """Claims to be a class."""

    __class__ = property(lambda self: type)
    __origin__ = list
    __args__ = (int,)


NO_TYPES = [
    Fake(),
    5,
    ...,
    [int],
    {"a": int},
    lambda: int,
    typing,
    typing.Generic[T],
    typing.ParamSpec("P"),
    typing.TypeVarTuple("Ts"),
    typing.Callable[[], int],
    typing.ClassVar[int],
    type[int],
    typing.Generic,
    typing.Protocol,
]


@pytest.mark.parametrize("tp", NO_TYPES, ids=lambda tp: type(tp).__name__)
def test_values_that_are_not_types(tp: Any) -> None:
    """A TypeError that begins with the place."""
    with pytest.raises(TypeError, match="^the type: "):
        snooze.Decoder(tp)


def test_variadic_generics() -> None:
    """Only plain type variables are supported."""
    variadic = typing.TypeVarTuple("variadic")

    @dataclass
    class Many(Generic[*variadic]):
        x: int

    with pytest.raises(TypeError, match="only plain type variables are supported"):
        snooze.Decoder(Many[int, str])
    with pytest.raises(TypeError, match="only plain type variables are supported"):
        snooze.Decoder(list[Many[int]])


def test_annotations_that_are_not_fields() -> None:
    """ClassVar, as object or string, and KW_ONLY."""

    @dataclass
    class A:
        a: typing.ClassVar[int] = 1
        b: ClassVarOf = 2
        _: dataclasses.KW_ONLY
        c: int

    assert list(read_record(A)["fields"]) == ["b", "c"]


ClassVarOf = int


def test_changes_after_the_plan() -> None:
    """A plan reflects the class at the moment when the plan was made."""

    @dataclass
    class A:
        x: int

    decoder = snooze.Decoder(A)
    A.__annotations__["x"] = str
    A.__init__ = explode
    assert decoder.decode(b'{"x": 1}').x == 1


@pytest.mark.skipif(
    sys.version_info >= (3, 14), reason="annotations are functions from 3.14 on"
)
def test_annotations_that_are_not_a_dict() -> None:
    """They count as no annotations."""

    @dataclass
    class A:
        x: int

    A.__annotations__ = 5
    assert read_record(A)["fields"]["x"][1] == ("int", None)


@dataclass
class Counted:
    """Counts its instances."""

    n: int
    alive = 0

    def __post_init__(self) -> None:
        Counted.alive += 1

    def __del__(self) -> None:
        Counted.alive -= 1


def test_a_class_that_makes_two_fields_one_slot() -> None:
    """User code runs while the codec is compiled; no value is lost or leaks."""

    class Tag(str):
        __slots__ = ()

        def __repr__(self) -> str:
            holder["cls"].b = holder["cls"].__dict__["a"]
            return "'x'"

    @snooze.configure(tag=Tag("x"))
    @dataclass(slots=True)
    class Two:
        a: Counted
        b: Counted

    holder: dict[str, Any] = {"cls": Two}
    decoder = snooze.Decoder(Two)
    assert Two.__dict__["a"] is Two.__dict__["b"]
    for _ in range(5):
        found = decoder.decode(b'{"type": "x", "a": {"n": 1}, "b": {"n": 2}}')
        assert found.a.n == found.b.n == 2
    del found
    assert Counted.alive == 0
