"""Rows of an Arrow stream, read through the C structs by ctypes.

Separate because the suite has no Arrow library: this is a second reader, by the
specification alone, of what `snooze.scan` exports. tests/engines reads the same with
the real ones. Invariant: every struct that was imported is released.
"""

from __future__ import annotations

import ctypes
import datetime as dt
import decimal
import itertools
import json
import sys
import uuid
from ctypes import POINTER, c_char_p, c_int, c_int64, c_void_p
from typing import Any

EPOCH = dt.datetime(1970, 1, 1)


class Schema(ctypes.Structure):
    """`struct ArrowSchema`."""


class Array(ctypes.Structure):
    """`struct ArrowArray`."""


class Stream(ctypes.Structure):
    """`struct ArrowArrayStream`."""


Schema._fields_ = [
    ("format", c_char_p),
    ("name", c_char_p),
    ("metadata", c_void_p),
    ("flags", c_int64),
    ("n_children", c_int64),
    ("children", POINTER(POINTER(Schema))),
    ("dictionary", c_void_p),
    ("release", ctypes.CFUNCTYPE(None, POINTER(Schema))),
    ("private_data", c_void_p),
]
Array._fields_ = [
    ("length", c_int64),
    ("null_count", c_int64),
    ("offset", c_int64),
    ("n_buffers", c_int64),
    ("n_children", c_int64),
    ("buffers", POINTER(c_void_p)),
    ("children", POINTER(POINTER(Array))),
    ("dictionary", c_void_p),
    ("release", ctypes.CFUNCTYPE(None, POINTER(Array))),
    ("private_data", c_void_p),
]
Stream._fields_ = [
    ("get_schema", ctypes.CFUNCTYPE(c_int, POINTER(Stream), POINTER(Schema))),
    ("get_next", ctypes.CFUNCTYPE(c_int, POINTER(Stream), POINTER(Array))),
    ("get_last_error", ctypes.CFUNCTYPE(c_char_p, POINTER(Stream))),
    ("release", ctypes.CFUNCTYPE(None, POINTER(Stream))),
    ("private_data", c_void_p),
]

_pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_of.restype = c_void_p
_pointer_of.argtypes = [ctypes.py_object, c_char_p]


def stream_of(capsule: Any) -> Any:
    """The stream in a capsule."""
    return ctypes.cast(_pointer_of(capsule, b"arrow_array_stream"), POINTER(Stream))


def extension(schema: Any) -> str | None:
    """The name of the extension type."""
    if not schema.metadata:
        return None
    at = schema.metadata
    count = ctypes.cast(at, POINTER(ctypes.c_int32))[0]
    at += 4
    texts = []
    for _ in range(2 * count):
        size = ctypes.cast(at, POINTER(ctypes.c_int32))[0]
        texts.append(ctypes.string_at(at + 4, size).decode())
        at += 4 + size
    return dict(zip(texts[::2], texts[1::2], strict=True))["ARROW:extension:name"]


FIXED = {
    "c": ctypes.c_int8,
    "s": ctypes.c_int16,
    "i": ctypes.c_int32,
    "l": ctypes.c_int64,
    "C": ctypes.c_uint8,
    "S": ctypes.c_uint16,
    "I": ctypes.c_uint32,
    "L": ctypes.c_uint64,
    "f": ctypes.c_float,
    "g": ctypes.c_double,
    "tdD": ctypes.c_int32,
}


