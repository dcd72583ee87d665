"""Fill COMPARE.md's table of typed decoding by calling every library alike.

Separate from compare_table.py, whose calls need no types. Invariant as there: a cell is
what the library returned, or the word `error`. compare_cells.py reads and writes the
table. Used by hand and by tests/repo/test_docs.py.

    python scripts/compare_typed.py           write the table into COMPARE.md
    python scripts/compare_typed.py --check   compare the columns of installed libraries
"""

from __future__ import annotations

import collections
import dataclasses
import datetime as dt
import decimal
import enum
import gc
import importlib
import ipaddress
import pathlib
import sys
import uuid
from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, Literal, NamedTuple

from compare_cells import NOT_TESTED, Table

NAMES = ("snooze", "msgspec", "pydantic")
Call = Callable[[], Any]


@dataclasses.dataclass
class Point:
    """An ordinary dataclass."""

    x: int
    y: int = 0


@dataclasses.dataclass(frozen=True, slots=True)
class Fixed:
    """A frozen dataclass with slots."""

    x: int


@dataclasses.dataclass
class Span:
    """A dataclass that validates itself."""

    first: int
    last: int

    def __post_init__(self) -> None:
        """Refuse an end before the beginning."""
        if self.last < self.first:
            raise ValueError("last is before first")


@dataclasses.dataclass
class Ok:
    """One of two classes distinguished by a Literal."""

    status: Literal["ok"]
    value: int


@dataclasses.dataclass
class Failed:
    """The other class."""

    status: Literal["failed"]
    reason: str


@dataclasses.dataclass
class Cat:
    """One of two classes distinguished by required members."""

    lives: int


@dataclasses.dataclass
class Dog:
    """The other class."""

    tricks: list[str]


@dataclasses.dataclass
class Dot:
    """One of two classes distinguished by a constant."""

    at: int
    kind: Literal["dot"] = "dot"


@dataclasses.dataclass
class Line:
    """The other class."""

    at: int
    kind: Literal["line"] = "line"


class Pair(NamedTuple):
    """A named tuple with types."""

    a: int
    b: int


class Colour(enum.Enum):
    """An enum."""

    RED = "red"


def _at_least(bound: int) -> Any:
    """Return the constraint of annotated-types, or ours without that package."""
    try:
        module = importlib.import_module("annotated_types")
    except ImportError:
        module = importlib.import_module("snooze")
    return module.Ge(bound)


#: The title of a type, JSON, and the type.
DECODE: tuple[tuple[str, str, Any], ...] = (
    ("`int`", '"1"', int),
    ("`int`", "1.0", int),
    ("`int`", "true", int),
    ("`int`", "18446744073709551616", int),
    ("`float`", "1", float),
    ("`str`", "1", str),
    ("`bool`", '"true"', bool),
    ("`Decimal`", "1.10", decimal.Decimal),
    ("`bytes`", '"YQ=="', bytes),
    ("`date`", '"2026-11-21"', dt.date),
    ("`datetime`", "0", dt.datetime),
    ("`timedelta`", '"PT1H"', dt.timedelta),
    ("`timedelta`", "60", dt.timedelta),
    ("`UUID`", '"00000000000000000000000000000007"', uuid.UUID),
    ("an enum", '"red"', Colour),
    ("`Path`", '"a/b"', pathlib.PurePosixPath),
    ("`IPv4Address`", '"127.0.0.1"', ipaddress.IPv4Address),
    ("`deque[int]`", "[1]", collections.deque[int]),
    ("`set[int]`", '"[1]"', set[int]),
    ("`dict[int, int]`", '{"1":2}', dict[int, int]),
    ("`tuple[int, str]`", "[1]", tuple[int, str]),
    ("a dataclass", '{"x":1,"z":2}', Point),
    ("a frozen dataclass with slots", '{"x":1}', Fixed),
    ("a `NamedTuple`", "[1,2]", Pair),
    ("a `NamedTuple`", '{"a":1,"b":2}', Pair),
    ("`int | str`", '"1"', int | str),
    ("`date | str`", '"2026-11-21"', dt.date | str),
    ("dataclasses told apart by a `Literal`", '{"status":"ok","value":1}', Ok | Failed),
    (
        "dataclasses told apart by a `Literal` with a default",
        '{"kind":"line","at":1}',
        Dot | Line,
    ),
    ("dataclasses told apart by required members", '{"lives":9}', Cat | Dog),
    ("`Annotated[int, Ge(3)]`", "1", Annotated[int, _at_least(3)]),
    ("`Any`", "1e400", Any),
)
#: Documents whose error texts are shown.
WRONG: tuple[tuple[str, str, Any], ...] = (
    ("a member of the wrong type", '{"a":[{"x":"one"}]}', dict[str, list[Point]]),
    ("a missing member", '{"y":1}', Point),
    ("`__post_init__` raises", '{"first":2,"last":1}', Span),
    ("not JSON", '{"x":', Point),
)
EXTRAS = (
    "every problem of a document",
    "byte offset of a problem",
    "decoding only what a JSON Pointer names",
    "raw JSON text of a value",
    "JSON Schema 2020-12",
    "collecting unknown members",
    "unions that JSON cannot tell apart, in the order written",
    "a class for objects with an unknown tag",
    "a value for a field whose member is missing, apart from null",
    "a datetime as a number, in both directions",
    "schemas of several types with one dict of classes",
    "a base class as the union of its subclasses",
    "a tag beside the members, in an object of its own",
    "the members of a nested class among those of the outer one",
    "Python objects in place of JSON, with the same checks",
    "fields from the attributes of any object",
    "values as dicts and lists, except for instances of named classes",
    "renamed fields of a dataclass",
    "instances of attrs classes",
    "nested arrays into a numpy array",
    "instances hidden from the cyclic collector",
)


