"""The expressions of a filter, as functions of a value and the document.

Separate from the parser, which combines them, and from segments.py, which asks them. An
expression knows its type (RFC 9535 section 2.4.1); the parser checks that it fits.
Invariant: comparisons are those of section 2.3.5.2.2: `1 == 1.0`, `true` is no number,
nothing equals nothing, and values that have no order are neither less nor greater.
Used by parser.py and functions.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any

from snooze._edit import numbers
from snooze._edit.values import equal
from snooze._jsonpath.segments import Index, Name, Segment

#: The result of a singular query that selects no value, and of some functions.
NOTHING: Any = object()
#: What an expression is evaluated with: the current value and the document.
Evaluated = Callable[[Any, Any], Any]
_NUMBERS = (int, float)


class Kind(Enum):
    """The types of expressions, as a message names them."""

    VALUE = "a value"
    LOGICAL = "a condition"
    NODES = "a query"


class Expression:
    """Part of a filter: what it is, and the function that evaluates it."""

    __slots__ = ("evaluate", "is_literal", "kind", "position", "singular", "text")

    def __init__(  # noqa: PLR0913 - what the parser asks of an expression
        self,
        kind: Kind,
        evaluate: Evaluated,
        position: int,
        *,
        singular: Evaluated | None = None,
        text: str | None = None,
        is_literal: bool = False,
    ) -> None:
        """Keep the parts; `singular` gives the value of a query with at most one."""
        self.kind = kind
        self.evaluate = evaluate
        self.position = position
        self.singular = singular
        self.text = text
        self.is_literal = is_literal


def literal(value: Any, position: int) -> Expression:
    """Return a string, number, true, false or null."""
    text = value if isinstance(value, str) else None
    return Expression(
        Kind.VALUE, lambda _, __: value, position, text=text, is_literal=True
    )


def query(segments: Sequence[Segment], position: int, *, is_root: bool) -> Expression:
    """Return a query that begins with `@`, or with `$`."""

    def evaluate(current: Any, root: Any) -> list[Any]:
        found = [root if is_root else current]
        for segment in segments:
            found = segment.values(found, root)
        return found

    singular = None
    if all(segment.is_singular for segment in segments):
        singular = _singular(segments, is_root=is_root)
    return Expression(Kind.NODES, evaluate, position, singular=singular)


def _singular(segments: Sequence[Segment], *, is_root: bool) -> Evaluated:
    steps: list[str | int] = []
    for segment in segments:
        selector = segment.selectors[0]
        if isinstance(selector, Name):
            steps.append(selector.name)
        elif isinstance(selector, Index):
            steps.append(selector.index)

    def value_of(current: Any, root: Any) -> Any:
        value = root if is_root else current
        for step in steps:
            if isinstance(step, str):
                if not isinstance(value, dict) or step not in value:
                    return NOTHING
            elif not isinstance(value, (list, tuple)) or not -len(value) <= step < len(
                value
            ):
                return NOTHING
            value = value[step]
        return value

    return value_of


def exists(part: Expression) -> Evaluated:
    """Return whether a query selects anything."""
    if part.singular is not None:
        value_of = part.singular
        return lambda current, root: value_of(current, root) is not NOTHING
    evaluate = part.evaluate
    return lambda current, root: bool(evaluate(current, root))


def negated(test: Evaluated) -> Evaluated:
    """Return `!`."""
    return lambda current, root: not test(current, root)


def every(tests: Sequence[Evaluated]) -> Evaluated:
    """Return `&&`."""

    def evaluate(current: Any, root: Any) -> bool:
        for test in tests:  # noqa: SIM110 - all() would make a generator at each call
            if not test(current, root):
                return False
        return True

    return evaluate


def some(tests: Sequence[Evaluated]) -> Evaluated:
    """Return `||`."""

    def evaluate(current: Any, root: Any) -> bool:
        for test in tests:  # noqa: SIM110 - likewise
            if test(current, root):
                return True
        return False

    return evaluate


def is_equal(one: Any, other: Any) -> bool:
    """Tell whether two values, or nothing, are equal."""
    if one is NOTHING or other is NOTHING:
        return one is other
    if type(one) is str and type(other) is str:
        return one == other
    return equal(one, other)


def is_less(one: Any, other: Any) -> bool:
    """Tell whether two numbers or two strings are in ascending order."""
    if isinstance(one, str):
        return isinstance(other, str) and one < other
    if isinstance(one, _NUMBERS) and isinstance(other, _NUMBERS):
        is_word = isinstance(one, bool) or isinstance(other, bool)
        return not is_word and one < other
    if isinstance(one, numbers.EXACT) or isinstance(other, numbers.EXACT):
        return numbers.compared(one, other) == -1
    return False


COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "==": is_equal,
    "!=": lambda one, other: not is_equal(one, other),
    "<": is_less,
    "<=": lambda one, other: is_less(one, other) or is_equal(one, other),
    ">": lambda one, other: is_less(other, one),
    ">=": lambda one, other: is_less(other, one) or is_equal(one, other),
}


def compared(operator: str, left: Evaluated, right: Evaluated) -> Evaluated:
    """Return a comparison of two values."""
    holds = COMPARISONS[operator]
    return lambda current, root: holds(left(current, root), right(current, root))
