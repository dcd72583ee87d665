"""Python types to the model.

One class, `Builder`, that follows a type wherever it leads. Separate parts know records
(`records`), enums (`choices`), constraints, names (`scope`) and type variables
(`generics`). Invariants: a class is built once for each set of type arguments, so that
recursion ends; a type that is not understood is a TypeError that says where it stands
and what to do; no class of another package is imported. Called by `codecs` and
`schema`.
"""

from __future__ import annotations

import collections
import dataclasses
import enum
import sys
import types
import typing
from typing import Any

from snooze._typed import (
    builtin_types,
    choices,
    constraint_merge,
    generics,
    model,
    records,
)
from snooze._typed.construction import lookup
from snooze._typed.options import Field, Options, Via
from snooze._typed.raw import Raw
from snooze._typed.scope import Scope, is_reference, unresolved

#: Types within types, as in `list[list[…]]`.
DEEPEST = 100
#: Different arguments of one generic class in one plan.
MOST_VARIANTS = 100
#: The place of the type itself, in messages.
ROOT = "the type"

_WRAPPERS = {
    name
    for name in ("Final", "Required", "NotRequired", "ReadOnly")
    if hasattr(typing, name)
} | {"Final", "Required", "NotRequired", "ReadOnly"}


def build(tp: Any, defaults: Options | None = None) -> model.Node:
    """Return the model of a type; `defaults` are for classes that do not say."""
    builder = Builder(defaults or Options())
    root = builder.build(tp, Scope(), {}, ROOT)
    while builder.pending:
        records.fill(builder, *builder.pending.pop())
    return root


def is_class(tp: Any) -> bool:
    """Tell a class, whatever an object says of itself."""
    return issubclass(type(tp), type)


def shown(tp: Any) -> str:
    """Return a type as messages name it."""
    if is_class(tp):
        return str(tp.__qualname__).replace("<locals>.", "")
    return repr(tp).replace("typing.", "").replace("<locals>.", "")


