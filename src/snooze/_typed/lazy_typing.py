"""What snooze's names need of `typing` and `dataclasses`, without importing them.

Separate, because `typing`, `dataclasses` and what they import take longer to load than
all names of snooze, which an import loads before CPython 3.14 (see `_package`).
Invariants: type checkers see `typing` itself; an `Immutable` behaves like a frozen
dataclass with slots. Used by the modules that `_names` loads.
"""

from __future__ import annotations

from types import GenericAlias

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Generic, NoReturn, TypeVar, final, overload

    T = TypeVar("T")
else:

    class _Any:
        """The type of the default that replaces `typing.Any` until it is imported."""

        __slots__ = ()

        def __repr__(self) -> str:
            return "typing.Any"

        def __reduce__(self) -> str:
            return "Any"

    class _Generic:
        """A base class that replaces `Generic[T]`: makes classes subscriptable."""

        __slots__ = ()
        __class_getitem__ = classmethod(GenericAlias)

    Any = _Any()
    T = "T"
    Generic = {T: _Generic}

    def overload(function: object) -> object:
        """Return the function: only type checkers read overloads."""
        return function

    def final(cls: type) -> type:
        """Return the class: only type checkers refuse subclasses by this."""
        return cls


__all__ = ("TYPE_CHECKING", "Any", "Generic", "Immutable", "T", "final", "overload")


def resolved(tp: Any) -> Any:
    """Return `typing.Any` for its replacement, and any other type unchanged."""
    if tp is not Any:
        return tp
    import typing  # noqa: PLC0415 - not at import time

    return typing.Any


class Immutable:
    """Base of classes whose fields, named in `__slots__`, are set once."""

    __slots__ = ()
    __match_args__: tuple[str, ...] = ()
    _field_names: tuple[str, ...] = ()

    def __init_subclass__(cls) -> None:
        """Append the fields of the subclass, in the order of its slots."""
        cls._field_names += tuple(cls.__dict__.get("__slots__", ()))
        cls.__match_args__ = cls._field_names  # type: ignore[misc]

    def _set_fields(self, *values: Any) -> None:
        for name, value in zip(self._field_names, values, strict=True):
            object.__setattr__(self, name, value)

    def _field_values(self) -> list[Any]:
        return [getattr(self, name) for name in self._field_names]

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        """Raise FrozenInstanceError."""
        from dataclasses import FrozenInstanceError  # noqa: PLC0415 - not at import

        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        """Raise FrozenInstanceError."""
        from dataclasses import FrozenInstanceError  # noqa: PLC0415 - not at import

        raise FrozenInstanceError(f"cannot delete field {name!r}")

    def __eq__(self, other: object) -> bool:
        """Compare class and fields."""
        if type(other) is not type(self):
            return NotImplemented
        return self._field_values() == other._field_values()

    def __hash__(self) -> int:
        """Hash the fields."""
        return hash(tuple(self._field_values()))

    def __repr__(self) -> str:
        """Return the call that makes an equal instance."""
        fields = zip(self._field_names, self._field_values(), strict=True)
        arguments = ", ".join(f"{name}={value!r}" for name, value in fields)
        return f"{type(self).__qualname__}({arguments})"

    def __getstate__(self) -> list[Any]:
        """Return the fields, for pickle."""
        return self._field_values()

    def __setstate__(self, state: list[Any]) -> None:
        """Set the fields, for pickle."""
        self._set_fields(*state)
