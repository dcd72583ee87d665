"""`Decoder` and `Encoder`: the codecs that users hold.

Separate from `plans`, which reads types and is loaded only when a codec is made: this
file is part of `import snooze`. Invariants: a codec checks its options before it
compiles; it compiles when it is made, and again at the first call only if a name in an
annotation was not defined yet; it pickles as its type and options. Each option has its
type in `DecodeOptions` or `EncodeOptions`, its default in `__init__`, and is described
in the docstring of the class. Rust calls `_prepare`.
"""

from __future__ import annotations

from snooze import _text
from snooze._snooze import DecoderBase, EncoderBase
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
from snooze._typed.item_reader import ItemReader
from snooze._typed.item_writer import ItemWriter
from snooze._typed.lazy_typing import (
    TYPE_CHECKING,
    Any,
    T,
    overload,
    resolved,
)
from snooze._typed.line_reader import LineReader
from snooze._typed.line_writer import LineWriter
from snooze._typed.options import (
    check_bool,
    check_choice,
    check_omit_none,
    check_rename,
    check_unknown,
)
from snooze._typed.partial import PartialReader
from snooze._typed.places import tokens

if TYPE_CHECKING:
    import builtins
    from collections.abc import Callable, Mapping
    from typing import Literal, TypeAlias, TypedDict, Unpack

    from snooze._typed.metadata import Format
    from snooze._typed.options import Rename

    Buffer: TypeAlias = "bytes | bytearray | memoryview | str"

    class DecodeOptions(TypedDict, total=False):
        """The keyword options of `Decoder` and `decode`."""

        strict: bool
        errors: Literal["first", "all"]
        max_errors: int
        unknown: Literal["ignore", "forbid"] | None
        rename: Rename | None
        skip: Literal["validate", "fast"]
        at: str | None
        dec_hook: Callable[[Any, Any], Any] | None
        gc: bool
        syntax: Literal["json", "jsonc", "json5"]
        numbers: Literal["float", "decimal", "raw"]
        nan: Literal["error", "accept"] | None
        duplicates: Literal["last", "first", "error"]
        surrogates: Literal["error", "replace", "keep"]
        encoding: Literal["utf-8", "utf-8-sig", "detect"]
        max_depth: int | None
        max_size: int | None
        object_hook: Callable[[dict[str, Any]], Any] | None
        object_pairs_hook: Callable[[list[tuple[str, Any]]], Any] | None
        threads: int

    class EncodeOptions(TypedDict, total=False):
        """The keyword options of `Encoder` and `encode`."""

        omit_none: bool | Literal["all"]
        omit_defaults: bool
        rename: Rename | None
        sort_keys: bool
        indent: int | str | None
        separators: tuple[str, str] | None
        ensure_ascii: bool
        newline: bool
        enc_hook: Callable[[Any], Any] | None
        nan: Literal["null", "error", "literal", "string"]
        decimal: Literal["str", "number"]
        hooks: Mapping[Any, Callable[[Any], Any]] | None
        key_hook: Callable[[Any], Any] | None
        json_method: str | None
        iterables: bool
        namedtuple: Literal["array", "object"]
        formats: Mapping[type, str | Format] | None
        timespec: Literal["auto", "seconds", "milliseconds", "microseconds"]
        naive_utc: bool
        utc_z: bool
        surrogates: Literal["error", "replace", "escape"]
        max_depth: int


