"""Allocation failure: make the n-th allocation of a call fail, for every n.

Separate because untyped calls, typed decoding and typed encoding are all starved the same
way. CPython's allocators are starved with `_testcapi.set_nomemory`, so callers need
`isolated.needs_module("_testcapi")` and run in a child. Invariant: a starved call either
raises MemoryError or does exactly what it does with enough memory, and the next call is
right. Used by tests/safety.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from helpers import ledger

if TYPE_CHECKING:
    from collections.abc import Callable

#: No case needs this many allocations; one that does would never end.
LIMIT = 4000
#: How many allocations fail where all later ones shall. No call makes as many, and an end is
#: needed: to enter a `finally` or `except` far into a function, CPython allocates the number of
#: the instruction, and without memory it tries again until it gets one.
ALL_LATER = 100_000
#: The outcome of a call that raised MemoryError.
STARVED = object()


def outcome_of(call: Callable[[], Any]) -> Any:
    """Return the result of a call, or the exception's type and text."""
    try:
        return call()
    except Exception as exc:
        return type(exc), str(exc)


def is_lost(result: Any) -> bool:
    """Return whether CPython itself lost an exception for lack of memory.

    Up to 3.11, a frame or a traceback that cannot be created, and a text that cannot be
    formatted for an exception, leave no exception, or one without a text.
    """
    if not isinstance(result, tuple) or len(result) != 2:
        return False
    texts = ("returned NULL without setting", "without exception set")
    return any(text in str(result[1]) for text in texts) or result == (TypeError, "")


def starved(call: Callable[[], Any], first: int, last: int) -> Any:
    """Return the outcome of a call whose allocations `first` to `last` - 1 fail."""
    import _testcapi

    start, stop, none = _testcapi.set_nomemory, _testcapi.remove_mem_hooks, STARVED
    caught = None
    start(first, last)
    try:
        result = call()
    except MemoryError:
        result = none
    except Exception as exc:
        caught = exc
    finally:
        stop()
    if caught is not None:
        return type(caught), str(caught)
    return result


def each_failure(
    case: Callable[[], Callable[[], Any]],
    repeats: int,
    *,
    tolerated: Callable[[Any], bool] = lambda _: False,
) -> int:
    """Starve a case of its n-th allocation, for every n; return how many it makes.

    Each n fails alone, then together with all later ones, `repeats` times each.
    `tolerated` accepts outcomes that are CPython's own faults.
    """
    expected = outcome_of(case())
    unharmed = 0
    for n in range(LIMIT):
        for stop in (n + 1, n + ALL_LATER):
            for _ in range(repeats):
                result = starved(case(), n, stop)
                if result is not STARVED and not tolerated(result):
                    assert type(result) is type(expected), (n, stop, result)
                    assert repr(result) == repr(expected), (n, stop, result)
        again = outcome_of(case())
        assert repr(again) == repr(expected), ("after a failure", n, again)
        # All allocations from n on failed, yet the call succeeded: it makes no more.
        unharmed = unharmed + 1 if repr(result) == repr(expected) else 0
        if unharmed > 2:
            return n + 1 - unharmed
    raise AssertionError(f"no end after {LIMIT} allocations")


def each_failure_of(
    calls: dict[str, Callable[[], Any]],
    *,
    tolerated: Callable[[Any], bool] = lambda _: False,
) -> str:
    """Starve each call; return lines of a name and its number of allocations.

    Raises AssertionError if the failures of a call leave something behind.
    """
    lines = []
    for name, call in calls.items():
        for _ in range(50):  # fill the caches of keys and strings
            outcome_of(call)

        def case(call: Callable[[], Any] = call) -> Callable[[], Any]:
            return call

        def repeat(times: int, case: Any = case) -> int:
            return each_failure(case, times, tolerated=tolerated)

        count = repeat(1)
        left = ledger.grown(repeat, 12)
        assert not left, f"{name}: left behind by each round of failures: {left}"
        lines.append(f"{name}: {count}")
    return "\n".join(lines)
