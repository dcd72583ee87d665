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
from snooze._typed.raw import Raw


def is_model(cls: Any) -> bool:
    """Return whether a class is a model of pydantic 2; imports nothing."""
    base = getattr(sys.modules.get("pydantic"), "BaseModel", None)
    return (
        isinstance(base, type)
        and issubclass(cls, base)
        and hasattr(cls, "model_validate_json")
    )


def node_of(cls: Any, name: str) -> model.Via:
    """Return the node of a model: its text goes to pydantic and comes from there."""
    root = getattr(sys.modules["pydantic"], "RootModel", None)
    is_root = root is not None and issubclass(cls, root)

    def decode(text: bytes) -> Any:
        try:
            return cls.model_validate_json(text)
        except ValueError as error:
            raise ValueError(_reason(error)) from error

    wire = model.Raw(Raw, None if is_root else ("object",))
    # As values and not as text, so that an Encoder's options apply to them.
    return model.Via(cls, name, wire, decode, _encode, encoded_wire=model.Anything())


def _encode(value: Any) -> Any:
    return value.model_dump(mode="json", by_alias=True)


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
    found: dict[str, Any] = cls.model_json_schema(
        ref_template=f"{reference}/$defs/{{model}}"
    )
    return found
