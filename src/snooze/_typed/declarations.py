"""The fields of classes as these declare them, before their types are read.

Separate from `records`, because each kind of class declares fields in another way.
Invariants: fields keep the order of the class; the class whose body has an annotation
is kept with it, because names in it are looked up there. Called by `records` and
`introspect`.
"""

from __future__ import annotations

import dataclasses
import sys
import typing
from typing import Any

from snooze._typed import construction, model, msgspec_types
from snooze._typed.options import Options
from snooze._typed.scope import own_annotations


@dataclasses.dataclass(slots=True)
class Declaration:
    """A field as the class declares it, before its type is read."""

    attribute: str
    init_name: str
    tp: Any
    #: The class that annotates it: the scope of names in the annotation.
    owner: Any
    presence: Any
    default: Any = None
    is_decoded: bool = True
    is_encoded: bool = True
    doc: str | None = None


def class_kind(cls: Any) -> model.ClassKind | None:
    """Return which kind of record a class is, or None."""
    fields = construction.lookup(cls, "__dataclass_fields__")[1]
    if isinstance(fields, dict) and all(
        isinstance(field, dataclasses.Field) for field in fields.values()
    ):
        return "dataclass"
    attributes = construction.lookup(cls, "__attrs_attrs__")[1]
    if isinstance(attributes, tuple) and all(
        type(attribute).__name__ == "Attribute" for attribute in attributes
    ):
        return "attrs"
    if type(cls).__name__ == "_TypedDictMeta" and "__total__" in cls.__dict__:
        return "typeddict"
    if msgspec_types.is_struct(cls):
        return "struct"
    names = construction.lookup(cls, "_fields")[1]
    if (
        tuple in cls.__mro__
        and isinstance(names, tuple)
        and all(isinstance(name, str) for name in names)
    ):
        # `_field_defaults` tells a named tuple from other tuples with `_fields`.
        defaults = construction.lookup(cls, "_field_defaults")[1]
        return "namedtuple" if isinstance(defaults, dict) else None
    return None


def _annotated(cls: Any) -> dict[str, tuple[Any, Any]]:
    """Return for each attribute the class that annotates it, and the annotation."""
    found: dict[str, tuple[Any, Any]] = {}
    for base in cls.__mro__:
        for name, tp in own_annotations(base, cls.__qualname__).items():
            found.setdefault(name, (base, tp))
    return found


def _dataclass(cls: Any) -> list[Declaration]:
    declarations = []
    annotated = _annotated(cls)
    for name, field in construction.lookup(cls, "__dataclass_fields__")[1].items():
        pseudo = getattr(field._field_type, "name", "")  # noqa: SLF001
        if pseudo == "_FIELD_CLASSVAR":
            continue
        owner, tp = annotated.get(name, (cls, field.type))
        declaration = Declaration(name, name, tp, owner, "required", None)
        if field.default is not dataclasses.MISSING:
            declaration.presence, declaration.default = "default", field.default
        elif field.default_factory is not dataclasses.MISSING:
            declaration.presence, declaration.default = "factory", field.default_factory
        declaration.doc = getattr(field, "doc", None)  # CPython 3.14
        if pseudo == "_FIELD_INITVAR":
            declaration.is_encoded = False
        if not field.init:
            declaration.is_decoded = False
            stored = declaration.presence == "factory" or (
                declaration.presence == "default" and construction.is_slotted(cls)
            )
            if not stored:
                declaration.presence = "absent"
        declarations.append(declaration)
    return declarations


def _attrs(cls: Any) -> list[Declaration]:
    nothing = sys.modules["attr"].NOTHING
    declarations = []
    annotated = _annotated(cls)
    for attribute in construction.lookup(cls, "__attrs_attrs__")[1]:
        name = attribute.name
        known = Any if attribute.type is None else attribute.type
        owner, tp = annotated.get(name, (cls, known))
        alias = getattr(attribute, "alias", None) or name.lstrip("_")
        declaration = Declaration(name, alias, tp, owner, "required")
        default = attribute.default
        if default is not nothing:
            if hasattr(default, "takes_self"):
                declaration.presence, declaration.default = "factory", default.factory
                if default.takes_self:
                    declaration.default = None  # it needs the instance: left to attrs
            elif attribute.converter is not None:
                # Converted for each instance: left to attrs.
                declaration.presence, declaration.default = "factory", None
            else:
                declaration.presence, declaration.default = "default", default
        if not attribute.init:
            declaration.is_decoded = False
            if default is nothing:
                declaration.presence = "absent"
        declarations.append(declaration)
    return declarations


