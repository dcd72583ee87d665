"""dumps of numpy arrays and scalars with OPT_SERIALIZE_NUMPY.

datetime64 is tested in test_numpy_datetime.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import snooze
from helpers.support import float32_text, float_text, nested

np = pytest.importorskip("numpy", reason="numpy is not installed: NOT tested")

NUMPY = snooze.OPT_SERIALIZE_NUMPY
INDENT = snooze.OPT_INDENT_2
CONTIGUOUS = "numpy array is not C contiguous; use ndarray.tolist() in default"
ENDIAN = "numpy array is not native-endianness"
DATATYPE = "unsupported datatype in numpy array"
INTEGERS = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]
FLOATS = ["f2", "f4", "f8"]
SHAPES = [(0,), (1,), (3,), (2, 0), (0, 2), (0, 0), (1, 1), (3, 1), (2, 3)]
SHAPES += [(2, 0, 3), (0, 2, 3), (2, 3, 0), (1, 1, 1), (2, 1, 2), (2, 3, 4)]


def compact(value: Any) -> bytes:
    """Return the stdlib's compact text."""
    return json.dumps(value, separators=(",", ":")).encode()


def refused(value: Any, option: int = NUMPY) -> str:
    """Return the text of the error, after checking that it has no cause."""
    with pytest.raises(snooze.JSONEncodeError) as caught:
        snooze.dumps(value, option=option)
    assert caught.value.__cause__ is None
    return str(caught.value)


@pytest.mark.parametrize("dtype", [*INTEGERS, "?"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_integer_and_bool_arrays(dtype: str, shape: tuple[int, ...]) -> None:
    """Every shape, empty dimensions included, is written like tolist()."""
    size = int(np.prod(shape))
    array = np.arange(size).astype(dtype).reshape(shape)
    assert snooze.dumps(array, option=NUMPY) == compact(array.tolist())
    expected = json.dumps([array.tolist()], indent=2).encode()
    assert snooze.dumps([array], option=NUMPY | INDENT) == expected


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integer_extremes(dtype: str) -> None:
    """The limits of each integer type, as arrays and as scalars."""
    info = np.iinfo(dtype)
    numbers = [info.min, 0, 1, info.max]
    assert snooze.dumps(np.array(numbers, dtype), option=NUMPY) == compact(numbers)
    scalars = [np.dtype(dtype).type(n) for n in numbers]
    assert snooze.dumps(scalars, option=NUMPY) == compact(numbers)


@pytest.mark.parametrize("dtype", FLOATS)
def test_floats_have_their_own_precision(dtype: str) -> None:
    """The shortest digits for the width of the type; float16 like the equal float32."""
    text = float_text if dtype == "f8" else float32_text
    exponents = range(-330, 310)
    with np.errstate(over="ignore", under="ignore"):
        numbers = [f"{m}e{e}" for m in ("1", "1.2345678", "9.75") for e in exponents]
        array = np.array(numbers, "f8").astype(dtype)
    array = np.concatenate(
        [array, -array, np.array([0.0, -0.0, "nan", "inf", "-inf"], dtype)]
    )
    expected = [text(number) for number in array]
    assert snooze.dumps(array, option=NUMPY) == f"[{','.join(expected)}]".encode()
    for number, written in zip(array[::7], expected[::7], strict=True):
        assert snooze.dumps(number, option=NUMPY) == written.encode()


def test_every_float16() -> None:
    """All 65,536 float16 values."""
    array = np.arange(65536, dtype="u2").view("f2")
    expected = ",".join(float32_text(number) for number in array)
    assert snooze.dumps(array, option=NUMPY) == f"[{expected}]".encode()


@given(st.floats(width=32))
def test_any_float32(number: float) -> None:
    """Any float32, alone and in an array."""
    expected = float32_text(np.float32(number)).encode()
    assert snooze.dumps(np.float32(number), option=NUMPY) == expected
    array = np.array([[number]], "f4")
    assert snooze.dumps(array, option=NUMPY) == b"[[" + expected + b"]]"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (np.bool_(True), b"true"),
        (np.bool_(False), b"false"),
        (np.float64(-0.0), b"-0.0"),
        (np.float32(0.1), b"0.1"),
        (np.float16(0.1), b"0.099975586"),
        (np.int32(-5), b"-5"),
        (np.uint32(5), b"5"),
        (np.intp(-5), b"-5"),
        (np.uintp(5), b"5"),
        (np.half(1.5), b"1.5"),
    ],
    ids=repr,
)
def test_scalars(value: Any, expected: bytes) -> None:
    """numpy scalars are written; default is not called."""
    assert snooze.dumps(value, option=NUMPY) == expected
    assert (
        snooze.dumps({"k": value}, lambda _: "d", NUMPY) == b'{"k":' + expected + b"}"
    )


