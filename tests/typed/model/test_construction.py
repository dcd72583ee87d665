"""Construction of instances: without the constructor only where there is no difference.

Each class is decoded and compared with an instance from its constructor. The plan must
say which way was chosen: an unnecessary call is slow, a missing one is wrong.
"""

from __future__ import annotations

import abc
import dataclasses
import types
from dataclasses import InitVar, dataclass, field
from typing import Any, Generic, NamedTuple, TypeVar

import attr
import attrs
import pytest

import snooze
from helpers.typed_plans import read_record, written_record

T = TypeVar("T")


@dataclass
class Plain:
    """A dataclass with a dict."""

    x: int
    y: str = "y"


@dataclass
class Sub(Plain):
    """A subclass with inherited fields."""

    z: list[int] = field(default_factory=list)


class Undecorated(Plain):
    """A subclass that inherits the constructor too."""

    extra = 1


@dataclass(slots=True)
class Slots:
    """A dataclass with slots."""

    x: int
    y: str = "y"


@dataclass(slots=True)
class SlotsSub(Slots):
    """Slots on top of slots."""

    z: int = 1


@dataclass(slots=True)
class SlotsBelowDict(Plain):
    """Slots and a dict."""

    z: int = 1


@dataclass(frozen=True, slots=True, kw_only=True, weakref_slot=True)
class Frozen:
    """Frozen, slotted, keyword-only; y has no default and follows a field with one."""

    x: int = 1
    y: str


@dataclass
class Post:
    """A dataclass with a `__post_init__`."""

    x: int

    def __post_init__(self) -> None:
        if self.x < 0:
            raise ValueError("x is negative")
        self.double = self.x * 2


@dataclass
class PostSub(Post):
    """Inherits `__post_init__`."""

    y: int = 1


@dataclass
class NotInit:
    """Fields that the constructor does not take."""

    a: int = field(init=False)
    b: int = field(init=False, default=3)
    c: list[int] = field(init=False, default_factory=list)
    d: int = 1


@dataclass(slots=True)
class NotInitSlots:
    """The same with slots, where a default must be stored."""

    a: int = field(init=False)
    b: int = field(init=False, default=3)
    c: list[int] = field(init=False, default_factory=list)
    d: int = 1


@dataclass
class Box(Generic[T]):
    """A generic class."""

    x: T


@attrs.define
class Attrs:
    """An attrs class with slots."""

    x: int
    _y: str = "q"
    z: list[int] = attrs.field(factory=list)


@attrs.define(slots=False)
class AttrsDict:
    """An attrs class with a dict."""

    x: int


@attrs.frozen
class AttrsFrozen:
    """A frozen attrs class."""

    x: int


@attr.s
class AttrsOld:
    """An attrs class of the old API."""

    x = attr.ib(type=int)
    y = attr.ib(default=2)


class Named(NamedTuple):
    """A named tuple."""

    x: int
    y: str = "y"


class NamedSub(Named):
    """A subclass that adds nothing."""


STORED = [
    (Plain, "attributes"),
    (Sub, "attributes"),
    (Undecorated, "attributes"),
    (Slots, "slots"),
    (SlotsSub, "slots"),
    (SlotsBelowDict, "attributes"),
    (Frozen, "slots"),
    (Post, "attributes"),
    (PostSub, "attributes"),
    (NotInit, "attributes"),
    (NotInitSlots, "slots"),
    (Box, "attributes"),
    (Attrs, "slots"),
    (AttrsDict, "attributes"),
    (AttrsFrozen, "slots"),
    (AttrsOld, "attributes"),
    (Named, "tuple"),
    (NamedSub, "tuple"),
]


@pytest.mark.parametrize(
    ("cls", "how"), STORED, ids=lambda x: getattr(x, "__name__", x)
)
def test_without_the_constructor(cls: Any, how: str) -> None:
    """The plan stores the fields directly."""
    assert read_record(cls)["make"][:2] == (how, cls)


def state(obj: Any) -> dict[str, Any]:
    """Return all that an instance holds, in its dict and in slots."""
    found = dict(getattr(obj, "__dict__", {}))
    for cls in type(obj).__mro__:
        for name, member in cls.__dict__.items():
            if isinstance(member, types.MemberDescriptorType):
                try:
                    found[name] = getattr(obj, name)
                except AttributeError:
                    found[name] = "unset"
    found.pop("__weakref__", None)
    return found


