"""Importing the extension with hardly any memory left: an exception, never an abort.

Separate from the tests of calls, because a module can be imported only once in a process:
each case runs in a separate process.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

#: The value is far larger than what may still be allocated.
PROGRAM = """\
import datetime, decimal, enum, importlib.util, json, os, resource, sys

os.environ["SNOOZE_CPU"] = "x" * (256 << 20)
importlib.util.find_spec("snooze")
with open("/proc/self/statm", encoding="ascii") as file:
    used = int(file.read().split()[0]) * resource.getpagesize()
limit = resource.getrlimit(resource.RLIMIT_AS)
resource.setrlimit(resource.RLIMIT_AS, (used + (64 << 20), limit[1]))
try:
    import snooze
except ImportError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits are Linux's: NOT tested")
def test_a_setting_that_is_too_long_to_copy() -> None:
    """It is refused like any other value that names no tier."""
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    assert "SNOOZE_CPU: expected scalar, v128, avx2 or avx512" in run.stdout
