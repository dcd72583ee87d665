"""The native half of study s004: structures to JSON in Rust, C and C++.

Separate because the subjects are programs, not Python: those of lab/native, which
`nativebuild.build` makes. Invariants: one process per sample, in an order shuffled for
each block; every program reads the same file, and its last output in each sample is
compared with that file member by member before the sample counts; one contender takes
part twice (AGAIN), which shows the noise. A program that cannot be built or run has
samples that say why. Used by the engine; its samples are the isolated ones of
samples.jsonl.
"""

from __future__ import annotations

import json
import random
import statistics
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from snooze_lab import model, nativebuild
from snooze_lab.workloads import structs

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from snooze_lab.nativebuild import Row

#: The baseline, and its second entry.
BASELINE = "serde_json (Rust)"
AGAIN = "serde_json again (Rust)"
BUFFERS = model.LEVELS["buffer"]
STRUCTURES = tuple(structs.STRUCTURES)
VALUES = 5
#: Seconds beyond the requested time before a program counts as hung.
PATIENCE_S = 60.0


@dataclass(frozen=True)
class Cell:
    """One contender on one structure with one kind of buffer."""

    contest: str
    contender: str
    row: Row
    structure: str
    buffer: str


def contests(
    rows: list[Row], *, blocks: int = 8, seconds: float = 0.3
) -> list[model.Contest]:
    """Return the contests: each structure, into fresh buffers and into a reused one."""
    names = tuple(row.contender for row in entered(rows))
    return [
        model.Contest(
            study="s004",
            table="native",
            workload=structure,
            operation="encode",
            contenders=names,
            factors=model.Factors(buffer=buffer),
            baseline=BASELINE,
            blocks=blocks,
            seconds=seconds,
        )
        for structure in STRUCTURES
        for buffer in BUFFERS
    ]


def entered(rows: list[Row]) -> list[Row]:
    """Return the rows with the second entry of the baseline."""
    again = [row.renamed(AGAIN) for row in rows if row.contender == BASELINE]
    return [*rows, *again]


def cells(rows: list[Row]) -> list[Cell]:
    """Return every cell of the contests, those that cannot run included."""
    return [
        Cell(contest.id, row.contender, row, contest.workload, contest.factors.buffer)
        for contest in contests(rows)
        for row in entered(rows)
    ]


def run(  # noqa: PLR0913 - settings of a run
    blocks: int,
    seconds: float,
    *,
    rows: list[Row] | None = None,
    seed: int = 1,
    done: Collection[tuple[str, str, int]] = (),
    progress: Callable[[str], None] | None = None,
) -> Iterator[dict[str, Any]]:
    """Yield a sample of each cell for each block, in a new random order per block.

    `seconds` is the measuring time of each sample; start and warm-up add about a fifth.
    `rows` is the result of `nativebuild.build`; by default, what is already built. A
    sample whose (contest, contender, block) is in `done` is skipped, so that an
    interrupted run can continue.
    """
    found = cells(nativebuild.rows() if rows is None else rows)
    inputs = Inputs()
    for block in range(blocks):
        order = list(found)
        random.Random(f"native {seed} {block}").shuffle(order)
        for position, cell in enumerate(order):
            if (cell.contest, cell.contender, block) in done:
                continue
            if progress is not None:
                progress(f"block {block + 1}/{blocks}: {cell.contest} {cell.contender}")
            yield sample(cell, block, position, seconds, inputs)


