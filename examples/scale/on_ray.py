"""The failures of each service, on Ray Data. Usage: python on_ray.py LOG."""

import sys

from ray.data.aggregate import Count, Max
from ray.data.expressions import col

import snooze
from snooze.adapters.ray import dataset


def failures(path: str) -> list[tuple[str, int, float]]:
    """Return for each service its name, its failures, and the slowest in ms."""
    log = dataset(snooze.scan(path, drift="error"))
    rows = (
        log.filter(expr=col("status") >= 500)
        .select_columns(["service", "duration_ms"])
        .groupby("service")
        .aggregate(Count(alias_name="failed"), Max("duration_ms", alias_name="slowest"))
        .take_all()
    )
    return sorted((row["service"], row["failed"], row["slowest"]) for row in rows)


if __name__ == "__main__":
    for row in failures(sys.argv[1]):
        print(*row)
