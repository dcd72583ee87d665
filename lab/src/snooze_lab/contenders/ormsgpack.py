"""ormsgpack: MessagePack by a native extension with orjson's interface.

Separate because each library has its own file. Invariant: strings come back as `str`.
Used through the registry of contenders.
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
    return Calls(
        loads=module.unpackb,
        dumps=module.packb,
        writer=plain_only(module.packb),
        prepare=_prepare,
    )


LIBRARY = Library(
    name="ormsgpack",
    module="ormsgpack",
    distribution="ormsgpack",
    bind=_bind,
    call_path="ormsgpack.unpackb(data) and ormsgpack.packb(value), without options.",
    format="msgpack",
)
