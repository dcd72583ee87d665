"""Faults of CPython itself when no memory is left, each shown by plain Python.

Separate because several tests starve Python code, which some versions of CPython do not
survive. Invariants: a fault counts only if the interpreter that runs the tests shows it,
in a process without snooze; a crash is excused only at a line of Python that calls
nothing of the extension, or where the chain of frames ends in one that was freed, as it
does after a generator that could not be allocated. So a new CPython without a fault, and
a crash in a call of the extension, are tested as before. Used in place of
`isolated.in_child` by tests that starve Python code.
"""

from __future__ import annotations

import ast
import functools
import re
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from helpers.isolated import TESTS, in_child

if TYPE_CHECKING:
    from collections.abc import Callable

#: Every allocation of a call fails, alone and with all later ones.
_STARVE = """\
import _testcapi
def starve(call):
    for n in range(80):
        for stop in (n + 1, 0):
            _testcapi.set_nomemory(n, stop)
            try:
                call()
            except MemoryError:
                pass
            finally:
                _testcapi.remove_mem_hooks()
"""
#: A line of faulthandler for the innermost call of the thread that crashed.
_INNERMOST = re.compile(r'most recent call first\):\n  File "(.+)", line (\d+) in ')
#: What it prints where the chain of frames ends in one that was freed (3.12: in one whose
#: code has no file name).
_INVALID = re.compile(r"^  (<invalid frame>|File \?\?\?.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Fault:
    """A fault: what is wrong, and a program of plain Python that shows it."""

    name: str
    program: str

    def is_shown(self) -> bool:
        """Whether this interpreter dies of the program or hangs, without snooze."""
        return status(self.program) < 0

    def skip(self) -> None:
        """Skip a test that cannot do without what is broken."""
        if self.is_shown():
            pytest.skip(f"{self.name}, in plain Python too: NOT tested")


#: 3.13: it cannot be taken out of the table of interned strings, and stays, or worse.
INTERNED = Fault(
    "an interned string that dies without memory breaks the interpreter",
    "import sys\n"
    "kept = []\n"
    "for i in range(3000):\n"
    "    kept.append(sys.intern(f'kept {i}'))\n"
    "    for n in range(4):\n"
    "        _testcapi.set_nomemory(n, 0)\n"
    "        try:\n"
    "            sys.intern('-'.join(('a', 'b')))\n"
    "        except MemoryError:\n"
    "            pass\n"
    "        finally:\n"
    "            _testcapi.remove_mem_hooks()\n"
    "exec(compile('a = b = c = 1', '', 'exec'), {})\n",
)
#: 3.13: the dict copies the values of the object, and is forgotten if it cannot.
ATTRIBUTES = Fault(
    "the __dict__ of an object that dies without memory is never freed",
    "import gc, os, signal, sys\n"
    "class Plain: pass\n"
    "def die():\n"
    "    one = Plain()\n"
    "    one.a = 1\n"
    "    one.__dict__\n"
    "    _testcapi.set_nomemory(0, 0)\n"
    "    try:\n"
    "        del one\n"
    "    finally:\n"
    "        _testcapi.remove_mem_hooks()\n"
    "for _ in range(20): die()\n"
    "gc.collect()\n"
    "before = sys.getallocatedblocks()\n"
    "for _ in range(50): die()\n"
    "gc.collect()\n"
    "if sys.getallocatedblocks() - before >= 50:\n"
    "    os.kill(os.getpid(), signal.SIGABRT)\n",
)
#: Debug builds of 3.14: an assertion about the text that the dying instance lacks.
SUBCLASSES = Fault(
    "an instance of a subclass of str without memory for its text ends the process",
    "class Text(str): pass\nstarve(lambda: Text(5))",
)
#: 3.12: the exception of `os.lstat` is raised again and again.
ENDLESS = Fault(
    "os.path.realpath never returns without memory",
    "import os\nstarve(lambda: os.path.realpath('/tmp/none'))",
)
#: How long such a program may take, in seconds; it takes well under one.
LONGEST = 60
#: What leaves something behind, and how many blocks of a round of failures it explains.
LEAKS = (INTERNED, ATTRIBUTES)
FEW = 8
#: 3.12 and 3.13.
GENERATORS = Fault(
    "a generator that cannot be allocated ends the process",
    "starve(lambda: sum(one for one in (1, 2)))",
)
FAULTS = (
    GENERATORS,
    # 3.12 and 3.13.
    Fault(
        "an inner function that cannot be allocated ends the process",
        "import json\nstarve(lambda: json.dumps({'a': [1, {'b': 2.5}]}))",
    ),
    # Free-threaded 3.14: PyList_New frees items that it never had.
    Fault(
        "a list whose items cannot be allocated ends the process",
        "def nested(n):\n    return [nested(n - 1)] if n else 0\n"
        "starve(lambda: nested(20))",
    ),
    # Debug builds of 3.14: an assertion that the frame has a pointer to its stack.
    Fault(
        "a list that cannot grow for the item of a comprehension ends the process",
        "starve(lambda: [object() for _ in range(50)])",
    ),
)


def unexplained(left: dict[str, float]) -> dict[str, float]:
    """Return what was left behind, without the few blocks that CPython may leave."""
    is_few = left.keys() == {"blocks"} and left["blocks"] < FEW
    return {} if is_few and any(leak.is_shown() for leak in LEAKS) else left


def in_child_unless_faulty(function: Callable[..., Any], *arguments: Any) -> str:
    """Call a function in a child; skip the test if CPython's own fault ends it."""
    try:
        return in_child(function, *arguments)
    except pytest.fail.Exception as failed:
        fault = fault_of(str(failed))
        if fault is None:
            raise
        pytest.skip(f"{fault.name}, in plain Python too: NOT tested further")


def fault_of(report: str) -> Fault | None:
    """Return the fault of CPython by which a child died, if it is one."""
    is_crash = "killed by SIGSEGV" in report
    place = _INNERMOST.search(report)
    is_ours = (
        place is not None
        and Path(place[1]).is_file()
        and may_call_extension(Path(place[1]), int(place[2]))
    )
    is_broken = is_crash and _INVALID.search(report) and not is_ours
    if is_broken and GENERATORS.is_shown():
        return GENERATORS
    has_asserted = "killed by SIGABRT" in report and "Assertion `" in report
    if place is None or not (is_crash or has_asserted):
        return None
    if may_call_extension(Path(place[1]), int(place[2])):
        return None
    return next((fault for fault in FAULTS if fault.is_shown()), None)


def may_call_extension(path: Path, line: int) -> bool:
    """Whether the innermost line of Python may have called the extension."""
    if not path.is_file() or path.is_relative_to(TESTS):
        return True
    tree = ast.parse(path.read_text("utf-8"))
    nodes = list(ast.walk(tree))
    ours = {"_snooze"}
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and (node.module or "").endswith("_snooze"):
            ours |= {one.asname or one.name for one in node.names}

    def uses(node: ast.AST) -> bool:
        names = (one.id for one in ast.walk(node) if isinstance(one, ast.Name))
        return not ours.isdisjoint(names)

    around = [
        node
        for node in nodes
        if isinstance(node, ast.stmt)
        and node.lineno <= line <= (node.end_lineno or line)
    ]
    classes = (node for node in around if isinstance(node, ast.ClassDef))
    if any(uses(base) for one in classes for base in one.bases):
        return True  # any method may be one of the extension
    return not around or uses(max(around, key=lambda node: node.lineno))


@functools.cache
def status(program: str) -> int:
    """Return the exit status of a program in a process that cannot import snooze.

    A program that does not end is killed, and has the status of that.
    """
    # -I and -S: neither the environment nor site-packages.
    command = [sys.executable, "-I", "-S", "-c", _STARVE + program]
    try:
        done = subprocess.run(
            command, capture_output=True, check=False, timeout=LONGEST
        )
    except subprocess.TimeoutExpired:
        return -signal.SIGKILL
    return done.returncode
