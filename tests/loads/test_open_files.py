"""`dump` and `write_lines` into open files: unbuffered ones, and writers of codecs."""

from __future__ import annotations

import codecs
import io
import os
import tempfile

import pytest

import snooze

TEXT = "x" * 1000


class Slow(io.RawIOBase):
    """A raw file that takes a few bytes at a time, then `last`."""

    def __init__(self, takes: int, last: int | None = None, until: int = 1 << 20):
        super().__init__()
        self.got = b""
        self._takes, self._last, self._until = takes, last, until

    def write(self, text) -> int | None:
        if len(self.got) >= self._until:
            return self._last
        self.got += bytes(text[: self._takes])
        return len(text[: self._takes])


class Counting:
    """A writer that is no raw file and returns another number than it took."""

    def __init__(self) -> None:
        self.got = b""

    def write(self, text: bytes) -> int:
        self.got += text
        return 1


def written(file) -> None:
    """Write a text of 1000 characters, by `write_lines` too."""
    snooze.dump(TEXT, file)
    snooze.write_lines(snooze.scan(b'{"a": 1}'), file)


EXPECTED = b'"' + TEXT.encode() + b'"{"a":1}\n'


@pytest.mark.parametrize("takes", [1, 7, 5000])
def test_a_raw_file_gets_the_whole_text(takes) -> None:
    """Its `write` may take a part only, as that of files beyond 2 GiB does."""
    file = Slow(takes)
    written(file)
    assert file.got == EXPECTED


def test_a_raw_file_that_takes_no_more_is_an_error() -> None:
    for last in (None, 0):
        file = Slow(7, last, until=70)
        with pytest.raises(BlockingIOError, match="took 70 of 1002 bytes") as caught:
            snooze.dump(TEXT, file)
        assert caught.value.characters_written == 70
        with pytest.raises(BlockingIOError):
            snooze.write_lines(snooze.scan(b'{"a": 1}'), file)


def test_a_raw_file_may_take_bytes_only() -> None:
    """It gets them; a view of the rest is for one that took a part."""

    class Strict(Slow):
        def write(self, text) -> int | None:
            assert type(text) is bytes
            return super().write(text)

    file = Strict(5000)
    written(file)
    assert file.got == EXPECTED


def test_a_raw_file_that_returns_nothing_is_an_error() -> None:
    """As one that would wait; the message says what to return."""

    class Silent(Slow):
        def write(self, text) -> None:
            self.got += text

    with pytest.raises(BlockingIOError, match=r"took 0 of 1002 bytes") as caught:
        snooze.dump(TEXT, Silent(0))
    assert caught.value.strerror == (
        "the file took 0 of 1002 bytes, and no more without waiting, because its "
        "write() returned None; pass one that is blocking, or buffered; a write() of "
        "your own returns how many bytes it took"
    )


@pytest.mark.parametrize("cls", [io.BytesIO, io.StringIO])
def test_subclasses_of_usual_files(cls) -> None:
    class Own(cls):
        pass

    for file in (cls(), Own()):
        written(file)
        found = file.getvalue()
        assert found == (EXPECTED.decode() if isinstance(found, str) else EXPECTED)


@pytest.mark.skipif(not hasattr(os, "set_blocking"), reason="needs a pipe")
def test_a_full_pipe_is_an_error() -> None:
    """Nobody reads it, and it does not wait."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    with (
        open(reading, "rb"),
        open(writing, "wb", buffering=0) as file,
        pytest.raises(BlockingIOError, match="of 10000002 bytes"),
    ):
        snooze.dump("x" * 10_000_000, file)


def test_other_writers_get_the_text_once() -> None:
    """What they return is not known to be a number of bytes."""
    file = Counting()
    written(file)
    assert file.got == EXPECTED


def test_unbuffered_temporary_files(tmp_path) -> None:
    """`tempfile` hides the raw file in an object of its own."""
    with tempfile.NamedTemporaryFile(buffering=0, dir=tmp_path) as file:
        file.file.close()
        file.file = slow = Slow(7)
        written(file)
        assert slow.got == EXPECTED


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "latin-1"])
def test_writers_of_codecs_are_text(encoding) -> None:
    """They have no `encoding`, unlike other text files."""
    out = io.BytesIO()
    snooze.dump(["é"], codecs.getwriter(encoding)(out))
    snooze.write_lines(
        snooze.scan(b'{"a": "\xc3\xa9"}'), codecs.getwriter(encoding)(out)
    )
    assert out.getvalue().decode(encoding) == '["é"]{"a":"é"}\n'


def test_writers_of_binary_codecs_are_binary() -> None:
    out = io.BytesIO()
    snooze.dump([1], codecs.getwriter("hex")(out))
    assert bytes.fromhex(out.getvalue().decode()) == b"[1]"


def test_a_writer_that_lacks_a_character_is_an_error(tmp_path) -> None:
    with (tmp_path / "x.json").open("wb") as out:
        writer = codecs.getwriter("ascii")(out)
        with pytest.raises(UnicodeEncodeError) as caught:
            snooze.dump(["é"], writer)
    assert caught.value.__notes__ == [f"for the file {tmp_path / 'x.json'}"]


@pytest.mark.parametrize("count", [-1, 10**9, 2**70])
def test_counts_that_no_file_returns(count: int) -> None:
    """Neither an endless loop nor half a document that counts as written."""
    table = snooze.scan(b'{"a":1}\n')
    for write in (snooze.dump, lambda text, file: snooze.write_lines(table, file)):
        with pytest.raises(OSError, match=f"bytes it took, found {count}$"):
            write(TEXT, Slow(5, count, 5))


def test_a_file_without_a_name_keeps_the_error() -> None:
    """What is wrong with the value counts, not that the name cannot be had."""
    detached = io.TextIOWrapper(io.BytesIO())
    detached.detach()
    with pytest.raises(ValueError, match="detached"):
        _ = detached.name
    with pytest.raises(snooze.JSONEncodeError, match="key must be str"):
        snooze.dump({1: 2}, detached)

    class Nameless(io.BytesIO):
        @property
        def name(self) -> str:
            raise LookupError("no name")

    with pytest.raises(snooze.JSONDecodeError):
        snooze.load(Nameless(b"["))
