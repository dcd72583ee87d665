"""Import of energy series: which files are read or refused, which faults are found."""

from __future__ import annotations

import json
import math
import statistics

import pytest

import synthetic_energy
from snooze_lab.energy import (
    asseed,
    calibrate,
    checks,
    figures,
    pairs,
    series,
    study,
    summary,
    windows,
)
from snooze_lab.meters import energibridge_csv, model


@pytest.fixture(scope="module")
def clean(tmp_path_factory):
    return study.load(synthetic_energy.study(tmp_path_factory.mktemp("clean")))


def raised(found):
    """The names of all flags of a study, by what they are about."""
    names = {flag.name for flag in found.flags}
    for group in found.groups.values():
        names |= {flag.name for flag in group.flags}
        names |= {flag.name for run in group.runs for flag in run.checked.flags}
    return names


def planted(tmp_path, fault, **options):
    return study.load(synthetic_energy.study(tmp_path, fault), **options)


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
        ("background-burst", checks.BURST, {checks.IDLE_DRIFT}),
        ("backward-counter", checks.BACKWARD, set()),
        ("short-window", checks.SHORT, {checks.FEW_UPDATES, checks.QUANTISED}),
        ("idle-drift", checks.IDLE_DRIFT, set()),
        ("throttled", checks.THROTTLED, set()),
        ("memory-full", checks.MEMORY, set()),
        ("below-idle", checks.BELOW_IDLE, set()),
        ("major-rotation", checks.ORDER, set()),
    ],
)
def test_each_fault_raises_its_own_flag(tmp_path, fault, expected, also):
    found = raised(planted(tmp_path, fault))
    assert expected in found
    assert found <= {expected} | also


def test_power_is_checked_against_the_machine_given(tmp_path):
    limits = checks.Limits(maximum=65)
    assert checks.TOO_HOT in raised(planted(tmp_path, "too-hot", limits=limits))
    unknown = study.load(tmp_path)
    run = unknown.groups["orjson-small"].runs[0]
    assert not run.flagged(checks.TOO_HOT)
    assert "not given" in run.checked.skipped[checks.TOO_HOT]


def test_flags_are_on_the_runs_that_have_the_fault(tmp_path):
    found = planted(tmp_path, "swap")
    for name, group in found.groups.items():
        assert all(
            run.flagged(checks.SWAP) == (name == "orjson-small") for run in group.runs
        )


def test_burst_names_its_trials_and_pairs_leave_them_out(tmp_path):
    found = planted(tmp_path, "background-burst")
    trials = found.trials("small", checks.BURST)
    assert {4, 5} <= trials
    (one,) = study.comparisons(found)
    assert one.left_out == sorted(trials)
    assert {pair.n for pair in one.paired if pair.metric != "net"} == {12}
    assert {pair.n for pair in one.paired_quiet} == {12 - len(trials)}


def test_core_counter_of_windows_is_refused_with_the_reason(tmp_path):
    found = planted(tmp_path, "core-counter")
    run = found.groups["orjson-small"].runs[0]
    assert run.series.origin == "windows"
    assert series.CORES not in run.series.counters
    assert run.metrics["cores"] is None
    assert "own thread" in " ".join(run.series.refused["CORE0_ENERGY"].split())
    assert run.core0 == series.positive_steps(run.series.suspects["CORE0_ENERGY"])


def test_core_counters_of_linux_are_used(clean):
    run = clean.groups["json-small"].runs[0]
    assert run.series.origin == "linux"
    assert 0 < run.metrics["cores"] < run.metrics["package"]


def test_origin_can_be_said(tmp_path):
    root = synthetic_energy.study(tmp_path, trials=10)
    found = study.load(root, origin="windows")
    run = found.groups["json-small"].runs[0]
    assert set(run.series.refused) == {"CORE0_ENERGY", "CORE1_ENERGY"}


def test_net_energy_is_gross_without_adjacent_idle(clean):
    run = clean.groups["json-small"].runs[5]
    window, duration = run.window, run.series.duration
    level = statistics.fmean([window.before.watts, window.after.watts])
    assert math.isclose(window.net, window.gross - level * duration)
    assert math.isclose(level, 17, rel_tol=0.05)
    assert math.isclose(window.net / duration, 8.5 * 1.1, rel_tol=0.1)


def test_first_and_last_run_have_one_idle_window(clean):
    runs = [run for group in clean.groups.values() for run in group.runs]
    runs.sort(key=lambda run: run.series.t[0])
    assert runs[0].window.before is None
    assert runs[0].window.net is not None
    assert runs[-1].window.after is None


def _flat(name, start, stop, joules):
    steps = 40
    t = [start + (stop - start) * i / steps for i in range(steps + 1)]
    return series.Series(
        name,
        "linux",
        t,
        {series.PACKAGE: [joules + 20 * (x - start) for x in t]},
        interval=t[1] - t[0],
    )


