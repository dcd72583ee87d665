"""msgpack with text: the usual first step from JSON to MessagePack.

Separate because each library has its own file. Invariant: strings come back as `str`,
as from every other contender; the seeds' byte strings are in msgpack_raw.py. Used
through the registry of contenders.
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
    name="msgpack",
    module="msgpack",
    distribution="msgpack",
    bind=_bind,
    call_path=(
        "msgpack.unpackb(data) and msgpack.packb(value) with their defaults "
        "(raw=False, use_bin_type=True), as its README shows: each call makes its own "
        "Packer or Unpacker, and that is part of its time. Strings are decoded to str."
    ),
    format="msgpack",
)
