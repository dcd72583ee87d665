"""Threads that change the very object that is written or read.

The result is a snapshot whose parts all were in the object at some moment, or a
RuntimeError or another documented error, and never a crash. Values carry their own
check (an even number beside an odd one, a text that repeats), so that a torn one shows.
With a GIL threads switch in hooks and between calls; without one they run in parallel.
Each test takes the seconds of `helpers.threads.together` in a child.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import subprocess
import sys
import textwrap
from typing import TYPE_CHECKING, Any

import pytest

import snooze
from helpers.isolated import DEBUG_MALLOC, in_child, needs_module
from helpers.threads import together
from snooze import Decoder, Encoder

if TYPE_CHECKING:
    from collections.abc import Callable

#: What a call may raise because its object changes: a change of size, for dicts.
CHANGED = RuntimeError


def is_sound(value: Any) -> bool:
    """Whether a value is one that the changing threads make: `["nn…", n]`."""
    if not (isinstance(value, list) and len(value) == 2):
        return False
    text, number = value
    return text == str(number) * 9


def sound(number: int) -> list[Any]:
    """A value that shows whether it is torn."""
    return [str(number) * 9, number]


def writers(value: Any, check: Callable[[Any], bool]) -> list[Callable[[], None]]:
    """Functions that write a value in every way, and check what they wrote."""

    def writing(write: Callable[[Any], bytes]) -> Callable[[], None]:
        def body() -> None:
            try:
                text = write(value)
            except CHANGED as error:
                assert "changed size" in str(error), error
            else:
                assert check(json.loads(text)), text

        return body

    encoder = Encoder(Any)
    return [
        writing(snooze.dumps),
        writing(encoder.encode),
        writing(lambda value: snooze.dumps(value, option=snooze.OPT_SORT_KEYS)),
        writing(lambda value: snooze.dumps(value, option=snooze.OPT_INDENT_2)),
    ]


def changed_list() -> None:
    """In a child: a list that grows, shrinks, is cut, reversed, sorted and replaced."""
    items: list[Any] = [sound(number) for number in range(20)]

    def change() -> None:
        for number in range(100):
            items.append(sound(number))
            items[len(items) // 2 :] = [sound(number)] * (number % 5)
            items.reverse()
        items.sort(key=lambda item: item[1])
        items.clear()

    all_sound = writers(items, lambda read: all(map(is_sound, read)))
    nested = writers([items, (items,)], lambda read: all(map(is_sound, read[0])))
    together(change, *all_sound, *nested[:2])


def changed_dict() -> None:
    """In a child: a dict that grows, shrinks, is emptied, merged and reordered."""
    table: dict[Any, Any] = {}

    def change() -> None:
        for number in range(100):
            table[f"key {number}"] = sound(number)
            table.pop(f"key {number - 7}", None)
            table.setdefault(f"key {number}", None)
        table.update({f"key {number}": sound(number) for number in range(50)})
        with contextlib.suppress(KeyError):
            table.popitem()
        table.clear()

    def check(read: dict[str, Any]) -> bool:
        return all(
            value is None or (is_sound(value) and name == f"key {value[1]}")
            for name, value in read.items()
        )

    together(change, change, *writers(table, check))


def changed_keys() -> None:
    """In a child: a dict whose keys change between strings only and any kind."""
    table: dict[Any, Any] = {}

    def change() -> None:
        for number in range(60):
            table[f"key {number}"] = number
        table[7] = 7
        del table[7]
        table.clear()

    def write() -> None:
        with contextlib.suppress(CHANGED):
            read = json.loads(snooze.dumps(table, option=snooze.OPT_NON_STR_KEYS))
            assert all(name.endswith(str(number)) for name, number in read.items())

    together(change, *[write] * 3)


@dataclasses.dataclass
class Ordinary:
    """Two fields that belong together, and attributes that come and go."""

    first: Any = dataclasses.field(default_factory=lambda: sound(0))
    second: Any = dataclasses.field(default_factory=lambda: sound(0))


@dataclasses.dataclass(slots=True)
class Slotted:
    """The same without a `__dict__`."""

    first: Any = dataclasses.field(default_factory=lambda: sound(0))
    second: Any = dataclasses.field(default_factory=lambda: sound(0))


def changed_instances() -> None:
    """In a child: instances whose attributes are set, deleted, and replaced as a whole."""
    ordinary, slotted = Ordinary(), Slotted()

    def change() -> None:
        for number in range(200):
            slotted.first, ordinary.second = sound(number), sound(number + 1)
            ordinary.first, slotted.second = sound(number), sound(number + 2)
            setattr(ordinary, f"extra{number % 40}", sound(number))
        for number in range(40):
            with contextlib.suppress(AttributeError):
                delattr(ordinary, f"extra{number}")
        ordinary.__dict__ = {"first": sound(1), "second": sound(2)}

    def check(read: dict[str, Any]) -> bool:
        return {"first", "second"} <= read.keys() and all(map(is_sound, read.values()))

    typed = [Encoder(Ordinary), Encoder(Slotted)]

    def encode() -> None:
        for encoder, instance in zip(typed, (ordinary, slotted), strict=True):
            with contextlib.suppress(CHANGED):
                assert check(json.loads(encoder.encode(instance)))

    together(
        change,
        change,
        encode,
        encode,
        *writers(ordinary, check),
        *writers(slotted, check),
    )


def changed_bytearray() -> None:
    """In a child: documents in a bytearray whose bytes and size change while it is read."""
    longs = [json.dumps([[str(digit) * 3000, digit]]).encode() for digit in (1, 2)]
    document = bytearray(longs[0])
    decoder = Decoder(list[Any])

    def change() -> None:
        # While a call reads a bytearray, it refuses to change its size.
        for text in longs:
            with contextlib.suppress(BufferError):
                document[:] = text
            document[5:3000] = text[5:3000]
            with contextlib.suppress(BufferError):
                document.extend(b" " * 5000)

    def read(decode: Callable[[Any], Any]) -> Callable[[], None]:
        def body() -> None:
            for source in (document, memoryview(document)):
                try:
                    value = decode(source)
                except ValueError:
                    continue  # a document of two halves need not be JSON
                finally:
                    if isinstance(source, memoryview):
                        source.release()
                if value is not None:  # as `validate_only` returns
                    [[text, _]] = value
                    assert set(text) <= {"1", "2"}

        return body

    loads = read(snooze.loads)
    together(change, loads, loads, read(decoder.decode), read(decoder.validate_only))


def changed_target() -> None:
    """In a child: a bytearray that several threads encode into."""
    target = bytearray()
    encoder = Encoder(list[int])
    values = [[digit] * 400 for digit in range(5)]

    def write() -> None:
        for value in values:
            with contextlib.suppress(ValueError):
                encoder.encode_into(value, target, 0)

    def change() -> None:
        target.clear()
        target.extend(b"x" * 1000)

    together(change, *[write] * 3)


def changed_array() -> None:
    """In a child: a numpy array whose elements change while it is written."""
    import numpy as np

    array = np.zeros((50, 20), dtype=np.int64)
    encoder = Encoder(np.ndarray)
    option = snooze.OPT_SERIALIZE_NUMPY

    def change() -> None:
        for number in range(10):
            array[:] = number
            array[3:40] = number

    def write() -> None:
        for text in (snooze.dumps(array, option=option), encoder.encode(array)):
            rows = json.loads(text)
            assert len(rows) == 50
            assert all(0 <= number < 10 for row in rows for number in row)

    together(change, *[write] * 3)


def changed_in_hooks() -> None:
    """In a child: hooks of several threads change what other calls write."""
    shared: list[Any] = [{1}, {"a": {2}}, [{3}]]

    def default(value: Any) -> Any:
        shared.append(value)
        shared[:-3] = [{4}, {"b": {5}}]
        shared.pop()
        return list(value)

    def write() -> None:
        try:
            json.loads(snooze.dumps(shared, default))
        except CHANGED as error:
            assert "changed size" in str(error), error

    together(*[write] * 6)


BODIES = [
    changed_list,
    changed_dict,
    changed_keys,
    changed_instances,
    changed_bytearray,
    changed_target,
    changed_in_hooks,
]


@pytest.mark.slow
@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("malloc", ["usual", "debug"])
def test_changed_while_it_is_used(body: Callable[[], None], malloc: str) -> None:
    """With the debug allocator freed memory has other contents at once."""
    in_child(body, **(DEBUG_MALLOC if malloc == "debug" else {}))


@pytest.mark.slow
@needs_module("numpy")
def test_arrays_changed_while_they_are_written() -> None:
    """Every element is one that the array had at some moment."""
    in_child(changed_array)


def one_codec_for_all() -> None:
    """In a child: one Decoder and one Encoder on all threads, from their first use on."""
    decoder, encoder = Decoder(list[Ordinary]), Encoder(list[Ordinary])
    values = [[Ordinary(sound(n), sound(n + 1))] * (n % 5) for n in range(50)]
    texts = [json.dumps([vars(one) for one in value]).encode() for value in values]
    compact = [text.replace(b", ", b",").replace(b": ", b":") for text in texts]

    def use() -> None:
        for value, text in zip(values, compact, strict=True):
            assert decoder.decode(text) == value
            assert encoder.encode(value) == text
            with contextlib.suppress(snooze.JSONDecodeError):
                decoder.decode(text[:-1])

    together(*[use] * 8)


@pytest.mark.slow
def test_one_codec_on_all_threads() -> None:
    """Calls share the plan, and nothing else."""
    in_child(one_codec_for_all)


SHUTDOWN = textwrap.dedent("""
    import threading, time
    import snooze

    document = b'[{"a": [1, 2.5, "text", null]}, "' + b"x" * 50 + b'"]'
    value = snooze.loads(document) * 50
    decoder, encoder = snooze.Decoder(list), snooze.Encoder(list)
    started = threading.Barrier(%(threads)d + 1)

    def work():
        started.wait()
        while True:
            snooze.dumps(value)
            snooze.loads(document)
            encoder.encode(value)
            decoder.decode(document)
            snooze.dumps([{1}], default=list)

    for _ in range(%(threads)d):
        threading.Thread(target=work, daemon=True).start()
    started.wait()
    time.sleep(%(seconds)s)
    %(ending)s
""")


@pytest.mark.slow
@pytest.mark.parametrize(
    "ending", ["", "raise SystemExit(0)", "import os; os._exit(0)"]
)
@pytest.mark.parametrize("seconds", [0.0, 0.01, 0.1])
def test_shutdown_during_calls(ending: str, seconds: float) -> None:
    """The interpreter ends while daemon threads are inside calls."""
    program = SHUTDOWN % {"threads": 4, "seconds": seconds, "ending": ending}
    for _ in range(3):
        run = subprocess.run(
            [sys.executable, "-X", "faulthandler", "-c", program],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert (run.returncode, run.stderr) == (0, "")
