"""Results of runs that hold little: no sample yet, or those of one table only."""

from __future__ import annotations

import pytest

from snooze_lab.planning import plan
from snooze_lab.results.derive import derive
from snooze_lab.stored import results_types, store

VALUES = {
    "time": {"time": [100.0]},
    "memory": {"peak": [8192.0], "tree": [100.0], "increase": [4096.0]},
    "phases": {"phase:read": [10.0]},
    "energy": {"energy:estimated:gross:m": [1.0]},
}


def samples(contest):
    """Yield a sample of each contender by each instrument."""
    base = {"contest": contest.id, "block": 0, "position": 0, "status": "ok"}
    base |= {"started": 1.0, "rusage": {"wall": 0.1}}
    if "isolated" in contest.instruments:
        for metric in contest.metrics:
            for name in contest.contenders:
                yield base | {
                    "kind": metric if metric != "time" else "isolated",
                    "contender": name,
                    "values": VALUES.get(metric, {}),
                    "bytes": 100,
                }
    if "interleaved" in contest.instruments:
        times = {name: [100.0, 101.0, 102.0] for name in contest.contenders}
        yield base | {"kind": "interleaved", "contender": "", "times": times}


def made(folder, study, tables):
    """Return the run of a study's tables, without samples."""
    contests = [one for table in tables for one in table.contests]
    words = ("name", "title", "seed", "question")
    described = {word: getattr(study, word) for word in words}
    right = {"status": "ok", "digest": "", "bytes": 100}
    written = {
        "name": "r",
        "profile": "full",
        "seed": 1,
        "command": "",
        "studies": [described | {"tables": [one.as_json() for one in tables]}],
        "contests": [one.as_json() for one in contests],
        "verified": {one.id: dict.fromkeys(one.contenders, right) for one in contests},
    }
    return store.Run.create(folder, written, {})


@pytest.mark.parametrize("name", plan.names())
def test_a_run_without_samples_or_with_one_table_has_results(name, tmp_path):
    study = plan.find(name)
    tables = study.of("full")
    results_types.read(derive(made(tmp_path / "none", study, tables)))
    for number, table in enumerate(tables):
        run = made(tmp_path / str(number), study, tables)
        for contest in table.contests:
            for one in samples(contest):
                run.append(one)
        assert results_types.read(derive(run)).run.samples > 0
