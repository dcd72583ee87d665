"""Import of energy series: which files are read or refused, which faults are found."""

from __future__ import annotations

import dataclasses
import json
import math
import re
import statistics

import numpy as np
import pytest
from scipy import stats as scipy_stats
from typer.testing import CliRunner

import snooze
import synthetic_energy
from snooze_lab import UserError
from snooze_lab.cli import app
from snooze_lab.energy import (
    asseed,
    calibration,
    checks,
    command,
    series,
    study,
    summary,
)
from snooze_lab.meters.block import BELOW_IDLE, IDLE_DRIFT, TOO_SHORT
from snooze_lab.statistics.stats import StatsError
from snooze_lab.stored import energy_types


@pytest.fixture(scope="module")
def clean(tmp_path_factory):
    return study.load(synthetic_energy.study(tmp_path_factory.mktemp("clean")))


def raised(found):
    """The names of all flags of a study, by what they are about."""
    names = {one.flag for one in found.flags()}
    for group in found.groups.values():
        names |= {checks.QUANTISED} if group.quantised else set()
        names |= {name for run in group.runs for name in run.checked.flags}
    return names


def planted(tmp_path, fault):
    return study.load(synthetic_energy.study(tmp_path, fault))


def test_clean_study_raises_nothing(clean):
    assert raised(clean) == set()
    assert {g.name: len(g.runs) for g in clean.groups.values()} == {
        "json-small": 12,
        "orjson-small": 12,
    }


@pytest.mark.parametrize(
    ("fault", "expected", "also"),
    [
        ("swap", checks.SWAP, set()),
        (
            "core-counter",
            checks.CORES_EXCEED,
            {checks.BACKWARD, checks.WITHDRAWN},
        ),
        ("quantised-clock", checks.QUANTISED, set()),
        ("background-burst", checks.BURST, {IDLE_DRIFT}),
        ("backward-counter", checks.BACKWARD, set()),
        ("short-window", TOO_SHORT, {checks.FEW_UPDATES, checks.QUANTISED}),
        ("idle-drift", IDLE_DRIFT, set()),
        ("throttled", checks.THROTTLED, set()),
        ("memory-full", checks.MEMORY, set()),
        ("below-idle", BELOW_IDLE, set()),
        ("major-rotation", checks.ORDER, set()),
    ],
)
def test_each_fault_raises_its_own_flag(tmp_path, fault, expected, also):
    found = raised(planted(tmp_path, fault))
    assert expected in found
    assert found <= {expected} | also


def test_flags_are_on_the_runs_that_have_the_fault(tmp_path):
    found = planted(tmp_path, "swap")
    for name, group in found.groups.items():
        assert all(
            (checks.SWAP in run.checked.flags) == (name == "orjson-small")
            for run in group.runs
        )


def test_burst_names_its_trials_and_pairs_leave_them_out(tmp_path):
    found = planted(tmp_path, "background-burst")
    trials = found.bursts("small")
    assert {4, 5} <= trials
    (one,) = study.comparisons(found)
    assert one.left_out == sorted(trials)
    assert {pair.n for pair in one.paired if pair.metric != "net"} == {12}
    assert {pair.n for pair in one.paired_quiet} == {12 - len(trials)}


def test_core_counter_of_windows_is_refused_with_the_reason(tmp_path):
    found = planted(tmp_path, "core-counter")
    run = found.groups["orjson-small"].runs[0]
    assert run.series.cores is None
    assert run.metrics["cores"] is None
    assert "own thread" in run.series.refused["CORE0_ENERGY"]
    steps = series.positive_steps(run.series.suspects["CORE0_ENERGY"])
    assert run.metrics["core0"] == steps
    described = {
        one["name"]: one for one in dataclasses.asdict(summary.of(found))["groups"]
    }
    withdrawn = described["orjson-small"]["metrics"]["core0"]["withdrawn"]
    assert withdrawn == run.series.refused["CORE0_ENERGY"]


def test_core_counters_of_linux_are_used(clean):
    run = clean.groups["json-small"].runs[0]
    assert run.series.refused == {}
    assert 0 < run.metrics["cores"] < run.metrics["package"]


def test_net_energy_is_gross_without_adjacent_idle(clean):
    run = clean.groups["json-small"].runs[5]
    window, duration = run.window, run.series.duration
    level = statistics.fmean([window.before.watts, window.after.watts])
    gross, net = window.joules["gross"], window.joules["net"]
    assert math.isclose(net, gross - level * duration)
    assert math.isclose(level, 17, rel_tol=0.05)
    assert math.isclose(net / duration, 8.5 * 1.1, rel_tol=0.1)


