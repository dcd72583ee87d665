"""How each library reads JSON Lines into Arrow tables, or writes them.

Separate because fairness is decided here. Every library is called as its own
documentation says, with as many threads as the others of its contest, and makes Arrow
in memory; modules are imported and schemas converted before the clock. A function takes
a Job and returns the call to measure. `given` contests give every library the schema,
the others give it to none.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    Call = Callable[[], Any]


@dataclass(frozen=True)
class Job:
    """What to read: `schema` (None: infer), columns (None: all), rows, threads."""

    path: str
    schema: Any
    columns: list[str] | None
    #: A column of strings and the values of it that rows must have.
    where: tuple[str, list[str]] | None
    threads: int

    def sql(self, source: str) -> str:
        """Return the query of an engine with SQL."""
        names = "*" if self.columns is None else ", ".join(self.columns)
        text = f"SELECT {names} FROM {source}"  # noqa: S608 - no text of others
        if self.where is not None:
            values = ", ".join(f"'{one}'" for one in self.where[1])
            text += f" WHERE {self.where[0]} IN ({values})"
        return text


def snooze(job: Job, **options: Any) -> Call:
    """Read with `scan`; with a sample for the schema where it is inferred."""
    import pyarrow as pa

    from snooze import scan

    options["threads"] = job.threads
    if job.schema is None:
        options.setdefault("drift", "error")
    if job.where is not None:
        options["where"] = f"{job.where[0]} in {job.where[1]}"

    def call() -> Any:
        # Not `pa.table`, whose first call imports pandas.
        found = scan(job.path, job.schema, columns=job.columns, **options)
        return pa.RecordBatchReader.from_stream(found).read_all()

    return call


def snooze_stream(job: Job) -> Call:
    """Read batch by batch, and keep only one number of each record."""
    import pyarrow as pa
    import pyarrow.compute as pc

    from snooze import scan

    # The first scalar of a process imports pandas, if there is one.
    pc.add(pa.array([0]), 0)

    def call() -> Any:
        found = scan(job.path, job.schema, columns=job.columns, threads=job.threads)
        name = "status" if "status" in found.columns else "id"
        # The sum is a copy: a column itself would keep its whole batch in memory.
        columns = (pa.record_batch(one).column(name) for one in found)
        kept = [pc.add(pc.cast(one, "int64"), 0) for one in columns]
        return pa.table({name: pa.chunked_array(kept)})

    return call


def snooze_polars(job: Job) -> Call:
    """Read lazily through the adapter for Polars."""
    from snooze import scan
    from snooze.adapters.polars import lazy_frame

    return lambda: _of_polars(job, lazy_frame(scan(job.path, job.schema, check="read")))


def polars(job: Job) -> Call:
    """Read with `scan_ndjson`."""
    import polars as pl

    schema = None
    if job.schema is not None:
        schema = pl.from_arrow(job.schema.empty_table()).schema
    # From 100 records, its default, it cannot read the nested file.
    options = {"schema": schema, "infer_schema_length": 1000}
    return lambda: _of_polars(job, pl.scan_ndjson(job.path, **options))


def _of_polars(job: Job, frame: Any) -> Any:
    import polars as pl

    if job.where is not None:
        frame = frame.filter(pl.col(job.where[0]).is_in(job.where[1]))
    if job.columns is not None:
        frame = frame.select(job.columns)
    return frame.collect()


def duckdb(job: Job) -> Call:
    """Read with `read_json`."""
    import duckdb as engine

    connection = engine.connect()
    connection.execute(f"SET threads = {job.threads}")
    spec = ""
    if job.schema is not None:
        empty = connection.from_arrow(job.schema.empty_table())
        # DuckDB writes the type of a column that is always null as "NULL".
        kinds = [str(one).replace('"NULL"', "INTEGER") for one in empty.types]
        pairs = zip(empty.columns, kinds, strict=True)
        spec = ", ".join(f"'{name}': '{kind}'" for name, kind in pairs)
        spec = f", columns={{{spec}}}"
    source = f"read_json('{job.path}', format='newline_delimited'{spec})"
    return lambda: connection.sql(job.sql(source)).to_arrow_table()


def pyarrow(job: Job) -> Call:
    """Read with `pyarrow.json`, whose default blocks are smaller and slower."""
    import pyarrow.compute as pc
    from pyarrow import json as reading

    options = reading.ReadOptions(block_size=16 << 20, use_threads=job.threads > 1)
    parse = None
    if job.schema is not None:
        behaviour = "ignore" if job.columns else "error"
        parse = reading.ParseOptions(
            explicit_schema=job.schema, unexpected_field_behavior=behaviour
        )

    def call() -> Any:
        found = reading.read_json(job.path, read_options=options, parse_options=parse)
        if job.where is not None:
            found = found.filter(pc.field(job.where[0]).isin(job.where[1]))
        return found if job.columns is None else found.select(job.columns)

    return call


def datafusion(job: Job) -> Call:
    """Read with `register_json`."""
    from datafusion import SessionConfig, SessionContext

    settings = SessionConfig().with_target_partitions(job.threads)

    def call() -> Any:
        session = SessionContext(settings)
        options = {} if job.schema is None else {"schema": job.schema}
        session.register_json("t", job.path, file_extension=".ndjson", **options)
        return session.sql(job.sql("t")).to_arrow_table()

    return call


def arro3(job: Job) -> Call:
    """Read with arrow-rs, through arro3."""
    import pyarrow as pa
    from arro3.io import infer_json_schema, read_json

    _reads_all_rows(job)

    def call() -> Any:
        schema = job.schema
        if schema is None:
            schema = infer_json_schema(job.path, max_records=1000)
        found = pa.RecordBatchReader.from_stream(read_json(job.path, schema)).read_all()
        return found if job.columns is None else found.select(job.columns)

    return call


def awkward(job: Job) -> Call:
    """Read with `from_json`, and convert to Arrow, which copies nothing large."""
    import awkward as ak

    _infers(job)
    # The converter needs the module before the clock.
    import pyarrow.parquet  # noqa: F401

    def call() -> Any:
        found = ak.from_json(Path(job.path), line_delimited=True)
        return ak.to_arrow_table(found, extensionarray=False)

    return call


def daft(job: Job) -> Call:
    """Read with `daft.read_json`."""
    import daft as engine

    _infers(job)
    return lambda: engine.read_json(job.path).to_arrow()


def chdb(job: Job) -> Call:
    """Read with ClickHouse inside Python."""
    import chdb as engine
    import pyarrow as pa

    _infers(job)
    source = job.sql(f"file('{job.path}', 'JSONEachRow')")
    query = f"{source} SETTINGS max_threads = {job.threads}"

    def call() -> Any:
        found = engine.query(query, "ArrowStream").bytes()
        return pa.ipc.open_stream(found).read_all()

    return call


def orjson(job: Job) -> Call:
    """Parse every line with orjson, and make a table of the values."""
    import orjson as library
    import pyarrow as pa

    _reads_all_rows(job)

    def call() -> Any:
        with Path(job.path).open("rb") as file:
            rows = [library.loads(line) for line in file]
        return pa.Table.from_pylist(rows, schema=job.schema)

    return call


def gzip(job: Job) -> Call:
    """Decompress alone, which no reader of the file can be faster than."""
    import zlib

    def call() -> Any:
        left = zlib.decompressobj(31)
        with Path(job.path).open("rb") as file:
            while block := file.read(1 << 18):
                left.decompress(block)

    return call


def _reads_all_rows(job: Job) -> None:
    if job.where is not None:
        raise NotImplementedError("it has no predicates")


def _infers(job: Job) -> None:
    if job.schema is not None:
        raise NotImplementedError("it takes part where every library infers")


def write_snooze(table: Any, target: str) -> Call:
    """Write with `write_lines`."""
    from snooze import write_lines

    return lambda: write_lines(table, target)


def write_polars(table: Any, target: str) -> Call:
    """Write with `write_ndjson`, from Polars' own frame."""
    import polars as pl

    frame: Any = pl.from_arrow(table)
    return lambda: frame.write_ndjson(target)


