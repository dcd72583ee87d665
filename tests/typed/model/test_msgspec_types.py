"""msgspec's Structs, `UNSET` and `Raw` as types: as msgspec reads and writes them."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Generic, TypeVar

import pytest

import snooze
from snooze import configure, decode, encode

if TYPE_CHECKING:
    import msgspec
else:
    msgspec = pytest.importorskip("msgspec")

T = TypeVar("T")


class User(
    msgspec.Struct,
    tag=True,
    rename="camel",
    omit_defaults=True,
    forbid_unknown_fields=True,
):
    """Most options at once."""

    user_id: int
    tags: list[str] = []
    nick_name: str | None = None
    age: Annotated[int, msgspec.Meta(ge=0)] = 0


class Group(msgspec.Struct, tag="group", frozen=True):
    """Structs in Structs, and UNSET."""

    users: list[User]
    note: str | msgspec.UnsetType | None = msgspec.UNSET


class Row(msgspec.Struct, array_like=True):
    """An array; msgspec ignores further items."""

    x: int
    y: int = 2


class Box(msgspec.Struct, Generic[T]):
    """A generic Struct."""

    value: T


class Keyed(msgspec.Struct, kw_only=True):
    """A required field after an optional one, and a check."""

    a: int = 1
    b: int

    def __post_init__(self) -> None:
        """Refuse negative numbers."""
        if self.b < 0:
            raise ValueError("negative")


class Sub(User, tag=False, forbid_unknown_fields=False):
    """A subclass with other options."""

    more: Any = None


class Parcel(msgspec.Struct):
    """Raw JSON of msgspec."""

    body: msgspec.Raw
    other: msgspec.Raw | None = None


@pytest.mark.parametrize(
    ("tp", "text"),
    [
        (User, b'{"type":"User","userId":1}'),
        (User, b'{"type":"User","userId":1,"tags":["a"],"nickName":"x","age":3}'),
        (User | Group, b'{"type":"group","users":[{"type":"User","userId":1}]}'),
        (User | Group, b'{"type":"group","users":[],"note":null}'),
        (Row, b"[1,3]"),
        (Box[list[int]], b'{"value":[1]}'),
        (Keyed, b'{"a":1,"b":2}'),
        (Sub, b'{"userId":1,"more":[1]}'),
        (Parcel, b'{"body":{"a": 1},"other":null}'),
    ],
)
def test_like_msgspec(tp: Any, text: bytes) -> None:
    """Equal instances, equal text."""
    value = msgspec.json.decode(text, type=tp)
    found = decode(text, tp)
    assert (found, type(found)) == (value, type(value))
    assert encode(found, tp) == encode(found) == msgspec.json.encode(value) == text
    assert decode(b"[" + text + b"]", list[tp]) == [value]


@pytest.mark.parametrize(
    ("tp", "text", "message"),
    [
        (User, b'{"userId":"1"}', r"expected int, found str at \$\.userId"),
        (User, b'{"userId":1,"age":-1}', r"expected int >= 0, found -1 at \$\.age"),
        (User, b'{"userId":1,"x":1}', 'expected no member "x", found one'),
        (User, b'{"tags":[]}', 'expected member "userId", found none'),
        (User | Group, b'{"userId":1}', 'expected member "type", found none'),
        (Keyed, b'{"b":-1}', "expected Keyed, found object at .*: negative"),
        (Row, b"[]", 'expected member "x", found none at'),
    ],
)
def test_wrong_documents(tp: Any, text: bytes, message: str) -> None:
    """With the messages of snooze."""
    with pytest.raises(snooze.ValidationError, match=message):
        decode(text, tp)
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(text, type=tp)


def test_further_items_of_arrays() -> None:
    """Ignored, as msgspec does, unless the Struct forbids them."""
    assert decode(b"[1,2,3]", Row) == Row(1, 2)

    class Strict(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
        x: int

    with pytest.raises(snooze.ValidationError, match="expected array of length 1"):
        decode(b"[1,2]", Strict)


def test_beside_other_classes() -> None:
    """In dataclasses, with options of snooze, and in schemas."""

    @configure(rename="upper")
    class Named(msgspec.Struct, rename="camel"):
        first_name: str

    @dataclass
    class Team:
        rows: list[Row]

    assert decode(b'{"FIRST_NAME":"a"}', Named) == Named("a")
    assert decode(b'{"rows":[[1]]}', Team).rows == [Row(1)]
    properties = snooze.schema(User)["$defs"]["User"]["properties"]
    assert set(properties) == {"type", "userId", "tags", "nickName", "age"}
    assert properties["age"] == {"type": "integer", "minimum": 0, "default": 0}
    wrong = Keyed(b=1)
    wrong.b = "x"  # type: ignore[assignment]
    with pytest.raises(
        snooze.JSONEncodeError, match=r"expected int, found str at \$\.b"
    ):
        encode(wrong)


def test_arrays_with_tags() -> None:
    """The tag is the first item, as msgspec has it."""

    class One(msgspec.Struct, array_like=True, tag=True):
        x: int

    class Two(msgspec.Struct, array_like=True, tag="two", tag_field="ignored"):
        x: int

    for value in (One(1), Two(2)):
        text = msgspec.json.encode(value)
        assert encode(value) == text
        assert snooze.decode(text, One | Two) == value
        assert snooze.decode(text[:-1] + b",5]", One | Two) == value


@dataclass(frozen=True)
class Factory:
    """A class with the name of one of msgspec's."""

    x: int = 1


