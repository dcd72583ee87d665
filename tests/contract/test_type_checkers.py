"""Type checkers accept correct uses of typed codecs and find wrong ones.

mypy and pyright read typing_tests/, where every option has a right and a wrong type:
`accepted.py` has no error; in `refused.py` exactly the lines that end with `# error` have
one. Two short programs here show what users write. pyright is the pinned one of
scripts/pyright.py; where it cannot be installed (no node, no npm) its tests are skipped
with the reason.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAMS = ROOT / "typing_tests"

ACCEPTED = """
from dataclasses import dataclass
from typing import Annotated, Any, assert_type

import snooze


@snooze.configure(rename="camel", tag=True)
@dataclass
class User:
    name: str
    age: Annotated[int, snooze.Ge(0), snooze.Field(alias="years")] = 0


class Money:
    @classmethod
    def __snooze__(cls) -> snooze.Via:
        return snooze.Via(int, decode=lambda _: cls(), encode=lambda _: 0)


decoder = snooze.Decoder(User, strict=False, errors="all", rename=str.upper)
assert_type(decoder, snooze.Decoder[User])
assert_type(decoder.decode(b""), User)
assert_type(snooze.Decoder(list[int]).decode(""), list[int])
assert_type(snooze.Decoder(int | None).decode(bytearray()), Any)
assert_type(snooze.Decoder().decode(memoryview(b"")), Any)
assert_type(snooze.decode(b"", User), User)
assert_type(snooze.decode(b"", dict[str, User]), dict[str, User])
assert_type(snooze.decode(b""), Any)
encoder = snooze.Encoder(User, omit_none=True, decimal="number")
assert_type(encoder.encode(User("x")), bytes)
assert_type(encoder.encode_str(User("x")), str)
assert_type(snooze.encode(1), bytes)
assert_type(snooze.schema(User), dict[str, Any])
try:
    pass
except snooze.ValidationError as error:
    assert_type(error.errors, list[snooze.Problem])
    assert_type(error.errors[0].pointer, str)
held: snooze.Decoder[User] = decoder
"""

REFUSED = """
import snooze

snooze.Decoder(int, errors="some")
snooze.decode(b"", int, unknown=True)
snooze.Encoder(int).encode("x")
snooze.configure(rename="title")
snooze.Field(alias=5)
x: str = snooze.decode(b"", int)
"""


def marked(name: str) -> set[int]:
    """Return the numbers of the lines that must be refused."""
    lines = (PROGRAMS / name).read_text("utf-8").splitlines()
    return {number for number, line in enumerate(lines, 1) if line.endswith("# error")}


def run_mypy(cache: Path, folder: Path, *programs: str) -> list[str]:
    """Return mypy's errors in some programs of a folder."""
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary"]
    command += ["--config-file", "", "--cache-dir", str(cache), "--no-pretty"]
    run = subprocess.run(
        [*command, *programs], capture_output=True, text=True, check=False, cwd=folder
    )
    assert not run.stderr, run.stderr
    return [line for line in run.stdout.splitlines() if ": error:" in line]


@pytest.fixture(scope="module")
def mypy(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Return mypy's errors in typing_tests/."""
    cache = tmp_path_factory.mktemp("mypy")
    return run_mypy(cache, PROGRAMS, "accepted.py", "refused.py")


@pytest.fixture(scope="module")
def pyright() -> list[str]:
    """Return pyright's errors in typing_tests/, in mypy's format."""
    script = [sys.executable, str(ROOT / "scripts" / "pyright.py")]
    where = subprocess.run(script, capture_output=True, text=True, check=False)
    if where.returncode != 0:
        pytest.skip(f"no pyright: {where.stderr.strip()}")
    program = where.stdout.splitlines()[-1]
    command = ["node", program, "--outputjson", "--pythonpath", sys.executable]
    command += ["accepted.py", "refused.py"]
    run = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=PROGRAMS
    )
    assert run.returncode in (0, 1), run.stderr
    return [
        f"{Path(one['file']).name}:{one['range']['start']['line'] + 1}: error: "
        + one["message"]
        for one in json.loads(run.stdout)["generalDiagnostics"]
        if one["severity"] == "error"
    ]


@pytest.mark.slow
@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_types_are_inferred(checker: str, request: pytest.FixtureRequest) -> None:
    """Every `assert_type` holds, and the program has no other error."""
    errors = request.getfixturevalue(checker)
    assert [line for line in errors if line.startswith("accepted.py")] == []


@pytest.mark.slow
@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_mistakes_are_found(checker: str, request: pytest.FixtureRequest) -> None:
    """Exactly the marked lines have errors."""
    errors = request.getfixturevalue(checker)
    found = [re.match(r"refused\.py:(\d+)", line) for line in errors]
    lines = {int(one[1]) for one in found if one}
    assert lines == marked("refused.py"), "\n".join(errors)
    assert len(lines) > 30


def test_types_of_a_short_program(tmp_path: Path) -> None:
    """`Decoder(T).decode(...)` is a T, and so on: mypy finds no error."""
    (tmp_path / "program.py").write_text(ACCEPTED)
    assert run_mypy(tmp_path / "cache", tmp_path, "program.py") == []


def test_mistakes_of_a_short_program(tmp_path: Path) -> None:
    """mypy finds one error in each line."""
    (tmp_path / "program.py").write_text(REFUSED)
    found = run_mypy(tmp_path / "cache", tmp_path, "program.py")
    lines = {int(line.split(":")[1]) for line in found}
    assert lines == set(range(4, 10)), found
