"""`load` and `dump`: paths, handles, compressed files, and what happens on failure."""

from __future__ import annotations

import concurrent.futures
import errno
import gzip
import importlib.util
import io
import json
import os
import pathlib
import stat

import pytest

import snooze
from snooze._files import replace

VALUE = {"a": [1, 2.5, None], "é": "\U0001f600"}
TEXT = snooze.dumps(VALUE)


@pytest.fixture
def file(tmp_path):
    return tmp_path / "file.json"


def test_a_path_is_written_and_read(file):
    for path in (file, str(file)):
        snooze.dump(VALUE, path)
        assert file.read_bytes() == TEXT
        assert snooze.load(path) == VALUE
    assert [one.name for one in file.parent.iterdir()] == ["file.json"]


def test_options_and_default_are_those_of_dumps(file):
    snooze.dump({"b": {1}, "a": 2}, file, list, snooze.OPT_SORT_KEYS)
    assert file.read_bytes() == b'{"a":2,"b":[1]}'
    snooze.dump([{1}], file, default=list, option=snooze.OPT_APPEND_NEWLINE)
    assert file.read_bytes() == b"[[1]]\n"


@pytest.mark.parametrize("size", [0, 1, 4094, 4095, 3 << 20])
def test_files_can_be_mapped(file, size):
    value = "x" * size
    snooze.dump(value, file)
    assert snooze.load(file, mmap=True) == snooze.load(file) == value
    file.write_bytes(b"")
    for mmap in (True, False):
        with pytest.raises(snooze.JSONDecodeError):
            snooze.load(file, mmap=mmap)


def test_what_cannot_be_mapped_is_refused(tmp_path):
    with pytest.raises(ValueError, match="expected a path, found an open file"):
        snooze.load(io.BytesIO(b"1"), mmap=True)
    path = tmp_path / "file.json.gz"
    snooze.dump(1, path)
    with pytest.raises(ValueError, match="is compressed"):
        snooze.load(path, mmap=True)


def test_handles_are_text_or_binary(file):
    for mode in ("w", "wb"):
        encoding = None if "b" in mode else "utf-8"
        with file.open(mode, encoding=encoding) as handle:
            snooze.dump(VALUE, handle)
        with file.open(mode.replace("w", "r"), encoding=encoding) as handle:
            assert snooze.load(handle) == VALUE
    text, binary = io.StringIO(), io.BytesIO()
    snooze.dump(VALUE, text)
    snooze.dump(VALUE, binary)
    assert text.getvalue().encode() == binary.getvalue() == TEXT


def test_handles_are_read_from_their_position():
    handle = io.BytesIO(b"junk[1]")
    handle.seek(4)
    assert snooze.load(handle) == [1]


def test_other_objects_are_refused_with_what_is_expected():
    for wrong in (5, b"file.json", None):
        found = rf"expected a path .* with read\(\), found {type(wrong).__name__}"
        with pytest.raises(TypeError, match=found):
            snooze.load(wrong)
        found = rf"expected a path .* with write\(\), found {type(wrong).__name__}"
        with pytest.raises(TypeError, match=found):
            snooze.dump([], wrong)


def test_paths_may_be_bytes_inside(tmp_path):
    class Entry(os.PathLike):
        def __fspath__(self):
            return os.fsencode(tmp_path / "file.json.gz")

    snooze.dump(VALUE, Entry())
    assert snooze.load(Entry()) == VALUE
    assert gzip.decompress((tmp_path / "file.json.gz").read_bytes()) == TEXT


def test_the_first_error_is_seen_when_the_new_file_is_gone(file, monkeypatch):
    def replace(partial, _path):
        pathlib.Path(partial).unlink()
        raise OSError("the first error")

    monkeypatch.setattr(os, "replace", replace)
    with pytest.raises(OSError, match="the first error"):
        snooze.dump(VALUE, file)


def test_gzip_is_chosen_by_the_suffix(tmp_path):
    path = tmp_path / "file.json.gz"
    snooze.dump(VALUE, path)
    assert gzip.decompress(path.read_bytes()) == TEXT
    assert snooze.load(path) == VALUE
    path.write_bytes(TEXT)
    with pytest.raises(OSError, match="gzip"):
        snooze.load(path)


def test_zstd_is_chosen_by_the_suffix(tmp_path):
    path = tmp_path / "file.json.zst"
    if importlib.util.find_spec("_zstd") is None:
        for call in (lambda: snooze.dump(VALUE, path), lambda: snooze.load(path)):
            with pytest.raises(ValueError, match=r"no module compression\.zstd"):
                call()
        assert list(tmp_path.iterdir()) == []
        return
    snooze.dump(VALUE, path)
    assert path.read_bytes()[:4] == b"\x28\xb5\x2f\xfd"
    assert snooze.load(path) == VALUE


