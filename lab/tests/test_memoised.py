"""Contenders that keep results, planted: none is timed. Honest ones all pass."""

from __future__ import annotations

import dataclasses
import functools
import json
import textwrap

import pytest

from snooze_lab import contenders, workloads
from snooze_lab.model import Contest, Factors
from snooze_lab.planning import schedule
from snooze_lab.timing import heartbeat, verified
from snooze_lab.worker import launch
from snooze_lab.workloads import operations

#: What is planted: the code, and the operation that it cheats in.
CHEATS = {
    "cached-by-bytes": (
        """
        seen = {}
        def loads(text):
            if text not in seen:
                seen[text] = json.loads(text)
            return seen[text]
        """,
        "loads",
    ),
    "lru-cache": (
        "loads = functools.lru_cache(json.loads)",
        "loads",
    ),
    "copies-of-cached": (
        """
        seen = {}
        def loads(text):
            if text not in seen:
                seen[text] = marshal.dumps(json.loads(text))
            return marshal.loads(seen[text])
        """,
        "loads",
    ),
    "shallow-copies": (
        """
        @functools.lru_cache
        def read(text): return json.loads(text)
        def loads(text): return dict(read(text))
        """,
        "loads",
    ),
    "cached-by-id": (
        """
        seen = {}
        def dumps(value):
            if id(value) not in seen:
                seen[id(value)] = json.dumps(value).encode()
            return seen[id(value)]
        """,
        "dumps",
    ),
    "copies-by-id": (
        """
        seen = {}
        def dumps(value):
            if id(value) not in seen:
                seen[id(value)] = json.dumps(value).encode()
            return bytes(bytearray(seen[id(value)]))
        """,
        "dumps",
    ),
    "copies-by-value": (
        """
        last = [None, b""]
        def dumps(value):
            if value != last[0]:
                last[:] = copy.deepcopy(value), json.dumps(value).encode()
            return bytes(bytearray(last[1]))
        """,
        "dumps",
    ),
}
HEAD = """
import copy, functools, json, marshal
loads = json.loads
def dumps(value): return json.dumps(value).encode()
"""


@pytest.mark.parametrize("name", CHEATS)
@pytest.mark.parametrize("workload", ["plan?fields=40", "plan?fields=40000"])
def test_who_keeps_results_is_not_timed(tmp_path, name, workload):
    code, operation = CHEATS[name]
    (tmp_path / "cheat.py").write_text(HEAD + textwrap.dedent(code))
    bad = "cheat:loads,dumps"
    one = Contest("t", "t", workload, operation, ("json", bad), baseline="json")
    ask = launch.Launcher(path=(str(tmp_path),))
    verdicts = schedule.verify([one], ask, lambda _: None)[one.id]
    assert verdicts["json"]["status"] == "ok"
    assert verdicts[bad]["status"] == "wrong"
    assert verdicts[bad]["reason"].startswith("returns cached results: ")


def test_every_pair_of_calls_has_its_own_time():
    """A contender that is slow, or on a busy machine, does not seem to hang."""
    (slow,), _ = contenders.enter(["json"])
    call = functools.lru_cache(slow.loads)
    cheat = dataclasses.replace(slow, calls=dataclasses.replace(slow.calls, loads=call))
    work = workloads.find("plan?fields=40")
    job = operations.job("loads", work, cheat, Factors())
    with heartbeat.Monitor() as monitor:
        heartbeat.attach(monitor.descriptor)
        heartbeat.running("json")
        before = monitor.beat()
        assert verified._with(job.changed(), job)
        after = monitor.beat()
        heartbeat._worker.memory = None
    assert after.count - before.count == verified.PAIRS
    assert (after.running, after.limit) == ("json", before.limit)


def test_who_begins_to_keep_results_during_the_race_loses_its_times(tmp_path):
    code = """
    count = itertools.count()
    cached = functools.lru_cache(json.loads)
    def loads(text): return (cached if next(count) > 60 else json.loads)(text)
    """
    head = f"import itertools\n{HEAD}"
    (tmp_path / "late.py").write_text(head + textwrap.dedent(code))
    bad = "late:loads,dumps"
    found = launch.Launcher(path=(str(tmp_path),))(
        {
            "task": "interleaved",
            "workload": "plan?fields=40",
            "operation": "loads",
            "factors": {},
            "baseline": "json",
            "contenders": ["json", bad],
            "seconds": 0.05,
            "seed": 1,
        }
    )
    assert found["wrong"].keys() == {bad}
    assert found["wrong"][bad].startswith("returns cached results: ")
    assert found["times"].keys() == {"json"}


@pytest.mark.parametrize("operation", ["loads", "dumps", "touch"])
@pytest.mark.parametrize("text", ["plan?fields=40", "records", "scalars", "nothing"])
def test_no_honest_contender_is_accused(tmp_path, operation, text):
    texts = {
        "records": json.dumps(
            [{"id": n, "name": "é" * 9, "x": n / 7} for n in range(99)]
        ),
        "scalars": "[1, 2.5, true, null, -0.0]",
        "nothing": '{"a": [], "b": {}}',
    }
    if text in texts:
        (tmp_path / "x.json").write_text(texts[text])
    chosen = f"file?path={tmp_path}/x.json" if text in texts else text
    workload = workloads.find(chosen)
    ready, _ = contenders.enter(list(contenders.libraries()))
    assert len(ready) > 10
    for contender in ready:
        try:
            job = operations.job(operation, workload, contender, Factors())
            argument = job.argument()
            wrong = job.fault(job.call(argument))
        except contenders.UnsupportedError:
            continue
        assert wrong or verified.memoised(job, argument) == "", contender.name


@pytest.mark.parametrize(
    "value",
    [
        {"a": [1, {"b": "a text with room"}]},
        [1.5],
        [7],
        {"short": "x"},
        [["", None, True], {"k": 0.0}],
    ],
)
def test_a_change_keeps_the_shape_and_is_never_repeated(value):
    def shape(one):
        if isinstance(one, dict):
            return {key: shape(inner) for key, inner in one.items()}
        return [*map(shape, one)] if isinstance(one, list) else type(one)

    before, seen = shape(value), {json.dumps(value)}
    places = verified.Places([value])
    for _ in range(50):
        places.change()
        assert shape(value) == before
        text = json.dumps(value)
        assert text not in seen
        seen.add(text)


@pytest.mark.parametrize("value", [7, "text", [], {}, [None, True], {"a": [[]]}])
def test_without_a_scalar_in_a_container_there_is_no_change(value):
    assert not verified.Places([value])
