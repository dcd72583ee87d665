"""Conditions and limits of scans, against plain Python on what `json.loads` returns.

Separate because a condition is a language: what it means, what it refuses, and that it
changes nothing else.
"""

from __future__ import annotations

import dataclasses
import datetime  # noqa: TC003 - dataclasses need it
import json
import pickle
from decimal import Decimal  # noqa: TC003 - as above
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import snooze
from helpers.arrow_rows import rows as rows_of

LINES = b"""\
{"id": 1, "status": 200, "name": "one", "user": {"age": 7, "ok": true}, "x": 1.5}
{"id": 2, "status": 404, "name": null, "user": {"age": null}}

{"id": 3, "status": 500, "name": "two", "user": null, "x": -0.25}
{"id": 4, "status": 503, "name": "tw\\u00f6", "user": {"age": 70, "ok": false}, "x": 1e300}
{"id": 5, "name": "", "user": {}}
"""


def count(scan: snooze.Scan) -> int:
    """Return the number of rows."""
    return sum(map(len, scan))


def passing(where: str, lines: bytes = LINES, **options: Any) -> list[int]:
    """Return the ids of the records that pass."""
    scan = snooze.scan(lines, options.pop("schema", None), where=where, **options)
    whole = rows_of(snooze.scan(lines, scan))
    found = rows_of(scan)
    assert [row for row in whole if row in found] == found
    return [row["id"] for row in found]


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("status >= 500", [3, 4]),
        ("500 <= status", [3, 4]),
        ("200 < status <= 500", [2, 3]),
        ("status == 404.0", [2]),
        ("status != 404", [1, 3, 4]),
        ("not status == 404", [1, 3, 4]),
        ("status is None", [5]),
        ("status is not None and status < 300", [1]),
        ("status in (200, 503)", [1, 4]),
        ("status in [200.5, 503]", [4]),
        ("status not in {200, 503}", [2, 3]),
        ("status > 199.5 and status < 200.5", [1]),
        ('name == "one"', [1]),
        ("name > 'one'", [3, 4]),
        ("name == ''", [5]),
        ('name.startswith("tw")', [3, 4]),
        ('not name.startswith("tw")', [1, 5]),
        ('name == "tw\\u00f6"', [4]),
        ("name is None or x < 0", [2, 3]),
        ("user.age > 5", [1, 4]),
        ('user["age"] > 5', [1, 4]),
        ('col("user", "age") > 5', [1, 4]),
        ("user is None", [3]),
        ("user.age is None", [2, 3, 5]),
        ("user.ok", [1]),
        ("not user.ok", [4]),
        ("user.ok == False", [4]),
        ("user.ok != False", [1]),
        ("x > 1", [1, 4]),
        ("x == 1.5", [1]),
        ("x < -0.2", [3]),
        ("x >= 1e300", [4]),
        ("status > 99999999999999999999999999999999999999999999", []),
        ("status > -99999999999999999999999999999999999999999999", [1, 2, 3, 4]),
        ("(status == 200 or status == 404) and not (id == 1)", [2]),
    ],
)
@pytest.mark.parametrize("check", ["all", "read"])
def test_meaning(where: str, expected: list[int], check: str) -> None:
    assert passing(where, check=check) == expected


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("", "where: "),
        ("status = 3", "equality is =="),
        ("status >=", "expected Python's syntax"),
        ("status IS NULL", "expected Python's syntax"),
        ("status > 1 && x > 1", "expected Python's syntax"),
        ("status == None", "null is tested by `is None`"),
        ("status is 5", "only None can follow `is`"),
        ("status == id", "expected a constant on one side"),
        ("1 == 1", "expected a column"),
        ("status + 1 == 2", "expected a column"),
        ("len(name) == 2", "expected a column"),
        ("status in 5", "expected constants in brackets"),
        ("status in ()", "expected constants in brackets"),
        ("name.startswith(name)", "expected a column"),
        ("(x > 1) & (x < 2)", "expected `and`, `or` or `not`, found `&`, `|` or `~`"),
        ("x > 1 | x < 2", "expected `and` or `or`, found `&` or `|`"),
        ("~user.ok", "expected `and`, `or` or `not`"),
        ("x > 1e999", "expected a bool, a finite number or a str"),
        ("x > 1j", "expected a bool, a finite number or a str"),
        ("not " * 60 + "user.ok", "nested more than 50 deep"),
        ("(" * 9999 + "a" + ")" * 9999, "where: "),
    ],
)
def test_no_conditions(where: str, message: str) -> None:
    with pytest.raises(ValueError, match="where: ") as found:
        snooze.scan(b"", where=where)
    assert message in str(found.value)


