"""The gates together: instructions, ratio to orjson, peak memory; `snooze-lab gate`.

Separate from instructions.py because the two others are measured by workers. A gate
fails only on differences that cannot be noise: a ratio whose better end is a tenth
worse than the baseline while orjson against itself stays within 5 %, or a peak 3 %
above it; every less certain result is `undecided` and passes. A baseline belongs to one
kind of machine and one Python, that of a ratio also to one SIMD tier; far below what is
measured it is stale and decides nothing.
"""

from __future__ import annotations

import json
import platform
import statistics
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import snooze
from snooze_lab import UserError, data
from snooze_lab.gate import instructions
from snooze_lab.model import AGAIN, OURS, REFERENCE
from snooze_lab.statistics import stats
from snooze_lab.stored import samples
from snooze_lab.worker.launch import Launcher

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

KINDS = ("instructions", "ratio", "memory")
OK, FAILED, UNDECIDED, WRITTEN = "ok", "failed", "undecided", "written"
BASELINES = Path(__file__).parent
WORKLOADS = tuple(
    f"look-alike?of={name}" for name in ("twitter", "github", "citm_catalog", "canada")
)
OPERATIONS = ("loads", "dumps")
#: Limits of a ratio below the baseline's, and of the A/A difference.
WORSE, QUIET = 1.10, 0.05
#: Above so many times its baseline, a ratio says that the baseline is old.
STALE = 1.25
#: Limits of a peak above the baseline's: a share, and a number of bytes.
MORE, PAGES = 1.03, 128 << 10
SECONDS, PROCESSES = 2.0, 3


class GateError(UserError):
    """A gate cannot be checked; the message says what is missing."""


@dataclass(frozen=True)
class Found:
    """The result of a gate: its kind, a state, and a line."""

    kind: str
    state: str
    text: str


def check(kinds: list[str], *, write: bool, say: Callable[[str], None]) -> list[Found]:
    """Return the results of the named gates; with `write` they become the baseline.

    Raises GateError for an unknown kind.
    """
    unknown = set(kinds) - set(KINDS)
    if unknown:
        raise GateError(
            f"no gate {', '.join(sorted(unknown))}; there are: {', '.join(KINDS)}"
        )
    data.get("generated")
    found: list[Found] = []
    for kind in kinds:
        say(f"gate {kind}")
        if kind == "instructions":
            found += _instructions(write=write)
        else:
            found += _against(kind, _figures(kind), write=write)
    return found


def _instructions(*, write: bool) -> list[Found]:
    verdict = instructions.check(instructions.ROWS, write=write)
    usual = UNDECIDED if verdict.status == 2 else WRITTEN if write else OK
    return [
        Found("instructions", FAILED if line in verdict.failed else usual, line)
        for line in verdict.lines
    ]


@dataclass(frozen=True)
class Figure:
    """One cell: its value, the most favourable value it may have, and its A/A noise."""

    name: str
    value: float
    best: float
    noise: float = 0.0


def _figures(kind: str) -> Iterator[Figure]:
    launch = Launcher()
    for workload in WORKLOADS:
        for operation in OPERATIONS:
            cell = {"workload": workload, "operation": operation}
            yield (_ratio if kind == "ratio" else _peak)(launch, cell)


def _ratio(launch: Launcher, cell: dict[str, Any]) -> Figure:
    """Return snooze's speed relative to orjson, same process, same rounds."""
    request = cell | {
        "task": "interleaved",
        "factors": {},
        "baseline": REFERENCE,
        "contenders": [OURS, REFERENCE, AGAIN],
        "seconds": SECONDS / PROCESSES,
    }
    rounds = samples.Rounds()
    for block in range(PROCESSES):
        answer = _answer(launch, request | {"seed": block}, hash_seed=block + 1)
        missing = {OURS, REFERENCE, AGAIN} - answer["times"].keys()
        if missing:
            names = ", ".join(sorted(missing))
            raise GateError(f"not installed or not right: {names}")
        rounds.add(answer | {"block": block})
    ours = rounds.effect(OURS, REFERENCE)
    noise = stats.deviation(rounds.effect(AGAIN, REFERENCE).ratio)
    return Figure(_name(cell), ours.ratio, ours.high, noise)


def _peak(launch: Launcher, cell: dict[str, Any]) -> Figure:
    """Return the peak bytes of snooze's call."""
    request = cell | {"task": "memory", "factors": {"gc": "off"}, "contender": OURS}
    answers = [_answer(launch, request) for _ in range(PROCESSES)]
    peaks = [one["values"]["peak"][0] for one in answers]
    return Figure(_name(cell), statistics.median(peaks), min(peaks))


def _answer(
    launch: Launcher, request: dict[str, Any], hash_seed: int = 0
) -> dict[str, Any]:
    answer = launch(request, hash_seed=hash_seed)
    if answer.get("status") != "ok":
        raise GateError(f"{_name(request)}: {answer.get('error')}")
    return answer


def _name(cell: dict[str, Any]) -> str:
    return f"{cell['operation']} {cell['workload']}"


def _against(kind: str, figures: Iterator[Figure], *, write: bool) -> list[Found]:
    """Compare figures with the baseline of this kind of machine, or write it."""
    path = BASELINES / f"{kind}.json"
    whole = json.loads(path.read_text("utf-8")) if path.exists() else {}
    here = machine(kind)
    if write:
        whole[here] = {one.name: round(one.value, 4) for one in figures}
        path.write_text(json.dumps(whole, indent=1, sort_keys=True) + "\n", "utf-8")
        return [Found(kind, WRITTEN, f"{len(whole[here])} cells for {here}")]
    if here not in whole:
        text = f"no baseline for {here}; make one with: snooze-lab gate {kind} --write"
        return [Found(kind, UNDECIDED, text)]
    judge = _judge_ratio if kind == "ratio" else _judge_peak
    return [judge(one, whole[here].get(one.name)) for one in figures]


def _judge_ratio(one: Figure, known: float | None) -> Found:
    text = f"{one.name}: {one.value:.2f} times orjson's speed (at best {one.best:.2f})"
    if known is None:
        return Found("ratio", UNDECIDED, f"{text}; not in the baseline")
    text += f", baseline {known:.2f}"
    if one.noise > QUIET:
        return Found("ratio", UNDECIDED, f"{text}; orjson twice: {one.noise:.1%} apart")
    if one.value > known * STALE:
        text += "; undecided: the baseline is stale, write it: snooze-lab gate ratio"
        return Found("ratio", UNDECIDED, f"{text} --write")
    return Found("ratio", FAILED if one.best < known / WORSE else OK, text)


def _judge_peak(one: Figure, known: float | None) -> Found:
    text = f"{one.name}: peak {one.value / 1e6:.2f} MB"
    if known is None:
        return Found("memory", UNDECIDED, f"{text}; not in the baseline")
    text += f", baseline {known / 1e6:.2f} MB"
    most = known * MORE + PAGES
    return Found("memory", FAILED if one.best > most else OK, text)


def machine(kind: str) -> str:
    """Return what a baseline of this kind belongs to."""
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    found = f"{platform.machine()} {platform.system()} CPython {version}"
    return f"{found} {snooze.cpu_tiers()['active']}" if kind == "ratio" else found
