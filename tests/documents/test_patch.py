"""JSON Patch: the examples of RFC 6902, atomicity, and every wrong operation."""

from __future__ import annotations

import copy
import json
import math
import pickle
import re
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

import snooze
from helpers.documents_data import DOCUMENTS
from snooze import PatchError

#: RFC 6902 appendix A: the title, the document, the patch, the result.
EXAMPLES = [
    (
        "A.1",
        {"foo": "bar"},
        '[{"op":"add","path":"/baz","value":"qux"}]',
        {"baz": "qux", "foo": "bar"},
    ),
    (
        "A.2",
        {"foo": ["bar", "baz"]},
        '[{"op":"add","path":"/foo/1","value":"qux"}]',
        {"foo": ["bar", "qux", "baz"]},
    ),
    (
        "A.3",
        {"baz": "qux", "foo": "bar"},
        '[{"op":"remove","path":"/baz"}]',
        {"foo": "bar"},
    ),
    (
        "A.4",
        {"foo": ["bar", "qux", "baz"]},
        '[{"op":"remove","path":"/foo/1"}]',
        {"foo": ["bar", "baz"]},
    ),
    (
        "A.5",
        {"baz": "qux", "foo": "bar"},
        '[{"op":"replace","path":"/baz","value":"boo"}]',
        {"baz": "boo", "foo": "bar"},
    ),
    (
        "A.6",
        {"foo": {"bar": "baz", "waldo": "fred"}, "qux": {"corge": "grault"}},
        '[{"op":"move","from":"/foo/waldo","path":"/qux/thud"}]',
        {"foo": {"bar": "baz"}, "qux": {"corge": "grault", "thud": "fred"}},
    ),
    (
        "A.7",
        {"foo": ["all", "grass", "cows", "eat"]},
        '[{"op":"move","from":"/foo/1","path":"/foo/3"}]',
        {"foo": ["all", "cows", "eat", "grass"]},
    ),
    (
        "A.8",
        {"baz": "qux", "foo": ["a", 2, "c"]},
        '[{"op":"test","path":"/baz","value":"qux"},{"op":"test","path":"/foo/1","value":2}]',
        {"baz": "qux", "foo": ["a", 2, "c"]},
    ),
    (
        "A.10",
        {"foo": "bar"},
        '[{"op":"add","path":"/child","value":{"grandchild":{}}}]',
        {"foo": "bar", "child": {"grandchild": {}}},
    ),
    (
        "A.11",
        {"foo": "bar"},
        '[{"op":"add","path":"/baz","value":"qux","xyz":123}]',
        {"foo": "bar", "baz": "qux"},
    ),
    (
        "A.14",
        {"/": 9, "~1": 10},
        '[{"op":"test","path":"/~01","value":10}]',
        {"/": 9, "~1": 10},
    ),
    (
        "A.16",
        {"foo": ["bar"]},
        '[{"op":"add","path":"/foo/-","value":["abc","def"]}]',
        {"foo": ["bar", ["abc", "def"]]},
    ),
]
#: Appendix A: what must fail, with the reason.
ERRORS = [
    ("A.9", {"baz": "qux"}, '[{"op":"test","path":"/baz","value":"bar"}]', "test"),
    ("A.12", {"foo": "bar"}, '[{"op":"add","path":"/baz/bat","value":"qux"}]', "place"),
    (
        "A.13",
        {"foo": "bar"},
        '[{"op":"add","path":"/baz","value":"qux","op":"remove"}]',
        "place",
    ),
    ("A.15", {"/": 9, "~1": 10}, '[{"op":"test","path":"/~01","value":"10"}]', "test"),
]


@pytest.mark.parametrize(("title", "document", "patch", "result"), EXAMPLES)
@pytest.mark.parametrize("in_place", [False, True])
def test_examples_of_the_rfc(title, document, patch, result, in_place):
    subject = copy.deepcopy(document)
    found = snooze.patch(subject, json.loads(patch), in_place=in_place)
    assert found == result
    assert (found is subject) == in_place
    assert in_place or subject == document


