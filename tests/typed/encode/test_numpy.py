"""Typed encoding of numpy arrays and scalars: every layout, dtypes, and NaN."""

from __future__ import annotations

import dataclasses
from typing import Any, TypeVar

import pytest
from typing_extensions import TypeAliasType

import snooze

np: Any = pytest.importorskip("numpy")
NDArray: Any = pytest.importorskip("numpy.typing").NDArray


def looped() -> Any:
    """Return an array of objects that contains itself."""
    array = np.empty(1, dtype=object)
    array[0] = array
    return array


@pytest.mark.parametrize(
    ("array", "document"),
    [
        (np.arange(6).reshape(2, 3).T, b"[[0,3],[1,4],[2,5]]"),
        (np.arange(6)[::2], b"[0,2,4]"),
        (np.arange(3)[::-1], b"[2,1,0]"),
        (np.array([1.1, 0.0, 2.5], dtype="f4")[::2], b"[1.1,2.5]"),
        (np.array([1.1], dtype=">f4"), b"[1.1]"),
        (np.array([[1, 2]], dtype=">i2"), b"[[1,2]]"),
        (np.array(3), b"3"),
        (np.array(1.1, dtype="f4"), b"1.1"),
        (np.array({"a": 1}, dtype=object), b'{"a":1}'),
        (np.array([1, "a", None, 1.5], dtype=object), b'[1,"a",null,1.5]'),
        (np.array(["a", "é"]), '["a","é"]'.encode()),
        (np.array([b"ab"]), b'["YWI="]'),
        (np.array(["2020-01-02", "NaT"], dtype="M8[D]")[::-1], None),
        (np.zeros((2, 0)), b"[[],[]]"),
    ],
)
def test_layouts(array: Any, document: bytes | None) -> None:
    """Arrays of any layout are written, with a hook and without."""
    if document is None:
        document = b'[null,"2020-01-02T00:00:00"]'
    assert snooze.encode(array) == document
    assert snooze.encode([array], enc_hook=repr) == b"[" + document + b"]"


@pytest.mark.parametrize(
    "array",
    [
        np.array([1, 2], dtype="m8[s]"),
        np.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f8")]),
    ],
)
def test_arrays_without_a_form(array: Any) -> None:
    """They go to the hook; without one, the message names their class."""
    assert snooze.encode([array], enc_hook=lambda one: one.shape) == (
        b"[[" + str(array.shape[0]).encode() + b"]]"
    )
    with pytest.raises(
        snooze.JSONEncodeError,
        match=r"^Type is not JSON serializable: ndarray at \$\[0\]$",
    ):
        snooze.encode([array])


def test_elements_without_a_form() -> None:
    """Each goes to the hook, with its place in the array."""
    array = np.array([slice(0), 2], dtype=object)
    assert snooze.encode(array, enc_hook=lambda one: one.stop) == b"[0,2]"
    with pytest.raises(
        snooze.JSONEncodeError,
        match=r"^Type is not JSON serializable: slice at \$\[0\]$",
    ):
        snooze.encode(array)


def test_an_array_inside_itself() -> None:
    """It is too deep, like a list inside itself."""
    with pytest.raises(snooze.JSONEncodeError, match="Recursion limit"):
        snooze.encode(looped())


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_floats_that_are_not_finite(dtype: str) -> None:
    """nan="error" reaches the elements of arrays, and scalars."""
    array = np.array([[1.0, 2.0], [3.0, np.nan], [np.inf, 0.0]], dtype=dtype)
    assert snooze.encode(array) == b"[[1.0,2.0],[3.0,null],[null,0.0]]"
    for value, message in [
        (array, "found NaN in element [1][1] of the array at $[0]"),
        (array.T, "found Infinity in element [0][2] of the array at $[0]"),
        (array[2, 0], "found Infinity at $[0]"),
        (-array[2, 0], "found -Infinity at $[0]"),
    ]:
        with pytest.raises(snooze.JSONEncodeError) as caught:
            snooze.encode([value], nan="error")
        assert str(caught.value) == f"expected a finite number, {message}"
    assert snooze.encode(array[0], nan="error") == b"[1.0,2.0]"
    assert snooze.encode(array[:1], NDArray[np.float64]) == b"[[1.0,2.0]]"


@pytest.mark.parametrize(
    ("dtype", "accepted", "refused"),
    [
        ("i8", ["i8", "i4", "u4", "u1"], ["f8", "f4", "?", "U1", "u8"]),
        ("f8", ["f8", "f4", "f2", "i4", "u4", "i8"], ["?", "c16", "U1"]),
        ("f4", ["f4", "f2", "i2"], ["f8", "i8", "?"]),
        ("?", ["?"], ["i1", "f8"]),
        ("u1", ["u1"], ["i1", "u2", "?"]),
    ],
)
def test_arrays_of_a_dtype(dtype: str, accepted: list[str], refused: list[str]) -> None:
    """An array is written if each of its numbers is one of the dtype."""
    tp = NDArray[np.dtype(dtype).type]
    encoder, decoder = snooze.Encoder(tp), snooze.Decoder(tp)
    for other in accepted:
        array = np.ones(3, dtype=other)
        assert (decoder.decode(encoder.encode(array)) == array).all()
    name = np.dtype(dtype).name
    for other in refused:
        with pytest.raises(
            snooze.JSONEncodeError,
            match=f"^expected numpy array of {name}, found numpy array of ",
        ):
            encoder.encode(np.ones(3, dtype=other))
    for value, found in [([1], "list"), (np.int64(1), "int64")]:
        with pytest.raises(
            snooze.JSONEncodeError,
            match=rf"^expected numpy array of {name}, found {found} at \$$",
        ):
            encoder.encode(value)


