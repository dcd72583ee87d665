"""The formats of the command `convert`: text to values and back.

Separate because each format has a package of its own, which is imported when it is
needed. Invariant: a format that cannot hold the values is a DataError that says why.
Called by value_commands.py.
"""

from __future__ import annotations

import csv
import re
from datetime import date, datetime, time
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import click

import snooze
from snooze._cli import csv_cells, exact, members, readers
from snooze._cli.inputs import DataError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from snooze._cli.documents import Reader

#: Endings of file names, and their formats.
ENDINGS = {
    ".json": "json",
    ".geojson": "json",
    ".ndjson": "ndjson",
    ".jsonl": "ndjson",
    ".csv": "csv",
    ".msgpack": "msgpack",
    ".mp": "msgpack",
    ".yaml": "yaml",
    ".yml": "yaml",
    ".toml": "toml",
}
_COMPRESSED = {".gz", ".zst"}
#: Ends of lines in YAML 1.1 but not in 1.2; that of U+0085 would be read as a space.
_BREAKS = re.compile("[\x85\u2028\u2029]")
_INDENTED = snooze.Encoder(indent=2, hooks=exact.HOOKS)
_COMPACT = snooze.Encoder(hooks=exact.HOOKS)
_KINDS = {
    dict: "an object",
    list: "an array",
    str: "a string",
    int: "a number",
    float: "a number",
    bool: "a boolean",
    type(None): "null",
    date: "a date",
    datetime: "a time",
    exact.Moment: "a time",
    time: "a time of day",
    bytes: "binary data",
}


def of_name(name: str) -> str | None:
    """Return the format that the ending of a file name stands for."""
    return ENDINGS.get(_ending(name))


def of_output(name: str | None) -> str:
    """Return the format to write: JSON where no ending says otherwise."""
    if name is None or not _ending(name):
        return "json"
    form = of_name(name)
    if form is None:
        raise click.UsageError(
            f"--output: expected a name that ends in {', '.join(ENDINGS)}, found "
            f"{name}; for another name say the format, --to {'|'.join(FORMATS)}"
        )
    return form


def _ending(name: str) -> str:
    endings = [one.lower() for one in PurePath(name).suffixes]
    if endings and endings[-1] in _COMPRESSED:
        endings.pop()
    return endings[-1] if endings else ""


#: What readers raise for wrong texts: those of YAML's tags do not check them first.
_WRONG = (
    *(ValueError, TypeError, LookupError, AttributeError, OverflowError),
    csv.Error,
)


def read(reader: Reader, form: str) -> Any:
    """Return the value of a file."""
    if form == "json":
        return reader.value()
    if form == "ndjson":
        return list(reader.values(lines=True))
    source = reader.source
    try:
        text = source.read()
        value = _READERS[form](text)
    except RecursionError:
        raise DataError(f"{source.title}: expected {form}: nested too deep") from None
    except Exception as error:
        is_known = isinstance(error, _WRONG)
        if not is_known and not type(error).__module__.startswith(("yaml", "msgpack")):
            raise
        # Those of yaml have several lines, and some of msgpack have no text.
        reason = " ".join(str(error).split()) or type(error).__name__
        raise DataError(f"{source.title}: expected {form}: {reason}") from None
    if form == "toml":
        readers.tell_cut_times(text, source.title)
    return value


def check(value: Any, form: str, title: str) -> None:
    """Raise DataError for values of other formats that this one does not have."""
    try:
        if form in TEXTS:
            members.check(value)
        elif form != "yaml":  # which has aliases
            members.check_aliases(value)
    except ValueError as error:
        raise DataError(f"{title}: cannot be written as {form}: {error}") from None


def written(value: Any, form: str, title: str) -> Iterator[bytes]:
    """Yield a value as text, without a newline at its end; `title` is its file's."""
    try:
        yield from _WRITERS[form](value)
    except RecursionError:
        raise DataError(
            f"{title}: cannot be written as {form}: nested too deep"
        ) from None
    except (TypeError, ValueError, OverflowError) as error:
        raise DataError(f"{title}: cannot be written as {form}: {error}") from None


