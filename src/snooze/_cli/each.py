"""Do the same with several files.

Separate because format, minify, stats and sort do: a file that is wrong does not keep
them from the others. Invariant: the status is the worst of all files. Used by
text_commands.py and value_commands.py.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from snooze._cli import outputs
from snooze._cli.inputs import (
    STANDARD_INPUT,
    DocumentError,
    InputError,
    Source,
    sources,
)
from snooze._cli.problems import explained, show, tell

if TYPE_CHECKING:
    from collections.abc import Callable


def each(
    names: tuple[str, ...],
    action: Callable[[Source], None],
    *,
    output: str | None = None,
) -> int:
    """Do something with each file, also after one that is wrong; return the status."""
    status = 0
    found = sources(names)
    if outputs.file_of(output) is not None and len(found) > 1:
        raise click.UsageError(f"--output: expected one file, found {len(found)}")
    for source in found:
        try:
            action(source)
        except DocumentError as problem:
            show(explained(problem))
            status = max(status, 1)
        except InputError as problem:
            tell(problem)
            status = 2
    return status


def is_same(path: str | None, name: str) -> bool:
    """Tell whether a path is that of a file that is read, however it is spelled."""
    if path is None or name == STANDARD_INPUT:
        return False
    try:
        return Path(path).samefile(name)
    except (OSError, ValueError):
        return path == name


def destination(source: Source, output: str | None, *, in_place: bool) -> str | None:
    """Return the file to write, None for standard output."""
    if not in_place:
        return outputs.file_of(output)
    if output is not None:
        raise click.UsageError("expected --output or --in-place, found both")
    if source.name == STANDARD_INPUT:
        raise click.UsageError("--in-place: expected a file, found standard input")
    return source.name
