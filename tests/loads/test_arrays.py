"""loads of arrays of numbers: nested, mixed with other values, and malformed."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

import snooze
from helpers.equality import assert_same
from helpers.isolated import in_child

NUMBERS = [
    "0",
    "-1",
    "1",
    "12",
    "1024",
    "1025",
    "-5",
    "-6",
    "256",
    "257",
    "1073741823",
    "1073741824",
    "-1073741824",
    "999999999999999",
    "1234567890123456",
    "123456789012345678",
    "1152921504606846975",
    "1152921504606846976",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "-9223372036854775808",
    "0.5",
    "-0.0",
    "1.25",
    "3.141592653589793",
    "-65.613616999999977",
    "43.420273000000009",
    "0.1",
    "12345678901234.5",
    "123456789012345.5",
    "1e5",
    "-1.5E-3",
    "0.00000000000000000001",
    "1.7976931348623157e308",
]
OTHERS = ["null", "true", '"text"', "{}", "[]", '{"a":1.5}', '{"b":[0.5,[1.5]]}', '""']


def document(dice: random.Random, depth: int) -> str:
    """Return an array of numbers, arrays and a few other values."""
    items = []
    for _ in range(dice.randrange(1, 7)):
        kind = dice.random()
        if kind < 0.2 and depth > 0:
            items.append(document(dice, depth - 1))
        elif kind < 0.27:
            items.append(dice.choice(OTHERS))
        else:
            items.append(dice.choice(NUMBERS))
    space = dice.choice(["", "", " ", "\n  "])
    return f"[{space}" + f",{space}".join(items) + f"{space}]"


def test_arrays_of_everything() -> None:
    """The values equal those of the stdlib, whatever surrounds the numbers."""
    dice = random.Random(1)
    for _ in range(3_000):
        text = document(dice, 3)
        wrapped = dice.choice(
            ["{}", '{{"k":{}}}', '{{"a":1.5,"k":{},"z":2}}', "[{}]"]
        ).format(text)
        assert_same(snooze.loads(wrapped), json.loads(wrapped))


def outcome(text: str) -> Any:
    """Return the value as text, or the message and place of the error."""
    try:
        return repr(snooze.loads(text))
    except snooze.JSONDecodeError as error:
        return [error.msg, error.pos]


def broken() -> list[str]:
    """Return documents with one character changed, missing or too many."""
    dice = random.Random(2)
    texts = []
    for _ in range(1_500):
        text = document(dice, 2) + " " * dice.choice([0, 40])
        at = dice.randrange(len(text))
        cut = dice.randrange(2)
        texts.append(text[:at] + dice.choice(",[]{}.-e01 x") + text[at + cut :])
    return texts


def outcomes() -> str:
    """Return the outcomes of all broken documents as JSON."""
    return json.dumps([outcome(text) for text in broken()])


def test_errors_are_the_same_without_vectors() -> None:
    """The scalar tier, which reads all decimals in the general walk, finds the same errors."""
    scalar = in_child(outcomes, SNOOZE_CPU="scalar")
    assert json.loads(outcomes()) == json.loads(scalar)


@pytest.mark.parametrize("numbers", [[1.5], list(range(12))])
@pytest.mark.parametrize("depth", [2, 1023, 1024, 1025])
def test_arrays_of_numbers_at_the_limit_of_depth(depth: int, numbers: Any) -> None:
    """Brackets after a decimal or a run of integers count against the same limit."""
    text = (json.dumps(numbers)[:-1] + ",") * (depth - 1) + "[2.5" + "]" * depth
    if depth > 1024:
        with pytest.raises(snooze.JSONDecodeError, match="depth limit exceeded"):
            snooze.loads(text)
        return
    value = snooze.loads(text)
    for _ in range(depth - 1):
        *first, value = value
        assert_same(first, numbers)
    assert_same(value, [2.5])


INTEGERS = [*range(-6, 13), 99, 100, 1024, 1025, -99, 1234567, 12345678, -1234567]
INTEGERS += [10**power + more for power in range(7, 19) for more in (-1, 0)]
INTEGERS += [-(10**power) for power in range(7, 18)]
SEPARATORS = [",", ", ", ",\n", ",\n  ", ", \n    ", " , ", ",\t\r\n "]
SEPARATORS += ["," + spaces * " " for spaces in (7, 8, 15, 16, 31, 32, 63, 64, 70)]


@pytest.mark.parametrize("separator", SEPARATORS)
def test_runs_of_integers(separator: str) -> None:
    """Runs of every length, alone, in rows, in objects, and up to the end of a document."""
    dice = random.Random(separator)
    for length in range(40):
        runs = [dice.choices(INTEGERS, k=length) for _ in range(12)]
        for run in [*runs, [0] * length, list(range(length))]:
            assert_same(snooze.loads(layout(run, separator)), run)
        assert_same(snooze.loads(layout(runs, separator)), runs)
        deep = {"a": runs, "b": [[runs[0], 5], 7], "c": runs[1]}
        assert_same(snooze.loads(layout(deep, separator)), deep)
        mixed = [
            value for run in runs for value in (*run, dice.choice([0.5, "x", None]))
        ]
        assert_same(snooze.loads(layout(mixed, separator)), mixed)


def layout(value: Any, separator: str) -> str:
    """Return the JSON text with this separator, and white space inside brackets."""
    space = separator.replace(",", "")
    return json.dumps(value, separators=(separator, ":")).replace("[", f"[{space}")


def test_runs_of_integers_find_the_same_errors() -> None:
    """Nine integers before an array's elements move the outcome, and do not change it.

    An array has to have some elements before its integers are read as a run, so that the
    elements after nine integers are read in another way than without these.
    """
    compared = 0
    for text in broken():
        if not text.startswith("[") or text[1:].lstrip()[:1] in ("", "]", ",", "}"):
            continue
        for nine in ("1," * 9, "-12,  " * 9, "12345678,\n" * 9):
            found, expected = outcome(f"[{nine}{text[1:]}"), outcome(text)
            if isinstance(expected, str):
                values = [int(one) for one in nine.split(",")[:9]]
                assert found == repr(values + snooze.loads(text)), text
            else:
                assert found == [expected[0], expected[1] + len(nine)], text
            compared += 1
    assert compared > 3_000


def test_integers_of_every_size() -> None:
    """They behave like the interpreter's own ints, in arithmetic and as keys."""
    around = {2**bits + more for bits in range(64) for more in (-1, 0, 1)}
    for value in sorted(around | {-one for one in around} | set(range(-300, 1100))):
        if not -(2**63) <= value < 2**64:
            continue
        text = str(value)
        for padding in ("", " " * 40):
            read = snooze.loads(text + padding)
            assert_same(read, value)
            assert hash(read) == hash(value)
            assert {value: 1}[read] == 1
            assert (read + 1, -read, read >> 7) == (value + 1, -value, value >> 7)
            assert (str(read), read.__sizeof__()) == (text, value.__sizeof__())
