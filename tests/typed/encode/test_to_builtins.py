"""`to_builtins`: what decoding the JSON would give, and the objects that are kept."""

from __future__ import annotations

import collections
import datetime
import enum
import math
import uuid
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Annotated, Any, Literal, TypedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.equality import assert_same
from helpers.isolated import in_child
from snooze import (
    UNSET,
    Field,
    FirstMatch,
    Fragment,
    Raw,
    UnsetType,
    Via,
    configure,
    convert,
    decode,
    encode,
    to_builtins,
)

DAY = datetime.date(2026, 11, 21)


class Color(enum.Enum):
    """An enum."""

    RED = "red"


@dataclass
class Event:
    """A class with several kinds of fields."""

    day: datetime.date
    sizes: tuple[int, ...] = ()
    names: dict[int, float] = field(default_factory=dict)
    color: Color | None = None


@configure(tag=True, rename="camel")
@dataclass
class Tagged:
    """A class with a tag and other names."""

    first_name: str
    rest: Annotated[dict[str, Any], Field(rest=True)] = field(default_factory=dict)


EVENT = Event(DAY, (1, 2), {}, Color.RED)
SAME: list[Any] = [
    None,
    True,
    "é\x01\U0001f600",
    10**30,
    -0.0,
    1e300,
    [],
    {},
    [[], {}, ()],
    EVENT,
    [EVENT, {"a": EVENT}],
    Tagged("a", {"x": [1]}),
    uuid.UUID(int=5),
    Decimal("1.10"),
    b"ab",
    {1, 2},
    collections.OrderedDict(b=1, a=2),
    collections.deque([1]),
    datetime.timedelta(1),
    Raw(b'{"a": [1, 2.50]}'),
    Fragment(b"[1]"),
    {"\x01": 1, "\xff00000000": 2, "ÿ": 3},
    ["\xff00000000"],
]


@pytest.mark.parametrize("value", SAME, ids=map(str, range(len(SAME))))
def test_same_as_json(value: Any) -> None:
    """What the Decoder makes of what the Encoder writes."""
    assert_same(to_builtins(value), decode(encode(value)))
    assert_same(to_builtins(value, str_keys=True), decode(encode(value)))
    assert_same(to_builtins([value]), [decode(encode(value))])


def test_keys() -> None:
    """Numbers, bools and None stay keys; others become text."""
    keys = {1: "a", 2.5: "b", None: "c", False: "d", 10**30: "e", "1": "f"}
    assert_same(to_builtins(keys), keys)
    mixed = {"a": 1, 2: {3: 4, "b": {}}, Color.RED: 5, DAY: 6}
    expected: Any = {"a": 1, 2: {3: 4, "b": {}}, "red": 5, "2026-11-21": 6}
    assert_same(to_builtins(mixed), expected)
    expected = {"a": 1, "2": {"3": 4, "b": {}}, "red": 5, "2026-11-21": 6}
    assert_same(to_builtins(mixed, str_keys=True), expected)
    assert_same(to_builtins({DAY: 1}, keep=(datetime.date,)), {DAY: 1})
    ordered = collections.OrderedDict([(2, "x"), ("a", 1)])
    assert_same(to_builtins(ordered), {2: "x", "a": 1})
    assert_same(
        to_builtins({2: 1, "b": 1, "a": 2}, sort_keys=True), {"a": 2, "b": 1, 2: 1}
    )
    many = {number: str(number) for number in range(1000)}
    assert_same(to_builtins(many), many)


def test_floats_without_json() -> None:
    """NaN and infinities stay floats, wherever they are."""
    value = [math.nan, math.inf, {"a": -math.inf}, EVENT]
    assert_same(to_builtins(value)[:3], value[:3])
    assert_same(to_builtins(Event(DAY, names={1: math.nan}))["names"], {1: math.nan})
    assert_same(to_builtins(math.nan, float), math.nan)
    for text in ("NaN", "-NaN", "Infinity", "-Infinity"):
        number = Decimal(text)
        expected = math.nan if number.is_nan() else float(number)
        assert encode([number]) == b"[null]"
        assert_same(to_builtins([number]), [expected])
        assert_same(to_builtins({"a": number}, dict[str, Decimal])["a"], expected)


def test_numpy() -> None:
    """Arrays become lists, scalars numbers."""
    numpy = pytest.importorskip("numpy")
    array = numpy.array([[1.0, math.nan], [2.0, math.inf]])
    assert_same(to_builtins(array), array.tolist())
    assert_same(
        to_builtins([numpy.float32(0.5), numpy.float64("nan")]), [0.5, math.nan]
    )
    assert to_builtins(array, keep=(numpy.ndarray,)) is array


