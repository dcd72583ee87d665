"""Subinterpreters with their own GIL import the extension and use it.

Every interpreter has its own module, types and caches; only code is shared. From 3.12 on;
each test runs in a child, because a crash in an interpreter ends the whole process.
"""

from __future__ import annotations

import gc
import gzip
import sys
import textwrap
import threading

import pytest

from helpers import ledger
from helpers.interpreters import Interpreters
from helpers.isolated import TESTS, in_child

pytestmark = pytest.mark.skipif(
    sys.version_info < (3, 12),
    reason="subinterpreters have their own GIL from 3.12 on: NOT tested here",
)

USE = textwrap.dedent("""
    import dataclasses, datetime, enum, sys, uuid
    sys.path.insert(0, {tests!r})
    import snooze

    @dataclasses.dataclass
    class Plain:
        a: int

    class Member(enum.Enum):
        ONE = 1

    moment = datetime.datetime(2024, 1, 2, tzinfo=datetime.timezone.utc)
    # In such interpreters of 3.12, datetime is written in Python: its objects are any.
    known = hasattr(datetime, "datetime_CAPI")
    assert known or sys.version_info < (3, 13)
    for count in range({rounds}):
        value = [Plain(count), Member.ONE, moment, uuid.UUID(int=5), "\\u00e9" * 300]
        option = snooze.OPT_INDENT_2 | snooze.OPT_SORT_KEYS
        text = snooze.dumps(value, default=str, option=option)
        back = snooze.loads(text)
        assert back[0] == {{"a": count}}, back
        assert back[2] == (moment.isoformat() if known else str(moment))
        assert back[3] == "00000000-0000-0000-0000-000000000005"
        document = b'{{"key%d": [1.5, {{"k": "\\\\n"}}]}}' % count
        lines = b'{{"a": %d}}\\n' % count * 9
        assert [len(one) for one in snooze.scan(bytearray(lines), threads=2)] == [9]
        assert snooze.loads(document) == {{"key%d" % count: [1.5, {{"k": "\\n"}}]}}
        for bad in (b"[1,", b'["\\xff"]', b""):
            try:
                snooze.loads(bad)
            except snooze.JSONDecodeError as exc:
                assert exc.__class__ is snooze.JSONDecodeError
            else:
                raise AssertionError(bad)
        try:
            snooze.dumps([Plain({{1}})])
        except snooze.JSONEncodeError:
            pass
        assert snooze.dumps(snooze.Fragment(b"{{}}")) == b"{{}}"
""")


#: Reading makes dates of Python code; writing says why it refuses them.
TIMES = textwrap.dedent("""
    import dataclasses, datetime, sys
    sys.path.insert(0, {tests!r})
    import snooze

    @dataclasses.dataclass
    class Event:
        at: datetime.datetime
        day: datetime.date
        hour: datetime.time
        lasts: datetime.timedelta

    moment = datetime.datetime(2024, 1, 2, 3, 4, 5, tzinfo=datetime.timezone.utc)
    event = Event(moment, moment.date(), moment.time(), datetime.timedelta(days=3))
    text = b'{{"at":"2024-01-02T03:04:05Z","day":"2024-01-02","hour":"03:04:05",'
    text += b'"lasts":"P3D"}}'
    assert snooze.decode(text, Event) == event
    if hasattr(datetime, "datetime_CAPI"):
        assert snooze.decode(snooze.encode(event), Event) == event
        assert snooze.dumps([moment.date()]) == b'["2024-01-02"]'
        kinds = ()
    else:
        kinds = tuple(Event.__annotations__.items())

    def message(call, *arguments):
        try:
            call(*arguments)
        except TypeError as error:
            return str(error)
        raise AssertionError((call, arguments))

    def keys(value):
        snooze.dumps(value, option=snooze.OPT_NON_STR_KEYS)

    words = "CPython 3.12 has no C datetime"
    for name, tp in kinds:
        one = getattr(event, name)
        assert words in message(snooze.dumps, [one])
        assert snooze.dumps(one, default=str) == b'"%s"' % str(one).encode()
        assert words in message(snooze.encode, one, tp)
        assert words in message(snooze.encode, [one])
        assert words in message(keys, {{one: 1}})
        assert words in message(snooze.encode, {{one: 1}}, dict[tp, int])
        assert message(snooze.encode, event).endswith(" at $.at")
    assert words not in message(snooze.dumps, [snooze])
    assert words not in message(snooze.encode, "x", datetime.date)
""")


