"""What a worker measures, and what becomes of libraries that misbehave."""

from __future__ import annotations

import textwrap

import pytest

from snooze_lab import contenders, launch, measure, schedule
from snooze_lab.model import AGAIN, Contest, Factors

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
        {"keep": "kept"},
        {"input": "str"},
    ],
)
@pytest.mark.parametrize("operation", ["loads", "dumps"])
def test_every_factor_is_measured(planted, factors, operation):
    found = planted()(
        request("time", contender="json", factors=factors, operation=operation)
    )
    assert found["status"] == "ok", found
    assert len(found["values"]["time"]) == 2


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


def test_phases_add_up(planted):
    found = planted()(request("phases", operation="phases", contender="json"))
    values = found["values"]
    names = {"phase:read", "phase:parse", "phase:collect", "phase:free", "phase:dump"}
    assert names < values.keys()
    for place, total in enumerate(values["time"]):
        assert sum(values[name][place] for name in names) == pytest.approx(total, 1e-3)


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
