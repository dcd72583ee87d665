"""Descriptions of encoders with one element too many.

Separate from test_descriptions because every tuple of real descriptions is changed here.
Python and Rust are built together, so Rust must refuse a description that it does not
read completely: the two would otherwise drift apart unnoticed.
"""

from __future__ import annotations

import datetime
import decimal
import uuid
from dataclasses import dataclass, field
from typing import Annotated, Any, NamedTuple, TypedDict

import pytest

from helpers.description_edits import at, tuples, with_one_more
from helpers.typed_plans import encode_plan
from snooze import Field, Via, configure
from snooze._snooze import EncoderBase


@configure(omit_none=True, omit_defaults=True, tag=True)
@dataclass
class Full:
    """A field of many kinds, some of which are omitted."""

    a: int
    b: str | None = None
    c: list[int] = field(default_factory=list)
    d: tuple[int, str] = (1, "x")
    e: dict[str, float] = field(default_factory=dict)
    rest: Annotated[dict[str, Any], Field(rest=True)] = field(default_factory=dict)


class Pair(NamedTuple):
    """A named tuple."""

    a: int
    b: bytes


class Table(TypedDict, total=False):
    """A dict with a key that may be missing."""

    a: datetime.datetime


NAMES = ["any", "scalars", "dataclass", "tuple", "dict", "set", "keys", "via"]
TYPES = [
    Any,
    int | float | str | bool | None,
    Full,
    Pair,
    Table,
    set[uuid.UUID] | None,
    dict[datetime.date, decimal.Decimal],
    Annotated[Any, Via(int, encode=len)],
]


def description_of(tp: Any) -> Any:
    """Return the description of an encoder, with all its options."""
    plan = encode_plan(tp)
    return (*plan[:-1], (None, None, "null", "str", False, None, None))


def is_refused(description: Any) -> bool:
    """Return whether `_compile` raises a SystemError."""
    try:
        EncoderBase()._compile(description)
    except SystemError:
        return True
    return False


@pytest.mark.parametrize("tp", TYPES, ids=NAMES)
def test_one_element_too_many_is_refused(tp: Any) -> None:
    """In every tuple of the description, at every depth."""
    description = description_of(tp)
    assert not is_refused(description)
    accepted = [
        at(description, path)
        for path in tuples(description)
        if not is_refused(with_one_more(description, path))
    ]
    assert accepted == []
