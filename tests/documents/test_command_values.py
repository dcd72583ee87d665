"""`snooze sort`, `convert`, `query`, `diff`, `patch` and `infer`."""

from __future__ import annotations

import gzip
import json
import sys

import pytest

import snooze
from helpers.command import Done

pytestmark = pytest.mark.usefixtures("folder")


def test_sort(folder):
    text = '{"b": {"d": 1, "c": 12345678901234567890123}, "a": [{"z": 1.50, "y": 2}]}'
    assert (
        Done("sort", "-c", data=text).out
        == '{"a":[{"y":2,"z":1.50}],"b":{"c":12345678901234567890123,"d":1}}\n'
    )
    (folder / "a.json").write_text('{"b":1,"a":2}')
    assert Done("sort", "-i", "--indent", "tab", "a.json").out == ""
    assert (folder / "a.json").read_text() == '{\n\t"a": 2,\n\t"b": 1\n}\n'
    (folder / "b.json").write_text("[1,]")
    done = Done("sort", "-c", "b.json", "a.json")
    assert (done.out, done.status) == ('{"a":2,"b":1}\n', 1)
    assert done.err.startswith("b.json:1:3: trailing comma")


QUERIED = '{"a": [{"b": "x"}, {"b": 12345678901234567890123}], "c/d": null}'


@pytest.mark.parametrize(
    ("words", "out", "status"),
    [
        (["$..b"], '"x"\n12345678901234567890123\n', 0),
        (["-r", "$..b"], "x\n12345678901234567890123\n", 0),
        (["-c", "$.a"], '[{"b":"x"},{"b":12345678901234567890123}]\n', 0),
        (["$.a[0]"], '{\n  "b": "x"\n}\n', 0),
        (["-p", "$..b"], "$['a'][0]['b']\n$['a'][1]['b']\n", 0),
        (["--pointers", "$..b"], "/a/0/b\n/a/1/b\n", 0),
        (["$.x"], "", 1),
        (["/a/0/b"], '"x"\n', 0),
        (["-p", "/a/1"], "$['a'][1]\n", 0),
        (["--pointers", "#/c~1d"], "/c~1d\n", 0),
        (["/c~1d"], "null\n", 0),
        (["/a/2"], "", 1),
        (["", "-c"], '{"a":[{"b":"x"},{"b":12345678901234567890123}],"c/d":null}\n', 0),
    ],
)
def test_query(words, out, status):
    done = Done("query", *words, data=QUERIED)
    assert (done.out, done.err, done.status) == (out, "", status)


def test_query_of_lines():
    assert (
        Done("query", "-l", "$.a", data='{"a": [1, 2]}\n{}\n{"a": 2}\n').out
        == "[1,2]\n2\n"
    )


def test_wrong_queries_are_shown_with_a_caret():
    done = Done("query", "$.a[?@.b = 1]", data="1")
    assert done.status == 2
    message, query, caret = done.err.splitlines()
    assert message.startswith(
        'snooze: expected "," or "]", found "= 1]" at column 10 of'
    )
    assert query[len(caret) - 1] == "="


def test_text_in_place_of_a_query():
    """It is longer than the name of a file may be."""
    done = Done("query", "[" + "1," * 5000 + "1]", data="1")
    assert done.status == 2
    assert 'expected a query that begins with "$", or a JSON Pointer' in done.err


@pytest.mark.parametrize(
    "words",
    [
        ["convert", "?.json"],
        ["diff", "?.json", "a.json"],
        ["diff", "a.json", "?.json"],
        ["patch", "?.json", "a.json"],
        ["patch", "a.json", "?.json"],
        ["patch", "-i", "?.json", "a.json"],
    ],
)
def test_a_pattern_of_several_files_where_one_is_read(folder, words):
    (folder / "a.json").write_text("[]")
    (folder / "b.json").write_text("[]")
    done = Done(*words)
    assert (done.out, done.status) == ("", 2)
    assert "expected one file, found 2 that match ?.json" in done.err
    assert sorted(one.name for one in folder.iterdir()) == ["a.json", "b.json"]


def test_a_pattern_of_one_file(folder):
    """It stands for the file: to be replaced, and with its ending."""
    (folder / "a.json").write_text('{"a": 1}')
    (folder / "p.json").write_text('[{"op": "add", "path": "/b", "value": 2}]')
    assert Done("patch", "-i", "-c", "a*", "p*").status == 0
    assert (folder / "a.json").read_text() == '{"a":1,"b":2}\n'
    assert sorted(one.name for one in folder.iterdir()) == ["a.json", "p.json"]
    (folder / "a.json").write_text('{"a": 1, "a": 2}')
    for words in (["patch", "-i", "a*", "p*"], ["convert", "a*", "-o", "a.json"]):
        done = Done(*words)
        assert done.status == 1
        assert "nothing is replaced" in done.err
    (folder / "c.csv").write_text("a,b\n1,2\n")
    assert Done("convert", "c*", "-t", "ndjson").out == '{"a":"1","b":"2"}\n'


