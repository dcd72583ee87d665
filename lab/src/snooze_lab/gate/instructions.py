"""Instructions per operation, counted by callgrind, against a committed baseline.

    python -m snooze_lab.gate.instructions           count, compare (make test-speed)
    python -m snooze_lab.gate.instructions --write  count and write a new baseline
    python -m snooze_lab.gate.instructions --only 'loads posts'

Separate from the race because instructions, unlike times, are the same in every run: a
change that costs 2 % is seen on a busy machine too. A process does the operation n1
times, another n2 times; the difference over n2 - n1 is one operation, without start-up
and without what is done once. valgrind shows programs no AVX-512, so the tiers are AVX2
and, for some of the cells, those below; each is forced. Invariant: counts are compared
only if Python, Rust, libc, numpy and valgrind are those of the baseline; otherwise
nothing is compared, and the exit status says so. Called by `make test-speed`; not part
of `make test`, because it depends on the environment.

Exit status: 0 as the baseline, 1 an operation needs more than 2 % more, 2 not compared.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import platform
import re
import subprocess
import sys
import sysconfig
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from snooze_lab.data import cache
from snooze_lab.gate.instructions_child import CELLS, DOCUMENTS, TIER_CELLS
from snooze_lab.race import table

BASELINE = Path(__file__).with_name("instructions.json")
CHILD = Path(__file__).with_name("instructions_child.py")
DATA = "generated"
LIMIT = 0.02
#: Repetitions: few for what takes millions of instructions, many for single calls.
FEW, MANY = (1, 4), (100, 1_100)
#: The tier of a cell that names none, and the tiers of cells that do.
TIER, LOWER_TIERS = "avx2", ("v128", "scalar")
#: Every row: the cells on AVX2, then some of them on each lower tier.
ROWS = [*CELLS, *(f"{tier} {cell}" for tier in LOWER_TIERS for cell in TIER_CELLS)]


class CannotCountError(Exception):
    """Counting is not possible here; the message says what is missing."""


@dataclass(frozen=True)
class Verdict:
    """The result of a comparison: lines to show, those of failures, the exit status."""

    lines: list[str]
    status: int
    failed: tuple[str, ...] = ()


def environment() -> dict[str, str]:
    """Return everything besides snooze that changes the counts.

    CannotCountError where a program or numpy is missing.
    """
    try:
        numpy = importlib.metadata.version("numpy")
    except importlib.metadata.PackageNotFoundError:
        raise CannotCountError("no numpy: some operations write its arrays") from None
    return {
        "python": sys.version,
        "rustc": _output("rustc", "install Rust"),
        "libc": " ".join(platform.libc_ver()),
        "numpy": numpy,
        "valgrind": _output("valgrind", "Debian and Ubuntu: apt install valgrind"),
        "machine": platform.machine(),
    }


def _output(program: str, remedy: str) -> str:
    try:
        done = subprocess.run(
            [program, "--version"], capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError) as reason:
        raise CannotCountError(f"no {program}: {remedy} ({reason})") from reason
    return done.stdout.strip()


def compare(
    counts: dict[str, float], here: dict[str, str], baseline: dict[str, Any]
) -> Verdict:
    """Compare counts with a baseline."""
    there = baseline["environment"]
    other = [name for name in here if here[name] != there.get(name)]
    if other:
        lines = ["NOT COMPARED: the baseline was counted with another environment."]
        for name in other:
            lines.append(f"  {name}: {there.get(name)}")
            lines.append(f"  {'here':>{len(name)}}: {here[name]}")
        lines += ["To make a baseline for this one, on the commit to compare with:"]
        return Verdict([*lines, "  make test-speed BASELINE=write"], 2)
    lines = [f"{'instructions per operation':<28}{'baseline':>14}{'now':>14}"]
    failed, fewer = [], False
    for name, count in counts.items():
        known = baseline["counts"].get(name)
        if known is None:
            lines.append(f"{name:<28}{'-':>14}{count:>14,.0f}  NOT IN THE BASELINE")
            failed.append(lines[-1])
            continue
        change = count / known - 1
        word = "  MORE" if change > LIMIT else "  less" if change < -LIMIT else ""
        line = f"{name:<28}{known:>14,.0f}{count:>14,.0f}{change * 100:>+8.2f} %{word}"
        lines.append(line)
        failed += [line] if change > LIMIT else []
        fewer = fewer or change < -LIMIT
    if failed:
        failed += [
            f"FAILED: more than {LIMIT * 100:g} % above the baseline. If intended,",
            "say why in the commit and write a new one: make test-speed BASELINE=write",
        ]
        return Verdict([*lines, *failed[-2:]], 1, tuple(failed))
    if fewer:
        lines.append(
            "Less than the baseline: keep it with make test-speed BASELINE=write"
        )
    return Verdict(lines, 0)


def count_all(names: list[str]) -> dict[str, float]:
    """Return the instructions of one operation for each row."""
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        found = {}
        for name, count in zip(names, pool.map(count_one, names), strict=True):
            table.progress(f"counted {name}")
            found[name] = count
    table.progress("")
    return found


def count_one(name: str) -> float:
    """Return the instructions of one operation: a cell, or a tier and a cell."""
    tier, _, cell = name.partition(" ")
    if tier not in LOWER_TIERS:
        tier, cell = TIER, name
    tiny = cell.partition(" ")[2] in {"1", "None", "message"}
    first, second = MANY if tiny else FEW
    more = _whole(cell, tier, second) - _whole(cell, tier, first)
    if more <= 0:
        raise CannotCountError(
            f"{tier} {cell}: {second} operations took {-more:,} instructions less than "
            f"{first}; did the installed package change meanwhile?"
        )
    return more / (second - first)


def _whole(cell: str, tier: str, count: int) -> int:
    """Return the instructions of a process that does the operation `count` times."""
    site = sysconfig.get_paths()["platlib"]
    with tempfile.TemporaryDirectory() as folder:
        command = ["valgrind", "--tool=callgrind", f"--log-file={folder}/log"]
        command += [
            f"--callgrind-out-file={folder}/out",
            sys.executable,
            "-S",
            "-s",
            "-P",
        ]
        command += [str(CHILD), site, str(cache.folder(DATA)), cell, str(count)]
        # A fixed environment: a longer one moves the stack and changes counts.
        variables = {"PATH": "/usr/bin:/bin", "SNOOZE_CPU": tier, "PYTHONHASHSEED": "0"}
        variables["OPENBLAS_NUM_THREADS"] = "1"  # numpy's threads wait in a loop
        done = subprocess.run(
            command, env=variables, capture_output=True, text=True, check=False
        )
        log = Path(folder, "log").read_text("utf-8", errors="replace")
    found = re.search(r"Collected : (\d+)", log)
    if done.returncode != 0 or not found:
        reason = (done.stderr.strip() or log.strip()).splitlines()
        last = reason[-1] if reason else "no reason given"
        raise CannotCountError(f"{tier} {cell}: {last}")
    return int(found[1])


def _require_documents() -> None:
    folder = cache.folder(DATA)
    missing = [one for one in DOCUMENTS if not (folder / f"{one}.json").exists()]
    if missing:
        raise CannotCountError(
            f"no {', '.join(missing)} in {cache.shown(folder)}: run "
            "'python -m snooze_lab.data get generated'"
        )


def check(names: list[str], *, write: bool) -> Verdict:
    """Count these cells and compare them with the baseline, or make them the baseline.

    Status 2, with the reason, where counting or comparing is not possible here. Some
    of the cells are written into a baseline of the same environment only.
    """
    try:
        here = environment()
        _require_documents()
        baseline = json.loads(BASELINE.read_text("utf-8")) if BASELINE.exists() else {}
        if not write or names != ROWS:
            before = compare({}, here, {"environment": {}, "counts": {}} | baseline)
            if before.status == 2:
                return before
        counts = count_all(names)
    except (CannotCountError, OSError) as reason:
        return Verdict([f"NOT COMPARED: {reason}"], 2)
    if not write:
        return compare(counts, here, baseline)
    if names != ROWS:
        counts = baseline["counts"] | counts
    whole = {"environment": here, "counts": counts}
    BASELINE.write_text(json.dumps(whole, indent=1) + "\n", "utf-8")
    return Verdict([f"wrote {cache.shown(BASELINE)}: {len(counts)} operations"], 0)


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m snooze_lab.gate.instructions",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--write", action="store_true", help="write a new baseline")
    parser.add_argument("--only", metavar="CELL", action="append", choices=ROWS)
    options = parser.parse_args()
    verdict = check(options.only or ROWS, write=options.write)
    stream = sys.stderr if verdict.status == 2 else sys.stdout
    print("\n".join(verdict.lines), file=stream)
    return verdict.status


if __name__ == "__main__":
    sys.exit(main())
