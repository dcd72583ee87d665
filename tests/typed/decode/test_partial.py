"""A document that arrives in pieces: `Decoder.partial`."""

from __future__ import annotations

import copy
import dataclasses
import decimal
import json
import pickle
import sys
import threading
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import snooze

PLAIN = snooze.Decoder()
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=3), inner, max_size=4)
    ),
    max_leaves=20,
)


@dataclasses.dataclass
class Answer:
    """What a model is asked for."""

    title: str
    pages: list[int]


def cut(data: bytes, sizes: list[int]) -> list[bytes]:
    """The pieces of a text, of these sizes in turn."""
    pieces, at = [], 0
    while at < len(data):
        size = sizes[len(pieces) % len(sizes)]
        pieces.append(data[at : at + size])
        at += size
    return pieces


def is_start(value: Any, whole: Any) -> bool:
    """Whether a value is what a part of the text can show of another one."""
    if type(value) is not type(whole):
        return False
    if isinstance(value, str):
        return bool(whole.startswith(value))
    if isinstance(value, list):
        if not value or len(value) > len(whole):
            return not value
        *before, last = value
        return before == whole[: len(before)] and is_start(last, whole[len(before)])
    if isinstance(value, dict):
        names = list(value)
        if not names or names != list(whole)[: len(names)]:
            return not names
        same = all(value[name] == whole[name] for name in names[:-1])
        return same and is_start(value[names[-1]], whole[names[-1]])
    return bool(value == whole)


@given(
    value=JSON,
    sizes=st.lists(st.integers(1, 30), min_size=1, max_size=3),
    indent=st.sampled_from([None, 1]),
    ascii_only=st.booleans(),
    looks=st.integers(1, 4),
)
def test_each_value_is_a_start_of_the_whole(
    value: Any, sizes: list[int], indent: Any, ascii_only: bool, looks: int
) -> None:
    """However the text is cut, and whether or not somebody looks."""
    data = json.dumps(value, indent=indent, ensure_ascii=ascii_only).encode()
    document = PLAIN.partial()
    last: Any = snooze.UNSET
    for number, piece in enumerate(cut(data, sizes)):
        document.feed(piece)
        if number % looks:
            continue
        shown = document.value
        assert shown is snooze.UNSET or is_start(shown, value)
        assert last is snooze.UNSET or is_start(last, shown)
        last = copy.deepcopy(shown)
        assert document.is_complete is (
            last is not snooze.UNSET and last == value and is_whole(data, sizes, number)
        )
    assert document.close() == value
    assert document.value == value


def is_whole(data: bytes, sizes: list[int], number: int) -> bool:
    """Whether the pieces up to a number end the value, which is no number."""
    read = b"".join(cut(data, sizes)[: number + 1])
    return read == data and data[-1:] in b'"]}el'


def test_every_cut_of_a_string() -> None:
    """Characters and escapes appear when they are whole."""
    whole = 'aé€😀\n\u20ac\U0001f600"\\/z'
    text = '["aé€😀\\n\\u20ac\\ud83d\\ude00\\"\\\\\\/z"]'.encode()
    for size in range(1, 9):
        document = PLAIN.partial()
        shown = []
        for piece in cut(text, [size]):
            document.feed(piece)
            if document.value is not snooze.UNSET and document.value:
                shown.append(document.value[0])
        assert document.close() == [whole]
        assert all(whole.startswith(one) for one in shown)
        assert shown == sorted(shown, key=len)
    document = PLAIN.partial()
    seen = []
    for at in range(len(text)):
        document.feed(text[at : at + 1])
        seen.append(document.value)
    longest = {value[0] for value in map(copy.copy, seen[1:]) if value}
    assert longest == {whole}, "the list is the same object each time"


def test_what_appears_when() -> None:
    """Numbers and literals when their end is known, members with their value."""
    document = PLAIN.partial()
    assert document.value is snooze.UNSET
    for piece, value in [
        (" ", snooze.UNSET),
        ("{", {}),
        ('"a', {}),
        ('"', {}),
        (":", {}),
        ("[", {"a": []}),
        ("1", {"a": []}),
        ("2", {"a": []}),
        (", tru", {"a": [12]}),
        ("e", {"a": [12, True]}),
        (', "', {"a": [12, True, ""]}),
        ("x", {"a": [12, True, "x"]}),
        ('"]', {"a": [12, True, "x"]}),
        (', "b": {"c": nul', {"a": [12, True, "x"], "b": {}}),
        ("l}", {"a": [12, True, "x"], "b": {"c": None}}),
        ("}", {"a": [12, True, "x"], "b": {"c": None}}),
        ("\n", {"a": [12, True, "x"], "b": {"c": None}}),
    ]:
        document.feed(piece)
        assert document.value == value, piece
        assert document.is_complete is (piece in {"}", "\n"})
    assert document.close() is document.value


