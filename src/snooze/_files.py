"""Read and write JSON files: paths, handles, compressed files.

Separate because they are the functions for whole documents. Invariants: a file is
replaced as a whole or not at all, and keeps its permissions; the text of a file is what
``dumps`` writes; an error names the file. Exported by ``snooze``; modules that only
files need are imported when they are needed.
"""

from __future__ import annotations

import os

# The module of C: `io` itself would be an import from CPython 3.14 on.
from _io import BufferedRandom, BufferedWriter, BytesIO, StringIO, TextIOWrapper

from snooze._decode_error import JSONDecodeError
from snooze._snooze import JSONEncodeError, dumps, loads
from snooze._typed.lazy_typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import IO

Path = str | os.PathLike[str]
#: The classes of most open files, which need no closer look.
_BINARY, _TEXTS = {BytesIO, BufferedWriter, BufferedRandom}, {StringIO, TextIOWrapper}
#: How a JSON text may begin, and the name of a file seldom does.
_BEGINNINGS = ("{", "[", '"')
#: What names of a descriptor are in /dev.
_STANDARD = {"stdin": 0, "stdout": 1, "stderr": 2}
#: As many symbolic links Linux follows.
_MOST_LINKS = 40
#: Characters of a file's name in that of the new file beside it, which must not become
#: too long for the file system.
_NAME_SHOWN = 40


def load(source: Path | IO[str] | IO[bytes], /, *, mmap: bool = False) -> Any:
    """Deserialize a JSON file.

    Args:
        source: A path, or an open file: text or binary, at its position. A path that
            ends in ``.gz`` is decompressed, and one in ``.zst`` where Python can
            (``compression.zstd``, from 3.14 on).
        mmap: Whether the file of a path is mapped into memory instead of read, which
            needs no memory for its text. It takes the same time. If another program
            truncates the file during the call, the process may be killed (SIGBUS).
            What has no size, such as a pipe, is read. Default False.

    Returns:
        What ``loads`` returns for the contents.

    Raises:
        JSONDecodeError: The contents are not one JSON document. A note names the file.
        TypeError: The source is neither a path nor an open file.
        OSError: The file cannot be read, or is not compressed as its name says.
        UnicodeDecodeError: An open text file is not in its encoding.
        ValueError: Python cannot read the compression, or ``mmap`` is given for an
            open or a compressed file.

    Examples:
        >>> import io, snooze
        >>> snooze.load(io.StringIO("[1, 2.5]"))
        [1, 2.5]
    """
    if isinstance(source, (str, os.PathLike)):
        return _load_path(os.fsdecode(source), mmap=mmap)
    if mmap:
        raise ValueError("mmap: expected a path, found an open file")
    read = method(source, "read")
    try:
        return loads(read())
    except (JSONDecodeError, UnicodeDecodeError) as error:
        name_file(error, "in the file", source)
        raise


def dump(
    obj: Any,
    dest: Path | IO[str] | IO[bytes],
    /,
    default: Callable[[Any], Any] | None = None,
    option: int | None = None,
) -> None:
    """Serialize Python objects to a JSON file.

    Args:
        obj: What to write; see ``dumps``.
        dest: A path, or an open file, text or binary. The file of a path is replaced
            when the whole text is written, and keeps its permissions; a symbolic link
            stays one, and a pipe or a device is written to directly. The text is not
            forced to the disk (no ``fsync``). Paths in ``.gz`` and ``.zst`` are
            compressed, as for ``load``.
        default: As for ``dumps``.
        option: As for ``dumps``.

    Raises:
        JSONEncodeError: As for ``dumps``; nothing is written. A note names the file.
        TypeError: The destination is neither a path nor an open file.
        OSError: The file cannot be written; the file of a path is unchanged.
        UnicodeEncodeError: The encoding of an open text file lacks a character.
        ValueError: Python cannot write the compression.

    Examples:
        >>> import io, snooze
        >>> file = io.BytesIO()
        >>> snooze.dump([1, 2.5], file)
        >>> file.getvalue()
        b'[1,2.5]'
    """
    try:
        text = dumps(obj, default, option)
    except JSONEncodeError as error:
        name_file(error, "for the file", dest)
        raise
    if isinstance(dest, (str, os.PathLike)):
        _replace(os.fsdecode(dest), text)
        return
    try:
        put(dest, text)
    except UnicodeEncodeError as error:
        name_file(error, "for the file", dest)
        raise


def _load_path(path: str, *, mmap: bool) -> Any:
    """Return the value of a file; errors name it."""
    try:
        return _read(path, mmap=mmap)
    except JSONDecodeError as error:
        name_file(error, "in the file", path)
        raise
    except OSError as error:
        if path.lstrip().startswith(_BEGINNINGS):
            error.add_note("load expects a path; to read a JSON text, use loads")
        raise


