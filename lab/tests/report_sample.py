"""A made-up run, seeded and lifelike, that the report's tests and its authors look at.

Separate because a report needs results before the laboratory has any. Invariants: the
same seed gives the same run; it holds every kind of cell, section and odd case that the
report knows; nothing in it was measured. `python lab/tests/report_sample.py DIR` writes
a report of it.
"""

from __future__ import annotations

import dataclasses
import html
import json
import re
import sys
from pathlib import Path
from typing import Any

from report_sample_maker import (
    FIXTURES,
    FORMATS,
    JSON,
    MORE,
    STARTED,
    Maker,
    curve,
    hash_of,
    phases,
    table,
)
from snooze_lab import answer
from snooze_lab.stored.results_types import read


def shown(folder: Path) -> str:
    """Return the words of a written report, without markup and line ends."""
    text = (folder / "report.html").read_text("utf-8")
    text = re.sub(r"<style.*?</style>|<[^>]*>", " ", text, flags=re.DOTALL)
    return " ".join(html.unescape(text).split())


def studies(maker: Maker) -> list[dict[str, Any]]:
    """Return the five studies of the seeds."""
    wrong = ("wrong", "canada: 3 of 111,126 numbers differ in their last digit")
    gone = ("absent", "no wheel of it for this Python")
    unable = ("unable", "has no option to sort keys")
    every = FIXTURES | MORE
    s001 = [
        table(
            maker,
            "s001",
            "loads",
            "loads",
            "loads",
            every,
            JSON,
            scale=1.9,
            blanks={("canada", "ujson"): wrong, ("*", "pysimdjson"): gone},
        ),
        table(
            maker,
            "s001",
            "dumps",
            "dumps, warm strings",
            "dumps",
            FIXTURES,
            JSON,
            scale=0.6,
            blanks={("*", "pysimdjson"): ("unable", "reads only, it has no dumps")},
        ),
        table(
            maker,
            "s001",
            "dumps-cold",
            "dumps, cold strings",
            "dumps",
            FIXTURES,
            JSON,
            scale=0.9,
            blanks={("*", "pysimdjson"): ("unable", "reads only, it has no dumps")},
        ),
        table(
            maker,
            "s001",
            "memory",
            "Memory of loads",
            "loads",
            FIXTURES,
            JSON,
            unit="B",
            metric="peak",
            scale=4.4,
            extras=True,
            blanks={("*", "pysimdjson"): gone},
        ),
        table(
            maker,
            "s001",
            "indent",
            "dumps with two spaces",
            "indent",
            {"github": 55_827, "citm_catalog": 1_727_204},
            JSON,
            scale=1.1,
            blanks={("*", "msgspec"): ("unable", "formats only by a second pass")},
        ),
        table(
            maker,
            "s001",
            "sort",
            "dumps with sorted keys",
            "sort",
            {"twitter": 631_514},
            JSON,
            blanks={("*", "ssrjson"): unable},
        ),
        table(
            maker,
            "s001",
            "numpy",
            "dumps of numpy arrays",
            "numpy",
            {"float64 (50000, 100)": 92_000_000, "int32 (100000, 100)": 100_000_000},
            {k: JSON[k] for k in ("json", "orjson", "orjson again", "snooze")},
            scale=2.0,
            blanks={
                ("float64 (50000, 100)", "json"): (
                    "refused",
                    "would need 21.3 GB of 18.0 GB available",
                )
            },
        ),
    ]
    s002_sizes = [4.0, 40.0, 400.0, 4e3, 4e4, 4e5]
    decode = curve(
        maker,
        "loads: time against the number of fields",
        "fields",
        s002_sizes,
        {
            k: v
            for k, v in FORMATS.items()
            if k in {"json", "orjson", "snooze", "msgpack", "protobuf", "pickle5"}
        },
    )
    decode["crossovers"] = [
        {
            "contender": "msgpack",
            "against": "protobuf",
            "x": 1900.0,
            "low": 900.0,
            "high": 4200.0,
            "sentence": "msgpack overtakes protobuf at 1,900 fields (900 to 4,200).",
        }
    ]
    change = curve(
        maker,
        "loads of CRUD records: time per byte against size",
        "MB",
        [1.0, 4.0, 16.0, 64.0, 256.0, 1024.0],
        {"json": 3.9, "orjson": 1.0, "snooze": 0.62},
    )
    change["change_point"] = {
        "x": 180.0,
        "low": 96.0,
        "high": 300.0,
        "sentence": "Above 180 MB (96 to 300) each further byte costs 1.4 times as much.",
    }
    small = {
        k: FORMATS[k]
        for k in (
            "json",
            "orjson",
            "orjson again",
            "snooze",
            "msgpack",
            "protobuf",
            "pickle5",
            "bson",
        )
    }
    return [
        {
            "name": "s000",
            "title": "Energy of json and orjson",
            "seed": "000",
            "question": "Does the faster library also use less energy, at every size?",
            "tables": [
                phases(
                    maker,
                    table(
                        maker,
                        "s000",
                        "phases",
                        "CRUD records, phases apart",
                        "phases",
                        {
                            "crud?bytes=1000000": 1_000_000,
                            "crud?bytes=64000000": 64_000_000,
                        },
                        {
                            k: JSON[k]
                            for k in ("json", "orjson", "orjson again", "snooze")
                        },
                        scale=2.4,
                        extras=True,
                    ),
                )
            ],
            "curves": [change],
            "findings": [
                {
                    "claim": "At 5 GB orjson saves time but no energy.",
                    "seed_says": "631.2 ± 14.2 J against 635.7 ± 24.0 J, p = 0.50.",
                    "we_measured": "Not run at 5 GB: it needs 28.9 GB of memory. "
                    "Up to 1 GB energy follows time.",
                    "why_different": "The seed's 5 GB runs of orjson paged in 30 of 30 "
                    "trials, those of json in none.",
                },
                {
                    "claim": "json is more frugal per core.",
                    "seed_says": "CORE0: 55 kJ in 22 s.",
                    "we_measured": "No core counter here.",
                    "why_different": "2.5 kW for one core cannot be: the counter was read "
                    "on whatever core the sampler ran on.",
                },
            ],
        },
        {
            "name": "s001",
            "title": "orjson's own tables",
            "seed": "001",
            "question": "How do JSON libraries compare on orjson's own documents?",
            "tables": s001,
            "findings": [
                {
                    "claim": "loads of twitter.json: orjson is 5.3 times json.",
                    "seed_says": "5.3×, collector off, one process.",
                    "we_measured": "3.9× [3.8, 4.0] with the collector on, 4.8× with it off.",
                    "why_different": "The collector takes 36 % of json.loads.",
                }
            ],
        },
        {
            "name": "s002",
            "title": "When to dump JSON?",
            "seed": "002",
            "question": "From which size on does a binary format pay?",
            "tables": [
                table(
                    maker,
                    "s002",
                    operation,
                    f"{operation} by number of fields",
                    operation,
                    {f"plan?fields={n}": n * 20 for n in (4, 400, 40_000)},
                    FORMATS,
                )
                | {"kind": "box" if operation == "loads" else "table"}
                for operation in ("dumps", "loads")
            ],
            "curves": [decode],
            "findings": [
                {
                    "claim": "msgpack pays from 400 fields.",
                    "seed_says": "2.7 times as fast as json.",
                    "we_measured": "No size at which msgpack beats a fast JSON library.",
                    "why_different": "Only the standard library's JSON took part.",
                }
            ],
        },
        {
            "name": "s003",
            "title": "4,096 feeds",
            "seed": "003",
            "question": "Which format reads and writes many small documents fastest?",
            "tables": [
                table(
                    maker,
                    "s003",
                    "decode",
                    "All documents, decode",
                    "loads",
                    {"feeds?documents=4096": 350_168_000},
                    small | {"cjson": 1.0},
                    blanks={
                        ("*", "cjson"): (
                            "absent",
                            "cjson has had no release since 2007",
                        )
                    },
                )
            ],
            "findings": [],
        },
        {
            "name": "s004",
            "title": "Structures to JSON",
            "seed": "004",
            "question": "How fast do typed structures become JSON?",
            "tables": [
                table(
                    maker,
                    "s004",
                    "encode",
                    "Twitter structures",
                    "encode",
                    {"twitter structs": 81_000, "citm structs": 476_000},
                    {
                        k: FORMATS[k]
                        for k in ("json", "orjson", "orjson again", "snooze")
                    },
                )
            ],
            "findings": [],
        },
    ]


