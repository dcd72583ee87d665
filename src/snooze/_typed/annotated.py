"""`Annotated`: what its metadata says of a type.

Separate from `introspect`, which knows the forms of types: here is the order in which
metadata applies. A `Via` replaces the type; then come `Format`, `FirstMatch` and the
constraints. Invariant: what would have no effect is refused, except for metadata of
other packages that is not known. Called by `introspect`.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from snooze._typed import constraint_merge, generics, model, notes
from snooze._typed.expected import node_name
from snooze._typed.field import Field
from snooze._typed.metadata import FirstMatch, Format, Meta, Subclasses, Via

if TYPE_CHECKING:
    from snooze._typed.introspect import Builder
    from snooze._typed.scope import Scope

#: What stands in `Annotated` as an instance, not as a class.
_MARKERS = (FirstMatch, Format, Meta, Subclasses, Via, Field)


@dataclasses.dataclass(slots=True)
class Annotation:
    """What an `Annotated` says."""

    node: model.Node
    fields: list[Field]
    notes: model.Notes


def read(  # noqa: C901, PLR0912 - one branch for each kind of metadata
    builder: Builder, tp: Any, scope: Scope, bindings: generics.Bindings, place: str
) -> Annotation:
    """Return what an `Annotated` says, and the node of its type."""
    fields: list[Field] = []
    said = model.Notes()
    constraints = constraint_merge.Constraints()
    chosen: Format | None = None
    via = None
    is_ordered = has_subclasses = False
    for metadata in tp.__metadata__:
        said = said.updated(notes.read(metadata, place) or said)
        for part in constraint_merge.flatten(metadata, place):
            if isinstance(part, Via):
                if via is not None:
                    raise TypeError(f"{place}: two Via in one Annotated; keep one")
                via = part
            elif isinstance(part, Field):
                fields.append(part)
            elif isinstance(part, FirstMatch):
                is_ordered = True
            elif isinstance(part, Subclasses):
                has_subclasses = True
            elif isinstance(part, Format):
                if chosen is not None:
                    raise TypeError(f"{place}: two Format in one Annotated; keep one")
                chosen = part
            elif isinstance(part, type) and part in _MARKERS:
                raise TypeError(f"{place}: write {part.__name__}(…), with parentheses")
            elif not isinstance(part, Meta):
                constraints.add(part, place)
    if via is not None:
        node = _via(builder, via, tp.__origin__, scope, bindings, place)
    else:
        node = builder.build(tp.__origin__, scope, bindings, place)

    def applied(node: model.Node) -> model.Node:
        if has_subclasses:
            node = _subclasses(builder, node, scope, place)
        if chosen is not None:
            node = builder.forms.chosen(chosen, node, place)
        if is_ordered:
            node = _ordered(node, place)
        if constraints:
            node = constraint_merge.apply(constraints, node, place)
        return node

    has_effect = has_subclasses or chosen is not None or is_ordered or constraints
    if has_effect and (alias := _unfinished(node)) is not None:
        later, inner = model.Alias(alias.name), node
        node = later

        def finish() -> None:
            later.target = applied(inner)

        builder.deferred.append(finish)
    else:
        node = applied(node)
    return Annotation(node, fields, said)


def _unfinished(
    node: model.Node | None, outer: tuple[model.Node, ...] = ()
) -> model.Alias | None:
    """Return an alias that is being built and is the type or an alternative of it.

    `outer` are the aliases around it.
    """
    match node:
        case model.Alias(target=None):
            return node
        case model.Union():
            for one in node.alternatives:
                if (found := _unfinished(one, outer)) is not None:
                    return found
        case model.Alias() if node not in outer:
            return _unfinished(node.target, (*outer, node))
        case model.Noted() | model.Checked():
            return _unfinished(node.target, outer)
    return None


def _via(  # noqa: PLR0913, PLR0917 - as read, with the Via
    builder: Builder,
    via: Via,
    tp: Any,
    scope: Scope,
    bindings: generics.Bindings,
    place: str,
) -> model.Node:
    classes = generics.instance_classes(tp)
    unset = [cls for cls in classes if isinstance(builder.missing(cls), model.Missing)]
    classes = tuple(cls for cls in classes if cls not in unset)
    cls = classes[0] if len(classes) == 1 else object
    node = model.Via(cls, generics.type_name(tp), None, via.decode, via.encode)
    node.classes = classes
    node.wire = builder.build(via.wire_type, scope, bindings, f"{place} (wire type)")
    # The functions are not called with UNSET, which has no JSON form.
    missing = [one for cls in unset if (one := builder.missing(cls)) is not None]
    return model.Union((node, *missing)) if missing else node


def _subclasses(
    builder: Builder, node: model.Node, scope: Scope, place: str
) -> model.Node:
    """Return the union of a class and its subclasses, without abstract classes."""
    kinds = {"dataclass", "attrs", "struct"}
    if not isinstance(node, model.Record) or node.class_kind not in kinds:
        raise TypeError(
            f"{place}: Subclasses is for one dataclass, attrs class or msgspec Struct, "
            f"not {node_name(node)}"
        )
    classes = [node.cls]
    for cls in classes:  # grows
        classes += [one for one in type.__subclasses__(cls) if one not in classes]
    for cls in classes:
        if generics.parameters(cls):
            raise TypeError(
                f"{place}: Subclasses is not for generic classes such as "
                f"{generics.type_name(cls)}; write a union of those that you mean"
            )
    concrete = [
        cls
        for cls in classes
        if not getattr(cls, "__abstractmethods__", None)
        and not any(_is_replaced(cls, other) for other in classes)
    ]
    if not concrete:
        raise TypeError(
            f"{place}: {node.name} and its subclasses are abstract; import the modules "
            "of those that are not before the codec is made"
        )
    return model.Union(tuple(builder.build(cls, scope, {}, place) for cls in concrete))


def _is_replaced(cls: Any, other: Any) -> bool:
    """Return whether a decorator made the other class of this one, to add slots."""
    return (
        (cls.__module__, cls.__qualname__) == (other.__module__, other.__qualname__)
        and cls.__bases__ == other.__bases__
        and "__slots__" in other.__dict__
        and "__slots__" not in cls.__dict__
    )


def _ordered(node: model.Node, place: str) -> model.Node:
    """Return the node of a union with FirstMatch."""
    seen: list[model.Node] = []
    while isinstance(node, (model.Alias, model.Noted)) and node.target is not None:
        if node in seen:
            break  # an alias that is only itself
        seen.append(node)
        node = node.target
    if not isinstance(node, model.Union):
        raise TypeError(f"{place}: FirstMatch is for unions, such as date | str")
    return model.Ordered(node.alternatives)
