"""The failures of each service, on Polars. Usage: python on_polars.py LOG."""

import sys

import polars as pl

import snooze
from snooze.adapters.polars import lazy_frame


def failures(path: str) -> list[tuple[str, int, float]]:
    """Return for each service its name, its failures, and the slowest in ms."""
    log = lazy_frame(snooze.scan(path, drift="error"))
    return (
        log.filter(pl.col("status") >= 500)
        .group_by("service")
        .agg(pl.len(), pl.col("duration_ms").max())
        .sort("service")
        .collect()
        .rows()
    )


if __name__ == "__main__":
    for row in failures(sys.argv[1]):
        print(*row)