@pytest.mark.parametrize(("title", "document", "patch", "reason"), ERRORS)
@pytest.mark.parametrize("in_place", [False, True])
def test_errors_of_the_rfc(title, document, patch, reason, in_place):
    subject = copy.deepcopy(document)
    with pytest.raises(PatchError) as caught:
        snooze.patch(subject, json.loads(patch), in_place=in_place)
    assert caught.value.reason == reason
    assert subject == document


#: A patch for {"a": [1, 2], "s": "x"}, the reason, and part of the message.
WRONG = [
    ([5], "operation", "operation 0: expected an object, found 5"),
    ([{}], "operation", 'operation 0: expected a member "op", found none'),
    (
        [{"op": "spam"}],
        "operation",
        'expected the op add, remove, replace, move, copy or test, found "spam"',
    ),
    ([{"op": 5}], "operation", '"op": expected a string, found 5'),
    ([{"op": "add"}], "operation", 'expected a member "path", found none'),
    (
        [{"op": "add", "path": None}],
        "operation",
        '"path": expected a string, found null',
    ),
    (
        [{"op": "add", "path": True}],
        "operation",
        '"path": expected a string, found true',
    ),
    (
        [{"op": "add", "path": [1]}],
        "operation",
        '"path": expected a string, found an array of 1',
    ),
    (
        [{"op": "add", "path": "/a"}],
        "operation",
        '(add "/a"): expected a member "value", found none',
    ),
    (
        [{"op": "add", "path": "a", "value": 1}],
        "operation",
        '"path": JSON Pointer: expected "" or text that begins with "/"',
    ),
    (
        [{"op": "add", "path": "#/a", "value": 1}],
        "operation",
        '"path": JSON Pointer: expected ""',
    ),
    ([{"op": "add", "path": "/~3", "value": 1}], "operation", 'expected "~0" or "~1"'),
    (
        [{"op": "copy", "path": "/b"}],
        "operation",
        'expected a member "from", found none',
    ),
    (
        [{"op": "move", "path": "/b", "from": 3}],
        "operation",
        '"from": expected a string, found 3',
    ),
    (
        [{"op": "move", "path": "/a/0", "from": "/a"}],
        "operation",
        "a value cannot be moved into itself",
    ),
    (
        [{"op": "move", "path": "/b", "from": ""}],
        "operation",
        "a value cannot be moved into itself",
    ),
    ([{"op": "remove", "path": ""}], "place", "the whole document cannot be removed"),
    (
        [{"op": "remove", "path": "/b"}],
        "place",
        'expected a member "b" at "", found none',
    ),
    (
        [{"op": "replace", "path": "/b", "value": 1}],
        "place",
        'expected a member "b" at ""',
    ),
    (
        [{"op": "replace", "path": "/a/2", "value": 1}],
        "place",
        'expected an index below 2 at "/a", found "2"',
    ),
    (
        [{"op": "add", "path": "/a/3", "value": 1}],
        "place",
        'expected an index below 3 at "/a", found "3"',
    ),
    (
        [{"op": "add", "path": "/s/b", "value": 1}],
        "place",
        'expected an object or array at "/s", found str',
    ),
    (
        [{"op": "remove", "path": "/a/-"}],
        "place",
        'expected an array index at "/a", found "-"',
    ),
    (
        [{"op": "test", "path": "/a", "value": {"b": 1}}],
        "test",
        "expected an object of 1, found an array of 2",
    ),
    (
        [{"op": "test", "path": "/s", "value": 10**300}],
        "test",
        'expected a long integer, found "x"',
    ),
    (
        [{"op": "test", "path": "#/a", "value": 1}],
        "operation",
        '"path": JSON Pointer: expected "" or text that begins with "/", found "#/a"',
    ),
]


@pytest.mark.parametrize(("operations", "reason", "message"), WRONG)
@pytest.mark.parametrize("in_place", [False, True])
def test_wrong_operations_are_named(operations, reason, message, in_place):
    """Nothing is changed by the operations before it."""
    document = {"a": [1, 2], "s": "x"}
    first = [
        {"op": "add", "path": "/a/0", "value": 0},
        {"op": "remove", "path": "/a/0"},
        {"op": "add", "path": "/new", "value": {}},
        {"op": "move", "from": "/new", "path": "/a/1"},
        {"op": "remove", "path": "/a/1"},
    ]
    with pytest.raises(PatchError) as caught:
        snooze.patch(document, operations, in_place=in_place)
    assert message in str(caught.value)
    assert (caught.value.index, caught.value.reason) == (0, reason)
    assert document == {"a": [1, 2], "s": "x"}
    with pytest.raises(PatchError) as caught:
        snooze.patch(document, first + operations, in_place=in_place)
    assert caught.value.index == 5
    assert list(document.items()) == [("a", [1, 2]), ("s", "x")]
    other = pickle.loads(pickle.dumps(caught.value))
    assert vars(other) == vars(caught.value)
    assert str(other) == str(caught.value)


