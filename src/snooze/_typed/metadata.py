"""What `Annotated` takes beside constraints and `Field`: `Via`, `Format`, and so on.

Separate from `options`, because these belong to a type, wherever it is used, and not to
a field or class. Invariant: every argument is checked when it is given. Made by users;
read by `introspect`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from snooze._typed.lazy_typing import TYPE_CHECKING, Any, Immutable

if TYPE_CHECKING:
    from collections.abc import Sequence


class Meta(Immutable):
    """Describe a type, field or class in its JSON Schema: `Annotated[T, Meta(...)]`.

    It changes nothing else. For a class, give it to `configure(meta=…)`. Of several in
    one `Annotated`, the last that gives a keyword wins.

    Args:
        title: The keyword `title`. Default None: none, or the name of the class.
        description: The keyword `description`. Default None: none, or the docstring of
            the class, or the `doc` of a dataclass field (CPython 3.14).
        examples: The keyword `examples`: values of the type, shown as JSON. Default
            None.
        deprecated: The keyword `deprecated`. Default None: absent, or True for a class
            with `@warnings.deprecated`.
        json_schema_extra: Further keywords, such as `{"x-order": 1}`, which replace
            those that snooze writes. Default None.

    Raises:
        TypeError: An argument has the wrong type.

    Examples:
        >>> import snooze
        >>> from typing import Annotated
        >>> Age = Annotated[int, snooze.Ge(0), snooze.Meta(description="in years")]
        >>> schema = snooze.schema(list[Age])
        >>> schema["items"]
        {'type': 'integer', 'minimum': 0, 'description': 'in years'}
    """

    __slots__ = (  # noqa: RUF023 - in the order of __init__
        "title",
        "description",
        "examples",
        "deprecated",
        "json_schema_extra",
    )
    title: str | None
    description: str | None
    examples: tuple[Any, ...] | None
    deprecated: bool | None
    json_schema_extra: Mapping[str, Any] | None

    def __init__(
        self,
        *,
        title: str | None = None,
        description: str | None = None,
        examples: Sequence[Any] | None = None,
        deprecated: bool | None = None,
        json_schema_extra: Mapping[str, Any] | None = None,
    ) -> None:
        """Check each argument."""
        for name, text in (("title", title), ("description", description)):
            if text is not None and not isinstance(text, str):
                raise TypeError(f"Meta: {name} needs a str, not {text!r}")
        if examples is not None and not isinstance(examples, (list, tuple)):
            raise TypeError(f"Meta: examples needs a list of values, not {examples!r}")
        if deprecated is not None and not isinstance(deprecated, bool):
            raise TypeError(f"Meta: deprecated needs True or False, not {deprecated!r}")
        if json_schema_extra is not None and not (
            isinstance(json_schema_extra, Mapping)
            and all(isinstance(key, str) for key in json_schema_extra)
        ):
            raise TypeError(
                "Meta: json_schema_extra needs a dict of keywords and values, not "
                f"{json_schema_extra!r}"
            )
        shown = None if examples is None else tuple(examples)
        self._set_fields(title, description, shown, deprecated, json_schema_extra)

    def __eq__(self, other: object) -> bool:
        """Compare all arguments; 1 and True are not equal here."""
        if type(other) is not type(self):
            return NotImplemented
        return super().__eq__(other) and repr(self) == repr(other)

    def __hash__(self) -> int:
        """Hash the texts; examples and extra keywords may not be hashable."""
        return hash((self.title, self.description, self.deprecated))


#: The names of formats for each class, without the default.
FORMAT_NAMES = {
    "datetime": ("unix", "unix_ms", "unix_us"),
    "timedelta": ("seconds", "milliseconds", "microseconds"),
    "bytes and bytearray": ("base64url", "hex"),
    "enums": ("name",),
}
#: The default of every class: ISO 8601, base64, and the values of enums.
DEFAULT_FORMAT = "default"


class Format(Immutable):
    """Choose another JSON form: `Annotated[datetime, Format("unix")]`.

    For all fields of a class, see `configure(formats=…)`.

    Args:
        name: For `datetime`: "unix", "unix_ms" or "unix_us", a number of seconds,
            milliseconds or microseconds since 1970; the result of decoding is in UTC,
            and a datetime without offset cannot be encoded. For `timedelta`: "seconds",
            "milliseconds" or "microseconds", a number. For `bytes` and `bytearray`:
            "base64url" (RFC 4648 section 5; written without padding) or "hex". For
            enums other than flags: "name", the names of the members instead of their
            values. "default" undoes `configure(formats=…)`.

    Numbers are integers where they are whole, and have a fraction where that is needed,
    except in microseconds. A fraction that no double represents exactly is an error when
    it is written, and is rounded to the nearest microsecond when it is read.

    Raises:
        TypeError: The name is not a str.
        ValueError: The name is not one of these.

    Examples:
        >>> import datetime, snooze
        >>> from typing import Annotated
        >>> Stamp = Annotated[datetime.datetime, snooze.Format("unix_ms")]
        >>> snooze.decode(b"[1700000000500]", list[Stamp])
        [datetime.datetime(2023, 11, 14, 22, 13, 20, 500000, tzinfo=datetime.timezone.utc)]
        >>> snooze.encode(
        ...     datetime.timedelta(seconds=90),
        ...     Annotated[datetime.timedelta, snooze.Format("seconds")],
        ... )
        b'90'
    """  # noqa: E501 - a result is one line

    __slots__ = ("name",)
    name: str

    def __init__(self, name: str) -> None:
        """Check the name."""
        if not isinstance(name, str):
            raise TypeError(f"Format: name needs a str, not {name!r}")
        names = [one for group in FORMAT_NAMES.values() for one in group]
        if name not in {*names, DEFAULT_FORMAT}:
            known = ", ".join(map(repr, [*names, DEFAULT_FORMAT]))
            raise ValueError(f"Format: expected one of {known}, found {name!r}")
        self._set_fields(name)

    def classes_text(self) -> str:
        """Return the classes that the format is for, for messages."""
        fitting = [text for text, names in FORMAT_NAMES.items() if self.name in names]
        *most, last = fitting or [
            "datetime",
            "timedelta",
            "bytes",
            "bytearray",
            "enums",
        ]
        return f"{', '.join(most)} and {last}" if most else last

    def is_for(self, cls: type) -> bool:
        """Return whether the format is for a class."""
        import datetime as dt  # noqa: PLC0415 - not at import time
        import enum  # noqa: PLC0415

        if cls in {dt.datetime, dt.timedelta}:
            group = cls.__name__
        elif cls in {bytes, bytearray}:
            group = "bytes and bytearray"
        elif issubclass(cls, enum.Enum) and not issubclass(cls, enum.Flag):
            group = "enums"
        else:
            return False
        return self.name in {*FORMAT_NAMES[group], DEFAULT_FORMAT}


class FirstMatch(Immutable):
    """Try the alternatives of a union in their order: `Annotated[A | B, FirstMatch()]`.

    For unions that JSON cannot tell apart, which are refused without it: `date | str`,
    `list[int] | list[str]`, a class or `dict[str, Any]`. The first alternative that
    accepts a value makes the result; if none accepts an array or object, the message
    has the reason of each.
    When encoding, the first alternative that can write the value writes it.

    Each attempt reads the value again. A Decoder reads the bytes of a value at most 64
    times (and 16 KiB), however deeply such unions are inside each other, and then
    refuses it; an Encoder has a similar bound, and refuses more than 32 such unions
    inside each other. An iterator in the value is read once for all attempts; with a
    layout (`indent` and others) and in `to_builtins` it is an error: pass a list. Not
    for the keys of dicts.

    Write a new `FirstMatch()` for each union: `date | str` and `str | date` are equal
    in Python, and `Annotated` returns the same object for equal arguments. Two
    instances are never equal.

    Examples:
        >>> import datetime, snooze
        >>> from typing import Annotated
        >>> When = Annotated[datetime.date | str, snooze.FirstMatch()]
        >>> snooze.decode(b'["2026-11-23", "some day"]', list[When])
        [datetime.date(2026, 11, 23), 'some day']
    """

    __slots__ = ()

    def __init__(self) -> None:
        """Take no arguments."""
        self._set_fields()

    def __eq__(self, other: object) -> bool:
        """Return whether it is the same object."""
        return self is other

    def __hash__(self) -> int:
        """Return a hash of the object's identity."""
        return id(self)


