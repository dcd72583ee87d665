"""Typed decoding into containers: sequences, sets, tuples, dicts, arrays."""

from __future__ import annotations

import collections
import dataclasses
import itertools
import types
import uuid
from collections import abc
from datetime import date
from decimal import Decimal
from typing import Annotated, Any, Literal

import pytest

import snooze
from helpers.typed_tools import (
    Decoder,
    ValidationError,
    accept,
    decode,
    refusal,
    refuse,
)
from snooze import Field, Len, Raw

AT = "at $ (line 1 column 1)"
SEQUENCES: dict[Any, Any] = {
    list: list,
    tuple: tuple,
    set: set,
    frozenset: frozenset,
    collections.deque: collections.deque,
    abc.Sequence: list,
    abc.MutableSequence: list,
    abc.Iterable: list,
    abc.Collection: list,
    abc.Set: set,
    abc.MutableSet: set,
}


@pytest.mark.parametrize("cls", SEQUENCES)
def test_sequences(cls: Any) -> None:
    """Each class is created, with items of any type and in any number."""
    made = SEQUENCES[cls]
    tp = tuple[int, ...] if cls is tuple else cls[int]
    for count in (0, 1, 2, 7, 8, 9, 64, 1000):
        value = decode(f"[{','.join(map(str, range(count)))}]", tp)
        assert type(value) is made
        assert value == made(range(count))
    assert decode(b"[]", cls) == made()
    assert decode(b'[1,"a",null]', cls) == made([1, "a", None])
    refuse(tp, '{"a":1}', f"expected array, found object {AT}")
    refuse(tp, '"abc"', f"expected array, found str {AT}")
    refuse(
        tp,
        '[1, "x", 3, null]',
        "expected int, found str at $[1] (line 1 column 5)",
        "expected int, found null at $[3] (line 1 column 13)",
    )
    for text in ("[1 2]", "[1,]", "[,1]", "[1", "[1}"):
        with pytest.raises(ValueError, match="line 1"):
            decode(text, tp)
    one, two = decode(b"[[],[]]", list[tp])
    assert made in {tuple, frozenset} or one is not two


def test_nested_sequences() -> None:
    """Sequences of sequences, with records in between."""
    kinds = [list, tuple, frozenset]
    for outer, middle, inner in itertools.product(kinds, kinds, kinds):

        def of(cls: Any, item: Any) -> Any:
            return tuple[item, ...] if cls is tuple else cls[item]

        if list in {middle, inner} and outer is frozenset:
            continue
        if inner is list and middle is frozenset:
            continue
        tp = of(outer, of(middle, of(inner, int)))
        expected = outer([middle([inner([1, 2]), inner([])]), middle([])])
        accept(tp, "[[[1,2],[]],[]]", expected)


def test_sets() -> None:
    """Of equal items the first is kept."""
    accept(set[int], "[3,1,3,1]", {1, 3})
    value = decode(b"[1,1.0,true]", set[Any])
    assert len(value) == 1
    assert type(next(iter(value))) is int
    accept(frozenset[str | None], '["a",null,"a"]', frozenset({"a", None}))
    accept(
        set[frozenset[int]], "[[1],[2,1],[1,1]]", {frozenset({1}), frozenset({1, 2})}
    )
    accept(set[tuple[int, str]], '[[1,"a"]]', {(1, "a")})


def test_fixed_tuples() -> None:
    """Each position has its own type; the length is exact."""
    accept(tuple[int], "[1]", (1,))
    accept(tuple[int, str, None], '[1,"a",null]', (1, "a", None))
    accept(tuple[list[int], dict[str, int]], '[[1],{"a":2}]', ([1], {"a": 2}))
    accept(tuple[tuple[int, int], tuple[str]], '[[1,2],["x"]]', ((1, 2), ("x",)))
    accept(tuple[()], "[]", ())
    refuse(tuple[()], "[1]", f"expected array of length 0, found array of 1 {AT}")
    refuse(
        tuple[int, str],
        '["a",1]',
        "expected int, found str at $[0] (line 1 column 2)",
        "expected str, found int at $[1] (line 1 column 6)",
    )
    refuse(
        tuple[int, str],
        '[1,"a",{"x":[]}]',
        f"expected array of length 2, found array of 3 {AT}",
    )
    refuse(
        tuple[int, str] | None,
        "[]",
        f"expected array of length 2 or null, found array of 0 {AT}",
    )
    accept(
        list[tuple[float, float]], "[[1,2.5],[-0,1e3]]", [(1.0, 2.5), (-0.0, 1000.0)]
    )


