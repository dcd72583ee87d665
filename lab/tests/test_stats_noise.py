"""The noise of a run, its outliers, and tables with and without them."""

import dataclasses
import json
import re

import numpy as np
import pytest

from snooze_lab.model import Effect
from snooze_lab.statistics import noise
from snooze_lab.statistics.stats import StatsError


def aa(ratio, half=0.05):
    return Effect("orjson", ratio, ratio - half, ratio + half, 10, 0.5, "undecided")


@pytest.mark.parametrize(
    ("ratios", "expected"),
    [
        ([1.0, 1.01, 0.99, 1.015] * 3, "quiet"),
        ([1.0, 1.01, 0.97, 1.04] * 3, "usable"),
        ([1.0, 1.01, 0.97, 1.20] * 3, "too noisy"),
        ([1.0, 1.20], "too noisy"),
        ([1.0] * 10, "quiet"),
        ([1.0] * 9, "unknown"),
        ([1.0], "unknown"),
    ],
)
def test_words_for_noise(ratios, expected):
    found = noise.noise([aa(ratio) for ratio in ratios])
    assert found.verdict == expected
    assert found.sentence.startswith(expected.capitalize())
    assert found.n == len(ratios)


def test_noise_is_the_deviation_from_one():
    found = noise.noise([aa(1.02), aa(1 / 1.02), *[aa(1.0)] * 8])
    assert found.aa_median == pytest.approx(0.0)
    found = noise.noise([aa(1.02), aa(1 / 1.02)] * 5)
    assert found.aa_median == pytest.approx(0.02)
    assert found.aa_worst == pytest.approx(0.02)
    assert found.floor == pytest.approx(0.02)
    assert found.excluded == 0.0


def test_few_pairs_claim_nothing_small():
    found = noise.noise([aa(1.001)] * 9)
    assert (found.verdict, found.floor) == ("unknown", 0.02)
    assert "known only from 10 comparisons on" in found.sentence
    assert noise.noise([aa(1.07)]).floor == pytest.approx(0.07)


def test_intervals_that_lie_are_seen():
    # Ten tiny deviations, each beyond its interval: far more than one in twenty.
    found = noise.noise([aa(1.01, 0.005)] * 10)
    assert found.excluded == 1.0
    assert found.verdict == "usable"
    assert "more than chance explains" in found.sentence


def test_one_interval_of_twenty_is_no_alarm():
    found = noise.noise([aa(1.01, 0.005)] + [aa(1.0)] * 19)
    assert found.excluded == 0.05
    assert found.verdict == "quiet"
    assert "chance" not in found.sentence


def test_single_blocks_have_no_interval_to_count():
    single = [Effect("orjson", 1.01, 1.01, 1.01, 1, 1.0, "undecided")] * 10
    found = noise.noise(single)
    assert found.excluded == 0.0
    assert found.verdict == "quiet"
    assert "there are no intervals" in found.sentence
    mixed = noise.noise([*single, aa(1.0), aa(1.2)])
    assert mixed.excluded == 0.5
    assert "1 of 2 intervals" in mixed.sentence


def test_a_run_without_a_pair_does_not_know_its_noise():
    found = noise.noise([])
    assert (found.n, found.verdict, found.floor) == (0, "unknown", 0.05)
    assert "not known" in found.sentence


def test_noise_goes_to_json():
    found = noise.noise([aa(1.01), aa(0.99)], "json")
    json.dumps(dataclasses.asdict(found), allow_nan=False)
    assert "json against itself" in found.sentence


def test_outliers_are_beyond_the_fences():
    samples = [10.0, 11.0, 12.0, 13.0, 14.0] * 4 + [-20.0, 5.0, 19.0, 50.0]
    found = noise.inside_fences(samples)
    assert found == [True] * 20 + [False] * 4


@pytest.mark.parametrize("samples", [[1.0], [1.0, 2.0], [0.0] * 9, [1.0, 2.0, 3.0]])
def test_few_and_equal_samples_have_no_outliers(samples):
    assert all(noise.inside_fences(samples))


def test_outliers_are_checked():
    with pytest.raises(StatsError, match="finite"):
        noise.inside_fences([1.0, float("inf")])
    with pytest.raises(StatsError, match="at least 1"):
        noise.inside_fences([])


def cell(seed, n=12, outlying=None):
    dice = np.random.default_rng(seed)
    own = dict(enumerate(dice.lognormal(0, 0.02, n)))
    base = dict(enumerate(dice.lognormal(0.1, 0.02, n)))
    if outlying is not None:
        own[outlying] *= 3
    return own, base


def test_a_table_without_outliers():
    dice = np.random.default_rng(0)
    even = dict(enumerate(dice.permutation(np.linspace(1, 1.1, 12))))
    found = noise.with_without({"a": (even, dict.fromkeys(even, 1.0))})
    assert found == "No outliers among 12 blocks."


def test_a_table_with_an_outlying_block():
    found = noise.with_without({"a": cell(3), "b": cell(2, outlying=5)})
    said = re.fullmatch(
        r"(\d+) of 24 blocks are outliers and are counted; without them 1 of 2 verdicts "
        r"would change \(b\), and no ratio by more than ([\d.]+) % \(b\)\.",
        found,
    )
    assert said
    assert int(said[1]) >= 1
    # One block of twelve, threefold: 3 ** (1 / 12) is 1.096.
    assert float(said[2]) == pytest.approx(10, abs=3)


def test_an_empty_table_has_no_outliers():
    assert noise.with_without({}) == "No outliers among 0 blocks."