def test_errors_name_the_file(file):
    file.write_bytes(b"[1,]")
    with pytest.raises(snooze.JSONDecodeError) as caught:
        snooze.load(file)
    assert caught.value.__notes__ == [f"in the file {file}"]
    assert caught.value.pos == 2
    with file.open("rb") as handle, pytest.raises(snooze.JSONDecodeError) as caught:
        snooze.load(handle)
    assert caught.value.__notes__ == [f"in the file {file}"]
    with pytest.raises(snooze.JSONDecodeError) as caught:
        snooze.load(io.StringIO("x"))
    assert not hasattr(caught.value, "__notes__")
    large = b"[" + b"1," * 5_000 + b"]"
    file.write_bytes(large)
    with pytest.raises(snooze.JSONDecodeError) as caught:
        snooze.load(file, mmap=True)
    assert caught.value.__notes__ == [f"in the file {file}"]
    assert caught.value.pos == len(large) - 2


def test_errors_of_writing_name_the_file(file):
    for wrong in ({"a": {1}}, {1}):
        with pytest.raises(TypeError) as caught:
            snooze.dump(wrong, file)
        assert caught.value.__notes__[-1] == f"for the file {file}"
    with file.open("wb") as handle, pytest.raises(TypeError) as caught:
        snooze.dump({"a": {1}}, handle)
    assert caught.value.__notes__ == ["at $.a", f"for the file {file}"]
    with pytest.raises(TypeError) as caught:
        snooze.dump({"a": {1}}, io.BytesIO())
    assert caught.value.__notes__ == ["at $.a"]


def test_errors_of_encodings_name_the_file(file):
    file.write_bytes(TEXT)
    with (
        file.open(encoding="ascii") as handle,
        pytest.raises(UnicodeDecodeError) as caught,
    ):
        snooze.load(handle)
    assert caught.value.__notes__ == [f"in the file {file}"]
    with (
        file.open("w", encoding="ascii") as handle,
        pytest.raises(UnicodeEncodeError) as caught,
    ):
        snooze.dump(VALUE, handle)
    assert caught.value.__notes__ == [f"for the file {file}"]


@pytest.mark.parametrize("text", ['{"a":1}', " [1]", '\n"x"', "[" * 5000])
def test_a_text_in_the_place_of_a_path_is_explained(text):
    with pytest.raises(OSError, match=r"No such file|too long") as caught:
        snooze.load(text)
    assert caught.value.__notes__ == [
        "load expects a path; to read a JSON text, use loads"
    ]


def test_a_name_without_a_file_is_no_text(file):
    with pytest.raises(FileNotFoundError) as caught:
        snooze.load(file)
    assert not hasattr(caught.value, "__notes__")


@pytest.mark.parametrize("name", ["none/file.json", "none/file.json.gz"])
def test_the_hidden_file_is_in_no_error(tmp_path, name):
    """What the user knows is the destination."""
    with pytest.raises(FileNotFoundError) as caught:
        snooze.dump(1, tmp_path / name)
    assert caught.value.filename == str(tmp_path / name)
    assert caught.value.filename2 is None
    assert str(caught.value).endswith(f"directory: {str(tmp_path / name)!r}")


def test_a_file_that_cannot_be_replaced_is_named(file, monkeypatch):
    def replace(partial, path):
        raise IsADirectoryError(errno.EISDIR, "Is a directory", partial, None, path)

    monkeypatch.setattr(os, "replace", replace)
    with pytest.raises(IsADirectoryError) as caught:
        snooze.dump(VALUE, file)
    assert str(caught.value) == f"[Errno {errno.EISDIR}] Is a directory: {str(file)!r}"
    assert not hasattr(caught.value, "__notes__")
    assert list(file.parent.iterdir()) == []


def test_a_folder_that_is_not_writable_is_explained(file, monkeypatch):
    file.write_text("before")

    def refuse(path, *_arguments):
        raise PermissionError(errno.EACCES, "Permission denied", path)

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(PermissionError) as caught:
        snooze.dump(VALUE, file)
    assert caught.value.filename == str(file)
    assert caught.value.__notes__ == [
        "a new file is made in its folder, which must be writable"
    ]
    assert file.read_text() == "before"


@pytest.mark.skipif(not pathlib.Path("/dev/full").exists(), reason="a device of Linux")
@pytest.mark.parametrize("size", [1, 1 << 20])
def test_a_full_device_is_named(size):
    with pytest.raises(OSError, match="No space left") as caught:
        snooze.dump("x" * size, "/dev/full")
    assert caught.value.filename == "/dev/full"


def test_errors_of_other_files_keep_their_names(file):
    """Those of a function that reads while it writes."""

    def write(_file):
        raise FileNotFoundError(errno.ENOENT, "No such file or directory", "source")

    with pytest.raises(FileNotFoundError) as caught:
        replace(str(file), write)
    assert caught.value.filename == "source"
    assert list(file.parent.iterdir()) == []


