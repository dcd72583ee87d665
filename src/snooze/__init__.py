"""snooze: fast and correct JSON for Python.

A drop-in replacement for orjson, ``import snooze as orjson``, and typed codecs:

- ``dumps`` and ``loads`` write and read JSON, with orjson's options and errors.
- ``Decoder`` and ``Encoder`` read and write dataclasses and other types; ``decode`` and
  ``encode`` do so in one call, and ``schema`` returns the JSON Schema of a type.
- ``Converter`` and ``convert`` build values of the same types from Python objects;
  ``to_builtins`` turns them into dicts and lists.
- ``scan`` reads JSON Lines into Arrow record batches, for pyarrow, polars, DuckDB and
  others; ``write_lines`` writes theirs as JSON Lines.
- ``configure``, ``Field``, ``Via``, ``Raw`` and constraints such as ``Ge`` and ``Len``
  say how classes and their fields look in JSON.
- ``json`` is the standard library's ``json``, with the same results.
- ``pointer``, ``jsonpath``, ``patch``, ``merge_patch``, ``diff`` and ``infer`` work on
  what ``loads`` returns: find, change, compare and describe documents.

``help(snooze.Decoder)`` and the others describe every option, with examples.
"""

import sys as _sys

from snooze import _fork
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
    JSONEncodeError,
    __version__,
    cpu_tiers,
    dumps,
    dumps_str,
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
    "UNSET",
    "Aware",
    "Converter",
    "Decoder",
    "Encoder",
    "Field",
    "FirstMatch",
    "Format",
    "Fragment",
    "Ge",
    "Gt",
    "Inference",
    "JSONDecodeError",
    "JSONEncodeError",
    "Le",
    "Len",
    "LineProblem",
    "Lt",
    "MaxLen",
    "Meta",
    "MinLen",
    "MultipleOf",
    "Naive",
    "PartialDocument",
    "PatchError",
    "Pattern",
    "Problem",
    "Raw",
    "RecordBatch",
    "Scan",
    "ScanError",
    "ScanProblem",
    "ScanProgress",
    "Subclasses",
    "UnsetType",
    "ValidationError",
    "Via",
    "__version__",
    "canonical",
    "canonical_hash",
    "configure",
    "convert",
    "cpu_tiers",
    "decode",
    "diff",
    "dump",
    "dumps",
    "dumps_str",
    "encode",
    "encode_str",
    "infer",
    "install",
    "load",
    "loads",
    "merge_patch",
    "patch",
    "reformat",
    "scan",
    "schema",
    "schema_components",
    "to_builtins",
    "uninstall",
    "write_lines",
)

_fork.register()

# The names that are missing are Python code, see `_package`. No `__getattr__` here:
# CPython would not specialise `snooze.loads`, and look it up in full at each call.
# A module that is not the one in `sys.modules`, made by hand, has no object to change.
if _sys.version_info >= (3, 14) and (
    getattr(_sys.modules.get(__name__), "__dict__", None) is globals()
):
    from snooze import _package

    _package.name_late(
        _sys.modules[__name__], (*__all__, "json", "jsonpath", "pointer")
    )
else:
    from snooze import _names

    globals().update((name, getattr(_names, name)) for name in _names.__all__)
    json = _names.late_module("snooze.json", __path__)
