"""What `import snooze` needs of `typing` and `dataclasses`, without importing them.

Separate, because the typed codecs are there as soon as snooze is, and those two modules
and what they import take longer to load than all that is snooze's. (The names are not
loaded late by a `__getattr__` of the package: with one, CPython does not specialise
`snooze.loads` and looks it up in full at each call.) Invariants: type checkers see
`typing` itself; what a `Value` does is what a frozen dataclass with slots does. Used by
what `import snooze` loads.
"""

from __future__ import annotations

from types import GenericAlias

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Generic, NoReturn, TypeVar, overload

    T = TypeVar("T")
else:

    class _Any:
        """`typing.Any` as a default: stands for it until a codec is made."""

        __slots__ = ()

        def __repr__(self) -> str:
            return "typing.Any"

        def __reduce__(self) -> str:
            return "Any"

    class _Generic:
        """What `Generic[T]` is for who does not check types."""

        __slots__ = ()
        __class_getitem__ = classmethod(GenericAlias)

    Any = _Any()
    T = "T"
    Generic = {T: _Generic}

    def overload(function: object) -> object:
        """Return the function: only type checkers read it."""
        return function


__all__ = ("TYPE_CHECKING", "Any", "Generic", "T", "Value", "overload")


def asked(tp: Any) -> Any:
    """Return `typing.Any` for what stands for it, other types as they are."""
    if tp is not Any:
        return tp
    import typing  # noqa: PLC0415 - not at import time

    return typing.Any


class Value:
    """Fields, named by `__slots__`, that are set once."""

    __slots__ = ()
    __match_args__: tuple[str, ...] = ()
    _names: tuple[str, ...] = ()

    def __init_subclass__(cls) -> None:
        """Take the fields in the order of the slots."""
        cls._names += tuple(cls.__dict__.get("__slots__", ()))
        cls.__match_args__ = cls._names  # type: ignore[misc]

    def _set(self, *values: Any) -> None:
        for name, value in zip(self._names, values, strict=True):
            object.__setattr__(self, name, value)

    def _values(self) -> list[Any]:
        return [getattr(self, name) for name in self._names]

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        """Refuse."""
        from dataclasses import FrozenInstanceError  # noqa: PLC0415 - not at import

        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        """Refuse."""
        from dataclasses import FrozenInstanceError  # noqa: PLC0415 - not at import

        raise FrozenInstanceError(f"cannot delete field {name!r}")

    def __eq__(self, other: object) -> bool:
        """Compare by class and fields."""
        if type(other) is not type(self):
            return NotImplemented
        return self._values() == other._values()

    def __hash__(self) -> int:
        """Hash the fields."""
        return hash(tuple(self._values()))

    def __repr__(self) -> str:
        """Return the call that makes it."""
        fields = zip(self._names, self._values(), strict=True)
        shown = ", ".join(f"{name}={value!r}" for name, value in fields)
        return f"{type(self).__qualname__}({shown})"

    def __getstate__(self) -> list[Any]:
        """Return the fields, for pickle."""
        return self._values()

    def __setstate__(self, state: list[Any]) -> None:
        """Set the fields, for pickle."""
        self._set(*state)
