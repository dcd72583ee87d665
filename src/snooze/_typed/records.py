"""Classes with fields: dataclasses, attrs classes, TypedDict, NamedTuple, Struct.

Separate from `introspect`, which knows types, and from `declarations`, which knows how
classes declare fields: here are the names, defaults and options of fields. Invariants:
wire names are unique within a record; `construction` gets exactly the fields that the
constructor sets. `introspect` calls `fill`, which calls back for the types of fields.
"""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from snooze._typed import (
    construction,
    declarations,
    generics,
    model,
    notes,
    pydantic_metadata,
    unions,
)
from snooze._typed.field import Field
from snooze._typed.metadata import FirstMatch, Format, Meta, Subclasses, Via
from snooze._typed.options import (
    NOT_GIVEN,
    Options,
    options_of,
    tag_of,
    wire_name,
)
from snooze._typed.scope import Itself, Scope, is_reference

if TYPE_CHECKING:
    from snooze._typed.declarations import Declaration
    from snooze._typed.introspect import Builder

#: How many fields a record of a plan can have: it counts them in 16 bits.
MAX_FIELDS = 2**16 - 2
_QUALIFIERS = {"Required", "NotRequired", "ReadOnly", "Final", "ClassVar"}


def fill(builder: Builder, node: model.Record, own: generics.Bindings) -> None:
    """Fill a record whose class is set; `own` binds the class's type variables."""
    cls = node.cls
    explicit = _merged(options_of(cls), declarations.own_options(cls, node.class_kind))
    options = _merged(explicit, builder.defaults)
    fields = declarations.of_class(cls, node.class_kind)
    bindings = generics.hierarchy_bindings(cls, own, node.name)
    node.is_array = bool(
        options.array_like
        if options.array_like is not NOT_GIVEN
        else node.class_kind == "namedtuple"
    )
    node.unknown = options.unknown or "ignore"
    if node.is_array and node.class_kind != "struct":
        # An array with more items than fields is refused, even with unknown="ignore".
        node.unknown = "forbid"
    node.sort_keys = bool(options.sort_keys)
    node.gc = options.gc is not False
    if node.class_kind == "typeddict" and explicit.gc is False:
        raise TypeError(
            f"{node.name}: gc=False is for instances of a class; a TypedDict is a "
            "dict, whose garbage collection CPython manages"
        )
    node.tag = tag_of(options, cls, node.name)
    if options.content is not NOT_GIVEN and options.content is not None:
        node.content = _checked_content(node, options.content)
    node.is_fallback = options.fallback is True
    if node.is_fallback and (node.tag is not None or node.is_array):
        what = "tag" if node.tag is not None else "array_like"
        raise TypeError(
            f"{node.name}: fallback=True is for a class without {what}; say "
            f"{what}=False"
        )
    if node.is_array:
        _check_array(node, explicit)
    node.construction = _construction(node, fields)
    if isinstance(explicit.rename, Mapping):
        _check_mapping(node, explicit.rename, fields)
    node.notes = notes.of_class(cls, explicit.meta or None)
    builder.formats = builder.codec_formats | {
        cls: getattr(chosen, "name", chosen)
        for cls, chosen in (options.formats or {}).items()
    }
    itself = Itself(cls, own)
    for declaration in fields:
        scope = Scope(declaration.owner, itself)
        _add_field(builder, node, declaration, scope, bindings, options)
    if node.class_kind == "typeddict":
        _read_extra_items(builder, node, itself, bindings)
    builder.formats = builder.codec_formats
    if not any(field.flatten for field in node.fields):
        check_names(node)


