"""`make test`: what runs in each SIMD tier, how tasks depend on each other, the shards.

Reads scripts/run_tests.py and scripts/side_by_side.py; the commands run here are small
programs, not the suite.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import time

import pytest

from helpers.scripts import ROOT, script

run_tests = script("run_tests")
side_by_side = script("side_by_side")
TESTS = ROOT / "tests"
#: Functions that read or write JSON, and helpers that call them.
CODECS = {
    *("dumps", "loads", "decode", "encode", "encode_str", "encode_into"),
    *("accept", "refuse", "refusal", "in_child"),
}


def calls_a_codec(text: str) -> bool:
    """Return whether a module calls a function that reads or writes JSON."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Attribute) and node.attr in CODECS:
            return True
        if isinstance(node, ast.Name) and node.id in CODECS:
            return True
    return False


def test_tiers_run_every_folder_that_reaches_a_vector_kernel() -> None:
    """A new folder is selected or exempt; every entry exists."""
    folders = {
        path.parent.relative_to(ROOT).as_posix()
        for path in TESTS.rglob("test_*.py")
        if calls_a_codec(path.read_text("utf-8"))
    }
    assert folders == {*run_tests.TIER_TESTS, *run_tests.TIER_EXEMPT}
    assert not set(run_tests.TIER_TESTS) & set(run_tests.TIER_EXEMPT)
    assert all(run_tests.TIER_EXEMPT.values())
    ignored = (*run_tests.TIER_IGNORED, *run_tests.TIER_REPEATED)
    for path in ignored:
        assert (ROOT / path).is_file(), path
        assert path.startswith(run_tests.TIER_TESTS)
    assert len(set(ignored)) == len(ignored)


def test_what_the_checked_build_leaves_out_exists() -> None:
    """Files, folders and functions: a renamed one would run for minutes again."""
    for name in run_tests.CHECKED_IGNORED:
        file, _, function = name.partition("::")
        assert (ROOT / file).exists(), name
        if function:
            assert f"def {function}(" in (ROOT / file).read_text("utf-8"), name


def python(code: str) -> object:
    """Return a command that runs a program."""
    return side_by_side.Command([sys.executable, "-c", code])


def run(*tasks: object) -> tuple[int, object]:
    """Run tasks; return the exit status and the plan with its results."""
    plan = side_by_side.Plan(workers=2)
    for task in tasks:
        plan.add(task)
    plan.run()
    return plan.close(), plan


def names(entries: list[str]) -> list[str]:
    """Return entries of the summary without their durations."""
    return sorted(entry.split(" (")[0] for entry in entries)


def test_tasks_wait_for_what_they_need(tmp_path) -> None:
    """Preparations start first; a task starts when all that it needs has succeeded."""
    log = tmp_path / "log"

    def noted(word: str) -> object:
        return python(f"open({str(log)!r}, 'a').write({word!r} + '\\n')")

    slow = python("import time; time.sleep(0.3)")
    task = side_by_side.Task
    status, plan = run(
        task("suite", [noted("suite")], ("build", "environment")),
        task("build", [slow, noted("build")], rank=0, is_preparation=True),
        task("environment", [noted("environment")], rank=0, is_preparation=True),
    )
    assert (status, names(plan.passed), plan.failed) == (0, ["suite"], [])
    assert log.read_text().split() == ["environment", "build", "suite"]


def test_tasks_run_side_by_side(tmp_path) -> None:
    """Two tasks that wait for each other both end."""
    here, there = tmp_path / "here", tmp_path / "there"
    code = (
        "import pathlib, sys, time\n"
        "mine, other = map(pathlib.Path, {!r})\n"
        "mine.touch()\n"
        "end = time.monotonic() + 20\n"
        "while not other.exists():\n"
        "    time.sleep(0.01)\n"
        "    assert time.monotonic() < end\n"
    )
    pairs = [(str(here), str(there)), (str(there), str(here))]
    start = time.monotonic()
    status, plan = run(
        *[
            side_by_side.Task(f"task {index}", [python(code.format(pair))])
            for index, pair in enumerate(pairs)
        ]
    )
    assert (status, plan.failed) == (0, [])
    assert time.monotonic() - start < 20


def test_a_failure_does_not_end_the_run(capfdbinary) -> None:
    """Its dependents are failures too, all others run, and the status is 1."""
    task = side_by_side.Task
    status, plan = run(
        task("broken", [python("import sys; sys.exit(3)")], is_preparation=True),
        task("dependent", [python("print('not reached')")], ("broken",)),
        task("other", [python("print('===== 2 passed in 0.10s =====')")]),
        task("absent", [side_by_side.Command(["/nonexistent/program"])]),
    )
    assert status == 1
    assert names(plan.passed) == ["other"]
    assert names(plan.failed) == [
        "absent",
        "broken",
        "dependent: not run, because broken failed",
    ]
    printed = capfdbinary.readouterr().out
    assert b"not reached" not in printed
    assert printed.splitlines()[-1] == b"===== 2 passed in 0.10s ===== other"


