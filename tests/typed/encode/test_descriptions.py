"""Typed encoding by hand-written descriptions: the output of each rule.

Separate from the tests through `Encoder(T)`, because here every part of the contract
between Python and Rust is named on its own, errors and their paths included.
"""

from __future__ import annotations

import collections
import datetime as dt
import decimal
import enum
import json
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pytest

from helpers.descriptions import ANY, COLORS, INT, STR, Color, encoder, node
from helpers.typed_plans import ENCODE
from snooze import _snooze


@dataclass(slots=True)
class Slots:
    """A class with slots."""

    id: int
    name: str
    tags: list[str] = field(default_factory=list)
    inner: Slots | None = None


@dataclass
class Plain:
    """A class with a dict."""

    id: int
    name: str
    tags: list[str] = field(default_factory=list)
    inner: Plain | None = None


class Pair(NamedTuple):
    """A named tuple."""

    id: int
    name: str


def record_of(cls: type, before: bytes = b"", how: str = "record") -> Any:
    """Return an encoder of one of the classes above."""
    return encoder(
        [
            node("object", (how, 0)),
            INT,
            STR,
            node("array", ("list", 2)),
            node("object or null", (how, 0), ("none",)),
        ],
        [
            (
                cls,
                "attributes",
                (
                    ("id", "id", 1, None),
                    ("name", "na\u00efve\n", 2, None),
                    ("tags", "tags", 3, None),
                    ("inner", "inner", 4, None),
                ),
                before,
                None,
            )
        ],
    )


@pytest.mark.parametrize("cls", [Slots, Plain])
def test_records(cls: type) -> None:
    """Fields are in the order of the plan, nested records too, whatever the layout."""
    enc = record_of(cls)
    for _ in range(3):
        value = cls(1, "a", ["x", "y"], cls(2, "b"))
        text = '{"id":1,"na\u00efve\\n":"a","tags":["x","y"],"inner":{"id":2,"na\u00efve\\n":"b","tags":[],"inner":null}}'
        assert enc.encode(value) == text.encode()
        assert enc.encode_str(value) == text


def test_a_tag_comes_first() -> None:
    """The tag is written before the first field."""
    enc = record_of(Slots, b'"type":"S"')
    assert enc.encode(Slots(1, "a")).startswith(b'{"type":"S","id":1,"na')


def test_records_as_arrays() -> None:
    """Arrays of values, without names."""
    enc = record_of(Slots, b"", "array_record")
    value = Slots(1, "a", [], Slots(2, "b"))
    assert enc.encode(value) == b'[1,"a",[],[2,"b",[],null]]'


def test_instance_dicts_in_any_state() -> None:
    """Other key orders, extra attributes, a materialised dict, a class default."""
    enc = record_of(Plain)
    expected = enc.encode(Plain(1, "a"))
    value = Plain.__new__(Plain)
    value.inner, value.tags, value.name, value.id = None, [], "a", 1
    assert enc.encode(value) == expected
    value.more = 5
    assert enc.encode(value) == expected
    assert value.__dict__["id"] == 1
    assert enc.encode(value) == expected
    del value.more
    value.__dict__ = {"name": "a", "tags": [], "id": 1}
    assert enc.encode(value) == expected  # the class default
    del value.id
    with pytest.raises(AttributeError):
        enc.encode(value)


def test_classes_that_change() -> None:
    """Cached facts about a class are dropped when the class changes."""

    @dataclass
    class Changing:
        id: int
        name: str
        tags: Any = ()
        inner: Any = None

    enc = record_of(Changing)
    value = Changing(1, "a", [])
    expected = enc.encode(value)
    assert enc.encode(value) == expected
    Changing.name = property(lambda self: "from property")
    assert b"from property" in enc.encode(value)
    del Changing.name
    assert enc.encode(value) == expected
    Changing.other = 1
    assert enc.encode(value) == expected
    Changing.__getattribute__ = lambda self, name: (
        7 if name == "id" else object.__getattribute__(self, name)
    )
    assert enc.encode(value).startswith(b'{"id":7')


