"""The documents that a command reads: files, patterns of files, standard input.

Separate because every command reads. Invariants: a name is expanded as a pattern only
if there is no file of that name; text that is not JSON is a `DocumentError` that knows
its file. Commands read blocks (see blocks.py), lines, or the whole text of a document.
Used by the commands.
"""

from __future__ import annotations

import glob
import io
import os
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import snooze
from snooze._cli import options
from snooze._cli.utf8 import Search
from snooze._files import compression, damage, unlisted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import IO

    from snooze._cli.utf8 import Fault

STANDARD_INPUT = "-"
#: Bytes of a block: few enough for the caches of a processor.
BLOCK = 1 << 18
#: The white space of JSON; that of Python has more.
_BLANKS = b" \t\r\n"
_DECODER = snooze.Decoder()
_MAGIC = frozenset("*?[")
_MORE = "unexpected content after document"
_NOT_UTF8 = "str is not valid UTF-8"


class InputError(Exception):
    """A file cannot be read."""


class DataError(Exception):
    """What was read is not what a command needs."""


class DocumentError(Exception):
    """A text is not a JSON document."""

    def __init__(  # noqa: PLR0913 - what a message shows
        self,
        name: str,
        reason: str,
        *,
        line: int = 1,
        column: int = 1,
        text: str = "",
        cut: int = 0,
    ) -> None:
        """Keep the place, and its line in the file without `cut` characters."""
        super().__init__(reason)
        self.name = name
        self.reason = reason
        self.line = line
        self.column = column
        self.text = text
        self.cut = cut
        #: Whether it may be JSON Lines, read as one document. Known only while a
        #: command runs, and the message may be shown after it.
        is_second_line = reason == _MORE and line > 1 and column == 1
        self.may_be_lines = is_second_line and options.omits_lines()
        #: Whether it looks like another encoding, whose ASCII is UTF-8 with zeros.
        self.is_wide = line == 1 and not cut and "\0" in text[:4]

    @classmethod
    def of(
        cls, name: str, error: snooze.JSONDecodeError, line: int, advice: str = ""
    ) -> DocumentError:
        """Return the error of a text that begins in a line of the file."""
        reason = (str(error).rpartition(": line ")[0] or str(error)) + advice
        start = error.pos - error.colno + 1
        end = error.doc.find("\n", start)
        text = error.doc[start:] if end < 0 else error.doc[start:end].rstrip("\r")
        line += error.lineno - 1
        return cls(name, reason, line=line, column=error.colno, text=text)

    @classmethod
    def in_text(
        cls, name: str, error: snooze.JSONDecodeError, line: int, text: bytes
    ) -> DocumentError:
        """Return the error of a text, whose encoding may be what is wrong."""
        if str(error).startswith(_NOT_UTF8):
            return cls.not_utf8(name, [text], line)
        return cls.of(name, error, line)

    @classmethod
    def not_utf8(
        cls, name: str, blocks: Iterable[bytes], line: int = 1
    ) -> DocumentError:
        """Return the error of a text that is not UTF-8, with the first wrong byte."""
        search = Search(line)
        for block in blocks:
            if search.feed(block):
                break
        return cls.of_fault(name, search.end())

    @classmethod
    def of_fault(cls, name: str, fault: Fault | None) -> DocumentError:
        """Return the error of what was found by a search."""
        if fault is None:
            return cls(name, "not valid UTF-8")
        reason, line, column, text, cut = fault
        return cls(name, reason, line=line, column=column, text=text, cut=cut)


@dataclass(frozen=True)
class Source:
    """A file, or standard input; or a text that was read from it, or its copy."""

    name: str
    text: bytes | None = None
    kept: Callable[[], IO[bytes]] | None = None

    @property
    def title(self) -> str:
        """The name for messages."""
        return "<stdin>" if self.name == STANDARD_INPUT else self.name

    @contextmanager
    def opened(self) -> Iterator[IO[bytes]]:
        """Open the file, decompressed if the name says so; InputError if it fails."""
        is_compressed = False
        try:
            if self.text is not None:
                yield io.BytesIO(self.text)
                return
            if self.kept is not None:
                yield self.kept()
                return
            if self.name == STANDARD_INPUT:
                yield sys.stdin.buffer
                return
            compressed = compression(self.name)
            is_compressed = compressed is not None
            with (compressed or open)(self.name, "rb") as file:
                yield file
        except Exception as error:
            # Each decompressor has exceptions of its own for damaged data.
            reason = damage(error) if is_compressed else None
            if reason is not None:
                raise InputError(f"{self.title}: {reason}") from None
            if isinstance(error, OSError):
                raise InputError(f"{self.title}: {error.strerror or error}") from None
            if isinstance(error, ValueError):
                raise InputError(str(error)) from None
            raise

    def read(self) -> bytes:
        """Return the whole text."""
        with self.opened() as file:
            return file.read()

    def blocks(self) -> Iterator[bytes]:
        """Yield the text in blocks; only one is in memory."""
        with self.opened() as file:
            while block := file.read(BLOCK):
                yield block

    def is_repeatable(self) -> bool:
        """Tell whether the text can be read again: not that of a pipe."""
        return not (self.text is None and self.kept is None) or (
            self.name != STANDARD_INPUT and os.path.isfile(self.name)  # noqa: PTH113
        )

    def check(self, text: bytes, line: int = 1) -> None:
        """Raise DocumentError unless the text is one document."""
        try:
            _DECODER.validate_only(text)
        except snooze.JSONDecodeError as error:
            raise DocumentError.in_text(self.title, error, line, text) from None

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield the lines that are not blank, with their numbers, one after the other.

        Only one is in memory.
        """
        with self.opened() as file:
            for number, line in enumerate(file, 1):
                if line.strip(_BLANKS):
                    yield number, line.rstrip(b"\r\n")


def sources(names: Iterable[str]) -> list[Source]:
    """Return the files that names and patterns stand for; standard input for none."""
    found: list[Source] = []
    for name in names:
        if _MAGIC & set(name) and not os.path.exists(name):  # noqa: PTH110 - never fails
            matching = sorted(glob.glob(name, recursive=True))  # noqa: PTH207 - as typed
            files = [_matched(one) for one in matching if Path(one).is_file()]
            if not files:
                if (error := unlisted(name)) is not None:
                    raise InputError(f"{error.filename}: {error.strerror}")
                raise InputError(f"{name}: no file matches")
            found += files
        else:
            found.append(Source(name))
    return found or [Source(STANDARD_INPUT)]


def _matched(name: str) -> Source:
    """Return a file that a pattern matches, which is never standard input."""
    return Source(f"./{name}" if name == STANDARD_INPUT else name)
