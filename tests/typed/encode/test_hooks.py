"""`hooks`, `key_hook`, `json_method`: functions of users for classes."""

from __future__ import annotations

import collections
import dataclasses
import datetime as dt
import decimal
import enum
import fractions
import gc
import numbers
import pathlib
import pickle
import weakref
from collections import abc
from typing import Annotated, Any, Literal, NamedTuple, TypedDict

import pytest

import snooze
from helpers.isolated import FREE_THREADED
from snooze import Encoder, Via, encode


class Money:
    """A class that snooze does not know."""

    def __init__(self, cents: int) -> None:
        self.cents = cents


class Rich(Money):
    """A subclass."""


class Own:
    """It says itself how it is written."""

    def __json__(self) -> Any:
        return {"own": [self.__class__.__name__]}


class OwnChild(Own):
    """It inherits how."""


class Level(enum.IntEnum):
    """An enum whose members are integers."""

    LOW = 1


class Pair(NamedTuple):
    """A tuple with names."""

    a: int
    b: Any


class Row(TypedDict):
    """A dict with names."""

    a: int


@dataclasses.dataclass
class Event:
    """Classes that have functions, as types of fields."""

    when: dt.datetime
    price: decimal.Decimal
    money: Money
    more: Any = None


WHEN = dt.datetime(2026, 1, 2, 3, 4, 5, tzinfo=dt.UTC)


def cents(money: Money) -> int:
    """Return the number of cents."""
    return money.cents


@pytest.mark.parametrize(
    ("value", "hooks", "text"),
    [
        ([Money(5)], {Money: cents}, b"[5]"),
        ([Rich(5)], {Money: cents}, b"[5]"),
        ([Rich(5)], {Money: cents, Rich: lambda _: "rich"}, b'["rich"]'),
        ([decimal.Decimal("1.5")], {decimal.Decimal: float}, b"[1.5]"),
        (["a", {"b": "c"}], {str: str.upper}, b'["A",{"b":"C"}]'),
        ([1, True, 2.5], {int: lambda n: n + 1}, b"[2,true,2.5]"),
        ([1, True], {bool: int}, b"[1,1]"),
        ([1, None], {type(None): lambda _: "none"}, b'[1,"none"]'),
        ([1.5, 2], {float: str}, b'["1.5",2]'),
        ([(1,), [2]], {tuple: lambda t: {"tuple": list(t)}}, b'[{"tuple":[1]},[2]]'),
        ([[1], ()], {list: len}, b"2"),
        ({"a": {"b": 1}}, {dict: sorted}, b'["a"]'),
        ([WHEN], {dt.datetime: lambda d: d.year}, b"[2026]"),
        (
            [WHEN],
            {dt.date: lambda d: d.replace(day=9)},
            b'["2026-01-09T03:04:05+00:00"]',
        ),
        ([Level.LOW, 1], {int: lambda n: n + 1}, b"[2,2]"),
        ([Level.LOW], {enum.Enum: lambda e: e.name}, b'["LOW"]'),
        ([fractions.Fraction(1, 2)], {numbers.Number: str}, b'["1/2"]'),
        (
            [pathlib.PurePosixPath("/a/b")],
            {pathlib.PurePath: lambda p: p.name},
            b'["b"]',
        ),
        ([Pair(1, 2)], {Pair: lambda p: p._asdict()}, b'[{"a":1,"b":2}]'),
        ([{1}], {set: list, abc.Set: len}, b"[[1]]"),
        ([collections.UserDict(a=1)], {abc.Mapping: len}, b"[1]"),
        ({Money(5): 1}, {Money: lambda m: f"m{m.cents}"}, b'{"m5":1}'),
        ({WHEN: 1, "a": 2}, {dt.datetime: lambda d: d.year}, b'{"2026":1,"a":2}'),
    ],
)
def test_functions_of_classes(value: Any, hooks: Any, text: bytes) -> None:
    """The nearest base counts; a result of that class is written as it is."""
    assert encode(value, hooks=hooks) == text
    encoder = Encoder(hooks=hooks)
    assert [encoder.encode(value) for _ in range(3)] == [text] * 3
    assert encoder.encode_str(value) == text.decode()


