"""Python types to the model.

One class, `Builder`, follows a type wherever it leads; other modules know records
(`records`), enums (`choices`), constraints, scopes (`scope`) and type variables
(`generics`). Invariants: a class is built once for each set of type arguments, so that
recursion ends; a type that is not understood is a TypeError that names its place and
says what to do; no module of another package is imported. `place` is always the text
that names the place of a type in messages, such as `User.age`. Called by `plans` and
`schema`.
"""

from __future__ import annotations

import collections
import dataclasses
import enum
import types
import typing
from typing import TYPE_CHECKING, Any

from snooze._typed import (
    annotated,
    arrays,
    builtin_types,
    choices,
    declarations,
    flatten,
    formats,
    generics,
    hooks,
    model,
    msgspec_types,
    pydantic_models,
    records,
)
from snooze._typed.construction import lookup
from snooze._typed.generics import is_class, type_name
from snooze._typed.metadata import Via
from snooze._typed.options import Options
from snooze._typed.raw import Raw
from snooze._typed.scope import Scope, is_reference, is_self, unresolved_error
from snooze._typed.unset import UNSET, UnsetType

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

#: How deep types may be nested, as in `list[list[…]]`.
MAX_DEPTH = 100
#: How many different type arguments of one generic class a plan may have.
MAX_VARIANTS = 100
#: The place of the type itself.
ROOT = "the type"

#: Built-in classes whose subclasses are converted by their constructor.
_SUBCLASSED = (str, int, float, bytes, list, set, frozenset, dict)
#: Read and written as `complex`, of which only the second is a subclass.
_NUMPY_COMPLEX = {("numpy", "complex64"), ("numpy", "complex128")}
#: Qualifiers of types that mean nothing in JSON.
_QUALIFIERS = {"Final", "Required", "NotRequired", "ReadOnly"}
#: What may stand alone by mistake, or, as `Final`, for a type checker.
_WITH_ARGUMENT = {
    **dict.fromkeys(_QUALIFIERS | {"Optional"}, "int"),
    "Union": "int, str",
    "Literal": "'a', 'b'",
    "Annotated": "int, Gt(0)",
}


def build(
    tp: Any, defaults: Options | None = None, known: hooks.Hooks | None = None
) -> model.Node:
    """Return the model of a type; `defaults` apply where classes set no option.

    `known` are the functions of an encoder for classes.
    """
    return build_all([tp], defaults, known)[0]


def build_all(
    tps: Iterable[Any],
    defaults: Options | None = None,
    known: hooks.Hooks | None = None,
) -> list[model.Node]:
    """Return the models of several types, which share the nodes of their classes."""
    builder = Builder(defaults or Options(), known)
    roots = [builder.build(tp, Scope(), {}, ROOT) for tp in tps]
    builder.fill_pending()
    return roots


