"""Contenders that crash, hang or exit: each loses its own cell, and is named for it.

The others of the contest keep their results, and no worker outlives its manager. All
contenders here are real modules, run by real workers.
"""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest

from snooze_lab import workloads
from snooze_lab.model import Contest
from snooze_lab.planning import schedule
from snooze_lab.running import execution
from snooze_lab.stored import samples, store
from snooze_lab.timing import heartbeat
from snooze_lab.worker import launch
from snooze_lab.workloads import operations

GOOD = "import json\nloads = json.loads\ndumps = json.dumps\n"
#: Behaves well for some calls, which are more than verification makes.
LATER = """
    import itertools, json, os, sys
    dumps = json.dumps
    count = itertools.count()
    def loads(text):
        if next(count) >= {calls}:
            {deed}
        return json.loads(text)
"""
#: What a contender does, and what its cell then says.
DEEDS = {
    "aborts": ("os.abort()", "died of SIGABRT"),
    "exits": ("os._exit(0)", "exit status 0"),
    "leaves": ("sys.exit(7)", "exit status 7"),
    "raises": ("raise ValueError('no more')", "ValueError: no more"),
    "loops": ("while True: pass", "no answer within 1 s"),
    "computes": ("sum(itertools.repeat(0))", "no answer within 1 s"),
}


@pytest.fixture
def plant(tmp_path):
    """Return a function that writes a contender and returns its name."""

    def planted(module, text):
        (tmp_path / f"{module}.py").write_text(textwrap.dedent(text))
        return f"{module}:loads,dumps"

    return planted


@pytest.fixture
def workers(tmp_path):
    """Return a launcher whose workers see the planted contenders."""
    return launch.Launcher(path=(str(tmp_path),), timeout=1.0)


def contest(bad, *instruments):
    return Contest(
        study="t",
        table="t",
        workload="plan?fields=40",
        operation="loads",
        contenders=("json", bad, "good:loads,dumps"),
        instruments=instruments,
        baseline="json",
        blocks=2,
        seconds=0.05,
    )


def taken(folder, one, workers):
    """Verify and measure a contest; return its samples."""
    verified = schedule.verify([one], workers, lambda _: None)
    run = store.Run.create(folder, {"verified": verified}, {})
    plan = schedule.Schedule([one], seed=1, values=2, slice_s=0.001)
    execution.execute(run, plan, workers, lambda _: None)
    return run


@pytest.mark.parametrize("deed", DEEDS)
@pytest.mark.parametrize("instrument", ["isolated", "interleaved"])
def test_who_fails_while_timed_loses_its_own_cell(
    tmp_path, plant, workers, deed, instrument
):
    does, said = DEEDS[deed]
    plant("good", GOOD)
    bad = plant(f"later_{deed}", LATER.format(calls=90, deed=does))
    one = contest(bad, instrument)
    run = taken(tmp_path / "run", one, workers)
    found = samples.read(run.samples())
    assert found.failed.keys() == {(one.id, bad)}
    status, reason = found.failed[one.id, bad]
    assert status == "failed"
    assert said in reason
    for name in ("json", "good:loads,dumps"):
        if instrument == "isolated":
            assert found.of(one.id, name, "time").keys() == {0, 1}
        else:
            assert len(found.parts(one.id, name)) == 2
    # It is not tried again: once lost, a cell stays blank. On a busy machine the first
    # block may end before the call that fails.
    tried = [
        line
        for line in run.samples()
        if bad in (line["contender"], *line.get("lost", ()))
    ]
    lost = [
        line.get("status") == "failed" or bad in line.get("lost", ()) for line in tried
    ]
    assert lost.index(True) == len(lost) - 1


@pytest.mark.parametrize("deed", DEEDS)
def test_who_fails_at_once_is_found_by_the_verification(plant, workers, deed):
    does, said = DEEDS[deed]
    plant("good", GOOD)
    bad = plant(f"first_{deed}", LATER.format(calls=0, deed=does))
    one = contest(bad, "interleaved")
    verdicts = schedule.verify([one], workers, lambda _: None)[one.id]
    assert said in verdicts[bad]["reason"]
    assert verdicts["json"]["status"] == verdicts["good:loads,dumps"]["status"] == "ok"


