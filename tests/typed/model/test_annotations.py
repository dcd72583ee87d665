"""Annotations: strings, forward references, type variables, aliases.

This module has `from __future__ import annotations`, so the annotations of each class
here are strings; modules without it are made from text.
"""

from __future__ import annotations

import dataclasses
import sys
import types
import typing
from dataclasses import dataclass
from typing import Annotated, Any, Generic, NamedTuple, TypedDict, TypeVar

import pytest
import typing_extensions

import snooze
from helpers.typed_plans import (
    decode_plan,
    encode_plan,
    read_record,
    reads,
    written_record,
)

INT = ("int", None)
STR = ("str", None)
ANY = ("any",)
T = TypeVar("T")
B = TypeVar("B", bound=int)
C = TypeVar("C", int, str)
D = typing_extensions.TypeVar("D", default=str)


def fields(tp: Any) -> dict[str, Any]:
    """Return the rules of each field."""
    return {name: field[1] for name, field in read_record(tp)["fields"].items()}


def module(name: str, text: str) -> Any:
    """Return a module made from text, with annotations that can be evaluated."""
    made = types.ModuleType(name)
    sys.modules[name] = made
    # Without the future import of this module.
    exec(compile(text, name, "exec", dont_inherit=True), made.__dict__)
    return made


@dataclass
class Box(Generic[T]):
    """A generic class with a string inside a string."""

    x: T
    y: list["T"]  # noqa: UP037 - a string inside a string


@dataclass
class IntBox(Box[int]):
    """Binds T."""

    z: str = ""


@dataclass
class Pair(Box[B], Generic[B, C]):
    """Passes one variable on and adds one."""

    k: C


@dataclass
class Tree(Generic[T]):
    """Contains itself."""

    value: T
    kids: list[Tree[T]]


@dataclass
class Default(Generic[D]):
    """A type variable with a default (PEP 696)."""

    x: D


class GenericDict(TypedDict, Generic[T]):
    """A generic TypedDict."""

    x: T


class BelowDict(GenericDict[int]):
    """Binds T."""

    y: str


class MoreDict(GenericDict[list[T]], Generic[T]):
    """Uses the same variable for another purpose."""

    z: T


class GenericTuple(NamedTuple, Generic[T]):
    """A generic named tuple."""

    x: T


GENERICS = [
    (Box, {"x": ANY, "y": ("list", ANY, None)}),
    (Box[int], {"x": INT, "y": ("list", INT, None)}),
    (Box["int"], {"x": INT, "y": ("list", INT, None)}),
    (IntBox, {"x": INT, "y": ("list", INT, None), "z": STR}),
    (Pair, {"x": INT, "y": ("list", INT, None), "k": (INT, STR)}),
    (
        Pair[bool, str],
        {"x": ("bool", None), "y": ("list", ("bool", None), None), "k": STR},
    ),
    (
        Box[Box[int]],
        {"x": ("record", "Box[int]"), "y": ("list", ("record", "Box[int]"), None)},
    ),
    (Tree[int], {"value": INT, "kids": ("list", ("record", "Tree[int]"), None)}),
    (Default, {"x": STR}),
    (Default[int], {"x": INT}),
    (GenericDict[int], {"x": INT}),
    (BelowDict, {"x": INT, "y": STR}),
    (MoreDict[int], {"x": ("list", INT, None), "z": INT}),
    (GenericTuple[int], {"x": INT}),
]


@pytest.mark.parametrize(("tp", "expected"), GENERICS, ids=repr)
def test_generics(tp: Any, expected: Any) -> None:
    """Arguments replace the type variables in each class of the hierarchy."""
    assert fields(tp) == expected


def test_one_record_for_each_set_of_arguments() -> None:
    """Box[int] twice gives one record; Box[str] another."""
    plan = decode_plan(tuple[Box[int], Box[str], Box[int]])
    assert [record[0] for record in plan[2]] == ["Box[int]", "Box[str]"]


@dataclass
class Endless(Generic[T]):
    """Contains itself with larger arguments."""

    x: Endless[list[T]] | None


def test_endless_generics() -> None:
    """Refused."""
    with pytest.raises(TypeError) as caught:
        reads(Endless[int])
    assert str(caught.value) == (
        "Endless contains itself with more than 100 different type arguments, which "
        "never ends"
    )


