"""dumps of uuid.UUID: text, keys, subclasses."""

from __future__ import annotations

import uuid

import pytest
from hypothesis import given

import snooze
from helpers.strategies import uuids


@pytest.mark.parametrize(
    "text",
    [
        "00000000-0000-0000-0000-000000000000",
        "ffffffff-ffff-ffff-ffff-ffffffffffff",
        "f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
        "01234567-89ab-cdef-0123-456789abcdef",
        "00000000-0000-0000-0000-00000000000f",
        "80000000-0000-0000-8000-000000000000",
    ],
)
def test_text(text: str) -> None:
    """RFC 4122 text in lower case."""
    assert snooze.dumps(uuid.UUID(text)) == f'"{text}"'.encode()
    assert snooze.dumps(uuid.UUID(text.upper())) == f'"{text}"'.encode()


@pytest.mark.parametrize(
    "option", [0, snooze.OPT_SERIALIZE_UUID, snooze.OPT_PASSTHROUGH_SUBCLASS]
)
def test_no_option_matters(option: int) -> None:
    """OPT_SERIALIZE_UUID is a no-op; OPT_PASSTHROUGH_SUBCLASS does not apply to UUID."""
    value = uuid.uuid5(uuid.NAMESPACE_DNS, "python.org")
    expected = b'["886313e1-3b8a-5372-9b90-0c9aee199e5d"]'
    assert snooze.dumps([value], option=option) == expected


def test_every_version() -> None:
    """UUIDs of every version."""
    for value in (
        uuid.uuid1(),
        uuid.uuid3(uuid.NAMESPACE_URL, "x"),
        uuid.uuid4(),
        uuid.UUID(bytes=bytes(range(16))),
    ):
        assert snooze.dumps(value) == f'"{value}"'.encode()


def test_subclass_is_refused() -> None:
    """A subclass of UUID goes to default."""

    class Id(uuid.UUID):
        pass

    with pytest.raises(
        snooze.JSONEncodeError, match="^Type is not JSON serializable: Id$"
    ):
        snooze.dumps(Id(int=1))
    assert snooze.dumps(Id(int=1), default=lambda value: value.hex[-1]) == b'"1"'


@given(uuids)
def test_any_uuid(value: uuid.UUID) -> None:
    """Any UUID is str(uuid), as a value and as a key."""
    assert snooze.dumps(value) == f'"{value}"'.encode()
    option = snooze.OPT_NON_STR_KEYS
    assert snooze.dumps({value: 1}, option=option) == f'{{"{value}":1}}'.encode()


def test_uuid_with_an_int_subclass() -> None:
    """A UUID whose `int` is an int subclass is refused and the subclass's code not run."""

    class Number(int):
        def __rshift__(self, other: int) -> int:
            raise AssertionError("the code of a subclass was run")

    value = uuid.UUID(int=5)
    object.__setattr__(value, "int", Number(5))
    with pytest.raises(snooze.JSONEncodeError, match="int of 128 bits"):
        snooze.dumps(value)
