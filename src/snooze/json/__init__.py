"""The standard library's ``json`` module, with the same results, faster.

``from snooze import json`` replaces ``import json``: the same functions, classes,
arguments, texts and exceptions. What the arguments and the objects allow is read and
written by snooze's compiled code, which calls ``default``. Everything else is left to
Python's own code: hooks of ``loads``, subclasses of built-in types, NaN, keys that are
not ``str``, integers beyond 64 bits, and every error. No argument is ignored.

``snooze.install()`` puts this module in the place of ``json`` for a whole program.
"""

# Separate from the rest of snooze, whose rules are orjson's, because the rules here are
# those of CPython. Invariants: compiled code calls ``default``, which may change the
# document, only after it has found that it can write the document, and a result that it
# cannot write is written in its place by Python's own code. If Python's own code has to
# begin again all the same, it gets the recorded results, and no object goes to
# ``default`` twice.

from __future__ import annotations

# Of these, json has the names.
import codecs  # noqa: F401
import json as _found
import sys as _sys
from json import JSONDecodeError as JSONDecodeError
from json import detect_encoding as detect_encoding
from types import FunctionType as _FunctionType
from types import ModuleType as _ModuleType

from snooze._snooze import json_dumps as _write
from snooze._snooze import json_loads as _read
from snooze._typed.lazy_typing import TYPE_CHECKING, Any
from snooze.json._calls import LEFT as _LEFT
from snooze.json._calls import PROBE as _PROBE
from snooze.json._calls import Calls as _Calls

if TYPE_CHECKING:
    import json as _standard
    from collections.abc import Callable
    from importlib.machinery import ModuleSpec

    from _typeshed import SupportsRead, SupportsWrite

    from snooze.json import decoder as decoder
    from snooze.json import encoder as encoder
    from snooze.json import scanner as scanner
    from snooze.json._calls import Style
else:
    # After `install`, what a reload of this module finds is this module.
    _standard = vars(_found).get("_standard", _found)

__all__ = (
    "JSONDecodeError",
    "JSONDecoder",
    "JSONEncoder",
    "dump",
    "dumps",
    "load",
    "loads",
)
# Not by getattr, which warns from 3.15 on.
__version__ = vars(_standard).get("__version__", "2.0.9")
__author__ = getattr(_standard, "__author__", "")
#: Where `install` lets `json.tool` be found.
_STANDARD_PATH = list(_standard.__path__)
_default_encoder = getattr(_standard, "_default_encoder", None)
_default_decoder = getattr(_standard, "_default_decoder", None)

#: Instead of a value: Python's own code has to read the document, or to refuse it.
_LEFT_TO_PYTHON = object()
_READABLE = (str, bytes, bytearray)
#: What compiled code does not escape.
_DELETE = "\x7f"
#: The widest indentation that the compiled writer has.
_WIDEST = 16


def _style(
    ensure_ascii: Any,
    indent: int | str | None,
    separators: tuple[str, str] | None,
    sort_keys: Any,
) -> Style:
    """Return what compiled code is told of the layout; TypeError if it has no such.

    ValueError if there are not two separators.
    """
    item, key = (", ", ": ") if indent is None else (",", ": ")
    if isinstance(indent, int):
        if type(indent) not in (int, bool) or indent > _WIDEST:
            raise TypeError
        indent = " " * indent
    elif indent is not None and type(indent) is not str:
        raise TypeError
    if separators is not None:
        if type(separators) not in (tuple, list):
            raise TypeError
        item, key = separators
    return item, key, indent, ensure_ascii, sort_keys


def _fast(  # noqa: PLR0913, PLR0917 - the arguments of json.dumps
    obj: Any,
    ensure_ascii: Any,
    indent: int | str | None,
    separators: tuple[str, str] | None,
    sort_keys: Any,
    default: Callable[[Any], Any] | None,
    skipkeys: Any,
    check_circular: Any,
    allow_nan: Any,
) -> str | _Calls | None:
    """Return the text by compiled code, or None where Python's own has to write it.

    If ``default`` has been called then, its calls, as the function for Python's own.
    Arguments of other types than usual are left to Python's own code, because only it
    evaluates them when and as often as it always did.
    """
    # The last three change nothing in what compiled code writes.
    if not (
        type(ensure_ascii) is type(sort_keys) is bool
        and (skipkeys is False or skipkeys is True)
        and (check_circular is True or check_circular is False)
        and (allow_nan is True or allow_nan is False)
    ):
        return None
    calls: _Calls | None = None
    try:
        style = _style(ensure_ascii, indent, separators, sort_keys)
        # Before a call that may change the document: can compiled code write it?
        text: str = _write(obj, *style, None if default is None else _PROBE)
        if default is not None and text is None:
            calls = _Calls(default, style, (skipkeys, check_circular, allow_nan))
            text = calls.write(obj)
    except _LEFT:
        return calls
    if ensure_ascii and _DELETE in text:
        # Python escapes it in strings, and not in separators.
        if _DELETE in f"{style[0]}{style[1]}{style[2]}":
            return calls
        return text.replace(_DELETE, "\\u007f")
    return text


