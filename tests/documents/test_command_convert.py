"""`snooze convert`: what a format cannot hold is an error, and nothing is lost."""

from __future__ import annotations

import csv
import gzip
import io
import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.command import Done
from snooze._cli import csv_cells, members

pytestmark = pytest.mark.usefixtures("folder")
TEXTS = st.text(st.characters(exclude_categories=["Cs"]))


@pytest.mark.parametrize("text", ["a,a\n1,2\n", ",\n1,2\n", "a,b,a\n"])
def test_columns_of_one_name(folder, text):
    """One of them would be lost, so the file that would be replaced stays."""
    done = Done("convert", "--from", "csv", data=text)
    assert (done.out, done.status) == ("", 1)
    assert "<stdin>: expected csv: line 1 has two columns with the name" in done.err
    (folder / "d.csv").write_text(text)
    assert Done("convert", "d.csv", "-o", "d.csv", "--to", "csv").status == 1
    assert (folder / "d.csv").read_text() == text


@given(TEXTS, st.lists(TEXTS, min_size=1, unique=True), st.data())
def test_cells_are_read_back(extra, names, data):
    """Every string, with any end of a line, quote or mark in it."""
    row = st.fixed_dictionaries(dict.fromkeys(names, TEXTS))
    rows = data.draw(st.lists(row, min_size=1))
    rows[0][names[0]] = extra
    text = b"".join(csv_cells.text_of(rows)) + b"\n"
    assert csv_cells.rows_of(text) == rows
    assert csv_cells.rows_of(text.removesuffix(b"\n")) == rows


@pytest.mark.parametrize("cell", ["x\r", "x\ry", "\r", "\r\n", "\n", "", "\ufeff"])
def test_ends_of_lines_in_cells(cell):
    rows = [{"a": "1", "b": cell}, {"a": cell, "b": "2"}]
    done = Done("convert", "--to", "csv", data=json.dumps(rows))
    assert done.status == 0
    back = Done("convert", "--from", "csv", data=done.raw)
    assert json.loads(back.out) == rows
    assert "\r" not in cell or '"' in done.out


def test_a_mark_at_the_start_stays():
    rows = [{"\ufeffa": "1"}]
    text = Done("convert", "--to", "csv", data=json.dumps(rows)).raw
    assert json.loads(Done("convert", "--from", "csv", data=text).out) == rows


def test_a_row_of_one_empty_cell():
    """As pyarrow writes null in the only column; others have blank lines for nothing."""
    back = Done("convert", "--from", "csv", data="a\n\n1\n")
    assert json.loads(back.out) == [{"a": ""}, {"a": "1"}]
    back = Done("convert", "--from", "csv", data="a,b\n\n1,2\n\n")
    assert json.loads(back.out) == [{"a": "1", "b": "2"}]


def test_long_cells():
    """The limit of the module csv is as before, for others in the process."""
    before = csv.field_size_limit()
    rows = [{"a": "x" * 200_000}]
    text = Done("convert", "--to", "csv", data=json.dumps(rows)).out
    assert json.loads(Done("convert", "--from", "csv", data=text).out) == rows
    assert csv.field_size_limit() == before
    with pytest.raises(csv.Error):
        csv_cells.rows_of(b'a\n"x"y\n')
    assert csv.field_size_limit() == before


def test_objects_without_members_are_no_rows():
    done = Done("convert", "--to", "csv", data="[{},{}]")
    assert (done.out, done.status) == ("", 1)
    assert "found 2 without any" in done.err
    done = Done("convert", "--to", "csv", data='[{},{"a":1}]')
    assert list(csv.reader(io.StringIO(done.out))) == [["a"], [""], ["1"]]


@pytest.mark.parametrize("form", ["csv", "ndjson"])
def test_nothing_stays_nothing(form):
    done = Done("convert", "--to", form, data="[]")
    assert (done.out, done.status) == ("", 0)
    assert Done("convert", "--from", form, data="").out == "[]\n"


@pytest.mark.parametrize("command", ["format", "minify"])
def test_no_lines_stay_no_lines(folder, command):
    (folder / "empty.ndjson").write_bytes(b"")
    done = Done(command, "--lines", "empty.ndjson")
    assert (done.out, done.status) == ("", 0)
    assert Done(command, "--lines", data="\n\n").out == ""
    assert Done(command, "--lines", "-i", "empty.ndjson").status == 0
    assert (folder / "empty.ndjson").read_bytes() == b""
    done = Done("format", "--check", "--lines", "empty.ndjson")
    assert (done.out, done.status) == ("", 0)
    assert Done("format", "--check", "--lines", data="\n").status == 1


@pytest.mark.parametrize("form", ["json", "ndjson", "csv"])
@pytest.mark.parametrize("number", ["nan", "inf", "-inf"])
def test_numbers_that_json_does_not_have(form, number):
    """They would be null."""
    data = f"a = [1.5, {{b = {number}}}]"
    done = Done("convert", "--from", "toml", "--to", form, data=data)
    assert (done.out, done.status) == ("", 1)
    said = f"<stdin>: cannot be written as {form}: JSON has no {number}"
    assert f"{said}, found one at /a/1/b" in done.err