def _decoder(name: str) -> Callable[[str, Any], Any]:
    """Return the call that decodes JSON into a type, with the default options."""
    module = importlib.import_module(name)
    if name == "snooze":
        return lambda text, tp: module.Decoder(tp).decode(text.encode())
    if name == "msgspec":
        return lambda text, tp: module.json.Decoder(tp).decode(text.encode())
    return lambda text, tp: module.TypeAdapter(tp).validate_json(text.encode())


def _cell(call: Call) -> str:
    try:
        found = call()
    except Exception:  # noqa: BLE001 - whatever is raised, it is an error
        return "error"
    return f"`{_shown(found)}`"


def _shown(found: Any) -> str:
    text = repr(found)
    for long, short in (
        ("datetime.timezone.utc", "UTC"),
        ("datetime.", ""),
        ("TzInfo(0)", "UTC"),
        ("<Colour.RED: 'red'>", "Colour.RED"),
        ("UUID('00000000-0000-0000-0000-000000000007')", "UUID(…7)"),
    ):
        text = text.replace(long, short)
    return text


def _message(call: Call) -> str:
    """Return the text of an error, on one line."""
    try:
        call()
    except Exception as reason:  # noqa: BLE001 - whatever is raised, it is the error
        lines = [line.strip() for line in str(reason).splitlines()]
        text = " / ".join(one for one in lines if not one.startswith("For further"))
        return f"`` {text} ``" if "`" in text else f"`{text}`"
    return "no error"


def _extras(name: str) -> list[str]:
    """Return which optional features a library has, by using them."""
    return [_has(EXTRA_CALLS[name].get(title)) for title in EXTRAS]


def _has(call: Call | None) -> str:
    if call is None:
        return "no"
    try:
        found = call()
    except ImportError:
        return NOT_TESTED
    if found is not True:
        raise AssertionError("a feature did not work as expected")
    return "yes"


def _problems() -> bool:
    snooze = importlib.import_module("snooze")
    try:
        snooze.decode(b'["a","b"]', list[int], errors="all")
    except snooze.ValidationError as error:
        return [one.offset for one in error.errors] == [1, 5]
    return False


def _pydantic_problems() -> bool:
    pydantic = importlib.import_module("pydantic")
    try:
        pydantic.TypeAdapter(list[int]).validate_json(b'["a","b"]')
    except pydantic.ValidationError as error:
        return len(error.errors()) == 2
    return False


def _attrs(name: str) -> bool:
    attrs = importlib.import_module("attrs")
    made = attrs.make_class("Made", {"x": attrs.field(type=int)})
    return bool(_decoder(name)('{"x":1}', made) == made(1))


