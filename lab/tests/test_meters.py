"""The built-in energy meters, and blocks of work between two rests.

The trees are like those of sysfs; none of this was tried on a machine that has one.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from snooze_lab import meters
from snooze_lab.energy import calibration, command
from snooze_lab.meters import base, block, sources

SPAN = 262_143_328_850


def zone(root, name, kind, joules, span=SPAN):
    path = root / name
    path.mkdir(parents=True, exist_ok=True)
    (path / "name").write_text(f"{kind}\n")
    (path / "energy_uj").write_text(f"{int(joules * 1e6)}\n")
    (path / "max_energy_range_uj").write_text(f"{span}\n")
    return path


@pytest.fixture
def tree(tmp_path):
    root = tmp_path / "powercap"
    zone(root, "intel-rapl:0", "package-0", 100)
    zone(root, "intel-rapl:0:0", "core", 60)
    zone(root, "intel-rapl:0:1", "dram", 10)
    zone(root, "intel-rapl:1", "psys", 300)
    (root / "intel-rapl").mkdir()
    return root


def put(root, name, joules):
    (root / name / "energy_uj").write_text(f"{int(joules * 1e6)}\n")


def zones(root, cpuinfo="flags : fpu sse"):
    (root.parent / "cpuinfo").write_text(f"processor : 0\n{cpuinfo}\n")
    return sources.zones(root, root.parent / "cpuinfo")


def test_zones_of_the_tree(tree):
    found = {meter.name: meter for meter in zones(tree)}
    assert {name: meter.scope for name, meter in found.items()} == {
        "powercap:package-0": "package",
        "powercap:package-0/core": "package",
        "powercap:package-0/dram": "package",
        "powercap:psys": "machine",
    }
    assert all(
        meter.probe().ok and meter.quality == "measured" for meter in found.values()
    )


def test_joules_of_windows_and_of_a_wrap(tree):
    session = zones(tree)[0].open()
    session.start()
    put(tree, "intel-rapl:0", 112.5)
    reading = session.stop()
    assert reading.joules == pytest.approx(12.5)
    assert reading.seconds > 0
    assert reading.flags == frozenset()
    put(tree, "intel-rapl:0", SPAN / 1e6 - 5)
    session.start()
    put(tree, "intel-rapl:0", 3)
    assert session.stop().joules == pytest.approx(8)
    session.close()


def test_a_counter_that_stands_still_gives_no_zero(tree):
    session = zones(tree)[0].open()
    session.start()
    with pytest.raises(base.MeterError, match="stands still"):
        session.stop()


def test_a_guests_joules_are_attributed_by_the_host(tree):
    meter = zones(tree, "flags : fpu hypervisor sse")[0]
    assert "host" in meter.probe().reason
    session = meter.open()
    session.start()
    put(tree, "intel-rapl:0", 101)
    assert sources.BY_HOST in session.stop().flags


def test_no_tree_and_empty_tree_say_why(tmp_path):
    (meter,) = zones(tmp_path / "none")
    assert "does not exist" in meter.probe().reason
    with pytest.raises(base.MeterError, match="does not exist"):
        meter.open()
    (tmp_path / "none").mkdir()
    (meter,) = zones(tmp_path / "none")
    assert "modprobe" in meter.probe().command
    with pytest.raises(base.MeterError, match="try: sudo modprobe"):
        meter.open()


def test_counter_that_may_not_be_read_names_the_command(tree, monkeypatch):
    """Root reads everything, so the refusal is played."""
    meter = zones(tree)[0]

    def refused(self):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(sources.Zone, "microjoules", refused)
    found = meter.probe()
    assert "root only" in found.reason
    assert found.command == f"sudo chmod a+r {tree}/*/energy_uj"
    with pytest.raises(base.MeterError, match="chmod a\\+r"):
        meter.open()


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("energy_uj", ""),
        ("energy_uj", "many\n"),
        ("max_energy_range_uj", "0\n"),
    ],
)
def test_counter_that_is_no_number(tree, file, text):
    (tree / "intel-rapl:0" / file).write_text(text)
    meter = zones(tree)[0]
    assert "cannot be read" in meter.probe().reason
    with pytest.raises(base.MeterError, match="energy_uj"):
        meter.open()


def test_counter_that_disappears_in_a_window(tree):
    session = zones(tree)[0].open()
    session.start()
    (tree / "intel-rapl:0" / "energy_uj").unlink()
    with pytest.raises(base.MeterError, match="expected a count"):
        session.stop()


@pytest.mark.parametrize("elsewhere", [True, False])
def test_the_model_estimates_with_its_band(elsewhere):
    found = base.Coefficients(10.0, 5.0, 0.98, 1.03, elsewhere)
    meter = sources.model(found)
    assert meter.probe().ok
    assert meter.quality == "estimated"
    session = meter.open()
    session.start()
    sum(range(2_000_000))
    reading = session.stop()
    cpu = (reading.joules - 10 * reading.seconds) / 5
    assert 0 < cpu <= reading.seconds * 1.1
    low, high = reading.band
    assert low == pytest.approx(0.98 * reading.joules)
    assert high == pytest.approx(1.03 * reading.joules)
    assert reading.flags == ({sources.ELSEWHERE} if elsewhere else frozenset())


def test_the_model_without_a_file_does_not_work():
    meter = meters.find("model:package")
    assert "calibrate" in meter.probe().command
    assert meter.quality == "estimated"
    with pytest.raises(base.MeterError, match="calibration file"):
        meter.open()


def test_unknown_meters_name_those_there_are():
    with pytest.raises(base.MeterError, match="found model:package"):
        meters.find("model:core")


def test_the_worker_imports_the_standard_library_only():
    program = (
        "import sys; from snooze_lab.meters import block\n"
        "loaded = {name.partition('.')[0] for name in sys.modules}\n"
        "print(*sorted(loaded - set(sys.stdlib_module_names) - {'__main__'}))\n"
    )
    source = Path(base.__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-S", "-c", program],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(source)},
        check=True,
    )
    assert done.stdout.split() == ["snooze_lab"]


# Calibration with a meter of this machine: what it reads is planted.


class Bench:
    """A meter whose joules are planted: 20 W, and 5 W for each busy child."""

    name = "bench:package"
    scope = "package"
    quality = "measured"

    def probe(self):
        return base.Availability(ok=True, reason="made up")

    def open(self):
        return self

    def start(self):
        self.began, self.cpu = sources.time.perf_counter(), _children()

    def stop(self):
        cpu = _children() - self.cpu
        seconds = sources.time.perf_counter() - self.began
        return base.Reading(20 * seconds + 5 * cpu, seconds)

    def close(self):
        pass


def _children():
    """The CPU seconds of this process's running children."""
    total = 0.0
    for task in Path("/proc/self/task").iterdir():
        pids = (task / "children").read_text().split()
        total += sum(command._cpu(int(pid)) for pid in pids)
    return total


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="reads /proc of Linux")
def test_live_calibration_recovers_what_was_planted(monkeypatch, tmp_path):
    found = command.live([Bench()], seconds=0.15, repeats=5, levels=[1])
    assert found.n == 5
    assert found.idle_watts == pytest.approx(20, rel=0.01)
    assert found.watts_per_busy_core == pytest.approx(5, rel=0.3)
    monkeypatch.setattr(command.meters, "working", lambda _context: [Bench()])
    monkeypatch.setattr(command, "live", lambda _meters: found)
    path = tmp_path / "calibration.toml"
    lines = command.calibrate(None, path, [])
    assert "windows of live, bench:package" in lines[0]
    written = calibration.load(path)
    assert written.model == found
    assert written.origin.quality == "measured"
    assert not written.coefficients.elsewhere


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="reads /proc of Linux")
def test_a_machine_of_two_sockets_is_calibrated_as_a_whole(monkeypatch, tmp_path):
    found = command.live([Bench(), Bench()], seconds=0.15, repeats=5, levels=[1])
    assert found.idle_watts == pytest.approx(40, rel=0.01)
    names = ["psys", "package-0", "package-0/core", "package-1"]
    zones = [sources.Zone(tmp_path, f"powercap:{name}") for name in names]
    monkeypatch.setattr(command.meters, "working", lambda _context: zones)
    asked = []
    monkeypatch.setattr(command, "live", lambda meters: asked.extend(meters) or found)
    command.calibrate(None, tmp_path / "calibration.toml", [])
    assert asked == [zones[1], zones[3]]


