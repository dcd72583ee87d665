"""The parts of a report: figures, sheets (tables of text) and their data files.

Separate so that the makers of figures and tables, and the writers of HTML, Markdown and
CSV, share data types without depending on each other. Invariants: immutable; a figure
has its caption, its text alternative, the name of its data and the command that
measures it again; a cell of a sheet holds the exact value as well as the shown text.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Panel:
    """One drawing of a figure under its own heading; `narrow` is its phone variant.

    `command` measures its data again, if these are only a part of the figure's.
    """

    heading: str
    svg: str
    narrow: str = ""
    command: str = ""


@dataclass(frozen=True)
class Figure:
    """One or more panels with their caption, data and command.

    `name` is its anchor; `data` the name of the CSV file in tables/; `quality` the
    quality word of its joules, empty where there are none.
    """

    name: str
    title: str
    caption: str
    panels: tuple[Panel, ...]
    data: str
    command: str
    quality: str = ""


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
    kind: str = ""


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


@dataclass(frozen=True)
class Section:
    """A part of the report under one heading, in reading order."""

    name: str
    title: str
    #: Shown beside the title while the section is folded.
    headline: str = ""
    lead: tuple[str, ...] = ()
    parts: tuple[Figure | Sheet, ...] = ()
    files: tuple[File, ...] = field(default=())
