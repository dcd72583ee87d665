"""The functions of RFC 9535 section 2.4: length, count, match, search, value.

Separate because the parser looks them up by name and checks arguments by their kinds.
Used by parser.py.
"""

from __future__ import annotations

from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from snooze._jsonpath.filters import NOTHING, Kind
from snooze._jsonpath.iregexp import Pattern, PatternError

if TYPE_CHECKING:
    from collections.abc import Callable


class Function(NamedTuple):
    """A function: the kinds of its arguments and of its result."""

    parameters: tuple[Kind, ...]
    result: Kind
    call: Callable[..., Any]
    #: For those whose last argument is a pattern: whether it may match a part.
    anywhere: bool | None = None


@lru_cache(16)  # of at most some megabytes each
def pattern_of(text: str, *, anywhere: bool) -> Pattern | None:
    """Return a compiled I-Regexp; None if the text is not one.

    PatternSizeError if it is too large: that it does not match would be a guess.
    """
    try:
        return Pattern(text, anywhere=anywhere)
    except PatternError:
        return None


def _length(value: Any) -> Any:
    return len(value) if isinstance(value, (str, list, tuple, dict)) else NOTHING


def _tested(value: Any, pattern: Any, *, anywhere: bool) -> bool:
    if not isinstance(value, str) or not isinstance(pattern, str):
        return False
    compiled = pattern_of(pattern, anywhere=anywhere)
    return compiled is not None and compiled.accepts(value)


def _value(nodes: list[Any]) -> Any:
    return nodes[0] if len(nodes) == 1 else NOTHING


_TEXTS = (Kind.VALUE, Kind.VALUE)
FUNCTIONS = {
    "length": Function((Kind.VALUE,), Kind.VALUE, _length),
    "count": Function((Kind.NODES,), Kind.VALUE, len),
    "match": Function(
        _TEXTS, Kind.LOGICAL, partial(_tested, anywhere=False), anywhere=False
    ),
    "search": Function(
        _TEXTS, Kind.LOGICAL, partial(_tested, anywhere=True), anywhere=True
    ),
    "value": Function((Kind.NODES,), Kind.VALUE, _value),
}
