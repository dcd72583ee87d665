"""What classes say of their members: a scan does the same, or refuses the class."""

from __future__ import annotations

import dataclasses
from typing import TypedDict

import pytest

import snooze
from helpers.arrow_rows import Json, rows


@snooze.configure(unknown="forbid")
@dataclasses.dataclass
class Closed:
    """Has no other members."""

    x: int


@dataclasses.dataclass
class Open:
    """May have others, which the class inside may not."""

    inner: Closed


@snooze.configure(tag="box", content="data")
@dataclasses.dataclass
class Box:
    """Its fields are one level deeper."""

    x: int | None = None


class Many(TypedDict):
    """Closed classes inside a list."""

    many: list[Closed | None]


class Row(TypedDict):
    """Boxes inside."""

    one: Box
    many: list[Box]


@snooze.configure(tag="a", unknown="forbid")
@dataclasses.dataclass
class A:
    """One of two."""

    x: int


@snooze.configure(tag="b", unknown="forbid")
@dataclasses.dataclass
class B:
    """The other one."""

    y: str


class Either(TypedDict):
    """One of several classes."""

    one: A | B


def test_a_closed_class_in_an_open_one_is_refused() -> None:
    """Its unknown members are wrong, and a scan would have left them out."""
    text = b'{"inner":{"x":1,"y":2},"z":3}'
    expected = "Closed forbids unknown members, and Open, which contains it, does not"
    for schema in (Open, Many):
        with pytest.raises(TypeError, match="Closed forbids unknown members"):
            snooze.scan(text, schema)
    with pytest.raises(TypeError, match=expected):
        snooze.scan(text, Open)
    assert rows(snooze.scan(text, Open, drift="ignore")) == [{"inner": {"x": 1}}]
    found = rows(snooze.scan(text, Open, drift="rest"))
    assert found == [{"inner": {"x": 1}, "_rest": Json({"/inner/y": 2, "/z": 3})}]
    with pytest.raises(snooze.ScanError, match="at /inner/y"):
        list(snooze.scan(text, Open, drift="error"))


def test_the_tag_of_a_closed_class() -> None:
    """It is no column, so each record would be wrong."""
    text = b'{"type":"a","x":1}'
    with pytest.raises(TypeError, match="the tag 'type' of A is no column; pass drift"):
        snooze.scan(text, A)
    assert rows(snooze.scan(text, A, drift="ignore")) == [{"x": 1}]
    found = rows(snooze.scan(text, A, drift="rest"))
    assert found == [{"x": 1, "_rest": Json({"/type": "a"})}]


def test_closed_classes_that_are_json_text() -> None:
    """They have no columns, so nothing of them is unknown."""
    value = {"type": "b", "y": "z"}
    text = snooze.dumps({"one": value})
    assert rows(snooze.scan(text, Either)) == [{"one": Json(value)}]


def test_members_inside_of_another_one() -> None:
    """The columns would all be null."""
    value = {"type": "box", "data": {"x": 1}}
    with pytest.raises(TypeError, match="Box are inside of the member 'data'"):
        snooze.scan(snooze.dumps(value), Box)
    scan = snooze.scan(snooze.dumps({"one": value, "many": [value]}), Row)
    assert scan.columns == {"one": "arrow.json", "many": "list<arrow.json>"}
    assert rows(scan) == [{"one": Json(value), "many": [Json(value)]}]