def test_first_and_last_run_have_one_idle_window(clean):
    runs = [run for group in clean.groups.values() for run in group.runs]
    runs.sort(key=lambda run: run.series.t[0])
    assert runs[0].window.before is None
    assert runs[0].metrics["net"] is not None
    assert runs[-1].window.after is None


def _flat(start, stop, joules):
    steps = 40
    t = [start + (stop - start) * i / steps for i in range(steps + 1)]
    package = [joules + 20 * (x - start) for x in t]
    return series.Series(t, package, interval=t[1] - t[0])


def test_no_idle_window_where_the_counter_was_reset_or_the_study_paused():
    first = _flat(0, 4, 1000)
    assert series.between(first, _flat(6, 10, 10)) is None
    assert series.between(first, _flat(4 + 700, 710, 9e4)) is None
    assert series.between(first, _flat(4.1, 8, 1090)) is None
    assert series.between(first, _flat(6, 10, 1100)).watts == pytest.approx(10)


def test_run_alone_has_no_net_energy():
    (window,) = series.windows([_flat(0, 4, 1000)])
    assert window.joules == {"gross": pytest.approx(80)}
    found = checks.run(_flat(0, 4, 1000), window, None)
    assert found.flags == {}
    assert {checks.BURST, BELOW_IDLE, checks.SWAP} <= found.skipped.keys()


# What is read of a file.


def _csv(tmp_path, text):
    path = tmp_path / "one.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_intel_columns(tmp_path):
    lines = ["Delta,Time,DRAM_ENERGY (J),PACKAGE_ENERGY (J),PP0_ENERGY (J)"]
    lines += [f"100,{1000 * i},{i},{20 * i},{8 * i}" for i in range(1, 31)]
    found = series.read(_csv(tmp_path, "\n".join(lines)))
    assert found.joules == 580
    assert found.cores[-1] - found.cores[0] == 232
    assert found.busy is None


def test_apple_power_is_integrated(tmp_path):
    lines = ["Delta,Time,SYSTEM_POWER (Watts)"]
    lines += [f"100,{100 * i},{10 + i}" for i in range(11)]
    found = series.read(_csv(tmp_path, "\n".join(lines)))
    assert found.joules == pytest.approx(15.0)


def test_semicolons_and_cut_lines_and_empty_cells(tmp_path):
    text = (
        "Delta;Time;CPU_ENERGY (J);USED_SWAP\n0;1000;5;\n0;2000;7;1\n0;3000;9;2\n0;40"
    )
    found = series.read(_csv(tmp_path, text))
    assert found.package == [5, 7, 9]
    assert found.swap == []


def test_wrap_of_the_hardwares_counter_is_undone(tmp_path):
    lines = ["Delta,Time,CPU_ENERGY (J)"]
    lines += [f"100,{1000 * i},{(65_500 + 10 * i) % 65_536}" for i in range(10)]
    found = series.read(_csv(tmp_path, "\n".join(lines)))
    assert found.joules == 90
    assert series.backward_steps(found.package) == 0


def test_step_back_that_is_no_wrap_stays():
    assert series.unwrapped([60_000.0, 10.0]) == [60_000.0, 10.0]
    assert series.unwrapped([65_500.0, 40_000.0]) == [65_500.0, 40_000.0]
    assert series.unwrapped([262_000.0, 10.0]) == [262_000.0, 262_154.0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "empty file"),
        ("a,b\n1,2\n", "a column named Time"),
        ("Delta,Time,CPU_ENERGY (J)\n", "rows with a time"),
        ("Delta,Time,CPU_ENERGY (J)\n0,5,5\n", "two samples"),
        ("Delta,Time,CPU_ENERGY (J)\n0,9,5\n0,8,5\n0,10,6\n", "1 steps back"),
        ("Delta,Time,USED_SWAP\n0,5,5\n0,6,7\n", "PACKAGE_ENERGY"),
    ],
)
def test_files_that_are_no_series_are_refused(tmp_path, text, said):
    with pytest.raises(series.TraceError, match=said):
        series.read(_csv(tmp_path, text))


def test_folder_without_series_is_refused_and_bad_files_are_named(tmp_path):
    with pytest.raises(study.StudyError, match="expected CSV files"):
        study.load(tmp_path)
    root = synthetic_energy.study(tmp_path, trials=3)
    (root / "json-small" / "notes.csv").write_text("hello\n", encoding="utf-8")
    found = study.load(root)
    assert len(found.unread) == 1
    assert "notes.csv" in found.unread[0]
    assert len(found.groups["json-small"].runs) == 3


