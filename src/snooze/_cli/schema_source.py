"""Columns as the source of dataclasses, and as a JSON Schema.

Separate from `snooze.infer`, which sees values: this knows what `snooze.scan` makes of
them, in its form `(name, format, nullable, extension, children)`. Invariant: a scan
with the class, or with records that the schema accepts, has these columns, but JSON
text in place of integers beyond int64. Called by scan_commands.py.
"""

from __future__ import annotations

import unicodedata
from typing import Any

from snooze._infer import names

_ANNOTATIONS = {
    "b": "bool",
    "l": "int",
    "g": "float",
    "u": "str",
    "n": "None",
}
_TYPES = {"b": "boolean", "l": "integer", "L": "integer", "g": "number", "u": "string"}


def dataclasses_of(columns: tuple[Any, ...], name: str) -> str:
    """Return the source of a dataclass for each object.

    Raises:
        ValueError: The name is none of a class.
    """
    if not names.is_class_name(name):
        raise ValueError(f"expected a name that a class can have, found {name!r}")
    made = _Classes()
    made.add(name, columns)
    imports = ["from dataclasses import dataclass"]
    if made.needs_any:
        imports.append("from typing import Annotated, Any")
    elif made.needs_names:
        imports.append("from typing import Annotated")
    if made.needs_names:
        imports.append("\nimport snooze")
    if made.needs_any and not made.needs_names:
        imports = [one.replace("Annotated, ", "") for one in imports]
    head = "from __future__ import annotations\n\n" + "\n".join(imports)
    return head + "".join(f"\n\n\n{source}" for source in made.sources) + "\n"


class _Classes:
    """The classes of a schema, inner ones first."""

    def __init__(self) -> None:
        self.sources: list[str] = []
        self.names: set[str] = set()
        self.needs_any = self.needs_names = False

    def add(self, wanted: str, columns: tuple[Any, ...]) -> str:
        """Add the class of an object; return its name."""
        name, number = wanted, 1
        while name in self.names:
            number += 1
            name = f"{wanted}{number}"
        self.names.add(name)
        lines: list[str] = []
        attributes = names.fields(column[0] for column in columns)
        for member, form, _, extension, children in columns:
            attribute = attributes[member]
            kind = self.annotation(_class_name(member), form, extension, children)
            if kind not in {"Any", "None"}:
                kind += " | None"
            if attribute != member:
                self.needs_names = True
                kind = f"Annotated[{kind}, snooze.Field(name={member!r})]"
            lines.append(f"    {attribute}: {kind} = None")
        body = "\n".join(lines) or "    pass"
        self.sources.append(f"@dataclass\nclass {name}:\n{body}")
        return name

    def annotation(
        self, name: str, form: str, extension: str | None, children: tuple[Any, ...]
    ) -> str:
        """Return the annotation of a column."""
        if extension is not None:
            self.needs_any = True
            return "Any"
        if form == "+s":
            return self.add(name, children)
        if form == "+l":
            _, inner, _, extension, children = children[0]
            item = self.annotation(name, inner, extension, children)
            optional = "" if item in {"Any", "None"} else " | None"
            return f"list[{item}{optional}]"
        if form not in _ANNOTATIONS:
            # Integers beyond int64, which the column of no class holds exactly.
            self.needs_any = True
            return "Any"
        return _ANNOTATIONS[form]


def _class_name(member: str) -> str:
    """Return the name of a class for the objects of a member."""
    words = "".join(one if one.isalnum() else " " for one in member).split()
    name = "".join(word[:1].upper() + word[1:] for word in words)
    name = unicodedata.normalize("NFKC", name)  # as Python reads it
    return name if names.is_class_name(name) else "Inner"


def json_schema(columns: tuple[Any, ...], title: str) -> dict[str, Any]:
    """Return the JSON Schema of a record."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        **_object(columns),
    }


def _object(columns: tuple[Any, ...]) -> dict[str, Any]:
    members = {column[0]: _optional(column) for column in columns}
    return {"type": "object", "properties": members}


def _optional(column: tuple[Any, ...]) -> dict[str, Any]:
    """Return the schema of a value that may be null."""
    _, form, _, extension, children = column
    if extension is not None:
        return {}
    if form == "n":
        return {"type": "null"}
    if form == "+s":
        return {**_object(children), "type": ["object", "null"]}
    if form == "+l":
        return {"type": ["array", "null"], "items": _optional(children[0])}
    kind = "integer" if form.startswith("d:") else _TYPES[form]
    return {"type": [kind, "null"]}
