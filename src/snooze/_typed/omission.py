"""When an Encoder leaves a member out, and what a default means for a field.

Separate from `lower_encode`, because the answer needs no rules: only fields, their
types and defaults. Invariant: what is left out is what a Decoder makes of a missing
member, unless the user says otherwise for the field. Called by `lower_encode` and
`flatten`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from snooze._typed import model, unions

if TYPE_CHECKING:
    from collections.abc import Callable


def with_default(field: model.Field) -> model.Node:
    """Return the type of a field, extended by a tuple or list that is its default.

    As in `tags: list[str] = ()`: an array in JSON, which the field reads.
    """
    cls = type(field.default)
    if field.presence != "default" or cls not in {tuple, list}:
        return field.node
    alternatives = unions.flatten(field.node, field.attribute)
    arrays = [one for one in alternatives if isinstance(one, model.Items)]
    if not arrays or any(_takes(one, field.default) for one in alternatives):
        return field.node
    base: Any = cls.__name__
    return model.Union((field.node, model.Items(cls, base, arrays[0].item)))


def _excludes_default(field: model.Field) -> bool:
    """Return whether a field excludes its own default, as `n: int = None` does."""
    alternatives = unions.flatten(with_default(field), field.attribute)
    return field.presence == "default" and not any(
        _takes(one, field.default) for one in alternatives
    )


def _takes(  # noqa: C901, PLR0911, PLR0912 - one case for each class of node
    node: model.Node, default: Any
) -> bool:
    """Return whether a type that is not a union takes a default; True if in doubt."""
    is_plain = type(default) in {type(None), bool, int, float, str}
    match node:
        case model.Scalar(type_name="null"):
            return default is None
        case model.Scalar(type_name="bool"):
            return isinstance(default, bool)
        case model.Number(type_name="int" | "float"):
            classes = int if node.type_name == "int" else (int, float)
            return isinstance(default, classes) and not isinstance(default, bool)
        case model.Text():
            return isinstance(default, str)
        case model.Choice(enum_class=None):
            return any(value == default for _, value in node.pairs)
        case model.Choice(enum_class=type() as cls):
            return isinstance(default, cls)
        case model.Items():
            return isinstance(default, node.cls)
        case model.Fixed():
            return isinstance(default, tuple)
        case model.Scalar() | model.Number() | model.Binary() | model.Array():
            return not is_plain
        case model.Entries():
            return isinstance(default, Mapping)
        case model.Record():
            return not is_plain
        case model.Raw():
            return isinstance(default, node.cls)
        case model.Custom(type=type() as cls) if node.make_base is not None:
            # An Encoder writes instances of the built-in class, too.
            built_in = (one for one in cls.__mro__ if one.__module__ == "builtins")
            return isinstance(default, next(built_in, cls))
        case model.Via():
            return isinstance(default, node.classes or node.cls)
        case model.Checked():
            return _takes(node.target, default)
        case model.Ordered():
            return any(_takes(part, default) for part in unions.ordered_parts(node))
        case _:
            return True


def condition(record: model.Record, field: model.Field) -> Any:
    """Return when a member is left out, or None for never."""
    if record.is_array:
        return None
    if record.class_kind == "typeddict" and field.presence != "required":
        return ("absent", True) if field.omit_none else ("absent",)
    if field.unset is not None and field.default is field.unset:
        return ("none",) if field.omit_none else None
    # Decoding restores a default that the type excludes, but only for a missing member.
    if field.presence == "default" and (field.omit_default or _excludes_default(field)):
        return _omit_if_equal(field, field.default)
    if field.omit_default and field.presence == "factory":
        empty = _constant(field.default)
        if empty is not None:
            return _omit_if_equal(field, empty)
    return ("none",) if field.omit_none else None


def or_none(condition: Any) -> Any:
    """Return the condition of a member that is also left out if it is None."""
    match condition:
        case None:
            return ("none",)
        case ("absent", *_):
            return ("absent", True)
        case ("equal", default, *_) if default is not None:
            return ("equal", default, True)
        case _:
            return condition


def _omit_if_equal(field: model.Field, default: Any) -> Any:
    """Return the condition "equals the default", and "or is None" if so configured."""
    if field.omit_none and default is not None:
        return ("equal", default, True)
    return ("equal", default)


def is_own_default(field: model.Field, value: Any) -> bool:
    """Return whether a value is certainly the default of a field."""
    if field.presence == "factory":
        empty = _constant(field.default)
        return empty is not None and type(value) is type(empty) and not value
    if field.presence != "default":
        return False
    is_plain = type(value) in {bool, int, float, str}
    return value is field.default or (
        is_plain and type(value) is type(field.default) and bool(value == field.default)
    )


def _constant(factory: Callable[[], Any]) -> Any:
    """Return the result of a factory that always returns an equal one, or None."""
    if factory in {list, dict, set, frozenset, tuple, str, bytes, int, float}:
        return factory()
    return None
