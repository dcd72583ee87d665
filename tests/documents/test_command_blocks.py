"""Documents in blocks: the same text and the same messages, in bounded memory."""

from __future__ import annotations

import gc
import gzip
import importlib.util
import json
import os
import subprocess
import sys
import sysconfig
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.command import Done
from helpers.documents_data import DOCUMENTS
from snooze._cli import blocks, inputs, reformat
from snooze._cli.inputs import DocumentError, InputError, Source
from snooze._cli.paint import Painter
from snooze._cli.problems import explained

pytestmark = pytest.mark.usefixtures("folder")

#: Pieces of texts, most of which are almost documents.
PIECES = [
    *"[]{}:,",
    " ",
    "\n",
    "\r\n",
    '"a":',
    '"é€😀"',
    '"\\ud83d\\ude00"',
    '"\\ud83d',
    '\\u0041"',
    '"\\x"',
    '"\t"',
    '"',
    "tru",
    "e",
    "nul",
    "false",
    "-",
    "0",
    "12.5e-3",
    "1e",
    "1e400",
    "\ufeff",
    "\0",
]


def cuts(text: bytes) -> list[list[bytes]]:
    """Every cut into two blocks, and blocks of every size."""
    found = [[text[:at], text[at:]] for at in range(len(text) + 1)]
    for size in range(1, len(text)):
        found.append([text[at : at + size] for at in range(0, len(text), size)])
    return [[block for block in one if block] for one in found]


def message(action) -> str | None:
    """Return the message with which an action ends."""
    try:
        action()
    except DocumentError as problem:
        return explained(problem)
    return None


def check_text(text: bytes) -> None:
    """Compare every cut with the whole text."""
    source = Source("a.json", text)
    expected = message(lambda: source.check(text))
    for cut in cuts(text):
        assert (
            message(lambda cut=cut: blocks.check(source, cut, bounded=True)) == expected
        ), cut
    if expected is not None:
        return
    for indent, ascii_ in ((None, False), ("  ", False), ("\t", True), (None, True)):
        if indent is None:
            pieces, layout = reformat.minified(text), (",", ":", None, ascii_)
        else:
            pieces = reformat.indented(text, indent.encode())
            layout = (",", ": ", indent, ascii_)
        whole = b"".join(reformat.ascii_only(pieces) if ascii_ else pieces)
        for cut in cuts(text):
            assert b"".join(blocks.restyled(source, cut, layout)) == whole, cut


@given(st.lists(st.sampled_from(PIECES), max_size=8))
def test_every_cut_of_a_text_gives_the_same_message(pieces):
    check_text("".join(pieces).encode())


@given(DOCUMENTS, st.sampled_from((None, 1)), st.data())
def test_every_cut_of_a_document_gives_the_same_text(value, indent, data):
    text = json.dumps(value, indent=indent, ensure_ascii=False).encode()
    if len(text) < 200:
        check_text(text)
        at = data.draw(st.integers(0, len(text) - 1))
        check_text(text[:at] + b"\xff" + text[at + 1 :])
        check_text(text[:at] + b"}" + text[at + 1 :])


def far(number: int) -> bytes:
    """A valid beginning of a document, longer than what is kept around a place."""
    return b"[" + b'"\xc3\xa9\xe2\x82\xac",' * number