def test_types_that_name_the_classes() -> None:
    """A function holds where a type names its class, and in `Any`; `Via` comes first."""
    hooks: Any = {dt.datetime: lambda _: "t", decimal.Decimal: float, Money: cents}
    either: Any = Money | None
    event = Event(WHEN, decimal.Decimal("1.5"), Money(7), [WHEN])
    assert encode(event, Event, hooks=hooks) == (
        b'{"when":"t","price":1.5,"money":7,"more":["t"]}'
    )
    assert encode([WHEN], list[dt.datetime], hooks=hooks) == b'["t"]'
    assert encode({WHEN: 1}, dict[dt.datetime, int], hooks=hooks) == b'{"t":1}'
    assert encode(None, either, hooks=hooks) == b"null"
    assert encode(event, hooks={Event: lambda e: e.money.cents}) == b"7"
    own = Annotated[Money, Via(str, encode=lambda _: "via")]
    assert encode(Money(1), own, hooks=hooks) == b'"via"'
    assert encode({"a": 1}, Row, hooks={dict: len}) == b"1"
    assert encode([1, "a"], list[int | str], hooks={str: len}) == b"[1,1]"
    with pytest.raises(TypeError, match=r"^expected int, found str at \$\[0\]$"):
        encode(["a"], list[int], hooks={str: len})


def test_methods_of_classes() -> None:
    """Only if asked for; with hooks the nearest of both counts."""
    with pytest.raises(TypeError, match="not JSON serializable: Own at"):
        encode([Own()])
    value = [Own(), OwnChild()]
    text = b'[{"own":["Own"]},{"own":["OwnChild"]}]'
    assert encode(value, json_method="__json__") == text
    hooks: Any = {OwnChild: lambda _: 1}
    assert encode(value, json_method="__json__", hooks=hooks) == (
        b'[{"own":["Own"]},1]'
    )
    hooks = {Own: lambda _: 1}
    assert encode(value, json_method="__json__", hooks=hooks) == b"[1,1]"
    assert encode([WHEN], json_method="date") == b'["2026-01-02"]'
    with pytest.raises(TypeError, match=r"not JSON serializable: Own at \$\[0\]$"):
        encode([Own()], json_method="for_json")


def test_keys() -> None:
    """`key_hook` gets the keys that have no text, and may need several steps."""
    with pytest.raises(TypeError, match="expected a key that is a str"):
        encode({(1, 2): 3})
    assert encode({(1, 2): 3, "a": 4}, key_hook=repr) == b'{"(1, 2)":3,"a":4}'
    assert encode([{Money(1): 2}], key_hook=cents) == b'[{"1":2}]'
    for tp in (Any, dict[str, int]):
        for sort_keys in (False, True):
            found = encode({"\ud800": 1}, tp, key_hook=ascii, sort_keys=sort_keys)
            assert found == rb"""{"'\\ud800'":1}"""
    assert encode({Money(1): 2}, key_hook=cents, sort_keys=True) == b'{"1":2}'
    steps = {(1, 2): (1,), (1,): WHEN}
    assert encode({(1, 2): 3}, key_hook=steps.__getitem__) == (
        b'{"2026-01-02T03:04:05+00:00":3}'
    )
    assert encode({1: 2, None: 3, 2**70: 4}, key_hook=repr) == (
        b'{"1":2,"null":3,"1180591620717411303424":4}'
    )
    for endless in (lambda key: key, lambda key: (key,)):
        with pytest.raises(TypeError, match="^Recursion limit reached"):
            encode({(1, 2): 3}, key_hook=endless)
    with pytest.raises(ZeroDivisionError):
        encode({(1, 2): 3}, key_hook=lambda _: 1 / 0)


def test_results_without_end() -> None:
    """Functions that return themselves, or more of them, end at the limit."""
    with pytest.raises(TypeError, match="^Recursion limit reached") as caught:
        encode([Money(1)], hooks={Money: lambda one: [one]})
    assert caught.value.path.startswith("$[0]")  # type: ignore[attr-defined]
    # A result of the same class does not go to the function again.
    for hook in (lambda one: one, lambda _: Money(1)):
        with pytest.raises(TypeError, match=r"not JSON serializable: Money at \$\[0\]"):
            encode([Money(1)], hooks={Money: hook})
        with pytest.raises(TypeError, match="^Recursion limit reached"):
            encode([Money(1)], hooks={Money: hook}, enc_hook=hook)
    with pytest.raises(TypeError, match="^Recursion limit reached"):
        encode([Own()], hooks={Own: lambda _: Money(1), Money: lambda _: Own()})


def test_results_of_the_same_class() -> None:
    """Only in a key does one go to its function again, if its form is no text."""

    @dataclasses.dataclass(frozen=True)
    class Box:
        inner: Any

    hooks: Any = {Box: lambda box: box.inner, Money: cents, tuple: lambda one: one[0]}
    assert encode(Box(Box(Box(1))), hooks=hooks) == b'{"inner":1}'
    assert encode({Box(Box(Box(1))): 1}, hooks=hooks) == b'{"1":1}'
    assert encode({((1,),): ((1,),)}, hooks=hooks) == b'{"1":[1]}'
    money: Any = Money(Money(1))  # type: ignore[arg-type]
    for value, text in ((money, "not JSON seri"), ({money: 1}, "expected a key")):
        with pytest.raises(TypeError, match=text):
            encode(value, hooks=hooks)
    assert encode(money, hooks=hooks, enc_hook=lambda one: [one.cents]) == b"[1]"
    assert encode({money: 1}, hooks=hooks, key_hook=cents) == b'{"1":1}'


