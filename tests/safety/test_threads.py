"""Threads: many at once, on their own objects and on shared ones that change.

With a GIL, threads switch whenever user code runs; without one they run in parallel.
Nothing may crash. The result for an object that stays the same must be right; for one
that changes it must be a state of some moment, or a mix of such states.
"""

from __future__ import annotations

import dataclasses
import json
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

import snooze
from helpers import subjects
from helpers.isolated import DEBUG_MALLOC, FREE_THREADED, in_child
from helpers.threads import THREADS, result_or_error, together

if TYPE_CHECKING:
    from collections.abc import Callable


def every_case() -> None:
    """In a child: all cases on all threads, each with its right outcome."""
    calls = [case() for name, case in subjects.CASES.items() if name != "fragment"]
    right = [repr(result_or_error(call)) for call in calls]

    def body() -> None:
        for call, text in zip(calls, right, strict=True):
            assert repr(result_or_error(call)) == text

    together(*[body] * THREADS)


def cold_types() -> None:
    """In a child: types that are new to every thread, and errors with shared types."""

    def body() -> None:
        for case in subjects.COLD.values():
            assert case()()

    def failing() -> None:
        # An error while dataclasses are open: their plans are released late.
        value = subjects.Plain("a", [subjects.Slots("b", subjects.Slots("c", {1}))])
        with pytest.raises(TypeError):
            snooze.dumps([value])

    together(*[body] * 2, *[failing] * THREADS)


def shared_containers() -> None:
    """In a child: containers that other threads change continuously."""
    items: list[Any] = []
    table: dict[str, Any] = {}
    plain = subjects.Plain("a", items)

    def change() -> None:
        for index in range(200):
            items.append(["text " * 5, index])
            table[f"k{index}"] = ["text " * 5]
            plain.__dict__[f"x{index}"] = [index]
        items[:] = [["other"] for _ in items]
        for index in range(0, 200, 2):
            table.pop(f"k{index}", None)  # another thread may have been first
            items[-1:] = []
        items.clear()
        table.clear()
        for index in range(200):
            plain.__dict__.pop(f"x{index}", None)

    def switch(_: Any) -> None:
        time.sleep(0)

    holder = [items, table, plain, {1}, table, items, {2}, items, plain]

    def write() -> None:
        for option in (0, 1, 32, 4):
            for value in (items, table, plain, holder):
                try:
                    result = snooze.dumps(value, switch, option)
                except RuntimeError as exc:
                    assert "changed size" in str(exc), exc
                else:
                    json.loads(result)

    together(change, change if FREE_THREADED else write, *[write] * (THREADS - 2))


def shared_buffers() -> None:
    """In a child: one bytearray and its views, read by all threads."""
    data = bytearray(
        json.dumps([{"k": [index, "text"]} for index in range(300)]).encode()
    )
    right = snooze.loads(bytes(data))
    view = memoryview(data)
    together(
        *[lambda: snooze.loads(data) == right or 1 / 0] * (THREADS // 2),
        *[lambda: snooze.loads(view) == right or 1 / 0] * (THREADS // 2),
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "work", [every_case, cold_types, shared_containers, shared_buffers]
)
@pytest.mark.parametrize("malloc", ["pymalloc", "debug"])
def test_many_threads(work: Callable[[], None], malloc: str) -> None:
    """Eight threads, with the default and with the debug allocator."""
    variables = DEBUG_MALLOC if malloc == "debug" else {}
    in_child(work, **variables)


@pytest.mark.skipif(not FREE_THREADED, reason="this Python has a GIL")
def test_the_gil_stays_off() -> None:
    """Importing the extension does not enable it."""
    code = "import sys, snooze; sys.exit(sys._is_gil_enabled())"
    import subprocess

    assert (
        subprocess.run(
            [sys.executable, "-W", "error", "-c", code], check=False
        ).returncode
        == 0
    )


def write_against(change: Callable[[], None], write: Callable[[], bytes]) -> None:
    """Write an object repeatedly while another thread changes it."""
    done = threading.Event()

    def changing() -> None:
        while not done.is_set():
            change()

    thread = threading.Thread(target=changing)
    thread.start()
    try:
        for _ in range(3000):
            json.loads(write())
    finally:
        done.set()
        thread.join()


def emptied_list() -> None:
    """In a child: a list that is emptied and filled while it is written."""
    items: list[int] = [1]

    def change() -> None:
        items.clear()
        items.append(1)

    write_against(change, lambda: snooze.dumps({"a": items}))
    write_against(change, lambda: snooze.dumps(items))


def resized_attributes() -> None:
    """In a child: a dataclass whose dict grows and shrinks while it is written."""

    @dataclasses.dataclass
    class Point:
        x: int = 1
        y: int = 2

    point = Point()

    def change() -> None:
        for index in range(40):
            setattr(point, f"extra{index}", index)
        for index in range(40):
            delattr(point, f"extra{index}")

    def write() -> bytes:
        try:
            return snooze.dumps(point)
        except RuntimeError as exc:
            assert "changed size" in str(exc)
            return b"null"

    write_against(change, write)


@pytest.mark.parametrize("body", [emptied_list, resized_attributes])
def test_containers_changed_by_another_thread(body: Callable[[], None]) -> None:
    """The output is JSON at every moment; free threads once saw `]` and freed keys."""
    in_child(body)
