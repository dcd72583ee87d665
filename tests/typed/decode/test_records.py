"""Typed decoding into classes with fields, however the class is written."""

from __future__ import annotations

import dataclasses
import gc
from dataclasses import InitVar, dataclass, field
from typing import (
    Any,
    ClassVar,
    Generic,
    TypeVar,
)

import attrs
import pytest

from helpers.typed_tools import Decoder, accept, decode, refusal, refuse

T = TypeVar("T")


@dataclass
class Plain:
    """A dataclass with a `__dict__`."""

    a: int
    b: str = "b"


@dataclass(slots=True)
class Slotted:
    """A dataclass with slots."""

    a: int
    b: str = "b"


@dataclass(frozen=True)
class Frozen:
    """A frozen dataclass."""

    a: int
    b: str = "b"


@dataclass(frozen=True, slots=True)
class FrozenSlotted:
    """A frozen dataclass with slots."""

    a: int
    b: str = "b"


@dataclass(kw_only=True)
class KeywordOnly:
    """A default before a field without one."""

    b: str = "b"
    a: int


@dataclass(slots=True, weakref_slot=True)
class Referable:
    """A slot for weak references, which is not a field."""

    a: int
    b: str = "b"


@dataclass(eq=False, order=False, repr=False)
class Bare:
    """A dataclass without generated methods except `__init__`."""

    a: int
    b: str = "b"

    def __eq__(self, other: object) -> bool:
        return type(other) is Bare and vars(self) == vars(other)


@dataclass(init=False)
class OwnInit:
    """A dataclass with its own `__init__`."""

    a: int
    b: str = "b"

    def __init__(self, a: int, b: str = "b") -> None:
        self.a, self.b = a, b


@dataclass
class OwnNew:
    """A dataclass with its own `__new__`."""

    a: int
    b: str = "b"

    def __new__(cls, *_args: Any, **_kwargs: Any) -> Any:
        made = object.__new__(cls)
        CALLS.append("new")
        return made


@dataclass
class OwnSetattr:
    """A dataclass that sees every attribute that is set."""

    a: int
    b: str = "b"

    def __setattr__(self, name: str, value: Any) -> None:
        CALLS.append(name)
        object.__setattr__(self, name, value)


@attrs.define
class Attrs:
    """An attrs class with slots."""

    a: int
    b: str = "b"


@attrs.define(slots=False)
class AttrsPlain:
    """An attrs class with a `__dict__`."""

    a: int
    b: str = "b"


@attrs.frozen
class AttrsFrozen:
    """A frozen attrs class."""

    a: int
    b: str = "b"


@attrs.define(kw_only=True)
class AttrsKeywordOnly:
    """A keyword-only attrs class."""

    b: str = "b"
    a: int


@attrs.define
class AttrsConverter:
    """An attrs class with a converter."""

    a: int = attrs.field(converter=lambda value: value + 0)
    b: str = attrs.field(default="b", validator=attrs.validators.instance_of(str))


CALLS: list[str] = []
CLASSES: list[Any] = [
    *(
        Plain,
        Slotted,
        Frozen,
        FrozenSlotted,
        KeywordOnly,
        Referable,
        Bare,
        OwnInit,
        OwnNew,
    ),
    *(OwnSetattr, Attrs, AttrsPlain, AttrsFrozen, AttrsKeywordOnly, AttrsConverter),
]


@pytest.mark.parametrize("cls", CLASSES)
def test_every_way_to_write_a_class(cls: Any) -> None:
    """Members in any order, repeated, unknown, missing, or of the wrong type."""
    both, one = cls(a=1, b="x"), cls(a=2)
    accept(cls, '{"a":1,"b":"x"}', both)
    accept(cls, '{"b":"x","a":1}', both)
    accept(cls, ' { "a" : 2 } ', one)
    accept(cls, '{"b":"","a":0,"a":1,"b":"x"}', both)
    accept(cls, '{"c":[{"a":{}}],"a":2,"":null,"d":"\\n"}', one)
    accept(cls, '{"\\u0061":1,"\\u0062":"x"}', both)
    accept(list[cls], '[{"a":2},{"a":1,"b":"x"},{"a":2}]', [one, both, one])
    accept(dict[str, cls], '{"k":{"a":2}}', {"k": one})
    accept(cls | None, "null", None)
    accept(cls | None, '{"a":2}', one)
    accept(cls | list[cls] | str, '[{"a":2}]', [one])
    start = "$ (line 1 column 1)"
    refuse(cls, "{}", f'expected member "a", found none at {start}')
    refuse(cls, '{"b":"x"}', f'expected member "a", found none at {start}')
    refuse(cls, '{"a":"x"}', "expected int, found str at $.a (line 1 column 6)")
    refuse(cls, '{"a":null}', "expected int, found null at $.a (line 1 column 6)")
    refuse(
        cls,
        '{"a":1.5,"b":{"x":[]}}',
        "expected int, found float at $.a (line 1 column 6)",
        "expected str, found object at $.b (line 1 column 14)",
    )
    for text, kind in (
        ("[1]", "array"),
        ("1", "int"),
        ('"a"', "str"),
        ("null", "null"),
    ):
        refuse(cls, text, f"expected object, found {kind} at {start}")