def test_the_containers_are_the_same_objects() -> None:
    """They grow; a copy keeps what was there."""
    document = PLAIN.partial()
    document.feed('{"a": [1, ')
    first = document.value
    kept = copy.deepcopy(first)
    inner = first["a"]
    document.feed("2]")
    assert document.value is first
    assert first["a"] is inner
    assert (kept, inner) == ({"a": [1]}, [1, 2])


@pytest.mark.parametrize("text", ["12", " -1.5e3", "true", '"a"', "null", "[]", "{}"])
def test_documents_of_one_token(text: str) -> None:
    """Also a number, whose end is that of the document."""
    for pieces in ([text], list(text), [text, " "]):
        document = PLAIN.partial()
        for piece in pieces:
            document.feed(piece)
        assert document.close() == json.loads(text)


def test_types_and_options_hold_at_the_end() -> None:
    """Until then the value is what `loads` returns."""
    document = snooze.Decoder(Answer).partial()
    document.feed('{"title": "Sn')
    document.feed('ooze", "pages": [1')
    assert document.value == {"title": "Snooze", "pages": []}
    document.feed(", 2]}")
    assert document.close() == Answer("Snooze", [1, 2])
    exact = snooze.Decoder(numbers="decimal").partial()
    exact.feed(b"[1.10, ")
    assert exact.value == [1.1]
    exact.feed(bytearray(b"2]"))
    assert exact.close() == [decimal.Decimal("1.10"), 2]
    inner = snooze.Decoder(int, at="/a").partial()
    inner.feed(memoryview(b'{"a":5}'))
    assert inner.close() == 5
    wrong = snooze.Decoder(Answer).partial()
    wrong.feed('{"title": 1, "pages": []}')
    with pytest.raises(snooze.ValidationError, match=r"\$\.title \(line 1 column 11\)"):
        wrong.close()


def test_integers_of_any_size_are_exact() -> None:
    """As in `Decoder().decode`, unlike `loads`."""
    document = PLAIN.partial()
    document.feed("[123456789012345678901234567890, ")
    assert document.value == [123456789012345678901234567890]


def test_names_that_occur_twice() -> None:
    """The last one wins, as everywhere."""
    document = PLAIN.partial()
    document.feed('{"a": [1, 2], "b": 0, "a": "x')
    assert document.value == {"a": "x", "b": 0}
    document.feed('"}')
    assert document.close() == {"a": "x", "b": 0}


@pytest.mark.parametrize(
    ("text", "message", "value"),
    [
        ("[1, 2,]", "trailing comma is not allowed: line 1 column 6 (byte 5)", [1, 2]),
        (
            '{"a": 1,\n "b" 2}',
            "unexpected character, expected ':' after key: line 2 column 6 (byte 14)",
            {"a": 1},
        ),
        ("{} x", "unexpected content after document: line 1 column 4 (byte 3)", {}),
        (
            "[1e999]",
            "number is infinity when parsed as double: line 1 column 2 (byte 1)",
            [],
        ),
    ],
)
def test_faults(text: str, message: str, value: Any) -> None:
    """The place is that in the whole text; the value stays."""
    document = PLAIN.partial()
    with pytest.raises(snooze.JSONDecodeError) as caught:
        for piece in text:
            document.feed(piece)
    assert str(caught.value) == message
    assert document.value == value
    for call in (lambda: document.feed("1"), document.close):
        with pytest.raises(ValueError, match="closed, or has failed"):
            call()


@pytest.mark.parametrize("text", ["", " ", "[1, 2", '{"a', '{"a":', '"a', "tru", "-"])
def test_a_text_that_is_cut(text: str) -> None:
    """`close` says so; the value stays."""
    document = PLAIN.partial()
    document.feed(text)
    before = copy.deepcopy(document.value)
    with pytest.raises(snooze.JSONDecodeError):
        document.close()
    assert document.value == before
    typed = snooze.Decoder(Answer).partial()
    typed.feed(text)
    with pytest.raises(snooze.JSONDecodeError):
        typed.close()


def test_text_that_is_not_utf8() -> None:
    """Surrogates in a str are refused, too, at the latest by `close`."""
    for piece in (b'["\xff"]', '["\ud800"]', b'["\xc3"]'):
        document = PLAIN.partial()
        with pytest.raises(snooze.JSONDecodeError, match="not valid UTF-8"):
            document.feed(piece)
            document.close()


