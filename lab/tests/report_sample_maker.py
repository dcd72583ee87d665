"""The parts of the made-up run of report_sample: cells, tables and curves with noise.

Separate from report_sample.py, which assembles the run, to keep both files short.
Invariant: the same seed gives the same cells.
"""

from __future__ import annotations

import math
import random
import statistics
from typing import Any

JSON = {
    "json": 3.9,
    "orjson": 1.0,
    "orjson again": 1.0,
    "snooze": 0.62,
    "msgspec": 1.12,
    "ssrjson": 0.74,
    "ujson": 2.1,
    "rapidjson": 3.1,
    "simplejson": 5.2,
    "pysimdjson": 1.6,
}
#: Bytes relative to JSON, where they differ.
SIZES = {"msgpack": 0.71, "protobuf": 0.52, "bson": 1.04}
FORMATS = {
    "json": 5.0,
    "orjson": 1.0,
    "orjson again": 1.0,
    "snooze": 0.66,
    "msgpack": 1.9,
    "ormsgpack": 0.8,
    "protobuf": 1.4,
    "pickle5": 1.7,
    "marshal4": 1.3,
    "msgspec": 1.1,
    "msgspec msgpack": 0.9,
    "bson": 6.0,
}
FIXTURES = {
    "twitter": 631_514,
    "github": 55_827,
    "citm_catalog": 1_727_204,
    "canada": 2_251_060,
}
MORE = {
    "apache_builds": 127_275,
    "gsoc-2018": 3_327_831,
    "instruments": 220_346,
    "marine_ik": 2_983_466,
    "mesh": 723_597,
    "numbers": 150_124,
    "random": 510_476,
    "update-center": 533_178,
    "crud?bytes=1000000": 1_000_000,
    "plan?fields=400": 7_955,
}
STARTED = 1_795_300_000.0


class Maker:
    """Makes cells and tables from one seeded source of chance."""

    def __init__(self, seed: int = 5) -> None:
        self.chance = random.Random(seed)
        self.drift: list[dict[str, Any]] = []
        self.position = 0

    def samples(self, middle: float, n: int, spread: float = 0.04) -> list[float]:
        """Return samples about a middle, skewed upwards as times are."""
        return [
            middle * math.exp(abs(self.chance.gauss(0, spread)) - spread / 2)
            for _ in range(n)
        ]

    def estimate(self, raw: list[float], unit: str) -> dict[str, Any]:
        """Return the median of samples with an interval."""
        middle = statistics.median(raw)
        half = 1.6 * statistics.stdev(raw) / math.sqrt(len(raw))
        return {
            "value": middle,
            "low": middle - half,
            "high": middle + half,
            "n": len(raw),
            "unit": unit,
        }

    def effect(self, ratio: float, width: float, n: int) -> dict[str, Any]:
        """Return a ratio to orjson, with the verdict that its interval deserves."""
        ratio *= math.exp(self.chance.gauss(0, width / 3))
        low, high = ratio * math.exp(-width), ratio * math.exp(width)
        if low > 1.015:
            verdict = "better"
        elif high < 0.985:
            verdict = "worse"
        elif low > 0.98 and high < 1.02:
            verdict = "equal"
        else:
            verdict = "undecided" if abs(ratio - 1) > 0.015 else "too noisy"
        return {
            "baseline": "orjson",
            "ratio": ratio,
            "low": low,
            "high": high,
            "n": n,
            "p": self.chance.random() * (0.001 if verdict == "better" else 0.5),
            "verdict": verdict,
        }

    def blank(
        self, contest: str, name: str, status: str, reason: str
    ) -> dict[str, Any]:
        """Return a cell without a value."""
        return {
            "contest": contest,
            "contender": name,
            "status": status,
            "reason": reason,
            "quantities": {},
            "raw": {},
            "effects": {},
            "flags": [],
        }

    def cell(
        self,
        contest: str,
        name: str,
        middle: float,
        factor: float,
        *,
        metric: str = "time",
        unit: str = "ns",
        size: int = 0,
        extras: bool = False,
        spread: float = 0.04,
    ) -> dict[str, Any]:
        """Return a cell that was measured."""
        raw = self.samples(middle * factor, 10, spread)
        quantities = {metric: self.estimate(raw, unit)}
        if unit == "ns":
            quantities["size"] = self.estimate([size * 1.0, size + 0.0], "B")
        if extras:
            tree = size * 3.2
            peak = tree * (1.1 + 0.25 * (hash_of(name) % 5))
            for key, value in (("base", 12e6), ("tree", tree), ("peak", peak)):
                quantities[key] = self.estimate(self.samples(value, 5, 0.01), "B")
        middle = statistics.median(raw)
        for value in raw:
            self.position += 1
            self.drift.append(
                {
                    "t": STARTED + self.position * 0.18,
                    "position": self.position % 47,
                    "contest": contest,
                    "contender": name,
                    "relative": value / middle,
                }
            )
        effects = {}
        if name != "orjson":
            effects["isolated"] = {metric: self.effect(1 / factor, 0.06, 10)}
            if unit == "ns":
                effects["interleaved"] = {metric: self.effect(1 / factor, 0.015, 60)}
        return {
            "contest": contest,
            "contender": name,
            "status": "ok",
            "reason": "",
            "quantities": quantities,
            "raw": {metric: raw},
            "effects": effects,
            "flags": ["outlier-block-7"] if self.chance.random() < 0.04 else [],
        }