@pytest.mark.parametrize("width", ["40", "300"])
@pytest.mark.parametrize(
    "text",
    [
        far(20_000) + b"x]",
        far(20_000) + b"x" + b"y" * 200_000,
        far(20_000).replace(b",", b",\r\n") + b"1 2\r\n]",
        far(20_000) + b" " * 300_000 + b"]",
        far(20_000) + b"\n" * 300_000 + b"]",
        far(2) + b"\n" * 300_000 + b'"' + b"z" * 300_000,
        far(2) + b'"' + b"z" * 300_000 + b"\\ud83d\\u0041" + b"z" * 300_000,
        far(2) + b"9" * 4000 + b", 1" + b"]" * 2,
        far(2) + b"1." + b"9" * 300_000 + b"e400]",
        far(2) + b"0." + b"9" * 300_000 + b"e, 1]",
        b"[" * 2000 + b" " * 300_000,
        far(20_000) + b"1] \xff",
        far(20_000) + b"1,] \xff",
        b"\n" * 300_000,
    ],
)
def test_messages_far_inside(text, width, monkeypatch):
    """The line, and what is around the place, although most of the text is gone."""
    monkeypatch.setenv("COLUMNS", width)
    source = Source("a.json", text)
    expected = message(lambda: source.check(text))
    assert expected is not None
    for size in (1000, 65_536, inputs.BLOCK, len(text)):
        cut = [text[at : at + size] for at in range(0, len(text), size)]
        assert (
            message(lambda cut=cut: blocks.check(source, cut, bounded=True)) == expected
        ), size


def test_integers_of_any_size_are_json():
    """Python converts 4300 digits only; nothing is converted here."""
    text = b"[-" + b"1" * 300_000 + b", 1]"
    for words in (["validate"], ["minify"], ["minify", "--lines"]):
        assert (Done(*words, data=text).status, Done(*words, data=text).err) == (0, "")
    done = Done("validate", "--lines", data=text + b"\n[1,]\n")
    assert done.err.startswith("<stdin>:2:3: trailing comma")


@pytest.mark.parametrize("number", ["1e400", "-1E+999999", "9" * 400 + ".5"])
def test_numbers_beyond_a_double_are_json(number):
    """All that loads cannot read is refused by `validate` only."""
    text = f'[{number}, {{"a": {number}}}]'
    compact = text.replace(" ", "")
    for words in (["minify"], ["minify", "--lines"], ["minify", "--ascii"]):
        done = Done(*words, data=text.encode())
        assert (done.status, done.out, done.err) == (0, compact + "\n", "")
    done = Done("format", "--indent", "1", data=text.encode())
    assert (done.status, done.out) == (
        0,
        f'[\n {number},\n {{\n  "a": {number}\n }}\n]\n',
    )
    assert (
        Done("format", "--check", "--indent", "1", data=done.out.encode()).status == 0
    )
    done = Done("stats", "--json", data=text.encode())
    assert json.loads(done.out)["kinds"]["number"] == 2
    for words in (["validate"], ["validate", "--lines"]):
        done = Done(*words, data=text.encode())
        expected = "<stdin>:1:2: number is infinity when parsed as double"
        assert (done.status, done.err.partition("\n")[0]) == (1, expected)
    # Another fault is found all the same.
    done = Done("minify", data=f"[{number}, ?]".encode())
    assert done.err.startswith(f"<stdin>:1:{len(number) + 4}: ")
    for cut in cuts(text.encode()) if len(text) < 100 else []:
        size = blocks.check(Source("a.json", b""), cut, bounded=False)
        assert size == len(text)


@pytest.mark.parametrize("text", [b" ", b"\t ", b"\r\n "])
def test_the_line_of_a_document_of_blanks(text):
    source = Source("a.json", text)
    with pytest.raises(DocumentError) as whole:
        source.check(text)
    for cut in cuts(text):
        with pytest.raises(DocumentError) as caught:
            blocks.check(source, cut, bounded=True)
        assert caught.value.text == whole.value.text
        assert vars(caught.value) == vars(whole.value)


def test_a_long_number_is_read_as_a_whole():
    for text in (b"1e" + b"9" * 400_000, b"0." + b"0" * 400_000 + b"1"):
        source = Source("a.json", text)
        expected = message(lambda text=text, source=source: source.check(text))
        cut = [text[at : at + 999] for at in range(0, len(text), 999)]
        found = message(
            lambda cut=cut, source=source: blocks.check(source, cut, bounded=True)
        )
        assert found == expected


