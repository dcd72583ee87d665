"""One document in blocks: checked, and written in another layout.

Separate from reformat.py, which needs the whole text: here memory is that of a few
blocks, whatever the document is. Invariants: nothing is written before the whole
document has been checked, so it is read twice; what can be read only once (a pipe) is
kept in a temporary file meanwhile, in memory if it is small. A fault has the message,
line, column and caret that the whole text would give. Used by text_commands.py.
"""

from __future__ import annotations

import io
import tempfile
from typing import TYPE_CHECKING

from snooze import _snooze
from snooze._cli.inputs import BLOCK, DocumentError, InputError, Source
from snooze._cli.utf8 import Search

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import IO, Any

    #: What gives the blocks of a document once more, where they were kept.
    Again = Callable[[], Iterable[bytes]] | None

#: Separators of items and of names, indentation or None, whether ASCII only.
Layout = tuple[str, str, str | None, bool]
#: Bytes that are kept before a block, and around a place: no terminal is wider.
_AROUND = 1 << 16
#: Bytes that a temporary file keeps in memory.
_SMALL = 1 << 23
_COMPACT: Layout = (",", ":", None, False)


class _Reader(io.RawIOBase):
    """A file from its beginning, with a position of its own."""

    def __init__(self, file: IO[bytes]) -> None:
        super().__init__()
        self._file = file
        self._at = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._file.seek(self._at)
        part = self._file.read(len(buffer))
        buffer[: len(part)] = part
        self._at += len(part)
        return len(part)


class Twice:
    """A source that is read a second time, also if it is a pipe."""

    def __init__(self, source: Source) -> None:
        """Nothing has been read."""
        self.source = source
        self._kept: IO[bytes] | None = None
        if not source.is_repeatable():
            self._kept = tempfile.SpooledTemporaryFile(_SMALL)  # noqa: SIM115 - closed below

    def blocks(self) -> Iterator[bytes]:
        """Yield the blocks for the first time; those of a pipe are kept."""
        for block in self.source.blocks():
            if self._kept is not None:
                try:
                    self._kept.write(block)
                except OSError as error:
                    raise InputError(
                        f"{self.source.title}: no temporary file for its text: "
                        f"{error.strerror or error}"
                    ) from None
            yield block

    def kept(self) -> Source:
        """Return a source with the same text, to be read any number of times."""
        file = self._kept
        if file is None:
            return self.source
        for _ in self.blocks():
            pass
        return Source(
            self.source.name, kept=lambda: io.BufferedReader(_Reader(file), BLOCK)
        )

    def again(self) -> Iterator[bytes]:
        """Yield them again; several of these may take turns."""
        if self._kept is None:
            yield from self.source.blocks()
            return
        at = 0
        while True:
            self._kept.seek(at)
            block = self._kept.read(BLOCK)
            if not block:
                return
            at += len(block)
            yield block

    def __del__(self) -> None:
        """Remove what was kept, also if nothing was written of it."""
        self.close()

    def close(self) -> None:
        """Remove what was kept."""
        if self._kept is not None:
            self._kept.close()