def _numpy() -> bool:
    numpy = importlib.import_module("numpy")
    tp = numpy.ndarray[Any, numpy.dtype[numpy.float64]]
    found = importlib.import_module("snooze").decode(b"[[1,2],[3,4]]", tp)
    return bool((found == numpy.array([[1.0, 2.0], [3.0, 4.0]])).all())


def _collected() -> bool:
    snooze = importlib.import_module("snooze")
    tp = Annotated[dict[str, Any], snooze.Field(rest=True)]
    made = dataclasses.make_dataclass("Made", [("x", int), ("rest", tp)])
    return bool(snooze.decode(b'{"x":1,"y":2}', made).rest == {"y": 2})


def _extra_fields() -> bool:
    pydantic = importlib.import_module("pydantic")
    made = pydantic.create_model(
        "Made", x=int, __config__=pydantic.ConfigDict(extra="allow")
    )
    found = made.model_validate_json(b'{"x":1,"y":2}')
    return bool(found.model_extra == {"y": 2})


def _in_order() -> bool:
    snooze = importlib.import_module("snooze")
    tp = Annotated[list[int] | list[str] | str, snooze.FirstMatch()]
    return bool(snooze.decode(b'[["a"],[1],"b"]', list[tp]) == [["a"], [1], "b"])


def _left_to_right() -> bool:
    pydantic = importlib.import_module("pydantic")
    field = pydantic.Field(union_mode="left_to_right")
    tp = Annotated[list[int] | list[str] | str, field]
    found = pydantic.TypeAdapter(list[tp]).validate_json(b'[["a"],[1],"b"]')
    return bool(found == [["a"], [1], "b"])


def _fallback() -> bool:
    snooze = importlib.import_module("snooze")
    known: Any = snooze.configure(tag="a")(dataclasses.make_dataclass("Known", []))
    other: Any = snooze.configure(fallback=True)(
        dataclasses.make_dataclass("Other", [])
    )
    found = snooze.decode(b'[{"type":"a"},{"type":"x"}]', list[known | other])
    return bool(found == [known(), other()])


def _callable_discriminator() -> bool:
    pydantic = importlib.import_module("pydantic")
    known: Any = pydantic.create_model("Known", type=str)
    other: Any = pydantic.create_model("Other", type=str)
    which = pydantic.Discriminator(lambda v: "a" if v["type"] == "known" else "b")
    tp = Annotated[
        Annotated[known, pydantic.Tag("a")] | Annotated[other, pydantic.Tag("b")], which
    ]
    found = pydantic.TypeAdapter(tp).validate_json(b'{"type":"x"}')
    return type(found) is other


def _unset(name: str) -> bool:
    module = importlib.import_module(name)
    unset = module.UNSET
    cls = dataclasses.make_dataclass(
        "Made", [("x", int | None | type(unset), dataclasses.field(default=unset))]
    )
    missing, null = _decoder(name)("{}", cls), _decoder(name)('{"x":null}', cls)
    encode = module.encode if name == "snooze" else _msgspec_encode
    return (encode(missing), encode(null)) == (b"{}", b'{"x":null}')


def _msgspec_encode(value: Any) -> bytes:
    encoded: bytes = importlib.import_module("msgspec.json").encode(value)
    return encoded


def _missing() -> bool:
    pydantic = importlib.import_module("pydantic")
    made = pydantic.create_model(
        "Made", x=(int | None | pydantic.MISSING, pydantic.MISSING)
    )
    texts = [made.model_validate_json(text).model_dump_json() for text in TWO_STATES]
    return texts == TWO_STATES


TWO_STATES = ["{}", '{"x":null}']


def _unix() -> bool:
    snooze = importlib.import_module("snooze")
    tp = Annotated[dt.datetime, snooze.Format("unix")]
    return bool(snooze.encode(snooze.decode(b"1.5", tp), tp) == b"1.5")


def _pydantic_unix() -> bool:
    pydantic = importlib.import_module("pydantic")
    config = pydantic.ConfigDict(ser_json_temporal="seconds")
    adapter = pydantic.TypeAdapter(dt.datetime, config=config)
    return bool(adapter.dump_json(adapter.validate_json(b"1.5")) == b"1.5")