def _write_json(value: Any) -> Iterator[bytes]:
    yield _INDENTED.encode(value)


def _write_ndjson(value: Any) -> Iterator[bytes]:
    if not isinstance(value, list):
        raise TypeError(f"expected an array, found {kind(value)}")
    for number, one in enumerate(value):
        yield (b"\n" if number else b"") + _COMPACT.encode(one)


def _write_csv(value: Any) -> Iterator[bytes]:
    if not isinstance(value, list):
        raise TypeError(f"expected an array of objects, found {kind(value)}")
    for number, one in enumerate(value):
        if not isinstance(one, dict):
            raise TypeError(
                f"expected an array of objects, found an array whose item {number} is "
                f"{kind(one)}"
            )
    yield from csv_cells.text_of(value)


def _write_msgpack(value: Any) -> Iterator[bytes]:
    def refuse(value: Any) -> Any:
        raise TypeError(f"MessagePack has nothing for {kind(value)}")

    yield readers.package("msgpack", "msgpack").packb(
        value, datetime=False, default=refuse
    )


def _write_yaml(value: Any) -> Iterator[bytes]:
    package = readers.package("yaml", "pyyaml")

    class Dumper(package.SafeDumper):  # type: ignore[misc,name-defined]
        """Writes strings with such ends of lines in quotes, where they are escaped."""

        def represent_str(self, data: str) -> Any:
            style = '"' if _BREAKS.search(data) else None
            return self.represent_scalar("tag:yaml.org,2002:str", data, style=style)

        def represent_time(self, data: time) -> Any:
            # YAML has none; a reader would take it for an integer to the base of 60.
            return self.represent_str(data.isoformat())

        def represent_undefined(self, data: Any) -> Any:
            raise TypeError(f"YAML has nothing for {kind(data)}")

    Dumper.add_representer(str, Dumper.represent_str)
    Dumper.add_representer(time, Dumper.represent_time)
    Dumper.add_representer(exact.Moment, Dumper.represent_datetime)
    Dumper.add_representer(None, Dumper.represent_undefined)
    text: str = package.dump(value, Dumper=Dumper, allow_unicode=True, sort_keys=False)
    yield text.rstrip("\n").encode()


def _write_toml(value: Any) -> Iterator[bytes]:
    if not isinstance(value, dict):
        raise TypeError(f"expected an object, found {kind(value)}")
    for node in snooze.jsonpath.nodes(value, "$..*"):
        if node.value is None:
            raise TypeError(f"TOML has no null, found one at {node.pointer}")
        if type(node.value) is int and not -(2**63) <= node.value < 2**63:
            raise TypeError(
                f"TOML has integers of 64 bits, found {node.value} at {node.pointer}"
            )
    text: str = readers.package("tomli_w", "tomli-w").dumps(value)
    yield text.rstrip("\n").encode()


def kind(value: Any) -> str:
    """Return what kind of JSON value it is."""
    if isinstance(value, snooze.Raw):
        return "a number"
    return _KINDS.get(type(value)) or f"a value of type {type(value).__name__}"


_READERS: dict[str, Callable[[bytes], Any]] = {
    "csv": csv_cells.rows_of,
    "msgpack": readers.msgpack,
    "yaml": readers.yaml,
    "toml": readers.toml,
}
_WRITERS: dict[str, Callable[[Any], Iterator[bytes]]] = {
    "json": _write_json,
    "ndjson": _write_ndjson,
    "csv": _write_csv,
    "msgpack": _write_msgpack,
    "yaml": _write_yaml,
    "toml": _write_toml,
}
FORMATS = tuple(_WRITERS)
#: Formats in which a number is its text. The others have doubles.
TEXTS = frozenset({"json", "ndjson", "csv"})
