"""Write the calls of all contenders as a section of lab/BIAS.md.

Separate because documents and reports must quote the contenders' entries. Invariant:
the section is made of `call_path` alone. A test compares BIAS.md with it. After a
change of a call path:

    python scripts/bias.py --write lab/BIAS.md
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "lab" / "src"))

from snooze_lab import contenders
from snooze_lab.model import AGAIN

BEGIN = "<!-- made by python scripts/bias.py -->"
END = "<!-- end of what is made -->"


def section() -> str:
    """Return the text between the two marks."""
    rows = ["| contender | format | how it is called |", "|---|---|---|"]
    for library in contenders.libraries().values():
        if library.name == AGAIN:
            continue
        words = library.call_path.replace("|", "\\|")
        if library.unavailable:
            words += f" Not available: {library.unavailable}."
        rows.append(f"| {library.name} | {library.format} | {words} |")
    return "\n".join(rows)


def replaced(text: str) -> str:
    """Return a text with the part between the marks renewed, or raise ValueError."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"expected the lines {BEGIN} and {END}, found them not")
    return f"{before}{BEGIN}\n{section()}\n{END}{after}"


def main() -> None:
    """Print the section, or write it into a document."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--write", type=Path, metavar="FILE", help="a Markdown file")
    place = parser.parse_args().write
    if place is None:
        sys.stdout.write(section() + "\n")
        return
    place.write_text(replaced(place.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main()
