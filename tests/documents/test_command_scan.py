"""The commands `scan` and `schema`. tests/engines has the formats of other packages."""

from __future__ import annotations

import gzip
import json
import sys

import pytest

import snooze
from helpers.command import Done

pytestmark = pytest.mark.usefixtures("folder")
LOG = b"""\
{"ts":1,"status":200,"user":{"id":7,"tags":["a"]}}
{"ts":2,"status":404,"user":null}
{"ts":3,"status":500}
"""


@pytest.fixture(autouse=True)
def log(folder):
    """A plain file, a compressed one, one with wrong records."""
    (folder / "log.ndjson").write_bytes(LOG)
    (folder / "log.ndjson.gz").write_bytes(gzip.compress(LOG))
    (folder / "wrong.ndjson").write_bytes(b'{"a":1}\n{"a":2}\n{"a":\n{"a":4}\n')
    (folder / "empty.ndjson").write_bytes(b"")


def test_lines_to_the_output():
    done = Done("scan", "log.ndjson", "--columns", "status, ts")
    assert done.status == 0
    assert done.out == (
        '{"status":200,"ts":1}\n{"status":404,"ts":2}\n{"status":500,"ts":3}\n'
    )
    assert done.err.startswith("3 rows in ")
    assert done.err.endswith(" rows/s\n")
    done = Done("scan", "--quiet", "--omit-nulls", data=LOG)
    assert (done.out, done.err) == (LOG.decode().replace(',"user":null', ""), "")


def test_patterns_and_compressed_files(folder):
    done = Done("scan", "log.ndjson*", "--columns", "ts", "--to", "out.ndjson.gz")
    assert (done.status, done.out) == (0, "")
    found = gzip.decompress((folder / "out.ndjson.gz").read_bytes())
    assert [json.loads(line)["ts"] for line in found.splitlines()] == [1, 2, 3] * 2
    assert done.err.startswith("6 rows in ")


def test_empty_input():
    done = Done("scan", "empty.ndjson")
    assert (done.status, done.out) == (0, "")
    assert done.err.startswith("0 rows in ")


def test_a_single_row():
    done = Done("scan", data=b'{"a":1}\n')
    assert (done.status, done.out) == (0, '{"a":1}\n')
    assert done.err.startswith("1 row in ")


def test_a_wrong_record_ends_with_status_1(folder):
    done = Done("scan", "wrong.ndjson", "--to", "out.ndjson")
    assert done.status == 1
    assert "wrong.ndjson, line 3, byte 21: expected" in done.err
    assert not (folder / "out.ndjson").exists()


def test_problems_are_listed():
    done = Done("scan", "wrong.ndjson", "--errors", "skip")
    assert (done.status, done.out) == (0, '{"a":1}\n{"a":2}\n{"a":4}\n')
    first, second, third = done.err.splitlines()
    assert first == "snooze: 1 record was left out or changed"
    assert second.startswith("  wrong.ndjson, line 3, byte 21: expected")
    assert third.startswith("3 rows in ")
    many = b'{"a":1}\n' + b"x\n" * 15
    done = Done("scan", "--errors", "skip", data=many)
    assert "… and 5 more" in done.err
    assert Done("scan", "--errors", "skip", "--quiet", data=many).err == ""


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["missing.ndjson"], "missing.ndjson: No such file"),
        (["no*.ndjson"], "no*.ndjson"),
        (["log.ndjson", "--columns", "nope"], "no record has 'nope'"),
        (["log.ndjson", "--to", "out.txt"], "expected a name in .parquet"),
        (["log.ndjson", "--to", "out.parquet.gz"], "expected a name in .parquet"),
        (["log.ndjson", "--to", "out.csv", "--omit-nulls"], "only lines"),
        (["log.ndjson", "--to", "no/out.ndjson"], "no/out.ndjson: No such file"),
        (["log.ndjson", "--errors", "ignore"], "'ignore' is not one of"),
        (["log.ndjson", "--threads", "0"], "0 is not in the range"),
        (["log.ndjson", "-"], "- alone"),
    ],
)
def test_wrong_command_lines(words, message):
    done = Done("scan", *words)
    assert done.status == 2
    assert message in done.err


def test_a_format_without_its_package(monkeypatch, folder):
    from snooze._cli import tables

    monkeypatch.setattr(tables, "find_spec", lambda _: None)
    for form in ("parquet", "arrow", "csv"):
        done = Done("scan", "log.ndjson", "--to", f"out.{form}")
        assert done.status == 2
        assert f"{form} needs the package pyarrow or polars" in done.err
        assert not (folder / f"out.{form}").exists()


def test_rows_that_polars_does_not_have(monkeypatch, folder):
    """Frames without columns had no rows in its older versions."""
    from snooze._cli import tables

    class Polars:
        DataFrame = staticmethod(lambda _: [])
        concat = staticmethod(lambda frames: frames[0])

    monkeypatch.setattr(tables, "find_spec", lambda name: name == "polars" or None)
    monkeypatch.setattr(tables, "import_module", lambda _: Polars)
    done = Done("scan", "--to", "z.arrow", data="{}\n")
    assert done.status == 2
    assert "arrow: this version of polars has no rows without columns" in done.err
    assert not (folder / "z.arrow").exists()


