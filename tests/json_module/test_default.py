"""`default` of `snooze.json`: called by compiled code, as often as by Python's own."""

from __future__ import annotations

import collections
import datetime as dt
import decimal
import enum
import io
import json
import uuid
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.isolated import FREE_THREADED
from snooze import _snooze
from snooze import json as ours


class Colour(enum.IntEnum):
    """json writes it as an integer."""

    RED = 1


class Shade(enum.Enum):
    """json gives it to `default`."""

    DARK = "dark"


class Recorder:
    """A `default` that notes what it gets."""

    def __init__(self) -> None:
        self.seen: list[Any] = []

    def __call__(self, one: Any) -> Any:
        self.seen.append(one)
        match one:
            case dt.date():
                return one.isoformat()
            case set():
                return sorted(one)
            case complex():
                return {"re": one.real, "im": [one.imag]}
            case decimal.Decimal():
                return float(one)
            case enum.Enum():
                return one.value
            case uuid.UUID():
                return str(one)
            case bytes():
                return Colour.RED
            case _:
                raise TypeError(f"no {type(one).__name__}")


def outcome(call: Any, *arguments: Any, **options: Any) -> Any:
    """Return the result, or the exception with its notes."""
    try:
        return call(*arguments, **options)
    except Exception as error:
        return repr(error), getattr(error, "__notes__", None)


def same(value: Any, **options: Any) -> None:
    """Compare texts, exceptions and the objects that `default` gets, in order."""
    one, two = Recorder(), Recorder()
    assert outcome(ours.dumps, value, default=one, **options) == outcome(
        json.dumps, value, default=two, **options
    )
    assert one.seen == two.seen
    first, second = io.StringIO(), io.StringIO()
    one, two = Recorder(), Recorder()
    outcome(ours.dump, value, first, default=one, **options)
    outcome(json.dump, value, second, default=two, **options)
    assert first.getvalue() == second.getvalue()
    assert one.seen == two.seen

    class Ours(ours.JSONEncoder):
        def default(self, o: Any) -> Any:
            return self.recorder(o)  # type: ignore[attr-defined]

    class Theirs(json.JSONEncoder):
        def default(self, o: Any) -> Any:
            return self.recorder(o)  # type: ignore[attr-defined]

    three, four = Ours(**options), Theirs(**options)
    three.recorder, four.recorder = Recorder(), Recorder()  # type: ignore[attr-defined]
    assert outcome(three.encode, value) == outcome(four.encode, value)
    assert three.recorder.seen == four.recorder.seen  # type: ignore[attr-defined]
    assert set(vars(three)) == set(vars(four))


DAY = dt.date(2026, 1, 2)
VALUES = [
    DAY,
    [DAY, {"a": {1, 2}, "b": [1j, (DAY,)]}],
    {"z": {1}, "a": {2}},
    # Python's own code writes the rest.
    [DAY, float("nan")],
    [{1}, {1: {2}}],
    [DAY, Colour.RED, Shade.DARK],
    [b"", DAY],
    [DAY, 2**70, {3}],
    [decimal.Decimal("NaN"), DAY],
    [uuid.UUID(int=1), collections.OrderedDict(a={1})],
    [DAY, object(), DAY],
    [object()],
    [1j, [float("inf"), object()]],
    {"a": DAY, "b": {"c": [object()]}},
]


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"indent": 2},
        {"sort_keys": True},
        {"ensure_ascii": False, "separators": (",", ":")},
        {"allow_nan": False},
        {"check_circular": False},
        {"skipkeys": True},
    ],
)
def test_same_texts_exceptions_and_calls(value: Any, options: Any) -> None:
    """Also where Python's own code begins again after calls of `default`."""
    same(value, **options)


@given(
    st.recursive(
        st.sampled_from([DAY, 1j, {1, 2}, object, float("nan"), 2**64, Colour.RED])
        | st.integers()
        | st.text(max_size=5)
        | st.none(),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(st.text(max_size=3) | st.integers(), inner, max_size=3)
        ),
        max_leaves=20,
    ),
    st.booleans(),
)
def test_any_documents(value: Any, sort: bool) -> None:
    """Of every kind of value."""
    same(value, sort_keys=sort)


def test_compiled_code_calls_default() -> None:
    """Without this, everything above would hold for Python's own code alone."""
    calls: list[Any] = []
    style = (", ", ": ", None, True, False)
    value = [DAY, {"a": {1, 2}}]
    rest: list[Any] = []
    written = _snooze.json_dumps(
        value, *style, (Recorder(), calls, lambda *found: rest.append(found))
    )
    assert written == '["2026-01-02", {"a": [1, 2]}]'
    assert calls == [DAY, "2026-01-02", {1, 2}, [1, 2]]
    # Without a GIL another thread may change a container while it is looked at.
    assert rest == ([([1, 2], 2)] if FREE_THREADED else [])
    written = _snooze.json_dumps(
        [DAY, {"a": b"x"}], *style, (Recorder(), [], lambda *_: '{"é": 1}'.encode())
    )
    assert written == '["2026-01-02", {"a": {"é": 1}}]'
    for unknown in (DAY, [DAY, [1j]], {"a": 1, "b": [{1}]}):
        assert _snooze.json_dumps(unknown, *style, True) is None
    assert _snooze.json_dumps([1, {"a": None}], *style, True) == '[1, {"a": null}]'
    for left in ([DAY, float("nan")], [1j, {1: 2}], [DAY, Colour.RED]):
        with pytest.raises(TypeError):
            _snooze.json_dumps(left, *style, True)
    calls.clear()
    with pytest.raises(TypeError):
        _snooze.json_dumps([DAY, object], *style, (Recorder(), calls, None))
    assert calls[:3] == [DAY, "2026-01-02", object]
    assert repr(calls[3]) == "TypeError('no type')"
    assert calls[4] is None


