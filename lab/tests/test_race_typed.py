"""The typed group of the benchmark: same values for all, and wrong results detected.

Separate from test_race.py because the contenders here are ways of using a library. No
test here times anything.
"""

from __future__ import annotations

import dataclasses
import gc
import hashlib
import json
import random
from typing import TYPE_CHECKING

import pytest

from snooze_lab.race import cells, command, goals, table, typed
from snooze_lab.workloads import generated, shapes
from test_race import enter, results_tables, timed

if TYPE_CHECKING:
    from pathlib import Path

#: Of the generated list: a change of it makes records incomparable.
DIGEST = "6ae219771abf6443e594f54826c67fd6457684603154808d2203526c14650f90"


def small() -> dict[str, tuple[bytes, str]]:
    """Documents of each structure, a few kilobytes each."""
    found = {}
    for number, (name, shape) in enumerate(typed.STRUCTURES.items()):
        value = shapes.look_alike(shape, generated.Dice(number), 3)
        found[name] = (generated.indented(value, 2), "small")
    return found


def row(name: str, direction: str = "loads") -> typed.Typed:
    """One row over the small documents."""
    return next(one for one in typed.rows([direction], small()) if one.name == name)


def test_the_generated_list_is_the_same_everywhere() -> None:
    """The same bytes on every Python and machine, a thousand records."""
    text = generated.compact(typed.customers())
    assert len(json.loads(text)) == typed.CUSTOMERS
    assert hashlib.sha256(text).hexdigest() == DIGEST


def test_rows_are_those_of_the_goals() -> None:
    """Every structure as it comes, minified, shuffled, limited, skipped, written."""
    reading = [one.name for one in typed.rows(["loads"], small())]
    assert set(typed.WHOLE) <= set(reading)
    assert {"twitter mix", "citm con", "crud mix", "tweets skip"} <= set(reading)
    assert set(typed.UNSEEN) <= set(reading)
    writing = typed.rows(["dumps"], small())
    assert [one.name for one in writing] == list(typed.STRUCTURES)
    assert len({one.name for one in writing} | set(reading)) == len(reading)
    for one in typed.rows(["loads", "dumps"], small()):
        assert table.short(one.name) == one.name


def test_every_way_of_ours_is_right() -> None:
    """snooze takes part in every row, in every way that the row has."""
    entered = enter(["snooze", "orjson", "orjson again"])
    for task in typed.rows(["loads", "dumps"], small()):
        ways = task.entered(entered)
        assert {"snooze", "snooze dict", "snooze plain", "orjson"} <= {
            one.name for one in ways
        }
        for way in ways:
            job = task.job(way)
            assert not job.fault(job.call(job.argument())), (task.name, way.name)


def test_msgspec_meets_the_same_values() -> None:
    """Its classes have the same fields and limits, and its results are equal."""
    entered = enter(["orjson", "msgspec"])
    for task in typed.rows(["loads", "dumps"], small()):
        ways = [one for one in task.entered(entered) if "msgspec" in one.name]
        assert [one.name for one in ways] == ["msgspec", "msgspec slots"]
        for way in ways:
            job = task.job(way)
            assert not job.fault(job.call(job.argument())), (task.name, way.name)


def test_a_wrong_member_is_not_timed() -> None:
    """A value that is equal but of another type, or of another class, is left out."""
    entered = enter(["snooze", "orjson"])
    task = row("crud")
    way = next(one for one in task.entered(entered) if one.name == "snooze")
    job = task.job(way)
    result = job.call(job.argument())
    result[0].active = int(result[0].active)
    assert job.fault(result)
    liar = dataclasses.replace(job, call=json.loads)
    task = dataclasses.replace(task, ways={**task.ways, "snooze": lambda: liar})
    ready = cells.Setting(entered, 0.01, random.Random(1)).verified(task)
    assert list(ready.wrong) == ["snooze"]
    assert "in the place of Customer" in ready.wrong["snooze"]
    writing = row("crud", "dumps").job(way)
    assert writing.fault(b"[]")
    assert "wrote str, not bytes" in writing.fault("[]")


def test_shuffled_members_are_the_same_members() -> None:
    """Another order in each object, and nothing else; names of dicts stay."""
    declared, mixed = row("twitter min"), row("twitter mix")
    texts = [one.ways["orjson"]().argument() for one in (declared, mixed)]
    assert texts[0] != texts[1]
    assert json.loads(texts[0]) == json.loads(texts[1])
    assert mixed.ways["snooze base"]().argument() == texts[0]
    orders = {tuple(one["user"]) for one in json.loads(texts[1])["statuses"]}
    assert len(orders) == len(json.loads(texts[1])["statuses"])


def test_unseen_instances_are_so_for_both() -> None:
    """In those rows the collector sees neither our instances nor msgspec's Structs."""
    entered = enter(["snooze", "orjson", "msgspec"])
    for name in ("crud nogc", "citm nogc"):
        found = {}
        for way in row(name).entered(entered):
            job = row(name).job(way)
            result = job.call(job.argument())
            one = result[0] if isinstance(result, list) else result
            found[way.name] = gc.is_tracked(one)
        assert not found["snooze"]
        assert not found["snooze dict"]
        assert found["snooze base"]
        assert not found.get("msgspec", False)
        assert found.get("msgspec slots", True)


