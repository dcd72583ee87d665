"""Commands that make values lose no digit, and no member without saying so."""

from __future__ import annotations

import gc
import json

import pytest

from helpers.command import Done

pytestmark = pytest.mark.usefixtures("folder")

EXACT = '"p":1.10,"q":0.1000000000000000055511151231257827,"e":1E5,"h":1e400,"z":-0'
TEXT = "{" + EXACT + "}"
ADDED = "{" + EXACT + ',"y":3.00}'
LONG = "[" + "1" * 5000 + "]"
TWICE = '{"p": 1.10,\n "in": {"k": 1, "k": 2}}'
PLACE = 'a member name occurs twice in one object, at "/in/k"; '


@pytest.fixture
def files(folder):
    (folder / "a.json").write_text(TEXT)
    (folder / "long.json").write_text(LONG)
    (folder / "twice.json").write_text(TWICE)
    (folder / "add.json").write_text('[{"op":"add","path":"/y","value":3.00}]')
    (folder / "merge.json").write_text('{"y":3.00}')
    return folder


@pytest.mark.parametrize(
    ("words", "out"),
    [
        (
            ["sort", "-c", "a.json"],
            '{"e":1E5,"h":1e400,"p":1.10,'
            '"q":0.1000000000000000055511151231257827,"z":-0}',
        ),
        (["sort", "-c", "long.json"], LONG),
        (["patch", "-c", "a.json", "add.json"], ADDED),
        (["patch", "-c", "--merge", "a.json", "merge.json"], ADDED),
        (["query", "-c", "$", "a.json"], TEXT),
        (["query", "-c", "", "a.json"], TEXT),
        (["query", "-c", "$", "long.json"], LONG),
        (["query", "-r", "$['p', 'h']", "a.json"], "1.10\n1e400"),
        (["convert", "-t", "ndjson", "long.json"], LONG[1:-1]),
        (["convert", "-f", "ndjson", "-t", "ndjson", "a.json"], TEXT),
        (
            ["convert", "-f", "ndjson", "-t", "csv", "a.json"],
            "p,q,e,h,z\n1.10,0.1000000000000000055511151231257827,1E5,1e400,-0",
        ),
    ],
)
def test_numbers_keep_their_digits(files, words, out):
    done = Done(*words)
    assert (done.out, done.err, done.status) == (out + "\n", "", 0)


def test_numbers_keep_their_digits_in_the_file(files):
    assert Done("convert", "a.json").out == (
        TEXT.replace(",", ",\n  ").replace('":', '": ').replace("{", "{\n  ")[:-1]
        + "\n}\n"
    )
    for words in (["sort"], ["patch"]):
        (files / "b.json").write_text("[1.10, 1E5]")
        (files / "none.json").write_text("[]")
        more = ["none.json"] if words == ["patch"] else []
        assert Done(*words, "-i", "-c", "b.json", *more).status == 0
        assert (files / "b.json").read_text() == "[1.10,1E5]\n"


@pytest.mark.parametrize(
    ("query", "out"),
    [
        ("$[?@ > 1]", "1.10\n1E5\n1e400\n"),
        ("$[?@ > 1.1]", "1E5\n1e400\n"),
        ("$[?@ == 1.1]", "1.10\n"),
        ("$[?@ == 100000]", "1E5\n"),
        ("$[?@ == $.e]", "1E5\n"),
        ("$[?@ < $.e && @ >= $.p]", "1.10\n"),
        ("$[?@ <= 0]", "-0\n"),
        ("$[?@ > 'a' || @ > true || @ == '1.10']", ""),
    ],
)
def test_queries_compare_numbers(files, query, out):
    done = Done("query", query, "a.json")
    assert (done.out, done.err, done.status) == (out, "", 0 if out else 1)


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("1.1", None),
        ("11e-1", None),
        ("1.10000000000000000001", "1.10"),
        ('"1.10"', "1.10"),
        ("true", "1.10"),
        ("[]", "1.10"),
    ],
)
def test_tests_of_patches_compare_numbers(files, value, found):
    (files / "t.json").write_text(f'[{{"op":"test","path":"/p","value":{value}}}]')
    done = Done("patch", "-c", "a.json", "t.json")
    if found is None:
        assert (done.out, done.status) == (TEXT + "\n", 0)
    else:
        shown = "an array of 0" if value == "[]" else value
        assert done.status == 1
        assert done.err.endswith(f"expected {shown}, found {found}\n")


def test_differences_are_those_of_numbers(files):
    (files / "b.json").write_text('{"p":1.1,"e":100000.0,"z":0,"n":[1,1e400]}')
    (files / "c.json").write_text('{"p":1.100,"e":1e5,"z":-0,"n":[1.0,1e401]}')
    done = Done("diff", "-c", "b.json", "c.json")
    assert json.loads(done.out, parse_float=str) == [
        {"op": "replace", "path": "/n/0", "value": "1.0"},
        {"op": "replace", "path": "/n/1", "value": "1e401"},
    ]
    assert Done("diff", "-c", "--merge", "b.json", "c.json").out == (
        '{"n":[1.0,1e401]}\n'
    )
    (files / "b.json").write_text("1.1000000000000000000001")
    assert Done("diff", "-c", "a.json", "b.json").out == (
        '[{"op":"replace","path":"","value":1.1000000000000000000001}]\n'
    )