@pytest.mark.parametrize("wrong", ["[]", b"[]", {"op": "add"}, 5, None])
def test_a_patch_is_a_list(wrong):
    found = f"expected a list of operations, found {type(wrong).__name__}"
    with pytest.raises(TypeError, match=found):
        snooze.patch({}, wrong)


def test_a_patch_may_be_an_iterator_that_fails():
    def operations():
        yield {"op": "remove", "path": "/a"}
        raise KeyboardInterrupt

    document = {"a": 1, "b": 2}
    with pytest.raises(KeyboardInterrupt):
        snooze.patch(document, operations(), in_place=True)
    assert list(document) == ["a", "b"]


def test_the_result_shares_nothing_with_the_arguments():
    value = {"b": []}
    document = {"kept": [1]}
    found = snooze.patch(document, [{"op": "add", "path": "/a", "value": value}] * 2)
    found["a"]["b"].append(1)
    found["kept"].append(2)
    assert value == {"b": []}
    assert document == {"kept": [1]}


def test_copies_are_copies():
    operations = [
        {"op": "copy", "from": "/a", "path": "/b"},
        {"op": "add", "path": "/b/-", "value": 2},
    ]
    assert snooze.patch({"a": [1]}, operations) == {"a": [1], "b": [1, 2]}


@pytest.mark.parametrize("value", [[], 5, None, "x"])
def test_the_whole_document_can_be_replaced(value):
    for name in ("add", "replace"):
        operation = {"op": name, "path": "", "value": value}
        assert snooze.patch({"a": 1}, [operation]) == value
    document = {"a": value}
    assert snooze.patch(document, [{"op": "move", "from": "/a", "path": ""}]) == value
    assert snooze.patch(document, [{"op": "copy", "from": "/a", "path": ""}]) == value


def test_moving_a_value_to_its_own_place_needs_the_value():
    operation = {"op": "move", "from": "/a", "path": "/a"}
    assert snooze.patch({"a": 1}, [operation]) == {"a": 1}
    with pytest.raises(PatchError, match='expected a member "a"'):
        snooze.patch({}, [operation])


@pytest.mark.parametrize(
    ("value", "other", "equal"),
    [
        (1, 1.0, True),
        (1, True, False),
        (0, False, False),
        (None, False, False),
        ("1", 1, False),
        ([1, [2]], [1.0, [2]], True),
        ([1, [2]], [1, [True]], False),
        ([1], [1, 2], False),
        ({"a": 1, "b": [{}]}, {"b": [{}], "a": 1.0}, True),
        ({"a": 1}, {"b": 1}, False),
        ({"a": None}, {}, False),
        ([], {}, False),
        ({}, "", False),
        ([], 0, False),
        (2**53 + 1, float(2**53), False),
    ],
)
def test_test_compares_json(value, other, equal):
    """RFC 6902 section 4.6: numbers by value, objects without order, no true == 1."""
    for one, its in ((value, other), (other, value)):
        operations = [{"op": "test", "path": "/v", "value": one}]
        if equal:
            assert snooze.patch({"v": its}, operations) == {"v": its}
        else:
            with pytest.raises(PatchError):
                snooze.patch({"v": its}, operations)


def test_copies_cannot_fill_the_memory():
    """Each of these doubles the document."""
    operations = [
        {"op": "copy", "from": "", "path": f"/{number}"} for number in range(100)
    ]
    with pytest.raises(
        PatchError, match="more values than max_copied allows"
    ) as caught:
        snooze.patch({}, operations)
    assert caught.value.reason == "size"
    with pytest.raises(PatchError) as caught:
        snooze.patch({"a": 1}, [operations[0]], max_copied=1)
    assert caught.value.index == 0
    assert snooze.patch({"a": 1}, [operations[0]], max_copied=2)["0"] == {"a": 1}


