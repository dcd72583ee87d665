"""`Field(flatten=True)`: the members of a nested class among those of the outer one.

Separate from `records`, because a record is expanded once all records are filled.
Invariants: an expanded record has one field for each member; its constructor makes the
nested instances first, and `split` returns the values of all members, in a dict with
the names of the fields. A nested instance is written without any member only where no
members make an equal one. Called by `introspect`.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from snooze._typed import model, omission, unions
from snooze._typed.expected import python_text
from snooze._typed.records import check_names
from snooze._typed.unset import UNSET

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
        part = _Part(field, inner, f"{record.name}.{field.attribute}")
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

    def __init__(self, field: model.Field, inner: model.Record, place: str) -> None:
        self.field = field
        self.place = place
        self.init_name = field.init_name
        self.attribute = field.attribute
        self.is_required = field.presence == "required"
        self.inner = inner
        #: The names of the fields here, and in the nested class.
        prefix = field.init_name
        self.names = {f"{prefix}.{one.init_name}": one for one in inner.fields}
        #: Those of the nested class in which `UNSET` is no value.
        self.strict = {
            one.init_name: one
            for one in inner.fields
            if one.unset is None and not one.may_be_missing
        }
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
        omits = self._may_omit()
        found = []
        for name, one in self.names.items():
            field = dataclasses.replace(one, attribute=name, init_name=name)
            if field.required_in:
                field.required_in = f"{self.init_name}.{field.required_in}"
            if not self.is_required and field.presence == "required":
                field.presence, field.required_in = "absent", self.init_name
            if not omits:
                field.omit_none = field.omit_default = False
            field.may_be_missing |= self.has_foreign_default()
            found.append(field)
        return found

    def has_foreign_default(self) -> bool:
        """Return whether the default is no instance, as in `page: Page = None`."""
        return (
            self.field.presence == "default"
            and type(self.field.default) is not self.inner.cls
        )

    def missing(self) -> dict[str, Any]:
        """Return what stands for the members if there is no instance."""
        return {
            name: UNSET if one.unset is None else one.unset
            for name, one in self.names.items()
        }

    def check(self, values: dict[str, Any]) -> None:
        """Refuse `UNSET` where it would stand for a member that is not there."""
        for name, one in self.strict.items():
            if values[name] is UNSET:
                place = f"{self.place}.{one.attribute}"
                expected = python_text(one.node)
                raise TypeError(f"{place}: expected {expected}, found UnsetType")

    def _may_omit(self) -> bool:
        """Return whether members may be left out as in the nested class by itself.

        Without any member a Decoder makes the default of the outer field. TypeError if
        that cannot be prevented.
        """
        if self.is_required or self._makes_default_of_nothing():
            return True
        if any(_is_written(self.inner, one) for one in self.inner.fields):
            return True
        if not any(
            _is_written(
                self.inner,
                dataclasses.replace(one, omit_none=False, omit_default=False),
            )
            for one in self.inner.fields
        ):
            name = self.inner.name
            raise TypeError(
                f"{self.place}: Field(flatten=True): all members of {name} can be "
                "missing, of which a Decoder makes the default of the field; write "
                f"field(default_factory={name})"
            )
        return False

    def _makes_default_of_nothing(self) -> bool:
        """Return whether the default is what the class makes without arguments."""
        default = self.field.default
        if self.field.presence == "factory":
            return default is self.inner.cls
        if self.field.presence != "default" or self.has_foreign_default():
            return False
        values = self.split(default)
        return all(
            omission.is_own_default(one, values[one.init_name])
            for one in self.inner.fields
            if one.is_encoded
        )

    def value(self, values: dict[str, Any]) -> Any:
        """Return the nested instance, or None if none of its members is there."""
        given = {
            one.init_name: values[name]
            for name, one in self.names.items()
            if name in values
        }
        if not given and not self.is_required:
            return None
        for one in self.names.values():
            if one.presence == "required" and one.init_name not in given:
                raise ValueError(f'expected member "{one.wire_name}", found none')
        return self.make(**given)


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
    missing = [part.missing() if part.has_foreign_default() else None for part in parts]

    def split(value: Any) -> dict[str, Any]:
        if type(value) is not cls:
            raise TypeError(f"expected {cls.__name__}, found {type(value).__name__}")
        found = {name: getattr(value, attribute) for name, attribute in own.items()}
        for part, nothing in zip(parts, missing, strict=True):
            nested = getattr(value, part.attribute)
            if type(nested) is not part.inner.cls:
                if nothing is None or nested is not part.field.default:
                    raise TypeError(
                        f"{part.place}: expected {part.inner.name}, found "
                        f"{type(nested).__name__}"
                    )
                found |= nothing
                continue
            inner = part.split(nested)
            if nothing is not None:
                part.check(inner)
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
        *map(_one_way, inner.fields),
    ):
        if is_wrong:
            raise TypeError(f"{place}: Field(flatten=True): {inner.name} {reason}")
    return inner


def _one_way(field: model.Field) -> tuple[str, bool]:
    """Return why a field cannot be both read and written, and whether that is so."""
    if field.is_decoded:
        reason = f"has the InitVar {field.attribute}, which cannot be written"
    else:
        reason = f"has {field.attribute} with init=False, which cannot be read"
    return reason, field.is_decoded != field.is_encoded


def _is_written(record: model.Record, field: model.Field) -> bool:
    """Return whether a field is a member of every instance that is written."""
    return (
        field.is_encoded
        and field.unset is None
        and not field.may_be_missing
        and omission.condition(record, field) is None
    )