@pytest.mark.parametrize(
    "value",
    [np.zeros(2), np.float64(1.5), np.int8(1), np.bool_(1), np.datetime64("2020")],
    ids=lambda value: type(value).__name__,
)
def test_without_the_option(value: Any) -> None:
    """numpy types are not serializable without OPT_SERIALIZE_NUMPY."""
    kind = type(value)
    name = f"{kind.__module__}.{kind.__name__}"
    assert refused(value, 0) == f"Type is not JSON serializable: {name}"
    assert snooze.dumps(value, default=lambda _: "d") == b'"d"'


@pytest.mark.parametrize(
    "value",
    [
        np.longdouble(1),
        np.complex64(1),
        np.bytes_(b"a"),
        np.void(b"a"),
        np.timedelta64(1, "s"),
        np.longlong(1) if np.longlong is not np.int64 else 1j,
    ],
    ids=lambda value: type(value).__name__,
)
def test_unsupported_scalars(value: Any) -> None:
    """Other scalars go to default."""
    name = type(value).__name__
    assert refused(value).startswith("Type is not JSON serializable: ")
    assert refused(value).endswith(name)
    assert snooze.dumps(value, default=lambda _: "d", option=NUMPY) == b'"d"'


def test_str_scalar_is_a_str_subclass() -> None:
    """numpy.str_ is a str with or without the option."""
    assert snooze.dumps(np.str_("é")) == '"é"'.encode()
    assert snooze.dumps({np.str_("k"): 1}, option=snooze.OPT_NON_STR_KEYS) == b'{"k":1}'


@pytest.mark.parametrize("value", [np.int64(1), np.float64(1), np.bool_(1)], ids=repr)
def test_scalars_are_no_keys(value: Any) -> None:
    """numpy scalars cannot be keys."""
    text = "Dict key must a type serializable with OPT_NON_STR_KEYS"
    assert refused({value: 1}, NUMPY | snooze.OPT_NON_STR_KEYS) == text


def test_strict_integer_does_not_apply() -> None:
    """OPT_STRICT_INTEGER does not limit numpy integers."""
    option = NUMPY | snooze.OPT_STRICT_INTEGER
    assert snooze.dumps(np.int64(2**60), option=option) == b"1152921504606846976"
    assert snooze.dumps(np.array([2**60]), option=option) == b"[1152921504606846976]"


@pytest.mark.parametrize(
    "dtype", ["g", "F", "D", "O", "U3", "S3", "m8[s]", "V2"], ids=str
)
@pytest.mark.parametrize("shape", [(2,), (), (0,)], ids=str)
def test_unsupported_datatypes(dtype: str, shape: tuple[int, ...]) -> None:
    """Arrays of other dtypes go to default, whatever their shape."""
    array = np.zeros(shape, dtype)
    assert refused(array) == DATATYPE
    assert snooze.dumps(array, default=lambda _: "d", option=NUMPY) == b'"d"'


@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS, "?", "M8[s]"])
def test_zero_dimensional_arrays(dtype: str) -> None:
    """A zero-dimensional array is unsupported."""
    array = np.zeros((), dtype)
    assert refused(array) == DATATYPE
    assert snooze.dumps([array], default=lambda _: "d", option=NUMPY) == b'["d"]'


@pytest.mark.parametrize(
    "array",
    [
        np.arange(10)[::2],
        np.arange(3)[::-1],
        np.zeros((2, 3)).T,
        np.asfortranarray(np.zeros((2, 2))),
        np.broadcast_to(np.int64(1), (3,)),
        np.zeros((4, 4), "f4")[:, 1:3],
        np.zeros(2, "i4,i4"),
        np.zeros(4, np.dtype("i4").newbyteorder())[::2],
    ],
    ids=[
        "strided",
        "reversed",
        "transposed",
        "fortran",
        "broadcast",
        "columns",
        "record",
        "strided and foreign",
    ],
)
def test_not_contiguous(array: Any) -> None:
    """Arrays that are not contiguous go to default."""
    assert refused(array) == CONTIGUOUS
    written = snooze.dumps(array, default=lambda a: a.tolist(), option=NUMPY)
    assert written == compact(array.tolist())


