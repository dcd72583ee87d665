"""Messages about a place in a text: line, column, the line itself, and a caret.

Separate because every command shows them. Invariant: a message fits the width of the
terminal, whatever the text holds. Used by the commands.
"""

from __future__ import annotations

import contextlib
import shutil
import unicodedata
from typing import TYPE_CHECKING

import click

from snooze._cli.outputs import wants_colours

if TYPE_CHECKING:
    from snooze._cli.inputs import DocumentError

_LEAST = 20
_HINT = "  For one document on each line, use --lines."
_WIDE = "  It looks like UTF-16 or UTF-32; convert it to UTF-8 first, as with iconv."
#: Categories of characters that are drawn over the one before.
_MARKS = frozenset({"Mn", "Me"})


def show(message: str) -> None:
    """Write a message to standard error; its first line is red on a terminal."""
    first, newline, rest = message.partition("\n")
    if wants_colours():
        first = click.style(first, fg="red")
    # If nobody can be told, the exit status still says it.
    with contextlib.suppress(OSError):
        click.echo(first + newline + rest, err=True)


def tell(message: object) -> None:
    """Show an error or a warning on one line, whatever names and data are in it."""
    show(f"snooze: {printable(str(message))}")


def printable(text: str) -> str:
    """Return text on one line, with escapes in place of control characters."""
    if text.isprintable():
        return text
    return "".join(
        one if one.isprintable() else one.encode("unicode_escape").decode()
        for one in text
    )


def explained(problem: DocumentError) -> str:
    """Return the message for a text that is no document."""
    name, reason = printable(problem.name), printable(problem.reason)
    head = f"{name}:{problem.line}:{problem.column}: {reason}"
    shown = caret(problem.text, problem.column - problem.cut, problem.line)
    hint = _HINT if problem.may_be_lines else _WIDE if problem.is_wide else ""
    return "\n".join(filter(None, (head, shown, hint)))


def caret(text: str, column: int, line: int | None = None) -> str:
    """Return a line of text, or the part around a column, above a caret."""
    label = "  " if line is None else f"  {line} | "
    room = max(_LEAST, shutil.get_terminal_size().columns - len(label) - 1)
    at = min(column - 1, len(text))
    before = _shown(text[max(0, at - room) : at], room * 2 // 3, at_end=True)
    after = _shown(text[at : at + room], room - _width(before))
    if not (before + after).strip():
        return ""
    return f"{label}{before}{after}\n{' ' * (len(label) + _width(before))}^"


def _shown(text: str, room: int, *, at_end: bool = False) -> str:
    """Return text without control characters, cut to columns of a terminal."""
    kept: list[str] = []
    for one in reversed(text) if at_end else text:
        shown = one if one.isprintable() else " " if one in "\t\r\n" else "�"
        room -= _width(shown)
        if room < 0:
            break
        kept.append(shown)
    return "".join(reversed(kept) if at_end else kept)


def _width(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    return sum(
        0
        if unicodedata.category(one) in _MARKS
        else 1 + (unicodedata.east_asian_width(one) in "WF")
        for one in text
    )
