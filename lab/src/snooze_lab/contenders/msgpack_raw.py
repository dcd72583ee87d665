"""msgpack with byte strings: as in 2011, when it won a decoding race.

Separate because the feeds study (s003) measured it without decoding text. Invariant:
same writer as msgpack.py; `plain` decodes for the comparison of results and is not
timed. Used through the registry of contenders.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from snooze_lab.contenders._formats import check_integers
from snooze_lab.contenders._shared import plain_only
from snooze_lab.contenders.base import Calls, Library


def _prepare(value: Any) -> Any:
    check_integers(value, -(2**63), 2**64 - 1)
    return value


def text_of(value: Any) -> Any:
    """Return a value with every byte string decoded, keys included."""
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, list):
        return [text_of(one) for one in value]
    if isinstance(value, dict):
        return {text_of(key): text_of(one) for key, one in value.items()}
    return value


def _bind(module: Any) -> Calls:
    return Calls(
        loads=partial(module.unpackb, raw=True),
        dumps=module.packb,
        writer=plain_only(module.packb),
        prepare=_prepare,
        plain=text_of,
    )


LIBRARY = Library(
    name="msgpack raw",
    module="msgpack",
    distribution="msgpack",
    bind=_bind,
    call_path=(
        "msgpack.unpackb(data, raw=True): strings stay bytes, as they did in msgpack "
        "0.1.10, so its reading contains no decoding of text and is not comparable "
        "with readers that return str. Writing is msgpack.packb(value)."
    ),
    format="msgpack",
)
