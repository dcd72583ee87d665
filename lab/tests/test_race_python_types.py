"""The types group of the race: each contender has the values; other values are faults.

Separate from test_race.py because the contenders here have types. No test here times
anything.
"""

from __future__ import annotations

import json

import pytest

from snooze_lab.model import AGAIN, OURS, REFERENCE
from snooze_lab.race import command, python_types
from snooze_lab.race.typed import MSGSPEC
from test_race import enter

ROWS = {(one.direction, one.name): one for one in python_types.rows(["loads", "dumps"])}


@pytest.mark.parametrize("row", ROWS)
def test_every_contender_takes_part(row: tuple[str, str]) -> None:
    """Its result is right, and one with another value is not."""
    task = ROWS[row]
    entered = task.entered(enter([OURS, REFERENCE, AGAIN, MSGSPEC]))
    assert {one.name for one in entered} == set(python_types.CONTENDERS)
    sizes = set()
    for contender in entered:
        job = task.job(contender)
        result = job.call(job.argument())
        assert job.fault(result) == "", contender.name
        sizes.add(job.size(result))
        plain = json.loads(task.workload.texts[0])
        if row[0] == "dumps":
            fewer = [*plain][1:] if isinstance(plain, list) else {}
            assert job.fault(json.dumps(fewer).encode())
        else:
            assert job.fault(type(result)())
    assert min(sizes) > 1000
    # Durations and the offset of UTC have several texts.
    several = {("dumps", "timedelta"), ("dumps", "datetime")}
    assert len(sizes) == 1 or row in several


def test_values_of_other_types_are_faults() -> None:
    """A number is not its text, and True is not 1."""
    fault = python_types._fault
    assert fault([1, 2], [1, 2]) == ""
    assert fault([1, 2], [True, 2])
    assert fault([1], [1.0])
    assert fault({1: 2}, {"1": 2})
    assert fault((1,), [1])


def test_the_command_has_the_group() -> None:
    """It is one of the usual groups."""
    assert python_types.GROUP in command.USUAL
    assert command.ROWS[python_types.GROUP] is python_types.rows
