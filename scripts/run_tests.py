"""Run the stages of `make test` and say at the end what ran and what did not.

Separate from the Makefile because a stage that cannot run here (no other CPython to
be had, a processor without AVX-512) must not pass unseen: it is named on the last
lines. Suites run two at a time where there are two processors; then the output of
each is shown whole when it ends.

Invariant: every stage asked for is run to its end even if an earlier one failed; the
exit status is 0 only if something ran and all that ran passed; what could not run is
listed as NOT TESTED. pytest's and cargo's own output is passed through.
Called by the Makefile. Standard library only.

Stages: rust (the core crate), python (the installed wheel on the default Python),
checked (the build that asserts each write, under PYTHONMALLOC=debug), pythons (the
newest other CPythons to be had), tiers (each SIMD tier of this processor, forced), lab
(lab/tests, in the laboratory's own environment).
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import build
import environment
import lab as laboratory

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parent.parent
DEFAULT = ROOT / ".venv"
TIERS = ("scalar", "v128", "avx2", "avx512")
OTHER_VERSIONS = ("3.14", "3.13", "3.15")
PLACES = (
    "~/.pyenv/versions/{version}*/bin/python3",
    "~/.local/share/uv/python/cpython-{version}*/bin/python3",
    "/usr/local/bin/python{version}",
    "/opt/homebrew/bin/python{version}",
    "/opt/python/cp*/bin/python{version}",
)
FREE_THREADED = "SNOOZE_FREETHREADED"


@dataclass
class Report:
    """What happened so far."""

    base: str
    pytest: list[str]
    passed: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    untested: list[str] = field(default_factory=list)
    versions: list[str] = field(default_factory=list)
    queue: list[tuple[str, list[str], dict[str, str]]] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def run(
        self,
        name: str,
        command: list[str],
        variables: dict[str, str],
        *,
        quiet: bool = False,
    ) -> None:
        """Run one command as one line of the report; quiet: show its output after."""
        print(f"\n=== {name}{': started' if quiet else ''} ===", flush=True)
        start = time.monotonic()
        try:
            done = subprocess.run(
                command,
                cwd=ROOT,
                env=os.environ | variables,
                check=False,
                stdout=subprocess.PIPE if quiet else None,
                stderr=subprocess.STDOUT if quiet else None,
            )
            code, output = done.returncode, done.stdout or b""
        except OSError as reason:
            code, output = 127, f"cannot start {command[0]}: {reason}\n".encode()
        with self.lock:
            self._enter(name, start, code, output)

    def _enter(self, name: str, start: float, code: int, output: bytes) -> None:
        if output:
            print(f"\n=== {name}: its output ===", flush=True)
            sys.stdout.buffer.write(output)
            sys.stdout.flush()
        entry = f"{name} ({time.monotonic() - start:.0f} s)"
        if code == 0:
            self.passed.append(entry)
        else:
            self.failed.append(f"{entry}, exit status {code}")

    def suite(self, name: str, folder: Path, **variables: str) -> None:
        """Line up the Python suite in one environment."""
        python = str(environment.python_of(folder))
        self.queue.append((name, [python, "-m", "pytest", *self.pytest], variables))

    def run_suites(self) -> None:
        """Run the suites lined up: one with its output, several side by side."""
        if len(self.queue) == 1:
            self.run(*self.queue[0])
            return
        with ThreadPoolExecutor(min(2, os.cpu_count() or 1)) as pool:
            runs = [pool.submit(self.run, *entry, quiet=True) for entry in self.queue]
            for run in runs:
                run.result()  # an error of ours must not pass for a suite that ran

    def prepare(
        self, name: str, folder: Path, base: str, *, checked: bool = False
    ) -> bool:
        """Make and fill an environment; a failure is a line of the report."""
        try:
            tolerant = folder != DEFAULT
            environment.ensure(folder, base, ["build"], tolerant=False)
            environment.ensure(folder, base, ["test"], tolerant=tolerant)
            build.ensure(folder, base, checked=checked)
        except (SystemExit, subprocess.CalledProcessError) as reason:
            print(reason, file=sys.stderr)
            self.failed.append(f"{name}: its environment could not be made")
            return False
        return True

    def close(self) -> int:
        """Print the summary and return the exit status."""
        print("\n=== summary ===")
        for title, entries in (
            ("passed", self.passed),
            ("NOT TESTED", self.untested),
            ("FAILED", self.failed),
        ):
            for entry in entries:
                print(f"{title:>10}: {entry}")
        if not self.passed and not self.failed:
            print("snooze: nothing was tested", file=sys.stderr)
            return 1
        return 1 if self.failed else 0


def rust(report: Report) -> None:
    """Test the core crate."""
    command = ["cargo", "test", "--locked", "--package", "snooze-core"]
    report.run("rust: snooze-core", command, {})


def python(report: Report) -> None:
    """Test the release build on the default Python."""
    name = f"python {_version(report.base)}, release build"
    if report.prepare(name, DEFAULT, report.base):
        report.suite(name, DEFAULT)


def checked(report: Report) -> None:
    """Test the build that asserts each write, with a checking allocator."""
    folder = ROOT / ".build" / "venv-checked"
    name = f"python {_version(report.base)}, checked build, PYTHONMALLOC=debug"
    if report.prepare(name, folder, report.base, checked=True):
        report.suite(name, folder, PYTHONMALLOC="debug", SNOOZE_EXPECT_CHECKED="1")


def pythons(report: Report) -> None:
    """Test another CPython, and a free-threaded one where there is one."""
    for other in _other_pythons(report):
        version = _version(other)
        name = f"python {version}, release build"
        folder = ROOT / ".build" / f"venv-{version}"
        if report.prepare(name, folder, other):
            report.suite(name, folder)
    free = os.environ.get(FREE_THREADED)
    if not free:
        report.untested.append(
            f"free-threaded CPython: set {FREE_THREADED}=/path/to/python3.14t"
        )
        return
    name = f"free-threaded {free}"
    folder = ROOT / ".build" / "venv-free-threaded"
    if report.prepare(name, folder, free):
        report.suite(name, folder)


def tiers(report: Report) -> None:
    """Test each SIMD tier below the one that the plain run has covered."""
    if not report.prepare("tiers", DEFAULT, report.base):
        return
    best = _active_tier(None)
    for tier in TIERS:
        if tier == best:
            report.passed.append(f"tier {tier}: this processor's own, as in python")
        elif _active_tier(tier) == tier:
            report.suite(f"tier {tier}", DEFAULT, SNOOZE_CPU=tier)
        else:
            report.untested.append(f"tier {tier}: not on this processor")


def lab(report: Report) -> None:
    """Test the laboratory in its own environment, with all contenders."""
    name = f"lab on python {_version(report.base)}"
    try:
        found = laboratory.ensure(report.base)
    except (SystemExit, subprocess.CalledProcessError) as reason:
        print(reason, file=sys.stderr)
        report.failed.append(f"{name}: its environment could not be made")
        return
    tests = report.pytest or ["lab/tests"]
    report.queue.append((name, [str(found), "-m", "pytest", *tests], {}))


STAGES: dict[str, Callable[[Report], None]] = {
    "rust": rust,
    "python": python,
    "checked": checked,
    "pythons": pythons,
    "tiers": tiers,
    "lab": lab,
}


def _active_tier(limit: str | None) -> str:
    """Return the tier that snooze chooses under SNOOZE_CPU=limit."""
    variables = {k: v for k, v in os.environ.items() if k != "SNOOZE_CPU"}
    if limit:
        variables["SNOOZE_CPU"] = limit
    code = "import snooze; print(snooze.cpu_tiers()['active'])"
    command = [str(environment.python_of(DEFAULT)), "-c", code]
    done = subprocess.run(
        command, env=variables, capture_output=True, text=True, check=False
    )
    return done.stdout.strip()


def _other_pythons(report: Report) -> list[str]:
    """Return the versions asked for, or one from 3.13 on that is not the default."""
    default = _version(report.base)
    if report.versions:
        asked = [(version, _python([version])) for version in report.versions]
    else:
        wanted = [version for version in OTHER_VERSIONS if version != default]
        asked = [("another CPython, 3.13 to 3.15", _python(wanted))]
    for version, python in asked:
        if python is None:
            lines = report.failed if report.versions else report.untested
            lines.append(
                f"{version}: none found, and none to be had from Debian packages "
                "here; install one and see that it is on the PATH"
            )
    return [python for _, python in asked if python is not None]


def _python(wanted: list[str]) -> str | None:
    """Return an interpreter of one of these versions, the first fetched if need be."""
    folder = ROOT / ".build" / "pythons"
    script = ["bash", str(ROOT / "scripts" / "pythons.sh"), str(folder), wanted[0]]
    subprocess.run(script, env=os.environ | {"PYTHON": sys.executable}, check=False)
    for version in wanted:
        candidates = [str(folder / "usr" / "bin" / f"python{version}")]
        candidates += [shutil.which(f"python{version}") or ""]
        for place in PLACES:
            start, pattern = place.format(version=version).split("/", 1)
            base = Path.home() if start == "~" else Path("/")
            candidates += sorted(map(str, base.glob(pattern)))
        for candidate in candidates:
            if candidate and _version(candidate) == version:
                return candidate
    return None


def _version(base: str) -> str:
    """Return `3.x` of an interpreter, or nothing if it does not run."""
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    try:
        done = subprocess.run(
            [base, "-c", code], capture_output=True, text=True, check=False
        )
    except OSError:
        return ""
    return done.stdout.strip()


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument(
        "stages", nargs="*", help=f"of: {', '.join(STAGES)}; default all"
    )
    parser.add_argument("--python", default=sys.executable, help="the default Python")
    parser.add_argument(
        "--versions", nargs="*", default=[], help="of CPython, for the stage pythons"
    )
    parser.add_argument(
        "--pytest", nargs=argparse.REMAINDER, default=[], help="the rest is for pytest"
    )
    options = parser.parse_args()
    unknown = set(options.stages) - STAGES.keys()
    if unknown:
        parser.error(f"no such stage: {', '.join(sorted(unknown))}")
    report = Report(options.python, options.pytest, versions=options.versions)
    for name, stage in STAGES.items():
        if not options.stages or name in options.stages:
            stage(report)
    report.run_suites()
    return report.close()


if __name__ == "__main__":
    sys.exit(main())