@pytest.mark.parametrize(
    "text",
    [
        b'["hello \\ude00',
        b'["hello \\x',
        b'["hello \\\n',
        b'["hello \\ud800\\u0041',
        b'["hello \xe0\x80\x80',
        b'["hello \xed\xa0\x80',
        b'["hello \xf5\x80\x80\x80',
        b'["hello \x80',
        b'["hello \n',
    ],
)
def test_a_string_with_a_fault(text: bytes) -> None:
    """What came before the fault is shown, and what cannot be a character is not."""
    for size in (1, 5, 100):
        document = PLAIN.partial()
        with pytest.raises(snooze.JSONDecodeError) as caught:
            for piece in cut(b"\n\n" + text, [size]):
                document.feed(piece)
                assert document.value in (snooze.UNSET, []) or (
                    "hello ".startswith(document.value[0])
                )
            document.close()
        assert caught.value.lineno == 3
        assert not document.is_complete


def test_items_that_come_together() -> None:
    """Those of an array are decoded together, whatever was there before."""
    document = PLAIN.partial()
    document.feed('[[1, "a')
    assert document.value == [[1, "a"]]
    document.feed('b", 2, [3], {"c": 4}, 5')
    assert document.value == [[1, "ab", 2, [3], {"c": 4}]]
    document.feed('0], "x", [], [6')
    assert document.value == [[1, "ab", 2, [3], {"c": 4}, 50], "x", [], []]
    inner = document.value[0]
    document.feed("]]")
    assert document.close() == [[1, "ab", 2, [3], {"c": 4}, 50], "x", [], [6]]
    assert document.value[0] is inner


def test_members_that_come_together() -> None:
    """Those of an object are decoded together; the last one of a name wins."""
    document = PLAIN.partial()
    document.feed('{"a": 1, "b": "x')
    assert document.value == {"a": 1, "b": "x"}
    document.feed('y", "c": [2], "a": {"d": 3}, "e": 4, "')
    assert document.value == {"a": {"d": 3}, "b": "xy", "c": [2], "e": 4}
    assert list(document.value) == ["a", "b", "c", "e"]
    document.feed('": 5, "f')
    assert document.value[""] == 5
    document.feed('": 6, "g": {"h": 7')
    document.feed(', "i": 8}}')
    assert document.close() == {
        "a": {"d": 3},
        "b": "xy",
        "c": [2],
        "e": 4,
        "": 5,
        "f": 6,
        "g": {"h": 7, "i": 8},
    }


def test_numbers_that_only_a_type_reads() -> None:
    """Their text is the value until the end; without a type they are an error."""
    large = "9" * 5000
    document = snooze.Decoder(list[decimal.Decimal]).partial()
    document.feed(f"[1e999, {large}, ")
    assert document.value == [snooze.Raw(b"1e999"), snooze.Raw(large.encode())]
    document.feed("1]")
    assert document.close() == [decimal.Decimal("1e999"), decimal.Decimal(large), 1]
    text = '[[1e999, 5, true, {"k": 7}], 3, "x", '
    shown = [[snooze.Raw(b"1e999"), 5, True, {"k": 7}], 3, "x"]
    for pieces in ([text], list(text)):
        mixed = snooze.Decoder(list).partial()
        for piece in pieces:
            mixed.feed(piece)
        assert mixed.value == shown
        assert type(mixed.value[0][1]) is int
    deep = snooze.Decoder(list).partial()
    deep.feed("[" * 1020 + "[1e999]" + "]" * 1019)
    inner = deep.value
    while isinstance(inner, list):
        inner = inner[0]
    assert inner == snooze.Raw(b"1e999")
    for pieces in (
        ['{"a":\n [1, ', f"{large}, 2"],
        [f'{{"a":\n [1, {large}', ", 2"],
        [f'{{"a":\n [1, {large[:9]}', f"{large[9:]}, 2"],
    ):
        plain = PLAIN.partial()
        with pytest.raises(snooze.ValidationError) as caught:
            for piece in pieces:
                plain.feed(piece)
        error = caught.value
        assert (error.pointer, error.lineno, error.colno) == ("/a/1", 2, 6)
        assert error.errors[0].offset == 11
    among = PLAIN.partial()
    with pytest.raises(snooze.ValidationError) as caught:
        among.feed('{"a":[0, [7],')
        among.feed('"x')
        assert among.value == {"a": [0, [7], "x"]}
        among.feed(f'y",\n {{"b": [{large}]}}, 4')
    assert (caught.value.pointer, caught.value.lineno) == ("/a/3/b/0", 2)
    assert (caught.value.colno, caught.value.errors[0].offset) == (9, 27)
    member = PLAIN.partial()
    member.feed('{"a": {"b": 1,')
    with pytest.raises(snooze.ValidationError) as caught:
        member.feed(f' "c": 2,\n "d": [{large}], "e"')
    assert (caught.value.pointer, caught.value.lineno) == ("/a/d/0", 2)
    assert (caught.value.colno, caught.value.errors[0].offset) == (8, 30)
    alone = PLAIN.partial()
    alone.feed(f"\n {large}")
    with pytest.raises(snooze.ValidationError, match=r"at \$ \(line 2 column 2\)"):
        alone.close()


