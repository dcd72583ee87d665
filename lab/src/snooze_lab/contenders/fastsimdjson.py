"""fastsimdjson: orjson's interface over simdjson, with a separate call for bytes."""

from typing import Any

from snooze_lab.contenders._shared import like_orjson
from snooze_lab.contenders.base import Calls, Library


def bind(module: Any) -> Calls:
    """Return its calls: `dumps` returns a str, `dumpb` bytes."""
    return like_orjson(module, module.dumpb)


LIBRARY = Library(
    name="fastsimdjson",
    module="fastsimdjson",
    distribution="fastsimdjson",
    bind=bind,
    call_path=(
        "loads(bytes) and dumpb(value), as imported: dumpb is its call that makes "
        "bytes. Options are given as with orjson."
    ),
)
