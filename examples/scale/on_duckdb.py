"""The failures of each service, on DuckDB. Usage: python on_duckdb.py LOG."""

import sys

import duckdb

import snooze

COLUMNS = ("service", "status", "duration_ms")


def failures(path: str) -> list[tuple[str, int, float]]:
    """Return for each service its name, its failures, and the slowest in ms."""
    log = snooze.scan(path, columns=COLUMNS, drift="error")
    with duckdb.connect() as connection:
        connection.register("log", log)
        return connection.execute(
            "SELECT service, count(*), max(duration_ms) FROM log "
            "WHERE status >= 500 GROUP BY service ORDER BY service"
        ).fetchall()


if __name__ == "__main__":
    for row in failures(sys.argv[1]):
        print(*row)
