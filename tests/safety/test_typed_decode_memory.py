"""Typed decoding gives back what it takes: after success, after errors, without memory.

Allocation failure as in test_allocation_failure: for every n the n-th allocation of a
call is made to fail, alone and with all later ones; the outcome is MemoryError or the
outcome with enough memory. References as in test_references: thousands of calls leave
nothing behind.
"""

from __future__ import annotations

import dataclasses
import functools
import gc
import sys
from dataclasses import dataclass, field
from typing import Annotated, Any

import pytest

import snooze
from helpers import ledger, typed_subjects
from helpers.cpython_faults import in_child_unless_faulty, unexplained
from helpers.isolated import in_child, needs_module
from helpers.starvation import ALL_LATER, each_failure, is_lost, outcome_of
from snooze import Decoder, Via
from snooze._typed import lower_decode
from snooze._typed.errors import fail
from snooze._typed.introspect import build
from snooze._typed.options import Options
from snooze._typed.places import tokens

REPEATS = 12
TIMES = 400
PARTS = 6
NAMES = sorted(typed_subjects.PLANS)
#: `datetime.fromtimestamp` of 3.11 leaks when it has no memory.
LEAKED_BY_CPYTHON = {"lax times"}


def described(name: str, fail: Any) -> Any:
    """Return the description of a plan that reports its problems to `fail`."""
    tp, _, options = typed_subjects.PLANS[name]
    at = options.get("at")
    plan = (
        options.get("strict", True),
        10_000 if options.get("errors") == "all" else None,
        options.get("skip") == "fast",
        None if at is None else tokens(at),
    )
    lowered = lower_decode.lower(build(tp, Options()), plan, options.get("dec_hook"))
    return (*lowered, fail)


def starve_decoding(part: int) -> str:
    """In a child: every failure of some plans, then what was left behind."""
    lines = []
    for name in NAMES[part::PARTS]:
        # Problems go to a function in C: Python functions leak without memory.
        decoder: Any = Decoder.__new__(Decoder)
        decoder._compile(described(name, int))
        call = functools.partial(decoder.decode, typed_subjects.PLANS[name][1].encode())
        for _ in range(50):  # fill the caches of keys and strings
            outcome_of(call)
        try:
            count = each_failure(lambda call=call: call, 1, tolerated=is_lost)
            left = ledger.grown(
                lambda times, call=call: each_failure(
                    lambda: call, times, tolerated=is_lost
                ),
                REPEATS,
            )
            if name in LEAKED_BY_CPYTHON:
                left = {}
            assert not left, f"left behind by each round of failures: {left}"
        except AssertionError as exc:
            raise AssertionError(f"{name}: {exc}") from None
        lines.append(f"{name}: {count}")
    return "\n".join(lines)


@pytest.mark.slow
@needs_module("_testcapi")
@pytest.mark.parametrize("part", range(PARTS))
def test_failing_allocations_of_decoding(part: int) -> None:
    """MemoryError each time, nothing leaked, the next call is right."""
    try:
        printed = in_child_unless_faulty(starve_decoding, part)
    except pytest.fail.Exception as failed:
        if "left behind" not in str(failed):
            raise
        printed = in_child(starve_decoding, part)  # see test_allocation_failure
    counts = [int(line.rpartition(" ")[2]) for line in printed.splitlines()]
    assert len(counts) == len(NAMES[part::PARTS])
    assert sum(counts) > len(counts)


def starve_compiling(part: int) -> str:
    """In a child: every failure while Rust compiles a description."""
    lines = []
    for name in NAMES[part::PARTS]:
        tp, document, options = typed_subjects.PLANS[name]
        whole = Decoder(tp, **options)
        description = described(name, fail)
        assert whole.type == tp

        def case(description: Any = description) -> Any:
            decoder: Any = Decoder.__new__(Decoder)
            return lambda: decoder._compile(description)

        try:
            count = each_failure(case, 1, tolerated=is_lost)
            left = ledger.grown(
                lambda times, case=case: each_failure(case, times, tolerated=is_lost),
                REPEATS,
            )
            left = unexplained(left)
            assert not left, f"left behind by each round of failures: {left}"
        except AssertionError as exc:
            raise AssertionError(f"{name}: {exc}") from None
        decoder: Any = Decoder.__new__(Decoder)
        decoder._compile(description)
        expected = repr(outcome_of(functools.partial(whole.decode, document)))
        assert repr(outcome_of(functools.partial(decoder.decode, document))) == expected
        lines.append(f"{name}: {count}")
    return "\n".join(lines)


