"""Threads: run functions side by side, or one on a small C stack.

Separate because untyped and typed codecs go through the same strain. Invariant: what any
thread raises is raised in the caller; the switch interval and the stack size are restored.
Used by tests/safety.
"""

from __future__ import annotations

import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

THREADS = 8
SECONDS = 1.5
SMALL_STACK = 256 * 1024


def together(*functions: Callable[[], Any]) -> None:
    """Call each function repeatedly for `SECONDS`, each on its own thread."""
    end = time.monotonic() + SECONDS
    barrier = threading.Barrier(len(functions))

    def body(function: Callable[[], Any]) -> None:
        barrier.wait()
        while time.monotonic() < end:
            function()

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(len(functions)) as pool:
            for run in [pool.submit(body, function) for function in functions]:
                run.result()
    finally:
        sys.setswitchinterval(interval)


def on_small_stack(function: Callable[[], Any]) -> Any:
    """Call a function on a thread whose C stack has `SMALL_STACK` bytes."""
    before = threading.stack_size(SMALL_STACK)
    try:
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(function).result()
    finally:
        threading.stack_size(before)


def result_or_error(call: Callable[[], Any]) -> Any:
    """Return the result of a call, or the type and text of its TypeError or ValueError."""
    try:
        return call()
    except (TypeError, ValueError) as exc:
        return type(exc), str(exc)