def _namedtuple(cls: Any) -> list[Declaration]:
    base = construction.lookup(cls, "_fields")[0]
    defaults = construction.lookup(cls, "_field_defaults")[1] or {}
    found = own_annotations(base, cls.__qualname__)
    if not found:
        # CPython 3.11 to 3.13 have them on __new__ of the generated base.
        found = dict(getattr(base.__new__, "__annotations__", {}))
    return [
        Declaration(
            name,
            name,
            found.get(name, Any),
            base,
            "default" if name in defaults else "required",
            defaults.get(name),
        )
        for name in base._fields
    ]


def _typeddict(cls: Any) -> list[Declaration]:
    required: Any = getattr(cls, "__required_keys__", frozenset())
    declarations = []
    for name, tp in own_annotations(cls, cls.__qualname__).items():
        presence = "required" if name in required else "absent"
        declarations.append(
            Declaration(name, name, tp, _typeddict_owner(cls, name), presence)
        )
    return declarations


def _typeddict_bases(cls: Any) -> list[Any]:
    """Return the TypedDicts that one inherits from, which are not in its MRO."""
    bases = cls.__dict__.get("__orig_bases__", ())
    origins = [typing.get_origin(base) or base for base in bases]
    return [
        one
        for one in origins
        if isinstance(one, type) and class_kind(one) == "typeddict"
    ]


def extra_items(cls: Any, name: str) -> tuple[Any, Any] | None:
    """Return the type of further keys (PEP 728), and the TypedDict that declares it.

    `Never` for one that is closed, None for one that is open. The classes know only
    what they say themselves, and not what they inherit.
    """
    if getattr(cls, "__closed__", None) is True:
        return cls, typing.Never
    own = getattr(cls, "__extra_items__", None)
    shown = getattr(own, "__name__", repr(own))
    if own is not None and not shown.endswith("NoExtraItems"):
        return cls, own
    found: dict[Any, tuple[Any, Any]] = {}
    for base in _typeddict_bases(cls):
        inherited = extra_items(base, name)
        if inherited is not None:
            found[base] = inherited
    kinds = [_comparable(extra) for _, extra in found.values()]
    if any(kind != kinds[0] for kind in kinds):
        texts = " and ".join(base.__name__ for base in found)
        raise TypeError(
            f"{name}: its bases {texts} differ in closed and extra_items; say in the "
            "class itself what holds"
        )
    return next(iter(found.values()), None)


def _comparable(tp: Any) -> Any:
    """Return what is equal for the `Never` of typing and of typing_extensions."""
    return "Never" if getattr(tp, "__name__", None) == "Never" else tp


def _typeddict_owner(cls: Any, name: str) -> Any:
    """Return the TypedDict that declares a key."""
    for origin in _typeddict_bases(cls):
        if name in own_annotations(origin, origin.__qualname__):
            return _typeddict_owner(origin, name)
    return cls


def _struct(cls: Any) -> list[Declaration]:
    annotated = _annotated(cls)
    defaults = msgspec_types.struct_defaults(cls)
    declarations = []
    for name in cls.__struct_fields__:
        owner, tp = annotated.get(name, (cls, Any))
        presence, default = defaults.get(name, ("required", None))
        declarations.append(Declaration(name, name, tp, owner, presence, default))
    return declarations


def own_options(cls: Any, class_kind: model.ClassKind) -> Options:
    """Return the options that a class has without `configure`: those of a Struct."""
    return msgspec_types.struct_options(cls) if class_kind == "struct" else Options()


_READERS = {
    "dataclass": _dataclass,
    "attrs": _attrs,
    "namedtuple": _namedtuple,
    "typeddict": _typeddict,
    "struct": _struct,
}


def of_class(cls: Any, class_kind: model.ClassKind) -> list[Declaration]:
    """Return the fields of a class, in its order."""
    return _READERS[class_kind](cls)
