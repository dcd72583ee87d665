"""From a schedule over samples to results: order, resuming, statuses, the answer."""

from __future__ import annotations

import dataclasses
import json

import pytest

from simulated import Simulated
from snooze_lab import meters, native
from snooze_lab.model import AGAIN, Contest
from snooze_lab.planning import plan, schedule
from snooze_lab.planning.plan import Study, Table
from snooze_lab.results import derive, sections
from snooze_lab.running import runs
from snooze_lab.statistics import stats
from snooze_lab.stored import results_types as types
from snooze_lab.stored import samples, store
from snooze_lab.workloads.conformance import Judgement

TRUTH = {"snooze": 800.0, "orjson": 1000.0, AGAIN: 1000.0, "json": 5000.0}


def contests(count=2, operation="loads", blocks=8, **more):
    return [
        Contest(
            "t",
            operation,
            f"document{number}",
            operation,
            tuple(TRUTH),
            instruments=("isolated", "interleaved"),
            blocks=blocks,
            **more,
        )
        for number in range(count)
    ]


def chosen(found):
    by_table = {}
    for one in found:
        by_table.setdefault(one.table, []).append(one)
    tables = [
        Table(name, name, "table", "", "", tuple(group))
        for name, group in by_table.items()
    ]
    return [(Study("t", "T", "seed", "?", (), ""), tables)]


def make(tmp_path, launch, found=None, seed=3):
    settings = runs.Settings(seed=seed, output=tmp_path / "run", launch=launch)
    made = runs.start(chosen(found or contests()), settings)
    return made, runs.go_on(made, settings)


@pytest.fixture
def run(tmp_path):
    return make(tmp_path, Simulated(TRUTH))


def test_blocks_are_complete_and_their_order_is_shuffled():
    order = schedule.Schedule(contests(3), seed=5)
    for block in range(8):
        for contest in contests(3):
            steps = [
                one
                for one in order.steps
                if one.block == block
                and one.contest == contest
                and one.kind == "isolated"
            ]
            assert sorted(one.contender for one in steps) == sorted(TRUTH)
            places = [order.steps.index(one) for one in steps]
            assert places == list(range(places[0], places[0] + len(TRUTH)))
    firsts = {
        one.contender
        for one in order.steps
        if one.kind == "isolated" and one.position == 0
    }
    assert firsts == set(TRUTH)
    assert schedule.Schedule(contests(3), seed=5).steps == order.steps
    assert schedule.Schedule(contests(3), seed=6).steps != order.steps


def test_effects_find_the_truth(run):
    _, found = run
    cells = found["studies"][0]["tables"][0]["rows"][0]["cells"]
    for instrument in ("isolated", "interleaved"):
        effect = cells["snooze"]["effects"][instrument]["time"]
        assert effect["low"] < 1.25 < effect["high"]
        assert effect["verdict"] == "better"
        assert cells["json"]["effects"][instrument]["time"]["verdict"] == "worse"
    time = cells["orjson"]["quantities"]["time"]
    assert time["n"] == 8
    assert time["unit"] == "ns"
    assert found["noise"]["verdict"] == "unknown"  # from two contests
    json.dumps(found, allow_nan=False)


def test_the_answer_names_who_is_fastest_and_over_what(run):
    texts = {one["topic"]: one["text"] for one in run[1]["answer"]["sentences"]}
    assert texts["Reading"].startswith("snooze is fastest: 1.2")
    assert "times orjson's speed, json 0.2" in texts["Reading"]
    assert "(2 documents)" in texts["Reading"]
    assert texts["Writing"] == texts["Memory"] == "not measured in this run."


def test_a_wrong_result_is_never_timed_and_its_cell_is_blank(tmp_path):
    launch = Simulated(TRUTH)
    launch.wrong.add("snooze")
    _, found = make(tmp_path, launch)
    assert "snooze" not in launch.timed
    for row in found["studies"][0]["tables"][0]["rows"]:
        cell = row["cells"]["snooze"]
        assert (cell["status"], cell["reason"]) == ("wrong", "another value")
        assert cell["quantities"] == cell["effects"] == cell["raw"] == {}
    assert "snooze" not in found["answer"]["sentences"][0]["text"]


