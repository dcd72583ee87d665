"""`decode`, `encode`, `encode_str` and `schema`: typed JSON without a codec to keep.

Separate from the codecs, because the cache of codecs is here. Invariants: the cache is
bounded; classes are compared by identity, even if a metaclass defines `__eq__`; types
and options that cannot be hashed are compiled at each call. Called by users.
"""

from __future__ import annotations

import functools
from contextvars import ContextVar

from snooze._typed.codecs import (
    _DECODE_DEFAULTS,
    _ENCODE_DEFAULTS,
    Decoder,
    Encoder,
)
from snooze._typed.lazy_typing import TYPE_CHECKING, Any, T, overload, resolved

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Literal, Unpack

    from snooze._typed.codecs import Buffer, DecodeOptions, EncodeOptions
    from snooze._typed.options import Rename

_TYPE = type
_plain_decoder = functools.lru_cache(256)(Decoder)
_plain_encoder = functools.lru_cache(256)(Encoder)


def codec_cache(make: Callable[..., Any]) -> Any:
    """Return `make` with a cache of its own, for `cached_codec`."""

    # typed=True, because 1 == True: a cached codec must not serve an option that a new
    # one would refuse.
    @functools.lru_cache(256, typed=True)
    def cached(tp: Any, /, **options: Any) -> Any:
        return make(tp.type if isinstance(tp, ByIdentity) else tp, **options)

    return cached


_decoder = codec_cache(Decoder)
_encoder = codec_cache(Encoder)


class _CurrentHook:
    """The hook of the innermost call of `decode` or `encode` that has one.

    Cached codecs have this object as their hook, so that a new lambda at each call
    compiles nothing and is not kept alive.
    """

    __slots__ = ("_hook",)

    def __init__(self, name: str) -> None:
        self._hook: ContextVar[Any] = ContextVar(name)

    def __call__(self, *arguments: Any) -> Any:
        return self._hook.get()(*arguments)

    def during(self, call: Any, argument: Any, hook: Any) -> Any:
        """Call with this hook."""
        token = self._hook.set(hook)
        try:
            return call(argument)
        finally:
            self._hook.reset(token)


_dec_hook = _CurrentHook("dec_hook")
_enc_hook = _CurrentHook("enc_hook")


def cached_codec(  # noqa: PLR0913 - the last one is for a message
    cached: Any,
    make: Any,
    known: Mapping[str, Any],
    tp: Any,
    given: Any,
    *,
    function: str = "",
) -> Any:
    """Return a codec from the cache, or a new one if its key cannot be hashed.

    `given` are the options of the call, `known` are all that the codec has, and
    `function` is what was called, if that is not the usual one.
    """
    try:
        return cached(_cache_key(tp), **given)
    except TypeError:
        # Any other TypeError is raised again, in the name of the function called.
        for name in given:
            if name not in known:
                functions = {"Decoder": "decode", "Encoder": "encode"}
                functions |= {"Converter": "convert", "_Encoder": "to_builtins"}
                function = function or functions[make.__name__]
                raise TypeError(
                    f"{function}() got an unexpected keyword argument {name!r}; the "
                    f"options are {', '.join(known)}"
                ) from None
        return make(tp, **given)


def dec_hook_during(codec_call: Any, argument: Any, options: Any) -> Any:
    """Call what `codec_call` returns for the options, with their `dec_hook`."""
    return _call_during(codec_call, argument, options, "dec_hook", _dec_hook)


def enc_hook_during(codec_call: Any, argument: Any, options: Any) -> Any:
    """Call what `codec_call` returns for the options, with their `enc_hook`."""
    return _call_during(codec_call, argument, options, "enc_hook", _enc_hook)


def _call_during(
    codec_call: Any, argument: Any, options: Any, name: str, current: _CurrentHook
) -> Any:
    hook = options.get(name)
    if not callable(hook):
        return codec_call(options)(argument)
    return current.during(codec_call({**options, name: current}), argument, hook)


class ByIdentity:
    """A class as a cache key that ignores the `__eq__` of its metaclass."""

    __slots__ = ("type",)

    def __init__(self, tp: type) -> None:
        self.type = tp

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ByIdentity) and self.type is other.type

    def __hash__(self) -> int:
        return id(self.type)


def _cache_key(tp: Any) -> Any:
    """Return the cache key of a type."""
    metaclass = type(tp)
    if metaclass is not type and issubclass(metaclass, type):
        return ByIdentity(tp)
    return tp