def _read(path: str, *, mmap: bool) -> Any:
    """Return the value of a file."""
    opened = compression(path)
    if opened is not None:
        if mmap:
            raise ValueError(f"mmap: {path} is compressed")
        return loads(b"".join(unpacked(path, opened)))
    with open(path, "rb", buffering=0) as file:  # noqa: PTH123 - no import needed
        return _mapped(file) if mmap else loads(file.read())


def method(file: object, name: str) -> Callable[..., Any]:
    """Return the method of an open file."""
    method: Callable[..., Any] | None = getattr(file, name, None)
    if method is None:
        raise TypeError(
            f"expected a path (str or os.PathLike) or an open file with {name}(), "
            f"found {type(file).__name__}"
        )
    return method


def put(file: Any, text: bytes) -> None:
    """Write the whole text into an open file, text or binary."""
    write, cls = method(file, "write"), type(file)
    if cls in _BINARY:
        write(text)
        return
    if cls in _TEXTS or _is_text(file):
        write(text.decode())
        return
    import io  # noqa: PLC0415 - only handles need it

    # `tempfile` has the file inside of an object of its own.
    if not isinstance(getattr(file, "file", file), io.RawIOBase):
        write(text)
        return
    _put_raw(write, text)


def _put_raw(write: Callable[[Any], Any], text: bytes) -> None:
    """Write the whole text by a method that may take a part: on Linux up to 2 GiB."""
    # First the bytes themselves: a class of users may take nothing else.
    left: Any = text
    while left:
        count = write(left)
        if not count:
            import errno  # noqa: PLC0415 - only failures need it

            done = len(text) - len(left)
            raise BlockingIOError(
                errno.EAGAIN,
                f"the file took {done} of {len(text)} bytes, and no more without "
                f"waiting, because its write() returned {count}; pass one that is "
                "blocking, or buffered; a write() of your own returns how many bytes "
                "it took",
                done,
            )
        if not 0 < count <= len(left):
            raise OSError(
                f"expected that write() of the file returns how many of {len(left)} "
                f"bytes it took, found {count}"
            )
        left = memoryview(left)[count:]


def put_pieces(dest: Any, pieces: Any) -> int:
    """Write pieces of text into a path or an open file; return their count.

    The file of a path is replaced as a whole or not at all.

    Args:
        dest: The path, or the file.
        pieces: An iterator of bytes and how much they count. Its attribute
            `has_failed` tells whether an exception is that of the iterator.

    Raises:
        OSError: The file cannot be written; it has the name of a path.
        TypeError: The destination is neither a path nor an open file.
        UnicodeEncodeError: The encoding of an open text file lacks a character.
    """
    writer = _Pieces(pieces)
    if not isinstance(dest, (str, os.PathLike)):
        method(dest, "write")  # before anything is made
        try:
            writer.put_into(dest)
        except UnicodeEncodeError as error:
            if not pieces.has_failed:
                name_file(error, "for the file", dest)
            raise
        return writer.count
    path = os.fsdecode(dest)
    try:
        replace(path, writer.write_to)
    except OSError as error:
        # An open file does not know its path, so a full disk has no name.
        if error.filename is None and error.errno is not None and not pieces.has_failed:
            error.filename = path
        raise
    return writer.count


class _Pieces:
    """What is written, piece by piece, and how much of it is; a class as `_Text` is."""

    __slots__ = ("_pieces", "count")

    def __init__(self, pieces: Any) -> None:
        self._pieces = pieces
        self.count = 0

    def write_to(self, file: IO[bytes]) -> None:
        """Write all into a file that this module has opened."""
        for text, count in self._pieces:
            file.write(text)
            self.count += count

    def put_into(self, file: Any) -> None:
        """Write all into an open file."""
        for text, count in self._pieces:
            if text:
                put(file, text)
            self.count += count


def _is_text(file: Any) -> bool:
    """Tell whether an open file takes str."""
    import codecs  # noqa: PLC0415 - only handles need them
    import io  # noqa: PLC0415

    if isinstance(file, codecs.StreamWriter):
        # Unlike other text files it has no `encoding`. Codecs of bytes say so.
        return getattr(file, "charbuffertype", str) is str
    return isinstance(file, io.TextIOBase) or hasattr(file, "encoding")


def _mapped(file: IO[bytes]) -> Any:
    """Return the value of a file without a copy of its text."""
    import mmap  # noqa: PLC0415 - only who asks needs it

    if os.fstat(file.fileno()).st_size == 0:
        # Nothing can be mapped, but a pipe or a file of /proc may have text.
        return loads(file.read())
    with (
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as contents,
        memoryview(contents) as view,
    ):
        return loads(view)


