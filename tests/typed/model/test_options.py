"""`configure`, `Field`, `Via`, the constraints and the options of codecs.

The effect of each on a class, and the exact text of every refusal.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Annotated, Any, TypedDict

import pytest

import snooze
from helpers.typed_plans import read_record, reads, written_record
from snooze import Field, Via, configure


def names(cls: Any, **options: Any) -> list[tuple[str, ...]]:
    """Return the names under which each field is read."""
    return [entry[0] for entry in read_record(cls, **options)["fields"].values()]


STYLES = [
    ("camel", ["firstName", "x", "HTTPPort", "a1B", "private"]),
    ("pascal", ["FirstName", "X", "HTTPPort", "A1B", "Private"]),
    ("kebab", ["first-name", "x", "http-port", "a1-b", "private"]),
    ("snake", ["first_name", "x", "http_port", "a1_b", "private"]),
    ("upper", ["FIRST_NAME", "X", "HTTPPORT", "A1_B", "_PRIVATE"]),
    ({"x": "ex"}, ["first_name", "ex", "HTTPPort", "a1_b", "_private"]),
    (str.title, ["First_Name", "X", "Httpport", "A1_B", "_Private"]),
    (lambda name: None, ["first_name", "x", "HTTPPort", "a1_b", "_private"]),
]  # fmt: skip


@pytest.mark.parametrize(("rename", "expected"), STYLES, ids=repr)
def test_rename(rename: Any, expected: list[str]) -> None:
    """Applies to reading and writing; a name in `Field` takes precedence."""

    @configure(rename=rename)
    @dataclass
    class Named:
        first_name: int
        x: int
        HTTPPort: int
        a1_b: int
        _private: int
        fixed: Annotated[int, Field(name="as it is")]

    if rename == "camel":
        expected = [*expected[:2], "httpPort", *expected[3:]]
    assert names(Named) == [*((name,) for name in expected), ("as it is",)]
    written = [entry[0] for entry in written_record(Named)["fields"].values()]
    assert written == [*expected, "as it is"]


def test_rename_of_a_codec_is_a_default() -> None:
    """A class's own option wins; None keeps the Python names."""

    @dataclass
    class Silent:
        first_name: int

    @configure(rename="kebab")
    @dataclass
    class Explicit:
        first_name: int

    @configure(rename=None)
    @dataclass
    class Plain:
        first_name: int

    assert names(Silent, rename="camel") == [("firstName",)]
    assert names(Explicit, rename="camel") == [("first-name",)]
    assert names(Plain, rename="camel") == [("first_name",)]
    assert snooze.decode(b'{"firstName": 1}', Silent, rename="camel") == Silent(1)


def test_options_are_inherited() -> None:
    """Each option on its own."""

    @configure(rename="camel", unknown="forbid", tag="base", tag_field="kind")
    @dataclass
    class Base:
        first_name: int

    @dataclass
    class Quiet(Base):
        last_name: int

    @configure(rename="kebab")
    @dataclass
    class Loud(Base):
        last_name: int

    @configure(tag=True)
    @dataclass
    class Tagged(Base):
        pass

    assert names(Quiet) == [("firstName",), ("lastName",)]
    assert names(Loud) == [("first-name",), ("last-name",)]
    assert read_record(Loud)["unknown"] == "forbid"
    assert read_record(Base)["tag"] == ("kind", "base")
    assert read_record(Quiet)["tag"] == ("kind", "base")
    assert read_record(Tagged)["tag"] == ("kind", "Tagged")


def test_tags_derived_from_names_are_inherited() -> None:
    """True and callables give each class its own tag."""

    @configure(tag=str.lower)
    @dataclass
    class Base:
        x: int

    @dataclass
    class Below(Base):
        pass

    assert read_record(Base)["tag"] == ("type", "base")
    assert read_record(Below)["tag"] == ("type", "below")


def test_configure_twice() -> None:
    """The second call adds to the first."""

    @configure(unknown="forbid", rename="camel")
    @configure(rename="kebab", omit_none=True)
    @dataclass
    class Twice:
        first_name: int | None = None

    assert names(Twice) == [("firstName",)]
    assert read_record(Twice)["unknown"] == "forbid"
    assert written_record(Twice)["fields"]["first_name"][2] == ("none",)


def test_configure_before_or_after_dataclass() -> None:
    """The order of the decorators does not matter, even where slots make a copy."""

    @dataclass(slots=True)
    @configure(rename="camel")
    class Below:
        first_name: int

    assert names(Below) == [("firstName",)]


