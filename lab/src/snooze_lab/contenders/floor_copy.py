"""The floor of reading and writing: the same number of bytes copied into a new object.

Separate because no call that makes a new bytes object of a document can be faster, so
it shows how much of a time is memory traffic. Invariant: exactly one allocation and one
copy, of the text (loads) or of the compact output (dumps). Used through the registry of
contenders, by study floors.
"""

from __future__ import annotations

from typing import Any

from snooze_lab.contenders._shared import plain_only
from snooze_lab.contenders.base import Calls, Library


def _bind(module: Any) -> Calls:
    def prepare(value: Any) -> Any:
        text = module.dumps(value, ensure_ascii=False, separators=(",", ":"))
        return bytearray(text.encode())

    def source(text: bytes, _: Any) -> Any:
        return bytearray(text)

    # bytes(x) of a bytes object returns that object; of a bytearray it copies.
    return Calls(
        loads=bytes,
        dumps=bytes,
        writer=plain_only(bytes),
        prepare=prepare,
        plain=module.loads,
        source=source,
    )


LIBRARY = Library(
    name="copy",
    module="json",
    distribution="",
    bind=_bind,
    call_path=(
        "bytes(x) of a bytearray that holds the document (loads) or its compact text "
        "(dumps): one allocation and one copy. No parser and no writer; a floor."
    ),
    format="floor",
)
