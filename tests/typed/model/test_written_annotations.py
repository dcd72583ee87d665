"""Annotations as people write them, where their meaning is easily missed.

Separate from `test_annotations` and `test_types`, which are full. Nested classes, type
variables with defaults that use others, equal types under two names, enums with tuples.
"""

from __future__ import annotations

import dataclasses
import enum
import re
import typing
from dataclasses import dataclass
from typing import Annotated, Any, Final, Generic, NewType, Optional

import jsonschema
import pytest
import typing_extensions

import snooze
from snooze import Field, Ge, Meta, configure

T = typing_extensions.TypeVar("T")
U = typing_extensions.TypeVar("U", default=T)
Many = typing_extensions.TypeVar("Many", default=list[T])


class Status(enum.Enum):
    """Not the status of an order."""

    OTHER = "other"


@dataclass
class Order:
    """The body of the class has a class with the name of one in the module."""

    class Status(enum.Enum):
        """The status of an order."""

        PAID = "paid"

    status: Status
    before: list[Status] = dataclasses.field(default_factory=list)


@dataclass
class Express(Order):
    """Inherits the fields, with the names that they had."""

    class Status(enum.Enum):
        """Not that of the fields."""

        FAST = "fast"


@pytest.mark.parametrize("cls", [Order, Express])
def test_nested_classes_come_first(cls: Any) -> None:
    """As where Python itself evaluates the annotation."""
    order = snooze.decode(b'{"status": "paid", "before": ["paid"]}', cls)
    assert order == cls(Order.Status.PAID, [Order.Status.PAID])


@dataclass
class Two(Generic[T, U]):
    """The default of the second type is the first one."""

    a: T
    b: U


@dataclass
class Collected(Generic[T, Many]):
    """The default of the second type contains the first one."""

    a: T
    b: Many


@dataclass
class Outer(Generic[T]):
    """Names a generic class with an argument of its own."""

    inner: Collected[str]


DEFAULTS = [
    (Two[str], {"a": "x", "b": "y"}, {"a": "x", "b": 1}),
    (Two[str, int], {"a": "x", "b": 1}, {"a": "x", "b": "y"}),
    (Collected[str], {"a": "x", "b": ["y"]}, {"a": "x", "b": [1]}),
    (Collected[str, int], {"a": "x", "b": 1}, {"a": "x", "b": ["y"]}),
]


@pytest.mark.parametrize(("tp", "right", "wrong"), DEFAULTS, ids=repr)
def test_defaults_of_type_variables(tp: Any, right: Any, wrong: Any) -> None:
    """A default that uses another variable has the type of that one (PEP 696)."""
    assert dataclasses.asdict(snooze.convert(right, tp)) == right
    with pytest.raises(snooze.ValidationError):
        snooze.convert(wrong, tp)


def test_an_own_variable_goes_before_that_of_a_default() -> None:
    """`Collected[str, list[T]]` in a class of T is the same type as `Collected[str]`."""
    assert snooze.convert({"inner": {"a": "x", "b": [1]}}, Outer[int])
    assert snooze.convert({"inner": {"a": "x", "b": ["y"]}}, Outer[str])


Metres = NewType("Metres", Annotated[float, Ge(0)])
Seconds = NewType("Seconds", Annotated[float, Ge(0)])
NOTED = Annotated[float, Ge(0)] | Annotated[float, Ge(0), Meta(title="x")]


@pytest.mark.parametrize("tp", [Metres | Seconds, NOTED, Metres | NOTED])
def test_equal_floats_in_a_union(tp: Any) -> None:
    """Two types that accept the same numbers are one."""
    decoder = snooze.Decoder(list[tp])
    assert list(map(repr, decoder.decode(b"[1, 1.5]"))) == ["1.0", "1.5"]
    for document in (b"[-1]", b"[-1.5]"):
        with pytest.raises(snooze.ValidationError, match="expected float >= 0, found"):
            decoder.decode(document)
    assert snooze.encode([1, 1.5], list[tp]) == b"[1,1.5]"


@dataclass
class Page:
    """Has no required member."""

    offset: int = 0


@configure(tag=True, content="data")
@dataclass
class Search:
    """Its content may be missing, although its constructor needs a page."""

    page: Annotated[Page, Field(flatten=True)]


