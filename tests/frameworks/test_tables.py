"""pandas, polars and pyarrow: rows and columns to JSON and back."""

from __future__ import annotations

import datetime
import json
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import polars.testing
import pyarrow as pa
import pytest

import snooze

MOMENTS = [datetime.datetime(2026, 11, 23), datetime.datetime(2026, 11, 24, 1, 2, 3, 4)]
COLUMNS = {
    "id": [1, 2],
    "price": [1.5, None],
    "name": ["é", None],
    "at": MOMENTS,
    "ok": [True, False],
}
PLAIN = {**COLUMNS, "at": [moment.isoformat() for moment in MOMENTS]}
ROWS = [dict(zip(PLAIN, row, strict=True)) for row in zip(*PLAIN.values(), strict=True)]
ENCODER = snooze.Encoder()


def frame() -> pd.DataFrame:
    """Return the columns as pandas has them, some of them in classes of its own."""
    made = pd.DataFrame(COLUMNS)
    made["kind"] = pd.Categorical(["a", "b"])
    made["count"] = pd.array([1, None], dtype="Int64")
    made["utc"] = made["at"].dt.tz_localize("UTC")
    made["none"] = pd.to_datetime([None, None])
    return made


def test_pandas_rows_out() -> None:
    """Timestamps, categories, nullable integers, NaN and NaT."""
    rows = json.loads(ENCODER.encode(frame().to_dict("records")))
    assert [{name: row[name] for name in PLAIN} for row in rows] == ROWS
    assert [row["kind"] for row in rows] == ["a", "b"]
    assert [row["count"] for row in rows] == [1, None]
    assert rows[0]["utc"] == "2026-11-23T00:00:00+00:00"
    assert rows[0]["none"] is None


def test_pandas_columns_out() -> None:
    """By lists, or by numpy arrays, which are written without Python objects."""
    table = frame()
    columns = json.loads(ENCODER.encode(table.to_dict("list")))
    assert {name: columns[name] for name in PLAIN} == PLAIN
    arrays = {name: table[name].to_numpy() for name in ("id", "price", "at", "ok")}
    for text in (
        ENCODER.encode(arrays),
        snooze.dumps(arrays, option=snooze.OPT_SERIALIZE_NUMPY),
    ):
        assert json.loads(text) == {name: PLAIN[name] for name in arrays}


def test_pandas_in() -> None:
    """Rows, columns, and a column of JSON texts."""
    for document in (ROWS, PLAIN):
        table = pd.DataFrame(snooze.loads(snooze.dumps(document)))
        table["at"] = pd.to_datetime(table["at"], format="ISO8601")
        pd.testing.assert_frame_equal(table, pd.DataFrame(COLUMNS), check_dtype=False)
    texts = pd.Series(['{"a": 1}', "[2]"])
    assert texts.map(snooze.loads).tolist() == [{"a": 1}, [2]]
    assert texts.map(snooze.loads).map(snooze.dumps).tolist() == [b'{"a":1}', b"[2]"]


def test_a_series_is_no_document() -> None:
    """Tables are converted by their own methods; the error says where one was."""
    with pytest.raises(TypeError, match=r"not JSON serializable: Series at \$\.a"):
        ENCODER.encode({"a": frame()["id"]})
    hook = snooze.Encoder(enc_hook=lambda table: table.to_dict())
    assert json.loads(hook.encode({"a": frame()["id"]})) == {"a": {"0": 1, "1": 2}}


def test_polars_out() -> None:
    """Rows and columns, with Decimals, durations, lists and structs."""
    table = pl.DataFrame(COLUMNS).with_columns(
        amount=pl.Series([Decimal("1.10"), None]),
        span=pl.Series([datetime.timedelta(1), None]),
        tags=pl.Series([["a"], []]),
        part=pl.Series([{"x": 1}, {"x": 2}]),
    )
    rows = json.loads(ENCODER.encode(table.to_dicts()))
    assert [{name: row[name] for name in PLAIN} for row in rows] == ROWS
    assert [rows[0][name] for name in ("amount", "span", "tags", "part")] == [
        *("1.10", "P1D"),
        *(["a"], {"x": 1}),
    ]
    columns = json.loads(ENCODER.encode(table.to_dict(as_series=False)))
    assert {name: columns[name] for name in PLAIN} == PLAIN
    assert json.loads(ENCODER.encode(table["id"].to_numpy())) == [1, 2]


def test_polars_in() -> None:
    for document in (ROWS, PLAIN):
        table = pl.DataFrame(snooze.loads(snooze.dumps(document)))
        table = table.with_columns(pl.col("at").str.to_datetime(time_unit="us"))
        pl.testing.assert_frame_equal(table, pl.DataFrame(COLUMNS))
    texts = pl.Series(["[1]", "[2, 3]"])
    read = texts.map_elements(snooze.loads, return_dtype=pl.List(pl.Int64))
    assert read.to_list() == [[1], [2, 3]]


def test_pyarrow_out_and_in() -> None:
    table = pa.table(COLUMNS)
    assert json.loads(ENCODER.encode(table.to_pylist())) == ROWS
    assert json.loads(ENCODER.encode(table.to_pydict())) == PLAIN
    read = pa.Table.from_pylist(snooze.loads(snooze.dumps(ROWS)))
    assert read.to_pylist() == ROWS
    assert pa.table(snooze.loads(snooze.dumps(PLAIN))).to_pydict() == PLAIN
    array = table["id"].to_numpy()
    assert ENCODER.encode(array) == b"[1,2]"


def test_arrays_in() -> None:
    """A Decoder makes a numpy array, without lists in between."""
    decoder = snooze.Decoder(np.ndarray[tuple[int, int], np.dtype[np.float64]])
    array = decoder.decode(b"[[1, 2.5], [3, 4]]")
    assert array.tolist() == [[1.0, 2.5], [3.0, 4.0]]