DOCUMENTS = [
    (Plain, b'{"x": 1}', {"x": 1}),
    (Plain, b'{"y": "z", "x": 1}', {"x": 1, "y": "z"}),
    (Sub, b'{"x": 1, "z": [2]}', {"x": 1, "z": [2]}),
    (Sub, b'{"x": 1}', {"x": 1}),
    (Undecorated, b'{"x": 1}', {"x": 1}),
    (Slots, b'{"x": 1}', {"x": 1}),
    (SlotsSub, b'{"x": 1, "z": 5}', {"x": 1, "z": 5}),
    (SlotsBelowDict, b'{"x": 1, "z": 5}', {"x": 1, "z": 5}),
    (Frozen, b'{"y": "a"}', {"y": "a"}),
    (Post, b'{"x": 4}', {"x": 4}),
    (PostSub, b'{"x": 4}', {"x": 4}),
    (NotInit, b'{"d": 2, "a": 7, "b": 8}', {"d": 2}),
    (NotInitSlots, b'{"d": 2, "a": 7, "b": 8}', {"d": 2}),
    (Attrs, b'{"x": 1, "_y": "w"}', {"x": 1, "y": "w"}),
    (Attrs, b'{"x": 1}', {"x": 1}),
    (AttrsDict, b'{"x": 1}', {"x": 1}),
    (AttrsFrozen, b'{"x": 1}', {"x": 1}),
    (AttrsOld, b'{"x": 1}', {"x": 1}),
]


@pytest.mark.parametrize(("cls", "document", "arguments"), DOCUMENTS, ids=repr)
def test_same_as_the_constructor(cls: Any, document: bytes, arguments: Any) -> None:
    """A decoded instance holds exactly what the constructor would have stored."""
    made = snooze.decode(document, cls)
    assert type(made) is cls
    assert state(made) == state(cls(**arguments))


def test_defaults() -> None:
    """Defaults are shared as by the constructor; factories are called each time."""
    one, two = (snooze.decode(b'{"x": 1}', Sub) for _ in range(2))
    assert one.z == two.z == []
    assert one.z is not two.z


def test_post_init_refuses() -> None:
    """Its ValueError is a problem at the object."""
    with pytest.raises(snooze.ValidationError) as caught:
        snooze.decode(b'[{"x": 1}, {"x": -1}]', list[Post])
    assert str(caught.value) == (
        "expected Post, found object at $[1] (line 1 column 12): x is negative"
    )
    assert isinstance(caught.value.__cause__, ValueError)


# Classes whose constructor does more than store fields.


@dataclass(init=False)
class NoInit(Plain):
    """Inherits the constructor of another class."""

    w: int = 0


@dataclass
class OwnInit:
    """A hand-written constructor."""

    x: int

    def __init__(self, x: int) -> None:
        self.x = x + 100


@dataclass
class InitOnly:
    """An argument that is not a field."""

    x: int
    scale: InitVar[int]
    more: InitVar[int] = 1

    def __post_init__(self, scale: int, more: int) -> None:
        self.x *= scale + more


@dataclass
class OwnSetattr:
    """A class that sees each assignment."""

    x: int

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value + 100)


class SetattrBelow(Plain):
    """The same in a subclass."""

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, [value])


