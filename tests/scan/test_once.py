"""Sources that can be read only once: all of their records, or an error, every time."""

import gzip
import io
import os
import threading
import time
from typing import Any, TypedDict

import pytest

import snooze

LINES = [b'{"i":%d}\n' % index for index in range(40)]


class Source:
    """A file that gives some lines, one each time, and fails at one of its reads."""

    def __init__(self, lines: list[bytes], *, fails_at: int | None = None) -> None:
        self.lines = iter(lines)
        self.fails_at = fails_at
        self.reads = 0

    def read(self, size: int) -> bytes:
        self.reads += 1
        if self.reads == self.fails_at:
            raise TimeoutError("no answer")
        return next(self.lines, b"")


def written(scan: snooze.Scan) -> bytes:
    """Return the records of a scan as lines."""
    file = io.BytesIO()
    snooze.write_lines(scan, file)
    return file.getvalue()


def failing_lines() -> Any:
    yield LINES[0]
    raise TimeoutError("no answer")


@pytest.mark.parametrize(
    ("source", "first"),
    [
        (lambda: Source(LINES, fails_at=2), TimeoutError),
        (failing_lines, TimeoutError),
        (lambda: iter([LINES[0], 5, LINES[1]]), TypeError),
    ],
)
def test_a_source_that_failed_is_not_read_on(source, first) -> None:
    scan = snooze.scan(source())
    with pytest.raises(first):
        scan.columns  # noqa: B018
    # What it had before is gone, and the rest is not all of it.
    for read in (written, list, lambda scan: scan.columns, lambda scan: scan.head(1)):
        with pytest.raises(RuntimeError, match=f"{first.__name__}.*make a new scan"):
            read(scan)


def test_a_source_that_can_be_read_again_fails_the_same_way() -> None:
    scan = snooze.scan([LINES[0], 5])  # type: ignore[list-item]
    for _ in range(2):
        with pytest.raises(TypeError, match="expected chunks of bytes"):
            list(scan)


def test_a_fifo_that_failed_is_not_read_on(tmp_path) -> None:
    path = tmp_path / "fifo.gz"
    os.mkfifo(path)
    cut = gzip.compress(LINES[0])[:-9]
    writer = threading.Thread(target=path.write_bytes, args=(cut,), daemon=True)
    writer.start()
    scan = snooze.scan(path)
    with pytest.raises(OSError, match="ends too early"):
        list(scan)
    writer.join(10)
    with pytest.raises(RuntimeError, match=r"OSError.*make a new scan"):
        list(scan)


def test_an_error_whose_text_fails_is_a_failure() -> None:
    class BrokenError(Exception):
        def __str__(self) -> str:
            list(scan)  # reads on, if it can
            raise AssertionError

    class Failing(Source):
        def read(self, size: int) -> bytes:
            if self.reads == 1:
                raise BrokenError
            return super().read(size)

    scan = snooze.scan(Failing(LINES))
    for failure in (BrokenError, RuntimeError):
        with pytest.raises(failure):
            list(scan)
    found: list[BaseException] = []

    def read() -> None:
        try:
            list(scan)
        except RuntimeError as error:
            found.append(error)

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    thread.join(10)
    assert "Broken" in str(found[0])


def test_scans_of_one_pipe_share_its_copy(tmp_path) -> None:
    path = tmp_path / "fifo"
    os.mkfifo(path)
    scan = snooze.scan(path, schema=TypedDict("Row", {"i": int}))
    first, selected = scan.head(1), scan.select(["i"])
    with pytest.raises(ValueError, match="can be read only once"):
        scan.splits()
    writer = threading.Thread(
        target=path.write_bytes, args=(b"".join(LINES),), daemon=True
    )
    writer.start()
    assert written(first) == LINES[0]
    assert written(selected) == written(scan) == b"".join(LINES)


def test_progress_does_not_wait() -> None:
    class Asking(Source):
        def read(self, size: int) -> bytes:
            progress.append(scan.progress)
            return super().read(size)

    progress: list[snooze.ScanProgress] = []
    scan = snooze.scan(Asking(LINES))
    assert scan.progress == ("rows", 0, 0, 0)
    assert written(scan) == b"".join(LINES)
    assert progress[0] == ("rows", 0, 0, 0)
    assert scan.progress.done == scan.progress.total > 0


def test_two_threads_each_get_all_records() -> None:
    class Slow(Source):
        def read(self, size: int) -> bytes:
            time.sleep(0.001)
            return super().read(size)

    scan = snooze.scan(Slow(LINES), drift="error")
    found: list[bytes] = []
    threads = [
        threading.Thread(target=lambda: found.append(written(scan))) for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [b"".join(LINES)] * 3


def test_a_source_that_reads_its_own_scan() -> None:
    class Own(Source):
        def read(self, size: int) -> bytes:
            if self.reads == 1:
                list(scan)
            return super().read(size)

    scan = snooze.scan(Own(LINES))
    with pytest.raises(RuntimeError, match="this scan is already being read"):
        list(scan)


def test_an_interrupted_read_is_a_failure() -> None:
    class Interrupted(Source):
        def read(self, size: int) -> bytes:
            if self.reads == 1:
                raise KeyboardInterrupt
            return super().read(size)

    scan = snooze.scan(Interrupted(LINES))
    with pytest.raises(KeyboardInterrupt):
        list(scan)
    with pytest.raises(RuntimeError, match="KeyboardInterrupt"):
        list(scan)


def test_chunks_that_are_not_contiguous() -> None:
    with pytest.raises(TypeError, match="expected chunks of contiguous memory"):
        list(snooze.scan([memoryview(b'{ "a" : 1 }')[::2]]))
