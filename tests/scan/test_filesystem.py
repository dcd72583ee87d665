"""`scan(filesystem=…)`: files of objects that read ranges, right ones and hostile ones.

Separate from test_scan.py, whose files are on the disk. The objects here have the
methods of obstore, fsspec, pyarrow.fs and plain `open`; tests/engines has the real
ones.
"""

from __future__ import annotations

import fnmatch
import gc
import gzip
import io
import pickle
import random
import tempfile
import threading
import zipfile
from typing import Any, TypedDict

import pytest

import snooze
from helpers.arrow_rows import rows
from snooze._scan import filesystems

TEXT = b"".join(
    b'{"a":%d,"b":"%s"}\n' % (at, b"x" * random.Random(at).randrange(60))
    for at in range(2000)
)


class Row(TypedDict):
    """The columns of the files here."""

    a: int
    b: str


class Store:
    """As obstore: `head` and `get_range`. Counts what is read."""

    def __init__(self, **files: bytes) -> None:
        self.files = {name.replace("_", "."): text for name, text in files.items()}
        self.asked: list[tuple[str, int, int]] = []

    def head(self, path: str) -> Any:
        if path not in self.files:
            raise FileNotFoundError(path)
        return {"path": path, "size": len(self.files[path])}

    def get_range(self, path: str, *, start: int, end: int) -> Any:
        self.asked.append((path, start, end))
        return self.files[path][start:end]


class Files:
    """As fsspec: `info`, `cat_file` and `glob`."""

    def __init__(self, **files: bytes) -> None:
        self.store = Store(**files)

    def info(self, path: str) -> Any:
        return {**self.store.head(path), "type": "file"}

    def cat_file(self, path: str, start: int, end: int) -> Any:
        return self.store.get_range(path, start=start, end=end)

    def glob(self, pattern: str) -> list[str]:
        return fnmatch.filter(self.store.files, pattern)

    def open(self, path: str, mode: str) -> Any:
        raise AssertionError("ranges are read")


class Input(io.BytesIO):
    """As a file of pyarrow."""

    def size(self) -> int:
        return len(self.getbuffer())

    def read_at(self, count: int, offset: int) -> bytes:
        return bytes(self.getbuffer()[offset : offset + count])


class Arrow:
    """As pyarrow.fs: `open_input_file`."""

    def __init__(self, **files: bytes) -> None:
        self.store = Store(**files)

    def open_input_file(self, path: str) -> Input:
        self.store.head(path)
        return Input(self.store.files[path])


class Slow(io.BytesIO):
    """A file that returns at most seven bytes at once."""

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(7 if size is None or size < 0 else min(size, 7))


class Plain:
    """An object with `open` only, whose files read little at once."""

    def __init__(self, **files: bytes) -> None:
        self.store = Store(**files)

    def open(self, path: str, mode: str) -> Any:
        assert mode == "rb"
        self.store.head(path)
        return Slow(self.store.files[path])


