"""Meters from plug-ins: the example of lab/METERS.md, and plug-ins with faults."""

from __future__ import annotations

import os
import re
import sys
import tomllib
from pathlib import Path

import pytest

from snooze_lab import meters
from snooze_lab.meters import base
from snooze_lab.running import doctor
from snooze_lab.worker.launch import Launcher

DOCUMENT = Path(__file__).resolve().parents[1] / "METERS.md"
FAKE_PERF = """#!{python}
import signal, sys, time
ended = []
signal.signal(signal.SIGINT, lambda *_: ended.append(1))
assert sys.argv[1:5] == ["stat", "-a", "-x,", "-e"]
began = time.monotonic()
while not ended and "--" not in sys.argv:
    time.sleep(0.002)
joules = 20 * (time.monotonic() - began)
print(f"{{joules:.2f}},Joules,{{sys.argv[5]}},1000,100.00,,", file=sys.stderr)
"""


def distribution(folder, name, points, modules):
    """Install a package into a folder, as pip would."""
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n"
    )
    lines = [f"{key} = {value}" for key, value in points.items()]
    (info / "entry_points.txt").write_text(
        "\n".join([f"[{meters.GROUP}]", *lines]) + "\n"
    )
    for module, text in modules.items():
        (folder / f"{module}.py").write_text(text)


@pytest.fixture
def example(tmp_path, monkeypatch):
    """The example of the document, installed, with a perf that counts 20 W."""
    text = DOCUMENT.read_text("utf-8")
    project, module = re.findall(r"```text\n(.*?)```", text, re.DOTALL)
    described = tomllib.loads(project)["project"]
    points = described["entry-points"][meters.GROUP]
    distribution(
        tmp_path / "site", described["name"], points, {"snooze_lab_perf": module}
    )
    program = tmp_path / "bin" / "perf"
    program.parent.mkdir()
    program.write_text(FAKE_PERF.format(python=sys.executable))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.syspath_prepend(tmp_path / "site")
    yield tmp_path / "site"
    sys.modules.pop("snooze_lab_perf", None)


def test_the_documents_example_is_listed_and_works(example):
    found = {one.name: state for one, state in meters.available()}
    assert found["perf:package"].ok
    said = [one.text for one in doctor._meters()]
    assert "perf:package (measured): available" in said
    assert meters.find("perf:package").scope == "package"
    with pytest.raises(base.MeterError, match="found perf:package"):
        meters.find("perf:core")


def test_a_worker_reads_the_documents_example(example):
    request = {
        "task": "energy",
        "workload": "plan?fields=4",
        "operation": "loads",
        "contender": "json",
        "factors": {},
        "meters": ["perf:package", "nothing:here"],
        "calibration": None,
        "rest": 2.0,  # longer than a program needs to start on a loaded machine
    }
    answer = Launcher(path=(str(example),))(request)
    assert answer["status"] == "ok", answer
    (gross,) = answer["values"]["energy:measured:gross:perf:package"]
    reading, missing = answer["meters"]
    assert gross > 0
    assert reading["gross"] == gross
    assert missing["flags"] == [
        "failed: meter nothing:here: expected one of its source, found no plug-in of "
        "that name"
    ]


def test_a_program_of_a_plug_in_ends_with_its_session(example):
    session = meters.find("perf:package").open()
    session.start()
    session.close()
    assert session.process.poll() is not None


@pytest.mark.parametrize(
    ("point", "text", "said"),
    [
        ("bad", "raise OSError('no such device')", "OSError: no such device"),
        ("bad", "meters = None", "TypeError"),
        ("model", "NAME, QUALITY = 'model:x', 'measured'", "found the built-in"),
        ("bad", "NAME, QUALITY = 'good:x', 'measured'", "begins with 'bad:'"),
        ("bad", "NAME, QUALITY = 'bad:x', 'guessed'", "measured or estimated"),
    ],
)
def test_a_plug_in_that_breaks_a_rule_is_named(
    tmp_path, monkeypatch, point, text, said
):
    module = f"bad_{tmp_path.name}"
    text += (
        "\nclass Meter:\n    name, quality = globals().get('NAME'), "
        "globals().get('QUALITY')\n"
    )
    text += "\nmeters = globals().get('meters', lambda: [Meter()])\n" * (
        "meters" not in text
    )
    distribution(tmp_path, "bad", {point: f"{module}:meters"}, {module: text})
    monkeypatch.syspath_prepend(tmp_path)
    reasons = [state.reason for _, state in meters.available()]
    assert any(said in reason and module in reason for reason in reasons), reasons
    # The other meters are still there.
    assert len(reasons) >= 3


def test_a_probe_that_raises_is_named(monkeypatch):
    def probe(_self):
        raise ZeroDivisionError("once")

    monkeypatch.setattr(base.Unusable, "probe", probe)
    states = [state for _, state in meters.available()]
    assert {state.reason for state in states} == {
        "its probe failed: ZeroDivisionError: once"
    }
