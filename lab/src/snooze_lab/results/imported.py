"""A run made of another tool's figures: its plan, its environment, its results.

Separate because pyperf's suites and EnergiBridge's series become runs alike. The noise
is unknown and the report says why; such a run cannot be continued.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
from typing import TYPE_CHECKING, Any

from snooze_lab import answer
from snooze_lab.machine import env
from snooze_lab.statistics.noise import noise
from snooze_lab.stored import results_types as types
from snooze_lab.stored import store

if TYPE_CHECKING:
    from pathlib import Path

    from snooze_lab.model import Contest


def create(
    path: Path,
    *,
    source: str,
    machine: str,
    contests: list[Contest] | None = None,
    metadata: dict[str, Any] | None = None,
) -> store.Run:
    """Return a new run without samples; store.RunError if its folder is not free.

    source: the name of the imported file or folder. machine: what is known of the one
    that measured. metadata: added to the environment's record.
    """
    return store.Run.create(
        path,
        {
            "profile": "imported",
            "seed": 0,
            "python": "",
            "values": 0,
            "slice_s": 0.0,
            "calibration": None,
            "studies": [],
            "contests": [one.as_json() for one in contests or []],
            "verified": {},
            "source": source,
        },
        env.imported(machine) | (metadata or {}),
    )


def results(
    run: store.Run, *, samples: int, noise_said: str, **sections: Any
) -> dict[str, Any]:
    """Write and return the results of an imported run.

    All but the sections given are empty.

    noise_said: why its noise is not known. sections: `studies`, `flags` and `energy`,
    as results_types.Results has them.
    """
    plan = run.plan()
    moment = dt.datetime.fromisoformat(plan["started"]).timestamp()
    quiet = dataclasses.replace(noise([]), sentence=noise_said)
    about = types.Run(
        *(plan["name"], plan["profile"], moment, moment, 0, plan["command"]), samples
    )
    found = types.Results(
        types.FORMAT, about, quiet, types.Answer(), noise_isolated=quiet, **sections
    )
    made = dataclasses.asdict(dataclasses.replace(found, answer=answer.of(found)))
    run.write(store.RESULTS, made)
    return made
