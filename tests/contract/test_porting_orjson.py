"""What docs/porting.md says differs for users of orjson who write typed codecs.

Separate from test_differences, which is about `dumps` and `loads`.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import pytest

import snooze


@dataclass
class User:
    """Has an attribute that is no field."""

    b: int = 1
    a: int = 2

    @functools.cached_property
    def total(self) -> int:
        """Be written by `dumps` once it is known."""
        return self.a + self.b


def test_other_attributes_are_left_out() -> None:
    """Typed codecs write fields."""
    user = User()
    assert user.total == 3
    assert snooze.dumps(user) == b'{"b":1,"a":2,"total":3}'
    assert snooze.encode(user) == snooze.Encoder(User).encode(user) == b'{"b":1,"a":2}'


def test_members_of_classes_are_sorted() -> None:
    """By `sort_keys`, but not by `OPT_SORT_KEYS`."""
    assert snooze.dumps(User(), option=snooze.OPT_SORT_KEYS) == b'{"b":1,"a":2}'
    assert snooze.Encoder(User, sort_keys=True).encode(User()) == b'{"a":2,"b":1}'


def test_other_members_are_ignored() -> None:
    """The constructor refuses them."""
    text = b'{"a":5,"c":6}'
    assert snooze.decode(text, User) == User(a=5)
    with pytest.raises(TypeError):
        User(**snooze.loads(text))
    with pytest.raises(snooze.ValidationError):
        snooze.decode(text, User, unknown="forbid")
