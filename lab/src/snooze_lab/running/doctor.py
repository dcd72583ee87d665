"""What can be measured here, what is noisy, and what would enable more.

Separate because it inspects the machine and records nothing: each line is a fact found
now, with the command that would change it, if there is one. Used by cli.py.
"""

from __future__ import annotations

import os
import shutil
import statistics
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from snooze_lab import contenders, data, meters
from snooze_lab.machine import env, process
from snooze_lab.model import AGAIN
from snooze_lab.statistics import noise

if TYPE_CHECKING:
    from snooze_lab.worker.launch import Launcher

GOOD, NOTE, BAD = "ok", "note", "PROBLEM"
#: Programs besides Python that enable more.
PROGRAMS = {
    "valgrind": ("instruction counts (gate, callgrind)", "apt install valgrind"),
    "perf": ("profiles of cells (replay --tool perf)", "apt install linux-perf"),
    "npm": ("the documents of simdjson (data get simdjson)", "apt install npm"),
    "cargo": (
        "the native contenders of s004 in Rust",
        "see rustup, or apt install cargo",
    ),
    "g++": ("the native contenders of s004 in C++", "apt install g++"),
}


@dataclass(frozen=True)
class Finding:
    """One line: the topic, its state, and the remedy."""

    topic: str
    state: str
    text: str
    remedy: str = ""


def examine(launch: Launcher) -> list[Finding]:
    """Return all findings, the most important first."""
    record = env.record({})
    return [
        *_machine(record),
        *_noise(record["usable_processors"] or 1),
        *_readings(),
        *_meters(),
        *_contenders(launch),
        *_data(),
        *_programs(),
    ]


def _machine(record: dict[str, Any]) -> list[Finding]:
    found = [Finding("machine", GOOD, env.sentence(record))]
    if record["hypervisor"] == "yes":
        text = "a virtual machine: other guests are invisible; trust ratios, not times"
        found.append(Finding("machine", NOTE, text))
    governor = record["governor"]
    if governor and governor != "performance":
        remedy = "cpupower frequency-set -g performance"
        found.append(Finding("frequency", NOTE, f"governor {governor}", remedy))
    if record["battery"] and "Discharging" in record["battery"]:
        found.append(Finding("power", BAD, "running on battery", "plug it in"))
    swap = record["swap_bytes"]
    if swap:
        text = f"{swap / 1e9:.1f} GB of swap: large documents are refused before it"
        found.append(Finding("memory", NOTE, text))
    return found


def _noise(usable: int) -> list[Finding]:
    load = os.getloadavg()[0]
    busy = load > 0.5 * usable
    loaded = f"load {load:.1f} on {usable} processor{'' if usable == 1 else 's'}"
    remedy = "stop other work, or wait" if busy else ""
    spread = _jitter()
    state = GOOD if spread < 0.02 else NOTE if spread < 0.08 else BAD
    varied = f"the time of the same work varies by ±{100 * spread:.1f} %"
    clock = noise.clock_resolution()
    ticks = f"ticks of {clock.tick} ns; a reading takes at least {clock.smallest} ns"
    return [
        Finding("noise", BAD if busy else GOOD, loaded, remedy),
        Finding("noise", state, varied),
        Finding("clock", GOOD, ticks),
    ]


def _jitter() -> float:
    """Return half the interquartile range of repeated loops, relative to the median."""
    times = []
    for _ in range(41):
        start = time.perf_counter_ns()
        for _ in range(60_000):
            pass
        times.append(time.perf_counter_ns() - start)
    lower, _, upper = statistics.quantiles(times, n=4)
    return (upper - lower) / 2 / statistics.median(times)


def _readings() -> list[Finding]:
    """Return whether workers can read memory and pressure."""
    found = []
    try:
        process.reset_peak()
        process.peak()
        found.append(Finding("memory", GOOD, "the peak of a call can be measured"))
    except OSError as error:
        text = f"the peak of a call cannot be measured: {error}"
        found.append(Finding("memory", BAD, text, "use Linux"))
    with process.Watch() as watch:
        pass
    if "memory_some_us" in watch.fields()["psi"]:
        text = "waiting for memory and processors is recorded"
        found.append(Finding("pressure", GOOD, text))
    else:
        text = "waiting for memory and processors cannot be seen"
        found.append(Finding("pressure", NOTE, text, "boot Linux with psi=1"))
    return found


def _meters() -> list[Finding]:
    found = []
    for meter, availability in meters.available():
        state = GOOD if availability.ok else NOTE
        text = f"{meter.name} ({meter.quality}): "
        text += "available" if availability.ok else availability.reason
        found.append(Finding("meter", state, text, availability.command))
    return found


def _contenders(launch: Launcher) -> list[Finding]:
    known = contenders.libraries()
    names = [name for name in known if name != AGAIN]
    answer = launch({"task": "probe", "contenders": names})
    if "ready" not in answer:
        return [Finding("contenders", BAD, f"no worker: {answer.get('error')}")]
    ready = ", ".join(f"{name} {one}" for name, one in answer["ready"].items())
    found = [Finding("contenders", GOOD, ready)]
    for name, reason in answer["absent"].items():
        library = known[name]
        remedy = "" if library.unavailable else f"pip install {library.distribution}"
        found.append(Finding("contenders", NOTE, f"{name}: {reason}", remedy))
    return found


def _data() -> list[Finding]:
    found = []
    for group, missing in data.state().items():
        if missing:
            are = "is" if missing == 1 else "are"
            text = f"{group}: {missing} of its files {are} missing"
            remedy = f"snooze-lab data get {group}"
            found.append(Finding("data", NOTE, text, remedy))
        else:
            found.append(Finding("data", GOOD, f"{group}: complete"))
    return found


def _programs() -> list[Finding]:
    return [
        Finding("program", GOOD, f"{name}: {Path(where).name} is installed, for {what}")
        if (where := shutil.which(name))
        else Finding("program", NOTE, f"{name} is not installed: no {what}", remedy)
        for name, (what, remedy) in PROGRAMS.items()
    ]
