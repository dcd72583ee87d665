"""Predicates of engines as the text of `where`.

Separate because three engines push predicates down, each with objects of its own: an
adapter turns these into nodes, and this module into text. Invariant: what is pushed
down never rejects a record that the engine would keep. So only comparisons are taken
that an engine and snooze decide alike: of a column with a constant of its own type. A
part that is no such comparison is left to the engine, together with all others. Called
by the adapters.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from snooze._scan.arguments import has_surrogate

if TYPE_CHECKING:
    from snooze import Scan

#: A part of a predicate: its name, and what it needs.
#:
#: ("and", node, node), ("or", node, node), ("not", node), ("null", path),
#: ("column", path) of booleans, ("compare", path, operator, constant),
#: ("in", path, constants), ("starts", path, text); None for anything else.
Node = tuple[Any, ...] | None

#: The comparisons, each with that of the sides exchanged.
EXCHANGED = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
#: The most constants of an `in`: each is compared with every record.
_MOST = 64
#: Integers up to this are floats exactly.
_EXACT = 1 << 53
#: Deeper predicates are left to the engine: `where` has a limit, too.
_DEEPEST = 20
_INTEGERS = frozenset(
    f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)
)


def narrowed(scan: Scan, node: Node) -> Scan:
    """Return a scan without some of the records that a predicate rejects."""
    if scan.limit is not None:
        return scan  # the limit counts the rows before the predicate
    text = where_of(scan.columns, node)
    return scan if text is None else scan.where(text)


def where_of(columns: dict[str, str], node: Node) -> str | None:
    """Return the condition that every record meets for which a predicate is true.

    Args:
        columns: The columns of the scan, as `Scan.columns`.
        node: The predicate.
    """
    found, left = [], [node]
    while left:
        part = left.pop()
        if part is not None and part[0] == "and":
            left += reversed(part[1:])
        else:
            found.append(exact(columns, part))
    known = [part for part in found if part is not None]
    return " and ".join(f"({part})" for part in known) or None


def exact(
    columns: dict[str, str], node: Node, depth: int = 0, *, negated: bool = False
) -> str | None:
    """Return the condition that is true where a predicate is, and only there."""
    if node is None or depth > _DEEPEST:
        return None
    name, *parts = node
    if name not in {"and", "or", "not"}:
        # Is null in a list false, or unknown? Engines differ, and only `not` shows.
        return None if negated and name == "in" else _test(columns, node)
    texts = []
    for part in parts:
        text = exact(columns, part, depth + 1, negated=negated or name == "not")
        if text is None:
            return None
        texts.append(f"({text})")
    return f"not {texts[0]}" if name == "not" else f" {name} ".join(texts)


def _test(columns: dict[str, str], node: tuple[Any, ...]) -> str | None:
    """Return the condition for a test of one column."""
    name, path, *rest = node
    # Fields inside of structs are left to the engine: engines differ in what a field of
    # a null is.
    kind = columns.get(path[0]) if len(path) == 1 else None
    column = f"col({path[0]!r})"
    text = None
    match name, rest:
        case _ if kind is None:
            pass
        case "null", []:
            text = f"{column} is None"
        case "column", [] if kind == "bool":
            text = column
        case "starts", [str(prefix)] if _fits(kind, prefix):
            text = f"{column}.startswith({prefix!r})"
        case "in", [constants] if 0 < len(constants) <= _MOST:
            if all(_fits(kind, one) for one in constants):
                text = f"{column} in [{', '.join(map(repr, constants))}]"
        case "compare", [operator, constant] if operator in EXCHANGED:
            ordered = operator not in {"==", "!="}
            if _fits(kind, constant) and not (ordered and kind == "bool"):
                text = f"{column} {operator} {constant!r}"
    return text


def _fits(kind: str, constant: Any) -> bool:
    """Return whether snooze and engines compare a column with a constant alike."""
    match constant:
        case bool():
            return kind == "bool"
        case int():
            # Engines may turn both into floats, which do not hold larger ones exactly.
            limit = _EXACT if kind in {"float64", "uint64"} else 1 << 63
            is_number = kind in _INTEGERS or kind == "float64"
            return is_number and -limit < constant < limit
        case float():
            return kind == "float64" and math.isfinite(constant)
        case str():
            # No string of a column has a surrogate.
            return kind in {"utf8", "large_utf8"} and not has_surrogate(constant)
    return False
