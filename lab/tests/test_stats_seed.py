"""The seed's pipeline: each step against scipy's or a value computed by hand."""

import dataclasses
import json
import math

import numpy as np
import pytest
from scipy import stats as scipy_stats

from snooze_lab import seedstats
from snooze_lab.resample import StatsError

NAMES = ("json", "orjson")


def groups(shift=1.0, n=30):
    dice = np.random.default_rng(4)
    return list(dice.normal(10, 1, n) + shift), list(dice.normal(10, 1, n))


def test_normal_groups_get_welch_and_cohen():
    a, b = groups()
    found = seedstats.compare(a, b, NAMES, "J", drop_outliers=False)
    expected = scipy_stats.ttest_ind(a, b, equal_var=False)
    assert found.test == "Welch's t"
    assert found.p == pytest.approx(expected.pvalue)
    pooled = math.sqrt((np.var(a, ddof=1) + np.var(b, ddof=1)) / 2)
    assert found.cohen_d == pytest.approx((np.mean(a) - np.mean(b)) / pooled)
    assert found.effect == found.cohen_d
    assert found.sentence.startswith("As in the seed: json ")
    assert "Welch's t" in found.sentence


def test_skewed_groups_get_mann_whitney_and_cliff():
    dice = np.random.default_rng(5)
    a, b = dice.exponential(2, 60), dice.exponential(1, 60)
    found = seedstats.compare(a, b, NAMES, drop_outliers=False)
    assert found.test == "Mann-Whitney U"
    assert found.p == pytest.approx(scipy_stats.mannwhitneyu(a, b).pvalue)
    above = np.sign(a[:, None] - b[None, :]).mean()
    assert found.effect_name == "Cliff's delta"
    assert found.effect == pytest.approx(above)


def test_cliff_counts_ties_as_neither():
    a, b = np.array([1.0, 2.0, 2.0]), np.array([2.0, 2.0, 3.0])
    by_hand = np.sign(a[:, None] - b[None, :]).mean()
    assert seedstats.cliffs_delta(a, b) == pytest.approx(by_hand)


def test_cliff_is_one_where_all_of_a_is_greater():
    found = seedstats.compare([5.0, 6.0, 7.0], [1.0, 2.0, 3.0], NAMES)
    assert found.cliff_delta == pytest.approx(1.0)


def test_outliers_are_dropped_and_counted():
    a, b = groups()
    found = seedstats.compare([*a, 500.0], b, NAMES)
    assert found.a.given == 31
    assert found.a.kept <= 30
    assert found.a.mean < 20


def test_a_run_that_is_an_outlier_in_any_metric_is_dropped():
    times = [1.0, 1.1, 0.9, 1.0, 9.0]
    joules = [3.0, -50.0, 3.1, 2.9, 3.0]
    kept = seedstats.keep_runs({"time": times, "joules": joules})
    assert kept == [True, False, True, True, False]


def test_metrics_of_different_length_are_refused():
    with pytest.raises(StatsError, match="one value for each run"):
        seedstats.keep_runs({"time": [1.0, 2.0], "joules": [1.0]})
    with pytest.raises(StatsError, match="one value for each run"):
        seedstats.keep_runs({})


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
    found = seedstats.compare(a, b, NAMES)
    # json.dumps refuses NaN and infinity here, wherever they stand.
    json.dumps(dataclasses.asdict(found), allow_nan=False)
    assert "nan" not in found.sentence


def test_nothing_to_test_is_said():
    found = seedstats.compare([1.0, 1.0], [1.0, 1.0], NAMES)
    assert found.test == "none"
    assert found.p is None
    assert "nothing to test" in found.sentence


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_what_is_not_finite_is_refused(bad):
    with pytest.raises(StatsError, match="json: expected finite numbers"):
        seedstats.compare([1.0, bad], [1.0, 2.0], NAMES)


def test_empty_groups_are_refused():
    with pytest.raises(StatsError, match="orjson: expected at least 1"):
        seedstats.compare([1.0], [], NAMES)


def test_percent_is_of_the_means():
    found = seedstats.compare([2.0, 2.0], [3.0, 3.0], NAMES)
    assert found.percent == pytest.approx(50.0)
