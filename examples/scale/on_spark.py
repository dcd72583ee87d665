"""The failures of each service, on Spark 4. Usage: python on_spark.py LOG."""

import os
import sys

from pyspark.sql import SparkSession, functions

from snooze.adapters.spark import LinesDataSource


def failures(path: str) -> list[tuple[str, int, float]]:
    """Return for each service its name, its failures, and the slowest in ms."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master("local[2]").appName("snooze")
    session = builder.config("spark.ui.enabled", "false").getOrCreate()
    session.dataSource.register(LinesDataSource)
    log = (
        session.read.format("snooze")
        .option("columns", "service,status,duration_ms")
        .option("drift", "error")
        .load(path)
    )
    rows = (
        log.filter("status >= 500")
        .groupBy("service")
        .agg(functions.count("*"), functions.max("duration_ms"))
        .orderBy("service")
        .collect()
    )
    return [tuple(row) for row in rows]


if __name__ == "__main__":
    for row in failures(sys.argv[1]):
        print(*row)