def write_duckdb(table: Any, target: str) -> Call:
    """Write with COPY, on one thread."""
    import duckdb as engine

    connection = engine.connect()
    connection.execute("SET threads = 1")
    connection.register("made", table)
    return lambda: connection.execute(f"COPY made TO '{target}' (FORMAT json)")


def write_orjson(table: Any, target: str) -> Call:
    """Write every row of `to_pylist` with orjson; pyarrow has no such writer."""
    import orjson as library

    def call() -> None:
        with Path(target).open("wb") as file:
            for batch in table.to_batches(max_chunksize=10_000):
                rows = batch.to_pylist()
                file.writelines(library.dumps(one) + b"\n" for one in rows)

    return call


def as_table(made: Any) -> Any:
    """Return what a reader made as a table of pyarrow."""
    import pyarrow as pa

    return made.to_arrow() if hasattr(made, "to_arrow") else pa.table(made)


def truth_of(made: Any, name: str) -> list[int]:
    """Return the rows of a table and the sum of a column, as numbers."""
    import pyarrow.compute as pc

    table = as_table(made)
    return [table.num_rows, pc.sum(pc.cast(table[name], "int64")).as_py()]


def written(target: str, name: str) -> list[int]:
    """Return the same of a written file, by the standard library."""
    rows = total = 0
    with Path(target).open("rb") as file:
        for line in file:
            rows += 1
            total += int(json.loads(line)[name])
    return [rows, total]


READERS: dict[str, Callable[[Job], Call]] = {
    "snooze": snooze,
    "orjson again": snooze,
    # What is not asked for is not checked.
    "snooze read": partial(snooze, check="read"),
    # The schema is inferred from all records first.
    "snooze whole": partial(snooze, drift="widen"),
    "snooze stream": snooze_stream,
    "snooze polars": snooze_polars,
    "polars": polars,
    "duckdb": duckdb,
    "pyarrow": pyarrow,
    "datafusion": datafusion,
    "arro3": arro3,
    "awkward": awkward,
    "daft": daft,
    "chdb": chdb,
    "orjson lines": orjson,
    "gzip": gzip,
}
WRITERS = {
    "snooze": write_snooze,
    "orjson again": write_snooze,
    "polars": write_polars,
    "duckdb": write_duckdb,
    "orjson lines": write_orjson,
}