def test_a_result_that_changes_while_it_is_timed_is_wrong(tmp_path):
    class Turning(Simulated):
        def __call__(self, request, hash_seed=0, listen=None):
            answer = super().__call__(request, hash_seed, listen)
            for verdict in answer.get("verified", {}).values():
                verdict["digest"] = "right"
            if request.get("contender") == "json":
                answer["digest"] = "other"
            return answer

    _, found = make(tmp_path, Turning(TRUTH))
    cell = found["studies"][0]["tables"][0]["rows"][0]["cells"]["json"]
    assert cell["status"] == "wrong"
    assert "not the one that was verified" in cell["reason"]


def test_a_run_goes_on_where_it_stopped(tmp_path):
    class Stopping(Simulated):
        def __call__(self, request, hash_seed=0, listen=None):
            if len(self.timed) > 20:
                raise KeyboardInterrupt
            return super().__call__(request, hash_seed, listen)

    with pytest.raises(KeyboardInterrupt):
        make(tmp_path, Stopping(TRUTH))
    run = store.Run.open(tmp_path / "run")
    before = list(run.samples())
    assert 0 < len(before) < 70
    settings = runs.Settings(launch=Simulated(TRUTH, seed=2))
    runs.go_on(run, settings)
    after = list(run.samples())
    assert after[: len(before)] == before
    keys = [
        (one["kind"], one["contest"], one["contender"], one["block"]) for one in after
    ]
    assert len(keys) == len(set(keys)) == 2 * (8 * 4 + schedule.INTERLEAVED)


def test_results_are_the_same_when_derived_again(run):
    made, found = run
    assert derive.derive(made) == found


def test_two_contests_of_one_name_are_refused(tmp_path):
    twice = [contests(1)[0], contests(1, blocks=9)[0]]
    with pytest.raises(plan.StudyError, match="two contests are called t/loads"):
        make(tmp_path, Simulated(TRUTH), twice)


def test_a_machine_that_slows_down_is_flagged_and_ratios_hold(tmp_path):
    launch = Simulated(TRUTH, drift=3.0, shared=0.01)
    _, found = make(tmp_path, launch, contests(3, blocks=12))
    assert "drift" in {one["name"] for one in found["flags"]}
    for row in found["studies"][0]["tables"][0]["rows"]:
        effect = row["cells"]["snooze"]["effects"]["isolated"]["time"]
        assert effect["ratio"] == pytest.approx(1.25, rel=0.03)


class Metered(Simulated):
    """Joules that follow the time, of a meter that has its doubts."""

    def __call__(self, request, hash_seed=0, listen=None):
        answer = super().__call__(request, hash_seed, listen)
        if request["task"] == "energy":
            (time_,) = answer["values"].pop("time")[:1]
            answer["values"]["energy:estimated:gross:m"] = [1e-9 * time_]
            answer["meters"] = [
                {"meter": "m", "flags": ["idle-drift"]},
                {"meter": "n", "flags": ["failed: no file"]},
            ]
        return answer


def test_joules_have_the_floor_of_times_and_the_flags_of_their_meters(
    monkeypatch, tmp_path
):
    monkeypatch.setattr(
        runs.meters, "working", lambda _context: [meters.base.Unusable("m", "made up")]
    )
    quick = TRUTH | {"snooze": 985.0}
    raced = [
        Contest(
            *("t", "loads", f"d{number}", "loads", tuple(quick)),
            metrics=("time", "energy"),
            blocks=30,
        )
        for number in range(3)
    ]
    launch = Metered(quick, noise=0.002, shared=0.0)
    real = derive.noise.noise
    monkeypatch.setattr(
        derive.noise,
        "noise",
        lambda effects, reference: dataclasses.replace(
            real(effects, reference), floor=0.05
        ),
    )
    _, found = make(tmp_path, launch, raced)
    cell = found["studies"][0]["tables"][0]["rows"][0]["cells"]["snooze"]
    joules = cell["effects"]["isolated"]["energy:estimated:gross:m"]
    assert joules["verdict"] == "too noisy"
    assert {"energy:idle-drift", "energy:failed"} <= set(cell["flags"])


