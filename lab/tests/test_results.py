"""From a schedule over samples to results: order, resuming, statuses, the answer."""

from __future__ import annotations

import json

import pytest

from simulated import Simulated
from snooze_lab import plan, results, runs, schedule, store
from snooze_lab.model import AGAIN, Contest
from snooze_lab.plan import Study, Table

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
        Table("t", name, name, "table", "", "", {}, tuple(group))
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
    assert found["noise"]["verdict"] in {"quiet", "usable"}
    json.dumps(found, allow_nan=False)


def test_the_answer_names_who_is_fastest_and_over_what(run):
    reading, writing, memory = run[1]["answer"]
    assert reading.startswith(
        "Reading JSON (geometric mean of 2 documents): snooze is fastest, 1.2"
    )
    assert "the standard library 0.2" in reading
    assert writing == "Writing JSON: this run has no contest that says."
    assert memory == "Memory: this run did not look at it."


def test_a_wrong_result_is_never_timed_and_its_cell_is_blank(tmp_path):
    launch = Simulated(TRUTH)
    launch.wrong.add("snooze")
    _, found = make(tmp_path, launch)
    assert "snooze" not in launch.timed
    for row in found["studies"][0]["tables"][0]["rows"]:
        cell = row["cells"]["snooze"]
        assert (cell["status"], cell["reason"]) == ("wrong", "another value")
        assert cell["quantities"] == cell["effects"] == cell["raw"] == {}
    assert "snooze" not in found["answer"][0]


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
    assert results.derive(made) == found


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


def test_without_the_reference_there_is_no_claim_of_quiet(tmp_path):
    alone = [Contest("t", "loads", "d", "loads", ("snooze", "json"), baseline="json")]
    _, found = make(tmp_path, Simulated(TRUTH), alone)
    assert found["noise"]["verdict"] == "too noisy"
    assert "not known" in found["noise"]["sentence"].replace("\n", " ")
