"""`snooze.write_lines` of real tables, against `to_pylist` and `json`.

Each library is skipped where it is not installed; `make test-engines` installs them.
"""

from __future__ import annotations

import base64
import datetime as dt
import decimal
import io
import json
import os
import subprocess
import sys
import uuid
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import snooze

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed: NOT tested")


def written(source: Any, **options: Any) -> list[Any]:
    """What the lines of a source mean; decimals are exact."""
    file = io.BytesIO()
    rows = snooze.write_lines(source, file, **options)
    lines = file.getvalue().splitlines()
    assert rows == len(lines)
    for line in lines:
        snooze.Decoder().validate_only(line)
    return [json.loads(line, parse_float=decimal.Decimal) for line in lines]


def plain(value: Any) -> Any:
    """What a value of `to_pylist` is in JSON."""
    if isinstance(value, float):
        return decimal.Decimal(repr(value))
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, dt.timedelta):
        return snooze.loads(snooze.encode(value))
    if isinstance(value, (dt.datetime, dt.date, dt.time)):
        return value.isoformat()
    if isinstance(value, uuid.UUID):
        return str(value)
    if isinstance(value, list):
        if value and isinstance(value[0], tuple):
            return {key: plain(inner) for key, inner in value}
        return [plain(one) for one in value]
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items()}
    return value


UTC = dt.UTC
PARIS = dt.timezone(dt.timedelta(hours=1))
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
days = st.dates()
naive = st.datetimes()
small = st.decimals(-(10**6), 10**6, places=3)


