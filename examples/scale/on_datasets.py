"""The failures of each service, on Hugging Face datasets.

Usage: python on_datasets.py LOG.
"""

import sys
from typing import Any

import snooze
from snooze.adapters.datasets import iterable_dataset

COLUMNS = ("service", "status", "duration_ms")


def failures(path: str) -> list[tuple[str, int, float]]:
    """Return for each service its name, its failures, and the slowest in ms."""
    log = iterable_dataset(snooze.scan(path, columns=COLUMNS, drift="error"))
    failed = log.filter(_has_failed, batched=True).with_format("arrow")
    found: dict[str, tuple[int, float]] = {}
    for batch in failed.iter(batch_size=65_536):
        groups = batch.group_by("service")
        table = groups.aggregate([("duration_ms", "count"), ("duration_ms", "max")])
        for row in table.to_pylist():
            count, slowest = found.get(row["service"], (0, 0.0))
            found[row["service"]] = (
                count + row["duration_ms_count"],
                max(slowest, row["duration_ms_max"]),
            )
    return sorted((service, *rest) for service, rest in found.items())


def _has_failed(batch: dict[str, Any]) -> list[bool]:
    return [status >= 500 for status in batch["status"]]


if __name__ == "__main__":
    for row in failures(sys.argv[1]):
        print(*row)
