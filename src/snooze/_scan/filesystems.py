"""Files of file system objects (fsspec, obstore, pyarrow.fs), read in ranges.

Separate from `sources`, whose files the system opens. No package is imported here: what
an object can do decides. Invariants: what it returns is checked, so that a short, long
or wrong answer is an error that names the file; a part of a file is read from the byte
before it to the end of its last line, and no further; a file that is not the one that
was planned is an error. Called by `scan` and `sources`,
for scans with `filesystem`.
"""

from __future__ import annotations

import errno
import io
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator

#: The bytes of one request.
STEP = 8 << 20
#: How many requests are ahead of the text that is taken.
AHEAD = 4
#: What is read first after a part, for the end of its last line.
AFTER = 64 << 10
#: What is in the names of members that change with a file: as fsspec's file systems and
#: obstore call them.
_TIMES = {"time", "modified", "updated", "created", "version", "generation", "commit"}
_HASHES = {"etag", "md5", "sha", "crc", "checksum", "digest", "hex", "oid", "blob"}
#: What names a version of the contents, and may change without them.
_VERSIONS = {*_HASHES, "version", "generation"}
_ASIDE = ("created", "access", "atime", "ctime", "metageneration")
_KINDS = ("get_range", "cat_file", "open_input_file", "open")


