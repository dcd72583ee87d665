"""The floor of reading: the same tree of Python objects built without a parser.

Separate because the distance from this floor is all that a parser could still gain:
marshal makes the same dicts, lists and strings from a form without end markers, number
parsing or escapes. Invariant: it has no writer; repeated keys become one object, as in
good JSON readers. Used through the registry of contenders, by study floors.
"""

from __future__ import annotations

from typing import Any

from snooze_lab.contenders.base import Calls, Library, Need, UnsupportedError


def _no_writer(_: Any) -> Any:
    raise UnsupportedError("it only builds: a floor under reading, not under writing")


def _no_options(_: Need) -> Any:
    raise UnsupportedError("it only builds: a floor under reading, not under writing")


def _bind(module: Any) -> Calls:
    def source(_: bytes, value: Any) -> Any:
        return module.dumps(value, 4)

    return Calls(
        loads=module.loads, dumps=_no_writer, writer=_no_options, source=source
    )


LIBRARY = Library(
    name="build only",
    module="marshal",
    distribution="",
    bind=_bind,
    call_path=(
        "marshal.loads of the document's tree in marshal's version 4, in which keys "
        "that repeat are references: almost only the making of Python objects. A "
        "floor."
    ),
    format="floor",
)
