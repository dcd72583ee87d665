"""Names of sources that are not UTF-8."""

from __future__ import annotations

import gzip
import os
import pickle
import sys

import pytest

import snooze

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="names of files are any bytes"
)
TEXT = b'{"a":1}\n{"a":2}\n'


@pytest.fixture(params=[".ndjson", ".ndjson.gz"])
def path(request, tmp_path):
    """A file with one byte in its name that is not UTF-8."""
    path = tmp_path / os.fsdecode(b"caf\xe9" + request.param.encode())
    path.write_bytes(TEXT if request.param == ".ndjson" else gzip.compress(TEXT))
    return path


def test_a_path(path, tmp_path):
    """With and without a schema, as a pattern, in parts and pickled."""
    schema = snooze.scan(TEXT)
    for scan in (
        snooze.scan(path),
        snooze.scan(path, schema),
        snooze.scan(f"{tmp_path}/*.ndjson*"),
        snooze.scan(path, drift="error"),
        pickle.loads(pickle.dumps(snooze.scan(path))),
    ):
        assert scan.columns == {"a": "int64"}
        assert sum(map(len, scan)) == 2
        assert sum(len(batch) for part in scan.splits(8) for batch in part) == 2


def test_an_open_file(path):
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rb") as file:
        assert sum(map(len, snooze.scan(file))) == 2


def test_a_wrong_record(path):
    """The message escapes the name; the problem has it as it is."""
    text = TEXT + b'{"a":\n'
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
    with pytest.raises(snooze.ScanError, match=r"caf\\udce9\.ndjson") as caught:
        list(snooze.scan(path))
    assert caught.value.problem is not None
    assert caught.value.problem.source == str(path)
    scan = snooze.scan(path, errors="skip")
    assert sum(map(len, scan)) == 2
    assert scan.problems[0].source == str(path)
