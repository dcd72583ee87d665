"""Types that run code in the middle of dumps, and types that change there.

Time zones, enums, properties, `__dict__`, slots, `__getattr__`, metaclasses and keys
raise, return a wrong type, call dumps again, or change the object or its class. The
outcome is JSON or a Python error; exceptions that are not an Exception come out
unchanged. Everything that could crash runs in a child under PYTHONMALLOC=debug.
"""

from __future__ import annotations

import collections
import dataclasses
import datetime
import enum
import gc
import itertools
import json
import sys
from typing import Any

import pytest

import snooze
from helpers.isolated import DEBUG_MALLOC, in_child

MOMENT = datetime.datetime(2024, 5, 6, 7, 8, 9)
UNSUPPORTED = "datetime's timezone library is not supported"
FATAL = [KeyboardInterrupt, SystemExit, MemoryError]
#: Results of a callback where another type is expected.
ODD = [
    None,
    1,
    -(2**70),
    "text",
    b"x",
    [],
    {},
    object(),
    float("nan"),
    type,
    NotImplemented,
]


class StrangeDelta(datetime.timedelta):
    """A subclass whose arithmetic is wrong."""

    def total_seconds(self) -> float:
        raise RuntimeError("must not be called")

    days = property(lambda self: 10**30)


class Zone(datetime.tzinfo):
    """A tzinfo that runs a function for its offset."""

    def __init__(self, act: Any) -> None:
        self.act = act

    def utcoffset(self, moment: Any) -> Any:
        return self.act()

    def dst(self, moment: Any) -> Any:
        return datetime.timedelta()


class Normalising(Zone):
    """A tzinfo with normalize, like pytz's."""

    def __init__(self, act: Any) -> None:
        super().__init__(act)
        self.normalize = lambda _: act()


def raiser(error: BaseException) -> Any:
    """Return a function that raises."""

    def act(*_: Any) -> Any:
        raise error

    return act


@pytest.mark.parametrize("kind", [Zone, Normalising])
@pytest.mark.parametrize("answer", ODD, ids=repr)
def test_offsets_of_a_wrong_type(kind: type, answer: Any) -> None:
    """Any result of utcoffset or normalize is an error or no offset, never a crash."""
    with pytest.raises(snooze.JSONEncodeError, match=UNSUPPORTED):
        snooze.dumps([MOMENT.replace(tzinfo=kind(lambda: answer))])


@pytest.mark.parametrize("seconds", [30, -30, 86399, -86399, 59.5, 1e-6])
def test_offsets_that_are_not_whole_minutes(seconds: float) -> None:
    """An error, or a time of RFC 3339; never an hour of sixty minutes."""
    zone = Zone(lambda: datetime.timedelta(seconds=seconds))
    try:
        result = snooze.dumps(MOMENT.replace(tzinfo=zone))
    except snooze.JSONEncodeError:
        return
    back = datetime.datetime.fromisoformat(json.loads(result))
    assert abs(back.utcoffset().total_seconds() - seconds) <= 30


def test_offset_of_a_timedelta_subclass() -> None:
    """Only the fields that CPython stores are read."""
    zone = Zone(lambda: StrangeDelta(hours=2))
    assert snooze.dumps(MOMENT.replace(tzinfo=zone)) == b'"2024-05-06T07:08:09+02:00"'


@pytest.mark.parametrize("kind", [Zone, Normalising])
@pytest.mark.parametrize("error", FATAL)
def test_fatal_errors_of_zones(kind: type, error: type[BaseException]) -> None:
    """Fatal exceptions come out unchanged."""
    reason = error("mine")
    with pytest.raises(error) as caught:
        snooze.dumps([MOMENT.replace(tzinfo=kind(raiser(reason)))])
    assert caught.value is reason


def test_other_errors_of_zones_are_the_cause() -> None:
    """The caller gets a JSONEncodeError with the exception as its cause."""
    reason = ZeroDivisionError("mine")
    with pytest.raises(snooze.JSONEncodeError, match=UNSUPPORTED) as caught:
        snooze.dumps(MOMENT.replace(tzinfo=Zone(raiser(reason))))
    assert caught.value.__cause__ is reason