class JSONEncoder(_standard.JSONEncoder):
    """``json.JSONEncoder``; also of subclasses, ``encode`` is compiled code.

    Where a subclass or an instance overrides ``iterencode``, it is used.
    """

    def encode(self, o: Any) -> str:
        """Return the JSON text of an object, as ``json.JSONEncoder.encode``."""
        if (
            type(self).iterencode is _ITERENCODE
            and "iterencode" not in vars(self)
            and _standard.JSONEncoder.encode is _PYTHONS_ENCODE
        ):
            separators = self.item_separator, self.key_separator
            default: Any = self.default
            if getattr(default, "__func__", None) is _DEFAULT:
                default = None
            found = _fast(
                o,
                self.ensure_ascii,
                self.indent,
                separators,
                self.sort_keys,
                default,
                self.skipkeys,
                self.check_circular,
                self.allow_nan,
            )
            if isinstance(found, str):
                return found
            if found is not None:
                # Another encoder, because other threads may use this one; a plain one,
                # because a subclass may have slots, or refuse to be changed.
                again = _standard.JSONEncoder(
                    skipkeys=self.skipkeys,
                    ensure_ascii=self.ensure_ascii,
                    check_circular=self.check_circular,
                    allow_nan=self.allow_nan,
                    sort_keys=self.sort_keys,
                    indent=self.indent,
                    separators=separators,
                    default=found,
                )
                text = _ENCODE(again, o)
                found.finish()
                return text
        return super().encode(o)


_PLAIN = {
    name: value
    for name, value in vars(_standard.JSONDecoder()).items()
    if name not in {"memo", "scan_once"}
}


class JSONDecoder(_standard.JSONDecoder):
    """``json.JSONDecoder``; without hooks, ``decode`` is compiled code."""

    def __init__(self, **kw: Any) -> None:
        """Take the arguments of ``json.JSONDecoder``."""
        super().__init__(**kw)
        # Python's scanner reads the attributes when it is made, and not later.
        plain = all(getattr(self, name) == value for name, value in _PLAIN.items())
        self._plain_scan = self.scan_once if plain else None  # type: ignore[attr-defined]

    # The signature, also of versions with more arguments.
    vars()["__init__"].__wrapped__ = _standard.JSONDecoder.__init__

    def decode(self, s: str, *rest: Any, **kw: Any) -> Any:
        """Return the value of a document, as ``json.JSONDecoder.decode``."""
        if type(s) is str and not rest and not kw and self._is_plain():
            value = _fast_value(s)
            if value is not _LEFT_TO_PYTHON:
                return value
        return super().decode(s, *rest, **kw)

    def _is_plain(self) -> bool:
        """Tell whether nothing is set or overridden that changes what is read."""
        scan = getattr(self, "_plain_scan", None)
        return (
            scan is not None
            and self.scan_once is scan  # type: ignore[attr-defined]
            and type(self).raw_decode is _RAW_DECODE
            and "raw_decode" not in vars(self)
            and _standard.JSONDecoder.decode is _DECODE
        )


def _fast_value(s: str | bytes | bytearray) -> Any:
    """Return the value by compiled code, or a mark where Python's own has to read it.

    Separate, so that Python's own error has no other one as its context.
    """
    try:
        return _read(s)
    except ValueError:
        return _LEFT_TO_PYTHON


def _pythons(method: Callable[..., Any], module: _ModuleType) -> Any:
    """Return a method if it is of Python's module, None if a program has replaced it.

    It may have before this module is imported. No method is the same as None.
    """
    if type(method) is _FunctionType and method.__globals__ is vars(module):
        return method
    return None


