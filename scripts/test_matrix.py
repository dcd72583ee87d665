"""Run the suite on every CPython, build and processor of the matrix; keep a record.

Separate from run_tests.py, which tests the checkout during development: here the wheels
of `make wheels` are installed into empty environments, and the tests are run from a
copy outside the checkout, where neither src nor crates exist. Invariants: each row is
run to its end; what cannot be had is printed and recorded as not run, with its reason;
the record of a row is replaced only by a run of that row; nothing of the system's
Python is changed. Called by `make test-matrix`. Standard library only.

A free-threaded CPython is taken from SNOOZE_FREETHREADED=/path/to/python3.14t, one for
musl from SNOOZE_MUSL=/path/to/python3.14.
"""

from __future__ import annotations

import argparse
import datetime as dt
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import matrix_compile
import matrix_page
import matrix_python
import matrix_rows
import run_tests
import sources
import wheel_targets
import wheels
from matrix_python import NotRun
from matrix_rows import (
    ADDRESS,
    COMPILES,
    DEBUG,
    IMPORT,
    MUSL,
    ROWS,
    SDIST,
    SUITE,
    TIERS,
    Row,
)
from side_by_side import CLOSING

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / ".build" / "matrix"
#: What the tests read beside themselves. `src` and `crates` stay behind.
COPIED = (
    *("tests", "typing_tests", "lab", "docs", "scripts", "examples", "requirements"),
    *(
        "pyproject.toml",
        "README.md",
        "COMPARE.md",
        "CHANGELOG.md",
        "LICENSE-THIRD-PARTY",
    ),
)
#: What ends a run from outside: no result of the library.
STOPPED = {signal.SIGHUP, signal.SIGINT, signal.SIGKILL, signal.SIGTERM}
#: What a run itself changes in the checkout.
WRITTEN = (matrix_page.RECORD, matrix_page.PAGE)
#: About the checkout, or in environments of their own (see run_tests.py).
NOT_HERE = ("tests/repo", "tests/frameworks", "tests/engines")


def run(row: Row, base: str, pytest: list[str]) -> dict[str, object]:
    """Run one row; return its record."""
    digests, tested = sources.digests(), commit()
    start = time.monotonic()
    if row.check == COMPILES:
        version, result = row.version, matrix_compile.check(row)
    else:
        version, start, result = run_tests_of(row, base, pytest, digests)
    return {
        "name": row.name,
        "python": version,
        "build": row.build,
        "machine": row.machine,
        "check": row.check,
        **result,
        "seconds": round(time.monotonic() - start),
        "date": dt.datetime.now(dt.UTC).date().isoformat(),
        "commit": tested,
        "sources": digests,
    }


def run_tests_of(
    row: Row, base: str, pytest: list[str], digests: dict[str, str]
) -> tuple[str, float, dict[str, object]]:
    """Return the version that was tested, when that began, and the counts."""
    interpreter = matrix_python.base(row)
    wheel = installed_wheel(row, interpreter.path, base)
    folder = FOLDER / row.name
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="snooze-matrix-") as place:
        bare = matrix_python.bare(folder / "bare", interpreter, wheel)
        result = import_alone(row, bare, Path(place))
        if row.check in {SUITE, TIERS} and result["failed"] == 0:
            full = matrix_python.full(folder / "full", interpreter, wheel)
            copied = copy(Path(place))
            if sources.digests() != digests:  # other tests than those of the wheel
                raise ChildProcessError("the sources changed during the build")
            result |= suite(row, full, copied, pytest)
    return interpreter.version, start, result


def installed_wheel(row: Row, python: str, base: str) -> Path:
    """Return the wheel that a row installs; build it if needed."""
    if row.build == DEBUG:
        return matrix_python.wheel_for(FOLDER / row.name / "build", python)
    if row.build == ADDRESS:
        return matrix_python.sanitized_wheel(FOLDER / row.name / "build", python)
    if row.build == SDIST:
        return matrix_python.wheel_of_sdist(FOLDER / row.name, python, base)
    foreign = matrix_python.foreign_machine(row)
    machine = foreign.name if foreign else os.uname().machine
    name = f"{'musl' if row.libc == MUSL else 'many'}linux-{machine}"
    target = next(one for one in wheel_targets.TARGETS if one.name == name)
    try:
        return wheels.current(target, row.version, wheel_targets.tools(base))
    except wheel_targets.Unavailable as reason:
        raise NotRun(str(reason)) from None


def import_alone(row: Row, bare: list[str], place: Path) -> dict[str, object]:
    """Run the smoke test in an environment that has nothing but the wheel."""
    command = [*bare, "-I", str(ROOT / "scripts" / "smoke.py")]
    variables = os.environ | matrix_python.variables(row)
    done = subprocess.run(
        command, cwd=place, env=variables, capture_output=True, text=True, check=False
    )
    said = (done.stdout + done.stderr).strip()
    print(said.splitlines()[-1] if said else f"exit status {done.returncode}")
    if row.check == IMPORT:  # an exception that names what is missing, and no signal
        refused = re.search(rf"ImportError: .*{re.escape(row.expects)}", said)
        is_right = done.returncode == 1 and refused is not None
    else:
        # Below it there may be warnings of the emulator.
        has_tier = done.stdout.strip().endswith(f"tier {row.expects}")
        is_right = done.returncode == 0 and has_tier
        is_right |= done.returncode == 0 and not row.expects
    if not is_right:
        print(said, file=sys.stderr)
    tier = re.search(r"tier (\w+)$", done.stdout.strip())
    return {
        "tier": tier[1] if tier else "-",
        "passed": int(is_right),
        "skipped": 0,
        "failed": int(not is_right),
    }


