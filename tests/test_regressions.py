"""One test for each fault that a review found, named for what went wrong.

Separate from the topics because these are single cases that nobody would think of again;
each failed before its fix. New faults get a test here first.
"""

from __future__ import annotations

import dataclasses
import json
import sys
import threading
import uuid
from typing import TYPE_CHECKING, Any

import pytest

import snooze
from isolated import in_child

if TYPE_CHECKING:
    from collections.abc import Callable

NUMPY = snooze.OPT_SERIALIZE_NUMPY


def nested_fragments() -> str:
    """In a child: fragments of fragments, freed at once."""
    fragment: Any = None
    for _ in range(300_000):
        fragment = snooze.Fragment(fragment)
    del fragment
    return "freed"


def test_nested_fragments_are_freed_without_recursion() -> None:
    """The C stack does not grow with fragments of fragments."""
    assert in_child(nested_fragments).strip() == "freed"


def test_fragment_keeps_only_what_can_be_written() -> None:
    """So no reference cycle can lead through a fragment, which has no collector."""
    contents: list[Any] = []
    before = sys.getrefcount(contents)
    fragment = snooze.Fragment(contents)
    assert sys.getrefcount(contents) == before
    with pytest.raises(snooze.JSONEncodeError, match="not of type bytes or str"):
        snooze.dumps(fragment)


def test_datetime64_of_many_weeks_does_not_wrap() -> None:
    """A product beyond 128 bits is out of range, not a date."""
    np = pytest.importorskip("numpy")
    value = np.datetime64(4292573461090300619, "131072W")
    with pytest.raises(snooze.JSONEncodeError, match="unrepresentable"):
        snooze.dumps(value, option=NUMPY)


def test_uuid_with_an_int_of_its_own_arithmetic() -> None:
    """A subclass of int in a UUID's place for its number is refused, its code not run."""

    class Number(int):
        def __rshift__(self, other: int) -> int:
            raise AssertionError("the code of a subclass was run")

    value = uuid.UUID(int=5)
    object.__setattr__(value, "int", Number(5))
    with pytest.raises(snooze.JSONEncodeError, match="int of 128 bits"):
        snooze.dumps(value)


def against(change: Callable[[], None], write: Callable[[], bytes]) -> None:
    """Write an object again and again while another thread changes it."""
    done = threading.Event()

    def changing() -> None:
        while not done.is_set():
            change()

    thread = threading.Thread(target=changing)
    thread.start()
    try:
        for _ in range(3000):
            json.loads(write())
    finally:
        done.set()
        thread.join()


def emptied_list() -> None:
    """In a child: a list that is emptied and filled while it is written."""
    items: list[int] = [1]

    def change() -> None:
        items.clear()
        items.append(1)

    against(change, lambda: snooze.dumps({"a": items}))
    against(change, lambda: snooze.dumps(items))


def resized_attributes() -> None:
    """In a child: a dataclass whose dict grows and shrinks while it is written."""

    @dataclasses.dataclass
    class Point:
        x: int = 1
        y: int = 2

    point = Point()

    def change() -> None:
        for index in range(40):
            setattr(point, f"extra{index}", index)
        for index in range(40):
            delattr(point, f"extra{index}")

    def write() -> bytes:
        try:
            return snooze.dumps(point)
        except RuntimeError as exc:
            assert "changed size" in str(exc)
            return b"null"

    against(change, write)


@pytest.mark.parametrize("body", [emptied_list, resized_attributes])
def test_containers_changed_by_another_thread(body: Callable[[], None]) -> None:
    """What is written is JSON at every moment (free threads saw `]` and freed keys)."""
    in_child(body)


def test_raw_text_can_be_decoded_later() -> None:
    """A `Raw` is `bytes` of a derived class, and a Decoder reads those; `loads` does not."""

    @dataclasses.dataclass
    class Envelope:
        body: snooze.Raw

    body = snooze.decode(b'{"body": [1, 2 ]}', Envelope).body
    assert snooze.decode(body, list[int]) == [1, 2]
    with pytest.raises(snooze.JSONDecodeError, match="zero-length"):
        snooze.decode(snooze.Raw(b""), int)
    with pytest.raises(snooze.ValidationError, match="expected int, found array"):
        snooze.decode(body, int)
    with pytest.raises(snooze.JSONDecodeError, match="must be bytes"):
        snooze.loads(body)


def test_a_wrong_tag_is_where_it_stands() -> None:
    """Not at the blanks before it, which are no part of what is shown."""

    @snooze.configure(tag=True)
    @dataclasses.dataclass
    class Tagged:
        x: int = 0

    with pytest.raises(snooze.ValidationError) as info:
        snooze.decode(b'{"type": \n "Other"}', Tagged)
    assert info.value.errors[0].found == '"Other"'
    assert (info.value.lineno, info.value.colno) == (2, 2)