class File:
    """A file of a file system, read at any place.

    Args:
        filesystem: The object.
        path: The path in it.

    Raises:
        TypeError: The object is no file system.
        OSError: There is no such file, or it is a folder.
    """

    def __init__(self, filesystem: Any, path: str) -> None:
        """Ask for nothing but how to read."""
        self.path = path
        self._filesystem = filesystem
        self._kind = kind_of(filesystem)
        self._opened: Any = None
        self._described: Any = None
        self._size: int | None = None

    @property
    def size(self) -> int:
        """How many bytes the file has."""
        if self._size is None:
            found = self._asked_size()
            if not isinstance(found, int) or isinstance(found, bool) or found < 0:
                raise TypeError(
                    f"{self.path}: expected the size of the file from the file "
                    f"system, found {found!r:.60}"
                )
            self._size = found
        return self._size

    def _asked_size(self) -> Any:
        self._described = found = self._description()
        if self._kind == "cat_file" and _member(found, "type") == "directory":
            raise IsADirectoryError(
                f"{self.path} is a folder; scan its files with a pattern"
            )
        return _member(found, "size")

    def _description(self) -> Any:
        """Ask what the file is now."""
        if self._kind == "get_range":
            return self._filesystem.head(self.path)
        if self._kind == "cat_file":
            return self._filesystem.info(self.path)
        if self._kind == "open":
            return {"size": self._file().seek(0, os.SEEK_END)}
        asked = getattr(self._filesystem, "get_file_info", None)
        if not callable(asked):
            return {"size": self._file().size()}
        # Opening says why there is no such file.
        size = self._file().size()
        [info] = asked([self.path])
        return {"size": size, "now": info.size, "mtime": info.mtime_ns}

    def pin(self) -> dict[str, Any]:
        """Return what stays the same as long as the contents do."""
        if self._described is None:
            self._described = self._description()
        return _pin_of(self._described)

    def check(self, pin: Mapping[str, Any]) -> None:
        """Check that the file is still that of a pin.

        Raises:
            OSError: It was changed.
        """
        forget = getattr(self._filesystem, "invalidate_cache", None)
        if self._kind == "cat_file" and callable(forget):
            # It may remember what was in a folder.
            forget(self.path)
        found = _pin_of(self._description())
        for name, before in pin.items():
            now = found.get(name)
            if now != before:
                self._fail(
                    "the file was changed after the scan was made: its "
                    f"{name} was {before!s:.60} and is {now!s:.60}"
                )

    def _file(self) -> Any:
        if self._opened is None:
            if self._kind == "open_input_file":
                self._opened = self._filesystem.open_input_file(self.path)
            else:
                self._opened = _binary(self._filesystem.open, self.path)
        return self._opened

    def read(self, start: int, end: int) -> memoryview:
        """Return the bytes of a range, all of them.

        Raises:
            TypeError: What the file system returned is no bytes.
            OSError: It returned fewer or more bytes; or it failed.
        """
        if self._kind == "get_range":
            found = self._filesystem.get_range(self.path, start=start, end=end)
        elif self._kind == "cat_file":
            found = self._filesystem.cat_file(self.path, start=start, end=end)
        elif self._kind == "open_input_file":
            found = self._file().read_at(end - start, start)
        else:
            found = self._read_parts(start, end)
        view = self._viewed(found)
        if view.nbytes != end - start:
            self._fail(
                f"bytes {start} to {end} were asked for, and {view.nbytes} bytes came"
            )
        return view

    def _read_parts(self, start: int, end: int) -> bytes:
        """Read an open file, which may return less than is asked for."""
        file = self._file()
        file.seek(start)
        parts, left = [], end - start
        while left > 0:
            view = self._viewed(file.read(left))
            parts.append(view)
            if not view.nbytes:
                break
            left -= view.nbytes
        return b"".join(parts)

    def _viewed(self, found: Any) -> memoryview:
        try:
            # Memory with holes cannot be cast.
            return memoryview(found).cast("B")
        except TypeError:
            raise TypeError(
                f"{self.path}: expected contiguous bytes from the file system, found "
                f"{type(found).__name__}"
            ) from None

    def _fail(self, reason: str) -> NoReturn:
        text = f"{os.strerror(errno.EIO)}: {self.path}: {reason}"
        raise OSError(errno.EIO, text)

    def chunks(self, start: int, end: int) -> Generator[memoryview, None, None]:
        """Yield a range, by requests of which some are ahead.

        An open file has one position, so it is read by one request at a time.
        """
        # Not a list: a size may be wrong.
        steps = ((at, min(at + STEP, end)) for at in range(start, end, STEP))
        if end - start <= STEP or self._kind == "open":
            for one in steps:
                yield self.read(*one)
            return
        from collections import deque  # noqa: PLC0415 - only large ranges need them
        from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415

        if self._kind == "open_input_file":
            self._file()  # opened once, by this thread
        with ThreadPoolExecutor(AHEAD, "snooze-range") as pool:
            waiting: Any = deque()
            try:
                for one in steps:
                    waiting.append(pool.submit(self.read, *one))
                    if len(waiting) >= AHEAD:
                        yield waiting.popleft().result()
                while waiting:
                    yield waiting.popleft().result()
            finally:
                for future in waiting:
                    future.cancel()

    def part(self, start: int, end: int) -> Generator[memoryview, None, None]:
        """Yield what a part needs: the byte before it, and its last line to the end."""
        last = b""
        for chunk in self.chunks(max(start - 1, 0), end):
            yield chunk
            last = chunk[-1:].tobytes()
        at, step = end, AFTER
        while last and last != b"\n" and at < self.size:
            chunk = self.read(at, min(at + step, self.size))
            found = bytes(chunk).find(b"\n") + 1
            yield chunk[:found] if found else chunk
            at, step = at + chunk.nbytes, min(2 * step, STEP)
            last = b"\n" if found else last

    def close(self) -> None:
        """Close what was opened."""
        opened, self._opened = self._opened, None
        if opened is not None and callable(getattr(opened, "close", None)):
            opened.close()

    def stamp(self) -> str | None:
        """Return what changes with the contents; None if nothing does for sure."""
        if self._kind == "open_input_file":
            [info] = self._filesystem.get_file_info([self.path])
            found = {"size": info.size, "mtime": info.mtime_ns}
        elif self._kind == "get_range":
            found = self._filesystem.head(self.path)
        elif self._kind == "cat_file":
            found = self._filesystem.info(self.path)
        else:
            return None
        return repr(found) if _says_when(found) else None


class Raw(io.RawIOBase):
    """A file as a stream, for decompression."""

    def __init__(self, file: File) -> None:
        """Begin at the start."""
        self._chunks = file.chunks(0, file.size)
        self._left = memoryview(b"")

    def close(self) -> None:
        """End the requests that are ahead."""
        self._chunks.close()
        super().close()

    def readable(self) -> bool:
        """Return that it can be read."""
        return True

    def readinto(self, target: Any) -> int:
        """Fill a buffer; zero bytes mean the end."""
        if not self._left:
            self._left = next(self._chunks, self._left)
        count = min(len(target), len(self._left))
        target[:count] = self._left[:count]
        self._left = self._left[count:]
        return count


def text_of(
    file: File, opened: Callable[..., Any], size: int
) -> Generator[bytes, None, None]:
    """Yield the text of a compressed file, at most `size` bytes at once."""
    from snooze._files import unpacked  # noqa: PLC0415 - not at import time

    with Raw(file) as raw, io.BufferedReader(raw) as binary:
        yield from unpacked(file.path, lambda _, mode: opened(binary, mode), size)


