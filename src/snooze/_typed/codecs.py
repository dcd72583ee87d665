"""`Decoder`, `Encoder`, `decode` and `encode`.

Separate from the model, because these are what users hold: options checked, plans made
once, kept in a bounded cache. Invariants: an option that is not known is a TypeError; a
plan is made when the codec is, and only if a name is not defined yet at first use; a
codec pickles as its type and options; nothing is imported that `import snooze` would
not import anyway, before a codec is made (`plans` is the rest). `_prepare` is called by
Rust.
"""

from __future__ import annotations

from snooze._snooze import DecoderBase, EncoderBase
from snooze._typed.errors import tokens
from snooze._typed.lazy_typing import TYPE_CHECKING, Any, Generic, T, asked, overload
from snooze._typed.options import check_bool, check_rename, check_unknown

if TYPE_CHECKING:
    import builtins
    from collections.abc import Callable
    from typing import Literal, TypeAlias

    from snooze._typed.options import Rename

    Buffer: TypeAlias = "bytes | bytearray | memoryview | str"
_DECODE: dict[str, Any] = {
    "strict": True,
    "errors": "first",
    "unknown": None,
    "rename": None,
    "skip": "validate",
    "at": None,
    "dec_hook": None,
    "gc": True,
}
_ENCODE: dict[str, Any] = {
    "omit_none": False,
    "omit_defaults": False,
    "rename": None,
    "sort_keys": False,
    "enc_hook": None,
    "nan": "null",
    "decimal": "str",
}


def _check_choice(options: dict[str, Any], name: str, values: tuple[str, ...]) -> None:
    if options[name] not in values:
        known = " or ".join(map(repr, values))
        raise ValueError(f"{name}={options[name]!r} is not known; use {known}")


def _check_hook(options: dict[str, Any], name: str) -> None:
    if options[name] is not None and not callable(options[name]):
        raise TypeError(f"{name} needs a callable, not {options[name]!r}")


class Decoder(DecoderBase, Generic[T]):
    """Decodes JSON into one type, whose plan is made once.

    Args:
        type: what the JSON is decoded into.
        strict: False takes values that say the same in another form: "1" for an int.
        errors: "first" raises at the first problem, "all" collects every one.
        unknown: "ignore" or "forbid" members that a class does not have, for classes
            that do not say.
        rename: names in JSON, for classes that do not say.
        skip: "validate" or "fast": how values are passed over that nobody asked for.
        at: a JSON Pointer; only the value there is decoded.
        dec_hook: `dec_hook(type, value)` for classes that are not known.
        gc: False hides the instances from the cyclic garbage collector, for classes
            that do not say; a cycle through one is never freed.
    """

    __slots__ = ("_options", "_type")
    __module__ = "snooze"

    if TYPE_CHECKING:

        def decode(self, buf: Buffer, /) -> T: ...

    @overload
    def __init__(
        self,
        type: builtins.type[T],
        *,
        strict: bool = ...,
        errors: Literal["first", "all"] = ...,
        unknown: Literal["ignore", "forbid"] | None = ...,
        rename: Rename | None = ...,
        skip: Literal["validate", "fast"] = ...,
        at: str | None = ...,
        dec_hook: Callable[[Any, Any], Any] | None = ...,
        gc: bool = ...,
    ) -> None: ...
    @overload
    def __init__(
        self: Decoder[Any],
        type: Any = ...,
        *,
        strict: bool = ...,
        errors: Literal["first", "all"] = ...,
        unknown: Literal["ignore", "forbid"] | None = ...,
        rename: Rename | None = ...,
        skip: Literal["validate", "fast"] = ...,
        at: str | None = ...,
        dec_hook: Callable[[Any, Any], Any] | None = ...,
        gc: bool = ...,
    ) -> None: ...
    def __init__(  # noqa: PLR0913 - one keyword for each option
        self,
        type: Any = Any,  # noqa: A002 - what users call it
        *,
        strict: bool = True,
        errors: str = "first",
        unknown: str | None = None,
        rename: Any = None,
        skip: str = "validate",
        at: str | None = None,
        dec_hook: Any = None,
        gc: bool = True,
    ) -> None:
        """Check the options and make the plan."""
        options = {
            "strict": strict,
            "errors": errors,
            "unknown": unknown,
            "rename": rename,
            "skip": skip,
            "at": at,
            "dec_hook": dec_hook,
            "gc": gc,
        }
        check_bool(strict, "strict", "Decoder")
        check_bool(gc, "gc", "Decoder")
        _check_choice(options, "errors", ("first", "all"))
        _check_choice(options, "skip", ("validate", "fast"))
        if unknown is not None:
            check_unknown(unknown, "Decoder")
        if rename is not None:
            check_rename(rename, "Decoder")
        if at is not None:
            tokens(at)
        _check_hook(options, "dec_hook")
        self._type = asked(type)
        self._options = _said(options, _DECODE)
        _attempt(self)

    def _prepare(self) -> None:
        """Make the plan."""
        from snooze._typed import plans  # noqa: PLC0415 - not at import time

        self._compile(plans.decoding(self._type, _DECODE | self._options))

    @property
    def type(self) -> Any:
        """The type that it was made for."""
        return self._type

    def __repr__(self) -> str:
        """Return the call that makes it."""
        return _repr("Decoder", self._type, self._options)

    def __reduce__(self) -> Any:
        """Pickle as type and options."""
        return _remake, (type(self), self._type, self._options)


