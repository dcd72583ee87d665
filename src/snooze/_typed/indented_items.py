"""The items of an array that an Encoder with an indent writes in pieces.

Separate from `line_writer`, whose lines have no line feeds: there compiled code encodes
a block of values, here each value is encoded and then moved to the right; loaded when
an Encoder with an indent writes an array. Invariant: the text of an item is that which
the Encoder writes in the array, except that line feeds of copied JSON are indented too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


class IndentedItems:
    """A function like `_encode_lines` of an Encoder, for items at a depth.

    Attributes:
        separator: What is between two items, without the line feed.
        end: What is before the bracket that ends an array with items.
    """

    __slots__ = ("_encode", "_start", "end", "separator")

    def __init__(self, encoder: Any, depth: int, separator: bytes) -> None:
        """Know the Encoder, and how many containers are around the array."""
        indent = encoder._options["indent"]  # noqa: SLF001 - of an Encoder
        unit = " " * indent if isinstance(indent, int) else indent
        self._encode = encoder.encode
        self._start = b"\n" + (unit * (depth + 1)).encode()
        self.separator = separator
        self.end = b"\n" + (unit * depth).encode()

    def __call__(
        self, values: Iterator[Any], limit: int
    ) -> tuple[bytes, int, Exception | None, bool]:
        """Encode values until there are `limit` bytes.

        Returns the text, the number of values in it, the exception of the next one or
        None, and whether that came from the iterator.
        """
        items: list[bytes] = []
        size = 0
        error: Exception | None = None
        is_of_values = True
        try:
            for value in values:
                is_of_values = False
                text = self._encode(value).rstrip(b"\n")
                items.append(self._start + text.replace(b"\n", self._start))
                size += len(items[-1])
                if size >= limit:
                    break
                is_of_values = True
        except Exception as raised:  # noqa: BLE001 - it is raised after these items
            error = raised
        return self.separator.join(items), len(items), error, is_of_values
