"""Run a function of a test module in a child process.

Separate because tests that might crash the interpreter, exhaust its memory or change its
allocator must not do so in pytest's process. Invariant: however the child ends, the
parent reports it: a signal by its name, an exception with its traceback, a child that
hangs after `timeout` seconds. The child imports the same installed snooze.
Used by the tests of allocation failure, hostile code, growth, tiers and interpreters.
"""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

TESTS = Path(__file__).resolve().parent.parent
#: Variables that select CPython's debug allocator, which fills freed memory.
DEBUG_MALLOC = {"PYTHONMALLOC": "debug"}
#: Whether this build of CPython has no GIL, whatever the environment says.
FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
IS_64_BIT = sys.maxsize > 2**32
#: Whether snooze may read and make objects by their layout; elsewhere it calls the C-API.
KNOWS_LAYOUTS = IS_64_BIT and sys.byteorder == "little"
_PROGRAM = """\
import gc, importlib, sys
sys.path[:0] = {paths!r}
function = getattr(importlib.import_module({module!r}), {name!r})
gc.freeze()  # modules stay out of each gc.collect() that the function calls
result = function(*{arguments!r})
if result is not None:
    print(result)
"""


def is_instrumented() -> bool:
    """Whether calls take far more of the C stack: a debug build, AddressSanitizer."""
    maps = Path("/proc/self/maps")
    has_sanitizer = maps.exists() and "libasan" in maps.read_text("utf-8")
    return hasattr(sys, "gettotalrefcount") or has_sanitizer


def needs_module(name: str) -> pytest.MarkDecorator:
    """Skip where this CPython was built or packaged without a test module."""
    return pytest.mark.skipif(
        importlib.util.find_spec(name) is None,
        reason=f"this Python comes without the module {name}: NOT tested",
    )


def in_child(
    function: Callable[..., Any],
    *arguments: Any,
    timeout: float = 240,
    options: tuple[str, ...] = (),
    **variables: str,
) -> str:
    """Call `function(*arguments)` in a new interpreter and return what it printed.

    The function must be at the top level of its module; the `repr` of each argument must
    be a literal. `variables` are set in the child's environment.
    """
    program = _PROGRAM.format(
        paths=[str(TESTS), str(Path(function.__code__.co_filename).parent)],
        module=function.__module__.rpartition(".")[2],
        name=function.__name__,
        arguments=arguments,
    )
    command = [sys.executable, "-X", "faulthandler", *options, "-c", program]
    try:
        run = subprocess.run(
            command,
            env=os.environ | variables,
            capture_output=True,
            text=True,
            check=False,
            timeout=timeout,
        )
    except subprocess.TimeoutExpired as late:
        pytest.fail(f"still running after {timeout} s: {late.stderr}", pytrace=False)
    if run.returncode == 0:
        return run.stdout
    ending = f"exit status {run.returncode}"
    if run.returncode < 0:
        ending = f"killed by {signal.Signals(-run.returncode).name}"
    pytest.fail(f"{ending}\n{run.stdout}{run.stderr}", pytrace=False)
