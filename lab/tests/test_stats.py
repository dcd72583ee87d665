"""Estimates, effects, rounds, families and verdicts, on values known beforehand."""

import dataclasses
import json
import math
import statistics

import numpy as np
import pytest
from scipy import stats as scipy_stats

from snooze_lab.model import Effect
from snooze_lab.statistics import stats
from snooze_lab.statistics.stats import StatsError
from snooze_lab.timing import rounds


def blocks(values):
    return dict(enumerate(values))


def lognormal(n, median=1.0, cv=0.1, seed=1):
    return np.random.default_rng(seed).lognormal(math.log(median), cv, n)


def an_effect(ratio=1.1, low=1.05, high=1.15, p=0.001, n=10):
    return Effect("orjson", ratio, low, high, n, p, "undecided")


def whole(found):
    """Say whether all numbers of a result are finite."""
    json.dumps(dataclasses.asdict(found), allow_nan=False)
    return True


# ------------------------------------------------------------------- estimates


def test_an_estimate_is_the_median_inside_its_interval():
    samples = lognormal(15, 400.0)
    found = stats.estimate(samples, "ns")
    assert found.value == pytest.approx(np.median(samples))
    assert found.low < found.value < found.high
    assert (found.n, found.unit) == (15, "ns")


def test_an_estimate_is_the_same_each_time_and_scales_with_its_unit():
    samples = lognormal(12)
    found = stats.estimate(samples, "s")
    assert found == stats.estimate(samples, "s")
    thousand = stats.estimate(samples * 1000, "ms")
    assert thousand.low == pytest.approx(found.low * 1000)
    assert thousand.high == pytest.approx(found.high * 1000)


def test_few_samples_give_their_extremes():
    found = stats.estimate([3.0, 1.0, 2.0], "ns")
    assert (found.low, found.value, found.high) == (1.0, 2.0, 3.0)
    two = stats.estimate([1.0, 3.0], "ns")
    assert (two.low, two.value, two.high) == (1.0, 2.0, 3.0)


@pytest.mark.parametrize("n", [1, 2, 7, 8, 30])
def test_equal_samples_give_an_interval_of_no_width(n):
    found = stats.estimate([5.0] * n, "B")
    assert (found.low, found.value, found.high, found.n) == (5.0, 5.0, 5.0, n)


def test_zeros_and_negative_samples_have_an_estimate():
    assert stats.estimate([0.0] * 9, "B").high == 0.0
    assert whole(stats.estimate([-1.0, 0.0, 1.0] * 4, "B"))


@pytest.mark.parametrize("odd", [1, 2, 3])
def test_samples_that_nearly_all_agree_have_a_finite_estimate(odd):
    found = stats.estimate([1.0] * (12 - odd) + [2.0] * odd, "ns")
    assert whole(found)
    assert found.low <= found.value <= found.high


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_an_estimate_refuses_what_is_not_finite(bad):
    with pytest.raises(StatsError, match=r"samples in ns: .* at index 1 of 2"):
        stats.estimate([1.0, bad], "ns")


def test_an_estimate_needs_a_sample():
    with pytest.raises(StatsError, match="expected at least 1 samples, found 0"):
        stats.estimate([], "ns")


def ranks(n):
    """Return the interval of the samples 1 to n, and its distribution-free coverage."""
    found = stats.estimate([float(one) for one in range(1, n + 1)], "ns")
    low, high = round(found.low), round(found.high)
    # Between sample low and sample high: low to high - 1 are below the true median.
    held = sum(math.comb(n, below) for below in range(low, high)) / 2**n
    return low, high, held


@pytest.mark.parametrize("n", range(6, 60))
def test_an_interval_of_a_median_holds_it_whatever_the_distribution(n):
    low, high, held = ranks(n)
    assert low + high == n + 1
    assert held >= 0.95
    nearer = sum(math.comb(n, below) for below in range(low + 1, high - 1)) / 2**n
    assert nearer < 0.95


def test_the_interval_of_a_mean_is_that_of_scipy():
    values = np.random.default_rng(3).normal(0.5, 1, (5, 12))
    for row, low, high, p in zip(values, *stats.mean_interval(values), strict=True):
        test = scipy_stats.ttest_1samp(row, 0)
        assert (low, high) == pytest.approx(tuple(test.confidence_interval()))
        assert p == pytest.approx(test.pvalue)


# --------------------------------------------------------------------- effects