def _checked_content(node: model.Record, content: str) -> str:
    """Refuse a member for the content that has no tag beside it."""
    if node.tag is None:
        raise TypeError(
            f"{node.name}: content={content!r} needs a tag beside it; give the class "
            "one with configure(tag=True)"
        )
    if content == node.tag[0]:
        raise TypeError(
            f"{node.name}: the tag and the content are both named {content!r}; choose "
            "another name with configure(tag_field=…) or configure(content=…)"
        )
    if node.is_array or node.class_kind == "typeddict":
        kind = "an array" if node.is_array else "a TypedDict"
        raise TypeError(
            f"{node.name}: content={content!r} is for a class that is an object in "
            f"JSON, not {kind}"
        )
    return content


def _merged(options: Options, defaults: Options) -> Options:
    return Options(**{**defaults.explicit(), **options.explicit()})


def _check_array(node: model.Record, explicit: Options) -> None:
    """Refuse options that mean nothing without member names."""
    for name in ("omit_none", "omit_defaults", "sort_keys", "unknown"):
        value = getattr(explicit, name)
        if value is True or value == "ignore":
            raise TypeError(
                f"{node.name}: {name}={value!r} has no meaning for an array, whose "
                "items have no names; drop one option, or say array_like=False"
            )


def _check_mapping(
    node: model.Record, rename: Mapping[str, str], fields: list[Declaration]
) -> None:
    names = {field.attribute for field in fields}
    for name in rename:
        if name not in names:
            raise TypeError(
                f"{node.name}: rename names {name!r}, which is not a field; the fields "
                f"are {', '.join(sorted(names)) or 'none'}"
            )


def _add_field(  # noqa: C901, PLR0912, PLR0913, PLR0917 - one branch for each option
    builder: Builder,
    node: model.Record,
    declaration: Declaration,
    scope: Scope,
    bindings: dict[Any, generics.Bindings],
    options: Options,
) -> None:
    """Build the type of a field, and apply the options of its `Field` and class."""
    place = f"{node.name}.{declaration.attribute}"
    _check_default(declaration, place)
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
    inner, unset = unions.without_missing(inner)
    if unset is not None:
        _check_unset(node, declaration, unset, place)
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
        unset,
        said,
    )
    for one in field_options:
        name = one.name if one.name is not None else name
        _check_aliases(one.aliases, place)
        field.aliases += tuple(a for a in one.aliases if a not in field.aliases)
        if one.omit_none is not NOT_GIVEN:
            field.omit_none = one.omit_none
        if one.omit_default is not NOT_GIVEN:
            field.omit_default = one.omit_default
        if one.exclude:
            _exclude(field, declaration, place)
        field.flatten |= one.flatten
        if one.rest:
            if unset is not None:
                raise TypeError(
                    f"{place}: Field(rest=True) needs the type dict[str, T]"
                )
            _collect_rest(node, field, inner, place)
    if name is None:
        name = declaration.attribute
        if options.rename is not NOT_GIVEN and options.rename is not None:
            name = wire_name(options.rename, name, place)
    field.wire_name = name
    field.aliases = tuple(alias for alias in field.aliases if alias != name)
    if node.is_array and field.is_decoded and not field.is_encoded:
        raise TypeError(
            f"{place}: an InitVar cannot be an item of an array: an Encoder has no "
            "value to write at its place; say array_like=False, or exclude it with "
            "Field(exclude=True)"
        )
    node.fields.append(field)


def _check_aliases(aliases: tuple[str, ...], place: str) -> None:
    """Refuse a name that is given twice: it may be a mistake for another."""
    for position, alias in enumerate(aliases):
        if alias in aliases[:position]:
            raise TypeError(f"{place}: Field(alias=…) has {alias!r} twice; keep one")


def _check_unset(
    node: model.Record, declaration: Declaration, unset: Any, place: str
) -> None:
    """Refuse a field that can be UNSET where a Decoder would make another value."""
    if node.is_array:
        raise TypeError(
            f"{place}: UnsetType is for objects in JSON; an array has no missing items"
        )
    is_default = declaration.presence == "default" and declaration.default is unset
    if not is_default and declaration.presence != "absent":
        raise TypeError(
            f"{place}: UnsetType needs the default UNSET, or NotRequired in a "
            "TypedDict, because a Decoder makes the default of a missing member"
        )


