"""dumps compared with orjson: the same bytes, or the same exception type, text and cause.

Objects come from strategies.py, which leaves out the cases where the two differ on
purpose; the comparison itself allows no difference.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import snooze
from helpers.strategies import (
    FloatSub,
    clean_objects,
    floats,
    ints,
    json_values,
    long_texts,
    objects,
    options,
    texts,
    unwrap,
)
from helpers.support import Outcome, needs_orjson, orjson, outcome

pytestmark = needs_orjson


def own_names(result: Outcome) -> Outcome:
    """Replace orjson's name in its error texts by snooze's."""
    return Outcome(
        value=result.value,
        error=result.error,
        text=result.text.replace("orjson.Fragment", "snooze.Fragment"),
        place=tuple(
            part.replace("orjson", "snooze") if isinstance(part, str) else part
            for part in result.place
        ),
    )


def agree(value: Any, **kwargs: Any) -> Outcome:
    """Dump with both libraries and assert that they do the same."""
    ours = outcome(snooze.dumps, value, **kwargs)
    theirs = own_names(outcome(orjson.dumps, value, **kwargs))
    assert ours == theirs
    return ours


@given(objects, options)
def test_any_object_with_any_options(value: Any, option: int) -> None:
    """Random objects with random options; many raise an error."""
    agree(value, option=option)


@given(objects, options)
def test_any_object_with_default(value: Any, option: int) -> None:
    """The same with a default that handles some of the objects."""
    agree(value, option=option, default=unwrap)


@given(clean_objects, options)
def test_serializable_objects(value: Any, option: int) -> None:
    """Mostly serializable objects, so that long outputs are compared."""
    agree(value, option=option, default=unwrap)


@given(json_values(max_leaves=150))
def test_json_values(value: Any) -> None:
    """Plain trees, compact, indented and sorted; the stdlib reads them back."""
    for option in (None, snooze.OPT_INDENT_2, snooze.OPT_SORT_KEYS):
        result = agree(value, option=option)
        if result.error is None:
            assert json.loads(result.value) == value


@given(st.lists(texts | long_texts, max_size=30))
def test_texts(value: list[str]) -> None:
    """Texts of every width and length, as values and keys."""
    agree(value)
    agree({text: text for text in value}, option=snooze.OPT_SORT_KEYS)


@given(st.lists(floats | ints, max_size=50))
def test_numbers(value: list[Any]) -> None:
    """Floats and integers, some beyond 64 bits."""
    agree(value)
    agree(value, option=snooze.OPT_STRICT_INTEGER)
    agree([FloatSub(1)], default=lambda _: value)


@given(st.binary(max_size=60) | texts | st.text(max_size=5), options)
def test_fragments(contents: Any, option: int) -> None:
    """Fragments with any contents among other values."""
    ours = outcome(snooze.dumps, {"a": [snooze.Fragment(contents), 1]}, option=option)
    theirs = outcome(orjson.dumps, {"a": [orjson.Fragment(contents), 1]}, option=option)
    assert ours == own_names(theirs)


@given(st.data())
def test_numpy(data: st.DataObject) -> None:
    """Arrays and their elements, of the supported dtypes and any shape and layout."""
    np = pytest.importorskip("numpy")
    dtype = data.draw(
        st.sampled_from(["?", "b", "h", "i", "q", "B", "H", "I", "Q", "e", "f", "d"])
    )
    shape = tuple(data.draw(st.lists(st.integers(0, 4), max_size=4)))
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    raw = data.draw(st.binary(min_size=size, max_size=size))
    raw = bytes(byte & 1 for byte in raw) if dtype == "?" else raw
    array = np.frombuffer(raw, dtype).reshape(shape)
    if data.draw(st.integers(0, 3)) == 0:
        array = array.astype(array.dtype.newbyteorder())
    layout = data.draw(st.sampled_from(["plain", "plain", "transposed", "step"]))
    if layout == "transposed":
        array = array.T
    elif layout == "step":
        array = array[::2] if shape else array
    option = data.draw(options) | snooze.OPT_SERIALIZE_NUMPY
    for value in (array, [array, {"a": array}], list(array.flat)):
        agree(value, option=option)
        agree(value, option=option, default=lambda a: a.tolist())


def datetime64_orjson_can_write(unit: str) -> tuple[int, int]:
    """Return the range in which orjson is right: no months before 1970, no wrapping.

    Its last representable moment is 9999-12-30T22:00:00Z.
    """
    day = 86_400
    first, last = -62_167_219_200, 253_402_207_200
    seconds = {"W": 7 * day, "D": day, "h": 3600, "m": 60, "s": 1}
    if unit == "Y":
        return -1970, 8029
    if unit == "M":
        return 0, 8030 * 12 - 1
    if unit in seconds:
        return -(-first // seconds[unit]), last // seconds[unit]
    scale = {"ms": 10**3, "us": 10**6, "ns": 10**9}[unit]
    return max(first * scale, -(2**63) + 1), min(last * scale, 2**63 - 1)


@given(st.data(), options)
def test_numpy_datetime64(data: st.DataObject, option: int) -> None:
    """datetime64 of every unit, in the range in which orjson is right."""
    np = pytest.importorskip("numpy")
    unit = data.draw(
        st.sampled_from(["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns"])
    )
    low, high = datetime64_orjson_can_write(unit)
    counts = data.draw(st.lists(st.integers(low, high), min_size=1, max_size=6))
    array = np.array(counts, f"M8[{unit}]")
    option |= snooze.OPT_SERIALIZE_NUMPY
    for value in (array, array.reshape(-1, 1), [*array]):
        agree(value, option=option)


def test_documents(documents: dict[str, bytes]) -> None:
    """The four benchmark documents, with every layout option."""
    for data in documents.values():
        value = json.loads(data)
        for option in (0, 1, 32, 33, 1024, 4, 36):
            agree(value, option=option)