def test_an_effect_is_baseline_over_own():
    own, base = lognormal(12, 2.0, seed=1), lognormal(12, 3.0, seed=2)
    found = stats.effect(blocks(own), blocks(base), "json")
    assert found.ratio == pytest.approx(scipy_stats.gmean(base / own))
    assert found.low < found.ratio < found.high
    assert (found.baseline, found.n, found.verdict) == ("json", 12, "better")


def test_the_inverse_comparison_gives_the_inverse_ratio():
    own, base = blocks(lognormal(12, seed=1)), blocks(lognormal(12, 1.3, seed=2))
    there, back = stats.effect(own, base), stats.effect(base, own)
    assert there.ratio * back.ratio == pytest.approx(1.0)
    assert there.low == pytest.approx(1 / back.high, rel=0.02)
    assert there.p == pytest.approx(back.p)


def test_a_machine_that_slows_down_cancels_out():
    drift = np.linspace(1, 3, 12)
    own = lognormal(12, 1.0, 0.01, seed=1) * drift
    base = lognormal(12, 1.1, 0.01, seed=2) * drift
    found = stats.effect(blocks(own), blocks(base))
    assert found.ratio == pytest.approx(1.1, rel=0.01)
    assert found.high - found.low < 0.03


def test_a_difference_of_one_grain_is_none():
    own, base = blocks([40_960.0] * 5), blocks([45_056.0] * 5)
    assert stats.effect(own, base).verdict == "better"
    assert stats.effect(own, base, grain=4095).verdict == "better"
    found = stats.effect(own, base, grain=4096)
    assert (found.ratio, found.low, found.high) == (1.0, 1.0, 1.0)
    assert found.verdict == "equal"


def test_blocks_without_a_partner_are_dropped():
    ratios = stats.log_ratios({0: 1.0, 1: 2.0, 2: 4.0}, {1: 2.0, 2: 8.0, 7: 1.0})
    assert ratios == pytest.approx({1: 0.0, 2: math.log(2)})
    assert stats.effect({0: 1.0, 1: 2.0}, {1: 2.0, 9: 1.0}).n == 1


@pytest.mark.parametrize(("own", "base"), [({}, {}), ({0: 1.0}, {1: 1.0})])
def test_no_common_block_is_an_error_that_says_so(own, base):
    with pytest.raises(StatsError, match="is the baseline part of this contest"):
        stats.effect(own, base)


@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, math.inf])
def test_an_effect_refuses_what_has_no_logarithm(bad):
    with pytest.raises(StatsError, match="own values: expected finite numbers above"):
        stats.effect({0: 1.0, 1: bad}, {0: 1.0, 1: 1.0})
    with pytest.raises(StatsError, match="baseline: expected finite numbers above"):
        stats.effect({0: 1.0, 1: 1.0}, {0: 1.0, 1: bad})


def test_one_block_is_undecided_whatever_the_ratio():
    found = stats.effect({0: 1.0}, {0: 5.0})
    assert (found.ratio, found.p, found.n) == (pytest.approx(5.0), 1.0, 1)
    assert found.verdict == "undecided"


def test_two_blocks_have_students_wide_interval():
    found = stats.effect({0: 1.0, 1: 1.0}, {0: 1.1, 1: 1.3})
    logs = np.log([1.1, 1.3])
    ends = scipy_stats.ttest_1samp(logs, 0).confidence_interval()
    assert math.log(found.low) == pytest.approx(ends.low)
    assert math.log(found.high) == pytest.approx(ends.high)
    assert found.verdict == "undecided"


def test_a_hopeless_interval_is_cut_and_stays_finite():
    found = stats.effect({0: 1.0, 1: 1.0}, {0: 1e-300, 1: 1e300})
    assert whole(found)


def test_equal_ratios_have_no_width():
    same = stats.effect(blocks([2.0] * 8), blocks([2.0] * 8))
    assert (same.ratio, same.low, same.high, same.p) == (1.0, 1.0, 1.0, 1.0)
    assert same.verdict == "equal"
    smaller = stats.effect(blocks([2.0] * 8), blocks([3.0] * 8))
    assert smaller.low == smaller.high == pytest.approx(1.5)
    assert (smaller.p, smaller.verdict) == (0.0, "better")


def test_the_order_of_blocks_does_not_matter():
    own, base = blocks(lognormal(9)), blocks(lognormal(9, seed=2))
    turned = dict(reversed(own.items()))
    assert stats.effect(own, base) == stats.effect(turned, base)


