"""The reading options without memory, with hostile hooks, and thousands of times.

As test_typed_decode_memory does for types: for every n the n-th allocation of a call
fails; calls leave nothing behind.
"""

from __future__ import annotations

import functools
import gc
import threading
from typing import Any

import pytest

from helpers import ledger
from helpers.isolated import in_child, needs_module
from helpers.starvation import each_failure_of, outcome_of
from snooze import Decoder, _snooze

DOCUMENT = (
    '{"a": [1, -2.50, 1e5, 123456789012345678901234567890, "x\\n\\u00e9", {}, []],'
    ' "b": {"c": null, "d": true, "e": {"f": "lang genug"}}}'
)
CASES: dict[str, tuple[dict[str, Any], str]] = {
    "plain": ({"max_depth": 9}, DOCUMENT),
    "decimals": ({"numbers": "decimal"}, DOCUMENT),
    "raw": ({"numbers": "raw"}, DOCUMENT),
    "first": ({"duplicates": "first"}, DOCUMENT),
    "no duplicates": ({"duplicates": "error"}, DOCUMENT),
    "surrogates": (
        {"surrogates": "keep"},
        '{"\\ud800": ["\\udfff", "\\ud83d\\ude00"]}',
    ),
    "pairs": ({"object_pairs_hook": len}, DOCUMENT),
    "objects": ({"object_hook": len}, DOCUMENT),
    "json5": (
        {"syntax": "json5"},
        "{a: 0x1fff, 'b\\x41': [+.5, Infinity], /* c */ ünï: 'x\\\ny',}",
    ),
}
FAULTS: dict[str, tuple[dict[str, Any], str]] = {
    "a duplicate": ({"duplicates": "error"}, '{"a": 1, "b": [1], "a": 2}'),
    "too deep": ({"max_depth": 2}, '[[["a"]]]'),
    "an open comment": ({"syntax": "jsonc"}, '["aaaa", 1.5, /*'),
}


def starve() -> str:
    """In a child: every failure of each case, then what was left behind."""
    calls = {
        name: functools.partial(Decoder(**options).decode, document.encode())
        for name, (options, document) in CASES.items()
    }
    return each_failure_of(calls)


@pytest.mark.slow
@needs_module("_testcapi")
def test_failing_allocations() -> None:
    """MemoryError each time, nothing leaked, the next call is right."""
    counts = [int(line.rpartition(" ")[2]) for line in in_child(starve).splitlines()]
    assert len(counts) == len(CASES)
    assert all(counts)


def starve_rust() -> int:
    """In a child: every failing allocation of Rust, for each case and each fault."""
    total = 0
    for options, document in (*CASES.values(), *FAULTS.values()):
        decoder: Decoder[Any] = Decoder(**options)
        call = functools.partial(decoder.decode, document)
        expected = outcome_of(call)
        for failing in range(200):
            _snooze._starve(failing)  # type: ignore[attr-defined]
            found = outcome_of(call)
            left = _snooze._starve(-1)  # type: ignore[attr-defined]
            starved = isinstance(found, tuple) and found[0] is MemoryError
            assert starved or repr(found) == repr(expected)
            total += starved
            if left >= 0:
                break
    return total


@pytest.mark.skipif(not _snooze.checked, reason="only a checked build can starve Rust")
def test_failing_allocations_of_rust() -> None:
    """MemoryError, and no abort."""
    in_child(starve_rust)


@pytest.mark.parametrize("name", [*CASES, *FAULTS])
def test_calls_leave_nothing_behind(name: str) -> None:
    """Neither results nor errors do."""
    options, document = (CASES | FAULTS)[name]
    decoder: Decoder[Any] = Decoder(**options)

    def calls(times: int) -> None:
        for _ in range(times):
            outcome_of(lambda: decoder.decode(document))
            outcome_of(lambda: decoder.decode(document[:-1]))

    calls(20)
    assert not ledger.grown(calls, 300)


def test_a_decoder_that_holds_itself_is_collected() -> None:
    """A hook, and the checker of a prepared document, are seen by the collector."""
    import weakref

    class Holder:
        decoder: Any = None

        def __call__(self, found: Any) -> Any:
            return found

    dead = []
    for options in ({}, {"max_size": 100}):
        holder = Holder()
        holder.decoder = Decoder(object_hook=holder, **options)
        assert holder.decoder.decode("{}") == {}
        dead.append(weakref.ref(holder))
        del holder
    gc.collect()
    assert [one() for one in dead] == [None, None]


def test_a_hook_that_decodes_without_end() -> None:
    """RecursionError, not the end of the process."""
    decoder: Decoder[Any]

    def hook(found: Any) -> Any:
        return decoder.decode("{}")

    decoder = Decoder(object_hook=hook)
    with pytest.raises(RecursionError):
        decoder.decode("{}")
    assert Decoder(object_hook=len).decode("{}") == 0


def test_a_hook_that_changes_finished_values() -> None:
    """What it finds through the collector is complete, and its own to change."""

    def hook(found: dict[str, Any]) -> Any:
        for one in gc.get_objects():
            if type(one) is list and len(one) == 3 and one[:1] == ["marked"]:
                one.clear()
        return found

    document = '[["marked", 1, 2], {"a": {"b": 1}}, ["marked", 3, 4]]'
    found = Decoder(object_hook=hook).decode(document)
    assert found == [[], {"a": {"b": 1}}, ["marked", 3, 4]]


def test_threads_share_a_decoder() -> None:
    """With a hook and without."""
    wrong = []
    for options in (
        {"numbers": "decimal"},
        {"object_hook": dict},
        {"max_size": 10_000},
    ):
        decoder: Any = Decoder(**options)
        expected = decoder.decode(DOCUMENT)

        def work(decoder: Any = decoder, expected: Any = expected) -> None:
            for _ in range(200):
                if decoder.decode(DOCUMENT) != expected:
                    wrong.append(1)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not wrong
