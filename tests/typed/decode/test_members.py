"""Typed decoding of members: their names, order, repetition, and unknown ones."""

from __future__ import annotations

import itertools
import json
import random
from dataclasses import dataclass, field, make_dataclass
from typing import Annotated, Any

import attrs
import pytest

import snooze
from helpers.typed_tools import Decoder, accept, decode, refuse
from snooze import Field, configure

NAMES = [
    *("a", "b", "ab", "ba", "aa", "A", "_", "0", "name", "names", "nam", "emaN"),
    *(
        "",
        " ",
        " a",
        "a ",
        "a.b",
        "a/b",
        "a~b",
        "$ref",
        "@id",
        "x-y",
        "\x00",
        "\n",
        "\x7f",
    ),
    *(
        '"',
        '"quoted"',
        "\\",
        "\\u0061",
        "a\\",
        'a"b',
        "\u00e9",
        "e\u0301",
        "\u8a9e",
        "\U0001f600",
    ),
    *(
        "\ufeff",
        "\uffff",
        "x" * 7,
        "x" * 8,
        "x" * 9,
        "x" * 15,
        "x" * 16,
        "x" * 17,
        "x" * 63,
    ),
    *("x" * 64, "x" * 65, "y" * 255, "y" * 256, "y" * 300, "z" * 5000, "\u00e9" * 40),
    *("x" * 30 + "a" + "x" * 30, "x" * 30 + "b" + "x" * 30, "prefix_one", "prefix_two"),
]


def named(names: list[str], **options: Any) -> Any:
    """Return a class whose fields have these names in JSON."""
    fields = [
        (f"f{index}", Annotated[int, Field(name=name)])
        for index, name in enumerate(names)
    ]
    return make_dataclass("Named", fields, slots=True, **options)


def escapes(name: str) -> list[str]:
    """Return a name as JSON, escaped in several ways."""
    utf16 = name.encode("utf-16-be")
    units = [utf16[at : at + 2].hex() for at in range(0, len(utf16), 2)]
    forms = [json.dumps(name, ensure_ascii=False), json.dumps(name)]
    forms.append('"' + "".join(f"\\u{unit}" for unit in units) + '"')
    if units:
        rest = json.dumps(name[1:], ensure_ascii=False)[1:-1]
        first = "".join(f"\\u{u.upper()}" for u in units[: 1 + (ord(name[0]) > 0xFFFF)])
        forms.append(f'"{first}{rest}"')
    return forms


def test_names_of_every_kind() -> None:
    """Each name is found however it is escaped, among all others and alone."""
    cls = named(NAMES)
    values = cls(*range(len(NAMES)))
    for form in range(4):
        parts = [
            f"{escapes(n)[min(form, len(escapes(n)) - 1)]}:{i}"
            for i, n in enumerate(NAMES)
        ]
        accept(cls, f"{{{','.join(parts)}}}", values)
        random.Random(form).shuffle(parts)
        accept(cls, f"{{ {' , '.join(parts)} }}", values)
        # Each member left out in turn.
        for part in parts:
            rest = ",".join(other for other in parts if other != part)
            with pytest.raises(snooze.JSONDecodeError, match="expected member"):
                decode(f"{{{rest}}}", cls)
    for name in NAMES:
        one = named([name])
        for text in escapes(name):
            accept(one, f"{{{text}:5}}", one(5))
            accept(one, f"{{{text}:1,{text}:5}}", one(5))


def test_similar_names() -> None:
    """A name that differs by one character anywhere is another name."""
    for name in NAMES:
        cls = named([name, "other name"])
        others = {
            name + "x",
            name + "\x00",
            name[:-1],
            name[1:],
            "x" + name,
            name.upper(),
        }
        others |= {
            name[:at] + "\u00e9" + name[at + 1 :] for at in range(min(len(name), 70))
        }
        for other in others - {name, "other name"}:
            with pytest.raises(snooze.JSONDecodeError, match="expected member"):
                decode(f"{{{json.dumps(other)}:1,{json.dumps('other name')}:2}}", cls)


