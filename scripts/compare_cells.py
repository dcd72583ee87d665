"""Write and check the tables of COMPARE.md.

Separate because two scripts fill tables, each with different calls, and both tables are
kept in the same way. Invariants: only the text between a table's two markers changes; a
library that is not installed is left out of the check and stops the writing. Used by
compare_table.py and compare_typed.py.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

DOCUMENT = Path(__file__).resolve().parent.parent / "COMPARE.md"
END = "<!-- end of table -->"
#: A cell that needs a third library which is not installed.
NOT_TESTED = "not tested"


@dataclass(frozen=True)
class Table:
    """A table: one column per library, one row per call."""

    script: str
    names: tuple[str, ...]
    #: The first cell of every row.
    titles: Callable[[], list[str]]
    #: A library's cells, in the order of the rows.
    column: Callable[[str], list[str]]

    @property
    def begin(self) -> str:
        """The marker before the table."""
        return f"<!-- table: scripts/{self.script}.py -->"

    def render(self) -> str:
        """Return the whole table."""
        columns = [self.column(name) for name in self.names]
        if any(NOT_TESTED in cells for cells in columns):
            sys.exit(f"{self.script}: a library is missing that a row needs")
        names = " | ".join(self.names)
        lines = [f"| | {names} |", "|---" * (len(self.names) + 1) + "|"]
        for title, *cells in zip(self.titles(), *columns, strict=True):
            lines.append("| " + " | ".join([title, *cells]) + " |")
        return "\n".join(lines)

    def committed(self) -> dict[str, list[str]]:
        """Return the columns that the document has, by library."""
        table = DOCUMENT.read_text("utf-8").split(self.begin)[1].split(END)[0].strip()
        rows = [
            [cell.strip() for cell in line[1:-1].split(" | ")]
            for line in table.splitlines()
        ]
        rows = [rows[0], *rows[2:]]
        if [row[0] for row in rows[1:]] != self.titles():
            sys.exit(
                f"COMPARE.md: its rows differ from those of scripts/{self.script}.py"
            )
        return {
            name: [row[place] for row in rows[1:]]
            for place, name in enumerate(rows[0])
            if place
        }

    def check(self) -> int:
        """Compare the columns of installed libraries; count the differences."""
        different = 0
        for name, cells in self.committed().items():
            try:
                found = self.column(name)
            except ImportError:
                print(f"{name}: not installed, not compared")
                continue
            for title, old, new in zip(self.titles(), cells, found, strict=True):
                if new not in (old, NOT_TESTED):
                    print(
                        f"{name}: {title}: the document says {old}, the library {new}"
                    )
                    different += 1
        return different

    def main(self, description: str) -> int:
        """Run the command line."""
        parser = argparse.ArgumentParser(description=description.split("\n", 1)[0])
        parser.add_argument("--check", action="store_true", help="change nothing")
        if parser.parse_args().check:
            return 1 if self.check() else 0
        before, rest = DOCUMENT.read_text("utf-8").split(self.begin)
        after = rest.split(END, 1)[1]
        DOCUMENT.write_text(
            f"{before}{self.begin}\n{self.render()}\n{END}{after}", "utf-8"
        )
        return 0