class Decoder(DecoderBase, LineReader[T], ItemReader[T], PartialReader[T]):
    """Decode JSON documents into values of one Python type.

    A Decoder compiles its type once, when it is made. That is the expensive part: make
    a Decoder once, keep it, and call `decode` for each document. It never changes
    afterwards, so threads can share it, and it pickles as its type and options. If an
    annotation contains a name that is not defined yet, the first call compiles the type.

    Args:
        type: The type to decode into: a dataclass, attrs class, TypedDict, NamedTuple
            or enum, a builtin such as `datetime` or `UUID`, or a form such as
            `list[User]`, `int | None` or `Annotated[str, Len(1, 20)]`. Default `Any`:
            what `loads` returns, except that integers of any size stay exact.
        strict: True (default) accepts only the JSON kind that the type names. False
            also accepts the same value in another form, such as `"1"` for an `int`.
            Nothing is rounded, except seconds to the nearest microsecond.
        errors: "first" (default) raises at the first problem, "all" collects every
            problem of the document in one pass.
        max_errors: With errors="all", how many problems are collected at most; further
            ones are only counted. Default 10,000.
        unknown: What happens to object members that a class has no field for:
            "ignore" skips them, "forbid" makes each a problem. Applies to classes
            without `configure(unknown=…)`. Default None: they are skipped.
        rename: How attribute names become JSON names, for classes without
            `configure(rename=…)`: "camel", "pascal", "kebab", "snake", "upper", a
            mapping, or a callable. Default None: names stay as they are.
        skip: How values that no field needs are skipped. "validate" (default) checks
            that they are JSON, "fast" follows only brackets and strings, so that other
            syntax errors in them pass unnoticed.
        at: A JSON Pointer (RFC 6901) such as "/users/0". Only the value there is
            decoded, the rest of the document is skipped. Default None: all of it.
        dec_hook: `dec_hook(type, value)`, for classes that snooze does not know. It
            gets what `loads` would return, and returns an instance of `type`; a
            ValueError, TypeError or AssertionError means that the value does not fit.
        gc: False hides decoded instances from the cyclic garbage collector, which
            then has less to do, for classes without `configure(gc=…)`. A reference
            cycle through such an instance is never freed. Default True.
        syntax: "json" (default) is RFC 8259. "jsonc" adds comments, `//` and `/* */`,
            and a comma after the last item or member. "json5" is JSON5 1.0.0.
        numbers: Without a type only. "float" (default) reads numbers with a point or an
            exponent as float, "decimal" as `decimal.Decimal` with every digit. "raw"
            reads all numbers as `Raw`, their text in JSON, which an Encoder writes
            unchanged; NaN and infinities stay floats. Integers are exact in each case.
        nan: Without a type only. "accept" reads NaN, Infinity and -Infinity, and floats
            beyond the range of a double as infinities; "error" refuses them. Default
            None: "accept" for JSON5, else "error".
        duplicates: Which of several members of one name in an object counts: "last"
            (default) or, without a type, "first". "error" refuses them.
        surrogates: What an escape of half a surrogate pair becomes: "error" (default)
            refuses it, "replace" reads U+FFFD, and "keep", without a type only, a str
            with the surrogate, which cannot be encoded as UTF-8.
        encoding: "utf-8" (default), "utf-8-sig", which skips a byte order mark, or
            "detect", which also reads UTF-16 and UTF-32 (RFC 4627, section 3).
        max_depth: The deepest nesting of arrays and objects; at most 1024 with a type,
            1,000,000 without. Default None: 1024.
        max_size: The most bytes of a document, as UTF-8 if it is a str. Default None:
            no limit.
        object_hook: Without a type only: `object_hook(dict)` returns the value of each
            object, the innermost first.
        object_pairs_hook: The same with a list of all pairs of name and value.
        threads: How many threads share a document that is one array, for Any and lists
            without a `Len`. They run at the same time on free-threaded builds of
            Python, and share documents of 512 KiB and more; elsewhere one thread
            decodes. Your hooks and classes are called in all of them, in no fixed
            order, and again if a document has an error. Default 1.

    Raises:
        TypeError: The type is not supported, a union in it is ambiguous, or an option
            has the wrong type.
        ValueError: An option has an unknown value, or has no meaning with the type or
            with another option.

    Examples:
        >>> import dataclasses, snooze
        >>> @dataclasses.dataclass
        ... class User:
        ...     name: str
        ...     age: int | None = None
        >>> users = snooze.Decoder(list[User])
        >>> users.decode(b'[{"name": "mira", "age": 7}, {"name": "jo"}]')
        [User(name='mira', age=7), User(name='jo', age=None)]
        >>> users.decode(b'[{"name": "mira", "age": "7"}]')
        Traceback (most recent call last):
            ...
        snooze.ValidationError: expected int or null, found str at $[0].age (line 1 column 26)
        >>> snooze.Decoder(int, at="/meta/count").decode(b'{"meta": {"count": 2}}')
        2
        >>> snooze.Decoder(list[int], strict=False).decode('["1", 2.0]')
        [1, 2]
        >>> snooze.Decoder(numbers="decimal", syntax="json5").decode("{price: 1.10}")
        {'price': Decimal('1.10')}
    """  # noqa: E501 - the message of an error is one line

    __slots__ = ("_options", "_type", "_without_encoding")
    __module__ = "snooze"

    if TYPE_CHECKING:

        def decode(self, buf: Buffer, /) -> T: ...

    @overload
    def __init__(
        self, type: builtins.type[T], **options: Unpack[DecodeOptions]
    ) -> None: ...
    @overload
    def __init__(
        self: Decoder[Any], type: Any = ..., **options: Unpack[DecodeOptions]
    ) -> None: ...
    def __init__(  # noqa: PLR0913 - one keyword for each option
        self,
        type: Any = Any,  # noqa: A002 - what users call it
        *,
        strict: bool = True,
        errors: Literal["first", "all"] = "first",
        max_errors: int = 10_000,
        unknown: Literal["ignore", "forbid"] | None = None,
        rename: Rename | None = None,
        skip: Literal["validate", "fast"] = "validate",
        at: str | None = None,
        dec_hook: Callable[[Any, Any], Any] | None = None,
        gc: bool = True,
        syntax: Literal["json", "jsonc", "json5"] = "json",
        numbers: Literal["float", "decimal", "raw"] = "float",
        nan: Literal["error", "accept"] | None = None,
        duplicates: Literal["last", "first", "error"] = "last",
        surrogates: Literal["error", "replace", "keep"] = "error",
        encoding: Literal["utf-8", "utf-8-sig", "detect"] = "utf-8",
        max_depth: int | None = None,
        max_size: int | None = None,
        object_hook: Callable[[dict[str, Any]], Any] | None = None,
        object_pairs_hook: Callable[[list[tuple[str, Any]]], Any] | None = None,
        threads: int = 1,
    ) -> None:
        """Check the options and compile the type."""
        options = {
            "strict": strict,
            "errors": errors,
            "max_errors": max_errors,
            "unknown": unknown,
            "rename": rename,
            "skip": skip,
            "at": at,
            "dec_hook": dec_hook,
            "gc": gc,
            "syntax": syntax,
            "numbers": numbers,
            "nan": nan,
            "duplicates": duplicates,
            "surrogates": surrogates,
            "encoding": encoding,
            "max_depth": max_depth,
            "max_size": max_size,
            "object_hook": object_hook,
            "object_pairs_hook": object_pairs_hook,
            "threads": threads,
        }
        check_bool(strict, "strict", "Decoder")
        check_bool(gc, "gc", "Decoder")
        check_errors(options, _DECODE_DEFAULTS)
        check_choice("skip", options["skip"], ("validate", "fast"))
        if unknown is not None:
            check_unknown(unknown, "Decoder")
        if rename is not None:
            check_rename(rename, "Decoder")
        if at is not None:
            tokens(at)
        check_hook(options, "dec_hook")
        check_new(self)
        self._type = resolved(type)
        self._options = explicit_options(options, _DECODE_DEFAULTS)
        if not _READING.isdisjoint(self._options):
            from snooze._typed import reading  # noqa: PLC0415 - only if used

            reading.check(self._type, options, self._options)
        if "threads" in self._options:
            from snooze._typed import parallel  # noqa: PLC0415 - only if used

            parallel.check(threads)
        compile_now(self)

    def _prepare(self) -> None:
        """Compile the type."""
        options = _DECODE_DEFAULTS | self._options
        if "threads" in self._options:
            from snooze._typed import parallel  # noqa: PLC0415 - only if used

            self._compile(parallel.description(Decoder, self._type, options))
            return
        if not _READING.isdisjoint(self._options):
            from snooze._typed import reading  # noqa: PLC0415 - only if used

            self._compile(reading.description(Decoder, self._type, options))
            return
        from snooze._typed import plans  # noqa: PLC0415 - not at import time

        self._compile(plans.decoding(self._type, options))

    @property
    def type(self) -> Any:
        """The type that the Decoder was made for."""
        return self._type

    def __repr__(self) -> str:
        """Return the call that makes an equal Decoder, without default options."""
        return codec_repr("Decoder", self._type, self._options)

    def __reduce__(self) -> Any:
        """Pickle as type and options."""
        return remake, (type(self), self._type, self._options)


