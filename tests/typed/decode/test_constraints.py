"""Typed decoding with constraints: bounds, multiples, lengths, patterns, predicates."""

from __future__ import annotations

import dataclasses
import itertools
import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Any

import pytest

import snooze
from helpers.typed_tools import Decoder, ValidationError, accept, refusal, refuse
from snooze import Ge, Gt, Le, Len, Lt, MaxLen, MinLen, MultipleOf, Pattern

AT = "at $ (line 1 column 1)"
LOW, HIGH = -(2**63), 2**63 - 1
EDGES = [
    *(
        LOW - 2,
        LOW - 1,
        LOW,
        LOW + 1,
        -(2**53),
        -2,
        -1,
        0,
        1,
        2,
        2**31,
        2**53,
        HIGH - 1,
        HIGH,
    ),
    *(
        HIGH + 1,
        HIGH + 2,
        2**64 - 1,
        2**64,
        2**64 + 1,
        -(2**64),
        10**25,
        -(10**25),
        10**400,
    ),
]
#: Each constraint, Python's equivalent, and its text in messages.
SIGNS: dict[Any, tuple[Any, str]] = {
    Gt: (lambda value, bound: value > bound, ">"),
    Ge: (lambda value, bound: value >= bound, ">="),
    Lt: (lambda value, bound: value < bound, "<"),
    Le: (lambda value, bound: value <= bound, "<="),
}


@pytest.mark.parametrize("kind", SIGNS)
@pytest.mark.parametrize(
    "bound",
    [*EDGES, 0.5, -0.5, 1e18, 1e19, -1e19, math.inf, -math.inf],
    ids=lambda bound: str(bound)[:26],
)
def test_int_bounds(kind: Any, bound: Any) -> None:
    """Bounds hold as Python compares, on either side of each edge."""
    holds, sign = SIGNS[kind]
    decoder = Decoder(Annotated[int, kind(bound)])
    for value in EDGES:
        if holds(value, bound):
            assert decoder.decode(str(value)) == value
        else:
            error = refusal(Annotated[int, kind(bound)], str(value))
            shown = str(value) if len(str(value)) <= 40 else str(value)[:40] + "..."
            assert error.msg == f"expected int {sign} {bound}, found {shown} {AT}"
            assert error.__cause__ is None


@pytest.mark.parametrize(
    "of", [1, 2, 3, 7, 10, 2**31, 2**62, HIGH, HIGH + 1, 10**20, 0.5, 1.5]
)
def test_multiples_of_ints(of: Any) -> None:
    """Multiples are exact at any size."""
    tp = Annotated[int, MultipleOf(of)]
    decoder = Decoder(tp)
    exact = Fraction(of)
    values = [
        *EDGES,
        *(
            int(exact * k)
            for k in (-3, 2, 10**20, 2**70)
            if (exact * k).denominator == 1
        ),
    ]
    for value in values:
        if Fraction(value) % exact == 0:
            assert decoder.decode(str(value)) == value
        else:
            assert (
                refusal(tp, str(value)).errors[0].expected == f"int a multiple of {of}"
            )


def test_multiples_for_ints_beyond_doubles() -> None:
    """An int that no float can hold is checked like any other."""
    refusal(Annotated[int, MultipleOf(0.75)], "1" + "0" * 400)


FLOATS = [
    *(
        -math.inf,
        -1.7e308,
        -1.5,
        -1.0,
        -5e-324,
        0.0,
        5e-324,
        0.1,
        0.5,
        1.0,
        1.5,
        2.0**53,
    ),
    *(9223372036854775807.0, 1.7e308, math.inf),
]


@pytest.mark.parametrize("kind", SIGNS)
def test_float_bounds(kind: Any) -> None:
    """Bounds hold as Python compares, for values written as ints and as floats."""
    holds, sign = SIGNS[kind]
    for bound, value in itertools.product(FLOATS, FLOATS):
        if math.isinf(value):
            continue
        tp = Annotated[float, kind(bound)]
        # typing returns an equal Annotated of another test: Ge(0) instead of Ge(0.0).
        stated = getattr(tp.__metadata__[0], kind.__name__.lower())
        texts = [repr(value)] + (
            [str(int(value))] if value.is_integer() and abs(value) < 1e18 else []
        )
        for text in texts:
            if holds(value, bound):
                accept(tp, text, float(text))
            else:
                assert (
                    refusal(tp, text).msg
                    == f"expected float {sign} {stated}, found {text} {AT}"
                )
    accept(Annotated[float, Ge(Decimal("0.1"))], "0.25", 0.25)
    accept(Annotated[float, Lt(2**70 + 1)], "1.180591620717411303424e21", 2.0**70)
    refuse(
        Annotated[float, Lt(2**70 - 1)],
        "1180591620717411303424",
        f"expected float < {2**70 - 1}, found 1180591620717411303424 {AT}",
    )