def test_files_of_one_folder_are_grouped_by_name(tmp_path):
    root = synthetic_energy.study(tmp_path / "deep", trials=4)
    flat = tmp_path / "flat"
    flat.mkdir()
    for path in root.glob("*/*.csv"):
        path.rename(flat / path.name)
    found = study.load(flat)
    assert set(found.groups) == {"json", "orjson"}
    assert found.conditions == [""]
    (one,) = study.comparisons(found)
    assert (one.first, one.second) == ("json", "orjson")


def test_a_file_that_cannot_be_read_is_named_in_the_results(tmp_path):
    root = synthetic_energy.study(tmp_path / "study", trials=3)
    (root / "json-small" / "notes.csv").write_text("hello\n", encoding="utf-8")
    _, results = command.take_in(root, tmp_path / "run")
    (flag,) = [one for one in results["flags"] if one["name"] == "unreadable-file"]
    assert "notes.csv: expected a column named Time" in flag["sentence"]


def test_results_of_another_form_are_refused_in_one_sentence(tmp_path):
    root = synthetic_energy.study(tmp_path / "study", trials=3)
    run, results = command.take_in(root, tmp_path / "run")
    results["energy"][0]["format"] = 1
    run.write("results.json", results)
    done = CliRunner().invoke(app, ["report", str(run.path)])
    assert done.exit_code == 2
    said = done.output.replace("\n", " ")
    assert "expected 2, found 1 at $.energy[0].format; import the series again" in said


# The statistics: the seed's, against scipy's or values computed by hand.


def test_outlier_rule_is_any_metric():
    plain = [1.0, 1.1, 0.9, 0.94, 1.05, 0.95, 1.06, 1.02]
    metrics = {
        "duration": plain,
        "package": [*plain[:-1], 9.0],
        "core0": [9.0, *plain[1:]],
    }
    assert asseed.kept(metrics) == [False, *[True] * 6, False]
    del metrics["core0"]
    assert asseed.kept(metrics) == [*[True] * 7, False]


def test_normal_groups_get_welch_and_cohen():
    dice = np.random.default_rng(4)
    a, b = dice.normal(11, 1, 30), dice.normal(10, 1, 30)
    found = asseed.compare("package", a, b)
    assert found.test == "Welch's t"
    assert found.p == pytest.approx(scipy_stats.ttest_ind(a, b, equal_var=False).pvalue)
    pooled = math.sqrt((np.var(a, ddof=1) + np.var(b, ddof=1)) / 2)
    assert found.effect_name == "Cohen's d"
    assert found.effect == pytest.approx((a.mean() - b.mean()) / pooled)
    assert found.difference_percent == pytest.approx(100 * (b.mean() / a.mean() - 1))


def test_skewed_groups_get_mann_whitney_and_cliff():
    dice = np.random.default_rng(5)
    a, b = dice.exponential(2, 60), dice.exponential(1, 60)
    found = asseed.compare("package", a, b)
    assert found.test == "Mann-Whitney U"
    assert found.p == pytest.approx(scipy_stats.mannwhitneyu(a, b).pvalue)
    assert found.effect_name == "Cliff's delta"
    assert found.effect == pytest.approx(np.sign(a[:, None] - b[None, :]).mean())


def test_cliff_counts_ties_as_neither():
    a, b = np.array([1.0, 2.0, 2.0]), np.array([2.0, 2.0, 3.0])
    by_hand = np.sign(a[:, None] - b[None, :]).mean()
    assert asseed.cliffs_delta(a, b) == pytest.approx(by_hand)
    assert asseed.cliffs_delta(b + 9, a) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ([1.0], [2.0]),
        ([1.0, 1.0, 1.0], [1.0, 1.0, 1.0]),
        ([0.0, 0.0, 0.0], [1.0, 1.0, 1.0]),
        ([1.0, 2.0], [2.0, 3.0]),
        ([1.0], [1.0, 2.0, 3.0, 4.0]),
    ],
)
def test_little_and_degenerate_data_gives_no_nan(a, b):
    found = asseed.compare("package", a, b)
    # json.dumps refuses NaN and infinity here, wherever they stand.
    json.dumps(dataclasses.asdict(found), allow_nan=False)
    assert (found.test == "none") == (a == b)