@pytest.mark.parametrize(
    "array",
    [
        np.arange(10)[2:5],
        np.asfortranarray(np.arange(2).reshape(2, 1)),
        np.frombuffer(b"x" + np.arange(3, dtype="i8").tobytes(), dtype="i8", offset=1),
        np.lib.stride_tricks.as_strided(np.arange(3), writeable=False),
    ],
    ids=["slice", "one column", "unaligned", "read-only"],
)
def test_unusual_but_contiguous(array: Any) -> None:
    """Views that are contiguous are written."""
    assert snooze.dumps(array, option=NUMPY) == compact(array.tolist())


@pytest.mark.parametrize("dtype", ["i2", "i4", "i8", "u4", "f4", "f8", "M8[s]"])
@pytest.mark.parametrize("shape", [(2,), (0,), ()], ids=str)
def test_foreign_endianness(dtype: str, shape: tuple[int, ...]) -> None:
    """The other byte order is an error that default cannot change."""
    array = np.zeros(shape, np.dtype(dtype).newbyteorder())
    assert refused(array) == ENDIAN
    with pytest.raises(snooze.JSONEncodeError, match=f"^{ENDIAN}$"):
        snooze.dumps(array, default=lambda _: "d", option=NUMPY)


class Sub(np.ndarray):
    """A subclass of ndarray."""


@pytest.mark.parametrize(
    ("array", "name"),
    [(np.zeros(2).view(Sub), "Sub"), (np.ma.array([1]), "MaskedArray")],
    ids=["subclass", "masked"],
)
def test_array_subclasses(array: Any, name: str) -> None:
    """Only exact ndarray is native."""
    assert refused(array).endswith(name)
    assert snooze.dumps(array, lambda a: a.tolist(), NUMPY) == compact(array.tolist())


def test_default_results() -> None:
    """default may return an array, even for an array."""
    assert snooze.dumps(object(), lambda _: np.arange(2), NUMPY) == b"[0,1]"
    assert snooze.dumps(np.arange(4)[::2], np.ascontiguousarray, NUMPY) == b"[0,2]"
    with pytest.raises(snooze.JSONEncodeError) as caught:
        snooze.dumps(np.arange(4)[::2], lambda _: 1 / 0, NUMPY)
    assert str(caught.value) == "Type is not JSON serializable: numpy.ndarray"
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_inside_other_containers() -> None:
    """Arrays and scalars anywhere, indented like lists and numbers."""
    value = {"a": np.arange(2), "b": [np.int32(1), (np.array([[True]]),)]}
    plain = {"a": [0, 1], "b": [1, [[[True]]]]}
    assert snooze.dumps(value, option=NUMPY) == compact(plain)
    expected = json.dumps(plain, indent=2).encode()
    assert snooze.dumps(value, option=NUMPY | INDENT) == expected


@pytest.mark.parametrize("rank", [2, 16, 31, 32])
def test_high_rank(rank: int) -> None:
    """As many dimensions as all versions of numpy allow."""
    array = np.zeros((1,) * rank, "i1")
    assert snooze.dumps(array, option=NUMPY) == b"[" * rank + b"0" + b"]" * rank


def test_arrays_and_the_depth_limit() -> None:
    """An array inside the deepest allowed container is too deep."""
    array = np.array([1])
    assert snooze.dumps(nested(250, lambda v: [v], array), option=NUMPY)
    text = "(?m)^Recursion limit reached$"
    with pytest.raises(snooze.JSONEncodeError, match=text):
        snooze.dumps(nested(255, lambda v: [v], array), option=NUMPY)


@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS, "?"])
def test_large_arrays(dtype: str) -> None:
    """Arrays that make the output buffer grow many times."""
    array = np.arange(50_000).astype(dtype).reshape(50, 1000)
    text = {"f8": float_text}.get(dtype, float32_text)
    if dtype in FLOATS:
        rows = ["[" + ",".join(text(n) for n in row) + "]" for row in array]
        expected = f"[{','.join(rows)}]".encode()
    else:
        expected = compact(array.tolist())
    assert snooze.dumps(array, option=NUMPY) == expected
