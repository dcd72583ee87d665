"""Subclasses of built-in classes, and tuples that end with any number of items."""

from __future__ import annotations

import collections
import datetime as dt
import typing
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import jsonschema
import pytest

import snooze
from snooze import decode, encode

T = TypeVar("T")


class UserId(str):
    """A str."""

    __slots__ = ()


class Even(int):
    """An int that refuses some values."""

    def __new__(cls, value: int) -> typing.Self:
        """Refuse odd numbers."""
        if value % 2:
            raise ValueError("odd")
        return super().__new__(cls, value)


class Ratio(float):
    """A float."""


class Key(bytes):
    """Some bytes."""


class Ids(list[UserId]):
    """A list with the type of its items."""


class Scores(dict[str, T]):
    """A dict with a type variable, without Generic."""


class Bag(set[T], Generic[T]):
    """A set with a type variable."""


class Plain(list):  # type: ignore[type-arg]
    """A list of anything."""


class Tree(list["Tree"]):
    """A list of itself."""


class Ordered(collections.OrderedDict[str, int]):
    """A subclass of a subclass."""


class Words(collections.Counter[str]):
    """A dict with one type argument."""


class Both(list[str], Sequence[str]):
    """Two bases with arguments."""


class Lazy(dict[str, "NotDefined"]):  # type: ignore[name-defined] # noqa: F821
    """A type that only type checkers know."""


class Grouped(collections.defaultdict[str, int]):
    """A class whose constructor takes something else."""


class Deeper(Scores[Even]):
    """A subclass of such a subclass."""


CASES: list[tuple[Any, Any, bytes]] = [
    (UserId, UserId("a"), b'"a"'),
    (Even, Even(4), b"4"),
    (Ratio, Ratio(0.5), b"0.5"),
    (Key, Key(b"ab"), b'"YWI="'),
    (Ids, Ids([UserId("a")]), b'["a"]'),
    (Scores[int], Scores(a=1), b'{"a":1}'),
    (Scores, Scores(a="x"), b'{"a":"x"}'),
    (Bag[int], Bag([1]), b"[1]"),
    (Plain, Plain([1, "a"]), b'[1,"a"]'),
    (Deeper, Deeper(a=Even(2)), b'{"a":2}'),
    (Tree, Tree([Tree(), Tree([Tree()])]), b"[[],[[]]]"),
    (Ordered, Ordered(a=1), b'{"a":1}'),
    (Words, Words("a"), b'{"a":1}'),
    (Both, Both(["a"]), b'["a"]'),
]


@pytest.mark.parametrize(("tp", "value", "text"), CASES)
def test_they_are_made_by_their_class(tp: Any, value: Any, text: bytes) -> None:
    """Of what a Decoder makes of the base; items and members have their types."""
    found = decode(text, tp)
    assert (found, type(found)) == (value, type(value))
    assert encode(value, tp) == encode(value) == text
    jsonschema.validate(snooze.loads(text), snooze.schema(tp))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(None, snooze.schema(tp))


def test_items_have_their_types() -> None:
    """Found in the bases of the class."""
    assert type(decode(b'["a"]', Ids)[0]) is UserId
    assert type(decode(b'{"a":2}', Deeper)["a"]) is Even
    for tp, text, message in (
        (Ids, b"[1]", r"expected UserId, found int at \$\[0\]"),
        (Scores[int], b'{"a":"x"}', r"expected int, found str at \$\.a"),
        (Even, b"3", r"found 3 at \$ \(line 1 column 1\): odd"),
        (Deeper, b'{"a":3}', r"at \$\.a .*: odd"),
    ):
        with pytest.raises(snooze.ValidationError, match=message):
            decode(text, tp)


@dataclass
class Named:
    """A plain str as the default of a field."""

    name: UserId = "anon"  # type: ignore[assignment]


def test_instances_of_the_base() -> None:
    """They are written as what they would become."""
    assert encode(Named()) == encode(decode(b"{}", Named)) == b'{"name":"anon"}'
    assert encode(["a", UserId("b")], list[UserId]) == b'["a","b"]'
    with pytest.raises(snooze.JSONEncodeError, match=r"expected UserId, found int"):
        encode([1], list[UserId])


def test_types_that_are_not_needed() -> None:
    """Untyped encoding and hooks do not ask for the types of items."""
    assert encode(Grouped(int, a=1)) == b'{"a":1}'
    assert encode(Lazy(a=1)) == b'{"a":1}'
    made = decode(b'{"a":1}', Lazy, dec_hook=lambda tp, value: tp(value))
    assert made == {"a": 1}
    with pytest.raises(TypeError, match="the name 'NotDefined' is not defined"):
        decode(b"{}", Lazy)
    with pytest.raises(TypeError, match="Grouped is not a type that snooze knows"):
        snooze.Decoder(Grouped)


