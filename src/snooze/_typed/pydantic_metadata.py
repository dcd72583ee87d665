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
#: What a Field may set, as its metadata has the value: that is checked, too.
_IN_METADATA = {"strict", "fail_fast", "allow_inf_nan", "union_mode"}
#: Classes that neither restrict nor convert: a Decoder is strict by itself, it always
#: stops at the first problem, or never, and it tells the members of a union apart.
_HARMLESS = {
    *("Strict", "FailFast", "WithJsonSchema", "SkipJsonSchema", "Examples"),
    *("Tag", "AliasChoices", "AliasPath", "_AllowAnyJson"),
    "AllowInfNan",  # see `is_finite_only`
}
#: The same, where the metadata has no class of its own.
_HARMLESS_VALUES = [
    *(("strict", True), ("fail_fast", True), ("allow_inf_nan", True)),
    ("union_mode", "smart"),
]
_LITERALS = "a Literal field in each class tells the members of a union apart"
_INSTEAD = "use the constraints of snooze, annotated-types' Predicate, or snooze.Via"


def is_field(metadata: object) -> bool:
    """Return whether it is what `pydantic.Field(...)` returns."""
    cls = type(metadata)
    return cls.__name__ == "FieldInfo" and cls.__module__ == "pydantic.fields"


def check_field(field: Any, place: str) -> None:
    """Refuse what a `pydantic.Field` says of a field, which would have no effect."""
    given = set(getattr(field, "_attributes_set", None) or ())
    unknown = sorted(given - _CONSTRAINTS - _NOTES - _IN_METADATA)
    if unknown:
        written = ", ".join(f"{name}=…" for name in unknown)
        raise TypeError(
            f"{place}: pydantic.Field({written}) has no effect here: "
            "use snooze.Field and the constraints of snooze"
        )


def _class_of(metadata: object) -> type | None:
    """Return the class of metadata that is pydantic's, or None."""
    cls = metadata if isinstance(metadata, type) else type(metadata)
    return cls if cls.__module__.partition(".")[0] == "pydantic" else None


def is_finite_only(metadata: object) -> bool:
    """Return whether it is `AllowInfNan(False)`, or the same of `Field`."""
    is_own = _class_of(metadata) is not None
    return is_own and getattr(metadata, "allow_inf_nan", None) is False


def _is_of_json_value(metadata: object) -> bool:
    """Return whether it is the Discriminator of JsonValue.

    Its function returns the name of the class, which JSON tells apart by itself.
    """
    function = getattr(metadata, "discriminator", None)
    return getattr(function, "__module__", None) == "pydantic.types"


def check(metadata: object, place: str) -> None:
    """Refuse metadata of pydantic that restricts or converts, and is not read."""
    cls = _class_of(metadata)
    if cls is None or cls.__name__ in _HARMLESS:
        return
    name = cls.__name__
    if name == "Discriminator" and _is_of_json_value(metadata):
        return
    if not name.endswith("GeneralMetadata"):
        instead = _LITERALS if name == "Discriminator" else _INSTEAD
        raise TypeError(f"{place}: pydantic's {name} has no effect here; {instead}")
    _check_general(metadata, place)


def _check_general(metadata: object, place: str) -> None:
    """Check what `constr(...)`, `Field(...)` and others say without a class."""
    given = {
        name: value
        for name, value in vars(metadata).items()
        if value is not None and value is not False
        if (name, value) not in _HARMLESS_VALUES
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
