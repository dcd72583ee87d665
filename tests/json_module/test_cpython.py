"""CPython's own tests of `json`, with `snooze.json` in its place.

They are the `test.test_json` of the Python that runs, all but the one that a difference
named in docs/json.md fails on free-threaded builds. Some distributions leave the
package `test` out: then this is skipped, and says so.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys

import pytest

PROGRAM = """
import os, sys, sysconfig, unittest
import test.test_json as package
from snooze import json as ours

package.CTest.json = ours
for name in ("loads", "dumps", "JSONDecodeError"):
    setattr(package.CTest, name, staticmethod(getattr(ours, name)))
if sysconfig.get_config_var("Py_GIL_DISABLED"):
    # It shortens a list in `default`; there, the rest of the list is a copy.
    from test.test_json import test_dump
    test_dump.TestCDump.test_encode_mutated = None
names = sorted(os.listdir(os.path.dirname(package.__file__)))
suite = unittest.defaultTestLoader.loadTestsFromNames(
    f"test.test_json.{name[:-3]}"
    for name in names
    if name.startswith("test_") and name.endswith(".py")
)
sys.argv = ["python"]
result = unittest.TextTestRunner(stream=sys.stdout).run(suite)
print("ran", result.testsRun, "ok", result.wasSuccessful())
"""


@pytest.mark.slow
def test_cpythons_own_tests_pass():
    names = ("test", "test.test_json")
    if not all(importlib.util.find_spec(name) for name in names):
        pytest.skip("this Python has no package test: install its test suite")
    command = [sys.executable, "-W", "ignore", "-c", PROGRAM]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    *_, last = done.stdout.strip().splitlines()
    words = last.split()
    assert (words[0], words[3]) == ("ran", "True"), done.stdout
    assert int(words[1]) > 150
