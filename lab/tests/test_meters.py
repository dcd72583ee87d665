"""Meters that work everywhere: the clock, rusage, memory, the collector, the model."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from snooze_lab import meters
from snooze_lab.meters import base, clock, collector, memory, model, rusage

HERE = base.RunContext()
linux = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="reads /proc of Linux"
)


def window(meter, work=lambda: None, context=HERE):
    """The reading of a meter over some work."""
    with meter.open(context) as session:
        mark = session.start()
        kept = work()
        reading = session.stop(mark)
    del kept
    return reading


def test_every_instrument_says_what_it_is():
    found = meters.available(HERE)
    names = [instrument.name for instrument, _ in found]
    assert len(names) == len(set(names))
    assert {
        "clock",
        "rusage:user",
        "memory:peak",
        "gc:seconds",
        "model:package",
    } <= set(names)
    for instrument, availability in found:
        assert instrument.quality in base.QUALITIES
        assert instrument.unit in {"J", "s", "count", "B"}
        assert instrument.scope in {"process", "package", "machine"}
        assert availability.reason


def test_meters_are_found_by_name():
    assert meters.find("clock", HERE).name == "clock"
    with pytest.raises(base.MeterError, match="expected one of"):
        meters.find("ammeter", HERE)


def test_worker_loads_only_the_backends_it_asks_for():
    """Standard library only, and one backend does not bring the others."""
    program = (
        "import sys; from snooze_lab.meters import clock, rusage, memory, collector\n"
        "loaded = {name.partition('.')[0] for name in sys.modules}\n"
        "print(*sorted(loaded - set(sys.stdlib_module_names) - {'__main__'}))\n"
        "print(*sorted(n for n in sys.modules if n.startswith('snooze_lab.')))\n"
    )
    source = Path(base.__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-S", "-c", program],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(source)},
        check=True,
    )
    outside, inside = done.stdout.splitlines()
    assert outside == "snooze_lab"
    assert "snooze_lab.meters.powercap" not in inside
    assert "snooze_lab.meters.background" not in inside


def test_reading_goes_to_json_and_back():
    reading = window(clock.Clock())
    found = json.loads(json.dumps(reading.as_json()))
    assert found["meter"] == "clock"
    assert found["quality"] == "measured"
    assert found["flags"] == []
    assert found["t1_ns"] - found["t0_ns"] == reading.t1_ns - reading.t0_ns


def test_clock_counts_the_window():
    reading = window(clock.Clock(), lambda: sum(range(200_000)))
    assert reading.value == reading.seconds
    assert reading.value > 0
    assert reading.unit == "s"


def test_rusage_counts_processor_time():
    before = rusage.usage()
    reading = window(rusage.Rusage("user"), lambda: sum(range(3_000_000)))
    after = rusage.usage() - before
    assert 0 < reading.value <= after.user + 1e-9
    assert after.minflt >= 0


def test_rusage_counts_page_faults():
    fresh = 300 * os.sysconf("SC_PAGESIZE") * 16
    reading = window(rusage.Rusage("minflt"), lambda: bytearray(os.urandom(1) * fresh))
    assert reading.value >= 1
    assert reading.unit == "count"


def test_rusage_of_children_is_not_ours():
    context = base.RunContext(children=True)
    idle = window(rusage.Rusage("user"), lambda: sum(range(3_000_000)), context)
    assert idle.value == 0

    def child():
        subprocess.run([sys.executable, "-c", "sum(range(3_000_000))"], check=True)

    assert window(rusage.Rusage("user"), child, context).value > 0


@linux
def test_peak_is_that_of_the_window():
    if not memory.reset_peak():
        pytest.skip("clear_refs may not be written here")
    big = bytearray(b"x" * (64 << 20))
    del big
    low = window(memory.Resident("peak"))
    high = window(memory.Resident("peak"), lambda: bytearray(b"x" * (32 << 20)))
    assert low.flags == high.flags == frozenset()
    assert high.value - low.value > 24 << 20
    assert low.value < memory.resident() + (48 << 20)


@linux
def test_resident_before_and_after():
    base_reading = window(memory.Resident("base"), lambda: bytearray(b"x" * (32 << 20)))
    after_reading = window(
        memory.Resident("after"), lambda: bytearray(b"x" * (32 << 20))
    )
    assert after_reading.value - base_reading.value > 24 << 20


def proc(tmp_path, files):
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="ascii")
    return tmp_path


def test_peak_without_reset_says_so(tmp_path):
    """No clear_refs and no VmHWM: the process's highest size ever is all there is."""
    meter = memory.Resident("peak", tmp_path)
    assert "cannot be reset" in meter.probe().reason
    reading = window(meter, context=base.RunContext(proc=tmp_path))
    assert base.SINCE_START in reading.flags
    assert reading.value > 1 << 20


