"""The block of lines that `Encoder.aiter_lines` and `aiter_items` fill.

Separate from `line_writer`, whose `Blocks` take values from an iterator, because an
asynchronous source hands over one value at a time; loaded when one of these is called.
Invariant: a value is encoded when it comes, so the source may change it afterwards.
"""

from __future__ import annotations

from typing import Any

from snooze._typed.line_writer import check_size, note_and_encode, noted


class Block:
    """A block of text that is filled value by value.

    `array` is that in which they are, as for `Blocks`.
    """

    __slots__ = ("_count", "_encode", "_note", "_separator", "_size", "_text")

    def __init__(
        self,
        encoder: Any,
        function: str,
        size: int,
        array: Any = None,
    ) -> None:
        check_size(size)
        self._note, self._encode = note_and_encode(encoder, function, array)
        self._separator = array.between if array else b""
        self._size = size
        self._text = bytearray()
        self._count = 0

    def add(self, value: Any) -> None:
        """Add the line of a value; its error leaves the block as it was."""
        text, _, error, _ = self._encode(iter((value,)), 1)
        self._count += 1
        if error is not None:
            try:
                raise noted(error, self._note(self._count))
            finally:
                del error  # its traceback has this frame
        if self._text:
            self._text += self._separator
        self._text += text

    @property
    def is_full(self) -> bool:
        """Whether the text has the size of a block."""
        return len(self._text) >= self._size

    @property
    def is_empty(self) -> bool:
        """Whether there is no line."""
        return not self._text

    def take(self) -> bytes:
        """Return the lines, and begin the next block."""
        text = bytes(self._text)
        self._text.clear()
        return text
