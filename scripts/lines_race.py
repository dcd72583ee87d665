"""Race `snooze.write_lines` against what writes JSON Lines elsewhere.

Separate from scan_race.py, which goes the other way and makes the files. The others are
polars, DuckDB and pandas; pyarrow has no such writer. Every run is a process: it has
the table in memory, in the form of its library, writes it to a file of a memory file
system, and prints its processor time. Invariants: runs are interleaved; the least
processor time of each writer counts; the lines of each are read back by `snooze.scan`,
and a writer whose sums differ is WRONG.
"plain write" copies the bytes of the text to the file: what no writer can be faster
than.

usage: lines_race.py FOLDER [ROUNDS]    of log.ndjson and gh.ndjson (scan_race.py)
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

WRITERS = ("snooze", "snooze omit", "polars", "duckdb", "pandas", "plain write")
#: pandas is slow and needs much memory: it writes these rows of each table.
PANDAS_ROWS = 20_000


def one(writer: str, source: str, target: str) -> None:
    """Write once; print seconds, bytes, rows and a sum of what was written."""
    import pyarrow as pa

    import snooze

    table = pa.RecordBatchReader.from_stream(snooze.scan(source)).read_all()
    made: Any = table
    if writer == "polars":
        import polars as pl

        made = pl.from_arrow(table)
    elif writer == "duckdb":
        import duckdb

        connection = duckdb.connect()
        connection.execute("SET threads = 1")
    elif writer == "pandas":
        made = table.slice(0, PANDAS_ROWS).to_pandas()
    elif writer == "plain write":
        made = Path(source).read_bytes()
    before = time.process_time()
    if writer.startswith("snooze"):
        snooze.write_lines(made, target, nulls="omit" if "omit" in writer else "keep")
    elif writer == "polars":
        made.write_ndjson(target)
    elif writer == "duckdb":
        connection.sql(f"COPY made TO '{target}' (FORMAT json)")
    elif writer == "pandas":
        made.to_json(target, orient="records", lines=True)
    else:
        Path(target).write_bytes(made)
    seconds = time.process_time() - before
    name = "status" if "log" in Path(source).name else "id"
    rows = total = 0
    for batch in snooze.scan(target, columns=[name]):
        column = pa.record_batch(batch).column(0).cast("int64")
        rows += len(column)
        total += sum(column.to_pylist())
    print(json.dumps([seconds, Path(target).stat().st_size, [rows, total]]))


def race(folder: Path, rounds: int) -> None:
    """Print the table of all writers."""
    memory = "/dev/shm" if os.path.isdir("/dev/shm") else None  # noqa: PTH112, S108
    with tempfile.TemporaryDirectory(dir=memory) as scratch:
        for name in ("log", "gh"):
            source = str(folder / f"{name}.ndjson")
            found: dict[str, list[Any]] = {writer: [] for writer in WRITERS}
            for _ in range(rounds):
                for writer, runs in found.items():
                    target = str(Path(scratch) / "out.ndjson")
                    done = subprocess.run(
                        [sys.executable, __file__, "one", writer, source, target],
                        capture_output=True,
                        text=True,
                        check=False,
                    )
                    if done.returncode:
                        runs.append([float("inf"), 0, done.stderr[-200:]])
                    else:
                        runs.append(json.loads(done.stdout))
            print(f"\n{name}.ndjson: MB of text per CPU second, rows per CPU second")
            right = found["snooze"][0][2]
            for writer, runs in found.items():
                seconds, size, result = min(runs)
                rows = result[0] if isinstance(result, list) else 0
                is_right = result == right or (writer == "pandas" and rows)
                note = "" if is_right else f"  WRONG {result}"
                print(
                    f"  {writer:12} {size / 1e6 / seconds:8.0f} "
                    f"{rows / seconds:12,.0f}{note}",
                    flush=True,
                )


def main() -> None:
    """Run the command line."""
    command, *rest = sys.argv[1:] or ["help"]
    if command == "one":
        one(*rest)
    elif command in {"help", "-h", "--help"}:
        print(__doc__)
    else:
        race(Path(command), int(rest[0]) if rest else 3)


if __name__ == "__main__":
    main()
