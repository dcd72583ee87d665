"""Python objects into one JSON array: `iter_items` and its siblings of an Encoder.

Separate from `line_writer`, whose lines this joins. Invariants: the pieces together are
one document with an array of the values, or end with an error; memory is that of one
piece. Part of `import snooze`, so it imports the rest when it is called.
"""

from __future__ import annotations

from snooze._typed.lazy_typing import TYPE_CHECKING, Any, Generic, T
from snooze._typed.line_writer import BLOCK, Blocks, check_size

if TYPE_CHECKING:
    import os
    from collections.abc import AsyncGenerator, AsyncIterable, Iterable, Iterator
    from typing import IO

    from snooze._typed.places import Path


class ItemWriter(Generic[T]):
    """The methods of an Encoder that write an array in pieces."""

    __slots__ = ()

    def iter_items(
        self,
        values: Iterable[T],
        /,
        at: str = "",
        *,
        around: Any = None,
        size: int = BLOCK,
    ) -> Iterator[bytes]:
        r"""Encode values as one JSON array, and yield its text in pieces.

        For the body of a streaming response, for example. Needs memory for one piece
        only, so `values` may be a generator. The text is that of
        ``encode(list(values))``, with these exceptions: line feeds in a value become
        spaces (between the tokens of a `Raw` or `Fragment`, and in `separators`; with
        an `indent`, spaces follow them), `max_depth` counts from each value, and hooks
        and `json_method` are not called for the array itself. With an `indent`, it
        takes longer.

        Args:
            values: The values, each of the type of the Encoder: any iterable.
            at: The place of the array in the document, as a JSON Pointer (RFC 6901)
                such as ``"/data"``. Default "": the document is the array.
            around: The rest of the document, a dict or a list. The place of the array
                must be missing, or hold an empty list. Missing members are added last;
                with `sort_keys`, in order. Each value in it is encoded by its own
                class, with the options of the Encoder. Default None: there is no other
                member.
            size: A piece ends with the value that gives it this many bytes. Default
                262,144; with 1, each value is a piece.

        Returns:
            An iterator of bytes.

        Raises:
            JSONEncodeError: As for `encode`, after the values before; a note has the
                place of the value. The text is then not valid JSON. An error in
                `around` is raised at once.
            TypeError: `values` is not iterable, `size` is not an int, `at` is not a
                str, or there is neither a dict nor a list on the way to the place, or
                one of a subclass while the Encoder has hooks or a `json_method`.
            ValueError: `size` is below 1; `at` is not a JSON Pointer; or there is
                something else at the place.
            LookupError: A list on the way to the place has no such item.

        Examples:
            >>> import snooze
            >>> encoder, rows = snooze.Encoder(), ({"id": i} for i in range(2))
            >>> list(encoder.iter_items(rows, "/data", around={"total": 2}, size=1))
            [b'{"total":2,"data":[{"id":0}', b',{"id":1}', b']}']
        """
        check_size(size)
        array = _Array(self, at, around)
        return (text for text, _ in _Pieces(self, "iter_items", array, values, size))

    async def aiter_items(
        self,
        values: AsyncIterable[T],
        /,
        at: str = "",
        *,
        around: Any = None,
        size: int = BLOCK,
    ) -> AsyncGenerator[bytes, None]:
        r"""Encode the values of an asynchronous iterable as one array, in pieces.

        For the body of a streaming response from a cursor of a database, for example.
        Encoding itself blocks the event loop.

        Args:
            values: An asynchronous iterable, such as an asynchronous generator. It is
                not closed if the pieces are not all asked for: see
                ``contextlib.aclosing``.
            at: As for `iter_items`.
            around: As for `iter_items`.
            size: As for `iter_items`. A piece is yielded when it has this many bytes,
                or when the source ends; with 1, each value is yielded at once.

        Yields:
            The pieces, as bytes.

        Raises:
            JSONEncodeError: As for `iter_items`.
            TypeError: As for `iter_items`, when the first piece is asked for.
            ValueError: Likewise.
            LookupError: Likewise.

        Examples:
            >>> import asyncio, snooze
            >>> async def rows():
            ...     yield {"id": 0}
            ...     yield {"id": 1}
            >>> async def body():
            ...     pieces = snooze.Encoder().aiter_items(rows(), "/data", size=1)
            ...     return [piece async for piece in pieces]
            >>> asyncio.run(body())
            [b'{"data":[{"id":0}', b',{"id":1}', b']}']
        """
        from snooze._typed.async_blocks import (  # noqa: PLC0415 - not at import time
            AsyncBlocks,
        )

        array = _Array(self, at, around)
        async for text in AsyncBlocks(self, "aiter_items", values, size, array):
            yield array.piece(text)
        yield array.end()

    def dump_items(
        self,
        values: Iterable[T],
        dest: str | os.PathLike[str] | IO[bytes] | IO[str],
        /,
        at: str = "",
        *,
        around: Any = None,
    ) -> int:
        r"""Write values as one JSON array into a file, a block at a time.

        Needs memory for one block only, 256 KiB of text, so `values` may be a
        generator.

        Args:
            values: As for `iter_items`.
            dest: A path, or an open file, binary or text. The file of a path is
                replaced when all is written, as by ``dump``. Paths in ``.gz`` and
                ``.zst`` are compressed.
            at: As for `iter_items`.
            around: As for `iter_items`.

        Returns:
            The number of values written.

        Raises:
            JSONEncodeError: As for `iter_items`. The file of a path is unchanged; an
                open file has the values before that.
            TypeError: As for `iter_items`, or `dest` is neither a path nor an open
                file.
            OSError: The file cannot be written; the file of a path is unchanged.
            UnicodeEncodeError: The encoding of an open text file lacks a character.
            ValueError: As for `iter_items`, or Python cannot write the compression.
            LookupError: As for `iter_items`.

        Examples:
            >>> import io, snooze
            >>> file = io.StringIO()
            >>> snooze.Encoder().dump_items(({"id": i} for i in range(2)), file)
            2
            >>> file.getvalue()
            '[{"id":0},{"id":1}]'
        """
        from snooze._files import put_pieces  # noqa: PLC0415 - not at import time

        array = _Array(self, at, around)
        return put_pieces(dest, _Pieces(self, "dump_items", array, values, BLOCK))


