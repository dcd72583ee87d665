"""The functions of RFC 9535 section 2.4: length, count, match, search, value.

Separate because the parser looks them up by name and checks arguments by their kinds.
Used by parser.py.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from snooze._jsonpath.filters import NOTHING, Kind
from snooze._jsonpath.iregexp import Pattern, PatternError, PatternSizeError

if TYPE_CHECKING:
    from collections.abc import Callable


class Function(NamedTuple):
    """A function: the kinds of its arguments and of its result."""

    parameters: tuple[Kind, ...]
    result: Kind
    call: Callable[..., Any]
    #: The position of an argument that is a pattern.
    pattern: int | None = None


@lru_cache(16)  # of at most some megabytes each
def pattern_of(text: str) -> Pattern | None:
    """Return a compiled I-Regexp; None if the text is not one, or a too large one."""
    try:
        return Pattern(text)
    except (PatternError, PatternSizeError):
        return None


def _length(value: Any) -> Any:
    return len(value) if isinstance(value, (str, list, tuple, dict)) else NOTHING


def _match(value: Any, pattern: Any) -> bool:
    if not isinstance(value, str) or not isinstance(pattern, str):
        return False
    compiled = pattern_of(pattern)
    return compiled is not None and compiled.matches(value)


def _search(value: Any, pattern: Any) -> bool:
    if not isinstance(value, str) or not isinstance(pattern, str):
        return False
    compiled = pattern_of(pattern)
    return compiled is not None and compiled.occurs_in(value)


def _value(nodes: list[Any]) -> Any:
    return nodes[0] if len(nodes) == 1 else NOTHING


_TEXTS = (Kind.VALUE, Kind.VALUE)
FUNCTIONS = {
    "length": Function((Kind.VALUE,), Kind.VALUE, _length),
    "count": Function((Kind.NODES,), Kind.VALUE, len),
    "match": Function(_TEXTS, Kind.LOGICAL, _match, pattern=1),
    "search": Function(_TEXTS, Kind.LOGICAL, _search, pattern=1),
    "value": Function((Kind.NODES,), Kind.VALUE, _value),
}
