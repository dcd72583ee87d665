"""The layouts group of the race: every call has the same values; wrong ones do not.

Separate from test_race.py because the contenders here are calls with options. No test
here times anything.
"""

from __future__ import annotations

import functools
import json
from decimal import Decimal
from typing import Any

import pytest

import snooze
from snooze_lab.model import AGAIN, OURS, REFERENCE, STANDARD
from snooze_lab.race import command, goals, layouts, table
from test_race import enter, timed

TEXT = '{"b": [1.50, -7, 1e100, null], "a": {"é": "x\\n😀 // no", "A": []}}'.encode()
NAMES = [OURS, REFERENCE, AGAIN, STANDARD]
KINDS = [(way, row) for way, found in layouts.ROWS.items() for row in found]


@pytest.mark.parametrize(("direction", "row"), KINDS)
def test_every_contender_takes_part(direction: str, row: str) -> None:
    """Its result is right, and one with another value is not."""
    (task,) = (
        one for one in layouts.rows([direction], {"t": TEXT}) if one.name == f"t {row}"
    )
    entered = task.entered(enter(NAMES))
    assert {one.name for one in entered} == set(layouts.entrants(row))
    values = {}
    for contender in entered:
        job = task.job(contender)
        result = job.call(job.argument())
        assert job.fault(result) == ""
        assert job.fault(result) == "", "also when it is asked again"
        assert job.size(result) > 0
        value = json.loads(result) if direction == "dumps" else layouts._unraw(result)
        values[contender.name] = json.dumps(value, sort_keys=True, default=str)
        wrong: Any = json.loads(TEXT.replace(b"-7", b"-8"))
        assert job.fault(json.dumps(wrong) if direction == "dumps" else wrong)
    for name, text in values.items():
        # Those without an option of reading read plain values.
        plainly = name in {REFERENCE, AGAIN, layouts.BARE} and direction == "loads"
        assert text == values[REFERENCE if plainly else STANDARD], name


def test_texts_are_what_the_rows_say() -> None:
    """The same text as json's, where the row is about the same text."""
    enter(NAMES)
    value = json.loads(TEXT)
    for row in layouts.WRITERS:
        wanted = layouts.writer(row, STANDARD)(value)
        ours = layouts.writer(row, OURS)(value)
        text = ours if isinstance(ours, str) else ours.decode()
        assert text == wanted, row
        if layouts.DROP_IN in layouts.entrants(row):
            assert layouts.writer(row, layouts.DROP_IN)(value) == wanted, row
        assert layouts.writer(row, layouts.BARE)(value) == snooze.dumps(value)
    for row in ("indent 2", layouts.NEWLINE):
        ours = layouts.writer(row, OURS)(value)
        assert layouts.writer(row, REFERENCE)(value) == ours


def test_values_are_what_the_rows_say() -> None:
    """Both sides have the option of the row, and what is compared has lost no digit."""

    def both(row: str, text: str) -> list[Any]:
        return [layouts.reader(row, one)(text) for one in (OURS, STANDARD)]

    assert both("decimal", "[1.10]") == [[Decimal("1.10")]] * 2
    assert [type(one[0]) for one in both("decimal", "[1.10]")] == [Decimal] * 2
    assert both("raw", "[1.10, 2]") == [[snooze.Raw(b"1.10"), b"2"], ["1.10", "2"]]
    assert both("pairs", '{"a": 1, "a": 2}') == [[("a", 1), ("a", 2)]] * 2
    for library, reason in ((OURS, "line 1 column 10"), (STANDARD, "occurs twice")):
        with pytest.raises(ValueError, match=reason):
            layouts.reader("unique", library)('{"a": 1, "a": 2}')


def test_comments_are_cut_and_strings_are_not() -> None:
    """One in ten lines has a comment; what looks like one in a string is none."""
    value = {"url": "https://a/*b*/", "quote": 'x"//', "n": list(range(40))}
    text = layouts.commented(json.dumps(value).encode())
    assert text.count(b"  // line ") == 5
    with pytest.raises(ValueError, match="Expecting"):
        json.loads(text)
    for library in (OURS, STANDARD):
        assert layouts.reader(layouts.COMMENTS, library)(text.decode()) == value
    assert json.loads(layouts.uncommented('{"a": /* one\n two */ "*/"}')) == {"a": "*/"}


def test_the_command_knows_the_group() -> None:
    """By name, with the rows of the four documents, and among the usual ones."""
    assert layouts.GROUP in command.USUAL
    options = command.parse(["--group", layouts.GROUP, "--direction", "loads"])
    names = [task.name for task in command.chosen(options)]
    assert len(names) == 4 * len(layouts.READERS)
    assert len(set(names)) == len(names)


def test_goals_and_summary() -> None:
    """The mean decides for snooze.json, the slowest row for layouts; others count not."""
    made = functools.partial(timed, layouts.GROUP)
    found = [
        made("canada json", "loads", snooze=10, json=40, orjson=20),
        made("citm json", "loads", snooze=10, json=16, orjson=20),
        made("citm raw", "loads", snooze=10, json=1, orjson=20),
        made("citm json", "dumps", snooze=10, json=79, snooze_plain=9),
        made("citm indent 2", "dumps", snooze=19, json=990, snooze_plain=10),
        made("citm tab", "dumps", snooze=21, snooze_json=9, snooze_plain=10),
        made("citm spaced", "dumps", snooze=11, json=99, snooze_plain=10),
    ]
    rows = {one.name: one for one in goals.rows(found, [])}
    assert rows["snooze.json.loads"].reached is True
    assert rows["snooze.json.loads"].measured == "2.53x ±0.0%, 1.6x citm"
    assert rows["snooze.json.dumps"].reached is False
    assert rows["indent, newline: dumps"].reached is True
    assert rows["tab, separators: dumps"].reached is False
    assert rows["tab, separators: dumps"].measured.startswith("2.10x")
    assert rows["tab, separators: dumps"].measured.endswith("citm tab")
    assert goals.rows([], [])[0].reached is None
    text = layouts.shown(found)
    assert "canada" in text
    lines = [line.split() for line in text.splitlines()]
    assert ["json", "4.00x", "1.60x", "2.53x"] in lines
    assert ["tab", "0.48x", "0.48x"] in lines
    assert all(len(line) <= table.WIDTH for line in text.splitlines())
