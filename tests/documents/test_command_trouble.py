"""What a new user does wrong: no traceback, nothing silent, the right exit status."""

from __future__ import annotations

import gzip
import os
import signal
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import snooze
from helpers.command import Done

pytestmark = [
    pytest.mark.usefixtures("files"),
    pytest.mark.skipif(os.name != "posix", reason="the streams are those of POSIX"),
]
#: Each command that reads one file, with what is before its name.
READERS = [
    ["format"],
    ["format", "--check"],
    ["format", "--lines"],
    ["minify"],
    ["validate"],
    ["stats"],
    ["sort"],
    ["convert"],
    ["query", "$"],
    ["infer"],
    ["diff", "ok.json"],
    ["diff", "--merge", "ok.json"],
    ["patch", "ok.json"],
    ["patch", "--merge", "ok.json"],
    ["scan"],
    ["schema"],
]
#: Command lines that write something to standard output.
WRITERS = [
    ["format", "ok.json"],
    ["format", "--check", "ok.json"],
    ["minify", "ok.json"],
    ["stats", "ok.json"],
    ["stats", "--json", "ok.json"],
    ["sort", "ok.json"],
    ["convert", "ok.json"],
    ["query", "$.a", "ok.json"],
    ["infer", "ok.json"],
    ["infer", "--as", "dataclass", "ok.json"],
    ["diff", "ok.json", "other.json"],
    ["patch", "--merge", "ok.json", "ok.json"],
    ["scan", "ok.json"],
    ["schema", "ok.json"],
    ["completion", "bash"],
    ["--help"],
    ["--version"],
    ["format", "--help"],
    ["run", "--help"],
]
#: A debug build shows a warning of the interpreter about the closed files.
PYTHON = f'"{sys.executable}" -W ignore::ResourceWarning'
#: Command lines that write to a file, which comes last.
FILLERS = [
    ["format", "ok.json", "-o"],
    ["minify", "ok.json", "-o"],
    ["sort", "ok.json", "-o"],
    ["convert", "ok.json", "-o"],
    ["infer", "ok.json", "-o"],
    ["patch", "--merge", "ok.json", "ok.json", "-o"],
    ["schema", "ok.json", "-o"],
]


@pytest.fixture
def files(folder):
    """Files with nothing, with everything, and with something wrong."""
    (folder / "ok.json").write_bytes(b'{"a":[1,2.5,{"b":"x"}]}')
    (folder / "other.json").write_bytes(b'{"a":1}')
    (folder / "empty.json").write_bytes(b"")
    (folder / "space.json").write_bytes(b" \n")
    (folder / "random.json").write_bytes(bytes(range(255, 0, -1)) * 50)
    (folder / "deep.json").write_bytes(b"[" * 100_000)
    (folder / "closed.json").write_bytes(b"[" * 100_000 + b"]" * 100_000)
    (folder / "no.json.gz").write_bytes(b"[1, 2]")
    whole = gzip.compress(b"[" + b"1," * 5000 + b"1]")
    (folder / "cut.json.gz").write_bytes(whole[: len(whole) // 2])
    (folder / "bad.json.gz").write_bytes(whole[:20] + b"\0\xff" * 5 + whole[30:])
    (folder / "inner").mkdir()


def process(*words: str, **options) -> subprocess.CompletedProcess[bytes]:
    """Run the command in a process of its own."""
    streams = {"stdin": subprocess.DEVNULL, "stderr": subprocess.PIPE} | options
    return subprocess.run(
        [sys.executable, "-m", "snooze", *words], check=False, timeout=60, **streams
    )


@pytest.mark.parametrize("words", READERS, ids=" ".join)
@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("none.json", 2),
        ("inner", 2),
        ("no.json.gz", 2),
        ("cut.json.gz", 2),
        ("bad.json.gz", 2),
        ("", 2),
        ("x" * 300, 2),
        ("[" * 300, 2),
        ("random.json", 1),
        ("empty.json", 1),
        ("space.json", 1),
        ("deep.json", 1),
        ("closed.json", 1),
    ],
)
def test_a_file_that_cannot_be_read(words, name, status):
    """The message is one line that names the file; a place has more."""
    done = Done(*words, name)
    blank = name in {"empty.json", "space.json"}
    if blank and words[0] in {"scan", "format"} and words != ["format"]:
        # No line, no record. An empty file is not what `format` makes.
        assert done.status == (1 if words == ["format", "--check"] else 0)
        return
    assert done.status == status
    assert done.out == ""
    assert "Traceback" not in done.err
    if words != ["schema"] or status == 2:
        assert name in done.err
    assert 0 < done.err.count("\n") <= 3
    if status == 2:
        assert done.err.startswith("snooze: ")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="Linux has /dev/full")  # noqa: PTH110
