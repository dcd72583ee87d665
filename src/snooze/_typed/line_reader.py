"""`Decoder.decode_lines` and its iterators: JSON Lines into Python objects.

Separate from `codecs`, whose `decode` reads one document. Invariants: each line that is
not blank gives one value or one error, in order; memory is that of one block of lines;
an error has the number of its line. Part of `import snooze`, so it imports the rest
when it is called.
"""

from __future__ import annotations

from collections import namedtuple

from snooze._typed.lazy_typing import TYPE_CHECKING, Any, Generic, T

if TYPE_CHECKING:
    import os
    from collections.abc import (
        AsyncGenerator,
        Callable,
        Generator,
        Iterable,
        Iterator,
    )
    from typing import IO, NamedTuple, TypeAlias

    from snooze._decode_error import JSONDecodeError

    Chunk: TypeAlias = "bytes | bytearray | memoryview | str"
    Data: TypeAlias = "bytes | bytearray | memoryview"
    File: TypeAlias = "str | os.PathLike[str] | IO[bytes] | IO[str]"
    Source: TypeAlias = "File | Data | Iterable[Chunk]"

    class _Fields(NamedTuple):
        line: int
        offset: int
        text: bytes
        error: JSONDecodeError

else:
    _Fields = namedtuple("_Fields", "line offset text error")  # noqa: PYI024 - late


class LineProblem(_Fields):
    r"""A line that a Decoder cannot decode; a named tuple.

    Attributes:
        line: The number of the line, from 1; blank lines count.
        offset: The byte offset of the line, from 0. For str, UTF-16 and UTF-32 it
            counts the bytes of the text in UTF-8.
        text: The line as bytes, without its line feed; of one that is longer than
            `max_size`, perhaps only its start.
        error: The `JSONDecodeError` or `ValidationError`. Its `lineno` is `line`; its
            `doc` is the line, and `pos` the index in it.

    Examples:
        >>> import snooze
        >>> problems = []
        >>> numbers = snooze.Decoder(int)
        >>> numbers.decode_lines(b'1\n"2"\n3\n', on_error=problems.append)
        [1, 3]
        >>> problems[0].line, problems[0].text, str(problems[0].error)
        (2, b'"2"', 'expected int, found str at $ (line 2 column 1)')
    """

    __slots__ = ()
    __module__ = "snooze"


