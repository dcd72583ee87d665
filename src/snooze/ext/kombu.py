"""kombu and celery: the serializer ``snooze``.

    from snooze.ext.kombu import register

Invariant: messages have the content type, the text and the values of kombu's own
serializer ``json``, so that workers with and without snooze understand each other.
"""

from __future__ import annotations

import re
from typing import Any

from snooze import json
from snooze._missing import unusable

try:
    from kombu import serialization
    from kombu.utils import json as kombu_json
except ImportError as error:
    raise unusable(__name__, "kombu", error) from error

__all__ = ("JSONEncoder", "dumps", "loads", "register")

#: kombu's functions have no types.
_kombu: Any = kombu_json
_register: Any = serialization.register
#: The member that only dates, Decimals and other marked values have.
_MARK = "__type__"
#: Escapes that could hide its letters.
_ESCAPE = re.compile(r"\\u00[567]")


class JSONEncoder(kombu_json.JSONEncoder, json.JSONEncoder):
    """kombu's encoder, faster; it calls ``__json__`` and the registered types."""


def dumps(obj: Any, /) -> str:
    """Return the text that kombu's ``json`` serializer writes."""
    text: str = _kombu.dumps(obj, _dumps=json.dumps, cls=JSONEncoder)
    return text


def loads(text: str | bytes | bytearray | memoryview, /) -> Any:
    """Return the value that kombu's ``json`` serializer reads."""
    if not isinstance(text, str):
        text = bytes(memoryview(text)).decode()
    if _MARK in text or ("\\u00" in text and _ESCAPE.search(text)):
        return _kombu.loads(text, _loads=json.loads)
    return json.loads(text)


def register(name: str = "snooze") -> None:
    """Register the serializer, for ``serializer=``, ``task_serializer`` and others.

    Its content type is ``application/json``. Consumers that accept ``json`` accept it,
    and in this process read such messages by snooze from then on.

    Args:
        name: The name of the serializer. With "json", everything that uses kombu's own
            serializer uses snooze. Default "snooze".

    Examples:
        >>> import kombu.serialization
        >>> from snooze.ext.kombu import register
        >>> register()
        >>> kombu.serialization.dumps([1, None], serializer="snooze")
        ('application/json', 'utf-8', '[1, null]')
    """
    _register(name, dumps, loads, "application/json", "utf-8")