@pytest.mark.parametrize("function", ["dumps", "dump", "encode"])
def test_default_that_raises_after_a_change(function: str) -> None:
    """The exception is not lost where Python's own code finds another document."""
    for change in (dict.clear, lambda table: table.update(a={1}, b=2)):
        table: dict[str, Any] = {"a": 1j}

        def default(one: Any, change: Any = change, table: Any = table) -> Any:
            if isinstance(one, set):
                return sorted(one)
            change(table)
            raise LookupError("gone")

        with pytest.raises(LookupError, match="^gone$"):
            match function:
                case "dumps":
                    ours.dumps(table, default=default)
                case "dump":
                    ours.dump(table, io.StringIO(), default=default)
                case _:
                    ours.JSONEncoder(default=default).encode(table)


def test_cycles_and_results_without_end() -> None:
    """The same exceptions."""
    circle: list[Any] = [{1}]
    circle.append(circle)
    for value in (circle, {"a": circle}):
        with pytest.raises(ValueError, match="^Circular reference detected"):
            ours.dumps(value, default=sorted)
    with pytest.raises(ValueError, match="^Circular reference detected"):
        ours.dumps([1j], default=lambda one: one)
    with pytest.raises(RecursionError):
        ours.dumps([1j], default=lambda one: [complex(one)], check_circular=False)


def test_hostile_functions() -> None:
    """They may change what is written, raise anything and call again."""
    items: list[Any] = [1j, 2j, [3j]]

    def wreck(one: complex) -> Any:
        items.clear()
        return ours.dumps([{one.imag}], default=list)

    # Without a GIL the rest of a list is copied before a function is called.
    rest = ', "[[2.0]]", ["[[3.0]]"]' if FREE_THREADED else ""
    assert ours.dumps(items, default=wreck) == f'["[[1.0]]"{rest}]'
    table: dict[str, Any] = {"a": 1j, "b": 2}

    def grow(_: complex) -> Any:
        table[str(len(table))] = 1
        return 1

    # json takes the members before it calls the function.
    assert ours.dumps(table, default=grow) == '{"a": 1, "b": 2}'
    outcome(ours.dumps, table, default=grow, indent=1)

    def vanish(_: complex) -> Any:
        items.clear()
        raise KeyboardInterrupt

    items = [1j]
    with pytest.raises(KeyboardInterrupt):
        ours.dumps(items, default=vanish)
    for error in (KeyboardInterrupt(), SystemExit(3), MemoryError(), KeyError("x")):

        def fail(_: Any, error: BaseException = error) -> Any:
            raise error

        with pytest.raises(type(error)) as caught:
            ours.dumps([1j], default=fail)
        assert caught.value is error


class Holder:
    """An instance whose `__dict__` shares its names with the class."""

    def __init__(self) -> None:
        """Set two attributes that need a function."""
        self.a = 1j
        self.b = 2j


@pytest.mark.parametrize("is_inner", [False, True])
@pytest.mark.parametrize(
    "change",
    [
        lambda table: table.update(c=3),
        lambda table: table.update(b="changed"),
        lambda table: table.update([table.popitem()]),
        dict.clear,
    ],
)
def test_attributes_that_change(is_inner: bool, change: Any) -> None:
    """The members are those before the first call, and each is written once.

    So does json before 3.14, which reads the dict itself since then.
    """
    table = vars(Holder())
    count = 0

    def default(_: complex) -> Any:
        nonlocal count
        count += 1
        change(table)
        return count

    document = {"o": table, "z": 3j} if is_inner else table
    written = ours.dumps(document, default=default)
    expected = '{"a": 1, "b": 2}'
    assert written == (f'{{"o": {expected}, "z": 3}}' if is_inner else expected)
    assert count == 2 + is_inner


def test_another_object_is_not_replayed() -> None:
    """A result belongs to its object only, if a function changes the document."""
    first: list[Any] = [1j, 0]

    def swap(one: complex) -> Any:
        first[:] = [5j, float("nan")]
        return one.imag

    # Without a GIL the rest of an open list is copied before a function is called.
    expected = "[1.0, 0]" if FREE_THREADED else "[5.0, NaN]"
    assert ours.dumps(first, default=swap) == expected


class Strict(ours.JSONEncoder):
    """Refuses attributes after it was made."""

    def __setattr__(self, name: str, value: Any) -> None:
        """Refuse a name that is there."""
        if name in vars(self):
            raise AttributeError(name)
        super().__setattr__(name, value)

    def default(self, o: Any) -> Any:
        """Return the parts of a complex number."""
        return [o.real, o.imag] if isinstance(o, complex) else super().default(o)


def test_an_encoder_that_refuses_to_be_changed_is_finished_by_python() -> None:
    """NaN is left to Python's own code."""
    found = Strict().encode([1j, float("nan")])
    assert found == "[[0.0, 1.0], NaN]"
