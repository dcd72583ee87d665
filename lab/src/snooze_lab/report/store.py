"""The data files of a report: CSV that any program can read.

Separate because both the page, which may embed a small file, and the folder tables/
need the same bytes. Invariants: UTF-8, lines end in CR LF as RFC 4180 specifies,
numbers with all their digits.
"""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from snooze_lab.report.parts import File


def csv_text(file: File) -> str:
    """Return a data file's text."""
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(file.head)
    writer.writerows(file.rows)
    return out.getvalue()


def write(folder: Path, files: list[File]) -> None:
    """Write data files into tables/ of a run's folder, which is made if missing."""
    tables = folder / "tables"
    tables.mkdir(parents=True, exist_ok=True)
    for file in files:
        (tables / file.name).write_bytes(csv_text(file).encode())