def test_diff_and_patch(folder):
    (folder / "a.json").write_text('{"a": [1, 2, 3], "b": 1}')
    (folder / "b.json").write_text('{"a": [1, 3], "b": 1.0}')
    done = Done("diff", "a.json", "b.json")
    assert done.status == 1
    (folder / "p.json").write_text(done.out)
    assert json.loads(done.out) == snooze.diff(
        {"a": [1, 2, 3], "b": 1}, {"a": [1, 3], "b": 1.0}
    )
    assert Done("patch", "-c", "a.json", "p.json").out == '{"a":[1,3],"b":1.0}\n'
    assert Done("patch", "-i", "a.json", "p.json").out == ""
    assert (
        folder / "a.json"
    ).read_text() == '{\n  "a": [\n    1,\n    3\n  ],\n  "b": 1.0\n}\n'
    done = Done("diff", "-c", "a.json", "b.json")
    assert (done.out, done.status) == ("[]\n", 0)
    done = Done("patch", "-i", "a.json", "p.json")
    assert done.status == 0  # the second item is removed again
    done = Done("patch", "-i", "a.json", "p.json")
    assert (
        done.err
        == 'snooze: p.json: operation 1 (remove "/a/1"): expected an index below 1 at "/a", found "1"\n'
    )
    assert done.status == 1
    assert json.loads((folder / "a.json").read_text())["a"] == [1]


def test_merge_patches(folder):
    (folder / "a.json").write_text('{"a": 1, "b": 2}')
    (folder / "b.json").write_text('{"a": 1, "c": 3}')
    done = Done("diff", "-c", "--merge", "a.json", "b.json")
    assert (done.out, done.status) == ('{"b":null,"c":3}\n', 1)
    assert (
        Done("patch", "-c", "--merge", "a.json", "-", data=done.out).out
        == '{"a":1,"c":3}\n'
    )
    done = Done("diff", "--merge", "a.json", "-", data='{"a": null}')
    assert done.status == 1
    assert 'found null at "/a"' in done.err


def test_a_patch_file_is_an_array(folder):
    (folder / "a.json").write_text("{}")
    done = Done("patch", "a.json", "a.json")
    assert (done.status, done.err) == (
        1,
        "snooze: a.json: expected an array of operations, found an object\n",
    )


def test_a_result_that_is_too_deep(folder):
    """Each document can be read, and the result could not."""
    said = "is nested deeper than 1,024 arrays and objects, which no command reads"
    (folder / "a.json").write_text("1")
    (folder / "d.json").write_text("[" * 1024 + "]" * 1024)
    for words in ([], ["--compact"]):
        done = Done("diff", "a.json", "d.json", *words)
        assert (done.out, done.status) == ("", 1)
        assert done.err == f"snooze: d.json: the patch {said}; try --merge\n"
    done = Done("diff", "-c", "--merge", "a.json", "d.json")
    assert (done.raw, done.status) == (
        (folder / "d.json").read_bytes() + b"\n",
        1,
    )
    path, value = "/0" * 600, "[" * 500 + "]" * 500
    (folder / "p.json").write_text(
        f'[{{"op":"replace","path":"{path}","value":{value}}}]'
    )
    before = "[" * 600 + "1" + "]" * 600
    (folder / "b.json").write_text(before)
    for words in ([], ["--compact"], ["-i"], ["-o", "new.json"]):
        done = Done("patch", "b.json", "p.json", *words)
        assert (done.out, done.status) == ("", 1)
        assert done.err == f"snooze: p.json: the result {said}; nothing is written\n"
    assert (folder / "b.json").read_text() == before
    assert not (folder / "new.json").exists()


def test_infer(folder):
    (folder / "a.ndjson").write_text('{"id": 1}\n{"id": 2, "x": null}\n')
    schema = json.loads(Done("infer", "-l", "-n", "Point", "a.ndjson").out)
    assert (schema["title"], schema["required"]) == ("Point", ["id"])
    done = Done(
        "infer", "-l", "--as", "dataclass", "-n", "Point", "-o", "point.py", "a.ndjson"
    )
    assert done.out == ""
    assert (folder / "point.py").read_text() == snooze.infer(
        {"id": 1}, {"id": 2, "x": None}
    ).source("Point")


CONVERTED = [{"a": 1, "b": "x,y"}, {"a": None, "c": [True]}]


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("json", snooze.Encoder(indent=2).encode(CONVERTED).decode() + "\n"),
        ("ndjson", '{"a":1,"b":"x,y"}\n{"a":null,"c":[true]}\n'),
        ("csv", 'a,b,c\n1,"x,y",\n,,[true]\n'),
    ],
)
def test_convert(folder, form, text):
    data = json.dumps(CONVERTED)
    assert Done("convert", "--to", form, data=data).out == text
    assert Done("convert", "-", "-o", f"out.{form}", data=data).out == ""
    assert (folder / f"out.{form}").read_text() == text


