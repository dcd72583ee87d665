"""The calls of the contenders that read and write JSON.

Separate from the other formats because these libraries have options (order, indent,
keys that are not str): an option that a library does not have is refused, never
ignored.
"""

from __future__ import annotations

import dataclasses
import importlib
from functools import partial
from typing import Any

from snooze_lab.contenders.base import Call, Calls, Need, plain_only, refuse


def _with_options(dumps: Call, **options: Any) -> Call:
    """Return `dumps` with these arguments; without any, `dumps` itself."""
    return partial(dumps, **options) if options else dumps


def _encoded(dumps: Call, **options: Any) -> Call:
    """Return a call that makes bytes of the str that `dumps` returns."""
    return lambda value: dumps(value, **options).encode()


def _default(need: Need) -> dict[str, Any]:
    return {"default": need.default} if need.default else {}


def like_orjson(module: Any, dumps: Call | None = None) -> Calls:
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


def snooze(module: Any) -> Calls:
    """Return the calls of snooze."""
    # Into a buffer: one Encoder, made in advance.
    return dataclasses.replace(like_orjson(module), into=module.Encoder().encode_into)


def fastsimdjson(module: Any) -> Calls:
    """Return the calls of fastsimdjson."""
    # Its `dumps` returns a str, `dumpb` bytes.
    return like_orjson(module, module.dumpb)


def like_json(module: Any) -> Calls:
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


def rapidjson(module: Any) -> Calls:
    """Return the calls of rapidjson."""
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


def ujson(module: Any) -> Calls:
    """Return the calls of ujson."""
    # By default it escapes slashes and all non-ASCII characters.
    dumps = module.dumps

    def encode(value: Any) -> Any:
        return dumps(value, ensure_ascii=False, escape_forward_slashes=False).encode()

    def writer(need: Need) -> Call:
        options = _options_of_bindings(need)
        return _encoded(dumps, **options, escape_forward_slashes=False)

    return Calls(module.loads, encode, writer)


def msgspec(module: Any) -> Calls:
    """Return the calls of msgspec."""
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


def pyrjson(module: Any) -> Calls:
    """Return the calls of pyrjson."""

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


def ssrjson(module: Any) -> Calls:
    """Return the calls of ssrjson."""

    def writer(need: Need) -> Call:
        refuse(need, "indent", "numpy")
        if need.numpy:  # set up once, for the process
            module.setup_numpy_types(importlib.import_module("numpy"))
        indent = {"indent": 2} if need.indent else {}
        return _with_options(module.dumps_to_bytes, **indent)

    return Calls(module.loads, module.dumps_to_bytes, writer)


def cjson(module: Any) -> Calls:
    """Return the calls of cjson."""
    dumps = _encoded(module.encode)
    return Calls(module.decode, dumps, plain_only(dumps))