MAPPINGS: dict[Any, Any] = {
    dict: dict,
    abc.Mapping: dict,
    abc.MutableMapping: dict,
    collections.OrderedDict: collections.OrderedDict,
    collections.defaultdict: collections.defaultdict,
    types.MappingProxyType: types.MappingProxyType,
}


@pytest.mark.parametrize("cls", MAPPINGS)
def test_mappings(cls: Any) -> None:
    """Each class is created; order of the document, of equal keys the last value wins."""
    tp = cls[str, int]
    for count in (0, 1, 5, 8, 9, 100, 1000):
        names = [f"k{(index * 7) % 1009}" for index in range(count)]
        text = ",".join(f'"{name}":{index}' for index, name in enumerate(names))
        value = decode(f"{{{text}}}", tp)
        assert type(value) is MAPPINGS[cls]
        assert list(value.items()) == [
            (name, index) for index, name in enumerate(names)
        ]
    assert dict(decode(b'{"a":1,"b":2,"\\u0061":3}', tp)) == {"a": 3, "b": 2}
    refuse(tp, "[]", f"expected object, found array {AT}")
    refuse(
        tp,
        '{"a":"x","b":1,"c d":null}',
        "expected int, found str at $.a (line 1 column 6)",
        'expected int, found null at $["c d"] (line 1 column 22)',
    )


def test_counters_and_defaults() -> None:
    """Classes that restrict or extend their values."""
    accept(collections.Counter[str], '{"a":2}', collections.Counter(a=2))
    value = decode(b'{"a":[1]}', collections.defaultdict[str, list[int]])
    assert value["b"] == []
    assert value == {"a": [1], "b": []}


KEYS: list[tuple[Any, str, Any, str]] = [
    (int, "-12", -12, "1.0"),
    (int, str(10**30), 10**30, "+1"),
    (float, "1.5", 1.5, "x"),
    (float, "3", 3.0, "1e400"),
    (bool, "true", True, "True"),
    (None, "null", None, "none"),
    (Decimal, "1.10", Decimal("1.10"), "NaN"),
    (date, "2024-01-02", date(2024, 1, 2), "2024-1-2"),
    (uuid.UUID, "00000000-0000-0000-0000-000000000001", uuid.UUID(int=1), "1"),
    (bytes, "AA==", b"\0", "AA"),
    (Literal["a", "b"], "b", "b", "c"),
    (Literal[1, 2], "2", 2, "3"),
    (Annotated[str, Len(1, 2)], "ab", "ab", ""),
]


@pytest.mark.parametrize(
    ("tp", "text", "key", "bad"), KEYS, ids=lambda item: str(item)[:20]
)
def test_keys_of_every_kind(tp: Any, text: str, key: Any, bad: str) -> None:
    """The key's type determines its value; a wrong key is a problem at that key."""
    if tp is None and (key is None):
        tp = type(None)
    accept(dict[tp, int], f'{{"{text}":1}}', {key: 1})
    escaped = "".join(f"\\u{ord(char):04x}" for char in text)
    if tp not in (int, float, type(None), bool, Decimal) and tp != Literal[1, 2]:
        accept(dict[tp, int], f'{{"{escaped}":1}}', {key: 1})
    accept(list[dict[tp, list[int]]], f'[{{"{text}":[1]}},{{}}]', [{key: [1]}, {}])
    error = refusal(dict[tp, int], f'{{"{text}":1, "{bad}":2}}')
    assert error.pointer == f"/{bad}"
    assert error.errors[0].found == f'"{bad}"'
    assert error.errors[0].offset == len(text) + 7
    error = refusal(dict[tp, int], f'{{"{bad}":"x"}}', errors="all")
    assert len(error.errors) == 2


def test_escaped_number_keys() -> None:
    """An escaped number is the same key."""
    accept(dict[int, int], '{"\\u0031":1}', {1: 1})


def test_unions_of_keys() -> None:
    """At most one alternative of a union of key types may be a text."""
    for tp in (int | str, date | str, list[int], dict[str, int]):
        with pytest.raises(TypeError):
            Decoder(dict[tp, int])
    accept(dict[Any, int], '{"1":1}', {"1": 1})
    accept(dict[int | None, int], '{"1":1,"null":2}', {1: 1, None: 2})


