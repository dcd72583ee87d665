"""Run the tests, the examples or the study of `snooze.scan` with the real engines.

Separate from run_tests.py because the engines take two gigabytes: they have an
environment of their own, `.build/venv-engines`, with the wheel that `make build` made.
Invariant: an engine without a wheel for this Python is named, and its tests are skipped
with the reason. Called by `make test-engines`, `make scale-example` and `make
lab-scale`. Needs only the standard library.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

import build
import environment

FOLDER = environment.ROOT / ".build" / "venv-engines"
EXAMPLES = environment.ROOT / "examples" / "scale"
#: engine -> the lock files that install it.
ENGINES = {
    "polars": ["engines"],
    "duckdb": ["engines"],
    "datafusion": ["clusters"],
    "ray": ["clusters"],
    "dask": ["clusters"],
    "datasets": ["clusters"],
    "spark": ["spark"],
}
#: The size of the log that an example makes, in megabytes.
MEGABYTES = 100


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--python", default=sys.executable, help="the base interpreter")
    parser.add_argument("--example", metavar="ENGINE", help="run an example instead")
    parser.add_argument("--log", type=Path, help="what the example reads")
    parser.add_argument(
        "--install", action="store_true", help="only install everything for the study"
    )
    parser.add_argument(
        "--pytest", nargs=argparse.REMAINDER, default=[], help="the rest is for pytest"
    )
    options = parser.parse_args()
    if options.example is not None:
        return _example(options.example, options.log, options.python)
    locks = ["engines", "clusters", "spark"]
    if options.install:
        _install(options.python, [*locks, "scale"])
        return 0
    _install(options.python, locks)
    return _run("-m", "pytest", "tests/engines", *options.pytest)


def _example(engine: str, log: Path | None, python: str) -> int:
    """Install an engine, and run its example on a log."""
    if engine not in ENGINES:
        known = ", ".join(ENGINES)
        print(f"ENGINE: expected one of {known}; found {engine!r}", file=sys.stderr)
        return 2
    if engine == "spark" and shutil.which("java") is None:
        print(
            "Spark needs Java: install it (Debian and Ubuntu: "
            "apt install default-jre-headless)",
            file=sys.stderr,
        )
        return 2
    _install(python, ENGINES[engine])
    if log is None:
        log = environment.ROOT / ".build" / "scale" / f"log-{MEGABYTES}.ndjson"
        if not log.exists():
            print(f"{environment.shown(log)}: writing {MEGABYTES} MB", flush=True)
            _run("-m", "snooze_lab.scale.lines", str(log.parent), str(MEGABYTES))
    elif not log.exists():
        print(f"LOG: no such file: {log}", file=sys.stderr)
        return 2
    print(f"on {engine}: service, failures, slowest in ms", flush=True)
    return _run(str(EXAMPLES / f"on_{engine}.py"), str(log.resolve()))


def _install(python: str, locks: list[str]) -> None:
    environment.ensure(FOLDER, python, ["test"], tolerant=False)
    environment.ensure(FOLDER, python, locks, tolerant=True)
    build.share(environment.ROOT / ".venv", FOLDER)


def _run(*command: str) -> int:
    """Run the environment's Python."""
    python = str(environment.python_of(FOLDER))
    variables = os.environ | {
        "RAY_USAGE_STATS_ENABLED": "0",
        "PYTHONPATH": str(environment.ROOT / "lab" / "src"),
    }
    return subprocess.run(
        [python, *command], cwd=environment.ROOT, env=variables, check=False
    ).returncode


if __name__ == "__main__":
    sys.exit(main())
