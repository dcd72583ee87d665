"""`convert` and instances of subclasses of built-in types, whose methods are Python code."""

from __future__ import annotations

import dataclasses
from decimal import Decimal
from typing import Annotated, Any, Literal

import pytest

import snooze
from snooze import Field, Len, MultipleOf, ValidationError, Via


def test_true_is_no_int_of_a_hook() -> None:
    """As in a Decoder; a union with bool keeps it."""
    called = []

    def hook(value: int) -> int:
        called.append(value)
        return value

    tp: Any = Annotated[int, Via(int, decode=hook, encode=int)]
    for value, wrapped in (
        (True, tp),
        ([True], list[tp]),
        ({"a": True}, dict[str, tp]),
    ):
        with pytest.raises(ValidationError, match="expected int, found bool"):
            snooze.convert(value, wrapped)
    assert called == []
    assert snooze.convert([True, 2], list[tp | bool]) == [True, 2]
    assert called == [2]


def test_keys_whose_hash_fails() -> None:
    """It is a problem of the key, as in other dicts, and not a raw exception."""

    class Key(str):
        __slots__ = ()
        hashes = [0]

        def __hash__(self) -> int:
            Key.hashes[0] += 1
            if Key.hashes[0] > 1:
                raise ValueError("no hash")
            return 5

    messages = []
    for tp in (dict[str, int], dict[Annotated[str, Len(1, 3)], int]):
        Key.hashes[0] = 0
        with pytest.raises(ValidationError) as caught:
            snooze.convert([{Key("a"): 1}], list[tp])  # type: ignore[valid-type]
        messages.append(str(caught.value))
    assert messages[0] == messages[1]
    assert "no hash" in messages[0]


def test_multiples_of_subclasses() -> None:
    """Their own `__mod__` does not decide."""

    class Odd(int):
        def __mod__(self, other: object) -> int:
            return 0

    tp = Annotated[int, MultipleOf(3)]
    assert snooze.convert(Odd(3 * 2**70), tp) == 3 * 2**70
    for number in (10, 3 * 2**70 + 1):
        with pytest.raises(ValidationError):
            snooze.convert(Odd(number), tp)


@pytest.mark.parametrize("power", [10, 300, 400, 4000])
def test_decimals_beyond_a_double(power: int) -> None:
    """An integer of any size is an int, as its digits are in a Decoder."""
    assert snooze.convert(Decimal(10**power), int) == 10**power
    assert snooze.convert(Decimal(-(10**power)), int) == -(10**power)
    for value in (Decimal("Infinity"), Decimal("NaN")):
        with pytest.raises(ValidationError):
            snooze.convert(value, int)


@dataclasses.dataclass
class First:
    """Chosen by a renamed Literal."""

    k: Annotated[Literal["a"], Field(name="K")]
    v: int = 0


@dataclasses.dataclass
class Second:
    """Chosen by another one."""

    k: Annotated[Literal["b"], Field(name="K")]
    w: int = 0


def test_problems_name_attributes() -> None:
    """Where attributes are read, not the names of members."""

    class Row:
        def __init__(self, **attributes: Any) -> None:
            vars(self).update(attributes)

    tp: Any = First | Second
    assert snooze.convert(Row(k="b", w=3), tp, from_attributes=True) == Second("b", 3)
    with pytest.raises(ValidationError, match=r"found 'q' at \$\.k$"):
        snooze.convert(Row(k="q"), tp, from_attributes=True)
    with pytest.raises(ValidationError, match='expected attribute "k", found none'):
        snooze.convert(Row(K="b"), tp, from_attributes=True)
    with pytest.raises(ValidationError, match='expected member "K", found none'):
        snooze.convert({"k": "b"}, tp)
