"""References and memory: a call gives back everything that it takes.

Every success and error path of `subjects` is repeated thousands of times; blocks of the
interpreter, references (on a debug build) and bytes of the C heap must not grow. Caches
are bounded, results own only what they need, and the caller's objects are unchanged.
"""

from __future__ import annotations

import dataclasses
import gc
import json
import sys
import weakref
from typing import TYPE_CHECKING, Any

import pytest

import snooze
from helpers import ledger, subjects
from helpers.isolated import FREE_THREADED, in_child

if TYPE_CHECKING:
    from collections.abc import Callable

TIMES = 1500
PARTS = 4


def balance_cases(part: int) -> str:
    """In a child: no case leaves anything behind."""
    names = sorted(subjects.CASES)[part::PARTS]
    wrong = {}
    for name in names:
        call = subjects.CASES[name]()
        left = ledger.grown(
            lambda times, call=call: ledger.repeat_call(call, times), TIMES
        )
        if "numpy" in name:
            # numpy's wheels are not debug builds: they do not count references.
            left.pop("references", None)
        if left:
            wrong[name] = left
    assert not wrong, f"left behind by each call: {wrong}"
    return str(len(names))


@pytest.mark.parametrize("part", range(PARTS))
def test_calls_leave_nothing_behind(part: int) -> None:
    """Thousands of calls of every success and error path."""
    assert int(in_child(balance_cases, part)) > 15


def balance_cold(name: str) -> None:
    """In a child: types come and go."""

    def repeat(times: int) -> None:
        for index in range(times):
            subjects.COLD[name]()()
            if index % 100 == 0:
                gc.collect()

    left = ledger.grown(repeat, 300)
    # The interpreter's own tables of types and strings grow a little, at their own pace.
    assert left.get("blocks", 0) < 2, left
    assert left.get("references", 0) < 2, left
    assert left.get("heap bytes", 0) < 1000, left


@pytest.mark.slow
@pytest.mark.parametrize("name", subjects.COLD)
def test_new_types_leave_nothing_behind(name: str) -> None:
    """Types that were used and died leave nothing behind."""
    in_child(balance_cold, name)


def many_keys() -> str:
    """In a child: 100,000 different keys, then 400,000 more."""

    def round_of(count: int, tag: str) -> None:
        for start in range(0, count, 1000):
            keys = ",".join(
                f'"{tag}{i}-{"x" * 40}":1' for i in range(start, start + 1000)
            )
            assert len(snooze.loads("{" + keys + "}")) == 1000

    round_of(100_000, "a")
    gc.collect()
    before = [count() for count in ledger.COUNTS.values()]
    for tag in ("b", "c", "d", "e"):
        round_of(100_000, tag)
    gc.collect()
    after = [count() for count in ledger.COUNTS.values()]
    return repr([now - then for then, now in zip(before, after, strict=True)])


def many_types() -> str:
    """In a child: 10,000 different types, then twice as many."""

    def round_of(count: int) -> None:
        for _ in range(count):
            cls = dataclasses.dataclass(type("T", (), {"__annotations__": {"a": int}}))
            assert snooze.dumps(cls(1)) == b'{"a":1}'
        gc.collect()

    round_of(10_000)
    before = [count() for count in ledger.COUNTS.values()]
    round_of(20_000)
    after = [count() for count in ledger.COUNTS.values()]
    return repr([now - then for then, now in zip(before, after, strict=True)])


@pytest.mark.slow
@pytest.mark.parametrize("fill", [many_keys, many_types])
def test_caches_are_bounded(fill: Callable[[], str]) -> None:
    """After the first round the caches are full; later entries replace earlier ones."""
    blocks, references, heap = eval(in_child(fill))
    assert blocks < 3_000
    assert references < 10_000
    assert heap < 2_000_000


def test_long_keys_are_not_cached() -> None:
    """A key of a megabyte does not outlive its document."""
    before = ledger.heap()
    for index in range(20):
        snooze.loads(b'{"%d%s":1}' % (index, b"k" * 1_000_000))
    assert ledger.heap() - before < 2_000_000


def test_a_type_is_not_kept_alive() -> None:
    """Writing an instance does not keep its class alive."""
    call = subjects.COLD["dataclass"]()
    assert call() == b'{"one":1,"t\xc3\xa9xt":"x"}'
    cls = weakref.ref(type(call.args[0]))
    del call
    gc.collect()
    assert cls() is None


SIZES = [*range(70), 500, 1000, 1020, 1023, 1024, 1025, 1030, 4096, 70_000, 1_000_000]