# A block of work between two rests.


class Made:
    """A meter with its own clock: `idle` W at rest, 30 W more while `work` runs."""

    name = "made:package"
    scope = "package"
    quality = "measured"

    def __init__(self, monkeypatch, idle=(10.0, 10.0)):
        self.now = 0.0
        self.joules = 0.0
        self.idle = list(idle)
        self.calls = []
        monkeypatch.setattr(block.time, "sleep", lambda seconds: self.pass_(seconds))

    def pass_(self, seconds, extra=0.0):
        level = self.idle[min(len(self.calls), len(self.idle) - 1)]
        self.now += seconds
        self.joules += (level + extra) * seconds

    def work(self, operations):
        self.pass_(0.01 * operations, 30.0)
        self.calls.append(operations)

    def open(self):
        return self

    def start(self):
        self.mark = self.now, self.joules

    def stop(self):
        seconds = self.now - self.mark[0]
        return base.Reading(self.joules - self.mark[1], seconds)

    def close(self):
        self.open = None


def test_block_is_repeated_until_it_is_long_enough(monkeypatch):
    made = Made(monkeypatch)
    found = block.measure(made, made.work, operations=1)
    assert made.calls[0] == 1
    assert found["seconds"] >= 1
    assert found["operations"] == made.calls[-1]
    assert found["gross"] == pytest.approx(0.4)
    assert found["net"] == pytest.approx(0.3)
    assert found["drift"] < 1e-6
    line = json.loads(json.dumps(found))
    assert (line["quality"], line["flags"]) == ("measured", [])
    assert made.open is None


def test_block_flags_idle_drift(monkeypatch):
    made = Made(monkeypatch, idle=(10.0, 14.0))
    found = block.measure(made, made.work, operations=200)
    assert found["drift"] == pytest.approx(4 / 12)
    assert found["flags"] == [block.IDLE_DRIFT]
    assert found["net"] == pytest.approx((2 * 40 - 2 * 12) / 200)


def test_block_below_rest_cannot_be_true(monkeypatch):
    made = Made(monkeypatch)
    found = block.measure(made, lambda n: made.pass_(0.01 * n, -5.0), operations=200)
    assert found["flags"] == [block.BELOW_IDLE]


def test_block_that_stays_short_is_flagged(monkeypatch):
    made = Made(monkeypatch)
    found = block.measure(made, lambda _n: made.pass_(1e-6))
    assert block.TOO_SHORT in found["flags"]


def test_a_meter_that_fails_gives_a_flag_and_no_figure(monkeypatch):
    made = Made(monkeypatch)

    def broken():
        raise base.MeterError("the counter is gone")

    monkeypatch.setattr(made, "stop", broken)
    monkeypatch.setattr(block.meters, "find", lambda _name, _coefficients: made)
    values, readings = block.blocks({"meters": ["made:package"]}, lambda: None)
    assert values == {}
    assert readings == [
        {"meter": "made:package", "flags": ["failed: the counter is gone"]}
    ]
    assert made.open is None
