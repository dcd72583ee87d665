"""The record of the environment of a run: machine, system, Python and libraries.

Separate because figures of different machines must never be compared unnoticed: runs
are comparable if the entries in IDENTITY are equal. Unknown facts are null; each
library has its version and the SHA-256 of its compiled files.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import hashlib
import importlib.metadata
import importlib.util
import os
import platform
import re
import sys
import sysconfig
from pathlib import Path
from typing import Any

import snooze_lab
from snooze_lab import units
from snooze_lab.machine import microarchitecture, process

#: The entries of a record that must be equal for times to be comparable.
IDENTITY = (
    "processor",
    "microcode",
    "processors",
    "machine",
    "kernel",
    "hypervisor",
    "python",
    "python_build",
    "free_threaded",
    "allocator",
    "governor",
)
_CPU = "/sys/devices/system/cpu"
#: Entries that are the text of a file.
FILES = {
    "virtualization": "/sys/class/dmi/id/sys_vendor",
    "governor": f"{_CPU}/cpu0/cpufreq/scaling_governor",
    "frequency_khz": f"{_CPU}/cpu0/cpufreq/scaling_cur_freq",
    "boost": f"{_CPU}/cpufreq/boost",
    "smt": f"{_CPU}/smt/active",
    "clocksource": "/sys/devices/system/clocksource/clocksource0/current_clocksource",
    "aslr": "/proc/sys/kernel/randomize_va_space",
}


def record(libraries: dict[str, tuple[str, str]]) -> dict[str, Any]:
    """Return the environment record.

    `libraries` is (import name, distribution) by contender.
    """
    info = _cpuinfo()
    return {
        "date": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        "snooze_lab": snooze_lab.__version__,
        "processor": processor(),
        "microcode": info.get("microcode"),
        "cpu_flags": sorted((info.get("flags") or "").split()),
        "processors": os.cpu_count(),
        "usable_processors": _usable(),
        "machine": platform.machine(),
        "cache_bytes": caches(),
        "memory_bytes": process.meminfo("MemTotal"),
        "available_bytes": process.meminfo("MemAvailable"),
        "swap_bytes": process.meminfo("SwapTotal"),
        "hypervisor": "yes" if process.guest() else "no",
        **{name: _text(path) for name, path in FILES.items()},
        "transparent_huge_pages": _chosen(
            "/sys/kernel/mm/transparent_hugepage/enabled"
        ),
        "pressure": {kind: _pressure(kind) for kind in ("cpu", "memory", "io")},
        "load": list(os.getloadavg()) if hasattr(os, "getloadavg") else None,
        "kernel": f"{platform.system()} {platform.release()}",
        "system": _system(),
        "container_limits": {
            name: _text(f"/sys/fs/cgroup/{name}.max") for name in ("cpu", "memory")
        },
        "battery": _battery(),
        "libc": " ".join(platform.libc_ver()).strip() or None,
        "python": platform.python_version(),
        "python_build": " ".join(platform.python_build()) + ", " + sys.version,
        "python_flags": sysconfig.get_config_var("CONFIG_ARGS"),
        "implementation": sys.implementation.name,
        "free_threaded": bool(sysconfig.get_config_var("Py_GIL_DISABLED")),
        "jit": _jit(),
        "allocator": os.environ.get("PYTHONMALLOC", "default"),
        "simd": simd(),
        "libraries": {
            name: _library(module, distribution)
            for name, (module, distribution) in libraries.items()
        },
    }


def imported(what: str) -> dict[str, Any]:
    """Return the record of imported figures, which says nothing about this machine.

    `what` names their source, and takes the place of the processor.
    """
    return {
        "date": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        "snooze_lab": snooze_lab.__version__,
        "processor": what,
        "libraries": {},
    }


def differences(one: dict[str, Any], other: dict[str, Any]) -> list[str]:
    """Return the differences of the identities of two records, as text."""
    return [
        f"{name}: {one.get(name)} and {other.get(name)}"
        for name in IDENTITY
        if one.get(name) != other.get(name)
    ]


def sentence(found: dict[str, Any]) -> str:
    """Return the machine as one line, as far as the record describes it."""
    memory, python = found.get("memory_bytes"), found.get("python")
    processors = found.get("usable_processors")
    parts = [
        str(found.get("processor") or "processor not known"),
        f"{processors} processors" if processors else "",
        units.quantity(memory, "B") if memory else "",
        "virtual machine" if found.get("hypervisor") == "yes" else "",
        str(found.get("kernel") or ""),
        f"CPython {python}" if python else "",
        "free-threaded" if found.get("free_threaded") else "",
    ]
    return ", ".join(filter(None, parts))


def processor() -> str | None:
    """Return the name and the microarchitecture of the processor, where reported."""
    return named(_cpuinfo())


def named(info: dict[str, str]) -> str | None:
    """Return the processor of one entry of /proc/cpuinfo, as "AMD EPYC (Zen 4)"."""
    model = info.get("model name") or platform.processor() or None
    generation = microarchitecture.name(info)
    if model and generation:
        return f"{model} ({generation})"
    return model or generation


def _cpuinfo() -> dict[str, str]:
    first = (_text("/proc/cpuinfo") or "").split("\n\n", 1)[0]
    pairs = (line.split(":", 1) for line in first.splitlines() if ":" in line)
    return {name.strip(): value.strip() for name, value in pairs}


def _usable() -> int | None:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count()


def _text(path: str) -> str | None:
    with contextlib.suppress(OSError, UnicodeDecodeError):
        return Path(path).read_text("utf-8").strip() or None
    return None


def _chosen(path: str) -> str | None:
    found = re.search(r"\[(\w+)\]", _text(path) or "")
    return found[1] if found else None


def caches() -> dict[str, int]:
    """Return the bytes of the caches of the first processor, by level and kind."""
    found: dict[str, int] = {}
    for folder in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        level, kind = _text(f"{folder}/level"), _text(f"{folder}/type")
        size = re.fullmatch(r"(\d+)([KM])", _text(f"{folder}/size") or "")
        if size:
            unit = 10 if size[2] == "K" else 20
            found[f"L{level} {(kind or '').lower()}".strip()] = int(size[1]) << unit
    return found


def _pressure(kind: str) -> str | None:
    text = _text(f"/proc/pressure/{kind}")
    return text.splitlines()[0] if text else None


def _system() -> str | None:
    with contextlib.suppress(OSError):
        return platform.freedesktop_os_release().get("PRETTY_NAME")
    return platform.platform()


def _battery() -> str | None:
    states = [
        _text(f"{path}/status") for path in Path("/sys/class/power_supply").glob("BAT*")
    ]
    return ", ".join(one for one in states if one) or None


def _jit() -> bool | None:
    jit = getattr(sys, "_jit", None)
    return bool(jit.is_enabled()) if jit else None


def simd() -> dict[str, str | None]:
    """Return the vector instruction sets that the libraries report to use."""
    found: dict[str, str | None] = {}
    with contextlib.suppress(Exception):
        import snooze  # noqa: PLC0415 - may not be installed

        found["snooze"] = snooze.cpu_tiers()["active"]
    with contextlib.suppress(Exception):
        import ssrjson  # noqa: PLC0415 - may not be installed

        found["ssrjson"] = str(ssrjson.get_current_features())
    return found


def _library(module: str, distribution: str) -> dict[str, Any]:
    if not distribution:
        return {"version": "standard library", "files": {}}
    found: dict[str, Any] = {"version": None, "files": {}}
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        found["version"] = importlib.metadata.version(distribution)
    with contextlib.suppress(ImportError, ValueError):
        found["files"] = {
            path.name: hashlib.sha256(path.read_bytes()).hexdigest()
            for path in compiled(module)
        }
    return found


def compiled(module: str) -> list[Path]:
    """Return the compiled files of an installed library, which is not imported."""
    spec = importlib.util.find_spec(module.partition(".")[0])
    if spec is None or not spec.origin:
        return []
    path = Path(spec.origin)
    if path.suffix in {".so", ".pyd"}:
        return [path]
    return sorted([*path.parent.glob("*.so"), *path.parent.glob("*.pyd")])
