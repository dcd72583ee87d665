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
    from rest_framework.utils import encoders, serializer_helpers
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
    the framework's own. The ``data`` of a serializer is fast as the whole document or
    as a member of it, as in pages; deeper inside Python's own code writes it.
    """

    encoder_class = JSONEncoder

    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,
        renderer_context: Mapping[str, Any] | None = None,
    ) -> Any:
        """Return the text of a value, as the framework's own renderer."""
        data = _plain(data)
        if type(data) is dict and not _RETURNED.isdisjoint(map(type, data.values())):
            data = {name: _plain(value) for name, value in data.items()}
        return super().render(data, accepted_media_type, renderer_context)


#: The classes of a serializer's `data`. Compiled code leaves subclasses of list and
#: dict to Python's own code, but these add nothing that JSON shows.
_RETURNED = {serializer_helpers.ReturnDict, serializer_helpers.ReturnList}


def _plain(data: Any) -> Any:
    """Return the data of a serializer as a list or dict, and other data as it is."""
    if type(data) not in _RETURNED:
        return data
    return dict(data) if isinstance(data, dict) else list(data)


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