@pytest.mark.parametrize("cls", CLASSES)
def test_instances_are_like_those_of_the_constructor(cls: Any) -> None:
    """Attributes, `__dict__`, size and operations are the same."""
    made, called = decode(b'{"b":"x","a":1}', cls), cls(a=1, b="x")
    assert type(made) is cls
    assert made == called
    assert repr(made)[:8] == repr(called)[:8]
    if hasattr(called, "__dict__"):
        assert sorted(vars(made).items()) == sorted(vars(called).items())
    assert gc.is_tracked(made) == gc.is_tracked(called)
    if cls in {Frozen, FrozenSlotted, AttrsFrozen}:
        with pytest.raises(
            (dataclasses.FrozenInstanceError, attrs.exceptions.FrozenInstanceError)
        ):
            made.a = 5
        assert hash(made) == hash(called)
    else:
        made.a = 5
        assert made.a == 5
        del made.b
        assert not hasattr(made, "b") or cls.b == "b"
    if hasattr(called, "__dict__") and cls is not Frozen:
        made.other = 1


def test_constructors_that_are_called() -> None:
    """Where a class changes its construction, the constructor is called."""
    CALLS.clear()
    decode(b'{"a":1}', OwnNew)
    assert CALLS == ["new"]
    CALLS.clear()
    decode(b'{"b":"x","a":1}', OwnSetattr)
    assert CALLS == ["a", "b"]

    class Meta(type):
        def __call__(cls, **kwargs: Any) -> Any:
            CALLS.append("meta")
            return super().__call__(**kwargs)

    @dataclass
    class WithMeta(metaclass=Meta):
        a: int

    CALLS.clear()
    accept(WithMeta, '{"a":1}', WithMeta(a=1))
    assert CALLS.count("meta") > 2


@dataclass
class Posted:
    """Fields of every kind, and a `__post_init__`."""

    kind: ClassVar[str] = "posted"
    a: int
    start: InitVar[int]
    b: list[int] = field(default_factory=list)
    c: int = field(init=False)
    d: int = field(default=4, init=False)
    e: InitVar[str] = "e"

    def __post_init__(self, start: int, e: str) -> None:
        self.c = self.a + start
        self.b.append(len(e))


@dataclass(slots=True)
class PostedSlots:
    """The same with slots, without InitVar."""

    a: int
    b: list[int] = field(default_factory=list)
    c: int = field(init=False)
    d: int = field(default=4, init=False)
    e: dict[str, int] = field(default_factory=lambda: {"x": 1}, init=False)

    def __post_init__(self) -> None:
        self.c = self.a + 1


def test_init_var_and_post_init() -> None:
    """As in the constructor; fields that it does not take are not read."""
    accept(Posted, '{"a":1,"start":2}', Posted(1, 2))
    accept(
        Posted,
        '{"a":1,"start":2,"b":[5],"e":"long","c":99,"d":99}',
        Posted(1, 2, [5], "long"),
    )
    assert decode(b'{"a":1,"start":2}', Posted).__dict__ == Posted(1, 2).__dict__
    refuse(
        Posted, '{"a":1}', 'expected member "start", found none at $ (line 1 column 1)'
    )
    accept(PostedSlots, '{"a":1}', PostedSlots(1))
    accept(PostedSlots, '{"c":"x","a":1,"e":[],"d":null}', PostedSlots(1))
    one, two = decode(b'[{"a":1},{"a":1}]', list[PostedSlots])
    assert one.b is not two.b
    assert one.e is not two.e


