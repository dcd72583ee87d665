"""`snooze.scan(filesystem=…)` with the real file systems: fsspec, pyarrow.fs, obstore.

Separate from tests/scan/test_filesystem.py, whose objects are made by hand. Each
library is skipped where it is not installed; `make test-engines` installs them.
"""

from __future__ import annotations

import gzip
import json
import pickle
from typing import Any

import pytest

import snooze

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed: NOT tested")

RECORDS = [{"a": at, "b": "é" * (at % 50)} for at in range(5000)]
LINES = "".join(json.dumps(one) + "\n" for one in RECORDS).encode()
KINDS = ["fsspec memory", "fsspec local", "pyarrow", "obstore memory", "obstore local"]


@pytest.fixture(params=KINDS)
def placed(request: Any, tmp_path: Any) -> Any:
    """A file system, and the folder in it that has the files."""
    files = {"a.ndjson": LINES, "b.ndjson.gz": gzip.compress(LINES)}
    package, _, where = request.param.partition(" ")
    module = pytest.importorskip(package, reason=f"{package}: NOT tested")
    if where == "memory":
        folder = "snooze"
        if package == "fsspec":
            made = module.filesystem("memory")
            for name, text in files.items():
                made.pipe_file(f"/{folder}/{name}", text)
            folder = f"/{folder}"
        else:
            made = module.store.MemoryStore()
            for name, text in files.items():
                made.put(f"{folder}/{name}", text)
        return made, folder
    for name, text in files.items():
        (tmp_path / name).write_bytes(text)
    if package == "fsspec":
        return module.filesystem("file"), str(tmp_path)
    if package == "obstore":
        return module.store.LocalStore("/"), str(tmp_path).lstrip("/")
    from pyarrow import fs

    return fs.LocalFileSystem(), str(tmp_path)


@pytest.mark.parametrize("name", ["a.ndjson", "b.ndjson.gz"])
@pytest.mark.parametrize("drift", ["widen", "error"])
def test_rows(placed: Any, name: str, drift: Any) -> None:
    filesystem, folder = placed
    scan = snooze.scan(f"{folder}/{name}", drift=drift, filesystem=filesystem)
    found = pa.table(scan)
    found.validate(full=True)
    assert found.to_pylist() == RECORDS
    assert pa.table(scan.where("a < 3").select(["a"])).num_rows == 3


def test_parts(placed: Any) -> None:
    filesystem, folder = placed
    names = [f"{folder}/a.ndjson", f"{folder}/b.ndjson.gz"]
    parts = snooze.scan(names, filesystem=filesystem).splits(20_000)
    assert len(parts) > 10
    tables = [pa.table(part) for part in parts]
    assert pa.concat_tables(tables).to_pylist() == RECORDS * 2


def test_parts_are_pickled(placed: Any) -> None:
    filesystem, folder = placed
    try:
        pickle.dumps(filesystem)
    except (TypeError, ValueError) as error:
        pytest.skip(f"{type(filesystem).__name__} cannot be pickled: {error}")
    scan = snooze.scan(f"{folder}/a.ndjson", filesystem=filesystem)
    parts = pickle.loads(pickle.dumps(scan.splits(50_000)))
    found = pa.concat_tables([pa.table(part) for part in parts])
    assert found.to_pylist() == RECORDS


def test_missing(placed: Any) -> None:
    filesystem, folder = placed
    with pytest.raises(FileNotFoundError):
        snooze.scan(f"{folder}/none", filesystem=filesystem)


def test_patterns_of_fsspec(tmp_path: Any) -> None:
    fsspec = pytest.importorskip("fsspec", reason="fsspec: NOT tested")
    for at in range(3):
        (tmp_path / f"{at}.ndjson").write_bytes(LINES)
    local = fsspec.filesystem("file")
    scan = snooze.scan(f"{tmp_path}/*.ndjson", filesystem=local)
    assert pa.table(scan).to_pylist() == RECORDS * 3
    with pytest.raises(IsADirectoryError, match="is a folder"):
        snooze.scan(str(tmp_path), filesystem=local)


def test_dask() -> None:
    pytest.importorskip("dask.dataframe", reason="dask: NOT tested")
    fsspec = pytest.importorskip("fsspec", reason="fsspec: NOT tested")
    from snooze.adapters.dask import dataframe

    memory = fsspec.filesystem("memory")
    memory.pipe_file("/dask/a.ndjson", LINES)
    scan = snooze.scan("/dask/*.ndjson", drift="error", filesystem=memory)
    frame = dataframe(scan, part_bytes=40_000)
    assert frame.npartitions > 3
    found = frame[["a"]].compute(scheduler="threads")
    assert list(found["a"]) == [one["a"] for one in RECORDS]


def test_the_cache_of_datasets_knows_when_a_file_changes(tmp_path: Any) -> None:
    pytest.importorskip("datasets", reason="datasets: NOT tested")
    fsspec = pytest.importorskip("fsspec", reason="fsspec: NOT tested")
    from snooze.adapters.datasets import dataset

    memory = fsspec.filesystem("memory")
    for count in (5, 7):
        memory.pipe_file("/datasets/a.ndjson", b'{"a":1}\n' * count)
        scan = snooze.scan("/datasets/a.ndjson", filesystem=memory)
        assert dataset(scan, cache_dir=tmp_path).num_rows == count
