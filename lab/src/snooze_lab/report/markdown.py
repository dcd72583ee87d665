"""Write report.md: the same sections, for terminals, reviews and repositories.

Separate because a wide table does not fit in 80 columns: it is transposed into one
small table per row, with a line per contender. Invariants: the same numbers as the
page; anything in a name that could be read as Markdown or HTML is escaped; figures are
named with their data and their text alternative, not drawn.
"""

from __future__ import annotations

import html
import re
import textwrap
import unicodedata
from typing import TYPE_CHECKING

from snooze_lab.report import words
from snooze_lab.report.parts import Cell, Figure, Section, Sheet

if TYPE_CHECKING:
    from snooze_lab.report.page import Report

WIDTH = 80
_ALTERNATIVE = re.compile(r'aria-label="([^"]*)"')
_SPECIAL = re.compile(r"([\\`*_\[\]<>|#])")


def text(report: Report) -> str:
    """Return the whole report as Markdown."""
    out = [
        f"# {escape(report.title)}",
        "",
        *_wrapped(f"**Noise: {report.noise.verdict}.** {escape(report.noise.said)}"),
        "",
    ]
    for one in report.answer.sentences:
        out += _wrapped(f"- **{one.topic}.** {escape(one.text)}", "  ")
    out.append("")
    for choice in report.answer.advice:
        said = f"{escape(choice.choice)}. {escape(choice.reason)}"
        out += _wrapped(f"- {escape(choice.situation)}: {said}", "  ")
    out.append("")
    for part in report.figures:
        out += _figure(part)
    for fact in report.facts:
        value = f"`{fact.value}`" if fact.code else escape(fact.value)
        out += _wrapped(f"- {fact.name}: {value}", "  ")
    for line in report.flags:
        out += _wrapped(f"- ⚑ {escape(line)}", "  ")
    signs = ", ".join(f"{sign} {meaning}" for sign, meaning in words.VERDICTS.values())
    out += [
        "",
        *_wrapped(
            f"Ratios are baseline ÷ own: above 1 is better. {signs}. "
            "★ is the lowest of its row."
        ),
    ]
    for section in report.sections:
        out += _section(section)
    return "\n".join(out).rstrip() + "\n"


def escape(words: str) -> str:
    """Escape Markdown and HTML in a text."""
    return _SPECIAL.sub(r"\\\1", words).replace("\n", " ")


def width(words: str) -> int:
    """Return the width of a text in terminal columns."""
    return sum(
        0
        if unicodedata.combining(one)
        else 1 + (unicodedata.east_asian_width(one) in "WF")
        for one in words
    )


def _wrapped(words: str, after: str = "") -> list[str]:
    return textwrap.wrap(
        words,
        WIDTH,
        subsequent_indent=after,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _section(section: Section) -> list[str]:
    out = ["", f"## {escape(section.title)}", ""]
    for line in section.lead:
        out += [*_wrapped(escape(line)), ""]
    for part in section.parts:
        out += _figure(part) if isinstance(part, Figure) else _sheet(part)
    return out


def _figure(part: Figure) -> list[str]:
    out = [*_wrapped(f"**Figure: {escape(part.title)}.** {escape(part.caption)}"), ""]
    for panel in part.panels:
        found = _ALTERNATIVE.search(panel.svg)
        said = html.unescape(found[1]) if found else ""
        if said:
            out += _wrapped(f"- {escape(said)}", "  ")
    return [*out, *_links(part.data, part.command), ""]


def _links(data: str, command: str) -> list[str]:
    out = []
    if data:
        out.append(f"Data: [tables/{data}](tables/{data})")
    if command:
        out.append(f"Again: `{command}`")
    return ["", *out] if out else []


def _cell(one: Cell) -> str:
    detail = f" {_detail(one)}" if one.detail else ""
    return f"{_value(one)}{detail}"


def _value(one: Cell) -> str:
    mark = " ★" if one.best else ""
    flag = " ⚑" if one.note and one.kind == "ok" else ""
    return escape(f"{one.shown}{mark}{flag}")


def _detail(one: Cell) -> str:
    sign = f"{words.glyph(one.sign)} " if one.sign else ""
    return escape(f"{sign}{one.detail}")


def _sheet(part: Sheet) -> list[str]:
    out = [f"### {escape(part.title)}", ""]
    rows = [[_cell(one) for one in row] for row in part.rows]
    table = grid([escape(one) for one in part.head], rows)
    if all(width(line) <= WIDTH for line in table):
        out += [*table, ""]
    elif part.rows and all(one.kind in {"name", "text"} for one in part.rows[0]):
        out += _paragraphs(part)
    else:
        out += _turned(part)
    if part.caption:
        out += [*_wrapped(escape(part.caption)), ""]
    for note in part.notes:
        out += _wrapped(f"- {escape(note)}", "  ")
    return [*out, *_links(part.data, part.command), ""]


def _paragraphs(part: Sheet) -> list[str]:
    """Return rows of prose as lists: sentences do not fit in a table."""
    out = []
    for row in part.rows:
        out += _wrapped(f"**{escape(row[0].shown)}**")
        out.append("")
        for head, one in zip(part.head[1:], row[1:], strict=True):
            out += _wrapped(f"- {escape(head)}: {escape(one.shown)}", "  ")
        out.append("")
    return out


def _turned(part: Sheet) -> list[str]:
    """Return one table per row, a line per column of the wide one."""
    out = []
    for row in part.rows:
        name = row[0]
        size = f" ({escape(name.detail)})" if name.detail else ""
        out += [f"**{escape(name.shown)}**{size}", ""]
        body = [
            [escape(head), _value(one), _detail(one)]
            for head, one in zip(part.head[1:], row[1:], strict=True)
        ]
        if not any(line[2] for line in body):
            body = [line[:2] for line in body]
        out += [*grid(["", "value", "ratio or spread"][: len(body[0])], body), ""]
    return out


def grid(head: list[str], rows: list[list[str]]) -> list[str]:
    """Return a Markdown table whose columns line up, the first to the left."""
    columns = list(zip(head, *rows, strict=True))
    widths = [max(3, *(width(one) for one in column)) for column in columns]

    def line(cells: list[str]) -> str:
        parts = [
            one + " " * (wide - width(one))
            if at == 0
            else " " * (wide - width(one)) + one
            for at, (one, wide) in enumerate(zip(cells, widths, strict=True))
        ]
        return f"| {' | '.join(parts)} |"

    rule = [
        "-" * wide if at == 0 else "-" * (wide - 1) + ":"
        for at, wide in enumerate(widths)
    ]
    return [line(head), line(rule), *(line(row) for row in rows)]
