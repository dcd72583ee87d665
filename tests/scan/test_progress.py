"""How far a scan has come: `batches(progress)` and `progress`.

Separate because callbacks run user code between batches.
"""

from __future__ import annotations

import gzip
import os
import signal
import threading
from typing import Any

import pytest

import snooze
from helpers.arrow_rows import rows as rows_of

LINES = b'{"a": 1, "b": "x"}\n' * 1000
SCHEMA = snooze.scan(LINES[:40])


@pytest.mark.parametrize("threads", [1, 3])
def test_calls(threads: int) -> None:
    seen: list[snooze.ScanProgress] = []
    scan = snooze.scan(LINES, SCHEMA, batch_bytes=1900, threads=threads)
    rows = [len(batch) for batch in scan.batches(seen.append)]
    assert sum(rows) == 1000
    assert [one.phase for one in seen] == ["rows"] * len(rows)
    assert [one.done for one in seen] == [1900 * at for at in range(1, 11)]
    assert [one.rows for one in seen] == [100 * at for at in range(1, 11)]
    assert {one.total for one in seen} == {len(LINES)}
    assert seen[-1] == scan.progress


def test_where_nothing_passes() -> None:
    seen: list[int] = []
    scan = snooze.scan(LINES, SCHEMA, batch_bytes=1900, where="a == 2")
    assert list(scan.batches(lambda one: seen.append(one.done))) == []
    assert len(seen) == 10
    assert list(scan) == []
    # A stream for others has no empty batches.
    assert rows_of(scan) == []


def test_inference_comes_first() -> None:
    lines = b'{"a": 1}\n' * (4 << 20)
    seen: list[snooze.ScanProgress] = []
    assert sum(map(len, snooze.scan(lines).batches(seen.append))) == 4 << 20
    assert [one.phase for one in seen] == ["schema"] * 3 + ["rows"] * 3
    assert seen[2] == ("schema", len(lines), len(lines), 0)


def test_copies_count_decompressed(tmp_path: Any) -> None:
    path = tmp_path / "a.ndjson.gz"
    path.write_bytes(gzip.compress(LINES))
    scan = snooze.scan(str(path))
    assert scan.progress == ("rows", 0, 0, 0)  # nothing is known yet
    assert list(scan.columns)
    assert scan.progress == ("rows", 0, len(LINES), 0)
    assert rows_of(scan)
    assert scan.progress == ("rows", len(LINES), len(LINES), 1000)


def test_the_thread_is_the_callers() -> None:
    threads = []
    scan = snooze.scan(LINES, batch_bytes=1900, threads=3)
    for _ in scan.batches(lambda _: threads.append(threading.get_ident())):
        pass
    assert set(threads) == {threading.get_ident()}


class Stop(Exception):  # noqa: N818 - not an error
    """What a callback raises."""


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("schema", [None, SCHEMA])
def test_exceptions_end_the_scan(threads: int, schema: Any) -> None:
    def stop(_: snooze.ScanProgress) -> None:
        raise Stop

    scan = snooze.scan(LINES, schema, batch_bytes=1900, threads=threads)
    with pytest.raises(Stop):
        list(scan.batches(stop))
    # The scan is as good as new.
    assert len(rows_of(scan)) == 1000


@pytest.mark.skipif(os.name == "nt", reason="signals differ: NOT tested")
def test_interrupts() -> None:
    seen = []

    def interrupt(one: snooze.ScanProgress) -> None:
        seen.append(one)
        os.kill(os.getpid(), signal.SIGINT)

    scan = snooze.scan(LINES, SCHEMA, batch_bytes=1900, where="a == 2")
    # A process that a shell runs in the background ignores SIGINT.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            list(scan.batches(interrupt))
    finally:
        signal.signal(signal.SIGINT, before)
    assert len(seen) == 1


def test_a_callback_may_use_the_scan() -> None:
    scan = snooze.scan(LINES, SCHEMA, batch_bytes=1900)
    found = []
    for _ in scan.batches(lambda _: found.append(len(rows_of(scan.head(3))))):
        pass
    assert found == [3] * 10
