"""Steps of clocks and samplers: found where they exist, and nowhere else."""

import math
import time

import numpy as np
import pytest

from snooze_lab.statistics import quantise
from snooze_lab.statistics.resample import StatsError


def on_grid(step, n=30, spread=0.5, noise=0.0, seed=1, middle=22.0):
    dice = np.random.default_rng(seed)
    values = np.round(dice.normal(middle, spread, n) / step) * step
    return list(values + dice.normal(0, noise, n) if noise else values)


@pytest.mark.parametrize("step", [0.2, 1.0, 1e-7, 333.0])
@pytest.mark.parametrize("noise", [0.0, 0.01, 0.03])
def test_a_step_is_found_under_noise(step, noise):
    samples = on_grid(step, spread=2.5 * step, noise=noise * step, middle=100 * step)
    assert quantise.timer_step(samples) == pytest.approx(step, rel=0.03)


@pytest.mark.parametrize("seed", range(10))
def test_continuous_samples_have_no_step(seed):
    dice = np.random.default_rng(seed)
    for n in (8, 20, 60, 200):
        assert quantise.timer_step(dice.lognormal(0, 0.1, n)) is None


def test_a_step_of_which_every_other_is_used_is_the_double():
    samples = [0.0, 2.0, 4.0, 8.0, 6.0, 2.0] * 4
    assert quantise.timer_step(samples) == pytest.approx(2.0)


def test_two_modes_of_a_program_are_no_grid():
    dice = np.random.default_rng(1)
    samples = np.concatenate([dice.normal(1, 0.03, 20), dice.normal(1.4, 0.03, 20)])
    assert quantise.timer_step(samples) is None


def test_two_values_of_a_sampler_are_one():
    assert quantise.timer_step([4.4, 4.6] * 10) == pytest.approx(0.2)


@pytest.mark.parametrize("samples", [[1.0], [1.0] * 40, [1.0, 2.0, 3.0]])
def test_nothing_is_said_of_few_or_equal_samples(samples):
    assert quantise.timer_step(samples) is None


def test_a_spread_of_few_steps_is_flagged():
    found = quantise.quantisation(on_grid(0.2, spread=0.2))
    assert found.step == pytest.approx(0.2)
    assert found.steps < 5
    assert found.flag.startswith("quantised: the spread of 30 samples is ")


def test_a_spread_of_many_steps_is_not():
    found = quantise.quantisation(on_grid(0.2, spread=4.0))
    assert found.step == pytest.approx(0.2)
    assert found.steps > 5
    assert found.flag == ""


def test_continuous_samples_are_not_flagged():
    found = quantise.quantisation(np.random.default_rng(1).normal(5, 1, 30))
    assert (found.step, found.steps, found.flag) == (None, None, "")
    assert found.distinct == found.n == 30


def test_one_far_sample_does_not_hide_a_coarse_spread():
    assert quantise.quantisation([*on_grid(0.2, spread=0.15), 40.0]).flag


@pytest.mark.parametrize(
    ("samples", "flagged"),
    [
        ([1.0], False),
        ([1.0, 1.0], False),
        ([1.0, 1.0, 1.0], True),
        ([1.0, 2.0, 1.0, 2.0], True),
        ([1.0, 2.0, 3.0, 1.0], False),
        ([0.0] * 20, True),
    ],
)
def test_repeated_values_are_flagged_where_no_step_shows(samples, flagged):
    found = quantise.quantisation(samples)
    assert bool(found.flag) is flagged
    assert found.step is None


def test_a_known_step_needs_no_search():
    found = quantise.quantisation([4.401, 4.6, 4.399], known_step=0.2)
    assert found.step == 0.2
    assert found.steps < 1.1
    assert found.flag


@pytest.mark.parametrize("step", [0.0, -1.0, math.nan, math.inf])
def test_a_known_step_is_checked(step):
    with pytest.raises(StatsError, match="known step: expected"):
        quantise.quantisation([1.0, 2.0], known_step=step)


def test_samples_are_checked():
    with pytest.raises(StatsError, match="finite"):
        quantise.timer_step([1.0, math.inf])
    with pytest.raises(StatsError, match="at least 1"):
        quantise.quantisation([])


def ticking(tick, cost=37):
    now = 0

    def clock():
        nonlocal now
        now += cost
        return now // tick * tick

    return clock


@pytest.mark.parametrize("tick", [1, 100, 1_000_000])
def test_the_tick_of_a_clock_is_found(tick):
    found = quantise.clock_resolution(ticking(tick), 100_000)
    assert found.smallest >= tick
    assert found.tick == (37 if tick == 1 else tick)


def test_the_clock_of_this_machine_moves():
    found = quantise.clock_resolution()
    assert 1 <= found.tick <= found.smallest
    stated = time.get_clock_info("perf_counter").resolution
    assert found.stated == pytest.approx(stated * 1e9)


def test_a_clock_that_stands_still_is_an_error():
    with pytest.raises(StatsError, match="clock: expected it to move within 50"):
        quantise.clock_resolution(lambda: 7, 50)
    with pytest.raises(StatsError, match="expected at least 2"):
        quantise.clock_resolution(readings=1)