def test_keep() -> None:
    """The objects themselves, of these classes and their subclasses."""
    now = datetime.datetime(2026, 11, 21, tzinfo=datetime.UTC)
    value = {"a": [DAY, now, b"x", bytearray(b"y")], "b": {3: (1, now)}}
    made = to_builtins(value, keep=(datetime.date, bytes))
    assert_same(made, {"a": [DAY, now, b"x", "eQ=="], "b": {3: [1, now]}})
    assert made["a"][0] is DAY
    assert to_builtins(value, keep=(tuple,))["b"][3] == (1, now)
    assert to_builtins([EVENT], keep=(Event,))[0] is EVENT
    assert to_builtins(EVENT, Event, keep=(datetime.date,))["day"] is DAY
    assert to_builtins(EVENT, keep=(enum.Enum,))["color"] is Color.RED
    assert to_builtins(Color.RED, Color | None, keep=(Color,)) is Color.RED
    other = object()
    assert to_builtins([other, 1], keep=(object,))[0] is other
    assert to_builtins({"k": value}, keep=(dict,)) == {"k": value}
    many = [DAY] * 100_000
    assert to_builtins(many, keep=(datetime.date,)) == many


def test_kept_objects_must_fit() -> None:
    """The type of a value is checked as by an Encoder."""
    with pytest.raises(TypeError, match=r"expected int, found date at \$\[0\]"):
        to_builtins([DAY], list[int], keep=(datetime.date,))
    with pytest.raises(TypeError, match=r"expected int as a key, found date"):
        to_builtins({DAY: 1}, dict[int, int], keep=(datetime.date,))
    with pytest.raises(TypeError, match="expected int, found float"):
        to_builtins([math.nan], list[int])
    with pytest.raises(TypeError, match="expected str as a key, found int"):
        to_builtins({1: 2}, dict[str, int])


def test_unions_in_order() -> None:
    """The alternative that writes the value decides, and what is in it is kept."""
    either = Annotated[list[datetime.date] | list[str], FirstMatch()]
    assert to_builtins([DAY], either) == ["2026-11-21"]
    assert to_builtins([DAY], either, keep=(datetime.date,)) == [DAY]
    assert to_builtins(["x"], either, keep=(datetime.date,)) == ["x"]


def test_conversions() -> None:
    """The functions of a Via, an `__snooze__` method and hooks are called."""
    cents = Annotated[
        Decimal,
        Via(int, decode=lambda n: Decimal(n) / 100, encode=lambda d: int(d * 100)),
    ]
    assert to_builtins(Decimal("1.10"), cents) == 110
    assert to_builtins([1, {2}], enc_hook=None) == [1, [2]]
    hooked = to_builtins(
        [object(), DAY], keep=(datetime.date,), enc_hook=lambda _: [DAY]
    )
    assert hooked == [[DAY], DAY]
    with pytest.raises(TypeError, match="not JSON serializable: object"):
        to_builtins([object()])


def test_options() -> None:
    """Those of an Encoder."""

    class Patch(TypedDict, total=False):
        a: int | UnsetType

    assert to_builtins(Event(DAY), omit_defaults=True) == {"day": "2026-11-21"}
    without = to_builtins(Event(DAY), omit_none=True)
    assert list(without) == ["day", "sizes", "names"]
    assert to_builtins(EVENT, rename="upper")["DAY"] == "2026-11-21"
    assert list(to_builtins({"b": 1, "a": 2}, sort_keys=True)) == ["a", "b"]
    patch: Any = {"a": UNSET}
    assert to_builtins(patch, Patch) == {}
    nested = to_builtins({"x": [Event(DAY)]}, omit_defaults=True)
    assert nested == {"x": [{"day": "2026-11-21"}]}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"keep": [int]}, "keep needs a tuple of classes"),
        ({"keep": ("int",)}, "keep needs a tuple of classes"),
        ({"str_keys": 1}, "str_keys"),
        ({"sort_keys": None}, "sort_keys"),
        ({"enc_hook": 3}, "enc_hook needs a callable"),
        ({"indent": 2}, r"to_builtins\(\) got an unexpected keyword argument 'indent'"),
    ],
)
def test_wrong_options(options: dict[str, Any], message: str) -> None:
    """Refused, with the name of the option."""
    with pytest.raises(TypeError, match=message):
        to_builtins(1, **options)


def test_surrogates_are_refused() -> None:
    """As by an Encoder: JSON cannot represent them."""
    with pytest.raises(TypeError, match="surrogates"):
        to_builtins(["\ud800"])
    with pytest.raises(TypeError, match="surrogates"):
        to_builtins({"\ud800": 1})


def test_depth() -> None:
    """At most as deep as JSON."""
    value: Any = []
    for _ in range(1023):
        value = [value]
    made = to_builtins(value)
    for _ in range(1023):
        (made,) = made
    assert made == []
    with pytest.raises(TypeError):
        to_builtins([value])
    recursive: list[Any] = []
    recursive.append(recursive)
    with pytest.raises(TypeError):
        to_builtins(recursive)


