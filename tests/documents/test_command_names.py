"""Names of files and members in messages: of any bytes, and no codes for a terminal."""

from __future__ import annotations

import os
import sys

import pytest

import snooze
from helpers.command import Done

pytestmark = [
    pytest.mark.usefixtures("folder"),
    pytest.mark.skipif(sys.platform != "linux", reason="names of files are any bytes"),
]
ODD = os.fsdecode(b"caf\xe9.ndjson")
ESCAPE = "a\x1b[31m\nb.json"


@pytest.fixture(autouse=True)
def files(folder):
    """A file whose name is no UTF-8, and one with codes in its name."""
    (folder / ODD).write_text('{"a":1}\n')
    (folder / ESCAPE).write_text('{"a":\n')


@pytest.mark.parametrize("command", ["validate", "scan", "format", "sort", "stats"])
def test_codes_in_the_name_of_a_file(command):
    done = Done(command, ESCAPE)
    assert done.status == 1
    assert "\x1b" not in done.err
    assert r"a\x1b[31m\nb.json" in done.err.splitlines()[0]
    done = Done(command, "\x1b[31m\n")
    assert (done.status, "\x1b" in done.err, done.err.count("\n")) == (2, False, 1)


@pytest.mark.parametrize("words", [[], ["--errors", "skip"]])
def test_codes_in_the_data_of_a_scan(words):
    row = '{"a\\u001b[31m\\n":%s}\n'
    data = row % 1 * 260_000 + row % '"x"'
    done = Done("scan", "--drift", "error", *words, data=data)
    assert r"/a\x1b[31m\n" in done.err
    assert "\x1b" not in done.err
    for line in done.err.splitlines():
        assert line.startswith(("snooze: ", "  <", "260,000 rows"))


def test_names_of_columns():
    """A line feed in a name would be another column."""
    done = Done("schema", data='{"a\\nb":{"c\\u001b":1}}')
    assert done.out == "a\\nb: struct<c\\x1b: int64>\n"


def test_names_in_patches(folder):
    (folder / "a.json").write_text("{}")
    done = Done("patch", "a.json", "-", data='[{"op":"remove","path":"/a"}]')
    assert done.status == 1
    assert done.err.startswith("snooze: <stdin>: ")
    done = Done("patch", "a.json", "-", data="{}")
    assert (
        done.err
        == "snooze: <stdin>: expected an array of operations, found an object\n"
    )


@pytest.mark.parametrize("command", ["validate", "scan", "schema", "stats", "minify"])
def test_names_that_are_not_utf_8(folder, command):
    """As they are, and by a pattern."""
    for name in (ODD, "*.ndjson"):
        done = Done(command, name)
        assert done.status == 0
    (folder / ODD).write_text('{"a":1')
    done = Done(command, ODD)
    if command != "schema":
        assert r"caf\udce9.ndjson" in done.err
    assert Done("format", "--check", ODD).status == 1


def test_lists_of_names_that_are_not_utf_8():
    done = Done("format", "--check", ODD)
    assert done.out == "would change caf\\udce9.ndjson\n"
    done = Done("stats", "--json", ODD)
    assert snooze.loads(done.out)["file"] == "caf\\udce9.ndjson"


def test_a_pattern_is_not_standard_input(folder):
    (folder / "-").write_text("[1, 2]")
    done = Done("minify", "[-]", data="{")
    assert (done.out, done.err, done.status) == ("[1,2]\n", "", 0)
    assert Done("minify", "-i", "[-]").status == 0
    assert (folder / "-").read_text() == "[1,2]\n"


@pytest.mark.parametrize("command", [["validate"], ["validate", "--lines"], ["minify"]])
def test_a_pattern_of_folders_only(folder, command):
    """Standard input was not asked for."""
    (folder / "gl" / "dir.json").mkdir(parents=True)
    done = Done(*command, "gl/d*", data='{"from":"stdin"}')
    assert (done.out, done.status) == ("", 2)
    assert done.err == "snooze: gl/d*: no file matches\n"
    (folder / "gl" / "d.json").write_text("1")
    assert Done(*command, "gl/d*", data="{").status == 0
