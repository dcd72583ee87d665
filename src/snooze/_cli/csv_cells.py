"""CSV for the command `convert`: rows of cells to objects and back.

Separate because CSV says neither what a value is nor how a row ends. Invariants: no
column, row or character is lost in silence; what is written is read back as the same
strings. Used by formats.py.
"""

from __future__ import annotations

import csv
import io
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import snooze
from snooze._cli import exact, members

if TYPE_CHECKING:
    from collections.abc import Iterator

_COMPACT = snooze.Encoder(hooks=exact.HOOKS)
_MARK = "\ufeff"
#: The longest cell that the module csv can be told of on every machine.
_LONGEST = (1 << 31) - 1


def rows_of(text: bytes) -> list[dict[str, str]]:
    """Return the rows as objects whose members are the names in the first line.

    Raises ValueError for names that are not distinct and for rows of another length.
    """
    with _long_cells(len(text)):
        rows = csv.reader(
            io.StringIO(text.decode("utf-8-sig"), newline=""), strict=True
        )
        names = next(rows, [])
        _check_names(names)
        found = []
        for row in rows:
            # The only cell of a row may be empty, as pyarrow writes null.
            cells = row or [""] * (len(names) == 1)
            if not cells:
                continue
            if len(cells) != len(names):
                raise ValueError(
                    f"line {rows.line_num} has not as many cells as the first"
                )
            found.append(dict(zip(names, cells, strict=True)))
    return found


def _check_names(names: list[str]) -> None:
    seen = set()
    for name in names:
        if name in seen:
            raise ValueError(
                f"line 1 has two columns with the name {snooze.pointer.quoted(name)}, "
                "of which one would be lost; give each its own name"
            )
        seen.add(name)


@contextmanager
def _long_cells(longest: int) -> Iterator[None]:
    """Let cells be as long as the text; the limit is one for the whole process."""
    before = csv.field_size_limit(min(max(longest, 1), _LONGEST))
    try:
        yield
    finally:
        csv.field_size_limit(before)


def text_of(rows: list[dict[Any, Any]]) -> Iterator[bytes]:
    """Yield objects as rows, without a line feed at the end; nothing for no objects."""
    rows = [members.named(one) for one in rows]
    names = list(dict.fromkeys(name for one in rows for name in one))
    if not names and rows:
        raise ValueError(
            "expected an object with a member, as the members name the columns; found "
            f"{len(rows)} without any"
        )
    if not names:
        return
    lines = _Lines()
    # With this end of a line, the writer quotes cells with either of its characters.
    writer = csv.writer(lines, lineterminator="\r\n")
    writer.writerow(names)
    writer.writerows([_cell(one.get(name)) for name in names] for one in rows)
    text = "\n".join(lines.found)
    # The first mark is none of the text for who reads it.
    yield (_MARK + text if text.startswith(_MARK) else text).encode()


class _Lines:
    """Takes lines from a writer of CSV."""

    def __init__(self) -> None:
        self.found: list[str] = []

    def write(self, line: str) -> None:
        self.found.append(line.removesuffix("\r\n"))


def _cell(value: Any) -> str:
    """Return a value as a cell: text as it is, the rest as JSON, null as nothing."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    text = _COMPACT.encode_str(value)
    # A date, or bytes, is a string in JSON.
    return snooze.loads(text) if text.startswith('"') else text