@pytest.mark.parametrize(
    ("value", "count"),
    [(1, 1), ([], 1), ([[1], [2]], 5), ({"x": {"y": [1, {}, []]}}, 6), ([[[[]]]], 4)],
)
def test_every_value_of_a_copy_counts_once(value, count):
    operations = [{"op": "copy", "from": "/a", "path": "/b"}]
    found = snooze.patch({"a": value}, operations, max_copied=count)
    assert found == {"a": value, "b": value}
    with pytest.raises(PatchError, match="more values than max_copied allows"):
        snooze.patch({"a": value}, operations, max_copied=count - 1)


_PLACES = st.lists(st.sampled_from(["a", "b", "0", "1", "-", "~"]), max_size=3).map(
    snooze.pointer.join
)
_OPERATIONS = st.fixed_dictionaries(
    {
        "op": st.sampled_from(["add", "remove", "replace", "move", "copy"]),
        "path": _PLACES,
        "from": _PLACES,
        "value": DOCUMENTS,
    }
)


@given(DOCUMENTS, st.lists(_OPERATIONS, max_size=6))
def test_in_place_and_not_in_place_are_the_same(document, operations):
    """Also the order of members; and an error leaves everything as it was."""
    before, patch = json.dumps(document), json.dumps(operations)
    try:
        expected = json.dumps(snooze.patch(document, operations))
    except PatchError as error:
        expected = None
        message = str(error)
    assert json.dumps(document) == before
    subject = copy.deepcopy(document)
    try:
        assert json.dumps(snooze.patch(subject, operations, in_place=True)) == expected
    except PatchError as error:
        assert expected is None
        assert str(error) == message
        assert json.dumps(subject) == before
    assert json.dumps(operations) == patch


def test_documents_as_deep_as_can_be():
    """Deeper than Python's recursion limit, by far."""
    depth = 50_000
    document: list = []
    for _ in range(depth):
        document = [document]
    test = [{"op": "test", "path": "", "value": document}]
    found = snooze.patch(document, test)
    place = "/0" * depth
    changed = snooze.patch(found, [{"op": "add", "path": place + "/0", "value": 1}])
    assert snooze.pointer.get(changed, place) == [1]
    with pytest.raises(PatchError):
        snooze.patch(changed, test)


def test_a_document_that_contains_itself_is_refused():
    document: list = []
    document.append(document)
    with pytest.raises(ValueError, match="contains itself"):
        snooze.patch(document, [])


@pytest.mark.parametrize(
    ("value", "other", "message"),
    [
        (math.nan, math.nan, "expected NaN, found NaN, which equals nothing"),
        (Decimal("NaN"), math.nan, "expected NaN, found NaN, which equals nothing"),
        (Decimal("sNaN"), 1, "expected 1, found NaN"),
        (1, Decimal("-sNaN"), "expected NaN, found 1"),
        (Decimal("sNaN"), math.nan, "expected NaN, found NaN, which equals nothing"),
        (Decimal("-Infinity"), math.inf, "expected Infinity, found -Infinity"),
        (math.inf, -math.inf, "expected -Infinity, found Infinity"),
        (Decimal("1.50"), 2, "expected 2, found 1.50"),
        ([1], [2], "expected an array of 1, found another array of 1"),
        ({"a": 1}, {"a": 2}, "expected an object of 1, found another object of 1"),
        (3**300, 3**301, "expected a long integer, found another long integer"),
        (
            "x" * 200,
            "x" * 201,
            f'expected "{"x" * 100}…", found another "{"x" * 100}…"',
        ),
    ],
)
def test_what_differs_is_seen(value, other, message):
    """Also where the message shows the same of both."""
    with pytest.raises(PatchError) as caught:
        snooze.patch([value], [{"op": "test", "path": "/0", "value": other}])
    assert str(caught.value) == f'operation 0 (test "/0"): {message}'


def test_messages_are_short():
    name = "x" * 10_000
    operations = [{"op": "test", "path": "/" + name, "value": name}]
    with pytest.raises(PatchError) as caught:
        snooze.patch({name: 1}, operations)
    assert len(str(caught.value)) < 400
    assert re.search(r'^operation 0 \(test "/xx', str(caught.value))