def millis(value: dt.timedelta) -> dt.timedelta:
    """Without microseconds."""
    return dt.timedelta(milliseconds=value // dt.timedelta(milliseconds=1))


LEAVES = [
    (pa.null(), st.none()),
    (pa.bool_(), st.booleans()),
    *[
        (kind, st.integers(-(2 ** (width - 1)), 2 ** (width - 1) - 1))
        for kind, width in (
            (pa.int8(), 8),
            (pa.int16(), 16),
            (pa.int32(), 32),
            (pa.int64(), 64),
        )
    ],
    *[
        (kind, st.integers(0, 2**width - 1))
        for kind, width in (
            (pa.uint8(), 8),
            (pa.uint16(), 16),
            (pa.uint32(), 32),
            (pa.uint64(), 64),
        )
    ],
    (pa.float64(), st.floats(allow_nan=False, allow_infinity=False)),
    (pa.string(), texts),
    (pa.large_string(), texts),
    (pa.string_view(), texts),
    (pa.binary(), st.binary(max_size=20)),
    (pa.large_binary(), st.binary(max_size=20)),
    (pa.binary_view(), st.binary(max_size=20)),
    (pa.binary(3), st.binary(min_size=3, max_size=3)),
    (pa.decimal128(38, 3), small),
    (pa.decimal256(76, 3), small),
    (pa.date32(), days),
    (pa.date64(), days),
    (pa.time64("us"), st.times()),
    (pa.timestamp("us"), naive),
    (pa.timestamp("us", "UTC"), st.datetimes(timezones=st.just(UTC))),
    (
        pa.timestamp("us", "+01:00"),
        st.datetimes(
            dt.datetime(1, 1, 2), dt.datetime(9999, 12, 30), timezones=st.just(PARIS)
        ),
    ),
    (pa.duration("us"), st.timedeltas(dt.timedelta(-(10**6)), dt.timedelta(10**6))),
    (
        pa.duration("ms"),
        st.timedeltas(dt.timedelta(-(10**6)), dt.timedelta(10**6)).map(millis),
    ),
    (pa.dictionary(pa.int8(), pa.string()), texts),
]


def struct_of(inner: list[Any]) -> Any:
    """The type of a struct, and its values."""
    fields = {f"f{at}": one for at, one in enumerate(inner)}
    kind = pa.struct([(name, one[0]) for name, one in fields.items()])
    return kind, st.fixed_dictionaries(
        {name: st.none() | one[1] for name, one in fields.items()}
    )


def lists_of(one: Any) -> list[Any]:
    """The types of lists, and their values."""
    kind, inner = one
    values = st.lists(st.none() | inner, max_size=3)
    return [
        (pa.list_(kind), values),
        (pa.large_list(kind), values),
        (pa.list_(kind, 2), st.lists(st.none() | inner, min_size=2, max_size=2)),
        (
            pa.map_(pa.string(), kind),
            st.dictionaries(texts, st.none() | inner, min_size=1, max_size=3).map(
                lambda found: list(found.items())
            ),
        ),
    ]


types = st.recursive(
    st.sampled_from(LEAVES),
    lambda inner: st.one_of(
        inner.flatmap(lambda one: st.sampled_from(lists_of(one))),
        st.lists(inner, min_size=1, max_size=3).map(struct_of),
    ),
    max_leaves=6,
)


@settings(deadline=None, max_examples=300)
@given(st.data())
def test_generated_tables(data: Any) -> None:
    """Every type, with offsets, in several batches."""
    kind, values = data.draw(types)
    column = data.draw(st.lists(st.none() | values, max_size=20))
    try:
        array = pa.array(column, kind)
    except pa.ArrowNotImplementedError:
        return
    table = pa.table({"x": array})
    start = data.draw(st.integers(0, len(column)))
    size = data.draw(st.integers(1, 7))
    table = pa.Table.from_batches(table.slice(start).to_batches(size), table.schema)
    expected = [plain(row) for row in table.to_pylist()]
    assert written(table) == expected
    without = [{} if row["x"] is None else row for row in expected]
    if not pa.types.is_nested(kind):
        assert written(table, nulls="omit") == without


def test_views_runs_unions_and_extensions() -> None:
    names = pa.array(["a", None, "é"])
    ends = pa.RunEndEncodedArray.from_arrays(pa.array([2, 3, 6], pa.int32()), names)
    view = pa.ListViewArray.from_arrays([3, 0, 1], [0, 2, 1], pa.array([1, 2, None, 4]))
    dense = pa.UnionArray.from_dense(
        pa.array([0, 1, 0], pa.int8()),
        pa.array([1, 0, 0], pa.int32()),
        [pa.array([1, 2]), pa.array(["x"])],
    )
    ids = pa.ExtensionArray.from_storage(
        pa.uuid(), pa.array([b"a" * 16] * 3, pa.binary(16))
    )
    parts = pa.ExtensionArray.from_storage(
        pa.json_(), pa.array(['{"a":\n1}', None, "[1.50]"], pa.string())
    )
    table = pa.table(
        {"r": ends.slice(1, 3), "v": view, "u": dense, "i": ids, "j": parts}
    )
    for cut in (table, table.slice(1), table.slice(2)):
        rows = cut.to_pylist()
        for row in rows:
            row["j"] = row["j"] and json.loads(row["j"], parse_float=decimal.Decimal)
        assert written(cut) == [plain(row) for row in rows]


def test_other_units() -> None:
    stamps = [0, 1, -1, 1_234_567_890_123]
    for unit in ("s", "ms", "us", "ns"):
        for zone in (None, "Europe/Paris"):
            values = pa.array([0] if unit == "s" else stamps, pa.timestamp(unit, zone))
            if zone:
                expected = values.cast(pa.timestamp("ns", "UTC"))
            else:
                expected = values.cast(pa.timestamp("ns"))
            for row, value in zip(
                written(pa.table({"x": values})), expected, strict=True
            ):
                text, _, offset = row["x"].partition("+")
                assert offset == ("00:00" if zone else "")
                whole, _, fraction = text.partition(".")
                start = dt.datetime.fromisoformat(whole).replace(tzinfo=UTC)
                nanos = int(start.timestamp()) * 10**9 + int(fraction.ljust(9, "0"))
                assert nanos == value.value


def test_streams_and_failures() -> None:
    schema = pa.schema([("a", pa.int64())])

    def batches() -> Any:
        yield pa.record_batch([pa.array([1, 2])], schema)
        raise ValueError("the generator failed")

    reader = pa.RecordBatchReader.from_batches(schema, batches())
    file = io.BytesIO()
    with pytest.raises((ValueError, OSError), match="the generator failed"):
        snooze.write_lines(reader, file)
    assert file.getvalue() == b'{"a":1}\n{"a":2}\n'
    with pytest.raises(TypeError, match="the column m has the Arrow type tin"):
        written(pa.table({"m": pa.array([None], pa.month_day_nano_interval())}))


def test_memory_is_given_back() -> None:
    before = pa.total_allocated_bytes()
    table = pa.table(
        {"a": pa.array(range(100_000)), "b": pa.array(["x" * 50] * 100_000)}
    )
    for _ in range(3):
        written(table)
    reader = pa.RecordBatchReader.from_batches(table.schema, table.to_batches(999))
    del table
    with pytest.raises(FileNotFoundError):
        snooze.write_lines(reader, "/no/such/folder/file")
    del reader
    assert pa.total_allocated_bytes() == before


def test_polars() -> None:
    pl = pytest.importorskip("polars", reason="polars is not installed: NOT tested")
    frame = pl.DataFrame(
        {"a": [1, None], "s": ["é" * 20, "x"], "l": [[1.5], []], "o": [{"k": 1}, None]},
    ).with_columns(c=pl.col("s").cast(pl.Categorical))
    assert written(frame) == [plain(row) for row in frame.to_dicts()]


def test_duckdb_and_pandas() -> None:
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed: NOT tested")
    found = duckdb.sql(
        "SELECT 1 AS a, [1, NULL] AS l, {'k': 'v'} AS s, 1.10::DECIMAL(5,2) AS d"
    )
    assert written(found) == [
        {"a": 1, "l": [1, None], "s": {"k": "v"}, "d": decimal.Decimal("1.10")}
    ]
    pandas = pytest.importorskip("pandas", reason="pandas is not installed: NOT tested")
    frame = pandas.DataFrame({"a": [1, 2], "b": ["x", None]})
    assert written(frame) == [{"a": 1, "b": "x"}, {"a": 2, "b": None}]


@pytest.mark.parametrize("form", ["parquet", "arrow", "csv"])
@pytest.mark.parametrize("package", ["pyarrow", "polars"])
def test_the_command_writes_other_formats(
    form: str, package: str, tmp_path: Any, monkeypatch: Any
) -> None:
    pytest.importorskip("click", reason="click is not installed: NOT tested")
    pytest.importorskip(package, reason=f"{package} is not installed: NOT tested")
    from helpers.command import Done
    from snooze._cli import tables

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tables, "find_spec", lambda name: name == package or None)
    (tmp_path / "in.ndjson").write_bytes(b'{"a":1,"b":"x"}\n{"a":2}\n')
    done = Done("scan", "in.ndjson", "--to", f"out.{form}")
    assert (done.status, done.out) == (0, "")
    assert done.err.startswith("2 rows in ")
    path = tmp_path / f"out.{form}"
    if form == "parquet":
        import pyarrow.parquet

        found = pyarrow.parquet.read_table(path)
    elif form == "arrow":
        found = pa.ipc.open_file(path).read_all()
    else:
        import pyarrow.csv

        found = pyarrow.csv.read_csv(path)
    assert found.column("a").to_pylist() == [1, 2]
    (tmp_path / "in.ndjson").write_bytes(b'{"a":1}\n{"a":\n')
    done = Done("scan", "in.ndjson", "--to", f"out.{form}")
    assert (done.status, path.exists()) == (1, True)
    assert "in.ndjson, line 2" in done.err


