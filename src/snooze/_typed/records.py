"""Classes with fields: dataclasses, attrs classes, TypedDict and NamedTuple.

Separate from `introspect`, because what a field means differs with each kind of class.
Invariants: the order of fields is that of the class; names in JSON are unique within a
record; what `construction` is told matches what the constructor would do. `fill` is
called by `introspect`, which it calls back for the types of the fields.
"""

from __future__ import annotations

import dataclasses
import sys
import typing
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from snooze._typed import construction, generics, model
from snooze._typed.options import UNSET, Field, Options, options_of, renamed, tag_of
from snooze._typed.scope import Scope, is_reference, own_annotations

if TYPE_CHECKING:
    from snooze._typed.introspect import Builder

_QUALIFIERS = {"Required", "NotRequired", "ReadOnly", "Final", "ClassVar"}


@dataclasses.dataclass(slots=True)
class _Raw:
    """A field before its type is looked at."""

    attribute: str
    init: str
    tp: Any
    owner: Any
    presence: Any
    default: Any = None
    reads: bool = True
    writes: bool = True


def kind_of(cls: Any) -> model.Kind | None:
    """Tell which kind of record a class is, if any."""
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
        # Every named tuple has these, and nothing else does.
        defaults = construction.lookup(cls, "_field_defaults")[1]
        return "namedtuple" if isinstance(defaults, dict) else None
    return None


def fill(builder: Builder, node: model.Record, own: generics.Bindings) -> None:
    """Fill in a record whose class is set."""
    cls = node.cls
    said = options_of(cls)
    options = _merged(said, builder.defaults)
    raws = _READERS[node.kind](cls)
    known = generics.bindings(cls, own, node.name)
    node.array = bool(
        options.array_like
        if options.array_like is not UNSET
        else node.kind == "namedtuple"
    )
    # An array with more items than fields is refused, whatever a codec says.
    node.unknown = "forbid" if node.array else options.unknown or "ignore"
    node.sort = bool(options.sort)
    node.gc = options.gc is not False
    if node.kind == "typeddict" and said.gc is False:
        raise TypeError(
            f"{node.name}: gc=False is for instances of a class; a TypedDict is a "
            "dict, which looks after itself"
        )
    node.tag = tag_of(options, cls, node.name)
    if node.array:
        _check_array(node, said)
    node.make = _make(node, raws)
    if isinstance(said.rename, Mapping):
        _check_mapping(node, said.rename, raws)
    for raw in raws:
        _add_field(builder, node, raw, known, options)
    if node.kind == "typeddict":
        _extra_items(builder, node, known)
    _check(node)


def _merged(options: Options, defaults: Options) -> Options:
    return Options(**{**defaults.given(), **options.given()})


def _check_array(node: model.Record, said: Options) -> None:
    """Refuse what means nothing where members have no names."""
    for name in ("omit_none", "omit_defaults", "sort", "unknown"):
        value = getattr(said, name)
        if value is True or value == "ignore":
            raise TypeError(
                f"{node.name}: {name}={value!r} has no meaning for an array, whose "
                "items are told by their places; give up one, or say array_like=False"
            )


def _check_mapping(
    node: model.Record, rename: Mapping[str, str], raws: list[_Raw]
) -> None:
    names = {raw.attribute for raw in raws}
    for name in rename:
        if name not in names:
            raise TypeError(
                f"{node.name}: rename names {name!r}, which is no field; the fields "
                f"are {', '.join(sorted(names)) or 'none'}"
            )


