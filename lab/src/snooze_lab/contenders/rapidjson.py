"""python-rapidjson: bindings of the C++ library RapidJSON, plain values only here."""

from typing import Any

from snooze_lab.contenders._shared import plain_only
from snooze_lab.contenders.base import Calls, Library


def bind(module: Any) -> Calls:
    """Return its calls; unasked it escapes all that is not ASCII."""
    dumps = module.dumps

    def encode(value: Any) -> Any:
        return dumps(value, ensure_ascii=False).encode()

    return Calls(module.loads, encode, plain_only(encode))


LIBRARY = Library(
    name="rapidjson",
    module="rapidjson",
    distribution="python-rapidjson",
    bind=bind,
    call_path=(
        "loads(bytes); dumps(value, ensure_ascii=False) and .encode() of the str that "
        "it returns, inside the time."
    ),
)
