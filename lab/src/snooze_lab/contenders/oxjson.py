"""oxjson: orjson's interface over a kernel in assembly, with a fallback in C."""

from snooze_lab.contenders._shared import like_orjson
from snooze_lab.contenders.base import Library

LIBRARY = Library(
    name="oxjson",
    module="oxjson",
    distribution="oxjson",
    bind=like_orjson,
    call_path=(
        "loads(bytes) and dumps(value), as imported; dumps makes bytes. Options are "
        "given as with orjson."
    ),
)
