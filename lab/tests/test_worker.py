"""The measurements of a worker, and its handling of misbehaving libraries."""

from __future__ import annotations

import itertools
import os
import platform
import textwrap
import time

import pytest

from snooze_lab import contenders, workloads
from snooze_lab.contenders import base
from snooze_lab.model import AGAIN, Contest, Factors, ignored
from snooze_lab.planning import schedule
from snooze_lab.timing import stopwatch
from snooze_lab.worker import launch, measure
from snooze_lab.workloads import operations

DOCUMENT = "plan?fields=40"


def request(task, **more):
    given = {"workload": DOCUMENT, "operation": "loads", "factors": {}, "values": 2}
    return {"task": task, "slice": 0.001, "baseline": "json"} | given | more


@pytest.fixture
def planted(tmp_path):
    """Return a launcher whose workers can import modules written by a test."""

    def plant(**modules):
        for name, text in modules.items():
            (tmp_path / f"{name}.py").write_text(textwrap.dedent(text))
        launcher = launch.Launcher(timeout=30)
        launcher.variables["PYTHONPATH"] = f"{launch.SOURCE}:{tmp_path}"
        return launcher

    return plant


GOOD = """
    import json
    loads = json.loads
    dumps = json.dumps
"""


def test_times_are_of_this_process_and_its_result_is_digested(planted):
    ask = planted()
    found = ask(request("time", contender="json"))
    verdict = ask(request("verify", contenders=["json"]))["verified"]["json"]
    assert found["status"] == "ok"
    assert len(found["values"]["time"]) == 2
    assert min(found["values"]["time"]) > 0
    assert found["loops"] >= 1
    assert found["digest"] == verdict["digest"] != ""
    assert found["rusage"]["user"] >= 0


@pytest.mark.parametrize(
    "factors",
    [
        {"gc": "off"},
        {"gc": "frozen"},
        {"cache": "cold"},
        {"input": "str"},
    ],
)
@pytest.mark.parametrize("operation", ["loads", "dumps"])
def test_every_factor_is_measured(planted, factors, operation):
    found = planted()(
        request("time", contender="json", factors=factors, operation=operation)
    )
    if (operation, *factors) in {("loads", "cache"), ("dumps", "input")}:
        assert found["status"] == "unable"
        return
    assert found["status"] == "ok", found
    assert len(found["values"]["time"]) == 2


@pytest.mark.parametrize(
    ("task", "operation", "factors"),
    [
        ("interleaved", "dumps", {"cache": "cold"}),
        ("memory", "dumps", {"cache": "cold"}),
        ("phases", "phases", {"input": "str"}),
        ("energy", "dumps", {"cache": "cold"}),
        ("time", "loads", {"buffer": "reused"}),
        ("time", "sort", {"input": "str"}),
        ("conformance", "conformance", {"gc": "off"}),
    ],
)
def test_a_factor_that_would_be_ignored_is_refused(task, operation, factors):
    assert ignored(operation, Factors(**factors), task)
    asked = request(task, operation=operation, factors=factors, contender="json")
    asked |= {"contenders": ["json"], "seconds": 0.01, "seed": 1}
    with pytest.raises(base.UnsupportedError, match="="):
        measure.TASKS[task](asked)


def test_what_reading_the_clock_costs_is_taken_off_cold_calls(monkeypatch):
    """A clock that advances 10 ns per reading: an empty interval reads 10 ns."""
    clock = itertools.count(step=10)
    monkeypatch.setattr(time, "perf_counter_ns", lambda: next(clock))
    monkeypatch.setattr(stopwatch, "perf_counter_ns", lambda: next(clock))
    asked = request(
        "time", operation="dumps", contender="json", factors={"cache": "cold"}
    )
    found = measure.times(asked | {"loops": 5})
    assert max(found["values"]["time"]) == 1.0


def test_the_size_of_a_text_is_in_bytes_however_it_is_given(tmp_path):
    path = tmp_path / "x.json"
    path.write_text('["ééé"]', "utf-8")
    workload = workloads.find(f"file?path={path}")
    (contender,), _ = contenders.enter(["json"])
    for given in ("bytes", "str"):
        job = operations.job("loads", workload, contender, Factors(input=given))
        assert job.size(None) == path.stat().st_size


def test_the_collector_follows_its_factor():
    import gc

    for level, enabled in {"default": True, "off": False, "frozen": True}.items():
        with measure.collector(level):
            assert gc.isenabled() == enabled
            assert (gc.get_freeze_count() > 0) == (level == "frozen")
        assert gc.isenabled()
        assert gc.get_freeze_count() == 0