class Builder:
    """Builds the nodes of one plan."""

    def __init__(self, defaults: Options, known: hooks.Hooks | None = None) -> None:
        """Start without nodes."""
        self.defaults = defaults
        self.hooks = known
        self.built: dict[Any, model.Node] = {}
        #: Records whose fields are not built yet: a queue, so that a long chain of
        #: classes needs no deep stack.
        self.pending: list[tuple[model.Record, generics.Bindings]] = []
        self.variants: collections.Counter[int] = collections.Counter()
        self.depth = 0
        #: What waits for the aliases that are being built: it needs their targets.
        self.deferred: list[Callable[[], None]] = []
        self.forms = formats.Formats()
        #: The formats of the codec, and of the class whose fields are being built.
        self.codec_formats = {
            cls: getattr(chosen, "name", chosen)
            for cls, chosen in (defaults.formats or {}).items()
        }
        self.formats: Mapping[type, str] = self.codec_formats

    def build(
        self, tp: Any, scope: Scope, bindings: generics.Bindings, place: str
    ) -> model.Node:
        """Return the node of a type.

        Names in it are looked up in `scope`, type variables in `bindings`.
        """
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise TypeError(
                f"{place[:60]}: types are nested more than {MAX_DEPTH} deep; a type "
                "that contains itself with larger arguments never ends"
            )
        try:
            node = self._build(tp, scope, bindings, place)
        finally:
            self.depth -= 1
        if self.depth == 0:
            while self.deferred:
                self.deferred.pop(0)()
        return node

    def _build(  # noqa: C901, PLR0911, PLR0912 - one line for each form
        self, tp: Any, scope: Scope, bindings: generics.Bindings, place: str
    ) -> model.Node:
        if tp is None:
            return self._shared(type(None))
        if isinstance(tp, str):
            return self.build(scope.evaluate(tp, place), scope, bindings, place)
        if is_reference(tp):
            return self.build(
                scope.evaluate_reference(tp, place), scope, bindings, place
            )
        if tp is Any:  # a class since 3.11
            return self._shared(object)
        if is_class(tp):
            return self._class(tp, (), scope, bindings, place)
        if generics.is_variable(tp):
            if tp in bindings:
                return self.build(*bindings[tp], {}, place)
            return self.build(generics.unbound_type(tp), scope, bindings, place)
        origin = typing.get_origin(tp)
        arguments = typing.get_args(tp)
        if origin is typing.Annotated:
            found = self.annotated(tp, scope, bindings, place)
            if found.fields:
                raise TypeError(
                    f"{place}: {found.fields[0]!r} is inside a type; it belongs in the "
                    "outermost Annotated of a field"
                )
            return model.Noted(found.node, found.notes) if found.notes else found.node
        if origin is typing.Union or origin is types.UnionType:
            # No generator: 3.12 and 3.13 crash where one cannot be allocated.
            parts = [self.build(one, scope, bindings, place) for one in arguments]
            return model.Union(tuple(parts))
        if origin is typing.Literal:
            node = choices.of_literal(arguments, place)
            return self.forms.default(self.formats, node) if self.formats else node
        if type(tp).__name__ == "NewType":
            return self.build(tp.__supertype__, scope, bindings, place)
        if type(tp).__name__ == "TypeAliasType":
            return self._alias(tp, (), scope, bindings, place)
        if type(origin).__name__ == "TypeAliasType":
            return self._alias(origin, arguments, scope, bindings, place)
        if isinstance(tp, dataclasses.InitVar):
            return self.build(tp.type, scope, bindings, place)
        name = getattr(tp, "__name__", None) or getattr(tp, "_name", None)
        if origin is not None:
            outer = getattr(origin, "_name", None) or getattr(origin, "__name__", "")
            if outer in _QUALIFIERS and not isinstance(origin, type):
                return self.build(arguments[0], scope, bindings, place)
            if origin is tuple and getattr(tp, "__args__", None) == ():
                return model.Fixed(())  # tuple[()], not tuple
            if isinstance(origin, type):
                return self._class(origin, arguments, scope, bindings, place, tp)
        if name in {"Never", "NoReturn"}:
            return model.Nothing()
        if name == "LiteralString":
            return model.Text()
        if scope.itself is not None and is_self(tp):
            itself = scope.itself
            given = generics.parameters(itself.cls) if itself.bindings else ()
            return self._class(itself.cls, given, scope, itself.bindings, place)
        raise TypeError(_refusal(tp, name, place))

    def missing(self, cls: Any) -> model.Missing | None:
        """Return the node of `UnsetType`, of snooze or of msgspec, or None."""
        if cls is UnsetType:
            return model.Missing(UNSET)
        return msgspec_types.missing(cls)

    def _shared(self, cls: Any) -> model.Node:
        """Return the node of a scalar class, which all its uses share."""
        if id(cls) not in self.built:
            self.built[id(cls)] = builtin_types.SCALARS[cls]()
        return self.built[id(cls)]

    def annotated(
        self, tp: Any, scope: Scope, bindings: generics.Bindings, place: str
    ) -> annotated.Annotation:
        """Return what an `Annotated` says, and the node of its type."""
        return annotated.read(self, tp, scope, bindings, place)

    def _alias(
        self,
        alias: Any,
        arguments: tuple[Any, ...],
        scope: Scope,
        bindings: generics.Bindings,
        place: str,
    ) -> model.Node:
        bound = generics.bind(alias, arguments, bindings, scope, place)
        key = (generics.build_key(alias, bound), tuple(self.formats.items()))
        if key in self.built:
            return self.built[key]
        node = model.Alias(str(alias.__name__))
        self.built[key] = node
        try:
            value = alias.__value__
        except NameError as error:
            raise unresolved_error(error, None, f"type {alias.__name__}") from error
        node.target = self.build(value, Scope(alias), bound, place)
        return node

    def _class(  # noqa: PLR0913, PLR0917 - as build, with arguments
        self,
        cls: Any,
        arguments: tuple[Any, ...],
        scope: Scope,
        bindings: generics.Bindings,
        place: str,
        tp: Any = None,
    ) -> model.Node:
        """Return the node of a class, in the format that its user chose for it."""
        node = self._plain_class(cls, arguments, scope, bindings, place, tp)
        if self.formats:
            node = self.forms.default(self.formats, node)
        if self.hooks is not None and (found := self.hooks.find(cls)) is not None:
            base, hook = found
            own: tuple[model.Node, ...] = (node,)
            if base is not cls and not _is_empty_enum(base):
                own += (self._plain_class(base, (), scope, bindings, place),)
            if type(node) is model.Custom and node.make_base is None:
                own = (self._result(cls, node, iterables=self.hooks.iterables), *own)
            hooked = hooks.hooked(cls, type_name(cls), own, hook)
            if cls is int:
                # One node, because the types of a union may have it twice.
                return self.built.setdefault(("hooked", int), hooked)
            if cls is float:
                # As in type checkers, an int is accepted for a float.
                whole = self._class(int, (), scope, bindings, place)
                return model.Union((hooked, whole))
            return hooked
        return node

    def _result(self, cls: Any, node: model.Node, *, iterables: bool) -> model.Node:
        """Return how an instance of a class is written that only its bases describe."""
        base = hooks.known_base(cls, iterables=iterables)
        if base is None:
            return node
        known = self._plain_class(base, (), Scope(base), {}, type_name(base))
        return model.Via(cls, type_name(cls), known, None, hooks.same)

    # One line for each class.
    def _plain_class(  # noqa: C901, PLR0911, PLR0912, PLR0913, PLR0915, PLR0917
        self,
        cls: Any,
        arguments: tuple[Any, ...],
        scope: Scope,
        bindings: generics.Bindings,
        place: str,
        tp: Any = None,
    ) -> model.Node:
        if cls in builtin_types.SCALARS:
            return self._shared(cls)
        if cls in builtin_types.ARRAY_TYPES:
            return self._items(cls, arguments, scope, bindings, place)
        if cls in builtin_types.DICT_TYPES or cls is collections.defaultdict:
            return self._entries(cls, arguments, scope, bindings, place)
        if (missing := self.missing(cls)) is not None:
            return missing
        if (known := msgspec_types.node_of(cls)) is not None:
            return known
        if cls is memoryview:
            via = model.Via(cls, "memoryview", model.Binary("bytes"), cls, bytes)
            via.classes = (memoryview, bytes, bytearray)
            return via
        found = builtin_types.string_type(cls)
        if found is not None:
            if bytes in arguments:
                raise TypeError(
                    f"{place}: {type_name(tp)} has no JSON form: a string in JSON is a "
                    "str; use re.Pattern[str]"
                )
            return model.Via(
                cls,
                cls.__name__,
                model.Text(),
                found.decode,
                found.encode,
                found.format,
            )
        if issubclass(cls, Raw):
            return model.Raw(cls)
        if lookup(cls, "__snooze__")[0] is not None:
            return self._protocol(cls, place)
        if pydantic_models.is_model(cls):
            types_of = {variable: tp for variable, (tp, _) in bindings.items()}
            cls = pydantic_models.with_arguments(cls, types_of)
            if id(cls) not in self.built:
                self.built[id(cls)] = pydantic_models.node_of(cls, place)
            return self.built[id(cls)]
        if issubclass(cls, enum.Enum):
            if id(cls) not in self.built:
                self.built[id(cls)] = choices.of_enum(cls, place)
            return self.built[id(cls)]
        class_kind = declarations.class_kind(cls)
        if class_kind == "dataclass":
            pydantic_models.check_dataclass(cls, place)
        if class_kind is not None:
            bound = generics.bind(cls, arguments, bindings, scope, place)
            key = generics.build_key(cls, bound)
            if key not in self.built:
                self.variants[id(cls)] += 1
                if self.variants[id(cls)] > MAX_VARIANTS:
                    raise TypeError(
                        f"{type_name(cls)} contains itself with more than "
                        f"{MAX_VARIANTS} different type arguments, which never ends"
                    )
                node = model.Record(cls, class_kind, type_name(cls) + _suffix(bound))
                self.built[key] = node
                self.pending.append((node, bound))
            return self.built[key]
        if arrays.is_ndarray(cls):
            given = [
                generics.substitute(one, bindings, scope, place) for one in arguments
            ]
            return arrays.node_of(cls, tuple(given), place)
        shown = cls if tp is None else tp
        if cls is complex or (cls.__module__, cls.__name__) in _NUMPY_COMPLEX:
            found = builtin_types.COMPLEX

            def decode(text: str) -> Any:
                return cls(found.decode(text))

            name = cls.__name__
            via = model.Via(cls, name, model.Text(), decode, found.encode)
            return model.Custom(cls, name, lambda: via, is_hooked=True)
        # No generator here and above: CPython 3.13 crashes if one cannot be allocated.
        base = next(filter(_SUBCLASSED.__contains__, cls.__mro__), None)
        if base is None or issubclass(cls, collections.defaultdict):
            return model.Custom(shown, type_name(shown))
        bound = generics.bind(cls, arguments, bindings, scope, place)
        key = generics.build_key(cls, bound)
        if key not in self.built:
            via = model.Via(cls, type_name(cls) + _suffix(bound))

            def make_base() -> model.Via:
                if via.wire is None:
                    self._fill_base(via, base, bound, place)
                return via

            self.built[key] = model.Custom(shown, type_name(shown), make_base)
        return self.built[key]

    def _fill_base(
        self, node: model.Via, base: Any, own: generics.Bindings, place: str
    ) -> None:
        """Fill the node of a subclass of a built-in class; its items may contain it."""
        cls = node.cls
        bindings = generics.hierarchy_bindings(cls, own, place)
        items = generics.base_arguments(cls, base, bindings, place)
        node.decode, node.encode = cls, lambda value: value
        node.classes = (cls, base)
        if issubclass(cls, collections.Counter):
            items = (*items, int)[-2:] if items else ()
        node.wire = self._foreign(base[items] if items else base, Scope(cls), place)
        self.fill_pending()

    def fill_pending(self) -> None:
        """Build the fields of the records that were found."""
        filled = []
        while self.pending:
            record, own = self.pending.pop()
            records.fill(self, record, own)
            filled.append(record)
        for record in filled:
            flatten.expand(record)

    def _foreign(self, tp: Any, scope: Scope, place: str) -> model.Node:
        """Build a type that another class names, without the formats of this one."""
        formats, self.formats = self.formats, self.codec_formats
        try:
            return self.build(tp, scope, {}, place)
        finally:
            self.formats = formats

    def _protocol(self, cls: Any, place: str) -> model.Node:
        """Return the node of a class with a class method `__snooze__`."""
        if id(cls) in self.built:
            return self.built[id(cls)]
        name = type_name(cls)
        node = model.Via(cls, name)
        self.built[id(cls)] = node
        rule = "a class method that returns snooze.Via(wire_type, decode=…, encode=…)"
        stored = lookup(cls, "__snooze__")[1]
        if isinstance(stored, types.FunctionType) or not callable(cls.__snooze__):
            raise TypeError(f"{place}: {name}.__snooze__ has to be {rule}")
        via = cls.__snooze__()
        if not isinstance(via, Via):
            raise TypeError(
                f"{place}: {name}.__snooze__() returned {via!r}; it has to be {rule}"
            )
        node.decode, node.encode = via.decode, via.encode
        node.wire = self._foreign(via.wire_type, Scope(cls), f"{name} (wire type)")
        return node

    def _items(
        self,
        cls: Any,
        arguments: tuple[Any, ...],
        scope: Scope,
        bindings: generics.Bindings,
        place: str,
    ) -> model.Node:
        """Return the node of an array class or a tuple."""
        inside = f"{place}[…]"
        array_type = builtin_types.ARRAY_TYPES[cls]
        if cls is tuple and arguments:
            if len(arguments) == 2 and arguments[1] is ...:
                item = self.build(arguments[0], scope, bindings, inside)
                return model.Items(cls, array_type.base, item)
            first, rest = _unpacked(arguments, place)
            parts = [self.build(one, scope, bindings, inside) for one in first]
            others = self.build(rest[0], scope, bindings, inside) if rest else None
            return model.Fixed(tuple(parts), others)
        if len(arguments) > 1:
            raise TypeError(
                f"{place}: {type_name(cls)} takes one type, not {arguments!r}"
            )
        item = self.build(arguments[0] if arguments else Any, scope, bindings, inside)
        return model.Items(cls, array_type.base, item, convert=array_type.convert)

    def _entries(
        self,
        cls: Any,
        arguments: tuple[Any, ...],
        scope: Scope,
        bindings: generics.Bindings,
        place: str,
    ) -> model.Node:
        """Return the node of a dict class."""
        if cls is collections.Counter:
            arguments = (*arguments, int) if arguments else (Any, int)
        if not arguments:
            arguments = (Any, Any)
        if len(arguments) != 2:
            raise TypeError(
                f"{place}: {type_name(cls)} takes a type for keys and one for values, "
                f"not {arguments!r}"
            )
        key = self.build(arguments[0], scope, bindings, f"{place} (keys)")
        value = self.build(arguments[1], scope, bindings, f"{place}[…]")
        convert = builtin_types.DICT_TYPES.get(cls)
        if cls is collections.defaultdict:
            convert = builtin_types.defaultdict_conversion(value)
        return model.Entries(cls, key, value, convert=convert)


