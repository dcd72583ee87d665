"""`syntax`: JSON with comments, and JSON5, with and without a type."""

from __future__ import annotations

import dataclasses
import sys
import unicodedata
from decimal import Decimal
from typing import Any

import pytest

import snooze
from helpers.equality import assert_same
from helpers.support import outcome
from snooze import Decoder, JSONDecodeError

JSONC: Decoder[Any] = Decoder(syntax="jsonc")
JSON5: Decoder[Any] = Decoder(syntax="json5")

CONFIG = """\
// settings
{
  name: 'server', /* quoted */ "port": 0x1F90,
  ratios: [.5, 1., +2],
  note: 'it\\'s \\
long',
}
"""


@dataclasses.dataclass
class Config:
    """What `CONFIG` holds."""

    name: str
    port: int
    ratios: list[float]
    note: str = ""


def test_jsonc() -> None:
    """Comments of both kinds and trailing commas, anywhere JSON has white space."""
    text = '/* a */ {"a": [1, 2, /* , */ ], // b\n "u": "http://x", } // end'
    assert JSONC.decode(text) == {"a": [1, 2], "u": "http://x"}
    for wrong in (
        "[,]",
        "[1,,]",
        "{,}",
        "[1 /* ]",
        "{a: 1}",
        "['a']",
        "[1] /x",
        "# a\n1",
    ):
        with pytest.raises(JSONDecodeError):
            JSONC.decode(wrong)


def test_json5() -> None:
    """Names, quotes, numbers, and escapes of several kinds."""
    expected = {
        "name": "server",
        "port": 8080,
        "ratios": [0.5, 1.0, 2],
        "note": "it's long",
    }
    assert_same(JSON5.decode(CONFIG), expected)
    assert_same(JSON5.decode(CONFIG.encode()), expected)


def test_json5_into_a_class() -> None:
    """The same document, with types."""
    decoder = Decoder(Config, syntax="json5")
    assert decoder.decode(CONFIG) == Config(
        "server", 8080, [0.5, 1.0, 2.0], "it's long"
    )
    assert Decoder(int, syntax="json5", at="/port").decode(CONFIG) == 8080
    decimals = Decoder(list[Decimal], syntax="json5").decode("[.10, +1.50]")
    assert repr(decimals) == "[Decimal('0.10'), Decimal('1.50')]"


def test_problems_have_their_places_in_the_document() -> None:
    """Not in what it is rewritten as."""
    text = "{\n  // é\n  name: 'a', port: 'x', /* */ ratios: [1, 'y'],\n}"
    decoder = Decoder(Config, syntax="json5", errors="all")
    with pytest.raises(snooze.ValidationError) as caught:
        decoder.decode(text)
    first, second = caught.value.errors
    data = text.encode()
    assert (first.pointer, data[first.offset :][:3]) == ("/port", b"'x'")
    assert (second.pointer, data[second.offset :][:3]) == ("/ratios/1", b"'y'")
    assert (first.line, first.column) == (3, 20)
    assert "(line 3 column 20)" in first.message
    assert caught.value.doc == text
    assert text[caught.value.pos :].startswith("'x'")
    assert (caught.value.lineno, caught.value.colno) == (3, 20)


def test_the_cause_of_a_problem_survives() -> None:
    """The exception of the code that rejected a value."""

    def refuse(tp: Any, value: Any) -> Any:
        raise ValueError(f"no {value}")

    class Own:
        """Known to `dec_hook` only."""

    with pytest.raises(
        snooze.ValidationError, match=r"line 1 column 7\): no 1"
    ) as caught:
        Decoder(Own, syntax="jsonc", dec_hook=refuse).decode("/* */ 1")
    assert isinstance(caught.value.__cause__, ValueError)


