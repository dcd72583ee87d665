"""Classes with fields: dataclasses, attrs classes, TypedDict and NamedTuple.

Separate from `introspect`, because each kind of class declares fields differently.
Invariants: fields keep the order of the class; wire names are unique within a record;
`construction` gets exactly the fields that the constructor sets. `introspect` calls
`class_kind` and `fill`, which calls back for the types of the fields.
"""

from __future__ import annotations

import dataclasses
import sys
import typing
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from snooze._typed import constraint_merge, construction, generics, model, notes
from snooze._typed.metadata import Via
from snooze._typed.options import (
    NOT_GIVEN,
    Field,
    Options,
    options_of,
    tag_of,
    wire_name,
)
from snooze._typed.scope import Scope, is_reference, own_annotations

if TYPE_CHECKING:
    from snooze._typed.introspect import Builder

_QUALIFIERS = {"Required", "NotRequired", "ReadOnly", "Final", "ClassVar"}


@dataclasses.dataclass(slots=True)
class _Declaration:
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


def fill(builder: Builder, node: model.Record, own: generics.Bindings) -> None:
    """Fill a record whose class is set; `own` binds the class's type variables."""
    cls = node.cls
    explicit = options_of(cls)
    options = _merged(explicit, builder.defaults)
    declarations = _READERS[node.class_kind](cls)
    bindings = generics.hierarchy_bindings(cls, own, node.name)
    node.is_array = bool(
        options.array_like
        if options.array_like is not NOT_GIVEN
        else node.class_kind == "namedtuple"
    )
    # An array with more items than fields is refused, even with unknown="ignore".
    node.unknown = "forbid" if node.is_array else options.unknown or "ignore"
    node.sort = bool(options.sort)
    node.gc = options.gc is not False
    if node.class_kind == "typeddict" and explicit.gc is False:
        raise TypeError(
            f"{node.name}: gc=False is for instances of a class; a TypedDict is a "
            "dict, whose garbage collection CPython manages"
        )
    node.tag = tag_of(options, cls, node.name)
    node.is_fallback = options.fallback is True
    if node.is_fallback and (node.tag is not None or node.is_array):
        what = "tag" if node.tag is not None else "array_like"
        raise TypeError(
            f"{node.name}: fallback=True is for a class without {what}; say "
            f"{what}=False"
        )
    if node.is_array:
        _check_array(node, explicit)
    node.construction = _construction(node, declarations)
    if isinstance(explicit.rename, Mapping):
        _check_mapping(node, explicit.rename, declarations)
    node.notes = notes.of_class(cls, explicit.meta or None)
    builder.formats = dict(options.formats or {})
    for declaration in declarations:
        _add_field(builder, node, declaration, bindings, options)
    if node.class_kind == "typeddict":
        _read_extra_items(builder, node, bindings)
    builder.formats = {}
    _check_names(node)


def _merged(options: Options, defaults: Options) -> Options:
    return Options(**{**defaults.explicit(), **options.explicit()})


def _check_array(node: model.Record, explicit: Options) -> None:
    """Refuse options that mean nothing without member names."""
    for name in ("omit_none", "omit_defaults", "sort", "unknown"):
        value = getattr(explicit, name)
        if value is True or value == "ignore":
            raise TypeError(
                f"{node.name}: {name}={value!r} has no meaning for an array, whose "
                "items have no names; drop one option, or say array_like=False"
            )


def _check_mapping(
    node: model.Record, rename: Mapping[str, str], declarations: list[_Declaration]
) -> None:
    names = {declaration.attribute for declaration in declarations}
    for name in rename:
        if name not in names:
            raise TypeError(
                f"{node.name}: rename names {name!r}, which is not a field; the fields "
                f"are {', '.join(sorted(names)) or 'none'}"
            )


def _add_field(
    builder: Builder,
    node: model.Record,
    declaration: _Declaration,
    bindings: dict[Any, generics.Bindings],
    options: Options,
) -> None:
    """Build the type of a field, and apply the options of its `Field` and class."""
    place = f"{node.name}.{declaration.attribute}"
    _check_default(declaration, place)
    scope = Scope(declaration.owner)
    bound = bindings.get(declaration.owner, {})
    tp = _evaluated(declaration.tp, scope, place)
    tp, required = _unqualified(tp, scope, place)
    if required is not None:
        declaration.presence = "required" if required else "absent"
    field_options: list[Field] = []
    said = model.Notes(description=declaration.doc)
    if typing.get_origin(tp) is typing.Annotated:
        found = builder.annotated(tp, scope, bound, place)
        inner, field_options = found.node, found.fields
        said = said.updated(found.notes)
    else:
        inner = builder.build(tp, scope, bound, place)
    name: str | None = None
    field = model.Field(
        declaration.attribute,
        declaration.init_name,
        "",
        (),
        inner,
        declaration.presence,
        declaration.default,
        declaration.is_decoded,
        declaration.is_encoded,
        bool(options.omit_none) and _reads_none(declaration),
        bool(options.omit_defaults) and not _is_constant(inner),
        said,
    )
    for one in field_options:
        name = one.name if one.name is not None else name
        field.aliases += tuple(a for a in one.aliases if a not in field.aliases)
        if one.omit_none is not NOT_GIVEN:
            field.omit_none = one.omit_none
        if one.omit_default is not NOT_GIVEN:
            field.omit_default = one.omit_default
        if one.exclude:
            _exclude(field, declaration, place)
        if one.rest:
            _collect_rest(node, field, inner, place)
    if name is None:
        name = declaration.attribute
        if options.rename is not NOT_GIVEN and options.rename is not None:
            name = wire_name(options.rename, name, place)
    field.wire_name = name
    field.aliases = tuple(alias for alias in field.aliases if alias != name)
    node.fields.append(field)


