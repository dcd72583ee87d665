"""snooze: JSON for Python, fast and safe.

A drop-in replacement for orjson: ``import snooze as orjson``. ``dumps`` and ``loads``
come from the extension module; see ``help(snooze.dumps)`` and ``help(snooze.loads)``.
Typed codecs (``Decoder``, ``Encoder``, ``decode``, ``encode``, ``schema``) are light
until the first is made: what reads types is loaded then, so that who does not use them
does not wait. Invariant: no ``__getattr__`` here, because with one CPython looks up
``snooze.loads`` anew at each call (see ``_typed/lazy_typing.py``).
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
from snooze._typed.calls import decode, encode, schema
from snooze._typed.codecs import Decoder, Encoder
from snooze._typed.constraints import (
    Aware,
    Ge,
    Gt,
    Le,
    Len,
    Lt,
    MaxLen,
    MinLen,
    MultipleOf,
    Naive,
    Pattern,
)
from snooze._typed.errors import Problem, ValidationError
from snooze._typed.options import Field, Via, configure
from snooze._typed.raw import Raw

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
