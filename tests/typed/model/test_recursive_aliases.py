"""Recursive type aliases whose references to themselves have constraints.

Separate from `test_types`, because such an alias is refused or accepted while it is
still being built, and every step of a codec has to recognise it again.
"""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC, datetime
from typing import Annotated

import annotated_types
import pytest
import typing_extensions as te

import snooze
from snooze import FirstMatch, Format, Ge, Len, Pattern

#: For the names in the texts below.
USED = (FirstMatch, Format, Ge, Pattern)

Checked = te.TypeAliasType(
    "Checked", "list[Annotated[Checked, annotated_types.Predicate(bool)]] | int"
)
Long = te.TypeAliasType("Long", "list[Annotated[Long, Len(1)]] | int")
Large = te.TypeAliasType("Large", "list[Annotated[Large, Ge(3)]] | int")
Moments = te.TypeAliasType(
    "Moments", "list[Annotated[Moments, Format('unix')]] | datetime"
)
Chosen = te.TypeAliasType("Chosen", "list[Annotated[Chosen, FirstMatch()]] | int | str")
Pairs = te.TypeAliasType("Pairs", "dict[str, Annotated[Pairs, Len(1, 2)]] | str")


@pytest.mark.parametrize(
    ("tp", "right", "wrong", "found"),
    [
        (Checked, "[1,[2,[3]]]", "[1,[0]]", r"for which bool holds.* at \$\[1\]\[0\]"),
        (Checked, "[[1]]", "[[1],[]]", r"for which bool holds.* at \$\[1\]"),
        (Long, "[[1],[[2]]]", "[[1],[[]]]", r"length >= 1 or int.* at \$\[1\]\[0\]"),
        (Large, "[3,[4]]", "[3,[2]]", r">= 3, found 2 at \$\[1\]\[0\]"),
        (Chosen, '[1,["a"]]', "[1,[null]]", r"at \$\[1\] .*found null at /0"),
        (Pairs, '{"a":{"b":"c"}}', '{"a":{}}', r"found object of 0 at \$\.a"),
    ],
)
def test_constraints_hold_at_every_depth(tp, right, wrong, found) -> None:
    decoder = snooze.Decoder(tp)
    value = decoder.decode(right)
    assert snooze.loads(right) == value
    assert snooze.Encoder(tp).encode(value).decode() == right
    assert snooze.Converter(tp).convert(value) == value
    with pytest.raises(snooze.ValidationError, match=found):
        decoder.decode(wrong)
    with pytest.raises(snooze.ValidationError):
        snooze.convert(snooze.loads(wrong), tp)


def test_what_is_outside_has_no_constraint() -> None:
    """The alias itself is not constrained: only what refers to it is."""
    assert snooze.decode("[]", Long) == []
    assert snooze.decode("2", Large) == 2
    assert snooze.decode("{}", Pairs) == {}


def test_formats_hold_inside() -> None:
    moment = datetime(2026, 11, 28, tzinfo=UTC)
    text = b'[1795824000,["2026-11-28T00:00:00+00:00"]]'
    assert snooze.encode([moment], Moments) == b"[1795824000]"
    assert snooze.decode(b"[1795824000]", Moments) == [moment]
    assert snooze.encode(moment, Moments) == b'"2026-11-28T00:00:00+00:00"'
    with pytest.raises(snooze.ValidationError, match=r"at \$\[1\]\[0\]"):
        snooze.decode(text, Moments)


def test_the_schema_is_recursive_too() -> None:
    found = snooze.schema(Long)
    assert found["$defs"] == {
        "Long": {"anyOf": [{"type": "array", "items": INNER}, {"type": "integer"}]},
        "Long-2": {
            "anyOf": [
                {"type": "array", "items": INNER, "minItems": 1},
                {"type": "integer"},
            ]
        },
    }
    assert snooze.schema(Checked)["$defs"]["Checked-2"] == {
        "$ref": "#/$defs/Checked",
        "description": "for which bool holds",
    }


INNER = {"$ref": "#/$defs/Long-2"}


def test_several_in_one_another() -> None:
    """A constraint on an alias of a constrained reference."""
    inner = te.TypeAliasType("inner", Annotated[Long, Len(0, 2)])
    assert snooze.decode("[1,[2]]", inner) == [1, [2]]
    with pytest.raises(snooze.ValidationError, match="array of length <= 2"):
        snooze.decode("[1,2,3]", inner)
    both = te.TypeAliasType("both", "list[Annotated[part, Len(0, 2)]] | int")
    part = te.TypeAliasType("part", "Annotated[both, Len(1)]")
    globals().update(both=both, part=part)
    decoder = snooze.Decoder(both)
    assert decoder.decode("[1,[2],[3,4]]") == [1, [2], [3, 4]]
    for wrong in ("[[]]", "[[1,2,3]]"):
        with pytest.raises(snooze.ValidationError, match=r"length 1 to 2"):
            decoder.decode(wrong)


def test_what_fits_nothing_is_refused() -> None:
    names = {
        "itself": "Annotated[itself, Ge(1)] | int",
        "nothing": "list[Annotated[nothing, Pattern('a')]] | int",
        "single": "list[Annotated[single, FirstMatch()]]",
        "formless": "list[Annotated[formless, Format('unix')]] | int",
    }
    for name, value in names.items():
        globals()[name] = te.TypeAliasType(name, value)
    for name, reason in {
        "itself": "contains itself, without an array, object or class in between",
        "nothing": "Pattern cannot constrain this type; it is for str",
        "single": "FirstMatch is for unions",
        "formless": r"Format\('unix'\) is for",
    }.items():
        with pytest.raises(TypeError, match=reason):
            snooze.Decoder(globals()[name])


#: Two names for each other, and for nothing else.
One = te.TypeAliasType("One", "Two")
Two = te.TypeAliasType("Two", "One")


@pytest.mark.parametrize(
    "tp",
    [
        One,
        list[Two],
        defaultdict[str, One],
        Annotated[One, Ge(1)],
        list[Annotated[Two, Len(1)]],
        Annotated[One, FirstMatch()],
        Annotated[One, Format("unix")],
    ],
)
def test_aliases_that_are_only_each_other(tp) -> None:
    with pytest.raises(TypeError):
        snooze.Decoder(tp)
