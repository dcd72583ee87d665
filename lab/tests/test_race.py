"""The benchmark's own parts: its checks of results and its statistics.

Separate because a wrong benchmark misleads more than none. No test here times anything:
times are given, and the computed figures are compared.
"""

from __future__ import annotations

import collections
import hashlib
import importlib.util
import json
import math
import random
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from snooze_lab import contenders
from snooze_lab.machine import process
from snooze_lab.race import (
    cells,
    cold,
    command,
    goals,
    latency,
    memory,
    run,
    scaling,
    table,
    threads,
)
from snooze_lab.timing import interleaved, rounds, stopwatch
from snooze_lab.workloads import Workload, documents, generated, kinds
from snooze_lab.workloads.base import same

ROOT = Path(__file__).resolve().parents[2]
#: Of all generated documents in order: a change of one makes records incomparable.
DIGEST = "66f3fdf2c938fc8e8f4b316fb801f744421e51ab0dcd8c19a02cbb3fdee0a7ef"


def raced(task: Any, entered: list[Any]) -> Any:
    """The cell of a short race."""
    return cells.race(task, cells.Setting(entered, 0.01, random.Random(1)))


def made_cell(
    name: str, direction: str = "loads", group: str = "documents", **times: list[float]
) -> Any:
    """A cell with these times of each round, by contender."""
    cell = cells.Cell(cells.of(group, Workload(name, [b"[1]"]), direction))
    cell.times = {key.replace("_", " "): value for key, value in times.items()}
    return cell


def timed(group: str, name: str, direction: str = "loads", **times: float) -> Any:
    """A cell of four rounds, which all took the same time."""
    rounds_ = {key: [value] * 4 for key, value in times.items()}
    return made_cell(name, direction, group, **rounds_)


def enter(names: list[str]) -> list[Any]:
    """The contenders; skips where one has no wheel for this Python."""
    entered, absent = contenders.enter(names)
    if absent:
        pytest.skip(f"not for this Python: {absent}")
    return entered


def results_tables() -> Any:
    """The module of scripts/ that makes tables out of records."""
    path = ROOT / "scripts" / "results_tables.py"
    spec = importlib.util.spec_from_file_location("results_tables", path)
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def test_generated_documents_are_the_same_everywhere() -> None:
    """The same bytes on every Python and machine."""
    digest = hashlib.sha256()
    for make in generated.DOCUMENTS.values():
        for text in make():
            digest.update(text)
    for length in (100, 1_000):
        digest.update(generated.message(length))
    assert digest.hexdigest() == DIGEST


def test_generated_documents_are_what_they_say() -> None:
    """Sizes and shapes that the names promise."""
    assert len(generated.message(100)) == 100
    assert len(generated.message(1_000)) == 1_000
    grown = len(generated.crud(41)[0]) - len(generated.crud(40)[0])
    assert grown == 708
    plan = json.loads(generated.plan(4_000)[0])
    assert len(plan["costs"]) + 3 * len(plan["events"]) == 4_000
    assert b"{}" in generated.feeds()
    names = [tuple(one) for one in json.loads(generated.shapes()[0])]
    assert len(set(names)) > 0.95 * len(names)
    found = [key for one in json.loads(generated.keys()[0]) for key in one]
    assert len(set(found)) == len(found)
    depth, value = 0, json.loads(generated.deep()[0])[0]
    while isinstance(value, (dict, list)):
        value = value["node"] if isinstance(value, dict) else value[1]
        depth += 1
    assert depth == 100


@pytest.mark.parametrize(
    ("left", "right", "equal"),
    [
        ({"a": [1, 2.0]}, {"a": [1, 2.0]}, True),
        ([1], [1.0], False),
        ([True], [1], False),
        ({"a": 1}, {"b": 1}, False),
        ([1, 2], [1], False),
        ("a", "b", False),
    ],
)
def test_values_are_compared_with_their_types(
    left: Any, right: Any, equal: bool
) -> None:
    """1, 1.0 and True are three values."""
    assert same(left, right) is equal


def test_a_wrong_result_is_not_timed() -> None:
    """A library that loses a digit is left out, with the reason."""
    work = Workload("one", [b"[1.5]"])
    calls = contenders.Calls(lambda _: [1.25], lambda _: b"[1.25]", lambda _: len)
    liar = contenders.Contender("liar", "1", None, calls)
    for direction in cells.DIRECTIONS:
        cell = raced(cells.of("x", work, direction), [liar])
        assert list(cell.wrong) == ["liar"]
        assert not cell.times


