"""Python values that a schema shows: defaults, docstrings, member names.

Separate from `schema`, because it looks at values and not at types. Invariant: a value
without a certain JSON form is left out, never guessed. Called by the writers of
schemas.
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


def to_json(value: Any) -> Any:  # noqa: PLR0911 - one line for each class
    """Return a default as a JSON value, or `NO_JSON`."""
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
    if type(value) is dict and all(isinstance(key, str) for key in value):
        members = {str(key): to_json(item) for key, item in value.items()}
        return NO_JSON if NO_JSON in members.values() else members
    return NO_JSON


def docstring(cls: Any) -> str | None:
    """Return the docstring of a class; None if a decorator or `enum` generated it."""
    text = cls.__dict__.get("__doc__")
    if not isinstance(text, str) or not text.strip():
        return None
    is_signature = text.startswith(f"{cls.__name__}(") and "\n" not in text
    if is_signature or (issubclass(cls, enum.Enum) and text == "An enumeration."):
        return None
    return inspect.cleandoc(text)


def member_name(value: Any) -> str:
    """Return the member name that stands for a dict key."""
    return value if isinstance(value, str) else json.dumps(value)
