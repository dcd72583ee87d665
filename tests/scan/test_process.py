"""Scans and what happens to their process: signals, forks, the end of the interpreter.

Each test runs in a child, because it may hang or crash.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
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
    schema = snooze.scan(LINES) if reading else None
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
