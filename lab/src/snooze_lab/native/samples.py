"""One sample of a native program: its times, once its output was compared.

Separate from study.py, which makes programs part of a run. Invariants: one process per
sample; every program reads the same file, and its last output is compared with that
file member by member before the sample counts. Used by study.py; the samples are the
isolated ones of samples.jsonl.
"""

from __future__ import annotations

import json
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from snooze_lab import process
from snooze_lab.native import build
from snooze_lab.workloads import structs

if TYPE_CHECKING:
    from snooze_lab.native.build import Row

#: Seconds beyond the requested time before a program counts as hung.
PATIENCE_S = 60.0


class Inputs:
    """The structures as files that the programs read, and the values to compare with.

    The files hold exactly the members of the structures, compact.
    """

    def __init__(self, texts: dict[str, bytes] | None = None) -> None:
        """Take these texts instead of the laboratory's documents."""
        self._texts = texts or {}
        self._wanted: dict[str, Any] = {}
        self._verdicts: dict[tuple[str, bytes], tuple[str, str]] = {}

    def path(self, structure: str) -> Path:
        """Return the file of a structure, written unless it is already correct."""
        path = build.folder() / "documents" / f"{structure}.json"
        if structure not in self._wanted:
            text = structs.projected(structure, self._texts.get(structure))
            if not path.exists() or path.read_bytes() != text:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(text)
            self._wanted[structure] = json.loads(text)
        return path

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
        wrong = structs.difference(found, self._wanted[structure])
        return wrong, "" if wrong else structs.digest_of(found)


class Programs:
    """Answers a request for a sample, as a worker does, with a program.

    The request's `seconds` are the measuring time; start and warm-up add about a fifth.
    """

    def __init__(self, rows: dict[str, Row], inputs: Inputs) -> None:
        """Take the programs of contenders, and the structures."""
        self._rows = rows
        self._inputs = inputs

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
                *("--document", str(self._inputs.path(structure))),
                *("--seconds", str(request["seconds"])),
                *("--values", str(request["values"])),
                *("--output", str(output)),
            ]
            before = process.usage(children=True)
            try:
                said = build.output(command, timeout=request["seconds"] + PATIENCE_S)
                result = json.loads(said)
                wrong, digest = self._inputs.judged(structure, output.read_bytes())
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
