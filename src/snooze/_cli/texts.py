"""The commands that keep every value as it is written: format, minify, validate, stats.

Separate from values.py, because these make no Python objects: numbers keep their
digits, members that occur twice stay, and memory is that of the text. Used by app.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

import snooze
from snooze._cli import options, outputs, reformat
from snooze._cli.each import destination, each
from snooze._cli.inputs import (
    DocumentError,
    InputError,
    Source,
    sources,
)
from snooze._cli.problems import explained, show
from snooze._cli.statistics import Statistics, counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def _pieces(
    source: Source, make: Callable[..., Iterator[bytes]], *, ascii_: bool, lines: bool
) -> Iterator[bytes]:
    """Return the new text of a file, which has been validated."""
    if lines:
        found = _lines(source, make)
    else:
        text = source.validated()
        found = outputs.with_progress(
            len(text), lambda progress: make(text, progress=progress)
        )
    return reformat.ascii_only(found) if ascii_ else found


def _lines(source: Source, make: Callable[..., Iterator[bytes]]) -> Iterator[bytes]:
    """Yield the documents of all lines, each on a new line."""
    is_first = True
    for number, line in source.lines():
        source.check(line, number)
        if not is_first:
            yield b"\n"
        is_first = False
        yield from make(line)


@click.command("format")
@options.files
@options.indent
@options.ascii_
@options.lines
@options.in_place
@options.output
@click.option("--check", is_flag=True, help="Only tell which files would change.")
def format_(  # noqa: PLR0913 - one for each option
    *,
    files: tuple[str, ...],
    indent: bytes,
    ascii_: bool,
    lines: bool,
    in_place: bool,
    output: str | None,
    check: bool,
) -> int:
    """Write documents with one value on each line.

    Nothing but white space changes: numbers keep their digits, strings their escapes,
    and members their order, also those that occur twice. Memory: the text of one
    document.
    """
    if check and (in_place or output):
        raise click.UsageError("--check: expected neither --in-place nor --output")
    different: list[str] = []

    def action(source: Source) -> None:
        path = destination(source, output, in_place=in_place)
        colours = reformat.PLAIN
        if path is None and outputs.is_coloured():
            colours = reformat.COLOURED

        def make(
            text: bytes, progress: Callable[[int], None] | None = None
        ) -> Iterator[bytes]:
            return reformat.indented(text, indent, colours, progress)

        if check:
            text = source.read()
            colours = reformat.PLAIN
            fresh = _pieces(Source(source.name, text), make, ascii_=ascii_, lines=lines)
            if b"".join([*fresh, b"\n"]) != text:
                different.append(source.title)
            return
        outputs.write(_pieces(source, make, ascii_=ascii_, lines=lines), path)

    status = each(files, action, output=output)
    for title in different:
        click.echo(f"would change {title}")
    return max(status, int(bool(different)))


@click.command()
@options.files
@options.ascii_
@options.lines
@options.in_place
@options.output
def minify(
    *,
    files: tuple[str, ...],
    ascii_: bool,
    lines: bool,
    in_place: bool,
    output: str | None,
) -> int:
    """Write documents without white space.

    Nothing else changes, as for format. Memory: the text of one document.
    """

    def action(source: Source) -> None:
        path = destination(source, output, in_place=in_place)
        pieces = _pieces(source, reformat.minified, ascii_=ascii_, lines=lines)
        outputs.write(pieces, path)

    return each(files, action, output=output)


@click.command()
@options.files
@options.lines
@click.option("-q", "--quiet", is_flag=True, help="Show no message, only the status.")
def validate(*, files: tuple[str, ...], lines: bool, quiet: bool) -> int:
    """Check that files are JSON, as snooze.loads reads it.

    For each that is not, the first problem is shown with its line, column and a caret;
    with --lines that of each line. Members that occur twice are no problem: see stats.
    Memory: the text of one document.
    """
    status = 0
    try:
        found = sources(files)
    except InputError as problem:
        _say(f"snooze: {problem}", quiet=quiet)
        return 2
    for source in found:
        try:
            parts = source.lines() if lines else [(1, source.read())]
            for number, text in parts:
                try:
                    source.check(text, number)
                except DocumentError as problem:
                    _say(explained(problem), quiet=quiet)
                    status = max(status, 1)
        except InputError as problem:
            _say(f"snooze: {problem}", quiet=quiet)
            status = 2
    return status


def _say(message: str, *, quiet: bool) -> None:
    if not quiet:
        show(message)


@click.command()
@options.files
@click.option(
    "--names",
    type=click.IntRange(0),
    default=10,
    show_default=True,
    metavar="N",
    help="How many of the most frequent names to show.",
)
@click.option("--json", "as_json", is_flag=True, help="Write a JSON document.")
def stats(*, files: tuple[str, ...], names: int, as_json: bool) -> int:
    """Show sizes, depth, kinds, frequent names, repeated members.

    Sizes are in bytes. The places of members that occur twice in one object are JSON
    Pointers; at most 20 are listed. Memory: the text of one document and its names.
    """

    def action(source: Source) -> None:
        found = counted(source.validated())
        if as_json:
            summary = {"file": source.title} | found.summary(names)
            outputs.write([snooze.dumps(summary)], None)
        else:
            click.echo("\n".join(_table(source.title, found, names)))

    return each(files, action)


def _table(title: str, found: Statistics, names: int) -> Iterator[str]:
    """Yield the statistics as lines for people."""
    space = 100 * found.white_space / max(found.size, 1)
    yield f"{title}: {found.size:,} bytes, {space:.0f} % white space"
    yield f"  values          {found.kinds.total():,}"
    for kind, count in found.kinds.most_common():
        yield f"    {kind:<13} {count:,}"
    yield f"  depth           {found.depth:,}"
    yield f"  longest array   {found.longest_array:,} items"
    yield f"  largest object  {found.most_members:,} members"
    yield f"  longest string  {found.longest_string:,} bytes"
    yield f"  names           {len(found.names):,} distinct"
    for name, count in found.names.most_common(names):
        text = snooze.pointer.quoted(snooze.loads(name))[1:-1]
        yield f"    {count:>10,}  {text}"
    yield f"  repeated        {found.repeated:,} members"
    for place in found.repeated_places:
        yield f"    {snooze.pointer.quoted(place)[1:-1]}"


COMMANDS = (format_, minify, validate, stats)
