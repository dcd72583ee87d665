"""Race `snooze.scan` against the engines' own readers of JSON Lines.

Separate from the laboratory because the engines are large: they have an environment of
their own (`make test-engines` makes it). Every run is a process: it reads a file of the
page cache into Arrow tables in memory, and prints its processor time and the sums of
its columns. Invariants: runs are interleaved; the least processor time of each reader
counts; a reader whose rows or sums differ from the others' is reported as WRONG.

usage: scan_race.py make FOLDER [MEGABYTES]   write the files log.ndjson and gh.ndjson
       scan_race.py race FOLDER [ROUNDS [ONLY]]  print the tables, or those in whose
                                                 title a text stands, such as "where"
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

LEVELS = ("DEBUG", "INFO", "INFO", "INFO", "WARN", "ERROR")
WORDS = [
    "the",
    "of",
    "request",
    "user",
    "cache",
    "miss",
    "retry",
    "upstream",
    "closed",
    "timeout",
    "größe",
    "名前",
]
THREE = {
    "log": ("ts", "status", "duration_ms"),
    "gh": ("id", "type", "created_at"),
}
#: A column of strings, and its values that a hundredth of the records have; 3 in 100 in gh.
WHERE = {
    "log": ("host", ("host-007.example", "host-123.example")),
    "gh": ("type", ("ForkEvent",)),
}


def log_record(rng: random.Random, number: int) -> dict[str, Any]:
    """Return a flat record of 13 members."""
    message = " ".join(rng.choices(WORDS[:-2], k=8))
    if rng.random() < 0.15:
        message += "\n  at line\n"
    if rng.random() < 0.07:
        message += " größe 名前"
    return {
        "ts": 1_760_000_000_000 + number * 13,
        "level": rng.choice(LEVELS),
        "service": f"service-{rng.randrange(20)}",
        "host": f"host-{rng.randrange(200):03}.example",
        "status": rng.choice((200, 200, 200, 204, 301, 404, 500)),
        "duration_ms": round(rng.expovariate(0.05), 3),
        "bytes": rng.randrange(100_000),
        "user_id": rng.randrange(10**6) if rng.random() < 0.7 else None,
        "cached": rng.random() < 0.4,
        "method": rng.choice(("GET", "POST", "PUT")),
        "path": f"/api/v1/items/{rng.randrange(10**5)}/parts",
        "trace": f"{rng.getrandbits(64):016x}",
        "message": message,
    }


def user(rng: random.Random) -> dict[str, Any]:
    """Return an account."""
    number = rng.randrange(10**7)
    name = f"user{number}"
    return {
        "id": number,
        "login": name,
        "display_login": name,
        "gravatar_id": "",
        "url": f"https://api.example/users/{name}",
        "avatar_url": f"https://avatars.example/u/{number}?",
    }


def issue(rng: random.Random) -> dict[str, Any]:
    """Return an issue."""
    return {
        "url": f"https://api.example/issues/{rng.randrange(10**6)}",
        "number": rng.randrange(5000),
        "title": " ".join(rng.choices(WORDS, k=6)),
        "user": user(rng),
        "labels": [
            {"name": rng.choice(WORDS), "color": "ededed", "default": False}
            for _ in range(rng.randrange(3))
        ],
        "state": "open",
        "locked": False,
        "assignee": user(rng) if rng.random() < 0.3 else None,
        "comments": rng.randrange(40),
        "body": "\n".join(" ".join(rng.choices(WORDS, k=9)) for _ in range(3)),
    }


def payload(rng: random.Random, kind: str) -> dict[str, Any]:
    """Return the payload of a kind of event."""
    if kind == "PushEvent":
        commits = [
            {
                "sha": f"{rng.getrandbits(160):040x}",
                "author": {"email": "a@b.example", "name": rng.choice(WORDS)},
                "message": " ".join(rng.choices(WORDS, k=7)),
                "distinct": True,
                "url": "https://api.example/commits/1",
            }
            for _ in range(rng.randrange(1, 4))
        ]
        head = f"{rng.getrandbits(160):040x}"
        return {
            "push_id": rng.getrandbits(33),
            "size": len(commits),
            "head": head,
            "commits": commits,
        }
    if kind == "IssueCommentEvent":
        comment = {
            "id": rng.getrandbits(30),
            "user": user(rng),
            "body": " ".join(rng.choices(WORDS, k=30)),
        }
        return {"action": "created", "issue": issue(rng), "comment": comment}
    if kind == "PullRequestEvent":
        pull = issue(rng) | {
            "merged": False,
            "additions": rng.randrange(900),
            "base": {
                "ref": "main",
                "sha": f"{rng.getrandbits(160):040x}",
                "user": user(rng),
            },
            "draft": None,
        }
        return {"action": "opened", "number": pull["number"], "pull_request": pull}
    if kind == "CreateEvent":
        return {
            "ref": "main",
            "ref_type": "branch",
            "master_branch": "main",
            "description": None,
        }
    if kind == "ForkEvent":
        return {
            "forkee": {
                "id": rng.getrandbits(30),
                "owner": user(rng),
                "private": False,
                "size": 1.5,
            }
        }
    return {"action": "started"}


def gh_record(rng: random.Random, number: int) -> dict[str, Any]:
    """Return an event like those of a code host, in one of six shapes."""
    kinds = (
        "PushEvent",
        "IssueCommentEvent",
        "PullRequestEvent",
        "CreateEvent",
        "ForkEvent",
        "WatchEvent",
    )
    kind = rng.choices(kinds, weights=(50, 7, 20, 10, 3, 10))[0]
    name = f"owner{rng.randrange(9999)}/project"
    record = {
        "id": str(20_000_000_000 + number),
        "type": kind,
        "actor": user(rng),
        "repo": {
            "id": rng.getrandbits(28),
            "name": name,
            "url": f"https://api.example/repos/{name}",
        },
        "payload": payload(rng, kind),
        "public": True,
        "created_at": f"2026-11-{number % 28 + 1:02}T{number % 24:02}:00:00Z",
    }
    if rng.random() < 0.3:
        record["org"] = user(rng)
    return record


def make(folder: Path, megabytes: int) -> None:
    """Write both files."""
    for name, record in (("log", log_record), ("gh", gh_record)):
        rng, size, number = random.Random(7), 0, 0
        with (folder / f"{name}.ndjson").open("w", encoding="utf-8") as file:
            while size < megabytes << 20:
                text = json.dumps(
                    record(rng, number), ensure_ascii=False, separators=(",", ":")
                )
                size += file.write(text + "\n")
                number += 1


def filtered(reader: str, path: str, columns: tuple[str, ...]) -> Any:
    """Return the table of some columns of the records that meet a condition."""
    library, _, mode = reader.partition(":")
    tested, values = WHERE[Path(path).stem]
    schema = given_schema(path, tuple(dict.fromkeys((*columns, tested))))
    if library in {"snooze", "adapter"}:
        import pyarrow as pa

        import snooze

        check: Any = "read" if "read" in mode else "all"
        where = f"{tested} in {list(values)}" if library == "snooze" else None
        threads = 2 if "two" in mode else 1
        scan = snooze.scan(path, schema, where=where, check=check, threads=threads)
        if library == "snooze":
            scan = scan.select(columns)
            return pa.RecordBatchReader.from_stream(scan).read_all()
        from snooze.adapters.polars import lazy_frame

        frame = lazy_frame(scan)
    elif library == "polars":
        import polars as pl

        types = pl.from_arrow(schema.empty_table()).schema
        frame = pl.scan_ndjson(path, schema=types)
    elif library == "duckdb":
        import duckdb

        names = {"int64": "BIGINT", "double": "DOUBLE", "string": "VARCHAR"}
        spec = ", ".join(f"{f.name}: '{names[str(f.type)]}'" for f in schema)
        found = ", ".join(f"'{one}'" for one in values)
        # No text of another person is in the query.
        return duckdb.sql(
            f"SELECT {', '.join(columns)} FROM read_json('{path}', "  # noqa: S608
            f"format='newline_delimited', columns={{{spec}}}) WHERE {tested} IN ({found})"
        ).to_arrow_table()
    else:
        import pyarrow as pa
        import pyarrow.compute as pc

        table = table_of(reader, path, tuple(schema.names))
        return table.filter(pc.field(tested).isin(list(values))).select(columns)
    import polars as pl

    return frame.filter(pl.col(tested).is_in(values)).select(columns).collect()


def table_of(reader: str, path: str, columns: tuple[str, ...] | None) -> Any:
    """Return the table that one reader makes of a file."""
    library, _, mode = reader.partition(":")
    if library == "snooze":
        import pyarrow as pa

        import snooze

        options: dict[str, Any] = {"threads": 2 if "two" in mode else 1}
        if "sample" in mode:
            options["drift"] = "error"
        if "read" in mode:
            options["check"] = "read"
        if "given" in mode:
            options["schema"] = pa.ipc.read_schema(
                pa.py_buffer(Path(path + ".schema").read_bytes())
            )
        # Not `pa.table`, whose first call imports pandas.
        scan = snooze.scan(path, columns=columns, **options)
        return pa.RecordBatchReader.from_stream(scan).read_all()
    if library == "pyarrow":
        from pyarrow import json as reading

        block = reading.ReadOptions(block_size=16 << 20)
        parse = None
        if columns is not None:
            parse = reading.ParseOptions(
                explicit_schema=given_schema(path, columns),
                unexpected_field_behavior="ignore",
            )
        return reading.read_json(path, read_options=block, parse_options=parse)
    if library == "polars":
        import polars as pl

        if columns is None:
            return pl.scan_ndjson(path, infer_schema_length=1000).collect()
        types = pl.from_arrow(given_schema(path, columns).empty_table()).schema
        return pl.scan_ndjson(path, schema=types).collect()
    if library == "duckdb":
        import duckdb

        if columns is None:
            return duckdb.sql(
                f"FROM read_json('{path}', format='newline_delimited')"
            ).to_arrow_table()
        names = {"int64": "BIGINT", "double": "DOUBLE", "string": "VARCHAR"}
        spec = ", ".join(
            f"{f.name}: '{names[str(f.type)]}'" for f in given_schema(path, columns)
        )
        query = (
            f"FROM read_json('{path}', format='newline_delimited', columns={{{spec}}})"
        )
        return duckdb.sql(query).to_arrow_table()
    raise SystemExit(f"no such reader: {reader}")


def given_schema(path: str, columns: tuple[str, ...]) -> Any:
    """Return the schema of some columns."""
    import pyarrow as pa

    schema = pa.ipc.read_schema(pa.py_buffer(Path(path + ".schema").read_bytes()))
    return pa.schema([schema.field(name) for name in columns])


def one(reader: str, path: str, columns: str) -> None:
    """Read once; print processor time, peak memory in MB, rows and a sum."""
    import resource

    import pyarrow as pa

    if reader.startswith("adapter"):
        __import__("snooze.adapters.polars")
    for module in ("polars", "duckdb", "snooze", "pyarrow.json"):
        if reader.startswith(module.split(".", maxsplit=1)[0]):
            __import__(module)
    before, wall = time.process_time(), time.perf_counter()
    names = tuple(columns.removeprefix("where ").split(",")) if columns else None
    if names is not None and columns.startswith("where "):
        table = filtered(reader, path, names)
    else:
        table = table_of(reader, path, names)
    seconds, wall = time.process_time() - before, time.perf_counter() - wall
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    table = pa.table(table)
    import pyarrow.compute as pc

    name = "status" if "log" in Path(path).name else "id"
    total = pc.sum(pc.cast(table[name], "int64")).as_py()
    print(json.dumps([seconds, wall, peak, [table.num_rows, total]]))


def race(folder: Path, rounds: int, only: str) -> None:
    """Print the table of all readers."""
    import pyarrow as pa

    import snooze

    rows = [
        "snooze:sample",
        "snooze:given",
        "snooze",
        "snooze:given two",
        "polars",
        "duckdb",
        "pyarrow",
    ]
    three = [
        "snooze:sample",
        "snooze:given",
        "snooze:given read",
        "polars",
        "duckdb",
        "pyarrow",
    ]
    some = [
        "snooze",
        "snooze:read",
        "snooze:read two",
        "adapter",
        "adapter:read",
        "polars",
        "duckdb",
        "pyarrow",
    ]
    for name in ("log", "gh"):
        path = folder / f"{name}.ndjson"
        schema = pa.schema(snooze.scan(path))
        Path(f"{path}.schema").write_bytes(schema.serialize())
        size = path.stat().st_size / 1e6
        for title, columns, readers in (
            ("all columns", "", rows),
            (", ".join(THREE[name]), ",".join(THREE[name]), three),
            (
                f"{', '.join(THREE[name])} where {WHERE[name][0]} in {WHERE[name][1]}",
                f"where {','.join(THREE[name])}",
                some,
            ),
        ):
            if only not in title:
                continue
            found: dict[str, list[Any]] = {reader: [] for reader in readers}
            for _ in range(rounds):
                for reader in readers:
                    command = [
                        sys.executable,
                        __file__,
                        "one",
                        reader,
                        str(path),
                        columns,
                    ]
                    done = subprocess.run(
                        command, capture_output=True, text=True, check=False
                    )
                    if done.returncode:
                        found[reader].append(
                            [float("inf"), float("inf"), 0, done.stderr[-200:]]
                        )
                    else:
                        found[reader].append(json.loads(done.stdout))
            print(
                f"\n{path.name} ({size:.0f} MB), {title}: MB per CPU second, MB per second, peak MB"
            )
            right = found[readers[0]][0][3]
            for reader, runs in found.items():
                cpu, wall = min(run[0] for run in runs), min(run[1] for run in runs)
                note = (
                    ""
                    if all(run[3] == right for run in runs)
                    else f"  WRONG {runs[0][3]}"
                )
                peak = max(run[2] for run in runs)
                print(
                    f"  {reader:20} {size / cpu:8.0f} {size / wall:8.0f} {peak:8}{note}",
                    flush=True,
                )


def main() -> None:
    """Run the command line."""
    command, *rest = sys.argv[1:] or ["help"]
    if command == "make":
        make(Path(rest[0]), int(rest[1]) if len(rest) > 1 else 250)
    elif command == "race":
        rounds = int(rest[1]) if len(rest) > 1 else 5
        race(Path(rest[0]), rounds, rest[2] if len(rest) > 2 else "")
    elif command == "one":
        one(*rest)
    else:
        print(__doc__)


if __name__ == "__main__":
    main()
