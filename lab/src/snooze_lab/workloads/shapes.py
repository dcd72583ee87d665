"""Structures as data, and classes of every family for them.

Separate from structs.py and the race, which time: a structure is written once, in
structures.toml, and each family of classes and each plain value is made from it, so
that all contenders have the same fields. A structure is a Record, Many, Named, Choice,
or a Python type that JSON has: bool, int, float, str, NoneType, or Any for what is not
looked into. `projected`, `instance` and `read_back` walk along the structure, never
along the result of a contender.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any, Union

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from snooze_lab.workloads.generated import Dice


@dataclass(frozen=True, eq=False)
class Record:
    """A class with fields, by the names of their members.

    `attributes` are the fields' own names where a member's name cannot be one; a member
    that is `optional` may be missing, which is None in an instance.
    """

    name: str
    fields: dict[str, Any]
    attributes: dict[str, str] = field(default_factory=dict)
    optional: frozenset[str] = frozenset()

    def attribute(self, member: str) -> str:
        """Return the name of a member's field."""
        return self.attributes.get(member, member)


@dataclass(frozen=True)
class Many:
    """A list."""

    item: Any


@dataclass(frozen=True)
class Named:
    """A dict with any names."""

    value: Any


@dataclass(frozen=True)
class Choice:
    """A union: scalar types, and at most one list and one class or dict."""

    shapes: tuple[Any, ...]

    def of(self, value: Any) -> Any:
        """Return the alternative that a plain value or an instance belongs to."""
        if value is None or isinstance(value, (bool, int, float, str)):
            return type(value)
        is_list = isinstance(value, list)
        for shape in self.shapes:
            if isinstance(shape, Many if is_list else (Record, Named)):
                return shape
        raise TypeError(f"no alternative for {type(value).__name__}")


def _structure(text: str, known: dict[str, Any]) -> Any:
    """Return the structure that a type of structures.toml states."""
    if text.endswith("?"):
        return Choice((_structure(text[:-1], known), NoneType))
    if text.startswith("["):
        return Many(_structure(text[1:-1], known))
    if text.startswith("{"):
        return Named(_structure(text[1:-1], known))
    return known[text]


def _classes() -> dict[str, Record]:
    """Return the classes of structures.toml by name."""
    known: dict[str, Any] = {one.__name__: one for one in (bool, int, float, str)}
    found = {}
    text = Path(__file__).with_name("structures.toml").read_text("utf-8")
    for name, members in tomllib.loads(text).items():
        fields = {member: _structure(tp, known) for member, tp in members.items()}
        found[name] = known[name] = Record(name, fields)
    return found


CLASSES = _classes()
USER, STATUS, CUSTOMER = (CLASSES[name] for name in ("User", "Status", "Customer"))
TWITTER, CITM = CLASSES["TwitterData"], CLASSES["CitmCatalog"]
CRUD = Many(CUSTOMER)


def records(shape: Any) -> Iterator[Record]:
    """Yield every class of a structure."""
    match shape:
        case Record():
            yield shape
            for one in shape.fields.values():
                yield from records(one)
        case Many(item=inside) | Named(value=inside):
            yield from records(inside)
        case Choice():
            for one in shape.shapes:
                yield from records(one)


class Family:
    """Classes of one kind for every structure, with limits on their fields or without.

    `make` makes a class from a name and fields; of a Record with `attributes` it is
    also given `renamed`, members' names by field, and of one with `optional` members
    those fields. `limited` adds a constraint to a type (bool and classes take none).
    """

    def __init__(
        self,
        make: Callable[..., type],
        limited: Callable[[Any, Any], Any] | None = None,
    ) -> None:
        """Start without classes."""
        self._make = make
        self._limited = limited or (lambda _, tp: tp)
        self._classes: dict[Record, type] = {}

    def type_of(self, shape: Any) -> Any:
        """Return the Python type of a structure."""
        match shape:
            case Record():
                if shape not in self._classes:
                    self._classes[shape] = self._class_of(shape)
                return self._classes[shape]
            case Many():
                return self._limited(list, list[self.type_of(shape.item)])  # type: ignore[misc]
            case Named():
                return self._limited(dict, dict[str, self.type_of(shape.value)])  # type: ignore[misc]
            case Choice():
                return Union[tuple(map(self.type_of, shape.shapes))]  # noqa: UP007
            case _:
                return shape if shape is NoneType else self._limited(shape, shape)

    def _class_of(self, shape: Record) -> type:
        types = {}
        for member, one in shape.fields.items():
            tp = self.type_of(one)
            optional = member in shape.optional
            types[shape.attribute(member)] = tp | None if optional else tp
        more: dict[str, Any] = {}
        if shape.attributes:
            more["renamed"] = {own: name for name, own in shape.attributes.items()}
        if shape.optional:
            more["optional"] = {shape.attribute(one) for one in shape.optional}
        return self._make(shape.name, types, **more)