@pytest.mark.parametrize("deed", ["os.abort()", "sum(itertools.repeat(0))"])
def test_an_import_that_fails_is_attributed_to_its_contender(plant, workers, deed):
    plant("good", GOOD)
    bad = plant("importing", f"import itertools, os\n{deed}\n")
    one = contest(bad, "interleaved")
    verdicts = schedule.verify([one], workers, lambda _: None)[one.id]
    assert verdicts[bad]["status"] == "failed"
    assert verdicts["json"]["status"] == verdicts["good:loads,dumps"]["status"] == "ok"


def test_who_fails_everywhere_is_given_up(plant, workers):
    plant("good", GOOD)
    bad = plant("always", LATER.format(calls=0, deed="os.abort()"))
    asked = []

    def ask(request, *more):
        asked.append(request["contenders"])
        return workers(request, *more)

    fields = range(schedule.MOST_FAILURES + 2)
    contests = [
        Contest("t", "t", f"plan?fields={40 + 4 * one}", "loads", ("json", bad))
        for one in fields
    ]
    verdicts = schedule.verify(contests, ask, lambda _: None, at_once=1)
    assert sum(bad in names for names in asked) == schedule.MOST_FAILURES
    reason = verdicts[contests[-1].id][bad]["reason"]
    assert f"after it failed {schedule.MOST_FAILURES} times" in reason
    assert "SIGABRT" in reason
    assert all(verdicts[one.id]["json"]["status"] == "ok" for one in contests)


def test_contests_are_verified_side_by_side(workers):
    meeting = threading.Barrier(2, timeout=60)
    contests = [
        Contest("t", "t", f"plan?fields={fields}", "loads", ("json",))
        for fields in (4, 8, 12, 16)
    ]
    again = dataclasses.replace(contests[0], table="u")
    asked, told = [], []

    def ask(request, *more):
        asked.append(request["workload"])
        meeting.wait()  # broken, and so an error, unless another one comes
        return workers(request, *more)

    ask.pin, ask.stop = None, meeting.abort
    verdicts = schedule.verify([*contests, again], ask, told.append, at_once=2)
    assert [verdicts[one.id]["json"]["status"] for one in contests] == ["ok"] * 4
    assert list(verdicts) == [one.id for one in (*contests, again)]
    assert verdicts[again.id] == verdicts[contests[0].id]
    assert sorted(asked) == sorted(one.workload for one in contests)
    assert [(one.done, one.steps) for one in told] == [(n, 4) for n in (1, 2, 3, 4)]
    assert {one.text for one in told} == {f"verified {one.id}" for one in contests}


def test_an_interrupt_ends_all_processes_that_verify(tmp_path, plant):
    """The one that hangs is not waited for."""
    place = tmp_path / "pid"
    bad = plant(
        "stuck",
        f"""
        import itertools, os, pathlib
        dumps = repr
        def loads(text):
            pathlib.Path({str(place)!r}).write_text(str(os.getpid()))
            sum(itertools.repeat(0))
        """,
    )
    contests = [
        Contest("t", "t", f"plan?fields={fields}", "loads", (name,))
        for fields, name in ((4, bad), (8, "json"))
    ]

    def told(_progress):
        _await(lambda: place.exists() and place.read_text())
        raise KeyboardInterrupt

    workers = launch.Launcher(path=(str(tmp_path),), timeout=600.0)
    with pytest.raises(KeyboardInterrupt):
        schedule.verify(contests, workers, told, at_once=2)
    assert not _runs(int(place.read_text()))


INTERRUPTED = """
import sys
from snooze_lab.__main__ import main

class Interrupt:
    def find_spec(self, name, path, target=None):
        if name == "snooze_lab.cli":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupt())
main()
"""