def test_keys_that_become_equal() -> None:
    """Of keys that become equal, the first key and the last value are kept."""
    accept(dict[int, int], '{"1":1,"1":2}', {1: 2})
    accept(dict[float, int], '{"1":1,"1.0":2}', {1.0: 2})
    accept(dict[bytes, int], '{"AA==":1,"AA==":2}', {b"\0": 2})


def test_raw_parts() -> None:
    """Raw parts in lists, dicts and classes stay JSON text."""

    @dataclasses.dataclass
    class Envelope:
        kind: str
        body: Raw
        other: Annotated[Raw | None, Field(name="x")] = None

    value = decode('{"body": {"a" : [1, "\u00e9"]} , "kind":"k","x":null}', Envelope)
    assert value == Envelope("k", Raw('{"a" : [1, "\u00e9"]}'.encode()), None)
    assert decode(value.body, dict[str, list[Any]]) == {"a": [1, "\u00e9"]}
    assert decode(b"[1, 2 ,[3] ]", list[Raw]) == [b"1", b"2", b"[3]"]


def test_arrays_of_numpy() -> None:
    """Nested arrays become one ndarray; ragged ones and other types are problems."""
    np = pytest.importorskip("numpy")
    tp = np.ndarray[Any, np.dtype[np.float64]]
    value = decode(b"[[1,2.5],[3,-0.0]]", tp)
    assert value.dtype == np.float64
    assert value.shape == (2, 2)
    assert value.tolist() == [[1.0, 2.5], [3.0, -0.0]]
    for text in ('["x"]', "[null]", "[{}]", "[1,[2]]"):
        found = refusal(tp, text).errors[0]
        assert (found.pointer, found.expected) == (f"/{text.count(',')}", "float64")
    ragged = refusal(tp, "[[1],[2,3]]").errors[0]
    assert (ragged.pointer, ragged.message) == (
        "/1",
        "expected array of 1, found array of 2 at $[1] (line 1 column 6)",
    )
    assert refusal(tp, '"x"').errors[0].found == "str"
    ints = decode(b"[1,2,3]", np.ndarray[Any, np.dtype[np.int32]])
    assert ints.dtype == np.int32
    for text in ("[1.5]", "[99999999999]", "[1e400]"):
        with pytest.raises(ValueError, match="line 1"):
            decode(text, np.ndarray[Any, np.dtype[np.int32]])

    holder = dataclasses.make_dataclass("Holder", [("data", tp)])
    assert decode(b'{"data":[1,2]}', holder).data.tolist() == [1.0, 2.0]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_edges_of_numpy_floats(dtype: str) -> None:
    """Zero keeps its sign; a number beyond the range is no infinity."""
    np = pytest.importorskip("numpy")
    tp = np.ndarray[Any, np.dtype[getattr(np, dtype)]]
    found = decode("[-0, -0.0, 0, -1, 1e-400, -1e-400]", tp)
    assert found.dtype == dtype
    assert str(found.tolist()) == "[-0.0, -0.0, 0.0, -1.0, 0.0, -0.0]"
    largest = np.finfo(dtype).max
    assert decode(f"[{largest!s}]", tp)[0] == largest
    for text in ("1e400", str(10 * int(largest)), "-1e309"):
        problem = refusal(tp, f"[[{text}]]").errors[0]
        assert (problem.pointer, problem.expected) == ("/0/0", dtype)


@pytest.mark.parametrize("code", [">f2", ">f4", ">f8", ">i2", ">u8"])
def test_foreign_byte_orders_of_numpy(code: str) -> None:
    """The same values and problems as of native numbers."""
    np = pytest.importorskip("numpy")
    native = np.dtype(code).newbyteorder("=")
    one, two = np.ndarray[Any, np.dtype(code)], np.ndarray[Any, native]
    found = decode("[[0,1],[2,3]]", one)
    assert (found.dtype, found.tolist()) == (np.dtype(code), [[0, 1], [2, 3]])
    for text in ("[1e400]", "[65520]", "[3.41e38]", "[-1]", "[1.5]"):
        try:
            expected = decode(text, two)
        except ValidationError as error:
            with pytest.raises(ValidationError) as caught:
                decode(text, one)
            assert str(caught.value) == str(error)
        else:
            assert decode(text, one).tolist() == expected.tolist()