class _Watched:
    """A document that is checked, and the text around the place of a fault."""

    def __init__(
        self, source: Source, layout: Layout, *, bounded: bool, again: Again = None
    ) -> None:
        self.source = source
        if again is None and source.is_repeatable():
            again = source.blocks
        self._again = again
        #: Of what cannot be read again, the byte that is not UTF-8 is searched now.
        self._search = Search() if again is None else None
        self.size = 0
        self.document: Any = _snooze.blocks_open(layout, bounded)
        self._before = b""
        self._start = 0
        self._around = b""

    def feed(self, block: bytes) -> None:
        """Check a block."""
        if self._search is not None:
            self._search.feed(block)
        noted = _snooze.blocks_check(self.document, block)
        start = self.size - len(self._before)
        end = self._start + len(self._around)
        if noted is not None and noted >= start:
            text = self._before + block
            self._start = max(start, noted - _AROUND)
            self._around = text[self._start - start : noted - start + _AROUND]
        elif noted is not None and end == self.size and end - noted < _AROUND:
            self._around += block[:_AROUND]
        self.size += len(block)
        last = block[-_AROUND:]
        self._before = (self._before + last)[-_AROUND:]

    def finish(self) -> None:
        """Raise DocumentError unless the document was valid and is complete."""
        if not self.size:
            self.source.check(b"")
        found = _snooze.blocks_end(self.document)
        if found is None:
            return
        reason, offset, line, column = found
        if offset is None:
            title = self.source.title
            if self._again is not None:
                raise DocumentError.not_utf8(title, self._again())
            fault = None if self._search is None else self._search.end()
            raise DocumentError.of_fault(title, fault)
        start, around = self._start, self._around
        if not start <= offset < start + len(around):
            start, around = self.size - len(self._before), self._before
        if offset < start:
            start, around = offset, b""
        before = around[: offset - start].rpartition(b"\n")[2].decode("utf-8", "ignore")
        rest, is_whole, _ = around[offset - start :].partition(b"\n")
        text = before + rest.decode("utf-8", "ignore")
        if is_whole:
            text = text.rstrip("\r")
        cut = column - 1 - len(before)
        name = self.source.title
        raise DocumentError(name, reason, line=line, column=column, text=text, cut=cut)


def check(
    source: Source, blocks: Iterable[bytes], *, bounded: bool, again: Again = None
) -> int:
    """Check one document; return its size. DocumentError if it is none.

    If `bounded`, a number that is beyond the range of a double is an error, unless it
    is an integer: what `snooze.loads` cannot read. `again` gives blocks that were read
    from a pipe once more.
    """
    document = _Watched(source, _COMPACT, bounded=bounded, again=again)
    for block in blocks:
        document.feed(block)
    document.finish()
    return document.size


def whole(source: Source) -> bytes:
    """Return the whole text of one document, which is valid."""
    text = source.read()
    check(source, [text], bounded=False, again=lambda: [text])
    return text


def check_line(source: Source, text: bytes, line: int, *, bounded: bool) -> None:
    """Check the document of a line, as `check`; DocumentError if it is none."""
    try:
        source.check(text, line)
    except DocumentError:
        # Integers that Python does not convert are refused there, and are JSON. What
        # is wrong with the line may be behind one.
        try:
            check(source, [text], bounded=bounded, again=lambda: [text])
        except DocumentError as problem:
            problem.line += line - 1
            raise problem from None


def restyled(
    source: Source,
    blocks: Iterable[bytes],
    layout: Layout,
    progress: Callable[[int], None] | None = None,
    again: Again = None,
) -> Iterator[bytes]:
    """Yield a document in a layout, in pieces of bounded length.

    It was checked before; it is checked again, as the file may have changed. `progress`
    is told the offset that was reached.
    """
    document = _Watched(source, layout, bounded=False, again=again)
    for block in blocks:
        document.feed(block)
        at = 0
        while at < len(block):
            text, at = _snooze.blocks_restyle(document.document, block, at)
            yield text
        if progress is not None:
            progress(document.size)
    document.finish()


def are_equal(first: Iterable[bytes], second: Iterable[bytes]) -> bool:
    """Tell whether two texts in pieces are the same."""
    # The rest of a large block is not copied for each small piece.
    ones = (memoryview(block) for block in first if block)
    others = (memoryview(block) for block in second if block)
    one = other = end = memoryview(b"")
    while True:
        one, other = one or next(ones, end), other or next(others, end)
        if not one or not other:
            return one == other
        size = min(len(one), len(other))
        # As bytes, because CPython compares views item by item, ten times slower.
        if bytes(one[:size]) != bytes(other[:size]):
            return False
        one, other = one[size:], other[size:]