def test_missing_content_of_flattened_fields() -> None:
    """The nested instance is made, as of an empty content."""
    for document in (b'{"type": "Search"}', b'{"type": "Search", "data": {}}'):
        assert snooze.decode(document, Search) == Search(Page())
    assert snooze.decode(b'{"data": {"offset": 5}}', Search) == Search(Page(5))


class Bits(enum.Flag):
    """Two bits."""

    X = 1
    Y = 2


class Own(enum.Flag):
    """Says itself what is wrong."""

    X = 1

    @classmethod
    def _missing_(cls, value: object) -> Any:
        raise ValueError(f"no {value}")


def test_messages_of_flags_have_one_line() -> None:
    """That of `enum` has three."""
    for cls, reason in ((Bits, "4 has bits that Bits does not define"), (Own, "no 4")):
        with pytest.raises(snooze.ValidationError) as caught:
            snooze.decode(b"4", cls)
        name = cls.__name__
        assert str(caught.value) == (
            f"expected {name}, found 4 at $ (line 1 column 1): {reason}"
        )


class Planet(enum.Enum):
    """Values that are not scalars."""

    MERCURY = (3.5, 2)
    VENUS = (4, 6.5)


class Mixed(enum.Enum):
    """Values of several kinds."""

    NOTHING = None
    PAIR = (1, 2)
    NAMED = {"a": [1]}
    TEXT = "x"


def test_enums_of_tuples_in_unions() -> None:
    """Only the kinds of their values are theirs."""
    tp = list[Planet | int | str | None]
    document = b'[[3.5, 2], null, 5, "x"]'
    values = [Planet.MERCURY, None, 5, "x"]
    assert snooze.decode(document, tp) == values
    assert snooze.encode(values, tp) == document.replace(b" ", b"")
    assert snooze.convert([(3.5, 2), None, Planet.VENUS], tp) == [
        *(Planet.MERCURY, None, Planet.VENUS)
    ]
    with pytest.raises(snooze.ValidationError, match=r"expected Planet, .*found bool"):
        snooze.decode(b"[true]", tp)
    assert snooze.decode(b'[null, [1, 2], {"a": [1]}, "x"]', list[Mixed]) == [*Mixed]
    for other in (None, str, list[int], dict[str, int]):
        with pytest.raises(TypeError, match="ambiguous: both are"):
            snooze.Decoder(Mixed | other)


@pytest.mark.parametrize("tp", [Planet, Mixed, Planet | None, list[Mixed]])
def test_schemas_of_enums_of_tuples(tp: Any) -> None:
    """They list the values."""
    validator = jsonschema.Draft202012Validator(snooze.schema(tp))
    documents = [[3.5, 2], [3.5], [1, 2], None, {"a": [1]}, {"a": 1}, "x", "y", True, 1]
    for document in [*documents, *([one] for one in documents)]:
        try:
            snooze.convert(document, tp)
        except snooze.ValidationError:
            assert not validator.is_valid(document)
        else:
            assert validator.is_valid(document)


@pytest.mark.parametrize(
    ("tp", "advice"),
    [
        (Final, "Final[int]"),
        (Optional, "Optional[int]"),
        (typing.Literal, "Literal['a', 'b']"),
        (typing_extensions.ReadOnly, "ReadOnly[int]"),
    ],
    ids=repr,
)
def test_special_forms_alone(tp: Any, advice: str) -> None:
    """The message shows what is missing."""
    made = dataclasses.make_dataclass("Made", [("x", tp)])
    with pytest.raises(TypeError) as caught:
        snooze.Decoder(made)
    name = advice.partition("[")[0]
    assert str(caught.value) == f"Made.x: {name} needs arguments: {advice}"


def test_patterns_of_bytes() -> None:
    """Refused: the pattern would be one of str."""
    assert snooze.decode(b'"a+"', re.Pattern[str]) == re.compile("a+")
    with pytest.raises(TypeError) as caught:
        snooze.Decoder(list[re.Pattern[bytes]])
    assert str(caught.value) == (
        "the type[…]: re.Pattern[bytes] has no JSON form: a string in JSON is a str; "
        "use re.Pattern[str]"
    )
