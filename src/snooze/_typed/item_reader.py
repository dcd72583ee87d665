"""`Decoder.iter_items` and `aiter_items`: the items of one array of a large document.

Separate from `line_reader`, whose documents end with their lines; the reader itself is
in `items`, which is loaded when one of these is called. Part of `import snooze`.
"""

from __future__ import annotations

from snooze._typed.lazy_typing import TYPE_CHECKING, Any, Generic, T

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Iterator

    from snooze._decode_error import JSONDecodeError
    from snooze._typed.line_reader import Source


class ItemReader(Generic[T]):
    """The methods of a Decoder that read the items of an array."""

    __slots__ = ()

    def iter_items(
        self,
        source: Source,
        /,
        at: str = "",
        *,
        on_error: Callable[[JSONDecodeError], object] | None = None,
    ) -> Iterator[T]:
        r"""Decode the items of an array, one after another, as the document is read.

        Needs memory for one block, 256 KiB of text and its items, and for the largest
        item, whatever the size of the document. All of it is checked, also what is
        before and after the array: a fault anywhere is an error, after the items before
        it. Options of the Decoder hold for each item, also `max_depth` and `max_size`;
        an item that exceeds `max_size` before it is complete ends the iteration.
        To decode the array as a whole, use ``Decoder(list[T], at=…)``.

        Args:
            source: A path; an open file, binary or text; data: bytes, bytearray or
                memoryview; or an iterable of chunks of data, also str, which may end
                anywhere. Paths in ``.gz`` and ``.zst`` are decompressed, as by
                ``load``.
            at: The place of the array in the document, as a JSON Pointer (RFC 6901)
                such as ``"/data/items"``. Default "": the document is the array.
            on_error: Called with the error of each item that cannot be decoded, which
                then is left out. An exception that it raises ends the iteration.
                Default None: the first such item is an error. Where the document is not
                JSON, nothing can be left out, and the error is raised.

        Returns:
            An iterator of the items. It opens the file of a path when the first one is
            asked for, and closes it at the end or after an error.

        Raises:
            ValidationError: An item does not fit the type, or there is no array at the
                place, which is known at the end of the document. Paths, lines, columns
                and offsets are those in the document; `doc` is the text of the item,
                and `pos` the index in it. A note names the file.
            JSONDecodeError: The document is not JSON, or a member on the way to the
                array occurs twice. `lineno` and `colno` are the place, `doc` is empty.
            OSError: The file cannot be read, or is not compressed as its name says.
            TypeError: The source, `at` or `on_error` is of another type.
            ValueError: `at` is not a JSON Pointer; Python cannot read the compression;
                or the Decoder has an option that this method does not support: `at`,
                `syntax`, `nan`, `surrogates`, a `max_depth` above 1024.

        Examples:
            >>> import io, snooze
            >>> file = io.BytesIO(b'{"count": 2, "users": [{"id": 1}, {"id": 2}]}')
            >>> for user in snooze.Decoder(dict[str, int]).iter_items(file, "/users"):
            ...     print(user)
            {'id': 1}
            {'id': 2}
        """
        from snooze._chunks import chunks_from  # noqa: PLC0415 - not at import time
        from snooze._typed.items import Items  # noqa: PLC0415 - likewise

        items = Items(self, "iter_items", at, on_error)
        return items.iterate(source, chunks_from(source, "iter_items"))

    async def aiter_items(
        self,
        source: Any,
        /,
        at: str = "",
        *,
        on_error: Callable[[JSONDecodeError], object] | None = None,
    ) -> AsyncGenerator[T, None]:
        r"""Decode the items of an array from an asynchronous stream, as they arrive.

        Each item is returned as soon as what follows it, a comma or a bracket, has
        come. Decoding itself blocks the event loop.

        Args:
            source: An asynchronous iterable of chunks, such as ``aiter_bytes()`` of
                httpx or ``content.iter_any()`` of aiohttp. They may end anywhere.
            at: As for `iter_items`.
            on_error: As for `iter_items`.

        Yields:
            The items.

        Raises:
            ValidationError: As for `iter_items`.
            JSONDecodeError: As for `iter_items`.
            TypeError: The source, `at` or `on_error` is of another type.
            ValueError: As for `iter_items`.

        Examples:
            >>> import asyncio, snooze
            >>> async def chunks():
            ...     yield b'{"users": [{"id": 1}, {"i'
            ...     yield b'd": 2}]}'
            >>> async def ids():
            ...     users = snooze.Decoder().aiter_items(chunks(), "/users")
            ...     return [user["id"] async for user in users]
            >>> asyncio.run(ids())
            [1, 2]
        """
        from snooze._chunks import asynchronous, whole  # noqa: PLC0415 - as above
        from snooze._typed.items import Items  # noqa: PLC0415 - likewise

        items = Items(self, "aiter_items", at, on_error)
        async for chunk in asynchronous(source):
            for some in items.values(whole(chunk)):
                for value in some:
                    yield value
        for some in items.rest():
            for value in some:
                yield value
