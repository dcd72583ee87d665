"""Rules of attrs and pydantic that a codec keeps, or refuses when it is made."""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any

import attr
import pytest

import snooze
from snooze import Field


@attr.s(auto_attribs=True)
class Converted:
    """Its defaults are converted for each instance."""

    x: str = attr.ib(default="ABC", converter=str.lower)
    y: int = attr.ib(default="5", converter=int)  # type: ignore[assignment]


def test_defaults_of_attrs_with_a_converter() -> None:
    """A value that equals the unconverted default is another than the default."""
    one = Converted()
    one.x = "ABC"
    text = snooze.encode(one, omit_defaults=True)
    assert text == b'{"x":"ABC","y":5}'
    assert snooze.decode("{}", Converted) == Converted("abc", 5)
    properties = snooze.schema(Converted)["$defs"]["Converted"]["properties"]
    assert properties == {"x": {"type": "string"}, "y": {"type": "integer"}}


def pydantic_dataclasses() -> dict[str, Any]:
    """Return classes with rules that only pydantic keeps."""
    pydantic = pytest.importorskip("pydantic")
    from pydantic.dataclasses import dataclass

    config = pydantic.ConfigDict
    made: dict[str, Any] = {}
    for name, options in {
        "alias_generator": {"alias_generator": str.upper},
        "extra='forbid'": {"extra": "forbid"},
        "extra='allow'": {"extra": "allow"},
    }.items():
        made[name] = dataclass(config=config(**options))(
            type("Made", (), {"__annotations__": {"a": int}, "a": 0})
        )

    @dataclass
    class Written:
        a: int = 0

        @pydantic.field_serializer("a")
        def write(self, value: int) -> str:
            return f"<{value}>"

    @dataclass
    class Computed:
        a: int = 0

        @pydantic.computed_field
        @property
        def twice(self) -> int:
            return 2 * self.a

    return made | {"a serializer": Written, "a computed field": Computed}


def test_dataclasses_of_pydantic() -> None:
    """Whose members are their fields are read; others would lose values."""
    for name, cls in pydantic_dataclasses().items():
        for make in (snooze.Decoder, snooze.Encoder, snooze.Converter):
            with pytest.raises(TypeError, match=f"has {name}, which only models keep"):
                make(list[cls])
    from pydantic.dataclasses import dataclass

    @dataclass
    class Plain:
        a: int = 0

    assert snooze.decode(b'{"a":5}', Plain) == Plain(5)
    assert snooze.encode(Plain(5)) == b'{"a":5}'


def test_models_of_pydantic_from_attributes() -> None:
    """The option is passed on, also inside of other types."""
    pydantic = pytest.importorskip("pydantic")
    model = pydantic.create_model("model", a=(int, 1))

    class Row:
        a = 5

    assert snooze.convert(Row(), model, from_attributes=True).a == 5
    assert snooze.convert([Row()], list[model], from_attributes=True)[0].a == 5
    with pytest.raises(snooze.ValidationError):
        snooze.convert(Row(), model)


@dataclasses.dataclass
class WithRest:
    """Takes unknown members."""

    a: int
    more: Annotated[dict[str, Any], Field(rest=True)] = dataclasses.field(
        default_factory=dict
    )


@pytest.mark.parametrize("tp", [WithRest, WithRest | int])
def test_rest_fields_are_not_read_from_attributes(tp: Any) -> None:
    """They would be empty, and nothing would say that members are missing."""

    class Row:
        a = 1
        more: Any = {"q": 5}

    with pytest.raises(snooze.ValidationError, match="mapping, because of the field"):
        snooze.convert(Row(), tp, from_attributes=True)
    with pytest.raises(snooze.ValidationError) as caught:
        snooze.convert([Row(), "x"], list[tp], from_attributes=True, errors="all")
    assert [one.pointer for one in caught.value.errors] == ["/0", "/1"]
    found = snooze.convert({"a": 1, "q": 5}, tp, from_attributes=True)
    assert found == WithRest(1, {"q": 5})


class UserId(str):
    """A subclass of a built-in class."""

    __slots__ = ()


class Ids(list[int]):
    """A subclass of a container."""


@pytest.mark.parametrize(
    ("tp", "default"),
    [
        (UserId, None),
        (Ids, None),
        (complex, None),
        (snooze.Raw, None),
        (dict[str, int], (1,)),
    ],
)
def test_defaults_that_the_type_excludes(tp: Any, default: Any) -> None:
    """They are left out, and restored when the member is missing."""
    cls = dataclasses.make_dataclass("cls", [("x", tp, default)])
    made = snooze.decode("{}", cls)
    assert made.x == default
    assert snooze.encode(made) == b"{}"


def test_aware_and_naive() -> None:
    """A time cannot be both."""
    import datetime as dt

    for tp in (dt.datetime, dt.time):
        with pytest.raises(TypeError, match="Aware and Naive exclude each other"):
            snooze.Decoder(Annotated[tp, snooze.Aware, snooze.Naive])
        snooze.Decoder(Annotated[tp, snooze.Aware, snooze.Aware])