def values(schema: Any, array: Any) -> list[Any]:
    """The values of a column; JSON text as `Json`."""
    rows, form = array.length, schema.format.decode()
    assert array.offset == 0
    if form == "n":
        assert (array.n_buffers, array.null_count) == (0, rows)
        return [None] * rows
    present = [True] * rows
    if array.buffers[0]:
        bits = ctypes.string_at(array.buffers[0], (rows + 7) // 8)
        present = [bool(bits[row // 8] >> row % 8 & 1) for row in range(rows)]
    assert present.count(False) == array.null_count
    found = _present_values(schema, array, form)
    assert len(found) == rows
    return [
        value if there else None for value, there in zip(found, present, strict=True)
    ]


def _offsets(array: Any, kind: Any) -> list[int]:
    buffer = ctypes.cast(array.buffers[1], POINTER(kind))
    offsets = buffer[: array.length + 1]
    assert offsets[0] == 0
    assert offsets == sorted(offsets)
    return offsets


def _present_values(schema: Any, array: Any, form: str) -> list[Any]:
    rows = array.length
    if form in FIXED:
        found = ctypes.cast(array.buffers[1], POINTER(FIXED[form]))[:rows]
        if form == "tdD":
            return [EPOCH.date() + dt.timedelta(days=days) for days in found]
        return found
    if form == "b":
        bits = ctypes.string_at(array.buffers[1], (rows + 7) // 8)
        return [bool(bits[row // 8] >> row % 8 & 1) for row in range(rows)]
    if form.startswith("ts"):
        assert form[2] == "u"
        zone = dt.UTC if form[4:] else None
        found = ctypes.cast(array.buffers[1], POINTER(c_int64))[:rows]
        start = EPOCH.replace(tzinfo=zone)
        return [start + dt.timedelta(microseconds=value) for value in found]
    if form.startswith(("d:", "w:")):
        text = ctypes.string_at(array.buffers[1], 16 * rows)
        parts = [text[at : at + 16] for at in range(0, 16 * rows, 16)]
        if form == "w:16":
            return [uuid.UUID(bytes=part) for part in parts]
        scale = int(form.split(",")[1])
        numbers = [int.from_bytes(part, sys.byteorder, signed=True) for part in parts]
        return [decimal.Decimal(number).scaleb(-scale) for number in numbers]
    if form in {"u", "U", "z"}:
        offsets = _offsets(array, ctypes.c_int64 if form == "U" else ctypes.c_int32)
        text = ctypes.string_at(array.buffers[2], offsets[-1])
        parts = [text[a:b] for a, b in itertools.pairwise(offsets)]
        if form == "z":
            return parts
        if extension(schema) == "arrow.json":
            return [Json(json.loads(part)) if part else None for part in parts]
        return [part.decode() for part in parts]
    children = [
        (schema.children[at].contents, array.children[at].contents)
        for at in range(array.n_children)
    ]
    assert schema.n_children == array.n_children
    if form == "+s":
        assert all(child.length == rows for _, child in children)
        columns = [
            (inner.name.decode(), values(inner, data)) for inner, data in children
        ]
        return [{name: column[row] for name, column in columns} for row in range(rows)]
    offsets = _offsets(array, ctypes.c_int32)
    [(inner, data)] = children
    assert data.length == offsets[-1]
    items = values(inner, data)
    lists = [items[a:b] for a, b in itertools.pairwise(offsets)]
    if form == "+m":
        found = [{one["key"]: one["value"] for one in entries} for entries in lists]
        # A dict would hide them.
        assert list(map(len, found)) == list(map(len, lists)), "keys occur twice"
        return found
    assert form == "+l", form
    return lists


class Json:
    """The value of a JSON text, which is no plain value of a column."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Json) and repr(self.value) == repr(other.value)

    def __hash__(self) -> int:
        return hash(repr(self.value))

    def __repr__(self) -> str:
        return f"Json({self.value!r})"


def batches(source: Any) -> list[list[dict[str, Any]]]:
    """The rows of each batch of a stream."""
    capsule = source.__arrow_c_stream__()
    stream = stream_of(capsule)
    schema, found = Schema(), []
    assert stream.contents.get_schema(stream, schema) == 0
    try:
        while True:
            array = Array()
            code = stream.contents.get_next(stream, array)
            if code != 0:
                text = stream.contents.get_last_error(stream)
                raise StreamError(code, (text or b"").decode())
            if not array.release:
                return found
            found.append(values(schema, array))
            array.release(array)
            assert not array.release
    finally:
        schema.release(schema)


class StreamError(Exception):
    """A stream returned an error."""


def rows(source: Any) -> list[dict[str, Any]]:
    """All rows of a stream."""
    return [row for batch in batches(source) for row in batch]