def test_p_agrees_with_a_permutation_and_a_bootstrap_where_they_have_room():
    logs = np.random.default_rng(8).normal(0.03, 0.07, 24)
    *_, p = stats.mean_interval(logs)
    permuted = scipy_stats.permutation_test(
        (logs, np.zeros(24)),
        lambda a, b, axis: (a - b).mean(axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=20_000,
        rng=np.random.default_rng(1),
    ).pvalue
    assert 0.005 < p < 0.2
    assert p == pytest.approx(permuted, rel=0.15)
    shifted = scipy_stats.bootstrap(
        (logs - logs.mean(),), np.mean, rng=np.random.default_rng(1)
    ).bootstrap_distribution
    booted = np.mean(np.abs(shifted) >= abs(logs.mean()))
    # A plain bootstrap of 24 values is a little too sure, which is why it is not used.
    assert p - 0.03 < booted < p


def test_many_cells_at_once_are_as_each_alone():
    own = [lognormal(9, seed=seed) for seed in range(4)]
    base = lognormal(9, 1.1, seed=7)
    own.append(base)
    alone = [stats.effect(blocks(one), blocks(base)) for one in own]
    together = stats.effects(np.log(base) - np.log(np.array(own)))
    for one, other in zip(alone, together, strict=True):
        numbers = dataclasses.astuple(other)[1:-1]
        assert dataclasses.astuple(one)[1:-1] == pytest.approx(numbers, rel=1e-4)
        assert one.verdict == other.verdict
    assert (together[-1].ratio, together[-1].verdict) == (1.0, "equal")


def test_many_cells_are_checked():
    assert stats.effects(np.zeros((0, 9))) == []
    with pytest.raises(StatsError, match="rows of cells and columns of blocks"):
        stats.effects(np.zeros(9))
    with pytest.raises(StatsError, match="rows of cells and columns of blocks"):
        stats.effects(np.zeros((3, 0)))
    with pytest.raises(StatsError, match="log-ratios: expected finite numbers"):
        stats.effects(np.array([[0.1, math.nan]]))


# ---------------------------------------------------------------------- rounds


def series(n, correlation, seed, scale=0.05):
    """Return an autoregressive series of log-ratios; a generator may be the seed."""
    dice = np.random.default_rng(seed)
    values = np.empty(n)
    values[0] = dice.normal()
    for at in range(1, n):
        step = dice.normal() * math.sqrt(1 - correlation**2)
        values[at] = correlation * values[at - 1] + step
    return values * scale


def test_rounds_give_the_ratio_they_have():
    own = np.exp(series(80, 0.2, 1))
    found = stats.rounds_effect(list(own), [1.25] * 80)
    assert found.ratio == pytest.approx(1.25, rel=0.03)
    assert found.low < found.ratio < found.high
    assert found.verdict == "better"


def test_rounds_that_one_sat_out_are_left_out():
    own = [1.0, math.nan, 2.0, 4.0, *[2.0] * 8]
    base = [math.nan, 5.0, 2.0, 4.0, *[2.0] * 8]
    assert stats.rounds_effect(own, base).ratio == 1.0


def test_rounds_that_hang_together_have_a_wider_interval():
    widths = []
    for correlation in (0.0, 0.8):
        logs = [series(200, correlation, seed) for seed in range(12)]
        found = [stats.rounds_effect(list(np.exp(log)), [1.0] * 200) for log in logs]
        widths.append(np.mean([math.log(one.high / one.low) for one in found]))
    assert widths[1] > 2 * widths[0]


def test_autocorrelation_is_measured():
    assert rounds.autocorrelation(series(4000, 0.6, 1)) == pytest.approx(0.6, abs=0.05)
    assert rounds.autocorrelation([1.0, -1.0] * 50) < -0.9
    assert rounds.autocorrelation([1.0, 1.0, 1.0]) == 0.0
    assert rounds.autocorrelation([1.0, 2.0]) == 0.0
    assert rounds.autocorrelation([]) == 0.0


def test_runs_grow_with_autocorrelation_and_a_few_remain():
    assert rounds.run_length(5, 0.9) == 1
    lengths = [rounds.run_length(400, one) for one in (-0.5, 0.0, 0.5, 0.9, 1.0)]
    assert lengths[0] == lengths[1] == 7
    assert lengths == sorted(lengths)
    assert lengths[2] < lengths[3]
    assert all(400 // one >= rounds.FEW for one in lengths)


def test_rounds_of_many_processes_are_resampled_by_process():
    dice = np.random.default_rng(2)
    level = np.repeat(dice.normal(0, 0.1, 10), 30)
    own = list(np.exp(level + dice.normal(0, 0.01, 300)))
    ids = list(np.repeat(np.arange(10), 30))
    by_process = stats.rounds_effect(own, [1.0] * 300, blocks=ids)
    assert by_process.n == 10
    assert math.log(by_process.high / by_process.low) > 0.08


def test_runs_do_not_reach_over_the_border_of_a_process():
    own = [1.0] * 30 + [2.0] * 30
    found = stats.rounds_effect(own, [1.0] * 60, blocks=[0] * 30 + [1] * 30)
    assert found.ratio == pytest.approx(1 / math.sqrt(2))
    # Eight stretches of each process, none of a mixed ratio.
    assert found.n == 16
    assert found.low == pytest.approx(found.high)


@pytest.mark.parametrize("n", [1, 2, 7, 8, 9])
def test_few_rounds_are_no_error(n):
    found = stats.rounds_effect(list(lognormal(n)), [1.0] * n)
    assert whole(found)
    assert found.n == min(n, rounds.STRETCHES)


def test_rounds_are_checked():
    with pytest.raises(StatsError, match="lists of the same length, found 1 own"):
        stats.rounds_effect([1.0], [1.0, 2.0])
    with pytest.raises(StatsError, match="and 2 blocks"):
        stats.rounds_effect([1.0], [1.0], blocks=[1, 2])
    with pytest.raises(StatsError, match="found none in 2"):
        stats.rounds_effect([1.0, math.nan], [math.nan, 1.0])
    with pytest.raises(StatsError, match="own times: expected finite numbers above"):
        stats.rounds_effect([0.0], [1.0])
    with pytest.raises(StatsError, match="found none in 0"):
        stats.rounds_effect([], [])


# -------------------------------------------------------------- geometric mean


def part(logs):
    """Return the mean of log-ratios with its standard error."""
    error = statistics.stdev(logs) / math.sqrt(len(logs))
    return rounds.LogRatio(statistics.fmean(logs), error, len(logs) - 1)


def test_a_geometric_mean_counts_workloads_alike():
    cells = [
        np.log(lognormal(n, by, seed=n)) for n, by in ((8, 2.0), (30, 0.5), (12, 4.0))
    ]
    found = rounds.overall([part(list(cell)) for cell in cells]).ratio()
    expected = np.exp(np.mean([cell.mean() for cell in cells]))
    assert found.value == pytest.approx(expected)
    assert found.low < found.value < found.high


def test_a_geometric_mean_of_one_workload_is_its_effect():
    own, base = blocks(lognormal(12)), blocks(lognormal(12, 1.2, seed=5))
    alone = stats.effect(own, base)
    logs = list(stats.log_ratios(own, base).values())
    found = rounds.overall([part(logs)]).ratio()
    assert found.value == pytest.approx(alone.ratio)
    assert found.low == pytest.approx(alone.low, rel=0.001)
    assert found.high == pytest.approx(alone.high, rel=0.001)


def test_workloads_make_a_mean_narrower():
    dice = np.random.default_rng(2)
    cells = [part(list(dice.normal(0, 0.1, 10))) for _ in range(9)]
    one, nine = (rounds.overall(some).ratio() for some in (cells[:1], cells))
    assert nine.spread < one.spread / 2


def test_a_geometric_mean_of_equal_logarithms_has_no_width():
    flat = rounds.overall([part([0.1, 0.1]), part([0.1, 0.1])])
    assert flat == rounds.LogRatio(pytest.approx(0.1), 0.0, 2.0)
    assert rounds.overall([rounds.LogRatio(0.1), part([0.1, 0.3])]).freedom == 1.0


# ------------------------------------------------------------------ other runs


def test_two_runs_are_compared_by_welchs_test():
    before, after = lognormal(12, 2.0), lognormal(9, 1.6, 0.05, seed=2)
    found = stats.unpaired_ratio(before, after)
    welch = scipy_stats.ttest_ind(np.log(before), np.log(after), equal_var=False)
    assert found.ratio == pytest.approx(
        scipy_stats.gmean(before) / scipy_stats.gmean(after)
    )
    assert found.p == pytest.approx(welch.pvalue)
    ends = welch.confidence_interval()
    assert math.log(found.low) == pytest.approx(ends.low, abs=0.03)
    assert math.log(found.high) == pytest.approx(ends.high, abs=0.03)
    assert (found.verdict, found.n) == ("better", 9)


def test_two_runs_of_few_or_equal_values_are_finite():
    few = stats.unpaired_ratio([1.0, 1.1], [1.0, 1.2])
    assert whole(few)
    welch = scipy_stats.ttest_ind(
        np.log([1.0, 1.1]), np.log([1.0, 1.2]), equal_var=False
    )
    assert math.log(few.high) == pytest.approx(welch.confidence_interval().high)
    assert stats.unpaired_ratio([2.0] * 9, [2.0] * 9).verdict == "equal"
    assert stats.unpaired_ratio([3.0] * 9, [2.0] * 9).verdict == "better"
    assert whole(stats.unpaired_ratio([2.0] * 9, lognormal(9)))


def test_two_runs_are_checked():
    with pytest.raises(StatsError, match="values after: expected at least 2"):
        stats.unpaired_ratio([1.0, 2.0], [1.0])
    with pytest.raises(StatsError, match="values before: .* found 0.0"):
        stats.unpaired_ratio([1.0, 0.0], [1.0, 2.0])


# --------------------------------------------------------- families, verdicts


def test_holm_by_hand():
    given = {"a": 0.01, "b": 0.04, "c": 0.03, "d": 0.005}
    expected = {"a": 0.03, "b": 0.06, "c": 0.06, "d": 0.02}
    assert stats.holm(given) == pytest.approx(expected)
    assert list(stats.holm(given)) == list(given)


def test_holm_of_nothing_one_and_much():
    assert stats.holm({}) == {}
    assert stats.holm({"a": 0.04}) == {"a": 0.04}
    assert stats.holm({"a": 0.9, "b": 0.8}) == {"a": 1.0, "b": 1.0}


@pytest.mark.parametrize(
    ("ratio", "low", "high", "p", "floor", "expected"),
    [
        (1.10, 1.05, 1.15, 0.001, 0.00, "better"),
        (0.90, 0.85, 0.95, 0.001, 0.00, "worse"),
        (1.00, 0.99, 1.01, 0.900, 0.00, "equal"),
        (1.01, 1.005, 1.015, 0.001, 0.00, "equal"),
        (1.10, 0.95, 1.25, 0.300, 0.00, "undecided"),
        (1.10, 1.01, 1.15, 0.060, 0.00, "undecided"),
        (1.04, 1.03, 1.05, 0.001, 0.05, "too noisy"),
        (1 / 1.04, 1 / 1.05, 1 / 1.03, 0.001, 0.05, "too noisy"),
        (1.06, 1.03, 1.09, 0.001, 0.05, "better"),
        (1 / 1.06, 1 / 1.09, 1 / 1.03, 0.001, 0.05, "worse"),
        (1.00, 0.99, 1.01, 0.900, 0.03, "too noisy"),
        (1.03, 0.99, 1.07, 0.200, 0.05, "undecided"),
    ],
)
def test_verdicts(ratio, low, high, p, floor, expected):
    found = an_effect(ratio, low, high, p)
    assert stats.verdict(found, floor) == expected


def test_the_margin_is_the_same_on_both_sides():
    assert stats.verdict(an_effect(1.0, 1 / 1.02, 1.02, 1.0)) == "equal"
    assert stats.verdict(an_effect(1.0, 0.979, 1.02, 1.0)) == "undecided"


def test_judging_a_table_corrects_and_says_again():
    table = {name: an_effect(p=0.02) for name in "abc"}
    assert all(stats.verdict(one) == "better" for one in table.values())
    judged = stats.judge(table)
    assert [one.p for one in judged.values()] == pytest.approx([0.06] * 3)
    assert {one.verdict for one in judged.values()} == {"undecided"}
    strong = stats.judge({"a": an_effect(p=1e-6)}, floor=0.2)
    assert strong["a"].verdict == "too noisy"


def test_deviation_is_the_same_for_a_ratio_and_its_inverse():
    assert stats.deviation(1.25) == pytest.approx(0.25)
    assert stats.deviation(0.8) == pytest.approx(0.25)
    assert stats.deviation(1.0) == 0.0


def test_parts_of_one_as_they_stand_in_sentences():
    assert stats.percent(0.0123) == "1.2 %"