def test_the_native_twin_is_no_comparison_of_its_table():
    effect = stats.effect({0: 1.0, 1: 1.1, 2: 1.0}, {0: 1.3, 1: 1.5, 2: 1.4})
    names = ("yyjson (C)", native.AGAIN)
    found = {"c": {"isolated": {"time": dict.fromkeys(names, effect)}}}
    derive._judge_table(["c"], found, "isolated", 0.0)
    made = found["c"]["isolated"]["time"]
    assert made["yyjson (C)"].p == effect.p
    assert (made["yyjson (C)"].verdict, effect.verdict) == ("better", "better")
    # What a library differs from itself by is noise, however sure the interval is.
    assert made[native.AGAIN] == dataclasses.replace(effect, verdict="undecided")


@pytest.mark.parametrize("instrument", ["isolated", "interleaved"])
def test_nothing_is_compared_with_a_baseline_that_was_wrong_once(tmp_path, instrument):
    class Once(Simulated):
        seen = False

        def __call__(self, request, hash_seed=0, listen=None):
            answer = super().__call__(request, hash_seed, listen)
            alone = request.get("contender") == "orjson"
            if self.seen or not (alone or request["task"] == "interleaved"):
                return answer
            self.seen = True
            if alone:
                return answer | {"status": "wrong", "error": "another value"}
            del answer["times"]["orjson"]
            return answer | {"wrong": {"orjson": "another value"}}

    given = {"instruments": (instrument,), "blocks": 3}
    alone = [Contest("t", "loads", "d", "loads", tuple(TRUTH), **given)]
    _, found = make(tmp_path, Once(TRUTH), alone)
    cells = found["studies"][0]["tables"][0]["rows"][0]["cells"]
    assert cells["orjson"]["status"] == "wrong"
    assert cells["snooze"]["status"] == "ok"
    assert not any(cells["snooze"]["effects"].values())


@pytest.mark.parametrize("rounds", [3, 8, 15, 16, 23, 1000])
def test_one_process_has_so_many_stretches_and_no_more(rounds):
    times = {name: [float(1 + at) for at in range(rounds)] for name in "ab"}
    sample = {"kind": "interleaved", "contest": "c", "block": 0, "status": "ok"}
    found = samples.read([sample | {"times": times}])
    count = min(rounds, samples.PARTS)
    assert len(found.parts("c", "a")) == len(found.ratios("c", "a", "b")) == count


@pytest.mark.parametrize("taken", [0, 5])
def test_a_refusal_leaves_the_samples_that_were_taken(tmp_path, taken):
    class Scarce(Simulated):
        def __call__(self, request, hash_seed=0, listen=None):
            answer = super().__call__(request, hash_seed, listen)
            if request.get("contender") == "json" and self.timed.count("json") > taken:
                return {"status": "refused", "error": "memory ran out", "started": 1.0}
            return answer

    alone = [Contest("t", "loads", "d", "loads", tuple(TRUTH))]
    _, found = make(tmp_path, Scarce(TRUTH), alone)
    cell = found["studies"][0]["tables"][0]["rows"][0]["cells"]["json"]
    if not taken:
        assert (cell["status"], cell["reason"]) == ("refused", "memory ran out")
        return
    assert cell["status"] == "ok"
    assert cell["quantities"]["time"]["n"] == taken
    assert "refused-at-times" in cell["flags"]