def compression(path: str, *, writes: bool = False) -> Callable[..., Any] | None:
    """Return what opens a compressed file of this name; None for a plain one.

    The ending may have capitals. `writes` is for the advice where Python cannot.
    """
    ending = path[-4:].lower()
    if ending.endswith(".gz"):
        import gzip  # noqa: PLC0415 - only such files need it

        return gzip.open
    if ending == ".zst":
        try:
            from compression import zstd  # type: ignore[import-not-found]  # noqa: PLC0415
        except ImportError:
            advice = "write a .gz" if writes else "decompress the file"
            raise ValueError(
                f"{path}: this Python has no module compression.zstd (it comes with "
                f"3.14); {advice}, or pass an open one"
            ) from None
        opened: Callable[..., Any] = zstd.open
        return opened
    return None


def unpacked(path: str, opened: Callable[..., Any], size: int = -1) -> Iterator[bytes]:
    """Yield the text of a compressed file.

    Args:
        path: The file.
        opened: What `compression` returned for it.
        size: The most bytes of text to yield at once. Default -1: all.

    Raises:
        OSError: The file cannot be read, or is not compressed as its name says. The
            decompressors have an exception for each damage; here there is one.
    """
    with opened(path, "rb") as file:
        while True:
            try:
                chunk = file.read(size)
            except Exception as error:
                reason = damage(error)
                if reason is None:
                    raise
                import errno  # noqa: PLC0415 - only failures need it

                text = f"{os.strerror(errno.EIO)}: {path}: {reason}"
                raise OSError(errno.EIO, text) from None
            if not chunk:
                return
            yield chunk


def unlisted(pattern: str) -> OSError | None:
    """Return why the folder of a pattern of files cannot be listed, if it cannot."""
    import re  # noqa: PLC0415 - only failures need it

    folder = os.path.dirname(re.split(r"[*?[]", pattern, maxsplit=1)[0])  # noqa: PTH120
    try:
        os.scandir(folder or ".").close()
    except OSError as error:
        return error
    return None


def damage(error: Exception) -> str | None:
    """Return what is wrong with a compressed file; None if it could not be read."""
    import gzip  # noqa: PLC0415 - only failures need them
    import zlib  # noqa: PLC0415

    if isinstance(error, EOFError):
        return "the compressed file ends too early"
    if isinstance(error, gzip.BadGzipFile):
        if "CRC" in str(error) or "length" in str(error):
            return "the decompressed data does not match its checksum or length"
        return "not a gzip file, or other bytes follow its end"
    if isinstance(error, zlib.error) or type(error).__name__ == "ZstdError":
        return "the compressed data is damaged"
    return None


def _replace(path: str, text: bytes) -> None:
    """Write a file beside the path, then put it in its place."""
    try:
        replace(path, _Text(text).write_to)
    except OSError as error:
        # An open file does not know its path, so a full disk has no name.
        if error.filename is None and error.errno is not None:
            error.filename = path
        raise


class _Text:
    """What is written.

    A class and not a closure: CPython 3.11 leaks closures when memory runs out.
    """

    __slots__ = ("_text",)

    def __init__(self, text: bytes) -> None:
        """Keep the text."""
        self._text = text

    def write_to(self, file: IO[bytes]) -> None:
        """Write it into an open file."""
        file.write(self._text)


def replace(path: str, write: Callable[[IO[bytes]], Any]) -> None:
    """Let `write` fill a file beside the path, then put it in its place.

    What is no file, such as a pipe or a device, is written itself, and so is a file
    that is named by its descriptor, such as ``/dev/stdout``: another one in its place
    would be another file.
    """
    import stat  # noqa: PLC0415 - only writing needs it

    opened = compression(path, writes=True)
    descriptor = _descriptor(path)
    if descriptor is not None:
        with open(os.dup(descriptor), "wb") as file:  # noqa: PTH123
            _fill(file, opened, write)
        return
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116 - a path is a str here
    except FileNotFoundError:
        if os.path.basename(path) in {"", os.curdir, os.pardir}:  # noqa: PTH119
            # No name of a file; the real path would be that of a folder or of a file.
            if path:
                _refuse_folder(path)
            raise
        mode = None
    if mode is not None and not stat.S_ISREG(mode):
        with open(path, "wb") as file:  # noqa: PTH123
            _fill(file, opened, write)
        return
    _replace_file(path, mode, opened, write)


def _refuse_folder(path: str) -> None:
    """Raise the error of `open` for a path that ends in a separator."""
    if path[-1] in {os.sep, os.altsep}:
        import errno  # noqa: PLC0415 - only failures need it

        text = os.strerror(errno.EISDIR)
        raise IsADirectoryError(errno.EISDIR, text, path) from None


