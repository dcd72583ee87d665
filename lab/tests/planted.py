"""Count the runs that find a contender that is 5 % slower than orjson.

    python lab/tests/planted.py --runs 20

Each run is whole: it verifies, measures with both instruments as the profile standard
does, and judges. In it are orjson, twice, the standard library, orjson made 5 % slower,
and orjson in the same wrapper (slower.py). Separate because its subject is the
laboratory: METHODOLOGY shows its figures. Invariant: every run counts.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import twins
from snooze_lab.model import REFERENCE, STANDARD
from snooze_lab.planning import byob, plan
from snooze_lab.running import runs
from snooze_lab.worker.launch import Launcher

if TYPE_CHECKING:
    from collections.abc import Iterator

SLOWER, SAME = "slower:loads,dumps", "slower:same,same_dumps"
#: Where workers import slower.py from.
HERE = Path(__file__).resolve().parent
#: Seconds of one process of the interleaved instrument.
SECONDS = 0.3
#: The time for all samples of a run.
LIMIT_S = 40.0
DOCUMENT = "many customers"


def one(folder: Path, seed: int, limit: float) -> dict[str, Any]:
    """Make a run in a folder; return its results."""
    file = folder / "document.json"
    file.write_bytes(twins.text(DOCUMENT))
    libraries = [REFERENCE, STANDARD, SLOWER, SAME]
    whole = byob.tables([file], libraries, seconds=SECONDS)
    chosen = plan.changed(whole, lambda one: [one] if "time" in one.metrics else [])
    settings = runs.Settings(
        seed=seed, output=folder / "run", launch=Launcher(path=(str(HERE),))
    )
    runs.LIMITS[settings.profile] = limit
    return runs.go_on(runs.start(chosen, settings), settings)


def verdicts(results: dict[str, Any]) -> Iterator[tuple[str, str, str, str]]:
    """Yield operation, contender, instrument and verdict of both contenders."""
    for table in results["studies"][0]["tables"]:
        for row in table["rows"]:
            for name in (SLOWER, SAME):
                for instrument, effects in row["cells"][name]["effects"].items():
                    said = effects["time"]["verdict"]
                    yield row["operation"], name, instrument, said


def main() -> None:
    """Make the runs, and print what they say."""
    parser = argparse.ArgumentParser(
        prog="python lab/tests/planted.py",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--limit", type=float, default=LIMIT_S, help="seconds of a run")
    options = parser.parse_args()
    if options.runs < 1 or options.limit < 0:
        parser.error("expected 1 run or more, and seconds")
    counts: Counter[tuple[str, str, str, str]] = Counter()
    for number in range(options.runs):
        with tempfile.TemporaryDirectory() as folder:
            counts.update(verdicts(one(Path(folder), number + 1, options.limit)))
        print(f"\r{number + 1} of {options.runs}", end="", file=sys.stderr)
    print(file=sys.stderr)
    for name, what in ((SLOWER, "5 % slower"), (SAME, "as fast")):
        print(f"orjson, {what}:")
        for operation, instrument in sorted({(a, b) for a, _, b, _ in counts}):
            said = {
                key[3]: count
                for key, count in sorted(counts.items())
                if key[:3] == (operation, name, instrument)
            }
            shown = ", ".join(f"{word} {count}" for word, count in said.items())
            print(f"  {operation} {instrument:12} {shown} of {options.runs}")


if __name__ == "__main__":
    main()
