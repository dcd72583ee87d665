"""The cases in which other readers lose data or guess: here each record is kept whole.

2,000 records each, with the change at record 1,500, beyond what a reader with a sample
of the first records sees.
"""

from __future__ import annotations

import gzip
import io
import json
import pickle

import pytest

import snooze
from helpers.arrow_rows import Json, StreamError, rows

USUAL, CHANGED = 1499, 501


def lines(usual: str, changed: str) -> bytes:
    """The records of one case: as usual, then changed."""
    text = [f'{{"a":{usual}}}'] * USUAL + [changed] * CHANGED
    return "\n".join(text).encode()


def member(value: str) -> str:
    return f'{{"a":{value}}}'


#: name, usual value, changed record, type of the column, first value, last value
CASES = [
    ("int, later 1500.5", "1", member("1500.5"), "float64", 1.0, 1500.5),
    ("int, later a string", "1", member('"x"'), "arrow.json", Json(1), Json("x")),
    ("null, later a string", "null", member('"x"'), "utf8", None, "x"),
    (
        "null, later an object",
        "null",
        member('{"b":1}'),
        "struct<b: int64>",
        None,
        {"b": 1},
    ),
    (
        "scalar and object",
        "1",
        member('{"b":1}'),
        "arrow.json",
        Json(1),
        Json({"b": 1}),
    ),
    (
        "list of mixed scalars",
        "[1]",
        member('["x",true]'),
        "list<arrow.json>",
        [Json(1)],
        [Json("x"), Json(True)],
    ),
    (
        "null beside objects in a list",
        '[{"b":1}]',
        member('[null,{"b":2}]'),
        "list<struct<b: int64>>",
        [{"b": 1}],
        [None, {"b": 2}],
    ),
    ("2^64 - 1", "1", member(str(2**64 - 1)), "uint64", 1, 2**64 - 1),
    (
        "2^64 - 1 and -1",
        "-1",
        member(str(2**64 - 1)),
        "decimal128(38, 0)",
        -1,
        2**64 - 1,
    ),
    ("2^70", "1", member(str(2**70)), "decimal128(38, 0)", 1, 2**70),
    (
        "2^53 + 1 beside a float",
        "0.5",
        member(str(2**53 + 1)),
        "arrow.json",
        Json(0.5),
        Json(2**53 + 1),
    ),
    ("40 digits", "1", member("9" * 40), "arrow.json", Json(1), Json(int("9" * 40))),
    ("empty objects", "{}", member("{}"), "struct<>", {}, {}),
    (
        "ISO timestamps",
        '"2026-11-23T00:00:00Z"',
        member('"no time"'),
        "utf8",
        "2026-11-23T00:00:00Z",
        "no time",
    ),
    ("duplicate member", "1", '{"a":1,"a":2}', "int64", 1, 2),
    ("negative zero", "1.5", member("-0"), "float64", 1.5, -0.0),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_widen_keeps_every_value(case) -> None:
    _, usual, changed, kind, first, last = case
    scan = snooze.scan(lines(usual, changed))
    assert scan.columns == {"a": kind}
    found = rows(scan)
    assert len(found) == USUAL + CHANGED
    assert found[0] == {"a": first}
    assert found[-1] == {"a": last}
    assert repr(found[-1]["a"]) == repr(last) or kind.startswith("decimal")


def test_a_new_member_late_is_a_column() -> None:
    scan = snooze.scan(lines("1", '{"a":1,"new":"x"}'))
    assert scan.columns == {"a": "int64", "new": "utf8"}
    found = rows(scan)
    assert found[0] == {"a": 1, "new": None}
    assert found[-1] == {"a": 1, "new": "x"}


@pytest.mark.parametrize(
    ("changed", "expected", "found"),
    [
        (
            member('"\\ud800"'),
            "a JSON object on one line",
            "no low surrogate in string",
        ),
        (
            member("NaN"),
            "a JSON object on one line",
            "unexpected character, expected a JSON value",
        ),
        (member("1,"), "a JSON object on one line", "trailing comma is not allowed"),
        ('{"a":1', "a JSON object on one line", "unexpected end of data"),
        ("[1]", "object", "array"),
    ],
)
def test_a_broken_record_is_named_by_its_line(changed, expected, found) -> None:
    scan = snooze.scan(lines('"x"', changed), errors="raise")
    with pytest.raises(snooze.ScanError) as caught:
        list(scan)
    problem = caught.value.problem
    assert problem is not None
    assert (problem.line, problem.expected, problem.found) == (1500, expected, found)
    with pytest.raises(StreamError, match="<bytes>, line 1500, byte "):
        rows(scan)
    skipping = snooze.scan(lines('"x"', changed), errors="skip")
    assert len(rows(skipping)) == USUAL
    assert skipping.problem_count == CHANGED
    assert skipping.problems[0] == problem


def test_a_value_of_twenty_megabytes() -> None:
    long = "x" * (20 << 20)
    text = member(f'"{long}"').encode() + b"\n{}"
    assert rows(snooze.scan(text)) == [{"a": long}, {"a": None}]


def test_empty_lines_line_ends_and_odd_names() -> None:
    text = b'\xef\xbb\xbf{"a.b":1}\r\n\r\n \t\n{"a.b":2,"":3}\n\n'
    assert rows(snooze.scan(text)) == [{"a.b": 1, "": None}, {"a.b": 2, "": 3}]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_error_refuses_what_the_first_records_did_not_have(case, tmp_path) -> None:
    """Beyond the sample, each change is kept exactly or is an error."""
    _, usual, changed, *_ = case
    pad = " " * 3000
    path = tmp_path / "late.ndjson"
    path.write_bytes(lines(usual + pad, changed))
    try:
        found = rows(snooze.scan(path, drift="error"))
    except StreamError as error:
        assert "line 1500" in str(error)
    else:
        assert len(found) == USUAL + CHANGED
        value = json.loads(changed)["a"]
        assert found[-1]["a"] == value


REST = [
    ('{"a":"x"}', {"a": None, "b": None, "_rest": {"/a": "x"}}),
    ('{"a":2,"n~/\\"w":[1]}', {"a": 2, "b": None, "_rest": {'/n~0~1"w': [1]}}),
    (
        '{"b":[{"c":1,"d":{}},7],"a":1500.5}',
        {
            "a": None,
            "b": [{"c": 1}, None],
            "_rest": {"/b/0/d": {}, "/b/1": 7, "/a": 1500.5},
        },
    ),
    (
        '{"a":18446744073709551616}',
        {"a": None, "b": None, "_rest": {"/a": 2**64}},
    ),
]


@pytest.mark.parametrize(("changed", "expected"), REST)
def test_rest_takes_what_the_first_records_did_not_have(
    changed, expected, tmp_path
) -> None:
    path = tmp_path / "late.ndjson"
    usual = '{"a":1,"b":[{"c":2}]}' + " " * 3000
    path.write_text("\n".join([usual] * USUAL + [changed]))
    scan = snooze.scan(path, drift="rest")
    assert list(scan.columns) == ["a", "b", "_rest"]
    found = rows(scan)
    assert len(found) == USUAL + 1
    assert found[0] == {"a": 1, "b": [{"c": 2}], "_rest": None}
    assert found[-1] == expected | {"_rest": Json(expected["_rest"])}
    assert scan.problem_count == 0


#: What the columns of the cases are where types that drift become text.
TEXT = {
    "int, later 1500.5",
    "int, later a string",
    "scalar and object",
    "list of mixed scalars",
    "2^53 + 1 beside a float",
    "40 digits",
    "negative zero",
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_json_keeps_every_value_as_it_is_written(case) -> None:
    name, usual, changed, kind, first, last = case
    scan = snooze.scan(lines(usual, changed), drift="json")
    if name not in TEXT:
        assert scan.columns == {"a": kind}
        found = rows(scan)
        assert (found[0], found[-1]) == ({"a": first}, {"a": last})
        return
    assert scan.columns == {"a": "arrow.json"}
    found = rows(scan)
    assert len(found) == USUAL + CHANGED
    assert found[0] == {"a": Json(json.loads(usual))}
    assert found[-1] == {"a": Json(json.loads(changed)["a"])}


@pytest.mark.parametrize(
    ("usual", "changed", "kind"),
    [
        ('{"b":1}', member('{"b":1,"c":2}'), "arrow.json"),
        ('{"b":1}', member("{}"), "arrow.json"),
        ('[{"b":1}]', member('[{"b":1},{"b":2.0}]'), "arrow.json"),
        ('{"b":1,"c":2}', member('{"c":null,"b":3}'), "struct<b: int64, c: int64>"),
        ('{"b":1}', member('{"b":"x","b":2}'), "arrow.json"),
        ("[[1]]", member("[[], null]"), "list<list<int64>>"),
        ("1", '{"b":2}', "int64"),
    ],
)
def test_json_looks_inside(usual, changed, kind) -> None:
    scan = snooze.scan(lines(usual, changed), drift="json")
    assert scan.columns["a"] == kind
    found = rows(scan)
    expected = json.loads(usual), json.loads(changed).get("a")
    if kind == "arrow.json":
        expected = Json(expected[0]), Json(expected[1])
    assert (found[0]["a"], found[-1]["a"]) == expected


def test_json_of_compressed_files_parts_and_options(tmp_path) -> None:
    text = lines("1", member("1.50"))
    (tmp_path / "a.ndjson").write_bytes(text)
    (tmp_path / "b.ndjson.gz").write_bytes(gzip.compress(text))
    for path in tmp_path.iterdir():
        scan = snooze.scan(path, drift="json")
        assert [row for part in scan.splits(999) for row in rows(part)] == rows(scan)
        assert scan.columns == scan.head(1).columns == {"a": "arrow.json"}
        again = pickle.loads(pickle.dumps(scan))
        assert rows(again) == rows(scan)
        file = io.BytesIO()
        assert snooze.write_lines(scan, file) == USUAL + CHANGED
        assert file.getvalue().splitlines() == text.splitlines()


def test_json_of_some_columns_and_with_wrong_records() -> None:
    text = b'{"a":1,"b":1}\n{"a":2,"b":{}}\n{"a":"x","b":\n{"c":[]}\n'
    scan = snooze.scan(text, drift="json", errors="skip", where="a >= 1")
    assert scan.columns == {"a": "int64", "b": "arrow.json", "c": "list<null>"}
    assert [row["b"] for row in rows(scan)] == [Json(1), Json({})]
    assert scan.problem_count == 1
    scan = snooze.scan(text, drift="json", errors="skip", columns=["b"])
    assert scan.columns == {"b": "arrow.json"}


@pytest.mark.parametrize("drift", ["json", "widen"])
@pytest.mark.parametrize("end", [b"x", b"]", b' {"c":1}', b",", b"\0"])
def test_a_record_with_more_after_it_adds_no_column(drift, end) -> None:
    text = b'{"b":2}\n{"a":1,"b":"x"}' + end + b"\n"
    scan = snooze.scan(text, drift=drift, errors="skip")
    assert scan.columns == {"b": "int64"}
    assert rows(scan) == [{"b": 2}]
    assert scan.problem_count == 1
    whole = snooze.scan(b'{"b":2} \t\r\n{"a":1} \r\n\r\n{"b":3}\t', drift=drift)
    assert whole.columns == {"b": "int64", "a": "int64"}


def test_json_needs_the_records() -> None:
    with pytest.raises(ValueError, match='drift="json" is for inferred schemas'):
        snooze.scan(b"{}", snooze.scan(b'{"a":1}'), drift="json")
