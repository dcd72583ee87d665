"""dumps of list, tuple and dict: structure, subclasses, refused kinds, depth limit."""

from __future__ import annotations

import collections
import decimal
import functools
import json
import types
import typing
from pathlib import PurePosixPath
from typing import Any

import pytest

import snooze
from helpers.support import nested

LIMIT = "Recursion limit reached"
OPTIONS = [snooze.OPT_SORT_KEYS, snooze.OPT_NON_STR_KEYS, snooze.OPT_INDENT_2]
OPTIONS.append(snooze.OPT_SORT_KEYS | snooze.OPT_NON_STR_KEYS)


class Row(typing.NamedTuple):
    """A namedtuple, which must not become an array."""

    id: int


class MyList(list):
    """A list subclass whose iteration lies."""

    def __iter__(self) -> Any:
        return iter([9])

    def __len__(self) -> int:
        return 7


class MyDict(dict):
    """A dict subclass whose views lie."""

    def items(self) -> Any:
        return []

    def __iter__(self) -> Any:
        return iter([])


class MyTuple(tuple):
    """A tuple subclass."""

    __slots__ = ()


class MyInt(int):
    """An int subclass whose text lies."""

    def __str__(self) -> str:
        return "lie"


class MyFloat(float):
    """A float subclass."""


class MyBytes(bytes):
    """A bytes subclass."""


class Outer:
    """A namespace."""

    class Inner:
        """A nested class: its error names it without the outer class."""


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ([], b"[]"),
        ((), b"[]"),
        ({}, b"{}"),
        ([[]], b"[[]]"),
        ([{}, (), []], b"[{},[],[]]"),
        ([1, "a", None, True, 1.5], b'[1,"a",null,true,1.5]'),
        ((1, (2, (3,))), b"[1,[2,[3]]]"),
        ({"a": {}}, b'{"a":{}}'),
        ({"a": [1, {"b": ()}], "c": 2}, b'{"a":[1,{"b":[]}],"c":2}'),
        ({"": ""}, b'{"":""}'),
        ({'q"\n': 1}, b'{"q\\"\\n":1}'),
        ({"é": "好"}, '{"é":"好"}'.encode()),
    ],
    ids=ascii,
)
def test_structure(value: Any, expected: bytes) -> None:
    """Arrays, objects and their nesting, without white space."""
    assert snooze.dumps(value) == expected


@pytest.mark.parametrize("length", [1, 2, 15, 16, 17, 255, 256, 257, 4096, 100_000])
def test_length(length: int) -> None:
    """Containers of many lengths."""
    array = b"[" + b",".join(b"%d" % i for i in range(length)) + b"]"
    assert snooze.dumps(list(range(length))) == array
    assert snooze.dumps(tuple(range(length))) == array
    pairs = b"{" + b",".join(b'"%d":%d' % (i, i) for i in range(length)) + b"}"
    assert snooze.dumps({str(i): i for i in range(length)}) == pairs


def test_dict_order_after_deletions() -> None:
    """Members come in dict order, even when the hash table has holes."""
    value = {str(i): i for i in range(20)}
    for i in range(0, 20, 3):
        del value[str(i)]
    value["0"] = 100
    order = ",".join(f'"{k}":{v}' for k, v in value.items())
    assert snooze.dumps(value) == f"{{{order}}}".encode()