class Encoder(EncoderBase, Generic[T]):
    """Encodes values of one type to JSON, whose plan is made once.

    Args:
        type: what is encoded; `Any` asks each value for its own type.
        omit_none: leave out members that are None, for classes that do not say.
        omit_defaults: leave out members that equal their default, likewise.
        rename: names in JSON, for classes that do not say.
        sort_keys: write members in the order of their names.
        enc_hook: `enc_hook(value)` for classes that are not known; returns something
            that can be encoded.
        nan: "null" writes NaN and infinities as null, "error" refuses them.
        decimal: "str" writes Decimals as strings, "number" as numbers.
    """

    __slots__ = ("_options", "_type")
    __module__ = "snooze"

    if TYPE_CHECKING:

        def encode(self, obj: T, /) -> bytes: ...

    @overload
    def __init__(
        self,
        type: builtins.type[T],
        *,
        omit_none: bool = ...,
        omit_defaults: bool = ...,
        rename: Rename | None = ...,
        sort_keys: bool = ...,
        enc_hook: Callable[[Any], Any] | None = ...,
        nan: Literal["null", "error"] = ...,
        decimal: Literal["str", "number"] = ...,
    ) -> None: ...
    @overload
    def __init__(
        self: Encoder[Any],
        type: Any = ...,
        *,
        omit_none: bool = ...,
        omit_defaults: bool = ...,
        rename: Rename | None = ...,
        sort_keys: bool = ...,
        enc_hook: Callable[[Any], Any] | None = ...,
        nan: Literal["null", "error"] = ...,
        decimal: Literal["str", "number"] = ...,
    ) -> None: ...
    def __init__(  # noqa: PLR0913 - one keyword for each option
        self,
        type: Any = Any,  # noqa: A002 - what users call it
        *,
        omit_none: bool = False,
        omit_defaults: bool = False,
        rename: Any = None,
        sort_keys: bool = False,
        enc_hook: Any = None,
        nan: str = "null",
        decimal: str = "str",
    ) -> None:
        """Check the options and make the plan."""
        options = {
            "omit_none": omit_none,
            "omit_defaults": omit_defaults,
            "rename": rename,
            "sort_keys": sort_keys,
            "enc_hook": enc_hook,
            "nan": nan,
            "decimal": decimal,
        }
        for name in ("omit_none", "omit_defaults", "sort_keys"):
            check_bool(options[name], name, "Encoder")
        if rename is not None:
            check_rename(rename, "Encoder")
        _check_choice(options, "nan", ("null", "error"))
        _check_choice(options, "decimal", ("str", "number"))
        _check_hook(options, "enc_hook")
        self._type = asked(type)
        self._options = _said(options, _ENCODE)
        _attempt(self)

    def _prepare(self) -> None:
        """Make the plan."""
        from snooze._typed import plans  # noqa: PLC0415 - not at import time

        options = _ENCODE | self._options
        self._compile(plans.encoding(self._type, options, self._options))

    @property
    def type(self) -> Any:
        """The type that it was made for."""
        return self._type

    def __repr__(self) -> str:
        """Return the call that makes it."""
        return _repr("Encoder", self._type, self._options)

    def __reduce__(self) -> Any:
        """Pickle as type and options."""
        return _remake, (type(self), self._type, self._options)


def _said(options: dict[str, Any], defaults: dict[str, Any]) -> dict[str, Any]:
    """Return the options that are not as they are anyway; hooks are not compared."""
    found = {}
    for name, value in options.items():
        default = defaults[name]
        if type(value) is not type(default) or value != default:
            found[name] = value
    return found


def _attempt(codec: Decoder[Any] | Encoder[Any]) -> None:
    """Make the plan; a name that is not defined now may be at first use."""
    from snooze._typed.scope import Unresolved  # noqa: PLC0415 - not at import time

    try:  # noqa: SIM105 - contextlib would be one more import
        codec._prepare()  # noqa: SLF001 - of this module
    except Unresolved:
        pass


def _repr(name: str, tp: Any, options: dict[str, Any]) -> str:
    from snooze._typed.introspect import shown  # noqa: PLC0415 - not at import time

    words = [shown(tp), *(f"{key}={value!r}" for key, value in options.items())]
    return f"{name}({', '.join(words)})"


def _remake(cls: Any, tp: Any, options: dict[str, Any]) -> Any:
    return cls(tp, **options)
