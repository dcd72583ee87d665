"""simplejson: the standard library's json before it went there, plain values only."""

from typing import Any

from snooze_lab.contenders._shared import like_json, plain_only
from snooze_lab.contenders.base import Calls, Library


def bind(module: Any) -> Calls:
    """Return its calls, those of json."""
    calls = like_json(module)
    return Calls(calls.loads, calls.dumps, plain_only(calls.dumps))


LIBRARY = Library(
    name="simplejson",
    module="simplejson",
    distribution="simplejson",
    bind=bind,
    call_path=(
        'loads(bytes); dumps(value, ensure_ascii=False, separators=(",", ":")) and '
        ".encode() of the str that it returns, inside the time. Its C accelerator is "
        "in use where its wheel has it."
    ),
)
