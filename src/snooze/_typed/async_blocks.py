"""The blocks of lines that `Encoder.aiter_lines` and `aiter_items` yield.

Separate from `line_writer`, whose `Blocks` take values from an iterator, because an
asynchronous source hands over one value at a time; loaded when one of these is called.
Invariants: a value is encoded when it comes, so the source may change it afterwards; an
error comes after the block with the values before it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from snooze._chunks import asynchronous
from snooze._typed.line_writer import check_size, note_and_encode, noted

if TYPE_CHECKING:
    from collections.abc import AsyncIterable


class AsyncBlocks:
    """An asynchronous iterator of blocks of text.

    `array` is that in which the values are, as for `Blocks`.
    """

    __slots__ = (
        "_count",
        "_encode",
        "_error",
        "_note",
        "_separator",
        "_size",
        "_values",
    )

    def __init__(
        self,
        encoder: Any,
        function: str,
        values: AsyncIterable[Any],
        size: int,
        array: Any = None,
    ) -> None:
        check_size(size)
        self._note, self._encode = note_and_encode(encoder, function, array)
        self._separator = array.between if array else b""
        self._size = size
        self._values = aiter(asynchronous(values, "values"))
        self._count = 0
        #: What is raised after the latest block.
        self._error: Exception | None = None

    def __aiter__(self) -> AsyncBlocks:
        """Return the iterator."""
        return self

    async def __anext__(self) -> bytes:
        """Return the next block."""
        text = bytearray()
        try:
            while self._error is None and len(text) < self._size:
                line = self._line(await anext(self._values))
                if text:
                    text += self._separator
                text += line
        except Exception as error:  # noqa: BLE001 - it is raised after the block
            self._error = error
        if text:
            return bytes(text)
        assert self._error is not None  # noqa: S101 - nothing else ends the loop
        try:
            raise self._error
        finally:
            self._error = None  # its traceback has this frame

    def _line(self, value: Any) -> bytes:
        """Return the line of the next value."""
        line, _, error, _ = self._encode(iter((value,)), 1)
        self._count += 1
        if error is None:
            encoded: bytes = line
            return encoded
        try:
            raise noted(error, self._note(self._count))
        finally:
            del error  # its traceback has this frame
