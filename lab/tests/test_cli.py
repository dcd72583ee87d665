"""The command as users see it: each verb once, wrong input, and no traceback."""

from __future__ import annotations

import errno
import importlib.util
import json
import os
import re
import shutil
from pathlib import Path

import pyperf
import pytest
from typer.testing import CliRunner

import report_sample
from snooze_lab import contenders
from snooze_lab.cli import app
from snooze_lab.energy import command
from snooze_lab.planning import byob
from snooze_lab.report import page
from snooze_lab.results import compare
from snooze_lab.running import replay, runs
from snooze_lab.stored import store
from snooze_lab.stored.results_types import Line

DOCUMENT = [
    {"id": number, "name": f"user {number}", "score": number / 7}
    for number in range(200)
]
LIBRARIES = ("orjson", "json")


def invoke(*words):
    return CliRunner().invoke(app, list(map(str, words)), catch_exceptions=False)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Return the folder of one small run, made by the command."""
    folder = tmp_path_factory.mktemp("runs")
    file = folder / "mine & yours.json"
    file.write_text(json.dumps(DOCUMENT))
    patch = pytest.MonkeyPatch()
    patch.setenv(store.VARIABLE, str(folder))
    patch.setattr(byob, "BLOCKS", 4)
    patch.setattr(byob, "MEMORY_BLOCKS", 1)
    patch.setattr(byob, "SECONDS", 0.05)
    libs = [word for name in LIBRARIES for word in ("--lib", name)]
    done = invoke("byob", file, *libs, "--output", folder / "run")
    patch.undo()
    assert done.exit_code == 0, done.output
    return folder / "run"


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv(store.VARIABLE, raising=False)


def test_byob_answers_and_leaves_everything_that_a_run_has(run):
    names = {path.name for path in run.iterdir()}
    assert {
        "plan.json",
        "env.json",
        "samples.jsonl",
        "results.json",
        "report.html",
        "tables",
        "time.pyperf.json",
        "memory.pyperf.json",
    } <= names
    results = json.loads((run / "results.json").read_text())
    reading, _, memory, *_ = results["answer"]["sentences"]
    assert reading["text"].startswith("orjson is fastest")
    assert memory["text"].startswith("peak while reading mine & yours.json: ")
    text = report_sample.shown(run)
    assert "mine & yours.json 1" in text  # a row of a table, and its bytes
    assert "Geometric means over 1 document, " in text


def test_pyperf_reads_what_was_written(run):
    suite = pyperf.BenchmarkSuite.load(str(run / "time.pyperf.json"))
    names = suite.get_benchmark_names()
    assert any(name.endswith(" orjson") for name in names)
    assert all(one.get_unit() == "second" for one in suite.get_benchmarks())
    assert {one.get_nrun() for one in suite.get_benchmarks()} == {4}


def test_a_suite_of_pyperf_is_taken_in(run, tmp_path):
    done = invoke("import", "pyperf", run / "time.pyperf.json", "--output", "taken")
    assert done.exit_code == 0, done.output
    assert (tmp_path / "taken" / "report.html").exists()
    taken = (tmp_path / "taken" / "results.json").read_text()
    # Our own suite comes back with its contests and contenders.
    contests = json.loads((tmp_path / "taken" / "plan.json").read_text())["contests"]
    before = json.loads((run / "plan.json").read_text())["contests"]
    timed = [one for one in before if "time" in one["metrics"]]
    assert {one["operation"] for one in contests} == {"loads", "dumps"}
    assert len(contests) == len(timed)
    for one in contests:
        assert set(one["contenders"]) == set(timed[0]["contenders"])
        assert one["baseline"] == "orjson"
    again = invoke("report", "taken")
    assert again.exit_code == 0, again.output
    assert (tmp_path / "taken" / "results.json").read_text() == taken
    bad = tmp_path / "bad.json"
    for text in ("{}", "[]", "[{}]", "1", '{"version": "1.0", "benchmarks": [1]}'):
        bad.write_text(text)
        done = invoke("import", "pyperf", bad, "--output", "other")
        assert done.exit_code == 2
        assert "expected a JSON file of pyperf" in done.output


def test_the_report_can_be_written_elsewhere_again(run, tmp_path):
    done = invoke("report", run, "-o", tmp_path / "copy")
    assert done.exit_code == 0, done.output
    first = (run / "tables").iterdir()
    assert {path.name for path in first} == {
        path.name for path in (tmp_path / "copy" / "tables").iterdir()
    }


def test_an_unfinished_run_says_how_to_go_on(run, tmp_path):
    other = shutil.copytree(run, tmp_path / "stopped")
    made = ["results.json", "time.pyperf.json", "memory.pyperf.json"]
    for name in made:
        (other / name).unlink()
    for words in (("cite", "s001", other), ("compare", run, other)):
        done = invoke(*words)
        assert done.exit_code == 2
        said = " ".join(done.output.split())
        assert f"snooze-lab run --resume {other}" in said
        assert f"snooze-lab report {other}" in said
    # Everything but the samples can be made again.
    assert invoke("report", other).exit_code == 0
    assert all((other / name).exists() for name in made)
    assert invoke("compare", run, other).exit_code == 0


def test_a_run_equals_itself(run):
    done = invoke("compare", run, run)
    assert done.exit_code == 0, done.output
    assert "better" not in done.output
    assert "worse" not in done.output


def test_what_became_slower_is_named(run, tmp_path):
    other = shutil.copytree(run, tmp_path / "slower")
    results = json.loads((other / "results.json").read_text())
    results["noise"]["floor"] = results["noise_isolated"]["floor"] = 0.01
    for table in results["studies"][0]["tables"]:
        for row in table["rows"]:
            cell = row["cells"]["json"]
            cell["raw"] = {
                metric: [3 * value for value in values]
                for metric, values in cell["raw"].items()
            }
    (other / "results.json").write_text(json.dumps(results))
    before = shutil.copytree(run, tmp_path / "before")
    quiet = json.loads((before / "results.json").read_text())
    quiet["noise"]["floor"] = quiet["noise_isolated"]["floor"] = 0.01
    (before / "results.json").write_text(json.dumps(quiet))
    changes = compare.compare(store.Run.open(before), store.Run.open(other))
    slower = [one for one in changes if one.effect.verdict == "worse"]
    assert {one.contender for one in slower} == {"json"}
    assert {round(1 / one.effect.ratio, 6) for one in slower} == {3.0}
    shown = invoke("compare", before, other).output
    # Its name is whole, and without the path of the file.
    assert "yours.json/loads json" in shown
    assert "yours.json/dumps json" in shown
    assert "path=" not in shown
    assert "\N{HORIZONTAL ELLIPSIS}" not in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_files_of_one_name_keep_their_paths_in_a_comparison():
    def rows(*paths):
        work = [f"file?path={path}" for path in paths]
        found = [Line(one, f"byob/t/{one}/loads", 0, {}) for one in work]
        return list(compare._labels(found).values())

    assert rows("/a/x%20y.json") == ["byob/t/x y.json/loads"]
    assert rows("/a/x.json", "/b/x.json") == [
        "byob/t/file?path=/a/x.json/loads",
        "byob/t/file?path=/b/x.json/loads",
    ]


def changed(run, folder, metric, share, blocks=4, size=100.0, **floors):
    """Return the verdicts if a metric of every cell were this many times as large.

    The samples are those of so many blocks of the planned ones.
    """
    sides = []
    for name, factor in (("before", 1.0), ("after", share)):
        other = shutil.copytree(run, folder / f"{metric}-{share}-{name}-{blocks}")
        lines = (other / "samples.jsonl").read_text().splitlines(keepends=True)
        kept = [one for one in lines if json.loads(one)["block"] < blocks]
        (other / "samples.jsonl").write_text("".join(kept))
        results = json.loads((other / "results.json").read_text())
        for noise in ("noise", "noise_isolated"):
            results[noise]["floor"] = floors.get(noise, 0.01)
        for table in results["studies"][0]["tables"]:
            for row in table["rows"]:
                for cell in row["cells"].values():
                    if metric == "round" and metric not in cell["raw"]:
                        continue  # it did not race
                    values = [size * x for x in (1.0, 1.001, 0.999, 1.0)]
                    cell["raw"] = {metric: [factor * x for x in values]}
        (other / "results.json").write_text(json.dumps(results))
        sides.append(store.Run.open(other))
    return {one.effect.verdict for one in compare.compare(*sides)}


def test_each_metric_is_held_against_the_noise_of_its_own_instrument(run, tmp_path):
    loud = {"noise": 0.5}
    assert changed(run, tmp_path, "time", 1.2, **loud) == {"worse"}
    assert changed(run, tmp_path, "round", 1.2, **loud) == {"too noisy"}
    assert changed(run, tmp_path, "round", 0.5) == {"better"}
    # What was planned is not what was measured.
    assert changed(run, tmp_path, "round", 0.5, blocks=1) == {"undecided"}
    both = loud | {"noise_isolated": 0.5}
    assert changed(run, tmp_path, "peak", 1.2, size=1e6, **both) == {"worse"}


def test_a_page_of_memory_is_no_change(run, tmp_path):
    for metric in ("peak", "base", "increase"):
        found = changed(run, tmp_path, metric, 36_864 / 32_768, size=32_768.0)
        assert not found & {"better", "worse"}
    assert changed(run, tmp_path, "tree", 36_864 / 32_768, size=32_768.0) == {"worse"}


def test_runs_of_other_machines_are_not_mixed(run, tmp_path):
    other = shutil.copytree(run, tmp_path / "elsewhere")
    env = json.loads((other / "env.json").read_text()) | {"processor": "Another"}
    (other / "env.json").write_text(json.dumps(env))
    done = invoke("compare", run, other)
    assert done.exit_code == 2
    assert "processor:" in done.output
    assert "Another" in done.output
    assert invoke("compare", run, other, "--force").exit_code == 0


def test_a_run_goes_on_in_its_own_environment_only(run, tmp_path):
    other = shutil.copytree(run, tmp_path / "before")
    done = invoke("run", "--resume", other)
    assert done.exit_code == 0, done.output
    env = json.loads((other / "env.json").read_text())
    env["libraries"]["orjson"]["version"] = "0.1"
    (other / "env.json").write_text(json.dumps(env | {"python": "2.7"}))
    done = invoke("run", "--resume", other)
    assert done.exit_code == 2
    assert "python: 2.7 and" in done.output
    assert "orjson: 0.1 and" in done.output


def test_an_interpreter_without_workers_is_a_mistake(tmp_path):
    words = ("run", "floors", "--only", "dumps/twitter", "--profile", "standard")
    done = invoke(*words, "--python", "/bin/false", "--output", tmp_path / "r")
    assert done.exit_code == 2
    assert "/bin/false: workers do not run with it" in " ".join(done.output.split())
    assert not (tmp_path / "r").exists()


def test_a_cell_is_replayed_in_words(run):
    done = invoke("replay", run, "loads-time json")
    assert done.exit_code == 0, done.output
    assert "time: median" in done.output
    assert "the run had: median" in done.output
    for name, text in {"mars": "fits 0 cells", "loads": "fits "}.items():
        done = invoke("replay", run, name)
        assert done.exit_code == 2
        assert text in done.output
    done = invoke("replay", run, "loads-time json", "--tool", "hammer")
    assert "no tool 'hammer'; there are: perf, callgrind, memray" in done.output


def test_a_cell_is_replayed_by_the_runs_own_python(run, tmp_path):
    other = shutil.copytree(run, tmp_path / "other")
    found = json.loads((other / "plan.json").read_text()) | {"python": "/no/python"}
    (other / "plan.json").write_text(json.dumps(found))
    done = invoke("replay", other, "loads-time orjson")
    assert done.exit_code == 2
    assert "/no/python: No such file" in " ".join(done.output.split())
    assert invoke("replay", run, "").exit_code == 2


@pytest.mark.parametrize("tool", ["perf", "memray"])
def test_a_cell_is_replayed_under_a_tool(run, tmp_path, tool):
    if not (importlib.util.find_spec(tool) or shutil.which(tool)):
        pytest.skip(f"{tool} is not installed")
    done = invoke("replay", run, "loads-time json", "--tool", tool, "--folder", "a b")
    assert done.exit_code == 0, done.output
    assert "time: median" in done.output
    (file,) = (tmp_path / "a b").iterdir()
    assert file.stat().st_size > 0
    assert f"'a b/{file.name}'" in " ".join(done.output.split())


def test_tools_that_are_not_there_are_named(run, monkeypatch, tmp_path):
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    with pytest.raises(replay.ReplayError, match="apt install linux-perf"):
        replay.launcher("perf", tmp_path, "python3")


def test_a_report_can_be_relative_to_another_contender(run):
    before = (run / "report.html").read_bytes()
    done = invoke("report", run, "--relative-to", "json")
    assert done.exit_code == 0, done.output
    assert "times json's speed" in report_sample.shown(run / "to-json")
    # The run's own report and results are as they were.
    assert (run / "report.html").read_bytes() == before
    assert json.loads((run / "results.json").read_text())["relative_to"] == ""
    done = invoke("report", run, "--relative-to", "msgspec")
    assert done.exit_code == 2
    assert "no contender 'msgspec' in this run; there are: orjson, json" in " ".join(
        done.output.split()
    )


def large_run(monkeypatch, tmp_path, *more):
    """Ask for the run of 5 GB; nothing may be fetched, generated or measured."""
    monkeypatch.setenv("SNOOZE_LAB_DATA", str(tmp_path / "data"))
    words = ("run", "s000", "--profile", "full", "--only", "as-run-large", *more)
    return invoke(*words)


def test_large_files_are_written_only_after_a_question(monkeypatch, tmp_path):
    done = large_run(monkeypatch, tmp_path)
    assert done.exit_code == 2
    said = " ".join(done.output.split())
    assert "this run writes documents of 5.0 GB in" in said
    assert "--yes agrees to it" in said
    assert not (tmp_path / "data").exists()


def test_large_files_that_have_no_room_are_refused_even_with_consent(
    monkeypatch, tmp_path
):
    full = shutil.disk_usage(tmp_path)._replace(free=10**9)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: full)
    done = large_run(monkeypatch, tmp_path, "--yes")
    assert done.exit_code == 2
    assert "where 1.0 GB are free" in " ".join(done.output.split())


@pytest.mark.parametrize("seed", ["s000", "s001", "s002", "s003", "s004"])
def test_every_seed_can_be_cited_with_and_without_a_run(run, seed):
    done = invoke("cite", seed, run)
    assert done.exit_code == 0, done.output
    assert "What the seed claims" in done.output
    assert re.search(r"^.* \((published|cited), 20\d\d\)$", done.output, re.MULTILINE)
    alone = invoke("cite", seed)
    assert alone.exit_code == 0
    assert "Here: no run yet." in alone.output


def test_a_table_without_a_run_names_the_shortest_run_that_has_it():
    said = " ".join(invoke("cite", "s001").output.split())
    assert "snooze-lab run s001_tables --profile smoke" in said
    assert "snooze-lab run s001_tables --profile standard" in said


def test_the_lists_fit_a_terminal():
    for words in (["list"], ["list", "contenders"], ["list", "s001"]):
        done = invoke(*words)
        assert done.exit_code == 0
    whole = invoke("list", "contenders").output
    assert all(len(line) <= 80 for line in whole.splitlines())
    assert "python-cjson" in whole


def test_the_doctor_looks_at_everything():
    done = invoke("doctor")
    assert done.exit_code == 0
    for topic in (
        "machine",
        "noise",
        "clock",
        "memory",
        "pressure",
        "meter",
        "contenders",
        "data",
        "program",
    ):
        assert topic in done.output


#: A processor that the tests may use: a program may be bound to some of them.
USABLE = str(min(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 0)
MISTAKES = {
    ("run", "s777"): "no study 's777'",
    ("run", "--profile", "huge"): "no profile 'huge'; there are: smoke",
    ("run", "s001", "--only", "mars"): "no contest with mars",
    ("run", "--resume", "nothing"): "no run (no plan.json in it)",
    ("run", "s001", "--resume", "x", "--pin", USABLE): "leave out pin, studies",
    ("run", "s003", "--feeds", "nothing.bz2"): "found no file",
    ("report",): "make one with 'snooze-lab run'",
    ("report", "nothing"): "no run",
    ("byob", "nothing.json"): "No such file",
    ("cite", "s9"): "no published study 's9'",
    ("run", "s001", "--pin", "99999"): "--pin 99999: expected one of the processors",
    ("run", "s000", "--calibration", "none.toml"): "none.toml: cannot be read as TOML",
    ("run", "s001", "--output", "/proc/runs"): "/proc/runs: expected a folder that can",
    ("cite", "s001", "nothing"): "nothing: no run (no plan.json in it)",
    ("gate", "weight"): "no gate weight; there are: instructions",
    ("import", "energibridge", "nothing"): "expected a folder",
    ("calibrate", "nothing"): "expected a folder",
    ("calibrate", "--fit-on", "json-1gb"): "expected a folder of series",
    ("data", "get", "mars"): "no data 'mars'; there are: canon",
    ("list", "s001", "--profile", "huge"): "no profile",
}


@pytest.mark.parametrize("words", MISTAKES, ids=" ".join)
def test_a_mistake_is_one_sentence_and_status_2(words):
    done = invoke(*words)
    assert done.exit_code == 2, done.output
    assert "Traceback" not in done.output
    assert MISTAKES[words] in " ".join(done.output.split())


def test_own_contenders_are_found_where_python_finds_them(tmp_path, monkeypatch):
    """PYTHONPATH counts, and a module that is missing ends the command at once."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    code = "import json\nloads = json.loads\ndumps = json.dumps\n"
    (folder / "my_own_json.py").write_text(code)
    (folder / "my_broken_json.py").write_text("raise ImportError('so broken')")
    file = tmp_path / "mine.json"
    file.write_text("[1]")
    monkeypatch.setenv("PYTHONPATH", str(folder))
    monkeypatch.setattr(byob, "BLOCKS", 1)
    monkeypatch.setattr(byob, "MEMORY_BLOCKS", 1)
    monkeypatch.setattr(byob, "SECONDS", 0.01)
    run = tmp_path / "run"
    done = invoke("byob", file, "--lib", "my_own_json:loads,dumps", "--output", run)
    assert done.exit_code == 0, done.output
    verified = json.loads((run / "plan.json").read_text())["verified"].values()
    assert {one["my_own_json:loads,dumps"]["status"] for one in verified} == {"ok"}
    for name, reason in (
        ("no_such_json:loads,dumps", "No module named 'no_such_json'"),
        ("my_broken_json:loads,dumps", "so broken"),
        ("my_own_json:loads,write", "has no attribute 'write'"),
    ):
        done = invoke("byob", file, "--lib", name, "--output", tmp_path / "none")
        assert done.exit_code == 2
        said = " ".join(done.output.split())
        assert f"{name}: cannot be used: " in said
        assert reason in said
        assert not (tmp_path / "none").exists()


