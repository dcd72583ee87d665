"""Files in gzip: decompressed while they are read.

Separate from `test_scan`, because their text cannot be read at any place.
"""

from __future__ import annotations

import gzip
import pickle
import random
from typing import Any, TypedDict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import snooze
from helpers.arrow_rows import rows


class Row(TypedDict):
    """The columns of the files here."""

    a: int
    b: str


def text_of(count: int, seed: int = 1) -> bytes:
    rng = random.Random(seed)
    return b"".join(
        b'{"a":%d,"b":"%s"}\n' % (at, b"x" * rng.randrange(90)) for at in range(count)
    )


def written(path: Any, *members: bytes) -> str:
    path.write_bytes(b"".join(map(gzip.compress, members)))
    return str(path)


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("batch_bytes", [1, 1000, 16 << 20])
def test_the_rows_are_those_of_the_text(tmp_path, threads, batch_bytes) -> None:
    text = text_of(20_000)
    path = written(tmp_path / "a.ndjson.gz", text)
    scan = snooze.scan(path, Row, threads=threads, batch_bytes=batch_bytes)
    assert rows(scan) == rows(snooze.scan(text, Row))
    assert scan._once.copied is None


@settings(max_examples=40)
@given(
    st.lists(
        st.sampled_from([b"", b'{"a":1}\n', b'{"a":2}', b"\n", b"\r\n"]), max_size=9
    ),
    st.lists(st.integers(0, 60), max_size=3),
    st.integers(1, 20),
    st.integers(1, 3),
)
def test_members_of_the_file_are_one_text(
    tmp_path_factory, parts, cuts, batch_bytes, threads
) -> None:
    text = b"\xef\xbb\xbf" + b"".join(parts)
    cuts = sorted(min(cut, len(text)) for cut in cuts)
    members = [
        text[start:end]
        for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)
    ]
    path = written(tmp_path_factory.mktemp("gzip") / "a.gz", *members)
    options = {"batch_bytes": batch_bytes, "threads": threads, "errors": "collect"}
    schema = snooze.scan(b'{"a":1}')
    plain, compressed = (
        snooze.scan(source, schema, **options)  # type: ignore[arg-type]
        for source in (text, path)
    )
    assert rows(compressed) == rows(plain)
    seen = [
        [(one.line, one.offset, one.found, one.text) for one in scan.problems]
        for scan in (plain, compressed)
    ]
    assert seen[0] == seen[1]


@pytest.mark.parametrize("drift", [None, "widen", "error", "rest"])
def test_inferred_columns(tmp_path, drift) -> None:
    text = text_of(9000)
    path = written(tmp_path / "a.ndjson.gz", text)
    scan = snooze.scan(path, drift=drift)
    assert scan.columns["a"] == "int64"
    plain = snooze.scan(text, drift=drift)
    assert rows(scan) == rows(plain)
    assert rows(scan) == rows(plain)


def test_the_first_text_decides_the_columns(tmp_path) -> None:
    # The compressed file is much smaller than the sample.
    late = b'{"a":1}\n' * 5000 + b'{"a":1,"c":2}\n' + b'{"a":1}\n' * 600_000
    path = written(tmp_path / "a.ndjson.gz", late)
    assert set(snooze.scan(path, drift="error").columns) == {"a", "c"}
    later = b'{"a":1}\n' * 600_000 + b'{"a":1,"c":2}\n'
    path = written(tmp_path / "b.ndjson.gz", later)
    with pytest.raises(snooze.ScanError, match=r"line 600001, byte 4800007"):
        list(snooze.scan(path, drift="error"))


def test_files_beside_each_other(tmp_path) -> None:
    for name, count in (("a", 300), ("b", 0), ("c", 7)):
        written(tmp_path / f"{name}.gz", text_of(count))
    (tmp_path / "d").write_bytes(text_of(5))
    scan = snooze.scan(tmp_path / "*", Row, batch_bytes=500, threads=3)
    assert [row["a"] for row in rows(scan)] == [*range(300), *range(7), *range(5)]
    parts = pickle.loads(pickle.dumps(scan.splits(60)))
    assert [row["a"] for part in parts for row in rows(part)] == [
        *range(300),
        *range(7),
        *range(5),
    ]


def test_progress_is_that_of_the_file(tmp_path) -> None:
    path = written(tmp_path / "a.ndjson.gz", text_of(5000), text_of(1))
    size = (tmp_path / "a.ndjson.gz").stat().st_size
    seen: list[snooze.ScanProgress] = []
    scan = snooze.scan(path, Row, batch_bytes=20_000, threads=2)
    assert scan.progress == ("rows", 0, size, 0)
    assert sum(map(len, scan.batches(seen.append))) == 5001
    assert seen[-1] == ("rows", size, size, 5001)
    assert len(seen) > 10
    assert sorted(one.done for one in seen) == [one.done for one in seen]