class _Array:
    """What is before, between and behind the values; and how far they are written."""

    __slots__ = ("_end", "_is_begun", "_next", "_path", "_separator", "encode")

    def __init__(self, encoder: Any, at: str, around: Any) -> None:
        options = encoder._options  # noqa: SLF001 - of an Encoder
        separators = options.get("separators")
        self._separator = (separators[0] if separators else ",").encode()
        start, end = b"", b"\n" if options.get("newline") else b""
        self._path: Path = ()
        if at != "" or around is not None:
            from snooze._typed.item_frame import frame  # noqa: PLC0415 - only if used

            start, end, self._path = frame(options, at, around)
        #: What comes before the next value.
        self._next = start + b"["
        self._is_begun = False
        self._end = b"]" + end
        #: For an Encoder with an indent, what encodes values in place of lines.
        self.encode: Any = None
        if "indent" in options:
            from snooze._typed.indented_items import (  # noqa: PLC0415 - only if used
                IndentedItems,
            )

            self.encode = IndentedItems(encoder, len(self._path), self._separator)

    @property
    def between(self) -> bytes:
        """What is between the values in the text of a block, if no lines are."""
        return self._separator if self.encode else b""

    def piece(self, lines: bytes) -> bytes:
        """Return the piece with the values in lines of text, at least one."""
        start, self._next = self._next, self._separator
        self._is_begun = True
        if self.encode:
            return start + lines
        return start + lines[:-1].replace(b"\n", self._separator)

    def end(self) -> bytes:
        """Return what is behind the last value."""
        if not self._is_begun:
            return self._next + self._end
        return self.encode.end + self._end if self.encode else self._end

    def note(self, number: int) -> str:
        """Return the note of an error: the place of the value with a number, from 1."""
        from snooze._typed.places import place  # noqa: PLC0415 - only failures need it

        return f"in {place((*self._path, number - 1))}"


class _Pieces:
    """An iterator of the pieces of an array, each with the number of its values."""

    __slots__ = ("_array", "_blocks", "_is_at_end")

    def __init__(
        self,
        encoder: Any,
        function: str,
        array: _Array,
        values: Iterable[Any],
        size: int,
    ) -> None:
        self._array = array
        self._blocks = Blocks(encoder, function, values, size, array)
        self._is_at_end = False

    @property
    def has_failed(self) -> bool:
        """Whether an exception came from here, for `put_pieces`."""
        return self._blocks.has_failed

    def __iter__(self) -> _Pieces:
        """Return the iterator."""
        return self

    def __next__(self) -> tuple[bytes, int]:
        """Return the next piece; an error comes after the values before it."""
        if self._is_at_end:
            raise StopIteration
        for text, count in self._blocks:
            if count:
                return self._array.piece(text), count
        self._is_at_end = True
        return self._array.end(), 0