def _add_field(
    builder: Builder,
    node: model.Record,
    raw: _Raw,
    known: dict[Any, generics.Bindings],
    options: Options,
) -> None:
    """Build the type of a field, and apply what its `Annotated` and class say."""
    place = f"{node.name}.{raw.attribute}"
    scope = Scope(raw.owner)
    bound = known.get(raw.owner, {})
    tp = _evaluated(raw.tp, scope, place)
    tp, required = _unqualified(tp, scope, place)
    if required is not None:
        raw.presence = "required" if required else "absent"
    said: list[Field] = []
    if typing.get_origin(tp) is typing.Annotated:
        inner, said = builder.annotated(tp, scope, bound, place)
    else:
        inner = builder.build(tp, scope, bound, place)
    name: str | None = None
    field = model.Field(
        raw.attribute,
        raw.init,
        "",
        (),
        inner,
        raw.presence,
        raw.default,
        raw.reads,
        raw.writes,
        bool(options.omit_none),
        bool(options.omit_defaults),
    )
    for one in said:
        name = one.name if one.name is not None else name
        field.aliases += tuple(a for a in one.aliases if a not in field.aliases)
        if one.omit_none is not UNSET:
            field.omit_none = one.omit_none
        if one.omit_default is not UNSET:
            field.omit_default = one.omit_default
        if one.exclude:
            _exclude(field, raw, place)
        if one.rest:
            _rest(node, field, inner, place)
    if name is None:
        name = raw.attribute
        if options.rename is not UNSET and options.rename is not None:
            name = renamed(options.rename, name, place)
    field.name = name
    field.aliases = tuple(alias for alias in field.aliases if alias != name)
    node.fields.append(field)


def _exclude(field: model.Field, raw: _Raw, place: str) -> None:
    if raw.presence == "required":
        raise TypeError(
            f"{place}: Field(exclude=True) needs a default, since documents cannot "
            "have the field"
        )
    field.reads = field.writes = False


def _rest(
    node: model.Record, field: model.Field, inner: model.Node, place: str
) -> None:
    if not isinstance(inner, model.Entries) or inner.make is not None:
        raise TypeError(f"{place}: Field(rest=True) needs the type dict[str, T]")
    if not isinstance(inner.key, (model.Text, model.Anything)):
        raise TypeError(f"{place}: Field(rest=True) needs str for the keys")
    if node.rest is not None:
        raise TypeError(f"{node.name}: two fields have Field(rest=True); keep one")
    if node.kind in {"typeddict", "namedtuple"} or node.array:
        raise TypeError(f"{place}: Field(rest=True) is for dataclasses and attrs")
    node.rest = (len(node.fields), inner.value)
    field.reads = field.writes = False
    field.presence, field.default = "factory", dict


def _evaluated(tp: Any, scope: Scope, place: str) -> Any:
    """Evaluate strings and forward references, so that qualifiers can be seen."""
    while isinstance(tp, str) or is_reference(tp):
        tp = (
            scope.text(tp, place) if isinstance(tp, str) else scope.reference(tp, place)
        )
    return tp


def _unqualified(tp: Any, scope: Scope, place: str) -> tuple[Any, bool | None]:
    """Take off Required, NotRequired, ReadOnly, Final and InitVar."""
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
            # Annotated[Required[T], …] is allowed too.
            inner, found = _unqualified(tp.__origin__, scope, place)
            if inner is not tp.__origin__:
                tp = typing.Annotated[(inner, *tp.__metadata__)]
            return tp, required if found is None else found
        else:
            return _evaluated(tp, scope, place), required


def _annotated(cls: Any) -> dict[str, tuple[Any, Any]]:
    """Return for each name the class that annotates it, and the annotation."""
    found: dict[str, tuple[Any, Any]] = {}
    for base in cls.__mro__:
        for name, tp in own_annotations(base, cls.__qualname__).items():
            found.setdefault(name, (base, tp))
    return found


def _dataclass(cls: Any) -> list[_Raw]:
    raws = []
    annotated = _annotated(cls)
    for name, field in construction.lookup(cls, "__dataclass_fields__")[1].items():
        pseudo = getattr(field._field_type, "name", "")  # noqa: SLF001
        if pseudo == "_FIELD_CLASSVAR":
            continue
        owner, tp = annotated.get(name, (cls, field.type))
        raw = _Raw(name, name, tp, owner, "required", None)
        if field.default is not dataclasses.MISSING:
            raw.presence, raw.default = "default", field.default
        elif field.default_factory is not dataclasses.MISSING:
            raw.presence, raw.default = "factory", field.default_factory
        if pseudo == "_FIELD_INITVAR":
            raw.writes = False
        if not field.init:
            raw.reads = False
            stored = raw.presence == "factory" or (
                raw.presence == "default" and construction.is_slotted(cls)
            )
            if not stored:
                raw.presence = "absent"
        raws.append(raw)
    return raws


