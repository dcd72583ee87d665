"""Energy meters against made-up hardware.

Trees like sysfs, and programs that print the real output. None of this was tried
on a machine that has the real thing.
"""

from __future__ import annotations

import os
import shutil
import stat
import sys
import time
from pathlib import Path

import pytest

from snooze_lab.energy import series
from snooze_lab.meters import (
    apple,
    base,
    callgrind,
    energibridge,
    perf_energy,
    powercap,
)

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


def test_zones_of_the_tree(tree):
    found = {
        meter.name: meter for meter in powercap.meters(base.RunContext(powercap=tree))
    }
    assert list(found) == [
        "powercap:package-0",
        "powercap:package-0/core",
        "powercap:package-0/dram",
        "powercap:psys",
    ]
    assert found["powercap:psys"].scope == "machine"
    assert found["powercap:package-0/dram"].scope == "package"
    assert all(
        meter.probe().ok and meter.quality == "measured" for meter in found.values()
    )


def test_joules_of_a_window(tree):
    context = base.RunContext(powercap=tree)
    (meter, *_) = powercap.zones(context)
    with meter.open(context) as session:
        mark = session.start()
        put(tree, "intel-rapl:0", 112.5)
        reading = session.stop(mark)
        again = session.stop(session.start())
    assert reading.value == pytest.approx(12.5)
    assert (reading.unit, reading.wrapped, reading.resolution) == ("J", 0, 1e-6)
    assert base.TOO_SHORT in reading.flags
    assert base.BY_HOST not in reading.flags
    assert again.value == 0


def test_wrap_is_counted_by_the_zones_own_range(tree):
    context = base.RunContext(powercap=tree)
    (meter, *_) = powercap.zones(context)
    put(tree, "intel-rapl:0", SPAN / 1e6 - 5)
    with meter.open(context) as session:
        first = session.start()
        put(tree, "intel-rapl:0", 3)
        reading = session.stop(first)
        put(tree, "intel-rapl:0", 10)
        whole = session.stop(first)
    assert reading.value == pytest.approx(8)
    assert reading.wrapped == 1
    assert whole.value == pytest.approx(15)
    assert whole.wrapped == 1


def test_sampling_thread_counts_updates_and_catches_every_wrap(tmp_path):
    root = tmp_path / "powercap"
    zone(root, "intel-rapl:0", "package-0", 0, span=10_000_000)
    context = base.RunContext(powercap=root, sampling=0.002)
    (meter,) = powercap.zones(context)
    with meter.open(context) as session:
        mark = session.start()
        total = 0.0
        for _ in range(8):
            total += 4
            path = root / "new"
            path.write_text(f"{int(total * 1e6) % 10_000_000}\n")
            path.replace(root / "intel-rapl:0" / "energy_uj")
            end = time.monotonic() + 5
            while session._count.updates * 4 < total and time.monotonic() < end:
                time.sleep(0.002)
        reading = session.stop(mark)
    assert reading.value == pytest.approx(32)
    assert reading.wrapped == 3
    assert reading.updates == 8
    assert base.ESTIMATED_UPDATES not in reading.flags


def test_sampling_records_a_series_that_can_be_imported(tmp_path):
    root = tmp_path / "powercap"
    zone(root, "intel-rapl:0", "package-0", 5)
    zone(root, "intel-rapl:1", "psys", 5)
    context = base.RunContext(
        powercap=root, sampling=0.01, directory=tmp_path / "energy"
    )
    for meter in powercap.zones(context):
        with meter.open(context) as session:
            mark = session.start()
            time.sleep(0.15)
            new = root / "new"
            new.write_text("7500000\n")
            new.replace(meter.path / "energy_uj")
            time.sleep(0.15)
            session.stop(mark)
    (path,) = (tmp_path / "energy").iterdir()
    assert path.name.startswith("package-0-")
    found = series.read(path)
    assert found.joules() == pytest.approx(2.5)
    assert 0.05 < found.duration < 5


def test_guest_is_flagged_as_attributed_by_the_host(tree):
    context = base.RunContext(powercap=tree, guest=True)
    (meter, *_) = powercap.zones(context)
    assert "host" in meter.probe().reason
    with meter.open(context) as session:
        assert base.BY_HOST in session.stop(session.start()).flags