class WithFactory(msgspec.Struct):
    """Its default is no factory."""

    f: Factory = Factory(3)


class Mutable(msgspec.Struct):
    """A Struct that cannot be hashed."""

    x: int


class Frozen(msgspec.Struct, frozen=True):
    """A Struct that can."""

    x: int


class EmptyRaw(msgspec.Struct):
    """A default that is no JSON."""

    raw: msgspec.Raw = msgspec.Raw()


def test_unusual_structs() -> None:
    """Each as msgspec has it, or refused."""
    assert decode(b"{}", WithFactory) == WithFactory()
    assert decode(b'[{"x":1}]', set[Frozen]) == {Frozen(1)}
    with pytest.raises(TypeError, match="Mutable cannot be in a set: it is not hash"):
        snooze.Decoder(set[Mutable])
    with pytest.raises(snooze.JSONEncodeError, match=r"found an empty Raw at \$\.raw$"):
        encode(EmptyRaw())
    (schema,) = snooze.schema(Row)["$defs"].values()
    assert "items" not in schema


class Command(msgspec.Struct, tag=True):
    """A Struct with a subclass."""


class Stop(Command):
    """Its subclass."""

    now: bool = True


def test_subclasses() -> None:
    """A Struct stands for its subclasses, too."""
    tp: Any = Annotated[Command, snooze.Subclasses()]
    text = b'[{"type":"Command"},{"type":"Stop","now":true}]'
    assert decode(text, list[tp]) == [Command(), Stop()]
    assert encode([Command(), Stop()], list[tp]) == text


@pytest.mark.parametrize("name", ["msgspec", "pydantic"])
def test_other_modules_of_that_name(name: str) -> None:
    """A module that only has the name changes nothing."""
    code = (
        "import sys, types;"
        f"sys.modules[{name!r}] = types.ModuleType({name!r});"
        "import snooze;"
        "snooze.decode(b'[1]', list[int]);"
        f"sys.modules[{name!r}] = None;"
        "snooze.decode(b'[1]', list[float])"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_lengths_of_arrays_that_may_be_longer() -> None:
    """A Struct ignores further items, so the message has no upper bound."""

    class Point(msgspec.Struct, array_like=True, tag=True):
        x: int
        y: int = 1

    with pytest.raises(snooze.ValidationError) as caught:
        snooze.decode(b"[]", Point)
    assert caught.value.errors[0].expected == "array of length >= 2"
    assert snooze.decode(b'["Point",1,2,3,4]', Point) == Point(1, 2)