@pytest.mark.parametrize("error", [*FATAL, ValueError, AttributeError])
def test_errors_of_attributes(error: type[BaseException]) -> None:
    """Enum values, properties and `__dict__` that raise: no crash, no other error.

    The walk handles AttributeError only.
    """
    reason = error("mine")

    class Meta(enum.EnumMeta):
        pass

    class Member(enum.Enum):
        ONE = 1

        @enum.property
        def value(self) -> Any:
            raise reason

    @dataclasses.dataclass
    class Lazy:
        a: int = 1

        def __getattribute__(self, name: str) -> Any:
            raise reason

    @dataclasses.dataclass(slots=True)
    class Slots:
        a: int = 1

    instance = Slots()
    Slots.a = property(raiser(reason))
    for value in (Member.ONE, Lazy(), instance):
        for option in (0, snooze.OPT_SORT_KEYS, snooze.OPT_INDENT_2):
            with pytest.raises(error):
                snooze.dumps([value], option=option)
    with pytest.raises((error, snooze.JSONEncodeError)):
        snooze.dumps({Member.ONE: 1}, option=snooze.OPT_NON_STR_KEYS)


def attempt(value: Any, option: int = 0, default: Any = None) -> str:
    """Dump, and name the outcome; the output must be JSON without freed memory."""
    try:
        output = snooze.dumps(value, default, option)
    except (
        TypeError,
        ValueError,
        LookupError,
        RuntimeError,
        AttributeError,
        ArithmeticError,
    ) as exc:
        return type(exc).__name__
    assert b"\xdd" not in output
    json.loads(output)
    return "written"


def odd_dicts() -> None:
    """In a child: `__dict__` is a property that returns anything."""
    for answer in [
        *ODD,
        {1: 2},
        {"a": 1},
        {"\ud800": 1},
        {"_a": 1},
        collections.OrderedDict(a=1),
    ]:

        @dataclasses.dataclass
        class Odd:
            a: int = 1
            b: int = 2

        value = Odd()
        Odd.__dict__.get("a")
        Odd.__getattribute__ = lambda self, name, answer=answer: (
            answer if name == "__dict__" else object.__getattribute__(self, name)
        )
        for option in (0, 1, 4, 32):
            attempt([value, {"k": value}], option)
        Odd.__dict__  # noqa: B018
        gc.collect()


def test_odd_instance_dicts() -> None:
    """Any result of a `__dict__` property is handled."""
    in_child(odd_dicts, **DEBUG_MALLOC)


