"""Time a Decoder with threads beside one without, for the table of docs/typed.md.

Separate from the race, whose contenders all take the same calls: no rival has this
option. Invariants: both give the same value; they take turns; a collection ends before
each call; ratios are taken within a turn, and their median is shown. Needs snooze in a
free-threaded Python, where the option has an effect.

usage: python3.14t scripts/thread_table.py [--threads 2] [--turns 7]
"""

from __future__ import annotations

import argparse
import gc
import json
import random
import statistics
import sys
import time
from dataclasses import dataclass
from typing import Any

import snooze


@dataclass(slots=True)
class User:
    """A record with a list."""

    id: int
    name: str
    email: str
    tags: list[str]
    score: float


def documents() -> dict[str, tuple[Any, bytes]]:
    """Return name -> type and document, of 12 to 18 MB."""
    dice = random.Random(1)
    users = [
        {
            "id": n,
            "name": f"user {n}",
            "email": f"u{n}@example.org",
            "tags": ["a", f"b{n % 50}"],
            "score": dice.random(),
        }
        for n in range(150_000)
    ]
    pairs = [[dice.uniform(-180, 180), dice.uniform(-90, 90)] for _ in range(300_000)]
    integers = [dice.randrange(10**9) for _ in range(1_500_000)]
    strings = [f"word {n} of some length" for n in range(500_000)]
    values: dict[str, tuple[Any, Any]] = {
        "150,000 dataclasses with a list each": (list[User], users),
        "the same as dicts": (Any, users),
        "300,000 pairs of floats": (list[list[float]], pairs),
        "1,500,000 integers": (list[int], integers),
        "500,000 short strings": (list[str], strings),
    }
    return {name: (tp, json.dumps(one).encode()) for name, (tp, one) in values.items()}


def timed(decoder: snooze.Decoder[Any], document: bytes) -> tuple[float, float]:
    """Return the seconds of decoding, and with the release of the result."""
    gc.collect()
    start = time.perf_counter()
    value = decoder.decode(document)
    decoded = time.perf_counter()
    del value
    return decoded - start, time.perf_counter() - start


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--threads", type=int, default=2, help="default: 2")
    parser.add_argument("--turns", type=int, default=7, help="default: 7")
    options = parser.parse_args()
    if getattr(sys, "_is_gil_enabled", lambda: True)():
        sys.exit(
            "thread_table: expected a free-threaded Python, found one with a GIL, "
            "where one thread decodes: run this with python3.14t"
        )
    print("| document | decode | decode and release |\n|---|--:|--:|")
    for name, (tp, document) in documents().items():
        one = snooze.Decoder(tp)
        many = snooze.Decoder(tp, threads=options.threads)
        if one.decode(document) != many.decode(document):
            sys.exit(f"thread_table: {name}: the values differ")
        turns = [
            (timed(one, document), timed(many, document)) for _ in range(options.turns)
        ]
        ratios = [
            statistics.median(single[at] / shared[at] for single, shared in turns)
            for at in (0, 1)
        ]
        print(f"| {name} | {ratios[0]:.2f} | {ratios[1]:.2f} |")


if __name__ == "__main__":
    main()
