"""The layouts group of the race: every call writes the same values; wrong ones do not.

Separate from test_race.py because the contenders here are calls with options. No test
here times anything.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from snooze_lab import contenders
from snooze_lab.model import AGAIN, OURS, REFERENCE, STANDARD
from snooze_lab.race import command, layouts

TEXT = '{"b": [1.5, -7, 1e100, null], "a": {"é": "x\\n😀", "A": []}}'.encode()
NAMES = [OURS, REFERENCE, AGAIN, STANDARD]
KINDS = [("dumps", row) for row in layouts.ROWS] + [("loads", layouts.PLAIN)]


def ready() -> list[Any]:
    """The libraries; skips where one has no wheel for this Python."""
    found, absent = contenders.enter(NAMES)
    if absent:
        pytest.skip(f"not for this Python: {absent}")
    return found


@pytest.mark.parametrize(("direction", "row"), KINDS)
def test_every_library_takes_part(direction: str, row: str) -> None:
    """Its result is right, and one with another value is not."""
    (task,) = (
        one for one in layouts.rows([direction], {"t": TEXT}) if one.name == f"t {row}"
    )
    entered = task.entered(ready())
    assert [one.name for one in entered] == NAMES
    digests = set()
    for contender in entered:
        job = task.job(contender)
        result = job.call(job.argument())
        assert job.fault(result) == ""
        assert job.size(result) > 0
        digests.add(job.digest(result))
        wrong: Any = json.loads(TEXT.replace(b"-7", b"-8"))
        assert job.fault(json.dumps(wrong) if direction == "dumps" else wrong)
    assert len(digests) == 1


def test_texts_are_what_the_rows_say() -> None:
    """The same text as json's, where the row is about the same text."""
    ready()
    value = json.loads(TEXT)
    for row in layouts.ROWS:
        ours = layouts.writer(row, OURS)(value)
        text = ours if isinstance(ours, str) else ours.decode()
        assert text == layouts.writer(row, STANDARD)(value), row
    assert layouts.writer("indent 2", REFERENCE)(value) == layouts.writer(
        "indent 2", OURS
    )(value)


def test_the_command_knows_the_group() -> None:
    """By name, with the rows of the four documents; it is not among the usual ones."""
    assert layouts.GROUP not in command.USUAL
    options = command.parse(["--group", layouts.GROUP, "--direction", "loads"])
    names = [task.name for task in command.chosen(options)]
    assert len(names) == 4
    assert all(name.endswith(f" {layouts.PLAIN}") for name in names)