def test_named_tuples() -> None:
    """Fields are read by position."""
    enc = encoder(
        [node("object", ("record", 0)), INT, STR],
        [(Pair, "tuple", ((1, "n", 2, None), (0, "i", 1, None)), b"", None)],
    )
    assert enc.encode(Pair(5, "x")) == b'{"n":"x","i":5}'
    with pytest.raises(TypeError, match="expected a tuple of all fields"):
        enc.encode(tuple.__new__(Pair, (1,)))


def test_typed_dicts() -> None:
    """Members of a dict in the order of the plan; some may be missing."""
    enc = encoder(
        [node("object", ("record", 0)), INT, STR],
        [
            (
                dict,
                "dict",
                (("a", "A", 1, None), ("b", "B", 2, ("absent",))),
                b"",
                None,
            )
        ],
    )
    assert enc.encode({"a": 1, "b": "x"}) == b'{"A":1,"B":"x"}'
    assert enc.encode({"b": "x", str(b"a", "ascii"): 1, "c": 3}) == b'{"A":1,"B":"x"}'
    assert enc.encode({"a": 1}) == b'{"A":1}'
    assert enc.encode({"a": 1, 5: 6}) == b'{"A":1}'
    with pytest.raises(TypeError, match=r'expected member "A", found none at \$'):
        enc.encode({"b": "x"})


def test_omitted_fields() -> None:
    """None, defaults, absent keys; also when every field is omitted."""

    @dataclass(slots=True)
    class Omit:
        a: Any = None
        b: Any = 5
        c: Any = field(default_factory=list)
        d: Any = dt.date(2020, 1, 1)

    fields = (
        ("a", "a", 1, ("none",)),
        ("b", "b", 1, ("equal", 5)),
        ("c", "c", 1, ("equal", [])),
        ("d", "d", 1, ("equal", dt.date(2020, 1, 1))),
    )
    nodes = [node("object", ("record", 0)), ANY, node("array", ("list", 0))]
    enc = encoder(nodes, [(Omit, "attributes", fields, b"", None)])
    assert enc.encode(Omit()) == b"{}"
    assert enc.encode(Omit(1, 5.0, [0], 3)) == b'{"a":1,"b":5.0,"c":[0],"d":3}'
    assert enc.encode(Omit(None, "5", [], dt.date(2020, 1, 1))) == b'{"b":"5"}'
    enc = encoder(nodes, [(Omit, "attributes", fields, b'"t":1', None)], root=2)
    assert enc.encode([Omit(), Omit()]) == b'[{"t":1},{"t":1}]'


def test_enum_members() -> None:
    """Rendered when the plan is made; also as keys."""
    enum_node = node("color", ("members", Color, COLORS))
    nodes = [enum_node, node("array", ("list", 0)), node("object", ("dict", 0, 0))]
    for one in Color:
        assert encoder(nodes).encode(one) == COLORS[one]
        assert (
            encoder(nodes, root=1).encode([one] * 2)
            == b"[" + COLORS[one] + b"," + COLORS[one] + b"]"
        )
        assert (
            encoder(nodes, root=2).encode({one: one})
            == b"{" + COLORS[one] + b":" + COLORS[one] + b"}"
        )


def test_sorted_members() -> None:
    """Dicts are sorted by name, records keep the order of the plan."""
    enc = encoder([ANY], sort=True)
    assert (
        enc.encode({"b": 1, "a": {"d": 1, "c": [{"z": 1, "y": 2}]}})
        == b'{"a":{"c":[{"y":2,"z":1}],"d":1},"b":1}'
    )


def test_indented() -> None:
    """Indented by two spaces."""
    enc = record_of(Slots)
    value = Slots(1, "a", ["x"])
    nodes = [node("object", ("record", 0)), ANY]
    fields = (
        ("id", "id", 1, None),
        ("tags", "tags", 1, None),
        ("inner", "inner", 1, ("none",)),
    )
    enc = encoder(nodes, [(Slots, "attributes", fields, b'"t":0', None)], indent=2)
    assert enc.encode(value) == b'{\n  "t":0,\n  "id": 1,\n  "tags": [\n    "x"\n  ]\n}'
    assert json.loads(enc.encode(value)) == {"t": 0, "id": 1, "tags": ["x"]}