@pytest.mark.parametrize(
    "count", [1, 2, 3, 7, 8, 9, 31, 32, 33, 64, 100, 255, 256, 257, 1000]
)
def test_many_fields(count: int) -> None:
    """In order, reversed, shuffled, and with each one left out."""
    rng = random.Random(count)
    cls = make_dataclass(
        "Many", [(f"field_{i}", int, 0) for i in range(count)], slots=True
    )
    decoder = Decoder(cls)
    parts = [f'"field_{index}":{index + 1}' for index in range(count)]
    orders = [parts, parts[::-1]]
    orders += [rng.sample(parts, count) for _ in range(5)]
    orders += [rng.sample(parts, count // 2) for _ in range(5)]
    for order in orders:
        value = decoder.decode(f"{{{','.join(order)}}}")
        present = {int(part.rpartition(":")[2]) for part in order}
        for index in range(count):
            assert getattr(value, f"field_{index}") == (
                index + 1 if index + 1 in present else 0
            )


@dataclass
class Three:
    """A class with three fields."""

    a: int
    b: int = -2
    c: int = -3


def test_every_order_and_repetition() -> None:
    """Of equal names the last one wins, wherever it is."""
    for length in range(1, 6):
        for names in itertools.product("abcx", repeat=length):
            document = ",".join(f'"{name}":{index}' for index, name in enumerate(names))
            found = {name: index for index, name in enumerate(names) if name != "x"}
            if "a" in found:
                assert decode(f"{{{document}}}", Three) == Three(**found)
            else:
                with pytest.raises(snooze.JSONDecodeError, match='expected member "a"'):
                    decode(f"{{{document}}}", Three)


def test_all_repeated_members_must_fit() -> None:
    """A member is checked even if another of the same name follows."""
    refuse(Three, '{"a":"x","a":1}', "expected int, found str at $.a (line 1 column 6)")
    refuse(
        Three, '{"a":1,"a":"x"}', "expected int, found str at $.a (line 1 column 12)"
    )


VALUES = [
    *(
        "null",
        "true",
        "false",
        "0",
        "-1.5e5",
        '""',
        '"\\u00e9\\"]}"',
        "[]",
        "{}",
        "[[[]]]",
    ),
    *(
        '{"a":{"a":1}}',
        '[{"b":[1,2,{"c":"}"}]}, "]"]',
        '"' + "x" * 300 + '"',
        "[" * 50 + "]" * 50,
    ),
    *(
        '"\u8a9e\\\\"',
        '{"\\"":"\\\\"}',
        "[1,2,3,4,5,6,7,8,9,10]" * 1,
        '{"":""}',
        "12345678901234567890",
    ),
]


@pytest.mark.parametrize("skip", ["validate", "fast"])
def test_unknown_members_are_skipped(skip: str) -> None:
    """First, in the middle, last, and with white space anywhere."""
    decoder = Decoder(list[Three], skip=skip)
    for value, space in itertools.product(VALUES, ("", " ", "\n\t ")):
        for name in (
            '"x"',
            '"\\u0078"',
            '"\u00e9"',
            '"' + "x" * 100 + '"',
            '""',
            '"ab"',
        ):
            unknown = f"{name}{space}:{space}{value}"
            members = ['"a":1', '"b":2', '"c":3']
            for place in range(4):
                parts = [*members[:place], unknown, *members[place:]]
                comma = f"{space},{space}"
                text = f"[{{{space}{comma.join(parts)}{space}}},{{{unknown},{members[0]}}}]"
                assert decoder.decode(text) == [Three(1, 2, 3), Three(1)]


def test_rename() -> None:
    """Styles, mappings, callables; a Field's own name takes precedence; Decoder options."""

    @configure(rename="camel")
    @dataclass
    class Camel:
        first_name: int
        url: int = 0
        own_name: Annotated[int, Field(name="own_name")] = 0

    accept(Camel, '{"firstName":1,"url":2,"own_name":3,"ownName":4}', Camel(1, 2, 3))
    refuse(
        Camel,
        '{"first_name":1}',
        'expected member "firstName", found none at $ (line 1 column 1)',
    )
    refuse(
        Camel,
        '{"firstName":""}',
        "expected int, found str at $.firstName (line 1 column 14)",
    )
    for style, name in {
        "pascal": "FirstName",
        "kebab": "first-name",
        "upper": "FIRST_NAME",
        "snake": "first_name",
    }.items():

        @dataclass
        class Styled:
            first_name: int

        accept(Styled, f'{{"{name}":1}}', Styled(1), rename=style)
        mapping = configure(rename={"first_name": "n"})(
            make_dataclass("M", ["first_name"])
        )
        accept(mapping, '{"n":1}', mapping(1))
        accept(Camel, '{"firstName":1}', Camel(1), rename=style)
    accept(Styled, '{"_first_name":1}', Styled(1), rename=lambda name: "_" + name)
    accept(Styled, '{"first_name":1}', Styled(1), rename=lambda name: None)


def test_aliases() -> None:
    """Any of the names is accepted; the last one in the document wins."""

    @dataclass(slots=True)
    class Aliased:
        a: Annotated[int, Field(alias=("b", "c"))]
        d: Annotated[int, Field(name="e", alias="f")] = 0

    for name in "abc":
        accept(Aliased, f'{{"{name}":1}}', Aliased(1))
    accept(Aliased, '{"b":1,"f":3,"a":2}', Aliased(2, 3))
    accept(Aliased, '{"a":1,"c":2,"b":3,"e":1,"f":2}', Aliased(3, 2))
    accept(Aliased, '{"\\u0062":1,"d":"ignored"}', Aliased(1))
    refuse(Aliased, '{"b":"x"}', "expected int, found str at $.b (line 1 column 6)")
    refuse(Aliased, "{}", 'expected member "a", found none at $ (line 1 column 1)')


def test_forbidden_members() -> None:
    """By the class, or by the Decoder where the class does not say."""

    @configure(unknown="forbid")
    @dataclass
    class Closed:
        a: int
        inner: Closed | None = None

    Closed.__annotations__["inner"] = Closed | None
    accept(Closed, '{"a":1}', Closed(1))
    accept(Closed, '{"inner":null,"a":1}', Closed(1))
    refuse(
        Closed,
        '{"a":1,"x":[1]}',
        'expected no member "x", found one at $ (line 1 column 8)',
    )
    refuse(
        Closed,
        '{"y":{},\n "a":1,"\\u0078":[1],"inner":{"\u00e9":0}}',
        'expected no member "y", found one at $ (line 1 column 2)',
        'expected no member "x", found one at $ (line 2 column 8)',
        'expected no member "\u00e9", found one at $.inner (line 2 column 30)',
        'expected member "a", found none at $.inner (line 2 column 29)',
    )
    message = 'expected no member "x", found one at $ (line 1 column 2)'
    refuse(Three, '{"x":1,"a":1}', message, unknown="forbid")
    open_ = configure(unknown="ignore")(make_dataclass("Open", [("a", int)]))
    accept(open_, '{"x":1,"a":1}', open_(1), unknown="forbid")


@dataclass
class Rest:
    """Collects unknown members."""

    a: int
    rest: Annotated[dict[str, int | list[Any]], Field(rest=True)] = field(
        default_factory=dict
    )
    b: int = 0


@dataclass(slots=True)
class SlottedRest:
    """Collects them with slots."""

    a: int
    rest: Annotated[dict[str, int | list[Any]], Field(rest=True)] = field(
        default_factory=dict
    )
    b: int = 0


@attrs.define
class AttrsRest:
    """Collects them with attrs."""

    a: int
    rest: Annotated[dict[str, int | list[Any]], Field(rest=True)] = attrs.Factory(dict)
    b: int = 0


@pytest.mark.parametrize("cls", [Rest, SlottedRest, AttrsRest])
def test_collected_members(cls: Any) -> None:
    """In the order of the document; of equal names the last wins."""
    accept(cls, '{"a":1}', cls(1))
    accept(cls, '{"x":1,"a":2,"y":[{}],"b":3}', cls(2, {"x": 1, "y": [{}]}, 3))
    accept(cls, '{"x":1,"\\u0078":[2],"a":2,"x":3}', cls(2, {"x": 3}))
    accept(cls, '{"rest":5,"a":2}', cls(2, {"rest": 5}))
    accept(
        list[cls],
        '[{"x":1,"a":1},{"a":2},{"x":3,"a":3}]',
        [cls(1, {"x": 1}), cls(2), cls(3, {"x": 3})],
    )
    one, two = decode(b'[{"a":1},{"a":1}]', list[cls])
    assert one.rest is not two.rest
    refuse(
        cls,
        '{"x":1,"y":"s","z":null}',
        "expected int or array, found str at $.y (line 1 column 12)",
        "expected int or array, found null at $.z (line 1 column 20)",
        'expected member "a", found none at $ (line 1 column 1)',
    )
    refuse(
        cls,
        '{"a":1,"y":"s"}',
        "expected int or array, found str at $.y (line 1 column 12)",
    )
    accept(
        cls,
        '{"a":1,"x":[[{"a":1,"x":2}]],"y":[[]]}',
        cls(1, {"x": [[{"a": 1, "x": 2}]], "y": [[]]}),
    )


def test_excluded_members() -> None:
    """Excluded members count as unknown."""

    @dataclass
    class Excluded:
        a: int
        b: Annotated[int, Field(exclude=True)] = 5

    accept(Excluded, '{"a":1,"b":"x"}', Excluded(1, 5))
    refuse(
        Excluded,
        '{"a":1,"b":0}',
        'expected no member "b", found one at $ (line 1 column 8)',
        unknown="forbid",
    )


def test_classes_without_fields() -> None:
    """Any object is accepted."""

    @dataclass
    class Empty:
        pass

    @dataclass(slots=True)
    class EmptySlots:
        pass

    for cls in (Empty, EmptySlots):
        accept(cls, "{}", cls())
        accept(cls, '{"a":[1,{}]}', cls())
        accept(list[cls], "[{},{ }]", [cls(), cls()])
        refuse(cls, "[]", "expected object, found array at $ (line 1 column 1)")


def test_names_that_are_not_valid_text() -> None:
    """Malformed names are malformed JSON, whether used or skipped."""
    for document in (
        b'{"\xff":1,"a":1}',
        b'{"a":1,"\xed\xa0\x80":1}',
        b'{"a":1,"b\xc3":1}',
    ):
        for options in ({}, {"errors": "all"}):
            with pytest.raises(snooze.JSONDecodeError) as caught:
                decode(document, Three, **options)
            with pytest.raises(snooze.JSONDecodeError) as expected:
                snooze.loads(document)
            assert str(caught.value) == str(expected.value)


@pytest.mark.parametrize("skip", ["validate", "fast"])
def test_skipped_numbers_beyond_doubles(skip: Any) -> None:
    """A number that is not read has no range (RFC 8259, section 6)."""

    @dataclass
    class Small:
        a: int = 0

    for text in ("1e400", "-1e999999", "9" * 400, "[1e400,{}]", '{"x":1E+400}'):
        document = f'{{"x":{text},"a":1,"y":{text}}}'
        assert decode(document, Small, skip=skip) == Small(1)
        assert decode(document, int, at="/a", skip=skip) == 1
    for text in ("1e", "01e400", "1e400.", "-"):
        with pytest.raises(snooze.JSONDecodeError):
            decode(f'{{"x":{text},"a":1}}', Small)
