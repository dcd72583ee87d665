"""The guard of instruction counts: a planted regression fails it.

Separate from test_race.py because it is a test of the comparing alone: counting needs
valgrind and minutes, and is `make test-speed`.
"""

from __future__ import annotations

import importlib.metadata
import json
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from snooze_lab.gate import instructions, instructions_child

if TYPE_CHECKING:
    from pathlib import Path

HERE = {"python": "3.11.7", "rustc": "rustc 1.95.0"}
BASELINE: dict[str, Any] = {
    "environment": HERE,
    "counts": {"loads a": 1_000.0, "dumps a": 500.0},
}


def compare(loads: float, dumps: float, **other: str) -> instructions.Verdict:
    """Return the gate's result for these counts."""
    counts = {"loads a": loads, "dumps a": dumps}
    return instructions.compare(counts, HERE | other, BASELINE)


def test_equal_counts_pass() -> None:
    """And those within the limit, and those that are less."""
    assert compare(1_000, 500).status == 0
    assert compare(1_019, 509).status == 0
    less = compare(900, 500)
    assert less.status == 0
    assert "BASELINE=write" in less.lines[-1]


def test_a_planted_regression_fails() -> None:
    """Of one operation among many, just above the limit."""
    verdict = compare(1_021, 400)
    assert verdict.status == 1
    marked = [line for line in verdict.lines if line.endswith("MORE")]
    assert [line.startswith("loads a") for line in marked] == [True]
    assert "+2.10 %" in marked[0]
    assert marked[0] in verdict.failed
    assert len(verdict.failed) == 3, "its line and the two that say what to do"


def test_another_environment_is_not_compared() -> None:
    """Neither passed nor failed: it says what differs and what to do."""
    verdict = compare(1_000, 500, rustc="rustc 1.96.0")
    assert verdict.status == 2
    text = "\n".join(verdict.lines)
    assert "NOT COMPARED" in text
    assert "1.95.0" in text
    assert "1.96.0" in text
    assert "BASELINE=write" in text


@pytest.mark.parametrize("what", ["rustc", "numpy"])
def test_a_missing_part_is_a_reason(monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    """Of not comparing; it is no traceback."""

    def version(_name: str) -> str:
        if what == "numpy":
            raise importlib.metadata.PackageNotFoundError
        return "2"

    def run(command: list[str], **_: Any) -> Any:
        raise subprocess.CalledProcessError(1, command)

    monkeypatch.setattr(instructions.importlib.metadata, "version", version)
    monkeypatch.setattr(instructions.subprocess, "run", run)
    verdict = instructions.check(["loads 1"], write=False)
    assert verdict.status == 2
    assert verdict.lines[0].startswith(f"NOT COMPARED: no {what}")


def test_some_operations_are_written_without_losing_the_others(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Only into a baseline of the same environment: counts of two never mix."""
    path = tmp_path / "baseline.json"
    path.write_text(json.dumps(BASELINE))
    monkeypatch.setattr(instructions, "BASELINE", path)
    monkeypatch.setattr(instructions, "_require_documents", lambda: None)
    monkeypatch.setattr(instructions, "environment", lambda: HERE)
    monkeypatch.setattr(instructions, "count_one", lambda _: 7.0)
    assert instructions.check(["loads a"], write=True).status == 0
    written = json.loads(path.read_text())["counts"]
    assert written == {"loads a": 7.0, "dumps a": 500.0}
    monkeypatch.setattr(instructions, "environment", lambda: {**HERE, "rustc": "2"})
    assert instructions.check(["loads a"], write=True).status == 2
    assert json.loads(path.read_text())["counts"] == written


def test_cells_name_their_tier(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that name none are counted on AVX2."""
    asked = []

    def whole(cell: str, tier: str, count: int) -> int:
        asked.append((cell, tier))
        return 100 * count

    monkeypatch.setattr(instructions, "_whole", whole)
    assert instructions.count_one("scalar loads posts") == 100
    assert instructions.count_one("loads posts") == 100
    monkeypatch.setattr(instructions, "_whole", lambda _cell, _tier, count: -count)
    with pytest.raises(instructions.CannotCountError, match="less than"):
        instructions.count_one("loads posts")
    assert set(asked) == {("loads posts", "scalar"), ("loads posts", "avx2")}
    assert {name.split()[0] for name in instructions.ROWS} > {"v128", "scalar"}


def test_an_operation_without_a_baseline_fails() -> None:
    """A new cell is not compared with nothing."""
    verdict = instructions.compare({"loads new": 1.0}, HERE, BASELINE)
    assert verdict.status == 1


def test_the_committed_baseline_has_every_operation() -> None:
    """The same names, plausible counts, and an environment."""
    baseline = json.loads(instructions.BASELINE.read_text("utf-8"))
    assert list(baseline["counts"]) == instructions.ROWS
    assert all(count > 100 for count in baseline["counts"].values())
    assert {"python", "rustc", "valgrind", "numpy"} <= set(baseline["environment"])


def test_every_operation_runs(tmp_path: Path) -> None:
    """Each cell can be made and called, here without documents."""
    pytest.importorskip("numpy")
    for name in instructions_child.DOCUMENTS:
        (tmp_path / f"{name}.json").write_text('{"b":[1,2.5],"a":"x"}')
    for cell in instructions_child.CELLS:
        assert instructions_child.operation(cell, tmp_path)() is not None, cell
