"""loads of strings: escapes, widths of text, lengths, keys."""

from __future__ import annotations

import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

import snooze
from helpers.equality import assert_same
from helpers.isolated import in_child

FILLERS = {"ascii": "a", "latin1": "é", "bmp": "好", "astral": "😀"}


def read(text: str) -> str:
    """Read a string at the root, in an array, as a value and as a key."""
    value = snooze.loads(text)
    assert type(value) is str
    assert snooze.loads(f"[{text}]") == [value]
    assert snooze.loads(f'{{"k":{text}}}'.encode()) == {"k": value}
    assert snooze.loads(f"{{{text}:1}}") == {value: 1}
    return value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r'"\""', '"'),
        (r'"\\"', "\\"),
        (r'"\/"', "/"),
        (r'"\b\f\n\r\t"', "\b\f\n\r\t"),
        (r'"\u0000"', "\0"),
        (r'"a\u0000b"', "a\0b"),
        (r'"\u001f\u007f"', "\x1f\x7f"),
        (r'"\u00e9\u00E9"', "éé"),
        (r'"\u597d"', "好"),
        (r'"\uFFFF\ufffe"', "\uffff\ufffe"),
        (r'"\ud83d\ude00"', "😀"),
        (r'"\uD83D\uDE00"', "😀"),
        (r'"\ud800\udc00\udbff\udfff"', "\U00010000\U0010ffff"),
        (r'"\uD7FF\uE000"', "\ud7ff\ue000"),
        ('"\x7f"', "\x7f"),
        ('"\u2028\u2029"', "\u2028\u2029"),
        ('"\ufeff"', "\ufeff"),
        (r'"\\u0041"', "\\u0041"),
        (r'"\\\""', '\\"'),
        (r'"\u005c\u0022"', '\\"'),
    ],
    ids=ascii,
)
def test_escapes(text: str, value: str) -> None:
    """Every escape and the characters around its limits."""
    assert read(text) == value


def test_every_bmp_escape() -> None:
    """All four-digit escapes except surrogates, in upper and lower case."""
    for point in range(0x10000):
        if not 0xD800 <= point < 0xE000:
            assert snooze.loads(f'"\\u{point:04x}"') == chr(point)
            assert snooze.loads(f'["x\\u{point:04X}y"]') == [f"x{chr(point)}y"]


def test_every_code_point_raw() -> None:
    """Every code point unescaped, in runs of 64."""
    points = [c for c in range(0x20, sys.maxunicode + 1) if not 0xD800 <= c < 0xE000]
    points = [c for c in points if c not in (0x22, 0x5C)]
    for start in range(0, len(points), 64):
        text = "".join(map(chr, points[start : start + 64]))
        assert snooze.loads(f'"{text}"') == text
        assert snooze.loads(f'["{text}"]'.encode()) == [text]


