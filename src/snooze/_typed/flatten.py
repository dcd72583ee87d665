"""`Field(flatten=True)`: the members of a nested class among those of the outer one.

Separate from `records`, because a record is expanded once all records are filled.
Invariant: an expanded record has one field for each member; its constructor makes the
nested instances first, and `split` returns the values of all members, in a dict with
the names of the fields. Called by `introspect`.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from snooze._typed import model, unions
from snooze._typed.records import check_names

if TYPE_CHECKING:
    from collections.abc import Callable


def expand(record: model.Record, outer: tuple[model.Record, ...] = ()) -> None:
    """Replace the fields with `flatten` by those of their classes."""
    if record.split is not None or not any(one.flatten for one in record.fields):
        return
    if record in outer:
        raise TypeError(
            f"{record.name}: Field(flatten=True) leads back to {record.name}"
        )
    _check_outer(record)
    fields: list[model.Field] = []
    own: dict[str, str] = {}
    parts: list[_Part] = []
    for field in record.fields:
        if not field.flatten:
            own[field.init_name] = field.attribute
            fields.append(field)
            continue
        inner = _inner(record, field)
        expand(inner, (*outer, record))
        part = _Part(field, inner)
        parts.append(part)
        fields += part.fields()
    record.fields = [
        dataclasses.replace(one, attribute=one.init_name) for one in fields
    ]
    record.construction = ("call", _maker(record.cls, parts))
    record.split = _splitter(record.cls, own, parts)
    record.gc = True
    check_names(record)


class _Part:
    """A nested class, the members of which are those of the outer one."""

    def __init__(self, field: model.Field, inner: model.Record) -> None:
        self.init_name = field.init_name
        self.attribute = field.attribute
        self.is_required = field.presence == "required"
        self.inner = inner
        #: The names of the fields here, and in the nested class.
        prefix = field.init_name
        self.names = {f"{prefix}.{one.init_name}": one for one in inner.fields}
        # A class that is itself expanded has a function for it.
        is_called = inner.construction[0] == "call"
        self.make: Callable[..., Any] = (
            inner.construction[1] if is_called else inner.cls
        )
        self.split = inner.split or _splitter(
            inner.cls, {one.init_name: one.attribute for one in inner.fields}, []
        )

    def fields(self) -> list[model.Field]:
        """Return the fields of the nested class under their names here."""
        found = []
        for name, one in self.names.items():
            field = dataclasses.replace(one, attribute=name, init_name=name)
            if not self.is_required and field.presence == "required":
                field.presence = "absent"
            found.append(field)
        return found

    def value(self, values: dict[str, Any]) -> Any:
        """Return the nested instance, or None if none of its members is there."""
        given = {
            one.init_name: values[name]
            for name, one in self.names.items()
            if name in values
        }
        return self.make(**given) if given or self.is_required else None


def _maker(cls: type, parts: list[_Part]) -> Callable[..., Any]:
    """Return a function that makes an instance of the values of all members."""
    nested = {name for part in parts for name in part.names}

    def make(**values: Any) -> Any:
        given = {name: one for name, one in values.items() if name not in nested}
        for part in parts:
            value = part.value(values)
            if value is not None:
                given[part.init_name] = value
        return cls(**given)

    return make


def _splitter(
    cls: type, own: dict[str, str], parts: list[_Part]
) -> Callable[[Any], dict[str, Any]]:
    """Return a function that returns the values of all members by their names."""

    def split(value: Any) -> dict[str, Any]:
        if type(value) is not cls:
            raise TypeError(f"expected {cls.__name__}, found {type(value).__name__}")
        found = {name: getattr(value, attribute) for name, attribute in own.items()}
        for part in parts:
            inner = part.split(getattr(value, part.attribute))
            found |= {f"{part.init_name}.{name}": one for name, one in inner.items()}
        return found

    return split


def _check_outer(record: model.Record) -> None:
    if record.is_array or record.class_kind == "typeddict":
        kind = "an array" if record.is_array else "a TypedDict"
        raise TypeError(
            f"{record.name}: Field(flatten=True) is for a class that is an object in "
            f"JSON, not {kind}"
        )
    if record.rest is not None:
        raise TypeError(
            f"{record.name}: Field(flatten=True) and Field(rest=True) cannot be "
            "combined: the members of the nested class would be unknown ones"
        )


def _inner(record: model.Record, field: model.Field) -> model.Record:
    """Return the nested class of a field, or refuse it."""
    place = f"{record.name}.{field.attribute}"
    found = unions.flatten(field.node, place)
    inner = found[0] if len(found) == 1 else None
    if not isinstance(inner, model.Record) or inner.class_kind == "typeddict":
        raise TypeError(
            f"{place}: Field(flatten=True) needs a class with fields for its type: a "
            "dataclass, attrs class, NamedTuple or Struct"
        )
    for reason, is_wrong in (
        ("is an array in JSON", inner.is_array),
        ("has a tag", inner.tag is not None),
        ("collects members with Field(rest=True)", inner.rest is not None),
        ("has fields with init=False", not _can_be_called(inner)),
    ):
        if is_wrong:
            raise TypeError(f"{place}: Field(flatten=True): {inner.name} {reason}")
    return inner


def _can_be_called(record: model.Record) -> bool:
    return all(one.is_decoded == one.is_encoded for one in record.fields)