def test_an_interrupt_while_modules_are_imported_is_told_as_later():
    ended = subprocess.run(
        [sys.executable, "-c", INTERRUPTED],
        env=os.environ | {"PYTHONPATH": str(launch.SOURCE)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (130, "")
    assert ended.stderr == "snooze-lab: stopped\n"


def test_a_byob_names_the_contender_that_hangs_after_10_seconds(tmp_path, plant):
    """By the command itself, with the limits that it has."""
    bad = plant("hanging", LATER.format(calls=0, deed="sum(itertools.repeat(0))"))
    good = plant("good", GOOD)
    (tmp_path / "x.json").write_text('{"a": [1, 2.5, "three"]}')
    command = [sys.executable, "-m", "snooze_lab", "byob", "x.json"]
    command += ["--lib", bad, "--lib", good, "--seconds", "0.05"]
    ended = subprocess.run(
        [*command, "--output", "run"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": f"{launch.SOURCE}:{tmp_path}"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    results = json.loads((tmp_path / "run/results.json").read_text())
    table = results["studies"][0]["tables"][0]
    assert table["operation"] == "loads"
    cells = table["rows"][0]["cells"]
    assert cells[bad]["status"] == "failed"
    assert cells[bad]["reason"] == "no answer within 10 s; stopped"
    assert cells[good]["status"] == "ok"
    assert cells[good]["effects"]["interleaved"]["time"]["n"] >= 2


MANAGER = """
    import signal, sys
    from snooze_lab.worker import launch
    # A shell starts what it runs in the background with SIGINT ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    ask = launch.Launcher(path=sys.path[:1], prefix=tuple(sys.argv[1:]))
    ask({"task": "time", "workload": "plan?fields=4", "operation": "loads",
         "factors": {}, "contender": "stuck:loads,dumps", "values": 1, "slice": 1})
"""


@pytest.mark.parametrize("name", ["SIGKILL", "SIGINT", "SIGTERM"])
@pytest.mark.parametrize("prefix", [(), ("sh", "-c", '"$@"; exit', "sh")])
def test_no_worker_outlives_its_manager(tmp_path, plant, name, prefix):
    place = tmp_path / "pid"
    plant(
        "stuck",
        f"""
        import itertools, os, pathlib
        dumps = repr
        def loads(text):
            pathlib.Path({str(place)!r}).write_text(str(os.getpid()))
            sum(itertools.repeat(0))
        """,
    )
    script = tmp_path / "manager.py"
    script.write_text(textwrap.dedent(MANAGER))
    manager = subprocess.Popen(
        [sys.executable, script, *prefix],
        env=os.environ | {"PYTHONPATH": str(launch.SOURCE)},
        stderr=subprocess.DEVNULL,
    )
    try:
        worker = int(_await(lambda: place.exists() and place.read_text()))
        manager.send_signal(getattr(signal, name))
        manager.wait(10)
        _await(lambda: not _runs(worker))
    finally:
        manager.kill()
        manager.wait()


def _await(condition):
    """Return the first true value of a condition; fail after ten seconds."""
    end = time.monotonic() + 10
    while not (found := condition()):
        assert time.monotonic() < end
        time.sleep(0.02)
    return found


def _runs(pid):
    """Tell whether a process exists and is no zombie, whose parent has not read it."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_long_document_has_more_time():
    small, large = (workloads.find(f"plan?fields={fields}") for fields in (4, 400_000))
    least, most = operations.patience(small), operations.patience(large)
    assert heartbeat.CALL_S < least < heartbeat.CALL_S + 0.1
    assert most == pytest.approx(heartbeat.CALL_S + large.size * heartbeat.BYTE_S)
    assert operations.patience(large, 10) > most + 1


def test_a_heartbeat_travels_through_the_shared_memory():
    with heartbeat.Monitor() as monitor:
        assert monitor.beat() == heartbeat.Beat(0, heartbeat.OWN_S, "")
        code = (
            "from snooze_lab.timing import heartbeat\n"
            f"heartbeat.attach({monitor.descriptor}); heartbeat.allow(3.5)\n"
            "heartbeat.running('é'); heartbeat.running('x' * 9000)\n"
            "heartbeat.own(); heartbeat.running('ö')"
        )
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONPATH": str(launch.SOURCE)},
            pass_fds=[monitor.descriptor],
            check=True,
        )
        assert monitor.beat() == heartbeat.Beat(4, 3.5, "ö")