def test_pieces_are_of_bounded_length():
    """One block may be a thousand times as long with its indentation."""
    text = b"[" * 1000 + b",".join([b"1"] * 20_000) + b"]" * 1000
    layout = (",", ": ", " " * 16, False)
    lengths = []
    for piece in blocks.restyled(Source("a.json", text), [text], layout):
        lengths.append(len(piece))
    assert sum(lengths) > 300_000_000
    assert max(lengths) < 1_200_000


@pytest.mark.skipif(os.name != "posix", reason="named pipes are made by mkfifo")
@pytest.mark.parametrize("number", [1, 2_000_000])
def test_pipes_can_be_read_once_only(folder, number):
    text = b"[" + b"1," * number + b"1]"

    def fed(*words: str) -> Done:
        os.mkfifo(folder / "pipe")
        feeder = threading.Thread(target=(folder / "pipe").write_bytes, args=(text,))
        feeder.start()
        done = Done(*words, "pipe")
        feeder.join()
        (folder / "pipe").unlink()
        return done

    assert fed("validate").status == 0
    assert fed("minify").out == text.decode() + "\n"
    assert fed("format", "--check").out == "would change pipe\n"
    assert Done("minify", data=text).out == text.decode() + "\n"


def test_a_file_that_changes_between_the_two_readings(folder):
    """What is written is not put in place of the file."""
    path = folder / "a.json"
    path.write_bytes(b"[1]")
    source = Source(str(path))
    twice = blocks.Twice(source)
    assert blocks.check(source, twice.blocks(), bounded=False) == 3
    path.write_bytes(b"[1,]")
    with pytest.raises(DocumentError, match="trailing comma"):
        list(blocks.restyled(source, twice.again(), (",", ":", None, False)))


def test_no_room_for_what_a_pipe_brings(folder, monkeypatch):
    """The message is about the temporary file, not about the input."""

    class Full:
        def write(self, block: bytes) -> int:
            raise OSError(28, "No space left on device")

        def close(self) -> None:
            pass

    monkeypatch.setattr(blocks.tempfile, "SpooledTemporaryFile", lambda size: Full())
    done = Done("format", data=b"[1]")
    assert done.status == 2
    expected = "<stdin>: no temporary file for its text: No space left on device"
    assert expected in done.err


def test_nothing_is_written_for_a_wrong_document(folder):
    """Not even what is before the fault, whatever the length."""
    wrong = b"[" + b"1," * 3_000_000 + b"]"
    (folder / "a.json").write_bytes(wrong)
    with gzip.open(folder / "a.json.gz", "wb", compresslevel=1) as file:
        file.write(wrong)
    for name in ("a.json", "a.json.gz"):
        for words in (["format"], ["minify"], ["format", "--in-place"]):
            before = (folder / name).read_bytes()
            done = Done(*words, name)
            assert (done.status, done.out) == (1, "")
            assert done.err.startswith(f"{name}:1:6000001: trailing comma")
            assert (folder / name).read_bytes() == before
    assert sorted(one.name for one in folder.iterdir()) == ["a.json", "a.json.gz"]


