"""The reader of the items of one array, in a document that comes in blocks.

Separate from `item_reader`, whose methods are part of `import snooze`. The extension
finds the items and checks the document (`items_feed`), and a Decoder reads them; this
puts what it says of an item in its place in the document. Invariants: each item gives
one value or one error, in order; memory is that of one block and one item; a document
that ends early, or has a fault, never ends without an error. `partial` shares what is
said of a document as a whole.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

from snooze import _snooze
from snooze._decode_error import JSONDecodeError
from snooze._files import name_file
from snooze._typed.errors import ValidationError, fail
from snooze._typed.places import place, tokens
from snooze._typed.reading import DEEPEST, Recoder, without_encoding

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    from snooze._typed.places import Path

#: How much text is read at once, however large a chunk is.
_BLOCK = 1 << 18
#: What the extension says of an item: its end in the text, its place in the document.
_MARK = struct.Struct("=4Q")
#: Options of a Decoder that change what a document is, and what the extension reads.
_READS = {"syntax": "json", "nan": "error", "surrogates": "error"}
_READS_UTF8 = {**_READS, "encoding": "utf-8"}


class Items:
    """A document in blocks, and how far its items have been read."""

    def __init__(
        self,
        decoder: Any,
        function: str,
        at: str,
        on_error: Callable[[JSONDecodeError], object] | None,
    ) -> None:
        """Begin a document of which nothing has come."""
        if on_error is not None and not callable(on_error):
            raise TypeError(f"on_error needs a callable, not {on_error!r}")
        options = decoder._options  # noqa: SLF001 - of a Decoder
        if options.get("at") is not None:
            raise ValueError(
                f"{function}: expected the place of the array as its own argument at, "
                "found a Decoder with at"
            )
        check_plain(function, options, recodes=True)
        self._steps = tokens(at)
        encoded = [step.encode("utf-8", "surrogatepass") for step in self._steps]
        self._document = _snooze.items_open(tuple(encoded))
        self._on_error = on_error
        #: The items of the blocks before.
        self._count = 0
        #: How far the way to the array has been found; None if all of it.
        self._found: tuple[int | str, int, int, int] | None = None
        self._is_empty = True
        #: The most bytes of an item.
        self._most: int | None = options.get("max_size")
        self._recoder = None
        if "encoding" in options:
            self._recoder = Recoder(detect=options["encoding"] == "detect")
            decoder = without_encoding(decoder)
        self._decode = decoder._decode_items  # noqa: SLF001 - of a Decoder

    def values(self, chunk: bytes, *, is_last: bool = False) -> Iterator[list[Any]]:
        """Yield the items that a chunk ends: those before each error, and the last."""
        if self._recoder is not None:
            chunk = self._recoder.feed(chunk, is_last=is_last)
        if len(chunk) <= _BLOCK:
            yield from self._block(chunk)
            return
        for start in range(0, len(chunk), _BLOCK):
            yield from self._block(chunk[start : start + _BLOCK])

    def _block(self, block: bytes) -> Iterator[list[Any]]:
        """Yield the items that a block ends."""
        self._is_empty = self._is_empty and not block
        text, marks, self._found, cut, fault = _snooze.items_feed(self._document, block)
        number = 0
        while marks:
            some, start, number, error = self._decode(text, marks, number)
            yield some
            if error is None:
                break
            try:
                self._report(error, text, start, marks, number)
            finally:
                # Its traceback has this frame, and so the text and the values.
                error = None
        self._count += len(marks) // _MARK.size
        if fault is not None:
            raise error_of(fault)
        size, *where = cut
        if self._most is not None and int(size) > self._most:
            raise self._too_long(*where)

    def _too_long(self, offset: int, line: int, column: int) -> JSONDecodeError:
        """Return the error of an item that is too long before it has ended."""
        text = f"document has more than {self._most} bytes: max_size is {self._most}"
        path = (*self._way(), self._count)
        error = JSONDecodeError(text, "", 0)
        error._move_into(path, offset, (line, column))  # noqa: SLF001 - of the package
        error.add_note(f"in {place(path)}")
        return error

    def rest(self) -> Iterator[list[Any]]:
        """Yield what is left at the end of the document."""
        yield from self.values(b"", is_last=True)
        if self._is_empty:
            _snooze.loads(b"")  # raises its error
        fault = _snooze.items_end(self._document)
        if fault is not None:
            raise error_of(fault)
        if self._found is not None:
            found, *where = self._found
            self._fail(found, *where)

    def iterate(
        self, source: Any, chunks: Generator[bytes, None, None]
    ) -> Generator[Any, None, None]:
        """Yield all items; errors name the file."""
        try:
            for chunk in chunks:
                for some in self.values(chunk):
                    yield from some
            for some in self.rest():
                yield from some
        except JSONDecodeError as error:
            name_file(error, "in the file", source)
            raise
        finally:
            chunks.close()  # also where the error keeps this frame

    def _report(
        self, error: Exception, text: bytes, start: int, marks: bytes, number: int
    ) -> None:
        """Raise or hand on the error of an item; its number begins with 1."""
        first = (number - 1) * _MARK.size
        end, offset, line, column = _MARK.unpack_from(marks, first)
        path = (*self._way(), self._count + number - 1)
        try:
            if not isinstance(error, JSONDecodeError):
                error.add_note(f"in {place(path)}")
                raise error
            is_of_item = error._is_of(text[start:end])  # noqa: SLF001 - of the package
            if not (is_of_item and isinstance(error, ValidationError)):
                error.add_note(f"in {place(path)}")
            if is_of_item:
                error._move_into(path, offset, (line, column))  # noqa: SLF001 - likewise
            if self._on_error is None:
                raise error
            # Its frames have the text and the values of the block.
            error.__traceback__ = None
            self._on_error(error)
        finally:
            del error  # as in `_block`

    def _way(self) -> Path:
        """Return the steps to the array, indices as int, as far as they were found."""
        indices = _snooze.items_indices(self._document)
        steps = zip(self._steps, indices, strict=True)
        return tuple(int(step) if is_index else step for step, is_index in steps)

    def _fail(self, found: int | str, offset: int, line: int, column: int) -> None:
        """Raise the error of a document that has no array at the place."""
        path = self._way()
        if isinstance(found, int):
            path, found = path[:found], f'no "{self._steps[found]}"'
        try:
            fail(None, [((), "array", found, 0, None)], 0)
        except ValidationError as error:
            error._move_into(path, offset, (line, column))  # noqa: SLF001 - of the package
            raise


def check_plain(
    function: str, options: dict[str, Any], *, recodes: bool = False
) -> None:
    """Refuse the options of a Decoder that change what a document is.

    Args:
        function: What is called, for the message.
        options: The options of the Decoder that are not defaults.
        recodes: Whether text in other encodings is read.
    """
    for name, value in (_READS if recodes else _READS_UTF8).items():
        if options.get(name, value) != value:
            raise ValueError(
                f"{function} reads JSON by RFC 8259: found a Decoder with "
                f"{name}={options[name]!r}"
            )
    depth = options.get("max_depth")
    if depth is not None and depth > DEEPEST:
        raise ValueError(
            f"{function} reads documents of at most {DEEPEST} levels: found a Decoder "
            f"with max_depth={depth}"
        )


def error_of(fault: tuple[str, int | None, int, int]) -> JSONDecodeError:
    """Return the error of a fault of the document."""
    message, offset, line, column = fault
    error = JSONDecodeError(message, "", 0)
    if offset is not None:
        error._move_into((), offset, (line, column))  # noqa: SLF001 - of the package
    return error