@dataclass
class Later:
    """Names a class that is defined later."""

    x: Defined | None
    y: dict[str, list[Defined]]


@dataclass
class Defined:
    """The class that is defined later."""

    back: Later | None


def test_forward_references() -> None:
    """Names are looked up when the plan is made."""
    assert fields(Later)["x"] == (("null",), ("record", "Defined"))
    assert fields(Later)["y"] == (
        "dict",
        STR,
        ("list", ("record", "Defined"), None),
        None,
    )


def test_each_class_is_read_in_its_own_module() -> None:
    """A base in another module uses the names of that module."""
    base = module(
        "typed_names_base",
        "from __future__ import annotations\n"
        "import dataclasses\n"
        "Name = int\n"
        "@dataclasses.dataclass\n"
        "class Base:\n"
        "    x: Name\n",
    )
    below = module(
        "typed_names_below",
        "from __future__ import annotations\n"
        "import dataclasses\n"
        "from typed_names_base import Base\n"
        "Name = str\n"
        "@dataclasses.dataclass\n"
        "class Below(Base):\n"
        "    y: Name\n",
    )
    assert base.Base.__annotations__ == {"x": "Name"}
    assert fields(below.Below) == {"x": INT, "y": STR}


def test_a_default_does_not_hide_a_type() -> None:
    """In `date: date = None` the annotation means the type, not the class's default."""
    made = module(
        "typed_names_hidden",
        "from __future__ import annotations\n"
        "import dataclasses\n"
        "from datetime import date\n"
        "@dataclasses.dataclass\n"
        "class Day:\n"
        "    date: date | None = None\n",
    )
    assert fields(made.Day) == {"date": (("null",), ("date",))}


def test_annotations_as_objects() -> None:
    """Without the future import; a string inside is looked up in the class's module."""
    made = module(
        "typed_names_objects",
        "import dataclasses, typing\n"
        "@dataclasses.dataclass\n"
        "class Node:\n"
        "    kids: 'list[Node]'\n"
        "    one: typing.Optional['Node']\n"
        "    two: typing.List['Node']\n"
        "    raw: list['Node']\n"
        "class TD(typing.TypedDict):\n"
        "    a: 'Node'\n"
        "class NT(typing.NamedTuple):\n"
        "    a: 'Node'\n",
    )
    node = ("record", "Node")
    assert fields(made.Node) == {
        "kids": ("list", node, None),
        "one": (("null",), node),
        "two": ("list", node, None),
        "raw": ("list", node, None),
    }
    assert fields(made.TD) == fields(made.NT) == {"a": node}


def test_local_classes() -> None:
    """A local class can name itself."""

    @dataclass
    class Node:
        value: int
        more: Node | None = None

    document = b'{"value": 1, "more": {"value": 2}}'
    assert snooze.decode(document, Node) == Node(1, Node(2))


def test_unknown_names() -> None:
    """The message says which name, in which class, and what to do."""

    @dataclass
    class Other:
        x: int

    @dataclass
    class Local:
        x: list[Missing]  # noqa: F821 - this is the test

    decoder = snooze.Decoder(Local)
    for _ in range(2):
        with pytest.raises(TypeError) as caught:
            decoder.decode(b"{}")
        assert str(caught.value) == (
            "test_unknown_names.Local.x: the name 'Missing' in the "
            "annotation 'list[Missing]' is not defined. Define or import it where the "
            "class's module can see it, before the first use; names local to a function "
            "cannot be found"
        )


def test_names_defined_before_the_first_use() -> None:
    """A decoder can be made before the classes that it names are defined."""
    made = module(
        "typed_names_late",
        "from __future__ import annotations\n"
        "import dataclasses\n"
        "@dataclasses.dataclass\n"
        "class Early:\n"
        "    x: Late\n",
    )
    decoder = snooze.Decoder(made.Early)
    encoder = snooze.Encoder(made.Early)
    with pytest.raises(TypeError, match="the name 'Late'"):
        decoder.decode(b'{"x": 1}')
    made.Late = int
    assert decoder.decode(b'{"x": 1}') == made.Early(1)
    assert type(encoder) is snooze.Encoder


