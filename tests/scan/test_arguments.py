"""Arguments that are no numbers: the message names them, before anything is read."""

from __future__ import annotations

import ctypes
import gzip
import os
import pickle

import pytest

import snooze
from snooze import _snooze


@pytest.mark.parametrize("name", ["threads", "batch_bytes", "limit"])
@pytest.mark.parametrize("value", [1.5, "2", True, [1]])
def test_numbers_of_a_scan(name, value):
    expected = f"^{name}: expected int, found {type(value).__name__}$"
    with pytest.raises(TypeError, match=expected):
        snooze.scan(b'{"a":1}', **{name: value})


class Index:
    """An integer of another package, such as numpy's."""

    def __init__(self, value):
        self.value = value

    def __index__(self):
        return self.value


def test_integers_of_other_packages(tmp_path):
    path = tmp_path / "a.ndjson"
    path.write_text('{"a":1}\n{"a":2}\n')
    numbers = {"threads": Index(2), "batch_bytes": Index(9), "limit": Index(1)}
    assert sum(map(len, snooze.scan(path, **numbers))) == 1
    assert sum(map(len, snooze.scan(path).head(Index(1)))) == 1
    assert len(snooze.scan(path).splits(Index(8))) == 2
    with pytest.raises(ValueError, match="^threads: expected 1 to .*, found 0$"):
        snooze.scan(path, threads=Index(0))


@pytest.mark.parametrize("name", ["threads", "batch_bytes", "limit"])
def test_integers_of_numpy(name):
    numpy = pytest.importorskip("numpy")
    scan = snooze.scan(b'{"a":1}', **{name: numpy.int64(1)})
    assert sum(map(len, scan)) == 1
    with pytest.raises(TypeError, match=f"^{name}: expected int, found bool"):
        snooze.scan(b'{"a":1}', **{name: numpy.bool_(1)})


def test_the_size_of_parts(tmp_path):
    path = tmp_path / "a.ndjson"
    path.write_text('{"a":1}\n')
    scan = snooze.scan(path)
    for size in ("a", 1.5, None, True):
        expected = f"^size: expected int, found {type(size).__name__}$"
        with pytest.raises(TypeError, match=expected):
            scan.splits(size)
    with pytest.raises(ValueError, match="^size: expected at least 1, found 0$"):
        scan.splits(0)


def test_a_column_that_is_named_twice():
    """One of them would have no values."""
    scan = snooze.scan(b'{"a":1,"b":2}')
    for choose in (scan.select, lambda names: snooze.scan(b'{"a":1}', columns=names)):
        with pytest.raises(
            ValueError, match="^columns: expected different names, found 'a' twice$"
        ):
            choose(["a", "a"]).columns  # noqa: B018 - a scan reads nothing before
    assert list(scan.select(["b", "a"]).columns) == ["b", "a"]


def test_no_columns_are_not_none():
    """`columns=None` of a scan means all of them; `select` chooses."""
    scan = snooze.scan(b'{"a":1,"b":2}')
    with pytest.raises(TypeError, match="^columns: expected several names, found None"):
        scan.select(None)
    assert sum(map(len, scan.select([]))) == 1


def test_the_schema_of_a_scan_with_the_rest(tmp_path):
    """It has the column for the rest, and is one for another file."""
    first = snooze.scan(b'{"a":1,"b":2}', snooze.scan(b'{"a":1}'), drift="rest")
    again = snooze.scan(b'{"a":1,"c":5,"_rest":6}', first, drift="rest")
    assert again.columns == first.columns == {"a": "int64", "_rest": "arrow.json"}
    path = tmp_path / "a.ndjson"
    snooze.write_lines(again, path)
    assert path.read_text() == '{"a":1,"_rest":{"/c":5,"/_rest":6}}\n'
    for wrong in (b'{"_rest":1,"a":1}', b'{"_rest":"x"}'):
        with pytest.raises(ValueError, match="there is a member '_rest'"):
            snooze.scan(b"", snooze.scan(wrong), drift="rest")


def test_buffers_of_c():
    """Before Python 3.12 they have no attribute that says so."""
    text = b'{"a":1}'
    for source in (pickle.PickleBuffer(text), (ctypes.c_char * 7)(*text)):
        assert sum(map(len, snooze.scan(source))) == 1
    with pytest.raises(TypeError, match="^source: expected a path .* found object$"):
        snooze.scan(object())


def test_a_column_with_a_lone_surrogate():
    """No member has it, and no UTF-8."""
    expected = r"^columns: no member name has a lone surrogate: 'a\\ud800'$"
    scan = snooze.scan(b'{"a":1}')
    for choose in (scan.select, lambda names: snooze.scan(b'{"a":1}', columns=names)):
        with pytest.raises(ValueError, match=expected) as caught:
            choose(["a", "a\ud800"])
        assert type(caught.value) is ValueError
    text = '{"\N{PILE OF POO}":1}'.encode()
    assert list(snooze.scan(text, columns=["\N{PILE OF POO}"]).columns)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="Linux has /dev/full")  # noqa: PTH110
def test_a_full_disk_has_a_name(tmp_path):
    """An open file does not know its path; the error of a producer is none of it."""
    with pytest.raises(OSError, match="No space left") as caught:
        snooze.write_lines(snooze.scan(b'{"a":1}\n'), "/dev/full")
    assert caught.value.filename == "/dev/full"
    (tmp_path / "cut.gz").write_bytes(gzip.compress(b'{"a":1}\n' * 9000)[:40])
    cut = snooze.scan(tmp_path / "cut.gz", snooze.scan(b'{"a":1}'))
    with pytest.raises(OSError, match="ends too early") as caught:
        snooze.write_lines(cut, tmp_path / "out.ndjson")
    assert caught.value.filename is None


def test_endings_in_capitals(tmp_path):
    """One rule for reading and for writing."""
    path = tmp_path / "A.NDJSON.GZ"
    assert snooze.write_lines(snooze.scan(b'{"a":1}\n{"a":2}'), path) == 2
    assert gzip.decompress(path.read_bytes()) == b'{"a":1}\n{"a":2}\n'
    schema = snooze.scan(b'{"a":1}')
    for scan in (snooze.scan(path), snooze.scan(path, schema)):
        assert sum(map(len, scan)) == 2
        assert len(scan.splits(4)) == 1
    snooze.dump([1], tmp_path / "b.json.Gz")
    assert gzip.decompress((tmp_path / "b.json.Gz").read_bytes()) == b"[1]"
    assert snooze.load(tmp_path / "b.json.Gz") == [1]


def test_a_list_that_changes_after_the_call(tmp_path):
    path = tmp_path / "a.ndjson"
    path.write_text('{"a":1}\n')
    for one, more in ((path, path), (b'{"a":1}\n', b'{"a":2}\n')):
        sources = [one]
        scan = snooze.scan(sources)
        sources.append(more)
        assert sum(map(len, scan)) == 1
        sources.clear()
        assert sum(map(len, scan)) == 1


def test_descriptions_that_no_scan_makes():
    """The extension refuses ranges that end before they begin, and endless nesting."""
    sources = (("x", "memory", b'{"a": 1}'),)
    options = ("raise", True, False, False, False, 90, 1, None, False)
    for source, start, end in ((0, 5, 1), (1, 0, 1)):
        ranges = ((source, start, end),)
        with pytest.raises(SystemError, match="a range of no source"):
            _snooze.scan_open((), sources, ranges, None, options, None)
    fields = ()
    for _ in range(100_000):
        fields = (("x", "+s", False, None, fields),)
    with pytest.raises(SystemError, match="too many levels of columns"):
        _snooze.scan_schema(fields)
