"""Adjacent tags: `{"type": "Cat", "data": {…}}`, the class beside its members.

Separate, because here one class is two objects in JSON: an outer one with the tag and
the content, and an inner one with the fields. Invariant: the outer one has no member
but these two. Called by `lower_decode`, `lower_encode` and `schema`.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from snooze._typed import model

if TYPE_CHECKING:
    from collections.abc import Callable


def inner(record: model.Record) -> model.Record:
    """Return the record of the fields alone."""
    return dataclasses.replace(record, tag=None, content=None)


def is_optional(record: model.Record) -> bool:
    """Return whether the content may be missing: the class needs no member."""
    return all(field.presence != "required" for field in record.fields)


def decoded_field(record: model.Record, node: int) -> tuple[Any, ...]:
    """Return the only field of the outer object, in a plan."""
    name = record.content
    if is_optional(record):
        return (name, (name,), node, "factory", record.cls)
    return (name, (name,), node, "required", None)


def itself(value: Any) -> Any:
    """Return the instance that was read as the content."""
    return value


def outer(record: model.Record, content: model.Record, *, is_sorted: bool) -> Any:
    """Return the record that an Encoder writes for the pair that `pair` returns."""
    assert record.tag is not None  # noqa: S101 - `records` refuses it
    name, value = record.tag
    wire = model.Text() if isinstance(value, str) else model.Number("int")
    tag = model.Via(object, "the tag", wire, None, lambda _: value)
    fields = [_field(name, tag), _field(str(record.content), content)]
    if is_sorted:
        fields.sort(key=lambda field: field.wire_name)
    return model.Record(tuple, "namedtuple", record.name, fields)


def _field(name: str, node: model.Node) -> model.Field:
    return model.Field(name, name, name, (), node, "required")


def pair(cls: type) -> Callable[[Any], tuple[Any, Any]]:
    """Return a function that makes what `outer` writes: the instance for each field."""

    def instances(value: Any) -> tuple[Any, Any]:
        if type(value) is not cls:
            raise TypeError(
                f"expected {cls.__name__}, found {type(value).__name__}, a subclass "
                "whose tag is its own"
            )
        return value, value

    return instances
