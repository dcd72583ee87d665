"""pydantic models as types: read and written by pydantic itself.

Separate, because it is the only file that knows models. It never imports pydantic: a
type that names a model shows that the user has. Invariant: only pydantic's documented
methods are called, so that validators, aliases and serializers mean what they mean
there. Called by `introspect` and `schema`.
"""

from __future__ import annotations

import sys
from typing import Any

from snooze._typed import model
from snooze._typed.construction import lookup
from snooze._typed.generics import type_name
from snooze._typed.options import options_of
from snooze._typed.raw import Raw

#: Values of `extra` with which other members than fields count.
_OTHER_EXTRA = {"forbid", "allow"}
#: Where pydantic notes the serializers of a class.
_SERIALIZERS = ("field_serializers", "model_serializers")


def is_model(cls: Any) -> bool:
    """Return whether a class is a model of pydantic 2; imports nothing."""
    pydantic = sys.modules.get("pydantic")
    base = getattr(pydantic, "BaseModel", None)
    return (
        isinstance(base, type)
        and issubclass(cls, base)
        and cls not in {base, getattr(pydantic, "RootModel", None)}
        and hasattr(cls, "model_validate_json")
    )


def check_dataclass(cls: Any, place: str) -> None:
    """Refuse a dataclass of pydantic whose members are not its fields.

    Others are made by their constructor, which validates, and written by their fields.
    """
    config: Any = lookup(cls, "__pydantic_config__")[1]
    if "pydantic" not in sys.modules or not isinstance(config, dict):
        return
    decorators = lookup(cls, "__pydantic_decorators__")[1]
    reasons = [
        name
        for name, is_set in (
            ("alias_generator", config.get("alias_generator") is not None),
            (f"extra={config.get('extra')!r}", config.get("extra") in _OTHER_EXTRA),
            ("a serializer", any(getattr(decorators, n, {}) for n in _SERIALIZERS)),
            ("a computed field", bool(getattr(decorators, "computed_fields", {}))),
        )
        if is_set
    ]
    if reasons:
        raise TypeError(
            f"{place}: the pydantic dataclass {cls.__name__} has {reasons[0]}, which "
            "only models keep; make it a BaseModel"
        )


def with_arguments(cls: Any, known: dict[Any, Any]) -> Any:
    """Return a generic model with the types of its variables that are known."""
    variables = cls.__pydantic_generic_metadata__["parameters"]
    if not any(variable in known for variable in variables):
        return cls
    return cls[tuple(known.get(variable, variable) for variable in variables)]


def node_of(cls: Any, place: str) -> model.Via:
    """Return the node of a model: its text goes to pydantic and comes from there."""
    if options_of(cls).explicit():
        raise TypeError(
            f"{place}: configure(…) has no effect on the pydantic model "
            f"{cls.__name__}; use its model_config"
        )
    if not cls.__pydantic_complete__:
        try:
            cls.model_rebuild()
        except MemoryError:
            raise
        except Exception as error:
            raise TypeError(
                f"{place}: the pydantic model {cls.__name__} is not fully defined: "
                f"{_first_line(error)}"
            ) from error
    root = getattr(sys.modules["pydantic"], "RootModel", None)
    is_root = root is not None and issubclass(cls, root)

    def decode(text: bytes) -> Any:
        try:
            return cls.model_validate_json(text)
        except ValueError as error:
            raise ValueError(_reason(error)) from error

    def validate(value: Any, *, from_attributes: bool | None = None) -> Any:
        try:
            return cls.model_validate(value, from_attributes=from_attributes)
        except ValueError as error:
            raise ValueError(_reason(error)) from error

    wire = model.Raw(Raw, None if is_root else ("object",))
    # As values and not as text, so that an Encoder's options apply to them.
    anything = model.Anything()
    node = model.Via(cls, type_name(cls), wire, decode, _encode)
    node.encoded_wire = anything
    node.from_object = validate
    return node


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]


def _encode(value: Any) -> Any:
    try:
        return value.model_dump(mode="json", by_alias=True)
    except ValueError as error:  # of a serializer, or a value without JSON form
        raise TypeError(str(error)) from error


def _reason(error: ValueError) -> str:
    """Return the first problem of pydantic's error in one line, and where it is."""
    problems: list[Any] = getattr(error, "errors", list)()
    if not problems:
        return str(error)
    first = problems[0]
    text = str(first["msg"])
    if first["loc"]:
        text = f"{'.'.join(map(str, first['loc']))}: {text}"
    more = len(problems) - 1
    return f"{text} (and {more} more)" if more else text


def schema_of(cls: Any, reference: str) -> dict[str, Any]:
    """Return the schema of a model, to which `reference` leads in the document.

    The classes inside it stay in a `$defs` of its own.
    """
    try:
        found: dict[str, Any] = cls.model_json_schema(
            ref_template=f"{reference}/$defs/{{model}}"
        )
    except MemoryError:
        raise
    except Exception as error:
        raise TypeError(
            f"the pydantic model {cls.__name__} has no JSON Schema: "
            f"{_first_line(error)}"
        ) from error
    return found