def test_raw() -> None:
    """Raw is copied verbatim."""

    class Raw(bytes):
        __slots__ = ()

    nodes = [node("raw", ("raw", Raw)), node("array", ("list", 0))]
    assert encoder(nodes).encode(Raw(b'{"a": 1}')) == b'{"a": 1}'
    assert encoder(nodes, root=1).encode([Raw(b"1"), Raw(b"2")]) == b"[1,2]"


def test_numbers_that_json_cannot_express() -> None:
    """Refused with nan="error", otherwise null."""
    enc = encoder(
        [node("float", ("float",)), node("array", ("list", 0))], root=1, nan="error"
    )
    assert enc.encode([1.5]) == b"[1.5]"
    for value, name in [(float("nan"), "NaN"), (float("-inf"), "-Infinity")]:
        with pytest.raises(
            TypeError, match=rf"expected a finite number, found {name} at \$\[1\]"
        ):
            enc.encode([0.0, value])
    enc = encoder([node("decimal", ("decimal", decimal.Decimal))], decimals="number")
    for text in ["1.10", "-0", "1E+5", "123456789012345678901234567890.5"]:
        assert enc.encode(decimal.Decimal(text)) == text.encode()
    for text in ["NaN", "Infinity", "-Infinity", "sNaN", "-sNaN123", "NaN5"]:
        assert enc.encode(decimal.Decimal(text)) == b"null"
    enc = encoder([node("decimal", ("decimal", decimal.Decimal))], nan="error")
    for text in ["NaN", "Infinity", "sNaN"]:
        with pytest.raises(
            TypeError, match=f"expected a finite number, found {text} at"
        ):
            enc.encode(decimal.Decimal(text))


def test_unions() -> None:
    """By exact type first, then by isinstance, in order."""
    rules = [("int",), ("list", 1), ("record", 0), ("dict", 2, 1), ("none",)]
    enc = encoder(
        [node("int, array or object", *rules), INT, STR],
        [(Pair, "tuple", ((0, "i", 1, None),), b"", None)],
    )
    for value, text in [
        (5, b"5"),
        ([1], b"[1]"),
        (Pair(1, "x"), b'{"i":1}'),
        ({"a": 1}, b'{"a":1}'),
        (None, b"null"),
    ]:
        assert enc.encode(value) == text
    with pytest.raises(
        TypeError, match=r"^expected int, array or object, found float at \$$"
    ):
        enc.encode(1.5)


def test_error_messages_and_paths() -> None:
    """Each message ends with the path of the wrong value."""
    enc = record_of(Slots)
    cases: list[tuple[Any, str]] = [
        (Slots("1", "a"), "expected int, found str at $.id"),
        (Slots(1, 5), 'expected str, found int at $["na\u00efve\\u000a"]'),
        (Slots(1, "a", ["x", None]), "expected str, found None at $.tags[1]"),
        (Slots(1, "a", {"x": 1}), "expected array, found dict at $.tags"),
        (
            Slots(1, "a", [], Slots(1, "a", [], Plain(1, "a"))),
            "expected object or null, found Plain at $.inner.inner",
        ),
        (Slots(1, "a", [["\ud800"]]), "expected str, found list at $.tags[0]"),
        (
            Slots(1, "a", ["\ud800"]),
            "str is not valid UTF-8: surrogates not allowed at $.tags[0]",
        ),
        (5, "expected object, found int at $"),
    ]
    for value, message in cases:
        with pytest.raises(_snooze.JSONEncodeError) as caught:
            enc.encode(value)
        assert str(caught.value) == message
    nested = encoder(
        [node("object", ("dict", 1, 2)), STR, node("array", ("list", 3)), INT]
    )
    for value, message in [
        ({"a": [1], "b c": [1, 2, "3"]}, 'expected int, found str at $["b c"][2]'),
        ({"a": 1}, "expected array, found int at $.a"),
        ({5: []}, 'expected str as a key, found int at $["5"]'),
        ({"a": [], "\ud800": []}, None),
    ]:
        with pytest.raises(TypeError) as caught:
            nested.encode(value)
        if message:
            assert str(caught.value) == message