class Builder:
    """Builds the nodes of one plan."""

    def __init__(self, defaults: Options) -> None:
        """Begin with nothing built."""
        self.defaults = defaults
        self.built: dict[Any, model.Node] = {}
        #: Records whose fields are to be built: a queue, so that a long chain of
        #: classes needs no deep stack.
        self.pending: list[tuple[model.Record, generics.Bindings]] = []
        self.variants: collections.Counter[int] = collections.Counter()
        self.depth = 0

    def build(
        self, tp: Any, scope: Scope, known: generics.Bindings, place: str
    ) -> model.Node:
        """Return the node of a type."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise TypeError(
                f"{place[:60]}: more than {DEEPEST} types within each other; a type "
                "that contains itself with larger arguments has no end"
            )
        try:
            return self._build(tp, scope, known, place)
        finally:
            self.depth -= 1

    def _build(  # noqa: C901, PLR0911, PLR0912 - one line for each form
        self, tp: Any, scope: Scope, known: generics.Bindings, place: str
    ) -> model.Node:
        if tp is None:
            return self._shared(type(None))
        if isinstance(tp, str):
            return self.build(scope.text(tp, place), scope, known, place)
        if is_reference(tp):
            return self.build(scope.reference(tp, place), scope, known, place)
        if tp is Any:  # a class since 3.11
            return self._shared(object)
        if is_class(tp):
            return self._class(tp, (), scope, known, place)
        if generics.is_variable(tp):
            if tp in known:
                return self.build(known[tp][0], known[tp][1], {}, place)
            return self.build(generics.unbound(tp), scope, known, place)
        origin = typing.get_origin(tp)
        arguments = typing.get_args(tp)
        if origin is typing.Annotated:
            node, fields = self.annotated(tp, scope, known, place)
            if fields:
                raise TypeError(
                    f"{place}: {fields[0]!r} stands inside a type; it belongs to the "
                    "outermost Annotated of a field"
                )
            return node
        if origin is typing.Union or origin is types.UnionType:
            options = tuple(self.build(a, scope, known, place) for a in arguments)
            return model.Union(options)
        if origin is typing.Literal:
            return choices.of_literal(arguments, place)
        if type(tp).__name__ == "NewType":
            return self.build(tp.__supertype__, scope, known, place)
        if type(tp).__name__ == "TypeAliasType":
            return self._alias(tp, (), scope, known, place)
        if type(origin).__name__ == "TypeAliasType":
            return self._alias(origin, arguments, scope, known, place)
        if isinstance(tp, dataclasses.InitVar):
            return self.build(tp.type, scope, known, place)
        name = getattr(tp, "__name__", None) or getattr(tp, "_name", None)
        if origin is not None:
            wrapper = getattr(origin, "_name", None) or getattr(origin, "__name__", "")
            if wrapper in _WRAPPERS and not isinstance(origin, type):
                return self.build(arguments[0], scope, known, place)
            if origin is tuple and getattr(tp, "__args__", None) == ():
                return model.Fixed(())  # tuple[()], not tuple
            if isinstance(origin, type):
                return self._class(origin, arguments, scope, known, place, tp)
        if name in {"Never", "NoReturn"}:
            return model.Nothing()
        if name == "LiteralString":
            return model.Text()
        if name == "Self" and isinstance(scope.owner, type):
            return self._class(scope.owner, (), scope, known, place)
        raise TypeError(_refusal(tp, name, place))

    def _shared(self, cls: Any) -> model.Node:
        """Return the one node of a class without narrowing."""
        if id(cls) not in self.built:
            self.built[id(cls)] = builtin_types.SCALARS[cls]()
        return self.built[id(cls)]

    def annotated(
        self, tp: Any, scope: Scope, known: generics.Bindings, place: str
    ) -> tuple[model.Node, list[Field]]:
        """Return the node of an `Annotated`, and what it says about its field."""
        fields: list[Field] = []
        found = constraint_merge.Found()
        via = None
        for metadata in tp.__metadata__:
            for part in constraint_merge.flatten(metadata):
                if isinstance(part, Via):
                    via = part
                elif isinstance(part, Field):
                    fields.append(part)
                else:
                    found.add(part, place)
        if via is not None:
            node = self._via(via, tp.__origin__, scope, known, place)
        else:
            node = self.build(tp.__origin__, scope, known, place)
        return (constraint_merge.apply(found, node, place) if found else node), fields

    def _alias(
        self,
        alias: Any,
        arguments: tuple[Any, ...],
        scope: Scope,
        known: generics.Bindings,
        place: str,
    ) -> model.Node:
        bound = generics.bind(alias, arguments, known, scope, place)
        key = _key(alias, bound)
        if key in self.built:
            return self.built[key]
        node = model.Alias(str(alias.__name__))
        self.built[key] = node
        inner = Scope(alias)
        inner.owner = alias
        try:
            value = alias.__value__
        except NameError as error:
            raise unresolved(error, None, f"type {alias.__name__}") from error
        node.target = self.build(value, inner, bound, place)
        return node

    def _via(
        self, via: Via, tp: Any, scope: Scope, known: generics.Bindings, place: str
    ) -> model.Node:
        cls = tp if isinstance(tp, type) else typing.get_origin(tp)
        node = model.Via(
            cls if isinstance(cls, type) else object,
            shown(tp),
            None,
            via.decode,
            via.encode,
        )
        node.wire = self.build(via.wire_type, scope, known, f"{place} (wire type)")
        return node

    def _class(  # noqa: C901, PLR0911, PLR0913, PLR0917 - one line for each kind
        self,
        cls: Any,
        arguments: tuple[Any, ...],
        scope: Scope,
        known: generics.Bindings,
        place: str,
        tp: Any = None,
    ) -> model.Node:
        if cls in builtin_types.SCALARS:
            return self._shared(cls)
        if cls in builtin_types.ARRAYS:
            return self._items(cls, arguments, scope, known, place)
        if cls in builtin_types.DICTS or cls is collections.defaultdict:
            return self._entries(cls, arguments, scope, known, place)
        if cls in builtin_types.TEXTS:
            text = builtin_types.TEXTS[cls]
            return model.Via(
                cls, cls.__name__, model.Text(), text.decode, text.encode, text.format
            )
        if issubclass(cls, Raw):
            return model.Raw(cls)
        if lookup(cls, "__snooze__")[0] is not None:
            return self._protocol(cls, place)
        if issubclass(cls, enum.Enum):
            return choices.of_enum(cls, place)
        kind = records.kind_of(cls)
        if kind is not None:
            bound = generics.bind(cls, arguments, known, scope, place)
            key = _key(cls, bound)
            if key not in self.built:
                self.variants[id(cls)] += 1
                if self.variants[id(cls)] > MOST_VARIANTS:
                    raise TypeError(
                        f"{shown(cls)} contains itself with more than {MOST_VARIANTS} "
                        "different type arguments, which has no end"
                    )
                node = model.Record(cls, kind, shown(cls) + _suffix(bound))
                self.built[key] = node
                self.pending.append((node, bound))
            return self.built[key]
        if _is_ndarray(cls):
            return _ndarray(cls, arguments, place)
        return model.Custom(cls if tp is None else tp, shown(cls if tp is None else tp))

    def _protocol(self, cls: Any, place: str) -> model.Node:
        if id(cls) in self.built:
            return self.built[id(cls)]
        node = model.Via(cls, shown(cls))
        self.built[id(cls)] = node
        what = "a class method that returns snooze.Via(wire_type, decode=…, encode=…)"
        found = lookup(cls, "__snooze__")[1]
        if isinstance(found, types.FunctionType) or not callable(cls.__snooze__):
            raise TypeError(f"{place}: {shown(cls)}.__snooze__ has to be {what}")
        via = cls.__snooze__()
        if not isinstance(via, Via):
            raise TypeError(
                f"{place}: {shown(cls)}.__snooze__() returned {via!r}; it has to be "
                f"{what}"
            )
        node.decode, node.encode = via.decode, via.encode
        node.wire = self.build(
            via.wire_type, Scope(cls), {}, f"{shown(cls)} (wire type)"
        )
        return node

    def _items(
        self,
        cls: Any,
        arguments: tuple[Any, ...],
        scope: Scope,
        known: generics.Bindings,
        place: str,
    ) -> model.Node:
        inside = f"{place}[…]"
        known_as = builtin_types.ARRAYS[cls]
        if cls is tuple and arguments:
            if len(arguments) == 2 and arguments[1] is ...:
                item = self.build(arguments[0], scope, known, inside)
                return model.Items(cls, known_as.base, item)
            if any(_is_unpacked(argument) for argument in arguments):
                raise TypeError(
                    f"{place}: tuples with an unpacked tuple inside are not supported"
                )
            parts = tuple(self.build(a, scope, known, inside) for a in arguments)
            return model.Fixed(parts)
        if len(arguments) > 1:
            raise TypeError(f"{place}: {shown(cls)} takes one type, not {arguments!r}")
        item = self.build(arguments[0] if arguments else Any, scope, known, inside)
        return model.Items(cls, known_as.base, item, make=known_as.make)

    def _entries(
        self,
        cls: Any,
        arguments: tuple[Any, ...],
        scope: Scope,
        known: generics.Bindings,
        place: str,
    ) -> model.Node:
        inside = f"{place}[…]"
        if cls is collections.Counter:
            arguments = (*arguments, int) if arguments else (str, int)
        if not arguments:
            arguments = (str, Any)
        if len(arguments) != 2:
            raise TypeError(
                f"{place}: {shown(cls)} takes a type for keys and one for values, not "
                f"{arguments!r}"
            )
        make = builtin_types.DICTS.get(cls)
        if cls is collections.defaultdict:
            value_class = typing.get_origin(arguments[1]) or arguments[1]
            make = builtin_types.defaultdict_maker(value_class)
        key = self.build(arguments[0], scope, known, f"{place} (keys)")
        value = self.build(arguments[1], scope, known, inside)
        return model.Entries(cls, key, value, make=make)


def _key(tp: Any, bound: generics.Bindings) -> Any:
    """Return what a class with arguments is known by."""
    values = tuple(value for value, _ in bound.values())
    try:
        hash(values)
    except TypeError:
        return id(tp), tuple(map(id, values))
    return id(tp), values


def _suffix(bound: generics.Bindings) -> str:
    if not bound:
        return ""
    return f"[{', '.join(shown(value) for value, _ in bound.values())}]"


def _is_unpacked(tp: Any) -> bool:
    """Tell `*tuple[T, ...]` and `Unpack[…]`."""
    origin = typing.get_origin(tp)
    name = getattr(origin, "_name", None) or getattr(origin, "__name__", "")
    return getattr(tp, "__unpacked__", False) is True or name == "Unpack"


def _is_ndarray(cls: Any) -> bool:
    numpy = sys.modules.get("numpy")
    return numpy is not None and cls is numpy.ndarray


def _ndarray(cls: Any, arguments: tuple[Any, ...], place: str) -> model.Node:
    """Return the node of `np.ndarray[Any, np.dtype[np.float64]]`."""
    numpy = sys.modules["numpy"]
    if len(arguments) < 2:
        return model.Array(cls)
    scalars = typing.get_args(arguments[1]) or (arguments[1],)
    scalar = scalars[0]
    if scalar is Any or generics.is_variable(scalar):
        return model.Array(cls)
    try:
        dtype = numpy.dtype(scalar)
    except TypeError as error:
        raise TypeError(f"{place}: {scalar!r} is no type of numpy's items") from error
    if dtype.kind not in "biuf":
        raise TypeError(
            f"{place}: numpy arrays of {dtype} are not supported; use bool, integers "
            "or floats"
        )
    return model.Array(cls, dtype)


def _refusal(tp: Any, name: Any, place: str) -> str:
    if isinstance(tp, (int, float, list, tuple, dict)):
        return f"{place}: {tp!r} is a value, not a type; for one value use Literal"
    if name == "ClassVar":
        return f"{place}: ClassVar is no type of a value"
    if name in {"Callable", "Type", "type"}:
        return f"{place}: {shown(tp)} has no form in JSON"
    return (
        f"{place}: {shown(tp)} is not a type that snooze knows; give it a wire type "
        "with Annotated[…, Via(…)], or a class with a __snooze__ method"
    )