def copy(place: Path) -> Path:
    """Copy the tests, and what they read, out of the checkout."""
    for name in COPIED:
        source, goal = ROOT / name, place / name
        if source.is_dir():
            ignored = shutil.ignore_patterns("__pycache__", "target", ".*_cache")
            shutil.copytree(source, goal, ignore=ignored)
        else:
            shutil.copy2(source, goal)
    # Fetched documents are shared; they are nothing that Python could import.
    (place / ".build").mkdir()
    for name in ("documents", "conformance", "downloads", "workloads-1"):
        (ROOT / ".build" / name).mkdir(exist_ok=True)
        (place / ".build" / name).symlink_to(ROOT / ".build" / name)
    return place


def suite(
    row: Row, python: list[str], place: Path, pytest: list[str]
) -> dict[str, object]:
    """Run the tests of a row; return how many passed, were skipped and failed."""
    command = [*python, "-m", "pytest", "-p", "no:cacheprovider"]
    command += [f"--ignore={name}" for name in NOT_HERE]
    if pytest:
        command += pytest
    elif row.check != SUITE:
        command += run_tests.TIER_TESTS
        command += [f"--ignore={one}" for one in run_tests.TIER_IGNORED]
    if matrix_python.emulator(row):
        command += ["-m", "not slow", "-o", "timeout=3000"]
    variables = os.environ | matrix_python.variables(row)
    log = FOLDER / row.name / "log.txt"
    with log.open("wb") as file:
        process = subprocess.Popen(
            command,
            cwd=place,
            env=variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        with process:
            while process.stdout and (line := process.stdout.readline()):
                file.write(line)
                sys.stdout.buffer.write(line)
                sys.stdout.flush()
    stopped = -process.returncode
    if stopped in STOPPED:
        raise ChildProcessError(f"stopped by {signal.Signals(stopped).name}")
    closing = CLOSING.findall(log.read_bytes())
    found = counts(closing[-1].decode() if closing else "")
    # A crash, or an error before the first test, is a failure without a count.
    if process.returncode != 0 and not found["failed"]:
        found["failed"] = 1
    return found


def counts(closing: str) -> dict[str, object]:
    """Return the numbers of pytest's last line."""
    found = {word: int(n) for n, word in re.findall(r"(\d+) ([a-z]+)", closing)}
    failed = found.get("failed", 0) + found.get("error", 0) + found.get("errors", 0)
    passed = found.get("passed", 0) + found.get("xfailed", 0)
    return {"passed": passed, "skipped": found.get("skipped", 0), "failed": failed}


def commit() -> str:
    """Return the commit of the checkout, with a mark if more than records changed."""

    def git(*words: str) -> subprocess.CompletedProcess[str]:
        command = ["git", *words]
        return subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, check=False
        )

    found = git("rev-parse", "--short=8", "HEAD").stdout.strip()
    written = [f":!{path.relative_to(ROOT)}" for path in WRITTEN]
    changed = git("status", "--porcelain", "--", ".", *written).stdout
    return f"{found or 'unknown'}{'-dirty' if changed.strip() else ''}"


@dataclass
class Results:
    """What the rows of one run have shown."""

    found: list[dict[str, object]] = field(default_factory=list)
    missing: dict[str, str] = field(default_factory=dict)
    broken: dict[str, str] = field(default_factory=dict)

    def fill(self, rows: list[Row], options: argparse.Namespace) -> Results:
        """Run rows, one after the other."""
        for row in rows:
            print(f"\n=== {row.name}: {row.build}, {row.check} ===", flush=True)
            try:
                self.found.append(run(row, options.python, options.pytest))
            except NotRun as reason:
                self.missing[row.name] = str(reason)
                print(f"NOT RUN: {reason}")
                continue
            except ChildProcessError as reason:
                self.broken[row.name] = str(reason)
                print(f"FAILED: {reason}")
                continue
            if options.record:  # at once: a later row may take long, or be stopped
                matrix_page.keep(self.found[-1:], {})
        return self

    def close(self, *, is_kept: bool) -> int:
        """Print the summary, keep the record, and return the exit status."""
        print("\n=== summary ===")
        for one in self.found:
            state = "FAILED" if one["failed"] else "passed"
            print(
                f"{state:>8}: {one['name']} ({one['python']}, {one['build']}, tier "
                f"{one['tier']}): {one['passed']} passed, {one['skipped']} skipped, "
                f"{one['failed']} failed, {one['seconds']} s"
            )
        for name, reason in self.broken.items():
            print(f"  FAILED: {name}: {reason}")
        for name, reason in (*self.missing.items(), *matrix_rows.NOT_RUN):
            print(f" NOT RUN: {name}: {reason}")
        if is_kept:
            matrix_page.keep([], self.missing)
            matrix_page.write()
        if not self.found:
            print("snooze: nothing was tested", file=sys.stderr)
        is_red = self.broken or any(one["failed"] for one in self.found)
        return 1 if is_red or not self.found else 0


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    names = [row.name for row in ROWS]
    parser.add_argument("--rows", nargs="+", choices=names, default=names)
    parser.add_argument("--python", default=sys.executable, help="runs the tools")
    parser.add_argument(
        "--record", action="store_true", help="keep the results, and write the page"
    )
    parser.add_argument(
        "--pytest", nargs=argparse.REMAINDER, default=[], help="the rest is for pytest"
    )
    options = parser.parse_args()
    if options.record and options.pytest:
        parser.error("a run of chosen tests is not recorded: leave out --pytest")
    chosen = [row for row in ROWS if row.name in options.rows]
    return Results().fill(chosen, options).close(is_kept=options.record)


if __name__ == "__main__":
    sys.exit(main())
