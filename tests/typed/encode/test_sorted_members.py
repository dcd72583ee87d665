"""`sort_keys` of encoders: members in the order of their names, whatever is in them.

Oracle: an encoder without the option, for a copy whose dicts are in order already.
"""

from __future__ import annotations

import collections
import dataclasses
import decimal
import json
from typing import Annotated, Any

import hypothesis
import hypothesis.strategies as st
import pytest

import snooze

NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
ALIKE = st.text("abé\0", max_size=11)
#: The last two need Python code.
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | NAMES
    | st.decimals(allow_nan=False, allow_infinity=False)
    | st.frozensets(st.integers(0, 9), max_size=1)
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(NAMES | ALIKE, inner, max_size=5)
        | st.dictionaries(st.integers(0, 20), inner, max_size=2)
    ),
    max_leaves=30,
)
ENCODERS = [{}, {"indent": 2}, {"omit_none": True}, {"ensure_ascii": True}]


@dataclasses.dataclass
class Page:
    """A class whose member is one of another class."""

    limit: int = 20


def text_of(key: Any) -> bytes:
    return str(key).encode()


def in_order(value: Any) -> Any:
    """Return a copy whose dicts are in the order of their names."""
    if isinstance(value, dict):
        pairs = sorted(value.items(), key=lambda pair: text_of(pair[0]))
        return {key: in_order(inner) for key, inner in pairs}
    if isinstance(value, (list, tuple)):
        return [in_order(inner) for inner in value]
    return value


@hypothesis.given(VALUES, st.sampled_from(ENCODERS))
def test_members_are_in_order(value: Any, options: dict[str, Any]) -> None:
    sorting, plain = (
        snooze.Encoder(sort_keys=True, **options),
        snooze.Encoder(**options),
    )
    assert sorting.encode(value) == plain.encode(in_order(value))


@hypothesis.given(st.permutations("abcdefgh"), VALUES, st.integers(2, 30))
def test_many_dicts_of_one_shape(names: list[str], value: Any, count: int) -> None:
    """From some dict on their order is known; other dicts are in between."""
    document = [
        {name: [value, {"b": n, "a": 0}] for name in names} for n in range(count)
    ]
    document += [{"z": document[0], "y": document[-1]}]
    found = snooze.Encoder(sort_keys=True).encode(document)
    assert found == snooze.encode(in_order(document))


@pytest.mark.parametrize("depth", [1, 15, 16, 17, 31, 33, 48, 50, 65, 400])
@pytest.mark.parametrize("leaf", [1, decimal.Decimal("1.5"), {"b": 1, "a": 2}])
def test_depths(depth: int, leaf: Any) -> None:
    value = leaf
    for level in range(depth):
        value = {"b": level, "a": value, "c": []} if level % 3 else [value, {}]
    found = snooze.Encoder(sort_keys=True).encode(value)
    assert found == snooze.encode(in_order(value))


@pytest.mark.parametrize("depth", [2, 20, 40])
def test_places_of_errors(depth: int) -> None:
    value: Any = {"z": 1, "b": object(), "a": 2}
    for _ in range(depth):
        value = {"y": 0, "x": value, "w": [1]}
    with pytest.raises(snooze.JSONEncodeError) as caught:
        snooze.Encoder(sort_keys=True).encode(value)
    assert str(caught.value).endswith("$" + ".x" * depth + ".b")


def test_a_hook_may_change_the_dict() -> None:
    """What is written was there when its dict was opened."""

    class Changing:
        pass

    inner = {"c": 1, "b": Changing(), "a": 2, "d": [3]}

    def hook(_: Any) -> Any:
        inner.clear()
        return "changed"

    encoder = snooze.Encoder(sort_keys=True, enc_hook=hook)
    assert encoder.encode({"x": inner}) == b'{"x":{"a":2,"b":"changed","c":1,"d":[3]}}'


def test_kinds_of_dicts() -> None:
    general: dict[Any, int] = {1: 0, "b": 1, "a": 2}
    del general[1]
    gaps = dict.fromkeys("dcba", 1)
    del gaps["c"]
    ordered = collections.OrderedDict(b=1, a=2)
    default = collections.defaultdict(int, b=1, a=2)
    names = {"\U0001f600": 1, "\ufb33": 2, "é": 3, "e": 4}
    encoder = snooze.Encoder(sort_keys=True)
    for value in (general, gaps, ordered, default, names, {}, {"b": {}, "a": []}):
        expected = json.dumps(value, sort_keys=True, separators=(",", ":"))
        if value is names:
            expected = '{"e":4,"é":3,"\ufb33":2,"\U0001f600":1}'
        assert encoder.encode(value) == expected.encode()


def test_types_of_members() -> None:
    """Keys and values of a type are checked as without the option."""

    @dataclasses.dataclass
    class Point:
        y: int
        x: int

    encoder = snooze.Encoder(dict[str, Point], sort_keys=True)
    found = encoder.encode({"b": Point(1, 2), "a": Point(3, 4)})
    assert found == b'{"a":{"x":4,"y":3},"b":{"x":2,"y":1}}'
    for tp, value in ((dict[int, int], {"b": 1}), (dict[str, int], {"b": 1, "a": "x"})):
        with pytest.raises(TypeError, match="expected int.*found str"):
            snooze.Encoder(tp, sort_keys=True).encode(value)


@pytest.mark.parametrize("tag", ["t", 5])
def test_the_tag_of_a_flattened_class(tag: Any) -> None:
    """It is sorted like a member; of the option and of `configure`."""

    @snooze.configure(tag=tag, tag_field="m")
    @dataclasses.dataclass
    class Search:
        text: str
        page: Annotated[Page, snooze.Field(flatten=True)]

    @snooze.configure(sort_keys=True)
    class Sorted(Search):
        pass

    written = json.dumps(tag)
    expected = f'{{"limit":20,"m":{written},"text":"x"}}'.encode()
    value = Search("x", Page())
    assert snooze.encode(value, Search, sort_keys=True) == expected
    assert snooze.encode([value], sort_keys=True) == b"[" + expected + b"]"
    assert snooze.encode(Sorted("x", Page())) == expected
    assert list(snooze.to_builtins(value, sort_keys=True)) == ["limit", "m", "text"]
    plain = f'{{"m":{written},"text":"x","limit":20}}'.encode()
    assert snooze.encode(value, Search) == plain


def test_surrogates_in_names() -> None:
    encoder = snooze.Encoder(sort_keys=True, surrogates="replace")
    assert encoder.encode({"b\ud800": 1, "a": 2}) == '{"a":2,"b\ufffd":1}'.encode()
