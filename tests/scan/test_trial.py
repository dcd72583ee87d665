"""Scans without a schema: that of the first records is tried on all of them.

Separate from `test_drift`, which tests what schema records have. A trial only saves the
first of two passes: with and without it, columns, rows and errors are the same.
"""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import snooze
from helpers.arrow_rows import StreamError, rows
from snooze._scan import sources, streams

FIRST = [{"a": 1, "b": "x", "c": {"d": [1.5, None]}}] * 50
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.sampled_from([0, -1, 2**53 + 1, 2**63, 2**64 - 1, 2**70, 10**40])
    | st.sampled_from([0.5, 1.0, -0.0, 1e300, "", "x", "\u00e9"]),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from("abde"), inner, max_size=2)
    ),
    max_leaves=4,
)


def text_of(records: list[Any]) -> bytes:
    return b"".join(json.dumps(one).encode() + b"\n" for one in records)


class Passes:
    """What `streams` was asked to do."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.trials: list[bool] = []
        self.inferred: list[int] = []
        tried, seen = streams.tried, streams._seen

        def try_all(*given: Any, **options: Any) -> Any:
            found = tried(*given, **options)
            self.trials.append(found is not None)
            return found

        def see(opened: Any, ranges: Any, *given: Any, **options: Any) -> Any:
            self.inferred.append(sum(end - start for _, start, end in ranges))
            return seen(opened, ranges, *given, **options)

        monkeypatch.setattr(streams, "tried", try_all)
        monkeypatch.setattr(streams, "_seen", see)


@pytest.fixture
def passes(monkeypatch: pytest.MonkeyPatch) -> Passes:
    return Passes(monkeypatch)


def outcome(scan: Any) -> Any:
    """Return the columns and rows of a scan, or its error."""
    try:
        found = rows(scan)
    except (StreamError, ValueError) as error:
        return str(error), [tuple(one) for one in scan.problems]
    return found, scan.columns


def without_trial(text: bytes, **options: Any) -> Any:
    scan = snooze.scan(text, **options)
    # The columns are asked for first, so nothing is tried.
    try:
        _ = scan.columns
    except ValueError as error:
        return str(error), []
    return outcome(scan)


@pytest.mark.parametrize("threads", [1, 3])
def test_nothing_is_read_twice(passes: Passes, threads: int) -> None:
    text = text_of(FIRST * 40)
    scan = snooze.scan(text, threads=threads, batch_bytes=1000)
    found = rows(scan)
    assert passes.trials == [True]
    assert passes.inferred == [len(text) // 8]
    assert found == FIRST * 40
    assert scan.progress == ("rows", len(text), len(text), 2000)
    # The batches that were held are given once; the next stream reads again.
    assert rows(scan) == found
    assert passes.trials == [True]


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.dictionaries(st.sampled_from("abce"), VALUES, max_size=3), max_size=3),
    st.integers(0, 2),
    st.sampled_from([None, ("b", "c"), ("c", "e"), ("e",)]),
    st.sampled_from([1, 2]),
    st.sampled_from([b"", b"\n\n", b"[]", b'{"a":1}}', b'{"a":1,"a":"x"}', b"\xff"]),
)
def test_what_follows_decides_nothing_wrong(
    later: list[Any], at: int, columns: Any, threads: int, wrong: bytes
) -> None:
    records = [*FIRST, *FIRST[:at], *later, *FIRST[at:]]
    text = text_of(records) + wrong
    options = {"columns": columns, "threads": threads, "batch_bytes": 500}
    scan = snooze.scan(text, **options)
    assert outcome(scan) == without_trial(text, **options)


def test_a_late_member_ends_the_trial(passes: Passes) -> None:
    text = text_of([*FIRST, {"late": 1}])
    scan = snooze.scan(text, threads=1)
    assert rows(scan)[-1]["late"] == 1
    assert passes.trials == [False]
    assert passes.inferred[1:] == [len(text)]


@pytest.mark.parametrize(
    "option",
    [
        {"errors": "skip"},
        {"check": "read"},
        {"where": "a == 1"},
        {"limit": 5},
        {"drift": "json"},
        {"drift": "error"},
        {"drift": "rest"},
    ],
)
def test_some_options_need_all_records_first(
    passes: Passes, option: dict[str, Any]
) -> None:
    rows(snooze.scan(text_of(FIRST), **option))
    assert passes.trials == []


def test_decimals_are_not_tried(passes: Passes) -> None:
    # 1.0 fits a decimal, but not beside such integers.
    text = text_of([{"a": 2**70}] * 50 + [{"a": 1.0}])
    scan = snooze.scan(text)
    assert scan.columns == {"a": "arrow.json"}
    scan = snooze.scan(text)
    rows(scan)
    assert (scan.columns, passes.trials) == ({"a": "arrow.json"}, [False])


def test_batches_that_need_much_memory_are_not_held(
    passes: Passes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "MAX_HELD", 10_000)
    opened = []

    def spy(*given: Any) -> Any:
        opened.append(found := scan_open(*given))
        return found

    scan_open = streams._snooze.scan_open
    monkeypatch.setattr(streams._snooze, "scan_open", spy)
    text = text_of(FIRST * 100)
    seen: list[Any] = []
    scan = snooze.scan(text, threads=1, batch_bytes=1000)
    assert sum(len(one) for one in scan.batches(seen.append)) == 5000
    assert passes.trials == [False]
    assert [one is None for one in opened] == [True, False]
    # The first batches tell: the trial did not go far.
    assert [one.phase for one in seen].count("schema") <= 3
    monkeypatch.setattr(streams, "MAX_TRIED", len(text) - 1)
    rows(snooze.scan(text))
    assert len(opened) == 3
    # Of some columns it may still have little.
    rows(snooze.scan(text, columns=["a"], batch_bytes=1000))
    assert passes.trials[1:] == [False, False]
    assert len(opened) == 5


def test_small_batches_are_counted_whole(
    passes: Passes, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Each has a record of 8 bytes of column, and much more around it.
    monkeypatch.setattr(streams, "MAX_HELD", 100_000)
    text = b'{"a":1}\n' * 5000
    assert len(rows(snooze.scan(text, batch_bytes=1))) == 5000
    assert len(rows(snooze.scan(text))) == 5000
    assert passes.trials == [False, True]


def test_what_is_wrong_in_the_sample_ends_the_trial(
    passes: Passes, tmp_path: Any
) -> None:
    packed = bytearray(gzip.compress(b'{"a":1}\n' * 200))
    # A reserved flag, which Python's reader ignores, too.
    packed[3] |= 0x20
    path = tmp_path / "a.ndjson.gz"
    path.write_bytes(packed)
    assert len(rows(snooze.scan(path))) == 200
    assert passes.trials == [True]
    packed[2] = 7
    path.write_bytes(packed)
    with pytest.raises(OSError, match="gzip"):
        rows(snooze.scan(path))
    named = b'{"a\\u0000":1}\n' * 200
    for columns in (None, ("a\0",), ("b", "b")):
        with pytest.raises(ValueError, match=r"U\+0000|different names|no record"):
            rows(snooze.scan(named, columns=columns))


def test_a_wrong_record_after_the_head_adds_no_column() -> None:
    text = text_of(FIRST) + b'{"zz":1,\n' + text_of(FIRST)
    scan = snooze.scan(text)
    assert list(scan.columns) == ["a", "b", "c"]
    assert rows(scan.head(50)) == FIRST
    with pytest.raises(StreamError, match="line 51"):
        rows(scan)


def test_progress_during_a_trial_copies_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    path = tmp_path / "a.ndjson.gz"
    path.write_bytes(gzip.compress(text_of(FIRST * 400)))
    scan = snooze.scan(path, threads=1, batch_bytes=20_000)
    totals = set()

    def see(one: Any) -> None:
        totals.update((one.total, scan.progress.total))

    monkeypatch.delattr(sources.Opened, "add_copy")
    assert sum(len(one) for one in scan.batches(see)) == 20_000
    assert totals == {path.stat().st_size}


def test_bytes_after_the_last_row_count_with_the_last_batch() -> None:
    text = text_of(FIRST) + b"\n" * 20_000
    scan = snooze.scan(text, threads=1, batch_bytes=1000)
    stream = scan.__arrow_c_stream__()
    assert scan.progress.done == 0
    assert len(rows(Once(stream))) == 50
    assert scan.progress.done == len(text)
    scan = snooze.scan(b"\n" * 2000, batch_bytes=100)
    assert rows(scan) == []
    assert scan.progress.done == 2000


def test_progress_of_the_schema_never_falls() -> None:
    text = text_of([*FIRST * 400, {"late": 1}])
    seen: list[Any] = []
    scan = snooze.scan(text, threads=1, batch_bytes=100_000)
    assert sum(len(one) for one in scan.batches(seen.append)) == 20_001
    done = [one.done for one in seen if one.phase == "schema"]
    assert done == sorted(set(done))
    assert done[-1] == len(text)


def test_gzip_is_decompressed_once(
    passes: Passes, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    path = tmp_path / "a.ndjson.gz"
    path.write_bytes(gzip.compress(text_of(FIRST * 40)))
    copies: list[str] = []
    add_copy = sources.Opened.add_copy

    def spy(self: Any, name: str, chunks: Any) -> None:
        copies.append(name)
        add_copy(self, name, chunks)

    monkeypatch.setattr(sources.Opened, "add_copy", spy)
    assert rows(snooze.scan(path)) == FIRST * 40
    assert (passes.trials, copies) == ([True], [])
    # What does not fit is found in a copy, because it is read twice.
    path.write_bytes(gzip.compress(text_of([*FIRST * 40, {"late": 1}])))
    assert rows(snooze.scan(path))[-1]["late"] == 1
    assert (passes.trials, copies) == ([True, False], [str(path)])


def test_progress_is_that_of_the_schema_first() -> None:
    text = text_of(FIRST * 40)
    seen: list[Any] = []
    scan = snooze.scan(text, threads=1, batch_bytes=20_000)
    assert sum(len(one) for one in scan.batches(seen.append)) == 2000
    half = len(seen) // 2
    assert [one.phase for one in seen] == ["schema"] * half + ["rows"] * half
    for part in (seen[:half], seen[half:]):
        done = [one.done for one in part]
        assert done == sorted(done)
        assert done[-1] == part[-1].total == len(text)
    assert [one.rows for one in seen[half:]][-1] == 2000


def test_an_exception_of_progress_ends_the_trial() -> None:
    scan = snooze.scan(text_of(FIRST * 40), threads=2, batch_bytes=1000)

    def stop(_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        next(scan.batches(stop))
    assert len(rows(scan)) == 2000


def test_a_file_may_go_after_the_trial(tmp_path: Any) -> None:
    path = tmp_path / "a.ndjson"
    path.write_bytes(text_of(FIRST * 40))
    scan = snooze.scan(path)
    stream = scan.__arrow_c_stream__()
    path.unlink()
    # Everything was read.
    assert len(rows(Once(stream))) == 2000
    with pytest.raises(FileNotFoundError):
        rows(scan)


class Once:
    """A stream that was opened before."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        return self.stream


def test_inference_is_the_same_on_several_threads() -> None:
    # Pieces for inference have 16 MiB.
    filler = text_of([{"a": 1, "b": "x" * 999_000}])
    text = b"".join(
        filler * 17 + text_of([{"a": at, f"m{at}": None, "late": at / 2}])
        for at in range(4)
    )
    one, several = (snooze.scan(text, threads=threads) for threads in (1, 4))
    assert list(several.columns) == ["a", "b", "m0", "late", "m1", "m2", "m3"]
    assert one.columns == several.columns