def test_typed_dict() -> None:
    """A TypedDict is a dict."""

    class Movie(typing.TypedDict):
        name: str
        year: int

    assert snooze.dumps(Movie(name="x", year=1)) == b'{"name":"x","year":1}'


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (MyList([1]), b"[1]"),
        (MyDict(a=1), b'{"a":1}'),
        (MyInt(5), b"5"),
        (collections.OrderedDict(b=1, a=2), b'{"b":1,"a":2}'),
        (collections.defaultdict(int, a=1), b'{"a":1}'),
        (collections.Counter("aab"), b'{"a":2,"b":1}'),
    ],
    ids=lambda value: type(value).__name__,
)
def test_subclasses(value: Any, expected: bytes) -> None:
    """Subclasses of int, list and dict are written from their own storage."""
    assert snooze.dumps(value) == expected
    assert snooze.dumps([value]) == b"[" + expected + b"]"


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (b"", "bytes"),
        (bytearray(), "bytearray"),
        (memoryview(b""), "memoryview"),
        (MyBytes(), "MyBytes"),
        ({1}, "set"),
        (frozenset(), "frozenset"),
        (range(3), "range"),
        (1j, "complex"),
        (decimal.Decimal(1), "decimal.Decimal"),
        (collections.deque([1]), "collections.deque"),
        (Row(1), "Row"),
        (MyTuple((1,)), "MyTuple"),
        (MyFloat(1.5), "MyFloat"),
        (types.MappingProxyType({}), "mappingproxy"),
        (collections.UserDict(), "UserDict"),
        (collections.ChainMap(), "ChainMap"),
        (PurePosixPath("a"), "PurePosixPath"),
        (iter([]), "list_iterator"),
        ({}.keys(), "dict_keys"),
        (functools.partial(len), "functools.partial"),
        (len, "builtin_function_or_method"),
        (lambda: 1, "function"),
        (Outer, "type"),
        (Outer.Inner(), "Inner"),
        (object(), "object"),
        (Ellipsis, "ellipsis"),
        (types, "module"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
@pytest.mark.parametrize(
    "wrap",
    [lambda v: v, lambda v: [v], lambda v: {"k": (v,)}],
    ids=["root", "list", "deep"],
)
def test_refused_kinds(value: Any, name: str, wrap: Any) -> None:
    """Other types are errors that name the type and have no cause or context."""
    with pytest.raises(snooze.JSONEncodeError) as caught:
        snooze.dumps(wrap(value))
    assert str(caught.value) == f"Type is not JSON serializable: {name}"
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


WRAPS = {
    "list": lambda core: [core],
    "dict": lambda core: {"a": core},
}


@pytest.mark.parametrize("wrap", ["list", "dict"])
@pytest.mark.parametrize("option", [0, snooze.OPT_INDENT_2, snooze.OPT_SORT_KEYS])
def test_depth_254_is_fine_255_is_not(wrap: str, option: int) -> None:
    """254 levels are written; the 255th is an error, whether empty or not."""
    make = WRAPS[wrap]
    assert snooze.loads(snooze.dumps(nested(254, make), option=option)) == nested(
        254, make
    )
    empty: Any = make(1).__class__()
    assert snooze.dumps(nested(253, make, empty), option=option)
    for too_deep in (nested(255, make), nested(254, make, empty)):
        with pytest.raises(snooze.JSONEncodeError) as caught:
            snooze.dumps(too_deep, option=option)
        assert str(caught.value) == LIMIT
        assert caught.value.__cause__ is None


@pytest.mark.parametrize("option", [0, snooze.OPT_NON_STR_KEYS, snooze.OPT_SORT_KEYS])
def test_circular_references(option: int) -> None:
    """A container that contains itself ends in the depth error."""
    array: list[Any] = []
    array.append(array)
    table: dict[str, Any] = {}
    table["self"] = [table]
    for value in (array, table):
        with pytest.raises(snooze.JSONEncodeError, match=f"(?m)^{LIMIT}$"):
            snooze.dumps(value, option=option)


def test_depth_is_counted_per_branch() -> None:
    """Siblings at the same depth do not add up."""
    value = [nested(253, WRAPS["list"]) for _ in range(5)]
    assert snooze.loads(snooze.dumps(value)) == value


def with_general_keys(members: dict[str, Any]) -> dict[str, Any]:
    """Return an equal dict whose key table is of the general kind, not the str-only one."""
    found: dict[Any, Any] = {0: None, **members}
    del found[0]
    return found


@pytest.mark.parametrize("option", [0, *OPTIONS])
def test_str_keys_in_a_general_key_table(option: int) -> None:
    """Compact, sorted and indented output equals that of a str-only table."""
    inner = with_general_keys(
        {"z": 1, "\u00e9": [with_general_keys({"q": None})], "a": {}}
    )
    value = [{"plain": inner}, inner, with_general_keys({}), {"after": 1}]
    plain = json.loads(json.dumps(value))
    assert snooze.dumps(value, option=option) == snooze.dumps(plain, option=option)
    assert snooze.dumps(inner, option=option) == snooze.dumps(plain[1], option=option)


def test_errors_before_a_wrong_key_come_first() -> None:
    """Members before the wrong key are written first, so their errors come first."""
    wrong = {"a": 1, 2: 3}
    with pytest.raises(snooze.JSONEncodeError, match="Dict key must be str"):
        snooze.dumps([with_general_keys({"b": 1}), wrong])
    with pytest.raises(snooze.JSONEncodeError, match="not JSON serializable"):
        snooze.dumps([with_general_keys({"b": {1}}), wrong])
