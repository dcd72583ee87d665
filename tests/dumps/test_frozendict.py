"""dumps of frozendict, a builtin from CPython 3.15 on: written like a dict."""

from __future__ import annotations

import builtins
import json
from typing import Any

import pytest

import snooze
from helpers.support import nested

frozendict: Any = getattr(builtins, "frozendict", None)
pytestmark = pytest.mark.skipif(
    frozendict is None, reason="this Python has no frozendict (it comes with 3.15)"
)


@pytest.mark.parametrize(
    "plain", [{}, {"a": 1}, {"b": [{}], "a": {"é": None}}], ids=repr
)
@pytest.mark.parametrize("option", [0, snooze.OPT_INDENT_2, snooze.OPT_SORT_KEYS])
def test_same_as_dict(plain: Any, option: int) -> None:
    """The text equals that of a dict, at the root and nested."""
    for wrap in (lambda v: v, lambda v: [v], lambda v: {"k": v}):
        expected = snooze.dumps(wrap(plain), option=option)
        assert snooze.dumps(wrap(frozendict(plain)), option=option) == expected


def test_nested_frozendicts() -> None:
    """frozendicts inside frozendicts."""
    value = frozendict(b=frozendict(d=1, c=2), a=(frozendict(),))
    assert snooze.dumps(value) == b'{"b":{"d":1,"c":2},"a":[{}]}'
    assert snooze.dumps(value, option=snooze.OPT_SORT_KEYS) == (
        b'{"a":[{}],"b":{"c":2,"d":1}}'
    )


def test_keys() -> None:
    """Keys follow the rules for dict keys."""
    with pytest.raises(snooze.JSONEncodeError, match="^Dict key must be str$"):
        snooze.dumps(frozendict({1: 2}))
    option = snooze.OPT_NON_STR_KEYS
    assert (
        snooze.dumps(frozendict({1: 2, None: 3}), option=option) == b'{"1":2,"null":3}'
    )


def test_depth() -> None:
    """254 levels are written, 255 are not."""
    value = nested(254, lambda core: frozendict(a=core))
    assert json.loads(snooze.dumps(value))
    with pytest.raises(snooze.JSONEncodeError, match="^Recursion limit reached"):
        snooze.dumps(frozendict(a=value))


def test_subclass_is_refused() -> None:
    """A subclass goes to default."""

    class Sub(frozendict):
        pass

    with pytest.raises(snooze.JSONEncodeError, match="serializable: Sub$"):
        snooze.dumps(Sub(a=1))
    assert snooze.dumps(Sub(a=1), default=dict) == b'{"a":1}'
