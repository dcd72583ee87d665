"""Interpreters with their own GIL as CPython 3.14 offers them: objects, pools, queues.

Separate from test_subinterpreters.py, which uses the private module that every CPython
from 3.12 on has. Each test runs in a child, because a crash in an interpreter ends the
whole process.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import json
import sys
import textwrap
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

import snooze
from helpers.isolated import TESTS, in_child

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.skipif(
    sys.version_info < (3, 14),
    reason="concurrent.interpreters is new in 3.14: NOT tested here",
)
#: Where the workers find the modules of these tests.
PLACES = {"PYTHONPATH": f"{TESTS}:{TESTS / 'safety'}"}


@dataclasses.dataclass
class Event:
    """A class that workers import."""

    name: str
    at: dt.datetime
    counts: list[int]


def events(count: int) -> list[Event]:
    """Values with a date each, which each interpreter finds in its own datetime."""
    day = dt.datetime(2024, 2, 29, 12, tzinfo=dt.UTC)
    return [
        Event(f"event {n}", day + dt.timedelta(n), [n, n * n]) for n in range(count)
    ]


def round_trip(count: int) -> bytes:
    """Work of a pool: typed and untyped, both directions."""
    decoder, encoder = snooze.Decoder(list[Event]), snooze.Encoder(list[Event])
    text = snooze.dumps(events(count))
    values = decoder.decode(text)
    assert values == events(count)
    assert snooze.loads(text) == json.loads(text)
    assert encoder.encode(values) == snooze.dumps(snooze.loads(text))
    return text


def work_of_a_pool() -> None:
    """In a child: a pool that runs functions of snooze, methods of codecs, and ours."""
    from concurrent.futures import InterpreterPoolExecutor

    texts = [snooze.dumps(events(count)) for count in range(30)]
    values = [snooze.loads(text) for text in texts]
    with InterpreterPoolExecutor(3) as pool:
        assert list(pool.map(snooze.loads, texts)) == values
        assert list(pool.map(snooze.dumps, values)) == texts
        assert list(pool.map(round_trip, range(30))) == texts
        decode = snooze.Decoder(list[dict[str, Any]]).decode
        assert list(pool.map(decode, texts)) == values
        wrong = pool.submit(snooze.loads, b"[1,")
        error = wrong.exception()
        assert type(error) is snooze.JSONDecodeError, error
        assert error.pos == 3


USE = textwrap.dedent("""
    import datetime as dt
    import snooze

    class Unknown: pass

    moment = dt.datetime(2024, 2, 29, 12, tzinfo=dt.timezone.utc)
    value = {"moment": moment, "day": moment.date(), "unknown": Unknown()}
    decoder = snooze.Decoder(dict[str, list[int]])
    for count in range(200):
        text = snooze.dumps(value, default=lambda _: count)
        assert snooze.loads(text)["unknown"] == count
        assert snooze.loads(text)["moment"] == moment.isoformat()
        assert decoder.decode(b'{"a": [%d]}' % count) == {"a": [count]}
""")


def many_at_once() -> None:
    """In a child: interpreters that are created, used and closed on many threads."""
    from concurrent import interpreters

    def body(_: int) -> None:
        for _ in range(4):
            one = interpreters.create()
            one.exec(USE)
            assert one.call(round_trip, 3) == snooze.dumps(events(3))
            one.close()

    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(body, range(6))) == [None] * 6
    assert len(interpreters.list_all()) == 1


def texts_through_a_queue() -> None:
    """In a child: one interpreter writes, others read; only bytes pass between them."""
    from concurrent import interpreters

    texts, counts = interpreters.create_queue(), interpreters.create_queue()
    readers = [interpreters.create() for _ in range(3)]
    for reader in readers:
        reader.prepare_main(texts=texts, counts=counts)
    code = textwrap.dedent("""
        import snooze
        while (text := texts.get()) is not None:
            counts.put(len(snooze.loads(text)))
    """)
    threads = [threading.Thread(target=one.exec, args=(code,)) for one in readers]
    for thread in threads:
        thread.start()
    for count in range(200):
        texts.put(snooze.dumps(list(range(count))))
    for _ in readers:
        texts.put(None)
    assert sorted(counts.get(timeout=60) for _ in range(200)) == list(range(200))
    for thread in threads:
        thread.join()
    for reader in readers:
        reader.close()


def ended_while_in_use() -> None:
    """In a child: the process ends while interpreters still exist and have used snooze."""
    from concurrent import interpreters

    for _ in range(3):
        interpreters.create().exec(USE)


@pytest.mark.slow
@pytest.mark.parametrize(
    "body",
    [work_of_a_pool, many_at_once, texts_through_a_queue, ended_while_in_use],
)
def test_interpreters_of_the_standard_library(body: Callable[[], None]) -> None:
    """Each has its own module, types and caches."""
    in_child(body, **PLACES)
