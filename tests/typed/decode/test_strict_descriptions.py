"""Descriptions of decoders with one element too many, or with a wrong order of fields.

Separate from test_descriptions because every tuple of real descriptions is changed here.
Python and Rust are built together, so Rust must refuse a description that it does not
read completely: the two would otherwise drift apart unnoticed.
"""

from __future__ import annotations

from typing import Any

import pytest

from helpers import typed_subjects
from helpers.description_edits import at, replaced, tuples, with_one_more
from helpers.typed_plans import decode_plan
from snooze._snooze import DecoderBase


def description_of(name: str) -> Any:
    """Return the description of one of the shared plans."""
    tp, _, _ = typed_subjects.PLANS[name]
    return (*decode_plan(tp, typed_subjects.hook), print)


def is_refused(description: Any) -> bool:
    """Return whether `_compile` raises a SystemError."""
    try:
        DecoderBase()._compile(description)
    except SystemError:
        return True
    return False


@pytest.mark.parametrize("name", typed_subjects.PLANS)
def test_one_element_too_many_is_refused(name: str) -> None:
    """In every tuple of the description, at every depth."""
    description = description_of(name)
    assert not is_refused(description)
    accepted = [
        at(description, path)
        for path in tuples(description)
        if not is_refused(with_one_more(description, path))
    ]
    assert accepted == []


@pytest.mark.parametrize("order", [None, (), (0, 0, 1), (2, 1), (0, 1, 3), "012"])
def test_a_wrong_order_of_fields_is_refused(order: Any) -> None:
    """A record's `order` holds the number of each of its fields once."""
    description = description_of("slots")
    records, fields, place = 2, 2, 5
    assert len(at(description, (records, 0, fields))) == 3
    assert at(description, (records, 0, place)) == (0, 1, 2)
    assert is_refused(replaced(description, (records, 0, place), order))