@pytest.mark.parametrize(
    ("words", "out"),
    [
        (["sort", "-c"], '{"in":{"k":2},"p":1.10}\n'),
        (["query", "-c", "$"], '{"p":1.10,"in":{"k":2}}\n'),
        (["convert", "-f", "json"], None),
        (["infer"], None),
    ],
)
def test_members_that_occur_twice_are_told(files, words, out):
    done = Done(*words, "twice.json")
    assert done.status == 0
    assert done.err.startswith(f"twice.json:2:17: warning: {PLACE}only the last one")
    assert '\n  2 |  "in": {"k": 1, "k": 2}}\n' in done.err
    assert out is None or done.out == out


def test_members_that_occur_twice_are_told_of_both_files(files):
    done = Done("diff", "-c", "twice.json", "twice.json")
    assert (done.out, done.err.count("warning: "), done.status) == ("[]\n", 2, 0)
    done = Done("patch", "-c", "twice.json", "add.json")
    assert (done.out, done.err.count("warning: "), done.status) == (
        '{"p":1.10,"in":{"k":2},"y":3.00}\n',
        1,
        0,
    )


def test_members_that_occur_twice_are_told_once_for_all_lines():
    done = Done("query", "-l", "$.a", data='{"a":1}\n{"a":1,"a":2}\n{"a":3,"a":4}\n')
    assert (done.out, done.status) == ("1\n2\n4\n", 0)
    assert done.err.startswith("<stdin>:2:8: warning: a member name occurs twice")
    assert done.err.count("warning: ") == 1


@pytest.mark.parametrize(
    "words",
    [
        ["sort", "-i", "twice.json"],
        ["sort", "twice.json", "-o", "twice.json"],
        ["patch", "-i", "twice.json", "add.json"],
        ["patch", "-i", "--merge", "a.json", "twice.json"],
        ["convert", "twice.json", "-o", "twice.json"],
        ["convert", "twice.json", "-o", "./twice.json"],
        ["convert", "twice.json", "-t", "json", "-o", "link"],
        ["sort", "twice.json", "-o", "sub/../twice.json"],
        ["patch", "twice.json", "add.json", "-o", "link"],
        ["convert", "twice.json", "-o", "{folder}/twice.json"],
        ["patch", "{folder}/twice.json", "add.json", "-o", "twice.json"],
    ],
)
def test_files_with_members_that_occur_twice_are_not_replaced(files, words):
    (files / "sub").mkdir()
    (files / "link").symlink_to("twice.json")
    done = Done(*(word.format(folder=files) for word in words))
    assert (done.out, done.status) == ("", 1)
    assert f"twice.json:2:17: {PLACE}nothing is replaced" in done.err
    assert "write to another file with --output" in done.err
    assert (files / "twice.json").read_text() == TWICE
    assert (files / "a.json").read_text() == TEXT


def test_what_is_no_json_is_told_and_not_what_occurs_twice():
    done = Done("sort", data='{"a":1,"a":2,}')
    assert (done.out, done.status) == ("", 1)
    assert done.err.startswith("<stdin>:1:13: trailing comma is not allowed")


@pytest.mark.parametrize(
    ("rest", "column", "said"),
    [
        ("1E400]", 5003, "number is infinity when parsed as double"),
        ("]", 5002, "trailing comma is not allowed"),
        ('"\xff"]', 5004, "not valid UTF-8 (byte 0xff)"),
    ],
)
def test_what_is_wrong_behind_a_long_integer(rest, column, said):
    """The same of a line as of a document."""
    text = (LONG[:-1] + "," + rest).encode("latin-1")
    whole = Done("validate", data=b"\n" * 2 + text)
    assert whole.err.startswith(f"<stdin>:3:{column}: {said}\n")
    lines = Done("validate", "--lines", data=b"[1]\n\n" + text)
    assert (lines.err, lines.status) == (whole.err, 1)


def test_the_collector_runs_again():
    assert gc.isenabled()
    Done("sort", data="[1")
    assert gc.isenabled()


@pytest.mark.parametrize("name", ["out.xyz", "out.json.bak", "out.xyz.gz"])
def test_an_unknown_ending_is_no_json(files, name):
    done = Done("convert", "a.json", "-o", name)
    assert (done.out, done.status) == ("", 2)
    assert f".toml, found {name}; for another name say the format, --to " in done.err
    assert "json|ndjson|csv|msgpack|yaml|toml" in done.err
    assert not (files / name).exists()
    assert Done("convert", "long.json", "-t", "ndjson", "-o", name).status == 0
    assert (files / name).exists()


def test_no_ending_is_json(files):
    assert Done("convert", "long.json", "-o", "out").status == 0
    assert json.loads((files / "out").read_text(), parse_int=str) == ["1" * 5000]
