"""A Decoder with threads: without memory, thousands of times, and beside other threads.

In the tests without memory no thread is made: which of several threads an allocation
fails in is chance, CPython's own start of a thread may wait for ever then, and its set
of threads keeps a reference for each that dies.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import json
import threading
from typing import Any

import pytest

from helpers import ledger
from helpers.isolated import in_child, needs_module
from helpers.starvation import each_failure_of, is_lost, outcome_of
from snooze import Decoder, _snooze
from snooze._typed import parallel

ITEMS = [{"id": n, "name": f"item {n}", "at": [n / 7, None]} for n in range(40)]
TEXT = json.dumps(ITEMS).encode()
WRONG = TEXT.replace(b"39", b"x9")


class NoThreads:
    """Stand for `threading` where no thread can be started."""

    def Thread(self, **_: Any) -> Any:  # noqa: N802 - of threading
        raise RuntimeError("can't start new thread")


def cut_small_documents() -> None:
    """Let documents of any size be cut from now on, on each build."""
    parallel._SMALLEST = 200  # type: ignore[misc]
    parallel._is_parallel = lambda: True


def calls() -> dict[str, Any]:
    """Return the calls that are starved."""
    cut_small_documents()
    many: Decoder[Any] = Decoder(list[dict[str, Any]], threads=3)
    return {
        "cuts": lambda: _snooze.array_cuts(TEXT, 9),
        "joined": lambda: _snooze.join_lists([[1.5, "a"], [], [2, 3] * 9]),
        "not joined": lambda: _snooze.join_lists([[1.5, "a"], (2,)]),  # type: ignore[list-item]
        "decoded": functools.partial(many.decode, TEXT),
        "validated": functools.partial(many.validate_only, TEXT),
        "wrong": functools.partial(many.decode, WRONG),
    }


def starve() -> str:
    """In a child: every failure of each call, then what was left behind."""
    parallel.threading = NoThreads()  # type: ignore[assignment]
    return each_failure_of(calls(), tolerated=is_lost)


@pytest.mark.slow
@needs_module("_testcapi")
def test_failing_allocations() -> None:
    """MemoryError or the usual outcome each time, and nothing is leaked."""
    lines = in_child(starve).splitlines()
    counts = {line.split(":")[0]: int(line.rpartition(" ")[2]) for line in lines}
    assert len(counts) == 6
    assert all(counts.values()), counts


def starve_rust() -> int:
    """In a child: every failing allocation of Rust."""
    parallel.threading = NoThreads()  # type: ignore[assignment]
    total = 0
    for name, call in calls().items():
        expected = outcome_of(call)
        for failing in range(400):
            _snooze._starve(failing)  # type: ignore[attr-defined]
            found = outcome_of(call)
            left = _snooze._starve(-1)  # type: ignore[attr-defined]
            starved = isinstance(found, tuple) and found[0] is MemoryError
            assert starved or repr(found) == repr(expected), name
            total += starved
            if left >= 0:
                break
    assert total
    return total


@pytest.mark.skipif(not _snooze.checked, reason="only a checked build can starve Rust")
def test_failing_allocations_of_rust() -> None:
    """MemoryError, and no abort."""
    in_child(starve_rust)


def leave() -> str:
    """In a child: what calls leave behind, with threads."""
    for name, call in calls().items():

        def repeat(times: int, call: Any = call) -> None:
            for _ in range(times):
                outcome_of(call)

        repeat(20)
        assert not (left := ledger.grown(repeat, 100)), f"{name}: {left}"
    return "nothing"


def test_calls_leave_nothing_behind() -> None:
    """Neither values, nor errors, nor threads."""
    assert in_child(leave).strip() == "nothing"


def meddle() -> str:
    """In a child: threads that change every list they find, while others decode."""
    cut_small_documents()
    many: Decoder[Any] = Decoder(threads=3)
    ends = threading.Event()

    def change() -> None:
        while not ends.is_set():
            for found in gc.get_objects():
                # The parts: lists of dicts that nothing else refers to.
                with contextlib.suppress(IndexError):
                    if type(found) is list and type(found[0]) is dict:
                        found.append(found[0])
                        found.pop()

    threads = [threading.Thread(target=change) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(300):
            assert {one["id"] for one in many.decode(TEXT)} <= set(range(40))
    finally:
        ends.set()
        for thread in threads:
            thread.join()
    return "300 times"


def test_threads_that_change_the_parts() -> None:
    """What the collector shows to others may be changed: no crash."""
    assert in_child(meddle).strip() == "300 times"
