"""`UNSET`: the value of a field whose member is missing.

Separate from `options`, whose `NOT_GIVEN` is for arguments: this is a value in the
user's instances. Invariant: there is one instance, which copies and pickles as itself.
Made by users; an Encoder leaves out the fields that have it.
"""

from __future__ import annotations

from snooze._typed.lazy_typing import TYPE_CHECKING, final

if TYPE_CHECKING:
    from typing import Final, Literal


@final
class UnsetType:
    """The type of `UNSET`: the value of a field whose member is missing.

    A third state beside null and a value, for partial updates such as PATCH. An Encoder
    leaves out a field that is `UNSET`; in arrays and dicts it refuses it. `UNSET` is
    false, and the only instance.

    Examples:
        >>> import dataclasses, snooze
        >>> @dataclasses.dataclass
        ... class Change:
        ...     name: str | snooze.UnsetType = snooze.UNSET
        ...     phone: str | None | snooze.UnsetType = snooze.UNSET
        >>> snooze.decode(b'{"phone": null}', Change)
        Change(name=UNSET, phone=None)
        >>> snooze.encode(Change(name="ann"))
        b'{"name":"ann"}'
    """

    __slots__ = ()
    __module__ = "snooze"

    def __new__(cls) -> UnsetType:
        """Return `UNSET`."""
        return UNSET

    def __init_subclass__(cls) -> None:
        """Refuse subclasses."""
        raise TypeError("UnsetType cannot have subclasses")

    def __repr__(self) -> str:
        """Return the name of the constant."""
        return "UNSET"

    def __bool__(self) -> Literal[False]:
        """Count as False."""
        return False

    def __copy__(self) -> UnsetType:
        """Return itself."""
        return self

    def __deepcopy__(self, memo: object) -> UnsetType:
        """Return itself."""
        return self

    def __reduce__(self) -> str:
        """Pickle as a reference to the constant."""
        return "UNSET"


UNSET: Final[UnsetType] = object.__new__(UnsetType)