@pytest.mark.slow
@needs_module("_testcapi")
@pytest.mark.parametrize("part", range(PARTS))
def test_failing_allocations_of_compiling(part: int) -> None:
    """Either a plan is made or there is a MemoryError."""
    try:
        printed = in_child(starve_compiling, part)
    except pytest.fail.Exception as failed:
        if "left behind" not in str(failed):
            raise
        printed = in_child(starve_compiling, part)
    assert len(printed.splitlines()) == len(NAMES[part::PARTS])


def starve_building(name: str) -> str:
    """In a child: failures while Python examines a type; a sample of all n."""
    import _testcapi

    call = typed_subjects.build(name)
    right = repr(outcome_of(call))
    failed = 0
    for n in [*range(200), *range(200, 4000, 37)]:
        for stop in (n + 1, n + ALL_LATER):
            caught = None
            _testcapi.set_nomemory(n, stop)
            try:
                result = call()
            except MemoryError:
                result = MemoryError
            except Exception as exc:
                caught = exc
            finally:
                _testcapi.remove_mem_hooks()
            if caught is not None:
                # The standard library may replace a MemoryError by another error.
                continue
            failed += result is MemoryError
            assert result is MemoryError or repr(result) == right, (n, result)
        assert repr(outcome_of(call)) == right
    return str(failed)


@pytest.mark.slow
@needs_module("_testcapi")
@pytest.mark.parametrize(
    "name", ["any", "scalars", "tuples", "keys", "sets", "via", "deque", "lax times"]
)
def test_failing_allocations_of_making_decoders(name: str) -> None:
    """No crash, and the next Decoder is right.

    Only types without names to evaluate: `compile` of 3.11 does not survive every failure.
    """
    if name == "tuples" and sys.version_info < (3, 12):
        pytest.skip("CPython 3.11 crashes if dict.items() gets no memory for its tuple")
    assert int(in_child_unless_faulty(starve_building, name)) > 50


def balance(part: int) -> str:
    """In a child: no plan leaves anything behind, whether its document is right or wrong."""
    wrong = {}
    for name in NAMES[part::PARTS]:
        call = typed_subjects.case(name)
        left = ledger.grown(
            lambda times, call=call: ledger.repeat_call(call, times), TIMES
        )
        if left:
            wrong[name] = left
    assert not wrong, f"left behind by each call: {wrong}"
    return str(len(NAMES[part::PARTS]))


@pytest.mark.parametrize("part", range(PARTS))
def test_calls_leave_nothing_behind(part: int) -> None:
    """Hundreds of calls of every plan, failing ones included."""
    assert int(in_child(balance, part)) > 3


def balance_broken(part: int) -> None:
    """In a child: documents cut and damaged at every place leave nothing behind."""
    wrong = {}
    for name in NAMES[part::PARTS]:
        tp, document, options = typed_subjects.PLANS[name]
        decoder = snooze.Decoder(tp, **options)
        data = document.encode()

        def broken(data: bytes = data, decoder: Any = decoder) -> None:
            for at in range(1, len(data)):
                for bad in (
                    data[:at],
                    data[:at] + b"[" + data[at:],
                    data[:at] + b"\xff" + data[at + 1 :],
                ):
                    try:
                        decoder.decode(bad)
                    except (TypeError, ValueError):
                        pass

        left = ledger.grown(
            lambda times, call=broken: ledger.repeat_call(call, times), 8
        )
        # Less than one block for each document.
        left = {kind: count for kind, count in left.items() if count / len(data) > 0.2}
        if left:
            wrong[name] = left
    assert not wrong, f"left behind by each round: {wrong}"


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_broken_documents_leave_nothing_behind(part: int) -> None:
    """Everything that was open when the document ended is released."""
    in_child(balance_broken, part)


