"""Typed encoding of unknown members and tags: their names, and their order."""

from __future__ import annotations

import types
from dataclasses import dataclass, field
from typing import Annotated, Any, NamedTuple

import pytest
import typing_extensions

import snooze
from helpers.descriptions import ANY, INT, encoder, node
from snooze import Field, configure


@configure(tag="it", tag_field="kind")
@dataclass
class Item:
    """A class with all kinds of names."""

    zeta: int
    name: Annotated[str, Field(name="label", alias=("title",))] = ""
    size: int = field(default=3, init=False)
    more: Annotated[dict[str, float], Field(rest=True)] = field(default_factory=dict)


@configure(sort_keys=True)
@dataclass
class Sorted(Item):
    """The same, sorted."""


@pytest.mark.parametrize("name", ["kind", "zeta", "label", "title", "size"])
@pytest.mark.parametrize("cls", [Item, Sorted])
def test_names_of_fields(name: str, cls: Any) -> None:
    """A further member may not have the name of a field, an alias or a tag."""
    with pytest.raises(snooze.JSONEncodeError) as caught:
        snooze.encode([cls(1), cls(1, more={"a": 1.0, name: 2.0})])
    assert str(caught.value) == (
        f'expected no further member "{name}", which is the name of a field or tag, '
        "found one at $[1]"
    )


def test_names_of_attributes() -> None:
    """An attribute's own name is a name like any other, if JSON has another one."""
    item = Item(1, "n", more={"name": 1.0, "more": 2.0})
    document = snooze.encode(item)
    assert document == (
        b'{"kind":"it","zeta":1,"label":"n","size":3,"name":1.0,"more":2.0}'
    )
    assert snooze.decode(document, Item) == item


@pytest.mark.parametrize("cls", [Item, Sorted])
def test_written_fields_that_are_not_read(cls: Any) -> None:
    """A Decoder skips the member of an init=False field; it is not unknown."""
    document = b'{"kind":"it","size":9,"zeta":1,"a":2}'
    assert snooze.decode(document, cls) == cls(1, more={"a": 2.0})

    @configure(unknown="forbid")
    @dataclass
    class Strict:
        x: int
        y: int = field(default=2, init=False)

    assert snooze.decode(snooze.encode(Strict(1)), Strict) == Strict(1)
    with pytest.raises(snooze.ValidationError, match='expected no member "z"'):
        snooze.decode(b'{"x":1,"y":2,"z":3}', Strict)


def test_sorted_members() -> None:
    """Fields, further members and the tag are sorted together."""
    item = Item(1, "n", more={"zz": 1.0, "b": 2.0, "m": 3.0})
    expected = b'{"b":2.0,"kind":"it","label":"n","m":3.0,"size":3,"zeta":1,"zz":1.0}'
    assert snooze.encode(item, sort_keys=True) == expected
    assert snooze.encode([item] * 3, list[Item], sort_keys=True) == (
        b"[" + b",".join([expected] * 3) + b"]"
    )
    same = Sorted(1, "n", more={"zz": 1.0, "b": 2.0, "m": 3.0})
    assert snooze.encode(same) == expected
    assert snooze.encode([same, Sorted(2)], list[Sorted]) == (
        b"[" + expected + b',{"kind":"it","label":"","size":3,"zeta":2}]'
    )


def test_errors_in_sorted_members() -> None:
    """Each names the member, of a field or not."""
    for value, message in [
        (Sorted("x"), "expected int, found str at $[0].zeta"),  # type: ignore[arg-type]
        (
            Sorted(1, more={"m": "x"}),  # type: ignore[dict-item]
            "expected float, found str at $[0].m",
        ),
    ]:
        with pytest.raises(snooze.JSONEncodeError) as caught:
            snooze.encode([value], list[Sorted])
        assert str(caught.value) == message


