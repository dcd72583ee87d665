"""Patterns in a schema are regular expressions of ECMA-262, as JSON Schema wants them.

Each translation is tried with `re`, too: schemas are also read by programs in Python.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from typing import Annotated

import pytest

import snooze
from snooze import Pattern

#: Python's pattern -> the one in the schema, texts that it finds, and others.
TRANSLATED: dict[str, tuple[str, list[str], list[str]]] = {
    r"^[\w.+-]+@x$": (r"^[\w.+-]+@x$", ["a.b@x"], ["@x"]),
    r"\Aa+\Z": ("^a+$", ["aa"], ["ba", "ab"]),
    r"(?P<day>[0-9]+)-\d": (r"([0-9]+)-\d", ["12-3"], ["-3"]),
    re.escape("a-b c#d.e"): (r"a-b c#d\.e", ["a-b c#d.e"], ["a-b c#dxe"]),
    "[]a-]": (r"[\]a-]", ["]", "-"], ["b"]),
    "[^]a]": (r"[^\]a]", ["b"], ["]", "a"]),
    r"[a\-z\&]": (r"[a\-z&]", ["-", "&"], ["b"]),
    "^x{,2}$": ("^x{0,2}$", ["", "xx"], ["xxx"]),
    "{}]}": (r"\{\}\]\}", ["{}]}"], ["{}"]),
    r"\a\101\0": (r"\x07\x41\x00", ["\x07A\0"], ["a"]),
    r"\U0001F600|\N{DIGIT ONE}\N{FULL STOP}": ("\U0001f600|1\\.", ["1."], ["1"]),
    "(?=a)[a-b]+(?!c)": ("(?=a)[a-b]+(?!c)", ["ab"], ["b"]),
    "((?=a)a)+b": ("((?=a)a)+b", ["aab"], ["a"]),
    "a{2,3}?b+?": ("a{2,3}?b+?", ["aab"], ["ab"]),
}
#: What has no form in that dialect.
UNKNOWN = [
    *("(?i)a", "(?i:a)", "a(?#b)", "(a)?(?(1)b|c)"),
    *(r"(?P<n>a)(?P=n)", r"(a|b)\1", r"[\1]"),
    *("(?=a)*b", "(?!a)?b", "(?<=a){2}b"),
]


def keywords(pattern: str) -> dict[str, str]:
    """Return the keywords for a pattern."""
    found = snooze.schema(Annotated[str, Pattern(pattern)])
    return {key: found[key] for key in ("pattern", "description") if key in found}


@pytest.mark.parametrize("pattern", TRANSLATED)
def test_patterns_mean_the_same(pattern: str) -> None:
    """For `re` before and after."""
    expected, matching, others = TRANSLATED[pattern]
    assert keywords(pattern) == {"pattern": expected}
    for text in matching + others:
        for one in (pattern, expected):
            assert bool(re.search(one, text)) == (text in matching), (one, text)


@pytest.mark.parametrize("pattern", UNKNOWN)
def test_patterns_that_only_python_has(pattern: str) -> None:
    """They are described, so that no validator fails."""
    assert keywords(pattern) == {"description": f"matching {pattern!r}"}


def test_what_does_not_backtrack_is_described() -> None:
    """Atomic groups and possessive quantifiers."""
    for pattern in ("(?>a)", "a++", "a{2}+", "[a+]?+"):
        assert "pattern" not in keywords(pattern)
    assert keywords("[a+]+[?+]")["pattern"] == "[a+]+[?+]"


def test_names_of_members_have_patterns_too() -> None:
    """The keys of dicts."""
    key = Annotated[str, Pattern(r"\Aa")]
    assert snooze.schema(dict[key, int])["propertyNames"] == {"pattern": "^a"}


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_javascript_finds_the_same() -> None:
    """With and without the flag `u`, with which it reads a schema."""
    rows = [
        (pattern, text, text in matching)
        for pattern, matching, others in TRANSLATED.values()
        for text in matching + others
    ]
    program = (
        "const rows = JSON.parse(require('fs').readFileSync(0));"
        "const wrong = rows.filter(([pattern, text, found]) =>"
        "['u', ''].some((flags) => RegExp(pattern, flags).test(text) !== found));"
        "console.log(JSON.stringify(wrong))"
    )
    run = subprocess.run(
        ["node", "-e", program],
        input=json.dumps(rows),
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(run.stdout) == []