INDICES = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


@pytest.mark.parametrize("index", INDICES)
@pytest.mark.parametrize(
    "values",
    [
        pa.array(["a", "é" * 40, ""]),
        pa.array(["a", "é" * 40, ""], pa.large_string()),
        pa.array(["a", "é" * 40, ""], pa.string_view()),
        pa.array([b"a", b"\xff" * 40, b""], pa.binary_view()),
        pa.array([1, 2, 2**63 - 1]),
        pa.array([1.5, None, -0.5]),
        pa.array([[1], None, [2, 3]]),
        pa.array([{"k": 1}, {"k": None}, None]),
        pa.array([dt.date(2026, 11, 25), None, dt.date(1, 1, 1)]),
    ],
    ids=lambda values: str(values.type)[:20],
)
def test_dictionaries_of_any_index(index: str, values: Any) -> None:
    kind = getattr(pa, index)()
    column = pa.DictionaryArray.from_arrays(
        pa.array([2, 0, None, 1, 1, 0], kind), values
    )
    inside = pa.ListArray.from_arrays([0, 2, 2, 6], column)
    known = [plain(one) for one in values.to_pylist()]
    expected = [known[2], known[0], None, known[1], known[1], known[0]]
    for start in range(7):
        cut = pa.table({"x": column.slice(start)})
        assert [row["x"] for row in written(cut)] == expected[start:]
    found = [row["x"] for row in written(pa.table({"x": inside}).slice(1))]
    assert found == [[], expected[2:]]