def test_a_result_that_changes_during_the_race_does_not_count() -> None:
    """Right when it is verified, and another afterwards."""
    results = iter([[1.5]])
    calls = contenders.Calls(lambda _: next(results, [2.5]), bytes, lambda _: len)
    tired = contenders.Contender("tired", "1", None, calls)
    work = Workload("one", [b"[1.5]"])
    cell = raced(cells.of("x", work, "loads"), [tired, *enter(["json"])])
    assert "after the race" in cell.wrong["tired"]
    assert list(cell.times) == ["json"]


def test_no_contender_is_given_what_another_left() -> None:
    """orjson leaves UTF-8 on strings; snooze is faster on strings that have it."""
    work = Workload("one", ['["\u044f\u044f\u044f\u044f"]'.encode()])
    for found in (work, kinds.layout_of(work, "indent")):
        task = cells.of("x", found, "dumps")
        ready = cells.Setting(
            enter(["orjson", "json"]), 0.01, random.Random(1)
        ).verified(task)
        sizes = [sys.getsizeof(value[0]) for _, value in ready.entries.values()]
        assert sizes[0] > sizes[1], "one string for both, with orjson's UTF-8 on it"


def test_several_documents_are_one_slice() -> None:
    """A workload of many texts is read one by one, and verified whole."""
    work = Workload("many", [b"1", b"[2]", b"{}"])
    entered = enter(["json"])
    for direction in cells.DIRECTIONS:
        task = cells.of("x", work, direction)
        job = task.job(entered[0])
        assert not job.fault(job.call(job.argument()))
    reading = cells.of("x", work, "loads").job(entered[0])
    assert reading.fault([1, [2], {"a": 1}])


def test_ratios_are_taken_within_rounds() -> None:
    """Twice as fast in every round is a factor of two, however slow the round."""
    times = [100.0, 900.0, 50.0, 400.0]
    ratio = rounds.speed([one / 2 for one in times], times).ratio()
    assert (ratio.value, ratio.low, ratio.high) == pytest.approx((2, 2, 2))
    some = rounds.speed([math.nan, 5.0], [7.0, 10.0]).ratio()
    assert some.value == pytest.approx(2)


def test_intervals_hold_what_rounds_scatter() -> None:
    """The interval covers the true ratio, and is narrower with more rounds."""
    dice = random.Random(5)
    noisy = [[100 * math.exp(dice.gauss(0, 0.1)) for _ in range(n)] for n in (20, 500)]
    few, many = (rounds.speed(one, [120.0] * len(one)).ratio() for one in noisy)
    assert few.low < 1.2 < few.high
    assert many.low < 1.2 < many.high
    assert many.spread < few.spread / 2


@pytest.mark.parametrize(("near", "least"), [(0.0, 0.92), (0.6, 0.85)])
def test_intervals_know_that_neighbours_are_alike(near: float, least: float) -> None:
    """Rounds one by one, as independent values, cover 60 % of truths at 0.6."""
    dice = random.Random(2)
    held = 0
    for _ in range(300):
        last, logs = 0.0, []
        for _ in range(60):
            last = near * last + math.sqrt(1 - near**2) * dice.gauss(0, 0.05)
            logs.append(last)
        times = [100 * math.exp(one) for one in logs]
        found = rounds.speed(times, [120.0] * 60).ratio()
        held += found.low <= 1.2 <= found.high
    assert held >= least * 300


def test_a_disturbed_round_hardly_counts_and_collections_do() -> None:
    """A median of ratios, and the mean of the collections, which a median loses."""
    own, base = [100.0] * 40, [200.0] * 40
    own[3::10] = [5_000.0] * 4
    disturbed = rounds.speed(own, base).ratio()
    assert disturbed.value == pytest.approx(2)
    assert disturbed.spread < 0.01
    rare = [800.0 if number % 8 == 0 else 0.0 for number in range(40)]
    pauses = rare, [0.0] * 40
    assert rounds.typical(own, rare) == pytest.approx(200)
    found = rounds.speed([100.0] * 40, base, pauses).ratio()
    assert found.value == pytest.approx(1)
    assert rounds.spread([100.0] * 40, rare)[3] == pytest.approx(200)


