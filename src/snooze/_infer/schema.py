"""The JSON Schema of what was seen (draft 2020-12).

Separate from places.py, because it is one of two results. Invariant: each document that
was added is valid. Called by `Inference.schema`.
"""

from __future__ import annotations

from typing import Any

from snooze._infer.places import NULL, SCALARS, Seen

_DRAFT = "https://json-schema.org/draft/2020-12/schema"


def of(seen: Seen, title: str | None) -> dict[str, Any]:
    """Return the schema of a document."""
    head: dict[str, Any] = {"$schema": _DRAFT}
    if title is not None:
        head["title"] = title
    return head | _schema(seen)


def _schema(seen: Seen) -> dict[str, Any]:
    if seen.is_deep:
        return {}
    types = [kind for kind in SCALARS.values() if kind in seen.kinds]
    if "number" in types and "integer" in types:
        types.remove("integer")
    more: dict[str, Any] = {}
    if seen.item is not None:
        types.append("array")
        items = _schema(seen.item)
        if items:
            more["items"] = items
    if seen.objects:
        types.append("object")
        more |= _object(seen)
    if NULL in seen.kinds:
        types.append(NULL)
    if not types:
        return {}
    return {"type": types[0] if len(types) == 1 else types} | more


def _object(seen: Seen) -> dict[str, Any]:
    values = seen.values()
    if values is not None:
        inside = _schema(values)
        return {"additionalProperties": inside} if inside else {}
    found: dict[str, Any] = {
        "properties": {name: _schema(one) for name, one in seen.members.items()}
    }
    required = [one for one in seen.members if seen.counts[one] == seen.objects]
    if required:
        found["required"] = required
    return found
