"""dumps of enum members: plain, mixins, flags, nested, default, odd metaclasses."""

from __future__ import annotations

import collections
import datetime
import enum
import uuid
from typing import Any

import pytest

import snooze

PASS = snooze.OPT_PASSTHROUGH_SUBCLASS


class Custom:
    """A value that only default can handle."""

    def __init__(self, val: Any) -> None:
        self.val = val


class Plain(enum.Enum):
    """Values of every simple kind."""

    INT = 1
    STR = 'b"'
    FLOAT = 1.5
    NONE = None
    TUPLE = (1, 2)
    LIST = [1, []]
    DICT = {"b": 1, "a": 2}
    DATE = datetime.date(2000, 1, 2)
    UUID = uuid.UUID(int=1)
    FRAGMENT = snooze.Fragment(b"[7]")


class Int(enum.IntEnum):
    """An int mixin."""

    A = 2**60


class Str(enum.StrEnum):
    """A str mixin."""

    A = "é"


class OldStr(str, enum.Enum):  # noqa: UP042
    """str mixed in without StrEnum."""

    A = "x\n"


class Float(float, enum.Enum):
    """A float mixin: written from the value."""

    A = 1.5


class Tuple(tuple, enum.Enum):
    """A tuple mixin."""

    A = (1, 2)


class Moment(datetime.datetime, enum.Enum):
    """A datetime mixin."""

    A = (2000, 1, 1)


class Bits(enum.Flag):
    """Flags."""

    A = 1
    B = 2


class IntBits(enum.IntFlag):
    """Int flags."""

    A = 1
    B = 2


class Outer(enum.Enum):
    """Members as values."""

    A = Plain.STR
    B = Int.A


class Meta(enum.EnumMeta):
    """A subclass of EnumMeta."""


class Odd(enum.Enum, metaclass=Meta):
    """Not recognised: its metaclass is not exactly EnumMeta."""

    A = 1


class OddInt(enum.IntEnum, metaclass=Meta):
    """Recognised as an int."""

    A = 1


class Overridden(enum.Enum):
    """An enum that overrides `value` with its own property."""

    A = 1

    @property
    def value(self) -> str:
        """Return something other than the stored value."""
        return "own"


class Needs(enum.Enum):
    """A value that needs default."""

    A = Custom(1)


class Table(enum.Enum):
    """A value that is an instance of a dict subclass."""

    A = collections.OrderedDict(a=1)


@pytest.mark.parametrize("option", [0, PASS], ids=["plain", "passthrough"])
@pytest.mark.parametrize(
    ("member", "expected"),
    [
        (Plain.INT, b"1"),
        (Plain.STR, b'"b\\""'),
        (Plain.FLOAT, b"1.5"),
        (Plain.NONE, b"null"),
        (Plain.TUPLE, b"[1,2]"),
        (Plain.LIST, b"[1,[]]"),
        (Plain.DICT, b'{"b":1,"a":2}'),
        (Plain.DATE, b'"2000-01-02"'),
        (Plain.UUID, b'"00000000-0000-0000-0000-000000000001"'),
        (Plain.FRAGMENT, b"[7]"),
        (Int.A, b"1152921504606846976"),
        (Str.A, '"é"'.encode()),
        (OldStr.A, b'"x\\n"'),
        (Float.A, b"1.5"),
        (Tuple.A, b"[1,2]"),
        (Moment.A, b'"2000-01-01T00:00:00"'),
        (Bits.A, b"1"),
        (Bits.A | Bits.B, b"3"),
        (Bits(0), b"0"),
        (IntBits.A | IntBits.B, b"3"),
        (IntBits(8), b"8"),
        (Outer.A, b'"b\\""'),
        (Outer.B, b"1152921504606846976"),
        (Overridden.A, b'"own"'),
    ],
    ids=str,
)
def test_members(member: Any, expected: bytes, option: int) -> None:
    """A member is written as its value; PASSTHROUGH_SUBCLASS changes nothing."""
    assert snooze.dumps(member, option=option) == expected
    assert snooze.dumps({"k": [member]}, option=option) == b'{"k":[' + expected + b"]}"


def test_options_apply_to_values() -> None:
    """Sorting, datetime and integer options act on the value."""

    class Kind(enum.Enum):
        WHEN = datetime.datetime(1970, 1, 1)

    assert snooze.dumps(Kind.WHEN, option=snooze.OPT_NAIVE_UTC).endswith(b'+00:00"')
    assert snooze.dumps(Plain.DICT, option=snooze.OPT_SORT_KEYS) == b'{"a":2,"b":1}'
    with pytest.raises(snooze.JSONEncodeError, match="^Integer exceeds 53-bit range$"):
        snooze.dumps(Int.A, option=snooze.OPT_STRICT_INTEGER)


def test_default_gets_the_value() -> None:
    """default is called with the value, not with the member."""
    seen: list[Any] = []

    def default(obj: Any) -> Any:
        seen.append(obj)
        return obj.val

    assert snooze.dumps(Needs.A, default=default) == b"1"
    assert seen == [Needs.A.value]
    with pytest.raises(snooze.JSONEncodeError, match="serializable: Custom$"):
        snooze.dumps(Needs.A)


def test_passthrough_subclass_acts_on_the_value() -> None:
    """A value that is an instance of a builtin's subclass is passed through."""
    assert snooze.dumps(Table.A) == b'{"a":1}'
    with pytest.raises(snooze.JSONEncodeError, match="collections.OrderedDict$"):
        snooze.dumps(Table.A, option=PASS)


def test_metaclass_must_be_enum_meta() -> None:
    """Enums with another metaclass go to default, unless they are int or str."""
    with pytest.raises(snooze.JSONEncodeError, match="serializable: Odd$"):
        snooze.dumps(Odd.A)
    assert snooze.dumps(Odd.A, default=lambda member: member.value) == b"1"
    assert snooze.dumps(OddInt.A) == b"1"


def test_class_is_not_serializable() -> None:
    """The enum class itself is refused."""
    with pytest.raises(snooze.JSONEncodeError, match="serializable: Enum(Type|Meta)$"):
        snooze.dumps(Plain)


def test_range_error_of_value() -> None:
    """The value obeys the limits of its type."""

    class Huge(enum.Enum):
        A = 2**64

    with pytest.raises(snooze.JSONEncodeError, match="^Integer exceeds 64-bit range$"):
        snooze.dumps(Huge.A)