@pytest.mark.parametrize("bad", [[math.nan, 1.0], [math.inf], []])
def test_what_cannot_be_compared_is_refused(bad):
    with pytest.raises(StatsError, match="second group: expected"):
        asseed.compare("package", [1.0, 2.0], bad)


def _trials(values):
    return {
        place: dict.fromkeys(study.PAIRED, value) for place, value in enumerate(values)
    }


def test_paired_ratio_is_free_of_what_drifts():
    base = [100 * 1.1**i for i in range(12)]
    own = [0.8 * value for value in base]
    for found in study._paired(_trials(base), _trials(own), set(range(12))):
        assert (found.ratio, found.low, found.high) == pytest.approx((1.25, 1.25, 1.25))
    few = _trials([1, None, 3, -1]), _trials([1, 2, 3, 4])
    assert list(study._paired(*few, {0, 1, 2, 3})) == []
    enough = _trials([1, None, 3, 4]), _trials([1, 2, 3, 4])
    found = list(study._paired(*enough, {0, 1, 2, 3}))
    assert [(one.metric, one.n) for one in found] == [(m, 3) for m in study.PAIRED]


def test_planted_difference_is_found(clean):
    (one,) = study.comparisons(clean)
    duration = next(pair for pair in one.paired if pair.metric == "duration")
    assert duration.low <= 6.0 / 4.5 <= duration.high
    assert duration.low > 1  # baseline / own: above 1, orjson needs less
    assert one.unpaired == []


def test_quantised_needs_steps_no_smaller_than_the_spread():
    smooth = [10 + 0.31 * i for i in range(20)]
    assert checks.quantised(smooth, 0.05) == ""
    stepped = [10 + 0.2 * (i % 3) for i in range(20)]
    assert "20 durations spread over 2.0 of" in checks.quantised(stepped, 0.2)
    assert checks.quantised(stepped[:5], 0.2) == ""


def test_rotation_is_told_from_a_shuffle():
    assert "20 runs in strict rotation" in checks.alternating(["a", "b"] * 10)
    assert checks.alternating(["a", "b", "b", "a"] * 5) == ""
    assert checks.alternating(["a"] * 20) == ""


def test_every_flag_has_a_meaning():
    names = {
        value
        for key, value in vars(checks).items()
        if key.isupper() and isinstance(value, str)
    }
    assert names == set(checks.MEANING)


# The power model and its file.


def test_calibration_recovers_what_was_planted(clean, tmp_path):
    fit = calibration.from_study(clean, ["json-small"])
    assert fit.idle_watts == pytest.approx(17.0, rel=0.02)
    assert fit.watts_per_busy_core == pytest.approx(8.5, rel=0.05)
    assert fit.band_low <= 1 <= fit.band_high
    tried = calibration.predictions(clean, fit, ["json-small"])
    predicted = {one.group: one for one in tried}
    assert predicted["json-small"].fitted
    assert not predicted["orjson-small"].fitted
    assert abs(predicted["orjson-small"].difference_percent) < 2
    origin = calibration.Origin('"json" \x7f', "made up", "2026-11-21", "imported")
    written = calibration.Calibration(1, origin, fit)
    path = tmp_path / "calibration.toml"
    calibration.write(path, written, tried)
    assert calibration.load(path) == written
    assert written.coefficients.elsewhere


def test_calibration_refuses_what_cannot_be_fitted(clean):
    with pytest.raises(calibration.CalibrationError, match="at least 5 windows"):
        calibration.fit([calibration.Point(1, 1, 20)] * 4, 10)
    with pytest.raises(calibration.CalibrationError, match="more than the 30"):
        calibration.fit([calibration.Point(1, 1, 20)] * 9, 30)
    with pytest.raises(calibration.CalibrationError, match="groups of json-small"):
        calibration.from_study(clean, ["ujson-small"])


GOOD = """format = 1
[origin]
data = "made up"
quality = "imported"
machine = "none"
date = "2026-11-21"
[model]
idle_watts = 10.0
watts_per_busy_core = 5
band_low = 0.98
band_high = 1.03
n = 30
[[prediction]]
group = "json-1gb"
median_joules = 123.3
"""


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("format = 1", "format = 2", "expected 1, found 2 at $.format"),
        ("idle_watts = 10.0", "idle_watts = -1", "at $.model.idle_watts"),
        ("idle_watts = 10.0", "idle_watts = nan", "found nan"),
        ("idle_watts = 10.0", "idle_watts = true", "found bool"),
        ("band_low = 0.98", "band_low = 1.01", "at $.model.band_low"),
        ('machine = "none"', "", 'expected member "machine"'),
        ('machine = "none"', 'machine = ""', "at $.origin.machine"),
        ("n = 30", "", 'expected member "n"'),
        ('"imported"', '"estimated"', "at $.origin.quality"),
        ("[model]", "[model", "cannot be read as TOML"),
    ],
)
def test_bad_calibrations_are_refused(tmp_path, old, new, said):
    path = tmp_path / "calibration.toml"
    path.write_text(GOOD, encoding="utf-8")
    assert calibration.load(path).model.watts_per_busy_core == 5
    path.write_text(GOOD.replace(old, new), encoding="utf-8")
    with pytest.raises(calibration.CalibrationError, match=re.escape(said)):
        calibration.load(path)