def _attrs(cls: Any) -> list[_Raw]:
    nothing = sys.modules["attr"].NOTHING
    raws = []
    annotated = _annotated(cls)
    for attribute in construction.lookup(cls, "__attrs_attrs__")[1]:
        name = attribute.name
        known = Any if attribute.type is None else attribute.type
        owner, tp = annotated.get(name, (cls, known))
        alias = getattr(attribute, "alias", None) or name.lstrip("_")
        raw = _Raw(name, alias, tp, owner, "required")
        default = attribute.default
        if default is not nothing:
            if hasattr(default, "takes_self"):
                raw.presence, raw.default = "factory", default.factory
                if default.takes_self:
                    raw.default = None  # only the constructor can call it
            else:
                raw.presence, raw.default = "default", default
        if not attribute.init:
            raw.reads = False
            if default is nothing:
                raw.presence = "absent"
        raws.append(raw)
    return raws


def _namedtuple(cls: Any) -> list[_Raw]:
    base = construction.lookup(cls, "_fields")[0]
    defaults = construction.lookup(cls, "_field_defaults")[1] or {}
    found = own_annotations(base, cls.__qualname__)
    if not found:
        # 3.11 to 3.13 keep them on __new__ of the generated base.
        found = dict(getattr(base.__new__, "__annotations__", {}))
    return [
        _Raw(
            name,
            name,
            found.get(name, Any),
            base,
            "default" if name in defaults else "required",
            defaults.get(name),
        )
        for name in base._fields
    ]


def _typeddict(cls: Any) -> list[_Raw]:
    required: Any = getattr(cls, "__required_keys__", frozenset())
    raws = []
    for name, tp in own_annotations(cls, cls.__qualname__).items():
        presence = "required" if name in required else "absent"
        raws.append(_Raw(name, name, tp, _typeddict_owner(cls, name), presence))
    return raws


def _typeddict_owner(cls: Any, name: str) -> Any:
    """Return the TypedDict that first has a key: bases are not in the MRO."""
    for base in cls.__dict__.get("__orig_bases__", ()):
        origin = typing.get_origin(base) or base
        if not isinstance(origin, type) or kind_of(origin) != "typeddict":
            continue
        if name in own_annotations(origin, origin.__qualname__):
            return _typeddict_owner(origin, name)
    return cls


def _extra_items(
    builder: Builder, node: model.Record, known: dict[Any, generics.Bindings]
) -> None:
    """Read `closed` and `extra_items` of PEP 728."""
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
    inner = builder.build(tp, scope, known.get(cls, {}), place)
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


def _make(node: model.Record, raws: list[_Raw]) -> tuple[Any, ...]:
    """Return how instances are made."""
    cls = node.cls
    set_by_init = [raw.attribute for raw in raws if raw.presence != "absent"]
    if node.kind == "typeddict":
        return ("dict",)
    if node.kind == "namedtuple":
        return construction.of_namedtuple(cls, construction.lookup(cls, "_fields")[0])
    if node.kind == "attrs":
        attributes = construction.lookup(cls, "__attrs_attrs__")[1]
        return construction.of_attrs(cls, attributes, set_by_init)
    init_only = any(not raw.writes for raw in raws)
    return construction.of_dataclass(cls, set_by_init, init_only=init_only)


def _check(node: model.Record) -> None:
    """Refuse names that mean two fields, and layouts that exclude each other."""
    seen: dict[str, str] = {}
    for field in node.fields:
        names = set(field.names) | ({field.name} if field.writes else set())
        for name in sorted(names):
            if name in seen:
                raise TypeError(
                    f"{node.name}: the fields {seen[name]} and {field.attribute} both "
                    f"have the name {name!r} in JSON; rename one with Field(name=…)"
                )
            seen[name] = field.attribute
    if node.tag is not None:
        if node.array:
            raise TypeError(
                f"{node.name}: array_like=True leaves no place for a tag; give up one"
            )
        if node.tag[0] in seen:
            raise TypeError(
                f"{node.name}: the tag {node.tag[0]!r} has the name of the field "
                f"{seen[node.tag[0]]}; choose another with configure(tag_field=…)"
            )