def test_quantiles_are_students() -> None:
    """To 0.3 %; a part of a degree of freedom does not count."""
    known = {1: 12.7062, 2: 4.30265, 3: 3.18245, 4: 2.77645, 10: 2.22814, 100: 1.98397}
    for freedom, quantile in known.items():
        assert rounds.student(freedom) == pytest.approx(quantile, rel=0.003)
        assert rounds.student(freedom + 0.9) == rounds.student(freedom)


def test_a_mean_over_workloads_is_surer_than_each() -> None:
    """Their errors are independent; without errors there is no width."""
    one = rounds.LogRatio(math.log(2), 0.1, 9)
    other = rounds.LogRatio(math.log(0.5), 0.1, 9)
    whole = rounds.overall([one, other])
    assert whole.ratio().value == pytest.approx(1)
    assert whole.error == pytest.approx(0.1 / math.sqrt(2))
    assert whole.freedom == pytest.approx(18)
    assert rounds.overall([rounds.LogRatio(0.5)] * 3).ratio().spread == 0


def test_a_record_keeps_the_quartiles() -> None:
    """Number of rounds, least, quartiles around the median, most."""
    times = [float(number) for number in range(1, 102)] + [math.nan]
    assert rounds.spread(times) == [101, 1, 26, 51, 76, 101]


def test_the_best_rival_is_the_fastest_that_is_not_ours() -> None:
    """Whatever its name; orjson's second entry does not count."""
    cell = made_cell(
        "a",
        snooze=[10.0] * 4,
        orjson=[20.0] * 4,
        quick=[8.0] * 4,
        orjson_again=[1.0] * 4,
    )
    name, found = cell.best_rival
    assert name == "quick"
    assert found.ratio().value == pytest.approx(0.8)
    kept = cell.as_record()
    assert kept["best_rival"][:2] == ["quick", pytest.approx(0.8)]
    assert kept["speed_relative_to_orjson"]["snooze"][0] == pytest.approx(2)
    assert json.dumps(kept)


def goal(found: list[Any], name: str) -> Any:
    """The goal whose name begins so."""
    return next(one for one in found if one.name.startswith(name))


def test_goals_are_decided_by_what_was_measured() -> None:
    """Reached, missed, and not measured are three things."""
    fast = made_cell("a", snooze=[10.0] * 4, orjson=[30.0] * 4)
    slow = made_cell("b", "dumps", snooze=[10.0] * 4, orjson=[30.0] * 4, x=[9.0] * 4)
    found = goals.rows([fast, slow], [])
    assert goal(found, "loads, documents").reached is True
    assert goal(found, "loads, best rival anywhere").reached is True
    assert goal(found, "dumps, best rival anywhere").reached is False
    assert "b" in goal(found, "dumps, best rival anywhere").measured
    assert goal(found, "tiny").reached is None
    assert goal(found, "loads peak").reached is None
    lines = goals.shown(found).splitlines()
    assert all(len(line) <= table.WIDTH for line in lines)
    measured = [one for one in found if one.reached is not None]
    assert len(lines) == len(measured) + 2
    assert f"{len(found) - len(measured)} more" in lines[-1]
    assert "more" not in goals.shown(measured)


def test_goals_of_memory() -> None:
    """Peaks over the tree, and the excess beside orjson's."""

    def row(document: str, ours: float, theirs: float) -> dict[str, Any]:
        own = 10e6
        figures = {"snooze": ours, "orjson": theirs}
        bytes_ = {name: {"peak": peak, "own": own} for name, peak in figures.items()}
        return {"document": document, "task": "loads", "bytes": bytes_, "wrong": {}}

    good = goals.rows([], [row("twitter", 12e6, 15e6), row("other", 13e6, 16e6)])
    assert goal(good, "loads peak").reached is True
    assert goal(good, "loads excess").reached is True
    bad = goals.rows([], [row("twitter", 13e6, 15e6)])
    assert goal(bad, "loads peak").reached is False
    worse = goals.rows([], [row("other", 13.1e6, 15e6)])
    assert goal(worse, "loads excess").reached is False


def test_every_kind_is_written_right_by_us(monkeypatch: pytest.MonkeyPatch) -> None:
    """snooze takes part in every kind, and its output equals orjson's."""
    entered = enter(["snooze", "orjson"])
    texts = [Workload(name, [generated.message(1_000)]) for name in "abc"]
    monkeypatch.setattr(documents, "seed", lambda: texts)
    found, missing = kinds.kinds()
    assert not missing
    assert len(found) > 20
    for kind in found:
        task = cells.of("kinds", kind, "dumps")
        for contender in entered:
            job = task.job(contender)
            assert not job.fault(job.call(job.argument())), (kind.name, contender.name)


