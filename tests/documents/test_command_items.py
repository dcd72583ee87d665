"""The command `items`: the items of one array, each on a line."""

from __future__ import annotations

import gzip

import pytest

from helpers.command import Done

pytestmark = pytest.mark.usefixtures("folder")
DOCUMENT = b"""\
{"count": 2, "users": [
  {"id": 1, "balance": 1.10, "name": "\xc3\xa9\\u00e9"},
  [ 2, 3 ] , "x"
]}
"""


def test_each_item_on_a_line(folder):
    (folder / "a.json").write_bytes(DOCUMENT)
    (folder / "b.json.gz").write_bytes(gzip.compress(b'{"users":[]}'))
    expected = '{"id":1,"balance":1.10,"name":"é\\u00e9"}\n[2,3]\n"x"\n'
    for words in (
        ("a.json", "--at", "/users"),
        ("--at", "/users", "a.json", "b.json.gz"),
        ("--at", "#/users", "*.json*"),
    ):
        done = Done("items", *words)
        assert (done.status, done.out, done.err) == (0, expected, ""), words
    assert Done("items", data=b"[1,[2]]").out == "1\n[2]\n"
    assert Done("items", data=b"[]").out == ""


def test_into_a_file(folder):
    done = Done("items", "--at", "/users/1", "-o", "out.ndjson.gz", data=DOCUMENT)
    assert (done.status, done.out) == (0, "")
    assert gzip.decompress((folder / "out.ndjson.gz").read_bytes()) == b"2\n3\n"


def test_a_fault_ends_the_items(folder):
    (folder / "old.ndjson").write_text("old")
    done = Done("items", data=b"[1,\n2,]")
    assert (done.status, done.out) == (1, "1\n2\n")
    assert done.err == "<stdin>:2:2: trailing comma is not allowed\n"
    done = Done("items", "-o", "old.ndjson", data=b"[1,")
    assert done.status == 1
    assert (folder / "old.ndjson").read_text() == "old"


def test_there_is_no_array():
    done = Done("items", "--at", "/user", data=DOCUMENT)
    assert (done.status, done.out) == (1, "")
    assert (
        done.err
        == 'snooze: <stdin>: expected array, found no "user" at $ (line 1 column 1)\n'
    )
    done = Done("items", data=DOCUMENT)
    expected = "snooze: <stdin>: expected array, found object at $ (line 1 column 1)\n"
    assert done.err == expected


def test_wrong_command_lines():
    done = Done("items", "--at", "users", data=b"[]")
    assert done.status == 2
    assert "--at: expected a JSON Pointer" in done.err
    done = Done("items", "missing.json")
    assert done.status == 2
    assert "missing.json" in done.err
