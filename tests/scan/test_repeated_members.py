"""Equal members of one object, and members that no column has, with every option.

Separate from test_drift.py because here the order of members in one record decides.
"""

from __future__ import annotations

import json
from typing import Any, TypedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st

import snooze
from helpers.arrow_rows import Json, StreamError, rows


class Inner(TypedDict):
    """An object inside."""

    i: int | None


class Record(TypedDict, total=False):
    """A column of each kind that holds others, and one that does not."""

    a: int | None
    o: Inner | None
    l: list[int | None] | None  # noqa: E741 - short for a list
    m: dict[str, int | None] | None


class One(TypedDict):
    """A member that a record must have."""

    a: int


def read(text: str, **options: Any) -> list[Any]:
    """The rows."""
    return rows(snooze.scan(text.encode(), Record, **options))


def kept(text: str, **options: Any) -> Any:
    """The rest of the only row."""
    (row,) = read(text, drift="rest", **options)
    rest = row["_rest"]
    assert rest is None or type(rest) is Json
    return rest and rest.value


def test_the_last_of_equal_members_of_a_map_counts() -> None:
    """As in a dict, whatever is between them and however many there are."""
    for text, expected in [
        ('{"m":{"a":1,"a":2}}', {"a": 2}),
        ('{"m":{"a":1,"b":3,"a":2}}', {"a": 2, "b": 3}),
        ('{"m":{"\\u0061":1,"a":null}}', {"a": None}),
        ('{"m":{"":1,"":2,"":3}}', {"": 3}),
        ('{"m":{"a":1}, "m":{"b":2}}', {"b": 2}),
    ]:
        (row,) = read(text)
        assert row["m"] == expected
    names = [f"n{at * at % 37}" for at in range(200)]
    members = ",".join(f'"{name}":{at}' for at, name in enumerate(names))
    first, second = read(f'{{"m":{{{members}}}}}\n{{"m":{{"x":1}}}}')
    expected = {name: at for at, name in enumerate(names)}
    assert first["m"] == expected
    assert second["m"] == {"x": 1}


@given(
    st.lists(
        st.lists(st.tuples(st.text(max_size=2), st.integers(-9, 9)), max_size=12),
        max_size=4,
    )
)
def test_maps_are_those_of_loads(records: list[list[tuple[str, int]]]) -> None:
    """Of any names and numbers of members."""
    texts = [
        ",".join(f"{json.dumps(name)}:{value}" for name, value in record)
        for record in records
    ]
    lines = "\n".join(f'{{"m":{{{text}}}}}' for text in texts)
    for drift in ("ignore", "rest"):
        found = read(lines, drift=drift)
        assert [row["m"] for row in found] == [dict(one) for one in records]


def test_maps_in_maps() -> None:
    """The last counts at every level, and deep ones take no time that doubles."""
    depth = 28
    kind: Any = int
    for _ in range(depth):
        kind = dict[str, kind]
    schema: Any = TypedDict("Deep", {"m": kind})  # type: ignore[misc]
    text = "7"
    for level in range(depth):
        earlier = "1" if level == 0 else "{}"
        text = f'{{"a":{earlier},"b":{earlier},"a":{text}}}'
    for drift in ("ignore", "rest"):
        (row,) = rows(snooze.scan(f'{{"m":{text}}}'.encode(), schema, drift=drift))
        found = row["m"]
        for level in reversed(range(depth)):
            assert found == {"b": {} if level else 1, "a": found["a"]}
            found = found["a"]
        assert found == 7


@pytest.mark.parametrize("wrong", ['{"a":1,"a"', '{"a":1,"a":}', '{"a" 1}', '{"a":[}}'])
def test_a_broken_map_in_a_map(wrong: str) -> None:
    """It is found when it is read."""
    schema: Any = TypedDict("Deep", {"m": dict[str, dict[str, int]]})  # type: ignore[misc]
    with pytest.raises(StreamError, match="line 1"):
        rows(snooze.scan(f'{{"m":{{"x":{{}},"x":{wrong}}}}}'.encode(), schema))