COLOURED = reformat.COLOURED
SHOWABLE = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text('a1,:[{"\\é', max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text('a:{"\\', max_size=2), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(SHOWABLE, st.sampled_from([b"  ", b"\t", b""]), st.integers(1, 9))
def test_colours_in_pieces(value, indent, size):
    """As if the whole text was coloured, wherever it is cut."""
    text = json.dumps(value).encode()
    plain = b"".join(reformat.indented(text, indent))
    expected = b"".join(reformat.indented(text, indent, COLOURED))
    pieces = [plain[at : at + size] for at in range(0, len(plain), size)]
    for cut in ([plain], pieces, [b"", *pieces, b""]):
        assert b"".join(Painter(COLOURED).painted(cut)) == expected


def test_check_of_lines(folder):
    """Each line is compared and checked, in files, in gzip and from a pipe."""
    same, other = b'{\n  "a": 1\n}\n[]\n', b'{"a": 1}\n\n[]\n'
    for text, status in ((b"[]\n1\n", 0), (other, 1), (b"1\n2", 1), (same, 1)):
        (folder / "a.json").write_bytes(text)
        with gzip.open(folder / "a.json.gz", "wb") as file:
            file.write(text)
        invalid = text is same
        for words in (["a.json"], ["a.json.gz"], []):
            data = b"" if words else text
            done = Done("format", "--check", "--lines", *words, data=data)
            title = words[0] if words else "<stdin>"
            assert done.status == status
            if invalid:
                assert done.err.startswith(f"{title}:1:")
            else:
                assert done.out == f"would change {title}\n" * status
    wrong = Done("format", "--check", "--lines", data=b"[1 ]\n[1,]\n")
    assert (wrong.status, wrong.out) == (1, "")
    assert wrong.err.startswith("<stdin>:2:3: ")


#: On a terminal: a thread empties its other end.
SHOWN = """
import os, pathlib, pty, sys, threading
from snooze.__main__ import main
ours, theirs = pty.openpty()
size = []

def drain():
    try:
        while part := os.read(ours, 1 << 16):
            size.append(len(part))
    except OSError:
        pass

threading.Thread(target=drain, daemon=True).start()
os.dup2(theirs, 1)
os.environ["TERM"] = "xterm"
os.environ.pop("NO_COLOR", None)
status = main(sys.argv[1:])
lines = pathlib.Path("/proc/self/status").read_text().splitlines()
(most,) = (line.split()[1] for line in lines if line.startswith("VmHWM"))
print(sum(size), int(most) // 1000, status or 0, file=sys.stderr)
"""


#: Of this process alone: what getrusage tells includes its parent before the exec.
RUN = """
import pathlib, sys
from snooze.__main__ import main
status = main(sys.argv[1:])
lines = pathlib.Path("/proc/self/status").read_text().splitlines()
(most,) = (line.split()[1] for line in lines if line.startswith("VmHWM"))
print(int(most) // 1000, status or 0, file=sys.stderr)
"""


#: The most memory of a command, in MB. CPython without a GIL uses more for itself.
MOST = 80 if sysconfig.get_config_var("Py_GIL_DISABLED") else 64


def peak(folder, *words: str, text: bytes | None = None) -> tuple[int, int]:
    """Return the most memory of a command in MB, and its status."""
    with open(os.devnull, "wb") as out:
        done = subprocess.run(
            [sys.executable, "-c", RUN, *words],
            cwd=folder,
            input=text,
            stdout=out,
            stderr=subprocess.PIPE,
            check=True,
        )
    memory, status = done.stderr.split()[-2:]
    return int(memory), int(status)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
def test_memory_is_bounded(folder):
    """A document of 100 MB takes a few blocks: in files, in gzip, from a pipe."""
    record = b'{"id": 12345, "name": "\xc3\xa9\xe2\x82\xac", "tags": ["a", null, true]}'
    count = 100_000_000 // len(record)
    text = b"[" + b",\n".join([record] * count) + b"]"
    (folder / "many.json").write_bytes(text)
    with gzip.open(folder / "many.json.gz", "wb", compresslevel=1) as file:
        file.write(text)
    names = ["many.json", "many.json.gz"]
    if importlib.util.find_spec("_zstd") is not None:
        from compression import zstd

        (folder / "many.json.zst").write_bytes(zstd.compress(text, level=1))
        names.append("many.json.zst")
    for words in (["validate"], ["minify"], ["format", "--ascii"], ["format", "-i"]):
        for name in names:
            memory, status = peak(folder, *words, name)
            assert (status, memory < MOST) == (0, True), (words, name, memory)
    memory, status = peak(folder, "format", "--check", "many.json")
    assert (status, memory < MOST) == (0, True), memory
    (folder / "string.json").write_bytes(b'["' + b"\\n\xc3\xa9ab" * 20_000_000 + b'"]')
    (folder / "number.json").write_bytes(b"0." + b"123" * 33_000_000)
    (folder / "space.json").write_bytes(b"[1, " + b" " * 100_000_000 + b"]")
    for name, expected in (("string", 0), ("number", 0), ("space", 1)):
        memory, status = peak(folder, "minify", f"{name}.json")
        assert (status, memory < MOST) == (expected, True), (name, memory)
    memory, status = peak(folder, "minify", text=text)
    assert (status, memory < MOST) == (0, True), memory


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
def test_memory_of_lines_and_colours(folder):
    """No more is kept to compare lines, or to show a document in colours."""
    text = (b'"%s"\n[]\n' % (b"x" * 10_000)) * 10_000
    (folder / "lines.json").write_bytes(text)
    memory, status = peak(folder, "format", "--check", "--lines", "lines.json")
    assert (status, memory < MOST) == (0, True), memory
    memory, status = peak(folder, "format", "--check", "--lines", text=text)
    assert (status, memory < MOST) == (0, True), memory
    record = b'{"id": 12345, "name": "\xc3\xa9\xe2\x82\xac", "tags": ["a", null, true]}'
    used = []
    for count in (40_000, 400_000):
        document = b"[" + b",\n".join([record] * count) + b"]"
        (folder / "many.json").write_bytes(document)
        done = subprocess.run(
            [sys.executable, "-c", SHOWN, "format", "many.json"],
            cwd=folder,
            stderr=subprocess.PIPE,
            check=True,
        )
        shown, memory, status = map(int, done.stderr.split()[-3:])
        assert (status, shown > len(document)) == (0, True)
        used.append(memory)
    # The larger document has 21 MB more, and its coloured text 65 MB more.
    assert used[1] < used[0] + 15, used


def cut(text: bytes, places: list[int]) -> list[bytes]:
    """A text in pieces, some of which may be empty."""
    ends = [*sorted(place % (len(text) + 1) for place in places), len(text)]
    return [text[start:end] for start, end in zip([0, *ends], ends, strict=False)]


TEXTS = st.text("ab", max_size=8).map(str.encode)
PLACES = st.lists(st.integers(0, 8), max_size=6)


@given(TEXTS, TEXTS, PLACES, PLACES)
def test_the_cuts_change_no_comparison(first, second, places, others):
    assert blocks.are_equal(cut(first, places), cut(first, others))
    is_same = blocks.are_equal(cut(first, places), cut(second, others))
    assert is_same == (first == second)
    longer = first + b"a"
    assert not blocks.are_equal(cut(first, places), cut(longer, others))
    assert not blocks.are_equal(cut(longer, places), cut(first, others))


def test_a_large_block_is_not_copied_for_each_small_piece():
    copied = 0

    class Block(bytes):
        """Counts the bytes of its slices."""

        __slots__ = ()

        def __getitem__(self, where):
            nonlocal copied
            found = super().__getitem__(where)
            copied += len(found)
            return Block(found)

    text = bytes(range(250)) * 40
    small = [text[at : at + 10] for at in range(0, len(text), 10)]
    assert blocks.are_equal([Block(text)], small)
    assert blocks.are_equal(small, [Block(text)])
    assert copied <= 2 * len(text)


def test_standard_input_that_cannot_be_read(folder, monkeypatch):
    class Broken:
        def read(self, size: int = -1) -> bytes:
            raise OSError(5, "Input/output error")

    monkeypatch.setattr(inputs.sys, "stdin", type("Stdin", (), {"buffer": Broken()}))
    with pytest.raises(InputError, match="<stdin>: Input/output error"):
        list(Source("-").blocks())


@pytest.mark.parametrize("command", ["format", "minify"])
def test_what_was_kept_is_removed(command):
    """Also where the output cannot be opened; a warning would be an error."""
    done = Done(command, "-", "-o", "none/x.json", data="[1]")
    assert (done.status, done.out) == (2, "")
    gc.collect()