def test_a_path_without_a_name_is_no_file():
    with pytest.raises(FileNotFoundError) as caught:
        snooze.dump(1, "")
    assert caught.value.filename == ""


@pytest.mark.parametrize("letter", ["x", "\U0001f600"])
def test_names_may_be_as_long_as_the_system_allows(tmp_path, letter):
    longest = os.pathconf(tmp_path, "PC_NAME_MAX") if hasattr(os, "pathconf") else 255
    path = tmp_path / (letter * ((longest - 5) // len(letter.encode())) + ".json")
    snooze.dump(VALUE, path)
    assert list(tmp_path.iterdir()) == [path]


def test_a_failure_leaves_the_file_as_it_was(file, monkeypatch):
    file.write_text("before")
    with pytest.raises(TypeError):
        snooze.dump([object()], file)

    def full(*_arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="No space left"):
        snooze.dump(VALUE, file)
    assert file.read_text() == "before"
    assert [one.name for one in file.parent.iterdir()] == ["file.json"]


def test_threads_may_write_the_same_path(file):
    values = [["x" * 5_000, number] for number in range(8)]

    def work(value):
        for _ in range(20):
            snooze.dump(value, file)
            assert snooze.load(file) in values

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(work, values))
    assert [one.name for one in file.parent.iterdir()] == ["file.json"]


def test_what_is_not_there_is_said(tmp_path):
    for call in (
        lambda: snooze.load(tmp_path / "none.json"),
        lambda: snooze.dump(1, tmp_path / "none" / "file.json"),
    ):
        with pytest.raises(FileNotFoundError) as caught:
            call()
        assert "none" in str(caught.value.filename)
    with pytest.raises(IsADirectoryError):
        snooze.load(tmp_path)


@pytest.mark.skipif(os.name != "posix", reason="permissions are those of POSIX")
def test_permissions_and_links_are_kept(file):
    before = os.umask(0o027)
    try:
        snooze.dump(1, file)
        assert stat.S_IMODE(file.stat().st_mode) == 0o640
    finally:
        os.umask(before)
    file.chmod(0o604)
    link = file.with_name("link.json")
    link.symlink_to(file.name)
    snooze.dump(2, link)
    assert link.is_symlink()
    assert file.read_bytes() == b"2"
    assert stat.S_IMODE(file.stat().st_mode) == 0o604


def test_files_that_are_no_regular_files_are_read(tmp_path):
    if not hasattr(os, "mkfifo"):
        pytest.skip("this system has no named pipes")
    reading, writing = os.pipe()
    with os.fdopen(writing, "wb") as handle:
        handle.write(TEXT)
    with os.fdopen(reading, "rb") as handle:
        assert snooze.load(handle) == VALUE


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs a pipe with a name")
def test_what_has_no_size_is_read_and_not_mapped(tmp_path):
    """A pipe, and the files of /proc, have text but no size."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with concurrent.futures.ThreadPoolExecutor() as pool:
        writing = pool.submit(pipe.write_bytes, TEXT)
        assert snooze.load(pipe, mmap=True) == VALUE
        writing.result()


@pytest.mark.parametrize("name", ["new/", "new/.", "new/..", "new.gz/"])
def test_a_path_of_a_folder_makes_no_file(tmp_path, name):
    """As with `open`: there is no such folder, and a file has another name."""
    path = f"{tmp_path}/{name}"
    kind = IsADirectoryError if name.endswith("/") else FileNotFoundError
    with pytest.raises(kind) as caught:
        snooze.dump(1, path)
    assert caught.value.filename == path
    assert list(tmp_path.iterdir()) == []


HAS_DESCRIPTORS = pathlib.Path("/dev/fd/0").exists()


@pytest.mark.skipif(not HAS_DESCRIPTORS, reason="no names of descriptors")
def test_digits_of_other_scripts_name_no_descriptor(file):
    with file.open("wb") as handle:
        name = str(handle.fileno())
        snooze.dump([1], f"/dev/fd/{name}")
        arabic = "".join(chr(0x660 + int(digit)) for digit in name)
        with pytest.raises(OSError, match=f"/dev/fd/{arabic}"):
            snooze.dump([2], f"/dev/fd/{arabic}")
    assert file.read_bytes() == b"[1]"


@pytest.mark.skipif(not HAS_DESCRIPTORS, reason="no names of descriptors")
@pytest.mark.parametrize("name", ["999999999", "2147483648", "9" * 20])
def test_a_number_that_is_no_descriptor_is_an_error_of_the_system(name):
    with pytest.raises(OSError, match=os.strerror(errno.EBADF) + "|/dev/fd/" + name):
        snooze.dump([], f"/dev/fd/{name}")


def test_the_standard_library_reads_what_is_written(file):
    snooze.dump(VALUE, pathlib.PurePath(file))
    assert json.loads(file.read_text("utf-8")) == VALUE