def _walk(shape: Any, value: Any, record: Callable[[Record, Any], Any]) -> Any:
    """Rebuild a value along its structure; `record` converts a class."""
    match shape:
        case Record():
            return record(shape, value)
        case Many():
            return [_walk(shape.item, one, record) for one in value]
        case Named():
            return {
                name: _walk(shape.value, one, record) for name, one in value.items()
            }
        case Choice():
            return _walk(shape.of(value), value, record)
        case _:
            return value


def _member(shape: Record, value: Any, name: str, record: Any) -> Any:
    """Rebuild a member of a plain value: None for one that is optional and missing."""
    if name in shape.optional and value.get(name) is None:
        return None
    return _walk(shape.fields[name], value[name], record)


def projected(shape: Any, value: Any, dice: Dice | None = None) -> Any:
    """Return the declared members of a plain value, in declared or any order."""

    def record(shape: Record, value: Any) -> Any:
        names = list(shape.fields)
        if dice is not None:
            dice.shuffle(names)
        return {name: _member(shape, value, name, record) for name in names}

    return _walk(shape, value, record)


def instance(shape: Any, value: Any, family: Family) -> Any:
    """Return a plain value as instances of a family."""

    def record(shape: Record, value: Any) -> Any:
        members = {
            shape.attribute(name): _member(shape, value, name, record)
            for name in shape.fields
        }
        return family.type_of(shape)(**members)

    return _walk(shape, value, record)


def read_back(shape: Any, value: Any, family: Family) -> Any:
    """Return instances of a family as a plain value; TypeError if one is not."""

    def record(shape: Record, value: Any) -> Any:
        if type(value) is not family.type_of(shape):
            raise TypeError(f"a {type(value).__name__} in the place of {shape.name}")
        found = {name: getattr(value, shape.attribute(name)) for name in shape.fields}
        return {name: _member(shape, found, name, record) for name in found}

    return _walk(shape, value, record)


def look_alike(shape: Any, dice: Dice, extra: int = 0) -> Any:
    """Return a plain value of a structure, for use without its document.

    Classes get as many undeclared members as the original has.
    """
    match shape:
        case Record():
            found = {
                name: look_alike(one, dice, extra) for name, one in shape.fields.items()
            }
            for number in range(extra):
                found[f"further_{number}"] = {
                    "link": f"https://pbs.example/{dice.hexadecimal(24)}",
                    "indices": [dice.below(140), dice.below(140)],
                    "note": dice.text("ascii", 4) if number % 2 else None,
                }
            return found
        case Many():
            few = not isinstance(shape.item, Record)
            count = dice.below(4) if few else 1 + dice.below(12)
            return [look_alike(shape.item, dice, extra) for _ in range(count)]
        case Named():
            return {
                str(337_000_000 + dice.below(10**6)): look_alike(
                    shape.value, dice, extra
                )
                for _ in range(20 + dice.below(60))
            }
        case Choice():
            return None if dice.below(3) else look_alike(shape.shapes[0], dice, extra)
        case _:
            return _scalar(shape, dice)


def _scalar(kind: Any, dice: Dice) -> Any:
    if kind is bool:
        return dice.below(3) == 0
    if kind is int:
        return dice.below(10 ** (2 + dice.below(16)))
    if kind is float:
        return dice.unit() * 10_000
    script = ("ascii", "ascii", "latin", "cyrillic")[dice.below(4)]
    return dice.text(script, 1 + dice.below(9))
