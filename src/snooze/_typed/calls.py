"""`decode`, `encode` and `schema`: codecs for who does not keep one.

Separate from the codecs, because here is the cache of plans. Invariants: the cache is
bounded; a class is known by its identity, whatever its metaclass says of equality; what
has no hash is compiled each time. Called by users.
"""

from __future__ import annotations

import functools

from snooze._typed.codecs import Decoder, Encoder
from snooze._typed.lazy_typing import TYPE_CHECKING, Any, T, overload

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Literal

    from snooze._typed.codecs import Buffer
    from snooze._typed.options import Rename

_TYPE = type
_plain_decoder = functools.lru_cache(256)(Decoder)
_plain_encoder = functools.lru_cache(256)(Encoder)


# typed=True: 1 == True, and a codec must not answer for an option that it refuses.
@functools.lru_cache(256, typed=True)
def _decoder(tp: Any, /, **options: Any) -> Decoder[Any]:
    return Decoder(tp.type if isinstance(tp, _Same) else tp, **options)


@functools.lru_cache(256, typed=True)
def _encoder(tp: Any, /, **options: Any) -> Encoder[Any]:
    return Encoder(tp.type if isinstance(tp, _Same) else tp, **options)


class _Same:
    """A class as a key: the class itself, whatever its metaclass says of equality."""

    __slots__ = ("type",)

    def __init__(self, tp: type) -> None:
        self.type = tp

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.type is other.type

    def __hash__(self) -> int:
        return id(self.type)


def _key(tp: Any) -> Any:
    """Return a type as the caches know it."""
    kind = type(tp)
    if kind is not type and issubclass(kind, type):
        return _Same(tp)
    return tp


@overload
def decode(
    buf: Buffer,
    type: type[T],
    *,
    strict: bool = ...,
    errors: Literal["first", "all"] = ...,
    unknown: Literal["ignore", "forbid"] | None = ...,
    rename: Rename | None = ...,
    skip: Literal["validate", "fast"] = ...,
    at: str | None = ...,
    dec_hook: Callable[[Any, Any], Any] | None = ...,
    gc: bool = ...,
) -> T: ...
@overload
def decode(
    buf: Buffer,
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
) -> Any: ...
def decode(buf: Buffer, type: Any = Any, **options: Any) -> Any:  # noqa: A002 - as in Decoder
    """Decode one document: `Decoder(type, **options).decode(buf)`, plans cached."""
    # A class of the usual kind and no option: as few steps as there can be.
    if not options and _TYPE(type) is _TYPE:
        return _plain_decoder(type).decode(buf)
    try:
        decoder = _decoder(_key(type), **options)
    except TypeError:
        # Options or types without a hash have no place in the cache; whatever else was
        # wrong is wrong again.
        decoder = Decoder(type, **options)
    return decoder.decode(buf)


@overload
def encode(
    obj: T,
    type: type[T],
    *,
    omit_none: bool = ...,
    omit_defaults: bool = ...,
    rename: Rename | None = ...,
    sort_keys: bool = ...,
    enc_hook: Callable[[Any], Any] | None = ...,
    nan: Literal["null", "error"] = ...,
    decimal: Literal["str", "number"] = ...,
) -> bytes: ...
@overload
def encode(
    obj: Any,
    type: Any = ...,
    *,
    omit_none: bool = ...,
    omit_defaults: bool = ...,
    rename: Rename | None = ...,
    sort_keys: bool = ...,
    enc_hook: Callable[[Any], Any] | None = ...,
    nan: Literal["null", "error"] = ...,
    decimal: Literal["str", "number"] = ...,
) -> bytes: ...
def encode(obj: Any, type: Any = Any, **options: Any) -> bytes:  # noqa: A002 - as in Encoder
    """Encode one value: `Encoder(type, **options).encode(obj)`, plans cached."""
    if not options and (type is Any or _TYPE(type) is _TYPE):
        return _plain_encoder(type).encode(obj)
    try:
        encoder = _encoder(_key(type), **options)
    except TypeError:
        encoder = Encoder(type, **options)
    return encoder.encode(obj)


def schema(
    type: Any,  # noqa: A002 - as in Decoder
    *,
    rename: Rename | None = None,
    unknown: Literal["ignore", "forbid"] | None = None,
) -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of what `Decoder(type, …)` accepts.

    Args:
        type: any type that a Decoder takes; classes that only dec_hook knows are `{}`.
        rename: names in JSON, for classes that do not say.
        unknown: "ignore" or "forbid", for classes that do not say.
    """
    from snooze._typed import schema as writer  # noqa: PLC0415 - not at import time

    return writer.schema(type, rename=rename, unknown=unknown)