def test_post_init_that_refuses() -> None:
    """ValueError, TypeError and AssertionError are problems; other errors come through."""

    @dataclass
    class Checked:
        a: int

        def __post_init__(self) -> None:
            if self.a == 1:
                raise ValueError("one")
            if self.a == 2:
                raise TypeError
            assert self.a != 3, "three"
            if self.a == 4:
                raise KeyError("four")
            if self.a == 5:
                raise KeyboardInterrupt

    refuse(Checked, '{"a":1}', expected_texts("Checked", "object", ": one"))
    refuse(Checked, '{"a":2}', expected_texts("Checked", "object", ""))
    error = refusal(Checked, '{"a":3}')
    assert isinstance(error.__cause__, AssertionError)
    for number, kind in ((4, KeyError), (5, KeyboardInterrupt)):
        for errors in ("first", "all"):
            with pytest.raises(kind):
                Decoder(list[Checked], errors=errors).decode(f'[{{"a":{number}}}]')
    error = refusal(list[Checked], '[{"a":0},{"a":1},{"a":0},{"a":2}]', errors="all")
    assert [one.pointer for one in error.errors] == ["/1", "/3"]
    assert isinstance(error.__cause__, ValueError)


def expected_texts(name: str, found: str, more: str) -> str:
    """Return the message of a class that refused."""
    place = "test_post_init_that_refuses."
    return f"expected {place}{name}, found {found} at $ (line 1 column 1){more}"


def test_defaults() -> None:
    """Defaults are shared and factories called, as in the constructor."""
    shared = (1, [2])

    @dataclass
    class Defaults:
        a: tuple[Any, ...] = shared
        b: list[int] = field(default_factory=list)
        c: dict[str, int] = field(default_factory=dict)
        d: set[int] = field(default_factory=set)
        e: Any = field(default_factory=lambda: object())

    one, two = decode(b"[{},{}]", list[Defaults])
    assert one.a is two.a is shared
    for name in "bcde":
        assert getattr(one, name) is not getattr(two, name)
    assert (one.b, one.c, one.d) == ([], {}, set())


@dataclass
class Base:
    """A base class."""

    a: int
    b: str = "base"


@dataclass
class Derived(Base):
    """Changes a default and a type, and adds a field."""

    b: str = "derived"
    c: float = 0.5
    a: bool  # type: ignore[assignment]


@dataclass(slots=True)
class SlotBase:
    """A base class with slots."""

    a: int


@dataclass(slots=True)
class SlotDerived(SlotBase):
    """Adds slots."""

    b: int = 0


@dataclass
class MixedDerived(SlotBase):
    """Adds a field in the `__dict__`."""

    b: int = 0


class Undecorated(Plain):
    """A subclass that is not itself a dataclass."""


def test_inheritance() -> None:
    """The order and types are those of `__dataclass_fields__`."""
    accept(Derived, '{"a":true}', Derived(True))
    accept(Derived, '{"c":1,"b":"x","a":false}', Derived(False, "x", 1.0))
    refuse(Derived, '{"a":1}', "expected bool, found int at $.a (line 1 column 6)")
    accept(SlotDerived, '{"b":2,"a":1}', SlotDerived(1, 2))
    accept(MixedDerived, '{"b":2,"a":1}', MixedDerived(1, 2))
    assert decode(b'{"a":1}', MixedDerived).__dict__ == {"b": 0}
    accept(Undecorated, '{"a":1}', Undecorated(1))


@dataclass
class Box(Generic[T]):
    """A generic class."""

    item: T
    more: list[T] = field(default_factory=list)


@dataclass
class IntBox(Box[int]):
    """Binds the type variable."""

    name: str = ""


@dataclass
class Node(Generic[T]):
    """A recursive generic class."""

    value: T
    next: Node[T] | None = None


def test_generics() -> None:
    """Type arguments are followed through subclasses and recursion."""
    accept(Box[int], '{"item":1,"more":[2]}', Box(1, [2]))
    accept(Box[str], '{"item":"x"}', Box("x"))
    accept(Box, '{"item":[1],"more":[null]}', Box([1], [None]))
    refuse(
        Box[int], '{"item":"x"}', "expected int, found str at $.item (line 1 column 9)"
    )
    refuse(
        Box[Box[int]],
        '{"item":{"item":null}}',
        "expected int, found null at $.item.item (line 1 column 17)",
    )
    accept(IntBox, '{"item":1,"name":"n"}', IntBox(1, [], "n"))
    accept(Node[int], '{"value":1,"next":{"value":2}}', Node(1, Node(2)))
    refuse(
        Node[int],
        '{"value":1,"next":{"value":"x"}}',
        "expected int, found str at $.next.value (line 1 column 28)",
    )