def conformance(maker: Maker) -> dict[str, Any]:
    """Return outcomes of 318 files by ten libraries, with the metrics of both kinds."""
    lax = {"json": 14, "ujson": 19, "rapidjson": 6, "simplejson": 10, "ssrjson": 4}
    files = []
    for kind, count in (("y", 95), ("n", 188), ("i", 35)):
        for at in range(count):
            outcomes = {}
            for name in JSON:
                if name == "orjson again":
                    continue
                good = "rejected" if kind == "n" else "accepted"
                if kind == "n" and at * 7 % 188 < lax.get(name, 0):
                    good = "accepted"
                if kind == "i":
                    good = maker.chance.choice(("accepted", "rejected"))
                if kind == "y" and name == "ujson" and at == 17:
                    good = "wrong value"
                if kind == "n" and name == "pysimdjson" and at == 100:
                    good = "crashed"
                outcomes[name] = good
            files.append(
                {
                    "file": f"{kind}_structure_{at:03d}_sample.json",
                    "expectation": kind,
                    "outcomes": outcomes,
                }
            )
    columns = [name for name in JSON if name != "orjson again"]
    return {
        "columns": columns,
        "metrics": [
            {
                "name": name,
                "values": {
                    c: sum(
                        f["outcomes"][c] == "accepted" and f["expectation"] in kinds
                        for f in files
                    )
                    for c in columns
                },
            }
            for name, kinds in (
                ("invalid accepted (seed's metric)", "ni"),
                ("invalid accepted (RFC 8259)", "n"),
            )
        ],
        "files": files,
    }