def _components(name: str) -> bool:
    cls: Any = dataclasses.make_dataclass("Made", [("x", int)])
    if name == "pydantic":
        adapter = importlib.import_module("pydantic").TypeAdapter
        inputs = [
            (1, "validation", adapter(cls)),
            (2, "validation", adapter(list[cls])),
        ]
        _, found = adapter.json_schemas(inputs)
        return list(found["$defs"]) == ["Made"]
    module = importlib.import_module("snooze" if name == "snooze" else "msgspec.json")
    _, classes = module.schema_components([cls, list[cls]])
    return list(classes) == ["Made"]


def _subclasses() -> bool:
    snooze = importlib.import_module("snooze")
    base: Any = snooze.configure(tag=True)(dataclasses.make_dataclass("Base", []))
    sub = dataclasses.make_dataclass("Sub", [], bases=(base,))
    tp = Annotated[base, snooze.Subclasses()]
    return type(snooze.decode(b'{"type":"Sub"}', tp)) is sub


def _adjacent() -> bool:
    snooze = importlib.import_module("snooze")
    made: Any = dataclasses.make_dataclass("Made", [("x", int)])
    tp = snooze.configure(tag=True, content="data")(made)
    text = b'{"type":"Made","data":{"x":1}}'
    return bool(snooze.decode(text, tp) == tp(1) and snooze.encode(tp(1)) == text)


def _flattened() -> bool:
    snooze = importlib.import_module("snooze")
    flat = Annotated[Point, snooze.Field(flatten=True)]
    made = dataclasses.make_dataclass("Made", [("p", flat)])
    text = b'{"x":1,"y":2}'
    return bool(snooze.decode(text, made) == made(Point(1, 2))) and bool(
        snooze.encode(made(Point(1, 2))) == text
    )


def _converted(name: str) -> bool:
    value, tp = {"x": 1}, list[Point]
    calls = {
        "snooze": lambda module: module.convert([value], tp),
        "msgspec": lambda module: module.convert([value], tp),
        "pydantic": lambda module: module.TypeAdapter(tp).validate_python([value]),
    }
    return bool(calls[name](importlib.import_module(name)) == [Point(1)])


def _attributes(name: str) -> bool:
    class Row:
        x, y = 1, 2

    options: Any = {"from_attributes": True}
    module = importlib.import_module(name)
    if name == "pydantic":  # for its models only
        model = module.create_model("Point", x=int, y=int)
        made = model.model_validate(Row(), **options)
    else:
        made = module.convert(Row(), Point, **options)
    return (made.x, made.y) == (1, 2)


def _builtins(name: str) -> bool:
    day = dt.date(2026, 11, 21)
    calls = {
        "snooze": lambda module: module.to_builtins((day, b""), keep=(dt.date,)),
        "msgspec": lambda module: module.to_builtins(
            (day, b""), builtin_types=(dt.date,)
        ),
    }
    made = calls[name](importlib.import_module(name))
    return list(made) == [day, ""]


def _renamed(name: str) -> bool:
    module = importlib.import_module(name)
    word = {"snooze": "name", "pydantic": "alias"}[name]
    tp: Any = Annotated[int, module.Field(**{word: "X"})]
    made = dataclasses.make_dataclass("Made", [("x", tp)])
    return bool(_decoder(name)('{"X":1}', made).x == 1)


def _raw(name: str) -> bool:
    tp: Any = list.__class_getitem__(importlib.import_module(name).Raw)
    return bytes(_decoder(name)("[{ }]", tp)[0]) == b"{ }"


def _pointer() -> bool:
    module = importlib.import_module("snooze")
    return bool(module.decode(b'{"a":[1,2]}', int, at="/a/1") == 2)


def _hidden() -> bool:
    made = dataclasses.make_dataclass("Made", [("x", list[int])], slots=True)
    found = importlib.import_module("snooze").decode(b'{"x":[1]}', made, gc=False)
    return not gc.is_tracked(found)


def _hidden_struct() -> bool:
    msgspec = importlib.import_module("msgspec")
    made = msgspec.defstruct("Made", [("x", list[int])], gc=False)
    return not gc.is_tracked(_decoder("msgspec")('{"x":[1]}', made))