def test_there_and_back() -> None:
    """`convert` is the way back."""
    for keep in ((), (datetime.date,), (datetime.date, enum.Enum, tuple)):
        assert convert(to_builtins(EVENT, keep=keep), Event) == EVENT


json_like = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.text(st.characters(exclude_categories=["Cs"])) | st.integers(), inner
        )
    ),
    max_leaves=20,
)


@given(json_like)
def test_builtins_stay_what_they_are(value: Any) -> None:
    """A value of dicts, lists and scalars is equal to its copy."""
    assert_same(to_builtins(value), value)


def forged() -> str:
    """In a child: text that is not JSON, with tokens of objects."""
    outcomes = []
    for text in (
        b"\xff00000000",
        b"\xff00000007",
        b"[\xff",
        b"\xff0000000g",
        b"{\xff:1}",
    ):
        for value in (
            Raw(text),
            [DAY, Raw(text)],
            {1: Fragment(text)},
            [Fragment(text)],
        ):
            try:
                outcomes.append(repr(to_builtins(value, keep=(datetime.date,))))
            except TypeError as error:
                outcomes.append(str(error).partition(",")[0])
    return "|".join(dict.fromkeys(outcomes))


def test_unchecked_json_has_no_tokens() -> None:
    """A Raw or Fragment that is not UTF-8 is refused."""
    printed = in_child(forged, PYTHONMALLOC="debug")
    assert printed.strip() == "expected JSON in UTF-8"
    for value in (Raw(b"nope"), [math.nan, Fragment(b"nope")], [Raw(b"1e999")]):
        with pytest.raises(TypeError, match="a Raw or Fragment is not JSON"):
            to_builtins(value)


def test_keys_that_become_text() -> None:
    """What a Literal or a Via does not keep, and instances of kept classes."""
    hexadecimal = Annotated[
        int, Via(str, encode=hex, decode=lambda text: int(text, 16))
    ]
    assert to_builtins({5: 1}, dict[hexadecimal, int]) == {"0x5": 1}
    assert to_builtins({1: 1}, dict[Literal[1, 2], int]) == {"1": 1}
    with pytest.raises(TypeError, match="as a key"):
        to_builtins({3: 1}, dict[Literal[1, 2], int])

    class Word(str):
        __slots__ = ()

    class Bad:
        __hash__ = None  # type: ignore[assignment]

    class Pairs(collections.abc.Mapping[Any, Any]):
        def __getitem__(self, key: Any) -> Any:
            raise KeyError

        def __iter__(self) -> Any:
            return iter(())

        def __len__(self) -> int:
            return 1

        def items(self) -> Any:
            return [(Bad(), 1)]

    made = to_builtins({Word("a"): 1}, keep=(Word,))
    assert type(next(iter(made))) is Word
    with pytest.raises(TypeError, match="unhashable type"):
        to_builtins(Pairs(), keep=(Bad,))
    with pytest.raises(TypeError, match=r"at \$\[\"1\"\]\.a"):
        to_builtins({1: {"a": "x"}}, dict[int, dict[str, int]], sort_keys=True)


def test_kept_values_of_literals_and_unions() -> None:
    """Only those that the type takes."""

    class Level(enum.Enum):
        LOW = 1
        HIGH = 2

    low = Literal[Level.LOW]
    assert to_builtins(Level.LOW, low, keep=(Level,)) is Level.LOW
    with pytest.raises(TypeError, match=r"expected Level\.LOW, found Level"):
        to_builtins(Level.HIGH, low, keep=(Level,))
    with pytest.raises(TypeError):
        to_builtins({Level.HIGH: 1}, dict[low, int], keep=(Level,))
    numbers = Annotated[int | str, FirstMatch()]
    with pytest.raises(TypeError, match="found date"):
        to_builtins(DAY, numbers, keep=(datetime.date,))


def test_small_floats() -> None:
    """As short as in JSON, which writes halves as floats of 32 bits, also beside NaN."""
    numpy = pytest.importorskip("numpy")
    for dtype, tenth in (("f2", 0.099975586), ("f4", 0.1), ("f8", 0.1)):
        array = numpy.array([[0.1, math.nan], [math.inf, 2]], dtype)
        assert_same(to_builtins(array), [[tenth, math.nan], [math.inf, 2.0]])


Mode = Literal["a"]


def test_literal_types() -> None:
    """A type that is no class is a type too."""
    assert to_builtins("a", Mode) == "a"
    assert to_builtins({"x": "a"}, dict[str, Mode]) == {"x": "a"}


def test_omit_none_all() -> None:
    """As for an Encoder: every member that is None, also of dicts."""
    assert to_builtins({"a": None, "b": [None]}, omit_none="all") == {"b": [None]}
    with pytest.raises(
        TypeError, match="omit_none needs True or False, or 'all', not 1"
    ):
        to_builtins({}, omit_none=1)  # type: ignore[arg-type]
