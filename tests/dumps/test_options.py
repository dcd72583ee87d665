"""Options of dumps: accepted values, no-ops, combinations, passing through."""

from __future__ import annotations

import dataclasses
import datetime
import enum
import itertools
import json
from typing import Any

import pytest

import snooze

ALL = 4095
NEWLINE = snooze.OPT_APPEND_NEWLINE
PASS = snooze.OPT_PASSTHROUGH_SUBCLASS


@pytest.mark.parametrize("value", [[], {}, 1, "a", None, [1, {"a": 2}]], ids=repr)
def test_append_newline(value: Any) -> None:
    """One newline after the document, compact or indented."""
    assert snooze.dumps(value, option=NEWLINE) == snooze.dumps(value) + b"\n"
    indented = snooze.dumps(value, option=snooze.OPT_INDENT_2)
    assert snooze.dumps(value, option=NEWLINE | snooze.OPT_INDENT_2) == indented + b"\n"


@pytest.mark.parametrize(
    "option", [None, 0, snooze.OPT_SERIALIZE_DATACLASS, snooze.OPT_SERIALIZE_UUID]
)
def test_no_options(option: int | None) -> None:
    """None, 0 and the deprecated options change nothing."""
    assert snooze.dumps({"b": [1], "a": 2}, option=option) == b'{"b":[1],"a":2}'
    assert snooze.dumps({"b": [1], "a": 2}, None, option) == b'{"b":[1],"a":2}'


def test_every_mask_is_accepted() -> None:
    """All 4096 combinations give a document that reads back to the same value."""
    value = {"b": [1, 1.5, "é"], "a": {"d": None, "c": True}}
    compact = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    pretty = json.dumps(value, indent=2, ensure_ascii=False)
    for mask in range(ALL + 1):
        written = snooze.dumps(value, option=mask)
        assert json.loads(written) == value
        assert written.endswith(b"\n") == bool(mask & NEWLINE)
        if not mask & snooze.OPT_SORT_KEYS:
            expected = pretty if mask & snooze.OPT_INDENT_2 else compact
            assert written.rstrip(b"\n") == expected.encode()


def test_options_do_not_leak_into_the_next_call() -> None:
    """A call without options is not affected by the one before."""
    value = {"b": 1, "a": datetime.datetime(2000, 1, 1)}
    plain = snooze.dumps(value)
    for bit in range(12):
        try:
            snooze.dumps(value, default=str, option=1 << bit)
        finally:
            assert snooze.dumps(value) == plain


class StrSub(str):
    """A str subclass."""


class IntSub(int):
    """An int subclass."""


class ListSub(list):
    """A list subclass."""


class DictSub(dict):
    """A dict subclass."""


SUBCLASSES = [StrSub("zxc"), IntSub(7), ListSub([1]), DictSub(a=1)]


@pytest.mark.parametrize("value", SUBCLASSES, ids=lambda value: type(value).__name__)
def test_passthrough_subclass(value: Any) -> None:
    """Subclasses of builtins go to default, which is then required."""
    assert snooze.dumps(value) == json.dumps(value, separators=(",", ":")).encode()
    for wrap in (lambda v: v, lambda v: [v], lambda v: {"k": (v,)}):
        with pytest.raises(snooze.JSONEncodeError) as caught:
            snooze.dumps(wrap(value), option=PASS)
        name = type(value).__name__
        assert str(caught.value) == f"Type is not JSON serializable: {name}"
    assert (
        snooze.dumps([value], default=lambda _: "******", option=PASS) == b'["******"]'
    )


def test_passthrough_subclass_leaves_exact_types() -> None:
    """The builtin types themselves are still written, and so is bool."""
    value = [1, "a", [True], {"b": (None,)}]
    assert snooze.dumps(value, option=PASS) == snooze.dumps(value)


def test_all_passthrough_options_together() -> None:
    """Each option acts on its own types."""

    @dataclasses.dataclass
    class Data:
        x: int

    class Kind(enum.Enum):
        A = "plain"

    option = PASS | snooze.OPT_PASSTHROUGH_DATACLASS | snooze.OPT_PASSTHROUGH_DATETIME
    value = [Data(1), datetime.date(2000, 1, 1), StrSub("s"), Kind.A]
    written = snooze.dumps(value, default=lambda obj: type(obj).__name__, option=option)
    assert written == b'["Data","date","StrSub","plain"]'


def test_options_add_up() -> None:
    """The options are distinct bits, so `|` and `+` are the same."""
    names = [name for name in snooze.__all__ if name.startswith("OPT_")]
    values = [getattr(snooze, name) for name in names if getattr(snooze, name)]
    assert sum(values) == ALL
    for a, b in itertools.combinations(values, 2):
        assert a & b == 0
