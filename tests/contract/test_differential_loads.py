"""loads compared with orjson: the same values and types, or exactly the same error.

Both read the same bytes and the same str.
"""

from __future__ import annotations

import json

import pytest
from hypothesis import given

import snooze
from helpers.equality import assert_same
from helpers.strategies import (
    documents as valid_documents,
)
from helpers.strategies import (
    mutated_documents,
    random_documents,
    scrambled_documents,
    token_documents,
)
from helpers.support import Outcome, needs_orjson, orjson, outcome

pytestmark = needs_orjson


def is_false_memory_error(result: Outcome) -> bool:
    """Return whether orjson failed for lack of buffer space in a document full of brackets."""
    return result.place[:1] == ("failed to allocate memory",)


def agree(data: bytes) -> None:
    """Read with both libraries and assert that they do the same."""
    forms: list[bytes | str | bytearray] = [data, bytearray(data)]
    text = data.decode(errors="surrogateescape")
    forms.append(text)
    for form in forms:
        ours, theirs = outcome(snooze.loads, form), outcome(orjson.loads, form)
        if is_false_memory_error(theirs):
            assert ours.error is json.JSONDecodeError
            continue
        assert (ours.error, ours.text) == (theirs.error, theirs.text)
        assert ours.place == theirs.place
        assert_same(ours.value, theirs.value)


@given(valid_documents())
def test_valid_documents(document: bytes) -> None:
    """Documents in several layouts."""
    agree(document)


@given(mutated_documents())
def test_mutated_documents(document: bytes) -> None:
    """Documents with a few bytes changed."""
    agree(document)


@given(scrambled_documents)
def test_scrambled_documents(document: bytes) -> None:
    """Pieces of the grammar in any order."""
    agree(document)
    agree(b"[" + document + b"]")
    agree(b'{"k":' + document)


@given(token_documents)
def test_token_documents(document: bytes) -> None:
    """Whole tokens in any order, open and closed."""
    agree(document)
    agree(b'[1,{"a":[' + document)
    agree(b"[\n  1, " + document + b"\n]")


@given(random_documents)
def test_random_bytes(document: bytes) -> None:
    """Any bytes, alone, in an array and inside strings."""
    agree(document)
    agree(b"[" + document + b"]")
    agree(b'{"' + document + b'":0}')
    agree(b'"' + document + b'"')


@pytest.mark.slow
def test_documents(documents: dict[str, bytes]) -> None:
    """The four benchmark documents, whole and cut at a hundred places."""
    for data in documents.values():
        agree(data)
        for cut in range(0, len(data), len(data) // 100):
            agree(data[:cut])
