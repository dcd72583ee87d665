"""A fork waits for modules of snooze that another thread is loading.

Separate because it must be registered when snooze is imported: most functions load
their modules when they are first called. Without this, the child of a fork would wait
without end for the lock of a module that a thread of its parent is loading. Invariant:
a fork loads nothing that no thread is loading. Registered by the package.
"""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: More modules than there are, each waited for several times.
_MOST_WAITS = 1000
#: The locks of the forking thread, the last one taken last.
_held: "list[Any]" = []


def _before() -> None:
    """Wait for modules that are being loaded, and for the late `snooze.json`."""
    from importlib import import_module  # noqa: PLC0415 - only forks need it

    late = getattr(sys.modules.get("snooze._names"), "_LOADING", None)
    if late is not None:
        late.acquire()
        _held.append(late)
    # One module leads to the next.
    for _ in range(_MOST_WAITS):
        names = _being_loaded()
        if not names:
            break
        for name in names:
            try:
                import_module(name)
            except Exception:  # noqa: BLE001, S112 - the thread that loads it gets it
                continue


def _being_loaded() -> list[str]:
    """Return the modules of snooze that threads are loading or waiting for."""
    # The table of CPython's import system: the names of modules that have a lock.
    locks: Any = getattr(sys.modules.get("_frozen_importlib"), "_module_locks", ())
    return [name for name in [*locks] if str(name).startswith("snooze.")]


def _after() -> None:
    """Release what `_before` took; in both processes."""
    while _held:
        _held.pop().release()


def register() -> None:
    """Register the functions, where processes fork."""
    try:
        from posix import register_at_fork  # noqa: PLC0415 - not on Windows
    except ImportError:
        return
    register_at_fork(before=_before, after_in_parent=_after, after_in_child=_after)
