"""Scans and what happens to their process: signals, forks, the end of the interpreter.

Each test runs in a child, because it may hang or crash.
"""

from __future__ import annotations

import contextlib
import gzip
import os
import signal
import sys
import threading
import time
import warnings
from pathlib import Path
from typing import Any

import pytest

import snooze
from helpers.isolated import in_child

pytestmark = pytest.mark.skipif(
    not hasattr(os, "fork"), reason="POSIX processes: NOT tested here"
)
LINES = b'{"number":12345,"text":"some words"}\n'
KEPT: list[Any] = []


def interrupt(reading: bool) -> str:
    """Interrupt an inference, or a loop over batches."""

    def ring(*_: object) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGALRM, ring)
    text = LINES * 3_000_000
    # What a first scan imports is there: before 3.12 an interrupt among the statements of a
    # class can be another exception.
    schema = snooze.scan(LINES)
    assert sum(len(batch) for batch in schema) == 1
    schema = schema if reading else None
    try:
        scan = snooze.scan(text, schema, threads=2, batch_bytes=1 << 20)
        signal.setitimer(signal.ITIMER_REAL, 0.005)
        for _ in scan:
            pass
    except KeyboardInterrupt:
        # The scan can be read again.
        signal.setitimer(signal.ITIMER_REAL, 0)
        assert sum(len(batch) for batch in snooze.scan(LINES * 9)) == 9
        return "interrupted"
    return "not interrupted"


@pytest.mark.parametrize("reading", [False, True])
def test_a_signal_interrupts(reading: bool) -> None:
    assert in_child(interrupt, reading).strip() == "interrupted"


def fork_while_reading() -> str:
    """Fork with threads that read; both processes go on."""
    lines = LINES * 100_000
    scan = snooze.scan(lines, drift="error", threads=2, batch_bytes=100_000)
    stream = iter(scan)
    first = len(next(stream))
    child = os.fork()
    if child == 0:
        code = 1
        try:
            list(stream)
        except OSError as error:
            code = 0 if "forked" in str(error) else 2
        del stream
        again = sum(len(batch) for batch in snooze.scan(LINES * 9, threads=1))
        os._exit(code if again == 9 else 3)
    assert os.waitpid(child, 0)[1] == 0
    assert first + sum(len(batch) for batch in stream) == 100_000
    return "both"


def test_a_fork_ends_the_scan_of_the_child() -> None:
    assert in_child(fork_while_reading).strip() == "both"


def fork_while_decompressing(place: str) -> str:
    """Fork while a thread decompresses, also from the callback of a trial."""
    schema = snooze.scan(b'{"number":1,"text":"a"}')
    for attempt in range(6):
        child = -1

        def fork_once(*_: object) -> None:
            nonlocal child
            if child == -1:
                child = os.fork()

        try:
            if attempt % 2:
                for _ in snooze.scan(place, threads=3).batches(fork_once):
                    pass
            else:
                scan = snooze.scan(place, schema, threads=3, batch_bytes=1 << 20)
                for _ in scan:
                    fork_once()
        except OSError as error:
            os._exit(0 if "forked" in str(error) else 2)
        if child == 0:
            os._exit(0)  # the threads had ended
        assert os.waitpid(child, 0)[1] == 0
    return "both"


def test_a_fork_ends_the_decompression_of_the_child(tmp_path: Path) -> None:
    """A thread that the child does not have may hold the lock of the file."""
    place = tmp_path / "lines.gz"
    texts = (os.urandom(index % 80).hex() for index in range(200_000))
    lines = "".join(f'{{"number":{n},"text":"{t}"}}\n' for n, t in enumerate(texts))
    place.write_bytes(gzip.compress(lines.encode(), 1))
    said = in_child(fork_while_decompressing, str(place), timeout=60)
    assert said.strip() == "both"


def keep_until_exit() -> str:
    """Keep half-read streams and their threads until the interpreter has ended."""
    for threads in (1, 4):
        scan = snooze.scan(
            LINES * 200_000, drift="error", threads=threads, batch_bytes=99_999
        )
        stream = iter(scan)
        next(stream)
        KEPT.append(stream)
    KEPT.append(snooze.scan(bytearray(LINES * 9)).__arrow_c_stream__())
    sys.modules["kept by nobody else"] = KEPT  # type: ignore[assignment]
    return "kept"


def test_streams_that_outlive_the_interpreter() -> None:
    assert in_child(keep_until_exit).strip() == "kept"


def read_until_exit() -> None:
    """Leave a daemon thread inside a scan, without the GIL for most of the time."""
    scan = snooze.scan(LINES * 100_000, threads=1)
    started = threading.Event()

    def read() -> None:
        while True:
            for _ in scan:
                started.set()

    threading.Thread(target=read, daemon=True).start()
    started.wait()


@pytest.mark.parametrize("attempt", range(6))
def test_a_daemon_thread_reads_until_exit(attempt: int) -> None:
    """CPython before 3.14 ends the thread where it asks for the GIL.

    A wheel with its own unwinder died of that in half of the runs; other builds did not.
    """
    assert in_child(read_until_exit) == "", f"attempt {attempt}"


def drop_elsewhere() -> str:
    """Drop streams on other threads while this one scans."""
    for turn in range(50):
        lines = bytearray(LINES * 3000)
        # One that reads on, and one that holds all its batches.
        drift = ("error", "widen")[turn % 2]
        scan = snooze.scan(lines, drift=drift, threads=2, batch_bytes=9999)
        stream = [iter(scan)]
        next(stream[0])
        thread = threading.Thread(target=stream.clear)
        thread.start()
        assert sum(len(batch) for batch in snooze.scan(LINES * 99)) == 99
        thread.join()
    return "dropped"


