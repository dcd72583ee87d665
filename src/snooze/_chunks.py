"""The chunks of an open file.

Separate because `scan` and `Decoder.iter_lines` both read files a chunk at a time.
Invariant: a file that has no data now is not taken for one at its end.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


def chunks_of(file: Any, size: int) -> Iterator[Any]:
    """Yield the contents of an open file, text or binary, at most `size` at once.

    What a pipe or a connection has is yielded at once, if the file has `read1`.

    Raises:
        ValueError: The file does not wait for data, and has none now.
    """
    read = file.read
    now = getattr(file, "read1", read)
    while True:
        chunk = now(size)
        if not chunk and now is not read and not _waits(file):
            # That `read1` has nothing now is no end; `read` tells one from the other.
            chunk = read(size)
        if chunk is None:
            raise ValueError("source: a file in non-blocking mode has no data now")
        if not chunk:
            return
        yield chunk


def _waits(file: Any) -> bool:
    """Return whether reading waits for data, as far as the file says so."""
    try:
        return os.get_blocking(file.fileno())
    except (AttributeError, OSError, ValueError):
        return True
