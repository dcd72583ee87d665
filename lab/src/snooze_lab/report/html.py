"""Write report.html: one page, without scripts or external resources.

Separate because templates define the page's form; this file only passes them the
content. Invariants: everything is escaped except the drawings, which `svg` escaped;
small data files are embedded, so that the page is self-contained.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING
from urllib.parse import quote

import jinja2

from snooze_lab.report import theme, words
from snooze_lab.report.parts import Sheet

if TYPE_CHECKING:
    from snooze_lab.report.page import Report

#: A data file of at most this many bytes is in the page too, while all take at most…
EMBEDDED = 4_000
#: … this many bytes of it.
EMBEDDED_ALL = 120_000


@cache
def _templates() -> jinja2.Environment:
    loader = jinja2.PackageLoader("snooze_lab.report", "templates")
    return jinja2.Environment(
        loader=loader,
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def style() -> str:
    """Return the page's style sheet, without superfluous blanks."""
    sheet = resources.files("snooze_lab.report") / "templates" / "style.css"
    return theme.css() + re.sub(r"\n\s*", "", sheet.read_text("utf-8"))


def embedded(report: Report) -> dict[str, str]:
    """Return the small data files as links that embed them."""
    found: dict[str, str] = {}
    left = EMBEDDED_ALL
    for file in report.files:
        link = f"data:text/csv;charset=utf-8,{quote(file.text)}"
        if len(link) <= min(EMBEDDED, left):
            found[file.name] = link
            left -= len(link)
    return found


def page(report: Report) -> str:
    """Return the page."""
    folded = {
        part.name
        for section in report.sections
        for part in section.parts
        if isinstance(part, Sheet) and part.name.endswith("-more")
    }
    return (
        _templates()
        .get_template("report.html.j2")
        .render(
            report=report,
            style=style(),
            verdicts=words.VERDICTS,
            embedded=embedded(report),
            folded=folded,
        )
    )