def _descriptor(path: str) -> int | None:
    """Return the descriptor that a path names, such as ``/dev/stdout``, if it does."""
    for _ in range(_MOST_LINKS):
        folder, name = os.path.split(os.path.normpath(path))
        if name in _STANDARD and folder == "/dev":
            return _STANDARD[name]
        own = f"/proc/{os.getpid()}/fd"
        # No digits of other scripts, and no number too large for an int of C.
        is_number = name.isascii() and name.isdecimal() and len(name) < 10
        if folder in ("/dev/fd", "/proc/self/fd", own) and is_number:
            return int(name)
        try:
            target = os.readlink(path)  # noqa: PTH115
        except OSError:
            return None
        path = os.path.join(folder, target)  # noqa: PTH118
    return None


def _replace_file(
    path: str,
    mode: int | None,
    opened: Callable[..., Any] | None,
    write: Callable[[IO[bytes]], Any],
) -> None:
    """Replace a file, or make one where there is none."""
    new = _NewFile(os.path.realpath(path))
    try:
        _fill_new(new, path, mode, opened, write)
    except BaseException as error:
        new.remove()
        if isinstance(error, OSError) and error.filename == new.path:
            new.rename(error, path)
        raise


def _fill_new(
    new: _NewFile,
    path: str,
    mode: int | None,
    opened: Callable[..., Any] | None,
    write: Callable[[IO[bytes]], Any],
) -> None:
    """Let `write` fill a new file, and put it in its place."""
    # Named as the file that it becomes, for what writes the name into the file.
    with open(path, "wb", opener=new.open) as file:
        if mode is not None and hasattr(os, "fchmod"):
            import stat  # noqa: PLC0415 - only writing needs it

            mode = stat.S_IMODE(mode)
            if not _keep_owner(file.fileno(), new.target):
                # These bits would give the rights of another user.
                mode &= ~(stat.S_ISUID | stat.S_ISGID)
            os.fchmod(file.fileno(), mode)
        _fill(file, opened, write)
    os.replace(new.path, new.target)  # noqa: PTH105


def _keep_owner(descriptor: int, path: str) -> bool:
    """Give a new file the owner and group of the old one, as far as that is allowed.

    Returns whether it has both.
    """
    try:
        old, new = os.stat(path), os.fstat(descriptor)  # noqa: PTH116 - a path is a str
    except OSError:
        return True  # there is none
    for uid, gid in ((old.st_uid, old.st_gid), (-1, old.st_gid)):
        if (new.st_uid, new.st_gid) == (old.st_uid, old.st_gid):
            return True
        try:
            os.fchown(descriptor, uid, gid)
        except OSError:  # only a privileged process may give files away
            continue
        return uid != -1
    return False


def _fill(
    file: IO[bytes], opened: Callable[..., Any] | None, write: Callable[[Any], Any]
) -> None:
    """Let `write` fill an open file, compressed if its name says so."""
    if opened is None:
        write(file)
    else:
        with opened(file, "wb") as compressed:
            write(compressed)


class _NewFile:
    """A new file beside a path, with the usual permissions and a hidden name."""

    # With slots, and its name as bytes, a file is noted and removed without memory.
    __slots__ = ("_encoded", "_is_made", "path", "target")

    def __init__(self, target: str) -> None:
        """Know the path; there is no file yet."""
        self.target = self.path = target
        self._is_made = False

    def open(self, _path: str, _flags: int) -> int:
        """Make the file and return its descriptor: an opener of `open`."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        number = 0
        while True:
            self._choose(number)
            try:
                handle = os.open(self.path, flags, 0o666)
            except FileExistsError:
                # Another thread is writing beside the same path.
                number += 1
            else:
                self._is_made = True
                return handle

    def _choose(self, number: int) -> None:
        """Choose a name."""
        folder, name = os.path.split(self.target)
        hidden = f".{name[:_NAME_SHOWN]}.{os.getpid()}-{number}.part"
        self.path = os.path.join(folder, hidden)  # noqa: PTH118
        self._encoded = os.fsencode(self.path)

    def remove(self) -> None:
        """Remove the file if there is one."""
        if self._is_made:
            # The first error is the one to see, also where this one fails.
            try:  # noqa: SIM105 - `contextlib` would need memory
                os.unlink(self._encoded)  # noqa: PTH108
            except OSError:
                pass

    def rename(self, error: OSError, path: str) -> None:
        """Let an error name the path that the user knows in place of this file."""
        error.filename = path
        if error.filename2 is not None:
            del error.filename2
        if isinstance(error, PermissionError) and not self._is_made:
            error.add_note("a new file is made in its folder, which must be writable")


def name_file(error: Exception, where: str, file: object) -> None:
    """Add a note with the name of a path or an open file, if it has one."""
    if not isinstance(file, (str, os.PathLike)):
        try:
            file = getattr(file, "name", None)  # a descriptor has a number
        except Exception:  # noqa: BLE001 - of a detached file; `error` counts
            return
    if isinstance(file, (str, bytes, os.PathLike)):
        error.add_note(f"{where} {os.fsdecode(file)}")
