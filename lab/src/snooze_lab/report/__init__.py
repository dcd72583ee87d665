"""The report of a run: report.html, tables/*.csv, and the terminal summary.

Separate because it shows what is in results.json and computes medians and slopes for
drawing only. Inside: `page` (the outline), `first`, `tables`, `figures`, `curves`,
`practical` and `energy…` (the parts), `terminal`, `plot`, `rows` and `theme`
(drawing), `words` (formats). Imports stored, the model, units and `machine.env`, and
nothing that measures or judges. Called by the command line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from snooze_lab.stored.results_types import ReportError
from snooze_lab.stored.results_types import read as read_results

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Group

__all__ = ["ReportError", "render", "summary"]


def render(
    run_dir: Path, results: dict[str, Any], plan: dict[str, Any], env: dict[str, Any]
) -> None:
    """Write report.html and tables/*.csv into a run's folder.

    ReportError, before anything is written, if `results` does not have the expected
    form.
    """
    # Imported here, because `summary` needs none of them.
    from snooze_lab.report import page  # noqa: PLC0415

    report = page.build(read_results(results), plan, env)
    text = page.page(report)
    tables = run_dir / "tables"
    tables.mkdir(parents=True, exist_ok=True)
    for file in report.files:
        (tables / file.name).write_bytes(file.text.encode())
    # An earlier report stays whole if the disk is full.
    partial = run_dir / "report.html.partial"
    try:
        partial.write_text(text, "utf-8")
        partial.replace(run_dir / "report.html")
    finally:
        partial.unlink(missing_ok=True)


def summary(results: dict[str, Any]) -> Group:
    """Return the end of a run for a terminal of 80 columns; ReportError as above."""
    from snooze_lab.report import terminal  # noqa: PLC0415

    return terminal.summary(results)