KINDS = [Store, Files, Arrow, Plain]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("schema", [Row, None], ids=["known", "inferred"])
@pytest.mark.parametrize("threads", [1, 2])
def test_the_rows_are_those_of_the_text(kind, schema, threads) -> None:
    filesystem = kind(a_ndjson=TEXT, b_gz=gzip.compress(TEXT), c="\ufeff".encode())
    options: dict[str, Any] = {"threads": threads, "batch_bytes": 9999}
    names = ["a.ndjson", "b.gz", "c"]
    scan = snooze.scan(names, schema, filesystem=filesystem, **options)
    expected = rows(snooze.scan(TEXT, Row))
    assert rows(scan) == expected * 2
    assert rows(scan.where("a < 7").select(["b"])) == [
        {"b": row["b"]} for row in expected[:7] * 2
    ]
    assert scan.progress.done == scan.progress.total


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [1000, 77_777])
def test_parts_are_the_whole(kind, size) -> None:
    filesystem = kind(a=TEXT[:-1], b=b"", c=TEXT)
    scan = snooze.scan(["a", "b", "c"], Row, filesystem=filesystem)
    parts = scan.splits(size)
    assert len(parts) >= 2 * (len(TEXT) // size)
    found = [row for part in parts for row in rows(part)]
    assert found == rows(snooze.scan(TEXT, Row)) * 2
    assert all(part._once.copied is None for part in parts)


def test_every_cut() -> None:
    text = (
        b'\xef\xbb\xbf{"a":1}\r\n\n{"a":2}\n{"a":3,"z":"' + b"y" * 50 + b'"}\n{"a":4}'
    )
    scan = snooze.scan("a", drift="error", filesystem=Store(a=text))
    for size in range(1, len(text) + 2):
        found = [row["a"] for part in scan.splits(size) for row in rows(part)]
        assert found == [1, 2, 3, 4], size


def test_a_part_reads_its_range_and_the_end_of_its_line() -> None:
    store = Store(a=TEXT)
    scan = snooze.scan("a", Row, filesystem=store)
    part = pickle.loads(pickle.dumps(scan.splits(20_000)[1]))
    store = part._options["filesystem"]
    store.asked.clear()
    assert rows(part)
    first, *more = store.asked
    assert first == ("a", 19_999, 40_000)
    assert len(more) <= 1
    assert all(end - start <= filesystems.AFTER for _, start, end in more)


def test_a_sample_reads_a_little(monkeypatch) -> None:
    text = b'{"a":1}\n' * 2_000_000
    for kind in (Store, Files):
        filesystem = kind(a=text, b=text)
        scan = snooze.scan(["a", "b"], drift="error", filesystem=filesystem)
        assert scan.columns == {"a": "int64"}
        store = getattr(filesystem, "store", filesystem)
        read = sum(end - start for _, start, end in store.asked)
        assert read <= (4 << 20) + filesystems.AFTER


@pytest.mark.parametrize("kind", KINDS)
def test_a_sample_of_a_compressed_file_reads_a_little(kind, monkeypatch) -> None:
    numbers = random.Random(1)
    text = b"".join(b'{"a":%d}\n' % numbers.getrandbits(60) for _ in range(50_000))
    monkeypatch.setattr(filesystems, "STEP", 20_000)
    monkeypatch.setattr("snooze._scan.streams.SAMPLE", 10_000)
    monkeypatch.setattr("snooze._scan.sources.CHUNK", 1000)
    filesystem = kind(a_gz=gzip.compress(text), b_gz=gzip.compress(b"[]"))
    store = getattr(filesystem, "store", filesystem)
    scan = snooze.scan(["a.gz", "b.gz"], drift="error", filesystem=filesystem)
    assert scan.columns == {"a": "int64"}
    read = sum(end - start for _, start, end in store.asked)
    # Python's gzip reads 128 KiB at once.
    assert read <= (128 << 10) + 20_000 * (filesystems.AHEAD + 2)
    assert len(store.files["a.gz"]) > 400_000
    scan = snooze.scan("a.gz", drift="error", filesystem=filesystem)
    assert sum(map(len, scan)) == 50_000


@pytest.mark.parametrize("ending", [b"", b"\n", b"\n\n"])
def test_a_sample_of_a_compressed_file_ends_with_a_line(ending, monkeypatch) -> None:
    text = b'{"a":1}\n{"a":2,"b":"' + b"x" * 50 + b'"}\n{"c":3}' + ending
    store = Store(a_gz=gzip.compress(text))
    for chunk in (3, 1000):
        monkeypatch.setattr("snooze._scan.sources.CHUNK", chunk)
        for size in range(1, len(text) + 2):
            monkeypatch.setattr("snooze._scan.streams.SAMPLE", size)
            scan = snooze.scan("a.gz", drift="rest", filesystem=store)
            # A record belongs to the sample in which its first byte is.
            count = 1 if size <= 8 else 2 if size <= text.index(b'{"c"') else 3
            assert list(scan.columns) == [*"abc"[:count], "_rest"], (chunk, size)


def test_requests_are_ahead_but_few(monkeypatch) -> None:
    monkeypatch.setattr(filesystems, "STEP", 5000)
    inside, most, lock = 0, 0, threading.Lock()
    ready = threading.Event()

    class Counted(Store):
        def get_range(self, path: str, *, start: int, end: int) -> Any:
            nonlocal inside, most
            with lock:
                inside += 1
                most = max(most, inside)
                if inside > 1:
                    ready.set()
            ready.wait(10)
            found = super().get_range(path, start=start, end=end)
            with lock:
                inside -= 1
            return found

    store = Counted(a=TEXT)
    assert rows(snooze.scan("a", Row, filesystem=store)) == rows(snooze.scan(TEXT, Row))
    assert 2 <= most <= filesystems.AHEAD
    assert sorted(store.asked) == [
        ("a", at, min(at + 5000, len(TEXT))) for at in range(0, len(TEXT), 5000)
    ]


def test_large_files_go_to_a_temporary_file(monkeypatch) -> None:
    from snooze._scan import sources

    monkeypatch.setattr(sources, "MAX_IN_MEMORY", 10_000)
    scan = snooze.scan("a", Row, filesystem=Store(a=TEXT))
    assert rows(scan) == rows(snooze.scan(TEXT, Row))
    assert [row for part in scan.splits(30_000) for row in rows(part)] == rows(scan)


@pytest.fixture
def opened(monkeypatch) -> list[Any]:
    """The temporary files of the test."""
    found: list[Any] = []
    temporary = tempfile.TemporaryFile

    def counted(**options: Any) -> Any:
        found.append(temporary(**options))
        return found[-1]

    monkeypatch.setattr(tempfile, "TemporaryFile", counted)
    return found


def test_copies_of_many_files_share_memory_and_one_file(monkeypatch, opened) -> None:
    from snooze._scan import sources

    monkeypatch.setattr(sources, "MAX_IN_MEMORY", 3 * len(TEXT) // 2)
    files = Store(a=TEXT, b=TEXT, c_gz=gzip.compress(TEXT), d=b"", e=b'{"a":1,"b":"x"}')
    scan = snooze.scan(["a", "b", "c.gz", "d", "e"], filesystem=files)
    expected = rows(snooze.scan(TEXT)) * 3 + [{"a": 1, "b": "x"}]
    assert rows(scan) == expected
    assert rows(scan) == expected
    kept = [copy for _, _, (_, copy) in scan._once.copied.sources]
    assert sum(len(one) for one in kept if isinstance(one, bytes)) < 2 * len(TEXT)
    assert len(opened) == 1
    del scan, kept
    assert opened[0].closed


def test_a_failure_closes_the_file_of_the_copies(monkeypatch, opened) -> None:
    from snooze._scan import sources

    monkeypatch.setattr(sources, "MAX_IN_MEMORY", 10_000)
    store = Store(a=TEXT, b=TEXT)
    scan = snooze.scan(["a", "b"], filesystem=store)
    del store.files["b"]
    with pytest.raises(KeyError):
        list(scan)
    gc.collect()
    assert [one.closed for one in opened] == [True]


def test_problems_have_their_place_in_the_file() -> None:
    text = TEXT[:50_000].rpartition(b"\n")[0] + b"\n[]\n" + TEXT
    at = text.index(b"[]")
    filesystem = Store(a=text)
    for part in snooze.scan("a", Row, filesystem=filesystem).splits(at - 5):
        try:
            rows(part)
        except Exception as error:
            assert f"a, byte {at}: expected object, found array" in str(error)
            break
    else:
        raise AssertionError("no part found the problem")
    scan = snooze.scan("a", Row, filesystem=filesystem, errors="skip")
    found = [problem for part in scan.splits(at - 5) for problem in listed(part)]
    assert [(one.source, one.offset) for one in found] == [("a", at)]


def listed(part: snooze.Scan) -> list[snooze.ScanProblem]:
    list(part)
    return part.problems


def test_patterns() -> None:
    files = Files(a_ndjson=b'{"a":1}', b_ndjson=b'{"a":2}', c_txt=b"x")
    assert rows(snooze.scan("*.ndjson", filesystem=files)) == [{"a": 1}, {"a": 2}]
    with pytest.raises(FileNotFoundError, match=r"no file matches '\*\.nope'"):
        snooze.scan("*.nope", filesystem=files)
    with pytest.raises(ValueError, match="Store has no such file, and no patterns"):
        snooze.scan("*.ndjson", filesystem=Store())
    files.glob = lambda _: "a.ndjson"  # type: ignore[method-assign, assignment, return-value]
    with pytest.raises(TypeError, match=r"expected a list of paths .* found 'a\.nd"):
        snooze.scan("*.ndjson", filesystem=files)


def test_patterns_mean_no_folders() -> None:
    """The `glob` of fsspec returns them, too."""
    files = Files(a=b'{"a":1}', sub=b"", sub2=b"")
    folders = {"sub", "sub2"}
    info = files.info
    files.info = lambda path: {  # type: ignore[method-assign]
        **info(path),
        "type": "directory" if path in folders else "file",
    }
    assert rows(snooze.scan("*", filesystem=files)) == [{"a": 1}]
    with pytest.raises(FileNotFoundError, match=r"no file matches 'sub\*'"):
        snooze.scan(["a", "sub*"], filesystem=files)
    with pytest.raises(IsADirectoryError, match="sub is a folder"):
        snooze.scan(["*", "sub"], filesystem=files)


@pytest.mark.parametrize("kind", KINDS)
def test_names_with_the_signs_of_patterns(kind) -> None:
    filesystem = kind()
    store = getattr(filesystem, "store", filesystem)
    if kind is Files:
        filesystem.exists = lambda path: path in store.files
    for name in ("a[1].ndjson", "*", "what?", "é b#%.ndjson", ""):
        store.files[name] = b'{"a":1}'
        scan = snooze.scan(name, filesystem=filesystem)
        assert scan.ranges == ((name, 0, 7),)
        assert rows(scan) == [{"a": 1}]


def test_an_archive_has_no_patterns(tmp_path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("a[1]", b'{"a":1}')
        assert rows(snooze.scan("a[1]", filesystem=archive)) == [{"a": 1}]
        with pytest.raises(ValueError, match="ZipFile has no such file, and no patt"):
            snooze.scan("a*", filesystem=archive)


def test_archives_are_file_systems(tmp_path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("logs/a.ndjson", TEXT)
        archive.writestr("logs/b.ndjson.gz", gzip.compress(TEXT))
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        for name in archive.namelist():
            scan = snooze.scan(name, Row, filesystem=archive)
            assert rows(scan) == rows(snooze.scan(TEXT, Row))


@pytest.mark.parametrize("path", ["s3://bucket/a.ndjson", "gs://b/*.gz"])
def test_an_address_needs_a_file_system(path) -> None:
    with pytest.raises(FileNotFoundError, match="as filesystem="):
        snooze.scan(path)


@pytest.mark.parametrize("kind", KINDS)
def test_missing_files_are_errors_of_the_call(kind) -> None:
    with pytest.raises(FileNotFoundError):
        snooze.scan("none", filesystem=kind())


def test_a_folder_is_named() -> None:
    files = Files(a=b"")
    files.info = lambda _: {"size": 0, "type": "directory"}  # type: ignore[method-assign]
    with pytest.raises(IsADirectoryError, match="a is a folder"):
        snooze.scan("a", filesystem=files)


def test_wrong_arguments() -> None:
    with pytest.raises(TypeError, match=r"filesystem: expected an object .* found int"):
        snooze.scan("a", filesystem=7)
    with pytest.raises(TypeError, match="filesystem: expected a path .* found bytes"):
        snooze.scan(b"{}", filesystem=Store())


#: What a store answers for a range, and what the error says.
ANSWERS: dict[str, tuple[Any, type[Exception], str]] = {
    "too little": (lambda text: text[:-1], OSError, "a: bytes 0 to 9 were asked for"),
    "nothing": (lambda text: b"", OSError, "and 0 bytes came"),
    "too much": (lambda text: text + b"x", OSError, "and 10 bytes came"),
    "text": (lambda text: text.decode(), TypeError, "contiguous bytes .* found str"),
    "None": (lambda text: None, TypeError, "contiguous bytes .* found NoneType"),
    "a list": (list, TypeError, "contiguous bytes .* found list"),
    "holes": (
        lambda text: memoryview(text * 2)[::2],
        TypeError,
        "contiguous bytes .* found memoryview",
    ),
}


@pytest.mark.parametrize("case", ANSWERS)
@pytest.mark.parametrize("kind", [Store, Files, Arrow])
def test_wrong_answers(case, kind, monkeypatch) -> None:
    change, error, message = ANSWERS[case]
    if kind is Arrow:
        right = Input.read_at
        monkeypatch.setattr(Input, "read_at", lambda *all: change(right(*all)))
    else:
        read = Store.get_range
        monkeypatch.setattr(
            Store, "get_range", lambda *all, **named: change(read(*all, **named))
        )
    for drift in ("widen", "error"):
        scan = snooze.scan("a", drift=drift, filesystem=kind(a=b'{"a": 1}\n'))
        with pytest.raises(error, match=message):
            list(scan)


@pytest.mark.parametrize("kind", [Store, Files, Arrow])
def test_bytes_of_any_kind_are_bytes(kind, monkeypatch) -> None:
    import array

    read = Store.get_range
    for make in (bytearray, memoryview, lambda text: array.array("b", text)):
        monkeypatch.setattr(
            Store,
            "get_range",
            lambda *all, _make=make, **named: _make(read(*all, **named)),
        )
        assert rows(snooze.scan("a", filesystem=kind(a=b'{"a": 1}'))) == [{"a": 1}]


@pytest.mark.parametrize("size", [None, -1, "9", 9.0, True])
@pytest.mark.parametrize("kind", [Store, Files])
def test_wrong_sizes(size, kind, monkeypatch) -> None:
    monkeypatch.setattr(Store, "head", lambda self, path: {"size": size})
    with pytest.raises(TypeError, match="a: expected the size of the file"):
        snooze.scan("a", filesystem=kind(a=b"{}"))


@pytest.mark.parametrize("size", [3, 40, 2**62])
def test_a_size_that_lies_is_found_out(size, monkeypatch) -> None:
    """Too small: the text is cut where the file is said to end."""
    monkeypatch.setattr(Store, "head", lambda self, path: {"size": size})
    scan = snooze.scan("a", Row, filesystem=Store(a=b'{"a": 1, "b": ""}\n'))
    if size == 3:
        with pytest.raises(snooze.ScanError, match="line 1"):
            list(scan)
    else:
        with pytest.raises(OSError, match="were asked for, and 18 bytes came"):
            list(scan)


def test_a_file_system_that_raises() -> None:
    class BrokenError(Exception):
        """An error of the store."""

    class Broken(Store):
        def get_range(self, path: str, *, start: int, end: int) -> Any:
            if start >= 5000:
                raise BrokenError(f"no bytes from {start} on")
            return super().get_range(path, start=start, end=end)

    scan = snooze.scan("a", Row, filesystem=Broken(a=TEXT))
    first, second, *_ = scan.splits(4000)
    assert rows(first)
    for part in (second, *scan.splits(4000)[2:4]):
        with pytest.raises(BrokenError, match="no bytes from"):
            list(part)


def test_a_file_system_that_raises_ahead(monkeypatch) -> None:
    monkeypatch.setattr(filesystems, "STEP", 1000)

    class Broken(Store):
        def get_range(self, path: str, *, start: int, end: int) -> Any:
            if start >= 9000:
                raise ConnectionError("gone")
            return super().get_range(path, start=start, end=end)

    before = threading.active_count()
    scan = snooze.scan("a", Row, filesystem=Broken(a=TEXT))
    for _ in range(2):
        with pytest.raises(ConnectionError, match="gone"):
            list(scan)
    assert threading.active_count() == before
    broken = Broken(a=TEXT)
    assert len([one for one in broken.asked if one[1] >= 9000]) == 0


@pytest.mark.parametrize("kind", KINDS)
def test_a_damaged_compressed_file(kind) -> None:
    filesystem = kind(a_gz=gzip.compress(TEXT)[:-9])
    with pytest.raises(OSError, match=r"a\.gz: the compressed file ends too early"):
        list(snooze.scan("a.gz", Row, filesystem=filesystem))


def test_files_are_closed() -> None:
    opened: list[Any] = []

    class Watched(Plain):
        def open(self, path: str, mode: str) -> Any:
            opened.append(super().open(path, mode))
            return opened[-1]

    filesystem = Watched(a=TEXT, b_gz=gzip.compress(TEXT))
    list(snooze.scan(["a", "b.gz"], Row, filesystem=filesystem))
    assert len(opened) >= 4
    assert all(one.closed for one in opened)


@pytest.mark.parametrize(
    ("more", "is_known"),
    [
        ({}, False),
        ({"url": "x", "mimetype": None, "StorageClass": "STANDARD"}, False),
        ({"VersionId": None, "mtime": None}, False),
        ({"mtime": 1.5}, True),
        ({"LastModified": "x"}, True),
        ({"e_tag": '"x"'}, True),
        ({"sha": "x"}, True),
    ],
)
def test_a_file_without_a_time_has_no_stamp(more, is_known) -> None:
    """A cache would take another file of the same size for it."""
    store, files = Store(a=TEXT), Files(a=TEXT)
    store.head = lambda path: {"size": 9, **more}  # type: ignore[method-assign]
    files.info = lambda path: {"size": 9, **more}  # type: ignore[method-assign]
    for filesystem in (store, files):
        stamp = filesystems.File(filesystem, "a").stamp()
        assert (stamp is not None) == is_known
    assert filesystems.File(Plain(a=TEXT), "a").stamp() is None