@pytest.mark.parametrize(
    ("where", "message"),
    [
        (
            "nope == 1",
            "no column 'nope'; there are 'id', 'status', 'name', 'user', 'x'",
        ),
        ("user.nope == 1", "no column 'nope' in 'user'; there are 'age', 'ok'"),
        ("name == 1", "a column of the type utf8 does not compare with 1"),
        ("status == 'x'", "a column of the type int64 does not compare with 'x'"),
        ("status == True", "does not compare with True"),
        ("user.ok > False", "a column of the type bool does not compare with False"),
        ("user == 1", "type struct<age: int64, ok: bool> does not compare with 1"),
        ("status.startswith('2')", "'status' is no column of strings"),
        ("status", "does not compare with True"),
        ("name == '\\ud800'", "lone surrogate"),
    ],
)
def test_conditions_of_other_columns(where: str, message: str) -> None:
    with pytest.raises(ValueError, match="where: ") as found:
        count(snooze.scan(LINES, where=where))
    assert message in str(found.value)
    with pytest.raises(ValueError, match="where: "):
        snooze.scan(LINES, snooze.scan(LINES), where=where)


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ('col("\\ud800") == 1', "no member name has a lone surrogate, in col("),
        ('user["\\ud800"] is None', "no member name has a lone surrogate, in user["),
        ("name == '\ud800'", 'expected no lone surrogate, found "name =='),
        ("\ud800 == 1", "expected no lone surrogate, found '\\ud800 == 1'"),
    ],
)
def test_surrogates(where: str, said: str) -> None:
    """They are an error of the call, that of no codec."""
    for schema in (None, dict[str, int]):
        with pytest.raises(ValueError, match="where: ") as found:
            snooze.scan(LINES, schema, columns=["id"], where=where)
        assert f"where: {said}" in str(found.value)
        assert type(found.value) is ValueError
    with pytest.raises(ValueError, match="where: "):
        snooze.scan(LINES).where(where)


def test_nothing_to_read(tmp_path: Any) -> None:
    assert count(snooze.scan(b"", where="a == 1 and b.c is None")) == 0
    assert count(snooze.scan(b"", columns=["x"], where="a == 1")) == 0
    assert count(snooze.scan(b"").where("a == 1")) == 0
    with pytest.raises(ValueError, match="no column 'b'"):
        snooze.scan(b"", snooze.scan(b'{"a": 1}'), where="b == 1")
    with pytest.raises(ValueError, match="no column 'b'"):
        count(snooze.scan(b'{"a": null}', where="b == 1"))


def test_no_str() -> None:
    with pytest.raises(TypeError, match="where: expected str, found int"):
        snooze.scan(b"", where=1)  # type: ignore[arg-type]


def test_the_tested_column_need_not_be_read() -> None:
    scan = snooze.scan(LINES, columns=["name"], where="status >= 500")
    assert scan.columns == {"name": "utf8"}
    assert count(scan) == 2
    schema = snooze.scan(LINES)
    assert (
        count(snooze.scan(LINES, schema, columns=["name"], where="user.age > 9")) == 1
    )


def test_rejected_records_are_only_checked_to_be_json() -> None:
    schema = snooze.scan(b'{"a": 1, "b": 2}')
    lines = b'{"a": 1, "b": "x"}\n{"a": 2, "b": 3}\n'
    assert count(snooze.scan(lines, schema, where="a == 2")) == 1
    with pytest.raises(snooze.ScanError, match="at /b"):
        count(snooze.scan(lines, schema, where="a == 1"))
    with pytest.raises(snooze.ScanError, match="line 1, byte 14"):
        count(snooze.scan(b'{"a": 1, "b": tru}\n', schema, where="a == 2"))


