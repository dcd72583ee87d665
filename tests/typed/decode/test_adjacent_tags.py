"""Adjacent tags: the class and its members side by side in one object."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, NamedTuple, TypedDict

import attrs
import pytest

import snooze
from helpers.typed_tools import Decoder, accept, refuse
from snooze import (
    Encoder,
    Field,
    Raw,
    Subclasses,
    configure,
    convert,
    encode,
    to_builtins,
)


@configure(tag=True, content="data")
@dataclass
class Move:
    """A class with a required member."""

    x: int
    y: int = 0


@configure(tag="write", content="data", rename="camel", unknown="forbid")
@dataclass(slots=True)
class Write:
    """A class with other names."""

    full_text: str


@configure(tag=True, content="data")
@dataclass
class Quit:
    """A class that needs no member."""

    code: int = 3


Event = Move | Write | Quit


@pytest.mark.parametrize(
    ("document", "value"),
    [
        ('{"type":"Move","data":{"x":1}}', Move(1)),
        ('{"data":{"y":2,"x":1},"type":"Move"}', Move(1, 2)),
        ('{"type":"write","data":{"fullText":"a"}}', Write("a")),
        ('{"type":"Quit","data":{"code":4}}', Quit(4)),
        ('{"type":"Quit"}', Quit()),
        ('{"type":"Move","more":[1],"data":{"x":1,"z":2}}', Move(1)),
    ],
)
def test_accepted(document: str, value: Any) -> None:
    """In any order, alone and in a union."""
    accept(Event, document, value)
    accept(type(value), document, value)
    accept(list[Event | None], f"[{document},null]", [value, None])
    assert Decoder(Event).decode(encode(value)) == value


def test_refused() -> None:
    """Each problem has its place in the document."""
    start = "(line 1 column 1)"
    for document, message in [
        ('{"type":"Move"}', f'expected member "data", found none at $ {start}'),
        ('{"data":{"x":1}}', f'expected member "type", found none at $ {start}'),
        (
            '{"type":"x","data":{}}',
            "expected 'Move', 'write' or 'Quit', found \"x\" at $.type (line 1 column 9)",
        ),
        (
            '{"type":"Move","data":{"x":"1"}}',
            "expected int, found str at $.data.x (line 1 column 28)",
        ),
        (
            '{"type":"Move","data":{}}',
            'expected member "x", found none at $.data (line 1 column 23)',
        ),
        (
            '{"type":"Move","data":[]}',
            "expected object, found array at $.data (line 1 column 23)",
        ),
        (
            '{"type":"write","data":{"fullText":"a","b":1}}',
            'expected no member "b", found one at $.data (line 1 column 40)',
        ),
        (
            '{"type":"write","data":{"fullText":"a"},"b":1}',
            'expected no member "b", found one at $ (line 1 column 41)',
        ),
        ("[]", f"expected object, found array at $ {start}"),
    ]:
        refuse(Event, document, message)
    refuse(
        Move,
        '{"type":"Quit","data":{"x":1}}',
        "expected 'Move', found \"Quit\" at $.type (line 1 column 9)",
    )


def test_written() -> None:
    """The tag first, or sorted."""
    assert encode(Move(1)) == b'{"type":"Move","data":{"x":1,"y":0}}'
    assert encode(Move(1), sort_keys=True) == b'{"data":{"x":1,"y":0},"type":"Move"}'
    assert encode([Write("a"), Quit()], list[Event]) == (
        b'[{"type":"write","data":{"fullText":"a"}},{"type":"Quit","data":{"code":3}}]'
    )
    assert encode(Move(1), indent=2) == (
        b'{\n  "type": "Move",\n  "data": {\n    "x": 1,\n    "y": 0\n  }\n}'
    )
    assert (
        Encoder(Event, omit_defaults=True).encode(Quit())
        == b'{"type":"Quit","data":{}}'
    )
    assert encode({"a": Move(1)}) == b'{"a":{"type":"Move","data":{"x":1,"y":0}}}'
    with pytest.raises(TypeError, match=r"expected int, found str at \$\.data\.x"):
        encode(Move("1"))  # type: ignore[arg-type]


def test_subclasses() -> None:
    """Have their own tags, and the member of the base."""

    @dataclass
    class Jump(Move):
        height: int = 1

    every = Annotated[Move, Subclasses()]
    text = b'{"type":"Jump","data":{"x":1,"y":0,"height":5}}'
    assert encode(Jump(1, 0, 5)) == text
    assert Decoder(every).decode(text) == Jump(1, 0, 5)
    assert Encoder(every).encode(Jump(1, 0, 5)) == text
    with pytest.raises(TypeError, match=r"expected Move, found Jump, a subclass"):
        encode(Jump(1), Move)

    @configure(content=None)
    @dataclass
    class Beside(Move):
        pass

    assert encode(Beside(1)) == b'{"type":"Beside","x":1,"y":0}'


def test_other_classes() -> None:
    """attrs, named tuples, recursion, unknown members, integers as tags."""

    @configure(tag=1, content="c", tag_field="t")
    @attrs.define
    class One:
        rest: Annotated[dict[str, int], Field(rest=True)] = attrs.field(factory=dict)
        next: Raw | None = None

    accept(One, '{"t":1,"c":{"a":5}}', One({"a": 5}))
    assert encode(One({"t": 5})) == b'{"t":1,"c":{"next":null,"t":5}}'

    @configure(tag=2, content="c", tag_field="t", array_like=False)
    class Two(NamedTuple):
        c: int
        t: str = "t"

    accept(One | Two, '{"t":2,"c":{"c":5}}', Two(5))
    assert encode(Two(5)) == b'{"t":2,"c":{"c":5,"t":"t"}}'
    tree = Tree([Tree(), Tree([Tree()])])
    assert Decoder(Tree).decode(encode(tree)) == tree


@configure(tag=True, content="of")
@dataclass
class Tree:
    """A recursive class."""

    nodes: list[Tree] = field(default_factory=list)


def test_conversion_and_schema() -> None:
    """Dicts in the same form, and instances."""
    value = {"type": "Move", "data": {"x": 1}}
    assert convert(value, Event) == Move(1)
    assert convert([value, Quit()], list[Event]) == [Move(1), Quit()]
    assert to_builtins(Move(1)) == {"type": "Move", "data": {"x": 1, "y": 0}}
    schema = snooze.schema(Event)
    made = schema["$defs"]["Move"]
    assert made["properties"]["type"] == {"const": "Move"}
    assert made["properties"]["data"]["required"] == ["x"]
    assert made["required"] == ["data"]
    assert schema["discriminator"]["propertyName"] == "type"
    assert schema["$defs"]["Quit"].get("required", []) == []
    assert schema["$defs"]["Write"]["additionalProperties"] is False
    jsonschema = pytest.importorskip("jsonschema")
    for good in (value, {"type": "Quit"}):
        jsonschema.validate(good, schema)
    for bad in ({"type": "Move"}, {"type": "Move", "data": {}}, {"data": {"x": 1}}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(bad, schema)


def test_unions_with_other_classes() -> None:
    """Told apart by the names of the outer object."""

    @dataclass
    class Plain:
        z: int

    @configure(fallback=True)
    @dataclass
    class Other:
        more: Annotated[dict[str, Any], Field(rest=True)]

    for tp in (Move | Plain, Move | Plain | Other):
        codec = Encoder(tp)
        for value in (Move(1), Plain(2)):
            assert Decoder(tp).decode(codec.encode(value)) == value
    accept(Move | Plain | Other, '{"x":1}', Other({"x": 1}))

    @configure(tag="k", content="c")
    @dataclass
    class Kind:
        kind: Literal["a"] = "a"

    @dataclass
    class Beside:
        kind: Literal["b"]

    both = Kind | Beside
    for value in (Kind(), Beside("b")):
        assert Decoder(both).decode(encode(value)) == value


def test_kept_tuples() -> None:
    """Classes with adjacent tags are no tuples."""
    made = to_builtins({"m": Move(1), "t": (1, 2)}, keep=(tuple,))
    assert made == {"m": {"type": "Move", "data": {"x": 1, "y": 0}}, "t": (1, 2)}


def test_refused_options() -> None:
    """A content needs a tag of another name, and an object."""

    def made(base: Any = object, **options: Any) -> Any:
        @configure(**options)
        @dataclass
        class One(base):
            x: int

        return One

    with pytest.raises(TypeError, match="content='c' needs a tag beside it"):
        Decoder(made(content="c"))
    with pytest.raises(TypeError, match="the tag and the content are both named 'c'"):
        Decoder(made(content="c", tag=True, tag_field="c"))
    with pytest.raises(TypeError, match="not an array"):
        Decoder(made(content="c", tag=True, array_like=True))
    with pytest.raises(TypeError, match="content needs a str"):
        made(content=5)

    @configure(tag="d", content="c")
    class Typed(TypedDict):
        x: int

    with pytest.raises(TypeError, match="not a TypedDict"):
        Decoder(Typed)