class LineReader(Generic[T]):
    """The methods of a Decoder that read JSON Lines."""

    __slots__ = ()

    def decode_lines(
        self,
        data: Chunk,
        /,
        *,
        on_error: Callable[[LineProblem], object] | None = None,
    ) -> list[T]:
        r"""Decode JSON Lines (NDJSON): one document on each line.

        Blank lines are skipped. A line ends at a line feed, with or without a carriage
        return before it; the last one may end without.

        Args:
            data: The lines: bytes, bytearray, memoryview or str.
            on_error: Called with a `LineProblem` for each line that does not fit, which
                then is left out. An exception that it raises ends the call. Default
                None: the first such line is an error.

        Returns:
            A list of the values.

        Raises:
            JSONDecodeError: A line is not a JSON document. `lineno` is its number;
                `doc` and `pos` are of the line alone.
            ValidationError: The document of a line does not fit the type.
            TypeError: `data` or `on_error` is of another type.

        Examples:
            >>> import snooze
            >>> snooze.Decoder().decode_lines(b'{"id": 1}\n\n{"id": 2}\n')
            [{'id': 1}, {'id': 2}]
        """
        from snooze._chunks import whole  # noqa: PLC0415 - not at import time

        lines = _Lines(self, on_error)
        values: list[T] = []
        for some in lines.values(lines.recoded(whole(data), is_last=True)):
            if values:
                values += some
            else:
                values = some
        return values

    def iter_lines(
        self,
        source: Source,
        /,
        *,
        on_error: Callable[[LineProblem], object] | None = None,
    ) -> Iterator[T]:
        r"""Decode JSON Lines from a file or a stream, a block at a time.

        Needs memory for one block, 256 KiB of text and its values, and for the longest
        line, which the option `max_size` of the Decoder limits. The values before an
        error come first.

        Args:
            source: A path; an open file, binary or text; data, as for `decode_lines`;
                or an iterable of such chunks, which may end anywhere in a line: lines
                without their line feeds would be joined. Paths in ``.gz`` and ``.zst``
                are decompressed, as by ``load``. Of a pipe, pass the binary file, such
                as `sys.stdin.buffer`: a text file waits for a whole block.
            on_error: As for `decode_lines`.

        Returns:
            An iterator of the values. It opens the file of a path when the first one is
            asked for, and closes it at the end or after an error.

        Raises:
            JSONDecodeError: As for `decode_lines`; a note names the file.
            ValidationError: Likewise.
            OSError: The file cannot be read, or is not compressed as its name says.
            TypeError: The source or `on_error` is of another type.
            ValueError: Python cannot read the compression.

        Examples:
            >>> import io, snooze
            >>> file = io.BytesIO(b'{"id": 1}\n{"id": 2}\n')
            >>> for record in snooze.Decoder(dict[str, int]).iter_lines(file):
            ...     print(record)
            {'id': 1}
            {'id': 2}
        """
        from snooze._chunks import chunks_from  # noqa: PLC0415 - not at import time

        chunks = chunks_from(source, "iter_lines")
        return _Lines(self, on_error).iterate(source, chunks)

    async def aiter_lines(
        self,
        source: Any,
        /,
        *,
        on_error: Callable[[LineProblem], object] | None = None,
    ) -> AsyncGenerator[T, None]:
        r"""Decode JSON Lines from an asynchronous stream, as the chunks arrive.

        Each value is returned as soon as its line has ended. Decoding itself does not
        give way to other tasks.

        Args:
            source: An asynchronous iterable of chunks, such as ``aiter_bytes()`` of
                httpx or ``content.iter_any()`` of aiohttp. They may end anywhere.
            on_error: As for `decode_lines`.

        Yields:
            The values.

        Raises:
            JSONDecodeError: As for `decode_lines`.
            ValidationError: As for `decode_lines`.
            TypeError: The source or `on_error` is of another type.

        Examples:
            >>> import asyncio, snooze
            >>> async def chunks():
            ...     yield b'{"id": 1}\n{"i'
            ...     yield b'd": 2}'
            >>> async def ids():
            ...     lines = snooze.Decoder().aiter_lines(chunks())
            ...     return [record["id"] async for record in lines]
            >>> asyncio.run(ids())
            [1, 2]
        """
        from snooze._chunks import asynchronous, whole  # noqa: PLC0415 - as above

        lines = _Lines(self, on_error)
        async for chunk in asynchronous(source):
            for some in lines.values(lines.cut(whole(chunk))):
                for value in some:
                    yield value
        for some in lines.values(lines.rest()):
            for value in some:
                yield value