def test_wrong_values_of_a_tested_column() -> None:
    schema = snooze.scan(b'{"a": 1}')
    lines = b'{"a": 1}\n{"a": "x"}\n{"a": 3}\n[]\n'
    with pytest.raises(snooze.ScanError, match="line 2, byte 15"):
        count(snooze.scan(lines, schema, where="a >= 1"))
    for errors in ("skip", "null"):
        scan = snooze.scan(lines, schema, where="a >= 1", errors=errors)
        assert count(scan) == 2
        assert [one.line for one in scan.problems] == [2, 4]
        assert scan.problem_count == 2
    scan = snooze.scan(lines, schema, where="a is None", errors="null")
    assert (count(scan), scan.problem_count) == (1, 2)
    scan = snooze.scan(lines[:-3], schema, where="a is None", drift="rest")
    assert (count(scan), scan.problem_count) == (1, 0)
    # The rest has no place for what is no JSON.
    scan = snooze.scan(b'{"a": 1}\n{"a"', schema, where="a == 7", drift="rest")
    with pytest.raises(snooze.ScanError, match="line 2"):
        count(scan)


def test_lines_without_the_text_are_not_looked_at() -> None:
    lines = b'{"id": 1, "name": "x"}\nno JSON\n{"id": 2, "name": "\\u0079"}\n"y'
    schema = snooze.scan(LINES, columns=["id", "name"])
    scan = snooze.scan(lines, schema, where='name == "y"')
    with pytest.raises(snooze.ScanError, match="line 2"):
        count(scan)
    scan = snooze.scan(lines, schema, where='name == "y"', check="read")
    assert rows_of(scan) == [{"id": 2, "name": "y"}]
    scan = snooze.scan(lines + b'"', schema, where='name == "y"', check="read")
    with pytest.raises(snooze.ScanError, match="line 4"):
        count(scan)


@pytest.mark.parametrize("threads", [1, 2])
def test_parts_and_pickles(tmp_path: Any, threads: int) -> None:
    path = tmp_path / "a.ndjson"
    records = [{"id": number, "even": number % 2 == 0} for number in range(2000)]
    path.write_text("\n".join(map(json.dumps, records)))
    scan = snooze.scan(str(path), where="even", threads=threads, batch_bytes=999)
    assert count(scan) == 1000
    assert count(pickle.loads(pickle.dumps(scan))) == 1000
    parts = [pickle.loads(pickle.dumps(part)) for part in scan.splits(5000)]
    assert sum(map(count, parts)) == 1000
    assert count(scan.select(["id"])) == 1000
    assert count(scan.where("id < 100")) == 50
    assert count(scan.select(["id"]).where("id < 100 and even")) == 50
    assert count(scan.where("id < 100").head(7)) == 7
    narrow = pickle.loads(pickle.dumps(scan.select(["id"])))
    assert count(narrow.where("not even or id < 10")) == 5
    assert scan.limit is None
    assert scan.head(7).limit == 7
    with pytest.raises(ValueError, match="call `head` last"):
        scan.head(7).where("even")


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("limit", [0, 1, 7, 1999, 2000, 5000])
def test_limits(threads: int, limit: int) -> None:
    text = b'{"a": 1, "b": null, "c": {"d": [1, 2]}, "e": "x"}\n' * 2000
    text += b"this is not JSON"
    schema = snooze.scan(text[:60])
    options: Any = {"threads": threads, "batch_bytes": 2000}
    scan = snooze.scan(text, schema, limit=limit, **options)
    if limit <= 2000:
        assert count(scan) == limit
        assert count(snooze.scan(text, schema, **options).head(limit)) == limit
        assert count(scan.head(limit + 1)) == limit
    else:
        with pytest.raises(snooze.ScanError):
            count(scan)


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("limit", [1, 2, 99, 150, 151, 152])
def test_what_follows_the_last_row_does_not_matter(threads: int, limit: int) -> None:
    good, wrong = b'{"a": 1}\n' * 50, b'{"a": "x"}\n'
    text = good + wrong + good + wrong * 2 + good + b"{" + good
    schema = snooze.scan(good)
    for size in (40, 1 << 20):
        options: Any = {"threads": threads, "batch_bytes": size, "limit": limit}
        scan = snooze.scan(text, schema, errors="skip", **options)
        assert count(scan) == limit
        assert scan.problem_count == 0 + (limit > 50) + 2 * (limit > 100) + (
            limit > 150
        )
        scan = snooze.scan(text, schema, errors="raise", **options)
        if limit <= 50:
            assert count(scan) == limit
        else:
            with pytest.raises(snooze.ScanError, match="line 51"):
                count(scan)