def test_classes_of_ones_own_document_are_raced(tmp_path, monkeypatch):
    """Verified before they are timed; who cannot have such classes is left out."""
    file = tmp_path / "mine.json"
    file.write_text('[{"id": 1, "first-name": "A"}, {"id": 2.5}]')
    monkeypatch.setattr(byob, "BLOCKS", 1)
    monkeypatch.setattr(byob, "SECONDS", 0.01)
    run = tmp_path / "run"
    done = invoke("byob", file, "--typed", "--lib", "snooze", "--output", run)
    assert done.exit_code == 0, done.output
    verified = json.loads((run / "plan.json").read_text())["verified"]
    decode, encode = (
        {name: one["status"] for name, one in verdicts.items()}
        for _, verdicts in sorted(verified.items())
    )
    there = {"snooze slots": "ok", "snooze dataclass": "ok"}
    floor = {"orjson again": "ok"}
    assert decode == there | floor | {"snooze loads": "ok", "orjson loads": "ok"}
    assert encode == there | floor | {
        "snooze dumps dicts": "ok",
        "orjson dumps dicts": "ok",
    }
    ((_, tables),) = byob.tables([file], [], typed=True)
    names = {one for table in tables for one in table.contests[0].contenders}
    assert {"msgspec Struct", "msgspec slots", "pydantic", "json asdict"} <= names
    done = invoke("byob", file, "--typed", "--lib", "ujson")
    assert done.exit_code == 2
    assert "no classes with 'ujson'; there are: snooze, msgspec" in " ".join(
        done.output.split()
    )