@pytest.mark.parametrize("threads", [1, 3])
def test_a_limit_stops_before_what_is_wrong(tmp_path, threads) -> None:
    text = text_of(200) + b"[" + text_of(5000)
    path = written(tmp_path / "a.ndjson.gz", text)
    scan = snooze.scan(path, Row, batch_bytes=999, threads=threads)
    assert len(rows(scan.head(200))) == 200
    with pytest.raises(snooze.ScanError, match=r"a\.ndjson\.gz, line 201, "):
        list(scan.head(201))


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda file: file[:-9], "ends too early"),
        (lambda file: file[:5], "ends too early"),
        (lambda file: file + b"more", "not a gzip file"),
        (lambda file: b"{}" + file, "not a gzip file"),
        (lambda file: file[:-5] + b"\xff" + file[-4:], "checksum"),
        (lambda file: file[:300] + b"\xff" * 300 + file[600:], "damaged"),
    ],
)
def test_a_damaged_file_is_an_error(tmp_path, threads, change, message) -> None:
    path = tmp_path / "a.ndjson.gz"
    path.write_bytes(change(gzip.compress(text_of(9000))))
    scan = snooze.scan(path, Row, threads=threads, batch_bytes=50_000)
    for _ in range(2):
        with pytest.raises(OSError, match=rf"a\.ndjson\.gz: .*{message}"):
            list(scan)
    path.unlink()
    with pytest.raises(FileNotFoundError):
        list(scan)


def test_an_empty_file_and_padding(tmp_path) -> None:
    path = tmp_path / "a.ndjson.gz"
    path.write_bytes(b"")
    assert rows(snooze.scan(path, Row)) == []
    path.write_bytes(gzip.compress(text_of(3)) + bytes(512))
    assert len(rows(snooze.scan(path, Row))) == 3


def test_lines_longer_than_a_batch(tmp_path) -> None:
    long = b'{"a":1,"b":"' + b"y" * 3_000_000 + b'"}\n'
    path = written(tmp_path / "a.ndjson.gz", long + text_of(2) + long[:-1])
    scan = snooze.scan(path, Row, batch_bytes=1000, threads=2)
    assert [len(row["b"]) > 100 for row in rows(scan)] == [True, False, False, True]


def test_streams_are_independent(tmp_path) -> None:
    path = written(tmp_path / "a.ndjson.gz", text_of(3000))
    scan = snooze.scan(path, Row, batch_bytes=9999, threads=2)
    pairs = list(zip(scan, scan, strict=True))
    assert len(pairs) > 3
    assert sum(len(one) for one, _ in pairs) == sum(len(two) for _, two in pairs)


@pytest.mark.parametrize("drift", ["error", "rest", "widen"])
def test_a_byte_order_mark_is_no_part_of_a_name(tmp_path, drift) -> None:
    text = b'\xef\xbb\xbf{"z":1,"a":2}\n{"a":3}\n'
    path = written(tmp_path / "a.ndjson.gz", text)
    scan = snooze.scan(path, drift=drift)
    assert [(row["z"], row["a"]) for row in rows(scan)] == [(1, 2), (None, 3)]


@pytest.mark.parametrize("drift", ["error", "rest", "widen"])
def test_columns_and_conditions_of_no_text(tmp_path, drift) -> None:
    path = written(tmp_path / "a.ndjson.gz", b"")
    assert rows(snooze.scan(path, columns=["a"], drift=drift)) == []
    assert rows(snooze.scan(path, where="a > 1", drift=drift)) == []
    again = pickle.loads(pickle.dumps(snooze.scan(path, drift=drift)))
    assert rows(again.where("a > 1")) == []


@pytest.mark.parametrize("batch_bytes", [20, 16 << 20])
def test_progress_ends_at_the_size_of_the_file(tmp_path, batch_bytes) -> None:
    path = tmp_path / "a.ndjson.gz"
    path.write_bytes(gzip.compress(b'{"a":1,"b":"x"}\n' * 9) + bytes(1000))
    seen: list[snooze.ScanProgress] = []
    scan = snooze.scan(path, Row, batch_bytes=batch_bytes, threads=1)
    assert sum(map(len, scan.batches(seen.append))) == 9
    assert seen[-1].done == seen[-1].total == path.stat().st_size
