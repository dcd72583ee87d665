"""What all exceptions of the package have in common."""

from __future__ import annotations

import copy
import pickle
from typing import TYPE_CHECKING

import pytest

import snooze

if TYPE_CHECKING:
    from collections.abc import Callable

PROBLEM = snooze.Problem("/a", "int", "str", 5, 1, 6, "expected int, found str")

MAKERS: list[Callable[[], Exception]] = [
    lambda: snooze.JSONDecodeError("bad", "[x]", 1),
    lambda: snooze.ValidationError([PROBLEM], '{"a":"b"}', 2),
    lambda: snooze.PatchError("failed", 3, "test", "/a"),
    lambda: snooze.ScanError("failed"),
    lambda: snooze.jsonpath.JSONPathError("bad", "$.", 2),
    lambda: snooze.pointer.PointerError("no such place", "/a"),
]


@pytest.mark.parametrize("make", MAKERS, ids=lambda make: type(make()).__name__)
@pytest.mark.parametrize(
    "duplicate",
    [copy.copy, copy.deepcopy, lambda error: pickle.loads(pickle.dumps(error))],
    ids=["copy", "deepcopy", "pickle"],
)
def test_notes_survive(
    make: Callable[[], Exception], duplicate: Callable[[Exception], Exception]
) -> None:
    """A process pool returns errors by pickle; the notes say where they are from."""
    error = make()
    error.add_note("while reading part 7")
    again = duplicate(error)
    assert (type(again), str(again)) == (type(error), str(error))
    assert vars(again) == vars(error)
    assert again.__notes__ == ["while reading part 7"]
