"""The calls of other formats (msgpack, BSON, pickle, marshal, protobuf), and floors.

Separate because they take plain values only, without options. A protocol or version of
its own is a contender of its own. The floors are no libraries: they show how little
time reading or writing could take. A value that a format cannot hold is refused before
any timing; what a library returns in types of its own is converted untimed. Writing
with protobuf needs a schema, which the one document shape `plan` has: the library
compiles its classes from it when it is bound, as from a module that `protoc` writes.
"""

from __future__ import annotations

import importlib
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

from snooze_lab.contenders.base import Calls, UnsupportedError, plain_only

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: The one key of BSON's mapping for a value that is not a mapping.
WRAP = "snooze-lab value"
#: Members of the plan and of one of its events, in the order of their field numbers.
PLAN = ("floats", "events")
EVENT = {"int": int, "float": float, "str": str}


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


def msgpack(module: Any) -> Calls:
    """Return the calls of msgpack."""
    return _msgpack_calls(module.unpackb, module.packb)


def msgpack_raw(module: Any) -> Calls:
    """Return the calls of msgpack raw."""

    def text_of(one: Any) -> Any:
        return one.decode() if isinstance(one, bytes) else one

    return _msgpack_calls(
        partial(module.unpackb, raw=True),
        module.packb,
        plain=lambda value: _converted(value, text_of),
    )


def msgspec_msgpack(module: Any) -> Calls:
    """Return the calls of msgspec msgpack."""
    return _msgpack_calls(module.Decoder().decode, module.Encoder().encode)


def bson(module: Any) -> Calls:
    """Return the calls of bson."""
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


def pickle(module: Any, *, protocol: int) -> Calls:
    """Return the calls of pickle."""
    dumps = partial(module.dumps, protocol=protocol)
    return Calls(module.loads, dumps, plain_only(dumps))


def marshal(module: Any, *, version: int) -> Calls:
    """Return the calls of marshal."""
    write = module.dumps

    def dumps(value: Any) -> Any:
        return write(value, version)

    return Calls(module.loads, dumps, plain_only(dumps))


def copy(module: Any) -> Calls:
    """Return the floor under both directions: one allocation, one copy of the bytes."""

    def prepare(value: Any) -> Any:
        text = module.dumps(value, ensure_ascii=False, separators=(",", ":"))
        return bytearray(text.encode())

    # bytes(x) of a bytes object returns that object; of a bytearray it copies.
    return Calls(
        loads=bytes,
        dumps=bytes,
        writer=plain_only(bytes),
        prepare=prepare,
        plain=module.loads,
        source=lambda text, _: bytearray(text),
    )


def build_only(module: Any) -> Calls:
    """Return the floor under reading: the same objects, without parsing any text.

    What it reads has no end markers, no numbers as text and no escapes, and repeated
    keys are one object, as in good JSON readers.
    """

    def no_writer(_: Any) -> NoReturn:
        raise UnsupportedError(
            "it only builds: a floor under reading, not under writing"
        )

    return Calls(
        loads=module.loads,
        dumps=no_writer,
        writer=no_writer,
        source=lambda _, value: module.dumps(value, 4),
    )


def message_class(package: Any) -> Any:
    """Return the class of plan messages; `package` is google.protobuf."""
    descriptors, pools, factory = (
        importlib.import_module(f"{package.__name__}.{name}")
        for name in ("descriptor_pb2", "descriptor_pool", "message_factory")
    )
    field, message = descriptors.FieldDescriptorProto, descriptors.DescriptorProto
    one, many = field.LABEL_OPTIONAL, field.LABEL_REPEATED
    kinds = {int: field.TYPE_INT64, float: field.TYPE_DOUBLE, str: field.TYPE_STRING}
    event = [
        field(name=name, number=number, type=kinds[kind], label=one)
        for number, (name, kind) in enumerate(EVENT.items(), 1)
    ]
    floats = field(name="floats", number=1, type=field.TYPE_DOUBLE, label=many)
    events = field(name="events", number=2, type=field.TYPE_MESSAGE, label=many)
    events.type_name = ".snooze_lab.Event"
    schema = descriptors.FileDescriptorProto(
        name="snooze_lab/plan.proto",
        package="snooze_lab",
        syntax="proto3",
        message_type=[
            message(name="Event", field=event),
            message(name="Plan", field=[floats, events]),
        ],
    )
    pool = pools.DescriptorPool()
    pool.AddSerializedFile(schema.SerializeToString())
    return factory.GetMessageClass(pool.FindMessageTypeByName("snooze_lab.Plan"))


def check_shape(value: Any) -> None:
    """Raise UnsupportedError unless a plain value is a plan."""
    if not isinstance(value, dict) or tuple(value) != PLAN:
        raise UnsupportedError("a schema is needed, and only the plan workload has one")
    for one in value["floats"]:
        if type(one) is not float:
            raise UnsupportedError(f"floats: expected float, found {one!r}")
    for one in value["events"]:
        if {name: type(member) for name, member in one.items()} != EVENT:
            raise UnsupportedError(
                f"events: expected int, float and str, found {one!r}"
            )
        if not -(2**63) <= one["int"] < 2**63:
            raise UnsupportedError("int64 has 64 bits; the plan has a longer integer")


def plain(message: Any) -> Any:
    """Convert a plan message to its plain value."""
    return {
        "floats": list(message.floats),
        "events": [
            {"int": one.int, "float": one.float, "str": one.str}
            for one in message.events
        ],
    }


def touch(message: Any) -> Any:
    """Read every field of a plan message into Python objects."""
    return list(message.floats), [
        (one.int, one.float, one.str) for one in message.events
    ]


def protobuf(module: Any) -> Calls:
    """Return the calls of protobuf; `module` is the package google.protobuf."""
    made = message_class(module)
    dumps = made.SerializeToString

    def prepare(value: Any) -> Any:
        check_shape(value)
        message = made()
        message.floats.extend(value["floats"])
        for one in value["events"]:
            message.events.add(**one)
        return message

    return Calls(
        loads=made.FromString,
        dumps=dumps,
        writer=plain_only(dumps),
        prepare=prepare,
        plain=plain,
        touch=touch,
    )
