"""The command that races orjson against itself, and the instrument that it is about."""

from __future__ import annotations

import gc
import itertools
import json
import math
import random
import subprocess
import sys
import time

import pytest

import twins
from snooze_lab.timing import interleaved, stopwatch


def test_the_table_of_twins():
    """The command of METHODOLOGY's table runs, and reports every process."""
    command = [sys.executable, twins.__file__]
    command += ["--processes", "2", "--seconds", "0.01", "--load", "1"]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "2 processes, 1 busy ones" in ended.stdout
    assert "as reported" in ended.stdout
    assert "by the clock" in ended.stdout
    figures = twins.summary([0.01 * one for one in range(20)])
    assert figures["95 %"] == pytest.approx(math.expm1(0.18))
    assert figures["worst"] == pytest.approx(math.expm1(0.19))


def test_waiting_for_a_processor_is_not_counted(monkeypatch):
    """A clock in ns, and a scheduler that says that 40 of every 100 were waiting."""
    clock = iter(range(0, 10**6, 100))
    waits = iter(range(0, 10**6, 40))
    monkeypatch.setattr(stopwatch, "perf_counter_ns", lambda: next(clock))
    monkeypatch.setattr(stopwatch, "waiting", lambda: next(waits))
    spent, waited = stopwatch.measured(len, "", 5)
    assert waited == 40
    assert spent == 300 - 40  # four readings of the clock


def test_the_scheduler_says_how_long_it_let_this_process_wait():
    before = stopwatch.waiting()
    start = time.monotonic()
    with twins.busy(3):
        while stopwatch.waiting() == before:
            assert time.monotonic() - start < 20
            sum(range(100_000))


def test_collections_are_recorded_with_their_generation():
    with stopwatch.Pauses() as pauses:
        gc.collect(0)
        gc.collect()
        taken = pauses.taken
        pauses.begin()
        assert pauses.taken == []
    assert [generation for generation, _ in taken][:2] == [0, 2]
    assert all(spent > 0 for _, spent in taken)
    gc.collect()
    assert pauses.taken == []


def test_times_and_collections_are_apart_and_make_up_the_whole():
    def garbage(_):
        gc.collect(0)
        return sum(range(1_000))

    entries = {"none": (len, ""), "much": (garbage, None)}
    calls = {"none": 1_000, "much": 10}
    found = interleaved.rounds(entries, calls, set(), 0.02, random.Random(1))
    assert max(found.pauses["none"]) == 0.0
    assert min(found.pauses["much"]) > 0


def test_the_loop_is_timed_in_every_round(monkeypatch):
    """A slow moment before the first round made calls of a few ns look like nothing."""
    loops = itertools.chain([60.0], itertools.repeat(20.0))
    monkeypatch.setattr(stopwatch, "overhead", lambda *_: next(loops))
    monkeypatch.setattr(stopwatch, "measured", lambda *_: (50_000, 0))
    entries = {"small": (len, "")}
    found = interleaved.rounds(entries, {"small": 1_000}, set(), 0.02, random.Random(1))
    assert set(found.clock["small"]) == {30.0}


def slices(*given):
    return [interleaved._Slice(*one) for one in given]


def test_a_collection_that_was_interrupted_counts_like_the_others():
    """Its clock ran on while the thread waited, which is taken off the slice already."""
    calm = [(1_000.0, 0, [(0, 100)]) for _ in range(9)]
    times, pauses = interleaved._apart(
        slices(*calm, (1_000.0, 5_000, [(0, 5_100)])), calls=1
    )
    assert pauses == [100.0] * 10
    assert times == [900.0] * 10


def test_waiting_in_collections_leaves_time_for_the_call_where_no_slice_was_calm():
    """Calls of several ms beside other work: which part waited is not known."""
    dice = random.Random(1)
    given = []
    for _ in range(60):
        # A call of 5,000 and its collection of 2,000, and a wait in one of them.
        during = dice.random() < 2 / 7
        given.append((7_000.0, 5_000, [(2, 2_000 + 5_000 * during)]))
    times, pauses = interleaved._apart(slices(*given), calls=1)
    assert min(times) > 2_000
    assert [sum(one) for one in zip(times, pauses, strict=True)] == [7_000.0] * 60
    assert 1_500 < sum(pauses) / 60 < 2_500


def test_a_collection_is_never_the_whole_slice_because_of_longer_calm_ones():
    calm = [(9_000.0, 0, [(2, 8_000)])] * 3
    times, _ = interleaved._apart(slices(*calm, (3_000.0, 6_000, [(2, 6_000)])), 1)
    assert times == pytest.approx([1_000.0] * 4)


def test_a_long_collection_of_another_generation_counts_whole():
    calm = [(1_000.0, 0, [(0, 100)]) for _ in range(9)]
    _, pauses = interleaved._apart(
        slices(*calm, (9_000.0, 0, [(0, 100), (2, 8_000)])), calls=1
    )
    assert pauses[-1] == 8_100.0


def test_who_skips_a_round_has_neither_time_nor_pause():
    times, pauses = interleaved._apart([None, *slices((10.0, 0, []))], calls=2)
    assert math.isnan(times[0])
    assert math.isnan(pauses[0])
    assert (times[1], pauses[1]) == (5.0, 0.0)


def test_the_documents_of_the_table_are_files_while_it_is_made():
    with twins.files() as found:
        assert found.keys() == set(twins.DOCUMENTS)
    assert json.dumps(twins.document("message")).startswith('{"id"')
