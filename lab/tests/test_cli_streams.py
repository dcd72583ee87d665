"""`snooze-lab` where its output is a closed pipe or a full disk.

Separate from test_cli.py because each of these needs a process of its own.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("words", [["list"], ["cite", "s001"]])
def test_streams_that_fail(words):
    """A pipe that is closed early, and a full disk, are no tracebacks."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "snooze_lab", *words],
            stdout=writer,
            stderr=subprocess.PIPE,
            check=False,
        )
    finally:
        os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")
    if Path("/dev/full").exists():
        with open("/dev/full", "wb") as full:
            done = subprocess.run(
                [sys.executable, "-m", "snooze_lab", *words],
                stdout=full,
                stderr=subprocess.PIPE,
                check=False,
            )
        assert done.returncode == 2
        assert done.stderr.count(b"\n") == 1
        assert b"No space left on device" in done.stderr
