"""The native half of study s004 as part of a run: programs instead of workers.

Separate because native.py measures programs and knows no runs, and the schedule knows
workers only. Invariants: its contests are in the plan with the others, with the reason
for each program that cannot be built; its samples are stored and resumed like all
others; it takes part in profiles that have time for compilers (not in smoke). Used by
runs.py.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from snooze_lab import native, nativebuild
from snooze_lab.schedule import Progress

if TYPE_CHECKING:
    from collections.abc import Callable

    from snooze_lab.model import Contest
    from snooze_lab.store import Run

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
    """Build the programs and return the contests; empty for a profile without them."""
    if profile not in AMOUNT:
        return []
    blocks, seconds = AMOUNT[profile]

    def say(text: str) -> None:
        told(Progress(0, 0, 60.0, text))

    rows = nativebuild.build(say)
    return [
        dataclasses.replace(one, study=STUDY)
        for one in native.contests(rows, blocks=blocks, seconds=seconds)
    ]


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
    rows = {row.contender: row for row in native.entered(nativebuild.rows())}
    verified: dict[str, dict[str, dict[str, Any]]] = {}
    for contest in found:
        verified[contest.id] = {}
        for name in contest.contenders:
            row = rows.get(name)
            absent = row.absent if row else "its program was not built"
            unable = row.unable if row else {}
            reason = unable.get("", "") or unable.get(contest.factors.buffer, "")
            status = "absent" if absent else "unable" if reason else "ok"
            verified[contest.id][name] = {"status": status, "reason": absent or reason}
    return verified


def execute(run: Run, told: Callable[[Progress], None]) -> None:
    """Take the native samples of a run that are missing."""
    plan = run.plan()
    wanted = {one["id"] for one in plan["contests"] if one["table"] == TABLE}
    if not wanted or plan["profile"] not in AMOUNT:
        return
    done = run.done()
    blocks, seconds = AMOUNT[plan["profile"]]
    rows = nativebuild.rows()
    short = {
        one.id: dataclasses.replace(one, study=STUDY).id
        for one in native.contests(rows)
    }
    taken = {
        (contest, contender, block)
        for contest, name in short.items()
        for kind, one, contender, block in done
        if kind == "isolated" and one == name
    }
    total = blocks * len(native.cells(rows)) - len(taken)
    for number, sample in enumerate(
        native.run(blocks, seconds, rows=rows, seed=plan["seed"], done=taken)
    ):
        sample["contest"] = short[sample["contest"]]
        run.append(sample)
        left = (total - number) * seconds * 1.3
        told(Progress(number + 1, total, left, f"{sample['contest']}"))