def test_what_a_later_member_replaces_is_no_rest() -> None:
    """Whoever puts the rest back gets what `loads` gives."""
    assert kept('{"a":"x","a":5}') is None
    assert kept('{"a":5,"a":"x"}') == {"/a": "x"}
    assert kept('{"l":["x"],"l":[1]}') is None
    assert kept('{"o":{"u":1},"o":{"i":2}}') is None
    assert kept('{"o":{"u":1},"z":3,"o":{"v":[1]}}') == {"/z": 3, "/o/v": [1]}
    assert kept('{"a":"x","z":1,"a":"y"}') == {"/z": 1, "/a": "y"}
    assert kept('{"m":{"k":"x","k":1}}') is None
    assert kept('{"m":{"k":1,"k":"x","j":"y"}}') == {"/m/k": "x", "/m/j": "y"}
    assert kept('{"a":"x","a":"y","a":1,"z":0}') == {"/z": 0}


@pytest.mark.parametrize("check", ["all", "read"])
def test_no_member_is_lost_wherever_it_is(check: str) -> None:
    """With check="read" reading may stop early, but not if every member counts."""
    every = '"a":1,"o":{"i":2},"l":[3],"m":{"k":4}'
    for text in (f'{{{every},"z":9}}', f'{{"z":9,{every}}}'):
        assert kept(text, check=check) == {"/z": 9}
        with pytest.raises(StreamError, match="only members of the schema"):
            read(text, drift="error", check=check)
        assert len(read(text, drift="ignore", check=check)) == 1
        assert rows(
            snooze.scan(
                text.encode(), Record, columns=["a"], drift="error", check=check
            )
        ) == [{"a": 1}]


def test_the_rest_is_json() -> None:
    """Also where members that are not wanted are not checked."""
    with pytest.raises(StreamError, match="expected a string key at /z"):
        read('{"z":{tru},"a":1}', drift="rest", check="read")


@pytest.mark.parametrize(
    ("text", "path", "reason"),
    [
        ('{"zz":1}', "", 'member "a"'),
        ('{"zz":1,"a":"x"}', "/a", 'expected int64, found string "x"'),
        ('{"zz":{"y":1},"a":null}', "/a", "expected int64, found null"),
    ],
)
def test_with_rest_an_unknown_member_is_no_fault(
    text: str, path: str, reason: str
) -> None:
    """What is wrong is named, and the way to it."""
    scan = snooze.scan(text.encode(), One, drift="rest", errors="skip")
    assert rows(scan) == []
    (problem,) = scan.problems
    assert problem.pointer == path
    assert reason in f"expected {problem.expected}, found {problem.found}"


def test_an_equal_member_before_must_fit() -> None:
    """Without a rest, although the later one counts."""
    with pytest.raises(StreamError, match="expected int64, found string"):
        read('{"a":"x","a":5}')
    assert read('{"a":1,"a":5}')[0]["a"] == 5


def test_where_an_equal_member_before_need_not_fit() -> None:
    """With a rest if there can be a null, and in maps of maps, as the guide says."""
    deep: Any = TypedDict("Deep", {"m": dict[str, dict[str, int]]})  # type: ignore[misc]
    text = b'{"m":{"o":{"k":"x","k":5}}}'
    assert rows(snooze.scan(text, deep)) == [{"m": {"o": {"k": 5}}}]
    flat: Any = TypedDict("Flat", {"m": dict[str, int]})  # type: ignore[misc]
    for schema, text in ((One, b'{"a":"x","a":5}'), (flat, b'{"m":{"k":"x","k":5}}')):
        for drift in ("ignore", "rest"):
            with pytest.raises(StreamError, match="expected int64, found string"):
                rows(snooze.scan(text, schema, drift=drift))