def test_the_noise_is_that_of_the_planned_baseline(tmp_path):
    # Where no library is called by its own name, the baseline is entered twice.
    truth = {"orjson loads": 1000.0, AGAIN: 1000.0, "snooze slots": 500.0}
    alone = [
        Contest(
            *("t", "decode", f"d{number}", "decode", tuple(truth)),
            instruments=("isolated", "interleaved"),
            baseline="orjson loads",
        )
        for number in range(2)
    ]
    made, found = make(tmp_path, Simulated(truth), alone)
    other = derive.derive(made, "snooze slots")
    for name in ("noise", "noise_isolated"):
        assert other[name] == found[name]
        assert other[name]["floor"] < 0.1


def test_without_the_reference_there_is_no_claim_of_quiet(tmp_path):
    alone = [Contest("t", "loads", "d", "loads", ("snooze", "json"), baseline="json")]
    _, found = make(tmp_path, Simulated(TRUTH), alone)
    assert found["noise"]["verdict"] == "unknown"
    assert "not known" in found["noise"]["sentence"].replace("\n", " ")


@pytest.mark.parametrize("answered", [{"status": "failed", "error": "it died"}, {}])
def test_a_race_that_died_blanks_its_cells_with_the_reason(tmp_path, answered):
    class Dying(Simulated):
        def __call__(self, request, hash_seed=0, listen=None):
            answer = super().__call__(request, hash_seed, listen)
            if request["task"] != "interleaved":
                return answer
            if answered:
                return {"started": 0.0, "hash_seed": 1} | answered
            del answer["times"]["json"]
            return answer | {"unable": {"json": "it died"}}

    raced = [
        Contest("t", "loads", "d", "loads", tuple(TRUTH), instruments=("interleaved",))
    ]
    _, found = make(tmp_path, Dying(TRUTH), raced)
    cell = found["studies"][0]["tables"][0]["rows"][0]["cells"]["json"]
    assert cell["status"] == answered.get("status", "unable")
    assert cell["reason"] == "it died"


def test_flags_are_of_the_cells_own_samples_and_found_once(monkeypatch, tmp_path):
    seen = []
    real = derive.checks.of_cell

    def looked(samples_):
        seen.append({(one["contest"], one["contender"]) for one in samples_})
        return real(samples_)

    made, _ = make(tmp_path, Simulated(TRUTH))
    monkeypatch.setattr(derive.checks, "of_cell", looked)
    derive.derive(made)
    assert len(seen) == 2 * len(TRUTH)
    assert all(len(one) == 1 for one in seen)


def test_files_of_one_name_are_told_apart_by_their_paths():
    def row(workload):
        return types.Line(workload, f"byob/x/{workload}/loads", 9, {}, "loads")

    one, two = row("file?path=/a/x%20y.json"), row("file?path=/b/x%20y.json")
    other = row("crud?bytes=9")
    table = types.Table("t", "T", "loads", "ns", "time", "", (), (one, other))
    assert table.label(one) == "x y.json"
    assert table.label(other) == "crud?bytes=9"
    both = dataclasses.replace(table, rows=(one, two))
    assert both.label(two) == "file?path=/b/x%20y.json"


def test_a_file_that_newer_standards_allow_is_shown_as_valid():
    """fail1.json: who accepts it is right, and who rejects it is listed."""
    sample = {"kind": "conformance", "contest": "c", "block": 0, "status": "ok"}
    strict, usual = Judgement("strict", "1"), Judgement("usual", "1")
    strict.rfc.valid_rejected.append("fail1.json")
    found = sections.conformance(
        samples.read(
            sample
            | {"contender": one.contender, "values": {}, "conformance": one.as_json()}
            for one in (strict, usual)
        )
    )
    (file,) = found.files
    assert (file.file, file.expectation) == ("fail1.json", "y")
    assert file.outcomes == {"strict": "rejected", "usual": "accepted"}
    counts = {one.name: one.values for one in found.metrics}
    assert counts["valid rejected (RFC 8259)"] == {"strict": 1, "usual": 0}
