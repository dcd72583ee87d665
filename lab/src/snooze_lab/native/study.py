"""The native half of study s004 as part of a run: programs instead of workers.

Separate from build.py, which makes the programs. Its contests are in the plan with the
others and scheduled, stored and resumed after them; one contender takes part twice;
smoke has no time for compilers; every program reads the same file, and its last output
is compared with that file member by member. Used by runs.py.
"""

from __future__ import annotations

import json
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from snooze_lab import native
from snooze_lab.machine import process
from snooze_lab.model import LEVELS, Contest, Factors
from snooze_lab.native import build
from snooze_lab.planning.plan import Table
from snooze_lab.planning.schedule import Progress
from snooze_lab.workloads import structs

if TYPE_CHECKING:
    from collections.abc import Callable

    from snooze_lab.native.build import Row

STUDY, TABLE = "s004_structs", "native"
TITLE = "Structures to JSON in native code"
NOTE = (
    "Rust, C and C++ from native structures; fresh: output to a new buffer each time, "
    "buffer=reused: to one that is used again. The seed's rows for C++26 reflection "
    "are cited, not measured: no compiler for it is available."
)
#: Blocks and seconds of a sample, by profile; a profile without an entry has none.
AMOUNT = {"standard": (2, 0.2), "full": (15, 0.3)}
#: Seconds beyond the requested time before a program counts as hung.
PATIENCE_S = 60.0


def contests(profile: str, told: Callable[[Progress], None]) -> list[Contest]:
    """Build the programs and return the contests; empty for a profile without them.

    Each structure is written into fresh buffers and into a reused one.
    """
    if profile not in AMOUNT:
        return []
    blocks, seconds = AMOUNT[profile]
    rows = build.build(lambda text: told(Progress(0, 0, 60.0, text)))
    return [
        Contest(
            study=STUDY,
            table=TABLE,
            workload=structure,
            operation="encode",
            contenders=tuple(entered(rows)),
            factors=Factors(buffer=buffer),
            baseline=native.BASELINE,
            blocks=blocks,
            seconds=seconds,
        )
        for structure in structs.STRUCTURES
        for buffer in LEVELS["buffer"]
    ]


def entered(rows: list[Row]) -> dict[str, Row]:
    """Return the rows by contender, with the second entry of the baseline."""
    found = {row.contender: row for row in rows}
    if native.BASELINE in found:
        found[native.AGAIN] = found[native.BASELINE]
    return found


def table(found: list[Contest]) -> Table:
    """Return the table of these contests."""
    return Table(TABLE, TITLE, "table", "", NOTE, tuple(found))


def verdicts(found: list[Contest]) -> dict[str, dict[str, dict[str, Any]]]:
    """Return the available contenders; each sample verifies its own output."""
    rows = entered(build.rows())
    return {
        contest.id: {
            name: rows[name].state(contest.factors.buffer)
            for name in contest.contenders
        }
        for contest in found
    }


def programs() -> Programs:
    """Return what answers the requests of these contests."""
    return Programs(entered(build.rows()))


class Programs:
    """Answers a request for a sample, as a worker does, with a program.

    The request's `seconds` are the measuring time; start and warm-up add about a fifth.
    """

    def __init__(
        self, rows: dict[str, Row], texts: dict[str, bytes] | None = None
    ) -> None:
        """Take the programs of contenders, and structures instead of the documents'."""
        self._rows = rows
        self._texts = texts or {}
        self._wanted: dict[str, Any] = {}
        self._verdicts: dict[tuple[str, bytes], tuple[str, str]] = {}

    def __call__(self, request: dict[str, Any], _hash_seed: int = 0) -> dict[str, Any]:
        """Return `values` values of one process, or why there are none."""
        row, structure = self._rows[request["contender"]], request["workload"]
        found: dict[str, Any] = {"started": time.time(), "values": {}}
        with tempfile.TemporaryDirectory() as folder:
            output = Path(folder) / "output.json"
            command = [
                str(row.program),
                *("--contender", row.contender),
                *("--structure", structure),
                *("--buffer", request["factors"]["buffer"]),
                *("--document", str(self._document(structure))),
                *("--seconds", str(request["seconds"])),
                *("--values", str(request["values"])),
                *("--output", str(output)),
            ]
            before = process.usage(children=True)
            try:
                said = build.output(command, timeout=request["seconds"] + PATIENCE_S)
                result = json.loads(said)
                wrong, digest = self._judged(structure, output.read_bytes())
            except (OSError, build.BuildError, ValueError) as error:
                return found | {"status": "failed", "error": str(error)[-500:]}
        after = process.usage(children=True)
        found["rusage"] = {
            name: round(after[name] - before[name], 6) for name in before
        }
        found |= {"bytes": result["bytes"], "digest": digest}
        if wrong:
            return found | {"status": "wrong", "error": wrong}
        return found | {
            "status": "ok",
            "loops": result["loops"],
            "warmups": result["warmups"],
            "values": {"time": result["times"]},
        }

    def _document(self, structure: str) -> Path:
        """Return the file of a structure: exactly its members, compact.

        It is written unless it is already correct.
        """
        path = build.folder() / "documents" / f"{structure}.json"
        if structure not in self._wanted:
            text = structs.projected(structure, self._texts.get(structure))
            if not path.exists() or path.read_bytes() != text:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(text)
            self._wanted[structure] = json.loads(text)
        return path

    def _judged(self, structure: str, output: bytes) -> tuple[str, str]:
        """Return what is wrong with an output, and the digest of its value."""
        key = (structure, output)
        if key not in self._verdicts:
            try:
                found = json.loads(output)
            except ValueError as reason:
                return f"its output is not JSON: {reason}", ""
            wrong = structs.difference(found, self._wanted[structure])
            self._verdicts[key] = wrong, "" if wrong else structs.digest_of(found)
        return self._verdicts[key]
