"""Encoding enums whose values have no JSON form: the message says what to do."""

from __future__ import annotations

import enum
from typing import Annotated, Any

import pytest

import snooze
from snooze import Encoder, Format


class Odd(enum.Enum):
    """One of the values is an object."""

    A = object()
    B = 1


CURE = (
    "Odd has values without a JSON form; write Annotated[Odd, Format('name')] or "
    "formats={Enum: 'name'} for the names of the members, or give enc_hook=…"
)


@pytest.mark.parametrize(
    ("encode", "place"),
    [
        (lambda: snooze.encode(Odd.A, Odd), "$"),
        (
            lambda: snooze.encode({"a": [1, Odd.B]}, dict[str, list[int | Odd]]),
            "$.a[1]",
        ),
        (lambda: Encoder(Odd).encode(Odd.B), "$"),
        (lambda: Encoder(list[Odd | int]).encode([1, Odd.A]), "$[1]"),
        (lambda: Encoder(list[Odd], json_method="__json__").encode([Odd.A]), "$[0]"),
        (lambda: snooze.to_builtins([Odd.A], list[Odd]), "$[0]"),
    ],
)
def test_message(encode: Any, place: str) -> None:
    """The cure, as when decoding, and the place."""
    for _ in range(2):
        with pytest.raises(snooze.JSONEncodeError) as caught:
            encode()
        assert str(caught.value) == f"{CURE} at {place}"


def test_cures() -> None:
    """Each works, with the type and without."""
    named = Annotated[Odd, Format("name")]
    assert snooze.encode([Odd.A], list[named]) == b'["A"]'
    for tp in (Any, list[Odd]):
        assert snooze.encode([Odd.A], tp, formats={enum.Enum: "name"}) == b'["A"]'
        assert snooze.encode([Odd.A], tp, enc_hook=lambda one: one.name) == b'["A"]'
        assert snooze.encode([Odd.A], tp, hooks={Odd: lambda one: one.name}) == b'["A"]'
    assert snooze.to_builtins([Odd.A], keep=(Odd,)) == [Odd.A]
    assert snooze.to_builtins([Odd.A], list[Odd], keep=(Odd,)) == [Odd.A]
    same: Any = {Odd: lambda one: one}
    with pytest.raises(snooze.JSONEncodeError, match=r"at \$\[0\]"):
        snooze.encode([Odd.A], hooks=same)


def test_keys() -> None:
    """A member whose own value is a key is one, as without a type."""
    for tp in (Any, dict[Odd, int], dict[Odd | int, int]):
        assert snooze.encode({Odd.B: 2}, tp) == b'{"1":2}'
        with pytest.raises(snooze.JSONEncodeError, match="as a key|keys|key"):
            snooze.encode({Odd.A: 2}, tp)


def test_members_with_equal_json() -> None:
    """They have a JSON form, but two have the same."""

    class Twice(enum.Enum):
        A = (1,)
        B = [1]

    with pytest.raises(TypeError, match="Twice has members with equal JSON; write"):
        snooze.Decoder(Twice)
    with pytest.raises(TypeError, match="Twice has members with equal JSON; write"):
        snooze.encode(Twice.A, Twice)
