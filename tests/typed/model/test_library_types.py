"""Types of the standard library that are strings or wrap another container."""

from __future__ import annotations

import collections
import fractions
import subprocess
import sys
import zoneinfo
from typing import Any

import pytest

import snooze
from helpers.typed_tools import accept, decode

Fraction = fractions.Fraction


@pytest.mark.parametrize(
    ("tp", "document", "value"),
    [
        (Fraction, '"1/3"', Fraction(1, 3)),
        (Fraction, '"-2"', Fraction(-2)),
        (Fraction | None, "null", None),
        (collections.ChainMap[str, int], '{"a":1}', collections.ChainMap({"a": 1})),
        (memoryview, '"YWI="', memoryview(b"ab")),
    ],
)
def test_values(tp: Any, document: str, value: Any) -> None:
    """Read, and written again, with the type and without."""
    accept(tp, document, value)
    assert type(decode(document, tp)) is type(value)
    assert snooze.encode(value, tp) == document.encode()
    assert snooze.encode([value]) == f"[{document}]".encode()


@pytest.mark.parametrize(
    "text", ["1/0", "0.5", "1e5", " 1", "1/-3", "x", "", "+1", "1_0"]
)
def test_other_fractions(text: str) -> None:
    """Only what `str` writes."""
    with pytest.raises(snooze.ValidationError, match="expected Fraction, found"):
        decode(f'"{text}"', Fraction)


def test_zones() -> None:
    """By their key; the database of the machine may lack all but UTC."""
    utc = zoneinfo.ZoneInfo("UTC")
    assert decode('["UTC"]', list[zoneinfo.ZoneInfo]) == [utc]
    assert snooze.encode({"zone": utc}) == b'{"zone":"UTC"}'
    for text in ("Nowhere/Land", "../../etc/passwd", "", "/etc", "America", "."):
        with pytest.raises(snooze.ValidationError, match="expected ZoneInfo"):
            decode(f'"{text}"', zoneinfo.ZoneInfo)


def test_classes_with_the_same_name() -> None:
    """Only the class of the library is known."""
    other = type("Fraction", (), {"__module__": "fractions"})
    with pytest.raises(TypeError, match="Fraction is not a type that snooze knows"):
        snooze.Decoder(other)


def test_the_modules_are_not_imported() -> None:
    """A codec of other types does without them, also of a class with such a name."""
    code = (
        "import typing;"
        "cls = type('Fraction', (), {'__module__': 'fractions'});"
        "import sys, snooze; snooze.decode(b'[1]', list[int]);"
        "snooze.decode(b'1', cls, dec_hook=lambda *_: cls());"
        "sys.exit(sum(m in sys.modules for m in ('fractions', 'zoneinfo')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_complex_has_ascii_digits() -> None:
    """As Python writes it."""
    assert snooze.decode('"1j"', complex) == 1j
    with pytest.raises(snooze.ValidationError, match="complex"):
        snooze.decode('"\u0661j"', complex)