def _is_empty_enum(cls: type) -> bool:
    """Return whether it is the base of enums, without members of its own."""
    return issubclass(cls, enum.Enum) and not cls.__members__


def _suffix(bound: generics.Bindings) -> str:
    """Return the type arguments, for the name of a generic class."""
    if not bound:
        return ""
    return f"[{', '.join(type_name(value) for value, _ in bound.values())}]"


def _unpacked(
    arguments: tuple[Any, ...], place: str
) -> tuple[list[Any], tuple[Any, ...]]:
    """Return the types of the first items of a tuple, and the type of all others.

    Of `tuple[A, *tuple[B, C], *tuple[D, ...]]`, these are A, B and C, and D.
    """
    first: list[Any] = []
    rest: tuple[Any, ...] = ()
    for argument in arguments:
        if rest:
            raise TypeError(
                f"{place}: items after an unpacked tuple of any length are not "
                "supported, because a Decoder reads an array from its start"
            )
        if not _is_unpacked(argument):
            first.append(argument)
            continue
        inner = argument
        if typing.get_origin(argument) is not tuple:
            inner = typing.get_args(argument)[0]
        if typing.get_origin(inner) is not tuple:
            raise TypeError(f"{place}: type variable tuples are not supported")
        items = typing.get_args(inner)
        if len(items) == 2 and items[1] is ...:
            rest = items[:1]
        else:
            more, rest = _unpacked(items, place)
            first += more
    return first, rest