@pytest.mark.parametrize(
    ("form", "record", "said"),
    [
        ("parquet", '{"b":1,"a":{}}', '"a" has the type struct<>, with an object'),
        ("parquet", '{"a":[{"c":{}}]}', '"a" has the type list<struct<c: struct<>>>,'),
        ("csv", '{"b":1,"a":[{}]}', '"a" has the type list<struct<>>, which no cell'),
        ("arrow", '{"a":{}}', None),
        ("parquet", '{"a":1}', None),
    ],
)
def test_columns_that_a_format_does_not_have(monkeypatch, folder, form, record, said):
    """A fault of the data, not of the command line or of the package."""
    from snooze._cli import tables

    def fail(_batches, _file, _form):
        raise NotImplementedError("cannot write")

    monkeypatch.setattr(tables, "find_spec", lambda name: name == "pyarrow" or None)
    monkeypatch.setattr(tables, "_with_pyarrow", fail)
    done = Done("scan", "--to", f"z.{form}", data=record)
    if said is None:
        assert (done.err, done.status) == (f"snooze: {form}: cannot write\n", 2)
    else:
        assert done.err.startswith(f"snooze: {form}: the column {said}")
        assert done.status == 1
    assert not (folder / f"z.{form}").exists()


def test_objects_without_members_in_parquet(folder):
    pytest.importorskip("pyarrow")
    for record in ('{"a":{}}', '{"a":[{}]}', '{"a":{"b":{}}}'):
        done = Done("scan", "--to", "z.parquet", data=record)
        assert done.status == 1
        assert "an object without members, which Parquet does not hold" in done.err
        assert done.err.endswith(
            "; name other columns with --columns, or write .arrow or .ndjson\n"
        )


def test_where_and_limit():
    done = Done("scan", "log.ndjson", "-w", "status >= 400", "-n", "1", "-C", "ts")
    assert (done.status, done.out) == (0, '{"ts":2}\n')
    assert Done("scan", "log.ndjson", "-w", "status >=").status == 2


def test_schema_as_arrow():
    done = Done("schema", "log.ndjson")
    assert done.status == 0
    assert done.out == (
        "ts: int64\nstatus: int64\nuser: struct<id: int64, tags: list<utf8>>\n"
    )
    assert Done("schema", "--columns", "ts", data=LOG).out == "ts: int64\n"
    assert Done("schema", "--sample", "log.ndjson.gz").out == done.out
    assert Done("schema", "empty.ndjson").out == ""
    assert Done("schema", "missing.ndjson").status == 2


def test_schema_as_json_schema():
    done = Done("schema", "--as", "schema", "--name", "Log", "log.ndjson")
    found = json.loads(done.out)
    assert found["title"] == "Log"
    assert found["properties"]["ts"] == {"type": ["integer", "null"]}
    user = found["properties"]["user"]
    assert user["type"] == ["object", "null"]
    assert user["properties"]["tags"]["items"] == {"type": ["string", "null"]}


HARD = (
    b'{"a b":1,"class":"x","a_b":1.5,"Inner":{"x":null},"i":{"x":1},"m":1,"":true,'
    b'"big":123456789012345678901,"n":null,"l":[{"y":[1]}]}\n{"m":"text"}\n'
)


#: Python reads these names as "\u03bcs" and "fi"; the integers do not fit int64.
ODD = (
    '{"\u00b5s":7,"\ufb01":{"x":1},"fi":{"y":2},"u":18446744073709551615,'
    '"d":12345678901234567890123456789012345678,"\u2460":1}\n'
).encode()


@pytest.mark.parametrize("text", [LOG, HARD, ODD])
def test_schema_as_dataclass_has_the_same_columns(text, monkeypatch):
    done = Done("schema", "--as", "dataclass", data=text)
    assert done.status == 0
    module = type(sys)("made")
    monkeypatch.setitem(sys.modules, "made", module)
    exec(compile(done.out, "made.py", "exec"), vars(module))
    scan = snooze.scan(text, module.Record)
    expected = snooze.scan(text).columns
    beyond = ("uint64", "decimal128(38, 0)")
    expected = {
        name: "arrow.json" if kind in beyond else kind
        for name, kind in expected.items()
    }
    assert scan.columns == expected
    assert sum(map(len, scan)) == text.count(b"\n")


def test_the_name_of_a_class_is_checked():
    done = Done("schema", "--as", "dataclass", "--name", "1x", "log.ndjson")
    assert done.status == 2
    assert "expected a name that a class can have, found '1x'" in done.err
    # A class `int` would be the annotation of its own fields.
    for name in ("int", "dataclass", "snooze", "annotations", "_A", "class", "\ufb01"):
        done = Done("schema", "--as", "dataclass", "--name", name, "log.ndjson")
        assert (done.out, done.status) == ("", 2)
        assert f"expected a name that a class can have, found {name!r}" in done.err
    text = '{"\U0001d422\U0001d427\U0001d42d":{"x":1}}'  # "int" once it is normalized
    done = Done("schema", "--as", "dataclass", data=text)
    assert "class int:" not in done.out
    assert done.status == 0


@pytest.mark.skipif(sys.platform != "linux", reason="arguments are any bytes")
@pytest.mark.parametrize("words", [["schema", "--as", "schema"], ["infer"]])
def test_a_title_that_is_not_utf_8(words):
    done = Done(*words, "--name", "\udcff", data='{"a":1}')
    assert (done.out, done.status) == ("", 2)
    assert r"--name': expected text in UTF-8, found '\udcff'" in done.err
