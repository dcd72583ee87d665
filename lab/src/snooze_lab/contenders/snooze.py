"""snooze: the library of this project."""

from __future__ import annotations

import dataclasses
from typing import Any

from snooze_lab.contenders._shared import like_orjson
from snooze_lab.contenders.base import Calls, Library


def bind(module: Any) -> Calls:
    """Return its calls; one Encoder, made in advance, writes into a buffer."""
    return dataclasses.replace(like_orjson(module), into=module.Encoder().encode_into)


LIBRARY = Library(
    name="snooze",
    module="snooze",
    distribution="snooze",
    bind=bind,
    call_path=(
        "loads(bytes) and dumps(value), as imported: one call of the extension each. "
        "dumps makes bytes; options are given as one integer. Into a buffer that is "
        "used again: encode_into of one Encoder, made before the time begins."
    ),
)