def _is_constant(node: model.Node) -> bool:
    """Return whether the type is a Literal of one value, which tells classes apart."""
    return (
        isinstance(node, model.Choice)
        and node.enum_class is None
        and len(node.pairs) == 1
    )


def _reads_none(declaration: _Declaration) -> bool:
    """Return whether a Decoder makes None of a missing member, or leaves it out.

    Where it would refuse the object or make another value, `null` has to be written.
    """
    match declaration.presence:
        case "required" | "factory":
            return False
        case "default":
            return declaration.default is None
        case _:
            return True


def _check_default(declaration: _Declaration, place: str) -> None:
    """Refuse the description of a field as its default, where it has no effect."""
    default = declaration.default
    if declaration.presence != "default":
        return
    if isinstance(default, (Field, Via)):
        name = type(default).__name__
        raise TypeError(
            f"{place}: {name}(...) is the default of the field and has no effect; "
            f"write {declaration.attribute}: Annotated[T, {name}(...)]"
        )
    if constraint_merge.is_pydantic_field(default):
        raise TypeError(
            f"{place}: pydantic's Field is the default of the field and has no effect "
            "here; use snooze.Field in Annotated"
        )


def _exclude(field: model.Field, declaration: _Declaration, place: str) -> None:
    if declaration.presence == "required":
        raise TypeError(
            f"{place}: Field(exclude=True) needs a default, since documents cannot "
            "have the field"
        )
    field.is_decoded = field.is_encoded = False


def _collect_rest(
    node: model.Record, field: model.Field, inner: model.Node, place: str
) -> None:
    """Let the field collect unknown members."""
    if not isinstance(inner, model.Entries) or inner.convert is not None:
        raise TypeError(f"{place}: Field(rest=True) needs the type dict[str, T]")
    if not isinstance(inner.key, (model.Text, model.Anything)):
        raise TypeError(f"{place}: Field(rest=True) needs str for the keys")
    if node.rest is not None:
        raise TypeError(f"{node.name}: two fields have Field(rest=True); keep one")
    if node.class_kind in {"typeddict", "namedtuple"} or node.is_array:
        raise TypeError(f"{place}: Field(rest=True) is for dataclasses and attrs")
    node.rest = (len(node.fields), inner.value)
    field.is_decoded = field.is_encoded = False
    field.presence, field.default = "factory", dict


def _evaluated(tp: Any, scope: Scope, place: str) -> Any:
    """Evaluate strings and forward references, so that qualifiers can be seen."""
    while True:
        if isinstance(tp, str):
            tp = scope.evaluate(tp, place)
        elif is_reference(tp):
            tp = scope.evaluate_reference(tp, place)
        else:
            return tp


def _unqualified(tp: Any, scope: Scope, place: str) -> tuple[Any, bool | None]:
    """Remove Required, NotRequired, ReadOnly, Final and InitVar.

    Also returns what Required and NotRequired say, or None.
    """
    required: bool | None = None
    while True:
        origin = typing.get_origin(tp)
        name = getattr(origin, "_name", None) or getattr(origin, "__name__", None)
        if isinstance(tp, dataclasses.InitVar):
            tp = tp.type
        elif name in _QUALIFIERS and not isinstance(origin, type):
            if name in {"Required", "NotRequired"}:
                required = name == "Required"
            tp = typing.get_args(tp)[0]
        elif origin is typing.Annotated:
            # Annotated[Required[T], …] is allowed, too.
            inner, found = _unqualified(tp.__origin__, scope, place)
            if inner is not tp.__origin__:
                tp = typing.Annotated[(inner, *tp.__metadata__)]
            return tp, required if found is None else found
        else:
            return _evaluated(tp, scope, place), required


def _annotated(cls: Any) -> dict[str, tuple[Any, Any]]:
    """Return for each attribute the class that annotates it, and the annotation."""
    found: dict[str, tuple[Any, Any]] = {}
    for base in cls.__mro__:
        for name, tp in own_annotations(base, cls.__qualname__).items():
            found.setdefault(name, (base, tp))
    return found


def _dataclass(cls: Any) -> list[_Declaration]:
    declarations = []
    annotated = _annotated(cls)
    for name, field in construction.lookup(cls, "__dataclass_fields__")[1].items():
        pseudo = getattr(field._field_type, "name", "")  # noqa: SLF001
        if pseudo == "_FIELD_CLASSVAR":
            continue
        owner, tp = annotated.get(name, (cls, field.type))
        declaration = _Declaration(name, name, tp, owner, "required", None)
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


