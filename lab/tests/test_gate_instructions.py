"""The guard of instruction counts: a planted regression fails it.

Separate from test_race.py because it is a test of the comparing alone: counting needs
valgrind and minutes, and is `make test-speed`.
"""

from __future__ import annotations

import json
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


def test_another_environment_is_not_compared() -> None:
    """Neither passed nor failed: it says what differs and what to do."""
    verdict = compare(1_000, 500, rustc="rustc 1.96.0")
    assert verdict.status == 2
    text = "\n".join(verdict.lines)
    assert "NOT COMPARED" in text
    assert "1.95.0" in text
    assert "1.96.0" in text
    assert "BASELINE=write" in text


def test_an_operation_without_a_baseline_fails() -> None:
    """A new cell is not compared with nothing."""
    verdict = instructions.compare({"loads new": 1.0}, HERE, BASELINE)
    assert verdict.status == 1


def test_the_committed_baseline_has_every_operation() -> None:
    """The same names, plausible counts, and an environment."""
    baseline = json.loads(instructions.BASELINE.read_text("utf-8"))
    assert list(baseline["counts"]) == instructions_child.CELLS
    assert all(count > 100 for count in baseline["counts"].values())
    assert {"python", "rustc", "valgrind", "numpy"} <= set(baseline["environment"])


def test_every_operation_runs(tmp_path: Path) -> None:
    """Each cell can be made and called, here without documents."""
    pytest.importorskip("numpy")
    for name in instructions_child.DOCUMENTS:
        (tmp_path / f"{name}.json").write_text('{"b":[1,2.5],"a":"x"}')
    for cell in instructions_child.CELLS:
        assert instructions_child.operation(cell, tmp_path)() is not None, cell
