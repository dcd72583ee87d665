"""Conformance: JSONTestSuite, JSON_checker, naughty strings, number and string sets.

The two corpora are fetched (see conftest.py); the other sets are generated here.
"""

from __future__ import annotations

import itertools
import json
import unicodedata
from typing import Any

import pytest

import snooze
from helpers.equality import assert_same
from helpers.support import needs_orjson, orjson, outcome


def strict_stdlib(data: bytes) -> Any:
    """Return the stdlib's value, without its extensions; ints beyond 64 bits are floats."""

    def refuse(token: str) -> None:
        raise ValueError(token)

    def integer(text: str) -> int | float:
        number = int(text)
        return number if -(2**63) <= number < 2**64 else float(text)

    return json.loads(data.decode(), parse_constant=refuse, parse_int=integer)


def test_corpus_is_complete(conformance: dict[str, bytes]) -> None:
    """JSONTestSuite has this many files of each kind."""
    counts = {
        kind: sum(name.startswith(kind) for name in conformance) for kind in "yni"
    }
    assert counts == {"y": 95, "n": 188, "i": 35}


def test_json_test_suite_accepts(conformance: dict[str, bytes]) -> None:
    """Every y_ file is accepted and has the stdlib's value."""
    for name, data in conformance.items():
        if name.startswith("y_"):
            result = outcome(snooze.loads, data)
            assert result.error is None, name
            assert_same(result.value, strict_stdlib(data))
            assert_same(snooze.loads(data.decode()), result.value)
            assert_same(snooze.loads(snooze.dumps(result.value)), result.value)


def test_json_test_suite_rejects(conformance: dict[str, bytes]) -> None:
    """Every n_ file is a JSONDecodeError."""
    for name, data in conformance.items():
        if name.startswith("n_"):
            assert outcome(snooze.loads, data).error is json.JSONDecodeError, name


#: The i_ files, which a parser may accept or refuse, that snooze accepts.
CHOSEN = {
    "i_number_double_huge_neg_exp.json",
    "i_number_real_underflow.json",
    "i_number_too_big_neg_int.json",
    "i_number_too_big_pos_int.json",
    "i_number_very_big_negative_int.json",
    "i_structure_500_nested_arrays.json",
}


def test_json_test_suite_choices(conformance: dict[str, bytes]) -> None:
    """Exactly the i_ files that orjson accepts are accepted."""
    accepted = set()
    for name, data in conformance.items():
        if name.startswith("i_"):
            result = outcome(snooze.loads, data)
            if result.error is None:
                accepted.add(name)
                assert_same(result.value, strict_stdlib(data))
            else:
                assert result.error is json.JSONDecodeError, name
    assert accepted == CHOSEN


@needs_orjson
def test_json_test_suite_matches_orjson(conformance: dict[str, bytes]) -> None:
    """Each file of the corpus has orjson's value, or orjson's error with its position."""
    for name, data in conformance.items():
        ours, theirs = outcome(snooze.loads, data), outcome(orjson.loads, data)
        if is_false_memory_error(theirs):
            assert ours.error is json.JSONDecodeError
            continue
        assert ours.error == theirs.error, name
        assert (ours.text, ours.place) == (theirs.text, theirs.place), name
        assert_same(ours.value, theirs.value)


def is_false_memory_error(result: Any) -> bool:
    """Return whether orjson failed for lack of buffer space in a document full of brackets."""
    return result.place[:1] == ("failed to allocate memory",)


def test_json_checker(json_checker: dict[str, bytes]) -> None:
    """pass files are accepted; fail files are refused, except two that RFC 8259 allows."""
    allowed = {"fail1.json", "fail18.json"}  # a scalar root; depth 20
    assert {name for name in json_checker if name.startswith("pass")}
    for name, data in json_checker.items():
        result = outcome(snooze.loads, data)
        if name.startswith("pass") or name in allowed:
            assert result.error is None, name
            assert_same(result.value, json.loads(data))
        else:
            assert result.error is json.JSONDecodeError, name


NUMBERS = [
    *("0.0", "-0.0", "1.2345", "-1.2345", "5e-324", "2.225073858507201e-308"),
    *("2.2250738585072014e-308", "1.7976931348623157e+308", "1e-05", "0.0001", "1e+22"),
    *("123456789.12345679", "-1e-320", "9007199254740992.0", "4.35", "0.3", "1e+16"),
]


