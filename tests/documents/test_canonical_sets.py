"""The canonical form of sets, which have no order."""

from __future__ import annotations

import datetime as dt
import subprocess
import sys
import uuid
from typing import Annotated, Any

import pytest

import snooze

CODE = """
import snooze
print(snooze.canonical({"tags": {"a", "b", "c"}, "n": frozenset({8, 0, 16, 2.5})}).decode())
"""


def test_the_hash_seed_changes_nothing() -> None:
    """The order in which Python iterates over strings does."""
    for seed in "123":
        done = subprocess.run(
            [sys.executable, "-c", CODE],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
        )
        expected = '{"n":[0,16,2.5,8],"tags":["a","b","c"]}\n'
        assert done.stdout == expected


@pytest.mark.parametrize(
    ("value", "tp"),
    [
        ({0, 8}, Any),
        (frozenset({(1, "b"), (1, "a")}), Any),
        ({8, 0, 16}, Any),
        ({"x": {uuid.UUID(int=2), uuid.UUID(int=1)}}, Any),
    ],
)
def test_items_are_sorted_by_their_texts(value: Any, tp: Any) -> None:
    found = snooze.loads(snooze.canonical(value, tp))
    items = found["x"] if isinstance(found, dict) else found
    assert items == sorted(items, key=snooze.canonical)
    assert snooze.canonical_hash(value, type=tp)


def test_a_type_says_how_items_are_written() -> None:
    """As in a list."""
    duration = Annotated[dt.timedelta, snooze.Format("seconds")]
    value = {dt.timedelta(seconds=2)}
    assert snooze.canonical(value, set[duration]) == b"[2]"
    with pytest.raises(snooze.JSONEncodeError):
        snooze.canonical({1}, set[str])
