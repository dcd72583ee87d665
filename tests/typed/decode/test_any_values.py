"""Values of any type inside typed documents: the walk of `loads` reads their containers.

The result must be that of `loads`, except that integers beyond 64 bits stay integers; a
fault must be the one that `loads` finds, at the same place.
"""

from __future__ import annotations

import gc
import json
import sys
from dataclasses import dataclass, field
from typing import Annotated, Any, TypedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st

import snooze
from helpers.equality import assert_same
from helpers.strategies import documents, mutated_documents, token_documents
from helpers.typed_tools import Decoder
from snooze import Field, MaxLen

BIG = 10**30


@dataclass
class Event:
    """Has values of any type in several positions."""

    name: str = ""
    payload: Any = None
    tags: list[Any] = field(default_factory=list)
    labels: dict[str, Any] = field(default_factory=dict)
    plain: dict = field(default_factory=dict)  # type: ignore[type-arg]
    score: float = 0.0


#: Around a document: its start, its end, the decoder, and how to find the value.
PLACES: list[tuple[bytes, bytes, Any, Any]] = [
    (b"[", b"]", Decoder(list[Any]), lambda found: found[0]),
    (b'[["x",', b"]]", Decoder(list[list[Any]]), lambda found: found[0][1]),
    (b"[1,[2],", b"]", Decoder(tuple[Any, ...]), lambda found: found[2]),
    (b'{"k": ', b"}", Decoder(dict[str, Any]), lambda found: found["k"]),
    (b'{"k":', b"}", Decoder(dict), lambda found: found["k"]),
    (b'{"payload":', b"}", Decoder(Event), lambda found: found.payload),
    (b'{"tags":[', b'],"score":1}', Decoder(Event), lambda found: found.tags[0]),
    (b'{"labels":{"a":', b'}, "name":"n"}', Decoder(Event), lambda e: e.labels["a"]),
    (b'{"plain":{"a":', b"}}", Decoder(Event), lambda found: found.plain["a"]),
]


def stdlib(document: bytes) -> Any:
    """Return what `json` reads: integers of any size."""
    return json.loads(document.decode("utf-8"))


@given(documents())
def test_as_loads(document: bytes) -> None:
    """In every place, the value is that of the standard library."""
    expected = stdlib(document)
    for start, end, decoder, value in PLACES:
        assert_same(value(decoder.decode(start + document + end)), expected)


@given(st.one_of(mutated_documents(), token_documents), st.sampled_from(PLACES))
def test_faults_are_those_of_loads(document: bytes, place: Any) -> None:
    """A whole document is refused as `loads` refuses it, with the same error."""
    start, end, decoder, _value = place
    text = start + document + end
    try:
        snooze.loads(text)
    except snooze.JSONDecodeError as error:
        with pytest.raises(snooze.JSONDecodeError) as caught:
            decoder.decode(text)
        found = caught.value
        if type(found) is snooze.JSONDecodeError:
            assert (found.msg, found.pos) == (error.msg, error.pos)
    else:
        try:
            decoder.decode(text)
        except snooze.JSONDecodeError as error:
            # The change made another document, which does not fit.
            assert type(error) is not snooze.JSONDecodeError


@pytest.mark.parametrize("at", range(4))
def test_integers_beyond_64_bits(at: int) -> None:
    """They stay integers, and what is around them is read as before."""
    values = [{"a": [1, 2.5, "é"]}, [1e300, -(2**63)], {"b": {"c": [True]}}, {}]
    values[at] = {"deep": [[{"x": [BIG, -BIG, 2**64]}]], "float": float(2**64)}
    text = json.dumps(values).encode()
    assert_same(Decoder(list[Any]).decode(text), values)
    assert_same(Decoder(list[dict[str, Any] | list[Any]]).decode(text), values)
    event = {"payload": values, "tags": values, "labels": {"a": values}}
    found = Decoder(Event).decode(json.dumps(event))
    assert_same([found.payload, found.tags, found.labels["a"]], [values] * 3)


def test_the_depth_is_that_of_the_document() -> None:
    """Containers around the value count."""
    for start, end, decoder, _value in PLACES:
        opened = start.count(b"[") + start.count(b"{") - start.count(b"[2]")
        for depth in (1024 - opened, 1025 - opened):
            text = start + b"[" * depth + b"]" * depth + end
            if depth + opened <= 1024:
                decoder.decode(text)
                continue
            with pytest.raises(snooze.JSONDecodeError) as caught:
                decoder.decode(text)
            with pytest.raises(snooze.JSONDecodeError) as expected:
                snooze.loads(text)
            assert str(caught.value) == str(expected.value)


def test_a_deep_integer_beyond_64_bits() -> None:
    """It is read exactly, however many containers of any values are around it."""
    text = b"[" * 1000 + str(BIG).encode() + b"]" * 1000
    found = Decoder(list[Any]).decode(text)
    while isinstance(found, list):
        (found,) = found
    assert found == BIG


