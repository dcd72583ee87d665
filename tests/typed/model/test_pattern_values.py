"""`re.Pattern`: what is read is written again, and bad expressions are problems."""

from __future__ import annotations

import re
from typing import Annotated, Any

import pytest

import snooze

BAD = ["a{99999999999999}", "(" * 2000 + ")" * 2000, "(", "a**", "(?P<1>a)", "(?i"]


@pytest.mark.parametrize("text", ["(?i)a", "(?x) a b # c", "(?ims)^a$", "(?a)\\w", "a"])
def test_inline_flags(text: str) -> None:
    """The text shows them."""
    document = snooze.dumps(text)
    found = snooze.decode(document, re.Pattern)
    assert found == re.compile(text)
    assert snooze.encode(found, re.Pattern) == document
    assert snooze.encode([found]) == b"[" + document + b"]"
    assert snooze.to_builtins(found) == text
    # Given twice, they are shown, too.
    assert snooze.encode(re.compile(text, found.flags)) == document


@pytest.mark.parametrize(
    "pattern",
    [
        re.compile("a", re.IGNORECASE),
        re.compile("(?i)a", re.MULTILINE),
        re.compile("a # (", re.VERBOSE),
        re.compile("a", re.ASCII),
    ],
)
def test_other_flags(pattern: Any) -> None:
    """Refused: the text does not show them."""
    with pytest.raises(ValueError, match="does not show its flags"):
        snooze.encode(pattern, re.Pattern)


@pytest.mark.parametrize("text", BAD, ids=lambda text: text[:12])
def test_texts_that_are_no_expression(text: str) -> None:
    """A ValidationError, whatever `re` raises."""
    for options in ({}, {"errors": "all"}):
        decoder: Any = snooze.Decoder(list[re.Pattern[str]], **options)
        with pytest.raises(snooze.ValidationError, match="not a regular expression"):
            decoder.decode(snooze.dumps(["a", text]))
    with pytest.raises(snooze.ValidationError, match="not a regular expression"):
        snooze.convert(text, re.Pattern)


@pytest.mark.parametrize("text", BAD, ids=lambda text: text[:12])
def test_constraints_that_are_no_expression(text: str) -> None:
    """A ValueError when the constraint is written."""
    with pytest.raises(ValueError, match="is not a regular expression"):
        Annotated[str, snooze.Pattern(text)]
