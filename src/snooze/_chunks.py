"""The chunks of files, streams and texts.

Separate because `scan` and the iterators of a `Decoder` read in chunks. Invariants: a
file that has no data now is not taken for one at its end; a file that was opened here
is closed when its iterator ends or is closed.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterable, Generator, Iterator
    from typing import Any

#: How much of a file is read at once: what the cache of a processor holds.
_CHUNK = 1 << 18


def whole(data: Any) -> bytes:
    """Return the bytes of a text."""
    if type(data) is bytes:
        return data
    if isinstance(data, str):
        # A surrogate is no UTF-8, so that the Decoder refuses its document.
        return data.encode("utf-8", "surrogatepass")
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise TypeError(
            f"expected bytes, bytearray, memoryview or str, found {type(data).__name__}"
        )
    return bytes(memoryview(data))


def chunks_from(source: Any, function: str) -> Generator[bytes, None, None]:
    """Return the chunks of a path, an open file, data, or an iterable of these.

    Raises:
        TypeError: The source is of another type.
        OSError: The file cannot be read; when the first chunk is asked for.
    """
    if isinstance(source, (str, os.PathLike)):
        return _file_chunks(os.fsdecode(source), function)
    if isinstance(source, (bytes, bytearray, memoryview)):
        data = whole(source)
        starts = range(0, len(data), _CHUNK)
        return (data[start : start + _CHUNK] for start in starts)
    if callable(getattr(source, "read", None)):
        return (whole(chunk) for chunk in chunks_of(source, _CHUNK))
    if hasattr(source, "__iter__"):
        return (whole(chunk) for chunk in source)
    raise TypeError(
        "expected a path, an open file, bytes or an iterable of bytes, found "
        f"{type(source).__name__}"
    )


def _file_chunks(path: str, function: str) -> Generator[bytes, None, None]:
    """Yield the contents of a file, decompressed."""
    from snooze._files import compression, unpacked  # noqa: PLC0415 - late

    opened = compression(path)
    if opened is not None:
        yield from unpacked(path, opened, _CHUNK)
        return
    try:
        file = open(path, "rb", buffering=0)  # noqa: PTH123, SIM115 - closed below
    except OSError as error:
        if path.lstrip().startswith(("{", "[", '"')):
            error.add_note(f"{function} expects a path; to read a text, pass bytes")
        raise
    with file:
        while chunk := file.read(_CHUNK):
            yield chunk


def asynchronous(source: Any, of: str = "bytes or str") -> AsyncIterable[Any]:
    """Return an asynchronous iterable; TypeError for anything else."""
    if not hasattr(source, "__aiter__"):
        raise TypeError(
            f"expected an asynchronous iterable of {of}, found {type(source).__name__}"
        )
    found: AsyncIterable[Any] = source
    return found


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
