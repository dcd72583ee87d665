"""The Decoder that the arguments of an adapter describe.

Separate, because several adapters take a type or a ``Decoder``. Invariant: an error
about an option is about one that the user gave. Called by ``fastapi`` and ``litestar``.
"""

from __future__ import annotations

import typing
from typing import Any

from snooze import Decoder


def decoder_of(
    type: Any,  # noqa: A002 - as in Decoder
    options: dict[str, Any],
    caller: str,
) -> Decoder[Any]:
    """Return a Decoder of a type, which reports all problems, or the given Decoder.

    Raises:
        TypeError: There are options beside a ``Decoder``, the type is not supported, or
            an option has the wrong type.
        ValueError: An option has an unknown value or no meaning.
    """
    if isinstance(type, Decoder):
        if options:
            raise TypeError(f"{caller}: expected a type with options, found a Decoder")
        return type
    # Every document fits Any, and some options of it exclude `errors`.
    is_any = type is typing.Any and options.get("at") is None
    if not is_any or "max_errors" in options:
        options = {"errors": "all", **options}
    return Decoder(type, **options)
