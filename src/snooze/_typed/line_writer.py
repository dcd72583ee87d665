"""Python objects into JSON Lines: `encode_lines` and its siblings of an Encoder.

Separate from `codecs`, whose `encode` writes one document. Invariants: each value is
one line, also if it contains JSON with line feeds; a file is replaced as a whole or not
at all; memory is that of one block. Part of `import snooze`, so it imports the rest
when it is called. `item_writer` makes an array of the same blocks.
"""

from __future__ import annotations

from snooze._typed.lazy_typing import TYPE_CHECKING, Any, Generic, T

if TYPE_CHECKING:
    import os
    from collections.abc import (
        AsyncGenerator,
        AsyncIterable,
        Callable,
        Iterable,
        Iterator,
    )
    from typing import IO

#: How much text is written at once.
BLOCK = 1 << 18
#: More than any text has.
_ALL = 2**63 - 1


class LineWriter(Generic[T]):
    """The methods of an Encoder that write JSON Lines."""

    __slots__ = ()

    def encode_lines(self, values: Iterable[T], /) -> bytes:
        r"""Encode each value as a line (JSON Lines, NDJSON).

        Each line ends with a line feed. Line feeds between the tokens of JSON that is
        copied (`Raw`, `Fragment`) become spaces.

        Args:
            values: The values: a list or any other iterable.

        Returns:
            The lines, in UTF-8.

        Raises:
            JSONEncodeError: As for `encode`; a note has the number of the line.
            TypeError: `values` is not iterable.
            ValueError: The Encoder has an `indent`.

        Examples:
            >>> import snooze
            >>> snooze.Encoder().encode_lines([{"id": 1}, {"id": 2}])
            b'{"id":1}\n{"id":2}\n'
        """
        blocks = Blocks(self, "encode_lines", values, _ALL)
        return b"".join([text for text, _ in blocks])

    def iter_lines(
        self, values: Iterable[T], /, *, size: int = BLOCK
    ) -> Iterator[bytes]:
        r"""Encode each value as a line, and yield the text in pieces.

        For the body of a streaming response, for example. Needs memory for one piece
        only, so `values` may be a generator.

        Args:
            values: As for `encode_lines`.
            size: A piece ends with the line that gives it this many bytes. Default
                262,144; with 1, each line is a piece.

        Returns:
            An iterator of bytes.

        Raises:
            JSONEncodeError: As for `encode`, after the lines before; a note has the
                number of the line.
            TypeError: `values` is not iterable, or `size` is not an int.
            ValueError: The Encoder has an `indent`, or `size` is below 1.

        Examples:
            >>> import snooze
            >>> list(snooze.Encoder().iter_lines(({"id": i} for i in range(2)), size=1))
            [b'{"id":0}\n', b'{"id":1}\n']
        """
        check_size(size)
        blocks = Blocks(self, "iter_lines", values, size)
        return (text for text, _ in blocks if text)

    async def aiter_lines(
        self, values: AsyncIterable[T], /, *, size: int = BLOCK
    ) -> AsyncGenerator[bytes, None]:
        r"""Encode each value of an asynchronous iterable as a line, in pieces.

        For the body of a streaming response from a cursor of a database, for example.
        Encoding itself blocks the event loop.

        Args:
            values: An asynchronous iterable, such as an asynchronous generator. It is
                not closed if the pieces are not all asked for: see
                ``contextlib.aclosing``.
            size: As for `iter_lines`. A piece is yielded when it has this many bytes,
                or when the source ends; with 1, each value is yielded at once.

        Yields:
            The pieces, as bytes.

        Raises:
            JSONEncodeError: As for `iter_lines`.
            TypeError: As for `iter_lines`, when the first piece is asked for.
            ValueError: Likewise.

        Examples:
            >>> import asyncio, snooze
            >>> async def rows():
            ...     yield {"id": 0}
            ...     yield {"id": 1}
            >>> async def body():
            ...     pieces = snooze.Encoder().aiter_lines(rows())
            ...     return [piece async for piece in pieces]
            >>> asyncio.run(body())
            [b'{"id":0}\n{"id":1}\n']
        """
        from snooze._typed.async_blocks import (  # noqa: PLC0415 - not at import time
            AsyncBlocks,
        )

        async for text in AsyncBlocks(self, "aiter_lines", values, size):
            yield text

    def dump_lines(
        self,
        values: Iterable[T],
        dest: str | os.PathLike[str] | IO[bytes] | IO[str],
        /,
    ) -> int:
        r"""Write each value as a line of a file, a block at a time.

        Needs memory for one block only, 256 KiB of text, so `values` may be a
        generator.

        Args:
            values: As for `encode_lines`.
            dest: A path, or an open file, binary or text. The file of a path is
                replaced when all is written, as by ``dump``. Paths in ``.gz`` and
                ``.zst`` are compressed.

        Returns:
            The number of lines written.

        Raises:
            JSONEncodeError: As for `encode`; a note has the number of the line. The
                file of a path is unchanged; an open file has the lines before that.
            TypeError: `values` is not iterable, or `dest` neither a path nor an open
                file.
            OSError: The file cannot be written; the file of a path is unchanged.
            UnicodeEncodeError: The encoding of an open text file lacks a character.
            ValueError: The Encoder has an `indent`, or Python cannot write the
                compression.

        Examples:
            >>> import io, snooze
            >>> file = io.StringIO()
            >>> snooze.Encoder().dump_lines(({"id": i} for i in range(2)), file)
            2
            >>> file.getvalue()
            '{"id":0}\n{"id":1}\n'
        """
        from snooze._files import put_pieces  # noqa: PLC0415 - not at import time

        return put_pieces(dest, Blocks(self, "dump_lines", values, BLOCK))


