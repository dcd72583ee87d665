"""aiohttp: responses of a server, and request bodies decoded into types.

    from snooze.ext.aiohttp import decode_body, json_response

Separate from the recipes of docs/frameworks.md, which pass functions of snooze to
aiohttp's own. Invariants: what ``aiohttp.web.json_response`` writes has the same value
here, but for NaN and the exceptions of ``snooze.ext.starlette``; a body that cannot be
decoded is ``HTTPBadRequest`` (no JSON) or ``HTTPUnprocessableEntity`` (JSON of another
form).
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeVar

from snooze import Decoder, Encoder, JSONDecodeError, ValidationError
from snooze._missing import unusable

try:
    from aiohttp import web
except ImportError as error:
    raise unusable(__name__, "aiohttp", error) from error

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ("decode_body", "json_response")

T = TypeVar("T")

_encoder: Encoder[Any] = Encoder(nan="error")


def json_response(  # noqa: PLR0913 - the arguments of aiohttp's own
    data: Any,
    *,
    status: int = 200,
    reason: str | None = None,
    headers: Mapping[str, str] | None = None,
    content_type: str = "application/json",
    encoder: Encoder[Any] = _encoder,
) -> web.Response:
    """Return a response of JSON, as ``aiohttp.web.json_response``.

    Dataclasses, dates, UUIDs, Decimals, enums, sets, numpy arrays and pydantic models
    need no conversion. The text is written as bytes, once.

    Args:
        data: What to write; see ``Encoder``.
        status: The status. Default 200.
        reason: The reason phrase. Default None: that of the status.
        headers: Further headers.
        content_type: The content type. The charset is UTF-8.
        encoder: What writes the data. Default: an ``Encoder`` with ``nan="error"``.

    Raises:
        TypeError: The data has no JSON form, or contains NaN or an infinity.

    Examples:
        >>> from snooze.ext.aiohttp import json_response
        >>> json_response({"ids": {1}}).body
        b'{"ids":[1]}'
    """
    return web.Response(
        body=_body(data, encoder),
        status=status,
        reason=reason,
        headers=headers,
        content_type=content_type,
        charset="utf-8",
    )


def _body(data: Any, encoder: Encoder[Any]) -> bytes:
    """Return the text of data, written by `json` as in aiohttp if snooze refuses it."""
    try:
        return encoder.encode(data)
    except TypeError as error:
        if encoder is not _encoder:
            raise
        cause = error
    try:
        return json.dumps(data, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError):
        raise cause from None


async def decode_body(request: web.Request, decoder: Decoder[T]) -> T:
    """Return the body of a request as a decoder's type.

    Args:
        request: The request, whose body is read.
        decoder: The decoder; make it once, beside the handler.

    Raises:
        HTTPBadRequest: The body is not JSON (status 400).
        HTTPUnprocessableEntity: The body does not fit the type (status 422). The text
            is the message of the error, with the place.

    Examples:
        >>> import snooze
        >>> from snooze.ext.aiohttp import decode_body, json_response
        >>> numbers = snooze.Decoder(list[int])
        >>> async def add(request):
        ...     return json_response(sum(await decode_body(request, numbers)))
    """
    try:
        return decoder.decode(await request.read())
    except ValidationError as error:
        raise web.HTTPUnprocessableEntity(text=str(error)) from error
    except JSONDecodeError as error:
        raise web.HTTPBadRequest(text=str(error)) from error
