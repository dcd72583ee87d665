"""Run the stages of `make test` and list at the end which ran and which did not.

Separate from the Makefile because a stage that cannot run here (no other CPython, a
processor without AVX-512) must be visible: the last lines name it. side_by_side.py
runs the stages' tasks, two at a time where there are two processors.

Invariants: every stage that was requested is run to its end even if an earlier one
failed; the exit status is 0 only if something ran and all that ran passed; what could
not run is listed as NOT TESTED. The output of pytest and cargo is shown unchanged.
Called by the Makefile. Standard library only.

Stages: rust (the core crate), python (the installed wheel on the default Python),
checked (the build that asserts each write and all that Rust can assert, under
PYTHONMALLOC=debug; without CHECKED_IGNORED unless alone), pythons (the newest other
CPython that can be found or fetched), tiers (each SIMD tier of this processor, forced,
on the tests that a tier can change), lab (lab/tests, in the laboratory's own
environment), frameworks (tests/frameworks and the tests of packages that support
orjson, where those packages are installed). Only when named: quick (python without the
slow tests, and with fewer examples of the property tests). checked, pythons and tiers
take a third of the examples where other stages run the same tests; alone they take all.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import environment
import postgresql
from side_by_side import Command, NotNeeded, NotTested, Plan, Step, Task

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parent.parent
SCRIPTS = ROOT / "scripts"
DEFAULT = ROOT / ".venv"
RELEASE = "release build"
TIERS = ("scalar", "v128", "avx2", "avx512")
#: The tests that run in each SIMD tier: every folder that reaches a vector kernel.
#: tests/repo/test_stages.py compares this with the folders of tests/.
TIER_TESTS = (
    "tests/contract",
    "tests/dumps",
    "tests/json_module",
    "tests/loads",
    "tests/reading",
    "tests/safety",
    "tests/scan",
    "tests/typed/convert",
    "tests/typed/decode",
    "tests/typed/encode",
)
#: Folders whose tests call a codec but cannot depend on a tier, and why.
TIER_EXEMPT = {
    "tests/documents": "pure Python on what loads returns; documents are tiny",
    "tests/frameworks": "adapters and recipes, in an environment of their own",
    "tests/engines": "what other libraries make of the columns of tests/scan",
    "tests/repo": "documents and scripts of the repository",
    "tests/typed/model": "plans and errors of the Python model; documents are tiny",
    "tests/typed/schema": "schemas; documents are tiny",
}
#: Modules in TIER_TESTS about processes and memory, where every tier does the same.
TIER_IGNORED = (
    "tests/contract/test_module_surface.py",
    "tests/contract/test_type_checkers.py",
    "tests/json_module/test_cpython.py",
    "tests/json_module/test_install.py",
    "tests/safety/test_allocation_failure.py",
    "tests/safety/test_fork.py",
    "tests/safety/test_references.py",
    "tests/safety/test_subinterpreters.py",
    "tests/safety/test_threads.py",
    "tests/safety/test_typed_decode_collector.py",
    "tests/safety/test_typed_decode_memory.py",
    "tests/safety/test_typed_decode_threads.py",
    "tests/safety/test_typed_encode_memory.py",
)
#: The same for tiers of one processor; other processors run them (test_matrix.py).
TIER_REPEATED = (
    "tests/safety/test_changed_by_threads.py",
    "tests/safety/test_files_memory.py",
    "tests/safety/test_reading_threads.py",
    "tests/safety/test_write_options_memory.py",
    "tests/scan/test_process.py",
    "tests/typed/decode/test_generated_types.py",
)
#: Tests about documents of many megabytes, type checkers, what is written in Python,
#: and the repository: on the build that asserts each write they take minutes, and see
#: what the release build does.
CHECKED_IGNORED = (
    "tests/contract/test_differential_loads.py::test_documents",
    "tests/contract/test_type_checkers.py",
    "tests/documents/test_command_blocks.py::test_memory_is_bounded",
    "tests/documents/test_command_blocks.py::test_memory_of_lines_and_colours",
    "tests/documents/test_command_process.py",
    "tests/documents/test_command_texts.py",
    "tests/documents/test_command_trouble.py",
    "tests/documents/test_diff.py",
    "tests/documents/test_infer.py",
    "tests/documents/test_jsonpath.py",
    "tests/documents/test_patch.py",
    "tests/repo",
    "tests/typed/model/test_first_match_limits.py",
    "tests/typed/schema",
)
OTHER_VERSIONS = ("3.14", "3.13", "3.15")
PLACES = (
    "~/.pyenv/versions/{version}*/bin/python3",
    "~/.local/share/uv/python/cpython-{version}*/bin/python3",
    "/usr/local/bin/python{version}",
    "/opt/homebrew/bin/python{version}",
    "/opt/python/cp*/bin/python{version}",
)
FREE_THREADED = "SNOOZE_FREETHREADED"
PROFILE = "HYPOTHESIS_PROFILE"
#: Packages whose own tests of orjson run with snooze in its place, of tests/peers.
SUPPORTING_ORJSON = ("cattrs", "mashumaro")


class Stages:
    """The tasks of the stages, for one default Python."""

    def __init__(self, base: str, pytest: list[str], *, is_single: bool) -> None:
        """Plan for the interpreter `base`; `pytest` replaces the suites' arguments.

        `is_single`: only one stage runs, so its suite may take all processors.
        """
        self.base = base
        self.pytest = pytest
        self.plan = Plan()
        self.parts = self.plan.workers if is_single and not pytest else 1
        #: For a stage that repeats the tests of another one.
        self.again = {} if is_single else {PROFILE: os.environ.get(PROFILE, "again")}

    def rust(self) -> None:
        """Test the core crate."""
        command = ["cargo", "test", "--locked", "--package", "snooze-core"]
        self.plan.add(Task("rust: snooze-core", [Command(command)]))

    def python(self) -> None:
        """Test the release build on the default Python."""
        self._release()
        name = f"python {version_of(self.base)}, release build"
        self._suite(name, RELEASE, self._pytest(DEFAULT), self.parts)

    def quick(self) -> None:
        """Test the release build without the slow tests."""
        self._release()
        name = f"python {version_of(self.base)}, release build, quick"
        suite = self._pytest(DEFAULT, "-m", "not slow", HYPOTHESIS_PROFILE="quick")
        self._suite(name, RELEASE, suite, self.parts)

    def checked(self) -> None:
        """Test the build that asserts each write, with a checking allocator."""
        folder = ROOT / ".build" / "venv-checked"
        self._build("checked build", folder, self.base, "--checked")
        name = f"python {version_of(self.base)}, checked build, PYTHONMALLOC=debug"
        variables = self.again | {"PYTHONMALLOC": "debug", "SNOOZE_EXPECT_CHECKED": "1"}
        # Alone it runs all of them.
        ignored = CHECKED_IGNORED if self.again else ()
        left_out = [f"--deselect={name}" for name in ignored]
        suite = self._pytest(folder, *left_out, **variables)
        self._suite(name, "checked build", suite)

    def pythons(self, versions: list[str]) -> None:
        """Test other CPythons, and a free-threaded one if it is given."""
        for other in self._other_pythons(versions):
            version = version_of(other)
            name = f"python {version}, release build"
            folder = ROOT / ".build" / f"venv-{version}"
            self._build(f"build for {version}", folder, other)
            suite = self._pytest(folder, **self.again)
            self._suite(name, f"build for {version}", suite)
        free = os.environ.get(FREE_THREADED)
        if not free:
            self.plan.untested.append(
                f"free-threaded CPython: set {FREE_THREADED}=/path/to/python3.14t"
            )
            return
        folder = ROOT / ".build" / "venv-free-threaded"
        self._build("free-threaded build", folder, free)
        suite = self._pytest(folder, **self.again)
        self._suite(f"free-threaded {free}", "free-threaded build", suite)

    def tiers(self) -> None:
        """Test each SIMD tier below the one that the plain run uses."""
        self._release()
        ignored = (*TIER_IGNORED, *TIER_REPEATED)
        chosen = [*TIER_TESTS, *(f"--ignore={path}" for path in ignored)]

        def suite(tier: str) -> Command:
            if tier == _active_tier(None):
                raise NotNeeded("this processor's own, as in python")
            if _active_tier(tier) != tier:
                raise NotTested("not on this processor")
            return self._pytest(DEFAULT, *chosen, **self.again, SNOOZE_CPU=tier)

        for tier in TIERS:
            step = _later(suite, tier)
            self.plan.add(Task(f"tier {tier}", [step], (RELEASE,)))

    def lab(self) -> None:
        """Test the laboratory in its own environment, with all contenders."""
        self._release()
        script = [sys.executable, str(SCRIPTS / "lab.py"), "--python", self.base]
        self.plan.add(
            Task(
                "lab's environment",
                [Command([*script, "--without-snooze"])],
                rank=0,
                is_preparation=True,
            )
        )
        folder = ROOT / ".build" / "venv-lab"
        steps = [Command(script), self._pytest(folder, "lab/tests")]
        needs = (RELEASE, "lab's environment")
        self.plan.add(Task(f"lab on python {version_of(self.base)}", [*steps], needs))

    def frameworks(self) -> None:
        """Test the adapters and recipes with the packages that they are for."""
        self._release()
        folder = ROOT / ".build" / "venv-frameworks"
        fill = [sys.executable, str(SCRIPTS / "environment.py"), str(folder)]
        fill += ["frameworks", "--tolerant", "--python", self.base]
        filled = "environment of the frameworks"
        task = Task(filled, [Command(fill)], rank=0, is_preparation=True)
        self.plan.add(task)
        build = [sys.executable, str(SCRIPTS / "build.py"), str(folder)]
        build += ["--share", str(DEFAULT)]
        peers = [sys.executable, str(SCRIPTS / "peers.py"), *SUPPORTING_ORJSON]
        peers += ["--python", str(environment.python_of(folder))]

        def share() -> Command:
            if missing := environment.missing(folder, "frameworks"):
                raise NotTested(f"not available for this Python: {', '.join(missing)}")
            return Command(build)

        suite = self._pytest(folder, "tests/frameworks", "-W", "default")
        name = f"frameworks on python {version_of(self.base)}"
        steps: list[Step] = [share, Command(peers), suite]
        self.plan.add(Task(name, steps, (RELEASE, filled)))
        try:
            postgresql.programs()
        except postgresql.Unavailable as reason:
            self.plan.untested.append(f"frameworks with PostgreSQL: {reason}")

    def _release(self) -> None:
        """Prepare the default environment."""
        self._build(RELEASE, DEFAULT, self.base)

    def _build(self, name: str, folder: Path, base: str, *options: str) -> None:
        """Make and fill an environment, and install snooze into it."""
        fill = [sys.executable, str(SCRIPTS / "environment.py"), str(folder)]
        place = ["--python", base]
        tolerant = ["--tolerant"] if folder != DEFAULT else []
        build = [sys.executable, str(SCRIPTS / "build.py"), str(folder)]
        steps = [
            Command([*fill, "build", *place]),
            Command([*fill, "test", *place, *tolerant]),
            Command([*build, *place, *options]),
        ]
        self.plan.add(Task(name, [*steps], rank=0, is_preparation=True))

    def _suite(self, name: str, need: str, command: Command, parts: int = 1) -> None:
        """Add the Python suite in one environment, in one or several parts."""
        for part in range(1, parts + 1):
            title, variables = name, command.variables
            if parts > 1:
                title = f"{name}, part {part} of {parts}"
                variables = variables | {"SNOOZE_SHARD": f"{part}/{parts}"}
            task = Task(title, [replace(command, variables=variables)], (need,))
            self.plan.add(task)

    def _pytest(self, folder: Path, *options: str, **variables: str) -> Command:
        python = str(environment.python_of(folder))
        return Command([python, "-m", "pytest", *(self.pytest or options)], variables)

    def _other_pythons(self, versions: list[str]) -> list[str]:
        """Return the requested versions, or one other than the default."""
        if versions:
            wanted = [(version, find_python([version])) for version in versions]
        else:
            default = version_of(self.base)
            others = [version for version in OTHER_VERSIONS if version != default]
            wanted = [("another CPython, 3.13 to 3.15", find_python(others))]
        for version, python in wanted:
            if python is None:
                lines = self.plan.failed if versions else self.plan.untested
                lines.append(
                    f"{version}: not found, and not available from Debian packages "
                    "here; install one and put it on the PATH"
                )
        return [python for _, python in wanted if python is not None]


#: The stages by name; all but the last are part of `make test`.
NAMES = (
    *("checked", "python", "pythons", "lab", "frameworks", "rust", "tiers"),
    "quick",
)


def _later(function: Callable[[str], Command], argument: str) -> Callable[[], Command]:
    return lambda: function(argument)


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


def find_python(wanted: list[str]) -> str | None:
    """Return an interpreter of one of these versions; fetch the first if needed."""
    folder = ROOT / ".build" / "pythons"
    script = ["bash", str(SCRIPTS / "pythons.sh"), str(folder), wanted[0]]
    subprocess.run(script, env=os.environ | {"PYTHON": sys.executable}, check=False)
    return next(filter(None, map(installed_python, wanted)), None)


def installed_python(version: str) -> str | None:
    """Return an interpreter of a version that is on this machine."""
    folder = ROOT / ".build" / "pythons"
    candidates = [str(folder / "usr" / "bin" / f"python{version}")]
    candidates += [shutil.which(f"python{version}") or ""]
    for place in PLACES:
        start, pattern = place.format(version=version).split("/", 1)
        base = Path.home() if start == "~" else Path("/")
        candidates += sorted(map(str, base.glob(pattern)))
    for candidate in candidates:
        if candidate and version_of(candidate) == version:
            return candidate
    return None


def version_of(base: str) -> str:
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
        "stages",
        nargs="*",
        help=f"any of {', '.join(NAMES)}; default: all but {NAMES[-1]}",
    )
    parser.add_argument("--python", default=sys.executable, help="the default Python")
    parser.add_argument(
        "--versions", nargs="*", default=[], help="of CPython, for the stage pythons"
    )
    parser.add_argument(
        "--pytest", nargs=argparse.REMAINDER, default=[], help="the rest is for pytest"
    )
    options = parser.parse_args()
    unknown = set(options.stages) - set(NAMES)
    if unknown:
        parser.error(f"no such stage: {', '.join(sorted(unknown))}")
    chosen = options.stages or NAMES[:-1]
    stages = Stages(options.python, options.pytest, is_single=len(chosen) == 1)
    for name in NAMES:
        if name in chosen:
            if name == "pythons":
                stages.pythons(options.versions)
            else:
                getattr(stages, name)()
    stages.plan.run()
    return stages.plan.close()


if __name__ == "__main__":
    sys.exit(main())