def test_no_tree_and_empty_tree_say_why(tmp_path):
    context = base.RunContext(powercap=tmp_path / "none")
    (meter,) = powercap.meters(context)
    assert "does not exist" in meter.probe().reason
    with pytest.raises(base.MeterError, match="found none"):
        meter.open(context)
    (tmp_path / "none").mkdir()
    assert "modprobe" in meter.probe().command


def test_counter_that_may_not_be_read_names_the_command(tree, monkeypatch):
    """Root reads everything, so the refusal is played."""
    context = base.RunContext(powercap=tree)
    (meter, *_) = powercap.zones(context)

    def refused(self):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(powercap.Zone, "microjoules", refused)
    found = meter.probe()
    assert not found.ok
    assert "root only" in found.reason
    assert found.command == f"sudo chmod a+r {tree}/*/energy_uj"
    with pytest.raises(base.MeterError, match="chmod a\\+r"):
        meter.open(context)


@pytest.mark.parametrize("text", ["", "many\n"])
def test_counter_that_is_no_number(tree, text):
    (tree / "intel-rapl:0" / "energy_uj").write_text(text)
    context = base.RunContext(powercap=tree)
    (meter, *_) = powercap.zones(context)
    assert not meter.probe().ok
    with pytest.raises(base.MeterError, match="energy_uj"):
        meter.open(context)


def test_counter_that_disappears_in_a_window(tree):
    context = base.RunContext(powercap=tree)
    (meter, *_) = powercap.zones(context)
    with meter.open(context) as session:
        mark = session.start()
        (tree / "intel-rapl:0" / "energy_uj").unlink()
        with pytest.raises(base.MeterError, match="expected a count"):
            session.stop(mark)


# Programs.


