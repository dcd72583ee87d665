"""Type variables: the type that each has in each class of a generic hierarchy.

Separate from `introspect`, because it only names and substitutes types. Invariant: the
types in the result of `hierarchy_bindings` contain no type variable of the class that
they are for. Used by the modules that read types.
"""

from __future__ import annotations

import collections
import types
import typing
from typing import Any

from snooze._typed.scope import Scope, is_reference, is_self, scope_part

#: The type of a type variable, and the scope in which its names are looked up.
Binding = tuple[Any, Scope]
Bindings = dict[Any, Binding]


def is_class(tp: Any) -> bool:
    """Return whether it is a class, even if its `__class__` says otherwise."""
    return issubclass(type(tp), type)


def type_name(tp: Any) -> str:
    """Return the name of a Python type, for messages."""
    if is_class(tp):
        return str(tp.__qualname__).replace("<locals>.", "")
    return repr(tp).replace("typing.", "").replace("<locals>.", "")


def parameters(tp: Any) -> tuple[Any, ...]:
    """Return the type parameters that a class or alias declares."""
    if isinstance(tp, type):
        found = tp.__dict__.get("__parameters__")
        if found is None:  # a subclass of list[T], without Generic
            bases = tp.__dict__.get("__orig_bases__", ())
            given = (
                one for base in bases for one in getattr(base, "__parameters__", ())
            )
            found = tuple(dict.fromkeys(given))
    else:
        found = getattr(tp, "__type_params__", ())
    return found if isinstance(found, tuple) else ()


def is_variable(tp: Any) -> bool:
    """Return whether a type is a TypeVar, of typing or typing_extensions."""
    return type(tp).__name__ == "TypeVar" and hasattr(tp, "__constraints__")


def substitute(tp: Any, bindings: Bindings, scope: Scope, place: str) -> Any:
    """Replace the type variables in a type by their types."""
    tp = argument(tp, scope, place)
    if is_variable(tp):
        return bindings[tp][0] if tp in bindings else unbound_type(tp)
    inner = getattr(tp, "__parameters__", ())
    if isinstance(tp, type) or not inner:
        return tp
    return tp[tuple(substitute(p, bindings, scope, place) for p in inner)]


def argument(tp: Any, scope: Scope, place: str) -> Any:
    """Return a type argument, or the class that a name or `Self` stands for in it.

    A name inside another type stays a name: nothing may need it, or it may not be one.
    """
    if isinstance(tp, str):
        return argument(scope.evaluate(tp, place), scope, place)
    if is_reference(tp):
        try:
            return argument(scope.evaluate_reference(tp, place), scope, place)
        except TypeError:
            return tp
    if is_self(tp) and scope.itself is not None:
        return scope.itself.as_type() or tp
    return tp


def build_key(tp: Any, bound: Bindings) -> Any:
    """Return what tells a class or alias with its type arguments from another.

    Names and `Self` in an argument mean what they mean where the argument is written.
    """
    # No generator: 3.12 and 3.13 crash where one cannot be allocated.
    values = tuple(
        [(value, *scope_part(value, scope)) for value, scope in bound.values()]
    )
    try:
        hash(values)
    except TypeError:
        return id(tp), tuple((id(value), *rest) for value, *rest in values)
    return id(tp), values


def unbound_type(variable: Any) -> Any:
    """Return the type of a variable without argument.

    That is its default, or its constraints, or its bound, or Any.
    """
    if getattr(variable, "has_default", bool)():
        return variable.__default__
    if variable.__constraints__:
        return typing.Union[variable.__constraints__]  # noqa: UP007
    return Any if variable.__bound__ is None else variable.__bound__


def bind(
    tp: Any, arguments: tuple[Any, ...], bindings: Bindings, scope: Scope, place: str
) -> Bindings:
    """Bind arguments to the type parameters of a class or alias."""
    variables = parameters(tp)
    for variable in variables:
        if not is_variable(variable):
            raise TypeError(
                f"{place}: {tp!r} has the parameter {variable!r}; only plain type "
                "variables are supported"
            )
    if not arguments:
        return {}
    if len(arguments) > len(variables):
        raise TypeError(f"{place}: {tp!r} takes {len(variables)} type arguments")
    bound: Bindings = {}
    for variable, argument in zip(variables, arguments, strict=False):
        known = bindings
        if argument is getattr(variable, "__default__", None):
            # `typing` puts the default there, in which the variables before this one
            # mean what they are bound to.
            known = {**bound, **bindings}
        bound[variable] = (substitute(argument, known, scope, place), scope)
    return bound


def hierarchy_bindings(cls: Any, own: Bindings, place: str) -> dict[Any, Bindings]:
    """Return the bindings of each class of a hierarchy."""
    found: dict[Any, Bindings] = {cls: own}
    pending = [cls]
    while pending:
        current = pending.pop()
        scope = Scope(current)
        bases = current.__dict__.get("__orig_bases__", current.__bases__)
        for base in bases:
            origin = typing.get_origin(base) or base
            if not isinstance(origin, type) or origin in found or origin is object:
                continue
            if origin in {typing.Generic, typing.Protocol}:
                continue
            # list[T] and Sequence[T] do not say what their parameters are.
            arguments = typing.get_args(base) if parameters(origin) else ()
            found[origin] = bind(origin, arguments, found[current], scope, place)
            pending.append(origin)
    return found


#: Classes with the same type arguments as a built-in class that they inherit from.
_SAME_ARGUMENTS: dict[type, tuple[type, ...]] = {
    dict: (dict, collections.OrderedDict, collections.Counter)
}


def base_arguments(
    cls: Any, base: type, bindings: dict[Any, Bindings], place: str
) -> tuple[Any, ...]:
    """Return the type arguments with which a class inherits from a base."""
    for current in cls.__mro__:
        for one in current.__dict__.get("__orig_bases__", ()):
            if typing.get_origin(one) in _SAME_ARGUMENTS.get(base, (base,)):
                bound, scope = bindings.get(current, {}), Scope(current)
                arguments = typing.get_args(one)
                return tuple(substitute(a, bound, scope, place) for a in arguments)
    return ()


def instance_classes(tp: Any) -> tuple[type, ...]:
    """Return the classes of which a value of a type is an instance.

    `(object,)` where `isinstance` cannot tell, as for `Any`.
    """
    if isinstance(tp, type) and typing.get_origin(tp) is None:
        return (_checkable_class(tp),)
    origin = typing.get_origin(tp)
    if tp is None:
        return (type(None),)
    if origin in {typing.Union, types.UnionType}:
        classes = [cls for one in tp.__args__ for cls in instance_classes(one)]
        return (object,) if object in classes else tuple(dict.fromkeys(classes))
    if origin is typing.Literal:
        return tuple(dict.fromkeys(type(value) for value in tp.__args__))
    # Before CPython 3.13, Annotated is a class.
    if isinstance(origin, type) and not hasattr(tp, "__metadata__"):
        return (_checkable_class(origin),)
    names = ("__supertype__", "__value__", "__origin__")  # NewType, alias, Annotated
    inner = next((found for name in names if (found := getattr(tp, name, None))), None)
    return (object,) if inner is None else instance_classes(inner)


def _checkable_class(cls: type) -> type:
    """Return the class that `isinstance` takes in place of a class."""
    if type(cls).__name__ == "_TypedDictMeta":
        return dict
    is_protocol = getattr(cls, "_is_protocol", False)
    if is_protocol and not getattr(cls, "_is_runtime_protocol", False):
        return object
    return object if cls is Any else cls
