"""The option `threads`: the same values and errors as with one thread.

Everything runs on builds with the GIL, too, where the threads take turns.
"""

from __future__ import annotations

import contextvars
import dataclasses
import gc
import json
import pickle
import sys
import threading
from typing import Annotated, Any

import pytest

import snooze
from snooze import Decoder, Len
from snooze._snooze import array_cuts, join_lists
from snooze._typed import parallel


@dataclasses.dataclass
class Point:
    """A record of a long array."""

    name: str
    at: list[float]
    tags: dict[str, int] | None = None


ROWS = [
    {"name": f'a "{n}" [,', "at": [n / 7, -n], "tags": {"k,]": n} if n % 3 else None}
    for n in range(2_000)
]
TEXT = json.dumps(ROWS).encode()


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let small documents be cut, on each build."""
    monkeypatch.setattr(parallel, "_SMALLEST", 4_000)
    monkeypatch.setattr(parallel, "_is_parallel", lambda: True)


@pytest.fixture
def works(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the numbers of parts of the documents that are cut from now on."""
    found: list[int] = []
    plain = parallel._Work.run

    def run(self: parallel._Work, count: int) -> bool:
        found.append(len(self._parts))
        return plain(self, count)

    monkeypatch.setattr(parallel._Work, "run", run)
    return found


def outcome(decoder: Any, document: Any) -> Any:
    """Return the value or the error of a document."""
    try:
        return decoder.decode(document)
    except Exception as error:
        return type(error), str(error), error.args


@pytest.mark.parametrize("threads", [2, 3, 8, 1024])
@pytest.mark.parametrize("tp", [list[Point], Any, list[dict[str, Any]]])
def test_values(tp: Any, threads: int, works: list[int]) -> None:
    """The items of all parts, in order."""
    many, one = Decoder(tp, threads=threads), Decoder(tp)
    for document in (
        TEXT,
        TEXT.decode(),
        bytearray(TEXT),
        memoryview(TEXT),
        snooze.Raw(TEXT),
        b" \n" + TEXT + b"\r\t ",
        json.dumps(ROWS, indent=2),
        json.dumps(ROWS).replace('"a ', '"\u00e9\U0001f600 '),
    ):
        assert many.decode(document) == one.decode(document)
        assert many.validate_only(document) is None
    assert len(works) == 16
    assert min(works) >= 8


def test_other_roots(works: list[int]) -> None:
    """Documents that are no array, and those of one long item."""
    many, one = Decoder(threads=4), Decoder()
    wide = {"rows": ROWS}
    for value in (wide, [wide], [[ROWS]], "x" * 10_000, 1, [], [[]], [wide, wide, 1]):
        document = json.dumps(value).encode()
        assert many.decode(document) == one.decode(document) == value
    assert works == [3]


WRONG = [
    TEXT[:-1],
    TEXT[:-1] + b"}",
    b"{" + TEXT[1:],
    TEXT + b"]",
    TEXT + b"1",
    b"[" + TEXT[1:] + b",",
    TEXT.replace(b"999", b"99x"),
    TEXT.replace(b'"name"', b'"nam"', 1500).replace(b'"nam"', b'"name"', 1499),
    TEXT.replace(b"}, {", b"}, , {"),
    TEXT.replace(b"}, {", b"}{"),
    TEXT.replace(b"}, {", b"}], [{"),
    TEXT.replace(b"}, {", b"}, " + b" " * 9_000 + b", {"),
    TEXT.replace(b'"a ', b'"\xff', 1500),
    b"[," + TEXT[1:],
    TEXT[:-1] + b",]",
    b"\xef\xbb\xbf" + TEXT,
    b"[" * 9_000 + b"]" * 9_000,
    b" " * 9_000,
    b"",
    TEXT.decode() + "\ud800",
    memoryview(TEXT)[::2],
    5,
    None,
]


