"""What type checkers make of typed codecs: typing_tests/, read by mypy and by pyright.

Separate from test_typed_typing.py, whose programs are a few lines: here every option is
given with a right and a wrong type. `accepted.py` has no error; in `refused.py` the
lines that end with `# error` have one each, and no other line. pyright is the pinned
one of scripts/pyright.py; where it cannot be had (no node, no npm), its tests are
skipped with the reason.
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


def marked(name: str) -> set[int]:
    """The lines that have to be refused."""
    lines = (PROGRAMS / name).read_text("utf-8").splitlines()
    return {number for number, line in enumerate(lines, 1) if line.endswith("# error")}


@pytest.fixture(scope="module")
def mypy(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What mypy says of both programs."""
    pytest.importorskip("mypy")
    folder = tmp_path_factory.mktemp("mypy")
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary"]
    command += ["--config-file", "", "--cache-dir", str(folder / "cache")]
    command += ["--no-pretty", "accepted.py", "refused.py"]
    run = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=PROGRAMS
    )
    assert not run.stderr, run.stderr
    return [line for line in run.stdout.splitlines() if ": error:" in line]


@pytest.fixture(scope="module")
def pyright() -> list[str]:
    """What pyright says of both programs, in mypy's form."""
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


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_types_are_inferred(checker: str, request: pytest.FixtureRequest) -> None:
    """Each `assert_type` holds, and nothing else is said of the program."""
    said = request.getfixturevalue(checker)
    assert [line for line in said if line.startswith("accepted.py")] == []


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_mistakes_are_found(checker: str, request: pytest.FixtureRequest) -> None:
    """In the lines that are marked, and nowhere else."""
    said = request.getfixturevalue(checker)
    found = [re.match(r"refused\.py:(\d+)", line) for line in said]
    lines = {int(one[1]) for one in found if one}
    assert lines == marked("refused.py"), "\n".join(said)
    assert len(lines) > 30
