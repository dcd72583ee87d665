"""Python values that a schema shows: defaults, documentation, names of members.

Separate from `schema`, because it looks at values and not at types. Invariant: what has
no certain form in JSON is left out, never guessed. Called by `schema`.
"""

from __future__ import annotations

import datetime as dt
import enum
import inspect
import json
import math
import uuid
from decimal import Decimal
from typing import Any

NO_JSON: Any = object()


def to_json(value: Any) -> Any:  # noqa: PLR0911 - one line for each kind
    """Return a default as JSON, or `NO_JSON`."""
    if isinstance(value, enum.Enum):
        return to_json(value.value)
    if value is None or type(value) in {bool, int, str}:
        return value
    if type(value) is float:
        return value if math.isfinite(value) else NO_JSON
    if type(value) in {Decimal, uuid.UUID}:
        return str(value)
    if type(value) in {dt.datetime, dt.date, dt.time}:
        return value.isoformat()
    if type(value) in {tuple, list, frozenset}:
        items = [to_json(item) for item in value]
        return NO_JSON if any(item is NO_JSON for item in items) else items
    return NO_JSON


def documentation(cls: Any) -> str | None:
    """Return the docstring that somebody wrote, not what decorators put there."""
    found = cls.__dict__.get("__doc__")
    if not isinstance(found, str) or not found.strip():
        return None
    signature = found.startswith(f"{cls.__name__}(") and "\n" not in found
    if signature or (issubclass(cls, enum.Enum) and found == "An enumeration."):
        return None
    return inspect.cleandoc(found)


def key_text(value: Any) -> str:
    """Return a value as the name of a member."""
    return value if isinstance(value, str) else json.dumps(value)