def test_sorted_tags() -> None:
    """A tag without further members is sorted, too, also with instances of slots."""

    @configure(tag="t", tag_field="m")
    @dataclass(slots=True)
    class Both:
        a: int
        z: str

    @configure(tag=5, tag_field="m")
    @dataclass
    class After:
        z: int

    values = [Both(1, "x"), After(2)]
    assert snooze.encode(values, sort_keys=True) == (
        b'[{"a":1,"m":"t","z":"x"},{"m":5,"z":2}]'
    )
    encoder = snooze.Encoder(list[Both | After], sort_keys=True)
    assert encoder.encode(values) == b'[{"a":1,"m":"t","z":"x"},{"m":5,"z":2}]'


def test_extra_items_of_a_typeddict() -> None:
    """They are sorted with its own items; a renamed item keeps its name for itself."""

    @configure(rename="upper")
    class Movie(typing_extensions.TypedDict, extra_items=int):  # type: ignore[call-arg]
        name: str

    value: Any = {"name": "x", "b": 1, "Z": 2, "A": 3}
    assert snooze.encode([value], list[Movie], sort_keys=True) == (
        b'[{"A":3,"NAME":"x","Z":2,"b":1}]'
    )
    with pytest.raises(snooze.JSONEncodeError, match='no further member "NAME"'):
        snooze.encode({"name": "x", "NAME": 1}, Movie)


def test_tags_of_subclasses() -> None:
    """A subclass inherits the tag, so that the union of its bases reads it back."""

    @configure(tag="a")
    @dataclass
    class A:
        x: int

    @configure(tag="b")
    @dataclass
    class B:
        x: int

    @dataclass
    class More(A):
        y: int = 0

    @configure(tag=False)
    @dataclass
    class Untagged(A):
        pass

    document = snooze.encode([More(1), B(2)], list[A | B])
    assert document == b'[{"type":"a","x":1,"y":0},{"type":"b","x":2}]'
    assert snooze.decode(document, list[A | B]) == [A(1), B(2)]
    with pytest.raises(TypeError, match="A and .*More both have the tag 'a'"):
        snooze.Decoder(A | More)
    with pytest.raises(
        snooze.JSONEncodeError, match="found .*Untagged, a subclass with another tag"
    ):
        snooze.encode([Untagged(1)], list[A | B])
    assert snooze.encode([Untagged(1)], list[A]) == b'[{"x":1}]'


def test_tags_by_the_name_of_the_class() -> None:
    """Each subclass has its own; a union without it refuses its instances."""

    @configure(tag=True)
    @dataclass
    class Event:
        x: int

    @dataclass
    class Created(Event):
        pass

    @dataclass
    class Deleted(Event):
        pass

    @dataclass
    class Purged(Deleted):
        pass

    values = [Created(1), Deleted(2), Purged(3)]
    assert snooze.encode(values, list[Event]) == (
        b'[{"type":"Created","x":1},{"type":"Deleted","x":2},{"type":"Purged","x":3}]'
    )
    with pytest.raises(snooze.JSONEncodeError, match=r"a subclass with another tag"):
        snooze.encode(values, list[Created | Deleted])


def test_rest_members() -> None:
    """Members that are not fields, from an attribute or from the dict itself."""

    @dataclass
    class Rest:
        id: int
        more: Any

    nodes = [node("object", ("record", 0)), INT, ANY]
    enc = encoder(
        nodes,
        [
            (
                Rest,
                "attributes",
                (("id", "id", 1, None),),
                b"",
                ("more", 2, 1, ("id",), False),
            )
        ],
    )
    assert enc.encode(Rest(1, {"a": 2, "b": 3})) == b'{"id":1,"a":2,"b":3}'
    assert enc.encode(Rest(1, {})) == b'{"id":1}'
    assert enc.encode(Rest(1, None)) == b'{"id":1}'
    assert enc.encode(Rest(1, types.MappingProxyType({"q": 4}))) == b'{"id":1,"q":4}'
    with pytest.raises(TypeError, match=r"expected int, found str at \$\.a"):
        enc.encode(Rest(1, {"a": "x"}))
    enc = encoder(
        nodes,
        [(dict, "dict", (("id", "id", 1, None),), b"", ("", 2, 2, ("id",), False))],
    )
    assert enc.encode({"x": [1], "id": 1, "y": {}}) == b'{"id":1,"x":[1],"y":{}}'