@pytest.mark.parametrize("text", NUMBERS)
def test_number_round_trip(text: str) -> None:
    """A number that is read, written and read again is the same double."""
    number = snooze.loads(text)
    again = snooze.loads(snooze.dumps(number))
    assert_same(number, float(text))
    assert_same(again, number)


ROUND_TRIP = [
    *(
        "[null]",
        "[true]",
        "[false]",
        "[0]",
        '["foo"]',
        "[]",
        "{}",
        "[0,1]",
        '{"foo":"bar"}',
    ),
    *('{"a":null,"foo":"bar"}', "[-1]", "[-2147483648]", "[-1234567890123456789]"),
    *("[-9223372036854775808]", "[1]", "[2147483647]", "[4294967295]"),
    *("[1234567890123456789]", "[9223372036854775807]", "[0.0]", "[-0.0]", "[1.2345]"),
    *("[-1.2345]", "[5e-324]", "[2.225073858507201e-308]", "[2.2250738585072014e-308]"),
    *("[1.7976931348623157e+308]", "[18446744073709551615]", '["\\u0001"]', '["\\""]'),
]


@pytest.mark.parametrize("document", ROUND_TRIP)
def test_document_round_trip(document: str) -> None:
    """Compact documents are written back byte for byte."""
    assert snooze.dumps(snooze.loads(document)) == document.encode()


def naughty_strings() -> list[str]:
    """Return texts of the kinds that break programs, made from the Unicode tables."""
    texts = [
        "",
        " ",
        "undefined",
        "null",
        "NULL",
        "(null)",
        "nil",
        "true",
        "\\",
        "\\\\",
    ]
    texts += [
        "0",
        "1/0",
        "-1",
        "1e1000",
        "NaN",
        "0x0",
        "1,000",
        "1.0/0.0",
        "--1",
        "--version",
    ]
    texts += [
        "<script>alert(1)</script>",
        "'; DROP TABLE x; --",
        "${7*7}",
        "{{7*7}}",
        "%s%n",
    ]
    texts += [
        "../../../etc/passwd",
        "$HOME",
        "`ls`",
        "a\x00b",
        "\r\n\r\n",
        '"',
        "'",
        '"\'"',
    ]
    texts += [
        "C:\\x",
        "\\u0041",
        "\\ud800",
        "</json>",
        "[1",
        '{"a":',
        "//",
        "/*",
        "*/",
        "#",
    ]
    by_category: dict[str, list[str]] = {}
    for point in itertools.chain(range(0xD800), range(0xE000, 0x110000)):
        char = chr(point)
        by_category.setdefault(unicodedata.category(char), []).append(char)
    for chars in by_category.values():
        texts += ["".join(chars[:60]), "".join(chars[-60:]), chars[0] * 33]
    marks = "".join(by_category["Mn"][:40])
    texts += [
        "Z" + marks,
        "\u202e" + "right to left" + "\u202c",
        "\u200b" * 70,
        "\ufeff",
    ]
    texts += [
        "👩\u200d👩\u200d👧",
        "🏳️\u200d🌈",
        "🇫🇷🇩🇪",
        "1️⃣",
        "\U000e0001",
        "ﷺ" * 20,
        "Ω≈ç√∫",
        "田中さん",
    ]
    texts += [
        "é",
        "e\u0301",
        "ǅ",
        "İi",
        "ß",
        "\u2028\u2029\x85\xa0",
        "\ufffe\uffff\U0010ffff",
    ]
    return texts


def test_naughty_strings() -> None:
    """Each text survives as a value and as a key, and is read as a whole document."""
    for text in naughty_strings():
        written = snooze.dumps({text: [text]})
        assert (
            written
            == json.dumps(
                {text: [text]}, ensure_ascii=False, separators=(",", ":")
            ).encode()
        )
        assert snooze.loads(written) == {text: [text]}
        assert snooze.loads(json.dumps([text])) == [text]
        for data in (text, text.encode()):
            result = outcome(snooze.loads, data)
            if result.error is None:
                assert_same(result.value, json.loads(text))
            else:
                assert result.error is json.JSONDecodeError


def test_every_short_document() -> None:
    """All documents of up to four characters from the grammar's alphabet."""
    alphabet = '[]{},:"\\0-.e1t \n'
    for length in range(1, 5):
        for chars in itertools.product(alphabet, repeat=length):
            text = "".join(chars)
            ours = outcome(snooze.loads, text)
            theirs = outcome(json.loads, text)
            assert (ours.error is None) == (theirs.error is None), text
            if ours.error is None:
                assert_same(ours.value, theirs.value)