@pytest.mark.parametrize("words", WRITERS, ids=" ".join)
def test_a_full_disk(words):
    with open("/dev/full", "wb") as full:
        done = process(*words, stdout=full)
    assert done.returncode == 2
    assert done.stderr.startswith(b"snooze: ")
    assert done.stderr.endswith(b"No space left on device\n")
    assert done.stderr.count(b"\n") == 1


@pytest.mark.parametrize("words", WRITERS, ids=" ".join)
def test_no_standard_output(words):
    """Closed by `>&-`."""
    command = f'exec {PYTHON} -m snooze "$@" >&-'
    done = subprocess.run(
        ["/bin/sh", "-c", command, "sh", *words], capture_output=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr.startswith(b"snooze: ")
    assert done.stderr.endswith(b"Bad file descriptor\n")
    assert done.stderr.count(b"\n") == 1


@pytest.mark.parametrize("words", READERS, ids=" ".join)
def test_no_standard_input(words):
    """Closed by `<&-`."""
    command = f'exec {PYTHON} -m snooze "$@" <&-'
    done = subprocess.run(
        ["/bin/sh", "-c", command, "sh", *words, "-"],
        capture_output=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stdout == b""
    assert done.stderr.endswith(b"<stdin>: Bad file descriptor\n")
    assert done.stderr.count(b"\n") == 1


@pytest.mark.parametrize("end", ["< deep.json", "<&-", "< ok.json >&-"])
def test_tool_has_no_traceback(end):
    """Where json.tool has one: its last line, and its status."""
    shell = ["/bin/sh", "-c", f'exec {PYTHON} -m "$@" {end}', "sh"]
    ours = subprocess.run([*shell, "snooze", "tool"], capture_output=True, check=False)
    assert (ours.returncode, ours.stdout) == (1, b"")
    assert ours.stderr.count(b"\n") == 1
    theirs = subprocess.run([*shell, "json.tool"], capture_output=True, check=False)
    assert theirs.returncode == 1
    assert theirs.stderr.startswith(b"Traceback")
    if end == "< deep.json":
        assert ours.stderr.partition(b":")[0] == b"RecursionError"
        assert b"\nRecursionError: " in theirs.stderr


def test_programs_that_are_not_there(folder):
    """The statuses are Python's own; what a program itself misses is its affair."""
    for words, status in (
        (["none.py"], 2),
        (["-m", "none"], 1),
        (["-m", "json.none"], 1),
        (["-m", "none.inner"], 1),
    ):
        done = process("run", *words, stdout=-1)
        assert (done.returncode, done.stdout) == (status, b"")
        assert done.stderr.startswith(b"snooze: ")
        assert done.stderr.count(b"\n") == 1
    (folder / "program.py").write_text("import absent_package\n")
    for words in (["program.py"], ["-m", "program"]):
        done = process("run", *words, stdout=-1, cwd=folder)
        assert done.returncode == 1
        assert b"No module named 'absent_package'" in done.stderr
        assert b'program.py", line 1' in done.stderr


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("end", [">&-", ">/dev/full"])
def test_nobody_can_be_told(end, unbuffered):
    """The exit status is the same without standard error."""
    if end == ">/dev/full" and not Path("/dev/full").exists():
        pytest.skip("Linux has /dev/full")
    for words, status in (
        (["validate", "ok.json"], 0),
        (["validate", "deep.json"], 1),
        (["format", "none.json"], 2),
        (["nonsense"], 2),
    ):
        command = f'exec {PYTHON} -m snooze "$@" 2{end}'
        done = subprocess.run(
            ["/bin/sh", "-c", command, "sh", *words],
            stdout=-1,
            check=False,
            env=os.environ | {"PYTHONUNBUFFERED": unbuffered},
        )
        assert (done.returncode, done.stdout) == (status, b""), words


@pytest.mark.parametrize(
    "words",
    [
        ["format", "big.json"],
        ["minify", "big.json"],
        ["sort", "--compact", "big.json"],
        ["convert", "big.json"],
        ["query", "$.*", "big.json"],
        ["diff", "ok.json", "big.json"],
        ["scan", "big.ndjson"],
        ["format", "--lines", "big.ndjson"],
        ["tool", "big.json"],
    ],
    ids=" ".join,
)
def test_nobody_reads_on(folder, words):
    """As in `| head -n 1`; the status is that of a program that SIGPIPE ends."""
    (folder / "big.json").write_bytes(b"[" + b'"abcdefgh",' * 60_000 + b"1]")
    (folder / "big.ndjson").write_bytes(b'{"a":"abcdefghijklm"}\n' * 60_000)
    command = [sys.executable, "-m", "snooze", *words]
    with subprocess.Popen(command, stdout=-1, stderr=-1) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.read(1)
        running.stdout.close()
        assert running.stderr.read() == b""
        assert running.wait(60) == 141


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("words", [*WRITERS, ["tool", "ok.json"]], ids=" ".join)
def test_nobody_reads_at_all(words, unbuffered):
    """As in `| true`, also what is short."""
    reading, writing = os.pipe()
    os.close(reading)
    environment = os.environ | {"PYTHONUNBUFFERED": unbuffered}
    done = process(*words, stdout=writing, env=environment)
    os.close(writing)
    assert done.returncode == 141
    assert done.stderr.startswith(b"1 row in ") or done.stderr == b""


@pytest.mark.parametrize("name", ["/dev/stdout", "pipe", "pipe.gz"])
@pytest.mark.parametrize("words", FILLERS, ids=" ".join)
def test_nobody_reads_the_file(folder, words, name):
    """Pipes with a name, and the one that is standard output."""
    text = '"' + os.urandom(100_000).hex() + '"'
    (folder / "ok.json").write_text(f'{{"a":{text},{text}:1}}')
    command = [sys.executable, "-m", "snooze", *words, name]
    if name != "/dev/stdout":
        os.mkfifo(name)
    # Without buffers: on CPython 3.15 one has room for all of the text.
    with subprocess.Popen(command, stdout=-1, stderr=-1, bufsize=0) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        with running.stdout if name == "/dev/stdout" else open(name, "rb", 0) as reader:
            reader.read(1)
        assert (running.stderr.read(), running.wait(60)) == (b"", 141)
    assert sorted(path.name for path in folder.iterdir() if ".part" in path.name) == []


@pytest.mark.parametrize(
    "words", [*FILLERS, ["scan", "ok.json", "--quiet", "--to"]], ids=" ".join
)
def test_a_dash_is_standard_output(folder, words):
    """As without the option, also for files of that name and for several files."""
    before = sorted(folder.iterdir())
    done = Done(*words, "-")
    assert (done.status, done.err) == (0, "")
    assert done.out == Done(*words[:-1]).out != ""
    assert sorted(folder.iterdir()) == before
    if words[0] == "scan":
        return
    assert Done(*words, "./-").out == ""
    assert (folder / "-").read_bytes() == done.raw
    if words[0] in {"format", "minify", "sort"}:
        several = [words[0], "ok.json", "other.json"]
        assert Done(*several, "-o", "-").out == Done(*several).out
        found = Done(words[0], "-i", "ok.json", "-o", "-")
        assert (found.out, found.status) == ("", 2)
    if words[0] in {"sort", "convert"}:
        (folder / "-").write_text('{"a":1,"a":2}')
        assert Done(words[0], "./-", "-o", "-").status == 0
        assert Done(words[0], "./-", "-o", "./-").status == 1


@pytest.mark.slow
@pytest.mark.parametrize("words", [*READERS, ["tool"]], ids=" ".join)
def test_interrupted(words):
    """Ctrl-C while standard input is read."""
    name = [] if words == ["tool"] else ["-"]
    command = [sys.executable, "-c", WAITING, *words, *name]
    with subprocess.Popen(command, stdin=-1, stdout=-1, stderr=-1) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == b"ready\n"
        time.sleep(0.3)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=60)
    assert (running.returncode, out) == (130, b"")
    assert err.strip() == b""


@pytest.mark.parametrize("words", [["validate"], ["minify"], ["query", "$"], ["scan"]])
def test_standard_input_that_does_not_wait(words):
    """Another program made it so; what comes later belongs to the document, too."""
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    command = [sys.executable, "-c", WAITING, *words, "-"]
    with subprocess.Popen(command, stdin=reading, stdout=-1, stderr=-1) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == b"ready\n"
        for part in (b'{"a":12', b"34}"):
            time.sleep(0.2)
            os.write(writing, part)
        os.close(writing)
        out, _ = running.communicate(timeout=60)
    text = b"" if words == ["validate"] else b'{"a":1234}'
    assert (running.returncode, b"".join(out.split())) == (0, text)
    assert not os.get_blocking(reading)
    os.close(reading)


#: The packages that a command needs are imported before the test waits for it.
#: A process that a shell runs in the background ignores SIGINT, and so do its children.
WAITING = """
import signal
import sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from snooze.__main__ import main
import snooze._cli.app
print("ready", flush=True)
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize("words", FILLERS, ids=" ".join)
def test_a_file_that_cannot_be_written(words):
    for name in ("inner", "none/x.json", "x" * 300):
        done = Done(*words, name)
        assert (done.status, done.out) == (2, "")
        assert done.err.startswith(f"snooze: {name}: ")
        assert done.err.count("\n") == 1
    assert not list(Path("inner").iterdir())


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="there are no permissions")
def test_a_folder_that_cannot_be_written(folder):
    """Nothing is left behind, and the file is as before."""
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    (folder / "inner" / "a.json").write_bytes(b"[1, 2]")
    (folder / "inner").chmod(0o555)
    try:
        done = Done("minify", "--in-place", "inner/a.json")
    finally:
        (folder / "inner").chmod(0o755)
    assert (done.status, done.err) == (2, "snooze: inner/a.json: Permission denied\n")
    assert (folder / "inner" / "a.json").read_bytes() == b"[1, 2]"


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="there are no permissions")
def test_a_file_without_permission(folder):
    """It does not keep a command from the others."""
    if os.geteuid() == 0:
        pytest.skip("root may read everywhere")
    (folder / "shut.json").write_bytes(b"[1]")
    (folder / "shut.json").chmod(0o200)
    said = "snooze: shut.json: Permission denied\n"
    done = Done("minify", "shut.json", "other.json")
    assert (done.status, done.err, done.out) == (2, said, '{"a":1}\n')
    done = Done("minify", "other.json", "-o", "shut.json")
    assert (done.status, done.err) == (0, "")


def test_files_are_not_checked_before_they_are_opened(folder, monkeypatch):
    """Outputs may be for writing only. As root, all files can be read."""
    monkeypatch.setattr(os, "access", lambda *_, **__: False)
    (folder / "old.json").write_bytes(b"[]")
    os.mkfifo(folder / "pipe")
    reader = os.open(folder / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        for name in ("old.json", "pipe"):
            done = Done("minify", "other.json", "-o", name)
            assert (done.status, done.err) == (0, "")
        assert os.read(reader, 100) == b'{"a":1}\n'
    finally:
        os.close(reader)
    assert (folder / "old.json").read_bytes() == b'{"a":1}\n'


def test_devices_and_pipes_are_written_not_replaced(folder):
    """By the command and by `snooze.dump`; also compressed."""
    pipe = folder / "pipe.gz"
    os.mkfifo(pipe)
    found: list[bytes] = []

    def write(action) -> bytes:
        reader = threading.Thread(target=lambda: found.append(pipe.read_bytes()))
        reader.start()
        action()
        reader.join()
        assert stat.S_ISFIFO(pipe.stat().st_mode)
        return gzip.decompress(found.pop())

    text = write(lambda: Done("minify", "other.json", "-o", "pipe.gz"))
    assert text == b'{"a":1}\n'
    assert write(lambda: snooze.dump([1, 2], "pipe.gz")) == b"[1,2]"
    done = process("minify", "other.json", "-o", "/dev/stdout", stdout=-1)
    assert (done.returncode, done.stdout) == (0, b'{"a":1}\n')


def test_schema_of_what_has_no_records():
    """It says so; an empty description alone would be silent."""
    said = "snooze: no columns: no line is an object with members"
    for data in (b"", b"\n\n", b"{}\n"):
        done = Done("schema", data=data)
        assert (done.status, done.err) == (1, f"{said}\n")
    done = Done("schema", data=b"[1]\n2\n")
    assert done.status == 1
    assert done.err.startswith(f"{said}; 2 wrong, the first: <stdin>, line 1, byte 0: ")
    done = Done("schema", data=b"\n\xff\n")
    assert done.err.startswith(f"{said}; 1 wrong, the first: <stdin>, line 2, byte 1: ")


def test_stats_of_integers_of_any_size():
    done = Done("stats", "--json", data=b"9" * 5000)
    assert done.status == 0
    assert snooze.loads(done.out)["kinds"] == {"integer": 1}


@pytest.mark.parametrize(
    "command",
    [["validate"], ["format"], ["minify"], ["query", "$"], ["infer"]],
    ids=" ".join,
)
def test_json_lines_without_the_option(folder, command):
    """The message names the option where the command has it."""
    hint = "For one document on each line, use --lines."
    (folder / "a.ndjson").write_text('{"a":1}\n{"a":2}\n')
    assert Done(*command, "a.ndjson").err.rstrip().endswith(hint)
    (folder / "a.ndjson").write_text('{"a":1}\n{"a":2\n')
    assert hint not in Done(*command, "--lines", "a.ndjson").err
    (folder / "a.ndjson").write_text('{"a":1} {"a":2}\n')
    assert hint not in Done(*command, "a.ndjson").err
    (folder / "a.ndjson").write_text('{"a":1}\n{"a":2}\n')
    sort = Done("sort", "a.ndjson")
    assert sort.status == 1
    assert hint not in sort.err


def test_statistics_of_one(folder):
    """A count of one has a noun in the singular."""
    out = Done("stats", data='{"a":[1]}').out
    assert "  longest array   1 item\n" in out
    assert "  largest object  1 member\n" in out
    assert "  longest string  0 bytes\n" in out


@pytest.mark.parametrize("command", ["scan", "schema"])
def test_lines_in_gzip_without_a_name(command):
    """A pipe has no ending that says so."""
    done = Done(command, data=gzip.compress(b'{"a":1}\n'))
    assert (done.out, done.status) == ("", 1)
    assert done.err.startswith("snooze: <stdin>: not UTF-8, and looks like gzip; ")


def test_help_of_what_replaces_one_file():
    assert "Replace FILE once its new text is complete." in Done("patch", "--help").out
    assert "Replace each file" in Done("sort", "--help").out
    assert "JSON text where types" in Done("scan", "--help").out
