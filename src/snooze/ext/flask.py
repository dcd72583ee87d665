"""Flask: the provider of ``app.json``, and request bodies decoded into types.

    from snooze.ext.flask import JSONProvider

Invariant: texts, values and exceptions are those of Flask's ``DefaultJSONProvider``,
with its attributes ``default``, ``ensure_ascii``, ``sort_keys``, ``compact`` and
``mimetype``.
"""

from __future__ import annotations

from typing import Any, TypeVar

from snooze import Decoder, JSONDecodeError, ValidationError, json
from snooze._missing import unusable

try:
    from flask import request
    from flask.json.provider import DefaultJSONProvider
    from werkzeug.exceptions import (
        BadRequest,
        UnprocessableEntity,
        UnsupportedMediaType,
    )
except ImportError as error:
    raise unusable(__name__, "flask", error) from error

__all__ = ("JSONProvider", "decode_body")

T = TypeVar("T")


class JSONProvider(DefaultJSONProvider):
    """Flask's JSON, read and written by ``snooze.json``.

    For ``app.json = JSONProvider(app)``, or ``json_provider_class`` of a subclass of
    ``Flask``. ``jsonify``, ``request.get_json``, sessions and the test client use it.
    Every text is the same as Flask's own. Objects for which Flask calls ``default``
    (dates, Decimals, UUIDs, dataclasses) take the time of that function.

    Examples:
        >>> from flask import Flask
        >>> from snooze.ext.flask import JSONProvider
        >>> app = Flask("example")
        >>> app.json = JSONProvider(app)
        >>> app.json.dumps({"b": 1, "a": [True, None]})
        '{"a": [true, null], "b": 1}'
    """

    def dumps(self, obj: Any, **kwargs: Any) -> str:
        """Return the text, as ``DefaultJSONProvider.dumps``."""
        kwargs.setdefault("default", self.default)
        kwargs.setdefault("ensure_ascii", self.ensure_ascii)
        kwargs.setdefault("sort_keys", self.sort_keys)
        return json.dumps(obj, **kwargs)

    def loads(self, s: str | bytes, **kwargs: Any) -> Any:
        """Return the value, as ``DefaultJSONProvider.loads``."""
        return json.loads(s, **kwargs)


def decode_body(decoder: Decoder[T]) -> T:
    """Return the body of the current request as a decoder's type.

    Args:
        decoder: The decoder; make it once, beside the view.

    Raises:
        UnsupportedMediaType: The content type is not JSON (status 415), as for
            ``request.get_json``.
        BadRequest: The body is not JSON (status 400).
        UnprocessableEntity: The body does not fit the type (status 422). The
            description is the message of the error, with the place.

    Examples:
        >>> import flask, snooze
        >>> from snooze.ext.flask import decode_body
        >>> numbers = snooze.Decoder(list[int])
        >>> app = flask.Flask("example")
        >>> with app.test_request_context(json=[1, 2]):
        ...     sum(decode_body(numbers))
        3
    """
    if not request.is_json:
        raise UnsupportedMediaType(
            "expected the content type application/json, "
            f"found {request.mimetype or 'none'}"
        )
    try:
        return decoder.decode(request.get_data())
    except ValidationError as error:
        raise UnprocessableEntity(str(error)) from error
    except JSONDecodeError as error:
        raise BadRequest(str(error)) from error
