"""Allocation failure: MemoryError each time, nothing leaked, no crash.

For every case of `subjects` the n-th allocation is made to fail, alone and with all later
ones, for every n until the call succeeds. Each group runs in a child, so that a crash is
a failing test that names the signal. The right outcomes are MemoryError and what the call
does with enough memory; afterwards nothing is left of the failed calls and the next call
is right. CPython's allocators are starved with `_testcapi.set_nomemory`; Rust's allocator
with a limit on the address space.
"""

from __future__ import annotations

import gc
import importlib.machinery
import importlib.util
import sys
from typing import TYPE_CHECKING, Any

import pytest

import snooze
from helpers import ledger, subjects
from helpers.cpython_faults import INTERNED, SUBCLASSES, unexplained
from helpers.isolated import FREE_THREADED, in_child, needs_module
from helpers.starvation import LIMIT, each_failure, outcome_of

if TYPE_CHECKING:
    from collections.abc import Callable

#: Failing calls for each n when leaks are counted: enough to see one block each.
REPEATS = 12

#: numpy itself leaks memory and references when it cannot create `__array_struct__` or
#: `dtype.str`, with any caller. Blocks are counted all the same.
LEAKED_BY_NUMPY = {"dumps numpy arrays", "dumps numpy time", "dumps numpy error"}


def starve_cases(names: list[str]) -> str:
    """In a child: every failure of some cases, then what was left behind."""
    lines = []
    for name in names:
        try:
            case = subjects.CASES[name]
            count = each_failure(case, 1)
            left = ledger.grown(
                lambda times, case=case: each_failure(case, times), REPEATS
            )
            if name in LEAKED_BY_NUMPY:
                left = {kind: left[kind] for kind in left if kind == "blocks"}
            assert not left, f"left behind by each round of failures: {left}"
        except AssertionError as exc:
            raise AssertionError(f"{name}: {exc}") from None
        lines.append(f"{name}: {count}")
    return "\n".join(lines)


def starve_cold(name: str) -> str:
    """In a child: every failure of a case whose types are new each time."""
    # snooze caches what it knows about recent types. It takes this many types to fill
    # every place of the cache; only then is any growth a leak.
    for _ in range(2_000):
        outcome_of(subjects.COLD[name]())
    count = each_failure(subjects.COLD[name], 1)
    # The interpreter keeps a few dead types for a while: more rounds even that out.
    left = ledger.grown(
        lambda times: each_failure(subjects.COLD[name], times), 5 * REPEATS
    )
    left.pop("heap bytes", None)  # CPython's type caches grow with every new type
    assert not left, f"left behind by each round of failures: {left}"
    return f"{name}: {count}"


GROUPS = {
    f"{kind} {part}": names[part::4]
    for kind in ("dumps", "loads")
    for names in [[name for name in subjects.CASES if name.startswith(kind)]]
    for part in range(4)
} | {"others": [n for n in subjects.CASES if not n.startswith(("dumps", "loads"))]}


def starved_in_child(function: Callable[..., str], *arguments: Any) -> str:
    """Call a function in a child, and in another one if memory was left behind.

    How the interpreter's own caches fill depends on the process (hash seed, addresses);
    a leak in snooze shows in every process.
    """
    try:
        return in_child(function, *arguments)
    except pytest.fail.Exception as failed:
        if "left behind" not in str(failed):
            raise
    return in_child(function, *arguments)


@pytest.mark.slow
@needs_module("_testcapi")
@pytest.mark.parametrize("group", GROUPS)
def test_failing_allocations(group: str) -> None:
    """The n-th allocation fails, alone and with all later ones, for every n."""
    printed = starved_in_child(starve_cases, GROUPS[group])
    counts = [int(line.rpartition(" ")[2]) for line in printed.splitlines()]
    assert len(counts) == len(GROUPS[group])
    assert sum(counts) > len(counts), "hardly anything was made to fail"


@pytest.mark.slow
@needs_module("_testcapi")
@pytest.mark.parametrize("name", subjects.COLD)
def test_failing_allocations_with_new_types(name: str) -> None:
    """Every allocation may fail while snooze examines a type for the first time."""
    assert int(starved_in_child(starve_cold, name).rpartition(" ")[2]) > 0


