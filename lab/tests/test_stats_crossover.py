"""Crossings and bends of curves known to have them, or known to have none."""

import dataclasses
import json
import math

import numpy as np
import pytest

from snooze_lab.statistics import crossover
from snooze_lab.statistics.stats import StatsError

SIZES = [4, 40, 400, 4_000, 40_000, 400_000]
NAMES = ("orjson", "msgpack")
BYTES = [2.0**power for power in range(20, 30)]


def around(means, cv=0.1, n=10, seed=1):
    dice = np.random.default_rng(seed)
    return [list(mean + dice.normal(0, cv, n)) for mean in means]


def costs(bend, cv=0.03, slope=0.02, seed=1, n=8):
    at = math.log(2.0**25)
    logs = [slope * math.log(x) + bend * max(0, math.log(x) - at) for x in BYTES]
    return [list(np.exp(row)) for row in around(logs, cv, n, seed)]


def whole(found):
    json.dumps(dataclasses.asdict(found), allow_nan=False)
    assert "nan" not in found.sentence
    return True


def test_a_crossing_is_found_with_its_interval():
    means = [0.1 * math.log(size / 1000) for size in SIZES]
    found = crossover.crossover(SIZES, around(means), NAMES)
    assert found.kind == "from"
    assert found.low < 1000 < found.high
    assert found.low < found.x < found.high
    assert "orjson is better than msgpack from" in found.sentence
    assert "fields" in found.sentence


def test_a_crossing_without_noise_is_exact_between_sizes():
    means = [math.log(size / 1000) for size in SIZES]
    found = crossover.crossover(SIZES, [[mean] * 5 for mean in means], NAMES)
    assert found.x == pytest.approx(1000)
    assert found.low == pytest.approx(1000)
    assert found.high == pytest.approx(1000)


def test_the_other_direction_is_up_to():
    means = [-0.1 * math.log(size / 1000) for size in SIZES]
    found = crossover.crossover(SIZES, around(means), NAMES)
    assert found.kind == "up to"
    assert found.low < 1000 < found.high


def test_the_order_of_sizes_does_not_matter():
    means = [0.1 * math.log(size / 1000) for size in SIZES]
    samples = around(means)
    turned = crossover.crossover(SIZES[::-1], samples[::-1], NAMES)
    assert turned == crossover.crossover(SIZES, samples, NAMES)


@pytest.mark.parametrize(("mean", "kind"), [(0.5, "always"), (-0.5, "never")])
def test_always_and_never(mean, kind):
    found = crossover.crossover(SIZES, around([mean] * 6), NAMES)
    assert (found.kind, found.x, found.low, found.high) == (kind, None, None, None)
    assert "at every size, 4 to 400,000 fields" in found.sentence


def test_noise_around_no_difference_is_undecided():
    found = crossover.crossover(SIZES, around([0.0] * 6), NAMES)
    assert found.kind == "undecided"
    assert found.x is None


def test_one_size_in_doubt_is_not_always():
    found = crossover.crossover(SIZES, around([0.02, *[0.5] * 5]), NAMES)
    assert found.kind == "undecided"


def test_curves_that_cross_twice_are_undecided():
    found = crossover.crossover(SIZES, around([-1, 1, 1, 1, -1, -1]), NAMES)
    assert found.crossings == 2
    assert found.kind == "undecided"


def test_an_end_outside_the_sizes_is_none():
    # At the first size the sign is only just sure: some resampled curves lie above 0.
    first = [-0.050, -0.068, -0.065, -0.069, -0.059, -0.069, -0.053, 0.083]
    samples = [first, *around([0.5] * 5, 0.1, 8)]
    found = crossover.crossover(SIZES, samples, NAMES)
    assert (found.kind, found.low) == ("from", None)
    assert SIZES[0] < found.x < found.high < SIZES[1]
    assert "interval below the sizes measured to" in found.sentence
    surer = [[one - 0.02 for one in first], *samples[1:]]
    assert crossover.crossover(SIZES, surer, NAMES).low > SIZES[0]


@pytest.mark.parametrize("n", [2, 3, 8])
def test_few_blocks_are_no_error(n):
    means = [0.1 * math.log(size / 1000) for size in SIZES]
    assert whole(crossover.crossover(SIZES, around(means, 0.05, n), NAMES))


def test_zeros_are_no_error():
    assert crossover.crossover(SIZES, [[0.0] * 8] * 6, NAMES).kind == "undecided"


@pytest.mark.parametrize(
    ("sizes", "samples", "message"),
    [
        ([4], [[0.1, 0.2]], "sizes: expected at least 2 samples"),
        ([4, 40], [[0.1, 0.2]], "samples for each of 2 sizes, found 1"),
        ([4, 4], [[0.1, 0.2]] * 2, "sizes: expected each once"),
        ([0, 4], [[0.1, 0.2]] * 2, "sizes: expected finite numbers above zero"),
        ([4, 40], [[0.1, 0.2], [0.1]], "samples at size 40: expected at least 2"),
        ([4, 40], [[0.1, 0.2], [0.1, math.inf]], "samples at size 40: .* found inf"),
    ],
)
def test_curves_are_checked(sizes, samples, message):
    with pytest.raises(StatsError, match=message):
        crossover.crossover(sizes, samples, NAMES)


def test_a_bend_is_found_where_it_is():
    found = crossover.change_point(BYTES, costs(0.2))
    assert found.low <= 2**25 <= found.high
    assert found.before == pytest.approx(0.02, abs=0.03)
    assert found.after == pytest.approx(0.22, abs=0.05)
    assert found.p < 0.01
    assert "bends" in found.sentence


@pytest.mark.parametrize("slope", [0.0, 0.3, -0.3])
def test_a_straight_curve_has_no_bend(slope):
    found = crossover.change_point(BYTES, costs(0.0, slope=slope))
    assert found.x is None
    assert "no measured size" in found.sentence


def test_equal_costs_have_no_bend():
    found = crossover.change_point(BYTES, [[3.0] * 4] * 10)
    assert found.x is None
    assert found.p == 1.0
    assert whole(found)


def test_a_bend_without_noise_is_found():
    found = crossover.change_point(BYTES, costs(0.2, cv=0.0))
    assert found.x == pytest.approx(2**25, rel=0.05)
    assert whole(found)


def test_two_blocks_are_enough_to_try():
    assert whole(crossover.change_point(BYTES, costs(0.2, n=2)))


@pytest.mark.parametrize(
    ("sizes", "samples", "message"),
    [
        (BYTES[:5], costs(0)[:5], "sizes: expected at least 6"),
        (BYTES, costs(0)[:5], "samples for each of 10 sizes, found 5"),
        (BYTES, [*costs(0)[:9], [1.0, 0.0]], "costs at size .* found 0.0"),
        (BYTES, [*costs(0)[:9], [1.0, math.nan]], "costs at size .* found nan"),
        (BYTES, [*costs(0)[:9], [1.0]], "expected at least 2"),
    ],
)
def test_size_curves_are_checked(sizes, samples, message):
    with pytest.raises(StatsError, match=message):
        crossover.change_point(sizes, samples)
