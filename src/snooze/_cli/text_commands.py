"""The commands that keep every value as it is written: format, minify, validate, stats.

Separate from value_commands.py, because these make no Python objects: numbers keep
their digits, and members that occur twice stay. Memory is that of a few blocks, or of
one line with --lines; stats keeps the text. Used by app.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

import snooze
from snooze._cli import blocks, options, outputs, reformat
from snooze._cli.each import destination, each
from snooze._cli.inputs import (
    DocumentError,
    InputError,
    Source,
    sources,
)
from snooze._cli.paint import Painter
from snooze._cli.problems import explained, printable, show
from snooze._cli.statistics import Statistics, counted
from snooze._scan.sources import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def _document(source: Source, layout: blocks.Layout) -> Iterator[bytes]:
    """Return the new text of one document, which has been validated."""
    twice = blocks.Twice(source)
    try:
        size = blocks.check(source, twice.blocks(), bounded=False, again=twice.again)
    except BaseException:
        twice.close()
        raise

    def make(progress: Callable[[int], None] | None) -> Iterator[bytes]:
        try:
            fresh = twice.again()
            yield from blocks.restyled(source, fresh, layout, progress, twice.again)
        finally:
            twice.close()

    return outputs.with_progress(size, make)


def _lines(
    source: Source, make: Callable[[bytes], Iterator[bytes]], *, ascii_: bool
) -> Iterator[bytes]:
    """Yield the documents of all lines, each on a new line."""
    is_first = True
    for number, line in source.lines():
        try:
            blocks.check_line(source, line, number, bounded=False)
        except DocumentError:
            if not is_first:  # the message begins on a new line
                yield b"\n"
            raise
        if not is_first:
            yield b"\n"
        is_first = False
        yield from reformat.ascii_only(make(line)) if ascii_ else make(line)


@click.command("format")
@options.files
@options.indent
@options.ascii_
@options.lines
@options.in_place
@options.output
@click.option("--check", is_flag=True, help="Only list the files that would change.")
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
    and members their order, also those that occur twice. Memory: a few blocks of the
    text, or with --lines one line.
    """
    if check and (in_place or output):
        raise click.UsageError("--check: expected neither --in-place nor --output")
    layout = (",", ": ", indent.decode(), ascii_)
    different: list[str] = []

    def action(source: Source) -> None:
        path = destination(source, output, in_place=in_place)
        colours = reformat.PLAIN
        if path is None and not check and outputs.is_coloured():
            colours = reformat.COLOURED

        def make(text: bytes) -> Iterator[bytes]:
            return reformat.indented(text, indent, colours)

        if check:
            if not _is_formatted(source, make, layout, lines=lines):
                different.append(source.title)
            return
        if lines:
            pieces = _lines(source, make, ascii_=ascii_)
        else:
            pieces = _document(source, layout)
            if colours is reformat.COLOURED:
                pieces = Painter(colours).painted(pieces)
        outputs.write(pieces, path)

    status = each(files, action, output=output)
    for title in different:
        outputs.write([f"would change {printable(title)}".encode()], None)
    return max(status, int(bool(different)))


def _is_formatted(
    source: Source,
    make: Callable[[bytes], Iterator[bytes]],
    layout: blocks.Layout,
    *,
    lines: bool,
) -> bool:
    """Tell whether a file is what `format` would make of it."""
    twice = blocks.Twice(source)
    try:
        if lines:
            fresh = _lines(twice.kept(), make, ascii_=layout[3])
            is_same = blocks.are_equal(outputs.ended(fresh), twice.again())
            # The lines behind a difference are checked, too.
            for _ in fresh:
                pass
            return is_same
        blocks.check(source, twice.blocks(), bounded=False, again=twice.again)
        fresh = blocks.restyled(source, twice.again(), layout, again=twice.again)
        return blocks.are_equal(outputs.ended(fresh), twice.again())
    finally:
        twice.close()


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

    Nothing else changes, as for format. Memory: a few blocks of the text.
    """
    layout = (",", ":", None, ascii_)

    def action(source: Source) -> None:
        path = destination(source, output, in_place=in_place)
        if lines:
            pieces = _lines(source, reformat.minified, ascii_=ascii_)
        else:
            pieces = _document(source, layout)
        outputs.write(pieces, path)

    return each(files, action, output=output)


@click.command()
@options.files
@options.lines
@click.option("-q", "--quiet", is_flag=True, help="Show no message, only the status.")
def validate(*, files: tuple[str, ...], lines: bool, quiet: bool) -> int:
    """Check that files are JSON, by the rules of snooze.loads.

    An integer may have any size.

    For each file that is not, the first problem is shown with its line, column and a
    caret; with --lines that of each line. Members that occur twice are no problem: see
    stats. Memory: a few blocks of the text.
    """
    status = 0
    try:
        found = sources(files)
    except InputError as problem:
        _say(f"snooze: {printable(str(problem))}", quiet=quiet)
        return 2
    for source in found:
        try:
            for wrong in _problems(source, lines=lines):
                _say(explained(wrong), quiet=quiet)
                status = max(status, 1)
        except InputError as problem:
            _say(f"snooze: {printable(str(problem))}", quiet=quiet)
            status = 2
    return status


def _problems(source: Source, *, lines: bool) -> Iterator[DocumentError]:
    """Yield what is wrong with a file: with its document, or that of each line."""
    if not lines:
        try:
            blocks.check(source, source.blocks(), bounded=True)
        except DocumentError as problem:
            yield problem
        return
    for number, text in source.lines():
        try:
            blocks.check_line(source, text, number, bounded=True)
        except DocumentError as problem:
            yield problem


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
        text = blocks.whole(source)
        with outputs.bar(len(text)) as progress:
            found = counted(text, progress)
        if as_json:
            summary = {"file": shown(source.title)} | found.summary(names)
            outputs.write([snooze.dumps(summary)], None)
        else:
            table = "\n".join(_table(source.title, found, names))
            outputs.write([table.encode(errors="replace")], None)

    return each(files, action)


def _table(title: str, found: Statistics, names: int) -> Iterator[str]:
    """Yield the statistics as lines for people."""
    space = 100 * found.white_space / max(found.size, 1)
    size = _counted(found.size, "byte")
    yield f"{printable(title)}: {size}, {space:.0f} % white space"
    yield f"  values          {found.kinds.total():,}"
    for kind, count in found.kinds.most_common():
        yield f"    {kind:<13} {count:,}"
    yield f"  depth           {found.depth:,}"
    yield f"  longest array   {_counted(found.longest_array, 'item')}"
    yield f"  largest object  {_counted(found.most_members, 'member')}"
    yield f"  longest string  {_counted(found.longest_string, 'byte')}"
    yield f"  names           {len(found.names):,} distinct"
    for name, count in found.names.most_common(names):
        text = snooze.pointer.quoted(snooze.loads(name))[1:-1]
        yield f"    {count:>10,}  {text}"
    yield f"  repeated        {_counted(found.repeated, 'member')}"
    for place in found.repeated_places:
        yield f"    {snooze.pointer.quoted(place)[1:-1]}"


def _counted(count: int, noun: str) -> str:
    """Return a count with its noun."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


COMMANDS = (format_, minify, validate, stats)