def check_size(size: int) -> None:
    """Check how many bytes a piece has."""
    if isinstance(size, bool) or not isinstance(size, int):
        raise TypeError(f"size needs an int, not {size!r}")
    if size < 1:
        raise ValueError(f"size needs at least 1, not {size}")


def note_and_encode(
    encoder: Any, function: str, array: Any
) -> tuple[Callable[[int], str], Any]:
    """Return the note of a value's error, by its number from 1, and what encodes.

    An array has a `note`, and what can `encode` its values on several lines.
    """
    encode = array and array.encode
    if encode is None:
        if "indent" in encoder._options:  # noqa: SLF001 - of an Encoder
            raise ValueError(
                f"{function}: expected an Encoder without indent, because it writes "
                "each value on one line"
            )
        encode = encoder._encode_lines  # noqa: SLF001 - the same
    return (array.note if array else "in line {}".format), encode


def noted(error: Exception, note: str) -> Exception:
    """Return the exception of a value, with the note that names it."""
    if isinstance(error, (StopIteration, StopAsyncIteration)):
        # It would end the loop over the blocks, as if there were no more values.
        made = RuntimeError(f"a hook raised {type(error).__name__}")
        made.__cause__ = error
        error = made
    error.add_note(note)
    return error


class Blocks:
    """An iterator of blocks of text, each with the number of its lines.

    `array` is that in which they are: see `note_and_encode`.
    """

    __slots__ = (
        "_done",
        "_encode",
        "_error",
        "_limit",
        "_note",
        "_values",
        "has_failed",
    )

    def __init__(
        self,
        encoder: Any,
        function: str,
        values: Iterable[Any],
        limit: int,
        array: Any = None,
    ) -> None:
        self._note, self._encode = note_and_encode(encoder, function, array)
        self._values = iter(values)
        self._limit = min(limit, _ALL)
        self._done = 0
        #: What is raised after the latest block.
        self._error: Exception | None = None
        #: Whether an exception came from here, for `put_pieces`.
        self.has_failed = False

    def __iter__(self) -> Blocks:
        """Return the iterator."""
        return self

    def __next__(self) -> tuple[bytes, int]:
        """Return the next block; an error comes after the lines before it."""
        self.has_failed = True
        if self._error is not None:
            error, self._error = self._error, None
            try:
                raise error
            finally:
                del error  # its traceback has this frame
        text, count, error, is_of_values = self._encode(self._values, self._limit)
        self._done += count
        if error is not None:
            if not is_of_values:
                error = noted(error, self._note(self._done + 1))
            self._error = error
            if not count:
                return self.__next__()
        elif not count:
            self.has_failed = False
            raise StopIteration
        self.has_failed = False
        return text, count
