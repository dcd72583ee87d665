"""The command items: the items of one array, each on a line.

Separate from text_commands.py, whose documents are checked as a whole before anything
is written: this writes items while a document is read, which may be larger than memory.
Used by app.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

import snooze
from snooze._cli import options, outputs
from snooze._cli.inputs import DataError, DocumentError, Source, sources

if TYPE_CHECKING:
    from collections.abc import Iterator

_ITEMS = snooze.Decoder(snooze.Raw)
_LINES = snooze.Encoder(snooze.Raw)


@click.command()
@options.files
@click.option(
    "--at",
    default="",
    metavar="POINTER",
    help="The place of the array, a JSON Pointer. Default: the document.",
)
@options.output
def items(*, files: tuple[str, ...], at: str, output: str | None) -> int:
    """Write each item of an array on a line (NDJSON).

    A document may be larger than memory. Numbers keep their digits. If a document has a
    fault, the items before it are written to standard output; a file is unchanged.
    """
    try:
        place = snooze.pointer.join(snooze.pointer.parse(at))
    except ValueError as error:
        raise click.UsageError(f"--at: expected a {error}") from None
    found = sources(files)
    pieces = (piece for source in found for piece in _lines(source, place))
    outputs.write(pieces, outputs.file_of(output), newline=False)
    return 0


def _lines(source: Source, at: str) -> Iterator[bytes]:
    """Yield the items of a file as lines, in pieces."""
    raws = _ITEMS.iter_items(source.blocks(), at)
    try:
        yield from _LINES.iter_lines(
            snooze.Raw(snooze.reformat(bytes(raw))) for raw in raws
        )
    except snooze.ValidationError as error:
        raise DataError(f"{source.title}: {error}") from None
    except snooze.JSONDecodeError as error:
        raise DocumentError(
            source.title, error.msg, line=error.lineno, column=error.colno
        ) from None


COMMANDS = (items,)
