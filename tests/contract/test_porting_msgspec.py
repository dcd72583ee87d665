"""What docs/porting.md says to users of msgspec: its rows, and what differs.

Separate from test_porting_rows, whose rows are about pydantic. What msgspec does is
tested as well, so that a row that becomes untrue is found.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any
from uuid import UUID

import pytest

import snooze
from snooze import Field, configure

msgspec: Any = pytest.importorskip("msgspec")


def test_encode_into_cuts_off_the_rest_there() -> None:
    """And returns None; here it returns where the text ends."""
    theirs, ours = bytearray(b"0123456789"), bytearray(b"0123456789")
    assert msgspec.json.Encoder().encode_into([1], theirs) is None
    encoder = snooze.Encoder()
    del ours[encoder.encode_into([1], ours) :]
    assert ours == theirs == b"[1]"
    msgspec.json.Encoder().encode_into(2, theirs, -1)
    encoder.encode_into(2, ours, len(ours))
    assert ours == theirs == b"[1]2"


class Outer:
    """Classes in a class."""

    class Struct(msgspec.Struct, tag=True):  # type: ignore[misc]
        """One of msgspec."""

        x: int = 1

    @configure(tag=True)
    @dataclass
    class Named:
        """Has the name alone for its tag."""

        x: int = 1

    @configure(tag="Outer.Struct")
    @dataclass
    class Same:
        """Has the tag that msgspec gives."""

        x: int = 1


def test_tags_of_nested_classes() -> None:
    """The name of the class, there with that of the outer one."""
    expected = b'{"type":"Outer.Struct","x":1}'
    assert msgspec.json.encode(Outer.Struct()) == expected
    assert snooze.encode(Outer.Struct()) == snooze.encode(Outer.Same()) == expected
    assert snooze.encode(Outer.Named()) == b'{"type":"Named","x":1}'


def test_parts_are_dicts_in_dataclasses() -> None:
    """`structs.asdict` is shallow."""

    class Struct(msgspec.Struct):  # type: ignore[misc]
        x: Any

    @dataclass
    class Ours:
        x: Any

    assert msgspec.structs.asdict(Struct(Struct(1))) == {"x": Struct(1)}
    value = Ours(Ours(1))
    assert dataclasses.asdict(value) == {"x": {"x": 1}}
    shallow = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
    assert shallow == {"x": Ours(1)}


def test_omitted_defaults() -> None:
    """Equal values are omitted here, the same objects there."""

    class Struct(msgspec.Struct, omit_defaults=True):  # type: ignore[misc]
        x: int = 1_000_000
        y: list[int] = []

    @configure(omit_defaults=True)
    @dataclass
    class Ours:
        x: int = 1_000_000
        y: list[int] = dataclasses.field(default_factory=list)

    equal = int("1000000")
    assert msgspec.json.encode(Struct(equal, [])) == b'{"x":1000000}'
    assert msgspec.json.encode(Struct()) == snooze.encode(Ours(equal, [])) == b"{}"


@pytest.mark.parametrize(
    ("name", "style", "theirs", "ours"),
    [
        ("a_b", "camel", "aB", "aB"),
        ("_a_b", "camel", "_aB", "aB"),
        ("_a_b", "pascal", "_AB", "AB"),
        ("a_1b", "camel", "a1B", "a1b"),
        ("HTTPServer", "camel", "HTTPServer", "httpServer"),
        ("aB", "kebab", "aB", "a-b"),
    ],
)
def test_names(name: str, style: Any, theirs: str, ours: str) -> None:
    """Those that the styles make."""
    struct = msgspec.defstruct("Struct", [(name, int)], rename=style)
    assert list(msgspec.json.decode(msgspec.json.encode(struct(1)))) == [theirs]
    cls = dataclasses.make_dataclass("Ours", [(name, int)])
    assert list(snooze.loads(snooze.encode(cls(1), cls, rename=style))) == [ours]
    hint: Any = Annotated[int, Field(name=theirs)]
    kept = dataclasses.make_dataclass("Kept", [(name, hint)])
    assert list(snooze.loads(snooze.encode(kept(1), kept, rename=style))) == [theirs]


def test_other_forms_of_values() -> None:
    """`uuid_format`, `decimal_format` with a function, and `float_hook`."""
    value = [UUID(int=5), Decimal("1.5")]
    theirs = msgspec.json.Encoder(uuid_format="hex", decimal_format=float)
    ours = snooze.Encoder(hooks={UUID: lambda one: one.hex, Decimal: float})
    assert ours.encode(value) == theirs.encode(value)
    text = b'[1.10, {"a": 2}]'
    hooked = msgspec.json.Decoder(float_hook=Decimal).decode(text)
    assert repr(snooze.Decoder(numbers="decimal").decode(text)) == repr(hooked)


@pytest.mark.parametrize("text", ["NaN", "1.", "1_0", " 1"])
def test_decimals_in_strings(text: str) -> None:
    """JSON numbers only; msgspec takes what `Decimal` takes."""
    document = f'"{text}"'.encode()
    msgspec.json.decode(document, type=Decimal)
    with pytest.raises(snooze.ValidationError):
        snooze.decode(document, Decimal)


@pytest.mark.parametrize(
    ("text", "tp"), [('"NULL"', None), ('"nan"', float), ('"1.0"', int)]
)
def test_lax_mode_takes_less(text: str, tp: Any) -> None:
    """Than that of msgspec."""
    msgspec.json.decode(text, type=tp, strict=False)
    with pytest.raises(snooze.ValidationError):
        snooze.decode(text, tp, strict=False)


def test_what_becomes_raw_or_decimal() -> None:
    """Any object with a JSON form; a float that is a number."""
    assert snooze.convert(Decimal("1.5"), snooze.Raw) == b'"1.5"'
    for value, tp in ((object(), snooze.Raw), (float("nan"), Decimal)):
        with pytest.raises(snooze.ValidationError):
            snooze.convert(value, tp)


def test_where_components_are() -> None:
    """The default of `ref_template`."""

    @dataclass
    class Ours:
        x: int

    (theirs,), _ = msgspec.json.schema_components([Ours])
    (ours,), _ = snooze.schema_components([Ours])
    assert theirs["$ref"].startswith("#/$defs/")
    assert ours["$ref"].startswith("#/components/schemas/")
