"""Arrays of numbers with a type: each item is what its own decoder makes of it.

Numbers in arrays are read in a loop of their own, many at once where they are alike. So
every kind of number stands here beside every other, with every separator.
"""

from __future__ import annotations

import math
import random
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import snooze
from helpers.equality import assert_same
from helpers.typed_tools import Decoder
from snooze import Ge, Gt, Le, Lt, MultipleOf

ITEMS: list[Any] = [
    *(int, float, float | None, int | str, Any, bool | float),
    Annotated[int, Ge(0), Le(10**12)],
    Annotated[float, Gt(-100), Lt(1e9)],
    Annotated[int, MultipleOf(5)] | None,
    *(list[float], tuple[float, int]),
]
DECODERS = {
    index: (Decoder(item), Decoder(list[item]), Decoder(tuple[item, ...]))
    for index, item in enumerate(ITEMS)
}
NUMBERS = [
    *(
        "0",
        "-0",
        "1",
        "-1",
        "7",
        "255",
        "-256",
        "1024",
        "1025",
        "12345678",
        "-123456789",
    ),
    *("999999999999999999", "1000000000000000000", "9223372036854775807"),
    *("-9223372036854775808", "9223372036854775808", "18446744073709551616"),
    *("123456789012345678901234567890", "0.0", "-0.0", "0.5", "-1.5", "3.25", "1e5"),
    *("1E-7", "-2.5e10", "0.696468466152", "-65.613616999999977", "1234567.125"),
    *("12345678901234.56789", "9007199254740993.5", "1e308", "123456789012345.5"),
]
ODD = ['"x"', "null", "true", "[]", "[1.5]", "[1.5,2]", "{}", '"1"']
WRONG = ["01", "1.", "-", "+1", ".5", "1e", "--1", "1.5.5", "0x1", "1,", "1]1", "nul"]
SEPARATORS = [",", ", ", ",\n", " ,", ",\n    ", ",\t", ",\r\n  "]


def check(index: int, texts: list[str], separator: str, space: str) -> None:
    """Compare arrays with their items, each decoded alone."""
    single, as_list, as_tuple = DECODERS[index]
    document = "[" + space + separator.join(texts) + space + "]"
    expected = []
    for at, text in enumerate(texts):
        try:
            expected.append(single.decode(text))
        except snooze.ValidationError:
            with pytest.raises(snooze.ValidationError) as caught:
                as_list.decode(document)
            assert caught.value.pointer.split("/")[1] == str(at)
            return
    assert_same(as_list.decode(document), expected)
    assert_same(as_tuple.decode(document), tuple(expected))


@pytest.mark.parametrize("index", range(len(ITEMS)))
@pytest.mark.parametrize("separator", SEPARATORS)
def test_long_runs(index: int, separator: str) -> None:
    """Runs of each number, and of several, interrupted by each other text."""
    source = random.Random(index)
    for number in NUMBERS:
        for count in (1, 8, 9, 41, 75):
            check(index, [number] * count, separator, " " * (count % 2))
        other = source.choice(NUMBERS + ODD)
        texts = [number] * 20 + [other] + [number] * 20
        check(index, texts, separator, "")
    for _ in range(50):
        texts = source.choices(NUMBERS, k=source.randrange(1, 90))
        check(index, texts, separator, "")


@given(
    st.sampled_from(range(len(ITEMS))),
    st.lists(st.sampled_from(NUMBERS + ODD), min_size=1, max_size=60),
    st.sampled_from(SEPARATORS),
)
def test_any_items(index: int, texts: list[str], separator: str) -> None:
    """Items of all kinds in any order."""
    check(index, texts, separator, "")


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=120))
def test_floats(values: list[float]) -> None:
    """They come back with all their bits."""
    texts = [repr(value) for value in values]
    for separator in (",", ", "):
        document = "[" + separator.join(texts) + "]"
        assert_same(Decoder(list[float]).decode(document), values)
        assert_same(snooze.loads(document), values)
        assert_same(Decoder(set[float]).decode(document), set(values))


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("before", [0, 1, 8, 9, 40, 41, 42])
def test_faults_are_those_of_loads(wrong: str, before: int) -> None:
    """Wherever a run has come to, a fault is found where `loads` finds it."""
    for number in ("1.5", "123", "7.25e3"):
        for tail in ("]", ",2.5]", ",3]", ""):
            text = "[" + ",".join([number] * before + [wrong]) + tail
            with pytest.raises(snooze.JSONDecodeError) as expected:
                snooze.loads(text)
            for tp in (list[float], list[float | None], tuple[float, ...], set[float]):
                with pytest.raises(snooze.JSONDecodeError) as caught:
                    Decoder(tp).decode(text)
                assert str(caught.value) == str(expected.value), (tp, text)


def test_zero_keeps_its_sign() -> None:
    """A minus sign before an integer zero reaches the float."""
    for count in (1, 9, 41):
        found = Decoder(list[float]).decode("[" + ",".join(["-0"] * count) + "]")
        assert [math.copysign(1, value) for value in found] == [-1.0] * count


def test_problems_have_the_index_of_the_item() -> None:
    """Behind runs, too, and all of them with `errors="all"`."""
    texts = ["0.5"] * 50 + ["null"] + ["2.5"] * 50 + ['"x"'] + ["3"] * 50
    with pytest.raises(snooze.ValidationError) as caught:
        Decoder(list[float], errors="all").decode("[" + ",".join(texts) + "]")
    assert [problem.pointer for problem in caught.value.errors] == ["/50", "/101"]
    with pytest.raises(snooze.ValidationError, match=r"at \$\[60\]"):
        Decoder(list[int]).decode("[" + ",".join(["5"] * 60 + ["5.5"]) + "]")
