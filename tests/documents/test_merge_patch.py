"""JSON Merge Patch: every example of RFC 7396, and the patch of two documents."""

from __future__ import annotations

import pytest
from hypothesis import assume, given

import snooze
from helpers.documents_data import DOCUMENTS, exact

#: RFC 7396 appendix A: original, patch, result.
EXAMPLES = [
    ({"a": "b"}, {"a": "c"}, {"a": "c"}),
    ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
    ({"a": "b"}, {"a": None}, {}),
    ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
    ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
    ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
    ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
    ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
    (["a", "b"], ["c", "d"], ["c", "d"]),
    ({"a": "b"}, ["c"], ["c"]),
    ({"a": "foo"}, None, None),
    ({"a": "foo"}, "bar", "bar"),
    ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
    ([1, 2], {"a": "b", "c": None}, {"a": "b"}),
    ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
]
#: Section 3.
BOOK = {
    "title": "Goodbye!",
    "author": {"givenName": "John", "familyName": "Doe"},
    "tags": ["example", "sample"],
    "content": "This will be unchanged",
}
BOOK_PATCH = {
    "title": "Hello!",
    "phoneNumber": "+01-123-456-7890",
    "author": {"familyName": None},
    "tags": ["example"],
}
BOOK_AFTER = {
    "title": "Hello!",
    "author": {"givenName": "John"},
    "tags": ["example"],
    "content": "This will be unchanged",
    "phoneNumber": "+01-123-456-7890",
}


@pytest.mark.parametrize(
    ("document", "patch", "result"), [*EXAMPLES, (BOOK, BOOK_PATCH, BOOK_AFTER)]
)
def test_examples_of_the_rfc(document, patch, result):
    before = exact(document), exact(patch)
    assert snooze.merge_patch(document, patch) == result
    assert (exact(document), exact(patch)) == before
    subject = snooze.loads(snooze.dumps(document))
    found = snooze.merge_patch(subject, patch, in_place=True)
    assert found == result
    assert (found is subject) == (
        isinstance(document, dict) and isinstance(patch, dict)
    )


def test_nulls_inside_of_arrays_stay():
    assert snooze.merge_patch({}, {"a": [{"b": None}]}) == {"a": [{"b": None}]}


def test_the_result_shares_nothing_with_the_arguments():
    document, patch = {"kept": [1]}, {"a": [1], "b": {"c": [2]}}
    found = snooze.merge_patch(document, patch)
    found["kept"].append(0)
    found["a"].append(0)
    found["b"]["c"].append(0)
    assert document == {"kept": [1]}
    assert patch == {"a": [1], "b": {"c": [2]}}


@pytest.mark.parametrize(
    "pick",
    [
        lambda document: document,
        lambda document: document["b"],
        lambda document: {"b": document},
        lambda document: {"n": document["l"], "b": document["b"]["b"]},
    ],
)
def test_a_patch_that_is_a_part_of_the_document(pick):
    """In place, it is read as it was before the change."""

    def made():
        return {"a": None, "l": [{"x": None}], "b": {"a": 1, "b": {"l": None, "c": 2}}}

    subject = made()
    expected = snooze.merge_patch(subject, pick(subject))
    assert exact(subject) == exact(made())
    found = snooze.merge_patch(subject, pick(subject), in_place=True)
    assert found is subject
    assert exact(found) == exact(expected)


def test_a_patch_that_is_too_deep_changes_nothing():
    patch: dict = {}
    for _ in range(100_001):
        patch = {"a": patch}
    subject = {"b": 1}
    with pytest.raises(ValueError, match="at most 100000 nested"):
        snooze.merge_patch(subject, {"b": None, "c": patch}, in_place=True)
    assert subject == {"b": 1}


@given(DOCUMENTS, DOCUMENTS)
def test_the_patch_of_two_documents_turns_back(old, new):
    """Exactly, also 1 and 1.0; where null cannot be written it is an error."""
    before = exact(old), exact(new)
    try:
        patch = snooze.diff(old, new, "merge")
    except ValueError:
        assume(b"null" not in before[1])
        raise
    assert exact(snooze.merge_patch(old, patch)) == before[1]
    assert (exact(old), exact(new)) == before


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ({}, {"a": None}, "/a"),
        ({"a": 1}, {"a": {"b/c": None}}, "/a/b~1c"),
        ([], {"x": None}, "/x"),
    ],
)
def test_new_nulls_cannot_be_written(old, new, place):
    with pytest.raises(ValueError, match=f'found null at "{place}"; make a JSON Patch'):
        snooze.diff(old, new, "merge")


@pytest.mark.parametrize(
    ("old", "new", "patch"),
    [
        ({"a": None}, {"a": None}, {}),
        ({"a": 1, "b": 2}, {"a": 1}, {"b": None}),
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": 1, "c": 3}}, {"a": {"c": 3}}),
        ({"a": {"b": 1}}, {"a": {}}, {"a": {"b": None}}),
        ({"a": 1}, {"a": {}}, {"a": {}}),
        ({"a": [1, 2]}, {"a": [1, None]}, {"a": [1, None]}),
        ({"a": 1}, {"a": 1.0}, {"a": 1.0}),
        ({"a": 1}, {"a": True}, {"a": True}),
        ({}, None, None),
        (5, {}, {}),
    ],
)
def test_patches_are_small(old, new, patch):
    assert exact(snooze.diff(old, new, "merge")) == exact(patch)


def test_documents_as_deep_as_can_be():
    document, patch = {}, {"b": 1}
    for _ in range(50_000):
        document, patch = {"a": document}, {"a": patch}
    found = snooze.merge_patch(document, patch)
    assert snooze.pointer.get(found, "/a" * 50_000) == {"b": 1}
    again = snooze.diff(document, found, "merge")
    assert snooze.pointer.get(again, "/a" * 50_000) == {"b": 1}
    loop: dict = {}
    loop["a"] = loop
    for call in (
        lambda: snooze.merge_patch({}, loop),
        lambda: snooze.merge_patch(loop, {}),
    ):
        with pytest.raises(ValueError, match="contains itself"):
            call()
