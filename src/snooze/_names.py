"""The names of snooze that are Python code; the others are the extension's.

Separate from the package, which loads these names with its own (CPython 3.11 to 3.13)
or when a program first uses one of them (see `_package`). Invariant: every name of
`snooze.__all__` is here or in the extension. Used by the package alone.
"""

from snooze import jsonpath, pointer
from snooze._decode_error import JSONDecodeError
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
    "UNSET",
    "Aware",
    "Converter",
    "Decoder",
    "Encoder",
    "Field",
    "FirstMatch",
    "Format",
    "Ge",
    "Gt",
    "Inference",
    "JSONDecodeError",
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
    "canonical",
    "canonical_hash",
    "configure",
    "convert",
    "decode",
    "diff",
    "dump",
    "encode",
    "infer",
    "install",
    "jsonpath",
    "load",
    "merge_patch",
    "patch",
    "pointer",
    "reformat",
    "scan",
    "schema",
    "schema_components",
    "to_builtins",
    "uninstall",
    "write_lines",
)