def test_limits_are_on_every_field_that_can_have_one() -> None:
    """All but bool and classes; what the document says is within them."""
    limited, free = (
        typed.families("snooze", one)["slots"].type_of(shapes.CUSTOMER)
        for one in (typed.Feature(limits=True), typed.Feature())
    )
    assert [one.name for one in dataclasses.fields(limited)] == [
        one.name for one in dataclasses.fields(free)
    ]
    for one in dataclasses.fields(limited):
        assert ("Ge" in str(one.type) or "Len" in str(one.type)) == (
            one.name != "active"
        )


def test_only_libraries_that_race_take_part() -> None:
    """Without msgspec its ways are not there, and ours are."""
    entered = enter(["snooze", "orjson"])
    names = [one.name for one in row("twitter").entered(entered)]
    assert names == ["snooze", "snooze dict", "snooze plain", "orjson"]


def test_own_ways_are_no_rivals() -> None:
    """The best rival is another library, however fast our other ways are."""
    cell = cells.Cell(row("crud"))
    cell.times = {
        "snooze": [10.0] * 4,
        "snooze plain": [1.0] * 4,
        "msgspec slots": [9.0] * 4,
        "orjson": [20.0] * 4,
    }
    assert cell.best_rival is not None
    assert cell.best_rival[0] == "msgspec slots"
    kept = cell.as_record()
    assert kept["speed_relative_to_orjson"]["snooze plain"][0] == pytest.approx(20)


def test_goals_are_those_of_each_structure() -> None:
    """The lowest row decides, and a row compares within itself."""
    good = timed(
        typed.GROUP, "twitter", snooze=10, msgspec=13, msgspec_slots=21, orjson=16
    )
    slow = timed(
        typed.GROUP, "crud", snooze=10, msgspec=12, msgspec_slots=21, orjson=14
    )
    mixed = timed(typed.GROUP, "crud mix", snooze=10, snooze_base=9)
    limited = timed(typed.GROUP, "crud con", snooze=14, snooze_base=10)
    written = timed(
        typed.GROUP, "twitter", "dumps", snooze=10, snooze_plain=15, orjson=31
    )
    found = {
        one.name: one for one in goals.rows([good, slow, mixed, limited, written], [])
    }
    assert found["typed loads, msgspec"].reached is False
    assert "crud" in found["typed loads, msgspec"].measured
    assert found["typed loads, msgspec slots"].reached is True
    assert found["typed loads, orjson"].reached is False
    assert found["shuffled members"].reached is True
    assert found["constraints"].reached is False
    assert found["constraints"].measured.startswith("1.40x")
    assert found["typed dumps, orjson"].reached is True
    assert found["typed dumps, dumps"].reached is True
    assert found["typed dumps, msgspec"].reached is None
    assert found["projection, orjson"].reached is None
    shown = goals.shown(list(found.values()))
    assert all(len(line) <= table.WIDTH for line in shown.splitlines())


def test_the_published_table_shows_the_group() -> None:
    """It has a row for each row raced, and a column for each other way."""
    results = results_tables()
    cell = timed(
        typed.GROUP, "crud mix", snooze=10, msgspec=12, orjson=30, snooze_plain=20
    )
    kept = {"cells": [cell.as_record()], "environment": {"python": "3.11.7 (main)"}}
    text = results.typed([kept])
    assert "| loads crud mix | 1.20 | - | 3.00 | 2.00 |" in text
    assert not results.typed([{"cells": []}])


def test_a_race_of_ways_ends_and_fits_the_terminal() -> None:
    """Rounds, summary and rates of the group."""
    entered = enter(["snooze", "orjson", "orjson again"])
    found = []
    for task in (row("twitter mix"), row("twitter", "dumps")):
        cell = cells.race(task, cells.Setting(entered, 0.01, random.Random(1)))
        assert not cell.wrong
        found.append(cell)
    names = list(found[0].times)
    text = [table.summary(found, "loads", names, "orjson"), table.rates(found, names)]
    text += [table.block(one, "orjson") for one in found]
    for line in "\n".join(text).splitlines():
        assert len(line) <= table.WIDTH, line
    assert "snooze base" in table.rates(found, names)


def test_look_alikes_take_the_place_of_what_is_not_there(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Without the documents generated ones are raced, and it is said."""
    monkeypatch.setenv("SNOOZE_LAB_DATA", str(tmp_path))
    found = typed.documents()
    assert [note for _, note in found.values()][:2] == ["look-alike"] * 2
    statuses = json.loads(found["twitter"][0])["statuses"]
    assert len(statuses) == 100
    assert len(statuses[0]) > len(shapes.STATUS.fields)


def test_the_group_is_an_option() -> None:
    """And among those that run without being named."""
    assert command.parse(["--group", "typed"]).groups == ["typed"]
    assert "typed" in command.USUAL
    options = command.parse(["--group", "typed", "--direction", "dumps"])
    assert {one.direction for one in command.chosen(options)} == {"dumps"}