def test_configure_typed_dicts() -> None:
    """TypedDicts have options and inherit them."""

    @configure(rename="camel")
    class Base(TypedDict):
        first_name: int

    assert names(Base) == [("firstName",)]


def test_aliases() -> None:
    """Further names for reading; one name for writing."""

    @configure(rename="camel")
    @dataclass
    class Aliased:
        first_name: Annotated[int, Field(alias=("first", "firstName", "name"))]
        other: Annotated[int, Field(alias="o")] = 0

    assert names(Aliased) == [("firstName", "first", "name"), ("other", "o")]
    assert written_record(Aliased)["fields"]["first_name"][0] == "firstName"
    assert snooze.decode(b'{"name": 1, "o": 2}', Aliased) == Aliased(1, 2)


def test_excluded_fields() -> None:
    """They get their default, whatever the document says."""

    @dataclass
    class Hidden:
        a: Annotated[int, Field(exclude=True)] = 5

    assert snooze.decode(b'{"a": 1}', Hidden) == Hidden(5)
    assert names(Hidden) == [()]


def test_unknown_members() -> None:
    """Ignored, forbidden, or collected."""

    @configure(unknown="forbid")
    @dataclass
    class Closed:
        a: int

    @dataclass
    class Rest:
        a: int
        rest: Annotated[dict[str, float], Field(rest=True)] = field(
            default_factory=dict
        )

    @dataclass
    class Open:
        a: int

    with pytest.raises(snooze.ValidationError, match='expected no member "b"'):
        snooze.decode(b'{"a": 1, "b": 2}', Closed)
    with pytest.raises(snooze.ValidationError, match='expected no member "b"'):
        snooze.decode(b'{"a": 1, "b": 2}', Open, unknown="forbid")
    assert snooze.decode(b'{"a": 1, "b": 2}', Open) == Open(1)
    assert snooze.decode(b'{"a": 1, "b": 2}', Rest) == Rest(1, {"b": 2.0})
    assert snooze.decode(b'{"a": 1}', Rest) == Rest(1, {})
    with pytest.raises(snooze.ValidationError, match="expected float, found str at"):
        snooze.decode(b'{"a": 1, "b": ""}', Rest)