@pytest.mark.parametrize("number", range(len(WRONG)))
@pytest.mark.parametrize("options", [{}, {"errors": "all", "max_errors": 3}])
def test_errors(number: int, options: dict[str, Any]) -> None:
    """Each error names the same place as with one thread."""
    document = WRONG[number]
    one = outcome(Decoder(list[Point], **options), document)
    many = Decoder(list[Point], threads=3, **options)
    assert outcome(many, document) == one
    assert isinstance(one, tuple), "the document is not wrong"
    with pytest.raises(one[0]):
        many.validate_only(document)
    if not options:
        assert outcome(Decoder(threads=3), document) == outcome(Decoder(), document)


def test_options() -> None:
    """Other options mean what they do without threads."""
    doubled = TEXT.replace(b'"at"', b'"name": "b", "at"')
    for tp, options, document in (
        (list[Point], {"unknown": "forbid"}, TEXT.replace(b'"tags"', b'"x"')),
        (list[Point], {"rename": "upper"}, TEXT.upper().replace(b"NULL", b"null")),
        (list[Point], {"duplicates": "error"}, doubled),
        (list[Point], {"max_depth": 2}, TEXT),
        (list[Point], {"max_depth": 3}, TEXT),
        (list[Point], {"max_size": len(TEXT) - 1}, TEXT),
        (list[Point], {"max_size": len(TEXT)}, TEXT),
        (list[Point], {"max_size": len(TEXT)}, TEXT.decode() + "\u00e9"),
        (list[Point], {"surrogates": "replace"}, TEXT.replace(b"a", b"\\udfff")),
        (Any, {"numbers": "raw"}, TEXT),
        (Any, {"object_pairs_hook": list}, TEXT),
        (Any, {"duplicates": "first"}, doubled),
    ):
        one = Decoder(tp, **options)  # type: ignore[arg-type]
        many = Decoder(tp, threads=2, **options)  # type: ignore[arg-type]
        assert outcome(many, document) == outcome(one, document), options
        assert pickle.loads(pickle.dumps(many)).decode("[]") == []
        assert "threads=2" in repr(many)


def test_forward_references() -> None:
    """A type that is not defined yet is compiled at the first call."""
    many = Decoder("list[Later]", threads=2)
    with pytest.raises((NameError, TypeError), match="Later"):
        many.decode(TEXT)


@pytest.mark.parametrize(
    ("tp", "options", "error", "text"),
    [
        (list[int], {"threads": 0}, ValueError, "threads=0 is not possible: use 1 to"),
        (list[int], {"threads": 1025}, ValueError, "threads=1025 is not possible"),
        (list[int], {"threads": -1}, ValueError, "threads=-1 is not possible"),
        (list[int], {"threads": True}, TypeError, "threads needs an int, not True"),
        (list[int], {"threads": 2.0}, TypeError, "threads needs an int, not 2.0"),
        (list[int], {"threads": None}, TypeError, "threads needs an int, not None"),
        (dict[str, int], {"threads": 2}, ValueError, "not dict"),
        (set[int], {"threads": 2}, ValueError, "a list without a Len"),
        (Annotated[list[int], Len(1)], {"threads": 2}, ValueError, "without a Len"),
        (list[int] | None, {"threads": 2}, ValueError, "a list without a Len"),
        (tuple[int, ...], {"threads": 2}, ValueError, "a list without a Len"),
        (list[int], {"threads": 2, "at": "/a"}, ValueError, "at cannot be combined"),
        (list[int], {"threads": 2, "syntax": "jsonc"}, ValueError, "syntax cannot be"),
        (Any, {"threads": 2, "encoding": "detect"}, ValueError, "encoding cannot be"),
    ],
)
def test_refused(tp: Any, options: Any, error: Any, text: str) -> None:
    """What has no meaning is refused when the Decoder is made."""
    with pytest.raises(error, match=text):
        Decoder(tp, **options)
    with pytest.raises(error, match=text):
        snooze.decode(b"[]", tp, **options)


def test_lists_by_other_names() -> None:
    """An alias and notes are the list that they name."""
    from typing_extensions import TypeAliasType

    named = TypeAliasType("named", list[Point])
    for tp in (named, Annotated[list[Point], snooze.Meta(title="points")]):
        assert len(Decoder(tp, threads=2).decode(TEXT)) == len(ROWS)