class Inputs:
    """The structures as files that the programs read, and the values to compare with.

    The files hold exactly the members of the structures, compact.
    """

    def __init__(self, texts: dict[str, bytes] | None = None) -> None:
        """Take these texts instead of the laboratory's documents."""
        self._texts = texts or {}
        self._paths: dict[str, Path] = {}
        self._wanted: dict[str, Any] = {}
        self._verdicts: dict[tuple[str, bytes], tuple[str, str]] = {}

    def path(self, structure: str) -> Path:
        """Return the file of a structure, written unless it is already correct."""
        if structure not in self._paths:
            text = structs.projected(structure, self._texts.get(structure))
            path = nativebuild.folder() / "documents" / f"{structure}.json"
            if not path.exists() or path.read_bytes() != text:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(text)
            self._wanted[structure] = json.loads(text)
            self._paths[structure] = path
        return self._paths[structure]

    def judged(self, structure: str, output: bytes) -> tuple[str, str]:
        """Return what is wrong with an output, and the digest of its value."""
        key = (structure, output)
        if key not in self._verdicts:
            self._verdicts[key] = self._judge(structure, output)
        return self._verdicts[key]

    def _judge(self, structure: str, output: bytes) -> tuple[str, str]:
        try:
            found = json.loads(output)
        except ValueError as reason:
            return f"its output is not JSON: {reason}", ""
        wrong = structs.differs(found, self._wanted[structure])
        return wrong, "" if wrong else structs.digest_of(found)


def sample(
    cell: Cell, block: int, position: int, seconds: float, inputs: Inputs
) -> dict[str, Any]:
    """Return one sample of a cell: `VALUES` values in one process."""
    found: dict[str, Any] = {
        "kind": "isolated",
        "contest": cell.contest,
        "contender": cell.contender,
        "block": block,
        "position": position,
        "started": time.time(),
        "loops": 0,
        "warmups": 0,
        "values": {},
        "bytes": 0,
        "digest": "",
        "rusage": {},
        "gc": {"collections": [0, 0, 0], "seconds": 0.0},
        "memory": {},
        "psi": {},
        "meters": [],
        "flags": [],
        "error": None,
        "status": "ok",
    }
    row = cell.row
    if row.absent:
        return found | {"status": "absent", "error": row.absent}
    unable = row.unable.get("", "") or row.unable.get(cell.buffer, "")
    if unable:
        return found | {"status": "unable", "error": unable}
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "output.json"
        command = [
            str(row.program),
            *("--contender", row.own_name),
            *("--structure", cell.structure),
            *("--buffer", cell.buffer),
            *("--document", str(inputs.path(cell.structure))),
            *("--seconds", str(seconds)),
            *("--values", str(VALUES)),
            *("--output", str(output)),
        ]
        try:
            said, usage = _measured(command, seconds + PATIENCE_S)
            result = json.loads(said)
            wrong, digest = inputs.judged(cell.structure, output.read_bytes())
        except (OSError, subprocess.SubprocessError, ValueError) as reason:
            return found | {"status": "failed", "error": str(reason)[-500:]}
    found |= {"bytes": result["bytes"], "digest": digest, "rusage": usage}
    if wrong:
        return found | {"status": "wrong", "error": wrong}
    return found | {
        "loops": result["loops"],
        "warmups": result["warmups"],
        "values": {"time": result["times"]},
    }


def _measured(command: list[str], timeout: float) -> tuple[str, dict[str, float]]:
    """Run a program; return its output and its use of resources.

    SubprocessError if it fails or hangs.
    """
    before = _usage()
    ended = subprocess.run(
        command, capture_output=True, text=True, timeout=timeout, check=False
    )
    if ended.returncode:
        raise subprocess.SubprocessError(
            f"exit status {ended.returncode}: {ended.stderr.strip()}"
        )
    after = _usage()
    return ended.stdout, {k: round(v - before[k], 6) for k, v in after.items()}


def _usage() -> dict[str, float]:
    """Return the resources used by all ended children: seconds and counts."""
    try:
        import resource  # noqa: PLC0415 - missing on some systems
    except ImportError:
        return {}
    found = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "user": found.ru_utime,
        "system": found.ru_stime,
        "minflt": found.ru_minflt,
        "majflt": found.ru_majflt,
        "nvcsw": found.ru_nvcsw,
        "nivcsw": found.ru_nivcsw,
    }


def throughput(sample: dict[str, Any]) -> float:
    """Return GB/s of output (10^9 bytes) of a sample with status `ok`."""
    time_ns = statistics.median(sample["values"]["time"])
    return float(sample["bytes"] / time_ns)
