"""The contenders that read and write JSON, one entry each.

Separate from the other formats because these libraries have options (order, indent,
keys that are not str), and because they are the ones that a ratio compares. Invariants:
`loads` takes bytes and `dumps` makes UTF-8 bytes, compact and not ASCII-escaped; an
option that a library does not have is refused, never ignored. Used through the registry
of contenders.
"""

from __future__ import annotations

import dataclasses
import importlib
from functools import partial
from typing import TYPE_CHECKING, Any

from snooze_lab.contenders.base import Call, Calls, Library, Need, plain_only, refuse

if TYPE_CHECKING:
    from collections.abc import Callable


def _with_options(dumps: Call, **options: Any) -> Call:
    """Return `dumps` with these arguments; without any, `dumps` itself."""
    return partial(dumps, **options) if options else dumps


def _encoded(dumps: Call, **options: Any) -> Call:
    """Return a call that makes bytes of the str that `dumps` returns."""
    return lambda value: dumps(value, **options).encode()


def _default(need: Need) -> dict[str, Any]:
    return {"default": need.default} if need.default else {}


def _like_orjson(module: Any, dumps: Call | None = None) -> Calls:
    """Return the calls of a library with orjson's interface.

    `dumps` is the call that returns `bytes`, where that has another name.
    """
    write = dumps or module.dumps

    def writer(need: Need) -> Call:
        option = (
            need.sort_keys * module.OPT_SORT_KEYS
            | need.indent * module.OPT_INDENT_2
            | need.non_str_keys * module.OPT_NON_STR_KEYS
            | need.numpy * module.OPT_SERIALIZE_NUMPY
        )
        found = {"option": option} if option else {}
        return _with_options(write, **found, **_default(need))

    return Calls(module.loads, write, writer)


def _snooze(module: Any) -> Calls:
    # Into a buffer: one Encoder, made in advance.
    return dataclasses.replace(_like_orjson(module), into=module.Encoder().encode_into)


def _fastsimdjson(module: Any) -> Calls:
    # Its `dumps` returns a str, `dumpb` bytes.
    return _like_orjson(module, module.dumpb)


def _like_json(module: Any) -> Calls:
    """Return the calls of a library with the interface of the standard library's."""
    dumps = module.dumps

    def encode(value: Any) -> Any:
        return dumps(value, ensure_ascii=False, separators=(",", ":")).encode()

    def writer(need: Need) -> Call:
        return _encoded(
            dumps,
            ensure_ascii=False,
            separators=(",", ": ") if need.indent else (",", ":"),
            indent=2 if need.indent else None,
            sort_keys=need.sort_keys,
            default=need.default or need.fallback,
        )

    return Calls(module.loads, encode, writer)


def _options_of_bindings(need: Need) -> dict[str, Any]:
    """Return the options that ujson and rapidjson have in common."""
    found: dict[str, Any] = {"ensure_ascii": False}
    if need.sort_keys:
        found["sort_keys"] = True
    if need.indent:
        found["indent"] = 2
    if need.default or need.fallback:
        found["default"] = need.default or need.fallback
    return found


def _rapidjson(module: Any) -> Calls:
    # By default it escapes all non-ASCII characters.
    dumps = module.dumps

    def encode(value: Any) -> Any:
        return dumps(value, ensure_ascii=False).encode()

    def writer(need: Need) -> Call:
        options = _options_of_bindings(need)
        if need.non_str_keys:
            options["mapping_mode"] = module.MM_COERCE_KEYS_TO_STRINGS
        return _encoded(dumps, **options)

    return Calls(module.loads, encode, writer)


def _ujson(module: Any) -> Calls:
    # By default it escapes slashes and all non-ASCII characters.
    dumps = module.dumps

    def encode(value: Any) -> Any:
        return dumps(value, ensure_ascii=False, escape_forward_slashes=False).encode()

    def writer(need: Need) -> Call:
        options = _options_of_bindings(need)
        return _encoded(dumps, **options, escape_forward_slashes=False)

    return Calls(module.loads, encode, writer)


def _msgspec(module: Any) -> Calls:
    # Its documented fast path is an encoder and a decoder made once.

    def writer(need: Need) -> Call:
        refuse(need, "sort_keys", "indent", "non_str_keys", "default")
        order = "sorted" if need.sort_keys else None
        encode: Call = module.Encoder(enc_hook=need.default, order=order).encode
        if need.indent:  # it indents by a second pass over the text
            return lambda value: module.format(encode(value), indent=2)
        return encode

    encoder = module.Encoder()

    def into(value: Any, buffer: bytearray) -> int:
        encoder.encode_into(value, buffer)
        return len(buffer)

    return Calls(module.Decoder().decode, encoder.encode, writer, into=into)