def test_limits_are_numbers() -> None:
    for limit, error in ((-1, ValueError), (1 << 63, ValueError), (1.0, TypeError)):
        with pytest.raises(error, match="limit: "):
            snooze.scan(b"", limit=limit)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="a limit of rows"):
        snooze.scan(__file__, snooze.scan(b'{"a":1}'), limit=1).splits()


scalars = st.none() | st.integers(-3, 3) | st.sampled_from([0.5, -1.5, 2.0])
texts = st.none() | st.sampled_from(["", "a", "ab", "b", "é"])
records = st.fixed_dictionaries(
    {}, optional={"n": scalars, "t": texts, "s": st.none() | st.just({"n": 1})}
)
OPERATORS = ["==", "!=", "<", "<=", ">", ">="]


@st.composite
def conditions(draw: Any, depth: int = 3) -> str:
    """Draw the text of a condition, which Python can evaluate, too."""
    kind = draw(st.sampled_from(["n", "t", "null", "in", "starts", "and", "or", "not"]))
    if depth == 0 and kind in {"and", "or", "not"}:
        kind = "n"
    match kind:
        case "n":
            constant = draw(st.integers(-3, 3) | st.sampled_from([0.5, -1.5, 2.0]))
            return f"n {draw(st.sampled_from(OPERATORS))} {constant}"
        case "t":
            constant = draw(st.sampled_from(["", "a", "ab", "é"]))
            return f"t {draw(st.sampled_from(OPERATORS))} {constant!r}"
        case "null":
            return f"{draw(st.sampled_from(['n', 't', 's']))} is None"
        case "in":
            return f"n in {draw(st.lists(st.integers(-3, 3), min_size=1, max_size=3))}"
        case "starts":
            return f"t.startswith({draw(st.sampled_from(['', 'a', 'é']))!r})"
        case "not":
            return f"not ({draw(conditions(depth - 1))})"
    return f"({draw(conditions(depth - 1))}) {kind} ({draw(conditions(depth - 1))})"


class Unknown(Exception):  # noqa: N818 - a truth, not an error
    """The third truth value."""


def truth(condition: str, record: dict[str, Any]) -> bool | None:
    """Return what a condition is for a record, by Python's own syntax tree."""
    import ast

    def of(node: Any) -> bool | None:
        match node:
            case ast.BoolOp():
                found = [of(one) for one in node.values]
                decides = isinstance(node.op, ast.Or)
                if decides in found:
                    return decides
                return None if None in found else not decides
            case ast.UnaryOp():
                found = of(node.operand)
                return None if found is None else not found
            case ast.Compare(ops=[ast.Is()]):
                return record.get(node.left.id) is None
        source = ast.unparse(node)
        values = {name: record.get(name) for name in "nt"}
        if values[source[0]] is None:
            return None
        return bool(eval(source, values))

    return of(ast.parse(condition, mode="eval").body)


@given(
    st.lists(records, max_size=8),
    conditions(),
    st.integers(1, 60),
    st.booleans(),
    st.none() | st.integers(0, 4),
)
def test_equal_to_python(
    written: list[dict[str, Any]],
    condition: str,
    batch_bytes: int,
    escaped: bool,
    limit: int | None,
) -> None:
    lines = "\n".join(json.dumps(row, ensure_ascii=escaped) for row in written).encode()
    schema = snooze.scan(b'{"n": 1.5, "t": "", "s": {"n": 1}}')
    passed = [row for row in written if truth(condition, row) is True][:limit]
    expected = [{name: row.get(name) for name in "nts"} for row in passed]
    for check, threads in (("all", 1), ("read", 1), ("all", 3), ("read", 3)):
        options: Any = {"check": check, "threads": threads, "limit": limit}
        scan = snooze.scan(
            lines, schema, where=condition, batch_bytes=batch_bytes, **options
        )
        assert rows_of(scan) == expected


