"""Prepare an interpreter with all contenders, fetch the documents, and race.

Separate from the race because that must not install anything, and from the Makefile
because another CPython needs extra steps. Invariant: the default Python races in
`.venv`, any other in `.build/bench-VERSION`, so neither disturbs the other. Called by
`make bench`. Needs the standard library only.

    python scripts/benchmark.py                  the default Python, the usual groups
    python scripts/benchmark.py --version 3.14 -- --quick --record
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

import build
import environment

ROOT = Path(__file__).resolve().parent.parent
#: The data groups that the race reads.
GROUPS = ("canon", "ssrjson", "simdjson", "heldout")
PYTHONS = ROOT / ".build" / "pythons"


def interpreter(version: str) -> str:
    """Return the path of another CPython, fetched if necessary."""
    script = ROOT / "scripts" / "pythons.sh"
    done = subprocess.run(["bash", str(script), str(PYTHONS), version], check=False)
    if done.returncode != 0:
        sys.exit(
            f"snooze: CPython {version} is not available here (the reason is above); "
            "name your own interpreter with 'make bench PYTHON=/path/to/python3'"
        )
    return str(PYTHONS / "usr" / "bin" / f"python{version}")


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--python", default=sys.executable, help="the base interpreter")
    parser.add_argument("--version", default="", help="another CPython, such as 3.14")
    parser.add_argument("race", nargs="*", help="options of the race, after --")
    options = parser.parse_args()
    folder, base = ROOT / ".venv", options.python
    if options.version:
        base = interpreter(options.version)
        folder = ROOT / ".build" / f"bench-{options.version}"
    environment.ensure(folder, base, ["build"], tolerant=False)
    environment.ensure(folder, base, ["rivals"], tolerant=True)
    build.ensure(folder, base)
    python = str(environment.python_of(folder))
    documents = [python, "-m", "snooze_lab.data", "get", *GROUPS, "--or-generated"]
    race = [python, "-m", "snooze_lab.race", *options.race]
    places = {
        "PYTHONPATH": str(ROOT / "lab" / "src"),
        "SNOOZE_LAB_DATA": str(ROOT / ".build"),
    }
    for command in (documents, race):
        done = subprocess.run(command, cwd=ROOT, env=os.environ | places, check=False)
        if done.returncode != 0:
            return done.returncode
    return 0


if __name__ == "__main__":
    sys.exit(main())
