"""Samples of coarse clocks and samplers are told from others."""

import math

import numpy as np
import pytest

from snooze_lab.statistics import noise
from snooze_lab.statistics.stats import StatsError


def on_grid(step, spread, n=30):
    values = np.random.default_rng(1).normal(22.0, spread, n)
    return list(np.round(values / step) * step)


def test_a_spread_is_counted_in_steps():
    assert noise.steps(on_grid(0.2, 0.2), 0.2) < noise.LEAST_STEPS
    assert noise.steps(on_grid(0.2, 4.0), 0.2) > noise.LEAST_STEPS
    assert noise.steps([4.401, 4.6, 4.399], 0.2) < 1.1
    # One far sample does not hide that the others lie on few steps.
    assert noise.steps([*on_grid(0.2, 0.15), 40.0], 0.2) < noise.LEAST_STEPS


@pytest.mark.parametrize(
    ("samples", "repeating"),
    [
        ([1.0], False),
        ([1.0, 1.0], False),
        ([1.0, 1.0, 1.0], True),
        ([1.0, 2.0, 1.0, 2.0], True),
        ([1.0, 2.0, 3.0, 1.0], False),
        ([0.0] * 20, True),
        (on_grid(0.2, 0.5), True),
        (list(np.random.default_rng(1).normal(5, 1, 30)), False),
    ],
)
def test_values_that_repeat_are_seen(samples, repeating):
    assert noise.repeats(samples) is repeating


@pytest.mark.parametrize("step", [0.0, -1.0, math.nan, math.inf])
def test_a_step_is_checked(step):
    with pytest.raises(StatsError, match="step: expected"):
        noise.steps([1.0, 2.0], step)


def test_samples_are_checked():
    with pytest.raises(StatsError, match="finite"):
        noise.repeats([1.0, math.inf])
    with pytest.raises(StatsError, match="at least 1"):
        noise.steps([], 0.2)


def ticking(tick, cost=37):
    now = 0

    def clock():
        nonlocal now
        now += cost
        return now // tick * tick

    return clock


@pytest.mark.parametrize("tick", [1, 100, 1_000_000])
def test_the_tick_of_a_clock_is_found(tick):
    found = noise.clock_resolution(ticking(tick), 100_000)
    assert found.smallest >= tick
    assert found.tick == (37 if tick == 1 else tick)


def test_the_clock_of_this_machine_moves():
    found = noise.clock_resolution()
    assert 1 <= found.tick <= found.smallest


def test_a_clock_that_stands_still_is_an_error():
    with pytest.raises(StatsError, match="clock: expected it to move within 50"):
        noise.clock_resolution(lambda: 7, 50)
    with pytest.raises(StatsError, match="within 1 readings"):
        noise.clock_resolution(readings=1)
