from snooze import json as json
from snooze import jsonpath as jsonpath
from snooze import pointer as pointer
from snooze._decode_error import JSONDecodeError as JSONDecodeError
from snooze._documents import Inference as Inference
from snooze._documents import PatchError as PatchError
from snooze._documents import diff as diff
from snooze._documents import infer as infer
from snooze._documents import merge_patch as merge_patch
from snooze._documents import patch as patch
from snooze._files import dump as dump
from snooze._files import load as load
from snooze._install import install as install
from snooze._install import uninstall as uninstall
from snooze._scan.api import scan as scan
from snooze._scan.outcome import RecordBatch as RecordBatch
from snooze._scan.outcome import ScanError as ScanError
from snooze._scan.outcome import ScanProblem as ScanProblem
from snooze._scan.outcome import ScanProgress as ScanProgress
from snooze._scan.scan import Scan as Scan
from snooze._scan.writing import write_lines as write_lines
from snooze._snooze import OPT_APPEND_NEWLINE as OPT_APPEND_NEWLINE
from snooze._snooze import OPT_INDENT_2 as OPT_INDENT_2
from snooze._snooze import OPT_NAIVE_UTC as OPT_NAIVE_UTC
from snooze._snooze import OPT_NON_STR_KEYS as OPT_NON_STR_KEYS
from snooze._snooze import OPT_OMIT_MICROSECONDS as OPT_OMIT_MICROSECONDS
from snooze._snooze import OPT_PASSTHROUGH_DATACLASS as OPT_PASSTHROUGH_DATACLASS
from snooze._snooze import OPT_PASSTHROUGH_DATETIME as OPT_PASSTHROUGH_DATETIME
from snooze._snooze import OPT_PASSTHROUGH_SUBCLASS as OPT_PASSTHROUGH_SUBCLASS
from snooze._snooze import OPT_SERIALIZE_DATACLASS as OPT_SERIALIZE_DATACLASS
from snooze._snooze import OPT_SERIALIZE_NUMPY as OPT_SERIALIZE_NUMPY
from snooze._snooze import OPT_SERIALIZE_UUID as OPT_SERIALIZE_UUID
from snooze._snooze import OPT_SORT_KEYS as OPT_SORT_KEYS
from snooze._snooze import OPT_STRICT_INTEGER as OPT_STRICT_INTEGER
from snooze._snooze import OPT_UTC_Z as OPT_UTC_Z
from snooze._snooze import Fragment as Fragment
from snooze._snooze import JSONEncodeError as JSONEncodeError
from snooze._snooze import __version__ as __version__
from snooze._snooze import cpu_tiers as cpu_tiers
from snooze._snooze import dumps as dumps
from snooze._snooze import dumps_str as dumps_str
from snooze._snooze import loads as loads
from snooze._text import canonical as canonical
from snooze._text import canonical_hash as canonical_hash
from snooze._text import reformat as reformat
from snooze._typed.calls import decode as decode
from snooze._typed.calls import encode as encode
from snooze._typed.calls import encode_str as encode_str
from snooze._typed.calls import schema as schema
from snooze._typed.calls import schema_components as schema_components
from snooze._typed.codecs import Decoder as Decoder
from snooze._typed.codecs import Encoder as Encoder
from snooze._typed.constraints import Aware as Aware
from snooze._typed.constraints import Ge as Ge
from snooze._typed.constraints import Gt as Gt
from snooze._typed.constraints import Le as Le
from snooze._typed.constraints import Len as Len
from snooze._typed.constraints import Lt as Lt
from snooze._typed.constraints import MaxLen as MaxLen
from snooze._typed.constraints import MinLen as MinLen
from snooze._typed.constraints import MultipleOf as MultipleOf
from snooze._typed.constraints import Naive as Naive
from snooze._typed.constraints import Pattern as Pattern
from snooze._typed.converter import Converter as Converter
from snooze._typed.converter import convert as convert
from snooze._typed.errors import Problem as Problem
from snooze._typed.errors import ValidationError as ValidationError
from snooze._typed.field import Field as Field
from snooze._typed.line_reader import LineProblem as LineProblem
from snooze._typed.metadata import FirstMatch as FirstMatch
from snooze._typed.metadata import Format as Format
from snooze._typed.metadata import Meta as Meta
from snooze._typed.metadata import Subclasses as Subclasses
from snooze._typed.metadata import Via as Via
from snooze._typed.options import configure as configure
from snooze._typed.partial import PartialDocument as PartialDocument
from snooze._typed.raw import Raw as Raw
from snooze._typed.to_builtins import to_builtins as to_builtins
from snooze._typed.unset import UNSET as UNSET
from snooze._typed.unset import UnsetType as UnsetType

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