REFUSED = [
    (
        lambda: configure(rename="title"),
        ValueError,
        "configure: rename: expected 'camel', 'pascal', 'kebab', "
        "'snake', 'upper', a mapping or a callable, found 'title'",
    ),
    (
        lambda: configure(rename=5),
        TypeError,
        "configure: rename needs one of 'camel', 'pascal', 'kebab', 'snake', 'upper', a "
        "mapping or a callable, not 5",
    ),
    (
        lambda: configure(rename={"a": 1}),
        TypeError,
        "configure: rename maps names to names (str to str), not 'a' to 1",
    ),
    (
        lambda: configure(unknown="error"),
        ValueError,
        "configure: unknown: expected 'ignore' or 'forbid', found 'error' (to collect "
        "unknown members, mark a field with Field(rest=True))",
    ),
    (
        lambda: configure(omit_none=1),
        TypeError,
        "configure: omit_none needs True or False, not 1",
    ),
    (
        lambda: configure(sort_keys="yes"),
        TypeError,
        "configure: sort_keys needs True or False, not 'yes'",
    ),
    (
        lambda: configure(tag=1.5),
        TypeError,
        "configure: tag needs True (the class's name), False, a str, an int or a callable "
        "that makes one from the class's name, not 1.5",
    ),
    (
        lambda: configure(tag_field=5),
        TypeError,
        "configure: tag_field needs a str, the name of the member, not 5",
    ),
    (
        lambda: configure(tags=True),
        TypeError,
        "configure() got an unexpected keyword argument 'tags'",
    ),
    (
        lambda: configure()(5),
        TypeError,
        "configure(...) decorates classes, not 5",
    ),
    (lambda: Field(name=5), TypeError, "Field: name needs a str, not 5"),
    (lambda: Field(alias=5), TypeError, "Field: alias needs a tuple of str, not 5"),
    (
        lambda: Field(alias=(5,)),
        TypeError,
        "Field: alias needs a tuple of str, not (5,)",
    ),
    (lambda: Field(exclude=1), TypeError, "Field: exclude needs True or False, not 1"),
    (
        lambda: Field(rest=True, name="x"),
        ValueError,
        "Field: rest=True keeps the names of the members that it collects; it cannot be "
        "combined with name, alias or exclude",
    ),
    (lambda: Via(str), TypeError, "Via: give decode=, encode= or both"),
    (lambda: Via(str, decode=5), TypeError, "Via: decode needs a callable, not 5"),
    (
        lambda: snooze.Gt("1"),
        TypeError,
        "Gt needs an int, float or Decimal, or a date, time or timedelta, not '1'",
    ),
    (
        lambda: snooze.Ge(True),
        TypeError,
        "Ge needs an int, float or Decimal, or a date, time or timedelta, not True",
    ),
    (lambda: snooze.Lt(float("nan")), ValueError, "Lt needs a number, not nan"),
    (
        lambda: snooze.MultipleOf(0),
        ValueError,
        "MultipleOf needs a finite number greater than 0, not 0",
    ),
    (
        lambda: snooze.MinLen(-1),
        TypeError,
        "MinLen needs a non-negative int, not -1",
    ),
    (
        lambda: snooze.MaxLen(1.5),
        TypeError,
        "MaxLen needs a non-negative int, not 1.5",
    ),
    (
        lambda: snooze.Len(3, 1),
        ValueError,
        "Len(3, 1) accepts nothing: the first is the minimum length, the second "
        "the maximum",
    ),
    (
        lambda: snooze.Pattern("("),
        ValueError,
        "Pattern('(') is not a regular expression: missing ), unterminated subpattern "
        "at position 0",
    ),
    (lambda: snooze.Pattern(5), TypeError, "Pattern needs a str, not 5"),
    (
        lambda: snooze.Pattern(re.compile("a")),
        TypeError,
        "Pattern needs the text of the expression: pattern.pattern",
    ),
    (
        lambda: snooze.Decoder(int, strict=1),
        TypeError,
        "Decoder: strict needs True or False, not 1",
    ),
    (
        lambda: snooze.Decoder(int, errors="some"),
        ValueError,
        "errors: expected 'first' or 'all', found 'some'",
    ),
    (
        lambda: snooze.Decoder(int, skip="slow"),
        ValueError,
        "skip: expected 'validate' or 'fast', found 'slow'",
    ),
    (
        lambda: snooze.Decoder(int, at=5),
        TypeError,
        "at needs a JSON Pointer such as '/users/0', not 5",
    ),
    (
        lambda: snooze.Decoder(int, at="users"),
        ValueError,
        "at='users' is not a JSON Pointer: it is '' for the whole document, or begins with "
        "'/', as in '/users'",
    ),
    (
        lambda: snooze.Decoder(int, at="/~2"),
        ValueError,
        "at='/~2' is not a JSON Pointer: '~' is written '~0', '/' in a name '~1'",
    ),
    (
        lambda: snooze.Decoder(int, dec_hook=5),
        TypeError,
        "dec_hook needs a callable, not 5",
    ),
    (
        lambda: snooze.Decoder(int, unknown="x"),
        ValueError,
        "Decoder: unknown: expected 'ignore' or 'forbid', found 'x' (to collect unknown "
        "members, mark a field with Field(rest=True))",
    ),
    (
        lambda: snooze.Encoder(int, nan="NaN"),
        ValueError,
        "nan: expected 'null', 'error', 'literal' or 'string', found 'NaN'",
    ),
    (
        lambda: snooze.Encoder(int, decimal="float"),
        ValueError,
        "decimal: expected 'str' or 'number', found 'float'",
    ),
    (
        lambda: snooze.Encoder(int, sort_keys=None),
        TypeError,
        "Encoder: sort_keys needs True or False, not None",
    ),
    (
        lambda: snooze.Encoder(int, enc_hook="x"),
        TypeError,
        "enc_hook needs a callable, not 'x'",
    ),
    (
        lambda: snooze.decode(b"1", int, indent=2),
        TypeError,
        "decode() got an unexpected keyword argument 'indent'; the options are strict, "
        "errors, max_errors, unknown, rename, skip, at, dec_hook, gc, syntax, numbers, nan, "
        "duplicates, surrogates, encoding, max_depth, max_size, object_hook, "
        "object_pairs_hook, threads",
    ),
    (
        lambda: snooze.schema(int, rename="title"),
        ValueError,
        "schema: rename: expected 'camel', 'pascal', 'kebab', "
        "'snake', 'upper', a mapping or a callable, found 'title'",
    ),
]


@pytest.mark.parametrize(("call", "error", "text"), REFUSED, ids=lambda x: str(x)[:40])
def test_options_are_checked(call: Any, error: type[Exception], text: str) -> None:
    """Immediately; the message says what was expected, what was found, and what to do."""
    with pytest.raises(error) as caught:
        call()
    assert type(caught.value) is error
    # Newer interpreters add a suggestion.
    assert str(caught.value).split(". Did you mean")[0] == text