def test_no_idle_window_where_the_counter_was_reset_or_the_study_paused():
    first = _flat("a", 0, 4, 1000)
    assert windows.between(first, _flat("b", 6, 10, 10)) is None
    assert windows.between(first, _flat("b", 4 + 700, 710, 9e4)) is None
    assert windows.between(first, _flat("b", 4.1, 8, 1090)) is None
    assert windows.between(first, _flat("b", 6, 10, 1100)).watts == pytest.approx(10)


def test_run_alone_has_no_net_energy():
    (window,) = windows.windows([_flat("a", 0, 4, 1000)])
    assert window.gross == pytest.approx(80)
    assert window.net is None
    found = checks.run(_flat("a", 0, 4, 1000), window, None, checks.Limits())
    assert found.flags == []
    assert {checks.BURST, checks.BELOW_IDLE, checks.SWAP} <= found.skipped.keys()


# What is read of a file.


def _csv(tmp_path, text):
    path = tmp_path / "one.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_intel_columns(tmp_path):
    lines = ["Delta,Time,DRAM_ENERGY (J),PACKAGE_ENERGY (J),PP0_ENERGY (J)"]
    lines += [f"100,{1000 * i},{i},{20 * i},{8 * i}" for i in range(1, 31)]
    found = series.read(_csv(tmp_path, "\n".join(lines)))
    assert found.origin == "linux"
    assert found.joules() == 580
    assert found.joules(series.CORES) == 232
    assert found.joules(series.DRAM) == 29
    assert found.busy_cores() is None


def test_apple_power_is_integrated(tmp_path):
    lines = ["Delta,Time,SYSTEM_POWER (Watts)"]
    lines += [f"100,{100 * i},{10 + i}" for i in range(11)]
    found = series.read(_csv(tmp_path, "\n".join(lines)))
    assert found.origin == "macos"
    assert found.joules() == pytest.approx(15.0)


def test_semicolons_and_cut_lines_and_empty_cells(tmp_path):
    text = (
        "Delta;Time;CPU_ENERGY (J);USED_SWAP\n0;1000;5;\n0;2000;7;1\n0;3000;9;2\n0;40"
    )
    table = energibridge_csv.read(_csv(tmp_path, text))
    assert table.rows == 3
    assert table.dropped == 1
    assert table.columns["USED_SWAP"] == [None, 1.0, 2.0]
    assert table.numbers("USED_SWAP") is None
    assert table.units["CPU_ENERGY"] == "J"
    assert series.read(tmp_path / "one.csv").joules() == 4


def test_wrap_of_the_hardwares_counter_is_undone(tmp_path):
    lines = ["Delta,Time,CPU_ENERGY (J)"]
    lines += [f"100,{1000 * i},{(65_500 + 10 * i) % 65_536}" for i in range(10)]
    found = series.read(_csv(tmp_path, "\n".join(lines)))
    assert found.joules() == 90
    assert found.wrapped == 1
    assert series.backward_steps(found.counters[series.PACKAGE]) == 0


def test_step_back_that_is_no_wrap_stays():
    assert energibridge_csv.unwrapped([60_000.0, 10.0]) == ([60_000.0, 10.0], 0)
    assert energibridge_csv.unwrapped([65_500.0, 40_000.0]) == ([65_500.0, 40_000.0], 0)
    assert energibridge_csv.unwrapped([262_000.0, 10.0]) == ([262_000.0, 262_154.0], 1)


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
    with pytest.raises(energibridge_csv.TraceError, match=said):
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


# The statistics.


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


def test_comparison_is_the_seeds():
    found = asseed.compare(
        "package", ("json", "orjson"), [1, 2, 3, 2, 1], [2, 3, 4, 3, 2]
    )
    assert (found.test, found.effect_name) == ("Welch's t", "Cohen's d")
    assert found.effect == pytest.approx(-1 / statistics.stdev([1, 2, 3, 2, 1]))
    assert found.difference_percent == pytest.approx(100 * 5 / 9)
    skewed = asseed.compare(
        "package", ("json", "orjson"), [1, 1, 1, 1, 1, 9], [2, 3, 4, 3, 2, 9]
    )
    assert (skewed.test, skewed.effect_name) == ("Mann-Whitney U", "Cliff's delta")


def test_paired_ratio_is_free_of_what_drifts():
    base = [100 * 1.1**i for i in range(12)]
    found = pairs.ratio("net", base, [0.8 * value for value in base])
    assert found.ratio == pytest.approx(0.8)
    assert found.low == pytest.approx(0.8)
    assert found.high == pytest.approx(0.8)
    assert pairs.ratio("net", [1, None, 3, -1], [1, 2, 3, 4]) is None
    assert pairs.ratio("net", [1, None, 3, 4], [1, 2, 3, 4]).n == 3


def test_planted_difference_is_found(clean):
    (one,) = study.comparisons(clean)
    duration = next(pair for pair in one.paired if pair.metric == "duration")
    assert duration.low <= 4.5 / 6.0 <= duration.high
    assert duration.high < 1
    assert one.unpaired == []


