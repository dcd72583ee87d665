"""Colours for a text that is written already, in pieces.

Separate from reformat.py, which writes and colours a whole text at once: here memory is
that of one piece, whatever the text is and wherever it is cut. Invariant: without the
codes it is the same text. Used by text_commands.py.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from snooze._cli.reformat import Colours

_SCALAR = re.compile(rb"[-+.0-9A-Za-z]+")
_BRACKET = re.compile(rb"[][{}]")
_QUOTE_OR_ESCAPE = re.compile(rb'["\\]')


class Painter:
    """Where in the document the last piece ended."""

    def __init__(self, colours: Colours) -> None:
        """Nothing has been written."""
        self._colours = colours
        #: The brackets that are open, and the last byte outside strings but spaces.
        self._open = bytearray()
        self._last = b""
        self._in_string = self._is_escaped = self._in_scalar = False

    def painted(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """Yield the pieces of a valid document in colours."""
        for piece in pieces:
            yield b"".join(self._parts(piece))
        if self._in_scalar:
            yield self._colours.end

    def _parts(self, piece: bytes) -> Iterator[bytes]:
        at = 0
        while at < len(piece):
            if self._in_string:
                end = self._string_end(piece, at)
                yield piece[at:end]
                at = end
                if not self._in_string:
                    yield self._colours.end
                continue
            quote = piece.find(b'"', at)
            end = len(piece) if quote < 0 else quote
            yield self._outside(piece[at:end], is_cut=quote < 0)
            at = end
            if quote >= 0:
                yield self._name_or_string()
                yield b'"'
                at += 1
                self._in_string = True

    def _string_end(self, piece: bytes, at: int) -> int:
        """Return where the string ends, or its part in this piece."""
        if self._is_escaped:
            self._is_escaped = False
            at += 1
        while found := _QUOTE_OR_ESCAPE.search(piece, at):
            at = found.end()
            if found[0] == b'"':
                self._in_string = False
                return at
            if at == len(piece):
                self._is_escaped = True
            at += 1
        return len(piece)

    def _name_or_string(self) -> bytes:
        """Return the colour of a string that begins, and note it."""
        is_name = self._open[-1:] == b"{" and self._last != b":"
        return self._colours.name if is_name else self._colours.string

    def _outside(self, part: bytes, *, is_cut: bool) -> bytes:
        """Return what is between two strings, or its part before a cut."""
        for found in _BRACKET.finditer(part):
            if found[0] in b"[{":
                self._open += found[0]
            else:
                del self._open[-1:]
        self._last = part.rstrip()[-1:] or self._last
        before = b""
        if self._in_scalar:
            rest = _SCALAR.match(part)
            size = rest.end() if rest else 0
            if size == len(part) and is_cut:
                return part
            before = part[:size] + self._colours.end
            part = part[size:]
            self._in_scalar = False
        end = self._colours.end
        painted = _SCALAR.sub(self._colours.other + rb"\g<0>" + end, part)
        if is_cut and _SCALAR.fullmatch(part[-1:]):
            painted = painted[: -len(end)]
            self._in_scalar = True
        return before + painted