def test_memory_has_a_tree_below_its_peak(planted):
    found = planted()(
        request("memory", workload="plan?fields=40000", contender="json", repeats=3)
    )
    values = {name: one[0] for name, one in found["values"].items()}
    assert values["base"] > 1_000_000
    assert values["peak"] > 0.8 * values["tree"] > 500_000
    assert values["increase"] > 0.5 * values["tree"]
    assert {"majflt", "wall"} <= found["rusage"].keys()
    assert "psi" in found


def test_phases_add_up(planted):
    found = planted()(request("phases", operation="phases", contender="json"))
    values = found["values"]
    names = {"phase:read", "phase:parse", "phase:collect", "phase:free", "phase:dump"}
    assert names < values.keys()
    for place, total in enumerate(values["time"]):
        assert sum(values[name][place] for name in names) == pytest.approx(total, 1e-3)


PARTS = {
    "writes": ("loads = json.loads\ndef dumps(x): return b'[]'", "is not the value"),
    "text": ("loads = json.loads\ndef dumps(x): return json.dumps(x) and 1", "is int"),
    "reads": ("dumps = json.dumps\ndef loads(x): return 1", "differs from json's"),
}


@pytest.mark.parametrize("name", PARTS)
def test_all_of_the_phases_is_verified(planted, name):
    text, reason = PARTS[name]
    bad = f"phase_{name}:loads,dumps"
    ask = planted(**{f"phase_{name}": f"import json\n{text}"})
    contest = Contest("t", "t", DOCUMENT, "phases", (bad, "json"), baseline="json")
    found = schedule.verify([contest], ask, lambda _progress: None)[contest.id]
    assert found[bad]["status"] == "wrong"
    assert reason in found[bad]["reason"]
    timed = ask(request("phases", operation="phases", contender="json"))
    assert timed["digest"] == found["json"]["digest"] != ""


def test_interleaved_rounds_are_as_many_for_each(planted):
    found = planted()(
        request(
            "interleaved",
            contenders=["json", "pickle5", "marshal4"],
            seconds=0.1,
            seed=1,
        )
    )
    lengths = {len(times) for times in found["times"].values()}
    assert lengths == {found["rounds"]}
    assert found["times"].keys() == {"json", "pickle5", "marshal4"}


def test_who_is_wrong_after_the_race_has_no_times(planted):
    text = """
        import itertools, json
        dumps = json.dumps
        count = itertools.count()
        def loads(x): return json.loads(x) if next(count) < 9 else [1]
    """
    name = "tired:loads,dumps"
    found = planted(tired=text)(
        request("interleaved", contenders=["json", name], seconds=0.05, seed=1)
    )
    assert found["wrong"] == {
        name: "its result after the race differs from its result before it"
    }
    assert found["times"].keys() == {"json"}


def test_half_a_character_in_a_message_ends_no_run(planted, tmp_path):
    text = "dumps = repr\ndef loads(x): raise ValueError(chr(0xD800) + ' bad é')"
    name = "half:loads,dumps"
    found = planted(half=text)(request("verify", contenders=[name]))
    reason = found["verified"][name]["reason"]
    assert reason == "ValueError: ? bad é"
    reason.encode()


def test_a_library_of_the_users_own(planted):
    name = "mine:loads,dumps"
    found = planted(mine=GOOD)(request("verify", contenders=["json", name]))
    assert found["verified"][name]["status"] == "ok"
    with pytest.raises(contenders.UnknownContenderError, match="expected module:loads"):
        contenders.known("mine:loads")


BAD = {
    "values": (
        "import json\ndef loads(x): return [*json.loads(x), 1] if x[:1] == b'[' else 1\n"
        "dumps = json.dumps",
        "wrong",
        "differs from json's result",
    ),
    "types": (
        "import json\nloads = lambda x: json.loads(x, parse_float=lambda y: str(y))\n"
        "dumps = json.dumps",
        "wrong",
        "differs",
    ),
    "raises": (
        "import json\ndef loads(x): raise ValueError('no')\ndumps = json.dumps",
        "wrong",
        "ValueError: no",
    ),
    "dies": (
        "import json, os\ndef loads(x): os.abort()\ndumps = json.dumps",
        "failed",
        "SIGABRT",
    ),
    "exits": (
        "import json, os\ndef loads(x): os._exit(3)\ndumps = json.dumps",
        "failed",
        "exit status 3",
    ),
    "prints": (
        "import json\ndef loads(x):\n  print('hello')\n  return json.loads(x)\n"
        "dumps = json.dumps",
        "ok",
        "",
    ),
    "absent": ("import nothing_of_that_name", "absent", "ModuleNotFoundError"),
}


