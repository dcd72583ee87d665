"""The locks of lists and dicts: released whenever user code runs, and after every error.

Without a GIL, `dumps` walks a list or a dict while it holds the object's lock. A lock
that is kept too long blocks the next thread that changes the object, for ever. With a
GIL these tests pass trivially.
"""

from __future__ import annotations

import collections
import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

import snooze
from helpers.isolated import FREE_THREADED, in_child
from helpers.threads import together

if TYPE_CHECKING:
    from collections.abc import Callable

#: Seconds that another thread may take for one change.
PATIENCE = 30


def change_elsewhere(*containers: Any) -> None:
    """Change each container in another thread, which needs its lock."""

    def change() -> None:
        for container in containers:
            if isinstance(container, list):
                container.append(0)
                container.pop()
            else:
                container["new"] = 0
                del container["new"]

    thread = threading.Thread(target=change, daemon=True)
    thread.start()
    thread.join(PATIENCE)
    assert not thread.is_alive(), "a lock is held"


def nested(inner: Any) -> tuple[Any, list[Any]]:
    """Containers of every kind around an object, and those of them that have locks."""
    first = ["before", inner, "after"]
    second = {"a": 1, "inner": first, "z": [first, {}]}
    third = [(1, second), {"b": second}, [[[second]]]]
    return {"top": third, "end": None}, [first, second, third]


@pytest.mark.parametrize("option", [0, snooze.OPT_SORT_KEYS, snooze.OPT_NON_STR_KEYS])
def test_no_lock_is_held_in_a_hook(option: int) -> None:
    """Another thread changes all open containers while `default` runs."""
    value, locked = nested({1})
    calls = []

    def default(_: object) -> str:
        calls.append(1)
        change_elsewhere(*locked, value)
        return "x"

    expected, _ = nested("x")
    assert snooze.dumps(value, default, option) == snooze.dumps(expected, None, option)
    assert len(calls) == 6


@pytest.mark.parametrize(
    "wrong",
    [
        object(),
        {1: 2},
        {(): 2},
        {"a": {"b": {}, 3: 4}},
        "\ud800",
        {"\ud800": 1},
        1 << 64,
        [[[1, 1 << 64]]],
        [[["\udfff"]]],
        collections.OrderedDict({1: 2}),
    ],
    ids=ascii,
)
@pytest.mark.parametrize("option", [0, snooze.OPT_SORT_KEYS, snooze.OPT_NON_STR_KEYS])
def test_no_lock_is_held_after_an_error(wrong: Any, option: int) -> None:
    """Any container that was open can be changed."""
    value, locked = nested(wrong)
    try:
        snooze.dumps(value, None, option)
    except TypeError:
        pass
    else:
        assert option == snooze.OPT_NON_STR_KEYS
    change_elsewhere(*locked, value)


def test_no_lock_is_held_after_too_many_levels() -> None:
    """Neither for lists in lists nor for a container that contains itself."""
    levels: list[Any] = [[]]
    for _ in range(300):
        levels.append([levels[-1], {"a": levels[-1]}])
    itself: dict[str, Any] = {}
    itself["a"] = [itself]
    for value in (levels[-1], itself, [itself, itself["a"]]):
        with pytest.raises(TypeError, match="[Rr]ecursion"):
            snooze.dumps(value)
    change_elsewhere(*levels, itself, itself["a"])


def test_a_container_that_occurs_twice() -> None:
    """Once beside itself, once inside a container that has it, too."""
    shared = [1, {"a": [2]}]
    value = [shared, {"b": shared, "c": [shared, shared[1]]}, shared]
    assert json.loads(snooze.dumps(value)) == value
    change_elsewhere(shared, value)


def sorted_in_use() -> None:
    """In a child: a list that this thread has locked itself, while it sorts it."""
    items = [3, 1, 2]
    seen = []

    def key(item: int) -> int:
        seen.append(snooze.dumps({"items": items}))
        return item

    items.sort(key=key)
    assert seen == [b'{"items":[]}'] * 3
    assert snooze.dumps(items) == b"[1,2,3]"


def opposite_nesting() -> None:
    """In a child: threads that need the same locks in opposite orders."""
    left: list[Any] = [1, {"a": 2}]
    right: list[Any] = [3, {"b": 4}]
    table = {"left": left, "right": right}
    values = [[left, right], [right, left], table, {"x": right, "y": left, "z": table}]

    def write(value: Any) -> Callable[[], None]:
        def body() -> None:
            for _ in range(2000):
                json.loads(snooze.dumps(value))

        return body

    def change() -> None:
        for index in range(2000):
            left.append(right[:1])
            right.insert(0, {"c": index})
            table[f"k{index % 7}"] = left[:2]
            del left[2:], right[:-2]
            table.pop(f"k{(index + 3) % 7}", None)

    together(*map(write, values), change, change)


def unlocked_in_order() -> None:
    """In a child: a thread that waits for the outermost lock gets it at once, and frees.

    It has real-time priority on the same processor, so it runs before the writing thread
    continues. The inner lists die with `outermost.clear()`.
    """
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    long = (123456,) * 300_000
    values: list[Any] = []
    ready, go = threading.Semaphore(0), threading.Semaphore(0)

    def free() -> None:
        thread = threading.get_native_id()
        os.sched_setscheduler(thread, os.SCHED_FIFO, os.sched_param(10))
        for _ in range(40):
            outermost: list[Any] = [long, {1}]
            for _ in range(5):
                outermost = [outermost]
            values.append(outermost)
            ready.release()
            go.acquire()
            time.sleep(0.001)
            outermost.clear()
            reused = [[number] for number in range(3000)]
            del outermost, reused

    thread = threading.Thread(target=free)
    thread.start()
    for default in (None, lambda _: 1) * 20:
        ready.acquire()
        value = values.pop()
        go.release()
        with contextlib.suppress(TypeError):
            snooze.dumps(value, default)
        del value
    thread.join()


def can_take_priority() -> bool:
    """Whether this process may give a thread real-time priority."""
    try:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
        code = "import os; os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))"
        return subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
    except (AttributeError, PermissionError):
        return False


@pytest.mark.skipif(not FREE_THREADED, reason="this Python has a GIL")
def test_inner_locks_are_released_first() -> None:
    """After errors and before hooks; CPython aborts when a freed lock is released."""
    if not can_take_priority():
        pytest.skip("this user may not give a thread real-time priority: NOT tested")
    in_child(unlocked_in_order)


@pytest.mark.parametrize("body", [sorted_in_use, opposite_nesting])
def test_no_deadlock(body: Callable[[], None]) -> None:
    """A lock that is taken, by this thread or by another one, is not waited for."""
    in_child(body)