@pytest.mark.parametrize("width", FILLERS)
@pytest.mark.parametrize(
    "special",
    ["", "\\n", '\\"', "\\u00e9", "\\ud83d\\ude00", "é", "好", "😀"],
    ids=ascii,
)
def test_every_length_and_position(width: str, special: str) -> None:
    """One special sequence at the edges and in the middle of texts of length 0 to 130."""
    filler = FILLERS[width]
    for length in range(130):
        for place in {0, 1, length // 2, length - 1, length}:
            if 0 <= place <= length:
                body = filler * place + special + filler * (length - place)
                assert snooze.loads(f'["{body}"]') == json.loads(f'["{body}"]')


@pytest.mark.parametrize("size", [1000, 65_536, 1_000_000])
@pytest.mark.parametrize(
    "unit", ["a", "é", "好", "😀", "\\n", "\\u0041", "aé", "a\\n😀"], ids=ascii
)
def test_long_strings(size: int, unit: str) -> None:
    """Long texts, raw and escaped."""
    document = f'["{unit * (size // len(unit))}"]'
    assert snooze.loads(document) == json.loads(document)
    assert snooze.loads(document.encode()) == json.loads(document)


@pytest.mark.parametrize("filler", FILLERS.values(), ids=FILLERS)
def test_keys_of_every_length(filler: str) -> None:
    """Keys shorter and longer than the cached length, twice each, also with an escape."""
    for length in range(140):
        for key in (
            filler * length,
            filler * length + "\\t",
            "\\u00e9" + filler * length,
        ):
            document = f'{{"{key}":1,"x":[{{"{key}":2}}]}}'
            assert snooze.loads(document) == json.loads(document)
            assert snooze.loads(document.encode()) == json.loads(document)


def test_keys_that_differ_in_one_character() -> None:
    """Keys of equal length and nearly equal content stay distinct."""
    for length in (1, 2, 7, 8, 9, 15, 16, 31, 32, 33, 63, 64, 65):
        keys = [
            "a" * place + char + "a" * (length - place - 1)
            for place in range(length)
            for char in "xyz"
        ]
        document = "{" + ",".join(f'"{key}":{n}' for n, key in enumerate(keys)) + "}"
        for _ in range(2):
            assert snooze.loads(document) == {key: n for n, key in enumerate(keys)}


def test_many_keys() -> None:
    """More distinct keys than the cache holds, repeatedly."""
    for round_ in range(3):
        for start in range(0, 20_000, 500):
            keys = [f"key number {n}" for n in range(start, start + 500)]
            document = "{" + ",".join(f'"{key}":{round_}' for key in keys) + "}"
            assert snooze.loads(document) == dict.fromkeys(keys, round_)


@pytest.mark.parametrize(
    ("document", "value"),
    [
        ('{"a":1,"a":2}', {"a": 2}),
        ('{"a":1,"b":2,"a":3}', {"a": 3, "b": 2}),
        ('{"a":{"b":1},"a":{"c":2}}', {"a": {"c": 2}}),
        (r'{"a":1,"\u0061":2}', {"a": 2}),
        ('{"":1,"":2}', {"": 2}),
        ('{"é":1,"\\u00e9":[]}', {"é": []}),
    ],
    ids=ascii,
)
def test_duplicate_keys(document: str, value: dict) -> None:
    """The last value wins, at the position of the first key."""
    loaded = snooze.loads(document)
    assert loaded == value
    assert list(loaded) == list(value)


@given(st.text(st.characters(codec="utf-8")))
def test_any_text(text: str) -> None:
    """Any text, escaped to ASCII or not."""
    for document in (json.dumps(text), json.dumps(text, ensure_ascii=False)):
        assert read(document) == text


def test_key_cache_recovers_from_unique_keys() -> None:
    """After many keys that never repeat, the cache stops and later starts again."""
    records = [
        {"id": number, "name": str(number), "größe": [number]} for number in range(300)
    ]
    usual = json.dumps(records).encode()
    for start in range(0, 6_000, 2_000):
        unique = {
            f"{number:x}-{'é' * (number % 3)}": number
            for number in range(start, start + 2_000)
        }
        assert_same(snooze.loads(json.dumps(unique, ensure_ascii=False)), unique)
        assert_same(snooze.loads(usual), records)


def names_made(stem: str, count: int) -> int:
    """In a child, with an empty cache: load keys in many orders and count the objects."""
    names = [f"{stem}{index}" for index in range(count)]
    orders = [names[shift:] + names[:shift] for shift in range(0, count, 7)]
    found = snooze.loads(json.dumps([dict.fromkeys(order, 1) for order in orders]))
    assert [list(one) for one in found] == orders
    return len({id(name) for one in found for name in one})


@pytest.mark.parametrize(("stem", "count"), [("name_", 90), ("key", 150)])
def test_keys_that_share_a_cache_slot(stem: str, count: int) -> None:
    """Each key is created once, whatever the order."""
    assert int(in_child(names_made, stem, count)) == count