def test_a_calibration_of_series_is_written_and_described(tmp_path):
    root = synthetic_energy.study(tmp_path / "study", trials=6)
    path = tmp_path / "calibration.toml"
    lines = command.calibrate(root, path, [])
    assert "6 windows of study: json-small" in lines[0]
    assert any("orjson-small: predicted" in line for line in lines)
    origin = calibration.load(path).origin
    assert (origin.quality, origin.date) == ("imported", "2023-11-14")
    with pytest.raises(UserError, match="found none-small"):
        command.calibrate(root, path, ["none-small"])


# What the report is given.


def test_summary_is_plain_small_and_of_its_form(clean):
    found = dataclasses.asdict(summary.of(clean))
    text = json.dumps(found, allow_nan=False)
    assert len(text) < 300_000
    assert json.loads(text) == snooze.to_builtins(
        snooze.decode(text, energy_types.Energy)
    )
    assert found["quality"] == "imported"
    assert found["flags"] == []
    assert {run["group"] for run in found["runs"]} == set(clean.groups)
    assert found["model"]["fitted"] == ["json-small"]


def test_boxes_hold_all_runs(clean):
    (json_group, _) = dataclasses.asdict(summary.of(clean))["groups"]
    box = json_group["metrics"]["package"]
    values = clean.groups["json-small"].known("package")
    assert box["n"] == len(values) == 12
    assert box["min"] <= box["low"] <= box["q1"] <= box["median"]
    assert box["median"] <= box["q3"] <= box["high"] <= box["max"]
    assert box["min"] == pytest.approx(min(values), rel=1e-5)
    outside = [one for one in values if not box["low"] <= one <= box["high"]]
    assert len(box["outside"]) <= len(outside) + 2


def test_running_totals_lie_over_each_other(clean):
    drawn = dataclasses.asdict(summary.of(clean))["cumulative"]
    assert {one["group"] for one in drawn} == set(clean.groups)
    assert len({one["trial"] for one in drawn}) == 1
    for one in drawn:
        assert len(one["t"]) <= summary.POINTS
        run = next(
            run for run in clean.groups[one["group"]].runs if run.trial == one["trial"]
        )
        assert (one["t"][0], one["joules"][0]) == (0, 0)
        assert one["t"][-1] == pytest.approx(run.series.duration, rel=1e-5)
        assert one["joules"][-1] == pytest.approx(run.series.joules, rel=1e-5)
        if run.window.before:
            before = one["idle"][0]
            assert before["t"][1] == before["joules"][1] == 0
            assert before["joules"][0] < 0
        if run.window.after:
            after = one["idle"][-1]
            assert after["t"][0] == pytest.approx(one["t"][-1], rel=1e-4)
            assert after["joules"][0] == pytest.approx(one["joules"][-1], rel=1e-4)


def test_summary_of_a_study_without_usage_has_no_model(tmp_path):
    for trial in range(1, 5):
        lines = ["Delta,Time,PACKAGE_ENERGY (J)"]
        lines += [
            f"100,{100_000 * trial + 1000 * i},{2000 * trial + 20 * i}"
            for i in range(30)
        ]
        (tmp_path / f"energy_json_run{trial}.csv").write_text(
            "\n".join(lines), encoding="utf-8"
        )
    found = dataclasses.asdict(summary.of(study.load(tmp_path)))
    assert found["model"] is None
    assert found["comparisons"] == []
    assert found["groups"][0]["skipped"][checks.SWAP] == "swap was not logged"


def test_summary_counts_flags_by_group(tmp_path):
    found = dataclasses.asdict(summary.of(planted(tmp_path, "swap")))
    (swap,) = found["flags"]
    assert swap["counts"] == {"json-small": (0, 12), "orjson-small": (12, 12)}
    assert "USED_SWAP leaves 0 in 12/12 orjson-small runs" in found["statements"]
