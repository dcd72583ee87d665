"""The schema accepts what the Decoder accepts: bounds, and keys that coincide."""

from __future__ import annotations

import enum
import json
from decimal import Decimal
from typing import Annotated, Any, Literal

import jsonschema
import pytest

import snooze
from snooze import Ge, Gt, Le, Lt, MaxLen, MultipleOf


class Open(enum.Enum):
    """Finds members by other names, too."""

    RED = "red"

    @classmethod
    def _missing_(cls, value: object) -> Any:
        return cls.RED if str(value).lower() == "red" else None


class Floats(enum.Enum):
    """A number has several texts."""

    A = 1.5
    B = 1e22


@pytest.mark.parametrize(
    ("tp", "documents"),
    [
        (dict[Open, int], ['{"RED":1}', '{"red":1}']),
        (dict[Floats, int], ['{"1.50":1}', '{"1e22":1}']),
        (Annotated[dict[float, int], MaxLen(1)], ['{"1":1,"1.0":2}']),
        (Annotated[int, Lt(Decimal(2**60 + 3))], [str(2**60 + 1), str(2**60 + 2)]),
        (Annotated[int, Ge(float("-inf"))], ["-1" + "0" * 310]),
        (Annotated[Decimal, Le(Decimal("1e400"))], ["1e309", "1e400"]),
        (Annotated[Decimal, Lt(Decimal("1e999999999"))], ["1e309"]),
        (Annotated[Decimal, Lt(Decimal("0.3"))], ["0.29999999999999999999999999"]),
        (Annotated[Decimal, Gt(Decimal("0.1"))], ["0.10000000000000000000000001"]),
        (Annotated[float, Lt(2**53 + 1)], ["9007199254740993", "9007199254740992"]),
        (Annotated[float, Gt(2**53 + 1)], ["9007199254740994"]),
    ],
)
def test_what_is_accepted_fits(tp: Any, documents: list[str]) -> None:
    """Each document is decoded, and is right by the schema."""
    found = snooze.schema(tp)
    for document in documents:
        snooze.decode(document, tp)
        value = json.loads(document, parse_float=Decimal)
        jsonschema.validate(value, found)


@pytest.mark.parametrize(
    ("tp", "keywords"),
    [
        (Annotated[int, Ge(0), Lt(10)], {"minimum": 0, "exclusiveMaximum": 10}),
        (Annotated[float, Gt(0.5), Le(2)], {"exclusiveMinimum": 0.5, "maximum": 2}),
        (Annotated[int, Lt(Decimal(10))], {"exclusiveMaximum": 10}),
        (Annotated[Decimal, Lt(Decimal("0.25"))], {"exclusiveMaximum": 0.25}),
        (Annotated[Decimal, Ge(Decimal("0.1"))], {"minimum": 0.09999999999999999}),
        (Annotated[float, Le(float("inf"))], {}),
        (Annotated[Decimal, MultipleOf(Decimal("1e400"))], {}),
        (Annotated[Decimal, MultipleOf(Decimal("1e-400"))], {}),
    ],
)
def test_keywords(tp: Any, keywords: dict[str, Any]) -> None:
    """Bounds that JSON has exactly stay as they are; others are wider."""
    found = snooze.schema(tp)
    names = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
    assert {name: found[name] for name in names if name in found} == keywords
    assert "multipleOf" not in found


def test_the_number_of_known_keys() -> None:
    """A string of a Literal has one text."""
    tp = Annotated[dict[Literal["a", "b", "c"], int], MaxLen(2)]
    assert snooze.schema(tp)["maxProperties"] == 2
    assert "maxProperties" not in snooze.schema(Annotated[dict[int, int], MaxLen(2)])