def changing_types() -> str:
    """In a child: the class changes while its instances are being written."""
    outcomes: collections.Counter[str] = collections.Counter()

    class Other:
        pass

    def make(slots: bool) -> Any:
        cls = dataclasses.make_dataclass(
            "Changing", [("a", Any), ("b", Any), ("c", Any)], slots=slots
        )
        return cls

    def act(action: str, cls: Any, instance: Any) -> None:
        if action == "delete fields":
            del cls.__dataclass_fields__
        elif action == "empty fields":
            cls.__dataclass_fields__.clear()
        elif action == "add field":
            cls.__dataclass_fields__["\u00e9" * 40] = cls.__dataclass_fields__["a"]
        elif action == "odd fields":
            cls.__dataclass_fields__ = {1: 2, "x": 3, "\ud800": 4}
        elif action == "fields of another type":
            cls.__dataclass_fields__ = 5
        elif action == "__class__":
            instance.__class__ = type("T", (), {})
        elif action == "new base":
            cls.__bases__ = (type("Base", (), {"c": property(lambda _: 1)}),)
        elif action == "property":
            cls.b = property(lambda _: [1])
            cls.c = property(lambda _: 1 // 0)
        elif action == "delete attribute":
            del instance.c
        elif action == "getattr":
            cls.__getattr__ = lambda self, name: [name, "x" * 100]
            for name in "bc":
                delattr(instance, name)
        elif action == "getattribute":
            cls.__getattribute__ = lambda self, name: None

    deeds = (
        *("delete fields", "empty fields", "add field", "odd fields"),
        *("fields of another type", "__class__", "new base", "property"),
        *("delete attribute", "getattr", "getattribute"),
    )
    for action, slots, option, warm in itertools.product(
        deeds, (False, True), (0, 1, 32), (False, True)
    ):
        cls = make(slots)
        if warm:
            snooze.dumps([cls(1, 2, 3)] * 3)
        holder: list[Any] = []

        def default(
            obj: Any, action: str = action, cls: Any = cls, holder: list[Any] = holder
        ) -> Any:
            try:
                act(action, cls, holder.pop() if holder else None)
            except (AttributeError, TypeError):
                pass
            gc.collect(0)
            return ["answer" * 9]

        instance = cls(object(), ["b" * 50], ["c" * 50])
        holder.append(instance)
        outcomes[attempt([instance, cls(1, 2, 3), instance], option, default)] += 1
        attempt([instance, {"again": instance}], option)
    return repr(dict(outcomes))


def test_types_that_change_during_dumps() -> None:
    """Fields, bases and attributes come and go."""
    outcomes = eval(in_child(changing_types, **DEBUG_MALLOC))
    assert outcomes["written"] > 20, outcomes


def test_a_changed_type_is_examined_again() -> None:
    """Cached facts about a type are dropped when the type changes."""
    cls = dataclasses.make_dataclass("Changing", [("a", int)])
    value = cls(1)
    assert snooze.dumps(value) == b'{"a":1}'
    del cls.__dataclass_fields__
    with pytest.raises(snooze.JSONEncodeError):
        snooze.dumps(value)

    class Base:
        pass

    plain = Base()
    with pytest.raises(snooze.JSONEncodeError):
        snooze.dumps(plain)
    Base.a = 1
    Base.__annotations__ = {"a": int}
    dataclasses.dataclass(Base)
    assert snooze.dumps(plain) == b'{"a":1}'
    plain.__class__ = cls
    with pytest.raises(snooze.JSONEncodeError):
        snooze.dumps(plain)

    class Slots:
        __slots__ = ("a",)

    member = dataclasses.make_dataclass("Slotted", [("a", int)], slots=True)(5)
    assert snooze.dumps(member) == b'{"a":5}'
    type(member).a = property(lambda _: 7)
    assert snooze.dumps(member) == b'{"a":7}'


def test_object_that_changes_its_class_during_examination() -> None:
    """Nothing is cached then, for either class."""

    class Field:
        def __init__(self, instance: Any) -> None:
            self.instance = instance

        @property
        def _field_type(self) -> Any:
            self.instance.__class__ = second
            return dataclasses._FIELD  # type: ignore[attr-defined]

    first = dataclasses.make_dataclass("First", ["x", "y"], slots=True)
    second = dataclasses.make_dataclass("Second", ["y", "x"], slots=True)
    instance = first(1, 2)
    other = second(3, 4)
    first.__dataclass_fields__["x"] = Field(instance)
    # So that the type has no version tag.
    first.changed = True
    snooze.dumps(instance)
    assert type(instance) is second
    assert snooze.dumps(other) == b'{"y":3,"x":4}'


def test_types_at_the_same_address() -> None:
    """A dead type and a new one at its address are told apart."""
    for index in range(300):
        if index % 2:
            cls = dataclasses.make_dataclass("One", [(f"f{index}", int)])
            assert snooze.dumps(cls(index)) == b'{"f%d":%d}' % (index, index)
        else:
            cls = type("Two", (dict,), {})
            assert snooze.dumps(cls(a=index)) == b'{"a":%d}' % index
        del cls
        gc.collect(0)


class Key(str):
    """A str subclass whose hash and equality run code."""

    act: Any = None

    def __hash__(self) -> int:
        if Key.act:
            Key.act()
        return str.__hash__(self)

    def __eq__(self, other: object) -> bool:
        if Key.act:
            Key.act()
        return str.__eq__(self, other)


def hostile_keys() -> str:
    """In a child: hash and equality of keys change the dict that is being read."""
    ran = 0
    for make in (dict, collections.OrderedDict, type("Table", (dict,), {})):
        for option in (0, 4, 32, 36, 1):
            for action in ("clear", "popitem", "update", "raise"):
                table = make({Key(f"k{index}"): ["v" * 30] for index in range(6)})
                if isinstance(table, collections.OrderedDict):
                    table.move_to_end("k0")

                def act(table: Any = table, action: str = action) -> None:
                    nonlocal ran
                    ran += 1
                    Key.act = None
                    if action == "clear":
                        table.clear()
                    elif action == "popitem":
                        table.popitem()
                    elif action == "update":
                        table.update({f"n{index}": index for index in range(200)})
                    else:
                        raise ValueError("mine")
                    gc.collect(0)

                Key.act = act
                attempt([table], option)
                Key.act = None

    @dataclasses.dataclass
    class Plain:
        a: Any
        b: Any

    for action in ("clear", "update"):
        value = Plain(["x" * 40], 2)
        del value.__dict__["a"], value.__dict__["b"]
        value.__dict__[Key("b")] = 1
        value.__dict__[Key("a")] = ["y" * 40]

        def act2(value: Any = value, action: str = action) -> None:
            nonlocal ran
            ran += 1
            Key.act = None
            getattr(value.__dict__, action)()

        Key.act = act2
        attempt([value])
        Key.act = None
    return str(ran)


def test_keys_whose_hash_runs_code() -> None:
    """Look-ups in OrderedDict and in an instance's dict run the keys' code."""
    assert int(in_child(hostile_keys, **DEBUG_MALLOC)) > 4


def hostile_zones() -> None:
    """In a child: the tzinfo frees and changes open containers, wherever datetimes occur."""
    for option in (0, 1, 4, 32, 36):
        for as_key in (False, True):
            if as_key and not option & 4:
                continue
            holder: list[Any] = []

            def act(holder: list[Any] = holder) -> Any:
                for held in holder:
                    held.clear()
                holder.clear()
                gc.collect()
                snooze.dumps([MOMENT, {"a": MOMENT}])
                return datetime.timedelta(hours=1)

            for kind in (Zone, Normalising):
                zone = kind(act)
                zone.normalize = lambda _, act=act: act() and MOMENT
                zone.act = lambda: None
                moment = MOMENT.replace(tzinfo=zone)
                hash(moment)  # kept from now on
                zone.act = act
                inner = (
                    {moment: 1, "k": "x" * 40}
                    if as_key
                    else {"k": moment, "l": "x" * 40}
                )
                outer = [inner, "y" * 40]
                holder += [inner, outer]
                inner = None
                attempt(outer, option)
                holder += [outer]
                outer += [{moment: 1} if as_key else [moment], "z" * 40]
                attempt(collections.OrderedDict(a=outer, b=outer), option)


def test_zones_that_free_open_containers() -> None:
    """utcoffset and normalize, for values and for keys."""
    in_child(hostile_zones, **DEBUG_MALLOC)


def hostile_enums() -> None:
    """In a child: the value of an enum changes, leads back to itself, and is freed."""

    class Member(enum.Enum):
        ONE = 1
        TWO = 2

    holder: list[Any] = [Member.ONE, ["x" * 40]]

    def act(self: Any) -> Any:
        holder.clear()
        gc.collect()
        return [self._value_, "fresh " * 9]

    Member.value = property(act)
    for option in (0, 1, 4, 32):
        holder[:] = [Member.ONE, ["x" * 40], Member.TWO]
        attempt(holder, option)
        holder[:] = [{"k": Member.ONE, "l": ["x" * 40]}]
        attempt({"outer": holder, "more": 1}, option)
        attempt({Member.ONE: 1, Member.TWO: 2}, option)
    Member.value = property(lambda self: self)
    for option in (0, 4):
        attempt([Member.ONE], option)
        attempt({Member.ONE: 1}, option)
    for meta in (enum.EnumMeta, type("Meta", (enum.EnumMeta,), {})):
        try:
            Member.__class__ = meta
        except TypeError:
            continue
        attempt([Member.TWO])


def test_enums_that_change() -> None:
    """As a value and as a key."""
    in_child(hostile_enums, **DEBUG_MALLOC)


def hostile_metaclass() -> None:
    """In a child: a metaclass returns or raises anything for every attribute of the class."""

    class Meta(type):
        def __getattribute__(cls, name: str) -> Any:
            raise ZeroDivisionError(name)

        def __instancecheck__(cls, other: Any) -> bool:
            raise ZeroDivisionError

        def mro(cls) -> Any:
            return type.mro(cls)

    class Odd(metaclass=Meta):
        pass

    class Table(dict, metaclass=Meta):
        pass

    for option in (0, 4, 16, 32):
        assert attempt([Odd()], option) == "TypeError"
        assert attempt([Table(a=1)], option) == "written"
        attempt({Odd(): 1}, option)
    assert attempt([Odd()], 0, lambda _: 1) == "written"

    class Claiming:
        __class__ = property(lambda _: dict)
        __dataclass_fields__ = property(lambda _: {})

    assert attempt([Claiming()]) == "TypeError"


def test_metaclasses() -> None:
    """Types are recognised by their identity, not by what their attributes claim."""
    in_child(hostile_metaclass, **DEBUG_MALLOC)


def test_bytearray_that_changes_while_it_is_read() -> None:
    """A bytearray is copied: no code can change it halfway, and it is not locked."""
    data = bytearray(b'[{"a": 1}, "text"]')
    view = memoryview(data)
    assert snooze.loads(view) == [{"a": 1}, "text"]
    assert snooze.loads(data) == [{"a": 1}, "text"]
    view.release()
    data += b" " * 100_000
    assert snooze.loads(data) == [{"a": 1}, "text"]
    with pytest.raises(snooze.JSONDecodeError):
        snooze.loads(data + b"x")
    data.clear()
    if sys.version_info >= (3, 12):

        class Exporter:
            def __buffer__(self, flags: int) -> memoryview:
                raise AssertionError("must not be called")

        with pytest.raises(snooze.JSONDecodeError):
            snooze.loads(Exporter())