class Encoder(EncoderBase, LineWriter[T], ItemWriter[T]):
    r"""Encode values of one Python type as JSON.

    An Encoder compiles its type once, when it is made: make it once, keep it, and call
    `encode`, `encode_str` or `encode_into` for each value. It never changes afterwards,
    so threads can share it, and it pickles as its type and options. Values of another
    type are refused; constraints such as `Ge(0)` are not checked.

    Args:
        type: The type of the values: any type that a Decoder takes. Default `Any`:
            each value is encoded by its own class.
        omit_none: True leaves out object members that are None and whose default is
            None, for classes without `configure(omit_none=…)`. "all" leaves out every
            member that is None, of dicts too. Default False.
        omit_defaults: True leaves out object members that equal the default of their
            field, for classes without `configure(omit_defaults=…)`. Default False.
        rename: How attribute names become JSON names, for classes without
            `configure(rename=…)`: "camel", "pascal", "kebab", "snake", "upper", a
            mapping, or a callable. Default None: names stay as they are.
        sort_keys: True writes the members of classes and dicts in the order of their
            names. Default False.
        indent: Writes each item and member on its own line, indented for each level by
            this number of spaces, or by this text of at most 16 characters; 0 only
            breaks lines. Default None: all on one line. JSON that is copied (`Raw`)
            keeps its layout.
        separators: What follows an item and what follows a name, each with white space
            as you like. Default: `(",", ":")`, or `(",", ": ")` with an indent. Others
            than these, and than `(", ", ": ")` without an indent, take longer, and JSON
            that is copied gets them, too.
        ensure_ascii: True escapes all characters that are not ASCII, also in JSON that
            is copied, which is laid out anew. Default False.
        newline: True ends the text with a line feed. Default False.
        enc_hook: `enc_hook(value)`, for classes that snooze does not know. It returns
            a value that can be encoded.
        nan: "null" (default) writes NaN and infinities as null, "error" refuses them,
            "literal" writes `NaN` and `Infinity`, which is not JSON, and "string"
            writes `"NaN"` and `"Infinity"`. As keys they are refused.
        decimal: "str" (default) writes Decimals as strings, "number" as numbers with
            the same digits.
        hooks: Functions for classes, as in `{Decimal: float}`: the value is written as
            what the function of its class returns. Of several bases the nearest counts;
            abstract classes come last. Built-in classes too. A result of the same class
            does not go to the function again. Keys that are str, int, float, bool or
            None never do. Default None.
        key_hook: `key_hook(key)`, for keys that JSON cannot represent. It returns one
            that it can. Default None.
        json_method: The name of a method, such as "__json__", that is called without
            arguments for the value to write, on all classes that have it. Default None.
        iterables: True writes generators and other iterables as arrays. Default False.
        namedtuple: "array" (default) or "object", for classes without
            `configure(array_like=…)`.
        formats: The names of formats for classes, as for `configure`, for all values:
            `{datetime: "unix", bytes: "hex"}`. Default None.
        timespec: The fraction of a second in datetimes and times, as in `isoformat`:
            "auto" (default) writes six digits if it is not zero; "seconds",
            "milliseconds" and "microseconds" cut it or add zeros.
        naive_utc: True writes datetimes without a zone as UTC. Default False.
        utc_z: True writes `Z` for an offset of zero. Default False: `+00:00`.
        surrogates: What happens to surrogates in a str: "error" (default) refuses them,
            "replace" writes U+FFFD, "escape" writes `\ud800`, as `json` does.
        max_depth: The most containers inside each other. Default 1024, the maximum.

    Raises:
        TypeError: The type is not supported, a union in it is ambiguous, or an option
            has the wrong type.
        ValueError: An option has an unknown value.

    Examples:
        >>> import dataclasses, datetime, snooze
        >>> @dataclasses.dataclass
        ... class Event:
        ...     day: datetime.date
        ...     note: str | None = None
        >>> events = snooze.Encoder(list[Event], omit_none=True)
        >>> events.encode([Event(datetime.date(2026, 11, 21))])
        b'[{"day":"2026-11-21"}]'
        >>> events.encode_str([])
        '[]'
        >>> events.encode([Event("today")])
        Traceback (most recent call last):
            ...
        TypeError: expected date, found str at $[0].day
    """

    __slots__ = ("_options", "_type")
    __module__ = "snooze"

    if TYPE_CHECKING:

        def encode(self, obj: T, /) -> bytes: ...

    @overload
    def __init__(
        self, type: builtins.type[T], **options: Unpack[EncodeOptions]
    ) -> None: ...
    @overload
    def __init__(
        self: Encoder[Any], type: Any = ..., **options: Unpack[EncodeOptions]
    ) -> None: ...
    def __init__(  # noqa: PLR0913 - one keyword for each option
        self,
        type: Any = Any,  # noqa: A002 - what users call it
        *,
        omit_none: bool | Literal["all"] = False,
        omit_defaults: bool = False,
        rename: Rename | None = None,
        sort_keys: bool = False,
        indent: int | str | None = None,
        separators: tuple[str, str] | None = None,
        ensure_ascii: bool = False,
        newline: bool = False,
        enc_hook: Callable[[Any], Any] | None = None,
        nan: Literal["null", "error", "literal", "string"] = "null",
        decimal: Literal["str", "number"] = "str",
        hooks: Mapping[Any, Callable[[Any], Any]] | None = None,
        key_hook: Callable[[Any], Any] | None = None,
        json_method: str | None = None,
        iterables: bool = False,
        namedtuple: Literal["array", "object"] = "array",
        formats: Mapping[type, str | Format] | None = None,
        timespec: Literal["auto", "seconds", "milliseconds", "microseconds"] = "auto",
        naive_utc: bool = False,
        utc_z: bool = False,
        surrogates: Literal["error", "replace", "escape"] = "error",
        max_depth: int = 1024,
    ) -> None:
        """Check the options and compile the type."""
        options = {
            "omit_none": omit_none,
            "omit_defaults": omit_defaults,
            "rename": rename,
            "sort_keys": sort_keys,
            "indent": indent,
            "separators": separators,
            "ensure_ascii": ensure_ascii,
            "newline": newline,
            "enc_hook": enc_hook,
            "nan": nan,
            "decimal": decimal,
            "hooks": hooks,
            "key_hook": key_hook,
            "json_method": json_method,
            "iterables": iterables,
            "namedtuple": namedtuple,
            "formats": formats,
            "timespec": timespec,
            "naive_utc": naive_utc,
            "utc_z": utc_z,
            "surrogates": surrogates,
            "max_depth": max_depth,
        }
        check_omit_none(omit_none, "Encoder")
        for name in ("omit_defaults", "sort_keys"):
            check_bool(options[name], name, "Encoder")
        if rename is not None:
            check_rename(rename, "Encoder")
        _text.check(options, "Encoder")
        check_choice("nan", options["nan"], ("null", "error", "literal", "string"))
        check_choice("decimal", options["decimal"], ("str", "number"))
        check_choice("namedtuple", options["namedtuple"], ("array", "object"))
        check_choice(
            "timespec",
            options["timespec"],
            ("auto", "seconds", "milliseconds", "microseconds"),
        )
        check_choice(
            "surrogates", options["surrogates"], ("error", "replace", "escape")
        )
        check_hook(options, "enc_hook")
        check_hook(options, "key_hook")
        check_new(self)
        self._type = resolved(type)
        self._options = explicit_options(options, _ENCODE_DEFAULTS)
        if not _CHECKED_LATER.isdisjoint(self._options):
            from snooze._typed import write_options  # noqa: PLC0415 - not at import

            write_options.check(options)
            # Copies: an encoder does not change.
            for name in ("hooks", "formats"):
                if name in self._options:
                    self._options[name] = dict(self._options[name])
        compile_now(self)

    def _prepare(self) -> None:
        """Compile the type."""
        from snooze._typed import plans  # noqa: PLC0415 - not at import time

        options = _ENCODE_DEFAULTS | self._options
        self._compile(plans.encoding(self._type, options, self._options))

    @property
    def type(self) -> Any:
        """The type that the Encoder was made for."""
        return self._type

    def __repr__(self) -> str:
        """Return the call that makes an equal Encoder, without default options."""
        return codec_repr("Encoder", self._type, self._options)

    def __reduce__(self) -> Any:
        """Pickle as type and options."""
        return remake, (type(self), self._type, self._options)


_DECODE_DEFAULTS = defaults_of(Decoder.__init__)
#: The options that `reading` implements.
_READING = frozenset(
    [
        "syntax",
        "numbers",
        "nan",
        "duplicates",
        "surrogates",
        "encoding",
        "max_depth",
        "max_size",
        "object_hook",
        "object_pairs_hook",
    ]
)
_ENCODE_DEFAULTS = defaults_of(Encoder.__init__)
#: The options that `write_options` checks, which is not loaded without them.
_CHECKED_LATER = {
    "nan",
    "hooks",
    "json_method",
    "iterables",
    "formats",
    "naive_utc",
    "utc_z",
    "surrogates",
    "max_depth",
}