@given(st.lists(records, max_size=9), conditions(), st.integers(1, 90))
def test_parts_equal_the_whole(
    tmp_path_factory: Any, written: list[dict[str, Any]], condition: str, size: int
) -> None:
    path = tmp_path_factory.getbasetemp() / "parts.ndjson"
    path.write_text("\n".join(map(json.dumps, written)), encoding="utf-8")
    schema = snooze.scan(b'{"n": 1.5, "t": "", "s": {"n": 1}}')
    scan = snooze.scan(str(path), schema, where=condition)
    parts = [row for part in scan.splits(size) for row in rows_of(part)]
    assert parts == rows_of(scan)
    assert len(parts) == sum(truth(condition, row) is True for row in written)


def answers(text: str, where: str, **options: Any) -> int:
    """The number of rows of one or more records."""
    return count(snooze.scan(text.encode(), where=where, **options))


HUGE = 10**305
BETWEEN = 2**200 + 1
"""An integer between two floats."""


@pytest.mark.parametrize(
    ("value", "operators"),
    [
        ("1e300", "< <= !="),
        ("-1e300", "< <= !="),
        ("1e308", "> >= !="),
    ],
)
def test_integers_beyond_128_bits(value: str, operators: str) -> None:
    """They are compared with floats by their exact values."""
    for operator in ("<", "<=", ">", ">=", "==", "!="):
        found = answers(f'{{"x":{value}}}', f"x {operator} {HUGE}")
        assert found == (operator in operators.split()), operator
        negated = value[1:] if value[0] == "-" else f"-{value}"
        mirrored = operator.translate(str.maketrans("<>", "><"))
        assert answers(f'{{"x":{negated}}}', f"x {mirrored} -{HUGE}") == found


@pytest.mark.parametrize("sign", [1, -1])
def test_integers_beside_floats(sign: int) -> None:
    """Equal ones, ones between two floats, and ones beyond all."""
    exact = sign * 2**130
    text = f'{{"x":{float(exact)!r}}}'
    assert answers(text, f"x == {exact}") == 1
    assert answers(text, f"x >= {exact} and x <= {exact}") == 1
    assert answers(text, f"x != {exact} or x < {exact} or x > {exact}") == 0
    text = f'{{"x":{float(sign * BETWEEN)!r}}}'
    assert answers(text, f"x == {sign * BETWEEN}") == 0
    assert answers(text, f"x != {sign * BETWEEN}") == 1
    assert answers(text, f"x {'<' if sign > 0 else '>'} {sign * BETWEEN}") == 1
    assert answers(text, f"x {'>=' if sign > 0 else '<='} {sign * BETWEEN}") == 0
    beyond = sign * 10**400
    for operator in ("<", "<=", "!=") if sign > 0 else (">", ">=", "!="):
        assert answers('{"x":1.7e308}', f"x {operator} {beyond}") == 1
        assert answers('{"x":-1.7e308}', f"x {operator} {beyond}") == 1
    for operator in (">", ">=", "==") if sign > 0 else ("<", "<=", "=="):
        assert answers('{"x":1.7e308}\n{"x":-1.7e308}', f"x {operator} {beyond}") == 0


def test_floats_beside_long_integers() -> None:
    """The same records pass whatever other integers there are."""
    first = '{"x":1152921504606846976}'
    for more in ("", '\n{"x":18446744073709551616}', '\n{"x":-1}\n{"x":1e0}'):
        assert answers(first + more, "x == 1.152921504606847e+18") == 1
        assert answers(first + more, "x > 1152921504606846848.0") >= 1
    mixed = '{"x":18446744073709551616}\n{"x":-1}'
    assert answers(mixed, "x == 1.8446744073709552e19") == 1
    assert answers(mixed, "x < 0.5") == 1


