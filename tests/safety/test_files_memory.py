"""Allocation failure in `load` and `dump`: MemoryError, no half file, no open file.

Separate from test_allocation_failure.py, because these calls leave traces outside the
process: after each failure the file is the old one or the new one, nothing lies beside
it, and no descriptor is open. A call runs with warm imports, as those of Python itself
are not tested here.
"""

from __future__ import annotations

import io
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import snooze
from helpers import ledger
from helpers.cpython_faults import ENDLESS
from helpers.isolated import in_child, needs_module
from helpers.starvation import each_failure, is_lost

if TYPE_CHECKING:
    from collections.abc import Callable

OLD, NEW = {"é": [1, 2.5, "old"]}, {"é": [1, 2.5, "\U0001f600"]}
#: Calls of `os.path.realpath`.
FINDS_ITS_PATH = {"dump path", "dump again", "dump nowhere"}
#: Failing calls for each n when leaks are counted.
REPEATS = 12


def loads_of_handle(kind: Callable[[Any], Any], text: Any) -> Any:
    """Return what an open file has."""
    return snooze.load(kind(text))


def dumped(kind: Callable[[], Any], value: Any) -> Any:
    """Return what is written into an open file."""
    handle = kind()
    snooze.dump(value, handle)
    return handle.getvalue()


#: name -> a function of a folder that returns the call, which is starved.
CALLS: dict[str, Callable[[str], Callable[[], Any]]] = {
    "load path": lambda at: partial(snooze.load, f"{at}/old.json"),
    "load mapped": lambda at: partial(snooze.load, f"{at}/old.json", mmap=True),
    "load wrong": lambda at: partial(snooze.load, f"{at}/wrong.json"),
    "load nothing": lambda at: partial(snooze.load, f"{at}/none.json"),
    "load text": lambda _: partial(snooze.load, '{"a": 1}'),
    "load binary handle": lambda _: partial(
        loads_of_handle, io.BytesIO, snooze.dumps(OLD)
    ),
    "load text handle": lambda _: partial(loads_of_handle, io.StringIO, '{"é": 1}'),
    "dump path": lambda at: partial(snooze.dump, NEW, f"{at}/new.json"),
    "dump again": lambda at: partial(snooze.dump, NEW, f"{at}/old.json"),
    "dump wrong": lambda at: partial(snooze.dump, {"a": {1}}, f"{at}/new.json"),
    "dump nowhere": lambda at: partial(snooze.dump, NEW, f"{at}/none/new.json"),
    "dump binary handle": lambda _: partial(dumped, io.BytesIO, NEW),
    "dump text handle": lambda _: partial(dumped, io.StringIO, NEW),
}


def is_lost_here(result: Any) -> bool:
    """Return whether CPython lost an exception, or had no memory for a file's lock.

    The latter is a RuntimeError up to 3.11.
    """
    is_pair = isinstance(result, tuple) and len(result) == 2
    return is_lost(result) or (is_pair and "allocate read" in str(result[1]))


def open_files() -> int:
    """Return the number of open descriptors, or 0 where the system does not tell."""
    folder = Path("/proc/self/fd")
    return len(list(folder.iterdir())) if folder.exists() else 0


def starve(name: str) -> str:
    """In a child: every failure of a call, and what is left of it."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "old.json").write_bytes(snooze.dumps(OLD))
        (folder / "wrong.json").write_bytes(b'{"a": [1,]}')
        call = CALLS[name](place)
        allowed = {"old.json", "wrong.json", "new.json"}
        contents = {snooze.dumps(OLD), snooze.dumps(NEW)}

        def case() -> Callable[[], Any]:
            found = {one.name for one in folder.iterdir()}
            assert found <= allowed, found
            for one in found - {"wrong.json"}:
                assert (folder / one).read_bytes() in contents
            return call

        before = open_files()
        count = each_failure(case, 1, tolerated=is_lost_here)
        left = ledger.grown(
            lambda times: each_failure(case, times, tolerated=is_lost_here), REPEATS
        )
        assert not left, f"left behind by each round of failures: {left}"
        case()
        assert open_files() == before
    return str(count)


@pytest.mark.slow
@needs_module("_testcapi")
@pytest.mark.parametrize("name", CALLS)
def test_failing_allocations(name: str) -> None:
    """The n-th allocation fails, alone and with all later ones, for every n."""
    if name in FINDS_ITS_PATH:
        ENDLESS.skip()
    assert int(in_child(starve, name)) > 0
