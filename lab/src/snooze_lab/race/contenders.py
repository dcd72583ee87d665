"""The libraries that race: how each is imported and called.

Separate because fairness is decided here: every contender reads `bytes` and writes
UTF-8 `bytes`, compact and not ASCII-escaped, by the shortest call path that its
users have. Where a library only makes `str`, the `.encode()` that a program would
need is part of its time. What goes beyond plain JSON (options, classes, arrays) is
asked for with a `Need`; a library that has no such option says so and is shown as "-".
Invariant: a contender that cannot be imported is reported with the reason, never
dropped in silence. Used by cells.py, kinds.py and memory.py.
"""

from __future__ import annotations

import importlib
import importlib.metadata
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

Call = Callable[[Any], Any]

REFERENCE = "orjson"
STANDARD = "json"
OURS = "snooze"
# The reference entered twice: how far its two results differ is the noise of a run.
AGAIN = "orjson again"
#: Neither ours nor the reference: who can be the best rival. `json` and its like count
#: too, but win nowhere.
NOT_RIVALS = (OURS, AGAIN)


def is_rival(name: str) -> bool:
    """Tell whether a contender can be the best rival; ours have many ways of use."""
    return name not in NOT_RIVALS and not name.startswith(f"{OURS} ")


class UnsupportedError(Exception):
    """A library has no option for what is asked."""


@dataclass(frozen=True)
class Need:
    """What a call of dumps must do beyond writing plain JSON.

    `fallback` is what `json` is given as `default` where the others know a type by
    themselves: so a program that stays with the standard library would do it.
    """

    sort_keys: bool = False
    indent: bool = False
    non_str_keys: bool = False
    numpy: bool = False
    default: Callable[[Any], Any] | None = None
    fallback: Callable[[Any], Any] | None = None


@dataclass(frozen=True)
class Calls:
    """The calls of one library: reading, writing, and writing with options."""

    loads: Call
    dumps: Call
    writer: Callable[[Need], Call]


@dataclass(frozen=True)
class Contender:
    """One library, ready to be called."""

    name: str
    version: str
    module: Any
    calls: Calls

    @property
    def loads(self) -> Call:
        """Read bytes."""
        return self.calls.loads

    @property
    def dumps(self) -> Call:
        """Write bytes."""
        return self.calls.dumps

    def writer(self, need: Need) -> Call:
        """Return a call that writes what is needed; UnsupportedError if it cannot."""
        return self.calls.writer(need)


@dataclass(frozen=True)
class Entry:
    """One library as it is known before it is imported."""

    module: str
    distribution: str
    calls: Callable[[Any], Calls]


def _refuse(need: Need, *names: str) -> None:
    """Raise if a need is asked for that is not among the named ones."""
    for name in ("sort_keys", "indent", "non_str_keys", "numpy", "default"):
        if getattr(need, name) and name not in names:
            raise UnsupportedError(f"no option for {name}")


def _optional(module: Any, dumps: Call) -> Callable[[Need], Call]:
    """Return a writer for libraries with orjson's interface."""

    def writer(need: Need) -> Call:
        option = (
            need.sort_keys * module.OPT_SORT_KEYS
            | need.indent * module.OPT_INDENT_2
            | need.non_str_keys * module.OPT_NON_STR_KEYS
            | need.numpy * module.OPT_SERIALIZE_NUMPY
        )
        found = {"option": option} if option else {}
        return _partial(dumps, **found, **_hook(need))

    return writer


def _hook(need: Need) -> dict[str, Any]:
    return {"default": need.default} if need.default else {}


def _partial(dumps: Call, **options: Any) -> Call:
    return partial(dumps, **options) if options else dumps


def _orjson(module: Any) -> Calls:
    return Calls(module.loads, module.dumps, _optional(module, module.dumps))


def _fastsimdjson(module: Any) -> Calls:
    return Calls(module.loads, module.dumpb, _optional(module, module.dumpb))


def _pyrjson(module: Any) -> Calls:
    def writer(need: Need) -> Call:
        _refuse(need, "sort_keys", "indent", "non_str_keys", "default")
        options = {"sort_keys": need.sort_keys, "non_str_keys": need.non_str_keys}
        options = {name: True for name, wanted in options.items() if wanted}
        indent = {"indent": 2} if need.indent else {}
        return _partial(module.dumps, **options, **indent, **_hook(need))

    return Calls(module.loads, module.dumps, writer)