def _schema(name: str) -> bool:
    module = importlib.import_module(name)
    make: dict[str, Call] = {
        "snooze": lambda: module.schema(int | None),
        "msgspec": lambda: importlib.import_module("msgspec.json").schema(int | None),
        "pydantic": lambda: module.TypeAdapter(int | None).json_schema(),
    }
    return "anyOf" in make[name]()


EXTRA_CALLS: dict[str, dict[str, Call]] = {
    "snooze": {
        "every problem of a document": _problems,
        "byte offset of a problem": _problems,
        "decoding only what a JSON Pointer names": _pointer,
        "raw JSON text of a value": partial(_raw, "snooze"),
        "JSON Schema 2020-12": partial(_schema, "snooze"),
        "collecting unknown members": _collected,
        "unions that JSON cannot tell apart, in the order written": _in_order,
        "a class for objects with an unknown tag": _fallback,
        "a value for a field whose member is missing, apart from null": partial(
            _unset, "snooze"
        ),
        "a datetime as a number, in both directions": _unix,
        "schemas of several types with one dict of classes": partial(
            _components, "snooze"
        ),
        "a base class as the union of its subclasses": _subclasses,
        "a tag beside the members, in an object of its own": _adjacent,
        "the members of a nested class among those of the outer one": _flattened,
        "Python objects in place of JSON, with the same checks": partial(
            _converted, "snooze"
        ),
        "fields from the attributes of any object": partial(_attributes, "snooze"),
        "values as dicts and lists, except for instances of named classes": partial(
            _builtins, "snooze"
        ),
        "renamed fields of a dataclass": partial(_renamed, "snooze"),
        "instances of attrs classes": partial(_attrs, "snooze"),
        "nested arrays into a numpy array": _numpy,
        "instances hidden from the cyclic collector": _hidden,
    },
    "msgspec": {
        "Python objects in place of JSON, with the same checks": partial(
            _converted, "msgspec"
        ),
        "fields from the attributes of any object": partial(_attributes, "msgspec"),
        "values as dicts and lists, except for instances of named classes": partial(
            _builtins, "msgspec"
        ),
        "raw JSON text of a value": partial(_raw, "msgspec"),
        "JSON Schema 2020-12": partial(_schema, "msgspec"),
        "a value for a field whose member is missing, apart from null": partial(
            _unset, "msgspec"
        ),
        "schemas of several types with one dict of classes": partial(
            _components, "msgspec"
        ),
        "instances of attrs classes": partial(_attrs, "msgspec"),
        "instances hidden from the cyclic collector": _hidden_struct,
    },
    "pydantic": {
        "every problem of a document": _pydantic_problems,
        "JSON Schema 2020-12": partial(_schema, "pydantic"),
        "collecting unknown members": _extra_fields,
        "unions that JSON cannot tell apart, in the order written": _left_to_right,
        "a class for objects with an unknown tag": _callable_discriminator,
        "a value for a field whose member is missing, apart from null": _missing,
        "a datetime as a number, in both directions": _pydantic_unix,
        "schemas of several types with one dict of classes": partial(
            _components, "pydantic"
        ),
        "Python objects in place of JSON, with the same checks": partial(
            _converted, "pydantic"
        ),
        "fields from the attributes of any object": partial(_attributes, "pydantic"),
        "renamed fields of a dataclass": partial(_renamed, "pydantic"),
    },
}


def column(name: str) -> list[str]:
    """Return one library's cells, in the order of the rows."""
    decode = _decoder(name)
    cells = [_cell(partial(decode, text, tp)) for _, text, tp in DECODE]
    cells += [_message(partial(decode, text, tp)) for _, text, tp in WRONG]
    return [cell.replace("|", "\\|") for cell in cells + _extras(name)]


def titles() -> list[str]:
    """Return the first cell of every row."""
    rows = [f"`{text}` as {title}" for title, text, _ in DECODE]
    rows += [f"error text: {title}, `{text}`" for title, text, _ in WRONG]
    return [row.replace("|", "\\|") for row in [*rows, *EXTRAS]]


TABLE = Table("compare_typed", NAMES, titles, column)

if __name__ == "__main__":
    sys.exit(TABLE.main(__doc__))