def test_the_collector_knows_the_containers() -> None:
    """A dict with containers is tracked; so a cycle through it can be collected."""
    outer = Decoder(dict[str, Any] | int).decode(b'{"a":{"b":[]},"c":1}')
    assert gc.is_tracked(outer)
    assert gc.is_tracked(outer["a"])
    found = Decoder(dict[str, dict[str, Any]]).decode(b'{"a":{"b":[1]}}')
    assert gc.is_tracked(found)
    assert gc.is_tracked(found["a"])
    mixed = Decoder(dict[str, int | dict[str, Any]]).decode(b'{"a":1,"b":{"c":[1]}}')
    assert gc.is_tracked(mixed)
    limited = Decoder(Annotated[dict[str, Any], MaxLen(3)]).decode(b'{"a":{"b":[1]}}')
    assert gc.is_tracked(limited)


def test_bounds_and_unknown_members_still_hold() -> None:
    """What only looks like values of any type is checked."""
    decoder = Decoder(Annotated[list[Any], MaxLen(2)])
    assert decoder.decode(b"[[1],{}]") == [[1], {}]
    with pytest.raises(snooze.ValidationError, match="length"):
        decoder.decode(b"[1,2,3]")

    @dataclass
    class Rest:
        a: Any = None
        rest: Annotated[dict[str, Any], Field(rest=True)] = field(default_factory=dict)

    found = Decoder(Rest).decode(b'{"a":{"x":[1]},"b":{"y":[2.5]},"c":[{}]}')
    assert found == Rest({"x": [1]}, {"b": {"y": [2.5]}, "c": [{}]})
    with pytest.raises(snooze.ValidationError, match="expected object, found array"):
        Decoder(dict[str, Any]).decode(b"[{}]")


def test_errors_are_collected_around_them() -> None:
    """With `errors="all"` the walk goes on behind such a value."""
    decoder = Decoder(list[Event], errors="all")
    text = b'[{"payload":{"a":[1]},"score":"x"},{"tags":[[]],"name":1},{"labels":[]}]'
    with pytest.raises(snooze.ValidationError) as caught:
        decoder.decode(text)
    pointers = [problem.pointer for problem in caught.value.errors]
    assert pointers == ["/0/score", "/1/name", "/2/labels"]


class Table(TypedDict, total=False):
    """A dict with known names."""

    number: int
    items: list[int]
    more: Any


def test_typed_dicts_are_tracked() -> None:
    """If a value of theirs can be in a cycle."""
    decoder = Decoder(list[Table])
    found = decoder.decode('[{"items":[1]},{"more":{"a":[]},"number":1},{"more":[]}]')
    assert found == [{"items": [1]}, {"more": {"a": []}, "number": 1}, {"more": []}]
    assert all(map(gc.is_tracked, found))
    assert [*found[1]] == ["number", "more"]
    assert decoder.decode('[{},{"number":1}]') == [{}, {"number": 1}]


def test_options_of_decoders() -> None:
    """They hold for such values, and around them."""
    text = b'{"a":{"payload":{"x":[1.50,{"y":' + str(BIG).encode() + b"}]}}}"
    at = Decoder(dict[str, Any], at="/a/payload").decode(text)
    assert_same(at, {"x": [1.5, {"y": BIG}]})
    lax = Decoder(Event, strict=False).decode('{"score":"1.5","payload":{"a":"1"}}')
    assert_same((lax.score, lax.payload), (1.5, {"a": "1"}))
    json5 = Decoder(dict[str, Any], syntax="json5").decode(
        "{a: [0x10, .5, {b: 'c',},],}"
    )
    assert_same(json5, {"a": [16, 0.5, {"b": "c"}]})


def test_lines_after_an_integer_beyond_64_bits() -> None:
    """Each line begins anew."""
    values = [{"payload": [BIG, {"a": 1}]}, {"payload": {"b": [2.5]}}, {"payload": []}]
    lines = "\n".join(map(json.dumps, values))
    found = Decoder(Event).decode_lines(lines)
    assert_same([one.payload for one in found], [one["payload"] for one in values])


def test_names_and_short_strings_are_shared() -> None:
    """The caches of the typed walk and of such values are the same."""
    text = b'[{"name":"n1","payload":{"name":"n1"}},{"payload":[{"name":"n1"}]}]'
    first, second = Decoder(list[Event]).decode(text)
    names = [*first.payload, *second.payload[0]]
    assert names[0] is names[1]
    assert first.payload["name"] == second.payload[0]["name"] == "n1"


def test_nothing_is_left_behind() -> None:
    """Neither results nor faults keep objects alive."""
    decoder = Decoder(list[Event])
    marker = "a value of this test only"
    good = json.dumps([{"payload": {"a": [marker, BIG]}, "tags": [[marker]]}]).encode()
    bad = good[:-3]
    decoder.decode(good)
    gc.collect()
    before = sys.getallocatedblocks()
    for _ in range(200):
        decoder.decode(good)
        with pytest.raises(snooze.JSONDecodeError):
            decoder.decode(bad)
    gc.collect()
    assert sys.getallocatedblocks() - before < 150
