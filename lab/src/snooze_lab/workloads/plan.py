"""Snapshots of a route planning: the document of the threshold study (s002).

Separate because its size is counted in *fields*, scalars of the tree: of N fields one
quarter are the numbers of `floats`, and three quarters are the `int`, `float` and `str`
of N/4 `events`. The seed's sizes 4 to 400k make 100 bytes to 8 MB of JSON. Invariant:
the same bytes on every machine and Python. Used through
`workloads.find("plan?fields=400")`; the schema of protobuf has this shape.
"""

from __future__ import annotations

from typing import Any

from snooze_lab.workloads.base import Workload
from snooze_lab.workloads.generated import Dice, compact

#: How numbers are spelled: `random` has up to 17 significant digits, which is the
#: hardest case for a writer of JSON and the seed's only one; `short` has two decimals,
#: as most measured and all priced quantities do.
FLOATS = ("random", "short")
SEED = 20
#: Characters of each string.
LETTERS = 10


def snapshot(fields: int, floats: str = "random") -> dict[str, Any]:
    """Return the plan of this many fields; ValueError for an invalid argument."""
    if fields < 4 or fields % 4:
        raise ValueError(
            f"fields of plan: expected a multiple of 4, 4 or more, found {fields}"
        )
    if floats not in FLOATS:
        raise ValueError(
            f"floats of plan: expected one of {', '.join(FLOATS)}, found {floats!r}"
        )
    dice = Dice(SEED)

    def number() -> float:
        return dice.unit() if floats == "random" else dice.below(100_000) / 100

    quarter = fields // 4
    return {
        "floats": [number() for _ in range(quarter)],
        "events": [
            {
                "int": dice.below(10**6),
                "float": number(),
                "str": dice.hexadecimal(LETTERS),
            }
            for _ in range(quarter)
        ],
    }


def document(fields: int, floats: str = "random") -> bytes:
    """Return the compact text of the plan of this many fields."""
    return compact(snapshot(fields, floats))


def plan(fields: int, floats: str = "random") -> Workload:
    """Return the plan of this many fields as a workload."""
    text = document(fields, floats)  # early, so that a wrong number is an error here
    return Workload("plan", [text], note=f"{fields} fields, {floats} floats")


WORKLOADS = {"plan": plan}