def test_quantised_needs_steps_no_smaller_than_the_spread():
    smooth = [10 + 0.31 * i for i in range(20)]
    assert checks.quantised(smooth, 0.05, "x") is None
    stepped = [10 + 0.2 * (i % 3) for i in range(20)]
    flag = checks.quantised(stepped, 0.2, "x")
    assert "3 distinct values" in flag.sentence
    assert checks.quantised(stepped[:5], 0.2, "x") is None


def test_rotation_is_told_from_a_shuffle():
    assert checks.alternating(["a", "b"] * 10, "x").name == checks.ORDER
    assert checks.alternating(["a", "b", "b", "a"] * 5, "x") is None
    assert checks.alternating(["a"] * 20, "x") is None


def test_sample_lines_of_the_engine():
    line = {
        "rusage": {"majflt": 3},
        "psi": {"memory_some_us": 1500},
        "meters": [
            {"meter": "swap:in", "value": 2.0},
            {"meter": "swap:out", "value": 0.0},
        ],
    }
    found = checks.sample(line, "cell")
    assert [flag.name for flag in found] == [checks.FAULTS, checks.MEMORY, checks.SWAP]
    assert checks.sample({"rusage": {"majflt": 0}, "psi": None}, "cell") == []


def test_every_flag_has_a_meaning():
    names = {
        value
        for key, value in vars(checks).items()
        if key.isupper() and isinstance(value, str)
    }
    assert names - {series.CORES} == set(checks.MEANING)


# The model.


def test_calibration_recovers_what_was_planted(clean, tmp_path):
    fit = calibrate.from_study(clean, ["json-small"])
    assert fit.idle == pytest.approx(17.0, rel=0.02)
    assert fit.core == pytest.approx(8.5, rel=0.05)
    assert fit.low <= 1 <= fit.high
    predicted = {
        one.group: one for one in calibrate.predictions(clean, fit, ["json-small"])
    }
    assert predicted["json-small"].fitted
    assert not predicted["orjson-small"].fitted
    assert abs(predicted["orjson-small"].difference_percent) < 2
    path = tmp_path / "calibration.toml"
    written = calibrate.write(
        path,
        fit,
        data='synthetic "json-small"',
        quality="imported",
        machine="made up",
        date="2026-11-21",
        tried=list(predicted.values()),
    )
    assert written == model.load(path)
    assert (written.idle, written.core, written.n) == (fit.idle, fit.core, fit.n)
    assert written.origin == 'synthetic "json-small"'


def test_calibration_refuses_what_cannot_be_fitted(clean, tmp_path):
    with pytest.raises(calibrate.CalibrationError, match="at least 5 windows"):
        calibrate.fit([calibrate.Point(1, 1, 20)] * 4, 10)
    with pytest.raises(calibrate.CalibrationError, match="more than the 30"):
        calibrate.fit([calibrate.Point(1, 1, 20)] * 9, 30)
    with pytest.raises(
        calibrate.CalibrationError, match="expected groups of json-small"
    ):
        calibrate.from_study(clean, ["ujson-small"])
    fit = calibrate.from_study(clean, ["json-small"])
    with pytest.raises(calibrate.CalibrationError, match="not calibrated with another"):
        calibrate.write(
            tmp_path / "x", fit, data="d", quality="estimated", machine="m", date="d"
        )


# What the report is given.


def test_summary_is_plain_and_small(clean):
    found = summary.of(clean)
    text = json.dumps(found, allow_nan=False)
    assert len(text) < 300_000
    assert json.loads(text) == found
    assert found["quality"] == "imported"
    assert found["flags"] == []
    assert {run["group"] for run in found["runs"]} == set(clean.groups)
    assert set(found["figures"]) == {
        "duration_box",
        "package_box",
        "core0_box",
        "power_box",
        "scatter",
        "groups_by_metrics",
        "cumulative",
    }
    drawn = found["figures"]["cumulative"]
    assert {one["group"] for one in drawn["series"]} == set(clean.groups)
    assert all(len(one["t"]) <= figures.POINTS for one in drawn["series"])
    assert found["model"]["fitted"] == ["json-small"]


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
    found = summary.summary(tmp_path)
    assert found["model"] is None
    assert found["comparisons"] == []
    assert found["groups"][0]["skipped"][checks.SWAP] == "swap was not logged"


def test_summary_counts_flags_by_group(tmp_path):
    root = synthetic_energy.study(tmp_path, "swap")
    found = summary.summary(root)
    (swap,) = found["flags"]
    assert swap["counts"] == {"json-small": [0, 12], "orjson-small": [12, 12]}
    assert "USED_SWAP leaves 0 in 12/12 orjson-small runs" in found["statements"]


def test_operations_divide_the_joules(tmp_path):
    root = synthetic_energy.study(tmp_path, trials=3)
    found = study.load(root, operations={"json-small": 50, "orjson-small": 100})
    run = found.groups["orjson-small"].runs[0]
    assert run.metrics["per_operation"] == run.window.gross / 100
    assert found.groups["json-small"].runs[0].operations == 50
    with pytest.raises(study.StudyError, match="how many operations"):
        study.load(root, operations={"json-small": 50})
