"""mypy accepts the adapters and their right uses, with the packages' own types.

`make check` reads the adapters without the packages; here both are there.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAM = ROOT / "typing_tests" / "frameworks.py"


def errors(*what: str, cache: Path) -> list[str]:
    """Return the errors of mypy, with the project's own settings."""
    command = [sys.executable, "-m", "mypy", "--no-error-summary", "--no-pretty"]
    done = subprocess.run(
        [*command, "--cache-dir", str(cache), *what],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert not done.stderr, done.stderr
    return [line for line in done.stdout.splitlines() if ": error:" in line]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder for mypy's cache."""
    return tmp_path_factory.mktemp("mypy")


def test_adapters(cache: Path) -> None:
    assert errors("-p", "snooze.ext", cache=cache) == []


def test_uses(cache: Path) -> None:
    """Exactly the marked lines are wrong."""
    lines = PROGRAM.read_text("utf-8").splitlines()
    marked = {n for n, line in enumerate(lines, 1) if line.endswith("# error")}
    assert len(marked) > 12
    listed = errors(str(PROGRAM), cache=cache)
    found = {
        int(match[1])
        for line in listed
        if (match := re.match(r"typing_tests/frameworks\.py:(\d+):", line))
    }
    assert found == marked, "\n".join(listed)
