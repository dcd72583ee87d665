"""yjson: orjson's interface, written in Mojo."""

from snooze_lab.contenders._shared import like_orjson
from snooze_lab.contenders.base import Library

LIBRARY = Library(
    name="yjson",
    module="yjson",
    distribution="yjson",
    bind=like_orjson,
    call_path=(
        "loads(bytes) and dumps(value), as imported; dumps makes bytes. Options are "
        "given as with orjson."
    ),
)
