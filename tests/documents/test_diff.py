"""The patch of two documents: exact, small, and never slow."""

from __future__ import annotations

import itertools
import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import snooze
from helpers.documents_data import DOCUMENTS, exact


@given(DOCUMENTS, DOCUMENTS)
def test_the_patch_turns_back(old, new):
    before = exact(old), exact(new)
    operations = snooze.diff(old, new)
    assert exact(snooze.patch(old, operations)) == before[1]
    assert (exact(old), exact(new)) == before
    assert (operations == []) == (before[0] == before[1])


@given(st.lists(st.integers(0, 4)), st.lists(st.integers(0, 4)))
def test_lists_turn_back(old, new):
    """With many equal items, of which none can be told from the next."""
    assert snooze.patch(old, snooze.diff(old, new)) == new


@given(DOCUMENTS, DOCUMENTS)
def test_the_result_shares_nothing(old, new):
    operations = snooze.diff(old, new)
    text = exact(operations)
    for one in (old, new):
        for node in [*snooze.jsonpath.find(one, "$..*"), one]:
            if isinstance(node, (list, dict)):
                node.clear()
    assert exact(operations) == text


@pytest.mark.parametrize(
    ("old", "new", "operations"),
    [
        (1, 1, []),
        (1, 1.0, [("replace", "", 1.0)]),
        (True, 1, [("replace", "", 1)]),
        (0.0, -0.0, [("replace", "", -0.0)]),
        ({"a": 1}, {"a": 2}, [("replace", "/a", 2)]),
        ({"a": 1}, {"b": 1}, [("remove", "/a"), ("add", "/b", 1)]),
        ({"a/b": {"~": 1}}, {"a/b": {"~": 1, "c": 2}}, [("add", "/a~1b/c", 2)]),
        ([1, 2, 3], [1, 3], [("remove", "/1")]),
        ([1, 3], [1, 2, 3], [("add", "/1", 2)]),
        ([1, 2, 3], [0, 1, 2, 3], [("add", "/0", 0)]),
        ([1, 2], [1, 2, 3, 4], [("add", "/2", 3), ("add", "/3", 4)]),
        ([1, 2, 3, 4], [1, 2], [("remove", "/3"), ("remove", "/2")]),
        ([[1]], [[2]], [("replace", "/0/0", 2)]),
        ([{"id": 1, "v": 1}], [{"id": 1, "v": 2}], [("replace", "/0/v", 2)]),
        ([{"id": 1}], [{"id": 2}], [("replace", "/0", {"id": 2})]),
        ({"a": []}, {"a": {}}, [("replace", "/a", {})]),
        (
            [{"id": 1, "v": 1}, 5, 6, 7],
            [{"id": 1, "v": 2}, 6, 7, 8],
            [("replace", "/0/v", 2), ("remove", "/1"), ("add", "/4", 8)],
        ),
    ],
)
def test_patches_are_small(old, new, operations):
    found = [tuple(one.values()) for one in snooze.diff(old, new)]
    assert sorted(map(repr, found)) == sorted(map(repr, operations))
    assert exact(snooze.patch(old, snooze.diff(old, new))) == exact(new)


def test_a_few_changes_of_many_items():
    dice = random.Random(1)
    old = [{"id": number, "v": str(number)} for number in range(2000)]
    new = [dict(one) for one in old]
    for _ in range(20):
        new.pop(dice.randrange(len(new)))
        new.insert(dice.randrange(len(new)), {"new": dice.random()})
        new[dice.randrange(len(new))]["v"] = "x"
    operations = snooze.diff(old, new)
    assert snooze.patch(old, operations) == new
    assert len(operations) <= 65


ALIKE = [
    *(0, 0.0, -0.0, False, "", "0", None, "None", [], {}, 1, 1.0, True, "1"),
    *([1], [1.0], [True], ["1"], {"a": 1}, {"a": True}, {"b": 1}),
    *(2**64 - 1, 2**64, -(2**64), str(2**64), hex(2**64), float(2**64)),
]


