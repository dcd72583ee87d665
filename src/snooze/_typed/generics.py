"""Type variables: what each stands for in each class of a generic hierarchy.

Separate from `introspect`, because this is arithmetic on types alone. Invariant: the
arguments that `bindings` returns contain no type variable of the class that they are
for. Used by `introspect` and `records`.
"""

from __future__ import annotations

import typing
from typing import Any

from snooze._typed.scope import Scope

#: What a type variable stands for, and where the words of that type are looked up.
Bound = tuple[Any, Scope]
Bindings = dict[Any, Bound]


def parameters(tp: Any) -> tuple[Any, ...]:
    """Return the type variables that a class or alias declares."""
    if isinstance(tp, type):
        found = tp.__dict__.get("__parameters__", ())
    else:
        found = getattr(tp, "__type_params__", ())
    return found if isinstance(found, tuple) else ()


def is_variable(tp: Any) -> bool:
    """Tell a TypeVar, of typing or typing_extensions."""
    return type(tp).__name__ == "TypeVar" and hasattr(tp, "__constraints__")


def substitute(tp: Any, known: Bindings, scope: Scope, place: str) -> Any:
    """Replace the type variables in a type by what they stand for."""
    if isinstance(tp, str):
        return substitute(scope.text(tp, place), known, scope, place)
    if is_variable(tp):
        return known[tp][0] if tp in known else unbound(tp)
    inner = getattr(tp, "__parameters__", ())
    if isinstance(tp, type) or not inner:
        return tp
    return tp[tuple(substitute(p, known, scope, place) for p in inner)]


def unbound(variable: Any) -> Any:
    """Return what a type variable means that nobody has given: default, bound, Any."""
    if getattr(variable, "has_default", bool)():
        return variable.__default__
    if variable.__constraints__:
        return typing.Union[variable.__constraints__]  # noqa: UP007
    return Any if variable.__bound__ is None else variable.__bound__


def bind(
    tp: Any, arguments: tuple[Any, ...], known: Bindings, scope: Scope, place: str
) -> Bindings:
    """Give arguments to the parameters of a class or alias."""
    names = parameters(tp)
    for name in names:
        if not is_variable(name):
            raise TypeError(
                f"{place}: {tp!r} has the parameter {name!r}; only plain type "
                "variables are supported"
            )
    if not arguments:
        return {}
    missing = len(names) - len(arguments)
    if missing < 0:
        raise TypeError(f"{place}: {tp!r} takes {len(names)} type arguments")
    return {
        name: (substitute(argument, known, scope, place), scope)
        for name, argument in zip(names, arguments, strict=False)
    }


def bindings(cls: Any, own: Bindings, place: str) -> dict[Any, Bindings]:
    """Return for each class of a hierarchy what its type variables stand for."""
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
            arguments = typing.get_args(base)
            found[origin] = bind(origin, arguments, found[current], scope, place)
            pending.append(origin)
    return found
