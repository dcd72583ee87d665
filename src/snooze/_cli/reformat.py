"""Write the text of a document with other white space.

Separate because it changes nothing else: numbers keep their digits, strings their
escapes, and members that occur twice stay. Invariants: the text is valid; what is
written is in pieces of bounded length. Used by text_commands.py and value_commands.py.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from snooze._cli.items import PACKED, items

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_PIECE = 1 << 16
#: DEL too, which json.dumps escapes.
_NOT_ASCII = re.compile(r"[^\x00-\x7e]")


@dataclass(frozen=True)
class Colours:
    """The codes of a terminal before a name, a string and another scalar, and after."""

    name: bytes = b""
    string: bytes = b""
    other: bytes = b""
    end: bytes = b""


PLAIN = Colours()
COLOURED = Colours(b"\x1b[34m", b"\x1b[32m", b"\x1b[36m", b"\x1b[0m")


def indented(  # noqa: C901 - one loop, whose parts as calls would cost twice as much
    text: bytes,
    indent: bytes,
    colours: Colours = PLAIN,
    progress: Callable[[int], None] | None = None,
) -> Iterator[bytes]:
    """Yield a document with one scalar or bracket on each line, without a newline.

    `progress` is told the offset that was reached.
    """
    lines = [b"\n"]
    depth = 0
    out: list[bytes] = []
    add = out.append
    colon = b": "
    name_start, end = colours.name, colours.end
    is_coloured = colours is not PLAIN
    start = 1  # leaves out the first newline
    for match in items(text):
        name, scalar, opening, empty, closing, comma = match.groups(b"")
        if closing:
            depth -= 1
        add(lines[depth])
        if name:
            if is_coloured:
                name = name_start + name + end
            add(name)
            add(colon)
        if scalar:
            if is_coloured:
                kind = colours.string if scalar[0] == 34 else colours.other
                scalar = kind + scalar + end
            add(scalar + comma)
        elif closing:
            add(closing + comma)
        else:
            add(opening + empty + comma)
            if not empty:
                depth += 1
                if depth == len(lines):
                    lines.append(lines[-1] + indent)
        if len(out) > _PIECE:
            yield b"".join(out)[start:]
            start = 0
            out.clear()
            if progress is not None:
                progress(match.end())
    yield b"".join(out)[start:]


def minified(
    text: bytes, progress: Callable[[int], None] | None = None
) -> Iterator[bytes]:
    """Yield a document without white space outside of its strings."""
    out: list[bytes] = []
    for match in PACKED.finditer(text):
        out.append(match[0])
        if len(out) > _PIECE:
            yield b"".join(out)
            out.clear()
            if progress is not None:
                progress(match.end())
    yield b"".join(out)


def ascii_only(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Escape what json.dumps escapes; it is all inside of strings."""
    for piece in pieces:
        if piece.isascii() and b"\x7f" not in piece:
            yield piece
        else:
            yield _NOT_ASCII.sub(_escape, piece.decode()).encode()


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
