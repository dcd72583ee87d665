"""Arrow arrays and streams made by hand, right and wrong, through the C structs.

Separate because the suite has no Arrow library, and because none makes wrong structs.
Invariant: a producer counts the releases of everything that it gives away, so that a
test can demand exactly one.
"""

from __future__ import annotations

import ctypes
import io
import struct
from ctypes import POINTER, c_char_p, c_void_p
from typing import TYPE_CHECKING, Any

import snooze
from helpers.arrow_rows import Array, Schema, Stream

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = [c_void_p, c_char_p, c_void_p]


def bits(*values: bool) -> bytes:
    """A bitmap."""
    found = bytearray((len(values) + 7) // 8)
    for at, value in enumerate(values):
        found[at // 8] |= value << at % 8
    return bytes(found)


def words(code: str, *values: Any) -> bytes:
    """Numbers of one width, as `struct` packs them."""
    return struct.pack(f"={len(values)}{code}", *values)


def texts(*values: str | bytes, code: str = "i") -> list[bytes]:
    """The offsets and the bytes of texts."""
    parts = [one.encode() if isinstance(one, str) else one for one in values]
    offsets = [0]
    for part in parts:
        offsets.append(offsets[-1] + len(part))
    return [words(code, *offsets), b"".join(parts)]


class Node:
    """A column: its schema and its array; every count can be given wrongly."""

    def __init__(
        self,
        form: str | bytes | None,
        length: int,
        buffers: Sequence[bytes | None] = (),
        children: Sequence[Node | None] = (),
        *,
        name: str | bytes = "x",
        dictionary: Node | None = None,
        extension: str | None = None,
        **counts: int,
    ) -> None:
        self.form = form.encode() if isinstance(form, str) else form
        self.name = name.encode() if isinstance(name, str) else name
        self.length = length
        self.buffers = buffers
        self.children = children
        self.dictionary = dictionary
        self.extension = extension
        self.counts = counts
        self.kept: list[Any] = []

    def schema(self) -> Schema:
        """The struct of the schema."""
        metadata = None
        if self.extension is not None:
            parts = [b"ARROW:extension:name", self.extension.encode()]
            text = words("i", 1)
            text += b"".join(words("i", len(part)) + part for part in parts)
            metadata = self._address(text)
        children = [one and ctypes.pointer(one.schema()) for one in self.children]
        inner = self.dictionary and ctypes.pointer(self.dictionary.schema())
        made = Schema(
            format=self.form,
            name=self.name,
            metadata=metadata,
            flags=2,
            n_children=self.counts.get("schema_children", len(children)),
            children=self._pointers(Schema, children),
            dictionary=ctypes.cast(inner, c_void_p) if inner else None,
            release=_live_schema,
        )
        self.kept += [made, children, inner]
        return made

    def array(self) -> Array:
        """The struct of the array."""
        children = [one and ctypes.pointer(one.array()) for one in self.children]
        inner = self.dictionary and ctypes.pointer(self.dictionary.array())
        addresses = [
            None if one is None else self._address(one) for one in self.buffers
        ]
        pointers = (c_void_p * max(len(addresses), 1))(*addresses)
        made = Array(
            length=self.length,
            null_count=self.counts.get("null_count", -1),
            offset=self.counts.get("offset", 0),
            n_buffers=self.counts.get("n_buffers", len(addresses)),
            n_children=self.counts.get("n_children", len(children)),
            buffers=None if "no_buffers" in self.counts else pointers,
            children=self._pointers(Array, children),
            dictionary=ctypes.cast(inner, c_void_p) if inner else None,
            release=_live_array,
        )
        self.kept += [made, children, inner, pointers]
        return made

    def _address(self, text: bytes) -> int:
        # Exactly as long as the text, so that reading further is outside.
        held = ctypes.create_string_buffer(text, max(len(text), 1))
        self.kept.append(held)
        return ctypes.addressof(held)

    def _pointers(self, kind: Any, children: Sequence[Any]) -> Any:
        if not children or "no_children" in self.counts:
            return None
        made = (POINTER(kind) * len(children))(*[one or None for one in children])
        self.kept.append(made)
        return made


@type(Schema().release)
def _live_schema(_: Any) -> None:
    """Release a child: its parent keeps the memory."""


@type(Array().release)
def _live_array(_: Any) -> None:
    """Release a child: its parent keeps the memory."""


def table(*columns: Node, length: int | None = None, **counts: int) -> Node:
    """A struct of columns."""
    rows = columns[0].length if length is None else length
    return Node("+s", rows, [None], columns, name="", **counts)


class Producer:
    """An object with a stream or, with `as_array`, one array; counts releases."""

    def __init__(
        self,
        *batches: Node,
        error: tuple[int, bytes | None] | None = None,
        schema_error: int = 0,
        as_array: bool = False,
        on_release: Callable[[str], object] | None = None,
    ) -> None:
        self.batches = batches
        self.on_release = on_release
        #: How often a batch was asked for.
        self.calls = 0
        self.schema_node = batches[0]
        self.error = error
        self.schema_error = schema_error
        self.released = {"schema": 0, "array": 0, "stream": 0}
        self.given = {"schema": 0, "array": 0, "stream": 0}
        self.kept: list[Any] = []
        if as_array:
            self.__arrow_c_array__ = self._arrays
        else:
            self.__arrow_c_stream__ = self._stream

    def is_released(self) -> bool:
        """Whether all that was given away was released once."""
        return self.given == self.released

    def _counted(self, made: Any, kind: str) -> Any:
        """Give a struct away, with a release that counts."""

        def release(pointer: Any) -> None:
            assert pointer.contents.release, "released twice"
            self.released[kind] += 1
            if self.on_release is not None:
                self.on_release(kind)
            ctypes.cast(
                ctypes.addressof(pointer.contents) + type(made).release.offset,
                POINTER(c_void_p),
            )[0] = None

        callback = type(made.release)(release)
        made.release = callback
        self.kept += [made, callback]
        self.given[kind] += 1
        return made

    def _copied(self, made: Any, target: Any) -> None:
        ctypes.memmove(target, ctypes.addressof(made), ctypes.sizeof(made))

    def _arrays(self, _: object = None) -> tuple[Any, Any]:
        schema = self._counted(self.schema_node.schema(), "schema")
        array = self._counted(self.batches[0].array(), "array")
        return (
            _new_capsule(ctypes.addressof(schema), b"arrow_schema", None),
            _new_capsule(ctypes.addressof(array), b"arrow_array", None),
        )

    def _stream(self, _: object = None) -> Any:
        left = iter(self.batches)

        def get_schema(_: Any, target: Any) -> int:
            if self.schema_error:
                return self.schema_error
            self._copied(self._counted(self.schema_node.schema(), "schema"), target)
            return 0

        def get_next(_: Any, target: Any) -> int:
            self.calls += 1
            batch = next(left, None)
            if batch is not None:
                self._copied(self._counted(batch.array(), "array"), target)
                return 0
            if self.error is not None:
                return self.error[0]
            ctypes.memset(target, 0, ctypes.sizeof(Array))
            return 0

        def get_last_error(_: Any) -> bytes | None:
            return None if self.error is None else self.error[1]

        made = Stream()
        kinds = dict(Stream._fields_)
        for name, function in (
            ("get_schema", get_schema),
            ("get_next", get_next),
            ("get_last_error", get_last_error),
        ):
            callback = (
                ctypes.CFUNCTYPE(c_void_p, c_void_p)(lambda _: None)
                if name == "get_last_error" and self.error is None
                else _text_callback(function)
                if name == "get_last_error"
                else kinds[name](function)
            )
            self.kept.append(callback)
            setattr(made, name, ctypes.cast(callback, kinds[name]))
        made.release = kinds["release"](lambda _: None)
        self._counted(made, "stream")
        return _new_capsule(ctypes.addressof(made), b"arrow_array_stream", None)


def _text_callback(function: Any) -> Any:
    """A callback that returns the address of a text."""
    held: list[Any] = []

    def address(argument: Any) -> int | None:
        text = function(argument)
        if text is None:
            return None
        held.append(ctypes.create_string_buffer(text))
        return ctypes.addressof(held[-1])

    return ctypes.CFUNCTYPE(c_void_p, c_void_p)(address)


def lines(values: Iterable[bytes]) -> bytes:
    """Each as a line."""
    return b"".join(value + b"\n" for value in values)


def written(source: Any, **options: Any) -> bytes:
    """The lines of a source."""
    file = io.BytesIO()
    rows = snooze.write_lines(source, file, **options)
    assert rows == file.getvalue().count(b"\n")
    return file.getvalue()


LONG = "a text of more than twelve bytes, é"


def view(text: str, buffer: int = 0, start: int = 0) -> bytes:
    """A view of a text."""
    raw = text.encode()
    if len(raw) <= 12:
        return words("i", len(raw)) + raw.ljust(12, b"\0")
    return words("i", len(raw)) + raw[:4] + words("i", buffer, start)
