"""Structs of hundreds of columns, and wrong records: what is cut off, and what stays.

`columns::opened` in the core says which columns a wrong record has touched.
"""

from __future__ import annotations

import io
import json
import random
from typing import Any

import pytest

import snooze

COUNT = 300  # more than `WIDE` there
NAMES = [f"c{index}" for index in range(COUNT)]


def struct(dice: random.Random, depth: int, wrong: float) -> dict[str, Any]:
    """Return an object of a few of the columns, of which one may not fit."""
    chosen = dice.sample(NAMES, dice.choice((0, 1, 3, 3, 40)))
    found: dict[str, Any] = {name: dice.randrange(1000) for name in chosen}
    if depth and dice.random() < 0.5:
        found["s"] = struct(dice, depth - 1, wrong / 3)
    if depth and dice.random() < 0.5:
        count = dice.randrange(3)
        found["l"] = [struct(dice, depth - 1, wrong / 3) for _ in range(count)]
    if dice.random() < wrong:
        found[dice.choice(NAMES)] = "wrong"
    return found


def text_of(dice: random.Random, value: Any) -> str:
    """Return JSON in which some members of objects come twice."""
    if isinstance(value, dict):
        members = [f'"{name}":{text_of(dice, one)}' for name, one in value.items()]
        again = [one for one in members if dice.random() < 0.1]
        return "{" + ",".join(again + members) + "}"
    if isinstance(value, list):
        return "[" + ",".join(text_of(dice, one) for one in value) + "]"
    return json.dumps(value)


def fits(value: Any) -> bool:
    """Return whether no value is the wrong one."""
    return '"wrong"' not in json.dumps(value)


def schema() -> snooze.Scan:
    """Return a schema of wide structs in a struct and in a list."""
    flat = dict.fromkeys(NAMES, 1)
    inner: dict[str, Any] = {**flat, "s": flat, "l": [flat]}
    document = {**flat, "s": inner, "l": [inner]}
    return snooze.scan(json.dumps(document).encode())


def rows_of(scan: snooze.Scan) -> list[Any]:
    """Return the rows without members that are null."""
    file = io.BytesIO()
    snooze.write_lines(scan, file, nulls="omit")
    return [json.loads(line) for line in file.getvalue().splitlines()]


def without_nulls(value: Any) -> Any:
    """Return a value without members that are null."""
    if isinstance(value, dict):
        return {k: without_nulls(v) for k, v in value.items() if v is not None}
    return [without_nulls(one) for one in value] if isinstance(value, list) else value


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("check", ["all", "read"])
def test_wrong_records_leave_nothing_behind(seed: int, check: Any) -> None:
    """Each right record is one row, whatever was wrong before it."""
    dice = random.Random(seed)
    records = [struct(dice, 2, 0.3) for _ in range(120)]
    lines = "\n".join(text_of(dice, one) for one in records)
    scan = snooze.scan(
        lines.encode(),
        schema(),
        errors="skip",
        check=check,
        threads=1,
        batch_bytes=dice.choice((1 << 20, 5_000)),
    )
    expected = [without_nulls(one) for one in records if fits(one)]
    assert 20 < len(expected) < 110
    assert rows_of(scan) == expected