def _json(module: Any) -> Calls:
    dumps = module.dumps

    def writer(need: Need) -> Call:
        separators = (",", ": ") if need.indent else (",", ":")
        options = {
            "ensure_ascii": False,
            "separators": separators,
            "indent": 2 if need.indent else None,
            "sort_keys": need.sort_keys,
            "default": need.default or need.fallback,
        }
        return lambda value: dumps(value, **options).encode()

    def encode(value: Any) -> Any:
        return dumps(value, ensure_ascii=False, separators=(",", ":")).encode()

    return Calls(module.loads, encode, writer)


def _ujson(module: Any) -> Calls:
    dumps = module.dumps

    def encode(value: Any) -> Any:
        return dumps(value, ensure_ascii=False, escape_forward_slashes=False).encode()

    return Calls(module.loads, encode, _plain_only(encode))


def _rapidjson(module: Any) -> Calls:
    dumps = module.dumps

    def encode(value: Any) -> Any:
        return dumps(value, ensure_ascii=False).encode()

    return Calls(module.loads, encode, _plain_only(encode))


def _simplejson(module: Any) -> Calls:
    calls = _json(module)
    return Calls(calls.loads, calls.dumps, _plain_only(calls.dumps))


def _plain_only(dumps: Call) -> Callable[[Need], Call]:
    """Return a writer for the libraries that race over plain documents only."""

    def writer(need: Need) -> Call:
        _refuse(need)
        return dumps

    return writer


def _msgspec(module: Any) -> Calls:
    # The documented fast path: an encoder and a decoder made once.
    def writer(need: Need) -> Call:
        _refuse(need, "sort_keys", "indent", "non_str_keys", "default")
        order = "sorted" if need.sort_keys else None
        encode: Call = module.Encoder(enc_hook=need.default, order=order).encode
        if need.indent:  # a second pass over the text is its way
            return lambda value: module.format(encode(value), indent=2)
        return encode

    return Calls(module.Decoder().decode, module.Encoder().encode, writer)


def _ssrjson(module: Any) -> Calls:
    def writer(need: Need) -> Call:
        _refuse(need, "indent", "numpy")
        if need.numpy:
            module.setup_numpy_types(importlib.import_module("numpy"))
        indent = {"indent": 2} if need.indent else {}
        return _partial(module.dumps_to_bytes, **indent)

    return Calls(module.loads, module.dumps_to_bytes, writer)


ENTRIES: dict[str, Entry] = {
    OURS: Entry("snooze", "snooze", _orjson),
    REFERENCE: Entry("orjson", "orjson", _orjson),
    AGAIN: Entry("orjson", "orjson", _orjson),
    STANDARD: Entry("json", "", _json),
    "ssrjson": Entry("ssrjson", "ssrjson", _ssrjson),
    "pyrjson": Entry("rjson", "pyrjson", _pyrjson),
    "oxjson": Entry("oxjson", "oxjson", _orjson),
    "yjson": Entry("yjson", "yjson", _orjson),
    "fastsimdjson": Entry("fastsimdjson", "fastsimdjson", _fastsimdjson),
    "msgspec": Entry("msgspec.json", "msgspec", _msgspec),
    "ujson": Entry("ujson", "ujson", _ujson),
    "rapidjson": Entry("rapidjson", "python-rapidjson", _rapidjson),
    "simplejson": Entry("simplejson", "simplejson", _simplejson),
}


def enter(names: list[str]) -> tuple[list[Contender], dict[str, str]]:
    """Import the named libraries; return those that work, and why others do not."""
    ready: list[Contender] = []
    absent: dict[str, str] = {}
    for name in names:
        entry = ENTRIES[name]
        try:
            module = importlib.import_module(entry.module)
            calls = entry.calls(module)
            version = _version(entry)
        except Exception as reason:  # noqa: BLE001 - a broken rival must not end a race
            absent[name] = f"{type(reason).__name__}: {reason}"
            continue
        ready.append(Contender(name, version, module, calls))
    return ready, absent


def _version(entry: Entry) -> str:
    if not entry.distribution:
        return "standard library"
    return importlib.metadata.version(entry.distribution)
