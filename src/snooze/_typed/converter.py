"""`Converter` and `convert`: from Python objects to a type, by the rules of a Decoder.

Separate from `codecs` and `calls`, because no JSON text is involved. Invariants: those
of both files. Used by users.
"""

from __future__ import annotations

import functools

from snooze._snooze import ConverterBase
from snooze._typed.calls import cached_codec, codec_cache, dec_hook_during
from snooze._typed.codec_parts import (
    check_errors,
    check_hook,
    check_new,
    codec_repr,
    compile_now,
    defaults_of,
    explicit_options,
    remake,
)
from snooze._typed.lazy_typing import (
    TYPE_CHECKING,
    Any,
    Generic,
    T,
    overload,
    resolved,
)
from snooze._typed.options import check_bool, check_rename, check_unknown

if TYPE_CHECKING:
    import builtins
    from collections.abc import Callable
    from typing import Literal, TypedDict, Unpack

    from snooze._typed.options import Rename

    class ConvertOptions(TypedDict, total=False):
        """The keyword options of `Converter` and `convert`."""

        strict: bool
        errors: Literal["first", "all"]
        max_errors: int
        unknown: Literal["ignore", "forbid"] | None
        rename: Rename | None
        from_attributes: bool
        dec_hook: Callable[[Any, Any], Any] | None
        gc: bool


class Converter(ConverterBase, Generic[T]):
    """Convert Python objects into values of one type, as a Decoder does with JSON.

    For data that is not JSON text, or no longer: what a TOML, YAML or MessagePack
    library returns, rows of a database, results of `loads`, instances of other classes.
    None, bool, int, float and str are read as what they are in JSON, lists, tuples,
    sets and other sequences as arrays, dicts and other mappings as objects, a Decimal
    as a number. An object that is already an instance of the class that the type names
    is kept as it is, and what is in it is not looked at.

    A Converter compiles its type once: make it once, keep it, and call `convert` for
    each object. It never changes afterwards, so threads can share it, and it pickles as
    its type and options.

    Args:
        type: The type of the results: any type that a Decoder takes. Default `Any`:
            objects are returned as they are.
        strict: True (default) accepts only what the type names. False also accepts the
            same value in another form, such as `"1"` for an `int`. Only seconds are
            rounded, to the nearest microsecond.
        errors: "first" (default) raises at the first problem, "all" collects every
            problem in one pass.
        max_errors: With errors="all", how many problems are collected at most; further
            ones are only counted. Default 10,000.
        unknown: What happens to members that a class has no field for: "ignore" skips
            them, "forbid" makes each a problem. Applies to classes without
            `configure(unknown=…)`. Default None: they are skipped.
        rename: How attribute names become names of members, for classes without
            `configure(rename=…)`: "camel", "pascal", "kebab", "snake", "upper", a
            mapping, or a callable. Default None: names stay as they are.
        from_attributes: True reads a field of a class from the attribute of that name
            where the object is no mapping, such as a row of an ORM or an instance of
            another class. Default False.
        dec_hook: `dec_hook(type, value)`, for classes that snooze does not know. It
            gets the object, and returns an instance of `type`; a ValueError, TypeError
            or AssertionError means that the object does not fit. Default None: only
            instances of such a class fit.
        gc: False hides new instances from the cyclic garbage collector, for classes
            without `configure(gc=…)`. A reference cycle through such an instance is
            never freed. Default True.

    Raises:
        TypeError: The type is not supported, a union in it is ambiguous, or an option
            has the wrong type.
        ValueError: An option has an unknown value.

    Examples:
        >>> import dataclasses, datetime, snooze
        >>> @dataclasses.dataclass
        ... class Release:
        ...     day: datetime.date
        ...     sizes: tuple[int, ...] = ()
        >>> releases = snooze.Converter(list[Release])
        >>> releases.convert([{"day": datetime.date(2026, 11, 21), "sizes": [1, 2]}])
        [Release(day=datetime.date(2026, 11, 21), sizes=(1, 2))]
        >>> releases.convert([{"day": "2026-11-21"}, {"day": 5}])
        Traceback (most recent call last):
            ...
        snooze.ValidationError: expected date, found int at $[1].day
    """

    __slots__ = ("_options", "_type")
    __module__ = "snooze"

    if TYPE_CHECKING:

        def convert(self, obj: Any, /) -> T: ...

    @overload
    def __init__(
        self, type: builtins.type[T], **options: Unpack[ConvertOptions]
    ) -> None: ...
    @overload
    def __init__(
        self: Converter[Any], type: Any = ..., **options: Unpack[ConvertOptions]
    ) -> None: ...
    def __init__(  # noqa: PLR0913 - one keyword for each option
        self,
        type: Any = Any,  # noqa: A002 - as in Decoder
        *,
        strict: bool = True,
        errors: Literal["first", "all"] = "first",
        max_errors: int = 10_000,
        unknown: Literal["ignore", "forbid"] | None = None,
        rename: Rename | None = None,
        from_attributes: bool = False,
        dec_hook: Callable[[Any, Any], Any] | None = None,
        gc: bool = True,
    ) -> None:
        """Check the options and compile the type."""
        options = {
            "strict": strict,
            "errors": errors,
            "max_errors": max_errors,
            "unknown": unknown,
            "rename": rename,
            "from_attributes": from_attributes,
            "dec_hook": dec_hook,
            "gc": gc,
        }
        for name in ("strict", "from_attributes", "gc"):
            check_bool(options[name], name, "Converter")
        check_errors(options, _DEFAULTS)
        if unknown is not None:
            check_unknown(unknown, "Converter")
        if rename is not None:
            check_rename(rename, "Converter")
        check_hook(options, "dec_hook")
        check_new(self)
        self._type = resolved(type)
        self._options = explicit_options(options, _DEFAULTS)
        compile_now(self)

    def _prepare(self) -> None:
        """Compile the type."""
        from snooze._typed import plans  # noqa: PLC0415 - not at import time

        self._compile(plans.converting(self._type, _DEFAULTS | self._options))

    @property
    def type(self) -> Any:
        """The type that the Converter was made for."""
        return self._type

    def __repr__(self) -> str:
        """Return the call that makes an equal Converter, without default options."""
        return codec_repr("Converter", self._type, self._options)

    def __reduce__(self) -> Any:
        """Pickle as type and options."""
        return remake, (type(self), self._type, self._options)