def starve_import() -> str:
    """In a child: every failure while a module instance is initialised."""
    import _imp
    import _testcapi

    spec = importlib.util.find_spec("snooze._snooze")
    assert isinstance(spec.loader, importlib.machinery.ExtensionFileLoader)

    def new_instance(n: int, stop: int) -> bool:
        module = _imp.create_dynamic(spec)
        _testcapi.set_nomemory(n, stop)
        try:
            _imp.exec_dynamic(module)
        except MemoryError:
            return False
        finally:
            _testcapi.remove_mem_hooks()
        assert module.dumps(module.loads(b'{"a":[1]}')) == b'{"a":[1]}'
        return True

    count = next(n for n in range(LIMIT) if new_instance(n, 0))
    # A class that dies while no memory is left stays in the tables of its bases: CPython
    # cannot allocate the key to remove it. So classes die only between the failures.
    gc.disable()

    def failures(first: int, times: int) -> None:
        for n in range(first, min(first + 16, count)):
            for stop in (n + 1, 0):
                for _ in range(times):
                    new_instance(n, stop)
                gc.collect()

    for first in range(0, count, 16):
        left = ledger.grown(lambda times, first=first: failures(first, times), 8)
        left.pop("heap bytes", None)
        left = unexplained(left)
        assert not left, f"left behind from failure {first} on: {left}"
    return str(count)


@pytest.mark.slow
@needs_module("_testcapi")
def test_failing_allocations_of_the_import() -> None:
    """A module that cannot be initialised is a MemoryError; the next import works."""
    INTERNED.skip()  # the names of a module are such strings
    SUBCLASSES.skip()  # an import makes one, and compares its layout
    assert int(starved_in_child(starve_import)) > 50


def limit_address_space(case: str) -> str:
    """In a child: a call that needs more memory, mostly Rust's, than the process may use."""
    import resource

    count = 6_000_000
    subject: Any
    if case == "values":
        subject, call = b"[" + b"0," * count + b"0]", snooze.loads
    elif case == "text":
        subject, call = b'"\\n' + b"x" * 10 * count + b'"', snooze.loads
    elif case == "wide input":
        subject, call = '"' + "\u8a9e" * 3 * count + '"', snooze.loads
    elif case == "output":
        subject, call = ["x" * 1000] * (count // 50), snooze.dumps
    elif case == "entries":
        subject = dict.fromkeys(map(str, range(count // 4)))

        def call(obj: Any) -> Any:
            return snooze.dumps(obj, option=snooze.OPT_SORT_KEYS)

    else:
        assert case == "sorted key"
        subject = {"\u8a9e" * 5 * count: 1}

        def call(obj: Any) -> Any:
            return snooze.dumps(obj, option=snooze.OPT_SORT_KEYS)

    with open("/proc/self/statm", encoding="ascii") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (used + 24_000_000, before[1]))
    try:
        call(subject)
    except MemoryError:
        message = "MemoryError"
    else:
        message = "there was enough memory"
    assert snooze.loads(snooze.dumps({"a": [1, "\u8a9e"]})) == {"a": [1, "\u8a9e"]}
    resource.setrlimit(resource.RLIMIT_AS, before)
    return message


#: Their results come from addresses that free-threaded builds reserve at the start.
IN_RESERVE = {"wide input", "output"}
LIMITED = ["values", "text", "wide input", "output", "entries", "sorted key"]


@pytest.mark.slow
@pytest.mark.skipif(
    sys.platform != "linux", reason="the limit works on Linux only: NOT tested"
)
@pytest.mark.parametrize("case", LIMITED)
def test_limited_address_space(case: str) -> None:
    """Rust's allocator fails in the same way, and the process goes on."""
    if FREE_THREADED and case in IN_RESERVE:
        pytest.skip("Python without a GIL has reserved memory for it: NOT tested")
    assert in_child(limit_address_space, case).strip() == "MemoryError"
