"""Starlette: a response, and request bodies decoded into types.

    from snooze.ext.starlette import JSONResponse, decode_body

Invariants: what Starlette's own ``JSONResponse`` writes has the same value here, but
that small floats as keys have the text of an ``Encoder`` (``"1e-7"``, not ``"1e-07"``),
and that classes which are more than a built-in class may have the form of an
``Encoder``, as docs/frameworks.md says; what it refuses raises its exceptions; a body
that cannot be decoded is an ``HTTPException`` with status 400 (no JSON) or 422 (JSON of
another form).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from snooze import Decoder, Encoder, JSONDecodeError, ValidationError
from snooze._missing import unusable

try:
    from starlette.exceptions import HTTPException
    from starlette.responses import JSONResponse as _JSONResponse
except ImportError as error:
    raise unusable(__name__, "starlette", error) from error

if TYPE_CHECKING:
    from starlette.requests import Request

__all__ = ("JSONResponse", "decode_body")

T = TypeVar("T")


class JSONResponse(_JSONResponse):
    """``starlette.responses.JSONResponse``, written by an ``Encoder``.

    Dataclasses, dates, UUIDs, Decimals, enums, sets, numpy arrays and pydantic models
    need no conversion. NaN and infinities are an error, as in Starlette. Floats below
    0.0001 have another text, also as keys: ``1e-7`` and ``"1e-7"`` where Starlette has
    ``1e-07`` and ``"1e-07"``.

    Attributes:
        encoder: What writes the content. Set it in a subclass for other options; keep
            ``nan="error"``, or clients get null for NaN.

    Raises:
        TypeError: The content has no JSON form. The cause names the place.
        ValueError: The content contains NaN or an infinity. The cause names the place.

    Examples:
        >>> import datetime
        >>> from snooze.ext.starlette import JSONResponse
        >>> JSONResponse({"day": datetime.date(2026, 11, 23)}).body
        b'{"day":"2026-11-23"}'
    """

    encoder: ClassVar[Encoder[Any]] = Encoder(nan="error")

    def render(self, content: Any) -> bytes:
        """Return the body."""
        try:
            return self.encoder.encode(content)
        except TypeError as error:
            cause = error
        try:
            body: bytes = super().render(content)
        except (TypeError, ValueError) as error:
            raise error from cause
        return body


async def decode_body(request: Request, decoder: Decoder[T]) -> T:
    """Return the body of a request as a decoder's type.

    Args:
        request: The request, whose body is read.
        decoder: The decoder; make it once, beside the route.

    Raises:
        HTTPException: Status 400 if the body is not JSON, 422 if it does not fit the
            type. The detail is the message of the error, with the place.

    Examples:
        >>> import snooze
        >>> from snooze.ext.starlette import JSONResponse, decode_body
        >>> numbers = snooze.Decoder(list[int])
        >>> async def add(request):
        ...     return JSONResponse(sum(await decode_body(request, numbers)))
    """
    body = await request.body()
    try:
        return decoder.decode(body)
    except ValidationError as error:
        raise HTTPException(422, str(error)) from error
    except JSONDecodeError as error:
        raise HTTPException(400, str(error)) from error