def test_syntax_errors_with_a_type() -> None:
    """The same as without one."""
    for text in ("{name: }", "[1 /*", "{name: 'a' 'b'}", "", "{'a': 1e999, 'b': }"):
        with pytest.raises(JSONDecodeError) as typed:
            Decoder(Config, syntax="json5").decode(text)
        with pytest.raises(JSONDecodeError) as untyped:
            JSON5.decode(text)
        if "1e999" not in text:
            assert str(typed.value) == str(untyped.value)
    with pytest.raises(JSONDecodeError, match="NaN and Infinity") as caught:
        Decoder(list[float], syntax="json5").decode("[1, NaN]")
    assert caught.value.pos == 4


def test_numbers_that_are_too_large_with_a_type() -> None:
    """The place of a number beyond the range of a double, and of a long hexadecimal."""
    with pytest.raises(JSONDecodeError) as caught:
        Decoder(list[float], syntax="json5").decode("[ 1, /* */ 1e999]")
    assert caught.value.pos == 11
    with pytest.raises(JSONDecodeError, match="more than 128 bits") as caught:
        Decoder(list[int], syntax="json5").decode("[0x" + "f" * 33 + "]")
    assert caught.value.pos == 1


@pytest.mark.parametrize(
    "options",
    [
        {"syntax": "jsonc"},
        {"syntax": "json5"},
        {"numbers": "decimal"},
        {"numbers": "raw"},
        {"nan": "accept"},
        {"duplicates": "first"},
        {"surrogates": "replace"},
        {"surrogates": "keep"},
        {"encoding": "detect"},
        {"encoding": "utf-8-sig"},
        {"max_depth": 100_000},
        {"max_size": 10_000_000},
        {"object_hook": dict},
        {"type": object, "syntax": "json5"},
    ],
)
def test_json_test_suite_is_accepted_under_every_option(
    conformance: dict[str, bytes], options: dict[str, Any]
) -> None:
    """No option takes valid JSON away; the values are those of a Decoder without it."""
    decoder: Any = Decoder(**options)
    plain: Decoder[Any] = Decoder()
    for name, data in conformance.items():
        if not name.startswith("y_"):
            continue
        found = decoder.decode(data)
        if options.get("duplicates") and "duplicated_key" in name:
            continue
        if "numbers" not in options:
            assert_same(found, plain.decode(data))
        if options.get("numbers") == "raw":
            assert snooze.decode(snooze.encode(found)) == plain.decode(data), name


@pytest.mark.parametrize(
    "options", [{"duplicates": "first"}, {"numbers": "decimal"}, {"max_depth": 1024}]
)
def test_json_test_suite_is_refused_with_the_errors_of_loads(
    conformance: dict[str, bytes], options: dict[str, Any]
) -> None:
    """Options that are no syntax accept nothing more, and report the same."""
    decoder: Any = Decoder(**options)
    for name, data in conformance.items():
        if name.startswith("n_"):
            ours, theirs = outcome(decoder.decode, data), outcome(snooze.loads, data)
            assert ours.error is theirs.error, name
            text = ours.text.replace("exceeded: max_depth is 1024", "exceeded")
            assert text == theirs.text, name


def test_names_without_quotes_in_all_of_unicode() -> None:
    """ECMAScript 5.1 goes by the general categories; also those of no ASCII letter.

    Python's table may be older than the Decoder's: what it does not know is left out.
    """
    letters = {"Lu", "Ll", "Lt", "Lm", "Lo", "Nl"}
    parts = letters | {"Mn", "Mc", "Nd", "Pc"}
    wrong = []
    for code in range(sys.maxunicode + 1):
        char = chr(code)
        category = unicodedata.category(char)
        if category in {"Cn", "Cs", "Co"} or char in {"\\", ":", "/"}:
            continue
        if char.isspace() or char == "\ufeff":
            continue
        starts = category in letters or char in "$_"
        continues = starts or category in parts or char in "\u200c\u200d"
        for name, expected in ((char, starts), (f"a{char}", continues)):
            found = outcome(JSON5.decode, f"{{{name}:1}}").value == {name: 1}
            if found != expected:
                wrong.append((hex(code), category, name))
    assert not wrong
