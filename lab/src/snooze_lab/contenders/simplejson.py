"""simplejson: the predecessor of the standard library's json, with its options."""

from snooze_lab.contenders._shared import like_json
from snooze_lab.contenders.base import Library

LIBRARY = Library(
    name="simplejson",
    module="simplejson",
    distribution="simplejson",
    bind=like_json,
    call_path=(
        'loads(bytes); dumps(value, ensure_ascii=False, separators=(",", ":")) and '
        ".encode() of the str that it returns, inside the time. Its C accelerator is "
        "in use where its wheel has it. Reading, it makes one string of a key that "
        "occurs again in the same document. Classes and arrays go through default."
    ),
)
