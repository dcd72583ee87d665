"""Gates fail on differences that cannot be noise, and are otherwise `undecided`."""

from __future__ import annotations

import json

import pytest

from snooze_lab.gate import gates
from snooze_lab.gate.instructions import Verdict
from snooze_lab.model import AGAIN

RATIO = gates.BASELINES / "ratio.json"
TIMES = {"snooze": 500.0, "orjson": 1000.0, AGAIN: 1000.0}


class Worker:
    """Answers as a worker would: times with a little jitter, peaks as planted."""

    def __init__(self, times=TIMES, peak=4_000_000):
        self.times = times
        self.peak = peak

    def __call__(self, request, hash_seed=0, listen=None):
        del hash_seed, listen
        if request["task"] == "memory":
            return {"status": "ok", "values": {"peak": [self.peak]}}
        jitter = [1 + (number % 5) / 1000 for number in range(24)]
        times = {
            name: [time * one for one in (jitter if name != "orjson" else jitter[::-1])]
            for name, time in self.times.items()
        }
        return {"status": "ok", "rounds": 24, "times": times}


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.setattr(gates, "BASELINES", tmp_path)
    monkeypatch.setattr(gates.data, "get", lambda _group: None)
    monkeypatch.setattr(gates, "WORKLOADS", ("look-alike?of=twitter",))


def check(monkeypatch, worker, kind, *, write=False):
    monkeypatch.setattr(gates, "Launcher", lambda: worker)
    return gates.check([kind], write=write, say=lambda _text: None)


def test_without_a_baseline_nothing_is_decided(monkeypatch):
    for kind in ("ratio", "memory"):
        (found,) = check(monkeypatch, Worker(), kind)
        assert found.state == gates.UNDECIDED
        assert f"snooze-lab gate {kind} --write" in found.text


def test_a_baseline_is_of_this_kind_of_machine(monkeypatch, tmp_path):
    check(monkeypatch, Worker(), "ratio", write=True)
    whole = json.loads((tmp_path / "ratio.json").read_text())
    here = gates.machine("ratio")
    assert list(whole) == [here]
    assert whole[here]["loads look-alike?of=twitter"] == pytest.approx(2.0, abs=0.01)


def test_a_ratio_is_of_its_tier_and_a_peak_of_all(monkeypatch):
    for kind, states in (("ratio", {gates.UNDECIDED}), ("memory", {gates.OK})):
        monkeypatch.setattr(gates.snooze, "cpu_tiers", lambda: {"active": "avx512"})
        check(monkeypatch, Worker(), kind, write=True)
        assert {one.state for one in check(monkeypatch, Worker(), kind)} == {gates.OK}
        monkeypatch.setattr(gates.snooze, "cpu_tiers", lambda: {"active": "avx2"})
        assert {one.state for one in check(monkeypatch, Worker(), kind)} == states


def test_the_baselines_are_of_tiers():
    whole = json.loads(RATIO.read_text())
    assert {name.rsplit(" ", 1)[1] for name in whole} <= {"avx2", "avx512"}


@pytest.mark.parametrize(
    ("own", "again", "state"),
    [
        (500.0, 1000.0, gates.OK),
        (540.0, 1000.0, gates.OK),
        (560.0, 1000.0, gates.FAILED),
        (560.0, 1100.0, gates.UNDECIDED),
        (420.0, 1000.0, gates.OK),
        (390.0, 1000.0, gates.UNDECIDED),
    ],
)
def test_a_ratio_fails_beyond_a_tenth_on_a_quiet_machine(
    monkeypatch, own, again, state
):
    check(monkeypatch, Worker(), "ratio", write=True)
    times = {"snooze": own, "orjson": 1000.0, AGAIN: again}
    found = check(monkeypatch, Worker(times), "ratio")
    assert {one.state for one in found} == {state}
    assert all("baseline 2.00" in one.text for one in found)
    assert all(("baseline is stale" in one.text) == (own == 390.0) for one in found)


@pytest.mark.parametrize(
    ("peak", "state"),
    [(4_000_000, "ok"), (4_240_000, "ok"), (4_300_000, "failed"), (3_000_000, "ok")],
)
def test_a_peak_fails_three_per_cent_and_some_pages_above(monkeypatch, peak, state):
    check(monkeypatch, Worker(), "memory", write=True)
    found = check(monkeypatch, Worker(peak=peak), "memory")
    assert {one.state for one in found} == {state}


def test_who_is_not_there_is_an_error(monkeypatch):
    alone = {"orjson": 1.0, AGAIN: 1.0}
    with pytest.raises(gates.GateError, match="not installed or not right: snooze"):
        check(monkeypatch, Worker(alone), "ratio", write=True)


def test_who_is_wrong_in_one_process_only_is_an_error(monkeypatch):
    class Tired(Worker):
        def __call__(self, request, hash_seed=0, listen=None):
            answer = super().__call__(request, hash_seed, listen)
            if hash_seed == 2:
                del answer["times"]["snooze"]
            return answer

    with pytest.raises(gates.GateError, match="not installed or not right: snooze"):
        check(monkeypatch, Tired(), "ratio", write=True)


def test_a_worker_that_failed_is_an_error(monkeypatch):
    def worker(_request, hash_seed=0, listen=None):
        del hash_seed, listen
        return {"status": "failed", "error": "it died"}

    with pytest.raises(gates.GateError, match="it died"):
        check(monkeypatch, worker, "ratio", write=True)


@pytest.mark.parametrize(
    ("verdict", "states"),
    [
        (Verdict(["NOT COMPARED: no valgrind"], 2), [gates.UNDECIDED]),
        (Verdict(["loads a", "dumps a"], 0), [gates.OK] * 2),
        (Verdict(["loads a", "dumps a"], 1, ("dumps a",)), [gates.OK, gates.FAILED]),
    ],
)
def test_instructions_are_passed_on(monkeypatch, verdict, states):
    monkeypatch.setattr(gates.instructions, "check", lambda _names, write: verdict)
    found = gates.check(["instructions"], write=False, say=lambda _text: None)
    assert [one.text for one in found] == verdict.lines
    assert [one.state for one in found] == states
