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
        # Not the class, which needs an instance for each `Field(flatten=True)`.
        return (name, (name,), node, "factory", record.construction[1])
    return (name, (name,), node, "required", None)


def itself(value: Any) -> Any:
    """Return the instance that was read as the content."""
    return value


class Outer:
    """What an Encoder writes in place of an instance: the instance, twice."""

    __slots__ = ("content", "tag")

    def __init__(self, value: Any) -> None:
        self.tag = self.content = value


def outer(record: model.Record, content: model.Record, *, is_sorted: bool) -> Any:
    """Return the record of the `Outer` that `outer_of` makes."""
    assert record.tag is not None  # noqa: S101 - `records` refuses it
    name, value = record.tag
    wire = model.Text() if isinstance(value, str) else model.Number("int")
    tag = model.Via(object, "the tag", wire, None, lambda _: value)
    fields = [
        model.Field("tag", "tag", name, (), tag, "required"),
        model.Field("content", "content", str(record.content), (), content, "required"),
    ]
    if is_sorted:
        fields.sort(key=lambda field: field.wire_name)
    return model.Record(Outer, "dataclass", record.name, fields)


def outer_of(cls: type) -> Callable[[Any], Outer]:
    """Return a function that makes what is written of an instance of a class."""

    def made(value: Any) -> Outer:
        if type(value) is not cls:
            raise TypeError(
                f"expected {cls.__name__}, found {type(value).__name__}, a subclass, "
                "which has a form of its own"
            )
        return Outer(value)

    return made