def answered(found: dict[str, Any]) -> dict[str, Any]:
    """Return results with their answer, through JSON as a file would be."""
    made = answer.of(read(found | {"answer": {}}))
    return json.loads(json.dumps(found | {"answer": dataclasses.asdict(made)}))


def results(seed: int = 5) -> dict[str, Any]:
    """Return a whole run's results, through JSON as a file would be."""
    maker = Maker(seed)
    found = {
        "format": 1,
        "run": {
            "name": "2026-11-21-standard",
            "profile": "standard",
            "started": STARTED,
            "finished": STARTED + 742.0,
            "seed": seed,
            "command": "snooze-lab run --profile standard --seed 5",
        },
        "noise": {
            "verdict": "usable",
            "aa_median": 0.012,
            "aa_worst": 0.041,
            "floor": 0.015,
            "sentence": "orjson against itself differed by 1.2 % (median) and 4.1 % "
            "(worst): differences below 1.5 % say nothing here.",
        },
        "studies": studies(maker),
        "conformance": conformance(maker),
        "drift": maker.drift,
        "energy": [],
    }
    return answered(found)


def small() -> dict[str, Any]:
    """Return a run of one study with one table of one row."""
    maker = Maker(1)
    kept = {name: JSON[name] for name in ("json", "orjson", "orjson again", "snooze")}
    one = table(
        maker, "s001", "loads", "loads", "loads", {"github": 55_827}, kept, scale=1.9
    )
    found = {
        "format": 1,
        "run": {
            "name": "small",
            "profile": "smoke",
            "started": STARTED,
            "finished": STARTED + 5,
            "seed": 1,
            "command": "snooze-lab run s001",
        },
        "noise": {
            "verdict": "quiet",
            "aa_median": 0.002,
            "aa_worst": 0.004,
            "floor": 0.004,
            "sentence": "Quiet: orjson against itself differed by 0.2 %.",
        },
        "studies": [
            {
                "name": "s001",
                "title": "One table",
                "seed": "",
                "question": "Which?",
                "tables": [one],
                "findings": [],
            }
        ],
        "energy": [],
    }
    return answered(found)


def env() -> dict[str, Any]:
    """Return an environment record as the laboratory writes it."""
    return {
        "date": "2026-11-21T22:40:00+00:00",
        "processor": "AMD EPYC 9R14",
        "microcode": "0xa101148",
        "cpu_flags": ["avx2", "avx512f", "sse4_2"],
        "processors": 2,
        "usable_processors": 2,
        "machine": "x86_64",
        "cache_bytes": {"L1d": 32_768, "L2": 1_048_576},
        "memory_bytes": 24_000_000_000,
        "hypervisor": "yes",
        "governor": None,
        "pressure": {"cpu": 0.4, "memory": 0.0},
        "load": [0.8, 0.6, 0.4],
        "kernel": "Linux 6.1.0",
        "libc": "glibc 2.36",
        "python": "3.11.7",
        "implementation": "cpython",
        "free_threaded": False,
        "libraries": {
            name: {"version": "1.2.3", "files": {f"{name}.so": f"{hash_of(name):064x}"}}
            for name in JSON
        },
    }


def plan() -> dict[str, Any]:
    """Return what of a plan the report reads."""
    return {"profile": "standard", "seed": 5, "contests": []}


if __name__ == "__main__":
    from snooze_lab.report.page import render

    into = Path(sys.argv[1])
    into.mkdir(parents=True, exist_ok=True)
    render(into, results(), plan(), env())
