"""The readers of Ray, Dask and Spark, each beside the adapter for snooze.

Separate from readers.py because they work in several processes. Both readers of an
engine do the same work behind the reader; the engine has started, and has read a small
file, before the clock. A function takes a Job and a small file, and returns the call to
measure, which returns the rows and the sum.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from snooze_lab.scale.readers import Job

    Call = Callable[[], Any]


def ray(job: Job, small: str, name: str, *, own: bool) -> Call:
    """Read all columns with Ray Data: with pandas inside, or the adapter."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    import ray as engine
    import ray.data

    import snooze
    from snooze.adapters.ray import dataset

    engine.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False

    def read(path: str) -> list[int]:
        if own:
            found = ray.data.read_json(path, lines=True, file_extensions=None)
        else:
            found = dataset(snooze.scan(path, drift="error"))
        found = found.materialize()
        total = sum(
            sum(int(one) for one in block[name].to_pylist())
            for block in found.select_columns([name]).iter_batches(
                batch_format="pyarrow", batch_size=None
            )
        )
        return [found.count(), total]

    read(small)
    return lambda: read(job.path)


def dask(job: Job, small: str, name: str, *, own: bool) -> Call:
    """Read all columns into data frames with Dask, on two threads."""
    import dask.dataframe as dd

    import snooze
    from snooze.adapters.dask import dataframe

    def read(path: str) -> list[int]:
        if own:
            frame = dd.read_json(path, lines=True, blocksize=32 << 20)
        else:
            frame = dataframe(snooze.scan(path, drift="error"))
        found = frame.compute(scheduler="threads", num_workers=job.threads)
        return [len(found), int(found[name].astype("int64").sum())]

    read(small)
    return lambda: read(job.path)


def spark(job: Job, small: str, name: str, *, own: bool) -> Call:
    """Read three columns with Spark, both with the schema, and add them up."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession, functions
    from pyspark.sql.pandas.types import from_arrow_schema

    from snooze.adapters.spark import LinesDataSource

    builder = SparkSession.builder.master("local[2]")
    session = builder.config("spark.ui.enabled", "false").getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    session.dataSource.register(LinesDataSource)
    schema = from_arrow_schema(job.schema)

    def read(path: str) -> list[int]:
        reader = session.read.schema(schema)
        frame = reader.json(path) if own else reader.format("snooze").load(path)
        others = [functions.max(one) for one in job.schema.names if one != name]
        total = functions.sum(frame[name].cast("long"))
        [row] = frame.agg(functions.count("*"), total, *others).collect()
        return [row[0], row[1]]

    # The Java virtual machine compiles what it runs often.
    for _ in range(3):
        read(small)
    return lambda: read(job.path)


ENGINES = {"ray": ray, "dask": dask, "spark": spark}