def test_what_could_not_run_is_named() -> None:
    """It is no failure, but it alone is no success."""

    def absent() -> None:
        raise side_by_side.NotTested("not on this processor")

    def known() -> None:
        raise side_by_side.NotNeeded("tested elsewhere")

    tier = side_by_side.Task("tier", [absent])
    status, plan = run(tier)
    assert (status, plan.untested) == (1, ["tier: not on this processor"])
    status, plan = run(tier, side_by_side.Task("own", [known]))
    assert (status, plan.passed) == (0, ["own: tested elsewhere"])


def test_errors_of_the_runner_are_raised() -> None:
    """A prerequisite that does not exist, or a step that fails, ends the run."""
    with pytest.raises(LookupError, match="prerequisites are missing: suite"):
        run(side_by_side.Task("suite", [python("")], ("build",)))

    def wrong() -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run(side_by_side.Task("suite", [wrong]))


def test_a_missing_server_is_named(monkeypatch) -> None:
    """The tests with PostgreSQL are skipped, and the reason says what to install."""
    postgresql = script("postgresql")
    monkeypatch.setattr(postgresql, "FOLDERS", ())
    monkeypatch.setenv("PATH", "")
    with pytest.raises(postgresql.Unavailable, match="apt install postgresql"):
        postgresql.programs()


def test_packages_that_could_not_be_installed_are_named(tmp_path) -> None:
    """A stage that needs them is not run, and says which are missing."""
    environment = script("environment")
    stamp = tmp_path / ".stamp-frameworks"
    stamp.write_text("digest")
    assert environment.missing(tmp_path, "frameworks") == []
    stamp.write_text("digest\npandas==3.1.1\npolars==2.1.0")
    found = environment.missing(tmp_path, "frameworks")
    assert found == ["pandas==3.1.1", "polars==2.1.0"]


CLOSING_LINES = [
    "============ 6578 passed, 21 skipped in 534.13s (0:08:54) =============",
    "== 1 failed, 3 passed, 2 warnings, 1 error in 3.10s ==",
    "======================== no tests ran in 0.01s ========================",
    "12 passed in 0.50s",
]
OTHER_LINES = [
    "test result: ok. 12 passed; 0 failed; finished in 0.01s",
    "FAILED tests/x.py::test_x - 3 passed in 2s",
    "=== summary ===",
]


def test_closing_lines() -> None:
    """pytest's last line is recognised, cargo's is not."""
    text = "\n".join(CLOSING_LINES + OTHER_LINES).encode()
    found = [line.decode() for line in side_by_side.CLOSING.findall(text)]
    assert found == CLOSING_LINES


def collected(shard: str) -> subprocess.CompletedProcess[str]:
    """Collect a small module in a shard."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q"]
    return subprocess.run(
        [*command, "tests/dumps/test_sort.py"],
        cwd=ROOT,
        env=os.environ | {"SNOOZE_SHARD": shard},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
def test_shards() -> None:
    """Together they hold every test once; a wrong name is an error."""
    parts = [
        [line for line in collected(shard).stdout.splitlines() if "::" in line]
        for shard in ("1/1", "1/2", "2/2")
    ]
    assert sorted(parts[1] + parts[2]) == sorted(parts[0])
    assert abs(len(parts[1]) - len(parts[2])) <= 1
    for wrong in ("0/2", "3/2", "first half"):
        assert "is not of the form 1/2" in collected(wrong).stderr


@pytest.mark.parametrize("profile", ["", "long"])
def test_only_a_stage_beside_others_takes_fewer_examples(
    monkeypatch: pytest.MonkeyPatch, profile: str
) -> None:
    """The first stage of a test takes all examples, and so does a stage alone."""
    monkeypatch.delenv(run_tests.PROFILE, raising=False)
    if profile:
        monkeypatch.setenv(run_tests.PROFILE, profile)

    def profiles(*, is_single: bool) -> dict[str, str | None]:
        stages = run_tests.Stages(sys.executable, [], is_single=is_single)
        stages.python()
        stages.checked()
        return {
            task.name.split(",")[1].strip(): task.steps[-1].variables.get(
                run_tests.PROFILE
            )
            for task in stages.plan.tasks
            if not task.is_preparation
        }

    together = {"release build": None, "checked build": profile or "again"}
    assert profiles(is_single=False) == together
    assert profiles(is_single=True) == {"release build": None, "checked build": None}
