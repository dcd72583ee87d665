"""Two contenders that are no library: how little time reading or writing could take.

Separate because they do a part of the work only. `copy` copies the bytes: no call that
makes a new bytes object of a document is faster. `build only` makes the same dicts,
lists and strings out of a form without end markers, numbers as text or escapes: the
distance from it is all that a parser could still gain. Invariants: the copy is one
allocation and one copy; the builder has no writer, and repeated keys become one object,
as in good JSON readers. Used through the registry of contenders, by study floors.
"""

from __future__ import annotations

from typing import Any, NoReturn

from snooze_lab.contenders.base import Calls, Library, UnsupportedError, plain_only


def _copy(module: Any) -> Calls:
    def prepare(value: Any) -> Any:
        text = module.dumps(value, ensure_ascii=False, separators=(",", ":"))
        return bytearray(text.encode())

    # bytes(x) of a bytes object returns that object; of a bytearray it copies.
    return Calls(
        loads=bytes,
        dumps=bytes,
        writer=plain_only(bytes),
        prepare=prepare,
        plain=module.loads,
        source=lambda text, _: bytearray(text),
    )


def _build_only(module: Any) -> Calls:
    def no_writer(_: Any) -> NoReturn:
        raise UnsupportedError(
            "it only builds: a floor under reading, not under writing"
        )

    return Calls(
        loads=module.loads,
        dumps=no_writer,
        writer=no_writer,
        source=lambda _, value: module.dumps(value, 4),
    )


LIBRARIES = (
    Library(
        "build only",
        "marshal",
        "",
        _build_only,
        "marshal.loads of the document's tree in marshal's version 4, in which keys "
        "that repeat are references: almost only the making of Python objects. A "
        "floor.",
        "floor",
    ),
    Library(
        "copy",
        "json",
        "",
        _copy,
        "bytes(x) of a bytearray that holds the document (loads) or its compact text "
        "(dumps): one allocation and one copy. No parser and no writer; a floor.",
        "floor",
    ),
)
