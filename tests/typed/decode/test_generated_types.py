"""Typed decoding of generated types: round trips, and agreement with other libraries.

A type is drawn together with a strategy for its values. msgspec and pydantic must accept
the same documents and give the same values, for documents that fit the type and for ones
with a part replaced. Deliberate differences are in test_msgspec_differences.py and in
COMPARE.md.
"""

from __future__ import annotations

import base64
import dataclasses
import datetime
import json
import random  # noqa: TC003 - hypothesis reads the annotations
import typing
import uuid
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import snooze
from helpers.equality import same
from snooze import Decoder, ValidationError

try:
    import msgspec
    import pydantic
except ImportError:  # no wheel for this Python
    msgspec = pydantic = None

NAMES = ["a", "b", "c", "name", "id", "long_name_of_a_field", "x1", "type"]
Typed = tuple[Any, "st.SearchStrategy[Any]"]

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
zones = st.none() | st.integers(-1439, 1439).map(
    lambda minutes: datetime.timezone(datetime.timedelta(minutes=minutes))
)
SCALARS: dict[Any, st.SearchStrategy[Any]] = {
    int: st.integers() | st.integers(-(2**64), 2**64),
    float: st.floats(allow_nan=False, allow_infinity=False),
    str: texts,
    bool: st.booleans(),
    type(None): st.none(),
    Decimal: st.decimals(allow_nan=False, allow_infinity=False),
    bytes: st.binary(max_size=20),
    datetime.datetime: st.datetimes(timezones=zones),
    datetime.date: st.dates(),
    datetime.time: st.times(),
    uuid.UUID: st.uuids(),
}
PLAIN: dict[Any, st.SearchStrategy[Any]] = {
    tp: SCALARS[tp] for tp in (int, float, str, bool)
}


@st.composite
def typed(draw: Any, depth: int = 3) -> Typed:
    """Draw a type and a strategy for its values."""
    kinds = ["scalar", "scalar"]
    if depth:
        kinds += [
            "list",
            "dict",
            "tuple",
            "fixed",
            "set",
            "optional",
            "dataclass",
            "dataclass",
        ]
        kinds += ["typeddict", "namedtuple", "any", "keys"]
    kind = draw(st.sampled_from(kinds))
    if kind == "scalar":
        tp = draw(st.sampled_from(list(SCALARS)))
        return tp, SCALARS[tp]
    if kind == "any":
        return Any, st.recursive(
            st.none() | st.booleans() | st.integers(-(2**53), 2**53) | texts,
            lambda inner: (
                st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3)
            ),
            max_leaves=5,
        )
    if kind == "set":
        tp = draw(st.sampled_from([int, str, bool]))
        made = draw(st.sampled_from([set, frozenset]))
        return made[tp], st.lists(SCALARS[tp], max_size=4).map(made)
    if kind == "keys":
        key = draw(st.sampled_from([int, str, uuid.UUID, datetime.date]))
        inner, values = draw(typed(depth - 1))
        return dict[key, inner], st.dictionaries(SCALARS[key], values, max_size=3)
    if kind in {"fixed", "dataclass", "typeddict", "namedtuple"}:
        count = draw(st.integers(0 if kind == "fixed" else 1, 5))
        parts = [draw(typed(depth - 1)) for _ in range(count)]
        return compound(draw, kind, parts)
    inner, values = draw(typed(depth - 1))
    if kind == "list":
        return list[inner], st.lists(values, max_size=4)
    if kind == "dict":
        return dict[str, inner], st.dictionaries(texts, values, max_size=4)
    if kind == "tuple":
        return tuple[inner, ...], st.lists(values, max_size=4).map(tuple)
    return typing.Optional[inner], st.none() | values  # noqa: UP045 - of any type


