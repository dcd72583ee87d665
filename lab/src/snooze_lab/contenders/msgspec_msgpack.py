"""msgspec's MessagePack: the same library as its JSON, so only the format differs.

Separate because each format of a library is a separate contender. Invariant: the
decoder has no type: it makes plain values, as the others do. Used through the registry
of contenders.
"""

from __future__ import annotations

from typing import Any

from snooze_lab.contenders._formats import check_integers
from snooze_lab.contenders._shared import plain_only
from snooze_lab.contenders.base import Calls, Library


def _prepare(value: Any) -> Any:
    check_integers(value, -(2**63), 2**64 - 1)
    return value


def _bind(module: Any) -> Calls:
    encode = module.Encoder().encode
    return Calls(
        loads=module.Decoder().decode,
        dumps=encode,
        writer=plain_only(encode),
        prepare=_prepare,
    )


LIBRARY = Library(
    name="msgspec msgpack",
    module="msgspec.msgpack",
    distribution="msgspec",
    bind=_bind,
    call_path=(
        "One msgspec.msgpack.Decoder() and one Encoder(), made before the timing and "
        "used for every call (the documented fast path), without a type."
    ),
    format="msgpack",
)