def test_annotations_that_run_out_of_memory() -> None:
    """MemoryError is not a fault of the annotation."""
    made = module(
        "typed_names_memory",
        "from __future__ import annotations\n"
        "import dataclasses\n"
        "def full():\n"
        "    raise MemoryError\n"
        "@dataclasses.dataclass\n"
        "class Text:\n"
        "    x: full()\n",
    )
    with pytest.raises(MemoryError):
        snooze.Decoder(made.Text)
    with pytest.raises(MemoryError):
        snooze.Encoder(made.Text)


def test_annotations_that_cannot_be_evaluated() -> None:
    """The message states the place and the reason."""
    made = module(
        "typed_names_broken",
        "from __future__ import annotations\n"
        "import dataclasses\n"
        "@dataclasses.dataclass\n"
        "class Broken:\n"
        "    x: 1 / 0\n"
        "@dataclasses.dataclass\n"
        "class Odd:\n"
        "    x: 'in valid'\n",
    )
    with pytest.raises(TypeError) as caught:
        snooze.Decoder(made.Broken)
    assert str(caught.value) == (
        "Broken.x: the annotation '1 / 0' cannot be evaluated: ZeroDivisionError: "
        "division by zero"
    )
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    with pytest.raises(
        TypeError, match="Odd.x: the annotation 'in valid' cannot be eva"
    ):
        snooze.Decoder(made.Odd)


def test_self() -> None:
    """`Self` is the class that contains the annotation."""

    @dataclass
    class Chain:
        next: typing.Self | None = None

    assert fields(Chain)["next"][1][0] == "record"
    assert snooze.decode(b'{"next": {}}', Chain) == Chain(Chain())


Json = typing_extensions.TypeAliasType(
    "Json", "dict[str, Json] | list[Json] | str | int | float | bool | None"
)
Either = typing_extensions.TypeAliasType("Either", "list[T] | T", type_params=(T,))
Loop = typing_extensions.TypeAliasType("Loop", "Loop | int")


def test_aliases() -> None:
    """Recursive aliases, generic ones, and one that refers to itself alone."""
    assert reads(Json) == (
        ("null",),
        ("bool", None),
        INT,
        ("float", None),
        STR,
        ("list", "…", None),
        ("dict", STR, "…", None),
    )
    assert snooze.decode(b'[1, {"a": [null]}]', Json) == [1, {"a": [None]}]
    assert reads(Either[int]) == (INT, ("list", INT, None))
    with pytest.raises(TypeError) as caught:
        reads(Loop)
    assert str(caught.value) == (
        "the type: the type Loop contains itself, without an array, object or class in "
        "between"
    )


PEP_695 = """
import dataclasses, typing
type Json = list[Json] | int
type Pair[X] = tuple[X, X]
type Bad = list[Nope]
@dataclasses.dataclass
class G[X]:
    a: X
    b: "list[X]"
    next: "G[X] | None" = None
class TD[X](typing.TypedDict):
    a: X
class NT[X](typing.NamedTuple):
    a: "X"
class Below[Y](G[list[Y]]):
    pass
"""


@pytest.mark.skipif(sys.version_info < (3, 12), reason="PEP 695 came with 3.12")
def test_pep_695() -> None:
    """The syntax of 3.12, with and without strings."""
    made = module("typed_names_695", PEP_695)
    assert reads(made.Json) == (INT, ("list", "…", None))
    assert reads(made.Pair[int]) == ("fixed", INT, INT)
    expected = {
        "a": INT,
        "b": ("list", INT, None),
        "next": (("null",), ("record", "G[int]")),
    }
    assert fields(made.G[int]) == expected
    assert fields(made.TD[int]) == fields(made.NT[int]) == {"a": INT}
    assert fields(made.Below[int])["a"] == ("list", INT, None)
    with pytest.raises(TypeError) as caught:
        reads(list[made.Bad])
    assert str(caught.value).startswith("type Bad: the name 'Nope' is not defined.")
    future = module(
        "typed_names_695f", "from __future__ import annotations\n" + PEP_695
    )
    assert fields(future.G[int]) == expected


