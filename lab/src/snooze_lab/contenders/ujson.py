"""ujson: an old favourite, plain values only here."""

from typing import Any

from snooze_lab.contenders._shared import plain_only
from snooze_lab.contenders.base import Calls, Library


def bind(module: Any) -> Calls:
    """Return its calls; unasked it escapes slashes and all that is not ASCII."""
    dumps = module.dumps

    def encode(value: Any) -> Any:
        return dumps(value, ensure_ascii=False, escape_forward_slashes=False).encode()

    return Calls(module.loads, encode, plain_only(encode))


LIBRARY = Library(
    name="ujson",
    module="ujson",
    distribution="ujson",
    bind=bind,
    call_path=(
        "loads(bytes); dumps(value, ensure_ascii=False, escape_forward_slashes=False) "
        "and .encode() of the str that it returns, inside the time."
    ),
)