def test_limits() -> None:
    """`max_size` is that of the whole text, and ends it at once."""
    document = snooze.Decoder(max_size=5).partial()
    document.feed("[1,2")
    with pytest.raises(snooze.JSONDecodeError, match="max_size is 5"):
        document.feed(",3")
    assert document.value == [1]
    shallow = snooze.Decoder(max_depth=1).partial()
    shallow.feed("[[1]]")
    with pytest.raises(snooze.JSONDecodeError, match="max_depth is 1"):
        shallow.close()


def test_it_cannot_be_copied() -> None:
    """A copy would share the lists."""
    for call in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="copied or pickled; copy its value"):
            call(PLAIN.partial())


def test_complete_or_not() -> None:
    """A number ends with `close`; after an error nothing is complete."""
    document = snooze.Decoder(int).partial()
    document.feed("12")
    assert not document.is_complete
    assert document.close() == 12
    assert document.is_complete
    for pieces in (['"abc', "\x01"], ["[1] ", "x"], ["{}", "\xff".encode("latin-1")]):
        failed = PLAIN.partial()
        with pytest.raises(snooze.JSONDecodeError):
            for piece in pieces:
                failed.feed(piece)
                assert failed.value is not snooze.UNSET
        assert not failed.is_complete


def test_wrong_use() -> None:
    """Each is refused and changes nothing."""
    document = PLAIN.partial()
    with pytest.raises(TypeError, match="found int"):
        document.feed(1)  # type: ignore[arg-type]
    document.feed("[]")
    assert document.close() == []
    with pytest.raises(ValueError, match="closed"):
        document.feed(" ")
    for options in (
        {"syntax": "json5"},
        {"nan": "accept"},
        {"surrogates": "keep"},
        {"encoding": "detect"},
        {"max_depth": 1025},
    ):
        (name,) = options
        with pytest.raises(ValueError, match=f"partial.*{name}"):
            snooze.Decoder(**options).partial()  # type: ignore[arg-type]


def test_deep_documents() -> None:
    """No deeper than others."""
    document = PLAIN.partial()
    for _ in range(1024):
        document.feed("[")
    with pytest.raises(snooze.JSONDecodeError, match="depth limit"):
        document.feed("[")


def test_many_pieces_that_are_looked_at() -> None:
    """In a long string, and in a long list."""
    document = PLAIN.partial()
    document.feed('{"text": "')
    for _ in range(20_000):
        document.feed("word é ")
        assert document.value["text"].endswith("é ")
    document.feed('", "list": [')
    for number in range(20_000):
        document.feed(f"{number}, ")
        assert document.value["list"][-1] == number
    document.feed("0]}")
    whole = document.close()
    assert whole["text"] == "word é " * 20_000
    assert whole["list"] == [*range(20_000), 0]


def test_a_long_number_is_not_copied_for_each_piece() -> None:
    """Nor is what shows that it has not ended."""
    document = PLAIN.partial()
    document.feed("[0.")
    for _ in range(100_000):
        document.feed("12345678")
        assert document.value == []
        assert not document.is_complete
    document.feed("]")
    assert document.close() == [0.12345678123456781]


def test_threads_take_turns() -> None:
    """Two that feed one document, and one that looks at it."""
    document = PLAIN.partial()
    document.feed("{")
    problems: list[BaseException] = []
    done = threading.Event()

    def feed(number: int) -> None:
        try:
            for index in range(500):
                document.feed(f'"{number}.{index}": [1, "ab"], ')
        except BaseException as error:
            problems.append(error)

    def look() -> None:
        try:
            while not done.is_set():
                assert set(map(str, document.value.copy().values())) <= {"[1, 'ab']"}
        except BaseException as error:
            problems.append(error)

    looking = threading.Thread(target=look)
    feeding = [threading.Thread(target=feed, args=(number,)) for number in range(2)]
    for thread in (looking, *feeding):
        thread.start()
    for thread in feeding:
        thread.join()
    done.set()
    looking.join()
    assert problems == []
    assert len(document.value) == 1000


def test_a_reader_changes_no_string_that_grows() -> None:
    """Another thread looks while its pieces come."""
    document = PLAIN.partial()
    document.feed("{")
    done = threading.Event()

    def look() -> None:
        while not done.is_set():
            assert document.value is not None

    looking = threading.Thread(target=look)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    looking.start()
    try:
        for number in range(300):
            for piece in (f'"{number}": "', "é\\n" * 200, "é\\n" * 200, '", '):
                document.feed(piece)
        document.feed('"": 0}')
    finally:
        done.set()
        looking.join()
        sys.setswitchinterval(interval)
    whole = document.close()
    assert whole.pop("") == 0
    assert set(whole.values()) == {"é\n" * 400}
