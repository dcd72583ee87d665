"""The command `snooze`: what each command writes, and its exit status.

Most run inside of this process, through click's own runner; what depends on processes,
terminals and standard streams runs in a process of its own.
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys

import pytest
from hypothesis import given

import snooze
from helpers.documents_data import DOCUMENTS, exact

click = pytest.importorskip("click")

from click.testing import CliRunner  # noqa: E402

from snooze._cli import app as command_line  # noqa: E402
from snooze._cli import reformat, statistics  # noqa: E402

#: Nothing of this may change but white space.
AS_WRITTEN = '{"b": [1, 2.50, -0.0, 1E4, {"é\\u0041": 12345678901234567890123}], "b" : [ ], "c":{ }, "d\\"\\\\": "x: , [\\" {"}'
INDENTED = """\
{
  "b": [
    1,
    2.50,
    -0.0,
    1E4,
    {
      "é\\u0041": 12345678901234567890123
    }
  ],
  "b": [],
  "c": {},
  "d\\"\\\\": "x: , [\\" {"
}
"""
PACKED = (
    '{"b":[1,2.50,-0.0,1E4,{"é\\u0041":12345678901234567890123}],"b":[],"c":{},'
    '"d\\"\\\\":"x: , [\\" {"}\n'
)


class Done:
    """What a command line has written, and its exit status."""

    def __init__(self, *words: str, data: bytes | str | None = None) -> None:
        saved: list[int] = []

        @click.command(
            context_settings={"ignore_unknown_options": True, "help_option_names": []}
        )
        @click.argument("rest", nargs=-1, type=click.UNPROCESSED)
        def whole(rest: tuple[str, ...]) -> None:
            saved.append(command_line.main(list(rest), "snooze"))

        result = CliRunner().invoke(whole, list(words), input=data)
        if result.exception is not None and not isinstance(
            result.exception, SystemExit
        ):
            raise result.exception
        self.status = saved[0]
        self.raw = result.stdout_bytes
        self.out = result.stdout
        self.err = result.stderr


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Each test has a folder of its own, and a terminal of 80 columns."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path


def test_format_changes_white_space_only(folder):
    (folder / "a.json").write_text(AS_WRITTEN, "utf-8")
    done = Done("format", "a.json")
    assert (done.out, done.err, done.status) == (INDENTED, "", 0)
    assert Done("format", data=AS_WRITTEN).out == INDENTED
    assert Done("format", "-", data=INDENTED).out == INDENTED
    assert Done("minify", data=INDENTED).out == PACKED
    assert Done("minify", data=AS_WRITTEN).out == PACKED


@given(DOCUMENTS)
def test_format_is_json_dumps(value):
    """As json.dumps writes it, and back; with ASCII too."""
    text = json.dumps(value, ensure_ascii=False).encode()
    pretty = b"".join(reformat.indented(text, b"   ")).decode()
    assert pretty == json.dumps(value, indent=3, ensure_ascii=False)
    packed = b"".join(reformat.minified(pretty.encode())).decode()
    assert packed == json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    small = b"".join(reformat.ascii_only(iter([text]))).decode()
    assert small == json.dumps(value)


def test_pieces_are_of_bounded_length():
    text = json.dumps([{"a": [number, "x" * 20]} for number in range(200_000)]).encode()
    for pieces in (reformat.indented(text, b"  "), reformat.minified(text)):
        lengths = [len(piece) for piece in pieces]
        assert len(lengths) > 2
        assert max(lengths) < 4_000_000


@pytest.mark.parametrize(
    ("indent", "text"), [("0", ""), ("4", "    "), ("tab", "\t"), ("16", " " * 16)]
)
def test_indents(indent, text):
    assert Done("format", "--indent", indent, data="[1]").out == f"[\n{text}1\n]\n"


@pytest.mark.parametrize("indent", ["-1", "17", "x", "", "1.5", "²"])
def test_wrong_indents(indent):
    done = Done("format", f"--indent={indent}", data="[1]")
    assert done.status == 2
    assert "expected 0 to 16 or tab" in done.err


def test_ascii():
    done = Done("format", "--ascii", data='["é😀\\u00e9"]')
    assert done.out == '[\n  "\\u00e9\\ud83d\\ude00\\u00e9"\n]\n'
    assert Done("minify", "--ascii", data='["é"]').out == '["\\u00e9"]\n'


def test_lines():
    data = '{"a": 1}\n\n[1, 2]\r\n  \n"x"'
    assert Done("minify", "--lines", data=data).out == '{"a":1}\n[1,2]\n"x"\n'
    assert (
        Done("format", "-l", data=data).out == '{\n  "a": 1\n}\n[\n  1,\n  2\n]\n"x"\n'
    )
    done = Done("minify", "--lines", data="1\n[1,]\n")
    assert (done.out, done.status) == ("1", 1)
    assert done.err.startswith(
        "<stdin>:2:3: trailing comma is not allowed\n  2 | [1,]\n"
    )


def test_in_place_replaces_whole_files(folder):
    one, two, wrong = folder / "a.json", folder / "b.json", folder / "c.json"
    one.write_text("[1,2]")
    one.chmod(0o640)
    wrong.write_text("[1,")
    two.write_text("{}")
    done = Done("format", "-i", "*.json")
    assert done.status == 1
    assert one.read_text() == "[\n  1,\n  2\n]\n"
    assert one.stat().st_mode & 0o777 == 0o640
    assert two.read_text() == "{}\n"
    assert wrong.read_text() == "[1,"
    assert sorted(path.name for path in folder.iterdir()) == [
        "a.json",
        "b.json",
        "c.json",
    ]
    assert "c.json:1:4: unexpected end of data" in done.err


def test_a_later_wrong_line_leaves_a_file_alone(folder):
    path = folder / "a.ndjson"
    path.write_text("[1 ]\n[,]\n")
    assert Done("minify", "-l", "-i", "a.ndjson").status == 1
    assert path.read_text() == "[1 ]\n[,]\n"
    assert list(folder.iterdir()) == [path]


def test_output_files(folder):
    (folder / "a.json").write_text("[1]")
    assert Done("minify", "a.json", "-o", "b.json").out == ""
    assert (folder / "b.json").read_text() == "[1]\n"
    (folder / "c.json").mkdir()
    done = Done("minify", "a.json", "-o", "c.json")
    assert done.status == 2
    assert "c.json: " in done.err
    done = Done("minify", "a.json", "-o", "none/b.json")
    assert (done.status, done.err) == (
        2,
        "snooze: none/b.json: No such file or directory\n",
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["format", "-i"], "--in-place: expected a file, found standard input"),
        (
            ["format", "-i", "-o", "b.json", "a.json"],
            "expected --output or --in-place, found both",
        ),
        (
            ["minify", "a.json", "a.json", "-o", "b.json"],
            "--output: expected one file, found 2",
        ),
        (["format", "--check", "-i", "a.json"], "--check: expected neither"),
        (
            ["sort", "-i", "-o", "b.json", "a.json"],
            "expected --output or --in-place, found both",
        ),
        (["sort", "-i"], "--in-place: expected a file, found standard input"),
        (
            ["sort", "-o", "b.json", "a.json", "a.json"],
            "--output: expected one file, found 2",
        ),
        (["patch", "-i", "-", "a.json"], "--in-place: expected a file and no --output"),
        (["patch", "-", "-"], "expected one file other than standard input"),
        (
            ["query", "x", "a.json"],
            'expected a query that begins with "$", or a JSON Pointer',
        ),
        (
            ["query", "$", "-r", "-p", "a.json"],
            "expected one of --raw, --paths and --pointers",
        ),
        (
            ["infer", "--as", "dataclass", "-n", "1", "a.json"],
            "--name: expected a name that a class can have",
        ),
        (["format", "--what"], "No such option"),
        (["what"], "No such command 'what'"),
        (["completion", "powershell"], "is not one of 'bash', 'zsh', 'fish'"),
        (["stats", "--names", "-1"], "not in the range"),
    ],
)
def test_wrong_command_lines(folder, words, said):
    (folder / "a.json").write_text("[1]")
    done = Done(*words, data="[1]")
    assert said in " ".join(done.err.split())
    assert (done.out, done.status) == ("", 2)
    assert [path.name for path in folder.iterdir()] == ["a.json"]


def test_check(folder):
    (folder / "a.json").write_text("[1]\n")
    (folder / "b.json").write_text("[\n  1\n]\n")
    done = Done("format", "--check", "a.json", "b.json")
    assert (done.out, done.status) == ("would change a.json\n", 1)
    assert Done("format", "--check", "b.json").status == 0
    assert (folder / "a.json").read_text() == "[1]\n"


def test_validate(folder):
    (folder / "a.json").write_text("[1]")
    (folder / "b.json").write_text('{\n  "a": [1, 2,],\n  "b": 3\n}')
    done = Done("validate", "a.json", "b.json", "none.json")
    assert done.status == 2
    assert done.out == ""
    assert done.err == (
        "b.json:2:13: trailing comma is not allowed\n"
        '  2 |   "a": [1, 2,],\n'
        "                  ^\n"
        "snooze: none.json: No such file or directory\n"
    )
    assert Done("validate", "a.json").status == 0
    assert Done("validate", "b.json").status == 1
    done = Done("validate", "-q", "b.json")
    assert (done.err, done.status) == ("", 1)
    done = Done("validate", "-q", "x*.json")
    assert (done.err, done.status) == ("", 2)


def test_validate_every_line():
    done = Done("validate", "--lines", data='1\n[\n{"a":1}\nnula\n')
    assert done.status == 1
    assert [line for line in done.err.splitlines() if line.startswith("<stdin>")] == [
        "<stdin>:2:2: unexpected end of data",
        "<stdin>:4:1: invalid literal, expected 'null'",
    ]


@pytest.mark.parametrize(
    "data",
    ["", "\n", "\ufeff1", "[1] 2", '["\x01"]', '"\\ud800"', "NaN", "[" * 2000, "'a'"],
)
def test_what_is_no_document(data):
    for name in ("format", "minify", "validate", "stats", "sort", "infer", "convert"):
        done = Done(name, data=data)
        assert done.status == 1, name
        assert done.err.startswith("<stdin>:"), name


def test_carets_point_at_the_column():
    """Also in long lines, behind wide characters and tabs."""
    for text in (
        '["aé", x]',
        '\t["字字", x]',
        '["' + "a" * 300 + '", x, "' + "b" * 300 + '"]',
        '["e\u0301", x]',
    ):
        _, line, caret = Done("validate", data=text).err.splitlines()
        assert len(caret) <= 80
        assert len(line) <= 80
        shown = ""
        for one in line:  # what a terminal shows, column by column
            shown += one + "~" * (one == "字") if one != "\u0301" else ""
        assert shown[len(caret) - 1] == "x"


def test_bytes_that_are_not_utf_8():
    done = Done("validate", data=b'["\xff"]')
    assert done.status == 1
    assert "not valid UTF-8" in done.err


def test_compressed_files_and_patterns(folder):
    inner = folder / "in" / "ner"
    inner.mkdir(parents=True)
    with gzip.open(inner / "a.json.gz", "wb") as file:
        file.write(b"[1]")
    (folder / "b[1].json").write_text("2")
    assert Done("minify", "**/*.gz", "b[1].json").out == "[1]\n2\n"
    assert Done("format", "-i", "**/*.gz").status == 0
    assert gzip.decompress((inner / "a.json.gz").read_bytes()) == b"[\n  1\n]\n"
    (folder / "c.gz").write_bytes(b"[1]")
    done = Done("validate", "c.gz")
    assert (done.status, done.err) == (2, "snooze: c.gz: Not a gzipped file (b'[1')\n")
    (folder / "c.gz").write_bytes(gzip.compress(b"[1]" * 100)[:-9])
    done = Done("validate", "c.gz")
    assert (done.status, done.err) == (
        2,
        "snooze: c.gz: the compressed data ends early\n",
    )
    assert Done("validate", "*.none").err == "snooze: *.none: no file matches\n"


@pytest.mark.skipif(sys.version_info < (3, 14), reason="zstd comes with 3.14")
def test_zstd(folder):
    snooze.dump([1], folder / "a.json.zst")
    assert Done("minify", "a.json.zst").out == "[1]\n"


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="zstd comes with 3.14")
def test_zstd_needs_a_newer_python(folder):
    (folder / "a.json.zst").write_bytes(b"")
    done = Done("minify", "a.json.zst")
    assert done.status == 2
    assert "it comes with 3.14" in done.err


def test_sort(folder):
    text = '{"b": {"d": 1, "c": 12345678901234567890123}, "a": [{"z": 1.50, "y": 2}]}'
    assert (
        Done("sort", "-c", data=text).out
        == '{"a":[{"y":2,"z":1.5}],"b":{"c":12345678901234567890123,"d":1}}\n'
    )
    (folder / "a.json").write_text('{"b":1,"a":2}')
    assert Done("sort", "-i", "--indent", "tab", "a.json").out == ""
    assert (folder / "a.json").read_text() == '{\n\t"a": 2,\n\t"b": 1\n}\n'


def test_stats():
    text = '{"a": [1, 2.5, "xyz", true, null], "b": {"a": {}, "\\u0061": [[]], "c": false}}'
    found = json.loads(Done("stats", "--json", "--names", "1", data=text).out)
    assert found == {
        "file": "<stdin>",
        "bytes": len(text),
        "white_space_bytes": 12,
        "values": 12,
        "kinds": {
            "array": 3,
            "false": 1,
            "integer": 1,
            "null": 1,
            "number": 1,
            "object": 3,
            "string": 1,
            "true": 1,
        },
        "depth": 4,
        "longest_array": 5,
        "most_members": 3,
        "longest_string_bytes": 3,
        "distinct_names": 3,
        "names": {"a": 3},
        "repeated_members": 1,
        "repeated_places": ["/b/a"],
    }
    shown = Done("stats", data=text).out
    assert shown.splitlines()[0] == f"<stdin>: {len(text)} bytes, 15 % white space"
    assert "    /b/a" in shown.splitlines()


@given(DOCUMENTS)
def test_stats_count_what_is_there(value):
    text = snooze.encode(value)
    found = statistics.counted(text)
    nodes = [value, *snooze.jsonpath.find(value, "$..*")]
    assert found.kinds.total() == len(nodes)
    assert found.kinds["array"] == sum(isinstance(one, list) for one in nodes)
    assert found.names.total() == sum(
        len(one) for one in nodes if isinstance(one, dict)
    )
    assert found.longest_array == max(
        (len(one) for one in nodes if isinstance(one, list)), default=0
    )
    assert (found.repeated, found.white_space) == (0, 0)
    spaced = statistics.counted(
        json.dumps(value, indent=1, ensure_ascii=False).encode()
    )
    assert spaced.size - spaced.white_space == found.size or b"." in text


def test_places_of_repeated_members_are_listed_up_to_a_number():
    text = (
        '[{"x": {"a/b": 1, "a/b": 2, "a/b": 3}}, {' + ", ".join(['"c": 1'] * 100) + "}]"
    )
    found = json.loads(Done("stats", "--json", data=text).out)
    assert found["repeated_members"] == 101
    assert found["repeated_places"][:3] == ["/0/x/a~1b", "/0/x/a~1b", "/1/c"]
    assert len(found["repeated_places"]) == 20


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
    assert done.status == 2
    assert 'found null at "/a"' in done.err


def test_a_patch_file_is_an_array(folder):
    (folder / "a.json").write_text("{}")
    done = Done("patch", "a.json", "a.json")
    assert (done.status, done.err) == (
        2,
        "snooze: a.json: expected an array of operations\n",
    )


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
            "this is no value for ndjson: expected an array, found dict",
        ),
        (
            "a.json",
            "[1]",
            ["-t", "csv"],
            "this is no value for csv: expected an array of objects",
        ),
        (
            "a.json",
            "[1]",
            ["-t", "toml"],
            "this is no value for toml: expected an object, found list",
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
    assert (done.out, done.status) == ("", 2)


def test_completion():
    for shell in ("bash", "zsh", "fish"):
        assert "_SNOOZE_COMPLETE" in Done("completion", shell).out


@pytest.mark.parametrize(
    "name",
    [
        "format",
        "minify",
        "validate",
        "stats",
        "sort",
        "convert",
        "query",
        "diff",
        "patch",
        "infer",
        "completion",
    ],
)
def test_help_fits_a_terminal(name):
    done = Done(name, "--help")
    assert done.status == 0
    assert max(map(len, done.out.splitlines())) <= 80
    assert name in Done("--help").out


def process(
    *words: str, data: bytes = b"", **options
) -> subprocess.CompletedProcess[bytes]:
    """Run the command in a process of its own."""
    command = [sys.executable, "-m", "snooze", *words]
    return subprocess.run(
        command, input=data, capture_output=True, check=False, **options
    )


def test_as_a_process(folder):
    done = process("format", data=b"[1]")
    assert (done.stdout, done.stderr, done.returncode) == (b"[\n  1\n]\n", b"", 0)
    done = process("validate", data=b"[1,]")
    assert done.returncode == 1
    assert done.stderr.startswith(b"<stdin>:1:3: trailing comma")
    assert process().returncode == 2
    done = process("--version")
    assert done.stdout.decode().split()[-1] == snooze.__version__
    assert b"python -m snooze run" in process("run", "--help").stdout


def test_a_reader_that_stops_early(folder):
    (folder / "a.json").write_bytes(b"[" + b"1," * 500_000 + b"1]")
    command = f'"{sys.executable}" -m snooze format a.json | head -n 1'
    done = subprocess.run(command, shell=True, capture_output=True, check=False)
    assert (done.stdout, done.stderr) == (b"[\n", b"")


def test_without_click(folder):
    """The command says how to get it; `run` and `tool` do without."""
    (folder / "click.py").write_text("raise ImportError('hidden')\n")
    done = process("format", data=b"1")
    assert done.returncode == 2
    assert b"pip install 'snooze[cli]'" in done.stderr
    done = process("--help")
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"tool" in done.stdout
    assert process("tool", "--compact", data=b"[1, 2]").stdout == b"[1,2]\n"


TOOL = [
    ([], b'{"b": [1, 2.50, "\xc3\xa9"], "a": {}}', 0),
    (["--sort-keys", "--indent", "2"], b'{"b": [1, 2], "a": {}}', 0),
    (["--no-ensure-ascii", "--tab"], '["é"]'.encode(), 0),
    (["--compact"], b"[1, {}]", 0),
    (["--no-indent"], b"[1, {}]", 0),
    (["--json-lines"], b"[1]\n{}\n", 0),
    (["in.json", "out.json"], b"", 0),
    ([], b"[1,]", 1),
    ([], b"[NaN, 12345678901234567890123]", 0),
    (["--what"], b"", 2),
    (["--help"], b"", 0),
    (["none.json"], b"", None),
]


@pytest.mark.parametrize(("words", "data", "status"), TOOL)
def test_tool_is_json_tool(folder, words, data, status):
    """The same options, output, errors and exit status."""
    (folder / "in.json").write_text('{"x": [1]}')
    environment = os.environ | {"NO_COLOR": "1", "COLUMNS": "80"}
    ours = process("tool", *words, data=data, env=environment)
    written = (folder / "out.json").read_bytes() if "out.json" in words else b""
    command = [sys.executable, "-m", "json.tool", *words]
    theirs = subprocess.run(
        command, input=data, capture_output=True, check=False, env=environment
    )
    assert ours.stdout == theirs.stdout
    assert ours.returncode == theirs.returncode
    assert status is None or ours.returncode == status
    assert written == ((folder / "out.json").read_bytes() if written else b"")
    assert ours.stderr.splitlines()[-1:] == theirs.stderr.splitlines()[-1:]


@pytest.mark.skipif(os.name != "posix", reason="terminals are made by pty")
def test_colours_on_a_terminal_only(folder):
    import pty

    (folder / "a.json").write_text('{"a": ["x", 1]}')

    def shown(*words: str, **variables: str) -> bytes:
        ours, its = pty.openpty()
        command = [sys.executable, "-m", "snooze", *words]
        environment = {
            name: value for name, value in os.environ.items() if name != "NO_COLOR"
        }
        subprocess.run(
            command, stdout=its, stderr=its, check=False, env=environment | variables
        )
        os.close(its)
        found = b""
        while True:
            try:
                part = os.read(ours, 4096)
            except OSError:
                break
            if not part:
                break
            found += part
        os.close(ours)
        return found

    coloured = shown("format", "a.json")
    assert b'\x1b[34m"a"\x1b[0m: [' in coloured
    assert b'\x1b[32m"x"\x1b[0m,' in coloured
    assert b"\x1b[" in shown("query", "$.a", "a.json")
    assert b"\x1b[31m" in shown("validate", "none.json")
    assert b"\x1b[" not in shown("format", "a.json", NO_COLOR="1")
    assert shown("format", "-o", "b.json", "a.json") == b""
    assert b"\x1b[" not in (folder / "b.json").read_bytes()
    assert exact(json.loads((folder / "b.json").read_text())) == exact({"a": ["x", 1]})