def test_multiples_of_floats() -> None:
    """Multiples of values that doubles represent exactly."""
    for of, text in (
        (0.5, "1.5"),
        (0.25, "-0.75"),
        (1, "3"),
        (2.5, "1e1"),
        (0.5, "1e308"),
        (3.0, "-0.0"),
        (Decimal("0.01"), "-1.0"),
        (Decimal("0.01"), "2.75"),
        (Decimal("1e-400"), "1.5"),
        (2**53 + 1, "0.0"),
    ):
        accept(Annotated[float, MultipleOf(of)], text, float(text))
    for of, text in (
        (0.5, "1.25"),
        (2, "3"),
        (2, "3.0"),
        (1, "0.5"),
        (7, "1e-300"),
        # These are not the numbers that the doubles are.
        (Decimal("0.01"), "0.01"),
        (2**53 + 1, "9007199254740992.0"),
        (10**400, "1.5"),
    ):
        refuse(
            Annotated[float, MultipleOf(of)],
            text,
            f"expected float a multiple of {of}, found {text} {AT}",
        )


def test_several_constraints() -> None:
    """All constraints hold; of two bounds the tighter one."""
    tp = Annotated[int, Ge(0), Lt(10), MultipleOf(3), Gt(-5), Lt(100)]
    label = "int >= 0 and < 10 and a multiple of 3"
    for value in (0, 3, 6, 9):
        accept(tp, str(value), value)
    for value in (-3, 12, 1):
        error = refusal(tp, str(value))
        assert error.errors[0].expected in {
            label,
            "int > -5 and >= 0 and < 10 and a multiple of 3",
        }
    accept(Annotated[Annotated[int, Ge(0)], Le(5)], "5", 5)
    refuse(
        Annotated[Annotated[int, Ge(0)], Le(5)],
        "6",
        f"expected int >= 0 and <= 5, found 6 {AT}",
    )
    refuse(Annotated[int, Ge(0)], "1.0", f"expected int >= 0, found float {AT}")
    refuse(
        Annotated[int | None, Ge(0)], "-1", f"expected int >= 0 or null, found -1 {AT}"
    )
    accept(Annotated[int | None, Ge(0)], "null", None)
    refuse(
        Annotated[int | str, Ge(0), MinLen(1)],
        '""',
        f'expected int >= 0 or str of length >= 1, found "" {AT}',
    )


def test_decimals() -> None:
    """Bounds and multiples are compared as Decimals."""
    tp = Annotated[Decimal, Gt(0), Le(Decimal("1.1"))]
    accept(tp, "1.1", Decimal("1.1"))
    accept(tp, '"0.1"', Decimal("0.1"))
    for text in ("0", "1.10000000000000000000000001", '"-1"'):
        refuse(tp, text, f"expected decimal > 0 and <= 1.1, found {text} {AT}")
    refuse(
        Annotated[Decimal, MultipleOf(Decimal("0.1"))],
        "0.25",
        f"expected decimal a multiple of 0.1, found 0.25 {AT}",
    )
    accept(Annotated[Decimal, MultipleOf(Decimal("0.1"))], "0.3", Decimal("0.3"))
    accept(Annotated[Decimal, MultipleOf(0.5)], "1.5", Decimal("1.5"))
    # Whatever the size, the decimal context, and the binary value of a float.
    accept(Annotated[Decimal, MultipleOf(0.5)], "1e99999999", Decimal("1e99999999"))
    cent = Annotated[Decimal, MultipleOf(0.01)]
    for text in (
        "19.99",
        "0",
        "-0.03",
        "1e400",
        "12345678901234567890123456789012345.67",
    ):
        accept(cent, text, Decimal(text))
    for text in ("19.995", "1e-99999999", "12345678901234567890123456789012345.678"):
        refuse(cent, text, f"expected decimal a multiple of 0.01, found {text} {AT}")
    refuse(
        Annotated[Decimal, MultipleOf(3)],
        "1e99999999",
        f"expected decimal a multiple of 3, found 1e99999999 {AT}",
    )
    accept(Annotated[int, MultipleOf(0.1)], "7", 7)
    long = "1" * 6000
    accept(Annotated[Decimal, MultipleOf(1)], f'"{long}"', Decimal(long))
    with pytest.raises(ValueError, match="finite number greater than 0, not inf"):
        MultipleOf(float("inf"))