def program(folder, name, text):
    """A program that Python runs.

    Interrupts are ignored until its text says otherwise: else Python would take them
    before its first line, which the real programs do not.
    """
    script = folder / f"{name}.py"
    script.write_text(text)
    path = folder / name
    path.write_text(f"#!/bin/sh\ntrap '' INT\nexec {sys.executable} {script} \"$@\"\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return {name: str(path)}


PERF = """
import signal, sys, time
out = sys.argv[sys.argv.index("-o") + 1]
event = sys.argv[sys.argv.index("-e") + 1]
assert sys.argv[1:3] == ["stat", "-a"] and "-x," in sys.argv
ended = []
signal.signal(signal.SIGINT, lambda *_: ended.append(1))
began = time.monotonic()
while not ended and "--" not in sys.argv:
    time.sleep(0.002)
ns = int((time.monotonic() - began) * 1e9)
with open(out, "a") as file:
    file.write("# started on Sat Nov 21\\n\\n")
    file.write(LINE.format(event=event, ns=ns) + "\\n")
"""


def perf(folder, line):
    return base.RunContext(programs=program(folder, "perf", f"LINE = {line!r}\n{PERF}"))


def test_perf_counts_over_a_window(tmp_path):
    context = perf(tmp_path, "42.50,Joules,{event},{ns},100.00,,")
    meter = perf_energy.Perf("package", context)
    assert meter.probe() == base.Availability(
        ok=True, reason=f"{context.programs['perf']}, power/energy-pkg/"
    )
    with meter.open(context) as session:
        mark = session.start()
        time.sleep(0.3)
        reading = session.stop(mark)
    assert (reading.meter, reading.value, reading.unit) == ("perf:package", 42.5, "J")
    assert base.TOO_SHORT in reading.flags


def test_perf_that_counted_another_time_is_flagged(tmp_path):
    context = perf(tmp_path, "42.50,Joules,{event},1000,100.00,,")
    with perf_energy.Perf("package", context).open(context) as session:
        reading = session.stop(session.start())
    assert perf_energy.SKEWED in reading.flags


def test_perf_adds_up_the_times_of_several_packages():
    assert not perf_energy.skewed(2.41, 1.2)
    assert not perf_energy.skewed(1.19, 1.2)
    assert perf_energy.skewed(1.0, 1.2)
    assert perf_energy.skewed(1.9, 1.2)
    assert perf_energy.skewed(0.0, 1.2)


def test_perf_without_the_hardware(tmp_path):
    context = perf(tmp_path, "<not supported>,Joules,{event},0,100.00,,")
    meter = perf_energy.Perf("package", context)
    assert "does not count" in meter.probe().reason
    with (
        meter.open(context) as session,
        pytest.raises(base.MeterError, match="not supported"),
    ):
        session.stop(session.start())


def test_perf_that_may_not_count(tmp_path):
    text = "import sys\nsys.exit('Access limited. Consider perf_event_paranoid setting to -1')"
    context = base.RunContext(programs=program(tmp_path, "perf", text))
    meter = perf_energy.Perf("package", context)
    assert meter.probe().command == "sudo sysctl kernel.perf_event_paranoid=-1"
    with (
        meter.open(context) as session,
        pytest.raises(base.MeterError, match="paranoid"),
    ):
        session.stop(session.start())


def test_absent_program_names_the_package():
    context = base.RunContext(programs={"perf": "no-such-program-here"})
    found = perf_energy.Perf("package", context).probe()
    assert not found.ok
    assert "apt install" in found.command
    with (
        perf_energy.Perf("package", context).open(context) as session,
        pytest.raises(base.MeterError, match="cannot start"),
    ):
        session.start()


def test_perf_output_is_parsed_by_event():
    text = "# x\n\n1.5,Joules,power/energy-ram/,5,1,,\n2.5,Joules,power/energy-pkg/,7000000000,1,,\n"
    assert perf_energy.parse(text, "power/energy-pkg/") == perf_energy.Count(2.5, 7.0)
    with pytest.raises(base.MeterError, match="expected a line"):
        perf_energy.parse(text, "power/energy-psys/")


BRIDGE = """
import signal, subprocess, sys, time
out = sys.argv[sys.argv.index("--output") + 1]
child = subprocess.Popen(sys.argv[sys.argv.index("--") + 1 :])
ended = []
signal.signal(signal.SIGINT, lambda *_: ended.append(1))
joules = 1000.0
with open(out, "w") as file:
    file.write("Delta,Time,CORE0_ENERGY (J),{column},USED_SWAP\\n")
    while True:
        file.write(f"20,{{time.time() * 1000:.0f}},{{-joules}},{{joules}},0\\n")
        if ended or child.poll() is not None:
            break
        time.sleep(0.02)
        joules += 0.5
if ended:
    child.kill()
child.wait()
sys.exit(1 if ended else child.returncode)
"""


def bridge(folder, column="PACKAGE_ENERGY (J)", directory=None):
    text = BRIDGE.format(column=column)
    return base.RunContext(
        programs=program(folder, "energibridge", text), directory=directory
    )


def test_energibridge_beside_a_window(tmp_path):
    context = bridge(tmp_path, directory=tmp_path / "energy")
    meter = energibridge.EnergiBridge(context)
    assert meter.probe().ok
    with meter.open(context) as session:
        mark = session.start()
        time.sleep(0.5)
        reading = session.stop(mark)
    assert reading.value == 0.5 * reading.updates
    assert 1 <= reading.updates <= 40
    assert mark.t_ns - 1e9 < reading.t0_ns < reading.t1_ns < base.now() + 1e9
    assert base.TOO_SHORT in reading.flags
    assert [path.name for path in (tmp_path / "energy").iterdir()] == [
        "energibridge-0001.csv"
    ]


def test_energibridge_around_a_child(tmp_path):
    context = bridge(tmp_path)
    with energibridge.EnergiBridge(context).open(context) as session:
        child = [
            sys.executable,
            "-c",
            "import time; time.sleep(0.3); raise SystemExit(3)",
        ]
        code, reading = session.around(child)
        folder = session.folder.path
        assert folder.is_dir()
    assert code == 3
    assert reading.value > 0
    assert reading.quality == "measured"
    assert not folder.exists()


def test_energibridge_that_writes_no_joules(tmp_path):
    context = bridge(tmp_path, column="CPU_USAGE_0")
    meter = energibridge.EnergiBridge(context)
    assert "wrote no joules" in meter.probe().reason
    assert "setcap" in meter.probe().command
    with (
        meter.open(context) as session,
        pytest.raises(base.MeterError, match="joules or watts"),
    ):
        session.stop(session.start())


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="reads /proc of Linux")
def test_program_does_not_outlive_a_window_that_failed(tmp_path):
    context = bridge(tmp_path)
    meter = energibridge.EnergiBridge(context)
    with pytest.raises(ZeroDivisionError), meter.open(context) as session:
        mark = session.start()
        pid = mark.raw[0]._process.pid
        raise ZeroDivisionError
    assert mark.raw[0]._process.poll() is not None
    end = time.monotonic() + 2
    while _alive(pid) and time.monotonic() < end:
        time.sleep(0.01)
    assert _alive(pid) == []


