"""What to write in place of SQL, C or plain text in a condition.

Separate from `conditions`, which only needs it for what is wrong. Invariant: a hint is
added to a message, and decides nothing. Called by `conditions`.
"""

from __future__ import annotations

import ast
import re

_STRING = re.compile(r"'[^']*'|\"[^\"]*\"")
_DATE = re.compile(r"\b[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}")
#: Dates and times in other forms, which are no Python.
_OTHER_DATES = re.compile(
    r"\b[0-9]{1,2}:[0-9]{2}\b"
    r"|\b[0-9]{1,4}([-/])[0-9]{1,2}\1[0-9]{1,4}\b"
    r"|\b[0-9]{1,2}\.[0-9]{1,2}\.[0-9]{4}\b"
)
#: An integer such as 08 or 0_1; not 00, 01.5 or 01e5, which are Python.
_ZEROS = re.compile(
    r"(?<![\w.])(?<![eE][-+])(?<![0-9][:/-])"
    r"0(?=[0-9_]*[1-9])[0-9_]++(?![.eEjJ:/-])"
)
QUOTE_DATE = 'put quotes around a date or a time, as in "2026-12-01"'
#: What stands in a text that is no Python, and what to write.
_SYNTAX = (
    (_DATE, QUOTE_DATE),
    (_OTHER_DATES, QUOTE_DATE),
    (_ZEROS, "write the number without zeros in front"),
    (re.compile(r"<>"), 'write != for "not equal"'),
    (re.compile(r"&&|\|\|"), "expected Python's syntax, with `and` and `or`"),
    (
        re.compile(r"\b(?!(?:and|or|not)\b)(?i:and|or|not)\b"),
        "write `and`, `or` and `not` in small letters",
    ),
    (re.compile(r"(?<![=!<>])=(?!=)"), "equality is =="),
)
_NAMES = {"true": "True", "false": "False"}
_NULLS = {"null", "none", "nil"}


def of_syntax(text: str) -> str:
    """Return a hint for a text that is no Python."""
    bare = _STRING.sub('""', text)
    for pattern, hint in _SYNTAX:
        if pattern.search(bare):
            return hint
    return "expected Python's syntax, such as status >= 500 and name is not None"


def of_type(known: str) -> str:
    """Return a hint for a column that compares with no constant, or nothing."""
    if known != "arrow.json":
        return ""
    return "; it has values of several types, so test it with `is None` only"


def of_value(node: ast.expr) -> str:
    """Return a hint for what is no constant, or nothing."""
    match node:
        case ast.Name(id=name) if name.lower() in _NAMES:
            return f"; write {_NAMES[name.lower()]}"
        case ast.Name(id=name) if name.lower() in _NULLS:
            return "; null is tested by `is None`"
        case ast.Name(id=name):
            return f'; a text has quotes: "{name}"'
        case ast.BinOp(op=ast.Sub()) if _DATE.fullmatch(
            ast.unparse(node).replace(" ", "")
        ):
            return f"; {QUOTE_DATE}"
    return ""


def of_column(node: ast.expr, written: str | None) -> str:
    """Return a hint for what is no column, or nothing."""
    if isinstance(node, ast.BinOp) and isinstance(node.left, ast.Name) and written:
        return f"; write this name as col({written!r})"
    return ""
