"""A run's folder: appended to, never rewritten, and readable after a crash."""

from __future__ import annotations

import json

import pytest

from snooze_lab.stored import store


@pytest.fixture
def run(tmp_path):
    return store.Run.create(tmp_path / "r", {"seed": 1}, {"python": "3"})


def sample(block, **more):
    return {"kind": "isolated", "contest": "c", "contender": "a", "block": block} | more


def test_what_was_appended_is_read_in_order(run):
    for block in range(3):
        run.append(sample(block))
    assert [one["block"] for one in run.samples()] == [0, 1, 2]
    assert run.done() == {("isolated", "c", "a", block) for block in range(3)}


def test_a_line_that_was_cut_short_is_left_out_and_cut_off(run):
    run.append(sample(0))
    with run.samples_path.open("a") as file:
        file.write('{"kind": "isol')
    assert [one["block"] for one in run.samples()] == [0]
    run.trim()
    run.append(sample(1))
    assert [one["block"] for one in run.samples()] == [0, 1]


def test_damage_in_the_middle_is_an_error_with_its_line(run):
    run.append(sample(0))
    sound = run.samples_path.read_text()
    for damage in ("{nonsense", "[]", "\udcff"):
        text = f"{damage}\n{sound}".encode("utf-8", "surrogateescape")
        run.samples_path.write_bytes(text)
        with pytest.raises(store.RunError, match=r"samples.jsonl, line 1: .*column"):
            list(run.samples())


@pytest.mark.parametrize("text", ["[]", "{", "", '{"a": NaN}', '{"a": 1e999}'])
def test_damage_of_a_plan_is_an_error_with_its_file(run, text):
    (run.path / "plan.json").write_text(text)
    with pytest.raises(store.RunError, match=r"plan.json: .*column"):
        store.Run.open(run.path)


def test_a_second_run_in_the_same_folder_is_refused(run):
    with pytest.raises(store.RunError, match="--resume"):
        store.Run.create(run.path, {}, {})


def test_not_a_run(tmp_path):
    with pytest.raises(store.RunError, match="no plan.json"):
        store.Run.open(tmp_path)


def test_a_format_from_the_future(run):
    plan = run.plan() | {"format": 99}
    (run.path / "plan.json").write_text(json.dumps(plan))
    with pytest.raises(store.RunError, match="format 99"):
        store.Run.open(run.path)


def test_latest_is_the_newest(tmp_path, monkeypatch):
    monkeypatch.setenv(store.VARIABLE, str(tmp_path))
    with pytest.raises(store.RunError, match="make one with 'snooze-lab run'"):
        store.Run.open("latest")
    store.Run.create(tmp_path / "one", {}, {})
    other = store.Run.create(tmp_path / "two", {}, {})
    import os

    os.utime(other.path / "plan.json", (2e9, 2e9))
    assert store.Run.open("latest").name == "two"
    assert store.Run.open("one").name == "one"


def test_figures_that_are_not_finite_are_never_written(run):
    with pytest.raises(ValueError, match="JSON compliant"):
        run.append(sample(0, values={"time": [float("nan")]}))
    assert list(run.samples()) == []