def test_keys_that_are_one_name():
    for value in ({1: "x", "1": "y"}, {None: 1, "null": 2}, {1.0: 1, "1.0": 2}):
        with pytest.raises(ValueError, match="at /a are one name in JSON"):
            members.check({"a": value})
    with pytest.raises(ValueError, match="JSON has no nan"):
        members.check([{float("nan"): 1}])
    with pytest.raises(ValueError, match="JSON has no inf, found one at /0/a$"):
        members.check([{"a": float("inf"), "b": float("nan")}, float("nan")])
    with pytest.raises(ValueError, match="the keys 1 and True, which Python has as"):
        members.pairs([(1, "x"), (True, "y")])
    ring: list = [{1: "x", None: 2, 1.5: 3}]
    ring.append(ring)
    members.check(ring)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: 1\na: 2\n", "a map has the key 'a' twice in line 2"),
        ("b:\n  - {x: 1, 'x': 2}\n", "a map has the key 'x' twice in line 2"),
        ("1: a\n0x1: b\n", "a map has the key 1 twice in line 2"),
        ("&k a: 1\nb:\n  c: 2\n*k : 3\n", "a map has the key 'a' twice in line 4"),
        ("&k a: 1\n? {*k : 2}\n: 3\n*k : 4\n", "has the key 'a' twice in line 4"),
        (
            "yes: yes\n1: one\n",
            "the keys True and 1, the latter in line 2, which Python has as one key, so",
        ),
        ("1: a\n2: b\n1.0: c\n", "has the keys 1 and 1.0, the latter in line 3, "),
        ("? &n .nan\n: 1\n? *n\n: 2\n", "a map has the key nan twice in line 3"),
        ('1: x\n"1": y\n', "are one name in JSON"),
        ("a: .nan\nb: .inf\n", "JSON has no nan, found one at /a"),
        ("a:\n  - [1, .inf]\n  - .nan\n", "JSON has no inf, found one at /a/0/1"),
        ("a: .nan\n", "JSON has no nan, found one at /a"),
        ("a: [1, -.inf]\n", "JSON has no -inf, found one at /a/1"),
    ],
)
def test_what_yaml_has_and_json_has_not(text, said):
    pytest.importorskip("yaml")
    done = Done("convert", "--from", "yaml", data=text)
    assert (done.out, done.status) == ("", 1)
    assert said in done.err


@pytest.mark.parametrize("pattern", ["%s", "a%sb", "%sa", "a%s", "a %s b", "%s\n"])
@pytest.mark.parametrize("mark", ["\x85", "\u2028", "\u2029", "\ufeff", "\r", "\xa0"])
def test_ends_of_lines_in_yaml(mark, pattern):
    """Those that readers of YAML 1.1 and 1.2 take for different things are escaped."""
    pytest.importorskip("yaml")
    text = pattern % mark
    value = {"a": text, text: [text, [{text: [text]}]], "é": text}
    done = Done("convert", "--to", "yaml", data=json.dumps(value))
    assert json.loads(Done("convert", "--from", "yaml", data=done.raw).out) == value
    assert "é" in done.out
    assert mark == "\xa0" or mark not in done.out


def test_yaml_keys_that_are_merged():
    """A map may have a key of its own beside that of `<<`."""
    pytest.importorskip("yaml")
    text = "a: &a {x: 1, y: 2}\nb: &b {<<: *a, x: 3}\nc: {<<: [*a, *b], =: 4}\nd: *b\n"
    done = Done("convert", "--from", "yaml", data=text)
    assert json.loads(done.out) == {
        "a": {"x": 1, "y": 2},
        "b": {"x": 3, "y": 2},
        "c": {"x": 1, "y": 2, "=": 4},
        "d": {"x": 3, "y": 2},
    }
    ring = Done("convert", "--from", "yaml", "--to", "yaml", data="&a [*a]")
    assert ring.status == 0


def test_what_msgpack_has_and_json_has_not(folder):
    msgpack = pytest.importorskip("msgpack")
    (folder / "twice.mp").write_bytes(b"\x82\xa1a\x01\xa1a\x02")
    done = Done("convert", "twice.mp")
    assert (done.out, done.status) == ("", 1)
    assert "twice.mp: expected msgpack: a map has the key 'a' twice" in done.err
    (folder / "nan.mp").write_bytes(msgpack.packb([{"a": float("nan")}]))
    done = Done("convert", "nan.mp")
    assert (done.out, done.status) == ("", 1)
    assert "JSON has no nan, found one at /0/a" in done.err
    done = Done("convert", "--to", "msgpack", data="123456789012345678901234567890")
    assert (done.out, done.status) == ("", 1)
    assert "<stdin>: cannot be written as msgpack" in done.err


def test_endings_in_capitals(folder):
    """They mean the same, also that a file is compressed."""
    assert Done("convert", "-", "-o", "a.JSON.GZ", data="[1]").status == 0
    assert gzip.decompress((folder / "a.JSON.GZ").read_bytes()) == b"[\n  1\n]\n"
    assert Done("minify", "a.JSON.GZ").out == "[1]\n"
    assert Done("scan", "-", "--to", "b.NDJSON.GZ", data='{"a":1}').status == 0
    assert gzip.decompress((folder / "b.NDJSON.GZ").read_bytes()) == b'{"a":1}\n'


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="this Python writes .zst")
def test_advice_where_zstd_cannot_be_written(folder):
    (folder / "a.json").write_text("[1]")
    done = Done("minify", "a.json", "-o", "a.json.zst")
    assert done.status == 2
    assert done.err.endswith("; write a .gz, or pass an open one\n")
    done = Done("minify", "a.json.zst")
    assert done.err.endswith("; decompress the file, or pass an open one\n")
