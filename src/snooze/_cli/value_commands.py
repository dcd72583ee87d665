"""The commands that make Python objects: sort, convert, query, diff, patch, infer.

Separate from text_commands.py, whose commands keep the text. Here numbers keep their
digits, too, but strings are written with the escapes that they need, and of members
that occur twice the last one stays: that is said, and no file is replaced then. Used by
app.py.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

import snooze
from snooze._cli import formats, options, outputs, reformat
from snooze._cli.documents import Reader
from snooze._cli.doubles import Doubles
from snooze._cli.each import destination, each, is_same
from snooze._cli.inputs import STANDARD_INPUT, DataError, Source, sources
from snooze._cli.problems import tell

if TYPE_CHECKING:
    from collections.abc import Callable

    from snooze._edit.places import Place
    from snooze._jsonpath.query import Node

_PLAIN = snooze.Encoder()
_SORTED = snooze.Encoder(sort_keys=True)
_INDENT = b"  "


def _made(value: Any, name: str, advice: str) -> bytes:
    """Return a value that was made of documents as JSON; `name` is for the message."""
    try:
        return _PLAIN.encode(value)
    except snooze.JSONEncodeError:
        # Nothing else can be wrong with what was read from documents.
        raise DataError(
            f"{name} is nested deeper than 1,024 arrays and objects, which no command "
            f"reads; {advice}"
        ) from None


def _shown(text: bytes, *, compact: bool, is_terminal: bool = True) -> bytes:
    """Return JSON without white space as it is shown; in colours on a terminal."""
    is_coloured = is_terminal and outputs.is_coloured()
    if compact:
        return text
    colours = reformat.COLOURED if is_coloured else reformat.PLAIN
    return b"".join(reformat.indented(text, _INDENT, colours))


@click.command()
@options.files
@options.indent
@options.compact
@options.in_place
@options.output
def sort(
    *,
    files: tuple[str, ...],
    indent: bytes,
    compact: bool,
    in_place: bool,
    output: str | None,
) -> int:
    """Sort the members of all objects by name.

    Numbers keep their digits. Of members that occur twice the last one stays, with a
    warning; with --in-place the file is left as it is, and the exit status is 1.
    """

    def action(source: Source) -> None:
        path = destination(source, output, in_place=in_place)
        reader = Reader(source, replaces=is_same(path, source.name))
        text = _SORTED.encode(reader.value())
        pieces = iter([text]) if compact else reformat.indented(text, indent)
        outputs.write(pieces, path)

    return each(files, action, output=output)


@click.command()
@click.argument("files", nargs=-1, type=options.PATH, metavar="[FILE]")
@options.output
@click.option(
    "-f",
    "--from",
    "source_form",
    type=click.Choice(formats.FORMATS),
    help="The format of the file. Default: as its name ends, else json.",
)
@click.option(
    "-t",
    "--to",
    "form",
    type=click.Choice(formats.FORMATS),
    help="The format to write. Default: as the name of the output ends; json if "
    "there is no ending.",
)
def convert(
    *,
    files: tuple[str, ...],
    output: str | None,
    source_form: str | None,
    form: str | None,
) -> int:
    """Convert between JSON, NDJSON, CSV, MessagePack, YAML and TOML.

    Rows of CSV are objects whose values are strings; written to CSV, arrays and objects
    are JSON in a cell, and null is empty. Dates become strings, bytes base64.
    MessagePack needs the package msgpack, YAML pyyaml, and writing TOML tomli-w.
    Numbers keep their digits in JSON, NDJSON and CSV; in the other formats those with a
    point or an exponent are doubles, with a warning if one is rounded.
    """
    if len(files) > 1:
        raise click.UsageError(
            f"expected one file, found {len(files)}; -o names the file to write, as in "
            f"convert {files[0]} -o {files[1]}"
        )
    [file] = files or [STANDARD_INPUT]
    output = outputs.file_of(output)
    target = form or formats.of_output(output)
    source = _one(file)
    reader = Reader(source, replaces=is_same(output, source.name))
    form = source_form or formats.of_name(source.name) or "json"
    value = formats.read(reader, form)
    title = source.title
    if form not in formats.TEXTS:
        formats.check(value, target, title)
    if target not in formats.TEXTS:
        doubles = Doubles(target, title)
        value = doubles.values(value)
        doubles.warn()
    pieces = formats.written(value, target, title)
    outputs.write(pieces, output, newline=target != "msgpack")
    return 0


@click.command()
@click.argument("query")
@options.files
@options.compact
@options.lines
@click.option(
    "-r", "--raw", is_flag=True, help="Write strings as they are, without quotes."
)
@click.option(
    "-p", "--paths", is_flag=True, help="Write normalized paths in place of values."
)
@click.option(
    "--pointers", is_flag=True, help="Write JSON Pointers in place of values."
)
def query(  # noqa: PLR0913 - one for each option
    *,
    query: str,
    files: tuple[str, ...],
    compact: bool,
    lines: bool,
    raw: bool,
    paths: bool,
    pointers: bool,
) -> int:
    """Write the values that a query selects, each as a document.

    QUERY is JSONPath (RFC 9535) if it begins with $, else a JSON Pointer (RFC 6901).
    Numbers keep their digits. The exit status is 1 if nothing is selected.
    """
    if raw + paths + pointers > 1:
        raise click.UsageError("expected one of --raw, --paths and --pointers")
    count = 0
    selected = _selection(query)
    for source in sources(files):
        for value in Reader(source).values(lines=lines):
            for node in selected(value):
                count += 1
                if paths or pointers:
                    text = (node.path if paths else node.pointer).encode()
                elif raw and isinstance(node.value, str):
                    text = node.value.encode()
                else:
                    text = _PLAIN.encode(node.value)
                    text = _shown(text, compact=compact or lines)
                outputs.write([text], None)
    return 0 if count else 1


def _selection(query: str) -> Callable[[Any], list[Node]]:
    """Return a function from a document to the nodes that a query selects."""
    if query.startswith("$"):
        return snooze.jsonpath.compile(query).nodes
    try:
        tokens = snooze.pointer.parse(query)
    except ValueError as error:
        reason = f'expected a query that begins with "$", or a {error}'
        if os.path.exists(query):  # noqa: PTH110 - of a long name, that is an error
            reason += "; the query comes before the files"
        raise click.UsageError(reason) from None

    from snooze._jsonpath.query import Node  # noqa: PLC0415 - few commands need it

    def nodes(document: Any) -> list[Node]:
        value: Any = document
        place: Place = None
        for position, token in enumerate(tokens):
            try:
                inside = snooze.pointer.child(value, token, tokens, position)
            except snooze.pointer.PointerError:
                return []
            place = (place, int(token) if isinstance(value, list) else token)
            value = inside
        return [Node(value, place)]

    return nodes


@click.command()
@click.argument("old", type=options.PATH)
@click.argument("new", type=options.PATH)
@options.compact
@click.option("--merge", is_flag=True, help="Write a merge patch (RFC 7396).")
def diff(*, old: str, new: str, compact: bool, merge: bool) -> int:
    """Write the JSON Patch (RFC 6902) that turns OLD into NEW.

    Numbers keep their digits and are compared by their values: 1.10 is 1.1, but 1 is
    not 1.0. The exit status is 0 if the documents are equal, and 1 if not.
    """
    _check_inputs(old, new)
    source = _one(new)
    before, after = Reader(_one(old)).value(), Reader(source).value()
    operations = snooze.diff(before, after)
    found = operations
    if merge:
        try:
            found = snooze.diff(before, after, "merge")
        except ValueError as error:
            raise DataError(f"{source.title}: {error}") from None
    text = _made(found, f"{source.title}: the patch", "try --merge")
    outputs.write([_shown(text, compact=compact)], None)
    return 1 if operations else 0


@click.command()
@click.argument("file", type=options.PATH)
@click.argument("patch_file", type=options.PATH, metavar="PATCH")
@options.indent
@options.compact
@click.option("--merge", is_flag=True, help="PATCH is a merge patch (RFC 7396).")
@click.option(
    "-i", "--in-place", is_flag=True, help="Replace FILE once its new text is complete."
)
@options.output
def patch(  # noqa: PLR0913 - one for each option
    *,
    file: str,
    patch_file: str,
    indent: bytes,
    compact: bool,
    merge: bool,
    in_place: bool,
    output: str | None,
) -> int:
    """Apply a JSON Patch (RFC 6902) to FILE.

    If an operation cannot be applied, nothing is written and the exit status is 1. The
    same applies to --in-place if a member occurs twice in one object. Numbers keep
    their digits.
    """
    if in_place and (output is not None or file == STANDARD_INPUT):
        raise click.UsageError("--in-place: expected a file and no --output")
    _check_inputs(file, patch_file)
    inputs = source, patch_source = _one(file), _one(patch_file)
    path = source.name if in_place else outputs.file_of(output)
    title = patch_source.title
    replaces = any(is_same(path, one.name) for one in inputs)
    document, changes = (Reader(one, replaces=replaces).value() for one in inputs)
    if merge:
        found = snooze.merge_patch(document, changes, in_place=True)
    elif not isinstance(changes, list):
        raise DataError(
            f"{title}: expected an array of operations, found {formats.kind(changes)}"
        )
    else:
        try:
            found = snooze.patch(document, changes, in_place=True)
        except snooze.PatchError as error:
            tell(f"{title}: {error}")
            return 1
    text = _made(found, f"{title}: the result", "nothing is written")
    pieces = iter([text]) if compact else reformat.indented(text, indent)
    outputs.write(pieces, path)
    return 0


@click.command()
@options.files
@options.lines
@click.option(
    "-a",
    "--as",
    "form",
    type=click.Choice(("schema", "dataclass")),
    default="schema",
    show_default=True,
    help="A JSON Schema (draft 2020-12), or the source of dataclasses.",
)
@click.option(
    "-n",
    "--name",
    type=options.Title(),
    help='The title of the schema, or the name of the class (default "Document").',
)
@options.output
def infer(
    *,
    files: tuple[str, ...],
    lines: bool,
    form: str,
    name: str | None,
    output: str | None,
) -> int:
    """Describe the structure that documents have in common.

    All files together are one structure. The rules are those of snooze.infer.
    """
    found, output = snooze.infer(), outputs.file_of(output)
    for source in sources(files):
        for value in Reader(source, is_exact=False).values(lines=lines):
            found.add(value)
    if form == "schema":
        text = _PLAIN.encode(found.schema(title=name))
        text = _shown(text, compact=False, is_terminal=output is None)
        outputs.write([text], output)
        return 0
    try:
        text = found.source(name or "Document").encode()
    except ValueError as error:
        raise click.UsageError(f"--name: {error}") from None
    outputs.write([text], output, newline=False)
    return 0


def _check_inputs(one: str, other: str) -> None:
    """Raise UsageError for two files that both are standard input."""
    if one == other == STANDARD_INPUT:
        raise click.UsageError("expected one file other than standard input")


def _one(name: str) -> Source:
    """Return the file of a name; that of a pattern, if it matches no other."""
    found = sources([name])
    if len(found) > 1:
        raise click.UsageError(
            f"expected one file, found {len(found):,} that match {name}"
        )
    return found[0]


COMMANDS = (sort, convert, query, diff, patch, infer)