def test_the_time_of_a_race_can_be_chosen(tmp_path):
    file = tmp_path / "mine.json"
    file.write_text("[1]")
    ((_, tables),) = byob.tables([file], ["json"], seconds=7)
    assert {one.seconds for table in tables for one in table.contests} == {7}
    for wrong in ("0", "-1", "inf", "nan"):
        done = invoke("byob", file, "--seconds", wrong)
        assert done.exit_code == 2
        assert "expected a time above 0" in " ".join(done.output.split())


def test_without_orjson_the_standard_library_is_the_reference(monkeypatch):
    """Every contest then has another baseline, and nothing enters twice."""
    real = contenders.enter

    def enter(names):
        ready, absent = real(names)
        return [one for one in ready if one.name != "orjson"], absent

    monkeypatch.setattr(byob.contenders, "enter", enter)
    monkeypatch.setattr(byob, "_reference", lambda path, _: str(path))
    ((_, tables),) = byob.tables([Path("mine.json")], [])
    contests = [one for table in tables for one in table.contests]
    assert {one.baseline for one in contests} == {"json"}
    assert all("orjson" not in one.contenders for one in contests)
    assert all("orjson again" not in one.contenders for one in contests)


def test_a_file_that_is_no_calibration_is_refused(tmp_path):
    (tmp_path / "power.toml").write_text("format = 99")
    done = invoke("run", "s000", "--calibration", "power.toml")
    assert done.exit_code == 2
    assert "power.toml: expected 1, found 99 at $.format" in " ".join(
        done.output.split()
    )