def test_peak_is_read_from_the_status(tmp_path):
    found = proc(
        tmp_path,
        {
            "self/status": "Name:\tx\nVmHWM:\t   2048 kB\nVmRSS:\t 1024 kB\n",
            "self/clear_refs": "",
        },
    )
    reading = window(memory.Resident("peak"), context=base.RunContext(proc=found))
    assert reading.value == 2048 * 1024
    assert reading.flags == frozenset()
    assert (found / "self/clear_refs").read_text() == "5"
    assert memory.resident(found) == 1024 * 1024


def test_pressure_and_swapping_are_differences(tmp_path):
    def counts(stalled, pages):
        proc(
            tmp_path,
            {
                "pressure/memory": f"some avg10=0.00 avg60=0.00 total={stalled}\nfull total=1\n",
                "vmstat": f"nr_free_pages 5\npswpin {pages}\npswpout {2 * pages}\n",
            },
        )

    counts(1_000, 10)
    context = base.RunContext(proc=tmp_path)
    for meter, value in (
        (memory.Machine("psi", "memory", tmp_path), 0.5),
        (memory.Machine("swap", "in", tmp_path), 7),
        (memory.Machine("swap", "out", tmp_path), 14),
    ):
        counts(1_000, 10)
        reading = window(meter, lambda: counts(501_000, 17), context)
        assert reading.value == pytest.approx(value)
        assert reading.scope == "machine"


def test_missing_counts_are_not_available(tmp_path):
    for meter in memory.meters(base.RunContext(proc=tmp_path)):
        if meter.name != "memory:peak":
            assert not meter.probe().ok, meter.name
    with pytest.raises(base.MeterError, match="leave this meter out"):
        window(memory.Machine("swap", "in"), context=base.RunContext(proc=tmp_path))


def test_collections_are_counted_and_timed():
    gc.collect()

    def work():
        for _ in range(3):
            gc.collect()

    with collector.Watch() as watch:
        work()
    assert watch.collections[2] == 3
    assert watch.seconds > 0
    assert watch not in gc.callbacks
    assert window(collector.Collector("collections"), work).value == 3
    assert window(collector.Collector("seconds"), work).value > 0


def test_no_collection_no_seconds():
    gc.disable()
    try:
        assert (
            window(
                collector.Collector("seconds"), lambda: [[] for _ in range(5_000)]
            ).value
            == 0
        )
    finally:
        gc.enable()


# The power model.

GOOD = """format = 1
[origin]
data = "made up"
quality = "imported"
machine = "none"
date = "2026-11-21"
[model]
idle_watts = 10.0
watts_per_busy_core = 5
band_low = 0.98
band_high = 1.03
n = 30
"""


def calibration(tmp_path, text=GOOD):
    path = tmp_path / "calibration.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_model_estimates_with_its_band(tmp_path):
    path = calibration(tmp_path)
    context = base.RunContext(calibration=path)
    meter = model.Model(path)
    assert meter.probe().ok
    assert "made up" in meter.probe().reason
    reading = window(meter, lambda: sum(range(2_000_000)), context)
    assert reading.quality == "estimated"
    assert reading.flags == {model.OTHER_MACHINE}
    assert reading.unit == "J"
    cpu = (reading.value - 10 * reading.seconds) / 5
    assert 0 < cpu <= reading.seconds * 1.1
    low, high = reading.band
    assert low == pytest.approx(0.98 * reading.value)
    assert high == pytest.approx(1.03 * reading.value)


def test_model_fitted_here_has_no_flag(tmp_path):
    path = calibration(tmp_path, GOOD.replace('"imported"', '"measured"'))
    assert window(model.Model(path)).flags == frozenset()


def test_model_without_a_file_is_not_available():
    meter = model.Model(None)
    assert not meter.probe().ok
    assert "calibrate" in meter.probe().command
    with pytest.raises(base.MeterError, match="calibration file"):
        meter.open(HERE)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("format = 1", "format = 2", "format = 1"),
        ("idle_watts = 10.0", "idle_watts = -1", "not below 0"),
        ("idle_watts = 10.0", "idle_watts = nan", "finite"),
        ("idle_watts = 10.0", "idle_watts = true", "a number"),
        ("band_low = 0.98", "band_low = 1.01", "band_low <= 1"),
        ('machine = "none"', "", "unknown origin"),
        ("n = 30", "", "model.n"),
        ('"imported"', '"estimated"', "measured or imported"),
        ("[model]", "[model", "TOML"),
    ],
)
def test_bad_calibrations_are_refused(tmp_path, old, new, said):
    path = calibration(tmp_path, GOOD.replace(old, new))
    with pytest.raises(model.CalibrationError, match=said):
        model.load(path)
    assert not model.Model(path).probe().ok
