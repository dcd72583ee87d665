"""What the tests of hostile code in typed decoding share.

Separate because classes and callbacks are hostile in different ways and are tested in two
modules. Invariant: `attempt` names every outcome and lets none pass unnoticed. Used by
tests/safety/test_typed_decode_hostile_classes.py and ..._hooks.py.
"""

from __future__ import annotations

from typing import Any

from snooze import Decoder, ValidationError

Boom = type("Boom", (Exception,), {})

DOCUMENTS = [
    '{"a":1}',
    '[{"a":1},{"a":2},{"a":[]},{}]',
    '{"x":{"a":1}}',
    "[]",
    "null",
    '{"a":"x"}',
]


def attempt(decoder: Any, document: Any) -> str:
    """Decode, and name the outcome: made, refused, or the exception's type."""
    try:
        decoder.decode(document)
    except ValidationError:
        return "refused"
    except BaseException as error:
        return type(error).__name__
    return "made"


def many(cls: Any, **options: Any) -> list[Any]:
    """Return decoders that meet a class at the root and in several containers."""
    types = [cls, list[cls], dict[str, cls], cls | None, tuple[cls, ...]]
    return [
        Decoder(tp, errors=errors, **options)
        for tp in types
        for errors in ("first", "all")
    ]
