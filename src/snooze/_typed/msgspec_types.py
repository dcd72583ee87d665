"""What snooze knows of msgspec: Structs and their options, `UNSET`, `Raw`.

Separate, because it is the only file that knows msgspec. It never imports it: a type
that names such a class shows that the user has. Invariant: a module that only has the
name changes nothing. Defaults and names in JSON come from attributes of Structs that
msgspec does not document: `msgspec.structs.fields` evaluates annotations, which may
name classes that are not defined yet. Called by `declarations` and `introspect`.
"""

from __future__ import annotations

import sys
from typing import Any

from snooze._typed import model
from snooze._typed.options import NOT_GIVEN, Options
from snooze._typed.raw import Raw

#: The class that wraps a `default_factory`.
_FACTORY = ("msgspec._core", "Factory")


def is_struct(cls: Any) -> bool:
    """Return whether a class is a `Struct`."""
    struct = getattr(sys.modules.get("msgspec"), "Struct", None)
    return isinstance(struct, type) and issubclass(cls, struct) and cls is not struct


def struct_options(cls: Any) -> Options:
    """Return what the arguments of a `Struct` are as options of `configure`."""
    config = cls.__struct_config__
    names = zip(cls.__struct_fields__, cls.__struct_encode_fields__, strict=True)
    renamed = {name: encoded for name, encoded in names if name != encoded}
    return Options(
        rename=renamed or NOT_GIVEN,
        omit_defaults=(config.omit_defaults and not config.array_like) or NOT_GIVEN,
        unknown="forbid" if config.forbid_unknown_fields else NOT_GIVEN,
        tag=NOT_GIVEN if config.tag is None else config.tag,
        tag_field=NOT_GIVEN if config.tag_field is None else config.tag_field,
        array_like=config.array_like or NOT_GIVEN,
    )


def struct_defaults(cls: Any) -> dict[str, tuple[Any, Any]]:
    """Return for each field with a default "default" or "factory", and the default."""
    missing = sys.modules["msgspec"].NODEFAULT
    defaults = cls.__struct_defaults__
    names = cls.__struct_fields__[len(cls.__struct_fields__) - len(defaults) :]
    found: dict[str, tuple[Any, Any]] = {}
    for name, default in zip(names, defaults, strict=True):
        cls_of_default = type(default)
        if (cls_of_default.__module__, cls_of_default.__name__) == _FACTORY:
            found[name] = ("factory", default.factory)
        elif default is not missing:
            found[name] = ("default", default)
    return found


def missing(cls: type) -> model.Missing | None:
    """Return the node of `UnsetType`, or None for other classes."""
    msgspec: Any = sys.modules.get("msgspec")
    if cls is not getattr(msgspec, "UnsetType", None):
        return None
    return model.Missing(msgspec.UNSET)


def is_hashable(cls: Any) -> bool:
    """Return whether instances of a Struct can be hashed."""
    config = cls.__struct_config__
    return bool(config.frozen or not config.eq or "__hash__" in cls.__dict__)


def _raw_text(raw: Any) -> Raw:
    text = bytes(raw)
    if not text:
        raise TypeError("expected JSON text, found an empty Raw")
    return Raw(text)


def node_of(cls: type) -> model.Node | None:
    """Return the node of `Raw`, or None for other classes."""
    if cls is not getattr(sys.modules.get("msgspec"), "Raw", None):
        return None
    return model.Via(cls, "Raw", model.Raw(Raw), cls, _raw_text)