def balance_decoders() -> None:
    """In a child: Decoders and their classes come and go."""

    def repeat(times: int) -> None:
        for index in range(times):
            cls = dataclasses.make_dataclass(
                "Local",
                [("a", int), ("b", list[str], dataclasses.field(default_factory=list))],
                slots=bool(index % 2),
            )
            decoder = snooze.Decoder(list[cls])
            decoder.decode(b'[{"a":1},{"b":["x"],"a":2}]')
            for bad in (b'[{"a":"x"}]', b'[{"b":[]}]', b"[{"):
                try:
                    decoder.decode(bad)
                except ValueError:
                    pass
            if index % 20 == 0:
                gc.collect()

    left = ledger.grown(repeat, 60)
    # typing caches recent types, the interpreter caches names of classes.
    assert left.get("blocks", 0) < 4, left
    assert left.get("references", 0) < 4, left
    assert left.get("heap bytes", 0) < 2000, left


def test_decoders_come_and_go() -> None:
    """Types that had a Decoder and died leave nothing behind."""
    in_child(balance_decoders)


def test_reference_counts_of_shared_objects() -> None:
    """Defaults and classes have one reference for each use."""
    shared = ("default", [1])

    @dataclasses.dataclass(slots=True)
    class Sharing:
        a: int = 0
        b: Any = shared

    decoder = snooze.Decoder(list[Sharing])
    decoder.decode(b"[{}]")
    before = sys.getrefcount(shared), sys.getrefcount(Sharing)
    made = decoder.decode(b"[" + b",".join([b"{}"] * 1000) + b"]")
    assert 998 <= sys.getrefcount(shared) - before[0] <= 1001
    del made
    for _ in range(100):
        with pytest.raises(ValueError, match="line 1"):
            decoder.decode(b'[{},{},{"a":"x"}]')
        with pytest.raises(ValueError, match="line 1"):
            decoder.decode(b"[{},{},{")
    gc.collect()
    assert abs(sys.getrefcount(shared) - before[0]) <= 1
    assert abs(sys.getrefcount(Sharing) - before[1]) <= 1


def test_results_own_what_they_need() -> None:
    """Results do not depend on the document or the decoder."""
    data = bytearray(b'{"a":1,"b":{"key of the dict":5},"next":null}')
    decoder = snooze.Decoder(typed_subjects.Plain)
    value = decoder.decode(data)
    data[:] = b"x" * len(data)
    del decoder
    gc.collect()
    assert value == typed_subjects.Plain(1, {"key of the dict": 5})
    raw = snooze.decode(memoryview(b"[1, 2]"), list[snooze.Raw])
    gc.collect()
    assert raw == [b"1", b"2"]


def test_refused_values_are_released() -> None:
    """For each way in which a document is refused, in both error modes."""
    kept = object()

    def keep(value: Any) -> Any:
        if value == "raise":
            raise ValueError("no")
        if value == "stop":
            raise KeyboardInterrupt
        return kept

    kind = Annotated[object, Via(str, decode=keep)]

    @dataclass(slots=True)
    class Dense:
        a: kind
        b: kind

    @dataclass
    class Attributes:
        a: kind
        b: kind
        c: list[kind] = field(default_factory=list)

        def __post_init__(self) -> None:
            if len(self.c) > 1:
                raise TypeError("long")

    for name, value in {"kind": kind, "Dense": Dense}.items():
        globals()[name] = value
    types = [
        list[kind],
        set[kind],
        tuple[kind, kind],
        dict[str, kind],
        Dense,
        Attributes,
        list[Dense],
        dict[str, Attributes],
    ]
    documents = [
        '["x","x"]',
        '["x","raise"]',
        '["x","stop"]',
        '["x",1]',
        '["x","x","x"]',
        '["x",]',
        '{"a":"x","b":"x"}',
        '{"a":"x","a":"x","b":"raise"}',
        '{"a":"x"}',
        '{"a":"x","b":1}',
        '{"a":"x","b":"stop"}',
        '{"a":"x","b":"x","c":["x","x"]}',
        '{"a":"x","b":"x","c":["x","raise"]}',
        '{"a":"x","b":"x"',
        '[{"a":"x","b":"x"},{"a":"x"},{"a":"x","b":"raise"}]',
        '{"k":{"a":"x","b":"x","c":["x","x"]},"l":{"a":"x","b":"x"}}',
    ]
    decoders = [Decoder(tp, errors=mode) for tp in types for mode in ("first", "all")]

    def run() -> None:
        for decoder in decoders:
            for document in documents:
                try:
                    decoder.decode(document)
                except (snooze.JSONDecodeError, KeyboardInterrupt):
                    pass

    run()
    gc.collect()
    before = sys.getrefcount(kept)
    for _ in range(5):
        run()
    gc.collect()
    assert sys.getrefcount(kept) == before