def test_streams_dropped_on_other_threads() -> None:
    assert in_child(drop_elsewhere).strip() == "dropped"


def ask_in_forks(name: str) -> str:
    """Ask for what a scan has found, in forks made while another thread reads it."""
    warnings.simplefilter("ignore")  # 3.12 on: a fork of a process with threads
    scan = snooze.scan(LINES * 20_000, batch_bytes=64, threads=1)
    assert list(scan.columns) == ["number", "text"]
    ends = time.monotonic() + 20

    def read() -> None:
        while time.monotonic() < ends:
            for _ in scan:
                pass

    threading.Thread(target=read, daemon=True).start()
    for number in range(150):
        if time.monotonic() > ends:
            break
        child = os.fork()
        if child == 0:
            try:
                getattr(scan, name)
            except RuntimeError as error:
                os._exit(0 if "forked" in str(error) else 1)
            os._exit(0)
        for _ in range(1000):
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                break
            time.sleep(0.01)
        else:
            os.kill(child, signal.SIGKILL)
            return f"child {number} hangs"
        assert status == 0
    return "none hangs"


@pytest.mark.parametrize("name", ["progress", "problem_count", "problems"])
def test_a_fork_may_ask(name: str) -> None:
    """It has a copy of a lock that another thread may have had."""
    assert in_child(ask_in_forks, name).strip() == "none hangs"


class Producer:
    """A stream that several consumers take."""

    def __init__(self, capsule: Any) -> None:
        self.capsule = capsule

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        return self.capsule


def take_while_reading() -> str:
    """Let `write_lines` take streams that another thread reads."""
    for _ in range(60):
        scan = snooze.scan(LINES * 100_000, batch_bytes=1 << 20)
        assert len(scan.columns) == 2  # so that the stream reads
        capsule = scan.__arrow_c_stream__()
        is_reading = threading.Event()

        def read(capsule: Any = capsule, started: Any = is_reading) -> None:
            try:
                while snooze._snooze.scan_next(capsule) is not None:
                    started.set()
            except ValueError as error:
                assert "consumed elsewhere" in str(error)
            started.set()

        thread = threading.Thread(target=read)
        thread.start()
        is_reading.wait()
        with contextlib.suppress(ValueError):
            snooze.write_lines(Producer(capsule), os.devnull)
        thread.join()
    return "alive"


def test_a_stream_is_taken_while_it_is_read() -> None:
    """The second one finds a stream that was consumed."""
    assert in_child(take_while_reading).strip() == "alive"


def read_by_several() -> str:
    """Read one stream by several threads, which change places as often as they can."""
    sys.setswitchinterval(1e-6)
    for _ in range(10):
        scan = snooze.scan(LINES * 20_000, batch_bytes=256)
        assert len(scan.columns) == 2  # so that the stream reads
        capsule, rows, ends = scan.__arrow_c_stream__(), [], []

        def read(capsule: Any = capsule, rows: Any = rows, ends: Any = ends) -> None:
            for _ in range(2_000_000):
                try:
                    found = snooze._snooze.scan_next(capsule)
                except ValueError as error:
                    assert "consumed elsewhere" in str(error)
                    continue
                if found is None:
                    ends.append(None)
                    return
                rows.append(found[1])

        threads = [threading.Thread(target=read) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert (sum(rows), len(ends)) == (20_000, 4)
    return "all"


def test_a_stream_is_read_by_several_threads() -> None:
    """A thread that comes too early takes nothing from the one that reads."""
    assert in_child(read_by_several).strip() == "all"


def fork_while_inferring() -> str:
    """Fork in the function that reports how far an inference by two threads is."""
    child = None

    def report(progress: snooze.ScanProgress) -> None:
        nonlocal child
        if child is None and progress.phase == "schema":
            child = os.fork()

    scan = snooze.scan(LINES * 1_500_000, errors="skip", threads=2)
    try:
        rows = sum(len(batch) for batch in scan.batches(report))
    except OSError as error:
        os._exit(0 if "forked during this scan" in str(error) else 2)
    if not child:
        os._exit(3)
    assert os.waitpid(child, 0)[1] == 0
    return str(rows)


def test_a_fork_ends_the_inference_of_the_child() -> None:
    assert in_child(fork_while_inferring).strip() == "1500000"


def start_no_thread(inferred: bool) -> str:
    """Scan where there is no memory for the stack of a thread."""
    import resource

    schema = None if inferred else snooze.scan(LINES)
    size = {} if inferred else {"batch_bytes": 90}
    text = LINES * (1_000_000 if inferred else 100)
    scan = snooze.scan(text, schema, threads=2, errors="skip", **size)
    scan_alone = snooze.scan(LINES * 9, schema, threads=1)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + (700 << 10)
    resource.setrlimit(resource.RLIMIT_AS, (most, resource.RLIM_INFINITY))
    try:
        list(scan)
    except OSError as error:
        assert sum(len(batch) for batch in scan_alone) == 9
        return str(error)
    return "nothing"


@pytest.mark.skipif(
    not Path("/proc/self/statm").exists(), reason="Linux only: NOT tested here"
)
@pytest.mark.parametrize("inferred", [False, True])
def test_no_thread_can_be_started(inferred: bool) -> None:
    """Not a lack of memory to an allocation: the remedy is one thread."""
    assert "no thread could be started; use threads=1" in in_child(
        start_no_thread, inferred
    )
