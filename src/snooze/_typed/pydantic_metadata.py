"""Metadata of pydantic in `Annotated`: read, known to change nothing, or refused.

Separate from `constraint_merge`, because pydantic's metadata also converts values and
restricts them in ways that snooze does not know. Invariants: whatever restricts or
converts a value and is not read is refused; pydantic is not imported. Called by
`constraint_merge`, `notes` and `records`.
"""

from __future__ import annotations

from typing import Any

#: What a `pydantic.Field` may set: constraints, and what only documents the field.
_CONSTRAINTS = {
    "gt", "ge", "lt", "le", "multiple_of", "min_length", "max_length", "pattern",
}  # fmt: skip
_NOTES = {
    "annotation", "title", "description", "examples", "deprecated", "repr",
    "json_schema_extra", "field_title_generator",
}  # fmt: skip
#: Classes that neither restrict nor convert: a Decoder is strict by itself, and it
#: always stops at the first problem, or never.
_HARMLESS = {"Strict", "FailFast", "WithJsonSchema", "SkipJsonSchema", "Examples"}
_INSTEAD = "use the constraints of snooze, annotated-types' Predicate, or snooze.Via"


def is_field(metadata: object) -> bool:
    """Return whether it is what `pydantic.Field(...)` returns."""
    cls = type(metadata)
    return cls.__name__ == "FieldInfo" and cls.__module__ == "pydantic.fields"


def check_field(field: Any, place: str) -> None:
    """Refuse what a `pydantic.Field` says of a field, which would have no effect."""
    given = set(getattr(field, "_attributes_set", None) or ())
    unknown = sorted(given - _CONSTRAINTS - _NOTES)
    if unknown:
        written = ", ".join(f"{name}=…" for name in unknown)
        raise TypeError(
            f"{place}: pydantic.Field({written}) has no effect here: "
            "use snooze.Field and the constraints of snooze"
        )


def check(metadata: object, place: str) -> None:
    """Refuse metadata of pydantic that restricts or converts, and is not read."""
    cls = metadata if isinstance(metadata, type) else type(metadata)
    if cls.__module__.partition(".")[0] != "pydantic" or cls.__name__ in _HARMLESS:
        return
    if not cls.__name__.endswith("GeneralMetadata"):
        if cls.__name__ == "AllowInfNan" and getattr(metadata, "allow_inf_nan", False):
            return
        raise TypeError(
            f"{place}: pydantic's {cls.__name__} has no effect here; {_INSTEAD}"
        )
    # What `constr(...)`, `Field(...)` and others say without a class of its own.
    given = {
        name: value
        for name, value in vars(metadata).items()
        if value is not None and value is not False
    }
    for name, value in given.items():
        if name == "pattern" and not isinstance(value, str):
            raise TypeError(
                f"{place}: pydantic's pattern={value!r} needs to be the text of the "
                "expression, with flags as in (?i)…"
            )
        if name not in _CONSTRAINTS:
            raise TypeError(
                f"{place}: pydantic's {name}={value!r} has no effect here; {_INSTEAD}"
            )