def _is_constant(node: model.Node) -> bool:
    """Return whether the type has one value, which tells classes apart."""
    return isinstance(node, model.Choice) and not node.is_open and len(node.pairs) == 1


def _reads_none(declaration: Declaration) -> bool:
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


def _check_default(declaration: Declaration, place: str) -> None:
    """Refuse the description of a field as its default, where it has no effect."""
    default = declaration.default
    if declaration.presence != "default":
        return
    if isinstance(default, (Field, Via, Format, Meta, FirstMatch, Subclasses)):
        name = type(default).__name__
        raise TypeError(
            f"{place}: {name}(...) is the default of the field and has no effect; "
            f"write {declaration.attribute}: Annotated[T, {name}(...)]"
        )
    if pydantic_metadata.is_field(default):
        raise TypeError(
            f"{place}: pydantic's Field is the default of the field and has no effect "
            "here; write Annotated[T, pydantic.Field(…)] for constraints, snooze.Field "
            "for names and a plain default, or make the class a BaseModel"
        )


def _exclude(field: model.Field, declaration: Declaration, place: str) -> None:
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
    if inner.length:
        raise TypeError(
            f"{place}: Field(rest=True) does not check Len, MinLen and MaxLen of its "
            "dict; check the number of members in __post_init__"
        )
    key = inner.key
    if isinstance(key, model.Text) and (key.length or key.pattern is not None):
        raise TypeError(
            f"{place}: Field(rest=True) does not check constraints of its keys; write "
            "dict[str, T], and check the names in __post_init__"
        )
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


def _read_extra_items(
    builder: Builder,
    node: model.Record,
    itself: Itself,
    bindings: dict[Any, generics.Bindings],
) -> None:
    """Apply `closed` and `extra_items` of a TypedDict (PEP 728)."""
    found = declarations.extra_items(node.cls, node.name)
    if found is None:
        return
    owner, extra = found
    place = f"{node.name} (extra items)"
    scope = Scope(owner, itself)
    tp, _ = _unqualified(_evaluated(extra, scope, place), scope, place)
    inner = builder.build(tp, scope, bindings.get(owner, {}), place)
    if isinstance(inner, model.Nothing):
        node.unknown = "forbid"
    else:
        node.rest = (-1, inner)


def _construction(node: model.Record, fields: list[Declaration]) -> tuple[Any, ...]:
    """Return how a decoder makes instances."""
    cls = node.cls
    names = [one.attribute for one in fields if one.presence != "absent"]
    if node.class_kind == "typeddict":
        return ("dict",)
    if node.class_kind == "namedtuple":
        return construction.of_namedtuple(cls, construction.lookup(cls, "_fields")[0])
    if node.class_kind == "attrs":
        attributes = construction.lookup(cls, "__attrs_attrs__")[1]
        return construction.of_attrs(cls, attributes, names)
    if node.class_kind == "struct":
        return ("call", cls)
    init_only = any(not one.is_encoded for one in fields)
    return construction.of_dataclass(cls, names, init_only=init_only)


def check_names(node: model.Record) -> None:
    """Refuse a wire name of two fields, too many, and a tag that cannot be written."""
    if len(node.fields) > MAX_FIELDS:
        raise TypeError(
            f"{node.name} has {len(node.fields)} fields; a class can have "
            f"{MAX_FIELDS}. Use dict[str, T] for so many members"
        )
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
    is_beside = node.tag is not None and not node.is_array and node.content is None
    if is_beside and node.tag is not None and node.tag[0] in seen:
        raise TypeError(
            f"{node.name}: the tag {node.tag[0]!r} has the name of the field "
            f"{seen[node.tag[0]]}; choose another with configure(tag_field=…)"
        )
