"""The libraries that race: how each is imported and called.

Separate because fairness is decided here: every contender reads `bytes` and writes
UTF-8 `bytes`, compact and not ASCII-escaped, by the shortest call path that its
users have. Where a library only makes `str`, the `.encode()` that a program would
need is part of its time. Invariant: a contender that cannot be imported is reported
with the reason, never dropped in silence. Used by race.py.
"""

from __future__ import annotations

import importlib
import importlib.metadata
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Call = Callable[[Any], Any]

REFERENCE = "orjson"
STANDARD = "json"
OURS = "snooze"
# The reference entered twice: how far its two results differ is the noise of a run.
AGAIN = "orjson again"


@dataclass(frozen=True)
class Contender:
    """One library, ready to be called."""

    name: str
    version: str
    loads: Call
    dumps: Call


@dataclass(frozen=True)
class Entry:
    """One library as it is known before it is imported."""

    module: str
    distribution: str
    calls: Callable[[Any], tuple[Call, Call]]


def _plain(module: Any) -> tuple[Call, Call]:
    return module.loads, module.dumps


def _json(module: Any) -> tuple[Call, Call]:
    dumps = module.dumps

    def encode(value: Any) -> Any:
        return dumps(value, ensure_ascii=False, separators=(",", ":")).encode()

    return module.loads, encode


def _ujson(module: Any) -> tuple[Call, Call]:
    dumps = module.dumps

    def encode(value: Any) -> Any:
        return dumps(value, ensure_ascii=False, escape_forward_slashes=False).encode()

    return module.loads, encode


def _rapidjson(module: Any) -> tuple[Call, Call]:
    dumps = module.dumps

    def encode(value: Any) -> Any:
        return dumps(value, ensure_ascii=False).encode()

    return module.loads, encode


def _msgspec(module: Any) -> tuple[Call, Call]:
    # The documented fast path: an encoder and a decoder made once.
    return module.Decoder().decode, module.Encoder().encode


def _ssrjson(module: Any) -> tuple[Call, Call]:
    return module.loads, module.dumps_to_bytes


def _fastsimdjson(module: Any) -> tuple[Call, Call]:
    return module.loads, module.dumpb


ENTRIES: dict[str, Entry] = {
    OURS: Entry("snooze", "snooze", _plain),
    REFERENCE: Entry("orjson", "orjson", _plain),
    AGAIN: Entry("orjson", "orjson", _plain),
    STANDARD: Entry("json", "", _json),
    "ssrjson": Entry("ssrjson", "ssrjson", _ssrjson),
    "pyrjson": Entry("rjson", "pyrjson", _plain),
    "oxjson": Entry("oxjson", "oxjson", _plain),
    "yjson": Entry("yjson", "yjson", _plain),
    "fastsimdjson": Entry("fastsimdjson", "fastsimdjson", _fastsimdjson),
    "msgspec": Entry("msgspec.json", "msgspec", _msgspec),
    "ujson": Entry("ujson", "ujson", _ujson),
    "rapidjson": Entry("rapidjson", "python-rapidjson", _rapidjson),
    "simplejson": Entry("simplejson", "simplejson", _json),
}


def enter(names: list[str]) -> tuple[list[Contender], dict[str, str]]:
    """Import the named libraries; return those that work, and why others do not."""
    ready: list[Contender] = []
    absent: dict[str, str] = {}
    for name in names:
        entry = ENTRIES[name]
        try:
            module = importlib.import_module(entry.module)
            loads, dumps = entry.calls(module)
            version = _version(entry)
        except Exception as reason:  # noqa: BLE001 - a broken rival must not end a race
            absent[name] = f"{type(reason).__name__}: {reason}"
            continue
        ready.append(Contender(name, version, loads, dumps))
    return ready, absent


def _version(entry: Entry) -> str:
    if not entry.distribution:
        return "standard library"
    return importlib.metadata.version(entry.distribution)
