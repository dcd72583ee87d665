"""json: the standard library's, with its C accelerator."""

from snooze_lab.contenders._shared import like_json
from snooze_lab.contenders.base import Library

LIBRARY = Library(
    name="json",
    module="json",
    distribution="",
    bind=like_json,
    call_path=(
        "loads(bytes), which decodes the bytes to a str and reads that; dumps(value, "
        'ensure_ascii=False, separators=(",", ":")), which makes an encoder for each '
        "call, and .encode() of the str that it returns, inside the time."
    ),
)
