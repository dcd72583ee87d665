"""`Field`: how users configure one field of a class.

Separate from `options`, which configures whole classes. Invariant: every option is
checked when it is given. Called by users, when their modules are imported; read by
`records`.
"""

from __future__ import annotations

from snooze._typed.lazy_typing import Immutable
from snooze._typed.options import NOT_GIVEN, check_bool


class Field(Immutable):
    """Configure one field of a class: `Annotated[T, Field(...)]`.

    Args:
        name: The JSON name of the field, which takes precedence over `rename`. Default
            None: the name that `rename` gives.
        alias: Further JSON names that are accepted when decoding: a str or a tuple of
            str. Default `()`.
        exclude: True neither decodes nor encodes the field, which then needs a default.
            Default False.
        omit_none: True leaves the member out if it is None, False writes null. Default:
            as the class or the Encoder says.
        omit_default: True leaves the member out if it equals the default of the field,
            False writes it. Default: as the class or the Encoder says.
        rest: True collects the members that the class has no field for. The type of the
            field is `dict[str, T]`; dataclasses and attrs classes can have one such
            field. Default False.
        flatten: True makes the members of the class that is the type of the field
            members of this class, without an object of their own. If the field has a
            default, they may all be missing. Default False.

    Raises:
        TypeError: An option has the wrong type.
        ValueError: `rest=True` or `flatten=True` together with name, alias or exclude.

    Examples:
        >>> import dataclasses, snooze
        >>> from typing import Annotated, Any
        >>> @dataclasses.dataclass
        ... class Item:
        ...     price: Annotated[float, snooze.Field(name="Price", alias="cost")]
        ...     more: Annotated[dict[str, Any], snooze.Field(rest=True)]
        >>> item = snooze.decode(b'{"cost": 2.5, "size": 3}', Item)
        >>> item
        Item(price=2.5, more={'size': 3})
        >>> snooze.encode(item)
        b'{"Price":2.5,"size":3}'
    """

    __slots__ = (  # noqa: RUF023 - in the order of __init__
        "name",
        "alias",
        "exclude",
        "omit_none",
        "omit_default",
        "rest",
        "flatten",
    )
    name: str | None
    alias: tuple[str, ...]
    exclude: bool
    omit_none: bool
    omit_default: bool
    rest: bool
    flatten: bool

    def __init__(  # noqa: PLR0913, PLR0917 - one for each option
        self,
        name: str | None = None,
        alias: str | tuple[str, ...] = (),
        exclude: bool = False,  # noqa: FBT001, FBT002 - by position, too
        omit_none: bool = NOT_GIVEN,  # noqa: FBT001
        omit_default: bool = NOT_GIVEN,  # noqa: FBT001
        rest: bool = False,  # noqa: FBT001, FBT002
        flatten: bool = False,  # noqa: FBT001, FBT002
    ) -> None:
        """Check each option."""
        if name is not None and not isinstance(name, str):
            raise TypeError(f"Field: name needs a str, not {name!r}")
        names = (alias,) if isinstance(alias, str) else alias
        if not isinstance(names, (tuple, list)) or not all(
            isinstance(one, str) for one in names
        ):
            raise TypeError(f"Field: alias needs a tuple of str, not {alias!r}")
        self._set_fields(
            name, tuple(names), exclude, omit_none, omit_default, rest, flatten
        )
        for one in ("exclude", "omit_none", "omit_default", "rest", "flatten"):
            check_bool(getattr(self, one), one, "Field")
        if rest and (name is not None or names or exclude):
            raise ValueError(
                "Field: rest=True keeps the names of the members that it collects; it "
                "cannot be combined with name, alias or exclude"
            )

        if flatten and (name is not None or names or exclude or rest):
            raise ValueError(
                "Field: flatten=True has no member of its own; it cannot be combined "
                "with name, alias, exclude or rest"
            )

    @property
    def aliases(self) -> tuple[str, ...]:
        """The further names, as a tuple."""
        return self.alias


Field.__module__ = "snooze"
