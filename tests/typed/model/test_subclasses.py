"""`Subclasses`: a class stands for itself and all its subclasses."""

from __future__ import annotations

import abc
import datetime as dt
from dataclasses import dataclass
from typing import Annotated, Any, Generic, TypedDict, TypeVar

import attrs
import pytest

import snooze
from snooze import Subclasses, configure, decode, encode

T = TypeVar("T")


@configure(tag=str.lower, tag_field="kind")
@dataclass
class Shape(abc.ABC):
    """An abstract base class."""

    name: str

    @abc.abstractmethod
    def area(self) -> float:
        """Return the area."""


@dataclass(slots=True)
class Circle(Shape):
    """A class that the decorator makes twice."""

    radius: float = 1.0

    def area(self) -> float:
        """Return about that."""
        return 3 * self.radius**2


@dataclass
class Square(Shape):
    """A class with a subclass."""

    side: float = 1.0

    def area(self) -> float:
        """Return the area."""
        return self.side**2


@configure(tag="tile")
@dataclass
class Tile(Square):
    """A subclass of a subclass, with its own tag."""

    children: tuple[Annotated[Shape, Subclasses()], ...] = ()


@configure(tag=True)
@attrs.define
class Event:
    """A base class that is not abstract, with attrs."""

    at: int


@attrs.define
class Click(Event):
    """Its subclass."""

    x: int = 0


AnyShape = Annotated[Shape, Subclasses()]


@pytest.mark.parametrize(
    ("tp", "text", "value"),
    [
        (AnyShape, b'{"kind":"circle","name":"a","radius":2.0}', Circle("a", 2.0)),
        (AnyShape, b'{"kind":"square","name":"b","side":1.0}', Square("b")),
        (
            AnyShape,
            b'{"kind":"tile","name":"c","side":1.0,"children":'
            b'[{"kind":"square","name":"d","side":1.0}]}',
            Tile("c", 1.0, (Square("d"),)),
        ),
        (Annotated[Event, Subclasses()], b'{"type":"Event","at":1}', Event(1)),
        (Annotated[Event, Subclasses()], b'{"type":"Click","at":1,"x":2}', Click(1, 2)),
    ],
)
def test_each_class_by_its_tag(tp: Any, text: bytes, value: Any) -> None:
    """Also where the class is inside others, and beside None."""
    assert decode(text, tp) == value
    assert encode(value, tp) == text
    assert decode(b"[" + text + b",null]", list[tp | None]) == [value, None]
    assert encode([value, None], list[tp | None]) == b"[" + text + b",null]"


def test_unknown_classes() -> None:
    """The tags of all concrete classes are expected."""
    with pytest.raises(
        snooze.ValidationError, match="expected 'circle', 'square' or 'tile', found"
    ):
        decode(b'{"kind":"shape","name":"a"}', AnyShape)
    mapping = snooze.schema(AnyShape)["discriminator"]["mapping"]
    assert set(mapping) == {"circle", "square", "tile"}


def test_classes_that_come_later() -> None:
    """A codec knows those that exist when it is made."""

    @configure(tag=True)
    @dataclass
    class Base:
        pass

    tp: Any = Annotated[Base, Subclasses()]
    before = snooze.Decoder(tp)

    @dataclass
    class Later(Base):
        pass

    with pytest.raises(snooze.ValidationError):
        before.decode(b'{"type":"Later"}')
    assert type(snooze.Decoder(tp).decode(b'{"type":"Later"}')) is Later


@dataclass
class Box(Generic[T]):
    """A generic class."""

    value: T


class Movie(TypedDict):
    """A class without subclasses at run time."""

    name: str


@dataclass
class Field:
    """A marker as a default."""

    x: Event = Subclasses()  # type: ignore[assignment] # noqa: RUF009


@pytest.mark.parametrize(
    ("tp", "message"),
    [
        (
            Annotated[int, Subclasses()],
            "^the type: Subclasses is for one dataclass, .*not int$",
        ),
        (Annotated[Movie, Subclasses()], "^the type: Subclasses is for one dataclass"),
        (
            Annotated[Event | None, Subclasses()],
            "^the type: Subclasses is for one dataclass",
        ),
        (
            Annotated[dt.date, Subclasses()],
            "^the type: Subclasses is for one dataclass",
        ),
        (Annotated[Event, Subclasses], r"write Subclasses\(…\), with parentheses"),
        (Field, r"^Field\.x: Subclasses\(\.\.\.\) is the default"),
    ],
)
def test_wrong_uses(tp: Any, message: str) -> None:
    """Refused when the codec is made."""
    for make in (snooze.Decoder, snooze.Encoder, snooze.schema):
        with pytest.raises(TypeError, match=message):
            make(tp)


def test_classes_of_the_same_name() -> None:
    """Two classes of a function are two; the one that slots replaced is none."""

    @configure(tag=True)
    @dataclass
    class Base:
        pass

    def made(tag: str) -> Any:
        @configure(tag=tag)
        @dataclass(slots=True)
        class Local(Base):
            n: int = 1

        return Local

    one, two = made("one"), made("two")
    tp: Any = Annotated[Base, Subclasses()]
    assert decode(b'[{"type":"one"},{"type":"two"}]', list[tp]) == [one(), two()]
    assert encode([one(), two()], list[tp]) == (
        b'[{"type":"one","n":1},{"type":"two","n":1}]'
    )


def test_generic_classes() -> None:
    """Refused: a subclass does not say which arguments are meant."""
    with pytest.raises(
        TypeError, match="Subclasses is not for generic classes such as"
    ):
        snooze.Decoder(Annotated[Box[int], Subclasses()])


def test_only_abstract_classes() -> None:
    """There is nothing to make."""

    @dataclass
    class Abstract(abc.ABC):
        @abc.abstractmethod
        def run(self) -> None:
            """Do nothing."""

    with pytest.raises(TypeError, match="and its subclasses are abstract; import"):
        snooze.Decoder(Annotated[Abstract, Subclasses()])