@pytest.mark.parametrize("option", [0, snooze.OPT_INDENT_2, snooze.OPT_APPEND_NEWLINE])
def test_results_are_exactly_as_large_as_needed(option: int) -> None:
    """The result is as large as equal bytes made elsewhere, by getsizeof."""
    snooze.dumps("x" * 50_000)  # the estimate for the next output is now far too large
    for size in SIZES:
        result = snooze.dumps(["x" * size], option=option)
        assert sys.getsizeof(result) == sys.getsizeof(b"x" * len(result))
        assert hash(result) == hash(bytes(bytearray(result)))


def results_own_what_they_need() -> str:
    """In a child: return the memory behind each of many small results."""
    snooze.dumps("x" * 60_000)
    gc.collect()
    before, kept = ledger.heap(), []
    for index in range(2000):
        kept.append(snooze.dumps("y" * (1100 + index % 7)))
    return str((ledger.heap() - before) / len(kept))


@pytest.mark.skipif(not ledger.heap(), reason="needs glibc's mallinfo2: NOT tested")
def test_small_results_are_trimmed() -> None:
    """A small result after a large one is trimmed to the size that it needs."""
    assert float(in_child(results_own_what_they_need)) < 1300


def test_the_callers_str_stays_as_it_was() -> None:
    """No UTF-8 copy stays attached to a str, as a value, key or input."""
    texts = ["\u00e9" * 200, "\u8a9e" * 200, "\U0001f600" * 200, "\u00e9\n" * 40]
    options = [0, snooze.OPT_SORT_KEYS, snooze.OPT_NON_STR_KEYS, snooze.OPT_INDENT_2]
    for text in texts:
        fresh = "".join(list(text))
        before = sys.getsizeof(fresh)
        for option in options:
            snooze.dumps([fresh, {fresh: fresh}, snooze.Fragment(fresh)], option=option)
        fresh_document = '"' + "".join(list(text.replace("\n", ""))) + '"'
        document_size = sys.getsizeof(fresh_document)
        snooze.loads(fresh_document)
        with pytest.raises(snooze.JSONDecodeError):
            snooze.loads(fresh)
        assert sys.getsizeof(fresh) == before
        assert sys.getsizeof(fresh_document) == document_size


@pytest.mark.parametrize("name", subjects.OBJECTS)
def test_reference_counts_of_the_arguments(name: str) -> None:
    """Object, default and result have as many references as before."""
    value, option = subjects.OBJECTS[name]
    if value is None:
        pytest.skip("needs a library that is not here: NOT tested")

    def default(obj: Any) -> Any:
        return subjects.unwrap(obj)

    def call() -> None:
        try:
            result = snooze.dumps(value, default, option)
        except TypeError:
            return
        # Python 3.15 counts no reference of a local variable.
        fresh = bytes([1, 2])
        owners, expected = sys.getrefcount(result), sys.getrefcount(fresh)
        assert FREE_THREADED or len(result) < 2 or owners == expected

    call()
    before = sys.getrefcount(value), sys.getrefcount(default)
    for _ in range(10):
        call()
    assert (sys.getrefcount(value), sys.getrefcount(default)) == before


def reference_counts(loads: Callable[[bytes], Any]) -> list[int]:
    """Return the reference count of each object of a result."""
    result = loads(b'{"alone": [[1000000, "text too long to be kept"], {"k": 1.5}]}')
    inner, table = result["alone"]
    values = [result, inner, table, inner[0], inner[1], table["k"]]
    return [sys.getrefcount(values[index]) for index in range(len(values))]


def test_results_of_loads_have_one_owner() -> None:
    """Every container and value has as many references as in json's result."""
    assert reference_counts(snooze.loads) == reference_counts(json.loads)


def test_short_strings_are_cached() -> None:
    """A string that occurred before is the same object; once evicted, the cache drops it."""
    # Often enough that the cache considers itself useful, whatever it has seen before.
    *_, first, again = snooze.loads(json.dumps(["kept a while"] * 10_000))
    assert first == again == "kept a while"
    assert first is again
    del _, again
    shared = sys.getrefcount(first)
    # More strings than the cache has places replace every entry.
    snooze.loads(json.dumps([f"other {number}" for number in range(300_000)]))
    assert sys.getrefcount(first) == shared - 1


def peak_of_loads() -> str:
    """In a child: return the peak of the heap, relative to the size of the result."""
    import resource

    document = b"[" + b",".join(b'{"a":%d.5,"b":[]}' % i for i in range(200_000)) + b"]"
    gc.disable()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    value = snooze.loads(document)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    size = sys.getsizeof(value) + sum(
        sys.getsizeof(v) + 24 + sys.getsizeof(v["b"]) for v in value
    )
    return str(grown / size)


@pytest.mark.skipif(
    sys.platform != "linux", reason="ru_maxrss has another unit: NOT tested"
)
def test_the_peak_of_loads_is_near_the_result() -> None:
    """loads needs no scratch memory of many times the input."""
    assert float(in_child(peak_of_loads)) < 1.5