@overload
def decode(buf: Buffer, type: type[T], **options: Unpack[DecodeOptions]) -> T: ...
@overload
def decode(buf: Buffer, type: Any = ..., **options: Unpack[DecodeOptions]) -> Any: ...
def decode(
    buf: Buffer,
    type: Any = Any,  # noqa: A002 - as in Decoder
    **options: Unpack[DecodeOptions],
) -> Any:
    """Decode one JSON document into a value of a type.

    The same as `Decoder(type, **options).decode(buf)`. The last 256 plain classes and
    the last 256 other combinations of type and options are kept compiled. Types and
    options that cannot be hashed, such as a dict as `rename`, are compiled at each
    call: make a `Decoder` for these.

    Args:
        buf: One document as bytes, bytearray, memoryview or str; UTF-8 if not str.
        type: The type to decode into. Default `Any`: what `loads` returns, except that
            integers of any size stay exact.
        options: The keyword options of `Decoder`: strict, errors, max_errors, unknown,
            rename, skip, at, dec_hook, gc, syntax, numbers, nan, duplicates,
            surrogates, encoding, max_depth, max_size, object_hook, object_pairs_hook,
            threads.

    Returns:
        A value of the type.

    Raises:
        ValidationError: The document is JSON, but does not fit the type.
        JSONDecodeError: The input is not one JSON document, or has the wrong type.
        TypeError: The type is not supported, or an option has the wrong type.
        ValueError: An option has an unknown value, or has no meaning with the type or
            with another option.

    Examples:
        >>> import snooze
        >>> snooze.decode(b'{"a": [1, 2], "b": []}', dict[str, set[int]])
        {'a': {1, 2}, 'b': set()}
        >>> snooze.decode("[1, 2.5, null]", list[float | None])
        [1.0, 2.5, None]
        >>> snooze.decode(b'["2"]', list[int], strict=False)
        [2]
        >>> snooze.decode("[1, /* two */ 3,]", syntax="jsonc")
        [1, 3]
    """
    # The fast path: a class whose metaclass is `type`, without options.
    if not options and _TYPE(type) is _TYPE:
        return _plain_decoder(type).decode(buf)
    if "object_hook" in options or "object_pairs_hook" in options:
        # Not kept: the hooks of calls are often new functions.
        make = _decoder.__wrapped__
        return cached_codec(make, Decoder, _DECODE_DEFAULTS, type, options).decode(buf)
    return dec_hook_during(
        lambda given: (
            cached_codec(_decoder, Decoder, _DECODE_DEFAULTS, type, given).decode
        ),
        buf,
        options,
    )


@overload
def encode(obj: T, type: type[T], **options: Unpack[EncodeOptions]) -> bytes: ...
@overload
def encode(obj: Any, type: Any = ..., **options: Unpack[EncodeOptions]) -> bytes: ...
def encode(
    obj: Any,
    type: Any = Any,  # noqa: A002 - as in Encoder
    **options: Unpack[EncodeOptions],
) -> bytes:
    """Encode one value as JSON.

    The same as `Encoder(type, **options).encode(obj)`, with the cache of `decode`.

    Args:
        obj: The value.
        type: The type to encode as. Default `Any`: each value by its own class.
        options: The keyword options of `Encoder`: omit_none, omit_defaults, rename,
            sort_keys, indent, separators, ensure_ascii, newline, enc_hook, nan,
            decimal, hooks, key_hook, json_method, iterables, namedtuple, formats,
            timespec, naive_utc, utc_z, surrogates, max_depth.

    Returns:
        The JSON text in UTF-8, compact unless the options say otherwise.

    Raises:
        JSONEncodeError: A value does not fit the type, JSON cannot represent it, or
            containers are nested more than 1024 deep.
        TypeError: The type is not supported, or an option has the wrong type.
        ValueError: An option has an unknown value.

    Examples:
        >>> import datetime, decimal, snooze
        >>> snooze.encode({"day": datetime.date(2026, 11, 21), "sizes": (1, 2)})
        b'{"day":"2026-11-21","sizes":[1,2]}'
        >>> snooze.encode([decimal.Decimal("1.10")], decimal="number")
        b'[1.10]'
        >>> snooze.encode(["1"], list[int])
        Traceback (most recent call last):
            ...
        TypeError: expected int, found str at $[0]
    """
    if not options and (type is Any or _TYPE(type) is _TYPE):
        return _plain_encoder(type).encode(obj)
    result: bytes = enc_hook_during(
        lambda given: (
            cached_codec(_encoder, Encoder, _ENCODE_DEFAULTS, type, given).encode
        ),
        obj,
        options,
    )
    return result