def test_dictionaries_that_change_from_batch_to_batch() -> None:
    batches = [
        pa.record_batch([pa.array(values).dictionary_encode()], ["x"])
        for values in (["a", "b"], ["c", None], ["b", "b"])
    ]
    table = pa.Table.from_batches(batches)
    expected = ["a", "b", "c", None, "b", "b"]
    assert [row["x"] for row in written(table)] == expected
    assert [row["x"] for row in written(table.unify_dictionaries())] == expected


def test_runs_of_dictionaries() -> None:
    names = pa.array(["a", None, "é"]).dictionary_encode()
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([2, 3, 6], pa.int16()), names)
    expected = ["a", "a", None, "é", "é", "é"]
    for start in range(6):
        found = written(pa.table({"x": runs.slice(start)}))
        assert [row["x"] for row in found] == expected[start:]


def test_categories_of_polars() -> None:
    pl = pytest.importorskip("polars", reason="polars is not installed: NOT tested")
    words = ["one", None, "two", "one", "é" * 30]
    known = pl.Enum(["two", "one", "é" * 30, "never"])
    frame = pl.DataFrame(
        {"c": words, "e": words, "l": [words, None, [], words, [None]]}
    )
    frame = frame.with_columns(
        pl.col("c").cast(pl.Categorical),
        pl.col("e").cast(known),
        pl.col("l").cast(pl.List(known)),
        s=pl.struct(c=pl.col("c").cast(pl.Categorical)),
    )
    frame = pl.concat([frame, frame.reverse()], rechunk=False)
    assert written(frame) == frame.to_dicts()
    assert written(frame[3:8]) == frame[3:8].to_dicts()


def test_categories_of_pandas() -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed: NOT tested")
    frame = pandas.DataFrame(
        {
            "text": pandas.Categorical(["a", None, "b", "a"]),
            "order": pandas.Categorical([3, 1, 3, None], [1, 3], ordered=True),
            "day": pandas.Categorical(pandas.to_datetime(["2026-11-25"] * 4)),
        }
    )
    found = written(frame)
    assert [row["text"] for row in found] == ["a", None, "b", "a"]
    assert [row["order"] for row in found] == [3, 1, 3, None]
    assert {row["day"] for row in found} == {"2026-11-25T00:00:00"}


