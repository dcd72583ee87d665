"""Evaluation of annotations: names, strings and forward references.

Separate, because Python versions store annotations differently: as objects or strings
in `__annotations__` up to 3.13, as functions that are called later (PEP 649) since
3.14. Invariant: a missing name raises `Unresolved`, and `codecs` tries again at the
first call; any other exception of an annotation becomes a TypeError that names the
place. Used by `introspect`, `records` and `generics`.
"""

from __future__ import annotations

import builtins
import sys
import typing
from collections.abc import Iterator, Mapping
from typing import Any

if sys.version_info >= (3, 14):
    import annotationlib
else:
    annotationlib = None


class Unresolved(TypeError):  # noqa: N818 - users see a TypeError
    """An annotation contains a name that is not defined, or not yet."""


class _Names(Mapping[str, Any]):
    """The names that an annotation in a class can use."""

    def __init__(self, owner: Any, module: dict[str, Any]) -> None:
        self.owner = owner
        self.module = module

    def __getitem__(self, name: str) -> Any:  # noqa: PLR0911 - one line for each namespace
        owner = self.owner
        for parameter in getattr(owner, "__type_params__", ()):
            if parameter.__name__ == name:
                return parameter
        own = getattr(owner, "__name__", None)
        local = "<locals>" in getattr(owner, "__qualname__", "")
        if local and name == own:
            return owner
        if (nested := _nested_class(owner, name)) is not None:
            return nested
        if name in self.module:
            return self.module[name]
        if hasattr(builtins, name):
            return getattr(builtins, name)
        # The namespace of the class comes last: the field `date: date | None = None`
        # puts None there under the name that its annotation uses.
        if isinstance(owner, type) and name in owner.__dict__:
            return owner.__dict__[name]
        if name == own:
            return owner
        if name == "typing":  # make_dataclass writes 'typing.Any'
            return typing
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self.module)

    def __len__(self) -> int:
        return len(self.module)


def _nested_class(owner: Any, name: str) -> Any:
    """Return the class of that name in the body of a class, or None."""
    found = owner.__dict__.get(name) if isinstance(owner, type) else None
    is_nested = isinstance(found, type) and (
        found.__qualname__ == f"{owner.__qualname__}.{name}"
    )
    return found if is_nested else None


class Itself:
    """A class with the types of its type variables: what `Self` means in its fields."""

    __slots__ = ("bindings", "cls")

    def __init__(self, cls: Any, bindings: dict[Any, Any] | None = None) -> None:
        """Keep the class and what binds its type variables."""
        self.cls = cls
        self.bindings = bindings or {}

    def as_type(self) -> Any:
        """Return the class with its arguments; None if that would lose something."""
        if not self.bindings:
            return self.cls
        is_partial = len(self.bindings) != len(getattr(self.cls, "__parameters__", ()))
        if is_partial or any(scope_part(*one) for one in self.bindings.values()):
            return None
        return self.cls[tuple(tp for tp, _ in self.bindings.values())]


class Scope:
    """A class or alias, and the names that its annotations can use."""

    __slots__ = ("itself", "names", "owner")

    def __init__(self, owner: Any = None, itself: Itself | None = None) -> None:
        """Use the module that defines the owner.

        `itself` is what `Self` means; a field that a class inherits has the class of
        the field as its owner.
        """
        module = sys.modules.get(getattr(owner, "__module__", None) or "")
        self.owner = owner
        is_class = isinstance(owner, type)
        self.itself = itself or (Itself(owner) if is_class else None)
        self.names = _Names(owner, getattr(module, "__dict__", {}))

    def evaluate(self, text: str, place: str) -> Any:
        """Evaluate the text of an annotation."""
        try:
            code = compile(text.strip(), "<annotation>", "eval")
            return eval(code, {"__builtins__": builtins}, self.names)  # noqa: S307
        except NameError as error:
            raise unresolved_error(error, text, place) from error
        except MemoryError:
            raise
        except Exception as error:
            raise TypeError(
                f"{place}: the annotation {text!r} cannot be evaluated: "
                f"{type(error).__name__}: {error}"
            ) from error

    def evaluate_reference(self, reference: Any, place: str) -> Any:
        """Evaluate a `ForwardRef`."""
        text = reference.__forward_arg__
        module = reference.__forward_module__
        if annotationlib is not None:
            try:
                return reference.evaluate()
            except NameError:
                pass  # the reference may not know its class; this scope does
            except MemoryError:
                raise
            except Exception as error:
                raise TypeError(
                    f"{place}: the annotation {text!r} cannot be evaluated: "
                    f"{type(error).__name__}: {error}"
                ) from error
        if isinstance(module, str):
            module = sys.modules.get(module)
        if module is not None and module.__dict__ is not self.names.module:
            other = Scope(self.owner)
            other.names = _Names(self.owner, module.__dict__)
            return other.evaluate(text, place)
        return self.evaluate(text, place)


def unresolved_error(error: NameError, text: object, place: str) -> Unresolved:
    """Return an exception that says which name is missing, where, and what to do."""
    name = error.name or str(error)
    annotation = f" in the annotation {text!r}" if text not in (name, None) else ""
    return Unresolved(
        f"{place}: the name {name!r}{annotation} is not defined. Define or import it "
        "where the class's module can see it, before the first use; names local to a "
        "function cannot be found"
    )


def own_annotations(cls: Any, place: str) -> dict[str, Any]:
    """Return the annotations of a class without its bases; strings stay strings."""
    if annotationlib is None:
        found = cls.__dict__.get("__annotations__", {})  # noqa: RUF063 - without evaluation
        return dict(found) if isinstance(found, Mapping) else {}
    try:
        return annotationlib.get_annotations(cls)
    except NameError:
        return annotationlib.get_annotations(
            cls, format=annotationlib.Format.FORWARDREF
        )
    except MemoryError:
        raise
    except Exception as error:
        raise TypeError(
            f"the annotations of {place} cannot be evaluated: "
            f"{type(error).__name__}: {error}"
        ) from error


def is_self(tp: Any) -> bool:
    """Return whether a type is `Self`; that of typing_extensions is the same object."""
    return tp is typing.Self


def scope_part(tp: Any, scope: Scope) -> tuple[Any, ...]:
    """Return what the meaning of a type depends on beside itself; usually nothing."""
    found: list[Any] = []
    inside = [tp]
    while inside:
        one = inside.pop()
        if isinstance(one, str) or is_reference(one):
            found.append(id(scope.owner))
        elif is_self(one):
            found.append(scope.itself)
        elif isinstance(one, list):  # the arguments of a Callable
            inside += one
        elif typing.get_origin(one) is typing.Annotated:
            inside.append(one.__origin__)
        elif typing.get_origin(one) is not typing.Literal:
            inside += typing.get_args(one)
    return tuple(dict.fromkeys(found))


def is_reference(tp: Any) -> bool:
    """Return whether a type is a forward reference."""
    return isinstance(tp, typing.ForwardRef)
