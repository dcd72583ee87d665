"""System figures of this process: resident memory, time, faults, collections.

Separate because it is tied to the system's interfaces (proc(5), getrusage(2)). What a
system does not report is left out or raises OSError, never guessed.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import re
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Callable

POOL = 16 << 10  # bytes of a pymalloc pool, which holds blocks of one size


def resident() -> int:
    """Return the exact number of resident bytes; OSError if not reported."""
    # statm is kept per processor and may be off by megabytes; smaps is counted.
    return _entry("Rss", Path("/proc/self/smaps_rollup"))


def reset_peak() -> None:
    """Reset the peak to the present resident set."""
    Path("/proc/self/clear_refs").write_text("5")


def peak() -> int:
    """Return the largest resident set since the reset, in bytes."""
    return max(_entry("VmHWM", Path("/proc/self/status")), resident())


def meminfo(name: str, root: Path = Path("/")) -> int | None:
    """Return an entry of /proc/meminfo in bytes, None if it is not reported."""
    with contextlib.suppress(OSError):
        return _entry(name, root / "proc/meminfo")
    return None


def _entry(name: str, path: Path) -> int:
    """Return an entry of a file of /proc in bytes; OSError if it is not there."""
    found = re.search(rf"^{name}:\s+(\d+) kB", path.read_text(), re.MULTILINE)
    if not found:
        raise OSError(f"{path} has no line '{name}:'")
    return int(found[1]) << 10


def guest(cpuinfo: Path = Path("/proc/cpuinfo")) -> bool:
    """Tell whether the processor says that this is a virtual machine."""
    with contextlib.suppress(OSError):
        flags = re.search(r"^flags\s*:.*$", cpuinfo.read_text(), re.MULTILINE)
        return flags is not None and "hypervisor" in flags[0].split()
    return False


def settle() -> list[Any]:
    """Use up the free memory of the allocators; the result must be kept alive.

    pymalloc's free pools are filled with blocks of each of its sizes until the resident
    set grows with every step; free memory of malloc goes back to the system.
    """
    gc.collect()
    kept: list[Any] = [[bytes(1)] for _ in range(16)]
    kept += (
        [bytes(size - 33) for _ in range(4 * POOL // size)]
        for size in range(48, 513, 16)
    )
    kept.append([float(number) for number in range(4 * POOL // 32)])
    kept.append([object() for _ in range(4 * POOL // 16)])
    grown = 0
    before = resident()
    while grown < 8:
        kept.append([bytes(512 - 33) for _ in range(4 * POOL // 512)])
        now = resident()
        grown = grown + 1 if now - before >= 3 * POOL else 0
        before = now
    give_back()
    return kept


def give_back() -> None:
    """Make malloc return free memory, where that is possible."""
    gc.collect()
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def own_size(value: Any) -> int:
    """Return the bytes of all distinct objects of a tree.

    Sizes are `sys.getsizeof` rounded up to the allocator's 16 bytes; objects that every
    Python has anyway (None, booleans, small integers, ASCII characters) count zero.
    """
    seen: set[int] = set()
    pending = [value]
    total = 0
    while pending:
        one = pending.pop()
        if id(one) in seen or one is None or isinstance(one, bool):
            continue
        if type(one) is int and -5 <= one <= 256:
            continue
        if type(one) is str and len(one) < 2 and one.isascii():
            continue
        seen.add(id(one))
        total += (sys.getsizeof(one) + 15) & ~15
        if isinstance(one, dict):
            pending += one.keys()
            pending += one.values()
        elif isinstance(one, (list, tuple)):
            pending += one
    return total


def warm(dumps: Callable[[Any], Any], loads: Callable[[Any], Any]) -> None:
    """Call both functions on a small value, so that their code is in memory."""
    value = {
        "a": [1, -2.5, 1e300, True, None, "b\n", "é", "я", "🎉", {"x": "y" * 99}],
    }
    # Calls that take no such value (a schema's own messages) are not warmed up.
    with contextlib.suppress(Exception):
        for _ in range(2):
            loads(dumps(value))


class Watch:
    """The resources that a stretch of work used: time, faults, switches, pressure.

    And the collector's runs and their seconds: sums, and not the list of
    stopwatch.Pauses, which grows by a hundred bytes for each inside the memory that is
    measured (9 % of what json leaves after 100 `loads`).
    """

    def __init__(self) -> None:
        """Start at zero."""
        self.seconds = 0.0
        self.counts = [0, 0, 0]
        self._start = 0.0
        self._before: dict[str, float] = {}
        self._after: dict[str, float] = {}

    def __enter__(self) -> Self:
        """Start to watch."""
        gc.callbacks.append(self._seen)
        self._before = _counters()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop watching."""
        self._after = _counters()
        gc.callbacks.remove(self._seen)

    def _seen(self, phase: str, info: dict[str, int]) -> None:
        if phase == "start":
            self._start = time.perf_counter()
            return
        self.seconds += time.perf_counter() - self._start
        self.counts[min(info["generation"], 2)] += 1

    def fields(self) -> dict[str, Any]:
        """Return the sample's fields `rusage`, `gc` and `psi`.

        Seconds, counts, and microseconds of stall of the whole machine.
        """
        spent = {
            name: round(value - self._before[name], 6)
            for name, value in self._after.items()
            if name in self._before
        }
        return {
            "rusage": {k: v for k, v in spent.items() if not k.endswith("_us")},
            "psi": {k: v for k, v in spent.items() if k.endswith("_us")},
            "gc": {"collections": self.counts, "seconds": round(self.seconds, 6)},
        }


def usage(*, children: bool = False) -> dict[str, float]:
    """Return the seconds, page faults and switches of this process so far.

    children: those of all ended child processes instead.
    """
    import resource  # noqa: PLC0415 - missing on Windows

    who = resource.RUSAGE_CHILDREN if children else resource.RUSAGE_SELF
    found = resource.getrusage(who)
    return {
        "user": found.ru_utime,
        "system": found.ru_stime,
        "minflt": found.ru_minflt,
        "majflt": found.ru_majflt,
        "nvcsw": found.ru_nvcsw,
        "nivcsw": found.ru_nivcsw,
    }


def stat(pid: int | str) -> tuple[int, float]:
    """Return the parent of a process, and its processor seconds with ended children.

    OSError for a process that is not there.
    """
    text = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    fields = text.rpartition(")")[2].split()
    return int(fields[1]), sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def _counters() -> dict[str, float]:
    found = {"wall": time.perf_counter()} | usage()
    for kind in ("memory", "cpu", "io"):
        with contextlib.suppress(OSError):
            text = Path(f"/proc/pressure/{kind}").read_text()
            total = re.search(r"^some .*total=(\d+)", text, re.MULTILINE)
            if total:
                found[f"{kind}_some_us"] = int(total[1])
    with contextlib.suppress(OSError):
        text = Path("/proc/vmstat").read_text()
        for name, count in re.findall(r"^(pswpin|pswpout) (\d+)$", text, re.MULTILINE):
            found[name] = int(count)
    return found