def compound(draw: Any, kind: str, parts: list[Typed]) -> Typed:
    """Return a type with one part for each of some types."""
    values = st.tuples(*[strategy for _, strategy in parts])
    types = [tp for tp, _ in parts]
    if kind == "fixed":
        return tuple[tuple(types)] if types else tuple[()], values
    names = draw(st.permutations(NAMES))[: len(parts)]
    if kind == "dataclass":
        options = draw(
            st.fixed_dictionaries(
                {
                    "slots": st.booleans(),
                    "frozen": st.booleans(),
                    "kw_only": st.booleans(),
                }
            )
        )
        cls = dataclasses.make_dataclass(
            "Made", list(zip(names, types, strict=True)), **options
        )
        return cls, values.map(lambda row: cls(**dict(zip(names, row, strict=True))))
    if kind == "typeddict":
        made = typing.TypedDict("Made", dict(zip(names, types, strict=True)))  # type: ignore[operator]  # noqa: UP013
        return made, values.map(lambda row: dict(zip(names, row, strict=True)))
    named = typing.NamedTuple("Made", list(zip(names, types, strict=True)))  # type: ignore[misc]
    return named, values.map(lambda row: named(*row))


@st.composite
def examples(draw: Any) -> tuple[Any, Any]:
    """Draw a type and one of its values."""
    tp, values = draw(typed())
    return tp, draw(values)


def to_json(value: Any) -> Any:
    """Return what `json` can write."""
    if dataclasses.is_dataclass(value):
        return {
            f.name: to_json(getattr(value, f.name)) for f in dataclasses.fields(value)
        }
    if isinstance(value, (list, tuple, set, frozenset)):
        return [to_json(item) for item in value]
    if isinstance(value, dict):
        return {str(key): to_json(item) for key, item in value.items()}
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, (Decimal, uuid.UUID)):
        return str(value)
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    return value


def shuffled(value: Any, rng: random.Random) -> Any:
    """Return the same document with members in another order."""
    if isinstance(value, list):
        return [shuffled(item, rng) for item in value]
    if isinstance(value, dict):
        items = [(key, shuffled(item, rng)) for key, item in value.items()]
        rng.shuffle(items)
        return dict(items)
    return value


@given(examples(), st.randoms(use_true_random=False))
def test_round_trip(example: tuple[Any, Any], rng: random.Random) -> None:
    """In any layout of the document, with any way to report problems."""
    tp, value = example
    tree = to_json(value)
    document = json.dumps(tree)
    decoder = Decoder(tp)
    assert same(decoder.decode(document), value)
    assert same(decoder.decode(json.dumps(tree, ensure_ascii=False).encode()), value)
    assert same(decoder.decode(json.dumps(tree, indent=2).encode()), value)
    assert same(Decoder(tp, errors="all").decode(document.encode()), value)
    assert same(Decoder(tp, strict=False).decode(document), value)
    assert same(Decoder(tp, at="/x/0").decode(f'{{"x":[{document}]}}'), value)
    reordered = json.dumps(shuffled(tree, rng))
    assert same(decoder.decode(reordered), value, ordered=False)


#: Values that replace a part of a document.
odd = (
    st.none()
    | st.booleans()
    | st.integers(-5, 5)
    | st.sampled_from(
        [
            2**63,
            2**64,
            -(2**70),
            1.5,
            1e300,
            "",
            "x",
            "1",
            "1.5",
            "true",
            [],
            [1],
            ["x"],
            {},
            {"a": 1},
            [[]],
            {"type": "x"},
        ]
    )
)


def replaced(value: Any, rng: random.Random, other: Any) -> Any:
    """Return the document with one part replaced, left out, or doubled."""
    if isinstance(value, list) and value and rng.random() < 0.8:
        at = rng.randrange(len(value))
        choice = rng.random()
        if choice < 0.15:
            return value[:at] + value[at + 1 :]
        if choice < 0.3:
            return [*value, other]
        return [*value[:at], replaced(value[at], rng, other), *value[at + 1 :]]
    if isinstance(value, dict) and value and rng.random() < 0.8:
        key = rng.choice(list(value))
        choice = rng.random()
        if choice < 0.15:
            return {k: v for k, v in value.items() if k != key}
        if choice < 0.3:
            return {**value, "unknown": other}
        return {**value, key: replaced(value[key], rng, other)}
    return other


