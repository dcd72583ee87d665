"""Generated types: decoder and schema agree, and decoded values survive a round trip.

Each example is a type made of parts, and a document that fits it or is damaged in one
place. Types with ambiguous unions are skipped.
"""

from __future__ import annotations

import dataclasses
import json
import typing
from collections import deque
from typing import Annotated, Any, Literal, NamedTuple, TypedDict

import hypothesis
import jsonschema
from hypothesis import strategies as st

import snooze
from snooze import Field, Ge, Le, Len, MaxLen, configure

Pair = tuple[Any, "st.SearchStrategy[Any]"]

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
#: No whole floats: JSON Schema takes them for integers.
FLOATS = st.floats(-1e9, 1e9).filter(lambda number: number != int(number))
INTS = st.integers(-(2**70), 2**70)
NAMES = ("a", "b_c", "d")
#: Values that replace a part of a document.
OTHERS = st.one_of(
    st.none(),
    st.booleans(),
    INTS,
    FLOATS,
    TEXT,
    st.just([]),
    st.just({}),
    st.just({"a": 1}),
)

SCALARS: list[Pair] = [
    (int, INTS),
    (bool, st.booleans()),
    (str, TEXT),
    (float, FLOATS | INTS),
    (None, st.none()),
    (Any, OTHERS),
    (Annotated[int, Ge(-5), Le(5)], st.integers(-5, 5)),
    (Annotated[str, Len(1, 3)], TEXT.filter(lambda text: 1 <= len(text) <= 3)),
    (Literal["x", "y", 3], st.sampled_from(["x", "y", 3])),
    (Annotated[float, Ge(0.5)], FLOATS.map(abs).map(lambda number: number + 0.5)),
]


def arrays(inner: Pair) -> st.SearchStrategy[Pair]:
    """Return types of arrays."""
    tp, docs = inner
    items = st.lists(docs, max_size=3)
    return st.sampled_from(
        [
            (list[tp], items),
            (tuple[tp, ...], items),
            (deque[tp], items),
            (tuple[tp, int], st.tuples(docs, INTS).map(list)),
            (Annotated[list[tp], MaxLen(2)], st.lists(docs, max_size=2)),
        ]
    )


def dicts(inner: Pair) -> st.SearchStrategy[Pair]:
    """Return types of objects with any names."""
    tp, docs = inner
    numbers = st.integers(-9, 9).map(str)
    return st.sampled_from(
        [
            (dict[str, tp], st.dictionaries(TEXT, docs, max_size=3)),
            (dict[int, tp], st.dictionaries(numbers, docs, max_size=3)),
        ]
    )


@st.composite
def unions(draw: Any, inner: st.SearchStrategy[Pair]) -> Pair:
    """Return unions of two types; ambiguous ones are skipped."""
    (one, first), (two, second) = draw(inner), draw(inner)
    tp = typing.Union[one, two]  # noqa: UP007 - one may be None
    try:
        snooze.Decoder(tp)
        snooze.Encoder(tp)
    except TypeError:
        return one, first
    return tp, first | second


@st.composite
def records(draw: Any, inner: st.SearchStrategy[Pair]) -> Pair:
    """Return dataclasses, with or without slots, TypedDicts and named tuples."""
    count = draw(st.integers(1, 3))
    parts = [(name, *draw(inner)) for name in NAMES[:count]]
    optional = draw(st.integers(0, count))
    rename = draw(st.sampled_from([None, "camel", "upper"]))
    unknown = draw(st.sampled_from(["ignore", "forbid"]))
    kind = draw(st.sampled_from(["dataclass", "slots", "frozen", "dict", "tuple"]))
    required, more = {}, {}
    for number, (name, _, docs) in enumerate(parts):
        shown = {"camel": "bC" if name == "b_c" else name, "upper": name.upper()}
        (more if number >= optional else required)[shown.get(rename, name)] = docs
    decorate = configure(rename=rename, unknown=unknown)
    if kind == "dict":
        hints = {
            name: tp if number < optional else typing.NotRequired[tp]
            for number, (name, tp, _) in enumerate(parts)
        }
        cls: Any = decorate(TypedDict("Generated", hints))  # type: ignore[operator]
    elif kind == "tuple":
        cls = NamedTuple("Generated", [(name, tp) for name, tp, _ in parts])  # type: ignore[misc]
        return cls, st.tuples(*(docs for _, _, docs in parts)).map(list)
    else:
        fields: list[Any] = []
        for number, (name, tp, _) in enumerate(parts):
            default = dataclasses.field(default=None)
            hint = Annotated[tp, Field(omit_default=False)]
            fields.append((name, hint) if number < optional else (name, hint, default))
        flags = {"slots": kind == "slots", "frozen": kind == "frozen"}
        cls = decorate(dataclasses.make_dataclass("Generated", fields, **flags))
    return cls, st.fixed_dictionaries(required, optional=more)


TYPES = st.recursive(
    st.sampled_from(SCALARS),
    lambda inner: st.one_of(
        inner.flatmap(arrays), inner.flatmap(dicts), records(inner), unions(inner)
    ),
    max_leaves=5,
)


def damage(draw: Any, document: Any) -> Any:
    """Replace one part of a document."""
    if isinstance(document, list) and document and draw(st.booleans()):
        place = draw(st.integers(0, len(document) - 1))
        changed = damage(draw, document[place])
        return [*document[:place], changed, *document[place + 1 :]]
    if isinstance(document, dict) and document and draw(st.booleans()):
        name = draw(st.sampled_from(sorted(document)))
        if draw(st.booleans()):
            return {key: value for key, value in document.items() if key != name}
        return document | {name: damage(draw, document[name])}
    if isinstance(document, dict) and draw(st.booleans()):
        return document | {draw(TEXT): draw(OTHERS)}
    return draw(OTHERS)


@hypothesis.given(TYPES, st.data())
def test_decoder_and_schema_agree(made: Pair, data: st.DataObject) -> None:
    """On valid and damaged documents; valid ones survive a round trip."""
    tp, documents = made
    decoder = snooze.Decoder(tp)
    validator = jsonschema.Draft202012Validator(snooze.schema(tp))
    document = data.draw(documents)
    assert validator.is_valid(document)
    value = decoder.decode(json.dumps(document))
    encoder = snooze.Encoder(tp)
    # Encoding adds members with their default, None, which the type may not allow.
    again = encoder.encode(value) if can_encode(tp, value) else None
    if again is not None:
        assert snooze.Encoder(tp).encode(decoder.decode(again)) == again
        assert decoder.decode(again) == value
    damaged = damage(data.draw, document)
    valid = validator.is_valid(damaged)
    try:
        decoder.decode(json.dumps(damaged))
    except snooze.ValidationError as error:
        assert not valid, (damaged, str(error))
    else:
        assert valid, damaged


def can_encode(tp: Any, value: Any) -> bool:
    """Return whether no None in a value comes from a default that its type does not allow."""
    try:
        snooze.Encoder(tp).encode(value)
    except TypeError:
        return False
    return True
