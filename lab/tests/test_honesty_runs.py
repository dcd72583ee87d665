"""The laboratory against itself, on whole runs whose truth is known.

A planted slowdown of 5 % is found, identical contenders are not told apart beyond the
stated rate, and a contender that returns wrong data never gets a figure
(test_results.py). The machine of these tests is simulated: its noise, what neighbours
in time share, and its drift are those seen on a shared two-core machine.
"""

from __future__ import annotations

import pytest

from simulated import Simulated
from snooze_lab.model import AGAIN
from snooze_lab.running import runs
from test_results import chosen, contests

SEEDS = range(12)


def verdicts(tmp_path, truth, blocks=24, **noise):
    """Return what each of several runs says of `snooze` against orjson, isolated."""
    found = []
    for seed in SEEDS:
        launch = Simulated(truth, seed=seed, **noise)
        settings = runs.Settings(
            seed=seed + 1, output=tmp_path / f"{seed}", launch=launch
        )
        made = runs.start(chosen(contests(1, blocks=blocks)), settings)
        results = runs.go_on(made, settings)
        row = results["studies"][0]["tables"][0]["rows"][0]["cells"]
        found.append(row["snooze"]["effects"]["isolated"]["time"])
    return found


@pytest.mark.parametrize("factor", [1.05, 1 / 1.05])
def test_a_planted_change_of_five_per_cent_is_found(tmp_path, factor):
    truth = {"snooze": 1000.0 * factor, "orjson": 1000.0, AGAIN: 1000.0, "json": 4e3}
    effects = verdicts(tmp_path, truth, noise=0.02, drift=0.2)
    wanted, other = ("worse", "better") if factor > 1 else ("better", "worse")
    found = [one["verdict"] for one in effects]
    assert found.count(wanted) >= 10
    assert other not in found
    covered = [one["low"] <= 1 / factor <= one["high"] for one in effects]
    assert sum(covered) >= 10


def test_identical_contenders_are_not_told_apart(tmp_path):
    truth = {"snooze": 1000.0, "orjson": 1000.0, AGAIN: 1000.0, "json": 4e3}
    effects = verdicts(tmp_path, truth, noise=0.05)
    claims = [one for one in effects if one["verdict"] in {"better", "worse"}]
    assert len(claims) <= 2
    covered = [one["low"] <= 1 <= one["high"] for one in effects]
    assert sum(covered) >= 9
