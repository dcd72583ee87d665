"""What else people ask before they choose: latency, threads, start-up, features.

Separate because none of it is a contest of a study: the race measures it, and
features.py asks. Invariants: it is measured with the workers' Python, for the libraries
of the run that are installed, and stored as practical.json; a failure costs this
section, with the reason, and not the run. Used by runs.py.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from snooze_lab import contenders
from snooze_lab.launch import REPLACED, SOURCE, Launcher
from snooze_lab.model import AGAIN

if TYPE_CHECKING:
    from collections.abc import Callable

FILE = "practical.json"
#: The study of JSON libraries, which this belongs to.
STUDY = "s001_tables"
GROUPS = ("latency", "threads", "footprint")
#: Seconds of a document and direction, by profile; a profile without an entry has none.
SECONDS = {"smoke": 0.15, "standard": 0.4, "full": 2.0}
#: Seconds after which the race, or one library's answers, are given up.
RACE_LIMIT, ASK_LIMIT = 600.0, 20.0
#: More would leave few calls of each, and hide each other in a table.
MOST = 8


def measure(
    profile: str, names: list[str], launch: Launcher, told: Callable[[str], None]
) -> dict[str, Any]:
    """Return what the race and the questions found: `race`, `features`, `failed`.

    `race` is a record of the race, `features` by library the answers to the questions,
    `failed` one sentence for each part that could not be measured.
    """
    libraries = [one for one in contenders.json_names() if one in names]
    libraries = [one for one in libraries if one != AGAIN][:MOST]
    found: dict[str, Any] = {"race": {}, "features": {}, "failed": []}
    told("latency, threads and start-up")
    try:
        found["race"] = _race(profile, libraries, launch)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        found["failed"].append(f"latency, threads and start-up: {_reason(error)}")
    for name in libraries:
        told(f"what {name} can do")
        try:
            answers = json.loads(_python(launch, ["snooze_lab.features", name]))
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            found["failed"].append(f"features of {name}: {_reason(error)}")
            continue
        if answers:
            found["features"][name] = answers
    return found


def _race(profile: str, names: list[str], launch: Launcher) -> dict[str, Any]:
    """Return the record of the race's groups."""
    groups = [word for group in GROUPS for word in ("--group", group)]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "record.json"
        words = [
            *("snooze_lab.race", *groups, "--contenders", ",".join(names)),
            *("--seconds", str(SECONDS[profile]), "--record", str(file)),
        ]
        _python(launch, words, RACE_LIMIT)
        return dict(json.loads(file.read_text("utf-8")))


def _python(launch: Launcher, words: list[str], limit: float = ASK_LIMIT) -> str:
    """Return what a module of the laboratory prints, in the workers' Python."""
    path = os.pathsep.join([str(SOURCE), *launch.path])
    variables = {k: v for k, v in os.environ.items() if k not in REPLACED}
    done = subprocess.run(
        [launch.python, "-m", *words],
        capture_output=True,
        text=True,
        check=True,
        timeout=limit,
        env=variables | {"PYTHONPATH": path},
    )
    return done.stdout


def _reason(error: Exception) -> str:
    if isinstance(error, subprocess.TimeoutExpired):
        return f"no answer within {error.timeout:.0f} s"
    if isinstance(error, subprocess.CalledProcessError):
        last = (error.stderr or "").strip().splitlines()
        if error.returncode < 0:
            return f"ended by signal {-error.returncode}"
        return last[-1] if last else f"ended with status {error.returncode}"
    return str(error)