class _Lines:
    """Where a reader of lines is."""

    def __init__(self, decoder: Any, on_error: Callable[..., object] | None) -> None:
        if on_error is not None and not callable(on_error):
            raise TypeError(f"on_error needs a callable, not {on_error!r}")
        encoding = decoder._options.get("encoding")  # noqa: SLF001 - of a Decoder
        self._on_error = on_error
        #: The number of the next line, and where it begins.
        self._number, self._offset = 1, 0
        #: The start of a line whose end has not come, and how long it is.
        self._held: list[bytes] = []
        self._held_size = 0
        #: The most bytes of a line, and whether one that is longer is passed over.
        self._most = decoder._options.get("max_size")  # noqa: SLF001 - of a Decoder
        self._is_too_long = False
        #: How many blanks are left out behind the text that is read next.
        self._left_out = 0
        self._recoder = None
        if encoding is not None:
            from snooze._typed.reading import Recoder, without_encoding  # noqa: PLC0415

            # The start of the text shows its encoding, not that of each line.
            self._recoder = Recoder(detect=encoding == "detect")
            decoder = without_encoding(decoder)
        self._decode = decoder._decode_lines  # noqa: SLF001 - of a Decoder

    def values(self, text: bytes) -> Iterator[list[Any]]:
        """Yield the values of whole lines: those before each error, and the last."""
        start = 0
        while True:
            some, start, self._number, error = self._decode(text, start, self._number)
            yield some
            if error is None:
                break
            try:
                start = self._report(error, text, start)
            finally:
                # Its traceback has this frame, and so the text and the values.
                error = None
            self._number += 1
        self._offset += len(text) + self._left_out
        self._left_out = 0

    def _report(self, error: Exception, text: bytes, start: int) -> int:
        """Raise or hand on the error of a line; return where the next line begins."""
        from snooze._decode_error import JSONDecodeError  # noqa: PLC0415 - late

        number = self._number
        end = text.find(b"\n", start)
        end = len(text) if end < 0 else end
        line = text[start:end]
        try:
            if not isinstance(error, JSONDecodeError):
                error.add_note(f"in line {number}")
                raise error
            if error._is_of(line):  # noqa: SLF001 - of the package
                error._move_to_line(number)  # noqa: SLF001 - of the package
            else:
                error.add_note(f"in line {number}")
            if self._on_error is None:
                raise error
            offset = self._offset + start
            if self._recoder is not None:
                offset += self._recoder.left_out
            # Its frames have the text and the values of the block.
            error.__traceback__ = None
            self._on_error(LineProblem(number, offset, line, error))
        finally:
            del error  # as in `values`
        return end + 1

    def iterate(
        self, source: Any, chunks: Generator[bytes, None, None]
    ) -> Generator[Any, None, None]:
        """Yield the values of all lines; errors name the file."""
        from snooze._decode_error import JSONDecodeError  # noqa: PLC0415 - late

        try:
            for chunk in chunks:
                for some in self.values(self.cut(chunk)):
                    yield from some
            for some in self.values(self.rest()):
                yield from some
        except JSONDecodeError as error:
            from snooze._files import name_file  # noqa: PLC0415 - late

            name_file(error, "in the file", source)
            raise
        finally:
            chunks.close()  # also where the error keeps this frame

    def recoded(self, chunk: bytes, *, is_last: bool) -> bytes:
        """Return a chunk in UTF-8."""
        if self._recoder is None:
            return chunk
        return self._recoder.feed(chunk, is_last=is_last)

    def cut(self, chunk: bytes) -> bytes:
        """Return the lines that end in a chunk, and hold back what follows them.

        Of a line that is too long, the part that has come is returned as a line.
        """
        chunk = self._after_long_line(self.recoded(chunk, is_last=False))
        end = chunk.rfind(b"\n") + 1
        whole = self._taken(chunk[:end]) if end else b""
        self._held.append(chunk[end:])
        self._held_size += len(chunk) - end
        if self._most is None or self._held_size <= self._most:
            return whole
        part = self._taken(b"")
        if part.strip(b" \t\r"):
            self._is_too_long = True
            return whole + part
        # A line that is blank so far is no error, and its blanks are not needed.
        self._left_out = len(part)
        return whole

    def rest(self) -> bytes:
        """Return the last line, if it has no end."""
        return self._taken(self._after_long_line(self.recoded(b"", is_last=True)))

    def _taken(self, end: bytes) -> bytes:
        """Return what is held with its end, and hold it no longer."""
        held, self._held, self._held_size = self._held, [], 0
        return b"".join([*held, end]) if held else end

    def _after_long_line(self, chunk: bytes) -> bytes:
        """Return what follows the line that was too long, if its end has come."""
        if not self._is_too_long:
            return chunk
        end = chunk.find(b"\n") + 1
        self._is_too_long = not end
        self._offset += end or len(chunk)
        return chunk[end:] if end else b""
