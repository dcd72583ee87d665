"""What docs/scale.md says of the limits of a scan: types, members, `errors="null"`."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

import snooze
from helpers.arrow_made import Node, Producer, table
from helpers.arrow_rows import rows

INT = Node("l", 0)
#: The columns that a schema may have, and their text.
READ = {
    "n": "null",
    "b": "bool",
    "f": "float32",
    "g": "float64",
    "c": "int8",
    "s": "int16",
    "i": "int32",
    "l": "int64",
    "C": "uint8",
    "S": "uint16",
    "I": "uint32",
    "L": "uint64",
    "u": "utf8",
    "U": "large_utf8",
    "z": "binary",
    "tdD": "date32",
    "tss:": "timestamp[s]",
    "tsn:Europe/Paris": "timestamp[ns, Europe/Paris]",
    "d:38,0": "decimal128(38, 0)",
    "d:38,38": "decimal128(38, 38)",
    "d:1,1,128": "decimal128(1, 1)",
}
REFUSED = [
    *("e", "tdm", "tts", "ttm", "ttu", "ttn", "tDs", "tDn", "tiM", "tiD", "tin"),
    *("d:5,2,32", "d:10,2,64", "d:50,2,256", "d:5,-2", "d:5,7", "Z", "w:16"),
    *("vu", "vz"),
]
LISTS = ["+L", "+w:3", "+vl", "+vL"]


def schema_of(node: Node) -> Any:
    """Return an object with a schema of one column."""
    made = Producer(table(node), as_array=True)

    class Given:
        def __arrow_c_schema__(self) -> Any:
            return made.__arrow_c_array__()[0]

    return Given()


def pairs(key: str) -> Node:
    """Return a map."""
    children = [Node(key, 0, name="key"), Node("l", 0, name="value")]
    return Node("+m", 0, [], [Node("+s", 0, [], children, name="entries")], name="a")


@pytest.mark.parametrize("form", READ)
def test_types_that_are_read(form: str) -> None:
    scan = snooze.scan(b"{}", schema_of(Node(form, 0, name="a")))
    assert scan.columns == {"a": READ[form]}
    assert sum(len(batch) for batch in scan) == 1


def test_nested_and_extension_types_that_are_read() -> None:
    for node, shown in (
        (Node("+l", 0, [], [INT], name="a"), "list<int64>"),
        (Node("+s", 0, [], [INT], name="a"), "struct<x: int64>"),
        (pairs("u"), "map<utf8, int64>"),
        (Node("w:16", 0, name="a", extension="arrow.uuid"), "arrow.uuid"),
        (Node("U", 0, name="a", extension="arrow.json"), "arrow.json"),
        (Node("c", 0, name="a", extension="arrow.bool8"), "int8"),
    ):
        assert snooze.scan(b"{}", schema_of(node)).columns == {"a": shown}


@pytest.mark.parametrize(
    "node",
    [
        *(Node(form, 0, name="a") for form in REFUSED),
        *(Node(form, 0, [], [INT], name="a") for form in LISTS),
        *(Node(form, 0, [], [INT], name="a") for form in ("+ud:0", "+us:0")),
        Node("+r", 0, [], [Node("i", 0), INT], name="a"),
        Node("i", 0, name="a", dictionary=Node("u", 0)),
        pairs("U"),
        pairs("l"),
    ],
    ids=lambda node: node.form.decode(),
)
def test_other_types_are_refused(node: Node) -> None:
    with pytest.raises(TypeError, match="^schema: the column /a.* has the Arrow type"):
        snooze.scan(b"{}", schema_of(node))


def test_more_members_than_an_inferred_object_has() -> None:
    """An object inside is JSON text, and the records themselves cannot be."""
    lines = b"\n".join(b'{"m%d":1}' % number for number in range(10_001))
    for drift in (None, "json", "error"):
        with pytest.raises(snooze.ScanError, match=r"10001.* found member \"m10000\""):
            list(snooze.scan(lines, drift=drift))
    scan = snooze.scan(lines, drift="rest")
    assert sum(len(batch) for batch in scan) == 10_001
    assert len(scan.columns) == 10_001  # with that of the rest
    last = rows(snooze.scan(lines, columns=["m0", "m10000"]))[-1]
    assert last == {"m0": None, "m10000": 1}
    inside = b"\n".join(b'{"a":%s}' % line for line in lines.splitlines())
    assert snooze.scan(inside).columns == {"a": "arrow.json"}


@dataclasses.dataclass
class Inner:
    """A required field."""

    x: int


@dataclasses.dataclass
class Row:
    """Columns with nulls and without."""

    a: int
    b: int | None = None
    c: list[int] | None = None
    d: list[int | None] | None = None
    e: Inner | None = None


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('{"a":1,"b":"x"}', {"b": None}),
        ('{"a":1,"c":"x"}', {"c": None}),
        ('{"a":1,"d":[1,"x"]}', {"d": [1, None]}),
        *((line, None) for line in ('{"a":"x"}', '{"a":null}', "{}", "[]", '{"a":1')),
        *((f'{{"a":1,{line}}}', None) for line in ('"c":[1,"x"]', '"e":{"x":"y"}')),
    ],
)
def test_where_there_can_be_no_null_the_record_is_left_out(
    line: str, expected: Any
) -> None:
    scan = snooze.scan(line.encode(), Row, errors="null")
    nothing = {"b": None, "c": None, "d": None, "e": None}
    found = [] if expected is None else [{"a": 1, **nothing, **expected}]
    assert rows(scan) == found
    assert [problem.text for problem in scan.problems] == [None]
    scan = snooze.scan(line.encode(), Row, errors="collect")
    assert rows(scan) == []
    assert [problem.text for problem in scan.problems] == [line.encode()]
