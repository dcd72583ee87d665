"""The formats of the command `convert`: text to values and back.

Separate because each format has a package of its own, which is imported when it is
needed. Invariant: a format that cannot hold the values is a DataError that says why.
Called by value_commands.py.
"""

from __future__ import annotations

import csv
import re
from importlib import import_module
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import click

import snooze
from snooze._cli import csv_cells, members
from snooze._cli.inputs import DataError, InputError

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
#: The tags of the keys `<<` and `=` in YAML.
_MERGE, _VALUE = "tag:yaml.org,2002:merge", "tag:yaml.org,2002:value"
#: Ends of lines in YAML 1.1 but not in 1.2; that of U+0085 would be read as a space.
_BREAKS = re.compile("[\x85\u2028\u2029]")
_INDENTED = snooze.Encoder(indent=2)
_COMPACT = snooze.Encoder()
_KINDS = {
    dict: "an object",
    list: "an array",
    str: "a string",
    int: "a number",
    float: "a number",
    bool: "a boolean",
    type(None): "null",
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
        return _READERS[form](source.read())
    except RecursionError:
        raise DataError(f"{source.title}: expected {form}: nested too deep") from None
    except Exception as error:
        is_known = isinstance(error, _WRONG)
        if not is_known and not type(error).__module__.startswith(("yaml", "msgpack")):
            raise
        # Those of yaml have several lines, and some of msgpack have no text.
        reason = " ".join(str(error).split()) or type(error).__name__
        raise DataError(f"{source.title}: expected {form}: {reason}") from None


def check(value: Any, form: str, title: str) -> None:
    """Raise DataError for values of other formats that no JSON text has."""
    try:
        members.check(value)
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


def _package(name: str, package: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise InputError(
            f"this format needs the package {package}: pip install {package}"
        ) from None


def _read_msgpack(text: bytes) -> Any:
    package = _package("msgpack", "msgpack")
    return package.unpackb(
        text, timestamp=3, object_pairs_hook=members.pairs, strict_map_key=False
    )


def _read_yaml(text: bytes) -> Any:
    package = _package("yaml", "pyyaml")

    class Loader(package.SafeLoader):  # type: ignore[misc,name-defined]
        """Refuses keys that occur twice."""

        def __init__(self, text: bytes) -> None:
            super().__init__(text)
            #: For each open map the lines of its keys. An alias has none in its node.
            self._lines: list[list[int]] = []

        def compose_node(self, parent: Any, index: Any) -> Any:
            if isinstance(parent, package.MappingNode) and index is None:  # a key
                self._lines[-1].append(self.peek_event().start_mark.line + 1)
            return super().compose_node(parent, index)

        def compose_mapping_node(self, anchor: str) -> Any:
            # Here, because a later step adds the keys of other maps, by `<<`.
            self._lines.append([])
            node = super().compose_mapping_node(anchor)
            lines, seen = self._lines.pop(), set[Any]()
            for (key, _), line in zip(node.value, lines, strict=True):
                if not isinstance(key, package.ScalarNode) or key.tag == _MERGE:
                    continue
                found = key.value if key.tag == _VALUE else self.construct_object(key)
                if found in seen:
                    raise ValueError(members.twice(found, seen, line))
                seen.add(found)
            return node

    return package.load(text, Loader)


def _read_toml(text: bytes) -> Any:
    import tomllib  # noqa: PLC0415 - only this format needs it

    return tomllib.loads(text.decode())


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
    yield _package("msgpack", "msgpack").packb(value, datetime=False)


def _write_yaml(value: Any) -> Iterator[bytes]:
    package = _package("yaml", "pyyaml")

    class Dumper(package.SafeDumper):  # type: ignore[misc,name-defined]
        """Writes strings with such ends of lines in quotes, where they are escaped."""

        def represent_str(self, data: str) -> Any:
            style = '"' if _BREAKS.search(data) else None
            return self.represent_scalar("tag:yaml.org,2002:str", data, style=style)

    Dumper.add_representer(str, Dumper.represent_str)
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
    text: str = _package("tomli_w", "tomli-w").dumps(value)
    yield text.rstrip("\n").encode()


def kind(value: Any) -> str:
    """Return what kind of JSON value it is."""
    if isinstance(value, snooze.Raw):
        return "a number"
    return _KINDS.get(type(value), type(value).__name__)


_READERS: dict[str, Callable[[bytes], Any]] = {
    "csv": csv_cells.rows_of,
    "msgpack": _read_msgpack,
    "yaml": _read_yaml,
    "toml": _read_toml,
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
#: Formats that are read with the text of each number.
EXACT = frozenset({"json", "ndjson"})
#: Formats in which a number is its text. The others have doubles.
TEXTS = frozenset({"json", "ndjson", "csv"})