def refusal(make: Any) -> str:
    """Return why the class that `make` creates cannot be decoded."""
    with pytest.raises(TypeError) as caught:
        reads(make())
    return str(caught.value).replace("refusal_of.", "")


def test_conflicting_fields() -> None:
    """Two fields with one name, and other combinations without a meaning."""

    def same_names() -> Any:
        @configure(rename={"a": "b"})
        @dataclass
        class One:
            a: int
            b: int

        return One

    def same_alias() -> Any:
        @dataclass
        class One:
            a: Annotated[int, Field(alias="b")]
            b: int

        return One

    def tag_is_field() -> Any:
        @configure(tag=True)
        @dataclass
        class One:
            type: int

        return One

    def array_that_omits() -> Any:
        @configure(omit_none=True, array_like=True)
        @dataclass
        class One:
            x: int

        return One

    def array_that_ignores() -> Any:
        @configure(unknown="ignore", array_like=True)
        @dataclass
        class One:
            x: int

        return One

    def field_inside() -> Any:
        @dataclass
        class One:
            x: list[Annotated[int, Field(alias="y")]]

        return One

    def array_with_gap() -> Any:
        @configure(array_like=True)
        @dataclass(kw_only=True)
        class One:
            x: int = 1
            y: int

        return One

    def unknown_name() -> Any:
        @configure(rename={"z": "q"})
        @dataclass
        class One:
            x: int
            y: int

        return One

    def excluded() -> Any:
        @dataclass
        class One:
            x: Annotated[int, Field(exclude=True)]

        return One

    def rest_of_list() -> Any:
        @dataclass
        class One:
            x: Annotated[list[int], Field(rest=True)]

        return One

    def rest_with_keys() -> Any:
        @dataclass
        class One:
            x: Annotated[dict[int, int], Field(rest=True)]

        return One

    def two_rests() -> Any:
        @dataclass
        class One:
            x: Annotated[dict[str, int], Field(rest=True)]
            y: Annotated[dict[str, int], Field(rest=True)]

        return One

    def rest_in_dict() -> Any:
        class One(TypedDict):
            x: Annotated[dict[str, int], Field(rest=True)]

        return One

    def bad_callable() -> Any:
        @configure(rename=len)
        @dataclass
        class One:
            x: int

        return One

    def bad_tag() -> Any:
        @configure(tag=lambda name: None)
        @dataclass
        class One:
            x: int

        return One

    def text(make: Any) -> str:
        prefix = f"test_conflicting_fields.{make.__name__}.One"
        return refusal(make).replace(prefix, "One")

    assert text(same_names) == (
        "One: the fields a and b both have the name 'b' in JSON; rename one with "
        "Field(name=…)"
    )
    assert text(same_alias) == text(same_names)
    assert text(tag_is_field) == (
        "One: the tag 'type' has the name of the field type; choose another with "
        "configure(tag_field=…)"
    )
    assert text(array_that_omits) == (
        "One: omit_none=True has no meaning for an array, whose items have no names; "
        "drop one option, or say array_like=False"
    )
    assert text(array_that_ignores) == (
        "One: unknown='ignore' has no meaning for an array, whose items have no names; "
        "drop one option, or say array_like=False"
    )
    assert text(field_inside).startswith("One.x[…]: Field(name=None, alias=('y',), ")
    assert text(field_inside).endswith(
        "is inside a type; it belongs in the outermost Annotated of a field"
    )
    assert text(array_with_gap) == (
        "One: array_like=True needs y, which has no default, before x, which has one"
    )
    assert text(unknown_name) == (
        "One: rename names 'z', which is not a field; the fields are x, y"
    )
    assert text(excluded) == (
        "One.x: Field(exclude=True) needs a default, since documents cannot have the field"
    )
    assert text(rest_of_list) == "One.x: Field(rest=True) needs the type dict[str, T]"
    assert text(rest_with_keys) == "One.x: Field(rest=True) needs str for the keys"
    assert text(two_rests) == "One: two fields have Field(rest=True); keep one"
    assert text(rest_in_dict) == "One.x: Field(rest=True) is for dataclasses and attrs"
    assert text(bad_callable) == (
        "One.x: the callable given as rename returned 1 for 'x'; it must return a str, "
        "or None to keep the name"
    )
    assert text(bad_tag) == "One: the callable given as tag returned None"
