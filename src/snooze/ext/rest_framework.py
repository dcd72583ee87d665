"""Django REST framework: a renderer and a parser.

    from snooze.ext.rest_framework import JSONParser, JSONRenderer

Invariant: texts, values, errors and the settings that are obeyed (``COMPACT_JSON``,
``UNICODE_JSON``, ``STRICT_JSON``, ``indent`` of the accepted type) are those of the
framework's own classes. Django's settings must be configured before the import, as for
``rest_framework.renderers``.
"""

from __future__ import annotations

import contextlib
import io
from typing import IO, TYPE_CHECKING, Any

from snooze import json
from snooze._missing import unusable
from snooze._snooze import json_loads

try:
    from django.conf import settings
    from rest_framework import parsers, renderers
    from rest_framework.utils import encoders
except ImportError as error:
    raise unusable(__name__, "djangorestframework", error) from error

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ("JSONEncoder", "JSONParser", "JSONRenderer")


class JSONEncoder(encoders.JSONEncoder, json.JSONEncoder):
    """The framework's encoder, faster.

    Objects for which the framework calls ``default`` take the time of that function;
    serializers have converted dates, Decimals and UUIDs before.
    """


class JSONRenderer(renderers.JSONRenderer):
    """``rest_framework.renderers.JSONRenderer``, written by ``snooze.json``.

    For ``DEFAULT_RENDERER_CLASSES`` or ``renderer_classes``. Every text is the same as
    the framework's own.
    """

    encoder_class = JSONEncoder


class JSONParser(parsers.JSONParser):
    """``rest_framework.parsers.JSONParser``, read by snooze.

    For ``DEFAULT_PARSER_CLASSES`` or ``parser_classes``. A body that is not JSON is a
    ``ParseError`` (status 400) with the framework's own text.
    """

    renderer_class = JSONRenderer

    def parse(
        self,
        stream: IO[bytes],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        """Return the value of a body, as the framework's own parser."""
        body = stream.read()
        encoding = (parser_context or {}).get("encoding", settings.DEFAULT_CHARSET)
        if str(encoding).lower() in {"utf-8", "utf8"}:
            # What it refuses the framework's own code reads, or says what is wrong.
            with contextlib.suppress(ValueError):
                return json_loads(body)
        return super().parse(io.BytesIO(body), media_type, parser_context)