@pytest.mark.parametrize("package", ["pyarrow", "polars"])
def test_rows_without_columns(package: str, tmp_path: Any, monkeypatch: Any) -> None:
    """They are in the file, or there is no file."""
    pytest.importorskip("click", reason="click is not installed: NOT tested")
    pytest.importorskip(package, reason=f"{package} is not installed: NOT tested")
    from helpers.command import Done
    from snooze._cli import tables

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tables, "find_spec", lambda name: name == package or None)
    for form in ("parquet", "csv"):
        done = Done("scan", "--to", f"z.{form}", data="{}\n{}\n")
        assert (done.status, done.out) == (1, "")
        assert f"{form}: expected a record with a member" in done.err
        assert "found 2 without any; write .arrow or .ndjson" in done.err
        assert not (tmp_path / f"z.{form}").exists()
        assert Done("scan", "--to", f"z.{form}", data="\n").status == 0
    assert Done("scan", "--to", "z.arrow", data="{}\n{}\n").status == 0
    with pa.ipc.open_file(tmp_path / "z.arrow") as file:
        assert sum(file.get_batch(i).num_rows for i in range(file.num_record_batches))


@pytest.mark.parametrize("package", ["pyarrow", "polars"])
@pytest.mark.parametrize("form", ["parquet", "arrow", "csv"])
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_nobody_reads_the_table(form: str, package: str, tmp_path: Any) -> None:
    """The status is that of a program that SIGPIPE ends, without a message."""
    pytest.importorskip("click", reason="click is not installed: NOT tested")
    pytest.importorskip(package, reason=f"{package} is not installed: NOT tested")
    pipe = tmp_path / f"pipe.{form}"
    os.mkfifo(pipe)
    lines = "".join(f'{{"a":"{uuid.uuid4()}"}}\n' for _ in range(30_000))
    (tmp_path / "in.ndjson").write_text(lines)
    code = f"""
import sys
from snooze.__main__ import main
from snooze._cli import tables
tables.find_spec = lambda name: name == {package!r} or None
sys.exit(main(["scan", "in.ndjson", "--to", {pipe.name!r}]))
"""
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stderr=-1, cwd=tmp_path) as running:
        with open(pipe, "rb") as reader:
            reader.read(1)
        assert running.stderr is not None
        assert (running.stderr.read(), running.wait(60)) == (b"", 141)


@pytest.mark.parametrize("package", ["pyarrow", "polars"])
def test_what_csv_cannot_hold(package: str, tmp_path: Any, monkeypatch: Any) -> None:
    """Rows without columns, and columns whose values are no cells, which are named."""
    pytest.importorskip("click", reason="click is not installed: NOT tested")
    pytest.importorskip(package, reason=f"{package} is not installed: NOT tested")
    from helpers.command import Done
    from snooze._cli import tables

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tables, "find_spec", lambda name: name == package or None)
    done = Done("scan", "--to", "z.csv", data="{}\n{}\n")
    assert (done.status, done.out) == (1, "")
    assert "found 2 without any" in done.err
    done = Done("scan", "--to", "z.csv", data='{"a":1,"b\\u001b":[1]}\n')
    assert done.status == 1
    assert r'csv: the column "b\x1b" has the type list<int64>' in done.err
    assert not (tmp_path / "z.csv").exists()
    assert Done("scan", "--to", "z.csv", data="\n").status == 0
    done = Done("scan", "--quiet", "--to", "z.csv", data='{"a":null}\n{"a":1}\n')
    assert (done.status, done.err) == (0, "")
    assert Done("convert", "z.csv", "-t", "ndjson").out == '{"a":""}\n{"a":"1"}\n'


def test_python_objects_of_polars() -> None:
    """Their Arrow data are addresses, with nothing that says so."""
    pl = pytest.importorskip("polars", reason="polars is not installed: NOT tested")
    frame = pl.DataFrame({"a": [1], "b": pl.Series([object()], dtype=pl.Object)})
    file = io.BytesIO()
    with pytest.raises(TypeError, match="the column 'b' has the type Object of polars"):
        snooze.write_lines(frame, file)
    assert file.getvalue() == b""
    assert snooze.write_lines(frame.drop("b"), file) == 1