#: What programs replace in the classes of a whole module.
_DEFAULT = _standard.JSONEncoder.default
_ENCODE = _standard.JSONEncoder.encode
_PYTHONS_ENCODE = _pythons(_ENCODE, _standard.encoder)
_ITERENCODE = _pythons(_standard.JSONEncoder.iterencode, _standard.encoder)
_RAW_DECODE = _pythons(_standard.JSONDecoder.raw_decode, _standard.decoder)
_DECODE = _pythons(_standard.JSONDecoder.decode, _standard.decoder)
_OWN_ENCODE = JSONEncoder.encode
_OWN_DECODE = JSONDecoder.decode


def _encoder(cls: type[_standard.JSONEncoder] | None) -> Any:
    """Return the class to write with, None for the usual one.

    If a method of this module's class, or of Python's, has been replaced, it is that.
    """
    if cls is not None:
        return cls
    if (
        JSONEncoder.default is not _DEFAULT
        or JSONEncoder.encode is not _OWN_ENCODE
        or JSONEncoder.iterencode is not _ITERENCODE
    ):
        return JSONEncoder
    if _standard.JSONEncoder.encode is not _PYTHONS_ENCODE:
        return _standard.JSONEncoder
    return None


def _decoder(cls: type[_standard.JSONDecoder] | None) -> Any:
    """Return the class to read with, as `_encoder` does to write."""
    if cls is not None:
        return cls
    if (
        JSONDecoder.decode is not _OWN_DECODE
        or JSONDecoder.raw_decode is not _RAW_DECODE
    ):
        return JSONDecoder
    return None if _standard.JSONDecoder.decode is _DECODE else _standard.JSONDecoder


def dumps(  # noqa: PLR0913 - the arguments of json.dumps
    obj: Any,
    *,
    skipkeys: bool = False,
    ensure_ascii: bool = True,
    check_circular: bool = True,
    allow_nan: bool = True,
    cls: type[_standard.JSONEncoder] | None = None,
    indent: int | str | None = None,
    separators: tuple[str, str] | None = None,
    default: Callable[[Any], Any] | None = None,
    sort_keys: bool = False,
    **kw: Any,
) -> str:
    """Return the JSON text of an object: ``json.dumps``, with the same arguments."""
    calls: _Calls | None = None
    cls = _encoder(cls)
    if cls is None and not kw:
        found = _fast(
            obj,
            ensure_ascii,
            indent,
            separators,
            sort_keys,
            default,
            skipkeys,
            check_circular,
            allow_nan,
        )
        if isinstance(found, str):
            return found
        if found is not None:
            default = calls = found
    text = _standard.dumps(
        obj,
        skipkeys=skipkeys,
        ensure_ascii=ensure_ascii,
        check_circular=check_circular,
        allow_nan=allow_nan,
        cls=cls,
        indent=indent,
        separators=separators,
        default=default,
        sort_keys=sort_keys,
        **kw,
    )
    if calls is not None:
        calls.finish()
    return text


def dump(  # noqa: PLR0913 - the arguments of json.dump
    obj: Any,
    fp: SupportsWrite[str],
    *,
    skipkeys: bool = False,
    ensure_ascii: bool = True,
    check_circular: bool = True,
    allow_nan: bool = True,
    cls: type[_standard.JSONEncoder] | None = None,
    indent: int | str | None = None,
    separators: tuple[str, str] | None = None,
    default: Callable[[Any], Any] | None = None,
    sort_keys: bool = False,
    **kw: Any,
) -> None:
    """Write the JSON text of an object to a file: ``json.dump``, with its arguments.

    What compiled code writes is written at once, by one call of ``fp.write``.
    """
    calls: _Calls | None = None
    cls = _encoder(cls)
    if cls is None and not kw:
        found = _fast(
            obj,
            ensure_ascii,
            indent,
            separators,
            sort_keys,
            default,
            skipkeys,
            check_circular,
            allow_nan,
        )
        if isinstance(found, str):
            fp.write(found)
            return
        if found is not None:
            default = calls = found
    _standard.dump(
        obj,
        fp,
        skipkeys=skipkeys,
        ensure_ascii=ensure_ascii,
        check_circular=check_circular,
        allow_nan=allow_nan,
        cls=cls,
        indent=indent,
        separators=separators,
        default=default,
        sort_keys=sort_keys,
        **kw,
    )
    if calls is not None:
        calls.finish()


