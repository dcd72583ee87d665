"""Before a process with threads forks, everything that is loaded late is loaded.

Separate because it must be registered when snooze is imported: most functions load
their modules when they are first called. A thread may be doing that during a fork; the
child would wait without end for a lock that only that thread can release. Invariant:
after the first fork of a process with threads, no call of snooze loads a module of
snooze. Registered by the package.
"""

import sys
from _thread import _count

#: The packages whose modules are loaded late. Those of other packages' types, the
#: adapters and the command are loaded when they are imported.
_PACKAGES = ("_typed", "_scan", "_edit", "_jsonpath", "_infer", "json")
#: Modules of the package itself that are loaded late.
_MODULES = ("_decode_error", "_documents", "_files", "_names", "_text", "json")
#: How many milliseconds a fork waits for a module that another thread is loading.
_MOST_WAITS = 5000
_is_done = False


def _before() -> None:
    """Load all, once; a module that another thread is loading is waited for."""
    global _is_done  # noqa: PLW0603 - of a process
    if _is_done or not _count():
        return
    from importlib import import_module  # noqa: PLC0415 - only forks need these
    from os import listdir  # noqa: PLC0415
    from time import sleep  # noqa: PLC0415

    if "snooze" not in sys.modules:  # a program took it out: load no second one
        return
    folder = __file__.rpartition("/")[0]
    names = [f"snooze.{name}" for name in _MODULES]
    for inner in _PACKAGES:
        try:
            files = listdir(f"{folder}/{inner}")  # noqa: PTH208
        except OSError:  # the package is in an archive
            continue
        stems = sorted(file.removesuffix(".py") for file in files)
        names += [f"snooze.{inner}.{one}" for one in stems if one.isidentifier()]
    names = [name for name in names if not name.endswith("__")]
    for name in names:
        try:
            # A late module is loaded by any attribute.
            vars(import_module(name))
        except Exception:  # noqa: BLE001, S112 - the call that needs it raises it
            continue
    # Where two threads load modules that need each other, the import system gives one
    # of them a module that is not ready.
    for _ in range(_MOST_WAITS):
        if not any(map(_is_being_loaded, names)):
            break
        sleep(0.001)
    _is_done = True


def _is_being_loaded(name: str) -> bool:
    spec = getattr(sys.modules.get(name), "__spec__", None)
    return bool(getattr(spec, "_initializing", False))


def register() -> None:
    """Register the function, where processes fork."""
    try:
        from posix import register_at_fork  # noqa: PLC0415 - not on Windows
    except ImportError:
        return
    register_at_fork(before=_before)
