"""BIAS.md quotes each contender's own file, and names no other contender."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from helpers.scripts import script
from snooze_lab import contenders

bias = script("bias")
BIAS = Path(__file__).resolve().parents[1] / "BIAS.md"


def text() -> str:
    return BIAS.read_text("utf-8")


def test_the_section_is_what_the_files_say():
    told = "run: python scripts/bias.py --write lab/BIAS.md"
    assert bias.replaced(text()) == text(), told


def test_every_contender_has_its_row():
    rows = re.findall(r"^\| ([^|]+) \| \w+ \| .+ \|$", bias.section(), re.MULTILINE)
    wanted = [name for name in contenders.libraries() if name != "orjson again"]
    assert [row for row in rows if row != "contender"] == wanted


def test_who_is_named_in_bold_as_unfairly_treated_takes_part():
    part = text().partition("## What we know to be unfair")[2].partition("\n## ")[0]
    named = re.findall(
        r"\b(simplejson|ujson|rapidjson|msgspec|protobuf|msgpack)\b", part
    )
    assert set(named) <= set(contenders.libraries())
    assert len(set(named)) == 6


def test_a_document_without_marks_is_refused():
    with pytest.raises(ValueError, match="found them not"):
        bias.replaced("nothing")


def test_the_dead_library_says_so():
    assert "Not available: python-cjson" in bias.section()
