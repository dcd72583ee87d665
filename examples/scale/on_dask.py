"""The failures of each service, on Dask. Usage: python on_dask.py LOG."""

import sys

import snooze
from snooze.adapters.dask import dataframe


def failures(path: str) -> list[tuple[str, int, float]]:
    """Return for each service its name, its failures, and the slowest in ms."""
    log = dataframe(snooze.scan(path, drift="error"))
    groups = log[log["status"] >= 500].groupby("service")["duration_ms"]
    found = groups.agg(["count", "max"]).compute(scheduler="threads").sort_index()
    return [tuple(row) for row in found.itertuples()]


if __name__ == "__main__":
    for row in failures(sys.argv[1]):
        print(*row)
