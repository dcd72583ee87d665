"""What excuses a crash: a fault that this CPython shows, and no call of the extension."""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path

import pytest

from helpers import cpython_faults
from helpers.cpython_faults import FAULTS, Fault, fault_of, in_child_unless_faulty
from helpers.isolated import needs_module
from snooze._typed import codecs, places

SHOWN = Fault("shown", "import os; os.abort()")
ABSENT = Fault("absent", "pass")
REPORT = (
    'killed by SIGSEGV\nThread 1 (most recent call first):\n  File "{}", line {} in x'
)


def line_of(path: str, pattern: str) -> int:
    """The first line of a file in which a pattern is."""
    lines = Path(path).read_text("utf-8").splitlines()
    return next(n for n, line in enumerate(lines, 1) if re.search(pattern, line))


def crash() -> None:
    """End as by a fault of memory."""
    os.kill(os.getpid(), signal.SIGSEGV)


@needs_module("_testcapi")
def test_only_faults_that_are_shown_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """A Python without the fault tests everything."""
    assert SHOWN.is_shown()
    assert not ABSENT.is_shown()
    text = REPORT.format(
        places.__file__, line_of(places.__file__, r"for token in escaped")
    )
    monkeypatch.setattr(cpython_faults, "FAULTS", (ABSENT, SHOWN))
    assert fault_of(text) is SHOWN
    assert fault_of(text.replace("SIGSEGV", "SIGABRT")) is None
    assert fault_of("killed by SIGSEGV\nno frames") is None
    monkeypatch.setattr(cpython_faults, "FAULTS", (ABSENT,))
    assert fault_of(text) is None


@needs_module("_testcapi")
def test_calls_of_the_extension_are_never_excused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nor is a crash in a test, whose lines call it."""
    monkeypatch.setattr(cpython_faults, "FAULTS", (SHOWN,))
    for path, pattern in [
        (codecs.__file__, r"def __init__"),
        (__file__, r"def crash"),
        ("/nowhere.py", None),
    ]:
        line = 1 if pattern is None else line_of(path, pattern)
        assert fault_of(REPORT.format(path, line)) is None
    with pytest.raises(
        pytest.fail.Exception, match="killed by SIGSEGV|Segmentation fault"
    ):
        in_child_unless_faulty(crash)


@needs_module("_testcapi")
@pytest.mark.parametrize("shown", ["<invalid frame>", "File ???"])
def test_a_chain_of_frames_that_is_broken_is_the_fault_of_generators(
    shown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that could not be allocated is freed, and stays in the chain."""
    text = REPORT.format("<string>", 4) + f"\n  {shown}\n"
    monkeypatch.setattr(cpython_faults, "GENERATORS", SHOWN)
    assert fault_of(text) is SHOWN
    assert fault_of(text.replace("SIGSEGV", "SIGABRT")) is None
    assert fault_of(text.replace(f"  {shown}", "")) is None
    ours = REPORT.format(codecs.__file__, line_of(codecs.__file__, r"def __init__"))
    assert fault_of(f"{ours}\n  {shown}\n") is None
    monkeypatch.setattr(cpython_faults, "GENERATORS", ABSENT)
    assert fault_of(text) is None


@needs_module("_testcapi")
def test_few_blocks_are_explained_only_by_a_shown_fault(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Never many, and never bytes of the C heap."""
    few = {"blocks": 1.5}
    for leaks, left in [((ABSENT, SHOWN), {}), ((ABSENT, ABSENT), few)]:
        monkeypatch.setattr(cpython_faults, "LEAKS", leaks)
        assert cpython_faults.unexplained(few) == left
    monkeypatch.setattr(cpython_faults, "LEAKS", (SHOWN,))
    for much in ({"blocks": 50.0}, {"heap bytes": 90.0}, few | {"heap bytes": 90.0}):
        assert cpython_faults.unexplained(much) == much


@needs_module("_testcapi")
def test_the_programs_run_on_every_python() -> None:
    """They end well or by a signal: a program that raises would show nothing."""
    for fault in (*FAULTS, *cpython_faults.LEAKS):
        assert cpython_faults.status(fault.program) <= 0, fault.name