RESOLVED = {
    Slots: record_of(Slots),
    dt.date: encoder([node("date", ("date",))]),
    Color: encoder([node("color", ("members", Color, COLORS))]),
}


def named(value: Any) -> list[str]:
    """Return the name of the value's class: a hook."""
    return [type(value).__name__]


def test_any_uses_the_encoder_of_each_class() -> None:
    """`resolve` gives the encoder of a class, the hook writes all other objects."""
    enc = encoder([ANY], resolve=RESOLVED.get, hook=named)
    value = [
        Slots(1, "a", [], Slots(2, "b")),
        dt.date(2020, 1, 1),
        Color.RED,
        1j,
        {"x": Slots(3, "c")},
    ]
    text = (
        b'[{"id":1,"na\xc3\xafve\\n":"a","tags":[],"inner":{"id":2,"na\xc3\xafve\\n":"b","tags":[],"inner":null}},'
        b'"2020-01-01","red",["complex"],{"x":{"id":3,"na\xc3\xafve\\n":"c","tags":[],"inner":null}}]'
    )
    for _ in range(3):
        assert enc.encode(value) == text
    with pytest.raises(
        TypeError, match=r"expected int, found str at \$\[0\]\.inner\.id"
    ):
        enc.encode([Slots(1, "a", [], Slots("2", "b"))])


@pytest.mark.parametrize(
    "value", [Slots(1, "a"), dt.date(2020, 1, 1), Color.RED, 1j], ids=repr
)
def test_any_resolves_a_class_once(value: Any) -> None:
    """The cache finds it again, in the same call and in later ones.

    Each class has its own encoder here. The places of several classes in one cache
    depend on their addresses, and three that share a place replace one another.
    """
    assert not hasattr(value, "missing")  # the look-up gives the class a version tag
    asked = []

    def resolve(cls: type) -> Any:
        asked.append(cls)
        return RESOLVED.get(cls)

    enc = encoder([ANY], resolve=resolve, hook=named)
    expected = enc.encode(value)
    for _ in range(3):
        assert enc.encode([value, {"x": value}]) == b'[%b,{"x":%b}]' % (
            expected,
            expected,
        )
    assert asked == [type(value)]


def test_more_classes_than_the_cache_holds() -> None:
    """A class that was replaced in the cache is resolved again, with the same result."""
    classes = [type(f"C{index}", (), {}) for index in range(400)]
    asked: collections.Counter[type] = collections.Counter()

    def resolve(cls: type) -> None:
        asked[cls] += 1

    enc = encoder([ANY], resolve=resolve, hook=lambda value: type(value).__name__)
    text = json.dumps([cls.__name__ for cls in classes], separators=(",", ":"))
    rounds = 3
    for _ in range(rounds):
        assert enc.encode([cls() for cls in classes]) == text.encode()
    assert set(asked) == set(classes)
    assert max(asked.values()) <= rounds
    assert max(asked.values()) > 1  # there are more classes than places


def test_objects_without_an_encoder() -> None:
    """Without a hook they are refused; `resolve` may return nothing but an encoder."""
    with pytest.raises(
        TypeError, match=r"^Type is not JSON serializable: complex at \$\.a\[1\]$"
    ):
        encoder([ANY]).encode({"a": [0, 1j]})
    with pytest.raises(TypeError, match="must be resolved to an Encoder or None"):
        encoder([ANY], resolve=lambda cls: 5).encode(1j)


def test_subclasses_of_records() -> None:
    """Written by the plan that `resolve` returns, or like their base."""

    @dataclass
    class Sub(Plain):
        extra: int = 0

    nodes = [node("object", ("record", 0)), INT]
    record = (Plain, "attributes", (("id", "id", 1, None),), b"", None)
    own = encoder(
        nodes, [(Sub, "attributes", (("extra", "extra", 1, None),), b"", None)]
    )
    value = Sub(1, "a", extra=7)
    assert encoder(nodes, [record]).encode(value) == b'{"id":1}'
    assert (
        encoder(nodes, [record], resolve={Sub: own}.get).encode(value) == b'{"extra":7}'
    )


