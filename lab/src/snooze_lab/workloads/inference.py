"""The structure of a JSON document, found in the document itself.

Separate because it is a guess by stated rules: nothing here times or checks. Values in
the same place (all items of an array; the same member of all objects there) are of one
type together. Invariants: every value of the document fits the structure exactly, with
nothing converted; the same document always has the same structure. Used by structs.py
for `byob --typed`.

The rules:

- Scalars keep their types: a place with integers and floats is `int | float`.
- An object is a class whose fields are the names that occur there; a name that some of
  the objects lack is optional. A name that no field can have is renamed.
- It is a dict if its names are data: all of them begin with a digit or hold a
  character like `/` or a blank; or there are more than 50 names, whose values have one
  type.
- What is always null is None. Empty arrays and objects, and whatever lies deeper than
  40 levels, are not looked into.
"""

from __future__ import annotations

import keyword
import re
import unicodedata
from dataclasses import dataclass, field
from types import NoneType
from typing import Any

from snooze_lab.workloads.shapes import Choice, Many, Named, Record

#: More names than this, with values of one type, make a dict.
MANY_NAMES = 50
DEEPEST = 40
SCALARS = (bool, int, float, str, NoneType)
#: Names that every class or every method has already.
_NOT_FIELDS = {"self", "mro"}
#: Names of members that a programmer would write, once they are cleaned.
_USUAL_NAME = re.compile(r"[^\W\d][\w.$@:-]*|[$@_][\w.$@:-]*")


@dataclass
class _Place:
    """Everything that was seen in one place of the document."""

    scalars: set[type] = field(default_factory=set)
    item: _Place | None = None
    objects: int = 0
    members: dict[str, _Place] = field(default_factory=dict)
    #: How many of the objects have a member.
    counts: dict[str, int] = field(default_factory=dict)
    is_deep: bool = False

    def add(self, value: Any, depth: int = 0) -> None:
        """Add a value that was found here."""
        if depth > DEEPEST:
            self.is_deep = True
        elif isinstance(value, dict):
            self.objects += 1
            for name, one in value.items():
                self.counts[name] = self.counts.get(name, 0) + 1
                self.members.setdefault(name, _Place()).add(one, depth + 1)
        elif isinstance(value, list):
            self.item = self.item or _Place()
            for one in value:
                self.item.add(one, depth + 1)
        else:
            self.scalars.add(type(value))

    def join(self, other: _Place) -> None:
        """Add everything that was found in another place."""
        self.scalars |= other.scalars
        self.is_deep |= other.is_deep
        self.objects += other.objects
        if other.item is not None:
            self.item = self.item or _Place()
            self.item.join(other.item)
        for name, one in other.members.items():
            self.counts[name] = self.counts.get(name, 0) + other.counts[name]
            self.members.setdefault(name, _Place()).join(one)

    @property
    def kinds(self) -> int:
        """The number of JSON types seen here, without null."""
        found = len(self.scalars - {NoneType})
        return found + (self.item is not None) + bool(self.objects)


def shape_of(value: Any) -> Any:
    """Return the structure (shapes.py) of a plain value."""
    root = _Place()
    root.add(value)
    return _Maker().shape(root, "Document")


class _Maker:
    """Turns places into structures; remembers the names of classes."""

    def __init__(self) -> None:
        self._names: set[str] = set()

    def shape(self, place: _Place, name: str) -> Any:
        """Return the structure of a place; classes are named for their member."""
        if place.is_deep:
            return Any
        found: list[Any] = [one for one in SCALARS if one in place.scalars]
        if place.item is not None:
            found.append(Many(self.shape(place.item, name)))
        if place.objects:
            found.append(self._object(place, name))
        if not found:
            return Any
        return found[0] if len(found) == 1 else Choice(tuple(found))

    def _object(self, place: _Place, name: str) -> Any:
        if _is_dict(place):
            value = _Place()
            for one in place.members.values():
                value.join(one)
            return Named(self.shape(value, name))
        title = self._class_name(name)
        fields = {
            member: self.shape(one, member) for member, one in place.members.items()
        }
        missing = {one for one in fields if place.counts[one] < place.objects}
        return Record(title, fields, _attributes(fields), frozenset(missing))

    def _class_name(self, member: str) -> str:
        words = re.findall(r"[A-Za-z0-9]+", member)
        base = "".join(word[0].upper() + word[1:] for word in words)
        base = base if base[:1].isalpha() else f"Class{base}"
        found, number = base, 1
        while found in self._names:
            number += 1
            found = f"{base}{number}"
        self._names.add(found)
        return found


def _is_dict(place: _Place) -> bool:
    if not any(map(_USUAL_NAME.fullmatch, place.members)):
        return True
    if len(place.members) <= MANY_NAMES:
        return False
    whole = _Place()
    for one in place.members.values():
        whole.join(one)
    return whole.kinds <= 1


def _attributes(members: dict[str, Any]) -> dict[str, str]:
    """Return names of fields for those members whose own name cannot be one."""
    taken = {name for name in members if _is_field(name)}
    found: dict[str, str] = {}
    for name in members:
        if name in taken:
            continue
        cleaned = re.sub(r"\W", "_", unicodedata.normalize("NFKC", name)).strip("_")
        if not cleaned or cleaned[0].isdigit() or not cleaned.isidentifier():
            cleaned = f"field_{len(found) + 1}"
        while cleaned in taken or not _is_field(cleaned):
            cleaned += "_"
        taken.add(cleaned)
        found[name] = cleaned
    return found


def _is_field(name: str) -> bool:
    """Tell whether every library takes a name as that of a field."""
    return (
        unicodedata.normalize("NFKC", name) == name  # as Python reads identifiers
        and name.isidentifier()
        and not keyword.iskeyword(name)
        and not name.startswith("_")
        and name not in _NOT_FIELDS
    )
