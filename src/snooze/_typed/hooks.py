"""The functions that an Encoder calls for classes: `hooks=` and `json_method=`.

Separate from `write_options`, which checks them, because `introspect` asks for the
function of each class that a type names, and `plans` for that of each value where the
type is `Any`. Invariant: the function of a class depends on the class alone, so it is
looked up once for each class and encoder.
"""

from __future__ import annotations

import collections
import enum
import operator
from abc import ABCMeta
from collections import abc
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from snooze._typed import model

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

#: Built-in classes that the compiled writer does not ask about, and their bits there.
_OVERRIDES: dict[type, int] = {
    str: 1,
    int: 2,
    float: 4,
    bool: 8,
    type(None): 16,
    list: 64,
    tuple: 128,
    dict: 256,
}


class Hooks:
    """The functions of classes, and the method that classes may have."""

    def __init__(
        self,
        functions: Mapping[type, Callable[[Any], Any]],
        method: str | None,
        *,
        iterables: bool = False,
    ) -> None:
        """Keep a copy: an encoder does not change."""
        self.iterables = iterables
        self.functions = dict(functions)
        self.method = method
        self._abstract = [cls for cls in functions if isinstance(cls, ABCMeta)]

    def find(self, cls: type) -> tuple[type, Callable[[Any], Any]] | None:
        """Return the function for instances of a class and the base that has it.

        The nearest of its bases counts; of abstract classes that it is registered with,
        the first. A bool is no int here. None if there is no function.
        """
        bases = (bool,) if cls is bool else getattr(cls, "__mro__", (cls,))
        for base in bases:
            if base in self.functions:
                return base, self.functions[base]
            if self.method is not None and self.method in base.__dict__:
                return base, operator.methodcaller(self.method)
        for base in self._abstract:
            if issubclass(cls, base):
                return base, self.functions[base]
        return None

    def overridden(self) -> int:
        """Return the bits of the built-in classes that have a function."""
        return sum(bit for cls, bit in _OVERRIDES.items() if self.find(cls))


def of_options(options: Mapping[str, Any]) -> Hooks | None:
    """Return the hooks of an encoder, or None if it has none."""
    functions, method = options.get("hooks"), options.get("json_method")
    if not functions and method is None:
        return None
    iterables = options.get("iterables", False)
    return Hooks(functions or {}, method, iterables=iterables)


def same(value: Any) -> Any:
    """Return a value itself."""
    return value


#: Classes whose subclasses are encoded as the class, where a plan says `Any`.
_BASES: tuple[Any, ...] = (
    str,
    int,
    float,
    complex,
    Decimal,
    list,
    tuple,
    dict,
    bytes,
    bytearray,
    memoryview,
    set,
    frozenset,
    collections.deque,
    abc.Mapping,
    abc.Set,
)


def known_base(cls: type, *, iterables: bool) -> Any:
    """Return the nearest base by which a class is encoded that has no form of its own.

    None if there is none.
    """
    from snooze._typed.introspect import build  # noqa: PLC0415 - it imports this file

    for base in cls.__mro__[1:]:
        if base in {object, enum.Enum}:
            break
        if not isinstance(build(base), model.Custom):
            return base
    for base in _BASES:
        # For `complex` itself an `enc_hook` comes first, for which there is no base.
        if base is not cls and issubclass(cls, base):
            return bytes if base is memoryview else base
    return abc.Iterable if iterables and issubclass(cls, abc.Iterable) else None


def hooked(cls: Any, name: str, own: tuple[model.Node, ...], hook: Any) -> model.Via:
    """Return the node of a class that is written as what the hook returns.

    `own` are the nodes of the class and of the base that has the hook.
    """
    taken = dict if _is_typeddict(cls) else cls
    return model.Via(taken, name, model.Result(own), None, hook)


def _is_typeddict(cls: Any) -> bool:
    return isinstance(cls, type) and hasattr(cls, "__total__") and issubclass(cls, dict)
