"""dumps with OPT_SORT_KEYS: order, nesting, and types that stay unsorted."""

from __future__ import annotations

import collections
import dataclasses
import datetime
import json
import random

from hypothesis import given
from hypothesis import strategies as st

import snooze

SORT = snooze.OPT_SORT_KEYS


def test_order_is_by_code_point() -> None:
    """Upper case before lower, ASCII before the rest, U+FFFF before emoji."""
    keys = ["😀", "\uffff", "é", "ab", "a", "", "Z", "a\x00", "aa"]
    expected = json.dumps(
        dict.fromkeys(keys, 1),
        sort_keys=True,
        separators=(",", ":"),
        ensure_ascii=False,
    ).encode()
    assert snooze.dumps(dict.fromkeys(keys, 1), option=SORT) == expected


def test_nested_dicts_are_sorted() -> None:
    """Dicts inside lists and dicts are sorted too."""
    value = {"b": {"d": 1, "c": [{"z": 1, "y": 2}]}, "a": ({"q": 1, "p": 2},)}
    expected = b'{"a":[{"p":2,"q":1}],"b":{"c":[{"y":2,"z":1}],"d":1}}'
    assert snooze.dumps(value, option=SORT) == expected


def test_subclasses_are_sorted() -> None:
    """OrderedDict and other subclasses are sorted too."""
    value = collections.OrderedDict([("b", 1), ("a", 2)])
    assert snooze.dumps(value, option=SORT) == b'{"a":2,"b":1}'


def test_dataclass_is_not_sorted() -> None:
    """Fields keep the class's order; dicts inside are sorted."""

    @dataclasses.dataclass
    class Pair:
        b: dict
        a: int

    value = Pair({"y": 1, "x": 2}, 1)
    assert snooze.dumps(value, option=SORT) == b'{"b":{"x":2,"y":1},"a":1}'


def test_with_non_str_keys() -> None:
    """The written strings are sorted, not the key objects."""
    value = {10: 1, 9: 2, "1": 3, None: 4, True: 5, datetime.date(1970, 1, 3): 6}
    expected = b'{"1":3,"10":1,"1970-01-03":6,"9":2,"null":4,"true":5}'
    assert snooze.dumps(value, option=SORT | snooze.OPT_NON_STR_KEYS) == expected


def test_with_indent() -> None:
    """Sorting and indenting combine as in the stdlib."""
    value = {"b": [1, {"d": 1, "c": 2}], "a": {}}
    expected = json.dumps(value, sort_keys=True, indent=2).encode()
    assert snooze.dumps(value, option=SORT | snooze.OPT_INDENT_2) == expected


def test_empty_and_single() -> None:
    """Dicts with nothing to sort."""
    assert snooze.dumps([{}, {"a": {}}], option=SORT) == b'[{},{"a":{}}]'


def test_large_dicts() -> None:
    """Many keys with long common prefixes, of every text width."""
    shuffle = random.Random(1).shuffle
    for prefix in ("k", "é" * 20, "好" * 40, "😀", "long" * 30):
        keys = [f"{prefix}{n}" for n in range(3000)]
        shuffle(keys)
        value = {key: n for n, key in enumerate(keys)}
        expected = dict(sorted(value.items()))
        assert snooze.dumps(value, option=SORT) == snooze.dumps(expected)


def test_input_is_not_changed() -> None:
    """Sorting never changes the caller's dict."""
    value = {"b": 1, "a": 2}
    snooze.dumps(value, option=SORT)
    assert list(value) == ["b", "a"]


@given(st.dictionaries(st.text(st.characters(codec="utf-8")), st.integers(0, 9)))
def test_same_order_as_stdlib(value: dict[str, int]) -> None:
    """The order of any dict is that of the stdlib."""
    expected = json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False
    ).encode()
    assert snooze.dumps(value, option=SORT) == expected
