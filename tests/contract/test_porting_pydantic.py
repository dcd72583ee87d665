"""What docs/porting.md says differs for users of pydantic.

Separate from test_porting_rows, where both libraries do the same.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field
from typing import Annotated, Any

import pytest

import snooze
from snooze import Field, Via, configure

pydantic: Any = pytest.importorskip("pydantic")
generators: Any = pytest.importorskip("pydantic.alias_generators")


def theirs(tp: Any) -> Any:
    """Return pydantic's codec of a type."""
    return pydantic.TypeAdapter(tp)


def test_private_attributes_are_neither_read_nor_written() -> None:
    """`field(init=False)` alone is written."""

    class Theirs(pydantic.BaseModel):  # type: ignore[misc]
        a: int = 1
        _seen: int = pydantic.PrivateAttr(default=7)

    @dataclass
    class Ours:
        a: int = 1
        _seen: Annotated[int, Field(exclude=True)] = field(init=False, default=7)

    assert Theirs().model_dump_json().encode() == snooze.encode(Ours()) == b'{"a":1}'
    text = b'{"a":2,"_seen":3}'
    assert Theirs.model_validate_json(text)._seen == 7
    assert snooze.decode(text, Ours)._seen == 7


def test_names_that_the_generator_makes() -> None:
    """`rename=to_camel` makes the same; "camel" other ones in some cases."""
    names = ("user_ID", "line_2nd", "a__b", "plain_name")

    @configure(rename=generators.to_camel)
    @dataclass
    class Same:
        user_ID: int = 1  # noqa: N815 - the name is the test
        line_2nd: int = 2
        a__b: int = 3
        plain_name: int = 4

    written = snooze.loads(snooze.encode(Same()))
    assert list(written) == [generators.to_camel(name) for name in names]
    written = snooze.loads(snooze.encode(Plain(), rename="camel"))
    assert list(written) == ["userID", "plainName"]


@dataclass
class Plain:
    """Two names."""

    user_ID: int = 1  # noqa: N815 - the name is the test
    plain_name: int = 4


def test_via_in_both_directions() -> None:
    """`BeforeValidator` and `Json` need a function to be written."""

    @dataclass
    class One:
        x: Annotated[int, Via(Any, decode=int)]

    @dataclass
    class Both:
        x: Annotated[int, Via(Any, decode=int, encode=lambda one: one)]
        y: Annotated[
            list[int],
            Via(
                str,
                decode=snooze.Decoder(list[int]).decode,
                encode=snooze.Encoder(list[int]).encode_str,
            ),
        ]

    assert snooze.decode(b'{"x":"5"}', One).x == 5
    with pytest.raises(TypeError, match="no encode= function"):
        snooze.encode(One(5))
    both = snooze.decode(b'{"x":"5","y":"[1]"}', Both)
    assert snooze.encode(both) == b'{"x":5,"y":"[1]"}'

    class Theirs(pydantic.BaseModel):  # type: ignore[misc]
        y: pydantic.Json[list[int]]

    model = Theirs(y="[1]")
    assert model.model_dump_json() == '{"y":[1]}'
    assert model.model_dump_json(round_trip=True) == '{"y":"[1]"}'


def test_every_null_is_omitted() -> None:
    """`exclude_none=True` is `omit_none="all"`."""

    class Theirs(pydantic.BaseModel):  # type: ignore[misc]
        a: int | None
        b: int | None = 5

    @dataclass
    class Ours:
        a: int | None
        b: int | None = 5

    text = Theirs(a=None, b=None).model_dump_json(exclude_none=True).encode()
    value = Ours(None, None)
    assert snooze.Encoder(Ours, omit_none="all").encode(value) == text == b"{}"
    kept = snooze.Encoder(Ours, omit_none=True).encode(value)
    assert kept == b'{"a":null,"b":null}'


def test_times_and_durations() -> None:
    """`Z`, and durations of years."""
    moment = dt.datetime(2026, 1, 2, tzinfo=dt.UTC)
    text = theirs(dt.datetime).dump_json(moment)
    assert text == snooze.Encoder(utc_z=True).encode(moment)
    assert snooze.encode(moment) == b'"2026-01-02T00:00:00+00:00"'
    assert snooze.encode(dt.timedelta(days=400)) == b'"P400D"'
    text = theirs(dt.timedelta).dump_json(dt.timedelta(days=400))
    assert text == b'"P1Y35D"'
    with pytest.raises(snooze.ValidationError):
        snooze.decode(text, dt.timedelta)


@pytest.mark.parametrize(
    ("text", "tp"),
    [
        ("NaN", float),
        ("1e400", float),
        ('"2026-01-02T03:04"', dt.datetime),
        ('"03:04"', dt.time),
        ('"2026-01-02T03:04:05+0102"', dt.datetime),
    ],
)
def test_what_only_pydantic_reads(text: str, tp: Any) -> None:
    """In its strict mode."""
    theirs(tp).validate_json(text, strict=True)
    with pytest.raises(snooze.JSONDecodeError):
        snooze.decode(text, tp)