def loads(  # noqa: PLR0913 - the arguments of json.loads
    s: str | bytes | bytearray,
    *,
    cls: type[_standard.JSONDecoder] | None = None,
    object_hook: Callable[[dict[Any, Any]], Any] | None = None,
    parse_float: Callable[[str], Any] | None = None,
    parse_int: Callable[[str], Any] | None = None,
    parse_constant: Callable[[str], Any] | None = None,
    object_pairs_hook: Callable[[list[tuple[Any, Any]]], Any] | None = None,
    **kw: Any,
) -> Any:
    """Return the value of a JSON document: ``json.loads``, with the same arguments."""
    cls = _decoder(cls)
    if (
        cls is None
        and object_hook is None
        and parse_float is None
        and parse_int is None
        and parse_constant is None
        and object_pairs_hook is None
        and not kw
        and type(s) in _READABLE
    ):
        value = _fast_value(s)
        if value is not _LEFT_TO_PYTHON:
            return value
    return _standard.loads(
        s,
        cls=cls,
        object_hook=object_hook,
        parse_float=parse_float,
        parse_int=parse_int,
        parse_constant=parse_constant,
        object_pairs_hook=object_pairs_hook,
        **kw,
    )


def load(  # noqa: PLR0913 - the arguments of json.load
    fp: SupportsRead[str | bytes],
    *,
    cls: type[_standard.JSONDecoder] | None = None,
    object_hook: Callable[[dict[Any, Any]], Any] | None = None,
    parse_float: Callable[[str], Any] | None = None,
    parse_int: Callable[[str], Any] | None = None,
    parse_constant: Callable[[str], Any] | None = None,
    object_pairs_hook: Callable[[list[tuple[Any, Any]]], Any] | None = None,
    **kw: Any,
) -> Any:
    """Return the value of a JSON file: ``json.load``, with the same arguments."""
    return loads(
        fp.read(),
        cls=cls,
        object_hook=object_hook,
        parse_float=parse_float,
        parse_int=parse_int,
        parse_constant=parse_constant,
        object_pairs_hook=object_pairs_hook,
        **kw,
    )


# As in json: programs that ask at run time would find names that are not imported.
for _function in (dump, dumps, load, loads, JSONEncoder.encode, JSONDecoder.decode):
    _function.__annotations__ = {}
del _function


#: What says which module it is, and so is not shared.
_OF_A_MODULE = {
    "__builtins__",
    "__cached__",
    "__file__",
    "__loader__",
    "__name__",
    "__package__",
    "__spec__",
}


class _Part(_ModuleType):
    """``json.decoder`` or ``json.encoder``, with the class of this module.

    A function that a program replaces here is replaced in Python's own module, too,
    because the code that calls it is there.
    """

    __slots__ = ("_own", "_python")

    def __init__(self, python: _ModuleType, own: type) -> None:
        name = python.__name__.rpartition(".")[2]
        super().__init__(f"{__name__}.{name}", python.__doc__)
        object.__setattr__(self, "_python", python)
        object.__setattr__(self, "_own", {own.__name__, *_OF_A_MODULE})
        members = {**vars(python), own.__name__: own}
        vars(self).update(
            (name, value) for name, value in members.items() if name not in _OF_A_MODULE
        )

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if name not in self._own:
            setattr(self._python, name, value)

    def __delattr__(self, name: str) -> None:
        super().__delattr__(name)
        if name not in self._own and hasattr(self._python, name):
            delattr(self._python, name)


def _become(spec: ModuleSpec) -> None:
    """Put a part in the place of the module of its name, whose file is running."""
    part = globals()[spec.name.rpartition(".")[2]]
    vars(part).update(
        __file__=spec.origin,
        __loader__=spec.loader,
        __package__=spec.parent,
        __spec__=spec,
    )
    _sys.modules[spec.name] = part


def _part(python: _ModuleType, own: type) -> Any:
    """Return a part; after a reload the one that programs have, with the new class."""
    part = globals().get(python.__name__.rpartition(".")[2])
    if part is None:
        return _Part(python, own)
    vars(part)[own.__name__] = own
    return part


def _share_path() -> None:
    """Let `import json.tool` look where the modules of Python are, too."""
    path = globals()["__path__"]
    path += [one for one in _STANDARD_PATH if one not in path]


# Made here and not by their files: importing those here could wait for a thread that
# imports one of them, and waits for this module.
if not TYPE_CHECKING:
    decoder = _part(_standard.decoder, JSONDecoder)
    encoder = _part(_standard.encoder, JSONEncoder)
    scanner = _standard.scanner
if _found is _sys.modules.get(__name__):
    _share_path()  # again: a reload has made another