def accepts(tp: Any, document: str) -> tuple[bool, Any]:
    """Return whether a document is accepted, and its value; both error modes agree."""
    try:
        value = Decoder(tp).decode(document)
    except ValidationError as first:
        with pytest.raises(ValidationError) as caught:
            Decoder(tp, errors="all").decode(document)
        every = caught.value.errors
        assert first.errors[0] in every
        # A key and its value have the same path.
        told = {(one.pointer, one.expected, one.offset) for one in every}
        assert len(told) == len(every)
        for one in every:
            assert document.encode()[one.offset : one.offset + 1] not in (
                b"",
                b" ",
                b",",
                b":",
            )
        return False, None
    assert same(Decoder(tp, errors="all").decode(document), value)
    return True, value


@given(examples(), st.randoms(use_true_random=False), odd)
def test_replaced_parts(
    example: tuple[Any, Any], rng: random.Random, other: Any
) -> None:
    """Refused, or decoded to a value that survives a round trip."""
    tp, value = example
    document = json.dumps(replaced(to_json(value), rng, other))
    taken, made = accepts(tp, document)
    if taken:
        again = json.dumps(to_json(made))
        assert same(Decoder(tp).decode(again), made)


@pytest.mark.slow
@pytest.mark.skipif(msgspec is None, reason="msgspec is not installed: NOT compared")
@settings(max_examples=800)
@given(examples(), st.randoms(use_true_random=False), odd, st.booleans())
def test_agreement_with_msgspec(
    example: tuple[Any, Any], rng: random.Random, other: Any, exchange: bool
) -> None:
    """The same documents are accepted, with the same values."""
    tp, value = example
    tree = to_json(value)
    if exchange:
        tree = replaced(tree, rng, other)
    document = json.dumps(tree)
    try:
        theirs = msgspec.json.Decoder(tp)
    except TypeError:
        return  # a type that msgspec does not know
    taken, made = accepts(tp, document)
    try:
        expected = theirs.decode(document)
    except msgspec.ValidationError as error:
        assert not taken, (document, made, error)
        return
    assert taken, (document, expected)
    assert same(made, expected, ordered=False), (made, expected)


#: Types whose texts the two read differently, see test_msgspec_differences.py; and
#: TypedDict of `typing`, which pydantic refuses before CPython 3.12.
APART = (bytes, Decimal, datetime.datetime, datetime.time)


def is_comparable(tp: Any) -> bool:
    """Return whether pydantic has a type with the same meaning."""
    if tp in APART or typing.is_typeddict(tp) or hasattr(tp, "_fields"):
        return False
    parts = list(typing.get_args(tp))
    if dataclasses.is_dataclass(tp):
        parts = [f.type for f in dataclasses.fields(tp)]
    return all(is_comparable(part) for part in parts if part is not ...)


@pytest.mark.slow
@pytest.mark.skipif(pydantic is None, reason="pydantic is not installed: NOT compared")
@settings(max_examples=400)
@given(examples(), st.randoms(use_true_random=False), odd, st.booleans())
def test_agreement_with_pydantic(
    example: tuple[Any, Any], rng: random.Random, other: Any, exchange: bool
) -> None:
    """The same documents are accepted as in its strict mode, with the same values."""
    tp, value = example
    assume(is_comparable(tp))
    tree = to_json(value)
    if exchange:
        tree = replaced(tree, rng, other)
    document = json.dumps(tree)
    theirs = pydantic.TypeAdapter(tp)
    taken, made = accepts(tp, document)
    try:
        expected = theirs.validate_json(document, strict=True)
    except pydantic.ValidationError as error:
        assert not taken, (document, made, error)
        return
    assert taken, (document, expected)
    assert same(made, expected, ordered=False), (made, expected)


def test_any_agrees_with_loads() -> None:
    """`Any` gives what `loads` gives, for every generated tree."""

    @given(
        st.recursive(
            st.none()
            | st.booleans()
            | st.integers(-(2**63), 2**64 - 1)
            | st.floats(allow_nan=False, allow_infinity=False)
            | texts,
            lambda inner: st.lists(inner) | st.dictionaries(texts, inner),
            max_leaves=20,
        )
    )
    def check(tree: Any) -> None:
        document = json.dumps(tree)
        assert same(Decoder().decode(document), snooze.loads(document))

    check()