def test_encode_into() -> None:
    """At an offset, growing the buffer, and leaving it unchanged on errors."""
    enc = encoder([node("array", ("list", 1)), INT])
    buffer = bytearray(b"0123456789")
    assert enc.encode_into([1, 2], buffer) == 5
    assert buffer == b"[1,2]56789"
    assert enc.encode_into([1, 2], buffer, 8) == 13
    assert buffer == b"[1,2]567[1,2]"
    assert enc.encode_into([], buffer, offset=13) == 15
    assert buffer == b"[1,2]567[1,2][]"
    before = bytes(buffer)
    with pytest.raises(ValueError, match="offset"):
        enc.encode_into([], buffer, 16)
    with pytest.raises(ValueError, match="offset"):
        enc.encode_into([], buffer, -1)
    with pytest.raises(TypeError):
        enc.encode_into(["x"], buffer)
    with pytest.raises(TypeError):
        enc.encode_into([], b"no")
    with pytest.raises(TypeError):
        enc.encode_into([])
    with memoryview(buffer), pytest.raises(BufferError):
        enc.encode_into([], buffer)
    assert buffer == before
    long = list(range(100_000))
    assert enc.encode_into(long, buffer, 2) == len(enc.encode(long)) + 2
    assert json.loads(buffer[2:]) == long


def test_depth() -> None:
    """One limit for all kinds of containers, without recursion on the C stack."""
    enc = encoder([ANY])
    value: Any = []
    for _ in range(1023):
        value = [value]
    assert enc.encode(value) == b"[" * 1024 + b"]" * 1024
    with pytest.raises(TypeError, match="Recursion limit reached"):
        enc.encode([value])
    cycle = Slots(1, "a")
    cycle.inner = cycle
    with pytest.raises(TypeError, match="Recursion limit reached"):
        record_of(Slots).encode(cycle)
    with pytest.raises(TypeError, match="Recursion limit reached"):
        encoder([ANY], hook=lambda value: object()).encode(object())


@pytest.mark.parametrize(
    "description",
    [
        None,
        (),
        (2, (), (), 0, ENCODE),
        (1, (), (), 0, ENCODE),
        (
            1,
            (("x", (("nothing",),)),),
            (),
            0,
            ENCODE,
        ),
        (
            1,
            (("x", (("list", 1),)),),
            (),
            0,
            ENCODE,
        ),
        (
            1,
            (("x", (("list",),)),),
            (),
            0,
            ENCODE,
        ),
        (
            1,
            (("x", (("record", 0),)),),
            (),
            0,
            ENCODE,
        ),
        (
            1,
            (("x", (("int", 5),)),),
            (),
            0,
            ENCODE,
        ),
        (1, (("x", (("int",),)),), (), 0, (None, None, "none", "str", False)),
        (1, (("x", (("int",),)),), (), 0, (None, None, "null", "str", 0)),
        (1, (("x", (("int",),)),), (), 0, ()),
        (
            1,
            (("x", (("record", 0),)),),
            ((5, "attributes", (), b"", None),),
            0,
            ENCODE,
        ),
        (
            1,
            (("x", (("record", 0),)),),
            ((int, "nothing", (), b"", None),),
            0,
            ENCODE,
        ),
    ],
)
def test_invalid_descriptions(description: Any) -> None:
    """Every malformed description is a SystemError."""
    with pytest.raises(SystemError):
        _snooze.EncoderBase()._compile(description)


def test_encoders_without_a_plan() -> None:
    """`_prepare` is called to make it."""

    class Lazy(_snooze.EncoderBase):
        def _prepare(self) -> None:
            self._compile((1, (INT,), (), 0, ENCODE))

    assert Lazy().encode(5) == b"5"
    with pytest.raises(AttributeError):
        _snooze.EncoderBase().encode(5)


def test_enum_members_of_another_class() -> None:
    """A member that is not in the table is refused."""
    other = enum.Enum("Color", {"RED": "red"})
    enc = encoder([node("'red' or 'blue'", ("members", Color, {Color.RED: b'"red"'}))])
    assert enc.encode(Color.RED) == b'"red"'
    for value in (other.RED, Color.LONG, "red"):
        with pytest.raises(TypeError, match="^expected 'red' or 'blue', found"):
            enc.encode(value)