def _pyrjson(module: Any) -> Calls:
    def writer(need: Need) -> Call:
        refuse(need, "sort_keys", "indent", "non_str_keys", "default")  # no numpy
        options: dict[str, Any] = _default(need)
        for name in ("sort_keys", "non_str_keys"):
            if getattr(need, name):
                options[name] = True
        if need.indent:
            options["indent"] = 2
        return _with_options(module.dumps, **options)

    return Calls(module.loads, module.dumps, writer)


def _ssrjson(module: Any) -> Calls:
    def writer(need: Need) -> Call:
        refuse(need, "indent", "numpy")
        if need.numpy:  # set up once, for the process
            module.setup_numpy_types(importlib.import_module("numpy"))
        indent = {"indent": 2} if need.indent else {}
        return _with_options(module.dumps_to_bytes, **indent)

    return Calls(module.loads, module.dumps_to_bytes, writer)


def _cjson(module: Any) -> Calls:
    dumps = _encoded(module.encode)
    return Calls(module.decode, dumps, plain_only(dumps))


def _library(
    name: str, bind: Callable[[Any], Calls], call_path: str, **more: str
) -> Library:
    """Return an entry; module and distribution are called as it is, unless stated."""
    named: dict[str, Any] = {"module": name, "distribution": name} | more
    return Library(name=name, bind=bind, call_path=call_path, **named)


LIBRARIES = (
    _library(
        "snooze",
        _snooze,
        "loads(bytes) and dumps(value), as imported: one call of the extension each. "
        "dumps makes bytes; options are given as one integer. Into a buffer that is "
        "used again: encode_into of one Encoder, made before the time begins.",
    ),
    _library(
        "orjson",
        _like_orjson,
        "loads(bytes) and dumps(value), as imported: one call of the extension each. "
        "dumps makes bytes; options are given as one integer.",
    ),
    _library(
        "json",
        _like_json,
        "loads(bytes), which decodes the bytes to a str and reads that; dumps(value, "
        'ensure_ascii=False, separators=(",", ":")), which makes an encoder for each '
        "call, and .encode() of the str that it returns, inside the time.",
        distribution="",
    ),
    _library(
        "cjson",
        _cjson,
        "cjson.decode(text) and cjson.encode(value), if it were available.",
        unavailable="python-cjson 1.2.2, its last release, is written for Python 2 "
        "and does not compile for Python 3",
        distribution="python-cjson",
    ),
    _library(
        "fastsimdjson",
        _fastsimdjson,
        "loads(bytes) and dumpb(value), as imported: dumpb is its call that makes "
        "bytes. Options are given as with orjson.",
    ),
    _library(
        "msgspec",
        _msgspec,
        "decode(bytes) of one Decoder and encode(value) of one Encoder, both made "
        "before the time begins and without a type; encode makes bytes. An indent is "
        "its json.format over the text, inside the time. Into a buffer that is used "
        "again: encode_into of the same Encoder.",
        module="msgspec.json",
    ),
    _library(
        "oxjson",
        _like_orjson,
        "loads(bytes) and dumps(value), as imported; dumps makes bytes. Options are "
        "given as with orjson.",
    ),
    _library(
        "pyrjson",
        _pyrjson,
        "rjson.loads(bytes) and rjson.dumps(value); dumps makes bytes.",
        module="rjson",
    ),
    _library(
        "rapidjson",
        _rapidjson,
        "loads(bytes); dumps(value, ensure_ascii=False) and .encode() of the str that "
        "it returns, inside the time. Options: sort_keys, indent=2, "
        "mapping_mode=MM_COERCE_KEYS_TO_STRINGS for keys that are not str; classes and "
        "arrays through default.",
        distribution="python-rapidjson",
    ),
    _library(
        "simplejson",
        _like_json,
        'loads(bytes); dumps(value, ensure_ascii=False, separators=(",", ":")) and '
        ".encode() of the str that it returns, inside the time. Its C accelerator is "
        "in use where its wheel has it. Reading, it makes one string of a key that "
        "occurs again in the same document. Classes and arrays go through default.",
    ),
    _library(
        "ssrjson",
        _ssrjson,
        "loads(bytes) and dumps_to_bytes(value), as imported. By its default it keeps "
        "the UTF-8 form of strings with the strings, which makes a second dumps of the "
        "same value faster: the factor `cache` tells the two apart.",
    ),
    _library(
        "ujson",
        _ujson,
        "loads(bytes); dumps(value, ensure_ascii=False, escape_forward_slashes=False) "
        "and .encode() of the str that it returns, inside the time. Options: sort_keys "
        "and indent=2, none for keys that are not str; classes and arrays through "
        "default.",
    ),
    _library(
        "yjson",
        _like_orjson,
        "loads(bytes) and dumps(value), as imported; dumps makes bytes. Options are "
        "given as with orjson.",
    ),
)