@pytest.mark.parametrize("moment", ["verify", "execute"])
@pytest.mark.parametrize(
    ("error", "status", "words"),
    [
        (KeyboardInterrupt(), 130, "snooze-lab: stopped"),
        (OSError(errno.ENOSPC, "No space left on device"), 2, "No space left"),
    ],
)
def test_what_stops_a_run_says_what_is_kept(
    tmp_path, monkeypatch, moment, error, status, words
):
    def stop(*_):
        raise error

    module = runs.schedule if moment == "verify" else runs.execution
    monkeypatch.setattr(module, moment, stop)
    file = tmp_path / "mine.json"
    file.write_text("[1]")
    folder = tmp_path / "a run"
    done = invoke("byob", file, "--lib", "json", "--output", folder)
    said = " ".join(done.output.split())
    assert (done.exit_code, words in said) == (status, True)
    assert "Traceback" not in said
    # Before the first sample there is nothing to continue, and no folder is left.
    is_kept = moment == "execute"
    assert folder.exists() == is_kept
    assert (f"snooze-lab run --resume '{folder}'" in said) == is_kept


def test_samples_are_kept_if_the_report_has_no_room(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(page, "render", full)
    file = tmp_path / "mine.json"
    file.write_text("[1]")
    monkeypatch.setattr(runs, "go_on", lambda *_: {})
    folder = tmp_path / "a run"
    done = invoke("byob", file, "--lib", "json", "--output", folder)
    said = " ".join(done.output.split())
    assert done.exit_code == 2
    assert f"continue with: snooze-lab run --resume '{folder}'" in said


def test_what_is_not_json_is_refused_with_its_place(tmp_path):
    file = tmp_path / "broken.json"
    file.write_text('{"a": 1,}')
    done = invoke("byob", file)
    assert done.exit_code == 2
    assert "expected one JSON document" in " ".join(done.output.split())
    file.write_text("[NaN]")
    assert "NaN is not a JSON number" in " ".join(invoke("byob", file).output.split())
    file.write_text("[]")
    done = invoke("byob", file, "--lib", "sonic")
    assert done.exit_code == 2
    assert "no contender 'sonic'" in " ".join(done.output.split())


def test_without_a_counter_there_is_nothing_to_calibrate(monkeypatch, tmp_path):
    monkeypatch.setattr(command.meters, "working", lambda _context: [])
    with pytest.raises(command.calibration.CalibrationError, match="snooze-lab doctor"):
        command.calibrate(None, tmp_path / "c.toml", [])


def test_the_version():
    assert invoke("--version").output.startswith("snooze-lab ")


def test_own_contenders_are_named_as_they_are():
    assert contenders.known("json:loads,dumps").module == "json"