def _alive(group):
    """The running processes of a group, without zombies."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            with open(entry / "stat", errors="replace") as file:
                state, _, of = file.read().rpartition(")")[2].split()[:3]
        except OSError:
            continue
        if int(of) == group and state not in "ZX":
            found.append(entry.name)
    return found


POWERMETRICS = """Machine model: Mac14,3
*** Sampled system activity (Sat Nov 21 10:00:00 2026 +0100) (200.00ms elapsed) ***

**** Processor usage ****
CPU 0 frequency: 1206 MHz
CPU Power: 5000 mW
GPU Power: 42 mW
Combined Power (CPU + GPU + ANE): 5042 mW

*** Sampled system activity (Sat Nov 21 10:00:00 2026 +0100) (300.00ms elapsed) ***

**** Processor usage ****
CPU Power: 10000 mW
"""


def test_powermetrics_output_is_parsed():
    assert apple.parse(POWERMETRICS) == [
        apple.Sample(0.2, 5.0),
        apple.Sample(0.3, 10.0),
    ]
    intel = (
        "*** Sampled system activity (x) (1000.00ms elapsed) ***\n"
        "Intel energy model derived package power (CPUs+GT+SA): 1.50W\n"
    )
    assert apple.parse(intel) == [apple.Sample(1.0, 1.5)]
    assert apple.parse("nothing") == []


def test_powermetrics_over_a_window(tmp_path):
    text = (
        "import signal, sys, time\nended = []\n"
        "signal.signal(signal.SIGINT, lambda *_: ended.append(1))\n"
        f"print({POWERMETRICS!r}, flush=True)\n"
        "while not ended: time.sleep(0.002)\n"
    )
    context = base.RunContext(programs=program(tmp_path, "powermetrics", text))
    meter = apple.Powermetrics(context, platform="darwin")
    assert meter.probe().ok == (os.geteuid() == 0)
    assert not apple.Powermetrics(context, platform="linux").probe().ok
    with meter.open(context) as session:
        mark = session.start()
        time.sleep(0.2)
        reading = session.stop(mark)
    assert reading.value == pytest.approx(0.2 * 5 + 0.3 * 10)
    assert reading.seconds == pytest.approx(0.5)
    assert reading.updates == 2
    assert base.TOO_SHORT in reading.flags


CALLGRIND = """
import subprocess, sys
option = next(one for one in sys.argv if one.startswith("--callgrind-out-file="))
n = int(sys.argv[-1])
if n > 100:
    sys.exit("no")
with open(option.partition("=")[2], "w") as file:
    file.write(f"version: 1\\nsummary: {1_000_000 + 250 * n}\\n")
"""


def test_instructions_of_one_operation(tmp_path):
    tool = callgrind.Callgrind.at(
        base.RunContext(programs=program(tmp_path, "valgrind", CALLGRIND))
    )
    reading = tool.per_operation(lambda n: ["program", str(n)], 5, 25)
    assert reading.value == 250
    assert (reading.unit, reading.quality) == ("count", "simulated")
    with pytest.raises(base.MeterError, match="to end with 0"):
        tool.per_operation(lambda n: ["program", str(n)], 1, 101)
    with pytest.raises(base.MeterError, match="more instructions"):
        tool.per_operation(lambda n: ["program", str(100 - n)], 1, 2)
    with pytest.raises(ValueError, match="n1 < n2"):
        tool.per_operation(lambda n: ["program", str(n)], 3, 3)


@pytest.mark.skipif(not shutil.which("valgrind"), reason="valgrind is not installed")
def test_real_callgrind_counts_more_for_more_work():
    tool = callgrind.Callgrind()
    assert tool.probe().ok
    reading = tool.per_operation(lambda n: ["/bin/echo", "x" * (1 + 2_000 * n)], 1, 3)
    assert reading.value > 0
