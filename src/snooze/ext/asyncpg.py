"""asyncpg: codecs of ``json`` and ``jsonb``, which asyncpg leaves as text.

    from snooze.ext.asyncpg import set_json_codecs

Invariant: values pass as bytes, without a ``str`` in between.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from snooze import Decoder, Encoder
from snooze._missing import unusable

try:
    import asyncpg  # noqa: F401 - so that a missing package is named
except ImportError as error:
    raise unusable(__name__, "asyncpg", error) from error

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ("set_json_codecs",)

_encode: Callable[[Any], bytes] = Encoder(nan="error").encode
_decode: Callable[[bytes], Any] = Decoder().decode
#: The binary form of jsonb begins with the number of its version.
_VERSION = b"\x01"


async def set_json_codecs(connection: Any, /) -> None:
    """Let a connection take and return Python objects for ``json`` and ``jsonb``.

    For ``asyncpg.create_pool(init=set_json_codecs)``, or to be called once for each
    connection. Dataclasses, dates, UUIDs, Decimals, enums and sets are written as an
    ``Encoder`` writes them; integers of any size are read exactly.

    Args:
        connection: The ``asyncpg.Connection``.

    Raises:
        asyncpg.DataError: When a query is executed: an argument has no JSON form, or
            contains NaN or an infinity.

    Examples:
        >>> import asyncpg
        >>> from snooze.ext.asyncpg import set_json_codecs
        >>> async def pool(address):
        ...     return await asyncpg.create_pool(address, init=set_json_codecs)
    """
    for name, encoder, decoder in (
        ("json", _encode, _decode),
        ("jsonb", _encode_jsonb, _decode_jsonb),
    ):
        await connection.set_type_codec(
            name, schema="pg_catalog", encoder=encoder, decoder=decoder, format="binary"
        )


def _encode_jsonb(obj: Any) -> bytes:
    return _VERSION + _encode(obj)


def _decode_jsonb(data: bytes) -> Any:
    if data[:1] != _VERSION:
        raise ValueError(f"expected version 1 of the jsonb format, found {data[:1]!r}")
    return _decode(data[1:])
