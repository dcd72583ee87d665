"""Lists in which objects of one type follow each other, which are written in one go.

Separate because such a run mixes what the other files test one by one: it ends at another
type, at an instance that needs Python code, and inside a dataclass. Run on every tier.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import enum
import json
import random
import uuid
from typing import Any

import pytest

import snooze


@dataclasses.dataclass
class InDict:
    """Its values are in an instance dict."""

    x: int
    y: Any = None


@dataclasses.dataclass(slots=True)
class InSlots:
    """Its values are in slots."""

    x: int
    y: Any = None


class Choice(enum.Enum):
    """Members with a value that is a scalar and one that is none."""

    SCALAR = 1
    LIST = [1, {"a": 2}]


class Text(str):
    """A subclass that is written as a str."""

    __slots__ = ()


class Number(int):
    """A subclass that is written as an int."""


def _without_a_field() -> InDict:
    made = InDict(1)
    del made.y
    made.z = 3  # type: ignore[attr-defined]
    return made


RUNS: dict[str, list[Any]] = {
    "instances with a dict": [InDict(1), InDict(2, "a"), InDict(3)],
    "instances with slots": [InSlots(1), InSlots(2, "a"), InSlots(3)],
    "instances in instances": [
        InDict(1, InDict(2, [InSlots(3)])),
        InDict(4, InSlots(5)),
    ],
    "instances with empty containers": [InSlots(1, []), InSlots(2, {}), InSlots(3, ())],
    "an instance that needs Python code": [InDict(1), object(), InDict(2)],
    "enums": [Choice.SCALAR, Choice.SCALAR, Choice.LIST, Choice.SCALAR],
    "str subclasses": [Text("a"), Text('"\u20ac'), Text("x" * 70)],
    "int subclasses": [Number(1), Number(-(2**63)), Number(2**64 - 1)],
    "UUIDs": [uuid.UUID(int=5), uuid.UUID(int=2**127), uuid.UUID(int=0)],
    "fragments": [
        snooze.Fragment(b"1"),
        snooze.Fragment("[2]"),
        snooze.Fragment(b"{}"),
    ],
    "dates": [dt.datetime(2020, 1, 1), dt.datetime(2021, 1, 1, tzinfo=dt.UTC)],
}
OPTIONS = [
    0,
    snooze.OPT_INDENT_2,
    snooze.OPT_SORT_KEYS,
    snooze.OPT_INDENT_2 | snooze.OPT_SORT_KEYS | snooze.OPT_NON_STR_KEYS,
]


def _default(_value: object) -> str:
    return "by default"


def _dumps(value: object, option: int) -> Any:
    return json.loads(snooze.dumps(value, default=_default, option=option))


@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize("first", RUNS)
@pytest.mark.parametrize("second", RUNS)
def test_a_run_is_written_like_its_items(first: str, second: str, option: int) -> None:
    """Two runs, then one item of the first: as if each were written alone."""
    items = [*RUNS[first], *RUNS[second], RUNS[first][0]]
    expected = [_dumps(item, option) for item in items]
    assert _dumps(items, option) == expected
    assert _dumps(tuple(items), option) == expected
    assert _dumps({"a": items, "b": items[0]}, option) == {
        "a": expected,
        "b": expected[0],
    }


def test_indented_run() -> None:
    """Each item of a run has a line like any other item."""
    text = snooze.dumps([Text("a"), Text("b"), 1], option=snooze.OPT_INDENT_2)
    assert text == b'[\n  "a",\n  "b",\n  1\n]'
    text = snooze.dumps([InSlots(1), InSlots(2)], option=snooze.OPT_INDENT_2)
    assert json.dumps(json.loads(text), indent=2).encode() == text


def test_a_run_with_an_instance_that_lacks_a_field() -> None:
    """The field is looked up, which raises, or is left out, as alone."""
    lacking = _without_a_field()
    alone = snooze.dumps(lacking)
    assert json.loads(alone) == {"x": 1, "y": None, "z": 3}
    expected = [json.loads(alone), {"x": 1, "y": None}, json.loads(alone)]
    assert json.loads(snooze.dumps([lacking, InDict(1), lacking])) == expected


def test_a_run_without_subclasses() -> None:
    """OPT_PASSTHROUGH_SUBCLASS hands each item to `default`."""
    option = snooze.OPT_PASSTHROUGH_SUBCLASS
    items = [Text("a"), Text("b"), Number(1), Number(2)]
    assert _dumps(items, option) == ["by default"] * 4


@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize("empty", [[], {}, ()])
def test_empty_containers_among_members(empty: Any, option: int) -> None:
    """They are written in place, at every depth that is allowed."""
    table = {"a": empty, "b": 1, "c": empty, "d": [empty, empty], "e": empty}
    assert _dumps(table, option) == json.loads(json.dumps(table))
    value: Any = {"a": empty}
    for _ in range(252):
        value = {"a": value}
    assert snooze.dumps(value, option=option)
    with pytest.raises(snooze.JSONEncodeError, match="[Rr]ecursion limit"):
        snooze.dumps({"a": value}, option=option)


WORDS = [
    "",
    "a",
    "é",
    "名",
    "\U0001f600",
    "\u00ff" * 40,
    "名" * 90,
    'é"\\\n',
    "x" * 200,
]


@pytest.mark.parametrize("container", [list, tuple])
@pytest.mark.parametrize("option", [0, snooze.OPT_INDENT_2, snooze.OPT_SORT_KEYS])
def test_texts_of_any_width_in_any_order(container: Any, option: int) -> None:
    """A text that is not ASCII ends the usual loop; another type ends the run."""
    dice = random.Random(5)
    others = [1, -2.5, None, True, [], ["é", "b"], {"ü": "é"}, Text("é"), Text("b"), ()]
    for _ in range(300):
        # New objects each time: UTF-8 is kept in some of them by the calls before.
        words = ["".join(list(dice.choice(WORDS))) for _ in range(dice.randrange(12))]
        values = [dice.choice(others) if dice.random() < 0.2 else one for one in words]
        value = {"k": container(values), "l": [container(values), "é"]}
        indent = 2 if option == snooze.OPT_INDENT_2 else None
        separators = None if indent else (",", ":")
        expected = json.dumps(
            value, ensure_ascii=False, indent=indent, separators=separators
        )
        for _ in range(3):
            found = snooze.dumps(value, option=option).decode()
            assert found == expected
            assert snooze.json.dumps(value, ensure_ascii=False, indent=indent) == (
                json.dumps(value, ensure_ascii=False, indent=indent)
            )
            assert snooze.json.dumps(value) == json.dumps(value)


@pytest.mark.parametrize("at", range(4))
def test_a_surrogate_in_a_run_is_found(at: int) -> None:
    words = ["é", "b", "名", "c"]
    words[at] += "\ud800"
    with pytest.raises(snooze.JSONEncodeError, match="surrogates") as caught:
        snooze.dumps({"k": words})
    assert caught.value.__notes__ == [f"at $.k[{at}]"]