@pytest.mark.parametrize("sort_keys", [False, True])
def test_keys_of_another_type(*, sort_keys: bool) -> None:
    """Names of further members are str; an int would repeat one."""
    value = Item(1, more={1: 2.0, "1": 3.0})  # type: ignore[dict-item]
    with pytest.raises(snooze.JSONEncodeError) as caught:
        snooze.encode([value], sort_keys=sort_keys)
    assert str(caught.value) == 'expected str as a key, found int at $[0]["1"]'


@configure(tag="base", tag_field="kind")
@dataclass
class Base:
    """Its tag comes before its field, also when sorted."""

    zeta: int


@dataclass
class WithAlpha(Base):
    """Inherits the tag, which does not come first when sorted."""

    alpha: int = 1


@configure(tag="another")
@dataclass
class AnotherTag(Base):
    """A subclass with another tag that does not come first when sorted."""

    alpha: int = 1


@configure(tag="other", tag_field="kind")
@dataclass
class Other:
    """The other alternative."""

    zeta: int


@pytest.mark.parametrize("sort_keys", [False, True])
def test_subclasses_in_unions(*, sort_keys: bool) -> None:
    """The tag decides, wherever it is written."""
    encoder = snooze.Encoder(Base | Other, sort_keys=sort_keys)
    names = ["alpha", "kind", "zeta"] if sort_keys else ["kind", "zeta", "alpha"]
    document = encoder.encode(WithAlpha(1, 2))
    assert list(snooze.loads(document)) == names
    assert snooze.decode(document, Base | Other) == Base(1)
    with pytest.raises(snooze.JSONEncodeError, match="a subclass with another tag"):
        encoder.encode(AnotherTag(1, 2))


def test_sorted_tags_of_other_classes() -> None:
    """Named tuples, and instances whose `__class__` is not a class."""

    @configure(array_like=False, tag="x")
    class Pair(NamedTuple):
        a: int
        z: int = 0

    assert snooze.encode([Pair(1)], sort_keys=True) == b'[{"a":1,"type":"x","z":0}]'

    @configure(tag="p")
    @dataclass
    class Proxy:
        a: int

        @property
        def __class__(self) -> Any:
            return 5

    encoder = snooze.Encoder(Proxy, sort_keys=True)
    assert encoder.encode(Proxy(1)) == b'{"a":1,"type":"p"}'


def test_arrays_with_fields_that_are_not_read() -> None:
    """They are left out: each item has its place."""

    @configure(array_like=True)
    @dataclass
    class Row:
        a: int
        b: int = field(default=9, init=False)
        c: int = 3

    assert snooze.encode(Row(1)) == b"[1,3]"
    assert snooze.decode(b"[1,4]", Row) == Row(1, 4)


class NoItems:
    """A class whose `items` raises."""

    def items(self) -> None:
        """Raise."""
        raise AttributeError("mine")


@pytest.mark.parametrize(
    ("value", "name"),
    [(5, "int"), ([], "list"), ("x", "str"), (snooze.UNSET, "UnsetType")],
)
def test_what_is_no_dict(value: Any, name: str) -> None:
    """A message with the place of the object, also where a hook could take it."""
    message = f"expected a dict of further members, found {name} at $[1]"
    values = [Item(1), Item(1, more=value)]
    for call in (snooze.encode, snooze.to_builtins):
        with pytest.raises(snooze.JSONEncodeError) as caught:
            call(values)
        assert (str(caught.value), caught.value.pointer) == (message, "/1")


def test_what_items_raises() -> None:
    """It passes through."""
    with pytest.raises(AttributeError, match="mine"):
        snooze.encode(Item(1, more=NoItems()))  # type: ignore[arg-type]
