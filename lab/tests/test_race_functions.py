"""The functions group of the race: each call does the same; another result is wrong.

Separate from test_race.py because a contender here is what a program does for the same
end. No test here times anything.
"""

from __future__ import annotations

import copy
import json
from pathlib import Path

import pytest

import snooze
from snooze_lab.model import AGAIN, OURS, REFERENCE, STANDARD
from snooze_lab.race import command, functions, run, table
from test_race import enter, timed

TEXT = '{"b": [1.5, -7, null], "a": {"é": "x\\n"}}'.encode()
NAMES = ["load 1 kB", "load t", *functions.CALLS["loads"], "read lines"]
NAMES += ["dump 1 kB", "dump t", *functions.CALLS["dumps"], "write lines"]


@pytest.mark.parametrize("name", NAMES)
def test_every_contender_takes_part(tmp_path: Path, name: str) -> None:
    """Its result is right, another is not, and the document is as before."""
    found = functions.rows(["loads", "dumps"], {"t": TEXT}, tmp_path)
    assert [one.name for one in found] == NAMES
    task = found[NAMES.index(name)]
    entered = task.entered(enter([OURS, REFERENCE, AGAIN, STANDARD]))
    last = STANDARD if " " in name else functions.BY_HAND
    assert [one.name for one in entered] == [OURS, REFERENCE, AGAIN, last]
    for contender in entered:
        job = task.job(contender)
        argument = job.argument()
        before = copy.deepcopy(argument)
        result = job.call(argument)
        assert job.fault(result) == ""
        assert job.size(result) > 0
        assert job.fault(job.call(argument)) == ""
        assert argument == before
        if name.startswith("dump"):
            Path(result).write_bytes(b"[]")
            assert job.fault(result)
        elif name == "diff":
            assert job.fault([])
        elif name == "write lines":
            assert job.fault(b"[]\n")
        else:
            assert job.fault(None)
    assert not list(tmp_path.glob("*.new"))


def test_by_hand_is_what_the_standards_say() -> None:
    """Patches by hand and ours make the same document, and a failed test is seen."""
    items = [{"a/b": 1, "c": [1, 2]}]
    patch = [
        {"op": "test", "path": "/0/c/0", "value": 1},
        {"op": "add", "path": "/0/c/1", "value": 7},
        {"op": "add", "path": "/0/d", "value": None},
        {"op": "remove", "path": "/0/a~1b"},
    ]
    assert functions.applied(copy.deepcopy(items), patch) == [
        {"c": [1, 7, 2], "d": None}
    ]
    assert snooze.patch(items, patch) == [{"c": [1, 7, 2], "d": None}]
    with pytest.raises(ValueError, match="/0/c/0 is not 2"):
        functions.applied(items, [{"op": "test", "path": "/0/c/0", "value": 2}])
    target, changes = {"a": {"b": 1, "c": 2}, "d": 3}, {"a": {"b": None}, "e": {"f": 1}}
    wanted = {"a": {"c": 2}, "d": 3, "e": {"f": 1}}
    assert snooze.merge_patch(target, changes) == wanted
    assert functions.merged(target, changes) == wanted
    old, new = {"x": [1, {"y": 2}]}, {"x": [1, {"y": 3}]}
    found = functions.differences(old, new)
    assert found == [{"op": "replace", "path": "/x/1/y", "value": 3}]
    for one in (found, snooze.diff(old, new)):
        assert (
            functions.applied(copy.deepcopy(old), one) == snooze.patch(old, one) == new
        )


def test_the_command_knows_the_group(capsys: pytest.CaptureFixture[str]) -> None:
    """By name, not among the usual ones; its summary has a line for each function."""
    assert functions.GROUP in command.GROUPS
    assert functions.GROUP not in command.USUAL
    assert command.ROWS[functions.GROUP] is functions.rows
    cell = timed(functions.GROUP, "pointer", snooze=10, orjson=5, by_hand=40)
    options = command.parse(["--group", functions.GROUP])
    whole = run.Run(options, [], {}, [cell])
    run.measure(whole, [])
    lines = capsys.readouterr().out.splitlines()
    assert ["pointer", "10.0", "ns", "0.50x", "-", "4.00x"] in [
        x.split() for x in lines
    ]
    assert all(len(line) <= table.WIDTH for line in lines)
    assert json.dumps(whole.cells[0].as_record())
