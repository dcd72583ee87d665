"""JSON Lines without memory: MemoryError each time, nothing lost or left behind.

Separate from the tests of single documents, whose walks these calls share: here the
values of the lines before, their list and the text are what may be lost. As in
test_typed_decode_memory, every allocation fails once alone and once with all later ones.
"""

from __future__ import annotations

import functools
from typing import Any

import pytest

import snooze
from helpers import ledger
from helpers.cpython_faults import in_child_unless_faulty
from helpers.isolated import needs_module
from helpers.starvation import each_failure, is_lost, outcome_of
from snooze import _snooze

DATA = b'{"a":[1,2.5,"text"]}\n\n[]\n' + b'"%s"\n' % (b"x" * 600) * 4
VALUES = snooze.Decoder().decode_lines(DATA)


def items_of(decoder: Any) -> Any:
    """The items of an array."""
    found: list[Any] = []
    document = _snooze.items_open((b"a",))
    # Not `[*found, …]`: CPython loses the items of a list that cannot be made.
    for block in (b'{"a":[[1,2],', b"[3]", b",[4]]}"):
        text, marks, way, _, _ = _snooze.items_feed(document, block)
        found.append(way)
        found.append(decoder._decode_items(text, marks, 0))
    found.append(_snooze.items_indices(document))
    found.append(_snooze.items_end(document))
    return found


def parts() -> Any:
    """The parts of a document."""
    found: list[Any] = []
    document = _snooze.parts_open(True)
    for block in (b'{"a":[1,{"b":[]}],"c', b'":"x', b'y"}'):
        found.append(_snooze.parts_feed(document, block))
        found.append(_snooze.parts_cut(document, 0))
    found.append(_snooze.parts_end(document))
    return found


def starve_lines() -> str:
    """In a child: every failure of both directions, then what was left behind."""
    decoder, encoder = snooze.Decoder(), snooze.Encoder()
    typed = snooze.Decoder(list[int])
    calls: list[Any] = [
        functools.partial(decoder._decode_lines, DATA, 0, 1),
        functools.partial(typed._decode_lines, b"[1]\n[2,3]\n", 0, 1),
        lambda: encoder._encode_lines(iter(VALUES), 2**60),
        lambda: items_of(decoder),
        lambda: items_of(typed),
        parts,
    ]
    counts = []
    for call in calls:
        call()  # is right
        for _ in range(50):  # fill the caches of keys and strings
            outcome_of(call)
        counts.append(each_failure(lambda call=call: call, 1, tolerated=is_lost))
        left = ledger.grown(
            lambda times, call=call: each_failure(
                lambda: call, times, tolerated=is_lost
            ),
            6,
        )
        assert not left, f"left behind by each round of failures: {left}"
    # Three in free-threaded 3.14.7, which reuses more freed objects than others.
    assert min(counts) >= 3, counts
    return str(counts)


@pytest.mark.slow
@needs_module("_testcapi")
def test_failing_allocations_of_lines() -> None:
    """MemoryError each time, nothing leaked, the next call is right."""
    in_child_unless_faulty(starve_lines)


def test_calls_leave_nothing_behind() -> None:
    """After success and after errors."""
    decoder, encoder = snooze.Decoder(list[int]), snooze.Encoder(int)

    def rounds(times: int) -> None:
        for _ in range(times):
            decoder.decode_lines(b"[1]\n[2]")
            outcome_of(lambda: decoder.decode_lines(b'[1]\n["2"]'))
            decoder.decode_lines(b"[1]\n[\n", on_error=lambda _: None)
            encoder.encode_lines([1, 2])
            outcome_of(lambda: encoder.encode_lines([1, "2"]))  # type: ignore[list-item]
            list(decoder.iter_items(b'{"a":[[1],[2]]}', "/a"))
            outcome_of(lambda: list(decoder.iter_items(b"[[1],2]")))
            outcome_of(lambda: list(decoder.iter_items(b"[[1],")))
            list(decoder.iter_items(b"[[1],2]", on_error=lambda _: None))
            list(encoder.iter_items([1, 2], size=1))
            document = decoder.partial()
            for piece in ("[1, ", "2", "]"):
                document.feed(piece)
                assert document.value
            document.close()
            outcome_of(lambda: decoder.partial().feed("]"))

    left = ledger.grown(rounds, 200)
    assert not left, left
