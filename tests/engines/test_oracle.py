"""Scans of generated files against `json.loads` and pyarrow, however they are read.

Separate from test_engines.py, whose texts are in memory: here each file is read plain
and in gzip, whole and in parts, by one thread and by several, in pieces of any size.
arrow-rs is a second reader of the C structs, which checks them as it takes them.
"""

from __future__ import annotations

import gzip
import io
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import snooze

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed: NOT tested")

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
LEAVES = [
    (pa.bool_(), st.booleans()),
    (pa.int64(), st.integers(-(2**63), 2**63 - 1)),
    (pa.int8(), st.integers(-128, 127)),
    (pa.uint32(), st.integers(0, 2**32 - 1)),
    (pa.float64(), st.floats(allow_nan=False, allow_infinity=False)),
    (pa.string(), texts),
    (pa.large_string(), texts.map(lambda text: text * 40)),
    (pa.null(), st.none()),
]


def struct_of(inner: list[Any]) -> Any:
    """The type of a struct, and its values, with members missing."""
    fields = {f"f{at}": one for at, one in enumerate(inner)}
    kind = pa.struct([(name, one[0]) for name, one in fields.items()])
    members = {name: st.none() | one[1] for name, one in fields.items()}
    return kind, st.fixed_dictionaries({}, optional=members)


def list_of(one: Any) -> Any:
    """The type of a list, and its values."""
    return pa.list_(one[0]), st.lists(st.none() | one[1], max_size=3)


def map_of(one: Any) -> Any:
    """The type of a map from texts, and its values."""
    values = st.dictionaries(texts, st.none() | one[1], max_size=3)
    return pa.map_(pa.string(), one[0]), values


types = st.recursive(
    st.sampled_from(LEAVES),
    lambda inner: st.one_of(
        inner.map(list_of),
        inner.map(map_of),
        st.lists(inner, max_size=3).map(struct_of),
    ),
    max_leaves=8,
)
SEPARATORS = [(",", ":"), (", ", ": "), (" ,\t", " :\r ")]


@st.composite
def files(draw: Any) -> Any:
    """A schema, records that fit it, and the text of their file."""
    names = draw(st.lists(texts.filter(lambda one: "\0" not in one), unique=True))
    fields = {name: draw(types) for name in names[:4]}
    members = {name: st.none() | one[1] for name, one in fields.items()}
    schema = pa.schema([(name, one[0]) for name, one in fields.items()])
    record = st.fixed_dictionaries({}, optional=members)
    records = draw(st.lists(record, max_size=15))
    text = draw(st.sampled_from(["", "\ufeff"]))
    for at, one in enumerate(records):
        line = json.dumps(
            one,
            ensure_ascii=draw(st.booleans()),
            separators=draw(st.sampled_from(SEPARATORS)),
        )
        # A member that stands twice: the last one counts.
        if one and draw(st.integers(0, 9)) == 0:
            name = json.dumps(next(iter(one)))
            line = f"{{{name}: null, {line[1:]}"
        text += line
        is_last = at == len(records) - 1
        ends = ["\n", "\r\n", "\n\n", "\n \t\n"] + [""] * is_last
        text += draw(st.sampled_from(ends))
    return schema, records, text.encode()


def table(scan: snooze.Scan) -> Any:
    """The table of a scan, fully validated."""
    found = pa.table(scan)
    found.validate(full=True)
    return found.combine_chunks()


@settings(max_examples=400, deadline=None)
@given(
    files(), st.integers(1, 300), st.integers(1, 400), st.integers(1, 3), st.booleans()
)
def test_every_way_to_read_a_file(
    tmp_path_factory: Any,
    case: Any,
    batch_bytes: int,
    part: int,
    threads: int,
    is_packed: bool,
) -> None:
    schema, records, text = case
    path = tmp_path_factory.mktemp("oracle") / f"a.ndjson{'.gz' * is_packed}"
    path.write_bytes(gzip.compress(text) if is_packed else text)
    options: dict[str, Any] = {"batch_bytes": batch_bytes, "threads": threads}
    scan = snooze.scan(path, schema, **options)
    expected = pa.Table.from_pylist(records, schema=schema)
    if not schema.names:
        assert sum(map(len, scan)) == len(records)
        return
    assert table(scan).equals(expected)
    parts = [table(one) for one in scan.splits(part)]
    whole = pa.concat_tables([schema.empty_table(), *parts])
    assert whole.combine_chunks().equals(expected)
    # And back: the lines say what the records said, with null for what they lacked.
    file = io.BytesIO()
    assert snooze.write_lines(scan, file) == len(records)
    again = snooze.scan(file.getvalue(), schema)
    assert table(again).equals(expected)


def same(found: Any, value: Any, kind: Any) -> bool:
    """Whether a column's value is that of a record; JSON text is read."""
    if isinstance(kind, pa.JsonType):
        return (found is None) == (value is None) and (
            found is None or json.loads(found) == value
        )
    if found is None or value is None:
        return found is value
    if pa.types.is_list(kind):
        pairs = zip(found, value, strict=True)
        return all(same(one, other, kind.value_type) for one, other in pairs)
    if pa.types.is_struct(kind):
        return set(value) <= set(found) and all(
            same(found[field.name], value.get(field.name), field.type) for field in kind
        )
    return bool(found == value)


@settings(max_examples=200, deadline=None)
@given(files(), st.sampled_from(["widen", "json"]), st.integers(1, 300))
def test_inferred_columns_hold_every_value(
    case: Any, drift: Any, batch_bytes: int
) -> None:
    _, records, text = case
    found = table(snooze.scan(text, drift=drift, batch_bytes=batch_bytes))
    assert found.num_rows == len(records)
    names = list(dict.fromkeys(name for one in records for name in one))
    assert found.column_names == names
    for field in found.schema:
        values = found[field.name].to_pylist()
        for value, record in zip(values, records, strict=True):
            assert same(value, record.get(field.name), field.type)


@settings(max_examples=200, deadline=None)
@given(files(), st.integers(1, 300))
def test_arrow_rs_takes_the_same_tables(case: Any, batch_bytes: int) -> None:
    """arro3 is arrow-rs for Python: it checks lengths, offsets and UTF-8 on import."""
    arro3 = pytest.importorskip(
        "arro3.core", reason="arro3 is not installed: NOT tested"
    )
    schema, _, text = case
    if not schema.names:
        return
    scan = snooze.scan(text, schema, batch_bytes=batch_bytes)
    taken = arro3.Table.from_arrow(scan)
    assert pa.schema(taken.schema) == schema
    assert pa.table(taken).combine_chunks().equals(table(scan))
    batches = [arro3.RecordBatch.from_arrow(batch) for batch in scan]
    assert sum(batch.num_rows for batch in batches) == taken.num_rows