@pytest.mark.parametrize("name", BAD)
def test_who_misbehaves_gets_a_reason_and_the_others_a_verdict(planted, name):
    text, status, reason = BAD[name]
    bad = f"bad_{name}:loads,dumps"
    ask = planted(**{f"bad_{name}": text, "mine": GOOD})
    contest = Contest(
        "t", "t", DOCUMENT, "loads", ("json", bad, "mine:loads,dumps"), baseline="json"
    )
    found = schedule.verify([contest], ask, lambda _progress: None)[contest.id]
    assert found["json"]["status"] == found["mine:loads,dumps"]["status"] == "ok"
    assert found[bad]["status"] == status
    assert reason in found[bad].get("reason", "")


def test_a_worker_that_hangs_is_stopped(planted):
    ask = planted(slow="import time\ndef loads(x): time.sleep(60)\ndumps = repr")
    ask.timeout = 1.0
    found = ask(request("time", contender="slow:loads,dumps"))
    assert found["status"] == "failed"
    assert "no answer within 1 s" in found["error"]


def test_an_interpreter_that_is_none():
    found = launch.Launcher(python="/bin/false")(request("time", contender="json"))
    assert found["status"] == "failed"
    assert "exit status 1" in found["error"]


def test_an_interpreter_that_is_not_there():
    found = launch.Launcher(python="/no/python")(request("time", contender="json"))
    assert found["status"] == "failed"
    assert found["error"].endswith("/no/python: No such file or directory")


def test_what_a_library_says_on_stderr_and_stdout_is_no_protocol(planted):
    text = """
        import os, sys
        def loads(x):
            os.write(1, bytes([255, 10]))
            sys.stderr.write("x" * 5_000_000 + chr(10))
            os.write(2, b"the last word" + bytes([10]))
            os._exit(3)
        dumps = repr
    """
    found = planted(loud=text)(request("time", contender="loud:loads,dumps"))
    assert found["status"] == "failed"
    assert "exit status 3: the last word" in found["error"]


def test_who_hangs_is_stopped_with_what_it_started(planted):
    text = """
        import subprocess, time
        def loads(x): subprocess.run(["sleep", "20"])
        dumps = repr
    """
    ask = planted(parent=text)
    ask.timeout = 1.0
    start = time.monotonic()
    found = ask(request("time", contender="parent:loads,dumps"))
    assert "no answer within 1 s" in found["error"]
    assert time.monotonic() - start < 10


def test_workers_bind_themselves_to_a_processor(planted):
    text = "import os\ndumps = repr\n"
    text += "def loads(x): raise ValueError(sorted(os.sched_getaffinity(0)))"
    ask = planted(bound=text)
    cpu = max(os.sched_getaffinity(0))
    ask.pin = cpu
    found = ask(request("time", contender="bound:loads,dumps"))
    assert found["error"] == f"ValueError: [{cpu}]"
    ask.pin = 100_000
    assert ask(request("time", contender="json"))["status"] == "failed"


def test_the_environment_is_that_of_the_worker():
    found = launch.Launcher()(
        {"task": "environment", "libraries": {"json": ["json", ""]}}
    )
    assert found["environment"]["python"] == platform.python_version()
    assert found["environment"]["libraries"]["json"]["version"] == "standard library"


def test_every_process_has_the_hash_seed_that_its_sample_states(planted):
    text = "import os\ndumps = repr\n"
    text += "def loads(x): raise ValueError(os.environ['PYTHONHASHSEED'])"
    ask = planted(seeded=text)
    name = "seeded:loads,dumps"
    found = ask(request("verify", contenders=[name]), hash_seed=77)
    assert found["hash_seed"] == 77
    assert found["verified"][name]["reason"] == "ValueError: 77"


def test_the_reference_twice_is_one_library():
    library = contenders.known(AGAIN)
    assert library.module == contenders.known("orjson").module


def test_factors_travel_by_name():
    assert str(Factors(gc="off", cache="cold")) == "gc=off&cache=cold"
    assert str(Factors()) == ""


@pytest.mark.parametrize("name", ["snooze", "msgspec", "orjson"])
def test_a_buffer_that_is_used_again(planted, name):
    found = planted()(
        request(
            "time",
            contender=name,
            operation="dumps",
            factors={"buffer": "reused"},
            workload="plan?fields=400",
        )
    )
    if name == "orjson":
        assert found["status"] == "unable"
        assert "used again" in found["error"]
        return
    assert found["status"] == "ok", found
    fresh = planted()(
        request("time", contender=name, operation="dumps", workload="plan?fields=400")
    )
    assert (found["digest"], found["bytes"]) == (fresh["digest"], fresh["bytes"])
