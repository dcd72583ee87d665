"""What the libraries that read Arrow streams make of a scan.

pyarrow is the oracle: `Table.from_pylist` of the records as `json.loads` reads them.
Each library is skipped where it is not installed; `make test-engines` installs them.
"""

from __future__ import annotations

import gc
import json
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import snooze

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed: NOT tested")

TEXT = b"""\
{"id":1,"name":"one","tags":["a","b"],"at":{"x":1.5,"y":null},"big":18446744073709551615}
{"id":2,"name":null,"tags":[],"at":null,"odd":[1,"x"]}
{"id":3,"tags":["\xc3\xa9"],"at":{"x":2,"z":true},"new":"late"}
"""
RECORDS = [json.loads(line) for line in TEXT.splitlines()]


def table(scan: snooze.Scan) -> pa.Table:
    """The table of a scan, fully validated."""
    found = pa.table(scan)
    found.validate(full=True)
    return found


leaves = {
    "b": (pa.bool_(), st.booleans()),
    "i": (pa.int64(), st.integers(-(2**63), 2**63 - 1)),
    "h": (pa.int16(), st.integers(-(2**15), 2**15 - 1)),
    "u": (pa.uint64(), st.integers(0, 2**64 - 1)),
    "f": (pa.float64(), st.floats(allow_nan=False, allow_infinity=False)),
    "s": (pa.string(), st.text(st.characters(exclude_categories=["Cs"]), max_size=40)),
    "l": (pa.large_string(), st.text("abé\n", max_size=9)),
}


def struct_of(inner):
    """The type of a struct, and its values, with members missing."""
    fields = {f"f{at}": one for at, one in enumerate(inner)}
    kind = pa.struct([(name, one[0]) for name, one in fields.items()])
    members = {name: st.none() | one[1] for name, one in fields.items()}
    return kind, st.fixed_dictionaries({}, optional=members)


types = st.recursive(
    st.sampled_from(list(leaves.values())),
    lambda inner: st.one_of(
        inner.map(
            lambda one: (pa.list_(one[0]), st.lists(st.none() | one[1], max_size=3))
        ),
        st.lists(inner, max_size=3).map(struct_of),
    ),
    max_leaves=6,
)


@st.composite
def tables(draw):
    """A schema and records that fit it, with members that it does not have."""
    fields = {f"c{at}": draw(types) for at in range(draw(st.integers(1, 4)))}
    members = {name: st.none() | one[1] for name, one in fields.items()}
    members["other"] = st.none() | st.lists(st.integers(), max_size=2)
    record = st.fixed_dictionaries({}, optional=members)
    schema = pa.schema([(name, one[0]) for name, one in fields.items()])
    return schema, draw(st.lists(record, max_size=12))


@settings(max_examples=300, deadline=None)
@given(
    tables(), st.integers(1, 200), st.integers(1, 3), st.sampled_from(["all", "read"])
)
def test_equal_to_from_pylist(case, batch_bytes, threads, check) -> None:
    schema, records = case
    lines = [
        json.dumps(record, ensure_ascii=len(records) % 2 > 0) for record in records
    ]
    text = "\n".join(lines).encode()
    options = {"batch_bytes": batch_bytes, "threads": threads, "check": check}
    found = table(snooze.scan(text, schema, **options))
    expected = pa.Table.from_pylist([json.loads(line) for line in lines], schema=schema)
    assert found.schema == schema
    assert found.combine_chunks().equals(expected.combine_chunks())


@settings(max_examples=100, deadline=None)
@given(tables(), st.integers(1, 200))
def test_inferred_tables_hold_every_value(case, batch_bytes) -> None:
    _, records = case
    text = "\n".join(map(json.dumps, records)).encode()
    found = table(snooze.scan(text, batch_bytes=batch_bytes)).to_pylist()
    assert len(found) == len(records)
    for row, record in zip(found, records, strict=True):
        for name, value in record.items():
            assert holds(row[name], value), (row, record)


def holds(found, value) -> bool:
    """Whether a column's value is that of the record, perhaps as JSON text."""
    if isinstance(value, dict) and isinstance(found, dict):
        return all(holds(found[name], one) for name, one in value.items())
    if isinstance(value, list) and isinstance(found, list):
        pairs = zip(found, value, strict=True)
        return all(holds(one, other) for one, other in pairs)
    return found == value or (isinstance(found, str) and json.loads(found) == value)


def test_schemas_agree() -> None:
    scan = snooze.scan(TEXT)
    assert pa.schema(scan) == table(scan).schema
    again = snooze.scan(TEXT, pa.schema(scan))
    assert table(again).equals(table(scan))
    assert scan.columns["odd"] == "list<arrow.json>"