def kind_of(filesystem: Any) -> str:
    """Return the method by which an object is read.

    Raises:
        TypeError: It has none of them.
    """
    for name in _KINDS:
        if callable(getattr(filesystem, name, None)):
            return name
    raise TypeError(
        "filesystem: expected an object of fsspec, obstore or pyarrow.fs, or another "
        f"with open(), found {type(filesystem).__name__}"
    )


def pieces_of(
    filesystem: Any, paths: Iterable[str], pins: dict[str, dict[str, Any]]
) -> Iterator[tuple[str, int, int | None]]:
    """Yield the files that paths and patterns mean, each with all its bytes.

    A folder that a pattern matches is left out.

    Args:
        filesystem: The object.
        paths: The paths and patterns.
        pins: Where the pins of the files go.

    Raises:
        FileNotFoundError: There is no such file, or none for a pattern.
        IsADirectoryError: A path is that of a folder.
        ValueError: The file system has no patterns.
    """
    from snooze._files import compression  # noqa: PLC0415 - not at import time

    for path in paths:
        has_file = False
        for one in _expanded(filesystem, path):
            # By the question for its size, so that no file is asked for twice.
            try:
                size = _size_of(filesystem, one, pins)
            except IsADirectoryError:
                if one == path:
                    raise
                continue
            has_file = True
            yield one, 0, None if compression(one) is not None else size
        if not has_file:
            raise FileNotFoundError(f"source: no file matches {path!r}")


def _size_of(
    filesystem: Any, path: str, pins: dict[str, dict[str, Any]] | None = None
) -> int:
    file = File(filesystem, path)
    try:
        size = file.size
        if pins is not None:
            pins[path] = file.pin()
        return size
    finally:
        file.close()


def _expanded(filesystem: Any, path: str) -> list[str]:
    import glob  # noqa: PLC0415 - only patterns need it

    exists = getattr(filesystem, "exists", None)
    # A name may have the signs of a pattern.
    if not glob.has_magic(path) or (callable(exists) and exists(path)):
        return [path]
    find = getattr(filesystem, "glob", None)
    if not callable(find):
        try:
            _size_of(filesystem, path)
        except (FileNotFoundError, KeyError):  # an archive raises KeyError
            raise ValueError(
                f"source: {type(filesystem).__name__} has no such file, and no "
                f"patterns; list its files instead of {path!r}"
            ) from None
        return [path]
    found = find(path)
    if not isinstance(found, (list, tuple)) or not all(
        isinstance(one, str) for one in found
    ):
        raise TypeError(
            "source: expected a list of paths from the file system's glob(), found "
            f"{found!r:.60}"
        )
    return sorted(found)


def _binary(opened: Callable[..., Any], path: str) -> Any:
    """Return an open file; archives know only the mode `r`, which is of bytes."""
    try:
        return opened(path, "rb")
    except ValueError:
        return opened(path, "r")


def _says_when(found: Any) -> bool:
    """Return whether a description has anything that changes with the contents."""
    if not isinstance(found, Mapping):
        return False
    named = ((str(name).lower().replace("_", ""), found[name]) for name in found)
    return any(
        value is not None and any(sign in name for sign in _TIMES | _HASHES)
        for name, value in named
    )


def _pin_of(found: Any) -> dict[str, Any]:
    """Return the members of a description that say which contents a file has.

    The size, and what names a version of the contents, or else the times.
    """
    pin = {name: _member(found, name) for name in ("size", "now")}
    if isinstance(found, Mapping):
        named = {
            str(name): str(name).lower().replace("_", "")
            for name in found
            if found[name] is not None
        }
        named = {
            name: plain
            for name, plain in named.items()
            if not any(sign in plain for sign in _ASIDE)
        }
        for signs in (_VERSIONS, _TIMES):
            chosen = [n for n, plain in named.items() if any(s in plain for s in signs)]
            if chosen:
                pin.update((name, repr(found[name])) for name in chosen)
                break
    return {name: value for name, value in pin.items() if value is not None}


def _member(found: Any, name: str) -> Any:
    """Return a member of a description; None if there is none."""
    try:
        return found[name]
    except (KeyError, TypeError, IndexError):
        return getattr(found, name, None)
