"""The failures of each service, on DataFusion. Usage: python on_datafusion.py LOG."""

import sys

import datafusion

import snooze

COLUMNS = ("service", "status", "duration_ms")


def failures(path: str) -> list[tuple[str, int, float]]:
    """Return for each service its name, its failures, and the slowest in ms."""
    context = datafusion.SessionContext()
    context.from_arrow(snooze.scan(path, columns=COLUMNS, drift="error"), name="log")
    table = context.sql(
        "SELECT service, count(*) AS failed, max(duration_ms) AS slowest FROM log "
        "WHERE status >= 500 GROUP BY service ORDER BY service"
    ).to_arrow_table()
    return [tuple(row.values()) for row in table.to_pylist()]


if __name__ == "__main__":
    for row in failures(sys.argv[1]):
        print(*row)
