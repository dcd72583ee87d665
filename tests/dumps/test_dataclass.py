"""dumps of dataclass instances in every variant the decorator can make."""

from __future__ import annotations

import dataclasses
import enum
import functools
from dataclasses import InitVar, dataclass, field
from typing import Any, ClassVar, Generic, TypeVar

import pytest

import snooze

PASS = snooze.OPT_PASSTHROUGH_DATACLASS


@dataclass
class Plain:
    """Two public fields and private ones."""

    x: Any
    y: Any = "y"
    _p: int = 3


@dataclass
class Empty:
    """No field."""


@dataclass
class Private:
    """Only private fields."""

    _a: int = 1
    __b: int = 2


@dataclass(slots=True)
class Slots:
    """Fields in slots."""

    x: Any
    y: Any = "y"
    _p: int = 3


@dataclass(frozen=True)
class Frozen:
    """Frozen."""

    x: int


@dataclass(frozen=True, slots=True)
class FrozenSlots:
    """Frozen, with slots."""

    x: int


@dataclass(kw_only=True)
class KeywordOnly:
    """Written in order of definition, not in order of the arguments."""

    b: int
    a: int


@dataclass
class Pseudo:
    """ClassVar and InitVar are not fields."""

    c: ClassVar[int] = 1
    i: InitVar[int] = 2
    x: int = 3


@dataclass(slots=True)
class PseudoSlots:
    """ClassVar and InitVar are not fields, with slots."""

    c: ClassVar[int] = 1
    i: InitVar[int] = 2
    x: int = 3


@dataclass
class Factory:
    """Default factories and field flags that do not matter for JSON."""

    x: list = field(init=False, default_factory=list)
    y: int = field(default=1, repr=False, compare=False, metadata={"a": 1})


@dataclass
class Sub(Plain):
    """A subclass with one more field."""

    z: int = 1


@dataclass(slots=True)
class SlotsSub(Slots):
    """Slots on top of slots."""

    z: int = 1


@dataclass(slots=True)
class SlotsBelowDict(Plain):
    """Slots on top of a class with a __dict__."""

    z: int = 1


@dataclass(slots=True, weakref_slot=True)
class WeakRef:
    """A slot for weak references is not a field."""

    x: int


@dataclass
class Underscores:
    """Only a leading underscore hides a name."""

    __dunder__: int = 1
    _: int = 2
    x_: int = 3
    a_b: int = 4


T = TypeVar("T")


@dataclass
class Box(Generic[T]):
    """A generic class; its __orig_class__ must not be written."""

    x: T


@dataclass
class Failure(Exception):  # noqa: N818
    """An exception that is a dataclass."""

    x: int


@dataclass
class Method:
    """Methods and properties are not written."""

    x: int

    @property
    def double(self) -> int:
        """Return something that is not a field."""
        return self.x * 2


class Undecorated(Plain):
    """A subclass without the decorator: not a dataclass for dumps."""


Made = dataclasses.make_dataclass("Made", ["a", ("b", int, field(default=2))])


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Plain(1), b'{"x":1,"y":"y"}'),
        (Plain([Plain(None)], {"k": 1}), b'{"x":[{"x":null,"y":"y"}],"y":{"k":1}}'),
        (Empty(), b"{}"),
        (Private(), b"{}"),
        (Slots(1), b'{"x":1,"y":"y"}'),
        (Frozen(1), b'{"x":1}'),
        (FrozenSlots(1), b'{"x":1}'),
        (KeywordOnly(a=1, b=2), b'{"b":2,"a":1}'),
        (Pseudo(), b'{"x":3}'),
        (PseudoSlots(), b'{"x":3}'),
        (Factory(), b'{"x":[],"y":1}'),
        (Sub(1), b'{"x":1,"y":"y","z":1}'),
        (SlotsSub(1), b'{"x":1,"y":"y","z":1}'),
        (SlotsBelowDict(1), b'{"x":1,"y":"y","z":1}'),
        (WeakRef(1), b'{"x":1}'),
        (Underscores(), b'{"x_":3,"a_b":4}'),
        (Box[int](1), b'{"x":1}'),
        (Failure(1), b'{"x":1}'),
        (Method(2), b'{"x":2}'),
        (Made(1), b'{"a":1,"b":2}'),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, bytes) else "",
)
def test_variants(value: Any, expected: bytes) -> None:
    """Fields come in order of definition; names with a leading underscore are left out."""
    assert snooze.dumps(value) == expected
    assert snooze.dumps([value, value]) == b"[" + expected + b"," + expected + b"]"


def test_extra_attributes_follow() -> None:
    """Public attributes added to an instance are written after the fields."""
    value = Plain(1)
    value.extra = 5
    value._extra = 6
    assert snooze.dumps(value) == b'{"x":1,"y":"y","extra":5}'