_DEFAULTS = defaults_of(Converter.__init__)
_TYPE = type
_plain_converter = functools.lru_cache(256)(Converter)
_converter = codec_cache(Converter)


@overload
def convert(obj: Any, type: type[T], **options: Unpack[ConvertOptions]) -> T: ...
@overload
def convert(obj: Any, type: Any = ..., **options: Unpack[ConvertOptions]) -> Any: ...
def convert(
    obj: Any,
    type: Any = Any,  # noqa: A002 - as in Converter
    **options: Unpack[ConvertOptions],
) -> Any:
    """Convert one Python object into a value of a type.

    The same as `Converter(type, **options).convert(obj)`, with the cache of `decode`.

    Args:
        obj: What `loads` would return, or other objects: mappings, sequences, rows,
            instances.
        type: The type of the result. Default `Any`: the object itself.
        options: The keyword options of `Converter`: strict, errors, max_errors,
            unknown, rename, from_attributes, dec_hook, gc.

    Returns:
        A value of the type.

    Raises:
        ValidationError: The object does not fit the type.
        TypeError: The type is not supported, or an option has the wrong type.
        ValueError: An option has an unknown value.

    Examples:
        >>> import dataclasses, snooze
        >>> @dataclasses.dataclass
        ... class User:
        ...     name: str
        ...     tags: set[str]
        >>> snooze.convert({"name": "mira", "tags": ["a", "b", "a"]}, User).name
        'mira'
        >>> class Row:
        ...     name, tags = "jo", ()
        >>> snooze.convert(Row(), User, from_attributes=True)
        User(name='jo', tags=set())
        >>> snooze.convert({"port": "80"}, dict[str, int], strict=False)
        {'port': 80}
    """
    if not options and _TYPE(type) is _TYPE:
        return _plain_converter(type).convert(obj)
    return dec_hook_during(
        lambda given: (
            cached_codec(_converter, Converter, _DEFAULTS, type, given).convert
        ),
        obj,
        options,
    )
