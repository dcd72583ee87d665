"""The native half of study s004 as part of a run: programs instead of workers.

Separate because samples.py measures programs and knows no runs. Invariants: its
contests are in the plan with the others, with the reason for each program that cannot
be built, and are scheduled, stored and resumed after them; one contender takes part
twice; smoke has no time for compilers. Used by runs.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from snooze_lab import native
from snooze_lab.model import LEVELS, Contest, Factors
from snooze_lab.native import build, samples
from snooze_lab.schedule import Progress
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


def described(found: list[Contest]) -> dict[str, Any]:
    """Return the table for the plan."""
    return {
        "name": TABLE,
        "title": TITLE,
        "kind": "table",
        "x": "",
        "note": NOTE,
        "contests": [contest.id for contest in found],
    }


def verdicts(found: list[Contest]) -> dict[str, dict[str, dict[str, Any]]]:
    """Return the available contenders; each sample verifies its own output."""
    rows = entered(build.rows())
    verified: dict[str, dict[str, dict[str, Any]]] = {}
    for contest in found:
        verified[contest.id] = {}
        for name in contest.contenders:
            status, reason = rows[name].state(contest.factors.buffer)
            verified[contest.id][name] = {"status": status, "reason": reason}
    return verified


def programs() -> samples.Programs:
    """Return what answers the requests of these contests."""
    return samples.Programs(entered(build.rows()), samples.Inputs())
