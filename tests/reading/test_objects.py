"""`duplicates` and the hooks of objects."""

from __future__ import annotations

import gc
import json
from collections import OrderedDict
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import snooze
from helpers.equality import assert_same
from snooze import Decoder, JSONDecodeError

FIRST: Decoder[Any] = Decoder(duplicates="first")
REFUSED: Decoder[Any] = Decoder(duplicates="error")


def test_last_first_or_error() -> None:
    """In every object of the document, however the name is written."""
    document = '{"a": 1, "b": {"x": 1, "\\u0078": 2}, "a": 3}'
    assert snooze.decode(document) == {"a": 3, "b": {"x": 2}}
    assert FIRST.decode(document) == {"a": 1, "b": {"x": 1}}
    with pytest.raises(JSONDecodeError, match="occurs twice in one object") as caught:
        REFUSED.decode(document)
    assert (caught.value.pos, caught.value.pointer) == (23, "/b/x")
    assert document[23:31] == '"\\u0078"'


def test_the_first_of_several_repetitions_is_reported() -> None:
    """By its own place, counted in characters."""
    with pytest.raises(JSONDecodeError) as caught:
        REFUSED.decode('{"é": 1, "b": 2, "b": 3, "é": 4}')
    assert (caught.value.pos, caught.value.pointer) == (17, "/b")


def test_equal_names_of_different_objects_are_no_duplicates() -> None:
    """Siblings, parents and children, objects in arrays."""
    document = '[{"a": {"a": [{"a": 1}, {"a": 2}]}, "b": 0}, {"a": 1}]'
    assert REFUSED.decode(document) == json.loads(document)


def test_large_objects() -> None:
    """Beyond the sizes of dicts that are built in place."""
    members = ", ".join(f'"k{index}": {index}' for index in range(30_000))
    expected = json.loads(f"{{{members}}}")
    assert REFUSED.decode(f"{{{members}}}") == expected
    assert FIRST.decode(f'{{{members}, "k7": "later"}}') == expected
    with pytest.raises(JSONDecodeError) as caught:
        REFUSED.decode(f'{{{members}, "k7": "later"}}')
    assert caught.value.pointer == "/k7"


NAMES = st.sampled_from(["", "a", "b", "é", "\U0001f600", "a/b", "~"])
PAIRS = st.lists(st.tuples(NAMES, st.integers(0, 3)), max_size=6)


@given(PAIRS)
def test_as_json_with_a_hook(pairs: list[tuple[str, int]]) -> None:
    """The same objects as a hook of json makes."""
    document = "{" + ",".join(f"{json.dumps(k)}:{v}" for k, v in pairs) + "}"

    def first(found: list[tuple[str, Any]]) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for name, value in found:
            result.setdefault(name, value)
        return result

    expected = json.loads(document, object_pairs_hook=first)
    assert list(FIRST.decode(document).items()) == list(expected.items())
    if len(expected) == len(pairs):
        assert REFUSED.decode(document) == expected
    else:
        with pytest.raises(JSONDecodeError):
            REFUSED.decode(document)
    assert Decoder(object_pairs_hook=list).decode(document) == pairs


def test_hooks_get_what_those_of_json_get() -> None:
    """The innermost object first, empty ones too."""
    document = '[{"a": {"b": [1, {}]}}, {}, {"a": 1, "a": 2}]'
    for name in ("object_hook", "object_pairs_hook"):
        ours: list[Any] = []
        theirs: list[Any] = []
        for seen, load in ((ours, snooze.decode), (theirs, json.loads)):

            def hook(found: Any, seen: list[Any] = seen) -> Any:
                seen.append(found)
                return ("hooked", len(seen))

            options: Any = {name: hook}
            seen.append(load(document, **options))
        assert_same(ours, theirs)
    found = Decoder(object_pairs_hook=OrderedDict).decode('{"b": 1, "a": 2}')
    assert_same(found, OrderedDict(b=1, a=2))


def test_duplicates_and_object_hook() -> None:
    """The dict that the hook gets has the first of equal names, or none."""
    document = '{"a": 1, "a": 2}'
    assert snooze.decode(document, object_hook=list, duplicates="first") == ["a"]
    assert snooze.decode(document, object_hook=dict.copy) == {"a": 2}
    with pytest.raises(JSONDecodeError):
        snooze.decode(document, object_hook=list, duplicates="error")


def test_an_exception_of_a_hook_is_raised_as_it_is() -> None:
    """Also one that is not an Exception."""
    for kind in (ValueError, KeyError, KeyboardInterrupt):

        def hook(_: Any, kind: type[BaseException] = kind) -> Any:
            raise kind("from the hook")

        with pytest.raises(kind, match="from the hook"):
            Decoder(object_hook=hook).decode('[1, {"a": 1}, 2]')


def test_a_hook_may_decode_and_collect() -> None:
    """Calls nest; the collector may run; what it changes is its own."""
    decoder: Decoder[Any]

    def hook(found: dict[str, Any]) -> Any:
        gc.collect()
        if "nested" in found:
            return decoder.decode(found["nested"])
        found["more"] = 1
        return found

    decoder = Decoder(object_hook=hook)
    document = '[[1.5, "x"], {"nested": "{\\"a\\": [1, {}]}"}, {"b": 2}]'
    assert decoder.decode(document) == [
        [1.5, "x"],
        {"a": [1, {"more": 1}], "more": 1},
        {"b": 2, "more": 1},
    ]


def test_duplicates_with_a_type() -> None:
    """The document is checked before it is decoded."""
    decoder = Decoder(dict[str, int], duplicates="error")
    assert decoder.decode(b'{"a": 1}') == {"a": 1}
    with pytest.raises(JSONDecodeError, match="occurs twice"):
        decoder.decode(b'{"a": 1, "a": 1}')
    with pytest.raises(snooze.ValidationError):
        decoder.decode(b'{"a": "1"}')