def test_exceptions() -> None:
    """A TypeError gets the place and becomes the cause; others pass unchanged."""

    def refuse(_: Any) -> Any:
        raise TypeError("no money")

    with pytest.raises(TypeError, match=r"^no money at \$\[0\]\.a$") as caught:
        encode([{"a": Money(1)}], hooks={Money: refuse})
    assert str(caught.value.__cause__) == "no money"
    assert caught.value.path == "$[0].a"  # type: ignore[attr-defined]
    for error in (KeyError("x"), KeyboardInterrupt(), SystemExit(3), MemoryError()):

        def fail(_: Any, error: BaseException = error) -> Any:
            raise error

        with pytest.raises(type(error)) as other:
            encode([{"a": Money(1)}], hooks={Money: fail})
        assert other.value is error


def test_functions_that_change_what_is_written() -> None:
    """They may empty every container, drop the last references and call again.

    Without a GIL containers are copied before the first call: no change is visible.
    """
    items: list[Any] = []
    table: dict[str, Any] = {}
    encoder: Any = None

    def wreck(money: Money) -> Any:
        items.clear()
        table.clear()
        gc.collect()
        inner = None
        if money.cents:
            inner = encoder.encode([Money(0), {"x": Money(0)}])
        return {"new": [money.cents, inner and inner.decode()]}

    encoder = Encoder(hooks={Money: wreck})
    items[:] = [Money(1), Money(2), [Money(3)]]
    inner = '"[{\\"new\\":[0,null]},{\\"x\\":{\\"new\\":[0,null]}}]"'
    first, second, third = (f'{{"new":[{cents},{inner}]}}' for cents in (1, 2, 3))
    rest = f",{second},[{third}]" if FREE_THREADED else ""
    assert encoder.encode(items).decode() == f"[{first}{rest}]"
    table.update(a=Money(1), b=2)
    if FREE_THREADED:
        assert encoder.encode(table).decode() == f'{{"a":{first},"b":2}}'
    else:
        with pytest.raises(RuntimeError, match="changed size"):
            encoder.encode(table)

    def grow(_: Money) -> Any:
        items.append(1)
        return len(items)

    items[:] = [Money(1)]
    expected = b"[2]" if FREE_THREADED else b"[2,1]"
    assert encode(items, hooks={Money: grow}) == expected


def test_classes_are_looked_up_once() -> None:
    """Not for each value."""
    asked = []

    class Meta(type):
        def __subclasscheck__(cls, other: type) -> bool:
            asked.append(other)
            return super().__subclasscheck__(other)

    class Base(metaclass=Meta):
        pass

    encoder = Encoder(hooks={Base: lambda _: 1})
    asked.clear()
    assert encoder.encode([Base()] * 100) == b"[" + b"1," * 99 + b"1]"
    first = len(asked)
    assert encoder.encode([Base()] * 100) == b"[" + b"1," * 99 + b"1]"
    assert len(asked) == first


def test_a_cycle_through_a_function_is_collected() -> None:
    """An Encoder shows its functions to the collector."""

    class Holder:
        encoder: Any = None

        def __call__(self, _: Any) -> Any:
            return 1

    def make() -> Any:
        holder = Holder()
        holder.encoder = Encoder(hooks={Money: holder}, key_hook=holder)
        assert holder.encoder.encode([{(1,): Money(1)}]) == b'[{"1":1}]'
        return weakref.ref(holder)

    ref = make()
    gc.collect()
    assert ref() is None


def test_encoders_pickle_and_show_their_options() -> None:
    """As other options."""
    encoder = Encoder(hooks={Money: cents}, json_method="__json__")
    copy = pickle.loads(pickle.dumps(encoder))
    assert copy.encode([Money(1), Own()]) == b'[1,{"own":["Own"]}]'
    assert "json_method='__json__'" in repr(copy)
    # Nothing changes an encoder that is made.
    hooks: Any = {Money: cents}
    encoder = Encoder(hooks=hooks)
    hooks.clear()
    assert encoder.encode(Money(1)) == b"1"


