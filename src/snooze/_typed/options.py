"""What users say about their classes: `configure`, `Field` and `Via`.

Separate from introspection, which reads these. Invariants: every option is checked when
it is given, with an error that says what is expected; what is not given is `UNSET`, so
that a subclass, and the options of a Decoder or Encoder, can tell "no" from "not said".
Called by users, at import time of their modules.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from snooze._typed.lazy_typing import TYPE_CHECKING, Any, T, Value

if TYPE_CHECKING:
    from typing import Literal, TypeAlias

    # Not in quotes: type checkers do not read a string in pieces.
    Rename: TypeAlias = (
        Literal["camel", "pascal", "kebab", "snake", "upper"]
        | Mapping[str, str]
        | Callable[[str], str | None]
    )
#: The attribute in which a class keeps what `configure` was told.
STORED = "__snooze_options__"


class Unset:
    """The type of `UNSET`."""

    def __repr__(self) -> str:
        """Return what signatures show."""
        return "UNSET"

    def __bool__(self) -> bool:
        """Not said is not yes."""
        return False

    def __reduce__(self) -> str:
        """Pickle as the one object that it is."""
        return "UNSET"


UNSET: Any = Unset()


def _words(name: str) -> list[str]:
    """Split a Python name at underscores and before capitals."""
    return re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[^A-Z_]+", name) or [name]


def _camel(name: str) -> str:
    head, *tail = _words(name)
    return head.lower() + "".join(word[:1].upper() + word[1:] for word in tail)


def _pascal(name: str) -> str:
    return "".join(word[:1].upper() + word[1:] for word in _words(name))


STYLES: dict[str, Callable[[str], str]] = {
    "camel": _camel,
    "pascal": _pascal,
    "kebab": lambda name: "-".join(word.lower() for word in _words(name)),
    "snake": lambda name: "_".join(word.lower() for word in _words(name)),
    "upper": str.upper,
}


def check_rename(value: Any, where: str) -> None:
    """Refuse what is no way to rename."""
    styles = ", ".join(map(repr, STYLES))
    if isinstance(value, str):
        if value not in STYLES:
            raise ValueError(
                f"{where}: rename={value!r} is not known; use one of {styles}, a "
                "mapping or a callable"
            )
    elif isinstance(value, Mapping):
        for old, new in value.items():
            if not isinstance(old, str) or not isinstance(new, str):
                raise TypeError(
                    f"{where}: rename maps names to names (str to str), not "
                    f"{old!r} to {new!r}"
                )
    elif not callable(value):
        raise TypeError(
            f"{where}: rename needs one of {styles}, a mapping or a callable, not "
            f"{value!r}"
        )


def renamed(rename: Any, name: str, place: str) -> str:
    """Return the name in JSON of a Python name."""
    if isinstance(rename, str):
        return STYLES[rename](name)
    if isinstance(rename, Mapping):
        other: str = rename.get(name, name)
        return other
    result = rename(name)
    if result is None:
        return name
    if not isinstance(result, str):
        raise TypeError(
            f"{place}: the callable given as rename returned {result!r} for {name!r}; "
            "it has to return a str, or None to keep the name"
        )
    return result


def check_bool(value: Any, name: str, where: str) -> None:
    """Refuse what is neither True nor False."""
    if value is not UNSET and not isinstance(value, bool):
        raise TypeError(f"{where}: {name} needs True or False, not {value!r}")


def check_unknown(value: Any, where: str) -> None:
    """Refuse what is no way to treat unknown members."""
    if value not in {"ignore", "forbid"}:
        raise ValueError(
            f"{where}: unknown={value!r} is not known; use 'ignore' or 'forbid' (to "
            "collect unknown members, mark a field with Field(rest=True))"
        )


class Options(Value):
    """What `configure` was told, or the defaults of a codec."""

    __slots__ = (  # noqa: RUF023 - in the order of __init__
        "rename",
        "omit_none",
        "omit_defaults",
        "unknown",
        "tag",
        "tag_field",
        "array_like",
        "sort",
        "gc",
    )
    rename: Any
    omit_none: Any
    omit_defaults: Any
    unknown: Any
    tag: Any
    tag_field: Any
    array_like: Any
    sort: Any
    gc: Any

    def __init__(  # noqa: PLR0913 - one for each option
        self,
        *,
        rename: Any = UNSET,
        omit_none: Any = UNSET,
        omit_defaults: Any = UNSET,
        unknown: Any = UNSET,
        tag: Any = UNSET,
        tag_field: Any = UNSET,
        array_like: Any = UNSET,
        sort: Any = UNSET,
        gc: Any = UNSET,
    ) -> None:
        """Check each."""
        where = "configure"
        self._set(
            rename,
            omit_none,
            omit_defaults,
            unknown,
            tag,
            tag_field,
            array_like,
            sort,
            gc,
        )
        if rename is not UNSET and rename is not None:
            check_rename(rename, where)
        for name in ("omit_none", "omit_defaults", "array_like", "sort", "gc"):
            check_bool(getattr(self, name), name, where)
        if unknown is not UNSET:
            check_unknown(unknown, where)
        if tag is not UNSET and not (
            isinstance(tag, (bool, str, int)) or callable(tag)
        ):
            raise TypeError(
                f"{where}: tag needs True (the class's name), False, a str, an int or "
                f"a callable that makes one from the class's name, not {tag!r}"
            )
        if tag_field is not UNSET and not isinstance(tag_field, str):
            raise TypeError(
                f"{where}: tag_field needs a str, the name of the member, not "
                f"{tag_field!r}"
            )

    def given(self) -> dict[str, Any]:
        """Return what was said, by name."""
        fields = zip(self._names, self._values(), strict=True)
        return {name: value for name, value in fields if value is not UNSET}


def configure(  # noqa: PLR0913 - one keyword for each option
    *,
    rename: Rename | None = UNSET,
    omit_none: bool = UNSET,
    omit_defaults: bool = UNSET,
    unknown: Literal["ignore", "forbid"] = UNSET,
    tag: bool | str | int | Callable[[str], str | int] = UNSET,
    tag_field: str = UNSET,
    array_like: bool = UNSET,
    sort: bool = UNSET,
    gc: bool = UNSET,
) -> Callable[[type[T]], type[T]]:
    """Return a class decorator that says how a class looks in JSON.

    Subclasses inherit what they do not say themselves, but not a tag that is given as
    str or int: two classes with one tag could not be told apart.

    Args:
        rename: names in JSON: a style ("camel", "pascal", "kebab", "snake", "upper"),
            a mapping, or a callable that returns a name or None to keep it.
        omit_none: do not write members that are None.
        omit_defaults: do not write members that equal their default.
        unknown: "ignore" or "forbid" members that the class does not have.
        tag: a member that names the class: True for the class's name, or a str or int,
            or a callable that makes one from the name.
        tag_field: the name of that member, "type" if nothing is said.
        array_like: an array of the values in the order of the fields.
        sort: write members in the order of their names.
        gc: False hides instances that a Decoder makes from the cyclic garbage
            collector, which is then faster; a cycle through one is never freed.
    """
    options = Options(
        rename=rename,
        omit_none=omit_none,
        omit_defaults=omit_defaults,
        unknown=unknown,
        tag=tag,
        tag_field=tag_field,
        array_like=array_like,
        sort=sort,
        gc=gc,
    )

    def decorate(cls: type[T]) -> type[T]:
        if not isinstance(cls, type):
            raise TypeError(f"configure(...) decorates classes, not {cls!r}")
        old = cls.__dict__.get(STORED)
        if isinstance(old, Options):
            setattr(cls, STORED, Options(**{**old.given(), **options.given()}))
        else:
            setattr(cls, STORED, options)
        return cls

    return decorate


def options_of(cls: Any) -> Options:
    """Return what a class and its bases were told, the nearest first."""
    merged: dict[str, Any] = {}
    for base in _lineage(cls):
        found = base.__dict__.get(STORED)
        if not isinstance(found, Options):
            continue
        for name, value in found.given().items():
            if name in merged:
                continue
            fixed = isinstance(value, (str, int)) and not isinstance(value, bool)
            if name == "tag" and base is not cls and fixed:
                continue
            merged[name] = value
    return Options(**merged)


def _lineage(cls: Any) -> list[Any]:
    """Return a class and its bases; a TypedDict remembers its bases elsewhere."""
    found = [cls]
    for base in cls.__dict__.get("__orig_bases__", ()):
        origin = getattr(base, "__origin__", base)
        if isinstance(origin, type) and origin not in cls.__mro__:
            found += _lineage(origin)
    return found + list(cls.__mro__[1:])


class Field(Value):
    """What `Annotated[T, Field(...)]` says about one field.

    Args:
        name: the name in JSON, whatever the class says about names.
        alias: further names that are read.
        exclude: neither read nor written; the field needs a default.
        omit_none: do not write it if it is None.
        omit_default: do not write it if it equals its default.
        rest: collect the members that the class does not have; the field is a
            `dict[str, T]`.
    """

    __slots__ = (  # noqa: RUF023 - in the order of __init__
        "name",
        "alias",
        "exclude",
        "omit_none",
        "omit_default",
        "rest",
    )
    name: str | None
    alias: tuple[str, ...]
    exclude: bool
    omit_none: bool
    omit_default: bool
    rest: bool

    def __init__(  # noqa: PLR0913, PLR0917 - one for each option
        self,
        name: str | None = None,
        alias: str | tuple[str, ...] = (),
        exclude: bool = False,  # noqa: FBT001, FBT002 - by position, too
        omit_none: bool = UNSET,  # noqa: FBT001
        omit_default: bool = UNSET,  # noqa: FBT001
        rest: bool = False,  # noqa: FBT001, FBT002
    ) -> None:
        """Check each."""
        if name is not None and not isinstance(name, str):
            raise TypeError(f"Field: name needs a str, not {name!r}")
        names = (alias,) if isinstance(alias, str) else alias
        if not isinstance(names, (tuple, list)) or not all(
            isinstance(one, str) for one in names
        ):
            raise TypeError(f"Field: alias needs a tuple of str, not {alias!r}")
        self._set(name, tuple(names), exclude, omit_none, omit_default, rest)
        for one in ("exclude", "omit_none", "omit_default", "rest"):
            check_bool(getattr(self, one), one, "Field")
        if rest and (name is not None or names or exclude):
            raise ValueError(
                "Field: rest=True collects members under their own names; name, alias "
                "and exclude do not go with it"
            )

    @property
    def aliases(self) -> tuple[str, ...]:
        """The names as a tuple."""
        return self.alias


class Via(Value):
    """A type that travels as another one: `Annotated[T, Via(str, decode=…, encode=…)]`.

    The same object, returned by a class method `__snooze__`, does it for a class
    wherever it is used.

    Args:
        wire_type: the type in JSON.
        decode: makes the value from a value of the wire type; ValueError, TypeError
            and AssertionError say that it cannot. Needed to decode.
        encode: makes a value of the wire type. Needed to encode.
    """

    __slots__ = ("wire_type", "decode", "encode")  # noqa: RUF023 - as in __init__
    wire_type: Any
    decode: Callable[[Any], Any] | None
    encode: Callable[[Any], Any] | None

    def __init__(
        self,
        wire_type: Any,
        *,
        decode: Callable[[Any], Any] | None = None,
        encode: Callable[[Any], Any] | None = None,
    ) -> None:
        """Check both functions."""
        for name, value in (("decode", decode), ("encode", encode)):
            if value is not None and not callable(value):
                raise TypeError(f"Via: {name} needs a callable, not {value!r}")
        if decode is None and encode is None:
            raise TypeError("Via: give decode=, encode= or both")
        self._set(wire_type, decode, encode)


def tag_of(options: Options, cls: Any, place: str) -> tuple[str, str | int] | None:
    """Return the tag member of a class: its name and value."""
    tag = options.tag
    if tag is UNSET or tag is False:
        return None
    name = options.tag_field or "type"
    if tag is True:
        return name, cls.__name__
    if callable(tag):
        tag = tag(cls.__name__)
    if isinstance(tag, bool) or not isinstance(tag, (str, int)):
        raise TypeError(f"{place}: the callable given as tag returned {tag!r}")
    return name, tag


for _name in (Field, Via):
    _name.__module__ = "snooze"
