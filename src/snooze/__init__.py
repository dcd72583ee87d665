"""snooze: JSON for Python, fast and safe.

A drop-in replacement for orjson: ``import snooze as orjson``. ``dumps`` and ``loads``
come from the extension module; see ``help(snooze.dumps)`` and ``help(snooze.loads)``.
Typed codecs (``Decoder``, ``Encoder``, ``decode``, ``encode``, ``schema``) are loaded
when one of their names is first used, so that who does not use them does not wait.
"""

from snooze._snooze import (
    OPT_APPEND_NEWLINE,
    OPT_INDENT_2,
    OPT_NAIVE_UTC,
    OPT_NON_STR_KEYS,
    OPT_OMIT_MICROSECONDS,
    OPT_PASSTHROUGH_DATACLASS,
    OPT_PASSTHROUGH_DATETIME,
    OPT_PASSTHROUGH_SUBCLASS,
    OPT_SERIALIZE_DATACLASS,
    OPT_SERIALIZE_NUMPY,
    OPT_SERIALIZE_UUID,
    OPT_SORT_KEYS,
    OPT_STRICT_INTEGER,
    OPT_UTC_Z,
    Fragment,
    JSONDecodeError,
    JSONEncodeError,
    __version__,
    cpu_tiers,
    dumps,
    loads,
)

__all__ = (
    "OPT_APPEND_NEWLINE",
    "OPT_INDENT_2",
    "OPT_NAIVE_UTC",
    "OPT_NON_STR_KEYS",
    "OPT_OMIT_MICROSECONDS",
    "OPT_PASSTHROUGH_DATACLASS",
    "OPT_PASSTHROUGH_DATETIME",
    "OPT_PASSTHROUGH_SUBCLASS",
    "OPT_SERIALIZE_DATACLASS",
    "OPT_SERIALIZE_NUMPY",
    "OPT_SERIALIZE_UUID",
    "OPT_SORT_KEYS",
    "OPT_STRICT_INTEGER",
    "OPT_UTC_Z",
    "Aware",
    "Decoder",
    "Encoder",
    "Field",
    "Fragment",
    "Ge",
    "Gt",
    "JSONDecodeError",
    "JSONEncodeError",
    "Le",
    "Len",
    "Lt",
    "MaxLen",
    "MinLen",
    "MultipleOf",
    "Naive",
    "Pattern",
    "Problem",
    "Raw",
    "ValidationError",
    "Via",
    "__version__",
    "configure",
    "cpu_tiers",
    "decode",
    "dumps",
    "encode",
    "loads",
    "schema",
)

#: Where the names are that are loaded late.
_TYPED = {
    "Decoder": "codecs",
    "Encoder": "codecs",
    "decode": "calls",
    "encode": "calls",
    "Aware": "constraints",
    "Ge": "constraints",
    "Gt": "constraints",
    "Le": "constraints",
    "Len": "constraints",
    "Lt": "constraints",
    "MaxLen": "constraints",
    "MinLen": "constraints",
    "MultipleOf": "constraints",
    "Naive": "constraints",
    "Pattern": "constraints",
    "Problem": "errors",
    "ValidationError": "errors",
    "Field": "options",
    "Via": "options",
    "configure": "options",
    "Raw": "raw",
    "schema": "schema",
}


def __getattr__(name: str) -> object:
    """Load a name of the typed codecs when it is first used."""
    if name not in _TYPED:
        raise AttributeError(f"module 'snooze' has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - not at import time

    value = getattr(import_module(f"snooze._typed.{_TYPED[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return all names, loaded or not."""
    return sorted({*globals(), *__all__})