@pytest.mark.parametrize(
    ("options", "kind", "text"),
    [
        ({"hooks": [str]}, TypeError, "hooks needs a dict such as {Decimal: str}"),
        ({"hooks": {"int": str}}, TypeError, "hooks needs classes, not 'int'"),
        ({"hooks": {object: str}}, ValueError, "a hook for object would get every"),
        ({"hooks": {Money: 1}}, TypeError, "hooks needs a callable for Money, not 1"),
        ({"key_hook": "str"}, TypeError, "key_hook needs a callable, not 'str'"),
        ({"json_method": str}, TypeError, "json_method needs the name of a method"),
        ({"json_method": "a b"}, ValueError, "'a b' is not the name of a method"),
        (
            {"hooks": {bytes: str}, "formats": {bytes: "hex"}},
            ValueError,
            "bytes has both a hook and a format; give one",
        ),
        ({"hook": {}}, TypeError, "unexpected keyword argument 'hook'"),
    ],
)
def test_wrong_options(options: Any, kind: Any, text: str) -> None:
    """An error when the encoder is made."""
    for make in (Encoder, lambda **given: encode([], **given)):
        with pytest.raises(kind) as caught:
            make(**options)
        assert text in str(caught.value)
    assert snooze.encode([], hooks={}, key_hook=None, json_method=None) == b"[]"


class Float(float):
    """A subclass of a built-in class."""


class Moment(dt.datetime):
    """A subclass of a class with a form."""


@pytest.mark.parametrize(
    "value",
    [
        *(Float(1.5), Moment(2026, 1, 2), collections.OrderedDict(a=1), WHEN),
        *(decimal.Decimal("1.5"), pathlib.PurePosixPath("/a"), Level.LOW, Pair(1, 2)),
        *(fractions.Fraction(1, 2), collections.UserDict(a=1), {1}, b"a"),
    ],
)
def test_a_result_of_the_same_class_is_written_as_without_the_function(
    value: Any,
) -> None:
    """Also of classes that are written as a base."""
    as_without_function(value, is_key=isinstance(value, (dt.datetime, decimal.Decimal)))


def test_a_result_of_the_same_class_of_numpy() -> None:
    """As of other classes."""
    np = pytest.importorskip("numpy")
    for scalar in (np.float64(1.5), np.int64(1), np.datetime64(1, "s")):
        as_without_function(scalar, is_key=True)
    as_without_function(np.array([1.5]), is_key=False)


def as_without_function(value: Any, *, is_key: bool) -> None:
    """Check that a function that returns its argument changes nothing."""
    same: Any = {type(value): lambda one: one}
    assert encode([value], hooks=same) == encode([value])
    with pytest.raises(TypeError, match="^Recursion limit reached"):
        encode([value], hooks={type(value): lambda one: [one]})
    if is_key:
        assert encode({value: 1}, hooks=same) == encode({value: 1})


def test_a_function_for_floats_leaves_integers_alone() -> None:
    """Where a type says `float`, an int is accepted and is no float."""
    hooks: Any = {float: str}
    assert encode([1, 2.5, True], hooks=hooks) == b'[1,"2.5",true]'
    assert encode([1, 2.5], list[float], hooks=hooks) == b'[1,"2.5"]'
    assert encode([1, 2.5], list[float | int], hooks=hooks) == b'[1,"2.5"]'
    assert encode([1, None], list[float | None], hooks=hooks) == b"[1,null]"
    assert encode({1: 2.5}, dict[float, float], hooks=hooks) == b'{"1":"2.5"}'
    assert encode([1, 2.5], list[float], hooks={int: str, float: str}) == (
        b'["1","2.5"]'
    )
    assert encode([1, 2.5], list[float | int], hooks={int: str, float: str}) == (
        b'["1","2.5"]'
    )
    assert encode([1, 2.5], list[float | int], hooks={int: str}) == b"[1,2.5]"
    ordered = Annotated[int | float, snooze.FirstMatch()]
    assert encode([1, 2.5], list[ordered], hooks={int: str}) == b'["1",2.5]'


def test_keys_of_types() -> None:
    """`key_hook` gets keys without a JSON text where keys have a type, too."""
    hook: Any = repr
    assert encode({(1, 2): 3}, dict[tuple[int, int], int], key_hook=hook) == (
        b'{"(1, 2)":3}'
    )
    assert encode({"a": 1, (1,): 2}, dict[str, int], key_hook=hook) == (
        b'{"a":1,"(1,)":2}'
    )
    nan = float("nan")
    assert encode({nan: 1}, dict[float, int], key_hook=hook) == b'{"nan":1}'
    assert encode({nan: 1}, key_hook=hook) == b'{"nan":1}'
    # JSON could represent these, but they are of another type.
    for key in ("b", 1, WHEN):
        with pytest.raises(TypeError, match="^expected int as a key|'a' as a key"):
            encode({key: 1}, dict[Literal["a"], int], key_hook=hook)
    for endless in (lambda key: key, lambda key: (key,)):
        with pytest.raises(TypeError, match="^Recursion limit reached"):
            encode({(1, 2): 3}, dict[tuple[int, int], int], key_hook=endless)
