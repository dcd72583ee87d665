"""`Encoder.iter_items` and `dump_items`: Python objects into one JSON array, in pieces.

Separate from `line_writer`, whose lines this joins. Invariants: the pieces together are
one array of the values, or end with an error; memory is that of one piece. Part of
`import snooze`, so it imports the rest when it is called.
"""

from __future__ import annotations

from snooze._typed.lazy_typing import TYPE_CHECKING, Any, Generic, T
from snooze._typed.line_writer import BLOCK, Blocks, check_size

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator
    from typing import IO


class ItemWriter(Generic[T]):
    """The methods of an Encoder that write an array in pieces."""

    __slots__ = ()

    def iter_items(
        self, values: Iterable[T], /, *, size: int = BLOCK
    ) -> Iterator[bytes]:
        r"""Encode values as one JSON array, and yield its text in pieces.

        For the body of a streaming response, for example. Memory is that of one piece,
        so `values` may be a generator. The text is that of ``encode(list(values))``,
        with two exceptions: line feeds in a value become spaces (between the tokens of
        a `Raw` or `Fragment`, and in `separators`), and `max_depth` counts from each
        value.

        Args:
            values: The values, each of the type of the Encoder: any iterable.
            size: A piece ends with the value that gives it this many bytes. Default
                262,144; with 1, each value is a piece.

        Returns:
            An iterator of bytes.

        Raises:
            JSONEncodeError: As for `encode`, after the values before; a note has the
                index of the value. The text is then no JSON.
            TypeError: `values` is not iterable, or `size` is no int.
            ValueError: The Encoder has an `indent`, or `size` is below 1.

        Examples:
            >>> import snooze
            >>> list(snooze.Encoder().iter_items(({"id": i} for i in range(2)), size=1))
            [b'[{"id":0}', b',{"id":1}', b']']
        """
        check_size(size)
        return (text for text, _ in _Array(self, "iter_items", values, size))

    def dump_items(
        self,
        values: Iterable[T],
        dest: str | os.PathLike[str] | IO[bytes] | IO[str],
        /,
    ) -> int:
        r"""Write values as one JSON array into a file, a block at a time.

        Memory is that of one block, 256 KiB of text, so `values` may be a generator.

        Args:
            values: As for `iter_items`.
            dest: A path, or an open file, binary or text. The file of a path is
                replaced when all is written, as by ``dump``. Paths in ``.gz`` and
                ``.zst`` are compressed.

        Returns:
            The number of values written.

        Raises:
            JSONEncodeError: As for `encode`; a note has the index of the value. The
                file of a path is unchanged; an open file has the values before that.
            TypeError: `values` is not iterable, or `dest` neither a path nor an open
                file.
            OSError: The file cannot be written; the file of a path is unchanged.
            UnicodeEncodeError: The encoding of an open text file lacks a character.
            ValueError: The Encoder has an `indent`, or Python cannot write the
                compression.

        Examples:
            >>> import io, snooze
            >>> file = io.StringIO()
            >>> snooze.Encoder().dump_items(({"id": i} for i in range(2)), file)
            2
            >>> file.getvalue()
            '[{"id":0},{"id":1}]'
        """
        from snooze._files import put_pieces  # noqa: PLC0415 - not at import time

        return put_pieces(dest, _Array(self, "dump_items", values, BLOCK))


class _Array:
    """An iterator of pieces of an array, each with the number of its values."""

    __slots__ = ("_blocks", "_end", "_is_at_end", "_next", "_separator")

    def __init__(
        self, encoder: Any, function: str, values: Iterable[Any], size: int
    ) -> None:
        self._blocks = Blocks(encoder, function, values, size, _note)
        options = encoder._options  # noqa: SLF001 - of an Encoder
        separators = options.get("separators")
        self._separator = (separators[0] if separators else ",").encode()
        self._end = b"]\n" if options.get("newline") else b"]"
        #: What comes before the next value.
        self._next = b"["
        self._is_at_end = False

    @property
    def has_failed(self) -> bool:
        """Whether an exception came from here, for `put_pieces`."""
        return self._blocks.has_failed

    def __iter__(self) -> _Array:
        """Return the iterator."""
        return self

    def __next__(self) -> tuple[bytes, int]:
        """Return the next piece; an error comes after the values before it."""
        if self._is_at_end:
            raise StopIteration
        for text, count in self._blocks:
            if count:
                items = text[:-1].replace(b"\n", self._separator)
                start, self._next = self._next, self._separator
                return start + items, count
        self._is_at_end = True
        return (self._end if self._next == self._separator else b"[" + self._end), 0


def _note(number: int) -> str:
    """Return the note of an error: the place of the value with a number, from 1."""
    return f"in $[{number - 1}]"