def test_a_kind_without_an_option_is_not_raced() -> None:
    """A need that a library cannot meet is said, not ignored."""
    need = contenders.Need(sort_keys=True)
    ready = enter(["ssrjson"])
    with pytest.raises(contenders.UnsupportedError, match="sort_keys"):
        ready[0].writer(need)
    layout = kinds.layout_of(Workload("a", [b"{}"]), "sort")
    cell = raced(cells.of("kinds", layout, "dumps"), ready)
    assert "sort_keys" in cell.unable["ssrjson"]
    assert not cell.times


def test_own_size_counts_each_object_once() -> None:
    """Shared objects once, constants not at all."""
    shared = "a string of some length"
    size = process.own_size
    one = size([shared, shared, None, True])
    assert one == size([shared, "", None, True])
    assert one == size(shared) + (sys.getsizeof([0] * 4) + 15) // 16 * 16
    assert size({"some key": 1.5}) > size({}) + size("some key") + size(1.5) - 1


@pytest.mark.skipif(
    not Path("/proc/self/clear_refs").exists(), reason="peaks are reset through /proc"
)
def test_memory_is_measured_in_a_process_of_its_own(tmp_path: Path) -> None:
    """A child measures each task, and failures are a reason and not a figure."""
    path = tmp_path / "numbers.json"
    path.write_text(json.dumps([number / 7 for number in range(40_000)]))
    found = memory.ask("json", "loads", str(path))
    assert found["own"] > 40_000 * 24
    assert found["own"] * 0.8 < found["peak"] < found["own"] * 3
    assert memory.ask("json", "caches", str(path))["kept"] == 0
    assert memory.ask("json", "small value", str(path))["own"] > 16
    assert 0.5 < memory.ask("json", "small result", str(path))["kept"] / 4e6 < 3
    assert "error" in memory.ask("json", "loads", str(tmp_path / "absent.json"))


def test_a_race_ends_and_shuffles_nothing_away() -> None:
    """Every contender has a time in every round but those far slower."""
    entered = enter(["orjson", "json"])
    task = cells.of("x", Workload("a", [b"[1,2,3]"]), "loads")
    cell = raced(task, entered)
    assert len(cell.times["orjson"]) >= interleaved.FEWEST
    assert len(cell.times["json"]) == len(cell.times["orjson"])
    assert not any(math.isnan(one) for one in cell.times["orjson"])
    assert stopwatch.rough(json.loads, b"1")[0] > 10
    assert task.direction in table.block(cell, "json")


def test_cold_calls_meet_new_values() -> None:
    """Inputs are distinct; a slice is a single call."""
    rows = cold.rows(["loads", "dumps"])
    assert all(len(set(row.texts)) == len(row.texts) for row in rows)
    entered = enter(["orjson"])
    cell = cold.race(rows[-1], cells.Setting(entered, 0.01, random.Random(1)))
    assert set(cell.calls.values()) == {1}
    assert len(cell.times["orjson"]) >= interleaved.FEWEST


def test_latency_is_of_single_calls() -> None:
    """Quantiles in order, for those whose result is right; the clock is subtracted."""
    row = next(one for one in latency.rows(["loads"]) if one.name == "100 bytes")
    found = latency.measure(
        row, cells.Setting(enter(["orjson", "json"]), 0.01, random.Random(1))
    )
    for name, times in found["nanoseconds"].items():
        assert list(times.values()) == sorted(times.values())
        assert times["p50"] >= 1
        assert 1 < found["calls"][name] <= latency.MOST + 20_000
    assert latency.quantiles(list(range(1_001)))["p99.9"] == 999
    assert json.dumps(found)
    for other, shown in (("orjson", "1.00x"), ("snooze", "-")):
        lines = latency.line(found, other).splitlines()
        assert lines[0].startswith("loads 100 bytes")
        assert lines[1].endswith(shown)
        assert all(len(line) <= table.WIDTH for line in lines)


def one_at_a_time() -> Any:
    """A `dumps` that fails where another thread is in it."""
    inside = threading.Lock()

    def dumps(value: Any) -> bytes:
        if not inside.acquire(blocking=False):
            raise ValueError("two at once")
        try:
            time.sleep(0.0002)
            return json.dumps(value).encode()
        finally:
            inside.release()

    return dumps