def hash_of(name: str) -> int:
    """Return a small number that depends on a name, the same in every process."""
    return sum(map(ord, name))


def table(
    maker: Maker,
    study: str,
    name: str,
    title: str,
    operation: str,
    workloads: dict[str, int],
    factors: dict[str, float],
    *,
    unit: str = "ns",
    metric: str = "time",
    scale: float = 1.0,
    extras: bool = False,
    blanks: dict[tuple[str, str], tuple[str, str]] | None = None,
) -> dict[str, Any]:
    """Return a table with a row per workload and a cell per contender."""
    rows = []
    for workload, size in workloads.items():
        contest = f"{study}/{name}/{workload}/{operation}"
        cells = {}
        for contender, factor in factors.items():
            blank = (blanks or {}).get((workload, contender)) or (blanks or {}).get(
                ("*", contender)
            )
            if blank:
                cells[contender] = maker.blank(contest, contender, *blank)
                continue
            own = factor
            if contender not in {"orjson", "orjson again"}:
                own *= 0.75 + (hash_of(contender + workload) % 50) / 100
            cell = maker.cell(
                contest,
                contender,
                size * scale,
                own,
                unit=unit,
                metric=metric,
                size=size,
                extras=extras,
            )
            share = size * SIZES.get(contender, 1.0)
            cell["quantities"]["size"] = maker.estimate([share] * 8, "B")
            cells[contender] = cell
        rows.append(
            {
                "workload": workload,
                "operation": operation,
                "factors": {},
                "contest": contest,
                "bytes": size,
                "cells": cells,
            }
        )
    return {
        "name": name,
        "title": title,
        "operation": operation,
        "unit": unit,
        "metric": metric,
        "baseline": "orjson",
        "columns": list(factors),
        "rows": rows,
        "with_outliers": "Without the 3 flagged blocks no verdict of this table changes.",
    }


def phases(maker: Maker, found: dict[str, Any]) -> dict[str, Any]:
    """Add the phases of a call to every cell of a table."""
    shares = {"read": 0.05, "parse": 0.5, "collect": 0.35, "free": 0.1, "dump": 0.3}
    for row in found["rows"]:
        for cell in row["cells"].values():
            if cell["status"] != "ok":
                continue
            whole = cell["quantities"]["time"]["value"]
            for key, share in shares.items():
                raw = maker.samples(whole * share, 8)
                cell["quantities"][f"phase:{key}"] = maker.estimate(raw, "ns")
    return found


def curve(
    maker: Maker, title: str, x: str, places: list[float], factors: dict[str, float]
) -> dict[str, Any]:
    """Return a size curve with a series per contender."""
    series = {}
    for name, factor in factors.items():
        points = []
        for place in places:
            value = (200 + 60 * place) * factor * math.exp(maker.chance.gauss(0, 0.03))
            if name == "msgpack":
                value *= 1.6 * place**-0.09
            points.append(
                {"x": place, "value": value, "low": value * 0.96, "high": value * 1.05}
            )
        series[name] = points
    return {
        "title": title,
        "x": x,
        "unit": "ns",
        "baseline": "orjson",
        "series": series,
        "crossovers": [],
        "change_point": None,
    }