class Meta(type):
    """A metaclass with its own `__call__`."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        made = super().__call__(*args, **kwargs)
        made.x += 100
        return made


@dataclass
class WithMeta(metaclass=Meta):
    """Created by its metaclass."""

    x: int


class Descriptor:
    """A descriptor that stores elsewhere and is the default."""

    def __get__(self, instance: Any, owner: Any) -> Any:
        return 5 if instance is None else instance.hidden

    def __set__(self, instance: Any, value: Any) -> None:
        instance.hidden = value


@dataclass
class Described:
    """A field stored by a descriptor."""

    x: int = Descriptor()  # type: ignore[assignment]


class PropertyBelow(Plain):
    """A subclass that stores a field elsewhere."""

    @property
    def x(self) -> int:
        return self.kept

    @x.setter
    def x(self, value: int) -> None:
        self.kept = value


@dataclass
class Failure(Exception):  # noqa: N818
    """Created by BaseException.__new__."""

    x: int


@dataclass
class OwnNew:
    """A class with its own `__new__`."""

    x: int

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        made = object.__new__(cls)
        made.born = True
        return made


@dataclass
class ClassPost:
    """A `__post_init__` that is a class method."""

    x: int
    seen = 0

    @classmethod
    def __post_init__(cls) -> None:
        cls.seen += 1


class LatePost(Plain):
    """A `__post_init__` that the inherited constructor does not call."""

    def __post_init__(self) -> None:
        raise AssertionError("not called by the constructor")


@attrs.define
class Validated:
    """attrs with a validator and another argument name."""

    x: int = attrs.field(validator=attrs.validators.gt(0))
    y: int = attrs.field(default=1, alias="why")


@attrs.define
class Converted:
    """attrs with a converter."""

    x: int = attrs.field(converter=lambda value: value + 100)


@attrs.define
class AttrsPost:
    """attrs with `__attrs_post_init__`."""

    x: int

    def __attrs_post_init__(self) -> None:
        self.x += 100


@attrs.define
class TakesSelf:
    """A default that depends on the instance."""

    x: int
    y: int = attrs.Factory(lambda self: self.x + 1, takes_self=True)


@attrs.frozen(cache_hash=True)
class Hashed:
    """attrs that caches its hash."""

    x: int


CALLED = [
    (OwnInit, b'{"x": 1}', {"x": 1}),
    (InitOnly, b'{"x": 2, "scale": 3}', {"x": 2, "scale": 3}),
    (InitOnly, b'{"x": 2, "scale": 3, "more": 2}', {"x": 2, "scale": 3, "more": 2}),
    (OwnSetattr, b'{"x": 1}', {"x": 1}),
    (SetattrBelow, b'{"x": 1}', {"x": 1}),
    (WithMeta, b'{"x": 1}', {"x": 1}),
    (Described, b'{"x": 1}', {"x": 1}),
    (Described, b"{}", {}),
    (PropertyBelow, b'{"x": 1}', {"x": 1}),
    (Failure, b'{"x": 1}', {"x": 1}),
    (OwnNew, b'{"x": 1}', {"x": 1}),
    (ClassPost, b'{"x": 1}', {"x": 1}),
    (LatePost, b'{"x": 1}', {"x": 1}),
    (Validated, b'{"x": 1, "y": 2}', {"x": 1, "why": 2}),
    (Converted, b'{"x": 1}', {"x": 1}),
    (AttrsPost, b'{"x": 1}', {"x": 1}),
    (TakesSelf, b'{"x": 1}', {"x": 1}),
    (Hashed, b'{"x": 1}', {"x": 1}),
]


@pytest.mark.parametrize(("cls", "document", "arguments"), CALLED, ids=repr)
def test_with_the_constructor(cls: Any, document: bytes, arguments: Any) -> None:
    """In any doubt the constructor is called."""
    assert read_record(cls)["make"] == ("call", cls)
    made = snooze.decode(document, cls)
    assert type(made) is cls
    expected = state(cls(**arguments))
    for name in ("_attrs_cached_hash", "__attrs_cached_hash"):
        expected.pop(name, None)
    found = state(made)
    assert {key: found[key] for key in expected} == expected


def test_an_inherited_constructor_that_refuses() -> None:
    """Its TypeError is a problem, not a crash."""
    with pytest.raises(snooze.ValidationError, match="unexpected keyword argument 'w'"):
        snooze.decode(b'{"x": 1, "w": 2}', NoInit)
    assert snooze.decode(b'{"x": 1}', NoInit) == NoInit(1)
    with pytest.raises(snooze.ValidationError, match="'x' must be > 0: -1"):
        snooze.decode(b'{"x": -1}', Validated)


def test_named_tuples_with_their_own_new() -> None:
    """Their `__new__` gets every value."""

    class Own(Named):
        def __new__(cls, x: int, y: str) -> Any:
            return super().__new__(cls, x + 100, y)

    assert read_record(Own)["make"] == ("positional", Own)
    assert snooze.decode(b"[1]", Own) == (101, "y")


def test_abstract_classes() -> None:
    """Refused by the Decoder when the plan is made; they can be encoded."""

    class Base(abc.ABC):
        @abc.abstractmethod
        def go(self) -> None:
            """Do something."""

    @dataclass
    class Abstract(Base):
        x: int

    with pytest.raises(TypeError) as caught:
        snooze.Decoder(Abstract)
    name = "test_abstract_classes.Abstract"
    assert str(caught.value) == f"{name} is abstract (go): it cannot be instantiated"
    assert written_record(Abstract)["fields"] == {"x": ("x", ("int",), None)}


def test_encoded_fields() -> None:
    """All fields, private ones too, but no argument that is not a field."""
    assert list(written_record(InitOnly)["fields"]) == ["x"]
    assert list(written_record(NotInit)["fields"]) == ["a", "b", "c", "d"]
    assert list(written_record(Attrs)["fields"]) == ["x", "_y", "z"]
    assert list(written_record(Validated)["fields"]) == ["x", "y"]


def test_a_field_whose_slot_was_replaced() -> None:
    """A slot that belongs to another class or name is not written to."""

    @dataclass(slots=True)
    class Victim:
        x: int
        y: int

    Victim.x, Victim.y = Victim.y, Victim.x
    assert read_record(Victim)["make"] == ("call", Victim)

    @dataclass(slots=True)
    class Robbed:
        x: int

    del Robbed.x
    assert read_record(Robbed)["make"] == ("call", Robbed)


def test_made_dataclasses() -> None:
    """`make_dataclass` gives the same kind of class."""
    made = dataclasses.make_dataclass("Made", ["a", ("b", int, field(default=2))])
    assert read_record(made)["make"] == ("attributes", made, None)
    assert snooze.decode(b'{"a": [1]}', made) == made([1], 2)