def test_halves_are_rounded_once() -> None:
    """Each double next to the middle of two half-precision numbers goes to its side."""
    np = pytest.importorskip("numpy")
    tp = np.ndarray[Any, np.dtype[np.float16]]
    bits = np.arange(0, 0x7BFF, 37, dtype=np.uint16)
    low = bits.view(np.float16).astype(np.float64)
    high = (bits + np.uint16(1)).view(np.float16).astype(np.float64)
    middle = (low + high) / 2
    numbers = [middle, np.nextafter(middle, 0), np.nextafter(middle, np.inf)]
    values = np.concatenate([*numbers, *(-one for one in numbers)])
    found = decode(snooze.dumps(values.tolist()), tp)
    assert (found == values.astype(np.float16)).all()


def test_escaped_keys() -> None:
    """Keys written with escapes are converted like any other."""
    accept(dict[int, int], r'{"\u0031": 2, "\u002d3": 4}', {1: 2, -3: 4})
    accept(dict[float, int], r'{"\u0031\u002e5": 2}', {1.5: 2})
    accept(dict[bool, int], r'{"\u0074rue": 2}', {True: 2})
    accept(dict[int, int], f'{{"{"1" * 400}": 2}}', {int("1" * 400): 2})
    accept(list[int], r'["\u0031"]', [1], strict=False)


def test_bool_keys() -> None:
    """Only "true" and "false" are bool keys; strict=False also accepts "1" and "0"."""
    accept(dict[bool, int], '{"true": 1, "false": 0}', {True: 1, False: 0})
    for name in ["0", "1", "True", "null", ""]:
        with pytest.raises(ValidationError):
            decode(f'{{"{name}": 1}}', dict[bool, int])
    accept(dict[bool, int], '{"1": 1, "0": 0}', {True: 1, False: 0}, strict=False)


@snooze.configure(array_like=True)
@dataclasses.dataclass
class OneItem:
    """Read from an array of one item."""

    a: int


@pytest.mark.parametrize(
    "more", ["1e400", "9" * 5000, "[[1e999]]", '{"a":[]}', '"x" , null', "-0 , []"]
)
def test_items_too_many_are_skipped(more: str) -> None:
    """They are JSON, but no object is made of them."""
    text = f"[1, {more} ]"
    count = 3 if " , " in more else 2
    for tp in (OneItem, tuple[int]):
        found = refusal(tp, text).errors[0]
        assert found.found == f"array of {count}"
    with pytest.raises(ValidationError, match="found list of 3"):
        snooze.convert([1, 2, object()], tuple[int])


def test_items_too_many_are_ignored() -> None:
    """By a Struct of msgspec, as msgspec does."""
    msgspec = pytest.importorskip("msgspec")
    struct = msgspec.defstruct("Struct", [("a", int)], array_like=True)
    for more in ("1e400", "9" * 5000, '{"a":[1e400]}, null'):
        text = f"[1, {more} ]"
        assert decode(text, struct) == struct(1)
        assert decode(f"[{text},{text}]", list[struct]) == [struct(1)] * 2
    assert snooze.convert([1, object(), 2], struct) == struct(1)


@pytest.mark.parametrize(
    "end", ["", ",", ",]", ", ]x", ",1", ",1}", ",tru]", ",[1]", '"x"]']
)
def test_items_too_many_are_json(end: str) -> None:
    """What is not JSON is the same error as in a list."""
    text = f"[1,2{end}"
    with pytest.raises(snooze.JSONDecodeError) as expected:
        decode(text, list[int | list[int]])
    for tp in (OneItem, tuple[int]):
        with pytest.raises(snooze.JSONDecodeError) as caught:
            decode(text, tp)
        assert str(caught.value) == str(expected.value)


@pytest.mark.parametrize(
    ("tp", "text", "pointers"),
    [
        (Annotated[list[int], Len(0, 1)], '["x",2,3]', ["/0", ""]),
        (Annotated[tuple[int, ...], Len(3)], '["x",2]', ["/0", ""]),
        (tuple[int, int], '["x"]', ["/0", ""]),
        (tuple[int, int], '["x",2,3]', ["/0", ""]),
        (tuple[int, int], '["x",2]', ["/0"]),
        (OneItem, '["x",2]', ["/0", ""]),
        (list[tuple[int, int]], '[["x"],[1,"y",3]]', ["/0/0", "/0", "/1/1", "/1"]),
    ],
)
def test_all_problems_hold_the_length(tp: Any, text: str, pointers: list[str]) -> None:
    """A wrong length is reported also if an item is wrong."""
    problems = refusal(tp, text, errors="all").errors
    assert [problem.pointer for problem in problems] == pointers
    with pytest.raises(ValidationError) as caught:
        snooze.convert(snooze.loads(text), tp, errors="all")
    assert [problem.pointer for problem in caught.value.errors] == pointers
