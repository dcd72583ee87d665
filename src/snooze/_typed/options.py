"""How users configure their classes: `configure`, and the checks of its options.

Separate from introspection, which reads these. Invariants: every option is checked when
it is given, with an error that states what is allowed; an option that is not given is
`NOT_GIVEN`, so that a subclass or a codec can tell "off" from "not given". Called by
users, when their modules are imported.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from snooze._typed.lazy_typing import TYPE_CHECKING, Any, Immutable, T
from snooze._typed.metadata import Format, Meta

if TYPE_CHECKING:
    from typing import Literal, TypeAlias

    # Not in quotes: type checkers do not read a string in pieces.
    Rename: TypeAlias = (
        Literal["camel", "pascal", "kebab", "snake", "upper"]
        | Mapping[str, str]
        | Callable[[str], str | None]
    )
#: The class attribute in which `configure` stores its options.
OPTIONS_ATTRIBUTE = "__snooze_options__"


class NotGiven:
    """The type of `NOT_GIVEN`."""

    def __repr__(self) -> str:
        """Return the text that signatures show."""
        return "NOT_GIVEN"

    def __bool__(self) -> bool:
        """Count as False: an option that is not given is off."""
        return False

    def __reduce__(self) -> str:
        """Pickle as a reference to the single instance."""
        return "NOT_GIVEN"


NOT_GIVEN: Any = NotGiven()


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


def check_choice(name: str, value: object, allowed: tuple[object, ...]) -> None:
    """Raise `ValueError` unless the value of an option is one of those allowed."""
    if value not in allowed:
        raise ValueError(f"{name}: expected {alternatives(allowed)}, found {value!r}")


def alternatives(values: tuple[object, ...]) -> str:
    """Return values as messages list them: `'a', 'b' or 'c'`."""
    *others, last = map(repr, values)
    return f"{', '.join(others)} or {last}" if others else last


def check_rename(value: Any, where: str) -> None:
    """Raise unless the value is a style, a mapping or a callable."""
    styles = ", ".join(map(repr, STYLES))
    if isinstance(value, str):
        if value not in STYLES:
            raise ValueError(
                f"{where}: rename: expected {styles}, a mapping or a callable, found "
                f"{value!r}"
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


def wire_name(rename: Any, name: str, place: str) -> str:
    """Return the JSON name of a Python name."""
    if isinstance(rename, str):
        return STYLES[rename](name)
    if isinstance(rename, Mapping):
        mapped: str = rename.get(name, name)
        return mapped
    result = rename(name)
    if result is None:
        return name
    if not isinstance(result, str):
        raise TypeError(
            f"{place}: the callable given as rename returned {result!r} for {name!r}; "
            "it must return a str, or None to keep the name"
        )
    return result


def check_bool(value: Any, name: str, where: str) -> None:
    """Raise unless the value is True, False or NOT_GIVEN."""
    if value is not NOT_GIVEN and not isinstance(value, bool):
        raise TypeError(f"{where}: {name} needs True or False, not {value!r}")


def check_omit_none(value: Any, where: str) -> None:
    """Raise unless the value is True, False or "all"."""
    if value != "all" and not isinstance(value, bool):
        raise TypeError(
            f"{where}: omit_none needs True or False, or 'all', not {value!r}"
        )


def check_unknown(value: Any, where: str) -> None:
    """Raise unless the value is "ignore" or "forbid"."""
    if value not in {"ignore", "forbid"}:
        raise ValueError(
            f"{where}: unknown: expected 'ignore' or 'forbid', found {value!r} (to "
            "collect unknown members, mark a field with Field(rest=True))"
        )


def check_formats(value: Any, where: str) -> None:
    """Raise unless the value maps classes to names that `Format` takes for them."""
    if not isinstance(value, Mapping):
        raise TypeError(
            f"{where}: formats needs a dict such as {{datetime: 'unix'}}, not {value!r}"
        )
    for cls, name in value.items():
        if not isinstance(cls, type):
            raise TypeError(
                f"{where}: formats={{{cls!r}: {name!r}}}: the keys are classes, as in "
                f"{{datetime: 'unix'}}, and {cls!r} is none"
            )
        chosen = name if isinstance(name, Format) else Format(name)
        if not chosen.is_for(cls):
            raise TypeError(
                f"{where}: formats={{{cls!r}: {name!r}}}: the format {name!r} is for "
                f"{chosen.classes_text()}"
            )


class Options(Immutable):
    """The options of one `configure` call, or the defaults that a codec gives."""

    __slots__ = (  # noqa: RUF023 - in the order of __init__
        "rename",
        "omit_none",
        "omit_defaults",
        "unknown",
        "tag",
        "tag_field",
        "content",
        "array_like",
        "sort_keys",
        "gc",
        "formats",
        "meta",
        "fallback",
    )
    rename: Any
    omit_none: Any
    omit_defaults: Any
    unknown: Any
    tag: Any
    tag_field: Any
    content: Any
    array_like: Any
    sort_keys: Any
    gc: Any
    formats: Any
    meta: Any
    fallback: Any

    def __init__(  # noqa: PLR0913 - one for each option
        self,
        *,
        rename: Any = NOT_GIVEN,
        omit_none: Any = NOT_GIVEN,
        omit_defaults: Any = NOT_GIVEN,
        unknown: Any = NOT_GIVEN,
        tag: Any = NOT_GIVEN,
        tag_field: Any = NOT_GIVEN,
        content: Any = NOT_GIVEN,
        array_like: Any = NOT_GIVEN,
        sort_keys: Any = NOT_GIVEN,
        gc: Any = NOT_GIVEN,
        formats: Any = NOT_GIVEN,
        meta: Any = NOT_GIVEN,
        fallback: Any = NOT_GIVEN,
    ) -> None:
        """Check each option."""
        where = "configure"
        self._set_fields(
            rename,
            omit_none,
            omit_defaults,
            unknown,
            tag,
            tag_field,
            content,
            array_like,
            sort_keys,
            gc,
            formats,
            meta,
            fallback,
        )
        if rename is not NOT_GIVEN and rename is not None:
            check_rename(rename, where)
        booleans = ("omit_none", "omit_defaults", "array_like", "sort_keys", "gc")
        for name in (*booleans, "fallback"):
            check_bool(getattr(self, name), name, where)
        if unknown is not NOT_GIVEN:
            check_unknown(unknown, where)
        if tag is not NOT_GIVEN and not (
            isinstance(tag, (bool, str, int)) or callable(tag)
        ):
            raise TypeError(
                f"{where}: tag needs True (the class's name), False, a str, an int or "
                f"a callable that makes one from the class's name, not {tag!r}"
            )
        if formats is not NOT_GIVEN:
            check_formats(formats, where)
        if meta is not NOT_GIVEN and not isinstance(meta, Meta):
            raise TypeError(f"{where}: meta needs a snooze.Meta, not {meta!r}")
        for name in ("tag_field", "content"):
            value = getattr(self, name)
            if value is None and name == "content":
                continue
            if value is not NOT_GIVEN and not isinstance(value, str):
                raise TypeError(
                    f"{where}: {name} needs a str, the name of the member, not "
                    f"{value!r}"
                )

    def explicit(self) -> dict[str, Any]:
        """Return the options that were given, by name."""
        fields = zip(self._field_names, self._field_values(), strict=True)
        return {name: value for name, value in fields if value is not NOT_GIVEN}


def configure(  # noqa: PLR0913 - one keyword for each option
    *,
    rename: Rename | None = NOT_GIVEN,
    omit_none: bool = NOT_GIVEN,
    omit_defaults: bool = NOT_GIVEN,
    unknown: Literal["ignore", "forbid"] = NOT_GIVEN,
    tag: bool | str | int | Callable[[str], str | int] = NOT_GIVEN,
    tag_field: str = NOT_GIVEN,
    content: str | None = NOT_GIVEN,
    array_like: bool = NOT_GIVEN,
    sort_keys: bool = NOT_GIVEN,
    gc: bool = NOT_GIVEN,
    formats: Mapping[type, str | Format] = NOT_GIVEN,
    meta: Meta = NOT_GIVEN,
    fallback: bool = NOT_GIVEN,
) -> Callable[[type[T]], type[T]]:
    """Configure how a class is represented in JSON; a class decorator.

    Works on dataclasses, attrs classes, TypedDicts and NamedTuples, and changes nothing
    about the class for other code. Subclasses inherit each option that they do not set
    themselves, the tag included. If neither a class nor its bases set an option, the
    Decoder or Encoder option of the same name applies, and for `array_like` of a
    NamedTuple the option `namedtuple`. An Encoder with `sort_keys` sorts all classes.

    Args:
        rename: How attribute names become JSON names: a style ("camel", "pascal",
            "kebab", "snake", "upper"), a mapping from attribute names to JSON names, or
            a callable that takes a name and returns the JSON name, or None to keep it.
            Default: names stay as they are.
        omit_none: True leaves out members that are None when encoding, if None is their
            default or they are not required keys of a TypedDict; elsewhere a Decoder
            would not read None.
        omit_defaults: True leaves out members that equal the default of their field
            when encoding.
        unknown: "ignore" skips members that the class has no field for, "forbid" makes
            each a problem. Default: they are skipped.
        tag: A member that names the class, to tell the classes of a union apart: True
            for the name of the class, a str, an int, or a callable that takes the name
            of the class and returns the tag. False for no tag, even if a base class has
            one. Default: no tag.
        tag_field: The name of the tag member. Default "type".
        content: The name of a member beside the tag, in which all members of the class
            are: `{"type": "Order", "data": {…}}`. It may be missing if the class needs
            no member. None for no such member, even if a base class has one. Default:
            the members are beside the tag.
        array_like: True represents an instance as an array of its values, in the order
            of the fields; a tag is the first item. Default: False, except True for
            NamedTuples.
        sort_keys: True writes members in the order of their names, with the tag and the
            members that a field with `rest` holds.
        gc: False hides instances that a Decoder makes from the cyclic garbage
            collector, which then has less to do. A reference cycle through such an
            instance is never freed. Not for TypedDicts.
        formats: The names of formats for `datetime`, `timedelta`, `bytes`, `bytearray`
            and `enum.Enum` (or an enum class) in the fields of the class, as described
            at `Format`: `{datetime: "unix"}`. Default: ISO 8601, base64, and the values
            of enums.
        meta: The title, description and so on of the class in a schema. Subclasses do
            not inherit it. Default: the name and the docstring of the class.
        fallback: True lets the class take the objects of a union that no other class
            takes: those with an unknown tag or none, or with no known member. The class
            has no tag itself; to keep that of the document, declare it as a field.
            Default: such objects are refused.

    Returns:
        A decorator that stores the options in the class and returns the class.

    Raises:
        TypeError: An option has the wrong type, or a class is not decorated.
        ValueError: An option has an unknown value.

    Examples:
        >>> import dataclasses, snooze
        >>> @snooze.configure(rename="camel", tag=True, omit_none=True)
        ... @dataclasses.dataclass
        ... class Order:
        ...     order_id: int
        ...     ship_to: str | None = None
        >>> snooze.encode(Order(7))
        b'{"type":"Order","orderId":7}'
        >>> snooze.decode(b'{"orderId": 7, "shipTo": "Oslo"}', Order)
        Order(order_id=7, ship_to='Oslo')
    """
    options = Options(
        rename=rename,
        omit_none=omit_none,
        omit_defaults=omit_defaults,
        unknown=unknown,
        tag=tag,
        tag_field=tag_field,
        content=content,
        array_like=array_like,
        sort_keys=sort_keys,
        gc=gc,
        formats=formats,
        meta=meta,
        fallback=fallback,
    )

    def decorate(cls: type[T]) -> type[T]:
        if not isinstance(cls, type):
            raise TypeError(f"configure(...) decorates classes, not {cls!r}")
        old = cls.__dict__.get(OPTIONS_ATTRIBUTE)
        if isinstance(old, Options):
            merged = Options(**{**old.explicit(), **options.explicit()})
            setattr(cls, OPTIONS_ATTRIBUTE, merged)
        else:
            setattr(cls, OPTIONS_ATTRIBUTE, options)
        return cls

    return decorate


def options_of(cls: Any) -> Options:
    """Return the options of a class, with those that it inherits."""
    merged: dict[str, Any] = {}
    for base in _class_and_bases(cls):
        found = base.__dict__.get(OPTIONS_ATTRIBUTE)
        if not isinstance(found, Options):
            continue
        for name, value in found.explicit().items():
            if name != "meta" or base is cls:
                merged.setdefault(name, value)
    return Options(**merged)


def _class_and_bases(cls: Any) -> list[Any]:
    """Return a class and its bases, the nearest first.

    A TypedDict has dict as its only base; those in its definition are in
    `__orig_bases__`.
    """
    found = [cls]
    for base in cls.__dict__.get("__orig_bases__", ()):
        origin = getattr(base, "__origin__", base)
        if isinstance(origin, type) and origin not in cls.__mro__:
            found += _class_and_bases(origin)
    return found + list(cls.__mro__[1:])


def tag_of(options: Options, cls: Any, place: str) -> tuple[str, str | int] | None:
    """Return the name and value of the tag member, or None if there is none."""
    tag = options.tag
    if tag is NOT_GIVEN or tag is False:
        return None
    name = options.tag_field or "type"
    if tag is True:
        return name, cls.__name__
    if callable(tag):
        tag = tag(cls.__name__)
    if isinstance(tag, bool) or not isinstance(tag, (str, int)):
        raise TypeError(f"{place}: the callable given as tag returned {tag!r}")
    if not is_readable_tag(tag):
        raise TypeError(f"{place}: expected a tag of at most 64 bits, found {tag}")
    return name, tag


def is_readable_tag(value: object) -> bool:
    """Return whether a Decoder can select a class by a value: integers have 64 bits."""
    return not isinstance(value, int) or -(2**63) <= value < 2**64
