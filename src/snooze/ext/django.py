"""Django: an encoder and a decoder for JSON fields and responses.

    from snooze.ext.django import JSONDecoder, JSONEncoder, JsonResponse

Invariant: texts, values and exceptions are those of ``DjangoJSONEncoder`` and of
``json.JSONDecoder``; a subclass that overrides ``default`` behaves as with Django's.
Settings need not be configured to import this module.
"""

from __future__ import annotations

from typing import Any, TypeVar

from snooze import Decoder, JSONDecodeError, ValidationError, json
from snooze._missing import unusable

try:
    from django.core.exceptions import BadRequest
    from django.core.serializers.json import DjangoJSONEncoder
    from django.http import HttpRequest
    from django.http import JsonResponse as _JsonResponse
except ImportError as error:
    raise unusable(__name__, "django", error) from error

__all__ = ("JSONDecoder", "JSONEncoder", "JsonResponse", "decode_body")

T = TypeVar("T")


class JSONEncoder(DjangoJSONEncoder, json.JSONEncoder):
    """``DjangoJSONEncoder``, faster: for ``JSONField(encoder=…)`` and ``JsonResponse``.

    Objects for which Django calls ``default`` (dates, timedeltas, Decimals, UUIDs, lazy
    strings) take the time of that function.

    Examples:
        >>> import datetime
        >>> from snooze.ext.django import JSONEncoder
        >>> JSONEncoder().encode({"for": datetime.timedelta(hours=1)})
        '{"for": "P0DT01H00M00S"}'
    """


class JSONDecoder(json.JSONDecoder):
    """``json.JSONDecoder``, faster: for ``JSONField(decoder=…)``.

    Examples:
        >>> from snooze.ext.django import JSONDecoder
        >>> JSONDecoder().decode("[1, 2.5]")
        [1, 2.5]
    """


class JsonResponse(_JsonResponse):
    """``django.http.JsonResponse`` whose default encoder is ``JSONEncoder``."""

    def __init__(
        self, data: Any, encoder: type[Any] = JSONEncoder, *args: Any, **kwargs: Any
    ) -> None:
        """Write the data; the arguments are those of ``django.http.JsonResponse``."""
        super().__init__(data, encoder, *args, **kwargs)


def decode_body(request: HttpRequest, decoder: Decoder[T]) -> T:
    """Return the body of a request as a decoder's type.

    Args:
        request: The request.
        decoder: The decoder; make it once, beside the view.

    Raises:
        BadRequest: The body is not JSON, or does not fit the type; Django answers with
            status 400. Its ``__cause__`` tells the two apart.

    Examples:
        >>> import snooze
        >>> from snooze.ext.django import JsonResponse, decode_body
        >>> numbers = snooze.Decoder(list[int])
        >>> def add(request):
        ...     return JsonResponse({"sum": sum(decode_body(request, numbers))})
    """
    try:
        return decoder.decode(request.body)
    except ValidationError as error:
        raise BadRequest(f"the body does not fit: {error}") from error
    except JSONDecodeError as error:
        raise BadRequest(f"the body is not JSON: {error}") from error
