"""The contenders of other formats: MessagePack, BSON, pickle and marshal.

Separate because they take plain values only, without options. A protocol or version of
its own is a contender of its own: it makes other bytes, and another tree when it is
read. Invariants: a value that a format cannot hold is refused before any timing, so its
cell says why; what a library returns in types of its own is converted for the
comparison of results, untimed. Used through the registry of contenders.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from snooze_lab.contenders.base import Calls, Library, UnsupportedError, plain_only

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: The one key of BSON's mapping for a value that is not a mapping.
WRAP = "snooze-lab value"


def _parts(value: Any) -> Iterator[Any]:
    """Yield a plain value and everything in it, but the keys."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        yield one
        if isinstance(one, dict):
            waiting.extend(one.values())
        elif isinstance(one, list):
            waiting.extend(one)


def _check_integers(value: Any, most: int) -> None:
    """Raise UnsupportedError for an integer below -2**63 or above `most`."""
    for one in _parts(value):
        if type(one) is int and not -(2**63) <= one <= most:
            raise UnsupportedError(
                f"the format holds integers from {-(2**63)} to {most}; the document "
                f"has one of {one.bit_length()} bits"
            )


def _converted(value: Any, scalar: Callable[[Any], Any]) -> Any:
    """Return a value with `scalar` applied to its keys and to what is no container."""
    if isinstance(value, dict):
        return {scalar(key): _converted(one, scalar) for key, one in value.items()}
    if isinstance(value, list):
        return [_converted(one, scalar) for one in value]
    return scalar(value)


def _msgpack_calls(loads: Any, dumps: Any, **more: Any) -> Calls:
    """Return calls that refuse the integers that MessagePack cannot hold."""

    def prepare(value: Any) -> Any:
        _check_integers(value, 2**64 - 1)
        return value

    return Calls(loads, dumps, plain_only(dumps), prepare=prepare, **more)


def _msgpack(module: Any) -> Calls:
    return _msgpack_calls(module.unpackb, module.packb)


def _msgpack_raw(module: Any) -> Calls:
    def text_of(one: Any) -> Any:
        return one.decode() if isinstance(one, bytes) else one

    return _msgpack_calls(
        partial(module.unpackb, raw=True),
        module.packb,
        plain=lambda value: _converted(value, text_of),
    )


def _msgspec_msgpack(module: Any) -> Calls:
    return _msgpack_calls(module.Decoder().decode, module.Encoder().encode)


def _bson(module: Any) -> Calls:
    if not hasattr(module, "has_c"):
        raise ImportError(
            "the module bson is not pymongo's: expected bson.has_c, found none; "
            "uninstall the package 'bson' and install 'pymongo'"
        )
    if not module.has_c():
        raise ImportError(
            "pymongo is installed without its C extension, which the seed measured; "
            "install a wheel of pymongo"
        )

    def prepare(value: Any) -> Any:
        _check_integers(value, 2**63 - 1)
        for one in _parts(value):
            if isinstance(one, dict) and any("\0" in name for name in one):
                raise UnsupportedError("bson's names cannot hold the character U+0000")
        # A document is a mapping; what is none is put below one key.
        mapped = isinstance(value, dict) and list(value) != [WRAP]
        return value if mapped else {WRAP: value}

    def int_of(one: Any) -> Any:  # its Int64 is a subclass of int
        return int(one) if isinstance(one, int) and type(one) is not bool else one

    def plain(value: Any) -> Any:
        return _converted(value[WRAP] if list(value) == [WRAP] else value, int_of)

    encode = module.encode
    return Calls(module.decode, encode, plain_only(encode), prepare, plain)


def _pickle(module: Any, *, protocol: int) -> Calls:
    dumps = partial(module.dumps, protocol=protocol)
    return Calls(module.loads, dumps, plain_only(dumps))


def _marshal(module: Any, *, version: int) -> Calls:
    write = module.dumps

    def dumps(value: Any) -> Any:
        return write(value, version)

    return Calls(module.loads, dumps, plain_only(dumps))


_PICKLED = (
    "Equal strings that are the same object in the value are written once: values "
    "read by today's JSON readers, which reuse keys, make far smaller pickles than in "
    "2011."
)
_MARSHALLED = "For data that one trusts and reads with the same Python only."

LIBRARIES = (
    Library(
        "bson",
        "bson",
        "pymongo",
        _bson,
        "bson.encode(mapping) and bson.decode(data) of pymongo with its C extension. "
        "The top level must be a mapping: an array is put below one key before the "
        "timing. Integers of more than 32 bits come back as bson's Int64, as in any "
        "program.",
        "bson",
    ),
    Library(
        "marshal2",
        "marshal",
        "",
        partial(_marshal, version=2),
        f"marshal.dumps(value, 2) and marshal.loads(data). {_MARSHALLED} Version 2 has "
        "no references: each occurrence of a key becomes a separate string object, so "
        "its tree is the one without reuse of keys.",
        "marshal",
    ),
    Library(
        "marshal4",
        "marshal",
        "",
        partial(_marshal, version=4),
        f"marshal.dumps(value, 4) and marshal.loads(data). {_MARSHALLED} Version 4 "
        "refers to objects that occur again: a key becomes one string object, so its "
        "tree is the one with reuse of keys.",
        "marshal",
    ),
    Library(
        "msgpack",
        "msgpack",
        "msgpack",
        _msgpack,
        "msgpack.unpackb(data) and msgpack.packb(value) with their defaults "
        "(raw=False, use_bin_type=True), as its README shows: each call makes its own "
        "Packer or Unpacker, and that is part of its time. Strings are decoded to str.",
        "msgpack",
    ),
    Library(
        "msgpack raw",
        "msgpack",
        "msgpack",
        _msgpack_raw,
        "msgpack.unpackb(data, raw=True): strings stay bytes, as they did in msgpack "
        "0.1.10, so its reading contains no decoding of text and is not comparable "
        "with readers that return str. Writing is msgpack.packb(value).",
        "msgpack",
    ),
    Library(
        "msgspec msgpack",
        "msgspec.msgpack",
        "msgspec",
        _msgspec_msgpack,
        "One msgspec.msgpack.Decoder() and one Encoder(), made before the timing and "
        "used for every call (the documented fast path), without a type.",
        "msgpack",
    ),
    Library(
        "ormsgpack",
        "ormsgpack",
        "ormsgpack",
        _msgpack,
        "ormsgpack.unpackb(data) and ormsgpack.packb(value), without options.",
        "msgpack",
    ),
    Library(
        "pickle2",
        "pickle",
        "",
        partial(_pickle, protocol=2),
        "pickle.dumps(value, protocol=2) and pickle.loads(data) on plain values. "
        f"Protocol 2, binary since Python 2.3. {_PICKLED}",
        "pickle",
    ),
    Library(
        "pickle5",
        "pickle",
        "",
        partial(_pickle, protocol=5),
        "pickle.dumps(value, protocol=5) and pickle.loads(data) on plain values. "
        f"Protocol 5, the highest. {_PICKLED}",
        "pickle",
    ),
)
