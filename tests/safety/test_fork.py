"""fork: snooze works in the child of a process that uses snooze."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import warnings

import pytest

import snooze
from helpers import subjects
from helpers.isolated import in_child

pytestmark = pytest.mark.skipif(
    not hasattr(os, "fork"), reason="this system has no fork: NOT tested"
)


def child_of_a_fork() -> bool:
    """Fork, call snooze in the child, and return whether the child ended normally."""
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", DeprecationWarning
        )  # other threads are intended
        child = os.fork()
    if child == 0:
        status = 1
        try:
            for name, case in subjects.CASES.items():
                try:
                    case()()
                except (TypeError, ValueError):
                    assert (
                        "error" in name
                        or "arguments" in name
                        or "name" in name
                        or "given" in name
                    )
            text = "[" * 50 + "]" * 50
            assert snooze.dumps(snooze.loads(text)).decode() == text
            status = 0
        finally:
            os._exit(status)
    _, status = os.waitpid(child, 0)
    return status == 0


def fork_plainly() -> None:
    """In a child: forks before and after the first call, and from default."""
    assert child_of_a_fork()
    snooze.dumps([subjects.Plain("a")])
    assert child_of_a_fork()
    assert snooze.dumps(subjects.Opaque(), lambda _: child_of_a_fork()) == b"true"


def fork_with_threads() -> None:
    """In a child: forks while other threads are inside calls."""
    stop = threading.Event()
    value = [{"key": ["text" * 9, index, 1.5]} for index in range(400)]
    document = snooze.dumps(value)

    def work() -> None:
        while not stop.is_set():
            assert snooze.loads(snooze.dumps(value)) == value
            assert snooze.dumps(snooze.loads(document)) == document

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        assert all([child_of_a_fork() for _ in range(15)])
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def test_fork() -> None:
    """Fork before, after and inside calls."""
    in_child(fork_plainly)


@pytest.mark.skipif(sys.platform == "darwin", reason="not safe with threads on macOS")
def test_fork_with_threads() -> None:
    """Fork while other threads are inside calls."""
    in_child(fork_with_threads)


FIRST_CALLS = {
    "decode": "snooze.decode(b'[1]', list[int])",
    "json": "snooze.json.loads('[1]')",
    "scan": "len(list(snooze.scan(b'{}')))",
    "patch": "snooze.patch({}, [])",
}


@pytest.mark.parametrize("name", FIRST_CALLS)
def test_a_fork_during_the_first_call_of_a_thread(name: str) -> None:
    """Modules are loaded then; the child must not wait for the thread that did it."""
    code = f"""
import os, sys, threading, time, warnings
import snooze
warnings.simplefilter("ignore")
def call():
    return {FIRST_CALLS[name]}
thread = threading.Thread(target=call)
thread.start()
time.sleep(float(sys.argv[1]))
child = os.fork()
if child == 0:
    call()
    os._exit(0)
for _ in range(1000):
    done, status = os.waitpid(child, os.WNOHANG)
    if done:
        break
    time.sleep(0.01)
else:
    os.kill(child, 9)
    sys.exit("the child hangs")
thread.join()
sys.exit(status)
"""
    for delay in ("0", "0.001", "0.002", "0.004"):
        done = subprocess.run(
            [sys.executable, "-c", code, delay],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert (done.returncode, done.stderr) == (0, "")
