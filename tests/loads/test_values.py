"""loads of valid documents: values, types, white space, structure."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from hypothesis import given

import snooze
from helpers.equality import assert_same
from helpers.strategies import documents as any_documents
from helpers.strategies import json_values
from helpers.support import nested


@pytest.mark.parametrize(
    ("document", "value"),
    [
        ("null", None),
        ("true", True),
        ("false", False),
        ("0", 0),
        ("-1", -1),
        ("1.5", 1.5),
        ('""', ""),
        ('"a"', "a"),
        ("[]", []),
        ("{}", {}),
        ("[[]]", [[]]),
        ("[{}]", [{}]),
        ('{"a":{}}', {"a": {}}),
        ('{"a":[]}', {"a": []}),
        ("[1,2,3]", [1, 2, 3]),
        ("[null,true,false]", [None, True, False]),
        ('{"a":1,"b":[2,{"c":null}]}', {"a": 1, "b": [2, {"c": None}]}),
        ('{"":""}', {"": ""}),
        ('[[[[]]],{"a":{"b":{}}}]', [[[[]]], {"a": {"b": {}}}]),
        ('["é","好","😀"]', ["é", "好", "😀"]),
    ],
)
@pytest.mark.parametrize("kind", [str, str.encode], ids=["str", "bytes"])
def test_values(document: str, value: Any, kind: Any) -> None:
    """Each kind of value, alone and nested."""
    assert_same(snooze.loads(kind(document)), value)


@pytest.mark.parametrize("before", ["", " ", "\n", "\t\r\n ", "  " * 50])
@pytest.mark.parametrize("after", ["", " ", "\n", "\r\n", " \t" * 50])
@pytest.mark.parametrize("root", ["1", '"a"', "true", "[1]", '{"a":1}', "-0.5", "null"])
def test_white_space_around(before: str, after: str, root: str) -> None:
    """White space before and after the document."""
    assert_same(snooze.loads(before + root + after), json.loads(root))


@pytest.mark.parametrize("blank", ["", *" \t\n\r", "  ", "\r\n", "\n" + " " * 70])
def test_white_space_between_all_tokens(blank: str) -> None:
    """The four white space characters between any two tokens."""
    tokens = ["{", '"a"', ":", "[", "1", ",", "-2.5", ",", "true", ",", "{", "}", "]"]
    tokens += [",", '"b"', ":", '"x"', ",", '"c"', ":", "[", "]", "}"]
    expected = {"a": [1, -2.5, True, {}], "b": "x", "c": []}
    assert_same(snooze.loads(blank + blank.join(tokens) + blank), expected)


def test_order_of_keys_is_kept() -> None:
    """A dict keeps the order of the document."""
    keys = [f"k{n}" for n in range(100)][::-1]
    value = snooze.loads("{" + ",".join(f'"{key}":1' for key in keys) + "}")
    assert list(value) == keys


@pytest.mark.parametrize("count", [0, 1, 2, 3, 7, 8, 9, 255, 256, 257, 10_000])
def test_sizes(count: int) -> None:
    """Containers of many sizes, with every kind of element."""
    for element in ("1", "null", '"x"', "[]", "{}", "1.5", '"é"', "-7"):
        value = json.loads(element)
        array = "[" + ",".join([element] * count) + "]"
        assert_same(snooze.loads(array), [value] * count)
        table = "{" + ",".join(f'"{n}":{element}' for n in range(count)) + "}"
        assert_same(snooze.loads(table), {str(n): value for n in range(count)})


def test_containers_are_new_objects() -> None:
    """Every empty list and dict is a new object that may be changed."""
    value = snooze.loads("[[],[],{},{}]")
    ids = {id(element) for element in value}
    assert len(ids) == 4
    value[0].append(1)
    value[2]["a"] = 1
    assert value == [[1], [], {"a": 1}, {}]
    assert snooze.loads("[]") == []


@pytest.mark.parametrize("depth", [1, 10, 255, 1000, 1023, 1024])
@pytest.mark.parametrize("blank", ["", " ", "\n"])
def test_1024_levels(depth: int, blank: str) -> None:
    """1024 levels of arrays, objects and both."""
    assert_same(
        snooze.loads(f"[{blank}" * depth + f"{blank}]" * depth),
        nested(depth - 1, lambda v: [v], []),
    )
    table = f'{{"a":{blank}' * depth + "1" + f"{blank}}}" * depth
    assert_same(snooze.loads(table), nested(depth, lambda v: {"a": v}))
    if depth % 2 == 0:
        both = '[{"a":' * (depth // 2) + "1" + "}]" * (depth // 2)
        assert_same(snooze.loads(both), nested(depth // 2, lambda v: [{"a": v}]))


def test_depth_is_counted_per_branch() -> None:
    """Closing a container gives its level back."""
    deep = "[" * 1000 + "]" * 1000
    value = snooze.loads("[" + ",".join([deep] * 20) + "]")
    assert len(value) == 20


def test_every_pair_of_kinds() -> None:
    """Each kind of value after each other kind, in arrays and objects."""
    texts = [
        "1",
        "-0.5",
        '"s"',
        '"\\n"',
        "true",
        "false",
        "null",
        "[]",
        "{}",
        "[1]",
        '{"a":1}',
    ]
    for left, right in itertools.product(texts, repeat=2):
        expected = [json.loads(left), json.loads(right)]
        assert_same(snooze.loads(f"[{left},{right}]"), expected)
        table = snooze.loads(f'{{"x":{left},"y":{right}}}')
        assert_same(list(table.values()), expected)


@given(any_documents())
def test_any_document_equals_stdlib(document: bytes) -> None:
    """Any document in any layout has the stdlib's value."""
    assert_same(snooze.loads(document), json.loads(document))


@given(json_values())
def test_round_trip(value: Any) -> None:
    """loads reads back what dumps wrote, compact and indented."""
    assert_same(snooze.loads(snooze.dumps(value)), value)
    assert_same(snooze.loads(snooze.dumps(value, option=snooze.OPT_INDENT_2)), value)


@pytest.mark.slow
def test_fetched_documents(documents: dict[str, bytes]) -> None:
    """The four benchmark documents equal the stdlib's values and survive a round trip."""
    for name, document in documents.items():
        expected = json.loads(document)
        value = snooze.loads(document)
        assert_same(value, expected)
        assert_same(snooze.loads(document.decode()), expected)
        assert_same(snooze.loads(snooze.dumps(value)), expected)
        if name != "canada":
            compact = json.dumps(expected, separators=(",", ":"), ensure_ascii=False)
            assert snooze.dumps(value) == compact.encode()
