"""Notes on types for JSON Schema: titles, descriptions, examples.

Separate, because notes come from several packages and change nothing but the schema.
Invariant: metadata of other packages is recognised by its class name and attributes,
without importing a package; what is not a note is left alone. `introspect` and
`records` call `read`, `schema` calls `keywords`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from snooze._typed import defaults, model, pydantic_metadata
from snooze._typed.metadata import Meta


def read(metadata: object, place: str) -> model.Notes | None:
    """Return the notes in a piece of metadata, or None.

    Known are `snooze.Meta`, `Doc` (PEP 727), `msgspec.Meta` and `pydantic.Field`.
    """
    if isinstance(metadata, Meta):
        return _of_attributes(metadata, "json_schema_extra")
    cls = type(metadata)
    if cls.__name__ == "Doc" and isinstance(
        text := getattr(metadata, "documentation", None), str
    ):
        return model.Notes(description=text)
    if cls.__name__ == "Meta" and cls.__module__.partition(".")[0] == "msgspec":
        return _of_attributes(metadata, "extra_json_schema")
    if pydantic_metadata.is_field(metadata):
        if callable(getattr(metadata, "json_schema_extra", None)):
            raise TypeError(
                f"{place}: pydantic.Field(json_schema_extra=…) with a function has no "
                "effect here; use a dict"
            )
        return _of_attributes(metadata, "json_schema_extra")
    return None


def _of_attributes(metadata: Any, extra_name: str) -> model.Notes | None:
    """Return the notes of an object that has them as attributes."""
    extra = getattr(metadata, extra_name, None)
    examples = getattr(metadata, "examples", None)
    deprecated = getattr(metadata, "deprecated", None)
    notes = model.Notes(
        _text(metadata, "title"),
        _text(metadata, "description"),
        tuple(examples) if isinstance(examples, (list, tuple)) else None,
        None if deprecated is None else bool(deprecated),
        extra if isinstance(extra, Mapping) else None,
    )
    return notes or None


def _text(metadata: Any, name: str) -> str | None:
    value = getattr(metadata, name, None)
    return value if isinstance(value, str) else None


def of_class(cls: Any, meta: Meta | None) -> model.Notes:
    """Return the notes on a class itself, not on its bases."""
    own = cls.__dict__.get("__deprecated__")  # of `warnings.deprecated`, PEP 702
    found = model.Notes(
        description=defaults.docstring(cls), deprecated=True if own else None
    )
    notes = None if meta is None else read(meta, cls.__name__)
    return found if notes is None else found.updated(notes)


def keywords(
    notes: model.Notes, place: str, to_json: Callable[[Any], Any] = defaults.to_json
) -> dict[str, Any]:
    """Return the keywords of JSON Schema; TypeError for a value without JSON form.

    `to_json` returns the JSON value of an example.
    """
    found: dict[str, Any] = {}
    if notes.title is not None:
        found["title"] = notes.title
    if notes.description is not None:
        found["description"] = notes.description
    if notes.examples is not None:
        found["examples"] = [
            _json_value(one, f"{place}: examples", to_json) for one in notes.examples
        ]
    if notes.deprecated is not None:
        found["deprecated"] = notes.deprecated
    for key, value in (notes.extra or {}).items():
        found[key] = _json_value(value, f"{place}: json_schema_extra[{key!r}]")
    return found


def _json_value(
    value: Any, place: str, to_json: Callable[[Any], Any] = defaults.to_json
) -> Any:
    found = to_json(value)
    if found is defaults.NO_JSON:
        raise TypeError(f"{place}: {value!r} has no JSON form")
    return found