@pytest.mark.parametrize(
    ("form", "package"), [("yaml", "yaml"), ("msgpack", "msgpack"), ("toml", "tomli_w")]
)
def test_convert_with_packages(folder, form, package):
    value = {"a": [1, 2.5, "é", True], "b": {"c": "d"}}
    try:
        __import__(package)
    except ImportError:
        done = Done("convert", "--to", form, data="{}")
        assert done.status == 2
        assert "this format needs the package" in done.err
        return
    assert Done("convert", "-", "-o", f"out.{form}", data=json.dumps(value)).status == 0
    assert json.loads(Done("convert", f"out.{form}").out) == value


class Package:
    """In place of msgpack: keeps what is written."""

    def packb(self, value, *, datetime, default):
        assert datetime is False
        assert callable(default)
        self.value = value
        return b"\x90"


@pytest.fixture
def package(monkeypatch):
    found = Package()
    monkeypatch.setitem(sys.modules, "msgpack", found)
    return found


def test_convert_warns_of_rounded_numbers(folder, package):
    """Of digits that no double has; not of 1.10, whose value stays."""
    exact = '{"a":[1.10,-0.0,1E5,2e-3],"n":123456789012345678901234567890,"z":-0}'
    done = Done("convert", "--to", "msgpack", data=exact)
    assert (done.status, done.err) == (0, "")
    assert repr(package.value) == repr(json.loads(exact))
    rounded = '{"a":[1.10,0.1000000000000000055511151231257827],"b":{"c":[[1e-400]]}}'
    done = Done("convert", "--to", "msgpack", data=rounded)
    assert done.status == 0
    assert package.value == json.loads(rounded)
    assert "warning: 2 numbers rounded to a double" in done.err
    done = Done(
        "convert",
        "--to",
        "msgpack",
        "--from",
        "ndjson",
        data="1\n0.1" + "0" * 50 + "1\n",
    )
    assert package.value == [1, 0.1]
    assert "warning: a number rounded to a double" in done.err
    assert done.err.rstrip().endswith("0000... at /1")
    deep = "[" * 1000 + "1.5" + "]" * 1000
    assert Done("convert", "--to", "msgpack", data=deep).status == 0
    for _ in range(1000):
        [package.value] = package.value
    assert repr(package.value) == "1.5"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a":[1e400]}', "1e400 at /a/0 is beyond the range of a double"),
        (
            "-1e999",
            "snooze: <stdin>: -1e999 at the root is beyond the range of a double",
        ),
        pytest.param(
            "9" * 5000, "<stdin>: cannot be written as msgpack: Exceeds", id="digits"
        ),
    ],
)
def test_convert_refuses_numbers_that_are_no_doubles(folder, package, text, said):
    done = Done("convert", "--to", "msgpack", data=text)
    assert done.status == 1
    assert said in done.err


def test_convert_back(folder):
    (folder / "a.csv").write_bytes(b'\xef\xbb\xbfa,b\r\n1,"x\ny"\r\n')
    assert json.loads(Done("convert", "a.csv").out) == [{"a": "1", "b": "x\ny"}]
    (folder / "a.jsonl.gz").write_bytes(gzip.compress(b"1\n[2]\n"))
    assert json.loads(Done("convert", "a.jsonl.gz").out) == [1, [2]]
    (folder / "a.toml").write_text("a = 1979-05-27\nb = [1.5]\n")
    assert json.loads(Done("convert", "a.toml").out) == {"a": "1979-05-27", "b": [1.5]}


@pytest.mark.parametrize(
    ("name", "text", "words", "said"),
    [
        ("a.csv", "a,b\n1\n", [], "line 2 has not as many cells as the first"),
        ("a.csv", "a\n1,2\n", [], "line 2 has not as many cells as the first"),
        ("a.toml", "a = ", [], "a.toml: expected toml: "),
        (
            "a.json",
            "{}",
            ["-t", "ndjson"],
            "a.json: cannot be written as ndjson: expected an array, found an object",
        ),
        (
            "a.json",
            "[1]",
            ["-t", "csv"],
            "expected an array of objects, found an array whose item 0 is a number",
        ),
        (
            "a.json",
            "[1]",
            ["-t", "toml"],
            "a.json: cannot be written as toml: expected an object, found an array",
        ),
        (
            "a.json",
            '{"a": [null]}',
            ["-t", "toml"],
            "TOML has no null, found one at /a/0",
        ),
    ],
)
def test_what_cannot_be_converted(folder, name, text, words, said):
    (folder / name).write_text(text)
    done = Done("convert", name, *words)
    assert said in done.err
    assert (done.out, done.status) == ("", 1)