@pytest.mark.parametrize(
    "unit", ["a", "\u00e9", "\u8a9e", "\U0001f600", "\\u00e9", "\\ud83d\\ude00", "\\n"]
)
def test_lengths_of_strings(unit: str) -> None:
    """Lengths count code points, escaped or not."""
    for count in range(6):
        text = f'"{unit * count}"'
        for constraint, low, high in (
            (Len(2, 4), 2, 4),
            (MinLen(3), 3, 99),
            (MaxLen(2), 0, 2),
            (Len(3, 3), 3, 3),
            (Len(), 0, 99),
        ):
            tp = Annotated[str, constraint]
            if low <= count <= high:
                accept(tp, text, snooze.loads(text))
            else:
                found = refusal(tp, text).errors[0].found
                assert found == text or text.startswith(found.removesuffix("..."))


def test_labels_of_length_constraints() -> None:
    """The label states the range of allowed lengths."""
    for constraint, words in (
        (Len(2, 4), "of length 2 to 4"),
        (MinLen(3), "of length >= 3"),
        (MaxLen(0), "of length 0"),
        (MaxLen(2), "of length <= 2"),
        (Len(9, 9), "of length 9"),
    ):
        for tp, text, name, found in (
            (str, '"abcde"', "str", '"abcde"'),
            (list[int], "[1,2,3,4,5]", "array", "array of 5"),
            (tuple[int, ...], "[1,2,3,4,5]", "array", "array of 5"),
            (set[int], "[1,2,3,4,5]", "array", "array of 5"),
            (frozenset[int], "[1,2,3,4,5]", "array", "array of 5"),
            (
                dict[str, int],
                '{"a":1,"b":1,"c":1,"d":1,"e":1}',
                "object",
                "object of 5",
            ),
        ):
            if constraint != MinLen(3):
                refuse(
                    Annotated[tp, constraint],
                    text,
                    f"expected {name} {words}, found {found} {AT}",
                )
            else:
                accept(Annotated[tp, constraint], text, Decoder(tp).decode(text))


def test_lengths_of_sets_and_dicts() -> None:
    """The length is that of the result, not that of the array or object in the document."""
    accept(Annotated[set[int], Len(1, 1)], "[1,1,1]", {1})
    accept(Annotated[dict[str, int], MaxLen(1)], '{"a":1,"a":2}', {"a": 2})
    accept(Annotated[dict[int, int], MaxLen(1)], '{"1":1,"1":2}', {1: 2})
    error = refusal(Annotated[set[int], MinLen(2)], "[1,1]")
    assert error.errors[0].expected == "array of length >= 2"


def test_lengths_found_in_messages() -> None:
    """The message counts what it found in the same way."""
    error = refusal(Annotated[set[int], MinLen(2)], "[1,1]")
    assert error.errors[0].found == "array of 1"


def test_patterns() -> None:
    """A match anywhere is enough, as with `re.search`; patterns combine with lengths."""
    tp = Annotated[str, Pattern(r"^a+$")]
    accept(tp, '"aaa"', "aaa")
    accept(tp, '"\\u0061"', "a")
    refuse(tp, '"b"', f'expected str matching "^a+$", found "b" {AT}')
    accept(Annotated[str, Pattern("b")], '"abc"', "abc")
    accept(Annotated[str, Pattern("\u00e9")], '"caf\u00e9"', "caf\u00e9")
    accept(dict[Annotated[str, Pattern("^x")], int], '{"xy":1}', {"xy": 1})
    refuse(
        dict[Annotated[str, Pattern("^x")], int],
        '{"y":1}',
        'expected str matching "^x", found "y" at $.y (line 1 column 2)',
    )
    both = Annotated[str, Pattern("^a"), Pattern("z$"), MaxLen(3)]
    accept(both, '"abz"', "abz")
    for text in ("ab", "bz", "abbz"):
        refusal(both, f'"{text}"')


def test_constraints_of_other_packages() -> None:
    """Classes that look like those of annotated-types, predicates included."""

    @dataclass(frozen=True)
    class Predicate:
        func: Any

    @dataclass(frozen=True)
    class Interval:
        gt: Any = None
        ge: Any = None
        lt: Any = None
        le: Any = None

    def even(value: int) -> bool:
        return value % 2 == 0

    accept(Annotated[int, Predicate(even)], "2", 2)
    error = refusal(Annotated[int, Predicate(even)], "3")
    assert error.errors[0].found == "3"
    assert "even holds" in error.errors[0].expected
    accept(Annotated[int, Interval(ge=1, lt=3)], "2", 2)
    refuse(
        Annotated[int, Interval(ge=1, lt=3)],
        "3",
        f"expected int >= 1 and < 3, found 3 {AT}",
    )
    accept(Annotated[list[int], Predicate(any)], "[0,1]", [0, 1])
    assert refusal(Annotated[list[int], Predicate(any)], "[0]").errors[0].found in {
        "array",
        "array of 1",
    }

    def broken(value: Any) -> bool:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        Decoder(Annotated[int, Predicate(broken)]).decode(b"1")