#: Threads that read, Python objects that are read from, and what is wrong with files.
SCANS = textwrap.dedent("""
    import io, os, sys, tempfile, typing
    sys.path.insert(0, {tests!r})
    import snooze

    LINES, PACKED = {lines!r}, {packed!r}

    class Row(typing.TypedDict):
        a: int

    class Store:
        files = {{"plain": LINES, "packed.gz": PACKED}}
        changed = 0

        def head(self, path):
            return {{"size": len(self.files[path]), "etag": self.changed}}

        def get_range(self, path, *, start, end):
            return self.files[path][start:end]

    def counted(scan):
        return sum(len(batch) for batch in scan)

    def fails(error, call, *arguments):
        try:
            call(*arguments)
        except error as exc:
            return str(exc)
        raise AssertionError(error)

    for _ in range(3):
        store = Store()
        names = ["plain", "packed.gz"]
        scan = snooze.scan(names, filesystem=store, threads=2, batch_bytes=9000)
        assert counted(scan) == 10_000
        parts = snooze.scan("plain", filesystem=store).splits(20_000)
        store.changed = 1
        assert "was changed" in fails(OSError, counted, parts[0])

        drifting = LINES + b'{{"a": "y", "b": [1]}}\\n'
        scan = snooze.scan(drifting, drift="json", threads=2, batch_bytes=9000)
        assert scan.columns == {{"a": "arrow.json", "b": "arrow.json"}}
        target = io.BytesIO()
        snooze.write_lines(scan, target)
        assert target.getvalue().split()[-1] == b'{{"a":"y","b":[1]}}'

        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "cut.gz")
            for data in (PACKED[:-9], PACKED + b"!"):
                with open(path, "wb") as file:
                    file.write(data)
                scan = snooze.scan(path, Row, threads=2)
                assert "cut.gz" in fails(OSError, counted, scan)
        value = "x" * (3 << 20)
        long = b'{{"a": "%s"}}\\n' % value.encode() * 3
        assert counted(snooze.scan(long, threads=2, batch_bytes=9000)) == 3
""")


def program(rounds: int) -> str:
    """Return a program that imports and uses snooze."""
    return USE.format(tests=str(TESTS), rounds=rounds)


def one_after_the_other() -> None:
    """In a child: with and without the extension in the main interpreter."""
    interpreters = Interpreters()
    for rounds in (1, 50):
        one = interpreters.create()
        interpreters.run(one, program(rounds))
        interpreters.destroy(one)
    import snooze

    assert snooze.dumps([1]) == b"[1]"
    one, two = interpreters.create(), interpreters.create()
    interpreters.run(one, program(20))
    interpreters.run(two, program(20))
    interpreters.destroy(one)
    interpreters.run(two, program(20))
    assert snooze.loads(b"[1]") == [1]
    interpreters.destroy(two)


def four_at_a_time() -> None:
    """In a child: four interpreters on four threads, beside the main one."""
    interpreters = Interpreters()
    import snooze

    errors = []

    def body() -> None:
        try:
            for _ in range(3):
                one = interpreters.create()
                interpreters.run(one, program(400))
                interpreters.destroy(one)
        except BaseException as exc:
            errors.append(exc)

    threads = [threading.Thread(target=body) for _ in range(4)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        assert snooze.loads(snooze.dumps([{"a": [1, "\u00e9"]}])) == [
            {"a": [1, "\u00e9"]}
        ]
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def created_and_destroyed() -> str:
    """In a child: return what each interpreter leaves on the C heap when it is destroyed."""
    interpreters = Interpreters()

    def heap_growth(code: str, rounds: int = 20) -> float:
        for _ in range(5):
            interpreters.run_once(code)
        gc.collect()
        before = ledger.heap()
        for _ in range(rounds):
            interpreters.run_once(code)
        gc.collect()
        return (ledger.heap() - before) / rounds

    # CPython itself leaks a little; only what snooze adds to that counts.
    empty = heap_growth("import dataclasses, datetime, enum, uuid, json.decoder, sys")
    return str(heap_growth(program(3)) - empty)


def test_one_after_the_other() -> None:
    """Interpreters come and go; the others keep working."""
    in_child(one_after_the_other)


def test_four_at_a_time() -> None:
    """Four interpreters at a time, beside the main one."""
    in_child(four_at_a_time)


def scans() -> None:
    """In a child: scans one after the other and side by side."""
    interpreters = Interpreters()
    # Compressed here: zlib in an interpreter with its own GIL ends 3.12.1 by SIGABRT, in
    # plain Python too. What snooze decompresses needs no zlib.
    lines = b'{"a": 1, "b": "x"}\n' * 5000
    packed = gzip.compress(lines)
    code = SCANS.format(tests=str(TESTS), lines=lines, packed=packed)
    interpreters.run_once(code)
    errors = []

    def body() -> None:
        try:
            interpreters.run_once(code)
        except BaseException as exc:
            errors.append(exc)

    threads = [threading.Thread(target=body) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def test_scans() -> None:
    """File systems, drifting columns, damaged files and long lines."""
    in_child(scans)


def dates_and_times() -> None:
    """In a child: what an interpreter does with dates and times."""
    Interpreters().run_once(TIMES.format(tests=str(TESTS)))


def test_dates_and_times() -> None:
    """They are read everywhere; where they cannot be written, the error says why."""
    in_child(dates_and_times)


def test_destroyed_interpreters_leave_nothing() -> None:
    """State, types and caches are freed with their interpreter."""
    added = float(in_child(created_and_destroyed))
    # The key cache alone has 32 KiB: state that is left behind would show.
    assert added < 16_000
