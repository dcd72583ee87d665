"""The failures of each service, with a loop. Usage: python by_hand.py LOG."""

import sys
from pathlib import Path

import snooze


def failures(path: str) -> list[tuple[str, int, float]]:
    """Return for each service its name, its failures, and the slowest in ms."""
    found: dict[str, tuple[int, float]] = {}
    with Path(path).open("rb") as file:
        for line in file:
            record = snooze.loads(line)
            if record["status"] >= 500:
                count, slowest = found.get(record["service"], (0, 0.0))
                longer = max(slowest, record["duration_ms"])
                found[record["service"]] = (count + 1, longer)
    return sorted((service, *rest) for service, rest in found.items())


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python by_hand.py FILE")
    for row in failures(sys.argv[1]):
        print(*row)