def test_constraints_in_classes() -> None:
    """Constraints on fields, items and keys; each problem has its own place."""

    @dataclass
    class Limited:
        a: Annotated[int, Ge(0)]
        b: Annotated[list[Annotated[str, MaxLen(1)]], MinLen(1)] = dataclasses.field(
            default_factory=list
        )

    accept(Limited, '{"a":0}', Limited(0))
    refuse(
        Limited,
        '{"a":-1,"b":["x","xy"]}',
        "expected int >= 0, found -1 at $.a (line 1 column 6)",
        'expected str of length <= 1, found "xy" at $.b[1] (line 1 column 18)',
    )
    refuse(
        Limited,
        '{"a":1,"b":[]}',
        "expected array of length >= 1, found array of 0 at $.b (line 1 column 12)",
    )


@pytest.mark.parametrize(
    "tp",
    [
        *(Annotated[str, Ge(1)], Annotated[int, MinLen(1)], Annotated[bool, Ge(1)]),
        *(
            Annotated[int, Pattern("a")],
            Annotated[str, snooze.Aware],
            Annotated[dict[str, int], Gt(1)],
        ),
    ],
    ids=repr,
)
def test_constraints_that_do_not_apply(tp: Any) -> None:
    """Constraints that do not apply to their type are refused when the plan is made."""
    with pytest.raises(TypeError, match="cannot constrain this type"):
        Decoder(tp)


def test_bounds_beyond_doubles() -> None:
    """Ints and Decimals beyond doubles are valid bounds."""
    accept(Annotated[float, Le(10**400)], "1.5", 1.5)
    accept(Annotated[int, Le(Decimal("1e400"))], str(10**400), 10**400)
    assert refusal(Annotated[int, Ge(Decimal("1e400"))], "5").errors[0].found == "5"
    assert refusal(Annotated[int, Le(Decimal("-1e400"))], "5").errors[0].found == "5"
    assert refusal(Annotated[float, Ge(10**400)], "5").errors[0].found == "5"
    assert refusal(Annotated[int, Ge(Decimal("Infinity"))], "5").errors[0].found == "5"


def test_lengths_beyond_any_string() -> None:
    """A length that no string can have is still a valid constraint."""
    for constraint in (MaxLen(2**63), MaxLen(2**70), Len(0, 10**30)):
        accept(Annotated[str, constraint], '"a"', "a")
        accept(Annotated[list[int], constraint], "[1]", [1])
        accept(Annotated[bytes, constraint], '"AA=="', b"\0")
    for tp in (str, bytes):
        error = refusal(Annotated[tp, MinLen(2**70)], '"AA=="')
        assert error.errors[0].expected.startswith(
            ("str of length >= 11", "base64 str of length >= 11")
        )


def test_the_limit_of_checks() -> None:
    """Checks are nested calls; their number is limited so that the stack suffices."""

    class Predicate:
        def __init__(self, func: Any) -> None:
            self.func = func

    def checks(count: int) -> Any:
        return Annotated[(int, *(Predicate(lambda value: value > 0),) * count)]

    decoder = Decoder(checks(100))
    assert decoder.decode("1") == 1
    with pytest.raises(ValidationError):
        decoder.decode("0")
    for count in (101, 50_000):
        with pytest.raises((ValueError, RecursionError)):
            Decoder(checks(count))


@pytest.mark.parametrize("divisor", [3, 7, 0.1, 0.5, 1e-3, 2**60, 1e300])
def test_multiples_of_floats_are_exact(divisor: float) -> None:
    """Large quotients are rounded to whole numbers, and small ones may be, too."""
    tp = Annotated[float, MultipleOf(divisor)]
    for value in [0.0, 0.3, 1.1, 21.0, 1e17, 2.0**53 + 2, 3.0 * 2**70, 1e300, 5e-324]:
        if math.fmod(value, divisor) == 0:
            accept(tp, repr(value), value)
            assert snooze.convert(value, tp) == value
            continue
        with pytest.raises(ValidationError):
            snooze.decode(repr(value), tp)
        with pytest.raises(ValidationError):
            snooze.convert(value, tp)
