"""The names of snooze that are Python code; the others are the extension's.

Separate from the package, which loads these names with its own (CPython 3.11 to 3.13)
or when a program first uses one of them (see `_package`). Invariant: every name of
`snooze.__all__` is here or in the extension. Used by the package alone, which before
CPython 3.14 takes its late module from here, too: `snooze.json`.
"""

import sys
from _thread import RLock
from types import ModuleType

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
from snooze._scan.outcome import RecordBatch, ScanError, ScanProblem, ScanProgress
from snooze._scan.scan import Scan
from snooze._scan.writing import write_lines
from snooze._text import canonical, canonical_hash, reformat
from snooze._typed.calls import (
    decode,
    encode,
    encode_str,
    schema,
    schema_components,
)
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
from snooze._typed.line_reader import LineProblem
from snooze._typed.metadata import FirstMatch, Format, Meta, Subclasses, Via
from snooze._typed.options import configure
from snooze._typed.partial import PartialDocument
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
    "canonical",
    "canonical_hash",
    "configure",
    "convert",
    "decode",
    "diff",
    "dump",
    "encode",
    "encode_str",
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

_LOADING = RLock()
_loading: list[ModuleType] = []


class _LateModule(ModuleType):
    """A module that runs its file when any attribute of it is first used.

    From then on it is a plain module, so ``super()`` would fail here. Not that of
    `importlib.util`: two threads may make it run the file twice.
    """

    def __getattribute__(self, name: str) -> object:
        _load(self)
        return ModuleType.__getattribute__(self, name)

    def __setattr__(self, name: str, value: object) -> None:
        _load(self)
        ModuleType.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        _load(self)
        ModuleType.__delattr__(self, name)


def late_module(name: str, path: list[str]) -> ModuleType:
    """Return a submodule of the package that is loaded when it is first used.

    It is in ``sys.modules``, so that all forms of import find this very object.

    Args:
        name: The whole name of the module.
        path: The ``__path__`` of the package.
    """
    module = _LateModule(name)
    ModuleType.__setattr__(module, "__path__", path)
    return sys.modules.setdefault(name, module)


def _load(module: ModuleType) -> None:
    with _LOADING:
        # Another thread has loaded it, or this one does so now.
        if type(module) is not _LateModule or _loading:
            return
        _loading.append(module)
        try:
            _run(module)
            object.__setattr__(module, "__class__", ModuleType)
        finally:
            _loading.clear()


def _run(module: ModuleType) -> None:
    from importlib.util import module_from_spec  # noqa: PLC0415 - late

    path = module.__path__
    for finder in sys.meta_path:
        spec = finder.find_spec(module.__name__, path)
        if spec is not None and spec.loader is not None:
            # A second module that is never run: only its attributes are needed.
            vars(module).update(vars(module_from_spec(spec)))
            spec.loader.exec_module(module)
            return
    raise ModuleNotFoundError(
        f"No module named {module.__name__!r}", name=module.__name__
    )
