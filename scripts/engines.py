"""Run the tests of `snooze.scan` against the libraries that read Arrow streams.

Separate from run_tests.py because the libraries take half a gigabyte: they have an
environment of their own, `.build/venv-engines`, with the wheel that `make build` made.
Invariant: a library without a wheel for this Python is named, and its tests are skipped
with the reason. Called by `make test-engines`. Standard library only.
"""

from __future__ import annotations

import argparse
import subprocess
import sys

import build
import environment

FOLDER = environment.ROOT / ".build" / "venv-engines"


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--python", default=sys.executable, help="the base interpreter")
    parser.add_argument(
        "--pytest", nargs=argparse.REMAINDER, default=[], help="the rest is for pytest"
    )
    options = parser.parse_args()
    environment.ensure(FOLDER, options.python, ["test"], tolerant=False)
    environment.ensure(FOLDER, options.python, ["engines"], tolerant=True)
    build.share(environment.ROOT / ".venv", FOLDER)
    python = str(environment.python_of(FOLDER))
    command = [python, "-m", "pytest", "tests/engines", *options.pytest]
    return subprocess.run(command, cwd=environment.ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