def test_threads_work_at_the_same_time() -> None:
    """Each over an argument of its own; the ratio is of calls in the same time."""
    row = next(one for one in threads.rows(["dumps"]) if one.name == "1 kB")
    ready = enter(["orjson", "json"])
    found = threads.measure(row, cells.Setting(ready, 0.01, random.Random(1)))
    assert found["gil"] is threads.gil()
    for name, (one, both) in found["nanoseconds"].items():
        low, high = found["scaling"][name][1:]
        assert 0 < low <= high
        assert min(one, both) > 0
    for line in [
        *scaling.shown([found] * 4).splitlines(),
        scaling.line(found, "orjson"),
    ]:
        assert len(line) <= table.WIDTH
    calls = contenders.Calls(bytes, one_at_a_time(), lambda _: len)
    alone = contenders.Contender("alone", "1", None, calls)
    found = threads.measure(row, cells.Setting([alone, *ready], 0.01, random.Random(1)))
    assert "two at once" in found["wrong"]["alone"]
    assert "left out: ValueError: two at once" in scaling.line(found, "orjson")
    seen: list[tuple[int, int]] = []
    with ThreadPoolExecutor(threads.COUNT) as team:
        spent = threads.timed(
            team, lambda one: seen.append((one, threading.get_ident())), [1, 2], 3
        )
        with pytest.raises(ZeroDivisionError):
            threads.timed(team, lambda one: 1 // one, [0, 0], 1)
    assert spent > 0
    assert sorted(one for one, _ in seen) == [1, 1, 1, 2, 2, 2]
    assert len({ident for _, ident in seen}) == threads.COUNT


def test_lines_fit_the_terminal() -> None:
    """Tables of a run are at most 80 columns wide."""
    found = [
        made_cell(
            f"a-very-long-name-{number}",
            snooze=[1e6, 1.5e6],
            orjson=[2e6, 2e6],
            fastsimdjson=[1e6, 3e6],
            orjson_again=[2e6, 2e6],
        )
        for number in range(5)
    ]
    names = ["snooze", "orjson", "fastsimdjson", "orjson again"]
    text = [table.calls(found, names), table.noise(cells.noise(found))]
    for other in ("orjson", "fastsimdjson"):
        text += [table.summary(found, "loads", names, other)]
        text += [table.line(found[0], other), table.line_head(other)]
        text += [table.block(found[0], other)]
    for line in "\n".join(text).splitlines():
        assert len(line) <= table.WIDTH, line


def test_a_run_is_recorded_and_rendered(tmp_path: Path) -> None:
    """What a run wrote can be made into the published tables."""
    cell = made_cell("a", snooze=[10.0], orjson=[20.0], orjson_again=[21.0])
    back = made_cell("a", "dumps", snooze=[5.0], orjson=[20.0], orjson_again=[20.0])
    options = command.parse(["--group", "documents", "--quick"])
    entered = enter(["snooze", "orjson", "orjson again"])
    whole = run.Run(options, entered, {}, [cell, back])
    path = run.write(tmp_path / "record.json", whole)
    results = results_tables()
    tables = results.render([results.load(path)])
    assert "| a | 2.00 | 2.00 orjson | 4.00 | 4.00 orjson |" in tables["documents"]
    assert "| loads, documents |" in tables["goals"]


def test_twins_make_the_same_number_of_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    """One slow reading decides nothing, and like contenders get like numbers."""
    costs = {"orjson": 1_000, "orjson again": 1_000, "near": 1_900, "far": 5_000}
    readings = collections.Counter[str]()

    def timed(name: str, _: object, calls: int) -> int:
        readings[name] += 1
        # The first readings of each are disturbed, by another factor each time.
        slow = 1 + 7 / readings[name] if readings[name] < 8 else 1
        return round(costs[name] * calls * slow)

    monkeypatch.setattr(stopwatch, "timed", timed)
    entries: dict[str, Any] = {name: (name, None) for name in costs}
    calls, first = interleaved.slices(entries, "orjson")
    assert calls["orjson"] == calls["orjson again"] == calls["near"]
    assert calls["far"] * 4 == calls["orjson"]
    assert first["far"] > 4 * first["orjson"]
    assert interleaved.slices({}, "orjson") == ({}, {})
    del entries["orjson"]
    assert interleaved.slices(entries, "orjson")[0].keys() == entries.keys()


def test_without_ratios_of_the_second_entry_the_noise_is_not_known():
    """It may have taken part, as in the group latency, whose tables have no ratios."""
    assert table.noise([]).endswith("there is no table of ratios with 'orjson again'.")
