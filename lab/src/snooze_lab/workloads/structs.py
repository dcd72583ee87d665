"""Structures as workloads, whose contenders are ways of use: s004, `byob --typed`.

Separate from ways.py, which knows neither documents nor jobs. `structs?of=twitter` has
the structures of the fourth seed, the same as in lab/native; `typed?path=mine.json`
that of the user's own document, found in it by these rules; every value of the document
fits it exactly, with nothing converted. Values in the same place (all items of an
array; the same member of all objects there) are of one type together.

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

import json
import keyword
import re
import unicodedata
from dataclasses import dataclass, field
from functools import cache, cached_property
from types import NoneType
from typing import TYPE_CHECKING, Any, NoReturn

from snooze_lab.contenders.base import Calls, Contender, UnsupportedError
from snooze_lab.workloads import documents, generated, shapes, ways
from snooze_lab.workloads.base import Workload, WorkloadError, difference
from snooze_lab.workloads.shapes import Choice, Many, Named, Record
from snooze_lab.workloads.ways import digest_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from snooze_lab.model import Factors
    from snooze_lab.workloads.operations import Job

#: More names than this, with values of one type, make a dict.
MANY_NAMES = 50
DEEPEST = 40
SCALARS = (bool, int, float, str, NoneType)
#: Names that every class or every method has already.
_NOT_FIELDS = {"self", "mro"}
#: Names of members that a programmer would write, once they are cleaned.
_USUAL_NAME = re.compile(r"[^\W\d][\w.$@:-]*|[$@_][\w.$@:-]*")

__all__ = ["STRUCTURES", "Structures", "difference", "digest_of", "projected"]


@dataclass
class _Place:
    """Everything that was seen in one place of the document."""

    #: How many values were found here, and how many of them are objects.
    values: int = 0
    objects: int = 0
    scalars: set[type] = field(default_factory=set)
    item: _Place | None = None
    members: dict[str, _Place] = field(default_factory=dict)
    is_deep: bool = False

    def add(self, value: Any, depth: int = 0) -> None:
        """Add a value that was found here."""
        self.values += 1
        if depth > DEEPEST:
            self.is_deep = True
        elif isinstance(value, dict):
            self.objects += 1
            for name, one in value.items():
                self.members.setdefault(name, _Place()).add(one, depth + 1)
        elif isinstance(value, list):
            self.item = self.item or _Place()
            for one in value:
                self.item.add(one, depth + 1)
        else:
            self.scalars.add(type(value))

    def join(self, other: _Place) -> None:
        """Add everything that was found in another place."""
        self.values += other.values
        self.objects += other.objects
        self.scalars |= other.scalars
        self.is_deep |= other.is_deep
        if other.item is not None:
            self.item = self.item or _Place()
            self.item.join(other.item)
        for name, one in other.members.items():
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
        value = _Place()
        for one in place.members.values():
            value.join(one)
        usual = any(map(_USUAL_NAME.fullmatch, place.members))
        if not usual or (len(place.members) > MANY_NAMES and value.kinds <= 1):
            return Named(self.shape(value, name))
        title = self._class_name(name)
        fields = {
            member: self.shape(one, member) for member, one in place.members.items()
        }
        missing = frozenset(
            member
            for member, one in place.members.items()
            if one.values < place.objects
        )
        return Record(title, fields, _attributes(fields), missing)

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


def _some(whole: shapes.Record, names: str, **more: Any) -> shapes.Record:
    """Return a class with some of the members of another, in this order."""
    known = whole.fields | more
    return shapes.Record(whole.name, {name: known[name] for name in names.split()})


USER = _some(
    shapes.USER,
    "id name screen_name location description verified followers_count friends_count "
    "statuses_count",
    verified=bool,
)
STATUS = _some(
    shapes.STATUS,
    "created_at id text user retweet_count favorite_count",
    user=USER,
)
TWITTER = shapes.Record("TwitterData", {"statuses": shapes.Many(STATUS)})
CITM = _some(shapes.CITM, "events performances")
#: The structures of the seed, and the workload that each is read from.
STRUCTURES = {"twitter": TWITTER, "citm": CITM}
DOCUMENTS = {"twitter": "twitter", "citm": "citm_catalog"}


def projected(structure: str, text: bytes | None = None) -> bytes:
    """Return the members of a structure as compact JSON, which both halves write.

    `text` is the whole document; by default that of the laboratory's workload. Without
    it, or with a look-alike that lacks these members, a document that has them is made.
    WorkloadError for an unknown structure.
    """
    if text is None:
        return _usual(structure)
    value = shapes.projected(_shape(structure), json.loads(text))
    return generated.compact(value)


@cache
def _usual(structure: str) -> bytes:
    try:
        return projected(structure, documents.fetched(DOCUMENTS[structure]).texts[0])
    except (ValueError, KeyError, TypeError, OSError):
        dice = generated.Dice(320)
        value = shapes.look_alike(_shape(structure), dice)
        if structure == "twitter":
            value["statuses"] = [shapes.look_alike(STATUS, dice) for _ in range(100)]
        return generated.compact(value)


def _shape(structure: str) -> shapes.Record:
    if structure not in STRUCTURES:
        known = ", ".join(STRUCTURES)
        raise WorkloadError(f"structs of '{structure}'; there are: {known}")
    return STRUCTURES[structure]


def _refused(_value: Any) -> NoReturn:
    raise UnsupportedError("a way of using a library has the calls of its job only")


class Structures(Workload):
    """A document and its structure: `encode` writes its instances, `decode` reads them.

    `shape` is the structure; None infers it from the document. `baselines` are the ways
    that are entered twice, by operation.
    """

    def __init__(
        self,
        text: Callable[[], bytes],
        shape: shapes.Record | None,
        baselines: dict[str, str],
    ) -> None:
        """Keep the arguments; the document is read when it is first used."""
        super().__init__("structs", lambda: [text()])
        self._shape = shape
        self._baselines = baselines

    @cached_property
    def subject(self) -> ways.Subject:
        """The structure with its document."""
        text = self.texts[0]
        shape = self._shape or shape_of(json.loads(text))
        return ways.Subject(shape, text)

    def enter(
        self, operation: str, names: list[str]
    ) -> tuple[list[Contender], dict[str, str]]:
        """Return the ways that can take part, and the reasons of the others."""
        known = ways.uses(operation, self._baselines)
        ready: list[Contender] = []
        absent: dict[str, str] = {}
        calls = Calls(_refused, _refused, _refused)
        for name in names:
            if name not in known:
                absent[name] = f"no such way to {operation}"
            elif reason := self.subject.absent(known[name]):
                absent[name] = reason
            else:
                version = ways.version(known[name].library)
                ready.append(Contender(name, version, None, calls))
        return ready, absent

    def job(self, operation: str, contender: Contender, factors: Factors) -> Job:
        """Return the job of a way."""
        if factors.buffer != "fresh" or factors.input != "bytes":
            raise UnsupportedError("ways take bytes, and write to fresh output")
        known = ways.uses(operation, self._baselines)
        return self.subject.job(operation, known[contender.name])


def structures(of: str = "twitter") -> Structures:
    """Return a structure of the seed: `twitter` or `citm`."""
    return Structures(lambda: projected(of), _shape(of), ways.BASELINES)


def typed(path: str) -> Structures:
    """Return the user's document with the structure that is found in it."""
    document = documents.file(path)
    if len(document.texts) != 1:
        raise WorkloadError(f"typed?path={path}: expected the path of one file")
    return Structures(lambda: document.texts[0], None, ways.UNTYPED)


WORKLOADS = {"structs": structures, "typed": typed}
