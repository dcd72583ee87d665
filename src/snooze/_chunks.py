"""The chunks of an open file.

Separate because `scan` and `Decoder.iter_lines` both read files a chunk at a time.
Invariant: a file that has no data now is not taken for one at its end.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


def chunks_of(file: Any, size: int) -> Iterator[Any]:
    """Yield the contents of an open file, text or binary, at most `size` at once.

    Raises:
        ValueError: The file does not wait for data, and has none now.
    """
    while True:
        chunk = file.read(size)
        if chunk is None:
            raise ValueError("source: a file in non-blocking mode has no data now")
        if not chunk:
            return
        yield chunk
