"""Compressed files that are damaged: one error, whichever way a file is read.

Separate from `test_gzip`, because a file is also read by Python's decompressors: with an
inferred schema, or in zstd. Both ways must say the same.
"""

from __future__ import annotations

import errno
import gzip
import importlib.util
import re
from typing import Any, TypedDict

import pytest

import snooze
from helpers.arrow_rows import StreamError, rows

HAS_ZSTD = importlib.util.find_spec("_zstd") is not None
SUFFIXES = [
    ".gz",
    pytest.param(
        ".zst",
        marks=pytest.mark.skipif(not HAS_ZSTD, reason="no zstd (from Python 3.14 on)"),
    ),
]


class Row(TypedDict):
    """The columns of the files here."""

    a: int


TEXT = b"".join(b'{"a":%d}\n' % (at * at) for at in range(9000))
EXPECTED = [{"a": at * at} for at in range(9000)]
EARLY = "the compressed file ends too early"
OTHER = "not a gzip file, or other bytes follow its end"
CHECKSUM = "the decompressed data does not match its checksum or length"
DAMAGED = "the compressed data is damaged"
BREAKS: dict[str, tuple[Any, str, str]] = {
    # What is done to a file, and what is wrong with it in gzip and in zstd.
    "cut in the trailer": (lambda file: file[:-3], EARLY, EARLY),
    "cut in the data": (lambda file: file[: len(file) // 2], EARLY, EARLY),
    "cut in the header": (lambda file: file[:5], EARLY, EARLY),
    "other bytes after it": (lambda file: file + b"more", OTHER, DAMAGED),
    "not compressed": (lambda file: TEXT, OTHER, DAMAGED),
    "changed bytes": (
        lambda file: file[:300] + b"\xff" * 300 + file[600:],
        DAMAGED,
        DAMAGED,
    ),
    "a second member cut short": (lambda file: file + file[:-9], EARLY, EARLY),
}


def compressed(suffix: str, text: bytes) -> bytes:
    if suffix == ".gz":
        return gzip.compress(text)
    from compression import zstd  # type: ignore[import-not-found]

    options = {zstd.CompressionParameter.checksum_flag: 1}
    result: bytes = zstd.compress(text, options=options)
    return result


@pytest.mark.parametrize("schema", [Row, None], ids=["known", "inferred"])
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("name", BREAKS)
def test_damage_is_one_error(tmp_path, suffix, name, threads, schema) -> None:
    change, in_gzip, in_zstd = BREAKS[name]
    path = tmp_path / f"a.ndjson{suffix}"
    path.write_bytes(change(compressed(suffix, TEXT)))
    scan = snooze.scan(path, schema, threads=threads, batch_bytes=9999)
    reason = in_gzip if suffix == ".gz" else in_zstd
    for _ in range(2):
        with pytest.raises(OSError, match=re.escape(f"{path}: {reason}")) as caught:
            list(scan)
        assert caught.value.errno == errno.EIO


@pytest.mark.parametrize("threads", [1, 2])
def test_a_wrong_checksum(tmp_path, threads) -> None:
    path = tmp_path / "a.ndjson.gz"
    file = gzip.compress(TEXT)
    for broken in (file[:-5] + b"\xff" + file[-4:], file[:-1] + b"\xff"):
        path.write_bytes(broken)
        for schema in (Row, None):
            with pytest.raises(OSError, match=CHECKSUM):
                list(snooze.scan(path, schema, threads=threads))


@pytest.mark.parametrize("drift", ["error", "rest"])
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_sample_of_a_damaged_file(tmp_path, suffix, drift) -> None:
    path = tmp_path / f"a.ndjson{suffix}"
    path.write_bytes(compressed(suffix, TEXT)[:-20])
    with pytest.raises(OSError, match=EARLY):
        list(snooze.scan(path, drift=drift))


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_another_library_is_told_so(tmp_path, suffix) -> None:
    path = tmp_path / f"a.ndjson{suffix}"
    path.write_bytes(compressed(suffix, TEXT)[:-20])
    with pytest.raises((StreamError, OSError), match=EARLY):
        rows(snooze.scan(path, Row))


@pytest.mark.parametrize("schema", [Row, None], ids=["known", "inferred"])
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_whole_files(tmp_path, suffix, threads, schema) -> None:
    path = tmp_path / f"a.ndjson{suffix}"
    options: dict[str, Any] = {"threads": threads, "batch_bytes": 9999}
    third = len(TEXT) // 3
    parts = [TEXT[:third], b"", TEXT[third : 2 * third], TEXT[2 * third :]]
    path.write_bytes(b"".join(compressed(suffix, part) for part in parts))
    assert rows(snooze.scan(path, schema, **options)) == EXPECTED
    path.write_bytes(compressed(suffix, b""))
    assert rows(snooze.scan(path, schema, **options)) == []
    if suffix == ".gz":
        # A file of no bytes has no members; zstd demands a frame.
        path.write_bytes(b"")
        assert rows(snooze.scan(path, schema, **options)) == []
        path.write_bytes(compressed(suffix, TEXT) + bytes(600))
        assert rows(snooze.scan(path, schema, **options)) == EXPECTED


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_missing_file_and_a_folder_are_what_they_are(tmp_path, suffix) -> None:
    with pytest.raises(FileNotFoundError):
        list(snooze.scan(tmp_path / f"none{suffix}"))
    folder = tmp_path / f"folder{suffix}"
    folder.mkdir()
    with pytest.raises(IsADirectoryError):
        list(snooze.scan(folder))


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("name", ["cut in the data", "not compressed", "changed bytes"])
def test_load_says_the_same(tmp_path, suffix, name) -> None:
    change, in_gzip, in_zstd = BREAKS[name]
    path = tmp_path / f"a.json{suffix}"
    path.write_bytes(change(compressed(suffix, TEXT)))
    reason = in_gzip if suffix == ".gz" else in_zstd
    with pytest.raises(OSError, match=reason) as caught:
        snooze.load(path)
    assert str(path) in str(caught.value)