@overload
def encode_str(obj: T, type: type[T], **options: Unpack[EncodeOptions]) -> str: ...
@overload
def encode_str(obj: Any, type: Any = ..., **options: Unpack[EncodeOptions]) -> str: ...
def encode_str(
    obj: Any,
    type: Any = Any,  # noqa: A002 - as in Encoder
    **options: Unpack[EncodeOptions],
) -> str:
    """Encode one value as JSON in a str.

    The same as `Encoder(type, **options).encode_str(obj)`, with the cache of `decode`.

    Args:
        obj: The value.
        type: The type to encode as. Default `Any`: each value by its own class.
        options: The keyword options of `Encoder`, as for `encode`.

    Returns:
        The JSON text.

    Raises:
        JSONEncodeError: As for `encode`.
        TypeError: As for `encode`.
        ValueError: As for `encode`.

    Examples:
        >>> import datetime, snooze
        >>> snooze.encode_str({"day": datetime.date(2026, 11, 21)})
        '{"day":"2026-11-21"}'
    """
    if not options and (type is Any or _TYPE(type) is _TYPE):
        return _plain_encoder(type).encode_str(obj)
    result: str = enc_hook_during(
        lambda given: (
            cached_codec(
                _encoder,
                Encoder,
                _ENCODE_DEFAULTS,
                type,
                given,
                function="encode_str",
            ).encode_str
        ),
        obj,
        options,
    )
    return result


def encode_canonical(obj: Any, tp: Any) -> bytes:
    """Return the canonical text of a value, for `canonical`.

    A JSONDecodeError says that the text, which is its document, has no canonical form.
    """
    encoder = cached_codec(_canonical_encoder, _made_canonical, {}, tp, {})
    found: bytes = encoder._encode_canonical(obj)  # noqa: SLF001
    return found


def _made_canonical(tp: Any) -> Encoder[Any]:
    # A type says how the items are written, which a hook would not know.
    is_any = resolved(tp) is resolved(Any)
    hooks = {set: _in_order, frozenset: _in_order} if is_any else None
    return Encoder(tp, nan="error", sort_keys=True, hooks=hooks)


_canonical_encoder = codec_cache(_made_canonical)


def _in_order(items: Iterable[Any]) -> list[Any]:
    """Return the items of a set, which has no order, in that of their texts."""
    return sorted(items, key=lambda item: encode_canonical(item, Any))


def schema(
    type: Any,  # noqa: A002 - as in Decoder
    *,
    rename: Rename | None = None,
    unknown: Literal["ignore", "forbid"] | None = None,
) -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of the documents that a type accepts.

    What a strict `Decoder(type, rename=rename, unknown=unknown)` accepts, the schema
    accepts. It accepts more where JSON Schema has no keyword: `1.0` is an integer in
    it, `format` is only a hint, and checks in Python functions are missing.

    Args:
        type: Any type that a Decoder takes. Classes that need `dec_hook` accept
            anything in the schema.
        rename: As for `Decoder`. Default None.
        unknown: As for `Decoder`. Default None.

    Returns:
        A new dict with `$schema`, the keywords of the type, and `$defs` for classes.

    Raises:
        TypeError: The type is not supported, or an option has the wrong type.
        ValueError: An option has an unknown value.

    Examples:
        >>> import dataclasses, snooze
        >>> @dataclasses.dataclass
        ... class Point:
        ...     x: float
        ...     y: float = 0.0
        >>> schema = snooze.schema(list[Point])
        >>> schema["items"]
        {'$ref': '#/$defs/Point'}
        >>> schema["$defs"]["Point"]["required"]
        ['x']
    """
    from snooze._typed import schema as writer  # noqa: PLC0415 - not at import time

    return writer.schema(type, rename=rename, unknown=unknown)


def schema_components(
    types: Iterable[Any],
    *,
    ref_template: str = "#/components/schemas/{name}",
    rename: Rename | None = None,
    unknown: Literal["ignore", "forbid"] | None = None,
) -> tuple[list[dict[str, Any]], dict[str, dict[str, Any]]]:
    """Return the JSON Schemas of several types and one dict of the classes in them.

    For a document that has its own place for definitions, such as OpenAPI 3.1.

    Args:
        types: Any types that a Decoder takes.
        ref_template: How a schema refers to a class: a JSON pointer with `{name}` for
            the name of the class. Default: where OpenAPI has them.
        rename: As for `Decoder`. Default None.
        unknown: As for `Decoder`. Default None.

    Returns:
        A list with the schema of each type, and a new dict with the schema of each
        class by its name. Two classes of the same name get longer names.

    Raises:
        TypeError: A type is not supported, or an option has the wrong type.
        ValueError: An option has an unknown value, or `ref_template` has no `{name}`.

    Examples:
        >>> import dataclasses, snooze
        >>> @dataclasses.dataclass
        ... class Pet:
        ...     name: str
        >>> (one, several), classes = snooze.schema_components([Pet, list[Pet]])
        >>> one
        {'$ref': '#/components/schemas/Pet'}
        >>> several["items"] == one
        True
        >>> list(classes)
        ['Pet']
    """
    from snooze._typed import schema as writer  # noqa: PLC0415 - not at import time

    return writer.schema_components(
        types, ref_template=ref_template, rename=rename, unknown=unknown
    )
