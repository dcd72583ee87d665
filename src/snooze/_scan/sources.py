"""Sources: what can be scanned, as ranges of bytes that any thread may read.

Separate because it finds, opens and copies files. Invariants: a source can be
read any number of times, because a schema may need one pass and each stream is another:
what can be read only once, or is compressed, is copied first, to memory or, if a scan
has much of it, to one temporary file without a name. Only a file in gzip that is read
once, because its schema is known or tried, is not copied: each stream decompresses it
again. Called by the modules beside it.
"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, Any, Literal

from snooze._chunks import chunks_of
from snooze._files import compression, unpacked

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import IO

    from snooze._scan.once import Once

#: The copies of a scan stay in memory up to this size, all together.
MAX_IN_MEMORY = 64 << 20
#: How much of a file object is read at once.
CHUNK = 1 << 20

#: A source for Rust: its name, what it is, and the path or buffer; for a part, the byte
#: of the source at which its buffer begins, and the buffer.
Native = tuple[str, Literal["file", "gzip", "memory", "part"], Any]
#: The index of a source, the first byte, and the byte after the last one; all of a file
#: in gzip.
Range = tuple[int, int, int]


class Opened:
    """Sources that Rust can read."""

    def __init__(self, *, rereads: bool = True) -> None:
        """Start without sources.

        Args:
            rereads: Whether the text of compressed files is read more than once.
        """
        self.rereads = rereads
        #: As Rust takes them, but for copies on the disk, which `native` maps.
        self.sources: list[Native] = []
        self.ranges: list[Range] = []
        #: Whether a file that can be read only once was opened.
        self.has_stream = False
        self._in_memory = 0
        #: The file of the copies that are not in memory, and its memory.
        self._disk: IO[bytes] | None = None
        self._map: Any = None

    def __del__(self) -> None:
        """Close the file; what Rust reads keeps the map."""
        if self._disk is not None:
            self._disk.close()

    def add_path(self, path: str, start: int = 0, end: int | None = None) -> None:
        """Add a range of a file."""
        kind, size = _kind_of(path)
        if kind == "gzip" and not self.rereads:
            # Rust decompresses it while it reads.
            self.ranges.append((len(self.sources), 0, size))
            self.sources.append((path, "gzip", os.fsencode(path)))
        elif (opened := compression(path)) is not None:
            self.has_stream |= not os.path.isfile(path)  # noqa: PTH113
            self.add_copy(path, unpacked(path, opened, CHUNK))
        elif kind == "stream":
            self.has_stream = True
            with open(path, "rb", buffering=0) as file:  # noqa: PTH123
                self.add_copy(path, chunks_of(file, CHUNK))
        else:
            end = size if end is None else min(end, size)
            self.ranges.append((len(self.sources), start, max(start, end)))
            self.sources.append((path, "file", os.fsencode(path)))

    def sample(self, size: int) -> list[Range]:
        """Return the first ranges, up to a size."""
        chosen, left = [], size
        for source, start, end in self.ranges:
            if left <= 0:
                break
            if self.sources[source][1] == "gzip":
                # How much text it has is not known.
                chosen.append((source, 0, left))
                left -= end
                continue
            chosen.append((source, start, min(end, start + left)))
            left -= end - start
        return chosen

    def add_buffer(self, name: str, buffer: Any) -> None:
        """Add the memory of an object."""
        with memoryview(buffer) as view:
            if not view.c_contiguous:
                raise TypeError("source: expected contiguous memory")
            size = view.nbytes
        self.ranges.append((len(self.sources), 0, size))
        self.sources.append((name, "memory", buffer))

    def add_copy(self, name: str, chunks: Iterable[Any]) -> None:
        """Add a copy of what can be read only once."""
        copy = self._copied(chunks)
        self.ranges.append((len(self.sources), 0, len(copy)))
        self.sources.append((name, "memory", copy))

    def add_remote(
        self,
        filesystem: Any,
        piece: tuple[str, int, int | None],
        *,
        most: int | None = None,
        pin: Mapping[str, Any] | None = None,
    ) -> None:
        """Add a copy of a range of a file of a file system object.

        Args:
            filesystem: The object.
            piece: The file, the first byte (0 of a compressed file), and the byte
                after the last one; None for all.
            most: How much of the text is enough. Default None: all.
            pin: What the file must still be after it was read.
        """
        from contextlib import closing  # noqa: PLC0415 - only these need it

        from snooze._scan import filesystems  # noqa: PLC0415

        path, start, end = piece
        opened = compression(path)
        with closing(filesystems.File(filesystem, path)) as file:
            if opened is not None:
                with closing(filesystems.text_of(file, opened, CHUNK)) as text:
                    copy = self._copied(text if most is None else _start_of(text, most))
                start, end = 0, len(copy)
            else:
                end = file.size if end is None else end
                end = end if most is None else min(end, start + most)
                with closing(file.part(start, end)) as chunks:
                    copy = self._copied(chunks)
            # Afterwards: what was read before is of these contents, too.
            if pin:
                file.check(pin)
        self.ranges.append((len(self.sources), start, end))
        self.sources.append((path, "part", (max(start - 1, 0), copy)))

    def native(self) -> tuple[Native, ...]:
        """Return the sources as Rust takes them."""
        return tuple(
            (shown(name), kind, self._mapped(of)) for name, kind, of in self.sources
        )

    def _mapped(self, of: Any) -> Any:
        """Return the memory of a copy on the disk; anything else as it is."""
        if isinstance(of, tuple):
            base, copy = of
            return base, self._mapped(copy)
        if not isinstance(of, range) or self._disk is None:
            return of
        import mmap  # noqa: PLC0415 - only large copies need it

        if self._map is None or len(self._map) < of.stop:
            # The file has no name, so nobody else can change or shorten it.
            self._map = mmap.mmap(self._disk.fileno(), 0, access=mmap.ACCESS_READ)
        return memoryview(self._map)[of.start : of.stop]

    def _copied(self, chunks: Iterable[Any]) -> bytearray | range:
        """Return the memory of a copy, or its place on the disk.

        Not as bytes, for which all of it would be copied once more.
        """
        copy = bytearray()
        chunks = iter(chunks)
        for chunk in chunks:
            copy += _bytes_of(chunk)
            if self._in_memory + len(copy) > MAX_IN_MEMORY:
                return self._on_disk(copy, chunks)
        self._in_memory += len(copy)
        return copy

    def _on_disk(self, start: bytearray, chunks: Iterator[Any]) -> range:
        """Write chunks to the file of the copies; return their place in it.

        All have one file, because a process can open only so many.
        """
        if self._disk is None:
            import tempfile  # noqa: PLC0415 - only large copies need it

            self._disk = tempfile.TemporaryFile(  # noqa: SIM115 - see __del__
                prefix="snooze-"
            )
        first = self._disk.tell()
        self._disk.write(start)
        start.clear()
        for chunk in chunks:
            self._disk.write(_bytes_of(chunk))
        self._disk.flush()
        return range(first, self._disk.tell())


def _bytes_of(chunk: Any) -> Any:
    """Return the bytes of a chunk."""
    if isinstance(chunk, str):
        return chunk.encode()
    if not isinstance(chunk, (bytes, bytearray, memoryview)):
        raise TypeError(
            "source: expected chunks of bytes (bytes, bytearray, memoryview or str), "
            f"found {type(chunk).__name__}"
        )
    if isinstance(chunk, memoryview) and not chunk.c_contiguous:
        raise TypeError("source: expected chunks of contiguous memory")
    return chunk


def _start_of(chunks: Iterable[bytes], most: int) -> Iterator[bytes]:
    """Yield so many bytes, and the end of the line in which the last one is."""
    for chunk in chunks:
        if len(chunk) >= most:
            found = chunk.find(b"\n", max(most - 1, 0)) + 1
            if found:
                yield chunk[:found]
                return
        most -= len(chunk)
        yield chunk


def shown(name: str) -> str:
    """Return a name for messages: bytes that are not UTF-8 are escaped."""
    return name.encode(errors="backslashreplace").decode()


def must_copy(path: str) -> bool:
    """Return whether a file has to be copied, even if it is read only once."""
    return _kind_of(path)[0] in ("packed", "stream")


def check_rereadable(paths: Iterable[str]) -> None:
    """Raise ValueError for a path whose parts cannot be read apart, as of a pipe."""
    for path in paths:
        if not stat.S_ISREG(os.stat(path).st_mode):  # noqa: PTH116
            raise ValueError(f"splits: {path} can be read only once, as a whole")


def _kind_of(path: str) -> tuple[Literal["file", "gzip", "packed", "stream"], int]:
    """Return what a path is, and its size in bytes.

    "packed" is what only Python decompresses, and "stream" what can be read only once.
    """
    found = os.stat(path)  # noqa: PTH116 - a path is a str here
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(
            f"{path} is a folder; scan its files with a pattern, such as "
            f"{os.path.join(path, '*.ndjson')!r}"  # noqa: PTH118
        )
    is_regular = stat.S_ISREG(found.st_mode)
    kind: Literal["file", "gzip", "packed", "stream"]
    if compression(path) is None:
        kind = "file" if is_regular else "stream"
    else:
        kind = "gzip" if is_regular and path.lower().endswith(".gz") else "packed"
    return kind, found.st_size


def is_path(source: object) -> bool:
    """Return whether a source is a path or a pattern."""
    return isinstance(source, (str, os.PathLike))


def fetched(
    filesystem: Any,
    files: Iterable[tuple[str, int, int | None]],
    most: int | None,
    pins: Mapping[str, Mapping[str, Any]],
) -> Opened:
    """Return copies of ranges of a file system object, of `most` bytes if given."""
    result, left = Opened(), most
    for piece in files:
        if left is not None and left <= 0:
            break
        result.add_remote(filesystem, piece, most=left, pin=pins.get(piece[0]))
        if left is not None:
            _, first, last = result.ranges[-1]
            left -= last - first
    return result


def named_by(source: Any) -> list[str] | None:
    """Return the paths and patterns of a source; None if it is something else."""
    if is_path(source):
        return [os.fsdecode(source)]
    if isinstance(source, (list, tuple)) and source and all(map(is_path, source)):
        return [os.fsdecode(one) for one in source]
    return None


def paths_of(source: Any) -> list[str] | None:
    """Return the files that a source means; None if it is something else."""
    named = named_by(source)
    if named is None:
        return None
    return [path for one in named for path in _expanded(one)]


def _expanded(path: str) -> list[str]:
    """Return the files that a path or a pattern means, sorted by name."""
    if os.path.exists(path):  # noqa: PTH110
        return [path]
    import glob  # noqa: PLC0415 - only patterns need it

    if "://" in path:
        raise FileNotFoundError(
            f"source: no file {path!r} on this machine; pass the file system that has "
            "it as filesystem="
        )
    if not glob.has_magic(path):
        # The error of the system, with its reason.
        try:
            os.stat(path)  # noqa: PTH116
        except OSError as error:
            if path.lstrip().startswith(("{", "[")):
                error.add_note("scan expects a path; to read a text, pass bytes")
            raise
    found = [one for one in glob.glob(path, recursive=True) if not os.path.isdir(one)]  # noqa: PTH112, PTH207
    if not found:
        from snooze._files import unlisted  # noqa: PLC0415 - only failures need it

        if (reason := unlisted(path)) is not None:
            raise reason
        raise FileNotFoundError(f"source: no file matches {path!r}")
    return sorted(found)


def open_object(source: Any) -> Opened:
    """Return the ranges of a source that is no path."""
    result = Opened()
    if _has_buffer(source):
        result.add_buffer(f"<{type(source).__name__}>", source)
    elif callable(getattr(source, "read", None)):
        name = getattr(source, "name", None)
        name = os.fsdecode(name) if isinstance(name, (str, bytes)) else "<file>"
        result.add_copy(name, chunks_of(source, CHUNK))
    elif hasattr(source, "__iter__"):
        result.add_copy(f"<{type(source).__name__}>", source)
    else:
        raise TypeError(
            "source: expected a path or pattern, several paths, bytes, an open file or "
            f"an iterable of bytes, found {type(source).__name__}"
        )
    return result


def opened_files(
    files: Iterable[tuple[str, int, int | None]], once: Once, *, rereads: bool
) -> Opened:
    """Return ranges of files; `once` learns whether one can be read only once."""
    result = Opened(rereads=rereads)
    try:
        for path, start, end in files:
            result.add_path(path, start, end)
    finally:
        once.has_begun = result.has_stream
    return result


def opens_at_once(
    source: object,
    files: Iterable[tuple[str, int, int | None]] | None,
    is_typed: bool,  # noqa: FBT001 - internal
) -> bool:
    """Return whether a source is opened without a copy of it."""
    if files is None:
        return not is_read_once(source)
    kinds = {_kind_of(path)[0] for path, _, _ in files}
    return kinds <= ({"file", "gzip"} if is_typed else {"file"})


def is_read_once(source: object) -> bool:
    """Return whether an object that is no path may give its bytes only once."""
    return not isinstance(source, (list, tuple)) and not _has_buffer(source)


def _has_buffer(source: object) -> bool:
    """Return whether an object has memory to read, such as a map or an array."""
    try:
        with memoryview(source):  # type: ignore[arg-type]
            return True
    except TypeError:
        return False
