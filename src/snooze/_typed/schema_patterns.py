r"""Regular expressions of Python in the dialect of JSON Schema: ECMA-262 with `u`.

Separate from `schema_keywords`, because it reads the syntax of `re`. Invariant: `re`
finds the same with a translation as with the pattern, except that `$` replaces `\Z`.
The classes of characters differ there: `\d`, `\w` and `\b` are about ASCII, `\s` has
U+FEFF but not U+0085 and U+001C to U+001F, `.` finds no `\r`, `$` only the very end.
Called by `schema_keywords`.
"""

from __future__ import annotations

import re
import unicodedata

_TOKEN = re.compile(
    r"""\\(?: x[0-9a-fA-F]{2} | u[0-9a-fA-F]{4} | U[0-9a-fA-F]{8} | N\{[^}]*\}
        | [0-3][0-7]{2} | 0[0-7]? | [1-9][0-9]? | . )
    | \(\?P<\w+> | \(\?[:=!] | \(\?<[=!] | \(\?
    | \{[0-9]*,?[0-9]*\} | .""",
    re.VERBOSE | re.DOTALL,
)
#: What only a backslash makes a literal, with or without `u`.
_SYNTAX = frozenset(r"^$\.*+?()[]{}|/")
_SAME = frozenset("dDwWsSbBnrtfvxu")
_OTHER = {"A": "^", "Z": "$", "z": "$", "a": r"\x07"}


def translated(pattern: str) -> str | None:  # noqa: C901 - one case for each token
    """Return a pattern of Python in that dialect; None if it has no such form."""
    parts: list[str] = []
    opened = -1  # where the set of characters begins that is open
    repeated = False  # whether a quantifier is before this, which `+` makes possessive
    looks: list[bool] = []  # for each open group, whether it is a lookaround
    looked = False  # whether one has ended before this, which there cannot be repeated
    for found in _TOKEN.finditer(pattern):
        piece, was_repeated, repeated = found[0], repeated, False
        had_looked, looked = looked, False
        if piece[0] == "\\":
            part = _escape(piece, is_in_set=opened >= 0)
        elif opened >= 0:
            part = piece
            if piece == "]" and pattern[opened : found.start()] in {"[", "[^"}:
                part = r"\]"  # the first one is a member
            elif piece == "]":
                opened = -1
        elif piece == "(?" or (piece == "+" and was_repeated):
            part = None  # flags, comments, conditions, what does not backtrack
        else:
            part = _outside(piece)
            opened = found.start() if piece == "[" else -1
            repeated = part[0] in "*+?{" and not was_repeated
            if repeated and had_looked:
                part = None
            elif piece[0] == "(":
                looks.append(piece.startswith(("(?=", "(?!", "(?<")))
            elif piece == ")":
                looked = looks.pop()
        if part is None:
            return None
        parts.append(part)
    return "".join(parts)


def _outside(piece: str) -> str:
    """Return a token that is no escape and in no set."""
    if piece.startswith("(?P<"):
        return "("
    if piece in {"{}", "{", "}", "]"}:
        return "".join(f"\\{one}" for one in piece)
    return piece.replace("{,", "{0,") if piece[0] == "{" else piece


def _escape(piece: str, *, is_in_set: bool) -> str | None:
    """Return an escape in the other dialect; None if it has none."""
    kind = piece[1]
    if kind in _SAME:
        return piece
    if kind in _OTHER:
        return _OTHER[kind]
    if kind in "0123456789":
        if kind == "0" or len(piece) == 4:
            return rf"\x{int(piece[1:], 8):02x}"
        return None  # there, a group that found nothing is equal to nothing
    if kind == "U":
        kind = chr(int(piece.removeprefix("\\U"), 16))
    elif kind == "N":
        kind = unicodedata.lookup(piece[3:-1])
    is_special = kind in _SYNTAX or (is_in_set and kind == "-")
    return f"\\{kind}" if is_special else kind
