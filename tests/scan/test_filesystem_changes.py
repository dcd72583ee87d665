"""`scan(filesystem=…)`: files that change between planning and reading are errors.

Separate from test_filesystem.py, whose files stay as they are.
"""

from __future__ import annotations

import errno
import gzip
import io
import pickle
import types
from typing import Any, TypedDict

import pytest

import snooze
from helpers.arrow_rows import rows

TEXT = b"".join(b'{"a":%d,"b":"%s"}\n' % (at, b"x" * (at % 60)) for at in range(2000))


class Row(TypedDict):
    """The columns of the files here."""

    a: int
    b: str


class Store:
    """As obstore. Its descriptions say when a file was changed, and more."""

    def __init__(self, **files: bytes) -> None:
        self.files = files
        self.more: dict[str, Any] = {"last_modified": 1, "atime": 1}

    def head(self, path: str) -> Any:
        return {"size": len(self.files[path]), **self.more}

    def get_range(self, path: str, *, start: int, end: int) -> Any:
        return self.files[path][start:end]


class Files:
    """As fsspec, without times."""

    def __init__(self, **files: bytes) -> None:
        self.store = Store(**files)

    def info(self, path: str) -> Any:
        return {"size": len(self.store.files[path]), "type": "file"}

    def cat_file(self, path: str, start: int, end: int) -> Any:
        return self.store.get_range(path, start=start, end=end)


class Input(io.BytesIO):
    """As a file of pyarrow."""

    def size(self) -> int:
        return len(self.getbuffer())

    def read_at(self, count: int, offset: int) -> bytes:
        return bytes(self.getbuffer()[offset : offset + count])


class Arrow:
    """As pyarrow.fs, without times."""

    def __init__(self, **files: bytes) -> None:
        self.store = Store(**files)

    def open_input_file(self, path: str) -> Input:
        return Input(self.store.files[path])


class Plain:
    """An object with `open` only."""

    def __init__(self, **files: bytes) -> None:
        self.store = Store(**files)

    def open(self, path: str, mode: str) -> Any:
        return io.BytesIO(self.store.files[path])


class Inputs(Arrow):
    """As pyarrow.fs, with times."""

    time = 1

    def get_file_info(self, paths: list[str]) -> Any:
        sizes = [len(self.store.files[path]) for path in paths]
        return [types.SimpleNamespace(size=n, mtime_ns=self.time) for n in sizes]


@pytest.mark.parametrize("name", ["a", "a.gz"])
def test_a_file_that_changes_after_planning_is_an_error(name: str) -> None:
    raw = gzip.compress(TEXT) if name.endswith("gz") else TEXT
    store = Store()
    store.files = {name: raw}
    scan = snooze.scan(name, Row, filesystem=store)
    part = snooze.scan(name, Row, filesystem=store).splits()[0]
    copied = pickle.loads(pickle.dumps(part))
    store.more["atime"] = 2
    assert rows(part) == rows(scan.head(9999)) == rows(snooze.scan(TEXT, Row))
    store.more["last_modified"] = 2
    copied._options["filesystem"] = store
    for changed in (scan.where("a < 3"), part, copied):
        with pytest.raises(
            OSError, match=f"{name}: the file was changed after"
        ) as info:
            rows(changed)
        assert info.value.errno == errno.EIO
        assert "last_modified was 1 and is 2" in str(info.value)
    # A version of the contents counts more than a time.
    store.more = {"e_tag": "x", "last_modified": 1, "version": None}
    scan = snooze.scan(name, Row, filesystem=store)
    store.more["last_modified"] = 2
    assert len(rows(scan.head(5))) == 5
    store.more["e_tag"] = "y"
    with pytest.raises(OSError, match="its e_tag was 'x' and is 'y'"):
        rows(scan.head(5))


@pytest.mark.parametrize("kind", [Store, Files, Arrow, Plain, Inputs])
def test_a_file_that_grows_is_an_error(kind: Any) -> None:
    filesystem = kind(a=TEXT)
    store = getattr(filesystem, "store", filesystem)
    scan = snooze.scan("a", Row, filesystem=filesystem)
    store.files["a"] = TEXT + b'{"a":1,"b":""}\n'
    with pytest.raises(OSError, match=r"a: the file was changed .* its size was \d+"):
        rows(scan)


def test_a_time_of_pyarrow_is_pinned() -> None:
    filesystem = Inputs(a=TEXT)
    scan = snooze.scan("a", Row, filesystem=filesystem)
    filesystem.time = 2
    with pytest.raises(OSError, match="its mtime was 1 and is 2"):
        rows(scan)


def test_what_a_file_system_remembers_is_asked_again() -> None:
    class Remembering(Files):
        kept: dict[str, Any] = {}

        def info(self, path: str) -> Any:
            return self.kept.setdefault(path, super().info(path))

        def invalidate_cache(self, path: str) -> None:
            self.kept.pop(path)

    filesystem = Remembering(a=TEXT)
    scan = snooze.scan("a", Row, filesystem=filesystem)
    filesystem.store.files["a"] = TEXT + b"\n"
    with pytest.raises(OSError, match="a: the file was changed"):
        rows(scan)


def test_parts_take_only_their_own_pins_along() -> None:
    filesystem = Store(**{f"f{at}": TEXT for at in range(50)})
    parts = snooze.scan(sorted(filesystem.files), Row, filesystem=filesystem).splits()
    assert all(len(part._options["pins"]) == 1 for part in parts)