@pytest.mark.skipif(sys.version_info < (3, 14), reason="PEP 649 came with 3.14")
def test_pep_649() -> None:
    """Annotations that are evaluated later, in the function that contains them."""
    text = (
        "import dataclasses\n"
        "def make():\n"
        "    @dataclasses.dataclass\n"
        "    class One:\n"
        "        x: list[Two] | None\n"
        "    @dataclasses.dataclass\n"
        "    class Two:\n"
        "        y: One | None\n"
        "    return One\n"
        "@dataclasses.dataclass\n"
        "class Late:\n"
        "    x: Unknown\n"
        "    y: list[Unknown]\n"
        "@dataclasses.dataclass\n"
        "class Broken:\n"
        "    x: Unknown.thing\n"
    )
    made = module("typed_names_649", text)
    one = made.make()
    assert fields(one)["x"] == (("null",), ("list", ("record", "make.Two"), None))
    with pytest.raises(TypeError, match="Late.x: the name 'Unknown'"):
        reads(made.Late)
    made.Unknown = int
    assert fields(made.Late) == {"x": INT, "y": ("list", INT, None)}
    with pytest.raises(
        TypeError, match="the annotations of Broken cannot be evaluated"
    ):
        reads(made.Broken)


class Total(TypedDict):
    """Required keys and an optional one."""

    a: int
    b: typing.NotRequired[str]
    c: Annotated[typing.NotRequired[int], "note"]


class Partial(TypedDict, total=False):
    """Optional keys and a required one."""

    a: typing.Required[int]
    b: typing_extensions.ReadOnly[str]


class Wide(Total, Partial, total=False):
    """Keys of both."""

    d: int


def presence(tp: Any) -> dict[str, str]:
    """Return which fields are required."""
    return {name: field[2] for name, field in read_record(tp)["fields"].items()}


def test_required_and_not_required() -> None:
    """They apply even where annotations are strings."""
    assert presence(Total) == {"a": "required", "b": "absent", "c": "absent"}
    assert presence(Partial) == {"a": "required", "b": "absent"}
    assert read_record(Total)["make"] == ("dict",)
    assert presence(Wide)["d"] == "absent"
    assert presence(Wide)["a"] == "required"
    written = written_record(Total)
    assert (written["cls"], written["how"]) == (dict, "dict")
    assert {name: field[2] for name, field in written["fields"].items()} == {
        "a": None,
        "b": ("absent",),
        "c": ("absent",),
    }
    assert snooze.decode(b'{"a": 1, "z": 2}', Total) == {"a": 1}


class Closed(typing_extensions.TypedDict, closed=True):
    """No other keys."""

    a: int


class Extra(typing_extensions.TypedDict, extra_items=int):
    """Other keys have a type."""

    a: str


class NoExtra(typing_extensions.TypedDict, extra_items=typing.Never):
    """No other keys, by extra_items."""

    a: str


def test_typed_dicts_of_pep_728() -> None:
    """closed and extra_items."""
    assert read_record(Closed)["unknown"] == "forbid"
    assert read_record(NoExtra)["unknown"] == "forbid"
    unknown = read_record(Extra)["unknown"]
    assert unknown[:2] == ("rest", -1)
    assert decode_plan(Extra)[1][unknown[2]][1] == (INT,)
    assert written_record(Extra)["rest"] == ("", ("int",))
    assert snooze.decode(b'{"a": "x", "b": 1}', Extra) == {"a": "x", "b": 1}


def test_a_long_chain_of_classes() -> None:
    """A long chain of classes needs no deep stack."""
    count = 500
    text = "from __future__ import annotations\nimport dataclasses\n"
    for number in range(count):
        text += f"@dataclasses.dataclass\nclass C{number}:\n    x: list[C{number + 1}] | None\n"
    made = module("typed_names_chain", text + f"C{count} = int\n")
    assert len(decode_plan(made.C0)[2]) == count
    assert len(encode_plan(made.C0)[2]) == count
    assert len(snooze.schema(made.C0)["$defs"]) == count


def test_deeply_nested_types() -> None:
    """Deeper types than people write work; absurdly deep ones are refused without a crash."""
    tp: Any = int
    for _ in range(90):
        tp = list[tp]
    assert len(decode_plan(tp)[1]) == 91
    for _ in range(20):
        tp = list[tp]
    with pytest.raises(TypeError, match="types are nested more than 100 deep"):
        reads(tp)


def test_dataclass_fields_of_bases_without_annotations() -> None:
    """String annotations from `make_dataclass` are resolved too."""
    made = dataclasses.make_dataclass("Made", ["a", ("b", "int")])
    assert fields(made) == {"a": ANY, "b": INT}