def _attrs(cls: Any) -> list[_Declaration]:
    nothing = sys.modules["attr"].NOTHING
    declarations = []
    annotated = _annotated(cls)
    for attribute in construction.lookup(cls, "__attrs_attrs__")[1]:
        name = attribute.name
        known = Any if attribute.type is None else attribute.type
        owner, tp = annotated.get(name, (cls, known))
        alias = getattr(attribute, "alias", None) or name.lstrip("_")
        declaration = _Declaration(name, alias, tp, owner, "required")
        default = attribute.default
        if default is not nothing:
            if hasattr(default, "takes_self"):
                declaration.presence, declaration.default = "factory", default.factory
                if default.takes_self:
                    declaration.default = None  # it needs the instance: left to attrs
            else:
                declaration.presence, declaration.default = "default", default
        if not attribute.init:
            declaration.is_decoded = False
            if default is nothing:
                declaration.presence = "absent"
        declarations.append(declaration)
    return declarations


def _namedtuple(cls: Any) -> list[_Declaration]:
    base = construction.lookup(cls, "_fields")[0]
    defaults = construction.lookup(cls, "_field_defaults")[1] or {}
    found = own_annotations(base, cls.__qualname__)
    if not found:
        # CPython 3.11 to 3.13 have them on __new__ of the generated base.
        found = dict(getattr(base.__new__, "__annotations__", {}))
    return [
        _Declaration(
            name,
            name,
            found.get(name, Any),
            base,
            "default" if name in defaults else "required",
            defaults.get(name),
        )
        for name in base._fields
    ]


def _typeddict(cls: Any) -> list[_Declaration]:
    required: Any = getattr(cls, "__required_keys__", frozenset())
    declarations = []
    for name, tp in own_annotations(cls, cls.__qualname__).items():
        presence = "required" if name in required else "absent"
        declarations.append(
            _Declaration(name, name, tp, _typeddict_owner(cls, name), presence)
        )
    return declarations


def _typeddict_owner(cls: Any, name: str) -> Any:
    """Return the TypedDict that declares a key: its bases are not in the MRO."""
    for base in cls.__dict__.get("__orig_bases__", ()):
        origin = typing.get_origin(base) or base
        if not isinstance(origin, type) or class_kind(origin) != "typeddict":
            continue
        if name in own_annotations(origin, origin.__qualname__):
            return _typeddict_owner(origin, name)
    return cls


def _read_extra_items(
    builder: Builder, node: model.Record, bindings: dict[Any, generics.Bindings]
) -> None:
    """Apply `closed` and `extra_items` of a TypedDict (PEP 728)."""
    cls = node.cls
    if getattr(cls, "__closed__", None) is True:
        node.unknown = "forbid"
        return
    extra = getattr(cls, "__extra_items__", None)
    if extra is None or getattr(extra, "__name__", repr(extra)).endswith(
        "NoExtraItems"
    ):
        return
    place = f"{node.name} (extra items)"
    scope = Scope(cls)
    tp, _ = _unqualified(_evaluated(extra, scope, place), scope, place)
    inner = builder.build(tp, scope, bindings.get(cls, {}), place)
    if isinstance(inner, model.Nothing):
        node.unknown = "forbid"
    else:
        node.rest = (-1, inner)


_READERS = {
    "dataclass": _dataclass,
    "attrs": _attrs,
    "namedtuple": _namedtuple,
    "typeddict": _typeddict,
}


def _construction(
    node: model.Record, declarations: list[_Declaration]
) -> tuple[Any, ...]:
    """Return how a decoder makes instances."""
    cls = node.cls
    names = [one.attribute for one in declarations if one.presence != "absent"]
    if node.class_kind == "typeddict":
        return ("dict",)
    if node.class_kind == "namedtuple":
        return construction.of_namedtuple(cls, construction.lookup(cls, "_fields")[0])
    if node.class_kind == "attrs":
        attributes = construction.lookup(cls, "__attrs_attrs__")[1]
        return construction.of_attrs(cls, attributes, names)
    init_only = any(not one.is_encoded for one in declarations)
    return construction.of_dataclass(cls, names, init_only=init_only)


def _check_names(node: model.Record) -> None:
    """Refuse a wire name of two fields, and a tag that cannot be written."""
    seen: dict[str, str] = {}
    for field in node.fields:
        names = {*field.decoded_names, *([field.wire_name] if field.is_encoded else [])}
        for name in sorted(names):
            if name in seen:
                raise TypeError(
                    f"{node.name}: the fields {seen[name]} and {field.attribute} both "
                    f"have the name {name!r} in JSON; rename one with Field(name=…)"
                )
            seen[name] = field.attribute
    if node.tag is not None:
        if node.is_array:
            raise TypeError(
                f"{node.name}: array_like=True leaves no room for a tag; drop one"
            )
        if node.tag[0] in seen:
            raise TypeError(
                f"{node.name}: the tag {node.tag[0]!r} has the name of the field "
                f"{seen[node.tag[0]]}; choose another with configure(tag_field=…)"
            )