def test_subclasses_are_read_as_by_one_thread() -> None:
    """Of bytes the contents, whatever the methods return; others are refused."""

    class Bytes(bytes):
        def __bytes__(self) -> bytes:
            return b"[" + b"7, " * 5_000 + b"7]"

        def __len__(self) -> int:
            raise ValueError

    class Array(bytearray):
        pass

    class Text(str):
        pass

    one, many = Decoder(list[Point]), Decoder(list[Point], threads=3)
    for document in (Bytes(TEXT), Array(TEXT), Text(TEXT.decode())):
        assert outcome(many, document) == outcome(one, document), type(document)
    released = memoryview(TEXT)
    released.release()
    assert outcome(many, released) == outcome(one, released)


def test_a_thread_that_fails_outside_of_a_part(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What it took is decoded again: it may have had no memory for anything."""
    caller, plain = threading.get_ident(), parallel._Work._take
    both = threading.Barrier(2, timeout=60)

    def take(self: parallel._Work) -> None:
        both.wait()
        if threading.get_ident() != caller:
            self._todo.pop()
            both.wait()
            return
        both.wait()
        plain(self)

    monkeypatch.setattr(parallel._Work, "_take", take)
    many = Decoder(list[Point], threads=2)
    assert many.decode(TEXT) == Decoder(list[Point]).decode(TEXT)
    with pytest.raises(snooze.ValidationError):
        many.validate_only(TEXT[:-1] + b", 1]")


def test_the_collector_pauses_only_without_hooks() -> None:
    """And runs again afterwards, if it did before."""
    seen = []

    class Seen:
        def __init__(self, *_: Any) -> None:
            seen.append(gc.isenabled())

    by_class: Decoder[Any] = Decoder(list[Any], threads=2, dec_hook=Seen)
    for decoder in (by_class, Decoder(threads=2, object_hook=Seen)):
        decoder.decode(TEXT)
        assert gc.isenabled()
    assert seen
    assert all(seen)
    plain = parallel._Work._share

    def share(self: parallel._Work, count: int) -> None:
        seen.append(gc.isenabled())
        plain(self, count)

    seen.clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parallel._Work, "_share", share)
        Decoder(threads=2).decode(TEXT)
        gc.disable()
        try:
            Decoder(threads=2).decode(TEXT)
            assert not gc.isenabled()
        finally:
            gc.enable()
    assert seen == [False, False]


def test_hooks_run_in_all_threads_and_with_the_context() -> None:
    """Two threads take part, each with the context variables of the caller."""
    variable: contextvars.ContextVar[str] = contextvars.ContextVar("variable")
    variable.set("of the caller")
    both = threading.Barrier(2, timeout=60)
    idents, seen = set(), set()

    def hook(pairs: dict[str, Any]) -> Any:
        if threading.get_ident() not in idents:
            idents.add(threading.get_ident())
            both.wait()
        seen.add(variable.get())
        return pairs

    assert Decoder(threads=2, object_hook=hook).decode(TEXT) == ROWS
    assert len(idents) == 2
    assert seen == {"of the caller"}
    assert threading.get_ident() in idents


def test_hooks_that_raise() -> None:
    """The first error in the document is raised, in the calling thread."""

    def hook(pairs: dict[str, Any]) -> Any:
        if "name" in pairs and pairs["name"].split('"')[1].endswith("77"):
            raise ValueError(pairs["name"])
        return pairs

    with pytest.raises(ValueError, match="77") as caught:
        Decoder(threads=3, object_hook=hook).decode(TEXT)
    assert str(caught.value) == 'a "77" [,'


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_hooks_that_end_the_program(error: Any) -> None:
    """These are raised as they are, and no thread is left."""
    before, calls = threading.active_count(), []

    def hook(pairs: dict[str, Any]) -> Any:
        calls.append(1)
        if pairs.get("name") == 'a "300" [,':
            raise error
        return pairs

    with pytest.raises(error):
        Decoder(threads=3, object_hook=hook).decode(TEXT)
    assert threading.active_count() == before
    assert len(calls) < 2 * len(ROWS)


def test_threads_that_cannot_be_started(
    monkeypatch: pytest.MonkeyPatch, works: list[int]
) -> None:
    """The calling thread does the work of those that are missing."""
    started, plain = [], threading.Thread.start

    def start(self: threading.Thread) -> None:
        started.append(self)
        if len(started) > 1:
            raise RuntimeError("can't start new thread")
        plain(self)

    monkeypatch.setattr(threading.Thread, "start", start)
    assert Decoder(threads=8).decode(TEXT) == ROWS
    assert len(started) == 2
    assert len(works) == 1


def test_nothing_is_kept() -> None:
    """Neither parts nor failures outlive the call."""
    many = Decoder(list[Point], threads=2)
    wrong = TEXT.replace(b"999", b"99x")
    for document in (TEXT, wrong):
        outcome(many, document)
    gc.collect()
    gc.disable()
    try:
        for document in (TEXT, wrong):
            outcome(many, document)
            assert not [one for one in gc.get_objects() if type(one) is Point]
    finally:
        gc.enable()


def test_small_documents_and_the_gil(monkeypatch: pytest.MonkeyPatch) -> None:
    """One thread decodes what is small, and everything on builds with the GIL."""
    monkeypatch.undo()

    def fail(*_: Any) -> Any:
        raise AssertionError("cut")

    monkeypatch.setattr(parallel, "array_cuts", fail)
    assert Decoder(threads=4).decode(TEXT) == ROWS
    monkeypatch.setattr(parallel, "_SMALLEST", 4_000)
    is_enabled = getattr(sys, "_is_gil_enabled", None)
    if is_enabled is None or is_enabled():
        assert Decoder(threads=4).decode(TEXT) == ROWS
    else:
        with pytest.raises(AssertionError, match="cut"):
            Decoder(threads=4).decode(TEXT)


def test_cuts() -> None:
    """The offsets of brackets and commas; None where there is nothing to cut."""
    assert array_cuts(b" [1,[2,3],4] ", 1) == (1, 3, 9, 11)
    assert array_cuts(b"[1,2,3,4]", 3) == (0, 4, 8)
    for text in (
        b"",
        b" ",
        b"1",
        b"[]",
        b"[1]",
        b"[1,2",
        b"[1,2]x",
        b"[1, ,2]",
        b"{,}",
    ):
        assert array_cuts(text, 1) is None, text
    for wrong in ((b"[1]",), (b"[1]", 1, 2), ("[1]", 1), (bytearray(b"[1]"), 1)):
        with pytest.raises(TypeError, match=r"array_cuts\(\) takes|expected 2 arg"):
            array_cuts(*wrong)
    with pytest.raises(SystemError, match="a size"):
        array_cuts(b"[1,2]", -1)


def test_joined_lists() -> None:
    """Items are moved: their reference counts stay, and the lists are empty."""
    items = [object() for _ in range(9)]
    before = [sys.getrefcount(one) for one in items]
    lists = [items[:4], [], items[4:5], items[5:]]
    kept = lists[3]
    joined = join_lists(lists)
    assert joined == items
    assert kept == lists == []
    kept += [1]
    joined.append(2)
    assert kept == [1]
    assert joined.pop() == 2
    del joined[0]
    assert sys.getrefcount(items[0]) == before[0]
    del joined, lists, kept
    assert [sys.getrefcount(one) for one in items] == before
    assert join_lists([]) == []
    assert join_lists([[], []]) == []


@pytest.mark.parametrize(
    "wrong", [(), (1,), ([[1], (2,)],), ([1],), (([1],),), ([[1]], 2), (None,)]
)
def test_lists_that_cannot_be_joined(wrong: Any) -> None:
    """The items of the lists before a wrong one are released."""
    with pytest.raises(TypeError, match="takes a list of lists|expected 1 arg"):
        join_lists(*wrong)
