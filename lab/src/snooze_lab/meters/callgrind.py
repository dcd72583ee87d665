"""Instructions of one operation, counted by valgrind's simulated processor.

Separate from the meters with windows because it counts whole programs: the same program
is run twice with different numbers of operations, and what start-up costs cancels in
(I(n2) - I(n1)) / (n2 - n1). Invariants: its quality word is `simulated`, and it has no
joules: instructions are not energy. Hash seeds are fixed, so a count repeats exactly.
valgrind hides AVX-512 from programs, and knows no cache misses here.
"""

from __future__ import annotations

import dataclasses
import re
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

from snooze_lab.meters import background, base

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_TOTAL = re.compile(r"^(?:summary|totals): (\d+)", re.MULTILINE)


@dataclass(frozen=True)
class Callgrind:
    """valgrind's callgrind tool."""

    program: str = "valgrind"
    name: str = "callgrind:instructions"
    unit: base.Unit = "count"
    scope: base.Scope = "process"
    quality: base.Quality = "simulated"

    @classmethod
    def at(cls, context: base.RunContext) -> Callgrind:
        """Return the tool as a context knows it."""
        return cls(program=context.program("valgrind"))

    def probe(self) -> base.Availability:
        """Tell the tool's version."""
        missing = background.absent(self.program, "sudo apt install valgrind")
        if missing:
            return missing
        try:
            done = background.tried([self.program, "--version"])
        except (OSError, subprocess.TimeoutExpired) as error:
            return base.Availability(ok=False, reason=f"{self.program}: {error}")
        if done.returncode:
            return base.Availability(ok=False, reason=done.stderr.strip()[:200])
        return base.Availability(
            ok=True, reason=f"{done.stdout.strip()}, without AVX-512 and cache misses"
        )

    def count(self, command: Sequence[str], *, timeout: float = 300.0) -> int:
        """Return the instructions of a program; MeterError if it fails."""
        folder = background.Folder(base.RunContext())
        output = folder.file("callgrind", ".out")
        try:
            done = subprocess.run(
                [
                    self.program,
                    "--tool=callgrind",
                    f"--callgrind-out-file={output}",
                    *command,
                ],
                capture_output=True,
                text=True,
                errors="replace",
                timeout=timeout,
                check=False,
                env=background.environment() | {"PYTHONHASHSEED": "0"},
            )
            if done.returncode:
                raise base.MeterError(
                    f"callgrind: expected {' '.join(command)} to end with 0, found "
                    f"{done.returncode}: {done.stderr.strip()[-300:]}"
                )
            total = _TOTAL.search(output.read_text(encoding="utf-8", errors="replace"))
        except (OSError, subprocess.TimeoutExpired) as error:
            raise base.MeterError(f"callgrind: {error}") from error
        finally:
            folder.close()
        if not total:
            raise base.MeterError("callgrind: expected a total in its file, found none")
        return int(total[1])

    def per_operation(
        self, command: Callable[[int], Sequence[str]], n1: int, n2: int
    ) -> base.Reading:
        """Return the instructions of one operation.

        command: gives the program that makes n operations. Raises ValueError unless
        0 <= n1 < n2, MeterError when a run fails or counts fewer for more operations.
        """
        if not 0 <= n1 < n2:
            raise ValueError(f"expected 0 <= n1 < n2 operations, found {n1} and {n2}")
        mark = base.Mark(base.now(), None)
        few, many = self.count(command(n1)), self.count(command(n2))
        if many < few:
            raise base.MeterError(
                f"callgrind: expected more instructions for {n2} operations than for "
                f"{n1}, found {many} and {few}; do the programs do what they are told?"
            )
        value = (many - few) / (n2 - n1)
        return dataclasses.replace(
            base.reading(self, mark, base.now(), value), resolution=1 / (n2 - n1)
        )
