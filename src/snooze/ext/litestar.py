"""Litestar: a response, a request, and bodies decoded into types.

    from snooze.ext.litestar import JSONRequest, JSONResponse, provide_body

Invariants: type encoders of plugins, the application, the router and the handler come
before the types that snooze knows, also those for which msgspec would not ask them;
what snooze refuses is left to Litestar, whose errors appear; a body that is not JSON or
does not fit is a client error, status 400.
"""

from __future__ import annotations

import contextlib
import functools
from typing import Any, ClassVar, Generic, TypeVar

from snooze import Decoder, Encoder, JSONDecodeError, encode
from snooze._missing import unusable
from snooze.ext._decoders import decoder_of

try:
    from litestar import Request, Response
    from litestar.di import Provide
    from litestar.exceptions import SerializationException, ValidationException
    from litestar.serialization import default_serializer
    from litestar.serialization.msgspec_hooks import DEFAULT_TYPE_ENCODERS
    from litestar.types import Empty
except ImportError as error:
    raise unusable(__name__, "litestar", error) from error

__all__ = ("JSONRequest", "JSONResponse", "provide_body")

T = TypeVar("T")

_encoder: Encoder[Any] = Encoder(enc_hook=default_serializer)


class JSONResponse(Response[T], Generic[T]):
    """``litestar.Response`` whose JSON is written by snooze.

    For ``response_class`` of an application, a router or a handler. Other media types,
    ``bytes`` and ``str`` are Litestar's business. Types that snooze knows are written
    its way: a datetime in UTC ends with ``+00:00``.
    """

    def render(
        self, content: Any, media_type: str, enc_hook: Any = default_serializer
    ) -> bytes:
        """Return the body."""
        if (
            not isinstance(content, (bytes, str))
            and content is not Empty
            and _is_json(media_type)
        ):
            # What it refuses Litestar's own code writes, or says what is wrong.
            with contextlib.suppress(TypeError):
                if enc_hook is default_serializer:
                    return _encoder.encode(content)
                encoder = _encoder_of(enc_hook)
                if encoder is not None:
                    return encoder.encode(content)
                return encode(content, enc_hook=enc_hook)
        body: bytes = super().render(content, media_type, enc_hook)
        return body


def _encoder_of(enc_hook: Any) -> Encoder[Any] | None:
    """Return the encoder for a serializer of Litestar, or None for another hook."""
    if getattr(enc_hook, "func", None) is not default_serializer:
        return None
    encoders = enc_hook.keywords.get("type_encoders") or {}
    return _made(tuple(encoders.items()))


@functools.lru_cache(64)
def _made(encoders: tuple[tuple[Any, Any], ...]) -> Encoder[Any]:
    """Return an encoder with the type encoders of an application, a router, a handler.

    Those of plugins and users come before the types that snooze knows. One for `object`
    or for what is no class is never called by Litestar, and refused by an Encoder.
    """
    own = {
        cls: function
        for cls, function in encoders
        if DEFAULT_TYPE_ENCODERS.get(cls) is not function
        and isinstance(cls, type)
        and cls is not object
    }
    hook = functools.partial(default_serializer, type_encoders=dict(encoders))
    return Encoder(enc_hook=hook, hooks=own or None)


class JSONRequest(Request[Any, Any, Any]):
    """``litestar.Request`` whose ``json`` reads by snooze.

    For ``request_class`` of an application, a router or a handler. The parameter
    ``data`` of handlers uses it; msgspec then makes the types of what was read.
    """

    __slots__ = ()
    _decoder: ClassVar[Decoder[Any]] = Decoder()

    async def json(self) -> Any:
        """Return the value of the body; null if it is empty."""
        state = self._connection_state
        if state.json is Empty:
            state.json = _decoded(await self.body() or b"null", self._decoder)
        return state.json


def provide_body(type: Any, /, **options: Any) -> Provide:  # noqa: A002 - as in Decoder
    """Return a dependency whose value is the body as a type of a ``Decoder``.

    Args:
        type: The type, or a ``Decoder``.
        **options: Of ``Decoder``; none with a ``Decoder``. With a type ``errors`` is
            "all" unless it is given.

    Returns:
        For ``dependencies``. Its value raises ``ValidationException`` (status 400) if
        the body is not JSON or does not fit. Its ``extra`` lists the problems: ``key``
        is a JSON Pointer.

    Raises:
        TypeError: The type is not supported, an option has the wrong type, or there are
            options beside a ``Decoder``.
        ValueError: An option has an unknown value or no meaning.

    Examples:
        >>> from litestar import post
        >>> from snooze.ext.litestar import provide_body
        >>> @post("/sum", dependencies={"numbers": provide_body(list[int])})
        ... async def add(numbers: list[int]) -> int:
        ...     return sum(numbers)
    """
    decoder = decoder_of(type, options, "provide_body")

    async def read(request: Request[Any, Any, Any]) -> Any:
        try:
            return decoder.decode(await request.body())
        except JSONDecodeError as error:
            problems = [
                {"message": problem.message, "key": problem.pointer, "source": "body"}
                for problem in getattr(error, "errors", [])
            ]
            raise ValidationException(str(error), extra=problems) from error

    return Provide(read)


def _decoded(body: bytes, decoder: Decoder[Any]) -> Any:
    try:
        return decoder.decode(body)
    except JSONDecodeError as error:
        raise SerializationException(str(error)) from error


def _is_json(media_type: str) -> bool:
    """Tell whether a media type is JSON: application/json, or a structured suffix."""
    name = media_type.partition(";")[0].strip().lower()
    return name.startswith("application/") and name.endswith(("/json", "+json"))
