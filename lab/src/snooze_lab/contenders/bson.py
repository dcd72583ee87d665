"""bson as in pymongo: the documents of MongoDB.

Separate because each library has its own file. Invariant: a document is a mapping, so
a value of another kind is put below one key, untimed, and taken out again, untimed.
Used through the registry of contenders.
"""

from __future__ import annotations

from typing import Any

from snooze_lab.contenders._formats import check_integers
from snooze_lab.contenders._shared import plain_only
from snooze_lab.contenders.base import Calls, Library, UnsupportedError

#: The one key of the mapping for a value that is not a mapping.
WRAP = "snooze-lab value"


def _prepare(value: Any) -> Any:
    check_integers(value, -(2**63), 2**63 - 1)
    _check_names(value)
    if isinstance(value, dict) and list(value) != [WRAP]:
        return value
    return {WRAP: value}


def _check_names(value: Any) -> None:
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            if any("\0" in name for name in one):
                raise UnsupportedError("bson's names cannot hold the character U+0000")
            waiting.extend(one.values())
        elif isinstance(one, list):
            waiting.extend(one)


def _unwrapped(value: Any) -> Any:
    return _ints(value[WRAP] if list(value) == [WRAP] else value)


def _ints(value: Any) -> Any:
    """Return a value with bson's Int64 converted to int."""
    if isinstance(value, dict):
        return {name: _ints(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_ints(one) for one in value]
    if isinstance(value, int) and not isinstance(value, bool):
        return int(value)
    return value


def _bind(module: Any) -> Calls:
    if not hasattr(module, "has_c"):
        raise ImportError(
            "the module bson is not pymongo's: expected bson.has_c, found none; "
            "uninstall the package 'bson' and install 'pymongo'"
        )
    if not module.has_c():
        raise ImportError(
            "pymongo is installed without its C extension, which the seed measured; "
            "install a wheel of pymongo"
        )
    return Calls(
        loads=module.decode,
        dumps=module.encode,
        writer=plain_only(module.encode),
        prepare=_prepare,
        plain=_unwrapped,
    )


LIBRARY = Library(
    name="bson",
    module="bson",
    distribution="pymongo",
    bind=_bind,
    call_path=(
        "bson.encode(mapping) and bson.decode(data) of pymongo with its C extension. "
        "The top level must be a mapping: an array is put below one key before the "
        "timing. Integers of more than 32 bits come back as bson's Int64, as in any "
        "program."
    ),
    format="bson",
)
