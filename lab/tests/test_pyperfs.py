"""Suites of pyperf: what of a run goes into them, and what another tool's become."""

from __future__ import annotations

import pyperf
import pytest

from snooze_lab.results import pyperfs
from snooze_lab.stored import store


def test_what_took_nothing_is_left_out_of_the_suites(tmp_path):
    taken = store.Run.create(tmp_path / "r", {}, {})
    base = {"kind": "memory", "contest": "c", "contender": "json", "status": "ok"}
    for block, increase in enumerate((0, 4096)):
        values = {"increase": [increase], "energy:measured:net:x": [-1.0]}
        taken.append(base | {"block": block, "started": 1.0, "values": values})
    (path,) = pyperfs.write(taken)
    (found,) = pyperf.BenchmarkSuite.load(str(path)).get_benchmarks()
    assert found.get_values() == (4096,)


def test_a_suite_of_another_tool_is_taken_in(tmp_path):
    def benchmark(name, unit="second", values=(2e-6, 3e-6)):
        data = {"name": name, "unit": unit}
        runs = [
            pyperf.Run([value], metadata=data, collect_metadata=False)
            for value in values
        ]
        return pyperf.Benchmark(runs)

    suite = [benchmark("books/loads/ujson"), benchmark("json_loads")]
    file = tmp_path / "suite.json"
    pyperf.BenchmarkSuite([*suite, benchmark("peak", "byte", (5, 6))]).dump(str(file))
    found, results = pyperfs.take_in(file, tmp_path / "run")
    (table,) = results["studies"][0]["tables"]
    assert [(one["workload"], one["operation"]) for one in table["rows"]] == [
        ("books", "loads"),
        ("json_loads", "call"),
    ]
    (cell,) = table["rows"][0]["cells"].values()
    assert cell["contender"] == "ujson"
    assert cell["quantities"]["time"]["value"] == pytest.approx(2500)
    assert cell["effects"] == {}  # nothing is claimed
    assert found.plan()["source"] == "suite.json"
    only = tmp_path / "bytes.json"
    pyperf.BenchmarkSuite([benchmark("peak", "byte", (5, 6))]).dump(str(only))
    with pytest.raises(pyperfs.SuiteError, match="benchmarks of times, found none"):
        pyperfs.take_in(only, tmp_path / "other")
