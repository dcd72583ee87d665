"""Calibration with a meter, and blocks of work between two rests: no hardware needed.

The meters are made here: what they read is planted, and must come back.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from snooze_lab.energy import calibrate
from snooze_lab.meters import base, block

# Calibration with a meter of this machine.


class Bench:
    """A meter whose joules are planted: 20 W, and 5 W for each busy child."""

    name = "bench"
    unit = "J"
    scope = "package"
    quality = "measured"

    def probe(self):
        return base.Availability(ok=True, reason="made up")

    def open(self, context):
        return _Session(self)


class _Session(base.Plain):
    def __init__(self, meter):
        self.meter = meter

    def start(self):
        return base.Mark(base.now(), _children())

    def stop(self, mark):
        end = base.now()
        cpu = _children() - mark.raw
        return base.reading(
            self.meter, mark, end, 20 * (end - mark.t_ns) / 1e9 + 5 * cpu
        )


def _children():
    """The CPU seconds of this process's running children."""
    total = 0.0
    for task in Path("/proc/self/task").iterdir():
        with open(task / "children") as file:
            total += sum(calibrate._cpu(int(pid)) for pid in file.read().split())
    return total


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="reads /proc of Linux")
def test_live_calibration_recovers_what_was_planted():
    found = calibrate.live(
        Bench(), base.RunContext(), seconds=0.15, repeats=5, levels=[1]
    )
    assert found.n == 5
    assert found.idle == pytest.approx(20, rel=0.01)
    assert found.core == pytest.approx(5, rel=0.3)


# A block of work between two rests.


class Made:
    """A meter with its own clock: `idle` W at rest, 30 W more while `work` runs."""

    name = "made"
    unit = "J"
    scope = "package"
    quality = "measured"

    def __init__(self, monkeypatch, idle=(10.0, 10.0), tick=0.001):
        self.now = 0.0
        self.joules = 0.0
        self.busy = 0.0
        self.idle = list(idle)
        self.tick = tick
        self.calls = []
        monkeypatch.setattr(block.time, "sleep", lambda seconds: self.pass_(seconds))

    def pass_(self, seconds, extra=0.0):
        level = self.idle[min(len(self.calls), len(self.idle) - 1)]
        self.now += seconds
        self.joules += (level + extra) * seconds

    def work(self, operations):
        self.pass_(0.01 * operations, 30.0)
        self.calls.append(operations)

    def open(self, context):
        return _MadeSession(self)


class _MadeSession(base.Plain):
    def __init__(self, meter):
        self.meter = meter

    def start(self):
        return base.Mark(int(self.meter.now * 1e9), self.meter.joules)

    def stop(self, mark):
        end = int(self.meter.now * 1e9)
        found = base.reading(self.meter, mark, end, self.meter.joules - mark.raw)
        updates = int(found.seconds / self.meter.tick)
        return dataclasses.replace(found, updates=updates)


def test_block_is_batched_until_it_is_long_enough(monkeypatch):
    made = Made(monkeypatch)
    found = block.measure(made, base.RunContext(), made.work, operations=1)
    assert made.calls[0] == 1
    assert found.work.seconds >= 1
    assert found.operations == made.calls[-1]
    assert found.gross == pytest.approx(0.4)
    assert found.net == pytest.approx(0.3)
    assert found.drift < 1e-6
    assert found.flags == frozenset()
    assert found.as_json()["quality"] == "measured"


def test_block_needs_updates_of_the_counter(monkeypatch):
    made = Made(monkeypatch, tick=0.25)
    found = block.measure(made, base.RunContext(), made.work, operations=150)
    assert found.work.updates >= 20
    assert found.flags == frozenset()


def test_block_flags_idle_drift_and_limits(monkeypatch):
    made = Made(monkeypatch, idle=(10.0, 14.0))
    found = block.measure(
        made, base.RunContext(), made.work, operations=200, maximum=19
    )
    assert found.drift == pytest.approx(4 / 12)
    assert found.flags == {block.IDLE_DRIFT, block.ABOVE_LIMIT}
    assert found.net == pytest.approx((2 * 40 - 2 * 12) / 200)


def test_block_below_rest_cannot_be_true(monkeypatch):
    made = Made(monkeypatch)

    def work(operations):
        made.pass_(0.01 * operations, -5.0)

    assert block.measure(made, base.RunContext(), work, operations=200).flags == {
        block.BELOW_IDLE
    }


def test_block_that_stays_short_is_flagged(monkeypatch):
    made = Made(monkeypatch)
    found = block.measure(made, base.RunContext(), lambda n: made.pass_(1e-6))
    assert base.TOO_SHORT in found.flags


def test_block_needs_joules(monkeypatch):
    made = Made(monkeypatch)
    made.unit = "s"
    with pytest.raises(ValueError, match="meter of joules"):
        block.measure(made, base.RunContext(), made.work)
