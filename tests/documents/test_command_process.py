"""The command `snooze` as a process: streams, terminals, json.tool, without click."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import snooze
from helpers.command import Done
from helpers.documents_data import exact

pytestmark = pytest.mark.usefixtures("folder")


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
        "scan",
        "schema",
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


@pytest.mark.parametrize(
    ("words", "count", "expected"),
    [
        ("snooze fo", 1, b"plain,format\n"),
        ("snooze format --in", 2, b"plain,--indent\nplain,--in-place\n"),
        ("snooze infer --as ", 3, b"plain,schema\nplain,dataclass\n"),
        ("snooze query $ ", 3, b"file,\n"),
    ],
)
def test_shells_complete(words, count, expected):
    command = [sys.executable, "-c", "from snooze.__main__ import main; main()"]
    variables = {
        "_SNOOZE_COMPLETE": "bash_complete",
        "COMP_WORDS": words,
        "COMP_CWORD": str(count),
    }
    done = subprocess.run(
        command, capture_output=True, check=False, env=os.environ | variables
    )
    assert done.stdout == expected


def test_a_reader_that_stops_early(folder):
    (folder / "a.json").write_bytes(b"[" + b"1," * 500_000 + b"1]")
    command = f'"{sys.executable}" -m snooze format a.json | head -n 1'
    done = subprocess.run(command, shell=True, capture_output=True, check=False)
    assert (done.stdout, done.stderr) == (b"[\n", b"")


def test_click_without_generic_types():
    """Before 8.4 no class of it takes another one in brackets."""
    code = (
        "import sys, click; click.ParamType.__class_getitem__ = None; "
        "from snooze.__main__ import main; sys.exit(main(['--version']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=False
    )
    assert (done.stderr, done.returncode) == (b"", 0)


def test_without_click(folder):
    """The command says how to get it; `run` and `tool` do without."""
    (folder / "click.py").write_text("raise ImportError('hidden')\n")
    done = process("format", data=b"1")
    assert done.returncode == 2
    assert b"pip install click" in done.stderr
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


POSIX = pytest.mark.skipif(os.name != "posix", reason="terminals are made by pty")


def shown(*words: str, both: bool = True, **variables: str) -> bytes:
    """Return what a terminal gets that is standard error, and usually output."""
    import pty
    import threading

    ours, its = pty.openpty()
    command = [sys.executable, "-m", "snooze", *words]
    environment = {k: value for k, value in os.environ.items() if k != "NO_COLOR"}
    found = bytearray()

    def read() -> None:
        # Linux ends with an error when nobody has the terminal open.
        with contextlib.suppress(OSError):
            while part := os.read(ours, 4096):
                found.extend(part)

    reader = threading.Thread(target=read)
    reader.start()
    out = its if both else subprocess.DEVNULL
    subprocess.run(
        command, stdout=out, stderr=its, check=False, env=environment | variables
    )
    os.close(its)
    reader.join()
    os.close(ours)
    return bytes(found)


@POSIX
def test_colours_on_a_terminal_only(folder):
    (folder / "a.json").write_text('{"a": ["x", 1]}')
    coloured = shown("format", "a.json")
    assert b'\x1b[34m"a"\x1b[0m: [' in coloured
    assert b'\x1b[32m"x"\x1b[0m,' in coloured
    assert b"\x1b[" in shown("query", "$.a", "a.json")
    assert b"\x1b[31m" in shown("validate", "none.json")
    for words in (["format", "a.json"], ["validate", "none.json"]):
        assert b"\x1b[" not in shown(*words, NO_COLOR="1")
        assert b"\x1b[" in shown(*words, NO_COLOR="")
    assert shown("format", "-o", "b.json", "a.json") == b""
    assert b"\x1b[" not in (folder / "b.json").read_bytes()
    assert exact(json.loads((folder / "b.json").read_text())) == exact({"a": ["x", 1]})


@POSIX
def test_a_bar_while_a_large_document_is_read(folder):
    """It is removed; there is none for what is small, and none in what is written."""
    (folder / "a.json").write_bytes(
        b"[" + b'{"a": "%s"},' % (b"x" * 246) * 87_500 + b"1]"
    )
    (folder / "b.json").write_bytes(b"[1]")
    for words, both in ((["stats"], True), (["format"], False), (["minify"], False)):
        terminal = shown(*words, "a.json", both=both)
        before, cleared, after = terminal.rpartition(b"\x1b[A\r\x1b[K")
        assert cleared
        assert b"100%" in before
        assert before.count(b"%") > 2
        assert (b"a.json: 22,400,003 bytes" in after) == both
        assert b"%\r" not in after
        assert b"\x1b[A" not in shown(*words, "b.json", both=both)
    done = process("stats", "a.json")
    assert done.stdout.startswith(b"a.json: 22,400,003 bytes")
    assert done.stderr == b""


@pytest.mark.skipif(not Path("/dev/fd/1").exists(), reason="no names of descriptors")
@pytest.mark.parametrize("append", [False, True])
@pytest.mark.parametrize(
    "name",
    ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "link", "/dev/../dev/stdout"],
)
def test_a_file_behind_a_descriptor_is_not_replaced(folder, name, append):
    """What others have written into it stays, and what follows comes after it."""
    if name.startswith("/proc") and not Path(name).exists():
        pytest.skip("no /proc")
    (folder / "a.json").write_text("[1, 2]")
    (folder / "link").symlink_to("/dev/stdout")
    out = folder / "out.txt"
    out.write_text("before\n")
    code = f"import snooze; snooze.dump([3], {name!r})"
    with open(out, "ab" if append else "r+b") as file:
        file.seek(0, 2)
        os.write(file.fileno(), b"head\n")
        command = [sys.executable, "-m", "snooze", "minify", "-o", name, "a.json"]
        subprocess.run(command, stdout=file, check=True, cwd=folder)
        subprocess.run(
            [sys.executable, "-c", code], stdout=file, check=True, cwd=folder
        )
        os.write(file.fileno(), b"\ntail\n")
    assert out.read_text() == "before\nhead\n[1,2]\n[3]\ntail\n"


def test_packages_and_folders_without_a_main(folder):
    """One line says what is missing, as Python does."""
    (folder / "pk").mkdir()
    (folder / "pk" / "__init__.py").write_text("")
    done = process("run", "-m", "pk")
    assert done.returncode == 1
    assert done.stderr.decode() == (
        "snooze: No module named pk.__main__; 'pk' is a package and cannot be directly "
        "executed\n"
    )
    done = process("run", "pk")
    assert done.returncode == 1
    assert b"can't find '__main__' module in" in done.stderr
    assert done.stderr.count(b"\n") == 1
    (folder / "pk" / "__init__.py").write_text("import sys; seen = sys.argv[1:]")
    (folder / "pk" / "__main__.py").write_text("import pk; print(*pk.seen)")
    assert process("run", "-m", "pk", "--its", "own").stdout == b"--its own\n"
    (folder / "pk" / "__main__.py").write_text("print('ran')")
    assert process("run", "-m", "pk").stdout == b"ran\n"
    assert process("run", "pk").stdout == b"ran\n"


def test_a_folder_that_cannot_be_listed(folder):
    """Its own fault is told, not that no file matches."""
    done = process("validate", "none/*.json")
    assert (done.returncode, done.stderr) == (
        2,
        b"snooze: none: No such file or directory\n",
    )
    done = process("scan", "none/*.ndjson")
    assert (done.returncode, b"none: No such file" in done.stderr) == (2, True)
    (folder / "none").mkdir()
    assert process("validate", "none/*.json").stderr == (
        b"snooze: none/*.json: no file matches\n"
    )
    assert b"no file matches" in process("scan", "none/*.ndjson").stderr