@pytest.mark.parametrize(
    "kind",
    [
        pa.date32(),
        pa.timestamp("ns", "Europe/Berlin"),
        pa.timestamp("s"),
        pa.decimal128(10, 2),
        pa.binary(),
        pa.map_(pa.string(), pa.list_(pa.int8())),
        pa.float32(),
        pa.null(),
        pa.uuid(),
        pa.json_(),
    ],
    ids=str,
)
def test_types_come_back(kind) -> None:
    values = {
        "date32[day]": "2026-11-23",
        "timestamp[ns, tz=Europe/Berlin]": "2026-11-23T01:02:03.123456789+01:00",
        "timestamp[s]": "2026-11-23T01:02:03",
        "decimal128(10, 2)": 12.25,
        "binary": "AP8=",
        "map<string, list<item: int8>>": {"a": [1], "b": []},
        "float": 0.5,
        "null": None,
        "extension<arrow.uuid>": "12345678-1234-5678-1234-567812345678",
        "extension<arrow.json>": {"a": [1]},
    }
    schema = pa.schema([("a", kind)])
    text = json.dumps({"a": values[str(kind)]}).encode() + b"\n{}\n"
    found = table(snooze.scan(text, schema))
    assert found.schema == schema
    assert found.num_rows == 2
    assert found["a"].null_count == (2 if kind == pa.null() else 1)


@pytest.mark.parametrize(
    "kind",
    [
        pa.time64("us"),
        pa.string_view(),
        pa.dictionary(pa.int32(), pa.string()),
        pa.decimal256(50, 0),
        pa.duration("s"),
    ],
    ids=str,
)
def test_types_without_a_reading_are_refused(kind) -> None:
    with pytest.raises(TypeError, match="/a has the Arrow type"):
        snooze.scan(b"", pa.schema([("a", kind)]))


def test_children_outlive_their_batch() -> None:
    [batch] = pa.RecordBatchReader.from_stream(snooze.scan(TEXT))
    tags = batch["tags"].values
    at = batch["at"].field("x")
    del batch
    gc.collect()
    assert tags.to_pylist() == ["a", "b", "é"]
    assert at.to_pylist() == [1.5, None, 2.0]


def test_streams_on_other_threads() -> None:
    reader = pa.RecordBatchReader.from_stream(snooze.scan(TEXT * 500, batch_bytes=999))
    counts = []

    def read() -> None:
        counts.append(sum(batch.num_rows for batch in reader))

    thread = threading.Thread(target=read)
    thread.start()
    thread.join()
    assert counts == [1500]
    # Half read, then dropped on another thread.
    left = [pa.RecordBatchReader.from_stream(snooze.scan(TEXT * 500, batch_bytes=999))]
    left[0].read_next_batch()
    thread = threading.Thread(target=left.clear)
    thread.start()
    thread.join()


def test_errors_reach_the_caller() -> None:
    with pytest.raises(Exception, match=r"<bytes>, line 4, byte \d+: expected a JSON"):
        pa.table(snooze.scan(TEXT + b'{"id":', drift="error"))


def test_polars() -> None:
    pl = pytest.importorskip("polars", reason="polars is not installed: NOT tested")
    frame = pl.DataFrame(snooze.scan(TEXT))
    assert frame["id"].to_list() == [1, 2, 3]
    assert frame["at"].to_list()[0] == {"x": 1.5, "y": None, "z": None}
    assert frame["big"].to_list() == [2**64 - 1, None, None]


def test_duckdb() -> None:
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed: NOT tested")
    scan = snooze.scan(TEXT)  # noqa: F841 - the query names it
    query = "SELECT sum(id), count(name), max(big) FROM scan"
    assert duckdb.sql(query).fetchall() == [(6, 1, 2**64 - 1)]
    assert duckdb.sql(query).fetchall() == [(6, 1, 2**64 - 1)]


def test_pandas() -> None:
    pd = pytest.importorskip("pandas", reason="pandas is not installed: NOT tested")
    if not hasattr(pd.DataFrame, "from_arrow"):
        pytest.skip("pandas before 3 takes no Arrow stream: NOT tested")
    assert list(pd.DataFrame.from_arrow(snooze.scan(TEXT))["id"]) == [1, 2, 3]


def test_nanoarrow() -> None:
    na = pytest.importorskip(
        "nanoarrow", reason="nanoarrow is not installed: NOT tested"
    )
    found = na.ArrayStream(snooze.scan(TEXT, columns=["id", "name"])).read_all()
    assert found.to_pylist() == [
        {"id": one["id"], "name": one.get("name")} for one in RECORDS
    ]