def _is_unpacked(tp: Any) -> bool:
    """Return whether a type is `*tuple[T, ...]` or `Unpack[…]`."""
    origin = typing.get_origin(tp)
    name = getattr(origin, "_name", None) or getattr(origin, "__name__", "")
    return getattr(tp, "__unpacked__", False) is True or name == "Unpack"


def _refusal(tp: Any, name: Any, place: str) -> str:
    if isinstance(tp, (int, float, list, tuple, dict)):
        return f"{place}: {tp!r} is a value, not a type; for one value use Literal"
    if isinstance(tp, (bytes, bytearray, memoryview)):
        return (
            f"{place}: bytes are a document, not a type; the document comes first, as "
            "in decode(document, type)"
        )
    if declarations.class_kind(type(tp)) is not None:
        name = type_name(type(tp))
        return f"{place}: an object of {name} is a value, not a type; use {name}"
    if name in _WITH_ARGUMENT:
        return f"{place}: {name} needs arguments: {name}[{_WITH_ARGUMENT[name]}]"
    if name == "ClassVar":
        return f"{place}: ClassVar is not the type of a value"
    return (
        f"{place}: {type_name(tp)} is not a type that snooze knows; give it a wire "
        "type with Annotated[…, Via(…)], or a class with a __snooze__ method"
    )