class Subclasses(Immutable):
    """Stand for a class or any of its subclasses: `Annotated[Shape, Subclasses()]`.

    The same as a union of all of them except abstract classes, as they are when the
    codec is made: import the modules that define them before. The classes are told
    apart as in a union, best by tags: `configure(tag=True)` on the base class tags them
    all, and `configure(tag=str.lower)` makes the tags from their names. For
    dataclasses, attrs classes and msgspec's Structs.

    Examples:
        >>> import dataclasses, snooze
        >>> from typing import Annotated
        >>> @snooze.configure(tag=str.lower, tag_field="kind")
        ... @dataclasses.dataclass
        ... class Shape:
        ...     pass
        >>> @dataclasses.dataclass
        ... class Circle(Shape):
        ...     radius: float
        >>> @dataclasses.dataclass
        ... class Square(Shape):
        ...     side: float
        >>> AnyShape = Annotated[Shape, snooze.Subclasses()]
        >>> snooze.decode(b'[{"kind": "circle", "radius": 2}]', list[AnyShape])
        [Circle(radius=2.0)]
        >>> snooze.encode([Square(1.5)], list[AnyShape])
        b'[{"kind":"square","side":1.5}]'
    """

    __slots__ = ()

    def __init__(self) -> None:
        """Take no arguments."""
        self._set_fields()


class Via(Immutable):
    """Represent a type in JSON as another type, its wire type.

    Use it for one place as `Annotated[T, Via(str, decode=…, encode=…)]`, or for a class
    of yours everywhere: return it from a class method `__snooze__(cls)`.

    Args:
        wire_type: The type whose JSON form is used: any type that snooze supports.
            Its constraints are checked before `decode` is called.
        decode: Takes a value of the wire type and returns the value. A ValueError,
            TypeError or AssertionError means that the value does not fit. Required for
            decoding. Default None.
        encode: Takes the value and returns a value of the wire type. Required for
            encoding. Default None.

    Raises:
        TypeError: `decode` or `encode` is not callable, or both are missing.

    Examples:
        >>> import fractions, snooze
        >>> from typing import Annotated
        >>> Fraction = Annotated[
        ...     fractions.Fraction,
        ...     snooze.Via(str, decode=fractions.Fraction, encode=str),
        ... ]
        >>> snooze.decode(b'["1/3"]', list[Fraction])
        [Fraction(1, 3)]
        >>> snooze.encode([fractions.Fraction(2, 6)], list[Fraction])
        b'["1/3"]'
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
        """Check the functions."""
        for name, value in (("decode", decode), ("encode", encode)):
            if value is not None and not callable(value):
                raise TypeError(f"Via: {name} needs a callable, not {value!r}")
        if decode is None and encode is None:
            raise TypeError("Via: give decode=, encode= or both")
        self._set_fields(wire_type, decode, encode)


for _name in (Meta, Format, FirstMatch, Subclasses, Via):
    _name.__module__ = "snooze"
