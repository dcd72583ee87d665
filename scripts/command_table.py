"""Time the command beside jq and json.tool, and write the table of docs/command.md.

Separate from the race because whole processes are measured, with what the system counts
for them. Invariants: all commands read the same file and write to the null device; they
take turns, in another order each round; time is that of the processor, the median of
the rounds, and memory the most of them; only the text between the page's two markers
changes. Nothing large is loaded here, because the system counts a process's memory from
before it becomes the command. Needs the installed snooze with click, jq, and
twitter.json from `make documents`.

usage: .venv/bin/python scripts/command_table.py [--write] [--rounds 3] [--copies 160]
"""

from __future__ import annotations

import argparse
import os
import random
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "command.md"
SOURCE = ROOT / ".build" / "documents" / "twitter.json"
BEGIN, END = "<!-- table: scripts/command_table.py -->", "<!-- end of table -->"
SNOOZE = (sys.executable, "-m", "snooze")
#: As in the table -> the words before the file.
COMMANDS: dict[str, tuple[str, ...]] = {
    "snooze format": (*SNOOZE, "format"),
    "jq .": ("jq", "."),
    "python -m json.tool --indent 2": (
        *(sys.executable, "-m", "json.tool"),
        *("--indent", "2"),
    ),
    "snooze tool --indent 2": (*SNOOZE, "tool", "--indent", "2"),
    "snooze minify": (*SNOOZE, "minify"),
    "jq -c .": ("jq", "-c", "."),
    "snooze validate": (*SNOOZE, "validate"),
    "jq empty": ("jq", "empty"),
    "snooze stats": (*SNOOZE, "stats"),
}
#: Processor seconds and bytes of one process.
Spent = tuple[float, int]
#: What ru_maxrss counts in.
UNIT = 1 if sys.platform == "darwin" else 1024


def write_document(source: Path, target: Path, copies: int) -> int:
    """Write an array of copies of a document, and return its size."""
    with target.open("wb") as file:
        for number in range(copies):
            file.write(b",\n" if number else b"[\n")
            with source.open("rb") as found:
                shutil.copyfileobj(found, file)
        file.write(b"\n]\n")
    return target.stat().st_size


def own_peak() -> int:
    """Return the most bytes that this script has had; a child counts them, too.

    Not ru_maxrss on Linux, which has what the process that started this script had.
    """
    status = Path("/proc/self/status")
    if status.exists():
        peak = re.search(
            r"^VmHWM:\s+(\d+) kB$", status.read_text("utf-8"), re.MULTILINE
        )
        if peak is not None:
            return int(peak[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * UNIT


def run(words: list[str]) -> Spent:
    """Run a command; SystemExit if it fails."""
    with open(os.devnull, "wb") as sink:  # noqa: PTH123 - it is no path of ours
        process = subprocess.Popen(words, stdout=sink)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(
            f"command_table: expected {' '.join(words)} to end with status 0, found "
            f"{process.returncode}; its message is above"
        )
    memory = usage.ru_maxrss * UNIT
    own = own_peak()
    if memory <= own:
        sys.exit(
            f"command_table: {' '.join(words)} was counted with {memory:,} bytes, no "
            f"more than this script has ({own:,}), so its own memory is not known"
        )
    return usage.ru_utime + usage.ru_stime, memory


def measure(
    commands: dict[str, tuple[str, ...]], file: str, rounds: int
) -> dict[str, Spent]:
    """Return the median time and the most memory of each command."""
    dice = random.Random(1)
    found: dict[str, list[Spent]] = {name: [] for name in commands}
    order = list(commands)
    for number in range(rounds):
        dice.shuffle(order)
        for name in order:
            print(f"round {number + 1} of {rounds}: {name}", file=sys.stderr)
            found[name].append(run([*commands[name], file]))
    return {
        name: (statistics.median(time for time, _ in spent), max(m for _, m in spent))
        for name, spent in found.items()
    }


def table(found: dict[str, Spent], size: int, about: str) -> str:
    """Return what stands between the markers."""
    head = f"| {size / 1e6:.0f} MB of indented JSON | processor time | memory at most |"
    lines = [head, "|---|--:|--:|"]
    for name, (seconds, memory) in found.items():
        time = f"{seconds:.2f}" if seconds < 0.995 else f"{seconds:.1f}"
        lines.append(f"| `{name}` | {time} s | {memory / 1e6:.0f} MB |")
    return "\n".join([*lines, "", about])


def about(rounds: int, copies: int, jq: str) -> str:
    """Return how the figures were measured, in lines as long as the page's."""
    sys.path.insert(0, str(ROOT / "lab" / "src"))
    from snooze_lab.machine import env  # noqa: PLC0415 - after measuring: it takes memory

    python = ".".join(map(str, sys.version_info[:3]))
    return (
        f"User and system time, medians of {rounds} rounds in which the commands took "
        f"turns; the array of {copies} times\ntwitter.json, CPython {python}, {jq}, "
        f"{env.processor()}, {time.strftime('%Y-%m-%d', time.gmtime())}."
    )


def placed(text: str, found: str) -> str:
    """Return the page with another table; SystemExit if it has no place for it."""
    before, begin, rest = text.partition(BEGIN)
    if not begin or END not in rest:
        sys.exit(f"{PAGE.name}: expected {BEGIN} and {END} after it, found none")
    return f"{before}{BEGIN}\n{found}\n{END}{rest.partition(END)[2]}"


def version_of_jq() -> str:
    """Return the name and version of jq; SystemExit if it is not installed."""
    path = shutil.which("jq")
    if path is None:
        sys.exit(
            "command_table: jq is not installed, and the table compares with it: "
            "install it (Debian, Ubuntu: apt-get install jq) and run this again"
        )
    done = subprocess.run([path, "--version"], capture_output=True, check=True)
    return done.stdout.decode().strip().replace("jq-", "jq ")


def main() -> None:
    """Measure, print, and write the table if asked."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--write", action="store_true", help="write docs/command.md")
    parser.add_argument("--rounds", type=int, default=3, help="default: 3")
    parser.add_argument(
        "--copies", type=int, default=160, help="of twitter.json (default: 160)"
    )
    options = parser.parse_args()
    for name in ("rounds", "copies"):
        if getattr(options, name) < 1:
            parser.error(
                f"--{name}: expected 1 or more, found {getattr(options, name)}"
            )
    jq = version_of_jq()
    if not SOURCE.exists():
        sys.exit(f"command_table: no {SOURCE.relative_to(ROOT)}: run 'make documents'")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "many.json")
        size = write_document(SOURCE, file, options.copies)
        found = measure(COMMANDS, str(file), options.rounds)
    text = table(found, size, about(options.rounds, options.copies, jq))
    print(text)
    if options.write:
        PAGE.write_text(placed(PAGE.read_text("utf-8"), text), "utf-8")


if __name__ == "__main__":
    main()
