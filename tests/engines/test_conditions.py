"""Predicates of engines as conditions, without the engines.

Separate because all adapters share the rules: what is pushed down, and what is left.
"""

from __future__ import annotations

from typing import Any

import pytest

import snooze
from snooze.adapters._conditions import narrowed, where_of

COLUMNS = {
    "i": "int64",
    "u": "uint64",
    "f": "float64",
    "s": "float32",
    "t": "utf8",
    "b": "bool",
    "n": "null",
    "j": "arrow.json",
    "o": "struct<i: int64>",
}
ONE: Any = ("compare", ("i",), "==", 1)
OTHER: Any = ("compare", ("nope",), "==", 1)


def compare(name: str, operator: str, constant: Any) -> Any:
    return "compare", (name,), operator, constant


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        (ONE, "(col('i') == 1)"),
        (compare("f", ">=", -1.5), "(col('f') >= -1.5)"),
        (compare("f", "<", 3), "(col('f') < 3)"),
        (compare("t", "!=", "it's"), "(col('t') != \"it's\")"),
        (compare("b", "==", False), "(col('b') == False)"),
        (("column", ("b",)), "(col('b'))"),
        (("not", ("null", ("j",))), "(not (col('j') is None))"),
        (("starts", ("t",), "x"), "(col('t').startswith('x'))"),
        (("in", ("i",), (1, 2)), "(col('i') in [1, 2])"),
        (("and", ONE, OTHER), "(col('i') == 1)"),
        (("and", OTHER, ("and", ONE, None)), "(col('i') == 1)"),
        (("or", ONE, ("null", ("t",))), "((col('i') == 1) or (col('t') is None))"),
        (("not", ("and", ONE, ONE)), "(not ((col('i') == 1) and (col('i') == 1)))"),
        # Left to the engine.
        (None, None),
        (OTHER, None),
        (("or", ONE, OTHER), None),
        (("not", ("and", ONE, OTHER)), None),
        (("not", ("in", ("i",), (1, 2))), None),
        (("in", ("i",), ()), None),
        (("in", ("i",), (1, "x")), None),
        (("in", ("i",), tuple(range(65))), None),
        (compare("i", "==", 1.0), None),
        (compare("i", "==", True), None),
        (compare("i", "==", None), None),
        (compare("i", "like", 1), None),
        (compare("i", "==", 1 << 63), None),
        (compare("f", "==", 1 << 53), None),
        (compare("u", "==", 1 << 53), None),
        (compare("f", "==", float("nan")), None),
        (compare("s", "==", 0.1), None),
        (compare("t", "==", "\ud800"), None),
        (compare("b", "<", True), None),
        (compare("j", "==", 1), None),
        (("column", ("i",)), None),
        (("starts", ("j",), "x"), None),
        (("null", ("o", "i")), None),
    ],
)
def test_text(node: Any, expected: str | None) -> None:
    assert where_of(COLUMNS, node) == expected


def test_every_text_is_a_condition() -> None:
    schema = snooze.scan(
        b'{"i": 1, "u": 9223372036854775808, "f": 1.5, "t": "", "b": true}'
    )
    constants = {"i": -7, "u": 3, "f": -1e300, "t": "a\n'\"\\\0", "b": True}
    for name, constant in constants.items():
        scan = narrowed(schema, compare(name, "==", constant))
        assert sum(map(len, scan)) == (name == "b")


def test_deep_and_wide() -> None:
    scan = snooze.scan(b'{"i": 1}')
    wide: Any = ONE
    for _ in range(500):
        wide = ("and", wide, ONE)
    assert sum(map(len, narrowed(scan, wide))) == 1
    deep: Any = ONE
    for _ in range(500):
        deep = ("not", deep)
    assert narrowed(scan, deep) is scan


def test_a_limit_counts_before_the_predicate() -> None:
    scan = snooze.scan(b'{"i": 0}\n{"i": 1}', limit=1)
    assert narrowed(scan, ONE) is scan
