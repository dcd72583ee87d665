"""snooze: the library of this project."""

from snooze_lab.contenders._shared import like_orjson
from snooze_lab.contenders.base import Library

LIBRARY = Library(
    name="snooze",
    module="snooze",
    distribution="snooze",
    bind=like_orjson,
    call_path=(
        "loads(bytes) and dumps(value), as imported: one call of the extension each. "
        "dumps makes bytes; options are given as one integer."
    ),
)