@pytest.mark.parametrize("direct", [True, False])
def test_the_dtype_of_a_generic_alias(*, direct: bool) -> None:
    """In numpy 2.5, NDArray is a generic alias; its argument is the dtype."""
    scalar = TypeVar("scalar", bound=np.generic)
    array = np.ndarray[Any, np.dtype[scalar]]  # type: ignore[valid-type]
    alias = TypeAliasType("Items", array, type_params=(scalar,))
    tp = NDArray[np.int64] if direct else alias[np.int64]
    assert snooze.decode(b"[1,2]", tp).dtype == np.int64
    with pytest.raises(snooze.ValidationError, match="expected int64, found 1.5"):
        snooze.decode(b"[1.5]", tp)
    with pytest.raises(snooze.JSONEncodeError, match="expected numpy array of int64"):
        snooze.encode(np.array([1.5]), tp)


def test_arrays_without_dimensions() -> None:
    """A Decoder of arrays refuses a number."""
    with pytest.raises(
        snooze.JSONEncodeError,
        match=r"^expected numpy array of int64, found numpy array without dimensions",
    ):
        snooze.encode(np.array(3), NDArray[np.int64])


def test_arrays_and_defaults() -> None:
    """An array never equals the default, although its elements may."""

    @dataclasses.dataclass
    class Row:
        a: Any = 5

    for items in ([5], [1, 2], []):
        document = snooze.encode(Row(np.array(items, dtype=int)), omit_defaults=True)
        assert snooze.loads(document) == {"a": items}


def test_scalars_in_members() -> None:
    """numpy's scalars are written where their Python counterparts are."""

    @dataclasses.dataclass
    class Row:
        count: int
        ratio: float
        done: bool
        note: str = ""

    row = Row(np.int32(3), np.float32(1.1), np.bool_(True))
    encoder = snooze.Encoder(Row)
    assert encoder.encode(row) == b'{"count":3,"ratio":1.1,"done":true,"note":""}'
    assert snooze.encode(np.uint64(2**64 - 1), int) == b"18446744073709551615"
    assert snooze.encode(np.int8(1), float) == b"1"
    for value, tp in [
        (np.float64(1), int),
        (np.float32(1), int),
        (np.bool_(True), int),
        (np.int64(1), bool),
        (np.int64(1), str),
        (np.datetime64("2020-01-01"), int),
    ]:
        with pytest.raises(snooze.JSONEncodeError, match=f"^expected {tp.__name__}, "):
            snooze.encode(value, tp)
    with pytest.raises(snooze.JSONEncodeError, match=r"finite number, found NaN at"):
        snooze.encode(np.float32("nan"), float, nan="error")


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
@pytest.mark.parametrize("nan", ["null", "string", "literal"])
def test_a_neighbour_changes_no_number(dtype: str, nan: Any) -> None:
    """NaN has a text that Rust does not write; the others keep their digits."""
    bits = np.arange(0, 0x7C00, 13, dtype=np.uint16)
    values = bits.view(np.float16).astype(dtype)
    alone = snooze.encode(values, nan=nan)
    beside = snooze.encode(np.append(values, np.array(np.nan, dtype)), nan=nan)
    found = snooze.decode(beside, nan="accept")
    assert found[:-1] == snooze.loads(alone)
    made = snooze.to_builtins(np.append(values, np.array(np.nan, dtype)))
    assert made[:-1] == snooze.to_builtins(values)


@pytest.mark.parametrize(
    "array",
    [
        np.zeros((1, 1, 1)),
        np.zeros((1, 1, 1), dtype=bool),
        np.zeros((2, 1, 1), order="F"),
        np.zeros((1, 1, 1), dtype="datetime64[s]"),
        np.zeros((1, 1, 1), dtype=">f8"),
    ],
)
@pytest.mark.parametrize("outer", [0, 1, 300])
def test_dimensions_count_as_containers(array: Any, outer: int) -> None:
    """Up to `max_depth`, and not the limit of `dumps`."""
    value = array
    for _ in range(outer):
        value = [value]
    assert snooze.Encoder(max_depth=outer + 3).encode(value)
    message = f"(?m)^Recursion limit reached: nested deeper than max_depth={outer + 2}$"
    with pytest.raises(TypeError, match=message):
        snooze.Encoder(max_depth=outer + 2).encode(value)


@pytest.mark.parametrize("name", ["complex64", "complex128"])
def test_complex_scalars(name: str) -> None:
    """As the items of an array of that type."""
    cls = getattr(np, name)
    assert snooze.encode(np.array([1 + 2j], dtype=name)) == b'["1+2j"]'
    assert snooze.encode([cls(1 + 2j), {"a": cls(-1j)}]) == b'["1+2j",{"a":"-0-1j"}]'
    assert snooze.encode(cls(1j), enc_hook=repr) == snooze.encode(repr(cls(1j)))
    assert snooze.decode('"1+2j"', cls) == cls(1 + 2j)