def test_names_are_not_normalized() -> None:
    """Python's parser reads other letters than are written."""
    assert answers('{"\u00b5s":7}', "\u00b5s > 5") == 1
    assert answers('{"\ufb01":7,"fi":1}', "\ufb01 > 5") == 1
    assert answers('{"\ufb01":7,"fi":1}', "fi > 5") == 0
    assert answers('{"a":{"\ufb01":7,"fi":1}}', "a . \ufb01 > 5 and a.fi == 1") == 1
    assert (
        answers(
            '{"\u00e9t\u00e9":1}', "\u00e9t\u00e9 == 1 and \u00e9t\u00e9 is not None"
        )
        == 1
    )
    with pytest.raises(ValueError, match="no column '\u00b5s'; there are '\u03bcs'"):
        snooze.scan('{"\u03bcs":1}'.encode(), where="\u00b5s == 1").columns  # noqa: B018


def test_comments() -> None:
    """A condition may end with one, also where another is added."""
    scan = snooze.scan(b'{"a":1,"b":2}', where="a == 1 # one").where("b == 2 # two")
    assert count(scan) == count(scan.where("a == 1")) == 1


@pytest.mark.parametrize("first", ["a == 1 or a > 2", "a > 0 and a > 0 # (\n", "not b"])
def test_any_number_of_conditions_after_one_another(first: str) -> None:
    """They are not nested; an engine may push each part of a filter down alone."""
    scan = snooze.scan(b'{"a":1,"b":false}\n{"a":2}\n{"a":3,"b":false}', where=first)
    expected = count(scan)
    for number in range(60):
        scan = scan.where(f"a != {number + 9} # and (")
    assert count(scan) == expected
    assert count(scan.where("a == 1 or a == 2\n")) == count(
        snooze.scan(
            b'{"a":1,"b":false}\n{"a":2}', where=f"({first}\n) and (a == 1 or a == 2)"
        )
    )
    assert count(scan.where("a > 1 and (a < 3\n)").where("a > 2 # c")) == 0


def test_zero_with_an_exponent() -> None:
    """It is zero."""

    @dataclasses.dataclass
    class Price:
        p: Decimal

    for where, expected in (('p == "0e50"', 1), ('p < "0e50"', 0), ('p == "0e-50"', 1)):
        assert answers('{"p":0}', where, schema=Price) == expected


@pytest.mark.parametrize(
    ("where", "reason"),
    [
        ('t > "2026-01-01T00:00:00+99:99"', "an offset below a day"),
        ('d > "20260101"', "a date"),
        ('d > "2026-W01-4"', "a date"),
    ],
)
def test_dates_are_rfc_3339(where: str, reason: str) -> None:
    """As in records."""

    @dataclasses.dataclass
    class Times:
        t: datetime.datetime
        d: datetime.date

    with pytest.raises(ValueError, match=f"expected {reason}"):
        count(snooze.scan(b"{}", Times, where=where))


def test_a_wrong_record_does_not_decide_the_type_of_a_tested_column() -> None:
    """It is named, and not the condition, which fits the records before it."""
    lines = b'{"a":1}\n{"a":2}\n{"a":"x","b":{"c":tru}}\n'
    with pytest.raises(snooze.ScanError, match="line 3"):
        count(snooze.scan(lines, columns=["a"], where="a > 1"))
    with pytest.raises(snooze.ScanError, match="line 3"):
        count(snooze.scan(lines, columns=[], where="a > 1"))
    with pytest.raises(ValueError, match="does not compare with 1"):
        count(snooze.scan(lines[:16] + b'{"a":"x"}\n', columns=["a"], where="a > 1"))


def test_what_there_is_in_place_of_what_was_asked_for() -> None:
    """The names of columns, and how a text is passed."""
    text = b'{"ts":1,"m":2}\n{"ts":1,"late":2}'
    for columns in (["tss"], ["ts", "tss"]):
        with pytest.raises(
            ValueError, match="no record has 'tss'; there are 'ts', 'm', 'late'$"
        ):
            snooze.scan(text, columns=columns).columns  # noqa: B018
    with pytest.raises(
        ValueError, match="no column 'x'; there are 'ts', 'm', 'late', in"
    ):
        count(snooze.scan(text, columns=["ts"], where="x == 1"))
    with pytest.raises(FileNotFoundError) as caught:
        count(snooze.scan('{"a":1}'))
    assert caught.value.__notes__ == ["scan expects a path; to read a text, pass bytes"]
