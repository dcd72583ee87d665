"""protobuf with a compiled schema, for the one document shape that has one: plan.

Separate because writing needs a schema: the library compiles its classes from a
FileDescriptorProto when it is bound, the same that `protoc` writes into a module.
`prepare` refuses a value of any other shape.
"""

from __future__ import annotations

import importlib
from typing import Any

from snooze_lab.contenders.base import Calls, UnsupportedError, plain_only

#: Members of the plan and of one of its events, in the order of their field numbers.
PLAN = ("floats", "events")
EVENT = {"int": int, "float": float, "str": str}


def message_class(package: Any) -> Any:
    """Return the class of plan messages; `package` is google.protobuf."""
    parts = f"{package.__name__}."
    descriptors = importlib.import_module(f"{parts}descriptor_pb2")
    pools = importlib.import_module(f"{parts}descriptor_pool")
    factory = importlib.import_module(f"{parts}message_factory")

    field = descriptors.FieldDescriptorProto
    schema = descriptors.FileDescriptorProto(
        name="snooze_lab/plan.proto", package="snooze_lab", syntax="proto3"
    )
    event = schema.message_type.add(name="Event")
    kinds = {int: field.TYPE_INT64, float: field.TYPE_DOUBLE, str: field.TYPE_STRING}
    for number, (name, kind) in enumerate(EVENT.items(), 1):
        event.field.add(
            name=name, number=number, type=kinds[kind], label=field.LABEL_OPTIONAL
        )
    plan = schema.message_type.add(name="Plan")
    plan.field.add(
        name="floats", number=1, type=field.TYPE_DOUBLE, label=field.LABEL_REPEATED
    )
    plan.field.add(
        name="events",
        number=2,
        type=field.TYPE_MESSAGE,
        type_name=".snooze_lab.Event",
        label=field.LABEL_REPEATED,
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
