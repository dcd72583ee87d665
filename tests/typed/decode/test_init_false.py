"""Typed decoding into classes with `field(init=False)`: documents never set those."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

import snooze
from helpers.typed_tools import Decoder, decode, refuse


@dataclass
class Flag:
    """A field that documents must not set, in the instance's dict."""

    name: str
    admin: list[int] = field(default_factory=list, init=False)


@dataclass(slots=True)
class SlottedFlag:
    """The same in a slot."""

    name: str
    admin: bool = field(default=False, init=False)


@pytest.mark.parametrize("cls", [Flag, SlottedFlag])
@pytest.mark.parametrize("index", range(4))
@pytest.mark.parametrize("skip", ["validate", "fast"])
def test_init_false_fields_are_never_read(cls, index, skip) -> None:
    """Not even under the bytes that mark "no name" internally, which are not UTF-8."""
    name = b"\xff" + b"\\u%04x" % index + b"\\u0000" * 7
    document = b'{"name": "x", "' + name + b'": [1]}'
    with pytest.raises(snooze.JSONDecodeError, match="not valid UTF-8") as caught:
        Decoder(cls, skip=skip).decode(document)
    assert type(caught.value) is snooze.JSONDecodeError
    # As a `str` it is an ordinary unknown name.
    name = "\u00ff" + chr(index) + "\0" * 7
    found = decode(snooze.dumps({"name": "x", name: [1]}), cls)
    assert (found.name, bool(found.admin)) == ("x", False)


@snooze.configure(array_like=True)
@dataclass(slots=True)
class Placed:
    """A field without a position, between two that have one."""

    a: int
    b: int = field(default=7, init=False)
    c: int = 3


@snooze.configure(array_like=True)
@dataclass
class Made:
    """The same, with a default factory."""

    a: int
    b: list[int] = field(default_factory=list, init=False)
    c: int = 3


@pytest.mark.parametrize(("cls", "b"), [(Placed, 7), (Made, [])])
def test_init_false_fields_have_no_position(cls, b) -> None:
    """In an array of fields they are skipped."""
    for document, c in [("[1]", 3), ("[1,2]", 2)]:
        found = decode(document, cls)
        assert (found.a, found.b, found.c) == (1, b, c)
    refuse(
        cls,
        "[1,2,3]",
        "expected array of length 1 to 2, found array of 3 at $ (line 1 column 1)",
    )
    refuse(cls, '[1,"x"]', "expected int, found str at $[1] (line 1 column 4)")
    refuse(cls, "[]", 'expected member "a", found none at $ (line 1 column 1)')
