"""Constraints, `Field` and `Via` as objects: they behave like frozen dataclasses with slots.

They are hand-written classes, so that `import snooze` need not import dataclasses.
"""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError
from typing import Any

import pytest

import snooze
from snooze import Field, Via

VALUES = [
    (snooze.Ge(1), "Ge(ge=1)"),
    (snooze.Len(1, 5), "Len(min_length=1, max_length=5)"),
    (snooze.Pattern("a"), "Pattern(pattern='a')"),
    (snooze.Aware, "Timezone(tz=Ellipsis)"),
    (
        Field("x", alias="y"),
        "Field(name='x', alias=('y',), exclude=False, omit_none=NOT_GIVEN, "
        "omit_default=NOT_GIVEN, rest=False, flatten=False)",
    ),
    (Via(str, decode=int), f"Via(wire_type={str!r}, decode={int!r}, encode=None)"),
]


@pytest.mark.parametrize(("value", "text"), VALUES, ids=[text for _, text in VALUES])
def test_they_behave_like_frozen_dataclasses(value: Any, text: str) -> None:
    """Compared, hashed, shown, copied and pickled by their fields; never assigned."""
    assert repr(value) == text
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        made = pickle.loads(pickle.dumps(value, protocol))
        assert type(made) is type(value)
        assert made == value
        assert hash(made) == hash(value)
    assert copy.deepcopy(value) == copy.copy(value) == value
    assert value != snooze.Gt(1)
    assert value != 1
    first = type(value).__match_args__[0]
    for name in (first, "other"):
        with pytest.raises(
            FrozenInstanceError, match=f"cannot assign to field '{name}'"
        ):
            setattr(value, name, 1)
    with pytest.raises(FrozenInstanceError, match="cannot delete field"):
        delattr(value, first)
    assert not hasattr(value, "__dict__")


def test_inequality() -> None:
    """A difference in any field or in the class makes them unequal."""

    class Own(snooze.Len):
        pass

    assert snooze.Len(1, 5) != snooze.Len(1, 6)
    assert Own(1) != snooze.Len(1)
    assert repr(Own(1)).endswith("Own(min_length=1, max_length=None)")
    match snooze.Len(1, 5):
        case snooze.Len(least, most):
            assert (least, most) == (1, 5)