def test_values_that_look_alike():
    """Only equal values have no difference, alone and inside of containers."""
    for (at, old), (its, new) in itertools.product(enumerate(ALIKE), repeat=2):
        for patch in (
            snooze.diff(old, new),
            snooze.diff([old], [new]),
            snooze.diff({"a": old}, {"a": new}),
        ):
            assert (patch == []) == (at == its), (old, new)


def test_work_grows_with_the_documents_and_not_with_their_square(monkeypatch):
    """Counted in keys that are asked for, because time is not tested."""
    from snooze._edit import diff

    counted = []
    original = diff.Classes.of
    monkeypatch.setattr(
        diff.Classes,
        "of",
        lambda self, value: counted.append(1) or original(self, value),
    )

    def steps(size: int) -> int:
        counted.clear()
        old = [[number % 7, {"a": number}] for number in range(size)]
        new = [[number % 5, {"a": -number}] for number in range(size)]
        snooze.diff(old, new)
        return len(counted)

    assert 1000 < steps(2000) < 2.5 * steps(1000)


def test_documents_as_deep_as_can_be():
    old, new = [], [1]
    for _ in range(50_000):
        old, new = [old], [new]
    operations = snooze.diff(old, new)
    assert len(operations) == 1
    assert snooze.diff(snooze.patch(old, operations), new) == []
    loop: list = []
    loop.append(loop)
    with pytest.raises(ValueError, match="contains itself"):
        snooze.diff(loop, [])


def test_the_order_of_members_does_not_count():
    assert snooze.diff({"a": 1, "b": 2}, {"b": 2, "a": 1}) == []


@pytest.mark.parametrize("form", ["json", "", None, 5])
def test_the_form_is_known(form):
    with pytest.raises(ValueError, match='expected "patch" or "merge"'):
        snooze.diff(1, 2, form)


@pytest.mark.parametrize("form", ["patch", "merge"])
def test_names_are_str(form):
    for old, new in (({1: 1}, {1: 2}), ({1: 1}, {}), ({}, {1: None})):
        with pytest.raises(TypeError, match="names of type str, found 1"):
            snooze.diff(old, new, form)


@pytest.mark.parametrize("form", ["patch", "merge"])
@pytest.mark.parametrize(
    ("value", "found"),
    [
        ({1}, "expected a JSON value, found set"),
        ([1, bytearray()], 'expected a JSON value at "/1", found bytearray'),
        ({"a": 1, "b/": [[], {1}]}, 'expected a JSON value at "/b~1/1", found set'),
        ({"a": {2: {1}}}, "expected members with names of type str, found 2"),
    ],
)
def test_what_is_no_json_is_named_with_its_place(value, found, form):
    for old, new in ((value, 1), (1, value), (value, value)):
        with pytest.raises(TypeError, match=f"^{re.escape(found)}$"):
            snooze.diff(old, new, form)


def test_the_place_is_found_beside_a_list_that_contains_itself():
    loop: list = []
    loop += [loop, [{1}]]
    with pytest.raises(TypeError, match='a JSON value at "/1/0", found set'):
        snooze.diff(loop, 1)


def test_a_hash_that_fails_once_keeps_its_error():
    class Odd:
        calls = 0

        def __hash__(self):
            Odd.calls += 1
            if Odd.calls == 1:
                raise TypeError("not now")
            return 1

    with pytest.raises(TypeError, match="not now"):
        snooze.diff([Odd()], [])


def test_equal_hashes_are_no_equal_values():
    """Numbers of one hash, among them long integers, are told apart."""
    prime = 2**61 - 1
    numbers = [prime * factor for factor in range(1, 2000)]
    assert len({hash(one) for one in numbers}) == 1
    changed = [*numbers[:-1], prime * 5000]
    assert len(snooze.diff(numbers, changed)) == 1