def test_items_that_cannot_be_hashed() -> None:
    """Refused when the codec is made."""
    for tp in (
        set[Ids],
        set[tuple[int, *tuple[list[int], ...]]],
        set[tuple[list[int], ...]],
        dict[tuple[list[int]], int],
    ):
        with pytest.raises(TypeError, match="not hashable|cannot be the key"):
            snooze.Decoder(tp)


def test_hooks_come_first() -> None:
    """`dec_hook`, where it is given, makes the instances, as for unknown classes."""
    seen = []

    def hook(tp: Any, value: Any) -> Any:
        seen.append((tp, value))
        return tp(value)

    assert decode(b'["a"]', list[UserId], dec_hook=hook) == ["a"]
    assert seen == [(UserId, "a")]


def test_complex_numbers_and_offsets() -> None:
    """Written as Python writes them; `enc_hook` and `dec_hook` come first."""
    assert encode([1 + 2j, -0.5j], list[complex]) == b'["1+2j","-0-0.5j"]'
    assert encode({"z": 1j}) == b'{"z":"1j"}'
    assert decode(b'["1+2j","(3+0j)","2"]', list[complex]) == [1 + 2j, 3, 2]
    assert encode([1j], list[complex], enc_hook=lambda z: [z.real, z.imag]) == (
        b"[[0.0,1.0]]"
    )
    for text in (b"1", b'" 1 "', b'"1_0"', b'"1e999"', b'"x"'):
        with pytest.raises(snooze.ValidationError, match="expected complex, found"):
            decode(text, complex)
    zones = [dt.UTC, dt.timezone(-dt.timedelta(hours=5, minutes=30))]
    text = b'["UTC","UTC-05:30"]'
    assert encode(zones, list[dt.timezone]) == encode(zones) == text
    assert decode(text, list[dt.timezone]) == zones
    assert decode(b'["Z","+01:00"]', list[dt.timezone]) == [
        dt.UTC,
        dt.timezone(dt.timedelta(hours=1)),
    ]
    odd = dt.timezone(dt.timedelta(hours=-1, seconds=1, microseconds=5))
    assert decode(encode(odd), dt.timezone) == odd
    for text in (b'"+24:00"', b'"+01:60"', b'"1:00"', b'"Europe/Oslo"', b'""'):
        with pytest.raises(snooze.ValidationError, match="expected timezone, found"):
            decode(text, dt.timezone)


Rows = tuple[int, *tuple[str, ...]]


@pytest.mark.parametrize(
    ("text", "value"),
    [(b"[1]", (1,)), (b'[1,"a"]', (1, "a")), (b'[1,"a","b"]', (1, "a", "b"))],
)
def test_tuples_with_any_number_of_items(text: bytes, value: Any) -> None:
    """`tuple[int, *tuple[str, ...]]`, in every way of reading and writing."""
    for tp in (Rows, tuple[int, *tuple[str, ...]]):
        assert decode(text, tp) == value
        assert encode(value, tp) == text
    assert decode(b"[" + text + b"]", list[Rows]) == [value]
    assert encode([value, value], list[Rows]) == b"[" + text + b"," + text + b"]"
    assert snooze.loads(encode(value, Rows, indent=2)) == snooze.loads(text)


def test_wrong_items_after_the_first() -> None:
    """Their number and their types are checked."""
    for text, message in (
        (b"[]", r"expected array of length >= 1, found array of 0 at \$"),
        (b'["a"]', r"expected int, found str at \$\[0\]"),
        (b'[1,"a",2]', r"expected str, found int at \$\[2\]"),
    ):
        with pytest.raises(snooze.ValidationError, match=message):
            decode(text, Rows)
    for value, message in (
        ((), r"expected tuple of length >= 1, found a tuple of length 0 at \$"),
        ((1, "a", 2), r"expected str, found int at \$\[2\]"),
    ):
        with pytest.raises(snooze.JSONEncodeError, match=message):
            encode(value, Rows)
    schema = snooze.schema(Rows)
    del schema["$schema"]
    assert schema == {
        "type": "array",
        "prefixItems": [{"type": "integer"}],
        "items": {"type": "string"},
        "minItems": 1,
    }


def test_other_unpacked_tuples() -> None:
    """A tuple of known length is part of the other; a type variable tuple is not."""
    tp = tuple[int, *tuple[str, bool], *tuple[None, ...]]
    assert decode(b'[1,"a",true,null]', tp) == (1, "a", True, None)
    nested: Any = tuple[*tuple[int, *tuple[str, ...]]]
    assert decode(b'[1,"a"]', nested) == (1, "a")
    from typing_extensions import TypeVarTuple

    many = TypeVarTuple("many")
    with pytest.raises(TypeError, match="type variable tuples are not supported"):
        snooze.Decoder(typing.Tuple[int, *many])  # noqa: UP006
