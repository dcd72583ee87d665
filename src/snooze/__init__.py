"""snooze: fast and correct JSON for Python.

A drop-in replacement for orjson, ``import snooze as orjson``, and typed codecs:

- ``dumps`` and ``loads`` write and read JSON, with orjson's options and errors.
- ``Decoder`` and ``Encoder`` read and write dataclasses and other types; ``decode`` and
  ``encode`` do so in one call, and ``schema`` returns the JSON Schema of a type.
- ``Converter`` and ``convert`` make the same types of Python objects in place of JSON;
  ``to_builtins`` makes dicts and lists of them.
- ``scan`` reads JSON Lines into Arrow record batches, for pyarrow, polars, DuckDB and
  others; ``write_lines`` writes theirs as JSON Lines.
- ``configure``, ``Field``, ``Via``, ``Raw`` and constraints such as ``Ge`` and ``Len``
  say how classes and their fields look in JSON.
- ``pointer``, ``jsonpath``, ``patch``, ``merge_patch``, ``diff`` and ``infer`` work on
  what ``loads`` returns: find, change, compare and describe documents.

``help(snooze.Decoder)`` and the others describe every option, with examples.
"""

# No `__getattr__` in this module: CPython would not specialise `snooze.loads` and would
# look it up in full at each call (see `_typed/lazy_typing.py`).

from snooze import jsonpath as jsonpath
from snooze import pointer as pointer
from snooze._documents import (
    Inference,
    PatchError,
    diff,
    infer,
    merge_patch,
    patch,
)
from snooze._files import dump, load
from snooze._install import install, uninstall
from snooze._scan.api import scan
from snooze._scan.lines import Scan
from snooze._scan.outcome import RecordBatch, ScanError, ScanProblem, ScanProgress
from snooze._scan.writing import write_lines
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
    dumps_str,
    loads,
)
from snooze._text import canonical, canonical_hash, reformat
from snooze._typed.calls import decode, encode, schema, schema_components
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
from snooze._typed.converter import Converter, convert
from snooze._typed.errors import Problem, ValidationError
from snooze._typed.field import Field
from snooze._typed.metadata import FirstMatch, Format, Meta, Subclasses, Via
from snooze._typed.options import configure
from snooze._typed.raw import Raw
from snooze._typed.to_builtins import to_builtins
from snooze._typed.unset import UNSET, UnsetType

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
    "Lt",
    "MaxLen",
    "Meta",
    "MinLen",
    "MultipleOf",
    "Naive",
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
