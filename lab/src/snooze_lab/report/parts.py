"""The parts of a report: figures, sheets (tables of text) and their data files.

Separate so that the makers of figures and tables, and the writers of HTML and CSV,
share data types. A figure has its caption, its text alternative, the name of its data
and the command that measures it again; a cell holds the exact value as well as the
shown text, and an empty one its reason; files are CSV as RFC 4180 has it.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from dataclasses import dataclass

from snooze_lab.report import theme, words

#: Returns the SVG for a width in CSS pixels and a CSS class.
Drawing = Callable[[float, str], str]


@dataclass(frozen=True)
class Panel:
    """One drawing of a figure under its own heading; `narrow` is its phone variant.

    `command` measures its data again, if these are only a part of the figure's.
    """

    heading: str
    svg: str
    narrow: str = ""
    command: str = ""

    @classmethod
    def of(cls, heading: str, drawing: Drawing, command: str = "") -> Panel:
        """Return one panel of several, drawn once."""
        return cls(heading, drawing(theme.PANEL, ""), command=command)

    @classmethod
    def both(
        cls, drawing: Drawing, heading: str = "", wide: float = theme.WIDE
    ) -> Panel:
        """Return a panel drawn for desktops and for phones; the style shows one."""
        return cls(heading, drawing(wide, "wide"), drawing(theme.NARROW, "narrow"))


@dataclass(frozen=True)
class Figure:
    """One or more panels with their caption, data and command.

    `name` is its anchor; `data` the name of the CSV file in tables/. The title of one
    that shows joules has their quality word.
    """

    name: str
    title: str
    caption: str
    panels: tuple[Panel, ...]
    data: str = ""
    command: str = ""


@dataclass(frozen=True)
class Cell:
    """One cell: the shown text, the exact value, a second line, marks and a note.

    `value` is None where nothing was measured; `note` then says why, and is printed
    under the sheet as well as shown on the cell.
    """

    shown: str
    value: float | None = None
    detail: str = ""
    sign: str = ""
    best: bool = False
    note: str = ""
    kind: str = "text"


def name(text: str, detail: str = "") -> Cell:
    """Return the first cell of a row."""
    return Cell(text, detail=detail, kind="name")


def number(shown: str, value: float, detail: str = "", note: str = "") -> Cell:
    """Return a measured value."""
    return Cell(shown, float(value), detail, note=note, kind="ok")


def quantity(value: float, unit: str, detail: str = "") -> Cell:
    """Return a measured value with its unit."""
    return number(words.quantity(value, unit), value, detail)


def blank(note: str) -> Cell:
    """Return a cell without a value, and why."""
    return Cell(words.NONE, note=note, kind="none")


@dataclass(frozen=True)
class Sheet:
    """A table of text: `head` over `rows`; the first cell of a row names it."""

    name: str
    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str = ""
    data: str = ""
    command: str = ""
    notes: tuple[str, ...] = ()
    #: Contender whose column is ours, marked in the head.
    ours: str = ""


@dataclass(frozen=True)
class File:
    """A CSV file of tables/: rows of plain values, the first row is the head."""

    name: str
    head: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]

    @property
    def text(self) -> str:
        """Its text."""
        out = io.StringIO(newline="")
        writer = csv.writer(out)
        writer.writerow(self.head)
        writer.writerows(self.rows)
        return out.getvalue()


@dataclass(frozen=True)
class Section:
    """A part of the report under one heading, in reading order."""

    name: str
    title: str
    #: Shown beside the title while the section is folded.
    headline: str = ""
    lead: tuple[str, ...] = ()
    parts: tuple[Figure | Sheet, ...] = ()
    files: tuple[File, ...] = ()