def test_cached_property_once_computed() -> None:
    """A cached_property is an attribute once it has been computed."""

    @dataclass
    class Lazy:
        x: int

        @functools.cached_property
        def c(self) -> int:
            return 9

    value = Lazy(1)
    assert snooze.dumps(value) == b'{"x":1}'
    assert value.c == 9
    assert snooze.dumps(value) == b'{"x":1,"c":9}'


def test_field_names_are_escaped() -> None:
    """Attribute names with special characters are valid JSON keys."""
    value = Plain(1)
    value.__dict__['é"\n'] = 2
    assert snooze.dumps(value) == '{"x":1,"y":"y","é\\"\\n":2}'.encode()


def test_attribute_names_must_be_str() -> None:
    """A __dict__ with other keys is refused as a dict with such keys is."""
    value = Plain(1)
    value.__dict__[1] = 2
    with pytest.raises(snooze.JSONEncodeError, match="^Dict key must be str$"):
        snooze.dumps(value)


def test_attribute_names_must_be_utf8() -> None:
    """A surrogate in an attribute name raises the error for str."""
    value = Plain(1)
    value.__dict__["\ud800"] = 2
    with pytest.raises(snooze.JSONEncodeError, match="surrogates not allowed$"):
        snooze.dumps(value)


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (Undecorated(1), "Undecorated"),
        (type("UndecoratedSlots", (Slots,), {})(1), "UndecoratedSlots"),
        (Plain, "type"),
    ],
    ids=["undecorated", "undecorated slots", "class"],
)
def test_not_a_dataclass_instance(value: Any, name: str) -> None:
    """Subclasses without the decorator and classes themselves are refused."""
    message = f"^Type is not JSON serializable: {name}$"
    with pytest.raises(snooze.JSONEncodeError, match=message):
        snooze.dumps(value)
    assert snooze.dumps(value, default=lambda _: "d") == b'"d"'


def test_subclass_of_builtin_comes_first() -> None:
    """A dataclass that is also a dict or str is written as that, unless passed through."""

    @dataclass
    class Table(dict):
        x: int = 1

    @dataclass
    class Text(str):
        x: int = 1

    passing = snooze.OPT_PASSTHROUGH_SUBCLASS
    assert snooze.dumps([Table(), Text()]) == b'[{},""]'
    assert snooze.dumps([Table(), Text()], option=passing) == b'[{"x":1},{"x":1}]'


def test_enum_with_a_dataclass_value() -> None:
    """An enum member whose value is a dataclass instance is written as that instance."""

    class Kind(enum.Enum):
        A = Plain(1)

    assert snooze.dumps(Kind.A) == b'{"x":1,"y":"y"}'


def test_passthrough() -> None:
    """OPT_PASSTHROUGH_DATACLASS hands instances to default, which is then required."""
    with pytest.raises(snooze.JSONEncodeError) as caught:
        snooze.dumps([Plain(1)], option=PASS)
    assert str(caught.value) == "Type is not JSON serializable: Plain"
    written = snooze.dumps([Plain(1)], default=dataclasses.asdict, option=PASS)
    assert written == b'[{"x":1,"y":"y","_p":3}]'


@pytest.mark.parametrize("cls", [Plain, Slots])
def test_unsupported_field_value(cls: Any) -> None:
    """Values of fields go to default like any other value."""
    with pytest.raises(snooze.JSONEncodeError, match="(?m)serializable: object$"):
        snooze.dumps(cls(object()))
    assert snooze.dumps(cls(object()), default=lambda _: 1) == b'{"x":1,"y":"y"}'


@pytest.mark.parametrize("cls", [Plain, Slots])
def test_depth(cls: Any) -> None:
    """Dataclasses count as levels: 254 are written, 255 are not; cycles end in an error."""
    value = cls(1, 2)
    for _ in range(253):
        value = cls(value, 2)
    assert snooze.loads(snooze.dumps(value))["y"] == 2
    with pytest.raises(snooze.JSONEncodeError, match="(?m)^Recursion limit reached$"):
        snooze.dumps(cls(value))
    ring = cls(1)
    ring.x = ring
    with pytest.raises(snooze.JSONEncodeError, match="(?m)^Recursion limit reached$"):
        snooze.dumps(ring)


def test_many_fields() -> None:
    """A class with hundreds of fields, with a __dict__ and with slots."""
    names = [f"field_{n}" for n in range(300)]
    expected = b"{" + b",".join(b'"field_%d":%d' % (n, n) for n in range(300)) + b"}"
    for slots in (False, True):
        cls = dataclasses.make_dataclass("Many", names, slots=slots)
        assert snooze.dumps(cls(*range(300))) == expected
