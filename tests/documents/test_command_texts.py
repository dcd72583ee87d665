"""`snooze format`, `minify`, `validate` and `stats`, and what all commands share."""

from __future__ import annotations

import gzip
import importlib.util
import io
import json
import sys

import pytest
from hypothesis import given

import snooze
from helpers.command import Done
from helpers.documents_data import DOCUMENTS
from snooze._cli import outputs, reformat, statistics, utf8

pytestmark = pytest.mark.usefixtures("folder")
HAS_ZSTD = importlib.util.find_spec("_zstd") is not None
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


def test_long_documents_have_a_bar_on_a_terminal(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    def make(progress):
        for offset in (30, 90):
            if progress is not None:
                progress(offset)
            yield b"x"

    monkeypatch.setattr(sys, "stderr", Terminal())
    assert b"".join(outputs.with_progress(100, make)) == b"xx"
    assert sys.stderr.getvalue() == ""
    monkeypatch.setattr(outputs, "_LARGE", 100)
    assert b"".join(outputs.with_progress(100, make)) == b"xx"
    assert "90%" in sys.stderr.getvalue()
    assert "100%" in sys.stderr.getvalue()
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert b"".join(outputs.with_progress(100, make)) == b"xx"
    assert sys.stderr.getvalue() == ""


def test_lines():
    data = '{"a": 1}\n\n[1, 2]\r\n  \n"x"'
    assert Done("minify", "--lines", data=data).out == '{"a":1}\n[1,2]\n"x"\n'
    assert (
        Done("format", "-l", data=data).out == '{\n  "a": 1\n}\n[\n  1,\n  2\n]\n"x"\n'
    )
    done = Done("minify", "--lines", data="1\n[1,]\n")
    # With a line feed, so that the message begins on a new line.
    assert (done.out, done.status) == ("1\n", 1)
    assert done.err.startswith(
        "<stdin>:2:3: trailing comma is not allowed\n  2 | [1,]\n"
    )


@pytest.mark.parametrize("line", ["\f", "\v", " \f ", "\f\r"])
def test_lines_of_other_blanks_are_no_blank_lines(line):
    """JSON has four characters of white space, Python more."""
    for command in ("validate", "minify", "format"):
        done = Done(command, "--lines", data=f"1\n{line}\n")
        assert done.status == 1
        assert "<stdin>:2:" in done.err
    assert Done("validate", "--lines", data="\r\n \t\r\n\n1").status == 0


def test_one_line_at_a_time_is_in_memory(monkeypatch):
    """A file of lines may be larger than the memory."""
    from snooze._cli.inputs import Source

    monkeypatch.setattr(Source, "read", None)
    data = "[ 1 ]\n" * 3
    assert Done("minify", "--lines", data=data).out == "[1]\n" * 3
    assert Done("validate", "--lines", data=data).status == 0


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
        (["diff", "-", "-"], "expected one file other than standard input"),
        (
            ["diff", "--merge", "-", "-"],
            "expected one file other than standard input",
        ),
        (
            ["query", "x", "a.json"],
            'expected a query that begins with "$", or a JSON Pointer',
        ),
        (["query", "a.json", "$.a"], "the query comes before the files"),
        (
            ["convert", "a.json", "b.csv"],
            "expected one file, found 2; -o names the file to write, as in "
            "convert a.json -o b.csv",
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
    marks = "\u0301\u0e35\u0e48\u0941"  # of width 0, the Thai and Hindi ones too
    for text in (
        '["aé", x]',
        '\t["字字", x]',
        '["' + "a" * 300 + '", x, "' + "b" * 300 + '"]',
        '["e\u0301", x]',
        '["\u0e17\u0e35\u0e48 \u0915\u0941", x]',
    ):
        _, line, caret = Done("validate", data=text).err.splitlines()
        assert len(caret) <= 80
        assert len(line) <= 80
        shown = ""
        for one in line:  # what a terminal shows, column by column
            shown += one + "~" * (one == "字") if one not in marks else ""
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
    assert (done.status, done.err) == (
        2,
        "snooze: c.gz: not a gzip file, or other bytes follow its end\n",
    )
    (folder / "c.gz").write_bytes(gzip.compress(b"[1]" * 100)[:-9])
    done = Done("validate", "c.gz")
    assert (done.status, done.err) == (
        2,
        "snooze: c.gz: the compressed file ends too early\n",
    )
    damaged = bytearray(gzip.compress(b"[1]" * 100))
    damaged[12] ^= 255
    (folder / "c.gz").write_bytes(damaged)
    done = Done("validate", "c.gz")
    assert (done.status, done.err) == (
        2,
        "snooze: c.gz: the decompressed data does not match its checksum or length\n",
    )
    assert Done("validate", "*.none").err == "snooze: *.none: no file matches\n"


@pytest.mark.skipif(not HAS_ZSTD, reason="this Python has no zstd (from 3.14 on)")
def test_zstd(folder):
    snooze.dump([1], folder / "a.json.zst")
    assert Done("minify", "a.json.zst").out == "[1]\n"


@pytest.mark.skipif(HAS_ZSTD, reason="this Python has zstd")
def test_zstd_needs_a_newer_python(folder):
    (folder / "a.json.zst").write_bytes(b"")
    done = Done("minify", "a.json.zst")
    assert done.status == 2
    assert "it comes with 3.14" in done.err


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


#: Texts that are not UTF-8, and what is said of them.
ENCODED = [
    (b'{"a":"\xe9"}', '1:7: not valid UTF-8 (byte 0xe9)\n  1 | {"a":"\ufffd"}\n'),
    (
        b'["x",\n"\xc3\xa9\xff"]',
        '2:3: not valid UTF-8 (byte 0xff)\n  2 | "\xe9\ufffd"]\n',
    ),
    (b'"\xe2\x82', '1:2: not valid UTF-8 (byte 0xe2)\n  1 | "\ufffd\n'),
    (
        b"[" + b'"ab\xc3\xa9",\n' * 90_000 + b'"\xed\xa0\x80"]',
        "90001:2: not valid UTF-8 (byte 0xed)",
    ),
    ("[1]".encode("utf-16"), "1:1: not UTF-8, and looks like UTF-16 or UTF-32"),
    ("[1]".encode("utf-32"), "1:1: not UTF-8, and looks like UTF-16 or UTF-32"),
    (gzip.compress(b"[1]"), "1:1: not UTF-8, and looks like gzip; decompress it"),
]


@pytest.mark.parametrize("command", ["validate", "format", "sort"])
@pytest.mark.parametrize(("data", "said"), ENCODED)
def test_text_in_another_encoding(folder, command, data, said):
    """The first wrong byte is shown, or what the text looks like."""
    (folder / "a.json").write_bytes(data)
    done = Done(command, "a.json")
    assert done.err.startswith(f"a.json:{said}")
    assert (done.out, done.status) == ("", 1)


@pytest.mark.parametrize("command", ["validate", "format", "minify", "stats"])
@pytest.mark.parametrize(("data", "said"), ENCODED)
def test_standard_input_in_another_encoding(command, data, said):
    """The same place as in a file, although it cannot be read again."""
    done = Done(command, data=data)
    assert done.err.startswith(f"<stdin>:{said}")
    assert (done.out, done.status) == ("", 1)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le"])
def test_ascii_in_a_wide_encoding(folder, encoding):
    """Without a mark it is valid UTF-8, so the message is about the zeros."""
    (folder / "a.json").write_bytes('{"a": 1}'.encode(encoding))
    for command in ("validate", "format", "sort", "stats"):
        done = Done(command, "a.json")
        assert done.err.endswith(
            "\n  It looks like UTF-16 or UTF-32; convert it to UTF-8 first, as with "
            "iconv.\n"
        )
        assert (done.out, done.status) == ("", 1)
    assert "UTF-16" not in Done("validate", data='{"a":\0 1}').err


def test_the_place_in_a_long_line(folder):
    """What is kept of the line is bounded."""
    data = b'["' + "é".encode() * 300_000 + b'\xff"]'
    (folder / "a.json").write_bytes(data)
    named = Done("validate", "a.json").err
    assert named.startswith("a.json:1:300003: not valid UTF-8 (byte 0xff)\n")
    assert "éé\ufffd" in named
    assert Done("validate", data=data).err == named.replace("a.json", "<stdin>")
    search = utf8.Search()
    for number in range(10):
        assert not search.feed(b"x" * 100_000 + bytes([65 + number]))
        assert len(search._before) <= 1 << 12
    assert search.end() is None


@pytest.mark.parametrize("data", [one[0] for one in ENCODED])
def test_a_search_in_pieces(data):
    """Blocks of any size give the same place."""
    whole = utf8.Search()
    whole.feed(data)
    for size in (1, 2, 3, 7):
        cut = utf8.Search()
        head = data[:300]
        for at in range(0, len(head), size):
            cut.feed(head[at : at + size])
        cut.feed(data[300:])
        assert whole.end() is not None
        assert (cut.end() or ())[1:3] == (whole.end() or ())[1:3]


def test_a_line_in_another_encoding(folder):
    (folder / "a.ndjson").write_bytes(b'1\n["\xff"]\n')
    done = Done("validate", "--lines", "a.ndjson")
    assert done.err.startswith("a.ndjson:2:3: not valid UTF-8 (byte 0xff)")
    assert Done("validate", data=b'["\xff"]').err.startswith("<stdin>:1:")
