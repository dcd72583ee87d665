"""Finds the first byte of a text that is not UTF-8: its line, column and surroundings.

Separate from inputs.py, because a pipe is searched while it is read: it cannot be read
again. Invariant: memory is that of a block, however long a line is. Used by inputs.py
and blocks.py.
"""

from __future__ import annotations

#: How a file in gzip begins, and what is said of it.
GZIP = b"\x1f\x8b"
PACKED = "not UTF-8, and looks like gzip; decompress it first, as with gzip -dc"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_WIDE = (
    "not UTF-8, and looks like UTF-16 or UTF-32; convert it first, as with iconv -f "
    "UTF-16 -t UTF-8"
)
#: The most bytes of a character in UTF-8.
_LONGEST = 4
#: Characters that are kept of a line: no terminal is wider.
_AROUND = 1 << 12

#: A reason, the line, the column, the line's text and how many characters it lacks.
Fault = tuple[str, int, int, str, int]


class Search:
    """A search through blocks, one after the other."""

    def __init__(self, line: int = 1) -> None:
        """Begin in a line of a file."""
        self.fault: Fault | None = None
        self._line = self._start = line
        #: The last line as far as it is known, and how much of it was left out.
        self._before = ""
        self._cut = 0
        #: The beginning of a character.
        self._rest = b""
        #: The first bytes, which may say that it is something else.
        self._head = b""

    def feed(self, block: bytes) -> bool:
        """Search a block; return whether the byte was found."""
        return self.fault is not None or self._has_fault(block, is_last=False)

    def end(self) -> Fault | None:
        """Return what was found; a character may have been cut by the end."""
        if self.fault is None:
            self._has_fault(b"", is_last=True)
        return self.fault

    def _has_fault(self, block: bytes, *, is_last: bool) -> bool:
        data = self._rest + block
        if len(self._head) < _LONGEST:
            self._head = (self._head + block)[:_LONGEST]
        try:
            text, self._rest = data.decode(), b""
        except UnicodeDecodeError as error:
            text, self._rest = data[: error.start].decode(), data[error.start :]
            is_cut = error.end == len(data) and len(self._rest) < _LONGEST
            self._pass(text)
            if is_last or not is_cut:
                self._found()
            return self.fault is not None
        self._pass(text)
        return False

    def _pass(self, text: str) -> None:
        """Move the place behind text."""
        lines = text.count("\n")
        self._line += lines
        if lines:
            self._before, self._cut = text[text.rindex("\n") + 1 :], 0
        else:
            self._before += text
        more = len(self._before) - _AROUND
        if more > 0:
            self._before, self._cut = self._before[more:], self._cut + more

    def _found(self) -> None:
        """Keep the fault at the place."""
        rest = self._rest
        head = self._head
        if head.startswith(GZIP):
            self.fault = (PACKED, self._start, 1, "", 0)
            return
        if head[:2] in _UTF16_MARKS or b"\0" in head:
            self.fault = (_WIDE, self._start, 1, "", 0)
            return
        shown = rest[:_AROUND].partition(b"\n")[0].decode(errors="replace")
        self.fault = (
            f"not valid UTF-8 (byte 0x{rest[0]:02x})",
            self._line,
            self._cut + len(self._before) + 1,
            self._before + shown,
            self._cut,
        )
